"""Ways to the values of [SW23]."""

from typing import Any

from mjq.models import cluster
from mjq.solvers import chain
from tests.reference.ways import exact

NAMES = {
    "E[q]": "mean_queue", "B": "blocking", "E[D]": "mean_delay", "E[U]": "mean_busy_servers", "U": "utilization",
    "E[J]": "mean_jobs",
}  # fmt: skip


def by_tandem(N: int, sizes: list, p: list, lam: float, mu1: float, mu2: Any, C: int) -> dict[str, Any]:
    """Return the measures by the library's solver, which never writes the generator down."""
    found = cluster.performance(N, sizes, p, lam, mu1, mu2, C)
    return {symbol: getattr(found, name) for symbol, name in NAMES.items()}


def by_elimination(N: int, sizes: list, p: list, lam: float, mu1: float, mu2: Any, C: int) -> dict[str, Any]:
    """Return the same with 40 digits, by elimination in the chain of Table 2."""
    with exact.digits():
        mix, pace, tracker = exact.decimals((p, lam, mu1))
        rates = exact.decimals(mu2 if isinstance(mu2, (list, tuple)) else [mu2] * len(sizes))

        def rule(state):
            return cluster.transitions(state, N, sizes, mix, pace, tracker, rates, C)

        pi = exact.stationary((0, 0, ()), rule)
        queue = exact.mean(pi, lambda s: s[0])
        lost = sum(chance for s, chance in pi.items() if (s[0] == C if C else s[1] > 0))
        busy = exact.mean(pi, lambda s: sum(s[2]))
        return {
            "E[q]": queue, "B": lost, "E[D]": queue / (pace * (1 - lost)), "E[U]": busy, "U": busy / N,
            "E[J]": exact.mean(pi, lambda s: len(s[2])),
        }  # fmt: skip


def by_band(N: int, sizes: list, p: list, lam: float, mu1: float, mu2: Any, C: int) -> dict[str, Any]:
    """Return the same by elimination in double precision, for thousands of states."""
    rates = mu2 if isinstance(mu2, (list, tuple)) else [mu2] * len(sizes)
    states = cluster.states(N, sizes, C)

    def rule(state):
        return cluster.transitions(state, N, sizes, p, lam, mu1, rates, C)

    found = cluster.measures(states, chain.stationary(chain.generator(states, rule), states), N, lam)
    return {symbol: getattr(found, name) for symbol, name in NAMES.items()}
