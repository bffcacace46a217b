r"""[NS] One or all in closed form, and hyperexponential times as two classes each.

*One or all*, where a job holds one server or all n of them (:func:`one_or_all`):

1. A cycle is a row of J small jobs and the large one behind them. The distribution of J is known.
2. Given J, the small jobs keep all servers busy while there are n of them left and then end one by one: the length L of
   the cycle is a sum of independent exponential times, and its mean and variance are sums.
3. The capacity is :math:`E[J + 1] / E[L]`, and :math:`1 + 2\Delta` the variance of :math:`J + 1 - X L` over
   :math:`E[J + 1]`. From J = n on, each further small job adds the same, so that the rest of the sums is geometric.

It takes time and memory proportional to n (ten million at most). Tests hold it to the Poisson equation, to 12 digits
where large jobs are rare.

*Endless rows* (:func:`endless_rows`) is the limit in which like jobs come in ever longer rows: one class at a time.
*Hyperexponential times* (:func:`split_hyperexponential`) are a mixture of two exponential ones, so each class becomes
two with the same need, and every solver for exponential times applies.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq.solvers import phase_type

MOST_SERVERS = 10_000_000  # of one-or-all, which keeps some arrays of that length


def one_or_all(n: int, mu1: float, p1: float, mean: float, variance: float, order: float = 0.0) -> tuple[float, float]:
    r"""Return capacity and :math:`\Delta` in closed form, if each job holds one of n servers or all of them.

    A cycle is a random number J of small jobs and the large one behind them; it lasts L and completes
    :math:`N = J + 1` jobs. If a job repeats the class of the one before it with probability r and is otherwise drawn
    anew, :math:`P(J \ge j) = (1 - r)\, p_1 (p_1 + r p_2)^{j-1}` for :math:`j \ge 1`. Given :math:`J = j`, with
    :math:`k = \min(j, n)`,

    .. math::
       E[L] = \sum_{i=1}^{k} \frac{1}{i \mu_1} + \frac{(j - n)^+}{n \mu_1} + m, \qquad
       \mathrm{Var}[L] = \sum_{i=1}^{k} \frac{1}{(i \mu_1)^2} + \frac{(j - n)^+}{(n \mu_1)^2} + v,

    and then :math:`X = E[N]/E[L]`, :math:`1 + 2\Delta = \mathrm{Var}[N - X L]/E[N]`.

    Parameters
    ----------
    n : int
        Servers.
    mu1 : float
        Completion rate of a small job, exponential.
    p1 : float
        Probability of a small job.
    mean, variance : float
        Of the time of a large job, whatever its distribution.
    order : float
        Probability r that a job is like the one before it; by default jobs are independent.

    Source: [NS] Eq. (j), [WLR] Eq. (d), [WLR] Eq. (e), [WLR] Eq. (f).

    Examples
    --------
    >>> capacity, delta = one_or_all(10, 1, .9, 1, 1)
    >>> round(capacity, 10), round(delta, 9)
    (2.9132790892, 2.248668026)
    >>> capacity, delta = one_or_all(10, 1, .9, 1, 1, order=.5)  # rows of like jobs
    >>> round(capacity, 10), round(delta, 9)
    (3.6847997383, 4.316379771)
    >>> one_or_all(1, 1, 0, 1, 0)  # M/D/1
    (1.0, -0.5)
    """
    n, mu1 = checks.count("n", n), float(checks.positive("mu1", mu1, ndim=0))
    checks.affordable(f"n = {n}", n, MOST_SERVERS, "servers")
    mean, variance = float(checks.positive("mean", mean, ndim=0)), float(checks.not_negative("variance", variance, 0))
    p1, order = checks.share("p1", p1), checks.repeated(order)
    p2 = 1 - p1
    if p2 == 0:
        return n * mu1, 0.0
    servers = np.arange(1, n + 1)
    again, ends = p1 + order * p2, (1 - order) * p2  # a small job is followed by another one, or by a large one
    reached = (1 - order) * p1 * again ** (servers - 1.0)  # P(J >= i)
    beyond = reached[-1] * again / ends  # E[(J - n)+]
    jobs = 1 / p2
    length = (reached @ (1 / servers) + beyond / n) / mu1 + mean
    capacity = jobs / length
    within = (reached @ (1 / servers**2.0) + beyond / n**2) / mu1**2 + variance
    # Between cycles with different j: (j + 1 - X E[L | j])^2, for j < n and, after j = n, with a step a further job.
    given = np.concatenate([[0], np.cumsum(1 / servers)]) / mu1 + mean
    surplus = np.arange(1, n + 2) - capacity * given
    # 1 - X / (n mu1), without the cancellation where large jobs are rare.
    step = (reached @ (n / servers - 1) + n * mu1 * mean - 1) / (n * mu1 * length)
    chance = np.concatenate([[p2 + order * p1], reached[:-1] * ends])
    tail = surplus[-1] ** 2 + 2 * surplus[-1] * step * again / ends + step**2 * again * (1 + again) / ends**2
    between = chance @ surplus[:-1] ** 2 + reached[-1] * tail
    dispersion = (capacity**2 * within + between) / jobs
    return float(capacity), float((dispersion - 1) / 2)


def endless_rows(B: float, b: ArrayLike, mu: ArrayLike, p: ArrayLike) -> tuple[float, float]:
    r"""Return the capacity if like jobs come in endless rows, and the spread :math:`c^2`: how uneven completions are.

    A long row of class i is worked off at the rate :math:`X_i = \lfloor B / b_i \rfloor \mu_i`. If a job repeats the
    class of the one before it with probability r, then for :math:`r \to 1`

    .. math::
       \frac1X \to \sum_i \frac{p_i}{X_i}, \qquad
       (1 - r)(1 + 2\Delta) \to 2 c^2, \qquad c^2 = \sum_i p_i \Bigl(1 - \frac{X}{X_i}\Bigr)^2 .

    Parameters
    ----------
    B : float
        Resource.
    b : sequence of float, shape (L,)
        What a job of each class holds; a class that comes must fit into B.
    mu, p : sequence of float, shape (L,)
        Completion rate and probability of each class.

    Source: [WLR] Eq. (c), [WLR] Eq. (h).

    Examples
    --------
    >>> [round(x, 6) for x in endless_rows(6, (2, 3), (2.5, .625), (.5, .5))]
    [2.142857, 0.510204]
    """
    B, b, mu, p = checks.multiserver(B, b, mu, p)
    rates = np.floor(B / b * (1 + checks.FIT_TOLERANCE)) * mu
    support = p > 0
    capacity = 1 / float(np.sum(p[support] / rates[support]))
    return capacity, float(np.sum(p[support] * (1 - capacity / rates[support]) ** 2))


def split_hyperexponential(
    b: ArrayLike, mean: ArrayLike, scv: ArrayLike, p: ArrayLike
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Split each class with hyperexponential times into two with exponential times and the same need.

    The result is ``b, mu, p`` of the exponential classes, each of shape (2 L,).

    A job may draw its phase when it arrives as well as when it starts, so that nothing else changes. Means are
    balanced: both phases have half of the work.

    Parameters
    ----------
    b : sequence of float, shape (L,)
        What a job of each class holds.
    mean, scv : sequence of float, shape (L,)
        Mean and squared coefficient of variation (at least 1) of the service time of each class.
    p : sequence of float, shape (L,)
        Mix of classes.

    Source: [NS].

    Examples
    --------
    >>> b, mu, p = split_hyperexponential((2, 3), (1, 1), (5, 5), (.5, .5))
    >>> b.tolist(), [round(float(x), 4) for x in mu], [round(float(x), 4) for x in p]
    ([2.0, 2.0, 3.0, 3.0], [1.8165, 0.1835, 1.8165, 0.1835], [0.4541, 0.0459, 0.4541, 0.0459])
    >>> from mjq.models.near_saturation import relative_completions
    >>> round(relative_completions(6, b, mu, p).delta, 10)
    2.0918907585
    """
    b, mean, scv = checks.positive("b", b), checks.positive("mean", mean), checks.positive("scv", scv)
    p = checks.probabilities("p", p, within=checks.MIX_ROUNDED)
    if not len(b) == len(mean) == len(scv) == len(p):
        sizes = f"{len(b)}, {len(mean)}, {len(scv)} and {len(p)}"
        raise ValueError(f"b, mean, scv and p must have one entry for each class, got {sizes}")
    phases = [phase_type.hyperexponential(*moments) for moments in zip(mean, scv, strict=True)]
    mu = np.concatenate([-np.diag(phase.T) for phase in phases])
    return np.repeat(b, 2), mu, np.concatenate([share * phase.alpha for share, phase in zip(p, phases, strict=True)])
