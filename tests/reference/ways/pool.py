"""Ways to the values of [CGPS16]."""

from typing import Any

from mjq.models import pool_depletion
from tests.reference.ways import exact

Demands = list[list[float]]


def by_passes(D: Demands, N_A: int, N_B: int, K_A: int, K_B: int) -> dict[str, Any]:
    """Return mean instants and the variance by the library: one pass over the states, two diagonals kept."""
    found = pool_depletion.depletion(D, N_A, N_B, K_A, K_B)
    return {"T": found.T, "T_phi1": found.T_phi1, "T_phi2": found.T_phi2, "Var[T]": found.variance}


def by_recursion(D: Demands, N_A: int, N_B: int, K_A: int, K_B: int) -> dict[str, Any]:
    """Return the same with 40 digits, backwards from the last completion in the chain of the definition."""
    with exact.digits():
        demands = exact.decimals(D)
        start = (N_A - K_A, N_B - K_B, K_A, 0, K_B, 0)

        def rule(state):
            return pool_depletion.transitions(state, demands)

        def placed(state):
            return sum(state[2:4]), sum(state[4:])

        def until(mix):
            """Follow the tasks until others than these are in execution."""
            return exact.absorption_moments([start], lambda s: rule(s) if mix(placed(s)) else [])[start][0]

        first, second = exact.absorption_moments([start], rule)[start]
        return {
            "T": first, "Var[T]": second - first**2,
            "T_phi1": until(lambda here: here == (K_A, K_B)), "T_phi2": until(lambda here: sum(here) == K_A + K_B),
        }  # fmt: skip


def by_formulas(D: Demands, alpha: float, beta: float) -> dict[str, Any]:
    """Return asymptotic mixes, throughputs and the depletion time a task by the library's formulas."""
    low, high = pool_depletion.saturation_sector(D)
    X_A, X_B = pool_depletion.asymptotic_throughputs(beta, D)
    best = pool_depletion.optimal_admitted_mix(alpha, D)
    return {
        "beta_L": low, "beta_U": high, "X_A": X_A, "X_B": X_B,
        "T/N": pool_depletion.asymptotic_depletion_time(alpha, beta, D),
        "low": best.low, "high": best.high, "alpha*": pool_depletion.equal_work_pool_mix(D),
    }  # fmt: skip


def by_equations(D: Demands, alpha: float, beta: float) -> dict[str, Any]:
    """Return the same as fractions, from the utilizations: no station is busy for more than all of the time.

    A task of a class is at the saturated station, since the other one never has a queue. So the mix in execution is
    the mix of the work there; inside the sector both are saturated, whatever the mix.
    """
    (D1A, D1B), (D2A, D2B) = exact.fractions(D)
    a, mix = exact.fractions((alpha, beta))
    # Both stations saturated: two equations for two throughputs.
    both_A, both_B = exact.solved([[D1A, D1B], [D2A, D2B]], [1 + 0 * a, 1 + 0 * a])
    low, high = sorted((both_A * D1A, both_A * D2A))

    def rates(b):
        """Find the one station that is saturated and where the other one is not, or both."""
        for first, second, other in ((D1A, D1B, (D2A, D2B)), (D2A, D2B, (D1A, D1B))):
            X_A, X_B = b / first, (1 - b) / second
            if X_A * other[0] + X_B * other[1] <= 1:
                return X_A, X_B
        return both_A, both_B

    X_A, X_B = rates(mix)
    alone_A, alone_B = 1 / max(D1A, D2A), 1 / max(D1B, D2B)
    phase = min(a / X_A if X_A else 10**9, (1 - a) / X_B if X_B else 10**9)
    rest = (a - phase * X_A) / alone_A + (1 - a - phase * X_B) / alone_B
    # The admitted mix that ends both classes at once, by the station that it saturates.
    ends = [
        b for b in (a * D1A / (a * D1A + (1 - a) * D1B), a * D2A / (a * D2A + (1 - a) * D2B)) if _keeps(b, rates, a)
    ]
    corner = ends[0] if ends else low
    return {
        "beta_L": low, "beta_U": high, "X_A": X_A, "X_B": X_B, "T/N": phase + rest,
        "low": min(low, corner), "high": max(high, corner),
        "alpha*": both_A / (both_A + both_B),
    }  # fmt: skip


def _keeps(b, rates, a):
    """Return whether throughputs with this admitted mix are as the tasks of the pool."""
    X_A, X_B = rates(b)
    return X_A * (1 - a) == X_B * a
