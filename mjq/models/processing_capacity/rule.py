r"""[BB22] The rule: states of the multiserver job system, and what follows on what.

A state says how many jobs of each class are in service, which class the head of the queue has, and how many jobs there
are. The classes of the jobs behind the head need not be known: each is drawn from the mix when its job becomes the
head. So the state does not grow with the queue.

**A transition**

1. A job completes: class :math:`\ell` leaves at the rate :math:`m_\ell \mu_\ell`. Or a job arrives.
2. If the head fits into what is free, it enters service, and the class of the next head is drawn from the mix.
3. Step 2 is repeated until the head does not fit or nobody waits. The outcomes of one step that are the same are
   merged, so that the work grows with the number of different outcomes and not with the number of sequences of classes.

While the queue never runs dry, only completions count (:func:`saturated_transitions`), and the *saturated states* are
the sets of jobs that fit together with a head that does not fit. If the class of a job depends on that of the job
before it, the next head is drawn from the row of the last one that entered: no state is added.

A job fits if it exceeds what is free by at most 1e-9 of the resource, for needs are decimals. With several resources,
B is a vector and so is the need of each class; a job then fits if it does so in each of them. Nothing else changes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq.solvers import chain, drain

Vector = Sequence[float] | np.ndarray  # an entry for each class

MIX_TOLERANCE = 1e-9  # of shares
PHASE_LIMIT = 2_000  # of the queue-length solution, which works with dense matrices


def checked(B: Any, b: ArrayLike, mu: ArrayLike, p: ArrayLike) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray]:
    """Return ``B, b, mu, p`` as floats and arrays without the classes that never come, or raise ``ValueError``."""
    B, b, mu, p = checks.multiserver(B, b, mu, p, several=True)
    support = p > 0
    return B, b[support], mu[support], p[support]


def heads(p: ArrayLike, order: float | ArrayLike | None) -> np.ndarray:
    r"""Return how the next class is drawn, of those that come: the mix, or a row for each class of the job before.

    .. math:: P_{ij} = r\, [i = j] + (1 - r)\, p_j

    Parameters
    ----------
    p : sequence of float, shape (L,)
        Mix of classes.
    order : float, array, shape (L, L), or None
        The probability r, below 1, with which the next job repeats the class of the one before it, and is otherwise
        drawn from the mix; or the matrix P itself, from class to class, whose stationary distribution is the mix. None
        if successive classes are independent.

    Source: [WLR] Eq. (a); [YC] (the order of the jobs).

    Examples
    --------
    >>> heads((.5, .5), .5)
    array([[0.75, 0.25],
           [0.25, 0.75]])
    >>> heads((.9, .1), [[.5, .5], [.5, .5]])
    Traceback (most recent call last):
    ValueError: order has the mix (0.5, 0.5) in the long run, and the jobs have (0.9, 0.1)
    """
    p = checks.probabilities("p", p, within=checks.MIX_ROUNDED)
    support = p > 0
    mix = p[support]
    if order is None:
        return mix
    if np.ndim(order) == 0:
        repeated = checks.repeated(order)
        return repeated * np.eye(len(mix)) + (1 - repeated) * mix
    rows = checks.not_negative("order", order, ndim=2)
    if rows.shape != (len(p), len(p)):
        raise ValueError(f"order must have a row and a column for each of {len(p)} classes, got shape {rows.shape}")
    sums = rows.sum(axis=1)
    if not np.allclose(sums[support], 1, rtol=0, atol=MIX_TOLERANCE):
        raise ValueError(f"rows of order must sum to 1, got {checks.shown(sums[support])}")
    rows = rows[np.ix_(support, support)]
    rows = rows / rows.sum(axis=1, keepdims=True)
    stationary = chain.stationary_of_recurrent_part(rows)
    if not np.allclose(stationary, mix, rtol=0, atol=MIX_TOLERANCE):
        raise ValueError(
            f"order has the mix {checks.shown(stationary)} in the long run, and the jobs have {checks.shown(mix)}"
        )
    return rows


# --- Transitions ---


def seat(m: Sequence[int], i: int, waiting: float, B: Any, b: Vector, p: Vector) -> Iterator[tuple]:
    """Let waiting jobs enter service in order, until the head of the queue does not fit or the queue is empty.

    Yields ``(m, i, waiting), probability``, where `i` is the class of the head of the queue or, if nobody waits any
    more, of the last job that entered. `waiting` may be infinite. Classes are revealed one by one, as jobs become head.
    `p` is the mix, or has a row for each class of the job before, see :func:`heads`.
    """
    rows: Any = p if np.ndim(p) == 2 else [p] * len(b)
    entering: dict[tuple[tuple[int, ...], int], float] = {(tuple(m), i): 1}
    while entering and waiting:
        fitting, entering = entering, {}
        for (m, i), chance in fitting.items():
            if not checks.fits(b[i - 1], B - sum(count * need for count, need in zip(m, b, strict=True)), B):
                yield (m, i, waiting), chance
                continue
            m = m[: i - 1] + (m[i - 1] + 1,) + m[i:]
            if waiting == 1:
                yield (m, i, 0), chance
                continue
            for j, p_j in enumerate(rows[i - 1], start=1):
                if p_j:
                    entering[m, j] = entering.get((m, j), 0) + chance * p_j
        waiting -= 1


def transitions(state: tuple, lam: float, B: Any, b: Vector, mu: Vector, p: Vector) -> Iterator[tuple]:
    """Yield ``(next_state, rate)`` for each transition out of ``(m_1, …, m_L, i, n)``.

    `i` is the class of the head of the queue, and 0 if nobody waits. If `p` is a matrix of :func:`heads`, `i` is then
    the class of the job that came last.

    Source: [BB22] Section II.

    One class-2 job of the example is in service; another class-2 job would still fit, as would a class-1 job.

    >>> for transition in transitions((0, 1, 0, 1), 1, 6, (2, 3), (1, 1), (.5, .5)):
    ...     print(transition)
    ((1, 1, 0, 2), 0.5)
    ((0, 2, 0, 2), 0.5)
    ((0, 0, 0, 0), 1)
    """
    *m, i, n = state
    waiting, remembered = n - sum(m), np.ndim(p) == 2
    if waiting:
        yield (*m, i, n + 1), lam
    else:
        for j, p_j in enumerate(p[i - 1] if remembered else p, start=1):
            for (seated, head, queued), chance in seat(m, j, 1, B, b, p):
                yield (*seated, head if queued or remembered else 0, n + 1), lam * p_j * chance
    for remaining, rate in _departures(m, mu):
        if not waiting:
            yield (*remaining, i, n - 1), rate
        for (seated, head, queued), chance in seat(remaining, i, waiting, B, b, p):
            yield (*seated, head if queued or remembered else 0, n - 1), rate * chance


def saturated_transitions(state: tuple, B: Any, b: Vector, mu: Vector, p: Vector) -> Iterator[tuple]:
    """Yield ``(next_state, rate)`` out of ``(m_1, …, m_L, i)`` while the queue never runs dry.

    These are the balance equations of the paper under lambda = u~. With a matrix of :func:`heads` for `p`, the class of
    a job depends on that of the job before it: the head of the queue is that job, so no state is added.

    Source: [BB22] Section III.

    >>> list(saturated_transitions((2, 0, 2), 6, (2, 3), (1, 1), (.5, .5)))
    [((1, 1, 1), 1.0), ((1, 1, 2), 1.0)]
    """
    *m, i = state
    for remaining, rate in _departures(m, mu):
        for (seated, head, _), chance in seat(remaining, i, math.inf, B, b, p):
            yield (*seated, head), rate * chance


def tagged_transitions(state: tuple | str, B: Any, b: Vector, mu: Vector, p: Vector) -> Iterator[tuple]:
    """Yield ``(next_state, rate)`` for the last job in the queue, who does not see later arrivals.

    While it waits the state is ``(m_1, …, m_L, i, n)`` with `n` counting up to itself; then ``("in service", class)``,
    then ``"gone"``.
    """
    if isinstance(state, str):  # "gone"
        return
    if state[0] == "in service":
        yield "gone", mu[state[1] - 1]
        return
    *m, i, n = state
    for remaining, rate in _departures(m, mu):
        for (seated, head, queued), chance in seat(remaining, i, n - sum(m), B, b, p):
            yield (*seated, head, n - 1) if queued else ("in service", head), rate * chance


def _departures(m, mu):
    for k, count in enumerate(m):
        if count:
            yield (*m[:k], count - 1, *m[k + 1 :]), count * mu[k]


# --- States ---


def saturated_states(B: Any, b: ArrayLike) -> list[tuple]:
    r"""Return the states :math:`S(\infty)`: jobs that fit together, with a head of the queue that does not fit.

    Source: [BB22] Section II, [BB22] Eq. (5).

    >>> saturated_states(6, (2, 3))
    [(0, 2, 1), (0, 2, 2), (1, 1, 1), (1, 1, 2), (2, 0, 2), (3, 0, 1), (3, 0, 2)]
    """
    if np.ndim(B):
        return states_of(configurations(*checks.resources(("B", "b"), B, b)))
    return states_of(configurations(float(checks.positive("B", B, ndim=0)), checks.positive("b", b)))


def configurations(B: Any, b: np.ndarray) -> drain.Configurations:
    """Return the sets of jobs that are in service together in some saturated state."""
    return drain.configurations(B, b, checks.FIT_TOLERANCE * B)


def states_of(ways: drain.Configurations) -> list[tuple]:
    """Return the saturated states with these configurations."""
    return [(*map(int, ways.counts[k]), int(i) + 1) for k, i in zip(*np.nonzero(ways.blocked), strict=True)]


def require_few_phases(ways: drain.Configurations) -> None:
    """Raise ``ValueError`` where there are more saturated states than dense matrices can hold."""
    phases = int(ways.blocked.sum())
    if phases > PHASE_LIMIT:
        raise ValueError(f"the queue has {phases} phases, more than {PHASE_LIMIT}: aggregate classes first")
