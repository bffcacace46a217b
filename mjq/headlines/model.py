"""A headline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mjq.headlines.kinds import Declaration

__all__ = ["Model"]


@dataclass(frozen=True)
class Model:
    """Describe a headline: its title, its inputs and outputs, and the function that computes the one from the other.

    The function takes plain values by name and returns a dictionary.
    """

    title: str
    inputs: type[Declaration]
    outputs: type[Declaration]
    function: Callable[..., dict]
