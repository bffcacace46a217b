r"""Phase-type distributions: the time until a small Markov chain is left.

The chain starts in phase i with probability :math:`\alpha_i`, moves between phases and out of them by the subgenerator
`T`, and the distribution is that of the time until it leaves:

.. math:: P(X > t) = \alpha e^{T t} \mathbf 1, \qquad E[X^k] = k!\, \alpha (-T)^{-k} \mathbf 1 .
"""

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import linalg

from mjq import laws

ROUNDING = 1e-9  # what row sums of T may exceed zero by, as a fraction of the row's rate


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
        alpha, T = laws.probabilities("alpha", self.alpha), laws.numbers("T", self.T, ndim=2)
        if T.shape != (len(alpha), len(alpha)):
            raise ValueError(f"T must have one row and column a phase, got shape {T.shape} for {len(alpha)} phases")
        leaving = -np.diag(T)
        if (leaving <= 0).any():
            raise ValueError(f"the diagonal of T must be negative, got {laws.shown(np.diag(T))}")
        if (T - np.diag(np.diag(T)) < 0).any():
            raise ValueError("rates of T off the diagonal must not be negative")
        ending = -T.sum(axis=1)
        if (ending < -ROUNDING * leaving).any():
            raise ValueError(f"rows of T must not sum to more than 0, got {laws.shown(-ending)}")
        ending = np.where(np.abs(ending) <= ROUNDING * leaving, 0.0, ending)
        if np.linalg.cond(T / leaving[:, None]) > 1e14:
            raise ValueError("some phase of T is never left for good")
        for name, value in (("alpha", alpha), ("T", T), ("exit", ending)):
            value.flags.writeable = False
            object.__setattr__(self, name, value)

    @property
    def phases(self):
        """Number of phases."""
        return len(self.alpha)

    def moment(self, k):
        r"""Moment of order k, :math:`k!\, \alpha (-T)^{-k} \mathbf 1`."""
        k = laws.count("k", k)
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
        """Probability of at most t, for a number or an array of times."""
        times = np.asarray(t, dtype=float)
        tails = [self.alpha @ linalg.expm(self.T * x) @ np.ones(self.phases) if x > 0 else 1.0 for x in times.ravel()]
        return np.clip(1 - np.reshape(tails, times.shape), 0, 1)

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


# --- Fits -------------------------------------------------------------------------------------------------------------


def exponential(mean):
    """The exponential distribution.

    >>> exponential(2.0).scv
    1.0
    """
    rate = 1 / float(laws.positive("mean", mean, ndim=0))
    return PhaseType([1.0], [[-rate]])


def erlang(k, mean):
    """k equal exponential phases one after the other: scv 1/k.

    >>> round(erlang(4, 2.0).scv, 12)
    0.25
    """
    k = laws.count("k", k)
    rate = k / float(laws.positive("mean", mean, ndim=0))
    return PhaseType(np.eye(k)[0], rate * (np.eye(k, k=1) - np.eye(k)))


def coxian(mean, scv):
    r"""Two phases, the second entered with probability q: a fit of mean and scv, for scv at least 1/2.

    The first phase has rate :math:`2 / m`, the second :math:`1 / (m c)`, and :math:`q = 1 / (2 c)`, for mean m and
    scv c.

    >>> fit = coxian(3.0, 10.0)
    >>> round(fit.mean, 12), round(fit.scv, 12)
    (3.0, 10.0)
    """
    mean, scv = (float(laws.positive(name, value, ndim=0)) for name, value in (("mean", mean), ("scv", scv)))
    if scv < 0.5:
        raise ValueError(f"two phases reach a scv of 0.5 or more, got {scv:g}; use erlang")
    first, second, on = 2 / mean, 1 / (mean * scv), 1 / (2 * scv)
    return PhaseType([1.0, 0.0], [[-first, on * first], [0.0, -second]])


def hyperexponential(mean, scv):
    r"""One of two exponentials, each with half of the mean (balanced means), for scv at least 1.

    >>> fit = hyperexponential(3.0, 10.0)
    >>> round(fit.mean, 12), round(fit.scv, 12)
    (3.0, 10.0)
    """
    mean, scv = (float(laws.positive(name, value, ndim=0)) for name, value in (("mean", mean), ("scv", scv)))
    if scv < 1:
        raise ValueError(f"a mixture of exponentials has a scv of 1 or more, got {scv:g}")
    p = (1 + math.sqrt((scv - 1) / (scv + 1))) / 2
    q = 1 / (scv + 1) / (2 * p)  # 1 - p, without cancellation
    return PhaseType([1 - q, q], np.diag([-2 * p / mean, -2 * q / mean]))
