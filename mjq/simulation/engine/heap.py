r"""What event loops share: records, draws from a mix and of phase-type times, a heap of completions, longer buffers.

The heap is the usual binary one, in two arrays: times, and what happens then. The parent of entry k is entry
:math:`\lfloor (k - 1) / 2 \rfloor` and ends no later. To add an entry or to take out the first one, or any other, takes
as many steps as the tree is high, the logarithm of its size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from mjq._util.compiling import compiled

if TYPE_CHECKING:  # a simulation runs without the solvers
    from mjq.solvers.phase_type import PhaseType


def record_type(fields: list[tuple]) -> np.dtype:
    """Return the type of records with these fields, which also plain Python reads as ``table[row].field``.

    >>> table = np.zeros(2, record_type([("since", np.float64), ("free", np.int64)]))
    >>> table[1].free = 3
    >>> table["free"].tolist()
    [0, 3]
    """
    return np.dtype((np.record, fields))


def cumulative(p: ArrayLike) -> np.ndarray:
    """Return cumulative probabilities to compare a uniform draw with; the last class takes what rounding leaves.

    >>> cumulative([0.25, 0.75, 0.0])
    array([0.25,  inf,  inf])
    """
    shares = np.cumsum(p)
    shares[np.flatnonzero(p)[-1] :] = np.inf
    return shares


def phase_table(law: PhaseType) -> np.ndarray:
    """Return a phase-type distribution as plain numbers for :func:`phase_time`.

    They are the probabilities to start in each phase, the rates at which phases are left, and for each phase a row of
    probabilities to go on to each. Probabilities are cumulative, and what lacks to 1 is the end.

    >>> from mjq.solvers.phase_type import erlang
    >>> phase_table(erlang(2, 1.0))
    array([1., 1., 2., 2., 0., 1., 0., 0.])
    """
    leaving = -np.diag(law.T)
    moves = np.cumsum(law.T / leaving[:, None] + np.eye(law.phases), axis=1)
    return np.concatenate([np.cumsum(law.alpha), leaving, moves.ravel()])


@compiled(borrowing=True)
def chosen(draw, shares):
    """Return the first entry of cumulative probabilities above `draw`; their number if there is none."""
    for k in range(len(shares)):
        if draw < shares[k]:
            return k
    return len(shares)


@compiled(borrowing=True, error_model="numpy")
def phase_time(rng, table, first, n):
    """Draw a time of a distribution of n phases whose :func:`phase_table` begins at `first` in a longer one."""
    rates, moves, total = first + n, first + 2 * n, 0.0
    phase = min(chosen(rng.random(), table[first:rates]), n - 1)
    while phase < n:
        total += rng.standard_exponential() / table[rates + phase]
        row = moves + n * phase
        phase = chosen(rng.random(), table[row : row + n])
    return total


@compiled()
def longer(table, first):
    """Return a table of twice the length, with what is used moved to the front."""
    twice = np.empty(2 * len(table), table.dtype)
    for k in range(first, len(table)):  # of a slice, numba compiles for a second what it would say of another length
        twice[k - first] = table[k]
    return twice


@compiled(borrowing=True)
def push(due, kinds, size, time, kind):
    """Add to a heap of `size` entries."""
    k = size
    while k > 0 and due[(k - 1) // 2] > time:
        due[k], kinds[k] = due[(k - 1) // 2], kinds[(k - 1) // 2]
        k = (k - 1) // 2
    due[k], kinds[k] = time, kind


@compiled(borrowing=True)
def pop(due, kinds, size):
    """Drop the first of a heap that keeps `size` entries."""
    time, kind = due[size], kinds[size]
    k = 0
    while 2 * k + 1 < size:
        child = 2 * k + 1
        if child + 1 < size and due[child + 1] < due[child]:
            child += 1
        if due[child] >= time:
            break
        due[k], kinds[k] = due[child], kinds[child]
        k = child
    due[k], kinds[k] = time, kind


@compiled(borrowing=True)
def remove(due, kinds, size, place):
    """Drop the entry at this place of a heap that keeps `size` entries: those above it come down, the first is free."""
    while place > 0:
        above = (place - 1) // 2
        due[place], kinds[place] = due[above], kinds[above]
        place = above
    pop(due, kinds, size)
