r"""[BB22] The infinite queue below the capacity: how many jobs there are, and how long they stay.

The numbers in the system come from a chain on levels. The times come from them by Little's law and its extension to
higher moments, and their distribution from the life of one job.

**The algorithm**

1. The level of a state is the number n of jobs in the system. Let N be one more than the most jobs that fit into B.
   From level N on rates do not depend on n, and :mod:`mjq.solvers.qbd` gives all probabilities, geometric with a matrix
   ratio R.
2. In order of arrival, those who wait when a job starts are those who came while it waited. So the factorial moments of
   the queue are the moments of the wait,

   .. math:: E[W_q^k] = \frac{E[N_q (N_q - 1) \cdots (N_q - k + 1)]}{\lambda^k} .

3. Count the jobs of each class in the queue: the class of the head is known, all others are fresh draws. Little's law
   for each class gives its mean wait. Given its class, the wait and the service of a job are independent, so that

   .. math:: E[W^2] = E[W_q^2] + E[S^2] + 2 \sum_\ell p_\ell\, E[W_{q,\ell}]\, t_\ell .

4. For the distribution of the time in the system, follow one job from its arrival on. While it waits, n counts the jobs
   up to itself, and nobody who comes later matters: its life is a chain on the states up to level N and its own
   service, which ends. Above level N its place stays matrix-geometric. If y holds the chances of place N + 1 by phase,
   those of place n are :math:`y R^{n - N - 1}`, and :math:`y' = y\, (R A - C)`, with A the departures and C their row
   sums; what goes down to level N is :math:`y A`. So all levels above N together take one phase for each of theirs. The
   whole is a phase-type distribution (:mod:`mjq.solvers.phase_type`), with its tail, moments and quantiles.
5. In systems with up to 300 states on the levels up to N + 1, the mean time in the system is computed both ways, by
   steps 2 and 4. If they differ by more than 1e-5, there is no answer but an error.

**Cost.** With S saturated states (2000 at most), step 1 takes time of the order of :math:`N S^3` and memory
:math:`N S^2`. The life of step 4 has about :math:`N S` phases and is stored as a matrix; it is only made when a
distribution is asked for or step 5 needs it.

**Accuracy.** Near the capacity the error grows like 1e-15 over the relative distance from it; below a distance of 1e-9
the arrival rate is refused. Tests find moments and tails of queues with one and with many servers to 8 digits at least,
and on random systems the first moment both ways to 8 digits, the second to 7.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from mjq._util import checks
from mjq.models.processing_capacity.rule import (
    checked,
    configurations,
    require_few_phases,
    tagged_transitions,
    transitions,
)
from mjq.solvers import chain, drain, qbd
from mjq.solvers.phase_type import PhaseType

LEAST_DISTANCE = 1e-9  # relative, of the arrival rate from the capacity
CROSS_CHECKED_STATES = 300  # up to which the mean time in the system is computed a second way
MEANS_APART = 1e-5  # relative difference between both
NEGATIVE_PROBABILITY = 1e-12  # how far below zero rounding may put a probability
COMPLETIONS_OFF = 1e-6  # relative difference between completions and arrivals


# --- Numbers of jobs ---


class Queue:
    """Hold the queue in steady state, level by level; level n has the states with n jobs in the system.

    Parameters
    ----------
    lam, B, b, mu, p
        As :func:`~mjq.models.processing_capacity.sojourn` has checked them: rates per unit of time.

    Attributes
    ----------
    homogeneous : int
        Level N, from which on rates do not depend on the level.
    levels : mjq.solvers.qbd.Levels
    states : list of list of tuple
        Those of levels 0 to N.
    distribution : mjq.solvers.qbd.LevelDistribution

    Raises
    ------
    ArithmeticError
        If rates lie too far apart for double precision, so near to the capacity or anywhere.
    """

    def __init__(self, lam: float, B: Any, b: np.ndarray, mu: np.ndarray, p: np.ndarray):
        self.lam, self.system = lam, (B, b, mu, p)
        # Numbers of Python's own are quicker one by one.
        self.plain = B, (b.tolist() if b.ndim == 1 else b), mu.tolist(), p.tolist()
        N = self.homogeneous = int(configurations(B, b).counts.sum(axis=1).max()) + 1  # more than ever fit
        empty = (0,) * len(b) + (0, 0)
        self.levels = qbd.Levels.of(empty, lambda state: transitions(state, lam, *self.plain), N)
        self.states = self.levels.states[: N + 1]
        try:
            self.distribution = self.levels.stationary()
            self._require_accuracy()
        except ValueError as error:  # "no steady state", though lam is below the capacity, or a singular matrix
            raise ArithmeticError(f"the queue at lam {lam!r} can't be solved in double precision: {error}") from None

    @cached_property
    def shares(self) -> list[np.ndarray]:
        """Return the probabilities of the states of each level, the last for all homogeneous levels together."""
        return [*self.distribution.boundary, self.distribution.tail_sums(0)[0]]

    def _require_accuracy(self):
        """Raise where rates too far apart, next to the capacity, have cost the solution its digits."""
        least = min(float(x.min()) for x in self.shares)
        _, _, mu, _ = self.system
        rates = [np.array([np.dot(state[:-2], mu) for state in level]) for level in self.states]
        completed = sum(float(x @ rate) for x, rate in zip(self.shares, rates, strict=True))
        if least < -NEGATIVE_PROBABILITY or not abs(completed / self.lam - 1) < COMPLETIONS_OFF:
            raise ArithmeticError(
                f"the queue at lam {self.lam!r} can't be solved in double precision: the least probability came out as "
                f"{least:.2g}, and completions as {completed / self.lam:.10g} of arrivals"
            )

    @cached_property
    def waiting(self) -> list[np.ndarray]:
        """Return the jobs in the queue in each state of levels 0 to N."""
        return [np.array([n - sum(state[:-2]) for state in level]) for n, level in enumerate(self.states)]

    def factorial_moment(self, k: int) -> float:
        """Return E[Nq (Nq - 1) … (Nq - k + 1)]."""
        return self.distribution.factorial_moment(self.waiting, k)

    def mean_waiting(self) -> np.ndarray:
        """Return the mean number of waiting jobs of each class: the head's class is known, others are fresh draws."""
        *_, p = self.system
        heads, queued = np.zeros(len(p)), self.factorial_moment(1)
        for level, x in zip(self.states, self.shares, strict=True):
            for state, chance in zip(level, x, strict=True):
                if state[-2]:
                    heads[state[-2] - 1] += chance
        return heads + p * (queued - heads.sum())

    def queue_probability(self, q: int) -> float:
        """Return the probability that q jobs wait."""
        total = 0.0
        for n in range(q, q + self.homogeneous):
            shape = min(n, self.homogeneous)
            total += float(self.distribution.level(n) @ (self.waiting[shape] + n - shape == q))
        return total


# --- Times ---


@dataclass(frozen=True)
class Sojourn:
    """Hold the steady state of the infinite queue: numbers in the system and times that jobs spend there, exact.

    Attributes
    ----------
    mean_jobs, mean_queue : float
        Mean number of jobs in the system and in the queue.
    mean_sojourn, mean_wait : float
        Mean time in the system and mean wait, which is the time in the queue.
    wait_moment2, wait_moment3 : float
        Second and third moment of the wait.
    sojourn_moment2 : float
        Second moment of the time in the system.
    sojourn_moment2_eq7 : float
        The same by Eq. (7), as if the wait did not depend on the class.
    mean_wait_by_class : tuple of float
        Mean wait of the jobs of each class (not a number for a class that never comes).
    capacity : float
        Processing capacity, above the arrival rate.
    """

    mean_jobs: float
    mean_queue: float
    mean_sojourn: float
    mean_wait: float
    wait_moment2: float
    wait_moment3: float
    sojourn_moment2: float
    sojourn_moment2_eq7: float
    mean_wait_by_class: tuple[float, ...]
    capacity: float
    _queue: Queue = field(repr=False, compare=False)

    def tail_bound(self, t: ArrayLike) -> float | np.ndarray:
        r"""Return an upper bound on :math:`P(W > t)` from mean and variance; it is 1 for :math:`t \le E[W]`.

        .. math:: P(W > t) \le \frac{\mathrm{Var}[W]}{\mathrm{Var}[W] + (t - E[W])^2}.

        Source: [BB22] Eq. (8).
        """
        return one_sided_bound(t, self.mean_sojourn, self.sojourn_moment2)

    @cached_property
    def time(self) -> PhaseType:
        """Return the distribution of the time in the system."""
        return _sojourn_time(self._queue)

    def tail(self, t: ArrayLike) -> float | np.ndarray:
        r"""Return the exact :math:`P(W > t)`, for a number or an array of times; it is 1 for negative ones.

        Raises
        ------
        ArithmeticError
            If times are too long for rates so far apart.
        """
        times = checks.numbers("t", t, ndim=np.ndim(t))
        try:
            tail = self.time.tail(times)
        except ValueError as error:
            raise ArithmeticError(f"the tail can't be computed in double precision: {error}") from None
        return tail if times.ndim else float(tail)

    def quantile(self, u: float) -> float:
        r"""Return the time that a job does not exceed with probability u, below 1: :math:`P(W \le t) = u`.

        One server at load 1/2: the time in the system is exponential with mean 2.

        >>> round(sojourn(0.5, 1, [1], [1], [1]).quantile(0.5), 9)  # 2 log 2
        1.386294361
        """
        return self.time.quantile(u)

    def moment(self, k: int) -> float:
        r"""Return the exact :math:`E[W^k]`, from the life of one job rather than from numbers in the system."""
        return self.time.moment(k)

    def number_probability(self, n: int) -> float:
        r"""Return the probability :math:`p(n)` of `n` jobs in the system. Source: [BB22] Eq. (1)."""
        return float(self._queue.distribution.level(checks.count("n", n, least=0)).sum())

    def queue_probability(self, q: int) -> float:
        """Return the probability that `q` jobs wait in the queue."""
        return self._queue.queue_probability(checks.count("q", q, least=0))


def one_sided_bound(t: ArrayLike, mean: float, second_moment: float) -> float | np.ndarray:
    """Return Cantelli's bound of Eq. (8) on the probability that a time exceeds `t`, from its first two moments.

    Source: [BB22] Eq. (8).

    >>> one_sided_bound(3, 1, 2)  # variance 1, two above the mean
    0.2
    """
    t = checks.numbers("t", t, ndim=np.ndim(t))
    mean, second_moment = (
        float(checks.numbers(name, x, ndim=0)) for name, x in (("mean", mean), ("second_moment", second_moment))
    )
    variance = second_moment - mean**2
    bound = np.where(t > mean, variance / (variance + np.maximum(t - mean, 0) ** 2), 1.0)
    return bound if bound.ndim else float(bound)


def sojourn(lam: float, B: Any, b: ArrayLike, mu: ArrayLike, p: ArrayLike) -> Sojourn:
    r"""Solve the infinite queue exactly: mean wait, mean time in the system, numbers of jobs, and their distributions.

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
        error grows like 1e-15 over that distance), or another constraint is violated.
    ArithmeticError
        If rates lie too far apart for double precision, so that two independent computations disagree.

    Source: [BB22] Eq. (1), [BB22] Eq. (2), [BB22] Eq. (3), [BB22] Eq. (6), [BB22] Eq. (7), [BB22] Eq. (8).

    Examples
    --------
    The first row of Table I; the mean is as printed, and E[W^2] as the paper's own simulation has it:

    >>> row = sojourn(1.0, 6, (2, 3), (1 / .4, 1 / 1.6), (.5, .5))
    >>> round(row.mean_sojourn, 3), round(row.sojourn_moment2, 3), round(row.wait_moment2, 4)
    (1.438, 4.843, 1.2453)
    """
    given = p
    B, b, mu, p = checked(B, b, mu, p)
    lam = float(checks.positive("lam", lam, ndim=0))
    ways = configurations(B, b)
    require_few_phases(ways)
    capacity = drain.saturated(ways, mu, p).throughput
    if not lam < capacity:
        digits = ".4f" if capacity > 0.01 else ".4g"
        raise ValueError(f"lam {checks.shown(lam)} is not below the capacity {capacity:{digits}}")
    if 1 - lam / capacity < LEAST_DISTANCE:
        raise ValueError(f"lam {lam!r} is too near the capacity {capacity!r} for double precision")
    queue = Queue(lam, B, b, mu, p)
    q1, q2, q3 = (queue.factorial_moment(k) for k in (1, 2, 3))
    t = 1 / mu
    mean_service, wait, wait2 = float(p @ t), q1 / lam, q2 / lam**2
    wait_by_class = queue.mean_waiting() / (lam * p)
    chances = np.asarray(given, dtype=float)
    by_class = np.full(len(chances), math.nan)
    by_class[chances > 0] = wait_by_class
    answer = Sojourn(
        mean_jobs=q1 + lam * mean_service,
        mean_queue=q1,
        mean_sojourn=wait + mean_service,
        mean_wait=wait,
        wait_moment2=wait2,
        wait_moment3=q3 / lam**3,
        sojourn_moment2=wait2 + 2 * float(p @ t**2) + 2 * float(p @ (wait_by_class * t)),
        sojourn_moment2_eq7=wait2 + 2 * float(p @ t**2) + 2 * wait * mean_service,
        mean_wait_by_class=tuple(by_class.tolist()),
        capacity=capacity,
        _queue=queue,
    )
    if sum(map(len, queue.levels.states)) <= CROSS_CHECKED_STATES:
        _require_agreement(answer)
    return answer


def _require_agreement(answer):
    """Hold the mean time in the system by Little's law to that of a tagged job."""
    by_numbers, by_tagging = answer.mean_sojourn, answer.time.mean
    if not abs(by_tagging / by_numbers - 1) < MEANS_APART:
        raise ArithmeticError(
            f"the queue at lam {answer._queue.lam!r} can't be solved in double precision: two independent "
            f"computations of the mean time in the system disagree: {by_numbers:.6g} and {by_tagging:.6g}"
        )


def _sojourn_time(queue):
    r"""Return the time in the system as a phase-type distribution: the life of a job that has just joined the queue.

    Its phases are the states of :func:`tagged_transitions` up to level N, and one for each phase of the levels above:
    there the tagged job's place n and phase stay matrix-geometric while the jobs ahead leave,
    :math:`x_n(t) = y(t) R^{n - N - 1}` with :math:`y' = y (R A - C)`, so that these levels need one vector, y. What
    weighs :math:`(I - R)^{-1} \mathbf 1` there is counted as 1.
    """
    N, R = queue.homogeneous, queue.distribution.R
    *_, p = queue.system
    waiting = [s for level in queue.states for s in level if s[-2]]
    served = [("in service", k) for k in range(1, len(p) + 1)]
    states: list[tuple | str] = [*waiting, *served, "gone"]
    Q = chain.generator(states, lambda s: tagged_transitions(s, *queue.plain)).toarray()[:-1, :-1]
    index = {s: k for k, s in enumerate(states)}
    size, phases = len(Q), len(R)
    weight = linalg.solve(np.eye(phases) - R, np.ones(phases))
    T = np.zeros((size + phases, size + phases))
    T[:size, :size] = Q
    T[size:, size:] = np.maximum(R @ queue.levels.down[N + 1], 0) * weight / weight[:, None]
    for state, column in zip(queue.states[N], queue.levels.down[N + 1].T, strict=True):
        T[size:, index[state]] = column / weight
    above = np.arange(size, size + phases)
    T[above, above] = 0
    T[above, above] = -T[above].sum(axis=1)  # from there no job is gone in one step
    alpha = np.append(_joining(queue, index, size), queue.distribution.first * weight).clip(0)
    try:
        return PhaseType(alpha / alpha.sum(), T)
    except ValueError as error:
        raise ArithmeticError(f"the time in the system can't be computed in double precision: {error}") from None


def _joining(queue, index, size):
    """Return where a job that joins below level N finds itself: the chance of each state up to level N."""
    start = np.zeros(size)
    for level, x in zip(queue.states[: queue.homogeneous], queue.distribution.boundary, strict=True):
        for state, chance in zip(level, x, strict=True):
            for joined, rate in transitions(state, queue.lam, *queue.plain):
                if joined[-1] == state[-1] + 1:
                    entered = np.subtract(joined[:-2], state[:-2]).argmax() + 1
                    start[index[joined if joined[-2] else ("in service", entered)]] += chance * rate / queue.lam
    return start
