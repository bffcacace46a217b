"""The ``capacity`` command: the real capacity of a machine, estimated from its log."""

from __future__ import annotations

import sys
from functools import partial
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any

import click

from mjq_logs.cli import sheet
from mjq_logs.cli.common import Command, force_option, json_option, page_option, show, show_json
from mjq_logs.cli.reading import (
    anonymous_option,
    lines_used,
    log_options,
    machine_option,
    outage_options,
    read,
    read_parts,
    schema_option,
)

__all__ = ["capacity"]

HOUR = 3600  # seconds
ANSWER, CHARTS = 4, 4  # sentences and charts at the top of a page
CHARTS_OF_A_PARTITION = 2  # on a page about several
HELP = """Estimate the real capacity of a machine from its log.

The command first prints how near the log is to the limit of each policy, and how long jobs wait at that load and at
others. Then it says how well replays agree with the waits of the log. Four estimates of the capacity follow, which
differ in what they assume, and the needs that waste servers.

With --unit cpus,mem, or any other units between commas, jobs need several resources at once, and the machine is given
as --servers 384,1.5TB. The command then prints how busy each resource was, which one binds, which one the next job
lacks, and what one resource alone would have said. It leaves out what knows one resource only, and names it.

LOG is a file in the Standard Workload Format, the output of sacct, or a CSV or Parquet table; "-" is the standard
input. It may be a summary that mjq summary has written: jobs are then drawn from it. A log of a million jobs takes
about 0.4 GB of memory, and each further million about 0.1 GB. In Slurm, this command writes such a log without the
names of users:

\b
""" + (
    "SLURM_TIME_FORMAT=%s SLURM_BITSTR_LEN=0 sacct -a -X -D -P --delimiter=';' -S 2025-01-01 -E now \\\n"
    "  -o JobIDRaw,State,Submit,Eligible,Start,End,ElapsedRaw,TimelimitRaw,NNodes,AllocCPUS,AllocTRES,Partition,"
    "Flags,ReqTRES,JobID \\\n"
    "  > jobs.txt"
)
STAGES = {
    "naive": "the naive capacity", "exponential": "exponential classes", "independent": "jobs drawn at random",
    "own_order": "the log in its own order", "memory": "jobs drawn in blocks", "alone": "each resource alone",
    "classes": "the log without each class",
    "waits": "replays with the times of arrival", "curve": "replays with less and with more load",
}  # fmt: skip


@click.command(cls=Command, help=HELP)
@click.argument("log", type=click.Path(allow_dash=True))
@log_options
@outage_options
@machine_option
@click.option(
    "--policy", type=click.Choice(["fcfs", "easy"]),
    help="Report on this policy alone; otherwise on both. With --json, one report is printed as it stands, and two "
    "under their policies.",
)  # fmt: skip
@click.option(
    "--needs", metavar="N", type=click.IntRange(1),
    help="Also merge the needs into at most this many, and print how wrong the capacity then is.",
)  # fmt: skip
@click.option(
    "--seed", metavar="N", type=click.IntRange(0), default=1, show_default=True,
    help="Draw the random numbers of the simulations from this seed.",
)  # fmt: skip
@page_option
@force_option
@json_option
@schema_option("PolicyReports", "Report", "Reports", "SeveralReport")
@anonymous_option
def capacity(
    log: str,
    policy: str | None,
    needs: int | None,
    seed: int,
    page: str | None,
    force: bool,
    as_json: bool,
    anonymous: bool,
    **reading: Any,
) -> None:
    import mjq_logs
    from mjq._util import folders

    if page is not None:
        folders.refuse_existing(Path(page), force)
    policies = ("fcfs", "easy") if policy is None else (policy,)
    if isinstance(reading["servers"], dict):
        if anonymous:
            raise click.UsageError("--anonymous is for one partition at a time: give --partition NAME")
        return _of_partitions(log, policies, seed, needs, page, as_json, reading)
    cluster_log = read(log, **reading)
    if cluster_log.resources:
        return _of_several(log, cluster_log, policies, seed, needs, anonymous, page, as_json)
    if anonymous:
        mjq_logs.write_classes(sys.stdout.buffer, mjq_logs.job_classes(cluster_log))
        return
    result = mjq_logs.reports_on(cluster_log, policies, seed, needs, _progress)
    assert cluster_log.lines is not None  # of a log that was read from a file
    parts, doubts = list(_parts(result, sheet.dates(cluster_log))), _doubts(result)
    if page is not None:
        answer, about = result.verdict[:ANSWER], sheet.facts(log, cluster_log)
        below = [lines_used(cluster_log.lines), *_machine(result)[1:], *parts[2:]]
        sheet.write_page(page, "What can this machine really do?", about, answer, _charts(result), below, doubts)
    if as_json:
        show_json((result if policy is None else result.policies[policy]).model_dump())
    else:
        first = ["\n".join(doubts)] if doubts else []
        show(sheet.as_text([*first, lines_used(cluster_log.lines), *parts]))


def _of_several(log, cluster_log, policies, seed, needs, anonymous, page, as_json):
    """Show what a machine of several resources can do."""
    import mjq_logs

    if needs is not None or anonymous:
        option = "--anonymous" if anonymous else "--needs"
        raise click.UsageError(f"{option} knows one resource: give --unit {cluster_log.resources[0]}, or leave it out")
    result = mjq_logs.report_on_several(cluster_log, policies, seed, _progress)
    parts = list(_parts_of_several(result, cluster_log, sheet.dates(cluster_log)))
    used = lines_used(cluster_log.lines)
    if page is not None:
        about = sheet.facts(log, cluster_log)
        answer = [sentence for sentence in result.verdict if sentence not in result.warnings]
        below = [used, *parts[2:]]
        sheet.write_page(page, "What can this machine really do?", about, answer, [], below, result.warnings)
    if as_json:
        show_json(result.model_dump())
    else:
        first = ["\n".join(result.warnings)] if result.warnings else []
        show(sheet.as_text([*first, used, *parts]))


def _parts_of_several(result, log, dates):
    """Yield the report of several resources for people, part by part, answer first."""
    from mjq_logs.window import window_in_words
    from mjq_logs.words import NAMES, machine_in_words

    what = f"{result.jobs} jobs on {machine_in_words(log)} ({result.servers_from})" + (f", {dates}" if dates else "")
    yield "\n".join(filter(None, [what, window_in_words(result.window)]))
    yield "\n".join(sentence for sentence in result.verdict if sentence not in result.warnings)
    yield "\n".join(result.notes)
    yield _by_resource(result)
    yield from (_who_blocks(result, report) for report in result.policies.values())
    reports = list(result.policies.values())
    for report in reports:
        yield from _capacities(report)
    tight = NAMES.get(result.binds, result.binds)
    yield f"{_assumptions(reports)}\nShares, and the servers wasted, are those of the {tight}."
    yield _memory({report.policy: report.memory for report in reports})
    if result.near_saturation:
        yield _near_saturation(result.near_saturation)
    yield "Left out, as these parts of the report know one resource only: " + "; ".join(result.left_out) + "."


def _by_resource(result):
    """Return a row for each resource: how busy it was, how busy it could be, and what it alone would have said."""
    reports = list(result.policies.values())
    rows = [
        (
            resource.name, resource.size, resource.jobs,
            *(None if share is None else f"{100 * share:.1f}" for share in (resource.load, resource.busy)),
            None if resource.held is None else f"{resource.held.most_of_the_time:g}",
            *(f"{100 * report.busy[resource.name]:.1f}" for report in reports),
            resource.naive, *(report.alone[resource.name] for report in reports),
        )
        for resource in result.resources
    ]  # fmt: skip
    rows.append(
        ("all of them", None, result.jobs, *(None,) * (3 + len(reports)), reports[0].capacities.naive.value)
        + tuple(report.capacities.own_order.value for report in reports)
    )
    head = (
        "resource", "size", "jobs that\nneed some", "of it\ncame [%]", "busy in\nthe log [%]",
        "held for 99 % of\nthe time, at most",
        *(f"busy at most\nunder {report.policy} [%]" for report in reports), "jobs per hour\nif none is wasted",
        *(f"under {report.policy},\nby it alone" for report in reports),
    )  # fmt: skip
    formats = ("", "g", "d", "", "", "", *("",) * len(reports), ".4g", *(".4g",) * len(reports))
    return sheet.Table("Each resource, in the order of the log; memory is in GB", head, rows, formats)


def _who_blocks(result, report):
    """Return what the next job lacks, and for how much of the time."""
    from mjq_logs.several import lack_in_words

    rows = [
        (lack_in_words(blocked.lacks, len(result.resources)), f"{100 * blocked.share:.1f}")
        for blocked in report.blocked
    ]
    title = f"What the next job lacks under {report.policy} while jobs wait, in the order of the log"
    return sheet.Table(title, ("lacks", "of the time [%]"), rows, ("", ""))


def _of_partitions(log, policies, seed, needs, page, as_json, reading):
    """Show what several partitions can do: the sum, and the report of each."""
    import mjq_logs

    logs, lines = read_parts(log, **reading)
    result = mjq_logs.reports_by_partition(logs, policies, seed, needs, _progress, lines)
    sums, parts = [_together(result, total) for total in result.sum], []
    for name, reports in result.partitions.items():
        parts += [
            f"PARTITION {name}",
            *(["\n".join(_doubts(reports))] if _doubts(reports) else []),
            *_parts(reports, sheet.dates(logs[name])),
        ]
    if page is not None:
        charts = [
            sheet.Chart(f"Partition {name}. {chart.caption}", chart.draw)
            for name, reports in result.partitions.items()
            for chart in _charts(reports)[:CHARTS_OF_A_PARTITION]
        ]
        answer = [_carried(result, total) for total in result.sum]
        title = "What can these partitions really do?"
        sheet.write_page(page, title, Path(log).name, answer, charts, [lines_used(lines), *sums, *parts])
    if as_json:
        show_json(result.model_dump())
    else:
        show(sheet.as_text([lines_used(lines), *sums, *parts]))


def _carried(result, total):
    """Say what the partitions can carry together."""
    return (
        f"Under {total.policy} at most {total.share:.1%} of the {total.servers:g} servers of {len(result.partitions)} "
        f"partitions can be busy, and {total.wasted_servers:.3g} are idle while jobs wait."
    )


def _together(result, total):
    """Return a row for each partition, and the sum, under one policy."""
    rows = []
    for name, of_policies in result.partitions.items():
        report = of_policies.policies[total.policy]
        own = report.capacities.own_order
        ends = "" if own.share_low is None else f" ({100 * own.share_low:.1f} to {100 * own.share_high:.1f})"
        came = None if report.load is None else f"{100 * report.load.load:.1f}"
        most = f"{100 * own.share:.1f}{ends}"
        rows.append((name, report.jobs, report.servers, came, most, own.value, own.wasted_servers))
    came, most = None if total.load is None else f"{100 * total.load:.1f}", f"{100 * total.share:.1f}"
    rows.append(("sum", total.jobs, total.servers, came, most, total.capacity, total.wasted_servers))
    rates = "jobs per\nhour at most", "servers\nwasted"
    head = "partition", "jobs", "servers", "load [%]", "servers busy\nat most [%]", *rates
    title = f"Partitions under {total.policy}, with 95 % intervals; shares of the sum are weighted by servers"
    return sheet.Table(title, head, rows, ("", "d", "g", "", "", ".4g", ".2f"))


def _progress(stage):
    """Print on a terminal what is computed now."""
    if sys.stderr.isatty():
        show(f"… {STAGES[stage]}", err=True)


def _charts(reports):
    """Return the four charts that show most of what this log tells."""
    from mjq_logs import plots
    from mjq_logs.words import ESTIMATES

    first = next(iter(reports.policies.values()))
    estimates = "; ".join(f"{name}, {getattr(first.capacities, key).assumes}" for key, name in ESTIMATES.items())
    of_each = [
        (f"How many servers can be busy, by four estimates: {estimates}", plots.shares_of_capacity, True),
        (
            "How long jobs wait, against the load (dotted: what each policy can carry)",
            plots.waits_against_load,
            all(_of(reports, "waits")),
        ),
        (
            "When work comes, on the clock of the log, which is UTC where the log names no zone"
            if first.load and first.load.by_hour
            else "When work comes",
            plots.load_by_time,
            first.load,
        ),
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
    there = [sheet.Chart(caption, partial(draw, reports)) for caption, draw, known in of_each if known]
    return there[:CHARTS]


def _doubts(reports):
    return next(iter(reports.policies.values())).warnings


def _machine(reports, dates=""):
    """Return sentences of the machine, the window of the log, and how many servers it used."""
    from mjq_logs.doubts import held_in_words
    from mjq_logs.window import window_in_words

    first = next(iter(reports.policies.values()))
    what = f"{first.jobs} jobs on {first.servers:g} servers ({first.servers_from})" + (f", {dates}" if dates else "")
    return [what, *filter(None, [window_in_words(first.window), held_in_words(first.held, first.servers)])]


def _of(reports, name):
    return [getattr(report, name) for report in reports.policies.values()]


def _parts(result, dates):
    """Yield the report for people, part by part, answer first."""
    from mjq_logs.words import agreement_in_words

    reports = list(result.policies.values())
    first = reports[0]
    yield "\n".join(_machine(result, dates))
    yield "\n".join(sentence for sentence in result.verdict if sentence not in first.warnings)
    yield "\n".join(first.notes)
    yield _limits(reports)
    yield from (_curve(report) for report in reports if report.waits)
    if first.agreement:
        yield "\n".join(agreement_in_words(first.agreement))
        yield _agreement(first.agreement)
    yield from chain.from_iterable(_capacities(report) for report in reports)
    yield f"{_assumptions(reports)}\n{_mean_work(first.mean_work)}"
    yield _memory(first.memory)
    yield from (_classes(report) for report in reports if report.classes)
    yield from (_binned(report) for report in reports if report.binned)
    yield from (_near_saturation(report.near_saturation) for report in reports if report.near_saturation)
    if first.load:
        yield from _arrivals(first.load)


def _limits(reports):
    """Return how near the limit of each policy the log is, and how long jobs wait there."""
    rows = []
    for report in reports:
        own, waits = report.capacities.own_order, report.waits and report.waits.replay
        ends = "" if own.share_low is None else f" ({100 * own.share_low:.1f} to {100 * own.share_high:.1f})"
        used = None if report.used is None else f"{100 * report.used:.1f}"
        rows.append((report.policy, f"{100 * own.share:.1f}{ends}", used, *_waits(waits), "replay" if waits else None))
    if reports[0].waits and reports[0].waits.log:
        rows.append(("(real waits)", None, None, *_waits(reports[0].waits.log), "log"))
    head = (
        "policy", "servers busy\nat most [%]", "of that\ncame [%]", "mean wait [h]", "90 % wait\nat most [h]", "by the",
    )  # fmt: skip
    title = "What each policy can carry in the order of the log"
    if not reports[0].load:
        return sheet.Table(title, head[:2], [row[:2] for row in rows], ("", ""))
    title += ", how much of it came, and how long jobs wait at that load"
    return sheet.Table(title, head, rows, ("",) * len(head))


def _waits(waits):
    return (None, None) if waits is None else (sheet.hours(waits.mean), sheet.hours(waits.percentile))


def _curve(report):
    """Return the waits under one policy if the same jobs come slower or faster."""
    own = report.capacities.own_order
    rows = [
        (f"{row.growth:g}", f"{100 * row.load:.1f}", f"{100 * row.load / own.share:.1f}", *_waits(row.waits))
        for row in report.waits.curve
    ]
    beyond = any(row.load > own.share for row in report.waits.curve)
    title = f"Waits under {report.policy} if the same jobs come slower or faster, with 95 % intervals"
    if beyond:
        title += ". Above 100 % of what it can carry, waits grow as long as the log lasts"
    head = (
        "times\nas fast", "load [%]", f"of what {report.policy}\ncan carry [%]", "mean wait [h]",
        "90 % wait\nat most [h]",
    )  # fmt: skip
    return sheet.Table(title, head, rows, ("",) * len(head))


def _arrivals(load):
    sentences = [f"{load.rate:.4g} jobs came per hour, with work for {load.load:.1%} of the servers."]
    spans = {"an hour": load.dispersion_by_hour, "a day": load.dispersion_by_day}
    varies = [f"in {span} {times:.3g} times" for span, times in spans.items() if times is not None]
    if varies:
        sentences.append(f"The number of arrivals varies {', '.join(varies)} as much as if they were Poisson.")
    yield " ".join(sentences)
    yield sheet.Table(
        "Work that came, as a share of the possible work",
        ("month", "load"),
        list(load.by_month.items()),
        ("", ".3f"),
    )
    if load.by_hour:
        title = "The same by hour of the day, on the clock of the log, which is UTC where the log names no zone"
        yield sheet.Table(title, ("hour", "load"), list(load.by_hour.items()), ("", ".3f"))


def _capacities(report):
    from mjq_logs.words import ESTIMATES

    figures = attrgetter("value", "low", "high", "share", "share_low", "share_high", "wasted_servers")
    rows = [(name, *figures(getattr(report.capacities, key))) for key, name in ESTIMATES.items()]
    head = "capacity", "jobs per hour", "from", "to", "of the naive", "from", "to", "servers wasted"
    formats = ("", ".4g", ".4g", ".4g", ".4f", ".4f", ".4f", ".2f")
    yield sheet.Table(f"Capacity under {report.policy}, with 95 % intervals", head, rows, formats)


def _assumptions(reports):
    """Say what each capacity assumes, and what its interval says."""
    from mjq_logs.words import ESTIMATES

    sentences = []
    for key, name in ESTIMATES.items():
        capacities = [getattr(report.capacities, key) for report in reports]
        kinds = dict.fromkeys(capacity.interval for capacity in capacities)
        ends = capacities[0].interval if len(kinds) == 1 else "; ".join(
            f"{report.policy}: {capacity.interval}" for report, capacity in zip(reports, capacities, strict=True)
        )  # fmt: skip
        sentences.append(f"{name}: {capacities[0].assumes} (interval: {ends})")
    return "\n".join(sentences)


def _mean_work(mean):
    """Say for which mean work of a job all capacities are."""
    ends = "" if mean.high is None else f" ({mean.low:.4g} to {mean.high:.4g})"
    return f"All of them are for the mean work of a job in this log, {mean.value:.4g}{ends} server-hours."


def _memory(memory):
    blocks = [drawn.block for drawn in next(iter(memory.values()))]
    rows = [(str(block), *(curve[k].share for curve in memory.values())) for k, block in enumerate(blocks)]
    title = "Share of the naive capacity, if blocks of this many successive jobs are drawn from the log"
    return sheet.Table(title, ("jobs", *memory), rows, ("", ".4f", ".4f"))


def _classes(report):
    from mjq_logs.capacity.needs import MOST_NEEDS

    rows = [(f"{row.need:g}", row.jobs, row.servers, row.beside, row.without, row.wastes) for row in report.classes]
    head = "need", "jobs", "servers used", "others beside it [1/h]", "without it [1/h]", "servers it wastes"
    title = (
        f"Needs that waste most under {report.policy}: the servers that others could use without them, less those that "
        "they use"
    )
    if report.other_needs:
        title += (
            f". Only the {MOST_NEEDS} needs with most work were tried; {report.other_needs} more have "
            f"{report.work_of_others:.1%} of it"
        )
    return sheet.Table(title, head, rows, ("", "d", ".2f", ".4f", ".4f", ".2f"))


def _near_saturation(near):
    title = (
        f"Exponential classes near their capacity: a job spends about {near.constant:.4g} / ({near.capacity:.4f} - "
        "arrivals per hour) hours in the system, if arrivals are Poisson"
    )
    if near.constant_low is not None:
        ends = f"{near.constant_low:.4g} to {near.constant_high:.4g}"
        title += f". The interval of {near.constant:.4g} is {ends} ({near.interval})"
    return sheet.Table(title, ("of the capacity", "hours"), list(near.hours.items()), ("", ".2f"))


def _agreement(agreement):
    rows = [
        (
            row.policy,
            row.jobs,
            row.log / HOUR,
            row.replay / HOUR,
            *(100 * x for x in (row.same, row.fits_log, row.fits_replay)),
        )
        for row in agreement
    ]
    head = (
        "policy", "jobs", "mean wait\nby the log [h]", "replayed [h]", "start within\na minute [%]",
        "time in which somebody\nwaits who would fit,\nby the log [%]", "replayed [%]",
    )  # fmt: skip
    title = "Replays against the waits of the log: look here before you believe a replay"
    return sheet.Table(title, head, rows, ("", "d", ".2f", ".2f", ".1f", ".1f", ".1f"))


def _binned(report):
    binned = report.binned
    rows = [
        (name, error.needs, f"{100 * error.own_order:+.1f}", f"{100 * error.independent:+.1f}")
        for name, error in (("taken together", binned.fewer), ("rounded up to powers of two", binned.rounded))
    ]
    head = "needs", "how many", "own order [%]", "independent [%]"
    return sheet.Table(
        f"Error of the capacity under {report.policy} if needs are merged and the work is kept",
        head,
        rows,
        ("",) * len(head),
    )
