"""The words for a plan: how many servers keep the waits of a log below a target."""

from __future__ import annotations

import re
import sys
from contextlib import nullcontext
from pathlib import Path

import click

from mjq.cli import sheet
from mjq.cli.reading import log_options, page_option, read, schema_option, told_of_lines
from mjq.cli.words import at_work_on, force_option, quiet_option, scheduler_option, show_json, workers_option

__all__ = ["plan"]

MISSED = 3  # exit status: no size meets the target
UNITS = {"s": 1 / 3600, "m": 1 / 60, "min": 1 / 60, "h": 1.0, "d": 24.0}
MOST_SIZES = 200
PICTURE = "Waits against the servers with the target, and against the load"


class Duration(click.ParamType):
    """Hours from texts such as 2h, 90min or 1d 12h."""

    name = "time"

    def convert(self, value: object, parameter: click.Parameter | None, context: click.Context | None) -> float:
        """Hours."""
        parts = re.findall(r"(\d+(?:\.\d+)?)\s*(s|min|m|h|d)", str(value))
        if "".join(str(value).split()) != "".join(number + unit for number, unit in parts) or not parts:
            self.fail(f"{value!r} is no time such as 2h, 90min or 1d12h", parameter, context)
        return sum(float(number) * UNITS[unit] for number, unit in parts)


class Sizes(click.ParamType):
    """Ends and number of a range of sizes such as 100:200 or 100:200:11."""

    name = "from:to[:how many]"

    def convert(
        self, value: object, parameter: click.Parameter | None, context: click.Context | None
    ) -> tuple[float, float, int | None]:
        """(low, high, count or None)."""
        try:
            low, high, *count = str(value).split(":")
            (count,) = [int(x) for x in count] or [None]
            low, high = float(low), float(high)
        except ValueError:
            self.fail(f"{value!r} is no range such as 100:200 or 100:200:11", parameter, context)
        if not 0 < low <= high < float("inf") or (count is not None and not 1 <= count <= MOST_SIZES):
            self.fail(f"{value!r}: sizes rise from more than 0, and are at most {MOST_SIZES}", parameter, context)
        return low, high, count


@click.command()
@click.argument("log", type=click.Path(allow_dash=True))
@log_options
@click.option(
    "--target-wait", "target", type=Duration(), required=True, metavar="TIME", help="Such as 2h, 90min, 1d12h."
)
@click.option(
    "--percentile", type=click.FloatRange(0, 100, min_open=True), default=90.0, show_default=True,
    help="So many per cent of the jobs are to wait at most so long.",
)  # fmt: skip
@click.option(
    "--policy", "policies", multiple=True, default=("easy",), show_default=True, metavar="NAME",
    help="As for mjq replay; several are compared.",
)  # fmt: skip
@click.option(
    "--servers", "sizes", type=Sizes(), metavar="A:B[:HOW MANY]",
    help="Sizes to try, ten unless said otherwise; by default from three quarters to twice those of the log.",
)  # fmt: skip
@click.option(
    "--growth", type=click.FloatRange(min=0, min_open=True), default=1.0, show_default=True,
    help="Jobs come so many times as fast as in the log.",
)  # fmt: skip
@click.option(
    "--node", type=click.FloatRange(min=0, min_open=True), default=1.0, show_default=True, help="Servers of a node."
)
@click.option(
    "-o", "output", type=click.Path(dir_okay=False),
    help="Write the plan there as JSON; stopped before, the same command goes on with the replays that are missing.",
)  # fmt: skip
@page_option
@click.option("--json", "as_json", is_flag=True, help="JSON in place of tables.")
@schema_option("Plan")
@click.option("--anonymous", is_flag=True, help="Print the table of classes as CSV and nothing else: it can be shared.")
@workers_option
@scheduler_option
@force_option
@quiet_option
def plan(
    log, target, percentile, policies, sizes, growth, node, output, page, as_json, anonymous,
    workers, scheduler, force, quiet, **reading,
):  # fmt: skip
    """How many servers keep the waits of a log below a target?

    The log is replayed on machines of many sizes, and on the smallest that meets the target with less and more load.
    The exit status is 3 if no size does. LOG is read as by mjq capacity, whose help has the line for Slurm.

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
    with nullcontext() if workers is scheduler is None else at_work_on(workers, scheduler) as crew:
        told = workload.planned(
            found, target, policies, sizes, percentile=percentile, growth=growth, node=node,
            output=output, workers=crew, force=force, progress=not quiet and sys.stderr.isatty(),
        )  # fmt: skip
    if page is not None:
        from mjq import plots

        svg = sheet.drawn(lambda ax: plots.waits_by_size(told, ax), lambda ax: plots.waits_by_load(told, ax))
        sheet.write_page(page, "How many servers?", _parts(told), svg, PICTURE)
    if as_json:
        show_json(told.model_dump())
    else:
        click.echo(sheet.as_text(_parts(told)))
    return 0 if told.met else MISSED


def _parts(told):
    """The plan for people, part by part."""
    if told.lines:
        from mjq.workload import Lines

        yield told_of_lines(Lines(**told.lines.model_dump()))
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
    waits = _hours(row.waits.mean), _hours(row.waits.percentile)
    return [f"{row.servers:g}", row.load, *waits, verdict, _minutes(row.one_node_more.mean), exact]


def _hours(found):
    return f"{found.value:.3g}" + ("" if found.low is None else f" ({found.low:.3g} to {found.high:.3g})")


def _minutes(found):
    ends = "" if found.low is None else f" ({60 * found.low:.3g} to {60 * found.high:.3g})"
    return f"{60 * found.value:.3g}{ends}"


def _by_load(one, told):
    head = "as fast", "load", "mean wait [h]", f"{told.percentile:g} % wait\nat most [h]"
    rows = [[f"{row.growth:.3g}", row.load, _hours(row.waits.mean), _hours(row.waits.percentile)] for row in one.loads]
    title = f"{one.servers:g} servers under {one.policy}, if jobs come so many times as fast as in the log"
    return sheet.Table(title, head, rows, ("", ".3f"))
