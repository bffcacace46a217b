"""How well replays agree with the waits of a log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from mjq._util import checks, watching
from mjq._util.compiling import compiled
from mjq.simulation.calendar import Calendar
from mjq.simulation.policies import names_of
from mjq_logs.answers import HOUR, Column, Plain
from mjq_logs.machine.replaying import replay_log
from mjq_logs.reading.log import Log
from mjq_logs.words import RULES, percent, time_in_words

START_TOLERANCE = 60  # by which starts may differ and count as the same [s]
LEAST_WAIT = 60.0  # seconds; mean waits up to it are not told apart
MOST_APART = 1.5  # factor between two mean waits, up to which they agree
FAR_APART = 100.0  # factor between them, from which on it is not told: one of them is hardly a wait
HELD_BACK = 0.1  # by which the log exceeds the replay in the share of the time in which a job waits that would fit


class Agreement(Plain):
    """Say how well a replay agrees with the waits of the log."""

    policy: Annotated[str, Column("policy")]
    jobs: Annotated[int, Column("jobs", "", "d")]
    log: Annotated[float, Column("mean wait\nby the log", "h", ".2f", per=HOUR)]
    """Mean wait in the log, in seconds."""
    replay: Annotated[float, Column("replayed", "h", ".2f", per=HOUR)]
    """Mean wait in the replay, in seconds."""
    same: Annotated[float, Column("start within\na minute", "%", ".1f")]
    """Fraction of jobs that start within a minute of their start in the log."""
    fits_log: Annotated[float, Column("time in which somebody\nwaits who would fit,\nby the log", "%", ".1f")]
    """Share of the time, in the log, in which a job waits that would fit into idle servers."""
    fits_replay: Annotated[float, Column("replayed", "%", ".1f")]
    """The same share in the replay."""


def agreement(log: Log, policies: Sequence[str] = ("fcfs", "easy")) -> list[Agreement]:
    """Compare replays with the waits that the log has itself; without such waits there is nothing to compare.

    Jobs whose wait the log does not tell take part in the replay, but are not compared.

    A log whose submit times are start times has none, whatever its file records (:attr:`Log.submits_are_starts`).
    """
    if log.wait is None or log.start is None or np.isnan(log.wait).all():
        return []
    known, servers, own = ~np.isnan(log.wait), log.machine(), log.wait[~np.isnan(log.wait)]
    rows, fits_log, arrival = [], None, log.require_arrivals()
    for policy in names_of(policies):
        with watching.working(f"{policy}: a replay of the log"):
            made = replay_log(log, servers, policy, estimate=log.estimates_used)
        schedule, counted = made.schedule, np.append(np.ones(made.before, dtype=bool), known)
        columns = schedule.submit[counted], schedule.need[counted], schedule.run[counted], servers, schedule.calendar
        wait = made.wait[known]
        near = float((np.abs(wait - own) <= START_TOLERANCE).mean())
        if fits_log is None:
            real = schedule.submit[made.before] + (log.start[known] - arrival[0])
            fits_log = time_with_a_job_that_fits(np.append(made.started, real), *columns)
        fits = time_with_a_job_that_fits(schedule.start[counted], *columns)
        rows.append(
            Agreement(
                policy=policy, jobs=len(own), log=float(own.mean()), replay=float(wait.mean()), same=near,
                fits_log=fits_log, fits_replay=fits,
            )
        )  # fmt: skip
    return rows


def time_with_a_job_that_fits(
    start: np.ndarray,
    arrival: np.ndarray,
    need: np.ndarray,
    run: np.ndarray,
    servers: Any,
    up: Calendar | None = None,
) -> float:
    """Return the share of the time in which some job waits that would fit into what is idle.

    The time counts from the first arrival to the last end. The share is 0 where none passes.

    Parameters
    ----------
    start, arrival, need, run : float array, shape (J,)
        When each job starts and came, the servers that it holds, and for how long. Of several resources, `need` has the
        shape (J, d).
    servers : float, or float array, shape (d,)
    up : mjq.simulation.calendar.Calendar, optional
        When how many of them are up; servers that are down are not idle.

    Examples
    --------
    Two servers; one job of one server for four hours, a second one comes after an hour and starts after three: for two
    of the five hours it waits although it would fit.

    >>> time_with_a_job_that_fits(np.array([0, 3.]), np.array([0, 1.]), np.ones(2), np.array([4, 2.]), 2)
    0.4
    """
    if up is not None:  # servers that are down are modelled as jobs that arrive and start when they go down
        first, last = min(arrival.min(), start.min()), (start + run).max()
        down = np.clip(up.since, first, last)
        lost = servers - up.up if np.ndim(need) == 1 else np.outer(1 - up.up / up.servers, servers)
        need, start = np.concatenate([need, lost]), np.append(start, down)
        arrival, run = np.append(arrival, down), np.append(run, np.diff(down, append=last))
    sizes = np.atleast_1d(np.asarray(servers, dtype=float))
    needs, kind = np.unique(need, axis=0, return_inverse=True)  # numpy sorts rows slowly, also those of one number
    needs, kind = needs.reshape(len(needs), -1), kind.reshape(-1)
    at = np.concatenate([start + run, arrival, start])
    order = np.argsort(at, kind="stable")  # at one instant ends come first, then arrivals, then starts
    passed = float(at[order[-1]] - at[order[0]])
    free = sizes + sizes * checks.FIT_TOLERANCE
    return float(_idle_fit(at, order, kind, needs, free)) / passed if passed > 0 else 0.0


@compiled(steps=lambda at, *_: 10 * len(at))
def _idle_fit(at, order, kind, needs, free):
    """Return the time in which the need of somebody who waits is at most what is free of each resource."""
    jobs, waiting, total, last = len(kind), np.zeros(len(needs), dtype=np.intp), 0.0, at[order[0]]
    kinds, places, several = np.empty_like(waiting), np.empty_like(waiting), 0  # those of whom somebody waits
    for event in order:
        if at[event] > last:
            if _any_fits(needs, kinds[:several], free):
                total += at[event] - last
            last = at[event]
        job = event % jobs
        which = kind[job]
        if event < jobs:
            free += needs[which]
        elif event < 2 * jobs:
            if not waiting[which]:
                kinds[several], places[which] = which, several
                several += 1
            waiting[which] += 1
        else:
            waiting[which] -= 1
            free -= needs[which]
            if not waiting[which]:
                several -= 1
                kinds[places[which]] = kinds[several]
                places[kinds[several]] = places[which]
    return total


@compiled()
def _any_fits(needs, kinds, free):
    for which in kinds:
        if (needs[which] <= free).all():
            return True
    return False


def nearest(agreement: Sequence[Agreement]) -> Agreement | None:
    """Return the replay in which most jobs start within a minute of their real start; None if there is none."""
    return max(agreement, key=lambda row: row.same, default=None)


def agreement_in_words(agreement: Sequence[Agreement]) -> list[str]:
    """Say in sentences how far the waits of a log are those of the replay that is nearest to them."""
    near = nearest(agreement)
    if near is None:
        return []
    real, replayed = (time_in_words(seconds / HOUR) for seconds in (near.log, near.replay))
    sentences = [
        f"The jobs of the log waited {real} on average. Replayed under {RULES.get(near.policy, near.policy)} they wait "
        f"{replayed}, and {percent(near.same, 0)} of them start within a minute of their real start.",
        f"For {percent(near.fits_log)} of the time somebody waited who would have fitted into the idle servers. In the "
        f"replay it is {percent(near.fits_replay)}.",
    ]
    if near.fits_log > near.fits_replay + HELD_BACK:
        sentences.append(
            "So this machine held jobs back for reasons that a replay does not know: priorities, fair share, limits, "
            "partitions, or servers that were down."
        )
    return sentences


def disagreement_in_words(agreement: Sequence[Agreement]) -> str | None:
    """Warn where the mean wait of the nearest replay is not that of the log, by more than a factor of 1.5; or None.

    Means of at most a minute are not told apart.

    >>> alike = dict(policy="easy", jobs=9, same=0.5, fits_log=0.1, fits_replay=0.1)
    >>> disagreement_in_words([Agreement(log=7200, replay=3600, **alike)])
    'Warning: the replay does not know this machine. Its mean wait is 2 times too short...: 1 h in place of 2 h.'
    >>> disagreement_in_words([Agreement(log=7200, replay=0.02, **alike)])
    'Warning: ... Its mean wait is far too short, under EASY: 0.02 s in place of 2 h.'
    >>> disagreement_in_words([Agreement(log=7200, replay=5400, **alike)]) is None
    True
    """
    near = nearest(agreement)
    if near is None:
        return None
    short, long = sorted((near.log, near.replay))
    if long <= max(MOST_APART * short, LEAST_WAIT):
        return None
    real, replayed = (time_in_words(seconds / HOUR) for seconds in (near.log, near.replay))
    times = f"{long / short:.2g} times too" if long < FAR_APART * short else "far too"
    return (
        f"Warning: the replay does not know this machine. Its mean wait is {times} "
        f"{'short' if near.replay < near.log else 'long'}, under {RULES.get(near.policy, near.policy)}: {replayed} in "
        f"place of {real}."
    )
