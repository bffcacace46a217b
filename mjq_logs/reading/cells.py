"""Cells of text tables: lines between delimiters, quoted or not, as columns of text."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

import polars as pl

from mjq._util.plain import printable

ROWS = 100_000  # at a time
Choose = Callable[[list[str]], Mapping[str, str]]


def first_line(blocks: Iterable[tuple[int, list[str]]]) -> tuple[int, str, Iterator[tuple[int, list[str]]]]:
    """Return the number of the first line that is not blank, that line, and blocks of those after it."""
    blocks = iter(blocks)
    for first, lines in blocks:
        place = next((k for k, line in enumerate(lines) if line.strip()), None)
        if place is not None:
            number = first + place
            return number, lines[place], chain([(number + 1, lines[place + 1 :])], blocks)
    raise ValueError("the file is empty")


def require_once(names: Sequence[str], used: Iterable[str]) -> None:
    """Raise ``ValueError`` if one of the columns that are used is there twice: nobody knows which of them counts."""
    for name in used:
        if names.count(name) > 1:
            raise ValueError(
                f"the column {printable(name)!r} occurs {names.count(name)} times: which of them counts is not known"
            )


def split(
    first: int, lines: list[str], delimiter: str, names: Sequence[str], chosen: Mapping[str, str]
) -> pl.DataFrame:
    """Return columns of plain lines as text; `fits` says whether a line has as many fields as there are names.

    Lines have numbers from `first` on, and blank ones are passed over. `chosen` maps new names of columns to some of
    the `names` in the file.

    >>> split(2, ["1;a", "", "2;b;c"], ";", ["x", "y"], {"name": "y"}).rows()
    [(2, 'a', True), (4, 'b', False)]
    """
    fields = len(names) - 1
    text = pl.DataFrame({"text": lines}, schema={"text": pl.String}).with_row_index("line", first)
    text = text.with_columns(pl.col("line").cast(pl.Int64), pl.col("text").str.strip_suffix("\r"))
    text = text.filter(pl.col("text").str.strip_chars() != "")
    parts = pl.col("text").str.split_exact(delimiter, fields)
    places = {ours: names.index(theirs) for ours, theirs in chosen.items()}
    return text.select(
        "line",
        *(parts.struct.field(f"field_{place}").str.strip_chars().alias(ours) for ours, place in places.items()),
        fits=pl.col("text").str.count_matches(delimiter, literal=True) == fields,
    )


def quoted(blocks: Iterable[tuple[int, list[str]]], choose: Choose) -> Iterator[pl.DataFrame]:
    """Yield what :func:`split` returns for a CSV file whose cells may be quoted, its header first.

    `choose` maps the names in the header to what is chosen of them. ``ValueError`` if the file is empty, a column that
    is chosen is there twice, or a cell is too long.
    """
    first, header, blocks = first_line(blocks)
    delimiter = max(",;\t|", key=header.count)
    blocks = chain([(first, [header])], blocks)
    names: list[str] = []
    chosen: Mapping[str, str] = {}
    for first, lines in blocks:
        if not _is_plain(lines):
            break
        if names:
            yield split(first, lines, delimiter, names, chosen)
        else:
            names, chosen = _names(lines[0].removesuffix("\r").split(delimiter), choose)
    else:
        return
    # What is quoted is not read by polars, which ends at a row that is too long, fills one that is too short, and does
    # not number them.
    rest = chain([lines], (block for _, block in blocks))
    rows = csv.reader((line + "\n" for block in rest for line in block), delimiter=delimiter)
    try:
        if not names:
            names, chosen = _names(next(rows), choose)
        cells = ((rows.line_num + first - 1, row) for row in rows if len(row) > 1 or (row and row[0].strip()))
        while batch := list(islice(cells, ROWS)):
            yield _texts(batch, names, chosen)
    except csv.Error as error:
        raise ValueError(f"line {rows.line_num + first - 1}: {error}") from None


def _names(cells, choose):
    """Return the names in a header, and what is chosen of them."""
    names = [name.strip() for name in cells]
    chosen = choose(names)
    require_once(names, chosen.values())
    return names, chosen


def _is_plain(lines):
    """Return whether no field of these lines is quoted, too long, or ends a line of its own."""
    text = "\n".join(lines)
    returns = text.count("\r") - text.count("\r\n") - text.endswith("\r")
    return '"' not in text and not returns and max(map(len, lines), default=0) <= csv.field_size_limit()


def _texts(rows, names, chosen):
    """Return the chosen columns as text, under their new names; rows that do not fit the header are null."""
    fits = [len(row) == len(names) for _, row in rows]
    places = {ours: names.index(theirs) for ours, theirs in chosen.items()}
    values = {
        ours: [row[place] if fit else None for (_, row), fit in zip(rows, fits, strict=True)]
        for ours, place in places.items()
    }
    table = pl.DataFrame(values, schema=dict.fromkeys(values, pl.String)).with_columns(pl.all().str.strip_chars())
    return table.select(pl.Series("line", [number for number, _ in rows]), pl.all(), fits=pl.Series(fits))
