"""The dominant eigenvector of an operator on flows, by implicitly restarted Arnoldi iterations, and its error.

The operators here move the state of a system just after one event to that just after the next. They are known only as a
sweep, a function from vector to vector, and keep the sum of what flows: their dominant eigenvalue is 1, and its
eigenvector is the steady state. To sweep again and again finds it, too, but slowly where the next eigenvalue is near 1.

**The algorithm**

1. Keep a basis of a few dozen orthogonal vectors: the start, and what the sweep makes of each vector, less its parts
   along those before it.
2. Seen in this basis the operator is a small matrix. Take its eigenvector with the largest real part.
3. If that is not yet accurate, restart with a better start made of the basis. ARPACK does steps 1 to 3.
4. Estimate the error. What a sweep changes about an answer, its residual, is easily measured. But an error along a slow
   direction, whose eigenvalue is nearly 1, hardly changes in a sweep. So divide the residual by the gap between 1 and
   the second eigenvalue. Where a rough bound on the gap already shows an error below 1e-9, the gap is not computed;
   otherwise the same iterations find the two dominant eigenvalues, to a few digits.
5. If the error may be above 1e-13 in a small system, or above 1e-9 in a larger one, take the answer of elimination
   instead; where that would take too long, there is no answer.

Short vectors need no restart and no small eigenvalue problem: :func:`kept` stops at the first basis in which the change
by one sweep can be made as small as rounding.

**Cost.** A vector of the basis takes one sweep and, for vectors of length `S` and a basis of `m`, time :math:`S m` to
compare it with the others; memory is :math:`S m` numbers.

Beyond some thousand entries a linear algebra library would share these small products among threads, which mostly wait
for each other, and for other programs where those compute, too. The iterations use one thread, so that the last digits
do not depend on their number either.

**Accuracy.** The iterations are accurate relative to the largest entries; callers sweep plainly afterwards where small
ones matter. In a test whose residual of 1e-12 hides an error above 1e-9, the error is less than 30 times the estimate.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import numpy as np
from scipy.sparse import linalg
from threadpoolctl import ThreadpoolController

from mjq._util.compiling import compiled

Answer = TypeVar("Answer")

TRUSTED_ERROR = 1e-9  # relative, up to which an answer is given; the estimate may be a few times too small
SURE_ERROR = 1e-13  # the same where elimination, which is exact to rounding, takes little time
LEAST_RESIDUAL = 1e-16  # relative, that can be told from none
KEPT = 2e-15  # relative change in one application, at which :func:`kept` stops
GAP_TOLERANCE, GAP_RESTARTS = 1e-3, 50  # of the second eigenvalue, which need not be known well


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def one_thread() -> Any:
    """Return a context in which linear algebra uses one thread."""
    return _controller().limit(limits=1, user_api="blas")


def dominant(
    operator: Callable[[np.ndarray], np.ndarray], start: np.ndarray, tolerance: float, restarts: int, basis: int
) -> np.ndarray:
    """Return the eigenvector of the eigenvalue with the largest real part, of length 1, with its entries made positive.

    Parameters
    ----------
    operator : callable
        Vector to vector, linear, with non-negative entries off its diagonal.
    start : float array, shape (S,)
    tolerance : float
        Relative accuracy of the eigenvalue.
    restarts, basis : int
        Work to spend before giving up, and vectors to keep.

    Raises
    ------
    ArithmeticError
        If the iterations did not converge.

    Examples
    --------
    >>> P = np.array([[0.5, 0.5, 0.0], [0.2, 0.5, 0.3], [0.0, 0.4, 0.6]])
    >>> x = dominant(lambda flow: flow @ P, np.ones(3), 1e-12, 10, 3)
    >>> bool(np.allclose(x @ P, x))
    True
    """
    matrix = linalg.LinearOperator((len(start),) * 2, matvec=operator, dtype=float)
    try:
        with one_thread():
            _, vectors = linalg.eigs(
                matrix, k=1, which="LR", v0=start, ncv=basis, tol=tolerance, maxiter=max(1, restarts)
            )
    except linalg.ArpackError:  # no convergence, or numbers that it cannot take
        raise ArithmeticError(f"{restarts} restarts with {basis} vectors did not converge") from None
    return np.abs(vectors[:, 0].real)


def kept(operator: Callable[[np.ndarray], np.ndarray], start: np.ndarray, steps: int) -> np.ndarray | None:
    """Return the vector that an operator with the eigenvalue 1 keeps, or None where so many steps do not find it.

    Each step goes along what the operator still changes, so far that the change becomes as small as it can along all
    directions so far together (simpler GMRES).

    >>> P = np.array([[0.5, 0.5, 0.0], [0.2, 0.5, 0.3], [0.0, 0.4, 0.6]])
    >>> kept(lambda flow: flow @ P, np.ones(3), 10).round(6).tolist()
    [0.55814, 1.395349, 1.046512]
    """
    change = operator(start) - start
    directions, less = np.empty((2, steps, len(start)))
    table, lengths = np.zeros((steps, steps)), np.empty(steps)
    for k in range(steps):
        size = math.sqrt(change @ change)
        if size <= KEPT * math.sqrt(start @ start):
            return np.abs(start + np.linalg.solve(table[:k, :k], lengths[:k]) @ directions[:k])
        directions[k] = change / size
        less[k] = directions[k] - operator(directions[k])
        lengths[k] = _step(less, table, k, change)
    return None


@compiled(steps=lambda less, table, k, change: 2 * k * len(change), error_model="numpy")
def _step(less, table, k, change):
    """Make what direction k takes from the change orthogonal to what those before it take; take it, say how much."""
    new = less[k]
    for i in range(k):
        table[i, k] = along = np.dot(less[i], new)
        for x in range(len(new)):
            new[x] -= along * less[i, x]
    table[k, k] = size = math.sqrt(np.dot(new, new))
    new /= size
    along = np.dot(new, change)
    for x in range(len(new)):
        change[x] -= along * new[x]
    return along


def estimated_error(
    operator: Callable[[np.ndarray], np.ndarray], size: int, residual: float, slowest: float, basis: int
) -> float:
    """Estimate the relative error of a dominant eigenvector by its relative residual; infinite if no gap is found.

    Parameters
    ----------
    operator : callable
    size : int
    residual : float
        Relative change in one application of the operator.
    slowest : float
        A rough lower bound on the gap, such as the slowest rate of the system over its rate of events. Where it says
        that the answer can be trusted, the gap itself is not computed.
    basis : int
        Vectors to keep.
    """
    residual = max(residual, LEAST_RESIDUAL)
    by_bound = residual / min(1.0, slowest)
    return by_bound if by_bound <= TRUSTED_ERROR else np.divide(residual, gap(operator, size, basis))


def trusted(
    size: int,
    most: tuple[int, int, int],
    iterated: Callable[[], tuple[Answer, float, float]],
    eliminated: Callable[[], Answer],
    rates: Callable[[], str],
) -> Answer:
    """Return the answer of iterations where the estimate of its error is small enough, else that of elimination.

    Parameters
    ----------
    size : int
        Unknowns.
    most : (int, int, int)
        Unknowns up to which to eliminate: at once, where the error may be above 1e-13, and where it may be above 1e-9.
    iterated, eliminated : callable
        The first returns an answer, its residual, and the estimate of its error.
    rates : callable
        Says from where to where they go, for the message.

    Raises
    ------
    ArithmeticError
        If iterations cannot be trusted, and the system is too large to eliminate.

    Examples
    --------
    >>> trusted(500, (350, 1000, 6000), lambda: ("iterated", 1e-15, 1e-12), lambda: "eliminated", str)
    'eliminated'
    """
    dense, few, patient = most
    if size > dense:
        answer, residual, error = iterated()
        if error <= (SURE_ERROR if size <= few else TRUSTED_ERROR):
            return answer
        if size > patient:
            raise ArithmeticError(
                f"rates {rates()} lie too far apart for {size} unknowns: with a residual of {residual:.2g} the error "
                f"may be {error:.2g}"
            )
    return eliminated()


def gap(operator: Callable[[np.ndarray], np.ndarray], size: int, basis: int) -> float:
    """Return the distance of the second eigenvalue of an operator from its dominant one, 1; zero if it was not found.

    >>> P = np.array([[0.9, 0.1, 0.0], [0.0, 0.9, 0.1], [0.1, 0.0, 0.9]])
    >>> round(gap(lambda flow: flow @ P, 3, 3), 6)
    0.173205
    """
    if size <= basis:
        return float(np.sort(np.abs(1 - np.linalg.eigvals([operator(unit) for unit in np.eye(size)])))[1])
    matrix = linalg.LinearOperator((size, size), matvec=operator, dtype=float)
    start = np.random.default_rng(0).random(size)
    try:
        with one_thread():
            values = linalg.eigs(
                matrix, k=2, which="LR", v0=start, ncv=basis, tol=GAP_TOLERANCE, maxiter=GAP_RESTARTS,
                return_eigenvectors=False,
            )  # fmt: skip
    except linalg.ArpackError:
        return 0.0
    return float(np.abs(1 - values).max())
