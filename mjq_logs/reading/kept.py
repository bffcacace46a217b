"""Rows of a log that can be used, in as few bytes as hold them, until all are there.

A log of ten million lines has to fit into the memory of a small machine. So whole numbers are kept in at most four
bytes, what a file lacks in none, and of text only what is asked for later: the number that a job's name begins with,
whether two names are the same, and which partitions and users there are.
"""

from __future__ import annotations

import polars as pl

from mjq_logs.reading.rows import TIMES, need_columns

NUMBER = r"^(\d{1,18})"  # what of a job's name is its number
CANONICAL = r"^(0|[1-9]\d{0,17})$"  # a name that its number tells whole


class Kept:
    """Hold rows of tables of :func:`mjq_logs.reading.rows.schema` until :meth:`taken` returns them all.

    Parameters
    ----------
    resources : int
        Whose needs the tables have.

    Examples
    --------
    >>> kept = Kept()
    >>> times = {"submit": [0.0, 1.5], "eligible": None, "start": None, "run": [60.0, 90.0], "estimate": None}
    >>> kept.add(pl.DataFrame(
    ...     {"line": [2, 3], "job": ["7", "8_1"], "partition": "batch", "user": None} | times
    ...     | {"priority": None, "need": [1.0, 2.0]}
    ...     | {"zoned": None, "whole": None, "unfinished": None},
    ... ))
    >>> found = kept.taken()
    >>> found["number"].to_list(), found["name"].is_null().to_list(), found["run"].dtype, found["submit"].dtype
    ([7, 8], [True, False], UInt8, Float64)
    """

    def __init__(self, resources: int = 1) -> None:
        self.floats = *TIMES, *need_columns(resources)
        self.tables: list[pl.DataFrame] = []
        self.partitions: dict[str | None, int | None] = {None: None}
        self.users: dict[str | None, int | None] = {None: None}

    def add(self, table: pl.DataFrame) -> None:
        """Keep the rows of a table."""
        number = table["job"].str.extract(NUMBER).cast(pl.Int64)
        name = table.select(pl.when(~pl.col("job").str.contains(CANONICAL)).then(pl.col("job").hash())).to_series()
        # Equal rows have equal numbers here, whatever the sign of their zeros; different ones hardly ever do.
        same = table.select("job", *(pl.col(column) + 0.0 for column in self.floats)).hash_rows()
        whole = table.select(pl.when(pl.col("whole").is_not_null()).then(pl.col("whole").hash())).to_series()
        columns = {
            "line": _narrow(table["line"]),
            "name": _narrow(name),
            "number": _narrow(number),
            "same": table.select(pl.when(pl.col("job").is_not_null()).then(same)).to_series(),
            "partition": _numbered(table["partition"], self.partitions),
            "user": _numbered(table["user"], self.users),
            "priority": _narrow(table["priority"]),
            **{column: _narrow(table[column]) for column in self.floats},
            "zoned": _narrow(table["zoned"]),
            "whole": _narrow(whole),
            "unfinished": _narrow(table["unfinished"]),
        }
        self.tables.append(pl.DataFrame(columns))

    def taken(self) -> pl.DataFrame:
        """Return all rows, which are not kept any longer.

        Returns
        -------
        polars.DataFrame
            ``name`` differs where names of jobs do that are no plain numbers, and ``number`` is what a name begins
            with. ``partition`` and ``user`` are numbers of these. Rows of different ``same`` are different, and
            ``whole`` differs where names of whole jobs do. The other columns are those of the tables.
        """
        tables, self.tables = self.tables, []
        return pl.concat(tables, how="vertical_relaxed")


def _numbered(given, numbers):
    """Return texts as their numbers, the next one for each that is new."""
    for text in given.unique().to_list():
        numbers.setdefault(text, len(numbers) - 1)
    return _narrow(given.replace_strict(numbers, return_dtype=pl.Int64))


def _narrow(column):
    """Return a column of numbers in the narrowest type that holds them exactly, or as nothing where none is known."""
    if column.null_count() == len(column):
        return pl.repeat(None, len(column), dtype=pl.Null, eager=True)
    if column.dtype == pl.Boolean:
        return column
    for kind in (pl.UInt8, pl.UInt16, pl.UInt32):
        narrow = column.cast(kind, strict=False)
        if narrow.cast(column.dtype).eq_missing(column).all():
            return narrow
    return column
