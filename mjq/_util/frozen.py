"""Objects that nobody writes into, so that what they have computed stays right."""

from __future__ import annotations

from typing import Any

import numpy as np


class ReadOnly:
    """Keep the arrays of an object read-only also in copies and in other processes, where arrays forget that they are.

    >>> import pickle
    >>> class Line(ReadOnly):
    ...     def __init__(self, points):
    ...         self.points = frozen(points)
    >>> pickle.loads(pickle.dumps(Line(np.arange(3)).points, protocol=4)).flags.writeable
    True
    >>> line = Line(np.arange(3))
    >>> new = Line.__new__(Line)
    >>> new.__setstate__({"points": line.points.copy()})
    >>> new.points.flags.writeable
    False
    """

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, frozen(value) if isinstance(value, np.ndarray) else value)


def frozen(array: np.ndarray) -> np.ndarray:
    """Return an array that nobody can write to: the same one if that is so, or else a copy.

    >>> x = np.zeros(2)
    >>> frozen(x) is x, frozen(frozen(x)).flags.writeable
    (False, False)
    """
    at: Any = array
    while isinstance(at, np.ndarray):
        if at.flags.writeable:
            array = array.copy()
            array.setflags(write=False)
            break
        at = at.base
    return array
