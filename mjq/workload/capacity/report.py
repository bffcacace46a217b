"""All that a log tells of its machine, as plain data with a schema."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from mjq.workload.capacity import arrivals, binning, estimates
from mjq.workload.capacity.costs import costs_of_classes
from mjq.workload.capacity.saturated import LINE
from mjq.workload.reading.log import HOUR, Log
from mjq.workload.waits.sentences import time_in_words

__all__ = ["Agreement", "Interval", "Lines", "Plain", "Report", "agreement_in_words", "report_on", "verdict"]

RULES = {"fcfs": "first come, first served", "easy": "EASY"}
OF_STARTS = (
    "The submit times of this log are start times: it has no waits, and its order is the one in which a scheduler "
    "started the jobs."
)
MOST_AGREE = 0.9  # share of the jobs that start when the replay says, from which on nothing needs to be explained
HELD_BACK = 0.1  # by which the log exceeds the replay in the share of the time in which a job waits that would fit
AHEAD = 0.8, 0.9, 0.95, 0.99  # loads, as fractions of the capacity, for which waits near saturation are shown
CLASSES = 10  # that are named among those that waste servers


class Plain(BaseModel):
    """What a report says: these fields and no others."""

    model_config = ConfigDict(extra="forbid")


class Lines(Plain):
    """Lines of the file that should hold a job: read = used + the sum of those dropped."""

    read: int
    used: int
    dropped: dict[str, int] = Field(description="reason to the number of lines")
    first: dict[str, list[int]] = Field(description="reason to the numbers of the first lines")


class Interval(Plain):
    """A value with the ends of its 95 % interval; null where the log is too short to tell."""

    value: float
    low: float | None
    high: float | None


class Capacity(Plain):
    """A capacity [jobs per hour]."""

    value: float = Field(description="jobs per hour")
    share: float = Field(description="of the naive capacity")
    low: float | None = Field(description="lower end of the interval, jobs per hour; null where the log is too short")
    high: float | None = Field(description="upper end")
    share_low: float | None = Field(
        description="lower end of the interval of the share; null where the log is too short"
    )
    share_high: float | None = Field(description="upper end")
    wasted_servers: float = Field(description="that are idle on average while jobs wait")
    interval: str = Field(description="what the interval says")
    assumes: str


class Capacities(Plain):
    """Four capacities of one log, which differ in what they assume."""

    naive: Capacity
    exponential: Capacity
    independent: Capacity
    own_order: Capacity


class Drawn(Plain):
    """Capacity if jobs are drawn from the log, this many successive ones at a time."""

    block: int = Field(description="jobs; 1 is independent, all jobs of the log are its own order")
    value: float
    share: float
    low: float | None
    high: float | None
    share_low: float | None
    share_high: float | None


class Load(Plain):
    """Arrivals of the log."""

    rate: float = Field(description="jobs per hour")
    load: float = Field(description="work that came over what the servers could have done")
    by_month: dict[str, float]
    by_hour: dict[str, float] = Field(description="of the day; empty where the log has no clock")
    dispersion_by_hour: float | None = Field(description="variance over mean of the arrivals in an hour; Poisson: 1")
    dispersion_by_day: float | None


class Costs(Plain):
    """What the jobs of one need cost the others in the log's own order while the queue never runs dry."""

    need: float
    jobs: int
    servers: float = Field(description="that it uses on average")
    beside: float = Field(description="rate at which the other jobs are worked off beside it, jobs per hour")
    without: float = Field(description="the same without it")
    wastes: float = Field(description="servers that others could use without it, less those that it uses")


class NearSaturation(Plain):
    """Near their capacity, exponential classes under FCFS are in the system for constant / (capacity - rate)."""

    capacity: float = Field(description="jobs per hour")
    constant: float = Field(description="1 + Delta, of the module near_saturation")
    hours: dict[str, float] = Field(description="share of the capacity that comes to the mean time in the system")


class Agreement(Plain):
    """How well a replay agrees with the waits of the log."""

    policy: str
    jobs: int
    log: float = Field(description="mean wait by the log, seconds")
    replay: float = Field(description="mean wait replayed, seconds")
    same: float = Field(description="fraction of jobs that start within a minute of their start in the log")
    fits_log: float = Field(description="share of the time in which a job waits that would fit, by the log")
    fits_replay: float = Field(description="the same share in the replay")


class Binning(Plain):
    """Capacities of a log with fewer needs and the same work, over those of the log itself, less 1."""

    needs: int
    own_order: float
    independent: float


class Binned(Plain):
    """Fewer needs in place of all."""

    fewer: Binning = Field(description="neighbouring needs taken together, with about the same work each")
    rounded: Binning = Field(description="needs rounded up to powers of two")


class Report(Plain):
    """What a log tells of the capacity of its machine."""

    jobs: int
    servers: float
    servers_from: str
    policy: str
    lines: Lines | None
    missing: list[str] = Field(description="columns that the log lacks")
    notes: list[str]
    load: Load | None = Field(description="null where the log does not tell when jobs came")
    mean_work: Interval = Field(description="of a job, server-hours")
    capacities: Capacities
    memory: dict[str, list[Drawn]] = Field(description="policy to the curve from independent jobs to the own order")
    classes: list[Costs] = Field(description="those that waste most")
    near_saturation: NearSaturation | None = Field(description="null under EASY, and where there are too many classes")
    agreement: list[Agreement] = Field(description="empty where the log has no waits")
    binned: Binned | None = Field(description="null unless asked for")
    verdict: list[str]


def report_on(
    log: Log,
    policy: str = "fcfs",
    seed: int = 1,
    needs: int | None = None,
    progress: Callable[[str], object] = lambda what: None,
) -> Report:
    """Return all that a log tells of the capacity of its machine.

    Parameters
    ----------
    log : Log
    policy : {"fcfs", "easy"}
        Of the four capacities and of the classes.
    seed : int
    needs : int, optional
        So many needs in place of all are tried, too.
    progress : callable
        Is told what comes next.

    Returns
    -------
    Report

    Raises
    ------
    ValueError
        If nothing tells how many servers there are, or the jobs say nothing of its capacity.
    """
    found = estimates.capacities(log, policy, seed, progress=progress)
    progress("memory")
    memory = {name: _curve(log, name, seed) for name in ("fcfs", "easy")}
    progress("classes")
    costs = costs_of_classes(log, policy)[:CLASSES]
    progress("waits")
    load, agreement = arrivals.load(log), arrivals.agreement(log)
    work = estimates.mean_work(log)
    return Report(
        jobs=len(log),
        servers=log.servers,
        servers_from=log.servers_from,
        policy=policy,
        lines=None if log.lines is None else asdict(log.lines),
        missing=list(log.missing),
        notes=[*log.notes, *_of_easy(log)],
        load=None if load is None else _finite(asdict(load)),
        mean_work=_finite(dict(value=work.mean, low=work.low, high=work.high)),
        capacities={name: _finite(_told(one, log.servers)) for name, one in found.items()},
        memory=memory,
        classes=costs,
        near_saturation=_near_saturation(log) if policy == "fcfs" else None,
        agreement=[asdict(one) for one in agreement],
        binned=None if needs is None else _binned(log, needs, policy, seed),
        verdict=[*verdict(load, found, policy, agreement), *([OF_STARTS] if log.submits_are_starts else [])],
    )


def _of_easy(log):
    said = (
        "it knows run times, as the log has no estimates" if log.estimate is None else "it goes by the log's estimates"
    )
    return [f"EASY looks for what fits among {LINE} jobs that wait; {said}"]


def _curve(log, policy, seed):
    fields = ("value", "share", "low", "high", "share_low", "share_high")
    found = estimates.memory(log, policy, seed)
    return [{"block": block} | _finite({name: getattr(one, name) for name in fields}) for block, one in found.items()]


def _told(one, servers):
    return asdict(one) | {"wasted_servers": servers * (1 - one.share)}


def _near_saturation(log):
    """Of exponential classes under FCFS, where they can be solved."""
    solved = estimates.near_the_limit(log)
    if solved is None:
        return None
    rate, constant = HOUR * solved.capacity, 1 + solved.delta
    hours = {f"{part:g}": constant / (rate * (1 - part)) for part in AHEAD}
    return {"capacity": rate, "constant": constant, "hours": hours}


def _binned(log, needs, policy, seed):
    logs = {"fewer": binning.fewer_needs(log, needs), "rounded": binning.rounded_up(log)}
    return {name: asdict(binning.binning_error(log, few, policy, seed)) for name, few in logs.items()}


def verdict(
    load: arrivals.Load | None,
    found: dict[str, estimates.Capacity],
    policy: str,
    agreement: Sequence[arrivals.Agreement] = (),
) -> list[str]:
    """Say in sentences what follows from the load, or None, the four capacities under a policy, and the log's waits."""
    own, rule = found["own_order"], RULES[policy]
    told = [
        f"Under {rule} this machine could work off {own.value:.4g} jobs per hour, in the order of the log: "
        f"{own.share:.1%} of its servers would be busy, while jobs wait."
    ]
    if np.isnan(own.share_low):
        told.append(f"That has no interval: {own.interval.removeprefix('none, ')}.")
    return [*told, *_of_load(load, own, rule), *agreement_in_words(agreement)]


def _of_load(load, own, rule):
    """How near the work that came is to what a rule can carry."""
    if load is None:
        return ["The log does not tell when jobs came: how near this is to the limit cannot be said."]
    came = f"The work that came would keep {load.load:.1%} of the servers busy on a machine that wastes none"
    low, high = (own.share, own.share) if np.isnan(own.share_low) else (own.share_low, own.share_high)
    if load.load >= high:
        return [f"{came}: {rule} could not have carried this log."]
    if load.load >= low:
        return [f"{came}: as far as so short a log tells, {rule} is at its limit."]
    return [f"{came}, which is {load.load / own.share:.1%} of what {rule} can carry."]


def agreement_in_words(agreement: Sequence[arrivals.Agreement]) -> list[str]:
    """Say in sentences how far the waits of a log are those of the replay that is nearest to them."""
    if not agreement:
        return []
    near = max(agreement, key=lambda one: one.same)
    real, replayed = (time_in_words(seconds / HOUR) for seconds in (near.log, near.replay))
    told = [
        f"The jobs of the log waited {real} on average. Replayed under {RULES.get(near.policy, near.policy)} they wait "
        f"{replayed}, and {near.same:.0%} of them start within a minute of their real start."
    ]
    if near.same < MOST_AGREE:
        told.append(
            f"For {near.fits_log:.1%} of the time a job waited that would have fitted into idle servers; in the replay "
            f"it is {near.fits_replay:.1%}."
        )
    if near.fits_log > near.fits_replay + HELD_BACK:
        told.append(
            "So this machine held jobs back for reasons that a replay does not know: priorities, limits, partitions, "
            "or servers that were down. Do not expect the waits of a plan from it."
        )
    return told


def _finite(values):
    """Numbers that are not finite as None, for JSON has none."""
    return {name: None if isinstance(x, float) and not np.isfinite(x) else x for name, x in values.items()}
