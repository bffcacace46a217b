"""The headline of the fluid model."""

from __future__ import annotations

from mjq import fluid
from mjq_book.headlines.kinds import Declaration, NumberOrNone, Truth, meaning, optional
from mjq_book.headlines.model import Model
from mjq_book.headlines.networks import PlainNetwork, network_of

__all__ = ["HEADLINE"]


ByQueue = dict[str, NumberOrNone]


class FluidInput(Declaration):
    network: PlainNetwork = meaning("Solve this network of queues, service times, routing, arrivals and population.")
    p: NumberOrNone = optional("Smooth the share of a server with this exponent. By default it is the hard minimum.")


class FluidOutput(Declaration):
    mean_jobs: dict[str, ByQueue] = meaning("mean number of jobs by queue and class")
    throughput: dict[str, ByQueue] = meaning("completions per unit of time by queue and class")
    share: ByQueue = meaning("processor share of a job by queue")
    unique: Truth = meaning("whether no other stationary point is near")


def _fluid(network, p=None):
    point = fluid.stationary_point(network_of(network), p)
    return {
        "mean_jobs": _nested(point.mean_jobs),
        "throughput": _nested(point.throughput),
        "share": {str(queue): share for queue, share in point.share.items()},
        "unique": bool(point.unique),
    }


def _nested(by_pair):
    found: dict[str, dict[str, float]] = {}
    for (queue, kind), value in by_pair.items():
        found.setdefault(str(queue), {})[str(kind)] = float(value)
    return found


HEADLINE = Model(
    "Find the stationary point of the smoothed fluid model of a processor-sharing network",
    FluidInput,
    FluidOutput,
    _fluid,
)
