"""The results of a sweep as tidy tables."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl

from mjq._util import folders
from mjq_book.runs.cases import Plan, Record

__all__ = ["check_columns", "long", "wide", "write"]

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
    results, cases = long(plan, records), wide(plan, records)
    other = "csv" if format == "parquet" else "parquet"
    if format == "parquet":
        folders.write(folder / "results.parquet", _bytes(results.write_parquet))
    else:
        folders.write(folder / "results.csv", _bytes(results.write_csv))
    (folder / f"results.{other}").unlink(missing_ok=True)  # of an earlier call, and not of these cases
    folders.write(folder / "cases.csv", _bytes(cases.write_csv))


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
    types = _given(plan)
    rows = []
    for case, record in zip(plan.cases, records, strict=True):
        if record and record.done:
            given = [_as(types[name], case.parameters[name]) for name in types]
            rows += [[case.name, *given, *entry] for entry in _entries(record)]
    return pl.DataFrame(rows, schema={"case": pl.String} | types | ENTRY, orient="row")


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
    types = {"case": pl.String} | _given(plan) | FATE
    answers = [_single_values(record, taken=types) for record in records]
    types |= _kinds(answers)
    rows = []
    for case, record, values in zip(plan.cases, records, answers, strict=True):
        row = {"case": case.name} | {name: case.parameters[name] for name in plan.given} | _fate(record) | values
        rows.append({name: _as(types[name], value) for name, value in row.items()})
    return pl.DataFrame(rows, schema=types)


def _given(plan):
    """Return the types of the columns of the parameters, from the values of all cases."""
    known = {bool: pl.Boolean, int: pl.Int64, float: pl.Float64}
    types = {}
    for name in plan.given:
        values = [case.parameters[name] for case in plan.cases]
        kind = known.get(type(values[0]), pl.String)
        types[name] = pl.String if kind == pl.Int64 and not all(map(_fits, values)) else kind
    return types


def _single_values(record, taken):
    """Return column and value of what a finished case glued as a single number or word."""
    values = record.values if record and record.done else {}
    single = {name: value for name, value in values.items() if _is_single(value)}
    return {f"{name} (result)" if name in taken else name: value for name, value in single.items()}


def _kinds(rows):
    """Return the types of columns: numbers where all entries are, otherwise text."""
    kinds: dict[str, type[pl.DataType]] = {}
    for row in rows:
        for name, value in row.items():
            if value is None or _is_number(value):
                kinds.setdefault(name, pl.Float64)
            else:
                kinds[name] = pl.String
    return kinds


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
    return (float(value), None) if _is_number(value) else (None, _as(pl.String, value))


def _as(kind, value):
    """Return the value as an entry of a column of this type."""
    if value is None:
        return None
    if kind == pl.String:
        return value if isinstance(value, str) else json.dumps(value)
    return float(value) if kind == pl.Float64 else value


def _is_single(value):
    return not isinstance(value, (list, dict))


def _is_number(value):
    return isinstance(value, float) or _fits(value)


def _fits(value):
    """Return whether it is a whole number that a column of numbers can hold."""
    return isinstance(value, int) and -(2**63) <= value < 2**63


def _bytes(write):
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()
