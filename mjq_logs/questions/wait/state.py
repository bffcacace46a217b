"""What is known of a machine at a time of its log: who runs, who waits, and how long earlier jobs took and waited.

Earlier jobs are looked at if they are like a given one: they need about as much, and have about the same limit. They
must have ended, or started, by that time: nothing else is known then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mjq.simulation import policies
from mjq.simulation.calendar import Calendar
from mjq_logs.machine.replaying import replay_log
from mjq_logs.reading.log import Log
from mjq_logs.reading.rows import UNLIMITED
from mjq_logs.reading.vectors import plain

FEWEST_RUNS = 5  # run times that are drawn from; if there are fewer, those of jobs less alike are taken
MOST_TASKS = 1000  # of an array that wait each by itself; of more, several stand one behind the other
NEXT = 60.0  # seconds for which a job goes on that has run longer than all others
LATEST_ALIKE = 200  # jobs of a kind that are looked at, the latest ones
LEAST_POSITIVE = 1e-9  # seconds of a limit, and servers of a need, that have a logarithm
LOWEST_OCTAVE, OCTAVES = -30, 4096  # ranges of needs: whole numbers of four of them are exact as a float
NO_LIMIT = 1.0  # stands for the limit of each job of a log without limits, and says nothing
NO_JOBS = np.empty(0, dtype=np.int64), np.empty(0)


class Alike:
    """Hold the jobs of each kind in the order in which they `passed` a point of their lives, such as their ends.

    There are four levels of kinds: jobs with needs of one range and with the same limit; with needs and limits of one
    range each; with limits of one range; all jobs. A range goes from one power of two to the next; of several resources
    needs are of one range if they are so by each. Who has not passed the point does so at infinity.

    >>> jobs = Alike(np.array([1., 1., 4.]), np.array([60., 60., 60.]), np.array([5., 9., 7.]))
    >>> [kind.tolist() for kind in jobs.by(8.0, 1.0, 60.0)]
    [[0], [0], [0, 2], [0, 2]]
    """

    def __init__(self, need: np.ndarray, limit: np.ndarray, passed: np.ndarray) -> None:
        order = np.argsort(passed, kind="stable")
        order = order[np.isfinite(passed[order])]
        self._kinds: dict[tuple, tuple[np.ndarray, np.ndarray]] = {}  # the jobs of each, and when they passed
        self._asked: dict[tuple, list[tuple[np.ndarray, np.ndarray]]] = {}
        for level, keys in enumerate(_keys(need[order], limit[order])):
            kinds, member = np.unique(keys, return_inverse=True)
            parts = np.split(order[np.argsort(member, kind="stable")], np.cumsum(np.bincount(member))[:-1])
            self._kinds |= {
                (level, kind): (part, passed[part]) for kind, part in zip(kinds.tolist(), parts, strict=True)
            }

    def by(self, time: float, need: ArrayLike, limit: float, latest: int = LATEST_ALIKE) -> Iterator[np.ndarray]:
        """Yield the latest jobs of each kind, from the most alike on, that had passed the point by a time."""
        asked = np.array(need, dtype=float).tobytes(), float(limit)
        if asked not in self._asked:
            keys = enumerate(_keys(np.array([need]), np.array([limit])))
            self._asked[asked] = [self._kinds.get((level, complex(key)), NO_JOBS) for level, (key,) in keys]
        for jobs, passed in self._asked[asked]:
            end = int(passed.searchsorted(time, side="right"))
            yield jobs[max(0, end - latest) : end]


def _keys(need, limit):
    """Yield a number for each job that tells its kind, level by level: two numbers, as the parts of a complex one."""
    wide, long = (np.floor(np.log2(np.maximum(values, LEAST_POSITIVE))) for values in (need, limit))
    if need.ndim > 1:
        wide = (wide - LOWEST_OCTAVE) @ float(OCTAVES) ** np.arange(need.shape[1])
    yield wide + 1j * limit
    yield wide + 1j * long
    yield 0 + 1j * long
    yield np.zeros(len(need), dtype=complex)


class State(NamedTuple):
    """Hold the jobs that are there at some time, by their numbers in the history, in the order of arrival."""

    time: float
    arrived: int  # jobs that came before
    running: np.ndarray
    waiting: np.ndarray


@dataclass(frozen=True, eq=False)
class History:
    """Hold the jobs of a log in order of arrival, an array with an entry for each of them; times are in seconds."""

    arrival: np.ndarray
    start: np.ndarray  # infinite where it has not come, as is an end
    end: np.ndarray
    need: np.ndarray  # shape (J,) or (J, d)
    run: np.ndarray  # not a number where it is not known
    limit: np.ndarray
    servers: Any
    taken: float  # until when the log tells what happened
    limited: bool  # whether it tells limits; if it does not, all jobs count as alike by them
    times: np.ndarray  # runs that a job stands for, one after the other: tasks of an array of which so many run at once
    calendar: Calendar | None  # how many of the servers are up, on the clock of the log

    def limits_at(self, time: float, limit: Any) -> Any:
        """Return limits as far as they are known at a time: without limits, the longest run that had ended by then."""
        return limit if self.limited else np.full(np.shape(limit), self.longest_at(time))

    def longest_at(self, time: float) -> float:
        """Return the longest run that had ended by a time, at least a minute."""
        return float(self.run[self.end <= time].max(initial=NEXT))

    def up(self, time: float) -> Any:
        """Return how many servers are up at a time, or how much of each resource."""
        return self.servers if self.calendar is None else float(self.calendar.at(time))

    @cached_property
    def ended(self) -> Alike:
        """Return the jobs by kind, in the order of their ends."""
        return Alike(self.need, self.limit, self.end)

    @cached_property
    def started(self) -> Alike:
        """Return the jobs by kind, in the order of their starts."""
        return Alike(self.need, self.limit, self.start)

    def at(self, time: float, arrived: int) -> State:
        """Return the state when so many jobs have arrived: those that start at this very time still wait."""
        there = np.flatnonzero(self.end[:arrived] > time)
        runs = self.start[there] < time
        return State(time, arrived, there[runs], there[~runs])

    def runs_alike(self, time: float, need: ArrayLike, limit: float, age: float = -1.0) -> np.ndarray:
        """Return the run times of jobs alike that had ended by a time, and that exceed an age.

        If fewer than `FEWEST_RUNS` of one kind do, the next kind is taken. If no job ever ran so long, it is taken to
        reach its limit or, without one, to go on for a minute.
        """
        runs = np.empty(0)
        for jobs in self.ended.by(time, need, limit):
            runs = self.run[jobs]
            runs = runs[runs > age]
            if len(runs) >= FEWEST_RUNS:
                break
        return runs if len(runs) else np.array([max(limit if limit < UNLIMITED else 0.0, age + NEXT)])

    def last_wait_alike(self, time: float, need: ArrayLike, limit: float) -> float:
        """Return how long the last job alike waited that had started before a time [s]; 0 if there was none."""
        for jobs in self.started.by(time, need, limit):
            before = jobs[self.start[jobs] < time]
            if len(before):
                return float(self.start[before[-1]] - self.arrival[before[-1]])
        return 0.0


def history(log: Log, policy: str) -> History:
    """Return the history of a log; if it has no starts, those of a replay under a policy are taken.

    Who does not say a limit has the longest that anybody had said by then. In a log without limits all jobs count as
    alike.

    Raises
    ------
    ValueError
        If the log does not tell when jobs came, or if its submit times are start times; if it has no limits, and the
        policy looks at times.
    """
    arrival, servers = log.require_waits(), log.machine()
    if log.estimate is None and policies.policy(policy).knows_times:
        raise ValueError(
            f"the log does not say the limits of its jobs, so {policy} cannot foresee the ends of running jobs; "
            "fcfs and first-fit look at no limits"
        )
    start = log.start
    if start is None:
        start = log.begin + replay_log(log, servers, policy, estimate=log.estimates_used).of_log().start
    known = np.isfinite(start)
    if not known.any():
        raise ValueError("the log does not say when any job started")
    if log.unfinished is not None:  # they are among those present
        known = known & ~log.unfinished
    start = np.maximum(start, arrival)
    columns = _columns(arrival, start, log.run, log.estimate, log.needs)[:, known]
    taken, here, before = log.end, log.present, log.before
    if log.start is not None and before is not None:
        ended = np.isfinite(before.start) & ~before.unfinished
        begun = np.maximum(before.start, before.arrival)
        there = _columns(before.arrival, begun, before.run, before.estimate, plain(before.need))
        columns = np.hstack([there[:, ended], columns])
    if log.start is not None and here is not None:
        columns, taken = np.hstack([columns, _still_there(here)]), here.taken
    arrival, start, run, limit, times, *needs = columns[:, np.argsort(columns[0], kind="stable")]
    so_far = np.maximum.accumulate(np.nan_to_num(limit))
    limited = log.estimate is not None
    limit = np.where(np.isnan(limit), so_far, limit) if limited else np.full(len(limit), NO_LIMIT)
    need = np.column_stack(needs) if log.resources else needs[0]
    end, times = np.where(np.isfinite(run), start + run, np.inf), times.astype(int)
    calendar = None if log.calendar is None else log.calendar.on(servers)
    return History(arrival, start, end, need, run, limit, servers, taken, limited, times, calendar)


def _columns(arrival, start, run, limit, need, times=None):
    """Return the columns of jobs as rows of one array; limits and needs may be None or have several columns."""
    limit = np.full(len(arrival), np.nan) if limit is None else limit
    times = np.ones(len(arrival)) if times is None else times
    return np.vstack([arrival, start, run, limit, times, need.T])


def _still_there(here):
    """Return those who had not ended, in the columns of a history, with run times that are not known.

    An array has a row for each task that may run at once, which stands for so many runs one after the other.
    """
    rows = np.minimum(here.tasks, np.where(here.at_once > 0, here.at_once, here.tasks))
    rows = np.minimum(rows, MOST_TASKS)
    place = np.repeat(np.arange(len(rows)), rows)
    number = np.arange(len(place)) - np.repeat(np.cumsum(rows) - rows, rows)
    times = here.tasks[place] // rows[place] + (number < here.tasks[place] % rows[place])
    start = np.where(np.isnan(here.start), np.inf, here.start)[place]
    unknown = np.full(len(place), np.nan)
    return _columns(here.arrival[place], start, unknown, here.estimate[place], plain(here.need)[place], times)
