"""Several folded cells under one line, on a page small enough to see all of it."""

import io
import sys

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "book/_ext"))
import cells

HIDE = "hide-input"


def cell(name, *tags, prints=""):
    """A cell whose code is its name."""
    outputs = [new_output("stream", text=prints)] if prints else []
    metadata = {"name": name, "tags": list(tags), "mystnb": {"code_prompt_show": f"Line of {name}"}}
    return new_code_cell(f'"{name}"', metadata=metadata, outputs=outputs, execution_count=1)


@pytest.fixture
def written(tmp_path):
    """The page that Sphinx makes of some cells, and its warnings."""

    def write(*pieces):
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        notebook = new_notebook(cells=[new_markdown_cell("# Page"), *pieces], metadata={"kernelspec": kernel})
        (tmp_path / "site").mkdir()
        nbformat.write(notebook, tmp_path / "site/page.ipynb")
        settings = {"extensions": ["myst_nb", "cells"], "nb_execution_mode": "off", "root_doc": "page"}
        folders, warnings = (tmp_path / "html", tmp_path / "trees"), io.StringIO()
        with docutils_namespace():  # the next page registers the same nodes
            Sphinx(tmp_path / "site", None, *folders, "html", settings, status=None, warning=warnings).build()
        text = (tmp_path / "html/page.html").read_text(encoding="utf-8")
        return BeautifulSoup(text, "html.parser"), warnings.getvalue()

    return write


def lines(page):
    """The lines under which code is folded, and the blocks of code under each."""
    return {
        fold.select_one("p.collapsed").get_text(): [block.get_text().strip() for block in fold.select("pre")]
        for fold in page.select("details.hide")
    }


@pytest.mark.parametrize("hide", [HIDE, "hide-cell"])
def test_tagged_cells_stand_under_the_line_of_the_next_in_their_order(written, hide):
    page, warnings = written(
        cell("one", hide, cells.TAG), cell("two", cells.TAG, hide), cell("three", hide), cell("four", hide)
    )
    assert lines(page) == {"Line of three": ['"one"', '"two"', '"three"'], "Line of four": ['"four"']}
    assert len(page.select("div.cell")) == 2
    assert not warnings


def test_each_cell_keeps_its_address_at_the_line(written):
    page, _ = written(cell("one", HIDE, cells.TAG), cell("two", HIDE))
    (box,) = page.select("div.cell")
    assert box["id"] == "cell-two"
    assert page.find(id="cell-one").parent is box
    assert not page.find(id="cell-one").find_parent("details")


def test_what_the_next_cell_shows_stays_below(written):
    page, warnings = written(cell("one", HIDE, cells.TAG), cell("two", HIDE, prints="shown"))
    assert lines(page) == {"Line of two": ['"one"', '"two"']}
    (shown,) = page.select("div.cell > div.cell_output")
    assert shown.get_text().strip() == "shown"
    assert not warnings


def test_a_glued_number_shows_nothing(written):
    glued = cell("one", HIDE, cells.TAG)
    kind = "application/papermill.record/"
    about = {"scrapbook": {"name": "a-number", "mime_prefix": kind}}
    glued.outputs = [new_output("display_data", data={f"{kind}text/plain": "42"}, metadata=about)]
    page, warnings = written(glued, cell("two", HIDE))
    assert lines(page) == {"Line of two": ['"one"', '"two"']}
    assert not warnings


@pytest.mark.parametrize(
    ("pieces", "why"),
    [
        ([cell("one", HIDE, cells.TAG, prints="1"), cell("two", HIDE)], "shows something"),
        ([cell("one", cells.TAG), cell("two", HIDE)], "is not folded"),
        ([cell("one", HIDE, cells.TAG), new_markdown_cell("Words."), cell("two", HIDE)], "follows directly"),
        ([cell("one", HIDE, cells.TAG), cell("two", "hide-cell")], "follows directly"),
        ([cell("one", HIDE, cells.TAG), cell("two")], "follows directly"),
        ([cell("two"), cell("one", HIDE, cells.TAG)], "follows directly"),
    ],
)
def test_what_cannot_be_folded_is_a_warning_and_stays(written, pieces, why):
    page, warnings = written(*pieces)
    assert "page.ipynb" in warnings
    assert f"cell one is tagged {cells.TAG}, but" in warnings and why in warnings
    assert len(page.select("div.cell")) == 2
