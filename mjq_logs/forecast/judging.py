"""How good promised starts were, beside our own forecasts and the simplest ones at the same times.

All of them are judged by one rule on the same promises. The error of a promise is the difference of log(1 + minutes)
between the wait that was promised, from the time of the promise on, and the one that came.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy import special

from mjq._util import checks, parallel
from mjq.simulation import policies
from mjq_logs.answers import Interval, LeadScore, LeftOut, PromiseScore, PromisesJudged
from mjq_logs.forecast.correction import Correction
from mjq_logs.forecast.nearest import LEVELS, MEMORY, interval
from mjq_logs.forecast.promises import Promises
from mjq_logs.forecast.record import LAST_PART
from mjq_logs.forecast.state import History, history
from mjq_logs.forecast.waiting import features_in_queue, past_of_waiting
from mjq_logs.intervals import BLOCKS, effective_number, in_blocks
from mjq_logs.reading.clock import local
from mjq_logs.reading.log import HOUR, Log
from mjq_logs.reading.names import hashed, of_one_job
from mjq_logs.reading.rows import CANCELLED, WAITING
from mjq_logs.scale import errors, off_scale

MOST = 1000  # promises that are judged; of more, as many that are spread evenly
SHARE = 80.0  # percent, of our own intervals
LEADS = 0.0, 0.25, 1.0, 4.0, 24.0, np.inf  # hours from a promise to the promised start
CLOCKS = 60.0  # seconds by which a promise may be earlier than the submission: it is dated before the queue is read
DAY, MINUTE = 86_400.0, 60.0
MOST_ODD = 0.1  # share of the promises that may not agree with the log in time
FIRST = 3  # jobs that are named for each reason
PLAIN = r"^\d{1,18}$"
FEWEST_DAYS = 12  # independent ones, from which on there is an interval
FEW_DAYS = 40  # of them, below which the log may have missed its worst days by luck
NORMAL, STUDENT = float(special.ndtri(0.975)), float(special.stdtrit(BLOCKS - 1, 0.975))
PROMISED, OWN, RULE, ALIKE, NOW = "promises", "mjq", "replays alone", "jobs alike", "at once"
NONE_MADE = "no start was promised"
NOT_THERE = "the job is not in the log"
STARTED = "the job had started before"
NO_START = "the log does not say when the job started"
TOO_EARLY = "the job was submitted later"
REASONS = {CANCELLED: "the job never started", WAITING: "the job still waited when the log was taken"}


class Forecasts(NamedTuple):
    """Hold what was forecast for some promises: when each job starts, as waits from the time of the promise [s]."""

    wait: np.ndarray
    low: np.ndarray
    high: np.ndarray


def judge_promises(
    log: Log,
    promises: Promises,
    policy: str = "easy",
    *,
    most: int = MOST,
    keep: str | Path | None = None,
    workers: parallel.Workers | None = 1,
    progress: bool | None = None,
) -> PromisesJudged:
    r"""Judge promised starts by the starts that came, beside forecasts that were possible at the same times.

    With the wait P that was promised and the wait W that came, both from the time of the promise on, the *error* is the
    mean of

    .. math:: | \log(1 + P / \mathrm{min}) - \log(1 + W / \mathrm{min}) |,

    and the *bias* is the mean of P - W: positive where jobs started sooner than promised. Beside the promises stand our
    own forecasts (:func:`own_promises`), the median of the replays alone, the median of what the latest jobs alike
    still waited, and the promise that the job starts at once.

    The interval of an error is that of a mean over promises, where those of the jobs of one day say the same; see
    :func:`interval_of_mean`.

    Parameters
    ----------
    log : Log
        With starts. If it has no limits and the policy looks at times, there are no forecasts of ours.
    promises : Promises
        See :func:`mjq_logs.forecast.promises.read_promises`. If a job was requeued, a promise is one of its next
        start. Of an array that waits, it is one of the start of its next task.
    policy : str
        Of the replays.
    most : int
        Promises that are judged: of more, one is drawn from each of as many successive groups of equal size.
    keep, workers, progress
        As for :func:`mjq_logs.forecast.starts.forecast_starts`.

    Returns
    -------
    PromisesJudged

    Raises
    ------
    ValueError
        If none of the promises can be judged, the log does not say when its jobs came and started, or a number violates
        a constraint.

    Examples
    --------
    Three jobs on one server; the second and the third one are promised to start five minutes too late.

    >>> log = Log(need=np.ones(3), run=np.full(3, 3600), submit=[0, 60, 120], start=[0, 3600, 7200],
    ...     estimate=np.full(3, 3600), number=[1, 2, 3], servers=1)
    >>> judged = judge_promises(log, Promises([600, 600, 600], ["2", "3", "4"], [3900, 7500, 7500]))
    >>> judged.scores[0].bias, judged.jobs, [(reason.why, reason.jobs) for reason in judged.left_out]
    (5.0, 2, [('the job is not in the log', ['4'])])
    """
    most = checks.count("most", most)
    log.require_waits()
    if log.start is None:
        raise ValueError("the log does not say when its jobs started, so nobody can judge promises of it")
    place, why = _matched(log, promises)
    left_out = [_left_out(reason, promises, why) for reason in sorted({reason for reason in why if reason})]
    usable = np.flatnonzero(place >= 0)
    if not len(usable):
        reasons = ", ".join(f"{row.why} ({row.promises})" for row in left_out)
        raise ValueError(f"none of {len(promises)} promises can be judged: {reasons}")
    usable = usable[np.lexsort((promises.start[usable], np.array(promises.job)[usable], promises.time[usable]))]
    chosen = _spread(usable, most)
    asked, job = promises.of(chosen), place[chosen]
    real = log.start[job] - asked.time
    by_name = {PROMISED: Forecasts(asked.start - asked.time, asked.low - asked.time, asked.high - asked.time)}
    notes = []
    if log.estimate is None and policies.policy(policy).knows_times:
        notes.append(
            f"The log does not say the limits of its jobs, at which {policy} looks. So there are no forecasts of mjq "
            "beside the promises; fcfs and first-fit look at no limits."
        )
    else:
        by_name |= _ours(log, asked.time, job, policy, keep, workers, progress)
        if not np.isfinite(by_name[OWN].low).any():
            notes.append(
                "The log is too short to tell how good our forecasts are. So those of mjq are the replays alone."
            )
    by_name[NOW] = _points(np.zeros(len(job)))
    days = _days(log, asked.time, job)
    missed = {name: errors(real, forecasts.wait) for name, forecasts in by_name.items()}
    scores = [_score(name, each, real, missed[name], job, days) for name, each in by_name.items()]
    lead = by_name[PROMISED].wait / HOUR
    return PromisesJudged(
        promises=len(promises),
        usable=len(usable),
        judged=len(chosen),
        jobs=len(np.unique(job)),
        policy=policy,
        left_out=left_out,
        scores=scores,
        gain=interval_of_mean(missed[PROMISED] - missed[OWN], days) if OWN in by_name else None,
        by_lead=[
            _by_lead(ends, which, by_name, real, missed, job, days)
            for ends in zip(LEADS, LEADS[1:], strict=False)
            if (which := (np.maximum(lead, 0) >= ends[0]) & (np.maximum(lead, 0) < ends[1])).any()
        ],
        lines=log.lines,
        notes=[*log.notes, *notes],
        warnings=_doubts(promises, why),
    )


def own_promises(
    log: Log,
    promises: Promises,
    policy: str = "easy",
    *,
    keep: str | Path | None = None,
    workers: parallel.Workers | None = 1,
    progress: bool | None = None,
) -> Promises:
    """Return our own promises for the same jobs at the same times, with 80 % intervals.

    Each is made from what was known at its time: the replays of the running and waiting jobs from the job's own place
    in the queue, and what the latest jobs alike waited beyond what it has waited by then. It is the median of what
    those jobs of the past still waited that had waited as well and for which both said about the same, corrected by the
    misses of earlier ones; see :mod:`mjq_logs.forecast.waiting`. Where the log is too short, it is the median of the
    replays, and there are no intervals.

    Parameters
    ----------
    log, policy, keep, workers, progress
        As for :func:`judge_promises`; the log has limits.
    promises : Promises
        Those of jobs that are not in the log, or that had started before, are left out.

    Returns
    -------
    Promises
    """
    place, _ = _matched(log, promises, promised=False)
    usable = np.flatnonzero(place >= 0)
    asked = promises.of(usable)
    ours = _ours(log, asked.time, place[usable], policy, keep, workers, progress)[OWN]
    return Promises(asked.time, asked.job, *(asked.time + each for each in ours))


# --- Whose start it is ------------------------------------------------------------------------------------------------


def _matched(log, promises, promised=True):
    """Return the place in the log of the job of each promise, -1 where it cannot be judged, and why not.

    It is the first start of a job of this name that is not before the promise. If nothing need be `promised`, a promise
    without a start counts, too.
    """
    table = pl.DataFrame({"name": hashed(promises.job), "time": promises.time}).with_row_index("row")
    place, known = np.full(len(promises), -1), np.zeros(len(promises), dtype=bool)
    no_start = known.copy()
    text = pl.DataFrame({"name": promises.job}).select(of_one_job(pl.col("name"))).to_series()
    numbers = text.set(~text.str.contains(PLAIN), None).cast(pl.Int64)
    for ours, theirs in ((log.name, table["name"]), (log.number, numbers)):  # a name comes first
        if ours is None:
            continue
        jobs = pl.DataFrame({"key": ours, "start": log.start}).with_row_index("place")
        if ours is log.name:
            jobs = jobs.filter(pl.col("key") != 0)
        asked = table.with_columns(key=theirs.cast(jobs["key"].dtype, strict=False)).filter(
            pl.col("key").is_not_null() & ~pl.Series(known)
        )
        there = asked["key"].is_in(jobs["key"].implode())
        rows = asked["row"].filter(there).to_numpy()
        known[rows] = True
        unknown = jobs.filter(pl.col("start").is_nan())["key"]
        no_start[asked["row"].filter(asked["key"].is_in(unknown.implode())).to_numpy()] = True
        next_start = asked.sort("time").join_asof(
            jobs.filter(~pl.col("start").is_nan()).sort("start").select("key", "start", "place"),
            left_on="time", right_on="start", by="key", strategy="forward", check_sortedness=False,
        )  # fmt: skip
        next_start = next_start.filter(pl.col("place").is_not_null())
        place[next_start["row"].to_numpy()] = next_start["place"].to_numpy()
    why = np.where(known, np.where(no_start, NO_START, STARTED), NOT_THERE).astype(object)
    if log.unused is not None:
        reasons = dict(zip(log.unused.name.tolist(), log.unused.reason.tolist(), strict=True))
        for k in np.flatnonzero(~known):
            reason = reasons.get(table["name"][int(k)])
            if reason is not None:
                word = log.unused.reasons[reason]
                why[k] = REASONS.get(word, f"the line of the job is not used: {word}")
    why[place >= 0] = ""
    submit = log.submit if log.submit is not None else log.arrival
    early = (place >= 0) & (promises.time < submit[place] - CLOCKS)
    for reason, which in ((TOO_EARLY, early), (NONE_MADE, promised & np.isnan(promises.start))):
        place[which], why[which] = -1, reason
    return place, why


def _left_out(reason, promises, why):
    """Return how many promises are left out for a reason, and of which jobs."""
    jobs = list(dict.fromkeys(np.array(promises.job, dtype=object)[why == reason].tolist()))
    return LeftOut(why=reason, promises=int((why == reason).sum()), number=len(jobs), jobs=sorted(jobs)[:FIRST])


def _spread(places, most):
    """Return at most so many of these places: one at random of each of as many successive groups of equal size."""
    if len(places) <= most:
        return places
    ends = np.linspace(0, len(places), most + 1).astype(int)
    return places[np.random.default_rng(1).integers(ends[:-1], ends[1:])]


def _doubts(promises, why):
    """Warn where the clocks of both files seem to differ."""
    odd = int(np.isin(why, [TOO_EARLY, STARTED]).sum())
    made = int(np.isfinite(promises.start).sum())
    if odd <= MOST_ODD * made:
        return []
    return [
        f"Warning: {odd} of {made} promises are dated before their job was submitted, or after it had started. Do both "
        "files count time in the same zone?"
    ]


# --- Forecasts of ours ------------------------------------------------------------------------------------------------


def _ours(log, times, places, policy, keep, workers, progress):
    """Return the forecasts that were possible at some times for some jobs of a log, by name."""
    if policies.policy(policy).interrupts:
        raise ValueError(f"a forecast needs a policy that does not interrupt jobs, got {policy!r}")
    jobs = history(log, policy)
    number = _in_history(jobs, log, places)
    arrived = np.searchsorted(jobs.arrival, times, side="right")
    begin = min(int(arrived.min()), LAST_PART * len(jobs.need)) / MEMORY**2
    past = past_of_waiting(
        jobs, policy, begin, int(arrived.max()), None if keep is None else Path(keep), workers, progress
    )
    cases = [(k, (float(times[k]), int(number[k]))) for k in range(len(times))]
    known: dict[int, tuple[np.ndarray, float]] = {}
    bar = parallel.Bar("forecasts at the times of the promises", len(cases), progress, delay=parallel.SOON)
    with bar, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sending large graph")  # each process needs the whole log
        for results in parallel.map_as_completed(partial(_features, jobs, policy), cases, workers):
            known |= dict(results)
            bar.update(len(results))
    correction = Correction(past)
    own = np.full((len(times), 3), np.nan)
    rule, alike = (np.array([known[k][part] for k in range(len(times))]) for part in range(2))
    for k, time in enumerate(times.tolist()):
        forecast = correction.forecast(int(arrived[k]), time, rule[k], float(alike[k]))
        own[k, 0] = np.median(rule[k] if forecast is None else forecast.after)
        own[k, 1:] = (np.nan, np.nan) if forecast is None else interval(forecast.after, SHARE)
    own_waits = (times[:, None] + off_scale(own)) - times[:, None]  # as exact as a time is when it is written
    return {
        OWN: Forecasts(*own_waits.T),
        RULE: _points(off_scale(np.median(rule.reshape(-1, len(LEVELS)), axis=1))),
        ALIKE: _points(off_scale(alike)),
    }


def _features(jobs: History, policy: str, case: tuple[float, int]) -> tuple[np.ndarray, float]:
    """Return what is known of a job at a time."""
    return features_in_queue(jobs, *case, policy)


def _in_history(jobs, log, places):
    """Return the numbers in the history of some jobs of a log; of equal jobs, that of the first."""
    numbers = []
    for place in places.tolist():
        arrival = log.arrival[place]
        start = max(log.start[place], arrival)
        there = np.arange(*(np.searchsorted(jobs.arrival, arrival, side=side) for side in ("left", "right")))
        same = (jobs.start[there] == start) & np.reshape(jobs.need[there] == log.needs[place], (len(there), -1)).all(1)
        numbers.append(int(there[np.argmax(same)]))
    return np.array(numbers)


def _points(waits):
    """Return forecasts without intervals."""
    nothing = np.full(len(waits), np.nan)
    return Forecasts(waits, nothing, nothing)


# --- Scores -----------------------------------------------------------------------------------------------------------


def _days(log, times, job):
    """Return the day on which the first promise for the job of each was made."""
    first = np.full(int(job.max()) + 1, np.inf)
    np.minimum.at(first, job, times)
    return np.floor(local(log, first[job]) / DAY)


def _score(name, forecasts, real, missed, job, days):
    """Return how good forecasts were."""
    off = (forecasts.wait - real) / MINUTE
    has = np.isfinite(forecasts.low) & np.isfinite(forecasts.high)
    inside = (forecasts.low <= real) & (real <= forecasts.high)
    return PromiseScore(
        forecast=name,
        promises=len(real),
        jobs=len(np.unique(job)),
        error=interval_of_mean(missed, days),
        minutes=float(np.abs(off).mean()),
        bias=float(off.mean()),
        intervals=int(has.sum()),
        inside=float(inside[has].mean()) if has.any() else None,
    )


def _by_lead(ends, which, by_name, real, missed, job, days):
    """Return how good the promises were that promised a start so far ahead, and our own for the same."""
    scores = {
        name: _score(name, Forecasts(*(part[which] for part in each)), real[which], missed[name][which], job[which],
                     days[which])
        for name, each in by_name.items()
    }  # fmt: skip
    low, median, high = np.quantile(real[which] / HOUR, [0.1, 0.5, 0.9]).tolist()
    return LeadScore(
        at_least=ends[0],
        below=None if np.isinf(ends[1]) else ends[1],
        promised=float(np.median(by_name[PROMISED].wait[which]) / HOUR),
        came_low=low,
        came=median,
        came_high=high,
        scores=list(scores.values()),
    )


def interval_of_mean(values: Sequence[float] | np.ndarray, days: Sequence[float] | np.ndarray) -> Interval:
    r"""Return the mean of what is known of successive days, with its 95 % interval if the days can tell.

    The values of a day may all say the same, and those of successive days resemble each other. With the sum r of the
    deviations from the mean on each of D days, and N independent days, the half-width is the larger one of that which
    four long blocks of days give by Student's t distribution, and of

    .. math:: 1.96 \frac{D}{n} \sqrt{\frac{\sum r^2 / D}{D - 1} \frac{D}{N'} \Big(1 + \Big(\frac{40}{N}\Big)^2\Big)}

    where n is the number of values, and N' that of independent days by r alone. N is also that of the values a day,
    times (sum of n)^2 / (D sum of n^2): a few days with most of the values tell little. Below 12 there is no interval.

    On made days, 30 to 300 of them, the intervals held the mean of 15,000 days 98 times in a hundred where days were
    independent, 97 times where successive days had a correlation of .5, and 91 times where it was .8.

    Parameters
    ----------
    values : sequence of float, shape (n,)
    days : sequence of float, shape (n,)
        On which day each was seen.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> found = interval_of_mean(rng.normal(3, 1, 1000), np.repeat(np.arange(100), 10))
    >>> found.low < 3 < found.high, interval_of_mean([1, 2], [0, 1]).low
    (True, None)
    """
    x = np.asarray(values, dtype=float)
    _, which = np.unique(days, return_inverse=True)
    count = np.bincount(which)
    mean, number = float(x.mean()), len(count)
    off = np.bincount(which, x - mean)
    by_off = effective_number(off)
    worth = min(by_off, effective_number(count)) * count.sum() ** 2 / (count @ count) / number
    if worth < FEWEST_DAYS:
        return Interval(value=mean, low=None, high=None)
    parts = in_blocks(off).mean(axis=1) / count.mean()
    by_blocks = STUDENT * np.sqrt((parts @ parts) / (BLOCKS - 1) / BLOCKS)
    by_days = NORMAL / count.sum() * np.sqrt((off @ off) * number / (number - 1) * number / by_off)
    half = max(by_blocks, by_days * np.sqrt(1 + (FEW_DAYS / worth) ** 2))
    return Interval(value=mean, low=mean - half, high=mean + half)
