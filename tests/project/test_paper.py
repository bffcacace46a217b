"""The short paper: its length, its citations, and each number in it, which is computed here or told by a page."""

import importlib.util
import re
from collections import Counter

import pytest
import yaml
from pybtex.database import parse_file

from mjq import published
from mjq.exercises import questions
from mjq.models import CHAPTERS, PAPERS
from tests.conftest import ROOT

TEXT = (ROOT / "paper/paper.md").read_text(encoding="utf-8")
LEDGER = (ROOT / "book/ledger.md").read_text(encoding="utf-8")
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


def numbers(monkeypatch):
    """Words of the paper with numbers that are counted."""
    monkeypatch.syspath_prepend(ROOT / "book/_ext")
    compared = importlib.import_module("mjqbook").compared_numbers()
    papers = compared.pop("the papers")
    foreign = sum(compared.values(), Counter())
    everywhere = sum(len(published.ledger(paper)) for paper in published.LEDGERS)
    results = Counter(row["result"] for paper in published.PAPERS for row in published.ledger(paper))
    asked = sum(len(questions.of(one.name)) for one in CHAPTERS)
    programs = {6: "six"}[len(compared)]
    return [
        f"a ledger with {everywhere} rows",
        f"The five papers have {results.total()} of them, of which {results['reproduced']} are reproduced",
        f"{results['holds in part']} hold in part, and {results['does not hold']} do not hold",
        f"{foreign.total()} expected values were taken from the tests of {programs} other programs",
        f"{foreign['agrees']} agree with ours, {foreign['they err']} are errors of the other program, "
        f"and {foreign['we differ']} follow another rule",
        f"Of {papers.total()} printed numbers that could have differed from ours, {papers['they err']} do",
        f"from {asked} questions",
    ]


def test_each_number_is_counted_or_told_by_a_page(monkeypatch):
    text = re.sub(r"\[@[^\]]*\]|\$[^$]*\$", "", TEXT.split("---", 2)[2])
    for words in numbers(monkeypatch):
        assert words in text, words
        text = text.replace(words, "")
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
    assert {key for key in mine if key not in books} == {"Ciw", "Storm"}
    for key in set(mine) & set(books):
        assert mine[key] == books[key], key


def test_the_header_is_yaml_with_what_a_journal_asks_for():
    header = yaml.safe_load(TEXT.split("---")[1])
    assert {"title", "tags", "authors", "affiliations", "bibliography"} <= set(header)
