"""Lines of text, and the durations, points in time and numbers in them: one grammar for files and options.

A file is read many lines at a time, so that a log of any length takes little memory.

*Durations* are a number of the unit of their column, or

* ``[days-]hours:minutes:seconds``, ``minutes:seconds``, ``days-hours:minutes`` and ``days-hours``, as in Slurm;
* numbers with units, such as ``90min``, ``1d12h``, ``3m20s`` (Go and Kubernetes), ``1.5h`` (Flux), ``3600 seconds``;
* ``2 days 01:30:00`` (pandas and Python) and ``PT1H30M`` (ISO 8601).

*Points in time* are a number of seconds since 1970, or a date of ISO 8601 with or without its dashes and colons, such
as ``2025-06-15T10:00:00``, ``2025-06-15 10:00``, ``20250615T100000Z`` and ``2025-06-15 10:00:00+02:00``. One without a
zone is in UTC.

*Numbers* have a point and no other sign between digits: who writes ``1,234`` may mean either.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import math
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, cast

import polars as pl

from mjq._util.plain import brief

BLOCK = 8_000_000  # bytes read at a time
LONGEST_LINE = 64_000_000  # bytes
PARQUET = b"PAR1"
# What compressed files begin with.
PACKED: dict[bytes, Callable[..., Any]] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zX": lzma.open}
PACKED_OTHERWISE = {b"PK\x03\x04": "unzip -p", b"\x28\xb5\x2f\xfd": "zstd -dc", b"7z\xbc\xaf": "7z x -so"}
UNITS = {
    name: seconds
    for seconds, names in (
        (1e-9, "ns"), (1e-6, "us µs μs"), (1e-3, "ms"), (1.0, "s sec secs second seconds"),
        (60.0, "m min mins minute minutes"), (3600.0, "h hr hrs hour hours"), (86_400.0, "d day days"),
        (604_800.0, "w week weeks"),
    )
    for name in names.split()
}  # fmt: skip
PART = r"\d+(?:\.\d+)?\s*(?:" + "|".join(sorted(UNITS, key=len, reverse=True)) + r")"
IN_UNITS = rf"^{PART}(?:,?\s*{PART})*$"
CLOCK = r"(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)"  # [hours:]minutes:seconds
OF_A_DAY = rf"^{CLOCK}$"
WITH_DAYS = r"^(\d+)-(\d+)(?::(\d+)(?::(\d+(?:\.\d+)?))?)?$"  # days-hours[:minutes[:seconds]]
DAYS_IN_WORDS = r"^(\d+) days?,?\s+(?:\+?(\d+):(\d+):(\d+(?:\.\d+)?))$"
ISO = r"^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$"
DATE = (
    r"^(\d{4})-?(\d{2})-?(\d{2})(?:[T ](\d{2}):?(\d{2})(?::?(\d{2})(\.\d+)?)?)?"
    r"\s?(?:(Z|UTC|GMT)|([+-])(\d{2}):?(\d{2})?)?$"
)
MISSING = "", "Unknown", "None", "None assigned", "N/A", "n/a", "NA", "nan", "NaN", "NaT", "null", "NULL", "-", "--"
AMBIGUOUS = r"^[+-]?\d+(?:,\d+)+(?:\.\d+)?$|^[+-]?\d+(?:\.\d{3})+,\d+$"  # a comma parts thousands or decimals


def is_missing(text: pl.Series) -> pl.Series:
    """Return where a column of text says that it does not know.

    >>> is_missing(pl.Series(["5", "Unknown", "", None])).to_list()
    [False, True, True, True]
    """
    return text.is_null() | text.is_in(MISSING)


def plain_number(text: pl.Series) -> pl.Series:
    """Return the finite numbers of a column of text; null for what is none.

    >>> plain_number(pl.Series(["12", "1e3", "1,234", "inf", None])).to_list()
    [12.0, 1000.0, None, None, None]
    """
    number = text.cast(pl.Float64, strict=False)
    return number.set(~number.is_finite().fill_null(False), None)


def moments(text: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Return seconds since 1970 for a column of text, and whether dates say their zone, null for what is no date.

    >>> at = pl.Series(["1700000000", "2023-11-14T22:13", "2023-11-14 23:13:20.5+01:00", "20231114T221320Z", "Unknown"])
    >>> seconds, zoned = moments(at)
    >>> seconds.to_list(), zoned.to_list()
    ([1700000000.0, 1699999980.0, 1700000000.5, 1700000000.0, None], [None, False, True, True, None])
    """
    group = pl.col("parts").struct.field
    year, month, day, hour, minute, second, fraction, utc, sign, hours, minutes = (group(str(k)) for k in range(1, 12))

    def number(part):
        return part.cast(pl.Float64, strict=False).fill_null(0.0)

    clock = pl.concat_str(hour.fill_null("00"), minute.fill_null("00"), second.fill_null("00"), separator=":")
    local = pl.concat_str(year, month, day, separator="-") + "T" + clock
    local = local.str.to_datetime("%Y-%m-%dT%H:%M:%S", strict=False, time_unit="us").dt.epoch("us") / 1e6
    offset = pl.when(sign == "-").then(-1.0).otherwise(1.0) * (3600 * number(hours) + 60 * number(minutes))
    columns = (
        pl.DataFrame({"plain": plain_number(text), "text": text.cast(pl.String)})
        .with_columns(parts=pl.when(pl.col("plain").is_null()).then("text").str.extract_groups(DATE))
        .with_columns(date=local + number(fraction) - offset)
        .select(
            at=pl.coalesce("plain", "date"),
            zoned=pl.when(pl.col("plain").is_null() & pl.col("date").is_not_null()).then(
                utc.is_not_null() | sign.is_not_null()
            ),
        )
    )
    return columns["at"], columns["zoned"]


def durations(text: pl.Series, unit: float | None = 1.0) -> pl.Series:
    """Return the seconds of a column of text; null for what is no duration.

    A plain number counts `unit` seconds; where that is None, it is no duration.

    >>> durations(pl.Series(["90", "1:30", "7-06:48:38", "2-12", "3-12:30", "UNLIMITED"])).to_list()
    [90.0, 90.0, 629318.0, 216000.0, 304200.0, None]
    >>> durations(pl.Series(["1.5h", "3m20s", "1d12h", "90 min", "2 days 01:30:00", "PT1H30M"])).to_list()
    [5400.0, 200.0, 129600.0, 5400.0, 178200.0, 5400.0]
    """
    plain = plain_number(text)
    seconds = plain * (math.nan if unit is None else unit)
    for form in FORMS:  # most columns have one form
        unread = seconds.is_null() & ~is_missing(text)
        if not unread.any():
            break
        seconds = seconds.zip_with(~unread, pl.select(form(pl.lit(text.cast(pl.String)))).to_series())
    return seconds.fill_nan(None)


def _fields(pattern: str, *factors: float) -> Callable[[pl.Expr], pl.Expr]:
    """Return what makes seconds of the groups of a pattern; one that is not there counts as nothing."""

    def seconds(text):
        parts = (
            factor * text.str.extract(pattern, k).cast(pl.Float64, strict=False).fill_null(0.0)
            for k, factor in enumerate(factors, 1)
        )
        return pl.when(text.str.contains(pattern) & ~text.is_in(["P", "PT"])).then(pl.sum_horizontal(*parts))

    return seconds


def _in_units(text):
    parts, element = text.str.extract_all(PART), pl.element()
    number = element.str.extract(r"^([\d.]+)").cast(pl.Float64, strict=False)
    factor = element.str.extract(r"([^\d.\s]+)$").replace_strict(UNITS, default=None, return_dtype=pl.Float64)
    return pl.when(text.str.contains(IN_UNITS)).then(parts.list.eval(number * factor).list.sum())


FORMS = (
    _fields(OF_A_DAY, 3600.0, 60.0, 1.0),
    _fields(WITH_DAYS, 86_400.0, 3600.0, 60.0, 1.0),
    _in_units,
    _fields(DAYS_IN_WORDS, 86_400.0, 3600.0, 60.0, 1.0),
    _fields(ISO, 86_400.0, 3600.0, 60.0, 1.0),
)


def as_duration(text: str) -> float:
    """Return the seconds of one duration, or raise ``ValueError``; a plain number is none.

    >>> as_duration("1d 12h"), as_duration("3-12:30")
    (129600.0, 304200.0)
    >>> as_duration("7")
    Traceback (most recent call last):
    ValueError: '7' is not a duration such as 2h, 90min, 1d12h or 1-12:30:00
    """
    seconds = durations(pl.Series([text.strip()]), None)[0]
    if seconds is None:
        raise ValueError(f"{brief(text)} is not a duration such as 2h, 90min, 1d12h or 1-12:30:00")
    return seconds


def as_number(text: str) -> float | None:
    """Return a finite number, or None if the text is none.

    >>> as_number("1e3"), as_number("1_0"), as_number("inf")
    (1000.0, None, None)
    """
    return plain_number(pl.Series([text.strip()]))[0]


COUNT = re.compile(r"\s*(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?(?:e\d+)?)\s*", re.IGNORECASE)


def as_count(text: str) -> float | None:
    """Return a whole number that a header gives, thousands parted by commas or not; None if it is none.

    >>> as_count("1,024"), as_count("1e3"), as_count("4 nodes x 4"), as_count("2.5")
    (1024.0, 1000.0, None, None)
    """
    match = COUNT.fullmatch(text)
    number = float(match[1].replace(",", "")) if match else 0.5
    return number if number.is_integer() else None


def is_parquet(path: str | Path) -> bool:
    """Return whether a file begins as Parquet does; a stream that can be read only once is not looked at."""
    if str(path) == "-" or (os.path.exists(path) and not os.path.isfile(path)):
        return False
    with open(path, "rb") as file:
        return file.read(len(PARQUET)) == PARQUET


def blocks(path: str | Path) -> Iterator[tuple[int, list[str]]]:
    """Yield whole lines of a text file or pipe, plain or compressed by gzip, bzip2 or xz; ``-`` is the standard input.

    Lines have no ends, and come with the number of the first one, from 1. What is no UTF-8 is replaced. ``ValueError``
    if the compressed data are broken, a line is longer than 64 MB, or this is no text.
    """
    number, rest = 1, b""
    with _opened(path) as file:
        while block := _read(file, number):
            if b"\0" in block:
                raise ValueError(f"line {number + block[: block.index(0)].count(10)} is not text in UTF-8")
            whole, newline, rest = (rest + block).rpartition(b"\n")
            if len(rest) > LONGEST_LINE:
                raise ValueError(f"line {number} is longer than {LONGEST_LINE // 1_000_000} MB")
            if newline:
                lines = _text(whole, number).split("\n")
                yield number, lines
                number += len(lines)
    if rest:
        yield number, [_text(rest, number)]


def _text(content, number):
    return content.decode("utf-8-sig" if number == 1 else "utf-8", errors="replace")


def _read(file, number):
    try:
        return file.read(BLOCK)
    except (EOFError, zlib.error, lzma.LZMAError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # not what gzip or bz2 say of their data
            raise
        raise ValueError(f"the compressed data are cut or broken after line {number}: {error}") from None


@contextmanager
def _opened(path):
    """Yield the content, uncompressed. Nothing is read twice, so that a pipe does as well as a file."""
    with nullcontext(sys.stdin.buffer) if str(path) == "-" else open(path, "rb") as file:
        whole = io.BufferedReader(cast(Any, file))
        try:
            beginning = whole.peek(len(PARQUET))[: len(PARQUET)]
            if beginning == PARQUET:
                raise ValueError("Parquet cannot be read from a pipe: save it as a file")
            if command := PACKED_OTHERWISE.get(beginning):
                raise ValueError(
                    f"this is compressed as it cannot be read: unpack it first, as in {command} FILE > jobs.txt"
                )
            unpack = next((unpack for begin, unpack in PACKED.items() if beginning.startswith(begin)), nullcontext)
            with unpack(whole) as content:
                yield content
        finally:
            whole.detach()  # without it the end of the reader would close the standard input
