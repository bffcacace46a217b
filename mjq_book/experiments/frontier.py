"""[SW23] The search for a method on a cluster of 15,000 servers: 11.7 million states, slow to relax.

Each method runs in a process of its own, with a limited number of sweeps, and is judged by its relative residual. The
command is ``make experiment NAME=frontier``. The results are kept in ``frontier.csv``, and how the residual falls in
``frontier_steps.csv``; the chapter reads both. Rows that these files already have are not measured again: delete them
to measure them anew. An interrupted measurement resumes with the same command. (Seconds are those of the clock, or of
the processor where the note says so.)
"""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypedDict

import numpy as np
from scipy.sparse import linalg
from tqdm import tqdm

from mjq.models.cluster import tandem
from mjq.solvers import drain
from mjq.solvers.arnoldi import dominant
from mjq_book.experiments import aggregation
from mjq_book.experiments.tables import keeping
from mjq_logs._util.journal import Journal


class Parameters(TypedDict):
    """Hold what a :class:`~mjq.models.cluster.tandem.Tandem` takes beside its configurations."""

    arrival: float
    preparation: float
    rates: tuple[float, ...]
    mix: tuple[float, ...]
    places: int


RESULTS = Path(__file__).parent / "tables/frontier.csv"
STEPS = Path(__file__).parent / "tables/frontier_steps.csv"
HEADERS = ["method", "start", "vectors", "sweeps", "seconds", "residual", "gigabytes", "note"]
STEP_HEADERS = ["method", "start", "sweeps", "residual"]
SERVERS, SIZES = 15_000, (10, 100)
SYSTEM = Parameters(arrival=900, preparation=1000, rates=(10, 1), mix=(0.9, 0.1), places=50)
BUDGET = 360  # sweeps
CHANGE_TOLERANCE = 1e-9  # of the entrances in one sweep, all together
NEVER_REACHED = 1e-30  # relative residual, so that a restart spends all of its vectors
EVERY = 20  # sweeps from one step that is kept to the next
FIRST = 20  # sweeps with aggregation before Arnoldi iterations


class Enough(Exception):
    """Say that the budget of sweeps is spent."""


class Counted(tandem.Tandem):
    """Sweep, count the sweeps, and stop when the budget is spent."""

    budget: float = BUDGET
    configurations: drain.Configurations  # of those that need them

    def __call__(self, entrances: np.ndarray) -> np.ndarray:
        if self.sweeps >= self.budget:
            raise Enough
        return super().__call__(entrances)

    def residual(self, entrances: np.ndarray) -> float:
        again = self.sweep(entrances)[0].ravel()
        return float(np.abs(again - entrances).sum() / np.abs(entrances).sum())


def plain(operator: Counted, start: np.ndarray, _: object) -> Iterator[np.ndarray]:
    flow = start
    for _ in range(BUDGET):
        flow = operator(flow)
        yield flow


def alternating(operator: Counted, start: np.ndarray, configurations: drain.Configurations) -> Iterator[np.ndarray]:
    return aggregation.alternating(operator, configurations, start, BUDGET)


def aggregated(operator: Counted, start: np.ndarray, configurations: drain.Configurations) -> Iterator[np.ndarray]:
    return aggregation.aggregated(operator, configurations, SYSTEM["rates"], start, BUDGET)


def stepped(
    steps: Callable, operator: Counted, start: np.ndarray, configurations: drain.Configurations
) -> tuple[np.ndarray, float, list[tuple[int, float]]]:
    """Return the last of the entrances, the processor time for them, and the residuals on the way."""
    seconds, residuals = 0.0, []
    begin = time.process_time()
    for k, flow in enumerate(steps(operator, start, configurations), 1):
        if k % EVERY == 0:
            seconds += time.process_time() - begin
            residuals.append((k, operator.residual(flow)))
            begin = time.process_time()
    return flow, seconds, residuals


def gmres(operator: Counted, start: np.ndarray, basis: int) -> np.ndarray:
    """Run restarted GMRES on y = Ty, written for the correction of the start."""
    flow = start / start.sum()
    matrix = linalg.LinearOperator((operator.size,) * 2, matvec=lambda d: d - operator(d), dtype=float)
    while operator.sweeps < BUDGET - basis - 3:
        gap = operator(flow) - flow
        if np.abs(gap).sum() < CHANGE_TOLERANCE:
            break
        flow = flow + linalg.gmres(matrix, gap, rtol=NEVER_REACHED, restart=basis, maxiter=1)[0]
    return np.abs(flow)


def arnoldi(operator: Counted, start: np.ndarray, basis: int) -> np.ndarray:
    return dominant(operator, start, CHANGE_TOLERANCE, 400, basis)


def arnoldi_after_aggregation(operator: Counted, start: np.ndarray, basis: int) -> np.ndarray:
    ways = aggregation.aggregated(operator, operator.configurations, SYSTEM["rates"], start, FIRST)
    *_, flow = ways
    operator.sweeps = FIRST
    return dominant(operator, flow, CHANGE_TOLERANCE, 400, basis)


def flat(operator: Counted) -> np.ndarray:
    return np.ones(operator.size)


STARTS = {"all equal": flat, "product form": tandem.unblocked}
# Name, start, vectors. The steps of the first three kinds are told one by one.
STEPPED = {"plain sweeps": plain, "alternating sweeps": alternating, "aggregation": aggregated}
WHOLE = {
    "restarted GMRES": gmres,
    "restarted Arnoldi": arnoldi,
    "aggregation, then Arnoldi": arnoldi_after_aggregation,
}
METHODS = [
    ("plain sweeps", "all equal", 1),
    ("restarted GMRES", "all equal", 40),
    ("restarted Arnoldi", "all equal", 20),
    ("plain sweeps", "product form", 1),
    ("restarted GMRES", "product form", 40),
    ("restarted Arnoldi", "product form", 20),
    ("restarted Arnoldi", "product form", 40),
    ("alternating sweeps", "product form", 1),
    ("aggregation", "all equal", 1),
    ("aggregation", "product form", 1),
    ("aggregation, then Arnoldi", "product form", 20),
]


def measured(name: str, start: str, basis: int, pipe: Connection) -> None:
    configurations = drain.configurations(SERVERS, SIZES, most_free=SERVERS)
    operator = Counted(configurations, **SYSTEM)
    operator.configurations = configurations
    first = operator(operator(STARTS[start](operator)))
    flow: np.ndarray | None
    residuals: list[tuple[int, float]] = []
    note = "processor time"
    operator.sweeps = 0
    if name in STEPPED:
        operator.budget = np.inf  # its steps are counted, not what the residuals take
        flow, seconds, residuals = stepped(STEPPED[name], operator, first, configurations)
        sweeps = BUDGET
    else:
        begin = time.process_time()
        try:
            flow = WHOLE[name](operator, first, basis)
        except Enough:
            flow, note = None, f"{note}; no answer within the budget"
        seconds, sweeps = time.process_time() - begin, operator.sweeps
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    residual = "" if flow is None else f"{operator.residual(flow):.2g}"
    row = [name, start, basis, sweeps, f"{seconds:.3g}", residual, f"{peak:.2g}", note]
    pipe.send((row, [[name, start, k, f"{x:.3g}"] for k, x in residuals]))


def main() -> None:
    rows, steps = keeping.known(RESULTS), keeping.known(STEPS)
    journal = Journal(RESULTS.with_suffix(".csv.part"), {"frontier": {**SYSTEM, "servers": SERVERS}})
    for name, start, basis in tqdm(METHODS, desc="methods"):
        key = f"{name}, {start}, {basis}"
        if key not in journal.rows and not _is_kept(name, start, basis, rows, steps):
            row, residuals = _in_a_process(name, start, basis)
            journal.note([(key, {"row": row, "residuals": residuals, "stamp": keeping.stamp()})])
    for measurement in journal.rows.values():
        name, start, basis, *_ = measurement["row"]
        if not _rows_of(rows, name, start, basis):
            rows.append(dict(zip(HEADERS, measurement["row"], strict=True)) | measurement["stamp"])
        if not _rows_of(steps, name, start):
            new = [dict(zip(STEP_HEADERS, step, strict=True)) for step in measurement["residuals"]]
            steps += [step | measurement["stamp"] for step in new]
    if journal.rows:
        stamped = list(keeping.stamp())
        keeping.replace(RESULTS, HEADERS + stamped, rows)
        keeping.replace(STEPS, STEP_HEADERS + stamped, steps)
    journal.remove()


def _rows_of(rows, name, start, basis=None):
    """Return the rows of one method."""
    asked = {"method": name, "start": start} | ({} if basis is None else {"vectors": str(basis)})
    return [row for row in rows if asked.items() <= {key: str(x) for key, x in row.items()}.items()]


def _is_kept(name, start, basis, rows, steps):
    return bool(_rows_of(rows, name, start, basis) and (name not in STEPPED or _rows_of(steps, name, start)))


def _in_a_process(name, start, basis):
    """Return what `measured` sends from a process of its own."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=measured, args=(name, start, basis, theirs))
    process.start()
    answer = ours.recv()
    process.join()
    return answer


if __name__ == "__main__":
    main()
