"""[RBAC21] Smoothing exponents from means, exact or measured.

**The algorithm**, for each queue with finitely many servers

1. The busy servers are the sum over its classes of throughput times mean service time.
2. Their ratio to the mean number of jobs is the mean share of a job.
3. The smoothed share rises with p from 0 to the hard minimum. Look for the p that gives the mean share, by Brent's
   method on the logarithm of p. If even p = :math:`e^{12}` gives no more, p is infinite: the hard minimum.

A queue takes some tens of evaluations of one formula. In a test, exponents fitted to the exact means of a network give
these means again as its stationary point, to 6 digits.
"""

from __future__ import annotations

import math

import scipy

from mjq.models.fluid.share import smoothed_share
from mjq.solvers.network import Network

BUSY_SLACK = 1e-9  # by which part busy servers may exceed the jobs or the servers
LOG_EXPONENT_TOLERANCE = 1e-14
LOG_EXPONENTS = -5.0, 12.0  # where to look first, and the largest that is told from the hard minimum


def fit_smoothing(network: Network, mean_jobs: dict, throughput: dict, slack: float = BUSY_SLACK) -> dict:
    """Return the exponents with which the smoothed shares are those behind the given means.

    In the long run the busy servers of a queue are the sum of throughput times mean service time over its classes; with
    the mean number of jobs they tell the mean share of a job, and the share tells p. Where all classes of each queue
    have the same share, the given means are then a stationary point.

    Parameters
    ----------
    network : Network
    mean_jobs, throughput : dict
        By pair, exact or measured; delay stations need not be given.
    slack : float
        By which part busy servers may exceed the jobs or the servers, as they do by chance in measured data.

    Returns
    -------
    dict
        Queue with finitely many servers to its p, infinite where the share is already the hard minimum (to rounding),
        or nobody comes.

    Raises
    ------
    ValueError
        If a pair of a queue is missing, or more servers are busy than there are or than there are jobs.

    Source: [RBAC21] Section 3, [RBAC21] Eq. (7): the share is monotone in p.
    """
    exponents = {}
    for queue, k in network.servers.items():
        if math.isinf(k):
            continue
        here = [pair for pair in network.pairs if pair[0] == queue]
        missing = [pair for pair in here if pair not in mean_jobs or pair not in throughput]
        if missing:
            raise ValueError(f"mean_jobs and throughput must name all pairs of queue {queue!r}; missing: {missing}")
        jobs = sum(float(mean_jobs[pair]) for pair in here)
        busy = sum(float(throughput[pair]) * network.service[pair].mean for pair in here)
        if busy == 0:
            exponents[queue] = math.inf
            continue
        if not 0 < busy <= min(jobs, k) * (1 + slack):
            raise ValueError(
                f"queue {queue!r} cannot have {busy:g} of {k:g} servers busy with {jobs:g} jobs on average"
            )
        exponents[queue] = _exponent(busy / jobs, jobs, k)
    return exponents


def _exponent(share, jobs, k):
    def gap(log_p):
        return float(smoothed_share(jobs, k, math.exp(log_p))) - share

    low, high = LOG_EXPONENTS
    if gap(high) <= 0:
        return math.inf
    while gap(low) > 0:
        low -= 1
    return math.exp(scipy.optimize.brentq(gap, low, high, xtol=LOG_EXPONENT_TOLERANCE))
