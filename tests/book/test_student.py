"""Students' notebooks: complete as they are, without solutions, and with the numbers of the book."""

import re
import sys
from functools import cache

import nbformat
import pytest
from bs4 import BeautifulSoup, SoupStrainer

from mjq_book.runs import execution, readable
from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "book"))
import student

ADDRESS = "https://example.org/somebody/mjq"
BUILT = ROOT / "_build/html/notebooks"
each_notebook = pytest.mark.parametrize("name", readable.NOTEBOOKS)


@cache
def words():
    return readable.Words(ROOT)


@cache
def written(name):
    return student.student(name, words(), ADDRESS)


@cache
def chapter(name):
    return nbformat.read(ROOT / f"notebooks/{name}.ipynb", as_version=4)


def text(notebook):
    return "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def code(notebook):
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


@each_notebook
def test_nothing_is_left_that_only_the_book_understands(name):
    assert not re.search(r"\{[a-z:]+\}`|:::|^```\{|^\([\w:-]+\)=", text(written(name)), re.M)


@each_notebook
def test_code_is_that_of_the_chapter_without_the_solutions(name):
    solutions = [cell.source for cell, hidden in readable.with_solutions_marked(chapter(name)) if hidden]
    cells = [cell for cell in chapter(name).cells if cell.cell_type == "code" and cell.source not in solutions]
    is_sentence = ["sentence" in cell.metadata.get("tags", []) for cell in cells]  # it is said in words, too
    wanted = [words().plain(x.source) if said else x.source for x, said in zip(cells, is_sentence, strict=True)]
    assert [source for source in code(written(name))[1:] if source != readable.YOURS] == wanted
    assert not [cell for cell in written(name).cells if "solution" in cell.source and cell.source in solutions]


@each_notebook
def test_exercises_and_self_checks_have_a_cell_for_the_answer(name):
    asked = text(chapter(name))
    assert code(written(name)).count(readable.YOURS) == asked.count("{exercise-start}") + asked.count("{selfcheck}")
    for condition in re.findall(
        r"^\* `(.+?)`", "\n".join(re.findall(r"^:::\{selfcheck.*?^:::$", asked, re.M | re.S)), re.M
    ):
        assert condition not in text(written(name)), "the answer"
    assert ":answer:" not in text(written(name))


@pytest.mark.parametrize("name", readable.NUMBERED)
def test_figures_and_exercises_have_the_numbers_of_the_book(name):
    page = BUILT / f"{name}.html"
    if not page.exists():
        pytest.skip("the book is not built: make book")
    numbers = SoupStrainer(class_="caption-number")
    soup = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser", parse_only=numbers)
    shown = [x.get_text().strip() for x in soup.select(".caption-number")]
    mine = text(written(name))
    assert [x for x in shown if x.startswith("Fig")] == re.findall(r"^\*(Fig\. [\d.]+)\. ", mine, re.M)
    assert [x for x in shown if x.startswith("Ex")] == re.findall(r"^### (Exercise [\d.]+):", mine, re.M)


@each_notebook
def test_a_book_without_solutions_has_none_and_the_same_numbers(name):
    with_all, without = chapter(name), student.without_solutions(nbformat.from_dict(chapter(name)))
    assert "{solution" not in text(without)
    assert len(code(without)) == len(code(with_all))
    hidden = [cell.source for cell in without.cells if cell.metadata.get("tags") == ["remove-cell"]]
    for cell, solution in readable.with_solutions_marked(with_all):
        if solution and cell.cell_type == "code":
            assert cell.source in hidden


def has_solutions_with_code(name):
    """Whether its cells are others than those of the chapter, which the book executes."""
    return any(hidden and cell.cell_type == "code" for cell, hidden in readable.with_solutions_marked(chapter(name)))


@pytest.mark.slow
@pytest.mark.parametrize("name", filter(has_solutions_with_code, readable.NOTEBOOKS))
def test_it_runs_as_it_is(name, tmp_path, monkeypatch):
    monkeypatch.setenv("MJQ_WORKERS", "1")
    monkeypatch.chdir(tmp_path)
    failure = execution.execute(written(name), tmp_path / "run.ipynb")
    assert failure is None, "\n".join([str(failure), *failure.traceback])
