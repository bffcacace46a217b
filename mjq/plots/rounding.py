"""Rounding for sentences that say "at most" or "at least"."""

from __future__ import annotations

import math

__all__ = ["rounded_down", "rounded_up"]


def rounded_up(value: float, digits: int) -> float:
    """Return the least number with this many decimals that is not below the value.

    >>> rounded_up(0.121, 2), rounded_up(12.0, 0)
    (0.13, 12.0)
    """
    return float(math.ceil(value * 10**digits) / 10**digits)


def rounded_down(value: float, digits: int) -> float:
    """Return the greatest number with this many decimals that is not above the value.

    >>> rounded_down(0.129, 2)
    0.12
    """
    return float(math.floor(value * 10**digits) / 10**digits)
