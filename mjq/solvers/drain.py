r"""The steady state of a saturated system that only drains between two admissions.

A resource is shared by jobs of several classes; the queue of waiting jobs never runs dry. Jobs leave one by one; after
each departure the head of the queue enters if it fits, then the next, until one does not fit. Write `k` for a
*configuration* (how many jobs of each class are in service) and `i` for the class of the head of the queue. The system
rests in the states `(k, i)` in which the head does not fit.

Two facts make millions of states easy:

* Whenever a job enters, the next head is a fresh draw from the mix. So the flow by admission into configuration `k`
  with head `i` is :math:`p_i f_k`, and the vector `f`, one number for each configuration, is all that is unknown. If
  the classes of successive jobs are a Markov chain P, the flow is :math:`\sum_j f_{kj} P_{ji}`, with one number for
  each configuration and class `j` that entered it. There are no more states: the head of the queue is the memory.
* Given `f`, departures only lead to smaller configurations and admissions only to larger ones. One pass down over the
  configurations gives every probability, one pass up gives the flow by admission again: :math:`f = T f`.

**The algorithm.** Let :math:`c_k` be the rate of departures in configuration `k`, and :math:`k - j`, :math:`k + j` the
configurations with one job of class `j` less or more.

1. List the configurations in lexicographic order, in which smaller ones come first, each with the numbers of its
   neighbours. No more than twice the largest need is ever free; emptier configurations are left out.
2. *Pass down*, from the last configuration to the first. For each head `i` that does not fit into `k`, add
   :math:`p_i f_k` to what departures from larger configurations have brought to `(k, i)`, and divide by :math:`c_k`:
   this is the probability of `(k, i)`. Send it on, times the rate :math:`m_j \mu_j` of each class in service, to
   :math:`(k - j, i)`. If head `i` fits there, what has come is not a probability but the flow of heads about to enter.
3. *Pass up*, from the first configuration to the last. The flow of heads of class `i` that are about to enter `k`, by
   departures or freshly drawn after an admission into `k`, is added to the admissions into :math:`k + i`. These
   admissions are the new `f`.
4. Find the `f` that a pass down and up keeps. With up to 120 unknowns, form `T`: one pass from the last configuration
   to the first and one back carry, for all unknowns at once, what of a unit of flow gets there. Solve it by state
   elimination (:mod:`mjq.solvers.chain`): weighted by the probability that the queue stops at `k`, it is the matrix of
   a chain in steps. Larger systems are solved by iterations on the two passes (:mod:`mjq.solvers.arnoldi`): up to 1000
   unknowns by minimal residuals, beyond by restarted Arnoldi iterations. Unknowns are only those configurations at
   which the queue can stop.
5. Make two plain passes more, which repair the relative accuracy of small entries, and a third to measure by how much
   `f` still changes. After iterations, estimate the error: with up to 1000 unknowns, divide this residual by the part
   of all departures that the slowest rate is; beyond, by the gap between the two largest eigenvalues of `T`. If that is
   above 1e-13 with up to 1000 unknowns, or above 1e-9 with up to 6000, solve the system by elimination; refuse larger
   ones.
6. Divide the probabilities by their sum. The throughput is the mean of :math:`c_k`.

**Cost.** No generator is stored. With `M` configurations and `L` classes, two passes take of the order of :math:`M L^2`
operations, tables and probabilities take a few times `M L` numbers, and Arnoldi iterations keep 40 vectors of at most
`M` numbers, 20 of very long ones (`M L` numbers with a memory of the class). Minimal residuals keep up to 100 short
ones. Elimination of `U` unknowns takes time
:math:`M L^2 U` to form `T`, then :math:`U^3`, and memory :math:`U^2`. In a system of five classes with 117,130 states a
count gives about 70 pairs of passes.

**Accuracy.** Tests compare it with :mod:`mjq.solvers.chain` on random systems: each probability agrees to 11 digits and
the throughput to 12, also where rates are nine orders of magnitude apart. Iterations and elimination agree to 13 digits
of a throughput. A test with a slow and rare class beside a fast one, in which a residual of 1e-12 hides an error
above 1e-9, shows that step 5 is needed and works.

Source: ours. The saturated system is that of [BB22] and [GHS20].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import linalg

from mjq._util.budget import require_time
from mjq._util.checks import TooLarge, shown
from mjq._util.compiling import compiled
from mjq.solvers import arnoldi, chain

DENSE_UNKNOWNS = 120  # up to which to eliminate T takes less time than iterations
FEW_UNKNOWNS = 1000  # up to which it is eliminated where iterations may err by more than rounding
PATIENT_UNKNOWNS = 6000  # up to which it is eliminated where iterations cannot be trusted
MOST_CONFIGURATIONS = 20_000_000  # some 2 GB of tables for two classes
FLOW_TOLERANCE = 1e-12  # largest relative change of the admission flow in one pass
BASIS_VECTORS, FEW_VECTORS = 40, 20  # the latter where vectors are so long that to compare them takes most of the time
LONG_VECTOR = 1_000_000
MOST_STEPS = 100  # of a basis for few unknowns; where they need more, elimination takes less time
MOST_SWEEPS = 20_000
NUMBERS_AT_ONCE = 1_000_000  # to carry by configuration and class while T is formed, twice
WAYS_ON = "aggregate classes, simulate, or, where all rates are equal, call mjq.stability.throughput_equal_rates"
MOST_VISITS = 10_000_000_000  # classes of configurations, over all passes: some minutes


@dataclass(frozen=True)
class Configurations:
    """List the configurations that a saturated system passes through, in lexicographic order, and their neighbours.

    The free resource never exceeds twice the largest need: a stopped queue means that less than the largest need is
    free, and one departure frees no more than that again. Emptier configurations are left out.
    """

    counts: np.ndarray
    """Jobs of each class in service; int array, shape (M, L)."""
    after_admission: np.ndarray
    after_departure: np.ndarray
    """Index of the configuration with one more or one less job of a class; -1 where it does not fit or there is none;
    int array, shape (M, L)."""

    @property
    def blocked(self) -> np.ndarray:
        """Return where a head of the queue of each class would not fit, shape (M, L)."""
        return self.after_admission < 0


def configurations(
    resource: ArrayLike,
    needs: ArrayLike,
    slack: ArrayLike = 0.0,
    limit: int = MOST_CONFIGURATIONS,
    most_free: ArrayLike | None = None,
) -> Configurations:
    """List the sets of jobs that fit into the resource together and leave no more than `most_free` of it free.

    Of several resources, it is enough that no more than that is free of one of them.

    Parameters
    ----------
    resource : float, or sequence of float, shape (d,)
        One resource, or several.
    needs : sequence of float, shape (L,) or (L, d)
        What one job of each class holds; of several resources some may be 0.
    slack : float, or sequence of float, shape (d,)
        A job fits if its need is at most the free resource plus `slack`, of each resource.
    limit : int
        The largest number of configurations.
    most_free : float, or sequence of float, shape (d,), optional
        By default twice the largest need: a saturated system never has more.

    Raises
    ------
    ValueError
        If there are more configurations than `limit`.

    Examples
    --------
    >>> configurations(6, [2, 3]).counts.tolist()
    [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [2, 0], [3, 0]]
    >>> configurations([4, 4], [[1, 3], [3, 1]]).counts.tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    whole, needs = np.array(resource, dtype=float, ndmin=1), np.array(needs, dtype=float)
    needs = needs.reshape(len(needs), len(whole))
    free = 2 * needs.max(axis=0) if most_free is None else np.asarray(most_free)
    room, held = whole + slack, whole - free - slack
    sizes = room.tolist()
    alone = [int(min(size / x for size, x in zip(sizes, need, strict=True) if x > 0)) for need in needs.tolist()]
    strides = _strides(alone)
    number = _list(room, held, needs, limit, np.empty((0, len(needs)), dtype=np.int32))
    if number > limit:
        raise TooLarge(f"more than {limit} configurations fit into {shown(resource)}: {WAYS_ON}")
    if max(alone) >= 2**31:
        raise TooLarge(f"more than {2**31} jobs of one class fit into {shown(resource)}: change the unit of work")
    counts = np.empty((number, len(needs)), dtype=np.int32)
    _list(room, held, needs, limit, counts)
    return Configurations(counts, *_neighbours(counts, strides))


@compiled(steps=lambda room, held, needs, *_: 20 * np.prod(1 + room.max() / needs.max(axis=1)[:-1]))
def _list(room, held, needs, limit, counts):
    """Write the sets of jobs that fit into the room and hold at least so much of one resource; return their number.

    Nothing is written if `counts` is empty, and they are not counted far beyond the limit.
    """
    classes, resources = needs.shape
    used, here, most = np.zeros((classes, resources)), np.zeros(classes, np.int64), np.zeros(classes)
    number, i = 0, 0
    while True:
        here[i], most[i], least = 0, np.inf, np.inf  # of class i, given the jobs of the classes before it
        for r in range(resources):
            need, lacking = needs[i, r], held[r] - used[i, r]
            if need > 0:
                most[i] = min(most[i], np.floor((room[r] - used[i, r]) / need))
                least = min(least, np.ceil(lacking / need))
            elif lacking <= 0:
                least = 0.0
        least = max(least, 0.0)
        last = i == classes - 1
        if last and least <= most[i]:
            if len(counts):
                for count in range(int(least), int(most[i]) + 1):
                    for j in range(i):  # not as a whole row, for which numba compiles much else
                        counts[number, j] = here[j]
                    counts[number, i] = count
                    number += 1
            else:
                number += int(most[i] - least) + 1
            if number > limit:
                return number
        if last or most[i] < 0:  # on to the next number of a class before
            i -= 1
            while i >= 0 and here[i] >= most[i]:
                i -= 1
            if i < 0:
                return number
            here[i] += 1
        for r in range(resources):
            used[i + 1, r] = used[i, r] + here[i] * needs[i, r]
        i += 1


def ways_to_use(units: int, needs: Sequence[int]) -> np.ndarray:
    r"""Return how many sets of jobs hold exactly so many units, for 0 to `units`, without listing them.

    They are the coefficients of :math:`\prod_i 1 / (1 - x^{b_i})`, with `x` for a unit in use and the needs b.

    Six units are held by two jobs of three units each, or by three of two:

    >>> ways_to_use(6, [2, 3]).tolist()
    [1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 2.0]
    """
    ways = np.zeros(units + 1)
    ways[0] = 1
    for need in needs:
        # 1 / (1 - y) = (1 + y) (1 + y^2) (1 + y^4) … with y for one job of this class.
        while need <= units:
            ways[need:] += ways[:-need].copy()
            need *= 2
    return ways


def _strides(most):
    """Return what one more job of each class adds to the number of a configuration; they rise in their order.

    At most so many jobs of each class fit.
    """
    radix = [count + 2 for count in most]  # one more than can be, so that sums never carry over
    exact = [prod(radix[i + 1 :]) for i in range(len(radix))]
    if exact[0] * radix[0] >= 2**63:
        raise TooLarge(f"{len(radix)} classes with up to {max(most)} jobs each are too many to number: {WAYS_ON}")
    return np.array(exact, dtype=np.int64)


@compiled(steps=lambda counts, strides: 3 * counts.size)
def _neighbours(counts, strides):
    """Return the indices of configurations with one more and one less job of each class; -1 where there is none."""
    up = np.full(counts.shape, -1, dtype=np.int32)  # there are fewer than 2**31
    down, keys = up.copy(), np.zeros(len(counts), dtype=np.int64)
    for k in range(len(counts)):
        for i in range(len(strides)):
            keys[k] += counts[k, i] * strides[i]
    for i in range(len(strides)):
        above = 0  # both grow, so that one walk finds all
        for k in range(len(keys)):
            while above < len(keys) and keys[above] < keys[k] + strides[i]:
                above += 1
            if above < len(keys) and keys[above] == keys[k] + strides[i]:
                up[k, i] = above
                down[above, i] = k
    return up, down


@dataclass(frozen=True)
class SaturatedState:
    """Hold the steady state of a saturated system."""

    configurations: Configurations
    probabilities: np.ndarray  # share of time by configuration and class of the head, shape (M, L); 0 where it fits
    throughput: float  # departures per unit of time
    residual: float  # relative change of the admission flow in one more pass
    sweeps: int  # passes that were needed


def saturated(
    configurations: Configurations,
    rates: ArrayLike,
    mix: ArrayLike,
    tolerance: float = FLOW_TOLERANCE,
) -> SaturatedState:
    """Solve the saturated system.

    Parameters
    ----------
    configurations : Configurations
    rates : sequence of float, shape (L,)
        Rate at which one job in service completes.
    mix : sequence of float, shape (L,) or (L, L)
        Probability that the next job in the queue is of each class: all positive if they are the same after each job,
        or a row for each class of the job before it.
    tolerance : float
        Largest relative change of the admission flow in one pass.

    Raises
    ------
    ArithmeticError
        If 20,000 passes, or as many as some minutes allow, did not converge, or rates lie so far apart that the answer
        could not be trusted.
    NotInTime
        If the budget of seconds, where a command has given one, is used up.

    Examples
    --------
    >>> state = saturated(configurations(6, [2, 3]), [1, 1], [.5, .5])
    >>> round(state.throughput * 23, 12)
    48.0
    """
    rates, mix = np.asarray(rates, dtype=float), np.asarray(mix, dtype=float)
    passes = _Passes(configurations, rates, mix)
    most_sweeps = min(MOST_SWEEPS, max(BASIS_VECTORS, MOST_VISITS // configurations.counts.size))

    def iterated():
        flow = _iterated(passes, tolerance, most_sweeps)
        if flow is None:
            return None, np.inf, np.inf
        found = _settled(passes, flow, tolerance)
        return found, found[1], _error(passes, *found)

    probabilities, residual = arnoldi.trusted(
        passes.size,
        (DENSE_UNKNOWNS, FEW_UNKNOWNS, PATIENT_UNKNOWNS),
        iterated,
        lambda: _settled(passes, _eliminated(passes), tolerance),
        lambda: f"{rates.min():.3g} to {rates.max():.3g}",
    )
    probabilities /= probabilities.sum()
    throughput = float((passes.departures @ probabilities).sum())
    return SaturatedState(configurations, probabilities, throughput, residual, passes.count)


def _settled(passes, flow, tolerance):
    """Return the probabilities of a flow after two more plain passes, and how much one more pass changes it."""
    # Sums of positive numbers, which repair the relative accuracy of small entries.
    flow = passes(flow, times=2)
    again, total = passes(flow), flow.sum()
    residual = float(np.abs(again - flow).sum() / total) if total > 0 else np.inf
    if not residual <= tolerance:
        raise ArithmeticError(
            f"the saturated system did not converge: residual {residual:.2g} after {passes.count} passes"
        )
    return passes.table.copy(), residual


def _error(passes, probabilities, residual):
    """Estimate of the relative error; a start is forgotten by the slowest job, or the order of classes, if slower."""
    admissions = float((probabilities.sum(axis=1) * passes.departures).sum() / probabilities.sum())
    moduli = np.sort(np.abs(np.linalg.eigvals(passes.heads.matrix))) if passes.heads.classes > 1 else np.zeros(2)
    forgotten = min(passes.rates.min() / admissions, 1 - moduli[-2])
    if passes.size <= FEW_UNKNOWNS:  # to find the gap takes about as long as to eliminate
        return max(residual, arnoldi.LEAST_RESIDUAL) / forgotten
    return arnoldi.estimated_error(passes, passes.size, residual, forgotten, BASIS_VECTORS)


class Heads(NamedTuple):
    """Say how the class of the next job in the queue is drawn, given that of the job before it."""

    classes: int
    """That are remembered: 1 if it is the same whatever came before."""
    repeats: np.ndarray
    """Part of the probability that falls on the same class again; float array, shape (L,)."""
    draws: np.ndarray
    """The other part: one row for all, shape (1, L), or a row for each class of the job before, shape (L, L)."""

    @classmethod
    def of(cls, mix: ArrayLike) -> Heads:
        """Take a mix or a matrix; a matrix that repeats or draws from one mix needs but one row of draws.

        >>> Heads.of([[0.75, 0.25], [0.25, 0.75]]).draws
        array([[0.25, 0.25]])
        """
        rows = np.atleast_2d(np.asarray(mix, dtype=float))
        if len(rows) == 1:
            return cls(1, np.zeros(rows.shape[1]), rows)
        others = rows[(np.arange(len(rows)) + 1) % len(rows), np.arange(len(rows))]  # of each column, off the diagonal
        repeats = np.diag(rows) - others
        one_mix = (rows - np.diag(np.diag(rows)) == others - np.diag(others)).all() and (repeats >= 0).all()
        return cls(len(rows), repeats, others[None]) if one_mix else cls(len(rows), 0 * repeats, rows)

    @property
    def matrix(self) -> np.ndarray:
        """Return the probabilities, shape (classes, L)."""
        return self.draws + np.diag(self.repeats) if self.classes > 1 else self.draws


class _Passes:
    """Apply the operator T to the admission flow into configurations at which the queue can stop."""

    def __init__(self, configurations, rates, mix):
        self.tables = configurations.counts, configurations.after_admission, configurations.after_departure
        self.rates = rates
        self.heads = Heads.of(mix)
        self.departures = configurations.counts @ rates
        stops = configurations.blocked @ self.heads.matrix.T
        if self.heads.classes > 1:
            stops[configurations.counts == 0] = 0.0  # what entered last is in service
        self.places = tuple(map(np.ascontiguousarray, stops.nonzero()))
        self.conserved = stops[self.places]  # T keeps the sum of conserved * flow
        self.size = len(self.conserved)
        self.count = 0
        self.everywhere, self.table = np.empty(stops.shape), np.empty(configurations.counts.shape)

    def __call__(self, flow, times=1):
        """Return the flow after so many passes, of which the last leaves the probabilities in `table`."""
        require_time()
        self.count += times
        _, repeats, draws = self.heads
        given = self.rates, repeats, draws, self.departures, *self.places, self.everywhere, self.table
        return _pass(*self.tables, *given, flow, times)

    def matrix(self):
        """Return the chain that T is if weighted by what it conserves, by passes that carry as much as memory holds."""
        T, columns = np.zeros((self.size, self.size)), max(1, NUMBERS_AT_ONCE // self.table.size)
        for first in range(0, self.size, columns):
            require_time()
            self.count += 1
            last = min(first + columns, self.size)
            given = self.rates, self.heads.matrix, self.departures, *self.places, self.conserved
            _reach(*self.tables, *given, first, last, T)
        return T


def _eliminated(passes):
    """Return the admission flow by state elimination on T, exact to rounding however stiff the rates."""
    return chain.stationary_of_recurrent_part(passes.matrix()) / passes.conserved


def _iterated(passes, tolerance, most_sweeps):
    """Return the admission flow by iterations; None where few unknowns would take many of them."""
    start = passes(passes(np.ones(passes.size)))
    if passes.size <= FEW_UNKNOWNS:
        return arnoldi.kept(passes, start, MOST_STEPS)
    basis = BASIS_VECTORS if passes.size <= LONG_VECTOR else FEW_VECTORS
    try:
        return arnoldi.dominant(passes, start, tolerance / 10, most_sweeps // basis, basis)
    except ArithmeticError:
        raise ArithmeticError(f"the saturated system did not converge in {passes.count} passes") from None


def departure_operator(configurations: Configurations, rates: ArrayLike, mix: ArrayLike) -> linalg.LinearOperator:
    """Return departures between the states of the saturated system, as an operator that stores no matrix.

    States are the pairs (configuration, class of a head that does not fit), in the order of
    ``numpy.nonzero(configurations.blocked)``. Entry (s, s') is the rate at which a departure leads from s to s'.

    Arguments are those of :func:`saturated`.

    Examples
    --------
    Two jobs of one class fit, each leaves at rate 3 and is replaced at once:

    >>> departure_operator(configurations(2, [1]), [3], [1]) @ np.eye(1)
    array([[6.]])
    """
    tables = configurations.counts, configurations.after_admission, configurations.after_departure
    rates, heads = np.asarray(rates, dtype=float), Heads.of(mix)
    states = np.nonzero(configurations.blocked)
    size = len(states[0])

    def matvec(values):
        require_time()
        everywhere = np.zeros(configurations.counts.shape)
        everywhere[states] = np.ravel(values)
        return _expected_after_departure(*tables, rates, heads, everywhere)[states]

    return linalg.LinearOperator((size, size), matvec=matvec, dtype=float)


@compiled()
def expected_at_entry(heads: Heads, values: np.ndarray, worth: np.ndarray) -> None:
    """Put into `worth`, by class that enters, the mean of the values by class of the head that is drawn then."""
    for j in range(heads.classes):
        worth[j] = heads.repeats[j] * values[j]
    for j in range(len(heads.draws)):
        drawn = 0.0
        for i in range(len(values)):
            drawn += heads.draws[j, i] * values[i]
        if len(heads.draws) == heads.classes:
            worth[j] += drawn
        else:
            worth += drawn


@compiled()
def _draw(repeats, draws, flow, k, head):
    """Put into `head`, by its class, the flow into a configuration, from that by class that enters."""
    head[:] = 0.0
    if len(draws) == 1:
        total = 0.0
        for j in range(len(head)):
            total += flow[k, j]
        for i in range(len(head)):
            head[i] = repeats[i] * flow[k, i] + draws[0, i] * total
        return
    for j in range(len(head)):
        if flow[k, j] != 0:
            for i in range(len(head)):
                head[i] += draws[j, i] * flow[k, j]


@compiled(steps=lambda counts, *_: counts.size * counts.shape[1])
def _expected_after_departure(counts, up, down, rates, heads, values):
    """Sum, over departures, rate times the mean value of the next state; `values` is overwritten."""
    m, classes = counts.shape
    alike, mix = heads.classes == 1, heads.draws[0]
    fresh = np.zeros((m, heads.classes))  # mean value of a configuration just entered, over the draw of the next head
    for k in range(m - 1, -1, -1):
        if alike:
            for i in range(classes):
                if up[k, i] >= 0:
                    values[k, i] = fresh[up[k, i], 0]
                fresh[k, 0] += mix[i] * values[k, i]
        else:
            for i in range(classes):
                if up[k, i] >= 0:
                    values[k, i] = fresh[up[k, i], i]
            expected_at_entry(heads, values[k], fresh[k])
    out = np.zeros((m, classes))
    for k in range(m):
        for i in range(classes):
            if up[k, i] < 0:
                for j in range(classes):
                    if counts[k, j] > 0:
                        out[k, i] += counts[k, j] * rates[j] * values[down[k, j], i]
    return out


@compiled(steps=lambda counts, *_: 2 * counts.size * counts.shape[1], error_model="numpy")
def _pass(counts, up, down, rates, repeats, draws, departures, rows, entered, everywhere, table, flow, times):
    """Pass down and up so often: return the admission flow after the last time, and fill the table.

    In `table` are probabilities. It and `everywhere`, the flow by configuration and class that entered, are
    overwritten: to allocate their memory takes as long as a pass.
    """
    m, classes = counts.shape
    here, head = np.empty(classes), np.empty(classes)
    alike, mix = everywhere.shape[1] == 1, draws[0]
    flow = flow.copy()
    for _ in range(times):
        table[:] = 0.0
        everywhere[:] = 0.0
        for x in range(len(flow)):
            everywhere[rows[x], entered[x]] = flow[x]
        for k in range(m - 1, -1, -1):
            stops, total = False, everywhere[k, 0]
            if not alike:
                _draw(repeats, draws, everywhere, k, head)
            for i in range(classes):
                here[i] = 0.0
                if up[k, i] < 0:
                    here[i] = table[k, i] = (table[k, i] + (mix[i] * total if alike else head[i])) / departures[k]
                    stops = True
            if stops:
                for j in range(classes):
                    if counts[k, j] > 0:
                        less, rate = down[k, j], counts[k, j] * rates[j]
                        for i in range(classes):
                            table[less, i] += here[i] * rate
        everywhere[:] = 0.0
        for k in range(m):  # each head that fits enters, and draws the next head
            total = everywhere[k, 0]
            if not alike:
                _draw(repeats, draws, everywhere, k, head)
            for i in range(classes):
                if up[k, i] >= 0:
                    everywhere[up[k, i], 0 if alike else i] += table[k, i] + (mix[i] * total if alike else head[i])
                    table[k, i] = 0.0
        for x in range(len(flow)):
            flow[x] = everywhere[rows[x], entered[x]]
    return flow


@compiled(steps=lambda counts, *given: counts.size * counts.shape[1] * len(given[-1]))
def _reach(counts, up, down, rates, chance, departures, rows, entrants, conserved, first, last, T):
    """Write columns of T, `first` to `last` - 1: what of a unit of flow comes there by a pass down and up, weighted.

    This is known of a configuration just entered once it is of larger ones, and of a stopped queue once it is of these
    and of smaller ones.
    """
    (m, classes), width = counts.shape, last - first
    entered, stopped = np.zeros((m, len(chance), width)), np.zeros((m, classes, width))
    number = np.full((m, len(chance)), -1)
    for x in range(len(rows)):
        number[rows[x], entrants[x]] = x
    for k in range(m - 1, -1, -1):
        for j in range(len(chance)):
            if first <= number[k, j] < last:
                entered[k, j, number[k, j] - first] = 1.0
            for i in range(classes):
                if up[k, i] >= 0:
                    more, entrant = up[k, i], min(i, len(chance) - 1)
                    for x in range(width):
                        entered[k, j, x] += chance[j, i] * entered[more, entrant, x]
    for k in range(m):
        for i in range(classes):
            if up[k, i] >= 0:
                continue
            for j in range(classes):
                if counts[k, j] > 0:
                    less, share = down[k, j], counts[k, j] * rates[j] / departures[k]
                    more, entrant = up[less, i], min(i, len(chance) - 1)
                    for x in range(width):
                        stopped[k, i, x] += share * (stopped[less, i, x] if more < 0 else entered[more, entrant, x])
            for j in range(len(chance)):
                if number[k, j] >= 0:
                    for x in range(width):
                        T[number[k, j], first + x] += chance[j, i] * stopped[k, i, x]
    for row in range(len(T)):
        for x in range(first, last):
            T[row, x] *= conserved[x] / conserved[row]
