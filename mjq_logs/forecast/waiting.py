"""When a job starts that waits already: forecasts from its own place in the queue.

They are made as those of one more job, see :mod:`mjq_logs.forecast.nearest`, and learn from jobs that waited as well:
from one for each of some times of the past, drawn among all who waited then. Who looks at a queue meets jobs that wait
for long more often than who looks at those that come, so a record of the latter would promise too early a start.

Two things are known of such a job. The replays say how long it still waits from its place in the queue. And of the
latest jobs alike that waited as long as it has by now, half waited at most some time beyond.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mjq._util.parallel import Workers
from mjq_logs.forecast.by_rule import Drawn, drawn, waits_by_rule, within
from mjq_logs.forecast.nearest import LEVELS, MEMORY, Past
from mjq_logs.forecast.record import DRAWS, HOPELESS, kept_rows, numbers
from mjq_logs.forecast.state import FEWEST, History, State
from mjq_logs.scale import on_scale


def drawn_in_place(jobs: History, state: State, job: int, draws: int, rng: np.random.Generator) -> Drawn:
    """Return what :func:`mjq_logs.forecast.by_rule.drawn` draws for a job that waits, at its place in the queue."""
    place = int(np.searchsorted(state.waiting, job))
    others = State(state.time, state.arrived, state.running, np.delete(state.waiting, place))
    what = drawn(jobs, others, jobs.need[job], jobs.limit[job], draws, rng, group=jobs.group[job])
    ahead = int(within(jobs.need[others.waiting[:place]], what.up).sum())
    new = len(state.running) + ahead
    order = np.insert(np.delete(np.arange(what.arrival.shape[1]), what.new), new, what.new)
    columns = {name: getattr(what, name)[:, order] for name in ("arrival", "need", "run", "limit")}
    kept = None if what.kept is None else what.kept.of(np.s_[:, order])
    return what._replace(new=new, kept=kept, **columns)


def features_in_queue(jobs: History, time: float, job: int, policy: str) -> tuple[np.ndarray, float]:
    """Return what is known of a job at a time: quantiles of what it still waits by the rule, and by jobs alike.

    Both are on the scale of :mod:`mjq_logs.forecast.nearest`. A job that has not come yet is taken to come now.
    """
    arrived = int(np.searchsorted(jobs.arrival, time, side="right"))
    need, limit, rng = jobs.need[job], jobs.limit[job], np.random.default_rng([arrived, job])
    state = jobs.at(time, arrived)
    if job in state.waiting:
        what = drawn_in_place(jobs, state, job, DRAWS, rng)
    else:
        what = drawn(jobs, state, need, limit, DRAWS, rng, group=jobs.group[job])
    fits = within(np.asarray(need), what.up)
    waits = waits_by_rule(what, jobs.servers, policy) if fits else np.full(DRAWS, HOPELESS)
    return np.quantile(on_scale(waits), LEVELS), float(on_scale(wait_beyond(jobs, time, job)))


def wait_beyond(jobs: History, time: float, job: int) -> float:
    """Return how long the latest jobs alike still waited that had waited as long as this one: their median [s].

    If fewer than five of a kind did, the next kind is taken; if of no kind five did, those of the last one, and 0 if
    there is none.

    Examples
    --------
    Six jobs alike waited 0, 10, ..., 50 s. The seventh has waited for 15 s.

    >>> from mjq_logs import Log
    >>> from mjq_logs.forecast.state import history
    >>> submit, start = np.append(np.zeros(6), 100), np.append(10.0 * np.arange(6), 190)
    >>> limit = np.full(7, 60.0)
    >>> log = Log(need=np.ones(7), run=np.ones(7), submit=submit, start=start, estimate=limit, servers=1)
    >>> wait_beyond(history(log, "fcfs"), 115.0, 6)
    20.0
    """
    age, more = max(0.0, time - jobs.arrival[job]), np.empty(0)
    for alike in jobs.started.by(time, jobs.need[job], jobs.limit[job]):
        waits = (jobs.start[alike] - jobs.arrival[alike])[jobs.start[alike] < time]
        more = waits[waits >= age] - age
        if len(more) >= FEWEST:
            break
    return float(np.median(more)) if len(more) else 0.0


def row_of(jobs: History, policy: str, number: int) -> dict:
    """Return what was known of one of the jobs that waited when a job came, as plain data; its number None: of none."""
    time = float(jobs.arrival[number])
    waiting = jobs.at(time, number).waiting
    if not len(waiting):
        return {"job": None}
    job = int(waiting[np.random.default_rng(number).integers(len(waiting))])
    rule, beyond = features_in_queue(jobs, time, job, policy)
    return {"job": job, "rule": [round(float(x), 6) for x in rule], "last": round(beyond, 6)}


def past_of_waiting(
    jobs: History,
    policy: str,
    first: float,
    end: int,
    keep: Path | None = None,
    workers: Workers | None = 1,
    progress: bool | None = None,
) -> Past:
    """Return forecasts of jobs that waited when others came, as :func:`mjq_logs.forecast.record.past_of` does of those.

    Of each time at which somebody waited there is one.
    """
    wanted = numbers(first, end)
    rows = kept_rows(row_of, jobs, policy, wanted, "-waiting", keep, workers, progress)
    number, kept = (
        np.array([number for number, row in zip(wanted, rows, strict=True) if row["job"] is not None], dtype=np.int64),
        [row for row in rows if row["job"] is not None],
    )
    time, start = jobs.arrival[number], jobs.start[np.array([row["job"] for row in kept], dtype=np.int64)]
    return Past(
        number,
        time,
        start,
        np.array([row["rule"] for row in kept]).reshape(-1, len(LEVELS)),
        np.array([row["last"] for row in kept]),
        on_scale(start - time),
        MEMORY * first,
    )
