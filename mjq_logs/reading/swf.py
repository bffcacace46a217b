"""Logs in the Standard Workload Format, version 2.2: one job a line, 18 numbers, -1 for what is not known.

Source: S. J. Chapin et al., Benchmarks and standards for the evaluation of parallel job schedulers, JSSPP 1999; the
Parallel Workloads Archive.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import polars as pl

from mjq._util.plain import brief
from mjq_logs.reading.rows import (
    CANCELLED,
    PART,
    Reading,
    first_reason,
    need_columns,
    reasons_of_needs,
    rows_of,
)
from mjq_logs.reading.text import as_count
from mjq_logs.reading.vectors import MEMORY, memory_unit

FIELDS = 18
NUMBER, SUBMIT, WAIT, RUN, ALLOCATED, REQUESTED, ESTIMATE, STATUS, USER = 0, 1, 2, 3, 4, 7, 8, 10, 11
QUEUE, PARTITION = 14, 15
USED_MEMORY, REQUESTED_MEMORY = 6, 9
OF_THE_FORMAT = "KB/cpu"  # its unit of memory
PARTS = 2.0, 3.0, 4.0  # status of a part of a job that is listed as a whole, too
DIED, WAS_CANCELLED = 0.0, 5.0  # status
# How a header says so: that of NASA iPSC ("the given submit times are actually start times"), the same words with
# another verb, and what the archive's page of that log says ("does not include arrival information, only start times").
SUBMITS_ARE_STARTS = re.compile(
    r"submit(tal)? times? (is|are) ((actually|really|in fact) )?(the )?start times?"
    r"|(no|not include) arrival information, only start times",
    re.IGNORECASE,
)


NAMED = re.compile(r"(\d+)\s+([^\s,;:]+)")  # a queue's number and its name


def looks_like_swf(lines: Iterable[str]) -> bool:
    """Return whether one of the lines is a job or comment of this format.

    Some logs have more columns than the format, after its eighteen.

    >>> looks_like_swf(["; MaxProcs: 8"]), looks_like_swf(["1,2"]), looks_like_swf(["1 " * 18])
    (True, False, True)
    """
    job = re.compile(rf"\s*(-?[\d.]+(e[+-]?\d+)?(\s+|$)){{{FIELDS}}}", re.IGNORECASE)
    return any(line.lstrip().startswith(";") or job.match(line) for line in lines)


def read(blocks: Iterable[tuple[int, list[str]]], units: tuple[str, ...] = (), memory: str = OF_THE_FORMAT) -> Reading:
    """Read blocks of lines into a ``Reading``.

    Parameters
    ----------
    blocks : iterable
        Of ``mjq_logs.reading.text.blocks``.
    units : tuple of str
        What is counted, of cpus and mem; by default processors. Memory is what a job requests (field 10) or, where that
        is not known, uses (field 7).
    memory : str
        Unit of the memory in the file, see :func:`mjq_logs.reading.vectors.memory_unit`.

    Raises
    ------
    ValueError
        If something else is to be counted.
    """
    if others := set(units) - {"cpus", MEMORY}:
        raise ValueError(f"a log in the Standard Workload Format counts cpus and mem, and no {', '.join(others)}")
    comments, units = _Comments(), units or ("cpus",)
    reading = Reading((), comments.header, _machine if "cpus" in units else None)
    reading.submits_are_starts = _submits_are_starts
    reading.resources = units if len(units) > 1 else ()
    reading.tables = _tables(blocks, comments, units, memory, reading.notes)
    return reading


def _tables(blocks, comments, units, memory, notes):
    """Yield the jobs of each block; the last note says where their memory is from."""
    requested = used = 0
    for first, lines in blocks:
        jobs = _jobs(first, lines, comments, units, memory, notes)
        requested += int((jobs["from"] == REQUESTED_MEMORY).sum())
        used += int((jobs["from"] == USED_MEMORY).sum())
        yield rows_of(jobs, len(units))
    if MEMORY in units:
        unit, whole = memory.removesuffix("/cpu"), not memory_unit(memory)[1]
        each = "the whole job" if whole else "each processor"
        fields = [f"{requested} jobs request (field 10)"] * (requested > 0) + [f"{used} use (field 7)"] * (used > 0)
        source = "as the format says" if memory == OF_THE_FORMAT else "as --memory says"
        notes.append(
            f"the memory is what {' and '.join(fields) or 'no job tells'}, taken to be in {unit} for {each}, {source}; "
            "it is counted in GB"
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


def _submits_are_starts(header):
    """Return whether a note says that the given submit times are start times.

    >>> _submits_are_starts({"Note": "the given submit times are actually start times"})
    True
    >>> _submits_are_starts({"Note": "submit times are not start times"})
    False
    """
    return SUBMITS_ARE_STARTS.search(" ".join(header.get("Note", "").split())) is not None


def _jobs(first, lines, comments, units, memory, notes):
    """Return the jobs of these lines, and the field that their memory is from; what comments say goes to `comments`."""
    for line in lines:
        if line.lstrip().startswith(";"):
            comments.add(line)
    text = pl.DataFrame({"text": lines}).with_row_index("line", first)
    text = text.with_columns(pl.col("line").cast(pl.Int64), words=pl.col("text").str.extract_all(r"\S+"))
    text = text.filter(pl.col("words").list.len() > 0, ~pl.col("text").str.contains(r"^\s*;"))
    word = pl.col("words")
    fields = [word.list.get(k, null_on_oob=True).cast(pl.Float64, strict=False).alias(str(k)) for k in range(FIELDS)]
    jobs = text.select("line", *fields, width=word.list.len())
    whole = pl.all_horizontal(pl.col(str(k)).is_finite().fill_null(False) for k in range(FIELDS))
    if comments.width is None and (widths := jobs.filter(whole)["width"]).len():
        comments.width = widths[0]
        if comments.width > FIELDS:
            notes.append(f"lines have {comments.width} columns: the first {FIELDS} are taken for those of the format")
    whole &= pl.col("width") == (comments.width or FIELDS)
    known = {k: pl.when(pl.col(str(k)) != -1).then(pl.col(str(k))) for k in range(FIELDS)}
    gb, each = memory_unit(memory)
    processors = pl.when(pl.col(str(ALLOCATED)) > 0).then(str(ALLOCATED)).otherwise(str(REQUESTED))
    held = {
        "cpus": processors if len(units) == 1 else pl.when(processors > 0).then(processors),
        MEMORY: pl.coalesce(known[REQUESTED_MEMORY], known[USED_MEMORY]) * gb,
    }
    held[MEMORY] *= held["cpus"] if each else 1
    jobs = jobs.with_columns(
        **{column: held[unit] for column, unit in zip(need_columns(len(units)), units, strict=True)},
        start=known[SUBMIT] + known[WAIT],
    )
    fields = [pl.when(known[k].is_not_null()).then(pl.lit(k)) for k in (REQUESTED_MEMORY, USED_MEMORY)]
    run, status = pl.col(str(RUN)), pl.col(str(STATUS))
    nothing_held = status.is_in([DIED, WAS_CANCELLED]) & run.is_in([0.0, -1.0]) & (pl.col(str(ALLOCATED)) <= 0)
    reasons = {
        f"not {FIELDS} numbers": ~whole,
        PART: status.is_in(PARTS),
        CANCELLED: nothing_held | ((status == WAS_CANCELLED) & (run == -1)),
        "no run time": run == -1,
        "a negative time": pl.any_horizontal(known[SUBMIT] < 0, known[RUN] < 0),
    }
    reasons |= reasons_of_needs(units) if units != ("cpus",) else {"no number of processors": ~(pl.col("need") > 0)}
    return jobs.select(
        "line",
        *need_columns(len(units)),
        **{"from": pl.coalesce(*fields) if MEMORY in units else pl.lit(None, pl.Int32)},
        job=known[NUMBER].cast(pl.Int64, strict=False).cast(pl.String),
        partition=known[PARTITION].cast(pl.Int64, strict=False).cast(pl.String),
        user=known[USER].cast(pl.Int64, strict=False).cast(pl.String),
        queue=known[QUEUE].cast(pl.Int64, strict=False).cast(pl.String).replace(comments.queues),
        submit=known[SUBMIT],
        start="start",
        run=known[RUN],
        estimate=pl.when(pl.col(str(ESTIMATE)) > 0).then(str(ESTIMATE)),
        dropped=first_reason(reasons),
    )


def _machine(header, partition):
    """Return the processors by the header and where that is from: of all partitions, or of the one asked for.

    >>> _machine({"MaxProcs": "100 (64, 36)"}, None), _machine({"MaxProcs": "100 (64, 36)"}, "2")
    ((100.0, 'MaxProcs in the header', ''), (36.0, 'MaxProcs in the header', ''))
    >>> _machine({"MaxProcs": "1,024"}, None)[0], _machine({"MaxProcs": "4 nodes x 4"}, None)
    (1024.0, (None, '', "MaxProcs in the header is '4 nodes x 4', which is no number: it is not used"))
    """
    odd = ""
    for name in ("MaxProcs", "MaxNodes"):
        if name not in header:
            continue
        total, _, parts = header[name].partition("(")
        if partition is None:
            number = as_count(total)
        else:
            listed = re.split(r"[,;\s]\s*", parts.partition(")")[0].strip())
            place = int(partition) if str(partition).isdigit() else 0
            number = as_count(listed[place - 1]) if 0 < place <= len(listed) else None
        if number:
            return number, f"{name} in the header", ""
        if partition is None and not odd:
            odd = f"{name} in the header is {brief(header[name])}, which is no number: it is not used"
    return None, "", odd
