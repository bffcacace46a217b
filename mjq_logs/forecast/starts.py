"""When one more job would start: the answer, with the record of such answers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq._util.parallel import Workers
from mjq._util.plain import brief, counted
from mjq.simulation import policies
from mjq.simulation.limits import FREE
from mjq_logs.answers import ForecastRecord, HeldLately, StartForecast, StartForecasts, Within
from mjq_logs.doubts import doubts
from mjq_logs.forecast.correction import Correction
from mjq_logs.forecast.growth import queue_at
from mjq_logs.forecast.nearest import MEMORY, SHARES, interval, up_to
from mjq_logs.forecast.record import LAST_PART, features, lately, past_of, record_of
from mjq_logs.forecast.state import history, require_limits
from mjq_logs.limits import places_of_queues
from mjq_logs.reading.clock import dated, local
from mjq_logs.reading.log import HOUR, Log
from mjq_logs.rules.in_words import kept_in_words
from mjq_logs.scale import off_scale
from mjq_logs.window import too_short
from mjq_logs.words import amount_of, machine_in_words, percent, time_in_words

WITHIN = 1 / 60, 0.25, 1.0, 4.0, 24.0  # hours
HOLDS = 0.74, 0.86  # shares of the starts that the 80 % interval may hold in the last third of a log
HOLDS_LATELY = 0.7, 0.9  # and among the latest, which are fewer


def forecast_starts(
    log: Log,
    need: ArrayLike,
    limit: ArrayLike | None = None,
    at: float | None = None,
    policy: str = "easy",
    *,
    queue: str | None = None,
    within: Sequence[float] = WITHIN,
    keep: str | Path | None = None,
    workers: Workers | None = 1,
    progress: bool | None = None,
) -> StartForecasts:
    """Forecast when one more job would start, from the state of the machine at a time of its log.

    The running and waiting jobs of that time are replayed with one more job a hundred times. Remaining run times are
    drawn from jobs of the log with about the same need and the same limit that ran longer; those who come later are
    successive jobs drawn from the log. The forecast is what those jobs of the past really waited for which such
    replays, and the wait of the last job like them, said about the same. Where the replays alone have lately been
    clearly better, they are used. Then each forecast is moved by the misses of the latest ones, which count as the
    number of independent ones that they are worth, see :mod:`mjq_logs.forecast.correction`. Nothing is used that
    was not known at the time.

    Parameters
    ----------
    log : Log
        With submit times and limits. If it has no starts, it is replayed under the policy, and those are taken. If it
        has a calendar, a forecast goes by the servers that are up at its time, as if for ever.
    need, limit : float, or sequence of float
        Servers of the new job, and its limit [h]; of sequences each entry is a job of its own. Of several resources a
        need is a sequence, with how much of each. In a log without limits no job has one.
    at : float, optional
        Time of the forecast [s] as in the log; by default when the log was taken, or its last submission.
    policy : str
        Of the replays, see :func:`mjq.simulation.schedule.replay`; none that interrupts jobs.
    queue : str, optional
        The queue of the new job, where the rules of the log have limits of queues; by default it has no such limit.
    within : sequence of float
        Waits [h] whose probabilities are asked for.
    keep : path, optional
        A folder in which the forecasts of the past are kept; they take most of the time, and are made once for a log.
    workers : int or distributed.Client or None
        As for :func:`mjq._util.parallel.map_as_completed`.
    progress : bool, optional
        Show a progress bar; by default on a terminal.

    Returns
    -------
    StartForecasts
        Intervals and the record are missing where the log is too short to tell how good such forecasts are.

    Raises
    ------
    ValueError
        If the log does not tell when jobs came, if it has no limits and the policy looks at times, if it has limits and
        the job has none or the other way round, if a need exceeds the servers, if the time is not one of the log, if
        the log has no such queue or no limits of queues, or if a number violates a constraint.

    Examples
    --------
    One server; each job asks for an hour and takes half an hour, and one comes every hour: nobody waits.

    >>> from mjq_logs import Log
    >>> come = 3600.0 * np.arange(400)
    >>> log = Log(np.ones(400), np.full(400, 1800.0), come, estimate=np.full(400, 3600.0), servers=1, start=come)
    >>> found = forecast_starts(log, need=1, limit=1, at=come[-1] - 1)
    >>> found.running, found.forecasts[0].median, found.record.error
    (0, 0.0, 0.0)
    """
    if policies.policy(policy).interrupts:
        raise ValueError(f"a forecast needs a policy that does not interrupt jobs, got {policy!r}")
    require_limits(log, policy)
    needs, limits = _asked(log, need, limit)
    within = checks.not_negative("within", within).tolist()
    jobs, group = history(log, policy), _group(log, queue)
    fits = checks.fits(needs, jobs.servers, jobs.servers)
    if not fits.all():
        raise ValueError(f"need {checks.shown(needs[~fits][0])} exceeds the {machine_in_words(log)}")
    first, last = float(jobs.arrival[0]), jobs.taken
    time = last if at is None else float(checks.numbers("at", at, ndim=0))
    if not first <= time <= last:
        raise ValueError(
            f"at must be a time of the log, {dated(log, first)} to {dated(log, last)}, got {dated(log, time)}"
        )
    if not checks.fits(needs, jobs.up(time), jobs.up(time)).all():
        raise ValueError(
            f"need {checks.shown(needs.max())} exceeds the {checks.shown(jobs.up(time))} servers that are up at this "
            f"time by the calendar, and nobody knows when the others will be"
        )
    arrived = int(np.searchsorted(jobs.arrival, time, side="right"))
    state = jobs.at(time, arrived)
    # Each forecast rests on those since a third of its jobs; so do these, whose scores tell the weight.
    begin = min(arrived, LAST_PART * len(jobs.need)) / MEMORY**2
    past = past_of(jobs, policy, begin, len(jobs.need), None if keep is None else Path(keep), workers, progress)
    correction = Correction(past)
    record = record_of(jobs, correction)
    recent = None if record is None else lately(correction, arrived, time)
    forecasts, corrected = [], None
    for asked, hours in zip(needs, limits.tolist(), strict=True):
        rule, alike = features(jobs, time, arrived, asked, HOUR * hours, policy, group)
        corrected = None if record is None else correction.forecast(arrived, time, rule, alike)
        waits = None if corrected is None else off_scale(corrected.after) / HOUR
        by_rule = float(off_scale(np.median(rule)) / HOUR)
        forecasts.append(
            StartForecast(
                need=amount_of(asked, log.resources),
                limit=None if limit is None else hours,
                median=by_rule if waits is None else float(np.median(waits)),
                intervals={} if waits is None else {f"{share:g}": interval(waits, share) for share in SHARES},
                within=[] if waits is None else [Within(wait=x, probability=up_to(waits, x)) for x in within],
                by_rule=by_rule,
                last_alike=float(off_scale(alike) / HOUR),
            )
        )
    notes = list(log.notes)
    if log.present is not None and log.present.left_out:
        notes.append(
            f"{log.present.left_out} jobs that wait are left out: they may not start yet, or their needs are not known."
        )
    if log.present is not None and log.present.cut:
        notes.append(
            f"sacct has cut the tasks of {counted(log.present.cut, 'array')} that wait, so that there are more: set "
            "SLURM_BITSTR_LEN=0 before it"
        )
    if log.rules is not None and log.rules.limits_users:
        notes.append("the job that is asked for is taken to be of a user who has nothing else on the machine")
    if log.rules is not None and log.rules.queues and queue is None:
        notes.append("the job that is asked for is taken to be of no queue, so it has none of the limits of queues")
    if log.rules is not None and log.rules.arrays:
        notes.append("limits of arrays are kept of those tasks alone that wait when the log is taken")
    if corrected is None:
        short = "The log is too short" if record is None else "Too little of the log is known at this time"
        notes.append(f"{short} to tell how good such forecasts are. So there are no intervals.")
    return StartForecasts(
        jobs=len(jobs.need),
        servers=amount_of(jobs.servers, log.resources),
        policy=policy,
        starts="the log" if log.start is not None else f"a replay under {policy}",
        lines=log.lines,
        notes=notes,
        warnings=[*intervals_in_doubt(record, recent), *(words for words in doubts(log) if words != too_short(log))],
        at=time,
        date=None if log.clock is None else f"{datetime.fromtimestamp(float(local(log, time)), UTC):%Y-%m-%d %H:%M:%S}",
        running=len(state.running),
        waiting=int(jobs.times[state.waiting].sum()),
        busy=amount_of(jobs.need[state.running].sum(axis=0), log.resources),
        queue=queue_at(jobs, arrived, time),
        weight_of_rule=None if corrected is None else corrected.weight,
        rule_alone=corrected is not None and corrected.alone,
        record=record,
        lately=recent,
        forecasts=forecasts,
        rules=kept_in_words(log),
        learning=log.learning,
    )


def _group(log, queue):
    """Return the groups of the new job, whose user is not known."""
    if queue is None:
        return FREE, FREE
    if log.rules is None or not log.rules.queues:
        raise ValueError(f"the queue {brief(queue)} of a job changes nothing: replays keep no limits of queues")
    places_of_queues(log, [queue])  # refuses one that the log does not have
    return FREE, list(log.rules.queues).index(queue) if queue in log.rules.queues else FREE


def _asked(log, need, limit):
    """Return the needs that are asked for, shape (n,) or (n, d), and their limits [h], checked."""
    if (limit is None) != (log.estimate is None):
        has, lacks = ("job", "log") if limit is not None else ("log", "job")
        raise ValueError(f"the {has} has a limit and the {lacks} has none, so that no other job is known to be alike")
    longest = log.run.max() / HOUR  # counts as the limit of all jobs where none has one
    needs, limits = np.asarray(need, dtype=float), np.atleast_1d(np.asarray(longest if limit is None else limit, float))
    if not log.resources:
        needs, limits = np.broadcast_arrays(np.atleast_1d(needs), limits)
        return checks.positive("need", needs), checks.positive("limit", limits)
    needs, d = np.atleast_2d(needs), len(log.resources)
    if needs.shape[1:] != (d,) or not needs.any(axis=-1).all():
        raise ValueError(
            f"a need must be a number for each of {', '.join(log.resources)}, not all of them 0; got "
            f"{checks.shown(np.asarray(need))}"
        )
    needs, limits = np.broadcast_arrays(needs, limits[:, None])
    return checks.not_negative("need", needs, ndim=2), checks.positive("limit", limits[:, 0])


def intervals_in_doubt(record: ForecastRecord | None, recent: HeldLately | None) -> list[str]:
    """Warn where most 80 % intervals have not ended, or have not held what they say, lately or in the last third."""
    if recent is not None and 2 * recent.ended < recent.made:
        return [
            f"Warning: of the 80 % intervals of the latest third of the jobs, {recent.ended} of {recent.made} have "
            "ended so far. The waits are as long as the time that one can look back, so no interval below is promised."
        ]
    if recent is not None and not HOLDS_LATELY[0] <= recent.held / recent.forecasts <= HOLDS_LATELY[1]:
        share = recent.held / recent.forecasts
        held = f"{recent.held} of the latest {recent.forecasts} starts, those of the last {time_in_words(recent.hours)}"
    elif record is not None and not HOLDS[0] <= record.within["80"] <= HOLDS[1]:
        share = record.within["80"]
        held = f"{percent(share, 0)} of the {record.forecasts} starts that were forecast in the last third of the log"
    else:
        return []
    much = "too narrow, and none of them is promised" if share < HOLDS[0] else "wider than need be"
    return [f"Warning: the 80 % intervals held {held}. So the intervals below may be {much}."]
