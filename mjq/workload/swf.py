"""Logs in the Standard Workload Format: one job a line, 18 numbers, -1 for what is not known."""

import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np

FIELDS = 18
SUBMIT, RUN_TIME, ALLOCATED, REQUESTED, STATUS = 1, 3, 4, 7, 10
PARTIAL = (2, 3, 4)  # status of a part of a job that is listed as a whole, too


@dataclass(frozen=True)
class Log:
    """The jobs of a cluster log, in the order of the file.

    Attributes
    ----------
    header : dict
        What the comment lines say, name to text, such as ``MaxProcs``.
    submit, run_time : float array, shape (J,)
        Seconds since the start of the log, seconds.
    processors : int array, shape (J,)
        Processors allocated to the job or, where that is not known, requested.
    incomplete : int
        Jobs left out because their run time or their number of processors is not known. (Parts of jobs that were
        interrupted are left out as well; such jobs are listed as a whole, too.)
    """

    header: dict
    submit: np.ndarray
    run_time: np.ndarray
    processors: np.ndarray
    incomplete: int

    def __len__(self):
        return len(self.submit)


def read_swf(path):
    """Read a log in the Standard Workload Format, plain or compressed by gzip.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    Log

    Raises
    ------
    ValueError
        If a line does not hold 18 numbers (the line is named), or no job is complete.
    """
    header, rows = {}, []
    opener = gzip.open if Path(path).suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            if line.startswith(";"):
                name, colon, text = line[1:].partition(":")
                if colon:
                    header.setdefault(name.strip(), text.strip())
            elif line.strip():
                rows.append(_job(line, number, path))
    jobs = np.array(rows, dtype=float).reshape(-1, FIELDS)
    jobs = jobs[~np.isin(jobs[:, STATUS], PARTIAL)]
    processors = np.where(jobs[:, ALLOCATED] > 0, jobs[:, ALLOCATED], jobs[:, REQUESTED])
    complete = (processors > 0) & (jobs[:, RUN_TIME] >= 0)
    if not complete.any():
        raise ValueError(f"{path}: none of {len(jobs)} jobs has both a run time and a number of processors")
    return Log(
        header,
        jobs[complete, SUBMIT],
        jobs[complete, RUN_TIME],
        processors[complete].astype(np.int64),
        int((~complete).sum()),
    )


def _job(line, number, path):
    try:
        values = [float(word) for word in line.split()]
    except ValueError:
        values = []
    if len(values) != FIELDS or not np.isfinite(values).all():
        raise ValueError(f"{path}, line {number}: a job has {FIELDS} numbers, got {line.strip()[:60]!r}")
    return values
