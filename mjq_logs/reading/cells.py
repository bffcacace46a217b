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
    """Return the number of the first line that is not blank, that line, and blocks of those after it.

    Raises
    ------
    ValueError
        If there is no such line.
    """
    blocks = iter(blocks)
    for first, lines in blocks:
        place = next((k for k, line in enumerate(lines) if line.strip()), None)
        if place is not None:
            number = first + place
            return number, lines[place], chain([(number + 1, lines[place + 1 :])], blocks)
    raise ValueError("the file is empty")


def require_once(names: Sequence[str], used: Iterable[str]) -> None:
    """Raise ``ValueError`` if one of the columns that are used is there twice: nobody knows which of them counts.

    >>> require_once(["need", "run", "need"], ["run"])
    >>> require_once(["need", "run", "need"], ["need", "run"])
    Traceback (most recent call last):
    ValueError: the column 'need' occurs 2 times: which of them counts is not known
    """
    for name in used:
        if names.count(name) > 1:
            raise ValueError(
                f"the column {printable(name)!r} occurs {names.count(name)} times: which of them counts is not known"
            )


def split(
    first: int, lines: list[str], delimiter: str, names: Sequence[str], chosen: Mapping[str, str], ended: bool = False
) -> pl.DataFrame:
    """Return columns of plain lines as text; `fits` says whether a line has as many fields as there are names.

    Parameters
    ----------
    first : int
        Number of the first line.
    lines : list of str
        Blank ones are passed over.
    delimiter : str
    names : sequence of str
        Of all columns of the file.
    chosen : mapping
        From new names of columns to those of the file.
    ended : bool
        Whether a delimiter also ends each line.

    Examples
    --------
    >>> split(2, ["1;a", "", "2;b;c"], ";", ["x", "y"], {"name": "y"}).rows()
    [(2, 'a', True), (4, 'b', False)]
    """
    fields = len(names) - 1 + ended
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

    Parameters
    ----------
    blocks : iterable
        Of ``mjq_logs.reading.text.blocks``.
    choose : callable
        From the names in the header to what is chosen.

    Raises
    ------
    ValueError
        If the file is empty, a column that is chosen is there twice, or a cell is too long.
    """
    first, header, blocks = first_line(blocks)
    delimiter = max(",;\t|", key=header.count)
    if _is_plain([header]):
        names = [name.strip() for name in header.removesuffix("\r").split(delimiter)]
        chosen = choose(names)
        require_once(names, chosen.values())
        for start, lines in blocks:
            if not _is_plain(lines):
                blocks, first = chain([(start, lines)], blocks), start
                break
            yield split(start, lines, delimiter, names, chosen)
        else:
            return
    else:
        names = None
        blocks = chain([(first, [header])], blocks)
    # What is quoted is not read by polars, which ends at a row that is too long, fills one that is too short, and does
    # not number them.
    rows = csv.reader((line + "\n" for _, block in blocks for line in block), delimiter=delimiter)
    before = first - 1
    try:
        if names is None:
            names = [name.strip() for name in next(rows)]
            chosen = choose(names)
            require_once(names, chosen.values())
        cells = ((rows.line_num + before, row) for row in rows if len(row) > 1 or (row and row[0].strip()))
        while batch := list(islice(cells, ROWS)):
            yield _texts(batch, names, chosen)
    except csv.Error as error:
        raise ValueError(f"line {rows.line_num + before}: {error}") from None


def _is_plain(lines):
    """Return whether no field of these lines is quoted, too long, or ends a line of its own."""
    text = "\n".join(lines)
    returns = text.count("\r") - text.count("\r\n") - text.endswith("\r")
    return '"' not in text and not returns and max(map(len, lines), default=0) <= csv.field_size_limit()


def _texts(rows, names, chosen):
    """Return the chosen columns as text, under their new names; rows that do not fit the header are null."""
    fits = [len(row) == len(names) for _, row in rows]
    values = {
        ours: [row[place] if fit else None for (_, row), fit in zip(rows, fits, strict=True)]
        for ours, place in ((ours, names.index(theirs)) for ours, theirs in chosen.items())
    }
    table = pl.DataFrame(values, schema=dict.fromkeys(values, pl.String)).with_columns(pl.all().str.strip_chars())
    lines = pl.Series([number for number, _ in rows], dtype=pl.Int64)
    return table.select(lines.alias("line"), pl.all(), fits=pl.Series(fits))
