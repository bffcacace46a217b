"""The ``capacity`` command: the real capacity of a machine, estimated from its log."""

from __future__ import annotations

import sys
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click

from mjq_logs.cli import sheet
from mjq_logs.cli.common import Command, json_option, page_option, replace_option, show
from mjq_logs.cli.reading import (
    anonymous_option,
    hosts_option,
    log_argument,
    log_options,
    outage_options,
    read,
    refuse_beside_hosts,
    schema_option,
    servers_of,
    servers_option,
    show_classes,
    user_limit_option,
)

if TYPE_CHECKING:
    from mjq_logs import Hosts

CHARTS = 4  # at the top of a page
HELP = """Estimate the real capacity of a machine from its log.

The command prints how near the log is to the limit of each policy, and how long jobs wait at that load. --full adds the
waits at other loads, how well replays agree with the waits of the log, four estimates of the capacity, which differ in
what they assume, the needs that waste servers, and when work came.

With --unit cpus,mem, or any other units between commas, jobs need several resources at once, and the machine is given
as --servers 384,1.5TB. The command then prints how busy each resource was, which one binds, which one the next job
lacks, what the answer would be with one resource alone, and what the first in the queue lacked by the log itself.
Loads and wasted servers are those of the resource that is used up first.

With --hosts 48x12,20x80 each job must fit on one of 48 hosts of 12 servers and 20 of 80. The command then prints how
much is lost because of that, to the order of arrival and to the placement of jobs. It also prints which jobs cost
most, and how much could be done if others might pass a job that fits nowhere. The other tables assume one pool and are
left out.

LOG is a file in the Standard Workload Format, the output of sacct, or a CSV or Parquet table; "-" is the standard
input. A log of a million jobs takes about 0.4 GB of memory, and each further million about 0.1 GB. In Slurm, this
command writes such a log without the names of users. Its dates are printed in UTC, and those that you give need a zone.
(sacct --json prints no jobs if SLURM_TIME_FORMAT is set.)

\b
""" + (
    "SLURM_TIME_FORMAT=%s SLURM_BITSTR_LEN=0 sacct -a -X -D -P --delimiter=';' -S 2025-01-01 -E now \\\n"
    "  -o JobIDRaw,State,Submit,Eligible,Start,End,ElapsedRaw,TimelimitRaw,NNodes,AllocCPUS,AllocTRES,Partition,"
    "Flags,ReqTRES,JobID,UID \\\n"
    "  > jobs.txt"
)
STAGES = {
    "naive": "the naive capacity", "exponential": "exponential classes", "independent": "jobs drawn at random",
    "own_order": "the log in its own order", "memory": "jobs drawn in blocks", "alone": "each resource alone",
    "classes": "the log without each class",
    "pool": "one pool", "best fit": "hosts with best fit", "worst fit": "hosts with worst fit",
    "freely": "hosts where others may pass", "passing": "hosts where others may pass and one is kept free",
    "costly": "hosts without the jobs that are hard to place",
    "waits": "replays with the times of arrival", "curve": "replays with less and with more load",
}  # fmt: skip

WHY_NOT = {  # beside --hosts
    "policy": "on hosts jobs start in order of arrival, with and without a view of those that may pass",
    "anonymous": "the table of job classes knows no hosts",
    "calendar": "a calendar says how many servers are up, but not which hosts",
    "user_limit": "limits are kept by replays of one pool",
}
ASSUMED_OF_HOSTS = """\
Jobs start in order of arrival, and some always wait. In the row "50 in view" the scheduler looks at 50 waiting jobs: if
the first one fits nowhere, the others may start. In the row "one free" the emptiest host that could hold the first one
is kept free for it, and the others start elsewhere.
Jobs that are hard to place are those of which fewest fit on one host.
Best fit puts a job on the fullest host on which it fits, and worst fit on the emptiest one.
Of a job that ran on several hosts, it is taken that it needs all of its servers on one host."""


@click.command(cls=Command, help=HELP)
@log_argument
@log_options
@outage_options
@user_limit_option
@servers_option
@hosts_option
@click.option(
    "--policy", type=click.Choice(["fcfs", "easy"]),
    help="Report on this policy alone; otherwise on both. With --json, the report of one policy is printed as it "
    "stands, and two reports under the names of their policies.",
)  # fmt: skip
@click.option(
    "--seed", metavar="N", type=click.IntRange(0), default=1, show_default=True,
    help="Draw the random numbers of the simulations from this seed.",
)  # fmt: skip
@sheet.full_option
@page_option
@replace_option
@json_option
@schema_option("PolicyReports", "Report", "SeveralReport", "HostsReport")
@anonymous_option
def capacity(
    log: str,
    hosts: Hosts | None,
    policy: str | None,
    seed: int,
    full: bool,
    page: str | None,
    as_json: bool,
    anonymous: bool,
    **reading: Any,
) -> None:
    import mjq_logs

    policies = ("fcfs", "easy") if policy is None else (policy,)
    result: Any
    if hosts is not None:
        refuse_beside_hosts(WHY_NOT)
        cluster_log = read(log, **reading | {"servers": servers_of(hosts, reading["servers"])})
        result = mjq_logs.report_on_hosts(cluster_log, hosts, seed, _progress)
        answer = _answer_of_hosts(log, cluster_log, hosts, result)
        charts = _charts_of_hosts(result)
        return sheet.deliver(answer, result, full, as_json, page, "What can these hosts really do?", charts)
    cluster_log = read(log, **reading)
    if cluster_log.resources:
        if anonymous:
            first = cluster_log.resources[0]
            raise click.UsageError(f"--anonymous knows one resource: give --unit {first}, or leave it out")
        result = mjq_logs.report_on_several(cluster_log, policies, seed, _progress)
        answer, charts, shown = _answer_of_several(log, cluster_log, result), _charts_of_several(result), result
    elif anonymous:
        return show_classes(cluster_log)
    else:
        result = mjq_logs.reports_on(cluster_log, policies, seed, _progress)
        answer, charts = _answer(log, cluster_log, result), _charts(result)
        shown = result if policy is None else result.policies[policy]
    sheet.deliver(answer, shown, full, as_json, page, "What can this machine really do?", charts)


def _answer(path, log, result):
    """Return the report of one log for people."""
    from mjq_logs.words import agreement_in_words

    reports = list(result.policies.values())
    first = reports[0]
    curves = {report.policy: first.memory[report.policy] for report in reports}
    near = [report.near_saturation for report in reports]
    more = _parts(reports, first, near, curves, _mean_work(first.mean_work))
    more["how well replays agree with the log"][:0] = filter(None, ["\n".join(agreement_in_words(first.agreement))])
    return sheet.answer(path, log, first.warnings, result.verdict, _limits(reports), more, first.notes)


def _answer_of_several(path, log, result):
    """Return the report of several resources for people."""
    from mjq_logs.words import NAMES

    reports = list(result.policies.values())
    tight = NAMES.get(result.binds, result.binds)
    lacks = [(f"What the next job lacks under {report.policy} while jobs wait", report.blocked) for report in reports]
    if result.blocked:
        lacks.append(("What the first in the queue lacked by the log itself, while jobs waited", result.blocked))
    curves = {report.policy: report.memory for report in reports}
    whose = f"Shares, and the servers wasted, are those of the {tight}."
    more: dict[str, list] = {"what the next job lacks": [sheet.table(*lack) for lack in lacks]}
    more |= _parts(reports, result, [result.near_saturation], curves, whose, tight)
    return sheet.answer(path, log, result.warnings, result.verdict, _by_resource(result), more, result.notes)


def _parts(reports, whole, near, curves, of_capacities, servers="servers"):
    """Return the further parts that reports of one and of several resources have in common."""
    title = "Replays against the waits of the log: look here before you believe a replay"
    return {
        "waits if jobs come slower or faster": [_curve(report) for report in reports if report.waits],
        "how well replays agree with the log": [sheet.table(title, whole.agreement)] if whole.agreement else [],
        "other estimates of the capacity": [
            *_capacities(reports), of_capacities, *(_memory(policy, curve) for policy, curve in curves.items()),
        ],
        "what jobs of each need cost the others": [_classes(report, servers) for report in reports if report.classes],
        "how long jobs stay near saturation": [_near_saturation(each) for each in near if each],
        "when work came": list(_arrivals(whole.load, servers)) if whole.load else [],
    }  # fmt: skip


def _answer_of_hosts(path, log, hosts, result):
    """Return the report of a machine of hosts for people."""
    from mjq_logs.hosting import hosts_in_words
    from mjq_logs.hosts import OF_TIES
    from mjq_logs.words import NAMES

    *others, freely, passing = result.cases.values()
    cases = [*others, *(costly.without for costly in result.costly[:1]), freely, passing]
    interval = result.cases["best fit"].own_order.interval
    title = f"What {hosts_in_words(hosts, log.resources)} can carry in the order of the log, with 95 % intervals"
    title += f" {interval.replace(', 95 %', '')}" if interval == OF_TIES else ""
    if result.binds:
        title += f"; shares are those of the {NAMES.get(result.binds, result.binds)}"
    more: dict[str, list[str | sheet.Table]] = {
        "what is lost to what": [
            sheet.table("Servers lost in the order of the log, and if jobs are drawn from it", result.losses)
        ],
        "which jobs cost most": [
            sheet.table("Without the jobs of which fewest fit on one host; best fit", rows)
            for rows in [result.costly] if rows
        ],
        "what a host gives that is kept free": [
            sheet.table("Waits in replays with best fit, at the load that came", rows)
            for rows in [result.waits] if rows
        ],
        "what the rows assume": [ASSUMED_OF_HOSTS],
    }  # fmt: skip
    return sheet.answer(path, log, result.warnings, result.verdict, sheet.table(title, cases), more, result.notes)


def _progress(stage):
    """Print on a terminal what is computed now."""
    if sys.stderr.isatty():
        show(f"… {STAGES[stage]}", err=True)


def _charts(reports):
    """Return the four charts that show most of what this log tells."""
    from mjq_logs import plots
    from mjq_logs.words import ESTIMATES

    first = next(iter(reports.policies.values()))
    when = _when_work_came(first.load)
    estimates = "; ".join(f"{name}, {getattr(first.capacities, key).assumes}" for key, name in ESTIMATES.items())
    of_each = [
        (f"How many servers can be busy, by four estimates: {estimates}", plots.shares_of_capacity, True),
        (
            "How long jobs wait, against the load (dotted: what each policy can carry)",
            plots.waits_against_load,
            all(_of(reports, "waits")),
        ),
        (when, plots.load_by_time, first.load),
        (
            "Which needs waste servers (of the ten worst under each policy)",
            plots.wasted_servers,
            any(_of(reports, "classes")),
        ),
        (
            "The order of the jobs is part of the capacity: shares of the naive one, if so many successive jobs are "
            "drawn from the log at a time",
            plots.memory_of_log,
            True,
        ),
    ]
    return _there(of_each, reports)


def _charts_of_several(report):
    """Return the charts of a machine of several resources."""
    from mjq_logs import plots
    from mjq_logs.words import NAMES

    tight = NAMES.get(report.binds, report.binds)
    of_each = [
        ("How much of each resource can be busy while jobs wait", plots.busy_by_resource, True),
        ("What the next job lacks while jobs wait", plots.lacks_by_policy, True),
        (
            f"How long jobs wait, against the load of the {tight} (dotted: what each policy can carry)",
            plots.waits_against_load,
            all(_of(report, "waits")),
        ),
        (f"{_when_work_came(report.load)}: that for the {tight}", plots.load_by_time, report.load),
    ]
    return _there(of_each, report)


def _charts_of_hosts(report):
    """Return the charts of a machine of hosts."""
    from mjq_logs import plots

    of_each = [
        ("How much can be busy while jobs wait, by rule", plots.busy_on_hosts, True),
        ("What is lost to what", plots.lost_on_hosts, True),
        ("How long jobs wait at the load that came, in replays with best fit", plots.waits_on_hosts, report.waits),
    ]
    return _there(of_each, report)


def _when_work_came(load):
    hours = "When work comes, on the clock of the log, UTC if it counts seconds and names no offset"
    return hours if load and load.by_hour else "When work comes"


def _there(of_each, report):
    """Return the charts for which there are numbers, with their captions, so many as stand on a page."""
    return [sheet.Chart(caption, partial(draw, report)) for caption, draw, known in of_each if known][:CHARTS]


def _of(reports, name):
    return [getattr(report, name) for report in reports.policies.values()]


def _limits(reports):
    """Return what each policy can carry, how much of it came, and how long jobs wait there."""
    title, waits = "What each policy can carry in the order of the log, with 95 % intervals", reports[0].waits
    title += ", and how long jobs wait in its replay at the load that came" if waits else ""
    real = []
    if waits and waits.log:
        real = [SimpleNamespace(policy="(real waits)", waits=SimpleNamespace(replay=waits.log))]
    return sheet.table(title, [*reports, *real], percentile=waits and waits.percentile)


def _curve(report):
    """Return the waits under one policy if the same jobs come slower or faster."""
    from mjq_logs.answers import Column

    share, curve = report.capacities.own_order.share, report.waits.curve
    title = f"Waits under {report.policy} if the same jobs come slower or faster, with 95 % intervals"
    if any(row.load > share for row in curve):
        title += ". Above 100 % of what it can carry, waits grow as long as the log lasts"
    part = Column(f"of what {report.policy}\ncan carry", "%", ".1f"), [row.load / share for row in curve]
    return sheet.table(title, curve, part, percentile=report.waits.percentile)


def _arrivals(load, servers="servers"):
    from mjq_logs.answers import Column
    from mjq_logs.words import percent

    sentences = [f"{load.rate:.4g} jobs came per hour, with work for {percent(load.load)} of the {servers}."]
    spans = {"an hour": load.dispersion_by_hour, "a day": load.dispersion_by_day}
    varies = [f"in {span} {times:.3g} times" for span, times in spans.items() if times is not None]
    if varies:
        sentences.append(f"The number of arrivals varies {', '.join(varies)} as much as if they were Poisson.")
    yield " ".join(sentences)
    of_hours = "The same by hour of the day, on the clock of the log, UTC if it counts seconds and names no offset"
    for title, name, loads in (
        ("Work that came, as a share of the possible work", "month", load.by_month),
        (of_hours, "hour", load.by_hour),
    ):
        if loads:
            yield sheet.table(title, [], (Column("load", "%", ".1f"), loads.values()), names=(name, loads))


def _capacities(reports):
    """Return the four capacities under each policy, what each assumes, and what its interval says."""
    from mjq_logs.words import ESTIMATES

    tables, sentences = [], []
    for report in reports:
        rows = [getattr(report.capacities, key) for key in ESTIMATES]
        title = f"Capacity under {report.policy}, with 95 % intervals"
        tables.append(sheet.table(title, rows, names=("capacity", ESTIMATES.values())))
    for key, name in ESTIMATES.items():
        capacities = [getattr(report.capacities, key) for report in reports]
        kinds = dict.fromkeys(capacity.interval for capacity in capacities)
        ends = capacities[0].interval if len(kinds) == 1 else "; ".join(
            f"{report.policy}: {capacity.interval}" for report, capacity in zip(reports, capacities, strict=True)
        )  # fmt: skip
        sentences.append(f"{name}: {capacities[0].assumes} (interval: {ends})")
    return [*tables, "\n".join(sentences)]


def _mean_work(mean):
    """Say for which mean work of a job all capacities are."""
    ends = "" if mean.high is None else f" ({mean.low:.4g} to {mean.high:.4g})"
    return f"All of them are for the mean work of a job in this log, {mean.value:.4g}{ends} server-hours."


def _memory(policy, curve):
    title = f"Capacity under {policy}, if blocks of this many successive jobs are drawn from the log"
    return sheet.table(title, curve, names=("jobs", [str(drawn.block) for drawn in curve]))


def _classes(report, servers="servers"):
    from mjq_logs.capacity.needs import MOST_NEEDS
    from mjq_logs.words import percent

    title = (
        f"Needs that waste most under {report.policy}: the {servers} that others could use without them, less those "
        "that they use"
    )
    if report.other_needs:
        title += (
            f". Only the {MOST_NEEDS} needs with most work were tried; {report.other_needs} more have "
            f"{percent(report.work_of_others)} of it"
        )
    return sheet.table(title, report.classes, servers=servers)


def _near_saturation(near):
    from mjq_logs.answers import Column

    title = (
        f"Exponential classes near their capacity: a job spends about {near.constant:.4g} / ({near.capacity:.4f} - "
        "arrivals per hour) hours in the system, if arrivals are Poisson"
    )
    if near.constant_low is not None:
        ends = f"{near.constant_low:.4g} to {near.constant_high:.4g}"
        title += f". The interval of {near.constant:.4g} is {ends} ({near.interval})"
    return sheet.table(
        title, [], (Column("hours", "", ".2f"), near.hours.values()), names=("of the capacity", near.hours)
    )


def _by_resource(result):
    """Return a row for each resource: how busy it was, how busy it could be, and what it alone would have said."""
    from mjq_logs.answers import Column

    (first, *_), more = result.policies.values(), []
    whole = SimpleNamespace(name="all of them", jobs=result.jobs, naive=first.capacities.naive.value)
    for report in result.policies.values():
        busy = Column(f"busy at most\nunder {report.policy}", "%", ".1f")
        alone = Column(f"jobs per hour\nunder {report.policy},\nby it alone", "", ".4g")
        more += [(busy, [*report.busy.values(), None])]
        more += [(alone, [*report.alone.values(), report.capacities.own_order.value])]
    return sheet.table("Each resource, in the order of the log; memory is in GB", [*result.resources, whole], *more)
