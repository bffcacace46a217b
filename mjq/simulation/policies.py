"""Queueing policies: which waiting job starts next.

A policy is a number, so that the compiled event loop can be told which one to follow. To add one, give it a name here
and a branch in :func:`next_to_start`; the event loop asks after every event, until nobody else may start.
"""

import numba

FCFS = 0

POLICIES = {"fcfs": FCFS}


def policy_number(name):
    """The number of a policy.

    >>> policy_number("lifo")
    Traceback (most recent call last):
    ValueError: policy must be one of fcfs; got 'lifo'
    """
    if name not in POLICIES:
        raise ValueError(f"policy must be one of {', '.join(POLICIES)}; got {name!r}")
    return POLICIES[name]


@numba.njit(cache=True, inline="always")
def next_to_start(policy, classes, head, length, needs, free):
    """Position behind the head of the line of the job that starts now, or -1.

    `classes` is a circular buffer whose first of `length` waiting jobs is at `head`; `free` is the free resource, with
    the tolerance for rounding added.
    """
    if length and policy == FCFS and needs[classes[head]] <= free:
        return 0
    return -1
