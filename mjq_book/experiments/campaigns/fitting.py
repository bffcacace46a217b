"""Which numbers of a log a summary holds, and how they are fitted; nothing is fitted to waits.

Needs are exact; rare ones join the nearest, with their work kept. The needs with the largest share of the jobs or of
the work, up to eight, are *groups*, and the others belong to the nearest one. In each group the jobs are cut by run
time into twelve *levels*, which are equal in half the share of the jobs plus half the share of the work.

A *campaign* is the jobs of one user with gaps of at most 96 hours between them. Each job of it is like an earlier one,
has the need of an earlier one and another level of run time, or is drawn anew. It is assumed that the earlier job lies
at least l jobs back with probability 1/l. The probabilities of the three are fitted by likelihood, for four classes of
the work of the job before and for six of the number of jobs since the campaign had a need for the first time. The
longer a campaign has repeated itself, the more probable it is that it goes on to do so.

The probability that a campaign ends after a job depends on the group of the job, on the third of the levels that it is
in, and on how many jobs the campaign has had. The time to the next job is drawn from quantiles, by the class of the
work of the job before and by whether the need is the same. It may also be copied with the job, for some campaigns are
fast and others are slow. At how many times a campaign looks before it begins is fitted to how the work that comes in a
week and in a day varies, and to nothing else.

A log that does not tell its users gets two numbers of memory in place of campaigns: the probability that a job repeats
the need of the one before it beyond chance, and then its level.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mjq._util.compiling import compiled
from mjq_book.experiments.campaigns.drawing import (
    AGES,
    CLOCK,
    DAY,
    FACTOR_LEVELS,
    GAP_LEVELS,
    GAP_PARTS,
    HOUR,
    LATE,
    LEVELS,
    MEMORY,
    OTHER,
    RUN_CLASSES,
    THIRDS,
    WEEK,
    WORK_CLASSES,
    Chain,
    Summary,
    nearest,
)
from mjq_logs.reading.log import Log

FEWEST, OF_ALL = 5, 5000  # jobs behind a number; a need has at least one job in so many
MOST_GROUPS, MOST_LIMITS = 8, 14
APART = 96 * HOUR  # a longer gap ends a campaign
PRIOR = 10.0  # jobs that the mean over all cells counts for in each of them
ROUNDS = 50  # of the fit of mixtures
FIRST = 0.3  # what is kept or copied before the first of them
FITS, AT_ONCE, SLOWER = 80, 6, 20.0  # of the fit of the looks: steps, lists in each, and when steps become smaller
COPIES, GAIN, LONGEST_STEP, MOST_LOOKS = 60, 4.0, 0.5, 12.0  # of it, too: lists, how far a step goes, and the end
ALL_OTHERS = OTHER.sum(axis=1)
BEGINNINGS = 8  # of a day or a week, over which variation is averaged
SEED = 1_000_000


def short(values: ArrayLike) -> np.ndarray:
    """Return numbers with the three digits that a summary holds of each.

    >>> short([28481, 0.68561]).tolist()
    [28500.0, 0.686]
    """
    return np.vectorize(lambda value: float(f"{value:.3g}"), otypes=[float])(values)


def summarize(log: Log) -> Summary:
    """Return a summary of a log with times of arrival and servers.

    >>> from mjq_logs import example_log
    >>> len(summarize(example_log()).groups)
    8
    """
    arrival = log.require_arrivals() - log.require_arrivals()[0]
    hours = arrival if log.clock is None else log.require_arrivals() + log.clock
    needs, kind, run = _joined(log.need, log.run)
    work = needs[kind] * run
    groups = _groups(needs, kind, work)
    level, runs, weights = _levels(run, work, nearest(needs, groups)[kind], len(groups))
    late = np.ones(len(log), dtype=bool)
    if log.user is not None:
        order, begins = beginnings(arrival, log.user)
        late[order] = begins | (np.diff(arrival[order], prepend=0.0) > LATE)
    profile, quiet = _profile(hours, late)
    site = Summary(
        servers=log.require_servers(),
        load=float(short(work.sum() / (log.require_servers() * arrival[-1]))),
        needs=needs,
        shares=short(np.bincount(kind) / len(log)),
        groups=groups,
        runs=short(runs),
        weights=short(weights),
        profile=profile,
        quiet=quiet,
    )
    if log.estimates_used is not None:
        site = site._replace(**_limits(log.estimates_used, log.run, site.run_class()[kind, level]))
    if log.user is None:
        return site._replace(repeat=_two_numbers(site, kind, level))
    site = _with_campaigns(site, arrival[order], kind[order], level[order], begins)
    return site._replace(looks=float(short(_looks(site, arrival, work))))


# --- Needs, levels, limits, hours ---


def _joined(need, run):
    """Return the needs that are kept, that of each job, and run times; rare needs join the nearest, work kept."""
    needs, kind, count = np.unique(need, return_inverse=True, return_counts=True)
    kept = needs[count >= max(FEWEST, len(need) / OF_ALL)]
    joined = nearest(needs, kept)[kind]
    return kept, joined, run * need / kept[joined]


def _groups(needs, kind, work):
    weight = np.maximum(np.bincount(kind) / len(kind), np.bincount(kind, work) / work.sum())
    return needs[np.sort(np.argsort(-weight, kind="stable")[:MOST_GROUPS])]


def _levels(run, work, group, groups):
    """Return the level of each job, and the mean run time and the share of the jobs of each level of each group."""
    level = np.zeros(len(run), dtype=int)
    runs, weights = np.zeros((groups, LEVELS)), np.zeros((groups, LEVELS))
    for g in range(groups):
        of = np.flatnonzero(group == g)
        of = of[np.argsort(run[of], kind="stable")]
        part = 0.5 / len(of) + 0.5 * work[of] / work[of].sum()
        ends = np.append(np.searchsorted(np.cumsum(part) - part / 2, np.arange(1, LEVELS) / LEVELS), len(of))
        for k in range(LEVELS - 2, -1, -1):  # no level has fewer than five jobs
            ends[k] = min(ends[k], ends[k + 1] - FEWEST)
        level[of] = np.searchsorted(ends, np.arange(len(of)), side="right")
        count = np.bincount(level[of], minlength=LEVELS)
        runs[g], weights[g] = np.bincount(level[of], run[of]) / count, count / len(of)
    return level, runs, weights


def quantiles(values: np.ndarray, levels: ArrayLike) -> np.ndarray:
    """Return quantiles, none of which has fewer than five values beyond it."""
    edge = min(0.5, FEWEST / len(values))
    return np.quantile(values, np.clip(levels, edge, 1 - edge))


def _limits(limit, run, of):
    limits, count = np.unique(limit, return_counts=True)
    popular = np.sort(limits[np.argsort(-count, kind="stable")[:MOST_LIMITS]])
    longest = np.sort(limit)[-int(np.ceil(max(FEWEST, len(run) / OF_ALL)))]
    factor = limit / np.maximum(run, 1.0)
    return {
        "limits": short([*popular, longest if longest > popular[-1] else 1.02 * popular[-1]]),
        "popular": float(short(np.isin(limit, popular).mean())),
        "factors": short([quantiles(factor[of == k], FACTOR_LEVELS) for k in range(RUN_CLASSES)]),
    }


def _profile(hours, which):
    """Return the shares of what comes by hours of a busy and of a quiet day, and which two days are quiet."""
    day, hour = (hours // DAY).astype(int), (hours // HOUR).astype(int) % 24
    days = np.bincount(np.arange(day.min(), day.max() + 1) % 7, minlength=7)
    quiet = np.sort(np.argsort(np.bincount(day[which] % 7, minlength=7) / days, kind="stable")[:2])
    still = np.isin(day % 7, quiet)
    table = np.array([np.bincount(hour[which & (still == kind)], minlength=24) for kind in (False, True)], dtype=float)
    table = (table + FEWEST / 24) / [[5], [2]]  # no hour is without anybody
    return short(table / (5 * table[0].sum() + 2 * table[1].sum())), quiet


# --- Two numbers of memory ---


def _two_numbers(site, kind, level):
    """Return the probability to repeat the need beyond chance, and then the level beyond chance."""
    same = kind[1:] == kind[:-1]
    # Of the jobs whose need is that of the one before, all may repeat the level, also those who have it by chance.
    seen = np.array([same.mean(), (level[1:] == level[:-1])[same].mean()])
    by_level = (site.weights[site.group[kind[1:]]] ** 2).sum(axis=1)
    chance = np.array([(site.shares**2).sum(), by_level[same].mean()])
    return short((seen - chance) / (1 - chance))


# --- Campaigns ---


def beginnings(arrival: np.ndarray, user: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return an order of the jobs in which those of a campaign follow each other, and in it which ones begin one."""
    order = np.lexsort((arrival, user))
    begins = np.ones(len(arrival), dtype=bool)
    begins[1:] = (user[order][1:] != user[order][:-1]) | (np.diff(arrival[order]) > APART)
    return order, begins


def _with_campaigns(site, arrival, kind, level, begins):
    """Return a summary with the campaigns of a log, but for the looks."""
    cell, shape = site.cell[kind, level], (len(site.groups), THIRDS)
    work_before = np.append(0, site.work_class()[kind, level][:-1])
    first = np.maximum.accumulate(np.where(begins, np.arange(len(begins)), 0))
    repeats = np.append(False, kind[1:] == kind[:-1])
    gaps, part = _gaps(np.diff(arrival, prepend=arrival[0]), begins, work_before, repeats)
    same, near, known, alike, fresh = _history(first, kind, level, part, len(site.needs))
    counts = np.bincount(cell[begins], minlength=site.cell.max() + 1) + 1.0
    copied, keep, mix = _next_jobs(site, kind, level, cell, work_before, begins, same, near, fresh)
    end, age = _ends(cell, begins, first)
    chain = Chain(
        begin=short(counts / counts.sum()).reshape(shape), fresh=short(mix).reshape(shape), keep=float(short(keep)),
        copy=short(copied[0]), near=short(copied[1]), end=short(end).reshape(shape), age=short(age),
        pace=short(_pace(part, work_before, known, alike)),
    )  # fmt: skip
    return site._replace(chain=chain, gaps=short(gaps))


def _pooled(part, whole):
    """Return ratios; where there is little, they are near the ratio of all."""
    return (part + PRIOR * part.sum() / whole.sum()) / (whole + PRIOR)


@compiled()
def _history(first, kind, level, part, needs):
    """Return what a job has to do with the earlier ones of its campaign.

    The probabilities that a job that is copied is alike, and that it becomes this one if its level changes; of those
    of the same need, the probabilities that it has a gap before it, and that this gap is of the same part; and how many
    jobs ago the campaign had a need for the first time.
    """
    same, near, known, alike = np.zeros((4, len(kind)))
    fresh, seen = np.zeros(len(kind), np.int64), np.full(needs, -1)
    for k in range(len(kind)):
        back, of_need = min(k - first[k], MEMORY), 0.0
        for lag in range(1, back + 1):
            j = k - lag
            if kind[j] == kind[k]:
                weight = 1.0 / (lag * (lag + 1))
                of_need += weight
                if level[j] == level[k]:
                    same[k] += weight
                else:
                    near[k] += weight * OTHER[level[j], level[k]] / ALL_OTHERS[level[j]]
                if part[j] >= 0:
                    known[k] += weight
                    if part[j] == part[k]:
                        alike[k] += weight
        if of_need > 0:
            same[k] *= (back + 1) / back
            near[k] *= (back + 1) / back
            known[k] /= of_need
            alike[k] /= of_need
        if k > first[k] and seen[kind[k]] >= first[k]:
            fresh[k] = fresh[k - 1] + 1
        seen[kind[k]] = k
    return same, near, known, alike, fresh


def _next_jobs(site, kind, level, cell, work_before, begins, same, near, fresh):
    """Fit what a campaign asks for next, by likelihood: a job like an earlier one, another level, or one drawn anew."""
    then, shape = np.flatnonzero(~begins), (len(site.groups), THIRDS)
    clock = np.searchsorted(CLOCK, fresh, side="right") - 1
    at = work_before[then] * len(CLOCK) + clock[then - 1]
    pairs = np.bincount(at, minlength=WORK_CLASSES * len(CLOCK)).reshape(WORK_CLASSES, -1)
    of, now = site.group[kind[then]], cell[then]
    in_group = (site.shares / np.bincount(site.group, site.shares)[site.group])[kind[then]]
    in_cell = (site.share / np.bincount(site.cell.ravel(), site.share.ravel())[site.cell])[kind[then], level[then]]
    kept = in_group * (level[then] == level[then - 1])
    usual = np.bincount(cell, minlength=site.cell.max() + 1) / len(cell)
    mix, keep, part = usual, FIRST, np.full((3, *pairs.shape), 1 / 3)
    for _ in range(ROUNDS):
        by_group = mix.reshape(shape).sum(axis=1)
        drawn, held = (1 - keep) * mix[now] * in_cell, keep * by_group[of] * kept
        chances = part.reshape(3, -1)[:, at] * [same[then], near[then], drawn + held]
        chances /= chances.sum(axis=0)
        sums = np.array([np.bincount(at, row, minlength=pairs.size) for row in chances]).reshape(part.shape)
        by_clock = np.array([_pooled(row.sum(axis=0), pairs.sum(axis=0)) for row in sums])
        part = (sums + PRIOR * by_clock[:, None]) / (pairs + PRIOR)
        part /= part.sum(axis=0)
        held = chances[2] * held / (drawn + held)
        keep = (held.sum() + FIRST) / (chances[2].sum() + 1)
        by_cell = np.bincount(now, chances[2] - held, minlength=len(mix)).reshape(shape)
        by_cell += np.bincount(of, held, minlength=len(by_group))[:, None] * mix.reshape(shape) / by_group[:, None]
        mix = by_cell.ravel() + PRIOR * usual
        mix = mix / mix.sum()
    return part, keep, mix


def _ends(cell, begins, first):
    """Return the probability that a campaign ends after a job of a cell, and factors of it by the jobs it has had."""
    last = np.append(begins[1:], True)
    had = np.searchsorted(AGES, np.arange(len(cell)) - first + 1, side="right") - 1
    by_cell, by_age = np.bincount(cell[last], minlength=cell.max() + 1), np.bincount(had[last], minlength=len(AGES))
    age = np.ones(len(AGES))
    for _ in range(ROUNDS):
        end = _pooled(by_cell, np.bincount(cell, age[had]))
        age = (by_age + 1) / (np.bincount(had, end[cell], minlength=len(AGES)) + 1)
    return end, age


def _gaps(gap, begins, work_before, repeats):
    """Return quantiles of gaps by class of work and by whether the need stays; and the part of each job's gap.

    Ties are broken at random, so that a part has its share of the jobs also where many gaps are equal.
    """
    levels, part = np.zeros((WORK_CLASSES, 2, len(GAP_LEVELS))), np.full(len(gap), -1)
    rank = np.lexsort((np.random.default_rng(SEED).random(len(gap)), gap))
    inside = rank[~begins[rank]]
    for work in range(WORK_CLASSES):
        of_work = inside[work_before[inside] == work]
        for same in (0, 1):
            some = of_work[repeats[of_work] == same]
            part[some] = np.searchsorted(GAP_LEVELS, (np.arange(len(some)) + 0.5) / len(some), side="right")
            levels[work, same] = quantiles(gap[some if len(some) >= FEWEST * len(GAP_LEVELS) else of_work], GAP_LEVELS)
    return levels, part


def _pace(part, work_before, known, alike):
    """Estimate how often the gap is copied with the job: it is then of the same part."""
    some = np.flatnonzero(known > 0)
    of, wide = work_before[some], np.diff(GAP_PARTS)[part[some]]
    pace, many = np.full(WORK_CLASSES, FIRST), np.bincount(of, known[some], minlength=WORK_CLASSES)
    for _ in range(ROUNDS):
        copied = pace[of] * alike[some]
        copied /= copied + (1 - pace[of] * known[some]) * wide
        pace = _pooled(np.bincount(of, copied, minlength=WORK_CLASSES), many)
    return pace


def variation(arrival: np.ndarray, work: np.ndarray, span: float) -> np.ndarray:
    """Return the coefficients of variation of the work that comes in a day and in a week.

    They are means over eight times at which days and weeks may begin.

    >>> variation(86_400.0 * np.arange(28), np.tile([1.0, 3.0], 14), 28 * 86_400.0).round(2).tolist()
    [0.49, 0.07]
    """
    step = DAY / BEGINNINGS
    per = np.bincount((arrival // step).astype(int), work, minlength=int(span // step) + 1)
    means = []
    for length in (DAY, WEEK):
        many, found = round(length / step), []
        for begin in range(0, many, many // BEGINNINGS):
            whole = int((span - begin * step) // length)
            sums = per[begin : begin + whole * many].reshape(whole, many).sum(axis=1)
            found.append(sums.std() / sums.mean())
        means.append(np.mean(found))
    return np.array(means)


def _looks(site, arrival, work):
    """Estimate how many further start times a campaign compares, so that work varies as in the log.

    The mean of the logarithms of both coefficients of variation is met. Steps become smaller (Robbins and Monro), and
    the mean of the later ones is taken.
    """
    target = variation(arrival, work, arrival[-1])
    copies = []
    for k in range(COPIES):
        kind, level, *campaigns = site.campaigns(np.random.default_rng([SEED, 1, k]), len(arrival))
        copies.append((*campaigns, site.needs[kind] * site.run_of(kind, level)))
    looks, later = 1.0, []
    for step in range(FITS):
        off = []
        for k in range(AT_ONCE):
            *campaigns, work = copies[(step * AT_ONCE + k) % COPIES]
            come = site._replace(looks=looks).placed(np.random.default_rng([SEED, 2, step, k]), *campaigns, work)
            off.append(np.log(variation(come, work, site.span(work)) / target))
        moved = np.clip(GAIN * np.mean(off) / (1 + step / SLOWER), -LONGEST_STEP, LONGEST_STEP)
        looks = min(looks * np.exp(moved), MOST_LOOKS)
        later.append(looks)
    return np.mean(later[FITS // 2 :])
