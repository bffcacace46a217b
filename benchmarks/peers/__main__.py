"""Run the comparisons of all tools that are installed, or of those that are named; print the table and keep it."""

import argparse
import importlib
import os
import sys
from dataclasses import fields
from pathlib import Path

from tabulate import tabulate

from benchmarks.peers.comparison import Comparison, has, version
from mjq_book.experiments.tables import keeping

RESULTS = Path(__file__).parent / "results.csv"
TOOLS = {  # the module that must be installed, and the part that uses it
    "simpy": "simpy",
    "ciw": "ciw",
    "scipy": "scipy",
    "most_queue": "most-queue",
    "line_solver": "line",
    "stormpy": "storm",
}


def row(found, stamp):
    """A comparison as a row of the table."""
    shown = {one.name: getattr(found, one.name) for one in fields(Comparison)} | {"package": version(found.package)}
    return {name: f"{x:.3g}" if isinstance(x, float) else str(x) for name, x in shown.items()} | stamp


THREADS = "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"


def main():
    arguments = argparse.ArgumentParser("python -m benchmarks.peers", description=__doc__)
    arguments.add_argument("tools", nargs="*", help=f"of {', '.join(TOOLS.values())}; by default all")
    asked = arguments.parse_args().tools
    unknown = [name for name in asked if name not in TOOLS.values()]
    if unknown:
        arguments.error(f"no such tool: {', '.join(unknown)}")
    kept, stamp = keeping.known(RESULTS), keeping.stamp()
    rows = []
    for module, name in TOOLS.items():
        if asked and name not in asked:
            continue
        if not has(module):
            print(f"{name} is not installed: skipped")
            continue
        for comparison in importlib.import_module(f"benchmarks.peers.with_{name.replace('-', '_')}").COMPARISONS:
            rows.append(row(comparison(), stamp))
            print(
                "  ".join(rows[-1][key] for key in ("problem", "tool", "ratio", "our_error", "their_error")), flush=True
            )
            # At once: who stops halfway keeps what was measured, and the older rows of what was not.
            measured = {(new["problem"], new["tool"]) for new in rows}
            old = [one for one in kept if (one["problem"], one["tool"]) not in measured]
            keeping.replace(RESULTS, list(rows[0]), rows + old)
    # Rows that no comparison of these tools makes any more go.
    done = {new["package"].split()[0] for new in rows}
    if rows:
        keeping.replace(RESULTS, list(rows[0]), rows + [one for one in kept if one["package"].split()[0] not in done])
    print(tabulate([[one[key] for key in ("problem", "tool", "package", "ratio")] for one in rows]))
    print(f"kept in {RESULTS.name}")


if __name__ == "__main__":
    if os.environ.get(THREADS[0]) != "1":  # they are read when numpy is imported
        os.environ |= dict.fromkeys(THREADS, "1")
        os.execv(sys.executable, [sys.executable, "-m", "benchmarks.peers", *sys.argv[1:]])
    main()
