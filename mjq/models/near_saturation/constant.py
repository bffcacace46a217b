r"""[NS] The constant of a saturated system, the mean time in the system and the tail of the wait near saturation.

**The algorithm**

1. List the saturated states and compute their stationary distribution :math:`\pi` and the capacity X
   (:mod:`mjq.solvers.drain`). Let c be the rate of completions in each state.
2. Solve the Poisson equation for h, the completions that a start in each state brings beyond X t in the long run
   (:mod:`mjq.models.near_saturation.poisson_equation`): with a matrix up to 1000 states, by passes beyond.
3. On average h is the same just after a completion as just before it, and a completion finds state y with probability
   :math:`\pi_y c_y / X`. With :math:`\pi h = 0`,

   .. math:: \Delta = \sum_y \pi_y\, \frac{c_y - X}{X}\, h_y .

4. The mean time in the system is :math:`(1 + \Delta) / (X - \lambda)` up to a bounded difference, the index of
   dispersion is :math:`1 + 2 \Delta`. The tail of the wait decays at the rate :math:`\tilde u(\lambda) - \lambda`, with
   the limiting completion rate of :mod:`mjq.models.processing_capacity.capacity`.

For any other chain in which each transition is a completion, :func:`relative_completions_of` does the same from its
rule, with a matrix.

**Cost.** That of steps 1 and 2. No queue is solved: the cost does not depend on the arrival rate.

**Accuracy.** A test compares the capacity (14 digits) and :math:`\Delta` (12 digits) with exact fractions, for rates up
to eighteen orders of magnitude apart. Others compare the asymptote with exact queues: the difference stays bounded
towards the capacity.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq.models import processing_capacity as pc
from mjq.models.near_saturation import poisson_equation
from mjq.models.processing_capacity.rule import configurations
from mjq.solvers import chain, drain

ELIMINATION_LIMIT = 1000  # saturated states up to which the Poisson equation is eliminated


class RelativeCompletions(NamedTuple):
    """Hold what a saturated system says about the queue near saturation.

    Attributes
    ----------
    capacity : float
        Jobs per unit of time.
    delta : float
        Mean of the relative completions just after a completion less their mean over time, in jobs.
    dispersion : float
        Variance of the number of saturated departures over a long time, divided by its mean.
    """

    capacity: float
    delta: float
    dispersion: float


def relative_completions(
    B: Any, b: ArrayLike, mu: ArrayLike, p: ArrayLike, order: float | ArrayLike | None = None
) -> RelativeCompletions:
    r"""Return the exact capacity, :math:`\Delta` and dispersion of the saturated system.

    With h from the Poisson equation :math:`(A - \operatorname{diag} c)\, h = X - c`,

    .. math:: \Delta = \frac{\pi A h}{X} - \pi h = \frac{1}{2X} \sum_{y, y'} \pi_y A_{yy'} (h_{y'} - h_y)^2 \ge 0 .

    Parameters
    ----------
    B, b, mu, p, order
        As for :func:`mjq.models.processing_capacity.processing_capacity`.

    Raises
    ------
    ValueError
        If the input violates a constraint (it is named), or more configurations fit than memory holds.
    ArithmeticError
        If a solution did not converge.

    Source: [GHHS23] (the theorem that needs it), [NS] Eq. (a), [NS] Eq. (b), [NS] Eq. (c), [NS] Eq. (f).

    Examples
    --------
    The system of Table I of [BB22]:

    >>> found = relative_completions(6, (2, 3), (2.5, .625), (.5, .5))
    >>> round(found.capacity, 10), round(found.delta, 9), round(found.dispersion, 9)
    (2.0134228188, 0.391603982, 1.783207964)

    If a job is like the one before it in nine cases of ten, the capacity is higher. Delta is higher, too, and with it
    the time in the system near saturation:

    >>> found = relative_completions(6, (2, 3), (2.5, .625), (.5, .5), order=.8)
    >>> round(found.capacity, 10), round(found.delta, 9)
    (2.0810514786, 2.357000851)
    """
    mix = pc.heads(p, order)
    B, b, mu, _ = pc.checked(B, b, mu, p)
    ways = configurations(B, b)
    state = drain.saturated(ways, mu, mix)
    operator = drain.departure_operator(ways, mu, mix)
    probabilities = state.probabilities[ways.blocked]
    if len(probabilities) <= ELIMINATION_LIMIT:
        h = poisson_equation.eliminated(operator @ np.eye(len(probabilities)), probabilities)
    else:
        h = poisson_equation.drained(state, operator, mu, mix)
    return _found(state.throughput, (ways.counts @ mu)[np.nonzero(ways.blocked)[0]], probabilities, h)


def relative_completions_of(start: Hashable, transitions: chain.Rule) -> RelativeCompletions:
    r"""Return the same for any saturated chain in which each transition is a completion, from its rule.

    Parameters
    ----------
    start : hashable
        A state that recurs.
    transitions : callable
        ``transitions(state)`` yields ``(next_state, rate)``; the next state may be the same.

    Examples
    --------
    A server whose jobs are slow (rate 1) or fast (rate 3), the next one drawn by a coin:

    >>> found = relative_completions_of(1, lambda rate: [(1, rate / 2), (3, rate / 2)])
    >>> round(found.capacity, 12), round(found.delta, 12)  # half of scv - 1: Pollaczek and Khinchine
    (1.5, 0.25)
    """
    states = chain.explore([start], transitions)
    place = {state: k for k, state in enumerate(states)}
    A = np.zeros((len(states), len(states)))
    for state in states:
        for successor, rate in transitions(state):
            A[place[state], place[successor]] += rate
    completions = A.sum(axis=1)
    probabilities = chain.stationary(A - np.diag(completions), states)
    h = poisson_equation.eliminated(A, probabilities)
    return _found(float(probabilities @ completions), completions, probabilities, h)


def _found(capacity, completions, probabilities, h):
    """Return Delta from h: completions find it at its mean over time, weighted by their rate."""
    delta = float(probabilities @ (poisson_equation.surplus(completions, probabilities) / capacity * h))
    return RelativeCompletions(capacity, delta, 1 + 2 * delta)


def sojourn_asymptote(
    lam: float, B: Any, b: ArrayLike, mu: ArrayLike, p: ArrayLike, order: float | ArrayLike | None = None
) -> float:
    r"""Return the mean time in the system near saturation; it differs from the exact one by a bounded amount.

    .. math:: E[W] = \frac{1 + \Delta}{X - \lambda} + O(1), \qquad \lambda \to X .

    Parameters
    ----------
    lam : float
        Arrival rate, below the capacity.
    B, b, mu, p, order
        As for :func:`relative_completions`.

    Returns
    -------
    float
        Units of time.

    Raises
    ------
    ValueError
        If `lam` is not below the capacity, or another constraint is violated.

    Source: [GHHS23], [NS] Eq. (d), [NS] Eq. (e), [NS] Eq. (g); with an order [WLR] Eq. (b).

    Examples
    --------
    At nine tenths of the capacity, where 6.861 is exact:

    >>> round(sojourn_asymptote(.9 * 300 / 149, 6, (2, 3), (2.5, .625), (.5, .5)), 7)
    6.9116331
    """
    completions = relative_completions(B, b, mu, p, order)
    return (1 + completions.delta) / (completions.capacity - below(lam, completions.capacity))


def decay_rate(
    lam: float, B: Any, b: ArrayLike, mu: ArrayLike, p: ArrayLike, order: float | ArrayLike | None = None
) -> float:
    r"""Return the decay rate of the waiting time's tail, :math:`P(W_q > t) \sim \mathrm{const}\, e^{-\theta t}`.

    .. math:: \theta = \tilde u(\lambda) - \lambda ,

    with the limiting completion rate of [BB22]. The tail of the time in the system decays at the smaller of it and the
    slowest class's rate.

    Parameters
    ----------
    lam : float
        Arrival rate, below the capacity.
    B, b, mu, p, order
        As for :func:`relative_completions`.

    Returns
    -------
    float
        Per unit of time.

    Raises
    ------
    ValueError
        If `lam` is not below the capacity, or another constraint is violated.

    Source: [NS] Eq. (i).

    Examples
    --------
    >>> round(decay_rate(.9 * 300 / 149, 6, (2, 3), (2.5, .625), (.5, .5)), 8)
    0.14319477
    """
    lam = below(lam, pc.processing_capacity(B, b, mu, p, order))
    return pc.limiting_completion_rate(lam, B, b, mu, p, order) - lam


def below(lam: float, capacity: float) -> float:
    """Return the arrival rate if it is below the capacity; raise ``ValueError`` otherwise."""
    lam = float(checks.positive("lam", lam, ndim=0))
    if not lam < capacity:
        digits = ".4f" if capacity > 0.01 else ".4g"
        raise ValueError(f"lam {checks.shown(lam)} is not below the capacity {capacity:{digits}}")
    return lam
