r"""[CGPS16] A pool of tasks of two classes is worked off by two stations: how soon, and in which mix is it best?

**Notation**

=========================  ===========================================================================================
A, B                       the classes of tasks
:math:`D_{rc}`             service demand: mean work of a task of class c at station r, in units of time
:math:`N_A, N_B`           tasks to do; :math:`N = N_A + N_B`
:math:`K_A, K_B`           tasks in execution at the same time; :math:`K = K_A + K_B`
:math:`\alpha, \beta`      pool mix :math:`N_A / N`; admitted mix :math:`K_A / K`
:math:`X_A, X_B`           throughputs: completions of each class per unit of time
:math:`T`                  depletion time, until all tasks are done
=========================  ===========================================================================================

Each task is served by station 1, then by station 2, exponential times, all present sharing a station equally. A task
that is done is replaced by one of its class, if there is one left, else by one of the other class.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse, stats

from mjq import checks
from mjq.solvers import depletion_passes, mean_value

__all__ = [
    "AdmittedMix", "Depletion", "asymptotic_depletion_time", "asymptotic_rules", "asymptotic_throughputs",
    "best_policy", "count_states", "depletion", "energy", "equal_work_pool_mix", "equi_utilization_point", "gain",
    "large_pool_times", "mva_throughputs", "optimal_admitted_mix", "optimal_mix_by_mva", "optimal_pool_mix",
    "saturation_sector", "scheduling_error", "transitions", "transitions_when_completed", "whole_mix",
    "whole_mixes",
]  # fmt: skip

MOST_STATES = 1_000_000  # for the exact distribution of the depletion time
MOST_WORK = 1e10  # states times steps for it: about a minute
MOST_BYTES = 4e9  # for the passes over the states
MOST_VISITS = 3e11  # states of a pass: half an hour
DIAGONAL = 10_000  # states that take as long as what goes with each diagonal of the pool counts
TIE = 1e-12  # relative difference that counts as none: at the optimal pool mix the whole sector is optimal
SURE = 1e-14  # probability that may be missing when the last step of a distribution is taken


def _demands(D, stations=2):
    """Demands of two classes; `stations` None for any number of them."""
    D = checks.numbers("D", D, ndim=2)
    if D.shape[1] != 2 or stations not in (None, D.shape[0]):
        wanted = "two classes" if stations is None else "two stations and two classes"
        raise ValueError(f"D must have {wanted}, got shape {D.shape}")
    checks.positive("demands", D.ravel())
    return D


# --- Asymptotic: many tasks in execution, many more to do -----------------------------------------------------------


def _switching(D):
    """Demands, and the stations that are the bottleneck of class A alone and of class B alone, which must differ."""
    D = _demands(D)
    of_A, of_B = int(np.argmax(D[:, 0])), int(np.argmax(D[:, 1]))
    if of_A == of_B or D[0, 0] == D[1, 0] or D[0, 1] == D[1, 1]:
        raise ValueError(
            "no bottleneck switch: one station must have the larger demand of class A, the other that of class B, got "
            + checks.shown(D)
        )
    return D, of_A, of_B


def saturation_sector(D):
    r"""Admitted mixes that saturate both stations.

    .. math::
        \beta_L = D_{2A}\, \frac{D_{2B} - D_{1B}}{D_{1A} D_{2B} - D_{2A} D_{1B}}, \qquad
        \beta_U = D_{1A}\, \frac{D_{2B} - D_{1B}}{D_{1A} D_{2B} - D_{2A} D_{1B}} .

    Parameters
    ----------
    D : array of float, shape (2, 2)
        Demands, a row a station, a column a class.

    Returns
    -------
    (low, high)

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


def _inside(D):
    """Throughputs at which both stations are saturated."""
    return np.linalg.solve(D, np.ones(2))


def equi_utilization_point(D):
    r"""The admitted mix with which both stations are equally busy, whatever the number of tasks.

    .. math:: \beta^* = \frac{\log (D_{2B} / D_{1B})}{\log \bigl( D_{1A} D_{2B} / (D_{1B} D_{2A}) \bigr)} .

    Source: [CGPS16] Eq. (2).

    Examples
    --------
    >>> round(equi_utilization_point([[0.75, 0.64], [0.48, 1.25]]), 9)
    0.6
    """
    D, _, _ = _switching(D)
    return float(math.log(D[1, 1] / D[0, 1]) / math.log(D[0, 0] * D[1, 1] / (D[0, 1] * D[1, 0])))


def asymptotic_throughputs(beta, D):
    r"""Throughputs of both classes with many tasks in execution.

    .. math:: X_A = \frac{\beta}{D_{rA}}, \qquad X_B = \frac{1 - \beta}{D_{rB}}

    outside of the saturation sector, with r the saturated station; inside they are those of its edges.

    Parameters
    ----------
    beta : float
        Admitted mix.
    D : array of float, shape (2, 2)

    Returns
    -------
    (X_A, X_B)

    Source: [CGPS16] Eqs. (4), (5).

    Examples
    --------
    >>> [round(x, 4) for x in asymptotic_throughputs(0.6, [[0.75, 0.64], [0.48, 1.25]])]
    [0.9678, 0.4284]
    """
    beta, (D, of_A, of_B) = checks.share("beta", beta), _switching(D)
    low, high = saturation_sector(D)
    if low <= beta <= high:
        return tuple(map(float, _inside(D)))
    station = of_B if beta < low else of_A
    return float(beta / D[station, 0]), float((1 - beta) / D[station, 1])


def asymptotic_depletion_time(alpha, beta, D):
    r"""Depletion time for each task, T / N, when there are many tasks in execution and many more to do.

    .. math::
        \frac TN = \frac{\alpha}{X_A(1)} + \frac{1-\alpha}{X_B(0)}
        + \min\Bigl(\frac{\alpha}{X_A(\beta)}, \frac{1-\alpha}{X_B(\beta)}\Bigr)
        \Bigl(1 - \frac{X_A(\beta)}{X_A(1)} - \frac{X_B(\beta)}{X_B(0)}\Bigr) .

    Parameters
    ----------
    alpha, beta : float
        Pool mix, admitted mix.
    D : array of float, shape (2, 2)

    Source: [CGPS16] Eqs. (6)-(10).

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
    """The best admitted mixes for a pool mix.

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


def optimal_admitted_mix(alpha, D):
    r"""The admitted mixes that minimize the asymptotic depletion time.

    .. math:: \frac{X_A(\beta^+)}{X_B(\beta^+)} = \frac{N_A}{N_B}, \qquad
        \beta^+ = \frac{N_A D_{rA}}{N_A D_{rA} + N_B D_{rB}}

    on the side of the sector where station r is saturated.

    Parameters
    ----------
    alpha : float
        Pool mix.
    D : array of float, shape (2, 2)

    Returns
    -------
    AdmittedMix

    Source: [CGPS16] Eqs. (11), (12), (21).

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
    if abs(surplus) <= TIE * X_A * X_B / (X_A + X_B):
        return AdmittedMix(equi_utilization_point(D), low, high)
    if alpha in (0.0, 1.0):  # of one class only: whatever is reserved for the other is given to it
        return AdmittedMix(alpha, 0.0, 1.0)
    station = of_A if surplus > 0 else of_B
    work_A, work_B = alpha * D[station, 0], (1 - alpha) * D[station, 1]
    beta = float(work_A / (work_A + work_B))
    return AdmittedMix(beta, min(beta, low), max(beta, high))


def asymptotic_rules(alpha, D):
    r"""Admitted mixes that a scheduler may choose if it knows the asymptotic results only.

    All four are optimal when there are many tasks in execution and many more to do: they lie in the optimal interval.

    Parameters
    ----------
    alpha : float
        Pool mix.
    D : array of float, shape (2, 2)

    Returns
    -------
    dict
        ``corner``, the end :math:`\beta^+` of the interval; ``equi``, the point :math:`\beta^*` that needs no
        knowledge of the pool; ``halfway``, between these two; ``middle`` of the interval.

    Source: [CGPS16] Sections 2, 4.2 and Eq. (21).

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


def equal_work_pool_mix(D):
    r"""The pool mix that brings both stations the same work.

    .. math:: \alpha^* = \frac{X_A(\beta^*)}{X_A(\beta^*) + X_B(\beta^*)}, \qquad
        \alpha^* D_{1A} + (1 - \alpha^*) D_{1B} = \alpha^* D_{2A} + (1 - \alpha^*) D_{2B} .

    The asymptotic gain of a good admitted mix is largest there. Whether its depletion time is the smallest of all pools
    is another question: see :func:`optimal_pool_mix`.

    Source: [CGPS16] Eqs. (13)-(15).

    Examples
    --------
    >>> round(equal_work_pool_mix([[0.75, 0.64], [0.48, 1.25]]), 4)
    0.6932
    >>> round(equal_work_pool_mix([[0.5, 0.6], [0.4, 0.9]]), 4)
    0.75
    """
    D, _, _ = _switching(D)
    X_A, X_B = _inside(D)
    return float(X_A / (X_A + X_B))


def optimal_pool_mix(D):
    r"""The pool mix with the smallest asymptotic depletion time of all: :func:`equal_work_pool_mix`, if it is that.

    Raises
    ------
    ValueError
        If a pool of one class is depleted sooner. (The total throughput must be larger in the sector than with either
        class alone.)

    Source: [CGPS16] Eqs. (13)-(15).

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
            f"alpha* = {equal_work_pool_mix(D):.6g} is no absolute minimum: a pool of class {corner} alone takes "
            f"{alone.min():.6g} a task, the mix {mixed:.6g}"
        )
    return equal_work_pool_mix(D)


def gain(worst, used):
    """By which part the worst depletion time exceeds the one used.

    Source: [CGPS16] Eqs. (16), (19).

    >>> gain(1.5, 1.0)
    0.5
    """
    worst, used = (float(checks.positive(name, x, ndim=0)) for name, x in (("worst", worst), ("used", used)))
    return (worst - used) / used


def scheduling_error(best, used):
    """By which part the depletion time used exceeds the best.

    Source: [CGPS16] Eq. (18).

    >>> scheduling_error(1.0, 1.25)
    0.25
    """
    best, used = (float(checks.positive(name, x, ndim=0)) for name, x in (("best", best), ("used", used)))
    return abs(best - used) / best


# --- Finitely many tasks in execution ---------------------------------------------------------------------------------


def mva_throughputs(D, K_A, K_B):
    """Throughputs of the closed network with so many tasks of each class.

    Parameters
    ----------
    D : array of float, shape (2, 2)
    K_A, K_B : int

    Returns
    -------
    (X_A, X_B)

    Source: [CGPS16] Algorithm 1, lines 1-15: mean value analysis.

    Examples
    --------
    >>> [round(x, 6) for x in mva_throughputs([[0.75, 0.64], [0.48, 1.25]], 3, 2)]
    [0.825482, 0.365377]
    """
    found = mean_value.throughputs(_demands(D), (checks.count("K_A", K_A, 0), checks.count("K_B", K_B, 0)))
    return float(found[0]), float(found[1])


def whole_mixes(N_A, N_B, K):
    """The numbers of class A tasks that may be admitted: all for which there are tasks enough to fill the places.

    Parameters
    ----------
    N_A, N_B, K : int

    Returns
    -------
    range

    Raises
    ------
    ValueError
        If there are fewer tasks than places.

    Examples
    --------
    >>> whole_mixes(70, 3, 5)
    range(2, 6)
    """
    N_A, N_B, K = _tasks_and_places(N_A, N_B, K)
    return range(max(0, K - N_B), min(K, N_A) + 1)


def _tasks_and_places(N_A, N_B, K):
    N_A, N_B, K = checks.count("N_A", N_A, 0), checks.count("N_B", N_B, 0), checks.count("K", K)
    if N_A + N_B < K:
        raise ValueError(f"K = {K} places need as many tasks, got {N_A + N_B}")
    return N_A, N_B, K


def optimal_mix_by_mva(D, N_A, N_B, K):
    """The number of class A tasks to admit with which both classes end at the same time, as nearly as possible.

    It looks at all mixes for which there are tasks enough. Where a class with tasks to do is not admitted its
    throughput is zero, and both cannot end together: such a mix is not taken.

    Parameters
    ----------
    D : array of float, shape (2, 2)
    N_A, N_B, K : int

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If there are fewer tasks than places, or no mix has both classes in execution.

    Source: [CGPS16] Algorithm 1, with its indices guarded.

    Examples
    --------
    >>> optimal_mix_by_mva([[0.75, 0.64], [0.48, 1.25]], 70, 30, 10)
    6
    """
    D, (N_A, N_B, K) = _demands(D), _tasks_and_places(N_A, N_B, K)
    possible = whole_mixes(N_A, N_B, K)
    X_A, X_B = mean_value.along_mixes(D, K)
    with np.errstate(divide="ignore", invalid="ignore"):
        ends_A, ends_B = np.where(N_A > 0, N_A / X_A, 0.0), np.where(N_B > 0, N_B / X_B, 0.0)
        apart = np.abs(ends_A - ends_B)
    apart = np.where(np.isfinite(apart), apart, np.inf)[possible.start : possible.stop]
    if not np.isfinite(apart).any():
        raise ValueError(f"with K = {K}, N_A = {N_A}, N_B = {N_B} no mix has both classes in execution")
    return possible[int(np.argmin(apart))]


def whole_mix(beta, N_A, N_B, K, rounding="nearest"):
    """The number of class A tasks to admit for a wanted mix, of those for which there are tasks enough.

    Parameters
    ----------
    beta : float
        Wanted admitted mix.
    N_A, N_B, K : int
    rounding : {"nearest", "down", "up"}

    Returns
    -------
    int

    Examples
    --------
    >>> [whole_mix(0.72, 70, 30, 10, rounding) for rounding in ("nearest", "down", "up")]
    [7, 7, 8]
    >>> whole_mix(0.72, 70, 2, 10)
    8
    """
    beta, possible = checks.share("beta", beta), whole_mixes(N_A, N_B, K)
    wanted = round(float(beta) * int(K), 9)  # 0.6 of 10 places are 6, whatever binary fractions say
    whole = {"nearest": math.floor(wanted + 0.5), "down": math.floor(wanted), "up": math.ceil(wanted)}[rounding]
    return min(max(whole, possible[0]), possible[-1])


def large_pool_times(alpha, D, K):
    """Depletion time for each task, T / N, of a pool that is much larger than K, for each admitted mix.

    Eq. (10) with the throughputs of K tasks in execution instead of those of infinitely many: the exact limit for
    N to infinity.

    Parameters
    ----------
    alpha : float
        Pool mix.
    D : array of float, shape (M, 2)
        Demands; any number of stations.
    K : int

    Returns
    -------
    float array, shape (K + 1,)
        For 0, 1, ..., K tasks of class A admitted.

    Source: [CGPS16] Eq. (10), Algorithm 1.

    Examples
    --------
    >>> large_pool_times(0.6, [[0.75, 0.64], [0.48, 1.25]], 5).round(4).tolist()
    [0.9784, 0.9385, 0.8967, 0.8979, 0.9359, 0.9784]
    """
    alpha, K, D = checks.share("alpha", alpha), checks.count("K", K), _demands(D, stations=None)
    X_A, X_B = mean_value.along_mixes(D, K)
    with np.errstate(divide="ignore", invalid="ignore"):
        ends_A = np.where(X_A > 0, alpha / X_A, np.inf)
        ends_B = np.where(X_B > 0, (1 - alpha) / X_B, np.inf)
    first = np.minimum(ends_A, ends_B)
    left_A, left_B = alpha - first * X_A, 1 - alpha - first * X_B
    return first + np.maximum(left_A, 0) / X_A[-1] + np.maximum(left_B, 0) / X_B[0]


# --- The chain --------------------------------------------------------------------------------------------------------


def transitions(state, D):
    """The system as a Markov chain, from the words of the paper.

    Parameters
    ----------
    state : tuple
        Tasks of class A and B in the pool; of class A at station 1 and 2; of class B at station 1 and 2.
    D : array, shape (2, 2)
        Demands, numbers or symbols.

    Yields
    ------
    (next_state, rate)

    Source: [CGPS16] Sections 3, 5.2.

    Examples
    --------
    The last task of class A leaves station 2, and the pool has one of class B:

    >>> list(transitions((0, 1, 0, 1, 0, 0), [[2.0, 2.0], [0.5, 0.5]]))
    [((0, 0, 0, 0, 1, 0), 2.0)]
    """
    pool_A, pool_B, a1, a2, b1, b2 = state
    if a1:
        yield (pool_A, pool_B, a1 - 1, a2 + 1, b1, b2), a1 / ((a1 + b1) * D[0][0])
    if b1:
        yield (pool_A, pool_B, a1, a2, b1 - 1, b2 + 1), b1 / ((a1 + b1) * D[0][1])
    if a2:
        yield _replaced(pool_A, pool_B, a1, a2 - 1, b1, b2, "A"), a2 / ((a2 + b2) * D[1][0])
    if b2:
        yield _replaced(pool_A, pool_B, a1, a2, b1, b2 - 1, "B"), b2 / ((a2 + b2) * D[1][1])


def _replaced(pool_A, pool_B, a1, a2, b1, b2, leaving):
    """A task of the class that left enters, else one of the other class, else none."""
    if pool_A and (leaving == "A" or not pool_B):
        return pool_A - 1, pool_B, a1 + 1, a2, b1, b2
    if pool_B:
        return pool_A, pool_B - 1, a1, a2, b1 + 1, b2
    return pool_A, pool_B, a1, a2, b1, b2


def transitions_when_completed(state, D, K):
    """The system if Section 3 is taken to the letter: a class waits until all tasks of the other are completed.

    While the last tasks of an exhausted class are in execution, the places that they leave stay empty. When the last
    one is completed, the other class fills all of the K places at once.

    Parameters
    ----------
    state, D
        As for :func:`transitions`.
    K : int
        Places.

    Yields
    ------
    (next_state, rate)

    Source: [CGPS16] Section 3.

    Examples
    --------
    The last but one task of class A leaves station 2, and nobody enters; the last one, and both tasks of class B do:

    >>> D = [[2.0, 2.0], [0.5, 0.5]]
    >>> list(transitions_when_completed((0, 2, 0, 2, 0, 0), D, 2))
    [((0, 2, 0, 1, 0, 0), 2.0)]
    >>> list(transitions_when_completed((0, 2, 0, 1, 0, 0), D, 2))
    [((0, 0, 0, 0, 2, 0), 2.0)]
    """
    pool_A, pool_B, a1, a2, b1, b2 = state
    for to, rate in transitions(state, D):
        left_A, left_B = a1 + a2 > to[2] + to[3], b1 + b2 > to[4] + to[5]
        if not pool_A and left_A:  # one by one a task of class B would enter
            entering = min(pool_B, K - b1 - b2) if a1 + a2 == 1 else 0
            yield (pool_A, pool_B - entering, a1, a2 - 1, b1 + entering, b2), rate
        elif not pool_B and left_B:
            entering = min(pool_A, K - a1 - a2) if b1 + b2 == 1 else 0
            yield (pool_A - entering, pool_B, a1 + entering, a2, b1, b2 - 1), rate
        else:
            yield to, rate


def _pool(N_A, N_B, K_A, K_B):
    counts = {"N_A": N_A, "N_B": N_B, "K_A": K_A, "K_B": K_B}
    N_A, N_B, K_A, K_B = (checks.count(name, x, 0) for name, x in counts.items())
    for c, N, K in (("A", N_A, K_A), ("B", N_B, K_B)):
        if N < K:
            raise ValueError(f"N_{c} = {N} is less than K_{c} = {K}: there must be a task for each place")
    if K_A + K_B == 0:
        raise ValueError("K_A + K_B must be at least 1")
    return N_A, N_B, K_A, K_B


@dataclass(frozen=True)
class Depletion:
    """Mean instants on the way to depletion, exact.

    Attributes
    ----------
    T : float
        Depletion time.
    T_tau0 : float
        First completion of a task.
    T_phi1 : float
        First completion of a task that is not replaced by one of its own class.
    T_tau12 : float
        From then on, the last task of the exhausted class leaves; or `T_phi2`, if that is earlier.
    T_phi2 : float
        First completion of a task that is not replaced at all.
    variance : float
        Of the depletion time.
    """

    T: float
    T_tau0: float
    T_phi1: float
    T_tau12: float
    T_phi2: float
    variance: float
    system: tuple

    @property
    def lengths(self):
        """Mean lengths of the five phases, whose sum is T, by name."""
        marks = np.array([0.0, self.T_tau0, self.T_phi1, self.T_tau12, self.T_phi2, self.T])
        return dict(zip(("tau0", "phi1", "tau12", "phi2", "phi3"), np.diff(marks).tolist()))

    def cdf(self, t):
        """Probability that all is done by time t, exact, for a number or an array of times.

        Raises
        ------
        ValueError
            If the chain has more than a million states, or its rates are so far apart that too many steps would be
            needed. Then :meth:`gamma_cdf` is an approximation.
        """
        times = np.asarray(t, dtype=float)
        if np.isnan(times).any():
            raise ValueError("times must be numbers, got nan")
        rate, done = self._steps
        moves = rate * np.clip(times, 0, len(done) * 1e6 / rate)
        chances = stats.poisson.pmf(np.arange(len(done)), moves[..., None]) @ done
        return np.clip(chances + stats.poisson.sf(len(done) - 1, moves), 0, 1)

    def gamma_cdf(self, t):
        """The gamma distribution with the mean and variance of the depletion time: an approximation of any size."""
        shape = self.T**2 / self.variance
        return stats.gamma.cdf(np.asarray(t, dtype=float), shape, scale=self.T / shape)

    @cached_property
    def _steps(self):
        """Uniformization: its rate, and the probability to be done after each number of steps."""
        D, *pool = self.system
        number = count_states(*pool)
        if number > MOST_STATES:
            raise ValueError(f"the chain has {number} states, more than {MOST_STATES}: use gamma_cdf")
        steps = (1 / min(D[0]) + 1 / min(D[1])) * (self.T + 10 * math.sqrt(self.variance))
        if steps * number > MOST_WORK:
            raise ValueError(f"{steps:.3g} steps of a chain of {number} states are too many: use gamma_cdf")
        Q, start = depletion_passes.generator(np.array(D), *pool)
        rate = float(-Q.diagonal().min())
        step = (Q / rate + sparse.eye_array(Q.shape[0])).T.tocsr()
        p, done = np.zeros(Q.shape[0]), [0.0]
        p[start] = 1.0
        while done[-1] < 1 - SURE:
            p = step @ p
            done.append(max(done[-1], 1 - float(p.sum())))
            if len(done) > 100 and done[-1] == done[-100] and done[-1] > 0.5:
                break  # rounding leaves no more to come
        return rate, np.array(done)


def count_states(N_A, N_B, K_A, K_B):
    """Number of states of the chain from which some task is still to be done.

    >>> count_states(70, 30, 6, 4)
    71670
    """
    return depletion_passes.count_states(*_pool(N_A, N_B, K_A, K_B))


def depletion(D, N_A, N_B, K_A, K_B):
    """Exact mean depletion time, phases and variance.

    Every transition is a step towards the end, so one pass over the states, in the order in which they can follow each
    other, gives the probability to visit each of them. Only two diagonals of the pool counts are kept.

    Parameters
    ----------
    D : array of float, shape (2, 2)
    N_A, N_B : int
        Tasks to do, including those that are admitted at once.
    K_A, K_B : int
        Tasks of each class in execution at the start.

    Returns
    -------
    Depletion

    Raises
    ------
    ValueError
        If a demand is not positive, there are fewer tasks than places of a class, or it would take more than 4 GB or
        half an hour.

    Source: [CGPS16] Sections 3, 5.2.

    Examples
    --------
    >>> found = depletion([[0.75, 0.64], [0.48, 1.25]], 70, 30, 5, 5)
    >>> round(found.T, 7), round(found.T_phi1, 3)
    (79.7408033, 56.248)
    """
    D, pool = _demands(D), _pool(N_A, N_B, K_A, K_B)
    N_A, N_B, K_A, K_B = pool
    _require_memory(
        104 * math.comb(K_A + K_B + 3, 3) + 32 * (min(N_A - K_A, N_B - K_B) + 1) * (K_A + 1) * (K_B + 1), K_A + K_B
    )
    visits = depletion_passes.count_states(*pool) + DIAGONAL * (N_A + N_B)
    checks.affordable(f"N_A = {N_A}, N_B = {N_B}, K_A = {K_A}, K_B = {K_B}", visits, MOST_VISITS, "states")
    system = (tuple(map(tuple, D.tolist())), *pool)
    return Depletion(*map(float, depletion_passes.means(D, *pool)), system)


def _require_memory(needed, K):
    if needed > MOST_BYTES:
        raise ValueError(f"K = {K} takes {needed / 1e9:.3g} GB, more than {MOST_BYTES / 1e9:g}")


def energy(D, N_A, N_B, T, busy, idle):
    r"""Mean energy until depletion, of stations that take one power when busy and another when idle.

    .. math:: E = \sum_r \bigl( P^{\text{busy}}_r W_r + P^{\text{idle}}_r (T - W_r) \bigr), \qquad
        W_r = N_A D_{rA} + N_B D_{rB} .

    Parameters
    ----------
    D : array of float, shape (2, 2)
    N_A, N_B : int
    T : float
        Mean depletion time.
    busy, idle : sequence of float, shape (2,)
        Power of each station.

    Raises
    ------
    ValueError
        If a number is negative, or T is less than the work of a station.

    Examples
    --------
    >>> energy([[0.75, 0.64], [0.48, 1.25]], 70, 30, 80.0, (100, 100), (0, 0))
    14280.0
    """
    work = _demands(D) @ (checks.count("N_A", N_A, 0), checks.count("N_B", N_B, 0))
    busy, idle = checks.not_negative("busy", busy), checks.not_negative("idle", idle)
    T = float(checks.positive("T", T, ndim=0))
    if len(busy) != 2 or len(idle) != 2:
        raise ValueError(
            f"busy and idle must have one entry a station, got {checks.shown(busy)} and {checks.shown(idle)}"
        )
    if (work > T * (1 + 1e-9)).any():
        raise ValueError(f"T = {T:g} is less than the work of a station, {checks.shown(work)}")
    return float(busy @ work + idle @ (T - work))


def best_policy(D, N_A, N_B, K):
    """Smallest mean depletion time of all policies that fill each place at once and choose which class enters.

    A policy that may leave a place empty, to keep the tasks in execution from getting in each other's way, can do
    better still.

    Parameters
    ----------
    D : array of float, shape (2, 2)
    N_A, N_B, K : int

    Returns
    -------
    float array, shape (K + 1,)
        For each number of class A tasks admitted at the start; infinite where there are not so many.

    Raises
    ------
    ValueError
        If there are fewer tasks than places, or it would take more than 4 GB or half an hour.
    """
    D, (N_A, N_B, K) = _demands(D), _tasks_and_places(N_A, N_B, K)
    _require_memory(16 * math.comb(K + 3, 3) * (min(N_A, N_B) + 5), K)
    visits = (math.comb(K + 3, 3) + DIAGONAL) * (N_A + 1) * (N_B + 1)
    checks.affordable(f"N_A = {N_A}, N_B = {N_B}, K = {K}", visits, MOST_VISITS, "states")
    return depletion_passes.best_policy(D, N_A, N_B, K)
