"""An event-driven simulator of multiserver jobs.

Jobs of several classes arrive in a Poisson stream. A job of class `i` holds `b[i]` units of a resource of size `B` for
an exponential time of rate `mu[i]`; until it can start, it waits. The queueing policy says who starts next.
"""

from dataclasses import dataclass

import numba
import numpy as np

from mjq import checks
from mjq.simulation.estimates import Estimate, clustering
from mjq.simulation.events import cumulative, doubled, pop, push
from mjq.simulation.policies import FCFS, next_to_start, policy_number
from mjq.simulation.replications import Compiled, replicate, require_affordable

BATCHES = 30  # of one long run without replications
FIT = checks.FIT


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


def simulate_multiserver(
    lam, B, b, mu, p, jobs, seed, *, policy="fcfs", replications=1, warmup=0.1, tail_at=(), workers=1, progress=None
):
    """Simulate a multiserver job system, stable or not.

    Parameters
    ----------
    lam : float
        Arrival rate.
    B : float
        Resource.
    b, mu, p : sequence of float, shape (L,)
        Need, completion rate and probability of each class.
    jobs : int
        Jobs counted in each replication, after the warm-up.
    seed : int, sequence of int, or numpy.random.SeedSequence
        The same seed gives the same numbers, whatever the number of workers.
    policy : str
        ``"fcfs"``: in order of arrival.
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
    Times are counted for `jobs` successive arrivals, until the last of them has started. Numbers in the system are
    averaged between the first and the last of these arrivals.

    Examples
    --------
    M/M/1 at load one half: two jobs' worth of time on average.

    >>> run = simulate_multiserver(.5, 1, [1], [1], [1], jobs=20_000, seed=1, replications=10)
    >>> 2 in run.EW.widened(2)
    True
    """
    lam = float(checks.positive("lam", lam, ndim=0))
    B, b, mu, p = checks.multiserver(B, b, mu, p)
    jobs, replications = checks.count("jobs", jobs, least=2), checks.count("replications", replications)
    warmup = float(checks.not_negative("warmup", warmup, ndim=0))
    effort = f"jobs = {jobs}, replications = {replications}, warmup = {warmup:g}"
    require_affordable(effort, jobs * replications * (1 + warmup))
    tail_at = checks.numbers("tail_at", tail_at)
    batches = max(1, min(BATCHES, jobs // 2)) if replications == 1 else 1
    order, shares, warm = policy_number(policy), cumulative(p), round(warmup * jobs)
    runs = replicate(
        Compiled(_simulate, order, lam, B, b, mu, shares, warm, jobs, batches, tail_at),
        seed, replications, workers, progress,
    )  # fmt: skip
    return _estimates(runs)


def _estimates(runs):
    """Means of each run or batch, and what they say together."""
    times, counts, tails, areas = (np.concatenate(parts) for parts in zip(*runs))
    done = counts.sum(axis=1)
    waits = times[:, 4:]
    by_class = [Estimate.of(waits[seen, k] / counts[seen, k]) if (seen := counts[:, k] > 0).any() else
                Estimate(np.nan, np.nan, 0) for k in range(counts.shape[1])]  # fmt: skip
    EW, EW2, EWq, EWq2 = (Estimate.of(times[:, k] / done) for k in range(4))
    span = np.where(areas[:, 2] > 0, areas[:, 2], np.nan)
    EN, ENq, throughput = (Estimate.of(areas[:, k] / span) for k in (0, 1, 3))
    together = clustering(times[:, 0], times[:, 1], done)
    return MultiserverEstimates(
        EN,
        ENq,
        EW,
        EW2,
        EWq,
        EWq2,
        tuple(by_class),
        tuple(Estimate.of_fraction(column, done, together) for column in tails.T),
        throughput,
    )


@numba.njit(cache=True, nogil=True)
def _simulate(rng, policy, lam, B, needs, rates, shares, warm, jobs, batches, tail_at):
    """One run. Returns sums over the counted jobs, one row a batch.

    times: sojourn, its square, wait, its square, then the wait by class; counts: jobs by class; tails: sojourns above
    each time; areas: number in system and in queue integrated over time, that time, and completions within it.
    """
    classes = len(needs)
    times = np.zeros((batches, 4 + classes))
    counts = np.zeros((batches, classes))
    tails = np.zeros((batches, len(tail_at)))
    areas = np.zeros((batches, 4))
    in_service = np.zeros(classes, dtype=np.int64)
    free = B * (1 + FIT)
    # Completions to come, a binary heap on their times.
    due = np.empty(16)
    due_class = np.empty(16, dtype=np.int64)
    busy = 0
    # Waiting jobs, a circular buffer in order of arrival.
    line_arrival = np.empty(1024)
    line_class = np.empty(1024, dtype=np.int64)
    line_number = np.empty(1024, dtype=np.int64)
    head = 0
    length = 0
    arrived = 0
    started = 0  # of the counted jobs
    now = 0.0
    batch = -1  # of the time averages
    next_arrival = rng.standard_exponential() / lam
    # Time averages end with the last counted arrival; times are known when a job starts.
    while started < jobs or batch >= 0:
        arrival = busy == 0 or next_arrival <= due[0]
        then = next_arrival if arrival else due[0]
        if batch >= 0:
            areas[batch, 0] += (busy + length) * (then - now)
            areas[batch, 1] += length * (then - now)
            areas[batch, 2] += then - now
            areas[batch, 3] += not arrival
        now = then
        if arrival:
            if length == len(line_arrival):
                line_arrival, line_class, line_number = (
                    doubled(line_arrival, head), doubled(line_class, head), doubled(line_number, head)
                )  # fmt: skip
                head = 0
            place = (head + length) % len(line_arrival)
            draw = rng.random()
            kind = 0
            while draw >= shares[kind]:
                kind += 1
            line_arrival[place], line_class[place], line_number[place] = now, kind, arrived
            length += 1
            counted = arrived - warm
            arrived += 1
            batch = counted * batches // jobs if 0 <= counted < jobs - 1 else -1
            next_arrival = now + rng.standard_exponential() / lam
            if policy == FCFS and counted == jobs - 1:
                next_arrival = np.inf  # nobody who comes later can matter to those who are counted
        else:
            in_service[due_class[0]] -= 1
            busy -= 1
            pop(due, due_class, busy)
            free = _free(B, needs, in_service)
        while True:
            k = next_to_start(policy, line_class, head, length, needs, free)
            if k < 0:
                break
            place = (head + k) % len(line_arrival)
            kind = line_class[place]
            service = rng.standard_exponential() / rates[kind]
            if busy == len(due):
                due, due_class = doubled(due, 0), doubled(due_class, 0)
            push(due, due_class, busy, now + service, kind)
            busy += 1
            in_service[kind] += 1
            free = _free(B, needs, in_service)
            counted = line_number[place] - warm
            if 0 <= counted < jobs:
                row = counted * batches // jobs
                wait = now - line_arrival[place]
                sojourn = wait + service
                times[row, 0] += sojourn
                times[row, 1] += sojourn * sojourn
                times[row, 2] += wait
                times[row, 3] += wait * wait
                times[row, 4 + kind] += wait
                counts[row, kind] += 1
                for j in range(len(tail_at)):
                    tails[row, j] += sojourn > tail_at[j]
                started += 1
            # Close the gap: the jobs before the one that starts move back by one place.
            for j in range(k, 0, -1):
                to, fro = (head + j) % len(line_arrival), (head + j - 1) % len(line_arrival)
                line_arrival[to], line_class[to], line_number[to] = line_arrival[fro], line_class[fro], line_number[fro]
            head = (head + 1) % len(line_arrival)
            length -= 1
    return times, counts, tails, areas


@numba.njit(cache=True)
def _free(B, needs, in_service):
    """Free resource with the tolerance added; summed afresh, so that rounding can't pile up."""
    held = 0.0
    for k in range(len(needs)):
        held += in_service[k] * needs[k]
    return B * (1 + FIT) - held
