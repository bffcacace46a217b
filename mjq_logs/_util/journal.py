"""Keep the results of long work as they come, so that the same call resumes after an interruption."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mjq_logs._util import fingerprints, folders


class Journal:
    """Keep the results of cases as they come, in a file with a line of JSON for each.

    A line holds a fingerprint of the work, the key of the case, and its result. Each line begins with its line break,
    so that a line that was cut off, as by a full disk, spoils no other; its case is missing.

    Parameters
    ----------
    path : path or None
        Without a path, results are kept in memory only.
    described : dict
        What tells this work from other work, as plain values.
    force : bool
        Replace the results of other work.

    Attributes
    ----------
    rows : dict
        The key of a case, a number or a text, to its result; results of earlier calls are included.

    Raises
    ------
    ValueError
        If the file holds results of other work, and is not to be replaced.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     for result in [("a", {"x": 1.0}), ("b", {"x": 2.0})]:
    ...         journal = Journal(Path(folder) / "notes", {"of": "letters"})
    ...         journal.note([result])
    >>> journal.rows
    {'a': {'x': 1.0}, 'b': {'x': 2.0}}
    """

    def __init__(self, path: Path | None, described: dict, force: bool = False) -> None:
        self.path = path
        self.rows: dict[int | str, dict[str, Any]] = {}
        self._work = fingerprints.of_plain(described)
        lines = _lines(path) if path and path.exists() else []
        if any(work != self._work for work, _, _ in lines):
            if not force:
                raise ValueError(f"{path} was begun by another command; --force replaces it")
            self.remove()
        else:
            self.rows = {key: row for _, key, row in lines}

    def note(self, rows: Iterable[tuple[int | str, dict[str, Any]]]) -> None:
        """Keep the results of some cases, as plain values."""
        rows = list(rows)
        if self.path:
            lines = "".join(f"\n{json.dumps([self._work, *row])}" for row in rows)
            with folders.named(self.path), self.path.open("a", encoding="utf-8") as file:
                file.write(lines)
        self.rows |= dict(rows)

    def remove(self) -> None:
        """Remove the file: what it was kept for is done."""
        if self.path:
            self.path.unlink(missing_ok=True)


def _lines(path):
    """Return work, key and result of each whole line."""
    lines = []
    for line in path.read_bytes().split(b"\n"):
        try:
            work, key, row = json.loads(line)
        except (TypeError, ValueError):  # cut off
            continue
        lines.append((work, key, row))
    return lines
