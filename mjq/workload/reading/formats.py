"""A log in any format that we know."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, islice
from pathlib import Path

from polars.exceptions import PanicException, PolarsError

from mjq.workload.answers import Lines
from mjq.workload.reading import lines, sacct, swf, table
from mjq.workload.reading.assembling import gathered, gathered_by_partition
from mjq.workload.reading.log import Log

__all__ = ["read_log", "read_partitions"]

LOOKED_AT = 200  # lines, to tell the format
BROKEN = ValueError, PolarsError, PanicException  # what readers raise; the last where Parquet is broken inside


def read_log(
    path: str | Path,
    columns: dict[str, str] | None = None,
    *,
    servers: float | None = None,
    unit: str | None = None,
    partition: str | None = None,
    strict: bool = False,
) -> Log:
    """Read a cluster log: the Standard Workload Format, output of ``sacct``, CSV or Parquet, told by the content.

    All jobs are held in memory: about 0.3 GB for a million of them, and 0.1 GB for each further million.

    Parameters
    ----------
    path : str or path
        Plain or, but for Parquet, compressed by gzip; ``-`` is the standard input.
    columns : dict, optional
        For CSV and Parquet: what of ``mjq.workload.reading.table.COLUMNS`` the file calls how.
    servers : float, optional
        Of the machine. Otherwise what the file says or, where it says when jobs started, the most that they held at
        once.
    unit : {"cpus", "nodes", "gpus"}, optional
        For ``sacct``: what counts as a server; by default CPUs or, if the file does not tell them, nodes.
    partition : str, optional
        Only jobs of this part of the machine.
    strict : bool
        Whether the first line that cannot be used is an error. Otherwise such lines are counted by reason.

    Returns
    -------
    mjq.workload.Log

    Raises
    ------
    ValueError
        If the file is none of these, holds no job that can be used, or is broken; if `strict`, at the first line that
        cannot be used.
    OSError
        If the file is not there.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "jobs.csv"
    ...     _ = path.write_text("id,from,gpus,hours\\n1,0,8,01:30:00\\n2,60,,02:00:00\\n")
    ...     log = read_log(path, {"submit": "from", "need": "gpus", "run": "hours"})
    >>> log.run.tolist(), log.missing
    ([5400.0], ('start', 'estimate'))
    >>> log.lines
    Lines(read=2, used=1, dropped={'no number of servers': 1}, first={'no number of servers': [3]})
    """
    try:
        return gathered(_reading(path, columns, unit), servers, partition, strict)
    except BROKEN as error:
        raise ValueError(f"{path}: {error}") from error


def read_partitions(
    path: str | Path,
    servers: Mapping[str, float | None],
    columns: dict[str, str] | None = None,
    *,
    unit: str | None = None,
    strict: bool = False,
) -> tuple[dict[str, Log], Lines]:
    """Read the jobs of several partitions, which share neither jobs nor servers, as one log each.

    Each log is what :func:`read_log` returns for this partition, and the file is read once. All count in the same
    `unit`.

    Parameters
    ----------
    path, columns, unit, strict
        As for :func:`read_log`.
    servers : mapping
        Names of the partitions to the servers of each, None where the log may tell them.

    Returns
    -------
    (dict of str to mjq.workload.Log, Lines)
        By name; and what of the file was used. Jobs of other partitions are counted among those that were not.

    Raises
    ------
    ValueError
        As for :func:`read_log`; if a job is listed in several partitions, one of which is named; and if no job that can
        be used is of some partition.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "jobs.csv"
    ...     _ = path.write_text("submit,need,run,partition\\n0,8,60,batch\\n1,1,90,gpu\\n2,4,30,batch\\n3,1,5,test\\n")
    ...     logs, lines = read_partitions(path, {"batch": 16, "gpu": 4})
    >>> [(name, log.servers, len(log)) for name, log in logs.items()], lines.dropped
    ([('batch', 16.0, 2), ('gpu', 4.0, 1)], {'of a partition that is not named': 1})
    """
    try:
        return gathered_by_partition(_reading(path, columns, unit), servers, strict)
    except BROKEN as error:
        raise ValueError(f"{path}: {error}") from error


def _reading(path, columns, unit):
    """Return what the reader for this content finds."""
    if unit is not None and unit not in sacct.UNITS:
        raise ValueError(f"unit must be one of {', '.join(sacct.UNITS)}; got {unit!r}")
    if lines.is_parquet(path):
        return _with_one_unit(table.read_parquet(path, columns), unit)
    blocks = lines.blocks(path)
    first = next(blocks, (1, []))
    blocks = chain([first], blocks)
    beginning = list(islice(first[1], LOOKED_AT))
    if columns is None and sacct.looks_like_sacct(beginning):
        return sacct.read(blocks, unit)
    if columns is None and swf.looks_like_swf(beginning):
        return _with_one_unit(swf.read(blocks), unit)
    return _with_one_unit(table.read_csv(blocks, columns), unit)


def _with_one_unit(reading, unit):
    """Return what a reader finds that has no choice of units."""
    if unit is not None:
        raise ValueError(f"only logs of sacct offer a choice of units; got {unit!r}")
    return reading
