"""Workloads for chapters and tests: logs that nobody has measured, classes of a real one, and needs rounded up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import NamedTuple, get_type_hints

import numpy as np
import polars as pl

from mjq._util import checks
from mjq_logs import JobClass, Log

MEAN_LOG_RUN, SPREAD_LOG_RUN = 6.5, 1.6  # of a session, natural logarithm of seconds: a median of some eleven minutes
LONGEST = 24 * 3600  # seconds
LIMITS = 3600 * np.array([1 / 12, 1 / 4, 1 / 2, 1, 2, 4, 8, 12, 24])  # round times that users ask for [s]
MEAN_SESSION = 4  # jobs of one kind that a user submits one after the other
GAP = 900  # mean time from the begin of a session to each of its jobs [s]
POWERS = 0.75  # of the jobs need a power of two


class SyntheticLog(NamedTuple):
    """Hold jobs in order of submission."""

    submit: np.ndarray
    need: np.ndarray
    run: np.ndarray
    estimate: np.ndarray
    """Times in seconds, needs in servers; nobody runs longer than said; int array, shape (n,)."""


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


def read_classes(path: str | Path) -> list[JobClass]:
    """Read job classes from a CSV file that :func:`mjq_logs.write_classes` wrote."""
    content = Path(path).read_bytes()  # by Python, so that it is known who uses which file (book/depends.py)
    table = pl.read_csv(content, schema_overrides=get_type_hints(JobClass))
    return [JobClass(**row) for row in table.iter_rows(named=True)]


def shipped_classes() -> list[JobClass]:
    """Return the job classes of the NASA Ames iPSC/860 log of 1993 (128 processors, 18,239 jobs).

    The log is in the Parallel Workloads Archive, and the classes are those of
    ``job_classes(read_log("NASA-iPSC-1993-3.1-cln.swf.gz"))``. In that log submit times are start times. So it knows
    needs and run times, and nothing of waits; nor does this table.

    >>> [c.need for c in shipped_classes()]
    [1, 2, 4, 8, 16, 32, 64, 128]
    """
    with resources.as_file(resources.files("mjq_book") / "nasa_ipsc.csv") as path:
        return read_classes(path)


def rounded_up(log: Log) -> Log:
    """Return the log with needs rounded up to powers of two, at most the servers; jobs keep their work.

    >>> log = rounded_up(Log(need=np.array([3., 8.]), run=np.array([8., 1.]), servers=8))
    >>> log.need.tolist(), log.run.tolist()
    ([4.0, 8.0], [6.0, 1.0])
    """
    need = np.minimum(2.0 ** np.ceil(np.log2(log.need)), log.require_servers())
    factor = log.need / need
    estimate = None if log.estimate is None else log.estimate * factor
    return replace(log, need=need, run=log.run * factor, estimate=estimate)
