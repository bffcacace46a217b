"""[CGPS16] Many tasks in execution, many more to do: the best mixes, and what they gain.

With very many tasks in execution at least one station is always busy, and which one depends on the admitted mix alone.
If class A is heavier at one station and class B at the other, there is a *saturation sector*: an interval of mixes in
which both stations are busy. There the throughputs do not depend on the mix; outside they follow from the one station
that is saturated.

**The depletion time** of a large pool

1. Both classes are worked off at their throughputs, until one of them has no more tasks.
2. The other class is worked off alone, at the rate of its slower station.

**The best mix.** No time per task can be less than the work that a task brings, on average, to the station with more
work. A whole interval of mixes reaches it: from the far edge of the sector to the mix with which both classes end
together. If the pool brings both stations the same work, the interval is the sector.

All results are closed formulas. Tests compare the best mixes with the least of the time over many mixes, to 9 digits,
and check on random demands that each rule's mix is optimal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq.models.pool_depletion.rule import checked_demands

RATES_ALIKE = 1e-12  # relative difference that counts as none: at the optimal pool mix the whole sector is optimal


def _switching(D: ArrayLike) -> tuple[np.ndarray, int, int]:
    """Return the demands and the bottlenecks of class A alone and of class B alone, which must differ."""
    D = checked_demands(D)
    of_A, of_B = int(np.argmax(D[:, 0])), int(np.argmax(D[:, 1]))
    if of_A == of_B or D[0, 0] == D[1, 0] or D[0, 1] == D[1, 1]:
        raise ValueError(
            "no bottleneck switch: one station must have the larger demand of class A, the other that of class B, got "
            + checks.shown(D)
        )
    return D, of_A, of_B


def saturation_sector(D: ArrayLike) -> tuple[float, float]:
    r"""Return the admitted mixes that saturate both stations, the lowest and the highest.

    .. math::
        \beta_L = D_{2A}\, \frac{D_{2B} - D_{1B}}{D_{1A} D_{2B} - D_{2A} D_{1B}}, \qquad
        \beta_U = D_{1A}\, \frac{D_{2B} - D_{1B}}{D_{1A} D_{2B} - D_{2A} D_{1B}} .

    Parameters
    ----------
    D : array of float, shape (2, 2)
        Demands, a row for each station, a column for each class, in units of time.

    Raises
    ------
    ValueError
        If the bottleneck does not switch: one station has both larger demands.

    Source: [CGPS16] Eq. (3).

    Examples
    --------
    >>> low, high = saturation_sector([[0.75, 0.64], [0.48, 1.25]])
    >>> round(low, 4), round(high, 4)
    (0.4645, 0.7258)
    """
    D, of_A, of_B = _switching(D)
    X_A, _ = _inside(D)
    return float(D[of_B, 0] * X_A), float(D[of_A, 0] * X_A)


def _inside(D: np.ndarray) -> np.ndarray:
    """Return throughputs at which both stations are saturated."""
    return np.linalg.solve(D, np.ones(2))


def equi_utilization_point(D: ArrayLike) -> float:
    r"""Return the admitted mix with which both stations are equally busy, whatever the number of tasks.

    .. math:: \beta^* = \frac{\log (D_{2B} / D_{1B})}{\log \bigl( D_{1A} D_{2B} / (D_{1B} D_{2A}) \bigr)} .

    Source: [CGPS16] Eq. (2).

    >>> round(equi_utilization_point([[0.75, 0.64], [0.48, 1.25]]), 9)
    0.6
    """
    D, _, _ = _switching(D)
    return float(math.log(D[1, 1] / D[0, 1]) / math.log(D[0, 0] * D[1, 1] / (D[0, 1] * D[1, 0])))


def asymptotic_throughputs(beta: float, D: ArrayLike) -> tuple[float, float]:
    r"""Return the throughputs of both classes with many tasks in execution, that of class A first.

    .. math:: X_A = \frac{\beta}{D_{rA}}, \qquad X_B = \frac{1 - \beta}{D_{rB}}

    outside of the saturation sector, with r the saturated station; inside they are those of its edges.

    Parameters
    ----------
    beta : float
        Admitted mix.
    D : array of float, shape (2, 2)
        Demands, in units of time.

    Source: [CGPS16] Eq. (4), [CGPS16] Eq. (5).

    Examples
    --------
    >>> [round(x, 4) for x in asymptotic_throughputs(0.6, [[0.75, 0.64], [0.48, 1.25]])]
    [0.9678, 0.4284]
    """
    beta, (D, of_A, of_B) = checks.share("beta", beta), _switching(D)
    low, high = saturation_sector(D)
    if low <= beta <= high:
        X_A, X_B = _inside(D)
        return float(X_A), float(X_B)
    station = of_B if beta < low else of_A
    return float(beta / D[station, 0]), float((1 - beta) / D[station, 1])


def asymptotic_depletion_time(alpha: float, beta: float, D: ArrayLike) -> float:
    r"""Return the depletion time per task, T / N, for many tasks in execution and many more to do.

    .. math::
        \frac TN = \frac{\alpha}{X_A(1)} + \frac{1-\alpha}{X_B(0)}
        + \min\Bigl(\frac{\alpha}{X_A(\beta)}, \frac{1-\alpha}{X_B(\beta)}\Bigr)
        \Bigl(1 - \frac{X_A(\beta)}{X_A(1)} - \frac{X_B(\beta)}{X_B(0)}\Bigr) .

    Parameters
    ----------
    alpha, beta : float
        Pool mix, admitted mix.
    D : array of float, shape (2, 2)
        Demands, in units of time.

    Source: [CGPS16] Eq. (6), [CGPS16] Eq. (7), [CGPS16] Eq. (8), [CGPS16] Eq. (9), [CGPS16] Eq. (10).

    Examples
    --------
    >>> round(asymptotic_depletion_time(0.4, 0.6, [[0.75, 0.64], [0.48, 1.25]]), 4)
    0.942
    """
    alpha = checks.share("alpha", alpha)
    X_A, X_B = asymptotic_throughputs(beta, D)
    first = min(alpha / X_A if X_A else math.inf, (1 - alpha) / X_B if X_B else math.inf)
    alone_A, alone_B = asymptotic_throughputs(1.0, D)[0], asymptotic_throughputs(0.0, D)[1]
    return float(first + max(alpha - first * X_A, 0) / alone_A + max(1 - alpha - first * X_B, 0) / alone_B)


@dataclass(frozen=True)
class AdmittedMix:
    """Hold the best admitted mixes for a pool mix.

    Attributes
    ----------
    beta_plus : float
        With it both classes end at the same time; the equi-utilization point, where all of the sector does.
    low, high : float
        All mixes from low to high have the smallest asymptotic depletion time.
    """

    beta_plus: float
    low: float
    high: float


def optimal_admitted_mix(alpha: float, D: ArrayLike) -> AdmittedMix:
    r"""Return the admitted mixes that minimize the asymptotic depletion time.

    .. math:: \frac{X_A(\beta^+)}{X_B(\beta^+)} = \frac{N_A}{N_B}, \qquad
        \beta^+ = \frac{N_A D_{rA}}{N_A D_{rA} + N_B D_{rB}}

    on the side of the sector where station r is saturated.

    Parameters
    ----------
    alpha : float
        Pool mix.
    D : array of float, shape (2, 2)
        Demands, in units of time.

    Source: [CGPS16] Eq. (11), [CGPS16] Eq. (12), [CGPS16] Eq. (21).

    Examples
    --------
    >>> best = optimal_admitted_mix(0.8, [[0.75, 0.64], [0.48, 1.25]])
    >>> round(best.beta_plus, 4), round(best.low, 4), round(best.high, 4)
    (0.8242, 0.4645, 0.8242)
    """
    alpha, (D, of_A, of_B) = checks.share("alpha", alpha), _switching(D)
    low, high = saturation_sector(D)
    X_A, X_B = _inside(D)
    surplus = alpha * X_B - (1 - alpha) * X_A
    if abs(surplus) <= RATES_ALIKE * X_A * X_B / (X_A + X_B):
        return AdmittedMix(equi_utilization_point(D), low, high)
    if alpha in (0.0, 1.0):  # of one class only: whatever is reserved for the other is given to it
        return AdmittedMix(alpha, 0.0, 1.0)
    station = of_A if surplus > 0 else of_B
    work_A, work_B = alpha * D[station, 0], (1 - alpha) * D[station, 1]
    beta = float(work_A / (work_A + work_B))
    return AdmittedMix(beta, min(beta, low), max(beta, high))


def asymptotic_rules(alpha: float, D: ArrayLike) -> dict[str, float]:
    r"""Return admitted mixes that a scheduler may choose if it knows only the asymptotic results.

    They are ``corner``, the end :math:`\beta^+` of the interval; ``equi``, the point :math:`\beta^*` that needs no
    knowledge of the pool; ``halfway``, between these two; ``middle`` of the interval.

    All four are optimal when there are many tasks in execution and many more to do: they lie in the optimal interval.

    Arguments are those of :func:`optimal_admitted_mix`.

    Source: [CGPS16] Section 2, [CGPS16] Section 4.2, [CGPS16] Eq. (21).

    Examples
    --------
    >>> {name: round(beta, 3) for name, beta in asymptotic_rules(0.8, [[0.75, 0.64], [0.48, 1.25]]).items()}
    {'corner': 0.824, 'equi': 0.6, 'halfway': 0.712, 'middle': 0.644}
    """
    best, equi = optimal_admitted_mix(alpha, D), equi_utilization_point(D)
    return {
        "corner": best.beta_plus,
        "equi": equi,
        "halfway": (best.beta_plus + equi) / 2,
        "middle": (best.low + best.high) / 2,
    }


def equal_work_pool_mix(D: ArrayLike) -> float:
    r"""Return the pool mix that brings both stations the same work.

    .. math:: \alpha^* = \frac{X_A(\beta^*)}{X_A(\beta^*) + X_B(\beta^*)}, \qquad
        \alpha^* D_{1A} + (1 - \alpha^*) D_{1B} = \alpha^* D_{2A} + (1 - \alpha^*) D_{2B} .

    The asymptotic gain of a good admitted mix is largest there. Whether its depletion time is the smallest of all pools
    is another question: see :func:`optimal_pool_mix`.

    Source: [CGPS16] Eq. (13), [CGPS16] Eq. (14), [CGPS16] Eq. (15).

    >>> round(equal_work_pool_mix([[0.75, 0.64], [0.48, 1.25]]), 4)
    0.6932
    >>> round(equal_work_pool_mix([[0.5, 0.6], [0.4, 0.9]]), 4)
    0.75
    """
    D, _, _ = _switching(D)
    X_A, X_B = _inside(D)
    return float(X_A / (X_A + X_B))


def optimal_pool_mix(D: ArrayLike) -> float:
    r"""Return the pool mix with the smallest asymptotic depletion time, :func:`equal_work_pool_mix` where it is that.

    Raises
    ------
    ValueError
        If a pool of one class is depleted sooner. (The total throughput must be larger in the sector than with either
        class alone.)

    Source: [CGPS16] Eq. (13), [CGPS16] Eq. (14), [CGPS16] Eq. (15).

    Examples
    --------
    >>> round(optimal_pool_mix([[0.75, 0.64], [0.48, 1.25]]), 4)
    0.6932
    """
    D, _, _ = _switching(D)
    mixed, alone = 1 / float(_inside(D).sum()), D.max(axis=0)
    if alone.min() < mixed:
        corner = "A" if alone[0] < alone[1] else "B"
        raise ValueError(
            f"alpha* = {equal_work_pool_mix(D):.6g} is not an absolute minimum: a pool of class {corner} alone takes "
            f"{alone.min():.6g} a task, the mix {mixed:.6g}"
        )
    return equal_work_pool_mix(D)


def gain(worst: float, used: float) -> float:
    """Return by which part the worst depletion time exceeds the one used.

    Source: [CGPS16] Eq. (16), [CGPS16] Eq. (19).

    >>> gain(1.5, 1.0)
    0.5
    """
    worst, used = (float(checks.positive(name, x, ndim=0)) for name, x in (("worst", worst), ("used", used)))
    return (worst - used) / used


def scheduling_error(best: float, used: float) -> float:
    """Return by which part the depletion time used exceeds the best.

    Source: [CGPS16] Eq. (18).

    >>> scheduling_error(1.0, 1.25)
    0.25
    """
    best, used = (float(checks.positive(name, x, ndim=0)) for name, x in (("best", best), ("used", used)))
    return abs(best - used) / best
