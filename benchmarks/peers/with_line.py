"""LINE, in its Python edition: a closed network of three queues and a delay with product form, solved exactly."""

import math

import numpy as np

from benchmarks.peers.comparison import compared
from mjq.solvers import product_form
from mjq.solvers.network import Network
from mjq.solvers.phase_type import exponential

STATIONS = "delay", "front", "left", "right"
MEANS = {"a": (1.0, 0.2, 0.3, 0.1), "b": (2.0, 0.1, 0.15, 0.4)}  # service times of each class at the stations


def ours(jobs):
    """Mean jobs of each class at each station, by our product form; so many jobs of each class."""
    service = {(name, c): exponential(mean) for c in MEANS for name, mean in zip(STATIONS, MEANS[c], strict=True)}
    routing = {}
    for c in MEANS:
        routing |= {
            ("delay", c): {("front", c): 1.0},
            ("left", c): {("delay", c): 1.0},
            ("right", c): {("delay", c): 1.0},
        }
        routing["front", c] = {("left", c): 0.5, ("right", c): 0.5}
    servers = {name: math.inf if name == "delay" else 1 for name in STATIONS}
    network = Network(servers, service, routing, population={("delay", c): jobs for c in MEANS})
    found = product_form.means(network).mean_jobs
    return np.array([[found[name, c] for c in MEANS] for name in STATIONS])


def theirs(jobs, solver, **options):
    """The same by LINE; the model is built anew, for a solver keeps its result in it."""
    import line_solver as line

    model = line.Network("closed")
    stations = [line.Delay(model, "delay"), *(line.Queue(model, x, line.SchedStrategy.PS) for x in STATIONS[1:])]
    routing = model.init_routing_matrix()
    for c in MEANS:
        one = line.ClosedClass(model, c, jobs, stations[0])
        for station, mean in zip(stations, MEANS[c], strict=True):
            station.set_service(one, line.Exp(1 / mean))
        delay, front, left, right = stations
        for step in (
            (delay, front, 1.0),
            (front, left, 0.5),
            (front, right, 0.5),
            (left, delay, 1.0),
            (right, delay, 1.0),
        ):
            routing.set(one, one, *step)
    model.link(routing)
    return getattr(line, solver)(model, verbose=0, **options).avg_qlen()


def closed(jobs, solver, **options):
    def comparison():
        def errors(mine, other):
            return "–", f"at most {np.abs(other / mine - 1).max():.0e} from ours"

        way = f"LINE, {solver} ({options.get('method', 'default')})"
        return compared(
            f"closed network of three queues and a delay, {jobs} jobs of each of two classes",
            "mean jobs of each class at each station",
            way,
            "line-solver",
            lambda: ours(jobs),
            lambda: theirs(jobs, solver, **options),
            errors,
            repeats=3,
        )

    return comparison


COMPARISONS = [
    closed(3, "CTMC"),
    closed(20, "MVA", method="exact"),
    closed(20, "NC", method="exact"),
    closed(20, "MVA"),
]
