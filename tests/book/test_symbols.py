"""The meaning of a letter is shown where it stands, and it is the one that the notation page has."""

import importlib
import re
from itertools import product

import pytest
from bs4 import BeautifulSoup

from mjq_book.chapters import CHAPTERS
from tests.conftest import PHONE, ROOT, beyond_the_edge, csv_rows, visit

HTML = ROOT / "_build/html"
ROWS = csv_rows(ROOT / "book/letters.csv")


@pytest.fixture
def symbols(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "book/_ext")
    return importlib.import_module("symbols")


def test_each_letter_of_a_chapter_has_one_meaning():
    letters = [(row["chapter"], row["letter"]) for row in ROWS]
    assert len(set(letters)) == len(letters)
    assert {row["chapter"] for row in ROWS} == {chapter.name for chapter in CHAPTERS}


def test_an_index_may_be_another_one_of_its_kind_and_nothing_else(symbols):
    need = symbols.meanings_in(r"b_\ell", "processing_capacity")
    assert need and symbols.meanings_in("b_3", "processing_capacity") == need
    assert need == symbols.meanings_in(" b_k ", "processing_capacity")
    assert symbols.meanings_in("b", "processing_capacity") == []
    assert symbols.meanings_in("n_3", "stability") == []  # there are two classes, and a letter for each
    assert symbols.meanings_in("n_1", "stability") != symbols.meanings_in("n_2", "stability")


def test_letters_are_marked_and_nothing_else_changes(symbols):
    """Whatever the formula: without the classes it is what it was, and no letter is marked within another one."""
    formulas = [r"\sum_\ell p_\ell b_\ell / B", r"\tilde u < n", r"\sqrt{p(n) + u(n)^n}"]
    formulas.append(r"\begin{aligned} u(n) &= \tilde u \\ &> \lambda \end{aligned}")
    for tex, display in product(formulas, (False, True)):
        formula = symbols.marked(tex, "processing_capacity", display)
        assert 'class="y' in formula
        assert re.sub(r' class="y\d+"', "", formula) == symbols.translated(tex, display)
        assert not BeautifulSoup(formula, "html.parser").select("[class] [class]")
    assert symbols.meanings_in("x_n", "processing_capacity") == []  # an index, and a letter with another one


def test_each_letter_of_the_list_is_used_in_its_chapter_or_its_companion(symbols):
    """Else the list says what nobody needs, or the chapter has another letter now."""
    unused = []
    for chapter in CHAPTERS:
        text = "".join((ROOT / f"notebooks/{name}.ipynb").read_text(encoding="utf-8") for name in chapter.notebooks)
        for row in (row for row in ROWS if row["chapter"] == chapter.name):
            letter, index = (
                row["letter"].replace("\\", "\\\\"),
                re.fullmatch(r"(\\?[A-Za-z]+)_(?:\\ell|\w)", row["letter"]),
            )
            if letter not in text and not (index and index[1].replace("\\", "\\\\") + "_" in text):
                unused.append((row["chapter"], row["letter"]))
    assert unused == []


def test_a_meaning_is_seen_under_the_pointer_and_on_a_telephone_when_it_is_tapped(browser, symbols):
    path = HTML / "notebooks/stability.html"
    if not path.exists():
        pytest.skip("the book is not built: make book")
    shown, left = (f"x => getComputedStyle(x.closest('.symbol'), '::after').{key}" for key in ("content", "left"))
    for width in (None, PHONE):
        page, trouble = visit(browser, path) if width is None else visit(browser, path, width)
        letters = page.locator("p .symbol:visible [class^=y]")
        inside = page.locator("p .symbol:visible :is(msub, mi) + mo + [class^=y]")
        displayed = page.locator("div.math.symbol:visible [class^=y]")
        for letter in (letters.first, inside.first, displayed.first):
            assert letter.evaluate(shown) == "none"
            letter.hover()
            meaning = symbols.letters("stability").meanings[letter.get_attribute("class")]
            assert letter.evaluate(shown) == f'"{meaning}"'
            assert width is None or letter.evaluate(left) == "12px"  # at the foot of the window
            page.mouse.move(0, 0)
        alone = page.locator("p .symbol:visible:has(> math > [class^=y]:only-child)").first
        alone.evaluate("x => x.focus()")
        assert alone.evaluate(shown) != "none"
        assert beyond_the_edge(page) == 0 and trouble == []
        page.context.close()
