"""All that a log of several resources tells of its machine: which of them binds, and which one the next job lacks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from mjq._util import checks
from mjq.simulation import policies as rules
from mjq_logs.answers import Column, Number, Plain
from mjq_logs.machine import arrivals
from mjq_logs.machine.agreement import agreement_in_words
from mjq_logs.machine.arrivals import tightest
from mjq_logs.machine.lacking import Blocked, blocked_in_words, in_log, lacking, who_blocks
from mjq_logs.questions.capacity.estimates import Drawn, own_order_capacity, work_off
from mjq_logs.questions.capacity.report import PoolReport, UnderPolicy, find, waits_in_words
from mjq_logs.reading.facts import Facts, facts_of
from mjq_logs.reading.log import HOUR, Log
from mjq_logs.reading.window import Held
from mjq_logs.words import RULES, listed, name_of, percent


class Resource(Plain):
    """Hold what a log tells of one of several resources, whatever the policy."""

    name: Annotated[str, Column("resource")]
    size: Annotated[float, Column("size", "", "g")]
    """How much of it the machine has; memory is in GB."""
    jobs: Annotated[int, Column("jobs that\nneed some", "", "d")]
    """Jobs that need some of it."""
    load: Annotated[Number, Column("of it\ncame", "%", ".1f")]
    """Work that came, as a share of what all of it could have done; null where the log does not tell arrivals, or is
    too short to tell anything of them."""
    busy: Annotated[Number, Column("busy in\nthe log", "%", ".1f")]
    """Share of it that was busy in the window of the log; null where the log does not tell when jobs started."""
    held: Annotated[Held | None, Column("held for 99 % of\nthe time, at most", "", "g", of="most_of_the_time")]
    """How much of it was held; null where the log does not tell when jobs started."""
    naive: Annotated[Number, Column("jobs per hour\nif none is wasted", "", ".4g")]
    """Jobs per hour, of all jobs, if none of it were ever idle; null where nobody needs any."""


class SeveralUnderPolicy(UnderPolicy):
    """Hold what a machine of several resources can do under one policy."""

    memory: list[Drawn]
    """The curve of capacities from independent jobs to the log's own order."""
    busy: dict[str, float]
    """Share of each resource that is busy while jobs wait, in the order of the log."""
    blocked: list[Blocked]
    """What the next job lacks, in the order of the log, the most frequent first."""
    alone: dict[str, Number]
    """Jobs per hour, of all jobs, if only this resource counted, in the order of the log; null where it sets no
    limit."""
    dominant: float
    """The same if each job counted by the largest of its shares of the resources."""


class SeveralReport(PoolReport):
    """Hold what a log of several resources tells of the capacity of its machine."""

    resources: list[Resource]
    binds: str
    """The resource that is used up first if nothing is wasted."""
    policies: dict[str, SeveralUnderPolicy]
    somebody_waits: Number
    """Share of the time in which somebody waited, by the log itself; null where it has no waits."""
    blocked: list[Blocked]
    """What the first in the queue then lacked."""


def report_on_several(
    log: Log | Facts, policies: Sequence[str] = tuple(RULES), seed: int = 1, full: bool = True
) -> SeveralReport:
    """Return what a log of several resources tells of the capacity of its machine, under each of several policies.

    Arguments and errors are those of :func:`~mjq_logs.questions.capacity.report.reports_on`, for several resources.

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
    facts = facts_of(log)
    log = facts.log
    if not log.resources:
        raise ValueError("the log counts one resource: reports_on knows it, or read the log with --unit cpus,mem")
    whole, of_each, memory = find(facts, rules.names_of(policies), seed, full=full)
    came, binds, by_log = whole["load"], log.resources[tightest(log)], in_log(log)
    resources = [_resource(facts, name, came if name == binds else None) for name in log.resources]
    reports = {}
    for policy, of_policy in of_each.items():
        then = _while_full(log, policy)
        reports[policy] = SeveralUnderPolicy(
            **of_policy,
            memory=memory.get(policy, []),
            busy=dict(zip(log.resources, then.busy, strict=True)),
            blocked=then.blocked,
            alone={name: _alone(facts, name, policy) for name in log.resources},
            dominant=_dominant(log, policy),
        )
    of_log = agreement_in_words(whole["agreement"])
    if by_log is not None:
        of_log.append(f"By the log itself, {who_blocks(by_log.waits, by_log.blocked, log.resources)}")
    return SeveralReport(
        **whole,
        verdict=[*([facts.short] if facts.short else []), *_verdict(resources, reports, binds), *of_log],
        resources=resources,
        binds=binds,
        policies=reports,
        somebody_waits=None if by_log is None else by_log.waits,
        blocked=[] if by_log is None else by_log.blocked,
    )


def _while_full(log, policy):
    """Return how busy each resource is while the queue is full, and what the next job then lacks."""
    sizes = log.machine()
    starts, times = work_off(log.needs, log.run, log.estimate, sizes, policy)
    return lacking(np.zeros(len(log)), starts, log.needs, log.run, sizes, log.resources, times[-1])


def _resource(facts, name, load):
    log, some = facts.log, facts.alone.get(name)
    k = log.resources.index(name)
    need, size = log.needs[:, k], float(log.machine()[k])
    work = float(need @ log.run)
    load = load or (None if facts.short or some is None else arrivals.load(some.log))
    return Resource(
        name=name,
        size=size,
        jobs=int((need > 0).sum()),
        load=None if load is None else load.load,
        busy=None if some is None or some.window is None else some.window.busy,
        held=None if some is None else some.held,
        naive=HOUR * size * len(log) / work if work > 0 else None,
    )


def _alone(facts, name, policy):
    """Return the jobs an hour that the machine could do if only this resource counted; None where it sets no limit."""
    if name not in facts.alone:
        return None
    some = facts.alone[name].log
    try:
        return own_order_capacity(some, policy).value * len(facts.log) / len(some)
    except checks.TooShort:
        return None


def _dominant(log, policy):
    """Return the same if each job counts by the largest of its shares."""
    shares = (log.needs / log.machine()).max(axis=1)
    plain = log.of(slice(None), need=np.minimum(shares, 1.0), servers=1.0, before=None, present=None)
    return own_order_capacity(plain, policy).value


def _verdict(resources, reports, binds):
    by = {resource.name: resource for resource in resources}
    sentences = []
    if known := [resource for resource in resources if resource.busy is not None]:
        shares = listed(f"{percent(resource.busy)} of the {name_of(resource.name)}" for resource in known)
        sentences.append(f"While the log saw them, {shares} were busy.")
    if by[binds].load is not None:
        shares = listed(
            f"{percent(resource.load)} of the {name_of(resource.name)}"
            for resource in resources
            if resource.load is not None
        )
        sentences.append(f"The work that came would keep {shares} busy if nothing were wasted.")
    else:
        sentences.append("How near this is to the limit cannot be said.")
    sentences.append(
        f"Of the {name_of(binds)} the jobs need most: that would be used up first, if nothing were wasted."
    )
    for policy, report in reports.items():
        own, rule = report.capacities.own_order, RULES[policy]
        busy = listed(f"{percent(share)} of the {name_of(name)}" for name, share in report.busy.items())
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
    rates = [f"{rate:.4g} by the {name_of(name)}" for name, rate in report.alone.items() if rate is not None]
    alone = f"One resource alone would promise {listed(rates)}; " if rates else ""
    return f"{alone}{'the' if alone else 'The'} largest share of each job, taken for one, {report.dominant:.4g}."
