"""How many servers keep the waits of a log below a target: replays on machines of many sizes, as plain data.

Waits need not fall with every server that is added: a job that starts earlier may be in the way of others. So the
smallest size that meets the target is reported beside the one from which on all larger ones that were tried meet it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq._util.parallel import SOON, Bar, Workers
from mjq_logs._util import folders
from mjq_logs.answers import AtLoad, Interval, Plan, PolicyPlan, Size, Waits
from mjq_logs.capacity.arrivals import agreement
from mjq_logs.doubts import doubts
from mjq_logs.hosting import CASES, hosted, left_out_in_words, that_fit
from mjq_logs.on_hosts import Hosts
from mjq_logs.reading.log import Log
from mjq_logs.rules.in_words import kept_in_words
from mjq_logs.waits.changes import Changed
from mjq_logs.waits.machines import NODE_ROUNDING, Machines, sizes_between
from mjq_logs.waits.many_hosts import RULES, HostMachines, as_it_is, lost_on_hosts, rules_compared, shapes_in_words
from mjq_logs.waits.one_size import difference, surely_below, with_intervals
from mjq_logs.waits.replays import Replays
from mjq_logs.waits.what_if import what_if
from mjq_logs.window import window_in_words, window_of
from mjq_logs.words import CLEARLY, agreement_in_words, amount_of, assumed, plan_in_words, rule_of

LOADS = 0.8, 0.9, 1.0, 1.1, 1.2  # times the growth, for the waits against the load
MOST_BETWEEN = 50  # sizes between two others, up to which each is tried
FINEST = 0.01  # step between sizes where there are more of them, relative to the size
TWICE = 2.0  # as much of one resource alone
TENTH = 1.1  # what further nodes save is the mean over sizes up to the next that is so many times as large


def planned(
    log: Log,
    target: float | None = None,
    policies: Sequence[str] = ("easy",),
    sizes: ArrayLike | None = None,
    *,
    changes: Sequence[Changed] = (),
    percentile: float = 90.0,
    growth: float = 1.0,
    node: float = 1.0,
    output: str | Path | None = None,
    workers: Workers | None = 1,
    force: bool = False,
    progress: bool | None = None,
) -> Plan:
    """Return how many servers keep the waits of a log below a target, or what changes would do to its waits, or both.

    The log is replayed on machines of the given sizes. Then every size is tried, a node apart, between the last of
    them that clearly misses the target, by a factor of one and a half, and the first one that clearly meets it. Where
    there are more than fifty between these, sizes are one per cent apart.

    Parameters
    ----------
    log : Log
    target : float, optional
        The wait [h] that `percentile` percent of the jobs must not exceed. Without one there must be changes.
    policies : sequence of str
        See :func:`mjq.simulation.schedule.replay`.
    sizes : sequence of float, or of rows of float, shape (n, d), optional
        Servers; of several resources, how much of each, larger one after the other: by one resource while the others
        stay as they are, or by several in step. By default ten sizes from three quarters to twice the machine of the
        log, from the largest need on, all resources in proportion.
    changes : sequence of Changed
        Each is tried by itself on the machine of the log, by :func:`mjq_logs.waits.what_if.what_if`. With a target,
        the smallest size that meets it under the change is looked for, too.
    percentile : float
        Above 0, at most 100.
    growth : float
        Factor on the arrival rate of the log.
    node : float
        Servers of a node; of several resources, of the first one of which larger machines have more.
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

    >>> from mjq_logs import Log
    >>> arrival = 3600.0 * np.repeat(np.arange(50), 2)
    >>> log = Log(need=np.ones(100), run=np.full(100, 5400.0), submit=arrival, servers=2)
    >>> answer = planned(log, target=1, sizes=[1, 2, 3, 4], workers=1).policies[0]
    >>> answer.smallest, answer.from_on, [row.meets for row in answer.sizes]
    (3.0, 3.0, [False, False, True, True])

    If each also needs two GB of memory, it is the memory of which there must be more than 4 GB.

    >>> from mjq_logs import Vectors
    >>> need = Vectors(np.full((100, 2), (1, 2)), ("cpus", "mem"))
    >>> log = Log(need=need, run=np.full(100, 5400.0), submit=arrival, servers=(3, 4))
    >>> planned(log, target=1, sizes=[(3, 4), (3, 5), (3, 6)], workers=1).policies[0].smallest
    {'cpus': 3.0, 'mem': 6.0}
    """
    if target is None and not changes:
        raise ValueError("a plan needs a target or changes")
    with _Work(percentile, output, workers, force, progress) as work:
        return work.done(_planned(work, log, target, policies, sizes, changes, growth, node))


def planned_on_hosts(
    log: Log,
    hosts: Hosts,
    target: float,
    *,
    most: Hosts | None = None,
    sizes: int | None = None,
    percentile: float = 90.0,
    growth: float = 1.0,
    output: str | Path | None = None,
    workers: Workers | None = 1,
    force: bool = False,
    progress: bool | None = None,
) -> Plan:
    """Return how many hosts keep the waits of a log below a target, if each job must fit on one of them.

    Jobs start in order of arrival, by four rules: with best fit, in one pool of all that the hosts have, with worst
    fit, and with best fit while :data:`mjq_logs.hosting.VIEW` waiting jobs are in view and a host is kept free for the
    first one.

    Parameters
    ----------
    log : Log
        Its own servers do not count.
    hosts : Hosts
        Those of the machine as it is. Sizes from three quarters of them to twice as many are tried, with all shapes in
        proportion; or, with `most`, from these hosts to the most.
    target : float
        The wait [h] that `percentile` percent of the jobs must not exceed.
    most : Hosts, optional
        Of the same shapes.
    sizes : int, optional
        How many machines are tried at first, by default ten.
    percentile, growth, output, workers, force, progress
        As for :func:`planned`.

    Returns
    -------
    Plan
        Its machines are numbers of hosts by their size. The first policy is best fit, and its sentences compare it with
        the others.

    Raises
    ------
    ValueError
        As for :func:`planned` and :func:`mjq_logs.report_on_hosts`.

    Examples
    --------
    Every hour three jobs of two servers come, each for just an hour. On hosts of three servers each takes one host, and
    a third of the servers is lost. In a pool of six servers there is no wait.

    >>> from mjq_logs import Hosts, Log
    >>> arrival = 3600.0 * np.repeat(np.arange(50), 3)
    >>> log = Log(need=np.full(150, 2.0), run=np.full(150, 3600.0), submit=arrival)
    >>> plan = planned_on_hosts(log, Hosts((1,), ((3.0,),)), 0.5, most=Hosts((5,), ((3.0,),)), percentile=100)
    >>> {rule.policy: rule.smallest["hosts of 3 servers"] for rule in plan.policies[:2]}
    {'best fit': 3.0, 'one pool': 2.0}
    """
    with _Work(percentile, output, workers, force, progress) as work:
        return work.done(_planned_on_hosts(work, log, hosts, target, most, sizes, growth))


class _Work:
    """Hold what all replays of a call share: their journals are beside one output, and there is one bar."""

    def __init__(self, percentile, output, workers, force, progress):
        self.percentile = float(checks.positive("percentile", percentile, ndim=0))
        if self.percentile > 100:
            raise ValueError(f"percentile must be at most 100, got {checks.shown(self.percentile)}")
        self.output = None if output is None else Path(output)
        if self.output is not None:
            folders.refuse_existing(self.output, force)
        self.workers, self.force = workers, force
        self.bar = Bar("replays", 0, progress, delay=SOON)
        self.all: list[Replays] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        self.bar.close()

    def replays(self, log: Log) -> Replays:
        """Return the replays of one more log; the journals of the second and further logs are numbered."""
        path = self.output
        if path is not None and self.all:
            path = path.with_name(f"{path.name}.{len(self.all) + 1}")
        self.all.append(Replays(log, self.percentile, self.workers, path, self.force, self.bar))
        return self.all[-1]

    def done(self, answer):
        """Write what was found, remove the journals, and return it."""
        if self.output is not None:
            folders.write(self.output, (answer.model_dump_json(indent=1) + "\n").encode())
            for replays in self.all:
                replays.forget()
        return answer


def _planned(work, log, target, policies, sizes, changes, growth, node):
    target = None if target is None else float(checks.not_negative("target", target, ndim=0))
    growth, node = (float(checks.positive(name, x, ndim=0)) for name, x in (("growth", growth), ("node", node)))
    _require_waits(log)
    names = list(dict.fromkeys(policies))
    for name in names:
        rule_of(name)
    of_policies, varies = [], ()
    if target is not None:
        replays, machines = work.replays(log), _machines(log, sizes, node)
        of_policies = [_of_policy(replays, name, target, machines, growth, node) for name in names]
        varies = machines.varies
    effects = []
    if changes:
        effects = what_if(log, changes, names, percentile=work.percentile, growth=growth, workers=work.workers)
        if target is not None:
            least = _smallest_of_each(work, changes, names, target, sizes, growth, node)
            effects = [effect.model_copy(update={"smallest": x}) for effect, x in zip(effects, least, strict=True)]
    compared = [] if log.servers is None else agreement(log, policies)
    seen = window_in_words(window_of(log))
    return Plan(
        jobs=len(log),
        servers=None if log.servers is None else amount_of(log.machine(), log.resources),
        servers_from=log.servers_from,
        lines=log.lines,
        missing=list(log.missing),
        notes=[*([seen] if seen else []), *log.notes],
        target=target,
        percentile=work.percentile,
        growth=growth,
        node=node,
        varies=list(varies),
        real_waits=agreement_in_words(compared),
        rules=kept_in_words(log),
        learning=log.learning,
        warnings=doubts(log, compared),
        policies=of_policies,
        what_if=effects,
        assumes=assumed(log, growth, names, bool(changes)),
    )


def _planned_on_hosts(work, log, hosts, target, most, sizes, growth):
    target = float(checks.not_negative("target", target, ndim=0))
    growth = float(checks.positive("growth", growth, ndim=0))
    machines = HostMachines.of(hosts, most, log.resources, sizes)
    log = hosted(log, hosts)
    warnings = doubts(log if most is None else replace(log, servers=None, servers_from=""))
    log, too_large, work_too_large = that_fit(log, hosts)
    if too_large:
        warnings.insert(0, left_out_in_words(too_large, work_too_large))
    _require_waits(log)
    replays, node = work.replays(log), 1.0
    of_rules = {name: _of_policy(replays, name, target, machines, growth, node) for name in RULES}
    best = of_rules["best fit"]
    told = [*best.verdict, *rules_compared(of_rules, machines)]
    if isinstance(best.smallest, dict):
        told += lost_on_hosts(log, machines.hosts(best.smallest[machines.varies[0]]))
    of_rules["best fit"] = best.model_copy(update={"verdict": told})
    own = None if most is not None else machines.amount(hosts.numbers[machines.lead])
    seen = window_in_words(window_of(log))
    return Plan(
        jobs=len(log),
        servers=own,
        servers_from="" if own is None else log.servers_from,
        lines=log.lines,
        missing=list(log.missing),
        notes=[*([seen] if seen else []), *log.notes, *hosts.notes, *shapes_in_words(hosts, log.resources)],
        target=target,
        percentile=work.percentile,
        growth=growth,
        node=node,
        varies=list(machines.varies),
        real_waits=[] if own is None else as_it_is(log, hosts),
        warnings=warnings,
        policies=list(of_rules.values()),
        assumes=assumed(log, growth, [], on_hosts=True),
    )


def _require_waits(log):
    arrival = log.require_waits()
    if not arrival.max() > arrival.min():
        raise ValueError("all jobs of the log come at once, so it tells nothing of waits")


def _smallest_of_each(work, changes, policies, target, sizes, growth, node):
    """Return for each policy the smallest size that meets the target under each change, or None."""
    smallest = {}
    for k, change in enumerate(changes):
        replays, machines = work.replays(change.log), _machines(change.log, sizes, node)
        for name in policies:
            case = _Case(machines, name, growth)
            replays.make([case(size) for size in machines.numbers])
            every = _with_those_between(replays, case, target, machines.numbers, node)
            least = next((size for size in every if _percentile(replays, case, size) <= target), None)
            smallest[name, k] = None if least is None else machines.amount(least)
    return [smallest[name, k] for name in policies for k in range(len(changes))]


def _machines(log, sizes, node):
    return Machines.of(log, sizes_between(log, node=node) if sizes is None else sizes)


class _Case(NamedTuple):
    """Name replays under a policy by the number of their machine."""

    machines: Machines | HostMachines
    policy: str
    growth: float

    def __call__(self, number: float, **how: Any) -> dict[str, Any]:
        rule = self.machines.policy(self.policy, number)
        return dict(policy=rule, growth=self.growth, servers=self.machines(number)) | how


def _of_policy(replays, policy, target, machines, growth, node):
    """Return how many servers one policy needs; sizes are named by their numbers."""
    case, sizes = _Case(machines, policy, growth), machines.numbers
    in_pool = isinstance(machines, Machines)
    exact = in_pool and rule_of(policy).knows_times and replays.log.estimate is not None
    replays.make([case(size) for size in sizes])
    asked = set(sizes)
    sizes = _with_those_between(replays, case, target, sizes, node)
    meets = {size: _percentile(replays, case, size) <= target for size in sizes}
    shown = asked | {size for pair in pairwise(sizes) if meets[pair[0]] != meets[pair[1]] for size in pair}
    replays.make([case(size, exact=True) for size in sorted(shown) if exact])
    rows: list[Size] = []
    for size in sizes:
        here, saves = None, {}
        if replays.fits(machines(size)):
            here = replays.waits(**case(size))
            saves["each_node_more"] = _each(here, size, sizes, node, lambda other: replays.waits(**case(other)))
            if exact and size in shown:
                saves["exact_estimates"] = _gain(here, replays.waits(**case(size, exact=True)))
        sure = None if here is None else surely_below(here, target)
        rows.append(
            Size(
                servers=machines.amount(size),
                load=replays.load(machines(size), growth),
                too_large=replays.too_large(machines(size)),
                waits=None if here is None else with_intervals(here),
                meets=meets[size],
                surely=meets[size] and (sure is True or any(row.surely for row in rows)),
                surely_misses=here is None or sure is False,
                shown=size in shown,
                **saves,
            )
        )
    fit = [size for size, row in zip(sizes, rows, strict=True) if row.waits]
    least = next((size for size in sizes if meets[size]), None)
    machine = least or (fit[-1] if fit else None)
    answer = PolicyPlan(
        policy=policy if in_pool else CASES[policy],
        sizes=rows,
        smallest=None if least is None else machines.amount(least),
        from_on=_from_on(rows),
        possible=next((row.servers for row in rows if not row.surely_misses), None),
        surely=next((row.servers for row in rows if row.surely), None),
        servers=None if machine is None else machines.amount(machine),
        loads=[] if machine is None else _against_load(replays, case, machine),
        twice=_twice(replays, policy, growth) if in_pool else {},
        verdict=[],
    )
    spoken = plan_in_words(answer, target, replays.percentile, node, replays.worth.why, machines.varies)
    return answer.model_copy(update={"verdict": spoken})


def _percentile(replays, case, size):
    """Return the percentile of the waits on a machine, which is infinite if some job does not fit."""
    fits = replays.fits(case.machines(size))
    return replays.waits(**case(size))["percentile"]["value"] if fits else np.inf


def _twice(replays, policy, growth):
    """Return the waits on the machine of the log if it had twice as much of one of several resources."""
    log = replays.log
    if not log.resources or log.servers is None or not replays.fits(log.machine()):
        return {}
    more = log.machine() * (1 + (TWICE - 1) * np.eye(len(log.resources)))
    cases = [dict(policy=policy, growth=growth, servers=tuple(machine.tolist())) for machine in more]
    replays.make(cases)
    return {name: with_intervals(replays.waits(**case)) for name, case in zip(log.resources, cases, strict=True)}


def _each(here, size, sizes, node, waits):
    """Return what each further node saves on average, up to the next size that is a tenth larger; None without one."""
    larger = next((other for other in sizes if other >= size * TENTH - NODE_ROUNDING), None)
    if larger is None:
        return None
    saved, nodes = _gain(here, waits(larger)), (larger - size) / node
    return Waits(mean=_over(saved.mean, nodes), percentile=_over(saved.percentile, nodes))


def _over(interval, nodes):
    ends = {"low": interval.low, "high": interval.high}
    return Interval(value=interval.value / nodes, **{end: None if x is None else x / nodes for end, x in ends.items()})


def _with_those_between(replays, case, target, sizes, node):
    """Return the sizes, and those between the last that clearly misses the target and the first that clearly meets it.

    Waits need not fall with each server: a size below one that nearly meets the target may meet it, and one above a
    size that meets it may miss it again.
    """
    waits = np.array([_percentile(replays, case, size) for size in sizes])
    longest = np.maximum.accumulate(waits[::-1])[::-1]  # from each size on
    low = max(0, int(np.argmax(waits <= CLEARLY * target)) - 1)
    high = int(np.argmax(CLEARLY * longest <= target)) or len(sizes) - 1
    if waits.min() > CLEARLY * target or CLEARLY * longest[0] <= target:
        return sizes
    between = _between(sizes[low], sizes[high], node)
    replays.make([case(size) for size in between])
    return sorted({*sizes, *between})


def _between(low, high, node):
    """Return sizes between two others: each node, or where these are many, steps of at most one per cent.

    >>> _between(96.0, 100.0, 1.0), _between(96.0, 100.0, 2.0), _between(4000.0, 4100.0, 1.0)
    ([97.0, 98.0, 99.0], [98.0], [4040.0, 4080.0])
    """
    nodes = int(np.ceil((high - low) / node - NODE_ROUNDING)) - 1
    step = 1 if nodes <= MOST_BETWEEN else max(1, int(low * FINEST / node))
    return [low + node * k for k in range(step, nodes + 1, step)]


def _from_on(rows):
    """Return the size from which on all meet the target."""
    size = None
    for row in reversed(rows):
        if not row.meets:
            break
        size = row.servers
    return size


def _against_load(replays, case, size):
    cases = [case(size, growth=case.growth * factor) for factor in LOADS]
    replays.make(cases)
    return [
        AtLoad(
            growth=how["growth"],
            load=replays.load(how["servers"], how["growth"]),
            waits=with_intervals(replays.waits(**how)),
        )
        for how in cases
    ]


def _gain(here, other):
    """Return by how much waits are shorter in another replay, with intervals."""
    return Waits(**{name: difference(here, other, name) for name in ("mean", "percentile")})
