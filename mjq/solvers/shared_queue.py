"""One job in an open queue of k servers with processor sharing: its whole response time, and one life of it.

Others come, are served and leave while the job is there, and its share changes with their number. With Poisson arrivals
and exponential service of mean 1 that number is a Markov chain, and the job's time one of phase type.
"""

import math

import numpy as np

from mjq import checks
from mjq.solvers.phase_type import PhaseType

__all__ = ["life", "response_time"]

LEFT_OUT = 1e-9  # probability of more jobs than are followed, about


def response_time(load, k=1):
    """Response time of a job that comes in the steady state, service of mean 1.

    With n others there it is done at the rate of its share min(1, k / (n + 1)), one of the others at n times this
    rate, and another comes at the rate load * k. It finds n others with the probability that n jobs are there.

    Parameters
    ----------
    load : float
        Part of the servers at work, between 0 and 1.
    k : int
        Servers.

    Returns
    -------
    mjq.solvers.phase_type.PhaseType
        Its phase is the number of others.

    Raises
    ------
    ValueError
        If `load` is not between 0 and 1, or `k` is no positive whole number.

    Source: E. G. Coffman, R. R. Muntz, H. Trotter, Waiting time distributions for processor-sharing systems, 1970, for
    one server.

    Examples
    --------
    One server: the squared coefficient of variation is (2 + load) / (2 - load).

    >>> half = response_time(0.5)
    >>> round(half.mean, 4), round(half.scv, 4)
    (2.0, 1.6667)
    """
    others, share, seen = _others(load, k)
    T = np.diag(np.full(len(others) - 1, load * k), 1) + np.diag(others[1:] * share[1:], -1)
    T -= np.diag(T.sum(axis=1) + share)
    return PhaseType(seen, T)


def _others(load, k):
    """Numbers of others, the share of a job among them, and the probability to find so many."""
    load, k = checks.inside("load", load, 0, 1), checks.count("k", k)
    most = math.ceil(math.log(LEFT_OUT) / math.log(load)) + k
    others = np.arange(most)
    weights = np.cumprod(np.append(1, load * k / np.minimum(others[1:], k)))
    return others, np.minimum(1, k / (others + 1)), weights / weights.sum()


def life(load, k, work, seed):
    """One simulated life of a job that brings an amount of work: its share, from its coming to its end.

    Parameters
    ----------
    load, k
        As for :func:`response_time`.
    work : float
        Time that the job would need if it never had to share.
    seed : int or sequence of int

    Returns
    -------
    times : float array, shape (n + 1,)
        When its share changes: 0, then arrivals and departures of others, and its own end.
    shares : float array, shape (n,)
        Its share between these times.

    Raises
    ------
    ValueError
        If `load` is not between 0 and 1, `k` no positive whole number, or `work` not positive.

    Examples
    --------
    The work that it gets is the work that it brings:

    >>> times, shares = life(0.8, 4, 5.0, seed=1)
    >>> round(float(shares @ np.diff(times)), 9), bool(times[-1] >= 5)
    (5.0, True)
    """
    _, _, seen = _others(load, k)
    left = float(checks.positive("work", work, ndim=0))
    rng = np.random.default_rng(seed)
    n = int(rng.choice(len(seen), p=seen))
    times, shares = [0.0], []
    while left > 0:
        share = min(1.0, k / (n + 1))
        change = rng.exponential(1 / (load * k + n * share))
        lasts = min(change, left / share)
        left = left - lasts * share if lasts == change else 0.0
        times.append(times[-1] + lasts)
        shares.append(share)
        n += 1 if rng.random() < load * k / (load * k + n * share) else -1
    return np.array(times), np.array(shares)
