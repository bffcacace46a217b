"""What jobs really waited for which it looked the same: the forecast to which the rule and recent waits both lead.

Two things are known of a job when it comes: how long it would wait by the rule (ten quantiles of replays), and how
long the last job like it waited. The forecast is what those jobs of the past waited for which these two were nearest.
How much each of the two counts is the `weight` of the rule, the one with which earlier forecasts have been best.

Waits are looked at on the scale of log(1 + minutes). A difference on it is a factor for long waits, and minutes for
short ones: one long wait that is missed does not outweigh a thousand short ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

LEVELS = np.linspace(0.05, 0.95, 10)  # of the quantiles of the replays
WEIGHTS = 1.0, 0.75, 0.5, 0.25, 0.0  # of the rule, each of which gives a forecast
NEAREST_FORECASTS = 40  # forecasts of the past; from 39 on there is a 95 % interval
SHARES = 50.0, 80.0, 95.0  # in percent, of the intervals
FEWEST_FORECASTS = 100  # forecasts of the past that there must be
MEMORY = 3.0  # those count that were made after this part of the jobs had come
SAME = 1e-9  # on the scale
MINUTE = 60.0


def on_scale(wait: ArrayLike) -> np.ndarray:
    """Return log(1 + minutes) for seconds."""
    return np.log1p(np.maximum(wait, 0) / MINUTE)


def off_scale(value: ArrayLike) -> np.ndarray:
    """Return seconds for log(1 + minutes)."""
    return MINUTE * np.expm1(value)


def crps(samples: np.ndarray, value: ArrayLike) -> np.ndarray:
    """Return the continuous ranked probability score of sorted samples along the last axis; low is good.

    It is E|X - y| - E|X - X'| / 2.

    >>> float(crps(np.array([1.0, 3.0]), 2.0))
    0.5
    """
    size = samples.shape[-1]
    ranks = 2 * np.arange(size) - (size - 1)
    from_value = np.abs(samples - np.asarray(value)[..., None]).mean(axis=-1)
    return from_value - samples @ ranks / size**2


def place(sample: np.ndarray, value: float, rng: np.random.Generator) -> float:
    """Return the randomized probability integral transform: a place within the sample, at random among equal values.

    If the value is one more of the sample, it is uniform between 0 and 1.

    >>> 0 < place(np.zeros(9), 0.0, np.random.default_rng(1)) < 1
    True
    """
    below, equal = (sample < value - SAME).sum(), (np.abs(sample - value) <= SAME).sum()
    return float((below + rng.random() * (equal + 1)) / (len(sample) + 1))


def interval(waits: np.ndarray, share: float) -> tuple[float, float]:
    """Return the ends of an interval that holds one more of these waits with this probability, in percent.

    Nineteen waits divide the numbers into twenty parts, and one more lies in each with the same probability:

    >>> [[round(end, 9) for end in interval(np.arange(1.0, 20.0), share)] for share in (50, 80)]
    [[5.0, 15.0], [2.0, 18.0]]

    Of forty waits, the shortest and the longest enclose 39 parts of 41, which is more than 95 %:

    >>> low, high = interval(np.arange(1.0, 41.0), 95)
    >>> 1 < low < 1.1 and 39.9 < high < 40
    True
    """
    ends = np.quantile(waits, [0.5 - share / 200, 0.5 + share / 200], method="weibull")
    return float(ends[0]), float(ends[1])


@dataclass(frozen=True, eq=False)
class Past:
    """Hold what was known of jobs of the past, in the order in which they came, and what became of them."""

    number: np.ndarray  # of jobs that had come before
    time: np.ndarray  # when each came
    known: np.ndarray  # when it started
    rule: np.ndarray  # quantiles of the waits in the replays, on the scale, shape (P, 10)
    last: np.ndarray  # what the last job alike waited, on the scale
    wait: np.ndarray  # what this one did
    complete: float  # those with at least this number have their whole past here

    def at(self, number: int, time: float) -> np.ndarray:
        """Return those that count when so many jobs have come, the latest first: they had started before this time."""
        first, end = np.searchsorted(self.number, [number / MEMORY, number])
        return first + np.flatnonzero(self.known[first:end] < time)[::-1]

    def waits(self, past: np.ndarray, rule: np.ndarray, last: float) -> np.ndarray:
        """Return the forecasts of a job, on the scale: sorted waits, in a row for each weight of the rule.

        They are what the nearest of the past waited. How far two jobs are from each other is the mean difference of the
        quantiles by the rule, times the weight, and that of the waits of the last jobs alike, times the rest. As the
        rule says more for this job than for a near one, so much longer, times the weight, is the wait taken to be.
        """
        by_rule = np.abs(self.rule[past] - rule).mean(axis=1)
        by_last = np.abs(self.last[past] - last)
        more = np.median(rule) - np.median(self.rule[past], axis=1)
        weights = np.array(WEIGHTS)[:, None]
        near = np.argsort(weights * by_rule + (1 - weights) * by_last, axis=1, kind="stable")[:, :NEAREST_FORECASTS]
        return np.sort(np.maximum(0, self.wait[past][near] + weights * more[near]), axis=1)

    @cached_property
    def forecasts(self) -> np.ndarray:
        """Return the forecasts of each from its own past, shape (P, 5, 40); not a number where that is too short."""
        made = np.full((len(self.number), len(WEIGHTS), NEAREST_FORECASTS), np.nan)
        for k in range(np.searchsorted(self.number, self.complete), len(self.number)):
            seen = self.at(self.number[k], self.time[k])
            if len(seen) >= FEWEST_FORECASTS:
                made[k] = self.waits(seen, self.rule[k], self.last[k])
        return made

    @cached_property
    def scores(self) -> np.ndarray:
        """Return how good the forecast of each was under each weight, as its :func:`crps`; shape (P, 5)."""
        return crps(self.forecasts, self.wait[:, None])

    def forecast(self, number: int, time: float, rule: np.ndarray, last: float) -> tuple[np.ndarray, float] | None:
        """Return the forecast of a job when so many have come, and the weight of the rule; None for a short past.

        What is known of the job, `rule` and `last`, are its :func:`~mjq_logs.questions.wait.record.features`.
        """
        seen = self.at(number, time)
        if len(seen) < FEWEST_FORECASTS:
            return None
        best = int(np.argmin(np.nansum(self.scores[seen], axis=0)))  # the first weight if none has a score
        return self.waits(seen, rule, last)[best], WEIGHTS[best]
