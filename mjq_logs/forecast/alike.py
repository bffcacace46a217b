"""The jobs of a log that are like a given one: they need about as much, and have about the same limit.

Only jobs that had ended, or had started, by a given time are looked at: nothing else is known at that time.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

__all__ = ["Alike"]

LATEST = 200  # jobs of a kind that are looked at, the latest ones
SHORTEST = 1e-9  # seconds of a limit, and servers of a need, that have a logarithm
NO_JOBS = np.empty(0, dtype=np.int64)


class Alike:
    """Hold the jobs of each kind in the order in which they passed a point of their lives.

    There are four levels of kinds: jobs with needs of one range and with the same limit; with needs and limits of one
    range each; with limits of one range; all jobs. A range goes from one power of two to the next.

    Parameters
    ----------
    need, limit : float array, shape (J,)
    passed : float array, shape (J,)
        When each job passed the point, such as its end; infinity if it has not.

    Examples
    --------
    >>> jobs = Alike(np.array([1., 1., 4.]), np.array([60., 60., 60.]), np.array([5., 9., 7.]))
    >>> [kind.tolist() for kind in jobs.by(8.0, 1.0, 60.0)]
    [[0], [0], [0, 2], [0, 2]]
    """

    def __init__(self, need: np.ndarray, limit: np.ndarray, passed: np.ndarray) -> None:
        order = np.argsort(passed, kind="stable")
        order = order[np.isfinite(passed[order])]
        self._passed = passed
        self._kinds: dict[tuple, np.ndarray] = {}
        for level, keys in enumerate(_keys(need[order], limit[order])):
            kinds, member = np.unique(keys, return_inverse=True)
            parts = np.split(order[np.argsort(member, kind="stable")], np.cumsum(np.bincount(member))[:-1])
            self._kinds |= {(level, kind): part for kind, part in zip(kinds.tolist(), parts, strict=True)}

    def by(self, time: float, need: float, limit: float, latest: int = LATEST) -> Iterator[np.ndarray]:
        """Yield the latest jobs of each kind, from the most alike on, that had passed the point by a time."""
        for level, (key,) in enumerate(_keys(np.array([need]), np.array([limit]))):
            jobs = self._kinds.get((level, complex(key)), NO_JOBS)
            end = int(np.searchsorted(self._passed[jobs], time, side="right"))
            yield jobs[max(0, end - latest) : end]


def _keys(need, limit):
    """Yield a number for each job that tells its kind, level by level: two numbers, as the parts of a complex one."""
    wide, long = (np.floor(np.log2(np.maximum(x, SHORTEST))) for x in (need, limit))
    yield wide + 1j * limit
    yield wide + 1j * long
    yield 0 + 1j * long
    yield np.zeros(len(need), dtype=complex)
