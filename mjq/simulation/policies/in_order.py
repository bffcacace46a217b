"""Policies that go down the queue in order of arrival.

`fcfs` looks at the first job alone. `first_fit` looks at the first job of each class, for jobs of a class need the
same: its cost is the number of classes, however long the queue is.
"""

from __future__ import annotations

from mjq.simulation.engine.queue import NOBODY

__all__ = ["fcfs", "first_fit"]


def fcfs(jobs, line, serving, memory, profile, running, free, now):
    """Return the first job in the queue, if it fits.

    Source: [SCHED] Eq. (a).
    """
    job = line[len(line) - 1].first
    return job if line[jobs[job].kind].need <= free else NOBODY


def first_fit(jobs, line, serving, memory, profile, running, free, now):
    """Return the first job in the queue that fits: the earliest of those that are first of their class."""
    chosen = NOBODY
    for kind in range(len(line) - 1):
        job = line[kind].first
        if job != NOBODY and line[kind].need <= free and (chosen == NOBODY or jobs[job].number < jobs[chosen].number):
            chosen = job
    return chosen
