"""Answers in words: what several of them share, and a plan with what it assumes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from mjq.simulation import policies
from mjq.simulation.engine.policy import Policy
from mjq_logs.answers import Agreement, Amount, PolicyPlan
from mjq_logs.reading.log import HOUR, Log

RULES = {"fcfs": "first come, first served", "easy": "EASY"}
ESTIMATES = {
    "naive": "naive",
    "exponential": "exponential classes",
    "independent": "independent jobs",
    "own_order": "own order",
}
NAMES = {"cpus": "CPUs", "gpus": "GPUs", "mem": "memory"}  # of resources, in sentences
MEASURED = NAMES | {"mem": "GB of memory"}
SINGLE = {"cpus": "CPU", "gpus": "GPU", "nodes": "node"}  # where there is one
UNITS = {"h": 1.0, "min": 60.0, "s": 3600.0}  # in an hour
LEAST_WAIT = 60.0  # seconds; mean waits up to it are not told apart
LARGE = 1e6  # from which on a number is written with an exponent
MOST_APART = 1.5  # factor between two mean waits, up to which they agree
FAR_APART = 100.0  # factor between them, from which on it is not told: one of them is hardly a wait
HELD_BACK = 0.1  # by which the log exceeds the replay in the share of the time in which a job waits that would fit
ALONE = "A what-if changes one thing: nobody submits other jobs, or at other times, because of it."
CLEARLY = 1.5  # factor between the target and a wait that clearly meets or misses it
TOO_WIDE = 10.0  # times its lower end is the upper end of the interval of a wait, above which a log cannot tell a size
MOST_NAMED = 8  # sizes, in a sentence
LARGE_SIZE, ROUND = 1000.0, 0.01  # servers from which on a size is rounded, and by how much at most
ROUNDING = 1e-9  # of a number of servers


def time_in_words(hours: float) -> str:
    """Return a time in the largest unit of which it is one or more.

    >>> time_in_words(2), time_in_words(-0.5), time_in_words(0.0), time_in_words(1366.4)
    ('2 h', '-30 min', '0 s', '1366 h')
    """
    unit = next((unit for unit, number in UNITS.items() if abs(hours) * number >= 1), "s")
    number = hours * UNITS[unit]
    return f"{number:.0f} {unit}" if 1000 <= abs(number) < LARGE else f"{number:.3g} {unit}"


def machine_in_words(log: Log) -> str:
    """Return how large the machine of a log is.

    >>> from mjq_logs.reading.vectors import Vectors
    >>> machine_in_words(Log(need=Vectors([(1, 2)], ("cpus", "mem")), run=[1], servers=(64, 256)))
    '64 CPUs and 256 GB of memory'
    """
    return amount_in_words(amount_of(log.machine(), log.resources))


def amount_of(size: ArrayLike, resources: Sequence[str] = ()) -> Amount:
    """Return the size of a machine, or what a job needs, as an answer has it: a number, or one for each resource.

    >>> amount_of(8.0), amount_of([4, 16], ["cpus", "mem"])
    (8.0, {'cpus': 4.0, 'mem': 16.0})
    """
    sizes = np.asarray(size, dtype=float).tolist()
    return dict(zip(resources, sizes, strict=True)) if resources else sizes


def amount_in_words(amount: Amount) -> str:
    """Return how large a machine is, or what a job needs; of what there is nothing of, nothing is said.

    >>> amount_in_words(1.0), amount_in_words({"cpus": 1.0, "mem": 12.5, "gpus": 0.0})
    ('1 server', '1 CPU and 12.5 GB of memory')
    """
    if not isinstance(amount, dict):
        return f"{amount:g} server{'s' * (amount != 1)}"
    parts = [f"{size:g} {_measured(name, size)}" for name, size in amount.items() if size]
    return listed(parts) if parts else "nothing"


def _measured(name, size):
    many = MEASURED.get(name, name)
    return SINGLE.get(name, many) if size == 1 else many


def listed(words: Iterable[str]) -> str:
    """Return words between commas, with an and before the last.

    >>> listed(["cpus"]), listed(["cpus", "gpus", "mem"])
    ('cpus', 'cpus, gpus and mem')
    """
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def percent(share: float, decimals: int = 1) -> str:
    """Return a share in percent.

    >>> percent(0.5881)
    '58.8 %'
    """
    return f"{100 * share:.{decimals}f} %"


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


def rule_of(name: str) -> Policy:
    """Return the policy of this name; raise ``ValueError`` if there is none, or if it interrupts jobs."""
    rule = policies.policy(name)
    if rule.interrupts:
        raise ValueError(f"{name} interrupts jobs, so their waits cannot be separated from their runs")
    return rule


def plan_in_words(plan: PolicyPlan, target: float, percentile: float, node: float, why: str = "") -> list[str]:
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
        sentences.append(f"But larger ones miss it again ({again}); from {size} on all that were tried meet it.")
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


def size_in_words(amount: Amount) -> str:
    """Return a size as a number or, of several resources, in words.

    >>> size_in_words(64.0), size_in_words({"cpus": 64.0, "mem": 256.0})
    ('64', '64 CPUs and 256 GB of memory')
    """
    return amount_in_words(amount) if isinstance(amount, dict) else f"{amount:g}"


def _about(amount):
    """Return a number of servers, from a thousand on the roundest within one per cent.

    >>> _about(113.0), _about(5594.0), _about(4933.0), _about(6000.0)
    ('113', 'about 5,600', 'about 4,900', '6000')
    """
    rounded = (round(amount, -digits) for digits in range(9, -1, -1))
    near = next((x for x in rounded if abs(x - amount) <= ROUND * amount), amount)
    return f"{amount:g}" if amount < LARGE_SIZE or near == amount else f"about {near:,.0f}"


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
