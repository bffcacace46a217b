"""Limits of users, queues and arrays in the replay of a log: how many servers or jobs of one there are at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from mjq._util import checks
from mjq._util.plain import brief, counted
from mjq.simulation import Limits
from mjq.simulation.limits import FREE
from mjq_logs.reading.log import Log
from mjq_logs.words import listed


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
    return float(_peaks(log, _users(log), "users", jobs=jobs).max())


def queue_peaks(log: Log) -> dict[str, float]:
    """Return the most servers that the jobs of each queue had at once, by its name; its limit is at least that.

    Raises
    ------
    ValueError
        If the log counts several resources, or does not tell queues or starts.

    Examples
    --------
    >>> columns = dict(run=[60, 60, 60], submit=[0, 9, 60], start=[0, 9, 60], queue=[0, 0, 1])
    >>> queue_peaks(Log(need=[2, 1, 4], **columns, queue_names=("day", "night")))
    {'day': 3.0, 'night': 4.0}
    """
    peaks = _peaks(log, _queues(log), "queues", len(log.queue_names))  # 0 of a queue whose jobs all come later, or wait
    return {name: float(most) for name, most in zip(log.queue_names, peaks, strict=True) if most > 0}


def array_peaks(log: Log) -> np.ndarray:
    """Return the most tasks of each array that ran at once, 0 where none did; the limit of the array is at least that.

    Raises
    ------
    ValueError
        If the log counts several resources, or does not tell arrays or starts.

    Examples
    --------
    >>> columns = dict(run=[60, 60, 60], submit=[0, 0, 0], start=[0, 60, 90], array=[0, 0, 0], array_limits=[np.nan])
    >>> array_peaks(Log(need=[2, 1, 4], **columns))
    array([2.])
    """
    return _peaks(log, _arrays(log), "arrays", len(log.array_limits), jobs=True)


def array_limits(log: Log, before: int = 0) -> list[Limits]:
    """Return the limits of a replay in which each array runs at most so many of its tasks at once as the log says.

    Jobs of no array, and arrays whose limit is not known, have none, nor have the `before` that stand before those of
    the log.

    Raises
    ------
    ValueError
        If the log counts several resources, or does not tell the limit of an array.

    Examples
    --------
    >>> columns = dict(run=[60, 60, 60], submit=[0, 0, 0], array=[0, 1, -1], array_limits=[np.nan, 4])
    >>> (limits,) = array_limits(Log(need=[2, 1, 4], **columns))
    >>> limits.group.tolist(), limits.jobs.tolist()
    ([-1, 0, -1], [4.0])
    """
    array, known = _arrays(log), np.isfinite(log.array_limits)
    if not known.any():
        raise ValueError(f"the log has {counted(len(known), 'array')} of jobs and tells the limit of none")
    group = _groups(np.where(known, np.cumsum(known) - 1, FREE), array, before)
    return [Limits(group, jobs=log.array_limits[known])]


def places_of_queues(log: Log, names: Iterable[str]) -> np.ndarray:
    """Return where in `names` each queue of the log is, -1 where it is not.

    Raises
    ------
    ValueError
        If the log has no queue of such a name.

    Examples
    --------
    >>> log = Log(need=[2, 1], run=[60, 60], submit=[0, 9], queue=[0, 1], queue_names=("day", "night"))
    >>> places_of_queues(log, ["night"]).tolist()
    [-1, 0]
    """
    places = np.full(len(log.queue_names), FREE)
    for k, name in enumerate(names):
        if name not in log.queue_names:
            raise ValueError(
                f"the log has no queue {brief(name)}; its queues are {listed(map(brief, log.queue_names))}"
            )
        places[log.queue_names.index(name)] = k
    return places


def queue_limits(log: Log, most: Mapping[str, float], before: int = 0) -> Limits:
    """Return the limits of a replay in which queues have at most so many servers at once, by their names.

    A queue one of whose jobs needs more has the servers of its largest job. Jobs of other queues have no limit, nor
    have the `before` that stand before those of the log.

    Raises
    ------
    ValueError
        If the log counts several resources, or has no queue of such a name.

    Examples
    --------
    >>> columns = dict(run=[60, 60, 60], submit=[0, 9, 60], queue=[0, 0, 1], queue_names=("day", "night"))
    >>> limits = queue_limits(Log(need=[2, 1, 4], **columns), {"night": 3})
    >>> limits.group.tolist(), limits.servers.tolist()
    ([-1, -1, 0], [4.0])
    """
    queue = _queues(log)
    group = _groups(places_of_queues(log, most), queue, before)
    for name in most:
        checks.positive(f"the limit of the queue {brief(name)}", most[name], ndim=0)
    servers = np.array([float(x) for x in most.values()])
    limited = group[before:] != FREE
    np.maximum.at(servers, group[before:][limited], np.asarray(log.need)[limited])
    return Limits(group, servers)


def user_limits(log: Log, servers: float | None = None, jobs: float | None = None, before: int = 0) -> list[Limits]:
    """Return the limits of a replay in which each user has at most so many servers, or jobs, at once, or both.

    A user one of whose jobs needs more servers has those of their largest job. Jobs without a user have no limit, nor
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


def _groups(places, kind, before):
    """Return the group of each job by the place of its kind; jobs of no kind and those from before have none."""
    return np.append(np.full(before, FREE), np.append(places, FREE)[kind])


def _peaks(log, group, of, groups=0, jobs=False):
    """Return the most servers, or jobs, that each group had at once, 0 of one that had none."""
    start = log.started
    known = np.zeros(len(log), bool) if start is None else (group != FREE) & np.isfinite(start) & (log.run > 0)
    if start is None or not known.any():
        raise ValueError(f"the log tells no starts of jobs of {of}, so nobody knows what one of them had at most")
    size = np.ones(len(log)) if jobs else np.asarray(log.need)
    groups = max(groups, int(group.max()) + 1)
    group, start, run, size = (column[known] for column in (group, start, log.run, size))
    at, change = np.concatenate([start, start + run]), np.concatenate([size, -size])
    whose = np.concatenate([group, group])
    order = np.lexsort((change, at, whose))  # who ends gives back before others start
    held = np.cumsum(change[order])
    peaks = np.zeros(groups)
    np.maximum.at(peaks, whose[order], held)
    return peaks


def _require_one_resource(log):
    """Raise an error if the log does not tell when jobs came, or counts several resources."""
    log.require_arrivals()
    if log.resources:
        log.require_servers()  # refuses several


def _arrays(log):
    """Return of which array each job is a task, -1 where it is of none."""
    _require_one_resource(log)
    if log.array is None:
        raise ValueError(
            "the log does not tell arrays of jobs, so they have no limits; sacct does in its column JobID, as in 7_12"
        )
    return log.array


def _queues(log):
    """Return in which queue each job waited, as a place in their names; -1 where that is not known."""
    _require_one_resource(log)
    if log.queue is None:
        raise ValueError("the log does not tell the queues of its jobs, so they have no limits")
    return log.queue


def _users(log):
    """Return who submitted each job, -1 where that is not known."""
    _require_one_resource(log)
    if log.user is None or not (log.user != FREE).any():
        raise ValueError("the log does not tell who submitted its jobs, so users have no limits")
    return log.user
