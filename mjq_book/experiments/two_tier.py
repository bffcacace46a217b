"""Random networks of two tiers, on which [RBAC21] tries its smoothed fluid model.

Frontends and backends are processor-sharing queues. An open job visits a frontend, a backend, a frontend, and leaves;
each of the closed jobs waits at a delay station, visits a frontend, a backend, a frontend, and returns. Replicas of a
tier are chosen with equal probability. A *system* is drawn once and its smoothing exponents are fitted; then it is
changed, and the old exponents must serve the new system.

The numbers are those of the paper's public code, as recorded in our notes on it; the paper's own draws are not known.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mjq.models import fluid
from mjq.simulation import simulate_ps_network
from mjq.simulation.estimates import Estimate
from mjq.simulation.replications import Seed
from mjq.solvers import product_form

FRONTEND, BACKEND = {1: (8.0, 5.0), 2: (8.0, 0.5), 3: (8.0, 5.0), 4: (8.0, 0.5)}, {1: (16.0, 10.0), 3: (16.0, 10.0)}
SERVERS = {"F": 8, "B": 4}
JOBS = 50
WIDEST_INTERVAL = 0.02  # half-width of a simulated percentile, as a part of it
TRIES = 8  # longer and longer simulations


@dataclass(frozen=True)
class System:
    """Describe a network of two tiers."""

    stations: dict[str, dict[int, tuple[float, float]]]
    """Name, F or B and a number, to the mean service time and its squared coefficient of variation of each class: 1 and
    2 are the first and second visit of open jobs, 3 and 4 of closed ones."""
    interarrival: float = 10.0
    think: float = 25.0
    think_scv: float = 1.0
    """Mean time between arrivals; mean and squared coefficient of variation of the time at the delay station."""

    def tier(self, letter: str) -> list[str]:
        """Return the names of the replicas of a tier, F or B."""
        return [name for name in self.stations if name[0] == letter]

    def network(self) -> fluid.Network:
        """Return the network, for the fluid model, the exact means and the simulator."""
        front, back = self.tier("F"), self.tier("B")
        service = {
            (name, c): fluid.two_moments(*moments) for name, of in self.stations.items() for c, moments in of.items()
        }
        service["delay", 3] = fluid.two_moments(self.think, self.think_scv)

        def split(names, c):
            return {(name, c): 1 / len(names) for name in names}

        routing = {("delay", 3): split(front, 3)}
        for name in front:
            routing |= {(name, 1): split(back, 1), (name, 3): split(back, 3), (name, 4): {("delay", 3): 1.0}}
        for name in back:
            routing |= {(name, 1): split(front, 2), (name, 3): split(front, 4)}
        servers = {name: SERVERS[name[0]] for name in self.stations} | {"delay": math.inf}
        arrivals = {pair: share / self.interarrival for pair, share in split(front, 1).items()}
        return fluid.Network(servers, service, routing, arrivals, {("delay", 3): JOBS})

    def request(self) -> list[tuple]:
        """Return the pairs whose response time is measured: closed jobs at the first frontend and at all backends."""
        first = self.tier("F")[0]
        return [(first, 3), (first, 4), *((name, 3) for name in self.tier("B"))]


def draw(rng: np.random.Generator) -> System:
    """Draw a random system, with means and squared coefficients of variation near the nominal ones."""
    names = {"F1": FRONTEND, "F2": FRONTEND} | {f"B{k}": BACKEND for k in range(1, 5)}
    return System({name: _scattered(rng, of) for name, of in names.items()})


def _scattered(rng, classes):
    return {c: tuple(float(x * rng.uniform(0.8, 1.2)) for x in moments) for c, moments in classes.items()}


# --- Changes: each returns the new system and exponents for it ---


def scale_workload(system: System, p: dict[str, float], rng: np.random.Generator) -> tuple[System, dict[str, float]]:
    """Change the arrivals, the closed jobs, and how long and how regularly these think."""
    interarrival, think, scv = rng.uniform(2, 20), rng.uniform(5, 50), rng.uniform(0.1, 10)
    return replace(system, interarrival=float(interarrival), think=float(think), think_scv=float(scv)), p


def vertical(system: System, p: dict[str, float], rng: np.random.Generator) -> tuple[System, dict[str, float]]:
    """Make one station up to five times slower or faster."""
    name, factor = rng.choice(list(system.stations)), rng.uniform(1, 5) ** rng.choice([-1, 1])
    return replace(system, stations=system.stations | {name: _slower(system.stations[name], factor)}), p


def _slower(classes, factor):
    return {c: (float(mean * factor), scv) for c, (mean, scv) in classes.items()}


def horizontal(system: System, p: dict[str, float], rng: np.random.Generator) -> tuple[System, dict[str, float]]:
    """Add a replica with the mean exponent of its tier and up to half slower or faster, or remove one."""
    if rng.random() < 0.5:
        gone = rng.choice(list(system.stations))
        remaining_stations = {name: of for name, of in system.stations.items() if name != gone}
        return replace(system, stations=remaining_stations), {name: x for name, x in p.items() if name != gone}
    letter, nominal = ("F", FRONTEND) if rng.random() < 0.5 else ("B", BACKEND)
    tier = system.tier(letter)
    new = f"{letter}{len(tier) + 1}"
    stations = system.stations | {new: _slower(_scattered(rng, nominal), rng.uniform(0.5, 1.5))}
    return replace(system, stations=stations), p | {new: float(np.mean([p[name] for name in tier]))}


CHANGES = {"workload": scale_workload, "vertical scaling": vertical, "horizontal scaling": horizontal}
KINDS = "workload", "frontend scaled", "backend scaled", "replica added", "replica removed"


def _changed(system, p, base, change, case):
    """Return the system after a change, and exponents for it; the same numbers give the same change."""
    return CHANGES[change](system, p, np.random.default_rng([base, list(CHANGES).index(change), case]))


def what_changes(base: int, change: str, case: int) -> str:
    """Return what a change of :func:`evaluate` does: one of :data:`KINDS`, which has two sorts of each scaling.

    Arguments are those of :func:`evaluate`.

    Examples
    --------
    >>> [what_changes(0, "horizontal scaling", case) for case in range(2)]
    ['replica removed', 'replica added']

    Source: ours; the authors' code adds a replica at random and removes each once.
    """
    system = draw(np.random.default_rng([base]))
    new, _ = _changed(system, dict.fromkeys(system.stations, 1.0), base, change, case)
    more = len(new.stations) - len(system.stations)
    if more:
        return KINDS[3] if more > 0 else KINDS[4]
    slower = [name for name in system.stations if new.stations[name] != system.stations[name]]
    return (KINDS[1] if slower[0] in system.tier("F") else KINDS[2]) if slower else KINDS[0]


# --- How well the models do ---


def evaluate(base: int, change: str, case: int, time: float = 20_000.0) -> dict[str, Any]:
    """Draw a system, fit it, change it, and compare the fluid models with the truth.

    The row has base, change, case; busiest, the greatest part of servers busy at a queue; the simulated 95th percentile
    of the response time (p95) and its half-width; and for the model with the hard minimum, with the old exponents
    (smoothed) and with newly fitted ones (refitted) the relative errors of the mean number of jobs at the queues, the
    mean response time and the 95th percentile.

    Parameters
    ----------
    base, case : int
        Which system, and which change of it: the same numbers give the same system and change.
    change : str
        A key of :data:`CHANGES`.
    time : float
        Length of the simulation's ten replications, prolonged until the half-width of the percentile is below 2 %.

    Source: [RBAC21] abstract; the full paper's evaluation.
    """
    system = draw(np.random.default_rng([base]))
    network = system.network()
    exact = product_form.means(network)
    fitted = fluid.fit_smoothing(network, exact.mean_jobs, exact.throughput)
    changed, p = _changed(system, fitted, base, change, case)
    network = changed.network()
    exact = product_form.means(network)
    kind = list(CHANGES).index(change)
    percentile = simulated_percentile(network, changed.request(), [base, kind, case, 1], time)
    busy: dict[Hashable, float] = {}
    for (queue, _), rate, law in zip(network.pairs, exact.throughput.values(), network.service.values(), strict=True):
        busy[queue] = busy.get(queue, 0.0) + rate * law.mean / network.servers[queue]
    row = {"base": base, "change": change, "case": case, "busiest": max(busy.values())}
    row |= {"p95": percentile.mean, "half_width": percentile.half_width}
    refitted = fluid.fit_smoothing(network, exact.mean_jobs, exact.throughput)
    for name, exponents in (("hard", None), ("smoothed", p), ("refitted", refitted)):
        relative_errors = errors(network, changed.request(), exponents, exact, percentile.mean)
        row |= {f"{name}_{quantity}": error for quantity, error in relative_errors.items()}
    return row


def simulated_percentile(network: fluid.Network, pairs: Sequence[tuple], seed: Seed, time: float) -> Estimate:
    """Estimate the 95th percentile of the response time, from runs that are long enough."""
    for _ in range(TRIES):
        run = simulate_ps_network(network, time, seed, subsets={"request": pairs}, progress=False)
        percentile = run.response["request"].percentile[0.95]
        excess = percentile.half_width / (WIDEST_INTERVAL * percentile.mean)
        if excess < 1:
            return percentile
        time *= max(1.5, 1.3 * excess**2)  # the half-width falls with the root of the time
    raise ArithmeticError(f"the percentile is still uncertain after a time of {time:g}")


def errors(
    network: fluid.Network,
    pairs: Sequence[tuple],
    p: dict[str, float] | None,
    exact: product_form.Means,
    percentile: float,
) -> dict[str, float]:
    """Return the relative errors of a fluid model: jobs (mean over the queues), mean response time, 95th percentile."""
    point = fluid.stationary_point(network, p)
    law = fluid.response_time(network, pairs, p=p)
    truth, ours = (_by_queue(network, x.mean_jobs) for x in (exact, point))
    flow = sum(_flow_in(network, exact.throughput, pairs))
    mean = sum(exact.mean_jobs[pair] for pair in pairs) / flow
    return {
        "jobs": float(np.mean(np.abs(ours / truth - 1))),
        "mean": float(law.mean / mean - 1),
        "p95": float(law.quantile(0.95) / percentile - 1),
    }


def _by_queue(network, mean_jobs):
    queues = [queue for queue, k in network.servers.items() if not math.isinf(k)]
    return np.array([sum(n for (where, _), n in mean_jobs.items() if where == queue) for queue in queues])


def _flow_in(network, throughput, pairs):
    """Yield the rates at which jobs enter these pairs from others."""
    for k, source in enumerate(network.pairs):
        if source not in pairs:
            yield throughput[source] * sum(network.P[k, j] for j, to in enumerate(network.pairs) if to in pairs)
