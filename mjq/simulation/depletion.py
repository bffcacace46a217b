"""An event-driven simulator of stations that work off a pool of tasks, with a limit for each class.

Any number of stations in a row and of classes. Each task brings its whole work to a station and gets an equal part of
it. A task that has passed all stations is replaced by one of its class; if its pool is empty, by one of the class with
the largest pool.

1. Work is measured on a clock of the station that runs at the speed at which its tasks are served, one over their
   number. A task that comes when the clock shows c and brings work w leaves when it shows c + w, whoever else comes.
   The tasks of a station stand in a heap by that reading.
2. The next event is at the station whose first task has the least time left: what its clock lacks, times the tasks
   there.
3. All clocks move on. The task goes to the next station, or is done and replaced. The instants of the phases are noted.

With M stations, an event takes M steps and the logarithm of the tasks in execution. Depletions are repeated until all
intervals are narrow enough. Tests compare with the exact times of :mod:`mjq.models.pool_depletion`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq._util.compiling import compiled
from mjq._util.parallel import Workers
from mjq.simulation.engine.heap import pop, push
from mjq.simulation.estimates import Estimate
from mjq.simulation.replications import Compiled, Seed, generators, replicate, require_affordable

MARKS = "T", "T_tau0", "T_phi1", "T_tau12", "T_phi2"
MOST_REPLICATIONS = 1_000_000  # after which a precision is given up


@dataclass(frozen=True)
class DepletionEstimates:
    """Hold estimates of the instants of a depletion.

    Attributes
    ----------
    mean_time, T_tau0, T_phi1, T_tau12, T_phi2 : Estimate
        As in :class:`mjq.models.pool_depletion.Depletion`.
    busy : tuple of Estimate
        For how long each station works.
    all_busy : Estimate
        For how long all stations work at the same time.
    """

    mean_time: Estimate
    T_tau0: Estimate
    T_phi1: Estimate
    T_tau12: Estimate
    T_phi2: Estimate
    busy: tuple[Estimate, ...]
    all_busy: Estimate


def simulate_pool(
    D: ArrayLike,
    N: ArrayLike,
    K: ArrayLike,
    seed: Seed,
    *,
    precision: float = 0.03,
    confidence: float = 0.99,
    replications: int | None = None,
    workers: Workers = 1,
    progress: bool | None = None,
) -> DepletionEstimates:
    """Simulate depletions until every interval is narrow enough.

    Parameters
    ----------
    D : array of float, shape (M, R)
        Mean work of a task of each class at each station, exponentially distributed.
    N, K : sequence of int, shape (R,)
        Tasks of each class to do, and in execution at the start.
    precision : float
        Replications are doubled until the half-width of every instant's interval is at most this part of its mean.
    confidence : float
        Of the intervals.
    replications : int, optional
        Number of replications, whatever the precision.
    seed, workers, progress
        As for :func:`~mjq.simulation.multiserver.simulate_multiserver`.

    Raises
    ------
    ValueError
        If there is no station, a demand is not positive, there are fewer tasks than places of a class, or no place.
    ArithmeticError
        If a million replications do not reach the precision.

    Source: [CGPS16] Sections 3, 5.1.
    """
    D, N, K = _system(D, N, K)
    run = Compiled(_deplete, D, N, K, np.empty((0, len(N) + 1)))
    precision = float(checks.positive("precision", precision, ndim=0))
    number = 20 if replications is None else checks.count("replications", replications, 2)
    require_affordable(f"N = {checks.shown(N)}, replications = {number}", float(N.sum()) * len(D) * number)
    while True:
        results = [(marks, busy) for marks, _, busy in replicate(run, seed, number, workers, progress)]
        marks, busy = (np.array(columns) for columns in zip(*results, strict=True))
        each_mark = (Estimate.of(column, confidence) for column in marks.T)
        instants = dict(zip(("mean_time", *MARKS[1:]), each_mark, strict=True))
        if replications is not None or all(x.half_width <= precision * x.mean for x in instants.values()):
            *each, together = (Estimate.of(column, confidence) for column in busy.T)
            return DepletionEstimates(**instants, busy=tuple(each), all_busy=together)
        number *= 2
        if number > MOST_REPLICATIONS:
            raise ArithmeticError(f"{number // 2} replications do not reach a relative half-width of {precision:g}")


def simulate_depletion(
    D: ArrayLike, N_A: int, N_B: int, K_A: int, K_B: int, seed: Seed, **options: Any
) -> DepletionEstimates:
    """Simulate depletions of two classes; options as for :func:`simulate_pool`.

    Examples
    --------
    >>> run = simulate_depletion([[0.75, 0.64], [0.48, 1.25]], 70, 30, 5, 5, seed=1)
    >>> 79.74 in run.mean_time.widened(2)
    True
    """
    return simulate_pool(D, (N_A, N_B), (K_A, K_B), seed, **options)


def depletion_path(
    D: ArrayLike, N: ArrayLike, K: ArrayLike, seed: Seed
) -> tuple[dict[str, float], np.ndarray, np.ndarray]:
    """Simulate one depletion, event by event.

    Returns
    -------
    marks : dict
        Name of each instant to its time.
    times : float array, shape (n,)
        When the tasks in execution change, beginning with 0.
    in_execution : int array, shape (n, R)
        Tasks of each class in execution from then on.
    """
    D, N, K = _system(D, N, K)
    (rng,) = generators(seed, 1)
    marks, path, _ = _deplete(rng, D, N, K, np.empty((int(N.sum()) + 1, len(N) + 1)))
    return dict(zip(MARKS, marks.tolist(), strict=True)), path[:, 0], path[:, 1:].astype(int)


def _system(D: ArrayLike, N: ArrayLike, K: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    D = checks.numbers("D", D, ndim=2).copy()  # which can be written, so that one type serves all
    checks.positive("demands", D.ravel())
    N, K = checks.counts("N", N, 0), checks.counts("K", K, 0)
    if not D.shape[1] == len(N) == len(K):
        raise ValueError(f"D, N and K must have one entry for each class, got {D.shape[1]}, {len(N)} and {len(K)}")
    if (N < K).any():
        raise ValueError(f"N must be at least K in each class, got {checks.shown(N)} and {checks.shown(K)}")
    if K.sum() == 0:
        raise ValueError("K must have a place for at least one task")
    return D, N, K


@compiled()
def _deplete(rng, D, N, K, path):
    """Return the five instants of a depletion, the path, and how long each station and all of them are busy.

    `path`, if it has rows, takes the tasks in execution at each completion.
    """
    stations, classes = D.shape
    places = K.sum()
    pool, inside = N - K, K.copy()
    due, who = np.empty((stations, places)), np.empty((stations, places), dtype=np.int64)
    class_of, task = np.empty(places, dtype=np.int64), 0
    busy, clock = np.zeros(stations, dtype=np.int64), np.zeros(stations)
    marks, working = np.zeros(5), np.zeros(stations + 1)
    exhausted = -1  # the class whose task was the first not to be replaced by one of its own
    now, rows = 0.0, 0
    if len(path):
        path[0, 0] = 0.0
        for c in range(classes):
            path[0, 1 + c] = inside[c]
    for c in range(classes):
        for _ in range(K[c]):
            class_of[task] = c
            push(due[0], who[0], busy[0], rng.standard_exponential() * D[0, c], task)
            busy[0] += 1
            task += 1
    while True:
        station, then = -1, np.inf
        for r in range(stations):
            if busy[r]:
                ready = now + (due[r, 0] - clock[r]) * busy[r]
                if ready < then:
                    station, then = r, ready
        idle = 0
        for r in range(stations):
            if busy[r]:
                clock[r] += (then - now) / busy[r]
                working[r] += then - now
            else:
                idle += 1
        if not idle:
            working[stations] += then - now
        now = then
        task = who[station, 0]
        clock[station] = due[station, 0]
        busy[station] -= 1
        pop(due[station], who[station], busy[station])
        to = station + 1
        if to == stations:
            c = class_of[task]
            inside[c] -= 1
            if marks[1] == 0:
                marks[1] = now
            entering = c if pool[c] else np.argmax(pool)
            if marks[2] == 0 and pool[c] == 0:
                marks[2], exhausted = now, c
            if pool[entering] == 0:
                if marks[4] == 0:
                    marks[4] = now
                    if marks[3] == 0:
                        marks[3] = now
            elif exhausted >= 0 and marks[3] == 0 and inside[exhausted] == 0:
                marks[3] = now
            replaced = pool[entering] > 0
            if replaced:
                pool[entering] -= 1
                inside[entering] += 1
                class_of[task], to = entering, 0
            if len(path):
                rows += 1
                path[rows, 0] = now
                for c in range(classes):
                    path[rows, 1 + c] = inside[c]
            if inside.sum() == 0:
                marks[0] = now
                return marks, path, working
            if not replaced:
                continue
        push(due[to], who[to], busy[to], clock[to] + rng.standard_exponential() * D[to, class_of[task]], task)
        busy[to] += 1
