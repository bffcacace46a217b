"""A headline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mjq_book.headlines.kinds import Declaration

if TYPE_CHECKING:  # an exact solution needs no simulation
    from mjq.simulation.estimates import Estimate

__all__ = ["JOBS", "REPLICATIONS", "SEED", "Model"]

JOBS, REPLICATIONS, SEED = 100_000, 10, 1  # of a simulation


@dataclass(frozen=True)
class Model:
    """Describe a headline: its title, its inputs and outputs, and the function that computes the one from the other.

    The function takes plain values by name and returns a dictionary. So does the simulation, of which the dictionary
    has estimates of those outputs that it tells; it is None where there is no simulation, or it needs none.
    """

    title: str
    inputs: type[Declaration]
    outputs: type[Declaration]
    function: Callable[..., dict]
    simulation: Callable[..., dict[str, Estimate]] | None = None
