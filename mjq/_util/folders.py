"""Folders that appear whole or not at all."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import filelock

__all__ = ["checked_label", "refuse_busy", "refuse_existing", "refuse_others", "settle", "unfinished", "write"]

LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
FAILED = ".failed"  # at the end of the name of a failed run's folder
LOCK = ".lock"  # held in the folder of a sweep while it is at work
PLAN, JOURNAL = "sweep.json", "cases.jsonl"  # what a sweep computes, and its results
MARKS = "run.json", PLAN, JOURNAL  # one of them is in each folder of a run or sweep
AT_WORK = ".mjq-lock"  # at the end of the name of a file that is locked while the folder of that name is filled
UNFINISHED = re.compile(r"\..+-[0-9a-f]{8}")  # name of such a folder


def checked_label(label: str) -> str:
    """Return a name for a folder: letters, digits, dots, dashes; nothing that leads elsewhere.

    >>> checked_label("../elsewhere")
    Traceback (most recent call last):
    ValueError: a label has letters, digits, '.', '_' and '-', and begins with a letter or digit, got '../elsewhere'
    """
    if not LABEL.fullmatch(label):
        raise ValueError(
            f"a label has letters, digits, '.', '_' and '-', and begins with a letter or digit, got {label!r}"
        )
    return label


def refuse_existing(path: Path, force: bool) -> None:
    """Raise ``ValueError`` if something is there and may not be replaced."""
    if os.path.lexists(path) and not force:
        raise ValueError(f"{path} exists; --force replaces it")


def refuse_others(path: Path) -> None:
    """Raise ``ValueError`` if something is there that no run or sweep made: it is not written to, emptied or replaced.

    A link is refused, too, whatever it points to.
    """
    if path.is_symlink():
        raise ValueError(f"{path} is a link, which is neither followed nor replaced; choose another label")
    if os.path.lexists(path) and not _is_ours(path):
        raise ValueError(f"{path} exists and is not a run or sweep of mjq; choose another label")


def _is_ours(path):
    """Return whether it is the folder of a run or a sweep, also of a sweep that was stopped before it had begun."""
    if path.is_symlink() or not path.is_dir():
        return False
    begun = {entry.name for entry in path.iterdir()} <= {LOCK}
    return begun or any((path / mark).is_file() for mark in MARKS)


def refuse_busy(path: Path) -> None:
    """Raise ``ValueError`` if a sweep is at work in the folder."""
    if (path / LOCK).is_file():
        try:
            with filelock.FileLock(path / LOCK, timeout=0):
                pass
        except filelock.Timeout:
            raise ValueError(f"a sweep is at work in {path}: it is not replaced") from None


@contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """Make a new empty folder beside `path` to be filled; it is removed at the end, unless it was settled.

    Such folders whose process was killed are removed first. A folder is known to be abandoned by the file beside it,
    which its process keeps locked as long as it lives.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(path.parent)
    new = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    held = new.with_name(new.name + AT_WORK)
    try:
        with _named(path), filelock.FileLock(held):
            try:
                new.mkdir()
                yield new
            finally:
                shutil.rmtree(new, ignore_errors=True)
    finally:
        held.unlink(missing_ok=True)


def _remove_abandoned(parent):
    """Remove what killed processes left in a folder: that which nobody holds the lock of."""
    for held in parent.glob(f".*{AT_WORK}"):
        name = held.name.removesuffix(AT_WORK)
        if UNFINISHED.fullmatch(name):  # nothing else is ours, least of all "..", which a file may be named after
            with suppress(filelock.Timeout, OSError), filelock.FileLock(held, timeout=0):
                shutil.rmtree(held.with_name(name), ignore_errors=True)
                held.unlink()


def settle(new: Path, path: Path, force: bool) -> Path:
    """Give a folder its name; return it.

    With `force` a run or sweep that is there is replaced; otherwise, if something has appeared there, a number goes
    behind the name.
    """
    if force and _is_ours(path):
        refuse_busy(path)
        with tempfile.TemporaryDirectory(prefix=f".{path.name}-", dir=path.parent) as bin:
            path.rename(Path(bin) / "old")
            return new.rename(path)
    free, k = path, 0
    while True:
        if not os.path.lexists(free):
            try:
                return new.rename(free)
            except OSError:  # unless somebody was faster
                if not free.exists():
                    raise
        k += 1
        free = path.with_name(f"{path.name}-{k}")


def write(path: Path, content: bytes) -> None:
    """Write a file of bytes so that it is there whole or not at all, even if the machine stops."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with _named(path), os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@contextmanager
def _named(path):
    """Make errors of the operating system, such as that of a full disk, say where they happened."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


def _umask():
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
