"""The first moments of a saturated cluster, job by job, for drawings: who holds which servers, and when.

For each server it keeps from when on it is idle. A job of size n fits when the n-th smallest of these times has come.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from mjq._util import checks


def timeline(N: int, sizes: ArrayLike, mapping: ArrayLike, running: ArrayLike) -> pl.DataFrame:
    """Return when jobs that are always there fit, start and complete, and which of N servers they hold.

    The tracker takes them in the given order, one at a time: a job that fits reserves its servers, is mapped, and runs.

    Parameters
    ----------
    N : int
        Servers.
    sizes : sequence of int
        Servers that each job needs.
    mapping, running : sequence of float
        How long the tracker maps it, and how long it runs.

    Returns
    -------
    polars.DataFrame
        A row for each job: size; comes (to the tracker), fits (its servers are idle, and reserved from now on), starts,
        completes; servers, a list of their numbers.

    Raises
    ------
    ValueError
        If the input violates a constraint, or a job needs more servers than there are.

    Source: the words of [SW23] Section 1, with a queue that is never empty.

    Examples
    --------
    Two servers. The second job needs both, and waits for the first; the third waits behind it.

    >>> timeline(2, [1, 2, 1], mapping=[1, 1, 1], running=[5, 2, 3])["starts"].to_list()
    [1.0, 7.0, 10.0]
    """
    N, sizes = checks.count("N", N), checks.counts("sizes", sizes)
    mapping, running = checks.positive("mapping", mapping), checks.positive("running", running)
    if max(sizes) > N:
        raise ValueError(f"size {max(sizes)} exceeds the {N} servers")
    idle_from, starts, rows = np.zeros(N), 0.0, []
    for size, mapped, ran in zip(sizes, mapping, running, strict=True):
        comes = starts
        fits = max(comes, np.sort(idle_from)[size - 1])
        servers = np.flatnonzero(idle_from <= fits)[:size]
        starts = fits + mapped
        idle_from[servers] = starts + ran
        rows.append((int(size), comes, float(fits), float(starts), float(starts + ran), servers.tolist()))
    return pl.DataFrame(rows, schema=["size", "comes", "fits", "starts", "completes", "servers"], orient="row")
