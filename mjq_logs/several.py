"""All that a log of several resources tells of its machine: which of them binds, and which one the next job lacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from mjq._util import checks
from mjq_logs.answers import Capacities, PolicyOfSeveral, Resource, SeveralReport
from mjq_logs.capacity import arrivals
from mjq_logs.capacity.estimates import Estimates, own_order_capacity, started, tightest
from mjq_logs.capacity.needs import costs_of_classes, other_needs
from mjq_logs.doubts import doubts
from mjq_logs.lacking import blocked_in_words, in_log, lacking, who_blocks
from mjq_logs.reading.log import HOUR, Log
from mjq_logs.report import CLASSES, curve_of, near_saturation_of, notes_of, waits_in_words
from mjq_logs.waits.one_size import waits_at_load
from mjq_logs.window import busy_share, held_most, too_short, window_of
from mjq_logs.words import NAMES, RULES, agreement_in_words, listed, percent


def report_on_several(
    log: Log,
    policies: Sequence[str] = tuple(RULES),
    seed: int = 1,
    progress: Callable[[str], object] = lambda what: None,
) -> SeveralReport:
    """Return what a log of several resources tells of the capacity of its machine, under each of several policies.

    Parameters
    ----------
    log : Log
        Of several resources.
    policies : sequence of {"fcfs", "easy"}
    seed : int
        Of what is simulated.
    progress : callable
        Is told what comes next.

    Returns
    -------
    SeveralReport

    Raises
    ------
    ValueError
        If the log counts one resource, nothing tells how large the machine is, or the jobs say nothing of its capacity.

    Examples
    --------
    Jobs of four processors and one GB, and of one and four, come in turn and take an hour each. On 12 processors and
    12 GB four of them run at a time, though either resource alone would take four or five.

    >>> import numpy as np
    >>> from mjq_logs import Log
    >>> from mjq_logs.reading.vectors import Vectors
    >>> need = Vectors(np.tile([(4, 1), (1, 4)], (500, 1)), ("cpus", "mem"))
    >>> log = Log(need=need, run=np.full(1000, 3600.0), submit=1200.0 * np.arange(1000), servers=(12, 12))
    >>> result = report_on_several(log, ["fcfs"]).policies["fcfs"]
    >>> round(result.capacities.own_order.value, 2), {name: round(rate, 2) for name, rate in result.alone.items()}
    (4.0, {'cpus': 4.0, 'mem': 4.0})
    >>> [(blocked.lacks, round(blocked.share, 2)) for blocked in result.blocked]
    [(['cpus'], 1.0)]
    """
    if not log.resources:
        raise ValueError("the log counts one resource: reports_on knows it, or read the log with --unit cpus,mem")
    made, short = Estimates(log, seed), too_short(log)
    capacities = {policy: made.capacities(policy, progress=progress) for policy in policies}
    progress("memory")
    memory = {policy: curve_of(made, policy) for policy in policies}
    progress("classes")
    costs, (others, less) = {policy: costs_of_classes(log, policy)[:CLASSES] for policy in policies}, other_needs(log)
    progress("waits")
    agreement, by_log = [] if short else arrivals.agreement(log), in_log(log)
    resources = [_resource(log, name, short) for name in log.resources]
    binds = log.resources[tightest(log)]
    load = resources[tightest(log)].load
    reports = {}
    for policy in policies:
        progress("alone")
        own = capacities[policy]["own_order"]
        full = _while_full(log, policy)
        progress("curve")
        reports[policy] = PolicyOfSeveral(
            policy=policy,
            capacities=Capacities(**capacities[policy]),
            memory=memory[policy],
            used=None if load is None else load / own.share,
            busy=dict(zip(log.resources, full.busy, strict=True)),
            blocked=full.blocked,
            alone={name: _alone(log, name, policy) for name in log.resources},
            dominant=_dominant(log, policy),
            waits=None if short else waits_at_load(log, policy),
            classes=costs[policy],
            other_needs=others,
            work_of_others=less,
        )
    of_log = agreement_in_words(agreement)
    if by_log is not None:
        of_log.append(f"By the log itself, {who_blocks(by_log.waits, by_log.blocked, log.resources)}")
    return SeveralReport(
        verdict=[*([short] if short else []), *_verdict(resources, reports, binds), *of_log],
        jobs=len(log),
        resources=resources,
        servers_from=log.servers_from,
        binds=binds,
        policies=reports,
        near_saturation=near_saturation_of(made) if "fcfs" in policies else None,
        lines=log.lines,
        missing=list(log.missing),
        notes=notes_of(log),
        warnings=doubts(log, agreement),
        window=window_of(log),
        load=None if short else arrivals.load(log.alone(binds)),
        agreement=agreement,
        somebody_waits=None if by_log is None else by_log.waits,
        blocked=[] if by_log is None else by_log.blocked,
    )


def _while_full(log, policy):
    """Return how busy each resource is while the queue is full, and what the next job then lacks."""
    sizes = log.machine()
    starts, times = started(log.needs, log.run, log.estimate, sizes, policy)
    return lacking(np.zeros(len(log)), starts, log.needs, log.run, sizes, log.resources, times[-1])


def _resource(log, name, short):
    """Return what is known of one resource, whatever the policy."""
    k = log.resources.index(name)
    need, size = log.needs[:, k], float(log.machine()[k])
    work = float(need @ log.run)
    some = log.alone(name) if need.any() else None
    load = None if short or some is None else arrivals.load(some)
    return Resource(
        name=name,
        size=size,
        jobs=int((need > 0).sum()),
        load=None if load is None else load.load,
        busy=None if some is None else busy_share(some),
        held=None if some is None else held_most(some),
        naive=HOUR * size * len(log) / work if work > 0 else None,
    )


def _alone(log, name, policy):
    """Return the jobs an hour that the machine could do if only this resource counted; None where it sets no limit."""
    if not log.needs[:, log.resources.index(name)].any():
        return None
    some = log.alone(name)
    try:
        return own_order_capacity(some, policy).value * len(log) / len(some)
    except checks.TooShort:
        return None


def _dominant(log, policy):
    """Return the same if each job counts by the largest of its shares."""
    shares = (log.needs / log.machine()).max(axis=1)
    plain = log.of(slice(None), need=np.minimum(shares, 1.0), servers=1.0, before=None, present=None)
    return own_order_capacity(plain, policy).value


def _verdict(resources, reports, binds):
    """Say in sentences which resource binds, what the machine can do, and what the next job lacks."""
    by = {resource.name: resource for resource in resources}
    sentences = []
    if known := [resource for resource in resources if resource.busy is not None]:
        shares = listed(f"{percent(resource.busy)} of the {_name(resource.name)}" for resource in known)
        sentences.append(f"While the log saw them, {shares} were busy.")
    if by[binds].load is not None:
        shares = listed(
            f"{percent(resource.load)} of the {_name(resource.name)}"
            for resource in resources
            if resource.load is not None
        )
        sentences.append(f"The work that came would keep {shares} busy if nothing were wasted.")
    else:
        sentences.append("How near this is to the limit cannot be said.")
    sentences.append(f"Of the {_name(binds)} the jobs need most: that would be used up first, if nothing were wasted.")
    for policy, report in reports.items():
        own, rule = report.capacities.own_order, RULES[policy]
        busy = listed(f"{percent(share)} of the {_name(name)}" for name, share in report.busy.items())
        used = "" if report.used is None else f", of which {percent(report.used)} came"
        sentences.append(
            f"Under {rule} this machine could work off {own.value:.4g} jobs per hour{used}, in the order of the log: "
            f"{busy} would be busy while jobs wait."
        )
        lacks = blocked_in_words(report.blocked, len(resources))
        sentences += [f"The next job would lack {lacks} of the time.", _views(report)]
        sentences += waits_in_words(report.waits, by[binds].load, own, rule)
    return sentences


def _views(report):
    """Say what one resource alone would have promised."""
    rates = [f"{rate:.4g} by the {_name(name)}" for name, rate in report.alone.items() if rate is not None]
    alone = f"One resource alone would promise {listed(rates)}; " if rates else ""
    return f"{alone}{'the' if alone else 'The'} largest share of each job, taken for one, {report.dominant:.4g}."


def _name(resource):
    return NAMES.get(resource, resource)
