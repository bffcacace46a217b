"""Limits of the servers that a group of jobs has at once, such as those of a user or of a queue.

The rule, in words:

* There is a gate before the queue. A job that comes is let into the queue if the servers of the jobs of its group that
  run or stand in the queue, and its own, are at most the limit of the group.
* Otherwise it waits before the gate, and so do all of its group that come after it: jobs of a group pass their gate in
  order of arrival.
* When a job of the group completes, those that wait before its gate are let in as far as the limit allows. Each stands
  in the queue where it would stand by its arrival or, with priorities, by its priority and then by its arrival. Those
  who come at the same instant come after them.
* The scheduler sees only those in the queue. Waits count from arrival.

So a group never runs on more servers than its limit. Schedulers differ in what they count. Some count those that run
alone, and pass over a job that would exceed the limit; then a small job may start before a larger one of its group that
already waits for servers. Here it may do so only if both fit within the limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mjq._util import checks
from mjq._util.checks import FIT_TOLERANCE
from mjq._util.frozen import ReadOnly, frozen
from mjq.simulation.engine.queue import WHOLE, units

__all__ = ["FREE", "Limits"]

FREE = -1  # the group of a job that has no limit


@dataclass(frozen=True, eq=False)
class Limits(ReadOnly):
    """Hold the group of each job, and how many servers each group has at most at once.

    Attributes
    ----------
    group : int array, shape (n,)
        Of each job, from 0; -1 for a job that has no limit, and counts for none.
    servers : float array, shape (G,)
        Of each group; a number is for all groups.

    Raises
    ------
    ValueError
        If a group is no whole number of at least -1 or has no limit, or a limit is not positive.

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
    """

    group: np.ndarray
    servers: Any

    def __post_init__(self) -> None:
        group = np.asarray(self.group)
        if group.ndim != 1 or not np.issubdtype(group.dtype, np.integer):
            raise ValueError("the groups of limits must be whole numbers, one for each job")
        if len(group) and group.min() < FREE:
            raise ValueError(f"the groups of limits must be at least -1, got {group.min()}")
        groups = int(group.max(initial=FREE)) + 1
        given = np.asarray(self.servers, dtype=float)
        servers = checks.positive("the servers of limits", np.broadcast_to(given, groups) if given.ndim == 0 else given)
        if len(servers) < groups:
            raise ValueError(f"limits must have servers for each of {groups} groups, got {len(servers)}")
        object.__setattr__(self, "group", frozen(np.array(group, dtype=np.int64)))
        object.__setattr__(self, "servers", frozen(np.array(servers)))

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
