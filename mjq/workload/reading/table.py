"""Logs as tables, CSV or Parquet, whose columns a map names."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path

import polars as pl

from mjq._util.plain import printable
from mjq.workload.reading.rows import SCHEMA, Reading, first_reason
from mjq.workload.reading.times import duration, has_zone, moment, numbers

__all__ = ["COLUMNS", "read_csv", "read_parquet"]

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
}
POINTS = "submit", "eligible", "start", "end"
TIMES = {*POINTS, "run", "estimate"}
ROWS = 100_000  # at a time
CALENDAR = 1e8  # seconds; times above it count from 1970
MOST_NAMED, LONGEST_NAME = 30, 40  # columns, and letters of one, in a message


def read_csv(blocks: Iterable[tuple[int, list[str]]], columns: dict[str, str] | None = None) -> Reading:
    """Read a CSV file into a ``Reading``.

    Parameters
    ----------
    blocks : iterable
        Of ``mjq.workload.reading.lines.blocks``.
    columns : dict, optional
        Some of :data:`COLUMNS` to what the file calls them; a name that is not given is taken as it stands.

    Raises
    ------
    ValueError
        If there is no such column, or none says what a job held or for how long.
    """
    return Reading(_csv_tables(blocks, columns), clock=_clock)


def _csv_tables(blocks, columns):
    blocks, blank = iter(blocks), 0
    for _, lines in blocks:
        place = next((k for k, line in enumerate(lines) if line.strip()), None)
        if place is not None:
            break
        blank += len(lines)
    else:
        raise ValueError("the file is empty")
    header, first = lines[place], blank + place + 1
    delimiter = max(",;\t|", key=header.count)
    blocks = chain([(first + 1, lines[place + 1 :])], blocks)
    if _is_plain([header]):
        names = [name.strip() for name in header.removesuffix("\r").split(delimiter)]
        chosen = _chosen(names, columns)
        for first, lines in blocks:
            if not _is_plain(lines):
                blocks = chain([(first, lines)], blocks)
                break
            yield _jobs(_split(first, lines, delimiter, names, chosen))
        else:
            return
    else:
        names, chosen = None, None
        blocks = chain([(first, [header])], blocks)
    # What is quoted is not read by polars, which ends at a row that is too long, fills one that is too short, and does
    # not number them.
    rows = csv.reader((line + "\n" for _, block in blocks for line in block), delimiter=delimiter)
    before = first - 1
    try:
        if names is None:
            names = [name.strip() for name in next(rows)]
            chosen = _chosen(names, columns)
        while batch := list(islice(((rows.line_num + before, row) for row in rows if row), ROWS)):
            yield _jobs(_texts(batch, names, chosen))
    except csv.Error as error:
        raise ValueError(f"line {rows.line_num + before}: {error}") from None


def _is_plain(lines):
    """Return whether no field of these lines is quoted, too long, or ends a line of its own."""
    text = "\n".join(lines)
    returns = text.count("\r") - text.count("\r\n") - text.endswith("\r")
    return '"' not in text and not returns and max(map(len, lines), default=0) <= csv.field_size_limit()


def _split(first, lines, delimiter, names, chosen):
    """Return the chosen columns of plain lines as text, under our names."""
    text = pl.DataFrame({"text": lines}, schema={"text": pl.String}).with_row_index("line", first)
    text = text.with_columns(pl.col("line").cast(pl.Int64), pl.col("text").str.strip_suffix("\r"))
    text = text.filter(pl.col("text") != "")
    parts = pl.col("text").str.split_exact(delimiter, len(names) - 1)
    return text.select(
        "line",
        *(
            parts.struct.field(f"field_{names.index(theirs)}").str.strip_chars().alias(ours)
            for ours, theirs in chosen.items()
        ),
        fits=pl.col("text").str.count_matches(delimiter, literal=True) == len(names) - 1,
    )


def _texts(rows, names, chosen):
    """Return the chosen columns as text, under our names; rows that do not fit the header are null."""
    fits = [len(row) == len(names) for _, row in rows]
    values = {
        ours: [row[place] if fit else None for (_, row), fit in zip(rows, fits, strict=True)]
        for ours, place in ((ours, names.index(theirs)) for ours, theirs in chosen.items())
    }
    table = pl.DataFrame(values, schema=dict.fromkeys(values, pl.String)).with_columns(pl.all().str.strip_chars())
    return table.with_columns(line=pl.Series([number for number, _ in rows], dtype=pl.Int64), fits=pl.Series(fits))


def read_parquet(path: str | Path, columns: dict[str, str] | None = None) -> Reading:
    """Read a Parquet file as :func:`read_csv`; points in time and durations may have types of their own."""
    try:
        frame = pl.scan_parquet(path)
        names = frame.collect_schema().names()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise ValueError(f"this is not a Parquet file that can be read: {error}") from None
    chosen, kinds = _chosen(names, columns), frame.collect_schema()
    for theirs in chosen.values():
        if kinds[theirs].is_nested() or kinds[theirs] in (pl.Binary, pl.Object):
            kind = str(kinds[theirs].base_type()).lower()
            raise ValueError(f"column {theirs!r} holds values of the type {kind}, which are not numbers, times or text")
    return Reading(_parquet_tables(frame, chosen), clock=_clock)


def _parquet_tables(frame, chosen):
    frame = frame.select(pl.col(theirs).alias(ours) for ours, theirs in chosen.items())
    kinds = frame.collect_schema()
    for ours, kind in kinds.items():
        if isinstance(kind, pl.Datetime):
            frame = frame.with_columns(pl.col(ours).dt.epoch("us") / 1e6)
        elif isinstance(kind, pl.Duration):
            frame = frame.with_columns(pl.col(ours).dt.total_microseconds() / 1e6)
    frame = frame.with_columns(pl.all().cast(pl.String)).with_row_index("line", 1)
    first = 0
    while len(rows := frame.slice(first, ROWS).collect()):
        yield _jobs(rows.with_columns(fits=pl.lit(True)))
        first += ROWS


def _chosen(names, columns):
    """Map our names to those of the file; both must be there, and enough of them."""
    columns = columns or {}
    for ours, theirs in columns.items():
        if ours not in COLUMNS:
            raise ValueError(f"our name of a column must be one of {', '.join(COLUMNS)}; got {ours!r}")
        if theirs not in names:
            raise ValueError(f"the file has no column {theirs!r}; there are {_listed(names)}")
    chosen = {ours: columns.get(ours, ours) for ours in COLUMNS if columns.get(ours, ours) in names}
    if "need" not in chosen or not ("run" in chosen or {"start", "end"} <= set(chosen)):
        raise ValueError(
            "the columns must include need, the servers of a job, and run, its run time, or start and end; "
            f"there are {_listed(names)}"
        )
    return chosen


def _listed(names):
    """Return the names of columns for a message, whatever a file calls them."""
    named = ", ".join(printable(name[:LONGEST_NAME]) for name in names[:MOST_NAMED])
    return named + f", … ({len(names)} in all)" * (len(names) > MOST_NAMED)


def _jobs(rows):
    """Return rows of text as the table of jobs of a reading."""
    given, nothing = set(rows.columns), pl.lit(None, pl.String)
    rows = numbers(rows, given & TIMES)
    known = {ours for ours in given & TIMES if rows[ours].dtype == pl.Float64}
    column = {ours: pl.col(ours) if ours in given else nothing for ours in COLUMNS}
    at = {ours: column[ours] if ours in known else moment(column[ours]) for ours in POINTS}
    lasts = {ours: column[ours] if ours in known else duration(column[ours]) for ours in ("run", "estimate")}
    points = {ours: at[ours] for ours in ("submit", "eligible", "start")}
    zones = [has_zone(column[ours]) for ours in points if ours in given - known]
    jobs = rows.select(
        "line",
        **points,
        job=column["job"],
        partition=column["partition"],
        user=pl.when(column["user"] != "").then(column["user"]),
        run=pl.coalesce(lasts["run"], at["end"] - at["start"]),
        estimate=lasts["estimate"],
        need=column["need"].cast(pl.Float64, strict=False),
        zoned=pl.coalesce(*zones, pl.lit(None, pl.Boolean)),
        fits="fits",
    )
    need, run = pl.col("need"), pl.col("run")
    reasons = {
        "another number of fields than in the header": ~pl.col("fits"),
        "no run time": run.is_null(),
        "a negative time": run < 0,
        "no number of servers": ~(need.is_finite() & (need > 0)).fill_null(False),
    }
    jobs = jobs.with_columns(dropped=first_reason(reasons), estimate=pl.when(pl.col("estimate") > 0).then("estimate"))
    return jobs.select(list(SCHEMA)).cast(SCHEMA)


def _clock(header, first):
    """Return second 0, known if times count from 1970, and no note."""
    return (0.0 if first > CALENDAR else None), ""
