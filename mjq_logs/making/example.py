"""A log of our own making, to try everything on: no machine and no people stand behind it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from importlib import resources
from pathlib import Path

from mjq_logs.reading.formats import read_log
from mjq_logs.reading.log import Log

FILE = "example.swf.gz"


def example_path() -> AbstractContextManager[Path]:
    """Return a context that gives the path of the log."""
    return resources.as_file(resources.files("mjq_logs.making") / FILE)


def example_log() -> Log:
    """Return the log that comes with the package: 64 servers, two months, made by :mod:`mjq_book.example_log`.

    >>> log = example_log()
    >>> log.servers, log.missing, log.lines.used == len(log)
    (64.0, (), True)
    """
    with example_path() as path:
        return read_log(path)
