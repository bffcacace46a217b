"""This version beside an earlier one: ``python -m benchmarks.earlier CHECKOUT [part …]``.

``CHECKOUT`` is a folder with another commit, such as one that ``git worktree add`` makes. Each version runs in its own
process, with the packages of this environment, and they take turns: one measurement here, one there. Times are those of
the processor, all threads together, and the ratio is the median of the ratios of neighbours. One call before that
compiles and fills caches, and does not count. The answers of both must agree. Rows go to ``benchmarks/results.csv``.
"""

import argparse
import importlib
import json
import math
import os
import statistics
import subprocess
import sys
import time
from itertools import count
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REPEATS, SECONDS = 9, 15  # or so many seconds of the slower version
AGREEMENT = 1e-12  # relative
DEMANDS = [[0.75, 0.64], [0.48, 1.25]]
THREADS = "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"  # each version decides on its own


def classes(*needs):
    """Rates and mix of classes with these needs, as keyword arguments of `capacity`."""
    return dict(b=needs, mu=[1 + i / len(needs) for i in range(len(needs))], p=[1 / len(needs)] * len(needs))


def capacity(B, b, mu, p):
    from mjq import processing_capacity

    return processing_capacity.processing_capacity(B, b, mu, p)


def on_hosts(m, B, *needs):
    from mjq import many_hosts

    return many_hosts.capacity(m, B, *classes(*needs).values())


def two_resources(n):
    return capacity((n, n), [(1, 3), (2, 1), (3, 2)], [1.0, 1.5, 2.0], [0.5, 0.3, 0.2])


def best_mix(tasks, places):
    from mjq import Pool

    first, _ = Pool(DEMANDS, tasks, places).best_mix
    return first


def refused():
    """Whether 20 classes on 64 servers are refused."""
    try:
        capacity(64, **classes(*range(1, 21)))
    except ValueError:
        return 1.0
    raise AssertionError("20 classes on 64 servers were not refused")


def closed(servers, jobs):
    """Jobs at a queue of so many servers, of a closed network with three stations."""
    from mjq.solvers import product_form
    from mjq.solvers.network import Network
    from mjq.solvers.phase_type import exponential

    stations = {"delay": math.inf, "front": servers, "back": 1}
    service = {(name, "a"): exponential(mean) for name, mean in zip(stations, (5.0, 0.9, 0.04), strict=True)}
    names = [*stations, "delay"]
    routing = {(one, "a"): {(other, "a"): 1.0} for one, other in zip(names[:-1], names[1:], strict=True)}
    network = Network(stations, service, routing, population={("delay", "a"): jobs})
    return product_form.means(network).mean_jobs["front", "a"]


PARTS = {
    "small": {
        "capacity, needs 1, 2, 4, 8 of 16": (capacity, dict(B=16, **classes(1, 2, 4, 8))),
        "capacity, needs 1, 2, 3, 4, 5 of 10": (capacity, dict(B=10, **classes(1, 2, 3, 4, 5))),
    },
    "mix": {
        "best mix of 140 and 60 tasks, 80 places": (best_mix, dict(tasks=(140, 60), places=80)),
        "best mix of 70 and 30 tasks, 20 places": (best_mix, dict(tasks=(70, 30), places=20)),
    },
    "thresholds": {
        "capacity, needs 1, 2, 4, 8 of 20": (capacity, dict(B=20, **classes(1, 2, 4, 8))),
        "capacity, needs 1, 2, 4, 8 of 24": (capacity, dict(B=24, **classes(1, 2, 4, 8))),
        "capacity, needs 1, 2, 4, 8 of 32": (capacity, dict(B=32, **classes(1, 2, 4, 8))),
        "capacity, needs 1, 2, …, 8 of 16": (capacity, dict(B=16, **classes(1, 2, 3, 4, 5, 6, 7, 8))),
        "capacity, needs 1, 2, 3 of 48": (capacity, dict(B=48, **classes(1, 2, 3))),
        "capacity of five hosts of 4, needs 1, 2, 3": (on_hosts, (5, 4, 1, 2, 3)),
    },
    "threads": {
        "capacity of two resources, 288 of each": (two_resources, dict(n=288)),
        "capacity of two resources, 400 of each": (two_resources, dict(n=400)),
    },
    "refusal": {"20 classes on 64 servers are refused": (refused, {})},
    "closed": {
        "closed network, 20 servers, 10,000 jobs": (closed, dict(servers=20, jobs=10_000)),
        "closed network, 20 servers, 20,000 jobs": (closed, dict(servers=20, jobs=20_000)),
    },
}


def answer(what):
    work, given = next(part[what] for part in PARTS.values() if what in part)
    begin = time.process_time()
    value = work(**given) if isinstance(given, dict) else work(*given)
    return time.process_time() - begin, float(value)


def serve(checkout):
    """Answer each name that comes with seconds and a value, by the version in that folder."""
    sys.path[:] = [checkout, *(one for one in sys.path if Path(one or ".").resolve() != ROOT)]
    found = Path(importlib.import_module("mjq").__file__)
    assert found.is_relative_to(Path(checkout).resolve()), found
    for line in sys.stdin:
        print(json.dumps(answer(line.strip())), flush=True)


class Version:
    """A process that measures one version."""

    def __init__(self, checkout):
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--serve", str(Path(checkout).resolve())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={name: value for name, value in os.environ.items() if name not in THREADS},
        )

    def __call__(self, what):
        self.process.stdin.write(what + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def compared(what, now, then):
    """Median seconds of both versions, and of the ratios of neighbours."""
    (_, value), (slow, other) = now(what), then(what)
    assert abs(value / other - 1) < AGREEMENT, (what, value, other)
    pairs = []
    for taken in count():
        if taken == REPEATS or taken * slow > SECONDS:
            break
        pairs.append((now(what)[0], then(what)[0]))
    ours, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
    return ours, theirs, statistics.median(b / a for a, b in pairs)


def main():
    from benchmarks.__main__ import HEADERS, RESULTS
    from mjq_book.experiments.tables import keeping

    arguments = argparse.ArgumentParser("python -m benchmarks.earlier", description=__doc__)
    arguments.add_argument("checkout", help="folder with the earlier version")
    arguments.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; by default all")
    given = arguments.parse_args()
    commit = subprocess.run(
        ["git", "-C", given.checkout, "rev-parse", "--short=8", "HEAD"], check=True, capture_output=True, text=True
    ).stdout.strip()
    now, then, rows, stamp = Version(ROOT), Version(given.checkout), [], keeping.stamp()
    kept = keeping.known(RESULTS)
    for what in [what for name in given.parts or PARTS for what in PARTS[name]]:
        ours, theirs, ratio = compared(what, now, then)
        figures = what, f"{ours:.3g}", f"commit {commit}", f"{theirs:.3g}", f"{ratio:.3g}"
        print("  ".join(figures), flush=True)
        rows.append(dict(zip(HEADERS, figures, strict=True)) | stamp)
        measured = {(row["what"], row["alternative"]) for row in rows}
        old = [row for row in kept if (row["what"], row["alternative"]) not in measured]
        keeping.replace(RESULTS, list(rows[0]), rows + old)


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(sys.argv[2])
    else:
        main()
