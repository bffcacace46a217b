"""Tables of results, written whole or not at all, with their origin in ``provenance.csv``; and how long work takes."""

from __future__ import annotations

import csv
import datetime
import io
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from mjq._util.compiling import compiler
from mjq_book.experiments.tables.reading import KEPT
from mjq_logs._util import atomic

FOLDER = Path(__file__).parent


def keep(table: str, rows: Sequence[dict[str, Any]], headers: Sequence[str] | None = None, digits: int = 5) -> None:
    """Keep rows, dictionaries by header (by default those of the first), as one of `KEPT`; floats get so many digits.

    When, on which machine and by which command it was made is noted, one row a file, sorted by file.
    """
    file, provenance = f"{table}.csv", FOLDER / "provenance.csv"
    replace(
        FOLDER / file, headers or list(rows[0]), [{key: _shown(x, digits) for key, x in row.items()} for row in rows]
    )
    origin = {"file": file, "command": f"make experiment NAME={KEPT[table]}", **stamp()}
    by_file = {row["file"]: row for row in [*known(provenance), origin]}
    replace(provenance, list(origin), [by_file[name] for name in sorted(by_file)])


def stamp() -> dict[str, str]:
    return {"date": datetime.date.today().isoformat(), "machine": machine()}


def known(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table as dictionaries of text, none if there is no table yet."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _shown(x, digits):
    return f"{x:.{digits}g}" if isinstance(x, float) else x


def replace(path: Path, headers: Sequence[str], rows: Sequence[dict[str, Any]]) -> None:
    """Write rows, dictionaries by header, in place of what is there."""
    text = io.StringIO()
    writer = csv.DictWriter(text, headers, lineterminator="\n")  # refuses a row that has another column
    writer.writeheader()
    writer.writerows(rows)
    atomic.write(path, text.getvalue().encode())


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def machine() -> str:
    return (
        f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"numpy {np.__version__}, scipy {scipy.__version__}, numba {getattr(compiler(), '__version__', 'absent')}"
    )
