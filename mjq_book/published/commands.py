"""Claims and the commands that check them.

* ``headlines.csv``: a headline a row: the chapter's key, the items of its ledger that it belongs to, the claim, the
  command that computes its number, and parts of what the command prints, in their order, with ``…`` between.
* All other rows of the ledgers are checked by a chapter or by a file of tests: :func:`checking`.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import NamedTuple

from mjq_book import chapters, published

SKIPPED = "…"  # in what a command prints: anything


class Headline(NamedTuple):
    """Describe a claim, the command that computes its number, and what that prints."""

    key: str
    items: tuple[str, ...]
    claim: str
    command: str
    expected: str


def headlines() -> list[Headline]:
    """Return the headlines of all chapters, in the order of the book.

    Examples
    --------
    >>> headlines()[0].command
    'mjq solve processing_capacity --B 100 --b 1,100 --mu 1,1 --p .99,.01'
    """
    return [
        Headline(row["key"], tuple(row["items"].split("; ")), row["claim"], row["command"], row["expected"])
        for row in published.read("headlines")
    ]


def prints(expected: str, text: str) -> bool:
    """Return whether all expected parts are printed, in their order.

    >>> prints('"T": 79.74 … "variance"', '"T": 79.7408, "variance": 43'), prints("b … a", "a b")
    (True, False)
    """
    for part in expected.split(SKIPPED):
        before, separator, text = text.partition(part.strip())
        if not separator and part.strip():
            return False
    return True


def command_of(file: str) -> str | None:
    """Return the command that executes a file which checks claims; None for printed numbers, which chapters compare.

    >>> command_of("notebooks/stability.ipynb"), command_of("tests/models/test_fluid.py")
    ('mjq run stability', 'pytest -q tests/models/test_fluid.py')
    """
    path = PurePosixPath(file)
    if path.suffix == ".ipynb":
        return f"mjq run {path.stem}"
    return f"pytest -q {file}" if path.suffix == ".py" else None


def checking(key: str) -> dict[str, list[str]]:
    """Return the commands that check the ledger of a chapter, each with the items of its rows that it checks.

    Printed numbers are compared by the chapter.

    Examples
    --------
    >>> commands_of = checking("NS")
    >>> list(commands_of)[:2], commands_of["mjq run near_saturation"][:2]
    (['mjq run near_saturation', 'pytest -q tests/models/test_near_saturation.py'], ['Eq (a)', 'Eq (b)'])
    """
    chapter = next(chapter for chapter in chapters.CHAPTERS if chapter.key == key)
    items_of: dict[str, list[str]] = {f"mjq run {name}": [] for name in chapter.notebooks}
    for row in published.ledger(key):
        for file, _ in published.checks(row):
            command = command_of(file) or f"mjq run {chapter.name}"
            items = items_of.setdefault(command, [])
            if row["item"] not in items:
                items.append(row["item"])
    return {command: items for command, items in items_of.items() if items}
