"""[CGPS16] The depletion time, exact: its phases, variance and distribution; the best policy of all; the energy.

The chain of the pool never comes back to a state. So :mod:`mjq.models.pool_depletion.passes` gets all of these from one
pass over the states, without solving equations:

* means and variance from a pass forwards, with the probability to visit each state and the mean time of leaving it;
* the least mean time over all policies that fill each place at once, from a pass backwards, in which each completion
  takes the better of the two classes to enter (dynamic programming).

The distribution of the depletion time follows the chain in time (:mod:`mjq.solvers.transient`), for at most a million
states. For larger pools :meth:`Depletion.gamma_cdf` is an approximation with the exact mean and variance. The energy
needs the mean time alone: a station is busy for the work that it has to do.

**Cost.** That of the passes; more than 4 GB or about half an hour is refused beforehand.

**Accuracy.** Tests solve the chain of small pools by its definition: the mean agrees to 11 digits and the variance
to 9. The least mean time agrees with the enumeration of all choices to 12 digits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from mjq._util import checks
from mjq.models.pool_depletion import passes
from mjq.models.pool_depletion.rule import checked_demands, checked_places, checked_pool
from mjq.solvers.transient import Transient

MOST_STATES = 1_000_000  # for the exact distribution of the depletion time
MOST_WORK = 1e10  # states times steps for it: about a minute
DEVIATIONS = 10  # standard deviations beyond the mean up to which steps are counted for that
MOST_BYTES = 4e9  # for the passes over the states
MOST_VISITS = 3e11  # states of a pass: half an hour
DIAGONAL_STATES = 10_000  # that take as long as what goes with each diagonal of the pool counts
TOLD_APART = 1e-11  # relative difference of two depletion times that is no rounding
MIXES_TRIED_FIRST = 4  # evenly spaced; then those between that may be better
WORK_ROUNDING = 1e-9  # by which part the work of a station may exceed the depletion time


@dataclass(frozen=True)
class Depletion:
    """Hold the exact mean instants on the way to depletion, in the unit of time of the demands.

    Attributes
    ----------
    mean_time : float
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
    system : tuple
        ``D, N_A, N_B, K_A, K_B``.
    """

    mean_time: float
    T_tau0: float
    T_phi1: float
    T_tau12: float
    T_phi2: float
    variance: float
    system: tuple

    @property
    def lengths(self) -> dict[str, float]:
        """Return the mean lengths of the five phases, whose sum is the depletion time, by name."""
        marks = np.array([0.0, self.T_tau0, self.T_phi1, self.T_tau12, self.T_phi2, self.mean_time])
        return dict(zip(("tau0", "phi1", "tau12", "phi2", "phi3"), np.diff(marks).tolist(), strict=True))

    def cdf(self, t: ArrayLike) -> np.ndarray:
        """Return the exact probability that all is done by time t, for a number or an array of times.

        Raises
        ------
        ValueError
            If the chain has more than a million states, or its rates are so far apart that too many steps would be
            needed. Then :meth:`gamma_cdf` is an approximation.
        """
        times = np.asarray(t, dtype=float)
        if np.isnan(times).any():
            raise ValueError("times must be numbers, got nan")
        ended = self._transient.at(np.where(np.isinf(times), 0, np.maximum(times, 0)).ravel()).reshape(times.shape)
        return np.where(times == np.inf, 1.0, ended.clip(0, 1))

    def gamma_cdf(self, t: ArrayLike) -> np.ndarray:
        """Return the gamma distribution with the mean and variance of the depletion time, as an approximation."""
        shape = self.mean_time**2 / self.variance
        return special.gammainc(shape, np.maximum(t, 0) / (self.mean_time / shape))

    @cached_property
    def _transient(self):
        """Return the chain, and the chance that it has ended."""
        D, N_A, N_B, K_A, K_B = self.system
        number = count_states(N_A, N_B, K_A, K_B)
        if number > MOST_STATES:
            raise ValueError(f"the chain has {number} states, more than {MOST_STATES}: use gamma_cdf")
        steps = (1 / min(D[0]) + 1 / min(D[1])) * (self.mean_time + DEVIATIONS * math.sqrt(self.variance))
        if steps * number > MOST_WORK:
            raise ValueError(f"{steps:.3g} steps of a chain of {number} states are too many: use gamma_cdf")
        Q, start = passes.generator(np.array(D), (N_A, N_B), (K_A, K_B))
        states = np.arange(number + 1)
        return Transient(states == start, Q, (states == number).astype(float)[:, None])


def count_states(N_A: int, N_B: int, K_A: int, K_B: int) -> int:
    """Count the states of the chain from which some task is still to be done.

    >>> count_states(70, 30, 6, 4)
    71670
    """
    N_A, N_B, K_A, K_B = checked_pool(N_A, N_B, K_A, K_B)
    return passes.count_states((N_A, N_B), (K_A, K_B))


def depletion(D: ArrayLike, N_A: int, N_B: int, K_A: int, K_B: int) -> Depletion:
    """Return the exact mean depletion time, phases and variance.

    Every transition is a step towards the end, so one pass over the states, in the order in which they can follow each
    other, gives the probability to visit each of them. Only two diagonals of the pool counts are kept.

    Parameters
    ----------
    D : array of float, shape (2, 2)
        Demands, in units of time.
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

    Source: [CGPS16] Section 3, [CGPS16] Section 5.2.

    Examples
    --------
    >>> means = depletion([[0.75, 0.64], [0.48, 1.25]], 70, 30, 5, 5)
    >>> round(means.mean_time, 7), round(means.T_phi1, 3)
    (79.7408033, 56.248)
    """
    D, (N_A, N_B, K_A, K_B) = checked_demands(D), checked_pool(N_A, N_B, K_A, K_B)
    _require_affordable(N_A, N_B, K_A, K_B)
    system = tuple(map(tuple, D.tolist())), N_A, N_B, K_A, K_B
    means = passes.means(D, (N_A, N_B), (K_A, K_B))
    return Depletion(
        mean_time=float(means.end),
        T_tau0=float(means.first_done),
        T_phi1=float(means.phase_1),
        T_tau12=float(means.exhausted_left),
        T_phi2=float(means.phase_2),
        variance=float(means.variance),
        system=system,
    )


def _require_affordable(N_A, N_B, K_A, K_B):
    _require_memory(
        104 * math.comb(K_A + K_B + 3, 3) + 32 * (min(N_A - K_A, N_B - K_B) + 1) * (K_A + 1) * (K_B + 1), K_A + K_B
    )
    visits = passes.count_states((N_A, N_B), (K_A, K_B)) + DIAGONAL_STATES * (N_A + N_B)
    checks.affordable(f"N_A = {N_A}, N_B = {N_B}, K_A = {K_A}, K_B = {K_B}", visits, MOST_VISITS, "states")


def _require_memory(needed, K):
    if needed > MOST_BYTES:
        raise ValueError(f"K = {K} would need {needed / 1e9:.3g} GB; the limit is {MOST_BYTES / 1e9:g} GB")


def energy(D: ArrayLike, N_A: int, N_B: int, T: float, busy: ArrayLike, idle: ArrayLike) -> float:
    r"""Return the mean energy until depletion, of stations that take one power when busy and another when idle.

    .. math:: E = \sum_r \bigl( P^{\text{busy}}_r W_r + P^{\text{idle}}_r (T - W_r) \bigr), \qquad
        W_r = N_A D_{rA} + N_B D_{rB} .

    Parameters
    ----------
    D : array of float, shape (2, 2)
        Demands, in units of time.
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
    work = checked_demands(D) @ (checks.count("N_A", N_A, 0), checks.count("N_B", N_B, 0))
    busy, idle = checks.not_negative("busy", busy), checks.not_negative("idle", idle)
    T = float(checks.positive("T", T, ndim=0))
    if len(busy) != 2 or len(idle) != 2:
        raise ValueError(
            f"busy and idle must have one entry for each station, got {checks.shown(busy)} and {checks.shown(idle)}"
        )
    if (work > T * (1 + WORK_ROUNDING)).any():
        raise ValueError(f"T = {T:g} is less than the work of a station, {checks.shown(work)}")
    return float(busy @ work + idle @ (T - work))


def best_mix(D: ArrayLike, N_A: int, N_B: int, K: int) -> int:
    """Return the number of class A tasks to admit at the start for the shortest mean depletion time.

    The more tasks of class A are admitted, the shorter is the time in most pools, and from the best mix on the longer.
    So some mixes are tried, and then those halfway between the best of them and its neighbours. Where the times of
    those that were tried do not fall first and rise then, all others are solved, too. Then :func:`depletion` solves
    those once more that cannot be told apart.

    Parameters
    ----------
    D, N_A, N_B
        As for :func:`depletion`, also what is refused.
    K : int
        Tasks in execution.

    Source: [CGPS16] Section 5.2.

    Examples
    --------
    >>> best_mix([[0.75, 0.64], [0.48, 1.25]], 70, 30, 10)
    5
    """
    D, (N_A, N_B, K) = checked_demands(D), checked_places(N_A, N_B, K)

    def solved(k):
        return depletion(D, N_A, N_B, k, K - k).mean_time

    mixes = range(max(0, K - N_B), min(K, N_A) + 1)
    _require_affordable(N_A, N_B, mixes[len(mixes) // 2], K - mixes[len(mixes) // 2])
    small = 8 * math.comb(K + 3, 3) * (N_A + N_B) < MOST_BYTES
    time_of = cache(passes.MeanTimes(D, (N_A, N_B), K) if small else solved)
    first, last = mixes[0], mixes[-1]
    tried = {first, min(first + 1, last), max(last - 1, first), last}
    tried |= set(np.linspace(first, last, MIXES_TRIED_FIRST).astype(int).tolist())
    while True:
        order = sorted(tried)
        at = min(range(len(order)), key=lambda k: time_of(order[k]))
        between = {(a + b) // 2 for a, b in pairwise(order[max(0, at - 1) : at + 2])} - tried
        if not between:
            break
        tried |= between
    times = np.array([time_of(k) for k in order])
    rising = np.diff(times) / times.min()
    as_expected = (rising[:at] < -TOLD_APART).all() and (rising[at:] > TOLD_APART).all()
    if as_expected:
        return order[at]
    least = min(map(time_of, mixes))
    return min((k for k in mixes if time_of(k) <= least * (1 + TOLD_APART)), key=solved)


def best_policy(D: ArrayLike, N_A: int, N_B: int, K: int) -> np.ndarray:
    """Return the least mean depletion time of all policies that fill each place at once and choose who enters.

    A policy that may leave a place empty, to keep the tasks in execution from getting in each other's way, can do
    better still.

    Parameters
    ----------
    D : array of float, shape (2, 2)
        Demands, in units of time.
    N_A, N_B, K : int

    Returns
    -------
    float array, shape (K + 1,)
        For each number of class A tasks admitted at the start; infinite where there are not that many.

    Raises
    ------
    ValueError
        If there are fewer tasks than places, or it would take more than 4 GB or half an hour.
    """
    D, (N_A, N_B, K) = checked_demands(D), checked_places(N_A, N_B, K)
    _require_memory(16 * math.comb(K + 3, 3) * (min(N_A, N_B) + 5), K)
    visits = (math.comb(K + 3, 3) + DIAGONAL_STATES) * (N_A + 1) * (N_B + 1)
    checks.affordable(f"N_A = {N_A}, N_B = {N_B}, K = {K}", visits, MOST_VISITS, "states")
    return passes.best_policy(D, (N_A, N_B), K)
