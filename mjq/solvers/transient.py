r"""Where a Markov chain is after some time, :math:`p(t) = p(0)\, e^{Q t}`.

The chain is looked at at the instants of a Poisson process as fast as its fastest state, whose rate is `q`: it moves
then, or stays where it is. Where it is after k such steps is a product of vector and matrix, and the number of steps up
to time t is Poisson, so that

.. math:: p(t) = \sum_{k \ge 0} e^{-q t} \frac{(q t)^k}{k!}\, p(0)\, P^k, \qquad P = I + Q / q .

**The algorithm** has two ways. :meth:`Transient.at` counts the operations of both and takes the cheaper one.

*Step by step*, for large chains:

1. Multiply the distribution by `P` again and again. Keep after each step only the expectations that are asked for. Stop
   at the number of steps that a Poisson variable of the longest time hardly ever exceeds, or when the chain has ended.
2. For each time, weigh them with the Poisson probabilities. Begin at the most probable number of steps with weight 1,
   go outwards to both sides, and divide by the sum of the weights, so that no weight leaves the range of numbers.

*By squares*, for small chains, which may take a million million steps:

1. Form :math:`e^{Q / q}` by twenty terms of the sum above, and square it over and over: this gives
   :math:`e^{2^k Q / q}`.
2. Write the whole part of :math:`q t` in binary and apply the squares of its digits; the rest, below 1, is one more sum
   of twenty terms. Rows are scaled to 1 after each square.

**Cost.** Steps take about :math:`q t + O(\sqrt{q t})` products of a vector and a matrix, for the longest time, and keep
one row of expectations a step. With `S` states, squares take :math:`20 + \log_2(q t)` products of matrices, time
:math:`S^3` each, and keep :math:`\log_2(q t)` matrices of :math:`S^2` numbers. They are tried up to 4000 states.

**Accuracy.** The only subtraction is that of the diagonal of `P`, which is what a state does not give away. What is
left out weighs at most 1e-17. In tests both ways agree with the matrix exponential to 12 decimals, and tails of a sum
of exponential stages have 11 right digits down to about 1e-100.

Source: A. Jensen, Markoff chains as an aid in the study of Markoff processes, Skandinavisk Aktuarietidskrift 36 (1953)
87-91; for weights outwards from the largest one, B. L. Fox, P. W. Glynn, Computing Poisson probabilities,
Communications of the ACM 31 (1988) 440-445; for squares, J. Xue, Q. Ye, Computing exponentials of essentially
non-negative matrices entrywise to high relative accuracy, Mathematics of Computation 82 (2013) 1577-1596.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse, special

from mjq._util import checks
from mjq._util.compiling import compiled

SERIES_TERMS = 20  # of an exponential whose argument is at most 1: the next is below 1e-19
MOST_DOUBLINGS = 60  # of the time in which the fastest state is left once on average
LEFT_OUT_PROBABILITY = 1e-17  # of more steps than those that are summed
LEAST_WEIGHT = 1e-300  # of a number of steps, relative to the most probable one
MOVING_MASS = 1e-30  # probability not to have ended yet, from which on a chain counts as ended
SQUARED_STATES = 4_000  # up to which matrices are squared: 128 MB each
SPARSE_STATES, SPARSE_FILL = 200, 0.1  # states from which on, and part of entries up to which, only these are stored
CALL_ENTRIES = 10_000  # entries of a matrix times a vector that take as long as calling for the product
MATRIX_SPEED = 8  # how many times as many entries a second a product of matrices goes through


class Transient:
    """Follow a Markov chain from its start on.

    Parameters
    ----------
    start : float array, shape (S,)
        Distribution at time 0.
    Q : float array or sparse array, shape (S, S)
        Generator, per unit of time; its diagonal is not read.
    values : float array, shape (S, V), optional
        What to take the expectation of, one column a quantity; none: the indicators of all states.

    Attributes
    ----------
    fastest : float
        Largest rate at which a state is left.

    Raises
    ------
    ValueError
        If `start` or `values` have not an entry for each state, or a chance or a rate is negative or not finite.

    Examples
    --------
    A chain that is left at rate 1: the chance that it is still there, and that it is gone, after log 2.

    >>> chain = Transient([1.0, 0.0], [[-1.0, 1.0], [0.0, 0.0]])
    >>> chain.at([np.log(2)]).round(12)
    array([[0.5, 0.5]])
    """

    def __init__(self, start: ArrayLike, Q: ArrayLike, values: ArrayLike | None = None):
        self._start = checks.numbers("start", np.array(start, dtype=float))
        if (self._start < 0).any():
            raise ValueError(f"start must not be negative, got {checks.shown(self._start)}")
        self._values = None if values is None else np.array(np.transpose(values), dtype=float, order="C")
        rates = _without_diagonal(Q, len(self._start))
        if self._values is not None and self._values.shape[1:] != self._start.shape:
            raise ValueError(
                f"values must have a row for each of {len(self._start)} states, got shape {self._values.shape[::-1]}"
            )
        leaving = np.asarray(rates.sum(axis=1)).ravel()
        self.fastest = float(leaving.max(initial=0))
        self._moving = (leaving > 0).astype(float)
        moves = rates / (self.fastest or 1.0)
        # What a state keeps is what it does not give away, so that a slow rate is not lost beside a fast one.
        kept = np.maximum(1 - np.asarray(moves.sum(axis=1)).ravel(), 0)
        if sparse.issparse(moves):
            self._forward = (moves + sparse.diags_array(kept)).T.tocsr()
            self._entries = self._forward.nnz
        else:
            self._forward = np.ascontiguousarray((moves + np.diag(kept)).T)
            self._entries = self._forward.size
        self._where = self._start  # after the last step so far
        self._seen = [self._expected(self._start)]
        self._powers: list[np.ndarray] = []

    def at(self, times: ArrayLike) -> np.ndarray:
        """Return the expectation of `values` at each of the times, shape (n, V).

        What is left out is at most 1e-17 of the largest value; rounding adds some 1e-16 for each step or doubling.
        Expectations of what only falls, as the chance not to have ended, are accurate to that relatively.

        Parameters
        ----------
        times : sequence of float, shape (n,)
            Finite and not negative, in any order.

        Raises
        ------
        ValueError
            If a time is negative or not finite, or a chain small enough for squares would take more than 2 to the power
            60 steps.
        """
        times = checks.numbers("times", times)
        if (times < 0).any():
            raise ValueError(f"times must not be negative, got {checks.shown(times)}")
        moves = self.fastest * times
        return self._by_squares(moves) if self._squares_are_cheaper(moves) else self._by_steps(moves)

    def _expected(self, distribution):
        # Not by BLAS, whose threads would take longer to meet than to add.
        return distribution if self._values is None else np.einsum("...s,vs->...v", distribution, self._values)

    def _squares_are_cheaper(self, moves):
        """Return whether squares take less time than steps, counted in entries of a matrix times a vector."""
        size, most = len(self._start), moves.max(initial=0)
        if size > SQUARED_STATES:
            return False
        doublings = math.log2(1 + most)
        squares = (SERIES_TERMS + doublings) * (size**3 / MATRIX_SPEED + CALL_ENTRIES)
        products = doublings * len(moves) * size**2 / MATRIX_SPEED
        return squares + products <= _most_steps(most) * (self._entries + CALL_ENTRIES)

    # --- Step by step ---

    def _by_steps(self, moves):
        needed = _most_steps(moves.max(initial=0))
        while len(self._seen) <= needed and np.einsum("s,s->", self._where, self._moving) > MOVING_MASS:
            self._where = self._forward @ self._where
            self._seen.append(self._expected(self._where))
        seen = np.array(self._seen)
        # So many more steps than it took to end are as good as infinitely many.
        return _poisson_means(seen, np.minimum(moves, 2 * len(seen) + 100))

    # --- By squares ---

    def _by_squares(self, moves):
        longest = moves.max(initial=0)
        if longest >= 2.0**MOST_DOUBLINGS:
            raise ValueError(f"times up to {longest / self.fastest:g} are too long for rates up to {self.fastest:g}")
        whole = np.floor(moves)
        distributions = sum(
            w[:, None] * row for w, row in zip(_series(moves - whole).T, self._after_steps(self._start), strict=False)
        )
        digits, power = whole.astype(np.int64), 0
        while digits.any():
            odd = digits % 2 == 1
            if odd.any():
                distributions[odd] = distributions[odd] @ self._power(power)
            digits, power = digits // 2, power + 1
        return self._expected(distributions)

    def _power(self, k):
        """Return the moves over 2 to the power k mean stays in the fastest state."""
        while len(self._powers) <= k:
            last = self._powers[-1] if self._powers else None
            self._powers.append(self._one_stay if last is None else _stochastic(last @ last))
        return self._powers[k]

    @cached_property
    def _one_stay(self):
        parts = zip(_series(1.0), self._after_steps(np.eye(len(self._start))), strict=False)
        return _stochastic(sum(weight * moved for weight, moved in parts))

    def _after_steps(self, where):
        """Yield where the chain is after 0, 1, 2, … steps."""
        for _ in range(SERIES_TERMS):
            yield where
            where = where @ self._forward.T


def _without_diagonal(Q, states):
    if np.shape(Q) != (states, states):
        raise ValueError(f"Q must have a row and a column for each of {states} states, got {np.shape(Q)}")
    if sparse.issparse(Q):
        few = sparse.csr_array(Q, dtype=float)
        few = few - sparse.diags_array(few.diagonal())
        _require_rates(few.data)
        return few
    rates = np.array(Q, dtype=float)
    np.fill_diagonal(rates, 0)
    _require_rates(rates)
    mostly_zeros = len(rates) > SPARSE_STATES and np.count_nonzero(rates) <= SPARSE_FILL * rates.size
    return sparse.csr_array(rates) if mostly_zeros else rates


def _require_rates(rates):
    if not (np.isfinite(rates).all() and (rates >= 0).all()):
        raise ValueError("rates of Q off its diagonal must be finite and not negative")


def _stochastic(matrix):
    """Make rows sum to 1: a diagonal that is the larger part takes what the others leave, else the row is scaled."""
    given = matrix.sum(axis=1) - np.diag(matrix)
    np.fill_diagonal(matrix, np.where(given < 0.5, 1 - given, np.diag(matrix)))
    return matrix / matrix.sum(axis=1, keepdims=True)


def _series(mean):
    """Return Poisson weights of 0, 1, …, for means up to 1."""
    n = np.arange(SERIES_TERMS)
    mean = np.asarray(mean)[..., None]
    return np.exp(special.xlogy(n, mean) - mean - special.gammaln(n + 1))


@compiled()
def _most_steps(mean):
    """Return a number that a Poisson variable hardly ever exceeds, by Bernstein's inequality."""
    a = -math.log(LEFT_OUT_PROBABILITY)
    return mean + a / 3 + math.sqrt(a * a / 9 + 2 * a * mean)


@compiled()
def _poisson_means(seen, means):
    """Return the expectation of row N of `seen` for N Poisson with each mean; further rows are like the last one."""
    last, width = seen.shape[0] - 1, seen.shape[1]
    expectations = np.zeros((len(means), width))
    for n in range(len(means)):
        mode, total = int(means[n]), 0.0
        weight = 1.0  # relative to the largest, and outwards from it
        for k in range(mode, int(_most_steps(means[n])) + 2):
            if k > mode:
                weight *= means[n] / k
            total += weight
            for i in range(width):
                expectations[n, i] += weight * seen[min(k, last), i]
        weight = 1.0
        for k in range(mode, 0, -1):
            weight *= k / means[n]
            if weight < LEAST_WEIGHT:
                break
            total += weight
            for i in range(width):
                expectations[n, i] += weight * seen[min(k - 1, last), i]
        for i in range(width):
            expectations[n, i] /= total
    return expectations
