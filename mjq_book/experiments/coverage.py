"""How often 95 % intervals from one log hold what they should: ``make experiment NAME=coverage``.

Logs are drawn from processes whose long-run values are known from runs of millions of jobs, on machines that are empty
at first: four mixes of needs; exponential, lognormal, bounded Pareto and Pareto run times, the last with index 2.1;
jobs that come alone, ten at a time, or in rows of ten alike; with the same rate at all times, with nights and weekends,
or with a load that drifts by 10 to 40 % and is remembered for days or months; in order of arrival and under EASY.

``coverage.csv`` has a row for each process, length of the log and quantity: how many of the `logs` got an interval by
:mod:`mjq_logs.intervals` (`given`), and which part of these intervals held the long-run value (`held`), within two of
its standard errors. The others got none. `drift` is the standard deviation of the load of a day over its mean,
`memory` the number of days after which its autocorrelation has fallen to 1/e, and `cycle` how much busier than on
average the afternoons are. A process whose long-run mean wait has a standard error above 10 % after 16 million jobs is
left out. `effective` is the median of the number of jobs or days that the logs are worth, `ratio` that of the upper end
of the intervals over the lower one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import scipy

from mjq._util.parallel import map_cases
from mjq.simulation import Schedule, replay
from mjq_book.experiments.tables.keeping import keep
from mjq_logs import Log, intervals, own_order_capacity
from mjq_logs.questions.capacity.estimates import mean_work
from mjq_logs.questions.waits import difference, interval, wait_statistics, worth

HOURS = 24
SAID = np.array([1.0, 2.0, 5.0, 10.0])  # estimates over run times
ALIKE = 0.5, 1.5  # run times of a row of jobs alike, over that of the first
SOON = 0.01  # mean time between jobs that come together, over that between others
WEEKDAYS, WEEKEND = 1.2, 0.5  # times the mean rate, in a full cycle
JOBS = 2000, 6000, 20_000
LOGS = 40  # of each case and length
PERCENTILE = 90.0
RUNS, MOST_RUNS, RUN = 5, 20, 800_000  # of which the long-run values are known: at least, at most, and jobs of each
SATURATED = 200_000  # of them, of which capacities are known
FIRST = 0.02  # of a run, which is not counted
QUANTITIES = "mean", "percentile", "gain", "rate", "share", "work"
KNOWN, GUESSED = 0.05, 0.1  # relative standard errors of a long-run mean wait: that is enough, or the case is left out
SEED = 20_261_125


class Machine(NamedTuple):
    """Describe a machine and the needs of its jobs, with their shares and their mean run time [h]."""

    servers: float
    needs: tuple[float, ...]
    shares: tuple[float, ...]
    mean: float

    @property
    def more(self) -> float:
        """Return the servers of an eighth more, for what they save."""
        return self.servers * 1.125


MACHINES = {
    "1 to 8 of 8": Machine(8, (1, 3, 4, 8), (0.5, 0.25, 0.15, 0.1), 1.0),
    "1 to 8 of 8, quick": Machine(8, (1, 3, 4, 8), (0.5, 0.25, 0.15, 0.1), 0.25),
    "1 to 32 of 64": Machine(64, (1, 2, 4, 8, 16, 32), (0.4, 0.15, 0.15, 0.15, 0.1, 0.05), 2.0),
    "1 to 60 of 104": Machine(104, (1, 5, 10, 30, 60), (0.5, 0.2, 0.15, 0.1, 0.05), 2.0),
}


def _pareto(rng, jobs, index=2.1):
    return (1 - 1 / index) * (1 + rng.pareto(index, jobs))


def _bounded(rng, jobs, index=1.5, low=0.2, high=200.0):
    ends = np.array([low, high])
    tail, first = ends**-index, ends ** (1 - index)
    mean = index / (index - 1) * (first[0] - first[1]) / (tail[0] - tail[1])
    return (tail[0] - rng.random(jobs) * (tail[0] - tail[1])) ** (-1 / index) / mean


TIMES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {  # of mean 1
    "exponential": lambda rng, jobs: rng.standard_exponential(jobs),
    "lognormal": lambda rng, jobs: rng.lognormal(-0.5, 1.0, jobs),
    "Pareto 2.1": _pareto,
    "bounded Pareto 1.5": _bounded,
}


class Case(NamedTuple):
    """Describe a process; see above. The load is a share of the servers."""

    policy: str = "easy"
    load: float = 0.6
    needs: str = "1 to 8 of 8"
    times: str = "lognormal"
    row: int = 1
    together: int = 1
    drift: float = 0.0
    memory: float = 14.0
    cycle: float = 0.0


def _cases():
    small, quick, powers, odd = MACHINES
    for policy, light, heavy in (("easy", 0.6, 0.75), ("fcfs", 0.35, 0.5)):
        plain = Case(policy, light)
        yield from (plain._replace(load=load, needs=needs) for needs in (small, powers, odd) for load in (light, heavy))
        yield plain._replace(times="exponential")
        for times in ("Pareto 2.1", "bounded Pareto 1.5"):
            yield plain._replace(times=times)
            yield plain._replace(times=times, needs=powers, load=heavy)
        yield from (plain._replace(drift=drift) for drift in (0.1, 0.25, 0.4))
        yield plain._replace(drift=0.25, memory=3.0, needs=odd)
        yield plain._replace(drift=0.25, memory=30.0, needs=odd)
        yield plain._replace(drift=0.25, cycle=0.5, needs=quick, load=0.8 * light)
        yield plain._replace(drift=0.25, cycle=0.5, needs=powers, times="Pareto 2.1")
        yield plain._replace(cycle=0.8, needs=powers, load=heavy)
        yield plain._replace(together=10)
        yield plain._replace(row=10, needs=powers)


CASES = list(_cases())


class Truth(NamedTuple):
    """Hold long-run values of a process [h, jobs/h, server-hours] by the quantity, and their standard errors."""

    values: dict[str, float]
    errors: dict[str, float]


def drawn(case: Case, jobs: int, rng: np.random.Generator) -> Log:
    machine = MACHINES[case.needs]
    new = rng.random(jobs) < 1 / case.row
    new[0] = True
    first = np.maximum.accumulate(np.where(new, np.arange(jobs), 0))
    need = rng.choice(machine.needs, jobs, p=machine.shares)[first]
    run = machine.mean * TIMES[case.times](rng, jobs)
    if case.row > 1:
        run = run[first] * rng.uniform(*ALIKE, jobs)
    estimate = run * rng.choice(SAID, jobs)[first]
    rate = case.load * machine.servers / (np.dot(machine.needs, machine.shares) * machine.mean)
    alone = rng.random(jobs) < 1 / case.together
    gaps = rng.standard_exponential(jobs) * np.where(alone, case.together, SOON)
    arrival = _at(case, np.cumsum(gaps) / rate, rng)
    return Log(
        need=need, run=3600 * run, submit=3600 * arrival, estimate=3600 * estimate, servers=machine.servers, clock=0.0
    )


def _at(case, even, rng):
    """Return when jobs come [h] that would come at these times if the rate were the same at all times."""
    if not (case.drift or case.cycle):
        return even
    hours = np.arange(HOURS * (100 + int(5 * even[-1] / HOURS)))
    daily, weekday = 2 * np.pi * hours / HOURS, hours // HOURS % 7 < 5
    rates = (1 + case.cycle * np.sin(daily)) * (1 + case.cycle * (np.where(weekday, WEEKDAYS, WEEKEND) - 1))
    if case.drift:
        stays, spread = np.exp(-1 / case.memory), np.sqrt(np.log1p(case.drift**2))
        noise = rng.standard_normal(len(hours) // HOURS) * np.sqrt(1 - stays**2)
        noise[0] /= np.sqrt(1 - stays**2)  # it is as variable as the others
        level = scipy.signal.lfilter([spread], [1.0, -stays], noise)  # imported here: it takes half a second
        rates *= np.repeat(np.exp(level - spread**2 / 2), HOURS)
    return np.interp(even, np.append(0.0, np.cumsum(rates)), np.arange(len(hours) + 1.0))


def truth_of(case: Case) -> Truth:
    """Return the long-run values of a process, from as many runs as it takes to know the mean wait, or the most."""
    machine, estimates = MACHINES[case.needs], []
    work = float(np.dot(machine.needs, machine.shares) * machine.mean)
    for run in range(MOST_RUNS):
        log = drawn(case, RUN, np.random.default_rng([SEED, 0, CASES.index(case), run]))
        sizes = machine.servers, machine.more
        here, more = (_replayed(log, size, case.policy).wait[round(FIRST * RUN) :] / 3600 for size in sizes)
        share = own_order_capacity(log.of(np.arange(len(log)) < SATURATED), case.policy).share
        rate = share * machine.servers / work
        estimates.append((here.mean(), np.percentile(here, PERCENTILE), here.mean() - more.mean(), rate, share, work))
        if run + 1 >= RUNS:
            values, errors = np.mean(estimates, axis=0), np.std(estimates, axis=0, ddof=1) / np.sqrt(len(estimates))
            if errors[0] <= KNOWN * values[0]:
                break
    return Truth(*(dict(zip(QUANTITIES, map(float, x), strict=True)) for x in (values, errors)))


def of_case(case: Case, truth: Truth, jobs: int, logs: int, seed: int = 1) -> Iterator[dict]:
    """Count the intervals of many logs of one process: a row for each quantity."""
    all_intervals: dict[str, list] = {}
    effective = []
    for number in range(logs):
        log = drawn(case, jobs, np.random.default_rng([SEED, seed, CASES.index(case), jobs, number]))
        schedule = _replayed(log, MACHINES[case.needs].servers, case.policy)
        effective.append(min(worth(log).number, intervals.effective_number(schedule.wait)))
        for name, ends in _intervals(log, case).items():
            all_intervals.setdefault(name, []).append(ends)
    for quantity, ends in all_intervals.items():
        given = [pair for pair in ends if pair is not None]
        value, error = truth.values[quantity], 2 * truth.errors[quantity]
        ratios = [high / low if low > 0 else np.inf for low, high in given]
        yield case._asdict() | {
            "jobs": jobs, "effective": float(np.median(effective)), "quantity": quantity, "logs": logs,
            "given": len(given),
            "held": float(np.mean([low - error <= value <= high + error for low, high in given])) if given else None,
            "ratio": float(np.median(ratios)) if given and quantity != "gain" else None,
        }  # fmt: skip


def _intervals(log, case):
    """Return the intervals that `mjq plan` and `mjq capacity` give for a log, None where they give none."""
    machine, number = MACHINES[case.needs], worth(log).number
    here, more = (
        wait_statistics(log, size, case.policy, percentile=PERCENTILE, number=number)
        for size in (machine.servers, machine.more)
    )
    gain = difference(here.mean, more.mean)
    own, work = own_order_capacity(log, case.policy), mean_work(log)
    return {
        "mean": interval(here, "mean"),
        "percentile": interval(here, "percentile"),
        "gain": None if gain.low is None else (gain.low, gain.high),
        "rate": None if own.low is None else (own.low, own.high),
        "share": None if own.low is None else (own.share_low, own.share_high),
        "work": None if np.isnan(work.low) else (work.low, work.high),
    }


def _replayed(log: Log, servers: float, policy: str) -> Schedule:
    return replay(log.require_arrivals(), log.need, log.run, log.estimates_used, servers, policy)


def _rows_of(case):
    truth = truth_of(case)
    if truth.errors["mean"] > GUESSED * truth.values["mean"]:
        return []
    return [row for jobs in JOBS for row in of_case(case, truth, jobs, LOGS)]


def main() -> None:
    by_case = map_cases(_rows_of, [dict(case=case) for case in CASES], None, what="processes")
    keep("coverage", [row for rows in by_case for row in rows], digits=3)
