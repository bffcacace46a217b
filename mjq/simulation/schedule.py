"""When each job of a log starts and ends under a queueing policy.

A replay is one run of the event loop (:mod:`mjq.simulation.loop`) whose arrivals, run times and estimates are
those of the log, in order of arrival. Jobs with the same need, and the same priority if they have one, are one class.
First come, first served needs no events if nothing else is given: nobody passes another job.
It takes the time of the events, two a job, and memory for the columns of the log; a test holds each start and end to a
plain definition, to the last bit.

A job may need several resources at once, such as processors and memory. They are those of one pool: nothing is said of
which part of it is whose, and a job fits where it fits into what is free of each of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks, watching
from mjq._util.decimals import in_last_decimals
from mjq.simulation import policies
from mjq.simulation.calendar import Calendar, calendar_of
from mjq.simulation.engine import arrivals
from mjq.simulation.engine.gates import user_limits
from mjq.simulation.engine.order import starts_in_order
from mjq.simulation.engine.queue import by_resource, units
from mjq.simulation.loop import ENDLESS, FINISH, START, STEP, Plan, events
from mjq.simulation.multiserver import require_powers_of_two

TIES = "completions first", "one by one"


@dataclass(frozen=True, eq=False, repr=False)
class Schedule:
    """Hold the starts and ends of jobs, in the order in which the jobs were given.

    Attributes
    ----------
    submit, run : float array, shape (n,)
        The log; with a limit at which jobs are killed, `run` is what is left.
    need : float array, shape (n,) or (n, d)
    servers : float, or float array, shape (d,)
        Of which a job needs so many; or the sizes of several resources.
    start, finish : float array, shape (n,)
        When each job starts for the first time, and when it ends; between them it may have been interrupted.
    calendar : mjq.simulation.calendar.Calendar, optional
        How many servers are up, and from when on; None if all are always up. Of several resources it counts the first.
    """

    submit: np.ndarray
    need: np.ndarray
    run: np.ndarray
    servers: Any
    start: np.ndarray
    finish: np.ndarray
    calendar: Calendar | None = None

    def __repr__(self):
        return f"{type(self).__name__}({len(self.run)} jobs on {checks.shown(self.servers)} servers)"

    @property
    def wait(self) -> np.ndarray:
        """Return the wait of each job: the time between its submission and its start."""
        return self.start - self.submit

    @property
    def sojourn(self) -> np.ndarray:
        """Return the time of each job in the system."""
        return self.finish - self.submit

    def bounded_slowdown(self, threshold: float = 10) -> float:
        """Return the mean of sojourn over run time; run times count as at least `threshold`, ratios as at least 1.

        Source: D. G. Feitelson, Metrics for parallel job scheduling and their convergence, JSSPP 2001.

        >>> float(replay([0, 0], [1, 1], [20, 5], None, 1).bounded_slowdown())
        1.75
        """
        threshold = float(checks.positive("threshold", threshold, ndim=0))
        return np.maximum(1, self.sojourn / np.maximum(self.run, threshold)).mean()

    @property
    def utilization(self) -> Any:
        """Return the mean fraction of busy servers from the first arrival to the last end; nan if no time passes.

        With a calendar, of those that are up, or would be down if no job still ran on them. Of several resources, an
        array with the fraction of each.

        >>> replay([0, 0], [1, 2], [4, 2], None, 4).utilization
        0.5
        >>> replay([0, 0], [(1, 0), (2, 8)], [4, 2], None, (4, 8)).utilization
        array([0.5, 0.5])
        """
        sizes = np.atleast_1d(self.servers)
        used = np.empty(len(sizes))
        for k, (size, need) in enumerate(zip(sizes, self.need.reshape(-1, len(sizes)).T, strict=True)):
            span = self.finish.max() - self.submit.min()
            there = size * span if self.calendar is None else self._up_or_held(self.calendar, size, need)
            used[k] = need @ self.run / there if span > 0 and there > 0 else np.nan
        return used if np.ndim(self.servers) else float(used[0])

    def _up_or_held(self, calendar, size, need):
        """Return what of a resource is up or held, whichever is more, times the time from first arrival to last end."""
        first, last = self.submit.min(), self.finish.max()
        changes = calendar.since[(calendar.since > first) & (calendar.since < last)]
        times = np.unique(np.concatenate([[first, last], self.start, self.finish, changes]))
        begun = np.bincount(np.searchsorted(times, self.start), need, len(times))
        ended = np.bincount(np.searchsorted(times, self.finish), need, len(times))
        held = np.cumsum(begun - ended)[:-1]
        up = calendar.at(times[:-1]) * (size / calendar.servers)
        return float(np.maximum(held, up) @ np.diff(times))


def replay(
    submit: ArrayLike,
    need: ArrayLike,
    run: ArrayLike,
    estimate: ArrayLike | None,
    servers: Any,
    policy: str = "fcfs",
    *,
    ties: str = "completions first",
    kill: bool = False,
    calendar: ArrayLike | Calendar | None = None,
    priority: ArrayLike | None = None,
    user: ArrayLike | None = None,
    user_limit: float | None = None,
) -> Schedule:
    """Replay a log: return when each job starts and ends under a queueing policy.

    Jobs queue in order of arrival or, with priorities, by priority and then by arrival. Nobody is interrupted. Fair
    share is not modelled.

    Parameters
    ----------
    submit : sequence of float, shape (n,)
        When jobs come, at least 0, in any order; jobs that come at the same instant queue in the order given.
    need : sequence of float, shape (n,) or (n, d)
        How many servers each job holds; of several resources, how much of each, which may be 0.
    run : sequence of float, shape (n,)
        For how long, at least 0.
    estimate : sequence of float, shape (n,), or None
        How long users say that their jobs run at most; None: they know it exactly. Zero counts as the shortest time
        that is different from zero at the end of the log: what is promised to a job must be something.
    servers : float, or sequence of float, shape (d,)
        Or the sizes of several resources of one pool, up to four.
    policy : str
        See :func:`~mjq.simulation.multiserver.simulate_multiserver`.
    ties : {"completions first", "one by one"}
        Order of events at one instant. Either all completions, then all arrivals, then the policy starts jobs; a job of
        run time zero holds its servers until nobody else may start, ends, and the policy is asked again at the same
        instant. Or each arrival, then each completion, is followed by the policy; jobs that are expected to end by this
        instant then count as gone. Completions come in the order in which the policy started the jobs, which is not
        always the order of arrival; under a policy that interrupts, each job's last start counts. Times with at most
        six decimals are added as decimals: what ends at 0.1 + 0.2 ends at 0.3.
    kill : bool
        Whether jobs are killed at their estimate. If not, who runs longer is taken to have said so beforehand.
    calendar : sequence of (float, float), optional
        Times, on the clock of `submit`, and how many of the servers are up from each of them on; before the first all
        are. Jobs in service run on when servers go down; those servers go when the jobs end. The whole rule is in
        :mod:`mjq.simulation.calendar`. Not for policies that interrupt. Of several resources it counts the first, and
        the same share of each other one is up.
    user : int array, shape (n,), optional
        Who submitted each job; -1 for a job that has no limit.
    user_limit : float, optional
        How many servers each user has at most at once, or those of their largest job; the rule is in
        :mod:`mjq.simulation.engine.gates`. For one resource, and for policies that take priorities.

    Returns
    -------
    Schedule

    Raises
    ------
    ValueError
        If there is no job, lengths differ, a time is negative, a job needs nothing or more than the servers, there is
        no such policy, it goes by classes, or it is a rule for one resource and there are more; if there are priorities
        and the policy takes none; if a calendar does not rise, has more servers than there are, or leaves so few up for
        ever that some job never starts; if users have a limit, and the policy takes none, there are several resources,
        or the user of some job is no whole number of at least -1.

    Examples
    --------
    Four servers; the second job needs them all. First-fit lets the third overtake it, EASY only if that delays nobody:

    >>> log = [0, 1, 2], [2, 4, 2], [5, 2, 4], None, 4
    >>> replay(*log).start
    array([0., 5., 7.])
    >>> replay(*log, "first-fit").start
    array([0., 6., 2.])
    >>> replay(*log, "easy").start
    array([0., 5., 7.])

    From time 4 to time 9 two servers are down: the second job must wait for them.

    >>> replay(*log, "easy", calendar=[(4, 2), (9, 4)]).start
    array([0., 9., 5.])

    Four servers and 16 GB: beside the first job there are servers for the second, but not the memory.

    >>> replay([0, 1, 2], [(2, 12), (2, 8), (1, 4)], [5, 2, 3], None, (4, 16), "easy").start
    array([0., 5., 2.])

    The third job goes before the second:

    >>> replay([0, 1, 2], [4, 2, 4], [5, 2, 3], None, 4, priority=[0, 0, 1]).start
    array([0., 8., 5.])

    The user of the first three jobs has at most two servers at once, so that the job of another one starts before:

    >>> replay([0, 1, 2, 3], [2, 2, 2, 2], [5, 5, 5, 5], None, 4, "easy", user=[0, 0, 0, 1], user_limit=2).start
    array([ 0.,  5., 10.,  3.])
    """
    servers, held, needs, kinds = _needs(servers, need)
    submit, run = checks.not_negative("submit", submit), checks.not_negative("run", run)
    estimates = run if estimate is None else checks.not_negative("estimate", estimate)
    if not len(submit) == len(held) == len(run) == len(estimates):
        lengths = f"{len(submit)}, {len(held)}, {len(run)} and {len(estimates)}"
        raise ValueError(f"submit, need, run and estimate must have one entry for each job, got {lengths}")
    if ties not in TIES:
        raise ValueError(f"ties must be one of {', '.join(TIES)}; got {ties!r}")
    rule = policies.policy(policy, np.size(servers))
    if rule.by_class:
        raise ValueError(
            f"{policy} goes by the classes of the simulator, and a log has none: give a priority to each job instead"
        )
    if rule.interrupts:
        require_powers_of_two(needs.ravel(), np.max(servers))
        if calendar is not None:
            raise ValueError(f"{policy} interrupts jobs, and is not replayed with a calendar")
    if priority is not None and not rule.takes_priorities:
        possible = ", ".join(name for name, rule in policies.POLICIES.items() if rule.takes_priorities)
        raise ValueError(f"{policy} is not replayed with priorities: {possible} are, which go down the queue alone")
    calendar = None if calendar is None else calendar_of(calendar, np.ravel(servers)[0])
    run, estimates = (np.minimum(run, estimates), estimates) if kill else (run, np.maximum(run, estimates))
    steps = np.empty(0, STEP) if calendar is None else calendar.steps()
    last = max(submit.max(), steps["since"].max(initial=0.0))  # nothing ends later than all work after it
    # Counted in units of the last decimal, sums are exact: a job that ends as another one starts does so.
    columns = submit, run, estimates, steps["since"]
    unit, (*scaled, since) = in_last_decimals(*columns, last=last + run.sum() + estimates.max())
    steps = steps.copy()
    steps["since"] = since
    estimates = np.maximum(scaled[2], np.spacing((last + run.sum()) * unit))
    in_order, n = bool((submit[1:] >= submit[:-1]).all()), len(submit)
    order = slice(None) if in_order else np.argsort(submit, kind="stable")
    queue = None
    if priority is not None:
        queue, kinds, which = _by_priority(priority, kinds, len(needs), np.arange(n)[order])
        needs = needs[which]
    limits = None
    if user_limit is not None:
        number = order if queue is None else queue
        users = _users(user, user_limit, len(submit), rule, policy, np.ndim(servers) > 0)
        limits = user_limits(users[number], user_limit, needs, kinds[number])
    changes = steps if len(steps) else None
    in_units, record = by_resource(units(needs, servers)), np.full((2, n), np.nan)
    if rule.keeps_order and ties == TIES[0] and queue is None and changes is None and limits is None:
        held_by_job = tuple(column[kinds[order]] for column in in_units.T[: np.size(servers)])
        lasts = scaled[1][order].copy()  # which can be written, so that one type serves all
        record[START] = starts_in_order(held_by_job, lasts, scaled[0][order].copy())
        record[FINISH] = record[START] + lasts
    else:
        source = arrivals.logged(scaled[0], kinds, scaled[1], estimates, order, queue)
        del estimates, scaled, columns, kinds  # a log may be so long that each column counts
        plan = Plan(
            arrivals=n,
            warm=0,
            counted=n,
            batches=1,
            tail_at=np.empty(0),
            room=ENDLESS,
            one_by_one=ties == "one by one",
            knows_times=rule.draws_times_first,
            interrupts=rule.interrupts,
            number=rule.number,
            by_number=queue is not None,
        )
        # A log leaves nothing to chance; the generator is there because the event loop is the same for all sources.
        rng = np.random.default_rng(0)
        with watching.working(f"replay under {policy}", lambda: float(np.mean(record[START] >= 0))):
            events(rng, rule, source, in_units, plan, record, changes, limits)
        del source
    if unit > 1:
        record /= unit
    place = order if queue is None else queue  # of each row of the record
    times = record if in_order and queue is None else np.empty((2, n))
    if times is not record:
        times[:, place] = record
    if np.isnan(times[START]).any():
        raise ValueError(_never_start(np.flatnonzero(np.isnan(times[START])), held, servers, calendar))
    return Schedule(submit.copy(), held.copy(), run.copy(), servers, times[START], times[FINISH], calendar)


def _users(user, most, jobs, rule, policy, several):
    """Return the user of each job, or raise an error if replays with limits are not for this policy or machine."""
    if not rule.takes_priorities:
        possible = ", ".join(name for name, rule in policies.POLICIES.items() if rule.takes_priorities)
        raise ValueError(f"{policy} is not replayed with limits: {possible} are, which go down the queue alone")
    if several:
        raise ValueError("limits of users are of one resource, and several are given")
    checks.positive("user_limit", most, ndim=0)
    users = np.asarray(-1 if user is None else user)
    if users.shape != (jobs,) or not np.issubdtype(users.dtype, np.integer) or users.min() < -1:
        raise ValueError(f"user must be a whole number of at least -1 for each of {jobs} jobs")
    return users


def _needs(servers, need):
    """Return the servers, the need of each job, the different ones among these, and which of them is whose."""
    if not np.ndim(servers):
        servers, need = float(checks.positive("servers", servers, ndim=0)), checks.positive("need", need)
        needs = np.unique(need)
        if len(needs) and not checks.fits(needs[-1], servers, servers):
            raise ValueError(f"need {checks.shown(needs[-1])} exceeds the {checks.shown(servers)} servers")
        return servers, need, needs, np.searchsorted(needs, need)
    try:
        need = checks.not_negative("need", need, ndim=2)
    except ValueError:
        checks.resources(("servers", "need"), servers, need)  # names the need that has another length, if one has
        raise
    needs, kinds = np.unique(need, axis=0, return_inverse=True)
    servers, needs = checks.resources(("servers", "need"), servers, needs)
    for which, (size, column) in enumerate(zip(servers, needs.T, strict=True), start=1):
        too_large = needs[~checks.fits(column, size, size)]
        if len(too_large):
            shown = f"need {checks.shown(too_large[0])} exceeds the {checks.shown(servers)} servers"
            raise ValueError(f"{shown}: there is too little of resource {which}")
    return servers, need, needs, kinds.ravel()


def _by_priority(priority, kinds, number, order):
    """Return the order of the queue, the class of each job by priority too, and which of `number` each class was."""
    priority = checks.numbers("priority", priority)
    if len(priority) != len(kinds):
        raise ValueError(f"priority must have one entry for each job, got {len(priority)} for {len(kinds)} jobs")
    _, rank = np.unique(-priority, return_inverse=True)
    classes, kinds = np.unique(rank * number + kinds, return_inverse=True)
    return order[np.argsort(rank[order], kind="stable")], kinds, classes % number


def _never_start(jobs, need, servers, calendar):
    """Return a message: how many jobs never start, and why."""
    up = calendar.up[-1] / calendar.servers * servers
    too_large = int((~checks.fits(need[jobs], up, up)).sum())
    return (
        f"{len(jobs)} of {len(need)} jobs never start: the calendar ends with {checks.shown(calendar.up[-1])} of "
        f"{checks.shown(calendar.servers)} servers up, and {too_large} of them need{'s' * (too_large == 1)} more; "
        f"the first that waits is job {jobs[0] + 1} of those given"
    )
