"""Which number of a summary repairs which error: ``make experiment NAME=ladder``.

Each rung of a ladder draws jobs from more of a public log than the one before. ``ladder.csv`` has a row for each log
and rung: how far the capacity of the draws in order of arrival is from that of the log (in points of a hundred), and
the ratio of their mean wait under EASY to that of the log, as means over :data:`DRAWS` draws with standard deviations.
`day` and `week` are the coefficients of variation of the work that comes in a day and in a week, as means over eight
times at which days and weeks begin. The row ``the log itself`` has those of the log and its wait in hours.

The logs are those with users and of at least 300 days; :mod:`mjq_book.experiments.summaries` has the
others. The first rung knows of run times only the mean of each need, and takes limits to be exact. The second and the
third draw need, run time and limit together from the log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from tqdm import tqdm

import mjq_logs
from mjq_book.experiments.campaigns.drawing import Summary, placed_singly
from mjq_book.experiments.campaigns.fitting import summarize, variation
from mjq_book.experiments.public_logs import load_of, required_traces
from mjq_book.experiments.summaries import DRAWS, POINTS, public, share_of_order, waits_of
from mjq_book.experiments.tables.keeping import keep

LOGS = "KTH-SP2", "SDSC-SP2"


def rungs(log: mjq_logs.Log) -> dict[str, Callable[[int], mjq_logs.Log]]:
    """Return what draws a log from a seed, for each rung."""
    site = summarize(log)
    without = summarize(replace(log, user=None))
    return {
        "exponential classes, Poisson": lambda seed: independent(log, seed, exponential=True),
        "independent, Poisson": lambda seed: independent(log, seed),
        "and a weekly cycle": lambda seed: independent(log, seed, without),
        "and two numbers of memory": lambda seed: without.draw(len(log), seed),
        "campaigns, placed independently": lambda seed: site._replace(looks=0.0).draw(len(log), seed),
        "campaigns that avoid busy days": lambda seed: site.draw(len(log), seed),
    }


def independent(log: mjq_logs.Log, seed: int, cycle: Summary | None = None, exponential: bool = False) -> mjq_logs.Log:
    """Draw jobs of a log one by one, which come in a Poisson process or by the hours of a summary, at its load."""
    rng = np.random.default_rng(seed)
    jobs = log.of(rng.integers(len(log), size=len(log)), submit=None)
    if exponential:
        needs, kind = np.unique(log.need, return_inverse=True)
        means = np.bincount(kind, log.run) / np.bincount(kind)
        jobs = replace(jobs, run=rng.exponential(means[np.searchsorted(needs, jobs.need)]), estimate=None)
    span = jobs.need @ jobs.run / (load_of(log) * log.require_servers())
    arrivals = rng.uniform(0, span, len(log)) if cycle is None else placed_singly(rng, cycle.week(), len(log), span)
    return replace(jobs, submit=np.sort(arrivals))


def rows(name: str, log: mjq_logs.Log) -> Iterator[dict]:
    own = _figures(log)
    yield _row(name, "the log itself", own, np.zeros(4))
    for rung, draw in rungs(log).items():
        found = np.array([_figures(draw(seed)) for seed in range(1, DRAWS + 1)])
        found[:, 0] -= own[0]
        found[:, 1] /= own[1]
        yield _row(name, rung, found.mean(axis=0), found.std(axis=0, ddof=1))


def _figures(log):
    arrivals = log.require_arrivals() - log.require_arrivals()[0]
    varies = variation(arrivals, log.need * log.run, arrivals[-1])
    return np.array([POINTS * share_of_order(log), waits_of(log, "easy").mean(), *varies])


def _row(name, rung, mean, sd):
    return {
        "log": name, "rung": rung, "capacity": mean[0], "capacity_sd": sd[0], "wait": mean[1], "wait_sd": sd[1],
        "day": mean[2], "week": mean[3],
    }  # fmt: skip


def main() -> None:
    folder = required_traces()
    logs = {name: public(name, folder) for name in LOGS}
    keep("ladder", [row for name, log in tqdm(logs.items(), desc="logs") for row in rows(name, log)], digits=4)
