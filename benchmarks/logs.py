"""Logs: a million lines of each text format read, and the capacity of one that comes with the package."""

import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from benchmarks.timing import Row, peak_memory
from mjq_logs.reading.sacct import COLUMNS

LINES = 1_000_000
BEGAN = 1_767_571_200
READ = """
from mjq_logs import read_log
log = read_log({path!r})
assert log.lines.read == {lines} and len(log) > 0.99 * {lines}, log.lines
"""


def written(folder, form, lines=LINES):
    """A log of so many jobs, as SWF or as sacct prints it by default: with dates. Returns its path."""
    rng, path = np.random.default_rng(1), Path(folder) / f"jobs.{form}"
    columns = (
        np.cumsum(rng.integers(0, 60, lines)),
        rng.integers(0, 10_000, lines),
        rng.integers(0, 86_400, lines),
        2 ** rng.integers(0, 8, lines),
    )
    rows = zip(range(1, lines + 1), *(column.tolist() for column in columns), strict=True)
    with path.open("w", encoding="utf-8") as file:
        if form == "swf":
            file.write("; MaxProcs: 128\n")
            for k, submit, wait, run, need in rows:
                file.write(
                    f"{k:7d} {submit:9d} {wait:6d} {run:6d} {need:4d} -1 -1 {need:4d} 86400 -1 1 1 1 -1 -1 -1 -1 -1\n"
                )
            return path
        file.write(";".join(COLUMNS) + "\n")
        for k, submit, wait, run, need in rows:
            come, start, end = (_date(x) for x in (submit, submit + wait, submit + wait + run))
            held = f"billing={need},cpu={need},mem=1G,node=1"
            file.write(
                f"{k};COMPLETED;{come};{come};{start};{end};{run};1440;1;{need};{held};batch;SchedBackfill;{held};{k};\n"
            )
    return path


def _date(seconds):
    return datetime.fromtimestamp(BEGAN + seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def reading(form, what):
    """A million lines read."""

    def benchmark():
        from mjq_logs import read_log

        with tempfile.TemporaryDirectory() as folder:
            path = written(folder, form)
            read_log(path)  # libraries are loaded
            began = time.perf_counter()
            read_log(path)
            took = time.perf_counter() - began
            memory = peak_memory(READ.format(path=str(path), lines=LINES))
        return Row(f"read {LINES:,} lines of {what}: {memory:.0f} MB in all", took, "", None)

    return benchmark


def capacity():
    """The four capacities of our own log."""
    from mjq_logs import capacities, example_log

    log = example_log()
    capacities(log, exact=False)  # compiled
    began = time.perf_counter()
    capacities(log, seed=2, exact=False)
    return Row(f"four capacities of {len(log):,} jobs, simulated", time.perf_counter() - began, "", None)


BENCHMARKS = [reading("swf", "a log in the Standard Workload Format"), reading("sacct", "sacct"), capacity]
