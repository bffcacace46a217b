"""How many servers of a machine are up, and from when on.

The rule, in words:

* The calendar says from when on how many servers are up. Before its first time all are.
* When servers go down, jobs in service run on. The servers that they hold go down when they end; until then nobody
  starts who would hold more than are up together with them. So nodes are drained in practice.
* The scheduler does not know the calendar beforehand. It goes by the servers that are up now, as if that were for
  ever: it keeps no server free for those that will be missing, and promises nothing to a job that needs more than are
  up.
* A change comes before all else that happens at its instant.

Under first come, first served, no job then starts earlier if fewer servers are up, for any calendar.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq._util.frozen import ReadOnly, frozen
from mjq.simulation.engine.queue import WHOLE
from mjq.simulation.loop import STEP


@dataclass(frozen=True, eq=False)
class Calendar(ReadOnly):
    """Hold how many servers of a machine are up, and from when on; :func:`calendar_of` makes it.

    Attributes
    ----------
    since : float array, shape (m,)
        Rising; the first is minus infinity.
    up : float array, shape (m,)
        From then on; the last one for ever.
    servers : float
        Of the whole machine.

    Raises
    ------
    ValueError
        If a time does not come after the one before, or servers are negative or more than the machine has.

    Examples
    --------
    Four servers, of which two are down from second 10 to second 20:

    >>> calendar = calendar_of([(10, 2), (20, 4)], 4)
    >>> calendar.at([0, 10, 20]), float(calendar.work(5, 25))
    (array([4., 2., 4.]), 60.0)
    >>> calendar.on(8).at([0, 10, 20])
    array([8., 4., 8.])
    """

    since: np.ndarray
    up: np.ndarray
    servers: float

    def __post_init__(self) -> None:
        servers = float(checks.positive("servers", self.servers, ndim=0))
        since, up = np.asarray(self.since, dtype=float), checks.numbers("servers of a calendar", self.up)
        if not (since.shape == up.shape and len(up) and since[0] == -np.inf and np.isfinite(since[1:]).all()):
            raise ValueError("a calendar needs a time for each number of servers, the first of them minus infinity")
        _require_sense(since, up, servers)
        for name, value in (("since", frozen(since)), ("up", frozen(np.minimum(up, servers))), ("servers", servers)):
            object.__setattr__(self, name, value)

    def at(self, times: ArrayLike) -> np.ndarray:
        """Return how many servers are up at these times."""
        return self.up[np.searchsorted(self.since, np.asarray(times, dtype=float), "right") - 1]

    def work(self, begin: ArrayLike, end: ArrayLike) -> np.ndarray:
        """Return the work that the servers that are up can do from `begin` to `end`, in servers times time."""
        return self._done(end) - self._done(begin)

    def _done(self, times):
        """Return the work since the first change, or since time 0 if there is none; before it, less than nothing."""
        times, changes = np.asarray(times, dtype=float), self.since[1:]
        if not len(changes):
            return self.up[0] * times
        done = np.append(0.0, np.cumsum(self.up[1:-1] * np.diff(changes)))  # at each change
        place = np.searchsorted(changes, times, "right")
        last = np.maximum(place - 1, 0)
        return done[last] + self.up[place] * (times - changes[last])

    def moved(self, origin: float, faster: float = 1.0) -> Calendar:
        """Return the calendar on a clock that begins at `origin` and on which all is so many times as fast."""
        since = (self.since - origin) / faster
        last = np.append(since[1:] > since[:-1], True)  # of times that are one, where all goes very fast
        return Calendar(since[last], self.up[last], self.servers)

    def on(self, servers: float) -> Calendar:
        """Return the calendar of a machine of another size: the same shares are up, in whole servers, rounded down.

        On a machine of the same size nothing is rounded.
        """
        if servers == self.servers:
            return self
        up = np.floor(self.up * (servers / self.servers) * (1 + checks.FIT_TOLERANCE))
        return Calendar(self.since, np.where(self.up >= self.servers, servers, np.minimum(up, servers)), servers)

    def steps(self) -> np.ndarray:
        """Return what the event loop takes: the changes from time 0 on, in units."""
        share = self.up / self.servers
        changed = np.append(True, np.diff(share) != 0)
        since, share = np.maximum(self.since[changed], 0.0), share[changed]
        last = np.append(since[1:] > since[:-1], True)  # of those before time 0, the last one counts
        since, share = since[last], share[last]
        if share[0] == 1:  # as at the beginning of each run
            since, share = since[1:], share[1:]
        steps = np.empty(len(since), STEP)
        steps["since"], steps["up"] = since, np.rint(share * WHOLE * (1 + checks.FIT_TOLERANCE))
        return steps


def calendar_of(steps: ArrayLike | Calendar, servers: float) -> Calendar:
    """Return the calendar of a machine from pairs of a time and the servers that are up from then on.

    Parameters
    ----------
    steps : sequence of (float, float), or Calendar
        Times rise.
    servers : float
        Of the machine; so many are up before the first time.

    Examples
    --------
    >>> calendar_of([(20, 4), (10, 2)], 4)
    Traceback (most recent call last):
    ValueError: times of a calendar must rise: 10 comes after 20
    """
    servers = float(checks.positive("servers", servers, ndim=0))
    if isinstance(steps, Calendar):
        return Calendar(steps.since, steps.up, servers)
    pairs = checks.numbers("calendar", steps, ndim=2) if np.size(steps) else np.empty((0, 2))
    if pairs.shape[1] != 2:
        raise ValueError(f"calendar must hold pairs of a time and servers, got {pairs.shape[1]} in each row")
    since, up = pairs.T
    return Calendar(np.append(-np.inf, since), np.append(servers, up), servers)


def _require_sense(since, up, servers):
    """Raise ``ValueError`` if times do not rise, or if servers are negative or more than there are."""
    late = np.flatnonzero(np.diff(since) <= 0)
    if len(late):
        before, after = (checks.shown(since[late[0] + k]) for k in (0, 1))
        raise ValueError(f"times of a calendar must rise: {after} comes after {before}")
    if (up < 0).any():
        k = np.flatnonzero(up < 0)[0]
        raise ValueError(f"servers of a calendar must be at least 0, got {checks.shown(up[k])} from {_at(since[k])} on")
    many = np.flatnonzero(up > servers * (1 + checks.FIT_TOLERANCE))
    if len(many):
        raise ValueError(
            f"the calendar has {checks.shown(up[many[0]])} servers up from {_at(since[many[0]])} on, and the machine "
            f"has {checks.shown(servers)}"
        )


def _at(time):
    return "the beginning" if np.isneginf(time) else f"time {checks.shown(time)}"
