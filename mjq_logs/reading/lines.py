"""Lines of a text file, many at a time, so that a log of any length takes little memory."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import BinaryIO, cast

__all__ = ["blocks", "is_parquet"]

BLOCK = 8_000_000  # bytes read at a time
LONGEST = 64_000_000  # bytes of one line
GZIP, PARQUET = b"\x1f\x8b", b"PAR1"


def is_parquet(path: str | Path) -> bool:
    """Return whether a file begins as Parquet does; a stream that can be read only once is not looked at."""
    if str(path) == "-" or (os.path.exists(path) and not os.path.isfile(path)):
        return False
    with open(path, "rb") as file:
        return file.read(len(PARQUET)) == PARQUET


def blocks(path: str | Path) -> Iterator[tuple[int, list[str]]]:
    """Yield whole lines of a text file or pipe, plain or compressed by gzip; ``-`` is the standard input.

    Yields
    ------
    (int, list of str)
        The number of the first line, from 1, and lines without their ends. What is no UTF-8 is replaced.

    Raises
    ------
    ValueError
        If the compressed data are broken, a line is longer than 64 MB, or this is no text.
    """
    number, rest = 1, b""
    with _opened(path) as file:
        while block := _read(file, number):
            if b"\0" in block:
                raise ValueError(f"line {number + block[: block.index(0)].count(10)} is not text in UTF-8")
            whole, newline, rest = (rest + block).rpartition(b"\n")
            if len(rest) > LONGEST:
                raise ValueError(f"line {number} is longer than {LONGEST // 1_000_000} MB")
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
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"the compressed data are cut or broken after line {number}: {error}") from None


@contextmanager
def _opened(path):
    """Yield the content, uncompressed. Nothing is read twice, so that a pipe does as well as a file."""
    with nullcontext(sys.stdin.buffer) if str(path) == "-" else open(path, "rb") as file:
        beginning = file.read(len(PARQUET))
        if beginning == PARQUET:
            raise ValueError("Parquet cannot be read from a pipe: save it as a file")
        whole = _Rejoined(beginning, file)
        if not beginning.startswith(GZIP):
            yield whole
            return
        with gzip.open(cast(BinaryIO, whole)) as content:
            yield content


class _Rejoined:
    """Put the bytes that have been read from a stream in front of it again."""

    def __init__(self, beginning, rest):
        self.beginning, self.rest = beginning, rest

    def read(self, size):
        content, self.beginning = self.beginning[:size], self.beginning[size:]
        return content + self.rest.read(size - len(content))
