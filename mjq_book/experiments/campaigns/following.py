"""How the campaigns of a log are fitted: what a user asks for next, when, and how much users avoid busy days.

A *campaign* is the jobs of one user with gaps of at most 96 hours between them. Each job of it is like an earlier one,
has the need of an earlier one and another level of run time, or is drawn anew. It is assumed that the earlier job lies
at least l jobs back with probability 1/l. The probabilities of the three are fitted by likelihood, for four classes of
the work of the job before and for six of the number of jobs since the campaign had a need for the first time. The
longer a campaign has repeated itself, the more probable it is that it goes on to do so.

The probability that a campaign ends after a job depends on the group of the job, on the third of the levels that it is
in, and on how many jobs the campaign has had. The time to the next job is drawn from quantiles, by the class of the
work of the job before and by whether the need is the same. It may also be copied with the job, for some campaigns are
fast and others are slow.

Campaigns that are placed independently make work vary too much, as if people submitted less when the machine is busy.
So they are placed one by one, that with the most work first, and each looks at several times to begin and takes the one
with the least work ahead. How many times is fitted to how the work that comes in a week and in a day varies, and to
nothing else.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mjq._util.compiling import numba
from mjq_book.experiments.campaigns import drawing
from mjq_book.experiments.campaigns.drawing import AGES, CLOCK, DAY, HALVES, HOUR, MEMORY, THIRDS, WEEK, WORK_CLASSES
from mjq_book.experiments.campaigns.summary import (
    FEWEST,
    GAP_LEVELS,
    LEVELS,
    Summary,
    quantiles,
    short,
    shorter,
    work_classes,
)

APART = 96 * HOUR  # a longer gap ends a campaign
PRIOR = 10.0  # jobs that the mean over all cells counts for in each of them
ROUNDS = 50  # of the fit of mixtures
FIRST_KEEP, FIRST_PACE = 0.3, 0.3  # before the first of them
FITS, AT_ONCE, SLOWER = 80, 6, 20.0  # of the fit of the looks: steps, lists in each, and when steps become smaller
MOST_COPIES, FEWEST_COPIES, OF_COPIES = 60, 12, 4_000_000  # lists, and jobs in all of them
FIRST_LOOKS, MOST_LOOKS, GAIN, LONGEST_STEP = 1.0, 12.0, 4.0, 0.5
MOST_PACE = 0.999  # probability that a gap is copied
BEGINNINGS = 8  # of a day or a week, over which variation is averaged
SEED = 1_000_000


class Coarse(NamedTuple):
    """Hold the jobs of a log in order of arrival as a summary sees them."""

    arrival: np.ndarray
    kind: np.ndarray
    level: np.ndarray
    work: np.ndarray


def beginnings(arrival: np.ndarray, user: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return an order of the jobs in which those of a campaign follow each other, and in it which ones begin one."""
    order = np.lexsort((arrival, user))
    begins = np.ones(len(arrival), dtype=bool)
    begins[1:] = (user[order][1:] != user[order][:-1]) | (np.diff(arrival[order]) > APART)
    return order, begins


def with_campaigns(site: Summary, jobs: Coarse, user: np.ndarray) -> Summary:
    """Return a summary with the campaigns of a log."""
    order, begins = beginnings(jobs.arrival, user)
    arrival, kind, level = jobs.arrival[order], jobs.kind[order], jobs.level[order]
    cell = site.group_of[kind] * THIRDS + level * THIRDS // LEVELS
    work = work_classes(site)[kind, level]
    first = np.maximum.accumulate(np.where(begins, np.arange(len(begins)), 0))
    gap = np.diff(arrival, prepend=arrival[0])
    repeats = np.append(False, kind[1:] == kind[:-1])
    work_before = np.append(0, work[:-1])
    gaps, part = _gaps(gap, begins, work_before, repeats)
    same, near, known, alike, fresh = _history(first, kind, level, part, len(site.needs), LEVELS)
    end, age = _ends(cell, begins, first, len(site.groups))
    site = replace(
        site,
        begin=shorter(_shares(cell[begins], len(site.groups))),
        **_next_jobs(site, kind, level, cell, work_before, begins, same, near, fresh),
        end=shorter(end),
        age=shorter(age),
        gaps=shorter(gaps),
        pace=shorter(_pace(part, work_before, known, alike)),
        looks=0.0,
    )
    return replace(site, looks=short(_looks(site, jobs)))


def _shares(cell, groups):
    counts = np.bincount(cell, minlength=groups * THIRDS) + 1.0
    return (counts / counts.sum()).reshape(groups, THIRDS)


def _pooled(part, whole):
    """Return ratios; where there is little, they are near the ratio of all."""
    return (part + PRIOR * part.sum() / max(whole.sum(), 1)) / (whole + PRIOR)


@numba.njit(cache=True, nogil=True)
def _history(first, kind, level, part, needs, levels):
    """Return what a job has to do with the earlier ones of its campaign.

    The probabilities that a job that is copied is alike, and that it becomes this one if its level changes; of those
    of the same need, the probabilities that it has a gap before it, and that this gap is of the same part; and how many
    jobs ago the campaign had a need for the first time.
    """
    jobs = len(kind)
    same, near, known, alike = np.zeros(jobs), np.zeros(jobs), np.zeros(jobs), np.zeros(jobs)
    fresh = np.zeros(jobs, np.int64)
    seen = np.full(needs, -1)
    total = np.zeros(levels)
    for b in range(levels):
        for other in range(levels):
            if other != b:
                total[b] += HALVES[abs(other - b)]
    for k in range(jobs):
        back = min(k - first[k], MEMORY)
        of_need = 0.0
        for lag in range(1, back + 1):
            j = k - lag
            if kind[j] == kind[k]:
                weight = 1.0 / (lag * (lag + 1))
                of_need += weight
                if level[j] == level[k]:
                    same[k] += weight
                else:
                    near[k] += weight * HALVES[abs(level[j] - level[k])] / total[level[j]]
                if part[j] >= 0:
                    known[k] += weight
                    if part[j] == part[k]:
                        alike[k] += weight
        if back:
            same[k] *= (back + 1) / back
            near[k] *= (back + 1) / back
        if of_need > 0:
            known[k] /= of_need
            alike[k] /= of_need
        if k > first[k] and seen[kind[k]] >= first[k]:
            fresh[k] = fresh[k - 1] + 1
        seen[kind[k]] = k
    return same, near, known, alike, fresh


def _next_jobs(site, kind, level, cell, work_before, begins, same, near, fresh):
    """Fit what a campaign asks for next, by likelihood: a job like an earlier one, another level, or one drawn anew."""
    groups, then = len(site.groups), np.flatnonzero(~begins)
    clock = np.searchsorted(CLOCK, fresh, side="right") - 1
    at = work_before[then] * len(CLOCK) + clock[then - 1]
    pairs = np.bincount(at, minlength=WORK_CLASSES * len(CLOCK)).reshape(WORK_CLASSES, -1)
    of = site.group_of[kind[then]]
    shares, weights = site.shares / site.shares.sum(), site.weights / site.weights.sum(axis=1, keepdims=True)
    inner = (shares / np.bincount(site.group_of, shares)[site.group_of])[kind[then]]  # the need within its group
    third = weights.reshape(groups, THIRDS, -1).sum(axis=2)
    within = inner * weights[of, level[then]] / third.ravel()[cell[then]]
    kept = inner * (level[then] == level[then - 1])
    jobs_of = np.bincount(cell, minlength=groups * THIRDS) / len(cell)
    mix, keep = jobs_of, FIRST_KEEP
    part = np.full((3, *pairs.shape), 1 / 3)
    for _ in range(ROUNDS):
        by_group = mix.reshape(groups, THIRDS).sum(axis=1)
        drawn, held = (1 - keep) * mix[cell[then]] * within, keep * by_group[of] * kept
        chances = part.reshape(3, -1)[:, at] * [same[then], near[then], drawn + held]
        chances /= chances.sum(axis=0)
        sums = np.array([np.bincount(at, row, minlength=pairs.size) for row in chances]).reshape(part.shape)
        by_clock = np.array([_pooled(row.sum(axis=0), pairs.sum(axis=0)) for row in sums])
        part = (sums + PRIOR * by_clock[:, None]) / (pairs + PRIOR)
        part /= part.sum(axis=0)
        held = chances[2] * held / (drawn + held)
        keep = (held.sum() + FIRST_KEEP) / (chances[2].sum() + 1)
        cells = np.bincount(cell[then], chances[2] - held, minlength=groups * THIRDS).reshape(groups, THIRDS)
        cells += np.bincount(of, held, minlength=groups)[:, None] * (mix.reshape(groups, THIRDS) / by_group[:, None])
        mix = cells.ravel() + PRIOR * jobs_of
        mix = mix / mix.sum()
    return {
        "copy": shorter(part[0]), "near": shorter(part[1]), "keep": short(keep),
        "fresh": shorter(mix.reshape(groups, THIRDS)),
    }  # fmt: skip


def _ends(cell, begins, first, groups):
    """Return the probability that a campaign ends after a job of a cell, and factors of it by the jobs it has had."""
    last = np.append(begins[1:], True)
    had = np.searchsorted(AGES, np.arange(len(cell)) - first + 1, side="right") - 1
    by_cell, by_age = (np.bincount(x[last], minlength=n) for x, n in ((cell, groups * THIRDS), (had, len(AGES))))
    age = np.ones(len(AGES))
    for _ in range(ROUNDS):
        end = _pooled(by_cell, np.bincount(cell, age[had], minlength=groups * THIRDS))
        age = (by_age + 1) / (np.bincount(had, end[cell], minlength=len(AGES)) + 1)
    return np.minimum(end, 1.0).reshape(groups, THIRDS), age


def _gaps(gap, begins, work_before, repeats):
    """Return quantiles of gaps by class of work and by whether the need stays; and the part of each job's gap.

    Ties are broken at random, so that a part has its share of the jobs also where many gaps are equal.
    """
    levels, part = np.zeros((WORK_CLASSES, 2, len(GAP_LEVELS))), np.full(len(gap), -1)
    rng = np.random.default_rng(SEED)
    rank = np.lexsort((rng.random(len(gap)), gap))
    inside = rank[~begins[rank]]
    for k in range(WORK_CLASSES):
        of_work = inside[work_before[inside] == k]
        for same in (0, 1):
            some = of_work[repeats[of_work] == bool(same)]
            part[some] = np.searchsorted(GAP_LEVELS, (np.arange(len(some)) + 0.5) / max(len(some), 1), side="right")
            enough = [x for x in (some, of_work, inside) if len(x) >= FEWEST * len(GAP_LEVELS)]
            levels[k, same] = quantiles(gap[enough[0] if enough else inside], GAP_LEVELS)
    return levels, part


def _pace(part, work_before, known, alike):
    """Estimate how often the gap is copied with the job: it is then of the same part."""
    some = np.flatnonzero(known > 0)
    of, wide = work_before[some], np.diff([0.0, *GAP_LEVELS, 1.0])[part[some]]
    pace, many = np.full(WORK_CLASSES, FIRST_PACE), np.bincount(of, known[some], minlength=WORK_CLASSES)
    for _ in range(ROUNDS):
        copied = pace[of] * alike[some]
        copied /= copied + (1 - pace[of] * known[some]) * wide
        pace = np.minimum(_pooled(np.bincount(of, copied, minlength=WORK_CLASSES), many), MOST_PACE)
    return pace


def variation(arrival: np.ndarray, work: np.ndarray, span: float) -> np.ndarray:
    """Return the logarithms of the coefficients of variation of the work that comes in a week and in a day.

    They are means over eight times at which weeks and days may begin. They are not numbers if the span has no two whole
    weeks, or days, after each of these times.

    >>> variation(86_400.0 * np.arange(28), np.tile([1.0, 3.0], 14), 28 * 86_400.0).round(1).tolist()
    [-2.7, -0.7]
    """
    step = DAY / BEGINNINGS
    per = np.bincount((arrival // step).astype(int), work, minlength=int(span // step) + 1)
    logarithms = []
    for length in (WEEK, DAY):
        many, means = round(length / step), []
        for k in range(BEGINNINGS):
            begin = k * many // BEGINNINGS
            whole = int((span - begin * step) // length)
            if whole >= 2:
                sums = per[begin : begin + whole * many].reshape(whole, many).sum(axis=1)
                means.append(sums.std() / sums.mean() if sums.any() else np.nan)
        mean = np.mean(means) if len(means) == BEGINNINGS else np.nan
        logarithms.append(np.log(max(mean, 1e-3)))
    return np.array(logarithms)


def _looks(site, jobs):
    """Estimate how many further start times a campaign compares, so that weekly work varies as in the log.

    The mean of the logarithms of both coefficients of variation is met. Steps become smaller (Robbins and Monro), and
    the mean of the later ones is taken.
    """
    target = variation(jobs.arrival, jobs.work, jobs.arrival.max())
    if np.isnan(target).all():
        return 0.0
    times, chain, order = site.times(), site.chain(), np.argsort(site.group_of, kind="stable")
    copies = []
    for k in range(int(np.clip(OF_COPIES // len(jobs.arrival), FEWEST_COPIES, MOST_COPIES))):
        rng = np.random.default_rng([SEED, 1, k])
        kind, level, gap, rank, begins = drawing.drawn_campaigns(rng, chain, len(jobs.arrival))
        which = order[kind]
        work = site.needs[which] * site.run_of(which, level)
        copies.append((gap, rank, begins, work, work.sum() / (site.load * site.servers)))
    looks, total = FIRST_LOOKS, 0.0
    for step in range(FITS):
        off = 0.0
        for k in range(AT_ONCE):
            gap, rank, begins, work, span = copies[(step * AT_ONCE + k) % len(copies)]
            rng = np.random.default_rng([SEED, 2, step, k])
            excess = variation(drawing.placed(rng, times, gap, rank, begins, work, span, looks), work, span) - target
            excess = excess[np.isfinite(excess)]
            off += excess.mean() / AT_ONCE if len(excess) else 0.0
        looks *= np.exp(np.clip(GAIN * off / (1 + step / SLOWER), -LONGEST_STEP, LONGEST_STEP))
        looks = min(looks, MOST_LOOKS)
        if step >= FITS // 2:
            total += looks
    return total / (FITS - FITS // 2)
