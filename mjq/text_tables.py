"""Tables of text as CSV: cells are read as they stand, and written as Python shows them.

Polars begins threads when it is imported, so that the process cannot be copied any more: each function does so itself.
"""

from collections.abc import Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

__all__ = ["read", "written"]


def read(path: Path | Traversable) -> list[dict[str, str]]:
    """Rows of a CSV file as dictionaries of text.

    Raises
    ------
    ValueError
        If the file is empty or holds no table.
    """
    import polars as pl

    try:
        table = pl.read_csv(path.read_bytes(), infer_schema=False)
    except pl.exceptions.PolarsError as error:
        raise ValueError(f"{path} cannot be read as a table: {error}") from None
    return table.fill_null("").to_dicts()


def written(columns: Sequence[str], rows: Sequence[Sequence[Any]], line_end: str = "\n") -> str:
    """The text of a CSV file; None is an empty cell, and so is what a short row lacks.

    Columns may hold numbers and words, and two may have one name.

    >>> written(["what", "value"], [["a, b", 0.1], ["none", None]])
    'what,value\\n"a, b",0.1\\nnone,\\n'
    """
    import polars as pl

    lines = [columns, *rows]
    width = max(1, *map(len, lines))
    nothing = "" if width == 1 else None  # written between quotes: a line of nothing would be no row
    texts = [[_text(x) or nothing for x in line] + [nothing] * (width - len(line)) for line in lines]
    table = pl.DataFrame(texts, schema=[(str(k), pl.String) for k in range(width)], orient="row")
    return table.write_csv(include_header=False, line_terminator=line_end)


def _text(x):
    return "" if x is None else str(x)
