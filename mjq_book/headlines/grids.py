"""The main numbers of a model for many inputs: a row for each case, kept when it is computed."""

from __future__ import annotations

import io
import itertools
import json
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from mjq._util import budget, folders, parallel
from mjq._util.journal import Journal
from mjq._util.plain import brief, plain
from mjq_book.headlines.kinds import is_too_large
from mjq_book.headlines.solving import MOST_SECONDS, require_inputs, solve
from mjq_book.runs.kept import provenance

__all__ = ["Grid", "solve_grid"]

MOST_CASES = 1_000_000
WRITERS: dict[str, Callable[..., Any]] = {".csv": pl.DataFrame.write_csv, ".parquet": pl.DataFrame.write_parquet}


@dataclass(frozen=True)
class Grid:
    """Hold the cases of a headline: all combinations of some values, the last name changing fastest.

    Attributes
    ----------
    model : str
    fixed : dict
        Inputs that are the same in all cases.
    swept : dict
        Input to the list of its values.
    """

    model: str
    fixed: dict
    swept: dict

    def __post_init__(self):
        require_inputs(self.model, [*self.fixed, *self.swept])
        both = sorted(set(self.fixed) & set(self.swept))
        if both:
            raise ValueError(f"{', '.join(both)}: give a single value or many, not both")
        if not all(self.swept.values()):
            raise ValueError("a swept input has no values")
        for name, values in self.swept.items():
            if is_too_large(values):
                raise ValueError(f"{name} must be at most {sys.float_info.max:.2g} in size, got {brief(values)}")
        if len(self) > MOST_CASES:
            raise ValueError(f"{len(self)} cases are more than {MOST_CASES}")

    def __len__(self) -> int:
        return math.prod(map(len, self.swept.values()))

    def cases(self) -> Iterator[dict]:
        """Yield the inputs that differ, case by case."""
        for values in itertools.product(*self.swept.values()):
            yield dict(zip(self.swept, values, strict=True))

    def described(self) -> dict:
        """Return what distinguishes this grid from another one, as plain values."""
        return {
            "code": provenance.code(),
            "model": self.model,
            "fixed": plain(self.fixed),
            "swept": plain(self.swept),
        }


def solve_grid(
    grid: Grid, output: str | Path, *, workers: Any = None, force: bool = False, progress: bool | None = None
) -> pl.DataFrame:
    """Solve all cases of a grid and write them as a table.

    Rows are noted in ``<output>.part`` as they are found, and the table is written when all are there. The same call
    after an interruption goes on with the cases that are missing.

    Parameters
    ----------
    grid : Grid
    output : path
        A file that ends in .csv or .parquet.
    workers : int or distributed.Client, optional
        Processes on this machine, or a client of a dask scheduler. By default the work begins in this process, and what
        is left after two seconds is given to as many processes as there are cores.
    force : bool
        Replace a table that is there already, and what was noted of another grid.
    progress : bool, optional
        Show a progress bar; by default on a terminal.

    Returns
    -------
    polars.DataFrame
        A row for each case: the swept inputs, the results (parts of lists and tables in columns such as ``share.cpu``),
        and ``error``, which says why there are none; it is null where all went well.

    Raises
    ------
    ValueError
        If the output's name has another ending, the file exists, or another grid was begun there.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> grid = Grid("stability", dict(n=6, n1=1, mu1=1, mu2=1, p1=0.5), {"n2": [2, 3, 7]})
    >>> with TemporaryDirectory() as folder:
    ...     table = solve_grid(grid, f"{folder}/waste.csv")
    >>> table.select("n2", pl.col("wasted_servers").round(6), "error").rows()
    [(2, 0.363992, None), (3, 0.852547, None), (7, None, 'need n2 7 exceeds the 6 servers')]
    """
    output = Path(output)
    if output.suffix not in WRITERS:
        raise ValueError(f"the name of a table must end in {' or '.join(WRITERS)}, got {output.name}")
    folders.refuse_existing(output, force)
    journal = Journal(output.with_name(output.name + ".part"), grid.described(), force)
    todo = [(k, case) for k, case in enumerate(grid.cases()) if k not in journal.rows]
    bar = parallel.Bar(grid.model, len(grid), progress, initial=len(grid) - len(todo), unit="case")
    with bar:
        died = {"error": "the process died, perhaps for lack of memory"}
        for rows in parallel.map_as_completed(lambda case: attempt(grid, case), todo, workers, died):
            journal.note(rows)
            bar.update(len(rows))
    table = _table(grid, journal.rows)
    _write(table, output)
    journal.remove()
    return table


# --- Solving ----------------------------------------------------------------------------------------------------------


def attempt(grid: Grid, case: dict) -> dict:
    """Return the results of one case, flat, or its error."""
    try:
        with budget.within(MOST_SECONDS):
            return _flat(solve(grid.model, **grid.fixed, **case)["result"])
    except (ValueError, ArithmeticError, MemoryError, RuntimeError) as error:
        return {"error": str(error) or type(error).__name__}


def _flat(value, name=""):
    """Return numbers by names such as ``share.cpu``; the parts of a list count from 1."""
    if isinstance(value, list):
        value = {str(k): x for k, x in enumerate(value, 1)}
    if not isinstance(value, dict):
        return {name: value}
    columns: dict[str, Any] = {}
    for key, x in value.items():
        columns |= _flat(x, f"{name}.{key}" if name else key)
    return columns


# --- Keeping ----------------------------------------------------------------------------------------------------------


def _table(grid, rows):
    """Return the table, with a row for each case, in order."""
    cases = [plain(case) for case in grid.cases()]
    cells = [{key: _cell(x) for key, x in case.items()} for case in cases]
    names = dict.fromkeys(name for k in range(len(cells)) for name in rows[k] if name != "error")
    # If an output has the name of an input, its column gets the suffix (result).
    columns = {name: f"{name} (result)" if name in grid.swept else name for name in names}
    filled = [
        case | {column: rows[k].get(name) for name, column in columns.items()} | {"error": rows[k].get("error")}
        for k, case in enumerate(cells)
    ]
    return pl.DataFrame(filled, infer_schema_length=None)


def _cell(value):
    """Return an input as an entry of the table: lists as JSON, and whole numbers that no column can hold as floats."""
    if isinstance(value, (list, dict)):
        return json.dumps(value)
    return float(value) if isinstance(value, int) and abs(value) >= 2**63 else value


def _write(table, output):
    content = io.BytesIO()
    WRITERS[output.suffix](table, content)
    folders.write(output, content.getvalue())
