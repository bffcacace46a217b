"""The ``plan`` command: how many servers keep the waits of a log below a target."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from mjq._util.plain import brief
from mjq_logs._util import atomic
from mjq_logs.cli import common, options, sheet

MISSED = 3  # exit status: no size meets the target
MOST_SIZES, SIZES = 200, 10


one_unit = options.taken_by("mjq_logs.reading.vectors", "one_unit")


class Sizes(options.Machine):
    """Read a range of sizes such as 100:200 or 100:200:11, a number of servers, or a file of hosts."""

    name, wanted = "sizes", "a range such as 100:200 or 100:200:11"

    def convert(self, value: object, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        """Return the ends of a range and how many sizes are tried or, of a number without a colon, itself."""
        if ":" not in str(value) or options.is_file(value):
            return super().convert(value, parameter, context)
        try:
            first, last, *rest = str(value).split(":")
            (count,) = [int(x) for x in rest] or [SIZES]
        except ValueError:
            self.fail(f"{brief(value)} is not {self.wanted}", parameter, context)
        low, high = (options.sizes_in([end], options.units_in(context)) for end in (first, last))
        if low is None or high is None or not low <= high or not 1 <= count <= MOST_SIZES:
            self.fail(
                f"{brief(value)} is not a range of at most {MOST_SIZES} rising positive sizes", parameter, context
            )
        return low[0], high[0], count


@click.command(cls=common.Command)
@options.log_argument
@partial(options.log_options, unit=options.unit_option("UNIT", "", one_unit))
@click.option(
    "--target-wait", "target", type=options.Duration(), metavar="TIME",
    help="Keep waits at or below this time, such as 2h, 90min or 1d12h. It may be left out if a what-if is given.",
)  # fmt: skip
@click.option(
    "--percentile", metavar="PERCENT", type=click.FloatRange(0, 100, min_open=True), default=90.0, show_default=True,
    help="Require that this share of the jobs meets the target wait, in percent.",
)  # fmt: skip
@click.option(
    "--policy", "policies", type=options.PolicyName(), multiple=True, default=("easy",), show_default=True,
    metavar="NAME",
    help="Plan for this policy; mjq replay --help lists them. Repeat to compare several policies.",
)  # fmt: skip
@click.option(
    "--servers", "sizes", type=Sizes(), metavar="A:B[:HOW MANY]",
    help="Try sizes from A to B servers, ten of them unless HOW MANY is given. By default they go from three quarters "
    "of the servers of the log to twice as many. N alone is the machine as it is, and so is a file "
    "of hosts, as for mjq capacity --hosts, with what they have together.",
)  # fmt: skip
@click.option(
    "--cap", "caps", metavar="N", type=options.Need(), multiple=True,
    help="What if no job had more than N servers? Larger ones run on N, longer, with the same work.",
)  # fmt: skip
@click.option(
    "--estimates", type=click.Choice(["exact"]),
    help="What if users knew the run times of their jobs exactly?",
)  # fmt: skip
@click.option(
    "--without", "absent", metavar="NEED", type=options.Need(), multiple=True,
    help="What if there were no jobs of exactly NEED servers?",
)  # fmt: skip
@options.growth_option
@options.outage_options
@options.user_limit_option
@click.option(
    "--node", metavar="N", type=click.FloatRange(min=0, min_open=True), default=1.0, show_default=True,
    help="Add servers in steps of this many, the servers of a node.",
)  # fmt: skip
@click.option(
    "-o", "output", type=common.NewFile(),
    help="Write the plan to this file as JSON.",
)  # fmt: skip
@sheet.full_option
@common.page_option
@common.json_option
@options.schema_option("Plan")
@options.anonymous_option
@common.workers_option
@common.replace_option
@common.quiet_option
def plan(
    log, target, percentile, policies, sizes, caps, estimates, absent, growth, node, output,
    full, page, as_json, anonymous, workers, quiet, **reading,
):  # fmt: skip
    """Find how many servers keep the waits of a log below a target.

    The command replays the log on machines of many sizes. It then replays the log on the smallest machine that meets
    the target, with less and with more load. The exit status is 3 if no size meets the target.

    What-ifs (--cap, --estimates, --without) are each tried alone, on the machine of the log. The command compares the
    waits of the same jobs with and without the change. With a target, it also finds the smallest size that meets it
    under the change.

    One resource is counted, which --unit names, and the machine is one pool.

    LOG is read as in mjq capacity, whose help shows how to write such a log in Slurm.

    \b
      mjq plan jobs.txt --target-wait 2h --servers 100:200 --growth 1.2
      mjq plan jobs.txt --cap 32 --estimates exact
    """
    import mjq_logs
    from mjq_logs.questions.plan.present import present

    asks = bool(caps or absent or estimates)
    if target is None and not asks and not anonymous:
        raise click.UsageError("give --target-wait, or a what-if: --cap, --estimates or --without")
    facts = options.read(log, servers=None if isinstance(sizes, tuple) else sizes, **reading)
    cluster_log = facts.log
    if anonymous:
        options.show_classes(cluster_log)
        return 0
    changes = [mjq_logs.cap(cluster_log, cap) for cap in caps]
    changes += [mjq_logs.with_exact_estimates(cluster_log)] if estimates else []
    changes += [mjq_logs.without_need(cluster_log, need) for need in absent]
    tried = None
    if isinstance(sizes, tuple):
        low, high, count = sizes
        tried = mjq_logs.sizes_between(cluster_log, low, high, count, node)
    result = mjq_logs.plan(
        facts, target, policies, tried, changes=changes, percentile=percentile, growth=growth, node=node,
        workers=workers, progress=not quiet and sys.stderr.isatty(),
    )  # fmt: skip
    if output is not None:
        atomic.write(Path(output), (result.model_dump_json(indent=1) + "\n").encode())
    sheet.deliver(present(log, facts, result), result, full, as_json, page)
    return 0 if result.met else MISSED
