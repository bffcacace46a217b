"""Whether the queue grows: then jobs will wait longer than any that the forecast can look at."""

from __future__ import annotations

import numpy as np

from mjq_logs.answers import QueueLength
from mjq_logs.forecast.nearest import MEMORY
from mjq_logs.forecast.state import History
from mjq_logs.reading.log import HOUR

POINTS = 400  # at which one looks at the queue
LATELY = 40  # of them are the latest
HIGH = 0.95  # quantile of the earlier ones
FEWEST = 100  # jobs that there must be


def waiting_work(jobs: History, times: np.ndarray) -> np.ndarray:
    """Return the work of the jobs that wait at each time, with their limits, in seconds of all servers.

    Of several resources, the most by any of them.

    Examples
    --------
    Two jobs for an hour each come at once to one server. The second one waits until the first one ends.

    >>> from mjq_logs import Log
    >>> from mjq_logs.forecast.state import history
    >>> log = Log(np.ones(2), [3600.0, 3600.0], [0.0, 0.0], estimate=[3600.0, 3600.0], servers=1)
    >>> waiting_work(history(log, "fcfs"), np.array([10.0, 3700.0])).tolist()
    [3600.0, 0.0]
    """
    orders = [(each, np.argsort(each, kind="stable")) for each in (jobs.arrival, jobs.start)]
    most = np.zeros(len(times))
    for need, size in zip(np.atleast_2d(jobs.need.T), np.atleast_1d(jobs.servers), strict=True):
        work = need * jobs.limit * jobs.times / size
        arrived, started = (
            np.concatenate([[0.0], np.cumsum(work[order])])[np.searchsorted(passed[order], times, side="right")]
            for passed, order in orders
        )
        most = np.maximum(most, arrived - started)
    return most


def queue_at(jobs: History, arrived: int, time: float) -> QueueLength | None:
    """Return how much work waits at a time and before, and whether the queue grows; None for a short past.

    One looks at the time since a third of the jobs had come. The queue grows if in the last tenth of that time it was
    longer than ever before but for a twentieth, half of the time at least, and is longer in the second half of that
    tenth than in the first.
    """
    if arrived < FEWEST:
        return None
    times = np.linspace(jobs.arrival[int(arrived / MEMORY)], time, POINTS)
    work = waiting_work(jobs, times) / HOUR
    lately, before = work[-LATELY:], float(np.quantile(work[:-LATELY], HIGH))
    first, second = np.array_split(lately, 2)
    return QueueLength(
        work=float(work[-1]),
        before=before,
        hours=float(times[-1] - times[-LATELY]) / HOUR,
        lately=float(np.median(lately)),
        grows=bool(np.median(lately) > before and second.mean() >= first.mean()),
    )
