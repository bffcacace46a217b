"""How much work a log brings, when, and how unevenly; and how well replays agree with its waits."""

from __future__ import annotations

import numpy as np

from mjq_logs.answers import HOUR, Number, Plain
from mjq_logs.machine.outages import servers_up
from mjq_logs.reading.clock import local
from mjq_logs.reading.log import Log

DAY, MONTH = 86_400, 30 * 86_400


class Load(Plain):
    """Describe the arrivals of the log."""

    rate: float
    """Jobs that came in the window of the log, per hour."""
    load: float
    """Work that came in the window, as a share of what the servers could have done in it. Jobs that had not ended count
    with what they had run."""
    by_month: dict[str, float]
    by_hour: dict[str, float]
    """Load by hour of the day; empty where the log has no clock."""
    dispersion_by_hour: Number
    """Variance of the arrivals in an hour over their mean; it is 1 for Poisson arrivals."""
    dispersion_by_day: Number


def tightest(log: Log) -> int:
    """Return which of the resources of a log is used up first if nothing is wasted, counted from 0.

    >>> from mjq_logs import Log
    >>> from mjq_logs.reading.vectors import Vectors
    >>> need = Vectors([(1, 6), (4, 2)], ("cpus", "mem"))
    >>> tightest(Log(need=need, run=[10, 10], servers=(8, 8)))
    1
    """
    return int(np.argmax(log.run @ log.needs / log.machine())) if log.resources else 0


def of_tightest(log: Log) -> tuple[np.ndarray, float]:
    """Return what the jobs need of the :func:`tightest` resource, and how much of it there is.

    >>> from mjq_logs import Vectors
    >>> log = Log(need=Vectors([(1, 8), (2, 4)], ("cpus", "mem")), run=np.array([60.0, 30.0]), servers=(8, 16))
    >>> of_tightest(log)
    (array([8., 4.]), 16.0)
    """
    k = tightest(log)
    return log.needs.reshape(len(log), -1)[:, k], float(np.atleast_1d(log.machine())[k])


def load(log: Log) -> Load | None:
    """Return how much work came when; of several resources, for the one that is used up first, the :func:`tightest`.

    None where the log does not tell when jobs came, or all came at once.

    A job an hour, of half the servers for an hour:

    >>> from mjq_logs import Log
    >>> arrival = 3600.0 * np.arange(100)
    >>> result = load(Log(need=np.ones(100), run=np.full(100, 3600.0), submit=arrival, servers=2.0))
    >>> round(result.rate, 2), round(result.load, 2), round(result.dispersion_by_day, 6), result.by_month
    (1.01, 0.51, 0.0, {'day 0': 0.50...})
    """
    if log.resources:
        return load(log.alone(log.resources[tightest(log)]))
    arrival = log.arrival
    if arrival is None or not log.end > log.begin:
        return None
    servers, work = log.require_servers(), log.need * log.run
    up, there = servers_up(log), local(log, arrival)
    up = None if up is None else up.moved(-(log.clock or 0.0))
    begin, end = local(log, [log.begin, log.end]).tolist()
    what = there, work, servers, up, begin, end
    can, since, seen = _can(up, servers, begin, end), arrival - log.begin, log.end - log.begin
    return Load(
        rate=float(HOUR * len(log) / seen),
        load=float(work.sum() / can) if can > 0 else float("nan"),
        by_month=_by_month(log.clock is not None, *what),
        by_hour={} if log.clock is None else _by_hour(*what),
        dispersion_by_hour=None if log.submits_are_starts else _dispersion(since, seen, HOUR),
        dispersion_by_day=None if log.submits_are_starts else _dispersion(since, seen, DAY),
    )


def _can(up, servers, begin, end):
    return servers * (end - begin) if up is None else up.work(begin, end)


def _by_month(months, arrival, work, servers, up, begin, end):
    """Load of each month of the calendar in which jobs came, or of each thirty days of a log without a clock."""
    if months:
        calendar = np.arange(_month(begin), _month(max(end, arrival.max())) + 1)
        begins, names = calendar.astype("datetime64[s]").astype(float), calendar.astype(str).tolist()
    else:
        begins = begin + MONTH * np.arange(int((end - begin) // MONTH) + 1)
        names = [f"day {30 * k}" for k in range(len(begins))]
    number = np.searchsorted(begins, arrival, "right") - 1
    first, last = np.maximum(begins, begin), np.minimum(np.append(begins[1:], np.inf), end)
    can, done = _can(up, servers, first, last), np.bincount(number, work, len(names))
    shown = can > 0 if not months else (can > 0) & (np.bincount(number, minlength=len(names)) > 0)
    return {names[k]: float(done[k] / can[k]) for k in np.flatnonzero(shown)}


def _month(time):
    return np.datetime64(int(time // 1), "s").astype("datetime64[M]")


def _by_hour(arrival, work, servers, up, begin, end):
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
