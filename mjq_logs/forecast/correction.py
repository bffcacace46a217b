"""Forecasts that correct themselves: they are moved by the misses of earlier ones.

A forecast is a sorted sample of waits, each of which stands for a place among all waits: a tenth of the waits is to be
below one, half of them below another. What an earlier job waited beyond such a wait of its own forecast is its *miss*
there. Each wait of a forecast is moved by the quantile of the misses at this place. So a tenth of the latest waits was
below what is now said for a tenth. That is adaptive conformal prediction, with weights that halve as time goes on.

A job that still waits has waited at least so long, so that its miss is known from below. The quantiles are those of the
estimator of Kaplan and Meier, which uses such misses too: else only jobs that have started would count, and these are
the ones that waited little.

Jobs that come together miss together: a thousand jobs that are submitted at once tell as little of the next miss as a
few do. So the misses count as the number of independent ones that they are worth. The fewer these are, the farther out
is the quantile: of n independent misses, the k-th stands for the place k / (n + 1), because the next one is as likely
to be below all of them as between any two. Conformal prediction of data in groups counts the groups in the same way.

The weights are those of R. Barber, E. Candès, A. Ramdas, R. Tibshirani, Conformal prediction beyond exchangeability,
Annals of Statistics 51 (2023), 816-845; the estimator is that of E. Kaplan, P. Meier, Nonparametric estimation from
incomplete observations, Journal of the American Statistical Association 53 (1958), 457-481; groups are those of Y. Lee,
R. Barber, R. Willett, Distribution-free inference with hierarchical data, Journal of the Royal Statistical Society B
87 (2025), arXiv:2306.06342.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mjq_logs.forecast.nearest import ALONE, FEWEST, PLACES, WEIGHTS, Past, crps
from mjq_logs.intervals import effective_number
from mjq_logs.scale import on_scale

HALF_LIFE = 50  # known misses later, a miss counts half
SINCE = 2.0  # the misses are those of jobs that came after this part of all
FEWEST_MISSES = 50
FEWEST_INDEPENDENT = 9  # misses: one more is below the largest of them nine times in ten
LATEST = 200  # forecasts on which the replays alone are compared with the nearest jobs
LATELY = 1.5  # they are those of jobs that came after this part of all
CLEARLY = 2.0  # standard errors by which the replays alone must have been better
ROUNDING = 1e-9


class Forecast(NamedTuple):
    """Hold the forecast of a job.

    Attributes
    ----------
    before, after : float array, shape (40,)
        Sorted waits on the scale of :mod:`mjq_logs.forecast.nearest`, as the nearest jobs of the past waited, and
        corrected.
    weight : float
        Of the rule.
    alone : bool
        Whether the replays alone were used, which have been clearly better.
    """

    before: np.ndarray
    after: np.ndarray
    weight: float
    alone: bool


def quantiles(misses: np.ndarray, known: np.ndarray, weights: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return a quantile of each row of misses, some of which are known from below only.

    This is the estimator of Kaplan and Meier with weights. Where it does not reach a place, because the largest misses
    are not known, the largest of the row is returned.

    Parameters
    ----------
    misses : float array, shape (L, n)
    known : bool array, shape (n,)
        False where the miss is at least so large.
    weights : float array, shape (n,)
    places : float array, shape (L,)
        Of the quantile in each row; at 0 and below it is the smallest of the row.

    Examples
    --------
    Three misses are known; the fourth is at least 2, so that it is 3 or more.

    >>> misses = np.array([[1.0, 3.0, 4.0, 2.0]])
    >>> known, weights = np.array([True, True, True, False]), np.ones(4)
    >>> [float(quantiles(misses, known, weights, np.array([p]))[0]) for p in (0.25, 0.6, 0.7)]
    [1.0, 3.0, 4.0]
    """
    order = np.argsort(~known, kind="stable")  # of equal misses, those that are known come first
    order = order[np.argsort(misses[:, order], axis=1, kind="stable")]
    remaining = np.cumsum(weights[order][:, ::-1], axis=1)[:, ::-1]
    beyond = np.cumprod(1 - known[order] * weights[order] / remaining, axis=1)
    reached = 1 - beyond >= places[:, None] - ROUNDING
    column = np.where(reached.any(axis=1), reached.argmax(axis=1), misses.shape[1] - 1)
    rows = np.arange(len(misses))
    return misses[rows, order[rows, column]]


def independent(misses: np.ndarray, weights: np.ndarray) -> float:
    """Return how many independent misses tell as much as these, which are known and in the order of the jobs.

    The number is (sum of w)^2 / sum of w^2 for weights w, times the share of the jobs that is independent. This share
    is that of the places of the waits in their forecasts, see :func:`mjq_logs.intervals.effective_number`.

    It is at least nine, because fewer cannot tell a tenth. Then something goes on that the past has not seen, and the
    record says so.

    Parameters
    ----------
    misses : float array, shape (L, n)
        Of each wait of the forecasts.
    weights : float array, shape (n,)

    Examples
    --------
    A thousand jobs that come ten at a time, and miss alike, are worth about a hundred.

    >>> misses = np.repeat(np.random.default_rng(1).random((9, 100)) - 0.5, 10, axis=1)
    >>> 70 < independent(misses, np.ones(1000)) < 130
    True
    """
    number = misses.shape[1]
    share = effective_number((misses > 0).mean(axis=0)) / number
    return max(FEWEST_INDEPENDENT, float(share * weights.sum() ** 2 / (weights @ weights)))


def farther(places: np.ndarray, number: float) -> np.ndarray:
    """Return the places of quantiles among so many independent numbers which one more is below with a probability.

    The k-th of n numbers, which is in the middle of its n-th part, is above one more with probability k / (n + 1):

    >>> places = farther(np.arange(1, 10) / 10, 9)
    >>> bool(np.allclose(places, (np.arange(9) + 0.5) / 9))
    True
    """
    return 0.5 + (places - 0.5) * (1 + 1 / number)


class Correction:
    """Correct forecasts by the misses of a past.

    Parameters
    ----------
    past : Past
    """

    def __init__(self, past: Past) -> None:
        self.past = past
        self._scores = np.full(past.forecasts.shape[:2], np.nan)
        self._of_past: dict[int, Forecast | None] = {}

    def moved(self, waits: np.ndarray, way: int, number: int, time: float) -> np.ndarray:
        """Return a forecast that was made in a way, corrected by the misses in this way that were known at a time.

        Parameters
        ----------
        waits : float array, shape (40,)
            Sorted, on the scale.
        way : int
            The place of a weight of the rule, or `ALONE`.
        number : int
            Jobs that have come.
        time : float
        """
        past = self.past
        first, end = np.searchsorted(past.number, [number / SINCE, number])
        jobs = first + np.flatnonzero(np.isfinite(past.forecasts[first:end, way, 0]))
        known = past.known[jobs] < time
        if known.sum() < FEWEST_MISSES:
            return waits
        so_far = np.where(known, past.wait[jobs], on_scale(time - past.time[jobs]))
        later = known.sum() - np.cumsum(known)
        misses = so_far - past.forecasts[jobs, way].T
        weights = 0.5 ** (later / HALF_LIFE)
        worth = independent(misses[:, known], weights[known])
        by = quantiles(misses, known, weights, farther(PLACES, worth))
        return np.sort(np.maximum(0, waits + by))

    def way(self, best: int, number: int, time: float) -> int:
        """Return `ALONE` if the replays alone have lately been clearly better than a weight of the rule, else that."""
        past = self.past
        first, end = np.searchsorted(past.number, [number / LATELY, number])
        jobs = first + np.flatnonzero(np.isfinite(past.forecasts[first:end, best, 0]) & (past.known[first:end] < time))
        jobs = jobs[-LATEST:]
        if len(jobs) < FEWEST_MISSES:
            return best
        better = self._score(jobs, best) - self._score(jobs, ALONE)
        return ALONE if better.mean() > CLEARLY * better.std() / np.sqrt(len(jobs)) else best

    def _score(self, jobs, way):
        """Return how good the corrected forecast of each was that was made in a way."""
        past, scores = self.past, self._scores[:, way]
        for k in jobs[np.isnan(scores[jobs])]:
            scores[k] = crps(self.moved(past.forecasts[k, way], way, past.number[k], past.time[k]), past.wait[k])
        return scores[jobs]

    def of_past(self, k: int) -> Forecast | None:
        """Return the forecast of a job of the past, by its place there, as it was when the job came."""
        if k not in self._of_past:
            past = self.past
            self._of_past[k] = self.forecast(past.number[k], past.time[k], past.rule[k], past.last[k])
        return self._of_past[k]

    def forecast(self, number: int, time: float, rule: np.ndarray, last: float) -> Forecast | None:
        """Return the forecast of a job when so many have come; None if the past is too short.

        Parameters
        ----------
        number : int
        time : float
        rule : float array, shape (10,)
        last : float
            What is known of the job, see :func:`mjq_logs.forecast.record.features`.
        """
        seen = self.past.at(number, time)
        if len(seen) < FEWEST:
            return None
        ways, best = self.past.waits(seen, rule, last), self.past.best(seen)
        way = self.way(best, number, time)
        alone = way == ALONE
        return Forecast(ways[best], self.moved(ways[way], way, number, time), 1.0 if alone else WEIGHTS[best], alone)
