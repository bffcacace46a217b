"""When each job of a log starts and ends under a queueing policy."""

from dataclasses import dataclass

import numpy as np

from mjq import checks
from mjq.simulation import jobs, policies
from mjq.simulation.line import units
from mjq.simulation.multiserver import Plan, events


@dataclass(frozen=True, eq=False)
class Schedule:
    """Starts and ends of jobs, in the order in which the jobs were given.

    Attributes
    ----------
    arrival, need, service : float array, shape (n,)
        The log.
    B : float
        Resource.
    start : float array, shape (n,)
        When each job starts.
    """

    arrival: np.ndarray
    need: np.ndarray
    service: np.ndarray
    B: float
    start: np.ndarray

    @property
    def finish(self):
        """When each job ends."""
        return self.start + self.service

    @property
    def waits(self):
        """Time of each job in the queue."""
        return self.start - self.arrival

    @property
    def sojourns(self):
        """Time of each job in the system."""
        return self.finish - self.arrival

    @property
    def utilization(self):
        """Mean fraction of the resource that is held between the first arrival and the last end; nan if no time passes.

        >>> replay([0, 0], [1, 2], [4, 2], 4).utilization
        0.5
        """
        span = self.finish.max() - self.arrival.min()
        return float(self.need @ self.service / (self.B * span)) if span > 0 else float("nan")


def replay(arrival, need, service, B, *, policy="fcfs"):
    """Replay a log: when does each job start under a queueing policy?

    At one instant all departures come first, then all arrivals, in the order given; then the policy starts jobs one by
    one. A job of service time zero holds its need until the policy has nobody else to start; then it departs, and the
    policy is asked again at the same instant.

    Parameters
    ----------
    arrival : sequence of float, shape (n,)
        Arrival times, of at least 0, in any order; jobs that come at the same instant queue in the order given.
    need : sequence of float, shape (n,)
        What each job holds of the resource.
    service : sequence of float, shape (n,)
        For how long, of at least 0.
    B : float
        Resource.
    policy : str
        ``"fcfs"`` or ``"first-fit"``, see :func:`~mjq.simulation.multiserver.simulate_multiserver`.

    Returns
    -------
    Schedule

    Raises
    ------
    ValueError
        If there is no job, lengths differ, a time is negative, a need is not positive or exceeds the resource, or there
        is no such policy.

    Examples
    --------
    Four servers; the second job needs them all, and only first-fit lets the third overtake it:

    >>> replay([0, 1, 2], [2, 4, 2], [5, 2, 4], 4).start
    array([0., 5., 7.])
    >>> replay([0, 1, 2], [2, 4, 2], [5, 2, 4], 4, policy="first-fit").start
    array([0., 6., 2.])
    """
    B = float(checks.positive("B", B, ndim=0))
    arrival, service = checks.not_negative("arrival", arrival), checks.not_negative("service", service)
    need = checks.positive("need", need)
    if not len(arrival) == len(need) == len(service):
        lengths = f"{len(arrival)}, {len(need)} and {len(service)}"
        raise ValueError(f"arrival, need and service must have one entry a job, got {lengths}")
    if not len(arrival):
        raise ValueError("arrival, need and service must have at least one job")
    if need.max() > B * (1 + checks.FIT):
        raise ValueError(f"need {checks.shown(need.max())} exceeds resource {checks.shown(B)}")
    policies.policy(policy)
    order = np.argsort(arrival, kind="stable")
    needs, kind = np.unique(need, return_inverse=True)
    starts, n = np.empty(len(order)), len(order)
    source = jobs.logged(arrival[order], kind[order], service[order])
    # A log leaves nothing to chance; the generator is there because the event loop is the same for all sources.
    rng, plan = np.random.default_rng(0), Plan(n, warm=0, counted=n, batches=1, tail_at=np.empty(0))
    events(rng, policy, source, units(needs, B), plan, starts)
    start = np.empty(n)
    start[order] = starts
    return Schedule(arrival.copy(), need.copy(), service.copy(), B, start)
