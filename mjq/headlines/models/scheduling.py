"""The headline of scheduling."""

from __future__ import annotations

from pydantic import Field

from mjq import scheduling
from mjq.headlines.kinds import Declaration, Number, Numbers, Whole, Word, meaning
from mjq.headlines.model import Model

__all__ = ["HEADLINE"]


class SchedulingInput(Declaration):
    lam: Number = meaning("arrival rate")
    B: Number = meaning("size of the resource")
    b: Numbers = meaning("need of a job of each class")
    mu: Numbers = meaning("completion rate of each class")
    p: Numbers = meaning("probability of each class")
    room: Whole = meaning("places in the queue")
    policy: Word = Field("fcfs", description="queueing policy, such as first-fit")


class SchedulingOutput(Declaration):
    states: Whole = meaning("states of the chain")
    EN: Number = meaning("mean number of jobs in the system")
    ENq: Number = meaning("mean number of jobs in the queue")
    EWq: Number = meaning("mean time in the queue of a job that is not lost")
    accepted: Number = meaning("fraction of jobs that are not lost")
    throughput: Number = meaning("jobs completed per unit of time")
    utilization: Number = meaning("fraction of the resource that is held")


def _scheduling(**system):
    return scheduling.finite_queue(**system)._asdict()


HEADLINE = Model("A small queue under a policy, by a finite chain", SchedulingInput, SchedulingOutput, _scheduling)
