"""The start of one more job under a queueing policy, replayed from the state of the machine with what is drawn."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mjq.simulation import Hours, Limits, replay
from mjq.simulation.engine.hours import HOURS
from mjq.simulation.limits import FREE
from mjq_logs.forecast.state import QUEUE, USER, History, State
from mjq_logs.rules.hours import WEEK
from mjq_logs.rules.machine import Rules

LATER = 100  # successive jobs that come after the new one
SECOND = 1.0
BEFORE = 1.0  # seconds before the others at which those that run are started: each of them fits


class Kept(NamedTuple):
    """Hold the rules that replays keep beside their policy.

    Attributes
    ----------
    rules : Rules
    kinds : int array, shape (draws, jobs)
        By which hours each job may start: 0 at any, or one more than its class.
    groups : int array, shape (draws, jobs, 2)
        Of each job, as those of a :class:`~mjq_logs.forecast.state.History`.
    hour : float
        Time since Monday 0 h at the time of the forecast [s].
    """

    rules: Rules
    kinds: np.ndarray
    groups: np.ndarray
    hour: float

    def whole(self, spans: np.ndarray, longer: int) -> np.ndarray:
        """Return longer spans, after which the week and the passes of the scheduler begin anew."""
        unit = WEEK if self.rules.hours is not None else self.rules.cycle or SECOND
        return (np.ceil(spans / unit) + longer) * unit

    def of(self, jobs: Any) -> Kept:
        """Return the rules for some of the jobs, or in another order."""
        return self._replace(kinds=self.kinds[jobs], groups=self.groups[jobs])

    def how(self, need: np.ndarray, runs: np.ndarray) -> dict[str, Any]:
        """Return what a replay takes of the rules, of jobs that need so much, some of which run already."""
        how: dict[str, Any] = {"cycle": self.rules.cycle} if self.rules.cycle else {}
        if self.rules.hours is not None:
            always = np.ones((1, HOURS), dtype=bool)
            is_open = np.concatenate([always, self.rules.hours.open])
            how |= {"hours": Hours(is_open, week_begins=BEFORE - self.hour, grace=self.rules.grace)}
            how |= {"hours_class": self.kinds.ravel()}
        if limits := self._limits(need, runs):
            how["limits"] = limits
        return how

    def _limits(self, need, runs):
        """Return the limits of users and queues."""
        limits, rules = [], self.rules
        if rules.user_servers is not None:
            limits.append(Limits(*self._groups(USER, rules.user_servers, need, runs)))
        if rules.user_jobs is not None:
            group, jobs = self._groups(USER, rules.user_jobs, np.ones(need.shape), runs)
            limits.append(Limits(group, jobs=jobs))
        if rules.queues:
            limits.append(Limits(*self._groups(QUEUE, [*rules.queues.values()], need, runs)))
        return limits

    def _groups(self, kind, most, size, runs):
        """Return the group of each job, and what each group has at most; each draw has its own groups.

        A group has at least what it holds already, and its largest job.
        """
        whose = self.groups[..., kind]
        known, number = whose != FREE, 1 + whose.max(initial=FREE)
        code = (np.arange(len(whose))[:, None] * number + whose)[known]
        codes, place = np.unique(code, return_inverse=True)
        group = np.full(whose.shape, FREE)
        group[known] = place
        room = np.array(np.broadcast_to(most, np.size(most) if np.ndim(most) else number)[codes % number], dtype=float)
        np.maximum.at(room, place, size[known])
        held = np.bincount(group[known & runs], size[known & runs], len(codes))
        return group.ravel(), np.maximum(room, held)


class Drawn(NamedTuple):
    """Hold what may come, a row for each time it is drawn; the columns are jobs, in the order in which they queue.

    Attributes
    ----------
    arrival, run, limit : float array, shape (draws, jobs)
        Time 0 is that of the forecast; jobs that run came before. Their `run` and `limit` are what is left.
    need : float array, shape (draws, jobs) or (draws, jobs, d)
    new : int
        Which of the jobs is the new one.
    up : float, or float array, shape (d,)
        Servers that are up, as if for ever: the scheduler does not know its calendar beforehand.
    kept : Kept or None
        The rules beside the policy.
    """

    arrival: np.ndarray
    need: np.ndarray
    run: np.ndarray
    limit: np.ndarray
    new: int
    up: Any
    kept: Kept | None = None


def drawn(
    jobs: History,
    state: State,
    need: ArrayLike,
    limit: float,
    draws: int,
    rng: np.random.Generator,
    later: int = LATER,
    group: ArrayLike = FREE,
) -> Drawn:
    """Draw what is not known: remaining run times, and who comes later; the new job may be of a known user and queue.

    Run times are drawn from jobs alike, see :meth:`~mjq_logs.forecast.state.History.runs_alike`. Those who come
    later are successive jobs of the log, from a random one on; a run time that had not ended is drawn between 0 and its
    limit. Jobs that need more than the servers that are up are left out: nobody knows when they can start.
    """
    up = jobs.up(state.time)
    here = np.concatenate([state.running, state.waiting[within(jobs.need[state.waiting], up)]])
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
    limits[:, : new + 1] = [*(jobs.times[here] * jobs.limit[here] - ages), limit]
    run[:, new] = limit
    for past in (run, limits):
        past[:, :running] = np.maximum(past[:, :running], 0) + BEFORE
    arrival[:, :running] = -BEFORE
    if later:
        before = rng.integers(first, size=draws)[:, None]
        block = before + 1 + np.arange(later)
        arrival[:, new + 1 :] = jobs.arrival[block] - jobs.arrival[before]
        needs[:, new + 1 :], limits[:, new + 1 :] = jobs.need[block], jobs.limit[block]
        run[:, new + 1 :] = np.where(
            jobs.end[block] <= state.time, jobs.run[block], jobs.limit[block] * rng.random(block.shape)
        )
        too_large = ~within(needs, up)
        too_large[:, : new + 1] = False
        needs[too_large], run[too_large], limits[too_large] = need, 0, 0
    kept, rules = None, jobs.rules_at(state.time)
    if rules is not None:
        stated = limits.copy()
        stated[:, :new] = jobs.limit[here]
        kinds, groups = np.zeros(limits.shape, dtype=int), np.full((*limits.shape, jobs.group.shape[1]), group)
        groups[:, :new] = jobs.group[here]
        if later:
            groups[:, new + 1 :] = np.where(too_large[:, new + 1 :, None], FREE, jobs.group[block])
        if rules.hours is not None:
            kinds[:, running:] = rules.hours.classes(stated[:, running:], needs[:, running:]) + 1
        kept = Kept(rules, kinds, groups, jobs.since_monday(state.time))
    return Drawn(arrival, needs, run, limits, new, up, kept)


def within(need: np.ndarray, up: Any) -> Any:
    """Return whether each need is at most what is up, of each resource."""
    return (need <= up).all(axis=-1) if np.ndim(up) else need <= up


def waits_one_by_one(what: Drawn, servers: Any, policy: str) -> np.ndarray:
    """Return how long the new job waits in each draw [s]: a replay each, which is the definition."""
    calendar = _calendar(what, servers, np.zeros(1))
    waits = []
    for k in range(len(what.arrival)):
        columns = what.arrival[k] + BEFORE, what.need[k], what.run[k], what.limit[k]
        one = slice(k, k + 1)
        how = {} if what.kept is None else what.kept.of(one).how(what.need[one], what.arrival[one] < 0)
        waits.append(replay(*columns, servers, policy, calendar=calendar, **how).wait[what.new])
    return np.array(waits)


def waits_by_rule(what: Drawn, servers: Any, policy: str) -> np.ndarray:
    """Return the same in a single replay: each draw begins after the machine has become empty of the one before."""
    arrival = what.arrival + BEFORE
    spans = np.ceil(arrival.max(axis=1) + np.maximum(what.run, what.limit).sum(axis=1)) + 1  # no promise is later
    if what.kept is None:
        return _in_one(what, arrival, spans, servers, policy).wait.reshape(arrival.shape)[:, what.new]
    spans, longer = arrival.max(axis=1) + np.maximum(what.run, what.limit).max(axis=1), 2
    while True:  # nobody knows before for how long jobs wait at hours that are closed
        of_each = what.kept.whole(spans, longer)
        made = _in_one(what, arrival, of_each, servers, policy)
        if (made.finish.reshape(arrival.shape).max(axis=1) < np.cumsum(of_each)).all():
            return made.wait.reshape(arrival.shape)[:, what.new]
        longer *= 2


def _in_one(what, arrival, spans, servers, policy):
    """Replay all draws one after the other; each has a span of its own."""
    begins = np.cumsum(spans) - spans
    needs = what.need.reshape(arrival.size, *what.need.shape[2:])
    columns = (arrival + begins[:, None]).ravel(), needs, what.run.ravel(), what.limit.ravel()
    how = {} if what.kept is None else what.kept.how(what.need, what.arrival < 0)
    return replay(*columns, servers, policy, calendar=_calendar(what, servers, begins), **how)


def _calendar(what, servers, begins):
    """Return when servers are up: all until the jobs that run have been started, then those that are up."""
    if np.array_equal(what.up, servers):
        return None
    steps = [[(begin, servers), (begin + BEFORE / 2, what.up)] for begin in begins]
    return np.array(steps).reshape(-1, 2)
