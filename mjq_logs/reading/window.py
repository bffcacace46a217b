"""What a log sees of its machine: a window in time, the servers held in it, and the jobs present at both ends.

A file begins and ends while jobs run and wait. Jobs from before the window are the initial state of a replay and no
arrivals; those that had not ended count with what they have run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mjq._util import checks
from mjq._util.plain import counted
from mjq_logs.answers import Number, Plain
from mjq_logs.reading.clock import dated, original
from mjq_logs.reading.log import Before, Log, Present
from mjq_logs.reading.vectors import joined
from mjq_logs.words import time_in_words

HOUR = 3600.0
MOST_OF_THE_TIME = 0.99
FEWEST_JOBS = 200  # from which on something is said of load and waits
LONGEST_RUNS = 5  # of the longest runs there must be in the time that the log sees
NEGLIGIBLE = 0.01  # share of the work that the runs longer than the longest one may bring
# Columns of the jobs present when a window begins, and when it ends; what stands for one that some jobs lack.
OF_BEFORE: dict[str, Any] = dict.fromkeys(("need", "run", "arrival", "start", "estimate", "unfinished", "priority"))
OF_PRESENT = dict.fromkeys(("need", "arrival", "start")) | {"estimate": np.nan, "tasks": 1, "at_once": 0}


class Window(Plain):
    """Describe the time that a log sees, and the jobs that were there when it began and when it ended."""

    begin: float
    """On the clock of the file [s]; the first submission, unless the file or the user says more."""
    end: float
    dates: tuple[str, str] | None
    """Both as dates; null where the log has no clock."""
    busy: Number
    """Share of the servers that was busy in it; null where the log does not tell when jobs started."""
    running_before: int
    """Jobs from before it that ran when it began: the initial state of a replay."""
    waiting_before: int
    """Jobs from before it that waited then."""
    running_after: int
    """Jobs that still ran when it ended; they count with what they had run."""
    waiting_after: int
    """Jobs that still waited then."""


class Held(Plain):
    """Hold how many servers the jobs of a log held together."""

    most_of_the_time: float
    """At most so many for 99 % of the time."""
    ever: float


def _intervals(log):
    """Return when jobs started and ended, and what they held, also those from before the window.

    None where that is not known, or the window has no length.
    """
    if log.started is None or log.arrival is None or not log.end > log.begin:
        return None
    columns = [(log.started, log.run, log.need)]
    if log.before is not None:
        columns.append((log.before.start, log.before.run, log.before.need))
    begins, run, need = (joined(parts) for parts in zip(*columns, strict=True))
    known = np.isfinite(begins)
    return begins[known], (begins + run)[known], need[known]


def held(log: Log) -> tuple[np.ndarray, np.ndarray] | None:
    """Return n + 1 instants from the beginning of the window of a log to its end [s], and what was held between them.

    None where the log does not tell when jobs started, or no time passes.

    >>> log = Log(need=[2, 4], run=[60, 30], submit=[0, 50], start=[0, 50], servers=8)
    >>> [x.tolist() for x in held(log)]
    [[0.0, 50.0], [2.0]]
    """
    columns = _intervals(log)
    if columns is None:
        return None
    begins, ends, need = columns
    at = np.concatenate([[log.begin], begins, ends, [log.end]])  # a log may be so long that each array counts
    del begins, ends
    order = np.argsort(np.clip(at, log.begin, log.end, out=at), kind="stable")
    at = at[order]
    change = np.concatenate([[0.0], need, -need, [0.0]])[order]
    del order
    last = np.append(at[1:] > at[:-1], True)  # of each instant
    return at[last], np.cumsum(change, out=change)[last][:-1]


def busy_share(log: Log) -> float | None:
    """Return the share of the servers that was busy in the window of a log, where they were up.

    It is the overlap of each job with the window, times its servers; None where the log does not tell it.

    >>> columns = dict(need=[2, 4], run=[60, 30], submit=[0, 50], start=[0, 50], servers=8)
    >>> busy_share(Log(**columns)), busy_share(Log(**columns, window=(0, 100)))
    (0.25, 0.3)
    """
    columns = _intervals(log)
    if columns is None:
        return None
    begins, ends, need = columns
    overlap = np.clip(ends, log.begin, log.end) - np.clip(begins, log.begin, log.end)
    servers = log.require_servers()
    up = servers * (log.end - log.begin) if log.calendar is None else log.calendar.on(servers).work(log.begin, log.end)
    return float(need @ overlap / up) if up > 0 else None


def held_most(log: Log) -> Held | None:
    """Return how many servers a log held for at most 99 % of the time of its window, and ever; None if not known.

    >>> log = Log(need=[2, 4], run=[1000, 5], submit=[0, 50], start=[0, 50], servers=8, window=(0, 1000))
    >>> held_most(log)
    Held(most_of_the_time=2.0, ever=6.0)
    """
    steps = held(log)
    if steps is None:
        return None
    times, servers = steps
    order = np.argsort(servers, kind="stable")
    passed = np.cumsum(np.diff(times)[order])
    place = int(np.searchsorted(passed, MOST_OF_THE_TIME * passed[-1] * (1 - checks.FIT_TOLERANCE)))
    return Held(most_of_the_time=float(servers[order[place]]), ever=float(servers.max()))


def cut_window(log: Log, begin: float | None = None, end: float | None = None) -> Log:
    """Return what a log tells of a shorter window.

    Jobs that were there when it begins are those from before it. Those that run when it ends are unfinished, and those
    that wait then are present and no jobs of the log. Of a log that does not tell when jobs started, the jobs that came
    in the window are taken.

    Parameters
    ----------
    log : Log
        From which no gaps have been cut.
    begin, end : float, optional
        On its clock [s]; by default the ends of its own window. Before it and after the last end of a job nothing is
        seen. Without an end, what came of the last jobs stays known.

    Raises
    ------
    ValueError
        If the window does not end after it begins, or no job came and started in it.

    Examples
    --------
    >>> log = Log(need=[1, 2, 4], run=[60, 60, 60], submit=[0, 50, 90], start=[0, 60, 120], servers=4)
    >>> cut = cut_window(log, 10, 100)
    >>> cut.submit.tolist(), cut.run.tolist(), cut.before.need.tolist(), cut.present.need.tolist()
    ([50.0], [40.0], [1.0], [2.0, 4.0])
    """
    arrival = log.require_arrivals()
    if log.gaps:
        raise ValueError("gaps have been cut from the log, so its clock is no longer its own")
    start = log.started
    last = log.end if start is None else np.nanmax([log.end, *(start + log.run)])
    known = np.inf if end is None else float(end)  # until when it is known what happened
    begin = log.begin if begin is None else max(float(begin), log.begin)
    end = log.end if end is None else min(float(end), last)
    if begin == log.begin and known == np.inf:
        return log
    if not begin < end:
        raise ValueError(f"a window must end after it begins, got {dated(log, begin)} to {dated(log, end)}")
    inside = (arrival >= begin) & (arrival <= end)
    waits = np.zeros(len(log), dtype=bool) if start is None else np.isfinite(start) & (start > known)
    if not (inside & ~waits).any():
        raise ValueError(
            f"no job came and started between {dated(log, begin)} and {dated(log, end)}; the first came at "
            f"{dated(log, arrival[0])} and the last at {dated(log, arrival[-1])}"
        )
    if start is None:
        return log.of(inside, window=(begin, end), before=None, present=None)
    ongoing = np.zeros(len(log), dtype=bool) if log.unfinished is None else log.unfinished
    runs = ~waits & ((start + log.run > known) | ongoing)
    run = np.where(runs, np.clip(known - start, 0.0, log.run), log.run)
    early = (arrival < begin) & ~(start + log.run <= begin)
    inside_runs = runs[inside & ~waits]
    ended, later = int(((arrival < begin) & ~early).sum()), int((arrival > end).sum())
    notes = [f"{counted(ended, 'job')} ended before the window"] * (ended > 0)
    notes += [f"{counted(later, 'job')} came after the window"] * (later > 0)
    return log.of(
        inside & ~waits,
        run=run[inside & ~waits],
        unfinished=inside_runs if inside_runs.any() else None,
        window=(begin, end),
        before=_before(log, early & ~waits, begin, known, start=start, run=run, unfinished=runs),
        present=_present(log, (inside | early) & (runs | waits), start, end) if known < np.inf else log.present,
        notes=(*log.notes, *notes),
    )


def _rows(jobs, which, columns, **changed):
    """Return some rows of columns of jobs; of one that they lack its default, or None."""
    rows = {}
    for name, default in columns.items():
        column = changed.get(name, getattr(jobs, name, None))
        missing = None if default is None else np.full(int(which.sum()), default)
        rows[name] = missing if column is None else column[which]
    return rows


def _before(log, which, begin, end, **changed):
    """Return the jobs present when a window begins, with those from before the window of the log; or None."""
    parts, old = [_rows(log, which, OF_BEFORE, **changed)], log.before
    if old is not None:
        ends = old.start + old.run
        run, runs = np.where(ends > end, end - old.start, old.run), old.unfinished | (ends > end)
        there = ~(ends <= begin) & ~(old.start > end)
        parts.insert(0, _rows(old, there, OF_BEFORE, run=run, unfinished=runs))
    columns = {name: joined([part[name] for part in parts]) for name in OF_BEFORE}
    return Before(**columns) if len(columns["need"]) else None


def _present(log, which, start, end):
    """Return who had not ended when a window ends."""
    parts, old, here = [_rows(log, which, OF_PRESENT, start=start)], log.before, log.present
    if old is not None:
        parts.insert(0, _rows(old, old.unfinished | (old.start + old.run > end), OF_PRESENT))
    if here is not None:  # who waited on until the log was taken
        parts.append(_rows(here, np.isnan(here.start) & (here.arrival <= end), OF_PRESENT))
    columns = {name: joined([part[name] for part in parts]) for name in OF_PRESENT}
    if not len(columns["need"]):
        return None
    columns["start"] = np.where(columns["start"] <= end, columns["start"], np.nan)
    left_out, cut = (0, 0) if here is None else (here.left_out, here.cut)
    return Present(**columns, taken=end, left_out=left_out, cut=cut)


def window_of(log: Log) -> Window | None:
    """Return the window of a log, and the jobs present at both ends; None where it does not tell when jobs came."""
    if log.arrival is None:
        return None
    ends = original(log, [log.begin, log.end]).tolist()
    before, present = log.before, log.present
    ran = 0 if before is None else int((before.start <= log.begin).sum())
    running = 0 if present is None else int(np.isfinite(present.start).sum())
    return Window(
        busy=busy_share(log) if log.servers is not None and not log.resources else None,
        begin=ends[0],
        end=ends[1],
        dates=None if log.clock is None else (dated(log, log.begin), dated(log, log.end)),
        running_before=ran,
        waiting_before=0 if before is None else len(before.need) - ran,
        running_after=running,
        waiting_after=0 if present is None else int(present.tasks[~np.isfinite(present.start)].sum()),
    )


def window_in_words(window: Window | None) -> str | None:
    """Say in a sentence how many jobs were there at both ends of a window; None where there were none.

    >>> at = dict(begin=0, end=9, dates=None, busy=None)
    >>> window_in_words(Window(**at, running_before=2, waiting_before=0, running_after=1, waiting_after=7))
    '2 jobs ran when the window began; 1 job still ran and 7 waited when it ended.'
    """
    if window is None:
        return None
    first = _there(window.running_before, window.waiting_before, "")
    last = _there(window.running_after, window.waiting_after, "still ")
    parts = [f"{first} when the window began"] * bool(first)
    parts += [f"{last} when {'it' if parts else 'the window'} ended"] * bool(last)
    return "; ".join(parts) + "." if parts else None


def _there(ran, waited, still):
    parts = [f"{counted(ran, 'job')} {still}ran"] * (ran > 0)
    parts += [f"{waited} waited" if parts else f"{counted(waited, 'job')} {still}waited"] * (waited > 0)
    return " and ".join(parts)


def shortness_in_words(log: Log) -> str | None:
    """Say that a log is too short to tell anything of load and waits; None if it is long enough.

    It has fewer than 200 jobs, or the time that it sees is shorter than five of its longest runs. Runs that bring less
    than a hundredth of the work together do not count among the longest.

    >>> shortness_in_words(Log(need=[1, 1], run=[60, 30], submit=[0, 9]))
    'Nothing can be said of load and waits: the log has 2 jobs, fewer than 200.'
    """
    if len(log) < FEWEST_JOBS:
        return (
            f"Nothing can be said of load and waits: the log has {counted(len(log), 'job')}, fewer than {FEWEST_JOBS}."
        )
    if log.arrival is None:
        return None
    longest, seen = _longest(log), log.end - log.begin
    if seen >= LONGEST_RUNS * longest:
        return None
    return (
        f"Nothing can be said of load and waits: the log sees {time_in_words(seen / HOUR)}, less than {LONGEST_RUNS} "
        f"times its longest runs, which take {time_in_words(longest / HOUR)}."
    )


def _longest(log):
    """Return the longest run, but for the longest ones that bring less than a hundredth of the work together.

    Of several resources, the longest by any of them.
    """
    if log.resources:
        return max(_longest(log.alone(name)) for name in log.resources if log.needs[:, log.resources.index(name)].any())
    order = np.argsort(log.run)
    work = np.cumsum((log.need * log.run)[order][::-1])
    place = int(np.searchsorted(work, NEGLIGIBLE * work[-1])) if work[-1] > 0 else 0
    return float(log.run[order[::-1][place]])
