"""What a process is doing, for whoever shows it, and whether it has heard that it should stop.

Long work says what it is and how far it has come; a command that runs for more than some seconds shows it
(:mod:`mjq_logs.cli.alive`), and nobody else need care.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

heard = threading.Event()  # set once a signal that asks the process to stop has been answered


class Work(NamedTuple):
    """Say what is being done, and how to ask which share of it is done, if anybody knows."""

    what: str
    share: Callable[[], float] | None = None


_now: list[Work] = []


@contextmanager
def working(what: str, share: Callable[[], float] | None = None) -> Iterator[None]:
    """Say what is being done in the context.

    Parameters
    ----------
    what : str
    share : callable, optional
        Returns the share that is done, between 0 and 1; it is called from another thread.

    Examples
    --------
    >>> with working("replay", lambda: 0.5):
    ...     print(current().what, current().share())
    replay 0.5
    >>> current() is None
    True
    """
    work = Work(what, share)
    _now.append(work)
    try:
        yield
    finally:
        _now.remove(work)


def current() -> Work | None:
    """Return the innermost work, or None."""
    last = _now[-1:]  # in one step, for the thread that asks is not the one that works
    return last[0] if last else None
