"""A service of replicas before one database, and how many replicas it needs through a day.

Requests choose a replica at random, are served there, then go to the database, and leave. Replicas and database are
processor-sharing queues. The request rate swings over the day; every two hours the number of replicas is decided. Each
decision takes the fewest replicas with which a fluid model's 95th percentile of the response time, as if the load were
to stay, meets the target. Whether it was good is told by simulation: in that steady state, or while the load moves.

The system, the day and the target are ours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq._util.parallel import Workers
from mjq.models import fluid
from mjq.simulation import simulate_ps_network
from mjq.simulation.estimates import Estimate
from mjq.simulation.replications import Seed
from mjq.solvers import product_form
from mjq.solvers.phase_type import PhaseType

REPLICA_CORES, DATABASE_CORES = 4, 8
AT_REPLICA, AT_DATABASE = fluid.coxian(0.2, 3.0), fluid.exponential(0.05)  # service times [s]
FITTED_REPLICAS, FITTED_RATE = 3, 36.0  # where the exponents are fitted; requests per second
MEAN_RATE, SWING, PEAK_HOUR = 50.0, 40.0, 15  # of the day's requests per second
TARGET, LEVEL = 1.0, 0.95  # seconds, and the part of the requests that shall not take longer
SLOT, STEP = 2.0, 1 / 12  # hours between decisions; hours for which the moving rate is held
DATABASE = ("database", "request")


def service(replicas: int, rate: float, standing: int = 0) -> fluid.Network:
    """Return the service as a network.

    Parameters
    ----------
    replicas : int
        Replicas to which requests are sent.
    rate : float
        Requests per second.
    standing : int
        Replicas that are there; those beyond `replicas` get no new requests. By default as many as are used.

    Examples
    --------
    >>> network = service(2, 20.0, standing=3)
    >>> network.arrivals.tolist()
    [10.0, 10.0, 0.0, 0.0]
    """
    replicas, rate = checks.count("replicas", replicas), float(checks.positive("rate", rate, ndim=0))
    pairs = [(f"replica {k}", "request") for k in range(1, max(replicas, standing) + 1)]
    servers = {queue: REPLICA_CORES for queue, _ in pairs} | {DATABASE[0]: DATABASE_CORES}
    times = dict.fromkeys(pairs, AT_REPLICA) | {DATABASE: AT_DATABASE}
    onward = {pair: {DATABASE: 1.0} for pair in pairs}
    return fluid.Network(servers, times, onward, dict.fromkeys(pairs[:replicas], rate / replicas))


def fitted() -> dict[str, float]:
    """Return the exponents of a replica and of the database, fitted to the exact means at one rate.

    >>> {queue: round(p, 3) for queue, p in fitted().items()}
    {'replica': 2.274, 'database': 5.121}
    """
    network = service(FITTED_REPLICAS, FITTED_RATE)
    exact = product_form.means(network)
    p = fluid.fit_smoothing(network, exact.mean_jobs, exact.throughput)
    return {"replica": p["replica 1"], "database": p["database"]}


def predicted(replicas: int, rate: float, exponents: dict[str, float] | None = None) -> PhaseType:
    """Return the response time of a request, by a fluid model.

    Parameters
    ----------
    replicas, rate
        As for :func:`service`.
    exponents : dict, optional
        Of a replica and of the database, as from :func:`fitted`; none: the hard minimum.

    Examples
    --------
    The 95th percentile where nobody waits:

    >>> round(predicted(100, 1.0).quantile(0.95), 3)
    0.887
    """
    network = service(replicas, rate)
    if exponents is None:
        return fluid.response_time(network, network.pairs)
    by_queue = {queue: exponents[queue.split()[0]] for queue in network.servers}
    return fluid.response_time(network, network.pairs, p=by_queue)


def fewest_replicas(rate: float, exponents: dict[str, float] | None = None) -> int:
    """Return the fewest replicas with which a fluid model meets the target at a steady rate.

    >>> fewest_replicas(60.0), fewest_replicas(60.0, fitted())
    (4, 6)
    """
    replicas = math.floor(rate * AT_REPLICA.mean / REPLICA_CORES) + 1
    while predicted(replicas, rate, exponents).quantile(LEVEL) > TARGET:
        replicas += 1
    return replicas


# --- The day ---


@overload
def rate_at(hour: float) -> float: ...
@overload
def rate_at(hour: Sequence[float] | np.ndarray) -> np.ndarray: ...
def rate_at(hour: ArrayLike) -> float | np.ndarray:
    """Return the requests per second at a time of the day; there are most at 15 h.

    >>> float(rate_at(15)), float(rate_at(3))
    (90.0, 10.0)
    """
    return MEAN_RATE + SWING * np.cos(2 * np.pi * (np.asarray(hour) - PEAK_HOUR) / 24)


def decision_hours() -> np.ndarray:
    """Return the hours at which the number of replicas is decided.

    >>> decision_hours().tolist()[:3]
    [0.0, 2.0, 4.0]
    """
    return np.arange(0, 24, SLOT)


def plan(exponents: dict[str, float] | None = None, ahead: bool = False) -> list[int]:
    """Return the replicas from each decision to the next.

    Parameters
    ----------
    exponents : dict, optional
        As for :func:`predicted`.
    ahead : bool
        Decide for the highest rate until the next decision, instead of the present one.

    Examples
    --------
    >>> plan(fitted())[:4], plan(fitted(), ahead=True)[:4]
    ([3, 2, 2, 3], [3, 2, 3, 4])
    """
    replicas = []
    for hour in decision_hours():
        rates = rate_at(np.arange(hour, hour + SLOT + STEP / 2, STEP) if ahead else [hour])
        replicas.append(fewest_replicas(round(rates.max()), exponents))
    return replicas


# --- Was it good? ---


def simulated(
    replicas: int, rate: float, requests: float, seed: Seed, replications: int = 10, workers: Workers = 1
) -> Estimate:
    """Simulate a steady rate, and return the 95th percentile of the response time.

    Parameters
    ----------
    replicas, rate
        As for :func:`service`.
    requests : float
        In each replication, about.
    seed, replications, workers
        As for :func:`~mjq.simulation.ps_network.simulate_ps_network`.

    Examples
    --------
    >>> one_less = simulated(2, 22.0, 20_000, seed=1)
    >>> 0.9 < one_less.mean < 1.1
    True
    """
    network = service(replicas, rate)
    run = simulate_ps_network(
        network, requests / rate, seed, subsets={"service": network.pairs}, percentiles=(LEVEL,),
        replications=replications, workers=workers, progress=False,
    )  # fmt: skip
    return run.response["service"].percentile[LEVEL]


def simulated_day(
    replicas: Sequence[int], seed: int | Sequence[int], days: int = 10, hours: tuple[float, float] = (0, 24)
) -> list[Estimate]:
    """Simulate days, and return by decision the 95th percentile of the requests that leave until the next one.

    A replica that is no longer used finishes the requests that it has. The hour before is simulated, but not counted.

    Parameters
    ----------
    replicas : sequence of int
        As from :func:`plan`.
    seed : int or sequence of int
        Each day has a seed of its own, made from this one.
    days : int
    hours : (float, float)
        The part of the day that is simulated, from decision to decision.

    Examples
    --------
    >>> [night] = simulated_day(plan(fitted(), ahead=True), seed=1, days=2, hours=(2, 4))
    >>> night.mean < TARGET
    True
    """
    first, last = hours
    starts = np.arange(first - 1, last - STEP / 2, STEP)  # hours from which on a rate is held; the first is not counted
    used = [replicas[int(round(hour, 6) % 24 // SLOT)] for hour in starts]
    stages = [
        service(n, float(rate), standing=max(replicas))
        for n, rate in zip(used, rate_at(starts + STEP / 2), strict=True)
    ]
    schedule = [(3600 * (hour - starts[0]), stage) for hour, stage in zip(starts[1:], stages[1:], strict=True)]
    percentiles = []
    for day in range(days):
        stays = simulate_ps_network(
            stages[0], 3600 * (last - first), (*np.atleast_1d(seed).tolist(), day), schedule=schedule,
            subsets={"service": stages[0].pairs}, replications=1, warmup=1 / (last - first), progress=False,
        ).response["service"]  # fmt: skip
        slot = (stays.left / 3600 - 1) // SLOT
        percentiles.append([np.quantile(stays.sample[slot == k], LEVEL) for k in range(int((last - first) // SLOT))])
    return [Estimate.of(column) for column in np.transpose(percentiles)]


def verdict(mean: float, half_width: float) -> str:
    """Return whether a percentile with these bounds meets the target.

    >>> verdict(0.98, 0.01), verdict(0.98, 0.03), verdict(1.04, 0.03)
    ('met', 'too close to tell', 'missed')
    """
    if mean + half_width < TARGET:
        return "met"
    return "missed" if mean - half_width > TARGET else "too close to tell"
