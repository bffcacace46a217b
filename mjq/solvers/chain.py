r"""Finite Markov chains from a transition rule: states, generator, stationary distribution, times to absorption.

A model is a function ``transitions(state)`` that yields ``(next_state, rate)`` pairs. Everything here follows from that
one rule. It is the slow and plain way, and defines the result to which the faster solvers are held.
:mod:`mjq.solvers.symbolic` does the same with letters.

Conventions: states are hashable; a generator ``Q`` holds rates off its diagonal, its rows sum to zero, and a
distribution is a row vector ``pi`` with ``pi Q = 0``.

**The algorithm** is state elimination, as Grassmann, Taksar and Heyman do it. It computes the stationary distribution
:math:`\pi` as follows.

1. List the states: ask the rule for the successors of each listed state, and append those that are new. Ask again for
   the rates.
2. Put the states into an order in which neighbours stand near each other (reverse Cuthill and McKee). All transitions
   then lie in a band: no transition leads further than `w` places.
3. Eliminate the last state, `k`. Let :math:`d_k = \sum_{j < k} q_{kj}` be the rate at which it is left for the states
   before it. A chain that enters `k` from `i` goes on to `j` with probability :math:`q_{kj} / d_k`, so :math:`q_{ij}`
   grows by :math:`(q_{ik} / d_k)\, q_{kj}`, for all i and j below k. Keep the share :math:`q_{ik} / d_k`. Repeat with
   the state before `k`, until only state 0 remains. After each step the rates are those of the same chain, watched only
   while it is in the states before `k`.
4. Set :math:`\pi_0 = 1`. State by state, :math:`\pi_k = \sum_{i < k} \pi_i\, (q_{ik} / d_k)`, with the shares of
   step 3. Divide by the sum.

Expected times until absorption come from the same elimination, without the absorbing states. Each state carries its
rate of absorption, :math:`e_k`, and what it gains per unit of time, :math:`g_k`. Now :math:`d_k` includes :math:`e_k`,
and step 3 adds the share :math:`q_{ik} / d_k` of both to state i. In place of step 4, each state in turn gets
:math:`t_k = (g_k + \sum_{j < k} q_{kj} t_j) / d_k`.

**Cost.** For `n` states the elimination takes at most of the order of :math:`n w^2` operations and memory for
:math:`n (2 w + 1)` numbers. A birth-and-death chain has `w` = 1. Without any structure `w` is near `n`, and the time
grows as :math:`n^3`. A band of more than 200 million numbers is refused.

**Accuracy.** Every step adds, multiplies or divides positive numbers; the diagonal of `Q` is never read. Nothing
cancels, so small probabilities are as accurate as large ones. A test compares all probabilities of a chain of 21 states
with fractions, for rates up to fifteen orders of magnitude apart: they agree to 13 digits, down to probabilities
of 1e-300. Times to absorption agree to 13 digits where rates spread over forty orders of magnitude.

Source: W. K. Grassmann, M. I. Taksar, D. P. Heyman, Regenerative analysis and steady state distributions for Markov
chains, Operations Research 33 (1985) 1107-1116.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse import csgraph

from mjq._util.budget import require_time
from mjq._util.compiling import compiled
from mjq.solvers import sums

State = TypeVar("State", bound=Hashable)
Rule = Callable[[State], Iterable[tuple[State, Any]]]  # from a state to its pairs (next_state, rate)

MOST_STATES = 1_000_000  # to list
RAREST_TRANSITION = 1e-150  # probability of one that still counts
FEW_STATES = 300  # up to which a table of all rates is the fastest
MOST_IN_BAND = 200_000_000  # numbers in the band of an elimination: 1.6 GB
SLICE = 1_000_000_000  # entries to change between two looks at the clock: some seconds
RESCALED_FROM = 1e200  # size of an entry of the solution: only ratios matter until the end


def explore(start: Iterable[State], transitions: Rule[State], limit: int = MOST_STATES) -> list[State]:
    """List every state that can be reached from `start`, in order of discovery.

    Parameters
    ----------
    start : iterable of states
    transitions : callable
        ``transitions(state)`` yields pairs ``(next_state, rate)``.
    limit : int
        The largest number of states to list.

    Raises
    ------
    ValueError
        If more than `limit` states are reachable.

    Examples
    --------
    Two machines that fail at rate 1 and are repaired one at a time, at rate 2:

    >>> def machines(working):
    ...     if working > 0:
    ...         yield working - 1, working * 1
    ...     if working < 2:
    ...         yield working + 1, 2
    >>> explore([2], machines)
    [2, 1, 0]
    """
    states = list(dict.fromkeys(start))
    seen = set(states)
    for state in states:  # the list grows while it is walked
        require_time()
        for successor, rate in transitions(state):
            if successor not in seen and rate != 0:
                if len(states) >= limit:
                    raise ValueError(f"more than {limit} states can be reached; raise `limit` if that is meant")
                seen.add(successor)
                states.append(successor)
    return states


def asked_once(transitions: Rule[State]) -> Rule[State]:
    """Return a rule that keeps its answers: it is asked to find the states, and once more for their rates.

    >>> asked = []
    >>> rule = asked_once(lambda state: asked.append(state) or [(1 - state, 1)])
    >>> generator(explore([0], rule), rule).shape, asked
    ((2, 2), [0, 1])
    """
    return cache(lambda state: [move for move in transitions(state) if move[1] != 0])


def moves(states: Sequence[State], transitions: Rule[State]) -> Iterator[tuple[int, int, Any]]:
    """Yield ``(row, column, rate)`` for every transition that leaves its state."""
    index = {state: k for k, state in enumerate(states)}
    for row, state in enumerate(states):
        require_time()
        for successor, rate in transitions(state):
            if successor != state and rate != 0:
                if successor not in index:
                    raise ValueError(f"state {state} leads to {successor}, which is not among the states")
                yield row, index[successor], rate


def generator(states: Sequence[State], transitions: Rule[State]) -> sparse.csr_array:
    """Return the generator of a chain, as a sparse matrix of numbers.

    Rates are per unit of time, and rows sum to zero. Several transitions between the same two states add up.

    Raises
    ------
    ValueError
        If a rate is negative or not finite, or a state outside `states` is reached.

    Examples
    --------
    >>> generator(["up", "down"], lambda s: [("down", 1)] if s == "up" else [("up", 4)]).toarray()
    array([[-1.,  1.],
           [ 4., -4.]])
    """
    entries = np.array(list(moves(states, transitions)), dtype=float).reshape(-1, 3)
    rows, columns, rates = entries.T
    if not (np.isfinite(rates) & (rates > 0)).all():
        bad = int(np.argmin(np.where(np.isfinite(rates), rates, -np.inf)))
        raise ValueError(f"rates must be positive and finite, got {rates[bad]} out of state {states[int(rows[bad])]}")
    n = len(states)
    Q = sparse.coo_array((rates, (rows.astype(int), columns.astype(int))), shape=(n, n)).tocsr()
    return (Q - sparse.diags_array(Q.sum(axis=1))).tocsr()


def stationary(Q: ArrayLike | sparse.sparray, states: Sequence[Hashable] | None = None) -> np.ndarray:
    r"""Return the stationary distribution :math:`\pi Q = 0,\ \pi \mathbf 1 = 1` of an irreducible chain.

    By state elimination: each probability has nearly full relative accuracy however far apart the rates lie. What
    falls below the range of floating-point numbers on the way, about 1e-300 of the largest probability so far,
    counts as zero, and with it whatever is reached only through it.

    Parameters
    ----------
    Q : sparse or dense array, shape (S, S)
        Generator. Its diagonal is not read.
    states : sequence, optional
        Names to use in error messages.

    Raises
    ------
    ValueError
        If the chain is empty or reducible (with the states at fault), or its band is too wide for memory.
    ArithmeticError
        If rates lie so far apart that those out of some state leave the range of numbers on the way.

    Examples
    --------
    Rates sixteen orders of magnitude apart do no harm:

    >>> stationary(np.array([[0, 1e-8], [1e8, 0]]))
    array([1.e+00, 1.e-16])
    """
    if isinstance(Q, np.ndarray) and 0 < len(Q) <= FEW_STATES and Q.shape == (len(Q), len(Q)):
        table = np.array(Q, dtype=float, order="C")
        np.fill_diagonal(table, 0.0)
        if table.min() >= 0 and _is_connected(table, 0.0):  # otherwise what is wrong is found below
            return _solved(table, 0, len(table) - 1)
    rates = _rates_off_diagonal(Q)
    if rates.shape[0] == 0:
        raise ValueError("the chain has no states")
    _require_irreducible(rates, states)
    order = csgraph.reverse_cuthill_mckee((rates + rates.T).tocsr(), symmetric_mode=True)
    entries = rates[order][:, order].tocoo()
    pi = np.empty(len(order))
    pi[order] = _solved(*_band(entries.row, entries.col, entries.data, len(order)))
    return pi


def _rates_off_diagonal(Q):
    """Return the rates of a generator, or of a table of rates, without its diagonal, as a sparse array."""
    rates = sparse.csr_array(Q, dtype=float)
    rates = (rates - sparse.diags_array(rates.diagonal())).tocsr()
    rates.eliminate_zeros()
    if rates.nnz and rates.data.min() < 0:
        raise ValueError(f"rates must not be negative, got {rates.data.min()}")
    return rates


def _solved(rates, slant, width):
    """Return the stationary distribution by elimination within `rates`, a band or a table; see :func:`_eliminate`."""
    step = max(1, SLICE // (width + 1) ** 2)
    for last in range(len(rates) - 1, 0, -step):
        require_time()
        _eliminate(rates, slant, width, last, max(0, last - step))
    pi = _substituted(rates, slant, width)
    _require_numbers(pi)
    return pi


def _band(row, column, rate, n):
    """Return the rates between n states, ``band[i, j - i + width]`` from i to j, its slant, 1, and the width."""
    width = int(abs(row - column).max(initial=0))
    if n * (2 * width + 1) > MOST_IN_BAND:
        raise ValueError(f"{n} states with a band of {width} are too many to eliminate; use a structured solver")
    band = np.zeros((n, 2 * width + 1))
    band[row, column - row + width] = rate
    return band, 1, width


def _require_numbers(values):
    if not np.isfinite(values).all():
        raise ArithmeticError(
            "the rates lie so far apart that the rate out of a state left the range of floating-point numbers"
        )


def stationary_of_recurrent_part(P: np.ndarray) -> np.ndarray:
    """Return the stationary distribution of a chain in steps, zero for states that are left for ever.

    Transitions so rare that their products underflow would cut a chain in pieces: they count as none, and the piece
    that is not left is kept.

    Parameters
    ----------
    P : array, shape (S, S)
        Transition probabilities.

    Examples
    --------
    >>> stationary_of_recurrent_part(np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0], [0.0, 0.5, 0.5]])).round(6)
    array([0.      , 0.333333, 0.666667])
    """
    table = np.array(P, dtype=float, order="C")
    if _is_connected(table, RAREST_TRANSITION):
        return _solved(table, 0, len(table) - 1)
    parts, label = csgraph.connected_components(P > RAREST_TRANSITION, connection="strong")
    transient = [(P[np.ix_(label == part, label != part)] > RAREST_TRANSITION).any() for part in range(parts)]
    recurrent = np.flatnonzero(label == int(np.argmin(transient)))
    pi = np.zeros(len(P))
    pi[recurrent] = _solved(np.array(P[np.ix_(recurrent, recurrent)], dtype=float, order="C"), 0, len(recurrent) - 1)
    return pi


@compiled(steps=lambda Q, negligible: 2 * Q.size)
def _is_connected(Q, negligible):
    """Return whether rates above the negligible one lead from the first state to all others, and from these to it."""
    n = len(Q)
    for forward in (True, False):
        seen, reached, size = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.int64), 1
        seen[0] = True
        for k in range(n):
            if k == size:
                return False
            if size == n:
                break
            s = reached[k]
            for t in range(n):
                if (Q[s, t] if forward else Q[t, s]) > negligible and not seen[t]:
                    seen[t] = True
                    reached[size] = t
                    size += 1
    return True


def _require_irreducible(rates, states):
    parts, label = csgraph.connected_components(rates, connection="strong")
    if parts == 1:
        return
    names = range(len(label)) if states is None else states
    entries = rates.tocoo()
    leaving = entries.row[label[entries.row] != label[entries.col]]
    closed = np.setdiff1d(np.arange(parts), label[leaving])
    transient = [names[k] for k in np.flatnonzero(~np.isin(label, closed))]
    if len(closed) > 1:
        classes = "; ".join(_few([names[k] for k in np.flatnonzero(label == c)]) for c in closed[:3])
        raise ValueError(f"the chain is reducible: {len(closed)} closed classes of states, such as {classes}")
    raise ValueError(f"the chain is reducible, because it leaves these states for ever: {_few(transient)}")


def _few(items, most=6):
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(map(str, items[:most])) + more


@compiled(steps=lambda rates, slant, width, first, last: (first - last) * width**2, error_model="numpy")
def _eliminate(rates, slant, width, first, last):
    """Eliminate states from the first one given down to the last one, which is kept.

    The rate from i to j, which are at most `width` apart, is ``rates[i, j]`` in a table, of slant 0, and
    ``rates[i, j - i + width]`` in a band, of slant 1.
    """
    for k in range(first, last, -1):
        low, shift = max(0, k - width), slant * (width - k)
        out = rates[k][low + shift : k + shift]
        leaving = 0.0
        for j in range(len(out)):
            leaving += out[j]
        for i in range(low, k):
            shift = slant * (width - i)
            row = rates[i][low + shift : k + shift + 1]
            into = row[len(out)]
            if into > 0:
                share = into / leaving
                row[len(out)] = share
                for j in range(len(out)):
                    row[j] += share * out[j]


@compiled(steps=lambda rates, slant, width: len(rates) * width, error_model="numpy")
def _substituted(rates, slant, width):
    """Substitute back: return the stationary distribution after the elimination of all states but the first."""
    n = rates.shape[0]
    pi = np.zeros(n)
    pi[0] = 1.0
    for k in range(1, n):
        for i in range(max(0, k - width), k):
            pi[k] += pi[i] * rates[i, k + slant * (width - i)]
        if pi[k] > RESCALED_FROM:
            pi /= pi[k]
    return pi / sums.total(pi)


def absorption_times(
    Q: ArrayLike | sparse.sparray, absorbing: Sequence[int], states: Sequence[Hashable] | None = None
) -> np.ndarray:
    r"""Return the expected time until the chain first enters one of the absorbing states, from each state.

    Each has nearly full relative accuracy however far apart the rates lie.

    .. math:: t_s = 0 \ (s \in A), \qquad \sum_{s'} Q_{s s'} t_{s'} = -1 \ (s \notin A).

    Parameters
    ----------
    Q, states
        As for :func:`stationary`.
    absorbing : sequence of int
        Indices of the absorbing states; their own rates are not read.

    Raises
    ------
    ValueError
        If some state can't reach an absorbing one (its time would be infinite), a rate is negative, or the band of the
        elimination is too wide for memory.
    ArithmeticError
        If rates lie so far apart that the rate out of some state, or a time, leaves the range of numbers.

    Examples
    --------
    Three jobs, one server of rate 2: three halves of a unit of time until all are gone.

    >>> Q = generator([3, 2, 1, 0], lambda n: [(n - 1, 2)] if n else [])
    >>> absorption_times(Q, [3])
    array([1.5, 1. , 0.5, 0. ])
    """
    return until_absorption(Q, absorbing, np.ones(np.shape(Q)[0]), states)


def until_absorption(
    Q: ArrayLike | sparse.sparray,
    absorbing: Sequence[int],
    gains: np.ndarray,
    states: Sequence[Hashable] | None = None,
) -> np.ndarray:
    r"""Return what is gained, on average, until the chain first enters an absorbing state, from each state, shape (S,).

    .. math:: t_s = 0 \ (s \in A), \qquad \sum_{s'} Q_{s s'} t_{s'} = -g_s \ (s \notin A).

    States are eliminated without a subtraction, as in :func:`stationary`. Only gains of both signs may cancel.

    Parameters
    ----------
    Q, absorbing, states
        As for :func:`absorption_times`, which is this for gains of 1.
    gains : float array, shape (S,)
        What each state brings per unit of time; those of absorbing states are not read.

    Examples
    --------
    Two machines fail at rate 1 each, and one is repaired at a time, at rate 2: lost hours of work until both are down.

    >>> Q = generator([2, 1, 0], lambda n: [(n - 1, n)] + [(n + 1, 2)] * (n < 2))
    >>> until_absorption(Q, [2], np.array([0.0, 1.0, 2.0]))
    array([1., 1., 0.])
    """
    moves = _rates_off_diagonal(Q)
    n = moves.shape[0]
    names = range(n) if states is None else states
    inside = np.ones(n, dtype=bool)
    inside[list(absorbing)] = False
    if inside.all():
        raise ValueError("there is no absorbing state")
    # Walk backwards from one extra node that stands for all absorbing states.
    start = sparse.csr_array((~inside).astype(float)[None, :])
    graph = sparse.csr_array(sparse.block_array([[moves.T, None], [start, sparse.csr_array((1, 1))]]))
    reached = csgraph.breadth_first_order(graph, n, return_predecessors=False)
    stuck = np.setdiff1d(np.arange(n), reached)
    if stuck.size:
        raise ValueError(f"no absorbing state can be reached from {_few([names[k] for k in stuck])}")
    gained = np.zeros(n)
    if inside.any():
        among = moves[inside][:, inside]
        order = csgraph.reverse_cuthill_mckee((among + among.T).tocsr(), symmetric_mode=True)
        places = np.flatnonzero(inside)[order]
        entries = among[order][:, order].tocoo()
        band, _, width = _band(entries.row, entries.col, entries.data, len(order))
        ends = np.asarray(moves[:, ~inside].sum(axis=1)).ravel()[places]
        gained[places] = _absorb(band, width, ends, np.array(gains, dtype=float)[places])
        _require_numbers(gained)
    return gained


@compiled(steps=lambda band, width, ends, gained: band.size * width, error_model="numpy")
def _absorb(band, width, ends, gained):
    """Eliminate states from the last to the first, then substitute back; `ends` are the rates of absorption."""
    n = band.shape[0]
    leaving = np.empty(n)
    for k in range(n - 1, -1, -1):
        low = max(0, k - width)
        leaving[k] = ends[k]
        for j in range(low, k):
            leaving[k] += band[k, j - k + width]
        for i in range(low, k):
            into = band[i, k - i + width]
            if into > 0:
                share = into / leaving[k]
                for j in range(low, k):
                    band[i, j - i + width] += share * band[k, j - k + width]
                ends[i] += share * ends[k]
                gained[i] += share * gained[k]
    for k in range(n):
        for j in range(max(0, k - width), k):
            gained[k] += band[k, j - k + width] * gained[j]
        gained[k] /= leaving[k]
    return gained
