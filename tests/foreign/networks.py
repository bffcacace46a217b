"""Queueing networks that other programs solve, described as data and solved with ours.

Each model is a function that gives what it computes: ``{(quantity, station, class): value}``.
"""

import math

import numpy as np

from mjq.models.fluid import stationary_point
from mjq.solvers import chain, product_form
from mjq.solvers.network import Network
from mjq.solvers.phase_type import exponential

DELAY = math.inf


def exact(network):
    means = product_form.means(network)
    return _table(means.mean_jobs, means.throughput)


def at_rest(network, p=None):
    """Mean jobs and throughputs at the stationary point of the fluid model; without p that of the hard minimum."""
    point = stationary_point(network, p)
    return _table(point.mean_jobs, point.throughput)


def _table(jobs, throughput):
    found = {("jobs", *pair): n for pair, n in jobs.items()}
    found |= {("throughput", *pair): x for pair, x in throughput.items()}
    return found | {("response time", *pair): jobs[pair] / x for pair, x in throughput.items() if x > 0}


def cycle(name, *stations):
    return {(a, name): {(b, name): 1.0} for a, b in zip(stations, stations[1:] + stations[:1], strict=True)}


def path(name, *stations):
    return {(a, name): {(b, name): 1.0} for a, b in zip(stations, stations[1:], strict=False)}


def means_of(name, means):
    return {(station, name): exponential(mean) for station, mean in means.items()}


def repairmen():
    routing = {("Delay", 1): {("Delay", 1): 0.7, ("Queue1", 1): 0.3}, ("Queue1", 1): {("Delay", 1): 1.0}}
    service = means_of(1, {"Delay": 1.0, "Queue1": 1.5})
    return Network({"Delay": DELAY, "Queue1": 1}, service, routing, population={("Delay", 1): 10})


TWO_QUEUES = {"Delay": 1.0, "Queue1": 1.5, "Queue2": 3.0}


def two_queues():
    service = means_of(1, TWO_QUEUES) | means_of(2, TWO_QUEUES)
    routing = cycle(1, *TWO_QUEUES) | cycle(2, *TWO_QUEUES)
    population = {("Delay", 1): 10, ("Delay", 2): 10}
    return exact(Network({"Delay": DELAY, "Queue1": 1, "Queue2": 1}, service, routing, population=population))


def one_job_more(demands, thinks, population):
    """Mean jobs at single servers and the throughput of one class, by mean value analysis."""
    jobs = np.zeros(len(demands))
    for n in range(1, population + 1):
        spent = np.asarray(demands) * (1 + jobs)
        rate = n / (thinks + spent.sum())
        jobs = rate * spent
    return jobs.tolist(), float(rate)


def two_queues_another_way():
    """The same by mean value analysis: both classes are alike, so each has half of twenty jobs."""
    (first, second), _ = one_job_more([TWO_QUEUES["Queue1"], TWO_QUEUES["Queue2"]], TWO_QUEUES["Delay"], 20)
    return {("jobs", queue, c): n / 2 for queue, n in (("Queue1", first), ("Queue2", second)) for c in (1, 2)}


def two_servers_fcfs():
    service = means_of(1, {"Delay": 1.0, "Queue1": 1.5})
    servers = {"Delay": DELAY, "Queue1": 2}
    return exact(Network(servers, service, cycle(1, "Delay", "Queue1"), population={("Delay", 1): 16}))


def two_servers_fcfs_another_way():
    """The same from the balance of who comes to the queue and who leaves it."""
    weight = [1.0]
    for n in range(1, 17):
        weight.append(weight[-1] * (17 - n) / (min(n, 2) / 1.5))
    shares = np.array(weight) / sum(weight)
    jobs, busy = float(shares @ range(17)), float(shares @ np.minimum(range(17), 2))
    found = {("jobs", "Queue1", 1): jobs, ("jobs", "Delay", 1): 16 - jobs}
    return found | {("throughput", station, 1): busy / 1.5 for station in ("Delay", "Queue1")}


def dense(Q, _):
    """The stationary distribution from all equations at once, by least squares."""
    equations = np.vstack([Q.toarray().T, np.ones(Q.shape[0])])
    return np.linalg.lstsq(equations, np.eye(len(equations))[-1], rcond=None)[0]


def as_many_servers_as_first_class_jobs(stationary=chain.stationary):
    """As many servers, two at most, as there are jobs of the first class; all jobs share them."""
    population, rests, needs = (16, 8), (1.0, 2.0), (1.5, 2.5)

    def rates(state):
        servers = min(state[0], 2)
        return [servers * n / sum(state) / mean if n else 0.0 for n, mean in zip(state, needs, strict=True)]

    def rule(state):
        for c, (n, rate) in enumerate(zip(state, rates(state), strict=True)):
            yield tuple(x + (k == c) for k, x in enumerate(state)), (population[c] - n) / rests[c]
            yield tuple(x - (k == c) for k, x in enumerate(state)), rate

    states = chain.explore([(0, 0)], rule)
    pi = stationary(chain.generator(states, rule), states)
    found = {}
    for c, jobs in enumerate(population):
        there = float(pi @ [state[c] for state in states])
        found |= {("jobs", "Queue1", c + 1): there, ("jobs", "Delay", c + 1): jobs - there}
        found |= {("throughput", "Queue1", c + 1): float(pi @ [rates(state)[c] for state in states])}
    return found


HUNDRED = {"Queue1": 1.0, "Queue2": 2.0, "Queue3": 3.0, "Queue4": 4.0}  # rates of the closed class
HUNDRED_OPEN = {"Queue1": 1.0, "Queue2": 1.414213562373, "Queue3": 1.732050807569}


def mixed_hundred(rate):
    """A hundred closed jobs in a ring of four queues, open ones through three of them."""
    service = means_of("closed", {queue: 1 / mu for queue, mu in HUNDRED.items()})
    service |= means_of("open", {queue: 1 / mu for queue, mu in HUNDRED_OPEN.items()})
    routing = cycle("closed", *HUNDRED) | path("open", *HUNDRED_OPEN)
    population = {("Queue1", "closed"): 100}
    return Network(
        dict.fromkeys(HUNDRED, 1), service, routing, arrivals={("Queue1", "open"): rate}, population=population
    )


def mixed_hundred_another_way():
    """The same by mean value analysis: open jobs slow the closed ones down, and wait for them."""
    busy = {queue: 0.3 / HUNDRED_OPEN[queue] if queue in HUNDRED_OPEN else 0.0 for queue in HUNDRED}
    jobs, rate = one_job_more([1 / HUNDRED[queue] / (1 - busy[queue]) for queue in HUNDRED], 0.0, 100)
    closed = dict(zip(HUNDRED, jobs, strict=True))
    found = {("jobs", queue, "closed"): n for queue, n in closed.items()}
    found |= {("jobs", queue, "open"): busy[queue] * (1 + closed[queue]) / (1 - busy[queue]) for queue in HUNDRED_OPEN}
    return found | {("throughput", "Queue1", "closed"): rate}


def fluid_feedback():
    """A fifth of all classes comes back as the third."""
    stations, rates = ("Queue1", "Queue2", "Queue3"), {1: (32, 32, 16), 2: (32, 32, 16), 3: (32, 16, 8)}
    service = {(q, c): exponential(1 / mu) for c, row in rates.items() for q, mu in zip(stations, row, strict=True)}
    routing = {("Queue1", c): {("Queue2", c): 1.0} for c in rates}
    routing |= {("Queue2", c): {("Queue1", 3): 0.2, ("Queue3", c): 0.8} for c in rates}
    arrivals = {("Queue1", 1): 2.0, ("Queue1", 2): 2.0, ("Queue1", 3): 1.0}
    return at_rest(Network(dict.fromkeys(stations, 1), service, routing, arrivals=arrivals))


def fluid_one_queue(load, p=None):
    return at_rest(Network({"Q": 1}, means_of(1, {"Q": 1.0}), {}, arrivals={("Q", 1): load}), p)
