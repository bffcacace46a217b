"""The ``capacity`` command: the real capacity of a machine, estimated from its log."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from mjq.cli import sheet
from mjq.cli.common import Command, force_option, json_option, page_option, show_json
from mjq.cli.reading import anonymous_option, lines_used, log_options, machine_option, read, read_parts, schema_option

__all__ = ["capacity"]

NAMES = {
    "naive": "naive",
    "exponential": "exponential classes",
    "independent": "independent jobs",
    "own_order": "own order",
}
HELP = """Estimate the real capacity of a machine from its log.

The command prints four estimates, which differ in what they assume. It also prints how many servers are wasted, which
needs waste them, and how well replays agree with the waits of the log.

LOG is a file in the Standard Workload Format, the output of sacct, or a CSV or Parquet table; "-" is the standard
input. A log of a million jobs takes about 0.5 GB of memory, and each further million about 0.3 GB. In Slurm, this
command writes such a log without the names of users:

\b
""" + (
    "SLURM_TIME_FORMAT=%s sacct -a -X -D -P --delimiter=';' -S 2025-01-01 -E now \\\n"
    "  -o JobIDRaw,State,Submit,Eligible,Start,End,ElapsedRaw,TimelimitRaw,NNodes,AllocCPUS,AllocTRES,Partition,"
    "Flags \\\n"
    "  > jobs.txt"
)
PICTURE = "The four capacities as shares of the naive one, and the share against the number of jobs drawn in a row"
STAGES = {
    "naive": "the naive capacity", "exponential": "exponential classes", "independent": "jobs drawn at random",
    "own_order": "the log in its own order", "memory": "jobs drawn in blocks", "classes": "the log without each class",
    "waits": "replays with the times of arrival",
}  # fmt: skip


@click.command(cls=Command, help=HELP)
@click.argument("log", type=click.Path(allow_dash=True))
@log_options
@machine_option
@click.option(
    "--policy", type=click.Choice(["fcfs", "easy"]), default="fcfs", show_default=True,
    help="Estimate the capacities under this policy. The curve from independent jobs to the log's own order is shown "
    "for both policies.",
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
@schema_option("Report")
@anonymous_option
def capacity(
    log: str,
    policy: str,
    needs: int | None,
    seed: int,
    page: str | None,
    force: bool,
    as_json: bool,
    anonymous: bool,
    **reading: Any,
) -> None:
    from mjq import workload
    from mjq._util import folders

    if page is not None:
        folders.refuse_existing(Path(page), force)
    if isinstance(reading["servers"], dict):
        if anonymous:
            raise click.UsageError("--anonymous is for one partition at a time: give --partition NAME")
        return _of_partitions(log, policy, seed, needs, page, as_json, reading)
    found = read(log, **reading)
    if anonymous:
        workload.write_classes(sys.stdout.buffer, workload.job_classes(found))
        return
    told = workload.report_on(found, policy, seed, needs, _progress)
    assert found.lines is not None  # of a log that was read from a file
    parts = [lines_used(found.lines), *_parts(told)]
    if page is not None:
        from mjq import plots

        pictures = (partial(picture, told) for picture in (plots.shares_of_capacity, plots.memory_of_log))
        sheet.write_page(page, "What can this machine really do?", parts, sheet.drawn(*pictures), PICTURE)
    if as_json:
        show_json(told.model_dump())
    else:
        click.echo(sheet.as_text(parts))


def _of_partitions(log, policy, seed, needs, page, as_json, reading):
    """Show what several partitions can do: the sum, and the report of each."""
    from mjq import workload

    logs, lines = read_parts(log, **reading)
    told = workload.report_by_partition(logs, policy, seed, needs, _progress, lines)
    parts = [lines_used(lines), _together(told, policy)]
    for name, one in told.partitions.items():
        parts += [f"PARTITION {name}", *_parts(one)]
    if page is not None:
        from mjq import plots

        def titled(draw, one, name, ax):
            draw(one, ax)
            ax.set_title(f"partition {name}", loc="left", pad=30)

        pictures = [
            partial(titled, picture, one, name)
            for name, one in told.partitions.items()
            for picture in (plots.shares_of_capacity, plots.memory_of_log)
        ]
        sheet.write_page(page, "What can these partitions really do?", parts, sheet.drawn(*pictures), PICTURE)
    if as_json:
        show_json(told.model_dump())
    else:
        click.echo(sheet.as_text(parts))


def _together(told, policy):
    """Return a row for each partition, and the sum."""
    rows = []
    for name, one in told.partitions.items():
        own = one.capacities.own_order
        load = one.load and one.load.load
        rows.append((name, one.jobs, one.servers, load, own.share, own.share_low, own.share_high, own.value,
                     own.wasted_servers))  # fmt: skip
    total = told.sum
    rows.append(
        ("sum", total.jobs, total.servers, total.load, total.share, None, None, total.capacity, total.wasted_servers)
    )
    rates = "jobs per\nhour at most", "servers\nwasted"
    head = "partition", "jobs", "servers", "load", "busy at\nmost", "from", "to", *rates
    title = f"Partitions under {policy}, in their own order, with 95 % intervals; the sum weighs shares by servers"
    return sheet.Table(title, head, rows, ("", "d", "g", ".3f", ".4f", ".4f", ".4f", ".4g", ".2f"))


def _progress(stage):
    """Print on a terminal what is computed now."""
    if sys.stderr.isatty():
        click.echo(f"… {STAGES[stage]}", err=True)


def _parts(told):
    """Yield the report for people, part by part, answer first."""
    yield f"{told.jobs} jobs on {told.servers:g} servers ({told.servers_from})"
    yield "\n".join(told.verdict)
    yield from _capacities(told)
    yield _memory(told.memory)
    if told.classes:
        yield _classes(told.classes)
    if told.binned:
        yield _binned(told.binned)
    if told.near_saturation:
        yield _near_saturation(told.near_saturation)
    if told.agreement:
        yield _agreement(told.agreement)
    if told.load:
        yield from _arrivals(told.load)
    yield "\n".join(told.notes)


def _arrivals(load):
    told = [f"{load.rate:.4g} jobs came per hour, with work for {load.load:.1%} of the servers."]
    spans = {"an hour": load.dispersion_by_hour, "a day": load.dispersion_by_day}
    varies = [f"in {span} {times:.3g} times" for span, times in spans.items() if times is not None]
    if varies:
        told.append(f"The number of arrivals varies {', '.join(varies)} as much as if they were Poisson.")
    yield " ".join(told)
    yield sheet.Table(
        "Work that came, as a share of the possible work",
        ("month", "load"),
        list(load.by_month.items()),
        ("", ".3f"),
    )
    if load.by_hour:
        yield sheet.Table("The same by hour of the day", ("hour", "load"), list(load.by_hour.items()), ("", ".3f"))


def _capacities(told):
    found = {name: getattr(told.capacities, key) for key, name in NAMES.items()}
    rows = [
        (name, one.value, one.low, one.high, one.share, one.share_low, one.share_high, one.wasted_servers)
        for name, one in found.items()
    ]
    head = "capacity", "jobs per hour", "from", "to", "of the naive", "from", "to", "servers wasted"
    formats = ("", ".4g", ".4g", ".4g", ".4f", ".4f", ".4f", ".2f")
    yield sheet.Table(f"Capacity under {told.policy}, with 95 % intervals", head, rows, formats)
    mean = told.mean_work
    ends = "" if mean.high is None else f" ({mean.low:.4g} to {mean.high:.4g})"
    yield "\n".join(
        [
            *(f"{name}: {one.assumes} (interval: {one.interval})" for name, one in found.items()),
            f"All four are for the mean work of a job in this log, {mean.value:.4g}{ends} server-hours.",
        ]
    )


def _memory(memory):
    blocks = [one.block for one in next(iter(memory.values()))]
    rows = [(str(block), *(curve[k].share for curve in memory.values())) for k, block in enumerate(blocks)]
    title = "Share of the naive capacity, if blocks of this many successive jobs are drawn from the log"
    return sheet.Table(title, ("jobs", *memory), rows, ("", ".4f", ".4f"))


def _classes(classes):
    rows = [(f"{one.need:g}", one.jobs, one.servers, one.beside, one.without, one.wastes) for one in classes]
    head = "need", "jobs", "servers used", "others beside it [1/h]", "without it [1/h]", "servers it wastes"
    title = "Needs that waste most: the servers that others could use without them, less those that they use"
    return sheet.Table(title, head, rows, ("", "d", ".2f", ".4f", ".4f", ".2f"))


def _near_saturation(found):
    title = (
        f"Exponential classes near their capacity: a job spends about {found.constant:.4g} / ({found.capacity:.4f} - "
        "arrivals per hour) hours in the system, if arrivals are Poisson"
    )
    return sheet.Table(title, ("of the capacity", "hours"), list(found.hours.items()), ("", ".2f"))


def _agreement(agreement):
    rows = [(one.policy, one.jobs, one.log, one.replay, one.same, one.fits_log, one.fits_replay) for one in agreement]
    head = (
        "policy", "jobs", "mean wait\nby the log [s]", "replayed [s]", "start within\na minute",
        "time a job waits that\nwould fit, by the log", "replayed",
    )  # fmt: skip
    title = "Replays against the waits of the log: look here before you believe a plan"
    return sheet.Table(title, head, rows, ("", "d", ".0f", ".0f", ".3f", ".3f", ".3f"))


def _binned(binned):
    rows = [
        (name, one.needs, f"{100 * one.own_order:+.1f}", f"{100 * one.independent:+.1f}")
        for name, one in (("taken together", binned.fewer), ("rounded up to powers of two", binned.rounded))
    ]
    head = "needs", "how many", "own order [%]", "independent [%]"
    return sheet.Table("Error of the capacity if needs are merged and the work is kept", head, rows, ("",) * len(head))
