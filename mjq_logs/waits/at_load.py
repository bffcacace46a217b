"""How long jobs wait on the machine of their log: by the log, in a replay, and if they come slower or faster."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mjq_logs.answers import AtLoad, LoadWaits
from mjq_logs.capacity.arrivals import load
from mjq_logs.reading.log import HOUR, Log
from mjq_logs.waits.one_size import measured, waits, waits_told, worth

__all__ = ["GROWTHS", "waits_at_load"]

GROWTHS = 0.5, 0.7, 0.85, 1.0, 1.15, 1.3, 1.5  # how many times as fast as in the log the jobs come
PERCENTILE = 90.0


def waits_at_load(
    log: Log, policy: str = "easy", growths: Sequence[float] = GROWTHS, percentile: float = PERCENTILE
) -> LoadWaits | None:
    """Return how long the jobs of a log wait on its machine, against the load.

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
    >>> found = waits_at_load(log, "fcfs", [1.0, 2.0])
    >>> [(round(one.load, 2), round(one.waits.mean.value, 6)) for one in found.curve], found.log
    ([(0.84, 0.0), (1.69, 1.0)], None)
    """
    came = load(log)
    if came is None or log.submits_are_starts:
        return None
    servers, number = log.require_servers(), worth(log).number
    replayed = {
        growth: waits(log, servers, policy, growth, percentile=percentile, number=number) for growth in {1.0, *growths}
    }
    return LoadWaits(
        percentile=percentile,
        log=_of_log(log, percentile),
        replay=waits_told(replayed[1.0]),
        curve=[AtLoad(growth=x, load=x * came.load, waits=waits_told(replayed[x])) for x in growths],
    )


def _of_log(log, percentile):
    """Return the waits that the log has itself, if it has some. They are what it was, so they have no intervals."""
    known = None if log.wait is None else log.wait[~np.isnan(log.wait)]
    return None if known is None or not len(known) else waits_told(measured(known / HOUR, 0.0, percentile))
