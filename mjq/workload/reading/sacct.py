"""What Slurm's ``sacct`` prints: a header and a line for each job, the fields between delimiters that are not quoted.

The line to use is :data:`COMMAND`. It asks for no names of jobs or users: they may contain delimiters and ends of
lines, and nobody needs them here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import polars as pl

from mjq.workload.reading.rows import SCHEMA, Reading, first_reason
from mjq.workload.reading.times import duration, has_zone, moment, numbers

__all__ = ["COLUMNS", "COMMAND", "UNITS", "looks_like_sacct", "read"]

COLUMNS = (
    "JobIDRaw", "State", "Submit", "Eligible", "Start", "End", "ElapsedRaw", "TimelimitRaw", "NNodes", "AllocCPUS",
    "AllocTRES", "Partition", "Flags", "ReqTRES",
)  # fmt: skip
COMMAND = (
    f"SLURM_TIME_FORMAT=%s sacct -a -X -D -P --delimiter=';' -S 2025-01-01 -E now -o {','.join(COLUMNS)} > jobs.txt"
)
STARTED = (
    "COMPLETED|FAILED|TIMEOUT|CANCELLED|NODE_FAIL|PREEMPTED|REQUEUED|OUT_OF_MEMORY|DEADLINE|BOOT_FAIL|REVOKED|"
    "SPECIAL_EXIT|LAUNCH_FAILED"
)
WITHOUT_REQUESTS = len(COLUMNS) - 1  # columns that the command once asked for, the first ones
STILL_THERE = "RUNNING|SUSPENDED|COMPLETING|CONFIGURING|RESIZING|STOPPED|SIGNALING|STAGE_OUT"
WITHOUT_A_HEADER = re.compile(rf"\d+([^\w\s.])({STARTED}|{STILL_THERE}|PENDING)")
# Of each unit: the column that counts it, and its name among the trackable resources.
UNITS = {
    "cpus": (("AllocCPUS", "NCPUS"), r"(?:^|,)cpu=(\d+)"),
    "nodes": (("NNodes", "AllocNodes"), r"(?:^|,)node=(\d+)"),
    "gpus": ((), r"(?:^|,)gres/gpu=(\d+)"),
}
# The column that counts what a job asks for that has not started.
REQUESTED = {"cpus": "ReqCPUS", "nodes": "NNodes", "gpus": ""}


def looks_like_sacct(lines: Iterable[str]) -> bool:
    """Return whether the first line is a header of ``sacct``, or a job as :data:`COMMAND` prints it.

    >>> looks_like_sacct(["JobID|State|Elapsed|AllocCPUS|"]), looks_like_sacct(["submit,run,need"])
    (True, False)
    """
    first = next((line for line in lines if line.strip()), "")
    return _header(first) is not None or bool(WITHOUT_A_HEADER.match(first))


def read(blocks: Iterable[tuple[int, list[str]]], unit: str | None = None) -> Reading:
    """Read blocks of lines into a ``Reading``.

    Parameters
    ----------
    blocks : iterable
        Of ``mjq.workload.reading.lines.blocks``.
    unit : {"cpus", "nodes", "gpus"}, optional
        What counts as a server; by default CPUs or, if the file does not tell them, nodes.

    Raises
    ------
    ValueError
        If the columns do not tell what a job held and for how long.
    """
    reading = Reading((), clock=lambda header, first: (0.0, ""))
    reading.tables = _tables(iter(blocks), unit, reading.notes, reading.present)
    return reading


def _tables(blocks, unit, notes, present):
    """Yield a table for each block; the header is the first line, or that of our command if there is none."""
    layout = None
    for first, lines in blocks:
        if layout is None:
            blank = next(k for k, line in enumerate(lines) if line.strip())
            layout = _header(lines[blank])
            if layout is None:
                found = WITHOUT_A_HEADER.match(lines[blank])
                assert found, "only such lines are taken for the output of our command"
                delimiters = lines[blank].count(found[1])
                columns = COLUMNS[:WITHOUT_REQUESTS] if delimiters < WITHOUT_REQUESTS else COLUMNS
                layout = columns, found[1], delimiters == len(columns)
            else:
                first, lines = first + blank + 1, lines[blank + 1 :]
            _require_columns(layout[0], unit)
            if "Eligible" not in layout[0]:
                notes.append("no column Eligible: waits count from Submit, also while a job was not allowed to start")
        names, delimiter, ended = layout
        jobs = _table(first, lines, names, delimiter, ended, unit)
        present.append(_present(jobs, names, unit))
        yield jobs.select(list(SCHEMA)).cast(SCHEMA)


def _header(line):
    """Return names, delimiter, and whether one ends each line, too; or None if this is no header."""
    names = re.findall(r"[A-Za-z]\w*", line)
    if not {"JobID", "JobIDRaw"} & set(names) or not {"Elapsed", "ElapsedRaw", "Start"} & set(names):
        return None
    between = re.split(r"[A-Za-z]\w*", line.strip("\r\n"))[1:]
    delimiter = between[0]
    if not delimiter.strip(" ") or set(between[1:-1]) - {delimiter} or between[-1] not in ("", delimiter):
        raise ValueError("the columns are not separated by one delimiter: ask sacct for them with -P")
    if len(set(names)) < len(names):
        raise ValueError(f"a column occurs twice: {', '.join(names)}")
    return names, delimiter, between[-1] == delimiter


def _require_columns(names, unit):
    columns, _ = UNITS[unit or "cpus"]
    counted = {*columns, "AllocTRES"} | (set(UNITS["nodes"][0]) if unit is None else set())
    if not counted & set(names):
        raise ValueError(f"no column says how many servers a job held: add one of {', '.join(sorted(counted))}")
    if not ({"ElapsedRaw", "Elapsed"} & set(names) or {"Start", "End"} <= set(names)):
        raise ValueError("no column says how long a job ran: add ElapsedRaw, Elapsed, or Start and End")


def _table(first, lines, names, delimiter, trailing, unit):
    fields = len(names) - 1 + trailing
    text = pl.DataFrame({"text": lines}, schema={"text": pl.String}).with_row_index("line", first)
    text = text.with_columns(pl.col("text").str.strip_chars("\r"))
    text = text.filter(pl.col("text").str.strip_chars() != "")
    parts = pl.col("text").str.split_exact(delimiter, fields)
    jobs = text.select(
        "line",
        *(parts.struct.field(f"field_{k}").str.strip_chars().alias(name) for k, name in enumerate(names)),
        fits=pl.col("text").str.count_matches(delimiter, literal=True) == fields,
    )
    jobs = _with_times(jobs, names).with_columns(need=_need(names, unit))
    state = pl.col("State") if "State" in names else pl.lit("")
    reasons = {
        "another number of fields than in the header": ~pl.col("fits"),
        "a header again": pl.col("job").is_in(["JobID", "JobIDRaw"]),
        "a step of a job": pl.col("job").str.contains(".", literal=True),
        "still there when the log was taken": state.str.contains(f"^(?:{STILL_THERE})"),
        "cancelled before it started": state.str.contains("^CANCELLED")
        & ~(pl.col("run") > 0).fill_null(False)
        & (pl.col("start").is_null() if "Start" in names else pl.lit(True)),
        "never started": state.str.contains("^(?:PENDING|REQUEUE_HOLD|SPECIAL_EXIT)")
        | (pl.col("start").is_null() & ~(pl.col("run") > 0) if "Start" in names else pl.lit(False)),
        "no run time": pl.col("run").is_null(),
        "a negative time": pl.col("run") < 0,
        "no number of servers": ~(pl.col("need") > 0).fill_null(False),
    }
    return jobs.with_columns(dropped=first_reason(reasons))


def _present(jobs, names, unit):
    """Return the jobs that run or wait when the log is taken; those that wait have no start, and need what they ask."""
    state = pl.col("State") if "State" in names else pl.lit("")
    runs, waits = state.str.contains(f"^(?:{STILL_THERE})"), state.str.contains("^PENDING")
    nothing = pl.lit(None, pl.Float64)
    jobs = jobs.filter(pl.col("dropped").is_in(["still there when the log was taken", "never started"]), runs | waits)
    return jobs.with_columns(
        need=pl.when(waits).then(_need(names, unit, requested=True)).otherwise("need"),
        start=pl.when(runs).then("start").otherwise(nothing),
        run=pl.when(runs).then("run").otherwise(nothing),
        dropped=pl.lit(None, pl.String),
    ).select(list(SCHEMA)).cast(SCHEMA)  # fmt: skip


def _with_times(jobs, names):
    """Return the table with identities and times as seconds."""
    nothing = pl.lit(None, pl.Float64)
    points = {"submit": "Submit", "eligible": "Eligible", "start": "Start", "end": "End"}
    runs, limits = ("ElapsedRaw", "Elapsed"), {"TimelimitRaw": 60, "Timelimit": 1}
    jobs = numbers(jobs, [name for name in (*points.values(), *runs, *limits) if name in names])
    plain = {name for name, kind in jobs.schema.items() if kind == pl.Float64}

    def time(name, unit=1):
        return pl.col(name) * unit if name in plain else duration(pl.col(name), unit)

    lasts = [time(name) for name in runs if name in names]
    said = [time(name, unit) for name, unit in limits.items() if name in names]
    zones = [has_zone(pl.col(name)) for name in points.values() if name in names and name not in plain]
    at = {
        ours: pl.col(name) if name in plain else moment(pl.col(name)) for ours, name in points.items() if name in names
    }
    jobs = jobs.with_columns(
        **dict.fromkeys(points, nothing) | at,
        job=pl.coalesce(name for name in ("JobIDRaw", "JobID") if name in names),
        partition="Partition" if "Partition" in names else pl.lit(None, pl.String),
        user=_user(names),
        estimate=pl.coalesce(*said, nothing),
        zoned=pl.coalesce(*zones, pl.lit(None, pl.Boolean)),
    )
    return jobs.with_columns(run=pl.coalesce(*lasts, pl.col("end") - pl.col("start")))


def _user(names):
    """Return who submitted a job, if the file tells it; our command does not ask for it."""
    given = [pl.col(name) for name in ("UID", "User") if name in names]
    user = pl.coalesce(*given, pl.lit(None, pl.String))
    return pl.when(user != "").then(user)


def _need(names, unit, requested=False):
    """Return the servers that a job holds or, if it has not started, requests."""
    found, prefix = [], "Req" if requested else "Alloc"
    for one in (unit,) if unit else ("cpus", "nodes"):
        columns, resource = UNITS[one]
        columns = (REQUESTED[one],) if requested else columns
        found += [pl.col(name).cast(pl.Float64, strict=False) for name in columns if name in names]
        found += [pl.col(f"{prefix}TRES").str.extract(resource).cast(pl.Float64)] if f"{prefix}TRES" in names else []
    return pl.coalesce(*found, pl.lit(None, pl.Float64))
