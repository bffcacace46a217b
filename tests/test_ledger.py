"""Every published item has a row, and every row points at something that is there."""

import ast
import re

import nbformat
import pytest

from mjq import published

RESULTS = {
    "redrawn", "reproduced", "reproduced with an erratum", "reproduced with our parameters", "agrees in part", "done",
    "not reproducible",
}  # fmt: skip
NUMBERED = {
    "BB22": {"Fig 1", "Fig 2", "Fig 3", "Table I"} | {f"Eq ({k})" for k in range(1, 9)},
    "GHS20": {f"Fig {k}" for k in range(1, 9)}
    | {f"Eq ({k})" for k in range(1, 15)}
    | {"Theorem 4.1", "Theorem 4.2", "Theorem 4.3", "Theorem 8.1", "Theorem 8.2"}
    | {"Lemma 5.1", "Lemma 5.2", "Lemma 7.1", "Claim 1", "insight 1", "insight 2", "insight 3"},
    "SW23": {f"Fig {k}" for k in range(1, 12)} | {"Table 1", "Table 2"} | {f"Eq ({k})" for k in range(1, 10)},
    "CGPS16": {f"Fig {k}" for k in range(1, 12)} | {f"Eq ({k})" for k in range(1, 22)} | {"Algorithm 1"},
    "RBAC21": {"Theorem 1", "Theorem 2", "Theorem 3"} | {f"Eq ({k})" for k in range(1, 12)},
}
PAPERS = sorted({row["paper"] for row in published.read("inventory")})


def rows():
    return [(item, entry) for paper in PAPERS for item, entry in published.ledger(paper)]


def test_each_item_has_one_row_and_each_row_an_item():
    items = [(row["paper"], row["item"]) for row in published.read("inventory")]
    entries = [(row["paper"], row["item"]) for row in published.read("ledger")]
    assert len(set(items)) == len(items)
    assert sorted(items) == sorted(entries)


def test_the_inventory_has_all_numbered_things():
    for paper in PAPERS:
        assert {row["item"] for row in published.read("inventory") if row["paper"] == paper} >= NUMBERED[paper]


def test_results_are_words_of_the_legend(root):
    legend = (root / "book/ledger.md").read_text(encoding="utf-8")
    for item, entry in rows():
        assert entry["result"] in RESULTS, item
        assert f"**{entry['result']}**" in legend


def asserts(source):
    """Whether code checks something: an assert, or a call that raises where things disagree."""
    nodes = list(ast.walk(ast.parse(source)))
    called = {getattr(n.func, "attr", getattr(n.func, "id", "")) for n in nodes if isinstance(n, ast.Call)}
    return any(isinstance(n, ast.Assert) for n in nodes) or bool(called & {"check", "raises"})


def code_of_check(path, name):
    """The code of a named cell, with the helpers it calls, or of a test."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return {n.name: ast.unparse(n) for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)}.get(name)
    cells = {c.metadata.get("name"): c.source for c in nbformat.reads(text, as_version=4).cells}
    if name not in cells:
        return None
    helpers = re.findall(r"\b(\w+_row)\(", cells[name])
    return "\n".join([cells[name], *(c for c in cells.values() if any(f"def {h}(" in c for h in helpers))])


def title(value):
    return value.get("statement", "")[:30]


@pytest.mark.parametrize(("item", "entry"), rows(), ids=title)
def test_each_row_points_at_a_check_that_checks(item, entry, root):
    assert entry["checks"], item["item"]
    for check in entry["checks"].split():
        file, name = check.split("::")
        code = code_of_check(root / file, name)
        assert code is not None, f"{check} is not there"
        assert entry["result"] == "redrawn" or asserts(code), f"{check} checks nothing"


@pytest.mark.parametrize(("item", "entry"), rows(), ids=title)
def test_each_row_points_at_a_place_in_the_book(item, entry, root):
    (label,) = re.findall(r"\{eq\}`([^`<]+)`|\{(?:ref|numref)\}`[^<]+<([^>]+)>`", entry["where"])
    label = re.escape(label[0] or label[1])
    pages = [*root.glob("notebooks/*.ipynb"), *root.glob("book/*.md")]
    text = "".join(path.read_text(encoding="utf-8") for path in pages)
    assert re.search(rf"\(({label})\)|\"name\": \"{label}\"", text), entry["where"]


def test_each_erratum_of_the_ledger_is_explained(root):
    page = (root / "book/ledger.md").read_text(encoding="utf-8").split("## Errata")[1]
    for item, entry in rows():
        if entry["result"] == "reproduced with an erratum":
            assert item["item"].replace("Eq ", "Eq. ") in page
