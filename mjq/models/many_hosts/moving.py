r"""[MH] If jobs could be moved from host to host at any time: what no placement exceeds in order of arrival.

With moving, a set of jobs can be in service if it can be packed on the hosts somehow. These sets are *down-closed*:
with each set there is each part of it. So the saturated system is that of one machine with other packings, and both
ways to solve that remain. If every job completes at one rate :math:`\mu`, the machine is filled from a fresh queue:

.. math:: X = \frac{\mu}{E[1/N]},

with N the number of jobs in the longest prefix of the queue that can be packed. Otherwise the chain of packings is
solved (:mod:`mjq.solvers.drain`).

No placement does more in order of arrival. For with the same jobs and times, nobody starts later if jobs may be moved:
at the instant at which a job starts under a placement, all jobs before it have started no later with moving, so those
that are still there are a part of those that are there without; and these fit, together with the job, as they are
placed.

**The algorithm**

1. The packings of one host are a table of yes and no with an axis for each class.
2. Those of m hosts are sums of a packing of m - 1 hosts and one of the last. It is enough to add packings of the last
   host that have no room for another job, and then to take all parts.
3. For equal rates, walk over the table. The probability that the first jobs of the queue are a set k is the sum, over
   the class i of the last one, of :math:`p_i` times the probability of k less this job. Weigh it with the probability
   that the next job cannot be packed beside them, over the number of jobs.

**Cost.** The table has :math:`\prod_i (m\, \lfloor B / b_i \rfloor + 1)` places. To fill it takes m times the full
packings of one host as many operations; to walk over it, the number of classes. A table above fifty million places is
refused.

**Accuracy.** All terms are positive. Tests compare the formula with the chain (12 digits) and one host with a pool.

Source: ours; the formula is [GHS20] Theorem 8.1 for one pool.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq._util.budget import require_time
from mjq._util.compiling import compiled
from mjq.models.many_hosts.rule import MOST_HOSTS, checked, host
from mjq.solvers import drain

MOST_PLACES = 50_000_000  # of the table
MOST_STEPS = 2e10  # to fill it


def packings(m: int, B: Any, b: ArrayLike) -> np.ndarray:
    """Return which numbers of jobs of each class can be packed on the hosts, as a table with an axis for each class.

    Parameters
    ----------
    m : int
        Hosts.
    B : float, or sequence of float, shape (d,)
        Size of each host.
    b : sequence of float, shape (L,) or (L, d)
        What a job of each class holds, on one host.

    Returns
    -------
    bool array
        True at (k1, …, kL) if that many jobs of each class can be packed.

    Raises
    ------
    ValueError
        If the input violates a constraint, or the table would be too large.

    Source: [MH] Eq. (g).

    Examples
    --------
    Two hosts of 3 units hold two jobs of 2 units, not three, and a job of one unit beside each.

    >>> packings(2, 3, [2, 1]).astype(int)
    array([[1, 1, 1, 1, 1, 1, 1],
           [1, 1, 1, 1, 1, 0, 0],
           [1, 1, 1, 0, 0, 0, 0]])
    """
    m = checks.count("hosts", m, most=MOST_HOSTS)
    rows = np.ones(len(np.atleast_1d(b)))
    B, b, *_ = checks.multiserver(B, b, rows, rows / len(rows), ("servers", "needs", "mu", "p"), several=True)
    one = host(B, b)
    full = one.counts[(one.after_admission < 0).all(axis=1)]
    shape = tuple(int(most) * m + 1 for most in one.counts.max(axis=0))
    size = float(np.prod(np.array(shape, dtype=float)))
    checks.affordable(f"sets of jobs on {m} hosts", size, MOST_PLACES, "places")
    checks.affordable(f"sets of jobs on {m} hosts", size * m * len(full), MOST_STEPS, "steps")
    table = np.zeros(shape, dtype=bool)
    table[(0,) * len(shape)] = True
    for _ in range(m):
        require_time()
        more = np.zeros_like(table)
        for packing in full:
            kept = tuple(slice(0, top - k) for top, k in zip(shape, packing, strict=True))
            more[tuple(slice(int(k), None) for k in packing)] |= table[kept]
        table = more
    for axis in range(len(shape)):  # all parts
        table = np.flip(np.logical_or.accumulate(np.flip(table, axis), axis), axis)
    return table


def capacity_with_moving(m: int, B: Any, b: ArrayLike, mu: ArrayLike, p: ArrayLike) -> float:
    r"""Return the capacity in order of arrival if jobs could be moved from host to host at any time and at no cost.

    No placement without moving exceeds it.

    Parameters
    ----------
    m, B, b, mu, p
        As for :func:`mjq.models.many_hosts.saturated_state`.

    Returns
    -------
    float
        Jobs per unit of time.

    Raises
    ------
    ValueError
        If the input violates a constraint, or the table of packings would be too large.
    ArithmeticError
        If the solution did not converge.

    Source: [MH] Eq. (h); for one pool [GHS20] Theorem 8.1.

    Examples
    --------
    Two hosts of 5 hold four jobs of 2 units, a pool of 10 five.

    >>> round(capacity_with_moving(2, 5, [2], [1], [1]), 12), round(capacity_with_moving(1, 10, [2], [1], [1]), 12)
    (4.0, 5.0)
    """
    m, B, b, mu, p = checked(m, B, b, mu, p)
    table = packings(m, B, b)
    if len(set(mu)) == 1:
        return float(mu[0] / _mean_of_one_over_n(table.ravel(), np.array(table.shape), p))
    counts = np.argwhere(table)
    place = np.full(tuple(top + 2 for top in table.shape), -1)
    inside = tuple(slice(1, -1) for _ in table.shape)
    place[inside][table] = np.arange(len(counts))
    beside = counts + 1
    steps = np.eye(len(p), dtype=int)
    up, down = (
        np.column_stack([place[tuple((beside + sign * step).T)] for step in steps]).astype(np.int32) for sign in (1, -1)
    )
    return drain.saturated(drain.Configurations(counts.astype(np.int32, "C"), up, down), mu, p).throughput


@compiled(steps=lambda table, shape, p: 4 * len(table) * len(shape))
def _mean_of_one_over_n(table, shape, p):
    """Return the mean of 1/N, with N the jobs in the longest prefix of the queue that can be packed."""
    classes = len(shape)
    strides = np.ones(classes, np.int64)
    for i in range(classes - 2, -1, -1):
        strides[i] = strides[i + 1] * shape[i + 1]
    reached = np.zeros(len(table))  # probability that the first jobs are this set
    reached[0] = 1.0
    counts = np.zeros(classes, np.int64)
    mean = 0.0
    for place in range(len(table)):
        if table[place]:
            n, blocked = 0, 0.0
            for i in range(classes):
                n += counts[i]
                if counts[i]:
                    reached[place] += p[i] * reached[place - strides[i]]
                if counts[i] + 1 == shape[i] or not table[place + strides[i]]:
                    blocked += p[i]
            if n:
                mean += reached[place] * blocked / n
        for i in range(classes - 1, -1, -1):  # the next set
            counts[i] += 1
            if counts[i] < shape[i]:
                break
            counts[i] = 0
    return mean
