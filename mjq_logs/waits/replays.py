"""Replays of a log on machines of other sizes, under other policies and loads: each made once, in parallel."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import partial
from typing import Any

from mjq._util import checks, parallel
from mjq_logs.outages import calendar_on
from mjq_logs.reading.log import Log
from mjq_logs.waits.one_size import wait_statistics, worth


class Replays:
    """Make each replay of one log once.

    Parameters
    ----------
    log : Log
    percentile : float
        As for :func:`mjq_logs.waits.one_size.wait_statistics`.
    workers : int or distributed.Client or None
        As for :func:`mjq._util.parallel.map_as_completed`.
    bar : mjq._util.parallel.Bar
        Counts the replays; its total grows with what is asked for.
    """

    def __init__(self, log: Log, percentile: float, workers: parallel.Workers | None, bar: parallel.Bar):
        self.log, self.percentile, self.workers, self.bar = log, percentile, workers, bar
        self.worth = worth(log)
        self.rows: dict[str, dict[str, Any]] = {}

    def make(self, cases: Iterable[dict[str, Any]]) -> None:
        """Make the replays that are missing."""
        todo = {key: case for case in cases if (key := self._key(case)) not in self.rows and self.fits(case["servers"])}
        self.bar.total += len(todo)
        compute = partial(_waits, self.log, self.percentile, self.worth.number)
        for rows in parallel.map_as_completed(compute, list(todo.items()), self.workers):
            self.rows |= rows
            self.bar.update(len(rows))

    def waits(self, **case: Any) -> dict[str, Any]:
        """Return the waits of one case, by :func:`mjq_logs.waits.one_size.wait_statistics`."""
        self.make([case])
        return self.rows[self._key(case)]

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

    @staticmethod
    def _key(case):
        return json.dumps(case, sort_keys=True)


def _waits(log, percentile, number, case):
    return wait_statistics(log, **case, percentile=percentile, number=number)
