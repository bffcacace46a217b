"""Sums that are rounded alike whether code is compiled or not: numpy's own sum adds in another order."""

from __future__ import annotations

import numpy as np

from mjq._util.compiling import compiled


@compiled(steps=len)
def total(values: np.ndarray) -> float:
    """Add numbers one after the other; numpy adds them in another order, which rounds otherwise.

    >>> float(total(np.array([1.0, 1e16, -1e16])))
    0.0
    """
    added = 0.0
    for value in values:
        added += value
    return added


@compiled(steps=len)
def running(steps: np.ndarray) -> np.ndarray:
    """Return 0 and the running sums of `steps`, with Neumaier's compensation: a million terms stay accurate.

    >>> running(np.array([1.0, 1e100, 1.0, -1e100])).tolist()[-1]
    2.0
    """
    sums = np.zeros(len(steps) + 1)
    added, lost = 0.0, 0.0
    for k in range(len(steps)):
        new = added + steps[k]
        if abs(added) >= abs(steps[k]):
            lost += (added - new) + steps[k]
        else:
            lost += (steps[k] - new) + added
        added = new
        sums[k + 1] = added + lost
    return sums


@compiled(steps=len)
def from_the_largest(steps: np.ndarray) -> np.ndarray:
    """Return the running sums of `steps`, less the largest of them: small, and accurate, where they are near it.

    Summed from there outwards. Of logarithms of factors they are those of weights of which the largest is 1.

    >>> from_the_largest(np.array([1.0, 2.0, -4.0])).tolist()
    [-3.0, -2.0, -0.0, -4.0]
    """
    peak = running(steps).argmax()
    return np.append(-running(steps[:peak][::-1])[::-1], running(steps[peak:])[1:])
