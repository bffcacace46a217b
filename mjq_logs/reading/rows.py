"""What a reader of any format gives: tables of rows, and what it learns of the whole file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from mjq._util.plain import brief, counted, printable
from mjq_logs.reading.text import AMBIGUOUS, is_missing, moments

MANY_LINES = 0.1  # share of the lines from which on a contradiction is a warning
EXACT, ROUNDED = 0.01, 1.0  # share of a time, and seconds, by which two ways to tell it may differ
SECONDS = {"minutes": 60.0, "hours": 3600.0, "days": 86_400.0, "milliseconds": 1e-3, "microseconds": 1e-6}
FARTHEST = 7_258_118_400.0  # seconds from 1970 to 2200: a time beyond it, or a longer one, is in another unit
CALENDAR = 1e8  # seconds; times above it count from 1970
DAY = 86_400.0  # seconds; no place is that far from UTC
SPREADSHEET = 36_526.0, 73_050.0  # days from 1899-12-30 to the years 2000 and 2100
UNLIMITED = 315_360_000.0  # seconds that stand for no limit: ten years, longer than any job
TIMES = "submit", "eligible", "start", "run", "estimate"
SCHEMA = pl.Schema(
    dict.fromkeys(("job", "partition", "user", "queue", "qos", "whole", "dropped"), pl.String)
    | dict.fromkeys((*TIMES, "need"), pl.Float64)
    | dict.fromkeys(("line", "priority", "tasks", "at_once"), pl.Int64)
    | dict.fromkeys(("zoned", "unfinished", "behind", "cut"), pl.Boolean)
)


def need_columns(resources: int = 1) -> tuple[str, ...]:
    """Return the columns that hold the needs of so many resources.

    >>> need_columns(), need_columns(3)
    (('need',), ('need', 'need 2', 'need 3'))
    """
    return "need", *(f"need {k}" for k in range(2, resources + 1))


def schema(resources: int = 1) -> pl.Schema:
    """Return the columns of tables with the needs of so many resources: :data:`SCHEMA` for one."""
    return pl.Schema(SCHEMA | dict.fromkeys(need_columns(resources), pl.Float64))


def rows_of(table: pl.DataFrame, resources: int = 1) -> pl.DataFrame:
    """Return a table with the columns of :func:`schema` alone; null those that it lacks."""
    columns = schema(resources)
    nothing = [pl.lit(None).alias(name) for name in columns if name not in table.columns]
    return table.with_columns(nothing).select(list(columns)).cast(columns)


def first_reason(reasons: dict[str, pl.Expr]) -> pl.Expr:
    """Return an expression: the first of the reasons whose condition holds, or null.

    >>> table = pl.DataFrame({"x": [1, 2, 3]})
    >>> table.select(first_reason({"two": pl.col("x") == 2, "large": pl.col("x") > 1})).to_series().to_list()
    [None, 'two', 'large']
    """
    return pl.coalesce(*(pl.when(condition).then(pl.lit(reason)) for reason, condition in reasons.items()))


def reasons_of_needs(resources: Sequence[str]) -> dict[str, pl.Expr]:
    """Return reasons not to use a line that tells of one of several resources nothing, or of all that it needs none.

    >>> table = pl.DataFrame({"need": [1.0, 0.0, 1.0], "need 2": [0.0, 0.0, None]})
    >>> table.select(first_reason(reasons_of_needs(("cpus", "mem")))).to_series().to_list()
    [None, 'needs none of this unit', 'no number of mem']
    """
    columns = dict(zip(need_columns(len(resources)), resources, strict=True))
    reasons = {f"no number of {name}": ~(pl.col(column) >= 0).fill_null(False) for column, name in columns.items()}
    return reasons | {NONE_OF_UNIT: pl.all_horizontal(pl.col(*columns) == 0)}


# Reasons why a line is not used although nothing is lost with it.
CANCELLED = "never started"
WAITING = "still waited when the log was taken"
STEP = "a step of a job"
HEADER = "a header again"
PART = "a part of a job that is listed as a whole"
COMPONENT = "a component of a job, counted with it"
NONE_OF_UNIT = "needs none of this unit"
OTHER_PARTITION = "of another partition"
REPEATED = "the same job as on an earlier line"
BEFORE = "ended before the window"
HARMLESS = {CANCELLED, WAITING, STEP, HEADER, PART, COMPONENT, NONE_OF_UNIT, OTHER_PARTITION, REPEATED, BEFORE}

TOO_LARGE = "needs more than the servers"


class Span:
    """Hold the times that a file tells of."""

    def __init__(self) -> None:
        self.first = self.first_end = np.inf  # submission, and end of anything [s]
        self.latest, self.open = -np.inf, False  # of all times; whether some job had not ended

    def add(self, jobs: pl.DataFrame) -> None:
        """Take rows into account that have the times of a job, and say whether it is ``unfinished`` or ``waits``."""
        there = jobs["unfinished"] | jobs["waits"]
        own = pl.when((pl.col("end") >= pl.col("start")).fill_null(True)).then("end")  # no job ends before it starts
        end = pl.coalesce(own, pl.col("start") + pl.col("run"))
        self.open |= bool(there.any())
        all_times = jobs.select(pl.max_horizontal("submit", "start", end)).to_series()
        ends, latest = (
            times.filter(times.abs() <= FARTHEST).to_numpy()
            for times in (jobs.filter(~there).select(end).to_series(), all_times)
        )
        self.first_end = float(ends.min(initial=self.first_end))
        self.latest = float(latest.max(initial=self.latest))


class ColumnReader:
    """Read columns of text, and count what cannot be read and what contradicts another column."""

    def __init__(self) -> None:
        self.differ = self.compared = self.odd_line = 0
        self.factors = dict.fromkeys(SECONDS, 0)
        self._read: dict[str, int] = {}
        self._unread: dict[str, tuple[int, int, str]] = {}

    def points(self, table: pl.DataFrame, names: Mapping[str, str]) -> dict[str, Any]:
        """Return columns of text as points in time [s], and ``zoned``: whether a date of the row says its zone.

        `names` maps the names of these columns to those in the file. ``ValueError`` if most of a column are days of a
        spreadsheet, or a number may mean two things.
        """
        columns: dict[str, Any] = {}
        zones = []
        for ours, theirs in names.items():
            times, zoned = moments(table[ours])
            columns[ours] = times
            zones.append(zoned)
            self._count(theirs, table[ours], times, table["line"])
            days = times.is_between(*SPREADSHEET) & (times != times.floor())
            if (days.sum() or 0) > times.count() / 2:
                place = days.arg_true()[0]
                raise ValueError(
                    f"line {table['line'][place]}: column {printable(theirs)!r} holds {brief(times[place])}: are these "
                    "days of a spreadsheet? Times must be in seconds, or dates such as 2025-06-15T10:00:00"
                )
        return columns | {"zoned": pl.coalesce(*zones, pl.lit(None, pl.Boolean))}

    def read(self, how: Callable, name: str, text: pl.Series, line: pl.Series, **more: Any) -> pl.Series:
        """Return what a function of :mod:`mjq_logs.reading.text` returns for a column of the file."""
        values = how(text, **more)
        self._count(name, text, values, line)
        return values

    def _count(self, name, text, values, line):
        """Count what cannot be read; raise ``ValueError`` where a number may mean two things."""
        bad = values.is_null() & ~is_missing(text)
        self._read[name] = self._read.get(name, 0) + int(values.is_not_null().sum())
        if not bad.any():
            return
        unclear = bad & text.cast(pl.String).str.contains(AMBIGUOUS).fill_null(False)
        if unclear.any():
            place = int(unclear.arg_true()[0])
            raise ValueError(
                f"line {line[place]}: column {printable(name)!r} holds {brief(text[place])}, in which the comma may "
                "part thousands or decimals: write numbers without commas"
            )
        place = int(bad.arg_true()[0])
        number, first, holds = self._unread.get(name, (0, int(line[place]), str(text[place])))
        self._unread[name] = (number + int(bad.sum()), first, holds)

    def compare(self, jobs: pl.DataFrame) -> None:
        """Count where a run time is not the time from the start to the end, and by which factor."""
        jobs = jobs.select("line", "run", span=pl.col("end") - pl.col("start")).drop_nulls().filter(pl.col("span") > 0)
        ratio, apart = jobs["run"] / jobs["span"], (jobs["run"] - jobs["span"]).abs()
        differ = (apart > ROUNDED) & (apart > EXACT * jobs["span"])
        if differ.any() and not self.differ:
            self.odd_line = int(jobs["line"].filter(differ)[0])
        self.compared, self.differ = self.compared + len(jobs), self.differ + int(differ.sum())
        for unit, seconds in SECONDS.items():
            self.factors[unit] += int(((ratio * seconds - 1).abs() <= EXACT).sum())

    def notes(self) -> list[str]:
        """Return which columns cannot be read in some lines; ``ValueError`` if one could not be read at all."""
        notes = []
        for name, (count, line, text) in self._unread.items():
            first = f"line {line} holds {brief(printable(text))}"
            if not self._read[name]:
                raise ValueError(
                    f"column {printable(name)!r} cannot be read: {first}. Dates are read as 2025-06-15T10:00:00 or "
                    "seconds since 1970, durations as 1-12:30:00, 90min or seconds, and numbers as 1234.5"
                )
            notes.append(f"column {printable(name)!r} cannot be read in {count} lines, the first of which is: {first}")
        return notes

    def contradiction(self) -> tuple[list[str], list[str]]:
        """Return a note, or where there are many a warning, of run times that are not the times from start to end.

        ``ValueError`` if most of them would be in another unit.
        """
        for unit, alike in self.factors.items():
            if alike > self.compared / 2:
                raise ValueError(
                    f"the run times are not the times from start to end, but would be in {unit} (in {alike} of "
                    f"{self.compared} lines): are they {unit}? Write the unit, as in 90min, or leave this column out"
                )
        words = (
            f"run times and the times from start to end contradict each other in {counted(self.differ, 'line')}, the "
            f"first of which is line {self.odd_line}: the shorter ones are taken"
        )
        if self.differ > MANY_LINES * self.compared:
            return [], [f"Warning: {words}."]
        return [words] * (self.differ > 0), []


@dataclass
class Reading:
    """Hold what a reader returns: tables of jobs, and what it learns of the whole file while they are read."""

    tables: Iterable[pl.DataFrame] = ()
    """With the columns of :func:`schema`, `dropped` null where the line can be used. `whole` names the job that a row
    is a component of, and `unfinished` says that a job still ran: its run time is what had passed, or not known."""
    units: tuple[str, ...] = ()
    """What is counted; none where the file does not name it."""
    header: dict[str, str] = field(default_factory=dict)
    """What its comments say."""
    notes: list[str] = field(default_factory=list)
    waiting: list[pl.DataFrame] = field(default_factory=list)
    """Jobs that waited when the log was taken, with the same columns; of an array `tasks` says how many wait,
    `at_once` how many of them may run at once, 0 for all, and `cut` that the list of them was cut."""
    columns: ColumnReader = field(default_factory=ColumnReader)
    span: Span = field(default_factory=Span)
    is_window: bool = False
    """Whether the file has all that was there between two times, as sacct writes it. Rows of one job are then its
    attempts, one after the other."""

    @property
    def resources(self) -> tuple[str, ...]:
        """Return the names of several resources; none for one."""
        return self.units if len(self.units) > 1 else ()

    @property
    def needs(self) -> tuple[str, ...]:
        """Return the columns that hold what jobs need of each unit."""
        return need_columns(len(self.units))
