"""EASY: a later job starts early if it delays nobody who holds a reservation, and only the first job holds one.

1. If the first job in the queue fits, it starts. If no other one does, nobody starts.
2. Else go through the jobs in service in the order of their expected ends, and add their servers to what is free, until
   the first job fits. That is its *shadow time*. What is then left beside it is *extra*.
3. A later job that fits now may start if it is expected to end by the shadow time, or needs no more than the extra. In
   each class look for the first such job: the first of all where the need is at most the extra, else the first that is
   short enough (:mod:`mjq.simulation.engine.treap`). Of these, the one that came first starts.

**Cost.** Time proportional to the jobs in service that step 2 goes through, plus a search in each class.

**What tests hold.** The first job never starts after its shadow time, and the schedule is that of the plain definition,
to the last bit.

Source: A. W. Mu'alem, D. G. Feitelson, IEEE Transactions on Parallel and Distributed Systems 12(6) (2001) 529-543;
[SCHED] Eq. (b), [SCHED] Eq. (c).
"""

from __future__ import annotations

from mjq._util.compiling import compiled
from mjq.simulation.engine.policy import Policy
from mjq.simulation.engine.queue import ALL, EVERYTHING, MANY, NOBODY, NOTHING, fits, kth_waiting, minus, plus
from mjq.simulation.engine.treap import seek, uproot


def choose(jobs, line, serving, memory, profile, running, free, now):
    """Return the first job in the queue if it fits, or the first that delays its start by no estimate.

    If the head needs more than all servers that are up, nothing tells when it starts: nobody delays it, and the first
    job that fits starts.
    """
    head = line[len(line) - 1].first
    need = line[jobs[head].kind].need
    if fits(need, free):
        uproot(jobs, line[jobs[head].kind], head)
        return head
    first = _first_that_fits(line, free)
    if first == NOBODY:
        return NOBODY
    shadow, there, job = now, plus(free, NOTHING), serving[0].first
    while job != NOBODY and (not fits(need, there) or jobs[job].estimate == shadow):
        shadow = jobs[job].estimate
        there = plus(there, line[jobs[job].kind].need)
        job = jobs[job].behind[ALL]
    # Where too few servers are up, the first that fits is the first of its class, however long it runs.
    extra = minus(there, need) if fits(need, there) else EVERYTHING
    chosen, before = NOBODY, MANY
    for k in range(first, len(line)):
        kind = kth_waiting(line, k)
        if kind == NOBODY:
            break
        if not fits(line[kind].need, free):
            continue
        if fits(line[kind].need, extra):
            job = line[kind].first
        elif now + line[kind].shortest > shadow and line[kind].planted == 0:
            continue
        else:
            job = seek(jobs, line[kind], now, shadow, before)
        if job != NOBODY and jobs[job].number < before:
            chosen, before = job, jobs[job].number
    if chosen != NOBODY:
        uproot(jobs, line[jobs[chosen].kind], chosen)
    return chosen


@compiled(borrowing=True)
def _first_that_fits(line, free):
    """Return the place, among the classes in which somebody waits, of the first that fits."""
    for k in range(len(line)):
        kind = kth_waiting(line, k)
        if kind == NOBODY:
            break
        if fits(line[kind].need, free):
            return k
    return NOBODY


POLICIES = {
    "easy": Policy(
        choose,
        "A later job starts early if by all estimates it does not delay the first one in the queue: backfilling of "
        "depth 1.",
        sources=("Lifka95", "MualemFeitelson01"),
        example="a later job fits into the hole",
        knows_times=True,
        takes_priorities=True,
    )
}
