r"""[SR] What lies above and below the capacity: one resource at a time, the dominant share, the best packing.

**Views.** If resource k alone counted, the capacity would be :math:`X_k`: the classes that need nothing of it never
wait and are left out, and the rate of the others is divided by their share. The capacity with all resources lies in a
*sandwich* of views,

.. math:: \max_k \frac{1}{X_k} \le \frac1X \le \sum_k \frac1{X_k} ,

whatever the times and the order of the jobs. If the next job lacks resource k in a share :math:`c_k` of the time, alone
or with others, then :math:`c_k X_k \le X \le X_k`.

**Dominant share.** Let a class need :math:`\max_k b_{ik} / B_k` of one resource of size 1. What fits by this rule fits
in each component, and more never delays anybody: its capacity is at most X.

**Packing bound.** Whatever a scheduler does, the jobs in service form packings. If it completes classes in the mix p at
the total rate X, then the mean number of class i in service is :math:`X p_i / \mu_i`, so X is at most the largest x for
which some distribution q over the packings has :math:`x\, p_i / \mu_i \le \sum_m q_m m_i` for each i.

**The algorithm** for the packing bound

1. Solve the linear program with a few packings (scipy's HiGHS). Its dual has a price for each class.
2. Of all packings look for the one that is worth most at these prices. If it is worth no more than those that the
   program has, the bound is found; otherwise the program gets it, too.

Source: ours; the set of rates in reach is that of [MSY12].
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq.models.processing_capacity.rule import checked, configurations
from mjq.solvers import chain

SOLVER = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
GAP = 1e-11  # relative, between the program and its bound
MOST_ROUNDS = 10_000  # each adds a packing


def view(
    k: int, B: Any, b: ArrayLike, mu: ArrayLike, p: ArrayLike, order: float | ArrayLike | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, Any, float]:
    r"""Return the system that resource k alone would be: needs, rates, mix and order of its classes, and their share.

    The capacity of this system, over the share, is :math:`X_k`. Independent classes with the same need and rate are put
    together.

    With the probability r that a job is like the one before it, the same r remains. A matrix P from class to class is
    watched on the classes A that are left: with R for the others,

    .. math:: P_{AA} + P_{AR} (I - P_{RR})^{-1} P_{RA} .

    Parameters
    ----------
    k : int
        Resource, from 0.
    B, b, mu, p, order
        As for :func:`mjq.models.processing_capacity.processing_capacity`.

    Source: [SR] Eq. (e).

    Examples
    --------
    >>> needs, rates, mix, _, share = view(0, (4, 4), [(2, 1), (2, 3), (0, 4)], (1, 1, 1), (.25, .25, .5))
    >>> needs.tolist(), mix.tolist(), share
    ([2.0], [1.0], 0.5)
    """
    B, b, mu, p = checks.multiserver(B, b, mu, p, several=True)
    k = checks.count("k", k, least=0, most=len(b[0]) - 1)
    stay = (b[:, k] > 0) & (p > 0)
    share = float(p[stay].sum())
    needs, rates, mix = b[stay, k], mu[stay], p[stay]
    if order is None:
        pairs, place = np.unique(np.column_stack([needs, rates]), axis=0, return_inverse=True)
        needs, rates = pairs.T
        mix = np.bincount(place.ravel(), mix)
    elif np.ndim(order):
        rows, rest = np.asarray(order, dtype=float), ~stay & (p > 0)
        watched = rows[np.ix_(stay, stay)]
        if rest.any():
            back = np.linalg.solve(np.eye(rest.sum()) - rows[np.ix_(rest, rest)], rows[np.ix_(rest, stay)])
            watched = watched + rows[np.ix_(stay, rest)] @ back
        order, mix = watched, chain.stationary_of_recurrent_part(watched / watched.sum(axis=1, keepdims=True))
    return needs, rates, mix / mix.sum() if len(mix) else mix, order, share


def dominant_needs(B: Any, b: Any) -> np.ndarray:
    r"""Return the dominant share of each class, :math:`\max_k b_{ik} / B_k`, which is its need of a resource of size 1.

    Source: [SR] Eq. (f).

    >>> dominant_needs((12, 12), [(4, 1), (1, 4)]).round(3).tolist()
    [0.333, 0.333]
    """
    if np.ndim(B):
        B, b = checks.resources(("B", "b"), B, b)
        return (b / B).max(axis=1)
    return checks.positive("b", b) / float(checks.positive("B", B, ndim=0))


def packing_bound(B: Any, b: ArrayLike, mu: ArrayLike, p: ArrayLike) -> float:
    r"""Return the rate that no scheduler exceeds, in jobs per unit of time, as long as started jobs run to their end.

    .. math:: \max\Bigl\{ x : x\,\frac{p_i}{\mu_i} \le \sum_{m \in F} q_m m_i,\ q \ge 0,\ \sum_m q_m = 1 \Bigr\} .

    Arguments are those of :func:`mjq.models.processing_capacity.processing_capacity`.

    Raises
    ------
    ArithmeticError
        If the linear program is not solved.

    Source: [SR] Eq. (g); [MSY12].

    Examples
    --------
    >>> round(packing_bound((12, 12), [(4, 1), (1, 4)], (1, 1), (.5, .5)), 10)
    4.0
    """
    B, b, mu, p = checked(B, b, mu, p)
    packings, work = configurations(B, b).counts, p / mu
    unit = work.max()
    chosen = [int((packings @ weight).argmax()) for weight in np.eye(len(p))]
    for _ in range(MOST_ROUNDS):
        columns = packings[chosen]
        # x and q: maximize x. Rows: x p_i / mu_i - sum q m_i <= 0, and sum q = 1.
        answer = scipy.optimize.linprog(
            np.append(-1.0, np.zeros(len(chosen))),
            A_ub=np.column_stack([work / unit, -columns.T]),
            b_ub=np.zeros(len(p)),
            A_eq=np.append(0.0, np.ones(len(chosen)))[None],
            b_eq=[1.0],
            options=SOLVER,
        )
        if answer.status:
            raise ArithmeticError(f"the linear program of the packing bound was not solved: {answer.message}")
        prices = np.maximum(-answer.ineqlin.marginals, 0.0)
        worth = packings @ prices
        best = int(worth.argmax())
        # Prices of any kind bound x from above: x sum(prices * work) <= the worth of the best packing.
        if worth[best] / (prices @ work / unit) <= answer.x[0] * (1 + GAP) or best in chosen:
            return float(answer.x[0] / unit)
        chosen.append(best)
    raise ArithmeticError(f"the packing bound was not found with {MOST_ROUNDS} packings")
