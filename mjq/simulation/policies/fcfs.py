"""First come, first served."""

from __future__ import annotations

from mjq.simulation.engine.policy import Policy
from mjq.simulation.engine.queue import NOBODY, fits
from mjq.simulation.engine.treap import first_to_start, uproot

__all__ = ["POLICIES"]


def choose(jobs, line, serving, memory, profile, running, free, now):
    """Return the first job in the queue, if it fits; jobs whose hours are closed count as absent.

    Source: [SCHED] Eq. (a).
    """
    job = line[len(line) - 1].first
    if len(memory) > 1 and now + jobs[job].estimate > line[jobs[job].kind].closes:  # by its hours it may not start
        job = NOBODY
        for kind in range(len(line) - 1):
            first = first_to_start(jobs, line[kind], now)
            if first != NOBODY and (job == NOBODY or jobs[first].number < jobs[job].number):
                job = first
        if job == NOBODY:
            return NOBODY
    if not fits(line[jobs[job].kind].need, free):
        return NOBODY
    if len(memory) > 1:
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
        knows_hours=True,
    )
}
