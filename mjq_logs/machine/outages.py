"""Times in which a machine was down: inferred from a log, or given as a calendar.

*Inferred.* A gap is a time in which nothing was submitted and, where the log has start times, nothing ran. It is taken
for an outage if it is longer than three times the longest pause between submissions in a typical week, the median over
the weeks of the log, and longer than a day. So the nights and weekends of a small machine are none, as each week has
them. A log of less than four weeks does not tell what a typical week is; nothing is inferred from it. A holiday on
which nobody submits anything is taken for an outage, too: a log does not tell one from the other.

An outage is cut to the length from which on a gap counts as one. So what is taken out depends continuously on the
length of a gap, and jobs that come after it do not meet those that came before it.

*Given.* A calendar says when how many servers were up, by the rule of :mod:`mjq.simulation.calendar`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq.simulation.calendar import Calendar, calendar_of
from mjq_logs.reading.clock import as_date, dated, original
from mjq_logs.reading.log import HOUR, Gap, Log

DAY, WEEK = 24 * HOUR, 168 * HOUR
FEWEST_WEEKS = 4  # that tell what a typical one is
TIMES_A_PAUSE = 3.0  # longer than the longest pause of a typical week
NAMED = 12  # gaps, in a sentence


def longest_pause(log: Log) -> float | None:
    """Return the time [s] from which on a gap in the log is taken for an outage; None if the log does not tell it.

    It is three times the longest pause between submissions in a typical week, and at least a day.

    On five days a week a job comes each hour from 8 to 18. The weekend is a pause of 62 hours.

    >>> from mjq_logs import Log
    >>> arrival = 3600.0 * np.add.outer(168 * np.arange(8), np.add.outer(24 * np.arange(5), np.arange(8, 19))).ravel()
    >>> log = Log(need=np.ones(len(arrival)), run=np.ones(len(arrival)), submit=arrival)
    >>> longest_pause(log) / 3600
    186.0
    """
    if log.arrival is None:
        return None
    arrival = np.sort(log.arrival if log.submit is None else log.submit)
    weeks = int((arrival[-1] - arrival[0]) // WEEK)
    if weeks < FEWEST_WEEKS:
        return None
    pauses, week = np.diff(arrival), ((arrival - arrival[0]) // WEEK).astype(np.intp)
    longest = np.zeros(week[-1] + 1)
    np.maximum.at(longest, week[:-1], pauses)
    np.maximum.at(longest, week[1:], pauses)
    for k in np.flatnonzero(np.diff(week) > 1):  # weeks within a pause
        longest[week[k] : week[k + 1] + 1] = np.maximum(longest[week[k] : week[k + 1] + 1], pauses[k])
    return float(np.ceil(max(DAY, TIMES_A_PAUSE * np.median(longest[:weeks]))))


def find_gaps(log: Log, longest: float | None = None) -> tuple[Gap, ...]:
    """Return the times in which nothing was submitted and nothing ran that are taken for outages.

    Parameters
    ----------
    log : Log
    longest : float, optional
        Time [s] from which on a gap is an outage; by default :func:`longest_pause`.

    Examples
    --------
    A job an hour for five weeks, but none for four days in the third week:

    >>> from mjq_logs import Log
    >>> arrival = 3600.0 * np.delete(np.arange(840), slice(400, 495))
    >>> log = Log(need=np.ones(745), run=np.full(745, 60.0), submit=arrival)
    >>> [gap] = find_gaps(log)
    >>> gap.begin / 3600, gap.end / 3600, gap.taken / 3600
    (399.0, 495.0, 72.0)
    """
    if longest is None:
        longest = longest_pause(log)
    if longest is None or log.arrival is None:
        return ()
    longest = float(checks.positive("longest", longest, ndim=0))
    arrival = np.sort(log.arrival if log.submit is None else log.submit)
    long = np.flatnonzero(np.diff(arrival) > longest)
    pauses = (gap for k in long for gap in _idle(log, float(arrival[k]), float(arrival[k + 1]), longest))
    return tuple(Gap(begin, end, end - begin - longest) for begin, end in pauses)


def _idle(log, first, last, longest):
    """Yield the times between two submissions in which nothing ran, and no job was first allowed to start."""
    busy = [(first, first), (last, last)]
    if log.eligible is not None:
        allowed = log.eligible[(log.eligible > first) & (log.eligible < last)]
        busy += zip(allowed, allowed, strict=True)
    started = log.started
    if started is not None:  # a start that is not known is not a number, and compares as false
        runs = (started < last) & (started + log.run > first)
        busy += zip(started[runs], (started + log.run)[runs], strict=True)
    until = first
    for begin, end in sorted(busy):
        if begin - until > longest:
            yield float(until), float(begin)
        until = max(until, end)


def without_gaps(log: Log, gaps: Sequence[Gap] | None = None) -> Log:
    """Return the log with its outages cut: what came later comes so much earlier, and waits are shorter.

    By default the outages are those of :func:`find_gaps`. The log has them as its `gaps`.

    >>> from mjq_logs import Log
    >>> arrival = 3600.0 * np.delete(np.arange(840), slice(400, 495))
    >>> log = Log(need=np.ones(745), run=np.full(745, 60.0), submit=arrival, servers=1)
    >>> cut = without_gaps(log)
    >>> float(cut.submit[-1]) / 3600, float(original(cut, cut.submit)[-1]) / 3600
    (767.0, 839.0)
    """
    gaps = find_gaps(log) if gaps is None else tuple(gaps)
    if not gaps:
        return log
    ends, taken = np.array([gap.end for gap in gaps]), np.append(0.0, np.cumsum([gap.taken for gap in gaps]))

    def moved(times):
        return None if times is None else times - taken[np.searchsorted(ends, times, "right")]

    times = {name: moved(getattr(log, name)) for name in ("submit", "eligible", "start")}
    before, present, window = log.before, log.present, log.window
    if before is not None:
        before = replace(before, arrival=moved(before.arrival), start=moved(before.start))
    if present is not None:
        there = {"arrival": moved(present.arrival), "start": moved(present.start)}
        present = replace(present, **there, taken=float(moved(np.array([present.taken]))[0]))
    if window is not None:
        begin, end = moved(np.array(window)).tolist()
        window = (begin, end)
    return replace(log, **times, before=before, present=present, window=window, gaps=tuple(gaps))


def servers_up(log: Log) -> Calendar | None:
    """Return when how many servers were up, on the clock of the file; None if nothing is known of outages.

    In what was taken out of a log none are.
    """
    if log.calendar is not None or not log.gaps:
        return log.calendar
    servers = log.require_servers()
    steps = [step for gap in log.gaps for step in ((gap.end - gap.taken, 0.0), (gap.end, servers))]
    return calendar_of(steps, servers)


def with_calendar(log: Log, steps: ArrayLike, servers: float | None = None) -> Log:
    """Return the log with a calendar of its machine.

    Parameters
    ----------
    log : Log
        From which no gaps have been taken out.
    steps : sequence of (float, float)
        As for :func:`mjq.simulation.schedule.replay`, on the clock of the log.
    servers : float, optional
        Of the whole machine; by default those of the log, or if they are not known the most of the calendar.
    """
    if log.gaps:
        raise ValueError("gaps have been taken out of the log, so the times of a calendar are no longer its own")
    if log.resources:
        log.require_servers()
    if servers is None:
        servers = log.servers if log.servers is not None else max((up for _, up in np.asarray(steps)), default=1.0)
    return replace(log, calendar=calendar_of(steps, servers))


def calendar_on(log: Log, servers: float, growth: float = 1.0, sooner: float = 0.0) -> Calendar | None:
    """Return the calendar of the log, if any, on a machine of this size, on a clock that begins with its window.

    Where jobs come faster, the calendar is as much faster: the same shares of the time are outages. Time 0 may be some
    seconds `sooner` than the window begins.
    """
    if log.calendar is None:
        return None
    return log.calendar.on(servers).moved(log.begin - growth * sooner, growth)


def outages_in_words(log: Log, kept: Sequence[Gap] = ()) -> list[str]:
    """Say which outages were taken out of a log, or `kept`, or given by a calendar."""
    if log.calendar is not None:
        changes = len(log.calendar.since) - 1
        first = log.calendar.since[1] if changes else log.begin
        late = f" Before its first time, {dated(log, first)}, all servers count as up." * bool(first > log.begin)
        return [
            f"The servers that are up follow the calendar, which has {changes} time{'s' * (changes != 1)}.{late} Jobs "
            "in service run on when servers go down, and the scheduler does not know it beforehand. Loads are shares "
            "of the servers that are up. No gap is taken out."
        ]
    gaps = log.gaps or tuple(kept)
    if not gaps:
        return []
    longest = gaps[0].end - gaps[0].begin - gaps[0].taken
    ran = " and nothing ran" if log.started is not None else ""
    many = len(gaps) > 1
    days = sum(gap.taken for gap in gaps) / DAY
    span = f"{days:.3g} days" if days >= 1 else f"{24 * days:.2g} h"
    when = "; ".join(_when(log, gap) for gap in gaps[:NAMED]) + f"; … ({len(gaps)} in all)" * (len(gaps) > NAMED)
    sentence = (
        f"In {len(gaps)} gap{'s' * many} of more than {longest / HOUR:.3g} h nothing was submitted{ran}: {when}. "
        f"{'They are' if many else 'It is'} taken for {'outages' if many else 'an outage'} of the machine; the log "
        "itself does not say."
    )
    if log.gaps:
        return [
            f"{sentence} Each gap is cut to {longest / HOUR:.3g} h, which takes {span} out of the loads and "
            "waits that are printed here; --keep-gaps keeps them."
        ]
    return [f"{sentence} The loads and waits that are printed here include {'them' if many else 'it'}, by --keep-gaps."]


def _when(log, gap):
    if log.clock is None:
        first = float(original(log, [log.begin])[0])
        return f"day {(gap.begin - first) / DAY:.1f} to {(gap.end - first) / DAY:.1f}"
    ends = f"{as_date(gap.begin + log.clock)} to {as_date(gap.end + log.clock)}"  # a gap is on the clock of the file
    return f"{ends} {log.zone}".rstrip()
