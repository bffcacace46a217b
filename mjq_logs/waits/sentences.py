"""A plan in sentences: its answer, and what it assumes."""

from __future__ import annotations

from collections.abc import Sequence

from mjq.simulation import policies
from mjq.simulation.engine.policy import Policy
from mjq_logs.answers import PolicyPlan
from mjq_logs.reading.log import Log
from mjq_logs.words import time_in_words

__all__ = ["CLEARLY", "assumed", "rule_of", "verdict"]

ALONE = "A what-if changes one thing: nobody submits other jobs, or at other times, because of it."
CLEARLY = 1.5  # factor between the target and a wait that clearly meets or misses it
TOO_WIDE = 10.0  # times its lower end is the upper end of the interval of a wait, above which a log cannot tell a size
MOST_NAMED = 8  # sizes, in a sentence
LARGE, ROUND = 1000.0, 0.01  # servers from which on a size is rounded, and by how much at most
ROUNDING = 1e-9  # of a number of servers


def rule_of(name: str) -> Policy:
    """Return the policy of this name; raise ``ValueError`` if there is none, or if it interrupts jobs."""
    rule = policies.policy(name)
    if rule.interrupts:
        raise ValueError(f"{name} interrupts jobs, so their waits cannot be separated from their runs")
    return rule


def verdict(found: PolicyPlan, target: float, percentile: float, node: float, why: str = "") -> list[str]:
    """Return the answer of a plan in sentences; the first says so if the log cannot tell, and another one says why."""
    goal = f"{percentile:g} % of the jobs wait at most {time_in_words(target)}"
    if found.smallest is None:
        waits = [(row.waits.percentile.value, row.servers) for row in found.sizes if row.waits]
        least = "".join(f", the least is {time_in_words(wait)}, on {size:g}" for wait, size in sorted(waits)[:1])
        return [f"Under {found.policy} no size that was tried does it ({goal}){least}."]
    place, row = next((k, row) for k, row in enumerate(found.sizes) if row.servers == found.smallest)
    assert row.waits, "all jobs fit into a machine that meets the target"
    ends = row.waits.percentile
    if not row.surely and (ends.low is None or ends.high is None or ends.high > TOO_WIDE * ends.low):
        told = [
            f"This log cannot tell how many servers it takes so that {goal} under {found.policy}: "
            f"{_between(found, target)}.",
            f"In the replay of this log {_about(found.smallest)} servers are enough.",
        ]
    else:
        told = [
            f"Under {found.policy}, {goal} on {_about(found.smallest)} servers.",
            f"As far as this log can tell, it takes {_between(found, target)}.",
        ]
    if place == 0:
        told.append("It is the smallest size that was tried: fewer may do.")
    elif (before := found.sizes[place - 1].servers) < (found.smallest - node) * (1 - ROUNDING):
        told.append(f"The next smaller size that was tried, {before:g}, misses the target.")
    if found.from_on is None:
        told.append("But the largest size that was tried misses the target.")
    elif found.from_on > found.smallest:
        missing = [one.servers for one in found.sizes if one.servers > found.smallest and not one.meets]
        more = ", …" if len(missing) > MOST_NAMED else ""
        told.append(
            f"But larger ones miss it again ({', '.join(f'{x:g}' for x in missing[:MOST_NAMED])}{more}); from "
            f"{_about(found.from_on)} on all that were tried meet it."
        )
    if why:
        told.append(f"There are no intervals: {why}.")
    told.append(_further(row, node))
    if row.exact_estimates:
        saved = row.exact_estimates.mean
        told.append(
            "This log cannot tell what exact estimates would save there."
            if saved.holds_zero
            else f"Exact estimates would save {time_in_words(saved.value)} there."
        )
    return told


def _between(found, target):
    """Say between which sizes the log leaves it open whether they meet the target.

    Without intervals, from the smallest size that meets it in the replay to one from which on all clearly do: where a
    log misleads, waits are nearly always longer than it says.
    """
    first, last = found.sizes[0].servers, found.sizes[-1].servers
    if found.tells:
        high = found.surely
        low = _about(found.possible) + (" or fewer" if found.possible == first else "")
    else:
        near = [row.servers for row in found.sizes if not row.waits or CLEARLY * row.waits.percentile.value > target]
        high = next((row.servers for row in found.sizes if not near or row.servers > near[-1]), None)
        low = _about(found.smallest)
    if high is None:
        return f"between {low} and more than {last:g}"
    return f"at most {_about(high)}" if high == first else f"between {low} and {_about(high)}"


def _about(servers):
    """Return a number of servers, from a thousand on the roundest within one per cent.

    >>> _about(113.0), _about(5594.0), _about(4933.0), _about(6000.0)
    ('113', 'about 5,600', 'about 4,900', '6000')
    """
    rounded = (round(servers, -digits) for digits in range(9, -1, -1))
    near = next((x for x in rounded if abs(x - servers) <= ROUND * servers), servers)
    return f"{servers:g}" if servers < LARGE or near == servers else f"about {near:,.0f}"


def _further(row, node):
    """Say what further nodes save, if the log can tell."""
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
    said = "as users gave them, and at least the run times" if log.estimate is not None else "the run times themselves"
    fail = "do not fail" if log.calendar is None else "are up as the calendar says, the same share on any machine"
    known = any(rule_of(name).knows_times for name in names)
    return [
        f"Jobs come when they came in the log{faster}: in reality people submit less when waits are long and more when "
        "they are short.",
        f"Servers are alike, are not shared and {fail}; the machine is empty before the first job; "
        "priorities, fair share, partitions and limits for users are not modelled.",
        *([f"Estimates are {said}."] if known else []),
        *([ALONE] if changes else []),
        "A replay is a single sample: the order of two jobs can move many others. Intervals (95 %) compare four long "
        "parts of the log with each other: they say how far this much of a log tells of others like it, and nothing of "
        "other users or seasons. Where they miss, waits in the long run are nearly always longer than they say: a log "
        "lacks rare long queues more often than it has too many. Where there is none, the log cannot tell.",
    ]
