"""Tables of results that chapters read: written whole or not at all, with their origin in ``provenance.csv``."""

import csv
import datetime
from pathlib import Path

from benchmarks.timing import machine

PROVENANCE = Path(__file__).parent / "provenance.csv"
ORIGIN = ["file", "command", "date", "machine"]


def keep(path, rows, command, headers=None, digits=5):
    """Keep rows, dictionaries by header (by default those of the first); floating-point numbers with so many digits."""
    _replace(path, headers or list(rows[0]), [{key: _shown(x, digits) for key, x in row.items()} for row in rows])
    record(path, command)


def record(path, command):
    """Note when and on which machine a file was made, and by which command; one row a file, sorted by file."""
    before = []
    if PROVENANCE.exists():
        with PROVENANCE.open(encoding="utf-8", newline="") as file:
            before = list(csv.DictReader(file))
    origin = dict(zip(ORIGIN, (Path(path).name, command, datetime.date.today().isoformat(), machine())))
    rows = {row["file"]: row for row in [*before, origin]}
    _replace(PROVENANCE, ORIGIN, [rows[name] for name in sorted(rows)])


def _shown(x, digits):
    return f"{x:.{digits}g}" if isinstance(x, float) else x


def _replace(path, headers, rows):
    new = path.with_suffix(".new")
    with new.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, headers, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    new.replace(path)
