"""[CGPS16] Figure 11: large pools, exact and simulated: ``make experiment NAME=depletion``.

The results are kept in ``depletion.csv``, which the chapter reads; it repeats some of the rows. Points of the figure
are simulated as well. For the errors of the scheduler's rules there are more points, exact only: for each number of
places the whole mixes around the best one, and for the largest size those that the rules choose.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from tqdm import tqdm

from mjq import pool_depletion
from mjq.simulation import simulate_depletion
from mjq_book.experiments.tables.keeping import keep

SYSTEM_1 = [[0.75, 0.64], [0.48, 1.25]]
ALPHA, PRECISION, SEED = 0.7, 0.03, 2016
FIGURE = [(1000, 10, k) for k in range(11)]
FIGURE += [(1000, 100, k) for k in range(0, 101, 5)] + [(2000, 200, k) for k in range(60, 191, 10)]
PLACES = 5, 8, 10, 12, 15, 20, 25, 30, 40, 50, 100  # with 1000 tasks
AROUND = 0.4, 0.8  # admitted mixes; the best one and those of all rules lie between
LARGEST = 2000, 200
AT = 120  # tasks of class A in place, where the time is taken
COLUMNS = "N", "K", "K_A", "T", "variance", "tau0", "phi1", "tau12", "phi2", "phi3", "simulated", "half_width"


def exact(N: int, K: int, K_A: int) -> dict[str, Any]:
    """Return mean, variance and phases of one point."""
    solution = pool_depletion.depletion(SYSTEM_1, *_pool(N, K, K_A))
    row = {"N": N, "K": K, "K_A": K_A, "T": f"{solution.mean_time:.10g}", "variance": f"{solution.variance:.8g}"}
    return row | {name: f"{length:.8g}" for name, length in solution.lengths.items()}


def simulated(N: int, K: int, K_A: int) -> dict[str, str]:
    """Simulate the same point, and return it with a 99 % interval."""
    seed = [SEED, N, K, K_A]
    run = simulate_depletion(SYSTEM_1, *_pool(N, K, K_A), seed, precision=PRECISION, workers=2, progress=False)
    return {"simulated": f"{run.mean_time.mean:.6g}", "half_width": f"{run.mean_time.half_width:.3g}"}


def _pool(N: int, K: int, K_A: int) -> tuple[int, int, int, int]:
    return round(ALPHA * N), N - round(ALPHA * N), K_A, K - K_A


def more_points() -> list[tuple[int, int, int]]:
    """Return points of the table of errors that are not in the figure."""
    cases = [(1000, K, k) for K in PLACES for k in range(round(AROUND[0] * K), round(AROUND[1] * K) + 1)]
    N, K = LARGEST
    rules = pool_depletion.asymptotic_rules(ALPHA, SYSTEM_1).values()
    chosen = [pool_depletion.whole_mix(beta, *_pool(N, K, 0)[:2], K) for beta in rules]
    chosen.append(pool_depletion.optimal_mix_by_mva(SYSTEM_1, *_pool(N, K, 0)[:2], K))
    return [case for case in cases + [(N, K, k) for k in chosen] if case not in FIGURE]


def least(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Solve points next to the best one of the largest size, until both of its neighbours are known and take longer."""
    N, K = LARGEST
    points = {row["K_A"]: row for row in rows if (row["N"], row["K"]) == LARGEST}
    while True:
        best = min(points, key=lambda k: float(points[k]["T"]))
        missing = [k for k in (best - 1, best + 1) if k not in points]
        if not missing:
            return list(points.values())
        points |= {k: exact(N, K, k) for k in missing}


def cost(N: int, K: int, K_A: int) -> dict[str, Any]:
    """Return the processor seconds of one pass, compiled."""
    pool = _pool(N, K, K_A)
    begin = time.process_time()
    pool_depletion.depletion(SYSTEM_1, *pool)
    seconds = time.process_time() - begin
    return {"N": N, "K": K, "K_A": K_A, "states": pool_depletion.count_states(*pool), "seconds": seconds}


def main() -> None:
    rows = [exact(*case) | simulated(*case) for case in tqdm(FIGURE, desc="points of the figure")]
    rows += [exact(*case) for case in tqdm(sorted(set(more_points())), desc="more points")]
    rows = [row for row in rows if (row["N"], row["K"]) != LARGEST] + least(rows)
    keep("depletion", sorted(rows, key=lambda row: (row["N"], row["K"], row["K_A"])), COLUMNS)
    keep("depletion_cost", [cost(*LARGEST, AT)], digits=3)
