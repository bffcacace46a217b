"""Capacities of public logs, which are not ours to ship: ``make public-logs`` where ``MJQ_TRACES`` names their folder.

The folder holds the logs of the Parallel Workloads Archive that :data:`LOGS` names. The results are kept in
``public_logs.csv``, a row a capacity: `policy`, the `capacity` (one of the four, or ``drawn`` for blocks of jobs drawn
from the log), the needs as they are or rounded up to powers of two with the work kept, and how many jobs are drawn at a
time.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from tqdm import tqdm

from mjq import workload
from mjq.experiments.keeping import keep

__all__ = ["COMMAND", "LOGS", "TABLE", "main", "rows"]

TABLE = Path(__file__).parent / "public_logs.csv"
LOGS = {
    "NASA iPSC": "NASA-iPSC-1993-3.1-cln.swf.gz",
    "KTH-SP2": "KTH-SP2-easy.swf.gz",
    "SDSC-SP2": "SDSC-SP2-easy.swf.gz",
}
COMMAND = "make public-logs"


def rows(name: str, log: workload.Log) -> Iterator[dict]:
    """All rows of one log."""
    load = workload.load(log).load
    for policy in ("fcfs", "easy"):
        for capacity, found in workload.capacities(log, policy).items():
            yield _row(name, load, policy, capacity, "as they are", "", found)
        for block, found in workload.memory(log, policy).items():
            yield _row(name, load, policy, "drawn", "as they are", block, found)
    up = workload.rounded_up(log)
    for capacity, found in workload.capacities(up, exact=False).items():
        yield _row(name, load, "fcfs", capacity, "powers of two", "", found)


def _row(name, load, policy, capacity, needs, block, found):
    return {
        "log": name, "load": load, "policy": policy, "capacity": capacity, "needs": needs, "block": block,
        "jobs_per_hour": found.value, "share": found.share, "low": found.low, "high": found.high,
    }  # fmt: skip


def main() -> None:
    folder = os.environ.get("MJQ_TRACES")
    if not folder:
        raise SystemExit("MJQ_TRACES must name the folder with the logs")
    logs = ((name, workload.read_log(Path(folder) / file)) for name, file in LOGS.items())
    found = [row for name, log in tqdm(logs, desc="logs", total=len(LOGS)) for row in rows(name, log)]
    keep(TABLE, found, COMMAND, digits=6)


if __name__ == "__main__":
    main()
