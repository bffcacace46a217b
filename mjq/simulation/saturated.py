r"""A simulator of multiserver jobs whose queue never runs dry: what it completes, and how unevenly.

Jobs of several classes hold several units of a resource, or of several resources, for exponential times. They enter in
order of arrival: when one completes, the head of the queue enters if it fits, and the class of the next head is drawn;
and so on, until a head does not fit.

1. Draw the time to the next completion, and the class that completes, from the jobs in service. Let heads enter.
2. The completions after the warm-up are cut into 400 blocks of equally many. The capacity is their number over their
   time.
3. With T the time of a block of n completions, the index of dispersion of completions is about
   :math:`n\, \mathrm{Var}[T] / E[T]^2`, for long blocks, and :math:`\Delta` is half of what it exceeds 1 by.
4. Independent runs give the intervals.

An event takes time proportional to the number of classes. Tests hold both estimates to
:mod:`mjq.models.near_saturation`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq._util.compiling import compiled
from mjq._util.parallel import Workers
from mjq.simulation.engine.queue import RESOURCE, units
from mjq.simulation.estimates import Estimate
from mjq.simulation.replications import Compiled, Seed, replicate, require_affordable

BLOCKS = 400  # of a replication
LEAST_JOBS = 2 * BLOCKS
WARM = 0.1  # of the counted completions, which come before them


@dataclass(frozen=True)
class SaturatedEstimates:
    """Hold the estimates from a simulation of a saturated system.

    Attributes
    ----------
    capacity : Estimate
        Completions per unit of time.
    delta : Estimate
        Mean time in the system near saturation, times what is left of the capacity, less 1.
    dispersion : Estimate
        Variance of the number of completions in a long time, over its mean.
    """

    capacity: Estimate
    delta: Estimate
    dispersion: Estimate


def simulate_saturated(
    B: Any,
    b: ArrayLike,
    mu: ArrayLike,
    p: ArrayLike,
    jobs: int,
    seed: Seed,
    *,
    rows: ArrayLike | None = None,
    replications: int = 10,
    workers: Workers = 1,
    progress: bool | None = None,
) -> SaturatedEstimates:
    """Simulate a multiserver job system whose queue never runs dry, in order of arrival.

    Parameters
    ----------
    B : float, or sequence of float, shape (d,)
        Resource, or several of them.
    b : sequence of float, shape (L,) or (L, d)
        What a job of each class holds.
    mu, p : sequence of float, shape (L,)
        Completion rate and probability of each class.
    jobs : int
        Completions counted in each replication, after the warm-up: 800 or more. The
        dispersion misses what lasts longer than the 400th part of them.
    rows : array, shape (L, L), optional
        Probability of each class for the next job, in a row for each class of the job before it; by default `p`.
    seed, replications, workers, progress
        As for :func:`~mjq.simulation.multiserver.simulate_multiserver`.

    Raises
    ------
    ValueError
        If the input violates a constraint, which is named.

    Examples
    --------
    Half of the jobs take 4 and 1 of 12 and 12 units, the others 1 and 4: the capacity is 96/29.

    >>> run = simulate_saturated((12, 12), [(4, 1), (1, 4)], (1, 1), (.5, .5), jobs=20_000, seed=1)
    >>> 96 / 29 in run.capacity.widened(2)
    True
    """
    B, b, mu, p = checks.multiserver(B, b, mu, p, several=True)
    draws = np.tile(p, (len(p), 1)) if rows is None else checks.not_negative("rows", rows, ndim=2)
    if draws.shape != (len(p), len(p)):
        raise ValueError(f"rows must have a row and a column for each of {len(p)} classes, got shape {draws.shape}")
    for row in draws:
        checks.probabilities("each of rows", row)
    jobs, replications = checks.count("jobs", jobs, least=LEAST_JOBS), checks.count("replications", replications)
    require_affordable(f"jobs = {jobs}, replications = {replications}", jobs * replications * len(p))
    sizes, needs = np.atleast_1d(B), b.reshape(len(b), -1)
    held = np.column_stack([units(needs[:, k], size) for k, size in enumerate(sizes)])
    length = jobs // BLOCKS
    # Rates that can be written, so that one type serves all.
    settings = held, mu.copy(), np.cumsum(p), np.cumsum(draws, axis=1), round(WARM * jobs), length
    times = np.array(replicate(Compiled(_blocks, *settings), seed, replications, workers, progress))
    dispersion = length * times.var(axis=1, ddof=1) / times.mean(axis=1) ** 2
    return SaturatedEstimates(
        Estimate.of(length / times.mean(axis=1)), Estimate.of((dispersion - 1) / 2), Estimate.of(dispersion)
    )


@compiled()
def _drawn(rng, sums):
    """Return a class, by running sums of probabilities."""
    at = rng.random() * sums[-1]
    kind = 0
    while sums[kind] <= at:
        kind += 1
    return kind


@compiled(steps=lambda rng, needs, mu, first, following, warm, length: 5 * needs.size * (warm + BLOCKS * length))
def _blocks(rng, needs, mu, first, following, warm, length):
    """Return the times that successive blocks of completions take."""
    classes, resources = needs.shape
    free, serving = np.full(resources, RESOURCE), np.zeros(classes, np.int64)
    times, time = np.zeros(BLOCKS), 0.0
    head, done, rate = _drawn(rng, first), -warm, 0.0
    while True:
        enters = True
        for k in range(resources):
            enters = enters and needs[head, k] <= free[k]
        if enters:
            free -= needs[head]
            serving[head] += 1
            head = _drawn(rng, following[head])
            continue
        rate = 0.0
        for i in range(classes):
            rate += serving[i] * mu[i]
        time += rng.standard_exponential() / rate
        at, leaves = rng.random() * rate, -1
        for i in range(classes):
            if serving[i]:
                leaves = i
                at -= serving[i] * mu[i]
                if at < 0:
                    break
        serving[leaves] -= 1
        free += needs[leaves]
        done += 1
        if done <= 0:
            time = 0.0
        elif done % length == 0:
            times[done // length - 1] = time
            time = 0.0
            if done == BLOCKS * length:
                return times
