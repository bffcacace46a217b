"""How long the jobs of a log would wait on a machine of another size, or if they came slower or faster.

One replay, how far to believe it, and several on the machine of the log against the load.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np

from mjq._util import watching
from mjq_logs import intervals
from mjq_logs.answers import OF_WAITS, Column, Interval, Plain, Waits
from mjq_logs.machine.arrivals import Load, load
from mjq_logs.machine.replaying import replay_log
from mjq_logs.reading.log import HOUR, Log

GROWTHS = 0.5, 0.7, 0.85, 1.0, 1.15, 1.3, 1.5  # how many times as fast as in the log the jobs come
PERCENTILE = 90.0
SHORTEST_WAIT = 1 / 60  # hours: intervals of waits that lie below, or reach below it, are not given


class AtLoad(Plain):
    """Hold the waits if jobs come this many times as fast."""

    growth: Annotated[float, Column("times\nas fast")]
    load: Annotated[float, Column("load", "%", ".1f")]
    waits: Annotated[Waits, OF_WAITS]


class LoadWaits(Plain):
    """Hold the waits of the jobs as they came, and if they came slower or faster, on the machine of the log."""

    percentile: float
    """Percentage of the jobs that wait at most the percentile of the waits."""
    log: Waits | None
    """Real waits, by the log itself; null where it has none."""
    replay: Waits
    """Waits in a replay under the policy."""
    curve: list[AtLoad]
    """Replays under the policy if the same jobs come slower or faster."""


class Statistics(NamedTuple):
    """Hold the mean and a percentile of the waits of a log [h], each with what its interval is made of."""

    mean: intervals.Blocks
    percentile: intervals.Blocks
    ends: tuple[float, float] | None
    """Of the interval of the percentile, by :func:`mjq_logs.intervals.of_percentile`; None if the log cannot tell."""


def wait_statistics(
    log: Log,
    servers: Any,
    policy: str = "easy",
    growth: float = 1.0,
    exact: bool = False,
    percentile: float = 90,
    number: float | None = None,
) -> Statistics:
    """Replay a log and return the mean and a percentile of its waits, each with what its interval is made of.

    Parameters
    ----------
    log, servers, policy, growth
        As for :func:`~mjq_logs.machine.replaying.replay_log`.
    exact : bool
        Whether run times are known beforehand, in place of the users' estimates.
    percentile : float
        The percentage, above 0 and at most 100, of the jobs that wait at most the time that is asked for.
    number : float, optional
        The number of :func:`worth` of the log, if it is known already.

    Examples
    --------
    Each minute a job that takes two comes to one server: the k-th waits k minutes.

    >>> from mjq_logs import Log
    >>> log = Log(need=np.ones(60), run=np.full(60, 120.0), submit=60.0 * np.arange(60), servers=1)
    >>> statistics = wait_statistics(log, 1)
    >>> round(60 * statistics.mean.value, 6), round(60 * statistics.percentile.value, 6)
    (29.5, 53.0)
    >>> wait_statistics(log, 2).mean.value
    0.0
    """
    wait = replay_log(log, servers, policy, growth, None if exact else log.estimates_used).wait / HOUR
    return measured(wait, worth(log).number if number is None else number, percentile)


def worth(log: Log) -> intervals.Worth:
    """Return how much a log says of the waits of its jobs: :func:`mjq_logs.intervals.worth` of its columns.

    Of several resources, by the one of which it says least.
    """
    columns = log.needs.T if log.resources else [log.need]
    return min((intervals.worth(need, log.run, log.arrival) for need in columns), key=lambda each: each.number)


def measured(wait: np.ndarray, number: float, percentile: float = 90) -> Statistics:
    """Return the statistics of waits [h] that are known already, in the order of the log, as :func:`wait_statistics`.

    The `number` is that of :func:`worth` of their log.

    >>> measured(np.arange(100.0), 100).mean.value
    49.5
    """
    number = min(number, intervals.effective_number(wait))
    floor = intervals.floor(wait, number)
    ends = intervals.of_percentile(wait, percentile, number)
    tail = partial(intervals.quantile, percentile=percentile)
    return Statistics(_blocks(wait, np.mean, floor), _blocks(wait, tail, None if ends is None else floor), ends)


def _blocks(wait, take, floor):
    """Return what the log tells of a quantity of its waits."""
    parts = [] if floor is None else [float(take(part)) for part in intervals.in_blocks(wait)]
    return intervals.Blocks(float(take(wait)), parts, floor)


def interval(statistics: Statistics, name: str) -> tuple[float, float] | None:
    """Return the ends of the 95 % interval of the ``mean`` or the ``percentile`` that :func:`wait_statistics` found.

    None where the log cannot tell, and where the interval reaches below a minute or is wider than a hundredfold.
    """
    ends = statistics.mean.interval(intervals.UPWARD) if name == "mean" else statistics.ends
    return ends if ends and ends[0] > 0 and intervals.tells(*ends, least=SHORTEST_WAIT) else None


def with_intervals(statistics: Statistics) -> Waits:
    """Return what :func:`wait_statistics` found, with intervals."""
    ends = {name: interval(statistics, name) or (None, None) for name in ("mean", "percentile")}
    values = {name: getattr(statistics, name).value for name in ends}
    return Waits(**{name: Interval(value=values[name], low=low, high=high) for name, (low, high) in ends.items()})


def surely_below(statistics: Statistics, target: float) -> bool | None:
    """Return whether the whole interval of the percentile is at most a target [h]; None where it holds the target.

    Intervals count that are too wide or too short to be told: where few jobs wait it may reach from nothing to an hour,
    which is below a target of two.
    """
    if statistics.ends is None or statistics.ends[0] <= target < statistics.ends[1]:
        return None
    return statistics.ends[1] <= target


def saved(before: Statistics, after: Statistics, per: float = 1.0) -> Waits:
    """Return by how much the waits of a log are shorter in another replay of it, with intervals [h].

    All is divided by `per`, such as the nodes that were added. Ends of intervals are None where the log cannot tell, or
    where both lie within a minute.
    """
    pairs = {name: (getattr(before, name), getattr(after, name)) for name in ("mean", "percentile")}
    return Waits(**{name: difference(*pair, per=per) for name, pair in pairs.items()})


def difference(first: intervals.Blocks, second: intervals.Blocks, per: float = 1.0) -> Interval:
    """Return by how much a quantity of the waits of one replay exceeds that of another one: see :func:`saved`."""
    ends = intervals.of_change(first, second)
    known = ends and (ends == (0, 0) or intervals.tells(*ends, least=SHORTEST_WAIT))
    low, high = (end / per for end in ends) if ends and known else (None, None)
    return Interval(value=(first.value - second.value) / per, low=low, high=high)


def waits_at_load(
    log: Log,
    policy: str = "easy",
    growths: Sequence[float] = GROWTHS,
    percentile: float = PERCENTILE,
    came: Load | None = None,
) -> LoadWaits | None:
    """Return how long the jobs of a log wait on its machine, against the load.

    None where the log does not tell when jobs came, where its submit times are start times, or where all came at once.

    Parameters
    ----------
    log : Log
    policy : str
        Of the replays, see :func:`mjq.simulation.schedule.replay`.
    growths : sequence of float
        Factors on the arrival rate of the log.
    percentile : float
    came : Load, optional
        That of the log, if it is known already.

    Examples
    --------
    Every hour a job comes for 45 minutes; if they come twice as fast, each waits a quarter of an hour longer than the
    one before.

    >>> log = Log(need=np.ones(9), run=np.full(9, 2700.0), submit=3600.0 * np.arange(9), servers=1)
    >>> result = waits_at_load(log, "fcfs", [1.0, 2.0])
    >>> [(round(row.load, 2), round(row.waits.mean.value, 6)) for row in result.curve], result.log
    ([(0.84, 0.0), (1.69, 1.0)], None)
    """
    came = came or load(log)
    if came is None or log.submits_are_starts:
        return None
    servers, number = log.machine(), worth(log).number
    with watching.working(f"{policy}: replays with less and with more load"):
        found = {
            growth: wait_statistics(log, servers, policy, growth, percentile=percentile, number=number)
            for growth in {1.0, *growths}
        }
    return LoadWaits(
        percentile=percentile,
        log=_of_log(log, percentile),
        replay=with_intervals(found[1.0]),
        curve=[AtLoad(growth=x, load=x * came.load, waits=with_intervals(found[x])) for x in growths],
    )


def _of_log(log, percentile):
    """Return the waits that the log has itself, if it has some. They are what it was, so they have no intervals."""
    known = None if log.wait is None else log.wait[~np.isnan(log.wait)]
    return None if known is None or not len(known) else with_intervals(measured(known / HOUR, 0.0, percentile))
