"""Every published item has a row, and every row names claims and tests that hold it."""

import ast
import csv
import re
from functools import cache

import pytest

from mjq_book import published
from mjq_book.runs import solutions
from tests.conftest import ROOT

RESULTS = {
    "redrawn", "reproduced", "reproduced with an erratum", "holds with our parameters", "derived anew",
    "checked on examples", "holds in part", "does not hold", "done",
}  # fmt: skip
LIMITED = {"holds in part", "does not hold", "checked on examples"}  # a note must say where
NUMBERED = {
    "BB22": {"Fig 1", "Fig 2", "Fig 3", "Table I"} | {f"Eq ({k})" for k in range(1, 9)},
    "GHS20": {f"Fig {k}" for k in range(1, 9)}
    | {f"Eq ({k})" for k in range(1, 15)}
    | {"Theorem 4.1", "Theorem 4.2", "Theorem 4.3", "Theorem 8.1", "Theorem 8.2"}
    | {"Lemma 5.1", "Lemma 5.2", "Lemma 7.1", "Claim 1", "insight 1", "insight 2", "insight 3"},
    "SW23": {f"Fig {k}" for k in range(1, 12)} | {"Table 1", "Table 2"} | {f"Eq ({k})" for k in range(1, 10)},
    "CGPS16": {f"Fig {k}" for k in range(1, 12)} | {f"Eq ({k})" for k in range(1, 22)} | {"Algorithm 1"},
    "NS": {f"Eq ({letter})" for letter in "abcdefghi"},
    "SR": {f"Eq ({letter})" for letter in "abcdefghi"},
    "MH": {f"Eq ({letter})" for letter in "abcdefghi"},
    "SCHED": {f"Eq ({letter})" for letter in "abcde"}
    | {"fcfs", "backfill", "least-servers-first", "most-servers-first", "msfq", "server-filling"},
    "YC": {f"Eq ({letter})" for letter in "abcde"},
    "WLR": {f"Eq ({letter})" for letter in "abcdefghij"},
    "RBAC21": {"Theorem 1", "Theorem 2", "Theorem 3"} | {f"Eq ({k})" for k in range(1, 12)},
}
ROWS = [(paper, row) for paper in published.LEDGERS for row in published.ledger(paper)]


def test_numbered_things_have_one_row_each():
    for paper in published.LEDGERS:
        items = [row["item"] for row in published.ledger(paper)]
        assert len(set(items)) == len(items), paper
        assert set(items) >= NUMBERED[paper]


def test_results_are_words_of_the_legend_and_limits_are_told():
    legend = set(re.findall(r"\*\*([\w ]+)\*\*", (ROOT / "book/ledger.md").read_text(encoding="utf-8")))
    for paper, row in ROWS:
        assert row["result"] in RESULTS & legend, (paper, row["item"])
        assert row["note"] or row["result"] not in LIMITED, (paper, row["item"])


def test_what_is_numbered_says_how_it_is_derived():
    for paper, row in ROWS:
        if paper not in published.PAPERS or row["kind"] not in published.KINDS_TO_DERIVE:
            assert not row.get("derived"), row["item"]
    for paper in published.PAPERS:
        for row in published.derived(paper):
            way, _, reason = row["derived"].partition(", because ")
            assert way in published.WAYS_OF_DERIVING, (paper, row["item"], row["derived"])
            assert bool(reason) == (way == "by numbers"), (paper, row["item"], row["derived"])


def test_what_is_derived_with_letters_is_checked_in_a_notebook_that_has_some():
    for paper in published.PAPERS:
        for row in published.derived(paper):
            if not row["derived"].startswith("by numbers"):
                notebooks = [file for file, _ in published.checks(row) if file.endswith(".ipynb")]
                lettered = [any("sp.symbols" in x or "sp.Symbol" in x for x in code(f).values()) for f in notebooks]
                assert any(lettered), f"{paper} {row['item']}: no check in a notebook with letters"


@cache
def code(file):
    """The code of a notebook's cells by their names, or of a Python file's functions by theirs."""
    if file.endswith(".ipynb"):
        return {c.metadata.get("name"): c.source for c in solutions.read(ROOT / file).cells}
    text = (ROOT / file).read_text(encoding="utf-8")
    return {n.name: ast.unparse(n) for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)}


def claims(cells):
    """Names of claims that a notebook makes once, about something that is computed."""
    nodes = [node for source in cells for node in ast.walk(ast.parse(source))]
    bound = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    asserted = {n.test.id for n in nodes if isinstance(n, ast.Assert) and isinstance(n.test, ast.Name)}
    computed = {
        n.targets[0].id
        for n in nodes
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name) and is_computed(n.value)
    }
    held = [
        claim
        for n in nodes
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "holds"
        for claim in n.keywords
    ]
    names = [claim.arg for claim in held]
    once = {c.arg for c in held if names.count(c.arg) == 1 and (is_computed(c.value) or isinstance(c.value, ast.Name))}
    return once | {name for name in asserted & computed if bound.count(name) == 1}


def is_computed(value):
    """Whether something is called or compared to get a value."""
    return any(isinstance(part, (ast.Call, ast.Compare)) for part in ast.walk(value))


@cache
def claims_of(file):
    return claims([c.source for c in solutions.read(ROOT / file).cells if c.cell_type == "code"])


@cache
def shared_checks():
    """The names of functions with assertions in modules that several files of tests share."""
    files = [path for path in (ROOT / "tests").glob("*/*.py") if not path.name.startswith("test_")]
    return {name for path in files for name, source in code(str(path)).items() if checks_something(source, ())}


def checks_something(source, others):
    """Whether the code of a test asserts something, expects an error, or calls one of the others, which do."""
    nodes = list(ast.walk(ast.parse(source)))
    called = {getattr(n.func, "attr", getattr(n.func, "id", "")) for n in nodes if isinstance(n, ast.Call)}
    return any(isinstance(n, ast.Assert) for n in nodes) or bool(called & {"raises", *others})


@pytest.mark.parametrize("paper", published.LEDGERS)
def test_each_row_names_what_holds_it(paper):
    checks = [(row["result"], *check) for row in published.ledger(paper) for check in published.checks(row)]
    for result, file, name in checks:
        if file.endswith(".csv"):  # printed numbers that the chapter compares with ours
            with open(ROOT / file, encoding="utf-8", newline="") as rows:
                kinds = {x["kind"] for x in csv.DictReader(rows) if x["item"] == name}
            assert kinds & set(published.CAN_FAIL), f"{file} has no number of {name} that could disagree"
        elif file.endswith(".ipynb") and result == "redrawn":
            assert name in code(file), f"{name} is no cell of {file}"
        elif file.endswith(".ipynb"):
            assert name in claims_of(file), f"{name} is no claim of {file}"
        else:
            assert checks_something(code(file)[name], shared_checks()), f"{name} checks nothing"


def test_what_counts_as_a_claim():
    cells = [
        "holds = all(x > 0 for x in found)\nassert holds",
        "if papers:\n    small = gap < 1e-9\n    assert small, 'why'",
        "typed_in = True\nassert typed_in",
        "twice = x > 0\nassert twice\ntwice = x > 1",
        "(looped,) = found\nassert looped",
        "said = x > 0",
        "assert x > 0",
        "either = x > 0\nassert either or y",
        "holds(\n    claimed=all(x > 0 for x in found),\n    bound_before=small,\n    constant=True,\n)",
        "holds(claimed_twice=x > 0)\nholds(claimed_twice=x > 1)",
    ]
    assert claims(cells) == {"holds", "small", "claimed", "bound_before"}


def test_each_row_points_at_a_place_in_the_book():
    paths = [*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("book/*.md")]
    mark = re.compile(r'^\(([\w:-]+)\)=|<div id=\\"([^"]+)\\"', re.M)
    marks = (mark.findall(path.read_text(encoding="utf-8")) for path in paths)
    places = {name for found in marks for pair in found for name in pair}
    for _, row in ROWS:
        (label,) = re.findall(r"\{eq\}`([^`<]+)`|\{(?:ref|numref)\}`[^<]+<([^>]+)>`", row["where"])
        assert (label[0] or label[1]) in places, row["where"]


def test_errata_are_explained_under_their_paper():
    page = (ROOT / "book/ledger.md").read_text(encoding="utf-8").split("## Errata")[1]
    for paper, row in ROWS:
        if row["result"] in {"reproduced with an erratum", "does not hold"}:
            (section,) = [x for x in re.split(r"^### ", page, flags=re.M) if x.startswith(paper)]
            assert row["item"].replace("Eq ", "Eq. ").replace("Fig ", "Fig. ") in section
