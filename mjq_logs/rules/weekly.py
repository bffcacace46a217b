"""Hours that are learned anew each week, from the twelve weeks before: what is known at a time, and rules change."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mjq._util.frozen import ReadOnly
from mjq_logs.reading.log import Log
from mjq_logs.rules.exposure import Exposure, exposure, learned_hours, octaves
from mjq_logs.rules.hours import WEEK, OpenHours

WEEKS, FEWEST = 12, 4  # that teach; if fewer have passed, nothing is learned
SHARE = 0.1  # of the hours in which somebody waited: if fewer saw a start, the hour is closed


@dataclass(frozen=True, eq=False)
class Weekly(ReadOnly):
    """Hold when somebody waited and started in each week of a log.

    Attributes
    ----------
    begins : float array, shape (W - 1,)
        When the second and each further week of the log begins [s].
    seen : Exposure
        Its parts are these weeks.
    """

    begins: np.ndarray
    seen: Exposure
    known: dict[int, OpenHours | None] = field(default_factory=dict)

    def at(self, time: float) -> OpenHours | None:
        """Return the hours that the weeks before a time teach; None if none is closed, or too few weeks have passed."""
        week = int(np.searchsorted(self.begins, time, "right"))
        if week not in self.known:
            parts = range(max(0, week - WEEKS), week)
            self.known[week] = learned_hours(self.seen, SHARE, parts) if len(parts) >= FEWEST else None
        return self.known[week]


def weekly(log: Log) -> Weekly:
    """Return what each week of a log with starts and limits teaches of the hours at which jobs start.

    Examples
    --------
    Each noon a job starts that came in the morning:

    >>> came = 86400.0 * np.arange(60) + 8 * 3600
    >>> columns = dict(submit=came, start=came + 4 * 3600, estimate=np.full(60, 600.0), servers=1, clock=0)
    >>> hours = weekly(Log(np.ones(60), np.full(60, 60.0), **columns))
    >>> hours.at(14 * 86400), hours.at(50 * 86400).closed(0)
    (None, 'Mon-Sun 8-12')
    """
    begins = np.arange(log.begin + WEEK, log.end, WEEK)
    assert log.estimates_used is not None
    standard = log.rules is not None and log.rules.hours is not None and log.rules.hours.standard
    return Weekly(begins, exposure(log, octaves(log.estimates_used), begins, log.require_servers(), standard))
