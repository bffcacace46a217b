"""How much work a log brings, when, and how unevenly; and how well replays agree with its waits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from mjq._util import checks
from mjq._util.compiling import numba
from mjq.simulation.calendar import Calendar
from mjq_logs.answers import Agreement, Load
from mjq_logs.outages import servers_up
from mjq_logs.reading.clock import local
from mjq_logs.reading.log import Log
from mjq_logs.replaying import replayed

HOUR, DAY, MONTH = 3600, 86_400, 30 * 86_400
START_TOLERANCE = 60  # by which starts may differ and count as the same [s]


def load(log: Log) -> Load | None:
    """Return how much work came when.

    Parameters
    ----------
    log : Log

    Returns
    -------
    Load or None
        None where the log does not tell when jobs came, or all came at once.

    Examples
    --------
    A job an hour, of half the servers for an hour:

    >>> from mjq_logs import Log
    >>> arrival = 3600.0 * np.arange(100)
    >>> result = load(Log(need=np.ones(100), run=np.full(100, 3600.0), submit=arrival, servers=2.0))
    >>> round(result.rate, 2), round(result.load, 2), round(result.dispersion_by_day, 6), result.by_month
    (1.01, 0.51, 0.0, {'day 0': 0.50...})
    """
    arrival = log.arrival
    if arrival is None or not log.end > log.begin:
        return None
    servers, work = log.require_servers(), log.need * log.run
    up, there = servers_up(log), local(log, arrival)
    up = None if up is None else up.moved(-(log.clock or 0.0))
    begin, end = local(log, [log.begin, log.end]).tolist()
    what = there, work, servers, up, begin, end
    by_month = _by_month(*what) if log.clock is None else _by_calendar(*what)
    by_hour = {} if log.clock is None else _by_hour(*what)
    can, since, seen = _can(up, servers, begin, end), arrival - log.begin, log.end - log.begin
    return Load(
        rate=float(HOUR * len(log) / seen),
        load=float(work.sum() / can) if can > 0 else float("nan"),
        by_month=by_month,
        by_hour=by_hour,
        dispersion_by_hour=None if log.submits_are_starts else _dispersion(since, seen, HOUR),
        dispersion_by_day=None if log.submits_are_starts else _dispersion(since, seen, DAY),
    )


def _can(up, servers, begin, end):
    """Return the work that servers can do from `begin` to `end`, with a calendar or None."""
    return servers * (end - begin) if up is None else up.work(begin, end)


def _by_month(arrival, work, servers, up, begin, end):
    """Load of each thirty days."""
    number = ((arrival - begin) // MONTH).astype(int)
    begins = begin + MONTH * np.arange(int((end - begin) // MONTH) + 1)
    spans = np.clip(end - begins, 0, MONTH)
    can = servers * spans if up is None else up.work(begins, begins + spans)
    done = np.bincount(number, work, len(spans))
    return {f"day {30 * k}": float(done[k] / can[k]) for k in range(len(spans)) if can[k] > 0}


def _by_calendar(arrival, work, servers, up, begin, end):
    """Load of each month, of the first and last as far as the log goes."""
    jobs = pl.DataFrame({"at": arrival, "work": work}).with_columns(
        month=pl.from_epoch(pl.col("at").floor().cast(pl.Int64)).dt.truncate("1mo")
    )
    months = jobs.group_by("month").agg(pl.col("work").sum()).sort("month")
    months = months.with_columns(
        begin=pl.col("month").dt.epoch("s").clip(lower_bound=begin),
        end=pl.col("month").dt.offset_by("1mo").dt.epoch("s").clip(upper_bound=end),
    )
    rows = months.select(pl.col("month").dt.strftime("%Y-%m"), "work", "begin", "end")
    shares = ((month, done, _can(up, servers, begin, end)) for month, done, begin, end in rows.iter_rows())
    return {month: float(done / can) for month, done, can in shares if can > 0}


def _by_hour(arrival, work, servers, up, begin, end):
    """Load of each hour of the day, over all days."""
    hours = np.arange(begin // HOUR, end // HOUR + 1)
    of_jobs, of_hours = ((times // HOUR).astype(np.intp) % 24 for times in (arrival, HOUR * hours))
    can = servers * HOUR if up is None else up.work(HOUR * hours, HOUR * (hours + 1))
    done, can = np.bincount(of_jobs, work, 24), np.bincount(of_hours, np.broadcast_to(can, len(hours)), 24)
    return {f"{k:02d}": float(done[k] / can[k]) for k in range(24) if can[k] > 0}


def _dispersion(arrival, seen, span):
    """Return the variance of the arrivals in whole spans over their mean; nan for fewer than two spans."""
    spans = int(seen // span)
    if spans < 2:
        return float("nan")
    counts = np.bincount((arrival // span).astype(np.intp), minlength=spans)[:spans]
    return float(counts.var(ddof=1) / counts.mean()) if counts.any() else float("nan")


def agreement(log: Log, policies: Sequence[str] = ("fcfs", "easy")) -> list[Agreement]:
    """Compare replays with the waits that the log has itself; without such waits there is nothing to compare.

    Jobs whose wait the log does not tell take part in the replay, but are not compared.

    A log whose submit times are start times has none, whatever its file records (:attr:`Log.submits_are_starts`).

    Returns
    -------
    list of Agreement
    """
    if log.wait is None or log.start is None or np.isnan(log.wait).all():
        return []
    known, servers, own = ~np.isnan(log.wait), log.machine(), log.wait[~np.isnan(log.wait)]
    rows, fits_log, arrival = [], None, log.require_arrivals()
    for policy in policies:
        made = replayed(log, servers, policy, estimate=log.estimates_used)
        schedule, counted = made.schedule, np.append(np.ones(made.before, dtype=bool), known)
        columns = schedule.submit[counted], schedule.need[counted], schedule.run[counted], servers, schedule.calendar
        wait = made.wait[known]
        near = float((np.abs(wait - own) <= START_TOLERANCE).mean())
        if fits_log is None:
            real = schedule.submit[made.before] + (log.start[known] - arrival[0])
            fits_log = time_with_a_job_that_fits(np.append(made.started, real), *columns)
        fits = time_with_a_job_that_fits(schedule.start[counted], *columns)
        rows.append(
            Agreement(
                policy=policy, jobs=len(own), log=float(own.mean()), replay=float(wait.mean()), same=near,
                fits_log=fits_log, fits_replay=fits,
            )
        )  # fmt: skip
    return rows


def time_with_a_job_that_fits(
    start: np.ndarray,
    arrival: np.ndarray,
    need: np.ndarray,
    run: np.ndarray,
    servers: Any,
    up: Calendar | None = None,
) -> float:
    """Return the share of the time in which some job waits that would fit into what is idle.

    The time counts from the first arrival to the last end.

    Parameters
    ----------
    start, arrival, need, run : float array, shape (J,)
        When each job starts and came, the servers that it holds, and for how long. Of several resources, `need` has the
        shape (J, d).
    servers : float, or float array, shape (d,)
    up : mjq.simulation.calendar.Calendar, optional
        When how many of them are up; servers that are down are not idle.

    Returns
    -------
    float
        Between 0 and 1; 0 where no time passes.

    Examples
    --------
    Two servers; one job of one server for four hours, a second one comes after an hour and starts after three: for two
    of the five hours it waits although it would fit.

    >>> time_with_a_job_that_fits(np.array([0, 3.]), np.array([0, 1.]), np.ones(2), np.array([4, 2.]), 2)
    0.4
    """
    if up is not None:  # servers that are down are modelled as jobs that arrive and start when they go down
        first, last = min(arrival.min(), start.min()), (start + run).max()
        down = np.clip(up.since, first, last)
        lost = servers - up.up if np.ndim(need) == 1 else np.outer(1 - up.up / up.servers, servers)
        need, start = np.concatenate([need, lost]), np.append(start, down)
        arrival, run = np.append(arrival, down), np.append(run, np.diff(down, append=last))
    sizes = np.atleast_1d(np.asarray(servers, dtype=float))
    needs, kind = np.unique(need.reshape(len(start), -1), axis=0, return_inverse=True)
    at = np.concatenate([start + run, arrival, start])
    order = np.argsort(at, kind="stable")  # at one instant ends come first, then arrivals, then starts
    passed = float(at[order[-1]] - at[order[0]])
    free = sizes + sizes * checks.FIT_TOLERANCE
    return float(_idle_fit(at, order, kind.reshape(-1), needs, free)) / passed if passed > 0 else 0.0


@numba.njit(cache=True, nogil=True)
def _idle_fit(at, order, kind, needs, free):
    """Return the time in which the need of somebody who waits is at most what is free of each resource."""
    jobs, waiting, total, last = len(kind), np.zeros(len(needs), dtype=np.intp), 0.0, at[order[0]]
    kinds, places, several = np.empty_like(waiting), np.empty_like(waiting), 0  # those of whom somebody waits
    for event in order:
        if at[event] > last:
            if _any_fits(needs, kinds[:several], free):
                total += at[event] - last
            last = at[event]
        job = event % jobs
        which = kind[job]
        if event < jobs:
            free += needs[which]
        elif event < 2 * jobs:
            if not waiting[which]:
                kinds[several], places[which] = which, several
                several += 1
            waiting[which] += 1
        else:
            waiting[which] -= 1
            free -= needs[which]
            if not waiting[which]:
                several -= 1
                kinds[places[which]] = kinds[several]
                places[kinds[several]] = places[which]
    return total


@numba.njit(cache=True, nogil=True)
def _any_fits(needs, kinds, free):
    """Return whether one of these needs is at most what is free."""
    for which in kinds:
        if (needs[which] <= free).all():
            return True
    return False
