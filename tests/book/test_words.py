"""One word for one quantity: pages and chapters use the words that the notation page lists."""

import json
import re

import nbformat
import pytest

from tests.conftest import ROOT

REPLACED = {  # by the words of the notation page
    "sojourn": "time in the system",
    "response time": "time in the system",
    "time in the line": "wait",
}
OF_THE_WORDS = {"notation", "glossary"}  # pages that say which words are replaced
PAGES = [path for path in sorted((ROOT / "book").glob("*.md")) if path.stem not in OF_THE_WORDS]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
NOT_PROSE = re.compile(
    r"^```\{?(?:eval-rst|code|console|python)\b.*?^```$"  # code and lists of functions
    r"|`[^`]*`"  # names in code, and of numbers
    r"|^:(?:answer|tolerance|label): .*?$",  # what a self-check computes
    re.M | re.S,
)


def prose(path):
    """The sentences of a page or a notebook, those of its captions too."""
    if path.suffix == ".md":
        return NOT_PROSE.sub("", path.read_text(encoding="utf-8"))
    cells = nbformat.read(path, as_version=4).cells
    texts = [cell.source for cell in cells if cell.cell_type == "markdown"]
    captions = [json.dumps(cell.metadata.get("mystnb", {}), ensure_ascii=False) for cell in cells]
    return NOT_PROSE.sub("", "\n\n".join(texts + captions))


@pytest.mark.parametrize("path", [*PAGES, *NOTEBOOKS], ids=lambda path: path.stem)
def test_a_replaced_word_is_named_once_at_most(path):
    """Once it may stand beside the word that replaces it: other names are in the papers."""
    text = re.sub(r"\s+", " ", prose(path).lower())
    for word, ours in REPLACED.items():
        places = [text[max(0, x.start() - 90) : x.end() + 90] for x in re.finditer(word, text)]
        assert len(places) <= 1, (word, ours, places)
        assert all(ours in place for place in places), (word, ours, places)


@pytest.mark.parametrize("path", [*PAGES, *NOTEBOOKS], ids=lambda path: path.stem)
def test_no_page_speaks_of_a_button_that_only_some_books_have(path):
    """Pages have the button that opens a chapter online, a rocket, only where the repository can be reached."""
    assert not re.search(r"\b(rocket|binder)\b", prose(path).lower())


def test_the_notation_page_lists_the_words():
    table = (ROOT / "book/notation.md").read_text(encoding="utf-8").split("## Words of this book")[1].split("##")[0]
    for word, ours in REPLACED.items():
        if word != "time in the line":
            (row,) = [line for line in table.splitlines() if line.startswith(f"| {ours},")]
            assert word in row
