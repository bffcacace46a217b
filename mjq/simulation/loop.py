"""The event loop of multiserver jobs: what happens next, whoever starts.

Where jobs come from is in :mod:`mjq.simulation.engine.arrivals`, who waits in :mod:`mjq.simulation.engine.queue`, who
starts next in :mod:`mjq.simulation.policies`; here is the loop that asks them. It is compiled once for all policies.

**The algorithm.** Every job has a row in one table, from its arrival to its end. Jobs in service stand in a heap by the
times at which they end.

1. Go to the next event: the earliest of the next arrival, the first end in the heap, the next change of the servers
   that are up, and the time at which the policy wants to be asked again. Add the jobs in the queue and in the system,
   times the time that has passed, to their integrals.
2. At that instant, first change the servers that are up.
3. Then let all jobs go that end now, and give back their servers.
4. Then let all jobs in that arrive now, at the end of the queue or, in a replay with priorities, before all of a
   lower one, and draw when the next one comes. Where the queue has finitely many places, let in one at a time. Where
   users have limits, some jobs wait before the queue until others of their user have gone
   (:mod:`mjq.simulation.engine.gates`).
5. Ask the policy for a job that starts, and start it; ask again until it names none. A job that starts takes its
   servers and enters the heap. Its service time is drawn now, or was drawn at its arrival if the policy looks at times.
   If more jobs wait then than there are places, the newcomer is lost.
6. When a job starts, its wait and its time in the system are known, and are counted. (If jobs may be interrupted, when
   it ends.) Stop when all jobs that count have been observed.

Or, where a log is to be replayed as some schedulers work, the policy is asked after each single event of an instant:
see :func:`events`.

**Cost.** An event takes time proportional to the logarithm of the jobs in service, for the heap, and what the policy
takes. Functions of the loop count no references to arrays (``mjq/_util/compiling.py``), which would take as long again.
To enter and to leave the queue takes the same time however long it is, with priorities that of the classes; only a job
that is interrupted walks through the queue to its old place. For policies that look at times, jobs in service also
stand in a list by expected end; a new one walks past those that are expected to end later. Memory is a row of 96 bytes
for each job in the system at the same time; the table doubles when it is full.

**Accuracy.** Needs are whole units, so what is free is always exact. Tests compare start and end of each job of random
logs, under every policy, with plain definitions that share no code: they are equal to the last bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mjq._util.compiling import compiled, plain
from mjq.simulation import policies
from mjq.simulation.engine.arrivals import Source, class_of, estimate, next_arrival, number_of, service_time
from mjq.simulation.engine.gates import UserLimits, gates_of, let_in, return_room, stop
from mjq.simulation.engine.heap import pop, push, record_type, remove
from mjq.simulation.engine.policy import Policy, first_class
from mjq.simulation.engine.queue import (
    ALL,
    MEMORY,
    MOST_RESOURCES,
    NOBODY,
    PROFILE,
    RESOURCE,
    empty_queues,
    enter,
    enter_again,
    give_back,
    interrupt,
    job_table,
    leave,
    longer_table,
    pass_by_number,
    release,
    serve,
    take,
)

SOJOURN, SOJOURN2, WAIT, WAIT2, FIRST_CLASS = range(5)  # columns of `times`: then the waits by class
IN_SYSTEM, IN_QUEUE, SPAN, DONE, LOST = range(5)  # columns of `areas`
START, FINISH = range(2)  # rows of a record
ENDLESS = 2**31 - 1  # places to wait, more than a queue can hold
GONE = -np.inf  # expected end of a job that has been taken for completed, and will be at this instant

# Where a run is. In a record, so that each step is a function of its own.
STATE = record_type(
    [
        ("now", np.float64),
        ("coming", np.float64),  # when the next job arrives
        ("arrived", np.int64),
        ("started", np.int64),  # starts so far, one by one; a job that was interrupted starts again
        ("told", np.int64),  # counted jobs of which nothing more is to be learnt
        ("batch", np.int64),  # to which time averages go, or -1
        ("spare", np.int64),  # first spare place in the table of jobs
        ("running", np.int64),
        ("gone", np.int64),  # of those, taken for completed
        ("free", np.int64, (MOST_RESOURCES,)),  # of each resource, in units
        ("change", np.float64),  # when the servers that are up change
        ("step", np.int64),  # of the calendar, the next one
    ]
)
STEP = record_type([("since", np.float64), ("up", np.int64)])  # of a calendar, in units
STEPS_OF_JOB = 400  # in plain Python, about a microsecond each


class Plan(NamedTuple):
    """Describe how long a run is, and what it counts."""

    arrivals: int
    """Jobs that come at most."""
    warm: int
    """Those that pass before the count begins."""
    counted: int
    """Those that are counted."""
    batches: int
    """Into which the counted jobs are divided."""
    tail_at: np.ndarray
    """Times for which to count the longer sojourns; float array."""
    room: int
    """Places to wait; `ENDLESS` for as many as it takes."""
    one_by_one: bool
    """Whether the policy is asked after each single event of an instant."""
    knows_times: bool
    """Whether the time of a job must be known when it arrives, and when jobs in service are expected to end."""
    interrupts: bool
    """Whether the policy interrupts jobs."""
    number: int
    """Its parameter."""
    by_number: bool = False
    """Whether jobs stand in the queue by the numbers that a log gives them, and not by arrival."""
    keeps_waits: bool = False
    """Whether the wait of each counted job is kept, and not only their sums."""


class Sums(NamedTuple):
    """Hold what a run has counted, with a row for each batch."""

    times: np.ndarray
    """Sums over the jobs: sojourn, its square, wait, its square, then the wait by class; float array, shape (batches, 4
    + L)."""
    counts: np.ndarray
    """Jobs by class; float array, shape (batches, L)."""
    tails: np.ndarray
    """Jobs with a sojourn above each time; float array, shape (batches, len(tail_at))."""
    areas: np.ndarray
    """Number in system and in queue, integrated from the first to the last counted arrival; that time; completions;
    counted jobs that were turned away; float array, shape (batches, 5)."""
    waits: np.ndarray
    """The wait of each counted job by its number, if they are kept; nan if it was turned away; float array, shape
    (counted,) or (0,)."""


def events(
    rng: np.random.Generator,
    policy: str | Policy,
    source: Source,
    needs: np.ndarray,
    plan: Plan,
    record: np.ndarray,
    calendar: np.ndarray | None = None,
    limits: UserLimits | None = None,
) -> Sums:
    """Run until every counted job has been observed to its end.

    At one instant all departures come first, then all arrivals, then the policy starts jobs one by one. Or, if the plan
    says so, each arrival is followed by the policy, then each departure, in the order in which the policy started these
    jobs (the last time, if it interrupts); jobs that are expected to end by then count as gone. A change of the servers
    that are up precedes all else of its instant.

    Parameters
    ----------
    rng : numpy.random.Generator
    policy : str or Policy
    source : mjq.simulation.engine.arrivals.Source
    needs : int array, shape (L, MOST_RESOURCES)
        Of each class, in units, see :mod:`mjq.simulation.engine.queue`.
    plan : Plan
    record : float array, shape (2, n)
        Takes the first start and the end of each job of a log, not a number before; n = 0 otherwise.
    calendar : record array, optional
        When the servers that are up change, and to how many, in units; None if all are always up. Of each
        resource the same share is up. Jobs in service run on when servers go down: what is free is then negative, and
        nobody starts who needs some of it.
    limits : UserLimits, optional
        How much users may have at once; None if all may have what there is.

    Raises
    ------
    RuntimeError
        If jobs wait, nobody is in service and nobody comes, but the policy starts nobody. With a calendar
        the run just ends.
    """
    rule = policies.policy(policy) if isinstance(policy, str) else policy
    sums = Sums(
        np.zeros((plan.batches, FIRST_CLASS + len(needs))),
        np.zeros((plan.batches, len(needs))),
        np.zeros((plan.batches, len(plan.tail_at))),
        np.zeros((plan.batches, LOST + 1)),
        np.full(plan.counted if plan.keeps_waits else 0, np.nan),
    )
    state, memory = np.zeros(1, STATE), np.zeros(1, MEMORY)
    state["batch"], state["free"] = -1, RESOURCE
    state["change"] = np.inf if calendar is None else calendar["since"][0]
    state["coming"] = next_arrival.py_func(rng, source.lam, source.log, 0, 0.0)
    memory["number"], memory["wake"], memory["changed"], memory["up"] = plan.number, np.inf, True, RESOURCE
    jobs, line, serving = job_table(1024), empty_queues(needs), empty_queues(needs[:0])
    profile = _profile(jobs, plan)
    most = min(plan.arrivals, _together(needs))  # in service at the same time
    if plan.one_by_one:
        most *= 2  # those that are gone are still there
    heap = np.empty(most), np.empty(most, dtype=np.int64)  # of completions to come
    length = plan.warm, plan.counted, plan.batches, plan.tail_at, plan.room
    gates = None if limits is None else gates_of(limits.rooms, len(line))
    # What a run does not use is None. What only few runs use is None in all others, and is compiled together.
    steps = np.empty(0, STEP) if calendar is None else calendar
    is_seldom = plan.one_by_one or plan.by_number or len(steps) > 0 or limits is not None
    seldom = (plan.one_by_one, plan.by_number, steps) if is_seldom else (None, None, None)
    kinds = plan.knows_times or plan.one_by_one or None, plan.interrupts or None
    given = *source, plan.arrivals, *length, *kinds, *seldom, limits, gates
    jobs_seen = plan.warm + plan.counted  # a policy that looks at times may go down the whole queue for each
    step = advance.form(jobs_seen * (STEPS_OF_JOB + 3 * jobs_seen * rule.draws_times_first))
    choose = plain(rule.choose) if step is advance.plain else first_class(rule.choose, rule.allocates)
    while not step(choose, rng, state, jobs, line, serving, memory, profile, *heap, sums, record, *given):
        state["spare"] = len(jobs)
        jobs = longer_table(jobs)
        longer = _profile(jobs, plan)
        longer[: memory[0].used] = profile[: memory[0].used]
        profile = longer
    return sums


def _together(needs):
    """Return how many jobs fit at most: each takes as much of some resource as any takes of what it needs most of."""
    resources = np.flatnonzero(needs.any(axis=0)).max(initial=0) + 1
    return int(resources * RESOURCE // max(1, needs.max(axis=1).min(initial=RESOURCE)))


def _profile(jobs, plan):
    """Return an empty profile with room for two entries for each job, and some while one is moved."""
    return np.empty(2 * len(jobs) + 4 if plan.knows_times else 1, PROFILE)


@compiled(many=1.2e6, borrowing=True, error_model="numpy")
def advance(
    choose, rng, states, jobs, line, serving, memory, profile, due, who, sums, record,
    lam, shares, laws, table, factor, log, arrivals, warm, counted, batches, tail_at, room,
    times, interrupts, one_by_one, by_number, calendar, limits, gates,
):  # fmt: skip
    """Go from event to event; return whether the run is over. If it is not, the table of jobs must grow.

    No array is replaced here, and none taken out of a tuple at each step: its references would be counted, which takes
    longer than the steps.
    """
    state, areas = states[0], sums.areas
    times_known = times is not None
    interrupting = interrupts is not None
    seldom = calendar is not None  # numba leaves out what stands behind it otherwise
    single = seldom and one_by_one
    limited = limits is not None
    logged = log is not None
    drawn = laws is not None
    while state.told < counted or state.batch >= 0:
        then = min(state.coming, due[0]) if state.running else state.coming
        then = min(then, memory[0].wake, state.change)
        if then == np.inf:
            if seldom and len(calendar):
                return True
            raise RuntimeError("jobs wait, nobody is in service and nobody comes: the policy must start somebody")
        if state.batch >= 0:
            _average(areas, state, line[len(line) - 1].length, then - state.now)
        state.now = then
        if seldom and state.change == then:
            _change(state, jobs, line, memory, calendar, times_known)
        if seldom and single:
            _let_go(state, jobs, line, serving, due)
        if not (single and state.coming == state.now):
            while state.running and due[0] == state.now:
                if seldom and single:
                    _first_by_start(state, jobs, due, who)
                job = who[0]
                if times_known:
                    _stop_expecting(state, jobs, line, serving, memory, job)
                _depart(state, jobs, line, due, who)
                if limited:
                    return_room(jobs, gates, limits, job)
                if interrupting:
                    # A job that may be interrupted tells its time only now; but for rounding, its wait is at least 0.
                    wait = max(0.0, state.now - jobs[job].arrival - jobs[job].service)
                    number = jobs[job].number - warm
                    if 0 <= number < counted:
                        batch = number * batches // counted
                        _count(sums, number, batch, jobs[job].kind, wait, jobs[job].service, tail_at)
                        state.told += 1
                if state.batch >= 0:
                    areas[state.batch, DONE] += 1
                if single:
                    break
            if limited:
                let_in(jobs, line, gates, limits, times_known)
        newcomer = NOBODY
        while state.coming == state.now:
            if state.spare == NOBODY:
                return False
            number = state.arrived - warm
            state.batch = number * batches // counted if 0 <= number < counted - 1 else -1
            newcomer = state.spare
            _arrive(state, jobs, line, class_of(rng, shares, log, state.arrived), number_of(log, state.arrived))
            if seldom and by_number:
                pass_by_number(jobs, line, newcomer)
            if times_known:
                mine = jobs[newcomer]
                if logged:
                    mine.service = mine.rest = log[mine.number].work
                if drawn:
                    mine.service = mine.rest = service_time(rng, laws, table, mine.kind)
                mine.estimate = estimate(factor, log, mine.number, mine.service)
                alike = line[mine.kind]
                alike.shortest = min(alike.shortest, mine.estimate)
                mine.promise = np.nan
            if limited:
                stop(jobs, line, gates, limits, newcomer)
            state.coming = next_arrival(rng, lam, log, state.arrived, state.now)
            if state.arrived == arrivals:
                state.coming = np.inf
            if single or room < ENDLESS:
                break
        memory[0].wake = np.inf
        while line[len(line) - 1].length:
            running = state.running - state.gone
            job = choose(jobs, line, serving, memory, profile, running, state.free[:], state.now)
            if interrupting and job < NOBODY:
                _interrupt(state, jobs, line, serving, due, who, interrupt(job))
                enter_again(jobs, line, interrupt(job), None)
                continue
            if job == NOBODY:
                if newcomer == NOBODY or line[len(line) - 1].length <= room:
                    break
                # The newcomer finds no place; if it was started, those that it displaced are started again.
                if interrupting and _is_served(state, who, newcomer):
                    _interrupt(state, jobs, line, serving, due, who, newcomer)
                else:
                    leave(jobs, line, newcomer)
                memory[0].changed = True
                number = jobs[newcomer].number - warm
                if 0 <= number < counted:
                    areas[number * batches // counted, LOST] += 1
                    state.told += 1
                jobs[newcomer].behind[ALL] = state.spare
                state.spare = newcomer
                newcomer = NOBODY
                continue
            number, kind = jobs[job].number, jobs[job].kind
            service = jobs[job].rest
            if logged and not times_known:
                service = log[number].work
            if drawn and not times_known:
                service = service_time(rng, laws, table, kind)
            if number < record.shape[1]:
                if np.isnan(record[START, number]):  # it has not been started before, and interrupted
                    record[START, number] = state.now
                record[FINISH, number] = state.now + service
            _start(state, jobs, line, due, who, job, service)
            if seldom and single:
                jobs[job].turn = state.started
                state.started += 1
            if times_known:
                jobs[job].estimate += state.now
                serve(jobs, serving, job)
            if not interrupting and warm <= number < warm + counted:
                batch = (number - warm) * batches // counted
                _count(sums, number - warm, batch, kind, state.now - jobs[job].arrival, service, tail_at)
                state.told += 1
    return True


@compiled(borrowing=True)
def _change(state, jobs, line, memory, calendar, times_known):
    """Let as many servers be up as the calendar says from now on; if they are fewer, all promises are void."""
    up = calendar[state.step].up
    if up < memory[0].up and times_known:
        job = line[len(line) - 1].first
        while job != NOBODY:
            jobs[job].promise = np.nan
            job = jobs[job].behind[ALL]
    memory[0].changed = True
    for k in range(MOST_RESOURCES):
        state.free[k] += up - memory[0].up
    memory[0].up = up
    state.step += 1
    state.change = calendar[state.step].since if state.step < len(calendar) else np.inf


@compiled(borrowing=True)
def _average(areas, state, waiting, span):
    """Add the jobs that wait, and those in service, over this time to the integrals."""
    areas[state.batch, IN_SYSTEM] += (state.running + waiting) * span
    areas[state.batch, IN_QUEUE] += waiting * span
    areas[state.batch, SPAN] += span


@compiled(borrowing=True)
def _let_go(state, jobs, line, serving, due):
    """Count jobs as completed that are expected to end by now, once a job ends."""
    while state.running and due[0] == state.now:
        job = serving[0].first
        if job == NOBODY or jobs[job].estimate > state.now:
            break
        release(jobs, serving, job)
        jobs[job].estimate = GONE
        state.gone += 1
        give_back(state.free, line[jobs[job].kind].need)


@compiled(borrowing=True)
def _stop_expecting(state, jobs, line, serving, memory, job):
    """Forget the expected end of a job that completes; if it was reached before, undo that its need was given back."""
    if jobs[job].estimate == GONE:
        state.gone -= 1
        take(state.free, line[jobs[job].kind].need)
    else:
        release(jobs, serving, job)
        memory[0].changed |= jobs[job].estimate > state.now


@compiled(borrowing=True)
def _first_by_start(state, jobs, due, who):
    """Let the job that started first be the next of those that complete now."""
    place = 0
    for k in range(state.running):
        if due[k] == state.now and jobs[who[k]].turn < jobs[who[place]].turn:
            place = k
    who[0], who[place] = who[place], who[0]


@compiled(borrowing=True)
def _depart(state, jobs, line, due, who):
    """Complete the next job: give back its servers and its place in the table."""
    job = who[0]
    state.running -= 1
    pop(due, who, state.running)
    give_back(state.free, line[jobs[job].kind].need)
    jobs[job].behind[ALL] = state.spare
    state.spare = job


@compiled(borrowing=True)
def _arrive(state, jobs, line, kind, number):
    """Give a job of this class and number a place in the table, and put it at the end of the queue."""
    job = state.spare
    state.spare = jobs[job].behind[ALL]
    jobs[job].arrival = state.now
    jobs[job].number = number
    jobs[job].kind = kind
    enter(jobs, line, job)
    state.arrived += 1


@compiled(borrowing=True)
def _start(state, jobs, line, due, who, job, service):
    """Take a job out of the queue and serve it."""
    leave(jobs, line, job)
    push(due, who, state.running, state.now + service, job)
    state.running += 1
    take(state.free, line[jobs[job].kind].need)


@compiled(borrowing=True)
def _is_served(state, who, job):
    """Return whether a job is in service."""
    for k in range(state.running):
        if who[k] == job:
            return True
    return False


@compiled(borrowing=True)
def _interrupt(state, jobs, line, serving, due, who, job):
    """Give back the servers of a job in service before it has completed."""
    place = 0
    while who[place] != job:
        place += 1
    jobs[job].rest = due[place] - state.now
    state.running -= 1
    remove(due, who, state.running, place)
    release(jobs, serving, job)
    jobs[job].estimate -= state.now
    give_back(state.free, line[jobs[job].kind].need)


@compiled(borrowing=True)
def _count(sums, number, batch, kind, wait, service, tail_at):
    """Add what a counted job tells."""
    sojourn = wait + service
    sums.times[batch, SOJOURN] += sojourn
    sums.times[batch, SOJOURN2] += sojourn * sojourn
    sums.times[batch, WAIT] += wait
    sums.times[batch, WAIT2] += wait * wait
    sums.times[batch, FIRST_CLASS + kind] += wait
    sums.counts[batch, kind] += 1
    for j in range(len(tail_at)):
        sums.tails[batch, j] += sojourn > tail_at[j]
    if len(sums.waits):
        sums.waits[number] = wait
