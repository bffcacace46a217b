"""Backfilling of any depth: later jobs start early where they delay nobody who holds a reservation.

The first d jobs in the queue hold reservations, which are promises by what running times are estimated. For d = 1
:mod:`mjq.simulation.policies.easy` does the same without a profile, and is therefore fast; for a d of more than ever
wait it is conservative backfilling.

The profile says what is free, and will be: ``profile[k]`` holds how much from ``since`` on, up to the next entry; the
last one holds for ever. ``memory[0].used`` entries count.

1. If a job has ended earlier than expected, servers have changed, or a job was turned away, make the profile anew: what
   is free now, more at the expected end of each job in service, and less for each promise while its job would run.
   Then, in order of arrival, each job with a promise gives it back and gets the earliest one that there is, never a
   later one.
2. Forget the entries that have passed.
3. Go down the queue. A job without a promise is promised the earliest start from which on its need is free for as long
   as it is estimated to run, and is taken out of the profile, if it is among the first d. Behind these it is promised a
   start only if that is now.
4. The first job on the way whose promise is due, and which fits, starts. If there is none, the policy is asked again at
   the next promise.

Where servers go down and come back, the policy goes by those that are up now. When some
go down, all promises are void, and given anew in order of arrival; a job that needs more than are up is promised
nothing. When some come back, promises are kept and made better, as if somebody had ended early.

**Cost.** The profile has at most two entries a job in service or with a promise. To find an earliest start is one walk
over it, and so is to take a job out; step 1 takes this for each promise. Conservative backfilling with a queue of q
jobs may so take time :math:`q^2` when a job ends early.

**What tests hold.** Conservative backfilling breaks no promise, and gives the schedule of its plain definition, to the
last bit.

Source: A. W. Mu'alem, D. G. Feitelson, IEEE Transactions on Parallel and Distributed Systems 12(6) (2001) 529-543;
[SCHED] Eq. (c).
"""

from __future__ import annotations

import math

from mjq._util.compiling import compiled
from mjq.simulation.engine.policy import Policy
from mjq.simulation.engine.queue import ALL, MOST_RESOURCES, NOBODY, fits, give_back, take

EVERYBODY = 2**31 - 1  # more than a queue can hold


def choose(jobs, line, serving, memory, profile, running, free, now):
    """Return the first job that fits now and delays none of the first ``memory[0].number`` before their promise.

    Promises are kept. When somebody ends earlier than expected, jobs that hold one are promised anew, one by one in
    order of arrival, each with the promises to all others kept, so that nobody starts later than promised before.
    """
    if memory[0].changed:
        _promise_anew(jobs, line, serving, memory, profile, free, now)
        memory[0].changed = False
    _forget(memory, profile, now)
    ahead, job, wake = 0, line[len(line) - 1].first, math.inf
    while job != NOBODY:
        need, span = line[jobs[job].kind].need, jobs[job].estimate
        if math.isnan(jobs[job].promise) and (fits(need, free) or ahead < memory[0].number):
            start = _earliest(memory, profile, now, span, need, math.inf)
            if start <= now or ahead < memory[0].number:
                jobs[job].promise = start
                _hold(memory, profile, start, start + span, need)
        if jobs[job].promise <= now and fits(need, free):
            return job
        if jobs[job].promise > now:
            wake = min(wake, jobs[job].promise)
        ahead += 1
        job = jobs[job].behind[ALL]
    memory[0].wake = wake
    return NOBODY


@compiled(borrowing=True)
def _promise_anew(jobs, line, serving, memory, profile, free, now):
    """Make the profile from the jobs in service and all promises; then let each job in turn come earlier."""
    profile[0].since = now
    for k in range(MOST_RESOURCES):
        profile[0].free[k] = free[k]
    used, job = 1, serving[0].first
    while job != NOBODY:
        end, need = jobs[job].estimate, line[jobs[job].kind].need
        if end > profile[used - 1].since:
            profile[used] = profile[used - 1]
            profile[used].since = end
            used += 1
        give_back(profile[used - 1].free, need)
        job = jobs[job].behind[ALL]
    memory[0].used = used
    job = line[len(line) - 1].first
    while job != NOBODY:
        if not math.isnan(jobs[job].promise):
            start = max(jobs[job].promise, now)
            _hold(memory, profile, start, start + jobs[job].estimate, line[jobs[job].kind].need)
        job = jobs[job].behind[ALL]
    job = line[len(line) - 1].first
    while job != NOBODY:
        if not math.isnan(jobs[job].promise):
            start, span, need = max(jobs[job].promise, now), jobs[job].estimate, line[jobs[job].kind].need
            if _earliest(memory, profile, now, span, need, start) < start:  # most cannot: the profile stays
                _hold(memory, profile, start, start + span, need, back=True)
                start = _earliest(memory, profile, now, span, need, math.inf)
                _hold(memory, profile, start, start + span, need)
            jobs[job].promise = start
        job = jobs[job].behind[ALL]


@compiled(borrowing=True)
def _forget(memory, profile, now):
    """Let the profile begin now."""
    passed = 0
    while passed + 1 < memory[0].used and profile[passed + 1].since <= now:
        passed += 1
    if passed:
        for k in range(memory[0].used - passed):
            profile[k] = profile[k + passed]
        memory[0].used -= passed
    profile[0].since = now


@compiled(borrowing=True)
def _earliest(memory, profile, now, span, need, kept):
    """Return from when on this much is free for this long.

    If so much is reserved for the job from a time on that is `kept`, it is at or before that.
    """
    start, k = now, 0
    while (
        k < memory[0].used
        and profile[k].since < kept
        and (profile[k].since < start + span or profile[k].since == start)
    ):
        if not fits(need, profile[k].free):
            start = profile[k + 1].since if k + 1 < memory[0].used else math.inf
        k += 1
    return start


@compiled(borrowing=True)
def _hold(memory, profile, start, end, need, back=False):
    """Take what a job needs out of the profile from its start to its end, or give it back."""
    if not end > start:
        return
    first = _entry(memory, profile, start)
    last = _entry(memory, profile, end)
    for k in range(first, last):
        if back:
            give_back(profile[k].free, need)
        else:
            take(profile[k].free, need)
    for k in (last, first):  # entries that say nothing new go, so that there are never more than two a job
        if k and _alike(profile[k].free, profile[k - 1].free):
            memory[0].used -= 1
            for j in range(k, memory[0].used):
                profile[j] = profile[j + 1]


@compiled(borrowing=True)
def _alike(free, other):
    for k in range(MOST_RESOURCES):
        if free[k] != other[k]:
            return False
    return True


@compiled(borrowing=True)
def _entry(memory, profile, time):
    """Return the entry that begins at this time; it is made if there is none."""
    used = memory[0].used
    k, beyond = 0, used  # the first entry that begins later is from the one on, up to the other
    while k < beyond:
        middle = (k + beyond) // 2
        if profile[middle].since > time:
            beyond = middle
        else:
            k = middle + 1
    if k and profile[k - 1].since == time:
        return k - 1
    for j in range(used, k, -1):
        profile[j] = profile[j - 1]
    profile[k] = profile[k - 1]
    profile[k].since = time
    memory[0].used += 1
    return k


POLICIES = {
    "conservative": Policy(
        choose,
        "Each job is promised a start when it arrives. A later job starts early if it breaks no promise. When a job "
        "ends earlier than expected, each promise is moved forward once, in order of arrival; a hole that opens "
        "between promises stays until a job ends early again.",
        sources=("MualemFeitelson01",),
        example="an early end moves promises forward",
        knows_times=True,
        number=EVERYBODY,
    ),
    "backfill": Policy(
        choose,
        "The first d jobs in the queue are promised a start, and later ones start early if they break no promise; "
        "depth 0 is first-fit, 1 is EASY, all is conservative. Under depths above 1, a hole that opens between "
        "promises stays until a job ends early again.",
        sources=("MualemFeitelson01",),
        example="two promises or three",
        letter="d",
        knows_times=True,
    ),
}
