"""What jobs need of several resources at once, and how large a machine is by each: arrays that are not one number.

Most answers from a log know one resource. They take :attr:`mjq_logs.Log.need` for an array with a number for each job,
and would answer by one resource alone, or by nonsense, if it were anything else. So of several resources the needs
are :class:`Vectors`: whoever uses them as an array gets an error that says what to do, and an answer that knows several
resources asks for :attr:`mjq_logs.Log.needs`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq._util.frozen import ReadOnly, frozen
from mjq._util.plain import brief
from mjq_logs.reading.text import as_count, as_number

UNITS = "cpus", "nodes", "gpus", "mem"
MEMORY = "mem"
GB = {"B": 2.0**-30, "K": 2.0**-20, "M": 2.0**-10, "G": 1.0, "T": 2.0**10, "P": 2.0**20}  # of 1024 MB each
AMOUNT = re.compile(r"([\d.,e+-]+)\s*([KMGTP]?)(?:i?B)?", re.IGNORECASE)
OF_MEMORY = re.compile(r"(B|[KMGT]i?B)(/cpu)?", re.IGNORECASE)


class Vectors(ReadOnly):
    """Hold numbers of several resources in a row for each job, or for a machine, that nobody takes for one number.

    Parameters
    ----------
    values : sequence of float, shape (J, d) or (d,)
        Not negative.
    resources : sequence of str, length d
        Their names.

    Raises
    ------
    ValueError
        If a number is negative or not finite, or there are fewer than two resources, or others than are named.

    Examples
    --------
    >>> need = Vectors([(4, 8), (1, 0)], ("cpus", "mem"))
    >>> len(need), need[[1]].values.tolist()
    (2, [[1.0, 0.0]])
    >>> need * 2
    Traceback (most recent call last):
    ValueError: this log counts several resources, cpus and mem, and this answer knows one only: read the log with one \
of them, such as --unit cpus
    """

    def __init__(self, values: ArrayLike, resources: Sequence[str]) -> None:
        values = np.asarray(values, dtype=float)
        self.resources = tuple(resources)
        if values.ndim not in (1, 2) or values.shape[-1] != len(self.resources) or len(set(resources)) < 2:
            raise ValueError(
                f"several resources must be two or more, each with a number, got {', '.join(self.resources)} and "
                f"numbers of shape {values.shape}"
            )
        for name, column in zip(self.resources, np.atleast_2d(values).T, strict=True):
            checks.not_negative(name, column)
        self.values = frozen(values)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, which: Any) -> Self:
        return type(self)(self.values[which], self.resources)

    def refuse(self, *_: Any, **__: Any) -> NoReturn:
        """Raise ``ValueError``: who calls this knows one resource only."""
        _refuse("this log counts", self.resources)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("values", "resources"):
            raise AttributeError(name)
        self.refuse()

    __array__ = __array_ufunc__ = __iter__ = __float__ = __bool__ = __format__ = __str__ = refuse
    __add__ = __mul__ = __matmul__ = __truediv__ = __radd__ = __rmul__ = __rmatmul__ = __rtruediv__ = refuse
    __lt__ = __le__ = __gt__ = __ge__ = __neg__ = __abs__ = refuse

    def __repr__(self) -> str:
        return f"Vectors({self.values!r}, {self.resources!r})"


def joined(columns: Sequence[Any]) -> Any:
    """Return columns one after the other: arrays, or needs of several resources; None where one is None.

    >>> joined([Vectors([(4, 8)], ("cpus", "mem")), Vectors([(1, 0)], ("cpus", "mem"))]).values.tolist()
    [[4.0, 8.0], [1.0, 0.0]]
    """
    if any(column is None for column in columns):
        return None
    values = np.concatenate([plain(column) for column in columns])
    return Vectors(values, columns[0].resources) if isinstance(columns[0], Vectors) else values


def plain(column: Any) -> np.ndarray:
    """Return a column as an array: numbers as they are, needs of several resources as rows.

    >>> plain(np.array([1.0, 2.0])).tolist(), plain(Vectors([(4, 8)], ("cpus", "mem"))).tolist()
    ([1.0, 2.0], [[4.0, 8.0]])
    """
    return column.values if isinstance(column, Vectors) else column


def _refuse(what: str, resources: Sequence[str]) -> NoReturn:
    several = f"{', '.join(resources[:-1])} and {resources[-1]}"
    raise ValueError(
        f"{what} several resources, {several}, and this answer knows one only: read the log with one of them, such as "
        f"--unit {resources[0]}"
    )


def one_unit(unit: str | None) -> None:
    """Raise ``ValueError`` if several resources are named, or one that is not known."""
    units = units_of(unit)
    if len(units) > 1:
        _refuse("--unit names", units)


def units_of(unit: str | None) -> tuple[str, ...]:
    """Return the resources that are counted, by their names between commas; none for None.

    ``ValueError`` if one is none of cpus, nodes, gpus and mem, or occurs twice.

    >>> units_of("cpus,mem"), units_of(None)
    (('cpus', 'mem'), ())
    """
    units = () if unit is None else tuple(word.strip() for word in unit.split(","))
    if not set(units) <= set(UNITS):
        raise ValueError(
            f"unit must be one of {', '.join(UNITS)}, or several of them between commas; got {brief(unit)}"
        )
    if len(set(units)) < len(units):
        raise ValueError(f"a unit is named twice: {unit}")
    return units


def memory_unit(text: str) -> tuple[float, bool]:
    """Return the GB in a unit of memory, such as MB or KB/cpu, and whether it counts for each processor.

    >>> memory_unit("MB"), memory_unit("GB/cpu")
    ((0.0009765625, False), (1.0, True))
    """
    match = OF_MEMORY.fullmatch(text.strip())
    if match is None:
        raise ValueError(
            f"memory must be B, KB, MB, GB or TB, or one of them with /cpu, such as KB/cpu; got {brief(text)}"
        )
    return GB[match[1][0].upper()], match[2] is not None


def size_of(text: str, unit: str | None = None) -> float | None:
    """Return a size of a machine that a user writes, memory in GB or with a suffix; None if it is no positive number.

    >>> size_of("1,024"), size_of("1.5TB", "mem"), size_of("1.5TB", "cpus"), size_of("0")
    (1024.0, 1536.0, None, None)
    """
    times = 1.0
    if unit == MEMORY and (match := AMOUNT.fullmatch(text.strip())):
        text, times = match[1], GB[match[2].upper() or "G"]
    number = (as_number(text) or as_count(text) or 0.0) * times
    return number if number > 0 else None
