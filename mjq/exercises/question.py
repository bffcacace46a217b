"""One question, and the digits in which its numbers are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

__all__ = ["DIGITS", "Question", "decimal", "printed", "written"]

DIGITS = 4  # significant ones of an answer


@dataclass(frozen=True)
class Question:
    """Describe a question whose numbers differ between students.

    Attributes
    ----------
    title : str
    text : str
        What is asked, with the name of each number in braces.
    unit : str
        Of the answer; empty for a pure number.
    draw : callable
        From a random generator to the numbers by name: whole numbers, and floats of few decimals, which the text
        shows in full.
    answer : callable
        From these numbers, by name, to the right answer. Both may raise ``ValueError`` if the numbers violate a
        constraint of the model: then others are drawn.
    mistakes : dict
        What somebody may have overlooked, in words, and the function that gives the answer that comes out then.
    """

    title: str
    text: str
    unit: str
    draw: Callable[[np.random.Generator], dict]
    answer: Callable[..., float]
    mistakes: Mapping[str, Callable[..., float]] = field(default_factory=dict)

    def asked(self, values: Mapping[str, float]) -> str:
        """Return the text with the numbers in it."""
        return self.text.format(**{name: written(value) for name, value in values.items()})


def decimal(rng: np.random.Generator, low: float, high: float, digits: int) -> float:
    """Draw a random number between two others with this many decimals.

    >>> decimal(np.random.default_rng(1), 0.1, 0.9, 2)
    0.51
    """
    return round(float(rng.uniform(low, high)), digits)


def written(value: float) -> str:
    """Return a number of a question in full.

    >>> written(0.05), written(12)
    ('0.05', '12')
    """
    return str(value) if isinstance(value, int) else f"{value:.10g}"


def printed(value: float, digits: int = DIGITS) -> str:
    """Return an answer, rounded to significant digits, with zeros at the end where they are significant.

    >>> printed(2.0869565), printed(0.0500012), printed(79.9999), printed(1234.56)
    ('2.087', '0.05000', '80.00', '1235')
    """
    return f"{value:#.{digits}g}".removesuffix(".")
