"""Replays of a log on machines of other sizes, under other policies and loads: each made once, in parallel."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

from mjq._util import checks, parallel
from mjq_logs.machine.outages import calendar_on
from mjq_logs.questions.waits import Statistics, wait_statistics, worth
from mjq_logs.reading.log import Log


class Case(NamedTuple):
    """Name one replay."""

    servers: float
    policy: str
    growth: float
    exact: bool = False


class Replays:
    """Make each replay of one log once; a bar counts them, and its total grows with what is asked for."""

    def __init__(self, log: Log, percentile: float, workers: parallel.Workers | None, bar: parallel.Bar):
        self.log, self.percentile, self.workers, self.bar = log, percentile, workers, bar
        self.worth = worth(log)
        self.found: dict[Case, Statistics] = {}

    def make(self, cases: Iterable[Case]) -> None:
        """Make the replays that are missing."""
        todo = [(case, case) for case in dict.fromkeys(cases) if case not in self.found and self.fits(case.servers)]
        self.bar.total += len(todo)
        compute = partial(_waits, self.log, self.percentile, self.worth.number)
        for found in parallel.map_as_completed(compute, todo, self.workers):
            self.found |= found
            self.bar.update(len(found))

    def waits(self, case: Case) -> Statistics:
        """Return the waits of one case."""
        self.make([case])
        return self.found[case]

    def percentile_of(self, case: Case) -> float:
        """Return the percentile of the waits of one case, which is infinite if some job does not fit."""
        return self.waits(case).percentile.value if self.fits(case.servers) else float("inf")

    def fits(self, servers: float) -> bool:
        """Return whether all jobs fit into the machine."""
        return not self.too_large(servers)

    def too_large(self, servers: float) -> int:
        """Return how many jobs need more than there is, or than a calendar has up at its end."""
        if self.log.calendar is not None:
            servers = self.log.calendar.on(servers).up[-1]
        return int((~checks.fits(self.log.need, servers, servers)).sum())

    def load(self, servers: float, growth: float) -> float:
        """Return the work that comes over what the servers can do meanwhile."""
        seen = self.log.end - self.log.begin
        up = calendar_on(self.log, servers, growth)
        if up is not None:
            return float(self.log.need @ self.log.run / up.work(0.0, seen / growth))
        return float(growth * (self.log.need @ self.log.run) / (servers * seen))


def _waits(log, percentile, number, case):
    return wait_statistics(log, **case._asdict(), percentile=percentile, number=number)
