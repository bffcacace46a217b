"""The headline of stability."""

from __future__ import annotations

from mjq import System
from mjq.headlines.kinds import Declaration, Number, Whole, meaning
from mjq.headlines.model import Model

__all__ = ["HEADLINE"]


class StabilityInput(Declaration):
    n: Whole = meaning("servers")
    n1: Whole = meaning("servers that a class-1 job holds")
    n2: Whole = meaning("servers that a class-2 job holds, at least n1")
    mu1: Number = meaning("completion rate of a class-1 job")
    mu2: Number = meaning("completion rate of a class-2 job")
    p1: Number = meaning("probability of class 1")


class StabilityOutput(Declaration):
    throughput: Number = meaning("largest arrival rate for which the queue is stable")
    naive_throughput: Number = meaning("the same if no server were ever idle")
    wasted_servers: Number = meaning("mean number of servers that are idle though jobs wait")


def _stability(n, n1, n2, mu1, mu2, p1):
    system = System.two_classes(n, n1, n2, mu1, mu2, p1)
    return {
        "throughput": system.capacity,
        "naive_throughput": system.naive_capacity,
        "wasted_servers": system.wasted_servers,
    }


HEADLINE = Model("Stability limit of two classes of multiserver jobs", StabilityInput, StabilityOutput, _stability)
