"""Several folded cells under one line, on pages small enough to see all of them."""

import os
import subprocess
import sys

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tests.conftest import ROOT

TAG, HIDE = "fold-with-next", "hide-input"
GLUED = "application/papermill.record/"


def cell(name, *tags, prints="", glues="", checks=""):
    """A cell whose code is its name."""
    about = {"scrapbook": {"name": glues, "mime_prefix": GLUED}}
    outputs = [new_output("stream", text=prints)] if prints else []
    outputs += [new_output("display_data", data={f"{GLUED}text/plain": "42"}, metadata=about)] if glues else []
    passed = f'<details class="mjq-checks"><summary>{checks}</summary>its name</details>'
    outputs += [new_output("display_data", data={"text/html": passed})] if checks else []
    metadata = {"name": name, "tags": list(tags), "mystnb": {"code_prompt_show": f"Line of {name}"}}
    return new_code_cell(f'"{name}"', metadata=metadata, outputs=outputs, execution_count=1)


WORDS = new_markdown_cell("Words.")
RIGHT = {
    "input": [cell("one", HIDE, TAG), cell("two", TAG, HIDE), cell("three", HIDE), cell("four", HIDE)],
    "all": [cell("one", "hide-cell", TAG), cell("two", "hide-cell", TAG), cell("three", "hide-cell")],
    "shown": [cell("one", HIDE, TAG), cell("two", HIDE, prints="shown")],
    "glued": [cell("one", HIDE, TAG, glues="number"), cell("two", HIDE)],
    "checked": [cell("one", HIDE, TAG, glues="number"), cell("two", HIDE, checks="1 check passed")],
}
WRONG = {
    "shows": ([cell("one", HIDE, TAG, prints="1"), cell("two", HIDE)], "shows something"),
    "open": ([cell("one", TAG), cell("two", HIDE)], "is not folded"),
    "words": ([cell("one", HIDE, TAG), WORDS, cell("two", HIDE)], "follows directly"),
    "other": ([cell("one", HIDE, TAG), cell("two", "hide-cell")], "follows directly"),
    "unlike": ([cell("one", HIDE, TAG), cell("two")], "follows directly"),
    "last": ([cell("two"), cell("one", HIDE, TAG)], "follows directly"),
}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The pages that Sphinx makes of these cells, and its warnings; in another process, for MyST-NB leaves traces."""
    site, html = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("html")
    metadata = {"orphan": True, "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    for name, cells in (RIGHT | {name: cells for name, (cells, _) in WRONG.items()}).items():
        notebook = new_notebook(cells=[new_markdown_cell(f"# {name}"), *cells], metadata=metadata)
        nbformat.write(notebook, site / f"{name}.ipynb")
    settings = {"extensions": "myst_nb,cells", "nb_execution_mode": "off", "root_doc": "all"}
    words = [f"-D{name}={value}" for name, value in settings.items()]
    command = [sys.executable, "-m", "sphinx", "--isolated", "--quiet", *words, site, html]
    here = os.environ | {"PYTHONPATH": str(ROOT / "book/_ext")}
    run = subprocess.run(command, env=here, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    pages = {path.stem: path.read_text(encoding="utf-8") for path in html.glob("*.html")}
    return {name: BeautifulSoup(text, "html.parser") for name, text in pages.items()}, run.stderr.splitlines()


def lines(page):
    """The lines under which code is folded, and the blocks of code under each."""
    return {
        fold.select_one("p.collapsed").get_text(): [block.get_text().strip() for block in fold.select("pre")]
        for fold in page.select("details.hide")
    }


def test_tagged_cells_stand_under_the_line_of_the_next_in_their_order(written):
    pages, _ = written
    three = {"Line of three": ['"one"', '"two"', '"three"']}
    assert lines(pages["input"]) == three | {"Line of four": ['"four"']}
    assert len(pages["input"].select("div.cell")) == 2
    assert lines(pages["all"]) == three
    assert len(pages["all"].select("div.cell")) == 1


def test_each_cell_keeps_its_address_at_the_line(written):
    (box,) = written[0]["glued"].select("div.cell")
    assert box["id"] == "cell-two"
    assert box.find(id="cell-one").parent is box


def test_what_the_next_cell_shows_stays_below(written):
    page = written[0]["shown"]
    assert lines(page) == {"Line of two": ['"one"', '"two"']}
    (shown,) = page.select("div.cell > div.cell_output")
    assert shown.get_text().strip() == "shown"


def test_a_glued_number_shows_nothing(written):
    assert lines(written[0]["glued"]) == {"Line of two": ['"one"', '"two"']}


def test_code_before_checks_stands_behind_their_line(written):
    assert lines(written[0]["checked"]) == {"1 check passed": ['"one"', '"two"']}


def test_only_what_cannot_be_folded_is_warned_of(written):
    pages = [name for line in written[1] for name in RIGHT | WRONG if f"{name}.ipynb" in line]
    assert sorted(pages) == sorted(WRONG)
    assert len(written[1]) == len(WRONG)


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_folded_stays(written, name):
    (warning,) = [line for line in written[1] if f"{name}.ipynb" in line]
    assert f"cell one is tagged {TAG}, but " in warning and WRONG[name][1] in warning
    assert len(written[0][name].select("div.cell")) == 2
