"""Students' notebooks: complete as they are, without solutions, and with the numbers of the book."""

import re
import sys
from functools import cache

import nbformat
import pytest
from bs4 import BeautifulSoup, SoupStrainer

from mjq_book.chapters import CHAPTERS
from mjq_book.runs import execution, solutions, stored
from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "book"))
import student

ADDRESS = "https://example.org/somebody/mjq"
BUILT = ROOT / "_build/html/notebooks"
each_notebook = pytest.mark.parametrize("name", stored.NOTEBOOKS)


@cache
def chapter(name):
    return solutions.read(ROOT / f"notebooks/{name}.ipynb")


@cache
def written(name):
    return student.notebook(name, chapter(name), ADDRESS)


def text(notebook):
    return "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


@each_notebook
def test_they_are_the_chapter_without_solutions(name):
    wanted = [cell.source for cell in chapter(name).cells if not solutions.is_solution(cell)]
    title, _, *others = [cell.source for cell in written(name).cells]
    assert [title, *(source for source in others if source != student.YOURS)] == wanted
    assert "<summary>Solution" not in text(written(name))
    without = student.without_solutions(nbformat.from_dict(chapter(name)))
    assert "{solution" not in text(stored.myst(without)) and [cell.source for cell in without.cells] == wanted


@each_notebook
def test_exercises_and_self_checks_have_a_cell_for_the_answer(name):
    asked = len(re.findall(r"^### Exercise |^\*\*Check yourself\.\*\*", text(chapter(name)), re.M))
    assert [cell.source for cell in written(name).cells].count(student.YOURS) == asked
    assert all(set(cell.metadata) <= {"tags", "jupyter"} for cell in written(name).cells), "the answer"


@pytest.mark.parametrize("name", stored.NUMBERED)
def test_figures_and_exercises_have_the_numbers_of_the_book(name):
    page = BUILT / f"{name}.html"
    if not page.exists():
        pytest.skip("the book is not built: make book")
    numbers = SoupStrainer(class_="caption-number")
    soup = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser", parse_only=numbers)
    shown = [x.get_text().strip() for x in soup.select(".caption-number")]
    mine = text(chapter(name))
    assert [x for x in shown if x.startswith("Fig")] == re.findall(r"^\*\*(Fig\. [\d.]+)\.\*\* ", mine, re.M)
    assert [x for x in shown if x.startswith("Ex")] == re.findall(r"^### (Exercise [\d.]+):", mine, re.M)


@pytest.mark.slow
@pytest.mark.parametrize("name", [chapter.name for chapter in CHAPTERS])  # whose cells the book executes with solutions
def test_it_runs_as_it_is(name, tmp_path, monkeypatch):
    monkeypatch.setenv("MJQ_WORKERS", "1")
    monkeypatch.chdir(tmp_path)
    failure = execution.execute(written(name), tmp_path / "run.ipynb")
    assert failure is None, "\n".join([str(failure), *failure.traceback])
