"""Forecasts of the past of a log, made as they would have been made then, and how good they were.

They are made for some of its jobs only: for all of the first thousand, for every second one of the next thousand, for
every fourth one of the next two thousand, and so on. So the same ones are taken however much longer the log becomes.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import parallel
from mjq.simulation.limits import FREE
from mjq_logs._util import fingerprints
from mjq_logs._util.journal import Journal
from mjq_logs.answers import ForecastRecord, HeldLately
from mjq_logs.forecast import nearest
from mjq_logs.forecast.by_rule import LATER, drawn, waits_by_rule, within
from mjq_logs.forecast.correction import Correction
from mjq_logs.forecast.nearest import LEVELS, MEMORY, Past, interval, place
from mjq_logs.forecast.state import History
from mjq_logs.reading.log import HOUR
from mjq_logs.scale import off_scale, on_scale

DRAWS = 100  # replays a forecast
PER_OCTAVE = 500  # forecasts, while the number of jobs doubles
LAST_PART = 2 / 3  # of the jobs have come before the forecasts that are judged
FEWEST_JUDGED = 50
LATEST = 100  # forecasts that tell whether the intervals have held lately
SHARE = 80.0  # percent, of the interval that tells it
HOPELESS = 1e7  # seconds for which a job is said to wait that needs more than the servers that are up


def numbers(first: float, end: int) -> list[int]:
    """Return for which jobs forecasts of the past are made, from one number to before another one.

    >>> numbers(998, 1006), numbers(1998, 2010)
    ([998, 999, 1000, 1002, 1004], [1998, 2000, 2004, 2008])
    """
    return [j for j in range(int(np.ceil(first)), end) if j % (1 << ((j // PER_OCTAVE).bit_length() or 1) - 1) == 0]


def features(
    jobs: History, time: float, arrived: int, need: ArrayLike, limit: float, policy: str, group: ArrayLike = FREE
) -> tuple:
    """Return what is known of one more job: quantiles of its wait by the rule, and the wait of the last job alike.

    Both are on the scale of :mod:`mjq_logs.forecast.nearest`. The same state gives the same numbers.
    """
    rng = np.random.default_rng([arrived, round(limit)])
    what = drawn(jobs, jobs.at(time, arrived), need, limit, DRAWS, rng, group=group)
    fits = within(np.asarray(need), what.up)
    waits = waits_by_rule(what, jobs.servers, policy) if fits else np.full(DRAWS, HOPELESS)
    rule = np.quantile(on_scale(waits), LEVELS)
    return rule, float(on_scale(jobs.last_wait_alike(time, need, limit)))


def rows_of(jobs: History, policy: str, number: int) -> dict:
    """Return what was known of one job of the log when it came, as plain data."""
    of_job = jobs.need[number], jobs.limit[number], policy, jobs.group[number]
    rule, last = features(jobs, jobs.arrival[number], number, *of_job)
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
    keep, workers, progress
        As for :func:`kept_rows`.
    """
    wanted = numbers(first, end)
    kept = kept_rows(rows_of, jobs, policy, wanted, "", keep, workers, progress)
    return Past(
        np.array(wanted, dtype=np.int64),
        jobs.arrival[wanted],
        jobs.start[wanted],
        np.array([row["rule"] for row in kept]).reshape(-1, len(LEVELS)),
        np.array([row["last"] for row in kept]),
        on_scale(jobs.start[wanted] - jobs.arrival[wanted]),
        MEMORY * first,
    )


def kept_rows(
    of_one: Callable[[History, str, int], dict],
    jobs: History,
    policy: str,
    wanted: Sequence[int],
    kind: str,
    keep: Path | None = None,
    workers: parallel.Workers | None = 1,
    progress: bool | None = None,
) -> list[dict]:
    """Return what was known at some times of the past, which are numbers of jobs that had come.

    Parameters
    ----------
    of_one : callable
        From the history, the policy and a number to plain data.
    jobs : History
    policy : str
    wanted : sequence of int
    kind : str
        What tells this from other rows of the same log and policy.
    keep : path, optional
        A folder in which they are kept, in a file for each log, policy and kind; they are made once.
    workers : int or distributed.Client or None
        As for :func:`mjq._util.parallel.map_as_completed`.
    progress : bool, optional
        Show a progress bar; by default on a terminal.
    """
    described = {
        "code": fingerprints.code("mjq", "mjq_logs"),
        "log": fingerprint(jobs), "policy": policy, "draws": DRAWS, "later": LATER, "kind": kind,
    }  # fmt: skip
    path = None
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        path = keep / f"{described['log']}-{policy}{kind}.jsonl"
    journal = Journal(path, described, force=True)
    todo = [(number, number) for number in wanted if number not in journal.rows]
    bar = parallel.Bar("forecasts of the past", len(todo), progress, delay=parallel.SOON)
    with bar, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sending large graph")  # each process needs the whole log
        for rows in parallel.map_as_completed(partial(of_one, jobs, policy), todo, workers):
            journal.note(rows)
            bar.update(len(rows))
    return [journal.rows[number] for number in wanted]


def fingerprint(jobs: History) -> str:
    """Return what tells this log from another one."""
    calendar = () if jobs.calendar is None else (jobs.calendar.since, jobs.calendar.up)
    arrays: tuple[Any, ...] = (jobs.times,) if (jobs.times > 1).any() else ()
    if jobs.rules is not None:
        arrays += jobs.rules.fingerprint(), jobs.clock, jobs.zone, *map(str, jobs.gaps), jobs.weekly is not None
        arrays += (jobs.group,) if jobs.rules.limits_users or jobs.rules.queues else ()
    columns = jobs.arrival, jobs.start, jobs.end, jobs.need, jobs.limit
    return fingerprints.of_arrays(jobs.servers, *columns, *calendar, *arrays)


def judged(jobs: History, past: Past, asked: Sequence[int], rule: np.ndarray, last: np.ndarray) -> dict | None:
    """Return how good the forecasts of some jobs were, which had started by the end of the log.

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
    dict or None
        An array by name, with an entry for each forecast: its place among the waits that were forecast, and the error
        of their median, after they were corrected and before; errors of others; the weight of the rule, and whether the
        replays alone were used. None if the past is too short.
    """
    correction = Correction(past)
    each = zip(asked, jobs.arrival[asked], rule, last, strict=True)
    return _judged(jobs, asked, rule, last, [correction.forecast(*job) for job in each])


def _judged(jobs, asked, rule, last, forecasts):
    started = np.sort(jobs.start[np.isfinite(jobs.start)])
    order = np.argsort(jobs.start, kind="stable")[: len(started)]
    total = np.cumsum(on_scale(jobs.start[order] - jobs.arrival[order]))
    rng, rows = np.random.default_rng(1), []
    for k, (number, forecast) in enumerate(zip(asked, forecasts, strict=True)):
        time, wait = jobs.arrival[number], float(on_scale(jobs.start[number] - jobs.arrival[number]))
        so_far = int(np.searchsorted(started, time))
        if forecast is None or not so_far or not np.isfinite(wait):
            continue
        waits = forecast.after, forecast.before
        medians = *(np.median(each) for each in waits), total[so_far - 1] / so_far, last[k], np.median(rule[k])
        places = [place(each, wait, rng) for each in waits]
        rows.append((*places, *np.abs(np.array(medians) - wait), forecast.weight, forecast.alone))
    if not rows:
        return None
    names = "place", "place_before", "error", "error_before", "mean", "last", "rule", "weight", "alone"
    return dict(zip(names, np.array(rows, dtype=float).T, strict=True))


def record_of(jobs: History, correction: Correction) -> ForecastRecord | None:
    """Return how good the forecasts of the last third of a log were; None if the log is too short to tell."""
    past = correction.past
    asked = np.flatnonzero(past.number >= LAST_PART * len(jobs.need))
    forecasts = [correction.of_past(k) for k in asked.tolist()]
    results = _judged(jobs, past.number[asked].tolist(), past.rule[asked], past.last[asked], forecasts)
    return None if results is None else as_record(results)


def as_record(results: dict) -> ForecastRecord | None:
    """Return a record of forecasts that were judged; None if there are too few."""
    if len(results["place"]) < FEWEST_JUDGED:
        return None
    mean = {name: float(column.mean()) for name, column in results.items()}
    return ForecastRecord(
        forecasts=len(results["place"]),
        within=_within(results["place"]),
        within_before=_within(results["place_before"]),
        error=mean["error"],
        error_before=mean["error_before"],
        error_of_mean=mean["mean"],
        error_of_last=mean["last"],
        error_of_rule=mean["rule"],
        weight_of_rule=mean["weight"],
        rule_alone=mean["alone"],
    )


def _within(places):
    """Return the share of the waits inside each interval, by their places."""
    return {f"{share:g}": float((np.abs(places - 0.5) <= share / 200).mean()) for share in nearest.SHARES}


def lately(correction: Correction, number: int, time: float) -> HeldLately | None:
    """Return how many of the latest 80 % intervals held, as far as it was known; None if too few were made.

    An interval has ended once its upper end has passed. Then it is known of its job whether it started in time: of one
    that still waits, too.

    Parameters
    ----------
    correction : Correction
    number : int
        Jobs that had come.
    time : float
    """
    past, rng = correction.past, np.random.default_rng(1)
    made, ended = 0, []
    for k in range(*np.searchsorted(past.number, [LAST_PART * number, number])):
        came, forecast = past.time[k], correction.of_past(k)
        made += forecast is not None
        if forecast is not None and came + off_scale(interval(forecast.after, SHARE)[1]) < time:
            wait = min(past.wait[k], float(on_scale(time - came)))
            ended.append((came, abs(place(forecast.after, wait, rng) - 0.5) <= SHARE / 200))
    if made < FEWEST_JUDGED:
        return None
    latest = ended[-LATEST:]
    return HeldLately(
        made=made,
        ended=len(ended),
        forecasts=len(latest),
        held=sum(int(held) for _, held in latest),
        hours=(time - latest[0][0]) / HOUR if latest else 0.0,
    )
