"""When somebody waited who would have fitted, and when somebody started: what hours are learned from.

An hour counts for a class of jobs if one of them waited in it, from its arrival on, while as many servers were free as
it needs. Of these hours some saw a start. An hour of the week at which nearly none of them did is closed. Where the
clock is changed, an hour that comes twice counts once, and one that is left out counts like those around it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from mjq._util import checks
from mjq.simulation.engine.hours import HOURS
from mjq_logs.reading.log import HOUR, Log
from mjq_logs.rules.hours import OpenHours, ahead_of_monday, hours_of_week
from mjq_logs.window import held, size_in_use

SHORTEST = 900.0  # seconds of the first class of limits
SLACK = 1.005  # above a round limit, that still counts as this limit
LONGEST_WAIT = 14 * 24  # hours after its arrival, in which a job counts
ADDED = 8  # hours like others, that are added to what an hour of the week saw


class Exposure(NamedTuple):
    """Hold in how many hours somebody waited who would have fitted, and how many of them saw a start.

    Attributes
    ----------
    limits, needs : float array, shape (C,)
        The longest limit [s] and the largest need of each class of jobs.
    waited, started : int array, shape (P, C, 168)
        By the part of the log, the class, and the hour of the week.
    standard : bool
        Whether these are hours of a clock in standard time, also in summer.
    """

    limits: np.ndarray
    needs: np.ndarray
    waited: np.ndarray
    started: np.ndarray
    standard: bool = False


def octaves(limits: np.ndarray, step: float = 1.0) -> np.ndarray:
    """Return the longest limit of each class of limits [s]: 15 minutes, then each 2**step times as long.

    >>> octaves(np.array([3600.0, 7200])).tolist()
    [904.0, 1809.0, 3618.0, inf]
    """
    steps = int(np.ceil(max(0.0, np.log2(limits.max() / SHORTEST / SLACK) / step)))
    return np.append(np.round(SHORTEST * SLACK * 2.0 ** (step * np.arange(steps))), np.inf)


def exposure(
    log: Log,
    limits: np.ndarray,
    parts: np.ndarray,
    size: float | None = None,
    standard: bool = False,
    small: float = np.inf,
) -> Exposure:
    """Return when jobs of each class of limits waited and would have fitted, and when one started.

    Parameters
    ----------
    log : Log
        With starts and servers; run times stand for limits that it lacks.
    limits : float array, shape (C,)
        The longest limit of each class [s], the last infinite.
    parts : float array, shape (P - 1,)
        Where the second and each further part of the log begins [s].
    size : float, optional
        Servers that there are; by default those that were in use, if these are fewer.
    standard : bool
        Count the hours of a clock in standard time, also in summer.
    small : float
        The largest need of small jobs. If larger ones come, these have classes of their own.

    Examples
    --------
    A job waits from half past eight, while the server is free, and starts at ten: two hours of waiting, and a start.

    >>> columns = dict(need=[1], run=[60], submit=[8.5 * 3600], start=[10 * 3600], estimate=[60])
    >>> log = Log(**columns, servers=1, window=(0, 43200))
    >>> seen = exposure(log, np.array([np.inf]), np.empty(0))
    >>> seen.waited[0, 0, 8:12].tolist(), seen.started[0, 0, 8:12].tolist()
    ([1, 1, 1, 0], [0, 0, 1, 0])
    """
    arrival, start = log.require_arrivals(), log.start
    limit = log.run if log.estimate is None else log.estimates_used
    assert start is not None and limit is not None
    known = np.flatnonzero(np.isfinite(start) & (start >= arrival))
    kind = np.searchsorted(limits, limit[known])
    kind += len(limits) * (log.need[known] > small)
    needs = np.repeat(np.unique([small, np.inf]), len(limits))
    limits = np.tile(limits, len(needs) // len(limits))
    first, last = (hours_of_week(log, times[known], standard) for times in (arrival, start))
    number = np.minimum(last - first, LONGEST_WAIT) + 1
    row = np.repeat(np.arange(len(known)), number)
    hour = first[row] + np.arange(number.sum()) - np.repeat(np.cumsum(number) - number, number)
    begin = _beginning(log, start[known], standard)[row] - (last[row] - hour) * HOUR
    starts = hour == last[row]
    size = min(log.require_servers(), size_in_use(log)) if size is None else size
    fits = starts | _fits(log, size, known[row], np.maximum(arrival[known][row], begin), begin + HOUR)
    lowest = hour.min(initial=0)
    part = np.searchsorted(parts, begin, "right")
    key, place = np.unique((hour - lowest)[fits] * len(limits) + kind[row][fits], return_inverse=True)
    some = np.zeros(len(key), dtype=bool)
    some[place[starts[fits]]] = True
    of_part = np.zeros(len(key), dtype=np.int64)
    of_part[place] = part[fits]
    at = of_part, key % len(limits), (key // len(limits) + lowest) % HOURS
    waited, started = np.zeros((2, len(parts) + 1, len(limits), HOURS), dtype=np.int64)
    np.add.at(waited, at, 1)
    np.add.at(started, at, some)
    return Exposure(limits, needs, waited, started, standard)


def _beginning(log, times, standard):
    """Return when the hours begin in which these times are [s]."""
    return times - (times + ahead_of_monday(log, times, standard)) % HOUR


def _fits(log, size, jobs, begin, end):
    """Return for each of these jobs whether it would fit at some instant between two."""
    steps = held(log)
    assert steps is not None
    times, servers = steps
    least = [servers]  # of so many successive numbers: 1, 2, 4, ...
    while 2 ** len(least) <= len(servers):
        before, span = least[-1], 2 ** (len(least) - 1)
        least.append(np.minimum(before[:-span], before[span:]))
    first = np.clip(np.searchsorted(times, begin, "right") - 1, 0, len(servers) - 1)
    last = np.clip(np.searchsorted(times, end, "left") - 1, first, len(servers) - 1)
    level = np.frexp(last - first + 1)[1] - 1
    lowest = np.empty(len(jobs))
    for k, row in enumerate(least):
        which = level == k
        lowest[which] = np.minimum(row[first[which]], row[last[which] - 2**k + 1])
    return checks.fits(log.need[jobs], size - lowest, size)


def learned_hours(seen: Exposure, share: float, parts: Collection[int]) -> OpenHours | None:
    """Return the hours of the week at which jobs may start: not those of which fewer than this share saw a start.

    An hour that hardly ever counted is taken for like the same hour of other days: to what it saw itself eight hours
    are added, of which as many saw a start as of that hour on all weekdays, or on both days of a weekend. To those in
    turn as many are added, with the share of the whole week.

    Parameters
    ----------
    seen : Exposure
    share : float
    parts : collection of int
        The parts of the log that teach.

    Returns
    -------
    OpenHours or None
        None where no hour is closed. A class that would never start may always start.
    """
    waited, started = (counts[list(parts)].sum(axis=0) for counts in (seen.waited, seen.started))
    week = (started.sum(axis=1, keepdims=True) + 1) / (waited.sum(axis=1, keepdims=True) + 1)
    like_days = (_of_like_days(started) + ADDED * week) / (_of_like_days(waited) + ADDED)
    is_open = started + ADDED * like_days >= share * (waited + ADDED)
    is_open |= ~(is_open & (started > 0)).any(axis=1, keepdims=True)
    return None if is_open.all() else OpenHours(seen.limits, is_open, seen.standard, seen.needs).merged()


def _of_like_days(counts):
    """Return the sums over the same hour of all weekdays, or of both days of a weekend."""
    days = counts.reshape(len(counts), 7, 24)
    sums = np.stack([days[:, :5].sum(axis=1), days[:, 5:].sum(axis=1)], axis=1)
    return np.repeat(sums, (5, 2), axis=1).reshape(counts.shape)
