"""How often 95 % intervals from one log hold what they should: ``make experiment NAME=coverage``.

Logs are drawn from processes whose long-run values are known from runs of many millions of jobs: needs 1, 3, 4 and 8 of
8 servers, in rows of alike needs of geometric length (mean 1, so independent, to 1000), lognormal run times, Poisson
arrivals at .3 to .9 of what first come, first served can carry, 500 to 50,000 jobs, a machine that is empty at first.

``coverage.csv`` has a row for each case, quantity and method: how many of the `logs` got an interval (`given`), and
which part of these intervals held the long-run value (`held`). A log in which all jobs have one need cannot know that
there are others, and no method can help it: such logs are not counted, so that `logs` may be fewer than were drawn.

The method of :mod:`mjq.workload.intervals` is called ``ours``; the others give an interval for each log, and stand
beside it for the mean wait. `effective` is the median of the effective number of jobs, `ratio` that of the upper end of
the intervals over the lower one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import special
from tqdm import tqdm

from mjq._util import parallel
from mjq.experiments.tables.keeping import keep
from mjq.simulation import Schedule, replay
from mjq.workload import Log, intervals, own_order_capacity, saturated_starts
from mjq.workload.capacity.estimates import mean_work
from mjq.workload.waits.one_size import difference, effective_jobs, interval, waits

__all__ = [
    "CASES",
    "COMMAND",
    "METHODS",
    "NEEDS",
    "SERVERS",
    "SHARES",
    "SPREAD",
    "TABLE",
    "Case",
    "Truth",
    "drawn",
    "main",
    "of_case",
    "truth_of",
]

TABLE = Path(__file__).parent / "tables/coverage.csv"
COMMAND = "make experiment NAME=coverage"
SERVERS, NEEDS, SHARES = 8.0, np.array([1.0, 3.0, 4.0, 8.0]), np.array([0.5, 0.25, 0.15, 0.1])
SPREAD = 1.0  # of the logarithm of a run time
ROWS, LOADS, JOBS = (1, 20, 200, 1000), (0.3, 0.5, 0.7, 0.9), (500, 2000, 5000, 15_000, 50_000)
LOGS = 100  # of each case
PERCENTILE = 90.0
RUNS, RUN = 8, 2_500_000  # of which the long-run values are known: jobs
FIRST = 0.02  # of a run, which is not counted
KNOWN = 0.03  # relative standard error of a long-run value, above which the case is left out
SEED = 20_261_123


class Case(NamedTuple):
    """Describe a process: the mean length of a row of equal needs, and the load over the capacity of its own order."""

    row: int
    load: float


class Truth(NamedTuple):
    """Hold long-run values of a process [h, jobs/h, server-hours] and the relative standard error of the mean wait."""

    mean: float
    percentile: float
    gain: float
    rate: float
    share: float
    work: float
    error: float


CASES = [Case(row, load) for row in ROWS for load in LOADS]


def drawn(case: Case, jobs: int, rng: np.random.Generator, capacity: float) -> Log:
    """Draw a log of a process, if first come, first served can carry this many of its jobs an hour."""
    new = rng.random(jobs) < 1 / case.row
    new[0] = True
    first = np.maximum.accumulate(np.where(new, np.arange(jobs), 0))
    need = rng.choice(NEEDS, jobs, p=SHARES)[first]
    run = 3600 * rng.lognormal(-(SPREAD**2) / 2, SPREAD, jobs)
    come = 3600 * np.cumsum(rng.standard_exponential(jobs)) / (case.load * capacity)
    return Log(need=need, run=run, submit=come, servers=SERVERS)


def capacity_of(row: int) -> tuple[float, float]:
    """Return the capacity of a process in its own order [jobs/h] and its share of the servers, from long runs."""
    rates, shares = [], []
    for run in range(RUNS):
        log = drawn(Case(row, 1.0), RUN, np.random.default_rng([SEED, row, run]), 1.0)
        end = saturated_starts(log.need, log.run, SERVERS)[-1] / 3600
        rates.append(RUN / end)
        shares.append(log.need @ log.run / 3600 / (SERVERS * end))
    return float(np.mean(rates)), float(np.mean(shares))


def truth_of(case: Case) -> Truth:
    """Return the long-run values of a process."""
    rate, share = capacity_of(case.row)
    found = []
    for run in range(RUNS):
        log = drawn(case, RUN, np.random.default_rng([SEED, case.row, round(100 * case.load), run]), rate)
        here, more = (_replayed(log, SERVERS + extra).wait[round(FIRST * RUN) :] / 3600 for extra in (0, 1))
        found.append((here.mean(), np.percentile(here, PERCENTILE), here.mean() - more.mean()))
    means = np.mean(found, axis=0)
    error = np.std(found, axis=0, ddof=1)[0] / np.sqrt(RUNS) / means[0]
    mean, percentile, gain = map(float, means)
    return Truth(mean, percentile, gain, rate, share, float(SHARES @ NEEDS), float(error))


def of_case(case: Case, truth: Truth, jobs: int, logs: int, seed: int = 1) -> Iterator[dict]:
    """Count the intervals of many logs of one process: a row for each quantity and method."""
    found: dict[tuple[str, str], list] = {}
    effective = []
    for number in range(logs):
        rng = np.random.default_rng([SEED, seed, case.row, round(100 * case.load), jobs, number])
        log = drawn(case, jobs, rng, truth.rate)
        if log.need.min() == log.need.max():
            continue
        schedule = _replayed(log, SERVERS)
        effective.append(min(effective_jobs(log), intervals.effective_number(schedule.wait)))
        for name, ends in _ours(log).items():
            found.setdefault((name, "ours"), []).append(ends)
        for name, measure in METHODS.items():
            ends = measure(schedule) if schedule.wait.any() else None
            found.setdefault(("mean", name), []).append(ends)
    for (quantity, method), ends in found.items():
        given = [pair for pair in ends if pair is not None]
        value = getattr(truth, quantity)
        yield {
            "row": case.row, "load": case.load, "jobs": jobs, "effective": float(np.median(effective)),
            "quantity": quantity, "method": method, "logs": len(effective), "given": len(given),
            "held": float(np.mean([low <= value <= high for low, high in given])) if given else None,
            "ratio": _ratio(given) if given and quantity != "gain" else None,
        }  # fmt: skip


def _ratio(ends):
    """Return the median of the upper ends over the lower ones."""
    return float(np.median([high / low if low > 0 else np.inf for low, high in ends]))


def _ours(log):
    """Return the intervals that `mjq plan` and `mjq capacity` give for a log, None where they give none."""
    here, more = (waits(log, SERVERS + extra, "fcfs", percentile=PERCENTILE) for extra in (0, 1))
    gain = difference(here, more, "mean")[1:]
    own, work = own_order_capacity(log), mean_work(log)
    return {
        "mean": interval(here, "mean"),
        "percentile": interval(here, "percentile"),
        "gain": None if gain[0] is None else gain,
        "rate": None if own.low is None else (own.low, own.high),
        "share": None if own.low is None else (own.share_low, own.share_high),
        "work": None if np.isnan(work.low) else (work.low, work.high),
    }


def _replayed(log: Log, servers: float) -> Schedule:
    assert log.submit is not None  # as `drawn` makes it
    return replay(log.submit, log.need, log.run, None, servers, "fcfs")


def _scaled(mean, half, logarithmic):
    """Return the ends of an interval of a mean, in hours, made on one scale or the other."""
    if logarithmic:
        half = min(300.0, half / mean)
        return mean * np.exp(-half) / 3600, mean * np.exp(half) / 3600
    return (mean - half) / 3600, (mean + half) / 3600


def _student(degrees):
    return special.stdtrit(degrees, 0.975)


def batch_means(schedule: Schedule, blocks: int, logarithmic: bool = False) -> tuple[float, float]:
    """Return an interval by Student's t from the means of equal blocks."""
    means = intervals.in_blocks(schedule.wait, blocks).mean(axis=1)
    half = _student(blocks - 1) * means.std(ddof=1) / np.sqrt(blocks)
    return _scaled(schedule.wait.mean(), half, logarithmic)


def overlapping_batch_means(schedule: Schedule, blocks: int, logarithmic: bool = False) -> tuple[float, float]:
    """Return an interval from the means of all overlapping blocks (Meketon and Schmeiser 1984)."""
    wait, n = schedule.wait, len(schedule.wait)
    length, sums = n // blocks, np.concatenate([[0.0], np.cumsum(schedule.wait)])
    means = (sums[length:] - sums[:-length]) / length
    variance = length * ((means - wait.mean()) ** 2).sum() / ((n - length) * (n - length + 1))
    return _scaled(wait.mean(), _student(1.5 * (blocks - 1)) * np.sqrt(variance), logarithmic)


def geyer(schedule: Schedule) -> tuple[float, float]:
    """Return an interval from the autocovariances, by Geyer's initial monotone sequence, on a logarithmic scale."""
    wait, n = schedule.wait, len(schedule.wait)
    off = wait - wait.mean()
    spectrum = np.fft.rfft(off, 1 << (2 * n - 1).bit_length())
    covariance = np.fft.irfft(spectrum * spectrum.conj())[: n - n % 2] / n
    pairs = covariance[0::2] + covariance[1::2]
    ended = np.flatnonzero(pairs <= 0)
    total = 2 * np.minimum.accumulate(pairs[: ended[0] if len(ended) else None]).sum() - covariance[0]
    number = max(2.0, n * covariance[0] / max(total, covariance[0] / n))
    return _scaled(wait.mean(), _student(number - 1) * wait.std() / np.sqrt(number), True)


def spectral(schedule: Schedule) -> tuple[float, float]:
    """Return an interval from the spectrum at 0 (Heidelberger and Welch 1981), on a logarithmic scale.

    A parabola is fitted to the logarithm of the averaged periodogram of some 400 block means.
    """
    wait = schedule.wait
    means = intervals.in_blocks(wait, len(wait) // max(1, len(wait) // 400)).mean(axis=1)
    n = len(means)
    power = np.abs(np.fft.rfft(means - means.mean())) ** 2 / n
    points = min(25, (n // 2 - 1) // 2)
    pairs = (power[1 : 2 * points : 2] + power[2 : 2 * points + 1 : 2]) / 2
    at = (4 * np.arange(1, points + 1) - 1) / (2 * n)
    design = np.stack([np.ones(points), at, at**2], axis=1)
    fitted = np.linalg.lstsq(design, np.log(pairs) + 0.270, rcond=None)[0]
    spread = 0.645 * np.linalg.inv(design.T @ design)[0, 0]
    variance = np.exp(fitted[0] - spread / 2) / n
    degrees = max(1, round(2 / np.expm1(spread)))
    return _scaled(wait.mean(), _student(degrees) * np.sqrt(variance), True)


def regenerative(schedule: Schedule) -> tuple[float, float] | None:
    """Return an interval from the cycles between arrivals at an empty machine, or None if there are fewer than six.

    The interval is made on a logarithmic scale.
    """
    ended = np.maximum.accumulate(schedule.finish)
    begins = np.flatnonzero(np.concatenate([[True], ended[:-1] <= schedule.submit[1:]]))
    if len(begins) < 6:
        return None
    sums, jobs = np.diff(np.concatenate([[0.0], np.cumsum(schedule.wait)])[begins]), np.diff(begins)
    ratio = sums.sum() / jobs.sum()
    if not ratio > 0:
        return None
    half = _student(len(jobs) - 1) * (sums - ratio * jobs).std(ddof=1) / np.sqrt(len(jobs)) / jobs.mean()
    return _scaled(ratio, half, True)


def resampled(schedule: Schedule) -> tuple[float, float] | None:
    """Return the widest of the intervals from 200 resamples by blocks of 10, 100 and 1000 jobs; None below 50 jobs."""
    wait, rng = schedule.wait / 3600, np.random.default_rng(1)
    sums, found = np.concatenate([[0.0], np.cumsum(np.tile(wait, 2))]), []
    for length in (10, 100, 1000):
        if len(wait) >= 5 * length:
            first = rng.integers(len(wait), size=(200, len(wait) // length))
            means = ((sums[first + length] - sums[first]) / length).mean(axis=1)
            low, high = np.percentile(means, [2.5, 97.5])
            found.append((low, high))
    return max(found, key=lambda ends: ends[1] - ends[0], default=None)


METHODS: dict[str, Callable[[Schedule], tuple[float, float] | None]] = {
    "resampled blocks": resampled,
    "batch means, 20 blocks": partial(batch_means, blocks=20),
    "batch means, 10 blocks, logarithmic": partial(batch_means, blocks=10, logarithmic=True),
    "batch means, 4 blocks, logarithmic": partial(batch_means, blocks=4, logarithmic=True),
    "overlapping, 10 blocks, logarithmic": partial(overlapping_batch_means, blocks=10, logarithmic=True),
    "autocovariances": geyer,
    "spectrum at 0": spectral,
    "regenerative": regenerative,
}


def _rows_of(case):
    truth = truth_of(case)
    return [row for jobs in JOBS for row in of_case(case, truth, jobs, LOGS)] if truth.error <= KNOWN else []


def main() -> None:
    found: dict[Hashable, list[dict]] = {}
    with tqdm(desc="processes", total=len(CASES), disable=None) as bar:
        for done in parallel.map_as_completed(_rows_of, list(zip(CASES, CASES, strict=True)), None):
            found |= done
            bar.update(len(done))
    keep(TABLE, [row for case in CASES for row in found[case]], COMMAND, digits=3)


if __name__ == "__main__":
    main()
