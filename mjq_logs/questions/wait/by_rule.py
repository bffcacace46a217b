"""The start of one more job under a queueing policy, replayed from the state of the machine with what is drawn."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq.simulation import replay
from mjq_logs.questions.wait.state import History, State
from mjq_logs.reading.rows import UNLIMITED

LATER_JOBS = 100  # successive jobs that come after the new one
BEFORE = 1.0  # seconds before the others at which those that run are started: each of them fits


class Drawn(NamedTuple):
    """Hold what may come, a row for each time it is drawn; the columns are jobs, in the order in which they queue."""

    arrival: np.ndarray  # time 0 is that of the forecast; jobs that run came before
    need: np.ndarray  # shape (draws, jobs) or (draws, jobs, d)
    run: np.ndarray  # what is left, as is the limit
    limit: np.ndarray
    new: int  # which of the jobs is the new one
    up: Any  # servers that are up, as if for ever: the scheduler does not know its calendar beforehand


def draw(
    jobs: History,
    state: State,
    need: ArrayLike,
    limit: float,
    draws: int,
    rng: np.random.Generator,
    later: int = LATER_JOBS,
) -> Drawn:
    """Draw what is not known: remaining run times, and who comes later.

    Run times are drawn from jobs alike, see :meth:`~mjq_logs.questions.wait.state.History.runs_alike`. Those who come
    later are successive jobs of the log, from a random one on; a run time that had not ended is drawn between 0 and its
    limit or, without one, the longest run so far. Jobs that need more than the servers that are up are left out: nobody
    knows when they can start.
    """
    up = jobs.up(state.time)
    here = np.concatenate([state.running, state.waiting[checks.fits(jobs.need[state.waiting], up, up)]])
    running, new, first = len(state.running), len(here), state.arrived - later - 1
    later = later if first > 0 else 0
    arrival, run, limits = np.zeros((3, draws, new + 1 + later))
    needs = np.zeros((*arrival.shape, *jobs.need.shape[1:]))
    needs[:, : new + 1] = [*jobs.need[here], need]
    ages = np.append(state.time - jobs.start[state.running], np.zeros(new - running))
    for k, job in enumerate(here):
        alike = jobs.runs_alike(state.time, jobs.need[job], jobs.limit[job], ages[k] if k < running else -1.0)
        times = int(jobs.times[job])
        run[:, k] = alike[rng.integers(len(alike), size=(times, draws))].sum(axis=0) - ages[k]
    stated = jobs.limits_at(state.time, jobs.limit)
    longest = np.where(stated < UNLIMITED, stated, jobs.longest_at(state.time))
    limit = float(jobs.limits_at(state.time, limit))
    limits[:, : new + 1] = [*(jobs.times[here] * stated[here] - ages), limit]
    run[:, new] = limit
    for past in (run, limits):
        past[:, :running] = np.maximum(past[:, :running], 0) + BEFORE
    arrival[:, :running] = -BEFORE
    if later:
        before = rng.integers(first, size=draws)[:, None]
        block = before + 1 + np.arange(later)
        arrival[:, new + 1 :] = jobs.arrival[block] - jobs.arrival[before]
        needs[:, new + 1 :], limits[:, new + 1 :] = jobs.need[block], stated[block]
        run[:, new + 1 :] = np.where(
            jobs.end[block] <= state.time, jobs.run[block], longest[block] * rng.random(block.shape)
        )
        too_large = ~checks.fits(needs, up, up)
        too_large[:, : new + 1] = False
        needs[too_large], run[too_large], limits[too_large] = need, 0, 0
    return Drawn(arrival, needs, run, limits, new, up)


def waits_by_rule(what: Drawn, servers: Any, policy: str) -> np.ndarray:
    """Return how long the new job waits in each draw [s].

    All draws are one replay: each begins after the machine has become empty of the one before.
    """
    arrival = what.arrival + BEFORE
    spans = np.ceil(arrival.max(axis=1) + np.maximum(what.run, what.limit).sum(axis=1)) + 1  # no promise is later
    begins = np.cumsum(spans) - spans
    needs = what.need.reshape(arrival.size, *what.need.shape[2:])
    columns = (arrival + begins[:, None]).ravel(), needs, what.run.ravel(), what.limit.ravel()
    made = replay(*columns, servers, policy, calendar=_calendar(what, servers, begins))
    return made.wait.reshape(arrival.shape)[:, what.new]


def _calendar(what, servers, begins):
    """Return when servers are up: all until the jobs that run have been started, then those that are up."""
    if np.array_equal(what.up, servers):
        return None
    steps = [[(begin, servers), (begin + BEFORE / 2, what.up)] for begin in begins]
    return np.array(steps).reshape(-1, 2)
