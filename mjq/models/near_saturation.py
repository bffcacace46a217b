r"""[NS] Response times of multiserver jobs near saturation, from the saturated chain alone.

**Notation**, beside that of :mod:`mjq.models.processing_capacity`

========================  =============================================================================================
:math:`X`                 processing capacity: completions per unit of time while the queue never runs dry
:math:`A`                 rates of completions between saturated states, those that lead to the same state included
:math:`c`                 rate of completions in each saturated state, the row sums of A
:math:`\pi`               stationary distribution of the saturated chain; :math:`X = \pi c`
:math:`h`                 relative completions: what a start in each state brings beyond X t in the long run
:math:`\Delta`            relative completions just after a completion, on average, less those at a random time
:math:`I`                 index of dispersion of saturated departures, :math:`1 + 2\Delta`
========================  =============================================================================================
"""

import math
from typing import NamedTuple

import numpy as np

from mjq import checks
from mjq.models import processing_capacity as pc
from mjq.solvers import chain, drain, phase_type, poisson_equation, qbd

ELIMINATION_LIMIT = 1000  # saturated states up to which the Poisson equation is eliminated
MOST_STATES = 100_000  # of the queue under ServerFilling below the level from which on it repeats itself
MOST_SERVERS = 10_000_000  # of one-or-all, which keeps some arrays of that length


class RelativeCompletions(NamedTuple):
    """What a saturated system says about the queue near saturation.

    Attributes
    ----------
    capacity : float
        Jobs per unit of time.
    delta : float
        Mean of the relative completions just after a completion less their mean over time, in jobs.
    dispersion : float
        Variance of the number of saturated departures over a long time, divided by its mean.
    """

    capacity: float
    delta: float
    dispersion: float


# --- The constant ---------------------------------------------------------------------------------------------------


def relative_completions(B, b, mu, p):
    r"""Capacity, :math:`\Delta` and dispersion of the saturated system, exact.

    With h from the Poisson equation :math:`(A - \operatorname{diag} c)\, h = X - c`,

    .. math:: \Delta = \frac{\pi A h}{X} - \pi h = \frac{1}{2X} \sum_{y, y'} \pi_y A_{yy'} (h_{y'} - h_y)^2 \ge 0 .

    Parameters
    ----------
    B, b, mu, p
        As for :func:`mjq.models.processing_capacity.processing_capacity`.

    Returns
    -------
    RelativeCompletions

    Raises
    ------
    ValueError
        If the input breaks a law (it is named), or more configurations fit than memory holds.
    ArithmeticError
        If a solution did not converge.

    Source: [GHHS23] (the theorem that needs it); [NS] Eqs. (a)-(c).

    Examples
    --------
    The system of Table I of [BB22]:

    >>> found = relative_completions(6, (2, 3), (2.5, .625), (.5, .5))
    >>> round(found.capacity, 10), round(found.delta, 9), round(found.dispersion, 9)
    (2.0134228188, 0.391603982, 1.783207964)
    """
    B, b, mu, p = pc.checked(B, b, mu, p)
    ways = drain.configurations(B, b, checks.FIT * B)
    state = drain.saturated(ways, mu, p)
    operator = drain.departure_operator(ways, mu, p)
    probabilities = state.probabilities[ways.blocked]
    if len(probabilities) <= ELIMINATION_LIMIT:
        h = poisson_equation.eliminated(operator @ np.eye(len(probabilities)), probabilities)
    else:
        h = poisson_equation.drained(state, operator, mu, p)
    return _found(state.throughput, (ways.counts @ mu)[np.nonzero(ways.blocked)[0]], probabilities, h)


def relative_completions_of(start, transitions):
    r"""The same for any saturated chain in which each transition is a completion, from its rule.

    Parameters
    ----------
    start : hashable
        A state that recurs.
    transitions : callable
        ``transitions(state)`` yields ``(next_state, rate)``; the next state may be the same.

    Returns
    -------
    RelativeCompletions

    Examples
    --------
    A server whose jobs are slow (rate 1) or fast (rate 3), the next one drawn by a coin:

    >>> found = relative_completions_of(1, lambda rate: [(1, rate / 2), (3, rate / 2)])
    >>> round(found.capacity, 12), round(found.delta, 12)  # half of scv - 1: Pollaczek and Khinchine
    (1.5, 0.25)
    """
    states = chain.explore([start], transitions)
    place = {state: k for k, state in enumerate(states)}
    A = np.zeros((len(states), len(states)))
    for state in states:
        for successor, rate in transitions(state):
            A[place[state], place[successor]] += rate
    completions = A.sum(axis=1)
    probabilities = chain.stationary(A - np.diag(completions), states)
    h = poisson_equation.eliminated(A, probabilities)
    return _found(float(probabilities @ completions), completions, probabilities, h)


def _found(capacity, completions, probabilities, h):
    """Delta from h: completions find it at its mean over time, weighted by their rate."""
    delta = float(probabilities @ ((completions / capacity - 1) * h))
    return RelativeCompletions(capacity, delta, 1 + 2 * delta)


# --- The queue near saturation --------------------------------------------------------------------------------------


def sojourn_asymptote(lam, B, b, mu, p):
    r"""Mean sojourn time as it is near saturation: from the exact one it differs by a bounded amount.

    .. math:: E[W] = \frac{1 + \Delta}{X - \lambda} + O(1), \qquad \lambda \to X .

    Parameters
    ----------
    lam : float
        Arrival rate, below the capacity.
    B, b, mu, p
        As for :func:`relative_completions`.

    Returns
    -------
    float
        Units of time.

    Raises
    ------
    ValueError
        If `lam` is not below the capacity, or another law is broken.

    Source: [GHHS23]; [NS] Eq. (e).

    Examples
    --------
    At nine tenths of the capacity, where 6.861 is exact:

    >>> round(sojourn_asymptote(.9 * 300 / 149, 6, (2, 3), (2.5, .625), (.5, .5)), 7)
    6.9116331
    """
    found = relative_completions(B, b, mu, p)
    return (1 + found.delta) / (found.capacity - _below(lam, found.capacity))


def decay_rate(lam, B, b, mu, p):
    r"""Rate at which the tail of the waiting time decays, :math:`P(W_q > t) \sim \mathrm{const}\, e^{-\theta t}`.

    .. math:: \theta = \tilde u(\lambda) - \lambda ,

    with the limiting completion rate of [BB22]. The tail of the sojourn time decays at the smaller of it and the
    slowest class's rate.

    Parameters
    ----------
    lam : float
        Arrival rate, below the capacity.
    B, b, mu, p
        As for :func:`relative_completions`.

    Returns
    -------
    float
        Per unit of time.

    Raises
    ------
    ValueError
        If `lam` is not below the capacity, or another law is broken.

    Source: [NS] Eq. (h).

    Examples
    --------
    >>> round(decay_rate(.9 * 300 / 149, 6, (2, 3), (2.5, .625), (.5, .5)), 8)
    0.14319477
    """
    lam = _below(lam, pc.processing_capacity(B, b, mu, p))
    return pc.limiting_completion_rate(lam, B, b, mu, p) - lam


def _below(lam, capacity):
    lam = float(checks.positive("lam", lam, ndim=0))
    if not lam < capacity:
        digits = ".4f" if capacity > 0.01 else ".4g"
        raise ValueError(f"lam {checks.shown(lam)} is not below the capacity {capacity:{digits}}")
    return lam


# --- Special systems ------------------------------------------------------------------------------------------------


def one_or_all(n, mu1, p1, mean, variance):
    r"""Capacity and :math:`\Delta` where a job holds one of n servers or all of them, in closed form.

    A cycle is a geometric number J of small jobs, :math:`P(J = j) = p_1^j p_2`, and the large one behind them; it lasts
    L and completes :math:`N = J + 1` jobs. Given :math:`J = j`, with :math:`k = \min(j, n)`,

    .. math::
       E[L] = \sum_{i=1}^{k} \frac{1}{i \mu_1} + \frac{(j - n)^+}{n \mu_1} + m, \qquad
       \mathrm{Var}[L] = \sum_{i=1}^{k} \frac{1}{(i \mu_1)^2} + \frac{(j - n)^+}{(n \mu_1)^2} + v,

    and then :math:`X = E[N]/E[L]`, :math:`1 + 2\Delta = \mathrm{Var}[N - X L]/E[N]`.

    Parameters
    ----------
    n : int
        Servers.
    mu1 : float
        Completion rate of a small job, exponential.
    p1 : float
        Probability of a small job.
    mean, variance : float
        Of the time of a large job, whatever its distribution.

    Returns
    -------
    (float, float)
        Capacity, in jobs per unit of time, and Delta.

    Source: [NS] Eq. (i).

    Examples
    --------
    >>> capacity, delta = one_or_all(10, 1, .9, 1, 1)
    >>> round(capacity, 10), round(delta, 9)
    (2.9132790892, 2.248668026)
    >>> one_or_all(1, 1, 0, 1, 0)  # M/D/1
    (1.0, -0.5)
    """
    n, mu1 = checks.count("n", n), float(checks.positive("mu1", mu1, ndim=0))
    checks.affordable(f"n = {n}", n, MOST_SERVERS, "servers")
    mean, variance = float(checks.positive("mean", mean, ndim=0)), float(checks.not_negative("variance", variance, 0))
    p1 = checks.share("p1", p1)
    p2 = 1 - p1
    if p2 == 0:
        return n * mu1, 0.0
    servers = np.arange(1, n + 1)
    reached = p1 ** servers.astype(float)  # P(J >= i)
    beyond = reached[-1] * p1 / p2  # E[(J - n)+]
    jobs = 1 / p2
    length = (reached @ (1 / servers) + beyond / n) / mu1 + mean
    capacity = jobs / length
    within = (reached @ (1 / servers**2.0) + beyond / n**2) / mu1**2 + variance
    # Between cycles with different j: (j + 1 - X E[L | j])^2, for j < n and, after j = n, with a step a further job.
    given = np.concatenate([[0], np.cumsum(1 / servers)]) / mu1 + mean
    surplus = np.arange(1, n + 2) - capacity * given
    step = 1 - capacity / (n * mu1)
    chance = np.concatenate([[1], reached[:-1]]) * p2
    tail = surplus[-1] ** 2 + 2 * surplus[-1] * step * p1 / p2 + step**2 * p1 * (1 + p1) / p2**2
    between = chance @ surplus[:-1] ** 2 + reached[-1] * tail
    dispersion = (capacity**2 * within + between) / jobs
    return float(capacity), float((dispersion - 1) / 2)


def split_hyperexponential(b, mean, scv, p):
    """Classes with hyperexponential times, each as two classes with exponential times and the same need.

    A job may draw its phase when it arrives as well as when it starts, so that nothing else changes. Means are
    balanced: both phases have half of the work.

    Parameters
    ----------
    b : sequence of float, shape (L,)
        What a job of each class holds.
    mean, scv : sequence of float, shape (L,)
        Mean and squared coefficient of variation (at least 1) of the service time of each class.
    p : sequence of float, shape (L,)
        Mix of classes.

    Returns
    -------
    (numpy.ndarray, numpy.ndarray, numpy.ndarray)
        ``b, mu, p`` of the exponential classes, each of shape (2 L,).

    Source: [NS].

    Examples
    --------
    >>> b, mu, p = split_hyperexponential((2, 3), (1, 1), (5, 5), (.5, .5))
    >>> b.tolist(), [round(float(x), 4) for x in mu], [round(float(x), 4) for x in p]
    ([2.0, 2.0, 3.0, 3.0], [1.8165, 0.1835, 1.8165, 0.1835], [0.4541, 0.0459, 0.4541, 0.0459])
    >>> round(relative_completions(6, b, mu, p).delta, 10)
    2.0918907585
    """
    b, mean, scv = checks.positive("b", b), checks.positive("mean", mean), checks.positive("scv", scv)
    p = checks.probabilities("p", p)
    if not len(b) == len(mean) == len(scv) == len(p):
        sizes = f"{len(b)}, {len(mean)}, {len(scv)} and {len(p)}"
        raise ValueError(f"b, mean, scv and p must have one entry a class, got {sizes}")
    phases = [phase_type.hyperexponential(*moments) for moments in zip(mean, scv, strict=True)]
    mu = np.concatenate([-np.diag(phase.T) for phase in phases])
    return np.repeat(b, 2), mu, np.concatenate([share * phase.alpha for share, phase in zip(p, phases, strict=True)])


# --- ServerFilling --------------------------------------------------------------------------------------------------


class ServerFilling(NamedTuple):
    """The queue under ServerFilling.

    Attributes
    ----------
    EW : float
        Mean sojourn time.
    EN : float
        Mean number of jobs in the system.
    capacity : float
        Jobs per unit of time; no server is ever idle while jobs wait.
    """

    EW: float
    EN: float
    capacity: float


def server_filling(lam, k, b, mu, p):
    r"""The infinite queue under ServerFilling, exact, for exponential times and needs that are powers of two.

    The prefix is the shortest part of the line, in order of arrival, whose needs add to at least k. Its jobs are
    served, the largest needs first, and interrupt others. With powers of two all k servers are then busy, so that
    the capacity is :math:`k / \sum_\ell p_\ell b_\ell / \mu_\ell`. Only how many jobs of each class are in the prefix
    matters: when one leaves, all others stay in the prefix, whatever their order.

    Parameters
    ----------
    lam : float
        Arrival rate, below the capacity.
    k : int
        Servers, a power of two.
    b : sequence of int, shape (L,)
        Servers that a job of each class needs, different powers of two up to k.
    mu, p : sequence of float, shape (L,)
        Completion rate and probability of each class.

    Returns
    -------
    ServerFilling

    Raises
    ------
    ValueError
        If a need is no power of two, two are equal, or another law is broken.

    Source: [GHS22] (the policy); [NS] (the chain).

    Examples
    --------
    >>> round(server_filling(.9 / .55, 4, (1, 2, 4), (1, .5, 1), (.6, .25, .15)).EW, 10)
    8.3206233615
    """
    k, b, mu, p = _powers_of_two(k, b, mu, p)
    capacity = k / math.fsum(chance * need / rate for chance, need, rate in zip(p, b, mu, strict=True))
    lam = _below(lam, capacity)
    asked = f"k = {k} with needs {checks.shown(b)}"
    k, b = k // min(b), [need // min(b) for need in b]  # the smallest need is the unit
    N = k + 1  # jobs from which on a prefix is always complete, also after a completion
    checks.affordable(asked, N, MOST_STATES, "states")
    checks.affordable(asked, N * _prefixes(k, b), MOST_STATES, "states")

    def rule(state):
        return (move for move in filling_transitions(state, lam, k, b, mu, p) if move[0][1] <= N + 1)

    states = chain.explore([((0,) * len(b), 0)], rule)
    levels = [sorted(state for state in states if state[1] == n) for n in range(N + 2)]
    Q = chain.generator([state for level in levels for state in level], rule).tocsr()
    ends = np.cumsum([0] + [len(level) for level in levels])

    def block(n, to):
        return Q[ends[n] : ends[n + 1], ends[to] : ends[to + 1]].toarray()

    within = [block(n, n) for n in range(N + 1)]
    boundary = [(block(n, n + 1), within[n], block(n, n - 1) if n else None) for n in range(N)]
    boundary.append((None, None, block(N, N - 1)))
    queue = qbd.stationary(boundary, block(N, N + 1), within[N], block(N + 1, N))
    all_above, beyond = (float(x.sum()) for x in queue.tail_sums(1))
    EN = sum(n * float(x.sum()) for n, x in enumerate(queue.boundary)) + N * all_above + beyond
    return ServerFilling(EN / lam, EN, capacity)


def filling_transitions(state, lam, k, b, mu, p):
    """Yield ``(next_state, rate)`` under ServerFilling out of ``((m_1, …, m_L), n)``: the prefix, and all jobs.

    Source: [GHS22].

    Examples
    --------
    A job that needs one of two servers is alone; then a large one comes, and takes both.

    >>> list(filling_transitions(((1, 0), 1), 1, 2, (1, 2), (3, 5), (.5, .5)))
    [(((2, 0), 2), 0.5), (((1, 1), 2), 0.5), (((0, 0), 0), 3)]
    >>> list(filling_transitions(((1, 1), 2), 1, 2, (1, 2), (3, 5), (.5, .5)))
    [(((1, 1), 3), 1), (((1, 0), 1), 5)]
    """
    m, n = state
    if _held(m, b) < k:
        for j, chance in enumerate(p):
            yield (_more(m, j), n + 1), lam * chance
    else:
        yield (m, n + 1), lam
    for rest, rate in _completions(m, k, b, mu):
        for prefix, chance in _filled(rest, n - sum(m), k, b, p):
            yield (prefix, n - 1), rate if chance == 1 else rate * chance


def filling_saturated_transitions(m, k, b, mu, p):
    """Yield ``(next_prefix, rate)`` under ServerFilling while the queue never runs dry; all are completions.

    Source: [GHS22].

    Examples
    --------
    >>> list(filling_saturated_transitions((1, 1), 2, (1, 2), (3, 5), (.5, .5)))
    [((2, 0), 2.5), ((1, 1), 2.5)]
    """
    for rest, rate in _completions(m, k, b, mu):
        for prefix, chance in _filled(rest, math.inf, k, b, p):
            yield prefix, rate * chance


def _completions(m, k, b, mu):
    """What is left of the prefix when a job in service completes, and the rate; the largest needs are served."""
    free = k
    for j in sorted(range(len(b)), key=lambda j: -b[j]):
        served = min(m[j], free // b[j])
        free -= served * b[j]
        if served:
            yield (*m[:j], m[j] - 1, *m[j + 1 :]), served * mu[j]


def _filled(m, waiting, k, b, p):
    """Complete prefixes and their chances, when waiting jobs join one by one until the needs add to k."""
    joining = {m: 1}
    while joining:
        before, joining = joining, {}
        for m, chance in before.items():
            if not waiting or _held(m, b) >= k:
                yield m, chance
                continue
            for j, p_j in enumerate(p):
                joined = _more(m, j)
                joining[joined] = joining.get(joined, 0) + chance * p_j
        waiting -= 1


def _held(m, b):
    return sum(count * need for count, need in zip(m, b, strict=True))


def _more(m, j):
    return (*m[:j], m[j] + 1, *m[j + 1 :])


def _prefixes(k, b):
    """At most how many complete prefixes there are: the jobs before the last one, and the last one."""
    ways = [1] + [0] * (k - 1)  # to hold so many units
    for need in b:
        for held in range(need, k):
            ways[held] += ways[held - need]
    return sum(number * sum(held + need >= k for need in b) for held, number in enumerate(ways))


def _powers_of_two(k, b, mu, p):
    k = checks.count("k", k)
    _, b, mu, p = checks.multiserver(k, b, mu, p, names=("k", "b", "mu", "p"))
    for name, value in [("k", k), *(("need", need) for need in b)]:
        if value != int(value) or int(value) & (int(value) - 1):
            raise ValueError(f"ServerFilling wants powers of two, got {name} {checks.shown(value)}")
    come = p > 0
    b, mu, p = b[come].astype(int).tolist(), mu[come].tolist(), p[come].tolist()
    if len(set(b)) < len(b):
        raise ValueError(
            f"needs must differ from each other, got {checks.shown(b)}: of equal ones the older goes first"
        )
    return k, b, mu, p
