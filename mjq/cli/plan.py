"""The ``plan`` command: how many servers keep the waits of a log below a target."""

from __future__ import annotations

import re
import sys
from contextlib import nullcontext
from pathlib import Path

import click

from mjq._util.plain import brief
from mjq.cli import sheet
from mjq.cli.common import (
    Command,
    connect_workers,
    force_option,
    json_option,
    page_option,
    quiet_option,
    scheduler_option,
    show_json,
    workers_option,
)
from mjq.cli.reading import (
    anonymous_option,
    growth_option,
    lines_used,
    log_options,
    outage_options,
    read,
    schema_option,
)

__all__ = ["Duration", "plan"]

MISSED = 3  # exit status: no size meets the target
UNITS = {"s": 1 / 3600, "m": 1 / 60, "min": 1 / 60, "h": 1.0, "d": 24.0}
MOST_SIZES = 200


class Duration(click.ParamType):
    """Read a duration such as 2h, 90min or 1d 12h as a number of hours."""

    name = "time"

    def convert(self, value: object, parameter: click.Parameter | None, context: click.Context | None) -> float:
        """Return the hours."""
        parts = re.findall(r"(\d+(?:\.\d+)?)\s*(s|min|m|h|d)", str(value))
        if "".join(str(value).split()) != "".join(number + unit for number, unit in parts) or not parts:
            self.fail(f"{brief(value)} is not a time such as 2h, 90min or 1d12h", parameter, context)
        return sum(float(number) * UNITS[unit] for number, unit in parts)


class Sizes(click.ParamType):
    """Read a range of sizes such as 100:200 or 100:200:11."""

    name = "from:to[:how many]"

    def convert(
        self, value: object, parameter: click.Parameter | None, context: click.Context | None
    ) -> tuple[float, float, int | None]:
        """Return the lowest size, the highest, and how many there are, or None."""
        try:
            first, last, *rest = str(value).split(":")
            count = None
            if rest:
                (count,) = [int(x) for x in rest]
            low, high = float(first), float(last)
        except ValueError:
            self.fail(f"{brief(value)} is not a range such as 100:200 or 100:200:11", parameter, context)
        if not 0 < low <= high < float("inf") or (count is not None and not 1 <= count <= MOST_SIZES):
            self.fail(
                f"{brief(value)} is not a range of at most {MOST_SIZES} rising positive sizes", parameter, context
            )
        return low, high, count


@click.command(cls=Command)
@click.argument("log", type=click.Path(allow_dash=True))
@log_options
@click.option(
    "--target-wait", "target", type=Duration(), required=True, metavar="TIME",
    help="Keep waits at or below this time, such as 2h, 90min or 1d12h.",
)  # fmt: skip
@click.option(
    "--percentile", metavar="PERCENT", type=click.FloatRange(0, 100, min_open=True), default=90.0, show_default=True,
    help="Require that this share of the jobs meets the target wait, in percent.",
)  # fmt: skip
@click.option(
    "--policy", "policies", multiple=True, default=("easy",), show_default=True, metavar="NAME",
    help="Plan for this policy; mjq replay --help lists them. Repeat to compare several policies.",
)  # fmt: skip
@click.option(
    "--servers", "sizes", type=Sizes(), metavar="A:B[:HOW MANY]",
    help="Try sizes from A to B servers, ten of them unless HOW MANY is given. By default they go from three quarters "
    "of the servers of the log to twice as many.",
)  # fmt: skip
@growth_option
@outage_options
@click.option(
    "--node", metavar="N", type=click.FloatRange(min=0, min_open=True), default=1.0, show_default=True,
    help="Add servers in steps of this many, the servers of a node.",
)  # fmt: skip
@click.option(
    "-o", "output", type=click.Path(dir_okay=False),
    help="Write the plan to this file as JSON. If the command is interrupted, repeat it to resume.",
)  # fmt: skip
@page_option
@json_option
@schema_option("Plan")
@anonymous_option
@workers_option
@scheduler_option
@force_option
@quiet_option
def plan(
    log, target, percentile, policies, sizes, growth, node, output, page, as_json, anonymous,
    workers, scheduler, force, quiet, **reading,
):  # fmt: skip
    """Find how many servers keep the waits of a log below a target.

    The command replays the log on machines of many sizes. It then replays the log on the smallest machine that meets
    the target, with less and with more load. The exit status is 3 if no size meets the target.

    LOG is read as in mjq capacity, whose help shows how to write such a log in Slurm.

    \b
      mjq plan jobs.txt --target-wait 2h --servers 100:200 --growth 1.2
    """
    from mjq import workload
    from mjq._util import folders

    if page is not None:
        folders.refuse_existing(Path(page), force)
    found = read(log, **reading)
    if anonymous:
        workload.write_classes(sys.stdout.buffer, workload.job_classes(found))
        return 0
    if sizes is not None:
        low, high, count = sizes
        sizes = workload.sizes_between(found, low, high, **({} if count is None else {"count": count}), node=node)
    with nullcontext() if workers is scheduler is None else connect_workers(workers, scheduler) as crew:
        told = workload.planned(
            found, target, policies, sizes, percentile=percentile, growth=growth, node=node,
            output=output, workers=crew, force=force, progress=not quiet and sys.stderr.isatty(),
        )  # fmt: skip
    if page is not None:
        _write_page(page, log, found, told)
    if as_json:
        show_json(told.model_dump())
    else:
        click.echo(sheet.as_text(_parts(told)))
    return 0 if told.met else MISSED


def _write_page(page, log, found, told):
    """Write the plan as a page: the answer, four charts, then all parts."""
    from mjq import plots

    goal, answer = f"{told.percentile:g} % wait at most", told.policies[0].verdict
    charts = [
        sheet.Chart(f"{goal}, against the servers", lambda ax: plots.waits_by_size(told, ax)),
        sheet.Chart("Mean wait, against the servers", lambda ax: plots.waits_by_size(told, ax, "mean")),
        sheet.Chart(f"{goal}, against the load", lambda ax: plots.waits_by_load(told, ax)),
        sheet.Chart("Mean wait, against the load", lambda ax: plots.waits_by_load(told, ax, "mean")),
    ]
    answer = answer if len(told.policies) == 1 else [one.verdict[0] for one in told.policies]
    parts = _parts(told.model_copy(update={"warning": None}))
    sheet.write_page(page, "How many servers?", sheet.facts(log, found), answer[:3], charts, parts, told.warning)


def _parts(told):
    """Yield the plan for people, part by part."""
    if told.warning:
        yield told.warning
    if told.lines:
        yield lines_used(told.lines)
    machine = f", on {told.servers:g} servers ({told.servers_from})" if told.servers else ""
    yield "\n".join([f"{told.jobs} jobs{machine}", *told.notes])
    if told.real_waits:
        yield "\n".join(told.real_waits)
    for one in told.policies:
        yield "\n".join(one.verdict)
        yield _by_size(one, told)
        if one.loads:
            yield _by_load(one, told)
    yield "\n".join(["All of this assumes:", *(f"- {sentence}" for sentence in told.assumes)])


def _by_size(one, told):
    head = (
        "servers", "load", "mean wait [h]", f"{told.percentile:g} % wait\nat most [h]", "target",
        f"{told.node:g} more\nsaves [min]", "exact estimates\nsave [min]",
    )  # fmt: skip
    title = f"Waits under {one.policy}, with 95 % intervals; what is saved is of the mean wait"
    return sheet.Table(title, head, [_size(row) for row in one.sizes], ("", ".3f"))


def _size(row):
    if row.waits is None:
        return [f"{row.servers:g}", row.load, None, None, f"too small for {row.too_large}", None, None]
    near = "met, but near" if row.waits.percentile.high is not None else "met"
    verdict = "met" if row.surely else near if row.meets else "missed"
    exact = row.exact_estimates and _minutes(row.exact_estimates.mean)
    waits = sheet.hours(row.waits.mean), sheet.hours(row.waits.percentile)
    return [f"{row.servers:g}", row.load, *waits, verdict, _minutes(row.one_node_more.mean), exact]


def _minutes(found):
    ends = "" if found.low is None else f" ({60 * found.low:.3g} to {60 * found.high:.3g})"
    return f"{60 * found.value:.3g}{ends}"


def _by_load(one, told):
    head = "growth", "load", "mean wait [h]", f"{told.percentile:g} % wait\nat most [h]"
    rows = [
        [f"{row.growth:.3g}", row.load, sheet.hours(row.waits.mean), sheet.hours(row.waits.percentile)]
        for row in one.loads
    ]
    title = f"{one.servers:g} servers under {one.policy}; with growth 2 jobs come twice as fast as in the log"
    return sheet.Table(title, head, rows, ("", ".3f"))
