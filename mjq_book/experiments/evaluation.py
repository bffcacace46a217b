"""[RBAC21] The smoothed fluid model on hundreds of random networks of two tiers: how large are its errors?

The command is ``make experiment NAME=evaluation``. The results are kept in ``evaluation.csv``, which the chapter reads.
It repeats some of the rows.
"""

from __future__ import annotations

from mjq._util.parallel import map_cases
from mjq_book.experiments import two_tier
from mjq_book.experiments.tables.keeping import keep

BASES, CASES = 20, 15  # systems that are drawn and fitted; changes of each kind to each of them


def main() -> None:
    cases = [
        dict(base=base, change=change, case=case)
        for change in two_tier.CHANGES
        for base in range(BASES)
        for case in range(CASES)
    ]
    keep("evaluation", map_cases(two_tier.evaluate, cases, progress=True))
