"""[SW23] Long-run measures, for millions of states, and the smallest cluster that meets a target.

**The measures** are means over the steady state that :mod:`mjq.models.cluster.tandem` computes: from the distributions
of the queue, of the configuration of the cluster, and of what is at the tracker. The mean delay follows by Little's law
from the jobs that are mapped, not from those that are not lost, which would lose digits where most are lost.
:func:`measures` computes the same from the probabilities of all states, to compare.

**The smallest cluster** is found by trying one number of servers after the other, from the largest size on. The
utilization need not fall with every server. But it is at most the work that arrives, divided by the servers, and this
bound ends the search.

**Cost.** That of the solver, one solution for each number of servers that is tried. The ways to fill a cluster are
counted before they are listed: if they need more than 4 GB, the system is refused.

**Accuracy.** Tests compare all measures with the chain of the paper on random small clusters, to 10 digits, and rare
losses down to 1e-30, with rates up to eighteen orders of magnitude apart, to 9 digits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq.models.cluster import tandem
from mjq.models.cluster.rule import checked
from mjq.solvers import drain

MOST_BYTES = 4e9
WORKING_VECTORS = 17  # that the solver holds besides its basis
MOST_SERVERS = 10_000_000  # in units of the sizes' common divisor


@dataclass(frozen=True)
class Performance:
    """Hold the long-run measures of the cluster.

    Attributes
    ----------
    mean_queue : float
        Jobs in the queue, Eq. (5).
    blocking : float
        Fraction of arriving jobs that are lost, Eq. (6).
    mean_time_in_queue : float
        Time in the queue of a job that is not lost, Eq. (7), in the unit of time of the rates.
    mean_busy_servers : float
        Eq. (8).
    utilization : float
        `mean_busy_servers` / N.
    mean_in_service : float
        Jobs in execution, Eq. (9).
    residual : float
        Sum over all states of inflow less outflow, in absolute value.
    """

    mean_queue: float
    blocking: float
    mean_time_in_queue: float
    mean_busy_servers: float
    utilization: float
    mean_in_service: float
    residual: float


def _performance(N, queue, blocking, accepted, jobs, servers, residual):
    """Make the measures from the queue, the losses, the rate of accepted jobs and the two means in the cluster."""
    mean_queue = float(queue @ np.arange(len(queue)))
    delay = mean_queue / accepted
    return Performance(mean_queue, float(blocking), float(delay), servers, servers / N, jobs, float(residual))


def measures(states: Sequence[tuple], probabilities: ArrayLike, N: int, lam: float) -> Performance:
    r"""Return the measures from the probabilities of all states.

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

    Source: [SW23] Eq. (5), [SW23] Eq. (6), [SW23] Eq. (7), [SW23] Eq. (8), [SW23] Eq. (9).
    """
    P = np.asarray(probabilities, dtype=float)
    queue = np.bincount([x1 for x1, _, _ in states], P)
    jobs = float(P @ [len(V) for _, _, V in states])
    servers = float(P @ [sum(V) for _, _, V in states])
    # Without a place to wait, level C has states with an idle tracker, too.
    blocking = P @ [x1 == len(queue) - 1 and x2 > 0 for x1, x2, _ in states]
    return _performance(N, queue, blocking, lam * (1 - blocking), jobs, servers, np.nan)


def performance(N: int, sizes: ArrayLike, p: ArrayLike, lam: float, mu1: float, mu2: ArrayLike, C: int) -> Performance:
    """Return the measures of the cluster, by the structured solver: millions of states, no generator.

    Each measure has a relative error of about 1e-9 at most, down to 1e-30, however far apart the rates lie.

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
        If the input violates a constraint, or the cluster is too large for memory.
    ArithmeticError
        If the iterations did not converge.

    Source: [SW23] Section 4, [SW23] Eq. (4), and for the measures [SW23] Eq. (5), [SW23] Eq. (6), [SW23] Eq. (7),
    [SW23] Eq. (8), [SW23] Eq. (9); the solver is ours, see :mod:`mjq.models.cluster.tandem`.

    Examples
    --------
    Sixteen servers, 235,155 states: the mean number of jobs in execution stays below the paper's 1.34.

    >>> from mjq.models.cluster import uniform_sizes
    >>> answer = performance(16, *uniform_sizes(16), lam=30, mu1=1000, mu2=10, C=15)
    >>> round(answer.mean_in_service, 4), round(answer.blocking, 5)
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
    """Return all ways to fill the cluster, unless the solver would need too much memory for them."""
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
    """Count the sets of jobs that need at most N servers together, without listing them."""
    unit = math.gcd(*map(int, sizes))
    N, sizes = N // unit, [int(size) // unit for size in sizes]
    if N > MOST_SERVERS:
        raise ValueError(f"{N} servers, in units of {unit} that divide all sizes, are more than {MOST_SERVERS}")
    number = drain.ways_to_use(N, sizes).sum()
    return int(number) if number < checks.LARGEST_COUNT else float(number)


def smallest_cluster(
    most_time_in_queue: float,
    least_utilization: float,
    sizes: ArrayLike,
    p: ArrayLike,
    lam: float,
    mu1: float,
    mu2: ArrayLike,
    C: int,
    most_servers: int = 1000,
) -> tuple[int, Performance]:
    r"""Return the fewest servers with which the mean delay and the utilization meet their targets.

    The utilization need not fall with every server: it may rise where one more large job fits. But it is at most
    :math:`\lambda \sum_n n p_n / (\mu_{2,n} N)`, which ends the search.

    Parameters
    ----------
    most_time_in_queue : float
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
    >>> jobs = (1, 2, 4), (.5, .3, .2), 20, 1000, 10, 15
    >>> N, answer = smallest_cluster(.05, .3, *jobs)
    >>> N, answer.mean_time_in_queue <= .05 < performance(N - 1, *jobs).mean_time_in_queue
    (8, True)
    """
    most_time = float(checks.positive("most_time_in_queue", most_time_in_queue, ndim=0))
    utilization = float(checks.positive("least_utilization", least_utilization, ndim=0))
    most = checks.count("most_servers", most_servers)
    most, sizes, p, lam, mu1, mu2, C = checked(most, sizes, p, lam, mu1, mu2, C)
    work = lam * float(p @ (sizes / mu2))  # servers that would be busy if no job were lost
    for N in range(int(sizes.max()), min(most, int(work / utilization)) + 1):
        answer = performance(N, sizes, p, lam, mu1, mu2, C)
        if answer.mean_time_in_queue <= most_time and answer.utilization >= utilization:
            return N, answer
    raise ValueError(
        f"no cluster of up to {most} servers has a mean time in the queue within {most_time:g} and a utilization of at "
        f"least {utilization:g}"
    )
