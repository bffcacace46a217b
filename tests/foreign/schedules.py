"""Small logs that other programs schedule, replayed with ours.

A job is (submit, need, run) or (submit, need, run, estimate).
"""

import numpy as np

from mjq.simulation.schedule import replay

# Twelve jobs of a machine of 154 nodes: submit and run in seconds, nodes, limit in hours.
FLUX_NODES = 154
FLUX = [
    (1, 1, 360, 1 / 6),
    (19643, 100, 57609, 16),
    (28147, 100, 38109, 16),
    (30566, 64, 57606, 16),
    (30566, 64, 57606, 16),
    (77371, 13, 7524, 2.5),
    (80090, 8, 577, 12),
    (87576, 15, 29168, 9),
    (88169, 15, 28729, 9),
    (96589, 13, 7490, 2.5),
    (103162, 8, 453, 12),
    (126070, 64, 3178, 16),
]

BLOCKED = [(0, 1, 10, 10), (1, 2, 1, 1)]  # on two servers: the second job needs both
WIDE, SMALL = 4, 1
# Model to servers, policy and jobs.
MOST_QUEUE = {
    "FCFS blocks": (2, "fcfs", [*BLOCKED, (2, 1, 2, 2)]),
    "safe backfill, EASY": (2, "easy", [*BLOCKED, (2, 1, 2, 2)]),
    "safe backfill, conservative": (2, "conservative", [*BLOCKED, (2, 1, 2, 2)]),
    "unsafe backfill": (2, "easy", [*BLOCKED, (2, 1, 9, 9)]),
    "several backfills": (4, "easy", [(0, 2, 10, 10), (1, 4, 1, 1), *[(2, 1, 2, 2)] * 3]),
    "a long job beside the reservation": (4, "easy", [(0, 3, 10, 10), (1, 3, 1, 1), (2, 1, 20, 20)]),
    "a long job beside the promise": (4, "conservative", [(0, 3, 10, 10), (1, 3, 1, 1), (2, 1, 20, 20)]),
    "a backfill longer than said, EASY": (2, "easy", [*BLOCKED, (2, 1, 20, 2)]),
    "a backfill longer than said, conservative": (2, "conservative", [*BLOCKED, (2, 1, 20, 2)]),
    "the first job longer than said, EASY": (2, "easy", [(0, 1, 10, 1), (2, 2, 1, 1), (3, 1, 1, 1)]),
    "the first job longer than said, conservative": (
        2, "conservative", [(0, 1, 10, 5), (1, 2, 1, 1), (2, 1, 1, 1), (6, 1, 1, 1)],
    ),
    "two ends and an arrival": (2, "easy", [(0, 1, 2, 2), (0, 1, 2, 2), (2, 2, 1, 1)]),
    "the second in the queue, EASY": (4, "easy", [(0, 3, 10, 10), (1, 3, 1, 1), (1.5, 4, 1, 1), (2, 1, 20, 20)]),
    "the second in the queue, conservative": (
        4, "conservative", [(0, 3, 10, 10), (1, 3, 1, 1), (1.5, 4, 1, 1), (2, 1, 20, 20)],
    ),
    "an early end keeps promises": (4, "conservative", [(0, 3, 3, 10), (0, 1, 5, 5), (1, 4, 10, 10), (2, 1, 3, 3)]),
    "three needs, first-fit": (4, "first-fit", [(0, 1, 1), (0, 2, 1), (0, 4, 1)]),
    "three needs, most servers first": (4, "most-servers-first", [(0, 1, 1), (0, 2, 1), (0, 4, 1)]),
    "a wide job waits": (4, "most-servers-first", [(0, SMALL, 10), (1, WIDE, 1), (2, SMALL, 1)]),
    "a wide job waits, threshold 1": (4, "msfq-1", [(0, SMALL, 10), (1, WIDE, 1), (2, SMALL, 1)]),
    "a wide job waits, threshold 0": (4, "msfq-0", [(0, SMALL, 10), (1, WIDE, 1), (2, SMALL, 1)]),
    "no wide job, threshold 1": (4, "msfq-1", [(0, SMALL, 10), (1, SMALL, 1)]),
    "no wide job, threshold 0": (4, "msfq-0", [(0, SMALL, 10), (1, SMALL, 1)]),
    "wide jobs first, threshold 3": (4, "msfq-3", [(0, WIDE, 2), (1, SMALL, 1), (1, WIDE, 1)]),
    "a batch crosses the threshold": (
        4, "msfq-1", [*((0, SMALL, run) for run in (1, 2, 3, 10)), (0.5, WIDE, 1), (3.5, SMALL, 20)],
    ),
    "a batch without a threshold": (
        4, "most-servers-first", [*((0, SMALL, run) for run in (1, 2, 3, 10)), (0.5, WIDE, 1), (3.5, SMALL, 20)],
    ),
    "filled again and resumed": (4, "server-filling", [(0, 2, 1), (0, 1, 10), (0, 2, 3), (0, 4, 2)]),
    "a late wide job interrupts": (4, "server-filling", [(0, SMALL, 10), (1, WIDE, 2)]),
} | {
    f"an end and two arrivals, {policy}": (4, policy, [(0, WIDE, 1), (1, WIDE, 1), (1, SMALL, 2)])
    for policy in ("first-fit", "most-servers-first", "msfq-1", "server-filling")
}  # fmt: skip


def schedule(servers, policy, jobs):
    submit, need, run, *said = map(list, zip(*jobs, strict=True))
    done = replay(submit, need, run, said[0] if said else None, servers, policy)
    waits = done.sojourn - run
    return {
        ("starts", "", ""): _text(done.start),
        ("ends", "", ""): _text(done.finish),
        ("waits", "", ""): _text(waits),
    }


def _text(times):
    return " ".join(f"{t:g}" for t in times)


def flux_order():
    """The twelve jobs in the order in which they start."""
    submit, need, run, hours = (np.array(column, dtype=float) for column in zip(*FLUX, strict=True))
    start = replay(submit, need, run, 3600 * hours, FLUX_NODES, "easy").start
    return {("order of starts", "", ""): _text(np.lexsort((np.arange(len(FLUX)), start)) + 1)}
