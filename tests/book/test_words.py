"""One word for one quantity: pages and chapters use the words that the notation page lists."""

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


def text_of(path):
    """A page, or the text cells of a notebook."""
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8")
    cells = nbformat.read(path, as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


@pytest.mark.parametrize("path", [*PAGES, *NOTEBOOKS], ids=lambda path: path.stem)
def test_a_replaced_word_is_named_once_at_most(path):
    """Once it may stand beside the word that replaces it: other names are in the papers."""
    text = re.sub(r"\s+", " ", NOT_PROSE.sub("", text_of(path)).lower())
    for word, ours in REPLACED.items():
        places = [text[max(0, x.start() - 90) : x.end() + 90] for x in re.finditer(word, text)]
        assert len(places) <= 1, (word, ours, places)
        assert all(ours in place for place in places), (word, ours, places)
