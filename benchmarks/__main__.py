"""Run all benchmarks, print the table and keep it."""

import csv
import datetime
import os
import platform
from pathlib import Path

import numba
import numpy as np
import scipy
from tabulate import tabulate
from tqdm import tqdm

from benchmarks import processing_capacity

RESULTS = Path(__file__).parent / "results.csv"
HEADERS = ["what", "ours [s]", "alternative", "alternative [s]", "ratio", "date", "machine"]


def processor():
    """The processor's name, where the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def main():
    machine = (
        f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"numpy {np.__version__}, scipy {scipy.__version__}, numba {numba.__version__}"
    )
    date = datetime.date.today().isoformat()
    rows = []
    for benchmark in tqdm(processing_capacity.BENCHMARKS, desc="benchmarks"):
        row = benchmark()
        theirs, ratio = ("", "") if row.theirs is None else (f"{row.theirs:.3g}", f"{row.ratio:.3g}")
        rows.append([row.what, f"{row.ours:.3g}", row.alternative, theirs, ratio, date, machine])
    with RESULTS.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([HEADERS, *rows])
    print(tabulate([row[:5] for row in rows], HEADERS[:5]))
    print(f"\n{machine}\nkept in {RESULTS.name}")


if __name__ == "__main__":
    main()
