"""All that a log tells of its machine, as plain data with a schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from mjq.simulation.policies import names_of
from mjq_logs.answers import OF_WAITS, Column, Interval, Number, Plain
from mjq_logs.machine.agreement import Agreement, agreement, disagreement_in_words, nearest
from mjq_logs.machine.arrivals import Load, load
from mjq_logs.machine.saturated import LINE
from mjq_logs.questions.capacity import estimates
from mjq_logs.questions.capacity.needs import Costs, costs_of_classes, other_needs
from mjq_logs.questions.waits import GROWTHS, LoadWaits, waits_at_load
from mjq_logs.reading.facts import Facts, OfLog, facts_of, of_log
from mjq_logs.reading.log import Log
from mjq_logs.reading.window import Held, Window
from mjq_logs.words import RULES, percent, time_in_words

OF_STARTS = (
    "The submit times of this log are start times: it has no waits, and its order is the one in which a scheduler "
    "started the jobs."
)
GROWING = "waits would grow as long as the log lasts"
CLASSES = 10  # that are named among those that waste servers


class LogReport(OfLog):
    """Hold what every report on the capacity of a machine says of its log."""

    verdict: list[str]
    """The answer in sentences."""
    window: Window | None
    """Null where the log does not tell when jobs came."""


class PoolReport(LogReport):
    """Hold what a log tells of a machine that is one pool, whatever the policy."""

    servers_from: str
    load: Load | None
    """Of several resources, that of the one that is used up first, by the jobs that need some of it; null where the log
    does not tell when jobs came, or is too short to tell anything of it."""
    near_saturation: estimates.NearSaturation | None
    """Null under EASY, and where there is no exact solution: the interval of the exponential capacity says why."""
    agreement: list[Agreement]
    """Empty where the log has no waits."""


class UnderPolicy(Plain):
    """Hold what a machine can do under one policy; of several resources, all is of the one that is used up first."""

    policy: Annotated[str, Column("policy")]
    capacities: Annotated[estimates.Capacities, estimates.OF_OWN_ORDER]
    used: Annotated[Number, Column("load, of\nwhat it can\ncarry", "%", ".1f")]
    """Load over the share of the servers that the policy keeps busy in the log's own order; null where there is no
    load. At 1 the policy is at its limit."""
    waits: Annotated[LoadWaits | None, tuple(column._replace(of=f"replay.{column.of}") for column in OF_WAITS)]
    """Null where the log does not tell when jobs came, all came at once, or it is too short to tell of waits."""
    classes: list[Costs]
    """Classes of jobs that waste most, of the twenty needs with most work."""
    other_needs: int
    """How many needs have less work than these twenty."""
    work_of_others: float
    """Their share of the work."""


class CapacityReport(UnderPolicy, PoolReport):
    """Hold what a log tells of the capacity of its machine under one policy."""

    servers: float
    mean_work: Interval
    """Mean work of a job, in server-hours."""
    memory: dict[str, list[estimates.Drawn]]
    """By policy, the curve of capacities from independent jobs to the log's own order."""
    held: Held | None
    """Null where the log does not tell when jobs started."""


class ReportByPolicy(Plain):
    """Hold what a log tells of the capacity of its machine under each of several policies."""

    verdict: list[str]
    """The answer in sentences."""
    policies: dict[str, CapacityReport]


def reports_on(
    log: Log | Facts, policies: Sequence[str] = tuple(RULES), seed: int = 1, full: bool = True
) -> ReportByPolicy:
    """Return all that a log tells of the capacity of its machine, under each of several policies.

    Parameters
    ----------
    log : Log or Facts
    policies : sequence of {"fcfs", "easy"}
        Of the four capacities, of the classes and of the replays against the load.
    seed : int
    full : bool
        Otherwise what the command prints without ``--full`` is known, and hardly more; it takes a fraction of the time.

    Raises
    ------
    ValueError
        If nothing tells how many servers there are, or the jobs say nothing of its capacity.

    Examples
    --------
    Two servers, a job of one, then one of two, and so on, an hour each: neither policy can use both servers all the
    time. As many jobs come as can be worked off in three quarters of the time.

    >>> import numpy as np
    >>> from mjq_logs import Log
    >>> columns = dict(need=np.tile([1.0, 2.0], 500), run=np.full(1000, 3600.0))
    >>> log = Log(**columns, submit=4800.0 * np.arange(1000), servers=2.0)
    >>> result = reports_on(log)
    >>> list(result.policies), round(result.policies["fcfs"].used, 2), result.policies["fcfs"].waits.replay.mean.value
    (['fcfs', 'easy'], 0.75, 0.0)
    """
    facts, policies = facts_of(log), names_of(policies)
    servers, work = facts.log.require_servers(), estimates.mean_work(facts.log)
    of_log, of_each, memory = find(facts, policies, seed, tuple(RULES), full)
    whole = of_log | {"servers": servers, "memory": memory, "held": facts.held}
    whole["mean_work"] = Interval(value=work.mean, low=work.low, high=work.high)
    starts = [OF_STARTS] if facts.log.submits_are_starts else []
    reports = {}
    for policy in policies:
        near = {} if policy == "fcfs" else {"near_saturation": None}
        report = CapacityReport(**whole | of_each[policy] | near, verdict=[])
        verdict = [*headline({policy: report}, facts.short), *starts]
        reports[policy] = report.model_copy(update={"verdict": verdict})
    return ReportByPolicy(verdict=headline(reports, facts.short), policies=reports)


def find(
    facts: Facts, policies: Sequence[str], seed: int, curves: Sequence[str] = (), full: bool = True
) -> tuple[dict[str, Any], dict[str, dict[str, Any]], dict[str, list[estimates.Drawn]]]:
    """Return what is known of a log of one resource or of several, what each policy can do, and curves of capacities.

    They are the fields of a :class:`PoolReport` but the verdict; those of an :class:`UnderPolicy` by policy; and by
    policy, those of `curves` included, the curve from independent jobs to the log's own order.

    If not `full`, there are no curves, of the four capacities that of the log's own order alone, of
    the replays the one at the load that came, one of the classes, and near saturation nothing but that it is known.
    """
    log = facts.log
    four, near, memory = _estimated(log, policies, seed, curves) if full else _own_orders(log, policies)
    came, growths = None if facts.short else load(log), GROWTHS if full else ()
    waits = {policy: None if came is None else waits_at_load(log, policy, growths, came=came) for policy in policies}
    others, work_of_others = other_needs(log)
    costs: dict[str, list[Costs]] = {}
    for policy, capacities in four.items():
        if full or not any(costs.values()):
            costs[policy] = costs_of_classes(log, policy, rate=capacities.own_order.value, full=full)
    of_each = {
        policy: {
            "policy": policy,
            "capacities": capacities,
            "used": None if came is None else came.load / capacities.own_order.share,
            "waits": waits[policy],
            "classes": costs.get(policy, [])[:CLASSES],
            "other_needs": others,
            "work_of_others": work_of_others,
        }
        for policy, capacities in four.items()
    }
    compared = [] if facts.short else agreement(log)
    differs = disagreement_in_words(compared)
    knows = "it goes by the log's estimates"
    if log.estimate is None:
        knows = "it knows run times, as the log has no estimates"
    easy = f"EASY looks for what fits among {LINE} jobs that wait; {knows}"
    whole = of_log(log, [*log.notes, easy], [*facts.warnings, *([differs] if differs else [])]) | {
        "window": facts.window, "servers_from": log.servers_from, "load": came,
        "near_saturation": near, "agreement": compared,
    }  # fmt: skip
    return whole, of_each, memory


def _estimated(log, policies, seed, curves):
    """Return four capacities under each policy, what holds near saturation, and the curves."""
    rate, names = set(estimates.Rate.model_fields), dict.fromkeys((*curves, *policies))
    by_length = {policy: estimates.capacity_by_block_length(log, policy, seed) for policy in names}
    solved = {policy: estimates.solve(log, policy) for policy in policies}
    four = {
        policy: estimates.four_capacities(log, policy, seed, by_length[policy], solved[policy]) for policy in policies
    }
    near = estimates.near_capacity(log, seed, solved["fcfs"]) if "fcfs" in policies else None
    memory = {
        policy: [estimates.Drawn(block=block, **capacity.model_dump(include=rate)) for block, capacity in curve.items()]
        for policy, curve in by_length.items()
    }
    return {policy: estimates.Capacities(**capacities) for policy, capacities in four.items()}, near, memory


def _own_orders(log, policies):
    """Return of all that only the capacities in the log's own order, beside the naive one, and what is near."""
    naive, capacities = estimates.naive_capacity(log), estimates.Capacities.model_construct
    rates = "fcfs" in policies and (np.bincount(log.kinds()[1], log.run) > 0).all()
    near = estimates.NearSaturation.model_construct() if rates else None
    own = {policy: estimates.own_order_capacity(log, policy) for policy in policies}
    return {policy: capacities(naive=naive, own_order=each) for policy, each in own.items()}, near, {}


def waits_in_words(waits: LoadWaits | None, load: float | None, own: estimates.Capacity, rule: str) -> list[str]:
    """Say how long jobs wait at the load that came, by the log if it tells, and in a replay under a rule."""
    beyond = load is not None and load >= _ends(own)[1]
    if waits and waits.log:
        return [
            f"At that load the jobs waited {_times(waits, True)}.",
            f"In a replay under {rule} {GROWING if beyond else f'they wait {_times(waits, False)}'}.",
        ]
    if waits:
        return [f"At that load {GROWING if beyond else f'the jobs wait {_times(waits, False, rule)}'}."]
    return []


def _ends(own):
    return (own.share, own.share) if own.share_low is None else (own.share_low, own.share_high)


def _times(waits, real, rule=None):
    times = waits.log if real else waits.replay
    source = " (real waits, by the log)" if real else f" (in a replay under {rule})" if rule else ""
    mean, most = time_in_words(times.mean.value), time_in_words(times.percentile.value)
    return f"{mean} on average, and {waits.percentile:g} % of them at most {most}{source}"


def _of_window(window):
    if window is None or window.busy is None:
        return []
    first, last = window.dates or ("", "")
    when = f"From {first.removesuffix(' UTC')} to {last}" if last else "While the log saw them"
    return [f"{when}, {percent(window.busy)} of the servers were busy."]


def headline(reports: dict[str, CapacityReport], short: str | None = None) -> list[str]:
    """Say in sentences how near the limit of each policy a log is, how long its jobs wait there, and how sure that is.

    Real waits stand beside the policy whose replay is nearest to them; otherwise waits are those of replays. That a log
    is too `short` to tell anything of load and waits is said first.
    """
    first = next(iter(reports.values()))
    near, sentences = nearest(first.agreement), [*([short] if short else []), *_of_window(first.window)]
    real = near.policy if near else None
    if first.load:
        least = "at least " if first.window and first.window.running_after else ""
        sentences.append(
            f"The work that came would keep {least}{percent(first.load.load)} of the servers busy if none were wasted."
        )
    for policy in sorted(reports, key=lambda name: name != real):
        report, rule = reports[policy], RULES[policy]
        own, waits = report.capacities.own_order, report.waits
        if report.load is None or report.used is None:
            sentences.append(f"Under {rule}, {percent(own.share)} of the servers would be busy while jobs wait.")
            continue
        (low, high), came, used = _ends(own), report.load.load, percent(report.used)
        near_limit = (
            f"With more work than {rule} can carry ({used} of it)" if came >= high
            else f"With about as much work as {rule} can carry ({used} of it)" if came >= low
            else f"At {used} of what {rule} can carry"
        )  # fmt: skip
        if waits is None:
            sentences.append(f"{near_limit}, how long the jobs waited cannot be said.")
        elif policy == real and waits.log:
            sentences.append(f"{near_limit}, its jobs waited {_times(waits, True)}.")
        elif came >= high:
            sentences.append(f"{near_limit}, {GROWING}.")
        else:
            sentences.append(f"{near_limit}, the jobs would wait {_times(waits, False, rule)}.")
    if first.load is None and short is None:
        sentences.append("The log does not tell when jobs came: how near this is to the limit cannot be said.")
    return sentences
