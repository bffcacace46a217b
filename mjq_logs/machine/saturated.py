"""How fast a list of jobs is worked off when the queue never runs dry."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq._util.compiling import compiled
from mjq.simulation.engine.order import has_room, starts_in_order
from mjq.simulation.engine.queue import RESOURCE, units
from mjq.simulation.policies import name_of

POLICIES = "fcfs", "easy"
LINE = 100  # jobs that wait at any time


def saturated_starts(
    need: ArrayLike,
    run: ArrayLike,
    servers: float | ArrayLike,
    policy: str = "fcfs",
    estimate: ArrayLike | None = None,
    line: int = LINE,
) -> np.ndarray:
    """Return when each job of a list starts, if there are always as many that wait.

    The next job of the list joins the queue when one leaves it. First come, first served is the same however long the
    queue is; backfilling finds more that fits in a longer one.

    Parameters
    ----------
    need : sequence of float, shape (n,) or (n, d)
        Servers that each job holds, in the order in which they queue; or what it holds of several resources.
    run : sequence of float, shape (n,)
        For how long.
    servers : float, or sequence of float, shape (d,)
    policy : {"fcfs", "easy"}
    estimate : sequence of float, shape (n,), optional
        For how long users say that their jobs run at most. Where it is not known or too low, it is the run time.
    line : int
        Jobs in the queue.

    Returns
    -------
    array, shape (n,)
        In the unit of `run`; the first job starts at 0.

    Raises
    ------
    ValueError
        If there is no job, one needs more than there is, a time is negative, or the policy is another.

    Source: [YC] Eq. (b), [YC] Eq. (d).

    Examples
    --------
    The second job needs all four servers; under EASY the third starts before it, as it delays nobody.

    >>> saturated_starts([2, 4, 2], [5, 2, 4], 4).tolist()
    [0.0, 5.0, 7.0]
    >>> saturated_starts([2, 4, 2], [5, 2, 4], 4, "easy").tolist()
    [0.0, 5.0, 0.0]

    Two jobs that need different resources run at the same time:

    >>> saturated_starts([(4, 1), (1, 4), (1, 1)], [5, 2, 4], (5, 5)).tolist()
    [0.0, 0.0, 2.0]
    """
    if np.ndim(servers):
        servers, need = checks.positive("servers", servers), checks.not_negative("need", need, ndim=2)
        if need.shape[1] != len(servers) or not need.any(axis=1).all():
            raise ValueError(f"each need must have an entry for each of {len(servers)} resources, not all of them 0")
    else:
        servers, need = float(checks.positive("servers", servers, ndim=0)), checks.positive("need", need)
    run = checks.not_negative("run", run).copy()  # which can be written, so that one type serves all
    if not len(need) == len(run) > 0:
        raise ValueError(
            f"need and run must have one entry for each job, and at least one, got {len(need)} and {len(run)}"
        )
    if not (fits := checks.fits(need, servers, servers)).all():
        raise ValueError(f"need {checks.shown(need[~fits][0])} exceeds the {checks.shown(servers)} servers")
    if (policy := name_of(policy)) not in POLICIES:
        raise ValueError(f"policy must be one of {', '.join(POLICIES)}; got {policy!r}")
    sizes, needs = np.atleast_1d(servers), need.reshape(len(need), -1)
    held = tuple(units(needs[:, k], size) for k, size in enumerate(sizes))
    if policy == "fcfs":
        return starts_in_order(held, run, np.zeros(len(run)))
    promised = run if estimate is None else np.fmax(run, np.asarray(estimate, dtype=float))
    # What is promised to a job must be something, as in a replay of a log.
    promised = np.maximum(promised, np.spacing(run.sum()))
    return _backfilled(held, run, promised, checks.count("line", line))


@compiled(steps=lambda need, run, promised, most: most * len(run), many=1e6)
def _backfilled(need, run, promised, most):
    """Return starts under EASY, as :mod:`mjq.simulation.policies.easy` says, for needs as in :func:`starts_in_order`.

    Jobs in service stand in the order in which they are expected to end. Who was passed over at some instant is not
    looked at again at that instant: nobody who starts lets anybody start who could not.
    """
    n, resources = len(run), len(need)
    starts, waiting = np.empty(n), np.empty(min(most, n), dtype=np.int64)
    serving, length, running = np.empty(n, dtype=np.int64), 0, 0
    free, extra, shadow = np.full(resources, RESOURCE), np.empty(resources, dtype=np.int64), -np.inf
    joined, started, passed, now = 0, 0, 1, 0.0
    while started < n:
        while length < len(waiting) and joined < n:
            waiting[length] = joined
            length, joined = length + 1, joined + 1
        place = 0
        if not has_room(need, waiting[0], free):
            place = passed
            while place < length:
                job = waiting[place]
                if has_room(need, job, free):
                    if shadow < now:  # nobody looks for it before somebody fits
                        shadow = _look_ahead(need, promised, starts, waiting[0], serving[:running], free, now, extra)
                    if now + promised[job] <= shadow:
                        break
                    if has_room(need, job, extra):
                        for k in range(resources):
                            extra[k] -= need[k][job]
                        break
                place += 1
        if place == length:
            now = np.inf
            for job in serving[:running]:
                now = min(now, starts[job] + run[job])
            kept = 0
            for job in serving[:running]:
                if starts[job] + run[job] == now:
                    for k in range(resources):
                        free[k] += need[k][job]
                else:
                    serving[kept] = job
                    kept += 1
            running, passed, shadow = kept, 1, -np.inf
            continue
        if place == 0:
            passed, shadow = 1, -np.inf
        else:
            passed = place
        job = waiting[place]
        length, started, starts[job] = length - 1, started + 1, now
        for k in range(place, length):
            waiting[k] = waiting[k + 1]
        for k in range(resources):
            free[k] -= need[k][job]
        k = running
        while k and starts[serving[k - 1]] + promised[serving[k - 1]] > now + promised[job]:
            serving[k] = serving[k - 1]
            k -= 1
        serving[k] = job
        running += 1
    return starts


@compiled()
def _look_ahead(need, promised, starts, head, serving, free, now, extra):
    """Return when the first in the queue is expected to start, and note what is then left beside it in `extra`."""
    shadow = now
    for k in range(len(need)):
        extra[k] = free[k]
    for job in serving:
        end = starts[job] + promised[job]
        if end > shadow and has_room(need, head, extra):
            break
        shadow = end
        for k in range(len(need)):
            extra[k] += need[k][job]
    for k in range(len(need)):
        extra[k] -= need[k][head]
    return shadow
