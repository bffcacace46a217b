"""Values as plain data, for messages and for JSON."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

__all__ = ["brief", "nearest", "plain", "printable"]


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


def printable(text: str) -> str:
    """Escape all characters that a terminal would not print as a letter, but for ends of lines and tabs.

    >>> printable("red\\x1b[31m")
    'red\\\\x1b[31m'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)


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
