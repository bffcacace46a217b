r"""Phase-type distributions: the time until a small Markov chain is left.

The chain starts in phase i with probability :math:`\alpha_i`, moves between phases and out of them by the subgenerator
`T`, and the distribution is that of the time until it leaves:

.. math:: P(X > t) = \alpha e^{T t} \mathbf 1, \qquad E[X^k] = k!\, \alpha (-T)^{-k} \mathbf 1 .
"""

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import optimize, special

from mjq import checks

TERMS = 20  # of the series of an exponential whose argument is at most 1: the next is below 1e-19
HALVINGS = 60  # of a time until the fastest phase moves at most once on average
MOST_PHASES = 1000
ROUNDING = 1e-13  # what row sums of T may exceed zero by, as a fraction of the row's rate


@dataclass(frozen=True, eq=False)
class PhaseType:
    """A phase-type distribution.

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

    def __post_init__(self):
        alpha, T = checks.probabilities("alpha", self.alpha), checks.numbers("T", self.T, ndim=2)
        if T.shape != (len(alpha), len(alpha)):
            raise ValueError(f"T must have one row and column a phase, got shape {T.shape} for {len(alpha)} phases")
        leaving = -np.diag(T)
        if (leaving <= 0).any():
            raise ValueError(f"the diagonal of T must be negative, got {checks.shown(np.diag(T))}")
        if (T - np.diag(np.diag(T)) < 0).any():
            raise ValueError("rates of T off the diagonal must not be negative")
        ending = -T.sum(axis=1)
        if (ending < -ROUNDING * leaving).any():
            raise ValueError(f"rows of T must not sum to more than 0, got {checks.shown(-ending)}")
        ending = np.where(np.abs(ending) <= ROUNDING * leaving, 0.0, ending)
        out = ending > 0
        for _ in range(len(out)):
            out = out | (T[:, out] > 0).any(axis=1)
        if not out.all():
            raise ValueError(f"phase {int(np.argmin(out))} of T is never left for good")
        for name, value in (("alpha", alpha), ("T", T), ("exit", ending)):
            value.flags.writeable = False
            object.__setattr__(self, name, value)

    @property
    def phases(self):
        """Number of phases."""
        return len(self.alpha)

    def moment(self, k):
        r"""Moment of order k, :math:`k!\, \alpha (-T)^{-k} \mathbf 1`."""
        k = checks.count("k", k)
        values = np.ones(self.phases)
        for _ in range(k):
            values = np.linalg.solve(-self.T, values)
        return float(math.factorial(k) * self.alpha @ values)

    @cached_property
    def mean(self):
        """Mean."""
        return self.moment(1)

    @cached_property
    def scv(self):
        """Squared coefficient of variation: variance over squared mean."""
        return self.moment(2) / self.mean**2 - 1

    def cdf(self, t):
        """Probability of at most t, for a number or an array of times, accurately however stiff T is."""
        return self._at(t)[..., -1].clip(0, 1)

    def tail(self, t):
        """Probability of more than t, for a number or an array of times."""
        return self._at(t)[..., :-1].sum(axis=-1).clip(0, 1)

    def quantile(self, u):
        """The time that is not exceeded with probability u, below 1.

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
        return float(optimize.brentq(lambda t: float(self.cdf(t)) / u - 1, low, 2 * low, xtol=1e-14 * low, rtol=1e-13))

    def _at(self, t):
        """Distribution over the phases, and last over having left, at each of the times."""
        times = np.asarray(t, dtype=float)
        if not np.isfinite(times).all():
            raise ValueError("times must be finite")
        rates = np.zeros((self.phases + 1, self.phases + 1))
        rates[:-1, :-1], rates[:-1, -1] = self.T, self.exit
        found = transient(np.append(self.alpha, 0.0), rates, np.maximum(times, 0).ravel())
        return found.reshape(*times.shape, -1)

    def sample(self, rng, size):
        """Draw `size` independent times.

        Parameters
        ----------
        rng : numpy.random.Generator
        size : int

        Returns
        -------
        float array, shape (size,)
        """
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


# --- Where a chain is after some time ---------------------------------------------------------------------------------


def transient(start, Q, times):
    r"""Distribution of a Markov chain at given times, :math:`p(t) = p(0)\, e^{Q t}`.

    Times are cut in half until the fastest state moves at most once on average. Over such a step the exponential is a
    short Poisson mixture; it is squared over and over, and multiplied where a time's binary digit is 1. All is sums
    and products of non-negative numbers. What a state keeps is set to what it does not give away, so that a slow
    rate is not lost beside a fast one.

    Parameters
    ----------
    start : float array, shape (S,)
    Q : float array, shape (S, S)
        Generator; its diagonal is not read.
    times : float array, shape (n,)

    Returns
    -------
    float array, shape (n, S)

    Raises
    ------
    ValueError
        If the fastest rate times the longest time exceeds 2 to the power 60.

    Source: J. Xue, Q. Ye, Computing exponentials of essentially non-negative matrices entrywise to high relative
    accuracy, Mathematics of Computation 82 (2013) 1577-1596, for the idea.

    Examples
    --------
    >>> transient(np.array([1.0, 0.0]), np.array([[-1.0, 1.0], [0.0, 0.0]]), np.array([np.log(2)]))
    array([[0.5, 0.5]])
    """
    rates = np.array(Q, dtype=float)
    np.fill_diagonal(rates, 0)
    fastest, longest = rates.sum(axis=1).max(), times.max(initial=0)
    if fastest * longest == 0:
        return np.tile(start, (len(times), 1))
    halvings = max(0, math.ceil(math.log2(fastest * longest)))
    if halvings > HALVINGS:
        raise ValueError(f"times up to {longest:g} are too long for rates up to {fastest:g}")
    step = math.ldexp(longest, -halvings)
    whole = np.floor(times / step)
    moves = rates / fastest
    np.fill_diagonal(moves, np.maximum(1 - moves.sum(axis=1), 0))
    rest = _poisson(fastest * (times - whole * step)[:, None])
    found = sum(weight[:, None] * row for weight, row in zip(rest.T, _powers(start, moves)))
    power = _stochastic(sum(w * m for w, m in zip(_poisson(fastest * step), _powers(np.eye(len(rates)), moves))))
    digits = whole.astype(np.int64)
    while digits.any():
        odd = digits % 2 == 1
        found[odd] = found[odd] @ power
        digits //= 2
        if digits.any():
            power = _stochastic(power @ power)
    return found


def _stochastic(matrix):
    """Rows sum to 1: where the diagonal is the larger part it takes what the others leave, else the row is scaled."""
    matrix = matrix.copy()
    given = matrix.sum(axis=1) - np.diag(matrix)
    np.fill_diagonal(matrix, np.where(given < 0.5, 1 - given, np.diag(matrix)))
    return matrix / matrix.sum(axis=1, keepdims=True)


def _powers(start, moves):
    for _ in range(TERMS):
        yield start
        start = start @ moves


def _poisson(mean):
    n = np.arange(TERMS)
    return np.exp(special.xlogy(n, mean) - mean - special.gammaln(n + 1))


# --- Fits -------------------------------------------------------------------------------------------------------------


def exponential(mean):
    """The exponential distribution.

    >>> exponential(2.0).scv
    1.0
    """
    rate = 1 / float(checks.positive("mean", mean, ndim=0))
    return PhaseType([1.0], [[-rate]])


def erlang(k, mean):
    """k equal exponential phases one after the other: scv 1/k.

    >>> round(erlang(4, 2.0).scv, 12)
    0.25
    """
    k = checks.count("k", k, most=MOST_PHASES)
    rate = k / float(checks.positive("mean", mean, ndim=0))
    return PhaseType(np.eye(k)[0], rate * (np.eye(k, k=1) - np.eye(k)))


def coxian(mean, scv):
    r"""Two phases, the second entered with probability q: a fit of mean and scv, for scv at least 1/2.

    The first phase has rate :math:`2 / m`, the second :math:`1 / (m c)`, and :math:`q = 1 / (2 c)`, for mean m and
    scv c.

    >>> fit = coxian(3.0, 10.0)
    >>> round(fit.mean, 12), round(fit.scv, 12)
    (3.0, 10.0)
    """
    mean, scv = (float(checks.positive(name, value, ndim=0)) for name, value in (("mean", mean), ("scv", scv)))
    if scv < 0.5:
        raise ValueError(f"two phases reach a scv of 0.5 or more, got {scv:g}; use erlang")
    first, second, on = 2 / mean, 1 / (mean * scv), 1 / (2 * scv)
    return PhaseType([1.0, 0.0], [[-first, on * first], [0.0, -second]])


def mixed_erlang(mean, scv):
    r"""k phases of the same rate, the first skipped with probability q: a fit of mean and scv, for scv at most 1.

    With :math:`1/k \le c \le 1/(k-1)` for scv c, :math:`q = \bigl(k c - \sqrt{k (1 + c) - k^2 c}\bigr) / (1 + c)` and
    the rate is :math:`(k - q) / m` for mean m.

    Source: H. C. Tijms, Stochastic Models, Wiley 1994, appendix B.

    >>> fit = mixed_erlang(3.0, 0.4)
    >>> round(fit.mean, 12), round(fit.scv, 12), fit.phases
    (3.0, 0.4, 3)
    """
    mean, scv = (float(checks.positive(name, value, ndim=0)) for name, value in (("mean", mean), ("scv", scv)))
    k = math.ceil(1 / scv * (1 - 1e-12))
    if scv > 1 or k > MOST_PHASES:
        raise ValueError(
            f"phases of the same rate reach a scv of at most 1 and, here, least {1 / MOST_PHASES}: {scv:g}"
        )
    if k == 1:
        return exponential(mean)
    q = (k * scv - math.sqrt(max(k * (1 + scv) - k * k * scv, 0))) / (1 + scv)
    q = max(q, 0.0)
    rate = (k - q) / mean
    return PhaseType([1 - q, q] + [0.0] * (k - 2), rate * (np.eye(k, k=1) - np.eye(k)))


def two_moments(mean, scv):
    """A distribution with this mean and squared coefficient of variation: :func:`coxian` from 1/2 on, else
    :func:`mixed_erlang`.

    >>> two_moments(1.0, 0.1).phases, two_moments(1.0, 10.0).phases
    (10, 2)
    """
    return coxian(mean, scv) if scv >= 0.5 else mixed_erlang(mean, scv)


def hyperexponential(mean, scv):
    r"""One of two exponentials, each with half of the mean (balanced means), for scv at least 1.

    >>> fit = hyperexponential(3.0, 10.0)
    >>> round(fit.mean, 12), round(fit.scv, 12)
    (3.0, 10.0)
    """
    mean, scv = (float(checks.positive(name, value, ndim=0)) for name, value in (("mean", mean), ("scv", scv)))
    if scv < 1:
        raise ValueError(f"a mixture of exponentials has a scv of 1 or more, got {scv:g}")
    p = (1 + math.sqrt((scv - 1) / (scv + 1))) / 2
    q = 1 / (scv + 1) / (2 * p)  # 1 - p, without cancellation
    return PhaseType([1 - q, q], np.diag([-2 * p / mean, -2 * q / mean]))
