"""Folders of runs, sweeps and sheets, which appear whole or not at all."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mjq_logs._util.atomic import named

LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
FAILED = ".failed"  # at the end of the name of a failed run's folder
PLAN = "sweep.json"  # what a sweep computes
MARKS = "run.json", PLAN  # one of them is in each folder of a run or sweep


def checked_label(label: str) -> str:
    """Return a name for a folder: letters, digits, dots, dashes; nothing that leads elsewhere."""
    if not LABEL.fullmatch(label):
        raise ValueError(
            f"a label has letters, digits, '.', '_' and '-', and begins with a letter or digit, got {label!r}"
        )
    return label


def refuse_others(path: Path) -> None:
    """Raise ``ValueError`` if something is there that is no folder of a run or sweep: it is never replaced.

    A link is refused, too, whatever it points to.
    """
    if os.path.lexists(path) and (path.is_symlink() or not any((path / mark).is_file() for mark in MARKS)):
        raise ValueError(f"{path} exists and is not a run or sweep of mjq; choose another label")


@contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """Make an empty folder, which :func:`settle` gives its name; else it goes at the end, with those made for it."""
    made = [folder for folder in path.parents if not folder.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with named(path), tempfile.TemporaryDirectory(prefix=f".{path.name}-", dir=path.parent) as around:
            new = Path(around) / path.name
            new.mkdir()
            yield new
    finally:
        for folder in made:
            with suppress(OSError):  # it is not empty
                folder.rmdir()


def settle(new: Path, path: Path, force: bool) -> Path:
    """Give an unfinished folder its name, with `force` also in place of a run or sweep; return it."""
    if force and os.path.lexists(path):
        refuse_others(path)
        path.rename(new.with_name(".old"))  # which is removed with the temporary folder around both
    return new.rename(path)
