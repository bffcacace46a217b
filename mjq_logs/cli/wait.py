"""The ``wait`` command: when one more job would start, and how good promised starts were."""

from __future__ import annotations

import os
import sys
from itertools import product
from pathlib import Path

import click

from mjq_logs.cli import judging, sheet
from mjq_logs.cli.common import Command, json_option, note, page_option, quiet_option, replace_option, workers_option
from mjq_logs.cli.plan import Duration
from mjq_logs.cli.reading import (
    Need,
    calendar_option,
    hours_options,
    log_argument,
    log_options,
    queue_limit_option,
    read,
    rules_under,
    schema_option,
    servers_option,
)
from mjq_logs.cli.sheet import brief_time


@click.command(cls=Command)
@log_argument
@log_options
@click.option(
    "--need", "needs", multiple=True, metavar="N", type=Need(),
    help="Ask for a job that needs this many servers. Of several resources, give a number for each, such as 4,16GB. "
    "Repeat for more jobs.",
)  # fmt: skip
@click.option(
    "--limit", "limits", multiple=True, metavar="TIME", type=Duration(),
    help="Ask for a job with this limit of its run time, such as 4h, 90min or 1d12h. Repeat for more jobs. In a log "
    "without limits no job has one; give --policy fcfs or first-fit then.",
)  # fmt: skip
@click.option(
    "--at", metavar="TIME",
    help="Forecast from this time of the log: a date such as 1997-06-01T12:00, or seconds as in the log. By default it "
    "is the time when the log was taken, or that of the last submission.",
)  # fmt: skip
@click.option(
    "--policy", default="easy", show_default=True, metavar="NAME",
    help="Replay the jobs that run and wait under this policy; mjq replay --help lists them.",
)  # fmt: skip
@servers_option
@calendar_option
@hours_options
@queue_limit_option
@click.option(
    "--queue", metavar="NAME",
    help="Ask for a job of this queue, with whose limit by --queue-limit it starts. By default it has no such limit.",
)  # fmt: skip
@click.option(
    "--within", multiple=True, metavar="TIME", type=Duration(),
    help="Print the probability of a start within this time. Repeat for more times. The default is 1min, 15min, 1h, 4h "
    "and 1d.",
)  # fmt: skip
@click.option(
    "--table", is_flag=True,
    help="Print a table for many needs and limits. By default they are those that are usual in the log. Forecasts that "
    "do not differ share a row.",
)  # fmt: skip
@click.option(
    "--against", metavar="FILE", type=click.Path(exists=True, dir_okay=False),
    help="Judge the promised starts in this file by the starts in the log, in place of a forecast. The file is a CSV "
    "table with the columns time, job and start, and perhaps low and high, or has lines of the time, the job and the "
    "start with | between them, as squeue --start prints them.",
)  # fmt: skip
@page_option
@replace_option
@sheet.full_option
@json_option
@schema_option("StartForecasts", "PromisesJudged")
@workers_option
@quiet_option
def wait(
    log, needs, limits, at, policy, servers, queue, within, table, against, page, full, as_json, workers, quiet,
    **reading,
):  # fmt: skip
    """Forecast when one more job would start.

    The command takes the jobs that run and wait at a time of the log, and replays them with one more job. It also looks
    at what similar jobs have waited lately. It combines both in the way that has worked best in this log so far, and
    corrects the result by the errors of earlier forecasts. The answer is a distribution. Replays keep the hours and the
    passes of the scheduler that are learned from the first two thirds of the log. --full adds the record of such
    forecasts in the last third, whose jobs taught nothing. If the intervals held too few or too many of the latest
    starts, the first lines say so.

    LOG is read as in mjq capacity, whose help shows how to write such a log in Slurm. Jobs that run or wait while sacct
    writes the log are used, too. The forecasts of the past are kept in the user's cache folder, so that the same log is
    answered at once the next time.

    With --against, the command judges what squeue --start, or anybody else, has promised: by how much the promises were
    off, in which direction, and by how far ahead. Beside them stands what mjq would have promised at the same times,
    and what simple guesses would have been.

    \b
      mjq wait jobs.txt --need 32 --limit 4h
      mjq wait jobs.txt --table
      mjq wait jobs.txt --unit cpus,mem --servers 384,1.5TB --need 4,16GB --limit 4h
      mjq wait jobs.txt --against starts.csv
    """
    import mjq_logs
    from mjq_logs.forecast.record import LAST_PART
    from mjq_logs.forecast.table import usual as usual_jobs

    if against is not None and (needs or limits or within or table or at is not None or queue is not None):
        raise click.UsageError(
            "--against judges promises that were made, and takes no --need, --limit, --at, --queue, --within or --table"
        )
    reading |= rules_under([policy], reading["hours"])
    cluster_log = read(log, servers=servers, taught_by=LAST_PART, **reading)
    work = dict(keep=_cache(), workers=workers, progress=not quiet and sys.stderr.isatty())
    if against is not None:
        promises = mjq_logs.read_promises(against, cluster_log)
        judged = mjq_logs.judge_promises(cluster_log, promises, policy, **work)
        answer = judging.answer(log, cluster_log, against, judged)
        title = f"{Path(against).name}: how good promised starts were"
        sheet.deliver(answer, judged, full, as_json, page, title, judging.charts(judged))
        return
    if table:
        needs, limits = (asked or usual for asked, usual in zip((needs, limits), usual_jobs(cluster_log), strict=True))
    elif not needs or not (limits or cluster_log.estimate is None):
        raise click.UsageError(
            "give --need and --limit of the job, --table for many at once, or --against to judge promises"
        )
    cases = list(product(needs, limits or [None]))
    of_jobs, their_limits = [need for need, _ in cases], [limit for _, limit in cases] if limits else None
    report = mjq_logs.forecast_starts(
        cluster_log, of_jobs, their_limits, _seconds(at, cluster_log), policy,
        queue=queue, **({"within": within} if within else {}), **work,
    )  # fmt: skip
    title = "When one more job would start"
    sheet.deliver(_answer(log, cluster_log, report, table), report, full, as_json, page, title)


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


def _answer(path, log, report, pool):
    """Return the forecasts for people."""
    from mjq_logs.words import amount_in_words

    warnings = [_growing(report.queue)] if report.queue is not None and report.queue.grows else []
    when = f"{report.date} ({report.at:.10g} s)" if report.date else f"second {report.at:.10g}"
    sentences = [
        f"At {when} {_jobs(report.running, 'runs', 'run')} on {amount_in_words(report.busy)}, and "
        f"{_jobs(report.waiting, 'waits', 'wait')}. Starts are those of {report.starts}."
    ]
    first, *others = report.forecasts
    if not others:
        alone = "" if first.intervals else " by the replays alone"
        limit = "" if first.limit is None else f" with a limit of {brief_time(first.limit)}"
        sentences.append(
            f"A job of {amount_in_words(first.need)}{limit} would wait {brief_time(first.median)} (median){alone}."
        )
    sentences += [note for note in report.notes if note not in log.notes]
    rows = _pooled(report.forecasts) if pool else report.forecasts
    if len(rows) < len(report.forecasts):
        sentences.append(
            f"{len(report.forecasts)} forecasts are in {len(rows)} rows. Forecasts that differ by less than a fifth "
            "share a row, and so do those in which a longer job would start before a shorter one: that is chance."
        )
    more = {
        "what the forecast rests on": _rests(report, first if not others else None),
        "how good such forecasts were": list(_record(report.record)) if report.record else [],
    }
    table = _table(rows) if others or first.intervals else None
    return sheet.answer(path, log, [*warnings, *report.warnings], sentences, table, more)


def _growing(queue):
    """Say that the queue grows."""
    lately, before, now = map(brief_time, (queue.lately, queue.before, queue.work))
    return (
        "The queue grows, so jobs may wait longer than is forecast here. Half of the last "
        f"{brief_time(queue.hours)} the jobs that waited asked for {lately} of all servers or more. Before, it was at "
        f"most {before} for 95 % of the time. Now it is {now}."
    )


def _jobs(number, singular, plural):
    return f"{number} job {singular}" if number == 1 else f"{number} jobs {plural}"


def _pooled(forecasts):
    """Return forecasts, each for a range of needs and limits, in words."""
    from mjq_logs.forecast.table import pooled
    from mjq_logs.words import size_in_words

    def between(ends, shown):
        return None if ends[0] is None else " to ".join(dict.fromkeys(map(shown, ends)))

    return [
        row.forecast.model_copy(
            update=dict(need=between(row.needs, size_in_words), limit=between(row.limits, brief_time))
        )
        for row in pooled(forecasts)
    ]


def _table(rows):
    """Return the forecasts of jobs, a job a row: ends of intervals, and probabilities of a start."""
    from mjq_logs.answers import Column

    more = [
        (Column(f"{share} %"), [" to ".join(map(brief_time, row.intervals[share])) for row in rows])
        for share in rows[0].intervals
    ]
    more += [
        (Column(f"within\n{brief_time(at.wait)}", "%", ".0f"), [row.within[k].probability for row in rows])
        for k, at in enumerate(rows[0].within)
    ]
    title = "Wait of one more job: the median, the ends of intervals, and the probability of a start"
    return sheet.table(title, rows, *more)


def _rests(report, single):
    """Say what the forecasts rest on and, of a single one, what each of these says."""
    from mjq_logs.words import percent

    share, replays = report.weight_of_rule, f"replays under {report.policy}"
    if share is None:
        return []
    if report.rule_alone:
        words = f"the {replays} alone: lately they have been clearly better than what similar jobs had waited."
    elif share == 1:
        words = f"the {replays} alone: no recent wait has improved them so far."
    elif share == 0:
        words = f"recent waits alone: {replays} have not improved them so far."
    else:
        words = (
            f"two things: {replays} count {percent(share, 0)}, and the wait of the last job like this one counts "
            f"{percent(1 - share, 0)}."
        )
    each = single and (
        f"The replays alone say {brief_time(single.by_rule)} (median). The last job like this one waited "
        f"{brief_time(single.last_alike)}."
    )
    return [f"The forecast rests on {words}", *([each] if each else [])]


def _record(record):
    """Yield how good forecasts have been."""
    from mjq_logs.answers import Column

    yield (
        f"Record: {record.forecasts} starts in the last third of the log were forecast in the same way. Each forecast "
        "was corrected by the errors of earlier ones, as far as they were known at its time."
    )
    yield sheet.table(
        "Share of the starts that lay inside the interval",
        [],
        (Column("corrected", "%", ".0f"), record.within.values()),
        (Column("before", "%", ".0f"), record.within_before.values()),
        names=("interval", [f"{share} %" for share in record.within]),
    )
    yield (
        f"The error of the median was {record.error:.2f}, and {record.error_before:.2f} before the correction. The "
        f"mean wait had {record.error_of_mean:.2f}, the wait of the last job alike {record.error_of_last:.2f}, and the "
        f"replays alone {record.error_of_rule:.2f}.\n"
        "An error is the mean difference of log(1 + wait in minutes)."
    )
