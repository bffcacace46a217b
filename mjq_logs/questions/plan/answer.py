"""How many servers: the answer, and what it says in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import SerializerFunctionWrapHandler, model_serializer

from mjq.simulation import policies
from mjq.simulation.engine.policy import Policy
from mjq_logs.answers import OF_WAITS, Column, Plain, Waits
from mjq_logs.questions.plan.what_if import Effect
from mjq_logs.questions.waits import AtLoad
from mjq_logs.reading.facts import OfLog
from mjq_logs.reading.log import Log
from mjq_logs.words import listed, time_in_words

ALONE = "A what-if changes one thing: nobody submits other jobs, or at other times, because of it."
CLEARLY = 1.5  # factor between the target and a wait that clearly meets or misses it
TOO_WIDE = 10.0  # times its lower end is the upper end of the interval of a wait, above which a log cannot tell a size
MOST_NAMED = 8  # sizes, in a sentence
LARGE_SIZE, ROUND = 1000.0, 0.01  # servers from which on a size is rounded, and by how much at most
ROUNDING = 1e-9  # of a number of servers


class Size(Plain):
    """Hold the waits on a machine of one size."""

    servers: Annotated[float, Column("servers", "", "g")]
    load: Annotated[float, Column("load", "%", ".1f")]
    """Work that comes, as a share of what the servers can do."""
    too_large: int
    """Jobs of the log that need more than there is. If there are any, nothing is replayed."""
    waits: Annotated[Waits | None, OF_WAITS]
    meets: bool
    """Whether the percentile is at most the target."""
    surely: bool
    """Whether it meets the target, and the upper end of the interval of the percentile, here or on a smaller machine,
    does so, too."""
    surely_misses: bool
    """Whether its lower end exceeds the target, or some job does not fit."""
    shown: bool
    """Whether tables show this size: it was asked for, or it meets the target and one beside it does not, or the other
    way round."""
    each_node_more: Annotated[Waits | None, Column("each {node:g} more\nsaves", "h", of="mean", sure=True)] = None
    """By how much each further node shortens the waits on average, from this size to the next that was tried and is at
    least a tenth larger; null if there is none."""
    exact_estimates: Annotated[Waits | None, Column("exact estimates\nsave", "h", of="mean", sure=True)] = None
    """By how much exact estimates shorten the waits; null if the policy looks at no estimates, or if the size is not
    shown."""


class PlanUnderPolicy(Plain):
    """Hold how many servers one policy needs."""

    policy: str
    sizes: list[Size]
    smallest: float | None
    """Smallest size tried that meets the target."""
    from_on: float | None
    """Size tried from which on all larger ones that were tried meet it."""
    possible: float | None
    """Smallest size tried that does not surely miss the target."""
    surely: float | None
    """Smallest size tried whose interval lies below the target."""
    servers: float | None
    """Machine whose waits are shown against the load."""
    loads: list[AtLoad]
    verdict: list[str]

    @property
    def tells(self) -> bool:
        """Return whether the log can tell of some size that was replayed whether it meets the target."""
        return any(row.waits and (row.surely or row.surely_misses) for row in self.sizes)


class Plan(OfLog):
    """Say how many servers keep the waits of a log below a target."""

    servers: float | None
    """Machine of the log."""
    servers_from: str
    target: float | None
    """Target of the wait, in hours; null where only changes are compared."""
    percentile: float
    """Percentage of the jobs that must wait at most the target."""
    growth: float
    """Factor on the arrival rate of the log."""
    node: float
    """Servers of a node."""
    real_waits: list[str]
    """How far replays agree with the waits of the log; empty if it has none."""
    policies: list[PlanUnderPolicy]
    """Empty without a target."""
    what_if: list[Effect] = []
    """What changes would do, each by itself; left out where none was asked for."""
    assumes: list[str]

    @property
    def met(self) -> bool:
        """Return whether any size tried meets the target, or there is none."""
        return self.target is None or any(row.smallest is not None for row in self.policies)

    @model_serializer(mode="wrap")
    def _without_empty(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written = handler(self)
        if not self.what_if:
            written.pop("what_if", None)
        return written


def rule_of(name: str) -> Policy:
    """Return the policy of this name; raise ``ValueError`` if there is none, or if it interrupts jobs."""
    rule = policies.policy(name)
    if rule.interrupts:
        raise ValueError(f"{name} interrupts jobs, so their waits cannot be separated from their runs")
    return rule


def plan_in_words(plan: PlanUnderPolicy, target: float, percentile: float, node: float, why: str = "") -> list[str]:
    """Return the answer of a plan in sentences; the first says so if the log cannot tell, and another one says why."""
    goal = f"{percentile:g} % of the jobs wait at most {time_in_words(target)}"
    waits = [(row.waits.percentile.value, row.servers) for row in plan.sizes if row.waits]
    if plan.smallest is None:
        shortest = min(waits, key=lambda pair: pair[0], default=None)
        least = f", the least is {time_in_words(shortest[0])}, on {shortest[1]:g}" if shortest else ""
        return [f"Under {plan.policy} no size that was tried does it ({goal}){least}."]
    place, row = next((k, row) for k, row in enumerate(plan.sizes) if row.servers == plan.smallest)
    assert row.waits, "all jobs fit into a machine that meets the target"
    ends = row.waits.percentile
    if not row.surely and (ends.low is None or ends.high is None or ends.high > TOO_WIDE * ends.low):
        sentences = [
            f"This log cannot tell how many servers it takes so that {goal} under {plan.policy}: "
            f"{_between(plan, target)}.",
            f"In the replay of this log {_about(plan.smallest)} servers are enough.",
        ]
    else:
        sentences = [
            f"Under {plan.policy}, {goal} on {_about(plan.smallest)} servers.",
            f"As far as this log can tell, it takes {_between(plan, target)}.",
        ]
    before = plan.sizes[place - 1].servers if place else None
    if before is None:
        sentences.append("It is the smallest size that was tried: fewer may do.")
    elif before < (plan.smallest - node) * (1 - ROUNDING):
        sentences.append(f"The next smaller size that was tried, {before:g}, misses the target.")
    if plan.from_on is None:
        sentences.append("But the largest size that was tried misses the target.")
    elif plan.from_on != plan.smallest:
        missing = [larger.servers for larger in plan.sizes[place:] if not larger.meets]
        named = [*(f"{size:g}" for size in missing[:MOST_NAMED]), *["…"] * (len(missing) > MOST_NAMED)]
        again, size = ", ".join(named), _about(plan.from_on)
        sentences.append(f"But {again} servers miss it again; from {size} on all that were tried meet it.")
    if why:
        sentences.append(f"There are no intervals: {why}.")
    sentences.append(_further(row, node))
    if row.exact_estimates:
        saved = row.exact_estimates.mean
        sentences.append(
            "This log cannot tell what exact estimates would save there."
            if saved.holds_zero
            else f"Exact estimates would save {time_in_words(saved.value)} there."
        )
    return sentences


def _between(plan, target):
    """Say between which sizes the log leaves it open whether they meet the target.

    Without intervals, from the smallest size that meets it in the replay to one from which on all clearly do: where a
    log misleads, waits are nearly always longer than it says.
    """
    first, last = plan.sizes[0].servers, plan.sizes[-1].servers
    if plan.tells:
        high = plan.surely
        low = _about(plan.possible) + (" or fewer" if plan.possible == first else "")
    else:
        near = [k for k, row in enumerate(plan.sizes) if not row.waits or CLEARLY * row.waits.percentile.value > target]
        high = next((row.servers for row in plan.sizes[near[-1] + 1 if near else 0 :]), None)
        low = _about(plan.smallest)
    if high is None:
        return f"between {low} and more than {last:g}"
    if high == first:
        return f"at most {_about(high)}"
    if _about(high) == low:
        return low if plan.tells else f"{low} or more"
    return f"between {low} and {_about(high)}"


def _about(amount):
    """Return a number of servers, from a thousand on the roundest within one per cent.

    >>> _about(113.0), _about(5594.0), _about(4933.0), _about(6000.0)
    ('113', 'about 5,600', 'about 4,900', '6000')
    """
    rounded = (round(amount, -digits) for digits in range(9, -1, -1))
    near = next((x for x in rounded if abs(x - amount) <= ROUND * amount), amount)
    return f"{amount:g}" if amount < LARGE_SIZE or near == amount else f"about {near:,.0f}"


def _further(row, node):
    servers = "further server" if node == 1 else f"further node of {node:g} servers"
    saved = row.each_node_more and row.each_node_more.mean
    if saved is None:
        return f"No size that was tried is a tenth larger, so nothing is said of what a {servers} saves there."
    if saved.holds_zero:
        return f"This log cannot tell what a {servers} would save there."
    return f"From {row.servers:g} on, each {servers} saves the jobs {time_in_words(saved.value)} of waiting on average."


def assumed(log: Log, growth: float, names: Sequence[str], changes: bool = False) -> list[str]:
    """Return what every number of a plan assumes."""
    faster = "" if growth == 1 else f", {growth:g} times as fast"
    what = "as users gave them, and at least the run times" if log.estimate is not None else "the run times themselves"
    fail = "do not fail" if log.calendar is None else "are up as the calendar says, the same share on any machine"
    known = any(rule_of(name).knows_times for name in names)
    unmodelled = [name for name, known in (
        ("priorities", log.priority is not None), ("fair share", False), ("partitions", False),
        ("limits for users", log.user_limit is not None),
    ) if not known]  # fmt: skip
    return [
        f"Jobs come when they came in the log{faster}: in reality people submit less when waits are long and more when "
        "they are short.",
        f"Servers are alike, are not shared and {fail}; the machine is empty before the first job; "
        f"{listed(unmodelled)} are not modelled.",
        *([f"Estimates are {what}."] if known else []),
        *([ALONE] if changes else []),
        "A replay is a single sample: the order of two jobs can move many others. Intervals (95 %) compare four long "
        "parts of the log with each other: they say how far this much of a log tells of others like it, and nothing of "
        "other users or seasons. Where they miss, waits in the long run are nearly always longer than they say: a log "
        "lacks rare long queues more often than it has too many. Where there is none, the log cannot tell.",
    ]
