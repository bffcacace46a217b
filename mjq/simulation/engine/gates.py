"""A gate before the queue for each group of jobs that has a limit: see :mod:`mjq.simulation.limits`.

A gate knows how much its group may still take, and who waits before it, in order of arrival. Those jobs have their row
in the table, but stand in no queue; each names the next one behind it. A job enters and leaves a gate once, at the same
cost however many wait there; to find its place in the queue, it walks past those that stand ahead of it.
"""

from __future__ import annotations

import numpy as np

from mjq._util.compiling import numba
from mjq.simulation.engine.heap import record_type
from mjq.simulation.engine.queue import ALL, NOBODY, enter_again, leave
from mjq.simulation.engine.treap import fell

__all__ = ["gates_of", "let_in", "stop"]

GATE = record_type([("room", np.int64), ("first", np.int32), ("last", np.int32)])


@numba.njit(cache=True, nogil=True)
def gates_of(rooms):
    """Return a gate for each limit, before which nobody waits."""
    gates = np.empty(len(rooms), GATE)
    for k in range(len(rooms)):
        gates[k].room = rooms[k]
        gates[k].first = gates[k].last = NOBODY
    return gates


@numba.njit(cache=True, nogil=True)
def stop(jobs, line, gates, groups, sizes, job):
    """Take a newcomer out of the queue if others of its group wait before their gate, or its limit leaves no room."""
    group, size = groups[jobs[job].number], sizes[jobs[job].kind]
    if group == NOBODY:
        return
    gate = gates[group]
    if gate.first == NOBODY and size <= gate.room:
        gate.room -= size
        return
    leave(jobs, line, job)
    jobs[job].behind[ALL] = NOBODY
    if gate.first == NOBODY:
        gate.first = job
    else:
        jobs[gate.last].behind[ALL] = job
    gate.last = job


@numba.njit(cache=True, nogil=True)
def let_in(jobs, line, gates, groups, sizes, gone, times_known):
    """After a job has completed, let those of its group into the queue that wait before their gate and fit now."""
    group = groups[jobs[gone].number]
    if group == NOBODY:
        return
    gate = gates[group]
    gate.room += sizes[jobs[gone].kind]
    while gate.first != NOBODY and sizes[jobs[gate.first].kind] <= gate.room:
        job = gate.first
        gate.first = jobs[job].behind[ALL]
        gate.room -= sizes[jobs[job].kind]
        alike = line[jobs[job].kind]
        if times_known:
            fell(jobs, alike, job)
        enter_again(jobs, line, job)
        if times_known:
            alike.shortest = min(alike.shortest, jobs[job].estimate)
