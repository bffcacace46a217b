"""How long the jobs of a log would wait on a machine of another size: one replay, and how far to believe it."""

from typing import Any

import numba
import numpy as np

from mjq.simulation import replay
from mjq.workload.log import BLOCKS, FEWEST_BLOCKS, HOUR, Log

__all__ = ["difference", "interval", "waits"]

RESAMPLES = 200
INSIDE = 2.5, 97.5  # per cent of the resamples
PLACE_ROUNDING = 1e-9  # of a number of jobs


def waits(
    log: Log,
    servers: float,
    policy: str = "easy",
    growth: float = 1.0,
    exact: bool = False,
    percentile: float = 90,
    seed: int = 1,
) -> dict[str, Any]:
    """Waits of a log replayed: their mean, a percentile, and both for resamples of the jobs.

    Parameters
    ----------
    log : Log
        With times of arrival.
    servers : float
    policy : str
        See :func:`mjq.simulation.schedule.replay`.
    growth : float
        Jobs come so many times as fast.
    exact : bool
        Whether run times are known beforehand, in place of the users' estimates.
    percentile : float
        Above 0, at most 100.
    seed : int
        Of the resamples. The same one draws the same jobs, so that two replays of a log can be compared draw by draw.

    Returns
    -------
    dict
        ``mean`` and ``percentile`` [h], and ``resampled``: means and percentiles for each length of a block, a nested
        list of shape (lengths, resamples, 2), with no lengths where the log is too short. So many per cent of the jobs
        wait at most the percentile.

    Raises
    ------
    ValueError
        If the log does not tell when jobs came, or some input breaks a law.

    Examples
    --------
    Each minute a job that takes two comes to one server: the k-th waits k minutes.

    >>> from mjq.workload import Log
    >>> log = Log(need=np.ones(60), run=np.full(60, 120.0), submit=60.0 * np.arange(60), servers=1)
    >>> found = waits(log, 1)
    >>> round(60 * found["mean"], 6), round(60 * found["percentile"], 6)
    (29.5, 53.0)
    >>> waits(log, 2)["mean"]
    0.0
    """
    come, said = log.require_arrivals(), None if exact else log.said
    wait = replay((come - come.min()) / growth, log.need, log.run, said, servers, policy).wait / HOUR
    resampled = _resampled(wait, percentile, np.random.default_rng(seed))
    return {"mean": float(wait.mean()), "percentile": _percentile(wait, percentile), "resampled": resampled}


def interval(resampled: list, which: int) -> tuple[float, float] | None:
    """Ends of the 95 % interval of the mean (0) or the percentile (1): the widest by blocks of any length.

    Returns
    -------
    (float, float) or None
        None where the log is too short.
    """
    draws = np.asarray(resampled, dtype=float)
    if not draws.size:
        return None
    low, high = np.percentile(draws[:, :, which], INSIDE, axis=1)
    widest = np.argmax(high - low)
    return float(low[widest]), float(high[widest])


def difference(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """By how much waits of one replay exceed those of another one of the same log, both by :func:`waits`, in its form.

    Its intervals are those of the difference job by job, narrower than those of the two waits would make one believe.
    """
    apart = {name: one[name] - other[name] for name in ("mean", "percentile")}
    return apart | {"resampled": (np.array(one["resampled"]) - np.array(other["resampled"])).tolist()}


def _percentile(wait, percentile):
    """The shortest time that at least so many per cent of the jobs wait at most."""
    place = _place(len(wait), percentile)
    return float(np.partition(wait, place)[place])


def _place(jobs, percentile):
    """That of the percentile among the waits in rising order, from 0."""
    return max(0, int(np.ceil(jobs * percentile / 100 - PLACE_ROUNDING)) - 1)


def _resampled(wait, percentile, rng):
    """Means and percentiles of blocks of successive jobs drawn from any place, the first job following the last."""
    place, longest_first = _place(len(wait), percentile), np.argsort(-wait, kind="stable")
    found = []
    for length in BLOCKS:
        if len(wait) >= FEWEST_BLOCKS * length:
            first = rng.integers(len(wait), size=(RESAMPLES, -(-len(wait) // length)))
            found.append(_drawn(wait, longest_first, len(wait) - place, first, length).tolist())
    return found


@numba.njit(cache=True, nogil=True)
def _drawn(wait, longest_first, rank, first, length):
    """Mean and the `rank`-th longest wait of as many jobs as there are, in blocks from each row of `first`."""
    n, times = len(wait), np.empty(len(wait), dtype=np.int64)
    found = np.empty((len(first), 2))
    for draw in range(len(first)):
        times[:] = 0
        left = n
        for begin in first[draw]:
            for k in range(min(length, left)):
                times[(begin + k) % n] += 1
            left -= min(length, left)
        found[draw, 0] = (times * wait).sum() / n
        longer = 0
        for job in longest_first:
            longer += times[job]
            if longer >= rank:
                found[draw, 1] = wait[job]
                break
    return found
