"""Capacities of public logs, which are not ours to ship, and their waits under backfilling.

The command is ``make experiment NAME=public_logs``.

The logs of the Parallel Workloads Archive that :data:`LOGS` names are looked for in the folder that ``MJQ_TRACES``
names, or else in ``../shared/traces`` beside the project.

``public_logs.csv`` has a row a capacity: `policy`, the `capacity` (one of the four, or ``drawn`` for blocks of jobs
drawn from the log), the needs as they are or rounded up to powers of two with the work kept, and how many jobs are
drawn at a time.

``public_logs_waits.csv`` has a row for each log, policy and kind of estimates: the mean `wait` of the log as it is, and
the lowest and highest of ten replays with each submit time moved by up to a minute. A log whose submit times are start
times has no waits of its own, and hardly any job waits if it is replayed as it is: a scheduler has already spaced the
jobs. So its times between submissions are divided by :data:`FASTER`, the column `speed`. It has no users' estimates
either.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from tqdm import tqdm

import mjq_logs
from mjq.simulation import replay
from mjq_book.experiments.tables.keeping import keep
from mjq_book.workloads import rounded_up

LOGS = {
    "NASA 1993": "NASA-iPSC-1993-3.1-cln.swf.gz",
    "KTH-SP2": "KTH-SP2-easy.swf.gz",
    "SDSC-SP2": "SDSC-SP2-easy.swf.gz",
}
NO_ESTIMATES = "fcfs", "first-fit"
POLICIES = *NO_ESTIMATES, "easy", "backfill-4", "backfill-64", "conservative"
FASTER = 1.5
SHAKES = 10
MINUTE, HOUR = 60.0, 3600.0


def load_of(log: mjq_logs.Log) -> float:
    """Return the work of a log over what all its servers could do between its first and its last arrival."""
    arrivals = log.require_arrivals()
    return float(log.need @ log.run / (log.require_servers() * (arrivals.max() - arrivals.min())))


def traces() -> Path | None:
    """Return the folder that ``MJQ_TRACES`` names, or else ``../shared/traces``; None if there is none."""
    folder = Path(os.environ.get("MJQ_TRACES") or Path(__file__).parents[3] / "shared/traces")
    return folder if folder.is_dir() else None


def required_traces() -> Path:
    """Return the folder of :func:`traces`; where there is none, end the program with what to set."""
    folder = traces()
    if folder is None:
        raise SystemExit("MJQ_TRACES must name the folder with the logs")
    return folder


def rows(name: str, log: mjq_logs.Log) -> Iterator[dict]:
    load = _load(log)
    for policy in ("fcfs", "easy"):
        for capacity, estimate in mjq_logs.capacities(log, policy).items():
            yield _row(name, load, policy, capacity, "as they are", "", estimate)
        for block, estimate in mjq_logs.capacity_by_block_length(log, policy).items():
            yield _row(name, load, policy, "drawn", "as they are", block, estimate)
    up = rounded_up(log)
    for capacity, estimate in mjq_logs.capacities(up, exact=False).items():
        yield _row(name, load, "fcfs", capacity, "powers of two", "", estimate)


def _load(log: mjq_logs.Log) -> float:
    load = mjq_logs.load(log)
    assert load is not None  # of these logs the times of arrival are known
    return load.load


def _row(name, load, policy, capacity, needs, block, estimate):
    return {
        "log": name, "load": load, "policy": policy, "capacity": capacity, "needs": needs, "block": block,
        "jobs_per_hour": estimate.value, "share": estimate.share, "low": estimate.low, "high": estimate.high,
        "share_low": estimate.share_low, "share_high": estimate.share_high,
    }  # fmt: skip


def waits(name: str, log: mjq_logs.Log) -> Iterator[dict]:
    """Yield the mean waits [h] of a log under each policy, by users' estimates, exact ones and doubled ones.

    Order of arrival and first-fit look at no estimates, so they have one row each.
    """
    speed = FASTER if log.submits_are_starts else 1.0
    assert log.arrival is not None
    arrivals = (log.arrival - log.arrival.min()) / speed
    kinds = (
        {} if log.estimates_used is None else {"users'": log.estimates_used, "users', doubled": 2 * log.estimates_used}
    )
    kinds |= {"exact": log.run, "exact, doubled": 2 * log.run}
    for policy in POLICIES:
        for kind, estimate in kinds.items() if policy not in NO_ESTIMATES else [("", log.run)]:
            jobs = log.need, log.run, estimate, log.require_servers(), policy
            dice = np.random.default_rng(1993)  # the same shakes for all, so that they can be compared one by one
            moves = [dice.uniform(-MINUTE, MINUTE, len(log)) for _ in range(SHAKES)]
            shaken = [replay(np.maximum(arrivals + move, 0), *jobs).wait.mean() / HOUR for move in moves]
            yield {
                "log": name, "speed": speed, "load": speed * _load(log), "policy": policy,
                "estimates": kind, "wait": replay(arrivals, *jobs).wait.mean() / HOUR, "low": min(shaken),
                "high": max(shaken),
            }  # fmt: skip


def main() -> None:
    folder = required_traces()
    logs = {name: mjq_logs.read_log(folder / file) for name, file in LOGS.items()}
    keep(
        "public_logs_waits",
        [row for name, log in tqdm(logs.items(), desc="waits") for row in waits(name, log)],
        digits=6,
    )
    capacities = [row for name, log in tqdm(logs.items(), desc="capacities") for row in rows(name, log)]
    keep("public_logs", capacities, digits=6)
