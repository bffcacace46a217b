r"""[SCHED] A small queue with finitely many places as a finite chain, under each policy that looks at no times.

The states and their rates are written apart from the simulator. Who starts is asked of the policy itself, so that a
chain never solves another rule than :mod:`mjq.simulation.policies` has under its name; policies that look at times are
refused. The tests hold each policy to a plain definition.

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

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache, partial
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq._util.compiling import plain
from mjq.simulation import policies
from mjq.simulation.engine.policy import Policy
from mjq.simulation.engine.queue import EVERYTHING, NOBODY, NOTHING, RESOURCE, by_resource, units
from mjq.solvers import chain

MOST_STATES = 20_000
MOST_ROOM = 1000  # places for jobs of one class; with two there are too many states long before


class FiniteQueue(NamedTuple):
    """Describe a queue of multiserver jobs with finitely many places.

    Attributes
    ----------
    states : int
        Of the chain.
    mean_jobs, mean_queue : float
        Mean number of jobs in the system and in the queue.
    mean_wait : float
        Mean time that a job which is not lost spends in the queue.
    accepted : float
        Fraction of the jobs that find a place.
    throughput : float
        Jobs completed per unit of time.
    utilization : float
        Mean fraction of the resource that is held; of several, an array.
    """

    states: int
    mean_jobs: float
    mean_queue: float
    mean_wait: float
    accepted: float
    throughput: float
    utilization: Any


#: Names of the policies that look at needs and order alone, and therefore have a finite chain.
POLICIES = tuple(name for name in policies.NAMES if not policies.policy(name.replace("<number>", "2")).knows_times)


# --- Who starts next, asked of the policy: jobs are told by their classes, in order of arrival ------------------------


def _rule(policy: str) -> Policy:
    """Return a policy that has a chain."""
    return _named(policy) if isinstance(policy, str) else policies.policy(policy)  # which refuses it


@cache
def _named(name: str) -> Policy:
    rule = policies.policy(name)
    if rule.knows_times:
        raise ValueError(f"policy must be one of {', '.join(POLICIES)}, which look at no times; got {name!r}")
    return rule


def _units(b, B):
    """Return needs in whole units, as the simulator has them: so nothing depends on how sums are rounded."""
    return tuple(map(tuple, by_resource(units(b, B)).tolist()))


def _queue(places, need=NOTHING):
    """Return the queue of the jobs at these places."""
    first, last = (places[0], places[-1]) if places else (NOBODY, NOBODY)
    return SimpleNamespace(first=first, last=last, length=len(places), need=need)


def _next(*queues):
    """Return who comes next after each job of these queues."""
    return {place: after for places in queues for place, after in zip(places, [*places[1:], NOBODY], strict=False)}


def _starts(rule, needs, m, queue, served=()):
    """Return the place of the job that a policy starts next, or `NOBODY`.

    How many of each class are in service is in `m`; where the policy interrupts, `served` are their places, among all.
    """
    waiting, busy = [place for place in range(len(queue)) if place not in served], sorted(served)
    alike = [[place for place in waiting if queue[place] == kind] for kind in range(len(needs))]
    behind = _next(waiting, busy), _next(busy, *alike)
    ahead = _next(waiting[::-1], busy[::-1]), _next(busy[::-1], *(places[::-1] for places in alike))
    jobs = [
        SimpleNamespace(kind=kind, number=place, behind=[of[place] for of in behind], ahead=[of[place] for of in ahead])
        for place, kind in enumerate(queue)
    ]
    line, serving = [*map(_queue, alike, needs), _queue(waiting)], [_queue(busy)]
    memory = [SimpleNamespace(number=rule.number, up=RESOURCE)]
    held = [sum(number * need for number, need in zip(m, column, strict=True)) for column in zip(*needs, strict=True)]
    free = tuple(there - taken for there, taken in zip(EVERYTHING, held, strict=True))
    return plain(rule.choose)(jobs, line, serving, memory, [], sum(m), free, 0.0)


# --- The chain --------------------------------------------------------------------------------------------------------


def empty(classes: int, policy: str) -> tuple:
    """Return the state of an empty system.

    >>> empty(2, "fcfs"), empty(2, "server-filling")
    (((0, 0), ()), ())
    """
    return () if _rule(policy).interrupts else ((0,) * classes, ())


def transitions(
    state: tuple,
    lam: float,
    B: Any,
    b: Sequence,
    mu: Sequence[float],
    p: Sequence[float],
    room: int,
    policy: str,
) -> Iterator[tuple]:
    """Yield ``(next_state, rate)``.

    A state is ``(m, queue)``: how many jobs of each class are in service, and the classes of those that wait, in order
    of arrival. Under a policy that interrupts, such as ServerFilling, it is the classes of all jobs, in order of
    arrival: they say who is served. Arrivals that are lost are no transitions.

    Source: [SCHED] Eq. (e).

    Two servers, one of them held; a job that needs both waits. First-fit lets a small one pass.

    >>> system = 1, 2, (1, 2), (3, 5), (.5, .5)
    >>> list(transitions(((1, 0), (1,)), *system, room=1, policy="fcfs"))
    [(((0, 1), ()), 3)]
    >>> list(transitions(((1, 0), (1,)), *system, room=1, policy="first-fit"))
    [(((2, 0), (1,)), 0.5), (((0, 1), ()), 3)]
    """
    rule, needs = _rule(policy), _units(b, B)
    m, queue = served_and_waiting(state, B, b, policy)
    for kind, chance in enumerate(p):
        after = (*state, kind) if rule.interrupts else _settled(rule, needs, m, (*queue, kind))
        if len(served_and_waiting(after, B, b, policy)[1]) <= room:
            yield after, lam * chance
    if rule.interrupts:
        for place in _served(rule, needs, state):
            yield state[:place] + state[place + 1 :], mu[state[place]]
        return
    for kind, number in enumerate(m):
        if number:
            yield _settled(rule, needs, _changed(m, kind, -1), queue), number * mu[kind]


def served_and_waiting(state: tuple, B: Any, b: Sequence, policy: str) -> tuple:
    """Return how many of each class are in service, and the classes of those that wait.

    >>> served_and_waiting((0, 0, 1), 2, (1, 2), "server-filling")
    ((2, 0), (1,))
    """
    rule = _rule(policy)
    if not rule.interrupts:
        return state
    served = _served(rule, _units(b, B), state)
    waiting = tuple(kind for place, kind in enumerate(state) if place not in served)
    return tuple(sum(state[place] == kind for place in served) for kind in range(len(b))), waiting


@lru_cache(4 * MOST_STATES)  # as other arrival rates ask again
def _settled(rule: Policy, needs: tuple, m: tuple, queue: tuple) -> tuple:
    """Return the state after a policy has started all jobs that it can."""
    while queue and (place := _starts(rule, needs, m, queue)) != NOBODY:
        m, queue = _changed(m, queue[place], 1), queue[:place] + queue[place + 1 :]
    return m, queue


@lru_cache(4 * MOST_STATES)
def _served(rule: Policy, needs: tuple, present: tuple) -> frozenset[int]:
    """Return the places of the jobs that a policy serves which interrupts; it starts them when nobody is in service."""
    served: set[int] = set()
    m = (0,) * len(needs)
    while len(served) < len(present) and (place := _starts(rule, needs, m, present, served)) != NOBODY:
        served.add(place)
        m = _changed(m, present[place], 1)
    return frozenset(served)


def _changed(m, kind, by):
    return (*m[:kind], m[kind] + by, *m[kind + 1 :])


def finite_queue(
    lam: float, B: Any, b: ArrayLike, mu: ArrayLike, p: ArrayLike, room: int, policy: str = "fcfs"
) -> FiniteQueue:
    """Solve a queue with finitely many places under a policy that looks at needs and at the order of arrival.

    Arrivals are Poisson, times exponential. Backfilling with reservations looks at times: it has no such chain.

    Parameters
    ----------
    lam : float
        Arrival rate.
    B : float, or sequence of float, shape (d,)
        Resource, or several of them.
    b : sequence of float, shape (L,) or (L, d)
        Need of each class. Of several resources some may be 0.
    mu, p : sequence of float, shape (L,)
        Completion rate and probability of each class.
    room : int
        Jobs that may wait; a job is lost if, after the policy has started whom it can, more would.
    policy : str
        One of :data:`POLICIES`, such as ``"first-fit"`` or ``"msfq-2"`` (threshold 2). For ``"server-filling"`` the
        resource and all needs are powers of two.

    Returns
    -------
    FiniteQueue

    Raises
    ------
    ValueError
        If the input violates a constraint, the policy looks at times or is a rule for one resource and there are more,
        or there are more than 20,000 states.

    Source: [SCHED] Eq. (e).

    Examples
    --------
    >>> system = 1, 4, (1, 3), (1, .5), (.6, .4)
    >>> for policy in ("fcfs", "first-fit"):
    ...     queue = finite_queue(*system, room=6, policy=policy)
    ...     print(queue.states, round(queue.mean_queue, 10), round(queue.accepted, 10))
    448 2.0213117256 0.8734036918
    277 1.8369625512 0.9506963176
    """
    lam, room = float(checks.positive("lam", lam, ndim=0)), checks.count("room", room, least=0, most=MOST_ROOM)
    B, b, mu, p = checks.multiserver(B, b, mu, p, several=True)
    support = p > 0
    needs, rates, mix = b[support].tolist(), mu[support].tolist(), p[support].tolist()
    policies.policy(policy, np.size(B))  # which refuses what is a rule for one resource
    if _rule(policy).by_class and not support.all():
        raise ValueError(f"{policy} counts classes, so each of them must come; got p {checks.shown(p)}")
    if _rule(policy).interrupts and any(np.frexp(x)[0] != 0.5 for x in (*np.ravel(B), *np.ravel(needs))):
        raise ValueError(f"server-filling needs powers of two, got needs {checks.shown(needs)} of {checks.shown(B)}")
    moves = partial(transitions, lam=lam, B=B, b=needs, mu=rates, p=mix, room=room, policy=policy)
    rule = chain.asked_once(moves)
    states = chain.explore([empty(len(needs), policy)], rule, limit=MOST_STATES)
    pi = chain.stationary(chain.generator(states, rule), states)
    served, waiting = zip(*(served_and_waiting(state, B, needs, policy) for state in states), strict=True)
    m = np.array(served)
    ENq, serving = float(pi @ list(map(len, waiting))), float(pi @ m.sum(axis=1))
    throughput, held = float(pi @ (m @ rates)), pi @ (m @ needs) / B
    used = held if np.ndim(B) else float(held)
    return FiniteQueue(len(states), serving + ENq, ENq, ENq / throughput, throughput / lam, throughput, used)


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
