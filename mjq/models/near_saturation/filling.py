r"""[NS] ServerFilling: all servers are busy while jobs wait; the queue, exact, for needs that are powers of two.

The *prefix* is the shortest part of all jobs in the system, in order of arrival, whose needs add to at least k, the
servers. Its jobs are served, the largest needs first, and interrupt others. If k and all needs are powers of two, the
served ones fill all k servers, so that the capacity is :math:`k / \sum_\ell p_\ell b_\ell / \mu_\ell`.

**The algorithm**

1. A state is how many jobs of each class are in the prefix, and how many jobs there are. The order within the prefix
   does not matter: when a job leaves, all others stay in the prefix.
2. A completion: serve the largest needs first, as many as fit; a class completes at its rate times those served. Then
   jobs join the prefix from behind, each a fresh draw from the mix, until the needs add to k again or nobody waits.
3. An arrival joins the prefix if that is not complete, else it only waits.
4. Count in units of the smallest need. From :math:`k + 1` jobs on a prefix is always complete, also after a completion:
   the rest is a chain on levels (:mod:`mjq.solvers.qbd`), whose mean number of jobs gives the mean time by Little's
   law.

**Cost.** With P complete prefixes, time :math:`k P^3` at most and memory :math:`k P^2`. More than 100,000 states below
that level are refused.

**Accuracy.** Tests solve the same queue with the order of all jobs in the state, cut off at six jobs, and find the same
numbers to 10 digits; with one need it is the queue with many servers, to 10 digits.

Source: [GHS22] for the policy; the chain is ours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from numpy.typing import ArrayLike

from mjq._util import checks
from mjq.models.near_saturation.constant import below
from mjq.solvers import qbd

MOST_STATES = 100_000  # of the queue below the level from which on it repeats itself


class ServerFilling(NamedTuple):
    """Describe the queue under ServerFilling.

    Attributes
    ----------
    mean_sojourn : float
        Mean time in the system.
    mean_jobs : float
        Mean number of jobs in the system.
    capacity : float
        Jobs per unit of time; no server is ever idle while jobs wait.
    """

    mean_sojourn: float
    mean_jobs: float
    capacity: float


def server_filling(lam: float, k: int, b: ArrayLike, mu: ArrayLike, p: ArrayLike) -> ServerFilling:
    r"""Solve the infinite queue under ServerFilling, for exponential times and needs that are powers of two.

    The prefix is the shortest part of the queue, in order of arrival, whose needs add to at least k. Its jobs are
    served, the largest needs first, and interrupt others. With powers of two all k servers are then busy, so that
    the capacity is :math:`k / \sum_\ell p_\ell b_\ell / \mu_\ell`. Only how many jobs of each class are in the prefix
    matters: when one leaves, all others stay in the prefix, whatever their order.

    Parameters
    ----------
    lam : float
        Arrival rate, below the capacity.
    k : int
        Servers, a power of two.
    b : sequence of int, shape (L,)
        Servers that a job of each class needs, different powers of two up to k.
    mu, p : sequence of float, shape (L,)
        Completion rate and probability of each class.

    Raises
    ------
    ValueError
        If a need is no power of two, two are equal, or another constraint is violated.

    Source: [GHS22] (the policy); [NS] (the chain).

    Examples
    --------
    >>> round(server_filling(.9 / .55, 4, (1, 2, 4), (1, .5, 1), (.6, .25, .15)).mean_sojourn, 10)
    8.3206233615
    """
    k, b, mu, p = _powers_of_two(k, b, mu, p)
    capacity = k / math.fsum(chance * need / rate for chance, need, rate in zip(p, b, mu, strict=True))
    lam = below(lam, capacity)
    asked = f"k = {k} with needs {checks.shown(b)}"
    k, b = k // min(b), [need // min(b) for need in b]  # the smallest need is the unit
    N = k + 1  # jobs from which on a prefix is always complete, also after a completion
    checks.affordable(asked, N, MOST_STATES, "states")
    checks.affordable(asked, N * _prefixes(k, b), MOST_STATES, "states")

    levels = qbd.Levels.of(((0,) * len(b), 0), lambda state: filling_transitions(state, lam, k, b, mu, p), N)
    jobs = [[n] * len(states) for n, states in enumerate(levels.states[:-1])]
    EN = levels.stationary().factorial_moment(jobs, 1)
    return ServerFilling(EN / lam, EN, capacity)


def filling_transitions(
    state: tuple, lam: float, k: int, b: Sequence[int], mu: Sequence[float], p: Sequence[float]
) -> Iterator[tuple]:
    """Yield ``(next_state, rate)`` under ServerFilling out of ``((m_1, …, m_L), n)``: the prefix, and all jobs.

    Source: [GHS22].

    A job that needs one of two servers is alone; then a large one comes, and takes both.

    >>> list(filling_transitions(((1, 0), 1), 1, 2, (1, 2), (3, 5), (.5, .5)))
    [(((2, 0), 2), 0.5), (((1, 1), 2), 0.5), (((0, 0), 0), 3)]
    >>> list(filling_transitions(((1, 1), 2), 1, 2, (1, 2), (3, 5), (.5, .5)))
    [(((1, 1), 3), 1), (((1, 0), 1), 5)]
    """
    m, n = state
    if _held(m, b) < k:
        for j, chance in enumerate(p):
            yield (_more(m, j), n + 1), lam * chance
    else:
        yield (m, n + 1), lam
    for rest, rate in _completions(m, k, b, mu):
        for prefix, chance in _filled(rest, n - sum(m), k, b, p):
            yield (prefix, n - 1), rate if chance == 1 else rate * chance


def filling_saturated_transitions(
    m: tuple, k: int, b: Sequence[int], mu: Sequence[float], p: Sequence[float]
) -> Iterator[tuple]:
    """Yield ``(next_prefix, rate)`` under ServerFilling while the queue never runs dry; all are completions.

    Source: [GHS22].

    >>> list(filling_saturated_transitions((1, 1), 2, (1, 2), (3, 5), (.5, .5)))
    [((2, 0), 2.5), ((1, 1), 2.5)]
    """
    for rest, rate in _completions(m, k, b, mu):
        for prefix, chance in _filled(rest, math.inf, k, b, p):
            yield prefix, rate * chance


def _completions(m, k, b, mu):
    """Yield the prefix left when a job in service completes, and the rate; the largest needs are served."""
    free = k
    for j in sorted(range(len(b)), key=lambda j: -b[j]):
        served = min(m[j], free // b[j])
        free -= served * b[j]
        if served:
            yield (*m[:j], m[j] - 1, *m[j + 1 :]), served * mu[j]


def _filled(m, waiting, k, b, p):
    """Yield complete prefixes and their chances, when waiting jobs join one by one until the needs add to k."""
    joining = {m: 1}
    while joining:
        before, joining = joining, {}
        for m, chance in before.items():
            if not waiting or _held(m, b) >= k:
                yield m, chance
                continue
            for j, p_j in enumerate(p):
                joined = _more(m, j)
                joining[joined] = joining.get(joined, 0) + chance * p_j
        waiting -= 1


def _held(m, b):
    return sum(count * need for count, need in zip(m, b, strict=True))


def _more(m, j):
    return (*m[:j], m[j] + 1, *m[j + 1 :])


def _prefixes(k, b):
    """Bound the number of complete prefixes by the ways to choose the jobs before the last one, and the last one."""
    ways = [1] + [0] * (k - 1)  # to hold so many units
    for need in b:
        for held in range(need, k):
            ways[held] += ways[held - need]
    return sum(number * sum(held + need >= k for need in b) for held, number in enumerate(ways))


def _powers_of_two(
    k: int, b: ArrayLike, mu: ArrayLike, p: ArrayLike
) -> tuple[int, list[int], list[float], list[float]]:
    k = checks.count("k", k)
    _, needs, rates, mix = checks.multiserver(k, b, mu, p, names=("k", "b", "mu", "p"))
    for name, value in [("k", k), *(("need", need) for need in needs)]:
        if value != int(value) or int(value) & (int(value) - 1):
            raise ValueError(f"ServerFilling needs powers of two, got {name} {checks.shown(value)}")
    support = mix > 0
    whole = needs[support].astype(int).tolist()
    if len(set(whole)) < len(whole):
        raise ValueError(
            f"needs must differ from each other, got {checks.shown(whole)}: of equal ones the older goes first"
        )
    return k, whole, rates[support].tolist(), mix[support].tolist()
