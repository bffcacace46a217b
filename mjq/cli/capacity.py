"""The words for the capacity of a machine by its log."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from mjq.cli import sheet
from mjq.cli.reading import log_options, page_option, read, schema_option, told_of_lines
from mjq.cli.words import force_option, show_json

__all__ = ["capacity"]

NAMES = {
    "naive": "naive",
    "exponential": "exponential classes",
    "independent": "independent jobs",
    "own_order": "own order",
}
HELP = """How much work a machine can really do, by its log.

Four answers that differ in what they assume, the servers that are wasted, the needs that waste them, and how well
replays agree with the log. LOG is in the Standard Workload Format, from sacct, or a table, CSV or Parquet; "-" is the
standard input. A log of a million jobs takes about half a gigabyte of memory, each further million about 0.3 GB. For
Slurm, this line asks for what is needed, and for no names:

\b
""" + (
    "SLURM_TIME_FORMAT=%s sacct -a -X -D -P --delimiter=';' -S 2025-01-01 -E now \\\n"
    "  -o JobIDRaw,State,Submit,Eligible,Start,End,ElapsedRaw,TimelimitRaw,NNodes,AllocCPUS,AllocTRES,Partition,"
    "Flags \\\n"
    "  > jobs.txt"
)
PICTURE = "The four capacities as shares of the naive one, and the share against how many jobs are drawn in a row"
STAGES = {
    "naive": "the naive capacity", "exponential": "exponential classes", "independent": "jobs drawn at random",
    "own_order": "the log in its own order", "memory": "jobs drawn in blocks", "classes": "the log without each class",
    "waits": "replays with the times of arrival",
}  # fmt: skip


@click.command(help=HELP)
@click.argument("log", type=click.Path(allow_dash=True))
@log_options
@click.option("--servers", type=click.FloatRange(min=0, min_open=True), help="By default what the log says.")
@click.option(
    "--policy", type=click.Choice(["fcfs", "easy"]), default="fcfs", show_default=True,
    help="Of the four capacities; the curve from independent jobs to the own order is shown for both.",
)  # fmt: skip
@click.option(
    "--needs", type=click.IntRange(1), help="Also: at most so many needs in place of all, and how wrong that is."
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Of the simulations.")
@page_option
@force_option
@click.option("--json", "as_json", is_flag=True, help="JSON in place of tables.")
@schema_option("Report")
@click.option("--anonymous", is_flag=True, help="Print the table of classes as CSV and nothing else: it can be shared.")
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
    found = read(log, **reading)
    if anonymous:
        workload.write_classes(sys.stdout.buffer, workload.job_classes(found))
        return
    told = workload.report_on(found, policy, seed, needs, _progress)
    parts = [told_of_lines(found.lines), *_parts(told)]
    if page is not None:
        from mjq import plots

        pictures = (partial(picture, told) for picture in (plots.shares_of_capacity, plots.memory_of_log))
        sheet.write_page(page, "What can this machine really do?", parts, sheet.drawn(*pictures), PICTURE)
    if as_json:
        show_json(told.model_dump())
    else:
        click.echo(sheet.as_text(parts))


def _progress(stage):
    """Say on a terminal what is computed now."""
    if sys.stderr.isatty():
        click.echo(f"… {STAGES[stage]}", err=True)


def _parts(told):
    """The report for people, part by part, answer first."""
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
        "Work that came, of what the servers could do", ("month", "load"), list(load.by_month.items()), ("", ".3f")
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
    title = "Share of the naive capacity, if so many successive jobs are drawn from the log at a time"
    return sheet.Table(title, ("jobs", *memory), rows, ("", ".4f", ".4f"))


def _classes(classes):
    rows = [(f"{one.need:g}", one.jobs, one.servers, one.beside, one.without, one.wastes) for one in classes]
    head = "need", "jobs", "servers used", "others beside it [1/h]", "without it [1/h]", "servers it wastes"
    title = "Needs that waste most: servers that the others could use without them, less those that they use"
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
    return sheet.Table("Fewer needs, work kept: by how much the capacity is then wrong", head, rows, "")
