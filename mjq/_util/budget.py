"""A budget of seconds for whatever may take hours: iterations ask whether they are still in time."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["NotInTime", "require_time", "within"]

_budget: ContextVar[tuple[float, float]] = ContextVar("budget", default=(math.inf, math.inf))  # its end and its size


class NotInTime(RuntimeError):
    """Say that a computation was given up because its budget was used up."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Give what is computed in the context, in this thread, so many seconds of the processor's time.

    They are seconds of the thread: what else the machine does takes nothing away from them.

    Parameters
    ----------
    seconds : float

    Raises
    ------
    NotInTime
        At the first step that is not in time. Steps that never ask, by :func:`require_time`, are not ended.

    Examples
    --------
    >>> with within(60):
    ...     require_time()
    >>> with within(0):
    ...     require_time()
    Traceback (most recent call last):
    mjq._util.budget.NotInTime: the budget of 0 s is used up
    """
    token = _budget.set(min(_budget.get(), (time.thread_time() + seconds, seconds)))  # the shorter one counts
    try:
        yield
    finally:
        _budget.reset(token)


def require_time() -> None:
    """Raise :class:`NotInTime` if the budget, where there is one, is used up."""
    end, seconds = _budget.get()
    if end < math.inf and time.thread_time() >= end:
        raise NotInTime(f"the budget of {seconds:g} s is used up")
