"""Near saturation, the eight classes of a cluster's log: ``make experiment NAME=near_saturation``.

692,004 configurations: the constant takes some seconds of processor time, the simulations beside it some minutes. The
results are kept in ``near_saturation.csv`` and ``near_saturation_waits.csv``; the chapter reads both. Times are in
hours, and classes are exponential with the means of the log.
"""

from __future__ import annotations

import resource
import time
from typing import Any

import numpy as np
from tqdm import tqdm

from mjq import System
from mjq.solvers import drain
from mjq_book.experiments.tables.keeping import keep
from mjq_book.workloads import shipped_classes

PROCESSORS = 128
LOADS = 0.5, 0.8, 0.9, 0.95
JOBS, REPLICATIONS, SEED = 10_000_000, 10, 1993


def system() -> System:
    """Return the system of the classes, with the hour as the unit of time."""
    classes = shipped_classes()
    jobs = np.array([job_class.jobs for job_class in classes])
    needs, rates = [job_class.need for job_class in classes], [3600 / job_class.mean_time for job_class in classes]
    return System(PROCESSORS, needs, rates, mix=jobs / jobs.sum())


def constant(jobs: System) -> dict[str, Any]:
    """Return capacity, Delta, and their cost: processor seconds on one core, and the process's largest memory."""
    begin = time.process_time()
    analysis = jobs.near_saturation()
    seconds = time.process_time() - begin
    ways = drain.configurations(jobs.servers, jobs.needs)
    return {
        "configurations": len(ways.counts),
        "states": int(ways.blocked.sum()),
        "capacity": f"{analysis.capacity:.10g}",
        "delta": f"{analysis.delta:.8g}",
        "seconds": seconds,
        "gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
    }


def wait(load: float, jobs: System, capacity: float, delta: float) -> dict[str, float]:
    """Return the mean time in the system [h] at one load: the asymptote, and simulated with a 95 % interval."""
    seed = [SEED, round(1000 * load)]
    run = jobs.simulate(load * capacity, JOBS, seed, replications=REPLICATIONS, progress=False)
    asymptote = (1 + delta) / ((1 - load) * capacity)
    mean = run.mean_sojourn
    return {"load": load, "asymptote": asymptote, "simulated": mean.mean, "half_width": mean.half_width}


def main() -> None:
    jobs = system()
    row = constant(jobs)
    keep("near_saturation", [row], digits=3)
    capacity, delta = float(row["capacity"]), float(row["delta"])
    keep("near_saturation_waits", [wait(load, jobs, capacity, delta) for load in tqdm(LOADS, desc="loads")], digits=6)
