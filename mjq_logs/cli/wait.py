"""The ``wait`` command: when one more job would start."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from mjq_logs.cli import sheet
from mjq_logs.cli.common import Command, json_option, note, page_option, quiet_option, replace_option, workers_option
from mjq_logs.cli.plan import Duration
from mjq_logs.cli.reading import (
    Need,
    calendar_option,
    log_argument,
    log_options,
    read,
    schema_option,
    servers_option,
)
from mjq_logs.cli.sheet import brief_time


@click.command(cls=Command)
@log_argument
@log_options
@click.option(
    "--need", metavar="N", type=Need(), required=True,
    help="Ask for a job that needs this many servers. Of several resources, give a number for each, such as 4,16GB.",
)  # fmt: skip
@click.option(
    "--limit", metavar="TIME", type=Duration(),
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
    "--policy", default="easy", show_default=True, metavar="NAME",
    help="Replay the jobs that run and wait under this policy; mjq replay --help lists them.",
)  # fmt: skip
@servers_option
@calendar_option
@page_option
@replace_option
@sheet.full_option
@json_option
@schema_option("StartForecast")
@workers_option
@quiet_option
def wait(log, need, limit, at, policy, servers, page, full, as_json, workers, quiet, **reading):
    """Forecast when one more job would start.

    The command takes the jobs that run and wait at a time of the log, and replays them with one more job. It also looks
    at what similar jobs have waited lately. It combines both in the way that has worked best in this log so far. The
    answer is a distribution. --full adds the record of such forecasts in the last third of the log. If the intervals
    held too few of these starts, they are not printed.

    LOG is read as in mjq capacity, whose help shows how to write such a log in Slurm. Jobs that run or wait while sacct
    writes the log are used, too. The forecasts of the past are kept in the user's cache folder, so that the same log is
    answered at once the next time.

    \b
      mjq wait jobs.txt --need 32 --limit 4h
      mjq wait jobs.txt --unit cpus,mem --servers 384,1.5TB --need 4,16GB --limit 4h
    """
    import mjq_logs

    cluster_log = read(log, servers=servers, **reading)
    if limit is None and cluster_log.estimate is not None:
        raise click.UsageError("give --limit of the job: the jobs of the log have limits")
    report = mjq_logs.forecast_start(
        cluster_log, need, limit, _seconds(at, cluster_log), policy,
        keep=_cache(), workers=workers, progress=not quiet and sys.stderr.isatty(),
    )  # fmt: skip
    sheet.deliver(_answer(log, cluster_log, report), report, full, as_json, page, "When one more job would start")


def _seconds(at, cluster_log):
    """Return a time of the log [s] for what the user typed."""
    from mjq_logs.reading.clock import as_moment

    try:
        return None if at is None else as_moment(cluster_log, at)
    except ValueError as error:
        raise ValueError(f"--at: {error}") from None


def _cache():
    """Return the folder in which forecasts of the past are kept; None if it cannot be written to."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mjq" / "forecasts"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        note(f"forecasts of the past are not kept: {folder}: {error.strerror}")
        return None
    if not os.access(folder, os.W_OK):
        note(f"forecasts of the past are not kept: {folder} cannot be written to")
        return None
    return folder


def _answer(path, log, report):
    """Return the forecast for people."""
    from mjq_logs.words import amount_in_words

    when = f"{report.date} ({report.at:.10g} s)" if report.date else f"second {report.at:.10g}"
    alone = " by the replays alone" if report.weight_of_rule is None else ""
    limit = "" if report.limit is None else f" with a limit of {brief_time(report.limit)}"
    sentences = [
        f"At {when} {_jobs(report.running, 'runs', 'run')} on {amount_in_words(report.busy)}, and "
        f"{_jobs(report.waiting, 'waits', 'wait')}. Starts are those of {report.starts}.",
        f"A job of {amount_in_words(report.need)}{limit} would wait {brief_time(report.median)} (median){alone}.",
        *(note for note in report.notes if note not in log.notes),
    ]
    more = {
        "what the forecast rests on": [] if report.weight_of_rule is None else [_rests(report)],
        "how good such forecasts were": [_record(report.record)] if report.record else [],
    }
    return sheet.answer(path, log, report.warnings, sentences, _intervals(report), more)


def _jobs(number, singular, plural):
    return f"{number} job {singular}" if number == 1 else f"{number} jobs {plural}"


def _intervals(report):
    """Return a table of the intervals, with how many starts of the record each held; None if there are none."""
    from mjq_logs.answers import Column

    if not report.intervals:
        return None
    return sheet.table(
        "Intervals of the wait, and the share of the starts in the last third of the log that they held",
        [],
        (Column("wait"), [" to ".join(map(brief_time, ends)) for ends in report.intervals.values()]),
        (Column("held", "%", ".0f"), report.record.within.values()),
        names=("interval", [f"{share} %" for share in report.intervals]),
    )


def _rests(report):
    """Say what the forecast rests on, and what each of these says."""
    from mjq_logs.words import percent

    share = report.weight_of_rule
    return (
        f"The forecast rests on two things. Replays under {report.policy} say {brief_time(report.by_rule)} (median), "
        f"and count {percent(share, 0)}. The last job like this one waited {brief_time(report.last_alike)}, which "
        f"counts {percent(1 - share, 0)}."
    )


def _record(record):
    """Say how good forecasts have been."""
    return (
        f"Record: {record.forecasts} starts in the last third of the log were forecast in the same way, each from what "
        f"was known at its time. The error of the median was {record.error:.2f}. The mean wait had "
        f"{record.error_of_mean:.2f}, the wait of the last job alike {record.error_of_last:.2f}, and the replays alone "
        f"{record.error_of_rule:.2f}.\n"
        "An error is the mean difference of log(1 + wait in minutes)."
    )
