"""Replays of a log on machines of other sizes, under other policies and loads: each made once, in parallel."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from mjq._util import checks, parallel
from mjq_logs._util import fingerprints
from mjq_logs._util.journal import Journal
from mjq_logs.outages import calendar_on
from mjq_logs.reading.log import Log
from mjq_logs.waits.one_size import wait_statistics, worth


class Replays:
    """Make each replay of one log once; keep notes beside an output if there is one, so that the same call resumes.

    Parameters
    ----------
    log : Log
    percentile : float
        As for :func:`mjq_logs.waits.one_size.wait_statistics`.
    workers : int or distributed.Client or None
        As for :func:`mjq._util.parallel.map_as_completed`.
    output : path or None
        What the replays are for.
    force : bool
        Replace what was noted of others.
    bar : mjq._util.parallel.Bar
        Counts the replays; its total grows with what is asked for.
    """

    def __init__(
        self,
        log: Log,
        percentile: float,
        workers: parallel.Workers | None,
        output: Path | None,
        force: bool,
        bar: parallel.Bar,
    ):
        self.log, self.percentile, self.workers, self.bar = log, percentile, workers, bar
        self.worth = worth(log)
        described = {"code": fingerprints.code("mjq", "mjq_logs"), "log": _fingerprint(log), "percentile": percentile}
        path = None if output is None else output.with_name(output.name + ".part")
        self.journal = Journal(path, described, force)
        self.rows = self.journal.rows

    def forget(self) -> None:
        """Remove the notes, after the output has been written."""
        self.journal.remove()

    def make(self, cases: Iterable[dict[str, Any]]) -> None:
        """Make the replays that are missing."""
        todo = {key: case for case in cases if (key := self._key(case)) not in self.rows and self.fits(case["servers"])}
        self.bar.total += len(todo)
        compute = partial(_waits, self.log, self.percentile, self.worth.number)
        for rows in parallel.map_as_completed(compute, list(todo.items()), self.workers):
            self.journal.note(rows)
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


def _fingerprint(log):
    """Return what tells this log from another one: whatever a replay depends on."""
    there = () if (before := log.before) is None else (before.need, before.run, before.start, before.estimate)
    first = () if log.priority is None else (log.priority, None if before is None else before.priority)
    calendar = () if log.calendar is None else (log.calendar.since, log.calendar.up)
    limits = () if log.user_limit is None else (log.user_limit, log.user)
    columns = log.need, log.run, log.arrival, log.estimate
    return fingerprints.of_arrays(log.begin, log.end, *columns, *there, *first, *calendar, *limits)
