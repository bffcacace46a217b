"""One log from the tables of a reader, and what of the file was not used.

A reader gives one row for each line that should hold a job. Here they become a
:class:`~mjq.workload.reading.log.Log`, and each row that does not end there is counted under the reason why.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from mjq._util import checks
from mjq._util.plain import printable
from mjq.workload.answers import Lines
from mjq.workload.reading.kept import Kept
from mjq.workload.reading.log import Log, Present
from mjq.workload.reading.rows import FARTHEST, SCHEMA, TIMES, Reading

__all__ = ["gathered", "gathered_by_partition"]

FIRST_LINES = 5  # that are named for each reason
MOST_NAMED, LONGEST_NAME = 10, 40  # partitions, and letters of one, in a message
DISJOINT = "Only partitions that share neither jobs nor servers can be taken at once; --partition takes one by itself."


def gathered(reading: Reading, servers: float | None = None, partition: str | None = None, strict: bool = False) -> Log:
    """Make a log from what a reader returns.

    Parameters
    ----------
    reading : Reading
    servers : float, optional
        Of the machine; otherwise what the file says, or the most that its jobs held at once.
    partition : str, optional
        Jobs of others are dropped.
    strict : bool
        Whether the first line that cannot be used is an error.

    Returns
    -------
    Log

    Raises
    ------
    ValueError
        If no line can be used; if `strict`, the first that cannot.
    """
    tally, kept = _Tally(strict), Kept()
    for table in reading.tables:
        tally.read += len(table)
        if partition is not None:
            table = _dropping(table, "of another partition", pl.col("partition").fill_null("") != str(partition))
        kept.add(tally.usable(table))
    return _log(reading, kept.taken(), tally, servers, partition)


def gathered_by_partition(
    reading: Reading, servers: Mapping[str, float | None], strict: bool = False
) -> tuple[dict[str, Log], Lines]:
    """Make a log for each of several partitions, as :func:`gathered` makes it for one of them.

    Parameters
    ----------
    reading : Reading
    servers : mapping
        Names of the partitions to the servers of each, None where they are not known.
    strict : bool
        Whether the first line that cannot be used is an error, also one of a partition that is not named.

    Returns
    -------
    (dict of str to Log, Lines)
        By name; and what of the whole file was used.

    Raises
    ------
    ValueError
        If partitions overlap or one of them has no job that can be used; if `strict`, at the first line that cannot be
        used.
    """
    for name in servers:
        if "," in name or not name.strip():
            raise ValueError(f"{name!r} is not the name of one partition")
    whole, tallies = _Tally(strict), {name: _Tally(False) for name in servers}
    kept = {name: Kept() for name in servers}
    of, seen = pl.col("partition").fill_null(""), set()
    for table in reading.tables:
        _refuse_lists(table, servers)
        seen |= set(table.filter(pl.col("dropped").is_null())["partition"].drop_nulls().unique())
        for name, tally in tallies.items():
            tally.read += len(table)
            kept[name].add(tally.usable(_dropping(table, "of another partition", of != name)))
        whole.read += len(table)
        whole.usable(_dropping(table, "of a partition that is not named", ~of.is_in(list(servers))))
    taken = {name: rows.taken() for name, rows in kept.items()}
    empty = [name for name, jobs in taken.items() if jobs.is_empty()]
    if empty:
        there = f"; those with jobs are {_listed(seen)}" if seen else ""
        raise ValueError(f"no job that can be used is of the partition {empty[0]}{there}{whole.told()}")
    _refuse_repeated(taken)
    logs = {}
    for name in servers:
        try:
            logs[name] = _log(reading, taken.pop(name), tallies[name], servers[name], name, whole)
        except ValueError as error:
            raise ValueError(f"partition {name}: {error}") from error
    used = sum(map(len, logs.values()))
    return logs, Lines(read=whole.read, used=used, dropped=whole.dropped, first=whole.first)


def _listed(names):
    """Return names of partitions for a message, whatever a file calls them."""
    first = ", ".join(printable(name[:LONGEST_NAME]) for name in sorted(names)[:MOST_NAMED])
    return first + ", …" * (len(names) > MOST_NAMED)


def _refuse_lists(table, names):
    """Refuse a job that is listed in several partitions, one of which is named."""
    several = table.filter(pl.col("dropped").is_null() & pl.col("partition").str.contains(",", literal=True))
    for line, listed in several.sort("line").select("line", "partition").iter_rows():
        named = [name for name in names if name in [part.strip() for part in listed.split(",")]]
        if named:
            raise ValueError(
                f"line {line}: a job is listed in the partitions {listed}, so that {named[0]} shares its jobs with "
                f"another one. {DISJOINT}"
            )


def _refuse_repeated(taken):
    """Refuse a job that is there in several partitions."""
    of = pl.concat(jobs.select("same", pl.col("line").cast(pl.Int64), of=pl.lit(name)) for name, jobs in taken.items())
    of = of.filter(pl.col("same").is_not_null())
    twice = of.filter(pl.col("of").n_unique().over("same") > 1).sort("line")
    if len(twice):
        both = twice.filter(pl.col("same") == twice["same"][0]).unique("of", keep="first").sort("line")
        (first, one), (second, other) = both.select("line", "of").head(2).iter_rows()
        raise ValueError(
            f"lines {first} and {second} hold the same job, once in the partition {one} and once in {other}. {DISJOINT}"
        )


def _log(reading, jobs, tally, servers, partition, whole=None):
    """Make a log from the rows that can be used, each by itself; `whole` counts those of more partitions."""
    known, source = reading.machine(reading.header, partition) if reading.machine else (None, "")
    if servers is not None:
        known, source = float(checks.positive("servers", servers, ndim=0)), "given"
    _require_seconds(jobs)
    jobs = _without_odd_ones(jobs, known, *((tally,) if whole is None else (tally, whole)))
    if jobs.is_empty():
        raise ValueError(f"none of {tally.read} lines holds a job that can be used{tally.told()}")
    jobs, notes = _in_order(jobs)
    parts = jobs["partition"].drop_nulls().n_unique()
    if partition is None and parts > 1:
        notes.append(f"jobs of {parts} partitions are taken for those of one machine: --partition takes one of them")
    columns = {}
    number = None if jobs["number"].has_nulls() else jobs["number"].cast(pl.Int64).to_numpy()
    user = _users(jobs["user"])
    jobs = jobs.select(*TIMES, "need")
    for column in (*TIMES, "need"):
        columns[column] = _column(jobs.drop_in_place(column))
    said = reading.submits_are_starts is not None and reading.submits_are_starts(reading.header)
    only_starts, of_starts = _only_starts(said, **columns)
    if only_starts:
        columns["start"] = None
    columns["start"], early = _without_early_starts(**columns)
    if known is None and columns["start"] is not None:
        known = _most_held(columns)
        source = "" if known is None else "the most that its jobs held at once: there may be more"
    if whole is not None and columns["start"] is not None and (held := _most_held(columns)) and held > known:
        notes.append(f"its jobs held {held:g} servers at once: it has more than {known:g}, or shares some")
    arrival = columns["submit"] if columns["eligible"] is None else columns["eligible"]
    clock, odd = (None, "")
    if reading.clock and arrival is not None:
        clock, odd = reading.clock(reading.header, float(arrival[0]))
    return Log(
        **columns,
        number=number,
        user=user,
        servers=known,
        servers_from=source,
        lines=Lines(read=tally.read, used=len(columns["run"]), dropped=tally.dropped, first=tally.first),
        header=reading.header,
        clock=clock,
        notes=(*reading.notes, *of_starts, *notes, *early, *([odd] if odd else [])),
        submits_are_starts=only_starts,
        present=_present(reading.present, columns, partition, known),
    )


def _present(tables, columns, partition, servers):
    """Return the jobs that had not ended when the log was taken; None if it tells of none."""
    jobs = pl.concat(tables) if tables else pl.DataFrame(schema=SCHEMA)
    if partition is not None:
        jobs = jobs.filter(pl.col("partition").fill_null("") == str(partition))
    if jobs.is_empty() or columns["start"] is None or columns["submit"] is None:
        return None
    arrival = "submit" if columns["eligible"] is None else "eligible"
    jobs = jobs.with_columns(until=pl.max_horizontal("submit", "start", pl.col("start") + pl.col("run")))
    jobs = jobs.filter(pl.col("until").abs() <= FARTHEST)
    latest = jobs["until"].to_list() + [np.nanmax(columns["submit"]), np.nanmax(columns["start"] + columns["run"])]
    taken = float(max(latest))
    clear = pl.col(arrival).is_not_null() & (pl.col(arrival) <= taken) & (pl.col("need") > 0)
    if servers is not None:
        clear &= pl.col("need") <= servers * (1 + checks.FIT_TOLERANCE)
    kept = jobs.filter(clear).unique("job", keep="last", maintain_order=True)
    need, come, start, estimate = (
        kept[name].fill_null(np.nan).to_numpy() for name in ("need", arrival, "start", "estimate")
    )
    return Present(need, come, start, estimate, taken, left_out=len(jobs) - len(kept))


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

    def told(self):
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


def _without_odd_ones(jobs, servers, *tallies):
    """Count the rows that only a look at all of them shows to be unusable, and return the others."""
    odd, reasons = np.zeros(len(jobs), dtype=np.uint8), [None]

    def mark(reason, condition):
        """Give this reason where the condition holds and no reason is given yet."""
        where = (odd == 0) & condition.fill_null(False).to_numpy()
        reasons.append(reason)
        odd[where] = len(reasons) - 1

    mark("the same job as on an earlier line", _repeated(jobs))
    jobs = jobs.drop("same", "name")
    if jobs["zoned"].n_unique() > 1 and not jobs["zoned"].all():
        mark("a time without a zone among times with one", ~jobs["zoned"].fill_null(True))
    if jobs["submit"].is_not_null().any():
        mark("no submit time", jobs["submit"].is_null())
    need = jobs["need"].cast(pl.Float64)
    mark("no number of servers", need > checks.LARGEST_COUNT)
    if servers is not None:
        mark("needs more than the servers", need > servers * (1 + checks.FIT_TOLERANCE))
    if odd.any():
        bad = {"line": jobs["line"].filter(odd > 0), "dropped": [reasons[k] for k in odd[odd > 0].tolist()]}
        for tally in tallies:
            tally.usable(pl.DataFrame(bad, schema_overrides={"dropped": pl.String}))
        jobs = jobs.filter(odd == 0)
    return jobs.drop("zoned")


def _repeated(jobs):
    """Return which rows with a job are the same as an earlier row, column by column."""
    ordered = jobs["same"].drop_nulls().sort()
    twice = ordered.filter(ordered == ordered.shift(1)).unique()
    found = pl.repeat(False, len(jobs), eager=True)
    if len(twice):
        alike = jobs["same"].is_in(twice.implode()).fill_null(False)
        rows = jobs.filter(alike).select("name", "number", *TIMES, "need")
        first = rows.select(pl.struct(pl.all()).is_first_distinct()).to_series()
        found = found.scatter(alike.arg_true(), ~first)
    return found


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
    return jobs, notes + [f"{late} lines are earlier than the line before: the jobs were sorted"] * (late > 0)


def _known(jobs, column):
    return jobs[column].is_not_null().any()


def _column(series):
    """Return a column as floats, or None where nothing of it is known."""
    return series.cast(pl.Float64).fill_null(np.nan).to_numpy() if series.is_not_null().any() else None


def _users(series):
    """Return users as numbers in the order in which they first submit, -1 where one is not known; or None."""
    if not series.is_not_null().any():
        return None
    given = series.cast(pl.Int64).fill_null(-1).to_numpy()
    names, first, which = np.unique(given, return_index=True, return_inverse=True)
    place = np.empty(len(names), dtype=np.int32)
    place[np.argsort(np.where(names < 0, len(given), first), kind="stable")] = np.arange(len(names))
    return np.where(names < 0, -1, place)[which].astype(np.int32)


def _only_starts(said, submit, start, **_):
    """Return whether submit times are start times, if the header says so; and a note.

    Some converters write a wait of 0 where none is known, so zeros prove nothing. A positive wait contradicts the
    header.
    """
    if not said or submit is None:
        return False, []
    waited = 0 if start is None else int((start > submit).sum())
    if waited:
        return False, [f"the header says that submit times are start times, but {waited} jobs have a wait: it is used"]
    return True, ["the submit times of this log are start times: it has no waits"]


def _without_early_starts(submit, eligible, start, **_):
    """Return starts, not known where a job started before it could, and a note of how many did."""
    arrival = submit if eligible is None else eligible
    if arrival is None or start is None:
        return start, []
    early = start < arrival
    note = f"{early.sum()} jobs start before they were allowed to: their waits are not used"
    return np.where(early, np.nan, start), [note] * bool(early.any())


def _most_held(columns):
    """Return the most that jobs held at the same time; None where no start is known."""
    known = ~np.isnan(columns["start"])
    if not known.any():
        return None
    start, run, need = (columns[name] if known.all() else columns[name][known] for name in ("start", "run", "need"))
    order = np.argsort(np.concatenate([start + run, start]), kind="stable")  # at one instant ends come first
    held = np.concatenate([-need, need])[order]
    return float(np.cumsum(held, out=held).max())
