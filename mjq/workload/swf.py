"""Logs in the Standard Workload Format, version 2.2: one job a line, 18 numbers, -1 for what is not known.

Source: S. J. Chapin et al., Benchmarks and standards for the evaluation of parallel job schedulers, JSSPP 1999; the
Parallel Workloads Archive.
"""

import re
from collections.abc import Iterable
from datetime import datetime
from zoneinfo import ZoneInfo

import polars as pl

from mjq.workload.log import SCHEMA, Reading, first_reason

__all__ = ["looks_like_swf", "read"]

FIELDS = 18
NUMBER, SUBMIT, WAIT, RUN, ALLOCATED, REQUESTED, ESTIMATE, STATUS, PARTITION = 0, 1, 2, 3, 4, 7, 8, 10, 15
PARTS = 2.0, 3.0, 4.0  # status of a part of a job that is listed as a whole, too
CANCELLED = 5


def looks_like_swf(lines: Iterable[str]) -> bool:
    """Whether one of the lines is a job or comment of this format.

    >>> looks_like_swf(["; MaxProcs: 8"]), looks_like_swf(["1,2"]), looks_like_swf(["1 " * 18])
    (True, False, True)
    """
    job = re.compile(rf"\s*(-?[\d.]+(e[+-]?\d+)?(\s+|$)){{{FIELDS}}}$", re.IGNORECASE)
    return any(line.lstrip().startswith(";") or job.match(line) for line in lines)


def read(blocks: Iterable[tuple[int, list[str]]]) -> Reading:
    """What the blocks of lines hold, as a :class:`~mjq.workload.log.Reading`."""
    header = {}
    return Reading((_table(first, lines, header) for first, lines in blocks), header, _machine, _clock)


def _table(first, lines, header):
    """The jobs of these lines; what comments say goes into `header`."""
    for line in lines:
        if line.lstrip().startswith(";"):
            name, colon, text = line.lstrip()[1:].partition(":")
            if colon:
                header.setdefault(name.strip(), text.strip())
    text = pl.DataFrame({"text": lines}).with_row_index("line", first)
    text = text.with_columns(pl.col("line").cast(pl.Int64), words=pl.col("text").str.extract_all(r"\S+"))
    text = text.filter(pl.col("words").list.len() > 0, ~pl.col("text").str.contains(r"^\s*;"))
    word = pl.col("words")
    fields = [word.list.get(k, null_on_oob=True).cast(pl.Float64, strict=False).alias(str(k)) for k in range(FIELDS)]
    jobs = text.select("line", *fields, fits=word.list.len() == FIELDS)
    whole = pl.all_horizontal(pl.col("fits"), *(pl.col(str(k)).is_finite().fill_null(False) for k in range(FIELDS)))
    known = {k: pl.when(pl.col(str(k)) != -1).then(pl.col(str(k))) for k in range(FIELDS)}
    jobs = jobs.with_columns(
        need=pl.when(pl.col(str(ALLOCATED)) > 0).then(str(ALLOCATED)).otherwise(str(REQUESTED)),
        start=known[SUBMIT] + known[WAIT],
    )
    reasons = {
        f"not {FIELDS} numbers": ~whole,
        "a part of a job that is listed as a whole": pl.col(str(STATUS)).is_in(PARTS),
        "cancelled before it started": (pl.col(str(STATUS)) == CANCELLED) & (pl.col(str(RUN)) == -1),
        "no run time": pl.col(str(RUN)) == -1,
        "a negative time": pl.any_horizontal(known[SUBMIT] < 0, known[RUN] < 0),
        "no number of processors": ~(pl.col("need") > 0),
    }
    return jobs.select(
        "line",
        job=known[NUMBER].cast(pl.Int64, strict=False).cast(pl.String),
        partition=known[PARTITION].cast(pl.Int64, strict=False).cast(pl.String),
        submit=known[SUBMIT],
        eligible=pl.lit(None, pl.Float64),
        start="start",
        run=known[RUN],
        estimate=pl.when(pl.col(str(ESTIMATE)) > 0).then(str(ESTIMATE)),
        need="need",
        zoned=pl.lit(None, pl.Boolean),
        dropped=first_reason(reasons),
    ).cast(SCHEMA)


def _machine(header, partition):
    """Processors by the header: of all partitions, or of the one asked for where they are listed in parentheses.

    >>> _machine({"MaxProcs": "100 (64, 36)"}, None), _machine({"MaxProcs": "100 (64, 36)"}, "2")
    ((100.0, 'MaxProcs in the header'), (36.0, 'MaxProcs in the header'))
    """
    for name in ("MaxProcs", "MaxNodes"):
        numbers = [float(word) for word in re.findall(r"(?<![-\d.])\d+", header.get(name, ""))]
        place = 0 if partition is None else int(partition) if str(partition).isdigit() else len(numbers)
        if place < len(numbers) and numbers[place] > 0:
            return numbers[place], f"{name} in the header"
    return None, ""


def _clock(header, first):
    """Local time of second 0, if the header tells it; by the offset of its zone at that time.

    >>> _clock({"UnixStartTime": "749458803", "TimeZone": "-28800"}, 0) - 749458803
    -28800.0
    """
    try:
        began = float(header["UnixStartTime"])
    except (KeyError, ValueError):
        return None
    try:
        zone = ZoneInfo(header["TimeZoneString"])
        return began + datetime.fromtimestamp(began, zone).utcoffset().total_seconds()
    except (KeyError, ValueError, OSError):  # no such zone on this machine, or none is named
        offset = re.match(r"\s*(-?\d+)", header.get("TimeZone", "0"))
        return began + float(offset[1] if offset else 0)
