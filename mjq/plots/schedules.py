"""Schedules drawn: who holds which servers when."""

import numpy as np
from matplotlib import pyplot as plt

from mjq.plots.palette import COLOURS, WIDTH
from mjq.plots.timeline import timeline

MOST_JOBS = 2000  # in one chart


def rows_of(start, finish, need, servers):
    """Servers for each job, from the lowest that are free; a job that holds them for no time gets none.

    Parameters
    ----------
    start, finish : sequence of float, shape (n,)
    need : sequence of int, shape (n,)
    servers : int

    Returns
    -------
    list of int array
        The servers of each job, numbered from 0.

    Examples
    --------
    >>> [rows.tolist() for rows in rows_of([0, 0, 2], [2, 5, 3], [1, 1, 2], 3)]
    [[0], [1], [0, 2]]
    """
    busy_until, found = np.full(servers, -np.inf), [np.empty(0, int)] * len(start)
    for job in np.lexsort((np.arange(len(start)), start)):
        if finish[job] > start[job]:
            found[job] = np.flatnonzero(busy_until <= start[job])[: int(need[job])]
            busy_until[found[job]] = finish[job]
    return found


def gantt(schedule, ax=None, numbers=None):
    """Draw a schedule: time to the right, servers upwards, a colour a job.

    Parameters
    ----------
    schedule : mjq.simulation.schedule.Schedule
        Of whole servers; nobody may have been interrupted.
    ax : matplotlib.axes.Axes, optional
    numbers : bool, optional
        Whether to write the number of each job, from 1 in the order of the log; by default for few jobs.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If a job was interrupted, or there are too many.
    """
    jobs = len(schedule.start)
    if jobs > MOST_JOBS:
        raise ValueError(f"a chart shows at most {MOST_JOBS} jobs, got {jobs}")
    if not np.allclose(schedule.finish - schedule.start, schedule.run, rtol=0, atol=1e-6 * schedule.finish.max()):
        raise ValueError("a chart shows no jobs that are interrupted")
    ax = plt.subplots(figsize=(WIDTH, 2.6))[1] if ax is None else ax
    numbers = jobs <= 40 if numbers is None else numbers
    rows = rows_of(schedule.start, schedule.finish, schedule.need, int(schedule.servers))
    runs = list(zip(schedule.start, schedule.finish, rows, strict=True))
    timeline(ax, schedule.servers, runs, [job % (len(COLOURS) - 1) for job in range(jobs)], schedule.finish.max())
    for job, (start, finish, held) in enumerate(runs if numbers else ()):
        for piece in np.split(held, np.flatnonzero(np.diff(held) > 1) + 1):
            if len(piece):
                ax.text((start + finish) / 2, piece.mean() + 0.5, str(job + 1), ha="center", va="center")
    ax.set_xlim(left=schedule.submit.min())
    return ax
