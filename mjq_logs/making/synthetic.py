"""A log that nobody has measured, for chapters and tests: days, repeated jobs, estimates as users make them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mjq._util import checks

MEAN_LOG_RUN, SPREAD_LOG_RUN = 6.5, 1.6  # of a session, natural logarithm of seconds: a median of some eleven minutes
LONGEST = 24 * 3600  # seconds
LIMITS = 3600 * np.array([1 / 12, 1 / 4, 1 / 2, 1, 2, 4, 8, 12, 24])  # round times that users ask for [s]
MEAN_SESSION = 4  # jobs of one kind that a user submits one after the other
GAP = 900  # mean time from the begin of a session to each of its jobs [s]
POWERS = 0.75  # of the jobs need a power of two


class SyntheticLog(NamedTuple):
    """Hold jobs in order of submission.

    Attributes
    ----------
    submit, need, run, estimate : int array, shape (n,)
        Times in seconds, needs in servers; nobody runs longer than said.
    """

    submit: np.ndarray
    need: np.ndarray
    run: np.ndarray
    estimate: np.ndarray


def synthetic_log(jobs: int, servers: int, load: float, seed: int | Sequence[int]) -> SyntheticLog:
    """Draw a log of a cluster: no model of any site, but with the traits that matter to a scheduler.

    Users come in sessions, of four jobs on average, of one need and of run times like each other (within a factor of
    about 1.5, lognormal); between sessions run times vary much more. Three quarters of the needs are powers of two, and
    small needs are more probable than large ones. Sessions begin three times as often by day as by night. Users ask for
    up to ten times what the job takes, rounded up to a round time of five minutes to a day.

    Parameters
    ----------
    jobs : int
    servers : int
    load : float
        Work that comes over what all servers could do until the last job comes.
    seed : int or sequence of int

    Returns
    -------
    SyntheticLog

    Examples
    --------
    >>> log = synthetic_log(jobs=1000, servers=64, load=0.8, seed=1)
    >>> bool((log.run <= log.estimate).all()), int(log.need.max()) <= 64
    (True, True)
    >>> round(float(log.need @ log.run / (64 * log.submit[-1])), 2)
    0.8
    """
    jobs, servers = checks.count("jobs", jobs), checks.count("servers", servers)
    load, rng = float(checks.positive("load", load, ndim=0)), np.random.default_rng(seed)
    session = np.sort(rng.integers(0, max(1, jobs // MEAN_SESSION), jobs))  # which session each job belongs to
    sessions = session[-1] + 1
    powers, wholes = (rng.integers(0, top, (2, sessions)).min(axis=0) for top in (servers.bit_length(), servers))
    need = np.where(rng.random(sessions) < POWERS, 2**powers, 1 + wholes)[session]
    usual = rng.lognormal(MEAN_LOG_RUN, SPREAD_LOG_RUN, sessions)[session]
    run = np.clip(usual * rng.lognormal(0, 0.4, jobs), 1, LONGEST).round()
    asked = np.minimum(run * rng.uniform(1, 10, sessions)[session], LONGEST)
    estimate = LIMITS[np.searchsorted(LIMITS, asked)]
    span = need @ run / (load * servers)
    submit = _by_day(np.sort(rng.random(sessions)), span)[session] + rng.exponential(GAP, jobs)
    order = np.argsort(submit, kind="stable")
    submit = np.minimum(submit[order], span)
    submit[-1] = span  # exactly that load, and no hour of the day moved
    return SyntheticLog(*(x.astype(int) for x in (submit.round(), need[order], run[order], estimate[order])))


def _by_day(parts, span):
    """Return instants up to `span`, at uniform parts of the whole, with three times the rate by day as by night."""
    hours = np.arange(0, span + 3600, 3600)
    arrived = np.concatenate(([0], np.where(hours[:-1] // 3600 % 24 < 12, 3.0, 1.0).cumsum()))
    return np.interp(parts, arrived / np.interp(span, hours, arrived), hours)
