"""One log from the tables of a reader, and what of the file was not used.

A reader gives one row for each line that should hold a job. Here they become a
:class:`~mjq_logs.reading.log.Log`, and each row that does not end there is counted under the reason why.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from mjq._util import checks
from mjq._util.plain import counted
from mjq_logs.reading.header import clock_of, machine_of, says_submits_are_starts
from mjq_logs.reading.kept import Kept
from mjq_logs.reading.log import INFERRED, Before, Lines, Log, Present
from mjq_logs.reading.priorities import Order
from mjq_logs.reading.rows import (
    BEFORE,
    CALENDAR,
    COMPONENT,
    FARTHEST,
    OTHER_PARTITION,
    REPEATED,
    TIMES,
    TOO_LARGE,
    UNLIMITED,
    Reading,
    schema,
)
from mjq_logs.reading.vectors import Vectors
from mjq_logs.words import time_in_words

LONGEST_LOG = 20 * 365 * 86_400.0  # seconds
LONG_AGO = 10  # times the longest run
FIRST_LINES = 5  # that are named for each reason
END = pl.col("start").cast(pl.Float64) + pl.col("run").cast(pl.Float64)


def assemble(
    reading: Reading,
    servers: float | Sequence[float] | None = None,
    partition: str | None = None,
    strict: bool = False,
    order: Order | None = None,
) -> Log:
    """Make a log from what a reader returns; jobs go by `order`, and all else is as in :func:`read_log`.

    A step that comes first leaves fewer rows to the next ones, and says first what is odd.
    """
    rows = _Assembly(reading, partition, strict, order)
    rows.gather()
    rows.read_header(servers)
    rows.require_seconds()
    rows.note_what_the_reader_saw()
    rows.drop_repeated()
    rows.join_components()
    rows.fill_submits()
    rows.drop_odd()
    rows.set_limits()
    rows.set_runs()
    rows.delay_attempts()
    rows.clip_waits()
    rows.sort()
    rows.note_only_starts()
    rows.infer_sizes()
    rows.find_present()
    rows.find_window()
    return rows.log()


class _Assembly:
    """Hold the rows of a log while one step after the other makes jobs of them, and what each step finds odd."""

    def __init__(self, reading, partition, strict, order):
        self.reading, self.partition, self.strict, self.order = reading, partition, strict, order
        self.needs = list(reading.needs)
        self.read, self.dropped, self.first = 0, {}, {}
        self.notes, self.warnings = reading.notes, []
        self.jobs: Any = pl.DataFrame()
        self.only_starts = self.some_run = False
        self.present = self.window = self.before = None

    def warn(self, words):
        """Put a warning above those of the steps before."""
        self.warnings.insert(0, f"Warning: {words}")

    def count(self, rows):
        """Count rows that are not used by their reasons."""
        if self.strict and len(rows):
            line, reason = rows.sort("line").select("line", "dropped").row(0)
            raise ValueError(f"line {line}: {reason}")
        by_reason = rows.group_by("dropped").agg(pl.len(), first=pl.col("line").sort().head(FIRST_LINES))
        for reason, count, first in by_reason.sort("dropped").iter_rows():
            self.dropped[reason] = self.dropped.get(reason, 0) + count
            self.first[reason] = sorted([*self.first.get(reason, []), *first])[:FIRST_LINES]

    def drop(self, reason, where):
        """Take the rows out where this is so, and count them under the reason."""
        where = self.jobs.select(where=where).to_series().fill_null(False)
        if where.any():
            self.count(self.jobs.filter(where).select("line", dropped=pl.lit(reason)))
            self.jobs = self.jobs.filter(~where)

    def known(self, column):
        """Return whether anything of a column is known."""
        return self.jobs[column].null_count() < self.jobs.height

    def gather(self):
        """Keep the rows of each table that can be used, and count the others."""
        kept, behind = Kept(self.needs), 0
        for table in self.reading.tables:
            self.read += len(table)
            if self.partition is not None:
                other = pl.col("dropped").is_null() & (pl.col("partition").fill_null("") != str(self.partition))
                table = table.with_columns(dropped=pl.when(other).then(pl.lit(OTHER_PARTITION)).otherwise("dropped"))
            self.count(table.filter(pl.col("dropped").is_not_null()))
            table = table.filter(pl.col("dropped").is_null())
            behind += int(table["behind"].sum())
            kept.add(table if self.order is None else self.order.rank(table))
        self.jobs = kept.taken()
        if behind:
            self.notes.append(
                f"{counted(behind, 'task')} of arrays waited behind the limit of their own array: this wait is left "
                "out, and --growth multiplies what the limit let come"
            )

    def read_header(self, servers):
        """Take the clock, the size by each resource, None where nothing tells it, and where that is from."""
        units = self.reading.units or ("cpus",)
        size, self.source, odd = machine_of(self.reading.header, self.partition) if "cpus" in units else (None, "", "")
        self.clock, odd_clock = clock_of(self.reading.header)
        self.says_only_starts = says_submits_are_starts(self.reading.header)
        self.notes += [odd_clock] * bool(odd_clock)
        self.sizes = [size if unit == "cpus" else None for unit in units]
        if servers is None:
            self.notes += [odd] * bool(odd)
            return
        if self.reading.resources and np.shape(servers) != (len(units),):
            raise ValueError(
                f"servers must be a number for each of {', '.join(units)}, such as --servers "
                f"{','.join('8' for _ in units)}; got {checks.shown(servers)}"
            )
        self.sizes = np.ravel(checks.positive("servers", servers, ndim=int(len(units) > 1))).tolist()
        self.source = "given"

    def require_seconds(self):
        """Refuse times that cannot be seconds: they would make months by the million, and work that no float holds."""
        for name in ("submit", "eligible", "start", "run"):
            column = self.jobs.select("line", pl.col(name).cast(pl.Float64))
            far = column.filter(pl.col(name).abs() > FARTHEST)
            if len(far):
                line, time = far.sort("line").row(0)
                raise ValueError(
                    f"line {line}: {name} is {time:.15g}, which is more than 230 years (in {len(far)} of "
                    f"{len(column)} lines). Times must be in seconds: are these milliseconds?"
                )
            early, late = (column[name].quantile(q) for q in (0.1, 0.9))
            if early is not None and late - early > LONGEST_LOG:
                raise ValueError(
                    f"most of the column {name} lies between {early:.15g} and {late:.15g}, which is more than 20 "
                    "years. Times must be in seconds: are these milliseconds?"
                )

    def note_what_the_reader_saw(self):
        """Refuse or note columns that cannot be read, names that no job has, and times that contradict each other."""
        self.notes += self.reading.columns.notes()
        if self.order is not None:
            self.order.require()
        notes, self.warnings = self.reading.columns.contradiction()
        self.notes += notes

    def drop_repeated(self):
        """Drop rows with a job that are the same as an earlier row, column by column."""
        ordered = self.jobs["same"].drop_nulls().sort()
        twice = ordered.filter(ordered == ordered.shift(1)).unique()
        alike = self.jobs["same"].is_in(twice.implode()).fill_null(False)
        self.jobs = self.jobs.drop("same")
        if len(twice):
            rows = self.jobs.filter(alike).select(pl.struct("name", "number", *TIMES, *self.needs)).to_series()
            again = pl.repeat(False, len(alike), eager=True).scatter(alike.arg_true(), ~rows.is_first_distinct())
            self.drop(REPEATED, again)

    def join_components(self):
        """Take the components of a job together: they start at once and hold what all hold."""
        if not self.known("whole"):
            return
        components, maxima = self.jobs.filter(pl.col("whole").is_not_null()), ["run", "estimate"]
        self.count(
            components.filter(~pl.struct("whole", "start").is_first_distinct()).select(
                "line", dropped=pl.lit(COMPONENT)
            )
        )
        joint = components.group_by("whole", "start", maintain_order=True).agg(
            pl.col(*self.needs).cast(pl.Float64).sum(),
            pl.col(*maxima).max(),
            pl.col("unfinished").any(),
            pl.all().exclude(*self.needs, *maxima, "unfinished").first(),
        )
        others = self.jobs.filter(pl.col("whole").is_null())
        self.jobs = pl.concat([others, joint.select(others.columns)], how="vertical_relaxed")

    def fill_submits(self):
        """Let jobs come when they start where the file has submissions, but not theirs."""
        if not self.jobs["submit"].has_nulls() or not self.known("submit"):
            return
        self.jobs = self.jobs.with_columns(submit=pl.coalesce("submit", "eligible"))
        lack = int((self.jobs["submit"].is_null() & self.jobs["start"].is_not_null()).sum())
        if lack:
            self.notes.append(
                f"{counted(lack, 'job')} came without a submit time: they count as jobs that did not wait"
            )
        self.jobs = self.jobs.with_columns(submit=pl.coalesce("submit", "start"))

    def drop_odd(self):
        """Drop the rows that only a look at all of them shows to be unusable."""
        zoned = self.jobs["zoned"]
        self.names_zone = "TimeZone" in self.reading.header or not zoned.cast(pl.Boolean).fill_null(True).all()
        if zoned.n_unique() > 1 and not zoned.all():
            self.drop("a time without a zone among times with one", ~pl.col("zoned").fill_null(True))
        if self.known("submit"):
            self.drop("no submit time", pl.col("submit").is_null())
        for name, size in zip(self.needs, self.sizes, strict=True):
            need = pl.col(name).cast(pl.Float64)
            self.drop("no number of servers", need > checks.LARGEST_COUNT)
            if size is not None:
                self.drop(TOO_LARGE, need > size * (1 + checks.FIT_TOLERANCE))
        if self.jobs.is_empty():
            reasons = (f"; {count} {reason} (line {self.first[reason][0]})" for reason, count in self.dropped.items())
            raise ValueError(f"no line holds a job that can be used{''.join(reasons)}")

    def set_limits(self):
        """Give jobs that have the limit of their partition the longest one of its other jobs."""
        if not self.known("estimate"):
            return
        limit = self.jobs["estimate"].cast(pl.Float64)
        none, of_partition = int((limit == UNLIMITED).sum()), limit == -UNLIMITED
        if none:
            self.notes.append(f"{counted(none, 'job')} came without a limit of the run time")
        if not of_partition.any():
            return
        own = pl.when(pl.col("estimate").is_between(0, UNLIMITED, closed="none")).then("estimate")
        longest = own.max().over(pl.col("partition").fill_null(-1))
        self.jobs = self.jobs.with_columns(pl.col("estimate").cast(pl.Float64)).with_columns(
            estimate=pl.when(pl.col("estimate") == -UNLIMITED).then(longest).otherwise("estimate")
        )
        unknown = int((of_partition & self.jobs["estimate"].is_null()).sum())
        self.notes.append(
            f"{counted(int(of_partition.sum()), 'job')} came with the limit of a partition: the longest limit of its "
            f"other jobs is taken{f', and there is none for {unknown} of them' * (unknown > 0)}"
        )

    def set_runs(self):
        """Give jobs that still run the time that they have run, where the file does not tell it.

        Where the file has no states, a job counts as lost if its start was more than ten times as long ago as any other
        job ran.
        """
        if not self.jobs["unfinished"].cast(pl.Boolean).any():
            return
        runs, start = pl.col("unfinished").fill_null(False), pl.col("start").cast(pl.Float64)
        passed = pl.when(runs).then(pl.max_horizontal(0.0, self.reading.span.latest - start))
        longest = self.jobs.filter(~runs)["run"].max()
        if not self.reading.is_window and longest:
            self.drop("no run time", passed > LONG_AGO * longest)
        self.jobs = self.jobs.with_columns(run=pl.coalesce("run", passed))
        self.some_run = self.jobs["unfinished"].any()

    def delay_attempts(self):
        """Let each attempt of a job come when the one before it had ended."""
        key = [name for name in ("number", "name") if self.known(name)]
        if not self.reading.is_window or not key or not self.known("start"):
            return
        if not self.jobs.select(pl.struct(key).is_duplicated().any()).item():
            return
        jobs = self.jobs.with_columns(
            row=pl.int_range(pl.len()), ended=(pl.col("start") + pl.col("run")).cast(pl.Float64)
        )
        before = jobs.sort("start").select("row", before=pl.col("ended").shift(1).over(key)).sort("row")["before"]
        later = (before <= jobs["start"]).fill_null(False)
        self.jobs = self.jobs.with_columns(
            pl.when(later).then(pl.max_horizontal(pl.col(name).cast(pl.Float64), before)).otherwise(name).alias(name)
            for name in ("submit", "eligible")
            if self.known(name)
        )
        if later.any():
            again = self.jobs.filter(later).select(pl.struct(key).n_unique()).item()
            self.notes.append(
                f"{counted(again, 'job')} started again or got another size: each part comes when the one before it "
                "ends"
            )

    def clip_waits(self):
        """Let no job come after it starts.

        Submissions and starts may be times of two clocks. What a job held, and for how long, is known all the same.
        """
        times = [name for name in ("submit", "eligible") if self.known(name)]
        if not times or not self.known("start"):
            return
        start, arrival = pl.col("start").cast(pl.Float64), pl.coalesce(*times[::-1])
        waits = self.jobs.select(wait=start - arrival).to_series().drop_nulls()
        early = -waits.filter(waits < 0)
        if early.is_empty():
            return
        self.jobs = self.jobs.with_columns(pl.min_horizontal(pl.col(name).cast(pl.Float64), start) for name in times)
        longest = time_in_words(early.max() / 3600)
        words = f"{counted(len(early), 'job')} started before the log allows it, by up to {longest}"
        self.notes.append(f"{words}: they count as jobs that did not wait")
        if early.sum() > waits.clip(0).sum():
            self.warn(f"{words}, which is more than all others waited: are starts and submissions times of two clocks?")

    def sort(self):
        """Put the jobs in the order of their arrivals, then numbers."""
        if self.known("eligible"):
            self.jobs = self.jobs.with_columns(eligible=pl.coalesce("eligible", "submit"))
        self.arrival = "eligible" if self.known("eligible") else "submit"
        by = self.arrival if self.known(self.arrival) else "start"
        if not self.known(by):
            self.notes.append("neither submit nor start times: the order of the lines is taken for that of the jobs")
            return
        if by == "start":
            self.notes.append("no submit times: the order of the starts is taken for that of the jobs")
        late = int((self.jobs[by] < self.jobs[by].shift(1)).sum())
        if late:
            self.notes.append(f"{counted(late, 'line')} came earlier than the line before: the jobs were sorted")
        time = _floats(self.jobs[by])
        number = self.jobs["number"].cast(pl.Int64).fill_null(np.iinfo(np.int64).max).to_numpy()
        later = (time[1:] > time[:-1]) | ((time[1:] == time[:-1]) & (number[1:] >= number[:-1]))
        if not later.all():  # lines of one number stay in their order; times that are not known come last
            self.jobs = self.jobs[np.lexsort((number, time))]

    def note_only_starts(self):
        """Find whether submit times are start times, as the header may say.

        Some converters write a wait of 0 where none is known, so zeros prove nothing. A positive wait contradicts the
        header.
        """
        if not self.known("submit") or not self.says_only_starts:
            return
        waited = self.jobs.select((pl.col("start") > pl.col("submit")).sum()).item()
        if waited:
            words = f"but {counted(waited, 'job')} waited: waits are used"
            self.notes.append(f"the header says that submit times are start times, {words}")
            return
        self.notes.append("the submit times of this log are start times: it has no waits")
        self.only_starts, self.jobs = True, self.jobs.with_columns(start=None)

    def infer_sizes(self):
        """Take the most that jobs held at once for a size that nothing tells, if the log says when they started."""
        parts = self.jobs["partition"].drop_nulls().n_unique()
        if self.partition is None and parts > 1:
            self.warn(f"jobs of {parts} partitions are taken for those of one machine; --partition takes one of them.")
        if None not in self.sizes:
            return
        if not self.known("start"):
            self.sizes, self.source = [None] * len(self.sizes), ""
            return
        start, run = _floats(self.jobs["start"]), _floats(self.jobs["run"])
        for k, need in enumerate(self.needs):
            if self.sizes[k] is None:
                self.sizes[k] = _most_held(_floats(self.jobs[need]), start, run)
                if not self.sizes[k]:
                    raise ValueError(f"no job that has started needs any {self.reading.units[k]}")
        self.source = INFERRED

    def find_present(self):
        """Find the jobs that had not ended when the log was taken, if it tells of any."""
        waiting = pl.concat([pl.DataFrame(schema=schema(len(self.needs))), *self.reading.waiting])
        if self.partition is not None:
            names = pl.col("partition").fill_null("").str.split(",")  # it may wait in several, and start in any
            waiting = waiting.filter(names.list.contains(str(self.partition)))
        runs = self.jobs.filter(pl.col("unfinished").cast(pl.Boolean))
        if not self.known("start") or not self.known("submit") or (waiting.is_empty() and runs.is_empty()):
            return
        latest = self.jobs.select(pl.col("submit").cast(pl.Float64).max(), end=END.max()).row(0)
        taken = max(self.reading.span.latest, *latest)
        waiting = _queue(waiting, self.needs)
        clear = (pl.col(self.arrival) <= taken) & pl.all_horizontal(pl.col(*self.needs) >= 0)
        clear &= pl.any_horizontal(pl.col(*self.needs) > 0)
        for need, size in zip(self.needs, self.sizes, strict=True):
            if size is not None:
                clear &= pl.col(need) <= size * (1 + checks.FIT_TOLERANCE)
        floats = pl.col(self.arrival, "start", "estimate", *self.needs).cast(pl.Float64).fill_null(np.nan)
        queue = waiting.filter(clear).select(floats, "tasks", "at_once", "cut")
        there = pl.concat([runs.select(floats, tasks=1, at_once=0, cut=False), queue], how="vertical_relaxed")
        columns = {name: there[name].to_numpy() for name in there.columns}
        self.present = Present(
            need=self.need(there),
            arrival=columns[self.arrival],
            start=columns["start"],
            estimate=columns["estimate"],
            taken=taken,
            left_out=int(waiting["tasks"].sum() - queue["tasks"].sum()),
            tasks=columns["tasks"],
            at_once=columns["at_once"],
            cut=int(there["cut"].sum()),
        )

    def find_window(self):
        """Find the window of the file, and take those out who came before it."""
        self.given = {name for name in TIMES if self.known(name)}
        self.jobs = self.jobs.with_columns(user=_places(self.jobs["user"]))
        span, arrival = self.reading.span, pl.col(self.arrival)
        if not (self.reading.is_window or span.open) or np.isinf(span.first_end):
            return
        if not {self.arrival, "start"} <= self.given:
            return
        # Where all jobs have ended, nobody knows when the file was asked for: beside those that run on after the last
        # submission may have been others, which came later and are not in it.
        window = span.first_end, span.latest if span.open else float(self.jobs[self.arrival].max())
        early = ~(arrival >= window[0]).fill_null(False)
        if window[1] <= window[0] or self.jobs.select(early.all()).item():
            return
        self.drop(BEFORE, early & (END <= window[0]))
        self.window, there = window, self.jobs.filter(early)
        if len(there):
            self.before = Before(
                **self.columns(there, "run", "start", "estimate"), arrival=_floats(there[self.arrival])
            )
            self.jobs = self.jobs.filter(~early)

    def need(self, jobs):
        """Return what jobs need: a number for each or, of several resources, a row of numbers."""
        needs = jobs.select(pl.col(*self.needs).cast(pl.Float64)).to_numpy()
        return Vectors(needs, self.reading.resources) if self.reading.resources else needs[:, 0]

    def columns(self, jobs, *times):
        """Return columns of some jobs as a log has them, and free them here; None where no job has a value."""
        return {name: _floats(jobs.drop_in_place(name)) if name in self.given else None for name in times} | {
            "need": self.need(jobs),
            "priority": None if self.order is None else jobs["priority"].cast(pl.Int64).to_numpy(),
            "unfinished": jobs["unfinished"].cast(pl.Boolean).fill_null(False).to_numpy(),
        }

    def log(self):
        """Return the log of these jobs."""
        jobs, header = self.jobs, self.reading.header
        comes = self.arrival in self.given
        clock = self.clock if comes else None
        if self.reading.is_window or (comes and "UnixStartTime" not in header and jobs[self.arrival][0] > CALENDAR):
            clock = 0.0  # times count from 1970
        self.notes += [] if self.order is None else [self.order.words()]
        columns: dict[str, Any] = self.columns(jobs, *TIMES)
        if not self.some_run:
            columns["unfinished"] = None
        sizes: Any = self.sizes if self.reading.resources else self.sizes[0]
        used = len(jobs) + (0 if self.before is None else len(self.before.need))
        return Log(
            **columns,
            number=None if jobs["number"].has_nulls() else jobs["number"].cast(pl.Int64).to_numpy(),
            user=None if jobs["user"].has_nulls() else jobs["user"].to_numpy(),
            servers=None if None in self.sizes else sizes,
            servers_from=self.source,
            lines=Lines(read=self.read, used=used, dropped=self.dropped, first=self.first),
            header=header,
            clock=clock,
            zone="UTC" if clock is not None and not self.names_zone else "",
            notes=tuple(self.notes),
            warnings=tuple(self.warnings),
            submits_are_starts=self.only_starts,
            present=self.present,
            window=self.window,
            before=self.before,
            priority_names=() if self.order is None else self.order.names,
        )


def _queue(waiting, needs):
    """Return the jobs that wait, each once, with the components of each taken together."""
    alone = waiting.filter(pl.col("whole").is_null())
    whole = waiting.filter(pl.col("whole").is_not_null()).group_by("whole", maintain_order=True)
    whole = whole.agg(pl.col(*needs).sum(), pl.all().exclude(*needs, "whole").first()).select(waiting.columns)
    return (
        pl.concat([alone, whole])
        .unique("job", keep="last", maintain_order=True)
        .with_columns(
            pl.col("tasks").fill_null(1),
            pl.col("at_once").fill_null(0),
            estimate=pl.when(pl.col("estimate") > 0).then("estimate"),
        )
    )


def _floats(series):
    return series.cast(pl.Float64).fill_null(np.nan).to_numpy()


def _places(series):
    """Return users as numbers in the order in which they first come, -1 where one is not known; null if none is."""
    users = series.drop_nulls().unique(maintain_order=True)
    return series.replace_strict(users, range(len(users)), default=-1, return_dtype=pl.Int32) if len(users) else series


def _most_held(need, start, run):
    """Return the most that jobs held at the same time, at least what one needs."""
    known = ~np.isnan(start)
    start, run, held = (column if known.all() else column[known] for column in (start, run, need))
    order = np.argsort(np.concatenate([start + run, start]), kind="stable")  # at one instant ends come first
    held = np.concatenate([-held, held])[order]
    return float(max(np.cumsum(held, out=held).max(), need.max()))
