"""Logs in the Standard Workload Format, version 2.2: one job a line, 18 numbers, -1 for what is not known.

Source: S. J. Chapin et al., Benchmarks and standards for the evaluation of parallel job schedulers, JSSPP 1999; the
Parallel Workloads Archive.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import polars as pl

from mjq_logs.reading.rows import CANCELLED, PART, Reading, first_reason, reasons_of_needs, rows_of
from mjq_logs.reading.vectors import MEMORY, memory_unit

FIELDS = (
    "number", "submit", "wait", "run", "allocated", "cpu_time", "used_memory", "requested", "estimate",
    "requested_memory", "status", "user", "group", "program", "queue", "partition", "preceding", "think_time",
)  # fmt: skip
NAMES = "number", "partition", "user", "queue"  # fields that are numbers in place of names
OF_THE_FORMAT = "KB/cpu"  # its unit of memory
PARTS = 2.0, 3.0, 4.0  # status of a part of a job that is listed as a whole, too
DIED, WAS_CANCELLED = 0.0, 5.0  # status
NAMED = re.compile(r"(\d+)\s+([^\s,;:]+)")  # a queue's number and its name


def looks_like_swf(lines: Iterable[str]) -> bool:
    """Return whether one of the lines is a job or comment of this format.

    Some logs have more columns than the format, after its eighteen.

    >>> looks_like_swf(["; MaxProcs: 8"]), looks_like_swf(["1,2"]), looks_like_swf(["1 " * 18])
    (True, False, True)
    """
    job = re.compile(rf"\s*(-?[\d.]+(e[+-]?\d+)?(\s+|$)){{{len(FIELDS)}}}", re.IGNORECASE)
    return any(line.lstrip().startswith(";") or job.match(line) for line in lines)


def read(blocks: Iterable[tuple[int, list[str]]], units: tuple[str, ...] = (), memory: str = OF_THE_FORMAT) -> Reading:
    """Read blocks of lines (:func:`mjq_logs.reading.text.blocks`), and count cpus, mem or both; by default cpus.

    Memory is what a job requests (field 10) or, where that is not known, uses (field 7), in a
    :func:`~mjq_logs.reading.vectors.memory_unit`. ``ValueError`` if something else is to be counted.
    """
    if others := set(units) - {"cpus", MEMORY}:
        raise ValueError(f"a log in the Standard Workload Format counts cpus and mem, and no {', '.join(others)}")
    comments = _Comments()
    reading = Reading(units=units or ("cpus",), header=comments.header)
    reading.tables = _tables(blocks, comments, reading, memory)
    return reading


def _tables(blocks, comments, reading, memory):
    """Yield the jobs of each block; the last note says where their memory is from."""
    requested = used = 0
    for first, lines in blocks:
        jobs = _jobs(first, lines, comments, reading, memory)
        requested += jobs["requested_memory"].count()
        used += jobs.filter(pl.col("requested_memory").is_null())["used_memory"].count()
        yield rows_of(jobs, len(reading.units))
    if MEMORY in reading.units:
        each = "each processor" if memory_unit(memory)[1] else "the whole job"
        fields = [f"{requested} jobs request (field 10)"] * (requested > 0) + [f"{used} use (field 7)"] * (used > 0)
        source = "as the format says" if memory == OF_THE_FORMAT else "as --memory says"
        reading.notes.append(
            f"the memory is what {' and '.join(fields) or 'no job tells'}, taken to be in "
            f"{memory.removesuffix('/cpu')} for {each}, {source}; it is counted in GB"
        )


class _Comments:
    """Hold the text of each comment by its name: the first of each name, but all notes, one in each line.

    `width` is how many words a line with a job has, by the first one; `queues` names queues by their numbers.

    >>> comments = _Comments()
    >>> for line in "; Note: one note", ";   of two lines", ";", "; Note: another", "; MaxProcs: 8", "; Queue: 2 day":
    ...     comments.add(line)
    >>> comments.queues, comments.header
    ({'2': 'day'}, {'Note': 'one note of two lines\\nanother', 'MaxProcs': '8', 'Queue': '2 day'})
    """

    def __init__(self):
        self.header, self.in_note, self.width, self.queues = {}, False, None, {}

    def add(self, line):
        """Read one comment."""
        comment = line.strip()[1:].strip()
        name, colon, text = (part.strip() for part in comment.partition(":"))
        if colon and name == "Note":
            self.header[name] = f"{self.header[name]}\n{text}" if name in self.header else text
        elif colon:
            self.header.setdefault(name, text)
            if name == "Queue" and (queue := NAMED.match(text)):
                self.queues[queue[1]] = queue[2]
        elif self.in_note and comment:
            self.header["Note"] += f" {comment}"
        self.in_note = name == "Note" if colon else self.in_note and bool(comment)


def _jobs(first, lines, comments, reading, memory):
    """Return the jobs of these lines, beside their fields; what comments say goes to `comments`."""
    for line in lines:
        if line.lstrip().startswith(";"):
            comments.add(line)
    text = pl.DataFrame({"text": lines}).with_row_index("line", first)
    text = text.with_columns(words=pl.col("text").str.extract_all(r"\S+"))
    text = text.filter(pl.col("words").list.len() > 0, ~pl.col("text").str.contains(r"^\s*;"))
    word = pl.col("words").list
    fields = {name: word.get(k, null_on_oob=True).cast(pl.Float64, strict=False) for k, name in enumerate(FIELDS)}
    jobs = text.select("line", **fields, width=word.len())
    jobs = jobs.with_columns(complete=pl.all_horizontal(pl.col(*FIELDS).is_finite().fill_null(False)))
    if comments.width is None and (widths := jobs.filter("complete")["width"]).len():
        comments.width = widths[0]
        if comments.width > len(FIELDS):
            reading.notes.append(
                f"lines have {comments.width} columns: the first {len(FIELDS)} are taken for those of the format"
            )
    jobs = jobs.with_columns(pl.when(pl.col(*FIELDS) != -1).then(pl.col(*FIELDS)))
    allocated, run, status = (pl.col(name) for name in ("allocated", "run", "status"))
    gb, each = memory_unit(memory)
    got = (allocated > 0).fill_null(False)
    processors = pl.when(got).then(allocated).otherwise("requested")
    held: dict[str, pl.Expr] = {"cpus": pl.when(processors > 0).then(processors)}
    held[MEMORY] = pl.coalesce("requested_memory", "used_memory") * gb * (held["cpus"] if each else 1)
    jobs = jobs.with_columns(
        **{need: held[unit] for need, unit in zip(reading.needs, reading.units, strict=True)},
        start=pl.col("submit") + pl.col("wait"),
    )
    nothing_held = status.is_in([DIED, WAS_CANCELLED]) & (run == 0).fill_null(True) & ~got
    reasons = {
        f"not {len(FIELDS)} numbers": ~(pl.col("complete") & (pl.col("width") == (comments.width or len(FIELDS)))),
        PART: status.is_in(PARTS),
        CANCELLED: nothing_held | ((status == WAS_CANCELLED) & run.is_null()),
        "no run time": run.is_null(),
        "a negative time": pl.any_horizontal(pl.col("submit", "run") < 0),
    }
    several = reasons_of_needs(reading.units) if reading.units != ("cpus",) else {}
    return jobs.with_columns(
        pl.col(*NAMES).cast(pl.Int64, strict=False).cast(pl.String),
        estimate=pl.when(pl.col("estimate") > 0).then("estimate"),
        dropped=first_reason(reasons | (several or {"no number of processors": pl.col("need").is_null()})),
    ).with_columns(pl.col("queue").replace(comments.queues), job="number")
