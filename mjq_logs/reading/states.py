"""What became of a job by its times alone, where a file has no states: it ended, still runs, waits, or never started.

A time that a scheduler does not know may be a number all the same: 0 or -1, which dates show as the first day of 1970,
or the last second that a clock can count.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from mjq._util.plain import brief, printable
from mjq_logs.reading.rows import CALENDAR, DAY, Seen
from mjq_logs.reading.text import is_missing

LAST_SECONDS = 2**31 - 1, 2**32 - 2, 2**32 - 1  # of clocks of 32 bits
YEAR_9999 = 253_370_678_400.0, 253_402_387_200.0  # seconds from 1970, up to the end of its last day in all zones
SPREADSHEET = 36_526.0, 73_050.0  # days from 1899-12-30 to the years 2000 and 2100
TIMES = "submit", "eligible", "start", "end", "run"


def require_no_days(name: str, points: pl.Series, line: pl.Series) -> None:
    """Raise ``ValueError`` if points in time are the days of a spreadsheet.

    >>> require_no_days("start", pl.Series([45658.5, 45658.75]), pl.Series([2, 3]))
    Traceback (most recent call last):
    ValueError: line 2: column 'start' holds 45658.5: are these days of a spreadsheet? Times must be in seconds, or \
dates such as 2025-06-15T10:00:00
    """
    days = points.is_between(*SPREADSHEET) & (points != points.floor())
    if (days.sum() or 0) > points.count() / 2:
        place = days.arg_true()[0]
        raise ValueError(
            f"line {line[place]}: column {printable(name)!r} holds {brief(points[place])}: are these days of a "
            "spreadsheet? Times must be in seconds, or dates such as 2025-06-15T10:00:00"
        )


def with_states(jobs: pl.DataFrame, text: pl.DataFrame, seen: Seen) -> pl.DataFrame:
    """Return jobs with what their times say of them: whether they are ``unfinished``, wait, or ``never`` started.

    Parameters
    ----------
    jobs : polars.DataFrame
        With the columns ``line``, ``submit``, ``eligible``, ``start``, ``end`` and ``run`` [s], null where one is not
        known.
    text : polars.DataFrame
        What the file has of these.
    seen : Seen
        Which sees the first submission, and where run times are not those from a start to an end.

    Examples
    --------
    >>> times = {"submit": [1.7e9] * 4, "start": [1.7e9, 0, 1.7e9, None], "end": [1.8e9] * 2 + [0, 0]}
    >>> jobs = pl.DataFrame({"line": [2, 3, 4, 5]} | times | {"eligible": None, "run": None}, strict=False)
    >>> jobs = jobs.with_columns(pl.col(TIMES).cast(pl.Float64))
    >>> jobs = with_states(jobs, jobs.select("submit", "start", "end").cast(pl.String), Seen())
    >>> jobs.select("run", "unfinished", "waits", "never").rows()
    [(100000000.0, False, False, False), (None, False, False, True), (None, True, False, False), \
(None, False, True, False)]
    """
    submit, start, end, run = (pl.col(name) for name in ("submit", "start", "end", "run"))
    odd = [jobs[name].is_null() & ~is_missing(text[name]) for name in ("start", "end", "run") if name in text.columns]
    jobs = _known(jobs.with_columns(given=start), "submit", pl.max_horizontal("start", "end"), np.inf)
    seen.first = min([seen.first, *jobs["submit"].drop_nulls().sort().head(1)])
    jobs = _known(_known(jobs, "eligible", submit, seen.first), "start", submit, seen.first)
    jobs = _known(jobs, "end", pl.coalesce("start", "submit"), seen.first)
    nothing = start.is_null() & pl.col("given").is_not_null() & ((run <= 0) | (run >= end - pl.col("given") - 1))
    jobs = jobs.with_columns(
        run=pl.when(~nothing.fill_null(False)).then("run"),
        end=pl.when(nothing).then(pl.coalesce("end", "submit")).otherwise("end"),
    )
    clear = ~pl.any_horizontal(pl.lit(False), *odd) & run.is_null()
    did_not = clear & start.is_null() & ("start" in text.columns)
    jobs = jobs.with_columns(
        never=did_not & end.is_not_null(),
        waits=did_not & end.is_null() & submit.is_not_null(),
        unfinished=clear & start.is_not_null() & end.is_null(),
    )
    seen.compare(jobs)
    span = pl.when(end >= start).then(end - start)
    return jobs.with_columns(run=pl.coalesce(pl.min_horizontal("run", span), end - start))


def _known(jobs, name, other, first):
    """Return jobs with null for points that are no times: they are far from another time of the same job."""
    point = pl.col(name)
    words = point.is_in(LAST_SECONDS) | point.is_between(*YEAR_9999) | ((other > CALENDAR) & (point <= DAY))
    words |= ((other > first) & (point == 0)) | ((other >= 0) & (point == -1))
    return jobs.with_columns(pl.when(~words.fill_null(False)).then(name).alias(name))
