"""First come, first served."""

from __future__ import annotations

import math

from mjq.simulation.engine.policy import Policy
from mjq.simulation.engine.queue import NOBODY, fits, kth_waiting
from mjq.simulation.engine.treap import first_to_start, uproot

__all__ = ["POLICIES"]


def choose(jobs, line, serving, memory, profile, running, free, now):
    """Return the first job in the queue, if it fits.

    Source: [SCHED] Eq. (a).
    """
    job = line[len(line) - 1].first
    return job if fits(line[jobs[job].kind].need, free) else NOBODY


def choose_in_hours(jobs, line, serving, memory, profile, running, free, now):
    """Return the same where there are hours: jobs that may not start by theirs count as absent."""
    job = line[len(line) - 1].first
    if now + jobs[job].estimate > memory[line[jobs[job].kind].hours].closes:
        job = NOBODY
        for k in range(len(line)):
            kind = kth_waiting(line, k)
            if kind == NOBODY:
                break
            first, by = line[kind].first, memory[line[kind].hours].closes
            if by == -math.inf or (job != NOBODY and jobs[first].number > jobs[job].number):
                continue
            first = first_to_start(jobs, line[kind], now, by)
            if first != NOBODY and (job == NOBODY or jobs[first].number < jobs[job].number):
                job = first
        if job == NOBODY:
            return NOBODY
    if not fits(line[jobs[job].kind].need, free):
        return NOBODY
    uproot(jobs, line[jobs[job].kind], job)
    return job


POLICIES = {
    "fcfs": Policy(
        choose,
        "Jobs start in order of arrival: the first one in the queue waits until it fits, and all others wait behind "
        "it.",
        sources=("BB22",),
        example="the first in the line blocks all others",
        keeps_order=True,
        takes_priorities=True,
        in_hours=choose_in_hours,
    )
}
