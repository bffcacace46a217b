"""All that a log tells of a machine of hosts: what their boundaries cost, which jobs cost most, and what would help.

Jobs start in order of arrival. While the queue never runs dry, servers are lost to three causes, which add up:

* *order*: the next job would not even fit into what all hosts have free together. A pool loses this part, too.
* *boundaries*: it would fit into that, but on no host.
* *placement*: jobs are spread over the hosts (worst fit) and not packed (best fit).
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from mjq._util import checks, watching
from mjq._util.plain import counted
from mjq.simulation.estimates import Estimate
from mjq_logs.answers import Amount, Column, Interval, Number, Plain
from mjq_logs.machine import arrivals, host_cases
from mjq_logs.machine.arrivals import of_tightest, tightest
from mjq_logs.machine.hosts import Hosts
from mjq_logs.machine.replaying import replay_log
from mjq_logs.questions.capacity import estimates
from mjq_logs.questions.capacity.report import LogReport
from mjq_logs.reading.facts import Facts, facts_of, of_log
from mjq_logs.reading.log import HOUR, Log
from mjq_logs.words import MEASURED, amount_of, name_of, percent

TIES, ENOUGH_JOBS = 5, 100_000  # ways to choose among hosts that are alike, and in how long a log one is enough
ENDS = "low", "high", "share_low", "share_high"
OF_TIES = "of the choice among hosts that are alike, 95 %; this log is too short to tell its own"
HARDLY = 0.005  # share, up to which a difference is none in whole percents
GROUPS = 2  # of jobs that may cost most


class HostShape(Plain):
    """Hold how many hosts there are of one shape."""

    number: int
    size: Amount
    """Servers of one of them, or how much it has of each of several resources; memory is in GB."""


class HostsCase(Plain):
    """Hold what a machine can do in one case: as one pool, or on hosts under some rule, with all jobs or without some.

    Jobs start in order of arrival, unless the case says who may pass.
    """

    case: Annotated[str, Column("while jobs wait")]
    own_order: Annotated[
        estimates.Capacity,
        (
            Column("jobs\nper hour", "", ".3g", "value"),
            Column("servers busy\nat most", "%", ".1f", "share", ("share_low", "share_high")),
            Column("servers\nwasted", "", ".3g", "wasted_servers"),
        ),
    ]
    """In the order of the log. Of several resources, the shares are of the one that is used up first if nothing is
    wasted."""
    independent: Annotated[
        estimates.Capacity, Column("the same if jobs\nare drawn", "%", ".1f", "share", ("share_low", "share_high"))
    ]
    """If jobs are drawn from the log one by one, each with its run time."""
    binds: str | None
    """That resource; null where there is one."""


class HostsLoss(Plain):
    """Hold what one cause takes from what the machine could do if nothing were wasted."""

    cause: Annotated[str, Column("lost to")]
    servers: Annotated[float, Column("servers", "", ".3g")]
    """In the order of the log; of several resources, of the one that binds."""
    share: Annotated[float, Column("of all", "%", ".1f")]
    """The same as a share."""
    independent: Annotated[Interval, Column("of all,\nif jobs are drawn", "%", ".1f")]
    """The share if jobs are drawn from the log one by one; the interval is of the difference between two rules for the
    same jobs."""


class CostlyJobs(Plain):
    """Say what jobs cost of which few fit on one host, by what can be done without them."""

    at_most: Annotated[int, Column("so many fit\non one host", "", "d")]
    """At most so many of them fit on any empty host."""
    jobs: Annotated[int, Column("jobs", "", "d")]
    work: Annotated[float, Column("of the work", "%", ".1f")]
    """Their share of the work; of several resources, of the one that binds."""
    without: Annotated[
        HostsCase,
        (
            Column("servers busy\nwithout them", "%", ".1f", "own_order.share", ("share_low", "share_high")),
            Column("the same if jobs\nare drawn", "%", ".1f", "independent.share", ("share_low", "share_high")),
        ),
    ]


class HostsWaits(Plain):
    """Hold how long the jobs wait on hosts in a replay under one rule, at the load that came [hours]."""

    case: Annotated[str, Column("rule")]
    mean: Annotated[float, Column("mean wait", "h")]
    hard: Annotated[Number, Column("of the hard\nto place", "h")]
    """Mean wait of the jobs that are hardest to place; null where each job fits on a host equally often."""
    others: Annotated[Number, Column("of the others", "h")]


class HostsReport(LogReport):
    """Hold what a log tells of a machine of hosts, on one of which each job must fit; its jobs are those that do."""

    too_large: int
    """Jobs that fit on none, and are left out."""
    work_too_large: float
    """Their share of the work."""
    hosts: list[HostShape]
    servers: Amount
    """What all hosts have together."""
    binds: str | None
    """The resource that is used up first if nothing is wasted; null where there is one."""
    load: Number
    """Work that came with the jobs that fit, as a share of what all servers could have done; null where the log does
    not tell arrivals, or is too short to tell anything of them."""
    used: Number
    """The load over the share that is busy at most on these hosts with best fit, in the order of the log."""
    cases: dict[str, HostsCase]
    """``pool``, ``best fit``, ``worst fit``, ``freely``: best fit, where others may pass the first job of the queue,
    and ``passing``: the same while a host is kept free for it."""
    losses: list[HostsLoss]
    """To order, boundaries and placement. Those to order and boundaries are what best fit wastes."""
    costly: list[CostlyJobs]
    """The fewer of them fit on one host, the earlier they stand here; each row has the jobs of those before it, too."""
    waits: list[HostsWaits]
    """In order of arrival, and if others may pass, without and with a host kept free; empty where load is null."""


def report_on_hosts(log: Log | Facts, hosts: Hosts, seed: int = 1) -> HostsReport:
    """Return what a log tells of the capacity of a machine of hosts, on one of which each job must fit.

    Parameters
    ----------
    log : Log or Facts
        Of one resource or of several. Its own servers do not count; what is known is that of these hosts.
    hosts : Hosts
    seed : int
        Of what is simulated.

    Raises
    ------
    ValueError
        If hosts have other resources than the log counts, jobs with more than half of the work fit on no host, a
        calendar says how many servers are up, or the jobs say nothing of the capacity.

    Notes
    -----
    Of a job that ran on several hosts, the log tells what it needed together: it counts as a job that needs all of that
    on one host.

    Examples
    --------
    Two hosts of two servers. One job in ten needs a whole host; the others need one server. In a pool only one server
    would sometimes be idle.

    >>> rng = np.random.default_rng(1)
    >>> need = np.where(np.arange(4000) % 10 == 0, 2.0, 1.0)
    >>> log = Log(need=need, run=rng.exponential(3600.0, 4000))
    >>> result = report_on_hosts(log, Hosts((2,), ((2.0,),)))
    >>> [(loss.cause, loss.share > 0.01) for loss in result.losses[:2]]
    [('the order of arrival', True), ('the boundaries of hosts', True)]
    >>> (costly,) = result.costly
    >>> costly.jobs, round(costly.without.own_order.share, 2)
    (400, 1.0)
    """
    facts = log if isinstance(log, Facts) else facts_of(host_cases.put_on_hosts(log, hosts))
    short = facts.short
    log, too_large, work_too_large = host_cases.jobs_that_fit(facts.log, hosts)
    left_out = [host_cases.left_out_in_words(too_large, work_too_large)] if too_large else []
    rules, drawn, cases = host_cases.rules_on(hosts), {}, {}
    for name, rule in rules.items():
        drawn[name], cases[name] = _case(log, host_cases.CASES[name], rule, seed)
    costly = _costly(log, hosts, rules["best fit"], seed)
    losses = _losses(log, cases, drawn)
    came = None if short else arrivals.load(log)
    load = None if came is None else came.load
    waits = [] if load is None else _waits(log, hosts, rules)
    best_share = cases["best fit"].own_order.share
    result = HostsReport(
        **of_log(log, [*log.notes, *hosts.notes], [*left_out, *facts.warnings]),
        window=facts.window,
        verdict=[],
        too_large=too_large,
        work_too_large=work_too_large,
        hosts=[
            HostShape(number=number, size=amount_of(size, log.resources))
            for number, size in zip(hosts.numbers, hosts.sizes, strict=True)
        ],
        servers=amount_of(hosts.whole, log.resources),
        binds=cases["best fit"].binds,
        load=load,
        used=None if load is None else load / best_share,
        cases=cases,
        losses=losses,
        costly=costly,
        waits=waits,
    )
    return result.model_copy(update={"verdict": [*([short] if short else []), *_verdict(result)]})


def _case(log, words, rule, seed):
    """Return the busy shares of drawn jobs, and what can be done under one rule."""
    binds = log.resources[tightest(log)] if log.resources else None
    with watching.working(words):
        own, shares = _own_order(log, rule), estimates.independent_shares(log, rule, seed)
    independent = estimates.simulated_capacity(log, shares, estimates.ASSUMES["independent"])
    return np.array(shares), HostsCase(case=words, own_order=own, independent=independent, binds=binds)


def _own_order(log, rule):
    """Return the capacity in the order of the log, on average over some ways to choose among hosts that are alike."""
    runs = int(np.clip(ENOUGH_JOBS // len(log), 1, TIES))
    capacities = [estimates.own_order_capacity(log, rule._replace(seed=seed)) for seed in range(runs)]
    first = capacities[0]
    if all(capacity.share == first.share for capacity in capacities):
        return first
    known = all(capacity.share_low is not None for capacity in capacities)
    names = "value", "share", "wasted_servers", *(ENDS if known else ())
    mean = {name: float(np.mean([getattr(capacity, name) for capacity in capacities])) for name in names}
    if known:
        return first.model_copy(update=mean)
    estimate = Estimate.of([capacity.share for capacity in capacities])
    low, high = np.clip([estimate.low, estimate.high], 0, 1).tolist()
    naive = mean["value"] / mean["share"]
    ends = {"share_low": low, "share_high": high, "low": low * naive, "high": high * naive}
    return first.model_copy(update=mean | ends | {"interval": OF_TIES})


def _losses(log, cases, drawn):
    """Return what order, boundaries and placement take: differences between rules, for the same jobs."""
    drawn = drawn | {"naive": np.ones_like(drawn["pool"])}
    own = {name: case.own_order.share for name, case in cases.items()} | {"naive": 1.0}
    _, size = of_tightest(log)
    result = []
    for cause, more, less in (
        ("the order of arrival", "naive", "pool"),
        ("the boundaries of hosts", "pool", "best fit"),
        ("placement, if jobs are spread", "best fit", "worst fit"),
    ):
        estimate, share = Estimate.of(drawn[more] - drawn[less]), own[more] - own[less]
        interval = Interval(value=estimate.mean, low=estimate.low, high=estimate.high)
        result.append(HostsLoss(cause=cause, servers=share * size, share=share, independent=interval))
    return result


def _costly(log, hosts, rule, seed):
    """Return what can be done without the jobs that are hardest to place, and without those of the next kind."""
    most = hosts.most_on_one(log.needs)
    work = of_tightest(log)[0] * log.run
    result = []
    for copies in np.unique(most)[:-1][:GROUPS].tolist():
        rare = most <= copies
        words = f"best fit, without {counted(int(rare.sum()), 'job')}"
        try:
            _, without = _case(log.of(~rare), words, rule, seed)
        except checks.TooShort:
            break
        share = float(work[rare].sum() / work.sum())
        result.append(CostlyJobs(at_most=copies, jobs=int(rare.sum()), work=share, without=without))
    return result


def _waits(log, hosts, rules):
    """Return how long the jobs wait in replays: in order of arrival, and if others may pass."""
    hard = host_cases.fewest_fit(log, hosts)
    result = []
    for name in host_cases.PASSING:
        wait = replay_log(log, log.machine(), rules[name]).wait / HOUR
        parts = (None, None) if hard is None else (float(wait[hard].mean()), float(wait[~hard].mean()))
        result.append(HostsWaits(case=host_cases.CASES[name], mean=float(wait.mean()), hard=parts[0], others=parts[1]))
    return result


def _verdict(result):
    """Say in sentences what is lost to what, which jobs cost most, and what would help."""
    order, boundaries, placement = result.losses
    unit = MEASURED.get(result.binds, result.binds) if result.binds else "servers"
    size = result.servers[result.binds] if result.binds else result.servers
    best, freely, passing = (result.cases[name].own_order for name in ("best fit", "freely", "passing"))
    sentences = [
        f"Of {size:g} {unit}, {_about(boundaries.servers)} are lost because a job must fit on one host "
        f"({_whole(boundaries.share)}; {_range(boundaries.independent)} if jobs are drawn from the log), and "
        f"{_about(order.servers)} ({_whole(order.share)}) because jobs start in order of arrival. So "
        f"{_whole(best.share)} are busy while jobs wait, if each job goes to the fullest host on which it fits.",
        _of_placement(placement, unit),
    ]
    if result.load is not None:
        sentences.append(
            f"The work that came would keep {_whole(result.load)} busy if nothing were wasted, which is "
            f"{_whole(result.used)} of what these hosts can carry."
        )
    if result.costly:
        sentences.append(_of_costly(result.costly[0], best))
    sentences.append(
        f"If the next {host_cases.VIEW - 1} jobs may pass a job that fits nowhere, and one host is kept free for it, "
        f"{_whole(passing.share)} are busy. If none is kept free, it is {_whole(freely.share)}."
    )
    if result.costly and result.costly[0].jobs < host_cases.VIEW:
        sentences += _of_short_log(result.costly[0], freely, result.cases["freely"].independent)
    return [*sentences, *host_cases.kept_free_in_words([row.hard for row in result.waits if row.hard is not None])]


def _of_placement(loss, unit):
    """Say what spreading jobs over the hosts costs or saves, if both ways to take the jobs agree on which of it."""
    if not loss.share * loss.independent.value > 0 or loss.independent.holds_zero:
        return "Whether jobs are packed or spread over the hosts makes less difference than this log can tell."
    if abs(loss.share) < HARDLY:
        return "Whether jobs are packed or spread over the hosts makes hardly a difference."
    what = f"{unit} more are lost" if loss.share > 0 else f"{unit} fewer are lost"
    share = _whole(abs(loss.share))
    return f"If jobs are spread over the hosts instead, {_about(abs(loss.servers))} {what} ({share})."


def _of_costly(costly, best):
    share = costly.without.own_order.share
    of = "" if costly.without.binds is None else f" of the {name_of(costly.without.binds)}"
    return (
        f"Without the {_hard(costly)}, which {'has' if costly.jobs == 1 else 'have'} "
        f"{_whole(costly.work)} of the work, {_whole(share)}{of} would be busy in place of {_whole(best.share)}."
    )


def _of_short_log(costly, own, drawn):
    """Say that a view flatters if all jobs that are hard to place can wait in it, and drawn jobs tell it."""
    if drawn.share_high is None or own.share <= drawn.share_high:
        return []
    return [
        f"That flatters: all {_hard(costly)} can wait in view until the others have started. "
        f"If jobs are drawn from the log without end, {_whole(drawn.share)} are busy."
    ]


def _hard(costly):
    few = "no two" if costly.at_most == 1 else f"at most {costly.at_most}"
    return f"{counted(costly.jobs, 'job')} of which {few} fit on one host"


def _about(servers):
    """Return a number in two digits.

    >>> _about(543.7), _about(21.6), _about(0.34), _about(-0.2)
    ('540', '22', '0.34', '0')
    """
    servers = max(servers, 0.0)
    return f"{float(f'{servers:.2g}'):g}"


def _whole(share):
    """Return a share in whole percents: a log of heavy tails tells no more.

    >>> _whole(0.254), _whole(0.002), _whole(0.0)
    ('25 %', 'less than 1 %', '0 %')
    """
    return "less than 1 %" if 0 < share < HARDLY else percent(share, 0)


def _range(interval):
    low, high = round(100 * max(interval.low, 0)), round(100 * interval.high)
    return f"{low} %" if low == high else f"{low} to {high} %"
