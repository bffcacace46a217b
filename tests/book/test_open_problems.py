"""The page of open problems: cards of one form, and one at least for what each chapter calls open."""

import re

import nbformat
import pytest

from mjq_book.chapters import CHAPTERS
from tests.conftest import ROOT

TERMS = ["Question", "What is known", "Smallest case", "What would settle it", "Where"]
PAGE = (ROOT / "book/open.md").read_text(encoding="utf-8")
CARDS = dict(re.findall(r"^## (.+?)\n\n:::\{container\} open-problem\n(.+?)\n:::$", PAGE, re.M | re.S))


def test_each_heading_is_a_question_with_a_card():
    assert list(CARDS) == re.findall(r"^## (.+)$", PAGE, re.M)
    assert all(question.endswith("?") for question in CARDS)


@pytest.mark.parametrize("question", CARDS)
def test_a_card_has_all_terms_and_leads_to_its_chapter(question):
    assert re.findall(r"^(\S.*)\n: ", CARDS[question], re.M) == TERMS
    where = CARDS[question].partition("\nWhere\n: ")[2]
    assert set(re.findall(r"\{doc\}`/notebooks/(\w+)`", where)) & {chapter.name for chapter in CHAPTERS}
    assert re.search(r"\{ref\}`[^<`]+ <[\w-]+>`", where)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda one: one.name)
def test_what_a_chapter_calls_open_has_a_card(chapter):
    cells = nbformat.read(ROOT / f"notebooks/{chapter.name}.ipynb", as_version=4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    (line,) = re.findall(r"^\* \*\*What is open:\*\* (.+)$", text, re.M)
    exercises = re.findall(r"\]\(#([\w-]+)\)", line)
    assert exercises and all(f"<{exercise}>`" in PAGE for exercise in exercises)
