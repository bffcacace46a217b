"""Keep the results of long work as they come, so that the same call resumes after an interruption."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from io import FileIO
from pathlib import Path
from typing import Any, Self

__all__ = ["Journal", "OtherWork"]

MOST_NAMED = 5  # damaged lines, in a message


class OtherWork(ValueError):
    """Say that the journal was begun for other work."""


class Journal:
    """Keep the results of cases as they come, in a file.

    The first line of the file describes the work; each further line is a result as JSON. A line that was torn when its
    process was killed is dropped, and its case is missing. Where a case has several lines, the last one counts.

    Parameters
    ----------
    path : path or None
        Without a path, results are kept in memory only.
    described : dict
        What tells this work from other work, as plain values.
    force : bool
        Replace the results of other work, and a damaged file.
    parse : callable, optional
        Makes the result out of its plain values; ``KeyError``, ``TypeError`` or ``ValueError`` if they are damaged.

    Attributes
    ----------
    rows : dict
        The key of a case, a number or a text, to its result; results of earlier calls are included.

    Raises
    ------
    OtherWork
        If the file was begun for other work, and is not to be replaced.
    ValueError
        If a line before the last one is damaged, and the file is not to be replaced.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     for result in [("a", {"x": 1.0}), ("b", {"x": 2.0})]:
    ...         with Journal(Path(folder) / "notes", {"of": "letters"}) as journal:
    ...             journal.note([result])
    >>> journal.rows
    {'a': {'x': 1.0}, 'b': {'x': 2.0}}
    """

    def __init__(
        self, path: Path | None, described: dict, force: bool = False, parse: Callable[[dict], Any] = dict
    ) -> None:
        self.path, self._parse = path, parse
        self.rows: dict[int | str, Any] = {}
        self._file: FileIO | None = None
        self._head = _line(described)
        lines = path.read_bytes().split(b"\n")[:-1] if path and path.exists() else []  # what follows them was torn
        try:
            if lines and lines[0] + b"\n" != self._head:
                raise OtherWork(f"{path} was begun by another command; --force replaces it")
            self.rows = self._read(lines[1:])
        except ValueError:
            if not force:
                raise
            lines = []
        self._whole = sum(len(line) + 1 for line in lines)

    def __enter__(self) -> Self:
        if self.path:
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
            self._file = file = os.fdopen(handle, "r+b", buffering=0)
            file.truncate(self._whole)
            file.seek(0, os.SEEK_END)
            if not self._whole:
                self._write(file, self._head)
        return self

    def __exit__(self, *error: Any) -> None:
        if self._file:
            self._file.close()

    def note(self, rows: Iterable[tuple[int | str, dict[str, Any]]], sync: bool = False) -> None:
        """Keep the results of some cases, as plain values; with `sync` wait until they are on the disk."""
        rows = list(rows)
        if self._file:
            self._write(self._file, b"".join(_line(row) for row in rows))
            if sync:
                os.fsync(self._file.fileno())
        self.rows |= {key: self._parse(row) for key, row in rows}

    def remove(self) -> None:
        """Remove the file: what it was kept for is done."""
        if self.path:
            self.path.unlink(missing_ok=True)

    def _write(self, file: FileIO, content: bytes) -> None:
        try:
            while content:  # a disk that fills up takes a part
                content = content[file.write(content) :]
        except OSError as error:
            error.filename = str(self.path)
            raise

    def _read(self, lines):
        """Return the results in these lines; the first of them is line 2 of the file."""
        rows, damaged = {}, []
        for number, line in enumerate(lines, 2):
            try:
                key, row = json.loads(line)
                if not isinstance(row, dict):
                    raise TypeError
                rows[key] = self._parse(row)
            except (ValueError, KeyError, TypeError):
                damaged.append(number)
        if damaged:
            raise ValueError(f"{self.path}, {_told(damaged)}, or use --force to start again.")
        return rows


def _line(content):
    return json.dumps(content, ensure_ascii=False).encode() + b"\n"


def _told(damaged):
    """Return which lines are damaged, and what to do, for a message.

    >>> _told([20]), _told([20, 31])
    ('line 20 is damaged. Delete that line to resume', 'lines 20, 31 are damaged. Delete those lines to resume')
    """
    if len(damaged) == 1:
        return f"line {damaged[0]} is damaged. Delete that line to resume"
    more = f", … ({len(damaged)} in all)" if len(damaged) > MOST_NAMED else ""
    return f"lines {', '.join(map(str, damaged[:MOST_NAMED]))}{more} are damaged. Delete those lines to resume"
