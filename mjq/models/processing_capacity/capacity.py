r"""[BB22] The processing capacity, and the limiting completion rate at any arrival rate.

The *processing capacity* is the rate of completions while the queue never runs dry. Arrival rates below it are stable.
It is the mean rate in the steady state of the saturated states, which :mod:`mjq.solvers.drain` computes, at its cost.

The *limiting completion rate* :math:`\tilde u` at arrival rate :math:`\lambda` is the rate of completions given n jobs
in the system, as n grows. In a stable system the probability of n jobs finally falls by the factor
:math:`\lambda / \tilde u` from one n to the next. With A the rates of departures between saturated states and C their
row sums, the limiting probabilities obey

.. math:: \tilde p\,(\eta A - C) = (\lambda - \tilde u)\,\tilde p, \qquad \eta = \lambda / \tilde u .

These equations always have the trivial solution :math:`\tilde u = \lambda`, in which all arrivals are served. The one
that is wanted is the other.

**The algorithm** for the limiting completion rate

1. Compute :math:`\pi`, the stationary distribution of the saturated states.
2. For a trial rate u, find the positive right eigenvector v of :math:`M = (\lambda / u) A - C`, for its eigenvalue with
   the largest real part. With up to 300 states M is stored, and Noda's iteration finds v from all ones: the largest of
   the quotients :math:`(M v)_s / v_s` bounds the eigenvalue from above; take it as the shift :math:`\sigma`, solve
   :math:`(\sigma - M)\, x = v`, take x as the next v, until all quotients are the same. More states take Arnoldi
   iterations (:mod:`mjq.solvers.arnoldi`), without a matrix.
3. Compute :math:`\pi A v / (\pi v) - u`. The trivial solution has cancelled from it.
4. Look for its zero between the smallest and the largest total rate of a state, by Brent's method. Rates may lie many
   orders of magnitude apart: search on a logarithmic scale first, then close by to 14 digits.
5. Put the result into the equations. If their residual is above 1e-9, there is no answer but an error.

The paper iterates on the equations instead; :func:`fixed_point_iteration` shows it.

**Cost.** A count gives about fifteen trial rates, each with three to seven solutions. With S saturated states a
solution takes time :math:`S^3`, memory is :math:`S^2`. With Arnoldi iterations a product with A takes what a pass of
:mod:`mjq.solvers.drain` takes.

**Accuracy.** Tests compare the capacity with the generic chain and with rational functions, to 12 digits; the limiting
rate with the paper's iteration, to 8 digits, and with the decay of the exact numbers in the system, to 10 digits.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq.models.processing_capacity.rule import (
    checked,
    configurations,
    heads,
    require_few_phases,
    saturated_transitions,
    states_of,
)
from mjq.solvers import arnoldi, chain, drain

DENSE_STATES = 300  # saturated states up to which eigenvectors are found with dense matrices
NODA_STEPS, NODA_TOLERANCE = 60, 1e-13  # the latter relative, of growth rates
SMALLEST_ENTRY = 1e-280  # of an eigenvector whose largest one is 1: quotients of two are numbers
ARNOLDI_TOLERANCE, ARNOLDI_BASIS, RESTARTS_A_STATE = 1e-13, 40, 10  # the first relative, of the eigenvalue
LOG_RATE_TOLERANCE = 1e-10  # of the logarithm of a completion rate
ROUGH_RATE_ERROR = 1e-8  # relative; what that may amount to, and more
RATE_TOLERANCE = 1e-14  # relative, of a completion rate
LIMITING_RESIDUAL = 1e-9  # of the limiting equations, relative to their terms


def processing_capacity(
    B: Any, b: ArrayLike, mu: ArrayLike, p: ArrayLike, order: float | ArrayLike | None = None
) -> float:
    r"""Return the largest rate at which jobs can be processed: arrival rates below it are stable, others are not.

    .. math::
       \tilde u = \sum_{S(\infty)} (m_1\mu_1 + \dots + m_L\mu_L)\, \tilde p(m_1, \dots, m_L, i),
       \qquad \sum_{S(\infty)} \tilde p(m_1, \dots, m_L, i) = 1,

    with :math:`\tilde p` the stationary distribution of the system whose queue never runs dry.

    Parameters
    ----------
    B : float, or sequence of float, shape (d,)
        Resource, or several of them.
    b : sequence of float, shape (L,) or (L, d)
        What a job of each class holds; a class that comes must fit into B. Of several resources some may be 0.
    mu : sequence of float, shape (L,)
        Completion rate of a job of each class, per unit of time.
    p : sequence of float, shape (L,)
        Mix of classes; a class with probability 0 is dropped.
    order : float or array, shape (L, L), optional
        How the class of a job depends on that of the job before it: the probability to repeat it, or a matrix, see
        :func:`heads`. By default successive classes are independent, as in the paper.

    Returns
    -------
    float
        Jobs per unit of time.

    Raises
    ------
    ValueError
        If the input violates a constraint (it is named), or more configurations fit than memory holds.
    ArithmeticError
        If the solution did not converge.

    Source: [BB22] Eq. (4), [BB22] Eq. (5); with an order [WLR] Eq. (a).

    Examples
    --------
    >>> round(processing_capacity(6, (2, 3), (1, 1), (.5, .5)), 7)  # 48/23
    2.0869565
    >>> round(processing_capacity(6, (2, 3), (1, 1), (.5, .5), order=.9), 7)  # like jobs come in rows
    2.3362832
    """
    return saturated_state(B, b, mu, p, order).throughput


def saturated_state(
    B: Any, b: ArrayLike, mu: ArrayLike, p: ArrayLike, order: float | ArrayLike | None = None
) -> drain.SaturatedState:
    """Return the steady state of the system whose queue never runs dry, without the classes that never come.

    Arguments are those of :func:`processing_capacity`.

    Source: [BB22] Section III.

    Examples
    --------
    >>> state = saturated_state(6, (2, 3), (1, 1), (.5, .5))
    >>> round(float(state.probabilities.sum()), 12), len(state.configurations.counts)
    (1.0, 7)
    """
    B, b, mu, mix = checked(B, b, mu, p)
    return drain.saturated(configurations(B, b), mu, mix if order is None else heads(p, order))


def limiting_completion_rate(
    lam: float, B: Any, b: ArrayLike, mu: ArrayLike, p: ArrayLike, order: float | ArrayLike | None = None
) -> float:
    r"""Return the limit of the completion rate given n jobs in the system, as n grows, at arrival rate `lam`.

    The limiting probabilities obey :math:`\tilde p\,(\eta A - C) = (\lambda - \tilde u)\,\tilde p` with
    :math:`\eta = \lambda/\tilde u`, A the rates of departure between saturated states and C their row sums. One
    solution is :math:`\tilde u = \lambda`, where all arrivals are served; this function returns the other, which the
    paper plots. At the capacity the two coincide. With :math:`\pi` the stationary distribution of the saturated system
    and :math:`v` the positive right eigenvector of :math:`\eta A - C`, the other solution obeys

    .. math:: \tilde u = \frac{\pi A v}{\pi v},

    from which the trivial one has cancelled.

    Parameters
    ----------
    lam : float
        Arrival rate, any positive number (above the capacity the queue grows for ever, and u~ < lam).
    B, b, mu, p, order
        As for :func:`processing_capacity`.

    Returns
    -------
    float
        Jobs per unit of time.

    Source: [BB22] Section II (before the limit is taken), [BB22] Fig. 2. Its slope at the capacity is [NS] Eq. (h).

    Examples
    --------
    >>> round(limiting_completion_rate(2, 6, (2, 3), (1, 1), (.5, .5)), 7)
    2.0849861
    """
    mix = heads(p, order)
    B, b, mu, _ = checked(B, b, mu, p)
    lam = float(checks.positive("lam", lam, ndim=0))
    ways = configurations(B, b)
    A = drain.departure_operator(ways, mu, mix)
    C = (ways.counts @ mu)[np.nonzero(ways.blocked)[0]]
    pi = drain.saturated(ways, mu, mix).probabilities[ways.blocked]
    if len(C) <= DENSE_STATES:
        A = A @ np.eye(len(C))

    def excess(u):
        v = _perron_vector(A, C, lam / u)
        return float(pi @ (A @ v) / (pi @ v)) - u

    try:
        u = _root(excess, float(C.min()), float(C.max()))
        v = _perron_vector(A, C, lam / u)
    except ValueError as error:  # rates so far apart that the excess has no root, or is no number
        raise ArithmeticError(
            f"the limiting equations at lam {lam!r} can't be solved in double precision: {error}"
        ) from None
    fed = lam / u * (A @ v)
    off = float(pi @ np.abs(fed - (C + lam - u) * v) / (pi @ (fed + (C + lam) * v)))
    if not off < LIMITING_RESIDUAL:
        raise ArithmeticError(f"the limiting equations at lam {lam!r} were not solved: residual {off:.2g}")
    return u


def _root(excess, low, high):
    """Return the rate between two total rates at which the excess is zero, or either where they are the same."""
    if high - low <= RATE_TOLERANCE * high:
        return low
    # The rates may lie many orders of magnitude apart: search first on a logarithmic scale, then close by.
    by_logarithm = scipy.optimize.brentq(
        lambda x: excess(math.exp(x)), math.log(low), math.log(high), xtol=LOG_RATE_TOLERANCE
    )
    rough = math.exp(by_logarithm)
    close = max(low, rough * (1 - ROUGH_RATE_ERROR)), min(high, rough * (1 + ROUGH_RATE_ERROR))
    if not excess(close[0]) > 0 > excess(close[1]):
        return rough
    return scipy.optimize.brentq(excess, *close, xtol=RATE_TOLERANCE / 100 * low, rtol=RATE_TOLERANCE)


def _perron_vector(A, C, eta):
    """Return the positive right eigenvector of eta A - C, for its eigenvalue with the largest real part."""
    if len(C) <= DENSE_STATES:
        rates = eta * A
        vector = _noda_iteration(rates, C)
        if vector is None:
            values, vectors = scipy.linalg.eig(rates - np.diag(C))
            vector = np.abs(vectors[:, values.real.argmax()].real)
        return vector
    try:
        return arnoldi.dominant(
            lambda x: eta * (A @ x) - C * x,
            np.ones(len(C)),
            ARNOLDI_TOLERANCE,
            RESTARTS_A_STATE * len(C),
            ARNOLDI_BASIS,
        )
    except ArithmeticError:
        raise ArithmeticError(f"no eigenvector of the limiting equations found at eta = {eta:.6g}") from None


def _noda_iteration(rates, C):
    """Return the same by inverse iteration with a shift from above, or None where that does not converge.

    Each entry is as accurate as the largest: with the vector found so far as the unit of each state, the solution is
    nearly constant, however small the entries become. An eigenvalue solver gets the small ones wrong, and in systems of
    a hundred servers they count.

    References: T. Noda, Note on the computation of the maximal eigenvalue of a non-negative irreducible matrix,
    Numerische Mathematik 17 (1971) 382-386.
    """
    vector, here = np.ones(len(C)), np.arange(len(C))
    for _ in range(NODA_STEPS):
        scaled = rates * vector / vector[:, None]
        growth = scaled.sum(axis=1) - C
        known = vector > SMALLEST_ENTRY
        shift = growth[known].max()
        excess = np.maximum(np.where(known, shift, growth.max()) - growth, 0)
        if excess[known].max() <= NODA_TOLERANCE * (C.max() + abs(growth[known]).max()):
            return vector
        matrix = -scaled
        matrix[here, here] = 0
        matrix[here, here] = excess - matrix.sum(axis=1)
        try:
            step = np.abs(np.linalg.solve(matrix, np.ones(len(C))))
        except np.linalg.LinAlgError:
            return None
        vector = vector * (step / step.max())
        vector = np.maximum(vector / vector.max(), SMALLEST_ENTRY)
    return None


def fixed_point_iteration(
    lam: float | None,
    B: Any,
    b: ArrayLike,
    mu: ArrayLike,
    p: ArrayLike,
    tolerance: float = 1e-12,
    most_steps: int = 100_000,
) -> list[float]:
    r"""Compute the limiting completion rate by the paper's own iteration, step by step.

    From equal probabilities, each step puts the current :math:`\tilde p` and :math:`\tilde u` into the right side of
    the limiting balance equations,

    .. math::
       \tilde p(s) \leftarrow \frac{\tilde p(s)\, \tilde u + \frac{\lambda}{\tilde u} \sum_{s'} \tilde p(s')\, A_{s's}}
       {C_s + \lambda}, \qquad
       \tilde u \leftarrow \sum_s C_s\, \tilde p(s),

    and normalizes. It is slow, and kept to be shown and to check :func:`limiting_completion_rate`. With `lam` None,
    :math:`\lambda = \tilde u` is put into each step, and the iteration finds the capacity.

    Returns
    -------
    list of float
        The successive values of u~, until they change by less than `tolerance`, relatively.

    Raises
    ------
    ArithmeticError
        If `most_steps` were not enough.

    Source: [BB22] Section II.
    """
    B, b, mu, p = checked(B, b, mu, p)
    if lam is not None:
        lam = float(checks.positive("lam", lam, ndim=0))
    tolerance = float(checks.not_negative("tolerance", tolerance, ndim=0))
    ways = configurations(B, b)
    require_few_phases(ways)
    states = states_of(ways)
    C = np.array([sum(count * rate for count, rate in zip(state[:-1], mu, strict=True)) for state in states])
    # The generator omits departures that change nothing, and its diagonal makes up for them: A = Q + C.
    A = chain.generator(states, lambda s: saturated_transitions(s, B, b, mu, p)).toarray() + np.diag(C)
    prob = np.full(len(states), 1 / len(states))
    rates = [float(C @ prob)]
    for _ in range(most_steps):
        arrivals = rates[-1] if lam is None else lam
        prob = (prob * rates[-1] + arrivals / rates[-1] * (prob @ A)) / (C + arrivals)
        prob /= prob.sum()
        rates.append(float(C @ prob))
        if abs(rates[-1] - rates[-2]) <= tolerance * rates[-1]:
            return rates
    raise ArithmeticError(f"no convergence at lam = {lam} in {most_steps} steps")
