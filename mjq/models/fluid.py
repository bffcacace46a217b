r"""[RBAC21] A fluid model of processor-sharing queueing networks, smoothed where it is too rough.

**Notation**

======================  ===============================================================================================
(i, r)                  queue and class: a *pair*, the key of everything below
:math:`k_i`             servers of a queue, infinite for a delay station
:math:`\Psi, B, A`      phase-type service, block diagonal: rates between phases, of ending; chances to begin
:math:`P`               routing between pairs; what a row lacks to 1 leaves the network
:math:`\lambda`         Poisson arrivals to each pair
:math:`x`               mean number of jobs in each phase of each pair
:math:`g`               processor share: part of a server that each job of a queue gets
:math:`p`               smoothing exponent of a queue, none for the hard minimum
:math:`W`               :math:`\Psi + B P A^T`
======================  ===============================================================================================
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy import integrate, linalg, optimize, special
from scipy.sparse import csgraph

from mjq import laws
from mjq.solvers.phase_type import PhaseType, coxian, erlang, exponential, hyperexponential

__all__ = [
    "Network", "PhaseType", "Point", "coxian", "drift", "erlang", "exponential", "fit_smoothing", "hyperexponential",
    "response_time_cdf", "smoothed_share", "stationary_point", "trajectory",
]  # fmt: skip

RELATIVE, ABSOLUTE = 1e-9, 1e-12  # of trajectories
STILL = 1e-11  # largest net flow at a stationary point, as a fraction of all flows
HORIZONS = 60  # doublings of the time to wait for it
KINK = 1e-7  # how near to its number of servers a queue counts as full, relatively
MOST_JOBS = 1e9  # times the start, beyond which the network is taken for overloaded


class Network:
    """A network of processor-sharing queues and delay stations.

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
    Psi, B, A, P, W : arrays
        As in the notation.
    arrivals, start : arrays
        Arrival rate of each pair; the state at the start.
    population : dict
        Jobs of each pair at the start.

    Source: [RBAC21] Section 2.

    Examples
    --------
    >>> queue = Network({"q": 1}, {("q", 1): exponential(1.0)}, {}, arrivals={("q", 1): .5})
    >>> queue.W.tolist()
    [[-1.0]]
    """

    def __init__(self, servers, service, routing, arrivals=None, population=None):
        self.servers = {queue: _servers(queue, k) for queue, k in servers.items()}
        self.service = dict(service)
        self.pairs = list(self.service)
        self._require_known(self.service, servers)
        place = {pair: n for n, pair in enumerate(self.pairs)}
        laws_of = list(self.service.values())
        ends = np.cumsum([law.phases for law in laws_of])
        self.index = {pair: slice(int(end - law.phases), int(end)) for pair, law, end in zip(place, laws_of, ends)}
        self.Psi = linalg.block_diag(*(law.T for law in laws_of))
        self.B = linalg.block_diag(*(law.exit[:, None] for law in laws_of))
        self.A = linalg.block_diag(*(law.alpha[:, None] for law in laws_of))
        self.P = np.zeros((len(place), len(place)))
        for pair, row in routing.items():
            for target, probability in row.items():
                self._require_pairs("routing", (pair, target))
                self.P[place[pair], place[target]] = probability
        self._require_routing()
        self.W = self.Psi + self.B @ self.P @ self.A.T
        self.arrivals = self._per_pair("arrivals", arrivals or {})
        jobs = self._per_pair("population", population or {})
        self.population = dict(zip(self.pairs, jobs.tolist()))
        self.start = self.A @ jobs
        queues = list(self.servers)
        self.queue_of = np.repeat([queues.index(queue) for queue, _ in self.pairs], [x.phases for x in laws_of])
        self.capacity = np.array([self.servers[queue] for queue in queues])
        self.member = (np.arange(len(queues))[:, None] == self.queue_of).astype(float)

    def _require_known(self, service, servers):
        if not service:
            raise ValueError("service must name at least one pair (queue, class)")
        for pair, law in service.items():
            if not (isinstance(pair, tuple) and len(pair) == 2):
                raise ValueError(f"service is keyed by pairs (queue, class), got {pair!r}")
            if pair[0] not in servers:
                raise ValueError(f"queue {pair[0]!r} of {pair!r} has no servers")
            if not isinstance(law, PhaseType):
                raise ValueError(f"the service time of {pair!r} must be a PhaseType, got {law!r}")

    def _require_pairs(self, name, pairs):
        for pair in pairs:
            if pair not in self.service:
                raise ValueError(f"{name} names {pair!r}, which has no service time")

    def _require_routing(self):
        laws.numbers("routing", self.P, ndim=2)
        total = self.P.sum(axis=1)
        for pair, row, probability in zip(self.pairs, self.P, total):
            if (row < 0).any() or probability > 1 + laws.MIX_TOLERANCE:
                raise ValueError(f"routing out of {pair!r} must sum to at most 1, none negative: {laws.shown(row)}")

    def _per_pair(self, name, given):
        self._require_pairs(name, given)
        return laws.not_negative(name, [given.get(pair, 0.0) for pair in self.pairs])

    @property
    def closed(self):
        """Phases of each closed part of the network, whose number of jobs never changes, one row of 0 and 1 a part."""
        parts, label = csgraph.connected_components(self.P + self.P.T, directed=False)
        leaving, coming = 1 - self.P.sum(axis=1) > laws.MIX_TOLERANCE, self.arrivals > 0
        whole = [c for c in range(parts) if not (leaving | coming)[label == c].any()]
        phases = np.repeat(label, [law.phases for law in self.service.values()])
        return np.array([phases == c for c in whole], dtype=float).reshape(-1, len(phases))


def _servers(queue, k):
    if isinstance(k, float) and math.isinf(k) and k > 0:
        return math.inf
    return float(laws.positive(f"servers of {queue!r}", k, ndim=0))


# --- The processor share --------------------------------------------------------------------------------------------


def smoothed_share(x, k, p):
    r"""Part of a server that each of x jobs gets from k servers, with a smoothed minimum.

    .. math:: \hat g = \bigl( 1 + (x / k)^p \bigr)^{-1/p} .

    Parameters
    ----------
    x : float or array
        Jobs at the queue.
    k : float
        Servers, infinite for a delay station.
    p : float
        Smoothing exponent; infinite: the hard minimum :math:`\min(1, k / x)`.

    Source: [RBAC21] Eqs. (4), (7).

    Examples
    --------
    >>> float(smoothed_share(1.0, 1, 1)), float(smoothed_share(3.0, 1, math.inf))
    (0.5, 0.3333333333333333)
    """
    x = np.asarray(x, dtype=float)
    if math.isinf(k):
        return np.ones_like(x)
    with np.errstate(divide="ignore"):
        logs = np.log(x / k)
    return np.exp(-np.maximum(logs, 0)) if math.isinf(p) else np.exp(-np.logaddexp(0, p * logs) / p)


def _exponents(network, p):
    """One exponent a queue, infinite for the hard minimum."""
    if p is None:
        return np.full(len(network.servers), math.inf)
    if isinstance(p, dict):
        finite = [queue for queue, k in network.servers.items() if not math.isinf(k)]
        missing = [queue for queue in finite if queue not in p]
        if missing or not set(p) <= set(network.servers):
            raise ValueError(f"p must name the queues {finite}, got {list(p)}")
        p = [p.get(queue, math.inf) for queue in network.servers]
    values = np.broadcast_to(np.asarray(p, dtype=float), len(network.servers))
    if not (values > 0).all():
        raise ValueError(f"p must be positive, got {laws.shown(values)}")
    return values


def _shares(network, x, exponents):
    jobs = np.maximum(network.member @ x, 0)
    return np.array([smoothed_share(n, k, p) for n, k, p in zip(jobs, network.capacity, exponents)])


def _share_slopes(network, x, exponents, kink=0.0):
    """Derivative of each queue's share by its number of jobs; within `kink` of the hard minimum's kink, that above."""
    slopes, jobs = np.zeros(len(network.servers)), network.member @ x
    for n, (load, k, p) in enumerate(zip(jobs, network.capacity, exponents)):
        if not math.isinf(k) and load > 0:
            falling = float(load > k * (1 - kink)) if math.isinf(p) else special.expit(p * math.log(load / k))
            slopes[n] = -float(smoothed_share(load, k, p)) * falling / load
    return slopes


def drift(x, network, p=None):
    r"""Rate of change of the mean number of jobs in each phase.

    .. math:: F(x) = W^T \theta(x) + A \lambda, \qquad \theta_a(x) = x_a\, g_{Q(a)}(x) .

    Parameters
    ----------
    x : float array, shape (S,)
    network : Network
    p : float or dict, optional
        Smoothing exponent, one for all or one for each queue with finitely many servers; none: the hard minimum.

    Returns
    -------
    float array, shape (S,)

    Source: [RBAC21] Eqs. (3), (8).

    Examples
    --------
    >>> queue = Network({"q": 1}, {("q", 1): exponential(1.0)}, {}, arrivals={("q", 1): .5})
    >>> drift([1.0], queue, p=1).tolist()
    [0.0]
    """
    x = laws.numbers("x", x)
    if x.shape != network.start.shape:
        raise ValueError(f"x must have one entry a phase, {len(network.start)}, got {len(x)}")
    return _drift(x, network, _exponents(network, p))


def _drift(x, network, exponents):
    return network.W.T @ (x * _shares(network, x, exponents)[network.queue_of]) + network.A @ network.arrivals


def _jacobian(x, network, exponents, kink=0.0):
    shares, slopes = _shares(network, x, exponents), _share_slopes(network, x, exponents, kink)
    served = (
        np.diag(shares[network.queue_of])
        + np.outer(x, np.ones(len(x))) * ((slopes[:, None] * network.member)[network.queue_of])
    )
    return network.W.T @ served


def trajectory(network, t, x0=None, p=None):
    """Solution of the fluid model at given times.

    Parameters
    ----------
    network : Network
    t : sequence of float, shape (n,)
        Times, not negative and increasing.
    x0 : float array, shape (S,), optional
        State at time 0; by default the network's population.
    p : float, dict or callable, optional
        Smoothing exponents as for :func:`drift`, or a function of time that returns them.

    Returns
    -------
    float array, shape (n, S)

    Raises
    ------
    ArithmeticError
        If the equations could not be solved.

    Source: [RBAC21] Eq. (8).
    """
    times = laws.numbers("t", t)
    if not len(times) or times[0] < 0 or (np.diff(times) < 0).any():
        raise ValueError("t must be increasing times of at least 0")
    x0 = network.start if x0 is None else laws.numbers("x0", x0)
    if x0.shape != network.start.shape or (x0 < 0).any():
        raise ValueError(f"x0 must have {len(network.start)} entries, none of them negative")
    fixed = None if callable(p) else _exponents(network, p)
    at = (lambda s: _exponents(network, p(s))) if callable(p) else (lambda s: fixed)
    if times[-1] == 0:
        return np.tile(x0, (len(times), 1))
    scale = max(1.0, float(x0.sum()))
    solution = integrate.solve_ivp(
        lambda s, x: _drift(x, network, at(s)), (0, times[-1]), x0, method="LSODA", t_eval=times,
        jac=lambda s, x: _jacobian(x, network, at(s)), rtol=RELATIVE, atol=ABSOLUTE * scale,
    )  # fmt: skip
    if not solution.success:
        raise ArithmeticError(f"the fluid model could not be solved: {solution.message}")
    return _conserved(network, solution.y.T, x0)


def _conserved(network, states, x0):
    """Give each closed part the jobs that it had: rounding must not add up."""
    for part in network.closed:
        jobs = states @ part
        correction = np.where(jobs > 0, part @ x0 / np.where(jobs > 0, jobs, 1), 1)
        states = states * np.where(part > 0, correction[:, None], 1)
    return states


# --- The stationary point -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Point:
    """A stationary point of the fluid model.

    Attributes
    ----------
    x : float array, shape (S,)
        Mean number of jobs in each phase.
    mean_jobs, throughput : dict
        By pair.
    share : dict
        By queue.
    unique : bool
        Whether no other stationary point with the same closed populations is near.
    """

    x: np.ndarray
    mean_jobs: dict
    throughput: dict
    share: dict
    unique: bool


def stationary_point(network, p=None):
    """The limit of the trajectory that starts from the network's population.

    Parameters
    ----------
    network : Network
    p : float or dict, optional
        As for :func:`drift`.

    Returns
    -------
    Point

    Raises
    ------
    ArithmeticError
        If the trajectory does not settle, as in an open network with too many arrivals.

    Source: [RBAC21] Section 3.

    Examples
    --------
    An open queue at load 1/2; the smoothed model with p = 1 is exact: one job on average.

    >>> queue = Network({"q": 1}, {("q", 1): exponential(1.0)}, {}, arrivals={("q", 1): .5})
    >>> round(stationary_point(queue, p=1).mean_jobs["q", 1], 9)
    1.0
    """
    exponents = _exponents(network, p)
    x, horizon = network.start, float(np.max(-1 / np.diag(network.Psi)))
    for _ in range(HORIZONS):
        x = trajectory(network, [horizon], x, None if p is None else p)[0]
        if not x.sum() < MOST_JOBS * max(1.0, network.start.sum()):
            break
        served = x * _shares(network, x, exponents)[network.queue_of]
        flows = float((np.abs(network.W.T) @ served).sum() + network.arrivals.sum())
        refined = _newton(network, x, exponents)
        if np.abs(refined - x).max() <= 1e-6 * max(1.0, x.sum()):
            still = float(np.abs(_drift(refined, network, exponents)).sum())
            if still <= STILL * max(flows, 1e-300):
                return _point(network, refined, exponents)
        horizon *= 2
    raise ArithmeticError("the fluid model did not settle: is some queue of the network overloaded?")


def _newton(network, x, exponents):
    """Newton steps that keep closed populations; the least step where the Jacobian is singular."""
    closed = network.closed
    jobs = closed @ network.start
    for _ in range(20):
        equations = np.concatenate([_drift(x, network, exponents), closed @ x - jobs])
        matrix = np.vstack([_jacobian(x, network, exponents), closed])
        step = np.linalg.lstsq(matrix, -equations, rcond=1e-12)[0]
        new = np.maximum(x + step, 0)
        if np.abs(new - x).max() <= 1e-15 * max(1.0, x.sum()):
            return new
        x = new
    return x


def _point(network, x, exponents):
    shares = _shares(network, x, exponents)
    done = (x * shares[network.queue_of]) @ network.B
    # At a kink the points above are looked at: a line of stationary points may end here.
    matrix = np.vstack([_jacobian(x, network, exponents, KINK), network.closed])
    return Point(
        x,
        {pair: float(x[network.index[pair]].sum()) for pair in network.pairs},
        {pair: float(rate) for pair, rate in zip(network.pairs, done)},
        {queue: float(g) for queue, g in zip(network.servers, shares)},
        bool(np.linalg.matrix_rank(matrix, tol=1e-9 * np.abs(matrix).max()) == len(x)),
    )


def fit_smoothing(network, mean_jobs, throughput):
    """Exponents with which the smoothed model has the given means as a stationary point.

    In the long run the busy servers of a queue are the sum of throughput times mean service time over its classes; with
    the mean number of jobs they tell the share that each job got, and the share tells p.

    Parameters
    ----------
    network : Network
    mean_jobs, throughput : dict
        By pair; delay stations need not be given.

    Returns
    -------
    dict
        Queue with finitely many servers to its p, infinite where the share is already the hard minimum.

    Source: [RBAC21] Section 3: (7) is monotone in p.
    """
    found = {}
    for queue, k in network.servers.items():
        if math.isinf(k):
            continue
        here = [pair for pair in network.pairs if pair[0] == queue]
        missing = [pair for pair in here if pair not in mean_jobs or pair not in throughput]
        if missing:
            raise ValueError(f"mean_jobs and throughput must name all pairs of queue {queue!r}; missing: {missing}")
        jobs = sum(float(mean_jobs[pair]) for pair in here)
        busy = sum(float(throughput[pair]) * network.service[pair].mean for pair in here)
        if not (0 < busy <= jobs * (1 + 1e-9) and busy <= k * (1 + 1e-9)):
            raise ValueError(f"queue {queue!r}: {busy:g} of {k:g} servers busy, {jobs:g} jobs on average: impossible")
        found[queue] = _exponent(busy / jobs, jobs, k)
    return found


def _exponent(share, jobs, k):
    gap = lambda log_p: float(smoothed_share(jobs, k, math.exp(log_p))) - share
    low, high = -5.0, 12.0
    if gap(high) <= 0:
        return math.inf
    while gap(low) > 0:
        low -= 1
    return math.exp(optimize.brentq(gap, low, high, xtol=1e-14))


# --- Response times -------------------------------------------------------------------------------------------------


def response_time_cdf(t, network, pairs, entry=None, p=None):
    r"""Distribution of the time that a job spends in some pairs without leaving them, in the stationary fluid model.

    .. math:: \Phi_R(t) = 1 - \beta^T A^T e^{D W_R t} \mathbf 1, \qquad W_R = \Psi + B P_R A^T,

    with :math:`P_R` the routing among these pairs and D the share of each phase's queue. (The print has P for
    :math:`P_R`.)

    Parameters
    ----------
    t : float or array
    network : Network
    pairs : pair or sequence of pairs
    entry : dict, optional
        Probability :math:`\beta` to enter at each pair; by default in proportion to the stationary flows from outside.
    p : float or dict, optional
        As for :func:`drift`.

    Returns
    -------
    float array, shape of t

    Source: [RBAC21] Eqs. (10), (11).

    Examples
    --------
    Nobody else is there, and service is Erlang-2 with mean 1: the response time is the service time.

    >>> alone = Network({"q": math.inf}, {("q", 1): erlang(2, 1.0)}, {}, arrivals={("q", 1): .5})
    >>> float(response_time_cdf(1.0, alone, ("q", 1)).round(6))
    0.593994
    """
    inside = [pairs] if isinstance(pairs, tuple) and pairs in network.service else list(pairs)
    network._require_pairs("pairs", inside)
    if not inside:
        raise ValueError("pairs must name at least one pair")
    point = stationary_point(network, p)
    chosen = np.array([pair in inside for pair in network.pairs])
    beta = _entry(network, chosen, entry, point)
    phases = np.flatnonzero(np.repeat(chosen, [law.phases for law in network.service.values()]))
    routed = network.P * np.outer(chosen, chosen)
    W_R = (network.Psi + network.B @ routed @ network.A.T)[np.ix_(phases, phases)]
    share = np.array([point.share[queue] for queue in network.servers])[network.queue_of][phases]
    if np.linalg.cond(W_R / -np.diag(W_R)[:, None]) > 1e14:
        raise ValueError(f"a job never leaves {inside}")
    law = PhaseType((network.A @ beta)[phases], share[:, None] * W_R)
    return law.cdf(t)


def _entry(network, chosen, entry, point):
    if entry is None:
        done = np.array([point.throughput[pair] for pair in network.pairs])
        flow = np.where(chosen, network.arrivals + (done * ~chosen) @ network.P, 0.0)
        if not flow.sum() > 0:
            raise ValueError("no flow enters these pairs from outside: give entry")
        return flow / flow.sum()
    network._require_pairs("entry", entry)
    beta = laws.probabilities("entry", [entry.get(pair, 0.0) for pair in network.pairs])
    if (beta[~chosen] > 0).any():
        raise ValueError(f"entry must be into the pairs themselves, got {entry}")
    return beta
