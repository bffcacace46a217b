"""How often intervals of what a change saves hold what they should: ``make experiment NAME=what_if``.

Logs are drawn from processes of :mod:`mjq_book.experiments.coverage`, whose long-run values are known from runs of
millions of jobs, under EASY. A user says for each row of jobs that they run at most 1, 2, 5 or 10 times as long as
they do.

``what_if.csv`` has a row for each process, length of the log, change and quantity. `value` is what the change saves in
the long run [h], `error` its standard error, `given` how many of the `logs` got an interval, and `held` which part of
these intervals held the value, within two of its standard errors. `width` is the median width of the intervals [h].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from mjq_book.experiments.coverage import MACHINES, Case, drawn, keep_rows
from mjq_book.experiments.summaries import waits_of
from mjq_logs import Changed, Log, cap, what_if, with_exact_estimates, without_need
from mjq_logs.questions.plan.what_if import Effect

TABLE = Path(__file__).parent / "tables/what_if.csv"
COMMAND = "make experiment NAME=what_if"
JOBS = 2000, 6000, 20_000
LOGS = 40  # of each case and length
RUNS, RUN, FIRST = 5, 400_000, 8000  # of which the long-run values are known: runs, jobs, those that do not count
SEED = 20_261_126
CASES = [
    case._replace(policy="easy")
    for case in (
        Case(),
        Case(load=0.75, needs="1 to 32 of 64", cycle=0.8),
        Case(times="Pareto 2.1"),
        Case(drift=0.1),
        Case(drift=0.25, cycle=0.5),
        Case(together=10),
        Case(row=10, load=0.5, needs="1 to 32 of 64"),
    )
]
CHANGES: dict[str, Callable[[Log, float], Changed]] = {  # of a log, and its largest need
    "half the largest need": lambda log, largest: cap(log, largest / 2),
    "exact estimates": lambda log, largest: with_exact_estimates(log),
    "without the largest need": without_need,
}
QUANTITIES = "mean", "percentile", "response"


def truth_of(case: Case) -> dict[tuple[str, str], tuple[float, float]]:
    """Return what each change saves in the long run [h], by change and quantity, with standard errors."""
    savings: dict[tuple[str, str], list[float]] = {}
    for number in range(RUNS):
        log = drawn(case, RUN, np.random.default_rng([SEED, 0, CASES.index(case), number]))
        before = waits_of(log, "easy")
        for name, change in CHANGES.items():
            made = change(log, max(MACHINES[case.needs].needs))
            place = np.argsort(made.jobs, kind="stable")
            kept, after = made.jobs[place], waits_of(made.log, "easy")[place]
            late = kept >= FIRST
            here, there = before[kept][late], after[late]
            longer = (made.log.run[place] - log.run[kept])[late].mean() / 3600
            saved = float(here.mean() - there.mean())
            tenth = float(np.percentile(here, 90) - np.percentile(there, 90))
            for quantity, value in zip(QUANTITIES, (saved, tenth, saved - longer), strict=True):
                savings.setdefault((name, quantity), []).append(value)
    return {key: (float(np.mean(x)), float(np.std(x, ddof=1) / np.sqrt(RUNS))) for key, x in savings.items()}


def of_case(case: Case, truth: dict[tuple[str, str], tuple[float, float]], jobs: int, logs: int) -> Iterator[dict]:
    """Count the intervals of many logs of one process: a row for each change and quantity."""
    all_effects: dict[str, list[Effect]] = {name: [] for name in CHANGES}
    for number in range(logs):
        log = drawn(case, jobs, np.random.default_rng([SEED, 1, CASES.index(case), jobs, number]))
        changes = [change(log, max(MACHINES[case.needs].needs)) for change in CHANGES.values()]
        for name, effect in zip(CHANGES, what_if(log, changes), strict=True):
            all_effects[name].append(effect)
    for name, effects in all_effects.items():
        for quantity in QUANTITIES:
            value, error = truth[name, quantity]
            estimates = [
                effect.response if quantity == "response" else getattr(effect.saves, quantity) for effect in effects
            ]
            ends = [(x.low, x.high) for x in estimates if x.low is not None and x.high is not None]
            held = [low - 2 * error <= value <= high + 2 * error for low, high in ends]
            yield case._asdict() | {
                "jobs": jobs, "change": name, "quantity": quantity,
                "value": value, "error": error, "logs": len(effects), "given": len(ends),
                "held": float(np.mean(held)) if ends else None,
                "width": float(np.median([high - low for low, high in ends])) if ends else None,
            }  # fmt: skip


def _rows_of(case):
    truth = truth_of(case)
    return [row for jobs in JOBS for row in of_case(case, truth, jobs, LOGS)]


def main() -> None:
    keep_rows(_rows_of, CASES, TABLE, COMMAND)


if __name__ == "__main__":
    main()
