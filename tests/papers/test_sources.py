"""Docstrings name the equations that their code computes, by the words of the ledger: a search finds the code."""

import ast
import re

import pytest

from mjq_book import published
from tests.conftest import MODULES

NUMBERED = re.compile(r"\[(\w+)\] ((?:Eq\. \(\w+\))|(?:Theorem|Lemma|Algorithm|Table|Claim) [\dIV.]*[\dIV])")
# Given numbers, results, and steps of an argument that is carried out in the chapter: there is no code to find.
IN_THE_CHAPTER = {
    "BB22": {"Table I"},
    "GHS20": {"Lemma 7.1"},
    "SW23": {"Table 1"},
    "RBAC21": {"Theorem 2"},
    "CGPS16": {"Eq (1)", "Eq (17)"},
    "WLR": {"Eq (g)", "Eq (i)", "Eq (j)"},
}


def sources():
    """Where a docstring says it: file, paper and numbered thing."""
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (text := ast.get_docstring(node)):
                for said in re.findall(r"Source: (.*?)(?:\n\n|\Z)", text, flags=re.S):
                    for paper, item in NUMBERED.findall(" ".join(said.split())):
                        yield path, paper, item.replace("Eq. ", "Eq ")


NAMED = {(paper, item) for _, paper, item in sources()}
KINDS = {"equation", "theorem", "lemma", "algorithm", "table"}


@pytest.mark.parametrize("paper", published.LEDGERS)
def test_what_is_numbered_is_named_by_the_code_that_computes_it(paper):
    numbered = {row["item"] for row in published.ledger(paper) if row["kind"] in KINDS}
    code = {item for key, item in NAMED if key == paper}
    assert numbered - code == IN_THE_CHAPTER.get(paper, set())
    assert code <= {row["item"] for row in published.ledger(paper)}
