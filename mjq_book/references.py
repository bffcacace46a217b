"""The references of the book, as texts name them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
FILE = "book/references.bib"  # beside this file in a wheel, one folder above it in a clone


@cache
def bibliography() -> Any:
    """Return the book's references, as pybtex reads them."""
    from pybtex.database import parse_file  # when it is needed

    return parse_file(next(path for path in (HERE / FILE, HERE.parent / FILE) if path.exists()))


def names_and_year(entry: Any) -> str:
    """Return an entry of the bibliography as texts name it."""
    last = [" ".join(author.last_names) for author in entry.persons["author"]]
    names = f"{last[0]} et al." if len(last) > 2 else " and ".join(last)
    return f"{names} {entry.fields.get('year', 'n.d.')}"


def cited(keys: Iterable[str]) -> str:
    """Return citations in brackets, as notebooks write them; nothing if there are none.

    >>> cited(["BB22", "GHS20"])
    '([Brandwajn and Begin 2022](../book/references.bib#BB22); [Grosof et al. 2020](../book/references.bib#GHS20))'
    """
    entries = bibliography().entries
    links = [f"[{names_and_year(entries[key])}](../{FILE}#{key})" for key in keys]
    return f"({'; '.join(links)})" if links else ""
