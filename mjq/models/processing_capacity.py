r"""[BB22] Processing capacity of a multiserver job system.

**Notation**

=================  ====================================================================================================
:math:`B`          resource, shared by the jobs in service (any real number)
:math:`b_\ell`     what a job of class :math:`\ell` holds while it is served; classes are numbered 1, …, L
:math:`\mu_\ell`   rate at which a job of class :math:`\ell` in service completes; :math:`t_\ell = 1/\mu_\ell`
:math:`p_\ell`     probability that an arriving job is of class :math:`\ell`
:math:`\lambda`    arrival rate (Poisson); jobs enter service in order of arrival
:math:`m_\ell`     jobs of class :math:`\ell` in service
:math:`i`          class of the job at the head of the queue, 0 if there is none
:math:`n`          jobs in the system, in service or waiting
=================  ====================================================================================================

A state is the tuple ``(m_1, …, m_L, i, n)``; while the queue never empties it is ``(m_1, …, m_L, i)``.
"""

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import linalg, optimize
from scipy.sparse import linalg as sparse_linalg

from mjq import checks
from mjq.solvers import chain, drain, qbd

PHASE_LIMIT = 2_000  # of the queue-length solution, which works with dense matrices
DENSE_LIMIT = 300
NODA_STEPS, NODA_TOLERANCE = 60, 1e-13
SMALLEST_ENTRY = 1e-280  # of an eigenvector whose largest one is 1: quotients of two are numbers
NEAREST = 1e-9  # relative distance of the arrival rate from the capacity
LIMITING_RESIDUAL = 1e-9  # of the limiting equations, relative to their terms


def checked(B, b, mu, p):
    """Return ``B, b, mu, p`` as floats and arrays without the classes that never come, or raise ``ValueError``."""
    B, b, mu, p = checks.multiserver(B, b, mu, p)
    come = p > 0
    return B, b[come], mu[come], p[come]


# --- The rule -------------------------------------------------------------------------------------------------------


def seat(m, i, waiting, B, b, p):
    """Let waiting jobs enter service in order, until the head of the queue does not fit or the queue is empty.

    Yields ``(m, i, waiting), probability``, where `i` is the class of the head of the queue or, if nobody waits any
    more, of the last job that entered. `waiting` may be infinite. Classes are revealed one by one, as jobs become head.
    """
    entering = {(tuple(m), i): 1}
    while entering and waiting:
        fitting, entering = entering, {}
        for (m, i), chance in fitting.items():
            if b[i - 1] > B - sum(count * need for count, need in zip(m, b)) + checks.FIT * B:
                yield (m, i, waiting), chance
                continue
            m = m[: i - 1] + (m[i - 1] + 1,) + m[i:]
            if waiting == 1:
                yield (m, i, 0), chance
                continue
            for j, p_j in enumerate(p, start=1):
                entering[m, j] = entering.get((m, j), 0) + chance * p_j
        waiting -= 1


def transitions(state, lam, B, b, mu, p):
    """Yield ``(next_state, rate)`` for each transition out of ``(m_1, …, m_L, i, n)``.

    Source: [BB22] Section II.

    Examples
    --------
    One class-2 job of the example is in service; another class-2 job would still fit, as would a class-1 job.

    >>> for transition in transitions((0, 1, 0, 1), 1, 6, (2, 3), (1, 1), (.5, .5)):
    ...     print(transition)
    ((1, 1, 0, 2), 0.5)
    ((0, 2, 0, 2), 0.5)
    ((0, 0, 0, 0), 1)
    """
    *m, i, n = state
    waiting = n - sum(m)
    if waiting:
        yield (*m, i, n + 1), lam
    else:
        for j, p_j in enumerate(p, start=1):
            for (seated, head, left), chance in seat(m, j, 1, B, b, p):
                yield (*seated, head if left else 0, n + 1), lam * p_j * chance
    for remaining, rate in _departures(m, mu):
        if not waiting:
            yield (*remaining, 0, n - 1), rate
        for (seated, head, left), chance in seat(remaining, i, waiting, B, b, p):
            yield (*seated, head if left else 0, n - 1), rate * chance


def saturated_transitions(state, B, b, mu, p):
    """Yield ``(next_state, rate)`` out of ``(m_1, …, m_L, i)`` while the queue never runs dry.

    These are the balance equations of the paper under lambda = u~.

    Source: [BB22] Section III.

    Examples
    --------
    >>> list(saturated_transitions((2, 0, 2), 6, (2, 3), (1, 1), (.5, .5)))
    [((1, 1, 1), 1.0), ((1, 1, 2), 1.0)]
    """
    *m, i = state
    for remaining, rate in _departures(m, mu):
        for (seated, head, _), chance in seat(remaining, i, math.inf, B, b, p):
            yield (*seated, head), rate * chance


def tagged_transitions(state, B, b, mu, p):
    """Yield ``(next_state, rate)`` for the last job in line, who does not see later arrivals.

    While it waits the state is ``(m_1, …, m_L, i, n)`` with `n` counting up to itself; then ``("in service", class)``,
    then ``"gone"``.
    """
    if state == "gone":
        return
    if state[0] == "in service":
        yield "gone", mu[state[1] - 1]
        return
    *m, i, n = state
    for remaining, rate in _departures(m, mu):
        for (seated, head, left), chance in seat(remaining, i, n - sum(m), B, b, p):
            yield (*seated, head, n - 1) if left else ("in service", head), rate * chance


def _departures(m, mu):
    for k, count in enumerate(m):
        if count:
            yield (*m[:k], count - 1, *m[k + 1 :]), count * mu[k]


def saturated_states(B, b):
    r"""The states :math:`S(\infty)`: jobs that fit together, with a head of the queue that does not fit beside them.

    Source: [BB22] after Eq. (5).

    Examples
    --------
    >>> saturated_states(6, (2, 3))
    [(0, 2, 1), (0, 2, 2), (1, 1, 1), (1, 1, 2), (2, 0, 2), (3, 0, 1), (3, 0, 2)]
    """
    B, b = float(checks.positive("B", B, ndim=0)), checks.positive("b", b)
    ways = drain.configurations(B, b, checks.FIT * B)
    return [(*map(int, ways.counts[k]), int(i) + 1) for k, i in zip(*np.nonzero(ways.blocked))]


# --- Capacity -------------------------------------------------------------------------------------------------------


def processing_capacity(B, b, mu, p):
    r"""Largest rate at which jobs can be processed: arrival rates below it are stable, at or above it are not.

    .. math::
       \tilde u = \sum_{S(\infty)} (m_1\mu_1 + \dots + m_L\mu_L)\, \tilde p(m_1, \dots, m_L, i),
       \qquad \sum_{S(\infty)} \tilde p(m_1, \dots, m_L, i) = 1,

    with :math:`\tilde p` the stationary distribution of the system whose queue never runs dry.

    Parameters
    ----------
    B : float
        Resource.
    b : sequence of float, shape (L,)
        What a job of each class holds; a class that comes must fit into B.
    mu : sequence of float, shape (L,)
        Completion rate of a job of each class, per unit of time.
    p : sequence of float, shape (L,)
        Mix of classes; a class with probability 0 is dropped.

    Returns
    -------
    float
        Jobs per unit of time.

    Raises
    ------
    ValueError
        If the input breaks a law (it is named), or more configurations fit than memory holds.
    ArithmeticError
        If the solution did not converge.

    Source: [BB22] Eqs. (4), (5).

    Examples
    --------
    >>> round(processing_capacity(6, (2, 3), (1, 1), (.5, .5)), 7)  # 48/23
    2.0869565
    """
    B, b, mu, p = checked(B, b, mu, p)
    return drain.saturated(drain.configurations(B, b, checks.FIT * B), mu, p).throughput


def limiting_completion_rate(lam, B, b, mu, p):
    r"""Limit for :math:`n \to \infty` of the completion rate given n jobs in the system, at arrival rate `lam`.

    The limiting probabilities obey :math:`\tilde p\,(\eta A - C) = (\lambda - \tilde u)\,\tilde p` with
    :math:`\eta = \lambda/\tilde u`, A the rates of departure between saturated states and C their row sums. One
    solution is :math:`\tilde u = \lambda`, where all arrivals are served; this function returns the other, which the
    paper plots. At the capacity the two coincide. With :math:`\pi` the stationary distribution of the saturated system
    and :math:`v` the positive right eigenvector of :math:`\eta A - C`, the other solution obeys

    .. math:: \tilde u = \frac{\pi A v}{\pi v},

    from which the trivial one has cancelled.

    Parameters
    ----------
    lam : float
        Arrival rate, any positive number (above the capacity the queue grows for ever, and u~ < lam).
    B, b, mu, p
        As for :func:`processing_capacity`.

    Returns
    -------
    float
        Jobs per unit of time.

    Source: [BB22] Section II before Eq. (4), Fig. 2.

    Examples
    --------
    >>> round(limiting_completion_rate(2, 6, (2, 3), (1, 1), (.5, .5)), 7)
    2.0849861
    """
    B, b, mu, p = checked(B, b, mu, p)
    lam = float(checks.positive("lam", lam, ndim=0))
    ways = drain.configurations(B, b, checks.FIT * B)
    A = drain.departure_operator(ways, mu, p)
    C = (ways.counts @ mu)[np.nonzero(ways.blocked)[0]]
    pi = drain.saturated(ways, mu, p).probabilities[ways.blocked]
    if len(C) <= DENSE_LIMIT:
        A = A @ np.eye(len(C))

    def excess(u):
        v = _perron_vector(A, C, lam / u)
        return float(pi @ (A @ v) / (pi @ v)) - u

    low, high = float(C.min()), float(C.max())
    if high - low <= 1e-14 * high:
        return low
    # The rates may lie many orders of magnitude apart: search first on a logarithmic scale, then close by.
    rough = math.exp(optimize.brentq(lambda x: excess(math.exp(x)), math.log(low), math.log(high), xtol=1e-10))
    close = max(low, rough * (1 - 1e-8)), min(high, rough * (1 + 1e-8))
    u = (
        optimize.brentq(excess, *close, xtol=1e-16 * low, rtol=1e-14)
        if excess(close[0]) > 0 > excess(close[1])
        else rough
    )
    v = _perron_vector(A, C, lam / u)
    fed = lam / u * (A @ v)
    off = float(pi @ np.abs(fed - (C + lam - u) * v) / (pi @ (fed + (C + lam) * v)))
    if not off < LIMITING_RESIDUAL:
        raise ArithmeticError(f"the limiting equations at lam {lam!r} were not solved: residual {off:.2g}")
    return u


def _perron_vector(A, C, eta):
    """Positive right eigenvector of eta A - C, for its eigenvalue with the largest real part."""
    if len(C) <= DENSE_LIMIT:
        rates = eta * A
        vector = _noda_iteration(rates, C)
        if vector is None:
            values, vectors = linalg.eig(rates - np.diag(C))
            vector = np.abs(vectors[:, values.real.argmax()].real)
        return vector
    matrix = sparse_linalg.LinearOperator(A.shape, matvec=lambda x: eta * (A @ x) - C * x, dtype=float)
    try:
        _, vectors = sparse_linalg.eigs(matrix, k=1, which="LR", v0=np.ones(len(C)), ncv=40, tol=1e-13)
    except sparse_linalg.ArpackNoConvergence as error:
        raise ArithmeticError(f"no eigenvector of the limiting equations found at eta = {eta:.6g}") from error
    return np.abs(vectors[:, 0].real)


def _noda_iteration(rates, C):
    """The same by inverse iteration with a shift from above, or None where that does not converge.

    Each entry is as accurate as the largest: with the vector found so far as the unit of each state, the solution is
    nearly constant, however small the entries become. An eigenvalue solver gets the small ones wrong, and in systems of
    a hundred servers they count.

    References: T. Noda, Note on the computation of the maximal eigenvalue of a non-negative irreducible matrix,
    Numerische Mathematik 17 (1971) 382-386.
    """
    vector, here = np.ones(len(C)), np.arange(len(C))
    for _ in range(NODA_STEPS):
        scaled = rates * vector / vector[:, None]
        growth = scaled.sum(axis=1) - C
        known = vector > SMALLEST_ENTRY
        shift = growth[known].max()
        excess = np.maximum(np.where(known, shift, growth.max()) - growth, 0)
        if excess[known].max() <= NODA_TOLERANCE * (C.max() + abs(growth[known]).max()):
            return vector
        matrix = -scaled
        matrix[here, here] = 0
        matrix[here, here] = excess - matrix.sum(axis=1)
        try:
            step = np.abs(np.linalg.solve(matrix, np.ones(len(C))))
        except np.linalg.LinAlgError:
            return None
        vector = vector * (step / step.max())
        vector = np.maximum(vector / vector.max(), SMALLEST_ENTRY)
    return None


def fixed_point_iteration(lam, B, b, mu, p, tolerance=1e-12, most_steps=100_000):
    r"""The paper's own iteration for the limiting completion rate, step by step.

    From equal probabilities, each step puts the current :math:`\tilde p` and :math:`\tilde u` into the right side of
    the limiting balance equations,

    .. math::
       \tilde p(s) \leftarrow \frac{\tilde p(s)\, \tilde u + \frac{\lambda}{\tilde u} \sum_{s'} \tilde p(s')\, A_{s's}}
       {C_s + \lambda}, \qquad
       \tilde u \leftarrow \sum_s C_s\, \tilde p(s),

    and normalizes. It is slow, and kept to be shown and to check :func:`limiting_completion_rate`. With `lam` None,
    :math:`\lambda = \tilde u` is put into each step, and the iteration finds the capacity.

    Returns
    -------
    list of float
        The successive values of u~, until they change by less than `tolerance`, relatively.

    Raises
    ------
    ArithmeticError
        If `most_steps` were not enough.

    Source: [BB22] Section II.
    """
    B, b, mu, p = checked(B, b, mu, p)
    if lam is not None:
        lam = float(checks.positive("lam", lam, ndim=0))
    _require_few_phases(B, b)
    states = saturated_states(B, b)
    C = np.array([sum(count * rate for count, rate in zip(state, mu)) for state in states])
    # The generator omits departures that change nothing, and its diagonal makes up for them: A = Q + C.
    A = chain.generator(states, lambda s: saturated_transitions(s, B, b, mu, p)).toarray() + np.diag(C)
    prob = np.full(len(states), 1 / len(states))
    rates = [float(C @ prob)]
    for _ in range(most_steps):
        arrivals = rates[-1] if lam is None else lam
        prob = (prob * rates[-1] + arrivals / rates[-1] * (prob @ A)) / (C + arrivals)
        prob /= prob.sum()
        rates.append(float(C @ prob))
        if abs(rates[-1] - rates[-2]) <= tolerance * rates[-1]:
            return rates
    raise ArithmeticError(f"no convergence at lam = {lam} in {most_steps} steps")


# --- Numbers in the system and times --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sojourn:
    """Steady state of the infinite queue: numbers in the system and times that jobs spend, exact.

    Attributes
    ----------
    EN, ENq : float
        Mean number of jobs in the system and in the queue.
    EW, EWq : float
        Mean sojourn time and mean time in the queue.
    EWq2, EWq3 : float
        Second and third moment of the time in the queue.
    EW2 : float
        Second moment of the sojourn time.
    EW2_eq7 : float
        The same by Eq. (7), as if the wait did not depend on the class.
    EWq_by_class : tuple of float
        Mean time in the queue of the jobs of each class (not a number for a class that never comes).
    capacity : float
        Processing capacity, above the arrival rate.
    """

    EN: float
    ENq: float
    EW: float
    EWq: float
    EWq2: float
    EWq3: float
    EW2: float
    EW2_eq7: float
    EWq_by_class: tuple
    capacity: float
    _queue: object = field(repr=False, compare=False)

    def tail_bound(self, t):
        r"""Upper bound on :math:`P(W > t)` from mean and variance; 1 for :math:`t \le E[W]`, where it says nothing.

        .. math:: P(W > t) \le \frac{\mathrm{Var}[W]}{\mathrm{Var}[W] + (t - E[W])^2}.

        Source: [BB22] Eq. (8).
        """
        return one_sided_bound(t, self.EW, self.EW2)

    def tail(self, t):
        r"""Exact :math:`P(W > t)`, for a number or an array of times."""
        return self._queue.tail(t)

    def moment(self, k):
        r"""Exact :math:`E[W^k]`, from the life of one job rather than from numbers in the system."""
        return self._queue.sojourn_moment(checks.count("k", k))

    def number_probability(self, n):
        r"""Probability :math:`p(n)` of `n` jobs in the system. Source: [BB22] Eq. (1)."""
        return float(self._queue.distribution.level(checks.count("n", n, least=0)).sum())

    def queue_probability(self, q):
        """Probability that `q` jobs wait in the queue."""
        return self._queue.queue_probability(checks.count("q", q, least=0))


def one_sided_bound(t, mean, second_moment):
    """Bound of Eq. (8) on the probability that a time exceeds `t`, from its first two moments; 1 up to the mean.

    Source: [BB22] Eq. (8).

    Examples
    --------
    >>> one_sided_bound(3, 1, 2)  # variance 1, two above the mean
    0.2
    """
    t = np.asarray(t, dtype=float)
    variance = second_moment - mean**2
    bound = np.where(t > mean, variance / (variance + np.maximum(t - mean, 0) ** 2), 1.0)
    return bound if bound.ndim else float(bound)


def sojourn(lam, B, b, mu, p):
    r"""Solve the infinite queue exactly.

    The levels are the numbers n of jobs in the system. Once n exceeds the most jobs that fit into B, rates no longer
    depend on n, and the probabilities are geometric with a matrix ratio (:mod:`mjq.solvers.qbd`). Then

    .. math::
       E[W_q^k] = \frac{E[N_q (N_q - 1) \cdots (N_q - k + 1)]}{\lambda^k}, \qquad
       E[W^2] = E[W_q^2] + E[S^2] + 2 \sum_\ell p_\ell\, E[W_{q,\ell}]\, t_\ell .

    Parameters
    ----------
    lam : float
        Arrival rate, below the capacity.
    B, b, mu, p
        As for :func:`processing_capacity`.

    Returns
    -------
    Sojourn

    Raises
    ------
    ValueError
        If `lam` is not below the capacity, or so near that rounding would matter (relative distance below 1e-9: the
        error grows like 1e-15 over that distance), or another law is broken.
    ArithmeticError
        If rates lie too far apart for double precision, so that two roads to the answer disagree.

    Source: [BB22] Eqs. (1)-(3), (6)-(8).

    Examples
    --------
    The first row of Table I; the mean is as printed, and E[W^2] as the paper's own simulation has it:

    >>> row = sojourn(1.0, 6, (2, 3), (1 / .4, 1 / 1.6), (.5, .5))
    >>> round(row.EW, 3), round(row.EW2, 3), round(row.EWq2, 4)
    (1.438, 4.843, 1.2453)
    """
    given, (B, b, mu, p) = p, checked(B, b, mu, p)
    lam = float(checks.positive("lam", lam, ndim=0))
    _require_few_phases(B, b)
    capacity = processing_capacity(B, b, mu, p)
    if not lam < capacity:
        digits = ".4f" if capacity > 0.01 else ".4g"
        raise ValueError(f"lam {checks.shown(lam)} is not below the capacity {capacity:{digits}}")
    if 1 - lam / capacity < NEAREST:
        raise ValueError(f"lam {lam!r} is too near the capacity {capacity!r} for double precision")
    queue = _Queue(lam, B, b, mu, p)
    queue.require_accuracy()
    q1, q2, q3 = (queue.factorial_moment(k) for k in (1, 2, 3))
    t = 1 / mu
    mean_service, wait, wait2 = float(p @ t), q1 / lam, q2 / lam**2
    queue.require_agreement(wait + mean_service)
    wait_by_class = queue.mean_waiting() / (lam * p)
    by_class = np.full(len(given), math.nan)
    by_class[np.asarray(given, dtype=float) > 0] = wait_by_class
    return Sojourn(
        EN=q1 + lam * mean_service,
        ENq=q1,
        EW=wait + mean_service,
        EWq=wait,
        EWq2=wait2,
        EWq3=q3 / lam**3,
        EW2=wait2 + 2 * float(p @ t**2) + 2 * float(p @ (wait_by_class * t)),
        EW2_eq7=wait2 + 2 * float(p @ t**2) + 2 * wait * mean_service,
        EWq_by_class=tuple(by_class.tolist()),
        capacity=capacity,
        _queue=queue,
    )


def _require_few_phases(B, b):
    phases = int(drain.configurations(B, b, checks.FIT * B).blocked.sum())
    if phases > PHASE_LIMIT:
        raise ValueError(f"the queue has {phases} phases, more than {PHASE_LIMIT}: aggregate classes first")


class _Queue:
    """The queue's levels and their distribution, and what a job that joins its end will see."""

    def __init__(self, lam, B, b, mu, p):
        self.lam, self.system = lam, (B, b, mu, p)
        N = self.homogeneous = math.floor(B * (1 + checks.FIT) / b.min()) + 1
        rule = self._truncated
        states = chain.explore([(0,) * len(b) + (0, 0)], rule)
        self.levels = [sorted(s for s in states if s[-1] == n) for n in range(N + 2)]
        Q = chain.generator([s for level in self.levels for s in level], rule).tocsr()
        ends = np.cumsum([0] + [len(level) for level in self.levels])
        block = lambda n, k: Q[ends[n] : ends[n + 1], ends[k] : ends[k + 1]].toarray()
        self.up = [block(n, n + 1) for n in range(N + 1)]
        self.down = [None] + [block(n, n - 1) for n in range(1, N + 2)]
        self.busy = [np.array([np.dot(s[: len(b)], mu) for s in level]) for level in self.levels]
        local = [-np.diag(busy + lam) for busy in self.busy]
        boundary = [(self.up[n], local[n], self.down[n]) for n in range(N)] + [(None, None, self.down[N])]
        self.distribution = qbd.stationary(boundary, self.up[N], local[N], self.down[N + 1])

    def _truncated(self, state):
        return (x for x in transitions(state, self.lam, *self.system) if x[0][-1] <= self.homogeneous + 1)

    @cached_property
    def shares(self):
        """Probabilities of the states of each level, the last for all homogeneous levels together."""
        return [*self.distribution.boundary, self.distribution.tail_sums(0)[0]]

    def require_accuracy(self):
        """Raise where rates too far apart, next to the capacity, have cost the solution its digits."""
        least = min(float(x.min()) for x in self.shares)
        completed = sum(float(x @ rates) for x, rates in zip(self.shares, self.busy))
        if least < -1e-12 or not abs(completed / self.lam - 1) < 1e-6:
            raise ArithmeticError(
                f"the queue at lam {self.lam!r} can't be solved in double precision: the least probability came out as "
                f"{least:.2g}, and completions as {completed / self.lam:.10g} of arrivals"
            )

    def require_agreement(self, mean_sojourn):
        """Hold the mean sojourn time by Little's law to that of a tagged job, where that costs little."""
        if sum(map(len, self.levels)) > DENSE_LIMIT:
            return
        by_tagging = self.sojourn_moment(1)
        if not abs(by_tagging / mean_sojourn - 1) < 1e-5:
            raise ArithmeticError(
                f"the queue at lam {self.lam!r} can't be solved in double precision: the mean sojourn time came out as "
                f"{mean_sojourn:.6g} and {by_tagging:.6g} by two roads"
            )

    def _waiting(self, n):
        """Jobs in the queue in each state of level n."""
        return np.array([n - sum(s[:-2]) for s in self.levels[n]])

    def factorial_moment(self, k):
        """E[Nq (Nq - 1) … (Nq - k + 1)]."""
        total = sum(x @ _falling(self._waiting(n), k) for n, x in enumerate(self.distribution.boundary))
        first = self._waiting(self.homogeneous)
        for r, sums in enumerate(self.distribution.tail_sums(k)):
            total += math.comb(k, r) * math.factorial(r) * (sums @ _falling(first, k - r))
        return float(total)

    def mean_waiting(self):
        """Mean number of waiting jobs of each class: the head's class is in the state, the others are fresh draws."""
        *_, p = self.system
        heads, queued = np.zeros(len(p)), self.factorial_moment(1)
        for level, x in zip(self.levels, self.shares):
            for state, chance in zip(level, x):
                if state[-2]:
                    heads[state[-2] - 1] += chance
        return heads + p * (queued - heads.sum())

    def queue_probability(self, q):
        total = 0.0
        for n in range(q, q + self.homogeneous):
            shape = min(n, self.homogeneous)
            total += float(self.distribution.level(n) @ (self._waiting(shape) + n - shape == q))
        return total

    def sojourn_moment(self, k):
        """E[W^k] = k! start (-Z)^(-k) weight, in the words of `tagged`."""
        start, Z, weight = self.tagged
        for _ in range(k):
            weight = linalg.solve(-Z, weight)
        return math.factorial(k) * float(start @ weight)

    def tail(self, t):
        """P(W > t): follow the job that has just joined the end of the queue until it leaves."""
        start, Z, weight = self.tagged
        times = np.atleast_1d(checks.numbers("t", t, ndim=np.ndim(t)))
        tails, now, past, step, move = np.empty(len(times)), start, 0.0, 0.0, None
        for k in np.argsort(times):
            gap = max(float(times[k]) - past, 0.0)
            if gap > 0:
                if abs(gap - step) > 1e-10 * gap:  # an even grid is even up to rounding only
                    step, move = gap, linalg.expm(Z * gap)
                now, past = now @ move, past + step
            tails[k] = now @ weight
        # The exponential of a matrix loses digits in proportion to its size; a tail that rises shows where too many.
        ordered = tails[np.argsort(times)]
        if not (
            np.isfinite(tails).all()
            and (np.diff(ordered) <= 1e-9).all()
            and ((-1e-9 < tails) & (tails < 1 + 1e-6)).all()
        ):
            raise ArithmeticError(
                "the tail can't be computed in double precision for rates so far apart or times so large"
            )
        tails = np.clip(tails, 0.0, 1.0)
        return tails if np.ndim(t) else float(tails[0])

    @cached_property
    def tagged(self):
        r"""Start, generator and weights with P(W > t) = start e^{Z t} weight.

        From level N + 1 on, the tagged job's place n and phase stay matrix-geometric while the jobs ahead leave:
        :math:`x_n(t) = y(t) R^{n - N - 1}` with :math:`y' = y (R A - C)`. So these levels need one vector, y.
        """
        N, R, lam = self.homogeneous, self.distribution.R, self.lam
        *_, mu, p = self.system
        waiting = [s for level in self.levels[: N + 1] for s in level if s[-2]]
        served = [("in service", k) for k in range(1, len(p) + 1)]
        states = [*waiting, *served, "gone"]
        Q = chain.generator(states, lambda s: tagged_transitions(s, *self.system)).toarray()[:-1, :-1]
        index = {s: k for k, s in enumerate(states)}
        size, phases = len(Q), len(R)
        Z = np.zeros((size + phases, size + phases))
        Z[:size, :size] = Q
        Z[size:, size:] = R @ self.down[N + 1] - np.diag(self.busy[N])
        for state, column in zip(self.levels[N], self.down[N + 1].T):
            Z[size:, index[state]] = column
        start = np.zeros(size + phases)
        start[size:] = self.distribution.first
        for level, x in zip(self.levels, self.distribution.boundary):
            for state, chance in zip(level, x):
                for joined, rate in transitions(state, lam, *self.system):
                    if joined[-1] == state[-1] + 1:
                        entered = np.subtract(joined[:-2], state[:-2]).argmax() + 1
                        start[index[joined if joined[-2] else ("in service", entered)]] += chance * rate / lam
        weight = np.append(np.ones(size), linalg.solve(np.eye(phases) - R, np.ones(phases)))
        return start, Z, weight


def _falling(x, k):
    """x (x - 1) … (x - k + 1), elementwise."""
    return np.prod([x - r for r in range(k)], axis=0, initial=1) if k else np.ones(len(x))
