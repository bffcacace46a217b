"""The meaning of a letter is shown where it stands, and it is the one that the notation page has."""

import csv
import importlib
import re

import pytest
from bs4 import BeautifulSoup

from mjq_book.chapters import CHAPTERS
from tests.conftest import PHONE, ROOT, beyond_the_edge, visit

HTML = ROOT / "_build/html"
with (ROOT / "book/letters.csv").open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file))


@pytest.fixture
def symbols(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "book/_ext")
    return importlib.import_module("symbols")


@pytest.fixture(scope="module")
def pages():
    if not HTML.exists():
        pytest.skip("the book is not built: make book")
    texts = {x.name: (HTML / f"notebooks/{x.name}.html").read_text(encoding="utf-8") for x in CHAPTERS}
    return {name: BeautifulSoup(text, "lxml").article for name, text in texts.items()}


def test_each_letter_of_a_chapter_has_one_meaning():
    letters = [(row["chapter"], row["letter"]) for row in ROWS]
    assert len(set(letters)) == len(letters)
    assert {row["chapter"] for row in ROWS} == {chapter.name for chapter in CHAPTERS}


def test_an_index_may_be_another_one_of_its_kind_and_nothing_else(symbols):
    need = symbols.meaning_of(r"b_\ell", "processing_capacity")
    assert (
        symbols.meaning_of("b_3", "processing_capacity") == need == symbols.meaning_of(" b_k ", "processing_capacity")
    )
    assert symbols.meaning_of("b", "processing_capacity") is None
    assert symbols.meaning_of("n_3", "stability") is None  # there are two classes, and a letter for each
    assert symbols.meaning_of("n_1", "stability") != symbols.meaning_of("n_2", "stability")


def test_letters_in_sentences_show_their_meaning_but_not_in_headings_and_links(pages):
    for name, article in pages.items():
        shown = article.select(".symbol")
        assert {x["data-meaning"] for x in shown} and not article.select(
            "h1 .symbol, h2 .symbol, h3 .symbol, a .symbol"
        ), name
        assert all(len(x.select("math")) == 1 and x["tabindex"] == "-1" for x in shown), name


def test_each_letter_of_the_list_is_used_in_its_chapter_or_its_companion(symbols):
    """Else the list says what nobody needs, or the chapter has another letter now."""
    unused = []
    for chapter in CHAPTERS:
        text = "".join((ROOT / f"notebooks/{name}.ipynb").read_text(encoding="utf-8") for name in chapter.notebooks)
        for row in (row for row in ROWS if row["chapter"] == chapter.name):
            stem = row["letter"].replace("\\", "\\\\")
            index = symbols.INDEX.fullmatch(row["letter"])
            if stem not in text and not (index and re.search(re.escape(index[1].replace("\\", "\\\\")) + "_", text)):
                unused.append((row["chapter"], row["letter"]))
    assert unused == []


def test_a_meaning_is_seen_under_the_pointer_and_on_a_telephone_when_it_is_tapped(browser):
    path = HTML / "notebooks/stability.html"
    if not path.exists():
        pytest.skip("the book is not built: make book")
    shown = "x => getComputedStyle(x, '::after').content"
    for width in (None, PHONE):
        page, trouble = visit(browser, path) if width is None else visit(browser, path, width)
        letter = page.locator("p > .symbol:visible").first
        assert letter.evaluate(shown) == "none"
        if width is None:
            letter.hover()
        else:
            letter.evaluate("x => x.focus()")
        assert letter.evaluate(shown) == f'"{letter.get_attribute("data-meaning")}"'
        assert beyond_the_edge(page) == 0 and trouble == []
        page.context.close()
