"""Forecasts of the past of a log, made as they would have been made then, and how good they were.

They are made for some of its jobs only: for all of the first thousand, for every second one of the next thousand, for
every fourth one of the next two thousand, and so on. So the same ones are taken however much longer the log becomes.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import parallel
from mjq_logs._util import fingerprints, folders
from mjq_logs.answers import Plain
from mjq_logs.questions.wait.by_rule import LATER_JOBS, drawn, fits_in, waits_by_rule
from mjq_logs.questions.wait.nearest import LEVELS, MEMORY, SHARES, Past, place
from mjq_logs.questions.wait.scale import on_scale
from mjq_logs.questions.wait.state import History

DRAWS = 100  # replays a forecast
PER_OCTAVE = 500  # forecasts, while the number of jobs doubles
LAST_PART = 2 / 3  # of the jobs have come before the forecasts that are judged
FEWEST_JUDGED = 50
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
    what = drawn(jobs, jobs.at(time, arrived), need, limit, DRAWS, rng)
    fits = fits_in(np.asarray(need), what.up)
    waits = waits_by_rule(what, jobs.servers, policy) if fits else np.full(DRAWS, HOPELESS)
    rule = np.quantile(on_scale(waits), LEVELS)
    return rule, float(on_scale(jobs.last_wait_alike(time, need, limit)))


def rows_of(jobs: History, policy: str, number: int) -> dict:
    """Return what was known of one job of the log when it came, as plain data."""
    rule, last = features(jobs, jobs.arrival[number], number, jobs.need[number], jobs.limit[number], policy)
    return {"rule": [round(float(x), 6) for x in rule], "last": round(last, 6)}


def past_of(
    jobs: History,
    policy: str,
    first: float,
    end: int,
    keep: Path | None = None,
    workers: parallel.Workers | None = 1,
    progress: bool | None = None,
) -> Past:
    """Return the forecasts of the past of a log, from a number of jobs to before another one.

    Parameters
    ----------
    jobs : History
    policy : str
    first : float
    end : int
    keep : path, optional
        A folder in which they are kept, in a file for each log and policy; they are made once.
    workers : int or distributed.Client or None
        As for :func:`mjq._util.parallel.map_as_completed`.
    progress : bool, optional
        Show a progress bar; by default on a terminal.
    """
    wanted, log = numbers(first, end), fingerprint(jobs)
    path = None
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        path = keep / f"{log}-{policy}.json"
    code = fingerprints.code("mjq", "mjq_logs")
    described = dict(code=code, log=log, policy=policy, draws=DRAWS, later=LATER_JOBS)
    found = json.loads(path.read_bytes()) if path and path.exists() else None
    made = {int(number): row for number, row in found["rows"].items()} if found and found["of"] == described else {}
    todo = [(number, number) for number in wanted if number not in made]
    bar = parallel.Bar("forecasts of the past", len(todo), progress, delay=parallel.SOON)
    with bar, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sending large graph")  # each process needs the whole log
        for rows in parallel.map_as_completed(partial(rows_of, jobs, policy), todo, workers):
            made |= rows
            bar.update(len(rows))
    if path and todo:
        folders.write(path, json.dumps({"of": described, "rows": made}).encode())
    kept = [made[number] for number in wanted]
    return Past(
        np.array(wanted, dtype=np.int64),
        jobs.arrival[wanted],
        jobs.start[wanted],
        np.array([row["rule"] for row in kept]).reshape(-1, len(LEVELS)),
        np.array([row["last"] for row in kept]),
        on_scale(jobs.start[wanted] - jobs.arrival[wanted]),
        MEMORY * first,
    )


def fingerprint(jobs: History) -> str:
    """Return what tells this log from another one."""
    calendar = () if jobs.calendar is None else (jobs.calendar.since, jobs.calendar.up)
    arrays: tuple[Any, ...] = (jobs.times,) if (jobs.times > 1).any() else ()
    columns = jobs.arrival, jobs.start, jobs.end, jobs.need, jobs.limit
    return fingerprints.of_arrays(jobs.servers, *columns, *calendar, *arrays)


def record_of(jobs: History, past: Past) -> ForecastRecord | None:
    """Return how good the forecasts of the last third of a log were; None if the log is too short to tell."""
    asked = np.flatnonzero(past.number >= LAST_PART * len(jobs.need))
    return judged(jobs, past, past.number[asked].tolist(), past.rule[asked], past.last[asked])


def judged(
    jobs: History, past: Past, asked: Sequence[int], rule: np.ndarray, last: np.ndarray
) -> ForecastRecord | None:
    """Return how good the forecasts of some jobs were, as far as they had started by the end of the log.

    Parameters
    ----------
    jobs : History
    past : Past
        From a ninth of the lowest number asked for on.
    asked : sequence of int
        Numbers of jobs.
    rule, last : float array, shape (n, 10) and (n,)
        Their :func:`features`.

    Returns
    -------
    ForecastRecord or None
        None if there are too few.
    """
    started = np.sort(jobs.start[np.isfinite(jobs.start)])
    order = np.argsort(jobs.start, kind="stable")[: len(started)]
    total = np.cumsum(on_scale(jobs.start[order] - jobs.arrival[order]))
    rng, rows = np.random.default_rng(1), []
    for k, number in enumerate(asked):
        time, wait = jobs.arrival[number], float(on_scale(jobs.start[number] - jobs.arrival[number]))
        forecast, so_far = past.forecast(number, time, rule[k], last[k]), int(np.searchsorted(started, time))
        if forecast is None or not so_far or not np.isfinite(wait):
            continue
        waits, _ = forecast
        medians = np.median(waits), total[so_far - 1] / so_far, last[k], np.median(rule[k])
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
