"""A budget of seconds for whatever may take hours: iterations ask whether they are still in time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass
class _Budget:
    end: float  # by the clock of the thread
    seconds: float


_budget: ContextVar[_Budget | None] = ContextVar("budget", default=None)


class NotInTime(RuntimeError):
    """Say that a computation was given up because its budget was used up."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Give what is computed in the context, in this thread, so many seconds of the processor's time.

    They are seconds of the thread, and of those that work for it: what else the machine does takes nothing away.

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
    mine, outer = _Budget(time.thread_time() + seconds, seconds), _budget.get()
    token = _budget.set(mine if outer is None or mine.end < outer.end else outer)
    try:
        yield
    finally:
        _budget.reset(token)


def require_time() -> None:
    """Raise :class:`NotInTime` if the budget, where there is one, is used up."""
    budget = _budget.get()
    if budget is not None and time.thread_time() >= budget.end:
        raise NotInTime(f"the budget of {budget.seconds:g} s is used up")


def spent(seconds: float) -> None:
    """Take from the budget, where there is one, what other threads have computed for this one."""
    budget = _budget.get()
    if budget is not None:
        budget.end -= seconds
