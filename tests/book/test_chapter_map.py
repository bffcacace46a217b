"""The picture of how the chapters hang together: it says what the chapters say, and can be read."""

import re
import sys

import nbformat
import pytest

from mjq_book.chapters import CHAPTERS
from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "book/_ext"))
import chapter_map

BUILDS = [(name, chapter.name) for chapter in CHAPTERS for name in chapter.builds_on]


def links_of(name):
    cells = nbformat.read(ROOT / f"notebooks/{name}.ipynb", as_version=4).cells
    return set(re.findall(r"\]\((\w+)\.ipynb", "\n".join(cell.source for cell in cells)))


@pytest.mark.parametrize(("before", "after"), BUILDS)
def test_a_line_joins_chapters_of_which_one_leads_to_the_other(before, after):
    names = [chapter.name for chapter in CHAPTERS]
    assert names.index(before) < names.index(after)
    assert after in links_of(before) or before in links_of(after)


def test_no_line_is_drawn_that_others_imply():
    builds_on = {chapter.name: set(chapter.builds_on) for chapter in CHAPTERS}

    def all_before(name):
        return builds_on[name].union(*map(all_before, builds_on[name]))

    for names in builds_on.values():
        assert not names & set().union(*map(all_before, names))


def test_words_fit_into_their_boxes():
    lines = re.findall(r"<tspan[^>]*>([^<]*)</tspan>", chapter_map.drawn())
    assert max(map(len, lines)) <= chapter_map.LETTERS
    assert all(re.search(rf'href="\.\./notebooks/{chapter.name}\.html"', chapter_map.drawn()) for chapter in CHAPTERS)
