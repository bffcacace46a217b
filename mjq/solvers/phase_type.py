r"""Phase-type distributions: the time until a small Markov chain is left.

The chain starts in phase i with probability :math:`\alpha_i`, moves between phases and out of them by the subgenerator
`T`, and the distribution is that of the time until it leaves:

.. math:: P(X > t) = \alpha e^{T t} \mathbf 1, \qquad E[X^k] = k!\, \alpha (-T)^{-k} \mathbf 1 .

**How it is computed**

1. A moment of order k takes k solutions of equations with `-T`, which is factorized once; above 1000 phases without its
   zeros.
2. The distribution function and the tail are those of a chain with one state more, for having left, after some time
   (:mod:`mjq.solvers.transient`). Each is its own sum of positive numbers: neither is computed as 1 less the other.
3. A quantile is bracketed between a time and its double, by doubling and halving the mean; Brent's method does the
   rest.
4. Samples follow the chain, all at once: each draws an exponential time in its phase and the next phase, until it has
   left.

The functions that follow the class fit a mean and a squared coefficient of variation (scv) with few phases:
:func:`coxian` from scv 1/2 on, :func:`mixed_erlang` up to 1, :func:`hyperexponential` from 1 on.

**Cost.** With `P` phases a moment takes time :math:`P^3` once, then :math:`P^2`; the distribution function that of
:mod:`mjq.solvers.transient`; a quantile one or two dozen distribution functions; a sample one draw of a time and of a
next phase for each phase on its way.

**Accuracy.** A test compares distribution function and tail with 50-digit arithmetic, for four phases with rates up to
nine orders of magnitude apart: both have 12 right digits from a millionth of the mean to twenty times the mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
import scipy
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq._util.frozen import ReadOnly, frozen
from mjq.solvers.transient import Transient

MOST_PHASES = 1000  # of an Erlang distribution
SPARSE_PHASES = 1000  # from which on equations are solved without their zeros
ROW_ROUNDING = 1e-13  # what row sums of T may exceed zero by, as a fraction of the row's rate
SCV_ROUNDING = 1e-12  # by which part 1 / scv may exceed a whole number of phases
FEW_PHASES = 4  # that are written out
RARE, MOST_MOVES = 1e-3, 500.0  # chances that are summed with more care, if so many moves are made
END, TINY = 1e-16, 1e-300  # of a chance, which a sum leaves out; and the smallest chance
QUANTILE_TOLERANCE = 1e-13  # relative, of the time


@dataclass(frozen=True, eq=False, repr=False)
class PhaseType(ReadOnly):
    """Describe a phase-type distribution.

    Parameters
    ----------
    alpha : sequence of float, shape (P,)
        Probability to start in each phase.
    T : array of float, shape (P, P)
        Rates between phases, and on the diagonal minus the rate at which each phase is left.

    Raises
    ------
    ValueError
        If `alpha` is no distribution, a rate is negative, a row of `T` sums to more than zero, or some phase is never
        left for good.

    Examples
    --------
    Two phases of mean 1/2, one after the other:

    >>> two = PhaseType([1, 0], [[-2, 2], [0, -2]])
    >>> two.mean, two.scv
    (1.0, 0.5)
    >>> round(float(two.cdf(1.0)), 6)  # 1 - 3 exp(-2)
    0.593994
    """

    alpha: np.ndarray
    T: np.ndarray
    exit: np.ndarray = field(init=False, repr=False)

    def __init__(self, alpha: ArrayLike, T: ArrayLike):
        alpha, T = checks.probabilities("alpha", alpha), checks.numbers("T", T, ndim=2)
        if T.shape != (len(alpha), len(alpha)):
            raise ValueError(
                f"T must have a row and a column for each phase, got shape {T.shape} for {len(alpha)} phases"
            )
        leaving = -np.diag(T)
        if (leaving <= 0).any():
            raise ValueError(f"the diagonal of T must be negative, got {checks.shown(np.diag(T))}")
        if (T - np.diag(np.diag(T)) < 0).any():
            raise ValueError("rates of T off the diagonal must not be negative")
        ending = -T.sum(axis=1)
        if (ending < -ROW_ROUNDING * leaving).any():
            raise ValueError(f"rows of T must not sum to more than 0, got {checks.shown(-ending)}")
        ending = np.where(np.abs(ending) <= ROW_ROUNDING * leaving, 0.0, ending)
        ends = _leads_to(T, ending > 0)
        if not ends.all():
            raise ValueError(f"T has no way out of phase {int(np.argmin(ends))}")
        for name, value in (("alpha", alpha), ("T", T), ("exit", ending)):
            object.__setattr__(self, name, frozen(value))

    def __repr__(self):
        if self.phases > FEW_PHASES:
            return f"PhaseType({self.phases} phases, mean {self.mean:.4g})"
        return f"PhaseType({self.alpha.tolist()}, {self.T.tolist()})"

    @property
    def phases(self) -> int:
        """Return the number of phases."""
        return len(self.alpha)

    def moment(self, k: int) -> float:
        r"""Return the moment of order k, :math:`k!\, \alpha (-T)^{-k} \mathbf 1`.

        >>> exponential(2.0).moment(3)
        48.0
        """
        k = checks.count("k", k)
        values = np.ones(self.phases)
        for _ in range(k):
            values = self._solve(values)
        return float(math.factorial(k) * self.alpha @ values)

    @cached_property
    def _solve(self):
        """Return a function that multiplies a vector by the inverse of -T."""
        if self.phases > SPARSE_PHASES:
            return scipy.sparse.linalg.splu(scipy.sparse.csc_array(-self.T)).solve
        return partial(scipy.linalg.lu_solve, scipy.linalg.lu_factor(-self.T))

    @cached_property
    def mean(self) -> float:
        """Return the mean."""
        return self.moment(1)

    @cached_property
    def scv(self) -> float:
        """Return the squared coefficient of variation: the variance over the squared mean."""
        return self.moment(2) / self.mean**2 - 1

    def cdf(self, t: ArrayLike) -> np.ndarray:
        """Return the probability of at most t, for a number or an array of times, accurately however stiff T is.

        Raises
        ------
        ValueError
            If a time is not finite, or so long that the fastest phase would be left 2 to the power 60 times.
        """
        chance = np.array(self._at(t)[..., 1].clip(0, 1))
        times = np.asarray(t, dtype=float)
        rare = (chance < RARE) & (times > 0) & (times * self._transient.fastest < MOST_MOVES)
        chance[rare] = self._left_tail(times[rare])  # of which a sum that ends at 1e-17 loses digits
        return chance[()]

    def _left_tail(self, times):
        """Return small chances of at most some times, by a sum of as many moves as relative accuracy takes."""
        mean = self._transient.fastest * times
        moves, ending = np.eye(self.phases) + self.T / self._transient.fastest, self.exit / self._transient.fastest
        chance, gone, where, n = np.zeros(len(times)), 0.0, self.alpha, 0
        weight = np.exp(-mean)  # of n moves, by Poisson's law
        # After n moves, more of them weigh at most as much as a geometric sum.
        while (weight > END * np.maximum(chance, TINY) * (1 - mean / (n + 1))).any() or n <= self.phases:
            gone, where, n = gone + where @ ending, where @ moves, n + 1
            weight = weight * mean / n
            chance += weight * gone
        return chance

    def tail(self, t: ArrayLike) -> np.ndarray:
        r"""Return the probability of more than t, :math:`\alpha e^{T t} \mathbf 1`, as :meth:`cdf`."""
        return self._at(t)[..., 0].clip(0, 1)

    def quantile(self, u: float) -> float:
        """Return the time that is not exceeded with probability u, below 1.

        Raises
        ------
        ValueError
            If u is negative, or not below 1.

        Examples
        --------
        >>> round(exponential(1.0).quantile(0.95), 6)
        2.995732
        """
        u = float(checks.numbers("u", u, ndim=0))
        if not 0 <= u < 1:
            raise ValueError(f"u must be at least 0 and below 1, got {checks.shown(u)}")
        if self.cdf(0.0) >= u:
            return 0.0
        high = self.mean
        while self.cdf(high) < u:
            high *= 2
        low = high / 2
        while self.cdf(low) > u:
            low /= 2
        return float(
            scipy.optimize.brentq(
                lambda t: float(self.cdf(t)) / u - 1, low, 2 * low,
                xtol=QUANTILE_TOLERANCE / 10 * low, rtol=QUANTILE_TOLERANCE,
            )
        )  # fmt: skip

    def _at(self, t):
        """Return the chance not to have left yet, and to have left, at each of the times."""
        times = np.asarray(t, dtype=float)
        if not np.isfinite(times).all():
            raise ValueError("times must be finite")
        return self._transient.at(np.maximum(times, 0).ravel()).reshape(*times.shape, 2)

    @cached_property
    def _transient(self):
        """Return the chain of the phases and, as the last state, of having left."""
        rates = np.zeros((self.phases + 1, self.phases + 1))
        rates[:-1, :-1], rates[:-1, -1] = self.T, self.exit
        absorbed = np.arange(self.phases + 1) == self.phases
        return Transient(np.append(self.alpha, 0.0), rates, np.column_stack([~absorbed, absorbed]).astype(float))

    def sample(self, rng: np.random.Generator, size: int) -> np.ndarray:
        """Draw `size` independent times."""
        times, phase = np.zeros(size), rng.choice(self.phases, size, p=self.alpha)
        leaving = -np.diag(self.T)
        moves = np.column_stack([self.T / leaving[:, None] + np.eye(self.phases), self.exit / leaving])
        shares = np.cumsum(np.clip(moves, 0, None), axis=1)
        shares[:, -1] = np.inf  # what rounding leaves goes out
        running = np.arange(size)
        while len(running):
            times[running] += rng.standard_exponential(len(running)) / leaving[phase[running]]
            phase[running] = (rng.random(len(running))[:, None] >= shares[phase[running]]).sum(axis=1)
            running = running[phase[running] < self.phases]
        return times


def _leads_to(rates, targets):
    sources, newest = targets.copy(), targets
    while newest.any():
        newest = (rates[:, newest] > 0).any(axis=1) & ~sources
        sources |= newest
    return sources


def exponential(mean: float) -> PhaseType:
    """Return the exponential distribution.

    >>> exponential(2.0).scv
    1.0
    """
    rate = 1 / float(checks.positive("mean", mean, ndim=0))
    return PhaseType([1.0], [[-rate]])


def erlang(k: int, mean: float) -> PhaseType:
    """Return k equal exponential phases one after the other: scv 1/k.

    >>> round(erlang(4, 2.0).scv, 12)
    0.25
    """
    k = checks.count("k", k, most=MOST_PHASES)
    rate = k / float(checks.positive("mean", mean, ndim=0))
    return PhaseType(np.eye(k)[0], rate * (np.eye(k, k=1) - np.eye(k)))


def coxian(mean: float, scv: float) -> PhaseType:
    r"""Return two phases, the second entered with probability q: a fit of mean and scv, for scv at least 1/2.

    The first phase has rate :math:`2 / m`, the second :math:`1 / (m c)`, and :math:`q = 1 / (2 c)`, for mean m and
    scv c.

    >>> fit = coxian(3.0, 10.0)
    >>> round(fit.mean, 12), round(fit.scv, 12)
    (3.0, 10.0)
    """
    mean, scv = (float(checks.positive(name, value, ndim=0)) for name, value in (("mean", mean), ("scv", scv)))
    if scv < 0.5:
        raise ValueError(f"two phases have an scv of at least 0.5, got {scv:g}; use erlang")
    first, second, on = 2 / mean, 1 / (mean * scv), 1 / (2 * scv)
    return PhaseType([1.0, 0.0], [[-first, on * first], [0.0, -second]])


def mixed_erlang(mean: float, scv: float) -> PhaseType:
    r"""Return k phases of the same rate, the first skipped with probability q: a fit of mean and scv, at most 1.

    With :math:`1/k \le c \le 1/(k-1)` for scv c, :math:`q = \bigl(k c - \sqrt{k (1 + c) - k^2 c}\bigr) / (1 + c)` and
    the rate is :math:`(k - q) / m` for mean m.

    Source: H. C. Tijms, Stochastic Models, Wiley 1994, appendix B.

    >>> fit = mixed_erlang(3.0, 0.4)
    >>> round(fit.mean, 12), round(fit.scv, 12), fit.phases
    (3.0, 0.4, 3)
    """
    mean, scv = (float(checks.positive(name, value, ndim=0)) for name, value in (("mean", mean), ("scv", scv)))
    k = math.ceil(1 / scv * (1 - SCV_ROUNDING))
    if scv > 1 or k > MOST_PHASES:
        raise ValueError(
            f"phases of the same rate have an scv of at most 1 and, here, at least {1 / MOST_PHASES}; got {scv:g}"
        )
    if k == 1:
        return exponential(mean)
    q = (k * scv - math.sqrt(max(k * (1 + scv) - k * k * scv, 0))) / (1 + scv)
    q = max(q, 0.0)
    rate = (k - q) / mean
    return PhaseType([1 - q, q] + [0.0] * (k - 2), rate * (np.eye(k, k=1) - np.eye(k)))


def two_moments(mean: float, scv: float) -> PhaseType:
    """Return a distribution with this mean and scv: :func:`coxian` from scv 1/2 on, else :func:`mixed_erlang`.

    >>> two_moments(1.0, 0.1).phases, two_moments(1.0, 10.0).phases
    (10, 2)
    """
    return coxian(mean, scv) if scv >= 0.5 else mixed_erlang(mean, scv)


def hyperexponential(mean: float, scv: float) -> PhaseType:
    r"""Return one of two exponentials, each with half of the mean (balanced means), for scv at least 1.

    >>> fit = hyperexponential(3.0, 10.0)
    >>> round(fit.mean, 12), round(fit.scv, 12)
    (3.0, 10.0)
    """
    mean, scv = (float(checks.positive(name, value, ndim=0)) for name, value in (("mean", mean), ("scv", scv)))
    if scv < 1:
        raise ValueError(f"a mixture of exponentials has an scv of at least 1, got {scv:g}")
    p = (1 + math.sqrt((scv - 1) / (scv + 1))) / 2
    q = 1 / (scv + 1) / (2 * p)  # 1 - p, without cancellation
    return PhaseType([1 - q, q], np.diag([-2 * p / mean, -2 * q / mean]))
