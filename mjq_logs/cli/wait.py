"""The ``wait`` command: when one more job would start."""

from __future__ import annotations

import os
import sys
from itertools import product
from pathlib import Path

import click

from mjq_logs.cli import sheet_by_hand as sheet
from mjq_logs.cli.common import Command, json_option, note, quiet_option, show, show_json, workers_option
from mjq_logs.cli.plan import Duration
from mjq_logs.cli.reading import Need, calendar_option, lines_used, log_options, read, schema_option, servers_option

__all__ = ["wait"]

UNITS = (48.0, "d", 1 / 24), (1.0, "h", 1.0), (1 / 60, "min", 60.0), (0.0, "s", 3600.0)  # from so many hours on


@click.command(cls=Command)
@click.argument("log", type=click.Path(allow_dash=True))
@log_options
@click.option(
    "--need", "needs", multiple=True, metavar="N", type=Need(),
    help="Ask for a job that needs this many servers. Of several resources, give a number for each, such as 4,16GB. "
    "Repeat for more jobs.",
)  # fmt: skip
@click.option(
    "--limit", "limits", multiple=True, metavar="TIME", type=Duration(),
    help="Ask for a job with this limit of its run time, such as 4h, 90min or 1d12h. Repeat for more jobs.",
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
@json_option
@schema_option("StartForecasts")
@workers_option
@quiet_option
def wait(log, needs, limits, at, policy, servers, within, table, as_json, workers, quiet, **reading):
    """Forecast when one more job would start.

    The command takes the jobs that run and wait at a time of the log, and replays them with one more job. It also looks
    at what similar jobs have waited lately. It combines both in the way that has worked best in this log so far, and
    corrects the result by the errors of earlier forecasts. The answer is a distribution, and it comes with its record:
    how good such forecasts were in the last third of the log. Where the intervals have held too few of the latest
    starts or too many, the first lines say so.

    LOG is read as in mjq capacity, whose help shows how to write such a log in Slurm. Jobs that run or wait while sacct
    writes the log are used, too. The forecasts of the past are kept in the user's cache folder, so that the same log is
    answered at once the next time.

    \b
      mjq wait jobs.txt --need 32 --limit 4h
      mjq wait jobs.txt --table
      mjq wait jobs.txt --unit cpus,mem --servers 384,1.5TB --need 4,16GB --limit 4h
    """
    import mjq_logs
    from mjq_logs.forecast.table import usual as usual_jobs

    cluster_log = read(log, servers=servers, **reading)
    if table:
        needs, limits = (asked or usual for asked, usual in zip((needs, limits), usual_jobs(cluster_log), strict=True))
    elif not needs or not limits:
        raise click.UsageError("give --need and --limit of the job, or --table for many at once")
    cases = list(product(needs, limits))
    report = mjq_logs.forecast_starts(
        cluster_log, [need for need, _ in cases], [limit for _, limit in cases], _seconds(at, cluster_log), policy,
        **({"within": within} if within else {}), keep=_cache(), workers=workers,
        progress=not quiet and sys.stderr.isatty(),
    )  # fmt: skip
    if as_json:
        show_json(report.model_dump())
    else:
        show(sheet.as_text(_parts(report, table)))


def _seconds(at, cluster_log):
    """Return a time of the log [s] for what the user typed."""
    from mjq_logs.reading.text import as_moment

    try:
        return None if at is None else as_moment(at, cluster_log.clock)
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


def _parts(report, as_table):
    """Yield the forecasts for people, part by part."""
    from mjq_logs.words import size_in_words

    machine = lambda amount: size_in_words(amount) + " servers" * (not isinstance(amount, dict))  # noqa: E731
    if report.queue is not None and report.queue.grows:
        yield _growing(report.queue)
    yield from report.warnings
    if report.lines:
        yield lines_used(report.lines)
    yield "\n".join(
        [f"{report.jobs} jobs on {machine(report.servers)}; starts are those of {report.starts}", *report.notes]
    )
    when = f"{report.date} ({report.at:.10g} s)" if report.date else f"second {report.at:.10g}"
    yield (
        f"At {when} {_jobs(report.running, 'runs', 'run')} on {machine(report.busy)}, and "
        f"{_jobs(report.waiting, 'waits', 'wait')}."
    )
    if as_table or len(report.forecasts) > 1:
        yield from _table(report, as_table)
    else:
        yield from _one(report.forecasts[0])
    if report.weight_of_rule is not None:
        yield _rests(report)
    if report.record is not None:
        yield from _record(report.record)


def _growing(queue):
    """Say that the queue grows."""
    return (
        f"The queue grows, so jobs may wait longer than is forecast here. Half of the last {_time(queue.hours)} the "
        f"jobs that waited asked for {_time(queue.lately)} of all servers or more. Before, it was at most "
        f"{_time(queue.before)} for 95 % of the time. Now it is {_time(queue.work)}."
    )


def _jobs(number, singular, plural):
    return f"{number} job {singular}" if number == 1 else f"{number} jobs {plural}"


def _one(forecast):
    """Yield the forecast of a single job."""
    from mjq_logs.words import amount_in_words

    job = f"A job of {amount_in_words(forecast.need)} with a limit of {_time(forecast.limit)}"
    if not forecast.intervals:
        yield f"{job} would wait {_time(forecast.median)} (median) by the replays alone."
        return
    yield f"{job} would wait {_time(forecast.median)} (median)."
    rows = [[f"{share} %", _time(low), _time(high)] for share, (low, high) in forecast.intervals.items()]
    yield sheet.Table("The wait lies in each interval with its probability", ("interval", "from", "to"), rows, ("",))
    rows = [[_time(row.wait), f"{row.probability:.0%}"] for row in forecast.within]
    yield sheet.Table("Probability that the job starts", ("within", "probability"), rows, ("",))
    yield (
        f"The replays alone say {_time(forecast.by_rule)} (median). The last job like this one waited "
        f"{_time(forecast.last_alike)}."
    )


def _table(report, pool):
    """Yield the forecasts of many jobs, and say which of them share a row."""
    from mjq_logs.forecast.table import Row, pooled
    from mjq_logs.words import size_in_words

    if pool:
        rows = pooled(report.forecasts)
    else:
        rows = [Row((each.need,) * 2, (each.limit,) * 2, each) for each in report.forecasts]
    times = [f"within\n{_time(row.wait)}" for row in report.forecasts[0].within]
    cells = [
        [_range(row.needs, size_in_words), _range(row.limits, _time), *_cells(row.forecast)] for row in rows
    ]  # fmt: skip
    shares = [f"{share} %" for share in report.forecasts[0].intervals]
    yield sheet.Table("Wait of one more job", ("need", "limit", "median", *shares, *times), cells, ("",))
    if len(rows) < len(report.forecasts):
        yield (
            f"{len(report.forecasts)} forecasts are in {len(rows)} rows. Forecasts that differ by less than a fifth "
            "share a row, and so do those in which a longer job would start before a shorter one: that is chance."
        )


def _cells(forecast):
    """Return what a table shows of a forecast."""
    ends = [" to ".join(map(_time, each)) for each in forecast.intervals.values()]
    return [_time(forecast.median), *ends, *(f"{row.probability:.0%}" for row in forecast.within)]


def _range(ends, shown):
    first, last = map(shown, ends)
    return first if first == last else f"{first} to {last}"


def _rests(report):
    """Say what the forecast rests on."""
    share = report.weight_of_rule
    if report.rule_alone:
        return (
            f"The forecast rests on the replays under {report.policy} alone: lately they have been clearly better than "
            "what similar jobs had waited."
        )
    if share == 1:
        return (
            f"The forecast rests on the replays under {report.policy} alone: no recent wait has improved them so far."
        )
    if share == 0:
        return f"The forecast rests on recent waits alone: replays under {report.policy} have not improved them so far."
    return (
        f"The forecast rests on two things: replays under {report.policy} count {share:.0%}, and the wait of the last "
        f"job like this one counts {1 - share:.0%}."
    )


def _record(record):
    """Yield how good forecasts have been."""
    yield (
        f"Record: {record.forecasts} starts in the last third of the log were forecast in the same way. Each forecast "
        "was corrected by the errors of earlier ones, as far as they were known at its time."
    )
    rows = [
        [f"{share} %", f"{held:.0%}", f"{record.within_before[share]:.0%}"] for share, held in record.within.items()
    ]
    head = "interval", "corrected", "before"
    yield sheet.Table("Share of the starts that lay inside the interval", head, rows, ("",))
    yield (
        f"The error of the median was {record.error:.2f}, and {record.error_before:.2f} before the correction. The "
        f"mean wait had {record.error_of_mean:.2f}, the wait of the last job alike {record.error_of_last:.2f}, and the "
        f"replays alone {record.error_of_rule:.2f}.\n"
        "An error is the mean difference of log(1 + wait in minutes)."
    )


def _time(hours):
    """Return a time in the unit that suits it.

    >>> [_time(hours) for hours in (0, 0.01, 0.5, 3.25, 100)]
    ['0 s', '36 s', '30 min', '3.2 h', '4.2 d']
    """
    least, unit, factor = next(row for row in UNITS if hours >= row[0])
    value = hours * factor
    return f"{value:.0f} {unit}" if unit == "s" or value >= 10 else f"{value:.2g} {unit}"
