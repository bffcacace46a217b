"""[CGPS16] Figure 11: large pools, exact and simulated: ``make depletion``.

The results are kept in ``depletion.csv``, which the chapter reads; it repeats some of the rows.
"""

import csv
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.sparse import linalg
from tqdm import tqdm

from benchmarks.timing import Row, median_time, peak_memory
from mjq import pool_depletion
from mjq.simulation import simulate_depletion
from mjq.solvers import depletion_passes

RESULTS = Path(__file__).parent / "depletion.csv"
SYSTEM_1 = [[0.75, 0.64], [0.48, 1.25]]
ALPHA, PRECISION, SEED = 0.7, 0.03, 2016
CASES = [(1000, 10, k) for k in range(11)]
CASES += [(1000, 100, k) for k in range(0, 101, 5)] + [(2000, 200, k) for k in range(60, 191, 10)]


def row(N, K, K_A):
    """One point of the figure."""
    pool = round(ALPHA * N), N - round(ALPHA * N), K_A, K - K_A
    exact = pool_depletion.depletion(SYSTEM_1, *pool)
    run = simulate_depletion(SYSTEM_1, *pool, [SEED, N, K, K_A], precision=PRECISION, workers=2, progress=False)
    found = {"N": N, "K": K, "K_A": K_A, "T": f"{exact.T:.10g}", "variance": f"{exact.variance:.8g}"}
    found |= {name: f"{length:.8g}" for name, length in exact.lengths.items()}
    return found | {"simulated": f"{run.T.mean:.6g}", "half_width": f"{run.T.half_width:.3g}"}


def main():
    rows = [row(*case) for case in tqdm(CASES, desc="points")]
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


# --- Beside a generic sparse chain ------------------------------------------------------------------------------------


def by_elimination(pool):
    """Mean depletion time by scipy's sparse solver on the stored generator."""
    Q, start = depletion_passes.generator(np.array(SYSTEM_1), *pool)
    return linalg.spsolve(sparse.csc_array(-Q), [1.0] * Q.shape[0])[start]


def against_a_generic_chain():
    pool = 70, 30, 6, 4
    theirs, T = median_time(lambda: by_elimination(pool), repeats=1, warm=False, keep=True)
    ours, found = median_time(lambda: pool_depletion.depletion(SYSTEM_1, *pool), keep=True)
    assert abs(found.T / T - 1) < 1e-10
    states = pool_depletion.count_states(*pool)
    return Row(f"depletion of 100 tasks, {states:,} states, means and variance", ours, "scipy spsolve", theirs)


def large():
    seconds = median_time(lambda: pool_depletion.depletion(SYSTEM_1, 700, 300, 60, 40), repeats=1)
    return Row("depletion of 1,000 tasks, 100 at a time", seconds, "", None)


def largest():
    seconds = median_time(lambda: pool_depletion.depletion(SYSTEM_1, 1400, 600, 120, 80), repeats=1, warm=False)
    return Row("depletion of 2,000 tasks, 200 at a time", seconds, "", None)


def memory():
    code = f"from mjq import pool_depletion\npool_depletion.depletion({SYSTEM_1}, 1400, 600, 120, 80)"
    return Row("peak memory of that process [MB]", peak_memory(code), "", None)


BENCHMARKS = [against_a_generic_chain, large, largest, memory]

if __name__ == "__main__":
    main()
