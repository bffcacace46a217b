"""What changes do to the waits of the same jobs on the same machine: replays of both logs, compared job by job."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from mjq._util import checks
from mjq._util.parallel import Workers, map_as_completed
from mjq.simulation.policies import names_of
from mjq_logs import intervals
from mjq_logs.answers import OF_WAITS, Column, Interval, Plain, Waits
from mjq_logs.machine.replaying import replay_log
from mjq_logs.questions.plan.changes import Changed
from mjq_logs.questions.waits import difference, measured, with_intervals, worth
from mjq_logs.reading.log import HOUR, Log

SAME = 1e-6  # hours by which waits may differ and count as the same


def _waits(when, of=""):
    return tuple(column._replace(heading=f"{column.heading},\n{when}", of=f"{column.of}{of}") for column in OF_WAITS)


class Effect(Plain):
    """Compare the waits of jobs as they are with those under one change, on the same machine."""

    change: Annotated[str, Column("what changes")]
    """What changes, in a few words."""
    told: str
    """The same in sentences."""
    policy: Annotated[str, Column("policy")]
    servers: float
    jobs: int
    """Jobs whose waits are compared: all that are in both logs."""
    before: Annotated[Waits, _waits("as it is", ".value")]
    """Their waits as the log is, replayed under the policy."""
    after: Annotated[Waits, _waits("then", ".value")]
    """Their waits under the change."""
    saves: Annotated[Waits, _waits("shorter by")]
    """By how much the change shortens the waits; intervals compare the same jobs with each other."""
    response: Annotated[Interval, Column("mean wait and\nrun time\nshorter by", "h")]
    """By how much the change shortens the mean response time, which is wait and run time."""
    smallest: Annotated[float | None, Column("servers for\nthe target", "", "g")] = None
    """Smallest size tried that meets the target of the plan under the change; null without a target, too."""


def what_if(
    log: Log,
    changes: Sequence[Changed],
    policies: Sequence[str] = ("easy",),
    *,
    percentile: float = 90.0,
    growth: float = 1.0,
    workers: Workers | None = 1,
) -> list[Effect]:
    """Return by policy what each of some changes, by itself, does to the waits of a log, in their order.

    Both logs are replayed on the same machine, and the waits of the jobs that are in both are compared. Nobody is
    assumed to submit otherwise because of a change.

    Parameters
    ----------
    log : Log
        With times of arrival.
    changes : sequence of Changed
        Made of this log by :func:`~mjq_logs.questions.plan.changes.cap` and the functions beside it.
    policies, percentile, growth, workers
        As for :func:`mjq_logs.plan`.

    Raises
    ------
    ValueError
        If the log does not tell when jobs came or counts several resources, or a number violates a constraint.

    Examples
    --------
    Two servers. Every hour one job of both servers comes for half an hour, and one of a single server with it. If no
    job may have more than one server, nobody waits:

    >>> from mjq_logs import Log, cap
    >>> arrival = 3600.0 * np.repeat(np.arange(50), 2)
    >>> log = Log(need=np.tile([2.0, 1], 50), run=np.full(100, 1800.0), submit=arrival, servers=2)
    >>> (answer,) = what_if(log, [cap(log, 1)])
    >>> answer.before.mean.value, answer.after.mean.value, answer.saves.mean.value
    (0.25, 0.0, 0.25)
    """
    log.require_one_resource()
    servers = float(checks.positive("servers", log.machine(), ndim=0))
    growth = float(checks.positive("growth", growth, ndim=0))
    names = names_of(policies)
    logs = {-1: log} | {k: change.log for k, change in enumerate(changes)}
    cases = [((name, k), (logs[k], servers, name, growth)) for name in names for k in logs]
    answer = {key: wait for pairs in map_as_completed(_wait, cases, workers) for key, wait in pairs}
    return [
        _compared(log, change, answer[name, -1], answer[name, k], name, servers, percentile)
        for name in names
        for k, change in enumerate(changes)
    ]


def _compared(log, change, before, after, policy, servers, percentile):
    """Compare the waits [h] of the jobs that are in both logs, in the order of the log as it is."""
    place = np.argsort(change.jobs, kind="stable")
    kept, new = change.jobs[place], change.log
    waits, runs = (before[kept], after[place]), (log.run[kept] / HOUR, new.run[place] / HOUR)
    numbers = [worth(which).number for which in (log, new)]
    statistics = [measured(wait, each, percentile) for wait, each in zip(waits, numbers, strict=True)]
    spent = [measured(wait + run, each) for wait, run, each in zip(waits, runs, numbers, strict=True)]
    moved = None if _same(log, new) else np.abs(waits[0] - waits[1]) > SAME
    return Effect(
        change=change.words,
        told=change.sentence,
        policy=policy,
        servers=servers,
        jobs=len(kept),
        before=with_intervals(statistics[0]),
        after=with_intervals(statistics[1]),
        saves=Waits(
            mean=_saved(statistics[0].mean, statistics[1].mean, moved),
            percentile=_saved(statistics[0].percentile, statistics[1].percentile, moved),
        ),
        response=_saved(spent[0].mean, spent[1].mean, moved),
    )


def _saved(before, after, moved):
    """Return by how much a quantity is shorter, with an interval where enough jobs have other waits than before."""
    if moved is None:
        return Interval(value=0.0, low=0.0, high=0.0)
    change = difference(before, after)
    return change if moved.sum() >= intervals.FEWEST_JOBS else Interval(value=change.value, low=None, high=None)


def _same(log, other):
    pairs = [(getattr(log, name), getattr(other, name)) for name in ("need", "run", "arrival", "estimates_used")]
    return all((x is None and y is None) or np.array_equal(x, y) for x, y in pairs)


def _wait(case):
    log, servers, policy, growth = case
    return replay_log(log, servers, policy, growth, log.estimates_used).wait / HOUR
