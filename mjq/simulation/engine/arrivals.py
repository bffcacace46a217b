"""Sources of jobs: Poisson arrivals of classes with any service times, or a log.

The event loop asks a `Source` when the next job comes, of which class it is, and for how long it is served. Classes are
drawn when jobs arrive. Times are drawn when they start or, for policies that look at times, when they arrive.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq._util.compiling import compiled
from mjq.simulation.engine.heap import chosen, cumulative, phase_table, phase_time, record_type
from mjq.solvers.phase_type import PhaseType

MEANS_APART = 1e-9  # by which a rate and the mean of a law may differ, relative

LAW = record_type([("phases", np.int64), ("first", np.int64), ("length", np.int64)])
LOGGED = record_type(
    [
        # Of the job that comes next, in order of arrival:
        ("arrival", np.float64),
        ("kind", np.int32),
        ("number", np.int32),  # its place among all jobs in the order of the queue
        # Of the job with this number:
        ("work", np.float64),
        ("estimate", np.float64),
    ]
)
SAMPLE, LOGNORMAL, BOUNDED_PARETO = 0, -1, -2  # in place of a number of phases


class Source(NamedTuple):
    """Describe where jobs come from: what draws them or, if that is None, a log."""

    lam: float | None
    """Rate of Poisson arrivals."""
    shares: np.ndarray | None
    """Their classes, as cumulative probabilities; float array, shape (L,)."""
    laws: np.ndarray | None
    """Their service times: number of phases, or which other kind; where the law begins in `table`, and its length
    there; record array, shape (L,)."""
    table: np.ndarray | None
    """All phases, samples and parameters, one after the other; float array."""
    factor: float
    """By which estimates exceed service times."""
    log: np.ndarray | None
    """Instead of all that: jobs in order of arrival, each with its class and its number, and service times and
    estimates in the order of these numbers. It is the order of arrival but where some jobs go before others; record
    array, shape (n,), optional."""


@dataclass(frozen=True)
class Lognormal:
    """Describe times whose logarithms are normal.

    Attributes
    ----------
    mean : float
    scv : float
        Squared coefficient of variation, the variance over the squared mean.

    Examples
    --------
    >>> Lognormal(2.0, 3.0).parameters.round(4).tolist()
    [0.0, 1.1774]
    """

    mean: float
    scv: float

    def __post_init__(self):
        checks.positive("mean and scv of a lognormal distribution", (self.mean, self.scv))

    @property
    def parameters(self) -> np.ndarray:
        """Return the mean and the standard deviation of the logarithm."""
        variance = math.log1p(self.scv)
        return np.array([math.log(self.mean) - variance / 2, math.sqrt(variance)])


@dataclass(frozen=True)
class BoundedPareto:
    """Describe times with a density proportional to t**(-shape - 1) between `low` and `high`.

    Attributes
    ----------
    low, high, shape : float

    Examples
    --------
    >>> round(BoundedPareto(1.0, 4.0, 1.0).mean, 4)
    1.8484
    """

    low: float
    high: float
    shape: float

    def __post_init__(self):
        low, high, _ = checks.positive("low, high and shape of a bounded Pareto distribution", self.parameters)
        checks.inside("low of a bounded Pareto distribution", low, 0, high)

    @property
    def mean(self) -> float:
        """Return the mean time."""
        low, high, shape = self.low, self.high, self.shape
        mass = (1 - (low / high) ** shape) / (shape * low**shape)
        whole = math.log(high / low) if shape == 1 else (high ** (1 - shape) - low ** (1 - shape)) / (1 - shape)
        return whole / mass

    @property
    def parameters(self) -> np.ndarray:
        """Return the shape, the lower and the upper end."""
        return np.array([self.low, self.high, self.shape])


Law = PhaseType | Lognormal | BoundedPareto | np.ndarray  # an array: times, all equally likely
Service = Sequence[Law | ArrayLike]  # as users give it: the distribution of each class


def poisson(lam: float, p: ArrayLike, service: Sequence[Law], factor: float = 1.0) -> Source:
    """Return a source of Poisson arrivals of rate `lam`, each of class k with probability ``p[k]``.

    Parameters
    ----------
    lam : float
    p : sequence of float, shape (L,)
    service : sequence, length L
        As :func:`laws` gives them.
    factor : float
        By which estimates exceed service times.
    """
    kinds, tables = zip(*(_numbers_of(law) for law in service), strict=True)
    records = np.zeros(len(service), LAW)
    records["phases"] = kinds
    lengths = [len(table) for table in tables]
    records["length"], records["first"] = lengths, np.cumsum([0, *lengths[:-1]])
    return Source(float(lam), cumulative(p), records, np.concatenate(tables), float(factor), None)


def _numbers_of(law):
    """Return a distribution as plain numbers: which kind it is, and its part of the table."""
    if isinstance(law, PhaseType):
        return law.phases, phase_table(law)
    if isinstance(law, Lognormal):
        return LOGNORMAL, law.parameters
    if isinstance(law, BoundedPareto):
        return BOUNDED_PARETO, law.parameters
    return SAMPLE, law


def logged(
    arrival: np.ndarray,
    kind: np.ndarray,
    work: np.ndarray,
    estimate: np.ndarray,
    order: np.ndarray | slice = slice(None),
    queue: np.ndarray | None = None,
) -> Source:
    """Return a log as a source: when each job comes, its class, service time and estimate, in the order of arrival.

    Where the jobs are in another order, `order` is that of their arrivals. Where some go before others, `queue` is the
    order in which all would queue. One column is sorted at a time, as a log may be long.
    """
    log = np.empty(len(arrival), LOGGED)
    log["number"] = np.arange(len(arrival))
    if queue is not None:
        place = np.empty(len(arrival), np.int32)
        place[queue] = log["number"]
        log["number"] = place[order]
    for name, column in (("arrival", arrival), ("kind", kind)):
        log[name] = column[order]
    for name, column in (("work", work), ("estimate", estimate)):
        log[name] = column[order if queue is None else queue]
    return Source(None, None, None, None, 1.0, log)


def laws(service: Service) -> list[Law]:
    """Return distributions of service times, one for each class.

    Each is a `PhaseType`, a `Lognormal`, a `BoundedPareto`, a number (always that time), or a sequence of times, all
    equally likely.

    Examples
    --------
    >>> from mjq.solvers.phase_type import exponential
    >>> laws([exponential(2.0), 3, [1, 1, 4]])[1:]
    [array([3.]), array([1., 1., 4.])]
    """
    if not isinstance(service, (list, tuple, np.ndarray)):
        raise ValueError(f"service must be a sequence with one distribution for each class, got {service!r}")
    return [_law(f"service of class {k}", law) for k, law in enumerate(service)]


def _law(name, given):
    if isinstance(given, (PhaseType, Lognormal, BoundedPareto)):
        return given
    times = checks.not_negative(name, np.atleast_1d(given))
    if not len(times) or not times.mean() > 0:
        mean = f"mean {checks.shown(times.mean())}" if len(times) else "no time"
        raise ValueError(f"{name} must be a PhaseType, a positive time or several times: {mean}")
    return times.copy()


def checked(
    B: Any, b: ArrayLike, mu: ArrayLike | None, p: ArrayLike, service: Service | None, whole: str = "resource"
) -> tuple[Any, np.ndarray, np.ndarray, list[Law]]:
    """Return resource, needs, mix and laws of service times, exponential with rate `mu` if there is no `service`.

    With `service`, `mu` is None or says the same.
    """
    if service is None:
        if mu is None:
            raise ValueError("mu must be numbers if there is no service, got None")
        B, b, mu, p = checks.multiserver(B, b, mu, p, several=True, whole=whole)
        return B, b, p, [PhaseType([1.0], [[-rate]]) for rate in mu]
    given = laws(service)
    rates = np.array([1 / (law.mean() if isinstance(law, np.ndarray) else law.mean) for law in given])
    if mu is not None:
        mu = checks.positive("mu", mu)
        if mu.shape != rates.shape or not np.allclose(mu, rates, rtol=MEANS_APART, atol=0):
            raise ValueError(
                f"mu must be one over the mean of each service distribution, {checks.shown(rates)}, or None; "
                f"got {checks.shown(mu)}"
            )
    B, b, _, p = checks.multiserver(B, b, rates, p, several=True, whole=whole)
    return B, b, p, given


@compiled(borrowing=True, error_model="numpy")
def next_arrival(rng, lam, log, arrived, now):
    """Return when the next job comes after the one that came now; infinity after the end of a log."""
    then = np.inf
    if lam is not None:
        then = now + rng.standard_exponential() / lam
    if log is not None and arrived < len(log):
        then = log[arrived].arrival
    return then


@compiled(borrowing=True, error_model="numpy")
def class_of(rng, shares, log, number):
    """Return the class of the job with this number of arrivals before it."""
    kind = 0
    if shares is not None:
        kind = chosen(rng.random(), shares)
    if log is not None:
        kind = log[number].kind
    return kind


@compiled(borrowing=True, error_model="numpy")
def number_of(log, arrived):
    """Return the number of the job before which this many arrived."""
    if log is not None:
        return log[arrived].number
    return arrived


@compiled(borrowing=True, error_model="numpy")
def service_time(rng, laws, table, kind):
    """Draw the service time of a job of this class."""
    law = laws[kind]
    if law.phases == 1:
        return rng.standard_exponential() / table[law.first + 1]
    if law.phases == SAMPLE:
        return table[law.first + int(rng.random() * law.length)]
    if law.phases == LOGNORMAL:
        return math.exp(table[law.first] + table[law.first + 1] * rng.standard_normal())
    if law.phases == BOUNDED_PARETO:
        low, high, shape = table[law.first], table[law.first + 1], table[law.first + 2]
        return low * (1 - rng.random() * (1 - (low / high) ** shape)) ** (-1 / shape)
    return phase_time(rng, table, law.first, law.phases)


@compiled(borrowing=True, error_model="numpy")
def estimate(factor, log, number, service):
    """Return the estimated service time of the job with this service time."""
    if log is not None:
        return log[number].estimate
    return factor * service
