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

from mjq._util import checks
from mjq.solvers import chain
from mjq.solvers.phase_type import PhaseType
from mjq.solvers.transient import Transient

LEFT_OUT_PROBABILITY = 1e-9  # of more jobs than are followed, about
MOST_OTHERS = 10_000_000  # in a vector
MOST_PHASES = 10_000  # in a matrix: 0.8 GB
MOST_STATES = 300_000  # that are found one by one: half a minute


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
    rule = _watched(load * k / service.mean, k, service, most)
    own_phases = [a for a, part in enumerate(service.alpha) if part > 0]
    states = chain.explore([((0,) * len(service.alpha), a) for a in own_phases], rule)
    at_work = np.linalg.solve(-service.T.T, service.alpha) / service.mean  # part of the work that each phase does
    log_weights = _log_weights(load * k, k, most)
    seen = np.array([
        0.0 if at is None else service.alpha[at[1]] * _found(at[0], log_weights, at_work) for at in states
    ])  # fmt: skip
    there = np.array([[float(at is not None)] for at in states])
    return Transient(seen / seen.sum(), chain.generator(states, rule), there).at(times)[:, 0]


def _watched(arrivals, k, service, most):
    """Return the moves of a watched job in phase `own` among others, this many in each phase; None: it has left."""
    # Numbers of Python's own are quicker one by one.
    ends, first = service.exit.tolist(), [(b, arrivals * x) for b, x in enumerate(service.alpha.tolist()) if x > 0]
    next_ones = [[(b, x) for b, x in enumerate(row) if x > 0] for row in service.T.tolist()]  # off the diagonal

    def moves(state):
        if state is None:
            return
        others, own = state
        share = min(1, k / (sum(others) + 1))
        if sum(others) < most:
            for b, rate in first:
                yield (_changed(others, b, 1), own), rate
        for a, n in enumerate(others):
            if n:
                fewer = _changed(others, a, -1)
                yield (fewer, own), n * share * ends[a]
                for b, rate in next_ones[a]:
                    yield (_changed(fewer, b, 1), own), n * share * rate
        yield None, share * ends[own]
        for b, rate in next_ones[own]:
            yield (others, b), share * rate

    return chain.asked_once(moves)


def _changed(others, a, by):
    return (*others[:a], others[a] + by, *others[a + 1 :])


def _log_weights(work, k, most):
    """Return the logarithm of the weight of each number of others, times the ways to order them."""
    n = np.arange(1, most + 1)
    return np.append(0.0, np.cumsum(np.log(work / np.minimum(n, k)) + np.log(n))).tolist()


def _found(others, log_weights, at_work):
    """Return the weight of these others in each phase: that of their number, times that of the phases given it."""
    log_phases = sum(m * math.log(part) - math.lgamma(m + 1) for m, part in zip(others, at_work, strict=True) if m)
    return math.exp(log_weights[sum(others)] + log_phases)


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
