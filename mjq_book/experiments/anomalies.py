"""How often a better cluster of hosts does less: ``make experiment NAME=anomalies``.

In one pool, more of a resource, smaller needs, further servers and shorter times never lower the capacity. On hosts
they may, as they place jobs elsewhere. Clusters of 2 or 3 hosts are drawn, each is changed in the ways of
:data:`CHANGES`, and both are solved exactly. ``anomalies.csv`` has a row for each change, placement and number of
hosts: how many `pairs` were compared, in how many the changed cluster completes less (`lower`, by more than
:data:`CLOSE` of the capacity), the `largest` loss as a share of the capacity, and the `case` in which it was.

**The family.** A host has one resource with 2 to 6 units, or two with 2 to 4 units each. There are two or three
classes. A need is uniform on the whole numbers from 0 to the size, in each resource, but never 0 in all. Rates are 1,
2, 4 or 10, and the probabilities of the classes are uniform among all that sum to 1. One resource and one class are
drawn for the changes. Pairs of which one has more than :data:`MOST_STATES` states are left out, and needs that would
become 0 in all resources.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mjq import many_hosts
from mjq._util import checks
from mjq._util.parallel import map_cases
from mjq_book.experiments.tables.keeping import keep

CASES = 3000
PLACEMENTS = "best fit", "worst fit"
CHANGES = "one unit more on every host", "one unit less need", "a further host", "times half as long"
RATES = 1.0, 2.0, 4.0, 10.0
MOST_STATES = 600
CLOSE = 1e-9
SEED = 20_261_126


class Cluster(NamedTuple):
    """Hold a cluster: its hosts, the size of each, and the needs, rates and probabilities of its classes."""

    hosts: int
    size: np.ndarray
    needs: np.ndarray
    rates: np.ndarray
    mix: np.ndarray


def drawn(case: int) -> tuple[Cluster, int, int]:
    """Draw a cluster, and the resource and the class that will be changed."""
    rng = np.random.default_rng([SEED, case])
    hosts, resources, classes = rng.integers(2, 4, 3).tolist()
    resources -= 1
    size = rng.integers(2, 7 if resources == 1 else 5, resources)
    needs = np.zeros((classes, resources), int)
    while not needs.any(axis=1).all():
        needs = rng.integers(0, size + 1, (classes, resources))
    cluster = Cluster(hosts, size, needs, rng.choice(RATES, classes), rng.dirichlet(np.ones(classes)))
    return cluster, int(rng.integers(resources)), int(rng.integers(classes))


def changed(cluster: Cluster, change: str, k: int, i: int) -> Cluster | None:
    """Return the cluster with more of resource `k`, or another class `i`; None if it would need nothing."""
    match CHANGES.index(change):
        case 0:
            return cluster._replace(size=cluster.size + np.eye(len(cluster.size), dtype=int)[k])
        case 1:
            needs = cluster.needs.copy()
            needs[i, k] -= 1
            return cluster._replace(needs=needs) if needs[i, k] >= 0 and needs[i].any() else None
        case 2:
            return cluster._replace(hosts=cluster.hosts + 1)
    return cluster._replace(rates=cluster.rates * np.where(np.arange(len(cluster.rates)) == i, 2, 1))


def losses(case: int) -> list[dict]:
    """Return what each change costs under each placement, as a share of the capacity; less than 0 is a gain."""
    cluster, k, i = drawn(case)
    result = []
    for placement in PLACEMENTS:
        before = _capacity(cluster, placement)
        for change in CHANGES:
            other = changed(cluster, change, k, i)
            after = None if other is None or before is None else _capacity(other, placement)
            if after is not None:
                key = {"change": change, "placement": placement, "hosts": cluster.hosts}
                result.append(key | {"case": case, "loss": 1 - after / before})
    return result


def _capacity(cluster, placement):
    """Return the exact capacity, or None if there are too many states."""
    m, B, b, mu, p = cluster
    try:
        return many_hosts.capacity(m, B, b, mu, p, placement, MOST_STATES)
    except checks.TooLarge:
        return None


def rows(pairs: list[dict]) -> Iterator[dict]:
    """Yield a row for each change, placement and number of hosts."""
    for change, placement, hosts in itertools.product(CHANGES, PLACEMENTS, (2, 3)):
        key = {"change": change, "placement": placement, "hosts": hosts}
        those = [pair for pair in pairs if key.items() <= pair.items()]
        worst = max(those, key=lambda pair: pair["loss"])
        lower = sum(pair["loss"] > CLOSE for pair in those)
        lost = worst["loss"] if lower else 0.0
        yield key | {"pairs": len(those), "lower": lower, "largest": lost, "case": worst["case"]}


def main() -> None:
    by_case = map_cases(losses, [dict(case=case) for case in range(CASES)], None)
    keep("anomalies", list(rows([pair for pairs in by_case for pair in pairs])), digits=8)
