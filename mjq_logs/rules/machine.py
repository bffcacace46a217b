"""The rules of a machine beside its policy, and a log that is replayed with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq._util.plain import brief
from mjq.simulation import Hours
from mjq.simulation.engine.hours import HOURS
from mjq_logs._util import fingerprints
from mjq_logs.answers import Learning
from mjq_logs.limits import array_limits, queue_limits, user_limits
from mjq_logs.reading.log import HOUR, Log
from mjq_logs.rules.hours import WEEK, OpenHours, ahead_of_monday

SIZE_IN_USE = "the size that was used"


@dataclass(frozen=True)
class Rules:
    """Hold the rules of a machine beside its policy.

    Attributes
    ----------
    servers : float or None
        The size that is used; None: that of the log.
    hours : OpenHours or None
        At which hours of the week jobs may start, by their limits and needs.
    grace : float
        How far beyond the end of its open hours a job may be estimated to run [s]; infinite: hours are for starts.
    cycle : float
        Time between two passes of the scheduler [s]; 0: it starts jobs whenever something happens.
    user_servers : float or None
        The most servers that each user has at once, or those of their largest job; None: there is no such limit.
    user_jobs : float or None
        The most jobs that each user runs at once.
    queues : mapping
        Names of queues to the most servers that their jobs have at once, or the largest one of them.
    arrays : bool
        Whether each array of jobs runs at most so many of its tasks at once as the log says.

    Raises
    ------
    ValueError
        If a number is not positive, or the cycle or the grace is negative.

    Examples
    --------
    >>> bool(Rules()), bool(Rules(cycle=60))
    (False, True)
    """

    servers: float | None = None
    hours: OpenHours | None = None
    grace: float = np.inf
    cycle: float = 0.0
    user_servers: float | None = None
    user_jobs: float | None = None
    queues: Mapping[str, float] = field(default_factory=dict)
    arrays: bool = False

    def __post_init__(self) -> None:
        checks.not_negative("cycle", self.cycle, ndim=0)
        if not self.grace >= 0:
            raise ValueError(f"grace must be at least 0, got {checks.shown(self.grace)}")
        for name in ("servers", "user_servers", "user_jobs"):
            if getattr(self, name) is not None:
                checks.positive(name, getattr(self, name), ndim=0)
        if self.user_jobs is not None and self.user_jobs < 1:
            raise ValueError(f"user_jobs must be at least 1, got {checks.shown(self.user_jobs)}")
        for name, most in self.queues.items():
            checks.positive(f"the limit of the queue {brief(name)}", most, ndim=0)

    def __bool__(self) -> bool:
        return self != Rules()

    @property
    def limits_users(self) -> bool:
        """Return whether users have limits."""
        return self.user_servers is not None or self.user_jobs is not None

    @property
    def beside_size(self) -> Rules:
        """Return the same rules without a size."""
        return replace(self, servers=None)

    def how(
        self, log: Log, growth: float = 1.0, sooner: float = 0.0, before: ArrayLike = (), needs: ArrayLike = ()
    ) -> dict[str, Any]:
        """Return what :func:`mjq.simulation.schedule.replay` takes, for the jobs of a log and those `before` it.

        Of these needs are given and limits, or not a number for those who ran, who go on at any hour. Where jobs come
        faster, the week is as much shorter. Time 0 may be some seconds `sooner` than the window begins.
        """
        how: dict[str, Any] = {"cycle": self.cycle} if self.cycle else {}
        if self.hours is not None:
            how |= self._hours(self.hours, log, growth, sooner, before, needs)
        limits = array_limits(log, np.size(before)) if self.arrays else []  # who waits there counts for nothing else
        if self.limits_users:
            limits += user_limits(log, self.user_servers, self.user_jobs, np.size(before))
        limits += [queue_limits(log, self.queues, np.size(before))] if self.queues else []
        return how | ({"limits": limits} if limits else {})

    def _hours(self, hours, log, growth, sooner, before, needs):
        """Return the hours of a log on the clock of a replay; each gap that was cut, and summer time, moves them."""
        times = np.append(log.begin, log.require_arrivals())
        shifts, part = np.unique(ahead_of_monday(log, times, hours.standard), return_inverse=True)
        first, of_jobs = part[0], part[1:]
        most = shifts[np.bincount(of_jobs).argmax()]  # so that most jobs have hours to the second
        rows = [np.ones((1, HOURS), dtype=bool)]
        rows += [np.roll(hours.open, int(np.rint((most - shift) / HOUR)), axis=1) for shift in shifts]
        limits = log.run if log.estimates_used is None else log.estimates_used
        classes = hours.classes(limits, log.need) + len(hours) * of_jobs + 1
        begins = sooner - ((log.begin + most) % WEEK) / growth
        made = Hours(np.concatenate(rows), week_begins=begins, grace=self.grace / growth, hour=HOUR / growth)
        limits = np.asarray(before, dtype=float)
        theirs = np.where(np.isnan(limits), 0, hours.classes(np.nan_to_num(limits), needs) + len(hours) * first + 1)
        return {"hours": made, "hours_class": np.append(theirs, classes)}

    def fingerprint(self) -> str:
        """Return sixteen letters that depend only on these rules."""
        hours: tuple[Any, ...] = ()
        if self.hours is not None:
            hours = self.hours.limits, self.hours.needs, self.hours.open.astype(float), self.hours.standard
        others = (getattr(self, one.name) for one in fields(self) if one.name not in ("hours", "queues"))
        queues = [text for pair in sorted(self.queues.items()) for text in pair]
        return fingerprints.of_arrays(*others, *hours, *queues)


def with_rules(log: Log, rules: Rules | None, learning: Learning | None = None) -> Log:
    """Return a log whose replays keep these rules, on the size that they name.

    Parameters
    ----------
    log : Log
    rules : Rules or None
        None and empty rules: the log as it is.
    learning : Learning, optional
        What they explain, if they were learned.

    Raises
    ------
    ValueError
        If the log counts several resources, the size is below the largest need, or users, queues or arrays have
        limits and the log does not tell them.
    """
    rules = rules or Rules()
    if log.resources and rules:
        log.require_servers()  # refuses several
    if rules.servers is not None and not checks.fits(log.need.max(), rules.servers, rules.servers):
        raise ValueError(f"need {checks.shown(log.need.max())} exceeds the {rules.servers:g} servers of the rules")
    if rules.limits_users:
        user_limits(log)  # refuses a log without users
    if rules.queues:
        queue_limits(log, rules.queues)  # and one without these queues
    if rules.arrays:
        array_limits(log)  # and one without limits of arrays
    made = replace(log, rules=rules or None, learning=learning)
    return made if rules.servers is None else replace(made, servers=rules.servers, servers_from=SIZE_IN_USE)
