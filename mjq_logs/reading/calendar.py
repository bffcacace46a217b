"""Calendars of a machine: a time and the servers that are up from then on, one pair a line; or who is away in Slurm."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from mjq._util import checks
from mjq._util.plain import brief
from mjq_logs.reading.clock import as_moment
from mjq_logs.reading.log import Log
from mjq_logs.reading.slurm_calendar import away_to_steps, is_of_slurm
from mjq_logs.reading.text import as_number, blocks

BETWEEN = re.compile(r"\s*[,;\s]\s*(?=\S+$)")  # the time and the servers, which are the last word


def read_calendar(path: str | Path, log: Log, servers: float | None = None, unit: str | None = None) -> np.ndarray:
    """Read a calendar: on each line a time and the number of servers that are up from then on.

    Or the file is what ``sacctmgr -P show event Start=2025-01-01 format=NodeName,Start,End,TRES``, the same of
    ``reservation``, or ``scontrol -o show reservation`` prints: nodes that are away, whose servers are taken from those
    of the machine.

    A comma, a semicolon, a tab or blanks stand between them. Empty lines, lines that begin with ``#``, and a first line
    of names are passed over. A time is a number of seconds on the clock of the log, or a date such as 2026-05-03 or
    2026-05-03T14:30, with its zone where the log counts seconds and names none.

    Parameters
    ----------
    path : str or path
        Plain or compressed by gzip; ``-`` is the standard input.
    log : Log
        Whose machine it is: it tells the clock.
    servers : float, optional
        Of the machine; by default those of the log. No more can be up.
    unit : str, optional
        What counts as a server: cpus, the default, gpus or nodes. Only nodes that are away ask for it.

    Returns
    -------
    float array, shape (m, 2)
        For :func:`mjq_logs.machine.outages.with_calendar`.

    Raises
    ------
    ValueError
        If a line is no such pair, more servers are up than the machine has, a date is given and the log has no clock,
        times do not rise, or there is no line.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> log = Log(need=np.ones(1), run=np.ones(1), submit=np.array([1_777_000_000.0]), clock=0.0)
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "up.csv"
    ...     _ = path.write_text("time,servers\\n2026-05-03,0\\n2026-05-03 14:30, 400\\n")
    ...     read_calendar(path, log)
    array([[1.7777664e+09, 0.0000000e+00],
           [1.7778186e+09, 4.0000000e+02]])
    """
    size = None if log.resources else log.servers if servers is None else servers
    lines = [line for _, block in blocks(path) for line in block]
    if is_of_slurm(next((line for line in lines if line.strip()), "")):
        try:
            whole = log.require_servers() if size is None else size
            return away_to_steps([line for line in lines if line.strip()], log, whole, unit)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None
    rows: list[tuple[float, float]] = []
    first = True
    for place, line in enumerate(lines, 1):
        words = line.strip()
        if not words or words.startswith("#"):
            continue
        time, _, up = (part.strip().strip('"') for part in BETWEEN.sub("\0", words).partition("\0"))
        try:
            pair = as_moment(log, time), _number(up)
        except ValueError as error:
            if first and not re.search(r"\d", words):
                first = False
                continue
            raise ValueError(f"{path}, line {place}: {error}") from None
        first = False
        if rows and pair[0] <= rows[-1][0]:
            raise ValueError(f"{path}, line {place}: times must rise, {brief(time)} does not")
        if pair[1] < 0:
            raise ValueError(f"{path}, line {place}: servers must be at least 0, got {brief(up)}")
        if size is not None and pair[1] > size * (1 + checks.FIT_TOLERANCE):
            raise ValueError(f"{path}, line {place}: {brief(up)} servers are up, and the machine has {size:g}")
        rows.append(pair)
    if not rows:
        raise ValueError(f"{path}: no line holds a time and a number of servers")
    return np.array(rows)


def _number(word):
    number = as_number(word)
    if number is None:
        raise ValueError(f"{brief(word)} is not a number of servers")
    return number
