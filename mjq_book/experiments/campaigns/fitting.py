"""Which numbers of a log a summary holds, and how they are fitted; nothing is fitted to waits.

Needs are exact; rare ones join the nearest, with their work kept. The needs with the largest share of the jobs or of
the work, up to eight, are *groups*, and the others belong to the nearest one. In each group the jobs are cut by run
time into twelve *levels*, which are equal in half the share of the jobs plus half the share of the work.

What users do from job to job is in their campaigns: see :mod:`mjq_book.experiments.campaigns.following`.

A log that does not tell its users gets the model with two numbers of memory: the probability that a job repeats the
need of the one before it beyond chance, and then its level.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mjq_book.experiments.campaigns.drawing import DAY, HOUR, LATE
from mjq_book.experiments.campaigns.following import Coarse, beginnings, with_campaigns
from mjq_book.experiments.campaigns.summary import (
    CAMPAIGNS,
    FACTOR_LEVELS,
    FEWEST,
    LEVELS,
    SPREAD_CLASSES,
    TWO_NUMBERS,
    Summary,
    nearest,
    quantiles,
    run_classes,
    short,
    shorter,
)
from mjq_logs.reading.clock import local
from mjq_logs.reading.log import Log

OF_ALL = 5000  # a need has at least one job in so many
MOST_NEEDS = 75
MOST_GROUPS = 8
MOST_LIMITS = 14


def summarize(log: Log) -> Summary:
    """Return a summary of a log.

    Parameters
    ----------
    log : Log
        With times of arrival and servers.

    Returns
    -------
    Summary

    Examples
    --------
    >>> from mjq_logs import example_log
    >>> summarize(example_log()).model
    'campaigns'
    """
    arrival = log.require_arrivals()
    servers = log.require_servers()
    arrival = arrival - arrival.min()
    span = arrival.max()
    needs, kind, run = _joined(log.need, log.run)
    work = needs[kind] * run
    groups = _groups(needs, kind, work)
    group = nearest(needs, groups)[kind]
    level, runs, weights = _levels(run, work, group, len(groups))
    jobs = Coarse(arrival, kind, level, work)
    hours = local(log, log.require_arrivals())  # gaps that were taken out move no hour of the day
    hours = hours - hours.min() if log.clock is None else hours
    site = Summary(
        model=TWO_NUMBERS,
        servers=servers,
        jobs=short(len(log)),
        span=short(span),
        load=short(work.sum() / (servers * span)),
        local=log.clock is not None,
        needs=needs,
        shares=shorter(np.bincount(kind) / len(log)),
        groups=groups,
        runs=shorter(runs),
        weights=shorter(weights),
        profile=np.ones((2, 24)) / 24,
        quiet=np.array([0, 1]),
    )
    site = replace(site, **_limits(log, site, jobs))
    user = _users(log)
    if user is None:
        return replace(site, **_profile(hours, np.ones(len(log), dtype=bool)), repeat=_two_numbers(site, jobs))
    site = replace(site, model=CAMPAIGNS, **_profile(hours, _late(arrival, user)))
    return with_campaigns(site, jobs, user)


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
    kept = needs[keep]
    joined = nearest(needs, kept)[kind]
    return kept, joined, run * need / kept[joined]


def _groups(needs, kind, work):
    """Return the needs that groups are named after: each group has enough jobs for its levels."""
    weight = np.maximum(np.bincount(kind) / len(kind), np.bincount(kind, work) / work.sum())
    named = np.sort(np.argsort(-weight, kind="stable")[:MOST_GROUPS])
    while len(named) > 1:
        count = np.bincount(nearest(needs, needs[named])[kind], minlength=len(named))
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
        place = np.searchsorted(ends, np.arange(n), side="right")
        level[of] = place
        weights[g] = np.bincount(place, minlength=LEVELS) / n
        runs[g] = np.bincount(place, run[of], minlength=LEVELS) / np.bincount(place, minlength=LEVELS)
    return level, runs, weights


def _limits(log, site, jobs):
    """Return popular limits and factors of overestimation, by name."""
    if log.estimates_used is None:
        return {}
    asked = np.maximum(log.estimates_used, 1.0)
    limits, count = np.unique(asked, return_counts=True)
    fewest = max(FEWEST, len(log) / OF_ALL)
    place = np.argsort(-count, kind="stable")[:MOST_LIMITS]
    popular = np.sort(limits[place[count[place] >= fewest]])
    longest = np.sort(asked)[-int(np.ceil(fewest))]
    common = shorter(popular)
    common = common[np.append(True, np.diff(common) > 0)] if len(common) else common
    of, factor = run_classes(site)[jobs.kind, jobs.level], asked / np.maximum(log.run, 1.0)
    rows = []
    for k in range(SPREAD_CLASSES):
        some = factor[of == k] if (of == k).sum() >= 2 * FEWEST else factor
        rows.append(np.maximum(1.0, quantiles(some, FACTOR_LEVELS)))
    return {
        "limits": np.append(common, _longer(longest, common)),
        "popular": short(np.isin(asked, popular).mean()),
        "factors": shorter(rows),
    }


def _longer(longest, common):
    """Return a number of few digits that is at least the longest limit, and longer than all popular ones."""
    rounded = short(longest)
    return rounded if not len(common) or rounded > common[-1] else short(common[-1] * 1.02)


def _users(log):
    """Return who submitted each job, or None if hardly a job follows another one of its user; nobody is unknown.

    A job of an unknown user is the only one of a user of its own.
    """
    if log.user is None or len(np.unique(log.user)) == 1:
        return None
    jobs = np.arange(len(log))
    user = np.where(log.user < 0, log.user.max() + 1 + jobs, log.user)
    _, begins = beginnings(log.require_arrivals(), user)
    return user if len(log) - begins.sum() >= 2 * FEWEST else None


def _late(arrival, user):
    """Return which jobs begin a campaign or come after a long gap of it."""
    order, begins = beginnings(arrival, user)
    late = np.empty(len(arrival), dtype=bool)
    late[order] = begins | (np.diff(arrival[order], prepend=0.0) > LATE)
    return late


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
    return {"profile": shorter(table / (5 * table[0].sum() + 2 * table[1].sum())), "quiet": quiet}


# --- Two numbers of memory -------------------------------------------------------------------------------------------


def _two_numbers(site, jobs):
    """Return the probability to repeat the need beyond chance, and then the level beyond chance."""
    same = jobs.kind[1:] == jobs.kind[:-1]
    need = _beyond(same.mean(), (site.shares**2).sum())
    group = site.group_of[jobs.kind[1:]]
    chance = (site.weights[group] ** 2).sum(axis=1)
    # Of the jobs whose need is that of the one before, all may repeat the level, also those who have it by chance.
    level = _beyond((jobs.level[1:] == jobs.level[:-1])[same].mean(), chance[same].mean()) if same.any() else 0.0
    return shorter([need, level])


def _beyond(seen, chance):
    return float(np.clip((seen - chance) / (1 - chance), 0, 1)) if chance < 1 else 0.0
