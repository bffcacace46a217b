"""[RBAC21] A random network of many stations, on which methods for the fluid model are compared."""

from __future__ import annotations

import math

import numpy as np

from mjq import fluid
from mjq.solvers.phase_type import PhaseType


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
