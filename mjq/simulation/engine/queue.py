"""Who waits: a queue for each class of jobs, and all of them in order of arrival.

A job has a place in one table from its arrival to its end. In the table, each waiting job names the one ahead of it
and the one behind it, in the whole queue and among the jobs of its class, which all need the same. So a job enters or
leaves, from wherever it stands, at the same cost however long the queue is, and nobody else moves.

The argument `line` is an array of queues: ``line[kind]`` holds the jobs of a class, ``line[-1]`` all of them. Where
times are known beforehand, jobs in service stand in a queue, too, in the order in which they are expected to end.

Needs are counted in whole units, of which each resource has `RESOURCE`, so that what is free is always exact. A job may
need several resources at once, and fits where it fits into each of them. What is free, and what a class needs, has an
entry for each of `MOST_RESOURCES`; of those that a machine has not, nobody needs anything.

Examples
--------
Three jobs come, of classes 0, 1 and 0; the second leaves:

>>> jobs, line = job_table(4), empty_queues(by_resource(units([1, 2], 4)))
>>> for job, kind in enumerate((0, 1, 0)):
...     jobs[job]["number"], jobs[job]["kind"] = job, kind
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
from mjq._util.compiling import compiled
from mjq.simulation.engine.heap import record_type

NOBODY = -1
MANY = 2**62  # more jobs than ever come
ALL, ALIKE = 0, 1  # the two queues in which a waiting job stands: of all jobs, and of its class
WHOLE = 2**60
RESOURCE = round(WHOLE * (1 + FIT_TOLERANCE))  # with the tolerance: needs are decimals, not binary fractions
MOST_RESOURCES = 4  # that a machine has; a fixed number, so that the loops over it are unrolled
NOTHING, EVERYTHING = MOST_RESOURCES * (0,), MOST_RESOURCES * (RESOURCE,)

# Small numbers, as queues may be long: a table with more places than they count would take 80 GB.
JOB = record_type(
    [
        ("arrival", np.float64),
        ("number", np.int64),  # how many came before or, where some go before others, its place among all jobs
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
        ("up", np.int64),  # what of each resource is up, in units, whether held or free
    ]
)
PROFILE = record_type([("since", np.float64), ("free", np.int64, (MOST_RESOURCES,))])
QUEUE = record_type(
    [
        ("need", np.int64, (MOST_RESOURCES,)),
        ("shortest", np.float64),  # no estimate of the jobs in it is below, where times are known; planted ones apart
        ("first", np.int32),
        ("last", np.int32),
        ("length", np.int32),
        # Of its tree: the first from above, how many are planted, and the last of these in the queue.
        ("root", np.int32),
        ("planted", np.int32),
        ("edge", np.int32),
        # See `kth_waiting`: the k-th of the classes that are listed, in row k; and whether this one is, or in the queue
        # of all how many are.
        ("kth", np.int32),
        ("listed", np.int32),
    ]
)


def units(needs: ArrayLike, B: ArrayLike) -> np.ndarray:
    """Return needs in whole units, of which a resource of size `B` has `RESOURCE`.

    >>> bool(RESOURCE >= 10 * units([0.1], 1)[0] > WHOLE - 10)
    True
    """
    # What exceeds the resource may do so by any factor; twice as much never fits either.
    return np.rint(np.minimum(np.asarray(needs, dtype=float) / B, 2.0) * WHOLE).astype(np.int64)


def by_resource(needs: np.ndarray) -> np.ndarray:
    """Return needs in units with a row for each class and a column for each resource that a machine may have.

    >>> by_resource(np.array([[3, 1], [0, 2]])).tolist(), by_resource(np.array([3])).tolist()
    ([[3, 1, 0, 0], [0, 2, 0, 0]], [[3, 0, 0, 0]])
    """
    given = needs if needs.ndim == 2 else needs[:, None]
    if given.shape[1] > MOST_RESOURCES:
        raise ValueError(f"events are simulated of at most {MOST_RESOURCES} resources, got {given.shape[1]}")
    each = np.zeros((len(given), MOST_RESOURCES), dtype=np.int64)
    each[:, : given.shape[1]] = given
    return each


@compiled(borrowing=True)
def fits(need, free):
    """Return whether a need fits into what is free of each resource.

    >>> fits((2, 1, 0, 0), (2, 1, 9, 9)), fits((2, 1, 0, 0), (3, 0, 9, 9))
    (True, False)
    """
    left = 0
    for k in range(MOST_RESOURCES):
        left |= free[k] - need[k]  # whose sign is that of any that is negative: there is no branch to guess wrongly
    return left >= 0


@compiled(borrowing=True)
def take(free, need):
    """Take a need off what is free of each resource."""
    for k in range(MOST_RESOURCES):
        free[k] -= need[k]


@compiled(borrowing=True)
def give_back(free, need):
    """Add a need to what is free of each resource."""
    for k in range(MOST_RESOURCES):
        free[k] += need[k]


@compiled(borrowing=True)
def plus(free, need):
    """Return what is free with a need given back, as a tuple, which stays in registers.

    >>> plus((1, 2, 0, 0), (3, 0, 0, 0))
    (4, 2, 0, 0)
    """
    return free[0] + need[0], free[1] + need[1], free[2] + need[2], free[3] + need[3]


@compiled(borrowing=True)
def minus(free, need):
    """Return what is free without a need, as a tuple.

    >>> minus((4, 2, 0, 0), (3, 0, 0, 0))
    (1, 2, 0, 0)
    """
    return free[0] - need[0], free[1] - need[1], free[2] - need[2], free[3] - need[3]


@compiled(borrowing=True)
def interrupt(job):
    """Return the number by which a policy asks to interrupt a job in service; applied to that number, the job.

    >>> interrupt(3), interrupt(interrupt(3))
    (-5, 3)
    """
    return -2 - job


def empty_queues(needs: np.ndarray) -> np.ndarray:
    """Return queues in which nobody waits: one for each class, which have these needs in units, and that of all."""
    line = np.zeros(len(needs) + 1, QUEUE)
    for name in ("first", "last", "root", "edge"):
        line[name] = NOBODY
    line["shortest"], line["need"][:-1] = np.inf, needs
    return line


def job_table(size: int) -> np.ndarray:
    """Return a table with room for this many jobs; each spare place names the next one behind it, from 0 on."""
    jobs = np.empty(size, JOB)
    jobs["behind"][:, ALL] = np.arange(1, size + 1)
    jobs["behind"][-1, ALL] = NOBODY
    return jobs


def longer_table(jobs: np.ndarray) -> np.ndarray:
    """Return a full table with as many spare places behind it, or with thousands."""
    longer = job_table(max(2 * len(jobs), 8192))
    longer[: len(jobs)] = jobs
    return longer


@compiled(borrowing=True)
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


@compiled(borrowing=True)
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


@compiled(borrowing=True)
def _list(line, kind):
    """Put a class among those in which somebody waits, if it is not there; without a branch, which costs more."""
    everybody = line[len(line) - 1]
    line[everybody.listed].kth = kind
    everybody.listed += 1 - line[kind].listed
    line[kind].listed = 1


@compiled(borrowing=True)
def kth_waiting(line, k):
    """Return the k-th of the classes in which somebody waits, in any order, or `NOBODY`.

    A class is listed when somebody enters it. It is struck off here, when it is met and nobody waits in it any longer.
    """
    everybody = line[len(line) - 1]
    while k < everybody.listed:
        kind = line[k].kth
        if line[kind].first != NOBODY:
            return kind
        everybody.listed -= 1
        line[k].kth = line[everybody.listed].kth
        line[kind].listed = 0
    return NOBODY


@compiled(borrowing=True)
def enter(jobs, line, job):
    """Put a job at the end of the queue."""
    _join(jobs, line[len(line) - 1], job, NOBODY, ALL)
    _join(jobs, line[jobs[job].kind], job, NOBODY, ALIKE)
    _list(line, jobs[job].kind)


@compiled(borrowing=True)
def pass_by_number(jobs, line, job):
    """Let a newcomer pass all with larger numbers, none of whom is of its class: it stands behind the last of some one.

    It takes the time of the classes, however long the queue is.
    """
    everybody, mine, ahead = line[len(line) - 1], jobs[job].number, NOBODY
    _part(jobs, everybody, job, ALL)
    for kind in range(len(line) - 1):
        last = line[kind].last if kind != jobs[job].kind else jobs[job].ahead[ALIKE]
        if last != NOBODY and jobs[last].number < mine and (ahead == NOBODY or jobs[last].number > jobs[ahead].number):
            ahead = last
    _join(jobs, everybody, job, everybody.first if ahead == NOBODY else jobs[ahead].behind[ALL], ALL)


@compiled(borrowing=True)
def leave(jobs, line, job):
    """Take a job out of the queue, wherever it stands."""
    _part(jobs, line[len(line) - 1], job, ALL)
    _part(jobs, line[jobs[job].kind], job, ALIKE)


@compiled(borrowing=True)
def enter_again(jobs, line, job, latest):
    """Put a job into the queue where it stands by its number, behind the `latest` of each queue if these are given."""
    for among in (ALL, ALIKE):
        kind = len(line) - 1 if among == ALL else jobs[job].kind
        ahead = NOBODY if latest is None else latest[kind]
        if ahead == NOBODY or jobs[ahead].number > jobs[job].number:
            later = line[kind].first
        else:
            later = jobs[ahead].behind[among]
        while later != NOBODY and jobs[later].number < jobs[job].number:
            later = jobs[later].behind[among]
        _join(jobs, line[kind], job, later, among)
    _list(line, jobs[job].kind)


@compiled(borrowing=True)
def serve(jobs, serving, job):
    """Put a job among those in service, by its expected end; ``serving[0]`` is their queue."""
    all_served = serving[0]
    later, sooner = NOBODY, all_served.last
    while sooner != NOBODY and jobs[sooner].estimate > jobs[job].estimate:
        later, sooner = sooner, jobs[sooner].ahead[ALL]
    _join(jobs, all_served, job, later, ALL)


@compiled(borrowing=True)
def release(jobs, serving, job):
    """Take a job from among those in service."""
    _part(jobs, serving[0], job, ALL)
