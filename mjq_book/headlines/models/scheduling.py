"""The headline of scheduling."""

from __future__ import annotations

from pydantic import Field

from mjq import scheduling, simulation
from mjq_book.headlines.kinds import Declaration, Number, Numbers, Whole, Word, meaning
from mjq_book.headlines.model import JOBS, REPLICATIONS, SEED, Model

__all__ = ["HEADLINE"]

POLICIES = ", ".join(scheduling.POLICIES)


class SchedulingInput(Declaration):
    lam: Number = meaning("Let jobs arrive at this rate.")
    B: Number = meaning("Give the resource this size, such as a number of servers.")
    b: Numbers = meaning("Let a job of each class hold this much of the resource.")
    mu: Numbers = meaning("Complete a job of each class at this rate, one over its mean run time.")
    p: Numbers = meaning("Let an arriving job be of each class with this probability.")
    room: Whole = meaning("Give the queue this many places; a job that finds it full is lost.")
    policy: Word = Field("fcfs", description=f"Start jobs under this policy: {POLICIES}. By default fcfs.")


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


def _simulated(lam, B, b, mu, p, room, policy="fcfs"):
    run = simulation.simulate_multiserver(
        lam, B, b, mu, p, JOBS, SEED, policy=policy, room=room, replications=REPLICATIONS, progress=False
    )
    return {name: getattr(run, name) for name in ("EN", "ENq", "EWq", "accepted", "throughput")}


HEADLINE = Model(
    "Solve a small queue under a policy, by a finite chain",
    SchedulingInput,
    SchedulingOutput,
    _scheduling,
    _simulated,
)
