r"""[SW23] A cluster with a job tracker and a finite queue.

**Notation**

====================  =================================================================================================
:math:`N`             servers
:math:`p_n`           probability that a job has size n: it needs n servers at once
:math:`T`             largest size
:math:`\lambda`       arrival rate (Poisson); a job that finds the queue full is lost
:math:`C`             places in the queue
:math:`\mu_1`         rate at which the tracker maps a job to the cluster, once enough servers are idle
:math:`\mu_{2,n}`     rate at which a job of size n completes
:math:`x_1`           jobs in the queue
:math:`x_2`           size of the job at the tracker, 0 if there is none
:math:`V`             sizes of the jobs in execution, in increasing order; the paper writes (0) for our empty tuple
:math:`m(n, V)`       how many jobs of size n are in execution
====================  =================================================================================================

A state is ``(x_1, x_2, V)``.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mjq import checks
from mjq.solvers import drain, tandem

__all__ = [  # noqa: RUF022, in the order of reading
    "checked", "uniform_sizes", "normal_sizes", "harmonic_sizes", "transitions", "cluster_states", "states",
    "Performance", "measures", "performance", "smallest_cluster",
]  # fmt: skip

MOST_BYTES = 4e9
WORKING_VECTORS = 17  # that the solver holds besides its basis
MOST_SIZES = 1_000_000
MOST_SERVERS = 10_000_000  # in units of the sizes' common divisor


def checked(N: int, sizes: ArrayLike, p: ArrayLike, lam: float, mu1: float, mu2: ArrayLike, C: int) -> tuple:
    """Return the parameters as numbers and arrays, without sizes that never come, or raise ``ValueError``."""
    N, C = checks.count("N", N), checks.count("C", C, least=0)
    sizes = checks.counts("sizes", sizes)
    p = checks.probabilities("p", p)
    lam, mu1 = (float(checks.positive(name, value, ndim=0)) for name, value in (("lam", lam), ("mu1", mu1)))
    mu2 = checks.positive("mu2", mu2, ndim=np.ndim(mu2))
    if mu2.ndim == 0:
        mu2 = np.full(len(sizes), float(mu2))
    if not len(sizes) == len(p) == len(mu2):
        raise ValueError(f"sizes, p and mu2 must have one entry a size, got {len(sizes)}, {len(p)} and {len(mu2)}")
    if len(set(sizes)) < len(sizes):
        raise ValueError(f"sizes must differ, got {checks.shown(sizes)}")
    come = p > 0
    if sizes[come].max() > N:
        raise ValueError(f"size {sizes[come].max()} exceeds the {N} servers")
    return N, sizes[come], p[come], lam, mu1, mu2[come], C


# --- Sizes of jobs --------------------------------------------------------------------------------------------------


def uniform_sizes(T: int) -> tuple[np.ndarray, np.ndarray]:
    """Sizes 1, …, T, equally probable.

    Source: [SW23] Section 5.1.

    >>> uniform_sizes(2)
    (array([1, 2]), array([0.5, 0.5]))
    """
    return _weighted(T, lambda n: np.ones(len(n)))


def normal_sizes(T: int, sigma: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    r"""Sizes 1, …, T, their probabilities proportional to a normal density around the middle.

    .. math:: p_n \propto e^{-(n - \eta)^2 / (2 \sigma^2)}, \qquad \eta = (T + 1)/2 .

    Without `sigma`, :math:`\sigma = \eta / 4`.

    Source: [SW23] Section 5.1.

    >>> normal_sizes(3, 1.0)[1].round(4)
    array([0.2741, 0.4519, 0.2741])
    """
    middle = (checks.count("T", T, most=MOST_SIZES) + 1) / 2
    spread = middle / 4 if sigma is None else float(checks.positive("sigma", sigma, ndim=0))
    return _weighted(T, lambda n: np.exp(-(((n - middle) / spread) ** 2) / 2 + _nearest(middle, spread)))


def _nearest(middle, spread):
    """Exponent that makes the most probable size weigh 1: narrow distributions must not underflow."""
    return ((middle - np.floor(middle)) / spread) ** 2 / 2


def harmonic_sizes(T: int) -> tuple[np.ndarray, np.ndarray]:
    """Sizes 1, …, T with probabilities proportional to n to the power -1.5.

    Source: [SW23] Section 5.1.

    >>> harmonic_sizes(4)[1].round(4)
    array([0.5984, 0.2116, 0.1152, 0.0748])
    """
    return _weighted(T, lambda n: n**-1.5)


def _weighted(T, weight):
    n = np.arange(1, checks.count("T", T, most=MOST_SIZES) + 1)
    weights = weight(n.astype(float))
    return n, weights / weights.sum()


# --- The chain of the paper -----------------------------------------------------------------------------------------


def transitions(
    state: tuple,
    N: int,
    sizes: Sequence[int],
    p: Sequence[float],
    lam: float,
    mu1: float,
    mu2: Sequence[float],
    C: int,
) -> Iterator[tuple]:
    """Yield ``(next_state, rate)`` out of ``(x_1, x_2, V)``, case by case in the paper's order.

    `sizes`, `p` and `mu2` are sequences with one entry a size.

    Source: [SW23] Table 2.

    Examples
    --------
    A job of size 2 waits at the tracker of a cluster of two, in which a job of size 1 runs.

    >>> list(transitions((0, 2, (1,)), 2, (1, 2), (.5, .5), 3, 9, (1, 1), 1))
    [((1, 2, (1,)), 3), ((0, 2, ()), 1)]
    """
    x1, x2, V = state
    if x1 == x2 == 0:
        yield from (((0, n, V), lam * p_n) for n, p_n in zip(sizes, p, strict=True))
    if x1 < C and x2 > 0:
        yield (x1 + 1, x2, V), lam
    yield from (((x1, x2, _without(V, n)), V.count(n) * rate) for n, rate in zip(sizes, mu2, strict=True) if n in V)
    if x2 > 0 and sum(V) + x2 <= N:
        after = tuple(sorted((*V, x2)))
        if x1 > 0:
            yield from (((x1 - 1, n, after), mu1 * p_n) for n, p_n in zip(sizes, p, strict=True))
        else:
            yield (0, 0, after), mu1


def _without(V, n):
    k = V.index(n)
    return V[:k] + V[k + 1 :]


def cluster_states(N: int, sizes: Sequence[int]) -> list[tuple]:
    """The possible vectors V: by their length, then lexicographically.

    Source: [SW23] Section 3.

    Examples
    --------
    The paper's example: three jobs in a cluster of six.

    >>> [V for V in cluster_states(6, range(1, 7)) if len(V) == 3]
    [(1, 1, 1), (1, 1, 2), (1, 1, 3), (1, 1, 4), (1, 2, 2), (1, 2, 3), (2, 2, 2)]
    """
    found, longest = [()], [()]
    while longest:
        longest = [(*V, n) for V in longest for n in sorted(sizes) if n >= max(V, default=0) and sum(V) + n <= N]
        found += sorted(longest)
    return found


def states(N: int, sizes: Sequence[int], C: int) -> list[tuple]:
    """All states in the paper's order: by the queue, then the size at the tracker, then V.

    Source: [SW23] Section 3.

    >>> len(states(2, (1, 2), 1))
    20
    """
    vectors = cluster_states(N, sizes)
    return [(x1, x2, V) for x1 in range(C + 1) for x2 in (*([0] * (x1 == 0)), *sorted(sizes)) for V in vectors]


# --- Measures -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Performance:
    """Long-run measures of the cluster.

    Attributes
    ----------
    mean_queue : float
        Jobs in the queue, Eq. (5).
    blocking : float
        Fraction of arriving jobs that are lost, Eq. (6).
    mean_delay : float
        Time in the queue of a job that is not lost, Eq. (7), in the unit of time of the rates.
    mean_busy_servers : float
        Eq. (8).
    utilization : float
        `mean_busy_servers` / N.
    mean_jobs : float
        Jobs in execution, Eq. (9).
    residual : float
        Sum over all states of inflow less outflow, in absolute value.
    """

    mean_queue: float
    blocking: float
    mean_delay: float
    mean_busy_servers: float
    utilization: float
    mean_jobs: float
    residual: float


def _performance(N, queue, blocking, accepted, jobs, servers, residual):
    """From the distribution of the queue, the losses, the rate of accepted jobs and the two means in the cluster."""
    mean_queue = float(queue @ np.arange(len(queue)))
    delay = mean_queue / accepted
    return Performance(mean_queue, float(blocking), float(delay), servers, servers / N, jobs, float(residual))


def measures(states: Sequence[tuple], probabilities: ArrayLike, N: int, lam: float) -> Performance:
    r"""The measures from the probabilities of all states.

    .. math:: E[q] = \sum_{j=1}^{C} j \sum_{x \in S_j} P_x, \quad B = \sum_{x \in S_C} P_x, \quad
       E[D] = \frac{E[q]}{\lambda (1 - B)}, \quad E[U] = \sum_x S_{V(x)} P_x, \quad E[J] = \sum_x N_{V(x)} P_x .

    Parameters
    ----------
    states : sequence of (x_1, x_2, V)
    probabilities : sequence of float
    N : int
        Servers.
    lam : float
        Arrival rate, per unit of time.

    Returns
    -------
    Performance
        With residual nan: it depends on the solver. Eq. (6) supposes C >= 1; without a place to wait, those jobs are
        lost that find the tracker busy.

    Source: [SW23] Eqs. (5)-(9).
    """
    P = np.asarray(probabilities, dtype=float)
    queue = np.bincount([x1 for x1, _, _ in states], P)
    jobs = float(P @ [len(V) for _, _, V in states])
    servers = float(P @ [sum(V) for _, _, V in states])
    # Without a place to wait, level C has states with an idle tracker, too.
    blocking = P @ [x1 == len(queue) - 1 and x2 > 0 for x1, x2, _ in states]
    return _performance(N, queue, blocking, lam * (1 - blocking), jobs, servers, np.nan)


def performance(N: int, sizes: ArrayLike, p: ArrayLike, lam: float, mu1: float, mu2: ArrayLike, C: int) -> Performance:
    """Measures of the cluster, by the structured solver: millions of states, no generator.

    Parameters
    ----------
    N : int
        Servers.
    sizes : sequence of int
        Possible sizes of jobs.
    p : sequence of float
        Their probabilities.
    lam, mu1 : float
        Arrival rate, rate of the tracker, per unit of time.
    mu2 : float or sequence of float
        Completion rate of a job, one or one per size, per unit of time.
    C : int
        Places in the queue.

    Returns
    -------
    Performance

    Raises
    ------
    ValueError
        If the input breaks a law, or the cluster is too large for memory.
    ArithmeticError
        If the iterations did not converge.

    Source: [SW23] Section 4; the solver is ours, see :mod:`mjq.solvers.tandem`.

    Examples
    --------
    Sixteen servers, 235,155 states: the mean number of jobs in execution stays below the paper's 1.34.

    >>> answer = performance(16, *uniform_sizes(16), lam=30, mu1=1000, mu2=10, C=15)
    >>> round(answer.mean_jobs, 4), round(answer.blocking, 5)
    (1.3371, 0.55429)
    """
    N, sizes, p, lam, mu1, mu2, C = checked(N, sizes, p, lam, mu1, mu2, C)
    configurations = _configurations(N, sizes, C)
    answer = tandem.steady_state(tandem.Tandem(configurations, lam, mu1, mu2, p, C))
    jobs, servers = configurations.counts.sum(axis=1), configurations.counts @ sizes
    blocking = answer.queue[-1] if C else answer.preparing[1:].sum()
    in_cluster = float(answer.resource @ jobs), float(answer.resource @ servers)
    # As many jobs are mapped as are accepted; lam * (1 - blocking) would lose digits where most are lost.
    return _performance(N, answer.queue, blocking, answer.moving, *in_cluster, answer.residual)


def _configurations(N, sizes, C):
    """All ways to fill the cluster, unless the solver would need too much memory for them."""
    count = _count_configurations(N, sizes)
    need = (
        count * 8 * ((tandem.BASIS_VECTORS + WORKING_VECTORS) * (C + 1) + 8 * len(sizes))
    )  # the vectors it works with, and tables
    if need > MOST_BYTES:
        raise ValueError(
            f"{count:.10g} ways to fill {N} servers, with {C} places in the queue, would need {need / 1e9:.3g} GB; the "
            f"limit is {MOST_BYTES / 1e9:g} GB"
        )
    return drain.configurations(N, sizes, most_free=N)


def _count_configurations(N, sizes):
    """Sets of jobs that need at most N servers together, counted without listing them."""
    unit = math.gcd(*map(int, sizes))
    N, sizes = N // unit, [int(size) // unit for size in sizes]
    if N > MOST_SERVERS:
        raise ValueError(f"{N} servers (of the size {unit} by which all sizes can be divided) exceed {MOST_SERVERS}")
    ways = np.zeros(N + 1)  # ways to use exactly so many servers
    ways[0] = 1
    for size in sizes:  # one job more of this size: ways[used] += ways[used - size], from few servers to many
        whole = np.zeros(-(-(N + 1) // size) * size)
        whole[: N + 1] = ways
        ways = whole.reshape(-1, size).cumsum(axis=0).ravel()[: N + 1]
    return int(ways.sum()) if ways.sum() < checks.MOST else float(ways.sum())


def smallest_cluster(
    most_delay: float,
    least_utilization: float,
    sizes: ArrayLike,
    p: ArrayLike,
    lam: float,
    mu1: float,
    mu2: ArrayLike,
    C: int,
    most_servers: int = 1000,
) -> tuple[int, Performance]:
    r"""Fewest servers with which the mean delay and the utilization meet their targets.

    The utilization need not fall with every server: it may rise where one more large job fits. But it is at most
    :math:`\lambda \sum_n n p_n / (\mu_{2,n} N)`, which ends the search.

    Parameters
    ----------
    most_delay : float
        Largest mean time in the queue, in the unit of time of the rates.
    least_utilization : float
        Smallest utilization.
    sizes, p, lam, mu1, mu2, C
        As for :func:`performance`.
    most_servers : int
        Where to give up.

    Returns
    -------
    (int, Performance)

    Raises
    ------
    ValueError
        If no number of servers up to `most_servers` meets both targets.

    Source: [SW23] Section 6 names the problem.

    Examples
    --------
    >>> N, answer = smallest_cluster(.05, .3, (1, 2, 4), (.5, .3, .2), 20, 1000, 10, 15)
    >>> N, answer.mean_delay <= .05 < performance(N - 1, (1, 2, 4), (.5, .3, .2), 20, 1000, 10, 15).mean_delay
    (8, True)
    """
    delay = float(checks.positive("most_delay", most_delay, ndim=0))
    utilization = float(checks.positive("least_utilization", least_utilization, ndim=0))
    most = checks.count("most_servers", most_servers)
    most, sizes, p, lam, mu1, mu2, C = checked(most, sizes, p, lam, mu1, mu2, C)
    work = lam * float(p @ (sizes / mu2))  # servers that would be busy if no job were lost
    for N in range(int(sizes.max()), min(most, int(work / utilization)) + 1):
        answer = performance(N, sizes, p, lam, mu1, mu2, C)
        if answer.mean_delay <= delay and answer.utilization >= utilization:
            return N, answer
    raise ValueError(
        f"no cluster of up to {most} servers has a mean delay within {delay:g} and a utilization of at least "
        f"{utilization:g}"
    )
