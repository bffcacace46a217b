"""[SR] What the head of the queue lacks: one resource alone, or several at once."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress

import numpy as np

from mjq._util import checks


def short_of(
    B: np.ndarray, b: np.ndarray, counts: np.ndarray, heads: np.ndarray, time: np.ndarray, names: Iterable[str]
) -> dict[tuple[str, ...], float]:
    """Return by names of resources the share of the time in which the head of the queue lacks just these, if not 0.

    Parameters
    ----------
    B, b : float array, shape (d,) and (L, d)
        Resources, and what a job of each class holds.
    counts : int array, shape (S, L)
        Jobs of each class in service, in each state.
    heads : int array, shape (S,)
        Class of the head of the queue, from 0.
    time : float array, shape (S,)
        Share of the time.
    names : sequence of str, length d
        Names of the resources.

    Source: [SR] Eq. (h).

    Examples
    --------
    Four units of each; one job of (2, 2) is in service, and one of (3, 1) or of (1, 3) waits.

    >>> needs = np.array([(2., 2.), (3., 1.), (1., 3.)])
    >>> short_of(np.full(2, 4.), needs, np.array([(1, 0, 0)] * 2), np.array([1, 2]), np.array([.25, .75]), ("a", "b"))
    {('a',): 0.25, ('b',): 0.75}
    """
    free = B - counts @ b
    lacks = np.column_stack([~checks.fits(b[heads, k], free[:, k], B[k]) for k in range(len(B))])
    kinds, place = np.unique(lacks[:, ::-1], axis=0, return_inverse=True)
    shares = np.bincount(place.ravel(), time)
    names = tuple(names)
    ordered = sorted(zip(kinds[:, ::-1].tolist(), shares, strict=True), key=lambda pair: (sum(pair[0]), pair[0][::-1]))
    return {tuple(compress(names, kind)): float(share) for kind, share in ordered if share > 0}
