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

Times are in any unit, the same throughout; rates are per that unit.
"""

import math
import warnings
from dataclasses import dataclass

import numpy as np
from scipy import integrate, linalg, optimize, special

from mjq import checks
from mjq.solvers.network import Network
from mjq.solvers.phase_type import PhaseType, coxian, erlang, exponential, hyperexponential, mixed_erlang, two_moments

__all__ = [
    "Network", "PhaseType", "Point", "coxian", "drift", "erlang", "exponential", "fit_smoothing", "hard_share",
    "hyperexponential", "mixed_erlang", "response_time", "response_time_cdf", "smoothed_share", "stationary_point",
    "trajectory", "transitions", "two_moments",
]  # fmt: skip

TRAJECTORY_TOLERANCE = 1e-9  # relative; the absolute one is a thousandth of it, times the jobs at the start
ROUGH_TOLERANCE, CLOSE_TOLERANCE = 1e-4, 1e-7  # the same, on the way to a stationary point
DENSE_PHASES = 200  # phases from which on the time goes into factorizing Jacobians, which BDF leaves to LAPACK
NEWTON_FROM_NET_FLOW = 1e-3  # net flow, as a fraction of all flows, from which on Newton steps are tried
SINGULAR_VALUE = 1e-9  # smallest singular value of a Jacobian with rows scaled to 1 that counts as none
SETTLED_NET_FLOW = 1e-11  # largest net flow at a stationary point, as a fraction of all flows
MOST_DOUBLINGS = 60  # doublings of the time to wait for it
KINK_DISTANCE = 1e-7  # how near to its number of servers a queue counts as full, relatively


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

    Raises
    ------
    ValueError
        If x is negative, or k or p is not positive.

    Source: [RBAC21] Eqs. (4), (7).

    Examples
    --------
    >>> float(smoothed_share(1.0, 1, 1)), float(smoothed_share(3.0, 1, math.inf))
    (0.5, 0.3333333333333333)
    """
    x = checks.not_negative("x", x, ndim=np.ndim(x))
    k, p = checks.positive_or_infinite("k", k), checks.positive_or_infinite("p", p)
    with np.errstate(divide="ignore"):
        return _share(np.log(x / k), p)


def _share(log_load, p):
    """The share, given the logarithm of the jobs a server, minus infinity where nobody or a delay station is."""
    with np.errstate(invalid="ignore", over="ignore"):
        smooth = -np.logaddexp(0, p * log_load) / p
    return np.exp(np.where(np.isinf(p), -np.maximum(log_load, 0), smooth))


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
    values = np.asarray(p, dtype=float)
    if values.ndim and len(values) != len(network.servers):
        raise ValueError(f"p must be one number or a dict by queue, got {p!r}")
    values = np.broadcast_to(values, len(network.servers))
    if not (values > 0).all():
        raise ValueError(f"p must be positive, got {checks.shown(values)}")
    return values


def _shares(network, x, exponents):
    """Each queue's share."""
    return _share(_log_load(network, x), exponents)


def _log_load(network, x):
    """Logarithm of the jobs a server at each queue, minus infinity at an empty queue or a delay station."""
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(network.member @ x, 0) / network.capacity)


def _share_slopes(network, x, exponents, kink=0.0):
    """Derivative of each queue's share by its number of jobs; within `kink` of the hard minimum's kink, that above."""
    log_load, jobs = _log_load(network, x), network.member @ x
    hard = np.isinf(exponents)
    with np.errstate(invalid="ignore", over="ignore"):
        smooth = special.expit(exponents * log_load)
    falling = np.where(hard, log_load > -kink, smooth)
    present = np.isfinite(network.capacity) & (jobs > 0)
    return np.where(present, -_shares(network, x, exponents) * falling / np.where(present, jobs, 1), 0.0)


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
    x = checks.numbers("x", x)
    if x.shape != network.start.shape:
        raise ValueError(f"x must have one entry a phase, {len(network.start)}, got {len(x)}")
    return _drift(x, network, _exponents(network, p))


def _drift(x, network, exponents):
    return network.W.T @ (x * _shares(network, x, exponents)[network.queue_of]) + network.A @ network.arrivals


def _jacobian(x, network, exponents, kink=0.0):
    """Derivative of the drift: a job more in a phase is served there, and takes from the others of its queue."""
    shares, slopes = _shares(network, x, exponents), _share_slopes(network, x, exponents, kink)
    by_queue = network.W.T @ (x[:, None] * network.member.T * slopes)
    slope = np.take(by_queue, network.queue_of, axis=1)
    slope += network.W.T * shares[network.queue_of]
    return slope


# --- The chain behind it ---------------------------------------------------------------------------------------------


def hard_share(x, k):
    """Part of a server that each of x jobs gets from k servers: all of one while there are enough.

    >>> hard_share(3, 2), hard_share(1, 2)
    (0.6666666666666666, 1)
    """
    return 1 if x <= k else k / x


def transitions(state, network, share=hard_share, room=math.inf):
    """The network as a Markov chain: a job changes its phase, is routed on, leaves, or comes from outside.

    Parameters
    ----------
    state : tuple
        Jobs in each phase.
    network : Network
        Or anything with its matrices, also of symbols.
    share : callable
        Processor share of a job, given the jobs and the servers of its queue.
    room : int, optional
        Jobs with which the network is full: those that come then are lost. Makes the chain of an open network finite.

    Yields
    ------
    (next_state, rate)

    Source: [RBAC21] Section 2, in the paper's words; compare Eq. (3).

    Examples
    --------
    >>> queue = Network({"q": 1}, {("q", 1): exponential(0.5)}, {}, arrivals={("q", 1): 3.0})
    >>> [(s, float(rate)) for s, rate in transitions((2,), queue) if rate]
    [((1,), 2.0), ((3,), 3.0)]
    """
    phases, pairs = range(network.A.shape[0]), range(network.A.shape[1])
    for a in phases:
        if state[a] == 0:
            continue
        here = sum(n for n, queue in zip(state, network.queue_of) if queue == network.queue_of[a])
        rate = state[a] * share(here, network.capacity[network.queue_of[a]])
        yield from ((_moved(state, a, b), rate * network.Psi[a, b]) for b in phases if b != a)
        for r in pairs:
            done = rate * network.B[a, r]
            if done == 0:
                continue
            yield from ((_moved(state, a, b), done * network.P[r, s] * network.A[b, s]) for s in pairs for b in phases)
            yield _moved(state, a, None), done * network.leaves[r]
    if sum(state) < room:
        yield from ((_moved(state, None, b), network.arrivals[s] * network.A[b, s]) for s in pairs for b in phases)


def _moved(state, a, b):
    """One job less in phase a, one more in phase b."""
    return tuple(n - int(k == a) + int(k == b) for k, n in enumerate(state))


# --- The equations solved -------------------------------------------------------------------------------------------


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
    ValueError
        If times decrease, or `x0` has not one entry a phase or a negative one.
    ArithmeticError
        If the equations could not be solved.

    Source: [RBAC21] Eq. (8).
    """
    times = checks.numbers("t", t)
    if not len(times) or times[0] < 0 or (np.diff(times) < 0).any():
        raise ValueError("t must be increasing times of at least 0")
    x0 = network.start if x0 is None else checks.numbers("x0", x0)
    if x0.shape != network.start.shape or (x0 < 0).any():
        raise ValueError(f"x0 must have {len(network.start)} entries, none of them negative")
    if times[-1] == 0:
        return np.tile(x0, (len(times), 1))
    fixed = None if callable(p) else _exponents(network, p)
    return _solved(network, times, x0, (lambda s: _exponents(network, p(s))) if callable(p) else lambda s: fixed)


def _solved(network, times, x0, exponents, relative=TRAJECTORY_TOLERANCE, method="LSODA"):
    """The state at the times; `exponents` is a function of time."""
    scale = max(1.0, float(x0.sum()))
    for tried in (method, "Radau"):  # where LSODA gives up, very stiff as it is, an implicit method may not
        with warnings.catch_warnings(action="ignore"):  # what it warns of it also reports
            solution = integrate.solve_ivp(
                lambda t, x: _drift(x, network, exponents(t)), (0, times[-1]), x0, method=tried, t_eval=times,
                jac=lambda t, x: _jacobian(x, network, exponents(t)), rtol=relative, atol=relative * 1e-3 * scale,
            )  # fmt: skip
        if solution.success:
            return _conserved(network, solution.y.T, x0)
    raise ArithmeticError(f"the fluid model could not be solved: {solution.message}")


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
    ValueError
        If the open classes alone overload a queue.
    ArithmeticError
        If the trajectory does not settle.

    Source: [RBAC21] Section 3.

    Examples
    --------
    An open queue at load 1/2; the smoothed model with p = 1 is exact: one job on average.

    >>> queue = Network({"q": 1}, {("q", 1): exponential(1.0)}, {}, arrivals={("q", 1): .5})
    >>> round(stationary_point(queue, p=1).mean_jobs["q", 1], 9)
    1.0
    """
    exponents = _exponents(network, p)
    _require_stable(network)
    point = _integrated_until_stationary(network, exponents, ROUGH_TOLERANCE)
    # An isolated point is found however it was approached; on a line of them the way decides.
    return point if point.unique else _integrated_until_stationary(network, exponents, CLOSE_TOLERANCE)


def _integrated_until_stationary(network, exponents, tolerance):
    method = "BDF" if len(network.start) > DENSE_PHASES else "LSODA"
    x, horizon = network.start, float(sum(law.mean for law in network.service.values()))
    for _ in range(MOST_DOUBLINGS):
        x = _solved(network, [horizon], x, lambda t: exponents, tolerance, method)[0]
        if _net_flow(network, x, exponents) < NEWTON_FROM_NET_FLOW:
            refined = _newton(network, x, exponents)
            near = np.abs(refined - x).max() <= 100 * tolerance * max(1.0, x.sum())
            if near and _net_flow(network, refined, exponents) <= SETTLED_NET_FLOW:
                return _point(network, refined, exponents)
        horizon *= 2
    raise ArithmeticError(f"the fluid model did not settle within a time of {horizon:g}; are exponents very small?")


def _require_stable(network):
    busy = network.open_flow * [law.mean for law in network.service.values()]
    for queue, k in network.servers.items():
        needed = sum(work for (where, _), work in zip(network.pairs, busy) if where == queue)
        if needed >= k:
            raise ValueError(f"queue {queue!r} is unstable: the open classes need {needed:g} of its {k:g} servers")


def _net_flow(network, x, exponents):
    """Net flows as a fraction of all flows."""
    served = x * _shares(network, x, exponents)[network.queue_of]
    flows = float((np.abs(network.W.T) @ served).sum() + network.arrivals.sum())
    return float(np.abs(_drift(x, network, exponents)).sum()) / max(flows, 1e-300)


def _newton(network, x, exponents):
    """Newton steps that keep closed populations; the least step where the Jacobian is singular."""
    jobs = network.closed @ network.start
    for _ in range(20):
        rest = _drift(x, network, exponents) + network.closed.T @ (network.closed @ x - jobs)
        slope = _jacobian_with_conservation(network, x, exponents)
        step = linalg.lstsq(slope, -rest, cond=1e-12, lapack_driver="gelsy")[0]
        new = np.maximum(x + step, 0)
        if np.abs(new - x).max() <= 1e-15 * max(1.0, x.sum()):
            return new
        x = new
    return x


def _jacobian_with_conservation(network, x, exponents, kink=0.0):
    """The Jacobian, made regular where it is singular only because closed populations can be anything."""
    return _jacobian(x, network, exponents, kink) + network.closed.T @ network.closed


def _point(network, x, exponents):
    shares = _shares(network, x, exponents)
    done = (x * shares[network.queue_of]) @ network.B
    # At a kink the points above are looked at: a line of stationary points may end here.
    matrix = _jacobian_with_conservation(network, x, exponents, KINK_DISTANCE)
    matrix /= np.abs(matrix).max(axis=1, keepdims=True)
    return Point(
        x,
        {pair: float(x[network.index[pair]].sum()) for pair in network.pairs},
        {pair: float(rate) for pair, rate in zip(network.pairs, done)},
        {queue: float(g) for queue, g in zip(network.servers, shares)},
        bool(linalg.svdvals(matrix)[-1] > SINGULAR_VALUE),
    )


def fit_smoothing(network, mean_jobs, throughput, slack=1e-9):
    """Exponents with which the smoothed shares are those behind the given means.

    In the long run the busy servers of a queue are the sum of throughput times mean service time over its classes; with
    the mean number of jobs they tell the mean share of a job, and the share tells p. Where all classes of each queue
    have the same share, the given means are then a stationary point.

    Parameters
    ----------
    network : Network
    mean_jobs, throughput : dict
        By pair, exact or measured; delay stations need not be given.
    slack : float
        By which part busy servers may exceed the jobs or the servers, as they do by chance in measured data.

    Returns
    -------
    dict
        Queue with finitely many servers to its p, infinite where the share is already the hard minimum (to rounding),
        or nobody comes.

    Raises
    ------
    ValueError
        If a pair of a queue is missing, or more servers are busy than there are or than there are jobs.

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
        if busy == 0:
            found[queue] = math.inf
            continue
        if not 0 < busy <= min(jobs, k) * (1 + slack):
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


def response_time(network, pairs, entry=None, p=None):
    r"""Time that a job spends in some pairs without leaving them, in the stationary fluid model.

    It is of phase type, with initial phases :math:`A \beta` and subgenerator

    .. math:: D\, W_R, \qquad W_R = \Psi + B P_R A^T,

    with :math:`P_R` the routing among these pairs and D the share of each phase's queue. (The extended abstract has P
    for :math:`P_R`, the authors' code :math:`P_R`.)

    Parameters
    ----------
    network : Network
    pairs : pair or sequence of pairs
    entry : dict, optional
        Probability :math:`\beta` to enter at each pair; by default in proportion to the stationary flows from outside.
    p : float or dict, optional
        As for :func:`drift`.

    Returns
    -------
    mjq.solvers.phase_type.PhaseType
        With its mean, quantiles, cdf.

    Raises
    ------
    ValueError
        If no flow enters the pairs, or jobs never leave them.

    Source: [RBAC21] Eqs. (10), (11).

    Examples
    --------
    At load 1/2 the mean is exact, twice that of the service time:

    >>> queue = Network({"q": 1}, {("q", 1): exponential(1.0)}, {}, arrivals={("q", 1): .5})
    >>> round(response_time(queue, ("q", 1), p=1).mean, 9)
    2.0
    """
    inside = checks.pairs(pairs)
    network._require_pairs("pairs", inside)
    if not inside:
        raise ValueError("pairs must name at least one pair")
    chosen = np.array([pair in inside for pair in network.pairs])
    point = stationary_point(network, p)
    beta = _entry(network, chosen, entry, point)
    phases = np.flatnonzero(np.repeat(chosen, [law.phases for law in network.service.values()]))
    routed = network.P * np.outer(chosen, chosen)
    W_R = (network.Psi + network.B @ routed @ network.A.T)[np.ix_(phases, phases)]
    share = np.array([point.share[queue] for queue in network.servers])[network.queue_of][phases]
    try:
        return PhaseType((network.A @ beta)[phases], share[:, None] * W_R)
    except ValueError as error:
        raise ValueError(f"a job never leaves {inside}") from error


def response_time_cdf(t, network, pairs, entry=None, p=None):
    r"""Distribution function of :func:`response_time`.

    .. math:: \Phi_R(t) = 1 - \beta^T A^T e^{D W_R t} \mathbf 1 .

    Parameters
    ----------
    t : float or array
    network, pairs, entry, p
        As there.

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
    return response_time(network, pairs, entry, p).cdf(t)


def _entry(network, chosen, entry, point):
    if entry is None:
        done = np.array([point.throughput[pair] for pair in network.pairs])
        flow = np.where(chosen, network.arrivals + (done * ~chosen) @ network.P, 0.0)
        if not flow.sum() > 0:
            raise ValueError("no flow enters these pairs from outside: give entry")
        return flow / flow.sum()
    network._require_pairs("entry", entry)
    beta = checks.probabilities("entry", [entry.get(pair, 0.0) for pair in network.pairs])
    if (beta[~chosen] > 0).any():
        raise ValueError(f"entry must be into the pairs themselves, got {entry}")
    return beta
