"""Single queues and saturated multiserver systems of other programs."""

import numpy as np

from mjq.models.near_saturation import filling_transitions, server_filling
from mjq.models.processing_capacity import processing_capacity, sojourn
from mjq.solvers import chain, product_form, qbd
from mjq.solvers.network import Network
from mjq.solvers.phase_type import PhaseType, erlang, exponential

# --- Ciw ---


def sharing_with_threshold(lam=10.0, mu=12.0, alone=3):
    """Chances of 0, 1, ... jobs where up to three are served as if each were alone, and more share."""

    def rule(state):
        (n,) = state
        yield (n + 1,), lam
        if n:
            yield (n - 1,), mu * min(n, alone)

    found = qbd.Levels.of((0,), rule, alone).stationary()
    return {("probability", "", str(n)): float(found.level(n)[0]) for n in range(9)}


def shared_server(lam=4.0, law=None):
    network = Network({"node": 1}, {("node", 1): law or exponential(1 / 9)}, {}, arrivals={("node", 1): lam})
    return {("response time", "node", ""): product_form.means(network).mean_jobs["node", 1] / lam}


# --- most-queue ---


def saturated(servers, needs, rates):
    shares = [1 / len(needs)] * len(needs)
    return {("saturated throughput", "", ""): processing_capacity(servers, needs, rates, shares)}


SERVICE = {
    "Erlang": erlang(2, 1.0),
    "Coxian": PhaseType([1.0, 0.0], [[-2.0, 1.5], [0.0, -1.5]]),
    "hyperexponential": PhaseType([0.25, 0.75], np.diag([-0.5, -1.5])),
}


def served_in_order(law, lam, servers=1):
    """The rule of Poisson arrivals at identical servers; a state holds the phases of jobs in service, and all jobs."""

    def begun(phases, n):
        return (((tuple(sorted((*phases, k))), n), float(p)) for k, p in enumerate(law.alpha) if p > 0)

    def rule(state):
        phases, n = state
        if n < servers:
            yield from ((to, lam * p) for to, p in begun(phases, n + 1))
        else:
            yield (phases, n + 1), lam
        for place, phase in enumerate(phases):
            rest = phases[:place] + phases[place + 1 :]
            for other in np.flatnonzero(law.T[phase] > 0).tolist():
                yield (tuple(sorted((*rest, other))), n), float(law.T[phase, other])
            if n > servers:
                yield from ((to, float(law.exit[phase]) * p) for to, p in begun(rest, n - 1))
            else:
                yield (rest, n - 1), float(law.exit[phase])

    return rule


def mean_response(law, lam, servers=1):
    levels = qbd.Levels.of(((), 0), served_in_order(law, lam, servers), servers + 1)
    counts = [[n for _, n in states] for states in levels.states[:-1]]
    return levels.stationary().factorial_moment(counts, 1) / lam


def one_job_at_a_time(name, load=0.35):
    law = SERVICE[name]
    response = mean_response(law, load / law.mean)
    return {("wait", "", ""): response - law.mean, ("response time", "", ""): response}


# --- LINE ---

HALF_AND_HALF = erlang(2, 0.5)


def varied(mean, scv):
    """A Coxian law whose squared coefficient of variation is above 1."""
    first = 2 / mean
    return PhaseType([1.0, 0.0], [[-first, first / (2 * scv)], [0.0, -first / (2 * scv)]])


def in_order(law, lam=1.0, servers=1, name="Queue"):
    response = mean_response(law, lam, servers)
    return {("jobs", name, ""): lam * response, ("response time", name, ""): response}


def in_order_another_way(law, servers, jobs=80):
    """The same by a chain of finitely many jobs, solved as a whole; more are rarer than rounding."""

    def rule(state):
        return (step for step in served_in_order(law, 1.0, servers)(state) if step[0][1] <= jobs)

    states = chain.explore([((), 0)], rule)
    response = chain.stationary(chain.generator(states, rule)) @ [n for _, n in states]
    return {("jobs", "Queue", ""): response, ("response time", "Queue", ""): response}


def pollaczek_khinchine(mean, scv, name):
    """Jobs at a single server that is offered one job per unit of time."""
    jobs = mean + mean**2 * (1 + scv) / 2 / (1 - mean)
    return {("jobs", name, ""): jobs, ("response time", name, ""): jobs}


# --- msj-simulator ---

ONE_TWO_FOUR = {  # rates and shares of needs 1, 2 and 4, on four servers
    "needs 1, 2, 4 of 4, large ones slow": ((5.0, 2.0, 0.5), (1 / 3, 1 / 3, 1 / 3)),
    "needs 1, 2, 4 of 4, large ones quick": ((1.0, 8.0, 64.0), (4 / 7, 2 / 7, 1 / 7)),
}
LOADS = 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.72, 0.74, 0.76, 0.78, 0.8, 0.82, 0.84, 0.86, 0.88, 0.9


def arrivals(name, load):
    rates, shares = ONE_TWO_FOUR[name]
    return load * 4 / np.dot((1, 2, 4), np.divide(shares, rates)), (1, 2, 4), rates, shares


def one_two_four(name):
    """Mean times in the system under two policies; or that the queue grows, above the capacity in order."""
    result = {}
    for load in LOADS:
        lam, *classes = arrivals(name, load)
        filled = server_filling(lam, 4, *classes)
        result["mean time in the system", "ServerFilling", f"load {load}"] = filled.mean_sojourn
        if lam < processing_capacity(4, *classes):
            result["mean time in the system", "FCFS", f"load {load}"] = sojourn(lam, 4, *classes).mean_sojourn
        else:
            result["queue", "FCFS", f"load {load}"] = "grows without end"
    return result


def filling_another_way(name):
    """The same of ServerFilling by a chain of finitely many jobs, solved as a whole."""
    result = {}
    for load in LOADS:
        lam, *classes = arrivals(name, load)
        jobs = 40 / (1 - load)  # what is left out is rarer than rounding

        def rule(state, lam=lam, classes=classes, jobs=jobs):
            return (step for step in filling_transitions(state, lam, 4, *classes) if step[0][1] <= jobs)

        states = chain.explore([((0, 0, 0), 0)], rule)
        EN = chain.stationary(chain.generator(states, rule)) @ [n for _, n in states]
        result["mean time in the system", "ServerFilling", f"load {load}"] = EN / lam
    return result
