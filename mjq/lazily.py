"""Modules and names of a package that are imported when they are used: a start loads, and compiles, nothing else."""

import importlib
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

__all__ = ["attach"]


def attach(
    package: str, submodules: Iterable[str] = (), names: Mapping[str, Iterable[str]] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """What a package calls ``__getattr__``, ``__dir__`` and ``__all__``, to import what it hands on when it is used.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    submodules : iterable of str
        Modules that it hands on.
    names : mapping of str to iterable of str, optional
        Module to the names that the package takes from it.

    Returns
    -------
    tuple
        The three. The package may add further names to the last one, or have an ``__all__`` of its own; the second one
        gives what is there in the end.

    Raises
    ------
    ValueError
        If a name is that of its own module, which would hide it once imported, or is given twice.

    Examples
    --------
    >>> find, _, public = attach("mjq.solvers", submodules=["qbd"], names={"chain": ["stationary"]})
    >>> public, find("qbd").__name__, find("stationary").__module__
    (['qbd', 'stationary'], 'mjq.solvers.qbd', 'mjq.solvers.chain')
    """
    source = {}  # of each public name: the module to import, and what to take from it, if not itself
    given = [(f"{package}.{name}", name, None) for name in submodules]
    given += [(f"{package}.{module}", name, name) for module, several in (names or {}).items() for name in several]
    for module, name, attribute in given:
        if name in source or (attribute and module == f"{package}.{name}"):
            raise ValueError(f"{package} hands on {name} twice, or beside a module of this name")
        source[name] = module, attribute

    def __getattr__(name: str) -> Any:
        if name not in source:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, attribute = source[name]
        # Python's lock of the module lets threads wait until it is complete.
        found = importlib.import_module(module)
        if attribute:
            found = getattr(found, attribute)
            setattr(sys.modules[package], name, found)  # next time without us; Python does so for modules
        return found

    def __dir__() -> list[str]:
        return sorted(sys.modules[package].__all__)

    return __getattr__, __dir__, sorted(source)
