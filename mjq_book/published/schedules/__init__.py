"""Small workloads and the schedules that belong to them, for whoever tests a scheduler.

* ``workloads.csv``: one job a row: the trace it belongs to, the servers of that trace, its number, submit time, need,
  run time, and how long its user said that it runs at most. All are whole numbers.
* ``schedules.csv``: for each trace, order of events at one instant and limit (`run past` it or `killed` at it) a row a
  job with its start under each policy. Rows for `killed` are there where they differ from the others. ServerFilling is
  left out where needs or servers are no powers of two.

Both are computed by ``mjq_book.published.schedules.making``; `tests/papers/test_published_schedules.py` computes them
again, by the simulator and by a plain program.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

import numpy as np

from mjq_book import published

__all__ = [  # noqa: RUF022, in the order of reading
    "POLICIES", "Workload", "workloads", "schedules",
]  # fmt: skip

POLICIES = (
    "fcfs", "first-fit", "easy", "backfill-2", "backfill-3", "conservative", "least-servers-first",
    "most-servers-first", "msfq-1", "msfq-2", "server-filling",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Workload:
    """Hold a small trace."""

    name: str
    """What it shows, or how it was drawn."""
    servers: int
    submit: np.ndarray
    need: np.ndarray
    run: np.ndarray
    estimate: np.ndarray
    """A job an entry; int array, shape (n,)."""


def workloads() -> dict[str, Workload]:
    """Return all traces, name to `Workload`.

    >>> shown = workloads()["a later job fits into the hole"]
    >>> shown.servers, shown.need.tolist()
    (4, [3, 4, 1])
    """
    traces = {}
    for name, group in groupby(published.read("schedules/workloads"), lambda row: row["trace"]):
        jobs = list(group)
        columns = [np.array([int(row[key]) for row in jobs]) for key in ("submit", "need", "run", "estimate")]
        traces[name] = Workload(name, int(jobs[0]["servers"]), *columns)
    return traces


def schedules() -> dict[tuple[str, str, str], dict[str, np.ndarray]]:
    """Return the starts of the jobs by policy, for each (name, ties, limit).

    Examples
    --------
    >>> starts = schedules()["a later job fits into the hole", "completions first", "run past"]
    >>> starts["fcfs"].tolist(), starts["easy"].tolist()
    ([0, 5, 7], [0, 5, 2])
    """
    starts = {}
    rows = published.read("schedules/schedules")
    for key, group in groupby(rows, lambda row: (row["trace"], row["ties"], row["limit"])):
        jobs = list(group)
        given = [policy for policy in POLICIES if jobs[0][policy]]
        starts[key] = {policy: np.array([int(row[policy]) for row in jobs]) for policy in given}
    return starts
