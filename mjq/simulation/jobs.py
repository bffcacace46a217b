"""Where jobs come from: Poisson arrivals of classes with any service times, or a log.

The event loop asks a `Source` when the next job comes, of which class it is, and, when it starts, for how long it is
served. Classes are drawn when jobs arrive and times when they start: no policy so far looks at times beforehand.
"""

from typing import NamedTuple

import numba
import numpy as np

from mjq import checks
from mjq.simulation.events import chosen, cumulative, phase_table, phase_time
from mjq.solvers.phase_type import PhaseType

MEANS_APART = 1e-9  # by which a rate and the mean of a law may differ, relative

LAW = np.dtype([("phases", np.int64), ("first", np.int64), ("length", np.int64)])
LOGGED = np.dtype([("arrival", np.float64), ("kind", np.int64), ("work", np.float64)])


class Source(NamedTuple):
    """Where jobs come from; one type for all, so that the event loop is compiled once.

    Attributes
    ----------
    lam : float
        Rate of Poisson arrivals.
    shares : float array, shape (L,)
        Their classes, as cumulative probabilities.
    laws : record array, shape (L,)
        Their service times: number of phases, or 0 for a sample; where the law begins in `table`, and its length there.
    table : float array
        All phases and samples, one after the other.
    log : record array, shape (n,)
        Instead of all that: jobs in order of arrival, each with its class and service time.
    """

    lam: float
    shares: np.ndarray
    laws: np.ndarray
    table: np.ndarray
    log: np.ndarray


def poisson(lam, p, service):
    """Poisson arrivals of rate `lam`, each of class k with probability ``p[k]`` and served for a time of its law.

    Parameters
    ----------
    lam : float
    p : sequence of float, shape (L,)
    service : sequence, length L
        As :func:`laws` gives them.
    """
    tables = [phase_table(law) if isinstance(law, PhaseType) else law for law in service]
    found = np.zeros(len(service), LAW)
    found["phases"] = [law.phases if isinstance(law, PhaseType) else 0 for law in service]
    found["length"] = [len(table) for table in tables]
    found["first"] = np.cumsum(found["length"]) - found["length"]
    return Source(float(lam), cumulative(p), found, np.concatenate(tables), np.empty(0, LOGGED))


def logged(arrival, kind, work):
    """A log of jobs: arrival times in order, the class of each, its service time."""
    log = np.empty(len(arrival), LOGGED)
    log["arrival"], log["kind"], log["work"] = arrival, kind, work
    return Source(0.0, np.empty(0), np.empty(0, LAW), np.empty(0), log)


def laws(service):
    """Laws of service times: a `PhaseType`, a number (always that time), or a sequence of times, all equally likely.

    Returns
    -------
    list
        A `PhaseType` or an array of times for each class.

    Examples
    --------
    >>> from mjq.solvers.phase_type import exponential
    >>> laws([exponential(2.0), 3, [1, 1, 4]])[1:]
    [array([3.]), array([1., 1., 4.])]
    >>> laws([0])
    Traceback (most recent call last):
    ValueError: service of class 0 must be a PhaseType, a positive time or several times: mean 0
    """
    if not isinstance(service, (list, tuple, np.ndarray)):
        raise ValueError(f"service must be a sequence of one law a class, got {service!r}")
    return [_law(f"service of class {k}", law) for k, law in enumerate(service)]


def _law(name, given):
    if isinstance(given, PhaseType):
        return given
    times = checks.not_negative(name, np.atleast_1d(given))
    if not len(times) or not times.mean() > 0:
        mean = f"mean {checks.shown(times.mean())}" if len(times) else "no time"
        raise ValueError(f"{name} must be a PhaseType, a positive time or several times: {mean}")
    return times.copy()


def rates_of(service, mu=None):
    """Completion rates of laws, one over their means; `mu`, if given, must say the same.

    >>> from mjq.solvers.phase_type import exponential
    >>> rates_of(laws([exponential(2.0), 4]))
    array([0.5 , 0.25])
    >>> rates_of(laws([4]), mu=[1])
    Traceback (most recent call last):
    ValueError: mu must be one over the mean of each law of service, (0.25), or None; got (1)
    """
    rates = np.array([1 / (law.mean if isinstance(law, PhaseType) else law.mean()) for law in service])
    if mu is not None:
        given = checks.positive("mu", mu)
        if given.shape != rates.shape or not np.allclose(given, rates, rtol=MEANS_APART, atol=0):
            raise ValueError(
                f"mu must be one over the mean of each law of service, {checks.shown(rates)}, or None; "
                f"got {checks.shown(given)}"
            )
    return rates


@numba.njit(cache=True, nogil=True, error_model="numpy")
def next_arrival(rng, lam, log, arrived, now):
    """When the next job comes after the one that came now, after `arrived` in all; infinity after the end of a log."""
    if len(log) == 0:
        return now + rng.standard_exponential() / lam
    if arrived == len(log):
        return np.inf
    return log[arrived].arrival


@numba.njit(cache=True, nogil=True, error_model="numpy")
def class_of(rng, shares, log, number):
    """The class of the job before which so many came."""
    if len(log):
        return log[number].kind
    return chosen(rng.random(), shares)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def service_time(rng, laws, table, log, number, kind):
    """For how long the job of this class is served before which so many came."""
    if len(log):
        return log[number].work
    law = laws[kind]
    if law.phases == 1:
        return rng.standard_exponential() / table[law.first + 1]
    if law.phases == 0:
        return table[law.first + int(rng.random() * law.length)]
    return phase_time(rng, table, law.first, law.phases)
