"""The headline of the processing capacity."""

from __future__ import annotations

from mjq_book.headlines.kinds import (
    ORDER,
    Declaration,
    MultiserverInput,
    Number,
    NumberOrNone,
    meaning,
    optional,
    system_of,
)
from mjq_book.headlines.model import JOBS, REPLICATIONS, SEED, Model

__all__ = ["HEADLINE"]


class CapacityInput(MultiserverInput):
    t: NumberOrNone = optional("Also compute the tail, the probability that a job stays longer than this; needs lam.")
    order: NumberOrNone = optional(f"{ORDER} Only the capacity is then computed.")


class CapacityOutput(Declaration):
    capacity: Number = meaning("largest arrival rate for which the queue is stable")
    EN: Number = optional("mean number of jobs in the system")
    ENq: Number = optional("mean number of jobs in the queue")
    EW: Number = optional("mean time in the system")
    EWq: Number = optional("mean wait")
    EW2: Number = optional("second moment of the time in the system")
    EWq2: Number = optional("second moment of the wait")
    EWq_by_class: list[NumberOrNone] = optional("mean wait of each class, null for one that never comes")
    tail: Number = optional("probability that a job stays longer than t")


def _capacity(B, b, mu, p, lam=None, t=None, order=None):
    if t is not None and lam is None:
        raise ValueError("t needs lam, because times in the system depend on the arrival rate")
    system = system_of(B, b, mu, p, order)
    if lam is None:
        return {"capacity": system.capacity}
    queue = system.queue(lam)
    found = {name: getattr(queue, name) for name in ("capacity", "EN", "ENq", "EW", "EWq", "EW2", "EWq2")}
    found["EWq_by_class"] = queue.EWq_by_class
    return found if t is None else found | {"tail": float(queue.tail(t))}


def _simulated(B, b, mu, p, lam=None, t=None, order=None):
    system = system_of(B, b, mu, p, order)
    # With twice the work that could be done the queue never runs dry.
    overloaded = system.simulate(2 * system.naive_capacity, JOBS, SEED, replications=REPLICATIONS, progress=False)
    found = {"capacity": overloaded.throughput}
    if lam is None:
        return found
    if not lam < found["capacity"].low:
        raise ValueError(f"lam {lam} is not below the capacity, which is {found['capacity']:.4g} in a simulation")
    times = () if t is None else (t,)
    run = system.simulate(lam, JOBS, SEED, replications=REPLICATIONS, tail_at=times, progress=False)
    found |= {name: getattr(run, name) for name in ("EN", "ENq", "EW", "EWq", "EW2", "EWq2", "EWq_by_class")}
    return found if t is None else found | {"tail": run.tail[0]}


HEADLINE = Model(
    "Compute the capacity of a resource for multiserver jobs, and times in the system at an arrival rate",
    CapacityInput,
    CapacityOutput,
    _capacity,
    _simulated,
)
