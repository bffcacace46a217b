"""Times of a log on other clocks: that of its file, and that of the place of its machine.

A file that names the time zone of the place (``TimeZoneString`` in the Standard Workload Format) counts seconds that
passed. Its dates, hours of the day and hours of the week are then those that clocks at the place showed, summer time
included. Of the hour that comes twice in autumn, a date that somebody gives is the first one.

Dates of a file without a zone, as `sacct` prints them, are taken as they stand: what runs or waits while the clock is
changed is an hour longer or shorter than in truth. Where only an offset is known, as with ``TimeZone``, the clock is
never changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Protocol

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from mjq._util.plain import brief
from mjq_logs.reading.log import Gap
from mjq_logs.reading.rows import FARTHEST
from mjq_logs.reading.text import moments

YEAR = 365.25 * 86_400  # seconds


class Clocked(Protocol):
    """Tell the clock of a log: its gaps, its second 0, and the zone of the place, as a log has them."""

    @property
    def gaps(self) -> Sequence[Gap]:
        """Tell what was taken out."""

    @property
    def clock(self) -> float | None:
        """Tell when second 0 is."""

    @property
    def zone(self) -> str:
        """Tell the name of the time zone."""


def is_zone(name: str) -> bool:
    """Return whether this is the name of a time zone.

    >>> is_zone("Europe/Stockholm"), is_zone("Europe/Nowhere")
    (True, False)
    """
    try:
        _offsets(name, np.zeros(1))
    except pl.exceptions.ComputeError:
        return False
    return bool(name)


def original(log: Clocked, times: ArrayLike) -> np.ndarray:
    """Return times of a log on the clock that it had before gaps were taken out."""
    return np.asarray(times, dtype=float) + _taken(log, times)


def ahead(log: Clocked, times: ArrayLike, standard: bool = False) -> np.ndarray:
    """Return by how much the clock of the place, in seconds since 1970, is ahead of the log at these times of it [s].

    Where its second 0 is not known, that is taken for 1970 at the place. A clock in `standard` time has no summer time.

    >>> from mjq_logs import Log
    >>> log = Log([1], [60], [0], clock=843_480_031, zone="Europe/Stockholm")
    >>> (ahead(log, [0, 40 * 86400]) - log.clock).tolist()  # in September and in November
    [7200.0, 3600.0]
    >>> (ahead(log, [0, 40 * 86400], standard=True) - log.clock).tolist()
    [3600.0, 3600.0]
    """
    taken = _taken(log, times) + (log.clock or 0.0)
    return taken + _offsets(log.zone, np.asarray(times, dtype=float) + taken, standard) if log.zone else taken


def local(log: Clocked, times: ArrayLike) -> np.ndarray:
    """Return times of a log on the clock of the place, in seconds since 1970; its gaps count."""
    return np.asarray(times, dtype=float) + ahead(log, times)


def as_date(seconds: float) -> str:
    """Return the date and the time of day of so many seconds since 1970."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}"


def dated(log: Clocked, time: float) -> str:
    """Return a time on the clock of a log as the date that its file has, also where gaps were cut, or as seconds.

    >>> from mjq_logs import Log
    >>> dated(Log(need=[1], run=[1], submit=[90], clock=0.0), 90.0)
    '1970-01-01 00:01'
    """
    (there,) = local(log, [time]).tolist()
    return as_date(there) if log.clock is not None and abs(there) <= FARTHEST else f"second {there:.10g}"


def instants(log: Clocked, text: pl.Series) -> np.ndarray:
    """Return the times of a log [s] for seconds of it, or for dates at its place; not a number for what is neither.

    Raises
    ------
    ValueError
        For a date if the log has no clock, or if the clock of its place leaves that date out; and for a date with a
        zone if that of the log is not known.

    Examples
    --------
    >>> from mjq_logs import Log
    >>> log = Log([1], [60], [0], clock=843_480_031, zone="Europe/Stockholm")
    >>> instants(log, pl.Series(["1996-09-23T14:00:31", "1996-09-23T12:00:31Z", "7.5", "-"])).tolist()
    [0.0, 0.0, 7.5, nan]
    """
    seconds, zoned = moments(text)
    dates = zoned.is_not_null()
    if not dates.any():
        return seconds.fill_null(np.nan).to_numpy()
    if log.clock is None:
        raise ValueError(f"{_first(text, dates)} is a date, and the log has no clock: give seconds as it does")
    if (bad := zoned.fill_null(False)).any() and not log.zone and log.clock != 0.0:
        raise ValueError(
            f"{_first(text, bad)} has a zone: give dates without one, on the clock of the place of the log"
        )
    if log.zone:
        there = pl.from_epoch(1e6 * seconds, "us").dt.replace_time_zone(
            log.zone, ambiguous="earliest", non_existent="null"
        )
        if (bad := there.is_null() & (~zoned).fill_null(False)).any():
            raise ValueError(f"{_first(text, bad)} is left out by the clock of {log.zone}, which is put forward then")
        seconds = seconds.zip_with(zoned.fill_null(True), there.dt.epoch("us") / 1e6)
    return seconds.zip_with(~dates, seconds - log.clock).fill_null(np.nan).to_numpy()


def as_moment(log: Clocked, text: str) -> float:
    """Return the time of a log for what a user writes: seconds of the log, or a date at its place.

    Raises
    ------
    ValueError
        If it is neither, or farther away than any log lasts, or as :func:`instants` does.

    Examples
    --------
    >>> from mjq_logs import Log
    >>> as_moment(Log([1], [60], [0], clock=0.0), "1970-01-02"), as_moment(Log([1], [60], [0]), "7.5")
    (86400.0, 7.5)
    """
    (time,) = instants(log, pl.Series([text.strip()])).tolist()
    if np.isnan(time):
        raise ValueError(f"{brief(text)} is neither a number of seconds nor a date such as 2026-05-03T14:30")
    if abs(time) > FARTHEST:
        raise ValueError(f"{brief(text)} is more than {FARTHEST / YEAR:.0f} years from second 0 of the log")
    return time


def _first(text, which):
    return brief(text.filter(which)[0])


def _taken(log, times):
    """Return how much was taken out of a log before these times of it [s]."""
    if not log.gaps:
        return np.zeros(np.shape(times))
    ends, taken = np.array([gap.end for gap in log.gaps]), np.append(0.0, np.cumsum([gap.taken for gap in log.gaps]))
    return taken[np.searchsorted(ends - taken[1:], np.asarray(times, dtype=float), "right")]


def _offsets(zone, seconds, standard=False):
    """Return by how much the clock of a zone is ahead of UTC at these seconds since 1970 [s]."""
    at = pl.from_epoch(pl.Series(np.floor(np.ravel(seconds)).astype(np.int64)), "s").dt.convert_time_zone(zone)
    offset = at.dt.base_utc_offset()
    offset = offset if standard else offset + at.dt.dst_offset()
    return offset.dt.total_seconds().to_numpy().astype(float).reshape(np.shape(seconds))
