"""Functions of loops: compiled by numba, or plain Python where that is sooner done or numba is absent.

``@compiled()`` stands before each of them, and this module alone decides how it runs. Results are the same to the last
bit, which a test holds. numba is imported once something is compiled: its import takes most of a second.

**The rule.** Compiling takes seconds, once for a machine. As long as numba's cache does not have a function, it runs as
plain Python until its calls in this process have taken about as long as to compile it. How long a call takes, its
decorator says, in innermost steps of a loop; without that, the function is compiled at its first call.

**One signature.** Whole numbers go from one compiled function to another as 64 bits. What a run does not use is None
where a compiled function asks ``is None``: numba leaves out the branch, and compiles nothing that is called there.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

MANY_STEPS = 4e5  # that take as long in plain Python as to compile a function: some tenths of a second
_making = threading.RLock()
_plain_modules: dict[str, dict] = {}  # what each module knows, with plain functions in place of those in two forms


def compiler() -> Any:
    """Return numba, or None where it is absent or told not to compile."""
    try:
        import numba
    except ModuleNotFoundError as error:
        if error.name != "numba":
            raise
        return None
    return None if numba.config.DISABLE_JIT else numba


def plain(function: Callable) -> Callable:
    """Return a function that calls no compiled one, nor does what it calls."""
    name, known = function.__module__, function.__globals__
    with _making:
        if name not in _plain_modules:
            _plain_modules[name] = dict(known)
            _plain_modules[name] |= {key: plain(x.py_func) for key, x in known.items() if isinstance(x, Dual)}
    return FunctionType(function.__code__, _plain_modules[name], None, function.__defaults__, function.__closure__)


class Dual:
    """Hold a function in two forms, plain and compiled, and call it in that which is sooner done."""

    def __init__(self, function: Callable, steps: Callable | None, many: float, options: dict[str, Any]):
        functools.update_wrapper(self, function)
        self.py_func, self.steps, self.many, self._options = function, steps, many, options
        self._taken = 0.0
        self._compiled: Any = None

    def __call__(self, *args: Any) -> Any:
        """Return what the function returns."""
        run = self._compiled or self.form(np.inf if self.steps is None else self.steps(*args))
        return run(*args)

    def form(self, steps: float) -> Callable:
        """Return the form for a call of so many steps."""
        self._taken += steps
        return self.plain if self._taken <= self.many and not self._is_cached else self.dispatcher

    @functools.cached_property
    def plain(self) -> Callable:
        """The function in plain Python, without the warnings that compiled code does not give."""
        return np.errstate(all="ignore")(plain(self.py_func))

    @property
    def dispatcher(self) -> Any:
        """The function as numba compiles it; in plain Python where there is no numba."""
        with _making:
            if self._compiled is None:
                numba = compiler()
                if numba is None:
                    self._compiled = self.plain
                    return self.plain
                made = numba.njit(cache=True, nogil=True, **self._options)(self.py_func)
                made.get_call_template = functools.partial(_with_wide_numbers, made)
                self._compiled = made
            return self._compiled

    @property
    def _numba_type_(self):
        return self.dispatcher._numba_type_

    @functools.cached_property
    def _is_cached(self):
        """Whether numba's cache has the function, by the names of files: numba is not asked, nor imported."""
        code, folder = self.py_func.__code__, os.environ.get("NUMBA_CACHE_DIR")
        source, version = Path(code.co_filename), f"py{sys.version_info[0]}{sys.version_info[1]}"
        index = f"{source.stem}.{self.py_func.__qualname__}-{code.co_firstlineno}.{version}*.nbi"
        found = Path(folder).glob(f"*/{index}") if folder else (source.parent / "__pycache__").glob(index)
        return any(file.stat().st_mtime >= source.stat().st_mtime for file in found)


def _with_wide_numbers(dispatcher, args, kws):
    """Choose the signature for a call by compiled code, in which whole numbers have 64 bits and are no constants."""
    types = compiler().types
    wide = [types.int64 if x == types.int32 else x for x in map(types.unliteral, args)]
    return type(dispatcher).get_call_template(dispatcher, wide, kws)


def compiled(
    *, steps: Callable | None = None, many: float = MANY_STEPS, borrowing: bool = False, error_model: str = "python"
) -> Callable[[Callable], Any]:
    """Return a decorator: `steps` returns how many a call takes, from its arguments; `many` take as long as to compile.

    A function that is `borrowing` counts no references to the arrays that it is given, which would take longer than
    most of what small functions do. numba refuses to compile one that makes an array all the same.
    """
    # Nobody outside compiled code takes the functions by their addresses.
    options: dict[str, Any] = {"error_model": error_model, "no_cfunc_wrapper": True}
    options |= {"_nrt": False} if borrowing else {}
    return lambda function: Dual(function, steps, many, options)
