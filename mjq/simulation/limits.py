"""Limits of the servers or jobs that a group of jobs has at once, such as those of a user or of a queue.

The rule, in words:

* There is a gate before the queue. A job that comes is let into the queue if the servers of the jobs of its group that
  run or stand in the queue, and its own, are at most the limit of the group.
* Otherwise it waits before the gate, and so do all of its group that come after it: jobs of a group pass their gate in
  order of arrival.
* When jobs of the group have completed, all those of an instant, those that wait before its gate are let in as far as
  the limit allows. Each stands in the queue where it would stand by its arrival or, with priorities, by its priority
  and then by its arrival. Those who come at the same instant come after them.
* Jobs may count in place of servers; of a job and of a limit, that is 1 and the number of jobs.
* Where there are several kinds of limits, such as those of users and of queues, a job passes one gate after the other.
  While it waits before the second, it counts for its group at the first. "In order of arrival" is then said of the
  second gate, to which a job comes when it has passed the first. Of those that are let in at one instant, those that
  wait before the last kind of gate go on first, and of one kind those that would stand first in the queue.
* The scheduler sees only those in the queue. Waits count from arrival.

So a group never runs on more servers than its limit. Schedulers differ in what they count. Some count those that run
alone, and pass over a job that would exceed the limit; then a small job may start before a larger one of its group that
already waits for servers. Here it may do so only if both fit within the limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mjq._util import checks
from mjq._util.checks import FIT_TOLERANCE
from mjq._util.frozen import ReadOnly, frozen
from mjq.simulation.engine.queue import WHOLE, units

FREE = -1  # the group of a job that has no limit


@dataclass(frozen=True, eq=False)
class Limits(ReadOnly):
    """Hold the group of each job, and how many servers or jobs each group has at most at once.

    Attributes
    ----------
    group : int array, shape (n,)
        Of each job, from 0; -1 for a job that has no limit, and counts for none.
    servers : float array, shape (G,), or None
        Of each group; a number is for all groups.
    jobs : float array, shape (G,), or None
        Of each group, in place of servers.

    Raises
    ------
    ValueError
        If a group is no whole number of at least -1 or has no limit, a limit is not positive or is one of less than a
        job, or there are limits of servers and of jobs, or of neither.

    Examples
    --------
    Four servers; a user with three jobs of two servers each may have two at once, so that the job of another user
    starts beside the first one:

    >>> from mjq.simulation import replay
    >>> log = [0, 1, 2, 3], [2, 2, 2, 2], [5, 5, 5, 5], None, 4, "easy"
    >>> replay(*log).start
    array([0., 1., 5., 6.])
    >>> replay(*log, limits=Limits([0, 0, 0, 1], 2)).start
    array([ 0.,  5., 10.,  3.])

    One job of each user at once is the same here. If all are of one queue besides, and that may have two servers, the
    fourth job waits until the second has ended, which came to the gate of the queue before it.

    >>> one = Limits([0, 0, 0, 1], jobs=1)
    >>> replay(*log, limits=one).start
    array([ 0.,  5., 10.,  3.])
    >>> replay(*log, limits=[one, Limits([0, 0, 0, 0], 2)]).start
    array([ 0., 10., 15.,  5.])
    """

    group: np.ndarray
    servers: Any = None
    jobs: Any = None

    def __post_init__(self) -> None:
        group = np.asarray(self.group)
        if group.ndim != 1 or not np.issubdtype(group.dtype, np.integer):
            raise ValueError("the groups of limits must be whole numbers, one for each job")
        if len(group) and group.min() < FREE:
            raise ValueError(f"the groups of limits must be at least -1, got {group.min()}")
        if (self.servers is None) == (self.jobs is None):
            raise ValueError("limits must be of servers or of jobs; give one of them")
        groups = int(group.max(initial=FREE)) + 1
        most = np.asarray(self.servers if self.jobs is None else self.jobs, dtype=float)
        most = checks.positive(f"the {self.of} of limits", np.broadcast_to(most, groups) if most.ndim == 0 else most)
        if len(most) < groups:
            raise ValueError(f"limits must have {self.of} for each of {groups} groups, got {len(most)}")
        if self.jobs is not None and most.min(initial=1) < 1:
            raise ValueError(f"the jobs of limits must be at least 1, got {checks.shown(most.min())}")
        object.__setattr__(self, "group", frozen(np.array(group, dtype=np.int64)))
        object.__setattr__(self, self.of, frozen(np.array(most)))

    @property
    def of(self) -> str:
        """Return what is limited: servers or jobs."""
        return "servers" if self.jobs is None else "jobs"

    def in_units(self, needs: np.ndarray, kinds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return limits and the needs of classes of jobs as whole numbers, so that sums are exact.

        Parameters
        ----------
        needs : float array, shape (L,)
            Of the classes.
        kinds : int array, shape (n,)
            The class of each job.

        Raises
        ------
        ValueError
            If there are more or fewer groups than jobs, or a job exceeds the limit of its group by itself.
        """
        if len(self.group) != len(kinds):
            raise ValueError(f"limits must have a group for each job, got {len(self.group)} for {len(kinds)} jobs")
        if self.jobs is not None:
            return np.minimum(self.jobs, len(kinds)).astype(np.int64), np.ones(len(needs), np.int64)
        if not len(self.servers):
            return np.empty(0, np.int64), np.zeros(len(needs), np.int64)
        whole = self.servers.max()
        rooms = np.rint(self.servers / whole * (WHOLE * (1 + FIT_TOLERANCE))).astype(np.int64)
        sizes = units(needs, whole)
        limited = np.flatnonzero(self.group != FREE)
        over = limited[sizes[kinds[limited]] > rooms[self.group[limited]]]
        if len(over):
            job, group = over[0], self.group[over[0]]
            raise ValueError(
                f"need {checks.shown(needs[kinds[job]])} of job {job + 1} exceeds the limit of its group {group}, "
                f"{checks.shown(self.servers[group])}: it would never start"
            )
        return rooms, sizes


def gates_of_all(
    limits: Sequence[Limits], needs: np.ndarray, kinds: np.ndarray, order: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what the event loop takes of several kinds of limits.

    Parameters
    ----------
    limits : sequence of Limits
        A job passes their gates in this order.
    needs, kinds
        As for :meth:`Limits.in_units`.
    order : int array or slice
        The jobs by their numbers in the loop.

    Returns
    -------
    rooms : int array, shape (G,)
        Of the groups of all kinds, one kind after the other.
    sizes : int array, shape (K, L)
    groups : int array, shape (K, n)
    """
    rooms, sizes = zip(*(one.in_units(needs, kinds) for one in limits), strict=True)
    before = np.cumsum([0, *map(len, rooms[:-1])])
    groups = [np.where(one.group == FREE, FREE, one.group + first) for one, first in zip(limits, before, strict=True)]
    return np.concatenate(rooms), np.stack(sizes), np.ascontiguousarray(np.stack(groups)[:, order])
