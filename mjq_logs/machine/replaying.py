"""A log replayed on a machine: its jobs come when they came, and earlier jobs are the initial state.

Who ran when the window began holds servers from the beginning, for what was left of the run and of its limit. Who
waited is the queue of that instant. Neither is an arrival, and their waits are those of nobody.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from mjq._util import checks
from mjq._util.decimals import decimals
from mjq.simulation import Schedule, replay
from mjq_logs.machine.hosts import OnHosts
from mjq_logs.machine.outages import calendar_on
from mjq_logs.reading.log import Log
from mjq_logs.reading.vectors import plain

NOBODY = -1  # the user of a job that has none, or whose is not known
SOONER = 1.0  # seconds by which those that run come before those that wait, so that they start first


class Replayed(NamedTuple):
    """Hold the schedule of a replay, and how many of its first jobs came before the window of the log."""

    schedule: Schedule
    """Of all jobs, those from before first; its time 0 is when the window begins, or a second earlier where somebody
    was there."""
    before: int
    started: np.ndarray
    """When those from before really started, on the clock of the schedule; not before its first second."""

    @property
    def wait(self) -> np.ndarray:
        """Return the waits of the jobs of the log [s]."""
        return self.schedule.wait[self.before :]

    def of_log(self) -> Schedule:
        """Return the schedule of the jobs of the log alone, on a clock that begins with its window."""
        schedule, k = self.schedule, self.before
        if not k:
            return schedule
        submit, start, finish = (x[k:] - SOONER for x in (schedule.submit, schedule.start, schedule.finish))
        up = None if schedule.calendar is None else schedule.calendar.moved(SOONER)
        return Schedule(submit, schedule.need[k:], schedule.run[k:], schedule.servers, start, finish, up)


def with_user_limit(log: Log, servers: float) -> Log:
    """Return a log in whose replays each user has at most so many servers at once, or those of their largest job.

    Jobs without a user have no limit, nor have those from before the window: whose they are is not known.

    Raises
    ------
    ValueError
        If the log does not tell users or when jobs came, or counts several resources, or the number is not positive.

    Examples
    --------
    >>> log = Log(need=[2, 2, 4], run=[60, 60, 60], submit=[0, 9, 60], user=[7, 7, 8], servers=4)
    >>> replay_log(with_user_limit(log, 3), 4).wait.tolist()
    [0.0, 51.0, 60.0]
    """
    log.require_arrivals()
    if log.resources:
        log.require_servers()  # refuses several
    if log.user is None or not (log.user != NOBODY).any():
        raise ValueError("the log does not tell who submitted its jobs, so users have no limits")
    servers = float(checks.positive("user_limit", servers, ndim=0))
    words = f"each user has at most {servers:g} servers at once in replays, or those of their largest job"
    return replace(log, user_limit=servers, notes=(*log.notes, words))


def replay_log(
    log: Log,
    servers: Any,
    policy: str | OnHosts = "easy",
    growth: float = 1.0,
    estimate: np.ndarray | None = None,
) -> Replayed:
    """Replay a log under a policy, from the state that it tells of the beginning of its window.

    The limit of users (:attr:`~mjq_logs.reading.log.Log.user_limit`) is kept; on hosts there is none.

    Parameters
    ----------
    log : Log
        With times of arrival.
    servers : float, or sequence of float, shape (d,)
        Of a log of several resources, the size by each of them.
    policy : str or OnHosts
        See :func:`mjq.simulation.schedule.replay`; or first come, first served on hosts, which look at no estimates.
    growth : float
        Factor on the arrival rate of the log.
    estimate : float array, optional
        Of the jobs of the log [s]; by default they are known exactly.

    Raises
    ------
    ValueError
        If the log does not tell when jobs came, or as :func:`mjq.simulation.schedule.replay`.

    Examples
    --------
    A job that came before the window holds the only server until 30, so that the first one waits for 20 seconds.

    >>> from mjq_logs.reading.log import Before
    >>> need, run, came, start = (np.array([x]) for x in (1.0, 25.0, 0.0, 5.0))
    >>> there = Before(need, came, start, None, run, np.array([False]))
    >>> log = Log(need=[1], run=[5], submit=[10], servers=1, window=(8, 40), before=there)
    >>> replay_log(log, 1).wait.tolist()
    [20.0]
    """
    arrival = log.require_arrivals()
    places = decimals(arrival, log.run)  # which differences of large times may lose
    submit = (np.round(arrival - log.begin, places) if places else arrival - log.begin) / growth
    servers = np.asarray(servers, dtype=float) if log.resources else servers
    promised = log.run if estimate is None else estimate
    columns: list[Any] = [submit, log.needs, log.run, promised, log.priority, log.user]
    started, sooner = np.empty(0), 0.0
    if (there := _before(log, servers)) is not None:
        sooner, (*before, started) = SOONER, there
        columns[0] = submit + SOONER
        columns = [None if x is None else np.concatenate([y, x]) for y, x in zip(before, columns, strict=True)]
    submit, need, run, promised, priority, user = columns
    if not isinstance(policy, OnHosts):
        up = calendar_on(log, servers, growth, sooner)
        schedule = replay(
            submit, need, run, promised, servers, policy,
            calendar=up, priority=priority, user=user, user_limit=log.user_limit,
        )  # fmt: skip
    elif priority is not None:
        raise ValueError("on hosts jobs start in order of arrival: their priorities are not replayed")
    elif log.user_limit is not None:
        raise ValueError("on hosts users have no limits, and those of the log have one")
    else:
        schedule = policy.replay(submit, need, run)
    return Replayed(schedule, len(started), started)


def _before(log, servers):
    """Return arrivals, needs, remaining runs and limits, priorities, users and starts of the jobs from before."""
    there = log.before
    if there is None or not (fits := checks.fits(plain(there.need), servers, servers)).any():
        return None
    need, run, start = plain(there.need)[fits], there.run[fits], there.start[fits]
    promised = run if there.estimate is None else np.fmax(there.estimate[fits], run)
    runs = start <= log.begin  # a start that is not known compares as false
    ran = np.where(runs, log.begin - SOONER - start, 0.0)
    arrival = np.where(runs, 0.0, SOONER)
    began = np.where(start > log.begin, start - log.begin + SOONER, arrival)
    order = np.argsort(arrival, kind="stable")
    first = np.zeros(len(need), int) if there.priority is None else there.priority[fits]
    nobody = np.full(len(need), NOBODY)
    columns = arrival, need, np.maximum(run - ran, 0.0), np.maximum(promised - ran, 0.0), first, nobody, began
    return tuple(column[order] for column in columns)
