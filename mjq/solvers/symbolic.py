"""Small Markov chains with letters in place of numbers, from the same transition rule.

The stationary distribution is the null space of the transposed generator, computed over the field of rational
functions, so that the result is exact. The polynomials grow with every state that is eliminated: this is for chains of
a few states.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import sympy as sp

from mjq.solvers.chain import Rule, State, moves


def generator(states: Sequence[State], transitions: Rule[State]) -> sp.Matrix:
    """Return the generator of a small chain, as a sympy matrix: the same rule, symbols for numbers.

    >>> lam, mu = sp.symbols("lambda mu", positive=True)
    >>> generator([0, 1], lambda n: [(1 - n, mu if n else lam)])
    Matrix([
    [-lambda, lambda],
    [     mu,    -mu]])
    """
    totals: defaultdict[tuple[int, int], Any] = defaultdict(lambda: sp.S.Zero)
    for row, column, rate in moves(states, transitions):
        totals[row, column] += rate
        totals[row, row] -= rate
    Q = sp.zeros(len(states))
    for place, rate in totals.items():
        Q[place] = rate
    return Q


def stationary(Q: sp.Matrix) -> sp.Matrix:
    r"""Return the stationary distribution of a small irreducible chain in closed form.

    >>> lam, mu = sp.symbols("lambda mu", positive=True)
    >>> stationary(sp.Matrix([[-lam, lam], [mu, -mu]]))
    Matrix([[mu/(lambda + mu), lambda/(lambda + mu)]])
    """
    # Over the field of rational functions every cancellation is exact and done at once.
    kernel = Q.T.to_DM().to_field().nullspace()
    total = sum(kernel.to_list_flat())
    return sp.Matrix([[sp.factor(kernel.domain.to_sympy(part / total)) for part in kernel.to_list_flat()]])
