"""Results of long work, noted as they are found, so that the same call goes on where it was.

Each line of a result begins with a checksum of the rest, so that a line that was changed is never taken for a result.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mjq._util import folders

__all__ = ["Journal"]

FORMAT = {"lines": "crc32 and JSON"}  # in the first line, beside what the work is
DIGITS = 8  # of a checksum
MOST_NAMED = 5  # damaged lines, in a message


class Journal:
    """Results of cases as they are found: a file with a line that says what it is of, and a line a result.

    Parameters
    ----------
    path : path
    described : dict
        What tells this work from another one, as plain values.
    force : bool
        Replace what was noted of another one, or what is damaged.

    Attributes
    ----------
    rows : dict
        What a case goes by, a number or a text, to its result, those of an earlier call included.

    Raises
    ------
    ValueError
        If the file is of another work, or damaged, and not to be replaced.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     for found in [("a", 1.0)], [("b", 2.0)]:
    ...         with Journal(Path(folder) / "notes", {"of": "letters"}) as journal:
    ...             journal.note(found)
    >>> journal.rows
    {'a': 1.0, 'b': 2.0}
    """

    def __init__(self, path: Path, described: dict, force: bool = False):
        self.path, self._file = path, None
        head = json.dumps(described | FORMAT, ensure_ascii=False).encode()
        lines = path.read_bytes().split(b"\n") if path.exists() else [b""]
        whole = lines[:-1]  # what follows the last end of a line was torn
        if whole and whole[0] != head:
            if not force:
                raise ValueError(f"{path} was begun by another command; --force replaces it")
            whole = []
        self.rows, damaged = _read(whole[1:])
        if damaged:
            if not force:
                raise ValueError(f"{path}, {_told(damaged)}, or use --force to start again.")
            self.rows, whole = {}, []
        self._begin = b"".join(line + b"\n" for line in whole or [head])

    def __enter__(self):
        folders.write(self.path, self._begin)
        self._file = self.path.open("ab")
        return self

    def __exit__(self, *error):
        self._file.close()

    def note(self, rows: Iterable[tuple[int | str, Any]]) -> None:
        """Keep the results of some cases."""
        for k, row in rows:
            self._file.write(_line(k, row) + b"\n")
            self.rows[k] = row
        self._file.flush()


def _line(k, row):
    """A result as a line."""
    content = json.dumps([k, row], ensure_ascii=False).encode()
    return _checksum(content) + b" " + content


def _read(lines):
    """The results in these lines, and the numbers of the damaged ones; the first of them is line 2 of its file."""
    rows, damaged = {}, []
    for number, line in enumerate(lines, 2):
        content = line[DIGITS + 1 :]
        if line != _checksum(content) + b" " + content:
            damaged.append(number)
            continue
        k, row = json.loads(content)
        rows[k] = row
    return rows, damaged


def _checksum(content):
    return f"{zlib.crc32(content):0{DIGITS}x}".encode()


def _told(damaged):
    """Which lines are damaged, and what to do.

    >>> _told([20]), _told([20, 31])
    ('line 20 is damaged. Delete that line to resume', 'lines 20, 31 are damaged. Delete those lines to resume')
    """
    if len(damaged) == 1:
        return f"line {damaged[0]} is damaged. Delete that line to resume"
    more = f", … ({len(damaged)} in all)" if len(damaged) > MOST_NAMED else ""
    return f"lines {', '.join(map(str, damaged[:MOST_NAMED]))}{more} are damaged. Delete those lines to resume"
