"""How often intervals of what a change saves hold what they should: ``make experiment NAME=what_if``.

Logs are drawn from processes whose long-run values are known from runs of millions of jobs. They are those of
:mod:`mjq.experiments.coverage` with two things more. Jobs come three times as often by day as by night, and a user says
for each row of jobs that they run at most 1, 2, 5 or 10 times as long as they do. All are replayed under EASY, at .3 to
.6 of the naive capacity.

``what_if.csv`` has a row for each process, length of the log, change and quantity. `value` is what the change saves in
the long run [h], `error` its standard error, `given` how many of the `logs` got an interval, and `held` which part of
these intervals held the value, within two of its standard errors. `width` is the median width of the intervals [h].
A log without the large jobs that a change is about is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from mjq._util import parallel
from mjq.experiments.coverage import NEEDS, SERVERS, SHARES, SPREAD
from mjq.experiments.tables.keeping import keep
from mjq.simulation import replay
from mjq.workload import Changed, Log, capped, shifted_to_night, what_if, with_exact_estimates, without_need
from mjq.workload.answers import Effect

__all__ = ["CASES", "CHANGES", "COMMAND", "TABLE", "Case", "drawn", "main", "of_case", "truth_of"]

TABLE = Path(__file__).parent / "tables/what_if.csv"
COMMAND = "make experiment NAME=what_if"
DAY, MORNING = 86_400.0, 8 * 3600.0  # [s]
BY_DAY, BY_NIGHT = 1.5, 0.5  # times the mean rate, each for half a day
SAID = np.array([1.0, 2.0, 5.0, 10.0])  # estimates over run times
JOBS = 1000, 4000, 16_000
LOGS = 100  # of each case and length
RUNS, RUN, FIRST = 8, 400_000, 8000  # of which the long-run values are known: runs, jobs, those that do not count
SEED = 20_261_124
CHANGES: dict[str, Callable[[Log], Changed]] = {
    "cap 4": lambda log: capped(log, 4),
    "exact estimates": with_exact_estimates,
    "a fifth of the day at night": lambda log: shifted_to_night(log, 0.2),
    "without 8": lambda log: without_need(log, 8),
}
OF_LARGE_JOBS = "cap 4", "without 8"
QUANTITIES = "mean", "percentile", "response"


class Case(NamedTuple):
    """Describe a process: the mean length of a row of equal needs, and the load over the naive capacity."""

    row: int
    load: float


CASES = [Case(1, 0.3), Case(1, 0.6), Case(20, 0.3), Case(20, 0.5)]


def drawn(case: Case, jobs: int, rng: np.random.Generator) -> Log:
    """Draw a log of a process; it begins in the morning."""
    new = rng.random(jobs) < 1 / case.row
    new[0] = True
    first = np.maximum.accumulate(np.where(new, np.arange(jobs), 0))
    need = rng.choice(NEEDS, jobs, p=SHARES)[first]
    run = 3600 * rng.lognormal(-(SPREAD**2) / 2, SPREAD, jobs)
    said = run * rng.choice(SAID, jobs)[first]
    # In a time in which the rate is constant days end at DAY, too, and evenings come after BY_DAY / 2 of them.
    even = np.cumsum(rng.standard_exponential(jobs)) * 3600 * (SHARES @ NEEDS) / (case.load * SERVERS)
    days, at = np.divmod(even, DAY)
    evening = BY_DAY * DAY / 2
    late = np.where(at < evening, at / BY_DAY, DAY / 2 + (at - evening) / BY_NIGHT)
    return Log(need=need, run=run, submit=days * DAY + late, estimate=said, servers=SERVERS, clock=MORNING)


def truth_of(case: Case) -> dict[tuple[str, str], tuple[float, float]]:
    """Return what each change saves in the long run [h], by change and quantity, with standard errors."""
    found: dict[tuple[str, str], list[float]] = {}
    for number in range(RUNS):
        log = drawn(case, RUN, np.random.default_rng([SEED, 0, case.row, round(100 * case.load), number]))
        before = _waits(log)
        for name, change in CHANGES.items():
            made = change(log)
            place = np.argsort(made.jobs, kind="stable")
            kept, after = made.jobs[place], _waits(made.log)[place]
            late = kept >= FIRST
            here, there = before[kept][late], after[late]
            longer = (made.log.run[place] - log.run[kept])[late].mean() / 3600
            saved = float(here.mean() - there.mean())
            tenth = float(np.percentile(here, 90) - np.percentile(there, 90))
            for quantity, value in zip(QUANTITIES, (saved, tenth, saved - longer), strict=True):
                found.setdefault((name, quantity), []).append(value)
    return {key: (float(np.mean(x)), float(np.std(x, ddof=1) / np.sqrt(RUNS))) for key, x in found.items()}


def of_case(case: Case, truth: dict[tuple[str, str], tuple[float, float]], jobs: int, logs: int) -> Iterator[dict]:
    """Count the intervals of many logs of one process: a row for each change and quantity."""
    found: dict[str, list[Effect]] = {name: [] for name in CHANGES}
    for number in range(logs):
        log = drawn(case, jobs, np.random.default_rng([SEED, 1, case.row, round(100 * case.load), jobs, number]))
        for name, change in CHANGES.items():
            if (log.need == 8).any() or name not in OF_LARGE_JOBS:
                found[name] += what_if(log, [change(log)])
    for name, effects in found.items():
        for quantity in QUANTITIES:
            value, error = truth[name, quantity]
            told = [one.response if quantity == "response" else getattr(one.saves, quantity) for one in effects]
            ends = [(one.low, one.high) for one in told if one.low is not None and one.high is not None]
            held = [low - 2 * error <= value <= high + 2 * error for low, high in ends]
            yield {
                "row": case.row, "load": case.load, "jobs": jobs, "change": name, "quantity": quantity,
                "value": value, "error": error, "logs": len(effects), "given": len(ends),
                "held": float(np.mean(held)) if ends else None,
                "width": float(np.median([high - low for low, high in ends])) if ends else None,
            }  # fmt: skip


def _waits(log: Log) -> np.ndarray:
    return replay(log.require_arrivals(), log.need, log.run, log.said, SERVERS, "easy").wait / 3600


def _rows_of(case):
    truth = truth_of(case)
    return [row for jobs in JOBS for row in of_case(case, truth, jobs, LOGS)]


def main() -> None:
    found: dict[Hashable, list[dict]] = {}
    with tqdm(desc="processes", total=len(CASES), disable=None) as bar:
        for done in parallel.map_as_completed(_rows_of, list(zip(CASES, CASES, strict=True)), None):
            found |= done
            bar.update(len(done))
    keep(TABLE, [row for case in CASES for row in found[case]], COMMAND, digits=3)


if __name__ == "__main__":
    main()
