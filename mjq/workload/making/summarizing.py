"""Which numbers of a log a summary holds, and how they are fitted; nothing is fitted to waits.

Needs are exact; rare ones join the nearest, with their work kept. The needs with the largest share of the jobs or of
the work, up to eight, are *groups*, and the others belong to the nearest one. In each group the jobs are cut by run
time into twelve *levels*, which are equal in half the share of the jobs plus half the share of the work.

A *campaign* is the jobs of one user with gaps of at most 96 hours between them. From job to job it ends, stays at the
need or goes on to another one, and keeps its level, takes a neighbouring one or draws it anew; each by the group and
the third of the levels. The mix from which it is drawn anew is calibrated so that all groups and thirds keep their
shares of the jobs.

Campaigns that are placed independently make work vary too much, for people submit less when the machine is busy. So
each looks at several weeks and begins in the least busy one. How many is fitted to the variation of the work that comes
in a week and in a day: to the mean of the logarithms of both coefficients of variation.

A log that does not tell its users gets the model with two numbers of memory: the probability that a job repeats the
need of the one before it beyond chance, and then its level.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mjq.workload.making import drawing
from mjq.workload.making.drawing import DAY, HOUR, LATE, THIRDS, WEEK
from mjq.workload.making.own_error import compared, fcfs_load_of
from mjq.workload.making.summary import (
    CAMPAIGNS,
    FACTOR_LEVELS,
    GAP_LEVELS,
    LEVELS,
    SPREAD_CLASSES,
    TWO_NUMBERS,
    Summary,
    run_classes,
    short,
)
from mjq.workload.outages import original
from mjq.workload.reading.log import Log

__all__ = ["APART", "FEWEST_DAYS", "FEWEST_JOBS", "beginnings", "summarize", "variation"]

APART = 96 * HOUR  # a longer gap ends a campaign
FEWEST_JOBS = 200  # of a log
FEWEST = 5  # jobs behind a level, a limit or a quantile
OF_ALL = 5000  # a need has at least one job in so many
MOST_NEEDS = 75
MOST_GROUPS = 8
MOST_LIMITS = 14
FEWEST_DAYS = 300  # of a log, for a promise of waits
POINTS_OFF = 2.0  # of a capacity, up to which waits are promised
PRIOR = 10.0  # jobs that the mean over all cells counts for in each of them
STEPS, SETTLED, SAMPLE = 20, 8, 100_000  # of the calibration: all, those before the mean, jobs in each
ROUNDS = 50  # of the fit of mixtures
MOST_LOOKS, COPIES = 8.0, 16
FITS, AT_ONCE, SLOWER = 40, 4, 8.0  # steps of the fit of the looks, copies in each, and when steps become smaller
GAIN = 3.0  # of a step
SEED = 1_000_000


class Coarse(NamedTuple):
    """Hold the jobs of a log in order of arrival as a summary sees them."""

    come: np.ndarray
    kind: np.ndarray
    level: np.ndarray
    work: np.ndarray


def summarize(log: Log) -> Summary:
    """Return a summary of a log.

    Parameters
    ----------
    log : Log
        With times of arrival and servers.

    Returns
    -------
    Summary
        With its own error: eight draws are replayed and compared with the log.

    Raises
    ------
    ValueError
        If the log has fewer than 200 jobs, does not tell when they came or how many servers there are, if all came at
        once, or none ran.

    Examples
    --------
    >>> from mjq.workload import example_log
    >>> site = summarize(example_log())
    >>> site.model, site.no_promise
    ('campaigns', ('the log is of fewer than 300 days',))
    """
    come = log.require_arrivals()
    servers = log.require_servers()
    if len(log) < FEWEST_JOBS:
        raise ValueError(f"a summary needs at least {FEWEST_JOBS} jobs, and the log has {len(log)}")
    come = come - come.min()
    if not come.max() > 0:
        raise ValueError("all jobs of the log came at once: it tells nothing about the times between them")
    if not (log.need * log.run).sum() > 0:
        raise ValueError("no job of the log ran for any time")
    needs, kind, run = _joined(log.need, log.run)
    work = needs[kind] * run
    groups = _groups(needs, kind, work)
    group = np.abs(np.log(needs)[:, None] - np.log(groups)).argmin(axis=1)[kind]
    level, runs, weights = _levels(run, work, group, len(groups))
    jobs = Coarse(come, kind, level, work)
    local = log.clock is not None
    hours = original(log, log.require_arrivals())  # gaps that were taken out move no hour of the day
    hours = hours - hours.min() if log.clock is None else hours + log.clock
    site = Summary(
        model=TWO_NUMBERS,
        servers=servers,
        jobs=short(len(log)),
        span=short(come.max()),
        load=short(work.sum() / (servers * come.max())),
        local=local,
        needs=needs,
        shares=_shorter(np.bincount(kind) / len(log)),
        groups=groups,
        runs=_shorter(runs),
        weights=_shorter(weights),
        profile=np.ones((2, 24)) / 24,
        quiet=np.array([0, 1]),
    )
    site = replace(site, **_limits(log, site, jobs))
    if log.user is None or len(np.unique(log.user)) == 1:
        site = replace(site, **_profile(hours, np.ones(len(log), dtype=bool)), repeat=_two_numbers(site, jobs))
    else:
        site = _with_campaigns(site, jobs, log.user, hours)
    return _with_its_error(site, log)


def _with_its_error(site, log):
    """Compare eight draws with the log, and say why waits are not promised."""
    load = fcfs_load_of(log)
    found = compared(log, lambda seed: site.draw(seed=seed), load)
    error = {name: (short(mean), short(off)) for name, (mean, off) in found.items()}
    reasons = []
    if log.submits_are_starts:
        reasons.append("the submit times of the log are start times")
    if site.span < FEWEST_DAYS * DAY:
        reasons.append(f"the log is of fewer than {FEWEST_DAYS} days")
    if max(abs(error[f"{policy} capacity"][0]) for policy in ("fcfs", "easy")) > POINTS_OFF:
        reasons.append(f"the capacity of the draws is off by more than {POINTS_OFF:g} points")
    if site.model == TWO_NUMBERS:
        reasons.append("the log does not tell who submitted its jobs")
    return replace(site, error=error, fcfs_load=load, no_promise=tuple(reasons))


def _shorter(values):
    return np.vectorize(short, otypes=[float])(values)


# --- Needs, levels, limits, hours -----------------------------------------------------------------------------------


def _joined(need, run):
    """Return the needs that are kept, that of each job, and run times; rare needs join the nearest, work kept."""
    needs, kind, count = np.unique(need, return_inverse=True, return_counts=True)
    fewest = max(FEWEST, len(need) / OF_ALL)
    if len(needs) > MOST_NEEDS:
        fewest = max(fewest, np.sort(count)[-MOST_NEEDS])
    keep = count >= fewest
    while keep.sum() > MOST_NEEDS:  # several are equally rare
        fewest += 1
        keep = count >= fewest
    if not keep.any():
        raise ValueError(f"no need of the log has {np.ceil(fewest):.0f} jobs, so that none can be told")
    kept = needs[keep]
    near = np.abs(np.log(needs)[:, None] - np.log(kept)).argmin(axis=1)
    joined = near[kind]
    return kept, joined, run * need / kept[joined]


def _groups(needs, kind, work):
    """Return the needs that groups are named after: each group has enough jobs for its levels."""
    weight = np.maximum(np.bincount(kind) / len(kind), np.bincount(kind, work) / work.sum())
    named = np.sort(np.argsort(-weight, kind="stable")[:MOST_GROUPS])
    while len(named) > 1:
        group = np.abs(np.log(needs)[:, None] - np.log(needs[named])).argmin(axis=1)
        count = np.bincount(group[kind], minlength=len(named))
        if count.min() >= FEWEST * LEVELS:
            break
        named = np.delete(named, count.argmin())
    return needs[named]


def _levels(run, work, group, groups):
    """Return the level of each job, and the mean run time and the share of the jobs of each level of each group."""
    level = np.zeros(len(run), dtype=np.int64)
    runs, weights = np.zeros((groups, LEVELS)), np.zeros((groups, LEVELS))
    for g in range(groups):
        of = np.flatnonzero(group == g)
        of = of[np.argsort(run[of], kind="stable")]
        n, all_work = len(of), work[of].sum()
        part = 0.5 / n + (0.5 * work[of] / all_work if all_work > 0 else 0.5 / n)
        begins = np.searchsorted(np.cumsum(part) - part / 2, np.arange(1, LEVELS) / LEVELS)
        ends = np.append(begins, n)
        for k in range(LEVELS - 2, -1, -1):  # from the longest run times down
            ends[k] = min(ends[k], ends[k + 1] - FEWEST)
        for k in range(LEVELS - 1):  # and up again from the shortest
            ends[k] = max(ends[k], FEWEST * (k + 1))
        found = np.searchsorted(ends, np.arange(n), side="right")
        level[of] = found
        weights[g] = np.bincount(found, minlength=LEVELS) / n
        runs[g] = np.bincount(found, run[of], minlength=LEVELS) / np.bincount(found, minlength=LEVELS)
    return level, runs, weights


def _quantiles(values, levels):
    """Return quantiles, none of which has fewer than five values beyond it."""
    edge = min(0.5, FEWEST / len(values))
    return np.quantile(values, np.clip(levels, edge, 1 - edge))


def _limits(log, site, jobs):
    """Return popular limits and factors of overestimation, by name."""
    if log.said is None:
        return {}
    said = np.maximum(log.said, 1.0)
    limits, count = np.unique(said, return_counts=True)
    fewest = max(FEWEST, len(log) / OF_ALL)
    place = np.argsort(-count, kind="stable")[:MOST_LIMITS]
    popular = np.sort(limits[place[count[place] >= fewest]])
    longest = np.sort(said)[-int(np.ceil(fewest))]
    common = _shorter(popular)
    common = common[np.append(True, np.diff(common) > 0)] if len(common) else common
    of, factor = run_classes(site)[jobs.kind, jobs.level], said / np.maximum(log.run, 1.0)
    rows = []
    for k in range(SPREAD_CLASSES):
        some = factor[of == k] if (of == k).sum() >= 2 * FEWEST else factor
        rows.append(np.maximum(1.0, _quantiles(some, FACTOR_LEVELS)))
    return {
        "limits": np.append(common, _longer(longest, common)),
        "popular": short(np.isin(said, popular).mean()),
        "factors": _shorter(rows),
    }


def _longer(longest, common):
    """Return a number of few digits that is at least the longest limit, and longer than all popular ones."""
    found = short(longest)
    return found if not len(common) or found > common[-1] else short(common[-1] * 1.02)


def _profile(hours, which):
    """Return the shares of what comes by hours of a busy and of a quiet day, and which two days are quiet."""
    day, hour = (hours // DAY).astype(int), (hours // HOUR).astype(int) % 24
    days = np.bincount(np.arange(day.min(), day.max() + 1) % 7, minlength=7)
    a_day = np.bincount(day[which] % 7, minlength=7) / np.maximum(days, 1)
    quiet = np.sort(np.argsort(a_day, kind="stable")[:2])
    still = np.isin(day % 7, quiet)
    table = np.array([np.bincount(hour[which & (still == kind)], minlength=24) for kind in (False, True)], dtype=float)
    table += FEWEST / 24  # no hour is without anybody
    table /= np.array([[5.0], [2.0]])
    return {"profile": _shorter(table / (5 * table[0].sum() + 2 * table[1].sum())), "quiet": quiet}


# --- Two numbers of memory -------------------------------------------------------------------------------------------


def _two_numbers(site, jobs):
    """Return the probability to repeat the need beyond chance, and then the level beyond chance."""
    same = jobs.kind[1:] == jobs.kind[:-1]
    need = _beyond(same.mean(), (site.shares**2).sum())
    group = site.group_of[jobs.kind[1:]]
    chance = (site.weights[group] ** 2).sum(axis=1)
    # Of the jobs whose need is that of the one before, all may repeat the level, also those who have it by chance.
    level = _beyond((jobs.level[1:] == jobs.level[:-1])[same].mean(), chance[same].mean()) if same.any() else 0.0
    return _shorter([need, level])


def _beyond(seen, chance):
    return float(np.clip((seen - chance) / (1 - chance), 0, 1)) if chance < 1 else 0.0


# --- Campaigns -------------------------------------------------------------------------------------------------------


def beginnings(come: np.ndarray, user: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return an order of the jobs in which those of a campaign follow each other, and in it which ones begin one."""
    order = np.lexsort((np.arange(len(come)), come, user))
    begins = np.ones(len(come), dtype=bool)
    begins[1:] = (user[order][1:] != user[order][:-1]) | (np.diff(come[order]) > APART)
    return order, begins


def _with_campaigns(site, jobs, user, hours):
    """Return the summary with its campaigns."""
    groups, cells = len(site.groups), len(site.groups) * THIRDS
    order, begins = beginnings(jobs.come, user)
    after = np.flatnonzero(~begins)
    before, then = order[after - 1], order[after]  # successive jobs of a campaign
    gap = jobs.come[then] - jobs.come[before]
    group = site.group_of[jobs.kind]
    third = jobs.level * THIRDS // LEVELS
    cell = group * THIRDS + third
    count = np.bincount(cell, minlength=cells)
    follows = np.bincount(cell[before], minlength=cells)
    ends = _pooled(count - follows, count)
    late = begins.copy()
    late[after[gap > LATE]] = True
    at_late = np.zeros(len(late), dtype=bool)
    at_late[order[late]] = True
    stay, moves = _needs_of(site, jobs, before, then, cell)
    same, neighbour, kept = _levels_of(site, jobs, before, then, cell)
    site = replace(
        site,
        model=CAMPAIGNS,
        **_profile(hours, at_late),
        end=_shorter(ends.reshape(groups, THIRDS)),
        stay=_shorter(stay.reshape(groups, THIRDS)),
        same=_shorter(same.reshape(groups, THIRDS)),
        neighbour=_shorter(neighbour),
        kept=_shorter(kept),
        moves=_shorter(moves),
        gaps=_gaps(gap, third[before], jobs.kind[before] == jobs.kind[then]),
        looks=0.0,
    )
    site = _calibrated(site, (count / count.sum()).reshape(groups, THIRDS))
    return replace(site, looks=_looks(site, jobs))


def _pooled(part, whole):
    """Return ratios; where there is little, they are near the ratio of all."""
    return (part + PRIOR * part.sum() / max(whole.sum(), 1)) / (whole + PRIOR)


def _needs_of(site, jobs, before, then, cell):
    """Fit how needs go on, by likelihood: a campaign stays, or goes to a group and draws a need of it."""
    groups = len(site.groups)
    of = site.group_of
    shares = site.shares / site.shares.sum()
    by_group = np.bincount(of, shares)
    inner = (shares / by_group[of])[jobs.kind[then]]
    here, there, at = of[jobs.kind[before]], of[jobs.kind[then]], cell[before]
    repeated = jobs.kind[before] == jobs.kind[then]
    stay, moves = np.full(groups * THIRDS, 0.5), np.tile(by_group, (groups, 1))
    pairs = np.bincount(at, minlength=groups * THIRDS)
    for _ in range(ROUNDS):
        stays = stay[at] * repeated
        goes = (1 - stay[at]) * moves[here, there] * inner
        stays = stays / np.maximum(stays + goes, 1e-300)
        stay = _pooled(np.bincount(at, stays, minlength=groups * THIRDS), pairs)
        table = np.bincount(here * groups + there, 1 - stays, minlength=groups**2).reshape(groups, groups)
        table = table + PRIOR * by_group
        moves = table / table.sum(axis=1, keepdims=True)
    return stay, moves


def _levels_of(site, jobs, before, then, cell):
    """Fit how levels go on, by likelihood: where the need is the same, and how often one is kept where it is not."""
    groups = len(site.groups)
    group = site.group_of[jobs.kind]
    weights = site.weights / site.weights.sum(axis=1, keepdims=True)
    again = jobs.kind[before] == jobs.kind[then]
    one, other = before[again], then[again]
    at, old, new = cell[one], jobs.level[one], jobs.level[other]
    at_edge = (old == 0) | (old == LEVELS - 1)
    chances = np.array([old == new, (np.abs(old - new) == 1) * np.where(at_edge, 1.0, 0.5), weights[group[other], new]])
    part = np.full((3, groups * THIRDS), 1 / 3)
    pairs = np.bincount(at, minlength=groups * THIRDS)

    def told(found):
        sums = np.array([np.bincount(at, row, minlength=groups * THIRDS) for row in found])
        return (sums + PRIOR * sums.sum(axis=1, keepdims=True) / max(sums.sum(), 1)) / (pairs + PRIOR)

    def round_of(part):
        found = part[:, at] * chances
        return told(found / np.maximum(found.sum(axis=0), 1e-300))

    for _ in range(ROUNDS):
        part = round_of(part)
    many = (pairs + PRIOR).reshape(groups, THIRDS)
    neighbour = (part[1].reshape(groups, THIRDS) * many).sum(axis=1) / many.sum(axis=1)
    for _ in range(ROUNDS):  # one probability of a neighbour for a group
        part[1] = neighbour.repeat(THIRDS)
        part[[0, 2]] *= (1 - part[1]) / part[[0, 2]].sum(axis=0)
        part = round_of(part)
    same = part[0] * (1 - neighbour.repeat(THIRDS)) / (part[0] + part[2])
    old, new = before[~again], then[~again]
    chance = weights[group[new], jobs.level[old]]
    seen = np.bincount(group[old], jobs.level[old] == jobs.level[new], minlength=groups)
    by_chance, moved = np.bincount(group[old], chance, minlength=groups), np.bincount(group[old], minlength=groups)
    kept = np.clip(_pooled(np.maximum(seen - by_chance, 0), np.maximum(moved - by_chance, 0)), 0, 1)
    return same, neighbour, kept


def _gaps(gap, third, repeated):
    """Return quantiles of the gaps by the third of the levels and by whether the need is the same."""
    found = np.zeros((THIRDS, 2, len(GAP_LEVELS)))
    if not len(gap):
        return found
    for k in range(THIRDS):
        for same in (0, 1):
            some = gap[(third == k) & (repeated == bool(same))]
            some = some if len(some) >= FEWEST * len(GAP_LEVELS) else gap
            found[k, same] = _quantiles(some, GAP_LEVELS)
    return _shorter(found)


def _calibrated(site, target):
    """Return the summary with the mix that gives groups and thirds of levels their shares of the jobs."""
    fresh, target = target + 1e-4, target + 1e-4
    fresh, target = fresh / fresh.sum(), target / target.sum()
    order = np.argsort(site.group_of, kind="stable")
    total = np.zeros_like(fresh)
    for step in range(STEPS):
        site = replace(site, fresh=fresh)
        rng = np.random.default_rng([SEED, step])
        kind, level, _, _ = drawing.drawn_campaigns(rng, site.chain(), SAMPLE)
        cell = site.group_of[order[kind]] * THIRDS + level * THIRDS // LEVELS
        found = np.bincount(cell, minlength=target.size).reshape(target.shape) / SAMPLE
        fresh = fresh * np.clip(target / (found + 1e-5), 0.5, 2) ** (0.7 if step < SETTLED else 0.3)
        fresh /= fresh.sum()
        if step >= SETTLED:
            total = total + np.log(fresh)
    fresh = np.exp(total / (STEPS - SETTLED))
    return replace(site, fresh=_shorter(fresh / fresh.sum()))


def variation(come: np.ndarray, work: np.ndarray, span: float) -> np.ndarray:
    """Return the logarithms of the coefficients of variation of the work that comes in a week and in a day.

    Of a span of less than two weeks, or days, it is not a number.

    >>> variation(86_400.0 * np.arange(28), np.tile([1.0, 3.0], 14), 28 * 86_400.0).round(3).tolist()
    [-2.639, -0.693]
    """
    found = []
    for length in (WEEK, DAY):
        whole = int(span // length)
        per = np.bincount((come // length).astype(int), work, minlength=whole)[:whole]
        found.append(np.log(max(per.std() / per.mean(), 1e-3)) if whole >= 2 and per.any() else np.nan)
    return np.array(found)


def _looks(site, jobs):
    """Return how many weeks more than one a campaign looks at, so that work varies as in the log.

    Steps towards the target become smaller (Robbins and Monro), and the mean of the later ones is taken.
    """
    target = variation(jobs.come, jobs.work, jobs.come.max())
    times, chain, order = site.times(), site.chain(), np.argsort(site.group_of, kind="stable")
    copies = []
    for k in range(COPIES):
        kind, level, gap, begins = drawing.drawn_campaigns(np.random.default_rng([SEED, 1, k]), chain, len(jobs.come))
        which = order[kind]
        work = site.needs[which] * site.runs[site.group_of[which], level]
        copies.append((gap, begins, work, work.sum() / (site.load * site.servers)))
    looks, total = 1.0, 0.0
    for step in range(FITS):
        off = 0.0
        for k in range(AT_ONCE):
            gap, begins, work, span = copies[(step * AT_ONCE + k) % COPIES]
            rng = np.random.default_rng([SEED, 2, step, k])
            found = variation(drawing.placed(rng, times, gap, begins, work, span, looks), work, span) - target
            found = found[np.isfinite(found)]
            off += found.mean() / AT_ONCE if len(found) else 0.0
        looks = float(np.clip(looks + GAIN * off / (1 + step / SLOWER), 0, MOST_LOOKS))
        if step >= FITS // 2:
            total += looks
    return short(total / (FITS - FITS // 2))
