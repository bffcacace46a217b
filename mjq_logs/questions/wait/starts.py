"""When one more job would start: the answer, with the record of such answers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq._util.parallel import Workers
from mjq._util.plain import counted
from mjq.simulation import policies
from mjq_logs.answers import Amount
from mjq_logs.questions.wait.nearest import MEMORY, SHARES, interval, off_scale
from mjq_logs.questions.wait.record import LAST_PART, ForecastRecord, features, numbers, past_of, record_of
from mjq_logs.questions.wait.state import NO_LIMIT, history
from mjq_logs.reading.clock import as_date, dated, local
from mjq_logs.reading.facts import Facts, OfLog, facts_of, of_log
from mjq_logs.reading.log import HOUR, Log, machine_in_words
from mjq_logs.words import amount_of, percent

SECONDS = "%Y-%m-%d %H:%M:%S"  # of a date
HOLDS = 0.74, 0.86  # shares of the starts that the 80 % interval may hold in the last third of a log


class StartForecast(OfLog):
    """Hold when one more job would start, in hours from the time of the forecast, with the record of such forecasts."""

    servers: Amount
    policy: str
    starts: str
    """Where the starts of the log are from: the log, or a replay."""
    at: float
    """Time of the forecast [s], as in the log."""
    date: str | None
    """The same as a date; null where the log has no clock."""
    running: int
    waiting: int
    busy: Amount
    """Servers that are busy, or how much of each resource."""
    need: Amount
    limit: float | None
    """Hours; null in a log without limits."""
    median: float
    intervals: dict[str, tuple[float, float]]
    """Ends of the 50 %, 80 % and 95 % intervals; empty where the record is missing, or says that they do not hold."""
    by_rule: float
    """Median of the replays alone."""
    last_alike: float
    """How long the last job like this one waited."""
    weight_of_rule: float | None
    """How much the replays count in this forecast; null where too little of the log is known at the time."""
    record: ForecastRecord | None
    """Null where the log is too short."""


def forecast_start(
    log: Log | Facts,
    need: ArrayLike,
    limit: float | None = None,
    at: float | None = None,
    policy: str = "easy",
    *,
    workers: Workers | None = 1,
    progress: bool | None = None,
) -> StartForecast:
    """Forecast when one more job would start, from the state of the machine at a time of its log.

    The running and waiting jobs of that time are replayed with one more job a hundred times. Remaining run times are
    drawn from jobs of the log with about the same need and the same limit that ran longer; those who come later are
    successive jobs drawn from the log. The forecast is what those jobs of the past really waited for which such
    replays, and the wait of the last job like them, said about the same. Nothing is used that was not known at the
    time.

    Parameters
    ----------
    log : Log or Facts
        With submit times and limits. If it has no starts, it is replayed under the policy, and those are taken. If it
        has a calendar, a forecast goes by the servers that are up at its time, as if for ever.
    need : float, or sequence of float
        Servers of the new job; of several resources, how much of each.
    limit : float, optional
        Its limit [h]. In a log without limits no job has one.
    at : float, optional
        Time of the forecast [s] as in the log; by default when the log was taken, or its last submission.
    policy : str
        Of the replays, see :func:`mjq.simulation.schedule.replay`; none that interrupts jobs.
    workers, progress
        As for :func:`mjq_logs.plan`.

    Returns
    -------
    StartForecast
        Intervals are missing where the log is too short to tell how good they are, and where they have held too little.

    Raises
    ------
    ValueError
        If the log does not tell when jobs came, if it has no limits and the policy looks at times, if it has limits and
        the job has none or the other way round, if the need exceeds the servers, if the time is not one of the log, or
        if a number violates a constraint.

    Examples
    --------
    One server; each job asks for an hour and takes half an hour, and one comes every hour: nobody waits.

    >>> from mjq_logs import Log
    >>> come = 3600.0 * np.arange(400)
    >>> log = Log(np.ones(400), np.full(400, 1800.0), come, estimate=np.full(400, 3600.0), servers=1, start=come)
    >>> found = forecast_start(log, need=1, limit=1, at=come[-1] - 1)
    >>> found.running, found.median, found.record.error
    (0, 0.0, 0.0)
    """
    facts = facts_of(log)
    log = facts.log
    policy = policies.name_of(policy)
    if policies.policy(policy).interrupts:
        raise ValueError(f"a forecast needs a policy that does not interrupt jobs, got {policy!r}")
    jobs = history(log, policy)
    asked, seconds = _asked(log, need, limit)
    if not checks.fits(asked, jobs.servers, jobs.servers):
        raise ValueError(f"need {checks.shown(asked)} exceeds the {machine_in_words(log)}")
    first, last = float(jobs.arrival[0]), jobs.taken
    time = last if at is None else float(checks.numbers("at", at, ndim=0))
    if not first <= time <= last:
        raise ValueError(
            f"at must be a time of the log, {dated(log, first)} to {dated(log, last)}, got {dated(log, time)}"
        )
    if not checks.fits(asked, jobs.up(time), jobs.up(time)):
        raise ValueError(
            f"need {checks.shown(asked)} exceeds the {checks.shown(jobs.up(time))} servers that are up at this "
            f"time by the calendar, and nobody knows when the others will be"
        )
    arrived = int(np.searchsorted(jobs.arrival, time, side="right"))
    state = jobs.at(time, arrived)
    # Each forecast rests on those since a third of its jobs; so do these, whose scores tell the weight.
    begin = min(arrived, LAST_PART * len(jobs.need)) / MEMORY**2
    past = past_of(jobs, policy, numbers(begin, len(jobs.need)), MEMORY * begin, workers, progress)
    record = record_of(jobs, past)
    rule, alike = features(jobs, time, arrived, asked, seconds, policy)
    forecast = None if record is None else past.forecast(arrived, time, rule, alike)
    waits, weight = (None, None) if forecast is None else forecast
    by_rule = float(off_scale(np.median(rule))) / HOUR
    notes = [*log.notes, *_of_present(log.present)]
    if forecast is None:
        short = "The log is too short" if record is None else "Too little of the log is known at this time"
        notes.append(f"{short} to tell how good such forecasts are. So there are no intervals.")
    hours = None if waits is None else off_scale(waits) / HOUR
    hold = record is not None and record.within["80"] >= HOLDS[0]
    return StartForecast(
        # The record and the replays tell the rest.
        **of_log(log, notes, [*intervals_in_doubt(record), *facts.doubts]) | {"jobs": len(jobs.need)},
        servers=amount_of(jobs.servers, log.resources),
        policy=policy,
        starts="the log" if log.start is not None else f"a replay under {policy}",
        at=time,
        date=None if log.clock is None else f"{as_date(float(local(log, time)), SECONDS)} {log.zone}".rstrip(),
        running=len(state.running),
        waiting=int(jobs.times[state.waiting].sum()),
        busy=amount_of(jobs.need[state.running].sum(axis=0), log.resources),
        need=amount_of(asked, log.resources),
        limit=limit,
        median=by_rule if hours is None else float(np.median(hours)),
        intervals={f"{share:g}": interval(hours, share) for share in SHARES} if hold and hours is not None else {},
        by_rule=by_rule,
        last_alike=float(off_scale(alike)) / HOUR,
        weight_of_rule=weight,
        record=record,
    )


def _of_present(present):
    if present is not None and present.left_out:
        yield f"{present.left_out} jobs that wait are left out: they may not start yet, or their needs are not known."
    if present is not None and present.cut:
        yield (
            f"sacct has cut the tasks of {counted(present.cut, 'array')} that wait, so that there are more: set "
            "SLURM_BITSTR_LEN=0 before it"
        )


def _asked(log, need, limit):
    """Return what the job needs, of each resource if there are several, and its limit [s], checked."""
    if (limit is None) != (log.estimate is None):
        has, lacks = ("job", "log") if limit is not None else ("log", "job")
        raise ValueError(f"the {has} has a limit and the {lacks} has none, so that no other job is known to be alike")
    seconds = NO_LIMIT if limit is None else HOUR * float(checks.positive("limit", limit, ndim=0))
    if not log.resources:
        return checks.positive("need", need, ndim=0), seconds
    asked, d = np.asarray(need, dtype=float), len(log.resources)
    if asked.shape != (d,) or not asked.any():
        raise ValueError(
            f"a need must be a number for each of {', '.join(log.resources)}, not all of them 0; got "
            f"{checks.shown(asked)}"
        )
    return checks.not_negative("need", asked), seconds


def intervals_in_doubt(record: ForecastRecord | None) -> list[str]:
    """Warn where the 80 % intervals have not held what they say in the last third of the log."""
    if record is None or HOLDS[0] <= record.within["80"] <= HOLDS[1]:
        return []
    held = f"{percent(record.within['80'], 0)} of the {record.forecasts} starts that were forecast in the last third"
    then = "they are not printed" if record.within["80"] < HOLDS[0] else "the intervals below may be wider than need be"
    return [f"Warning: the 80 % intervals held {held} of the log. So {then}."]
