"""Sums that are rounded alike whether code is compiled or not: numpy's own sum adds in another order."""

from __future__ import annotations

import numpy as np

from mjq._util.compiling import numba

__all__ = ["total"]


@numba.njit(cache=True, nogil=True)
def total(values: np.ndarray) -> float:
    """Add numbers one after the other; numpy adds them in another order, which rounds otherwise.

    >>> float(total(np.array([1.0, 1e16, -1e16])))
    0.0
    """
    added = 0.0
    for value in values:
        added += value
    return added
