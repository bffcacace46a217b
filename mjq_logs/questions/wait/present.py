"""When one more job would start, for people: sentences, and a table of intervals."""

from __future__ import annotations

from mjq_logs.answers import Column
from mjq_logs.questions.wait.starts import StartForecast
from mjq_logs.reading.facts import Facts
from mjq_logs.tables import Answer, answer, brief_time, table
from mjq_logs.words import amount_in_words, percent


def present(path: str, facts: Facts, report: StartForecast) -> Answer:
    """Return the forecast for people."""
    when = f"{report.date} ({report.at:.10g} s)" if report.date else f"second {report.at:.10g}"
    alone = " by the replays alone" if report.weight_of_rule is None else ""
    limit = "" if report.limit is None else f" with a limit of {brief_time(report.limit)}"
    sentences = [
        f"At {when} {_jobs(report.running, 'runs', 'run')} on {amount_in_words(report.busy)}, and "
        f"{_jobs(report.waiting, 'waits', 'wait')}. Starts are those of {report.starts}.",
        f"A job of {amount_in_words(report.need)}{limit} would wait {brief_time(report.median)} (median){alone}.",
        *(note for note in report.notes if note not in facts.log.notes),
    ]
    more = {
        "what the forecast rests on": [] if report.weight_of_rule is None else [_rests(report)],
        "how good such forecasts were": [_record(report.record)] if report.record else [],
    }
    title = "When one more job would start"
    return answer(path, facts, report.warnings, sentences, _intervals(report), more, title=title)


def _jobs(number, singular, plural):
    return f"{number} job {singular}" if number == 1 else f"{number} jobs {plural}"


def _intervals(report):
    """Return a table of the intervals, with how many starts of the record each held; None if there are none."""
    if not report.intervals:
        return None
    return table(
        "Intervals of the wait, and the share of the starts in the last third of the log that they held",
        [],
        (Column("wait"), [" to ".join(map(brief_time, ends)) for ends in report.intervals.values()]),
        (Column("held", "%", ".0f"), report.record.within.values()),
        names=("interval", [f"{share} %" for share in report.intervals]),
    )


def _rests(report):
    share = report.weight_of_rule
    return (
        f"The forecast rests on two things. Replays under {report.policy} say {brief_time(report.by_rule)} (median), "
        f"and count {percent(share, 0)}. The last job like this one waited {brief_time(report.last_alike)}, which "
        f"counts {percent(1 - share, 0)}."
    )


def _record(record):
    return (
        f"Record: {record.forecasts} starts in the last third of the log were forecast in the same way, each from what "
        f"was known at its time. The error of the median was {record.error:.2f}. The mean wait had "
        f"{record.error_of_mean:.2f}, the wait of the last job alike {record.error_of_last:.2f}, and the replays alone "
        f"{record.error_of_rule:.2f}.\n"
        "An error is the mean difference of log(1 + wait in minutes)."
    )
