"""Accelerates fixed-point iterations y = Hy: compares the last sweep with combinations of all so far.

The span of a start and its sweeps is a Krylov space. Two classical methods pick a vector in it: GMRES the one with the
least residual, Arnoldi iterations the one that H, seen from within the space, only stretches.

1. Sweep the newest vector of the basis, and subtract its parts along the basis, twice against rounding. The parts are a
   column of the small matrix that says what H does within the space; what remains is the next vector of the basis.
2. Plain sweeps: take the last image itself.
3. GMRES: of all combinations with the same sum, take the one with the least Euclidean residual, by a QR factorization
   of the small matrix less the identity.
4. Arnoldi: take the eigenvector of the small matrix with the largest eigenvalue.

All vectors are kept, so that k sweeps of length S take memory k S and time :math:`k^2 S` beside the sweeps. It is made
to compare methods in a figure; :mod:`mjq.solvers.arnoldi` solves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

LEAST_NEW_LENGTH = 1e-14  # of an image, beside its basis: less is rounding
TINY_PIVOT = 1e-200  # in place of none


def residuals(operator: Callable[[np.ndarray], np.ndarray], start: np.ndarray, sweeps: int) -> list[dict[str, Any]]:
    r"""Return the relative residual :math:`\|y - Hy\|_1 / \|y\|_1` after each sweep, for three uses of the sweeps.

    Nothing is restarted: after k sweeps each method may combine the start and the first k - 1 images of it.

    Parameters
    ----------
    operator : callable
        Vector to vector, linear; keeps the sum of the entries.
    start : float array, shape (S,)
    sweeps : int
        At most S.

    Returns
    -------
    list of dict
        sweeps; plain, the last image itself; GMRES, the combination of the same sum whose residual is least (in the
        Euclidean norm); Arnoldi, the Ritz vector of the largest Ritz value.

    Examples
    --------
    Three states: after three sweeps the space is everything, and both methods are exact.

    >>> P = np.array([[0.5, 0.5, 0.0], [0.2, 0.5, 0.3], [0.0, 0.4, 0.6]])
    >>> last = residuals(lambda flow: flow @ P, np.ones(3), 3)[-1]
    >>> last["plain"] > 1e-3 > 1e-12 > max(last["GMRES"], last["Arnoldi"])
    True
    """
    flow = np.asarray(start, dtype=float)
    basis = np.empty((sweeps + 1, len(flow)))
    basis[0] = flow / np.linalg.norm(flow)
    images = np.zeros((sweeps + 1, sweeps))  # H of a vector of the basis, in the basis
    rows = []
    for k in range(sweeps):
        image = operator(basis[k])
        for _ in range(2):  # twice is enough against rounding
            part = basis[: k + 1] @ image
            images[: k + 1, k] += part
            image = image - part @ basis[: k + 1]
        images[k + 1, k] = np.linalg.norm(image)
        basis[k + 1] = image / images[k + 1, k] if images[k + 1, k] > LEAST_NEW_LENGTH else 0.0
        shrunk = images[: k + 2, : k + 1]
        picked = {"GMRES": _least_residual(shrunk, basis[: k + 1].sum(axis=1)), "Arnoldi": _ritz_vector(shrunk)}
        row = {"sweeps": k + 1, "plain": _relative(operator(flow) - flow, flow)}
        for method, weights in picked.items():
            gap = (shrunk - np.eye(k + 2, k + 1)) @ weights
            row[method] = _relative(gap @ basis[: k + 2], weights @ basis[: k + 1])
        rows.append(row)
        flow = operator(flow)
    return rows


def _relative(gap, vector):
    return float(np.abs(gap).sum() / np.abs(vector).sum())


def _least_residual(images, sums):
    """Return the weights, up to a factor, whose residual is least among those with one ``sums @ weights``."""
    triangle: Any = np.linalg.qr(images - np.eye(*images.shape), mode="r")  # an array, which numpy's stubs omit
    # At the solution the triangle is singular: a tiny pivot and a change of scale in between keep that harmless.
    triangle[np.diag_indices_from(triangle)] += TINY_PIVOT
    half = np.linalg.solve(triangle.T, sums)
    return np.linalg.solve(triangle, half / np.abs(half).max())


def _ritz_vector(images):
    values, vectors = np.linalg.eig(images[:-1])
    return vectors[:, values.real.argmax()].real
