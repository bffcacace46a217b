"""Rows of a log that can be used, in as few bytes as hold them, until all are there.

A log of ten million lines has to fit into the memory of a small machine. So whole numbers are kept in at most four
bytes, what a file lacks in none, and of text only what is asked for later: the number that a job's name begins with,
whether two names are the same, and which partitions and users there are.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from mjq_logs.reading.rows import TIMES, schema

NUMBER = r"^(\d{1,18})"  # what of a job's name is its number
CANONICAL = r"^(0|[1-9]\d{0,17})$"  # a name that its number tells whole


class Kept:
    """Hold rows of tables of :func:`mjq_logs.reading.rows.schema` until :meth:`taken` returns them all.

    `needs` names the columns with what jobs need of each resource.

    >>> from mjq_logs.reading.rows import rows_of
    >>> kept, columns = Kept(), {"line": [2, 3], "job": ["7", "8_1"], "submit": [0.0, 1.5], "run": [60.0, 90.0]}
    >>> kept.add(rows_of(pl.DataFrame(columns | {"need": [1.0, 2.0]})))
    >>> rows = kept.taken()
    >>> rows["number"].to_list(), rows["name"].is_null().to_list(), rows["run"].dtype, rows["submit"].dtype
    ([7, 8], [True, False], UInt8, Float64)
    """

    def __init__(self, needs: Sequence[str] = ("need",)) -> None:
        self.floats = *TIMES, *needs
        self.tables: list[pl.DataFrame] = []
        self.partitions: dict[str | None, int | None] = {None: None}
        self.users: dict[str | None, int | None] = {None: None, "": None}
        self.add(pl.DataFrame(schema=schema(len(needs))))  # where a reader finds no line

    def add(self, table: pl.DataFrame) -> None:
        """Keep the rows of a table."""
        job, whole = pl.col("job"), pl.col("whole")
        rows = table.select(
            "line", "priority", "zoned", "unfinished", *self.floats,
            name=pl.when(~job.str.contains(CANONICAL)).then(job.hash()),
            number=job.str.extract(NUMBER).cast(pl.Int64),
            whole=pl.when(whole.is_not_null()).then(whole.hash()),
            partition=_numbers(table["partition"], self.partitions),
            user=_numbers(table["user"], self.users),
        )  # fmt: skip
        # Equal rows have equal numbers here, whatever the sign of their zeros; different ones hardly ever do.
        same = table.select("job", pl.col(*self.floats) + 0.0).hash_rows()
        same = table.select(same=pl.when(job.is_not_null()).then(same)).to_series()
        self.tables.append(pl.DataFrame([*map(_narrow, rows), same]))

    def taken(self) -> pl.DataFrame:
        """Return all rows, which are not kept any longer.

        ``name`` differs where names of jobs do that are no plain numbers, and ``number`` is what a name begins with.
        ``partition`` and ``user`` are numbers of these. Rows of different ``same`` are different, and ``whole`` differs
        where names of whole jobs do. The other columns are those of the tables.
        """
        tables, self.tables = self.tables, []
        return pl.concat(tables, how="vertical_relaxed")


def _numbers(given, numbers):
    for text in given.unique().to_list():
        numbers.setdefault(text, len(numbers) - 1)
    return given.replace_strict(numbers, return_dtype=pl.Int64)


def _narrow(column):
    """Return a column of numbers in the narrowest type that holds them exactly, or as nothing where none is known."""
    if column.null_count() == len(column):
        return pl.Series(column.name, [None], pl.Null).new_from_index(0, len(column))
    if column.dtype == pl.Boolean:
        return column
    for kind in (pl.UInt8, pl.UInt16, pl.UInt32):
        narrow = column.cast(kind, strict=False)
        if narrow.cast(column.dtype).eq_missing(column).all():
            return narrow
    return column
