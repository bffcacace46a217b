"""Page one: each of its cards names a claim that its chapter asserts."""

import importlib
import re

from mjq_book.chapters import CHAPTERS
from tests.conftest import ROOT

PAGE = (ROOT / "book/index.md").read_text(encoding="utf-8")
CARDS = re.findall(r"^:::\{answer\} .*? </notebooks/(\w+)>\n(?::.+\n)*:check: (\w+)$", PAGE, re.M)


def test_each_chapter_has_a_card_with_a_check_that_the_chapter_asserts(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "book/_ext")
    cell_of = importlib.import_module("mjqbook").cell_of
    assert [name for name, _ in CARDS] == [chapter.name for chapter in CHAPTERS]
    for name, check in CARDS:
        assert check in cell_of(ROOT / f"notebooks/{name}.ipynb")
