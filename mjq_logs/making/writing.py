"""Logs written in the Standard Workload Format."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
import polars as pl

from mjq._util.plain import printable
from mjq_logs.reading.log import Log

FIELDS = 18
NUMBER, SUBMIT, RUN, ALLOCATED, REQUESTED, ESTIMATE, STATUS, USER = 0, 1, 3, 4, 7, 8, 10, 11


def as_swf(log: Log, notes: Sequence[str] = ()) -> bytes:
    """Return a log in the Standard Workload Format; times are written in whole seconds.

    Parameters
    ----------
    log : Log
        With times of arrival.
    notes : sequence of str
        For its header.

    Examples
    --------
    >>> log = Log(need=np.array([2.0]), run=np.array([60.0]), submit=np.array([5.0]), servers=8.0)
    >>> print(as_swf(log, ["a note"]).decode())
    ; Version: 2.2
    ; Computer: none
    ; MaxJobs: 1
    ; MaxProcs: 8
    ; Note: a note
    1 5 -1 60 2 -1 -1 2 -1 -1 1 -1 -1 -1 -1 -1 -1 -1
    <BLANKLINE>
    """
    header = ["Version: 2.2", "Computer: none", f"MaxJobs: {len(log)}"]
    header += [f"MaxProcs: {log.servers:g}"] if log.servers is not None else []
    header += [f"UnixStartTime: {log.clock:.0f}", "TimeZone: 0"] if log.clock is not None else []
    header += [f"Note: {printable(note)}" for note in notes]
    known = {
        NUMBER: np.arange(1, len(log) + 1),
        SUBMIT: _whole(log.require_arrivals()),
        RUN: _whole(log.run),
        ALLOCATED: _number(log.need),
        REQUESTED: _number(log.need),
        STATUS: np.ones(len(log), dtype=np.int64),
    }
    if log.estimate is not None:
        known[ESTIMATE] = _whole(np.nan_to_num(log.estimate, nan=-1.0))
    if log.user is not None:
        known[USER] = np.where(log.user < 0, -1, log.user + 1)
    nothing = np.full(len(log), -1, dtype=np.int64)
    table = pl.DataFrame({str(k): known.get(k, nothing) for k in range(FIELDS)})
    text = io.BytesIO()
    text.write("".join(f"; {line}\n" for line in header).encode())
    table.write_csv(text, include_header=False, separator=" ")
    return text.getvalue()


def _whole(times):
    return np.round(times).astype(np.int64)


def _number(need):
    """Return needs as whole numbers if they are."""
    return need.astype(np.int64) if (need == np.round(need)).all() else need
