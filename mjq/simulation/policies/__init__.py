"""Queueing policies: which waiting job starts next.

After all departures and all arrivals of an instant the event loop asks again and again, until nobody else may start. A
policy is a plain function

    ``choose(jobs, line, due, who, running, free, now) -> job``

that gives the place in the table `jobs` of a waiting job that fits, or `NOBODY`. It may look at the table of jobs and
at the `line` (see :mod:`mjq.simulation.line`), at the jobs in service (a heap of `running` completion times `due`, and
`who` completes), at the free resource in units, and at the clock. It changes nothing.

To add one, write the function and enter it in `POLICIES`. It is compiled when it is first asked for; the event loop
calls it by its address, and is therefore compiled once for all policies.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numba

from mjq.simulation.line import JOB, QUEUE
from mjq.simulation.policies import in_order

CHOICE = numba.int64(
    numba.from_dtype(JOB)[::1],  # jobs
    numba.from_dtype(QUEUE)[::1],  # line
    numba.float64[::1],  # due
    numba.int64[::1],  # who
    numba.int64,  # running
    numba.int64,  # free
    numba.float64,  # now
)


@dataclass(frozen=True)
class Policy:
    """A queueing policy.

    Attributes
    ----------
    choose : callable
        Gives the waiting job that starts next.
    sentence : str
        What it does, in one sentence.
    source : str
    keeps_order : bool
        Whether no job can start before one that came earlier: then nobody who comes later matters to a job.
    """

    choose: Callable
    sentence: str
    source: str
    keeps_order: bool = False


POLICIES = {
    "fcfs": Policy(
        in_order.fcfs,
        "Jobs start in order of arrival: the first one in the line waits until it fits, and all others behind it.",
        "[BB22]",
        keeps_order=True,
    ),
    "first-fit": Policy(
        in_order.first_fit,
        "Again and again the first job in the line that fits starts: backfilling without any reservation.",
        "A. W. Mu'alem, D. G. Feitelson, IEEE Transactions on Parallel and Distributed Systems 12(6) (2001) 529-543, "
        "for backfilling, which reserves",
    ),
}


def policy(name):
    """The policy of this name.

    >>> policy("lifo")
    Traceback (most recent call last):
    ValueError: policy must be one of fcfs, first-fit; got 'lifo'
    """
    if not isinstance(name, str) or name not in POLICIES:
        raise ValueError(f"policy must be one of {', '.join(POLICIES)}; got {name!r}")
    return POLICIES[name]


@cache
def compiled(choose):
    """A policy's function as the event loop takes it, with the one signature that all have."""
    return numba.cfunc(CHOICE, cache=True)(choose)
