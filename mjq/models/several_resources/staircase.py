r"""[SR] Two classes have a product form, whatever they need of how many resources.

The packings of two classes are the points (i, j) on and below a *staircase*: beside i jobs of class 1 there fit at most
:math:`J(i)` jobs of class 2, and J never rises. The saturated system rests on the edge. It is in a state
:math:`(i, J(i))` with a class-2 job at the head of the queue, or in :math:`(I(j), j)` with a class-1 job there. Just
after a completion,

.. math::
   \pi(i, j, h) = C\, w(i, j)\, p_h, \qquad
   w(i, j) = p_1^i\, p_2^j \prod_{x=1}^{i} \frac{x \mu_1 + J(x) \mu_2}{x \mu_1}
   \prod_{y=1}^{j} \frac{I(y) \mu_1 + y \mu_2}{y \mu_2} .

With one resource this is Theorem 4.1 of [GHS20], where J falls by at most 1 from one i to the next. Here it may fall by
any number: two resources, or a list of packings that no resource explains. It takes independent jobs, exponential
times, and a machine that each class fits into.

**The algorithm**

1. Compute J once, and read I from it: :math:`I(j) = \max\{i : J(i) \ge j\}`. Two divisions with a tolerance each could
   disagree, and the product would be wrong.
2. Walk along the edge from :math:`(0, J(0))` to :math:`(I(0), 0)`: each step adds a class-1 job, takes class-2 jobs
   away, or does both, and multiplies the weight by the factors of these jobs.
3. Add the logarithms of the steps from the most probable state outwards, with compensated sums; then take the
   exponential.
4. The time in a state is its probability over the rate :math:`i \mu_1 + j \mu_2`, and the capacity is the sum of the
   weights over the sum of these times.

**Cost.** Time and memory are proportional to :math:`I(0) + J(0)`: a million units of a resource take no longer than
their most jobs.

**Accuracy.** Tests put the probabilities into the balance equations of each class, on staircases of one to three
resources and on drawn ones (12 digits), and compare the capacity with :mod:`mjq.solvers.drain` (12 digits).

Source: ours; for one resource [GHS20] Theorem 4.1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq._util.compiling import compiled
from mjq.solvers import sums

MOST_STATES = 100_000_000  # saturated ones


def staircase(B: Any, b: ArrayLike) -> np.ndarray:
    r"""Return the most class-2 jobs that fit beside i jobs of class 1, for :math:`i = 0, 1, \dots` as far as they fit.

    .. math:: J(i) = \min_k \left\lfloor \frac{B_k - i\, b_{1k}}{b_{2k}} \right\rfloor .

    Parameters
    ----------
    B : float, or sequence of float, shape (d,)
        Resources.
    b : sequence of float, shape (2,) or (2, d)
        What a job of each class holds; each must fit.

    Raises
    ------
    ValueError
        If the input violates a constraint, or the staircase would have more than a hundred million steps.

    Source: [SR] Eq. (a).

    Examples
    --------
    Twelve processors and twelve units of memory; jobs take 4 and 1, or 1 and 4.

    >>> staircase((12, 12), [(4, 1), (1, 4)]).tolist()
    [3, 2, 2, 0]
    """
    B, b = (np.atleast_1d(x) for x in checks.multiserver(B, b, (1, 1), (0.5, 0.5), several=True)[:2])
    first, second = b.reshape(2, len(B))
    whole = B * (1 + checks.FIT_TOLERANCE)
    most = [math.floor((whole[need > 0] / need[need > 0]).min()) for need in (first, second)]
    checks.affordable(f"a staircase of {most[0]:g} and {most[1]:g} jobs", sum(most) + 2, MOST_STATES, "steps")
    free = whole[:, None] - np.outer(first, np.arange(most[0] + 1))
    steps = np.floor(free[second > 0] / second[second > 0, None]).min(axis=0)
    return np.maximum(steps, 0).astype(np.int64)


@dataclass(frozen=True, eq=False)
class StaircaseState:
    """Hold the steady state of two classes on a staircase, in the order in which the edge is walked.

    Attributes
    ----------
    states : int array, shape (S, 3)
        Jobs of class 1 and of class 2 in service, and the class of the head of the queue, 1 or 2.
    embedded : float array, shape (S,)
        Probability of each state just after a completion.
    time : float array, shape (S,)
        Share of the time that is spent there.
    throughput : float
        Completions per unit of time.
    """

    states: np.ndarray
    embedded: np.ndarray
    time: np.ndarray
    throughput: float


def product_form(J: ArrayLike, mu1: float, mu2: float, p1: float) -> StaircaseState:
    r"""Return the steady state of two classes whose packings lie on and below a staircase.

    .. math::
       X = \frac{\sum w(i, j)\, p_h}{\sum w(i, j)\, p_h / (i \mu_1 + j \mu_2)} .

    Parameters
    ----------
    J : sequence of int
        The most class-2 jobs beside 0, 1, … jobs of class 1, not rising: that of :func:`staircase`, or any other.
    mu1, mu2 : float
        Completion rate of a job of each class, per unit of time.
    p1 : float
        Probability of class 1, above 0 and below 1.

    Returns
    -------
    StaircaseState

    Raises
    ------
    ValueError
        If J rises, or a class does not fit alone, or another constraint is violated.

    Source: [SR] Eq. (b), [SR] Eq. (c); for one resource [GHS20] Theorem 4.1, [GHS20] Theorem 4.2.

    Examples
    --------
    The machine of 12 and 12 units works off 96/29 jobs per unit of time:

    >>> edge = product_form([3, 2, 2, 0], 1, 1, .5)
    >>> round(29 * edge.throughput, 12)
    96.0
    >>> edge.states.tolist()
    [[0, 3, 2], [0, 3, 1], [1, 2, 2], [2, 2, 2], [2, 2, 1], [2, 1, 1], [3, 0, 2], [3, 0, 1]]
    """
    steps = checks.counts("J", J, least=0)
    if len(steps) < 2 or steps[0] < 1:
        raise ValueError(f"each class must fit alone, but J is {checks.shown(steps)}")
    if (np.diff(steps) > 0).any():
        raise ValueError(f"more class-1 jobs leave no more room for class 2, but J rises: {checks.shown(steps)}")
    mu1, mu2 = float(checks.positive("mu1", mu1, ndim=0)), float(checks.positive("mu2", mu2, ndim=0))
    p1 = checks.inside("p1", p1, 0, 1)
    states, logs = _walk(steps, mu1, mu2, p1)
    weights = np.exp(sums.from_the_largest(logs))
    unit = max(mu1, mu2)
    time = weights / (states[:, 0] * (mu1 / unit) + states[:, 1] * (mu2 / unit))
    total, whole = sums.running(time)[-1], sums.running(weights)[-1]
    return StaircaseState(states, weights / whole, time / total, float(unit * whole / total))


@compiled(steps=lambda J, *_: 5 * (len(J) + J[0]))
def _walk(J, mu1, mu2, p1):
    """Return the states along the edge, and the logarithm of the factor from each to the next."""
    states = np.empty((len(J) + J[0] + 1, 3), np.int64)
    logs = np.empty(len(states) - 1)
    log_1, log_2 = math.log(p1), math.log1p(-p1)
    head, place, step = 1, 0, 0.0
    for i in range(len(J)):
        if i:  # one more job of class 1
            step += log_1 + math.log1p(J[i] * (mu2 / mu1) / i)
        # With a class-2 job at the head.
        if place:
            logs[place - 1] = step + (log_2 - log_1 if head == 1 else 0.0)
        states[place, 0], states[place, 1], states[place, 2] = i, J[i], 2
        place, head, step = place + 1, 2, 0.0
        # With a class-1 job at the head, for each j beside which there fit i and no more: each step takes one away.
        lowest = J[i + 1] + 1 if i + 1 < len(J) else 0
        for j in range(J[i], lowest - 1, -1):
            logs[place - 1] = step + (log_1 - log_2 if head == 2 else 0.0)
            states[place, 0], states[place, 1], states[place, 2] = i, j, 1
            place, head = place + 1, 1
            step = -log_2 - math.log1p(i * (mu1 / mu2) / j) if j else 0.0
    return states[:place], logs[: place - 1]
