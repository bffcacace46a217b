"""The headline of each model: what goes in, what comes out, and the function between."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from mjq import (
    Pool,
    System,
    TrackedCluster,
    cluster,
    fluid,
    many_hosts,
    near_saturation,
    pool_depletion,
    scheduling,
)
from mjq._util import checks
from mjq.solvers import phase_type
from mjq.solvers.network import Network
from mjq_book.chapters import CHAPTERS
from mjq_book.headlines.kinds import (
    Declaration,
    Matrix,
    Number,
    NumberOrNone,
    Numbers,
    Truth,
    Whole,
    Word,
    checked,
    meaning,
    optional,
)


@dataclass(frozen=True)
class Model:
    """Describe a headline: its title, its inputs and outputs, and the function that computes the one from the other.

    The function takes plain values by name and returns a dictionary.
    """

    title: str
    inputs: type[Declaration]
    outputs: type[Declaration]
    function: Callable[..., dict]


ORDER = "Probability, below 1, that a job has the class of the one before it; otherwise its class is drawn anew."


class MultiserverInput(Declaration):
    B: Number = meaning("Size of the resource, such as a number of servers.")
    b: Numbers = meaning("Need of each class: how much of the resource a job holds.")
    mu: Numbers = meaning("Service rate of each class: one over its mean run time.")
    p: Numbers = meaning("Probability of each class for an arriving job.")
    lam: NumberOrNone = optional("Arrival rate, below the capacity, at which to compute times, too.")


def system_of(B: Any, b: list, mu: list[float], p: list[float], order: float | None = None) -> System:
    """Return the system of a :class:`MultiserverInput`; errors name its letters, which are what was given.

    >>> system_of(6, [2, 3], [1, 1], [0.5, 0.4])
    Traceback (most recent call last):
    ValueError: p must sum to 1, got (0.5, 0.4) with sum 0.9
    """
    checks.multiserver(B, b, mu, p, several=True)
    return System(B, b, mu, p, order)


# --- processing_capacity ---------------------------------------------------------------------------------------------


class CapacityInput(MultiserverInput):
    t: NumberOrNone = optional("Time for the tail, the probability that a job stays longer; needs lam.")
    order: NumberOrNone = optional(f"{ORDER} With it, only the capacity is computed.")


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
    results = {name: getattr(queue, name) for name in ("capacity", "EN", "ENq", "EW", "EWq", "EW2", "EWq2")}
    results["EWq_by_class"] = queue.EWq_by_class
    return results if t is None else results | {"tail": float(queue.tail(t))}


# --- stability -------------------------------------------------------------------------------------------------------


class StabilityInput(Declaration):
    n: Whole = meaning("Number of servers.")
    n1: Whole = meaning("Number of servers that a class-1 job holds.")
    n2: Whole = meaning("Number of servers that a class-2 job holds, at least n1.")
    mu1: Number = meaning("Service rate of class 1: one over its mean run time.")
    mu2: Number = meaning("Service rate of class 2: one over its mean run time.")
    p1: Number = meaning("Probability that an arriving job is of class 1.")


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


# --- cluster ---------------------------------------------------------------------------------------------------------


class ClusterInput(Declaration):
    N: Whole = meaning("Number of servers.")
    sizes: Numbers = meaning("Numbers of servers that jobs need, all different.")
    p: Numbers = meaning("Probability of each size for an arriving job.")
    lam: Number = meaning("Arrival rate.")
    mu1: Number = meaning("Rate at which the tracker maps jobs to servers.")
    mu2: Number | Numbers = meaning("Service rate, one for all sizes or one for each.")
    C: Whole = meaning("Number of places in the queue; a job that finds it full is lost.")


class ClusterOutput(Declaration):
    mean_queue: Number = meaning("mean number of jobs in the queue")
    blocking: Number = meaning("fraction of jobs that are lost")
    mean_delay: Number = meaning("mean time in the queue of a job that is not lost")
    mean_busy_servers: Number = meaning("mean number of busy servers")
    utilization: Number = meaning("fraction of servers that are busy")
    mean_jobs: Number = meaning("mean number of jobs in execution")
    residual: Number = meaning("sum over all states of inflow less outflow")


def _cluster(N, sizes, p, lam, mu1, mu2, C):
    if isinstance(mu2, list) and len(mu2) == 1:
        mu2 = mu2[0]
    cluster.checked(N, sizes, p, lam, mu1, mu2, C)  # whose errors name the letters that were given
    tracked = TrackedCluster(servers=N, needs=sizes, rates=mu2, mix=p, tracker_rate=mu1, places=C)
    return asdict(tracked.queue(lam))


# --- fluid -----------------------------------------------------------------------------------------------------------

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
    values = {}
    for entry in entries:
        if entry.pair in values:
            raise ValueError(f"{entry.pair} is given twice")
        values[entry.pair] = value(entry)
    return values


ByQueue = dict[str, NumberOrNone]


class FluidInput(Declaration):
    network: PlainNetwork = meaning("Network of queues, service times, routing, arrivals and population.")
    p: NumberOrNone = optional("Exponent that smooths the share of a server. By default the share is the hard minimum.")


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
    nested: dict[str, dict[str, float]] = {}
    for (queue, kind), value in by_pair.items():
        nested.setdefault(str(queue), {})[str(kind)] = float(value)
    return nested


# --- pool_depletion --------------------------------------------------------------------------------------------------


class DepletionInput(Declaration):
    D: Matrix = meaning("Mean demands of tasks, with a row for each station and a column for each class.")
    N_A: Whole = meaning("Number of tasks of class A in the pool.")
    N_B: Whole = meaning("Number of tasks of class B in the pool.")
    K: Whole = meaning("Number of tasks in execution.")
    K_A: Whole | None = optional("Number of tasks of class A in execution at first. By default that of the best mix.")


class DepletionOutput(Declaration):
    K_A: Whole = meaning("tasks of class A in execution")
    K_B: Whole = meaning("tasks of class B in execution")
    T: Number = meaning("mean depletion time")
    T_tau0: Number = meaning("mean time of the first completion")
    T_phi1: Number = meaning("mean time of the first completion that is not replaced by its own class")
    T_tau12: Number = meaning("mean time of the last completion of the class whose pool is exhausted first")
    T_phi2: Number = meaning("mean time of the first completion that is not replaced")
    variance: Number = meaning("variance of the depletion time")


def _depletion(D, N_A, N_B, K, K_A=None):
    pool_depletion.whole_mixes(N_A, N_B, K)  # whose errors name the letters that were given
    if K_A is None:
        depletion = Pool(D, (N_A, N_B), K).depletion()
    else:
        depletion = pool_depletion.depletion(D, N_A, N_B, checks.count("K_A", K_A, 0), int(K) - int(K_A))
    *_, K_A, K_B = depletion.system
    names = ("T", "T_tau0", "T_phi1", "T_tau12", "T_phi2", "variance")
    return {"K_A": K_A, "K_B": K_B} | {name: getattr(depletion, name) for name in names}


# --- near_saturation -------------------------------------------------------------------------------------------------


class SaturationInput(MultiserverInput):
    order: NumberOrNone = optional(ORDER)


class SaturationOutput(Declaration):
    capacity: Number = meaning("largest arrival rate for which the queue is stable")
    delta: Number = meaning("mean time in the system near saturation, times what is left of the capacity, less 1")
    dispersion: Number = meaning("variance of the number of saturated departures over its mean")
    sojourn_asymptote: Number = optional("mean time in the system, as it is near saturation")
    decay_rate: Number = optional("rate at which the tail of the time in the queue decays")


def _saturation(B, b, mu, p, lam=None, order=None):
    results = system_of(B, b, mu, p, order).near_saturation()._asdict()
    if lam is None:
        return results
    return results | {
        "sojourn_asymptote": near_saturation.sojourn_asymptote(lam, B, b, mu, p, order),
        "decay_rate": near_saturation.decay_rate(lam, B, b, mu, p, order),
    }


# --- several_resources -----------------------------------------------------------------------------------------------


class ResourcesInput(Declaration):
    B: Numbers = meaning("Size of each resource.")
    b: Matrix = meaning("Need of each class: a row with how much of each resource a job holds.")
    mu: Numbers = meaning("Service rate of each class: one over its mean run time.")
    p: Numbers = meaning("Probability of each class for an arriving job.")
    order: NumberOrNone = optional(ORDER)


class ResourcesOutput(Declaration):
    capacity: Number = meaning("largest arrival rate for which the queue is stable")
    naive_capacity: Number = meaning("the same if the resource that is used up first were never idle")
    packing_bound: Number = optional("rate that no scheduler exceeds")
    views: list[NumberOrNone] = optional("capacity by each resource alone, null for one that nobody needs")
    dominant: Number = optional("capacity if each job only held the largest part that it takes of any resource")
    utilisation: Numbers = optional("share of each resource that is held while jobs wait")
    short_of: dict[str, Number] = optional("share of the time in which the next job lacks just these resources")


def _resources(B, b, mu, p, order=None):
    system = system_of(B, b, mu, p, order)
    return {
        "capacity": system.capacity,
        "naive_capacity": system.naive_capacity,
        "packing_bound": system.packing_bound,
        "views": [view if math.isfinite(view) else None for view in system.views.tolist()],
        "dominant": system.dominant,
        "utilisation": np.atleast_1d(system.utilisation).tolist(),
        "short_of": {" and ".join(names): share for names, share in system.short_of.items()},
    }


# --- many_hosts ------------------------------------------------------------------------------------------------------

PLACEMENTS = ", ".join(many_hosts.PLACEMENTS)


class HostsInput(Declaration):
    m: Whole = meaning("Number of hosts, all alike.")
    B: Number = meaning("Size of each host: how much of the resource it has.")
    b: Numbers = meaning("Need of each class: how much of one host a job holds.")
    mu: Numbers = meaning("Service rate of each class: one over its mean run time.")
    p: Numbers = meaning("Probability of each class for an arriving job.")
    placement: Word = Field("best fit", description=f"Host that a job goes to: {PLACEMENTS}. By default best fit.")


class HostsOutput(Declaration):
    capacity: Number = meaning("largest arrival rate for which the queue is stable, in order of arrival")
    naive_capacity: Number = meaning("the same if no unit were ever idle")
    pool: Number = meaning("the same if all hosts were one pool, in order of arrival")
    lost_to_order: Number = meaning("share of the naive capacity that a pool loses, too")
    lost_to_boundaries: Number = meaning("share that best fit on hosts does less than the pool")
    lost_to_placement: Number = meaning("share that this placement does less than best fit")
    fits_in_sum: Number = meaning("share of the time in which the next job would fit into the room of all hosts")


def _hosts(m, B, b, mu, p, placement="best fit"):
    many_hosts.checked(m, B, b, mu, p, placement)
    system = System(hosts=m, servers=B, needs=b, rates=mu, mix=p, placement=placement)
    return {
        "capacity": system.capacity,
        "naive_capacity": system.naive_capacity,
        "pool": system.pool.capacity,
        "fits_in_sum": system.fits_in_sum,
    } | {f"lost_to_{reason}": share for reason, share in system.losses.items()}


# --- scheduling ------------------------------------------------------------------------------------------------------

POLICIES = ", ".join(scheduling.POLICIES)


class SchedulingInput(Declaration):
    lam: Number = meaning("Arrival rate.")
    B: Number = meaning("Size of the resource, such as a number of servers.")
    b: Numbers = meaning("Need of each class: how much of the resource a job holds.")
    mu: Numbers = meaning("Service rate of each class: one over its mean run time.")
    p: Numbers = meaning("Probability of each class for an arriving job.")
    room: Whole = meaning("Number of places in the queue; a job that finds it full is lost.")
    policy: Word = Field("fcfs", description=f"Policy by which jobs start: {POLICIES}. By default fcfs.")


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


HEADLINES = {
    "processing_capacity": Model(
        "Compute the capacity of a resource for multiserver jobs, and times in the system at an arrival rate",
        CapacityInput,
        CapacityOutput,
        _capacity,
    ),
    "stability": Model(
        "Compute the stability limit of two classes of multiserver jobs", StabilityInput, StabilityOutput, _stability
    ),
    "cluster": Model(
        "Compute waits, losses and busy servers of a cluster with a tracker and a finite queue",
        ClusterInput,
        ClusterOutput,
        _cluster,
    ),
    "fluid": Model(
        "Find the stationary point of the smoothed fluid model of a processor-sharing network",
        FluidInput,
        FluidOutput,
        _fluid,
    ),
    "pool_depletion": Model(
        "Compute the time in which two stations deplete a pool of two classes of tasks",
        DepletionInput,
        DepletionOutput,
        _depletion,
    ),
    "near_saturation": Model(
        "Compute how long multiserver jobs stay when the resource is nearly full",
        SaturationInput,
        SaturationOutput,
        _saturation,
    ),
    "several_resources": Model(
        "Compute the capacity of several resources that jobs need together, and which of them the next job lacks",
        ResourcesInput,
        ResourcesOutput,
        _resources,
    ),
    "many_hosts": Model(
        "Compute the capacity of a small cluster whose jobs must fit on one host, and what these boundaries cost",
        HostsInput,
        HostsOutput,
        _hosts,
    ),
    "scheduling": Model(
        "Solve a small queue under a policy, by a finite chain",
        SchedulingInput,
        SchedulingOutput,
        _scheduling,
    ),
}
MODELS = {
    chapter.name: replace(HEADLINES[chapter.name], title=f"{HEADLINES[chapter.name].title} [{chapter.key}]")
    for chapter in CHAPTERS
    if chapter.has_model
}
