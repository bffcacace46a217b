"""An event-driven simulator of a cluster with a job tracker and a finite queue.

Jobs arrive in a Poisson stream; one that finds the tracker busy and the queue full is lost. The tracker takes jobs in
order of arrival, one at a time. It waits until as many servers are idle as the job needs, then takes an exponential
time of rate `mu1` to map it; then the job holds its servers for an exponential time of rate `mu2`.

1. The next event is the earliest of the next arrival, the end of the mapping, and the first completion in a heap. Until
   then, integrate the queue, the busy servers and the jobs in execution.
2. An arrival is lost, or enters the queue, a circular buffer of arrival times. A mapping that ends puts a job into the
   heap. A completion gives servers back.
3. If the tracker is free and somebody waits, the first one comes to it, and its class is drawn. If the job at the
   tracker fits and is not being mapped, its mapping begins.

An event takes time proportional to the logarithm of the jobs in execution. Tests count that 95 % intervals hold the
exact values of :mod:`mjq.models.cluster`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq._util.compiling import compiled
from mjq._util.parallel import Workers
from mjq.simulation.engine.heap import cumulative, longer, pop, push
from mjq.simulation.estimates import Estimate, clustering
from mjq.simulation.replications import Compiled, Seed, replicate, require_affordable


@dataclass(frozen=True)
class ClusterEstimates:
    """Hold the estimates from a simulation of the cluster.

    Attributes
    ----------
    mean_queue, mean_busy_servers, mean_in_service : Estimate
        Time averages of the jobs in the queue, of the servers that run a job, of the jobs in execution.
    blocking : Estimate
        Fraction of the arriving jobs that are lost.
    mean_time_in_queue : Estimate
        Time in the queue of the jobs that are not lost.
    throughput : Estimate
        Completions per unit of time.
    """

    mean_queue: Estimate
    mean_busy_servers: Estimate
    mean_in_service: Estimate
    blocking: Estimate
    mean_time_in_queue: Estimate
    throughput: Estimate


def simulate_cluster(
    N: int,
    sizes: ArrayLike,
    p: ArrayLike,
    lam: float,
    mu1: float,
    mu2: ArrayLike,
    C: int,
    jobs: int,
    seed: Seed,
    *,
    replications: int = 10,
    warmup: float = 0.1,
    workers: Workers = 1,
    progress: bool | None = None,
) -> ClusterEstimates:
    """Simulate a cluster with a job tracker and a finite queue.

    Parameters
    ----------
    N, C : int
        Servers, places in the queue.
    sizes, p : sequence
        Possible sizes of jobs and their probabilities.
    lam, mu1 : float
        Arrival rate, rate of the tracker.
    mu2 : float or sequence of float
        Completion rate of a job, one or one per size.
    jobs : int
        Arrivals counted in each replication, lost ones included, after the warm-up.
    warmup : float
        Arrivals before the count begins, as a fraction of `jobs`.
    seed, replications, workers, progress
        As for :func:`~mjq.simulation.multiserver.simulate_multiserver`.

    Raises
    ------
    ValueError
        If the input violates a constraint, which is named.

    Examples
    --------
    A tracker so fast that it is not noticed, one server, no queue: M/M/1 with two places at load 1.

    >>> run = simulate_cluster(1, [1], [1], 1, 1e9, 1, 0, jobs=20_000, seed=1)
    >>> 1 / 3 in run.blocking.widened(2)
    True
    """
    N, C = checks.count("N", N), checks.count("C", C, least=0)
    lam, mu1 = (float(checks.positive(name, value, ndim=0)) for name, value in (("lam", lam), ("mu1", mu1)))
    needs = checks.counts("sizes", sizes)
    mu2 = np.full(len(needs), mu2) if np.ndim(mu2) == 0 else mu2
    _, _, rates, p = checks.multiserver(N, needs, mu2, p, names=("N", "sizes", "mu2", "p"))
    jobs, replications = checks.count("jobs", jobs, least=2), checks.count("replications", replications)
    warmup = float(checks.not_negative("warmup", warmup, ndim=0))
    effort = f"jobs = {jobs}, replications = {replications}, warmup = {warmup:g}"
    require_affordable(effort, jobs * replications * (1 + warmup))
    shares = cumulative(p)
    sums = replicate(
        Compiled(_simulate, lam, mu1, N, needs, rates.copy(), shares, C, round(warmup * jobs), jobs),
        seed, replications, workers, progress,
    )  # fmt: skip
    queue, busy, running, span, done, lost, delay, delay2, started = np.array(sums).T
    return ClusterEstimates(
        Estimate.of(queue / span),
        Estimate.of(busy / span),
        Estimate.of(running / span),
        Estimate.of_fraction(lost, np.full(len(lost), jobs), clustering(delay, delay2, started)),
        Estimate.of(delay / started),
        Estimate.of(done / span),
    )


@compiled()
def _simulate(rng, lam, mu1, N, needs, rates, shares, C, warm, jobs):
    """Run once; return integrals, time, completions, losses, and the waits, their squares and their number.

    All are counted between the first counted arrival and the one after the last.
    """
    line = np.empty(C + 1)  # arrival times of the waiting jobs, a circular buffer
    head = length = 0
    due, kinds = np.empty(16), np.empty(16, dtype=np.int64)
    running = busy = 0
    at_tracker = -1  # class of the job there
    mapped = np.inf  # when its mapping ends, once it fits
    now, next_arrival, arrived = 0.0, rng.standard_exponential() / lam, 0
    queue = servers = executing = span = delay = delay2 = 0.0
    done = lost = started = 0
    while True:
        completion = due[0] if running else np.inf
        then = min(next_arrival, completion, mapped)
        if arrived > warm:
            queue += length * (then - now)
            servers += busy * (then - now)
            executing += running * (then - now)
            span += then - now
        now = then
        free_tracker = False
        if now == next_arrival:
            if arrived == warm + jobs:
                break
            counted = arrived >= warm
            arrived += 1
            next_arrival = now + rng.standard_exponential() / lam
            if at_tracker >= 0 and length == C:
                lost += counted
            else:
                line[(head + length) % (C + 1)] = now
                length += 1
                free_tracker = at_tracker < 0
        elif now == mapped:
            if running == len(due):
                due, kinds = longer(due, 0), longer(kinds, 0)
            push(due, kinds, running, now + rng.standard_exponential() / rates[at_tracker], at_tracker)
            running += 1
            busy += needs[at_tracker]
            at_tracker, mapped = -1, np.inf
            free_tracker = length > 0
        else:
            running -= 1
            busy -= needs[kinds[0]]
            pop(due, kinds, running)
            done += arrived > warm
        if free_tracker:
            if arrived > warm:
                wait = now - line[head]
                delay += wait
                delay2 += wait * wait
                started += 1
            head = (head + 1) % (C + 1)
            length -= 1
            draw, at_tracker = rng.random(), 0
            while draw >= shares[at_tracker]:
                at_tracker += 1
        if at_tracker >= 0 and mapped == np.inf and busy + needs[at_tracker] <= N:
            mapped = now + rng.standard_exponential() / mu1
    return queue, servers, executing, span, float(done), float(lost), delay, delay2, float(max(started, 1))
