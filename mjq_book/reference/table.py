"""The table of reference values, read from the package."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import Any, NamedTuple, TypedDict


class Row(TypedDict):
    """Describe a reference value; all numbers that are results are text, so that no digit is lost or added.

    ``origin`` is *computed*, *schedule* or *foreign*. ``apart`` is what the two ways differ by, at most. ``exact`` is
    the value as a fraction, or empty. ``slow`` says that the ways take longer than a second.
    ``command`` computes the value again, in a clone of the project.
    """

    id: str
    origin: str
    model: str
    problem: str
    parameters: dict[str, Any]
    quantity: str
    symbol: str
    unit: str
    value: str
    exact: str
    apart: str
    first: str
    second: str
    command: str
    slow: bool


FIELDS = tuple(Row.__annotations__)


class History(NamedTuple):
    """Describe a version of the table: its number, day, digest and number of rows, and why it was made."""

    version: int
    day: str
    digest: str
    rows: int
    why: str


def _text(name):
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def _table():
    return json.loads(_text("values.json"))


def version() -> int:
    """Return the version of the table, which is part of a citation of a value.

    >>> version() == history()[-1].version
    True
    """
    return _table()["version"]


def values() -> list[Row]:
    """Return all reference values.

    Examples
    --------
    >>> row = next(row for row in values() if row["id"] == "bb22-table-1-1.0/time")
    >>> row["value"], row["unit"], row["parameters"]["mu"]
    ('1.43776442006', 'units of time', [2.5, 0.625])
    """
    return _table()["values"]


def find(words: str = "") -> list[Row]:
    """Return the values of an identifier, of a problem, or those in which all of some words occur.

    Parameters
    ----------
    words : str
        The identifier of a row, what stands in it before the slash, or words.

    Examples
    --------
    >>> [row["value"] for row in find("bb22-table-1-1.0/wait")]
    ['0.43776442006']
    >>> len(find("mmc-10-0.7")), find("no such row")
    (5, [])
    """
    rows = values()
    named = [row for row in rows if words in (row["id"], row["id"].rpartition("/")[0])]
    if named or not words:
        return named or rows
    parts = words.lower().split()
    return [row for row in rows if all(part in _searched(row) for part in parts)]


def _searched(row):
    return " ".join(str(row[key]) for key in ("id", "origin", "model", "problem", "quantity", "symbol")).lower()


def history() -> list[History]:
    """Return all versions of the table, the oldest first.

    >>> history()[0].why
    'first version'
    """
    rows = csv.DictReader(io.StringIO(_text("history.csv")))
    return [History(int(row["version"]), row["day"], row["digest"], int(row["rows"]), row["why"]) for row in rows]


def digest(rows: Iterable[Row]) -> str:
    """Return a fingerprint of values and of what they are values of; words and ways do not count.

    >>> digest([]) == digest(values())
    False
    """
    counted = [[row[key] for key in ("id", "parameters", "symbol", "unit", "value", "exact")] for row in rows]
    return hashlib.sha256(json.dumps(counted, sort_keys=True).encode()).hexdigest()[:16]


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the table.

    >>> schema()["title"]
    'Reference values of mjq'
    """
    return json.loads(_text("schema.json"))


def as_json(rows: list[Row], number: int) -> str:
    """Return rows as the table is kept: a row a line, with the version.

    >>> json.loads(as_json(values(), 7))["values"] == values()
    True
    """
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return f'{{"schema": "schema.json", "version": {number}, "values": [\n{lines}\n]}}\n'


def as_csv(rows: Iterable[Row]) -> str:
    """Return rows as CSV, with parameters as JSON.

    >>> as_csv(find("bb22-table-1-1.0/wait")).splitlines()[0][:31]
    'id,origin,model,problem,paramet'
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(FIELDS)
    for row in rows:
        cells: dict[str, Any] = dict(row)
        cells |= {"parameters": json.dumps(row["parameters"]), "slow": str(row["slow"]).lower()}
        writer.writerow([cells[key] for key in FIELDS])
    return file.getvalue()
