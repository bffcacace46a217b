"""Hours of the week at which the jobs of a class may run.

Many machines run long jobs at night and at weekends only. The rule, in words:

* A week has 168 hours, on the machine's own clock. For each class of jobs some are open and the others are closed.
* A job starts only in an open hour, and only if by its estimate it will have ended when its hours close. So the machine
  drains before they do. A *grace* says how far beyond that a job may be estimated to run; if it is infinite, hours are
  for starts alone.
* A job that is estimated longer than the longest time for which its class is open, grace included, could never start.
  Of such a job, only the start has to be in an open hour.
* The scheduler knows the hours. Where a policy promises starts, it promises one within the hours, also to a job whose
  hours are closed: under EASY the first job in the queue holds its reservation at its next opening or later, and nobody
  delays that. Where a policy promises nothing (first come, first served; first fit), jobs that may not start now are
  passed over as if they were not there.
* Hours open and close before all else that happens at their instant.

Hours are those of a clock that is never put forward or back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq._util.frozen import ReadOnly, frozen
from mjq.simulation.engine.hours import HOURS, WEEK, hours_left

HOUR = 3600.0  # seconds


@dataclass(frozen=True, eq=False)
class Hours(ReadOnly):
    """Hold at which hours of the week the jobs of each class may run.

    Attributes
    ----------
    open : bool array, shape (C, 168)
        For each class of jobs, whether an hour is open; hour 0 is that from 0 to 1 on Monday.
    week_begins : float
        When it was 0 o'clock on some Monday, on the clock of the times of submission.
    grace : float array, shape (C,)
        How far beyond the end of open hours a job of each class may be estimated to run [s, or as the times]; infinite
        if only its start has to be in an open hour. A number is for all classes.
    hour : float
        How long an hour is [s, or as the times].

    Raises
    ------
    ValueError
        If there are not 168 hours for each class, a grace is negative, or an hour is not positive.

    Examples
    --------
    Long jobs run from 17 to 8, and from Friday to Monday; the week begins at second 0. A job of three hours that comes
    on Monday at 6 would not end by 8, so that it waits until 17; one of two hours starts.

    >>> from mjq.simulation import replay
    >>> hour = np.arange(168)
    >>> night = (hour % 24 >= 17) | (hour % 24 < 8) | (hour >= 120)
    >>> hours = Hours([night], week_begins=0)
    >>> six = 6 * 3600.0
    >>> start = replay([six, six], [1, 1], [10800, 7200], None, 2, "easy", hours=hours, hours_class=[0, 0]).start
    >>> (start / 3600).tolist()
    [17.0, 6.0]
    >>> hours.is_open([0, 0, 0], [six, 8 * 3600, 130 * 3600]).tolist()
    [True, False, True]
    >>> float(hours.longest[0]) / 3600
    63.0
    """

    open: np.ndarray
    week_begins: float = 0.0
    grace: Any = 0.0
    hour: float = HOUR

    def __post_init__(self) -> None:
        given = np.asarray(self.open)
        if given.ndim != 2 or given.shape[1] != HOURS:
            raise ValueError(f"hours must have 168 entries for each class, got an array of shape {given.shape}")
        if not np.isin(given, (False, True)).all():
            raise ValueError("hours must be open, True, or closed, False")
        grace = np.array(np.broadcast_to(np.asarray(self.grace, dtype=float), len(given)))
        if not (grace >= 0).all():
            raise ValueError(f"the grace of hours must be at least 0, got {checks.shown(grace)}")
        values = {
            "open": frozen(given.astype(bool)),
            "week_begins": float(checks.numbers("week_begins", self.week_begins, ndim=0)),
            "grace": frozen(grace),
            "hour": float(checks.positive("hour", self.hour, ndim=0)),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def always(self) -> np.ndarray:
        """Return which classes may run at all hours."""
        return np.asarray(self.open.all(axis=1))

    @property
    def longest(self) -> np.ndarray:
        """Return for how long each class is open at most without a break; infinite if always."""
        return np.where(self.always, np.inf, hours_left(self.open)[0].max(axis=1) * self.hour)

    def is_open(self, kind: ArrayLike, times: ArrayLike) -> np.ndarray:
        """Return whether the hours of classes are open at these times, one for each."""
        times = np.asarray(times, dtype=float)
        k = np.floor((times - self.week_begins) / self.hour)
        k -= self.week_begins + k * self.hour > times  # an hour begins when doubles say so
        k += self.week_begins + (k + 1) * self.hour <= times
        return self.open[np.asarray(kind), k.astype(np.int64) % HOURS]

    def moved(self, origin: float, faster: float = 1.0) -> Hours:
        """Return the hours on a clock that begins at `origin` and on which all is so many times as fast.

        >>> hours = Hours(np.ones((1, 168)), week_begins=100.0).moved(40, faster=2)
        >>> hours.week_begins, hours.hour
        (30.0, 1800.0)
        """
        return Hours(self.open, (self.week_begins - origin) / faster, self.grace / faster, self.hour / faster)

    def classes(self, kind: np.ndarray, span: np.ndarray, cycle: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Return what the event loop takes: the different hours, and which of them those of each job are.

        Parameters
        ----------
        kind : int array, shape (n,)
            The class of each job.
        span : float array, shape (n,)
            Its estimate.
        cycle : float
            Of the scheduler's passes.

        Returns
        -------
        weeks : record array, shape (W,)
        which : int array, shape (n,)
            For each job, -1 if it may always run.

        Raises
        ------
        ValueError
            If there is no such class, or the hours of a job are always closed.
        """
        # Those that could not end in any of their hours have hours for the start alone.
        code = 2 * kind + (span > (self.longest + self.grace - cycle)[kind])
        is_used = np.zeros(2 * len(self.open), dtype=bool)
        is_used[code] = True
        used = np.flatnonzero(is_used)
        if not self.open[used // 2].any(axis=1).all():
            never = np.flatnonzero(~np.asarray(self.open.any(axis=1))[kind])
            raise ValueError(
                f"{len(never)} of {len(kind)} jobs never start: the hours of their class are always closed; the first "
                f"is job {never[0] + 1} of those given"
            )
        always = self.always
        rows: dict[tuple[bytes, float], int] = {}
        which = np.full((len(self.open), 2), -1)
        for row, freely in zip(*divmod(used, 2), strict=True):
            if not always[row]:
                beyond = np.inf if freely else float(self.grace[row])
                which[row, int(freely)] = rows.setdefault((self.open[row].tobytes(), beyond), len(rows))
        weeks = np.empty(len(rows), WEEK)
        hours = np.frombuffer(b"".join(hours for hours, _ in rows), dtype=bool).reshape(-1, HOURS)
        weeks["closing"], weeks["opening"] = hours_left(hours)
        weeks["grace"] = [beyond for _, beyond in rows]
        return weeks, which.ravel()[code]
