"""One log from the tables of a reader, and what of the file was not used.

A reader gives one row for each line that should hold a job. Here they become a
:class:`~mjq_logs.reading.log.Log`, and each row that does not end there is counted under the reason why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from mjq._util import checks
from mjq._util.plain import counted
from mjq_logs.reading.kept import Kept
from mjq_logs.reading.log import INFERRED, Before, Lines, Log, Present
from mjq_logs.reading.priorities import Order
from mjq_logs.reading.rows import (
    BEFORE,
    COMPONENT,
    FARTHEST,
    OTHER_PARTITION,
    REPEATED,
    TIMES,
    TOO_LARGE,
    UNLIMITED,
    Reading,
    need_columns,
    schema,
)
from mjq_logs.reading.vectors import Vectors, joined
from mjq_logs.words import time_in_words

LONGEST_LOG = 20 * 365 * 86_400.0  # seconds
LONG_AGO = 10  # times the longest run
FIRST_LINES = 5  # that are named for each reason


def gathered(
    reading: Reading,
    servers: float | Sequence[float] | None = None,
    partition: str | None = None,
    strict: bool = False,
    order: Order | None = None,
) -> Log:
    """Make a log from what a reader returns.

    Parameters
    ----------
    reading : Reading
    servers : float, or sequence of float, optional
        Of the machine, by each resource; otherwise what the file says, or the most that its jobs held at once.
    partition : str, optional
        Jobs of others are dropped.
    strict : bool
        Whether the first line that cannot be used is an error.
    order : Order, optional
        Which jobs go before which.

    Returns
    -------
    Log

    Raises
    ------
    ValueError
        If no line can be used; if `strict`, the first that cannot.
    """
    tally, kept = _Tally(strict), Kept(len(reading.resources))
    nothing = pl.DataFrame(schema=schema(len(reading.resources)))  # where a reader finds no line
    for table in chain(reading.tables, [nothing]):
        tally.read += len(table)
        if partition is not None:
            table = _dropping(table, OTHER_PARTITION, pl.col("partition").fill_null("") != str(partition))
        table = tally.usable(_numbered(table, order))
        reading.seen.behind += int(table["behind"].sum())
        kept.add(table)
    return _log(reading, kept.taken(), tally, servers, partition, order)


def _numbered(table, order):
    """Return a table with the priorities of its jobs, if some go before others."""
    return table.with_columns(priority=pl.lit(None, pl.Int64)) if order is None else order.numbered(table)


def _log(reading, jobs, tally, servers, partition, order):
    """Make a log from the rows that can be used, each by itself."""
    known, source, odd = reading.machine(reading.header, partition) if reading.machine else (None, "", "")
    if reading.resources:
        known, source, odd = _sizes(reading.resources, servers, known, source, odd)
    elif servers is not None:
        known, source, odd = float(checks.positive("servers", servers, ndim=0)), "given", ""
    unread, ranked = reading.seen.notes(any(len(rows) for rows in reading.waiting)), []
    names_zone = "TimeZone" in reading.header or not jobs["zoned"].cast(pl.Boolean).fill_null(True).all()
    if order is not None:
        order.require()
        ranked.append(order.words())
    _require_seconds(jobs)
    differ, often = reading.seen.contradiction()
    jobs = _without(jobs, REPEATED, _repeated(jobs), tally)
    jobs = _whole_jobs(jobs.drop("same"), tally)
    jobs, unsaid = _come_by_their_starts(jobs)
    jobs = _without_odd_ones(jobs, known, tally)
    if jobs.is_empty():
        raise ValueError(f"no line holds a job that can be used{tally.reasons()}")
    jobs, limits = _with_limits(jobs)
    jobs = _ran_so_far(jobs, reading, tally)
    jobs, requeued = _attempts(jobs) if reading.is_window else (jobs, [])
    jobs, early, clocks = _without_early_starts(jobs)
    jobs, notes = _in_order(jobs)
    parts = jobs["partition"].drop_nulls().n_unique() if partition is None else 1
    shared = f"Warning: jobs of {parts} partitions are taken for those of one machine; --partition takes one of them."
    columns: dict[str, Any] = {}
    columns["number"] = None if jobs["number"].has_nulls() else jobs["number"].cast(pl.Int64).to_numpy()
    columns["user"] = _places(jobs["user"])
    columns["priority"] = None if order is None else jobs["priority"].cast(pl.Int64).to_numpy()
    runs = jobs["unfinished"].fill_null(False).to_numpy() if _any_runs(jobs) else None
    lines = jobs["line"]
    jobs = jobs.select(*TIMES, *_needs(jobs))
    for column in TIMES:
        columns[column] = _column(jobs.drop_in_place(column))
    columns["need"] = _need(jobs, reading.resources)
    by_header = reading.submits_are_starts is not None and reading.submits_are_starts(reading.header)
    only_starts, of_starts = _only_starts(by_header, **columns)
    if only_starts:
        columns["start"] = None
    if reading.resources:
        known, source = _most_held_of_each(reading.resources, columns, known, source)
    elif known is None and columns["start"] is not None:
        known = _most_held(columns)
        source = "" if known is None else INFERRED
    arrival = columns["submit"] if columns["eligible"] is None else columns["eligible"]
    columns["unfinished"] = runs
    present = _present(reading, columns, partition, known)
    window, before, columns, gone = _windowed(reading, arrival, columns)
    _without(pl.DataFrame({"line": lines}), BEFORE, gone, tally)
    clock, odd_clock = (None, "") if arrival is None else reading.clock(reading.header, float(arrival[0]))
    used = len(columns["run"]) + (0 if before is None else len(before.need))
    return Log(
        **columns,
        servers=known,
        servers_from=source,
        lines=Lines(read=tally.read, used=used, dropped=tally.dropped, first=tally.first),
        header=reading.header,
        clock=clock,
        zone="UTC" if clock is not None and not names_zone else "",
        notes=(
            *reading.notes, *of_starts, *unread, *unsaid, *differ, *notes, *early, *limits, *requeued,
            *(words for words in (odd, odd_clock) if words), *ranked,
        ),
        warnings=(*([shared] if parts > 1 else []), *clocks, *often),
        submits_are_starts=only_starts,
        present=present,
        window=window,
        before=before,
        priority_names=() if order is None else order.names,
    )  # fmt: skip


def _windowed(reading, arrival, columns):
    """Return the window of the file or None, the jobs from before it or None, the others, and which ended before."""
    nothing, seen = np.zeros(len(columns["run"]), dtype=bool), reading.seen
    if not (reading.is_window or seen.open) or seen.first_end is None or arrival is None or columns["start"] is None:
        return None, None, columns, nothing
    # Where all jobs have ended, nobody knows when the file was asked for: beside those that run on after the last
    # submission may have been others, which came later and are not in it.
    begin, end = seen.first_end, seen.latest if seen.open else float(arrival.max())
    inside = arrival >= begin
    if not inside.any() or not end > begin:
        return None, None, columns, nothing
    gone = ~inside & (columns["start"] + columns["run"] <= begin)
    early = ~inside & ~gone
    runs = nothing if columns["unfinished"] is None else columns["unfinished"]
    there = _chosen(columns | {"arrival": arrival, "unfinished": runs}, early)
    before = Before(**{field.name: there[field.name] for field in fields(Before)})
    return (begin, end), before if early.any() else None, _chosen(columns, inside), gone


def _chosen(columns, which):
    """Return some rows of columns, which may be None."""
    return {name: None if column is None else column[which] for name, column in columns.items()}


def _whole_jobs(jobs, tally):
    """Return the jobs with the components of each taken together: they start at once and hold what all hold."""
    if not jobs["whole"].is_not_null().any():
        return jobs.drop("whole")
    components, needs = jobs.filter(pl.col("whole").is_not_null()), _needs(jobs)
    first = components.group_by("whole", "start", maintain_order=True).agg(
        pl.col(*needs).cast(pl.Float64).sum(),
        pl.col("run", "estimate").max(),
        pl.col("unfinished").any(),
        pl.all().exclude(*needs, "run", "estimate", "unfinished", "line").first(),
        pl.col("line").cast(pl.Int64).first(),
    )
    further = components.filter(~pl.struct("whole", "start").is_first_distinct())
    _count(further["line"], COMPONENT, tally)
    whole = jobs.filter(pl.col("whole").is_null())
    return pl.concat([whole, first.select(jobs.columns)], how="vertical_relaxed").drop("whole")


def _ran_so_far(jobs, reading, tally):
    """Return the jobs with what those that still run have run, where the file does not tell it.

    Without a state, a job is not taken to run whose start was ten times as long ago as any other job ran: its end is
    lost.
    """
    if not _any_runs(jobs):
        return jobs
    runs, start = pl.col("unfinished").fill_null(False), pl.col("start").cast(pl.Float64)
    passed = pl.when(runs).then(pl.max_horizontal(0.0, reading.seen.latest - start))
    longest = jobs.filter(~runs)["run"].max()
    if not reading.is_window and longest:
        jobs = _without(jobs, "no run time", jobs.select(passed > LONG_AGO * longest).to_series(), tally)
    return jobs.with_columns(run=pl.coalesce("run", passed))


def _any_runs(jobs):
    return jobs["unfinished"].cast(pl.Boolean).any()


def _with_limits(jobs):
    """Return the jobs with the limits that they have by their partition, the longest of it; and notes of how many."""
    if not _known(jobs, "estimate"):
        return jobs, []
    limit = jobs["estimate"].cast(pl.Float64)
    none, of_partition = int((limit == UNLIMITED).sum()), limit == -UNLIMITED
    notes = [f"{counted(none, 'job')} came without a limit of the run time"] * (none > 0)
    if not of_partition.any():
        return jobs, notes
    own = pl.when(pl.col("estimate").is_between(0, UNLIMITED, closed="none")).then("estimate")
    jobs = jobs.with_columns(pl.col("estimate").cast(pl.Float64), place=pl.col("partition").fill_null(-1))
    longest = own.max().over("place")
    jobs = jobs.with_columns(estimate=pl.when(pl.col("estimate") == -UNLIMITED).then(longest).otherwise("estimate"))
    unknown = int((of_partition & jobs["estimate"].is_null()).sum())
    notes.append(
        f"{counted(int(of_partition.sum()), 'job')} came with the limit of a partition: the longest limit of its other "
        f"jobs is taken{f', and there is none for {unknown} of them' * (unknown > 0)}"
    )
    return jobs.drop("place"), notes


def _attempts(jobs):
    """Return the jobs with each attempt of one coming when the one before it had ended; and a note of how many."""
    key = [name for name in ("number", "name") if _known(jobs, name)]
    if not key or jobs.select(pl.struct(key).is_duplicated().any()).item() is False or not _known(jobs, "start"):
        return jobs, []
    jobs = jobs.with_columns(row=pl.int_range(pl.len()), ended=(pl.col("start") + pl.col("run")).cast(pl.Float64))
    before = jobs.sort("start").select("row", before=pl.col("ended").shift(1).over(key)).sort("row")["before"]
    later = pl.col("before").is_not_null() & (pl.col("before") <= pl.col("start"))
    times = [name for name in ("submit", "eligible") if _known(jobs, name)]
    jobs = jobs.with_columns(before=before).with_columns(
        pl.when(later).then(pl.max_horizontal(pl.col(name).cast(pl.Float64), "before")).otherwise(name).alias(name)
        for name in times
    )
    again = jobs.select(pl.struct(key).filter(later).n_unique()).item()
    words = f"{counted(again, 'job')} started again or got another size: each part comes when the one before it ends"
    return jobs.drop("row", "ended", "before"), [words] * (again > 0)


def _present(reading, columns, partition, servers):
    """Return the jobs that had not ended when the log was taken; None if it tells of none."""
    needs = need_columns(len(reading.resources))
    waiting = pl.concat(reading.waiting) if reading.waiting else pl.DataFrame(schema=schema(len(needs)))
    if partition is not None:
        names = pl.col("partition").fill_null("").str.split(",")  # it may wait in several, and start in any
        waiting = waiting.filter(names.list.contains(str(partition)))
    runs, start, submit = columns["unfinished"], columns["start"], columns["submit"]
    if start is None or submit is None or (waiting.is_empty() and runs is None):
        return None
    arrival = "submit" if columns["eligible"] is None else "eligible"
    taken = float(max(reading.seen.latest, submit.max(), np.nanmax(start + columns["run"])))
    clear = pl.col(arrival).is_not_null() & (pl.col(arrival) <= taken)
    clear &= pl.all_horizontal(pl.col(*needs) >= 0) & pl.any_horizontal(pl.col(*needs) > 0)
    for need, size in zip(needs, _of_each(servers, needs), strict=True):
        if size is not None:
            clear &= pl.col(need) <= size * (1 + checks.FIT_TOLERANCE)
    waiting = _queue(waiting)
    kept = waiting.filter(clear)
    runs = np.zeros(0, dtype=int) if runs is None else np.flatnonzero(runs)

    def both(running, name):
        there = np.full(len(runs), np.nan) if running is None else running
        return np.append(there, kept[name].cast(pl.Float64).fill_null(np.nan).to_numpy())

    def of(name):
        return None if columns[name] is None else columns[name][runs]

    return Present(
        need=joined([of("need"), Vectors(kept.select(needs).cast(pl.Float64).to_numpy(), reading.resources)])
        if reading.resources
        else both(of("need"), "need"),
        arrival=both(of(arrival), arrival),
        start=both(of("start"), "start"),
        estimate=both(of("estimate"), "estimate"),
        taken=taken,
        left_out=int(waiting["tasks"].sum() - kept["tasks"].sum()),
        tasks=both(np.ones(len(runs)), "tasks").astype(int),
        at_once=both(np.zeros(len(runs)), "at_once").astype(int),
        cut=int(kept["cut"].sum()),
    )


def _queue(waiting):
    """Return the jobs that wait, each once, with the components of each taken together."""
    if waiting.is_empty():
        return waiting.with_columns(tasks=pl.lit(1), at_once=pl.lit(0), cut=pl.lit(False))
    alone = pl.col("whole").is_null()
    whole = waiting.filter(~alone).group_by("whole", maintain_order=True)
    needs = _needs(waiting)
    whole = whole.agg(pl.col(*needs).sum(), pl.all().exclude(*needs, "whole").first()).select(waiting.columns)
    rows = pl.concat([waiting.filter(alone), whole]).unique("job", keep="last", maintain_order=True)
    return rows.with_columns(estimate=pl.when(pl.col("estimate") > 0).then("estimate"))


class _Tally:
    """Count the lines read, and those that are not used, by reason."""

    def __init__(self, strict):
        self.strict = strict
        self.read, self.dropped, self.first = 0, {}, {}

    def usable(self, table):
        """Return the rows that can be used, and count the others."""
        bad = table.filter(pl.col("dropped").is_not_null())
        if len(bad):
            if self.strict:
                line, reason = bad.sort("line").select("line", "dropped").row(0)
                raise ValueError(f"line {line}: {reason}")
            by_reason = bad.group_by("dropped").agg(pl.len(), pl.col("line").sort().head(FIRST_LINES).alias("first"))
            for reason, count, first in by_reason.sort("dropped").iter_rows():
                self.dropped[reason] = self.dropped.get(reason, 0) + count
                self.first[reason] = sorted([*self.first.get(reason, []), *first])[:FIRST_LINES]
        return table.filter(pl.col("dropped").is_null())

    def reasons(self):
        """Return the reasons, for a message."""
        reasons = (f"{count} {reason} (line {self.first[reason][0]})" for reason, count in self.dropped.items())
        return "".join(f"; {text}" for text in reasons)


def _dropping(table, reason, condition):
    """Return the table with this reason on the rows where the condition holds and no reason is given yet."""
    there = pl.when(pl.col("dropped").is_null() & condition).then(pl.lit(reason)).otherwise("dropped")
    return table.with_columns(dropped=there)


def _require_seconds(jobs):
    """Refuse times that cannot be seconds: they would make months by the million, and work that no float holds."""
    for name in ("submit", "eligible", "start", "run"):
        far = jobs.select("line", name).filter(pl.col(name).cast(pl.Float64).abs() > FARTHEST)
        if len(far):
            line, time = far.sort("line").row(0)
            raise ValueError(
                f"line {line}: {name} is {time:.15g}, which is more than 230 years (in {len(far)} of {len(jobs)} "
                f"lines). Times must be in seconds: are these milliseconds?"
            )
        early, late = (jobs[name].cast(pl.Float64).quantile(q) for q in (0.1, 0.9))
        if early is not None and late - early > LONGEST_LOG:
            raise ValueError(
                f"most of the column {name} lies between {early:.15g} and {late:.15g}, which is more than 20 years. "
                "Times must be in seconds: are these milliseconds?"
            )


def _come_by_their_starts(jobs):
    """Return jobs that come when they start, where a file has submissions and not that of a job; and a note of them."""
    if not jobs["submit"].has_nulls() or not _known(jobs, "submit"):
        return jobs, []
    jobs = jobs.with_columns(submit=pl.coalesce("submit", "eligible"))
    lack = int((jobs["submit"].is_null() & jobs["start"].is_not_null()).sum())
    note = f"{counted(lack, 'job')} came without a submit time: they count as jobs that did not wait"
    return jobs.with_columns(submit=pl.coalesce("submit", "start")), [note] * (lack > 0)


def _without_odd_ones(jobs, servers, tally):
    """Count the rows that only a look at all of them shows to be unusable, and return the others."""
    if jobs["zoned"].n_unique() > 1 and not jobs["zoned"].all():
        jobs = _without(jobs, "a time without a zone among times with one", ~jobs["zoned"].fill_null(True), tally)
    if jobs["submit"].is_not_null().any():
        jobs = _without(jobs, "no submit time", jobs["submit"].is_null(), tally)
    needs = _needs(jobs)
    for need in needs:
        jobs = _without(jobs, "no number of servers", jobs[need].cast(pl.Float64) > checks.LARGEST_COUNT, tally)
    for need, size in zip(needs, _of_each(servers, needs), strict=True):
        if size is not None:
            large = jobs[need].cast(pl.Float64) > size * (1 + checks.FIT_TOLERANCE)
            jobs = _without(jobs, TOO_LARGE, large, tally)
    return jobs.drop("zoned")


def _without(jobs, reason, where, tally):
    """Return the rows where this is not so, and count the others under the reason."""
    where = pl.Series(where).fill_null(False)
    if not where.any():
        return jobs
    _count(jobs["line"].filter(where), reason, tally)
    return jobs.filter(~where)


def _count(lines, reason, tally):
    """Count some lines under a reason."""
    if len(lines):
        tally.usable(pl.DataFrame({"line": lines.cast(pl.Int64), "dropped": [reason] * len(lines)}))


def _repeated(jobs):
    """Return which rows with a job are the same as an earlier row, column by column."""
    ordered = jobs["same"].drop_nulls().sort()
    twice = ordered.filter(ordered == ordered.shift(1)).unique()
    repeated = pl.repeat(False, len(jobs), eager=True)
    if len(twice):
        alike = jobs["same"].is_in(twice.implode()).fill_null(False)
        rows = jobs.filter(alike).select("name", "number", *TIMES, *_needs(jobs))
        first = rows.select(pl.struct(pl.all()).is_first_distinct()).to_series()
        repeated = repeated.scatter(alike.arg_true(), ~first)
    return repeated


def _in_order(jobs):
    """Return the jobs by arrival, then number; and a note if they were not."""
    jobs = jobs.with_columns(eligible=pl.coalesce("eligible", "submit")) if _known(jobs, "eligible") else jobs
    by = next((name for name in ("eligible", "submit", "start") if _known(jobs, name)), None)
    if by is None:
        return jobs, ["neither submit nor start times: the order of the lines is taken for that of the jobs"]
    late = int((jobs[by] < jobs[by].shift(1)).sum())
    time = _column(jobs[by])
    number = jobs["number"].cast(pl.Int64).fill_null(np.iinfo(np.int64).max).to_numpy()
    later = (time[1:] > time[:-1]) | ((time[1:] == time[:-1]) & (number[1:] >= number[:-1]))
    if not later.all():
        jobs = jobs[np.lexsort((number, time))]  # lines of one number stay in their order; times not known come last
    notes = ["no submit times: the order of the starts is taken for that of the jobs"] * (by == "start")
    sorted_ = f"{counted(late, 'line')} came earlier than the line before: the jobs were sorted"
    return jobs, notes + [sorted_] * (late > 0)


def _known(jobs, column):
    return jobs[column].is_not_null().any()


def _column(series):
    """Return a column as floats, or None where nothing of it is known."""
    return series.cast(pl.Float64).fill_null(np.nan).to_numpy() if series.is_not_null().any() else None


def _needs(jobs):
    """Return the columns of a table with what its jobs need of each resource."""
    return [name for name in jobs.columns if name.split()[0] == "need"]


def _of_each(servers, needs):
    """Return the size of the machine by each resource, None where it is not known."""
    return (servers,) if len(needs) == 1 else servers or [None] * len(needs)


def _need(jobs, resources):
    """Return what jobs need as a column or, of several resources, as rows of numbers."""
    if not resources:
        return _column(jobs["need"])
    return Vectors(jobs.select(pl.col(*need_columns(len(resources))).cast(pl.Float64)).to_numpy(), resources)


def _sizes(resources, servers, known, source, odd):
    """Return the size of a machine by each resource, None where it is not known; and what :func:`_log` knows of one."""
    if servers is None:
        return [known if name == "cpus" else None for name in resources], source, odd
    if np.shape(servers) != (len(resources),):
        raise ValueError(
            f"servers must be a number for each of {', '.join(resources)}, such as --servers "
            f"{','.join('8' for _ in resources)}; got {checks.shown(servers)}"
        )
    return checks.positive("servers", servers).tolist(), "given", ""


def _most_held_of_each(resources, columns, sizes, source):
    """Return the size by each resource, the most that its jobs held where nothing tells it; None if one stays open."""
    if None not in sizes:
        return sizes, source
    if columns["start"] is None:
        return None, ""
    for k, name in enumerate(resources):
        if sizes[k] is None:
            sizes[k] = _most_held(columns | {"need": columns["need"].values[:, k]})
            if not sizes[k]:
                raise ValueError(f"no job that has started needs any {name}")
    return sizes, INFERRED


def _places(series):
    """Return users as numbers in the order in which they first come, -1 where one is not known; None if none is."""
    if not series.is_not_null().any():
        return None
    given = series.cast(pl.Int64).fill_null(-1).to_numpy()
    numbers, first, which = np.unique(given, return_index=True, return_inverse=True)
    place = np.empty(len(numbers), dtype=np.int32)
    place[np.argsort(np.where(numbers < 0, len(given), first), kind="stable")] = np.arange(len(numbers))
    return np.where(numbers < 0, -1, place)[which].astype(np.int32)


def _only_starts(by_header, submit, start, **_):
    """Return whether submit times are start times, if the header says so; and a note.

    Some converters write a wait of 0 where none is known, so zeros prove nothing. A positive wait contradicts the
    header.
    """
    if not by_header or submit is None:
        return False, []
    waited = 0 if start is None else int((start > submit).sum())
    if waited:
        return False, [
            f"the header says that submit times are start times, but {counted(waited, 'job')} waited: waits are used"
        ]
    return True, ["the submit times of this log are start times: it has no waits"]


def _without_early_starts(jobs):
    """Return jobs of which each comes when it starts, at the latest, a note of how many did not, and a warning.

    Submissions and starts may be times of two clocks. What a job held, and for how long, is known all the same.
    """
    if not _known(jobs, "start"):
        return jobs, [], []
    times = [name for name in ("submit", "eligible") if _known(jobs, name)]
    start, arrival = pl.col("start").cast(pl.Float64), pl.coalesce(*times[::-1], pl.lit(None, pl.Float64))
    waits = jobs.select(wait=start - arrival).to_series().drop_nulls()
    early = -waits.filter(waits < 0)
    if early.is_empty():
        return jobs, [], []
    jobs = jobs.with_columns(pl.min_horizontal(pl.col(name).cast(pl.Float64), start).alias(name) for name in times)
    told = (
        f"{counted(len(early), 'job')} started before the log allows it, by up to {time_in_words(early.max() / 3600)}"
    )
    doubt = f"Warning: {told}, which is more than all others waited: are starts and submissions times of two clocks?"
    return jobs, [f"{told}: they count as jobs that did not wait"], [doubt] * bool(early.sum() > waits.clip(0).sum())


def _most_held(columns):
    """Return the most that jobs held at the same time, at least what one needs; None where no start is known."""
    known = ~np.isnan(columns["start"])
    if not known.any():
        return None
    start, run, need = (columns[name] if known.all() else columns[name][known] for name in ("start", "run", "need"))
    order = np.argsort(np.concatenate([start + run, start]), kind="stable")  # at one instant ends come first
    held = np.concatenate([-need, need])[order]
    return float(max(np.cumsum(held, out=held).max(), columns["need"].max()))
