"""numba, or what takes its place where it is absent: compiled functions then run as plain Python.

``from mjq._util.compiling import numba`` is what modules with compiled functions write.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

# How to compile a function that makes no arrays: it counts no references to those that it is given, which would take
# longer than most of what such functions do. numba refuses to compile one that makes an array all the same.
BORROWING: dict[str, Any] = {"cache": True, "_nrt": False}


def _njit(*functions: Callable, **options: Any) -> Callable:
    """Return a function as it is, or a decorator that does."""
    return functions[0] if functions else lambda function: function


if TYPE_CHECKING:
    import numba as numba
else:
    try:
        import numba
    except ModuleNotFoundError as error:
        if error.name != "numba":
            raise
        numba = SimpleNamespace(njit=_njit, config=SimpleNamespace(DISABLE_JIT=True), __version__="absent")
