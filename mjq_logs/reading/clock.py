"""Times of a log on other clocks: that of its file, and that of the place of its machine.

The clock of the place is never put forward or back: it is ahead of UTC by one offset, such as ``TimeZone`` in the
Standard Workload Format. Dates of a file, as `sacct` prints them, are taken as they stand: what runs or waits while the
clock is changed is an hour longer or shorter than in truth.
"""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from mjq._util.plain import brief
from mjq_logs.reading.log import Log
from mjq_logs.reading.rows import FARTHEST
from mjq_logs.reading.text import moments

YEAR = 365.25 * 86_400  # seconds


def original(log: Log, times: ArrayLike) -> np.ndarray:
    """Return times of a log on the clock that it had before gaps were taken out."""
    times = np.asarray(times, dtype=float)
    ends, taken = np.array([gap.end for gap in log.gaps]), np.append(0.0, np.cumsum([gap.taken for gap in log.gaps]))
    return times + taken[np.searchsorted(ends - taken[1:], times, "right")]


def local(log: Log, times: ArrayLike) -> np.ndarray:
    """Return times of a log on the clock of the place, in seconds since 1970; its gaps count.

    Where its second 0 is not known, that is taken for 1970 at the place.
    """
    return original(log, times) + (log.clock or 0.0)


def as_date(seconds: float, form: str = "%Y-%m-%d %H:%M") -> str:
    """Return the date and the time of day of so many seconds since 1970."""
    return format(datetime.fromtimestamp(seconds, UTC), form)


def dated(log: Log, time: float) -> str:
    """Return a time on the clock of a log as the date that its file has, also where gaps were cut, or as seconds.

    >>> from mjq_logs import Log
    >>> dated(Log(need=[1], run=[1], submit=[90], clock=0.0), 90.0)
    '1970-01-01 00:01'
    """
    (there,) = local(log, [time]).tolist()
    known = log.clock is not None and abs(there) <= FARTHEST
    return f"{as_date(there)} {log.zone}".rstrip() if known else f"second {there:.10g}"


def as_moment(log: Log, text: str) -> float:
    """Return the time of a log for what a user writes: seconds of the log, or a date at its place.

    Raises
    ------
    ValueError
        If it is neither, or farther away than any log lasts; for a date if the log has no clock; for one with a zone
        if that of the log is not known; and for one without a zone if the clock of the log is UTC because it counts
        seconds: the user may mean the clock of the place.

    Examples
    --------
    >>> from mjq_logs import Log
    >>> as_moment(Log([1], [60], [0], clock=0.0), "1970-01-02"), as_moment(Log([1], [60], [0]), "7.5")
    (86400.0, 7.5)
    """
    words = text.strip()
    (time,), (zoned,) = (column.to_list() for column in moments(pl.Series([words])))
    if zoned is not None and log.clock is None:
        raise ValueError(f"{brief(words)} is a date, and the log has no clock: give seconds as it does")
    if zoned is False and log.zone:
        raise ValueError(
            f"{brief(words)} has no zone, and the log counts seconds and names none: write the zone, as in "
            "2026-05-03T14:30+02:00, or give seconds, which Slurm prints with SLURM_TIME_FORMAT=%s"
        )
    if zoned and not log.zone:
        raise ValueError(f"{brief(words)} has a zone: give dates without one, on the clock of the place of the log")
    if time is None:
        raise ValueError(f"{brief(words)} is neither a number of seconds nor a date such as 2026-05-03T14:30")
    time -= 0.0 if zoned is None else log.clock
    if abs(time) > FARTHEST:
        raise ValueError(f"{brief(words)} is more than {FARTHEST / YEAR:.0f} years from second 0 of the log")
    return time
