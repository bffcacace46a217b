"""[CGPS16] Rules that choose the mix to admit to a pool's stations, judged by exact depletion times.

A rule gives a mix, and the mix a whole number of class A tasks. Compute the exact mean depletion time of every mix for
which there are tasks (``mjq.models.pool_depletion.exact``), and compare: the *error* of a rule is the part by which its
time exceeds the best, its *gain* the part by which the worst exceeds it. Letters as in
:mod:`mjq.models.pool_depletion`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq.models import pool_depletion


def switching_systems(number: int, seed: int | Sequence[int]) -> np.ndarray:
    """Draw demands of two classes at two stations: A is heavier at station 1, B at station 2; shape (number, 2, 2).

    Four exponential numbers with mean 1 a system, exchanged within a class where necessary.

    Examples
    --------
    >>> drawn = switching_systems(3, seed=1)
    >>> bool((drawn[:, 0, 0] > drawn[:, 1, 0]).all() and (drawn[:, 0, 1] < drawn[:, 1, 1]).all())
    True
    """
    rng, size = np.random.default_rng(seed), (checks.count("number", number, 0), 2)
    of_A, of_B = np.sort(rng.exponential(size=size)), np.sort(rng.exponential(size=size))
    return np.stack([of_A[:, ::-1], of_B], axis=2)


def admissions(D: ArrayLike, N_A: int, N_B: int, K: int) -> dict[str, int]:
    """Return how many tasks of class A each rule admits at the start.

    The rules are those of :func:`~mjq.models.pool_depletion.asymptotic_rules`, rounded to the nearest number for which
    there are tasks; the corner also rounded ``down``, ``up``, ``inwards`` (towards the equi-utilization point) and
    ``outwards``; ``Algorithm 1``.

    Source: [CGPS16] Section 5.4, [CGPS16] Algorithm 1, [CGPS16] Eq. (20), [CGPS16] Eq. (21).

    Examples
    --------
    >>> counts = admissions([[0.75, 0.64], [0.48, 1.25]], 80, 20, 10)
    >>> counts["corner"], counts["corner, outwards"], counts["equi"], counts["Algorithm 1"]
    (8, 9, 6, 7)
    """
    wanted = pool_depletion.asymptotic_rules(N_A / (N_A + N_B), D)
    counts = {rule: pool_depletion.whole_mix(beta, N_A, N_B, K) for rule, beta in wanted.items()}
    for rounding in ("down", "up"):
        counts[f"corner, {rounding}"] = pool_depletion.whole_mix(wanted["corner"], N_A, N_B, K, rounding)
    inwards, outwards = ("down", "up") if wanted["corner"] > wanted["equi"] else ("up", "down")
    counts["corner, inwards"], counts["corner, outwards"] = counts[f"corner, {inwards}"], counts[f"corner, {outwards}"]
    return counts | {"Algorithm 1": pool_depletion.optimal_mix_by_mva(D, N_A, N_B, K)}


def depletion_times(D: ArrayLike, N_A: int, N_B: int, K: int) -> dict[int, float]:
    """Return the exact mean depletion time by the number of class A tasks admitted, wherever there are enough.

    Examples
    --------
    >>> times = depletion_times([[0.75, 0.64], [0.48, 1.25]], 70, 30, 10)
    >>> min(times, key=times.get), round(times[6], 4)
    (5, 79.744)
    """
    possible = pool_depletion.whole_mixes(N_A, N_B, K)
    return {k: pool_depletion.depletion(D, N_A, N_B, k, K - k).mean_time for k in possible}


def judged(times: dict[int, float], admitted: dict[str, int]) -> list[dict[str, Any]]:
    r"""Return the error and gain of each rule, in percent, and of the best mix under the name ``best``.

    A row has ``rule``, ``K_A``, ``T``, ``error`` [%] and ``gain`` [%].

    .. math:: \frac{T_{\text{estimated}} - T_{\text{min}}}{T_{\text{min}}}, \qquad
        \frac{T_{\text{max}} - T_{\text{estimated}}}{T_{\text{estimated}}}

    Parameters
    ----------
    times : dict
        Number of class A tasks admitted to the depletion time, in any unit.
    admitted : dict
        Rule to the number that it admits.

    Source: [CGPS16] Eq. (18), [CGPS16] Eq. (19).

    Examples
    --------
    >>> judged({0: 3.0, 1: 2.0, 2: 2.5}, {"mine": 2})[0]
    {'rule': 'mine', 'K_A': 2, 'T': 2.5, 'error': 25.0, 'gain': 20.0}
    """
    best, worst = min(times.values()), max(times.values())
    return [
        {
            "rule": rule,
            "K_A": k,
            "T": times[k],
            "error": 100 * pool_depletion.scheduling_error(best, times[k]),
            "gain": 100 * pool_depletion.gain(worst, times[k]),
        }
        for rule, k in {**admitted, "best": min(times, key=lambda k: times[k])}.items()
    ]
