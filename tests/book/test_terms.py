"""First uses of the glossary's terms, on pages small enough to see all of them."""

import importlib.util

import pytest
from docutils import nodes

from tests.conftest import ROOT

TERMS = {"waste": "term-waste", "wasted servers": "term-waste", "head of the line": "term-head", "drift": "term-drift"}


@pytest.fixture
def terms():
    spec = importlib.util.spec_from_file_location("terms", ROOT / "book/_ext/terms.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def linked(terms, *pieces):
    page = nodes.section("", *pieces)
    done = set()
    for text in list(terms.outside_of_forms(page)):
        if terms.is_prose(text):
            terms.replace_first_uses(text, TERMS, "glossary.html", done)
    return {node.astext(): node["refuri"] for node in page.findall(nodes.reference) if "term" in node["classes"]}, page


def sentence(words):
    return nodes.paragraph("", "", nodes.Text(words))


def test_the_first_use_is_a_link_and_the_words_stay(terms):
    first, second = "Drifts and the head of\nthe line meet.", "The drift again, wasted servers, and waste."
    links, page = linked(terms, sentence(first), sentence(second))
    assert links == {
        "Drifts": "glossary.html#term-drift",
        "head of\nthe line": "glossary.html#term-head",
        "wasted servers": "glossary.html#term-waste",  # the longer of two terms with one definition
    }
    assert [node.astext() for node in page.children] == [first, second]


@pytest.mark.parametrize("words", ["snowdrift", "drift-free", "It wastes servers.", "the head of a line"])
def test_parts_of_other_words_and_verbs_are_no_uses(terms, words):
    assert linked(terms, sentence(words))[0] == {}
