"""The headlines: what goes in, what comes out, and the function between, one declaration a model."""

from collections.abc import Callable
from dataclasses import asdict, dataclass

from pydantic import Field

from mjq import checks, cluster, fluid, near_saturation, pool_depletion, processing_capacity, scheduling, stability
from mjq.headlines.kinds import Declaration, Matrix, Number, NumberOrNone, Numbers, Truth, Whole, Word, meaning
from mjq.headlines.networks import PlainNetwork, network_of

__all__ = ["MODELS", "Model"]


@dataclass(frozen=True)
class Model:
    """A headline: its title, the declarations of what goes in and what comes out, and the function between.

    The function takes plain values by name and returns a dictionary.
    """

    title: str
    inputs: type[Declaration]
    outputs: type[Declaration]
    function: Callable[..., dict]


# --- Processing capacity ----------------------------------------------------------------------------------------------


class CapacityInput(Declaration):
    B: Number = meaning("size of the resource")
    b: Numbers = meaning("need of a job of each class")
    mu: Numbers = meaning("completion rate of each class")
    p: Numbers = meaning("probability of each class")
    lam: NumberOrNone = Field(None, description="arrival rate, below the capacity")
    t: NumberOrNone = Field(None, description="a time: how many jobs stay longer")


class CapacityOutput(Declaration):
    capacity: Number = meaning("largest arrival rate for which the queue is stable")
    EN: Number = Field(None, description="mean number of jobs in the system")
    ENq: Number = Field(None, description="mean number of jobs in the queue")
    EW: Number = Field(None, description="mean sojourn time")
    EWq: Number = Field(None, description="mean time in the queue")
    EW2: Number = Field(None, description="second moment of the sojourn time")
    EWq2: Number = Field(None, description="second moment of the time in the queue")
    EWq_by_class: list[NumberOrNone] = Field(
        None, description="mean time in the queue of each class, null for one that never comes"
    )
    tail: Number = Field(None, description="probability that a job stays longer than t")


def _capacity(B, b, mu, p, lam=None, t=None):
    if t is not None and lam is None:
        raise ValueError("t needs lam: sojourn times are those of an arrival rate")
    if lam is None:
        return {"capacity": processing_capacity.processing_capacity(B, b, mu, p)}
    queue = processing_capacity.sojourn(lam, B, b, mu, p)
    found = {name: getattr(queue, name) for name in ("capacity", "EN", "ENq", "EW", "EWq", "EW2", "EWq2")}
    found["EWq_by_class"] = queue.EWq_by_class
    return found if t is None else found | {"tail": float(queue.tail(t))}


# --- Stability --------------------------------------------------------------------------------------------------------


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
    system = n, n1, n2, mu1, mu2, p1
    return {
        "throughput": stability.throughput(*system),
        "naive_throughput": stability.naive_throughput(*system),
        "wasted_servers": stability.wasted_servers(*system),
    }


# --- Cluster ----------------------------------------------------------------------------------------------------------


class ClusterInput(Declaration):
    N: Whole = meaning("servers")
    sizes: Numbers = meaning("sizes of jobs")
    p: Numbers = meaning("probability of each size")
    lam: Number = meaning("arrival rate")
    mu1: Number = meaning("rate of the tracker")
    mu2: Number | Numbers = meaning("completion rate, one for all sizes or one for each")
    C: Whole = meaning("places in the queue")


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
    return asdict(cluster.performance(N, sizes, p, lam, mu1, mu2, C))


# --- Fluid ------------------------------------------------------------------------------------------------------------

ByQueue = dict[str, NumberOrNone]


class FluidInput(Declaration):
    network: PlainNetwork = meaning("queues, service times, routing, arrivals and population")
    p: NumberOrNone = Field(None, description="exponent of the smoothing; without it the hard minimum")


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
    found = {}
    for (queue, kind), value in by_pair.items():
        found.setdefault(str(queue), {})[str(kind)] = float(value)
    return found


# --- Pool depletion ---------------------------------------------------------------------------------------------------


class DepletionInput(Declaration):
    D: Matrix = meaning("demands: a row a station, a column a class")
    N_A: Whole = meaning("tasks of class A")
    N_B: Whole = meaning("tasks of class B")
    K: Whole = meaning("tasks in execution")
    K_A: Whole | None = Field(None, description="those of class A; without it the best mix")


class DepletionOutput(Declaration):
    K_A: Whole = meaning("tasks of class A in execution")
    K_B: Whole = meaning("tasks of class B in execution")
    T: Number = meaning("mean depletion time")
    T_tau0: Number = meaning("mean time of the first completion")
    T_phi1: Number = meaning("... of the first that is not replaced by its own class")
    T_tau12: Number = meaning("... of the last completion of the exhausted class")
    T_phi2: Number = meaning("... of the first completion that is not replaced")
    variance: Number = meaning("variance of the depletion time")


def _pool_depletion(D, N_A, N_B, K, K_A=None):
    possible, K = pool_depletion.whole_mixes(N_A, N_B, K), int(K)
    mixes = possible if K_A is None else [checks.count("K_A", K_A, 0)]
    found = {k: pool_depletion.depletion(D, N_A, N_B, k, K - k) for k in mixes}
    best = min(found, key=lambda k: found[k].T)
    names = ("T", "T_tau0", "T_phi1", "T_tau12", "T_phi2", "variance")
    return {"K_A": best, "K_B": K - best} | {name: getattr(found[best], name) for name in names}


# --- Near saturation --------------------------------------------------------------------------------------------------


class SaturationInput(Declaration):
    B: Number = meaning("size of the resource")
    b: Numbers = meaning("need of a job of each class")
    mu: Numbers = meaning("completion rate of each class")
    p: Numbers = meaning("probability of each class")
    lam: NumberOrNone = Field(None, description="arrival rate, below the capacity")


class SaturationOutput(Declaration):
    capacity: Number = meaning("largest arrival rate for which the queue is stable")
    delta: Number = meaning("mean sojourn time near saturation, times what is left of the capacity, less 1")
    dispersion: Number = meaning("variance of the number of saturated departures over its mean")
    sojourn_asymptote: Number = Field(None, description="mean sojourn time, as it is near saturation")
    decay_rate: Number = Field(None, description="rate at which the tail of the time in the queue decays")


def _near_saturation(B, b, mu, p, lam=None):
    found = near_saturation.relative_completions(B, b, mu, p)._asdict()
    if lam is None:
        return found
    return found | {
        "sojourn_asymptote": near_saturation.sojourn_asymptote(lam, B, b, mu, p),
        "decay_rate": near_saturation.decay_rate(lam, B, b, mu, p),
    }


# --- Scheduling -------------------------------------------------------------------------------------------------------


class SchedulingInput(Declaration):
    lam: Number = meaning("arrival rate")
    B: Number = meaning("size of the resource")
    b: Numbers = meaning("need of a job of each class")
    mu: Numbers = meaning("completion rate of each class")
    p: Numbers = meaning("probability of each class")
    room: Whole = meaning("places in the line")
    policy: Word = Field("fcfs", description="who starts next, such as first-fit")


class SchedulingOutput(Declaration):
    states: Whole = meaning("states of the chain")
    EN: Number = meaning("mean number of jobs in the system")
    ENq: Number = meaning("mean number of jobs in the line")
    EWq: Number = meaning("mean time in the line of a job that is not lost")
    accepted: Number = meaning("fraction of jobs that are not lost")
    throughput: Number = meaning("jobs completed per unit of time")
    utilization: Number = meaning("fraction of the resource that is held")


def _scheduling(**system):
    return scheduling.finite_queue(**system)._asdict()


MODELS = {
    "processing_capacity": Model(
        "Capacity of a resource for multiserver jobs, and sojourn times at an arrival rate [BB22]",
        CapacityInput,
        CapacityOutput,
        _capacity,
    ),
    "stability": Model(
        "Stability limit of two classes of multiserver jobs [GHS20]", StabilityInput, StabilityOutput, _stability
    ),
    "cluster": Model("Cluster with a tracker and a finite queue [SW23]", ClusterInput, ClusterOutput, _cluster),
    "fluid": Model(
        "Stationary point of the smoothed fluid model of a processor-sharing network [RBAC21]",
        FluidInput,
        FluidOutput,
        _fluid,
    ),
    "pool_depletion": Model(
        "Time in which two stations deplete a pool of two classes of tasks [CGPS16]",
        DepletionInput,
        DepletionOutput,
        _pool_depletion,
    ),
    "near_saturation": Model(
        "Sojourn times of multiserver jobs when the resource is nearly full [NS]",
        SaturationInput,
        SaturationOutput,
        _near_saturation,
    ),
    "scheduling": Model(
        "A small queue under a policy, by a finite chain [SCHED]", SchedulingInput, SchedulingOutput, _scheduling
    ),
}
