"""Progress bars, drawn by tqdm where it is installed."""

import sys
from contextlib import suppress
from typing import Any, Self

__all__ = ["Bar"]


class Bar:
    """A progress bar: a context. Where tqdm is not installed, none is drawn, and nothing else is different.

    Parameters
    ----------
    what : str
        What is counted.
    total : int
    progress : bool, optional
        Draw it; by default on a terminal.
    done : int
        How much was done before.
    delay : float
        What takes less has no bar [seconds].
    unit : str
        Of the speed.
    """

    def __init__(
        self, what: str, total: int, progress: bool | None = None, done: int = 0, delay: float = 0, unit: str = "it"
    ):
        self._drawn = None
        if _on_a_terminal() if progress is None else progress:
            with suppress(ModuleNotFoundError):
                from tqdm import tqdm

                self._drawn = tqdm(desc=what, total=total, initial=done, delay=delay, unit=unit)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        if self._drawn is not None:
            self._drawn.close()

    def expect(self, count: int) -> None:
        """So many more are to be done than was known."""
        if self._drawn is not None:
            self._drawn.total += count

    def update(self, count: int = 1) -> None:
        """So many more are done."""
        if self._drawn is not None:
            self._drawn.update(count)


def _on_a_terminal():
    return sys.stderr is not None and sys.stderr.isatty()
