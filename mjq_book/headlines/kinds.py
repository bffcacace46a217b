"""Kinds of values that headlines take and give, as pydantic knows them."""

from __future__ import annotations

import sys
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Strict, ValidationError

from mjq._util.plain import brief

# What pydantic calls an error, in our words.
TYPES = {
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "string_type": "must be text",
    "list_type": "must be a list",
    "dict_type": "must be a table of names and values",
    "model_type": "must be a table of names and values",
    "missing": "is missing",
    "extra_forbidden": "is not known",
}


def _whole(value: Any) -> Any:
    """Return 3.0 as 3, as JSON has it, and all else as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Number = Annotated[float, Strict()]
Whole = Annotated[int, Strict(), BeforeValidator(_whole)]
Truth = Annotated[bool, Strict()]
Word = Annotated[str, Strict()]
Numbers = Annotated[list[Number], Field(min_length=1)]
Matrix = Annotated[list[Numbers], Field(min_length=1)]
NumberOrNone = Number | None


class Declaration(BaseModel):
    """Describe the inputs or outputs of a headline; no other names are accepted."""

    model_config = ConfigDict(extra="forbid")


def meaning(words: str) -> Any:
    """Return a field that must be given, with its meaning."""
    return Field(description=words)


def optional(words: str) -> Any:
    """Return a field that may be missing, with its meaning."""
    return Field(None, description=words)


def checked(name: str, declaration: type[Declaration], given: Any) -> Any:
    """Return the values as the declaration has them, or raise ``ValueError`` that says where they differ."""
    try:
        return declaration.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join([name, *_place(first, given)])
        words = TYPES.get(first["type"]) or first["msg"].replace("Input", "it")
        if first["type"] == "float_type" and is_too_large(first["input"]):
            words = f"must be at most {sys.float_info.max:.2g} in size"
        got = "" if first["type"] in {"missing", "extra_forbidden"} else f", got {brief(first['input'])}"
        raise ValueError(f"{where} {words}{got}") from error


def is_too_large(value: Any) -> bool:
    """Return whether the value is a whole number beyond the range of floating-point numbers, or holds one.

    >>> is_too_large(10**400), is_too_large([1, 2.5])
    (True, False)
    """
    if isinstance(value, (list, tuple)):
        return any(map(is_too_large, value))
    return isinstance(value, int) and abs(value) > sys.float_info.max


def _place(error, value):
    """Yield the names and numbers that lead to where an error is, without names of alternatives between them."""
    for part in error["loc"]:
        if isinstance(value, (dict, list)) and part in (value if isinstance(value, dict) else range(len(value))):
            yield str(part)
            value = value[part]
        elif error["type"] == "missing":
            yield str(part)
