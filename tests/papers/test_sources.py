"""Docstrings name the equations that their code computes, by the words of the ledger: a search finds the code."""

import ast
import re

from mjq_book import published
from tests.conftest import trees

NUMBERED = re.compile(r"\[(\w+)\] ((?:Eq\. \(\w+\))|(?:Theorem|Lemma|Algorithm|Table|Claim) [\dIV.]*[\dIV])")
# Given numbers, results, and steps of an argument that is carried out in the chapter: there is no code to find.
IN_THE_CHAPTER = {
    "BB22": {"Table I"},
    "GHS20": {"Lemma 7.1"},
    "SW23": {"Table 1"},
    "RBAC21": {"Theorem 2"},
    "CGPS16": {"Eq (1)", "Eq (17)"},
    "SR": {"Eq (j)", "one limit"},
    "WLR": {"Eq (g)", "Eq (i)", "Eq (j)"},
}


def sources():
    for tree in trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (text := ast.get_docstring(node)):
                for said in re.findall(r"Source: (.*?)(?:\n\n|\Z)", text, flags=re.S):
                    for paper, item in NUMBERED.findall(" ".join(said.split())):
                        yield paper, item.replace("Eq. ", "Eq ")


KINDS = {"equation", "theorem", "lemma", "algorithm", "table"}


def test_what_is_numbered_is_named_by_the_code_that_computes_it():
    named = set(sources())
    for paper in published.LEDGERS:
        numbered = {row["item"] for row in published.ledger(paper) if row["kind"] in KINDS}
        code = {item for key, item in named if key == paper}
        assert numbered - code == IN_THE_CHAPTER.get(paper, set()), paper
        assert code <= {row["item"] for row in published.ledger(paper)}, paper
