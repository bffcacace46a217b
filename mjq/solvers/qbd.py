r"""Chains on infinitely many levels that move at most one level at a time (quasi-birth-death chains).

Within level :math:`n` the chain is in one of finitely many phases. From some level :math:`N` on the rates no longer
depend on the level: `up` to the next level, `local` within it (its diagonal makes rows sum to zero over all three),
`down` to the level below. Then the stationary probabilities are geometric with a matrix for a ratio,

.. math:: \pi_{n+1} = \pi_n R \quad (n \ge N), \qquad A_\mathrm{up} + R A_\mathrm{local} + R^2 A_\mathrm{down} = 0.

Entry (i, j) of `R` is the rate out of phase i times the expected time in phase j of the next level before coming back.

**The algorithm**

1. Check the drift: with the stationary distribution of the phases alone, levels must rise more slowly than they fall.
   Otherwise there is no steady state.
2. Look at the chain only when it changes its level. Let `H` and `L` hold the probabilities to go up or down next, by
   phase: :math:`H = (-A_\mathrm{local})^{-1} A_\mathrm{up}`, :math:`L = (-A_\mathrm{local})^{-1} A_\mathrm{down}`.
   Begin with :math:`G = L` and :math:`C = H`.
3. *Logarithmic reduction.* Look at every second level only: with :math:`U = H L + L H`, replace `H` by
   :math:`(I - U)^{-1} H^2` and `L` by :math:`(I - U)^{-1} L^2`. Add :math:`C L` to `G`, and multiply `C` by `H`. Repeat
   until one of them has become negligible. Step `k` accounts for all excursions that climb less than :math:`2^k`
   levels. Now `G` is the probability of the phase in which the level below is first reached.
4. :math:`R = A_\mathrm{up} \bigl(-(A_\mathrm{local} + A_\mathrm{up} G)\bigr)^{-1}`. The residual of its equation is
   checked.
5. Eliminate the levels below `N` from the top, each by a ratio of its own, :math:`\pi_{n+1} = \pi_n R_n`. Level 0 is
   then a small closed chain, and gives all others. Normalize; levels `N` and above weigh
   :math:`\pi_N (I - R)^{-1} \mathbf 1`.
6. Moments of what grows with the level are sums of :math:`\binom{k}{r} \pi_N R^k`, which have the closed form
   :math:`\pi_N R^r (I - R)^{-(r+1)}`.

**Cost.** With `S` phases each step of the reduction takes time :math:`S^3` and memory :math:`S^2`, and so does each
level below `N`. The number of steps grows with the logarithm of the length of the queue: a count gives, for one phase,
8 steps at load .9, 15 at .999 and 24 at .999999.

**Accuracy.** With up to 300 phases, the inverses of steps 2 to 4 are eliminations without a subtraction. Beyond, LAPACK
solves, and plain iterations with rows of `G` scaled to 1 take back what rounding did. Tests find :math:`1 - R` of one
phase to 9 digits at a load of .999999, residuals below 1e-12 for random rates, and the levels of a long cut-off chain
to 6 digits at least.

Source: M. F. Neuts, Matrix-Geometric Solutions in Stochastic Models, 1981, for R; G. Latouche, V. Ramaswami, A
logarithmic reduction algorithm for quasi-birth-death processes, Journal of Applied Probability 30 (1993) 650-674.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from mjq._util.budget import require_time
from mjq._util.compiling import compiled
from mjq._util.frozen import ReadOnly, frozen
from mjq.solvers import chain

RESIDUAL_LIMIT = 1e-9  # of the equation of R, relative to the largest rate
MOST_DOUBLINGS = 64  # of the levels that an excursion may climb
LAST_STEP, LAST_EXCURSION = 1e-16, 1e-18  # probabilities at which an entry of G, or the chance of more, is settled
MOST_POLISHING_STEPS = 50
POLISHED_CHANGE = 1e-15  # of an entry of G in one more step
EXACT_PHASES = 300  # up to which no digit is lost to subtraction


def rate_matrix(up: ArrayLike, local: ArrayLike, down: ArrayLike) -> tuple[np.ndarray, float]:
    r"""Return the least non-negative solution of :math:`A_\mathrm{up} + R A_\mathrm{local} + R^2 A_\mathrm{down} = 0`.

    Its residual is the largest row sum of the left side's absolute values, relative to the largest rate.

    Parameters
    ----------
    up, local, down : array, shape (S, S)
        Rates to the level above, within the level, and to the level below.

    Raises
    ------
    ValueError
        If the chain drifts upward or not at all, so that no stationary distribution exists.
    ArithmeticError
        If the reduction did not converge.

    Examples
    --------
    M/M/1 at load .8 has one phase and R is the load:

    >>> R, residual = rate_matrix([[.8]], [[-1.8]], [[1.]])
    >>> round(float(R[0, 0]), 12)
    0.8
    """
    up, local, down = (np.array(A, dtype=float, ndmin=2) for A in (up, local, down))
    _require_downward_drift(up, local, down)
    first_down = _first_passage_down(up, local, down)
    if len(up) <= EXACT_PHASES:
        # From a phase: back down at rate `down`, or round within the level and the levels above.
        middle = _off_diagonal(local + up @ first_down)
        R = up @ _eliminate(middle, down.sum(axis=1), np.eye(len(up)))
    else:
        R = linalg.solve(-(local + up @ first_down).T, up.T).T
    scale = max(np.abs(local).max(), np.abs(up).max(), np.abs(down).max())
    residual = np.abs(up + R @ local + R @ R @ down).sum(axis=1).max() / scale
    if not residual <= RESIDUAL_LIMIT:
        raise ArithmeticError(f"R was not found: the residual is {residual:.2g}")
    return R, float(residual)


def _first_passage_down(up, local, down):
    """Return the matrix G of the phase in which the chain first reaches the level below."""
    solve = _solve_exactly if len(up) <= EXACT_PHASES else _solve_by_lapack
    climb, fall = solve(_off_diagonal(local), (up + down).sum(axis=1), up, down)
    G, carried = fall.copy(), climb.copy()
    for _ in range(MOST_DOUBLINGS):
        require_time()
        stay, climb2, fall2 = climb @ fall + fall @ climb, climb @ climb, fall @ fall
        climb, fall = solve(stay, (climb2 + fall2).sum(axis=1), climb2, fall2)
        step = carried @ fall
        G += step
        carried = carried @ climb
        # Past full precision the remainders are rounding: waiting for an exact zero could last for ever.
        if np.abs(step).max() <= LAST_STEP or np.abs(carried).max() <= LAST_EXCURSION:
            return G / G.sum(axis=1, keepdims=True) if len(up) <= EXACT_PHASES else _polished(G, up, local, down)
    raise ArithmeticError(f"logarithmic reduction did not converge in {MOST_DOUBLINGS} steps")


def _off_diagonal(A):
    return A - np.diag(np.diag(A))


def _solve_by_lapack(stay, leave, up, down):
    """Return where each phase leads, up or down, with rates `stay` among the phases and sums `leave` of the others."""
    middle = np.diag(stay.sum(axis=1) + leave) - stay
    climb, fall = linalg.solve(middle, up), linalg.solve(middle, down)
    return _normalized(climb, fall)


def _solve_exactly(stay, leave, up, down):
    """Return the same by eliminating phase after phase with sums of positive numbers only, so no digits are lost."""
    both = _eliminate(_off_diagonal(stay), leave.astype(float), np.hstack([up, down]))
    return _normalized(both[:, : len(up)], both[:, len(up) :])


def _normalized(climb, fall):
    total = (climb + fall).sum(axis=1, keepdims=True)
    return np.ascontiguousarray(climb / total), np.ascontiguousarray(fall / total)


@compiled(steps=lambda stay, leave, right: stay.size * (len(stay) + right.shape[1]))
def _eliminate(stay, leave, right):
    """Solve (diag(stay 1 + leave) - stay) X = right for non-negative arguments, without a subtraction."""
    n, width = right.shape
    for k in range(n - 1, -1, -1):
        pivot = leave[k]
        for j in range(k):
            pivot += stay[k, j]
        for j in range(k):
            stay[k, j] /= pivot
        for j in range(width):
            right[k, j] /= pivot
        leave[k] /= pivot
        for i in range(k):
            share = stay[i, k]
            if share > 0:
                for j in range(k):
                    stay[i, j] += share * stay[k, j]
                for j in range(width):
                    right[i, j] += share * right[k, j]
                leave[i] += share * leave[k]
    for k in range(n):
        for i in range(k):
            share = stay[k, i]
            if share > 0:
                for j in range(width):
                    right[k, j] += share * right[i, j]
    return right


def _polished(G, up, local, down):
    """Take from G what rounding did near full load, where the length of the queue would magnify it.

    The level below is reached for certain, so rows of G sum to one; with that direction of the error gone, the plain
    iteration takes care of the others quickly.
    """
    G /= G.sum(axis=1, keepdims=True)
    change = np.inf
    for _ in range(MOST_POLISHING_STEPS):
        better = linalg.solve(-(local + up @ G), down)
        better /= better.sum(axis=1, keepdims=True)
        last, change = change, np.abs(better - G).max()
        G = better
        if change <= POLISHED_CHANGE or change >= last:
            break
    return G


def _require_downward_drift(up, local, down):
    phases = up + local + down
    stationary = linalg.lstsq(np.vstack([phases.T, np.ones(len(phases))]), np.append(np.zeros(len(phases)), 1))[0]
    rising, falling = float((stationary @ up).sum()), float((stationary @ down).sum())
    if not rising < falling:
        raise ValueError(f"no steady state: levels rise at rate {rising:.10g} and fall at rate {falling:.10g}")


@dataclass(frozen=True)
class LevelDistribution(ReadOnly):
    """Hold the stationary distribution over levels."""

    boundary: list[np.ndarray]  # probabilities of the phases of levels 0, 1, …, N - 1
    first: np.ndarray  # those of level N, the first of the homogeneous ones, shape (S,)
    R: np.ndarray  # ``first @ R^k`` are the probabilities at level N + k; shape (S, S)
    residual: float  # of R

    def __post_init__(self) -> None:
        object.__setattr__(self, "R", frozen(self.R))  # of which the inverse is kept

    def level(self, n: int) -> np.ndarray:
        """Return the probabilities of the phases of level `n`."""
        if n < len(self.boundary):
            return self.boundary[n]
        return self.first @ np.linalg.matrix_power(self.R, n - len(self.boundary))

    def tail_sums(self, most: int) -> list[np.ndarray]:
        r"""Return :math:`\sum_{k \ge 0} \binom{k}{r} \pi_{N+k}` over homogeneous levels, r = 0, …, `most`.

        .. math:: \sum_{k \ge 0} \binom{k}{r} R^k = R^r (I - R)^{-(r + 1)}.
        """
        sums = [self.first @ self._lift]
        for _ in range(most):
            sums.append(sums[-1] @ self.R @ self._lift)
        return sums

    def factorial_moment(self, counts: Sequence[ArrayLike], k: int) -> float:
        r"""Return :math:`E[X (X - 1) \cdots (X - k + 1)]` of a count that grows by one from level to level above N.

        Parameters
        ----------
        counts : sequence of array
            Its value in each phase of levels 0, 1, …, N.
        k : int
        """
        *below, first = (np.asarray(x) for x in counts)
        total = sum(x @ _falling(count, k) for x, count in zip(self.boundary, below, strict=True))
        for r, sums in enumerate(self.tail_sums(k)):
            total += math.comb(k, r) * math.factorial(r) * (sums @ _falling(first, k - r))
        return float(total)

    @cached_property
    def _lift(self):
        return linalg.inv(np.eye(len(self.R)) - self.R)


def _falling(x, k):
    """Return x (x - 1) … (x - k + 1), elementwise."""
    return np.prod([x - r for r in range(k)], axis=0, initial=1) if k else np.ones(len(x))


@dataclass(frozen=True)
class Levels:
    """Describe levels 0 to N + 1 of a chain; from level N on rates do not depend on the level."""

    states: list[list[tuple]]
    """Of each level, in order."""
    up: list[np.ndarray]
    local: list[np.ndarray]
    """Rates from each of levels 0 to N to the next one, and within it."""
    down: list[np.ndarray | None]
    """Rates from each of levels 0 to N + 1 to the one below; None for level 0."""

    @classmethod
    def of(cls, start: tuple, transitions: chain.Rule[tuple], N: int) -> Self:
        """Return the levels of the states that a rule reaches from a first one; the last entry of a state is its level.

        M/M/2 with arrival rate 1 and service rate 1: empty with probability 1/3.

        >>> def two_servers(state):
        ...     yield (state[0] + 1,), 1
        ...     if state[0]:
        ...         yield (state[0] - 1,), min(state[0], 2)
        >>> float(round(Levels.of((0,), two_servers, 2).stationary().boundary[0][0], 12))
        0.333333333333
        """

        rule = chain.asked_once(lambda state: (move for move in transitions(state) if move[0][-1] <= N + 1))
        reached = chain.explore([start], rule)
        states = [sorted(state for state in reached if state[-1] == n) for n in range(N + 2)]
        Q = chain.generator([state for level in states for state in level], rule).tocsr()
        ends = np.cumsum([0] + [len(level) for level in states])

        def block(n, to):
            return Q[ends[n] : ends[n + 1], ends[to] : ends[to + 1]].toarray()

        return cls(
            states,
            [block(n, n + 1) for n in range(N + 1)],
            [block(n, n) for n in range(N + 1)],
            [None] + [block(n, n - 1) for n in range(1, N + 2)],
        )

    def stationary(self) -> LevelDistribution:
        """Return the stationary distribution."""
        *boundary, _ = zip(self.up, self.local, self.down, strict=False)
        down = self.down[-1]
        assert down is not None  # as for level 0 only
        return stationary([*boundary, (None, None, self.down[-2])], self.up[-1], self.local[-1], down)


def stationary(boundary: list[tuple], up: ArrayLike, local: ArrayLike, down: ArrayLike) -> LevelDistribution:
    r"""Return the stationary distribution of a chain whose first N levels have rates of their own.

    Levels are eliminated from the top: with :math:`R_n = U_n (-(L_{n+1} + R_{n+1} D_{n+2}))^{-1}`, every level below N
    obeys :math:`\pi_{n+1} = \pi_n R_n`, and level 0 fixes the rest.

    Parameters
    ----------
    boundary : list of (up, local, down)
        For n = 0, …, N - 1 the rates from level n to level n + 1, within it and to level n - 1 (None for n = 0). The
        rates down from level N to N - 1 come last, as ``(None, None, down)``.
    up, local, down : array, shape (S, S)
        The rates from level N on (`down` from level N + 1 on).

    Examples
    --------
    M/M/2 with arrival rate 1 and service rate 1: empty with probability 1/3.

    >>> levels = [([[1]], [[-1]], None), ([[1]], [[-2]], [[1]]), (None, None, [[2]])]
    >>> float(round(stationary(levels, [[1]], [[-3]], [[2]]).boundary[0][0], 12))
    0.333333333333
    """
    R, residual = rate_matrix(up, local, down)
    top = np.asarray(local, dtype=float) + R @ np.asarray(down, dtype=float)
    ratios = []  # R_{N-1}, R_{N-2}, …, R_0
    fall = boundary[-1][2]
    for rise, within, below in reversed(boundary[:-1]):
        ratios.append(linalg.solve(-top.T, np.asarray(rise, dtype=float).T).T)
        top = np.asarray(within, dtype=float) + ratios[-1] @ fall
        fall = below
    # Level 0 is now a small closed chain.
    size = len(top)
    levels = [linalg.lstsq(np.vstack([top.T, np.ones(size)]), np.append(np.zeros(size), 1))[0]]
    for ratio in reversed(ratios):
        levels.append(levels[-1] @ ratio)
    mass = sum(x.sum() for x in levels[:-1]) + linalg.solve((np.eye(len(R)) - R).T, levels[-1]).sum()
    levels = [x / mass for x in levels]
    return LevelDistribution(levels[:-1], levels[-1], R, residual)
