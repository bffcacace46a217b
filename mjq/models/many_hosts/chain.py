r"""[MH] The exact capacity of a small cluster of hosts: a chain on sorted contents.

While the queue never runs dry, the cluster rests in the states of :mod:`mjq.models.many_hosts.rule`: the contents, and
a head that fits nowhere. Between two admissions it only drains, and after each admission the next head is a fresh draw
from the mix. So beside the *resting* states there are *fresh* ones, contents alone, just after an admission, which take
no time. From a fresh state, admissions only lead to fresh states with more jobs; this makes the transitions sparse.

**The algorithm**

1. Start with a cluster that is full of jobs of one class, with a job of this class at the head. Any state leads there:
   with positive probability, all jobs from now on are of this class. So every state that is reached from it comes again
   and again, and there is one steady state.
2. List the resting and the fresh states that can be reached, with the probability of each step. Where a job goes from
   which contents is computed once.
3. A *sweep* moves the probabilities of the resting states just after one completion to those just after the next: one
   completion, then up through the fresh states in order of their numbers of jobs.
4. With up to 800 resting states, form the matrix of the sweep and eliminate state by state
   (:mod:`mjq.solvers.chain`). Beyond, find the vector that a sweep keeps by Arnoldi iterations, then sweep plainly
   twice; the residual over the gap between the two largest eigenvalues estimates the error
   (:mod:`mjq.solvers.arnoldi`). If that is above 1e-13 with up to 2,500 states, eliminate; beyond, it must be below
   1e-9.
5. Divide by the rate at which each state is left. That is the share of time, and its mean of the rates is the capacity.

**Cost.** To list the states takes most of the time: some 10,000 a second. Eight hosts of 4 units with needs 1, 2 and
4 have 14,322 states and take a second, twelve 132,613 and 15 seconds. First fit sees which host is which, and has many
times as many states.

**Accuracy.** Tests compare it with the chain on hosts in their order, written from the words of the rule, for one to
three resources and all rules (10 digits), one host with :mod:`mjq.solvers.drain` (12 digits), and iterations with
elimination (12 digits).

Source: ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq._util.budget import require_time
from mjq._util.compiling import compiled
from mjq.models.many_hosts.rule import Host, checked, departures, host, placed
from mjq.solvers import arnoldi, chain

MOST_STATES = 200_000  # resting ones: half a minute
MOST_ENTRIES = 2_400_000  # of their contents: states times hosts
DENSE_STATES = 800  # up to which to eliminate the matrix of the sweep takes less time than iterations
FEW_STATES = 2_500  # up to which it is eliminated where iterations may err by more than rounding
BASIS_VECTORS, RESTARTS, TOLERANCE = 40, 500, 1e-13
RESIDUAL = 1e-11  # largest change in one sweep


@dataclass(frozen=True, eq=False)
class HostsState:
    """Hold the steady state of a cluster of hosts whose queue never runs dry.

    Attributes
    ----------
    host : Host
        What one host can hold.
    contents : int array, shape (S, m)
        Packing that each host holds, by its number in `host`; sorted, except for first fit.
    heads : int array, shape (S,)
        Class of the head of the queue, from 0, of those that come.
    time : float array, shape (S,)
        Share of the time.
    throughput : float
        Completions per unit of time.
    fits_in_sum : float
        Share of the time in which the head would fit if the room of all hosts were one.
    residual : float
        Change of the probabilities in one more sweep; 0 if they were eliminated.
    """

    host: Host
    contents: np.ndarray
    heads: np.ndarray
    time: np.ndarray
    throughput: float
    fits_in_sum: float
    residual: float


def saturated_state(
    m: int,
    B: Any,
    b: ArrayLike,
    mu: ArrayLike,
    p: ArrayLike,
    placement: str = "best fit",
    limit: int = MOST_STATES,
) -> HostsState:
    """Solve the saturated cluster of hosts.

    Parameters
    ----------
    m : int
        Hosts.
    B, b, mu, p
        Of each host, as for :func:`~mjq.models.processing_capacity.processing_capacity`.
    placement : str
        ``"best fit"``, ``"worst fit"``, ``"first fit"`` or ``"random"``.
    limit : int
        The largest number of states.

    Raises
    ------
    ValueError
        If the input violates a constraint, or there are more than `limit` states.
    ArithmeticError
        If the iterations did not converge, or rates lie so far apart that the answer could not be trusted.

    Source: [MH] Eq. (b).

    Examples
    --------
    Two hosts of 4 units do 8 % less than a pool of 8: a job that needs a whole host waits until one is empty.

    >>> state = saturated_state(2, 4, (1, 2, 4), (1, 1, 1), (.5, .3, .2))
    >>> len(state.time), round(state.throughput * 1.9 / 8, 6), round(state.fits_in_sum, 3)
    (76, 0.815058, 0.138)
    """
    m, B, b, mu, p = checked(m, B, b, mu, p, placement)
    limit = checks.count("limit", limit)
    one = host(B, b)
    steps = _listed(m, one, mu, p, placement, min(limit, MOST_ENTRIES // m))
    S = len(steps.contents)
    leaving = one.counts[steps.contents].sum(axis=1) @ mu
    sweep = _Sweep(steps, S)
    after, residual = arnoldi.trusted(
        S,
        (DENSE_STATES, FEW_STATES, FEW_STATES),
        lambda: _iterated(sweep, leaving, mu),
        lambda: (chain.stationary_of_recurrent_part(np.array([sweep(unit) for unit in np.eye(S)])), 0.0),
        lambda: f"{mu.min():.3g} to {mu.max():.3g}",
    )
    time = after / leaving
    time /= time.sum()
    return HostsState(
        host=one,
        contents=steps.contents,
        heads=steps.heads,
        time=time,
        throughput=float(time @ leaving),
        fits_in_sum=float(time @ _fits_in_sum(m, B, b, one, steps)),
        residual=residual,
    )


def capacity(
    m: int, B: Any, b: ArrayLike, mu: ArrayLike, p: ArrayLike, placement: str = "best fit", limit: int = MOST_STATES
) -> float:
    """Return the arrival rate below which the queue of a cluster of hosts is stable, in jobs per unit of time.

    Parameters, errors and source are those of :func:`saturated_state`.

    Examples
    --------
    One host is a pool.

    >>> round(capacity(1, 6, (2, 3), (1, 1), (.5, .5)) * 23, 10)
    48.0
    """
    return saturated_state(m, B, b, mu, p, placement, limit).throughput


def _fits_in_sum(m, B, b, one, steps):
    """Return whether the head of each state fits into what all hosts together have free."""
    held = one.counts[steps.contents].sum(axis=1) @ b
    whole = m * np.asarray(B)
    return checks.fits(b[steps.heads], whole - held, whole)


@dataclass(frozen=True, eq=False)
class _Steps:
    """Resting states, then fresh ones by their numbers of jobs: the steps out of each, as a sparse matrix by rows."""

    contents: np.ndarray
    heads: np.ndarray
    starts: np.ndarray
    columns: np.ndarray
    chances: np.ndarray


def _listed(m: int, one: Host, mu: np.ndarray, p: np.ndarray, placement: str, limit: int) -> _Steps:
    """List the states that can be reached, and the steps between them."""
    full = int(np.flatnonzero((one.counts[:, 1:] == 0).all(axis=1))[-1])
    first = (full,) * m, 0
    resting, rested = {first: 0}, [first]
    fresh: dict[tuple[int, ...], int] = {}
    mixed: list[tuple[int, ...]] = []
    goes: dict = {}  # contents and class, to the contents after its start
    drains: dict = {}
    rows_resting: list[list] = []
    rows_fresh: list[list] = []

    def where(contents, i):
        key = contents, i
        outcomes = goes.get(key)  # looked up once, as it takes long to hash
        if outcomes is None:
            outcomes = goes[key] = placed(contents, i, one, placement)
        return outcomes

    def number(table, names, key):
        at = table.setdefault(key, len(names))
        if at == len(names):
            names.append(key)
        return at

    def step(contents, i, chance, row):
        outcomes = where(contents, i)
        for after, share in outcomes:
            row.append((True, number(fresh, mixed, after), chance * share))
        if not outcomes:
            row.append((False, number(resting, rested, (contents, i)), chance))

    while len(rows_resting) < len(rested) or len(rows_fresh) < len(mixed):
        require_time()
        row: list = []
        if len(rows_fresh) < len(mixed):
            contents = mixed[len(rows_fresh)]
            for i, share in enumerate(p):
                step(contents, i, float(share), row)
            rows_fresh.append(row)
            continue
        contents, head = rested[len(rows_resting)]
        if contents not in drains:
            rates = departures(contents, one, mu, placement)
            total = sum(rates.values())
            drains[contents] = [(after, rate / total) for after, rate in rates.items()]
        for after, chance in drains[contents]:
            step(after, head, chance, row)
        rows_resting.append(row)
        if len(rested) > limit:
            raise checks.TooLarge(
                f"{m} hosts have more than {limit} states with {placement}: simulate them (simulate_saturated)"
            )
    jobs = one.counts[np.array(mixed, dtype=np.int64).reshape(-1, m)].sum(axis=(1, 2))
    order = np.argsort(jobs, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = len(rested) + np.arange(len(order))
    rows = rows_resting + [rows_fresh[k] for k in order]
    return _Steps(
        np.array([contents for contents, _ in rested], dtype=np.int64),
        np.array([head for _, head in rested], dtype=np.int64),
        np.cumsum([0, *map(len, rows)]),
        np.array([place[k] if is_fresh else k for row in rows for is_fresh, k, _ in row], dtype=np.int64),
        np.array([chance for row in rows for *_, chance in row]),
    )


class _Sweep:
    """Move probabilities of resting states from just after one completion to just after the next."""

    def __init__(self, steps: _Steps, size: int):
        self.steps, self.size = steps, size

    def __call__(self, after: np.ndarray) -> np.ndarray:
        require_time()
        flow = np.zeros(len(self.steps.starts) - 1)
        flow[: self.size] = after
        _swept(self.steps.starts, self.steps.columns, self.steps.chances, self.size, flow)
        return flow[: self.size]


@compiled(steps=lambda starts, columns, *_: len(starts) + len(columns))
def _swept(starts, columns, chances, size, flow):
    """Move the flow on: from all resting states at once, then from each fresh one, those with fewer jobs first."""
    before = flow[:size].copy()
    flow[:size] = 0.0
    for row in range(len(starts) - 1):
        out = before[row] if row < size else flow[row]
        for k in range(starts[row], starts[row + 1]):
            flow[columns[k]] += out * chances[k]


def _iterated(sweep, leaving, mu):
    """Return the probabilities that a sweep keeps and how much one more changes them, that again, and their error."""
    after = arnoldi.dominant(sweep, leaving / leaving.sum(), TOLERANCE, RESTARTS, BASIS_VECTORS)
    after = sweep(sweep(after / after.sum()))
    residual = float(np.abs(sweep(after) - after).sum() / after.sum())
    if not residual <= RESIDUAL:
        raise ArithmeticError(f"the cluster of hosts did not converge: residual {residual:.2g}")
    slowest = mu.min() / float(leaving.max())
    error = arnoldi.estimated_error(sweep, sweep.size, residual, slowest, BASIS_VECTORS)
    return (after / after.sum(), residual), residual, error
