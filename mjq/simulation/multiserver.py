"""An event-driven simulator of multiserver jobs.

Jobs of several classes arrive. A job of class `i` holds `b[i]` units of a resource of size `B` for its service time, or
of several resources at once; until it can start, it waits. The events are those of :mod:`mjq.simulation.loop`; here
are the estimates.

1. Some jobs pass before the count begins. The next ones are counted until each has started. Where others may overtake
   them, more jobs go on to arrive, so that those at the end wait as the others do.
2. Each run gives sums. From several independent runs, the means of the runs are the observations. A single run is cut
   into 30 batches of successive jobs, and the means of the batches are.
3. The interval is that of :mod:`mjq.simulation.estimates`.

The cost is that of the events: two a job. Tests that count over hundreds of runs with known answers find that 95 %
intervals hold the exact value in 91 to 98 of 100 runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq._util.parallel import Workers
from mjq.simulation import policies
from mjq.simulation.engine import arrivals as sources
from mjq.simulation.engine.arrivals import Service
from mjq.simulation.engine.queue import by_resource, units
from mjq.simulation.estimates import Estimate, clustering
from mjq.simulation.loop import (
    DONE,
    ENDLESS,
    FIRST_CLASS,
    IN_QUEUE,
    IN_SYSTEM,
    LOST,
    SOJOURN,
    SOJOURN2,
    SPAN,
    WAIT,
    WAIT2,
    Plan,
    events,
)
from mjq.simulation.replications import Compiled, Seed, replicate, require_affordable

BATCHES = 30  # of one long run without replications
LATECOMERS = 10_000  # that come at most after the counted jobs and as many again, should one of these still wait


@dataclass(frozen=True)
class MultiserverEstimates:
    """Hold the estimates from a simulation of multiserver jobs.

    Attributes
    ----------
    mean_jobs, mean_queue : Estimate
        Time averages of the number of jobs in the system and in the queue.
    mean_sojourn, sojourn_moment2 : Estimate
        First and second moment of the time in the system.
    mean_wait, wait_moment2 : Estimate
        First and second moment of the time in the queue.
    mean_wait_by_class : tuple of Estimate
        Mean time in the queue of the jobs of each class.
    tails : tuple of Estimate
        Share of jobs that stay longer than each time asked for; its interval holds also where none was seen.
    throughput : Estimate
        Completions per unit of time.
    accepted : Estimate
        Fraction of the jobs that found a place.
    wait_percentiles : dict
        Each of the `percentiles` asked for to the wait that is not exceeded with this probability.
    stable : bool, optional
        False if the queue is known to grow: means of jobs and times then have no interval. None if it is not known.
    """

    mean_jobs: Estimate
    mean_queue: Estimate
    mean_sojourn: Estimate
    sojourn_moment2: Estimate
    mean_wait: Estimate
    wait_moment2: Estimate
    mean_wait_by_class: tuple[Estimate, ...]
    tails: tuple[Estimate, ...]
    throughput: Estimate
    accepted: Estimate
    wait_percentiles: dict[float, Estimate]
    stable: bool | None = None


def simulate_multiserver(
    lam: float,
    B: Any,
    b: ArrayLike,
    mu: ArrayLike | None,
    p: ArrayLike,
    jobs: int,
    seed: Seed,
    *,
    service: Service | None = None,
    policy: str = "fcfs",
    estimates: float = 1.0,
    room: int | None = None,
    replications: int = 1,
    warmup: float = 0.1,
    tail_at: ArrayLike = (),
    percentiles: ArrayLike = (),
    workers: Workers = 1,
    progress: bool | None = None,
) -> MultiserverEstimates:
    """Simulate a multiserver job system, stable or not.

    Parameters
    ----------
    lam : float
        Arrival rate.
    B : float, or sequence of float, shape (d,)
        Resource, or several of them, up to four.
    b : sequence of float, shape (L,) or (L, d)
        Need of each class. Of several resources some may be 0.
    mu, p : sequence of float, shape (L,)
        Completion rate and probability of each class. With `service`, `mu` is None or says the same.
    jobs : int
        Jobs counted in each replication, after the warm-up.
    seed : int, sequence of int, or numpy.random.SeedSequence
        The same seed gives the same numbers, whatever the number of workers.
    service : sequence, length L, optional
        Law of the service time of each class: a :class:`~mjq.solvers.phase_type.PhaseType`, a
        :class:`~mjq.simulation.engine.arrivals.Lognormal`, a
        :class:`~mjq.simulation.engine.arrivals.BoundedPareto`, a number (always that time) or a
        sequence of times, all equally likely. By default exponential with rate `mu`.
    policy : str
        Name of a policy of :mod:`mjq.simulation.policies`, such as ``"fcfs"``, ``"easy"`` or ``"backfill-3"`` (depth
        3); ``policies.policy(name).sentence`` says what it does. Under ``"strict-priority-1"`` the first class goes
        first, under ``"strict-priority-2"`` the first two do. A job that is interrupted goes on later where it stopped;
        its time in the queue is all that it is not served.
    estimates : float
        How many times its service time a job is expected to take, at least 1, for policies that look at estimates.
    room : int, optional
        Jobs that may wait; a job is turned away if, after the policy has started whom it can, more would.
    replications : int
        Independent runs. Intervals come from them or, with a single one, from the means of 30 batches.
    warmup : float
        Jobs that pass before the count begins, as a fraction of `jobs`.
    tail_at : float or sequence of float
        Times for which to count the longer sojourns.
    percentiles : float or sequence of float
        Of the waits, between 0 and 1, such as 0.9 for the wait that nine jobs in ten do not exceed. There is no
        interval where a replication or batch has less than two clusters of jobs on one side. All waits are then kept.
    workers : int or distributed.Client
        Replications that run at the same time on this machine, or a client of a dask scheduler.
    progress : bool, optional
        Show a progress bar; by default on a terminal, for long work.

    Returns
    -------
    MultiserverEstimates

    Raises
    ------
    ValueError
        If the input violates a constraint, which is named; if the policy is a rule for one resource and there are more.

    Notes
    -----
    Times are counted for `jobs` successive arrivals, until the last of them has started (where jobs are interrupted:
    ended). Numbers in the system are
    averaged between the first and the last of these arrivals. Where later jobs may overtake, they go on to arrive
    until all that are counted have started, but no more of them than the counted ones, those of the warm-up and
    10,000: in an overloaded system a job may otherwise be overtaken for ever.

    Examples
    --------
    M/M/1 at load one half: two jobs' worth of time on average.

    >>> run = simulate_multiserver(.5, 1, [1], [1], [1], jobs=20_000, seed=1, replications=10)
    >>> 2 in run.mean_sojourn.widened(2)
    True

    Two resources, of which each class needs all of one: M/M/1 twice, but in one queue.

    >>> run = simulate_multiserver(.5, (1, 1), [(1, 0), (0, 1)], [1, 1], [.5, .5], jobs=20_000, seed=1)
    >>> run.mean_sojourn.low > 1 / (1 - .25)
    True
    """
    lam = float(checks.positive("lam", lam, ndim=0))
    B, b, p, laws = sources.checked(B, b, mu, p, service)
    rule = policies.policy(policy, np.size(B))
    if rule.interrupts:
        require_powers_of_two(b.ravel(), np.max(B))
    factor = float(checks.positive("estimates", estimates, ndim=0))
    if factor < 1:
        raise ValueError(f"estimates must be at least 1 service time, got {checks.shown(factor)}")
    room = ENDLESS if room is None else checks.count("room", room, least=0, most=ENDLESS)
    jobs, replications = checks.count("jobs", jobs, least=2), checks.count("replications", replications)
    warmup = float(checks.not_negative("warmup", warmup, ndim=0))
    effort = f"jobs = {jobs}, replications = {replications}, warmup = {warmup:g}"
    require_affordable(effort, jobs * replications * (1 + warmup))
    tail_at = np.array(checks.numbers("tail_at", np.atleast_1d(tail_at)))
    batches = max(1, min(BATCHES, jobs // 2)) if replications == 1 else 1
    levels = checks.numbers("percentiles", np.atleast_1d(percentiles)).tolist()
    levels = [checks.inside("each of percentiles", level, 0, 1) for level in levels]
    warm = round(warmup * jobs)
    arrivals = warm + jobs if rule.keeps_order else 2 * (warm + jobs) + LATECOMERS
    times, interrupts = rule.draws_times_first, rule.interrupts
    plan = Plan(
        arrivals, warm, jobs, batches, tail_at, room, False, times, interrupts, rule.number, keeps_waits=bool(levels)
    )
    source, needs = sources.poisson(lam, p, laws, factor), by_resource(units(b, B))
    run = Compiled(events, policy, source, needs, plan, np.empty((2, 0)))
    return _estimates(replicate(run, seed, replications, workers, progress), batches, levels)


def require_powers_of_two(needs: Sequence[float] | np.ndarray, B: float) -> None:
    """Raise ``ValueError`` for needs that may leave servers idle whatever is served."""
    for need in needs:
        if any(np.frexp(x)[0] != 0.5 for x in (need, B)):  # 1/2, 1/4, … are powers of two as well
            shown = f"need {checks.shown(need)}, servers {checks.shown(B)}"
            raise ValueError(f"server-filling needs powers of two for needs and servers: {shown}")


def _estimates(runs, batches, levels):
    times, counts, tails, areas = (np.concatenate(parts) for parts in zip(*(run[:-1] for run in runs), strict=True))
    done = counts.sum(axis=1)
    EW, EW2, EWq, EWq2 = (Estimate.of_jobs(times[:, k], done) for k in (SOJOURN, SOJOURN2, WAIT, WAIT2))
    by_class = zip(times[:, FIRST_CLASS:].T, counts.T, strict=True)
    span = np.where(areas[:, SPAN] > 0, areas[:, SPAN], np.nan)
    EN, ENq, throughput = (Estimate.of(areas[:, k] / span) for k in (IN_SYSTEM, IN_QUEUE, DONE))
    seen = done > 0
    waits = [part[~np.isnan(part)] for run in runs if levels for part in np.array_split(run.waits, batches)]
    together = clustering(times[seen, SOJOURN], times[seen, SOJOURN2], done[seen])
    return MultiserverEstimates(
        EN,
        ENq,
        EW,
        EW2,
        EWq,
        EWq2,
        tuple(Estimate.of_jobs(waits, jobs) for waits, jobs in by_class),
        tuple(Estimate.of_fraction(column[seen], done[seen], together) for column in tails.T),
        throughput,
        Estimate.of(done / (done + areas[:, LOST])),
        {level: Estimate.of_quantile([part for part in waits if len(part)], level, together) for level in levels},
    )
