"""The results of a sweep as tidy tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from mjq_logs._util import folders

ENTRY = {"result": pl.String, "row": pl.Int64, "column": pl.String, "number": pl.Float64, "text": pl.String}
FATE = {"status": pl.String, "seconds": pl.Float64, "error": pl.String}
COLUMNS = {"case", *ENTRY, *FATE}


def write(folder: Path, given: Sequence[str], cases: Sequence[Any]) -> None:
    """Write ``results.csv`` and ``cases.csv`` of the cases of a sweep.

    Parameters
    ----------
    folder : pathlib.Path
    given : sequence of str
        Parameters that a case names: they are columns.
    cases : sequence of mjq_book.runs.sweeps.Case
    """
    rows = [[case.name, *_given(case, given).values(), *entry] for case in cases for entry in _entries(case)]
    options: dict[str, Any] = dict(infer_schema_length=None, strict=False)
    results = pl.DataFrame(rows, ["case", *given, *ENTRY], orient="row", schema_overrides=ENTRY, **options)
    folders.write(folder / "results.csv", results.write_csv().encode())
    fates = pl.DataFrame([_fate(case, given) for case in cases], schema_overrides=FATE, **options)
    folders.write(folder / "cases.csv", fates.write_csv().encode())


def _fate(case, given):
    """Return parameters, fate and single values; one called like another column has ``(result)`` behind its name."""
    row = {"case": case.name} | _given(case, given) | {name: getattr(case, name) for name in FATE}
    single = {name: x for name, x in (case.values or {}).items() if _is_single(x)}
    return row | {f"{name} (result)" if name in row else name: _cell(x) for name, x in single.items()}


def _given(case, given):
    """Return the parameters that were given, as entries of a table."""
    return {name: _cell(case.parameters[name]) for name in given}


def _entries(case):
    """Yield name, row, column, number and text of every entry of every result."""
    for name, value in (case.values or {}).items():
        if _is_single(value):
            yield [name, None, None, *_split(value)]
            continue
        for k, row in enumerate(value, 1):
            for j, entry in enumerate(row if isinstance(row, list) else [row], 1):
                yield [name, k, str(j), *_split(entry)]
    for name, table in (case.tables or {}).items():
        for k, row in enumerate(table["rows"], 1):
            for column, entry in zip(table["columns"], row, strict=False):
                yield [name, k, str(column), *_split(entry)]


def _split(value):
    """Return the value as a number and as text, one of which is None."""
    cell = _cell(value)
    return (float(cell), None) if isinstance(cell, (int, float)) else (None, cell)


def _cell(value):
    """Return a value as an entry of a table: lists, and whole numbers that no column can hold, are text."""
    fits = not isinstance(value, int) or -(2**63) <= value < 2**63
    return value if fits and _is_single(value) else json.dumps(value)


def _is_single(value):
    return not isinstance(value, (list, dict))
