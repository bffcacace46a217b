"""Policies that choose by what jobs need.

Jobs of a class need the same, so only the first of each class is looked at: the cost is the number of classes, however
long the queue is.
"""

from __future__ import annotations

from mjq.simulation.engine.queue import NOBODY

__all__ = ["least_servers_first", "most_servers_first"]


def least_servers_first(jobs, line, serving, memory, profile, running, free, now):
    """Return the job that needs least of those that fit; the earliest of these."""
    chosen = NOBODY
    for kind in range(len(line) - 1):
        job = line[kind].first
        if job == NOBODY or line[kind].need > free:
            continue
        if chosen != NOBODY:
            need = line[jobs[chosen].kind].need
            if line[kind].need > need or (line[kind].need == need and jobs[job].number > jobs[chosen].number):
                continue
        chosen = job
    return chosen


def most_servers_first(jobs, line, serving, memory, profile, running, free, now):
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
        job, need = line[kind].first, line[kind].need
        if job == NOBODY or need > memory[0].up:
            continue
        most = max(most, need)
        if need > free:
            continue
        if chosen != NOBODY:
            best = line[jobs[chosen].kind].need
            if need < best or (need == best and jobs[job].number > jobs[chosen].number):
                continue
        chosen = job
    return NOBODY if most > free and running <= memory[0].number else chosen
