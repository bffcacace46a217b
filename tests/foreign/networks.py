"""Queueing networks that other programs solve, described as data and solved with ours.

Each model is a function that gives what it computes: ``{(quantity, station, class): value}``.
"""

import math

import numpy as np

from mjq.models.fluid import stationary_point, transitions
from mjq.solvers import chain, product_form
from mjq.solvers.network import Network
from mjq.solvers.phase_type import PhaseType, erlang, exponential

DELAY = math.inf
# Laws that return in the models of LINE.
TWO_PHASES = erlang(2, 2 / 3)
SLOW_OR_FAST = PhaseType([0.5, 0.5], np.diag([-3.0, -10.0]))
RARELY_SLOW = PhaseType([0.1, 0.9], np.diag([-1.0, -10.0]))


def exact(network):
    """Mean jobs and throughputs of a network with product form."""
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
    """Routing of a class that goes through the stations in turn and begins again."""
    return {(a, name): {(b, name): 1.0} for a, b in zip(stations, stations[1:] + stations[:1], strict=True)}


def path(name, *stations):
    """Routing of a class that goes through the stations in turn and leaves."""
    return {(a, name): {(b, name): 1.0} for a, b in zip(stations, stations[1:], strict=False)}


def central_server(name, center, visits):
    """Routing of a class that returns to a center after each visit; so many visits to each other station."""
    total = sum(visits.values())
    back = {(station, name): {(center, name): 1.0} for station in visits}
    return {(center, name): {(station, name): v / total for station, v in visits.items()}} | back


def means_of(name, means):
    """Exponential service times of a class, by their means."""
    return {(station, name): exponential(mean) for station, mean in means.items()}


# --- LINE, closed ----------------------------------------------------------------------------------------------------


def bcmp():
    service = {("Delay", 1): TWO_PHASES, ("Delay", 2): SLOW_OR_FAST} | dict.fromkeys(
        [("Queue1", 1), ("Queue1", 2)], exponential(1.0)
    )
    routing = cycle(1, "Delay", "Queue1") | cycle(2, "Delay", "Queue1")
    population = {("Delay", 1): 2, ("Delay", 2): 2}
    return exact(Network({"Delay": DELAY, "Queue1": 1}, service, routing, population=population))


def repairmen():
    routing = {("Delay", 1): {("Delay", 1): 0.7, ("Queue1", 1): 0.3}, ("Queue1", 1): {("Delay", 1): 1.0}}
    service = means_of(1, {"Delay": 1.0, "Queue1": 1.5})
    return Network({"Delay": DELAY, "Queue1": 1}, service, routing, population={("Delay", 1): 10})


SWITCHING = {
    ("Delay", 1): {("Delay", 1): 0.3, ("Queue1", 1): 0.1, ("Delay", 2): 0.6},
    ("Queue1", 1): {("Delay", 1): 0.2, ("Delay", 2): 0.8},
    ("Delay", 2): {("Queue1", 2): 1.0},
    ("Queue1", 2): {("Delay", 1): 1.0},
}


def two_classes_that_switch():
    service = {("Delay", 1): TWO_PHASES, ("Delay", 2): SLOW_OR_FAST, ("Queue1", 1): RARELY_SLOW}
    service |= means_of(2, {"Queue1": 1.0})
    population = {("Delay", 1): 2, ("Delay", 2): 2}
    return exact(Network({"Delay": DELAY, "Queue1": 1}, service, SWITCHING, population=population))


def three_classes():
    service = {("Delay", 1): TWO_PHASES, ("Delay", 2): SLOW_OR_FAST, ("Queue1", 1): RARELY_SLOW}
    service |= means_of(2, {"Queue1": 0.5}) | means_of(3, {"Delay": 1.0, "Queue1": 1 / 3})
    routing = SWITCHING | cycle(3, "Delay", "Queue1")
    population = {("Delay", 1): 2, ("Delay", 3): 1}
    return exact(Network({"Delay": DELAY, "Queue1": 2}, service, routing, population=population))


FOUR = "Delay1", "Delay2", "Queue1", "Queue2"


def ring_of_four():
    means = {1: (91.0, 93.0, 10.0, 5.0), 2: (92.0, 94.0, 5.0, 9.0)}
    service = means_of(1, dict(zip(FOUR, means[1], strict=True))) | means_of(2, dict(zip(FOUR, means[2], strict=True)))
    servers = {"Delay1": DELAY, "Delay2": DELAY, "Queue1": 1, "Queue2": 1}
    population = {("Delay1", 1): 1, ("Delay1", 2): 2}
    return exact(Network(servers, service, cycle(1, *FOUR) | cycle(2, *FOUR), population=population))


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


# --- LINE, load-dependent: a rate of min(n, k) is k servers ----------------------------------------------------------


def two_servers_fcfs():
    service = means_of(1, {"Delay": 1.0, "Queue1": 1.5})
    servers = {"Delay": DELAY, "Queue1": 2}
    return exact(Network(servers, service, cycle(1, "Delay", "Queue1"), population={("Delay", 1): 16}))


def two_servers_ps():
    service = means_of(1, {"Delay": 1.0, "Queue1": 1.5}) | means_of(2, {"Delay": 2.0, "Queue1": 2.5})
    routing = cycle(1, "Delay", "Queue1") | cycle(2, "Delay", "Queue1")
    population = {("Delay", 1): 4, ("Delay", 2): 2}
    return exact(Network({"Delay": DELAY, "Queue1": 2}, service, routing, population=population))


def three_servers_twice():
    stations = "Delay", "Queue1", "Queue2"
    service = means_of(1, dict(zip(stations, (1.0, 1.5, 3.5), strict=True)))
    service |= means_of(2, dict(zip(stations, (2.0, 2.5, 4.5), strict=True)))
    servers = {"Delay": DELAY, "Queue1": 3, "Queue2": 3}
    population = {("Delay", 1): 4, ("Delay", 2): 2}
    return exact(Network(servers, service, cycle(1, *stations) | cycle(2, *stations), population=population))


# --- LINE, mixed and open --------------------------------------------------------------------------------------------


def mixed_basic():
    service = {("Delay", "closed"): TWO_PHASES, ("Delay", "open"): SLOW_OR_FAST, ("Queue1", "closed"): RARELY_SLOW}
    service |= means_of("open", {"Queue1": 1.0})
    routing = cycle("closed", "Delay", "Queue1") | path("open", "Delay", "Queue1")
    servers, population = {"Delay": DELAY, "Queue1": 1}, {("Delay", "closed"): 2}
    return exact(Network(servers, service, routing, arrivals={("Delay", "open"): 0.1}, population=population))


def mixed_multiserver():
    servers = {f"Queue{k}": k for k in range(1, 6)}
    closed, opened = ("Queue1", "Queue2", "Queue3", "Queue4"), ("Queue1", "Queue2", "Queue3", "Queue5")
    service = means_of("closed", {queue: 1 / servers[queue] for queue in closed})
    service |= means_of("open", {queue: servers[queue] ** -0.5 for queue in opened})
    routing = cycle("closed", *closed) | path("open", *opened)
    population = {("Queue1", "closed"): 3}
    return exact(Network(servers, service, routing, arrivals={("Queue1", "open"): 0.3}, population=population))


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


def open_basic():
    service = {("Delay", 1): SLOW_OR_FAST} | means_of(1, {"Queue1": 1.0})
    return exact(
        Network({"Delay": DELAY, "Queue1": 1}, service, path(1, "Delay", "Queue1"), arrivals={("Delay", 1): 0.1})
    )


def open_class_switching():
    service = means_of("A", {"Queue1": 0.2}) | means_of("B", {"Queue1": 0.3}) | means_of("C", {"Queue2": 0.15})
    routing = {("Queue1", name): {("Queue2", "C"): 1.0} for name in "AB"}
    arrivals = {("Queue1", "A"): 2.0, ("Queue1", "B"): 1.0}
    return Network({"Queue1": 1, "Queue2": 1}, service, routing, arrivals=arrivals)


def open_one_queue():
    service = dict.fromkeys([("Queue1", 1), ("Queue1", 2)], exponential(0.01))
    return exact(Network({"Queue1": 1}, service, {}, arrivals=dict.fromkeys(service, 1.0)))


# --- LINE, classes that switch: of each station the sums over the classes ---------------------------------------------


def by_station(values):
    """The sums over the classes of a station, and the ratio for the response times."""
    sums = {}
    for (quantity, station, _), value in values.items():
        if quantity != "response time":
            key = quantity, station, "Chain1"
            sums[key] = sums.get(key, 0.0) + value
    flows = {station: value for (quantity, station, _), value in sums.items() if quantity == "throughput"}
    return sums | {("response time", x, "Chain1"): sums["jobs", x, "Chain1"] / flow for x, flow in flows.items()}


def switched_before_the_queue():
    service = means_of(1, {"Queue 1": 1.0}) | means_of(2, {"Queue 1": 1.0})
    arrivals = {("Queue 1", 1): 0.3 / 10 + 1 / 2, ("Queue 1", 2): 0.7 / 10}
    return by_station(exact(Network({"Queue 1": 1}, service, {}, arrivals=arrivals)))


DIAMOND = {("Queue 0", 1): {("Queue 0", 1): 0.2, ("Queue 1", 2): 0.3, ("Queue 2", 3): 0.5}}


def open_diamond():
    service = {("Queue 0", 1): exponential(1 / 10), ("Queue 1", 2): exponential(1 / 20)}
    service |= {("Queue 2", 3): exponential(1 / 30)}
    servers = {"Queue 0": 1, "Queue 1": 1, "Queue 2": 1}
    return by_station(exact(Network(servers, service, DIAMOND, arrivals={("Queue 0", 1): 1.0})))


DELAYS = dict.fromkeys(("Queue 0", "Queue 1", "Queue 2"), DELAY)


def closed_diamond():
    service = {("Queue 0", 1): exponential(1.0), ("Queue 1", 2): exponential(2.0), ("Queue 2", 3): exponential(3.0)}
    back = {pair: {("Queue 0", 1): 1.0} for pair in (("Queue 1", 2), ("Queue 2", 3))}
    return by_station(exact(Network(DELAYS, service, DIAMOND | back, population={("Queue 0", 1): 1})))


def class_for_ever():
    """A job that becomes of class 2 or 3, with chances 3 to 5, and stays so: the mean over both."""
    mean = {(quantity, x, "Chain1"): 0.0 for quantity in ("jobs", "throughput") for x in DELAYS}
    for name, other, chance in ((2, "Queue 1", 3 / 8), (3, "Queue 2", 5 / 8)):
        ring = Network(
            {"Queue 0": DELAY, other: DELAY}, means_of(name, {"Queue 0": 1.0, other: 1.0}),
            cycle(name, "Queue 0", other), population={("Queue 0", name): 1},
        )  # fmt: skip
        for (quantity, station, _), value in exact(ring).items():
            if quantity != "response time":
                mean[quantity, station, "Chain1"] += chance * value
    return mean


# --- LINE, the tables that its four code bases share -----------------------------------------------------------------


def three_servers():
    service = means_of(1, {"Delay": 1.0, "Queue1": 0.8})
    servers = {"Delay": DELAY, "Queue1": 3}
    return exact(Network(servers, service, cycle(1, "Delay", "Queue1"), population={("Delay", 1): 5}))


def two_servers_that_classes_share():
    service = means_of(1, {"Delay": 1 / 3, "Queue1": 10.0}) | means_of(2, {"Delay": 2.0, "Queue1": 1.0})
    population = {("Delay", 1): 3, ("Delay", 2): 1}
    return exact(Network({"Delay": DELAY, "Queue1": 2}, service, SWITCHING, population=population))


def two_queues_in_a_ring(*classes):
    """So many jobs of each class, and their rates at both queues."""
    stations, service, routing, population = ("Queue1", "Queue2"), {}, {}, {}
    for name, (jobs, *rates) in enumerate(classes, 1):
        service |= means_of(name, {queue: 1 / mu for queue, mu in zip(stations, rates, strict=True)})
        routing |= cycle(name, *stations)
        population["Queue1", name] = jobs
    return exact(Network(dict.fromkeys(stations, 1), service, routing, population=population))


def think_and_three_queues(*classes):
    """So many jobs of each class, and their mean times at a delay and three queues."""
    stations, service, routing, population = ("Delay", "Queue1", "Queue2", "Queue3"), {}, {}, {}
    for name, (jobs, *times) in enumerate(classes, 1):
        service |= means_of(name, dict(zip(stations, times, strict=True)))
        routing |= cycle(name, *stations)
        population["Delay", name] = jobs
    return exact(Network(dict.fromkeys(stations, 1) | {"Delay": DELAY}, service, routing, population=population))


def three_servers_at_random():
    """Ten jobs think, and go to one of three queues by chance."""
    queues = dict.fromkeys(("Station1", "Station2", "Station3"), 1)
    service = dict.fromkeys([("Think", 1), *((queue, 1) for queue in queues)], exponential(1.0))
    routing = central_server(1, "Think", queues)
    return exact(Network({"Think": DELAY} | queues, service, routing, population={("Think", 1): 10}))


def open_with_feedback():
    service = means_of(1, {"Queue1": 1 / 2, "Queue2": 1 / 3, "Queue3": 1 / 2.5})
    routing = {("Queue1", 1): {("Queue2", 1): 0.4, ("Queue3", 1): 0.3}}
    routing |= {("Queue2", 1): {("Queue1", 1): 0.2, ("Queue3", 1): 0.3}}
    servers = dict.fromkeys(("Queue1", "Queue2", "Queue3"), 1)
    return exact(Network(servers, service, routing, arrivals={("Queue1", 1): 1.0}))


def open_delay_and_two_queues():
    stations = "Station1", "Station2", "Station3"
    service = means_of(1, dict(zip(stations, (91.0, 10.0, 5.0), strict=True)))
    service |= means_of(2, dict(zip(stations, (92.0, 5.0, 9.0), strict=True)))
    arrivals = {("Station1", 1): 0.02, ("Station1", 2): 0.04}
    servers = {"Station1": DELAY, "Station2": 1, "Station3": 1}
    return exact(Network(servers, service, path(1, *stations) | path(2, *stations), arrivals=arrivals))


def open_queue(arrivals, mu, servers=1, back=0.0):
    """Classes of one rate at one queue, to which jobs may return."""
    service = {pair: exponential(1 / mu) for pair in arrivals}
    routing = {pair: {pair: back} for pair in arrivals} if back else {}
    return exact(Network({"Queue": servers}, service, routing, arrivals=arrivals))


def chance_of(network, jobs):
    """The probability that the pairs named hold so many jobs, from the chain of the whole network."""

    def rule(state):
        return transitions(state, network)

    states = chain.explore([tuple(network.start.astype(int).tolist())], rule)
    pi = chain.stationary(chain.generator(states, rule), states)
    places = {network.pairs.index(pair): n for pair, n in jobs.items()}
    hold = [all(state[place] == n for place, n in places.items()) for state in states]
    return {("probability", "", ""): float(pi[hold].sum())}


def four_classes(servers, first_rates, population):
    """Two pairs of classes: each switches to the other of its pair behind the third station."""
    stations = list(servers)
    rates = first_rates, (3.0, 4.0, 5.0, 1.0), (1.0, 3.0, 5.0, 2.0)
    service = {}
    for station, row in zip(stations, rates, strict=True):
        service |= {(station, c): exponential(1 / mu) for c, mu in enumerate(row, 1)}
    first, second, third = stations
    routing = path(1, *stations) | path(2, *stations) | path(3, *stations) | path(4, first, third)
    routing |= {(third, c): {(first, other): 1.0} for c, other in ((1, 2), (2, 1), (3, 4), (4, 3))}
    del service[second, 4]  # nobody comes there
    return Network(servers, service, routing, population={(first, c): n for c, n in population.items()})


def all_at(network, station, population):
    """The probability that this station holds all jobs, each in the class in which it began."""
    return chance_of(network, {pair: population.get(pair[1], 0) if pair[0] == station else 0 for pair in network.pairs})


DELAY_AND_TWO = {"Delay": DELAY, "Queue1": 1, "Queue2": 2}
THREE_QUEUES = {"Queue1": 1, "Queue2": 1, "Queue3": 3}
FIRST_RATES = 1.0, 2.0, 1.0, 1.0


def two_classes_of_five_jobs():
    jobs = {("Queue2", 1): 1, ("Queue2", 2): 0, ("Queue2", 3): 2, ("Queue2", 4): 1}
    return chance_of(four_classes(DELAY_AND_TWO, FIRST_RATES, {1: 1, 3: 4}), jobs)


def four_jobs_at_one_queue(servers, population):
    return all_at(four_classes(servers, FIRST_RATES, population), list(servers)[-1], population)


# --- LINE, fluid -----------------------------------------------------------------------------------------------------


def fluid_parallel():
    laws = exponential(1 / 4), erlang(2, 1 / 2), exponential(1 / 8), erlang(2, 1 / 3)
    service = {(f"Queue{k}", 1): law for k, law in enumerate(laws, 1)}
    shares = 0.3, 0.2, 0.3, 0.2
    arrivals = {pair: 2 * share for pair, share in zip(service, shares, strict=True)}
    return at_rest(Network({queue: 1 for queue, _ in service}, service, {}, arrivals=arrivals))


def fluid_feedback():
    """A fifth of all classes comes back as the third."""
    stations, rates = ("Queue1", "Queue2", "Queue3"), {1: (32, 32, 16), 2: (32, 32, 16), 3: (32, 16, 8)}
    service = {(q, c): exponential(1 / mu) for c, row in rates.items() for q, mu in zip(stations, row, strict=True)}
    routing = {("Queue1", c): {("Queue2", c): 1.0} for c in rates}
    routing |= {("Queue2", c): {("Queue1", 3): 0.2, ("Queue3", c): 0.8} for c in rates}
    arrivals = {("Queue1", 1): 2.0, ("Queue1", 2): 2.0, ("Queue1", 3): 1.0}
    return at_rest(Network(dict.fromkeys(stations, 1), service, routing, arrivals=arrivals))


def fluid_alternating():
    """One job that is of the first and of the second class in turn."""
    service = means_of(1, {"Delay": 1.0, "Queue2": 1.0}) | means_of(2, {"Delay": 1.0})
    service[("Queue2", 2)] = erlang(2, 4.0)
    routing = path(1, "Delay", "Queue2") | path(2, "Delay", "Queue2")
    routing |= {("Queue2", 1): {("Delay", 2): 1.0}, ("Queue2", 2): {("Delay", 1): 1.0}}
    return at_rest(Network({"Delay": DELAY, "Queue2": 1}, service, routing, population={("Delay", 1): 1}))


def fluid_one_queue(load, p=None):
    return at_rest(Network({"Q": 1}, means_of(1, {"Q": 1.0}), {}, arrivals={("Q", 1): load}), p)


# --- QNAP2 and libmva -------------------------------------------------------------------------------------------------
# What QNAP2 printed is kept beside its input, for another program to reproduce.


def of_one_class(servers, means, routing, jobs, at):
    return exact(Network(servers, means_of(1, means), routing, population={(at, 1): jobs}))


def lazowska_117():
    means = {"CPU": 0.005, "Disk1": 0.03, "Disk2": 0.027, "Think": 15.0}
    servers = {"CPU": 1, "Disk1": 1, "Disk2": 1, "Think": DELAY}
    return of_one_class(servers, means, central_server(1, "CPU", {"Disk1": 70, "Disk2": 50, "Think": 1}), 3, "CPU")


def eight_and_one():
    """Eight jobs that think, and one that never leaves the server."""
    service = means_of("C1", {"S1": 8.0, "S2": 1.0}) | means_of("C2", {"S2": 1.0})
    routing = cycle("C1", "S1", "S2") | {("S2", "C2"): {("S2", "C2"): 1.0}}
    population = {("S1", "C1"): 8, ("S2", "C2"): 1}
    return exact(Network({"S1": DELAY, "S2": 1}, service, routing, population=population))


def web_site():
    """Two classes of users, a web server, a data base and three disks."""
    stations = "Users", "WS", "DB", "Disk1", "Disk2", "Disk3"
    means = {"Class1": (2.0, 0.04, 0.001, 0.005, 0.004, 0.004), "Class2": (5.0, 0.01, 0.002, 0.005, 0.004, 0.004)}
    service, routing = {}, {}
    for name, row in means.items():
        service |= means_of(name, dict(zip(stations, row, strict=True)))
        routing |= central_server(name, "WS", {"DB": 2, "Disk1": 3, "Users": 1})
        routing |= central_server(name, "DB", {"Disk2": 2, "Disk3": 3, "WS": 1})
        routing[("WS", name)] = {("DB", name): 2 / 6, ("Disk1", name): 3 / 6, ("Users", name): 1 / 6}
    servers = dict.fromkeys(stations, 1) | {"Users": DELAY}
    population = {("Users", "Class1"): 20, ("Users", "Class2"): 50}
    return exact(Network(servers, service, routing, population=population))


def delay_and_two_queues():
    service = means_of("Chain01", {"Delay": 1.0, "Queue1": 1.3333})
    service |= means_of("Chain02", {"Delay": 0.4, "Queue1": 0.46, "Queue2": 2.0})
    routing = cycle("Chain01", "Delay", "Queue1") | central_server(
        "Chain02", "Delay", {"Queue1": 0.83333, "Queue2": 0.16667}
    )
    servers = {"Delay": DELAY, "Queue1": 1, "Queue2": 3}
    population = {("Delay", "Chain01"): 4, ("Delay", "Chain02"): 3}
    return exact(Network(servers, service, routing, population=population))


def terminals():
    means = {"cpu": 0.2, "disk1": 0.08, "disk2": 0.1, "terminal": 30.0}
    servers = {"cpu": 1, "disk1": 1, "disk2": 1, "terminal": DELAY}
    return of_one_class(
        servers, means, central_server(1, "cpu", {"disk1": 3, "disk2": 6, "terminal": 1}), 5, "terminal"
    )


# Class: jobs, thinking time, service time at the processor, visits to each disk.
DATA_BASES = {"data-base 1": (5, 20.0, 0.2, (9, 0)), "data-base 2": (10, 30.0, 0.1, (0, 4))}
ADMINISTRATOR = 1, 120.0, 1.5, (13, 16)
DISKS = {"disk1": 0.12, "disk2": 0.18}


def data_bases(administrator):
    """Users of two data bases, and an administrator who is one of the closed jobs or comes from outside."""
    users = DATA_BASES | ({"administrator": ADMINISTRATOR} if administrator == "closed" else {})
    service, routing, population, arrivals = {}, {}, {}, {}
    for name, (jobs, thinks, cpu, visits) in users.items():
        disks = {disk: v for disk, v in zip(DISKS, visits, strict=True) if v}
        service |= means_of(name, {"cpu": cpu, "terminal": thinks} | {disk: DISKS[disk] for disk in disks})
        routing |= central_server(name, "cpu", disks | {"terminal": 1})
        population[("terminal", name)] = jobs
    if administrator == "open":
        _, _, cpu, visits = ADMINISTRATOR
        total = sum(visits) + 1
        service |= means_of("administrator", {"cpu": cpu} | DISKS)
        routing |= central_server("administrator", "cpu", dict(zip(DISKS, visits, strict=True)))
        routing[("cpu", "administrator")] = {
            (disk, "administrator"): v / total for disk, v in zip(DISKS, visits, strict=True)
        }
        arrivals[("cpu", "administrator")] = 1 / 250
    servers = {"cpu": 1, "disk1": 1, "disk2": 1, "terminal": DELAY}
    network = Network(servers, service, routing, arrivals=arrivals, population=population)
    found = exact(network)
    for queue in ("cpu", *DISKS):
        busy = [found["throughput", *pair] * law.mean for pair, law in service.items() if pair[0] == queue]
        found["utilization", queue, ""] = sum(busy)
    for name, (jobs, thinks, _, _) in users.items():
        found["response time", "", name] = jobs / found["throughput", "terminal", name] - thinks
    if administrator == "open":
        there = sum(found["jobs", queue, "administrator"] for queue in ("cpu", *DISKS))
        found["response time", "", "administrator"] = there * 250
    return found


def lazowska_131():
    """Batch jobs and interactive users; 30 is a thinking time."""
    service = means_of("batch", {"CPU": 1.0, "Disk": 0.09})
    service |= means_of("interactive", {"CPU": 0.1, "Disk": 0.9, "Think": 30.0})
    routing = cycle("batch", "CPU", "Disk") | cycle("interactive", "CPU", "Disk", "Think")
    population = {("CPU", "batch"): 10, ("Think", "interactive"): 25}
    return exact(Network({"CPU": 1, "Disk": 1, "Think": DELAY}, service, routing, population=population))


def two_servers_shared(visits):
    """Two classes that think, each for itself, and share two servers, which one of them visits several times."""
    service = means_of(1, {"Think1": 6.0, "Servers": 1.0}) | means_of(2, {"Think2": 3.0, "Servers": 1.0})
    routing = cycle(1, "Think1", "Servers") | {("Think2", 2): {("Servers", 2): 1.0}}
    routing |= {("Servers", 2): {("Servers", 2): 1 - 1 / visits, ("Think2", 2): 1 / visits}}
    population = {("Think1", 1): 5, ("Think2", 2): 2}
    return exact(Network({"Think1": DELAY, "Think2": DELAY, "Servers": 2}, service, routing, population=population))
