"""Queueing policies: which waiting job starts next.

After the completions and arrivals of an instant the event loop asks again and again, until nobody else may start. A
policy is a plain function

    ``choose(jobs, line, serving, memory, profile, running, free, now) -> job``

that gives the place in the table `jobs` of a waiting job that fits, or `NOBODY`, or ``interrupt(job)`` for a job in
service that has to go back to the queue. It may look at the table of jobs and at the queues `line` (see
:mod:`mjq.simulation.engine.queue`), at the number of jobs in service and at the free resource in units, and at
the clock. If it knows times, it also sees each job's estimate and the jobs in service, in the order in which they are
expected to end. It changes nothing but its `memory`, its `profile`, the promises that it makes, and what it learns of
the estimates in a queue.

With nobody in service, a policy starts a job if one that waits fits into the servers that are up, unless its sentence
says otherwise. A test tries that with every policy.

To add one, write the function and enter it in `POLICIES`, or in `FAMILIES` if it goes by a number. It is compiled when
it is first asked for; the event loop calls it by its address, and is therefore compiled once for all policies.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from mjq._util.compiling import numba
from mjq.simulation.engine.queue import JOB, MEMORY, PROFILE, QUEUE
from mjq.simulation.policies import backfilling, by_need, in_order, preemptive

__all__ = [  # noqa: RUF022, in the order of reading
    "Policy", "POLICIES", "FAMILIES", "policy", "compiled",
]  # fmt: skip

EVERYBODY = 2**31 - 1  # more than a queue can hold


@dataclass(frozen=True)
class Policy:
    """Describe a queueing policy.

    Attributes
    ----------
    choose : callable
        Gives the waiting job that starts next.
    sentence : str
        What it does, in one sentence.
    source : str
    keeps_order : bool
        Whether no job can start before one that came earlier: then nobody who comes later matters to a job.
    knows_times : bool
        Whether it looks at service times or estimates, so that they must be known when a job arrives.
    interrupts : bool
        Whether a job that has started may have to wait again.
    ordered_within_class : bool
        Whether jobs of one class start in the order in which they came: then it is *fcfs* where there is one class.
    number : int
        Its parameter, if it has one.
    """

    choose: Callable
    sentence: str
    source: str
    keeps_order: bool = False
    knows_times: bool = False
    interrupts: bool = False
    ordered_within_class: bool = True
    number: int = 0


BACKFILLING = (
    "A. W. Mu'alem, D. G. Feitelson, IEEE Transactions on Parallel and Distributed Systems 12(6) (2001) 529-543"
)
QUICKSWAP = "Z. Chen et al., Performance Evaluation 171 (2026) 102525, arXiv 2509.01893"
POLICIES = {
    "fcfs": Policy(
        in_order.fcfs,
        "Jobs start in order of arrival: the first one in the queue waits until it fits, and all others wait behind "
        "it.",
        "[BB22]",
        keeps_order=True,
    ),
    "first-fit": Policy(
        in_order.first_fit,
        "The first job in the queue that fits starts, again and again: backfilling without any reservation.",
        BACKFILLING + ", for backfilling, which reserves",
    ),
    "easy": Policy(
        backfilling.easy,
        "A later job starts early if by all estimates it does not delay the first one in the queue: backfilling of "
        "depth 1.",
        "D. A. Lifka, The ANL/IBM SP scheduling system, JSSPP 1995; " + BACKFILLING,
        knows_times=True,
    ),
    "conservative": Policy(
        backfilling.backfilling,
        "Each job is promised a start when it arrives. A later job starts early if it breaks no promise. When a job "
        "ends earlier than expected, each promise is moved forward once, in order of arrival; a hole that opens "
        "between promises stays until a job ends early again.",
        BACKFILLING,
        knows_times=True,
        number=EVERYBODY,
    ),
    "least-servers-first": Policy(
        by_need.least_servers_first,
        "Among the jobs that fit, the one that needs the fewest servers starts; the earliest of equals.",
        QUICKSWAP + ", for its opposite",
    ),
    "most-servers-first": Policy(
        by_need.most_servers_first,
        "Among the jobs that fit, the one that needs the most servers starts; the earliest of equals.",
        QUICKSWAP,
    ),
    "server-filling": Policy(
        preemptive.server_filling,
        "Among the first jobs by arrival that can fill all servers, the largest are served, and others are "
        "interrupted; servers and needs are powers of two.",
        "I. Grosof, M. Harchol-Balter, A. Scheller-Wolf, Queueing Systems 102 (2022), arXiv 2109.12663 (abstract)",
        knows_times=True,
        interrupts=True,
    ),
}
FAMILIES = {
    "backfill": Policy(
        backfilling.backfilling,
        "The first d jobs in the queue are promised a start, and later ones start early if they break no promise; "
        "depth 0 is first-fit, 1 is EASY, all is conservative. Under depths above 1, a hole that opens between "
        "promises stays until a job ends early again.",
        BACKFILLING,
        knows_times=True,
    ),
    "msfq": Policy(
        by_need.most_servers_first,
        "Jobs that need the most servers start first. But while at most l jobs are in service and the largest "
        "waiting job does not fit, no job starts, so that servers become free for it. A job that needs more servers "
        "than are up holds nobody back.",
        QUICKSWAP + ", whose policy also drains while no large job waits",
    ),
}
NAMES = (*POLICIES, *(f"{family}-<number>" for family in FAMILIES))


def policy(name: str) -> Policy:
    """Return the policy of this name; some names include a number.

    >>> policy("backfill-3").number
    3
    >>> policy("backfill-1") == policy("easy")
    True
    >>> policy("lifo")
    Traceback (most recent call last):
    ValueError: policy must be one of fcfs, first-fit, ..., msfq-<number>; got 'lifo'
    """
    if isinstance(name, str):
        name = {"backfill-0": "first-fit", "backfill-1": "easy"}.get(name, name)  # the same, and faster
        if name in POLICIES:
            return POLICIES[name]
        family = re.fullmatch(r"([a-z]+)-([0-9]{1,9})", name)
        if family and family[1] in FAMILIES:
            return replace(FAMILIES[family[1]], number=int(family[2]))
    raise ValueError(f"policy must be one of {', '.join(NAMES)}; got {name!r}")


@cache
def compiled(choose: Callable) -> Callable:
    """Return a policy's function as the event loop takes it, compiled with the one signature that all have."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # set when numba reads the environment
        return choose
    return numba.cfunc(_signature(), cache=True)(choose)


def _signature():
    """Return the signature that all policies have."""
    jobs, queue, memory, profile = (numba.from_dtype(kind)[::1] for kind in (JOB, QUEUE, MEMORY, PROFILE))
    running, free, now = numba.int64, numba.int64, numba.float64
    return numba.int64(jobs, queue, queue, memory, profile, running, free, now)
