"""What a reader of any format gives: tables of rows, and what it learns of the whole file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from mjq._util.plain import brief, counted, printable
from mjq_logs.reading.text import ambiguous, is_missing, moments

MANY = 0.1  # share of the lines
EXACT, ROUNDED = 0.01, 1.0  # share of a time, and seconds, by which two ways to tell it may differ
SECONDS = {"minutes": 60.0, "hours": 3600.0, "days": 86_400.0, "milliseconds": 1e-3, "microseconds": 1e-6}
FARTHEST = 7_258_118_400.0  # seconds from 1970 to 2200: a time beyond it, or a longer one, is in another unit
CALENDAR = 1e8  # seconds; times above it count from 1970
DAY = 86_400.0  # seconds; no place is that far from UTC
UNLIMITED = 315_360_000.0  # seconds that stand for no limit: ten years, longer than any job
MORE = 1.05  # times what was asked for, up to which nothing is said of what is held
TIMES = "submit", "eligible", "start", "run", "estimate"
SCHEMA = pl.Schema(
    {"line": pl.Int64, "job": pl.String, "partition": pl.String, "user": pl.String}
    | {"queue": pl.String, "qos": pl.String}
    | dict.fromkeys(TIMES, pl.Float64)
    | {"need": pl.Float64, "zoned": pl.Boolean, "whole": pl.String, "unfinished": pl.Boolean, "dropped": pl.String}
    | {"behind": pl.Boolean}
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
BEFORE, AFTER = "ended before the window", "came after the window"
HARMLESS = {
    CANCELLED, WAITING, STEP, HEADER, PART, COMPONENT, NONE_OF_UNIT, OTHER_PARTITION, REPEATED, BEFORE,
    AFTER,
}  # fmt: skip

TOO_LARGE = "needs more than the servers"


class Seen:
    """Hold what a reader sees of the whole file while it reads: its times, and whether its columns can be read.

    Attributes
    ----------
    first_end, latest : float or None
        The earliest end of anything, and the latest time that the file tells of [s].
    open : bool
        Whether some job had not ended when the file was written.
    resized : set of str
        Jobs that held another number of servers before.
    first_tasks : dict
        When the first tasks of each array might start [s].
    behind : int
        Tasks that might start later than these.
    needs : float array, shape (2,)
        What all jobs that started held together, and what they had asked for.
    first : float
        The first submission [s].
    """

    def __init__(self) -> None:
        self.first_end: float | None = None
        self.latest: float | None = None
        self.open = False
        self.resized: set[str | None] = set()
        self.first_tasks: dict[str, float] = {}
        self.behind = 0
        self.needs = np.zeros(2)
        self.first = np.inf
        self.differ = self.compared = self.odd_line = 0
        self.factors: dict[str, int] = {}
        self._read: dict[str, int] = {}
        self._unread: dict[str, tuple[int, int, str]] = {}

    def times(self, jobs: pl.DataFrame) -> None:
        """Take rows into account that have the times of a job, and say whether it is ``unfinished`` or ``waits``."""
        there = jobs["unfinished"] | jobs["waits"]
        own = pl.when((pl.col("end") >= pl.col("start")).fill_null(True)).then("end")  # no job ends before it starts
        end = pl.coalesce(own, pl.col("start") + pl.col("run"))
        ends, latest = (jobs.select(times).to_series() for times in (end, pl.max_horizontal("submit", "start", end)))
        self.open |= bool(there.any())
        for name, column, which in (("first_end", ends.filter(~there), min), ("latest", latest, max)):
            extreme = getattr(column.filter(column.abs() <= FARTHEST), which.__name__)()
            known = [time for time in (getattr(self, name), extreme) if time is not None]
            setattr(self, name, which(known, default=None))

    def compare(self, jobs: pl.DataFrame) -> None:
        """Count where a run time is not the time from the start to the end, and by which factor."""
        jobs = jobs.select("line", "run", span=pl.col("end") - pl.col("start")).drop_nulls().filter(pl.col("span") > 0)
        ratio, apart = jobs["run"] / jobs["span"], (jobs["run"] - jobs["span"]).abs()
        differ = (apart > ROUNDED) & (apart > EXACT * jobs["span"])
        if differ.any() and not self.differ:
            self.odd_line = int(jobs["line"].filter(differ)[0])
        self.compared, self.differ = self.compared + len(jobs), self.differ + int(differ.sum())
        for unit, seconds in SECONDS.items():
            alike = (ratio * seconds - 1).abs() <= EXACT
            self.factors[unit] = self.factors.get(unit, 0) + int(alike.sum())

    def contradiction(self) -> tuple[list[str], list[str]]:
        """Return a note, or where there are many a warning, of run times that are not the times from start to end.

        Raises
        ------
        ValueError
            If most of them are so in another unit.
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
        if self.differ > MANY * self.compared:
            return [], [f"Warning: {words}."]
        return [words] * (self.differ > 0), []

    def moments(self, name: str, text: pl.Series, line: pl.Series) -> tuple[pl.Series, pl.Series]:
        """Return what :func:`mjq_logs.reading.text.moments` returns for a column of the file."""
        seconds, zoned = moments(text)
        self._note(name, text, seconds, line)
        return seconds, zoned

    def read(self, how: Callable, name: str, text: pl.Series, line: pl.Series, **more: Any) -> pl.Series:
        """Return what a function of :mod:`mjq_logs.reading.text` returns for a column of the file."""
        values = how(text, **more)
        self._note(name, text, values, line)
        return values

    def _note(self, name, text, values, line):
        """Count what cannot be read; raise ``ValueError`` where a number may mean two things."""
        bad = values.is_null() & ~is_missing(text)
        self._read[name] = self._read.get(name, 0) + int(values.is_not_null().sum())
        if not bad.any():
            return
        unclear = bad & ambiguous(text.cast(pl.String)).fill_null(False)
        if unclear.any():
            place = int(unclear.arg_true()[0])
            raise ValueError(
                f"line {line[place]}: column {printable(name)!r} holds {brief(text[place])}, in which the comma may "
                "part thousands or decimals: write numbers without commas"
            )
        place, count = int(bad.arg_true()[0]), int(bad.sum())
        before = self._unread.get(name, (0, int(line[place]), str(text[place])))
        self._unread[name] = (before[0] + count, *before[1:])

    def notes(self, waits: bool = False) -> list[str]:
        """Return what is odd about the file, where some jobs still wait or not.

        Raises
        ------
        ValueError
            If a column could not be read at all.
        """
        notes = []
        for name, (count, line, text) in self._unread.items():
            first = f"line {line} holds {brief(printable(text))}"
            if not self._read[name]:
                raise ValueError(f"column {printable(name)!r} cannot be read: {first}. {FORMS}")
            notes.append(f"column {printable(name)!r} cannot be read in {count} lines, the first of which is: {first}")
        if self.behind:
            notes.append(
                f"{counted(self.behind, 'task')} of arrays waited behind the limit of their own array: this wait is "
                "left out, and --growth multiplies what the limit let come"
            )
        held, asked = self.needs
        if waits and held > MORE * asked > 0:
            notes.append(
                f"jobs that started held {held / asked:.2g} times the servers that they had asked for, and those that "
                "still wait count with what they ask for"
            )
        return notes


FORMS = (
    "Dates are read as 2025-06-15T10:00:00 or seconds since 1970, durations as 1-12:30:00, 90min or seconds, and "
    "numbers as 1234.5"
)


def clock_of(header: dict[str, str], first: float) -> tuple[float | None, str]:
    """Return when second 0 is, as a log has it, if its header or its first arrival tells it; and what is odd about it.

    >>> clock_of({"UnixStartTime": "749458803", "TimeZone": "-28800"}, 0)
    (749430003.0, '')
    >>> clock_of({"UnixStartTime": "inf"}, 0)
    (None, "UnixStartTime in the header is 'inf', not a time in seconds from 1970 to 2200: it is not used")
    """
    given = header.get("UnixStartTime")
    if given is None:
        return (0.0 if first > CALENDAR else None), ""
    try:
        began = float(given)
    except ValueError:
        began = float("nan")
    if not 0 <= began <= FARTHEST:
        words = f"UnixStartTime in the header is {brief(given)}, not a time in seconds from 1970 to 2200"
        return None, f"{words}: it is not used"
    given = header.get("TimeZone", "0")
    number = re.match(r"\s*(-?\d+)", given)
    offset = float(number[1] if number else 0)
    if abs(offset) > DAY:
        return began, f"TimeZone in the header is {brief(given)}, more than a day of seconds: hours are those of UTC"
    return began + offset, ""


@dataclass
class Reading:
    """Hold what a reader returns: tables of jobs, and what it learns of the whole file.

    Attributes
    ----------
    tables : iterable of polars.DataFrame
        With the columns of :data:`SCHEMA`, `dropped` null where the line can be used. `whole` names the job that a row
        is a component of, and `unfinished` says that a job still ran: its run time is what had passed, or not known.
    header : dict
        Filled while the tables are read.
    machine : callable, optional
        From the header and the partition, if one was asked for, to (servers or None, where from or what is odd).
    clock : callable
        From the header and the first arrival [s] to (the `clock` of a log, what is odd about it or "").
    submits_are_starts : callable, optional
        From the header to whether it says that submit times are start times.
    notes : list of str
    waiting : list of polars.DataFrame
        Filled while the tables are read: jobs that waited when the log was taken, with the same columns, and `tasks`
        and `at_once` of arrays: how many of it wait, and how many may run at once, 0 for all.
    seen : Seen
        Filled while the tables are read.
    is_window : bool
        Whether the file has all that was there between two times, as sacct writes it. Rows of one job are then its
        attempts, one after the other.
    resources : tuple of str
        Names of several resources, whose needs are in the columns :func:`need_columns`; none for one.
    """

    tables: Iterable
    header: dict = field(default_factory=dict)
    machine: Callable | None = None
    clock: Callable = clock_of
    submits_are_starts: Callable | None = None
    notes: list = field(default_factory=list)
    waiting: list = field(default_factory=list)
    seen: Seen = field(default_factory=Seen)
    is_window: bool = False
    resources: tuple[str, ...] = ()


def first_reason(reasons: dict[str, pl.Expr]) -> pl.Expr:
    """Return an expression: the first of the reasons whose condition holds, or null.

    >>> table = pl.DataFrame({"x": [1, 2, 3]})
    >>> table.select(first_reason({"two": pl.col("x") == 2, "large": pl.col("x") > 1})).to_series().to_list()
    [None, 'two', 'large']
    """
    return pl.coalesce(*(pl.when(condition).then(pl.lit(reason)) for reason, condition in reasons.items()))
