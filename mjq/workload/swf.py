"""Logs in the Standard Workload Format: one job a line, 18 numbers, -1 for what is not known."""

import gzip
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

__all__ = ["Log", "read_swf"]

FIELDS = 18
COLUMNS = {0: "number", 1: "submit", 3: "run_time", 4: "allocated", 7: "requested", 8: "estimate", 10: "status"}
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
    estimate : float array, shape (J,), or None
        For how long each job was said to run at most [s]; not a number where that is not known.
    number : int array, shape (J,), or None
        The numbers that jobs have in the file.
    """

    header: dict[str, str]
    submit: np.ndarray
    run_time: np.ndarray
    processors: np.ndarray
    incomplete: int
    estimate: np.ndarray | None = None
    number: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.submit)


def read_swf(path: str | Path) -> Log:
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
    header, lines = {}, []
    opener = gzip.open if Path(path).suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith(";"):
                name, colon, text = line[1:].partition(":")
                if colon:
                    header.setdefault(name.strip(), text.strip())
                line = ""
            lines.append(" ".join(line.split()))
    jobs = _jobs(path, lines)
    jobs = jobs.filter(~pl.col("status").is_in(PARTIAL))
    jobs = jobs.with_columns(processors=pl.when(pl.col("allocated") > 0).then("allocated").otherwise("requested"))
    complete = jobs.filter(pl.col("processors") > 0, pl.col("run_time") >= 0)
    if complete.is_empty():
        raise ValueError(f"{path}: none of {len(jobs)} jobs has both a run time and a number of processors")
    return Log(
        header,
        complete["submit"].to_numpy(),
        complete["run_time"].to_numpy(),
        complete["processors"].cast(pl.Int64).to_numpy(),
        len(jobs) - len(complete),
        np.where(complete["estimate"] > 0, complete["estimate"], np.nan),
        complete["number"].cast(pl.Int64).to_numpy(),
    )


def _jobs(path, lines):
    """The columns that matter of all lines with a job; the first that is none is named."""
    text = "\n".join(line for line in lines if line).encode()
    names = {k: f"field {k + 1}" for k in range(FIELDS)} | COLUMNS
    schema = dict.fromkeys(names.values(), pl.Float64)
    if not text:
        return pl.DataFrame(schema={name: pl.Float64 for name in COLUMNS.values()})
    try:
        jobs = pl.read_csv(text, separator=" ", has_header=False, schema=schema, quote_char=None)
    except pl.exceptions.PolarsError:
        _name_the_broken(path, lines)
        raise
    if not jobs.select(pl.all_horizontal(pl.all().is_finite().fill_null(False)).all()).item():
        _name_the_broken(path, lines)
    return jobs.select(COLUMNS.values())


def _name_the_broken(path, lines):
    """Raise for the first line that is no job."""
    for number, line in enumerate(lines, start=1):
        if line and not _is_job(line):
            raise ValueError(f"{path}, line {number}: a job has {FIELDS} numbers, got {line[:60]!r}")


def _is_job(line):
    words = line.split(" ")
    try:
        return "_" not in line and len(words) == FIELDS and all(math.isfinite(float(word)) for word in words)
    except ValueError:
        return False
