"""Which jobs of a log go before which, by the names of their queues, qualities of service or partitions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import polars as pl

from mjq._util.plain import brief, printable

COLUMNS = "queue", "qos", "partition"
WANTED = f"one of {', '.join(COLUMNS)} and the names that go first, such as qos=high,normal"
MOST_NAMED, LONGEST_NAME = 10, 40  # names, and letters of one, in a message


@dataclass
class Order:
    """Hold which names of a column go first, and count the jobs of each name while a log is read; None is no name.

    Jobs of the first name go before all others; jobs that have none of these names come last.
    """

    column: str
    names: tuple[str, ...]
    jobs: dict[str | None, int] = field(default_factory=dict)

    def rank(self, table: pl.DataFrame) -> pl.DataFrame:
        """Return a table of a reading with the column `priority`: larger goes first, 0 last; and count its jobs."""
        name = pl.when(pl.col(self.column) != "").then(self.column)
        for text, number in table.group_by(name).len().iter_rows():
            self.jobs[text] = self.jobs.get(text, 0) + number
        number = {text: len(self.names) - place for place, text in enumerate(self.names)}
        return table.with_columns(priority=name.replace_strict(number, default=0, return_dtype=pl.Int64))

    def require(self) -> None:
        """Raise ``ValueError`` if no job has a name in the column, or none has one of the names."""
        there = {name: number for name, number in self.jobs.items() if name is not None}
        if not there:
            hint = "; ask sacct for the column QOS, too" if self.column == "qos" else ""
            raise ValueError(f"no job of the log says its {self.column}, by which some are to go first{hint}")
        for name in self.names:
            if name not in there:
                raise ValueError(f"no job has the {self.column} {brief(name)}; its names are {_listed(there)}")

    def words(self) -> str:
        """Say who goes first, and who comes last."""
        others = {name: number for name, number in self.jobs.items() if name not in self.names}
        order = [*self.names, *[f"all others ({_listed(others, numbers=False)})"] * bool(others)]
        return f"jobs go first by their {self.column}: {', then '.join(order)}"


def order_of(words: str | None) -> Order | None:
    """Return the names that go first and their column, or None.

    ``ValueError`` if the words name no such column, no name, or one twice.

    >>> order_of("qos=high,normal")
    Order(column='qos', names=('high', 'normal'), jobs={})
    """
    if words is None:
        return None
    column, _, listed = words.partition("=")
    names = tuple(name.strip() for name in listed.split(","))
    if column.strip() not in COLUMNS or not all(names):
        raise ValueError(f"{brief(words)} is not {WANTED}")
    if len(set(names)) < len(names):
        raise ValueError(f"{brief(words)} names {next(name for name in names if names.count(name) > 1)} twice")
    return Order(column.strip(), names)


def _listed(jobs: dict[Any, int], numbers: bool = True) -> str:
    shown = [
        ("no name" if name is None else printable(name[:LONGEST_NAME]))
        + f" ({number} job{'s' * (number > 1)})" * numbers
        for name, number in sorted(jobs.items(), key=lambda pair: (-pair[1], pair[0] is None, pair[0]))[:MOST_NAMED]
    ]
    return ", ".join(shown) + ", …" * (len(jobs) > MOST_NAMED)
