"""What public logs show of the rules of their machines: ``make experiment NAME=rules``.

The logs are those of :mod:`mjq_book.experiments.forecasts`. Those that do not say when jobs really started teach no
rules, and are named with nothing beside. Of the others ``rules.csv`` has three rows: EASY as it is, EASY on the size
that was used, and EASY with the rules that :func:`mjq_logs.learned_rules` chooses from the first half of the log. All
are judged on the second half: see :class:`mjq_logs.answers.Likeness`. Where no rule helps, the last row is the first.
In the log of MetaCentrum two thirds of the waiting of the first half are one user's, who held up to 636 processors at
once. A limit for each user of about 200, with which the second half has a smaller error, makes the first half worse.

``starts_by_hour.csv`` is of KTH-SP2: for each class of limits and each hour of the week, in how many hours somebody
waited who would have fitted, and how many of them saw a start, see :mod:`mjq_logs.rules.exposure`. Hours are those of
standard time, which is the clock that :func:`mjq_logs.learned_rules` chooses for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from tqdm import tqdm

import mjq_logs
from mjq.simulation.engine.hours import HOURS
from mjq_book.experiments.forecasts import MADE_UP, REAL, REPLAYED
from mjq_book.experiments.public_logs import required_traces
from mjq_book.experiments.tables.keeping import keep
from mjq_logs.rules.exposure import exposure, octaves
from mjq_logs.rules.judging import likeness, waits_with
from mjq_logs.rules.machine import SIZE_IN_USE

TABLE = Path(__file__).parent / "tables/rules.csv"
STARTS = Path(__file__).parent / "tables/starts_by_hour.csv"
COMMAND = "make experiment NAME=rules"
WEEKLY = "KTH-SP2"  # whose starts are shown by the hour of the week
SHOWN_FROM = 3600.0  # seconds of a limit, up to which classes are taken together


def rows(name: str, starts: str, log: mjq_logs.Log) -> Iterator[dict]:
    """Yield a row for each way in which a log is replayed, judged on its second half."""
    learned = mjq_logs.learned_rules(log)
    assert learned.learning is not None and log.wait is not None, "these logs say when jobs started"
    first, *_, last = [learned.learning.explained[0], *learned.learning.explained]
    judged = np.arange(len(log)) >= len(log) - learned.learning.judged
    used = mjq_logs.Rules(servers=mjq_logs.size_in_use(log))
    ways = {"as it is": first.near, SIZE_IN_USE: likeness(log.wait, waits_with(log, used), judged)}
    for way, near in (ways | {"with rules": last.near}).items():
        rules = {"with rules": last.rules, SIZE_IN_USE: f"{used.servers:g} servers"}.get(way, "none")
        yield {"log": name, "starts": starts, "jobs": len(log), "replay": way, "rules": rules, **near.model_dump()}


def hours_of_starts(log: mjq_logs.Log) -> Iterator[dict]:
    """Yield a row for each class of limits and each hour of the week: hours of waiting, and those with a start."""
    limits = log.estimates_used
    assert limits is not None
    ends = octaves(limits)
    seen = exposure(log, ends[ends >= SHOWN_FROM], np.empty(0), standard=True)
    for limit, waited, started in zip(seen.limits, seen.waited[0], seen.started[0], strict=True):
        for hour in range(HOURS):
            yield {"limit": limit / 3600, "hour": hour, "waited": int(waited[hour]), "started": int(started[hour])}


def main() -> None:
    folder = required_traces()
    table: list[dict] = []
    for file_of, starts in ((REAL, "real"), (REPLAYED, "replay")):
        for name, file in tqdm(file_of.items(), desc=starts):
            table += rows(name, starts, mjq_logs.read_log(folder / file))
    table += [{**dict.fromkeys(table[0], ""), "log": name, "starts": "none"} for name in MADE_UP]
    keep(TABLE, table, COMMAND, digits=4)
    keep(STARTS, list(hours_of_starts(mjq_logs.read_log(folder / REAL[WEEKLY]))), COMMAND, digits=4)


if __name__ == "__main__":
    main()
