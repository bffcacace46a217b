"""Logs as tables, CSV or Parquet, whose columns a map names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from mjq._util.plain import brief, printable
from mjq_logs.reading.cells import ROWS, Choose
from mjq_logs.reading.rows import (
    CALENDAR,
    CANCELLED,
    DAY,
    WAITING,
    Reading,
    Span,
    first_reason,
    reasons_of_needs,
    rows_of,
)
from mjq_logs.reading.text import durations, is_missing, plain_number
from mjq_logs.reading.vectors import MEMORY, UNITS, memory_unit

# What a map may name, and what it is.
COLUMNS = {
    "need": "servers that a job holds",
    "run": "for how long",
    "submit": "when it was submitted",
    "eligible": "when it was first allowed to start",
    "start": "when it started",
    "end": "when it ended",
    "estimate": "for how long it was said to run at most",
    "job": "its number or name, by which lines that repeat a job are known",
    "partition": "the part of the machine that it ran on",
    "user": "who submitted it, by number or name",
    "queue": "the queue that it waited in",
    "qos": "its quality of service",
}
POINTS = "submit", "eligible", "start", "end"
LAST_SECONDS = 2**31 - 1, 2**32 - 2, 2**32 - 1  # of clocks of 32 bits
YEAR_9999 = 253_370_678_400.0, 253_402_387_200.0  # seconds from 1970, up to the end of its last day in all zones
MOST_NAMED, LONGEST_NAME = 30, 40  # columns, and letters of one, in a message


def read(
    cells: Callable[[Choose], Iterator[pl.DataFrame]],
    columns: dict[str, str] | None = None,
    units: tuple[str, ...] = (),
    memory: str | None = None,
) -> Reading:
    """Read a table: `cells` takes a choice of columns, and yields frames of their cells.

    `columns` maps some of :data:`COLUMNS` and of `units` to what the file calls them; a name that is not given is taken
    as it stands, in small or capital letters. What is counted, of :data:`mjq_logs.reading.vectors.UNITS`, takes the
    place of the column ``need``, and memory is in GB or in a :func:`~mjq_logs.reading.vectors.memory_unit`.
    ``ValueError`` if there is no such column, or none says what a job held or for how long.
    """
    if memory is not None and memory_unit(memory)[1] and "cpus" not in units:
        raise ValueError(f"memory in {memory} is for --unit cpus,mem; got {','.join(units)}")
    reading, chosen = Reading(units=units), {}

    def choose(names):
        chosen.update(_chosen(names, columns, units))
        return chosen

    reading.tables = (_jobs(rows, chosen, reading, memory) for rows in cells(choose))
    return reading


def parquet(path: str | Path, choose: Choose) -> Iterator[pl.DataFrame]:
    """Yield the cells of a Parquet file as text; points in time and durations may have types of their own."""
    try:
        frame = pl.scan_parquet(path)
        kinds = frame.collect_schema()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise ValueError(f"this is not a Parquet file that can be read: {error}") from None
    columns = {}
    for ours, theirs in choose(kinds.names()).items():
        kind, columns[ours] = kinds[theirs], pl.col(theirs)
        if kind.is_nested() or kind in (pl.Binary, pl.Object):
            named = str(kind.base_type()).lower()
            raise ValueError(
                f"column {theirs!r} holds values of the type {named}, which are not numbers, times or text"
            )
        if isinstance(kind, pl.Datetime):
            columns[ours] = pl.col(theirs).dt.epoch("us") / 1e6
        elif isinstance(kind, pl.Duration):
            columns[ours] = pl.col(theirs).dt.total_microseconds() / 1e6
    frame = frame.select(**columns).cast(pl.String).with_row_index("line", 1)
    first = 0
    while len(rows := frame.slice(first, ROWS).collect()):
        yield rows.with_columns(fits=pl.lit(True))
        first += ROWS


def _chosen(names, columns, units):
    """Map our names to those of the file; both must be there, and enough of them."""
    columns, needs = columns or {}, units or ("need",)
    known = [name for name in (*needs, *COLUMNS) if name != "need" or not units]
    for ours, theirs in columns.items():
        if ours in UNITS and ours not in units:
            raise ValueError(f"our name {ours} of a column is for --unit {ours}, which was not given")
        if ours not in known:
            possible = ", ".join(dict.fromkeys(known))
            raise ValueError(f"our name of a column must be one of {possible}; got {brief(ours)}")
        if theirs not in names:
            raise ValueError(f"the file has no column {theirs!r}; there are {listed_names(names)}")
    chosen = {ours: found for ours in known if (found := columns.get(ours) or _as_it_stands(ours, names))}
    if units and (lacking := [unit for unit in units if unit not in chosen]):
        raise ValueError(
            f"no column says what a job needs of {', '.join(lacking)}: name one, such as --column {lacking[0]} THEIRS; "
            f"there are {listed_names(names)}"
        )
    if not set(needs) <= set(chosen) or not ("run" in chosen or {"start", "end"} <= set(chosen)):
        raise ValueError(
            f"the columns must include {' and '.join(needs)}, the servers of a job, and run, its run time, or start "
            f"and end; there are {listed_names(names)}"
        )
    return chosen


def _as_it_stands(ours, names):
    """Return the column that has our name, or else the only one that has it in other letters, such as Need."""
    found = [ours] if ours in names else [name for name in names if name.lower() == ours]
    return found[0] if len(found) == 1 else None


def listed_names(names: Sequence[str]) -> str:
    """Return the names of columns for a message, whatever a file calls them.

    >>> listed_names(["need", "run"])
    'need, run'
    """
    named = ", ".join(printable(name[:LONGEST_NAME]) for name in names[:MOST_NAMED])
    return named + f", … ({len(names)} in all)" * (len(names) > MOST_NAMED)


def _jobs(rows, chosen, reading, memory):
    """Return rows of text as the table of jobs of a reading; those that wait are put into the reading, too."""
    rows = rows.with_columns(pl.when("fits").then(pl.col(*chosen)))
    line, columns, units = rows["line"], reading.columns, reading.units or ("need",)
    points = columns.points(rows, {ours: chosen[ours] for ours in POINTS if ours in chosen})
    lasted = {
        ours: columns.read(durations, chosen[ours], rows[ours], line) for ours in ("run", "estimate") if ours in chosen
    }
    needs = {
        need: columns.read(plain_number, chosen[unit], rows[unit], line)
        for need, unit in zip(reading.needs, units, strict=True)
    }
    nothing = dict.fromkeys((*POINTS, "run", "estimate"), pl.lit(None, pl.Float64))
    jobs = rows.with_columns(**nothing | points | lasted | needs)
    jobs = with_states(jobs, rows, reading.span)
    columns.compare(jobs)
    span = pl.col("end") - pl.col("start")
    jobs = jobs.with_columns(run=pl.coalesce(pl.min_horizontal("run", pl.when(span >= 0).then(span)), span))
    if memory is not None:
        (gb, each), held = memory_unit(memory), dict(zip(units, reading.needs, strict=True))
        number = pl.col(held["cpus"]) if each else 1
        jobs = jobs.with_columns((pl.col(held[MEMORY]) * gb * number).alias(held[MEMORY]))
    need, run = pl.col("need"), pl.col("run")
    reasons = {
        "another number of fields than in the header": ~pl.col("fits"),
        CANCELLED: pl.col("never"),
        WAITING: pl.col("waits"),
        "no run time": run.is_null() & ~pl.col("unfinished"),
        "a negative time": run < 0,
    }
    reasons |= reasons_of_needs(units) if reading.units else {"no number of servers": ~(need > 0).fill_null(False)}
    jobs = jobs.with_columns(dropped=first_reason(reasons), estimate=pl.when(pl.col("estimate") > 0).then("estimate"))
    reading.span.add(jobs.filter(pl.col("dropped").is_null() | pl.col("waits")))
    jobs = rows_of(jobs, len(reading.needs))
    waiting = jobs.filter(pl.col("dropped") == WAITING)
    name = pl.coalesce("job", pl.col("line").cast(pl.String))
    reading.waiting.append(waiting.with_columns(job=name, dropped=pl.lit(None, pl.String)))
    return jobs


def with_states(jobs: pl.DataFrame, text: pl.DataFrame, span: Span) -> pl.DataFrame:
    """Return jobs with what their times say of them: whether they are ``unfinished``, wait, or ``never`` started.

    A time that a scheduler does not know may be a number all the same: 0 or -1, which dates show as the first day of
    1970, or the last second that a clock can count.

    `jobs` have the columns ``line``, ``submit``, ``eligible``, ``start``, ``end`` and ``run`` [s], null where one is
    not known; `text` is what the file has of these. The span keeps the first submission.

    >>> times = {"submit": [1.7e9] * 4, "start": [1.7e9, 0, 1.7e9, None], "end": [1.8e9] * 2 + [0, 0]}
    >>> jobs = pl.DataFrame({"line": [2, 3, 4, 5]} | times | {"eligible": None, "run": None}, strict=False)
    >>> jobs = jobs.with_columns(pl.col(*POINTS, "run").cast(pl.Float64))
    >>> jobs = with_states(jobs, jobs.select("submit", "start", "end").cast(pl.String), Span())
    >>> jobs.select("unfinished", "waits", "never").rows()
    [(False, False, False), (False, False, True), (True, False, False), (False, True, False)]
    """
    submit, start, end, run = (pl.col(name) for name in ("submit", "start", "end", "run"))
    odd = [jobs[name].is_null() & ~is_missing(text[name]) for name in ("start", "end", "run") if name in text.columns]
    jobs = _known(jobs.with_columns(given=start), "submit", pl.max_horizontal("start", "end"), np.inf)
    span.first = float(jobs["submit"].drop_nulls().to_numpy().min(initial=span.first))
    jobs = _known(_known(jobs, "eligible", submit, span.first), "start", submit, span.first)
    jobs = _known(jobs, "end", pl.coalesce("start", "submit"), span.first)
    nothing = start.is_null() & pl.col("given").is_not_null() & ((run <= 0) | (run >= end - pl.col("given") - 1))
    jobs = jobs.with_columns(
        run=pl.when(~nothing.fill_null(False)).then("run"),
        end=pl.when(nothing).then(pl.coalesce("end", "submit")).otherwise("end"),
    )
    clear = ~pl.any_horizontal(pl.lit(False), *odd) & run.is_null()
    did_not = clear & start.is_null() & ("start" in text.columns)
    return jobs.with_columns(
        never=did_not & end.is_not_null(),
        waits=did_not & end.is_null() & submit.is_not_null(),
        unfinished=clear & start.is_not_null() & end.is_null(),
    )


def _known(jobs, name, other, first):
    """Return jobs with null for points that are no times: they are far from another time of the same job."""
    point = pl.col(name)
    words = point.is_in(LAST_SECONDS) | point.is_between(*YEAR_9999) | ((other > CALENDAR) & (point <= DAY))
    words |= ((other > first) & (point == 0)) | ((other >= 0) & (point == -1))
    return jobs.with_columns(pl.when(~words.fill_null(False)).then(name).alias(name))
