"""A list of jobs, replayed in order of arrival."""

import heapq

import numpy as np

from mjq import checks


def start_times(arrivals, needs, lengths, B):
    """When each job of a list starts, if jobs start in order and each as soon as enough of the resource is free.

    Parameters
    ----------
    arrivals : sequence of float, shape (jobs,)
        Times of arrival, none before the one in front of it.
    needs : sequence of float, shape (jobs,)
        What each job holds while it is served.
    lengths : sequence of float, shape (jobs,)
        How long each job is served.
    B : float
        Resource.

    Returns
    -------
    array, shape (jobs,)
        Times of start, in the unit of `arrivals` and `lengths`.

    Raises
    ------
    ValueError
        If a job needs more than there is, arrivals are out of order, or the three sequences differ in length.

    Examples
    --------
    Of two servers one falls free at time 1, but the third job needs both: it waits until 3, and the last one with it.

    >>> start_times([0, 0, 0, 0], needs=[1, 1, 2, 1], lengths=[1, 3, 1, 1], B=2).tolist()
    [0.0, 0.0, 3.0, 4.0]
    """
    B = float(checks.positive("B", B, ndim=0))
    arrivals, needs, lengths = (
        checks.numbers("arrivals", arrivals),
        checks.positive("needs", needs),
        checks.positive("lengths", lengths),
    )
    if not len(arrivals) == len(needs) == len(lengths):
        raise ValueError(f"one entry a job, got {len(arrivals)}, {len(needs)} and {len(lengths)}")
    if needs.max(initial=0) > B * (1 + checks.FIT):
        raise ValueError(f"need {needs.max():g} exceeds resource {B:g}")
    if (np.diff(arrivals) < 0).any():
        raise ValueError("arrivals must be in order")
    starts, in_service, held, now = np.empty(len(arrivals)), [], 0.0, -np.inf
    for k, (arrival, need, length) in enumerate(zip(arrivals, needs, lengths, strict=True)):
        now = max(now, arrival)
        while in_service and (in_service[0][0] <= now or held + need > B * (1 + checks.FIT)):
            end, released = heapq.heappop(in_service)
            now = max(now, end)
            held = held - released if in_service else 0.0  # an empty resource holds nothing, whatever was rounded
        starts[k] = now
        held += need
        heapq.heappush(in_service, (now + length, need))
    return starts
