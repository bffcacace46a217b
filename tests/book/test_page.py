"""A run as one page for reading offline, in a real browser."""

import re

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from mjq_book.cli import chapters as chapter_commands
from mjq_book.runs import changes
from tests.conftest import DESK, PHONE, ROOT, beyond_the_edge, visit

CHANGED = "k"  # a parameter that the run has otherwise


def run_of(chapter):
    """The chapter as a run with another parameter may leave it: all tables that depend on it have another number."""
    parameters = next(k for k, cell in enumerate(chapter.cells) if "parameters" in cell.metadata.get("tags", []))
    moved = {item.cell for item in changes.moves(chapter)[CHANGED] if item.kind == "table"}
    for cell in chapter.cells:
        if cell.metadata.get("name") in moved:
            for output in cell.outputs:
                output.data["text/markdown"] = re.sub(r"\d\.\d", "7.77", output.data.get("text/markdown", ""), count=1)
    chapter.cells.insert(parameters + 1, new_code_cell(f"{CHANGED} = 8", metadata={"tags": ["injected-parameters"]}))
    return chapter, moved


@pytest.fixture(scope="session")
def alone(tmp_path_factory):
    """The page of a run, in a folder where nothing else is."""
    folder = tmp_path_factory.mktemp("page")
    target = folder / "near_saturation.html"
    chapter, _ = run_of(nbformat.read(ROOT / "notebooks/near_saturation.ipynb", as_version=4))
    chapter_commands.write_page(chapter, "near_saturation", target)
    assert [path.name for path in folder.iterdir()] == ["near_saturation.html"]
    return target


def test_a_page_begins_with_what_is_not_as_in_the_book(alone):
    _, moved = run_of(nbformat.read(ROOT / "notebooks/near_saturation.ipynb", as_version=4))
    soup = BeautifulSoup(alone.read_text(encoding="utf-8"), "html.parser")
    box = soup.select_one("h1 ~ .admonition")
    assert f"{CHANGED} = 8 (in the book 4); all others are the book’s" in box.get_text()
    assert {link["href"].removeprefix("#cell-") for link in box.select("td a")} == moved != set()
    assert len(soup.select(".run-change")) == len(moved)


@pytest.mark.parametrize(("width", "scheme"), [(DESK, "light"), (PHONE, "dark")])
def test_a_page_needs_nothing_else(alone, browser, width, scheme):
    shown, trouble = visit(browser, alone, width, scheme)
    requests = []
    shown.on("request", lambda request: requests.append(request.url))
    shown.reload()
    assert not trouble
    assert [url for url in requests if not url.startswith("data:")] == [alone.as_uri()]
    assert shown.locator("math").count() > 100
    assert shown.evaluate("document.fonts.ready.then(() => document.fonts.check('16px Formulas'))")
    assert shown.evaluate("document.documentElement.dataset.theme") == scheme
    assert beyond_the_edge(shown) <= 1
    assert shown.evaluate("[...document.querySelectorAll('main img')].every(i => i.naturalWidth && i.alt.trim())")
    leads = shown.evaluate("[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href'))")
    assert all(address.startswith(("#", "http")) for address in leads)
    assert all(shown.locator(address).count() for address in leads if address.startswith("#"))
    shown.context.close()


def test_a_notebook_of_ones_own_becomes_a_page_too(small, tmp_path):
    chapter_commands.write_page(nbformat.read(small, as_version=4), "small", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "A small chapter" in text and "A page of the book" not in text


def test_pages_are_refused_before_anything_runs_where_they_cannot_be_made(monkeypatch):
    monkeypatch.setattr(chapter_commands, "PAGE_NEEDS", ("a_package_that_is_not_there",))
    with pytest.raises(RuntimeError, match="installed with its extra 'book'"):
        chapter_commands.require_page()


def test_a_page_that_cannot_be_made_says_why(tmp_path):
    odd = new_notebook(cells=[new_markdown_cell("# Odd"), new_markdown_cell("{odd}`words`")])
    with pytest.raises(RuntimeError, match=r"(?s)the page was not built: .*no notebook can show the role 'odd'"):
        chapter_commands.write_page(odd, "near_saturation", tmp_path / "page.html")
    assert not list(tmp_path.iterdir())
