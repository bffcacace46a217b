"""Folders that appear whole or not at all."""

import os
import re
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def checked_label(label):
    """A name for a folder: letters, digits, dots, lines; nothing that leads elsewhere.

    >>> checked_label("../elsewhere")
    Traceback (most recent call last):
    ValueError: a label has letters, digits, '.', '_' and '-', and begins with a letter or digit, got '../elsewhere'
    """
    if not LABEL.fullmatch(label):
        raise ValueError(
            f"a label has letters, digits, '.', '_' and '-', and begins with a letter or digit, got {label!r}"
        )
    return label


def refuse_existing(path, force):
    """Raise ``ValueError`` if something is there and may not be replaced."""
    if path.exists() and not force:
        raise ValueError(f"{path} exists; --force replaces it")


@contextmanager
def whole(path):
    """A new empty folder to fill, which takes the place of `path` at the end, or vanishes if anything goes wrong."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.parent))
    try:
        new.chmod(0o777 & ~_umask())
        with _named(path):
            yield new
        replace(new, path)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def replace(new, path):
    """Put a folder into the place of another, or of nothing."""
    if not path.exists():
        new.rename(path)
        return
    with tempfile.TemporaryDirectory(prefix=f".{path.name}-", dir=path.parent) as bin:
        path.rename(Path(bin) / "old")
        new.rename(path)


def write(path, content):
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
    """Errors of the operating system, such as that of a full disk, say where they happened."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


def _umask():
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
