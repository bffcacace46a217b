"""[RBAC21] How long the fluid model takes as networks grow, in phases or in jobs.

The command is ``make experiment NAME=fluid_times``. The results are kept in ``fluid_times.csv``, which the chapter
reads. They are processor seconds on one core, so that other work on the machine does not count.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from mjq import fluid
from mjq.simulation import NetworkEstimates, simulate_ps_network
from mjq.solvers import product_form
from mjq.solvers.phase_type import PhaseType
from mjq_book.experiments.tables.keeping import keep, median_time

RESULTS = Path(__file__).parent / "tables/fluid_times.csv"
P = 2.0  # exponent of all queues
STATIONS = 6, 12, 25, 50, 100  # of the network that grows in phases
FACTORS = 1, 10, 100, 1000  # of the network that grows in jobs, servers and arrivals
UNTIL = 20.0  # how far trajectories and simulations go
RUNS = 100  # simulated, for the mean to be worth something


def seconds(work: Callable[[], object], repeats: int) -> float:
    """Return the median processor time."""
    return median_time(work, repeats, clock=time.process_time)


def large_network(stations: int = 50, classes: int = 4, seed: int = 3) -> fluid.Network:
    """Return a network of open and closed classes that visit many stations, with three phases for each service time."""
    rng = np.random.default_rng(seed)
    servers = {q: math.inf if q % 10 == 0 else int(rng.integers(1, 6)) for q in range(stations)}
    service = {(q, r): _three_phases(rng, rng.uniform(0.2, 2)) for r in range(classes) for q in range(stations)}
    routing, closed = {}, range(classes // 2, classes)
    for r in range(classes):
        for q in range(stations):
            targets = {(q + 1) % stations, *rng.choice(stations, 2, replace=False).tolist()}
            shares = rng.dirichlet(np.ones(len(targets))) * (1.0 if r in closed else 0.9)
            routing[q, r] = {(to, r): share for to, share in zip(targets, shares, strict=True)}
    arrivals = {(0, r): 0.05 for r in range(classes) if r not in closed}
    return fluid.Network(servers, service, routing, arrivals, {(0, r): 60 for r in closed})


def _three_phases(rng, mean):
    leaving, on = rng.uniform(1.5, 9, 3), rng.uniform(0.2, 0.9, 2)
    law = PhaseType(np.eye(3)[0], np.diag(-leaving) + np.diag(leaving[:2] * on, 1))
    return PhaseType(law.alpha, law.T * law.mean / mean)


def by_phases(stations: int) -> dict[str, Any]:
    """Return a network of `stations` stations, 12 phases each."""
    network = large_network(stations)
    times = np.linspace(0, UNTIL, 201)
    return {
        "grows": "phases", "phases": len(network.start), "jobs": sum(network.population.values()),
        "trajectory": seconds(lambda: fluid.trajectory(network, times, p=P), 3),
        "trajectory_hard": seconds(lambda: fluid.trajectory(network, times), 3),
        "stationary": seconds(lambda: fluid.stationary_point(network, P), 3),
    }  # fmt: skip


def by_jobs(factor: int) -> dict[str, Any]:
    """Return the chapter's Example 2, several times as large."""
    network = ring(factor)
    times = np.linspace(0, UNTIL, 201)
    row = {
        "grows": "jobs", "phases": len(network.start), "jobs": sum(network.population.values()),
        "trajectory": seconds(lambda: fluid.trajectory(network, times, p=P), 5),
        "trajectory_hard": seconds(lambda: fluid.trajectory(network, times), 5),
        "stationary": seconds(lambda: fluid.stationary_point(network, P), 5),
        "simulation": seconds(lambda: simulated(network), 3),
    }  # fmt: skip
    if factor <= 100:
        exact = product_form.means(network)
        row["exact"] = seconds(lambda: product_form.means(network), 3)
        row["fit"] = seconds(lambda: fluid.fit_smoothing(network, exact.mean_jobs, exact.throughput), 5)
    return row


def simulated(network: fluid.Network) -> NetworkEstimates:
    return simulate_ps_network(network, UNTIL, 1, warmup=0, at=[UNTIL], replications=RUNS, progress=False)


def ring(factor: int) -> fluid.Network:
    """Return the network of Example 2 with this many times the jobs and the servers."""
    pairs = [("delay", 1), ("Q2", 1), ("Q3", 1)]
    service = dict(zip(pairs, (fluid.exponential(5.0), fluid.coxian(0.5, 0.5), fluid.coxian(1.0, 10.0)), strict=True))
    routing = {a: {b: 1.0} for a, b in zip(pairs, pairs[1:] + pairs[:1], strict=True)}
    servers = {"delay": math.inf, "Q2": 4 * factor, "Q3": 8 * factor}
    return fluid.Network(servers, service, routing, population={pairs[0]: 50 * factor})


def main() -> None:
    rows = [by_phases(stations) for stations in tqdm(STATIONS, desc="phases")]
    rows += [by_jobs(factor) for factor in tqdm(FACTORS, desc="jobs")]
    headers = ["grows", "phases", "jobs", "trajectory", "trajectory_hard", "stationary", "exact", "simulation", "fit"]
    keep(RESULTS, rows, "make experiment NAME=fluid_times", headers, digits=3)


if __name__ == "__main__":
    main()
