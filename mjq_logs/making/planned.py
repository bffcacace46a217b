"""Starts that were promised while our example log went on: ``python -m mjq_logs.making.planned`` makes them anew.

A scheduler promises the starts of a plan in which each job takes as long as its limit and nobody comes any more.
"""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from mjq.simulation import replay
from mjq_logs.making.example import example_log, example_path
from mjq_logs.reading.log import Log

FILE = "example-starts.csv.gz"
FIRST, BETWEEN = 20 * 86_400, 16 * 3600  # seconds, of the looks at the queue
PLANNED = 50  # jobs of the queue for which a start is promised


def promised(log: Log) -> str:
    """Return what ``squeue --start`` would have printed every 16 hours, with the time before each line.

    The plan is that of conservative backfilling, for the first fifty jobs of the queue.

    >>> print("\\n".join(promised(example_log()).splitlines()[:2]))
    2026-01-25T16:00:00|1259|2026-01-25T16:48:54
    2026-01-29T16:00:00|1476|2026-01-29T16:56:17
    """
    arrival, start, limit = log.require_arrivals(), log.start, log.estimate
    assert start is not None and limit is not None and log.clock is not None and log.number is not None
    lines = []
    for time in np.arange(FIRST, arrival[-1], BETWEEN):
        running = np.flatnonzero((start <= time) & (start + log.run > time))
        waiting = np.flatnonzero((arrival <= time) & (start > time))
        if not len(waiting):
            continue
        there = np.concatenate([running, waiting])
        rest = np.concatenate([limit[running] - (time - start[running]), limit[waiting]])
        come = np.repeat([0.0, 1.0], [len(running), len(waiting)])  # those that run hold their servers first
        plan = replay(come, log.needs[there], rest, rest, log.require_servers(), "conservative").start[len(running) :]
        for k, job in enumerate(waiting):
            planned = _date(log.clock + time + plan[k] - 1) if k < PLANNED else "N/A"
            lines.append(f"{_date(log.clock + time)}|{log.number[job]}|{planned}")
    return "\n".join(lines) + "\n"


def _date(seconds):
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"


def main() -> None:
    """Write the file."""
    with example_path() as log, gzip.GzipFile(Path(log).parent / FILE, "wb", mtime=0) as file:
        file.write(promised(example_log()).encode())


if __name__ == "__main__":
    main()
