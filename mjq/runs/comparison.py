"""Two runs beside each other."""

import json
import math
from pathlib import Path

from mjq.runs import values


def compare(first, second, tolerance=0.0):
    """Which parameters and which results of two runs differ.

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
    if a["chapter"] != b["chapter"]:
        raise ValueError(f"{first} is a run of {a['chapter']}, {second} one of {b['chapter']}")
    results = _pairs(a["results"], b["results"])
    differing = [x for x in map(_difference, results) if x["relative"] != 0 and not _near(x, tolerance)]
    return {
        "chapter": a["chapter"],
        "versions": _differing(a["versions"], b["versions"]),
        "parameters": _differing(a["parameters"], b["parameters"]),
        "results": differing,
        "same": len(results) - len(differing),
    }


def _read(folder):
    folder = Path(folder)
    try:
        record, results = (_json(folder / name) for name in ("run.json", "results.json"))
        if record["status"] != "done":
            raise ValueError(f"its status is {record['status']}")
        about = record["versions"]
        versions = {key: about[key] for key in ("code", "python", "system")} | about["packages"]
        return {
            "chapter": record["chapter"],
            "versions": versions,
            "parameters": values.read_yaml(folder / "parameters.yaml"),
            "results": dict(_flat(results)),
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{folder} is not the folder of a finished run: {error}") from error


def _json(path):
    def refuse(constant):
        raise ValueError(f"{path.name} holds {constant}, which is no number of JSON")

    return json.loads(path.read_bytes(), parse_constant=refuse)


def _flat(results):
    """Every single value by name."""
    for name, value in results["values"].items():
        yield from _entries(name, value)
    for name, table in results["tables"].items():
        for k, row in enumerate(table["rows"], 1):
            for column, entry in zip(table["columns"], row):
                yield f"{name}[{k}, {column}]", entry


def _entries(name, value):
    if not isinstance(value, list):
        yield name, value
        return
    for k, entry in enumerate(value, 1):
        yield from _entries(f"{name}[{k}]", entry)


def _pairs(a, b):
    return [(name, a.get(name), b.get(name)) for name in dict.fromkeys([*a, *b])]


def _differing(a, b):
    return [x for x in map(_difference, _pairs(a, b)) if x["relative"] != 0]


def _difference(pair):
    """Name, both values, and their relative difference: 0 if equal, None if that makes no sense."""
    name, x, y = pair
    if x == y and type(x) is type(y):
        relative = 0
    elif all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in (x, y)):
        relative = abs(x - y) / max(abs(x), abs(y)) if x != y else 0
    else:
        relative = None
    return {"name": name, "first": x, "second": y, "relative": relative}


def _near(difference, tolerance):
    return difference["relative"] is not None and difference["relative"] <= tolerance and math.isfinite(tolerance)
