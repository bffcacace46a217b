"""What jobs really waited for which it looked the same: the forecast to which the rule and recent waits both lead.

Two things are known of a job when it comes: how long it would wait by the rule (ten quantiles of replays), and how
long the last job like it waited. The forecast is what those jobs of the past waited for which these two were nearest.
How much each of the two counts is the `weight` of the rule, the one with which earlier forecasts have been best.

Waits are looked at on the scale of the logarithm of 1 + their minutes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

__all__ = [  # noqa: RUF022, in the order of reading
    "FEWEST", "LEVELS", "MEMORY", "NEAREST", "WEIGHTS", "SHARES", "Past", "crps", "off_scale", "on_scale",
    "place",
]  # fmt: skip

MINUTE = 60.0
LEVELS = np.linspace(0.05, 0.95, 10)  # of the quantiles of the replays
WEIGHTS = 1.0, 0.75, 0.5, 0.25, 0.0  # of the rule
NEAREST = 40  # forecasts of the past; from 39 on there is a 95 % interval
SHARES = 50.0, 80.0, 95.0  # in percent, of the intervals
FEWEST = 100  # forecasts of the past that there must be
MEMORY = 3.0  # those count that were made after this part of the jobs had come
SAME = 1e-9  # on the scale


def on_scale(wait: ArrayLike) -> np.ndarray:
    """Return log(1 + minutes) for seconds."""
    return np.log1p(np.maximum(wait, 0) / MINUTE)


def off_scale(value: ArrayLike) -> np.ndarray:
    """Return seconds for log(1 + minutes)."""
    return MINUTE * np.expm1(value)


def crps(samples: np.ndarray, value: float) -> np.ndarray:
    """Return the continuous ranked probability score of sorted samples along the last axis; low is good.

    It is E|X - y| - E|X - X'| / 2.

    >>> float(crps(np.array([1.0, 3.0]), 2.0))
    0.5
    """
    size = samples.shape[-1]
    ranks = 2 * np.arange(size) - (size - 1)
    return np.abs(samples - value).mean(axis=-1) - samples @ ranks / size**2


def place(sample: np.ndarray, value: float, rng: np.random.Generator) -> float:
    """Return the randomized probability integral transform: a place within the sample, at random among equal values.

    If the value is one more of the sample, it is uniform between 0 and 1.

    >>> 0 < place(np.zeros(9), 0.0, np.random.default_rng(1)) < 1
    True
    """
    below, equal = (sample < value - SAME).sum(), (np.abs(sample - value) <= SAME).sum()
    return float((below + rng.random() * (equal + 1)) / (len(sample) + 1))


@dataclass(frozen=True, eq=False)
class Past:
    """Hold what was known of jobs of the past, in the order in which they came, and what became of them.

    Attributes
    ----------
    number : int array, shape (P,)
        Jobs that had come before.
    time, known : float array, shape (P,)
        When each came, and when it started.
    rule : float array, shape (P, 10)
        Quantiles of the waits in the replays, on the scale.
    last, wait : float array, shape (P,)
        What the last job alike waited, and what this one did, on the scale.
    scores : float array, shape (P, 5)
        How good the forecast of each was, made from its own past, under each weight of the rule; not a number where
        that is not known.
    """

    number: np.ndarray
    time: np.ndarray
    known: np.ndarray
    rule: np.ndarray
    last: np.ndarray
    wait: np.ndarray
    scores: np.ndarray

    def at(self, number: int, time: float) -> np.ndarray:
        """Return those that count when so many jobs have come, the latest first: they had started by this time."""
        first, end = np.searchsorted(self.number, [number / MEMORY, number])
        return first + np.flatnonzero(self.known[first:end] <= time)[::-1]

    def waits(self, past: np.ndarray, rule: np.ndarray, last: float) -> np.ndarray:
        """Return what the nearest of the past waited, sorted, a row for each weight of the rule; on the scale.

        How far two jobs are from each other is the mean difference of the quantiles by the rule, times the weight, and
        that of the waits of the last jobs alike, times the rest. As the rule says more for this job than for a near
        one, so much longer, times the weight, is the wait taken to be.
        """
        by_rule = np.abs(self.rule[past] - rule).mean(axis=1)
        by_last = np.abs(self.last[past] - last)
        more = np.median(rule) - np.median(self.rule[past], axis=1)
        weights = np.array(WEIGHTS)[:, None]
        near = np.argsort(weights * by_rule + (1 - weights) * by_last, axis=1, kind="stable")[:, :NEAREST]
        return np.sort(np.maximum(0, self.wait[past][near] + weights * more[near]), axis=1)

    def score(self, k: int) -> np.ndarray | None:
        """Return how good the forecast of one was under each weight, from its own past; None if that is too short."""
        past = self.at(self.number[k], self.time[k])
        if len(past) < FEWEST or not np.isfinite(self.wait[k]):
            return None
        return crps(self.waits(past, self.rule[k], self.last[k]), self.wait[k])
