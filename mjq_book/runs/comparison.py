"""Two runs compared."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mjq_book.runs import inputs

__all__ = ["compare"]


@dataclass(frozen=True)
class _Finished:
    """Hold what is compared of a finished run, by name."""

    chapter: str
    versions: dict
    parameters: dict
    results: dict


@dataclass(frozen=True)
class _Difference:
    """Hold a value of two runs, and the relative difference: 0 if equal, None if that makes no sense."""

    name: str
    first: Any
    second: Any
    relative: float | None

    def counts(self, tolerance=0.0):
        """Return whether two values differ by more than this relative difference."""
        if self.relative is None:
            return True
        return self.relative != 0 and not (self.relative <= tolerance and math.isfinite(tolerance))


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
    a, b = _read(first), _read(second)
    if a.chapter != b.chapter:
        raise ValueError(f"{first} is a run of {a.chapter}, {second} one of {b.chapter}")
    results = _differences(a.results, b.results)
    counting = [asdict(difference) for difference in results if difference.counts(tolerance)]
    return {
        "chapter": a.chapter,
        "versions": _differing(a.versions, b.versions),
        "parameters": _differing(a.parameters, b.parameters),
        "results": counting,
        "same": len(results) - len(counting),
    }


def _read(folder):
    """Return what is compared of a finished run; raise ``ValueError`` if there is none."""
    folder = Path(folder)
    try:
        record, results = (_json(folder / name) for name in ("run.json", "results.json"))
        if record["status"] != "done":
            raise ValueError(f"its status is {record['status']}")
        about, parameters = record["versions"], inputs.read_yaml(folder / "parameters.yaml")
        versions = {key: about[key] for key in ("code", "python", "system")} | about["packages"]
        return _Finished(record["chapter"], versions, parameters, dict(_flat(results)))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{folder} is not the folder of a finished run: {error}") from error


def _json(path):
    """Read JSON, and refuse the infinite numbers that Python would take."""

    def refuse(constant):
        raise ValueError(f"{path.name} holds {constant}, which is not a number in JSON")

    return json.loads(path.read_bytes(), parse_constant=refuse)


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


def _differences(a, b):
    pairs = [(name, a.get(name), b.get(name)) for name in dict.fromkeys([*a, *b])]
    return [_Difference(name, first, second, _relative(first, second)) for name, first, second in pairs]


def _differing(a, b):
    return [asdict(difference) for difference in _differences(a, b) if difference.counts()]


def _relative(first, second):
    """Return the relative difference of two numbers; of other values 0 if they are equal, else None."""
    if _is_number(first) and _is_number(second):
        return abs(first - second) / max(abs(first), abs(second)) if first != second else 0
    return 0 if first == second and type(first) is type(second) else None


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)
