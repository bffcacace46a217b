"""The numbers of the short paper that are counted: words with a place for each number, and the numbers.

`make sync-metadata` writes them into `paper/paper.md`, and a test says when this is due.
"""

import re
import sys
from collections import Counter
from pathlib import Path

from mjq_book import published
from mjq_book.chapters import CHAPTERS, PAPERS
from mjq_book.exercises import questions

sys.path.append(str(Path(__file__).resolve().parent / "_ext"))
WORDS = dict(enumerate("no one two three four five six seven eight nine ten eleven twelve".split()))


def counted():
    """Pairs of words, with `{}` for each number, and the numbers."""
    from csv_tables import compared_numbers

    compared = compared_numbers()
    papers = compared.pop("the papers")
    foreign = sum(compared.values(), Counter())
    rows = sum(len(published.ledger(paper)) for paper in published.LEDGERS)
    results = Counter(row["result"] for paper in PAPERS for row in published.ledger(paper.key))
    return [
        ("It takes {} papers on queueing models", [WORDS[len(PAPERS)]]),
        ("{} further chapters go beyond the papers", [WORDS[len(CHAPTERS) - len(PAPERS)].capitalize()]),
        ("a ledger with {} rows", [rows]),
        (
            "The {} papers have {} of them, of which {} are",
            [WORDS[len(PAPERS)], results.total(), results["reproduced"]],
        ),
        ("{} hold in part, and {} do not hold", [results["holds in part"], results["does not hold"]]),
        ("So {} expected values were taken from the tests of {} other", [foreign.total(), WORDS[len(compared)]]),
        ("Of these, {} agree with ours, {} are errors", [foreign["agrees"], foreign["they err"]]),
        ("and {} follow another rule", [foreign["we differ"]]),
        ("Of {} printed numbers that could have differed from ours, {} do", [papers.total(), papers["they err"]]),
        ("from {} questions", [sum(len(questions.of(chapter.name)) for chapter in CHAPTERS)]),
    ]


def written(text):
    """The paper with its counted numbers written anew."""
    for words, numbers in counted():
        pattern = re.escape(words).replace(r"\{\}", r"\w+")
        text, places = re.subn(pattern, words.format(*numbers), text)
        if places != 1:
            raise ValueError(f"{places} places, not one, of the paper are {words!r}")
    return text
