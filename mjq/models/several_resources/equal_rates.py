r"""[SR] Classes that are all served at one rate: fill the machine from the queue, and take the harmonic mean.

If every job completes at the rate :math:`\mu`, the state just after a completion is that of a machine that is filled
from a fresh queue: the longest prefix of it that fits, with the next job at the head. So

.. math:: X = \frac{\mu}{E[1/N]}, \qquad
   E\Bigl[\frac1N\Bigr] = \sum_{n \ge 1} \frac1n\, P(N = n),

with N the number of jobs in that prefix and :math:`R_n` what the first n jobs of the queue need together.

**The algorithm** for whole needs

1. Begin with no job, which needs nothing of each resource.
2. For n = 1, 2, …, convolve with what one job needs: the distribution of what n jobs need together, a table with an
   axis for each resource. Drop what exceeds one of them.
3. Weigh it with the probability that one more job would not fit beside it, and divide by n. The sum is :math:`E[1/N]`.

**Cost.** With R different needs, the most jobs n and :math:`\prod_k (B_k + 1)` places in the table, time is of the
order of their product. Needs and resources with a common unit are divided by it first.

**Accuracy.** All terms are positive. Tests compare it with :mod:`mjq.solvers.drain` on one to three resources (13
digits).

Source: [GHS20] Theorem 8.1 for one resource; the same proof holds for vectors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks

MOST_STEPS = 1e11  # of the convolutions: some minutes


def throughput_equal_rates(B: Any, b: ArrayLike, mu: float, p: ArrayLike) -> float:
    r"""Return the largest sustainable arrival rate, per unit of time, if every job is served at rate mu.

    Parameters
    ----------
    B : sequence of int, shape (d,)
        Resources.
    b : sequence of int, shape (L, d)
        What a job of each class holds.
    mu : float
        Completion rate of every job, per unit of time.
    p : sequence of float, shape (L,)
        Mix of classes.

    Raises
    ------
    ValueError
        If needs are no whole numbers, the table would take hours, or another constraint is violated.

    Source: [SR] Eq. (d); for one resource [GHS20] Theorem 8.1, [GHS20] Theorem 8.2.

    Examples
    --------
    >>> round(29 * throughput_equal_rates((12, 12), [(4, 1), (1, 4)], 1, (.5, .5)), 12)
    96.0
    """
    mu = float(checks.positive("mu", mu, ndim=0))
    B, b, _, p = checks.multiserver(B, b, np.full(len(np.atleast_1d(p)), mu), p, several=True)
    sizes, needs, chances = _in_units(np.atleast_1d(B), b.reshape(len(b), -1)[p > 0], p[p > 0])
    checks.affordable(f"resources {checks.shown(B)}", _steps(sizes, needs), MOST_STEPS, "steps")
    together = np.zeros(sizes + 1)
    together[(0,) * len(sizes)] = 1.0
    blocked = np.zeros_like(together)  # probability that the next job does not fit beside what is held
    for need, chance in zip(needs, chances, strict=True):
        blocked += chance
        blocked[tuple(slice(0, size + 1 - held) for size, held in zip(sizes, need, strict=True))] -= chance
    blocked = np.where(blocked > chances.min() / 2, blocked, 0.0)  # rounding
    mean, n = 0.0, 0  # of 1/N
    while together.any():
        more = np.zeros_like(together)
        for need, chance in zip(needs, chances, strict=True):
            kept = tuple(slice(0, size + 1 - held) for size, held in zip(sizes, need, strict=True))
            more[tuple(slice(held, None) for held in need)] += chance * together[kept]
        together, n = more, n + 1
        mean += float((together * blocked).sum()) / n
    return mu / mean


def steps_needed(B: Any, b: np.ndarray) -> float:
    """Return the steps of the convolutions, infinite where needs are no whole numbers.

    >>> steps_needed((12, 12), np.array([(4, 1), (1, 4)]))
    1014.0
    >>> steps_needed((12, 12), np.array([(.5, 1), (1, 4)]))
    inf
    """
    sizes, needs = np.atleast_1d(np.asarray(B, dtype=float)), np.asarray(b, dtype=float)
    if (sizes % 1).any() or (needs % 1).any():
        return float("inf")
    return _steps(*_in_units(sizes, needs, np.ones(len(needs)))[:2])


def _steps(sizes, needs):
    with np.errstate(divide="ignore"):
        jobs = max(np.where(need > 0, sizes // np.maximum(need, 1), np.inf).min() for need in needs)
    return float(jobs) * float(np.prod(sizes + 1.0)) * len(needs)


def _in_units(sizes, needs, chances):
    """Return resources and needs in their largest common unit, without resources that nobody needs, as whole numbers.

    What a resource has beyond the last whole unit of all needs serves nobody. Equal needs are put together.
    """
    if (sizes % 1).any() or (needs % 1).any():
        raise ValueError(
            f"needs and resources must be whole numbers, got {checks.shown(needs)} of {checks.shown(sizes)}"
        )
    used = needs.any(axis=0)
    sizes, needs = sizes[used].astype(np.int64), needs[:, used].astype(np.int64)
    unit = np.gcd.reduce(needs, axis=0)
    needs, place = np.unique(needs // unit, axis=0, return_inverse=True)
    return sizes // unit, needs, np.bincount(place.ravel(), chances)
