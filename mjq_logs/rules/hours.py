"""The hours of the week at which jobs may start, by their limits and needs.

An hour of the week is counted from Monday 0 h, on the clock of the log; where that is not known, from its second 0.

That is the clock of the place, with summer time where the log names its zone (:mod:`mjq_logs.reading.clock`). Or it is
one in standard time, which the scheduler of KTH-SP2 kept all the year. A replay counts time as it passes: run times and
waits do not depend on a clock. Each job keeps the hours of the clock as it was when the job came. If it waits until the
clock is changed, they begin an hour early or late for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, product
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq._util.frozen import ReadOnly, frozen
from mjq.simulation.engine.hours import HOURS
from mjq_logs.reading.clock import Clocked, ahead
from mjq_logs.reading.log import HOUR

WEEKDAYS = "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"
DAYS = tuple(day[:3] for day in WEEKDAYS)
WEEK = HOURS * HOUR
MONDAY = 4 * 24 * HOUR  # the first one since 1970


def ahead_of_monday(log: Clocked, times: ArrayLike, standard: bool = False) -> np.ndarray:
    """Return by how much the time since a Monday 0 h is more than these times of a log [s]; its gaps count."""
    return ahead(log, times, standard) - (0.0 if log.clock is None else MONDAY)


def hours_of_week(log: Clocked, times: ArrayLike, standard: bool = False) -> np.ndarray:
    """Return the hours since a Monday 0 h, as whole numbers, of times of a log [s]; its gaps count.

    >>> from mjq_logs import Log
    >>> log = Log(need=[1], run=[60], submit=[0], clock=1_700_000_000)
    >>> int(hours_of_week(log, 0) % 168), DAYS[1]
    (46, 'Tue')

    KTH-SP2 begins on Monday 23 September 1996, 14:00:31 summer time; ten weeks later it is 13:00:31.

    >>> log = Log(need=[1], run=[60], submit=[0], clock=843_480_031, zone="Europe/Stockholm")
    >>> (hours_of_week(log, [0, 10 * WEEK]) % 168).tolist()
    [14, 13]
    """
    return np.floor((np.asarray(times, dtype=float) + ahead_of_monday(log, times, standard)) / HOUR).astype(np.int64)


@dataclass(frozen=True, eq=False)
class OpenHours(ReadOnly):
    """Hold at which hours of the week jobs may start, by their limits and needs.

    Attributes
    ----------
    limits : float array, shape (C,)
        The longest limit of each class [s]. Among classes with one need they rise, and the last is infinite.
    open : bool array, shape (C, 168)
        Hours of the week from Monday 0 h on.
    standard : bool
        Whether they are those of a clock in standard time, also in summer.
    needs : float array, shape (C,), optional
        The largest need of each class, not falling; the last is infinite. By default all are.

    Raises
    ------
    ValueError
        If limits or needs do not rise to infinity, a class is never open, or the shapes differ.

    Examples
    --------
    Jobs with limits above an hour start at night:

    >>> hours = OpenHours.of({np.inf: "Mon-Fri 8-17"}, first=3600)
    >>> hours.classes([60, 3600, 7200], 1).tolist(), hours.open.sum(axis=1).tolist()
    ([0, 0, 1], [168, 123])
    >>> hours.closed(1)
    'Mon-Fri 8-17'

    And jobs that need more than eight servers start on all days but Sunday:

    >>> both = OpenHours.by_need({8: hours, np.inf: OpenHours.of({np.inf: "Sun 0-24"})})
    >>> both.classes([60, 7200, 60], [8, 8, 9]).tolist(), both.limits.tolist(), both.needs.tolist()
    ([0, 1, 2], [3600.0, inf, inf], [8.0, 8.0, inf])
    """

    limits: np.ndarray
    open: np.ndarray
    standard: bool = False
    needs: Any = np.inf

    def __post_init__(self) -> None:
        limits, is_open = np.asarray(self.limits, dtype=float), np.asarray(self.open, dtype=bool)
        if is_open.shape != (len(limits), HOURS):
            raise ValueError(f"hours must have a row of 168 for each of {len(limits)} limits, got {is_open.shape}")
        needs = np.array(np.broadcast_to(np.asarray(self.needs, dtype=float), limits.shape))
        if not len(limits) or needs[-1] != np.inf or not (needs[1:] >= needs[:-1]).all():
            raise ValueError(f"needs of the classes must not fall, and the last be infinite, got {checks.shown(needs)}")
        last = np.append(needs[1:] > needs[:-1], True)
        if not (limits[last] == np.inf).all() or not (limits[1:] > limits[:-1])[~last[:-1]].all():
            raise ValueError(f"limits of the classes must rise, and the last be infinite, got {checks.shown(limits)}")
        if not is_open.any(axis=1).all():
            raise ValueError("each class of jobs must be allowed to start at some hour of the week")
        object.__setattr__(self, "limits", frozen(limits))
        object.__setattr__(self, "open", frozen(is_open))
        object.__setattr__(self, "needs", frozen(needs))

    @classmethod
    def of(cls, closed: dict[float, str], first: float | None = None, standard: bool = False) -> Self:
        """Return the hours at which classes are not closed; up to the limit `first` [s] jobs may always start."""
        rows = ({} if first is None else {first: ""}) | closed
        return cls(np.array(list(rows)), ~np.array([_hours(words) for words in rows.values()]), standard)

    @classmethod
    def by_need(cls, parts: Mapping[float, OpenHours]) -> Self:
        """Return hours for jobs that need at most so much, by the needs, which rise to infinity."""
        hours = list(parts.values())
        needs = np.repeat(list(parts), [len(part) for part in hours])
        limits, is_open = (np.concatenate([getattr(part, name) for part in hours]) for name in ("limits", "open"))
        return cls(limits, is_open, hours[0].standard, needs)

    @property
    def parts(self) -> dict[float, OpenHours]:
        """Return the hours of jobs that need at most so much, by these needs."""
        return {
            float(need): OpenHours(self.limits[self.needs == need], self.open[self.needs == need], self.standard)
            for need in np.unique(self.needs)
        }

    def __len__(self) -> int:
        return len(self.limits)

    def classes(self, limits: ArrayLike, needs: ArrayLike) -> np.ndarray:
        """Return the class of each limit [s] and need."""
        limits, needs = np.broadcast_arrays(np.asarray(limits, dtype=float), np.asarray(needs, dtype=float))
        classes = np.empty(limits.shape, dtype=np.int64)
        largest, first = np.unique(self.needs, return_index=True)
        part = np.searchsorted(largest, needs)
        for k, need in enumerate(largest):
            classes[part == k] = first[k] + np.searchsorted(self.limits[self.needs == need], limits[part == k])
        return classes

    def merged(self) -> OpenHours:
        """Return the same hours with one class in place of successive ones that are closed at the same hours."""
        differs = (self.open[1:] != self.open[:-1]).any(axis=1) | (self.needs[1:] > self.needs[:-1])
        last = np.append(differs, True)
        parts = OpenHours(self.limits[last], self.open[last], self.standard, self.needs[last]).parts
        further = [*list(parts.values())[1:], None]
        return OpenHours.by_need(
            {need: part for (need, part), other in zip(parts.items(), further, strict=True) if not part.equals(other)}
        )

    def equals(self, other: OpenHours | None) -> bool:
        """Return whether hours have the same classes, by their limits alone, which are closed at the same hours."""
        return other is not None and np.array_equal(self.limits, other.limits) and np.array_equal(self.open, other.open)

    def closed(self, which: int) -> str:
        """Return the hours of the week at which a class may not start, such as ``Mon-Fri 8-17, Sat 0-24``."""
        spans = [list(_spans(day)) for day in ~self.open[which].reshape(len(DAYS), 24)]
        parts, day = [], 0
        for same, group in groupby(spans):
            last = day + len(list(group)) - 1
            days = DAYS[day] if day == last else f"{DAYS[day]}-{DAYS[last]}"
            parts += [f"{days} {begin}-{end}" for begin, end in same]
            day = last + 1
        return ", ".join(parts)


def _spans(day: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yield the beginning and the end of each run of hours of a day."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], day, [False]]).astype(np.int8)))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


def _day(name):
    """Return the place of a day in the week, by its name or the beginning of it; ``ValueError`` if there is none.

    >>> _day("Tue"), _day("tuesday")
    (1, 1)
    """
    (day,) = (k for k, weekday in enumerate(WEEKDAYS) if len(name) > 2 and weekday.startswith(name.title()))
    return day


def _hours(words):
    """Return which hours of the week are named, such as ``Mon-Fri 8-17, Sat 0-24``; an hour may pass midnight."""
    named = np.zeros(HOURS, dtype=bool)
    for part in (part.split() for part in words.split(",") if part.strip()):
        try:
            days, hours = part
            first, _, last = days.partition("-")
            begin, end = (int(hour) for hour in hours.split("-"))
            from_, to = (_day(name) for name in (first, last or first))
        except ValueError:
            begin = end = -1
        if not (0 <= begin <= 24 and 0 <= end <= 24 and begin != end):
            raise ValueError(f"hours must be such as 'Mon-Fri 8-17', got {' '.join(part)!r}")
        long = (end - begin) % 24 or 24
        for day, hour in product(range((to - from_) % 7 + 1), range(long)):
            named[(24 * (from_ + day) + begin + hour) % HOURS] = True
    return named
