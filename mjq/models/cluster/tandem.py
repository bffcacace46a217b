"""The steady state of a finite queue, a preparatory server, and a resource that drains between two admissions.

Jobs come in a Poisson stream and wait in a queue of `places` places. One at a time they enter the preparatory server
and draw their class there. A job that fits into the free resource is prepared at a constant rate and then holds its
share of the resource until it completes; one that does not fit yet stays where it is.

The chain has a state for each length `q` of the queue, class `n` in preparation (or none) and configuration `k` of the
resource. Three facts make tens of millions of states easy:

* A job that enters preparation has a class independent of everything before. So the rate of entrances that leave state
  `(q, n, k)` is :math:`p_n y_{k q}`, and the matrix `y`, one number for each configuration and queue, is all that is
  unknown.
* Given `y`, arrivals only lengthen the queue and completions only shrink the configuration. One sweep, shorter queues
  and larger configurations first, gives every probability, and with them the entrances again: :math:`y = H y`.
* Of jobs that do not fit, the class does not matter until they fit, and in a larger configuration they fit even less:
  they are followed together, and the states of a class in preparation only where it fits.

After each entrance there comes exactly one more, so H keeps the sum of `y`: it moves the state just after one entrance
to the state just after the next. No generator is stored.

**The sweep.** In each of its three parts, what comes into a state is divided by the rate at which the state is left: by
completions, by an arrival where the queue has a place, by preparation where a job fits. That is the time in the state.
In parts 1 and 2 it is computed as if the class had probability 1, and weighed afterwards.

1. *Jobs that do not fit.* From the largest configuration to the smallest, add to :math:`y_k` what completions bring
   from larger configurations, for all lengths of the queue. From the shortest queue to the longest, arrivals move on to
   the next length. Weigh with the probability of a class that does not fit into `k`.
2. *Jobs that fit*, class by class. Do the same where the class fits; what completions bring from a configuration into
   which it did not fit is that of part 1. Preparation leads, at its rate times the weighed time, to the configuration
   with one job more. If somebody waits, this is an entrance, and the queue is shorter by one. Else nobody is in
   preparation then.
3. *Nobody in preparation.* From the largest configuration to the smallest, completions move on, and each arrival is an
   entrance with an empty queue.

**The algorithm**

1. With up to 300 unknowns, form H by a sweep for each unknown, eliminate (:mod:`mjq.solvers.chain`), and end with
   step 3. Otherwise begin with a guess: jobs of each class in service are Poisson, the queue is geometric, both
   independent.
2. Find the dominant eigenvector of H by Arnoldi iterations with 12 vectors (:mod:`mjq.solvers.arnoldi`).
3. Sweep plainly twice and measure by how much `y` still changes.
4. The iterations are accurate relative to the largest entrances. What is rare, such as a full queue, gets its digits
   from further plain sweeps, sums of positive numbers, until no measure would change by more than 1e-10 of itself.
5. Estimate the error. If it is above 1e-9, form H and eliminate up to 3000 unknowns, and refuse more.

**Cost.** With M configurations, L classes and C places, a sweep takes time of the order of :math:`M L^2 (C + 1)`.
Memory is for some thirty vectors of :math:`M (C + 1)` numbers and tables of :math:`8 M L`. A count gives 37 sweeps for
the 235,155 states of the paper's sixteen servers, and 133 to 179 for 1500 servers with sizes 10 and 100.

**Accuracy.** Tests compare it with state elimination on the whole generator: see ``mjq.models.cluster.steady``.

Source: ours. The paper eliminates the levels of the queue one by one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from mjq._util.budget import require_time
from mjq._util.compiling import compiled
from mjq.solvers import arnoldi, chain, drain, sums

RESIDUAL_TOLERANCE = 1e-13  # relative, of the iterations
RESIDUAL_LOSS = 100  # times as large the residual of the answer may be
MEASURE_TOLERANCE = 1e-10  # relative, of each measure, by what plain sweeps still change about it
SMALLEST_MEASURE = 1e-30  # to which that applies
MOST_PLAIN_SWEEPS = 400
RATIOS = 0.9, 0.999  # of one change to the one before, as it may be taken for what comes
DENSE_UNKNOWNS = 300  # up to which H is formed and eliminated: exact to rounding, in some milliseconds
PATIENT_UNKNOWNS = 3000  # up to which H is formed and eliminated where the iterations cannot be trusted
BASIS_VECTORS = 12  # to keep: more save few sweeps, and cost memory and the time to combine them
LEAST_LOG_WEIGHT = -600  # of a configuration to begin with: none must vanish
MOST_SWEEPS = 20_000
MOST_VISITS = 20_000_000_000  # states, over all sweeps: ten minutes


@dataclass(frozen=True)
class TandemState:
    """Hold the steady state of the tandem."""

    queue: np.ndarray  # distribution of the number of jobs in the queue, shape (places + 1,)
    resource: np.ndarray  # distribution of the configuration, shape (M,)
    preparing: np.ndarray  # distribution of the class in preparation, shape (L + 1,); entry 0: none
    moving: float  # rate at which jobs move from preparation to the resource
    residual: float  # sum over all states of what flows in less what flows out, in absolute value
    sweeps: int  # that were needed


class Tandem:
    """Apply the operator H to the entrances into preparation.

    Parameters
    ----------
    configurations : Configurations
        All configurations of the resource, empty ones included.
    arrival, preparation : float
        Rates, per unit of time.
    rates, mix : sequence of float, shape (L,)
        Rate at which a job of each class in service completes; probability of each class.
    places : int
        Places in the queue.
    """

    def __init__(
        self,
        configurations: drain.Configurations,
        arrival: float,
        preparation: float,
        rates: ArrayLike,
        mix: ArrayLike,
        places: int,
    ):
        counts, up = configurations.counts, configurations.after_admission
        rates, mix = np.asarray(rates, dtype=float), np.asarray(mix, dtype=float)
        rows, classes = np.nonzero(up >= 0)
        starts = np.searchsorted(rows, np.arange(len(counts) + 1))
        # What completes into a configuration: out of which larger one, and at which rate.
        inflow = (counts[rows, classes] + 1) * rates[classes]
        self.tables = (
            up.T.copy(), starts, up[rows, classes], inflow, counts @ rates, float(arrival), float(preparation), mix
        )  # fmt: skip
        self.shape = len(counts), places + 1
        self.counts, self.loads, self.preparation_load = counts, arrival * mix / rates, min(1.0, arrival / preparation)
        self.size = self.shape[0] * self.shape[1]
        self.slowest_rate = float(min(arrival, preparation, *rates))
        self.sweeps = 0

    def sweep(self, entrances: np.ndarray) -> tuple:
        """Return the entrances again, and how much time goes with each queue, configuration and class."""
        require_time()
        self.sweeps += 1
        return _sweep(*self.tables, np.ascontiguousarray(entrances).reshape(self.shape))

    def __call__(self, entrances: np.ndarray) -> np.ndarray:
        """Return the entrances after one sweep."""
        return self.sweep(entrances)[0].ravel()


def unblocked(tandem: Tandem) -> np.ndarray:
    """Return the entrances for jobs that always fit, with queue and resource independent, as a start for iterations.

    The number of jobs of each class in service would be a Poisson variable, the queue geometric.
    """
    logs = special.xlogy(tandem.counts, tandem.loads).sum(axis=1) - special.gammaln(tandem.counts + 1.0).sum(axis=1)
    weights = np.exp(np.maximum(logs - logs.max(), LEAST_LOG_WEIGHT))
    return np.outer(weights, tandem.preparation_load ** np.arange(tandem.shape[1])).ravel()


def steady_state(tandem: Tandem) -> TandemState:
    """Solve :math:`y = H y`, by state elimination if it is small, else by Arnoldi iterations on the sweep.

    Raises
    ------
    ArithmeticError
        If 20,000 sweeps, or as many as some minutes allow, did not converge, or rates lie so far apart that the answer
        could not be trusted.

    Examples
    --------
    One place, one class, instant preparation nearly: M/M/1 with three places.

    >>> from mjq.solvers import drain
    >>> one = Tandem(drain.configurations(1, [1], most_free=1), 1.0, 1e9, [1.0], [1.0], places=1)
    >>> steady_state(one).queue.round(6)
    array([0.75, 0.25])
    """
    states = tandem.size * len(tandem.tables[-1])
    most_sweeps = min(MOST_SWEEPS, max(2 * BASIS_VECTORS, MOST_VISITS // states))

    def iterated():
        flow = _dominant(tandem, tandem(tandem(unblocked(tandem))), most_sweeps)
        flow, residual, times = _settled(tandem, flow)
        flow, times, change = _polished(tandem, flow, times, min(MOST_PLAIN_SWEEPS, most_sweeps))
        return (flow, residual, times), residual, max(change, _error(tandem, times, residual))

    flow, residual, times = arnoldi.trusted(
        tandem.size,
        (DENSE_UNKNOWNS, 0, PATIENT_UNKNOWNS),
        iterated,
        lambda: _settled(tandem, _eliminated(tandem)),
        lambda: f"down to {tandem.slowest_rate:.3g}",
    )
    queue, resource, preparing, moving = times
    total = queue.sum()
    return TandemState(
        queue / total, resource / total, preparing / total, moving / total, residual * flow.sum() / total, tandem.sweeps
    )


def _eliminated(tandem):
    """Return the entrances by state elimination on H, exact to rounding however far apart the rates lie."""
    return chain.stationary_of_recurrent_part(np.array([tandem(unit) for unit in np.eye(tandem.size)]))


def _settled(tandem, flow):
    """Return the entrances after two plain sweeps, their change in one more, and the times that belong to them."""
    # Positive sums, which repair the relative accuracy of small entries.
    flow = tandem(tandem(flow))
    again, *times = tandem.sweep(flow)
    residual = float(np.abs(again.ravel() - flow).sum() / flow.sum())
    if not residual <= RESIDUAL_LOSS * RESIDUAL_TOLERANCE:
        raise ArithmeticError(
            f"the tandem did not converge: relative residual {residual:.2g} after {tandem.sweeps} sweeps"
        )
    return again.ravel(), residual, times


def _polished(tandem, flow, times, most_sweeps):
    """Sweep on until no measure would change any more; return the entrances, the times, and by how much one would."""
    before, last, error = _measures(tandem, times), np.inf, np.inf
    for _ in range(most_sweeps):
        flow, *times = tandem.sweep(flow)
        now = _measures(tandem, times)
        change = float((np.abs(now - before) / np.maximum(now, SMALLEST_MEASURE)).max())
        ratio = np.clip(change / last, *RATIOS) if last < np.inf else RATIOS[1]
        error = change * ratio / (1 - ratio)  # of all sweeps to come, as they go on like this
        if error <= MEASURE_TOLERANCE:
            break
        before, last = now, change
    return flow.ravel(), times, error


def _measures(tandem, times):
    """Return what is asked of the steady state: the full queue, its mean, who moves, and jobs of each class in it."""
    queue, resource, preparing, moving = times
    mean = queue @ np.arange(len(queue))
    return np.array([queue[-1], mean, moving, *preparing, *(resource @ tandem.counts)]) / queue.sum()


def _error(tandem, times, residual):
    """Estimate of the relative error; the slowest rate, for each entrance, is what a start is forgotten at."""
    queue, _, _, moving = times
    slowest = tandem.slowest_rate * queue.sum() / moving
    return arnoldi.estimated_error(tandem, tandem.size, residual, slowest, BASIS_VECTORS)


def _dominant(tandem, start, most_sweeps):
    basis = min(BASIS_VECTORS, tandem.size)
    try:
        return arnoldi.dominant(tandem, start, RESIDUAL_TOLERANCE, most_sweeps // basis, basis)
    except ArithmeticError:
        if tandem.size <= PATIENT_UNKNOWNS:
            return _eliminated(tandem)
        raise ArithmeticError(f"the tandem did not converge in {tandem.sweeps} sweeps") from None


@compiled()
def _sweep(up, starts, larger, inflow, departures, arrival, preparation, mix, entrances):
    """Sweep once over all states; see the module's docstring.

    Larger configurations come later in the lists. `held` and `time` hold the states with a class in preparation, for
    a class of probability 1, all queues side by side: `held` those of any class that does not fit, `time` those of the
    class at hand where it fits; `idle` the rate of entrances into, then the time in, the states with nobody in
    preparation.
    """
    m, width = entrances.shape
    again = np.zeros((m, width))
    queue, resource, preparing = np.zeros(width), np.zeros(m), np.zeros(len(mix) + 1)
    idle = np.zeros(m)
    held, time = np.empty((m, width)), np.empty((m, width))
    moving = 0.0
    for k in range(m - 1, -1, -1):
        share = 0.0  # of the jobs that do not fit
        for n in range(len(mix)):
            share += mix[n] if up[n, k] < 0 else 0.0
        if share == 0.0:
            continue
        row = held[k]
        for q in range(width):
            row[q] = entrances[k, q]
        for e in range(starts[k], starts[k + 1]):
            other = held[larger[e]]
            for q in range(width):
                row[q] += inflow[e] * other[q]
        total = _along_the_queue(row, departures[k], arrival)
        for q in range(width):
            queue[q] += share * row[q]
        resource[k] += share * total
        for n in range(len(mix)):
            preparing[n + 1] += mix[n] * total if up[n, k] < 0 else 0.0
    for n in range(len(mix)):
        moved = preparation * mix[n]
        for k in range(m - 1, -1, -1):
            after = up[n, k]
            if after < 0:
                continue
            row = time[k]
            for q in range(width):
                row[q] = entrances[k, q]
            for e in range(starts[k], starts[k + 1]):
                other = time[larger[e]] if up[n, larger[e]] >= 0 else held[larger[e]]
                for q in range(width):
                    row[q] += inflow[e] * other[q]
            total = _along_the_queue(row, departures[k] + preparation, arrival)
            for q in range(width):
                queue[q] += mix[n] * row[q]
            resource[k] += mix[n] * total
            preparing[n + 1] += mix[n] * total
            moving += moved * total
            idle[after] += moved * row[0]
            for q in range(1, width):
                again[after, q - 1] += moved * row[q]
    for k in range(m - 1, -1, -1):
        for e in range(starts[k], starts[k + 1]):
            idle[k] += inflow[e] * idle[larger[e]]
        idle[k] /= departures[k] + arrival
        queue[0] += idle[k]
        resource[k] += idle[k]
        preparing[0] += idle[k]
        again[k, 0] += arrival * idle[k]
    return again, queue, resource, preparing, moving


@compiled()
def _along_the_queue(row, leaving, arrival):
    """Turn the rates into states with queues of each length into the times there, and return their sum."""
    width = len(row)
    # One division for all queues but the longest, at which nobody can join.
    stay = 1.0 / (leaving + arrival)
    for q in range(width - 1):
        row[q] *= stay
    row[width - 1] /= leaving
    for q in range(1, width - 1):
        row[q] += arrival * stay * row[q - 1]
    if width > 1:
        row[width - 1] += arrival / leaving * row[width - 2]
    return sums.total(row)
