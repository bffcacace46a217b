"""Make the small workloads and their schedules: ``python -m mjq_book.published.schedules.making``."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from mjq.simulation import replay
from mjq.simulation.schedule import TIES
from mjq_book.published.schedules import POLICIES, Workload

FOLDER = Path(__file__).parent
LIMITS = "run past", "killed"

# By hand: what it shows, servers, and jobs as (submit, need, run, estimate).
SHOWN = {
    "two jobs side by side": (4, [(0, 2, 3, 3), (1, 2, 3, 3)]),
    "the first in the line blocks all others": (4, [(0, 3, 5, 5), (1, 2, 2, 2), (2, 1, 9, 9)]),
    "a later job fits into the hole": (4, [(0, 3, 5, 5), (1, 4, 2, 2), (2, 1, 3, 3)]),
    "a later job is too long for the hole": (4, [(0, 3, 5, 5), (1, 4, 2, 2), (2, 1, 4, 4)]),
    "a long job beside the reservation": (4, [(0, 3, 5, 5), (1, 3, 2, 2), (2, 1, 20, 20)]),
    "the extra servers are used once": (
        6,
        [(0, 3, 5, 5), (0, 1, 9, 9), (1, 4, 2, 2), (2, 1, 20, 20), (2, 1, 20, 20)],
    ),
    "two ends at the shadow time": (4, [(0, 2, 5, 5), (0, 1, 5, 5), (1, 3, 2, 2), (2, 1, 9, 9)]),
    "EASY delays the second in the line": (4, [(0, 3, 4, 4), (2, 3, 1, 1), (3, 4, 6, 6), (3, 1, 5, 5)]),
    "two promises or three": (4, [(0, 3, 5, 5), (1, 2, 5, 5), (2, 4, 3, 3), (3, 2, 5, 5), (3, 1, 4, 4)]),
    "an early end moves promises forward": (4, [(0, 4, 2, 10), (1, 3, 4, 4), (1, 2, 5, 5), (2, 1, 9, 9)]),
    "early ends and three promises": (
        6,
        [(0, 6, 3, 9), (1, 4, 2, 8), (1, 3, 4, 4), (2, 2, 6, 6), (2, 3, 2, 2), (3, 1, 9, 9)],
    ),
    "a promise when nothing else happens": (4, [(0, 2, 7, 9), (4, 2, 5, 7), (4, 2, 2, 4), (5, 4, 7, 12), (5, 2, 2, 2)]),
    "users who overstate let others pass": (4, [(0, 2, 2, 4), (1, 4, 7, 12), (1, 1, 2, 3)]),
    "an end and an arrival at one instant": (4, [(0, 4, 4, 4), (4, 1, 3, 3), (4, 4, 3, 3)]),
    "an unexpected end and two arrivals": (4, [(0, 1, 2, 5), (2, 4, 5, 8), (2, 1, 1, 1)]),
    "three arrivals at one instant": (4, [(0, 2, 5, 5), (2, 3, 1, 1), (2, 1, 2, 2), (2, 2, 2, 2)]),
    "four ends at one instant": (
        4,
        [(0, 1, 3, 3), (0, 1, 3, 5), (0, 1, 3, 4), (0, 1, 3, 3), (1, 4, 1, 1), (2, 2, 2, 2)],
    ),
    "two ends, not in order of submission": (3, [(0, 2, 3, 3), (0, 2, 3, 9), (1, 3, 1, 2), (2, 1, 4, 4), (2, 1, 4, 5)]),
    "jobs that take no time": (4, [(0, 4, 3, 3), (1, 4, 0, 0), (1, 2, 0, 1), (2, 2, 2, 2), (3, 1, 0, 0)]),
    "no time, at the shadow time": (4, [(0, 3, 3, 3), (1, 4, 0, 0), (1, 1, 4, 4), (2, 1, 2, 2)]),
    "longer than said": (4, [(0, 3, 9, 5), (1, 4, 2, 2), (2, 1, 4, 4), (3, 1, 2, 1)]),
    "one or all": (
        4,
        [(0, 1, 4, 4), (0, 1, 7, 7), (1, 4, 2, 2), (2, 1, 5, 5), (3, 1, 5, 5), (4, 4, 2, 2), (8, 1, 3, 3)],
    ),
    "quick swap": (4, [(0, 1, 3, 3), (0, 1, 3, 3), (2, 3, 3, 3), (2, 2, 5, 5)]),
    "interrupted and resumed": (4, [(0, 1, 6, 6), (1, 2, 4, 4), (2, 4, 2, 2), (3, 2, 3, 3), (4, 1, 1, 1)]),
    "small jobs starve a large one": (4, [(0, 3, 4, 4), (1, 4, 3, 3), *((k, 1, 4, 4) for k in range(1, 16))]),
    "not in order of submission": (4, [(5, 2, 3, 3), (0, 3, 7, 9), (2, 2, 2, 2), (2, 1, 3, 3), (0, 1, 4, 4)]),
}
# By hand as well, behind the drawn ones, so that these keep their numbers. Times are exact.
LAST = {
    "nine rules, nine schedules": (
        4,
        [
            *((0, 2, 4, 4), (0, 2, 1, 1), (1, 1, 4, 4), (1, 2, 3, 3), (1, 4, 1, 1)),
            *((2, 2, 1, 1), (3, 1, 3, 3), (4, 1, 2, 2), (4, 1, 3, 3), (5, 2, 1, 1)),
        ],
    ),
}
# Drawn at random: name, how many of them, jobs, servers; times between arrivals and run times at most; how estimates
# exceed run times; whether all needs are powers of two.
DRAWN: list[tuple[str, int, tuple[int, int, int, int, str, bool | None]]] = [
    ("many ties", 8, (12, 4, 2, 4, "exact", False)),
    ("loose estimates", 8, (16, 8, 4, 20, "loose", False)),
    ("rounded estimates", 6, (20, 10, 4, 30, "rounded", False)),
    ("powers of two", 8, (20, 8, 4, 16, "loose", True)),
    ("limits that are too low", 4, (16, 8, 4, 20, "low", False)),
    ("one or all", 3, (24, 4, 3, 8, "loose", None)),
    ("long", 2, (100, 16, 5, 40, "loose", False)),
    ("longest", 2, (200, 32, 4, 60, "rounded", True)),
]


def drawn(
    rng: np.random.Generator,
    name: str,
    jobs: int,
    servers: int,
    apart: int,
    longest: int,
    estimates: str,
    powers: bool | None,
) -> Workload:
    """Draw a random trace; needs are 1 and all servers if `powers` is None."""
    submit = rng.integers(0, apart + 1, jobs).cumsum()
    run = np.minimum(rng.integers(0, longest + 1, jobs), rng.integers(0, longest + 1, jobs))
    if powers is None:
        need = np.where(rng.random(jobs) < 0.2, servers, 1)
    elif powers:
        need = 2 ** rng.integers(0, servers.bit_length(), jobs)
    else:
        need = np.minimum(rng.integers(1, servers + 1, jobs), rng.integers(1, servers + 1, jobs))
    estimate = {
        "exact": run,
        "loose": run + rng.integers(0, 2 * longest, jobs),
        "rounded": 10 * (run // 10 + 1),
        "low": np.maximum(1, run + rng.integers(-longest // 3, longest // 3, jobs)),
    }[estimates]
    return Workload(name, servers, submit, need, run, estimate)


def made() -> list[Workload]:
    """Return all workloads, shown and drawn."""
    shown, last = (
        [Workload(name, servers, *np.array(jobs).T) for name, (servers, jobs) in by_hand.items()]
        for by_hand in (SHOWN, LAST)
    )
    rng = np.random.default_rng(2024)
    more = [drawn(rng, f"{name} {k}", *how) for name, number, how in DRAWN for k in range(1, number + 1)]
    return shown + more + last


def takes(policy: str, workload: Workload) -> bool:
    """Return whether a policy can be used: ServerFilling needs powers of two."""
    numbers = [workload.servers, *workload.need.tolist()]
    return policy != "server-filling" or all(number & (number - 1) == 0 for number in numbers)


def expected(workload: Workload, replay: Callable = replay) -> dict[tuple[str, str, str], dict[str, np.ndarray]]:
    """Return the starts of a workload as `schedules` has them, by :func:`replay` or another function."""
    starts = {}
    log = workload.submit, workload.need, workload.run, workload.estimate, workload.servers
    for limit in LIMITS if (workload.estimate < workload.run).any() else LIMITS[:1]:
        for ties in TIES:
            starts[workload.name, ties, limit] = {
                policy: replay(*log, policy, ties=ties, kill=limit == "killed").start.astype(int)
                for policy in POLICIES
                if takes(policy, workload)
            }
    return starts


def write(workloads: Iterable[Workload], folder: Path = FOLDER) -> None:
    """Write both tables."""
    jobs, schedule_rows = [], []
    for work in workloads:
        columns = (work.submit, work.need, work.run, work.estimate)
        for job, row in enumerate(zip(*(column.tolist() for column in columns), strict=True), 1):
            jobs.append([work.name, work.servers, job, *row])
        for key, starts in expected(work).items():
            for job in range(len(work.submit)):
                schedule_rows.append([*key, job + 1, *(starts[x][job] if x in starts else None for x in POLICIES)])
    headers = ["trace", "servers", "job", "submit", "need", "run", "estimate"]
    _write(folder / "workloads.csv", headers, jobs)
    _write(folder / "schedules.csv", ["trace", "ties", "limit", "job", *POLICIES], schedule_rows)


def _write(path, headers, rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([headers, *rows])


if __name__ == "__main__":
    write(made())
