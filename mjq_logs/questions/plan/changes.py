"""Logs as they might have been: the same jobs under one rule that did not hold.

Each function returns a :class:`Changed` log, which knows which job is which, so that the waits of the same jobs can be
compared: see :func:`mjq_logs.questions.plan.what_if.what_if`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mjq._util import checks
from mjq_logs.reading.log import Log

MOST_NAMED = 8  # needs, in a message


@dataclass(frozen=True, eq=False)
class Changed:
    """Hold a log as it might have been."""

    words: str
    """What changes, in a few words."""
    sentence: str
    """What was done, in a sentence."""
    log: Log
    """Its jobs have no real starts, as nobody knows them."""
    jobs: np.ndarray
    """For each job of this log its place in the log from which it was made."""


def cap(log: Log, most: float) -> Changed:
    """Return the log if no job could have more than this many servers.

    A job that needs more runs on `most` servers, and longer: its work, servers times run time, is kept, and so is its
    time limit over its run time.

    Raises
    ------
    ValueError
        If `most` is not positive, or the log counts several resources.

    Examples
    --------
    >>> log = Log(need=np.array([1., 8.]), run=np.array([60., 30.]), submit=np.array([0., 9.]), servers=8)
    >>> cut = cap(log, 4).log
    >>> cut.need.tolist(), cut.run.tolist()
    ([1.0, 4.0], [60.0, 60.0])
    """
    log.require_one_resource()
    limit = float(checks.positive("the cap", most, ndim=0))
    longer = np.maximum(1.0, log.need / limit)
    cut = int((longer > 1).sum())
    made = replace(
        log,
        need=np.minimum(log.need, limit),
        run=log.run * longer,
        estimate=None if log.estimate is None else log.estimate * longer,
        start=None,
        present=None,
    )
    what = f"{limit:g} servers"
    sentence = (
        f"{cut} of {len(log)} jobs need more than {what} and bring {_work(log, longer > 1)} of the work. They run on "
        f"{limit:g}, longer; their work is kept."
        if cut
        else f"No job needs more than {what}, so nothing changes."
    )
    return Changed(f"at most {what} a job", sentence, made, np.arange(len(log)))


def with_exact_estimates(log: Log) -> Changed:
    """Return the log if users had known the run times of their jobs.

    Raises
    ------
    ValueError
        If the log has no estimates, so that run times are taken for them already, or counts several resources.

    Examples
    --------
    >>> log = Log(need=np.ones(2), run=np.array([60., 30.]), submit=np.zeros(2), estimate=np.full(2, 3600.))
    >>> with_exact_estimates(log).log.estimates_used.tolist()
    [60.0, 30.0]
    """
    log.require_one_resource()
    if log.estimate is None:
        raise ValueError("the log has no estimates of run times, so a replay takes them to be exact already")
    sentence = "Each job is said to run exactly as long as it does."
    return Changed(
        "exact estimates", sentence, replace(log, estimate=log.run, start=None, present=None), np.arange(len(log))
    )


def without_need(log: Log, need: float) -> Changed:
    """Return the log without the jobs that need exactly so many servers.

    Raises
    ------
    ValueError
        If no job needs so many, or all do, or the log counts several resources.

    Examples
    --------
    >>> log = Log(need=np.array([1., 8., 1.]), run=np.ones(3), submit=np.arange(3.))
    >>> without_need(log, 8).jobs.tolist()
    [0, 2]
    """
    log.require_one_resource()
    wanted = float(checks.positive("the need", need, ndim=0))
    stay, what = log.need != wanted, f"{wanted:g} servers"
    needs, _ = log.kinds()
    if stay.all():
        named = [f"{x:g}" for x in needs[:MOST_NAMED]] + ["…"] * (len(needs) > MOST_NAMED)
        raise ValueError(f"no job of the log needs {what}; their needs are {', '.join(named)}")
    if not stay.any():
        raise ValueError(f"all jobs of the log need {what}, so nothing is left without them")
    gone = len(log) - int(stay.sum())
    sentence = (
        f"{gone} of {len(log)} jobs need {what} and bring {_work(log, ~stay)} of the work. They are left out, and the "
        "waits of the others are compared."
    )
    return Changed(f"without need {wanted:g}", sentence, log.of(stay, start=None, present=None), np.flatnonzero(stay))


def _work(log, chosen):
    whole = log.run @ log.need
    return f"{100 * (log.run[chosen] @ log.need[chosen]) / whole if whole > 0 else 0.0:.3g} %"
