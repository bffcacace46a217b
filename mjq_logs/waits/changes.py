"""Logs as they might have been: the same jobs under one rule that did not hold.

Each function returns a :class:`Changed` log, which knows which job is which, so that the waits of the same jobs can be
compared: see :func:`mjq_logs.waits.what_if.compared`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq_logs.reading.clock import local
from mjq_logs.reading.log import HOUR, Log
from mjq_logs.reading.vectors import Vectors
from mjq_logs.words import amount_in_words

NIGHT = 20.0, 8.0  # hours of the day between which it is night
DAY = 24.0
MOST_NAMED = 8  # needs, in a message


@dataclass(frozen=True, eq=False)
class Changed:
    """Hold a log as it might have been.

    Attributes
    ----------
    words : str
        What changes, in a few words.
    sentence : str
        What was done, in a sentence.
    log : Log
        Its jobs have no real starts, as nobody knows them.
    jobs : int array, shape (J,)
        For each job of this log its place in the log from which it was made.
    """

    words: str
    sentence: str
    log: Log
    jobs: np.ndarray


def capped(log: Log, most: ArrayLike) -> Changed:
    """Return the log if no job could have more than this many servers.

    A job that needs more runs on `most` servers, and longer: its work, servers times run time, is kept, and so is its
    time limit over its run time. Of several resources it needs as much less of each, so that it exceeds none of their
    caps.

    Parameters
    ----------
    log : Log
    most : float, or sequence of float, shape (d,)
        The servers that a job has at most; at least the largest need changes nothing. Of several resources, how much of
        each; infinity where there is no cap.

    Raises
    ------
    ValueError
        If `most` is not positive.

    Examples
    --------
    >>> log = Log(need=np.array([1., 8.]), run=np.array([60., 30.]), submit=np.array([0., 9.]), servers=8)
    >>> cut = capped(log, 4).log
    >>> cut.need.tolist(), cut.run.tolist()
    ([1.0, 4.0], [60.0, 60.0])
    """
    limit = _amount(log, "the cap", most)
    over = log.needs / limit
    longer = np.maximum(1.0, over if not log.resources else over.max(axis=1))
    cut, long = int((longer > 1).sum()), longer if not log.resources else longer[:, None]
    needs = np.where((long > 1) & (over == long), limit, log.needs / long)  # what is capped is so exactly
    need: Any = Vectors(needs, log.resources) if log.resources else needs
    made = replace(
        log,
        need=need,
        run=log.run * longer,
        estimate=None if log.estimate is None else log.estimate * longer,
        start=None,
        present=None,
    )
    if log.resources:
        what = _words(log, np.where(np.isfinite(limit), limit, 0.0)) if np.isfinite(limit).any() else "there is"
        they = "They need as much less of each, and run longer"
    else:
        what, they = f"{limit:g} servers", f"They run on {limit:g}, longer"
    sentence = (
        f"{cut} of {len(log)} jobs need more than {what} and bring {_work(log, longer > 1)} of the work. {they}; their "
        "work is kept."
        if cut
        else f"No job needs more than {what}, so nothing changes."
    )
    return Changed(f"at most {what} a job", sentence, made, np.arange(len(log)))


def with_exact_estimates(log: Log) -> Changed:
    """Return the log if users had known the run times of their jobs.

    Raises
    ------
    ValueError
        If the log has no estimates, so that run times are taken for them already.

    Examples
    --------
    >>> log = Log(need=np.ones(2), run=np.array([60., 30.]), submit=np.zeros(2), estimate=np.full(2, 3600.))
    >>> with_exact_estimates(log).log.estimates_used.tolist()
    [60.0, 30.0]
    """
    if log.estimate is None:
        raise ValueError("the log has no estimates of run times, so a replay takes them to be exact already")
    sentence = "Each job is said to run exactly as long as it does."
    return Changed(
        "exact estimates", sentence, replace(log, estimate=log.run, start=None, present=None), np.arange(len(log))
    )


def without_need(log: Log, need: ArrayLike) -> Changed:
    """Return the log without the jobs that need exactly so many servers, or so much of each of several resources.

    Raises
    ------
    ValueError
        If no job needs so many, or all do.

    Examples
    --------
    >>> log = Log(need=np.array([1., 8., 1.]), run=np.ones(3), submit=np.arange(3.))
    >>> without_need(log, 8).jobs.tolist()
    [0, 2]
    """
    wanted, several = _amount(log, "the need", need, zeros=True), bool(log.resources)
    stay = (log.needs != wanted).any(axis=1) if several else log.needs != wanted
    needs, _ = log.kinds()
    what = _words(log, wanted) if several else f"{wanted:g} servers"
    if stay.all():
        named = [_words(log, x) if several else f"{x:g}" for x in needs[:MOST_NAMED]]
        named += ["…"] * (len(needs) > MOST_NAMED)
        raise ValueError(f"no job of the log needs {what}; their needs are {('; ' if several else ', ').join(named)}")
    if not stay.any():
        raise ValueError(f"all jobs of the log need {what}, so nothing is left without them")
    gone = len(log) - int(stay.sum())
    sentence = (
        f"{gone} of {len(log)} jobs need {what} and bring {_work(log, ~stay)} of the work. They are left out, and the "
        "waits of the others are compared."
    )
    short = f"without need {what if several else f'{wanted:g}'}"
    return Changed(short, sentence, log.of(stay, start=None, present=None), np.flatnonzero(stay))


def shifted_to_night(log: Log, share: float, seed: int = 1, night: tuple[float, float] = NIGHT) -> Changed:
    """Return the log if some jobs that came by day had come in the night after it.

    Each job that came by day is moved with the probability `share`, independently of the others. Who came when a part
    of the day had passed comes when the same part of the night after it has passed; with nights of twelve hours that
    is twelve hours later. Needs and run times stay. Waits count from the new times.

    Parameters
    ----------
    log : Log
        With times of arrival and a clock.
    share : float
        Between 0 and 1.
    seed : int
        Of the random numbers.
    night : (float, float)
        Hours of the day at which it begins and ends.

    Raises
    ------
    ValueError
        If the log does not tell the time of day of its arrivals, or a number violates a constraint.

    Examples
    --------
    A job at ten in the morning, and one at ten in the evening:

    >>> log = Log(need=np.ones(2), run=np.ones(2), submit=3600 * np.array([10., 22]), clock=0.0, servers=1)
    >>> (shifted_to_night(log, 1.0).log.submit / 3600).tolist()
    [22.0, 22.0]
    """
    share = checks.share("share", share)
    seed = checks.count("seed", seed, least=0)
    begins, ends = (float(x) for x in night)
    if not (0 <= begins < DAY and 0 <= ends < DAY and begins != ends):
        raise ValueError(f"night must be two different hours from 0 to 24, got {begins:g} and {ends:g}")
    arrival = log.require_arrivals()
    if log.submits_are_starts:
        raise ValueError("the submit times of this log are start times, so nobody knows which jobs came by day")
    if log.clock is None:
        raise ValueError("the log does not tell the time of day of its jobs, so none can be moved to the night")
    dark = (ends - begins) % DAY
    since = (local(log, arrival) / HOUR - ends) % DAY  # the morning, in hours
    by_day = since < DAY - dark
    moved = by_day & (np.random.default_rng(seed).random(len(log)) < share)
    later = (DAY - dark - since) + since * dark / (DAY - dark)
    new_arrival = arrival + np.where(moved, HOUR * later, 0.0)
    order = np.argsort(new_arrival, kind="stable")
    made = log.of(order, submit=new_arrival[order], eligible=None, start=None, present=None)
    sentence = (
        f"{moved.sum()} of the {by_day.sum()} jobs that came between {ends:g} and {begins:g} h come in the next night, "
        f"when the same part of it has passed. They were drawn with seed {seed}. Waits count from the new times."
    )
    return Changed(f"{100 * share:.3g} % of the day at night", sentence, made, order)


def _amount(log, what, amount, zeros=False):
    """Return servers, or how much of each resource of the log, checked; some may be 0, if zeros may be."""
    if not log.resources:
        return float(checks.positive(what, amount, ndim=0))
    limits = np.asarray(amount, dtype=float)
    known = limits.shape == (len(log.resources),) and limits.any() and (limits >= 0).all()
    if not known or not (zeros or limits.all()):
        kind = "not all of them 0" if zeros else "each positive"
        raise ValueError(
            f"{what} must be a number for each of {', '.join(log.resources)}, {kind}; got {checks.shown(amount)}"
        )
    return limits


def _words(log, amount):
    return amount_in_words(dict(zip(log.resources, amount.tolist(), strict=True)))


def _work(log, chosen):
    """Return the share of the work that these jobs bring, in words; of several resources, the largest."""
    work = log.run @ log.needs, log.run[chosen] @ log.needs[chosen]
    shares = [100 * part / whole if whole > 0 else 0.0 for whole, part in zip(*map(np.atleast_1d, work), strict=True)]
    return f"{max(shares):.3g} %"
