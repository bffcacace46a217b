"""Ways to the values of [RBAC21]: fluid models and the networks that they approximate."""

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from mjq.models import fluid
from mjq.solvers import product_form
from mjq.solvers.network import Network
from mjq.solvers.phase_type import exponential
from tests.reference.ways import exact

Numbers = list[float]


# --- An open queue ----------------------------------------------------------------------------------------------------


def _open(lam: float, mean: float, k: int) -> Network:
    return Network({"queue": k}, {("queue", 1): exponential(mean)}, {}, arrivals={("queue", 1): lam})


def open_at_rest(lam: float, mean: float, k: int, exponent: float) -> dict[str, Any]:
    """Return the jobs of an open queue at the fluid's stationary point, by the library."""
    return {"x": fluid.stationary_point(_open(lam, mean, k), exponent).mean_jobs["queue", 1]}


def open_by_formula(lam: float, mean: float, k: int, exponent: float) -> dict[str, Any]:
    """Return the same by the formula k r (1 - r^p)^(-1/p), with 40 digits; r is the load."""
    with exact.digits():
        load, power = exact.decimals(lam) * exact.decimals(mean) / k, exact.decimals(exponent)
        return {"x": k * load * (1 - load**power) ** (-1 / power)}


def open_by_product_form(lam: float, mean: float, k: int) -> dict[str, Any]:
    """Return the mean jobs of the open queue, exact, by the library."""
    return {"E[N]": product_form.means(_open(lam, mean, k)).mean_jobs["queue", 1]}


def open_by_sums(lam: float, mean: float, k: int) -> dict[str, Any]:
    """Return the same with 40 digits from the balance of births and deaths."""
    with exact.digits():
        a = exact.decimals(lam) * exact.decimals(mean)
        term, total, jobs, n = Decimal(1), Decimal(1), Decimal(0), 0
        while term > Decimal("1e-38") or n < k:
            n += 1
            term = term * a / min(n, k)
            total, jobs = total + term, jobs + n * term
        return {"E[N]": jobs / total}


def path_by_integration(lam: float, mean: float, k: int, exponent: float, t: float) -> dict[str, Any]:
    """Return the jobs of the fluid of an open queue some time after it was empty, by the library."""
    return {"x(t)": float(fluid.trajectory(_open(lam, mean, k), [0.0, t], p=exponent)[-1, 0])}


def path_by_formula(lam: float, mean: float, k: int, exponent: float, t: float) -> dict[str, Any]:
    """Return the same for one server and exponent 1, where the time is a function of the jobs, by bisection."""
    if (k, exponent) != (1, 1):
        raise ValueError("the formula is for one server and exponent 1")
    with exact.digits():
        pace, rate, end = exact.decimals(lam), 1 / exact.decimals(mean), exact.decimals(t)
        b = pace - rate

        def late(x):
            return x / b + (1 - pace / b) / b * ((pace + b * x) / pace).ln() > end

        return {"x(t)": _bisected(late, Decimal(0), -pace / b * (1 - Decimal("1e-35")))}


def _bisected(above: Callable, low: Decimal, high: Decimal) -> Decimal:
    """Return where something becomes true, between two numbers."""
    for _ in range(120):
        middle = (low + high) / 2
        low, high = (low, middle) if above(middle) else (middle, high)
    return (low + high) / 2


# --- Closed: jobs of several classes think, and share the servers of one queue ----------------------------------------


def _closed(population: list[int], think: Numbers, work: Numbers, k: int) -> Network:
    service: dict[Any, Any] = {}
    routing: dict[Any, Any] = {}
    for c, (rest, mean) in enumerate(zip(think, work, strict=True), start=1):
        service |= {("think", c): exponential(rest), ("queue", c): exponential(mean)}
        routing |= {("think", c): {("queue", c): 1.0}, ("queue", c): {("think", c): 1.0}}
    jobs = {("think", c): n for c, n in enumerate(population, start=1)}
    return Network({"think": math.inf, "queue": k}, service, routing, population=jobs)


def closed_at_rest(
    population: list[int], think: Numbers, work: Numbers, k: int, exponent: float | None
) -> dict[str, Any]:
    """Return jobs at the queue and throughputs at the fluid's stationary point, by the library."""
    point = fluid.stationary_point(_closed(population, think, work, k), exponent)
    classes = range(1, len(population) + 1)
    found = {"x": sum(point.mean_jobs["queue", c] for c in classes)}
    return found | {f"X,{c}": point.throughput["queue", c] for c in classes}


def closed_by_bisection(
    population: list[int], think: Numbers, work: Numbers, k: int, exponent: float | None
) -> dict[str, Any]:
    """Return the same with 40 digits: only mean times matter, so that one number is to be found, by bisection."""
    with exact.digits():
        N, rest, need = exact.decimals((population, think, work))

        def share(x):
            if exponent is None:
                return min(Decimal(1), k / x)
            power = exact.decimals(exponent)
            return (1 + (x / k) ** power) ** (-1 / power)

        def parts(x):
            return [n * d / (share(x) * z + d) for n, z, d in zip(N, rest, need, strict=True)]

        x = _bisected(lambda x: sum(parts(x)) < x, Decimal("1e-30"), sum(N))
        rates = [(n - y) / z for n, y, z in zip(N, parts(x), rest, strict=True)]
        return {"x": x} | {f"X,{c}": rate for c, rate in enumerate(rates, start=1)}


def closed_by_product_form(population: list[int], think: Numbers, work: Numbers, k: int) -> dict[str, Any]:
    """Return the exact means of the same network, by the library's product form."""
    means = product_form.means(_closed(population, think, work, k))
    classes = range(1, len(population) + 1)
    found = {"E[N]": sum(means.mean_jobs["queue", c] for c in classes)}
    return found | {f"X,{c}": means.throughput["queue", c] for c in classes}


def closed_by_elimination(population: list[int], think: Numbers, work: Numbers, k: int) -> dict[str, Any]:
    """Return the same with 40 digits: the Markov chain of the jobs at the queue, by elimination."""
    with exact.digits():
        rest, need = exact.decimals((think, work))

        def rule(state):
            there = sum(state)
            for c, n in enumerate(state):
                if n < population[c]:
                    yield (*state[:c], n + 1, *state[c + 1 :]), (population[c] - n) / rest[c]
                if n:
                    yield (*state[:c], n - 1, *state[c + 1 :]), n * min(Decimal(1), Decimal(k) / there) / need[c]

        pi = exact.stationary((0,) * len(population), rule)
        there = [sum(chance * state[c] for state, chance in pi.items()) for c in range(len(population))]
        found = {"E[N]": sum(there)}
        for c, (n, jobs) in enumerate(zip(population, there, strict=True)):
            found[f"X,{c + 1}"] = (n - jobs) / rest[c]
        return found
