"""[CGPS16] Finitely many tasks in execution: mean value analysis, and mixes of whole tasks.

**Algorithm 1** of the paper chooses how many of K tasks in execution are to be of class A:

1. Compute the throughputs of both classes for all mixes :math:`(K_A, K - K_A)`, by mean value analysis along the
   populations of one total (:mod:`mjq.models.pool_depletion.mean_value`).
2. At these throughputs the classes would end after :math:`N_A / X_A` and :math:`N_B / X_B`. Take the mix for which
   these two are nearest to each other, of those for which there are enough tasks.

It takes time :math:`K^2` and memory K. :func:`large_pool_times` puts the same throughputs into the formula for large
pools, which then is the exact limit for a pool that grows while K stays.

Source: [CGPS16] Algorithm 1.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq._util.frozen import frozen
from mjq.models.pool_depletion import mean_value
from mjq.models.pool_depletion.rule import checked_demands, checked_places

MIX_DIGITS = 9  # decimals of a wanted number of tasks: 0.6 of 10 places are 6, whatever binary fractions say


def mva_throughputs(D: ArrayLike, K_A: int, K_B: int) -> tuple[float, float]:
    """Return the throughputs of the closed network with these numbers of tasks, that of class A first.

    Parameters
    ----------
    D : array of float, shape (2, 2)
        Demands, in units of time.
    K_A, K_B : int

    Source: [CGPS16] Algorithm 1, lines 1-15: mean value analysis.

    Examples
    --------
    >>> [round(x, 6) for x in mva_throughputs([[0.75, 0.64], [0.48, 1.25]], 3, 2)]
    [0.825482, 0.365377]
    """
    throughputs = mean_value.throughputs(checked_demands(D), (checks.count("K_A", K_A, 0), checks.count("K_B", K_B, 0)))
    return float(throughputs[0]), float(throughputs[1])


@lru_cache(maxsize=128)  # several pool mixes are often compared at the same demands
def _along_mixes(demands: tuple, places: int) -> tuple:
    return tuple(map(frozen, mean_value.along_mixes(np.array(demands), places)))


def whole_mixes(N_A: int, N_B: int, K: int) -> range:
    """Return the numbers of class A tasks that may be admitted, if there are enough tasks to fill the places.

    Raises
    ------
    ValueError
        If there are fewer tasks than places.

    Examples
    --------
    >>> whole_mixes(70, 3, 5)
    range(2, 6)
    """
    N_A, N_B, K = checked_places(N_A, N_B, K)
    return range(max(0, K - N_B), min(K, N_A) + 1)


def optimal_mix_by_mva(D: ArrayLike, N_A: int, N_B: int, K: int) -> int:
    """Return the number of class A tasks to admit with which both classes end as nearly together as possible.

    It looks at all mixes for which there are tasks enough. Where a class with tasks to do is not admitted its
    throughput is zero, and both cannot end together: such a mix is not taken.

    Parameters
    ----------
    D : array of float, shape (2, 2)
        Demands, in units of time.
    N_A, N_B, K : int

    Raises
    ------
    ValueError
        If there are fewer tasks than places, or no mix has both classes in execution.

    Source: [CGPS16] Algorithm 1, with its indices guarded, [CGPS16] Eq. (20).

    Examples
    --------
    >>> optimal_mix_by_mva([[0.75, 0.64], [0.48, 1.25]], 70, 30, 10)
    6
    """
    D, (N_A, N_B, K) = checked_demands(D), checked_places(N_A, N_B, K)
    possible = whole_mixes(N_A, N_B, K)
    X_A, X_B = _along_mixes(tuple(map(tuple, D.tolist())), K)
    with np.errstate(divide="ignore", invalid="ignore"):
        ends_A, ends_B = np.where(N_A > 0, N_A / X_A, 0.0), np.where(N_B > 0, N_B / X_B, 0.0)
        apart = np.abs(ends_A - ends_B)
    apart = np.where(np.isfinite(apart), apart, np.inf)[possible.start : possible.stop]
    if not np.isfinite(apart).any():
        raise ValueError(f"with K = {K}, N_A = {N_A}, N_B = {N_B} no mix has both classes in execution")
    return possible[int(np.argmin(apart))]


def whole_mix(beta: float, N_A: int, N_B: int, K: int, rounding: str = "nearest") -> int:
    """Return the number of class A tasks to admit for a wanted mix, of those for which there are enough tasks.

    Parameters
    ----------
    beta : float
        Wanted admitted mix.
    N_A, N_B, K : int
    rounding : {"nearest", "down", "up"}

    Examples
    --------
    >>> [whole_mix(0.72, 70, 30, 10, rounding) for rounding in ("nearest", "down", "up")]
    [7, 7, 8]
    >>> whole_mix(0.72, 70, 2, 10)
    8
    """
    beta, possible = checks.share("beta", beta), whole_mixes(N_A, N_B, K)
    wanted = round(float(beta) * int(K), MIX_DIGITS)
    whole = {"nearest": math.floor(wanted + 0.5), "down": math.floor(wanted), "up": math.ceil(wanted)}
    if rounding not in whole:
        raise ValueError(f"rounding must be one of {', '.join(whole)}; got {rounding!r}")
    return min(max(whole[rounding], possible[0]), possible[-1])


def large_pool_times(alpha: float, D: ArrayLike, K: int) -> np.ndarray:
    """Return the time per task, T / N, of a pool much larger than K, if 0, 1, ..., K tasks of class A are admitted.

    Eq. (10) with the throughputs of K tasks in execution instead of those of infinitely many: the exact limit for
    N to infinity.

    Parameters
    ----------
    alpha : float
        Pool mix.
    D : array of float, shape (M, 2)
        Demands, in units of time; any number of stations.
    K : int

    Source: [CGPS16] Eq. (10), [CGPS16] Algorithm 1.

    Examples
    --------
    >>> large_pool_times(0.6, [[0.75, 0.64], [0.48, 1.25]], 5).round(4).tolist()
    [0.9784, 0.9385, 0.8967, 0.8979, 0.9359, 0.9784]
    """
    alpha, K, D = checks.share("alpha", alpha), checks.count("K", K), checked_demands(D, stations=None)
    X_A, X_B = _along_mixes(tuple(map(tuple, D.tolist())), K)
    with np.errstate(divide="ignore", invalid="ignore"):
        ends_A = np.where(X_A > 0, alpha / X_A, np.inf)
        ends_B = np.where(X_B > 0, (1 - alpha) / X_B, np.inf)
    first = np.minimum(ends_A, ends_B)
    left_A, left_B = alpha - first * X_A, 1 - alpha - first * X_B
    return first + np.maximum(left_A, 0) / X_A[-1] + np.maximum(left_B, 0) / X_B[0]
