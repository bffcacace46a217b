"""Forecasts of the past of a log, made as they would have been made then, and how good they were.

They are made for some of its jobs only: for all of the first thousand, for every second one of the next thousand, for
every fourth one of the next two thousand, and so on. So the same ones are taken however much longer the log becomes.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks, parallel
from mjq_logs.answers import Plain
from mjq_logs.questions.wait.by_rule import draw, waits_by_rule
from mjq_logs.questions.wait.nearest import LEVELS, SHARES, Past, on_scale, place
from mjq_logs.questions.wait.state import History

DRAWS = 100  # replays a forecast
PER_OCTAVE = 500  # forecasts, while the number of jobs doubles
LAST_PART = 2 / 3  # of the jobs have come before the forecasts that are judged
FEWEST_JUDGED = 50
DIGITS = 6  # of what was known of a job, so that rounding errors do not decide which job is nearest
HOPELESS = 1e7  # seconds for which a job is said to wait that needs more than the servers that are up


class ForecastRecord(Plain):
    """Say how good the forecasts of the last third of a log were; each was made from what was known at its time.

    An error is the mean of the absolute difference of log(1 + wait in minutes).
    """

    forecasts: int
    """Jobs for which one was made."""
    within: dict[str, float]
    """Share of the starts inside each interval, by its percentage and the randomized probability integral transform."""
    error: float
    """Error of the median."""
    error_of_mean: float
    """Error of a simple forecast: the mean wait so far, on the scale of log(1 + minutes)."""
    error_of_last: float
    """Error of another one: the wait of the last job with about the same need and the same limit."""
    error_of_rule: float
    """Error of the median of the replays alone."""


def numbers(first: float, end: int) -> list[int]:
    """Return for which jobs forecasts of the past are made, from one number to before another one.

    >>> numbers(998, 1006), numbers(1998, 2010)
    ([998, 999, 1000, 1002, 1004], [1998, 2000, 2004, 2008])
    """
    return [j for j in range(int(np.ceil(first)), end) if j % (1 << ((j // PER_OCTAVE).bit_length() or 1) - 1) == 0]


def features(
    jobs: History, time: float, arrived: int, need: ArrayLike, limit: float, policy: str
) -> tuple[np.ndarray, float]:
    """Return what is known of one more job: quantiles of its wait by the rule, and the wait of the last job alike.

    Both are on the scale of :mod:`mjq_logs.questions.wait.nearest`. The same state gives the same numbers.
    """
    rng = np.random.default_rng([arrived, round(limit)])
    what = draw(jobs, jobs.at(time, arrived), need, limit, DRAWS, rng)
    fits = checks.fits(need, what.up, what.up)
    waits = waits_by_rule(what, jobs.servers, policy) if fits else np.full(DRAWS, HOPELESS)
    rule = np.quantile(on_scale(waits), LEVELS)
    return rule, float(on_scale(jobs.last_wait_alike(time, need, limit)))


def past_of(
    jobs: History,
    policy: str,
    asked: Sequence[int],
    complete: float = np.inf,
    workers: parallel.Workers | None = 1,
    progress: bool | None = None,
) -> Past:
    """Return what was known of some jobs of a log when they came, by their numbers, and what became of them.

    By default no forecasts are made from them: see `complete` of :class:`~mjq_logs.questions.wait.nearest.Past`.
    """
    found: dict[int, tuple[np.ndarray, float]] = {}
    bar = parallel.Bar("forecasts of the past", len(asked), progress, delay=parallel.SOON)
    with bar, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sending large graph")  # each process needs the whole log
        todo = [(number, number) for number in asked]
        for known in parallel.map_as_completed(partial(_known_of, jobs, policy), todo, workers):
            found |= known
            bar.update(len(known))
    number = np.array(asked, dtype=np.int64)
    rule = np.array([found[k][0] for k in asked]).reshape(-1, len(LEVELS)).round(DIGITS)
    last = np.array([found[k][1] for k in asked]).round(DIGITS)
    came, started = jobs.arrival[number], jobs.start[number]
    return Past(number, came, started, rule, last, on_scale(started - came), complete)


def _known_of(jobs, policy, number):
    return features(jobs, jobs.arrival[number], number, jobs.need[number], jobs.limit[number], policy)


def record_of(jobs: History, past: Past, asked: Past | None = None) -> ForecastRecord | None:
    """Return how good forecasts of jobs of the last third of a log were, as far as they had started by its end.

    They rest on the `past`; the jobs are those that are asked for, or by default those of the past. None if there are
    too few.
    """
    asked = past if asked is None else asked
    started = np.sort(jobs.start[np.isfinite(jobs.start)])
    order = np.argsort(jobs.start, kind="stable")[: len(started)]
    total = np.cumsum(on_scale(jobs.start[order] - jobs.arrival[order]))
    rng, rows = np.random.default_rng(1), []
    for k in np.flatnonzero(asked.number >= LAST_PART * len(jobs.need)):
        forecast = past.forecast(asked.number[k], asked.time[k], asked.rule[k], asked.last[k])
        wait, so_far = float(asked.wait[k]), int(np.searchsorted(started, asked.time[k]))
        if forecast is None or not so_far or not np.isfinite(wait):
            continue
        waits, _ = forecast
        medians = np.median(waits), total[so_far - 1] / so_far, asked.last[k], np.median(asked.rule[k])
        rows.append((place(waits, wait, rng), *np.abs(np.array(medians) - wait)))
    if len(rows) < FEWEST_JUDGED:
        return None
    places, *columns = np.array(rows).T
    names = "error", "error_of_mean", "error_of_last", "error_of_rule"
    return ForecastRecord(
        forecasts=len(rows),
        within={f"{share:g}": float((np.abs(places - 0.5) <= share / 200).mean()) for share in SHARES},
        **{name: float(column.mean()) for name, column in zip(names, columns, strict=True)},
    )
