"""Tables of results: written whole or not at all; those of one run with their origin in ``provenance.csv``."""

import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mjq import text_tables
from mjq._util import folders
from mjq.experiments.machine import machine

__all__ = ["keep", "known", "record", "replace", "stamp"]

PROVENANCE = Path(__file__).parent / "provenance.csv"


def keep(
    path: Path, rows: Sequence[dict[str, Any]], command: str, headers: Sequence[str] | None = None, digits: int = 5
) -> None:
    """Keep rows, dictionaries by header (by default those of the first); floating-point numbers with so many digits."""
    replace(path, headers or list(rows[0]), [{key: _shown(x, digits) for key, x in row.items()} for row in rows])
    record(path, command)


def record(path: Path, command: str) -> None:
    """Note when and on which machine a file was made, and by which command; one row a file, sorted by file."""
    origin = {"file": Path(path).name, "command": command, **stamp()}
    rows = {row["file"]: row for row in [*known(PROVENANCE), origin]}
    replace(PROVENANCE, list(origin), [rows[name] for name in sorted(rows)])


def stamp() -> dict[str, str]:
    """When and where."""
    return {"date": datetime.date.today().isoformat(), "machine": machine()}


def known(path: Path) -> list[dict[str, str]]:
    """Rows of a table as dictionaries of text, none if there is no table yet."""
    return text_tables.read(path) if path.exists() else []


def _shown(x, digits):
    return f"{x:.{digits}g}" if isinstance(x, float) else x


def replace(path: Path, headers: Sequence[str], rows: Sequence[dict[str, Any]]) -> None:
    """Write rows, dictionaries by header, in place of what is there."""
    unknown = set().union(*rows) - set(headers)
    if unknown:
        raise ValueError(f"{path.name} has no column for {', '.join(sorted(unknown))}")
    text = text_tables.written(headers, [[row.get(header) for header in headers] for row in rows])
    folders.write(path, text.encode())
