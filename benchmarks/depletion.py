"""[CGPS16] Figure 11: large pools, exact and simulated: ``make depletion``.

The results are kept in ``depletion.csv``, which the chapter reads; it repeats some of the rows. Points of the figure
are simulated as well. For the errors of the scheduler's rules there are more points, exact only: for each number of
places the whole mixes around the best one, and for the largest size those that the rules choose.
"""

from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.sparse import linalg
from tqdm import tqdm

from benchmarks.kept import keep
from benchmarks.timing import Row, median_time, peak_memory
from mjq import pool_depletion
from mjq.simulation import simulate_depletion
from mjq.solvers import pool_passes

RESULTS = Path(__file__).parent / "depletion.csv"
SYSTEM_1 = [[0.75, 0.64], [0.48, 1.25]]
ALPHA, PRECISION, SEED = 0.7, 0.03, 2016
FIGURE = [(1000, 10, k) for k in range(11)]
FIGURE += [(1000, 100, k) for k in range(0, 101, 5)] + [(2000, 200, k) for k in range(60, 191, 10)]
PLACES = 5, 8, 10, 12, 15, 20, 25, 30, 40, 50, 100  # with 1000 tasks
AROUND = 0.4, 0.8  # admitted mixes; the best one and those of all rules lie between
LARGEST = 2000, 200
COLUMNS = "N", "K", "K_A", "T", "variance", "tau0", "phi1", "tau12", "phi2", "phi3", "simulated", "half_width"


def exact(N, K, K_A):
    """Mean, variance and phases of one point."""
    found = pool_depletion.depletion(SYSTEM_1, *_pool(N, K, K_A))
    row = {"N": N, "K": K, "K_A": K_A, "T": f"{found.T:.10g}", "variance": f"{found.variance:.8g}"}
    return row | {name: f"{length:.8g}" for name, length in found.lengths.items()}


def simulated(N, K, K_A):
    """The same point simulated, with a 99 % interval."""
    options = dict(precision=PRECISION, workers=2, progress=False)
    run = simulate_depletion(SYSTEM_1, *_pool(N, K, K_A), [SEED, N, K, K_A], **options)
    return {"simulated": f"{run.T.mean:.6g}", "half_width": f"{run.T.half_width:.3g}"}


def _pool(N, K, K_A):
    return round(ALPHA * N), N - round(ALPHA * N), K_A, K - K_A


def more_points():
    """Points of the table of errors that are not in the figure."""
    cases = [(1000, K, k) for K in PLACES for k in range(round(AROUND[0] * K), round(AROUND[1] * K) + 1)]
    N, K = LARGEST
    rules = pool_depletion.asymptotic_rules(ALPHA, SYSTEM_1).values()
    chosen = [pool_depletion.whole_mix(beta, *_pool(N, K, 0)[:2], K) for beta in rules]
    chosen.append(pool_depletion.optimal_mix_by_mva(SYSTEM_1, *_pool(N, K, 0)[:2], K))
    return [case for case in cases + [(N, K, k) for k in chosen] if case not in FIGURE]


def least(rows):
    """Points next to the best one of the largest size, until both of its neighbours are there and longer."""
    N, K = LARGEST
    found = {row["K_A"]: row for row in rows if (row["N"], row["K"]) == LARGEST}
    while True:
        best = min(found, key=lambda k: float(found[k]["T"]))
        missing = [k for k in (best - 1, best + 1) if k not in found]
        if not missing:
            return list(found.values())
        found |= {k: exact(N, K, k) for k in missing}


def main():
    rows = [exact(*case) | simulated(*case) for case in tqdm(FIGURE, desc="points of the figure")]
    rows += [exact(*case) for case in tqdm(sorted(set(more_points())), desc="more points")]
    rows = [row for row in rows if (row["N"], row["K"]) != LARGEST] + least(rows)
    keep(RESULTS, sorted(rows, key=lambda row: (row["N"], row["K"], row["K_A"])), "make depletion", COLUMNS)


# --- Beside a generic sparse chain ------------------------------------------------------------------------------------


def by_elimination(pool):
    """Mean depletion time by scipy's sparse solver on the stored generator."""
    Q, start = pool_passes.generator(np.array(SYSTEM_1), pool[:2], pool[2:])
    going_on = sparse.csc_array(-Q[:-1, :-1])  # all states but the end
    return linalg.spsolve(going_on, [1.0] * going_on.shape[0])[start]


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
