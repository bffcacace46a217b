r"""[RBAC21] The network as a Markov chain, which the fluid approximates.

A state counts the jobs in each phase of each pair (queue, class). All jobs at a queue have the same share of a server,
so a phase a with :math:`x_a` jobs is left at :math:`x_a` times the share times the rate of the phase. A job then

1. moves to another phase of its service, by :math:`\Psi`; or
2. ends its service, by B, and is routed by P to another pair, whose first phase is drawn by A; or leaves the network.

Jobs from outside arrive at the rates :math:`\lambda`, and their first phase is drawn likewise. The rule is the
definition that :mod:`mjq.solvers.chain` solves for small networks; n closed jobs in S phases have
:math:`\binom{n + S - 1}{S - 1}` states.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from mjq.solvers.network import Network


def hard_share(x: float, k: float) -> float:
    """Return the part of a server that each of x jobs gets from k servers: all of one while there are enough.

    >>> hard_share(3, 2), hard_share(1, 2)
    (0.6666666666666666, 1)
    """
    return 1 if x <= k else k / x


def transitions(
    state: tuple, network: Network, share: Callable = hard_share, room: float = math.inf
) -> Iterator[tuple]:
    """Yield the moves of the Markov chain: a job changes its phase, is routed on, leaves, or comes from outside.

    Parameters
    ----------
    state : tuple
        Jobs in each phase.
    network : Network
        Or anything with its matrices, also of symbols.
    share : callable
        Processor share of a job, given the jobs and the servers of its queue.
    room : int, optional
        Jobs with which the network is full: those that come then are lost. Makes the chain of an open network finite.

    Source: [RBAC21] Section 2, [RBAC21] Theorem 1, [RBAC21] Eq. (1), [RBAC21] Eq. (2), [RBAC21] Eq. (3).

    Examples
    --------
    >>> from mjq.solvers.phase_type import exponential
    >>> queue = Network({"q": 1}, {("q", 1): exponential(0.5)}, {}, arrivals={("q", 1): 3.0})
    >>> [(s, float(rate)) for s, rate in transitions((2,), queue)]
    [((1,), 2.0), ((3,), 3.0)]
    """
    phases, pairs = range(network.A.shape[0]), range(network.A.shape[1])
    for a in phases:
        if state[a] == 0:
            continue
        here = sum(n for n, queue in zip(state, network.queue_of, strict=True) if queue == network.queue_of[a])
        rate = state[a] * share(here, network.capacity[network.queue_of[a]])
        yield from (
            (_moved(state, a, b), rate * network.Psi[a, b]) for b in phases if b != a and network.Psi[a, b] != 0
        )
        for r in pairs:
            done = rate * network.B[a, r]
            if done == 0:
                continue
            sent = [done * network.P[r, s] for s in pairs]
            yield from ((_moved(state, a, b), into) for b, into in _entries(sent, network.A))
            if network.leaves[r] != 0:
                yield _moved(state, a, None), done * network.leaves[r]
    if sum(state) < room:
        yield from ((_moved(state, None, b), into) for b, into in _entries(network.arrivals, network.A))


def _entries(rates, A):
    """Yield the phases that jobs enter at each queue and class with these rates, and the rate into each."""
    for s, rate in enumerate(rates):
        if rate != 0:
            yield from ((b, rate * A[b, s]) for b in range(A.shape[0]) if A[b, s] != 0)


def _moved(state, a, b):
    counts = list(state)
    if a is not None:
        counts[a] -= 1
    if b is not None:
        counts[b] += 1
    return tuple(counts)
