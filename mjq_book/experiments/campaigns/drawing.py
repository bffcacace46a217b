"""How jobs are drawn from a summary: campaigns of jobs first, then the times at which they come.

The jobs are dealt like cards. The deck has each need and level of run time in its share of the jobs. So each draw has
the needs and the run times of the log, and campaigns say in which order. Most jobs of a campaign are like an earlier
one of it, which lies at least l jobs back with probability 1/l.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mjq._util.compiling import numba

HOUR, DAY, WEEK = 3600.0, 86_400.0, 604_800.0
LATE = 6 * HOUR  # a longer gap ends at an hour of the profile
THIRDS = 3  # of the levels of run time of a group
WORK_CLASSES = 4  # of jobs by their work
CLOCK = np.array([0, 1, 3, 8, 24, 64])  # classes of the jobs since a campaign had a need for the first time
AGES = np.array([1, 2, 3, 6, 11, 31, 101, 301])  # classes of the jobs that a campaign has had
MEMORY = 1000  # jobs back, of which one may be copied
HALVES = np.ldexp(1.0, -np.arange(64))  # how likely a level is by its distance from another one
AHEAD, NEAR = 14, 5  # days ahead at which a campaign looks before it begins; day k of them counts 1 / (k + NEAR)
TRIES, MOST_TRIES = 20, 1000  # to end a gap at an hour at which people submit, and to begin within the span
GRID = 257  # points at which gaps are tabulated, so that nothing is computed by a power where jobs are drawn


class Chain(NamedTuple):
    """Hold what campaigns are drawn from; needs are sorted by group, and cells are the thirds of each group.

    Attributes
    ----------
    first : int array, shape (G + 1,)
        Where the needs of each group begin.
    group : int array, shape (N,)
        The group of each need.
    shares : float array, shape (N, B)
        Shares of the jobs by need and level.
    begin, fresh : float array, shape (G * THIRDS,)
        How much likelier than by its share of the jobs a campaign begins in a cell, or draws a job anew there.
    keep : float
        Probability that a job whose need is drawn anew has the level of the job before.
    copy, near : float array, shape (WORK_CLASSES, len(CLOCK))
        Probability that a job is like an earlier one, and that it has its need and another level; by the class of the
        work of the job before and by the jobs since the campaign had a need for the first time.
    end : float array, shape (G * THIRDS,)
        Probability that a campaign ends after a job of a cell.
    age : float array, shape (len(AGES),)
        Factors of that, by the jobs that the campaign has had.
    work : int array, shape (N, B)
        Classes of work.
    pace : float array, shape (WORK_CLASSES,)
        Probability that the gap before a job is copied with the job.
    parts : float array
        Probabilities between which a gap is copied: it falls between the same two quantiles.
    """

    first: np.ndarray
    group: np.ndarray
    shares: np.ndarray
    begin: np.ndarray
    fresh: np.ndarray
    keep: float
    copy: np.ndarray
    near: np.ndarray
    end: np.ndarray
    age: np.ndarray
    work: np.ndarray
    pace: np.ndarray
    parts: np.ndarray


class Times(NamedTuple):
    """Hold what times are drawn from.

    Attributes
    ----------
    gaps : float array, shape (2 * WORK_CLASSES, GRID)
        Gaps [s] at equally spaced probabilities: for each class of the work of the job before, a gap before a job of
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
def _deck(rng, shares, jobs):
    """Return how many of some jobs have each need and level; what is left of whole numbers is drawn evenly."""
    needs, levels = shares.shape
    deck, rest = np.zeros((needs, levels), np.int64), np.zeros(needs * levels)
    total, spare = 0.0, jobs
    for k in range(needs * levels):
        expected = shares[k // levels, k % levels] * jobs
        deck[k // levels, k % levels] = int(expected)
        spare -= int(expected)
        total += expected - int(expected)
        rest[k] = total
    shift, k = rng.random(), 0
    for card in range(spare):
        while k < needs * levels - 1 and rest[k] <= (card + shift) * total / spare:
            k += 1
        deck[k // levels, k % levels] += 1
    return deck


@numba.njit(cache=True, nogil=True)
def _dealt(rng, chain, likely, deck, of_cell, summed):
    """Deal one job: a cell by its cards and how likely it is, then any of its cards."""
    total = 0.0
    for cell in range(len(of_cell)):
        total += likely[cell] * of_cell[cell]
        summed[cell] = total
    cell = _place(summed[: len(of_cell)], rng.random())
    group, third = cell // THIRDS, cell % THIRDS
    levels = deck.shape[1]
    low, high = third * levels // THIRDS, (third + 1) * levels // THIRDS
    begin, end = chain.first[group], chain.first[group + 1]
    total, k = 0.0, 0
    for need in range(begin, end):
        for level in range(low, high):
            total += deck[need, level]
            summed[k] = total
            k += 1
    k = _place(summed[:k], rng.random())
    return begin + k // (high - low), low + k % (high - low)


@numba.njit(cache=True, nogil=True)
def _of_level(rng, begin, end, level, deck, summed):
    """Return a need of a group that has a card of a level, or -1."""
    total = 0.0
    for need in range(begin, end):
        total += deck[need, level]
        summed[need - begin] = total
    return begin + _place(summed[: end - begin], rng.random()) if total > 0 else -1


@numba.njit(cache=True, nogil=True)
def _near(rng, level, deck, summed):
    """Return another level of which there is a card, or -1; near levels are more probable."""
    total = 0.0
    for other in range(len(deck)):
        if other != level and deck[other] > 0:
            total += HALVES[abs(other - level)]
        summed[other] = total
    return _place(summed[: len(deck)], rng.random()) if total > 0 else -1


@numba.njit(cache=True, nogil=True)
def _back(rng, jobs):
    """Return how many jobs back the job is that is copied: at least l of them with probability 1 / l."""
    jobs = min(jobs, MEMORY)
    least = 1.0 / (jobs + 1)
    return min(jobs, int(1.0 / (least + rng.random() * (1.0 - least))))


@numba.njit(cache=True, nogil=True)
def _class(bounds, value):
    """Return the last class that begins at or below a value."""
    k = len(bounds) - 1
    while bounds[k] > value:
        k -= 1
    return k


@numba.njit(cache=True, nogil=True)
def drawn_campaigns(
    rng: np.random.Generator, chain: Chain, jobs: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return need, level, kind of gap, its rank, and whether it begins a campaign, for each job; campaigns in a row."""
    need, level = np.empty(jobs, np.int32), np.empty(jobs, np.int32)
    gap, rank, begins = np.zeros(jobs, np.int32), np.zeros(jobs), np.zeros(jobs, np.bool_)
    deck = _deck(rng, chain.shares, jobs)
    levels = deck.shape[1]
    of_cell = np.zeros(len(chain.end))
    for w in range(len(deck)):
        for b in range(levels):
            of_cell[chain.group[w] * THIRDS + b * THIRDS // levels] += deck[w, b]
    seen, summed = np.full(len(deck), -1), np.empty(deck.size)
    new, begin, fresh, w, b = True, 0, 0, 0, 0
    for k in range(jobs):
        before, of_work, copied = w, chain.work[w, b], -1
        if new:
            begin, fresh, begins[k] = k, k, True
            w, b = _dealt(rng, chain, chain.begin, deck, of_cell, summed)
        else:
            clock = _class(CLOCK, k - 1 - fresh)
            part, copy = rng.random(), chain.copy[of_work, clock]
            if part < copy + chain.near[of_work, clock]:
                copied = k - _back(rng, k - begin)
                w, other = need[copied], level[copied]
                if part >= copy or deck[w, other] == 0:
                    other = _near(rng, other, deck[w], summed)
                if other < 0:  # all jobs of this need have been dealt
                    copied = -1
                else:
                    b = other
            if copied < 0:
                was = b
                w, b = _dealt(rng, chain, chain.fresh, deck, of_cell, summed)
                if rng.random() < chain.keep:
                    group = chain.group[w]
                    other = _of_level(rng, chain.first[group], chain.first[group + 1], was, deck, summed)
                    if other >= 0:
                        w, b = other, was
            gap[k] = 2 * of_work + (1 if w == before else 0)
        if copied > begin and rng.random() < chain.pace[of_work]:
            low = _class(chain.parts[:-1], rank[copied])
            rank[k] = chain.parts[low] + rng.random() * (chain.parts[low + 1] - chain.parts[low])
        else:
            rank[k] = rng.random()
        if seen[w] < begin:
            fresh = k
        seen[w] = k
        need[k], level[k] = w, b
        cell = chain.group[w] * THIRDS + b * THIRDS // levels
        deck[w, b] -= 1
        of_cell[cell] -= 1
        new = rng.random() < chain.end[cell] * chain.age[_class(AGES, k - begin + 1)]
    return need, level, gap, rank, begins


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
    """Return when a campaign may begin: a week at random, then a day and an hour of the profile.

    In a span of less than an hour or so this may hardly be met; then it is any time.
    """
    for _ in range(MOST_TRIES):
        week = np.floor(rng.random() * (span / WEEK + 1))
        day = _place(times.days, rng.random())
        hour = _place(times.summed[1 if times.quiet[day] else 0], rng.random())
        begin = week * WEEK + day * DAY + (hour + rng.random()) * HOUR
        if begin < span:
            return begin
    return rng.random() * span


@numba.njit(cache=True, nogil=True)
def _gap(table, rank):
    """Return the gap of a rank, from 0 to 1, from its table."""
    at = rank * (len(table) - 1)
    k = min(int(at), len(table) - 2)
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
            other = _gap(table, rng.random())
            if other > LATE:
                gap = other
                break
    return now + gap


@numba.njit(cache=True, nogil=True)
def _some(rng, mean):
    """Return a whole number with this mean: it is rounded up or down."""
    return int(mean) + (1 if rng.random() < mean - int(mean) else 0)


@numba.njit(cache=True, nogil=True)
def _ahead(busy, day):
    """Return the work of two weeks from a day on, the first day again after the last; near days count more."""
    total = 0.0
    for k in range(AHEAD):
        total += busy[(day + k) % len(busy)] / (k + NEAR)
    return total


@numba.njit(cache=True, nogil=True)
def placed(
    rng: np.random.Generator,
    times: Times,
    gap: np.ndarray,
    rank: np.ndarray,
    begins: np.ndarray,
    work: np.ndarray,
    span: float,
    looks: float,
) -> np.ndarray:
    """Return when jobs of campaigns come; what would come after the span comes at its beginning.

    Campaigns are placed one by one, that with the most work first, so that small ones fill what large ones leave. A
    campaign looks at several times to begin, one and on average `looks` more, and begins where least work has been
    placed in the two weeks ahead.
    """
    arrival = np.empty(len(gap))
    busy = np.zeros(int(span // DAY) + 1)
    first = np.append(np.flatnonzero(begins), len(gap))
    total = np.array([work[first[c] : first[c + 1]].sum() for c in range(len(first) - 1)])
    for c in np.argsort(-total, kind="mergesort"):
        now = _begin(rng, times, span)
        for _ in range(_some(rng, looks)):
            other = _begin(rng, times, span)
            if _ahead(busy, int(other // DAY)) < _ahead(busy, int(now // DAY)):
                now = other
        for k in range(first[c], first[c + 1]):
            if k > first[c]:
                table = times.gaps[gap[k]]
                pause, before = _gap(table, rank[k]), now
                now = before + pause
                if pause > LATE:
                    now = _late(rng, times, table, before, pause)
            arrival[k] = now % span
            busy[int(arrival[k] // DAY)] += work[k]
    return arrival


@numba.njit(cache=True, nogil=True)
def placed_singly(rng: np.random.Generator, times: Times, jobs: int, span: float) -> np.ndarray:
    """Return when jobs come that know nothing of each other, in any order."""
    arrival = np.empty(jobs)
    for k in range(jobs):
        arrival[k] = _begin(rng, times, span)
    return arrival
