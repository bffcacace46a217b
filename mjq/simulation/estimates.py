"""Means with confidence intervals."""

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

    def widened(self, factor):
        """The same estimate with a wider interval: tests must not fail once in twenty runs."""
        return Estimate(self.mean, factor * self.half_width, self.observations, self.confidence)

    def __contains__(self, value):
        return abs(value - self.mean) <= self.half_width

    def __format__(self, spec):
        return f"{self.mean:{spec}} ± {self.half_width:{spec}}"

    def __str__(self):
        return f"{self:.3f}"
