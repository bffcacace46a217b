"""What a machine can do, for people: a table, further ones for --full, and the charts of a page."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from types import SimpleNamespace
from typing import Any

from mjq_logs.answers import Column
from mjq_logs.machine.agreement import agreement_in_words
from mjq_logs.machine.host_cases import hosts_in_words
from mjq_logs.machine.hosts import Hosts
from mjq_logs.questions.capacity.needs import MOST_NEEDS
from mjq_logs.questions.capacity.on_hosts import OF_TIES, HostsReport
from mjq_logs.questions.capacity.report import ReportByPolicy
from mjq_logs.questions.capacity.several import SeveralReport
from mjq_logs.reading.facts import Facts
from mjq_logs.tables import Answer, Chart, Table, answer, table
from mjq_logs.words import ESTIMATES, name_of, percent

ASSUMED_OF_HOSTS = """\
Jobs start in order of arrival, and some always wait. In the row "50 in view" the scheduler looks at 50 waiting jobs: if
the first one fits nowhere, the others may start. In the row "one free" the emptiest host that could hold the first one
is kept free for it, and the others start elsewhere.
A job is hardest to place if no other fits on one host fewer times.
Best fit puts a job on the fullest host on which it fits, and worst fit on the emptiest one.
Of a job that ran on several hosts, it is taken that it needs all of its servers on one host."""
NEAR_ERROR = {"0.8": 0.15, "0.9": 0.08, "0.95": 0.05, "0.99": 0.02}  # at most, of times near saturation: a test counts
HOURS = "on the clock of the log, UTC if it counts seconds and names no offset"


def present(path: str, facts: Facts, result: ReportByPolicy | SeveralReport, full: bool = True) -> Answer:
    """Return for people what each policy can carry, of one resource or of several.

    Of a report that is not `full`, further parts have their names alone, and there are no charts.
    """
    reports: list[Any] = list(result.policies.values())
    more: dict[str, list[str | Table]] = {}
    if isinstance(result, SeveralReport):
        whole: Any = result
        servers, near = name_of(result.binds), [result.near_saturation]
        lacks = [(f"What the next job lacks under {each.policy} while jobs wait", each.blocked) for each in reports]
        if result.blocked:
            lacks.append(("What the first in the queue lacked by the log itself, while jobs waited", result.blocked))
        more["what the next job lacks"] = [table(*lack) for lack in lacks]
        words, first = [], _by_resource(result)
        of_all = f"Shares, and the servers wasted, are those of the {servers}."
        curves, tight = {report.policy: report.memory for report in reports}, servers
    else:
        whole, servers, near = reports[0], "servers", [report.near_saturation for report in reports]
        words, first = agreement_in_words(whole.agreement), _limits(reports)
        of_all = _mean_work(whole.mean_work)
        curves, tight = whole.memory, ""
    title = "Replays against the waits of the log: look here before you believe a replay"
    compared = [table(title, whole.agreement)] if whole.agreement else []
    more |= {
        "waits if jobs come slower or faster": [_curve(report) for report in reports if report.waits],
        "how well replays agree with the log": ["\n".join(words)] * bool(words) + compared,
        "other estimates of the capacity": [
            *_capacities(reports), of_all, *(_memory(report.policy, curves[report.policy]) for report in reports),
        ] if full else [of_all],
        "what jobs of each need cost the others": [_classes(report, servers) for report in reports if report.classes],
        "how long jobs stay near saturation": [_near_saturation(each) if full else "" for each in near if each],
        "when work came": list(_arrivals(whole.load, servers)) if whole.load else [],
    }  # fmt: skip
    question, charts = "What can this machine really do?", _charts(result, whole.load, tight) if full else []
    return answer(path, facts, whole.warnings, result.verdict, first, more, whole.notes, question, charts)


def present_on_hosts(path: str, facts: Facts, hosts: Hosts, result: HostsReport) -> Answer:
    """Return for people what a machine of hosts can carry."""
    from mjq_logs import plots

    *others, freely, passing = result.cases.values()
    cases = [*others, *(costly.without for costly in result.costly[:1]), freely, passing]
    interval = result.cases["best fit"].own_order.interval
    title = f"What {hosts_in_words(hosts, facts.log.resources)} can carry in the order of the log, with 95 % intervals"
    title += f" {interval.replace(', 95 %', '')}" if interval == OF_TIES else ""
    if result.binds:
        title += f"; shares are those of the {name_of(result.binds)}"
    costly, waits = ([rows] if rows else [] for rows in (result.costly, result.waits))
    more: dict[str, list[str | Table]] = {
        "what is lost to what": [
            table("Servers lost in the order of the log, and if jobs are drawn from it", result.losses)
        ],
        "which jobs cost most": [
            table("Without the jobs that are hardest to place; best fit", rows) for rows in costly
        ],
        "what a host gives that is kept free": [
            table("Waits in replays with best fit, at the load that came", rows) for rows in waits
        ],
        "what the rows assume": [ASSUMED_OF_HOSTS],
    }
    charts = (
        ("How much can be busy while jobs wait, by rule", plots.busy_on_hosts, True),
        ("What is lost to what", plots.lost_on_hosts, True),
        ("How long jobs wait at the load that came, in replays with best fit", plots.waits_on_hosts, waits),
    )
    question, drawn = "What can these hosts really do?", _known(charts, result)
    first = table(title, cases)
    return answer(path, facts, result.warnings, result.verdict, first, more, result.notes, question, drawn)


def _charts(result, load, tight=""):
    """Return the charts that show most of what a log tells, of one resource or of several, one of them `tight`."""
    from mjq_logs import plots

    reports = list(result.policies.values())
    of_tight, for_tight = (f" of the {tight}", f": that for the {tight}") if tight else ("", "")
    when = f"When work comes, {HOURS}" if load and load.by_hour else "When work comes"
    both = (
        (
            f"How long jobs wait, against the load{of_tight} (dotted: what each policy can carry)",
            plots.waits_against_load,
            all(report.waits for report in reports),
        ),
        (f"{when}{for_tight}", plots.load_by_time, load),
    )
    if tight:
        busy = "How much of each resource can be busy while jobs wait", plots.busy_by_resource, True
        lacks = "What the next job lacks while jobs wait", plots.lacks_by_policy, True
        return _known((busy, lacks, *both), result)
    capacities = reports[0].capacities
    estimates = "; ".join(f"{name}, {getattr(capacities, key).assumes}" for key, name in ESTIMATES.items())
    charts = (
        (f"How many servers can be busy, by four estimates: {estimates}", plots.shares_of_capacity, True),
        *both,
        (
            "Which needs waste servers (of the ten worst under each policy)",
            plots.wasted_servers,
            any(report.classes for report in reports),
        ),
    )
    return _known(charts, result)


def _known(charts: Iterable[tuple], result: Any) -> list[Chart]:
    return [Chart(caption, partial(draw, result)) for caption, draw, known in charts if known]


def _limits(reports):
    waits, own = reports[0].waits, reports[0].capacities.own_order
    ends = "with 95 % intervals" if own.low is not None else f"without intervals: {own.interval.removeprefix('none, ')}"
    title = f"What each policy can carry in the order of the log, {ends}"
    title += ", and how long jobs wait in its replay at the load that came" if waits else ""
    real = []
    if waits and waits.log:
        real = [SimpleNamespace(policy="(real waits)", waits=SimpleNamespace(replay=waits.log))]
    return table(title, [*reports, *real], percentile=waits and waits.percentile)


def _curve(report):
    share, curve = report.capacities.own_order.share, report.waits.curve
    title = f"Waits under {report.policy} if the same jobs come slower or faster, with 95 % intervals"
    if any(row.load > share for row in curve):
        title += ". Above 100 % of what it can carry, waits grow as long as the log lasts"
    part = Column(f"of what {report.policy}\ncan carry", "%", ".1f"), [row.load / share for row in curve]
    return table(title, curve, part, percentile=report.waits.percentile)


def _arrivals(load, servers="servers"):
    sentences = [f"{load.rate:.4g} jobs came per hour, with work for {percent(load.load)} of the {servers}."]
    spans = {"an hour": load.dispersion_by_hour, "a day": load.dispersion_by_day}
    varies = [f"in {span} {times:.3g} times" for span, times in spans.items() if times is not None]
    if varies:
        sentences.append(f"The number of arrivals varies {', '.join(varies)} as much as if they were Poisson.")
    yield " ".join(sentences)
    of_hours = f"The same by hour of the day, {HOURS}"
    for title, name, loads in (
        ("Work that came, as a share of the possible work", "month", load.by_month),
        (of_hours, "hour", load.by_hour),
    ):
        if loads:
            yield table(title, [], (Column("load", "%", ".1f"), loads.values()), names=(name, loads))


def _capacities(reports):
    """Return the four capacities under each policy, what each assumes, and what its interval says."""
    tables, sentences = [], []
    for report in reports:
        rows = [getattr(report.capacities, key) for key in ESTIMATES]
        title = f"Capacity under {report.policy}, with 95 % intervals"
        tables.append(table(title, rows, names=("capacity", ESTIMATES.values())))
    for key, name in ESTIMATES.items():
        capacities = [getattr(report.capacities, key) for report in reports]
        kinds = dict.fromkeys(capacity.interval for capacity in capacities)
        ends = capacities[0].interval if len(kinds) == 1 else "; ".join(
            f"{report.policy}: {capacity.interval}" for report, capacity in zip(reports, capacities, strict=True)
        )  # fmt: skip
        sentences.append(f"{name}: {capacities[0].assumes} (interval: {ends})")
    return [*tables, "\n".join(sentences)]


def _mean_work(mean):
    ends = "" if mean.high is None else f" ({mean.low:.4g} to {mean.high:.4g})"
    return f"All of them are for the mean work of a job in this log, {mean.value:.4g}{ends} server-hours."


def _memory(policy, curve):
    title = f"Capacity under {policy}, if blocks of this many successive jobs are drawn from the log"
    return table(title, curve, names=("jobs", [str(drawn.block) for drawn in curve]))


def _classes(report, servers="servers"):
    title = (
        f"Needs that waste most under {report.policy}: the {servers} that others could use without them, less those "
        "that they use"
    )
    if report.other_needs:
        title += (
            f". Only the {MOST_NEEDS} needs with most work were tried; {report.other_needs} more have "
            f"{percent(report.work_of_others)} of it"
        )
    return table(title, report.classes, servers=servers)


def _near_saturation(near):
    title = (
        f"Hours in the system of exponential classes near their capacity, if arrivals are Poisson: in the end "
        f"{near.constant:.4g} / ({near.capacity:.4f} - arrivals per hour). In 25 random systems such numbers erred by "
        f"up to {percent(NEAR_ERROR['0.8'], 0)} at 80 % and {percent(NEAR_ERROR['0.99'], 0)} at 99 %"
    )
    if near.constant_low is not None:
        ends = f"{near.constant_low:.4g} to {near.constant_high:.4g}"
        title += f". The interval of {near.constant:.4g} is {ends} ({near.interval})"
    return table(title, [], (Column("hours", "", ".2f"), near.hours.values()), names=("of the capacity", near.hours))


def _by_resource(result):
    """Return a row for each resource: how busy it was, how busy it could be, and what it alone would have said."""
    (first, *_), more = result.policies.values(), []
    whole = SimpleNamespace(name="all of them", jobs=result.jobs, naive=first.capacities.naive.value)
    for report in result.policies.values():
        busy = Column(f"busy at most\nunder {report.policy}", "%", ".1f")
        alone = Column(f"jobs per hour\nunder {report.policy},\nby it alone", "", ".4g")
        more += [(busy, [*report.busy.values(), None])]
        more += [(alone, [*report.alone.values(), report.capacities.own_order.value])]
    return table("Each resource, in the order of the log; memory is in GB", [*result.resources, whole], *more)
