"""The scale on which errors of waits are measured: log(1 + minutes).

A difference on it is a factor for long waits, and minutes for short ones. One long wait that is missed does not
outweigh a thousand short ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

MINUTE = 60.0


def on_scale(wait: ArrayLike) -> np.ndarray:
    """Return log(1 + minutes) for seconds."""
    return np.log1p(np.maximum(wait, 0) / MINUTE)


def off_scale(value: ArrayLike) -> np.ndarray:
    """Return seconds for log(1 + minutes)."""
    return MINUTE * np.expm1(value)
