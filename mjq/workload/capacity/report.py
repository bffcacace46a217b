"""All that a log tells of its machine, as plain data with a schema."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mjq._util import checks
from mjq.workload.answers import (
    Agreement,
    Binned,
    Capacities,
    Capacity,
    Drawn,
    Interval,
    Load,
    NearSaturation,
    Rate,
    Report,
)
from mjq.workload.capacity import arrivals, binning, estimates
from mjq.workload.capacity.costs import costs_of_classes
from mjq.workload.capacity.saturated import LINE
from mjq.workload.reading.log import HOUR, Log
from mjq.workload.words import RULES, agreement_in_words

__all__ = ["report_on", "verdict"]

OF_STARTS = (
    "The submit times of this log are start times: it has no waits, and its order is the one in which a scheduler "
    "started the jobs."
)
AHEAD = 0.8, 0.9, 0.95, 0.99  # loads, as fractions of the capacity, for which waits near saturation are shown
CLASSES = 10  # that are named among those that waste servers


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
        Also merge the needs into at most this many, and say how far the capacities then are off.
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
    needs = None if needs is None else checks.count("needs", needs)
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
        servers=log.require_servers(),
        servers_from=log.servers_from,
        policy=policy,
        lines=log.lines,
        missing=list(log.missing),
        notes=[*log.notes, *_of_easy(log)],
        load=load,
        mean_work=Interval(value=work.mean, low=work.low, high=work.high),
        capacities=Capacities(**found),
        memory=memory,
        classes=costs,
        near_saturation=_near_saturation(log) if policy == "fcfs" else None,
        agreement=agreement,
        binned=None if needs is None else _binned(log, needs, policy, seed),
        verdict=[*verdict(load, found, policy, agreement), *([OF_STARTS] if log.submits_are_starts else [])],
    )


def _of_easy(log):
    said = (
        "it knows run times, as the log has no estimates" if log.estimate is None else "it goes by the log's estimates"
    )
    return [f"EASY looks for what fits among {LINE} jobs that wait; {said}"]


def _curve(log, policy, seed):
    fields = set(Rate.model_fields)
    curve = estimates.memory(log, policy, seed)
    return [Drawn(block=block, **capacity.model_dump(include=fields)) for block, capacity in curve.items()]


def _near_saturation(log):
    """Return what holds near saturation for exponential classes under FCFS, where they can be solved."""
    solved = estimates.near_the_limit(log)
    if solved is None:
        return None
    rate, constant = HOUR * solved.capacity, 1 + solved.delta
    hours = {f"{part:g}": constant / (rate * (1 - part)) for part in AHEAD}
    return NearSaturation(capacity=rate, constant=constant, hours=hours)


def _binned(log, needs, policy, seed):
    logs = {"fewer": binning.fewer_needs(log, needs), "rounded": binning.rounded_up(log)}
    return Binned(**{name: binning.binning_error(log, few, policy, seed) for name, few in logs.items()})


def verdict(
    load: Load | None,
    found: dict[str, Capacity],
    policy: str,
    agreement: Sequence[Agreement] = (),
) -> list[str]:
    """Say in sentences what follows from the load, or None, the four capacities under a policy, and the log's waits."""
    own, rule = found["own_order"], RULES[policy]
    told = [
        f"Under {rule} this machine could work off {own.value:.4g} jobs per hour, in the order of the log: "
        f"{own.share:.1%} of its servers would be busy, while jobs wait."
    ]
    if own.share_low is None:
        told.append(f"That has no interval: {own.interval.removeprefix('none, ')}.")
    return [*told, *_of_load(load, own, rule), *agreement_in_words(agreement)]


def _of_load(load, own, rule):
    """Say how near the work that came is to what a rule can carry."""
    if load is None:
        return ["The log does not tell when jobs came: how near this is to the limit cannot be said."]
    came = f"The work that came would keep {load.load:.1%} of the servers busy on a machine that wastes none"
    low, high = (own.share, own.share) if own.share_low is None else (own.share_low, own.share_high)
    if load.load >= high:
        return [f"{came}: {rule} could not have carried this log."]
    if load.load >= low:
        return [f"{came}: as far as so short a log tells, {rule} is at its limit."]
    return [f"{came}, which is {load.load / own.share:.1%} of what {rule} can carry."]
