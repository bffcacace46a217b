"""Ways to the reference values: from the parameters of a system to its values, by the name of the quantity.

The first half asks the library. The second half starts from the words or the chain of the model, mostly with 40 digits.
"""

import math
import operator
import re
from decimal import Decimal
from itertools import compress
from typing import Any

import numpy as np

from mjq import Pool, System, TrackedCluster
from mjq.models import cluster, fluid, pool_depletion, processing_capacity, scheduling, stability
from mjq.solvers.network import Network
from mjq.solvers.phase_type import exponential
from tests.reference import exact
from tests.reference.saturated import saturated_rule
from tests.reference_schedules import OF_NEEDS, filled

Values = dict[str, Any]

# --- The library ---


def by_system(B: Any, b: list, mu: list, p: list, **more: Any) -> Values:
    several = {"resources": [str(k) for k in range(1, len(B) + 1)]} if isinstance(B, list) else {}
    there = {"per_host" if "hosts" in more else "servers": B}
    system = System(needs=b, rates=mu, mix=p, **there, **several, **more)
    found = {"capacity": system.capacity}
    if "hosts" in more:
        return found | {"fits in sum": system.fits_in_sum_at_capacity}
    if not several:
        return found
    found |= {f"in use, {k}": share for k, share in enumerate(system.utilization_at_capacity, start=1)}
    return found | {f"lacking {' and '.join(names)}": share for names, share in system.short_of_at_capacity.items()}


def by_product_form(B: int, b: list, mu: list, p: list) -> Values:
    system = B, *b, *mu, p[0]
    return {"capacity": stability.throughput(*system), "idle servers": stability.wasted_servers(*system)}


def by_passes(B: int, b: list, mu: list, p: list) -> Values:
    """Any classes by passes over the configurations; this solver knows no product form."""
    limit = processing_capacity.processing_capacity(B, b, mu, p)
    return {
        "capacity": limit,
        "idle servers": B - limit * sum(x * y / z for x, y, z in zip(p, b, mu, strict=True)),
    }


def by_equal_rates(B: int, b: list, mu: list, p: list) -> Values:
    return {"capacity": stability.throughput_equal_rates(B, dict(zip(b, p, strict=True)), mu[0])}


def by_levels(lam: float, B: float, b: list, mu: list, p: list) -> Values:
    """Return means and moments of the queue from levels with a matrix ratio."""
    queue = processing_capacity.sojourn(lam, B, b, mu, p)
    found = {x: getattr(queue, x) for x in ("mean_jobs", "mean_queue", "mean_sojourn", "mean_wait", "wait_moment2")}
    return found | {"P(N=0)": queue.number_probability(0)}


def by_tandem(N: int, sizes: list, p: list, lam: float, mu1: float, mu2: Any, C: int) -> Values:
    """Return the measures of [SW23] by a solver that never writes the generator down."""
    found = TrackedCluster(servers=N, needs=sizes, rates=mu2, mix=p, tracker_rate=mu1, queue_places=C).queue(lam)
    return {
        "E[q]": found.mean_queue, "B": found.blocking, "E[D]": found.mean_time_in_queue,
        "E[U]": found.mean_busy_servers, "E[J]": found.mean_in_service,
    }  # fmt: skip


def _network(population: list[int], think: list, work: list, k: int) -> Network:
    """Return a network whose jobs of several classes think, and then share the servers of one queue."""
    service: dict[Any, Any] = {}
    routing: dict[Any, Any] = {}
    for c, (rest, mean) in enumerate(zip(think, work, strict=True), start=1):
        service |= {("think", c): exponential(rest), ("queue", c): exponential(mean)}
        routing |= {("think", c): {("queue", c): 1.0}, ("queue", c): {("think", c): 1.0}}
    jobs = {("think", c): n for c, n in enumerate(population, start=1)}
    return Network({"think": math.inf, "queue": k}, service, routing, population=jobs)


def by_fluid_at_rest(exponent: float | None = None, **network: Any) -> Values:
    """Return jobs and throughputs at the stationary point of the fluid model, [RBAC21]."""
    found = fluid.stationary_point(_network(**network), exponent)
    jobs = sum(n for (queue, _), n in found.mean_jobs.items() if queue == "queue")
    return {"jobs": jobs} | {f"X,{c}": rate for (queue, c), rate in found.throughput.items() if queue == "queue"}


def by_one_pass(D: list, N_A: int, N_B: int, K_A: int, K_B: int) -> Values:
    """Return mean instants and the variance of [CGPS16] by one pass over the states."""
    found = Pool(D, (N_A, N_B), K_A + K_B).depletion((K_A, K_B))
    return {"T": found.mean_time, "T_phi1": found.T_phi1, "T_phi2": found.T_phi2, "Var[T]": found.variance}


def by_finite_queue(lam: float, B: int, b: list, mu: list, p: list, room: int, policy: str) -> Values:
    found = scheduling.finite_queue(lam, B, b, mu, p, room, policy)
    return {name: getattr(found, name) for name in ("mean_queue", "mean_wait", "accepted", "utilization")}


# --- Queues that never run dry, from the words of the model ---


def by_saturated_chain(
    B: Any, b: list, mu: list, p: list, hosts: int = 1, placement: str = "best fit", order: Any = 0
) -> Values:
    """Eliminate in the chain of jobs on each host, in the order of the hosts, and of the next job."""
    with exact.digits():
        sizes = exact.decimals(B if isinstance(B, list) else [B])
        needs = exact.decimals([x if isinstance(x, list) else [x] for x in b])
        rates = exact.decimals(mu)
        mix, memory = exact.decimals((p, order))
        start, rule, room = saturated_rule(hosts, sizes, needs, rates, mix, placement, memory)
        pi = exact.stationary(start, rule)
        found = {"capacity": exact.mean(pi, lambda s: sum(x for _, x in rule(s)))}
        free = {there: [sum(part) for part in zip(*map(room, there), strict=True)] for there, _ in pi}
        found["fits in sum"] = exact.mean(pi, lambda s: all(map(operator.le, needs[s[1]], free[s[0]])))
        for k, size in enumerate(sizes, start=1):
            idle = exact.mean(pi, lambda s, k=k: free[s[0]][k - 1])
            found |= {f"in use, {k}": 1 - idle / size, "idle servers": idle}
        for (there, head), share in pi.items():
            short = [need > room for need, room in zip(needs[head], free[there], strict=True)]
            name = f"lacking {' and '.join(compress('123', short))}"
            found[name] = found.get(name, 0) + share
        return found


# --- Other chains and formulas ---


def by_queue_cut_off(lam: float, B: float, b: list, mu: list, p: list) -> Values:
    """Eliminate in the queue cut off where it is once in 1e18; Little's law makes times of numbers of jobs."""
    most = int(42 / np.log(processing_capacity.limiting_completion_rate(lam, B, b, mu, p) / lam)) + 10
    with exact.digits():
        pace, mix, rates = exact.decimals((lam, p, mu))

        def rule(state):
            moves = processing_capacity.transitions(state, pace, B, b, rates, mix)
            return ((y, x) for y, x in moves if y[-1] <= most)

        def waiting(state):
            return state[-1] - sum(state[:-2])

        pi = exact.stationary((0,) * (len(b) + 2), rule)
        EN, ENq = exact.mean(pi, lambda s: s[-1]), exact.mean(pi, waiting)
        return {
            "mean_jobs": EN, "mean_queue": ENq, "mean_sojourn": EN / pace, "mean_wait": ENq / pace,
            "wait_moment2": exact.mean(pi, lambda s: waiting(s) * (waiting(s) - 1)) / pace**2,
            "P(N=0)": next(iter(pi.values())),
        }  # fmt: skip


def by_erlang(lam: float, B: int, b: list, mu: list, p: list) -> Values:
    """Return waits of one class of jobs of one server by Erlang's formula."""
    with exact.digits():
        pace, (rate,) = exact.decimals((lam, mu))
        terms = [Decimal(1)]
        for n in range(1, B + 1):
            terms.append(terms[-1] * pace / rate / n)
        gap = B * rate - pace
        last = terms.pop() * B * rate / gap
        wait = last / (sum(terms) + last) / gap
        return {"mean_jobs": pace * (wait + 1 / rate), "mean_wait": wait, "wait_moment2": 2 * wait / gap}


def by_table_2(N: int, sizes: list, p: list, lam: float, mu1: float, mu2: Any, C: int) -> Values:
    """Eliminate in the chain of [SW23], Table 2."""
    with exact.digits():
        mix, pace, tracker = exact.decimals((p, lam, mu1))
        rates = exact.decimals(mu2 if isinstance(mu2, list) else [mu2] * len(sizes))

        def rule(state):
            return cluster.transitions(state, N, sizes, mix, pace, tracker, rates, C)

        pi = exact.stationary((0, 0, ()), rule)
        queue, lost = exact.mean(pi, lambda s: s[0]), sum(chance for s, chance in pi.items() if s[0] == C)
        return {
            "E[q]": queue, "B": lost, "E[D]": queue / (pace * (1 - lost)),
            "E[U]": exact.mean(pi, lambda s: sum(s[2])), "E[J]": exact.mean(pi, lambda s: len(s[2])),
        }  # fmt: skip


def by_bisection(population: list[int], think: list, work: list, k: int, exponent: float | None = None) -> Values:
    """Find the one number on which the fluid at rest depends, since only mean times matter."""
    with exact.digits():
        N, rest, need = exact.decimals((population, think, work))

        def parts(x):
            power = exact.decimals(exponent or 0)
            share = (1 + (x / k) ** power) ** (-1 / power) if power else min(Decimal(1), k / x)
            return [n * d / (share * z + d) for n, z, d in zip(N, rest, need, strict=True)]

        low, high = Decimal("1e-30"), sum(N)
        for _ in range(120):
            middle = (low + high) / 2
            low, high = (low, middle) if sum(parts(middle)) < middle else (middle, high)
        rates = [(n - y) / z for n, y, z in zip(N, parts(low), rest, strict=True)]
        return {"jobs": low} | {f"X,{c}": rate for c, rate in enumerate(rates, start=1)}


def by_recursion(D: list, N_A: int, N_B: int, K_A: int, K_B: int) -> Values:
    """Go backwards from the last completion in the chain of [CGPS16]."""
    with exact.digits():
        demands = exact.decimals(D)
        start = (N_A - K_A, N_B - K_B, K_A, 0, K_B, 0)

        def moments(goes_on):
            def rule(state):
                here = sum(state[2:4]), sum(state[4:])
                return pool_depletion.transitions(state, demands) if goes_on(here) else []

            return exact.absorption_moments([start], rule)[start]

        T, T2 = moments(lambda here: True)
        T_phi1, _ = moments(lambda here: here == (K_A, K_B))
        T_phi2, _ = moments(lambda here: sum(here) == K_A + K_B)
        return {"T": T, "Var[T]": T2 - T**2, "T_phi1": T_phi1, "T_phi2": T_phi2}


def by_jobs_one_by_one(lam: float, B: int, b: list, mu: list, p: list, room: int, policy: str) -> Values:
    """Eliminate in a chain that follows each job by itself under a policy."""
    with exact.digits():
        pace, rates, mix = exact.decimals((lam, mu, p))

        def rule(jobs):
            for kind, chance in enumerate(mix):
                after = _settled((*jobs, (kind, False)), B, b, policy)
                if sum(not served for _, served in after) <= room:
                    yield after, pace * chance
            for k, (kind, served) in enumerate(jobs):
                if served:
                    yield _settled(jobs[:k] + jobs[k + 1 :], B, b, policy), rates[kind]

        pi = exact.stationary((), rule)

        def served(worth):
            return exact.mean(pi, lambda jobs: sum(worth[kind] for kind, busy in jobs if busy))

        queue, X = exact.mean(pi, lambda jobs: sum(not busy for _, busy in jobs)), served(rates)
        return {"mean_queue": queue, "mean_wait": queue / X, "accepted": X / pace, "utilization": served(b) / B}


def _settled(jobs, B, b, policy):
    """Return the jobs after all have started that the policy starts."""
    if policy == "server-filling":
        served = filled([b[kind] for kind, _ in jobs], B)
        return tuple((kind, place in served) for place, (kind, _) in enumerate(jobs))
    name, number = re.findall(r"(.+?)-?(\d*)$", policy)[0]
    while True:
        waiting = [k for k, (_, served) in enumerate(jobs) if not served]
        held = [b[kind] for kind, served in jobs if served]
        place = OF_NEEDS[name]([b[jobs[k][0]] for k in waiting], B - sum(held), len(held), int(number or 0), B)
        if place is None:
            return jobs
        k = waiting[place]
        jobs = (*jobs[:k], (jobs[k][0], True), *jobs[k + 1 :])
