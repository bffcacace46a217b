"""[SW23] The search for a method on a cluster of 15,000 servers: 11.7 million states, slow to relax.

Each method runs in a process of its own, within so many sweeps, and is told by its relative residual. Takes twenty
minutes and three gigabytes: ``make frontier``. The results are kept in ``frontier.csv``, which the chapter reads.
"""

import csv
import datetime
import multiprocessing
import resource
import time
from pathlib import Path

import numpy as np
from scipy.sparse import linalg
from tqdm import tqdm

from benchmarks.timing import machine
from mjq.solvers import drain, tandem
from mjq.solvers.arnoldi import dominant

RESULTS = Path(__file__).parent / "frontier.csv"
SYSTEM = dict(arrival=900, preparation=1000, rates=(10, 1), mix=(0.9, 0.1), places=50)
BUDGET = 360  # sweeps
TOLERANCE = 1e-9


class Enough(Exception):
    """The budget of sweeps is spent."""


class Counted(tandem.Tandem):
    """The sweep, which stops when the budget is spent."""

    def __call__(self, entrances):
        if self.sweeps >= BUDGET:
            raise Enough
        return super().__call__(entrances)

    def residual(self, entrances):
        again = self.sweep(entrances)[0].ravel()
        return float(np.abs(again - entrances).sum() / np.abs(entrances).sum())


def power(operator, start, _):
    flow = start
    while operator.sweeps < BUDGET:
        flow = operator(flow)
    return flow


def gmres(operator, start, basis):
    """Restarted GMRES on y = Ty, written for the correction of the start."""
    flow = start / start.sum()
    matrix = linalg.LinearOperator((operator.size,) * 2, matvec=lambda d: d - operator(d), dtype=float)
    while operator.sweeps < BUDGET - basis - 3:
        gap = operator(flow) - flow
        if np.abs(gap).sum() < TOLERANCE:
            break
        flow = flow + linalg.gmres(matrix, gap, rtol=1e-30, restart=basis, maxiter=1)[0]
    return np.abs(flow)


def arnoldi(operator, start, basis):
    return dominant(operator, start, TOLERANCE, 400, basis)


def flat(operator):
    return np.ones(operator.size)


METHODS = [
    ("plain sweeps", power, flat, 1),
    ("restarted GMRES", gmres, flat, 40),
    ("restarted Arnoldi", arnoldi, flat, 20),
    ("plain sweeps", power, tandem.unblocked, 1),
    ("restarted GMRES", gmres, tandem.unblocked, 40),
    ("restarted Arnoldi", arnoldi, tandem.unblocked, 20),
    ("restarted Arnoldi", arnoldi, tandem.unblocked, 40),
]


def measured(name, method, start, basis, pipe):
    configurations = drain.configurations(15_000, (10, 100), most_free=15_000)
    operator = Counted(configurations, **SYSTEM)
    first = operator(operator(start(operator)))
    begin, operator.sweeps = time.perf_counter(), 0
    try:
        flow, spent = method(operator, first, basis), ""
    except Enough:
        flow, spent = first, "no answer within the budget"
    seconds, sweeps = time.perf_counter() - begin, operator.sweeps
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    kind = "product form" if start is tandem.unblocked else "all equal"
    residual = "" if spent else f"{operator.residual(flow):.2g}"
    pipe.send([name, kind, basis, sweeps, f"{seconds:.3g}", residual, f"{peak:.2g}", spent])


def main():
    context = multiprocessing.get_context("spawn")
    date, where = datetime.date.today().isoformat(), machine()
    headers = ["method", "start", "vectors", "sweeps", "seconds", "residual", "gigabytes", "note", "date", "machine"]
    rows = []
    for method in tqdm(METHODS, desc="methods"):
        ours, theirs = context.Pipe()
        process = context.Process(target=measured, args=(*method, theirs))
        process.start()
        rows.append([*ours.recv(), date, where])
        process.join()
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([headers, *rows])


if __name__ == "__main__":
    main()
