"""The short paper: its length, its citations, and each number in it, which is computed here or told by a page."""

import importlib
import importlib.util
import re

import pytest
import yaml
from pybtex.database import parse_file

from mjq_book import published
from mjq_book.chapters import PAPERS
from tests.conftest import ROOT

TEXT = (ROOT / "paper/paper.md").read_text(encoding="utf-8")
LATE = "206, 323 and 107 %"
PAGES = {  # words of the paper with numbers that a page tells, and the words of the page
    f"{LATE} of the servers": ("ledger", f"{LATE} of their servers"),
    "intervals called 95 % held in as few as 22 of 100 drawn logs": (
        "ledger",
        '"95 %" intervals .* in 22 to 88 of 100',
    ),
    "a course of four weeks with ten sessions": ("course", "# A course of four weeks\n(.*\n)*There are ten sessions"),
    "BSD 3-Clause": ("../LICENSE", "BSD 3-Clause License"),
    "CC BY 4.0": ("../LICENSE", "CC BY 4.0"),
}


@pytest.fixture(scope="module")
def build():
    """The script that builds the paper."""
    spec = importlib.util.spec_from_file_location("paper_build", ROOT / "paper/build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_number_is_counted_or_told_by_a_page(monkeypatch):
    """That the counted ones are right is seen with the other files that repeat something, in `test_metadata.py`."""
    monkeypatch.syspath_prepend(ROOT / "book")
    text = re.sub(r"\[@[^\]]*\]|\$[^$]*\$", "", TEXT.split("---", 2)[2])
    for words, numbers in importlib.import_module("paper_numbers").counted():
        assert words.format(*numbers) in text, "make sync-metadata"
        text = text.replace(words.format(*numbers), "")
    for words, (page, told) in PAGES.items():
        name = f"book/{page}.md" if "/" not in page else page.removeprefix("../")
        assert words in text, words
        assert re.search(told, (ROOT / name).read_text(encoding="utf-8")), words
        text = text.replace(words, "")
    assert re.findall(r".*\d.*", text) == []


def test_all_misprints_stand_in_one_table():
    places = {
        (paper.key, row.place.split(",")[0])
        for paper in PAPERS
        for row in published.printed(paper.key.lower())
        if row.kind == "misprint"
    }
    assert places == {("BB22", "Table I")}


def test_it_is_about_a_thousand_words_and_each_citation_leads_somewhere(build):
    assert build.FEWEST <= build.words(TEXT) <= build.MOST
    assert build.cited(TEXT) == build.known((ROOT / "paper/paper.bib").read_text(encoding="utf-8"))


def test_words_are_counted_without_header_and_citations(build):
    assert build.words("---\na: b\n---\n\n# A title\n\nTwo words [@One; @Two], and $x$.\n\n# References\n") == 6


def test_references_are_those_of_the_book():
    mine, books = (parse_file(ROOT / name).entries for name in ("paper/paper.bib", "book/references.bib"))
    for key in mine:
        assert mine[key] == books[key], key


def test_the_header_is_yaml_with_what_a_journal_asks_for():
    header = yaml.safe_load(TEXT.split("---")[1])
    assert {"title", "tags", "authors", "affiliations", "bibliography"} <= set(header)
