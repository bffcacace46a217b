"""Run all benchmarks, or those of the parts that are named, print the table and keep it."""

import argparse
from pathlib import Path

from tabulate import tabulate
from tqdm import tqdm

from benchmarks import cluster, cold, depletion, fluid, logs, processing_capacity, runs, scheduling
from mjq_book.experiments.tables import keeping

RESULTS = Path(__file__).parent / "results.csv"
PARTS = {
    part.__name__.rpartition(".")[2]: part
    for part in (processing_capacity, scheduling, logs, cluster, fluid, depletion, runs, cold)
}
HEADERS = ["what", "ours [s]", "alternative", "alternative [s]", "ratio"]


def main():
    arguments = argparse.ArgumentParser("python -m benchmarks", description=__doc__)
    arguments.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; by default all")
    asked = arguments.parse_args().parts
    unknown = [name for name in asked if name not in PARTS]
    if unknown:
        arguments.error(f"no such part: {', '.join(unknown)}")
    if scheduling.beside_ciw not in scheduling.BENCHMARKS:
        print("ciw is not installed: not beside it")
    stamp, before, rows = keeping.stamp(), keeping.known(RESULTS), []
    for benchmark in tqdm([row for name in asked or PARTS for row in PARTS[name].BENCHMARKS], desc="benchmarks"):
        row = benchmark()
        theirs, ratio = ("", "") if row.theirs is None else (f"{row.theirs:.3g}", f"{row.ratio:.3g}")
        figures = row.what, f"{row.ours:.3g}", row.alternative, theirs, ratio
        rows.append(dict(zip(HEADERS, figures, strict=True)) | stamp)
        tqdm.write("  ".join(x for x in figures if x))
        # At once: who stops halfway keeps what was measured, and the older rows of what was not.
        measured = {new["what"] for new in rows}
        keeping.replace(RESULTS, list(rows[0]), rows + [old for old in before if old["what"] not in measured])
    if not asked:  # rows that no benchmark makes any more go; those beside earlier versions are benchmarks.earlier's
        earlier = [old for old in before if old["alternative"].startswith("commit ")]
        keeping.replace(RESULTS, list(rows[0]), rows + earlier)
    print("\n" + tabulate([[row[name] for name in HEADERS] for row in rows], HEADERS))
    print(f"\n{stamp['machine']}\nkept in {RESULTS.name}")


if __name__ == "__main__":
    main()
