"""Points in time and durations as logs write them, as seconds."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

__all__ = ["duration", "has_zone", "moment", "numbers"]

SECOND = len("2023-11-14T22:13:20")  # of a date, characters up to its whole second
REST = r"^(\.\d+)?\s?(?:Z|([+-])(\d\d):?(\d\d))?$"  # what may follow: a fraction, a zone
DURATION = r"^(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)$"  # [days-][hours:]minutes:seconds
DAYS_ALONE = r"^(\d+)-(\d+)$"  # days-hours


def numbers(table: pl.DataFrame, columns: Iterable[str]) -> pl.DataFrame:
    """Return the table with those columns of text as numbers that hold nothing else: most logs write plain seconds.

    >>> table = pl.DataFrame({"at": ["5", None], "from": ["5", "Unknown"]})
    >>> numbers(table, ["at", "from"]).dtypes
    [Float64, String]
    """
    plain = (table[column].cast(pl.Float64, strict=False) for column in columns if table[column].dtype == pl.String)
    return table.with_columns(
        column for column in plain if (column.is_finite() | table[column.name].is_null()).fill_null(False).all()
    )


def moment(column: pl.Expr) -> pl.Expr:
    """Return seconds since 1970 for a column of text: numbers are such seconds, dates are in UTC unless they say more.

    >>> table = pl.DataFrame({"at": ["1700000000", "2023-11-14T22:13:20", "2023-11-14 23:13:20.5+01:00", "Unknown"]})
    >>> table.select(moment(pl.col("at"))).to_series().to_list()
    [1700000000.0, 1700000000.0, 1700000000.5, None]
    """
    rest = column.str.slice(SECOND)
    fraction, sign, hours, minutes = (rest.str.extract(REST, k) for k in (1, 2, 3, 4))
    offset = pl.when(sign == "-").then(-1.0).otherwise(1.0) * (3600 * _number(hours) + 60 * _number(minutes))
    local = _date(column).dt.epoch("us") / 1e6 + _number(fraction).fill_null(0.0)
    return pl.coalesce(_finite(column), pl.when(rest.str.contains(REST)).then(local - offset.fill_null(0.0)))


def has_zone(column: pl.Expr) -> pl.Expr:
    """Return whether dates say their zone; null for plain seconds and what is no date."""
    return pl.when(_date(column).is_not_null()).then(column.str.slice(SECOND).str.contains(r"Z|[+-]"))


def _date(column):
    """Return date and time of day, to the second."""
    text = column.str.slice(0, SECOND).str.replace(" ", "T", literal=True)
    return text.str.to_datetime("%Y-%m-%dT%H:%M:%S", strict=False, time_unit="us")


def duration(column: pl.Expr, unit: float = 1.0) -> pl.Expr:
    """Return the seconds of a column of text: a number of `unit`, or [days-][hours:]minutes:seconds.

    >>> table = pl.DataFrame({"time": ["90", "1:30", "7-06:48:38", "2-12", "UNLIMITED"]})
    >>> table.select(duration(pl.col("time"))).to_series().to_list()
    [90.0, 90.0, 629318.0, 216000.0, None]
    """
    days, hours, minutes, seconds = (_number(column.str.extract(DURATION, k)) for k in (1, 2, 3, 4))
    written = ((days.fill_null(0.0) * 24 + hours.fill_null(0.0)) * 60 + minutes) * 60 + seconds
    days_alone = 3600 * (24 * _number(column.str.extract(DAYS_ALONE, 1)) + _number(column.str.extract(DAYS_ALONE, 2)))
    return pl.coalesce(_finite(column) * unit, written, days_alone)


def _number(column):
    return column.cast(pl.Float64, strict=False)


def _finite(column):
    number = column.cast(pl.Float64, strict=False)
    return pl.when(number.is_finite()).then(number)
