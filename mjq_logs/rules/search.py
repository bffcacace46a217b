"""Which rules beside its policy a machine seems to have: those that bring a replay nearer to its log.

The first half of a log teaches, and the second one judges. In the first half rules are added one by one: each time the
one with the smallest error a job, where each quarter is judged by what the others teach. A rule must lower the error by
two per cent, lower it in three quarters of four, and leave as many starts right to the minute, but for a tenth. One
that raises the error by two per cent is not tried again. What is chosen so is kept only as far as each rule lowers the
error of the second half by one per cent, too. Then the whole log teaches the hours that are used; a number, such as a
limit, stays as it was judged.

Where summer time begins or ends in the first half, hours of the place and of standard time are tried. Small and large
jobs may have hours of their own. They do if hours by limits alone have an error that is larger by five per cent.

The error decides and not the mean wait: a wrong rule can bring any mean.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from mjq._util import checks
from mjq._util.plain import counted
from mjq_logs.answers import Explained, Learning, RulesTried
from mjq_logs.doubts import LEAST_USED
from mjq_logs.limits import user_peak
from mjq_logs.reading.clock import ahead, original
from mjq_logs.reading.log import Log
from mjq_logs.rules.exposure import Exposure, exposure, learned_hours, octaves
from mjq_logs.rules.hours import WEEK
from mjq_logs.rules.in_words import rules_in_short
from mjq_logs.rules.judging import likeness, waits_with
from mjq_logs.rules.machine import Rules
from mjq_logs.scale import MINUTE, errors
from mjq_logs.window import size_in_use

FEWEST_JOBS, FEWEST_WEEKS = 1000, 6  # below which nothing is learned
MOST_JOBS = 30_000  # of a longer log the latest ones are looked at
QUARTERS = 4  # of the first half
LOWER = 0.02  # by which a rule must lower the error, relative to it
FEWEST_LOWER = 3  # quarters in which it must
ALIKE = {"cycle": 0.05, "hours": 0.05}  # by which errors of a kind may differ, for the one that interferes least
FEWER = 0.1  # by which it may lower the share of starts that are right to the minute, relative to it
HIGHER = 0.02  # by which a rule may raise the error, relative to it, and is tried again beside further ones
STEPS = 1.0, 0.5  # octaves of a class of limits
SHARES = 0.1, 0.2  # of the hours in which somebody waited: if fewer saw a start, the hour is closed
CYCLES = 60.0, 300.0  # seconds
PARTS_OF_SIZE = np.array([2, 3, 4, 6, 8])  # of which one is the limit of servers of a user
PARTS_OF_JOBS = np.array([2, 4, 8])  # the same of the most jobs that a user ran at once
PARTS_OF_SMALL = np.array([2, 8])  # of the size, up to which jobs are small and may have hours of their own
GRACES = 3600.0, 1800.0, 0.0  # seconds


class Learned(NamedTuple):
    """Hold the rules that were learned from a log, and what they explain.

    Attributes
    ----------
    rules : Rules
        Learned from the whole log; empty where none is clearly better.
    learning : Learning or None
        What was tried, and how near the replays are; None where nothing can be learned.
    """

    rules: Rules
    learning: Learning | None


class _Kind(NamedTuple):
    """Describe a rule that may be added: what it is about, and its value, or what hours are learned from."""

    about: str
    fixed: dict[str, Any]
    seen: Exposure | None = None
    share: float = 0.0

    @property
    def choice(self) -> tuple[str, bool]:
        """Return what is chosen by the smallest error: what the rule is about, and the clock of its hours."""
        return self.about, self.seen is not None and self.seen.standard

    @property
    def small(self) -> float:
        """Return the largest need of small jobs that have hours of their own; infinite if there are none."""
        return np.inf if self.seen is None else float(self.seen.needs[0])

    def teach(self, rules: Rules, parts: Collection[int]) -> Rules:
        """Return rules with this one, as these parts of the log teach it."""
        if "grace" in self.fixed and rules.hours is None:
            return rules
        if self.seen is None:
            return replace(rules, **self.fixed)
        return replace(rules, hours=learned_hours(self.seen, self.share, parts))


def learned_rules(
    log: Log, policy: str = "easy", given: Rules | None = None, without: Collection[str] = (), part: float = 1.0
) -> Learned:
    """Learn the rules of a machine from its log, see :mod:`mjq_logs.rules.search`.

    Parameters
    ----------
    log : Log
        With times of arrival and servers.
    policy : str
        Of the replays, see :func:`mjq.simulation.schedule.replay`.
    given : Rules, optional
        What is known already: all replays keep it.
    without : collection of str
        Kinds of rules that are not tried: size, cycle, hours, grace, servers of a user, or jobs of a user.
    part : float
        Share of the jobs that teach, the first ones; the others can then judge.

    Returns
    -------
    Learned
        Without rules and without a word of them where the log has no real starts, counts several resources, or has
        fewer than 1000 jobs or six weeks.

    Examples
    --------
    >>> learned_rules(Log(need=[4], run=[60], submit=[0], start=[0], servers=8)).learning is None
    True
    """
    given = given or Rules()
    if checks.share("part", part) < 1 and log.arrival is not None:
        log = _first(log, part)
    if not _tells(log):
        return Learned(given, None)
    log = _latest(log)
    arrival, real = log.require_arrivals(), log.wait
    assert real is not None
    edges = arrival[(len(log) * np.arange(1, QUARTERS + 1)) // (2 * QUARTERS)]
    half = edges[-1]
    kinds = list(_kinds(log, edges, without))
    search = _Judge(log.of(arrival < half, present=None), policy, edges[:-1], given)
    chosen, tried, lowest = _search(search, kinds)
    kept: list[_Kind] = []
    rules, judged = given, arrival >= half
    best = likeness(real, waits_with(log, rules, policy), judged)
    explained = [_explained("", rules, best)]
    for kind in chosen:
        added = kind.teach(rules, range(QUARTERS))
        near = likeness(real, waits_with(log, added, policy), judged)
        if near.error >= (1 - LOWER / 2) * best.error:
            break
        kept.append(kind)
        explained.append(_explained(kind.about, added, near, best))
        rules, best = added, near
    others = [*_outages(log, rules, best, policy, judged)]
    for about, kind in lowest.items():
        added = kind.teach(rules, range(QUARTERS))
        if about not in [one.about for one in kept] and added.fingerprint() != rules.fingerprint():
            others.append(_explained(about, added, likeness(real, waits_with(log, added, policy), judged), best))
    learning = Learning(
        policy=policy, jobs=len(log), judged=int(judged.sum()), explained=explained, others=others, tried=tried
    )
    return Learned(_of_all(log, policy, given, kept), learning)


def _explained(about, rules, near, before=None):
    """Return what the last of some rules explains of the waiting, beside what a replay without it has."""
    share = near.ratio if before is None or near.ratio is None else near.ratio - before.ratio
    return Explained(about=about, rules=rules_in_short(rules), explains=share, near=near)


def _outages(log, rules, best, policy, judged):
    """Yield what outages explain that were cut out of a log, or of which its calendar tells."""
    if log.gaps:
        whole = (original(log, log.start) - original(log, log.require_arrivals()))[judged]
        there = np.isfinite(whole) & (whole > 0)
        share = 1 - log.wait[judged][there].sum() / whole[there].sum() if there.any() else None
        yield Explained(about="outages", rules=f"{counted(len(log.gaps), 'gap')} cut out", explains=share, near=best)
    if log.calendar is not None:
        always_up = replace(log, calendar=None, calendar_known=False)
        near = likeness(log.wait, waits_with(always_up, rules, policy), judged)
        share = None if best.ratio is None or near.ratio is None else best.ratio - near.ratio
        yield Explained(about="outages", rules="the calendar", explains=share, near=best)


def _of_all(log, policy, given, chosen):
    """Return these rules, with hours that the whole log teaches, of those the ones that its quarters judge best.

    A rule that is a number stays as it was judged.
    """
    if not chosen:
        return given
    edges = log.require_arrivals()[(len(log) * np.arange(1, QUARTERS)) // QUARTERS]
    judge, kinds = _Judge(log, policy, edges, given), list(_kinds(log, edges))
    kept: list[_Kind] = []
    for one in chosen:
        if one.seen is None:
            kept.append(one)
            continue
        alike = [kind for kind in kinds if (*kind.choice, kind.small) == (*one.choice, one.small)]
        rows = [(kind, judge.quarters([*kept, kind])) for kind in alike]
        before = judge.quarters(kept)[1]
        right = [row for row in rows if judge.keeps_starts(row[1][1], before)] or rows
        kept.append(min(right, key=lambda row: judge.weights @ row[1][0])[0])  # a whole log needs less care
    return judge.taught(kept, range(QUARTERS))


def _tells(log):
    """Return whether rules can be learned from a log."""
    if log.resources or log.servers is None or log.start is None or log.arrival is None or log.submits_are_starts:
        return False
    known = int(np.isfinite(log.start).sum())
    return known >= FEWEST_JOBS and log.end - log.begin >= FEWEST_WEEKS * WEEK


def _first(log, part):
    """Return this part of the jobs of a log, the first ones, and nothing of what was known after them."""
    some = np.arange(max(1, int(part * len(log))))
    return log.of(some, present=None, window=(log.begin, max(log.arrival[some][-1], log.begin + 1.0)))


def _latest(log):
    """Return the latest jobs of a long log, as a log that begins with an empty machine."""
    if len(log) <= MOST_JOBS:
        return log
    which = slice(len(log) - MOST_JOBS, None)
    return log.of(which, window=(float(log.require_arrivals()[which][0]), log.end), before=None)


class _Judge:
    """Say how large the error of a job is in each quarter of a log, with rules that the other quarters teach."""

    def __init__(self, log, policy, edges, given):
        self.log, self.policy, self.given = log, policy, given
        self.quarter = np.searchsorted(edges, log.require_arrivals(), "right")
        self.quarter[~np.isfinite(log.wait)] = -1
        self.weights = np.array([(self.quarter == k).sum() for k in range(QUARTERS)]) / (self.quarter >= 0).sum()
        self.made: dict[str, tuple[np.ndarray, np.ndarray]] = {}

    def taught(self, kinds: Sequence[_Kind], parts: Collection[int]) -> Rules:
        """Return the rules of several kinds that these parts of the log teach, beside those that are given."""
        return reduce(lambda rules, kind: kind.teach(rules, parts), kinds, self.given)

    def quarters(self, kinds):
        """Return the error of a job in each quarter, and the share of its starts that are right to the minute."""
        rows = np.empty((2, QUARTERS))
        for k in range(QUARTERS):
            rules = self.taught(kinds, [other for other in range(QUARTERS) if other != k])
            rows[:, k] = [column[self.quarter == k].mean() for column in self._replayed(rules)]
        return rows

    def is_better(self, now, before):
        """Return whether errors and right starts of the quarters are clearly better than others."""
        lower = self.weights @ now[0] < (1 - LOWER) * (self.weights @ before[0])
        return lower and (now[0] < before[0]).sum() >= FEWEST_LOWER and self.keeps_starts(now[1], before[1])

    def is_worse(self, now, before):
        """Return whether the error of all quarters is clearly larger than another one."""
        return self.weights @ now[0] > (1 + HIGHER) * (self.weights @ before[0])

    def most_careful(self, rows):
        """Return the first row of the choice that is best whose error is about as small as the smallest one."""
        best = min(rows, key=lambda row: self.weights @ row[2][0])
        most = (1 + ALIKE.get(best[1].about, 0.0)) * (self.weights @ best[2][0])
        return next(row for row in rows if row[1].choice == best[1].choice and self.weights @ row[2][0] <= most)

    def keeps_starts(self, now, before):
        """Return whether about as many starts as before are right to the minute."""
        return self.weights @ now >= (1 - FEWER) * (self.weights @ before)

    def _replayed(self, rules):
        name = rules.fingerprint()
        if name not in self.made:
            wait = waits_with(self.log, rules, self.policy)
            self.made[name] = errors(self.log.wait, wait), np.abs(self.log.wait - wait) <= MINUTE
        return self.made[name]


def _search(judge, kinds):
    """Return the kinds of rules that lower the error of quarters which do not teach them, and all that was tried.

    And of each kind that with the lowest error, by what it is about.
    """
    best = judge.quarters([])
    chosen: list[_Kind] = []
    lowest: dict[str, tuple[float, _Kind]] = {}
    tried = [
        RulesTried(rules=rules_in_short(judge.given), error=float(judge.weights @ best[0]), lower_in=None, chosen=False)
    ]
    while True:
        candidates: dict[str, tuple] = {}
        seen = {judge.taught(chosen, range(QUARTERS)).fingerprint()}
        for kind in kinds:
            rules = judge.taught([*chosen, kind], range(QUARTERS))
            name = rules.fingerprint()
            if kind.about not in {one.about for one in chosen} and name not in seen:
                candidates[name] = rules, kind, judge.quarters([*chosen, kind])
                seen.add(name)
        good = [row for row in candidates.values() if judge.is_better(row[2], best)]
        taken = judge.most_careful(good) if good else None
        for rules, kind, now in candidates.values():
            of_it = float(judge.weights @ now[0]), int((now[0] < best[0]).sum())
            if of_it[0] < lowest.get(kind.about, (np.inf,))[0]:
                lowest[kind.about] = of_it[0], kind
            is_taken = taken is not None and kind is taken[1]
            tried.append(RulesTried(rules=rules_in_short(rules), error=of_it[0], lower_in=of_it[1], chosen=is_taken))
        worse = [row[1] for row in candidates.values() if judge.is_worse(row[2], best)]
        kinds = [kind for kind in kinds if not any(kind is other for other in worse)]
        if taken is None:
            return chosen, tried, {about: kind for about, (_, kind) in lowest.items()}
        best, chosen = taken[2], [*chosen, taken[1]]


def _kinds(log: Log, edges: np.ndarray, without: Collection[str] = ()) -> Iterator[_Kind]:
    """Return the kinds of rules that a log may teach, but for some; of each those that interfere least first."""
    return (kind for kind in _all_kinds(log, edges) if kind.about not in without)


def _all_kinds(log, edges):
    used = size_in_use(log)
    if used < LEAST_USED * log.require_servers():
        yield _Kind("size", {"servers": used})
    for seconds in CYCLES:
        yield _Kind("cycle", {"cycle": seconds})
    yield from _of_users(log, used)
    limits = log.estimates_used
    taught = log.arrival[log.arrival < edges[-1]]
    summer = ahead(log, taught) - ahead(log, taught, standard=True)
    clocks = (False, True) if np.ptp(summer) > 0 else (False,)
    steps = STEPS if limits is not None else (0.0,)
    by_need = [(part, steps[0]) for part in used // PARTS_OF_SMALL if part >= 1]
    for (small, step), standard in product([*product([np.inf], steps), *by_need], clocks):
        classes = np.array([np.inf]) if limits is None else octaves(limits, step)
        seen = exposure(log, classes, edges, standard=standard, small=small)
        for share in SHARES:
            yield _Kind("hours", {}, seen, share)
    for grace in GRACES:
        yield _Kind("grace", {"grace": grace})


def _of_users(log, used):
    """Yield limits of users: the most that one had at once, which the limit is if it bound them, and some below it."""
    if log.user is None or not (log.user >= 0).any():
        return
    most, jobs = user_peak(log), user_peak(log, jobs=True)
    for servers in [most, *(part for part in (used // PARTS_OF_SIZE) if most > part >= 1)]:
        yield _Kind("servers of a user", {"user_servers": float(servers)})
    for number in [jobs, *(part for part in (jobs // PARTS_OF_JOBS) if part >= 1)]:
        yield _Kind("jobs of a user", {"user_jobs": float(number)})
