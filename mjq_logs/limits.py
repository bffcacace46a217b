"""Limits of users in the replay of a log: how many servers or jobs of one user there are at most at once."""

from __future__ import annotations

import numpy as np

from mjq._util import checks
from mjq.simulation import Limits
from mjq.simulation.limits import FREE
from mjq_logs.reading.log import Log

__all__ = ["user_limits", "user_peak"]


def user_peak(log: Log, jobs: bool = False) -> float:
    """Return the most servers, or jobs, that one user had at once; a limit of users is at least that.

    Jobs without a user count for none, and so do those from before the window.

    Raises
    ------
    ValueError
        If the log counts several resources, or does not tell users or starts.

    Examples
    --------
    >>> log = Log(need=[2, 1, 4], run=[60, 60, 60], submit=[0, 9, 60], start=[0, 9, 60], user=[7, 7, 8])
    >>> user_peak(log), user_peak(log, jobs=True)
    (4.0, 2.0)
    >>> user_peak(log.of([0, 1]))
    3.0
    """
    user, start = _users(log), log.started
    known = np.zeros(len(log), bool) if start is None else (user != FREE) & np.isfinite(start) & (log.run > 0)
    if start is None or not known.any():
        raise ValueError("the log tells no starts of jobs of users, so nobody knows what one of them had at most")
    size = np.ones(len(log)) if jobs else np.asarray(log.need)
    user, start, run, size = (column[known] for column in (user, start, log.run, size))
    at, change = np.concatenate([start, start + run]), np.concatenate([size, -size])
    order = np.lexsort((change, at, np.concatenate([user, user])))  # who ends gives back before others start
    return float(np.cumsum(change[order]).max())


def user_limits(log: Log, servers: float | None = None, jobs: float | None = None, before: int = 0) -> list[Limits]:
    """Return the limits of a replay in which each user has at most so many servers, or jobs, at once, or both.

    A user one of whose jobs needs more servers has those of his largest job. Jobs without a user have no limit, nor
    have the `before` that stand before those of the log: whose they are is not known.

    Raises
    ------
    ValueError
        If the log counts several resources or does not tell users.

    Examples
    --------
    >>> log = Log(need=[2, 1, 4], run=[60, 60, 60], submit=[0, 9, 60], user=[7, -1, 8])
    >>> (limits,) = user_limits(log, servers=3)
    >>> limits.group.tolist(), limits.servers.tolist()
    ([0, -1, 1], [3.0, 4.0])
    """
    user = _users(log)
    known = user != FREE
    group = np.full(before + len(log), FREE)
    _, group[before:][known] = np.unique(user[known], return_inverse=True)
    limits = []
    if servers is not None:
        most = np.full(group.max() + 1, float(checks.positive("user_servers", servers, ndim=0)))
        np.maximum.at(most, group[before:][known], np.asarray(log.need)[known])
        limits.append(Limits(group, most))
    if jobs is not None:
        limits.append(Limits(group, jobs=checks.positive("user_jobs", jobs, ndim=0)))
    return limits


def _users(log):
    """Return who submitted each job, -1 where that is not known."""
    log.require_arrivals()
    if log.resources:
        log.require_servers()  # refuses several
    if log.user is None or not (log.user != FREE).any():
        raise ValueError("the log does not tell who submitted its jobs, so users have no limits")
    return log.user
