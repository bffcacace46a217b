"""[SW23] Further ways to the entrances of a large cluster: sweeps with aggregation, and sweeps in alternating order.

Both keep the probabilities of all states, an array for each class in preparation, where
:mod:`mjq.models.cluster.tandem` keeps one at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from mjq._util.compiling import numba
from mjq.models.cluster.tandem import Tandem
from mjq.solvers.drain import Configurations

SMALLEST, LARGEST = 1e-3, 1e3  # factors by which one correction may change a group of states
OFTEN = 10  # every so many sweeps the configurations are corrected, too


class States:
    """Hold the probabilities of all states of a tandem.

    Attributes
    ----------
    time : float array, shape (L, M, places + 1)
        With a class in preparation: class, configuration, queue.
    idle : float array, shape (M,)
        With nobody in preparation.
    """

    def __init__(self, tandem: Tandem, configurations: Configurations):
        self.tables, self.configurations = tandem.tables, configurations
        self.smaller = configurations.after_departure.T.copy()
        self.time = np.empty((len(self.smaller), *tandem.shape))
        self.idle = np.empty(tandem.shape[0])

    def sweep(self, entrances: np.ndarray) -> None:
        """Set the probabilities to those that go with these entrances."""
        _sweep(*self.tables, entrances.reshape(self.time.shape[1:]), self.time, self.idle)

    def entrances(self) -> np.ndarray:
        """Return the entrances that go with these probabilities."""
        up, *_, arrival, preparation, _ = self.tables
        return _entrances(up, arrival, preparation, self.time, self.idle)

    def turn(self, upwards: bool) -> None:
        """Sweep once over the configurations in either order, and use new values at once."""
        _alternate(upwards, self.smaller, *self.tables, self.time, self.idle)


def alternating(tandem: Tandem, configurations: Configurations, start: np.ndarray, sweeps: int) -> Iterator[np.ndarray]:
    """Yield the entrances after each of `sweeps` sweeps, upwards and downwards in turn."""
    states = States(tandem, configurations)
    states.sweep(start)
    for k in range(sweeps):
        states.turn(upwards=k % 2 == 0)
        yield states.entrances().ravel()


def aggregated(
    tandem: Tandem, configurations: Configurations, rates: Sequence[float], start: np.ndarray, sweeps: int
) -> Iterator[np.ndarray]:
    """Yield the entrances after each sweep with aggregation, as they were before the correction.

    After a sweep, states are put into groups, and the weights of the groups are replaced by the stationary
    distribution of the chain between groups; within a group the proportions stay. The groups are those of equal queue,
    class in preparation and number of jobs of the last class; every few sweeps those of equal configuration, too.
    """
    states = States(tandem, configurations)
    flow = np.asarray(start).reshape(tandem.shape)
    for k in range(sweeps):
        states.sweep(flow)
        yield states.entrances().ravel()
        if k % OFTEN == OFTEN - 1:
            factors = _by_configuration(states, rates)
            states.time *= factors[None, :, None]
            states.idle *= factors
        idle, time = _by_queue(states, rates)
        last = configurations.counts[:, -1]
        states.time *= np.moveaxis(time, 2, 0)[:, last]
        states.idle *= idle[last]
        flow = states.entrances()


def _by_configuration(states, rates):
    """Return factors that balance the configurations against each other."""
    up, *_, preparation, _ = states.tables
    counts, smaller = states.configurations.counts, states.smaller
    time = states.time.sum(axis=2)
    weights = time.sum(axis=0) + states.idle
    moves = []
    for n, rate in enumerate(rates):
        k = np.flatnonzero(up[n] >= 0)
        share = np.divide(time[n, k], weights[k], out=np.ones(len(k)), where=weights[k] > 0)
        moves.append((k, up[n, k], preparation * share))
        k = np.flatnonzero(smaller[n] >= 0)
        moves.append((k, smaller[n, k], counts[k, n] * rate))
    return _factors(moves, weights)


def _by_queue(states, rates):
    """Return factors that balance the groups of equal queue, class in preparation and jobs of the last class."""
    up, *_, arrival, preparation, mix = states.tables
    last = states.configurations.counts[:, -1].astype(np.int64)
    time, fitting, idle = _groups(up, last, states.time, states.idle)
    most, width, classes = time.shape
    jobs, queue, at = np.indices(time.shape)
    # Group 0 of each number of jobs has nobody in preparation.
    first = np.arange(most) * (width * classes + 1)
    group = 1 + first[jobs] + queue * classes + at
    rate = preparation * np.divide(fitting, time, out=np.ones(time.shape), where=time > 0)
    joins, fits = queue < width - 1, jobs + (at == classes - 1) < most
    after = np.minimum(jobs + (at == classes - 1), most - 1)
    moves = [(group[joins], group[joins] + classes, arrival)]
    moves.append((group[1:], group[:-1], jobs[1:] * rates[-1]))
    moves.append((first[1:], first[:-1], np.arange(1, most) * rates[-1]))
    empty, waiting = fits & (queue == 0), fits & (queue > 0)
    moves.append((group[empty], first[after[empty]], rate[empty]))
    for n, chance in enumerate(mix):
        moves.append((first, first + 1 + n, arrival * chance))
        to = 1 + first[after] + (queue - 1) * classes + n
        moves.append((group[waiting], to[waiting], chance * rate[waiting]))
    weights = np.column_stack([idle, time.reshape(most, -1)])
    factors = _factors(moves, weights.ravel()).reshape(weights.shape)
    return factors[:, 0], factors[:, 1:].reshape(time.shape)


def _factors(moves, weights):
    """Return the stationary distribution of the chain with these moves, relative to the weights, within bounds."""
    tables = [[x.ravel() for x in np.broadcast_arrays(*move)] for move in moves]
    rows, columns, rates = (np.concatenate(x) for x in zip(*tables, strict=True))
    n = len(weights)
    Q = sparse.coo_array((rates.astype(float), (rows, columns)), shape=(n, n)).tocsr()
    A = (sparse.diags_array(Q.sum(axis=1)) - Q).T.tocsc()
    fixed = int(np.argmax(weights))
    others = np.flatnonzero(np.arange(n) != fixed)
    options = dict(permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=dict(SymmetricMode=True))
    solution = np.ones(n)
    solution[others] = linalg.splu(A[others][:, others], **options).solve(-A[others][:, [fixed]].toarray().ravel())
    target = solution / solution.sum() * weights.sum()
    return np.clip(np.divide(target, weights, out=np.ones(n), where=weights > 0), SMALLEST, LARGEST)


@numba.njit(cache=True, nogil=True)
def _groups(up, last, time, idle):
    """Return the time with each number of last-class jobs, queue and class in preparation; the part that fits; idle."""
    classes, m, width = time.shape
    most = last.max() + 1
    total, fitting = np.zeros((most, width, classes)), np.zeros((most, width, classes))
    free = np.zeros(most)
    for n in range(classes):
        for k in range(m):
            for q in range(width):
                total[last[k], q, n] += time[n, k, q]
                if up[n, k] >= 0:
                    fitting[last[k], q, n] += time[n, k, q]
    for k in range(m):
        free[last[k]] += idle[k]
    return total, fitting, free


@numba.njit(cache=True, nogil=True)
def _entrances(up, arrival, preparation, time, idle):
    classes, m, width = time.shape
    entrances = np.zeros((m, width))
    for n in range(classes):
        for k in range(m):
            if up[n, k] >= 0:
                for q in range(1, width):
                    entrances[up[n, k], q - 1] += preparation * time[n, k, q]
    for k in range(m):
        entrances[k, 0] += arrival * idle[k]
    return entrances


@numba.njit(cache=True, nogil=True)
def _balance(n, k, entrances, up, starts, larger, inflow, departures, arrival, preparation, mix, time):
    """Balance all queues with one class and configuration, from entrances and larger configurations."""
    width = len(entrances)
    row = time[n, k]
    for q in range(width):
        row[q] = mix[n] * entrances[q]
    for e in range(starts[k], starts[k + 1]):
        other = time[n, larger[e]]
        for q in range(width):
            row[q] += inflow[e] * other[q]
    leaving = departures[k] + (preparation if up[n, k] >= 0 else 0.0)
    for q in range(width):
        if q:
            row[q] += arrival * row[q - 1]
        row[q] /= leaving + (arrival if q < width - 1 else 0.0)


@numba.njit(cache=True, nogil=True)
def _sweep(up, starts, larger, inflow, departures, arrival, preparation, mix, entrances, time, idle):
    """Make the sweep of :mod:`mjq.models.cluster.tandem`, and keep all probabilities."""
    classes, m, width = time.shape
    idle[:] = 0.0
    for n in range(classes):
        for k in range(m - 1, -1, -1):
            _balance(
                n, k, entrances[k], up, starts, larger, inflow, departures, arrival, preparation, mix, time
            )  # fmt: skip
            if up[n, k] >= 0:
                idle[up[n, k]] += preparation * time[n, k, 0]
    for k in range(m - 1, -1, -1):
        for e in range(starts[k], starts[k + 1]):
            idle[k] += inflow[e] * idle[larger[e]]
        idle[k] /= departures[k] + arrival


@numba.njit(cache=True, nogil=True)
def _alternate(
    upwards, smaller, up, starts, larger, inflow, departures, arrival, preparation, mix, time, idle
):  # fmt: skip
    """Balance one configuration after the other, from small to large ones or back."""
    classes, m, width = time.shape
    entrances = np.empty(width)
    for step in range(m):
        k = step if upwards else m - 1 - step
        into = 0.0
        entrances[:] = 0.0
        for n in range(classes):
            before = smaller[n, k]
            if before >= 0:
                into += preparation * time[n, before, 0]
                for q in range(1, width):
                    entrances[q - 1] += preparation * time[n, before, q]
        for e in range(starts[k], starts[k + 1]):
            into += inflow[e] * idle[larger[e]]
        idle[k] = into / (departures[k] + arrival)
        entrances[0] += arrival * idle[k]
        for n in range(classes):
            _balance(
                n, k, entrances, up, starts, larger, inflow, departures, arrival, preparation, mix, time
            )  # fmt: skip
