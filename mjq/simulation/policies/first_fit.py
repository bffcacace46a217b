"""First fit.

Jobs of a class need the same, so only the first of each class is looked at: the cost is the number of classes, however
long the queue is.
"""

from __future__ import annotations

from mjq.simulation.engine.policy import Policy
from mjq.simulation.engine.queue import NOBODY, fits


def choose(jobs, line, serving, memory, profile, running, free, now):
    """Return the first job in the queue that fits: the earliest of those that are first of their class."""
    chosen = NOBODY
    for kind in range(len(line) - 1):
        job = line[kind].first
        if job == NOBODY or (chosen != NOBODY and jobs[job].number > jobs[chosen].number):
            continue
        if fits(line[kind].need, free):
            chosen = job
    return chosen


POLICIES = {
    "first-fit": Policy(
        choose,
        "The first job in the queue that fits starts, again and again: backfilling without any reservation.",
        sources=("MualemFeitelson01",),
        example="a later job is too long for the hole",
        takes_priorities=True,
    )
}
