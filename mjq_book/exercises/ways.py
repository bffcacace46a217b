"""Intermediate results that several solutions show: the states of a small chain, the start of each job of a log."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from mjq.simulation.schedule import Schedule
from mjq.solvers import chain
from mjq_book.exercises.question import table

__all__ = ["one_or_all", "schedule_table", "shares"]


def shares(start: Hashable, rule: chain.Rule, most: int = 1000) -> list[tuple[Any, float]]:
    """Return the states of a chain and the share of time spent in each, in the order in which they are found."""
    states = chain.explore([start], rule, limit=most)
    return list(zip(states, chain.stationary(chain.generator(states, rule), states).tolist(), strict=True))


def one_or_all(n: int, one_in: float, t1: float, t2: float) -> dict[str, float]:
    """Return the parts of a cycle if one job in `one_in` needs all n servers and the others one: all mean times."""
    p1, k = 1 - 1 / one_in, np.arange(1, n)
    small = t1 * (float(np.sum(p1**k / k)) + p1**n * one_in / n)
    return {"small_part": small, "cycle": small + t2, "per_cycle": one_in}


def schedule_table(found: Schedule) -> str:
    """Return a table of when each job of a log of whole numbers comes, starts and ends."""
    columns = found.submit, found.need, found.start, found.finish, found.wait
    rows = [(k, *map(int, row)) for k, row in enumerate(zip(*columns, strict=True), 1)]
    return table(("job", "arrives", "servers", "starts", "ends", "waits"), rows)
