r"""Exact means of networks whose steady state is a product.

In a network of processor-sharing queues and delay stations the number of jobs of each kind has a product form, and of
the service times only the means matter (Baskett, Chandy, Muntz, Palacios 1975). A queue with k servers that holds
:math:`n_c` jobs of each closed chain c, each with work :math:`a_c`, and o open jobs, with work :math:`\rho` per unit of
time, has the weight

.. math:: \frac{(|n| + o)!}{\prod_c n_c!\; o!} \prod_c a_c^{n_c}\, \rho^o \prod_{j=1}^{|n|+o} \frac{1}{\min(j, k)} .

**Visits.** From the routing within its chain follows how often a closed job visits each pair (queue, class), and the
flow of open jobs to each pair. The product of visits and mean service times is the work :math:`a_c` at each queue. Each
pair has its part of the mean jobs of the queue.

**Mean values**, if each queue has one server. A job that comes sees, on average, what is there with one job of its
chain less. Let :math:`L_q(n)` be the closed jobs at queue q when there are n in all. Beside the open jobs the work of
chain c there is :math:`a_{qc} / (1 - \rho_q)`. So a job of chain c spends

.. math:: R_{qc}(n) = \frac{a_{qc}}{1 - \rho_q} \bigl(1 + L_q(n - e_c)\bigr), \qquad
    X_c(n) = \frac{n_c}{\sum_q R_{qc}(n)}, \qquad L_q(n) = \sum_c X_c(n) R_{qc}(n) ,

where at a delay station :math:`R_{qc} = a_{qc}`. All vectors n with as many jobs are computed at once, from one job to
all. Open jobs follow: :math:`\rho_q (1 + L_q) / (1 - \rho_q)`.

**Convolution**, if a queue has more servers.

1. At each queue, compute the weight of each vector n of closed jobs, up to all of them. Sum the open jobs out; the sum
   ends where a term is below 1e-18 of it. Work with logarithms, scale the work by about the rate of each chain, and
   divide by the largest weight, so that nothing leaves the range of numbers.
2. Convolve the queues one after the other, from the front and from the back. The products of a front and a back are the
   weights of *all queues but one*; the convolution of all is the normalizing constant :math:`G(N)`.
3. The chance that a queue holds n closed jobs is its weight of n, times that of all others for :math:`N - n`, over
   :math:`G(N)`. Its means follow.
4. The throughput of chain c is :math:`G(N - e_c) / G(N)`, with one job of it less.

**Cost.** With `Q` queues, `C` chains and :math:`V = \prod_c (N_c + 1)` vectors of closed jobs (100,000 at most), mean
values take time and memory :math:`Q C V`. Convolution takes time :math:`V^2` about :math:`3 Q` times, and memory for a
few times :math:`Q V` numbers. Of one chain, and beyond its k servers, the weights of a queue are geometric, so that the
convolution with them is a recursion, in time :math:`k V`.

**Accuracy.** All terms are positive. Tests agree with the chain of random networks to 9 digits and with formulas of
single queues, up to load .999, to 9 digits, and both ways with each other to 10.

Source: F. Baskett, K. M. Chandy, R. R. Muntz, F. G. Palacios, Open, closed, and mixed networks of queues with different
classes of customers, Journal of the ACM 22 (1975) 248-260; for mean values, M. Reiser, S. S. Lavenberg, Mean-value
analysis of closed multichain queuing networks, Journal of the ACM 27 (1980) 313-322; for the convolution, K. M. Chandy,
C. H. Sauer, Computational algorithms for product form queueing networks, Communications of the ACM 23 (1980) 573-583.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from scipy import linalg, ndimage, special

from mjq.solvers.network import Network

LAST_TERM = 1e-18  # of a sum over open jobs, as a fraction of the sum
MOST_POPULATIONS = 100_000  # vectors of closed jobs that are convolved
PIECES_TOLERANCE = 1e-10  # singular value of the balance of a chain that falls into pieces
NO_WORK = 1e-300  # instead of zero, where it divides


@dataclass(frozen=True)
class Means:
    """Hold the means in the steady state.

    Attributes
    ----------
    mean_jobs, throughput : dict
        By pair (queue, class).
    """

    mean_jobs: dict[tuple, float]
    throughput: dict[tuple, float]


def means(network: Network) -> Means:
    """Return the exact mean number of jobs and throughput at each pair of a network.

    Parameters
    ----------
    network : mjq.solvers.network.Network
        Processor-sharing queues with several servers, and delay stations; open, closed and mixed.

    Raises
    ------
    ValueError
        If the open classes overload a queue, closed jobs are not whole or too many, or a closed part falls into pieces.

    Examples
    --------
    Two jobs that think for a unit of time and share one server of the same speed:

    >>> from mjq.solvers.phase_type import exponential
    >>> think, work = ("z", 1), ("q", 1)
    >>> ring = {think: {work: 1}, work: {think: 1}}
    >>> pair = Network({"z": math.inf, "q": 1}, dict.fromkeys(ring, exponential(1.0)), ring, population={think: 2})
    >>> {queue: round(n, 9) for (queue, _), n in means(pair).mean_jobs.items()}
    {'z': 0.8, 'q': 1.2}
    """
    places = {queue: [k for k, (q, _) in enumerate(network.pairs) if q == queue] for queue in network.servers}
    service = np.array([law.mean for law in network.service.values()])
    chains, jobs = _closed_chains(network)
    visits = np.array([_visits(network.P, chain) for chain in chains]).reshape(len(chains), len(service))
    open_work = network.open_flow * service
    work = np.array([(visits * service)[:, pairs].sum(axis=1) for pairs in places.values()])
    beside = np.array([open_work[pairs].sum() for pairs in places.values()])
    for (queue, k), load in zip(network.servers.items(), beside, strict=True):
        if load >= k:
            raise ValueError(f"queue {queue!r} is unstable: the open classes need {load:g} of its {k:g} servers")
    solve = _by_mean_values if set(network.servers.values()) <= {1, math.inf} else _by_convolution
    closed_jobs, open_jobs, rates = solve(np.array(list(network.servers.values())), work, beside, jobs)
    mean_jobs = np.zeros(len(service))
    for pairs, a, of_chains, of_open in zip(places.values(), work, closed_jobs, open_jobs, strict=True):
        for c in np.flatnonzero(a > 0):
            mean_jobs[pairs] += of_chains[c] * (visits[c] * service)[pairs] / a[c]
        mean_jobs[pairs] += of_open * _parts(open_work[pairs])
    flow = network.open_flow + rates @ visits
    return Means(*(dict(zip(network.pairs, map(float, x), strict=True)) for x in (mean_jobs, flow)))


def _by_mean_values(servers, work, open_work, jobs):
    """Return mean jobs by queue and chain, open jobs by queue, and rates of chains: queues of one server."""
    shared = servers == 1
    free = np.where(shared, 1 - open_work, 1.0)  # part of the server that open jobs leave
    work, here = work / free[:, None], np.indices(tuple(jobs + 1)).reshape(len(jobs), -1).T
    step = np.array([np.prod(jobs[c + 1 :] + 1) for c in range(len(jobs))], dtype=int)  # from n - e_c to n
    at_queue = np.zeros((len(here), len(work)))
    rates, of_chains = np.zeros(len(jobs)), np.zeros_like(work)
    total = here.sum(axis=1)
    for same in np.split(np.argsort(total, kind="stable"), np.cumsum(np.bincount(total))[:-1])[1:]:
        fewer = np.maximum(same[:, None] - step, 0)  # for a chain without jobs any number will do
        spent = work.T * (1 + shared * at_queue[fewer])
        flow = here[same] / spent.sum(axis=2)
        at_queue[same] = (flow[:, :, None] * spent).sum(axis=1)
        rates, of_chains = flow[-1], (flow[-1][:, None] * spent[-1]).T
    return of_chains, open_work * np.where(shared, 1 + at_queue[-1], 1.0) / free, rates


def _by_convolution(servers, work, open_work, jobs):
    """Return mean jobs by queue and chain, open jobs by queue, and rates of chains: queues of any number of servers."""
    pace = _pace(work, jobs, servers - open_work)
    stations = [_Station(k, a * pace, load, jobs) for k, a, load in zip(servers, work, open_work, strict=True)]
    rest, total = _convolved(stations)
    if not total[tuple(jobs)] > 0:
        raise ValueError(f"{jobs.sum()} closed jobs are too many for the range of floating-point numbers")
    chances = [x.weights * np.flip(others) / total[tuple(jobs)] for x, others in zip(stations, rest, strict=True)]
    closed_jobs = np.array([[(p * n).sum() for n in np.indices(p.shape)] for p in chances])
    open_jobs = np.array([(p * x.open_jobs).sum() for p, x in zip(chances, stations, strict=True)])
    fewer = [tuple(jobs - one) for one in np.eye(len(jobs), dtype=int)]
    rates = [total[n] / total[tuple(jobs)] if min(n) >= 0 else 0.0 for n in fewer]
    return closed_jobs, open_jobs, pace * np.array(rates)


def _parts(values):
    return values / values.sum() if values.sum() > 0 else values


def _closed_chains(network):
    """Return pairs of each closed chain as 0 and 1, and its jobs; one chain without pairs if there is none."""
    there = np.array(list(network.population.values()))
    chains = (network.closed @ network.A > 0).astype(float)
    jobs = chains @ there
    chains, jobs = chains[jobs > 0], jobs[jobs > 0]
    if (jobs != np.floor(jobs)).any():
        raise ValueError(f"closed populations must be whole numbers, got {jobs.tolist()}")
    if np.prod(jobs + 1) > MOST_POPULATIONS:
        raise ValueError(f"{np.prod(jobs + 1):.0f} population vectors are more than {MOST_POPULATIONS}")
    return (chains, jobs.astype(int)) if len(jobs) else (np.zeros((1, len(there))), np.array([0]))


def _visits(P, chain):
    here = np.flatnonzero(chain)
    if not len(here):
        return chain
    balance = np.vstack([np.eye(len(here)) - P[np.ix_(here, here)].T, np.ones(len(here))])
    if np.linalg.matrix_rank(balance, tol=PIECES_TOLERANCE) < len(here):
        raise ValueError(
            "a closed chain falls into parts between which jobs cannot move: "
            "the steady state depends on where they start"
        )
    visits = np.zeros_like(chain)
    visits[here] = np.linalg.lstsq(balance, np.eye(len(here) + 1)[-1], rcond=None)[0].clip(0)
    return visits


def _pace(work, jobs, left):
    """Return about the rate of each chain, with the servers that open jobs leave, so that weights stay within range."""
    with np.errstate(divide="ignore"):
        alone = jobs / np.maximum(work.sum(axis=0), NO_WORK)
        return np.maximum(np.minimum(alone, (left[:, None] / work).min(axis=0)), NO_WORK)


class _Station:
    """Hold the weights of a queue over closed populations, and the mean number of open jobs beside each."""

    def __init__(self, k, work, open_work, jobs):
        shape = tuple(jobs + 1)
        here = np.indices(shape)
        total = here.sum(axis=0)
        self.servers, self.ratio = k, work[0] / (k - open_work)
        summed, open_jobs = _over_open(total.max(), k, open_work)
        mixed = special.gammaln(total + 1) - special.gammaln(here + 1).sum(axis=0)
        mixed = mixed + sum(special.xlogy(n, a) for n, a in zip(here, work, strict=True))
        logs = mixed + summed[total]
        self.weights = np.exp(logs - logs.max())  # a factor that cancels
        if self.is_geometric():
            first = math.ceil(k)  # logarithms of so many jobs would have lost the digits that ratios keep
            self.weights[first:] = self.weights[first] * self.ratio ** np.arange(len(total) - first)
        self.open_jobs = open_jobs[total]

    def is_geometric(self):
        """Whether each weight, beyond the servers, is that before it times the ratio: of one chain."""
        return self.weights.ndim == 1 and self.servers < len(self.weights) - 1


def _over_open(most, k, rho):
    """Return logarithms of the sums over the open jobs beside 0 to `most` closed ones, and the mean open jobs."""
    m = np.arange(most + 1)
    if math.isinf(k):
        return -special.gammaln(m + 1), np.full(most + 1, rho)  # the open part is a factor that does not depend on m
    # From k closed jobs on all servers work: the open jobs are the failures before success m + 1.
    slots = np.cumsum(np.append(0.0, np.log(np.minimum(m[1:], k))))
    logs, open_jobs = -slots - (m + 1) * np.log1p(-rho / k), (m + 1) * rho / (k - rho)
    for few in range(min(most + 1, math.ceil(k)) if rho > 0 else 0):
        logs[few], open_jobs[few] = _one_by_one(few, k, rho)
    return logs, open_jobs


def _one_by_one(m, k, rho):
    """Return the same beside m closed jobs, term by term."""
    last = 64
    while True:
        o = np.arange(last)
        # log of min(1, k) ... min(m + o, k)
        slots = np.append(0.0, np.cumsum(np.log(np.minimum(np.arange(1, m + last + 1), k))))[m : m + last]
        logs = special.gammaln(m + o + 1) - special.gammaln(m + 1) - special.gammaln(o + 1)
        logs = logs + special.xlogy(o, rho) - slots
        terms = np.exp(logs - logs.max())
        if terms[-1] * o[-1] < LAST_TERM * terms.sum():
            return logs.max() + np.log(terms.sum()), float(terms @ o / terms.sum())
        last *= 2


def _convolved(stations):
    unit = np.zeros_like(stations[0].weights)
    unit.flat[0] = 1.0
    before = list(itertools.accumulate(stations, _with_station, initial=unit))
    after = list(itertools.accumulate(reversed(stations), _with_station, initial=unit))[::-1]
    return [_times(a, b) for a, b in zip(before[:-1], after[1:], strict=True)], before[-1]


def _with_station(a, station):
    b = station.weights
    if not station.is_geometric():
        return _times(a, b)
    k, tail = math.ceil(station.servers), np.zeros_like(a)
    bands = np.array([[1.0], [-station.ratio]]).repeat(len(a) - k, axis=1)  # scipy.signal takes half a second to import
    tail[k:], _ = linalg.lapack.dtbtrs(bands, b[k] * a[: len(a) - k], uplo="L", diag="U")
    return _times(a, b[:k]) + tail


def _times(a, b):
    """Return the convolution of two tables of weights, with an axis for each chain; of rows, without zeros at ends."""
    if a.ndim > 1:
        from_the_corner = [-(n // 2) for n in a.shape]  # not from the middle, as for a picture
        return ndimage.convolve(a, b, mode="constant", origin=from_the_corner)
    result, there = np.zeros_like(a), [np.flatnonzero(x) for x in (a, b)]
    if all(len(x) for x in there):
        (first, last), (least, most) = ((x[0], x[-1] + 1) for x in there)
        part = np.convolve(a[first:last], b[least:most])[: len(a) - first - least]
        result[first + least : first + least + len(part)] = part
    return result
