"""Least servers first.

The cost is the number of classes, however long the queue is, as in :mod:`mjq.simulation.policies.first_fit`.
"""

from __future__ import annotations

from mjq.simulation.engine.policy import Policy
from mjq.simulation.engine.queue import NOBODY


def choose(jobs, line, serving, memory, profile, running, free, now):
    """Return the job that needs least of those that fit; the earliest of these."""
    chosen = NOBODY
    for kind in range(len(line) - 1):
        job = line[kind].first
        if job == NOBODY or line[kind].need[0] > free[0]:
            continue
        if chosen != NOBODY:
            need, least = line[kind].need[0], line[jobs[chosen].kind].need[0]
            if need > least or (need == least and jobs[job].number > jobs[chosen].number):
                continue
        chosen = job
    return chosen


POLICIES = {
    "least-servers-first": Policy(
        choose,
        "Among the jobs that fit, the one that needs the fewest servers starts; the earliest of equals.",
        example="one or all",
        one_resource="of two jobs, one may need less of one resource and more of another: neither needs the least",
    )
}
