"""Ways to the values of [GHS20]."""

from typing import Any

from mjq.models import processing_capacity, stability
from tests.reference.ways import exact


def by_product_form(n: int, n1: int, n2: int, mu1: float, mu2: float, p1: float) -> dict[str, Any]:
    """Return the stability limit and the wasted servers by the library's product form."""
    system = n, n1, n2, mu1, mu2, p1
    return {"lambda*": stability.throughput(*system), "waste": stability.wasted_servers(*system)}


def by_elimination(n: int, n1: int, n2: int, mu1: float, mu2: float, p1: float) -> dict[str, Any]:
    """Return the same with 40 digits, by elimination in the chain of the definition."""
    with exact.digits():
        rate1, rate2, share = exact.decimals((mu1, mu2, p1))

        def rule(state):
            return stability.saturated_transitions(state, n, n1, n2, rate1, rate2, share)

        pi = exact.stationary(stability.u(n // n1, n, n1, n2), rule)
        return {
            "lambda*": exact.mean(pi, lambda s: s[1] * rate1 + s[2] * rate2),
            "waste": exact.mean(pi, lambda s: n - s[1] * n1 - s[2] * n2),
        }


def by_passes(n: int, n1: int, n2: int, mu1: float, mu2: float, p1: float) -> dict[str, Any]:
    """Return the same by the library's solver for any number of classes, which knows no product form."""
    limit = processing_capacity.processing_capacity(n, (n1, n2), (mu1, mu2), (p1, 1 - p1))
    return {"lambda*": limit, "waste": n - limit * (p1 * n1 / mu1 + (1 - p1) * n2 / mu2)}


def by_cycles(n: int, n1: int, n2: int, mu1: float, mu2: float, p1: float) -> dict[str, Any]:
    """Return the same for jobs of one server or all, with 40 digits, from the time between two large jobs."""
    with exact.digits():
        rate1, rate2, share = exact.decimals((mu1, mu2, p1))
        time, power = 1 / rate2, 1 / rate1
        for i in range(1, n + 1):
            power *= share
            time += power / i if i < n else power / (n * (1 - share))
        limit = 1 / ((1 - share) * time)
        return {"lambda*": limit, "waste": n - limit * (share / rate1 + (1 - share) * n / rate2)}
