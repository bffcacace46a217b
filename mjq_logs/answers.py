"""The answers that a log gives: plain values with a schema, for Python, for JSON and for tables alike.

Numbers that are not finite are None, which JSON calls null. A field that tables show has its :class:`Column` beside it,
so that a further column of a table is a field with its heading, unit and format, and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import reduce
from operator import or_
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, TypeAdapter

HOUR = 3600.0  # seconds


def finite(value: Any) -> Any:
    """Return a number, or one for each of several resources; None where one of them is not finite."""
    numbers = value.values() if isinstance(value, dict) else [value]
    return None if any(isinstance(x, float) and not math.isfinite(x) for x in numbers) else value


Number = Annotated[float | None, BeforeValidator(finite)]
Amount = float | dict[str, float]  # a number of servers, or how much of each of several resources; memory is in GB


class Column(NamedTuple):
    """Say how a field stands in tables: what is above it, in which unit, and how its numbers are written."""

    heading: str
    """Words in braces are put in by the table, such as the percentile of waits."""
    unit: str = ""
    """Shares are written in %."""
    form: str = ""
    """Format of a number, by default with three digits; "time" gives hours a unit that suits them."""
    of: str = ""
    """Which part of the value is shown, as a path of names; by default it is the value."""
    ends: tuple[str, str] | None = None
    """Fields beside the value that hold the ends of its interval; an :class:`Interval` has its own."""
    per: float = 1.0
    """The unit, in that of the field."""
    sure: bool = False
    """Whether an interval that holds zero is left out."""


def columns_of(kind: type[BaseModel]) -> Iterator[Column]:
    """Yield the columns of the fields of a class of answers, in their order, each with the whole path to its value.

    >>> from mjq_logs.questions.waits import AtLoad
    >>> [(column.heading, column.of) for column in columns_of(AtLoad)][-2:]
    [('mean\\nwait', 'waits.mean'), ('{percentile:g} % wait\\nat most', 'waits.percentile')]
    """
    for name, field in kind.model_fields.items():
        for given in field.metadata:
            columns = (given,) if isinstance(given, Column) else given if isinstance(given, tuple) else ()
            yield from (column._replace(of=f"{name}.{column.of}".rstrip(".")) for column in columns)


class Plain(BaseModel):
    """Describe an answer as plain data: it has these fields and no others, and nobody changes them."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Interval(Plain):
    """Hold a value with the ends of its 95 % interval; they are null where the log cannot tell."""

    value: float
    low: Number
    high: Number

    @property
    def holds_zero(self) -> bool:
        """Whether the log cannot tell the value from nothing: its interval holds zero, or is not known.

        >>> Interval(value=1, low=-1, high=2).holds_zero, Interval(value=-2, low=-3, high=-1).holds_zero
        (True, False)
        """
        return self.low is None or self.high is None or self.low <= 0 <= self.high


class Waits(Plain):
    """Hold waits, or how much shorter they are [hours]."""

    mean: Interval
    percentile: Interval


OF_WAITS = (
    Column("mean\nwait", "h", of="mean"),
    Column("{percentile:g} % wait\nat most", "h", of="percentile"),
)


def schema(*kinds: type[Plain]) -> dict[str, Any]:
    """Return the JSON Schema of one of these classes of answers, whichever it is.

    >>> schema(Interval)["required"]
    ['value', 'low', 'high']
    >>> [one["$ref"] for one in schema(Interval, Waits)["anyOf"]]
    ['#/$defs/Interval', '#/$defs/Waits']
    """
    return TypeAdapter(reduce(or_, kinds)).json_schema()
