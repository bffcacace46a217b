"""The ``replay`` command: a log under other policies."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from mjq_logs._util import atomic
from mjq_logs.cli import common, options, sheet

IN_ORDER = "on hosts jobs start in order of arrival"


class PolicyOption(options.Needing):
    """Name all policies in its help; to know them takes a compiler, which is loaded only where the help is shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the option and its help."""
        from mjq.simulation.policies import NAMES

        self.help = f"Replay the log under this policy: {', '.join(NAMES)}. Repeat to compare several policies."
        return super().get_help_record(ctx)


@click.command(cls=common.Command)
@options.log_argument
@options.log_options
@options.outage_options
@options.user_limit_option
@click.option(
    "--policy", "policies", cls=PolicyOption, type=options.PolicyName(), pool=IN_ORDER, multiple=True,
    default=("easy",), show_default=True, metavar="NAME",
)  # fmt: skip
@options.priority_option
@options.servers_option
@options.hosts_option
@click.option(
    "--estimates", cls=options.Needing, pool=IN_ORDER, default="log", show_default=True, metavar="log|FACTOR",
    help="Take the estimates of run times from the log, or make them this multiple of the true run times (1 = exact).",
)  # fmt: skip
@options.growth_option
@click.option(
    "--gantt", type=common.NewFile(), metavar="FILE", cls=options.Needing, pool=IN_ORDER, one_resource=True,
    help="Draw the schedule of each policy into this file, such as chart.svg or chart.png.",
)  # fmt: skip
@click.option(
    "--starts", type=common.NewFile(), metavar="FILE",
    help="Write the start of each job under each policy to this CSV file.",
)  # fmt: skip
@common.replace_option
@sheet.full_option
@common.json_option
def replay(log, policies, servers, hosts, estimates, growth, gantt, starts, full, as_json, **reading):
    """Replay a log under queueing policies and print how long its jobs wait.

    LOG is a file in the Standard Workload Format, the output of sacct, or a CSV or Parquet table; "-" is the standard
    input. A log of a million jobs takes about 0.4 GB of memory, and each further million about 0.1 GB.

    Jobs queue in order of arrival or, with --priority, by priority and then by arrival. Fair share is not modelled. A
    replay is a single sample. If two policies are close, jitter the submit times and replay again.

    With --unit cpus,mem and --servers 384,1.5TB, jobs need several resources at once, and the utilization is that of
    each. The command then says for how much of the time the first in the queue lacks only one of them, or several. Not
    every policy makes sense then; one that does not says why.

    With --hosts 48x12,20x80 each job must fit on one of 48 hosts of 12 servers and 20 of 80. Jobs then start in order
    of arrival, with best fit, with worst fit, and with best fit while 50 waiting jobs are in view: if the first one
    fits nowhere, others may start, without and with a host that is kept free for it. The first row is one pool. A job
    is hardest to place if no other fits on one host fewer times. The host is kept free to shorten the wait of such
    jobs, which has a column of its own.
    """
    import numpy as np
    import polars as pl

    from mjq._util import checks
    from mjq_logs.questions.replay import replay_on, replay_under

    if gantt and Path(gantt).suffix not in (".svg", ".png", ".pdf"):
        raise ValueError(f"--gantt must end in .svg, .png or .pdf, got {gantt}")
    growth = float(checks.positive("--growth", growth, ndim=0))
    if hosts is not None:
        made = replay_on(options.read(log, hosts=hosts, **reading), hosts, growth)
    else:
        made = replay_under(options.read(log, machine=servers, **reading), policies, growth, estimates, bool(gantt))
    if gantt:
        draw = partial(_draw, made.schedules)
        drawn = sheet.picture(Path(gantt).suffix[1:], draw, len(made.schedules), height=2.6, sharex=True, squeeze=False)
        atomic.write(Path(gantt), drawn)
    if starts:
        jobs = made.facts.log
        numbers = np.arange(1, len(jobs) + 1) if jobs.number is None else jobs.number
        atomic.write(Path(starts), pl.DataFrame({"job": numbers, **made.starts}).write_csv().encode())
    sheet.deliver(made.present(log), made.plain(), full, as_json)


def _draw(schedules, axes):
    from mjq import plots

    for ax, (policy, schedule) in zip(axes[:, 0], schedules.items(), strict=True):
        plots.gantt(schedule, ax)
        ax.set_title(policy)
        ax.set_xlabel("time [s]")
