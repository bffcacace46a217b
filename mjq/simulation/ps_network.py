"""An event-driven simulator of networks of processor-sharing queues and delay stations.

Each job brings its whole amount of service to a queue and gets the same part of a server as everybody there: one each
while there are enough, else an equal part of all. The next to leave is the one with the least work left. Work is
measured on a clock of each queue that runs at the speed at which its jobs are served, so that a job leaves when that
clock shows a time known when it came.
"""

from dataclasses import dataclass

import numba
import numpy as np

from mjq import laws
from mjq.simulation.estimates import Estimate
from mjq.simulation.events import pop, push
from mjq.simulation.replications import replicate


@dataclass(frozen=True)
class NetworkRun:
    """Estimates from a simulation of a network.

    Attributes
    ----------
    mean_jobs, throughput, mean_time : dict
        By pair (queue, class): time average of the jobs there, completions per unit of time, mean time of one visit.
    """

    mean_jobs: dict
    throughput: dict
    mean_time: dict


def simulate_ps_network(network, time, seed, *, replications=10, warmup=0.1, workers=1, progress=None):
    """Simulate a network of processor-sharing queues and delay stations.

    Parameters
    ----------
    network : mjq.models.fluid.Network
        Or anything with its attributes: pairs, servers, service, P, arrivals, and population.
    time : float
        Length of each replication that is counted.
    seed : int, sequence of int, or numpy.random.SeedSequence
        The same seed gives the same numbers, whatever the number of workers.
    replications, workers : int
        Independent runs, and how many of them run at the same time.
    warmup : float
        Time before the count begins, as a fraction of `time`.
    progress : bool, optional
        Show a progress bar; by default on a terminal, for long work.

    Returns
    -------
    NetworkRun

    Raises
    ------
    ValueError
        If the input breaks a law, which is named.
    """
    time = float(laws.positive("time", time, ndim=0))
    warmup = float(laws.not_negative("warmup", warmup, ndim=0))
    population = np.array([laws.count(f"population of {x!r}", n, least=0) for x, n in network.population.items()])
    tables = _tables(network)
    runs = replicate(
        lambda rng: _simulate(rng, *tables, population, warmup * time, time),
        seed, laws.count("replications", replications), workers, progress,
    )  # fmt: skip
    areas, done, spent = (np.array(parts) for parts in zip(*runs))
    return NetworkRun(
        {pair: Estimate.of(areas[:, k] / time) for k, pair in enumerate(network.pairs)},
        {pair: Estimate.of(done[:, k] / time) for k, pair in enumerate(network.pairs)},
        {pair: Estimate.of(spent[:, k] / np.maximum(done[:, k], 1)) for k, pair in enumerate(network.pairs)},
    )


def _tables(network):
    """Queue of each pair, servers, arrival rates, routing and phases as cumulative probabilities."""
    queues = list(network.servers)
    queue_of = np.array([queues.index(queue) for queue, _ in network.pairs])
    servers = np.array([network.servers[queue] for queue in queues])
    service = list(network.service.values())
    phases = np.array([law.phases for law in service])
    begin = np.ones((len(service), phases.max()))
    rates, moves = np.ones_like(begin), np.ones((len(service), phases.max(), phases.max()))
    for k, (law, n) in enumerate(zip(service, phases)):
        leaving = -np.diag(law.T)
        begin[k, :n] = np.cumsum(law.alpha)
        rates[k, :n] = leaving
        moves[k, :n, :n] = np.cumsum(law.T / leaving[:, None] + np.eye(n), axis=1)
    return queue_of, servers, network.arrivals, np.cumsum(network.P, axis=1), phases, begin, rates, moves


@numba.njit(cache=True, nogil=True)
def _chosen(draw, shares):
    """The first entry of cumulative probabilities above `draw`; their number if there is none."""
    for k in range(len(shares)):
        if draw < shares[k]:
            return k
    return len(shares)


@numba.njit(cache=True, nogil=True)
def _work(rng, phases, begin, rates, moves, pair):
    """Draw the service time of a job."""
    n, total = phases[pair], 0.0
    phase = min(_chosen(rng.random(), begin[pair, :n]), n - 1)
    while phase < n:
        total += rng.standard_exponential() / rates[pair, phase]
        phase = _chosen(rng.random(), moves[pair, phase, :n])
    return total


@numba.njit(cache=True)
def _longer(table):
    bigger = np.empty((table.shape[0], 2 * table.shape[1]), dtype=table.dtype)
    bigger[:, : table.shape[1]] = table
    return bigger


@numba.njit(cache=True, nogil=True)
def _simulate(rng, queue_of, servers, arrivals, routing, phases, begin, rates, moves, population, warm, time):
    """One run: integrals of the number of jobs, completions and times spent, each by pair."""
    pairs, queues = len(queue_of), len(servers)
    areas, done, spent = np.zeros(pairs), np.zeros(pairs), np.zeros(pairs)
    here, busy = np.zeros(pairs), np.zeros(queues, dtype=np.int64)
    clock = np.zeros(queues)
    # Jobs of a queue: a heap on the reading of its clock at which each leaves, with the number of the job.
    due, who = np.empty((queues, 16)), np.empty((queues, 16), dtype=np.int64)
    pair_of, came = np.empty(64, dtype=np.int64), np.empty(64)
    unused = np.arange(64)[::-1].copy()
    spare = 64
    shares = np.cumsum(arrivals) / max(arrivals.sum(), 1e-300)
    coming = np.inf
    if arrivals.sum() > 0:
        coming = rng.standard_exponential() / arrivals.sum()
    entering = np.empty(population.sum(), dtype=np.int64)
    waiting = 0
    for pair in range(pairs):
        for _ in range(population[pair]):
            entering[waiting] = pair
            waiting += 1
    now, end = 0.0, warm + time
    while True:
        # Who enters now: the population at first, then one job at a time.
        for k in range(waiting):
            pair = entering[k]
            q = queue_of[pair]
            if spare == 0:
                old = len(pair_of)
                pair_of, came = np.append(pair_of, np.zeros(old, dtype=np.int64)), np.append(came, np.zeros(old))
                unused = np.arange(old, 2 * old)
                spare = old
            if busy[q] == due.shape[1]:
                due, who = _longer(due), _longer(who)
            spare -= 1
            job = unused[spare]
            pair_of[job], came[job] = pair, now
            push(due[q], who[q], busy[q], clock[q] + _work(rng, phases, begin, rates, moves, pair), job)
            busy[q] += 1
            here[pair] += 1
        waiting = 0
        then, leaving = coming, -1
        for q in range(queues):
            if busy[q]:
                at = now + (due[q, 0] - clock[q]) / min(1.0, servers[q] / busy[q])
                if at < then:
                    then, leaving = at, q
        counted = min(then, end) - max(now, warm)
        if counted > 0:
            areas += counted * here
        if then >= end:
            return areas, done, spent
        for q in range(queues):
            if busy[q]:
                clock[q] += (then - now) * min(1.0, servers[q] / busy[q])
        now = then
        if leaving < 0:
            target = min(_chosen(rng.random(), shares), pairs - 1)
            coming = now + rng.standard_exponential() / arrivals.sum()
        else:
            q = leaving
            job = who[q, 0]
            pair = pair_of[job]
            clock[q] = due[q, 0]
            busy[q] -= 1
            pop(due[q], who[q], busy[q])
            if busy[q] == 0:
                clock[q] = 0.0  # so that the clock never grows so large that it loses digits
            here[pair] -= 1
            unused[spare] = job
            spare += 1
            if now > warm:
                done[pair] += 1
                spent[pair] += now - came[job]
            target = _chosen(rng.random(), routing[pair])
        if target < pairs:
            if len(entering) == 0:
                entering = np.empty(1, dtype=np.int64)
            entering[0] = target
            waiting = 1
