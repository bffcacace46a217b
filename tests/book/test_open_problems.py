"""The page of open problems has a card at least for what each chapter calls open."""

import re

import nbformat
import pytest

from mjq_book.chapters import CHAPTERS
from tests.conftest import ROOT

PAGE = (ROOT / "book/open.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda one: one.name)
def test_what_a_chapter_calls_open_has_a_card(chapter):
    cells = nbformat.read(ROOT / f"notebooks/{chapter.name}.ipynb", as_version=4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    (line,) = re.findall(r"^\* \*\*What is open:\*\* (.+)$", text, re.M)
    exercises = re.findall(r"\]\(#([\w-]+)\)", line)
    assert exercises and all(f"<{exercise}>`" in PAGE for exercise in exercises)
