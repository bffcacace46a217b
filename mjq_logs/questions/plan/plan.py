"""How many servers keep the waits of a log below a target: replays on machines of many sizes, as plain data.

Waits need not fall with every server that is added: a job that starts earlier may be in the way of others. So the
smallest size that meets the target is reported beside the one from which on all larger ones that were tried meet it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq._util.parallel import SOON, Bar, Workers, map_as_completed
from mjq.simulation.policies import names_of
from mjq_logs.machine.agreement import agreement, agreement_in_words, disagreement_in_words
from mjq_logs.machine.outages import calendar_on
from mjq_logs.questions.plan.answer import CLEARLY, Plan, PlanUnderPolicy, Size, assumed, plan_in_words, rule_of
from mjq_logs.questions.plan.changes import Changed
from mjq_logs.questions.plan.what_if import Effect, what_if
from mjq_logs.questions.waits import AtLoad, Statistics, saved, surely_below, wait_statistics, with_intervals, worth
from mjq_logs.reading.facts import Facts, facts_of, of_log
from mjq_logs.reading.log import Log
from mjq_logs.reading.window import window_in_words

LOADS = 0.8, 0.9, 1.0, 1.1, 1.2  # times the growth, for the waits against the load
SIZES = 10  # that are tried at first
SMALLEST_MULTIPLE, LARGEST_MULTIPLE = 0.75, 2.0  # of them, as multiples of the machine of the log
NODE_ROUNDING = 1e-9  # of a number of nodes
MOST_BETWEEN = 50  # sizes between two others, up to which each is tried
FINEST_STEP = 0.01  # step between sizes where there are more of them, relative to the size
TENTH = 1.1  # what further nodes save is the mean over sizes up to the next that is so many times as large


class Case(NamedTuple):
    """Name one replay."""

    servers: float
    policy: str
    growth: float
    exact: bool = False


class Replays:
    """Make each replay of one log once; a bar counts them, and its total grows with what is asked for."""

    def __init__(self, log: Log, percentile: float, workers: Workers | None, bar: Bar):
        self.log, self.percentile, self.workers, self.bar = log, percentile, workers, bar
        self.worth = worth(log)
        self.found: dict[Case, Statistics] = {}

    def make(self, cases: Iterable[Case]) -> None:
        """Make the replays that are missing."""
        todo = [(case, case) for case in dict.fromkeys(cases) if case not in self.found and self.fits(case.servers)]
        self.bar.total += len(todo)
        compute = partial(_waits, self.log, self.percentile, self.worth.number)
        for found in map_as_completed(compute, todo, self.workers):
            self.found |= found
            self.bar.update(len(found))

    def waits(self, case: Case) -> Statistics:
        """Return the waits of one case."""
        self.make([case])
        return self.found[case]

    def percentile_of(self, case: Case) -> float:
        """Return the percentile of the waits of one case, which is infinite if some job does not fit."""
        return self.waits(case).percentile.value if self.fits(case.servers) else float("inf")

    def fits(self, servers: float) -> bool:
        """Return whether all jobs fit into the machine."""
        return not self.too_large(servers)

    def too_large(self, servers: float) -> int:
        """Return how many jobs need more than there is, or than a calendar has up at its end."""
        if self.log.calendar is not None:
            servers = self.log.calendar.on(servers).up[-1]
        return int((~checks.fits(self.log.need, servers, servers)).sum())

    def load(self, servers: float, growth: float) -> float:
        """Return the work that comes over what the servers can do meanwhile."""
        seen = self.log.end - self.log.begin
        up = calendar_on(self.log, servers, growth)
        if up is not None:
            return float(self.log.need @ self.log.run / up.work(0.0, seen / growth))
        return float(growth * (self.log.need @ self.log.run) / (servers * seen))


def _waits(log, percentile, number, case):
    return wait_statistics(log, **case._asdict(), percentile=percentile, number=number)


def plan(
    log: Log | Facts,
    target: float | None = None,
    policies: Sequence[str] = ("easy",),
    sizes: ArrayLike | None = None,
    *,
    changes: Sequence[Changed] = (),
    percentile: float = 90.0,
    growth: float = 1.0,
    node: float = 1.0,
    workers: Workers | None = 1,
    progress: bool | None = None,
) -> Plan:
    """Return how many servers keep the waits of a log below a target, or what changes would do to its waits, or both.

    The log is replayed on machines of the given sizes. Then every size is tried, a node apart, between the last of
    them that clearly misses the target, by a factor of one and a half, and the first one that clearly meets it. Where
    there are more than fifty between these, sizes are one per cent apart.

    Parameters
    ----------
    log : Log or Facts
    target : float, optional
        The wait [h] that `percentile` percent of the jobs must not exceed. Without one there must be changes.
    policies : sequence of str
        See :func:`mjq.simulation.schedule.replay`.
    sizes : sequence of float, optional
        Servers. By default ten sizes from three quarters to twice the machine of the log, from the largest need on.
    changes : sequence of Changed
        Each is tried by itself on the machine of the log, by :func:`mjq_logs.questions.plan.what_if.what_if`. With a
        target, the smallest size that meets it under the change is looked for, too.
    percentile : float
        Above 0, at most 100.
    growth : float
        Factor on the arrival rate of the log.
    node : float
        Servers of a node.
    workers : int or distributed.Client or None
        As for :func:`mjq._util.parallel.map_as_completed`.
    progress : bool, optional
        Show a progress bar; by default on a terminal.

    Raises
    ------
    ValueError
        If the log does not tell when jobs came or counts several resources, there is no such policy, or a number
        violates a constraint.

    Examples
    --------
    Every hour two jobs of one server come, each for an hour and a half: three servers and there is no wait.

    >>> from mjq_logs import Log
    >>> arrival = 3600.0 * np.repeat(np.arange(50), 2)
    >>> log = Log(need=np.ones(100), run=np.full(100, 5400.0), submit=arrival, servers=2)
    >>> answer = plan(log, target=1, sizes=[1, 2, 3, 4], workers=1).policies[0]
    >>> answer.smallest, answer.from_on, [row.meets for row in answer.sizes]
    (3.0, 3.0, [False, False, True, True])
    """
    facts = facts_of(log)
    log = facts.log
    if target is None and not changes:
        raise ValueError("a plan needs a target or changes")
    percentile = float(checks.positive("percentile", percentile, ndim=0))
    if percentile > 100:
        raise ValueError(f"percentile must be at most 100, got {checks.shown(percentile)}")
    target = None if target is None else float(checks.not_negative("target", target, ndim=0))
    growth, node = (float(checks.positive(name, x, ndim=0)) for name, x in (("growth", growth), ("node", node)))
    log.require_one_resource()
    arrival = log.require_waits()
    if not arrival.max() > arrival.min():
        raise ValueError("all jobs of the log come at once, so it tells nothing of waits")
    names = names_of(policies)
    for name in names:
        rule_of(name)
    of_policies: list[PlanUnderPolicy] = []
    effects: list[Effect] = []
    with Bar("replays", 0, progress, delay=SOON) as bar:
        if target is not None:
            replays, tried = Replays(log, percentile, workers, bar), _tried(log, sizes, node)
            of_policies = [_of_policy(replays, name, target, tried, growth, node) for name in names]
        if changes:
            effects = what_if(log, changes, names, percentile=percentile, growth=growth, workers=workers)
        if changes and target is not None:
            of_changes = [
                (Replays(change.log, percentile, workers, bar), _tried(change.log, sizes, node)) for change in changes
            ]
            least = [_smallest(*of, name, target, growth, node) for name in names for of in of_changes]
            effects = [effect.model_copy(update={"smallest": x}) for effect, x in zip(effects, least, strict=True)]
    compared = [] if log.servers is None else agreement(log, names)
    seen, differs = window_in_words(facts.window), disagreement_in_words(compared)
    return Plan(
        **of_log(log, [*([seen] if seen else []), *log.notes], [*facts.warnings, *([differs] if differs else [])]),
        servers=log.servers,
        servers_from=log.servers_from,
        target=target,
        percentile=percentile,
        growth=growth,
        node=node,
        real_waits=agreement_in_words(compared),
        policies=of_policies,
        what_if=effects,
        assumes=assumed(log, growth, names, bool(changes)),
    )


def _smallest(replays, tried, policy, target, growth, node):
    case = partial(Case, policy=policy, growth=growth)
    sizes = _with_those_between(replays, case, target, tried, node)
    return next((size for size in sizes if replays.percentile_of(case(size)) <= target), None)


def _tried(log, sizes, node):
    return sizes_between(log, node=node) if sizes is None else np.unique(checks.positive("sizes", sizes)).tolist()


def sizes_between(
    log: Log, low: float | None = None, high: float | None = None, count: int = SIZES, node: float = 1.0
) -> list[float]:
    """Return sizes from `low` to `high`, whole nodes apart, with that of the log if it lies between.

    By default from three quarters of the machine of the log, or from what its largest need takes, to twice this
    machine.

    >>> from mjq_logs import Log
    >>> log = Log(need=np.array([1., 5.]), run=np.ones(2), servers=6)
    >>> sizes_between(log), sizes_between(log, 8, 20, count=3, node=4)
    ([5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0], [8.0, 16.0, 20.0])
    """
    log.require_one_resource()
    if low is None or high is None:
        machine = log.machine()
        least = np.ceil(max(SMALLEST_MULTIPLE * machine, log.need.max()))
        low, high = (least if low is None else low), (max(LARGEST_MULTIPLE * machine, least) if high is None else high)
    if not 0 < low <= high:
        raise ValueError(f"sizes must be positive and must rise, got {checks.shown(low)} to {checks.shown(high)}")
    steps = np.unique(np.round(np.linspace(0, np.floor((high - low) / node + NODE_ROUNDING), count)))
    sizes = {float(low + node * k) for k in steps}
    if log.servers is not None and low <= log.servers <= high:
        sizes.add(float(log.servers))
    return sorted(sizes)


def _of_policy(replays, policy, target, asked, growth, node):
    case = partial(Case, policy=policy, growth=growth)
    exact = rule_of(policy).knows_times and replays.log.estimate is not None
    sizes = _with_those_between(replays, case, target, asked, node)
    meets = {size: replays.percentile_of(case(size)) <= target for size in sizes}
    shown = {*asked} | {size for pair in pairwise(sizes) if meets[pair[0]] != meets[pair[1]] for size in pair}
    replays.make([case(size, exact=True) for size in sorted(shown) if exact])
    rows: list[Size] = []
    for size in sizes:
        here, saves = None, {}
        if replays.fits(size):
            here = replays.waits(case(size))
            saves["each_node_more"] = _each(here, size, sizes, node, lambda other: replays.waits(case(other)))
            if exact and size in shown:
                saves["exact_estimates"] = saved(here, replays.waits(case(size, exact=True)))
        sure = None if here is None else surely_below(here, target)
        rows.append(
            Size(
                servers=size,
                load=replays.load(size, growth),
                too_large=replays.too_large(size),
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
    missed = [k for k, size in enumerate(sizes) if not meets[size]]
    kept = sizes[missed[-1] + 1 :] if missed else sizes
    answer = PlanUnderPolicy(
        policy=policy,
        sizes=rows,
        smallest=least,
        from_on=kept[0] if kept else None,
        possible=next((row.servers for row in rows if not row.surely_misses), None),
        surely=next((row.servers for row in rows if row.surely), None),
        servers=machine,
        loads=[] if machine is None else _against_load(replays, case, machine),
        verdict=[],
    )
    spoken = plan_in_words(answer, target, replays.percentile, node, replays.worth.why)
    return answer.model_copy(update={"verdict": spoken})


def _each(here, size, sizes, node, waits):
    """Return what each further node saves on average, up to the next size that is a tenth larger; None without one."""
    larger = next((other for other in sizes if other >= size * TENTH - NODE_ROUNDING), None)
    if larger is None:
        return None
    return saved(here, waits(larger), per=(larger - size) / node)


def _with_those_between(replays, case, target, sizes, node):
    """Return the sizes, and those between the last that clearly misses the target and the first that clearly meets it.

    Waits need not fall with each server: a size below one that nearly meets the target may meet it, and one above a
    size that meets it may miss it again.
    """
    replays.make([case(size) for size in sizes])
    waits = np.array([replays.percentile_of(case(size)) for size in sizes])
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
    step = 1 if nodes <= MOST_BETWEEN else max(1, int(low * FINEST_STEP / node))
    return [low + node * k for k in range(step, nodes + 1, step)]


def _against_load(replays, case, size):
    growth = case.keywords["growth"]
    cases = [case(size, growth=growth * factor) for factor in LOADS]
    replays.make(cases)
    loads = [replays.load(size, each.growth) for each in cases]
    waits = [with_intervals(replays.waits(each)) for each in cases]
    return [AtLoad(growth=x.growth, load=y, waits=z) for x, y, z in zip(cases, loads, waits, strict=True)]
