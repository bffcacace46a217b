"""[RBAC21] The smoothed fluid model on hundreds of random networks of two tiers: how large are its errors?

Half an hour on two cores: ``make evaluation``. The results are kept in ``evaluation.csv``, which the chapter reads; it
repeats some of the rows.
"""

import csv
from pathlib import Path

from benchmarks.timing import record_provenance
from mjq import two_tier
from mjq.parallel import solve_all

RESULTS = Path(__file__).parent / "evaluation.csv"
BASES, CASES = 20, 15  # systems that are drawn and fitted; changes of each kind to each of them


def main():
    cases = [
        dict(base=base, change=change, case=case)
        for change in two_tier.CHANGES
        for base in range(BASES)
        for case in range(CASES)
    ]
    rows = solve_all(two_tier.evaluate, cases, progress=True)
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows({k: f"{x:.5g}" if isinstance(x, float) else x for k, x in row.items()} for row in rows)
    record_provenance(RESULTS, "make evaluation")


if __name__ == "__main__":
    main()
