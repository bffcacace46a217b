r"""[SCHED] Queueing policies for multiserver jobs, exact where they can be: a small queue as a finite chain.

Written from the words of the policies, apart from ``mjq.simulation``, so that each can be held to the other.

==========================  ===========================================================================================
:math:`B`                   servers (units of the resource)
:math:`b_\ell, \mu_\ell`    need and completion rate of class :math:`\ell`, which comes with probability :math:`p_\ell`
:math:`\lambda`             arrival rate
:math:`C`                   places in the queue; a job is lost if, after the policy has started whom it can, more would
                            wait
==========================  ===========================================================================================

**The algorithm**

1. A state is how many jobs of each class are in service, and the classes of those that wait, in order of arrival. Under
   ServerFilling, which interrupts, it is the classes of all jobs in order of arrival.
2. After each arrival and each completion ask the policy's rule for the place of the job that starts next, until it
   names none. An arrival after which more than C jobs would wait is lost.
3. List the states from the empty system on and eliminate them (:mod:`mjq.solvers.chain`). The measures are means over
   the stationary distribution; the mean wait follows by Little's law.

**Cost.** With L classes there are up to :math:`L^C` orders of a full queue, so this is for few places: more than 20,000
states are refused. The elimination takes time :math:`S w^2` for S states in a band of w.

**Accuracy.** Elimination loses no digits. Tests hold the chain to Erlang's loss formula without places, to the infinite
queue with many places in order of arrival, and the simulator to it.

Backfilling with reservations looks at times, and has no such chain. Its *shadow time* is here as a definition
(:func:`shadow_time`): when the first job in the queue can start by the estimates, and what it then leaves free.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq.solvers import chain

__all__ = ["RULES", "FiniteQueue", "empty", "finite_queue", "served_and_waiting", "shadow_time", "transitions"]

MOST_STATES = 20_000
MOST_ROOM = 1000  # places for jobs of one class; with two there are too many states long before


class FiniteQueue(NamedTuple):
    """Describe a queue of multiserver jobs with finitely many places.

    Attributes
    ----------
    states : int
        Of the chain.
    EN, ENq : float
        Mean number of jobs in the system and in the queue.
    EWq : float
        Mean time that a job which is not lost spends in the queue.
    accepted : float
        Fraction of the jobs that find a place.
    throughput : float
        Jobs completed per unit of time.
    utilization : float
        Mean fraction of the resource that is held.
    """

    states: int
    EN: float
    ENq: float
    EWq: float
    accepted: float
    throughput: float
    utilization: float


# --- Who starts next: its place in the queue, or None. Jobs are told by their classes, in order of arrival. -----------


def _in_order(free, served, queue, b):
    """Return the place of the first job if it fits, else None."""
    return 0 if b[queue[0]] <= free else None


def _first_fit(free, served, queue, b):
    """Return the place of the first job that fits."""
    return next((place for place, kind in enumerate(queue) if b[kind] <= free), None)


def _fewest(free, served, queue, b):
    """Return the place of the first job that needs least of those that fit."""
    fitting = [(b[kind], place) for place, kind in enumerate(queue) if b[kind] <= free]
    return min(fitting)[1] if fitting else None


def _most(free, served, queue, b, threshold=0):
    """Return the first place of the largest need that fits; None while few are served and a larger job waits."""
    fitting = [(-b[kind], place) for place, kind in enumerate(queue) if b[kind] <= free]
    if not fitting or (served <= threshold and max(b[kind] for kind in queue) > free):
        return None
    return min(fitting)[1]


#: The rules that look at needs and order alone, by name; *msfq* has a number more.
RULES = {
    "fcfs": _in_order,
    "first-fit": _first_fit,
    "least-servers-first": _fewest,
    "most-servers-first": _most,
}


def _rule(policy):
    """Return a policy's function of needs and order; None for ServerFilling, which interrupts."""
    name = policy if isinstance(policy, str) else ""
    if quick := re.fullmatch(r"msfq-([0-9]{1,9})", name):
        return partial(_most, threshold=int(quick[1]))
    if name not in {*RULES, "server-filling"}:
        names = ", ".join((*RULES, "msfq-<number>", "server-filling"))
        raise ValueError(f"policy must be one of {names}; got {policy!r}")
    return RULES.get(policy)


# --- The chain --------------------------------------------------------------------------------------------------------


def empty(classes: int, policy: str) -> tuple:
    """Return the state of an empty system.

    >>> empty(2, "fcfs"), empty(2, "server-filling")
    (((0, 0), ()), ())
    """
    return ((0,) * classes, ()) if _rule(policy) else ()


def transitions(
    state: tuple,
    lam: float,
    B: float,
    b: Sequence[float],
    mu: Sequence[float],
    p: Sequence[float],
    room: int,
    policy: str,
) -> Iterator[tuple]:
    """Yield ``(next_state, rate)``.

    A state is ``(m, queue)``: how many jobs of each class are in service, and the classes of those that wait, in order
    of arrival. Under ServerFilling it is the classes of all jobs, in order of arrival: they say who is served. Arrivals
    that are lost are no transitions.

    Source: [SCHED] Eq. (e).

    Examples
    --------
    Two servers, one of them held; a job that needs both waits. First-fit lets a small one pass.

    >>> system = 1, 2, (1, 2), (3, 5), (.5, .5)
    >>> list(transitions(((1, 0), (1,)), *system, room=1, policy="fcfs"))
    [(((0, 1), ()), 3)]
    >>> list(transitions(((1, 0), (1,)), *system, room=1, policy="first-fit"))
    [(((2, 0), (1,)), 0.5), (((0, 1), ()), 3)]
    """
    rule = _rule(policy)
    m, queue = served_and_waiting(state, B, b, policy)
    for kind, chance in enumerate(p):
        after = _settled(rule, B, b, m, (*queue, kind)) if rule else (*state, kind)
        if len(served_and_waiting(after, B, b, policy)[1]) <= room:
            yield after, lam * chance
    for kind, number in enumerate(m):
        if rule and number:
            yield _settled(rule, B, b, _changed(m, kind, -1), queue), number * mu[kind]
    if not rule:
        for place in _served_by_filling(B, b, state):
            yield state[:place] + state[place + 1 :], mu[state[place]]


def served_and_waiting(state: tuple, B: float, b: Sequence[float], policy: str) -> tuple:
    """Return how many of each class are in service, and the classes of those that wait.

    >>> served_and_waiting((0, 0, 1), 2, (1, 2), "server-filling")
    ((2, 0), (1,))
    """
    if _rule(policy):
        return state
    served = _served_by_filling(B, b, state)
    waiting = tuple(kind for place, kind in enumerate(state) if place not in served)
    return tuple(sum(state[place] == kind for place in served) for kind in range(len(b))), waiting


def _settled(rule, B, b, m, queue):
    """Return the state after the rule has started all jobs that it can."""
    queue = list(queue)
    while queue:
        held = sum(number * need for number, need in zip(m, b, strict=True))
        place = rule(B * (1 + checks.FIT_TOLERANCE) - held, sum(m), queue, b)
        if place is None:
            break
        m = _changed(m, queue.pop(place), 1)
    return m, tuple(queue)


def _changed(m, kind, by):
    return (*m[:kind], m[kind] + by, *m[kind + 1 :])


def _served_by_filling(B, b, present):
    """Return the places of the jobs that ServerFilling serves: of the first whose needs add to B, the largest first."""
    before = accumulate((b[kind] for kind in present), initial=0)
    together = [place for place, held in zip(range(len(present)), before, strict=False) if held < B]
    served, left = set(), B
    for place in sorted(together, key=lambda place: (-b[present[place]], place)):
        if b[present[place]] <= left:
            served.add(place)
            left -= b[present[place]]
    return served


def finite_queue(
    lam: float, B: float, b: ArrayLike, mu: ArrayLike, p: ArrayLike, room: int, policy: str = "fcfs"
) -> FiniteQueue:
    """Solve a queue with finitely many places under a policy that looks at needs and at the order of arrival.

    Arrivals are Poisson, times exponential. Backfilling with reservations looks at times: it has no such chain.

    Parameters
    ----------
    lam : float
        Arrival rate.
    B : float
        Resource.
    b, mu, p : sequence of float, shape (L,)
        Need, completion rate and probability of each class.
    room : int
        Jobs that may wait; a job is lost if, after the policy has started whom it can, more would.
    policy : str
        ``"fcfs"``, ``"first-fit"``, ``"least-servers-first"``, ``"most-servers-first"``, ``"msfq-2"`` (threshold 2) or
        ``"server-filling"``, for which the resource and all needs are powers of two.

    Returns
    -------
    FiniteQueue

    Raises
    ------
    ValueError
        If the input violates a constraint, or there are more than 20,000 states.

    Source: [SCHED] Eq. (e).

    Examples
    --------
    >>> system = 1, 4, (1, 3), (1, .5), (.6, .4)
    >>> for policy in ("fcfs", "first-fit"):
    ...     queue = finite_queue(*system, room=6, policy=policy)
    ...     print(queue.states, round(queue.ENq, 10), round(queue.accepted, 10))
    448 2.0213117256 0.8734036918
    277 1.8369625512 0.9506963176
    """
    lam, room = float(checks.positive("lam", lam, ndim=0)), checks.count("room", room, least=0, most=MOST_ROOM)
    B, b, mu, p = checks.multiserver(B, b, mu, p)
    come = p > 0
    needs, rates, mix = b[come].tolist(), mu[come].tolist(), p[come].tolist()
    if _rule(policy) is None and any(np.frexp(x)[0] != 0.5 for x in (B, *needs)):
        raise ValueError(f"server-filling needs powers of two, got needs {checks.shown(needs)} of {checks.shown(B)}")
    rule = partial(transitions, lam=lam, B=B, b=needs, mu=rates, p=mix, room=room, policy=policy)
    states = chain.explore([empty(len(needs), policy)], rule, limit=MOST_STATES)
    pi = chain.stationary(chain.generator(states, rule), states)
    served, waiting = zip(*(served_and_waiting(state, B, needs, policy) for state in states), strict=True)
    m = np.array(served)
    ENq, serving = float(pi @ list(map(len, waiting))), float(pi @ m.sum(axis=1))
    throughput, held = float(pi @ (m @ rates)), float(pi @ (m @ needs))
    return FiniteQueue(len(states), serving + ENq, ENq, ENq / throughput, throughput / lam, throughput, held / B)


# --- Reservations -----------------------------------------------------------------------------------------------------


def shadow_time(now: float, free: float, need: float, running: Sequence[tuple]) -> tuple[float, float]:
    r"""Return when the first job in the queue can start at the latest, by the estimates, and what it then leaves free.

    Let the jobs in service hold :math:`n_i` servers until :math:`e_i`, as estimated. The first in the queue needs
    :math:`h`. Its shadow time and the extra servers are

    .. math:: s = \min\Bigl\{t \ge \text{now} : \text{free} + \sum_{e_i \le t} n_i \ge h\Bigr\}, \qquad
       \text{extra} = \text{free} + \sum_{e_i \le s} n_i - h.

    Parameters
    ----------
    now : float
    free : float
        Servers that are free now.
    need : float
        What the first in the queue needs.
    running : sequence of (float, float)
        Estimated end and need of each job in service.

    Returns
    -------
    (float, float)
        The shadow time and the extra servers.

    Raises
    ------
    ValueError
        If the job needs more servers than there are.

    Source: [MualemFeitelson01]; [SCHED] Eq. (b).

    Examples
    --------
    Four servers. One job holds one until 3, another two until 5; three are wanted.

    >>> shadow_time(2, 1, 3, [(3, 1), (5, 2)])
    (5, 1)
    """
    instants = sorted({now, *(end for end, _ in running if end > now)})
    for instant in instants:
        there = free + sum(held for end, held in running if end <= instant)
        if need <= there * (1 + checks.FIT_TOLERANCE):
            return instant, there - need
    raise ValueError(f"need {checks.shown(need)} exceeds resource {checks.shown(there)}")
