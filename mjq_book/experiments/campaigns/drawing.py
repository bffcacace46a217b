"""What a summary of a log holds, and how a log is drawn from it: campaigns of jobs first, then when they come.

The jobs are dealt like cards. The deck has each need and level of run time in its share of the jobs. So each draw has
the needs and the run times of the log, and campaigns say in which order. Most jobs of a campaign are like an earlier
one of it, which lies at least l jobs back with probability 1/l.

Campaigns that are placed independently make work vary too much, as if people submitted less when the machine is busy.
So they are placed one by one, that with the most work first. Each looks at several times to begin, and takes the one
with the least work in the two weeks ahead.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mjq._util.compiling import compiled
from mjq_logs.reading.log import Log

HOUR, DAY, WEEK = 3600.0, 86_400.0, 604_800.0
LATE = 6 * HOUR  # a longer gap ends at an hour at which people submit
LEVELS, THIRDS = 12, 3  # of run time in each group, and parts of them
WORK_CLASSES, RUN_CLASSES = 4, 5  # of jobs by their work, and by their run times
CLOCK = np.array([0, 1, 3, 8, 24, 64])  # classes of the jobs since a campaign had a need for the first time
AGES = np.array([1, 2, 3, 6, 11, 31, 101, 301])  # classes of the jobs that a campaign has had
MEMORY = 1000  # jobs back, of which one may be copied
# How likely each other level is, by its distance.
OTHER = np.ldexp(1.0, -np.abs(np.arange(LEVELS)[:, None] - np.arange(LEVELS))) - np.eye(LEVELS)
AHEAD, NEAR = 14, 5  # days ahead at which a campaign looks before it begins; day k of them counts 1 / (k + NEAR)
TRIES = 20  # to end a gap at an hour at which people submit
GRID = 257  # points at which gaps are tabulated, so that nothing is computed by a power where jobs are drawn
GAP_LEVELS = 0.02, 0.15, 0.30, 0.45, 0.60, 0.75, 0.90, 0.98
GAP_PARTS = np.array([0.0, *GAP_LEVELS, 1.0])
FACTOR_LEVELS = 0.05, 0.20, 0.35, 0.50, 0.65, 0.80, 0.95


class Chain(NamedTuple):
    """Hold how jobs follow each other in a campaign; a cell is a group of needs and a third of its levels."""

    begin: np.ndarray
    fresh: np.ndarray
    """Shares of the campaigns that begin in each cell, and of the jobs that are drawn anew; float array, shape (G,
    THIRDS)."""
    keep: float
    """Probability that a job whose need is drawn anew has the level of the job before."""
    copy: np.ndarray
    near: np.ndarray
    """Probability that a job is like an earlier one, and that it has its need and another level: by the class of the
    work of the job before, and by the jobs since the campaign had a need for the first time; float array, shape
    (WORK_CLASSES, len(CLOCK))."""
    end: np.ndarray
    """Probability that a campaign ends after a job of each cell; float array, shape (G, THIRDS)."""
    age: np.ndarray
    """Factors of that, by the jobs that the campaign has had; float array, shape (len(AGES),)."""
    pace: np.ndarray
    """Probability that the gap before a job is copied with the job, which is then between the same two quantiles; float
    array, shape (WORK_CLASSES,)."""


class Summary(NamedTuple):
    """Hold a summary of a log."""

    servers: float
    load: float
    """Of the log: its work is that part of what all servers could do between its first and its last arrival."""
    needs: np.ndarray
    shares: np.ndarray
    """Servers that jobs need, and which share of the jobs does; float array, shape (N,)."""
    groups: np.ndarray
    """The needs that groups of needs are named after; each need belongs to the nearest one, by its logarithm; float
    array, shape (G,)."""
    runs: np.ndarray
    weights: np.ndarray
    """Levels of run time of each group [s], and their probabilities; float array, shape (G, LEVELS)."""
    profile: np.ndarray
    """Shares of what comes by hours of a busy and of a quiet day; float array, shape (2, 24)."""
    quiet: np.ndarray
    """The two quiet days of the week; int array, shape (2,)."""
    limits: np.ndarray | None = None
    """Popular limits of run time [s], and as the last one the longest that several jobs have; None if the log has no
    limits; float array, or None."""
    popular: float = 0.0
    """Share of the jobs whose limit is a popular one."""
    factors: np.ndarray | None = None
    """Quantiles of limits over run times, by classes of run times; float array, shape (RUN_CLASSES,
    len(FACTOR_LEVELS)), or None."""
    repeat: np.ndarray | None = None
    """The probability that a job repeats the need of the one before, and then its level, if there are no campaigns;
    float array, shape (2,), or None."""
    chain: Chain | None = None
    """Of the campaigns."""
    gaps: np.ndarray | None = None
    """Quantiles of the times between jobs of a campaign [s], by the class of the work of the job before and by whether
    the need changes or stays; float array, shape (WORK_CLASSES, 2, len(GAP_LEVELS)), or None."""
    looks: float | None = None
    """At how many times more than one a campaign looks before it begins, on average."""

    @property
    def size(self) -> int:
        """Return how many numbers the summary holds."""
        return sum(np.size(x) for x in (*self, *(self.chain or ())) if isinstance(x, float | np.ndarray))

    @property
    def group(self) -> np.ndarray:
        """Return the group of each need."""
        return nearest(self.needs, self.groups)

    @property
    def cell(self) -> np.ndarray:
        """Return the cell of each need and level."""
        return self.group[:, None] * THIRDS + np.arange(LEVELS) * THIRDS // LEVELS

    @property
    def share(self) -> np.ndarray:
        """Return the share of the jobs that has each need and level."""
        return self.shares[:, None] * self.weights[self.group]

    def run_of(self, kind: np.ndarray, level: np.ndarray) -> np.ndarray:
        """Return the run times of jobs by need and level, in whole seconds."""
        return np.maximum(1.0, np.round(self.runs[self.group[kind], level]))

    def span(self, work: np.ndarray) -> float:
        """Return how long jobs take to come at the load of the log [s]."""
        return work.sum() / (self.load * self.servers)

    def work_class(self) -> np.ndarray:
        """Return the class of the work of each need and level."""
        return self._classes(self.needs[:, None] * self.runs[self.group], WORK_CLASSES)

    def run_class(self) -> np.ndarray:
        """Return the class of the run time of each need and level."""
        return self._classes(self.runs[self.group], RUN_CLASSES)

    def _classes(self, values, classes):
        """Return the class of a value of each need and level: equal parts of half the jobs and half the work."""
        work = self.share * self.needs[:, None] * self.runs[self.group]
        part = self.share / self.share.sum() / 2 + work / work.sum() / 2
        order = np.argsort(values, axis=None, kind="stable")
        middle = np.cumsum(part.ravel()[order]) - part.ravel()[order] / 2
        result = np.empty(values.size, dtype=int)
        result[order] = np.minimum((middle * classes).astype(int), classes - 1)
        return result.reshape(values.shape)

    def week(self) -> np.ndarray:
        """Return how likely it is to submit in each hour of each day, over the likeliest one."""
        return self.profile[np.isin(np.arange(7), self.quiet).astype(int)] / self.profile.max()

    def gap_tables(self) -> np.ndarray:
        """Return gaps at equally spaced probabilities, by class of work and by whether the need changes or stays."""
        assert self.gaps is not None
        parts, rows = np.linspace(0, 1, GRID), np.log(self.gaps.reshape(-1, len(GAP_LEVELS)) + 1)
        tables = np.array([np.exp(np.interp(parts, GAP_LEVELS, row)) - 1 for row in rows])
        return np.round(tables, 6)  # so that no gap is late on one processor only

    def draw(self, jobs: int, seed: int) -> Log:
        """Draw a log at the load of the one that was summarized; its users are campaigns, one number each.

        >>> from mjq_book.experiments.campaigns.fitting import summarize
        >>> from mjq_logs import example_log
        >>> site = summarize(example_log())
        >>> copy = site.draw(jobs=2000, seed=1)
        >>> len(copy), copy.servers, site.size < 700
        (2000, 64.0, True)
        """
        rng = np.random.default_rng(seed)
        if self.chain is None:
            kind, level = _single_jobs(rng, self.shares, self.weights[self.group], self.repeat, jobs)
            begins = np.zeros(jobs, dtype=bool)
        else:
            kind, level, gap, rank, begins = self.campaigns(rng, jobs)
        need, run = self.needs[kind], self.run_of(kind, level)
        work = need * run
        if self.chain is None:
            arrival = np.sort(placed_singly(rng, self.week(), jobs, self.span(work)))
        else:
            arrival = self.placed(rng, gap, rank, begins, work)
        changed = begins | np.append(True, (kind[1:] != kind[:-1]) | (level[1:] != level[:-1]))
        estimate = self._limits(rng, self.run_class()[kind, level], run, changed)
        place = np.argsort(arrival, kind="stable")
        log = Log(need=need, run=run, estimate=estimate, user=np.cumsum(begins) - 1, servers=self.servers)
        return log.of(place, submit=np.floor(arrival[place]))

    def campaigns(self, rng: np.random.Generator, jobs: int) -> tuple[np.ndarray, ...]:
        """Return need, level, kind of gap, its rank, and whether it begins a campaign, for each job."""
        assert self.chain is not None
        share = self.share / self.share.sum()
        usual = np.bincount(self.cell.ravel(), share.ravel())
        deck, chain, back = _deck(rng, share, jobs), self.chain, np.arange(jobs)
        left = np.bincount(self.cell.ravel(), deck.ravel(), len(usual))
        clock = np.searchsorted(CLOCK, back, side="right") - 1
        age = chain.age[np.searchsorted(AGES, back + 1, side="right") - 1]
        chances = chain.begin.ravel() / usual, chain.fresh.ravel() / usual, chain.end.ravel(), age
        return _campaigns(rng, chain, *chances, clock, deck, left, self.group, self.cell, self.work_class())

    def placed(
        self, rng: np.random.Generator, gap: np.ndarray, rank: np.ndarray, begins: np.ndarray, work: np.ndarray
    ) -> np.ndarray:
        """Return when jobs of campaigns come."""
        times = self.week(), self.gap_tables()
        return _placed(rng, *times, gap, rank, begins, work, self.span(work), self.looks)

    def _limits(self, rng, of, run, changed):
        """Draw limits: a campaign keeps its factor as long as it keeps need and level."""
        if self.limits is None or self.factors is None:
            return None
        since = np.maximum.accumulate(np.where(changed, np.arange(len(run)), 0))
        part, popular = rng.random(len(run))[since], rng.random(len(run))[since] < self.popular
        factor = np.empty(len(run))
        for k, row in enumerate(self.factors):
            factor[of == k] = np.exp(np.interp(part[of == k], FACTOR_LEVELS, np.log(row)))
        asked = np.maximum(run, np.minimum(run * factor, self.limits[-1]))
        common = self.limits[:-1]
        near = np.maximum(nearest(asked, common), np.searchsorted(common, run))
        fits = popular & (near < len(common))
        return np.ceil(np.where(fits, common[np.minimum(near, len(common) - 1)], asked))


def nearest(values: np.ndarray, named: np.ndarray) -> np.ndarray:
    """Return the place of the nearest of some rising numbers, by ratio; in the middle it is the lower one.

    >>> nearest(np.array([1.0, 12.0, 13.0, 90.0]), np.array([1.0, 9.0, 16.0])).tolist()
    [0, 1, 2, 2]
    """
    return np.searchsorted(np.sqrt(named[1:] * named[:-1]), values)


# --- Needs and levels ---


def _deck(rng, shares, jobs):
    """Return how many of some jobs have each need and level; what is left of whole numbers is drawn evenly."""
    expected = (shares * jobs).ravel()
    deck = expected.astype(int)
    spare, rest = jobs - deck.sum(), np.cumsum(expected - deck)
    at = (np.arange(spare) + rng.random()) * rest[-1] / spare
    more = np.minimum(np.searchsorted(rest, at, side="right"), deck.size - 1)
    return (deck + np.bincount(more, minlength=deck.size)).reshape(shares.shape)


@compiled()
def _place(rng, weights):
    """Return a place, as likely as its weight says, or -1 if there is no weight."""
    total, summed = 0.0, 0.0
    for weight in weights:
        total += weight
    if total == 0:
        return -1
    at = rng.random() * total
    for k in range(len(weights)):
        summed += weights[k]
        if summed > at:
            return k
    return len(weights) - 1


@compiled()
def _dealt(rng, likely, deck, left, cells):
    """Deal one job: a cell by how many cards are left of it and how likely it is, then any of its cards."""
    cell = _place(rng, likely * left)
    card = _place(rng, (1.0 * deck * (cells == cell)).ravel())
    return card // LEVELS, card % LEVELS


@compiled()
def _campaigns(rng, chain, begin_at, go_on, end, age, clock, deck, left, groups, cells, work_class):
    """Draw jobs, the campaigns in a row; `left` are the cards of each cell, and ages and clocks are by jobs back."""
    jobs = len(clock)
    need, level, gap = np.empty(jobs, np.int64), np.empty(jobs, np.int64), np.zeros(jobs, np.int64)
    rank, begins = np.empty(jobs), np.zeros(jobs, np.bool_)
    seen = np.full(len(deck), -1)
    new, begin, fresh, w, b = True, 0, 0, 0, 0
    for k in range(jobs):
        before, was, work, copied = w, b, work_class[w, b], -1
        if new:
            begin, fresh, begins[k] = k, k, True
            w, b = _dealt(rng, begin_at, deck, left, cells)
        else:
            since = clock[k - 1 - fresh]
            part, copy = rng.random(), chain.copy[work, since]
            if part < copy + chain.near[work, since]:
                copied = k - _back(rng, k - begin)
                w, b = need[copied], level[copied]
                if part >= copy or deck[w, b] == 0:
                    b = _place(rng, OTHER[b] * (deck[w] > 0))
            if copied < 0 or b < 0:  # all jobs of the need have been dealt
                copied = -1
                w, b = _dealt(rng, go_on, deck, left, cells)
                if rng.random() < chain.keep:
                    other = _place(rng, (groups == groups[w]) * 1.0 * deck[:, was])
                    if other >= 0:
                        w, b = other, was
            gap[k] = 2 * work + (1 if w == before else 0)
        if copied > begin and rng.random() < chain.pace[work]:
            low = 0
            while GAP_PARTS[low + 1] <= rank[copied]:
                low += 1
            rank[k] = GAP_PARTS[low] + rng.random() * (GAP_PARTS[low + 1] - GAP_PARTS[low])
        else:
            rank[k] = rng.random()
        if seen[w] < begin:
            fresh = k
        seen[w] = k
        need[k], level[k] = w, b
        deck[w, b] -= 1
        left[cells[w, b]] -= 1
        new = rng.random() < end[cells[w, b]] * age[k - begin]
    return need, level, gap, rank, begins


@compiled()
def _back(rng, jobs):
    """Return how many jobs back the job is that is copied: at least l of them with probability 1 / l."""
    jobs = min(jobs, MEMORY)
    least = 1.0 / (jobs + 1)
    return min(jobs, int(1.0 / (least + rng.random() * (1.0 - least))))


@compiled()
def _single_jobs(rng, shares, weights, repeat, jobs):
    """Return need and level of jobs of which each may repeat the need of the one before, and then its level."""
    need, level = np.empty(jobs, np.int64), np.empty(jobs, np.int64)
    w, b = -1, 0
    for k in range(jobs):
        before = w
        if k == 0 or rng.random() >= repeat[0]:
            w = _place(rng, shares)
        if w != before or rng.random() >= repeat[1]:
            b = _place(rng, weights[w])
        need[k], level[k] = w, b
    return need, level


# --- Times ---


@compiled()
def _begin(rng, week, days, span):
    """Return when a campaign may begin: a week at random, then a day and an hour of the profile."""
    while True:
        weeks = np.floor(rng.random() * (span / WEEK + 1))
        day = _place(rng, days)
        hour = _place(rng, week[day])
        begin = weeks * WEEK + day * DAY + (hour + rng.random()) * HOUR
        if begin < span:
            return begin


@compiled()
def _by_day(week):
    days = np.empty(len(week))
    for day in range(len(week)):
        days[day] = week[day].sum()
    return days


@compiled()
def placed_singly(rng: np.random.Generator, week: np.ndarray, jobs: int, span: float) -> np.ndarray:
    """Return when jobs come that know nothing of each other, in any order."""
    arrival, days = np.empty(jobs), _by_day(week)
    for k in range(jobs):
        arrival[k] = _begin(rng, week, days, span)
    return arrival


@compiled()
def _gap(table, rank):
    at = rank * (len(table) - 1)
    k = min(int(at), len(table) - 2)
    return table[k] + (at - k) * (table[k + 1] - table[k])


@compiled()
def _late(rng, week, table, now, gap):
    """Return when a long gap ends: it is drawn again until it ends at an hour at which people submit."""
    for _ in range(TRIES):
        hour = int((now + gap) // HOUR)
        if rng.random() < week[hour // 24 % 7, hour % 24]:
            break
        for _ in range(TRIES):
            other = _gap(table, rng.random())
            if other > LATE:
                gap = other
                break
    return now + gap


@compiled()
def _ahead(busy, time):
    """Return the work of two weeks from a day on, the first day again after the last; near days count more."""
    total = 0.0
    for k in range(AHEAD):
        total += busy[(int(time // DAY) + k) % len(busy)] / (k + NEAR)
    return total


def _placed(rng, week, gap_tables, gap, rank, begins, work, span, looks):
    """Return when jobs of campaigns come; what would come after the span comes at its beginning."""
    first = np.append(np.flatnonzero(begins), len(gap))
    order = np.argsort(-np.bincount(np.cumsum(begins) - 1, work), kind="stable")
    return _in_order(rng, week, gap_tables, gap, rank, first, order, work, span, looks)


@compiled()
def _in_order(rng, week, gap_tables, gap, rank, first, order, work, span, looks):
    """Place the campaigns in an order; the jobs of each are those from its first one on."""
    arrival, days, busy = np.empty(len(gap)), _by_day(week), np.zeros(int(span // DAY) + 1)
    for c in order:
        now = _begin(rng, week, days, span)
        for _ in range(int(looks) + (1 if rng.random() < looks - int(looks) else 0)):
            other = _begin(rng, week, days, span)
            if _ahead(busy, other) < _ahead(busy, now):
                now = other
        for k in range(first[c], first[c + 1]):
            if k > first[c]:
                pause = _gap(gap_tables[gap[k]], rank[k])
                now = _late(rng, week, gap_tables[gap[k]], now, pause) if pause > LATE else now + pause
            arrival[k] = now % span
            busy[int(arrival[k] // DAY)] += work[k]
    return arrival
