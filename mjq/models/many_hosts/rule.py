r"""[MH] The rule: what a host holds, where a job goes, and what follows on what while the queue never runs dry.

A *packing* is a set of jobs that one host holds. The *contents* of the cluster are a packing for each host, and a state
is the contents together with the class of the head of the queue, which fits on no host.

**A transition**

1. A job of class i completes on one of the hosts, at the rate :math:`\mu_i` each.
2. If the head fits on a host, the placement rule says on which one. The job starts there, and the class of the next
   head is drawn from the mix.
3. Step 2 is repeated until the head fits on no host.

**Placement.** The *room* of a host is the sum over the resources of the free share of each,
:math:`\sum_k (B_k - \text{held}_k) / B_k`. Of the hosts on which the job fits, *best fit* takes one with the least room
and *worst fit* one with the most; *random* takes any. Among equals each host has the same chance. *First fit* takes the
host with the lowest number.

Except for first fit, the rules do not see which host is which. So only how many hosts hold each packing matters, and
contents are kept sorted: with m hosts this makes up to m! states one.

Rooms count as equal up to 1e-9, and a job fits if it exceeds what is free by at most 1e-9 of the resource: needs are
decimals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq.simulation.hosts import A_HOST
from mjq.simulation.policies import placement_of
from mjq.solvers import drain

State = tuple[tuple[int, ...], int]  # contents, class of the head from 0

MOST_PACKINGS = 100_000  # of one host
MOST_HOSTS = 10_000


@dataclass(frozen=True)
class Host:
    """List what one host can hold."""

    counts: np.ndarray
    """Packings: jobs of each class; int array, shape (N, L)."""
    after_admission: np.ndarray
    after_departure: np.ndarray
    """Number of the packing with one more or one less job of a class; -1 where it does not fit or there is none; int
    array, shape (N, L)."""
    room: np.ndarray
    """Rank of the packings by room, the fullest first; equal rooms have one rank; int array, shape (N,)."""

    @cached_property
    def lists(self) -> tuple[list, list, list, list]:
        """Return the same as lists, in which Python looks a number up in a fraction of the time."""
        tables = self.counts, self.after_admission, self.after_departure, self.room
        return tuple(table.tolist() for table in tables)


def checked(
    m: int, B: Any, b: ArrayLike, mu: ArrayLike, p: ArrayLike, placement: str = "best fit"
) -> tuple[int, Any, np.ndarray, np.ndarray, np.ndarray]:
    """Return ``m, B, b, mu, p`` as numbers and arrays without the classes that never come, or raise ``ValueError``.

    >>> checked(0, 4, [1], [1], [1])
    Traceback (most recent call last):
    ValueError: hosts must be a whole number of at least 1, got 0
    """
    m = checks.count("hosts", m, most=MOST_HOSTS)
    placement_of(placement)
    B, b, mu, p = checks.multiserver(B, b, mu, p, several=True, whole=A_HOST)
    support = p > 0
    return m, B, b[support], mu[support], p[support]


def host(B: Any, b: np.ndarray) -> Host:
    """List what a host with these resources can hold of jobs with these needs.

    Raises
    ------
    ValueError
        If there are more than a hundred thousand packings.

    Source: [MH] Eq. (a).

    Examples
    --------
    >>> one = host(4, np.array([2., 4.]))
    >>> one.counts.tolist(), one.room.tolist()
    ([[0, 0], [0, 1], [1, 0], [2, 0]], [2, 0, 1, 0])
    """
    sizes = np.atleast_1d(np.asarray(B, dtype=float))
    needs = np.asarray(b, dtype=float).reshape(len(b), len(sizes))
    ways = drain.configurations(
        sizes, needs, checks.FIT_TOLERANCE * sizes, limit=MOST_PACKINGS, most_free=2 * sizes
    )  # fmt: skip
    room = (1 - ways.counts @ needs / sizes).sum(axis=1)
    order = np.argsort(room, kind="stable")
    rank = np.empty(len(room), dtype=np.int64)
    rank[order] = np.cumsum(np.diff(room[order], prepend=room[order[0]]) > checks.FIT_TOLERANCE)
    return Host(ways.counts, ways.after_admission, ways.after_departure, rank)


def placed(contents: tuple[int, ...], i: int, one: Host, placement: str) -> list[tuple[tuple[int, ...], float]]:
    """Return the contents after a job of class i has started, each with its probability; nothing if it fits nowhere.

    Hosts of 4 that hold 2, 2 and nothing: best fit puts a job of 2 beside another one, worst fit on the empty host.

    >>> one = host(4, np.array([2.]))
    >>> placed((0, 1, 1), 0, one, "best fit"), placed((0, 1, 1), 0, one, "worst fit")
    ([((0, 1, 2), 1.0)], [((1, 1, 1), 1.0)])
    """
    (_, after, _, room), placement = one.lists, placement_of(placement)
    if placement == "first fit":
        for k, packing in enumerate(contents):
            if after[packing][i] >= 0:
                return [((*contents[:k], after[packing][i], *contents[k + 1 :]), 1.0)]
        return []
    able = [packing for packing in contents if after[packing][i] >= 0]
    if able and placement != "random":
        pick = min if placement == "best fit" else max
        best = pick([room[packing] for packing in able])
        able = [packing for packing in able if room[packing] == best]
    different = dict.fromkeys(able)
    return [(_with(contents, packing, after[packing][i]), able.count(packing) / len(able)) for packing in different]


def _with(contents, old, new):
    rest = list(contents)
    rest.remove(old)
    return tuple(sorted([*rest, new]))


def departures(contents: tuple[int, ...], one: Host, mu: np.ndarray, placement: str) -> dict[tuple[int, ...], float]:
    """Return the contents after one completion, each with its rate."""
    (counts, _, less, _), placement = one.lists, placement_of(placement)
    rates: dict[tuple[int, ...], float] = {}
    alike = Counter(contents) if placement != "first fit" else dict.fromkeys(range(len(contents)), 1)
    for at, hosts in alike.items():
        packing = at if placement != "first fit" else contents[at]
        for i, (jobs, fewer) in enumerate(zip(counts[packing], less[packing], strict=True)):
            if not jobs:
                continue
            if placement == "first fit":
                after = (*contents[:at], fewer, *contents[at + 1 :])
            else:
                after = _with(contents, packing, fewer)
            rates[after] = rates.get(after, 0.0) + float(hosts * jobs * mu[i])
    return rates


def saturated_transitions(
    state: State, one: Host, mu: np.ndarray, p: np.ndarray, placement: str
) -> Iterator[tuple[State, float]]:
    """Yield what follows on a state while the queue never runs dry, with the rate of each transition.

    Source: [MH] Eq. (b).

    Two hosts of 2 units; on each there is a job of one unit, and a job of two waits. When one ends, it starts there.

    >>> one = host(2, np.array([1., 2.]))
    >>> one.counts.tolist()
    [[0, 0], [0, 1], [1, 0], [2, 0]]
    >>> for state, rate in saturated_transitions(((2, 2), 1), one, np.ones(2), np.full(2, .5), "best fit"):
    ...     print(state, rate)
    ((1, 3), 0) 0.5
    ((1, 3), 1) 0.5
    ((1, 2), 1) 1.0
    """
    contents, head = state

    def settle(contents, head, rate):
        outcomes = placed(contents, head, one, placement)
        if not outcomes:
            yield (contents, head), rate
        for after, chance in outcomes:
            for i, share in enumerate(p):
                yield from settle(after, i, rate * chance * float(share))

    for after, rate in departures(contents, one, mu, placement).items():
        yield from settle(after, head, rate)
