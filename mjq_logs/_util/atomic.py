"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def refuse_existing(path: Path, force: bool) -> None:
    """Raise ``ValueError`` if something is there and may not be replaced."""
    if os.path.lexists(path) and not force:
        raise ValueError(f"{path} exists; --force replaces it")


def write(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    new = path.with_name(f".{path.name}-{os.getpid()}")
    try:
        with named(path):
            new.write_bytes(content)
            new.replace(path)
    finally:
        new.unlink(missing_ok=True)


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Make errors of the operating system, such as that of a full disk, say where they happened."""
    try:
        yield
    except OSError as error:
        if error.errno is None:  # not of the operating system
            raise
        # And not at an unfinished file beside it. To set the second name to None would show it.
        raise OSError(error.errno, error.strerror, str(path)) from error
