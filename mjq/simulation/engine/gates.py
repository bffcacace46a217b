"""Gates before the queue, one for each group of jobs that has a limit: see :mod:`mjq.simulation.limits`.

A gate knows how much its group may still take, and who waits before it, in the order in which they came there. Those
jobs have their row in the table, but stand in no queue; each names the next one behind it. Where there are several
kinds of limits, a job passes one gate after the other. It enters and leaves each once, at the same cost however many
wait there; to find its place in the queue, it walks past those that stand ahead of it. Gates are opened after all
completions of an instant, so that the order of these does not matter.
"""

from __future__ import annotations

import numpy as np

from mjq._util.compiling import BORROWING, numba
from mjq.simulation.engine.heap import record_type
from mjq.simulation.engine.queue import ALL, NOBODY, enter_again, leave
from mjq.simulation.engine.treap import fell

# Of a group: what it may still take, who waits first and last, of which kind its limit is, and the next gate that is to
# be opened.
GATE = record_type(
    [("room", np.int64), ("first", np.int32), ("last", np.int32), ("kind", np.int32), ("next", np.int32)]
)
CLOSED = -2  # in place of the next gate: this one is not to be opened


@numba.njit(cache=True, nogil=True)
def gates_of(rooms):
    """Return a gate for each limit, before which nobody waits; one more names the first that is to be opened."""
    gates = np.empty(len(rooms) + 1, GATE)
    for k in range(len(gates)):
        gates[k].room = rooms[k] if k < len(rooms) else 0
        gates[k].first = gates[k].last = NOBODY
        gates[k].next = CLOSED
    gates[len(rooms)].next = NOBODY
    return gates


@numba.njit(nogil=True, **BORROWING)
def stop(jobs, line, gates, groups, sizes, job):
    """Take a newcomer out of the queue if it does not pass all of its gates."""
    closed = _walk(jobs, gates, groups, sizes, job, 0)
    if closed != NOBODY:
        leave(jobs, line, job)
        _wait(jobs, gates[closed], job)


@numba.njit(nogil=True, **BORROWING)
def return_room(gates, groups, sizes, number, kind):
    """Give back what a job has taken of its limits that has completed: its gates are to be opened."""
    for k in range(len(groups)):
        group = groups[k, number]
        if group != NOBODY:
            gate = gates[group]
            gate.room += sizes[k, kind]
            if gate.next == CLOSED:
                gate.kind = k
                gate.next = gates[len(gates) - 1].next
                gates[len(gates) - 1].next = group


@numba.njit(nogil=True, **BORROWING)
def let_in(jobs, line, gates, groups, sizes, times_known):
    """Let those go on who wait before gates that are to be opened and fit now, and into the queue after their last one.

    Those before the last kind of gate are first, and of one kind those of the lowest numbers.
    """
    ends = gates[len(gates) - 1]
    for k in range(len(groups) - 1, -1, -1):
        while True:
            group = _first_to_go(jobs, gates, sizes, k)
            if group == NOBODY:
                break
            gate = gates[group]
            job = gate.first
            gate.first = jobs[job].behind[ALL]
            gate.room -= sizes[k, jobs[job].kind]
            closed = _walk(jobs, gates, groups, sizes, job, k + 1)
            if closed != NOBODY:
                _wait(jobs, gates[closed], job)
                continue
            alike = line[jobs[job].kind]
            if times_known:
                fell(jobs, alike, job)
            enter_again(jobs, line, job)
            if times_known:
                alike.shortest = min(alike.shortest, jobs[job].estimate)
    while ends.next != NOBODY:
        gate = gates[ends.next]
        ends.next = gate.next
        gate.next = CLOSED


@numba.njit(nogil=True, **BORROWING)
def _first_to_go(jobs, gates, sizes, kind):
    """Return of which gate of a kind somebody may go on, that with the lowest number; `NOBODY` if nobody may."""
    best, lowest, group = NOBODY, 0, gates[len(gates) - 1].next
    while group != NOBODY:
        gate = gates[group]
        if gate.kind == kind and gate.first != NOBODY and sizes[kind, jobs[gate.first].kind] <= gate.room:
            number = jobs[gate.first].number
            if best == NOBODY or number < lowest:
                best, lowest = group, number
        group = gate.next
    return best


@numba.njit(nogil=True, **BORROWING)
def _walk(jobs, gates, groups, sizes, job, first):
    """Let a job through its gates from this one on; return that before which it has to wait, or `NOBODY`.

    The order of the jobs of a gate is that in which they come to it: nobody passes while others of the group wait.
    """
    number, kind = jobs[job].number, jobs[job].kind
    for k in range(first, len(groups)):
        group = groups[k, number]
        if group != NOBODY:
            gate = gates[group]
            if gate.first != NOBODY or sizes[k, kind] > gate.room:
                return group
            gate.room -= sizes[k, kind]
    return NOBODY


@numba.njit(nogil=True, **BORROWING)
def _wait(jobs, gate, job):
    """Let a job wait before a gate, behind all others."""
    jobs[job].behind[ALL] = NOBODY
    if gate.first == NOBODY:
        gate.first = job
    else:
        jobs[gate.last].behind[ALL] = job
    gate.last = job
