"""Two runs compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mjq._util import checks
from mjq_book.runs import inputs


def compare(first: str | Path, second: str | Path, tolerance: float = 0.0) -> dict[str, Any]:
    """Return which parameters and which results of two runs differ.

    Parameters
    ----------
    first, second : path
        Folders of finished runs of the same chapter.
    tolerance : float
        Numbers count as equal up to this relative difference.

    Returns
    -------
    dict
        ``chapter``; ``versions``, ``parameters`` and ``results``: lists of dicts with `name`, `first` and `second`
        (None where there is none) and, for two numbers, `relative` difference; and ``same``, the number of equal
        results. A table's entry is named ``table[row, column]``.

    Raises
    ------
    ValueError
        If a folder is not that of a finished run, or the chapters differ.
    """
    tolerance = float(checks.not_negative("tolerance", tolerance, ndim=0))
    a, b = _read(first), _read(second)
    if a["chapter"] != b["chapter"]:
        raise ValueError(f"{first} is a run of {a['chapter']}, {second} one of {b['chapter']}")
    results = _differences(a["results"], b["results"], tolerance)
    return {
        "chapter": a["chapter"],
        "versions": _differences(a["versions"], b["versions"]),
        "parameters": _differences(a["parameters"], b["parameters"]),
        "results": results,
        "same": len(a["results"] | b["results"]) - len(results),
    }


def _read(folder):
    """Return what is compared of a finished run, by name; raise ``ValueError`` if there is none."""
    folder = Path(folder)
    try:
        record, results = (json.loads((folder / name).read_bytes()) for name in ("run.json", "results.json"))
        if record["status"] != "done":
            raise ValueError(f"its status is {record['status']}")
        about = record["versions"]
        return {
            "chapter": record["chapter"],
            "versions": {key: about[key] for key in ("code", "python", "system")} | about["packages"],
            "parameters": inputs.read_yaml(folder / "parameters.yaml"),
            "results": dict(_flat(results)),
        }
    except (OSError, ValueError, KeyError, TypeError) as error:
        reason = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else error
        raise ValueError(f"{folder} is not the folder of a finished run: {reason}") from error


def _flat(results):
    """Yield every single value by name."""
    for name, value in results["values"].items():
        yield from _entries(name, value)
    for name, table in results["tables"].items():
        for k, row in enumerate(table["rows"], 1):
            for column, entry in zip(table["columns"], row, strict=False):
                yield f"{name}[{k}, {column}]", entry


def _entries(name, value):
    """Yield the value by its name, or every entry of a list of lists by its place."""
    if not isinstance(value, list):
        yield name, value
        return
    for k, entry in enumerate(value, 1):
        yield from _entries(f"{name}[{k}]", entry)


def _differences(a, b, tolerance=0.0):
    """Return what differs: numbers by more than this relative difference, all else at all."""
    rows = []
    for name in dict.fromkeys([*a, *b]):
        first, second = a.get(name), b.get(name)
        relative = _relative(first, second) if _is_number(first) and _is_number(second) else None
        equal = first == second and type(first) is type(second) if relative is None else relative <= tolerance
        if not equal:
            rows.append({"name": name, "first": first, "second": second, "relative": relative})
    return rows


def _relative(first, second):
    return abs(first - second) / max(abs(first), abs(second)) if first != second else 0.0


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)
