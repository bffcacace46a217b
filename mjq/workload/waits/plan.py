"""How many servers keep the waits of a log below a target: replays on machines of many sizes, as plain data.

Waits need not fall with every server that is added: a job that starts earlier may be in the way of others. So the
smallest size that meets the target is reported beside the one from which on all larger ones that were tried meet it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks, folders
from mjq._util.parallel import SOON, Bar, Workers
from mjq.workload.answers import AtLoad, Interval, Plan, PolicyPlan, Size, Waits
from mjq.workload.capacity.arrivals import agreement
from mjq.workload.reading.log import Log
from mjq.workload.waits.one_size import difference, interval
from mjq.workload.waits.replays import Replays
from mjq.workload.waits.sentences import assumed, rule_of, verdict
from mjq.workload.words import agreement_in_words, disagreement_in_words

__all__ = ["planned", "sizes_between"]

SIZES = 10  # that are tried at first
SMALLEST, LARGEST = 0.75, 2.0  # of them, as multiples of the servers of the log
LOADS = 0.8, 0.9, 1.0, 1.1, 1.2  # times the growth, for the waits against the load
NODE_ROUNDING = 1e-9  # of a number of nodes


def planned(
    log: Log,
    target: float,
    policies: Sequence[str] = ("easy",),
    sizes: ArrayLike | None = None,
    *,
    percentile: float = 90.0,
    growth: float = 1.0,
    node: float = 1.0,
    output: str | Path | None = None,
    workers: Workers | None = 1,
    force: bool = False,
    progress: bool | None = None,
) -> Plan:
    """Return how many servers keep the waits of a log below a target.

    The log is replayed on machines of the given sizes; between the first one that meets the target and the one before
    it, sizes are halved down to one node.

    Parameters
    ----------
    log : Log
    target : float
        The wait [h] that `percentile` percent of the jobs must not exceed.
    policies : sequence of str
        See :func:`mjq.simulation.schedule.replay`.
    sizes : sequence of float, optional
        Servers; by default ten sizes from three quarters to twice those of the log, from the largest need on.
    percentile : float
        Above 0, at most 100.
    growth : float
        Factor on the arrival rate of the log.
    node : float
        Servers of a node.
    output : path, optional
        Replays are noted there as they are made; the same call after an interruption goes on with those that are
        missing. The plan is written there as JSON.
    workers : int or distributed.Client or None
        As for :func:`mjq._util.parallel.map_as_completed`.
    force : bool
        Replace an output that is there, and what was noted of another plan.
    progress : bool, optional
        Show a progress bar; by default on a terminal.

    Returns
    -------
    Plan

    Raises
    ------
    ValueError
        If the log does not tell when jobs came, there is no such policy, or a number violates a constraint.

    Examples
    --------
    Every hour two jobs of one server come, each for an hour and a half: three servers and there is no wait.

    >>> from mjq.workload import Log
    >>> come = 3600.0 * np.repeat(np.arange(50), 2)
    >>> log = Log(need=np.ones(100), run=np.full(100, 5400.0), submit=come, servers=2)
    >>> found = planned(log, target=1, sizes=[1, 2, 3, 4], workers=1).policies[0]
    >>> found.smallest, found.from_on, [one.meets for one in found.sizes]
    (3.0, 3.0, [False, False, True, True])
    """
    target = float(checks.not_negative("target", target, ndim=0))
    percentile = float(checks.positive("percentile", percentile, ndim=0))
    if percentile > 100:
        raise ValueError(f"percentile must be at most 100, got {checks.shown(percentile)}")
    growth, node = (float(checks.positive(name, x, ndim=0)) for name, x in (("growth", growth), ("node", node)))
    come = log.require_arrivals()
    if log.submits_are_starts:
        raise ValueError("the submit times of this log are start times, so the waits of its jobs are unknown")
    if not come.max() > come.min():
        raise ValueError("all jobs of the log come at once, so it tells nothing of waits")
    sizes = sizes_between(log, node=node) if sizes is None else checks.positive("sizes", sizes)
    sizes = np.unique(np.asarray(sizes, dtype=float)).tolist()
    for name in policies:
        rule_of(name)
    output = None if output is None else Path(output)
    if output is not None:
        folders.refuse_existing(output, force)
    bar = Bar("replays", 0, progress, delay=SOON)
    with bar, Replays(log, percentile, workers, output, force, bar) as replays:
        found = [_of_policy(replays, name, target, sizes, growth, node) for name in dict.fromkeys(policies)]
    compared = [] if log.servers is None else agreement(log, policies)
    plan = Plan(
        jobs=len(log),
        servers=log.servers,
        servers_from=log.servers_from,
        lines=log.lines,
        missing=list(log.missing),
        notes=list(log.notes),
        target=target,
        percentile=percentile,
        growth=growth,
        node=node,
        real_waits=agreement_in_words(compared),
        warning=disagreement_in_words(compared),
        policies=found,
        assumes=assumed(log, growth, [one.policy for one in found]),
    )
    if output is not None:
        folders.write(output, (plan.model_dump_json(indent=1) + "\n").encode())
        replays.forget()
    return plan


def sizes_between(
    log: Log, low: float | None = None, high: float | None = None, count: int = SIZES, node: float = 1.0
) -> list[float]:
    """Return sizes from `low` to `high`, whole nodes apart, with that of the log if it lies between.

    By default from three quarters of the servers of the log, or its largest need, to twice these servers.

    >>> from mjq.workload import Log
    >>> log = Log(need=np.array([1., 5.]), run=np.ones(2), servers=6)
    >>> sizes_between(log), sizes_between(log, 8, 20, count=3, node=4)
    ([5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0], [8.0, 16.0, 20.0])
    """
    if low is None or high is None:
        servers = log.require_servers()
        low = max(SMALLEST * servers, log.need.max()) if low is None else low
        low, high = np.ceil(low), max(LARGEST * servers, low) if high is None else high
    if not 0 < low <= high:
        raise ValueError(f"sizes must be positive and must rise, got {checks.shown(low)} to {checks.shown(high)}")
    steps = np.unique(np.round(np.linspace(0, np.floor((high - low) / node + NODE_ROUNDING), count)))
    sizes = {float(low + node * k) for k in steps}
    return sorted(sizes | {float(log.servers)} if log.servers is not None and low <= log.servers <= high else sizes)


def _of_policy(replays, policy, target, sizes, growth, node):
    """Return how many servers one policy needs."""

    def case(servers, **other):
        return dict(policy=policy, servers=servers, growth=growth) | other

    def meets(servers):
        return replays.fits(servers) and replays.waits(**case(servers))["percentile"]["value"] <= target

    exact = rule_of(policy).knows_times and replays.log.estimate is not None
    others: list[tuple[float, dict]] = [(size + node, {}) for size in sizes]
    others += [(size, {"exact": True}) for size in sizes if exact]
    replays.make([case(size, **other) for size, other in [(size, {}) for size in sizes] + others])
    sizes = _refined(sizes, meets, node)
    rows = []
    for size in sizes:
        fits = replays.fits(size)
        here = replays.waits(**case(size)) if fits else None
        known = {"one_node_more": case(size + node)} | ({"exact_estimates": case(size, exact=True)} if exact else {})
        gains = {name: _gain(here, replays.waits(**other)) for name, other in known.items() if fits}
        told = _told(here) if fits else None
        high = told and told.percentile.high
        rows.append(
            Size(
                servers=size,
                load=replays.load(size, growth),
                too_large=replays.too_large(size),
                waits=told,
                meets=meets(size),
                surely=high is not None and high <= target,
                **{"one_node_more": None, "exact_estimates": None} | gains,
            )
        )
    fit = [row.servers for row in rows if row.waits]
    smallest = next((row.servers for row in rows if row.meets), None)
    shown = smallest or (fit[-1] if fit else None)
    found = PolicyPlan(
        policy=policy,
        sizes=rows,
        smallest=smallest,
        from_on=_from_on(rows),
        surely=next((row.servers for row in rows if row.surely), None),
        servers=shown,
        loads=[] if shown is None else _against_load(replays, policy, shown, growth),
        verdict=[],
    )
    return found.model_copy(update={"verdict": verdict(found, target, replays.percentile, node)})


def _refined(sizes, meets, node):
    """Add sizes between the first that meets the target and the one before it, down to one node."""
    first = next((k for k, size in enumerate(sizes) if meets(size)), 0)
    if not first:
        return sizes
    low, high, more = sizes[first - 1], sizes[first], []
    while (steps := round((high - low) / node)) > 1:
        middle = low + node * (steps // 2)
        more.append(middle)
        low, high = (low, middle) if meets(middle) else (middle, high)
    return sorted({*sizes, *more})


def _from_on(rows):
    """Return the size from which on all meet the target."""
    found = None
    for row in reversed(rows):
        if not row.meets:
            break
        found = row.servers
    return found


def _against_load(replays, policy, servers, growth):
    cases = [dict(policy=policy, servers=servers, growth=growth * factor) for factor in LOADS]
    replays.make(cases)
    return [
        AtLoad(growth=one["growth"], load=replays.load(servers, one["growth"]), waits=_told(replays.waits(**one)))
        for one in cases
    ]


def _told(found):
    """Return the waits of one replay, with intervals."""
    ends = {name: interval(found, name) or (None, None) for name in ("mean", "percentile")}
    return Waits(**{name: Interval(value=found[name]["value"], low=x, high=y) for name, (x, y) in ends.items()})


def _gain(here, other):
    """Return by how much waits are shorter in another replay, with intervals."""
    gains = {name: difference(here, other, name) for name in ("mean", "percentile")}
    return Waits(**{name: Interval(value=value, low=x, high=y) for name, (value, x, y) in gains.items()})
