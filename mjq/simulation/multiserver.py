"""An event-driven simulator of multiserver jobs.

Jobs of several classes arrive. A job of class `i` holds `b[i]` units of a resource of size `B` for its service time;
until it can start, it waits. Where jobs come from is in :mod:`mjq.simulation.jobs`, who waits in
:mod:`mjq.simulation.line`, who starts next in :mod:`mjq.simulation.policies`; here is the event loop that asks them.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numba
import numpy as np

from mjq import checks
from mjq.simulation import jobs as sources
from mjq.simulation import policies
from mjq.simulation.estimates import Estimate, clustering
from mjq.simulation.events import pop, push, remove
from mjq.simulation.jobs import class_of, estimate, next_arrival, service_time
from mjq.simulation.line import (
    MEMORY,
    NOBODY,
    PROFILE,
    RESOURCE,
    enter,
    enter_again,
    interrupt,
    leave,
    more_places,
    opened,
    places,
    release,
    serve,
    units,
)
from mjq.simulation.replications import Compiled, replicate, require_affordable
from mjq.solvers.phase_type import PhaseType

BATCHES = 30  # of one long run without replications
LATECOMERS = 10_000  # that come at most after the counted jobs and as many again, should one of these still wait
SOJOURN, SOJOURN2, WAIT, WAIT2, FIRST_CLASS = range(5)  # columns of `times`: then the waits by class
IN_SYSTEM, IN_QUEUE, SPAN, DONE, LOST = range(5)  # columns of `areas`
START, FINISH = range(2)  # rows of a record
ENDLESS = 2**31 - 1  # places to wait, more than a line can hold
GONE = -np.inf  # expected end of a job that has been taken for completed, and will be at this instant

# Where a run is. In a record, so that each step is a function of its own.
STATE = np.dtype(
    [
        ("now", np.float64),
        ("coming", np.float64),  # when the next job arrives
        ("arrived", np.int64),
        ("told", np.int64),  # counted jobs of which nothing more is to be learnt
        ("batch", np.int64),  # to which time averages go, or -1
        ("spare", np.int64),  # first spare place in the table of jobs
        ("running", np.int64),
        ("gone", np.int64),  # of those, taken for completed
        ("free", np.int64),  # resource, in units
    ]
)


class Plan(NamedTuple):
    """How long a run is, and what it counts.

    Attributes
    ----------
    arrivals, warm, counted : int
        Jobs that come at most; that pass before the count begins; that are counted.
    batches : int
        Into which the counted jobs are divided.
    tail_at : float array
        Times for which to count the longer sojourns.
    room : int
        Places to wait; `ENDLESS` for as many as it takes.
    one_by_one : bool
        Whether the policy is asked after each single event of an instant.
    knows_times, interrupts : bool
        What the policy needs and does.
    number : int
        Its parameter.
    """

    arrivals: int
    warm: int
    counted: int
    batches: int
    tail_at: np.ndarray
    room: int
    one_by_one: bool
    knows_times: bool
    interrupts: bool
    number: int


class Sums(NamedTuple):
    """What a run has counted, a row a batch.

    Attributes
    ----------
    times : float array, shape (batches, 4 + L)
        Sums over the jobs: sojourn, its square, wait, its square, then the wait by class.
    counts : float array, shape (batches, L)
        Jobs by class.
    tails : float array, shape (batches, len(tail_at))
        Jobs with a sojourn above each time.
    areas : float array, shape (batches, 5)
        Number in system and in queue, integrated from the first to the last counted arrival; that time; completions;
        counted jobs that were turned away.
    """

    times: np.ndarray
    counts: np.ndarray
    tails: np.ndarray
    areas: np.ndarray


@dataclass(frozen=True)
class MultiserverEstimates:
    """Estimates from a simulation of multiserver jobs.

    Attributes
    ----------
    EN, ENq : Estimate
        Time averages of the number of jobs in the system and in the queue.
    EW, EW2 : Estimate
        First and second moment of the sojourn time.
    EWq, EWq2 : Estimate
        First and second moment of the time in the queue.
    EWq_by_class : tuple of Estimate
        Mean time in the queue of the jobs of each class.
    tail : tuple of Estimate
        Fraction of sojourn times above each of the times asked for; its interval is good also where none was seen.
    throughput : Estimate
        Completions per unit of time.
    accepted : Estimate
        Fraction of the jobs that found a place.
    """

    EN: Estimate
    ENq: Estimate
    EW: Estimate
    EW2: Estimate
    EWq: Estimate
    EWq2: Estimate
    EWq_by_class: tuple
    tail: tuple
    throughput: Estimate
    accepted: Estimate


def simulate_multiserver(
    lam,
    B,
    b,
    mu,
    p,
    jobs,
    seed,
    *,
    service=None,
    policy="fcfs",
    estimates=1.0,
    room=None,
    replications=1,
    warmup=0.1,
    tail_at=(),
    workers=1,
    progress=None,
):
    """Simulate a multiserver job system, stable or not.

    Parameters
    ----------
    lam : float
        Arrival rate.
    B : float
        Resource.
    b, mu, p : sequence of float, shape (L,)
        Need, completion rate and probability of each class. With `service`, `mu` is None or says the same.
    jobs : int
        Jobs counted in each replication, after the warm-up.
    seed : int, sequence of int, or numpy.random.SeedSequence
        The same seed gives the same numbers, whatever the number of workers.
    service : sequence, length L, optional
        Law of the service time of each class: a :class:`~mjq.solvers.phase_type.PhaseType`, a
        :class:`~mjq.simulation.Lognormal`, a :class:`~mjq.simulation.BoundedPareto`, a number (always that
        time) or a sequence of times, all equally likely. By default exponential with rate `mu`.
    policy : str
        ``"fcfs"``: in order of arrival; ``"first-fit"``: again and again the first in the line that fits; ``"easy"``,
        ``"conservative"``, ``"backfill-3"`` (depth 3), ``"least-servers-first"``, ``"most-servers-first"``,
        ``"msfq-2"`` (threshold 2), ``"server-filling"``: see :data:`mjq.simulation.policies.POLICIES`. A job that is
        interrupted goes on later where it stopped; its time in the queue is all that it is not served.
    estimates : float
        How many times its service time a job is expected to take, at least 1, for policies that look at estimates.
    room : int, optional
        Jobs that may wait; a job is turned away if, after the policy has started whom it can, more would.
    replications : int
        Independent runs. Intervals come from them or, with a single one, from the means of 30 batches.
    warmup : float
        Jobs that pass before the count begins, as a fraction of `jobs`.
    tail_at : sequence of float
        Times for which to count the longer sojourns.
    workers : int or distributed.Client
        Replications that run at the same time on this machine, or a client of a dask scheduler.
    progress : bool, optional
        Show a progress bar; by default on a terminal, for long work.

    Returns
    -------
    MultiserverEstimates

    Raises
    ------
    ValueError
        If the input breaks a law, which is named.

    Notes
    -----
    Times are counted for `jobs` successive arrivals, until the last of them has started (where jobs are interrupted:
    ended). Numbers in the system are
    averaged between the first and the last of these arrivals. Where later jobs may overtake, they go on to arrive
    until all that are counted have started, but no more of them than the counted ones, those of the warm-up and
    10,000: in an overloaded system a job may otherwise be overtaken for ever.

    Examples
    --------
    M/M/1 at load one half: two jobs' worth of time on average.

    >>> run = simulate_multiserver(.5, 1, [1], [1], [1], jobs=20_000, seed=1, replications=10)
    >>> 2 in run.EW.widened(2)
    True
    """
    lam = float(checks.positive("lam", lam, ndim=0))
    if service is None:
        B, b, mu, p = checks.multiserver(B, b, mu, p)
        laws = [PhaseType([1.0], [[-rate]]) for rate in mu]
    else:
        laws = sources.laws(service)
        B, b, mu, p = checks.multiserver(B, b, sources.rates_of(laws, mu), p)
    rule = policies.policy(policy)
    if rule.interrupts:
        require_powers_of_two(b, B)
    factor = float(checks.positive("estimates", estimates, ndim=0))
    if factor < 1:
        raise ValueError(f"estimates must be at least 1 service time, got {checks.shown(factor)}")
    room = ENDLESS if room is None else checks.count("room", room, least=0, most=ENDLESS)
    jobs, replications = checks.count("jobs", jobs, least=2), checks.count("replications", replications)
    warmup = float(checks.not_negative("warmup", warmup, ndim=0))
    effort = f"jobs = {jobs}, replications = {replications}, warmup = {warmup:g}"
    require_affordable(effort, jobs * replications * (1 + warmup))
    tail_at = np.array(checks.numbers("tail_at", tail_at))
    batches = max(1, min(BATCHES, jobs // 2)) if replications == 1 else 1
    warm = round(warmup * jobs)
    arrivals = warm + jobs if rule.keeps_order else 2 * (warm + jobs) + LATECOMERS
    plan = Plan(
        arrivals, warm, jobs, batches, tail_at, room, False, rule.knows_times, rule.interrupts, number=rule.number
    )
    run = Compiled(events, policy, sources.poisson(lam, p, laws, factor), units(b, B), plan, np.empty((2, 0)))
    return _estimates(replicate(run, seed, replications, workers, progress))


def require_powers_of_two(needs, B):
    """Refuse needs that may leave servers idle whatever is served.

    >>> require_powers_of_two([1, 3], 4)
    Traceback (most recent call last):
    ValueError: server-filling takes needs and servers that are powers of two: need 3, servers 4
    """
    for need in needs:
        if np.frexp(need)[0] != 0.5 or np.frexp(B)[0] != 0.5:
            shown = f"need {checks.shown(need)}, servers {checks.shown(B)}"
            raise ValueError(f"server-filling takes needs and servers that are powers of two: {shown}")


def _estimates(runs):
    """Means of each run or batch, and what they say together."""
    times, counts, tails, areas = (np.concatenate(parts) for parts in zip(*runs, strict=True))
    done = counts.sum(axis=1)
    EW, EW2, EWq, EWq2 = (_mean(times[:, k], done) for k in (SOJOURN, SOJOURN2, WAIT, WAIT2))
    by_class = zip(times[:, FIRST_CLASS:].T, counts.T, strict=True)
    span = np.where(areas[:, SPAN] > 0, areas[:, SPAN], np.nan)
    EN, ENq, throughput = (Estimate.of(areas[:, k] / span) for k in (IN_SYSTEM, IN_QUEUE, DONE))
    seen = done > 0
    together = clustering(times[seen, SOJOURN], times[seen, SOJOURN2], done[seen])
    return MultiserverEstimates(
        EN,
        ENq,
        EW,
        EW2,
        EWq,
        EWq2,
        tuple(_mean(waits, jobs) for waits, jobs in by_class),
        tuple(Estimate.of_fraction(column[seen], done[seen], together) for column in tails.T),
        throughput,
        Estimate.of(done / (done + areas[:, LOST])),
    )


def _mean(sums, jobs):
    """Mean over the runs or batches that saw such jobs; nan where none did."""
    seen = jobs > 0
    return Estimate.of(sums[seen] / jobs[seen]) if seen.any() else Estimate(np.nan, np.nan, 0)


def events(rng, policy, *settings):
    """One run of the event loop under the policy of this name; the other arguments are those of the loop."""
    return event_loop(policies.compiled(policies.policy(policy).choose), rng, *settings)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def event_loop(choose, rng, source, needs, plan, record):
    """One run, until nothing more is to be learnt of the counted jobs.

    At one instant all departures come first, then all arrivals, then the policy starts jobs one by one. Or, if the plan
    says so, each arrival is followed by the policy, then each departure; jobs that are expected to end by then count as
    gone.

    Parameters
    ----------
    choose : first-class function
        A compiled policy, see :mod:`mjq.simulation.policies`.
    rng : numpy.random.Generator
    source : mjq.simulation.jobs.Source
    needs : int array, shape (L,)
        Of each class, in units, see :mod:`mjq.simulation.line`.
    plan : Plan
    record : float array, shape (2, n)
        Takes the start and the end of each job of a log; n = 0 otherwise.

    Returns
    -------
    Sums

    Raises
    ------
    RuntimeError
        If jobs wait, nobody is in service and nobody comes, but the policy starts nobody.
    """
    sums = Sums(
        np.zeros((plan.batches, FIRST_CLASS + len(needs))),
        np.zeros((plan.batches, len(needs))),
        np.zeros((plan.batches, len(plan.tail_at))),
        np.zeros((plan.batches, LOST + 1)),
    )
    state, memory = np.zeros(1, STATE), np.zeros(1, MEMORY)
    state[0].batch, state[0].free = -1, RESOURCE
    state[0].coming = next_arrival(rng, source.lam, source.log, 0, 0.0)
    memory[0].number, memory[0].wake, memory[0].changed = plan.number, np.inf, True
    jobs, line, serving = places(1024), opened(needs), opened(needs[:0])
    profile = np.empty(_entries(jobs, plan), PROFILE)
    most = min(plan.arrivals, RESOURCE // max(1, needs.min()))  # in service at the same time
    if plan.one_by_one:
        most *= 2  # those that are gone are still there
    due, who = np.empty(most), np.empty(most, dtype=np.int64)  # a heap of completions to come
    queues = line, serving, memory
    while not _advance(choose, rng, source, plan, state[0], jobs, queues, profile, due, who, sums, record):
        state[0].spare = len(jobs)
        jobs = more_places(jobs)
        longer = np.empty(_entries(jobs, plan), PROFILE)
        longer[: len(profile)] = profile
        profile = longer
    return sums


@numba.njit(cache=True)
def _entries(jobs, plan):
    """How many entries a profile may have: two a job, and some while one is moved."""
    return 2 * len(jobs) + 4 if plan.knows_times else 1


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _advance(choose, rng, source, plan, state, jobs, queues, profile, due, who, sums, record):
    """Event after event. Whether the run is over; if not, a job has no place in the table, which must grow.

    No array is replaced here: its references would be counted at each step, which takes longer than the steps.
    """
    line, serving, memory = queues
    lam, shares, laws, table, factor, log = source
    areas, times_known = sums.areas, plan.knows_times or plan.one_by_one
    single = plan.one_by_one or plan.room < ENDLESS
    while state.told < plan.counted or state.batch >= 0:
        then = min(state.coming, memory[0].wake)
        if state.running:
            then = min(then, due[0])
        if then == np.inf:
            raise RuntimeError("jobs wait, nobody is in service and nobody comes: the policy must start somebody")
        if state.batch >= 0:
            _average(areas, state, line[len(line) - 1].length, then - state.now)
        state.now = then
        if plan.one_by_one:
            _let_go(state, jobs, line, serving, due)
        if not (plan.one_by_one and state.coming == state.now):
            while state.running and due[0] == state.now:
                _depart(state, jobs, queues, due, who, plan, sums, times_known)
                if state.batch >= 0:
                    areas[state.batch, DONE] += 1
                if plan.one_by_one:
                    break
        newcomer = NOBODY
        while state.coming == state.now:
            if state.spare == NOBODY:
                return False
            number = state.arrived - plan.warm
            counted = 0 <= number < plan.counted - 1
            state.batch = number * plan.batches // plan.counted if counted else -1
            newcomer = _arrive(state, jobs, line, class_of(rng, shares, log, state.arrived))
            if times_known:
                _foresee(rng, laws, table, factor, log, jobs[newcomer])
            state.coming = next_arrival(rng, lam, log, state.arrived, state.now)
            if state.arrived == plan.arrivals:
                state.coming = np.inf
            if single:
                break
        memory[0].wake = np.inf
        _ask(choose, rng, source, plan, state, jobs, queues, profile, due, who, sums, record, times_known)
        if newcomer != NOBODY and line[len(line) - 1].length > plan.room:
            _turn_away(state, jobs, queues, due, who, plan, sums, newcomer)
            _ask(choose, rng, source, plan, state, jobs, queues, profile, due, who, sums, record, times_known)
    return True


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _ask(choose, rng, source, plan, state, jobs, queues, profile, due, who, sums, record, times_known):
    """The policy starts jobs, or interrupts them, until it has said enough."""
    line, serving, memory = queues
    while line[len(line) - 1].length:
        running = state.running - state.gone
        job = choose(jobs, line, serving, memory, profile, running, state.free, state.now)
        if job == NOBODY:
            break
        if job < NOBODY:
            _interrupt(state, jobs, queues, due, who, interrupt(job))
            enter_again(jobs, line, interrupt(job))
            continue
        number, kind = jobs[job].number, jobs[job].kind
        if times_known:
            service = jobs[job].rest
        else:
            service = service_time(rng, source.laws, source.table, source.log, number, kind)
        _start(state, jobs, queues, due, who, job, service, times_known)
        if not plan.interrupts:
            _tell(state, plan, sums, number, kind, state.now - jobs[job].arrival, service)
        if number < record.shape[1]:
            if not times_known or service == jobs[job].service:
                record[START, number] = state.now
            record[FINISH, number] = state.now + service


@numba.njit(cache=True)
def _average(areas, state, waiting, span):
    """For so long so many wait, and those in service are there too."""
    areas[state.batch, IN_SYSTEM] += (state.running + waiting) * span
    areas[state.batch, IN_QUEUE] += waiting * span
    areas[state.batch, SPAN] += span


@numba.njit(cache=True)
def _let_go(state, jobs, line, serving, due):
    """Take for completed who is expected to end by now, if somebody does."""
    while state.running and due[0] == state.now:
        job = serving[0].first
        if job == NOBODY or jobs[job].estimate > state.now:
            break
        release(jobs, serving, job)
        jobs[job].estimate = GONE
        state.gone += 1
        state.free += line[jobs[job].kind].need


@numba.njit(cache=True)
def _depart(state, jobs, queues, due, who, plan, sums, times_known):
    """A job that completes, of several the first by arrival, gives back what it holds, and its place in the table."""
    line, serving, memory = queues
    place = 0
    if plan.one_by_one:
        for k in range(state.running):
            if due[k] == state.now and jobs[who[k]].number < jobs[who[place]].number:
                place = k
    job = who[place]
    state.running -= 1
    if place:
        remove(due, who, state.running, place)
    else:
        pop(due, who, state.running)
    if times_known and jobs[job].estimate == GONE:
        state.gone -= 1
    else:
        state.free += line[jobs[job].kind].need
        if times_known:
            release(jobs, serving, job)
            memory[0].changed |= jobs[job].estimate > state.now
    if plan.interrupts:
        mine = jobs[job]
        wait = max(0.0, state.now - mine.arrival - mine.service)  # but for rounding, it is at least that
        _tell(state, plan, sums, mine.number, mine.kind, wait, mine.service)
    jobs[job].behind = state.spare
    state.spare = job


@numba.njit(cache=True)
def _arrive(state, jobs, line, kind):
    """A job of this class takes a place in the table, which is returned, and enters the line."""
    job = state.spare
    state.spare = jobs[job].behind
    jobs[job].arrival = state.now
    jobs[job].number = state.arrived
    jobs[job].kind = kind
    enter(jobs, line, job)
    state.arrived += 1
    return job


@numba.njit(cache=True)
def _foresee(rng, laws, table, factor, log, mine):
    """What is known of a job's times before it starts."""
    mine.service = mine.rest = service_time(rng, laws, table, log, mine.number, mine.kind)
    mine.estimate = estimate(factor, log, mine.number, mine.service)
    mine.promise = np.nan


@numba.njit(cache=True)
def _start(state, jobs, queues, due, who, job, service, times_known):
    """A job leaves the line and holds its need for its service time."""
    line, serving, _ = queues
    leave(jobs, line, job)
    push(due, who, state.running, state.now + service, job)
    state.running += 1
    state.free -= line[jobs[job].kind].need
    if times_known:
        jobs[job].estimate += state.now
        serve(jobs, serving, job)


@numba.njit(cache=True)
def _interrupt(state, jobs, queues, due, who, job):
    """A job in service gives back what it holds before it has completed."""
    line, serving, _ = queues
    place = 0
    while who[place] != job:
        place += 1
    jobs[job].rest = due[place] - state.now
    state.running -= 1
    remove(due, who, state.running, place)
    release(jobs, serving, job)
    jobs[job].estimate -= state.now
    state.free += line[jobs[job].kind].need


@numba.njit(cache=True)
def _turn_away(state, jobs, queues, due, who, plan, sums, job):
    """A job that has just come finds no place; if it was started in place of others, it is interrupted."""
    line, serving, memory = queues
    place = state.running
    if plan.interrupts:
        place = 0
        while place < state.running and who[place] != job:
            place += 1
    if place < state.running:
        _interrupt(state, jobs, queues, due, who, job)
    else:
        leave(jobs, line, job)
    memory[0].changed = True
    jobs[job].behind = state.spare
    state.spare = job
    number = jobs[job].number - plan.warm
    if 0 <= number < plan.counted:
        sums.areas[number * plan.batches // plan.counted, LOST] += 1
        state.told += 1


@numba.njit(cache=True)
def _tell(state, plan, sums, number, kind, wait, service):
    """Add what is known of a job, if it is counted."""
    number -= plan.warm
    if not 0 <= number < plan.counted:
        return
    batch, sojourn = number * plan.batches // plan.counted, wait + service
    state.told += 1
    sums.times[batch, SOJOURN] += sojourn
    sums.times[batch, SOJOURN2] += sojourn * sojourn
    sums.times[batch, WAIT] += wait
    sums.times[batch, WAIT2] += wait * wait
    sums.times[batch, FIRST_CLASS + kind] += wait
    sums.counts[batch, kind] += 1
    for j in range(len(plan.tail_at)):
        sums.tails[batch, j] += sojourn > plan.tail_at[j]
