"""What a reader of any format gives: tables of rows, and what it learns of the whole file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import polars as pl

__all__ = ["FARTHEST", "SCHEMA", "TIMES", "Reading", "first_reason"]

FARTHEST = 7_258_118_400.0  # seconds from 1970 to 2200: a time beyond it, or a longer one, is in another unit
TIMES = "submit", "eligible", "start", "run", "estimate"
SCHEMA = pl.Schema(
    {"line": pl.Int64, "job": pl.String, "partition": pl.String, "user": pl.String}
    | dict.fromkeys(TIMES, pl.Float64)
    | {"need": pl.Float64, "zoned": pl.Boolean, "dropped": pl.String}
)


@dataclass
class Reading:
    """Hold what a reader returns: tables of jobs, and what it learns of the whole file.

    Attributes
    ----------
    tables : iterable of polars.DataFrame
        With the columns of :data:`SCHEMA`, `dropped` null where the line can be used.
    header : dict
        Filled while the tables are read.
    machine : callable, optional
        From the header and the partition, if one was asked for, to (servers or None, where from).
    clock : callable, optional
        From the header and the first arrival [s] to (the `clock` of a log, what is odd about it or "").
    submits_are_starts : callable, optional
        From the header to whether it says that submit times are start times.
    notes : list of str
    present : list of polars.DataFrame
        Filled while the tables are read: jobs that had not ended when the log was taken, with the same columns. Those
        that wait have no start.
    """

    tables: Iterable
    header: dict = field(default_factory=dict)
    machine: Callable | None = None
    clock: Callable | None = None
    submits_are_starts: Callable | None = None
    notes: list = field(default_factory=list)
    present: list = field(default_factory=list)


def first_reason(reasons: dict[str, pl.Expr]) -> pl.Expr:
    """Return an expression: the first of the reasons whose condition holds, or null.

    >>> table = pl.DataFrame({"x": [1, 2, 3]})
    >>> table.select(first_reason({"two": pl.col("x") == 2, "large": pl.col("x") > 1})).to_series().to_list()
    [None, 'two', 'large']
    """
    return pl.coalesce(*(pl.when(condition).then(pl.lit(reason)) for reason, condition in reasons.items()))
