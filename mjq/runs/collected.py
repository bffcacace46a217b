"""The results of a sweep as tidy tables."""

import io
import json

import polars as pl

from mjq.runs import folders

LONG = ["case", "result", "row", "column", "number", "text"]
CASES = ["case", "status", "seconds", "error"]


def check_columns(parameters):
    """Refuse parameters that are called like a column of the tables."""
    for name in parameters:
        if name in {*LONG, *CASES}:
            raise ValueError(f"the parameter {name!r} has the name of a column of the results")


def write(folder, plan, records, format):
    """Write ``results`` and ``cases`` for the records that are there."""
    results, cases = long(plan, records), wide(plan, records)
    other = "csv" if format == "parquet" else "parquet"
    if format == "parquet":
        folders.write(folder / "results.parquet", _bytes(results.write_parquet))
    else:
        folders.write(folder / "results.csv", _bytes(results.write_csv))
    (folder / f"results.{other}").unlink(missing_ok=True)  # of an earlier call, and not of these cases
    folders.write(folder / "cases.csv", _bytes(cases.write_csv))


def long(plan, records):
    """A row for every named value, and for every entry of every named table or list, of every finished case.

    Columns: the case, the parameters that were given, the name of the result, row (from 1) and column of an entry, and
    its value as a number or as text.
    """
    given = _types(plan)
    rows = [
        [x["name"], *_given(given, x), *entry]
        for x, record in zip(plan["cases"], records)
        if record and record["status"] == "done"
        for entry in _entries(record["results"])
    ]
    types = {"case": pl.String} | given
    types |= {"result": pl.String, "row": pl.Int64, "column": pl.String, "number": pl.Float64, "text": pl.String}
    return pl.DataFrame(rows, schema=types, orient="row")


def wide(plan, records):
    """A row for every case: parameters, status (done, failed or missing), seconds, error, glued numbers and words."""
    done = [record if record and record["status"] == "done" else None for record in records]
    names = list(dict.fromkeys(name for r in done if r for name, v in r["results"]["values"].items() if _single(v)))
    taken = {*CASES, *plan["given"]}
    values = {
        f"{name} (result)" if name in taken else name: [r["results"]["values"].get(name) if r else None for r in done]
        for name in names
    }
    fates = [(r["status"], r["seconds"], _error(r)) if r else ("missing", None, None) for r in records]
    given = _types(plan)
    frame = pl.DataFrame(
        [[x["name"], *_given(given, x), *fate] for x, fate in zip(plan["cases"], fates)],
        schema={"case": pl.String} | given | dict(status=pl.String, seconds=pl.Float64, error=pl.String),
        orient="row",
    )
    numbers = {name: all(v is None or _is_number(v) for v in column) for name, column in values.items()}
    return frame.with_columns(
        pl.Series(name, column, dtype=pl.Float64)
        if numbers[name]
        else pl.Series(name, [None if v is None else str(v) for v in column], dtype=pl.String)
        for name, column in values.items()
    )


def _single(value):
    return not isinstance(value, (list, dict))


def _error(record):
    failure = record["failure"]
    return failure and f"{failure['where']}: {failure['error']}"


def _entries(results):
    for name, value in results["values"].items():
        if _single(value):
            yield [name, None, None, *_split(value)]
        else:
            for k, row in enumerate(value, 1):
                for j, entry in enumerate(row if isinstance(row, list) else [row], 1):
                    yield [name, k, str(j), *_split(entry)]
    for name, table in results["tables"].items():
        for k, row in enumerate(table["rows"], 1):
            for column, entry in zip(table["columns"], row):
                yield [name, k, str(column), *_split(entry)]


def _split(value):
    """The value as a number and as text, one of which is None."""
    if _is_number(value):
        return float(value), None
    if isinstance(value, int):
        return None, str(value)
    return None, value if value is None or isinstance(value, str) else json.dumps(value)


def _given(types, x):
    values = [(x["parameters"][name], kind) for name, kind in types.items()]
    return [v if kind != pl.String or isinstance(v, str) else json.dumps(v) for v, kind in values]


def _types(plan):
    """Column types of the parameters, from the values of all cases."""
    known = {bool: pl.Boolean, int: pl.Int64, float: pl.Float64}
    types = {}
    for name in plan["given"]:
        values = [x["parameters"][name] for x in plan["cases"]]
        kind = known.get(type(values[0]), pl.String)
        types[name] = kind if kind != pl.Int64 or all(map(_fits, values)) else pl.String
    return types


def _is_number(value):
    return isinstance(value, float) or _fits(value)


def _fits(value):
    """Whether it is a whole number that a column of numbers can hold."""
    return isinstance(value, int) and -(2**63) <= value < 2**63


def _bytes(write):
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()
