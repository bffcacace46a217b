"""The headline functions of the five models for scripts and other languages: plain values in, plain values out.

Each model is a :class:`Model`: what goes in, what comes out, and the function between. ``mjq solve`` puts words around
it, :func:`schema` describes it to programs.
"""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass

import fastjsonschema

import mjq
from mjq import checks, cluster, fluid, pool_depletion, processing_capacity, stability
from mjq.plain import brief, plain
from mjq.solvers import phase_type

NUMBER, WHOLE, TRUTH = {"type": "number"}, {"type": "integer"}, {"type": "boolean"}
NUMBERS = {"type": "array", "items": NUMBER, "minItems": 1}
ONE_OR_NUMBERS = {"anyOf": [NUMBER, NUMBERS]}
MATRIX = {"type": "array", "items": NUMBERS, "minItems": 1}
BY_QUEUE = {"type": "object", "additionalProperties": {"type": ["number", "null"]}}
BY_PAIR = {"type": "object", "additionalProperties": BY_QUEUE}
NETWORK = {
    "type": "object",
    "required": ["servers", "service", "routing"],
    "additionalProperties": False,
    "properties": {
        "servers": {"type": "object", "additionalProperties": {"anyOf": [NUMBER, {"const": "inf"}]}},
        "service": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["queue", "class", "mean"],
                "additionalProperties": False,
                "properties": {"queue": {"type": "string"}, "class": {"type": "string"}, "mean": NUMBER, "scv": NUMBER},
            },
        },
        "routing": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["from", "to"],
                "additionalProperties": False,
                "properties": {
                    "from": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
                    "to": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
                    "probability": NUMBER,
                },
            },
        },
        **{
            name: {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["queue", "class", value],
                    "additionalProperties": False,
                    "properties": {"queue": {"type": "string"}, "class": {"type": "string"}, value: NUMBER},
                },
            }
            for name, value in (("arrivals", "rate"), ("population", "jobs"))
        },
    },
}


@dataclass(frozen=True)
class Field:
    """A value that goes in or comes out: its JSON type, what it means, and whether it may be left out."""

    schema: dict
    meaning: str
    optional: bool = False


@dataclass(frozen=True)
class Model:
    """A headline function: what it is, its `inputs` and `outputs` by name, and the function itself."""

    title: str
    inputs: dict
    outputs: dict
    function: Callable


def solve(model, **inputs):
    """Solve one model.

    Returns
    -------
    dict
        ``model``, ``version``, ``input`` and ``result``: numbers, text, lists and dicts only, as in :func:`schema`.

    Raises
    ------
    ValueError
        If the model or an input is unknown or missing, or a law is broken.
    ArithmeticError
        If the solver does not converge.

    Examples
    --------
    >>> found = solve("stability", n=30, n1=3, n2=10, mu1=1, mu2=.5, p1=.7)
    >>> round(found["result"]["throughput"], 10)
    3.331310609
    """
    if model not in MODELS:
        raise ValueError(f"there is no model {model!r}; there are: {', '.join(MODELS)}")
    known = MODELS[model].inputs
    inputs = {name: value for name, value in inputs.items() if value is not None}
    for name in inputs:
        if name not in known:
            raise ValueError(f"{model} has no input {name!r}; there are: {', '.join(known)}")
    missing = [name for name, field in known.items() if not field.optional and name not in inputs]
    if missing:
        raise ValueError(f"{model} needs {', '.join(missing)}")
    given = plain(inputs)
    _checked(model, given, _object(known))
    result = MODELS[model].function(**inputs)
    return {"model": model, "version": mjq.__version__, "input": given, "result": plain(result)}


def schema(model):
    """JSON Schema of what :func:`solve` takes (``input``) and returns.

    Examples
    --------
    >>> schema("stability")["properties"]["result"]["properties"]["wasted_servers"]["description"]
    'mean number of servers that are idle though jobs wait'
    """
    known = MODELS[model]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": known.title,
        "type": "object",
        "required": ["model", "version", "input", "result"],
        "properties": {
            "model": {"const": model},
            "version": {"type": "string"},
            "input": _object(known.inputs),
            "result": _object(known.outputs),
        },
    }


def _object(fields):
    return {
        "type": "object",
        "required": [name for name, field in fields.items() if not field.optional],
        "additionalProperties": False,
        "properties": {name: {**field.schema, "description": field.meaning} for name, field in fields.items()},
    }


# --- The five models ------------------------------------------------------------------------------------------------


def _capacity(B, b, mu, p, lam=None, t=None):
    if t is not None and lam is None:
        raise ValueError("t needs lam: sojourn times are those of an arrival rate")
    if lam is None:
        return {"capacity": processing_capacity.processing_capacity(B, b, mu, p)}
    queue = processing_capacity.sojourn(lam, B, b, mu, p)
    found = {name: getattr(queue, name) for name in ("capacity", "EN", "ENq", "EW", "EWq", "EW2", "EWq2")}
    found["EWq_by_class"] = queue.EWq_by_class
    return found if t is None else found | {"tail": float(queue.tail(t))}


def _stability(n, n1, n2, mu1, mu2, p1):
    system = n, n1, n2, mu1, mu2, p1
    return {
        "throughput": stability.throughput(*system),
        "naive_throughput": stability.naive_throughput(*system),
        "wasted_servers": stability.wasted_servers(*system),
    }


def _cluster(N, sizes, p, lam, mu1, mu2, C):
    if isinstance(mu2, list) and len(mu2) == 1:
        mu2 = mu2[0]
    return asdict(cluster.performance(N, sizes, p, lam, mu1, mu2, C))


def _fluid(network, p=None):
    point = fluid.stationary_point(network_of(network), p)
    return {
        "mean_jobs": _nested(point.mean_jobs),
        "throughput": _nested(point.throughput),
        "share": {str(queue): share for queue, share in point.share.items()},
        "unique": bool(point.unique),
    }


def _pool_depletion(D, N_A, N_B, K, K_A=None):
    possible, K = pool_depletion.whole_mixes(N_A, N_B, K), int(K)
    mixes = possible if K_A is None else [checks.count("K_A", K_A, 0)]
    found = {k: pool_depletion.depletion(D, N_A, N_B, k, K - k) for k in mixes}
    best = min(found, key=lambda k: found[k].T)
    names = ("T", "T_tau0", "T_phi1", "T_tau12", "T_phi2", "variance")
    return {"K_A": best, "K_B": K - best} | {name: getattr(found[best], name) for name in names}


def network_of(given):
    """A :class:`mjq.solvers.network.Network` from plain values, as a JSON or YAML file has them.

    Parameters
    ----------
    given : dict
        ``servers``, queue to number, or ``"inf"`` for a delay station; ``service``, a list of queue, class, mean and
        scv (1 unless given); ``routing``, a list of from and to, each queue and class, and probability (1 unless
        given); ``arrivals``, a list of queue, class and rate; ``population``, a list of queue, class and jobs.

    Examples
    --------
    >>> network = network_of({
    ...     "servers": {"q": 1}, "service": [{"queue": "q", "class": "web", "mean": 1}], "routing": [],
    ...     "arrivals": [{"queue": "q", "class": "web", "rate": 0.5}],
    ... })
    >>> round(fluid.stationary_point(network, p=1).mean_jobs["q", "web"], 9)
    1.0
    """
    _checked("network", given, NETWORK)
    routing = {}
    for step in given["routing"]:
        row = routing.setdefault(tuple(step["from"]), {})
        if tuple(step["to"]) in row:
            raise ValueError(f"routing from {step['from']} to {step['to']} is given twice")
        row[tuple(step["to"])] = step.get("probability", 1.0)
    return fluid.Network(
        servers={queue: math.inf if k == "inf" else k for queue, k in given["servers"].items()},
        service=_by_pair(given["service"], lambda x: phase_type.two_moments(x["mean"], x.get("scv", 1.0))),
        routing=routing,
        arrivals=_by_pair(given.get("arrivals", []), lambda x: x["rate"]),
        population=_by_pair(given.get("population", []), lambda x: x["jobs"]),
    )


def _checked(name, given, described):
    """Refuse values that are not as their JSON Schema says."""
    try:
        fastjsonschema.compile(described, use_default=False)(given, name_prefix=name)
    except fastjsonschema.JsonSchemaValueException as error:
        raise ValueError(f"{error.message}, got {brief(error.value)}") from error


def _by_pair(entries, value):
    found = {}
    for x in entries:
        pair = x["queue"], x["class"]
        if pair in found:
            raise ValueError(f"{pair} is given twice")
        found[pair] = value(x)
    return found


def _nested(by_pair):
    found = {}
    for (queue, kind), value in by_pair.items():
        found.setdefault(str(queue), {})[str(kind)] = float(value)
    return found


MODELS = {
    "processing_capacity": Model(
        "Capacity of a resource for multiserver jobs, and sojourn times at an arrival rate [BB22]",
        {
            "B": Field(NUMBER, "size of the resource"),
            "b": Field(NUMBERS, "need of a job of each class"),
            "mu": Field(NUMBERS, "completion rate of each class"),
            "p": Field(NUMBERS, "probability of each class"),
            "lam": Field(NUMBER, "arrival rate, below the capacity", optional=True),
            "t": Field(NUMBER, "a time: how many jobs stay longer", optional=True),
        },
        {
            "capacity": Field(NUMBER, "largest arrival rate for which the queue is stable"),
            "EN": Field(NUMBER, "mean number of jobs in the system", optional=True),
            "ENq": Field(NUMBER, "mean number of jobs in the queue", optional=True),
            "EW": Field(NUMBER, "mean sojourn time", optional=True),
            "EWq": Field(NUMBER, "mean time in the queue", optional=True),
            "EW2": Field(NUMBER, "second moment of the sojourn time", optional=True),
            "EWq2": Field(NUMBER, "second moment of the time in the queue", optional=True),
            "EWq_by_class": Field(
                {"type": "array", "items": {"type": ["number", "null"]}},
                "mean time in the queue of each class, null for one that never comes",
                optional=True,
            ),
            "tail": Field(NUMBER, "probability that a job stays longer than t", optional=True),
        },
        _capacity,
    ),
    "stability": Model(
        "Stability limit of two classes of multiserver jobs [GHS20]",
        {
            "n": Field(WHOLE, "servers"),
            "n1": Field(WHOLE, "servers that a class-1 job holds"),
            "n2": Field(WHOLE, "servers that a class-2 job holds, at least n1"),
            "mu1": Field(NUMBER, "completion rate of a class-1 job"),
            "mu2": Field(NUMBER, "completion rate of a class-2 job"),
            "p1": Field(NUMBER, "probability of class 1"),
        },
        {
            "throughput": Field(NUMBER, "largest arrival rate for which the queue is stable"),
            "naive_throughput": Field(NUMBER, "the same if no server were ever idle"),
            "wasted_servers": Field(NUMBER, "mean number of servers that are idle though jobs wait"),
        },
        _stability,
    ),
    "cluster": Model(
        "Cluster with a tracker and a finite queue [SW23]",
        {
            "N": Field(WHOLE, "servers"),
            "sizes": Field(NUMBERS, "sizes of jobs"),
            "p": Field(NUMBERS, "probability of each size"),
            "lam": Field(NUMBER, "arrival rate"),
            "mu1": Field(NUMBER, "rate of the tracker"),
            "mu2": Field(ONE_OR_NUMBERS, "completion rate, one for all sizes or one for each"),
            "C": Field(WHOLE, "places in the queue"),
        },
        {
            "mean_queue": Field(NUMBER, "mean number of jobs in the queue"),
            "blocking": Field(NUMBER, "fraction of jobs that are lost"),
            "mean_delay": Field(NUMBER, "mean time in the queue of a job that is not lost"),
            "mean_busy_servers": Field(NUMBER, "mean number of busy servers"),
            "utilization": Field(NUMBER, "fraction of servers that are busy"),
            "mean_jobs": Field(NUMBER, "mean number of jobs in execution"),
            "residual": Field(NUMBER, "sum over all states of inflow less outflow"),
        },
        _cluster,
    ),
    "fluid": Model(
        "Stationary point of the smoothed fluid model of a processor-sharing network [RBAC21]",
        {
            "network": Field(NETWORK, "queues, service times, routing, arrivals and population"),
            "p": Field(NUMBER, "exponent of the smoothing; without it the hard minimum", optional=True),
        },
        {
            "mean_jobs": Field(BY_PAIR, "mean number of jobs by queue and class"),
            "throughput": Field(BY_PAIR, "completions per unit of time by queue and class"),
            "share": Field(BY_QUEUE, "processor share of a job by queue"),
            "unique": Field(TRUTH, "whether no other stationary point is near"),
        },
        _fluid,
    ),
    "pool_depletion": Model(
        "Time in which two stations deplete a pool of two classes of tasks [CGPS16]",
        {
            "D": Field(MATRIX, "demands: a row a station, a column a class"),
            "N_A": Field(WHOLE, "tasks of class A"),
            "N_B": Field(WHOLE, "tasks of class B"),
            "K": Field(WHOLE, "tasks in execution"),
            "K_A": Field(WHOLE, "those of class A; without it the best mix", optional=True),
        },
        {
            "K_A": Field(WHOLE, "tasks of class A in execution"),
            "K_B": Field(WHOLE, "tasks of class B in execution"),
            "T": Field(NUMBER, "mean depletion time"),
            "T_tau0": Field(NUMBER, "mean time of the first completion"),
            "T_phi1": Field(NUMBER, "... of the first that is not replaced by its own class"),
            "T_tau12": Field(NUMBER, "... of the last completion of the exhausted class"),
            "T_phi2": Field(NUMBER, "... of the first completion that is not replaced"),
            "variance": Field(NUMBER, "variance of the depletion time"),
        },
        _pool_depletion,
    ),
}
