"""An event-driven simulator of networks of processor-sharing queues and delay stations.

Each job brings its whole amount of service to a queue and gets the same part of a server as everybody there: one each
while there are enough, else an equal part of all. The next to leave is the one with the least work left.

1. Work is measured on a clock of each queue that runs at the speed at which its jobs are served. So a job leaves when
   that clock shows a time known when it came, whoever else comes and goes: the reading at its coming plus its work. The
   jobs of a queue stand in a heap by that reading. An empty queue sets its clock to 0, so that it loses no digits.
2. The next event is the earliest of the next arrival from outside, the next change of the network, and the first job to
   leave of each queue: what the clock lacks, divided by its speed. Until then, integrate the jobs of each pair.
3. All clocks move on. The job that leaves is routed by a draw; one that comes to a queue draws its work there.
4. For each set of pairs whose response time is wanted, the time of entering is noted, and the time from it counted when
   the job leaves the set.

With Q queues and P pairs, an event takes of the order of Q + P steps and the logarithm of the jobs at a queue. Tests
compare with the exact means of :mod:`mjq.solvers.product_form`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq._util.compiling import compiled
from mjq._util.parallel import Workers
from mjq.simulation.engine.heap import chosen, longer, phase_table, phase_time, pop, push
from mjq.simulation.estimates import Estimate
from mjq.simulation.replications import Compiled, Seed, replicate, require_affordable

if TYPE_CHECKING:  # a simulation runs without the solvers
    from mjq.solvers.network import Network

    Subsets = dict[str, tuple | Sequence[tuple]]  # name to a pair (queue, class), or several
    Stages = Sequence[tuple[float, Network]]  # when the network changes, and to which one

BEYOND = 5  # response times of a replication that must lie beyond the highest percentile
TIME_ROUNDING = 1e-9  # relative


@dataclass(frozen=True)
class ResponseTime:
    """Hold the times that jobs spent in some pairs without leaving them.

    Attributes
    ----------
    mean : Estimate
    percentile : dict
        Probability to the estimate of the time that is not exceeded with it.
    sample : float array
        Every time that was counted, replication after replication.
    left : float array
        When each of these stays ended, counted from the start of its replication, warm-up included.
    """

    mean: Estimate
    percentile: dict[float, Estimate]
    sample: np.ndarray = field(repr=False, compare=False)
    left: np.ndarray = field(repr=False, compare=False)


@dataclass(frozen=True)
class NetworkEstimates:
    """Hold the estimates from a simulation of a network.

    Attributes
    ----------
    mean_jobs, throughput, mean_time : dict
        By pair (queue, class): time average of the jobs there, completions per unit of time, mean time of one visit
        (nan if some replication saw none).
    response : dict
        Name of each subset to its :class:`ResponseTime`.
    paths : int array, shape (replications, times, pairs)
        Jobs at each pair at the times asked for.
    """

    mean_jobs: dict[tuple, Estimate]
    throughput: dict[tuple, Estimate]
    mean_time: dict[tuple, Estimate]
    response: dict[str, ResponseTime]
    paths: np.ndarray = field(repr=False, compare=False)


def simulate_ps_network(
    network: Network,
    time: float,
    seed: Seed,
    *,
    subsets: Subsets | None = None,
    percentiles: ArrayLike = (0.95,),
    at: ArrayLike = (),
    schedule: Stages = (),
    replications: int = 10,
    warmup: float = 0.1,
    workers: Workers = 1,
    progress: bool | None = None,
) -> NetworkEstimates:
    """Simulate a network of processor-sharing queues and delay stations.

    Parameters
    ----------
    network : mjq.solvers.network.Network
        Or anything with its attributes: pairs, servers, service, P, arrivals, and population.
    time : float
        Length of each replication that is counted.
    subsets : dict, optional
        Name to the pairs (or the pair) whose response time is wanted: from entering one of them to leaving them all.
    percentiles : sequence of float
        Of the response times, between 0 and 1.
    at : sequence of float
        Increasing times from the start, warm-up included, at which to look how many jobs are where.
    schedule : sequence of (float, network)
        From each of these increasing times on, arrival rates and servers are those of that network, whose pairs,
        service and routing are the first one's.
    warmup : float
        Time before the count begins, as a fraction of `time`.
    seed, replications, workers, progress
        As for :func:`~mjq.simulation.multiserver.simulate_multiserver`.

    Returns
    -------
    NetworkEstimates

    Raises
    ------
    ValueError
        If `time`, `seed` or another argument is out of its range, a subset or the schedule does not fit the network,
        or response times are too few for their percentiles.
    """
    time = float(checks.positive("time", time, ndim=0))
    warm = float(checks.not_negative("warmup", warmup, ndim=0)) * time
    population = np.array([checks.count(f"population of {x!r}", n, least=0) for x, n in network.population.items()])
    inside = _inside(network, subsets or {})
    at = _increasing("at", at, warm + time)
    levels = checks.numbers("percentiles", np.atleast_1d(percentiles))
    if ((levels <= 0) | (levels >= 1)).any():
        raise ValueError(f"percentiles must lie between 0 and 1, got {checks.shown(levels)}")
    replications = checks.count("replications", replications)
    stages = [network, *(stage for _, stage in schedule)]
    events = max(_events(stage) for stage in stages) * (time + warm) * replications
    require_affordable(f"time = {checks.shown(time)}, replications = {replications}", events)
    starting = np.repeat(np.arange(len(population)), population)
    tables = (*_settings(network, schedule), *_tables(network), starting, inside)
    runs = replicate(
        Compiled(_simulate, *tables, at, warm, warm + time),
        seed, replications, workers, progress,
    )  # fmt: skip
    areas, done, spent, paths, times, ends, of = zip(*runs, strict=True)

    def by_pair(values):
        return {pair: Estimate.of(column) for pair, column in zip(network.pairs, np.transpose(values), strict=True)}

    counted = [
        [(x[kind == k], y[kind == k]) for x, y, kind in zip(times, ends, of, strict=True)] for k in range(len(inside))
    ]
    return NetworkEstimates(
        by_pair(np.array(areas) / time),
        by_pair(np.array(done) / time),
        by_pair(np.divide(spent, done, out=np.full(np.shape(done), np.nan), where=np.array(done) > 0)),
        {name: _response(name, samples, levels) for name, samples in zip(subsets or {}, counted, strict=True)},
        np.array(paths),
    )


def _events(network):
    """Return about how many completions a unit of time has, all closed jobs served at the quickest pair."""
    means = np.array([law.mean for law in network.service.values()])
    here = np.array([min(network.servers[queue], sum(network.population.values())) for queue, _ in network.pairs])
    return float(network.open_flow.sum() + (here / means).max(initial=0.0))


def _inside(network, subsets):
    inside = np.zeros((len(subsets), len(network.pairs)), dtype=np.bool_)
    for row, (name, pairs) in zip(inside, subsets.items(), strict=True):
        for pair in network.pair_list(f"subset {name!r}", pairs):
            row[network.pairs.index(pair)] = True
    return inside


def _increasing(name, times, last):
    times = checks.not_negative(name, times)
    if (np.diff(times) < 0).any() or times.max(initial=0) > last * (1 + TIME_ROUNDING):
        raise ValueError(f"{name} must be increasing times up to {checks.shown(last)}")
    return times


def _settings(network, schedule):
    """Return when something changes, and from then on the servers of each queue and the cumulative arrival rates."""
    changes = checks.not_negative("times of the schedule", [when for when, _ in schedule])
    if (np.diff(changes) < 0).any():
        raise ValueError(f"times of the schedule must be increasing, got {checks.shown(changes)}")
    stages = [network, *(stage for _, stage in schedule)]
    for stage in stages:
        if stage.pairs != network.pairs or list(stage.servers) != list(network.servers):
            raise ValueError("networks of the schedule must have the same queues and pairs")
        same = all(
            stage.service[pair] is law or _alike(stage.service[pair], law) for pair, law in network.service.items()
        )
        if not same or not np.array_equal(stage.P, network.P):
            raise ValueError("networks of the schedule must have the same service and routing")
    servers = np.array([list(stage.servers.values()) for stage in stages], dtype=float)
    return np.append(changes, np.inf), servers, np.cumsum([stage.arrivals for stage in stages], axis=1)


def _alike(law, other):
    return np.array_equal(law.alpha, other.alpha) and np.array_equal(law.T, other.T)


def _response(name, stays, levels):
    samples, ends = zip(*stays, strict=True)
    fewest = min(map(len, samples))
    if fewest * (1 - levels.max(initial=0)) < BEYOND:
        raise ValueError(f"{fewest} response times of subset {name!r} in a replication are too few: simulate longer")
    quantiles = np.array([np.quantile(x, levels) for x in samples])
    percentiles = {float(level): Estimate.of(column) for level, column in zip(levels, quantiles.T, strict=True)}
    means = Estimate.of([x.mean() for x in samples])
    return ResponseTime(means, percentiles, np.concatenate(samples), np.concatenate(ends))


def _tables(network):
    """Return each pair's queue, its cumulative routing, its phases and where their tables begin, and all tables."""
    queues = list(network.servers)
    queue_of = np.array([queues.index(queue) for queue, _ in network.pairs])
    routing = np.cumsum(network.P, axis=1)
    routing[routing > 1 - checks.MIX_TOLERANCE] = np.inf  # what rounding leaves does not leave
    phases = np.array([law.phases for law in network.service.values()])
    tables = [phase_table(law) for law in network.service.values()]
    first = np.cumsum([0, *map(len, tables[:-1])])
    return queue_of, routing, phases, first, np.concatenate(tables)


@compiled()
def _longer(table):
    bigger = np.empty((table.shape[0], 2 * table.shape[1]), dtype=table.dtype)
    for row in range(table.shape[0]):
        for k in range(table.shape[1]):
            bigger[row, k] = table[row, k]
    return bigger


@compiled()
def _next_arrival(rng, now, rate):
    return now + rng.standard_exponential() / rate if rate > 0 else np.inf


@compiled()
def _simulate(
    rng, changes, servers_of, arrivals_of, queue_of, routing, phases, first, tables, starting, inside, at, warm, end,
):  # fmt: skip
    """Run once; return by pair the integrals of jobs, completions, times spent and jobs at given times, and responses.

    Of each response time there are its length, its end and its subset.
    """
    pairs, queues, subsets = len(queue_of), servers_of.shape[1], len(inside)
    areas, done, spent = np.zeros(pairs), np.zeros(pairs), np.zeros(pairs)
    paths = np.zeros((len(at), pairs), dtype=np.int64)
    here, busy, clock = np.zeros(pairs), np.zeros(queues, dtype=np.int64), np.zeros(queues)
    # Jobs of a queue: a heap on the reading of its clock at which each leaves, with the number of the job.
    due, who = np.empty((queues, 16)), np.empty((queues, 16), dtype=np.int64)
    # Of each job: its pair, when it came there, when it entered each subset.
    pair_of, came, entered = np.empty(64, dtype=np.int64), np.empty(64), np.empty((subsets, 64))
    unused, spare = np.arange(64)[::-1].copy(), 64
    times, ends, of, counted = np.empty((1, 1024)), np.empty((1, 1024)), np.empty((1, 1024), dtype=np.int64), 0
    started, stage, looked = 0, 0, 0
    servers, arrivals = servers_of[0], arrivals_of[0]
    now = 0.0
    coming = _next_arrival(rng, now, arrivals[-1])
    while True:
        # Somebody moves from pair `old` to pair `target`; -1 and the number of pairs mean outside.
        old, target, job = -1, pairs, -1
        if started < len(starting):
            target = starting[started]
            started += 1
        else:
            then, leaving = min(coming, changes[stage]), -1
            for q in range(queues):
                if busy[q]:
                    ready = now + (due[q, 0] - clock[q]) / min(1.0, servers[q] / busy[q])
                    if ready < then:
                        then, leaving = ready, q
            while looked < len(at) and at[looked] <= then:
                for pair in range(pairs):
                    paths[looked, pair] = here[pair]
                looked += 1
            inner = min(then, end) - max(now, warm)
            if inner > 0:
                for pair in range(pairs):
                    areas[pair] += inner * here[pair]
            if then >= end:
                return areas, done, spent, paths, times[0, :counted], ends[0, :counted], of[0, :counted]
            for q in range(queues):
                if busy[q]:
                    clock[q] += (then - now) * min(1.0, servers[q] / busy[q])
            now = then
            if leaving >= 0:
                job = who[leaving, 0]
                old = pair_of[job]
                clock[leaving] = due[leaving, 0]
                busy[leaving] -= 1
                pop(due[leaving], who[leaving], busy[leaving])
                if busy[leaving] == 0:
                    clock[leaving] = 0.0  # so that the clock never grows so large that it loses digits
                here[old] -= 1
                if now > warm:
                    done[old] += 1
                    spent[old] += now - came[job]
                target = chosen(rng.random(), routing[old])
            elif then == changes[stage]:
                stage += 1
                servers, arrivals = servers_of[stage], arrivals_of[stage]
                coming = _next_arrival(rng, now, arrivals[-1])
            else:
                target = min(chosen(rng.random() * arrivals[-1], arrivals), pairs - 1)
                coming = _next_arrival(rng, now, arrivals[-1])
        if target < pairs and job < 0:
            if spare == 0:
                n = len(pair_of)
                pair_of, came, unused = longer(pair_of, 0), longer(came, 0), longer(unused, 0)
                entered = _longer(entered)
                for spare in range(n):
                    unused[spare] = n + spare
                spare = n
            spare -= 1
            job = unused[spare]
        for k in range(subsets):
            before, after = old >= 0 and inside[k, old], target < pairs and inside[k, target]
            if after and not before:
                entered[k, job] = now
            elif before and not after and now > warm:
                if counted == times.shape[1]:
                    times, ends, of = _longer(times), _longer(ends), _longer(of)
                times[0, counted], ends[0, counted], of[0, counted] = now - entered[k, job], now, k
                counted += 1
        if target < pairs:
            q = queue_of[target]
            if busy[q] == due.shape[1]:
                due, who = _longer(due), _longer(who)
            pair_of[job], came[job] = target, now
            push(due[q], who[q], busy[q], clock[q] + phase_time(rng, tables, first[target], phases[target]), job)
            busy[q] += 1
            here[target] += 1
        elif job >= 0:
            unused[spare] = job
            spare += 1
