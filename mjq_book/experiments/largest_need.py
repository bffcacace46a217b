"""How much of a machine is lost where no job is large: ``make experiment NAME=largest_need``.

Mixes of jobs are drawn for a machine of :data:`SERVERS` servers on which a next job always waits. Of each mix
``largest_need.csv`` has a row: the share of the servers that is `lost`, idle while jobs wait, first come, first served
(`lost_fcfs`) and under EASY (`lost_easy`), each with half the width of its 95 % interval.

The largest need of a mix lies above half of ``SERVERS / part`` and is at most all of it. Half of the mixes have powers
of two as needs, `pool` being ``powers of two``, and half any whole numbers. A mix has two to eight `needs`, uniform on
a logarithmic scale up to the largest one, which is always among them. The shares of the jobs are uniform among all that
sum to 1; the mean run time of each need is drawn from 1 to 10, and the squared coefficient of variation of all run
times, `scv`, from 1 to 20, both uniform on a logarithmic scale. Run times are lognormal, jobs are independent, and EASY
knows the run times.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mjq._util.parallel import map_cases
from mjq_book.experiments.tables.keeping import keep
from mjq_logs import Log, own_order_capacity

SERVERS = 1024
PARTS = 1, 2, 4, 8, 16
MIXES = 240  # of each part
POOLS = "powers of two", "any"
MOST_NEEDS, LONGEST, MOST_VARIABLE = 8, 10.0, 20.0
JOBS = {"fcfs": 200_000, "easy": 30_000}
SEED = 20_261_124


class Case(NamedTuple):
    """Name a mix: which part of the machine its largest job takes at most, and its number."""

    part: int
    number: int


class Mix(NamedTuple):
    """Hold needs with the shares of their jobs and their mean run times, and the variation of all run times."""

    pool: str
    needs: np.ndarray
    shares: np.ndarray
    means: np.ndarray
    scv: float


CASES = [Case(part, number) for part in PARTS for number in range(MIXES)]


def mix_of(case: Case) -> Mix:
    rng, pool = np.random.default_rng([SEED, *case]), POOLS[case.number % 2]
    kinds, most = int(rng.integers(2, MOST_NEEDS + 1)), SERVERS // case.part
    if pool == "any":
        largest = int(rng.integers(most // 2 + 1, most + 1))
        needs = np.exp(rng.uniform(0, np.log(largest + 1), kinds)).astype(int)
    else:
        largest = most
        needs = 2 ** rng.integers(0, int(np.log2(most)) + 1, kinds)
    needs[0] = largest
    shares, means = rng.dirichlet(np.ones(kinds)), LONGEST ** rng.random(kinds)
    return Mix(pool, needs, shares, means, MOST_VARIABLE ** rng.random())


def drawn(mix: Mix, jobs: int, rng: np.random.Generator) -> Log:
    """Draw a log of independent jobs of a mix."""
    kind = rng.choice(len(mix.needs), size=jobs, p=mix.shares)
    spread = np.sqrt(np.log1p(mix.scv))
    run = mix.means[kind] * rng.lognormal(-(spread**2) / 2, spread, jobs)
    return Log(need=mix.needs[kind].astype(float), run=run, servers=float(SERVERS))


def row_of(case: Case) -> dict:
    """Return what is lost on a mix under both policies."""
    mix = mix_of(case)
    row: dict[str, Any] = {
        **case._asdict(), "pool": mix.pool, "needs": len(np.unique(mix.needs)), "largest": int(mix.needs.max()),
        "scv": float(mix.scv),
    }  # fmt: skip
    for policy, jobs in JOBS.items():
        log = drawn(mix, jobs, np.random.default_rng([SEED, *case, 1]))
        capacity = own_order_capacity(log, policy)
        row[f"lost_{policy}"] = 1 - capacity.share
        low, high = capacity.share_low, capacity.share_high
        row[f"half_{policy}"] = None if low is None or high is None else (high - low) / 2
    return row


def main() -> None:
    keep("largest_need", map_cases(row_of, [dict(case=case) for case in CASES], None), digits=5)
