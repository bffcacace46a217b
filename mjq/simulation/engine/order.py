"""Starts in order of arrival: as nobody passes anybody, one walk down the list of jobs is enough."""

from __future__ import annotations

import numpy as np

from mjq._util.compiling import compiled
from mjq.simulation.engine.heap import pop, push
from mjq.simulation.engine.queue import RESOURCE


@compiled(steps=lambda need, run, arrival: 8 * len(run))
def starts_in_order(need, run, arrival):
    """Return the starts of jobs that start one after the other, each as soon as it is there and fits.

    Needs are in units. There is a column for each resource, and a tuple of them, as its length is then known when this
    is compiled.
    """
    n, resources = len(run), len(need)
    starts, ends, who = np.empty(n), np.empty(n), np.empty(n, dtype=np.int64)
    running, free, now = 0, np.full(resources, RESOURCE), 0.0
    for job in range(n):
        now = max(now, arrival[job])
        while not has_room(need, job, free):
            end = ends[0]
            while running and ends[0] == end:
                for k in range(resources):
                    free[k] += need[k][who[0]]
                running -= 1
                pop(ends, who, running)
            now = max(now, end)
        starts[job] = now
        push(ends, who, running, now + run[job], job)
        running += 1
        for k in range(resources):
            free[k] -= need[k][job]
    return starts


@compiled()
def has_room(need, job, free):
    """Return whether a job fits into what is free of each resource."""
    for k in range(len(need)):
        if need[k][job] > free[k]:
            return False
    return True
