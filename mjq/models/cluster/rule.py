r"""[SW23] The chain of the paper: states and transitions.

A state is :math:`(x_1, x_2, V)`: the jobs in the queue, the size of the job at the tracker, and the sizes of the jobs
in execution.

**A transition**

1. A job arrives at the rate :math:`\lambda`. It goes to an idle tracker, and its size is drawn there; else to the
   queue, if that has a place; else it is lost.
2. A job of size n in execution completes at the rate :math:`\mu_{2,n}`.
3. If the job at the tracker fits into the idle servers, it is mapped at the rate :math:`\mu_1` and starts. The next job
   of the queue comes to the tracker, and its size is drawn.

With M vectors V and T sizes there are :math:`(C + 1) T M + M` states: 235,155 for the paper's sixteen servers. The rule
is the definition; :mod:`mjq.models.cluster.tandem` solves it without listing the states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks


def checked(
    N: int, sizes: ArrayLike, p: ArrayLike, lam: float, mu1: float, mu2: ArrayLike, C: int
) -> tuple[int, np.ndarray, np.ndarray, float, float, np.ndarray, int]:
    """Return the parameters as numbers and arrays, without sizes that never come, or raise ``ValueError``."""
    N, C = checks.count("N", N), checks.count("C", C, least=0)
    sizes = checks.counts("sizes", sizes)
    p = checks.probabilities("p", p, within=checks.MIX_ROUNDED)
    lam, mu1 = (float(checks.positive(name, value, ndim=0)) for name, value in (("lam", lam), ("mu1", mu1)))
    mu2 = checks.positive("mu2", mu2, ndim=np.ndim(mu2))
    if mu2.ndim == 0:
        mu2 = np.full(len(sizes), float(mu2))
    if not len(sizes) == len(p) == len(mu2):
        raise ValueError(
            f"sizes, p and mu2 must have one entry for each size, got {len(sizes)}, {len(p)} and {len(mu2)}"
        )
    if len(set(sizes)) < len(sizes):
        raise ValueError(f"sizes must differ, got {checks.shown(sizes)}")
    support = p > 0
    if sizes[support].max() > N:
        raise ValueError(f"size {sizes[support].max()} exceeds the {N} servers")
    return N, sizes[support], p[support], lam, mu1, mu2[support], C


def transitions(
    state: tuple,
    N: int,
    sizes: Sequence[int],
    p: Sequence[float],
    lam: float,
    mu1: float,
    mu2: Sequence[float],
    C: int,
) -> Iterator[tuple]:
    """Yield ``(next_state, rate)`` out of ``(x_1, x_2, V)``, case by case in the paper's order.

    `sizes`, `p` and `mu2` are sequences with one entry for each size.

    Source: [SW23] Table 2, [SW23] Eq. (2).

    A job of size 2 waits at the tracker of a cluster of two, in which a job of size 1 runs.

    >>> list(transitions((0, 2, (1,)), 2, (1, 2), (.5, .5), 3, 9, (1, 1), 1))
    [((1, 2, (1,)), 3), ((0, 2, ()), 1)]
    """
    x1, x2, V = state
    if x1 == x2 == 0:
        yield from (((0, n, V), lam * p_n) for n, p_n in zip(sizes, p, strict=True))
    if x1 < C and x2 > 0:
        yield (x1 + 1, x2, V), lam
    yield from (((x1, x2, _without(V, n)), V.count(n) * rate) for n, rate in zip(sizes, mu2, strict=True) if n in V)
    if x2 > 0 and sum(V) + x2 <= N:
        after = tuple(sorted((*V, x2)))
        if x1 > 0:
            yield from (((x1 - 1, n, after), mu1 * p_n) for n, p_n in zip(sizes, p, strict=True))
        else:
            yield (0, 0, after), mu1


def _without(V, n):
    k = V.index(n)
    return V[:k] + V[k + 1 :]


def cluster_states(N: int, sizes: Sequence[int]) -> list[tuple]:
    """Return the possible vectors V: by their length, then lexicographically.

    Source: [SW23] Section 3, [SW23] Eq. (3).

    The paper's example: three jobs in a cluster of six.

    >>> [V for V in cluster_states(6, range(1, 7)) if len(V) == 3]
    [(1, 1, 1), (1, 1, 2), (1, 1, 3), (1, 1, 4), (1, 2, 2), (1, 2, 3), (2, 2, 2)]
    """
    longest: list[tuple[int, ...]] = [()]
    vectors = list(longest)
    while longest:
        longest = [(*V, n) for V in longest for n in sorted(sizes) if n >= max(V, default=0) and sum(V) + n <= N]
        vectors += sorted(longest)
    return vectors


def states(N: int, sizes: Sequence[int], C: int) -> list[tuple]:
    """Return all states in the paper's order: by the queue, then the size at the tracker, then V.

    Source: [SW23] Section 3.

    >>> len(states(2, (1, 2), 1))
    20
    """
    vectors = cluster_states(N, sizes)
    return [(x1, x2, V) for x1 in range(C + 1) for x2 in (*([0] * (x1 == 0)), *sorted(sizes)) for V in vectors]
