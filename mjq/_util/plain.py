"""Values as plain data, for messages and for JSON."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable
from typing import Any


def brief(value: object) -> str:
    """Return a value as text for a message, cut if it is long."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def nearest(name: str, known: Iterable[str]) -> str:
    """Return words that help with an unknown name: the nearest known ones, or all.

    >>> nearest("load", ["loads", "seed"]), nearest("x", ["loads", "seed"])
    ('nearest: loads', 'there are: loads, seed')
    """
    near = difflib.get_close_matches(name, list(known), n=3, cutoff=0.4)
    return f"nearest: {', '.join(near)}" if near else f"there are: {', '.join(known)}"


def counted(number: int, noun: str) -> str:
    """Return a number of things, of which there may be one.

    >>> counted(1, "job"), counted(2, "job")
    ('1 job', '2 jobs')
    """
    return f"{number} {noun}" + "s" * (number != 1)


def printable(text: str) -> str:
    r"""Escape whatever a terminal would not print as letters or spaces, ends of lines included.

    For all text that comes out of a file, before it goes to a terminal or into a file that we write.

    >>> printable("red\x1b[31m"), printable("two\nlines"), printable("a – b")
    ('red\\x1b[31m', 'two\\nlines', 'a – b')
    """
    if text.isprintable():
        return text
    kept = (c == "\t" or c.isprintable() or unicodedata.category(c) == "Zs" for c in text)
    return "".join(c if keep else c.encode("unicode_escape").decode() for c, keep in zip(text, kept, strict=True))


def plain(value: Any) -> Any:
    """Return the value as JSON knows it: lists for tuples and arrays, None for what is not finite.

    >>> plain({"a": (1, float("inf"))})
    {'a': [1, None]}
    """
    if isinstance(value, dict):
        return {str(key): plain(x) for key, x in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(x) for x in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)
