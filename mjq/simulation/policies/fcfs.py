"""First come, first served."""

from __future__ import annotations

import math

from mjq.simulation.engine.policy import Policy
from mjq.simulation.engine.queue import ALL, EVERYTHING, NOBODY, UNKNOWN, fits
from mjq.simulation.engine.treap import first_in_hours, uproot


def choose(jobs, line, serving, memory, profile, running, free, now):
    """Return the first job in the queue, if it fits.

    Source: [SCHED] Eq. (a).
    """
    job = line[len(line) - 1].first
    return job if fits(line[jobs[job].kind].need, free) else NOBODY


def choose_in_hours(jobs, line, serving, memory, profile, running, free, now):
    """Return the same where there are hours: jobs that may not start by theirs count as absent.

    Until hours open, those ahead of the candidate may not start, so that nobody looks at them again.
    """
    job = memory[0].candidate
    if job == UNKNOWN:
        job = line[len(line) - 1].first
        if now + jobs[job].estimate > memory[line[jobs[job].kind].hours].closes:
            job = first_in_hours(jobs, line, memory, EVERYTHING, now)
    while job != NOBODY and now + jobs[job].estimate > memory[line[jobs[job].kind].hours].closes:
        job = jobs[job].behind[ALL]
    memory[0].candidate = job
    if job == NOBODY:
        return NOBODY
    if not fits(line[jobs[job].kind].need, free):
        memory[0].idle = memory[line[jobs[job].kind].hours].closes == math.inf  # else time alone may take its turn
        return NOBODY
    memory[0].candidate = jobs[job].behind[ALL]
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
