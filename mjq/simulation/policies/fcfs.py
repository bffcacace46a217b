"""First come, first served."""

from __future__ import annotations

from mjq.simulation.engine.policy import Policy
from mjq.simulation.engine.queue import NOBODY, fits


def choose(jobs, line, serving, memory, profile, running, free, now):
    """Return the first job in the queue, if it fits.

    Source: [SCHED] Eq. (a).
    """
    job = line[len(line) - 1].first
    return job if fits(line[jobs[job].kind].need, free) else NOBODY


POLICIES = {
    "fcfs": Policy(
        choose,
        "Jobs start in order of arrival: the first one in the queue waits until it fits, and all others wait behind "
        "it.",
        sources=("BB22",),
        example="the first in the line blocks all others",
        keeps_order=True,
        takes_priorities=True,
    )
}
