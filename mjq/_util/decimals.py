"""Times that are written with a few decimals: counted in units of the last one, sums of them are exact."""

from __future__ import annotations

import numpy as np

MOST = 6  # decimals
EXACT = 2.0**53  # up to which every whole number is one of floating point


def in_last_decimals(*columns: np.ndarray, last: float = 0.0) -> tuple[float, tuple[np.ndarray, ...]]:
    """Return how many units of the last decimal are one, and the columns counted in them; as for :func:`decimals`.

    >>> in_last_decimals(np.array([0.1, 0.25]), np.array([3.0]))
    (100.0, (array([10., 25.]), array([300.])))
    """
    unit = 10.0 ** decimals(*columns, last=last)
    return unit, tuple(np.rint(column * unit) for column in columns) if unit > 1 else columns


def decimals(*columns: np.ndarray, last: float = 0.0) -> int:
    """Return how many decimals numbers have, none of more than six; 0 where they are other numbers.

    Parameters
    ----------
    *columns : float array
    last : float
        The largest sum that is to be exact; 0 is returned where it is not.

    Examples
    --------
    >>> decimals(np.array([1.0, 2.0])), decimals(np.array([0.3, 0.25])), decimals(np.array([1 / 3])), 0.1 + 0.2 == 0.3
    (0, 2, 0, False)
    """
    places = 0
    for column in columns:
        while (np.round(column, places) != column).any():
            places += 1
            if places > MOST:
                return 0
    return places if last * 10**places < EXACT else 0
