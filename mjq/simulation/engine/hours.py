"""Hours of the week at which jobs may run, as the event loop and the policies look at them.

Hours are counted from the beginning of some week on; hour k begins at ``begins + k * hour``, as doubles give it. For
each of the 168 hours of a week a table says how long it is to the next change, so that nobody goes from hour to hour.

The argument `memory` is that of the policies: ``memory[0]`` tells when a week begins, how long an hour is, and at which
multiples the scheduler passes; ``memory[1 + c]`` the hours of class c. Row 0 is also that of jobs without hours; its
table says when any class changes.
"""

from __future__ import annotations

import math

import numpy as np

from mjq._util.compiling import BORROWING, numba
from mjq.simulation.engine.heap import record_type
from mjq.simulation.engine.queue import UNKNOWN, list_again

HOURS = 168  # of a week
# A class of hours. Of each hour of the week: after how many, itself included, hours close, 0 if it is closed; and after
# how many closed ones open.
WEEK = record_type([("closing", np.uint8, (HOURS,)), ("opening", np.uint8, (HOURS,)), ("grace", np.float64)])
ALWAYS = np.empty(0, WEEK)


@numba.njit(cache=True, nogil=True)
def hours_left(is_open):
    """Return the two tables of classes of hours, a row for each class; they say nothing of one that never changes.

    >>> closing, opening = hours_left(np.arange(168).reshape(1, -1) % 84 < 2)
    >>> closing[0, :4].tolist(), opening[0, :4].tolist()
    ([2, 1, 0, 0], [84, 83, 82, 81])
    """
    closing, opening = np.zeros(is_open.shape, np.int64), np.zeros(is_open.shape, np.int64)
    for row in range(len(is_open)):
        to_closing = to_opening = HOURS
        for k in range(2 * HOURS - 1, -1, -1):  # the second week tells what comes after the first
            now, then = is_open[row, k % HOURS], is_open[row, (k + 1) % HOURS]
            to_closing = 1 if now and not then else to_closing + 1
            to_opening = 1 if then and not now else to_opening + 1
            if k < HOURS:
                closing[row, k], opening[row, k] = to_closing if now else 0, to_opening
    return closing, opening


@numba.njit(nogil=True, **BORROWING)
def passes(cycle, time):
    """Return when the scheduler passes next, at this time at the earliest.

    >>> passes(60.0, 60.0), passes(60.0, 61.0), passes(0.0, 61.0)
    (60.0, 120.0, 61.0)
    """
    if not 0 < cycle < math.inf or time == math.inf:
        return time
    there = np.ceil(time / cycle) * cycle
    return there if there >= time else there + cycle


@numba.njit(nogil=True, **BORROWING)
def _hour(memory, time):
    """Return the number of the hour in which this time is."""
    begins, hour = memory[0].begins, memory[0].hour
    k = math.floor((time - begins) / hour)
    while begins + k * hour > time:
        k -= 1
    while begins + (k + 1) * hour <= time:
        k += 1
    return k


@numba.njit(nogil=True, **BORROWING)
def _closes(memory, row, k, of_week):
    """Return by when a job with these hours that starts in hour k must be expected to end; minus infinity if closed."""
    more = np.int64(memory[row].closing[of_week])  # a number that does not wrap around at 256
    return memory[0].begins + (k + more) * memory[0].hour + memory[row].grace if more else -math.inf


@numba.njit(nogil=True, **BORROWING)
def next_start(memory, row, time, span):
    """Return when first, from this time on, a job with these hours may start that is expected to run so long.

    It is at a pass of the scheduler. It is infinite if there is none within the hours of two weeks.
    """
    start = passes(memory[0].cycle, time)
    if row == 0 or start == math.inf:
        return start
    k = _hour(memory, start)
    last = k + 2 * HOURS
    while start + span > _closes(memory, row, k, k % HOURS):
        k += np.int64(memory[row].opening[k % HOURS])
        if k >= last:
            return math.inf
        start = passes(memory[0].cycle, memory[0].begins + k * memory[0].hour)
        k = _hour(memory, start)
    return start


@numba.njit(nogil=True, **BORROWING)
def open_and_close(line, memory, time):
    """Note by when jobs of each class must be expected to end that start now; return when next a class opens or closes.

    If one opens, its jobs are looked at again.
    """
    k = _hour(memory, time)
    of_week = k % HOURS
    for row in range(1, len(memory)):
        later = _closes(memory, row, k, of_week)
        if later > memory[row].closes:
            memory[0].candidate = UNKNOWN
            list_again(line, memory, row)
        memory[row].closes = later
    return memory[0].begins + (k + np.int64(memory[0].closing[of_week])) * memory[0].hour
