"""How long the jobs of a log would wait on a machine of another size: one replay, and how far to believe it."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from mjq.simulation import replay
from mjq.workload import intervals
from mjq.workload.outages import calendar_on
from mjq.workload.reading.log import HOUR, Log

__all__ = ["difference", "effective_jobs", "interval", "measured", "waits"]

PLACE_ROUNDING = 1e-9  # of a number of jobs
LEAST_BEYOND = 5  # effective jobs beyond a percentile, from which on it has an interval
RULE_OF_THREE = 3.0  # of so many expected jobs, none is seen once in twenty times


def waits(
    log: Log,
    servers: float,
    policy: str = "easy",
    growth: float = 1.0,
    exact: bool = False,
    percentile: float = 90,
) -> dict[str, Any]:
    """Replay a log and return the mean and a percentile of its waits, each with what its interval is made of.

    Parameters
    ----------
    log : Log
        With times of arrival.
    servers : float
    policy : str
        See :func:`mjq.simulation.schedule.replay`.
    growth : float
        Factor on the arrival rate of the log.
    exact : bool
        Whether run times are known beforehand, in place of the users' estimates.
    percentile : float
        The percentage, above 0 and at most 100, of the jobs that wait at most the time that is asked for.

    Returns
    -------
    dict
        ``mean`` and ``percentile`` [h]. For each also its ``parts``, the same of each block of the log, and its
        ``floor``, the least relative half-width of an interval: see :class:`mjq.workload.intervals.Blocks`. And
        ``none_waits``: whether so few jobs wait that the percentile is surely 0.

    Raises
    ------
    ValueError
        If the log does not tell when jobs came, or some input violates a constraint.

    Examples
    --------
    Each minute a job that takes two comes to one server: the k-th waits k minutes.

    >>> from mjq.workload import Log
    >>> log = Log(need=np.ones(60), run=np.full(60, 120.0), submit=60.0 * np.arange(60), servers=1)
    >>> found = waits(log, 1)
    >>> [round(60 * found[name]["value"], 6) for name in ("mean", "percentile")]
    [29.5, 53.0]
    >>> waits(log, 2)["mean"]["value"]
    0.0
    """
    come, said = log.require_arrivals(), None if exact else log.said
    up = calendar_on(log, servers, growth)
    submit = (come - come.min()) / growth
    wait = replay(submit, log.need, log.run, said, servers, policy, calendar=up).wait / HOUR
    return measured(wait, effective_jobs(log), percentile)


def measured(wait: np.ndarray, memory: float, percentile: float = 90) -> dict[str, Any]:
    """Return what :func:`waits` returns, for waits [h] in the order of the log that are known already.

    Parameters
    ----------
    wait : float array, shape (n,)
    memory : float
        The :func:`effective_jobs` of their log.
    percentile : float

    Examples
    --------
    >>> measured(np.arange(100.0), 100)["mean"]["value"]
    49.5
    """
    beyond, number = 1 - percentile / 100, min(memory, intervals.effective_number(wait))
    floor = intervals.floor(wait, number)
    return {
        "mean": _blocks(wait, np.mean, floor),
        "percentile": _blocks(
            wait, partial(_percentile, percentile=percentile), floor if number * beyond >= LEAST_BEYOND else None
        ),
        "none_waits": _none_waits(wait, memory, beyond),
    }


def _blocks(wait, take, floor):
    """Return what the log tells of a quantity of its waits, as plain data."""
    parts = [] if floor is None else [float(take(part)) for part in intervals.in_blocks(wait)]
    return intervals.Blocks(float(take(wait)), parts, floor)._asdict()


def effective_jobs(log: Log) -> float:
    """Return how many independent jobs the needs and run times of a log are worth, whichever are worth fewer."""
    return min(intervals.effective_number(log.need), intervals.effective_number(log.run))


def interval(found: dict[str, Any], name: str) -> tuple[float, float] | None:
    """Return the ends of the 95 % interval of the ``mean`` or the ``percentile`` that :func:`waits` found.

    Returns
    -------
    (float, float) or None
        None where the log is too short to tell.
    """
    if name == "percentile" and found[name]["value"] == 0:
        return (0.0, 0.0) if found["none_waits"] else None
    return intervals.Blocks(**found[name]).interval()


def difference(one: dict[str, Any], other: dict[str, Any], name: str) -> tuple[float, float | None, float | None]:
    """Return by how much the waits of one replay exceed those of another one of the same log, with an interval.

    Parameters
    ----------
    one, other : dict
        Of :func:`waits`.
    name : {"mean", "percentile"}

    Returns
    -------
    (float, float or None, float or None)
        The difference [h] and the ends of its interval, None where the log is too short to tell.
    """
    here, there = intervals.Blocks(**one[name]), intervals.Blocks(**other[name])
    return intervals.of_difference(here, there) or (here.value - there.value, None, None)


def _none_waits(wait, memory, beyond):
    """Return whether the share of the jobs that wait is surely at most that beyond the percentile."""
    share = intervals.of_mean(wait > 0)
    if ends := share.interval():
        high = ends[1]
    else:
        high = RULE_OF_THREE / memory if share.value == 0 else 1.0
    return bool(memory >= intervals.FEWEST and high <= beyond)


def _percentile(wait, percentile):
    """Return the shortest time such that this percentage of the jobs wait at most so long."""
    place = max(0, int(np.ceil(len(wait) * percentile / 100 - PLACE_ROUNDING)) - 1)
    return float(np.partition(wait, place)[place])
