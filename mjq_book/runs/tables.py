"""The results of a sweep as tidy tables."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl

from mjq_book.runs.cases import Plan, Record
from mjq_logs._util import folders

ENTRY = {"result": pl.String, "row": pl.Int64, "column": pl.String, "number": pl.Float64, "text": pl.String}
FATE = {"status": pl.String, "seconds": pl.Float64, "error": pl.String}
COLUMNS = {"case", *ENTRY, *FATE}


def check_columns(parameters: Iterable[str]) -> None:
    """Refuse parameters that have the name of a column of the tables.

    >>> check_columns(["row"])
    Traceback (most recent call last):
    ValueError: the parameter 'row' has the name of a column of the results
    """
    for name in parameters:
        if name in COLUMNS:
            raise ValueError(f"the parameter {name!r} has the name of a column of the results")


def write(folder: Path, plan: Plan, records: Sequence[Record | None], format: str = "csv") -> None:
    """Write ``results.csv`` (or ``.parquet``) and ``cases.csv`` for the records that are there."""
    results, content = long(plan, records), io.BytesIO()
    results.write_parquet(content) if format == "parquet" else results.write_csv(content)
    folders.write(folder / f"results.{format}", content.getvalue())
    other = "csv" if format == "parquet" else "parquet"
    (folder / f"results.{other}").unlink(missing_ok=True)  # of an earlier call, and not of these cases
    folders.write(folder / "cases.csv", wide(plan, records).write_csv().encode())


def long(plan: Plan, records: Sequence[Record | None]) -> pl.DataFrame:
    """Return a row for each named value, and for each entry of each named table or list, of each finished case.

    Columns: the case, the parameters that were given, the name of the result, row (from 1) and column of an entry, and
    its value as a number or as text.

    Examples
    --------
    >>> from mjq_book.runs.cases import Case
    >>> plan = Plan("stability", "", ["n"], ["n"], "", [Case("a", {"n": 30}, "")])
    >>> long(plan, [Record(None, 0.5, {"waste": [1.5, "none"]}, {})]).rows()
    [('a', 30, 'waste', 1, '1', 1.5, None), ('a', 30, 'waste', 2, '1', None, 'none')]
    """
    rows = [
        [case.name, *_given(plan, case).values(), *entry]
        for case, record in zip(plan.cases, records, strict=True)
        if record and record.done
        for entry in _entries(record)
    ]
    columns = ["case", *plan.given, *ENTRY]
    return pl.DataFrame(rows, columns, orient="row", schema_overrides=ENTRY, infer_schema_length=None, strict=False)


def wide(plan: Plan, records: Sequence[Record | None]) -> pl.DataFrame:
    """Return a row for every case: parameters, status (done, failed or missing), seconds, error, glued values.

    A result that is called like another column has ``(result)`` behind its name.

    Examples
    --------
    >>> from mjq_book.runs.cases import Case
    >>> plan = Plan("stability", "", ["n"], ["n"], "", [Case("a", {"n": 30}, ""), Case("b", {"n": 60}, "")])
    >>> wide(plan, [Record(None, 0.5, {"waste": 1.5}, {}), None]).rows()
    [('a', 30, 'done', 0.5, None, 1.5), ('b', 60, 'missing', None, None, None)]
    """
    rows = []
    for case, record in zip(plan.cases, records, strict=True):
        row = {"case": case.name} | _given(plan, case) | _fate(record)
        single = {name: x for name, x in record.values.items() if _is_single(x)} if record and record.done else {}
        rows.append(row | {f"{name} (result)" if name in row else name: _cell(x) for name, x in single.items()})
    return pl.DataFrame(rows, schema_overrides=FATE, infer_schema_length=None, strict=False)


def _given(plan, case):
    """Return the parameters that were given, as entries of a table."""
    return {name: _cell(case.parameters[name]) for name in plan.given}


def _fate(record):
    if not record:
        return {"status": "missing", "seconds": None, "error": None}
    status = "done" if record.done else "failed"
    return {"status": status, "seconds": record.seconds, "error": record.failure and str(record.failure)}


def _entries(record):
    """Yield name, row, column, number and text of every entry of every result."""
    for name, value in record.values.items():
        if _is_single(value):
            yield [name, None, None, *_split(value)]
        else:
            for k, row in enumerate(value, 1):
                for j, entry in enumerate(row if isinstance(row, list) else [row], 1):
                    yield [name, k, str(j), *_split(entry)]
    for name, table in record.tables.items():
        for k, row in enumerate(table["rows"], 1):
            for column, entry in zip(table["columns"], row, strict=False):
                yield [name, k, str(column), *_split(entry)]


def _split(value):
    """Return the value as a number and as text, one of which is None."""
    cell = _cell(value)
    if isinstance(cell, (int, float)):
        return float(cell), None
    return None, cell


def _cell(value):
    """Return a value as an entry of a table: lists, and whole numbers that no column can hold, are text."""
    fits = not isinstance(value, int) or -(2**63) <= value < 2**63
    return value if fits and _is_single(value) else json.dumps(value)


def _is_single(value):
    return not isinstance(value, (list, dict))
