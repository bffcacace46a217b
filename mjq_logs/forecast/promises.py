"""Promises of starts that somebody made, read from a file.

The file is a table, a promise a line: the time at which it was made, the job, and the start that was promised. Two more
columns may hold the ends of an interval. Without a header, a line is what ``squeue --start -h -o "%i|%S"`` prints, with
the time before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl

from mjq._util import checks
from mjq._util.frozen import ReadOnly, frozen
from mjq._util.plain import brief, printable
from mjq_logs.reading.cells import first_line, quoted
from mjq_logs.reading.clock import as_moment, instants
from mjq_logs.reading.log import Log
from mjq_logs.reading.text import blocks, is_missing, moments

# Of each column, what a file may call it, in small letters.
COLUMNS = {
    "time": ("time", "asked", "date", "now"),
    "job": ("job", "jobid", "job_id", "jobidraw", "id"),
    "start": ("start", "start_time", "starttime", "promised"),
    "low": ("low", "earliest"),
    "high": ("high", "latest"),
}
NEEDED = "time", "job", "start"
POINTS = "time", "start", "low", "high"
DELIMITERS = ",;\t|"


@dataclass(frozen=True, eq=False)
class Promises(ReadOnly):
    """Hold promises of starts, in any order.

    Attributes
    ----------
    time : float array, shape (n,)
        When each was made [s], as in the log.
    job : sequence of str, length n
        Names of jobs, as the scheduler shows them.
    start : float array, shape (n,)
        Start that was promised [s]; not a number where none was.
    low, high : float array, shape (n,), optional
        Ends of an interval of the start [s]; not a number where there is none.

    Raises
    ------
    ValueError
        If there is no promise, an array has not one entry for each, a time is not finite, or an interval ends before
        it begins.

    Examples
    --------
    >>> len(Promises([0, 600], ["7", "8_1"], [3600, np.nan]))
    2
    """

    time: np.ndarray
    job: tuple[str, ...]
    start: np.ndarray
    low: np.ndarray | None = None
    high: np.ndarray | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "job", tuple(map(str, self.job)))
        object.__setattr__(self, "time", frozen(checks.numbers("time", self.time)))
        if not self.job:
            raise ValueError("there must be at least one promise")
        for name in POINTS[1:]:
            given = getattr(self, name)
            column = np.full(len(self), np.nan) if given is None else np.asarray(given, dtype=float)
            checks.numbers(name, column[~np.isnan(column)])
            object.__setattr__(self, name, frozen(column))
        for name in POINTS:
            if getattr(self, name).shape != (len(self),):
                raise ValueError(f"{name} must have one value for each of the {len(self)} promises")
        assert self.low is not None and self.high is not None
        if (ends := np.flatnonzero(self.low > self.high)).size:
            k = int(ends[0])
            raise ValueError(
                f"an interval must not end before it begins: that of promise {k + 1} is {checks.shown(self.low[k])} to "
                f"{checks.shown(self.high[k])}"
            )

    def __len__(self) -> int:
        return len(self.job)

    def of(self, which: np.ndarray) -> Promises:
        """Return some of the promises, by their places or by a mask."""
        columns = {name: getattr(self, name)[which] for name in POINTS}
        return Promises(job=tuple(np.array(self.job, dtype=object)[which]), **columns)


def read_promises(path: str | Path, log: Log) -> Promises:
    """Read promises of starts.

    Parameters
    ----------
    path : str or path
        A CSV file, plain or compressed by gzip, with columns named as :data:`COLUMNS` has it and commas, semicolons,
        tabs or bars between them; or without a header, with three columns: the time, the job and the start. Times
        are seconds as in the log, or dates on its clock. A start that is missing, as with ``N/A``, is no promise.
    log : Log
        Whose clock it is.

    Raises
    ------
    ValueError
        If the file is empty or lacks a column, or a time in it cannot be read. The message names the line.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> log = Log(need=[1], run=[60], submit=[0], start=[30], number=[7], servers=1, clock=0.0)
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "starts.csv"
    ...     _ = path.write_text("1970-01-01T00:00:10|7|1970-01-01T00:00:50\\n20|7|N/A\\n")
    ...     promises = read_promises(path, log)
    >>> promises.time.tolist(), promises.job, promises.start.tolist()
    ([10.0, 20.0], ('7', '7'), [50.0, nan])
    """
    try:
        tables = list(_tables(path))
        if not any(map(len, tables)):
            raise ValueError("there is no promise below the header")
        rows = pl.concat(tables, rechunk=True)
        if not rows["fits"].all():
            line = rows.filter(~pl.col("fits"))["line"][0]
            raise ValueError(f"line {line} has another number of fields than the first line")
        columns = {name: _seconds(name, rows, log) for name in POINTS if name in rows.columns}
        nameless = is_missing(rows["job"])
        if nameless.any():
            raise ValueError(f"line {rows['line'].filter(nameless)[0]} does not name a job")
        if "low" in columns and (ends := np.flatnonzero(columns["low"] > columns["high"])).size:
            line, low, high = rows.select("line", "low", "high").row(int(ends[0]))
            raise ValueError(f"line {line}: an interval must not end before it begins: {brief(low)} to {brief(high)}")
        return Promises(job=tuple(rows["job"]), **columns)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _tables(path):
    """Yield the cells of the file as text, under our names of the columns."""
    number, line, rest = first_line(blocks(path))
    delimiter = max(DELIMITERS, key=line.count)
    header = [cell.strip(' "\r') for cell in line.split(delimiter)]
    known = {name for names in COLUMNS.values() for name in names}
    if not known & {name.lower() for name in header}:
        if len(header) != len(NEEDED) or moments(pl.Series(header[:1]))[0].is_null().any():
            raise ValueError(_lacking(NEEDED, header))
        rest = chain([(number, [line])], rest)
        line, number = delimiter.join(NEEDED), number - 1
    yield from quoted(chain([(number, [line])], rest), _chosen)


def _chosen(names: Sequence[str]) -> Mapping[str, str]:
    """Map our names of columns to those of the file."""
    small = {name.lower(): name for name in reversed(names)}
    chosen = {
        ours: small[next(filter(small.__contains__, theirs))]
        for ours, theirs in COLUMNS.items()
        if any(name in small for name in theirs)
    }
    if lacking := [name for name in NEEDED if name not in chosen]:
        raise ValueError(_lacking(lacking, names))
    if ("low" in chosen) != ("high" in chosen):
        raise ValueError("an interval has two ends: there must be both columns, low and high, or none of them")
    return chosen


def _lacking(names, there):
    """Say which columns there are not."""
    wanted = " and ".join(f"{name} ({' or '.join(COLUMNS[name])})" for name in names)
    return f"no column {wanted}; the first line holds {', '.join(brief(printable(name)) for name in there)}"


def _seconds(name, rows, log):
    """Return a column of times of the log; raise ``ValueError`` with the line of what cannot be read."""
    wanted = np.full(len(rows), name == "time") | ~is_missing(rows[name]).to_numpy()
    try:
        times = instants(log, rows[name])
        if not np.isnan(times[wanted]).any():
            return times
    except ValueError:
        pass  # which line it is, is said below
    for line, text in rows.filter(wanted).select("line", name).iter_rows():
        try:
            as_moment(log, text or "")
        except ValueError as error:
            raise ValueError(f"line {line}: the {name} {error}") from None
    raise AssertionError("a column of times has an error that none of its lines has")
