"""Job classes: jobs of a log grouped by what they need, how frequent, how long."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

import numpy as np
import polars as pl

from mjq_logs.reading.log import Log

QUANTILES = (0.1, 0.5, 0.9)


@dataclass(frozen=True)
class JobClass:
    """Hold the jobs that need the same number of processors; times are run times in seconds."""

    need: int
    jobs: int
    mean_time: float
    scv: float
    """Squared coefficient of variation of the run time: 1 if it were exponential."""
    low: float
    """10 % of the jobs run no longer."""
    median: float
    high: float
    """90 % of the jobs run no longer."""

    @property
    def work(self) -> float:
        """Return the processor-seconds of the class."""
        return self.jobs * self.need * self.mean_time


def job_classes(log: Log) -> list[JobClass]:
    """Group the jobs of a log by their need, the smallest first.

    >>> from mjq_logs import Log
    >>> log = Log(need=np.array([1.0, 1.0, 4.0]), run=np.array([10.0, 30.0, 50.0]))
    >>> [(c.need, c.jobs, c.mean_time) for c in job_classes(log)]
    [(1, 2, 20.0), (4, 1, 50.0)]
    """
    return [_job_class(need, log.run[log.need == need]) for need in np.unique(log.need)]


def _job_class(need, times):
    need = int(need) if need == int(need) else float(need)
    mean = float(times.mean())
    scv = float(times.var() / mean**2) if mean else 0.0
    return JobClass(need, len(times), mean, scv, *(float(q) for q in np.quantile(times, QUANTILES)))


def write_classes(path: str | Path | IO[bytes], classes: Iterable[JobClass]) -> None:
    """Write job classes as CSV, to a file or a stream."""
    pl.DataFrame([asdict(row) for row in classes]).write_csv(path)
