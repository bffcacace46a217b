"""Means with confidence intervals."""

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats


@dataclass(frozen=True)
class Estimate:
    """A mean estimated from independent (or nearly independent) observations.

    Attributes
    ----------
    mean : float
    half_width : float
        Half the width of the confidence interval, by Student's t distribution.
    observations : int
        Replications, or batches of one long run.
    confidence : float
        Probability with which such intervals cover the true mean.

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

    @classmethod
    def of(cls, observations, confidence=0.95):
        """Estimate the mean of `observations`; a single one has an infinite half-width."""
        x = np.asarray(observations, dtype=float)
        if len(x) < 2:
            return cls(float(x.mean()), float("inf"), len(x), confidence)
        quantile = stats.t.ppf((1 + confidence) / 2, len(x) - 1)
        return cls(float(x.mean()), float(quantile * x.std(ddof=1) / np.sqrt(len(x))), len(x), confidence)

    def expected_half_width(self, observations, longer=1):
        """Mean half-width of an interval from so many observations, each of which averages `longer` times as much.

        A half-width from a few replications is itself a matter of luck; many short ones tell what it is on average.
        Observations are taken as normal: the standard deviation of k of them is on average
        sqrt(2 / (k - 1)) Gamma(k / 2) / Gamma((k - 1) / 2) times the true one.

        Parameters
        ----------
        observations : int
            Replications of the other experiment, two or more.
        longer : float
            How many times as long each of them is.

        Returns
        -------
        float

        Examples
        --------
        Ten observations tell what four of the same kind would give, and what four of a hundred times the length would:

        >>> ten = Estimate.of([1.0, 1.2, 0.9, 1.1, 0.8, 1.0, 1.1, 0.9, 1.2, 0.8])
        >>> f"{ten.expected_half_width(4):.3f}, {ten.expected_half_width(4, longer=100):.4f}"
        '0.219, 0.0219'
        """
        own = stats.t.ppf((1 + self.confidence) / 2, self.observations - 1)
        deviation = self.half_width / own * math.sqrt(self.observations / longer)
        k = observations
        seen = deviation * math.sqrt(2 / (k - 1)) * math.exp(math.lgamma(k / 2) - math.lgamma((k - 1) / 2))
        return float(stats.t.ppf((1 + self.confidence) / 2, k - 1) * seen / math.sqrt(k))

    def widened(self, factor):
        """The same estimate with a wider interval: tests must not fail once in twenty runs."""
        return Estimate(self.mean, factor * self.half_width, self.observations, self.confidence)

    def __contains__(self, value):
        return abs(value - self.mean) <= self.half_width

    def __format__(self, spec):
        return f"{self.mean:{spec}} ± {self.half_width:{spec}}"

    def __str__(self):
        return f"{self:.3f}"
