"""Who waits: a queue for each class of jobs, and all of them in order of arrival.

A job has a place in one table from its arrival to its end. In the table, each waiting job names the one ahead of it
and the one behind it, in the whole queue and among the jobs of its class, which all need the same. So a job enters or
leaves, from wherever it stands, at the same cost however long the queue is, and nobody else moves.

The argument `line` is an array of queues: ``line[kind]`` holds the jobs of a class, ``line[-1]`` all of them. Needs are
counted in whole units, of which the resource has `RESOURCE`, so that what is free is always exact. Where times are
known beforehand, jobs in service stand in a queue, too, in the order in which they are expected to end.

Examples
--------
Three jobs come, of classes 0, 1 and 0; the second leaves:

>>> jobs, line = places(4), opened(units([1, 2], 4))
>>> for job, kind in enumerate((0, 1, 0)):
...     jobs[job]["kind"] = kind
...     enter(jobs, line, job)
>>> leave(jobs, line, 1)
>>> line["first"].tolist(), line["last"].tolist(), line["length"].tolist()
([0, -1, 0], [2, -1, 2], [2, 0, 2])
>>> jobs[0]["behind"].tolist(), jobs[2]["ahead"].tolist()
([2, 2], [0, 0])
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mjq._util.checks import FIT_TOLERANCE
from mjq._util.compiling import numba
from mjq.simulation.engine.heap import record_type

__all__ = [  # noqa: RUF022, in the order of reading
    "NOBODY", "ALL", "ALIKE", "WHOLE", "RESOURCE", "JOB", "MEMORY", "PROFILE", "QUEUE", "units", "interrupt",
    "opened", "places", "more_places", "enter", "leave", "enter_again", "serve", "release",
]  # fmt: skip

NOBODY = -1
ALL, ALIKE = 0, 1  # the two queues in which a waiting job stands: of all jobs, and of its class
WHOLE = 2**60
RESOURCE = round(WHOLE * (1 + FIT_TOLERANCE))  # with the tolerance: needs are decimals, not binary fractions

# Small numbers, as queues may be long: a table with more places than they count would take 80 GB.
JOB = record_type(
    [
        ("arrival", np.float64),
        ("number", np.int64),  # how many came before
        # Of jobs whose times are known beforehand:
        ("service", np.float64),  # time in service, in all
        ("rest", np.float64),  # what of it is still to come when it starts, or goes on
        ("estimate", np.float64),  # what is expected to be still to come; in service: when it is expected to end
        ("promise", np.float64),  # when it starts at the latest, if it has been promised; else not a number
        ("kind", np.int32),  # its class
        ("ahead", np.int32, (2,)),  # among `ALL`, and among jobs that are `ALIKE`
        ("behind", np.int32, (2,)),
        # In the tree of its class, see :mod:`mjq.simulation.engine.treap`:
        ("left", np.int32),
        ("right", np.int32),
        ("above", np.int32),
        ("lowest", np.float64),  # the shortest estimate from here on downwards
        # Where completions come one by one; last, so that what is used elsewhere stays close together:
        ("turn", np.int64),  # how many starts there were before its own, its last one if it was interrupted
    ]
)
# What a policy remembers, and what it is told.
MEMORY = record_type(
    [
        ("number", np.int64),  # its parameter
        ("wake", np.float64),  # when it is to be asked again, if nothing happens before
        ("changed", np.int64),  # whether the jobs in service are no longer those, or not for so long, that it expects
        ("used", np.int64),  # entries of the profile
        ("up", np.int64),  # servers that are up, in units, whether held or free
    ]
)
PROFILE = record_type([("since", np.float64), ("free", np.int64)])
QUEUE = record_type(
    [
        ("first", np.int64),
        ("last", np.int64),
        ("length", np.int64),
        ("need", np.int64),
        ("shortest", np.float64),  # no estimate of the jobs in it is below, where times are known; planted ones apart
        # Of its tree: the first from above, how many are planted, and the last of these in the queue.
        ("root", np.int64),
        ("planted", np.int64),
        ("edge", np.int64),
    ]
)


def units(needs: ArrayLike, B: float) -> np.ndarray:
    """Return needs in whole units, of which a resource of size `B` has `RESOURCE`.

    >>> bool(RESOURCE >= 10 * units([0.1], 1)[0] > WHOLE - 10)
    True
    """
    # What exceeds the resource may do so by any factor; twice as much never fits either.
    return np.rint(np.minimum(np.asarray(needs, dtype=float) / B, 2.0) * WHOLE).astype(np.int64)


@numba.njit(cache=True, nogil=True)
def interrupt(job):
    """Return the number by which a policy asks to interrupt a job in service; applied to that number, the job.

    >>> interrupt(3), interrupt(interrupt(3))
    (-5, 3)
    """
    return -2 - job


@numba.njit(cache=True, nogil=True)
def opened(needs):
    """Return a queue in which nobody waits, for classes of these needs in units."""
    line = np.empty(len(needs) + 1, QUEUE)
    for k in range(len(line)):
        line[k].first = line[k].last = line[k].root = line[k].edge = NOBODY
        line[k].length = line[k].planted = 0
        line[k].shortest = np.inf
        line[k].need = needs[k] if k < len(needs) else 0
    return line


@numba.njit(cache=True, nogil=True)
def places(size):
    """Return a table with room for this many jobs; each spare place names the next one behind it, from 0 on."""
    jobs = np.empty(size, JOB)
    for k in range(size):
        jobs[k].behind[ALL] = k + 1
    jobs[size - 1].behind[ALL] = NOBODY
    return jobs


@numba.njit(cache=True, nogil=True)
def more_places(jobs):
    """Return a full table with as many spare places behind it."""
    longer = places(2 * len(jobs))
    longer[: len(jobs)] = jobs
    return longer


@numba.njit(cache=True, nogil=True)
def _join(jobs, queue, job, behind, among):
    """Put a job into a queue ahead of another one, at its end if that is nobody."""
    mine = jobs[job]
    mine.behind[among] = behind
    mine.ahead[among] = queue.last if behind == NOBODY else jobs[behind].ahead[among]
    if mine.ahead[among] == NOBODY:
        queue.first = job
    else:
        jobs[mine.ahead[among]].behind[among] = job
    if behind == NOBODY:
        queue.last = job
    else:
        jobs[behind].ahead[among] = job
    queue.length += 1


@numba.njit(cache=True, nogil=True)
def _part(jobs, queue, job, among):
    """Take a job out of a queue."""
    mine = jobs[job]
    if mine.ahead[among] == NOBODY:
        queue.first = mine.behind[among]
    else:
        jobs[mine.ahead[among]].behind[among] = mine.behind[among]
    if mine.behind[among] == NOBODY:
        queue.last = mine.ahead[among]
    else:
        jobs[mine.behind[among]].ahead[among] = mine.ahead[among]
    queue.length -= 1
    if queue.length == 0:
        queue.shortest = np.inf


@numba.njit(cache=True, nogil=True)
def enter(jobs, line, job):
    """Put a job at the end of the queue."""
    _join(jobs, line[len(line) - 1], job, NOBODY, ALL)
    _join(jobs, line[jobs[job].kind], job, NOBODY, ALIKE)


@numba.njit(cache=True, nogil=True)
def leave(jobs, line, job):
    """Take a job out of the queue, wherever it stands."""
    _part(jobs, line[len(line) - 1], job, ALL)
    _part(jobs, line[jobs[job].kind], job, ALIKE)


@numba.njit(cache=True, nogil=True)
def enter_again(jobs, line, job):
    """Put a job that was interrupted into the queue, where it stood by its arrival."""
    for among in (ALL, ALIKE):
        queue = line[len(line) - 1] if among == ALL else line[jobs[job].kind]
        later = queue.first
        while later != NOBODY and jobs[later].number < jobs[job].number:
            later = jobs[later].behind[among]
        _join(jobs, queue, job, later, among)


@numba.njit(cache=True, nogil=True)
def serve(jobs, serving, job):
    """Put a job among those in service, by its expected end; ``serving[0]`` is their queue."""
    all_served = serving[0]
    later, sooner = NOBODY, all_served.last
    while sooner != NOBODY and jobs[sooner].estimate > jobs[job].estimate:
        later, sooner = sooner, jobs[sooner].ahead[ALL]
    _join(jobs, all_served, job, later, ALL)


@numba.njit(cache=True, nogil=True)
def release(jobs, serving, job):
    """Take a job from among those in service."""
    _part(jobs, serving[0], job, ALL)
