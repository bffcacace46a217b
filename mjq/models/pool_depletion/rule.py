r"""[CGPS16] The rule: what a state of the pool and the stations leads to; what every input must keep.

A state counts the tasks of each class in the pool and at each of the two stations. A station is shared equally: with a
tasks of class A and b of class B at station r, class A completes at the rate :math:`a / ((a + b)\, D_{rA})`. A task
that is done at station 1 goes on to station 2. One that is done there leaves, and another enters at station 1: of the
same class if the pool has one, else of the other class, else none.

Every transition leads to fewer tasks at station 1 or fewer tasks altogether, so that the chain never comes back to a
state. The paper's words allow another reading, in which the other class waits until all tasks of the first are done:
:func:`transitions_when_completed`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks

Demands = Sequence[Sequence[Any]] | np.ndarray  # a row for each station, a column for each class


def checked_demands(D: ArrayLike, stations: int | None = 2) -> np.ndarray:
    """Return the demands of two classes as an array, or raise ``ValueError``; `stations` None: any number of them."""
    D = checks.numbers("D", D, ndim=2)
    if D.shape[1] != 2 or stations not in (None, D.shape[0]):
        wanted = "two classes" if stations is None else "two stations and two classes"
        raise ValueError(f"D must have {wanted}, got shape {D.shape}")
    checks.positive("demands", D.ravel())
    return D


def checked_places(N_A: int, N_B: int, K: int) -> tuple[int, int, int]:
    """Return tasks and places as whole numbers, or raise ``ValueError`` where tasks do not fill the places."""
    N_A, N_B, K = checks.count("N_A", N_A, 0), checks.count("N_B", N_B, 0), checks.count("K", K)
    if N_A + N_B < K:
        raise ValueError(f"K = {K} places need at least as many tasks, got {N_A + N_B}")
    return N_A, N_B, K


def checked_pool(N_A: int, N_B: int, K_A: int, K_B: int) -> tuple[int, int, int, int]:
    """Return tasks and places as whole numbers, or raise ``ValueError`` where a class has fewer tasks than places."""
    counts = {"N_A": N_A, "N_B": N_B, "K_A": K_A, "K_B": K_B}
    N_A, N_B, K_A, K_B = (checks.count(name, x, 0) for name, x in counts.items())
    for c, N, K in (("A", N_A, K_A), ("B", N_B, K_B)):
        if N < K:
            raise ValueError(f"N_{c} = {N} is less than K_{c} = {K}: there must be a task for each place")
    if K_A + K_B == 0:
        raise ValueError("K_A + K_B must be at least 1")
    return N_A, N_B, K_A, K_B


def transitions(state: tuple, D: Demands) -> Iterator[tuple]:
    """Yield the moves of the system as a Markov chain, from the words of the paper.

    Parameters
    ----------
    state : tuple
        Tasks of class A and B in the pool; of class A at station 1 and 2; of class B at station 1 and 2.
    D : array, shape (2, 2)
        Demands, numbers or symbols, in units of time.

    Source: [CGPS16] Section 3, [CGPS16] Section 5.2.

    Examples
    --------
    The last task of class A leaves station 2, and the pool has one of class B:

    >>> list(transitions((0, 1, 0, 1, 0, 0), [[2.0, 2.0], [0.5, 0.5]]))
    [((0, 0, 0, 0, 1, 0), 2.0)]
    """
    pool_A, pool_B, a1, a2, b1, b2 = state
    if a1:
        yield (pool_A, pool_B, a1 - 1, a2 + 1, b1, b2), a1 / ((a1 + b1) * D[0][0])
    if b1:
        yield (pool_A, pool_B, a1, a2, b1 - 1, b2 + 1), b1 / ((a1 + b1) * D[0][1])
    if a2:
        yield _replaced(pool_A, pool_B, a1, a2 - 1, b1, b2, "A"), a2 / ((a2 + b2) * D[1][0])
    if b2:
        yield _replaced(pool_A, pool_B, a1, a2, b1, b2 - 1, "B"), b2 / ((a2 + b2) * D[1][1])


def _replaced(pool_A, pool_B, a1, a2, b1, b2, leaving):
    """Return the state after a task of the class that left enters, else one of the other class, else none."""
    if pool_A and (leaving == "A" or not pool_B):
        return pool_A - 1, pool_B, a1 + 1, a2, b1, b2
    if pool_B:
        return pool_A, pool_B - 1, a1, a2, b1 + 1, b2
    return pool_A, pool_B, a1, a2, b1, b2


def transitions_when_completed(state: tuple, D: Demands, K: int) -> Iterator[tuple]:
    """Yield the moves if a class waits until all tasks of the other are completed, as Section 3 says to the letter.

    While the last tasks of an exhausted class are in execution, the places that they leave stay empty. When the last
    one is completed, the other class fills all of the K places at once.

    Parameters
    ----------
    state, D
        As for :func:`transitions`.
    K : int
        Places.

    Source: [CGPS16] Section 3.

    Examples
    --------
    The last but one task of class A leaves station 2, and nobody enters; the last one, and both tasks of class B do:

    >>> D = [[2.0, 2.0], [0.5, 0.5]]
    >>> list(transitions_when_completed((0, 2, 0, 2, 0, 0), D, 2))
    [((0, 2, 0, 1, 0, 0), 2.0)]
    >>> list(transitions_when_completed((0, 2, 0, 1, 0, 0), D, 2))
    [((0, 0, 0, 0, 2, 0), 2.0)]
    """
    pool_A, pool_B, a1, a2, b1, b2 = state
    for to, rate in transitions(state, D):
        left_A, left_B = a1 + a2 > to[2] + to[3], b1 + b2 > to[4] + to[5]
        if not pool_A and left_A:  # one by one a task of class B would enter
            entering = min(pool_B, K - b1 - b2) if a1 + a2 == 1 else 0
            yield (pool_A, pool_B - entering, a1, a2 - 1, b1 + entering, b2), rate
        elif not pool_B and left_B:
            entering = min(pool_A, K - a1 - a2) if b1 + b2 == 1 else 0
            yield (pool_A - entering, pool_B, a1 + entering, a2, b1, b2 - 1), rate
        else:
            yield to, rate
