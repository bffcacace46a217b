"""Networks of processor-sharing queues from plain values."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import Field

from mjq.solvers import phase_type
from mjq.solvers.network import Network
from mjq_book.headlines.kinds import Declaration, Number, checked

__all__ = ["PlainNetwork", "network_of"]

Pair = Annotated[list[str], Field(min_length=2, max_length=2)]


class _AtQueue(Declaration):
    queue: str
    kind: str = Field(alias="class")

    @property
    def pair(self):
        return self.queue, self.kind


class _Service(_AtQueue):
    mean: Number
    scv: Number = 1.0


class _Arrivals(_AtQueue):
    rate: Number


class _Population(_AtQueue):
    jobs: Number


class _Step(Declaration):
    origin: Pair = Field(alias="from")
    to: Pair
    probability: Number = 1.0


class PlainNetwork(Declaration):
    """Describe a network as a JSON or YAML file does."""

    servers: dict[str, Number | Literal["inf"]] = Field(description="queue to its servers; inf: a delay station")
    service: list[_Service] = Field(description="mean service times and squared coefficients of variation")
    routing: list[_Step] = Field(description="where jobs go, with probability 1 unless given")
    arrivals: list[_Arrivals] = Field([], description="rates of jobs from outside")
    population: list[_Population] = Field([], description="jobs that start at a queue")


def network_of(given: dict) -> Network:
    """Return a :class:`mjq.solvers.network.Network` from plain values, as a JSON or YAML file has them.

    Parameters
    ----------
    given : dict
        ``servers``, queue to number, or ``"inf"`` for a delay station; ``service``, a list of queue, class, mean and
        scv (1 unless given); ``routing``, a list of from and to, each queue and class, and probability (1 unless
        given); ``arrivals``, a list of queue, class and rate; ``population``, a list of queue, class and jobs.

    Raises
    ------
    ValueError
        If something is missing, unknown or given twice, or the network violates a constraint.

    Examples
    --------
    >>> network = network_of({
    ...     "servers": {"q": 1}, "service": [{"queue": "q", "class": "web", "mean": 1}], "routing": [],
    ...     "arrivals": [{"queue": "q", "class": "web", "rate": 0.5}],
    ... })
    >>> network.arrivals.tolist()
    [0.5]
    """
    plain = checked("network", PlainNetwork, given)
    routing: dict = {}
    for step in plain.routing:
        row = routing.setdefault(tuple(step.origin), {})
        if tuple(step.to) in row:
            raise ValueError(f"routing from {step.origin} to {step.to} is given twice")
        row[tuple(step.to)] = step.probability
    return Network(
        servers={queue: math.inf if k == "inf" else k for queue, k in plain.servers.items()},
        service=_by_pair(plain.service, lambda x: phase_type.two_moments(x.mean, x.scv)),
        routing=routing,
        arrivals=_by_pair(plain.arrivals, lambda x: x.rate),
        population=_by_pair(plain.population, lambda x: x.jobs),
    )


def _by_pair(entries, value):
    found = {}
    for entry in entries:
        if entry.pair in found:
            raise ValueError(f"{entry.pair} is given twice")
        found[entry.pair] = value(entry)
    return found
