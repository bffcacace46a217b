"""[BB22] The infinite queue: its levels, and how many jobs there are."""

import math
from functools import cached_property

import numpy as np

from mjq import checks
from mjq.models.processing_capacity.rule import transitions
from mjq.solvers import chain, qbd

__all__ = ["Queue"]

NEGATIVE_PROBABILITY = 1e-12  # how far below zero rounding may put a probability
COMPLETIONS_OFF = 1e-6  # relative difference between completions and arrivals


class Queue:
    """The queue in steady state, level by level; level n has the states with n jobs in the system.

    Parameters
    ----------
    lam, B, b, mu, p
        As :func:`~mjq.models.processing_capacity.sojourn` has checked them: rates per unit of time.

    Attributes
    ----------
    homogeneous : int
        Level N, from which on rates do not depend on the level.
    levels : list of list of tuple
        The states of levels 0 to N + 1.
    down : list of float array
        Rates to the level below, of each of these levels.
    busy : list of float array
        Total rate of completion in each state of each level.
    distribution : mjq.solvers.qbd.LevelDistribution

    Raises
    ------
    ArithmeticError
        If rates lie too far apart for double precision, so near to the capacity or anywhere.
    """

    def __init__(self, lam: float, B: float, b: np.ndarray, mu: np.ndarray, p: np.ndarray):
        self.lam, self.system = lam, (B, b, mu, p)
        N = self.homogeneous = math.floor(B * (1 + checks.FIT_TOLERANCE) / b.min()) + 1
        rule = self._truncated
        states = chain.explore([(0,) * len(b) + (0, 0)], rule)
        self.levels = [sorted(s for s in states if s[-1] == n) for n in range(N + 2)]
        Q = chain.generator([s for level in self.levels for s in level], rule).tocsr()
        ends = np.cumsum([0] + [len(level) for level in self.levels])

        def block(n, k):
            return Q[ends[n] : ends[n + 1], ends[k] : ends[k + 1]].toarray()

        up = [block(n, n + 1) for n in range(N + 1)]
        self.down = [None] + [block(n, n - 1) for n in range(1, N + 2)]
        self.busy = [np.array([np.dot(s[: len(b)], mu) for s in level]) for level in self.levels]
        local = [-np.diag(busy + lam) for busy in self.busy]
        boundary = [(up[n], local[n], self.down[n]) for n in range(N)] + [(None, None, self.down[N])]
        try:
            self.distribution = qbd.stationary(boundary, up[N], local[N], self.down[N + 1])
            self._require_accuracy()
        except ValueError as error:  # "no steady state", though lam is below the capacity, or a singular matrix
            raise ArithmeticError(f"the queue at lam {lam!r} can't be solved in double precision: {error}") from None

    def _truncated(self, state):
        return (x for x in transitions(state, self.lam, *self.system) if x[0][-1] <= self.homogeneous + 1)

    @cached_property
    def shares(self) -> list[np.ndarray]:
        """Probabilities of the states of each level, the last for all homogeneous levels together."""
        return [*self.distribution.boundary, self.distribution.tail_sums(0)[0]]

    def _require_accuracy(self):
        """Raise where rates too far apart, next to the capacity, have cost the solution its digits."""
        least = min(float(x.min()) for x in self.shares)
        completed = sum(float(x @ rates) for x, rates in zip(self.shares, self.busy[:-1], strict=True))
        if least < -NEGATIVE_PROBABILITY or not abs(completed / self.lam - 1) < COMPLETIONS_OFF:
            raise ArithmeticError(
                f"the queue at lam {self.lam!r} can't be solved in double precision: the least probability came out as "
                f"{least:.2g}, and completions as {completed / self.lam:.10g} of arrivals"
            )

    def _waiting(self, n):
        """Jobs in the queue in each state of level n."""
        return np.array([n - sum(s[:-2]) for s in self.levels[n]])

    def factorial_moment(self, k: int) -> float:
        """E[Nq (Nq - 1) … (Nq - k + 1)]."""
        total = sum(x @ _falling(self._waiting(n), k) for n, x in enumerate(self.distribution.boundary))
        first = self._waiting(self.homogeneous)
        for r, sums in enumerate(self.distribution.tail_sums(k)):
            total += math.comb(k, r) * math.factorial(r) * (sums @ _falling(first, k - r))
        return float(total)

    def mean_waiting(self) -> np.ndarray:
        """Mean number of waiting jobs of each class: the head's class is in the state, the others are fresh draws."""
        *_, p = self.system
        heads, queued = np.zeros(len(p)), self.factorial_moment(1)
        for level, x in zip(self.levels[:-1], self.shares, strict=True):
            for state, chance in zip(level, x, strict=True):
                if state[-2]:
                    heads[state[-2] - 1] += chance
        return heads + p * (queued - heads.sum())

    def queue_probability(self, q: int) -> float:
        """Probability that q jobs wait."""
        total = 0.0
        for n in range(q, q + self.homogeneous):
            shape = min(n, self.homogeneous)
            total += float(self.distribution.level(n) @ (self._waiting(shape) + n - shape == q))
        return total


def _falling(x, k):
    """x (x - 1) … (x - k + 1), elementwise."""
    return np.prod([x - r for r in range(k)], axis=0, initial=1) if k else np.ones(len(x))
