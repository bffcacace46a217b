"""What is known of a log, found once and handed to whoever asks; and what makes answers from it doubtful.

The load and how waits agree with replays take a machine, so that the questions which need them find them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mjq._util import checks
from mjq._util.plain import counted
from mjq_logs.answers import Plain
from mjq_logs.reading.clock import dated
from mjq_logs.reading.log import INFERRED, Lines, Log, machine_in_words
from mjq_logs.reading.rows import HARMLESS, TOO_LARGE
from mjq_logs.reading.vectors import plain
from mjq_logs.reading.window import Held, Window, held_most, shortness_in_words, window_of
from mjq_logs.words import MEASURED, amount_in_words, amount_of, percent

OF_HOSTS = "of all hosts"  # where the servers of a log are from

LOST_SHARE = 0.1  # of the lines, or of the jobs and their work, up to which nothing is said
PAUSE_SHARE = 0.5  # of the time, up to which nothing is said of a pause
HELD_SHARE = 0.5  # of a size that is inferred, from which on nothing is said of it
USED_SHARE = 0.95  # of the machine, from which on nothing is said of its size


class OfLog(Plain):
    """Hold what every answer from a log says of that log."""

    jobs: int
    lines: Lines | None
    missing: list[str]
    """Columns that the log lacks."""
    notes: list[str]
    warnings: list[str]
    """What makes the answer doubtful, such as a log that is too short, lines that were lost, a size that is not the one
    in use, or a replay whose mean wait is not that of the log, by more than a factor of 1.5."""


def of_log(log: Log, notes: list[str], warnings: list[str]) -> dict[str, Any]:
    """Return the fields of an :class:`OfLog`."""
    missing = list(log.missing)
    return {"jobs": len(log), "lines": log.lines, "missing": missing, "notes": notes, "warnings": warnings}


@dataclass(frozen=True, eq=False)
class Facts:
    """Hold what is known of a log."""

    log: Log
    window: Window | None
    """What it sees; None where it does not tell when jobs came."""
    held: Held | None
    """The servers that its jobs held; None of several resources, and where it does not tell when jobs started."""
    short: str | None
    """That it is too short to tell anything of load and waits; None if it is not."""
    waiting: str | None
    """That much still waited when it ended; None if that is not so."""
    doubts: list[str]
    """What else makes answers doubtful, the worst first."""
    alone: dict[str, Facts]
    """Of several resources, what is known of each resource that somebody needs."""
    outages: list[str]
    """Which outages were taken out of it, or kept, or given by a calendar."""

    @property
    def warnings(self) -> list[str]:
        """Return all that makes answers doubtful."""
        return [words for words in (self.short, self.waiting, *self.doubts) if words]


def facts_of(log: Log | Facts, outages: list[str] | None = None) -> Facts:
    """Return what is known of a log; what is known already is not looked for again.

    >>> facts_of(Log(need=[4], run=[60], submit=[0], servers=8)).warnings
    ['Nothing can be said of load and waits: the log has 1 job, fewer than 200.']
    """
    if isinstance(log, Facts):
        return log
    held, short, window = None if log.resources else held_most(log), shortness_in_words(log), window_of(log)
    alone = {name: facts_of(log.alone(name)) for k, name in enumerate(log.resources) if log.needs[:, k].any()}
    lost = None if log.lines is None else lost_in_words(log.lines)
    used = {name: facts.held for name, facts in alone.items()} if log.resources else {"servers": held}
    doubts = [lost, *_of_pauses(log, short), *_of_too_large(log), *_of_sizes(log, used, short), *log.warnings]
    return Facts(
        log, window, held, short, still_waiting(log), [words for words in doubts if words], alone, outages or []
    )


def still_waiting(log: Log) -> str | None:
    """Warn where more than a tenth of the jobs, or of the work that was asked for, still waited at the end of a log.

    A job without a limit asks for the longest run of the log.

    >>> from mjq_logs.reading.log import Present
    >>> nan, four = np.array([np.nan]), np.array([4])
    >>> here = Present(need=np.array([8.0]), arrival=np.zeros(1), start=nan, estimate=nan, taken=9.0, left_out=0,
    ...     tasks=four, at_once=0 * four)
    >>> warning = still_waiting(Log(need=[4, 4], run=[60, 60], submit=[0, 9], servers=8, present=here))
    >>> warning.partition(". ")[0]
    'Warning: 4 of 6 jobs still waited when the log ended, and had asked for 32 servers'
    """
    here = log.present
    waits = np.zeros(0, dtype=bool) if here is None else np.isnan(here.start)
    if here is None or not waits.any():
        return None
    longest, tasks = float(log.run.max()), here.tasks[waits]
    needs = plain(here.need)[waits].reshape(len(tasks), -1) * tasks[:, None]
    waiting = np.fmin(here.estimate[waits], longest) @ needs
    limits = np.full(len(log), longest) if log.estimate is None else np.fmin(log.estimate, longest)
    came = limits @ log.needs.reshape(len(log), -1)
    number, jobs = int(tasks.sum()), len(log) + (0 if log.before is None else len(log.before.need))
    if not max(number / (number + jobs), (waiting / (waiting + came)).max()) > LOST_SHARE:
        return None
    asked = amount_in_words(amount_of(needs.sum(axis=0) if log.resources else needs.sum(), log.resources))
    return (
        f"Warning: {number} of {number + jobs} jobs still waited when the log ended, and had asked for {asked}. Nobody "
        "knows how long they will run, so they are left out: loads and waits are those of the others, and a machine "
        "that is planned for these is too small."
    )


def lost_in_words(lines: Lines) -> str | None:
    """Warn where more than a tenth of the lines that should be jobs could not be used, with the commonest reason.

    >>> lost_in_words(Lines(read=60, used=8, dropped={"no run time": 40, "never started": 12}, first={}))
    'Warning: 40 of 48 lines that should hold a job could not be used, most of them for this reason: no run time (40).'
    >>> lost_in_words(Lines(read=60, used=58, dropped={"no run time": 2}, first={})) is None
    True
    """
    lost = {reason: count for reason, count in lines.dropped.items() if reason not in HARMLESS}
    number = sum(lost.values())
    if not number > LOST_SHARE * (lines.used + number):
        return None
    reason = max(lost, key=lambda name: lost[name])
    return (
        f"Warning: {number} of {lines.used + number} lines that should hold a job could not be used, most of them for "
        f"this reason: {reason} ({lost[reason]})."
    )


def held_in_words(held: Held | None, servers: float | None = None) -> str | None:
    """Say how many servers were held, of so many that there are; None where that is not known.

    >>> held_in_words(Held(most_of_the_time=115, ever=128), 128)
    'The jobs held at most 128 servers at once, and at most 115 for 99 % of the time.'
    >>> held_in_words(Held(most_of_the_time=115, ever=156), 128)
    'The jobs held at most 156 servers at once, which is more than there are, and at most 115 for 99 % of the time.'
    """
    if held is None or not held.ever:
        return None
    more = ", which is more than there are," if servers and held.ever > servers * (1 + checks.FIT_TOLERANCE) else ","
    usual = f"{more} and at most {held.most_of_the_time:g} for 99 % of the time."
    return f"The jobs held at most {held.ever:g} servers at once{usual}"


def _of_too_large(log):
    """Warn where jobs are left out that need more than the machine has."""
    left_out = 0 if log.lines is None else log.lines.dropped.get(TOO_LARGE, 0)
    if left_out and log.servers is not None:
        yield (
            f"Warning: {counted(left_out, 'job')} {'need' if left_out > 1 else 'needs'} more than the "
            f"{machine_in_words(log)} ({log.servers_from}) and {'are' if left_out > 1 else 'is'} left out."
        )


def _of_sizes(log, used, short):
    """Warn where the machine is not as large as what was used of it, or of some resource."""
    if log.servers is None:
        return
    sizes = dict(zip(log.resources or used, np.atleast_1d(log.machine()), strict=True))
    for name, held in used.items():
        if held is None:
            continue
        size, usual, measured = sizes[name], held.most_of_the_time, MEASURED.get(name, name)
        inferred = log.servers_from == INFERRED
        if log.resources:  # of some the file may tell the size
            inferred &= held.ever >= size * (1 - checks.FIT_TOLERANCE)
        at_most = f"For 99 % of the time they held at most {usual:g}"
        if inferred and usual < HELD_SHARE * size and not short:
            yield (
                "Warning: the log does not tell how large the machine is, and the most that jobs held at once is "
                f"taken, {size:g} {measured}. {at_most}. --servers sets the size."
            )
        elif usual > size * (1 + checks.FIT_TOLERANCE):
            yield (
                f"Warning: for more than 1 % of the time the jobs held more than the {size:g} {measured} that there "
                f"are ({log.servers_from}), up to {held.ever:g}{'' if log.resources else f'. {at_most}'}: is that the "
                "size of the machine?"
            )
        elif not (inferred or log.resources or short) and usual < USED_SHARE * size:
            instead = f" --servers {max(usual, log.need.max()):g} takes the size that was used."
            yield (
                f"Warning: {percent(1 - usual / size, 0)} of the {size:g} servers ({log.servers_from}) were not in use "
                f"for 99 % of the time.{instead if log.servers_from != OF_HOSTS else ''}"
            )


def _of_pauses(log, short):
    """Warn where nothing came for most of the time, as after a job that was submitted long before all others."""
    if log.arrival is None or short:
        return
    arrival = np.concatenate([[log.begin], log.arrival, [log.end]])
    longest = int(np.argmax(np.diff(arrival)))
    first, last = arrival[longest : longest + 2]
    if last - first > PAUSE_SHARE * (log.end - log.begin) > 0:
        yield (
            f"Warning: nothing came from {dated(log, first)} to {dated(log, last)}, which is most "
            "of the time that the log sees; --from or --to leaves it out."
        )
