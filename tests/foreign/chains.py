"""Closed networks whose order of service matters, as Markov chains that follow each job.

A state holds the jobs of each station as pairs (class, phase of its service). A discipline gives the speed at which
each of them is served. Nothing here knows of product forms.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mjq.solvers import chain
from mjq.solvers.phase_type import PhaseType, exponential
from tests.foreign.networks import SLOW_OR_FAST, TWO_PHASES


@dataclass(frozen=True)
class Station:
    """A station: the service time of each class, and the speed at which each of its jobs is served.

    Attributes
    ----------
    laws : dict
        Class to its service time.
    speeds : callable
        From the jobs of the station to their speeds.
    ordered : bool
        Whether the order of the jobs matters; otherwise states that differ by it alone are one.
    last_is_next : bool
        Whether the last to come takes the place of a job that has left.
    """

    laws: dict[object, PhaseType]
    speeds: Callable
    ordered: bool = True
    last_is_next: bool = False

    def _arranged(self, jobs):
        return jobs if self.ordered else tuple(sorted(jobs))

    def joined(self, jobs, job):
        return self._arranged((*jobs, job))

    def left(self, jobs, place):
        rest = jobs[:place] + jobs[place + 1 :]
        return rest[-1:] + rest[:-1] if self.last_is_next else rest

    def moved_on(self, jobs, place, phase):
        return self._arranged((*jobs[:place], (jobs[place][0], phase), *jobs[place + 1 :]))


def delay(laws):
    return Station(laws, lambda jobs: [1.0] * len(jobs), ordered=False)


def first_come(laws, servers=1):
    return Station(laws, lambda jobs: [float(place < servers) for place in range(len(jobs))])


def last_come(laws, interrupts):
    if interrupts:
        return Station(laws, lambda jobs: [0.0] * (len(jobs) - 1) + [1.0])
    return Station(laws, lambda jobs: [1.0] + [0.0] * (len(jobs) - 1), last_is_next=True)


def sharing(laws, weights=None, capacity=lambda jobs: 1.0):
    """Processor sharing in proportion to weights of the classes, of a capacity that depends on the jobs."""

    def speeds(jobs):
        shares = np.array([1.0 if weights is None else weights[name] for name, _ in jobs])
        return capacity(jobs) * shares / shares.sum()

    return Station(laws, speeds, ordered=False)


def exponentials(means):
    return {name: exponential(mean) for name, mean in means.items()}


def dense(Q, _):
    """The stationary distribution from all equations at once, by least squares."""
    equations = np.vstack([Q.toarray().T, np.ones(Q.shape[0])])
    return np.linalg.lstsq(equations, np.eye(len(equations))[-1], rcond=None)[0]


def means(stations, routes, population, stationary=chain.stationary):
    """Mean jobs and throughputs in the steady state, ``{(quantity, station, class): value}``.

    Parameters
    ----------
    stations : dict
        Name to :class:`Station`; all jobs begin at the first one.
    routes : dict
        Pair (station, class) to a dict of stations and probabilities.
    population : dict
        Class to its jobs.
    stationary : callable
        From a generator and its states to the stationary distribution.
    """
    names = list(stations)
    place_of = {name: k for k, name in enumerate(names)}

    def served(state):
        """Each job that is served: its station, its place there, its class and phase, its speed."""
        for name, jobs in zip(names, state, strict=True):
            if jobs:
                for place, (job, speed) in enumerate(zip(jobs, stations[name].speeds(jobs), strict=True)):
                    if speed > 0:
                        yield name, place, *job, float(speed)

    def replaced(state, name, jobs):
        return (*state[: place_of[name]], jobs, *state[place_of[name] + 1 :])

    def transitions(state):
        for name, place, kind, phase, speed in served(state):
            station, jobs = stations[name], state[place_of[name]]
            law = station.laws[kind]
            for other in np.flatnonzero(law.T[phase] > 0).tolist():
                yield replaced(state, name, station.moved_on(jobs, place, other)), speed * law.T[phase, other]
            without = replaced(state, name, station.left(jobs, place))
            for target, chance in routes[name, kind].items():
                for first, begins in enumerate(stations[target].laws[kind].alpha):
                    there = stations[target].joined(without[place_of[target]], (kind, first))
                    yield replaced(without, target, there), speed * law.exit[phase] * chance * begins

    start = tuple(sorted((kind, 0) for kind, n in population.items() for _ in range(n)))
    states = chain.explore([(start, *[()] * (len(names) - 1))], transitions)
    pi = stationary(chain.generator(states, transitions), states)
    found = defaultdict(float)
    for state, chance in zip(states, pi.tolist(), strict=True):
        for name, jobs in zip(names, state, strict=True):
            for kind, _ in jobs:
                found["jobs", name, kind] += chance
        for name, _, kind, phase, speed in served(state):
            found["throughput", name, kind] += chance * speed * float(stations[name].laws[kind].exit[phase])
    return dict(found)


def around(classes, *names):
    """Routes of classes that all go through the stations in turn."""
    return {(a, c): {b: 1.0} for c in classes for a, b in zip(names, names[1:] + names[:1], strict=True)}


# --- Models of LINE ---------------------------------------------------------------------------------------------------


def bcmp(queue):
    stations = {"Delay": delay({1: TWO_PHASES, 2: SLOW_OR_FAST}), "Queue1": queue(exponentials({1: 1.0, 2: 1.0}))}
    return means(stations, around((1, 2), "Delay", "Queue1"), {1: 2, 2: 2})


def repairmen_with_three_servers():
    stations = {
        "Delay": delay(exponentials({1: 1.0, 2: 1.0})),
        "Queue1": first_come(exponentials({1: 1.0, 2: 0.1}), servers=3),
    }
    return means(stations, around((1, 2), "Delay", "Queue1"), {1: 4, 2: 2})


def weighted_sharing():
    laws = exponentials({1: 10.0, 2: 1.0})
    stations = {
        "Delay": delay(exponentials({1: 1 / 3, 2: 2.0})),
        "Queue1": sharing(laws),
        "Queue2": sharing(laws, weights={1: 1.0, 2: 5.0}),
    }
    routes = {("Delay", 1): {"Queue1": 0.3, "Queue2": 0.7}, ("Delay", 2): {"Queue1": 0.7, "Queue2": 0.3}}
    routes |= {(queue, c): {"Delay": 1.0} for queue in ("Queue1", "Queue2") for c in (1, 2)}
    return means(stations, routes, {1: 2, 2: 1})


LAST_COME = {1: (2.0, 5.0), 2: (3.0, 7.0), 3: (13.0, 11.0), 4: (17.0, 19.0)}  # mean times at the two queues


def last_come_twice(classes):
    """One job a class; the first queue lets a job finish, the second interrupts."""
    first, second = ({c: LAST_COME[c][k] for c in range(1, classes + 1)} for k in (0, 1))
    stations = {
        "Queue1": last_come(exponentials(first), interrupts=False),
        "Queue2": last_come(exponentials(second), interrupts=True),
    }
    return means(stations, around(first, "Queue1", "Queue2"), dict.fromkeys(first, 1))


def as_many_servers_as_first_class_jobs(stationary=chain.stationary):
    """As many servers, two at most, as there are jobs of the first class; all jobs share them."""

    def servers(jobs):
        return min(sum(kind == 1 for kind, _ in jobs), 2)

    stations = {
        "Delay": delay(exponentials({1: 1.0, 2: 2.0})),
        "Queue1": sharing(exponentials({1: 1.5, 2: 2.5}), capacity=servers),
    }
    return means(stations, around((1, 2), "Delay", "Queue1"), {1: 16, 2: 8}, stationary)


def two_servers_fcfs():
    stations = {"Delay": delay(exponentials({1: 1.0})), "Queue1": first_come(exponentials({1: 1.5}), servers=2)}
    return means(stations, around((1,), "Delay", "Queue1"), {1: 16})
