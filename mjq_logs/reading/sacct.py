"""What Slurm's ``sacct`` prints: a header and a line for each job, as text between delimiters, as CSV or as JSON.

The line to use is :data:`COMMAND`. It asks for no names of jobs or users: they may contain delimiters and ends of
lines, and nobody needs them here.

A row may be less than a job or none. A heterogeneous job has a row for each component; an array that waits has one for
all its tasks; a job that was requeued has one for each attempt, and one that was resized one for each size; a job that
was cancelled while it waited has one, though it never held anything. The file is a window: it has all jobs that were
there between two times, also those that came before and those that had not ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, NamedTuple

import polars as pl

from mjq._util.plain import brief
from mjq_logs.reading.cells import first_line, quoted, require_once, split
from mjq_logs.reading.rows import (
    CANCELLED,
    HEADER,
    NONE_OF_UNIT,
    STEP,
    UNLIMITED,
    WAITING,
    Reading,
    first_reason,
    need_columns,
    reasons_of_needs,
    rows_of,
)
from mjq_logs.reading.text import durations
from mjq_logs.reading.vectors import GB, MEMORY

COLUMNS = (
    "JobIDRaw", "State", "Submit", "Eligible", "Start", "End", "ElapsedRaw", "TimelimitRaw", "NNodes", "AllocCPUS",
    "AllocTRES", "Partition", "Flags", "ReqTRES", "JobID", "UID",
)  # fmt: skip
COMMAND = (
    "SLURM_TIME_FORMAT=%s SLURM_BITSTR_LEN=0 sacct -a -X -D -P --delimiter=';' -S 2025-01-01 -E now "
    f"-o {','.join(COLUMNS)} > jobs.txt"
)
RESIZED = "RESIZING"  # the state of what a job ran with one size, before it got another
STILL_THERE = "RUNNING|SUSPENDED|COMPLETING|CONFIGURING|STOPPED|SIGNALING|STAGE_OUT"
HELD = "REQUEUE_HOLD|SPECIAL_EXIT"
WITHOUT_A_HEADER = re.compile(r"\d+[^\n]*?([|;,^\t])[A-Z_]{6,}(?: by \d+)?\1")  # a number, and a state
COMPONENT_NAME = r"^(\d+)\+\d+$"
TASK_NAME = r"^(\d+)_\d+$"
# Of each unit: the columns that count what a job holds and what it asks for, and its name in a list of resources.
UNITS: dict[str, tuple[tuple[str, ...], tuple[str, ...], str]] = {
    "cpus": (("AllocCPUS", "NCPUS"), ("ReqCPUS",), "cpu"), "nodes": (("NNodes", "AllocNodes"), ("NNodes",), "node"),
    "gpus": ((), (), "gres/gpu"), MEMORY: ((), (), "mem"),
}  # fmt: skip
ARRAY = re.compile(r"\d+_\[([^\]%]*)(?:%(\d+))?\]?")  # the name of one, such as 3000_[1-9:2,20%4]
MOST_TASKS = 4_000_001  # the largest array that Slurm can be told to take
RANGE = re.compile(r"(\d+)(?:-(\d+)(?::(\d+))?)?")
NO_LIMIT, OF_PARTITION = ("UNLIMITED", "INFINITE"), ("PARTITION_LIMIT",)
MORE_THAN_ASKED = 1.05  # times what was asked for, up to which nothing is said of what is held
POINTS = {"submit": "Submit", "eligible": "Eligible", "start": "Start", "end": "End"}
# What is read of a file, by the names that it has here.
CELLS = POINTS | {"partition": "Partition", "qos": "QOS"} | {name: name for name in (
    "JobIDRaw", "JobID", "State", "ElapsedRaw", "Elapsed", "TimelimitRaw", "Timelimit", "NNodes", "AllocNodes",
    "AllocCPUS", "NCPUS", "ReqCPUS", "AllocTRES", "ReqTRES", "UID", "User",
)}  # fmt: skip


def looks_like_sacct(lines: Iterable[str]) -> bool:
    """Return whether the first line names columns of ``sacct``: those of a job and a time, or those it has by itself.

    ``ValueError`` if it is a job of ``sacct`` without a header.

    >>> [looks_like_sacct([line]) for line in ("JobID|State|Elapsed|AllocCPUS|", ",JobID,State,Start", "job,start,end")]
    [True, True, False]
    """
    first = next((line for line in lines if line.strip()), "")
    if WITHOUT_A_HEADER.match(first):
        raise ValueError(
            "this looks like the output of sacct without its header, so nobody knows its columns: leave out -n "
            "(--noheader)"
        )
    names = set(re.findall(r"[A-Za-z]\w*", first))
    tells = {"Elapsed", "ElapsedRaw", "Start"} & names or {"State", "ExitCode"} <= names
    return bool({"JobID", "JobIDRaw"} & names and tells)


def read(blocks: Iterable[tuple[int, list[str]]], units: tuple[str, ...] = ()) -> Reading:
    """Read blocks of lines (:func:`mjq_logs.reading.text.blocks`), and count some of :data:`UNITS`, memory in GB.

    By default CPUs are counted or, if the file does not tell them, nodes. ``ValueError`` if the columns do not tell
    what a job held and for how long.
    """
    return _Reader(_rows(blocks), units).reading


def read_json(content: Mapping[str, Any], units: tuple[str, ...] = ()) -> Reading:
    """Read what ``sacct --json`` prints, a whole object, as :func:`read` reads a table.

    >>> time = {"submission": 5, "eligible": 5, "start": 9, "end": 19, "elapsed": 10}
    >>> job = {"job_id": 7, "state": {"current": ["FAILED"]}, "time": time}
    >>> reading = read_json({"jobs": [job | {"tres": {"allocated": [{"type": "cpu", "name": "", "count": 4}]}}]})
    >>> [table.select("job", "start", "run", "need").row(0) for table in reading.tables]
    [('7', 9.0, 10.0, 4.0)]
    """
    rows = []
    for place, job in enumerate(content["jobs"], 1):
        try:
            rows.append(_of_json(job))
        except (AttributeError, KeyError, TypeError, ValueError):
            raise ValueError(f"job {place} of the JSON is not as sacct writes it: {brief(job)}") from None
    cells = pl.DataFrame(rows, schema=dict.fromkeys((*COLUMNS, "QOS"), pl.String)).with_row_index("line", 1)
    return _Reader([cells.with_columns(pl.col("line").cast(pl.Int64), fits=pl.lit(True))], units).reading


def _of_json(job):
    """Return the columns of a job of the JSON as a table has them."""
    parts = "time", "array", "het", "state", "association", "tres"
    time, array, het, state, owner, tres = (job.get(part) or {} for part in parts)
    state = state.get("current")
    tres = {kind: ",".join(map(_as_tres, listed or [])) for kind, listed in tres.items()}
    start = _number(time.get("start"))
    # Slurm 22.05 writes null where there is no limit. A job that has not started may yet get that of its partition.
    no_limit = "limit" in time and time["limit"] is None and bool(start)
    return {
        "JobIDRaw": _text(job.get("job_id")),
        "State": " ".join(map(_text, state if isinstance(state, list) else [state])),
        "Submit": _text(_number(time.get("submission")) or None),
        "Eligible": _text(_number(time.get("eligible")) or None),
        "Start": _text(start or None),
        "End": _text(_number(time.get("end")) or None),
        "ElapsedRaw": _text(_number(time.get("elapsed"))),
        "TimelimitRaw": "UNLIMITED" if no_limit else _text(_number(time.get("limit"))),
        "NNodes": _text(_number(job.get("allocation_nodes")) or None),
        "AllocTRES": tres.get("allocated", ""),
        "Partition": _text(job.get("partition")),
        "ReqTRES": tres.get("requested", ""),
        "JobID": _name(array, het) or _text(job.get("job_id")),
        "UID": _text(job.get("user") or owner.get("user")),
        "QOS": _text(job.get("qos")),
    }


def _name(array, het):
    """Return the name of a component, of an array that waits, or of a task; None of any other job.

    A bit map of tasks, as Slurm 22.05 has it, becomes a list of as many.

    >>> _name({"job_id": 7, "task": "0x88"}, {}), _name({"job_id": 7, "task": "1-3,7"}, {}), _name({}, {"job_id": 5})
    ('7_[0-1]', '7_[1-3,7]', '5+0')
    """
    whole, parent, task = _number(het.get("job_id")), _number(array.get("job_id")), _number(array.get("task_id"))
    tasks, at_once = _text(array.get("task")), _number(array, "limits", "max", "running", "tasks")
    if re.fullmatch("0x[0-9A-Fa-f]+", tasks):
        tasks = f"0-{int(tasks, 16).bit_count() - 1}"
    if whole:
        return f"{whole}+{_number(het.get('job_offset')) or 0}"
    if parent and re.search(r"[-,]", tasks):
        return f"{parent}_[{tasks}{f'%{at_once}' if at_once else ''}]"
    return f"{parent}_{task}" if parent and task is not None else None


def _as_tres(resource):
    """Return a trackable resource as sacct prints it in a table, such as gres/gpu:a100=4."""
    name = _text(resource.get("name"))
    return f"{_text(resource['type'])}{'/' * bool(name)}{name}={_text(_number(resource['count']))}"


def _number(value, *keys):
    """Return a value of the JSON as a number; infinite where it says so, and None where it is not set or not known."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    if isinstance(value, dict):
        return float("inf") if value.get("infinite") else value.get("number") if value.get("set", True) else None
    return value


def _text(value):
    """Return a value of the JSON as sacct prints it in a table."""
    if isinstance(value, (dict, list)):
        raise ValueError(f"a text or a number was expected, got {brief(value)}")
    return "" if value is None else "UNLIMITED" if value == float("inf") else f"{value}"


def _rows(blocks):
    """Yield the cells of each block as text under the names of their columns."""
    first, header, blocks = first_line(blocks)
    names, delimiter = _of_header(header)
    if delimiter == ",":
        yield from quoted(chain([(first, [header])], blocks), lambda names: {name: name for name in names if name})
        return
    chosen = {name: name for name in names if name}
    for first, lines in blocks:
        yield split(first, lines, delimiter, names, chosen)


def _of_header(line):
    """Return the names in a header, and the delimiter; a name is empty where the line begins or ends with one."""
    line = line.strip("\r\n").replace('"', "")
    names = re.findall(r"[A-Za-z]\w*", line)
    before, *between = re.split(r"[A-Za-z]\w*", line)
    delimiter = between[0]
    if not delimiter.strip(" ") or set(between[1:-1]) - {delimiter} or between[-1].strip() not in ("", delimiter):
        raise ValueError(
            "these columns of sacct are cut and not separated by one delimiter: ask for them with -P (--parsable2)"
        )
    require_once(names, names)
    return [""] * bool(before) + names + [""] * (between[-1] == delimiter), delimiter


class _Reader:
    """Make tables of jobs from cells of sacct, and keep what one block of them tells of the jobs of later ones."""

    def __init__(self, rows, units):
        self.reading = Reading(units=units, is_window=True)
        self.reading.tables = self.tables(rows)
        self.units, self.needs, self.names = units, self.reading.needs, set()
        self.resized, self.first_tasks = set(), {}  # jobs that had another size; when an array might begin, by its name
        self.held = self.asked = 0.0  # by all jobs that started

    def tables(self, rows):
        """Yield a table for each frame of cells."""
        for cells in rows:
            if not self.names:
                self.names = set(cells.columns)
                self.require_columns()
            given = {
                ours: pl.when("fits").then(theirs) if theirs in self.names else pl.lit(None, pl.String)
                for ours, theirs in CELLS.items()
            }
            jobs = self.jobs(cells.select("line", "fits", **given))
            self.reading.waiting.append(self.waiting(jobs))
            used = jobs.filter(pl.col("dropped").is_null())
            used = used.select("need", asked=_count(self.units[:1], requested=True)).drop_nulls()
            self.held, self.asked = self.held + used["need"].sum(), self.asked + used["asked"].sum()
            yield rows_of(jobs, len(self.needs))
        if self.held > MORE_THAN_ASKED * self.asked > 0 and any(len(waiting) for waiting in self.reading.waiting):
            self.reading.notes.append(
                f"jobs that started held {self.held / self.asked:.2g} times the servers that they had asked for, and "
                "those that still wait count with what they ask for"
            )

    def require_columns(self):
        """Raise ``ValueError`` if no column says what a job held, or for how long; note where waits are too long."""
        for unit in self.units or ("cpus",):
            counted = {*UNITS[unit][0], "AllocTRES"} | (set() if self.units else set(UNITS["nodes"][0]))
            if not counted & self.names:
                what = "how many servers a job held" if len(self.units) < 2 else f"what a job held of {unit}"
                raise ValueError(f"no column says {what}: add one of {', '.join(sorted(counted))}")
        if not ({"ElapsedRaw", "Elapsed"} & self.names or {"Start", "End"} <= self.names):
            raise ValueError("no column says how long a job ran: add ElapsedRaw, Elapsed, or Start and End")
        if "Eligible" not in self.names:
            self.reading.notes.append(
                "no column Eligible: waits count from Submit, also while a job was not allowed to start"
            )

    def jobs(self, cells):
        """Return cells as the table of jobs of a reading, beside the cells."""
        state = pl.col("State").fill_null("")
        jobs = self.with_times(cells).with_columns(
            **_counts(self.units),
            job=pl.coalesce("JobIDRaw", "JobID"),
            user=pl.coalesce(pl.when(pl.col(name) != "").then(name) for name in ("UID", "User")),
            whole=pl.col("JobID").str.extract(COMPONENT_NAME),
        )
        if jobs["job"].drop_nulls().str.contains(r"^\d+\.0$").all():  # numbers that went through a column of floats
            jobs = jobs.with_columns(pl.col("job").str.strip_suffix(".0"))
        jobs = self.part_sizes(jobs, state)
        runs, waits, ran = state.str.contains(f"^(?:{STILL_THERE})"), state.str.contains("^PENDING"), pl.col("run") > 0
        began = (
            pl.col("start").is_not_null() if "Start" in self.names else ~state.str.contains(f"^(?:CANCELLED|{HELD})")
        )
        nothing = ~ran.fill_null(False) & (~began | ~self.something_held(state))
        reasons = {
            "another number of fields than in the header": ~pl.col("fits"),
            HEADER: pl.col("job").is_in(["JobID", "JobIDRaw"]),
            STEP: pl.col("job").str.contains(".", literal=True),
            WAITING: waits,
            CANCELLED: nothing & ~runs,
            "no run time": pl.col("run").is_null() & ~(runs & pl.col("start").is_not_null()),
            "a negative time": pl.col("run") < 0,
        }
        need = (pl.col("need") > 0).fill_null(False)
        reasons |= reasons_of_needs(self.units) if self.reading.resources else {
            NONE_OF_UNIT: ~need & self.listed("AllocTRES"), "no number of servers": ~need,
        }  # fmt: skip
        jobs = jobs.with_columns(
            unfinished=runs, waits=waits, dropped=first_reason(reasons), behind=self.behind_their_array(jobs)
        )
        timed = pl.col("dropped").is_null() | pl.col("dropped").is_in([CANCELLED, WAITING, NONE_OF_UNIT])
        self.reading.span.add(jobs.filter(timed))
        return jobs

    def part_sizes(self, jobs, state):
        """Return the jobs with each size of one that was resized by itself: it begins when the job was given it.

        Slurm calls this time that of a submission, and counts the time that has passed from the first start on.
        """
        self.resized |= set(jobs.filter(state.str.starts_with(RESIZED))["job"])
        later = pl.col("job").is_in(list(self.resized)) & (pl.col("submit") > pl.col("start"))
        ran = pl.when(later).then(pl.col("submit") - pl.col("start")).otherwise(0.0)
        return jobs.with_columns(run=pl.col("run") - ran, start=pl.col("start") + ran)

    def behind_their_array(self, jobs):
        """Return which tasks might start later than the first of their array: until then its limit held them back."""
        name = pl.concat_str(pl.col("JobID").str.extract(TASK_NAME), "submit", separator=" ")
        tasks = jobs.select(name=name, time="eligible")
        for array, first in tasks.drop_nulls().group_by("name").min().iter_rows():
            self.first_tasks[array] = min(first, self.first_tasks.get(array, first))
        return tasks["time"] > tasks["name"].replace_strict(self.first_tasks, default=None, return_dtype=pl.Float64)

    def something_held(self, state):
        """Return whether anything was allocated to a job or, where no column tells, whether it was not cancelled."""
        numbers = "AllocCPUS", "NCPUS", "AllocNodes"
        if not {*numbers, "AllocTRES"} & self.names:
            return ~state.str.contains("^CANCELLED")
        given = [_number_of(pl.col(name)) > 0 for name in numbers]
        return pl.any_horizontal(some.fill_null(False) for some in (*given, pl.col("AllocTRES").str.contains("=")))

    def listed(self, column):
        """Return whether a list of resources has any, where the unit is one that not all jobs need."""
        return pl.lit(bool(self.units)) & pl.col(column).str.contains("=").fill_null(False)

    def waiting(self, jobs):
        """Return the jobs that wait when the log is taken; they need what they ask for, and arrays have many tasks."""
        jobs = jobs.filter(pl.col("dropped") == WAITING).with_columns(
            **_counts(self.units, requested=True), start=None, run=None, dropped=None
        )
        some = pl.any_horizontal((pl.col(need) > 0).fill_null(False) for need in self.needs)
        jobs = jobs.filter(some | ~self.listed("ReqTRES"))
        names = jobs.select(pl.coalesce("JobID", "job", pl.lit(""))).to_series()
        tasks = [tasks_of(name) or Tasks(1, 0, cut=False) for name in names]
        columns = {"tasks": pl.Int64, "at_once": pl.Int64, "cut": pl.Boolean}
        return rows_of(jobs.hstack(pl.DataFrame(tasks, columns, orient="row")), len(self.needs))

    def with_times(self, cells):
        """Return the cells with times as seconds."""
        columns, line = self.reading.columns, cells["line"]
        points = columns.points(cells, POINTS)
        ran = [columns.read(durations, name, cells[name], line) for name in ("ElapsedRaw", "Elapsed")]
        limits = [self.limits(name, cells[name], line) for name in ("TimelimitRaw", "Timelimit")]
        jobs = cells.with_columns(**points, estimate=pl.coalesce(*limits))
        return jobs.with_columns(run=pl.coalesce(*ran, pl.col("end") - pl.col("start")))

    def limits(self, name, text, line):
        """Return limits in seconds: UNLIMITED where there is none, minus that where it is that of the partition."""
        words = text.str.to_uppercase()
        none, of_partition = (words.is_in(those).fill_null(False) for those in (NO_LIMIT, OF_PARTITION))
        limits = self.reading.columns.read(durations, name, text.set(none | of_partition, None), line, unit=60.0)
        limits = limits.set((limits < 0).fill_null(False), None)
        return limits.set(none, UNLIMITED).set(of_partition, -UNLIMITED)


class Tasks(NamedTuple):
    """Hold how many tasks there are, how many may run at once (0: all), and whether the list of them was cut."""

    number: int
    at_once: int
    cut: bool


def tasks_of(name: str) -> Tasks | None:
    """Return what the name of a job says of the tasks of its array; None if it is no list of them that can be read.

    >>> tasks_of("3000_[1-400%400]"), tasks_of("7_[1,3,5-9,20-40:10]")
    (Tasks(number=400, at_once=400, cut=False), Tasks(number=10, at_once=0, cut=False))
    >>> tasks_of("7_[1-3,5,...]"), tasks_of("7_12"), tasks_of("7")
    (Tasks(number=4, at_once=0, cut=True), None, None)
    >>> tasks_of("7_[1-99999999999]") is None
    True
    """
    match = ARRAY.fullmatch(name)
    if match is None:
        return None
    parts, count, cut = match[1].split(","), 0, False
    for part in parts:
        span = RANGE.fullmatch(part.strip())
        if span is None:
            if not part.strip().startswith("..."):
                return None
            cut = True
            continue
        first, last, step = int(span[1]), int(span[2] or span[1]), int(span[3] or 1)
        if last < first or step < 1:
            return None
        count += (last - first) // step + 1
    return Tasks(count, int(match[2] or 0), cut) if 0 < count <= MOST_TASKS else None


def _resource(column, resource):
    total = _number_of(column.str.extract(rf"(?:^|,){resource}=([^,]+)"))
    kinds = column.str.extract_all(rf"(?:^|,){resource}:[^=,]+=[^,]+")
    each = kinds.list.eval(_number_of(pl.element().str.extract(r"=(.+)$")))
    return pl.coalesce(total, pl.when(kinds.list.len() > 0).then(each.list.sum()))


def _number_of(column):
    """Return numbers as Slurm writes them: 2K is 2048."""
    parts = column.str.extract_groups(r"^(-?[\d.]+(?:e[+-]?\d+)?)([KMGTP]?)$")
    number, suffix = (parts.struct.field(name) for name in ("1", "2"))
    times = {suffix: size / GB["B"] for suffix, size in GB.items() if suffix != "B"} | {"": 1.0}
    return number.cast(pl.Float64, strict=False) * suffix.replace_strict(times, default=None, return_dtype=pl.Float64)


def _memory(column):
    """Return the GB in a list of resources, where a number without a suffix counts MB."""
    amount = column.str.extract(r"(?:^|,)mem=(\d+(?:\.\d+)?[KMGTP]?)")
    return _number_of(amount.str.replace(r"(\d)$", "${1}M")) * GB["B"]


def _counts(units, requested=False):
    """Return what a job holds of each unit or, if it has not started, requests, by the names of the columns.

    A list of resources that has no GPUs says that there are none; one without memory, as where Slurm does not hand
    memory out, says nothing of it.
    """
    if len(units) < 2:
        return {"need": _count(units, requested)}
    listed = pl.col("ReqTRES" if requested else "AllocTRES").str.contains("=").fill_null(False)
    counts = {unit: _count((unit,), requested) for unit in units}
    if "gpus" in counts:
        counts["gpus"] = pl.coalesce(counts["gpus"], pl.when(listed).then(0.0))
    return dict(zip(need_columns(len(units)), counts.values(), strict=True))


def _count(units, requested=False):
    """Return the servers that a job holds or, if it has not started, requests."""
    counts, listed = [], pl.col("ReqTRES" if requested else "AllocTRES")
    for unit in units or ("cpus", "nodes"):
        allocated, asked, resource = UNITS[unit]
        counts += [_number_of(pl.col(name)) for name in (asked if requested else allocated)]
        counts.append(_memory(listed) if unit == MEMORY else _resource(listed, resource))
    return pl.coalesce(*counts)
