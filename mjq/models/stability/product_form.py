r"""[GHS20] The product form of the saturated system, and with it the stability limit.

Just after a completion the saturated system is in state (blk, i, j) with a probability that is a product of one factor
for each job in service (Theorem 4.1). Nothing has to be solved.

**The algorithm**

1. List the states :math:`u_0, u_1, \dots`, one for each number i of class-1 jobs: j and blk follow by a division.
2. Go from :math:`u_{i-1}` to :math:`u_i`. The weight is multiplied by :math:`p_1 / \rho_1(u_i)`. If there is one
   class-2 job less, it is divided by :math:`p_2 / \rho_2(v_j)`, with j as it was before. It is multiplied by
   :math:`p_2` where the queue becomes blocked, and divided by it where it no longer is.
3. Add the logarithms of these steps, from the most probable state outwards to both sides, with compensated sums. Only
   then take the exponential: the largest weight is 1.
4. The time in a state is its weight over the total rate :math:`i \mu_1 + j \mu_2`. The limit :math:`\lambda^*` is the
   sum of the weights over the sum of these times (Theorems 4.2 and 4.3).

**Cost.** Time and memory are proportional to the number of states, :math:`n / n_1 + 1`.

**Accuracy.** Tests put the weights into the balance equations of each class (10 digits) and compare the limit with the
generic solver of :mod:`mjq.models.processing_capacity` (12 digits). With plain products a hundred servers and rates
nine orders of magnitude apart would already leave the range of numbers.

Source: [GHS20] Theorem 4.1, [GHS20] Theorem 4.2, [GHS20] Theorem 4.3.
"""

from __future__ import annotations

import math

import numpy as np

from mjq._util.compiling import compiled
from mjq.models.stability.rule import checked
from mjq.solvers.sums import from_the_largest, running


@compiled()
def _state(i, n, n1, n2):
    """Return blk and j of u_i, the one state with i class-1 jobs."""
    j = (n - i * n1) // n2
    return int(n - i * n1 - j * n2 >= n1), j


@compiled(steps=lambda n, n1, n2: 3 * (n // n1))
def _states(n, n1, n2):
    """Return blk, i, j of u_0, u_1, …, one state for each number of class-1 jobs."""
    i = np.arange(n // n1 + 1)
    blk, j = np.empty_like(i), np.empty_like(i)
    for k in i:
        blk[k], j[k] = _state(k, n, n1, n2)
    return blk, i, j


def saturated_states(n: int, n1: int, n2: int) -> np.ndarray:
    """Return all states of the saturated system, rows (blk, i, j), sorted by (j, i).

    Returns
    -------
    int array, shape (S, 3)

    Source: [GHS20] Section 3.

    Examples
    --------
    Thirty servers, needs 3 and 10: the first three of eleven states.

    >>> saturated_states(30, 3, 10)[:3].tolist()
    [[1, 7, 0], [1, 8, 0], [1, 9, 0]]
    """
    n, n1, n2, *_ = checked(n, n1, n2, 1, 1, 0.5)
    blk, i, j = _states(n, n1, n2)
    order = np.lexsort((i, j))
    return np.column_stack([blk, i, j])[order]


@compiled(steps=lambda n, n1, *_: 5 * (n // n1))
def _log_weights(n, n1, n2, mu1, mu2, p1):
    """Return the logarithms of the states' product-form weights, in the order of i, the largest being zero."""
    steps = np.empty(n // n1)  # from u_{i-1} to u_i one class-1 job comes, and perhaps a class-2 job goes
    if p1 == 0 or p1 == 1:  # only u_0 or only the state with most class-1 jobs is ever seen
        weights = np.full(len(steps) + 1, -np.inf)
        weights[-1 if p1 == 1 else 0] = 0.0
        return weights
    log_1, log_2 = math.log(p1), math.log1p(-p1)
    blk_before, before = _state(0, n, n1, n2)
    for i in range(1, len(steps) + 1):
        blk, j = _state(i, n, n1, n2)
        step = log_1 + math.log1p(j * (mu2 / mu1) / i)  # 1 / rho_1(u_i)
        if j < before:
            most_1 = (n - before * n2) // n1  # class-1 jobs in v_j
            step -= log_2 + math.log1p(most_1 * (mu1 / mu2) / before)  # 1 / rho_2(v_j)
        steps[i - 1] = step + (blk - blk_before) * log_2
        blk_before, before = blk, j
    return from_the_largest(steps)


def embedded_distribution(n: int, n1: int, n2: int, mu1: float, mu2: float, p1: float) -> np.ndarray:
    r"""Return the distribution of the state just after a completion, in the order of :func:`saturated_states`.

    .. math::
       \pi(\mathrm{blk}, i, j) = C\, p_1^{\,i}\, p_2^{\,j + \mathrm{blk}}
       \prod_{x=1}^{i} \frac{1}{\rho_1(u_x)} \prod_{y=1}^{j} \frac{1}{\rho_2(v_y)} .

    Parameters
    ----------
    n, n1, n2 : int
        Servers, and servers that a job of each class holds, n1 <= n2 <= n.
    mu1, mu2 : float
        Completion rates, per unit of time.
    p1 : float
        Probability of class 1.

    Returns
    -------
    float array, shape (S,)

    Source: [GHS20] Theorem 4.1, [GHS20] Eq. (2).

    Examples
    --------
    >>> float(embedded_distribution(2, 1, 2, 1, 1, .5).sum())
    1.0
    """
    n, n1, n2, *rest = checked(n, n1, n2, mu1, mu2, p1)
    weights = np.exp(_log_weights(n, n1, n2, *rest))  # the largest is one: nothing overflows
    _, i, j = _states(n, n1, n2)
    return weights[np.lexsort((i, j))] / weights.sum()


def stationary_distribution(n: int, n1: int, n2: int, mu1: float, mu2: float, p1: float) -> np.ndarray:
    r"""Return the fraction of time spent in each state, in the order of :func:`saturated_states`.

    .. math:: \frac{X\, \pi(\mathrm{blk}, i, j)}{i \mu_1 + j \mu_2} .

    Source: [GHS20] Theorem 4.2, [GHS20] Eq. (12), [GHS20] Eq. (13).

    Servers that are busy on average, by states and by the stability limit:

    >>> busy = saturated_states(30, 3, 10) @ [0, 3, 10] @ stationary_distribution(30, 3, 10, 1, .5, .7)
    >>> bool(np.isclose(busy, throughput(30, 3, 10, 1, .5, .7) * (.7 * 3 / 1 + .3 * 10 / .5)))
    True
    """
    i, j, shares, _ = time_shares(*checked(n, n1, n2, mu1, mu2, p1))
    return shares[np.lexsort((i, j))]


@compiled(steps=lambda n, n1, *_: 10 * (n // n1))
def time_shares(n, n1, n2, mu1, mu2, p1):  # noqa: ANN201, compiled
    """Return the states in the order of i, their long-run shares of time, and the rate of completions."""
    weights = _log_weights(n, n1, n2, mu1, mu2, p1)
    for k in range(len(weights)):
        weights[k] = math.exp(weights[k])  # the largest is one: nothing overflows
    _, i, j = _states(n, n1, n2)
    unit = max(mu1, mu2)
    time = weights / (i * (mu1 / unit) + j * (mu2 / unit))
    total = running(time)[-1]
    return i, j, time / total, unit * running(weights)[-1] / total


def throughput(n: int, n1: int, n2: int, mu1: float, mu2: float, p1: float) -> float:
    r"""Return the largest sustainable arrival rate of the two-class system: the throughput of the saturated system.

    .. math:: \lambda^* = X = \Bigl( \sum_s \frac{\pi(s)}{i \mu_1 + j \mu_2} \Bigr)^{-1} .

    Parameters
    ----------
    n, n1, n2, mu1, mu2, p1
        As for :func:`embedded_distribution`.

    Returns
    -------
    float
        Jobs per unit of time.

    Source: [GHS20] Theorem 4.2, [GHS20] Theorem 4.3, [GHS20] Eq. (14).

    Examples
    --------
    >>> round(throughput(30, 3, 10, 1, .5, .7), 10)
    3.331310609
    """
    return float(time_shares(*checked(n, n1, n2, mu1, mu2, p1))[-1])
