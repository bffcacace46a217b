"""Schedules drawn: who holds which servers when."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq.plots.figures import COLOURS, WIDTH

if TYPE_CHECKING:  # pictures of what is computed elsewhere
    from mjq.simulation.schedule import Schedule

MOST_JOBS = 2000  # in one chart
TIME_ROUNDING = 1e-6  # as a part of the whole schedule


def rows_of(
    start: Sequence[float] | np.ndarray,
    finish: Sequence[float] | np.ndarray,
    need: Sequence[int] | np.ndarray,
    servers: int,
) -> list[np.ndarray]:
    """Return the servers of each job, the lowest that are free, from 0; a job that holds them for no time gets none.

    Examples
    --------
    >>> [rows.tolist() for rows in rows_of([0, 0, 2], [2, 5, 3], [1, 1, 2], 3)]
    [[0], [1], [0, 2]]
    """
    busy_until, rows = np.full(servers, -np.inf), [np.empty(0, int)] * len(start)
    for job in np.lexsort((np.arange(len(start)), np.asarray(start))):
        if finish[job] > start[job]:
            rows[job] = np.flatnonzero(busy_until <= start[job])[: int(need[job])]
            busy_until[rows[job]] = finish[job]
    return rows


def pieces_of(rows: Sequence[int] | np.ndarray) -> list[tuple[int, int]]:
    """Return which servers lie together: the lowest and how many, of each such piece.

    >>> pieces_of([0, 2, 3])
    [(0, 1), (2, 2)]
    """
    pieces = [[row for _, row in piece] for _, piece in groupby(enumerate(rows), key=lambda pair: pair[1] - pair[0])]
    return [(piece[0], len(piece)) for piece in pieces]


def gantt(
    schedule: Schedule,
    ax: Axes | None = None,
    numbers: bool | None = None,
    colours: ArrayLike | None = None,
    until: float | None = None,
) -> Axes:
    """Draw a schedule: time to the right, servers upwards, a block for each job, blank where a server is idle.

    Parameters
    ----------
    schedule : mjq.simulation.schedule.Schedule
        Of whole servers; nobody may have been interrupted.
    ax : matplotlib.axes.Axes, optional
    numbers : bool, optional
        Whether to write the number of each job, from 1 in the order of the log; by default for few jobs.
    colours : sequence of int, shape (n,), optional
        Number of the colour of each job, from 0; by default they take turns.
    until : float, optional
        End of the drawing, by default of the schedule.

    Raises
    ------
    ValueError
        If a job was interrupted, there are too many, or `colours` has not one entry for each job.
    """
    jobs, begin, end = len(schedule.start), schedule.submit.min(), schedule.finish.max()
    last = end if until is None else float(checks.positive("until", until, ndim=0))
    turns = np.arange(jobs) % (len(COLOURS) - 1)
    chosen = turns if colours is None else checks.counts("colours", colours, least=0)
    numbers = jobs <= 40 if numbers is None else numbers
    if jobs > MOST_JOBS:
        raise ValueError(f"a chart shows at most {MOST_JOBS} jobs, got {jobs}")
    if np.ndim(schedule.servers):
        raise ValueError(f"a chart shows one resource, and this schedule has {len(schedule.servers)}")
    if len(chosen) != jobs:
        raise ValueError(f"one colour a job is needed, got {len(chosen)} for {jobs}")
    if not np.allclose(schedule.finish - schedule.start, schedule.run, rtol=0, atol=TIME_ROUNDING * end):
        raise ValueError("a chart cannot show jobs that are interrupted")
    ax = plt.subplots(figsize=(WIDTH, 2.6))[1] if ax is None else ax
    held = rows_of(schedule.start, schedule.finish, schedule.need, int(schedule.servers))
    for job, (start, finish) in enumerate(zip(schedule.start, np.minimum(schedule.finish, last), strict=True)):
        for lowest, count in pieces_of(held[job]) if finish > start else ():
            corner, colour = (start, lowest), COLOURS[chosen[job]]
            block = Rectangle(corner, finish - start, count, facecolor=colour, alpha=0.55, edgecolor="black", lw=0.8)
            ax.add_patch(block)
            if numbers:
                ax.text((start + finish) / 2, lowest + count / 2, str(job + 1), ha="center", va="center")
    ax.set(xlim=(begin, last), ylim=(0, schedule.servers), xlabel="time", ylabel="servers")
    ax.grid(False)
    return ax
