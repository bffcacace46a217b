"""ServerFilling, which interrupts jobs.

Whoever is in service and not among those to be served is interrupted, one by one; then those start that are. Asked
once, it takes time proportional to the square of the jobs in service, to sort them.

Source: I. Grosof, M. Harchol-Balter, A. Scheller-Wolf, Queueing Systems 102 (2022), arXiv 2109.12663.
"""

from __future__ import annotations

import numpy as np

from mjq.simulation.engine.policy import Policy
from mjq.simulation.engine.queue import ALL, NOBODY, RESOURCE, WHOLE, interrupt


def choose(jobs, line, serving, memory, profile, running, free, now):
    """Return who starts, or is interrupted, so that the largest of the first jobs that can fill the servers are served.

    Those first jobs are the shortest part of all jobs in the system, in order of arrival, whose needs add to the
    resource at least. Who was among them stays among them.
    """
    served, job = np.empty(serving[0].length, np.int64), serving[0].first
    for size in range(len(served)):  # in order of arrival
        k = size
        while k and jobs[served[k - 1]].number > jobs[job].number:
            served[k] = served[k - 1]
            k -= 1
        served[k] = job
        job = jobs[job].behind[ALL]
    together, k, waiting = 0, 0, line[len(line) - 1].first
    first, waits, chosen = [NOBODY][:0], [True][:0], [True][:0]
    while together < WHOLE and (k < len(served) or waiting != NOBODY):
        waits.append(waiting != NOBODY and (k == len(served) or jobs[waiting].number < jobs[served[k]].number))
        if waits[-1]:
            job = waiting
            waiting = jobs[job].behind[ALL]
        else:
            job = served[k]
            k += 1
        first.append(job)
        chosen.append(False)
        together += line[jobs[job].kind].need[0]
    idle, best = RESOURCE, 0
    while best != NOBODY:  # the largest that still fits, the earliest of equal ones
        best, most = NOBODY, 0
        for k in range(len(first)):
            need = line[jobs[first[k]].kind].need[0]
            if not chosen[k] and most < need <= idle:
                best, most = k, need
        if best != NOBODY:
            chosen[best] = True
            idle -= most
    for k in range(len(first)):
        if not chosen[k] and not waits[k]:
            return interrupt(first[k])
    for k in range(len(first)):
        if chosen[k] and waits[k]:
            return first[k]
    return NOBODY


POLICIES = {
    "server-filling": Policy(
        choose,
        "Among the first jobs by arrival that can fill all servers, the largest are served, and others are "
        "interrupted; servers and needs are powers of two.",
        sources=("GHS22",),
        example="interrupted and resumed",
        interrupts=True,
        allocates=True,
        one_resource="that powers of two can fill a machine is true of one resource only",
    )
}
