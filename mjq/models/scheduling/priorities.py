r"""[SCHED] Strict priorities without preemption: the capacity that is left to the low classes beside the high ones.

A job of a low class starts only while no job of a high class waits; nobody is interrupted, and within the high and the
low classes jobs start in order of arrival. High jobs come at the rate :math:`\lambda`, and the queue of low jobs never
runs dry. The completions of low jobs per unit of time are then what they can have at most: their *capacity left*.

**Two classes that exclude each other.** If no two jobs of different classes fit together, one class needs the whole
machine, as far as the other is concerned, and n of the other fill it. Let the times of whole-machine jobs have the mean
m, and the others complete at the rate :math:`\mu`. If the whole-machine jobs go first, a cycle begins when the machine
is full of low jobs and no high job is there. After :math:`1/\lambda` on average one comes; the n low jobs end within
:math:`H_n/\mu` on average, and a busy period of all high jobs that have come by then follows:

.. math:: X = n \mu\, (1 - \lambda m)\, \frac{1 + \lambda/\mu}{1 + \lambda H_n/\mu},
   \qquad H_n = \sum_{k=1}^{n} \frac1k .

If the others go first, a cycle is one low job and what comes meanwhile; after that, j high jobs become :math:`j - 1`
within :math:`T_j` on average, and for an exponential time of the low job the probability that k or more come is
:math:`r^k`:

.. math::
   \frac1X = m + \sum_{k=1}^{n-1} r^k T_k + \frac{r^n}{1 - r}\, T_n, \qquad r = \frac{\lambda}{\lambda + 1/m}, \quad
   T_n = \frac1{n \mu - \lambda}, \quad T_k = \frac{1 + \lambda T_{k+1}}{k \mu} .

**Any classes.**

1. A state says how many jobs of each class are in service, the class of the first low job that waits, the class of the
   first high one, if any, and how many high ones wait. Classes further behind are drawn when a job becomes the first.
2. After each event, the first high job starts if it fits, and the next one, and so on; only when none waits, low jobs
   do, until one does not fit.
3. At most d high jobs start at once, so blocks of d lengths of their queue form the levels of a chain that moves one
   level at a time, which is solved by :mod:`mjq.solvers.qbd`.
4. The capacity left is the mean completion rate of low jobs. That of high ones must be :math:`\lambda`.

**Cost.** The closed forms take n steps. The chain has d times as many phases as there are ways in which the first high
job does not fit, of which dense matrices hold 2,000.

**Accuracy.** Step 4 is checked to 1e-8 of what is left. Tests hold the closed forms to the chain and to a simulation.

Source: ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq.models import processing_capacity
from mjq.simulation.engine.queue import RESOURCE, units
from mjq.solvers import chain
from mjq.solvers.qbd import Levels

MOST_PLACES = 10_000_000  # terms of a sum: seconds
FLOW_ERROR = 1e-8  # of the capacity left, by which completions of high jobs may miss their arrivals
NONE = -1  # class of the first high job where none waits


# --- Two classes that exclude each other ---


def left_beside_whole_jobs(lam: float, n: int, mu: float, m: float) -> float:
    r"""Return the capacity left to small jobs when jobs that need the whole machine go first.

    .. math:: n \mu\, (1 - \lambda m)\, \frac{1 + \lambda/\mu}{1 + \lambda H_n/\mu} .

    Parameters
    ----------
    lam : float
        Arrival rate of the jobs that need the whole machine, per unit of time.
    n : int
        Small jobs that fill the machine.
    mu : float
        Completion rate of a small job, whose times are exponential.
    m : float
        Mean time of a job that needs the whole machine. Its distribution does not matter.

    Returns
    -------
    float
        Small jobs per unit of time.

    Raises
    ------
    ValueError
        If ``lam * m`` is not below 1, or another constraint is violated.

    Source: [SCHED] Eq. (f).

    Examples
    --------
    Eight servers. Jobs that need all of them bring a tenth of the load, and leave less than nine tenths.

    >>> round(left_beside_whole_jobs(.1, 8, 1, 1), 4)
    6.2275
    >>> left_beside_whole_jobs(.5, 8, 1, 2)
    Traceback (most recent call last):
    ValueError: lam m must be below 1, got 0.5 * 2
    """
    lam, mu, m = _positive(lam, mu, m)
    n = checks.count("n", n, most=MOST_PLACES)
    if not lam * m < 1:
        raise ValueError(f"lam m must be below 1, got {checks.shown(lam)} * {checks.shown(m)}")
    harmonic = float((1 / np.arange(n, 0, -1)).sum())
    return n * mu * (1 - lam * m) * (1 + lam / mu) / (1 + lam * harmonic / mu)


def left_for_whole_jobs(lam: float, n: int, mu: float, m: float) -> float:
    r"""Return the capacity left to jobs that need the whole machine when small jobs go first.

    .. math:: \Bigl(m + \sum_{k=1}^{n-1} r^k T_k + \frac{r^n}{1 - r}\, T_n\Bigr)^{-1},
       \qquad r = \frac{\lambda}{\lambda + 1/m}, \quad T_n = \frac1{n \mu - \lambda}, \quad
       T_k = \frac{1 + \lambda T_{k+1}}{k \mu} .

    Parameters
    ----------
    lam : float
        Arrival rate of the small jobs, per unit of time.
    n : int
        Small jobs that fill the machine.
    mu : float
        Completion rate of a small job, whose times are exponential.
    m : float
        Mean time of a job that needs the whole machine, which is exponential, too.

    Returns
    -------
    float
        Jobs that need the whole machine, per unit of time.

    Raises
    ------
    ValueError
        If `lam` is not below ``n * mu``, or another constraint is violated.

    Source: [SCHED] Eq. (g).

    Examples
    --------
    Ten servers. Small jobs at half load leave the large ones 1/32, where the free servers would carry 1/2.

    >>> round(left_for_whole_jobs(5, 10, 1, 1), 7)
    0.0310875
    >>> left_for_whole_jobs(10, 10, 1, 1)
    Traceback (most recent call last):
    ValueError: lam must be below n mu, got 10 and 10 * 1
    """
    lam, mu, m = _positive(lam, mu, m)
    n = checks.count("n", n, most=MOST_PLACES)
    if not lam < n * mu:
        raise ValueError(f"lam must be below n mu, got {checks.shown(lam)} and {n} * {checks.shown(mu)}")
    r = lam * m / (1 + lam * m)
    step = 1 / (n * mu - lam)
    cycle = step * r**n * (1 + lam * m)
    for k in range(n - 1, 0, -1):
        step = (1 + lam * step) / (k * mu)
        cycle += r**k * step
    return 1 / (m + cycle)


def _positive(*letters):
    """Return the arrival rate, the completion rate and the mean time of a closed form as numbers."""
    return (float(checks.positive(name, x, ndim=0)) for name, x in zip(("lam", "mu", "m"), letters, strict=True))


# --- Any classes ---


def priority_transitions(
    state: tuple,
    lam: float,
    B: Any,
    b: Sequence,
    mu: Sequence[float],
    high: Sequence[float],
    low: Sequence[float],
) -> Iterator[tuple]:
    """Yield ``(next_state, rate)`` under strict priorities, while low jobs never run out.

    A state is ``(m, l, h, waiting)``: how many jobs of each class are in service, the class of the first low job that
    waits, that of the first high one, or -1, and how many high ones wait. Numbers may be letters.

    Parameters
    ----------
    state : tuple
    lam : float
        Arrival rate of the high classes together.
    B, b, mu
        Resource, need and completion rate of each class.
    high, low : sequence of float, shape (L,)
        Probability that a high job is of each class, and a low job.

    Source: ours.

    Examples
    --------
    Two servers, each with a low job; a high job comes that needs both, and waits until both are free.

    >>> system = 1, 2, (2, 1), (3, 5), (1, 0), (0, 1)
    >>> list(priority_transitions(((0, 2), 1, -1, 0), *system))
    [(((0, 2), 1, 0, 1), 1), (((0, 2), 1, -1, 0), 10)]
    >>> list(priority_transitions(((0, 2), 1, 0, 1), *system))
    [(((0, 2), 1, 0, 2), 1), (((0, 1), 1, 0, 1), 10)]
    """
    needs = _units(b, B)
    m, first, head, waiting = state
    if waiting:
        yield (m, first, head, waiting + 1), lam
    else:
        for kind, chance in enumerate(high):
            if chance:
                for after, share in _settled((m, first, kind, 1), needs, high, low):
                    yield after, lam * chance * share
    for kind, number in enumerate(m):
        if number:
            fewer = (*m[:kind], number - 1, *m[kind + 1 :])
            for after, share in _settled((fewer, first, head, waiting), needs, high, low):
                yield after, number * mu[kind] * share


def _units(b, B):
    """Return needs in whole units, as the simulator has them: so nothing depends on how sums are rounded."""
    return [tuple(need) for need in units(b, B).reshape(len(b), -1).tolist()]


def _settled(state, needs, high, low):
    """Return the states after all have started that can, with their probabilities; one job starts in each round."""
    going: dict[tuple, Any] = {state: 1}
    settled: dict[tuple, Any] = {}
    while going:
        after: dict[tuple, Any] = {}
        for (m, first, head, waiting), share in going.items():
            kind = head if waiting else first
            if not _fits(kind, m, needs):
                settled[m, first, head, waiting] = settled.get((m, first, head, waiting), 0) + share
                continue
            more = (*m[:kind], m[kind] + 1, *m[kind + 1 :])
            if waiting == 1:
                nexts = [((more, first, NONE, 0), 1)]
            elif waiting:
                nexts = [((more, first, k, waiting - 1), chance) for k, chance in enumerate(high) if chance]
            else:
                nexts = [((more, k, NONE, 0), chance) for k, chance in enumerate(low) if chance]
            for to, chance in nexts:
                after[to] = after.get(to, 0) + share * chance
        going = after
    return settled.items()


def _fits(kind, m, needs):
    return all(
        need + sum(number * held for number, held in zip(m, column, strict=True)) <= RESOURCE
        for need, column in zip(needs[kind], zip(*needs, strict=True), strict=True)
    )


def capacity_left(lam: float, B: Any, b: ArrayLike, mu: ArrayLike, p: ArrayLike, high: int | Sequence[int]) -> float:
    """Return the capacity left to the low classes under strict priorities, without preemption.

    Arrivals are Poisson, times exponential. Two classes that exclude each other have a closed form; all others are
    solved as a chain.

    Parameters
    ----------
    lam : float
        Arrival rate of the high classes together, per unit of time.
    B : float, or sequence of float, shape (d,)
        Resource, or several of them.
    b : sequence of float, shape (L,) or (L, d)
        Need of each class. Of several resources some may be 0.
    mu, p : sequence of float, shape (L,)
        Completion rate and probability of each class. Of the probabilities it matters only how they compare among the
        high classes, and among the low ones.
    high : int or sequence of int
        Places of the high classes in `b`, from 0 on. All others are low.

    Returns
    -------
    float
        Low jobs per unit of time.

    Raises
    ------
    ValueError
        If the input violates a constraint; if `lam` is not below the capacity of the high classes alone; if the chain
        has more than 2,000 phases.
    ArithmeticError
        If the chain did not converge.

    Source: [SCHED] Eq. (f), [SCHED] Eq. (g).

    Examples
    --------
    Eight servers. High jobs need four, and come at rate 1/2; the work that they leave over promises six.

    >>> round(capacity_left(.5, 8, (4, 1), (1, 1), (.5, .5), high=0), 4)
    5.4933
    >>> capacity_left(2, 8, (4, 1), (1, 1), (.5, .5), high=0)
    Traceback (most recent call last):
    ValueError: lam 2 is not below the capacity 2 of the high classes alone
    """
    letters = _classes(lam, B, b, mu, p, high)
    lam, B, needs, rates, _, first = letters
    needs = _units(needs, B)
    if len(needs) != 2 or _fits(0, (0, 1), needs):
        return _by_chain(*letters)
    most = [min(RESOURCE // part for part in need if part) for need in needs]
    large, small = (0, 1) if most[0] == 1 else (1, 0)  # one of two classes that exclude each other runs alone
    formula = left_beside_whole_jobs if first[large] else left_for_whole_jobs
    return formula(lam, most[small], float(rates[small]), float(1 / rates[large]))


def left_by_chain(lam: float, B: Any, b: ArrayLike, mu: ArrayLike, p: ArrayLike, high: int | Sequence[int]) -> float:
    """Return what :func:`capacity_left` does, by the chain alone.

    Source: ours.

    Examples
    --------
    >>> round(left_by_chain(.1, 8, (8, 1), (1, 1), (.1, .9), high=0), 4)  # the closed form says so, too
    6.2275
    """
    return _by_chain(*_classes(lam, B, b, mu, p, high))


def _classes(lam, B, b, mu, p, high):
    """Return all letters without the classes that never come, and which of the others are high."""
    B, b, mu, p = checks.multiserver(B, b, mu, p, several=True)
    lam = float(checks.positive("lam", lam, ndim=0))
    places = checks.counts("high", np.atleast_1d(high), least=0)
    if places.max(initial=0) >= len(p):
        raise ValueError(f"high must be places of classes, from 0 to {len(p) - 1}, got {checks.shown(places)}")
    first, comes = np.isin(np.arange(len(p)), places), p > 0
    if not (first & comes).any() or not (comes & ~first).any():
        raise ValueError(f"a class that comes must be high, and another one low; high is {checks.shown(places)}")
    return lam, B, b[comes], mu[comes], p[comes], first[comes]


def _by_chain(lam, B, b, mu, p, first):
    """Return the capacity left by a chain whose levels are blocks of lengths of the queue of high jobs."""
    alone = processing_capacity.processing_capacity(B, b[first], mu[first], p[first] / p[first].sum())
    if not lam < alone:
        raise ValueError(
            f"lam {checks.shown(lam)} is not below the capacity {checks.shown(alone)} of the high classes alone"
        )
    high, low = ((np.where(of, p, 0) / p[of].sum()).tolist() for of in (first, ~first))
    needs = _units(b, B)
    block = _most_at_once(needs, high)
    rule = partial(priority_transitions, lam=lam, B=B, b=b.tolist(), mu=mu.tolist(), high=high, low=low)

    def in_levels(state):
        return ((_levelled(after, block), rate) for after, rate in rule(state[:-1]))

    def up_to_one(state):
        return (move for move in in_levels(state) if move[0][-1] <= 1)

    empty = (0,) * len(b), int(np.argmin(first)), NONE, 0
    start = _levelled(next(iter(_settled(empty, needs, high, low)))[0], block)
    most = processing_capacity.PHASE_LIMIT
    try:
        chain.explore([start], up_to_one, limit=2 * most)
    except ValueError:
        raise checks.TooLarge(f"strict priorities would take more than {most} phases") from None
    levels = Levels.of(start, in_levels, 1)
    checks.affordable("strict priorities", len(levels.states[1]), most, "phases")
    solved = levels.stationary()
    weights = solved.boundary[0], solved.tail_sums(0)[0]
    in_service = sum(
        weight @ np.array([state[0] for state in states])
        for states, weight in zip(levels.states[:2], weights, strict=True)
    )
    done, left = (float((in_service * mu)[of].sum()) for of in (first, ~first))
    if not abs(done - lam) <= FLOW_ERROR * left:
        raise ArithmeticError(f"no convergence: high jobs come at rate {lam:.10g} and complete at {done:.10g}")
    return left


def _levelled(state, block):
    """Return a state with the level in which its queue of high jobs is."""
    return (*state, -(-state[-1] // block))


def _most_at_once(needs, high):
    """Return a number of high jobs that never more start at once.

    The first of them lacked some resource. So what all others need of it is less than what one job gave back.
    """
    first = [need for need, chance in zip(needs, high, strict=True) if chance]
    together = max(1, *(min(RESOURCE // x for x in need if x) for need in first))
    most = 1
    for k, least in enumerate(map(min, zip(*first, strict=True))):
        if least:
            most = max(most, *(-(-need[k] // least) for need in needs))
        elif any(need[k] for need in first):
            return together * len(first)
    return most
