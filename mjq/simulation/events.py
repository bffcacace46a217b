"""What event loops share: classes drawn from a mix, a heap of completions to come, circular buffers."""

import numba
import numpy as np


def cumulative(p):
    """Cumulative probabilities to compare a uniform draw with; the last class that comes takes what rounding leaves.

    >>> cumulative([0.25, 0.75, 0.0])
    array([0.25,  inf,  inf])
    """
    shares = np.cumsum(p)
    shares[np.flatnonzero(p)[-1] :] = np.inf
    return shares


@numba.njit(cache=True)
def doubled(buffer, head):
    """A circular buffer of twice the length, its first entry moved to the front."""
    bigger = np.empty(2 * len(buffer), dtype=buffer.dtype)
    n = len(buffer)
    bigger[: n - head] = buffer[head:]
    bigger[n - head : n] = buffer[:head]
    return bigger


@numba.njit(cache=True)
def push(due, kinds, size, time, kind):
    """Add to a heap of `size` entries."""
    k = size
    while k > 0 and due[(k - 1) // 2] > time:
        due[k], kinds[k] = due[(k - 1) // 2], kinds[(k - 1) // 2]
        k = (k - 1) // 2
    due[k], kinds[k] = time, kind


@numba.njit(cache=True)
def pop(due, kinds, size):
    """Drop the first of a heap that keeps `size` entries."""
    time, kind = due[size], kinds[size]
    k = 0
    while 2 * k + 1 < size:
        child = 2 * k + 1
        if child + 1 < size and due[child + 1] < due[child]:
            child += 1
        if due[child] >= time:
            break
        due[k], kinds[k] = due[child], kinds[child]
        k = child
    due[k], kinds[k] = time, kind
