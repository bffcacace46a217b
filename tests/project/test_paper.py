"""The short paper: the numbers in it that are counted, and its citations."""

import importlib
import re
from collections import Counter

from pybtex.database import parse_file

from mjq_book import published
from mjq_book.chapters import CHAPTERS, PAPERS
from mjq_book.exercises import questions
from tests.conftest import ROOT

TEXT = (ROOT / "paper/paper.md").read_text(encoding="utf-8")
WORDS = dict(enumerate("no one two three four five six seven eight nine ten eleven twelve".split()))


def test_each_counted_number_is_right(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "book/_ext")
    compared = importlib.import_module("csv_tables").compared_numbers()
    papers = compared.pop("the papers")
    foreign = sum(compared.values(), Counter())
    rows = sum(len(published.ledger(paper)) for paper in published.LEDGERS)
    results = Counter(row["result"] for paper in PAPERS for row in published.ledger(paper.key))
    for words in (
        f"It takes {WORDS[len(PAPERS)]} papers on queueing models",
        f"{WORDS[len(CHAPTERS) - len(PAPERS)].capitalize()} further chapters go beyond the papers",
        f"a ledger with {rows} rows",
        f"The {WORDS[len(PAPERS)]} papers have {results.total()} of them, of which {results['reproduced']} are",
        f"{results['holds in part']} hold in part, and {results['does not hold']} do not hold",
        f"{foreign.total()} expected values were taken from the tests of {WORDS[len(compared)]} other programs",
        f"{foreign['agrees']} agree with ours, {foreign['they err']} are errors",
        f"{foreign['we differ']} follow another rule",
        f"Of {papers.total()} printed numbers that could have differed from ours, {papers['they err']} do",
        f"from {sum(len(questions.of(chapter.name)) for chapter in CHAPTERS)} questions",
    ):
        assert words in TEXT


def test_references_are_cited_and_those_of_the_book():
    mine, books = (parse_file(ROOT / name).entries for name in ("paper/paper.bib", "book/references.bib"))
    assert set(mine) == set(re.findall(r"@([A-Za-z]\w+)", TEXT.split("---", 2)[2]))
    for key in mine:
        assert mine[key] == books[key], key
