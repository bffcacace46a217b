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
    rows = []
    for benchmark in tqdm([row for part in PARTS for row in part.BENCHMARKS], desc="benchmarks"):
        row = benchmark()
        theirs, ratio = ("", "") if row.theirs is None else (f"{row.theirs:.3g}", f"{row.ratio:.3g}")
        rows.append([row.what, f"{row.ours:.3g}", row.alternative, theirs, ratio, date, here])
    with RESULTS.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([HEADERS, *rows])
    print(tabulate([row[:5] for row in rows], HEADERS[:5]))
    print(f"\n{here}\nkept in {RESULTS.name}")


if __name__ == "__main__":
    main()
