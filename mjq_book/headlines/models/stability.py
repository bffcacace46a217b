"""The headline of stability."""

from __future__ import annotations

from mjq import System
from mjq_book.headlines.kinds import Declaration, Number, Whole, meaning
from mjq_book.headlines.model import Model

__all__ = ["HEADLINE"]


class StabilityInput(Declaration):
    n: Whole = meaning("Give the cluster this many servers.")
    n1: Whole = meaning("Let a class-1 job hold this many servers.")
    n2: Whole = meaning("Let a class-2 job hold this many servers, at least as many as n1.")
    mu1: Number = meaning("Complete a class-1 job at this rate, one over its mean run time.")
    mu2: Number = meaning("Complete a class-2 job at this rate, one over its mean run time.")
    p1: Number = meaning("Let an arriving job be of class 1 with this probability.")


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


HEADLINE = Model(
    "Compute the stability limit of two classes of multiserver jobs", StabilityInput, StabilityOutput, _stability
)
