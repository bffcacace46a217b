"""What a policy is: a function that says which waiting job starts next, and the words for it.

After the completions and arrivals of an instant the event loop asks again and again, until nobody else may start. A
policy is a plain function

    ``choose(jobs, line, serving, memory, profile, running, free, now) -> job``

that gives the place in the table `jobs` of a waiting job that fits, or `NOBODY`, or ``interrupt(job)`` for a job in
service that has to go back to the queue. It may look at the table of jobs and at the queues `line` (see
:mod:`mjq.simulation.engine.queue`), at the number of jobs in service and at the clock. What is `free` is an array: for
each resource, how much, in units; ``fits(line[kind].need, free)`` says whether a job of a class fits. A rule for which
needs must have an order looks at the first resource alone, ``line[kind].need[0]`` and ``free[0]``, and says in
`one_resource` why it takes no more. If it knows times, it also sees each job's estimate and the jobs in service, in the
order in which they are expected to end. It changes nothing but its `memory`, its `profile`, the promises that it makes,
and what it learns of the estimates in a queue.

With nobody in service, a policy starts a job if one that waits fits into the servers that are up, unless its sentence
says otherwise. A test tries that with every policy.

The function is compiled when it is first asked for; the event loop calls it by its address, and is therefore compiled
once for all policies. :mod:`mjq.models.scheduling` calls it as it stands, where it knows no times.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from mjq._util.compiling import compiler, plain
from mjq.simulation.engine.queue import JOB, MEMORY, PROFILE, QUEUE


@dataclass(frozen=True)
class Policy:
    """Describe a queueing policy."""

    choose: Callable
    """Gives the waiting job that starts next."""
    sentence: str
    """What it does."""
    sources: tuple[str, ...] = ()
    """Keys of the bibliography; none if it is ours."""
    example: str = ""
    """A workload of :mod:`mjq_book.published.schedules` in which the rule can be seen."""
    letter: str = ""
    """The letter by which the sentence calls the number in its name; empty if the name has none."""
    keeps_order: bool = False
    """Whether no job can start before one that came earlier: then nobody who comes later matters to a job."""
    knows_times: bool = False
    """Whether it looks at service times or estimates. Such a policy has no finite chain."""
    interrupts: bool = False
    """Whether a job that has started may have to wait again."""
    ordered_within_class: bool = True
    """Whether jobs of one class start in the order in which they came: then it is *fcfs* where there is one class."""
    one_resource: str = ""
    """Why it is a rule for one resource only; empty if jobs may need several at once."""
    by_class: bool = False
    """Whether it goes by the class of a job. It is then for the simulator alone, whose classes have an order: those of
    a log are its needs."""
    takes_priorities: bool = False
    """Whether the queue of a replay may stand in an order of priorities: whether the rule goes down the queue, and not
    by needs first, and keeps no promise that a later job of a higher priority would have to break."""
    allocates: bool = False
    """Whether the function makes arrays."""
    number: int = 0
    """Its parameter, if it has one."""

    @property
    def words(self) -> str:
        """Return what it does and who says so, as page, chapter and ledger of the book show it."""
        return f"{self.sentence} " + (f"{{cite:p}}`{','.join(self.sources)}`" if self.sources else "(Ours.)")

    @property
    def draws_times_first(self) -> bool:
        """Return whether the time of a job must be known when it arrives, not only when it starts."""
        return self.knows_times or self.interrupts


@cache
def first_class(choose: Callable, allocates: bool = False) -> Callable:
    """Return a policy's function as the event loop takes it, compiled with the one signature that all have."""
    numba = compiler()
    if numba is None:
        return plain(choose)
    jobs, queue, memory, profile = (numba.from_dtype(kind)[::1] for kind in (JOB, QUEUE, MEMORY, PROFILE))
    running, free, now = numba.int64, numba.int64[::1], numba.float64
    signature = numba.int64(jobs, queue, queue, memory, profile, running, free, now)
    return numba.cfunc(signature, cache=True, _nrt=allocates)(choose)
