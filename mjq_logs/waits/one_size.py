"""How long the jobs of a log would wait on a machine of another size, or if they came slower or faster.

One replay, how far to believe it, and several on the machine of the log against the load.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from mjq_logs import intervals
from mjq_logs.answers import AtLoad, Interval, LoadWaits, Waits
from mjq_logs.capacity.arrivals import load
from mjq_logs.capacity.estimates import tightest
from mjq_logs.reading.log import HOUR, Log
from mjq_logs.replaying import replayed

GROWTHS = 0.5, 0.7, 0.85, 1.0, 1.15, 1.3, 1.5  # how many times as fast as in the log the jobs come
PERCENTILE = 90.0
LEAST = 1 / 60  # hours: intervals of waits that lie below, or reach below it, are not given


def wait_statistics(
    log: Log,
    servers: Any,
    policy: str = "easy",
    growth: float = 1.0,
    exact: bool = False,
    percentile: float = 90,
    number: float | None = None,
) -> dict[str, Any]:
    """Replay a log and return the mean and a percentile of its waits, each with what its interval is made of.

    Parameters
    ----------
    log : Log
        With times of arrival.
    servers : float, or sequence of float, shape (d,)
    policy : str
        See :func:`mjq.simulation.schedule.replay`.
    growth : float
        Factor on the arrival rate of the log.
    exact : bool
        Whether run times are known beforehand, in place of the users' estimates.
    percentile : float
        The percentage, above 0 and at most 100, of the jobs that wait at most the time that is asked for.
    number : float, optional
        The number of :func:`worth` of the log, if it is known already.

    Returns
    -------
    dict
        ``mean`` and ``percentile`` [h]. For each also its ``parts``, the same of each block of the log, and its
        ``floor``, the least relative half-width of an interval: see :class:`mjq_logs.intervals.Blocks`. And
        ``ends`` of the percentile, by :func:`mjq_logs.intervals.of_percentile`; None where the log cannot tell.

    Raises
    ------
    ValueError
        If the log does not tell when jobs came, or some input violates a constraint.

    Examples
    --------
    Each minute a job that takes two comes to one server: the k-th waits k minutes.

    >>> from mjq_logs import Log
    >>> log = Log(need=np.ones(60), run=np.full(60, 120.0), submit=60.0 * np.arange(60), servers=1)
    >>> statistics = wait_statistics(log, 1)
    >>> [round(60 * statistics[name]["value"], 6) for name in ("mean", "percentile")]
    [29.5, 53.0]
    >>> wait_statistics(log, 2)["mean"]["value"]
    0.0
    """
    wait = replayed(log, servers, policy, growth, None if exact else log.estimates_used).wait / HOUR
    return measured(wait, worth(log).number if number is None else number, percentile)


def worth(log: Log) -> intervals.Worth:
    """Return how much a log says of the waits of its jobs: :func:`mjq_logs.intervals.worth` of its columns.

    Of several resources, by the one of which it says least.
    """
    columns = log.needs.T if log.resources else [log.need]
    return min((intervals.worth(need, log.run, log.arrival) for need in columns), key=lambda each: each.number)


def measured(wait: np.ndarray, number: float, percentile: float = 90) -> dict[str, Any]:
    """Return the statistics of waits [h] that are known already, in the order of the log, as :func:`wait_statistics`.

    Parameters
    ----------
    wait : float array, shape (n,)
    number : float
        That of :func:`worth` of their log.
    percentile : float

    Examples
    --------
    >>> measured(np.arange(100.0), 100)["mean"]["value"]
    49.5
    """
    number = min(number, intervals.effective_number(wait))
    floor = intervals.floor(wait, number)
    ends = intervals.of_percentile(wait, percentile, number)
    tail = partial(intervals.quantile, percentile=percentile)
    return {
        "mean": _blocks(wait, np.mean, floor),
        "percentile": _blocks(wait, tail, None if ends is None else floor),
        "ends": ends and list(ends),
    }


def _blocks(wait, take, floor):
    """Return what the log tells of a quantity of its waits, as plain data."""
    parts = [] if floor is None else [float(take(part)) for part in intervals.in_blocks(wait)]
    return intervals.Blocks(float(take(wait)), parts, floor)._asdict()


def interval(statistics: dict[str, Any], name: str) -> tuple[float, float] | None:
    """Return the ends of the 95 % interval of the ``mean`` or the ``percentile`` that :func:`wait_statistics` found.

    Returns
    -------
    (float, float) or None
        None where the log cannot tell, and where the interval reaches below a minute or is wider than a hundredfold.
    """
    ends = intervals.Blocks(**statistics[name]).interval(intervals.UPWARD) if name == "mean" else statistics["ends"]
    if ends is None:
        return None
    low, high = ends
    return (low, high) if low > 0 and intervals.tells(low, high, least=LEAST) else None


def with_intervals(statistics: dict[str, Any]) -> Waits:
    """Return what :func:`wait_statistics` found, with intervals."""
    ends = {name: interval(statistics, name) or (None, None) for name in ("mean", "percentile")}
    return Waits(**{name: Interval(value=statistics[name]["value"], low=x, high=y) for name, (x, y) in ends.items()})


def surely_below(statistics: dict[str, Any], target: float) -> bool | None:
    """Return whether the whole interval of the percentile is at most a target [h]; None where it holds the target.

    Intervals count that are too wide or too short to be told: where few jobs wait it may reach from nothing to an hour,
    which is below a target of two.
    """
    if statistics["ends"] is None or statistics["ends"][0] <= target < statistics["ends"][1]:
        return None
    return statistics["ends"][1] <= target


def difference(first: dict[str, Any], second: dict[str, Any], name: str) -> Interval:
    """Return by how much the waits of one replay exceed those of another one of the same log, with an interval.

    Parameters
    ----------
    first, second : dict
        Of :func:`wait_statistics`.
    name : {"mean", "percentile"}

    Returns
    -------
    Interval
        In hours. Its ends are None where the log cannot tell, or where both lie within a minute.
    """
    here, there = intervals.Blocks(**first[name]), intervals.Blocks(**second[name])
    low, high = intervals.of_change(here, there) or (None, None)
    if low is not None and high is not None and not (low == high == 0 or intervals.tells(low, high, least=LEAST)):
        low = high = None
    return Interval(value=here.value - there.value, low=low, high=high)


def waits_at_load(
    log: Log, policy: str = "easy", growths: Sequence[float] = GROWTHS, percentile: float = PERCENTILE
) -> LoadWaits | None:
    """Return how long the jobs of a log wait on its machine, against the load.

    Of several resources, the load is that of the one that is used up first if nothing is wasted.

    Parameters
    ----------
    log : Log
    policy : str
        Of the replays, see :func:`mjq.simulation.schedule.replay`.
    growths : sequence of float
        Factors on the arrival rate of the log.
    percentile : float

    Returns
    -------
    LoadWaits or None
        None where the log does not tell when jobs came, where its submit times are start times, or where all came at
        once.

    Examples
    --------
    Every hour a job comes for 45 minutes; if they come twice as fast, each waits a quarter of an hour longer than the
    one before.

    >>> log = Log(need=np.ones(9), run=np.full(9, 2700.0), submit=3600.0 * np.arange(9), servers=1)
    >>> result = waits_at_load(log, "fcfs", [1.0, 2.0])
    >>> [(round(row.load, 2), round(row.waits.mean.value, 6)) for row in result.curve], result.log
    ([(0.84, 0.0), (1.69, 1.0)], None)
    """
    came = load(log.alone(log.resources[tightest(log)]) if log.resources else log)
    if came is None or log.submits_are_starts:
        return None
    servers, number = log.machine(), worth(log).number
    replayed = {
        growth: wait_statistics(log, servers, policy, growth, percentile=percentile, number=number)
        for growth in {1.0, *growths}
    }
    return LoadWaits(
        percentile=percentile,
        log=_of_log(log, percentile),
        replay=with_intervals(replayed[1.0]),
        curve=[AtLoad(growth=x, load=x * came.load, waits=with_intervals(replayed[x])) for x in growths],
    )


def _of_log(log, percentile):
    """Return the waits that the log has itself, if it has some. They are what it was, so they have no intervals."""
    known = None if log.wait is None else log.wait[~np.isnan(log.wait)]
    return None if known is None or not len(known) else with_intervals(measured(known / HOUR, 0.0, percentile))
