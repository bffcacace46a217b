r"""The Poisson equation of a chain whose every transition is a completion.

With `A` the rates of the transitions, `c` their row sums and :math:`\pi` the stationary distribution, completions come
at the rate :math:`X = \pi c`, and

.. math:: (A - \operatorname{diag} c)\, h = X - c, \qquad \pi h = 0,

says how many completions more than usual a start in each state brings in the long run.

**With a matrix** (:func:`eliminated`)

1. Take the most probable state as the end. Up to a constant, h is what is gained until the chain comes there, if each
   state brings :math:`c - X` per unit of time: state elimination (:func:`mjq.solvers.chain.until_absorption`).
2. Subtract the mean, so that :math:`\pi h = 0`.

**Without a matrix** (:func:`drained`), for the saturated system of :mod:`mjq.solvers.drain`, which may have millions of
states: a configuration k of jobs in service, and a head of class i that does not fit. The unknowns are one number a
configuration, :math:`g_k`, the value of entering it before the next head of the queue is drawn.

1. *Pass up*, from the smallest configuration to the largest. From state (k, i) a job of class j departs at the rate
   :math:`m_j \mu_j`. If the head does not fit then either, the value after this is :math:`h_{k-j,i}`, of a smaller
   configuration; else it enters, and the value is :math:`g_{k-j+i}`. So

   .. math:: h_{k,i} = \frac{1}{c_k} \Bigl( c_k - X + \sum_j m_j \mu_j \bigl(h_{k-j,i}\ \text{or}\ g_{k-j+i}\bigr)
      \Bigr) .

2. *Pass down*, from the largest to the smallest: :math:`g_k` is the mean, over the class i of the next head, of
   :math:`h_{k,i}` where it does not fit and of :math:`g_{k+i}` where it does.
3. Both passes together are :math:`g = a + K g`. Solve :math:`(I - K) g = a` by GMRES. (If the classes of successive
   jobs are a Markov chain, g has one number for each class that entered last.)
4. Pass up once more for h, and subtract the mean.

Either way the result is checked: the residual of the equation must be below 1e-9, and two ways to one number,
:math:`\pi (c h) / X` and half of the mean square of what a completion changes h by, must agree to 1e-7.

**Cost.** With S states the matrix takes memory :math:`S^2` and time :math:`S^3` at most. With M configurations of L
classes, two passes take time of the order of :math:`M L^2`; GMRES keeps 40 vectors of at most M numbers (20 of more
than a million), and gives up after 25 restarts.

**Accuracy.** With a matrix, :math:`\Delta` agrees with exact fractions to 12 digits, however far rates lie apart; with
passes it agrees with the matrix to 9 digits on a system of more than 1000 states.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import linalg as sparse_linalg

from mjq._util.budget import require_time
from mjq._util.compiling import compiled
from mjq.solvers import arnoldi, chain, drain
from mjq.solvers.drain import expected_at_entry

RESIDUAL_TOLERANCE = 1e-12  # of the iterations, relative to the right side
LEAST_RESIDUAL = 1e-14  # asked for where the right side is nearly zero
RESIDUAL_LIMIT = 1e-9  # stationary mean of the absolute residual, relative to completions and to the solution itself
IDENTITY_LIMIT = 1e-7  # of two ways to one number, relative
BASIS, RESTARTS = 40, 25  # vectors to keep, and how often to begin anew
FEW_VECTORS, LONG_VECTOR = 20, 1_000_000  # to keep where vectors are longer: to compare them takes most of the time


def surplus(completions: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """Return by how much the rate of completions in each state exceeds its stationary mean.

    Where one state has nearly all the probability, the mean is nearly its rate: the difference is computed without it.

    >>> surplus(np.array([3.0, 2.0]), np.array([1 - 1e-20, 1e-20])).tolist()
    [1e-20, -1.0]
    """
    above = completions - completions[probabilities.argmax()]
    return above - probabilities @ above


def eliminated(A: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """Return the solution for a chain with a matrix, shape (S,).

    Parameters
    ----------
    A : float array, shape (S, S)
        Rates of the transitions, those that lead back to the same state on the diagonal.
    probabilities : float array, shape (S,)
        Stationary distribution; one recurrent class.

    Raises
    ------
    ArithmeticError
        If rates lie too far apart for double precision.

    Examples
    --------
    Two states take turns, with completions at rate 1 and 3: from the fast one half a completion more is to be expected.

    >>> h = eliminated(np.array([[0.0, 1.0], [3.0, 0.0]]), np.array([0.75, 0.25]))
    >>> round(float(h[1] - h[0]), 12)
    0.5
    """
    completions = A.sum(axis=1)
    # Up to a constant: the completions above the mean until the chain comes to its most probable state.
    h = chain.until_absorption(A, [int(probabilities.argmax())], surplus(completions, probabilities))
    return _centred(h, A, completions, probabilities)


def drained(
    state: drain.SaturatedState, operator: sparse_linalg.LinearOperator, rates: np.ndarray, mix: np.ndarray
) -> np.ndarray:
    """Return the solution for a saturated system of :mod:`mjq.solvers.drain`, without a matrix.

    The states are those of ``numpy.nonzero(configurations.blocked)``, in this order.

    Parameters
    ----------
    state : mjq.solvers.drain.SaturatedState
    operator : LinearOperator
        Its :func:`mjq.solvers.drain.departure_operator`.
    rates, mix : float array
        As there.

    Raises
    ------
    ArithmeticError
        If the iterations did not converge.

    Examples
    --------
    >>> ways, rates, mix = drain.configurations(6, [2, 3]), np.ones(2), np.full(2, 0.5)
    >>> operator = drain.departure_operator(ways, rates, mix)
    >>> state = drain.saturated(ways, rates, mix)
    >>> h = drained(state, operator, rates, mix)
    >>> bool(np.allclose(h, eliminated(operator @ np.eye(7), state.probabilities[ways.blocked])))
    True
    """
    ways = state.configurations
    heads = drain.Heads.of(mix)
    tables = ways.counts, ways.after_admission, ways.after_departure, rates, heads
    departures = ways.counts @ rates

    # What entered last is in service: there is nothing to know of the other classes.
    places = np.nonzero(ways.counts > 0 if heads.classes > 1 else np.ones((len(departures), 1), dtype=bool))
    everywhere = np.zeros((len(departures), heads.classes))

    def turn(entered, surplus):
        require_time()
        everywhere[places] = entered
        worth, values = _pass(*tables, departures, surplus, everywhere)
        return worth[places], values

    nothing = np.zeros(len(departures))
    once, _ = turn(np.zeros(len(places[0])), departures - state.throughput)
    matrix = sparse_linalg.LinearOperator(
        (len(once),) * 2, matvec=lambda entered: entered - turn(np.ravel(entered), nothing)[0], dtype=float
    )
    basis = BASIS if len(once) <= LONG_VECTOR else FEW_VECTORS
    # What is left of the right side when rounding is all that remains: no tolerance may ask for less.
    with arnoldi.one_thread():
        entered, failed = sparse_linalg.gmres(
            matrix, once, rtol=RESIDUAL_TOLERANCE, atol=LEAST_RESIDUAL, restart=basis, maxiter=RESTARTS
        )
    if failed:
        raise ArithmeticError(f"the Poisson equation was not solved in {basis * RESTARTS} passes")
    _, values = turn(entered, departures - state.throughput)
    completions = departures[np.nonzero(ways.blocked)[0]]
    return _centred(values[ways.blocked], operator, completions, state.probabilities[ways.blocked])


def _centred(h, A, completions, probabilities):
    """Return the solution with mean 0, after checks by the equation and by an identity that an error would break."""
    h = h - probabilities @ h
    throughput, after = probabilities @ completions, A @ h
    residual = probabilities @ np.abs(after - completions * h - (throughput - completions)) / throughput
    residual /= 1 + probabilities @ np.abs(h)  # what long memory makes large is rounded more coarsely
    # pi(c h), and half of the mean square of what h changes by in a completion.
    mean = probabilities @ (completions * h) / throughput
    square = probabilities @ (A @ h**2 - 2 * h * after + completions * h**2) / throughput / 2
    if not (residual <= RESIDUAL_LIMIT and abs(square - mean) <= IDENTITY_LIMIT * (1 + abs(mean))):
        raise ArithmeticError(
            f"the Poisson equation was not solved: its residual is {residual:.2g}, and two independent computations "
            f"give {mean:.6g} and {square:.6g}"
        )
    return h


@compiled(steps=lambda counts, *_: 2 * counts.size * counts.shape[1])
def _pass(counts, up, down, rates, heads, departures, surplus, entered):
    """Pass up, for each state's value from what entering is worth, then down, for that worth from these values."""
    m, classes = counts.shape
    alike, mix = heads.classes == 1, heads.draws[0]
    step = 0 if alike else 1  # whether the class that enters matters
    values = np.zeros((m, classes))
    for k in range(m):
        for i in range(classes):
            if up[k, i] < 0:
                total = surplus[k]
                for j in range(classes):
                    if counts[k, j] > 0:
                        less = down[k, j]
                        after = values[less, i] if up[less, i] < 0 else entered[up[less, i], i * step]
                        total += counts[k, j] * rates[j] * after
                values[k, i] = total / departures[k]
    again, next_head = np.zeros((m, heads.classes)), np.empty(classes)
    for k in range(m - 1, -1, -1):
        if alike:
            for i in range(classes):
                again[k, 0] += mix[i] * (values[k, i] if up[k, i] < 0 else again[up[k, i], 0])
        else:
            for i in range(classes):
                next_head[i] = values[k, i] if up[k, i] < 0 else again[up[k, i], i]
            expected_at_entry(heads, next_head, again[k])
    return again, values
