"""The ``wait`` command: when one more job would start."""

from __future__ import annotations

import sys

import click

from mjq_logs.cli import common, options, sheet


@click.command(cls=common.Command)
@options.log_argument
@options.log_options
@click.option(
    "--need", metavar="N", type=options.Need(), required=True,
    help="Ask for a job that needs this many servers. Of several resources, give a number for each, such as 4,16GB.",
)  # fmt: skip
@click.option(
    "--limit", metavar="TIME", type=options.Duration(),
    help="Ask for a job with this limit of its run time, such as 4h, 90min or 1d12h. In a log without limits no job "
    "has one; give --policy fcfs or first-fit then.",
)  # fmt: skip
@click.option(
    "--at", metavar="TIME",
    help="Forecast from this time of the log: seconds as in the log, or a date such as 2025-06-01T12:00+02:00, without "
    "the zone where the log has dates without one, or names its own. By default it is the time when the log was "
    "taken, or that of the last submission.",
)  # fmt: skip
@click.option(
    "--policy", type=options.PolicyName(), default="easy", show_default=True, metavar="NAME",
    help="Replay the jobs that run and wait under this policy; mjq replay --help lists them.",
)  # fmt: skip
@options.servers_option
@options.calendar_option
@common.page_option
@common.replace_option
@sheet.full_option
@common.json_option
@options.schema_option("StartForecast")
@common.workers_option
@common.quiet_option
def wait(log, need, limit, at, policy, servers, page, full, as_json, workers, quiet, **reading):
    """Forecast when one more job would start.

    The command takes the jobs that run and wait at a time of the log, and replays them with one more job. It also looks
    at what similar jobs have waited lately. It combines both in the way that has worked best in this log so far. The
    answer is a distribution. --full adds the record of such forecasts in the last third of the log. If the intervals
    held too few of these starts, they are not printed.

    LOG is read as in mjq capacity, whose help shows how to write such a log in Slurm. Jobs that run or wait while sacct
    writes the log are used, too.

    \b
      mjq wait jobs.txt --need 32 --limit 4h
      mjq wait jobs.txt --unit cpus,mem --servers 384,1.5TB --need 4,16GB --limit 4h
    """
    import mjq_logs
    from mjq_logs.questions.wait.present import present

    facts = options.read(log, servers=servers, **reading)
    cluster_log = facts.log
    if limit is None and cluster_log.estimate is not None:
        raise click.UsageError("give --limit of the job: the jobs of the log have limits")
    report = mjq_logs.forecast_start(
        facts, need, limit, options.moment(cluster_log, "--at", at), policy,
        workers=workers, progress=not quiet and sys.stderr.isatty(),
    )  # fmt: skip
    sheet.deliver(present(log, facts, report), report, full, as_json, page)
