"""Most servers first, and with a threshold.

The cost is the number of classes, however long the queue is, as in :mod:`mjq.simulation.policies.first_fit`.
"""

from __future__ import annotations

from mjq.simulation.engine.policy import Policy
from mjq.simulation.engine.queue import NOBODY


def choose(jobs, line, serving, memory, profile, running, free, now):
    """Return the job that needs most of those that fit; the earliest of these. Or nobody: see below.

    Let at most ``memory[0].number`` jobs be in service, and the largest that waits not fit: then nobody starts until it
    does. A job that needs more than all servers that are up counts as absent, for nothing tells when it fits. So with
    nobody in service a job that fits always starts, and with the number 0 the rule never holds anybody back.

    Chen et al. (2026) define their policy by phases, for jobs that need one of k servers or all. This rule looks
    at the present alone. Both start the same jobs while a large job waits, if the number is at most k - 2. They differ
    while none waits, since their policy drains all the same, and for the number k - 1.
    """
    chosen, most = NOBODY, 0
    for kind in range(len(line) - 1):
        job, need = line[kind].first, line[kind].need[0]
        if job == NOBODY or need > memory[0].up:
            continue
        most = max(most, need)
        if need > free[0]:
            continue
        if chosen != NOBODY:
            best = line[jobs[chosen].kind].need[0]
            if need < best or (need == best and jobs[job].number > jobs[chosen].number):
                continue
        chosen = job
    return NOBODY if most > free[0] and running <= memory[0].number else chosen


ONE_RESOURCE = "of two jobs, one may need more of one resource and less of another: neither needs the most"

POLICIES = {
    "most-servers-first": Policy(
        choose,
        "Among the jobs that fit, the one that needs the most servers starts; the earliest of equals.",
        sources=("Quickswap25",),
        example="quick swap",
        one_resource=ONE_RESOURCE,
    ),
    "msfq": Policy(
        choose,
        "Jobs that need the most servers start first. But while at most l jobs are in service and the largest "
        "waiting job does not fit, no job starts, so that servers become free for it. A job that needs more servers "
        "than are up holds nobody back.",
        sources=("Quickswap25",),
        example="quick swap",
        letter="l",
        one_resource=ONE_RESOURCE,
    ),
}
