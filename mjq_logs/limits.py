"""Limits of users in the replay of a log: how many servers the jobs of one user hold at most at once."""

from __future__ import annotations

import numpy as np

from mjq._util import checks
from mjq.simulation import Limits
from mjq.simulation.limits import FREE
from mjq_logs.reading.log import Log

__all__ = ["user_limit_in_words", "user_limits", "user_peak"]


def user_peak(log: Log) -> float:
    """Return the most servers that the jobs of one user held at once; a limit of users is at least that.

    Jobs without a user count for none, and so do those from before the window.

    Raises
    ------
    ValueError
        If the log counts several resources, or does not tell users or starts.

    Examples
    --------
    >>> log = Log(need=[2, 1, 4], run=[60, 60, 60], submit=[0, 9, 60], start=[0, 9, 60], user=[7, 7, 8])
    >>> user_peak(log)
    4.0
    >>> user_peak(log.of([0, 1]))
    3.0
    """
    user, start = _users(log), log.started
    known = np.zeros(len(log), bool) if start is None else (user != FREE) & np.isfinite(start) & (log.run > 0)
    if start is None or not known.any():
        raise ValueError("the log tells no starts of jobs of users, so nobody knows what one of them held at most")
    user, start, run, need = (column[known] for column in (user, start, log.run, np.asarray(log.need)))
    at, change = np.concatenate([start, start + run]), np.concatenate([need, -need])
    order = np.lexsort((change, at, np.concatenate([user, user])))  # who ends gives back before others start
    return float(np.cumsum(change[order]).max())


def user_limits(log: Log, most: float, before: int = 0) -> Limits:
    """Return the limits of a replay in which each user has at most so many servers at once.

    Jobs without a user have no limit, nor have the `before` that stand before those of the log: whose they are is not
    known.

    Raises
    ------
    ValueError
        If the log counts several resources, does not tell users, or a job needs more.

    Examples
    --------
    >>> log = Log(need=[2, 1, 4], run=[60, 60, 60], submit=[0, 9, 60], user=[7, -1, 8])
    >>> user_limits(log, 4).group.tolist()
    [0, -1, 1]
    >>> user_limits(log, 3)
    Traceback (most recent call last):
    ValueError: job 3 of the log needs 4 servers, more than the limit of each user, 3
    """
    user, most = _users(log), float(checks.positive("user_limit", most, ndim=0))
    over = np.flatnonzero((user != FREE) & ~checks.fits(np.asarray(log.need), most, most))
    if len(over):
        raise ValueError(
            f"job {over[0] + 1} of the log needs {checks.shown(log.need[over[0]])} servers, more than the limit of "
            f"each user, {checks.shown(most)}"
        )
    group = np.full(len(log), FREE)
    group[user != FREE] = np.unique(user[user != FREE], return_inverse=True)[1]
    return Limits(np.append(np.full(before, FREE), group), most)


def user_limit_in_words(most: float, peak: bool) -> str:
    """Say which limit of users a replay keeps, and where it is from.

    >>> user_limit_in_words(201, peak=True)
    'Each user has at most 201 servers at once in the replay: the log shows at least so many.'
    """
    shown = ": the log shows at least so many" if peak else ""
    return f"Each user has at most {most:g} servers at once in the replay{shown}."


def _users(log):
    """Return who submitted each job, -1 where that is not known."""
    log.require_arrivals()
    if log.resources:
        log.require_servers()  # refuses several
    if log.user is None or not (log.user != FREE).any():
        raise ValueError("the log does not tell who submitted its jobs, so users have no limits")
    return log.user
