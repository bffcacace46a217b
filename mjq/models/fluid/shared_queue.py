r"""One job in an open queue of k servers with processor sharing: its whole response time, and one life of it.

Others come, are served and leave while the job is there, and its share changes with their number. With Poisson arrivals
and exponential service of mean 1 that number is a Markov chain, and the job's time one of phase type. With service of
phase type the chain has to know everybody's phase.

**The algorithm**

1. Choose how many others are followed: so many that more are there with a probability of about 1e-9. At load
   :math:`\rho` it is :math:`\log 10^{-9} / \log \rho + k`.
2. The job finds n others with the steady-state probability of n jobs, which depends on the mean service time only. Each
   of them is in a phase as often as a server is at work on it.
3. With exponential service (:func:`response_time`), the number of others moves up at the arrival rate, down at n times
   the share, and the job ends at its share :math:`\min(1, k / (n + 1))`: a phase-type distribution.
4. With service of phase type (:func:`still_there`), list the states, the job's own phase and the number of others in
   each phase, and follow the chain in time (:mod:`mjq.solvers.transient`).

**Cost.** With m others and P phases there are m + 1 phases in step 3, and about :math:`P \binom{m + P}{P}` states in
step 4, at most 300,000.

**Accuracy.** Tests hold the mean by Little's law to 6 digits, and both ways to each other to 9 decimals.

Source: E. G. Coffman, R. R. Muntz, H. Trotter, Waiting time distributions for processor-sharing systems, Journal of the
ACM 17 (1970) 123-130, for one server.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse, special

from mjq._util import checks
from mjq.solvers.phase_type import PhaseType
from mjq.solvers.transient import Transient

LEFT_OUT_PROBABILITY = 1e-9  # of more jobs than are followed, about
MOST_OTHERS = 10_000_000  # in a vector
MOST_PHASES = 10_000  # in a matrix: 0.8 GB
MOST_STATES = 300_000  # of a watched job and the others


def response_time(load: float, k: int = 1) -> PhaseType:
    """Return the response time of a job that comes in the steady state, for service of mean 1; its phase: the others.

    With n others there it is done at the rate of its share min(1, k / (n + 1)), one of the others at n times this
    rate, and another comes at the rate load * k. It finds n others with the probability that n jobs are there.

    Parameters
    ----------
    load : float
        Part of the servers at work, between 0 and 1.
    k : int
        Servers.

    Raises
    ------
    ValueError
        If `load` is not between 0 and 1, `k` is no positive whole number, or there would be too many phases.

    Source: E. G. Coffman, R. R. Muntz, H. Trotter, Waiting time distributions for processor-sharing systems, 1970, for
    one server.

    Examples
    --------
    One server: the squared coefficient of variation is (2 + load) / (2 - load).

    >>> half = response_time(0.5)
    >>> round(half.mean, 4), round(half.scv, 4)
    (2.0, 1.6667)
    """
    others, share, seen = _others(load, k)
    checks.affordable(f"load = {load:.10g}, k = {k}", len(others), MOST_PHASES, "phases")
    T = np.diag(np.full(len(others) - 1, load * k), 1) + np.diag(others[1:] * share[1:], -1)
    T -= np.diag(T.sum(axis=1) + share)
    return PhaseType(seen, T)


def still_there(times: ArrayLike, load: float, k: int, service: PhaseType) -> np.ndarray:
    """Return the probability that a job is still there some time after it came in the steady state, shape (n,).

    The job's own phase and the number of others in each phase are followed. It finds n others with a probability that
    depends on the mean service time only, each in a phase as often as a server is at work on it. Others are left out
    where there would be more of them than there are with a probability of 1e-9: by so much may the answer be too small.

    Parameters
    ----------
    times : float array, shape (n,)
        Not negative, in any order.
    load, k
        As for :func:`response_time`.
    service : mjq.solvers.phase_type.PhaseType

    Raises
    ------
    ValueError
        As :func:`response_time`, and if there would be too many states.

    Examples
    --------
    With exponential service it is the tail of :func:`response_time`:

    >>> times = [1.0, 4.0]
    >>> exponential = PhaseType([1], [[-1]])
    >>> still_there(times, 0.5, 2, exponential).round(6).tolist() == response_time(0.5, 2).tail(times).round(6).tolist()
    True
    """
    most = _most(load, k)
    number = math.comb(most + service.phases, service.phases) * service.phases  # others in each phase; the own phase
    checks.affordable(f"load = {load:g}, k = {k}, {service.phases} phases", number, MOST_STATES, "states")
    others, generator = _watched(load * k / service.mean, k, service, most)
    at_work = np.linalg.solve(-service.T.T, service.alpha) / service.mean  # part of the work that each phase does
    log_phases = (special.xlogy(others, at_work) - special.gammaln(others + 1)).sum(axis=1)
    found = np.exp(_log_weights(load * k, k, most)[others.sum(axis=1)] + log_phases)
    seen = np.append(np.outer(found, service.alpha), 0.0)
    there = np.arange(len(seen)) < len(seen) - 1
    return Transient(seen / seen.sum(), generator, there[:, None].astype(float)).at(times)[:, 0]


def _watched(arrivals, k, service, most):
    """Return how many others may be in each phase, one row a case, and the generator.

    A state is such a case and the own phase of a job that is watched; in the last state it has left.
    """
    phases, own = service.phases, service.T - np.diag(service.T.diagonal())
    others = np.zeros((1, 0), dtype=int)
    for _ in range(phases):
        room = most - others.sum(axis=1)
        numbers = np.concatenate([np.arange(n + 1) for n in room])
        others = np.column_stack([np.repeat(others, room + 1, axis=0), numbers])
    present, left = others.sum(axis=1), np.arange(phases, 0, -1)
    share = np.minimum(1, k / (present + 1))
    # Rates from phase to phase, the last of which is outside, and how many go at each of them.
    rates = np.block([[own, service.exit[:, None]], [arrivals * service.alpha, 0]])
    going = np.column_stack([others * share[:, None], present < most])
    entered, moves = np.eye(phases + 1, phases, dtype=int), []
    for a, b in np.argwhere(rates > 0):
        rows = np.flatnonzero(going[:, a])
        then = others[rows] - entered[a] + entered[b]
        room = most - np.cumsum(then, axis=1)
        # The cases stand in the order of a dictionary: count those before, phase by phase.
        columns = (special.binom(room + then + left, left) - special.binom(room + left, left)).sum(axis=1)
        moves.append((rates[a, b] * going[rows, a], rows, columns.round().astype(int)))
    entries, rows, columns = map(np.concatenate, zip(*moves, strict=True))
    of_others = sparse.coo_array((entries, (rows, columns)), shape=(len(others),) * 2)
    Q = sparse.kron(of_others, sparse.eye_array(phases)) + sparse.kron(sparse.diags_array(share), own)
    Q = sparse.block_array([[Q, np.outer(share, service.exit).reshape(-1, 1)], [None, np.zeros((1, 1))]]).tocsr()
    return others, (Q - sparse.diags_array(Q.sum(axis=1))).tocsr()


def _log_weights(work, k, most):
    """Return the logarithm of the weight of each number of others, times the ways to order them."""
    n = np.arange(1, most + 1)
    return np.append(0.0, np.cumsum(np.log(work / np.minimum(n, k)) + np.log(n)))


def _most(load, k):
    """Return how many others are followed: there are more with a probability of at most about 1e-9."""
    load, k = checks.inside("load", load, 0, 1), checks.count("k", k)
    most = math.log(LEFT_OUT_PROBABILITY) / math.log(load) + k
    checks.affordable(f"load = {load:.10g}, k = {k}", most, MOST_OTHERS, "others")
    return math.ceil(most)


def _others(load, k):
    """Return numbers of others, the share of a job among them, and the probability to find that number."""
    others = np.arange(_most(load, k) + 1)
    weights = np.cumprod(np.append(1, load * k / np.minimum(others[1:], k)))
    return others, np.minimum(1, k / (others + 1)), weights / weights.sum()


def life(load: float, k: int, work: float, seed: int | Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Simulate one life of a job that brings an amount of work: its share, from its coming to its end.

    Return when its share changes: 0, then arrivals and departures of others, and its own end; and its shares between.

    Parameters
    ----------
    load, k
        As for :func:`response_time`.
    work : float
        Time that the job would need if it never had to share.
    seed : int or sequence of int

    Examples
    --------
    The work that it gets is the work that it brings:

    >>> times, shares = life(0.8, 4, 5.0, seed=1)
    >>> round(float(shares @ np.diff(times)), 9), bool(times[-1] >= 5)
    (5.0, True)
    """
    _, _, seen = _others(load, k)
    remaining = float(checks.positive("work", work, ndim=0))
    rng = np.random.default_rng(seed)
    n = int(rng.choice(len(seen), p=seen))
    times, shares = [0.0], []
    while remaining > 0:
        share = min(1.0, k / (n + 1))
        change = rng.exponential(1 / (load * k + n * share))
        lasts = min(change, remaining / share)
        remaining = remaining - lasts * share if lasts == change else 0.0
        times.append(times[-1] + lasts)
        shares.append(share)
        n += 1 if rng.random() < load * k / (load * k + n * share) else -1
    return np.array(times), np.array(shares)
