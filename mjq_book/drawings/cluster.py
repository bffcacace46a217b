"""The first moments of a saturated cluster, job by job, and drawn: who holds which servers, and when.

For each server it keeps from when on it is idle. A job of size n fits when the n-th smallest of these times has come.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq.plots.figures import COLOURS
from mjq.plots.schedules import pieces_of

RESERVED, RUNNING = COLOURS[1], COLOURS[5]
LEAST_RUN, LEAST_WAIT = 0.04, 0.09  # of the drawing's length, so that there is room for words
DIGIT = 0.03  # of the drawing's length, with some room beside it


def timeline(N: int, sizes: ArrayLike, mapping: ArrayLike, running: ArrayLike) -> pl.DataFrame:
    """Return when jobs that are always there fit, start and complete, and which of N servers they hold.

    A row for each job has size; comes (to the tracker), fits (its servers are idle, and reserved from now on), starts,
    completes; servers, a list of their numbers.

    The tracker takes them in the given order, one at a time: a job that fits reserves its servers, is mapped, and runs.

    Parameters
    ----------
    N : int
        Servers.
    sizes : sequence of int
        Servers that each job needs.
    mapping, running : sequence of float
        How long the tracker maps it, and how long it runs.

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


def draw_timeline(jobs: pl.DataFrame, ax: Axes, until: float) -> Axes:
    """Draw the first moments of a saturated cluster: who holds which servers, and which job is next while servers idle.

    Time goes to the right, servers upwards. A job's servers are orange while they are reserved, then blue while it
    runs; its size stands in its block where there is room, turned where the block is narrow.

    Parameters
    ----------
    jobs : polars.DataFrame
        What :func:`timeline` returns.
    ax : matplotlib.axes.Axes
    until : float
        End of the drawing.

    Examples
    --------
    >>> from matplotlib import pyplot as plt
    >>> ax = draw_timeline(timeline(2, [1, 2], mapping=[1, 1], running=[5, 2]), plt.figure().gca(), until=9)
    >>> [word.get_text() for word in ax.texts]
    ['1', '2', 'next: 2']
    >>> plt.close(ax.figure)
    """
    servers = 1 + max(max(held) for held in jobs["servers"])
    for job in jobs.filter(jobs["fits"] < until).iter_rows(named=True):
        pieces, last = pieces_of(job["servers"]), min(job["completes"], until)
        for lowest, count in pieces:
            for colour, begin, finish in ((RESERVED, "fits", "starts"), (RUNNING, "starts", "completes")):
                corner, length = (job[begin], lowest), job[finish] - job[begin]
                ax.add_patch(Rectangle(corner, length, count, facecolor=colour, edgecolor="black", lw=0.6))
        if last - job["starts"] > LEAST_RUN * until:
            lowest, count = max(pieces, key=lambda piece: piece[1])
            middle, size = ((job["starts"] + last) / 2, lowest + count / 2), str(job["size"])
            upright = last - job["starts"] > DIGIT * len(size) * until
            ax.text(*middle, size, ha="center", va="center", fontsize=11, rotation=0 if upright else 90)
        if job["fits"] - job["comes"] > LEAST_WAIT * until:
            middle = (job["comes"] + job["fits"]) / 2, 1.025 * servers
            ax.text(*middle, f"next: {job['size']}", ha="center", fontsize=11)
    ax.set(xlim=(0, until), ylim=(0, servers), xlabel="time", ylabel="servers")
    ax.grid(False)
    return ax
