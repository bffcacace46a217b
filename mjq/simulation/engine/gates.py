"""Gates before the queue, one for each user, so that none has more servers at once than a limit allows.

The rule, in words:

* A job that comes is let into the queue if the servers of the jobs of its user that run or stand in the queue, and its
  own, are at most the limit. A user may always have the servers of their largest job.
* Otherwise it waits before the gate of its user, and so do all jobs of this user that come after it: they pass the gate
  in order of arrival.
* When jobs of the user have completed, all those of an instant, those that wait before the gate are let in as far as
  the limit allows. Each stands in the queue where it would stand by its arrival or, with priorities, by its priority
  and then by its arrival. Jobs that come at the same instant come after them.
* The scheduler sees only the jobs in the queue. Waits count from arrival.

Schedulers differ in what they count. Some count the jobs that run alone, and pass over a job that would exceed the
limit; then a small job may start before a larger one of its user that already waits for servers. Here it may do so only
if both fit within the limit.

**The algorithm.** A gate knows how much its user may still take, and the first and the last job before it; each job
names the next one behind it. Gates whose first job now fits stand in a heap by the number of that job. So jobs are let
in in the order of the queue, and each looks for its place from that of the one before it on.

**Cost.** A job comes to its gate in constant time. It is let in in the logarithm of the gates that open at the same
instant, however many jobs wait before them. All that are let in at one instant walk once past the jobs that stand ahead
of them in the queue.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mjq._util.checks import FIT_TOLERANCE
from mjq._util.compiling import compiled
from mjq.simulation.engine.heap import pop, push, record_type
from mjq.simulation.engine.queue import ALL, NOBODY, WHOLE, enter_again, leave, units
from mjq.simulation.engine.treap import fell

# Of a user: what they may still take, who waits first and last, and whether the gate is in the heap.
GATE = record_type([("room", np.int64), ("first", np.int32), ("last", np.int32), ("opens", np.int32)])


class UserLimits(NamedTuple):
    """Hold how much users may have at once, in units of which there are few enough for sums."""

    rooms: np.ndarray
    """Of each user; int array, shape (U,)."""
    sizes: np.ndarray
    """What a job of each class takes; int array, shape (L,)."""
    users: np.ndarray
    """The user of the job of each number, -1 if it has no limit; int array, shape (n,)."""


class Gates(NamedTuple):
    """Hold all gates, and those that open as a heap."""

    of_user: np.ndarray
    """Record array, shape (U,)."""
    numbers: np.ndarray
    opening: np.ndarray
    """The heap: the numbers of the first jobs, and of which user they are; int array, shape (U,)."""
    open: np.ndarray
    """How many are open: those in the heap; int array, shape (1,)."""
    latest: np.ndarray
    """Of each queue, the job that was let into it last at this instant; int array, shape (L + 1,)."""


def user_limits(user: np.ndarray, most: float, needs: np.ndarray, kinds: np.ndarray) -> UserLimits:
    """Return what the event loop takes of a limit of users.

    Parameters
    ----------
    user : int array, shape (n,)
        Of each job, -1 for a job that has no limit.
    most : float
        Servers that each user has at once, or those of their largest job.
    needs : float array, shape (L,)
        Of the classes.
    kinds : int array, shape (n,)
        The class of each job.

    Examples
    --------
    >>> user_limits(np.array([7, -1, 8]), 3, np.array([2.0, 4.0]), np.array([0, 0, 1])).users
    array([ 0, -1,  1])
    """
    known = user >= 0
    whose = np.full(len(user), NOBODY)
    users, whose[known] = np.unique(user[known], return_inverse=True)
    rooms = np.full(len(users), float(most))
    np.maximum.at(rooms, whose[known], needs[kinds[known]])
    whole = rooms.max(initial=most)
    in_units = np.rint(rooms / whole * (WHOLE * (1 + FIT_TOLERANCE))).astype(np.int64)
    return UserLimits(in_units, units(needs, whole), whose)


def gates_of(rooms: np.ndarray, queues: int) -> Gates:
    """Return a gate for each user, before which nobody waits, ahead of so many queues."""
    of_user, users = np.zeros(len(rooms), GATE), len(rooms)
    of_user["room"], of_user["first"], of_user["last"] = rooms, NOBODY, NOBODY
    heap = np.empty(users, np.int64), np.empty(users, np.int64)
    return Gates(of_user, *heap, np.zeros(1, np.int64), np.full(queues, NOBODY))


@compiled(borrowing=True)
def stop(jobs, line, gates, limits, job):
    """Let a newcomer pass its gate, or take it out of the queue to wait before it."""
    user, size = limits.users[jobs[job].number], limits.sizes[jobs[job].kind]
    if user == NOBODY:
        return
    gate = gates.of_user[user]
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


@compiled(borrowing=True)
def return_room(jobs, gates, limits, job):
    """Give back what a job has taken that has completed: its gate opens if the first job before it fits now."""
    user = limits.users[jobs[job].number]
    if user != NOBODY:
        gates.of_user[user].room += limits.sizes[jobs[job].kind]
        if not gates.of_user[user].opens:
            _open(jobs, gates, limits, user)


@compiled(borrowing=True)
def let_in(jobs, line, gates, limits, times_known):
    """Let the first jobs before open gates into the queue, as long as they fit, in the order of the queue."""
    if gates.open[0]:
        gates.latest[:] = NOBODY
    while gates.open[0]:
        user = gates.opening[0]
        gate = gates.of_user[user]
        gates.open[0] -= 1
        pop(gates.numbers, gates.opening, gates.open[0])
        job = gate.first
        gate.first = jobs[job].behind[ALL]
        gate.room -= limits.sizes[jobs[job].kind]
        _open(jobs, gates, limits, user)
        alike = line[jobs[job].kind]
        if times_known:
            fell(jobs, alike, job)
        enter_again(jobs, line, job, gates.latest)
        gates.latest[jobs[job].kind] = gates.latest[len(line) - 1] = job
        if times_known:
            alike.shortest = min(alike.shortest, jobs[job].estimate)


@compiled(borrowing=True)
def _open(jobs, gates, limits, user):
    """Put a gate into the heap if the first job before it fits."""
    gate = gates.of_user[user]
    gate.opens = gate.first != NOBODY and limits.sizes[jobs[gate.first].kind] <= gate.room
    if gate.opens:
        push(gates.numbers, gates.opening, gates.open[0], jobs[gate.first].number, user)
        gates.open[0] += 1
