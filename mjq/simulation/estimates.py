"""Means with confidence intervals.

* A mean of independent observations, such as replications or batches, has the interval of Student's t distribution.
* A fraction of jobs to which something rare happens has one, too, where it was hardly or never seen. Such jobs come in
  clusters, so K jobs that were seen say as much as K / c independent ones, for clusters of mean size c; the interval is
  that of a Poisson number.

How often such intervals hold the truth is counted in tests, over hundreds of runs with known answers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import special  # what scipy.stats would call; its import takes half a second

PRIOR = 3  # clusters that what is known of their size counts for
MANY_CLUSTERS = 60  # from which on means of replications are nearly normal


@dataclass(frozen=True, repr=False)
class Estimate:
    """Hold a mean estimated from independent (or nearly independent) observations.

    Attributes
    ----------
    mean : float
    half_width : float
        Half the width of the confidence interval, by Student's t distribution.
    low, high : float
        Its ends, `half_width` below and above the mean; those of a fraction that was hardly seen lie unevenly.
    observations : int
        Replications, or batches of one long run.
    confidence : float
        Probability with which such intervals cover the true mean.
    remark : str
        What stands against the interval, such as that the run was short; it is shown behind the number.

    Examples
    --------
    >>> print(Estimate.of([1.9, 2.0, 2.1]))
    2.000 ± 0.248
    >>> f"{Estimate.of([1.9, 2.0, 2.1]):.1f}"
    '2.0 ± 0.2'
    >>> 2.2 in Estimate.of([1.9, 2.0, 2.1])
    True
    """

    mean: float
    half_width: float
    observations: int
    confidence: float = 0.95
    low: float = math.nan
    high: float = math.nan
    remark: str = ""

    def __post_init__(self):
        if math.isnan(self.low):  # not given
            object.__setattr__(self, "low", self.mean - self.half_width)
            object.__setattr__(self, "high", self.mean + self.half_width)

    @classmethod
    def of(cls, observations: ArrayLike, confidence: float = 0.95) -> Self:
        """Estimate the mean of `observations`; a single one has an infinite half-width."""
        x = np.asarray(observations, dtype=float)
        if len(x) < 2:
            return cls(float(x.mean()), float("inf"), len(x), confidence)
        quantile = special.stdtrit(len(x) - 1, (1 + confidence) / 2)
        return cls(float(x.mean()), float(quantile * x.std(ddof=1) / np.sqrt(len(x))), len(x), confidence)

    @classmethod
    def of_jobs(cls, sums: np.ndarray, jobs: np.ndarray) -> Self:
        """Return the mean over the replications or batches that saw such jobs, from their sums; nan where none did."""
        seen = jobs > 0
        return cls.of(sums[seen] / jobs[seen]) if seen.any() else cls(np.nan, np.nan, 0)

    @classmethod
    def of_fraction(cls, seen: ArrayLike, jobs: ArrayLike, clustering: float, confidence: float = 0.95) -> Self:
        """Estimate the fraction of jobs to which something rare happens, also where it was hardly or never seen.

        Such jobs come in clusters: one that waits for long has neighbours that do. With clusters of mean size c, K jobs
        that were seen say as much as K / c independent ones, and the interval is that of a Poisson number (by Jeffreys;
        from 0 to 2.5 c over the number of jobs where none was seen). Where there are many clusters it is Student's.

        Parameters
        ----------
        seen, jobs : sequence of float
            In each replication or batch, how many jobs were seen, of how many.
        clustering : float
            What is known of the mean size of a cluster from elsewhere. It counts as much as `PRIOR` clusters; the
            variance of `seen` over its mean says the rest.
        confidence : float

        Examples
        --------
        >>> never = Estimate.of_fraction([0, 0, 0], [1000, 1000, 1000], clustering=1)
        >>> never.mean, never.low, round(3000 * never.high, 2)
        (0.0, 0.0, 2.51)
        """
        seen, jobs = np.asarray(seen, dtype=float), np.asarray(jobs, dtype=float)
        if len(seen) < 2:
            return cls.of(seen / jobs, confidence)
        number, clustering = seen.sum(), max(1.0, clustering)
        spread = seen.var(ddof=1) / seen.mean() if number else clustering
        weight = number / clustering
        clustering = max(1.0, (weight * spread + PRIOR * clustering) / (weight + PRIOR))
        if number / clustering >= MANY_CLUSTERS:
            return cls.of(seen / jobs, confidence)
        ends = special.gammaincinv(number / clustering + 0.5, [(1 - confidence) / 2, (1 + confidence) / 2])
        low, high = (float(x) for x in ends * clustering / jobs.sum())
        low = low if number else 0.0
        return cls(float(number / jobs.sum()), (high - low) / 2, len(seen), confidence, low, high)

    @classmethod
    def of_quantile(
        cls, parts: Sequence[np.ndarray], level: float, clustering: float = 1.0, confidence: float = 0.95
    ) -> Self:
        """Estimate the quantile of what several replications or batches saw: that of all, by sectioning.

        The half-width is Student's, from how far the quantiles of the parts lie from the quantile of all. It is
        infinite where a part has less than two clusters of jobs on one side of the quantile, as `clustering` successive
        ones say as little as one: such intervals would be too narrow.

        Source: S. Asmussen, P. W. Glynn, Stochastic Simulation, Springer 2007, Section III.5a.

        >>> print(Estimate.of_quantile([np.arange(1, 100), np.arange(3, 102)], .9))
        90.300 ± 12.770
        """
        of_all, k = np.quantile(np.concatenate(parts), level), len(parts)
        apart = np.array([np.quantile(part, level) for part in parts]) - of_all
        if k < 2 or min(level, 1 - level) * min(map(len, parts)) < 2 * clustering:
            return cls(float(of_all), math.inf, k, confidence)
        deviation = math.sqrt(apart @ apart / (k - 1) / k)
        return cls(float(of_all), float(special.stdtrit(k - 1, (1 + confidence) / 2) * deviation), k, confidence)

    def expected_half_width(self, observations: int, longer: float = 1) -> float:
        """Return the mean half-width of an interval from observations that each average `longer` times as much.

        A half-width from a few replications is itself a matter of luck; many short ones tell what it is on average.
        Observations are taken as normal: the standard deviation of k of them is on average
        sqrt(2 / (k - 1)) Gamma(k / 2) / Gamma((k - 1) / 2) times the true one. Not for fractions that were hardly seen.

        Parameters
        ----------
        observations : int
            Replications of the other experiment, two or more.
        longer : float
            How many times as long each of them is.

        Examples
        --------
        Ten observations tell what four of the same kind would give, and what four of a hundred times the length would:

        >>> ten = Estimate.of([1.0, 1.2, 0.9, 1.1, 0.8, 1.0, 1.1, 0.9, 1.2, 0.8])
        >>> f"{ten.expected_half_width(4):.3f}, {ten.expected_half_width(4, longer=100):.4f}"
        '0.219, 0.0219'
        """
        own = special.stdtrit(self.observations - 1, (1 + self.confidence) / 2)
        deviation = self.half_width / own * math.sqrt(self.observations / longer)
        k = observations
        seen = deviation * math.sqrt(2 / (k - 1)) * math.exp(math.lgamma(k / 2) - math.lgamma((k - 1) / 2))
        return float(special.stdtrit(k - 1, (1 + self.confidence) / 2) * seen / math.sqrt(k))

    def widened(self, factor: float) -> Estimate:
        """Return the same estimate with a wider interval, so that tests do not fail once in twenty runs."""
        low, high = (self.mean + factor * (end - self.mean) for end in (self.low, self.high))
        return replace(self, half_width=factor * self.half_width, low=low, high=high)

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __format__(self, spec):
        ends, remark = f" ({self.low:{spec}} to {self.high:{spec}})", f" ({self.remark})" * bool(self.remark)
        if math.isnan(self.half_width):
            ends = ""
        elif math.isclose(self.high - self.mean, self.half_width) or not math.isfinite(self.half_width):
            ends = f" ± {self.half_width:{spec}}"
        return f"{self.mean:{spec}}{ends}{remark}"

    def __str__(self):
        return f"{self:.3f}"

    def __repr__(self):
        return f"{self:.4g}"


def clustering(sums: np.ndarray, squares: np.ndarray, numbers: np.ndarray) -> float:
    """Return how many successive jobs say as little as one, from the times that they spend.

    The variance of the means of replications (or batches), over what it would be if jobs were independent. For rare
    long times it is about the mean size of a cluster of them.

    Parameters
    ----------
    sums, squares, numbers : float array, shape (R,)
        In each replication the sum of the times, of their squares, and the number of jobs.
    """
    means, variance = sums / numbers, squares.sum() / numbers.sum() - (sums.sum() / numbers.sum()) ** 2
    return float(means.var(ddof=1) * numbers.mean() / variance) if len(sums) > 1 and variance > 0 else 1.0
