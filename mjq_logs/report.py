"""All that a log tells of its machine, as plain data with a schema."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mjq.simulation.saturated import SaturatedEstimates
from mjq_logs.answers import (
    Capacities,
    Capacity,
    Drawn,
    Interval,
    LoadWaits,
    NearSaturation,
    PolicyReports,
    Rate,
    Report,
)
from mjq_logs.capacity import arrivals
from mjq_logs.capacity.estimates import SIMULATED, Estimates, mean_work
from mjq_logs.capacity.needs import costs_of_classes, other_needs
from mjq_logs.capacity.saturated import LINE
from mjq_logs.doubts import doubts
from mjq_logs.reading.log import HOUR, Log
from mjq_logs.waits.one_size import waits_at_load
from mjq_logs.window import held_most, too_short, window_of
from mjq_logs.words import RULES, nearest, percent, time_in_words

OF_STARTS = (
    "The submit times of this log are start times: it has no waits, and its order is the one in which a scheduler "
    "started the jobs."
)
GROWING = "waits would grow as long as the log lasts"
AHEAD = 0.8, 0.9, 0.95, 0.99  # loads, as fractions of the capacity, for which waits near saturation are shown
CLASSES = 10  # that are named among those that waste servers


def reports_on(
    log: Log,
    policies: Sequence[str] = tuple(RULES),
    seed: int = 1,
    progress: Callable[[str], object] = lambda what: None,
) -> PolicyReports:
    """Return all that a log tells of the capacity of its machine, under each of several policies.

    Parameters
    ----------
    log : Log
    policies : sequence of {"fcfs", "easy"}
        Of the four capacities, of the classes and of the replays against the load.
    seed : int
    progress : callable
        Is told what comes next.

    Returns
    -------
    PolicyReports

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
    reports = _reports(log, policies, seed, progress)
    return PolicyReports(verdict=headline(reports, too_short(log)), policies=reports)


def _reports(log, policies, seed, progress):
    """Return a report for each policy; what they share is computed once."""
    log.require_servers()
    made = Estimates(log, seed)
    capacities = {policy: made.capacities(policy, progress=progress) for policy in policies}
    progress("memory")
    memory, work = {name: curve_of(made, name) for name in RULES}, mean_work(log)
    progress("classes")
    costs, (others, less) = {policy: costs_of_classes(log, policy)[:CLASSES] for policy in policies}, other_needs(log)
    progress("waits")
    short, seen, held = too_short(log), window_of(log), held_most(log)
    load, agreement = (None, []) if short else (arrivals.load(log), arrivals.agreement(log))
    warnings, notes = doubts(log, agreement), notes_of(log)
    reports = {}
    for policy in policies:
        progress("curve")
        waits = None if short else waits_at_load(log, policy)
        reports[policy] = Report(
            jobs=len(log),
            servers=log.require_servers(),
            servers_from=log.servers_from,
            policy=policy,
            lines=log.lines,
            missing=list(log.missing),
            notes=notes,
            load=load,
            mean_work=Interval(value=work.mean, low=work.low, high=work.high),
            capacities=Capacities(**capacities[policy]),
            memory=memory,
            classes=costs[policy],
            near_saturation=near_saturation_of(made) if policy == "fcfs" else None,
            agreement=agreement,
            verdict=[],
            used=None if load is None else load.load / capacities[policy]["own_order"].share,
            waits=waits,
            warnings=warnings,
            window=seen,
            held=held,
            other_needs=others,
            work_of_others=less,
        )
    starts = [OF_STARTS] if log.submits_are_starts else []
    return {
        policy: report.model_copy(update={"verdict": [*headline({policy: report}, short), *starts]})
        for policy, report in reports.items()
    }


def notes_of(log: Log) -> list[str]:
    """Return what is odd about a log, and what its replays under EASY go by."""
    estimates = (
        "it knows run times, as the log has no estimates" if log.estimate is None else "it goes by the log's estimates"
    )
    return [*log.notes, f"EASY looks for what fits among {LINE} jobs that wait; {estimates}"]


def curve_of(made: Estimates, policy: str) -> list[Drawn]:
    """Return the capacities from independent jobs to the log's own order."""
    fields = set(Rate.model_fields)
    curve = made.capacity_by_block_length(policy)
    return [Drawn(block=block, **capacity.model_dump(include=fields)) for block, capacity in curve.items()]


def near_saturation_of(made: Estimates) -> NearSaturation | None:
    """Return what holds near saturation for exponential classes under FCFS, where they have rates."""
    result, why = made.near_saturation()
    if result is None:
        return None
    ends: dict[str, Any] = {}
    if isinstance(result, SaturatedEstimates):
        low, high = 1 + result.delta.low, 1 + result.delta.high
        ends = {"constant_low": low, "constant_high": high, "interval": f"{SIMULATED}, as {why}"}
        capacity, delta = result.capacity.mean, result.delta.mean
    else:
        capacity, delta = result.capacity, result.delta
    rate, constant = HOUR * capacity, 1 + delta
    hours = {f"{part:g}": constant / (rate * (1 - part)) for part in AHEAD}
    return NearSaturation(capacity=rate, constant=constant, hours=hours, **ends)


def waits_in_words(waits: LoadWaits | None, load: float | None, own: Capacity, rule: str) -> list[str]:
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
    """Return the ends of the interval of a share, or twice the share if there is none."""
    return (own.share, own.share) if own.share_low is None else (own.share_low, own.share_high)


def _times(waits, real, rule=None):
    """Say how long jobs wait, and where that is from."""
    times = waits.log if real else waits.replay
    source = " (real waits, by the log)" if real else f" (in a replay under {rule})" if rule else ""
    mean, most = time_in_words(times.mean.value), time_in_words(times.percentile.value)
    return f"{mean} on average, and {waits.percentile:g} % of them at most {most}{source}"


def _of_window(window):
    """Say how busy the servers were in the window of a log."""
    if window is None or window.busy is None:
        return []
    first, last = window.dates or ("", "")
    when = f"From {first.removesuffix(' UTC')} to {last}" if last else "While the log saw them"
    return [f"{when}, {percent(window.busy)} of the servers were busy."]


def headline(reports: dict[str, Report], short: str | None = None) -> list[str]:
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
