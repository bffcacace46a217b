"""When the stations are busy while they work off one pool, if the work of each task is given.

With the same work, pools that are admitted in different mixes can be laid beside each other: only the order differs.
The next task to go on is the one whose work left, times the tasks at its station, is least; until then, all tasks get
their part. Each such step looks at all tasks in place.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks


@dataclass(frozen=True)
class Timeline:
    """Hold the intervals between the events of a depletion."""

    times: np.ndarray
    """From 0 to the end; float array, shape (n + 1,)."""
    busy: np.ndarray
    """Whether each station is busy in each interval; bool array, shape (n, M)."""

    @property
    def T(self) -> float:
        """Return when all tasks are done."""
        return float(self.times[-1])

    @property
    def station_times(self) -> np.ndarray:
        """Return for how long each station is busy."""
        return np.diff(self.times) @ self.busy

    @property
    def overlap(self) -> float:
        """Return for how long all stations are busy at the same time."""
        return float(np.diff(self.times) @ self.busy.all(axis=1))

    def periods(self, busy: ArrayLike) -> list[tuple[float, float]]:
        """Return beginnings and lengths of the longest intervals in which `busy`, one truth for each interval, holds.

        >>> Timeline(np.array([0.0, 1.0, 3.0, 4.0]), np.ones((3, 1), bool)).periods([False, True, True])
        [(1.0, 3.0)]
        """
        turns = np.diff(np.concatenate([[0], np.asarray(busy, int), [0]]))
        starts, ends = self.times[np.flatnonzero(turns == 1)], self.times[np.flatnonzero(turns == -1)]
        return list(zip(starts.tolist(), (ends - starts).tolist(), strict=True))


def pool_timeline(work: ArrayLike, classes: ArrayLike, K: ArrayLike) -> Timeline:
    """Simulate the work on one pool, and return its intervals.

    Tasks pass all stations in turn; a station shares itself equally. A task that is done is replaced by the next one of
    its class, else by one of the class with the most tasks left, else by none.

    Parameters
    ----------
    work : array of float, shape (N, M)
        Of each task at each station [time units].
    classes : sequence of int, shape (N,)
        Class of each task, from 0; tasks of a class enter in the order given.
    K : sequence of int
        Places of each class at the start.

    Raises
    ------
    ValueError
        If a work is not positive, or there are fewer tasks than places of a class, or no place.

    Source: [CGPS16] Section 3.

    Examples
    --------
    Two tasks that take 1 and 2 at the first station, a half and 1 at the second:

    >>> line = pool_timeline([[1.0, 0.5], [2.0, 1.0]], [0, 1], [1, 1])
    >>> line.times.tolist(), line.overlap
    ([0.0, 2.0, 2.5, 3.0, 4.0], 0.5)
    """
    work, classes, K = checks.numbers("work", work, ndim=2), np.asarray(classes), checks.counts("K", K, 0)
    checks.positive("work", work.ravel())
    waiting = [list(np.flatnonzero(classes == c)) for c in range(len(K))]
    if any(len(tasks) < places for tasks, places in zip(waiting, K, strict=True)) or K.sum() == 0:
        raise ValueError(f"K must have a place, and a task for each place, got {checks.shown(K)}")
    inside = {task: [0, work[task, 0]] for tasks, places in zip(waiting, K, strict=True) for task in tasks[:places]}
    waiting = [tasks[places:] for tasks, places in zip(waiting, K, strict=True)]
    times, busy = [0.0], []
    while inside:
        crowd = np.bincount([station for station, _ in inside.values()], minlength=work.shape[1])
        task = min(inside, key=lambda task: inside[task][1] * crowd[inside[task][0]])
        passed = max(inside[task][1] * crowd[inside[task][0]], 0.0)  # rounding may leave less than nothing
        times.append(times[-1] + passed)
        busy.append(crowd > 0)
        for present in inside.values():
            present[1] -= passed / crowd[present[0]]
        station = inside.pop(task)[0] + 1
        if station < work.shape[1]:
            inside[task] = [station, work[task, station]]
        elif following := waiting[classes[task]] or max(waiting, key=len):
            entering = following.pop(0)
            inside[entering] = [0, work[entering, 0]]
    return Timeline(np.array(times), np.array(busy))
