"""Results of long work, noted as they are found, so that the same call goes on where it was."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mjq import folders

__all__ = ["Journal"]


class Journal:
    """Results of cases as they are found: a file with a line that says what it is of, and a line a result.

    Parameters
    ----------
    path : path
    described : dict
        What tells this work from another one, as plain values.
    force : bool
        Replace what was noted of another one.

    Attributes
    ----------
    rows : dict
        What a case goes by, a number or a text, to its result, those of an earlier call included.

    Raises
    ------
    ValueError
        If the file is of another work and not to be replaced.

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
        self.path, self.rows, self._file = path, {}, None
        head = json.dumps(described, ensure_ascii=False)
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
        whole = [line for line in lines if line.endswith("\n")]  # the last one may have been torn
        if whole and whole[0].rstrip("\n") != head:
            if not force:
                raise ValueError(f"{path} was begun by another command; --force replaces it")
            whole = []
        for line in whole[1:]:
            k, row = json.loads(line)
            self.rows[k] = row
        self._begin = "".join(whole) or head + "\n"

    def __enter__(self):
        folders.write(self.path, self._begin.encode())
        self._file = self.path.open("a", encoding="utf-8")
        return self

    def __exit__(self, *error):
        self._file.close()

    def note(self, rows: Iterable[tuple[int | str, Any]]) -> None:
        """Keep the results of some cases."""
        for k, row in rows:
            self._file.write(json.dumps([k, row], ensure_ascii=False) + "\n")
            self.rows[k] = row
        self._file.flush()
