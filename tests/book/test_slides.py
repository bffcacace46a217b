"""Slides of the course: a deck for each session, with figures and numbers of the chapters, from nowhere else."""

import re
import sys

import pytest
import yaml
from bs4 import BeautifulSoup

from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "book"))
import slides

SESSIONS = yaml.safe_load((ROOT / "book/slides.yml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def decks(tmp_path_factory):
    """Each deck by its name."""
    paths = slides.write(ROOT, tmp_path_factory.mktemp("slides") / "slides")
    return {path.stem: BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser") for path in paths}


def test_each_session_of_the_course_has_ten_to_fifteen_slides(decks):
    course = (ROOT / "book/course.md").read_text(encoding="utf-8")
    sessions = [f"session-{k}" for k in re.findall(r"^\| (\d+) \|", course, re.M)]
    assert list(decks) == [*sessions, "option-near-saturation"]
    for name, deck in decks.items():
        assert 10 <= len(deck.select("section")) <= 15, name


@pytest.mark.parametrize("session", SESSIONS, ids=[session["name"] for session in SESSIONS])
def test_a_deck_has_its_figures_and_numbers_and_needs_nothing_else(decks, session):
    deck = decks[session["name"]]
    images = deck.select("img")
    assert len(images) == sum("figure" in slide for slide in session["slides"]) >= 3
    assert all(image["src"].startswith("data:image/svg+xml;base64,") and image["alt"] for image in images)
    assert not deck.select("[href], script[src], link")
    text = deck.main.get_text(" ")
    assert not re.search(r"[{}$`\\]|\bnan\b|\[n\.d\.\]", text), re.search(r".{30}[{}$`\\].{30}", text)
    titles = [heading.get_text() for heading in deck.select("h1, h2")]
    assert len(titles) == len(set(titles)) == len(session["slides"]) + 1


def test_a_slide_that_is_not_understood_is_refused():
    with pytest.raises(ValueError, match="a slide has a title, and points or a figure"):
        slides.deck({"name": "x", "title": "X", "slides": [{"title": "A", "figur": "b"}]}, None, {}, "X")
    with pytest.raises(ValueError, match="slides have no formulas"):
        slides.letters(r"\frac{1}{2}")
