"""How well jobs that are drawn from a summary meet the capacity and the waits of its log."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mjq.simulation import replay
from mjq_book.experiments.campaigns.summary import FIGURES
from mjq_logs.capacity.saturated import LINE, saturated_starts
from mjq_logs.reading.log import HOUR, Log

DRAWS, SEED = 8, 1_000_003
TENTH = 90.0  # percentile of the waits
POINTS = 100.0
FCFS_LOAD, OF_CAPACITY = 0.6, 0.8  # waits under FCFS are compared at the lower of this load and part of the capacity
LEAST_WAIT = 1.0  # seconds
WARM = 0.05  # of a list of jobs, which does not count


def share_of_order(log: Log, policy: str = "fcfs") -> float:
    """Return the share of the servers that is busy if the jobs queue in the order of the log and the queue is full.

    Jobs count with the part of their work that is done when the last job of the list starts.

    Examples
    --------
    A job of one server and one of two, in turn, an hour each: they never share the two servers.

    >>> log = Log(need=np.tile([1.0, 2.0], 500), run=np.full(1000, 3600.0), servers=2.0)
    >>> round(share_of_order(log), 2)
    0.75
    """
    servers = log.require_servers()
    line = min(LINE, max(1, len(log) // 10))
    start = saturated_starts(log.need, log.run, servers, policy, log.estimate, line)
    times = np.sort(start)
    times = times if policy == "fcfs" else times[: len(times) - line + 1]
    first, last = times[int(WARM * len(times))], times[-1]
    if not last > first:
        return 1.0
    done = np.minimum(start + log.run, last) - np.clip(start, first, last)
    return min(1.0, float(log.need @ np.maximum(0.0, done) / (servers * (last - first))))


def fcfs_load_of(log: Log) -> float:
    """Return the load at which waits under FCFS are compared: .6, or less where the log or its capacity is lower."""
    arrival = log.require_arrivals()
    own = log.need @ log.run / (log.require_servers() * (arrival.max() - arrival.min()))
    return float(f"{min(FCFS_LOAD, own, OF_CAPACITY * share_of_order(log)):.3g}")


def waits_of(log: Log, policy: str, load: float | None = None, servers: float | None = None) -> np.ndarray:
    """Return the waits [h] of a replay, at another load or on a machine of another size."""
    arrival = log.require_arrivals() - log.require_arrivals().min()
    if load is not None:
        arrival = arrival * (log.need @ log.run / (log.require_servers() * arrival.max() * load))
    return replay(arrival, log.need, log.run, log.estimates_used, servers or log.require_servers(), policy).wait / HOUR


def figures(log: Log, fcfs_load: float) -> dict[str, float]:
    """Return :data:`FIGURES` of a log: capacities in points, waits in hours."""
    values = {f"{policy} capacity": POINTS * share_of_order(log, policy) for policy in ("fcfs", "easy")}
    for policy, load in (("fcfs", fcfs_load), ("easy", None)):
        wait = waits_of(log, policy, load)
        values |= {f"{policy} mean wait": float(wait.mean()), f"{policy} 90 % wait": float(np.percentile(wait, TENTH))}
    return values


def compared(log: Log, drawn: Callable[[int], Log], fcfs_load: float) -> dict[str, tuple[float, float] | None]:
    """Return how draws compare with the log: differences of capacities in points, ratios of waits; with deviations.

    A ratio to a wait of less than a second says nothing and is None.
    """
    own = figures(log, fcfs_load)
    of_draws = [figures(drawn(SEED + k), fcfs_load) for k in range(DRAWS)]
    errors: dict[str, tuple[float, float] | None] = {}
    for name in FIGURES:
        values = np.array([draw[name] for draw in of_draws])
        if name.endswith("wait") and own[name] * HOUR < LEAST_WAIT:
            errors[name] = None
            continue
        values = values - own[name] if name.endswith("capacity") else values / own[name]
        errors[name] = float(values.mean()), float(values.std(ddof=1))
    return errors
