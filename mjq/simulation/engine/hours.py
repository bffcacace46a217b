"""Hours of the week at which jobs may run, as the event loop and the policies look at them.

Hours are counted from the beginning of some week on; hour k begins at ``begins + k * hour``, as doubles give it. Which
of the 168 hours of a week are open stands in the bits of three whole numbers.

The argument `memory` is that of the policies: ``memory[0]`` tells when a week begins, how long an hour is, and at which
multiples the scheduler passes; ``memory[1 + c]`` the hours of class c.
"""

from __future__ import annotations

import math

import numpy as np

from mjq._util.compiling import numba
from mjq.simulation.engine.heap import record_type

__all__ = ["ALWAYS", "HOURS", "WEEK", "bits", "closes", "next_start", "passes", "turns"]

HOURS = 168  # of a week
WEEK = record_type([("open", np.int64, (3,)), ("grace", np.float64)])  # a class of hours
ALWAYS = np.empty(0, WEEK)


def bits(is_open: np.ndarray) -> np.ndarray:
    """Return 168 booleans as the bits of three whole numbers.

    >>> bits(np.arange(168) == 65).tolist()
    [0, 2, 0]
    """
    padded = np.zeros(192, dtype=np.uint8)
    padded[:HOURS] = is_open
    return np.packbits(padded, bitorder="little").view("<i8").astype(np.int64)


@numba.njit(cache=True, nogil=True)
def passes(cycle, time):
    """Return when the scheduler passes next, at this time at the earliest.

    >>> passes(60.0, 60.0), passes(60.0, 61.0), passes(0.0, 61.0)
    (60.0, 120.0, 61.0)
    """
    if not 0 < cycle < math.inf or time == math.inf:
        return time
    there = math.ceil(time / cycle) * cycle
    return there if there >= time else there + cycle


@numba.njit(cache=True, nogil=True)
def _hour(memory, time):
    """Return the number of the hour in which this time is."""
    begins, hour = memory[0].begins, memory[0].hour
    k = math.floor((time - begins) / hour)
    while begins + k * hour > time:
        k -= 1
    while begins + (k + 1) * hour <= time:
        k += 1
    return k


@numba.njit(cache=True, nogil=True)
def _is_open(week, k):
    """Return whether an hour is open, 1 or 0."""
    of_week = k % 168
    return (week.open[of_week >> 6] >> (of_week & 63)) & 1


@numba.njit(cache=True, nogil=True)
def closes(memory, kind, time):
    """Return by when a job of a class of hours that starts now must be expected to end; minus infinity if closed."""
    k = first = _hour(memory, time)
    while _is_open(memory[1 + kind], k):
        k += 1
        if k == first + 168:
            return math.inf
    return -math.inf if k == first else memory[0].begins + k * memory[0].hour + memory[1 + kind].grace


@numba.njit(cache=True, nogil=True)
def next_start(memory, kind, time, span):
    """Return when first, from this time on, a job of a class of hours may start that is expected to run so long.

    It is at a pass of the scheduler. It is infinite if there is none within the hours of two weeks.
    """
    start = passes(memory[0].cycle, time)
    if kind < 0 or start == math.inf:
        return start
    last = _hour(memory, start) + 336
    while start + span > closes(memory, kind, start):
        k = _hour(memory, start) + 1
        while k < last and (_is_open(memory[1 + kind], k - 1) or not _is_open(memory[1 + kind], k)):
            k += 1  # to where hours open
        if k == last:
            return math.inf
        start = passes(memory[0].cycle, memory[0].begins + k * memory[0].hour)
    return start


@numba.njit(cache=True, nogil=True)
def turns(memory, time):
    """Return when next some class opens or closes."""
    first = _hour(memory, time) + 1
    for k in range(first, first + 168):
        for kind in range(len(memory) - 1):
            if _is_open(memory[1 + kind], k) != _is_open(memory[1 + kind], k - 1):
                return memory[0].begins + k * memory[0].hour
    return math.inf
