"""Policies that interrupt jobs.

ServerFilling goes through the jobs in the system in order of arrival until their needs add to the resource, and then
takes the largest of them as long as they fit. Whoever is in service and not among these is interrupted, one by one;
then those start that are. Asked once, it takes time proportional to the square of the jobs in service, to sort them.
"""

from __future__ import annotations

import numpy as np

from mjq._util.compiling import numba
from mjq.simulation.engine.queue import ALL, NOBODY, RESOURCE, WHOLE, interrupt

__all__ = ["server_filling"]


def server_filling(jobs, line, serving, memory, profile, running, free, now):
    """Return who starts, or is interrupted, so that the largest of the first jobs that can fill the servers are served.

    Those first jobs are the shortest part of all jobs in the system, in order of arrival, whose needs add to the
    resource at least. Who was among them stays among them.

    Source: I. Grosof, M. Harchol-Balter, A. Scheller-Wolf, Queueing Systems 102 (2022), arXiv 2109.12663.
    """
    first, starts = _first_jobs(jobs, line, serving)
    chosen = _largest(jobs, line, first)
    for k in range(len(first)):
        if not chosen[k] and not starts[k]:
            return interrupt(first[k])
    for k in range(len(first)):
        if chosen[k] and starts[k]:
            return first[k]
    return NOBODY


@numba.njit(cache=True, nogil=True)
def _first_jobs(jobs, line, serving):
    """Return the first jobs in the system, and of each whether it waits."""
    served = np.empty(serving[0].length, np.int64)
    job = serving[0].first
    for size in range(len(served)):
        k = size
        while k and jobs[served[k - 1]].number > jobs[job].number:
            served[k] = served[k - 1]
            k -= 1
        served[k] = job
        job = jobs[job].behind[ALL]
    together, k, waiting = 0, 0, line[len(line) - 1].first
    first, waits = [NOBODY][:0], [True][:0]
    while together < WHOLE and (k < len(served) or waiting != NOBODY):
        if waiting == NOBODY or (k < len(served) and jobs[served[k]].number < jobs[waiting].number):
            job = served[k]
            k += 1
            waits.append(False)
        else:
            job = waiting
            waiting = jobs[job].behind[ALL]
            waits.append(True)
        first.append(job)
        together += line[jobs[job].kind].need
    return first, waits


@numba.njit(cache=True, nogil=True)
def _largest(jobs, line, first):
    """Return which of them are served: the largest, the earliest of equal ones, as long as they fit."""
    chosen, left = np.zeros(len(first), np.bool_), RESOURCE
    while True:
        best, most = -1, 0
        for k in range(len(first)):
            need = line[jobs[first[k]].kind].need
            if not chosen[k] and most < need <= left:
                best, most = k, need
        if best < 0:
            return chosen
        chosen[best] = True
        left -= most
