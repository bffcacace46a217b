"""A headline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mjq.headlines.kinds import Declaration

__all__ = ["Model"]


@dataclass(frozen=True)
class Model:
    """A headline: its title, the declarations of what goes in and what comes out, and the function between.

    The function takes plain values by name and returns a dictionary.
    """

    title: str
    inputs: type[Declaration]
    outputs: type[Declaration]
    function: Callable[..., dict]
