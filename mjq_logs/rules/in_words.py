"""The rules of a machine, and what they explain of its waits, in sentences."""

from __future__ import annotations

import numpy as np

from mjq._util.plain import counted, printable
from mjq_logs.reading.log import HOUR, Log
from mjq_logs.rules.hours import DAYS, OpenHours
from mjq_logs.rules.machine import Rules
from mjq_logs.words import listed, time_in_words

LONG = 6  # hours of a day, from which on a class that is closed so long is told of
SOME_DAYS = 4  # of five weekdays at which it is
MOST_OF_FOUR_DAYS = 93  # hours from Monday to Thursday: a class that is closed so long waits for the weekend
SLACK = 1.02  # a limit above a round one by less than this is called by the round one


def rules_in_short(rules: Rules) -> str:
    """Return a few words for rules, as a table has them.

    >>> rules_in_short(Rules(servers=115, cycle=60)), rules_in_short(Rules())
    ('115 servers, a pass each 1 min', 'none')
    >>> rules_in_short(Rules(user_servers=64, user_jobs=20))
    '64 servers a user, 20 jobs a user'
    """
    parts = [] if rules.servers is None else [f"{rules.servers:g} servers"]
    ends = f", which end in {time_in_words(rules.grace / HOUR)}" if np.isfinite(rules.grace) else ""
    if rules.hours:
        of_what = "limits" if len(rules.hours.parts) == 1 else "limits and needs"
        clock = " in standard time" if rules.hours.standard else ""
        parts.append(f"hours by {len(rules.hours)} {of_what}{clock}{ends}")
    parts += [f"{rules.user_servers:g} servers a user"] if rules.user_servers else []
    parts += [f"{rules.user_jobs:g} jobs a user"] if rules.user_jobs else []
    parts += [f"limits of {counted(len(rules.queues), 'queue')}"] if rules.queues else []
    parts += ["limits of arrays"] if rules.arrays else []
    parts += [f"a pass each {time_in_words(rules.cycle / HOUR)}"] if rules.cycle else []
    return ", ".join(parts) or "none"


def rules_in_words(rules: Rules, log: Log) -> list[str]:
    """Say each of the rules in a sentence.

    Examples
    --------
    >>> log = Log(need=[1], run=[60], submit=[0], clock=0)
    >>> hours = OpenHours.of({np.inf: "Mon-Fri 8-17"}, first=4 * 3600)
    >>> rules_in_words(Rules(hours=hours, cycle=60), log)
    ['Jobs with limits above 4 h start between 17 and 8 h on weekdays.', 'The scheduler starts jobs once each 1 min.']
    >>> rules_in_words(Rules(user_servers=201), log)
    ['Each user has at most 201 servers at once, or those of their largest job.']
    """
    sentences = [] if rules.servers is None else [f"The machine has {rules.servers:g} servers in use."]
    sentences += hours_in_words(rules.hours, log) if rules.hours else []
    if rules.hours and np.isfinite(rules.grace):
        beyond = f" or at most {time_in_words(rules.grace / HOUR)} later" if rules.grace else ""
        sentences.append(f"By its limit, a job has to end before its hours do{beyond}.")
    if rules.user_servers:
        most = f"{rules.user_servers:g} servers"
        sentences.append(f"Each user has at most {most} at once, or those of their largest job.")
    sentences += [f"Each user runs at most {rules.user_jobs:g} jobs at once."] if rules.user_jobs else []
    if rules.queues:
        of_each = listed(f"{printable(name)} {most:g}" for name, most in rules.queues.items())
        sentences.append(f"Queues have at most so many servers at once, or those of their largest job: {of_each}.")
    sentences += [_arrays(log.array_limits)] if rules.arrays else []
    sentences += [f"The scheduler starts jobs once each {time_in_words(rules.cycle / HOUR)}."] if rules.cycle else []
    return sentences


def _arrays(limits):
    """Say how many arrays have limits, and which."""
    known = limits[np.isfinite(limits)]
    most = " to ".join(dict.fromkeys(f"{most:g}" for most in (known.min(), known.max())))
    return f"{counted(len(known), 'array')} of jobs may run at most {most} tasks at once."


def hours_in_words(hours: OpenHours, log: Log) -> list[str]:
    """Say in at most two sentences when jobs with long limits start; hours that differ from day to day are left out.

    Where small and large jobs have hours of their own, this is said of each. Where no class is closed for six hours of
    four weekdays, it is said how many hours of the week are closed.

    >>> log = Log(need=[1], run=[60], submit=[0], clock=0)
    >>> by_day, freely = OpenHours.of({np.inf: "Mon-Fri 8-17"}, first=4 * 3600), OpenHours.of({np.inf: ""})
    >>> hours_in_words(OpenHours.by_need({8: freely, np.inf: by_day}), log)
    ['Jobs that need more than 8 servers and have limits above 4 h start between 17 and 8 h on weekdays.']
    """
    sentences, most = [], 0.0
    for need, part in hours.parts.items():
        least = f"more than {most:g}" if most else ""
        sizes = [words for words in (least, f"at most {need:g}" if np.isfinite(need) else "") if words]
        sentences += _starts(part, f" that need {' and '.join(sizes)} servers" if sizes else "")
        most = need
    if not sentences:
        share = (~hours.open).mean()
        sentences = [f"By their limits, jobs may not start at {100 * share:.0f} % of the hours of the week."]
    sentences += ["These hours are those of standard time, also in summer."] if hours.standard and log.zone else []
    if log.clock is None:
        sentences[-1] = sentences[-1][:-1] + ", if the second 0 of the log is a Monday 0 h."
    return sentences


def _starts(hours, size):
    """Yield when jobs of a size start, with one need for all classes."""
    closed = ~hours.open.reshape(len(hours), len(DAYS), 24)
    above = np.append(0.0, hours.limits[:-1])
    day = next((k for k in range(len(hours)) if _each_day(closed[k])), None)
    end = next((k for k in range(len(hours)) if closed[k, :4].sum() >= MOST_OF_FOUR_DAYS), None)
    if day is not None and day != end:
        begin, last = _each_day(closed[day]) or (0, 0)
        yield f"{_jobs(above[day], size)} start between {last} and {begin} h on weekdays."
    if end is not None:
        yield f"{_jobs(above[end], size)} start mostly at weekends."


def _jobs(above, size):
    limit = above / HOUR
    nearest = float(np.round(limit)) if limit >= 1 else limit
    limit = nearest if nearest and 1 <= limit / nearest <= SLACK else limit
    have = " and have" if size else " with"
    return f"Jobs{size}{have} limits above {time_in_words(limit)}" if above else f"Jobs{size}"


def _each_day(closed):
    """Return the first and the last hour of the longest time that is closed on most weekdays; None if it is short."""
    usual = np.tile(closed[:5].sum(axis=0) >= SOME_DAYS, 2)
    if usual.all():
        return None
    edges = np.flatnonzero(np.diff(np.concatenate([[False], usual, [False]]).astype(int)))
    begin, end = max(zip(edges[::2], edges[1::2], strict=True), key=lambda span: span[1] - span[0], default=(0, 0))
    return (int(begin) % 24, int(end) % 24) if end - begin >= LONG else None


def kept_in_words(log: Log) -> list[str]:
    """Say which rules the replays of a log keep, and what they explain on the half that did not teach them."""
    sentences = [] if log.rules is None else rules_in_words(log.rules, log)
    learning = log.learning
    if learning is None or len(learning.explained) < 2 or not sentences:
        return sentences
    without, best = learning.explained[0].near, learning.explained[-1].near
    if best.ratio is None or without.ratio is None:
        return sentences
    return [
        *sentences,
        f"With {'this' if len(learning.explained) == 2 else 'all this'}, the replay has {best.ratio:.2g} times the "
        f"real mean wait in the second half of the log, which did not teach it; without, {without.ratio:.2g} times. "
        f"The error of a job falls from {without.error:.2f} to {best.error:.2f}.",
    ]
