r"""Networks of processor-sharing queues: who is served where, for how long, and goes where then.

A :class:`Network` turns servers, phase-type service times, routing, arrivals and populations, all named by queue and
class, into the matrices that the fluid model (:mod:`mjq.models.fluid`), the exact means
(:mod:`mjq.solvers.product_form`) and the simulator (:mod:`mjq.simulation.ps_network`) share. Flows of open jobs solve
the traffic equations :math:`\Lambda = \lambda + P^T \Lambda`; a part of the network is closed if nobody comes to it
from outside and nobody leaves it. With `S` phases the matrices take memory :math:`S^2`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import linalg
from scipy.sparse import csgraph

from mjq._util import checks
from mjq._util.plain import brief
from mjq.solvers.phase_type import PhaseType


class Network:
    r"""Describe a network of processor-sharing queues and delay stations with open and closed jobs of several classes.

    Parameters
    ----------
    servers : dict
        Queue to its number of servers, ``math.inf`` for a delay station.
    service : dict
        Pair (queue, class) to its :class:`~mjq.solvers.phase_type.PhaseType` service time on a server of its own.
    routing : dict
        Pair to a dict of pairs and probabilities. What a row lacks to 1 leaves the network.
    arrivals, population : dict, optional
        Pair to the rate of its Poisson arrivals; pair to the jobs that are there at the start.

    Attributes
    ----------
    pairs : list
        In the order of `service`.
    index : dict
        Pair to the slice of its phases in the state.
    Psi, B, A : arrays
        Phase-type service, block diagonal: rates between phases, of ending; chances to begin.
    P : array
        Routing between pairs.
    W : array
        :math:`\Psi + B P A^T`, rates between phases, routing included.
    arrivals, inflow, start : arrays
        Arrival rate of each pair, and from outside into each phase; the state at the start.
    population : dict
        Jobs of each pair at the start.
    leaves : float array
        Probability to leave the network after each pair.
    open_flow : float array
        Rate at which jobs from outside come to each pair.
    closed : array of 0 and 1
        Phases of each closed part, whose number of jobs never changes, one row a part.
    queue_of, capacity, member : arrays
        Index of each phase's queue; servers of each queue; phases of each queue as 0 and 1, one row a queue.

    Raises
    ------
    ValueError
        If a pair is unknown, routing sums to more than 1, jobs arrive that can never leave, or jobs that can leave are
        there and none arrive.

    Examples
    --------
    >>> from mjq.solvers.phase_type import exponential
    >>> queue = Network({"q": 1}, {("q", 1): exponential(1.0)}, {}, arrivals={("q", 1): .5})
    >>> queue
    Network(1 queue, 1 pair, 1 phase; arrivals 0.5)
    >>> queue.W.tolist()
    [[-1.0]]
    """

    def __init__(
        self,
        servers: dict,
        service: dict[tuple, PhaseType],
        routing: dict[tuple, dict],
        arrivals: dict | None = None,
        population: dict | None = None,
    ):
        _mapping("servers", servers, "queues")
        self.servers = {queue: positive_or_infinite(f"servers of {queue!r}", k) for queue, k in servers.items()}
        self.service = dict(_mapping("service", service, "pairs (queue, class)"))
        self.pairs = list(self.service)
        self._require_known(self.service, servers)
        place = {pair: n for n, pair in enumerate(self.pairs)}
        distributions = list(self.service.values())
        ends = np.cumsum([x.phases for x in distributions])
        self.index = {
            pair: slice(int(end - x.phases), int(end))
            for pair, x, end in zip(self.pairs, distributions, ends, strict=True)
        }
        self.Psi = linalg.block_diag(*(x.T for x in distributions))
        self.B = linalg.block_diag(*(x.exit[:, None] for x in distributions))
        self.A = linalg.block_diag(*(x.alpha[:, None] for x in distributions))
        self.P = np.zeros((len(place), len(place)))
        for pair, row in _mapping("routing", routing, "pairs").items():
            for target, probability in _mapping(f"routing out of {pair!r}", row, "pairs").items():
                self._require_pairs("routing", (pair, target))
                self.P[place[pair], place[target]] = checks.share(f"routing from {pair!r} to {target!r}", probability)
        self._require_routing()
        self.W = self.Psi + self.B @ self.P @ self.A.T  # [RBAC21] Eq. (2), [RBAC21] Eq. (3)
        self.arrivals = self._per_pair("arrivals", {} if arrivals is None else arrivals)
        jobs = self._per_pair("population", {} if population is None else population)
        self.population = dict(zip(self.pairs, jobs.tolist(), strict=True))
        self.start, self.inflow = self.A @ jobs, self.A @ self.arrivals
        queues = list(self.servers)
        self.queue_of = np.repeat([queues.index(queue) for queue, _ in self.pairs], [x.phases for x in distributions])
        self.capacity = np.array([self.servers[queue] for queue in queues])
        self.member = (np.arange(len(queues))[:, None] == self.queue_of).astype(float)
        leaves = 1 - self.P.sum(axis=1)
        self.leaves = np.where(leaves > checks.MIX_TOLERANCE, leaves, 0.0)
        self.open_flow, self.closed = self._flows()

    def _require_known(self, service, servers):
        if not service:
            raise ValueError("service must name at least one pair (queue, class)")
        for pair, distribution in service.items():
            if not (isinstance(pair, tuple) and len(pair) == 2):
                raise ValueError(f"service is keyed by pairs (queue, class), got {pair!r}")
            if pair[0] not in servers:
                raise ValueError(f"queue {pair[0]!r} of {pair!r} has no servers")
            if not isinstance(distribution, PhaseType):
                raise ValueError(f"the service time of {pair!r} must be a PhaseType, got {distribution!r}")

    def _require_pairs(self, name, pairs):
        for pair in pairs:
            if pair not in self.service:
                raise ValueError(f"{name} names {pair!r}, which has no service time")

    def pair_list(self, name: str, pairs: tuple | Sequence[tuple]) -> list[tuple]:
        """Return a pair (queue, class), or several, as a list; raise ``ValueError`` unless each has a service time."""
        alone = isinstance(pairs, tuple) and not all(isinstance(x, tuple) for x in pairs)
        named: list[tuple] = [tuple(pairs)] if alone else list(pairs)
        if not named:
            raise ValueError(f"{name} must name at least one pair")
        self._require_pairs(name, named)
        return named

    def _require_routing(self):
        checks.numbers("routing", self.P, ndim=2)
        total = self.P.sum(axis=1)
        for pair, row, probability in zip(self.pairs, self.P, total, strict=True):
            if (row < 0).any() or probability > 1 + checks.MIX_TOLERANCE:
                raise ValueError(
                    f"routing out of {pair!r} must not be negative and must sum to at most 1, got {checks.shown(row)}"
                )
        whole = np.abs(total - 1) <= checks.MIX_TOLERANCE
        self.P[whole] /= total[whole, None]

    def _per_pair(self, name, given):
        self._require_pairs(name, _mapping(name, given, "pairs"))
        return checks.not_negative(name, [given.get(pair, 0.0) for pair in self.pairs])

    def _flows(self):
        """Return the rates at which jobs from outside come to each pair, and the phases of each closed part."""
        number, part = csgraph.connected_components(self.P + self.P.T, directed=False)
        coming, going = (np.bincount(part, x, number) > 0 for x in (self.arrivals, self.leaves))
        is_open = coming | going
        ways = _reachable(self.P)
        stays = ~ways[:, self.leaves > 0].any(axis=1)
        self._require_ways_out(part, coming, is_open, ways, stays)
        inner = np.where(stays[:, None], 0, self.P)  # what cannot leave has no flow
        open_flow = np.linalg.solve(np.eye(len(part)) - inner.T, self.arrivals)
        part_of_phase = np.repeat(part, [x.phases for x in self.service.values()])
        closed = part_of_phase == np.flatnonzero(~is_open)[:, None]
        return open_flow, closed.astype(float)

    def _require_ways_out(self, part, coming, is_open, ways, stays):
        """Open jobs must be able to leave, and closed ones must not."""
        there = np.array(list(self.population.values())) > 0
        for k, pair in enumerate(self.pairs):
            if there[k] and is_open[part[k]] and not coming[part[k]]:
                raise ValueError(f"jobs can leave from {pair!r}, but none arrive: a closed class must keep its jobs")
            here = there[k] or self.arrivals[k] > 0
            if here and is_open[part[k]] and stays[ways[k]].any():
                lost = self.pairs[np.flatnonzero(stays & ways[k])[0]]
                raise ValueError(f"some jobs that come to {lost!r} never leave: all jobs of an open class must leave")

    def __repr__(self):
        sizes = (len(self.servers), "queue"), (len(self.pairs), "pair"), (len(self.start), "phase")
        parts = [", ".join(f"{number} {noun}{'s' * (number != 1)}" for number, noun in sizes)]
        jobs = sum(self.population.values())
        parts += [f"arrivals {self.arrivals.sum():g}"] * bool(self.arrivals.any()) + [f"jobs {jobs:g}"] * bool(jobs)
        return f"Network({'; '.join(parts)})"


def positive_or_infinite(name: str, value: float) -> float:
    """Return a number above zero, or infinity.

    >>> positive_or_infinite("servers", float("inf"))
    inf
    """
    if isinstance(value, (float, np.floating)) and value == np.inf:
        return np.inf
    return float(checks.positive(name, value, ndim=0))


def _mapping(name, value, keys):
    """Return a dict; raise ``ValueError`` for anything else."""
    if not isinstance(value, dict):
        raise ValueError(f"{name} must be a dict from {keys} to values, got {brief(value)}")
    return value


def _reachable(P):
    ways = np.eye(len(P)) + (P > 0)
    for _ in range(max(1, len(P)).bit_length()):
        ways = (ways @ ways > 0).astype(float)
    return ways > 0
