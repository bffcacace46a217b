"""Run all benchmarks, print the table and keep it."""

import csv
import datetime
from pathlib import Path

from tabulate import tabulate
from tqdm import tqdm

from benchmarks import cluster, depletion, fluid, processing_capacity, runs
from benchmarks.timing import machine

RESULTS = Path(__file__).parent / "results.csv"
PARTS = [processing_capacity, cluster, fluid, depletion, runs]
HEADERS = ["what", "ours [s]", "alternative", "alternative [s]", "ratio", "date", "machine"]


def main():
    here = machine()
    date = datetime.date.today().isoformat()
    with RESULTS.open(newline="", encoding="utf-8") as file:
        _, *before = csv.reader(file)
    rows = []
    for benchmark in tqdm([row for part in PARTS for row in part.BENCHMARKS], desc="benchmarks"):
        row = benchmark()
        theirs, ratio = ("", "") if row.theirs is None else (f"{row.theirs:.3g}", f"{row.ratio:.3g}")
        rows.append([row.what, f"{row.ours:.3g}", row.alternative, theirs, ratio, date, here])
        tqdm.write("  ".join(x for x in rows[-1][:5] if x))
        # At once: who stops halfway keeps what was measured, and the older rows of what was not.
        keep(rows + [old for old in before if old[0] not in {new[0] for new in rows}])
    keep(rows)
    print("\n" + tabulate([row[:5] for row in rows], HEADERS[:5]))
    print(f"\n{here}\nkept in {RESULTS.name}")


def keep(rows):
    """Replace the file of results."""
    new = RESULTS.with_suffix(".new")
    with new.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([HEADERS, *rows])
    new.replace(RESULTS)


if __name__ == "__main__":
    main()
