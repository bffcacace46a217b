"""The dominant eigenvector of an operator on flows, by implicitly restarted Arnoldi iterations."""

import numpy as np
from scipy.sparse import linalg


def dominant(operator, start, tolerance, restarts, basis):
    """The eigenvector of the eigenvalue with the largest real part, its entries made positive.

    Parameters
    ----------
    operator : callable
        Vector to vector, linear, with non-negative entries.
    start : float array, shape (S,)
    tolerance : float
        Relative accuracy of the eigenvalue.
    restarts, basis : int
        Work to spend before giving up, and vectors to keep.

    Returns
    -------
    numpy.ndarray, shape (S,)
        Of Euclidean length 1.

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
        _, vectors = linalg.eigs(matrix, k=1, which="LR", v0=start, ncv=basis, tol=tolerance, maxiter=max(1, restarts))
    except linalg.ArpackError:  # no convergence, or numbers that it cannot take
        raise ArithmeticError(f"{restarts} restarts with {basis} vectors did not converge") from None
    return np.abs(vectors[:, 0].real)
