"""How jobs are drawn from a summary: campaigns of jobs first, then the times at which they come."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mjq._util.compiling import numba

__all__ = [
    "DAY", "GRID", "HOUR", "LATE", "THIRDS", "WEEK", "Chain", "Times", "chance_walk", "drawn_campaigns", "placed",
    "placed_singly",
]  # fmt: skip

HOUR, DAY, WEEK = 3600.0, 86_400.0, 604_800.0
LATE = 6 * HOUR  # a longer gap ends at an hour of the profile
THIRDS = 3  # of the levels of run time of a group
TRIES = 20  # to end a gap at an hour at which people submit
GRID = 257  # points at which gaps are tabulated, so that nothing is computed by a power where jobs are drawn


class Chain(NamedTuple):
    """Hold what a campaign is drawn from; needs are sorted by group.

    Attributes
    ----------
    first : int array, shape (G + 1,)
        Where the needs of each group begin.
    needs : float array, shape (N,)
        Probabilities of the needs of each group, summed up within the group.
    start : float array, shape (G * B,)
        Probabilities of groups and levels at the beginning of a campaign, summed up.
    levels : float array, shape (G, B)
        Probabilities of the levels of a group when a level is drawn anew, summed up.
    moves : float array, shape (G, G)
        Probabilities of the next group when the need is drawn anew, summed up.
    end, stay, same : float array, shape (G * THIRDS,)
    neighbour, kept : float array, shape (G,)
    """

    first: np.ndarray
    needs: np.ndarray
    start: np.ndarray
    levels: np.ndarray
    moves: np.ndarray
    end: np.ndarray
    stay: np.ndarray
    same: np.ndarray
    neighbour: np.ndarray
    kept: np.ndarray


class Times(NamedTuple):
    """Hold what times are drawn from.

    Attributes
    ----------
    gaps : float array, shape (2 * THIRDS, GRID)
        Gaps [s] at equally spaced probabilities: for each third of the levels of the job before, a gap before a job of
        another need and one before a job of the same need.
    hours : float array, shape (2, 24)
        How probable it is to submit in each hour of a busy and of a quiet day, over the most probable one.
    summed : float array, shape (2, 24)
        The same, summed up to one.
    days : float array, shape (7,)
        Probabilities of the days of a week, summed up.
    quiet : bool array, shape (7,)
    """

    gaps: np.ndarray
    hours: np.ndarray
    summed: np.ndarray
    days: np.ndarray
    quiet: np.ndarray


@numba.njit(cache=True, nogil=True)
def _place(summed, part):
    """Return the first place whose summed probability exceeds a part of the whole."""
    last = len(summed) - 1
    part *= summed[last]
    low, high = 0, last
    while low < high:
        middle = (low + high) // 2
        if summed[middle] > part:
            high = middle
        else:
            low = middle + 1
    return low


@numba.njit(cache=True, nogil=True)
def _need(rng, chain, group):
    begin, end = chain.first[group], chain.first[group + 1]
    return begin + _place(chain.needs[begin:end], rng.random())


@numba.njit(cache=True, nogil=True)
def drawn_campaigns(
    rng: np.random.Generator, chain: Chain, jobs: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return need, level, kind of gap and whether it begins a campaign, for each of some jobs; campaigns in a row."""
    need, level = np.empty(jobs, np.int32), np.empty(jobs, np.int32)
    gap, begins = np.zeros(jobs, np.int32), np.zeros(jobs, np.bool_)
    levels = chain.levels.shape[1]
    new, group, w, b = True, 0, 0, 0
    for k in range(jobs):
        if new:
            begins[k] = True
            cell = _place(chain.start, rng.random())
            group, b = cell // levels, cell % levels
            w = _need(rng, chain, group)
        else:
            third = b * THIRDS // levels
            before, was = w, group
            if rng.random() >= chain.stay[group * THIRDS + third]:
                group = _place(chain.moves[group], rng.random())
                w = _need(rng, chain, group)
            if w != before:
                if rng.random() >= chain.kept[was]:
                    b = _place(chain.levels[group], rng.random())
            else:
                part, same = rng.random(), chain.same[group * THIRDS + third]
                if part >= same + chain.neighbour[group]:
                    b = _place(chain.levels[group], rng.random())
                elif part >= same:
                    up = b == 0 or (b < levels - 1 and rng.random() < 0.5)
                    b += 1 if up else -1
            gap[k] = 2 * third + (1 if w == before else 0)
        need[k], level[k] = w, b
        new = rng.random() < chain.end[group * THIRDS + b * THIRDS // levels]
    return need, level, gap, begins


@numba.njit(cache=True, nogil=True)
def chance_walk(
    rng: np.random.Generator,
    needs: np.ndarray,
    groups: np.ndarray,
    levels: np.ndarray,
    repeat_need: float,
    repeat_level: float,
    jobs: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Return need and level of jobs of which each may repeat the need of the one before, and then its level.

    `needs` are summed probabilities, `groups` those that they belong to, and `levels` the summed probabilities of each
    group.
    """
    need, level = np.empty(jobs, np.int32), np.empty(jobs, np.int32)
    w, b = -1, 0
    for k in range(jobs):
        before = w
        if k == 0 or rng.random() >= repeat_need:
            w = _place(needs, rng.random())
        if w != before or rng.random() >= repeat_level:
            b = _place(levels[groups[w]], rng.random())
        need[k], level[k] = w, b
    return need, level


@numba.njit(cache=True, nogil=True)
def _begin(rng, times, span):
    """Return when a campaign may begin: a week at random, then a day and an hour of the profile."""
    while True:
        week = np.floor(rng.random() * (span / WEEK + 1))
        day = _place(times.days, rng.random())
        hour = _place(times.summed[1 if times.quiet[day] else 0], rng.random())
        begin = week * WEEK + day * DAY + (hour + rng.random()) * HOUR
        if begin < span:
            return begin


@numba.njit(cache=True, nogil=True)
def _gap(rng, table):
    """Draw a gap from its table."""
    at = rng.random() * (len(table) - 1)
    k = int(at)
    return table[k] + (at - k) * (table[k + 1] - table[k])


@numba.njit(cache=True, nogil=True)
def _late(rng, times, table, now, gap):
    """Return when a long gap ends: it is drawn again until it ends at an hour at which people submit."""
    for _ in range(TRIES):
        hour = int((now + gap) // HOUR)
        kind = 1 if times.quiet[hour // 24 % 7] else 0
        if rng.random() < times.hours[kind, hour % 24]:
            break
        for _ in range(TRIES):
            other = _gap(rng, table)
            if other > LATE:
                gap = other
                break
    return now + gap


@numba.njit(cache=True, nogil=True)
def _looks(rng, mean):
    """Return a whole number with this mean: it is rounded up or down."""
    return int(mean) + (1 if rng.random() < mean - int(mean) else 0)


@numba.njit(cache=True, nogil=True)
def placed(
    rng: np.random.Generator,
    times: Times,
    gap: np.ndarray,
    begins: np.ndarray,
    work: np.ndarray,
    span: float,
    looks: float,
) -> np.ndarray:
    """Return when jobs of campaigns come; what would come after the span comes at its beginning.

    A campaign looks at weeks, one and on average `looks` more, and begins in the one in which least work has been
    placed.
    """
    come = np.empty(len(gap))
    days = int(span // DAY) + 1
    busy = np.zeros(days + 7)  # the first week comes again after the last
    now = 0.0
    for k in range(len(gap)):
        if begins[k]:
            now = _begin(rng, times, span)
            for _ in range(_looks(rng, looks)):
                other = _begin(rng, times, span)
                here, there = int(now // DAY), int(other // DAY)
                if busy[there : there + 7].sum() < busy[here : here + 7].sum():
                    now = other
        else:
            table = times.gaps[gap[k]]
            pause, before = _gap(rng, table), now
            now = before + pause
            if pause > LATE:
                now = _late(rng, times, table, before, pause)
        come[k] = now % span
        day = int(come[k] // DAY)
        busy[day] += work[k]
        if day < 7:
            busy[day + days] += work[k]
    return come


@numba.njit(cache=True, nogil=True)
def placed_singly(rng: np.random.Generator, times: Times, jobs: int, span: float) -> np.ndarray:
    """Return when jobs come that know nothing of each other, in any order."""
    come = np.empty(jobs)
    for k in range(jobs):
        come[k] = _begin(rng, times, span)
    return come
