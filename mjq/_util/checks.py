"""Checks of what models, solvers and simulators are given, with one error message for each constraint.

Each function returns its argument as an array of floats, or raises a ``ValueError`` that names the violated constraint
and the values.
"""

from __future__ import annotations

import ast
import contextlib
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mjq._util.plain import brief, nearest

MIX_TOLERANCE = 1e-9  # by which probabilities may miss the sum 1
MIX_ROUNDED = 0.002 + MIX_TOLERANCE  # the same for a mix, whose shares may be given in three decimals
FIT_TOLERANCE = 1e-9  # part of the resource by which a job may exceed what is free: needs are decimals
SMALLEST_SIZE, LARGEST_SIZE = 1e-100, 1e100  # of rates, times and needs: products stay in the range of floating point
LARGEST_RATE_RATIO = 1e100  # for the same reason
LARGEST_COUNT = 2**53  # that a float holds exactly
FEW_NUMBERS = 32  # that Python compares sooner than numpy does
MOST_SHOWN = 8  # of many values, in a message


class TooLarge(ValueError):
    """Say that what is asked for is right and would take too much time or memory: another way may do."""


class TooShort(ValueError):
    """Say that a log does not tell what is asked: it has too few jobs, or none that ran."""


def shown(values: ArrayLike) -> str:
    """Write numbers the way a person would, for an error message; of many, the first few and how many there are.

    >>> shown([0.5, 2.0])
    '(0.5, 2)'
    >>> shown(3.0)
    '3'
    >>> shown(range(1000))
    '(0, 1, 2, 3, 4, 5, 6, 7, …; 1000 in all)'
    """
    values = np.asarray(values)
    if values.ndim == 0:
        return f"{values:.10g}"
    more = f", …; {len(values)} in all" if len(values) > MOST_SHOWN else ""
    return "(" + ", ".join(shown(v) for v in values[:MOST_SHOWN]) + more + ")"


def numbers(name: str, values: ArrayLike, ndim: int = 1) -> np.ndarray:
    """Return finite real numbers with `ndim` axes."""
    # Most are plain: no need to ask further.
    if ndim == 0 and isinstance(values, (int, float, np.int64)) and not isinstance(values, bool):
        if -LARGEST_SIZE <= values <= LARGEST_SIZE:
            return np.array(values, dtype=float)
    try:
        given = np.asarray(values)
        kind = given.dtype.kind
        if kind not in "iufO" or (
            kind == "O" and any(x is None or isinstance(x, (str, bool)) for x in np.ravel(values))
        ):
            raise TypeError
        array = given.astype(float, copy=False)
    except OverflowError:
        raise ValueError(f"{name} must be at most {sys.float_info.max:.2g} in size, got {brief(values)}") from None
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be {'numbers' if ndim else 'a number'}, got {brief(values)}") from None
    if array.ndim != ndim:
        shape = {0: "one number", 1: "a plain sequence of numbers"}.get(ndim, f"an array with {ndim} axes")
        raise ValueError(f"{name} must be {shape}, got {brief(values)}")
    if not _all_within(array, -sys.float_info.max, sys.float_info.max):
        raise ValueError(f"{name} must be {'finite numbers' if ndim else 'a finite number'}, got {shown(array)}")
    return array


def _all_within(array, low, high):
    """Return whether all numbers lie between two others; of few numbers, Python knows it sooner than numpy."""
    if array.size <= FEW_NUMBERS:
        for x in array.ravel().tolist():  # in a loop, which takes half the time of all()
            if not low <= x <= high:
                return False
        return True
    return bool(low <= array.min() and array.max() <= high)


def positive(name: str, values: ArrayLike, ndim: int = 1) -> np.ndarray:
    """Return numbers above zero, such as rates, times and sizes, if they are neither tiny nor huge.

    >>> positive("lam", 1e-320, ndim=0)
    Traceback (most recent call last):
    ValueError: lam must lie between 1e-100 and 1e+100, got 9.999888672e-321: choose another unit
    """
    array = numbers(name, values, ndim)
    if not array.size:
        raise ValueError(f"{name} must have at least one number, got {shown(array)}")
    if not _all_within(array, SMALLEST_SIZE, LARGEST_SIZE):
        if not (array > 0).all():
            raise ValueError(f"{name} must be positive, got {shown(array)}")
        _in_range(name, array)
    return array


def _in_range(name, array):
    if array.size and (array[array != 0].min(initial=1) < SMALLEST_SIZE or array.max() > LARGEST_SIZE):
        raise ValueError(
            f"{name} must lie between {SMALLEST_SIZE:g} and {LARGEST_SIZE:g}, got {shown(array)}: choose another unit"
        )


def not_negative(name: str, values: ArrayLike, ndim: int = 1) -> np.ndarray:
    """Return finite numbers that are at least zero."""
    array = numbers(name, values, ndim)
    if (array < 0).any():
        raise ValueError(f"{name} must not be negative, got {shown(array)}")
    _in_range(name, array)
    return array


def probabilities(name: str, values: ArrayLike, within: float = MIX_TOLERANCE) -> np.ndarray:
    """Return numbers in [0, 1] that sum to one, scaled if they miss it by what is allowed.

    >>> probabilities("mix", (.333, .333, .333), within=MIX_ROUNDED).round(9).tolist()
    [0.333333333, 0.333333333, 0.333333333]
    """
    array = numbers(name, values)
    if not _all_within(array, 0, np.inf):
        raise ValueError(f"{name} must lie between 0 and 1, got {shown(array)}")
    total = array.sum()
    if abs(total - 1) > within:
        raise ValueError(f"{name} must sum to 1, got {shown(array)} with sum {shown(total)}")
    return array / total


def share(name: str, value: float) -> float:
    """Return a number in [0, 1]."""
    number = float(numbers(name, value, ndim=0))
    if not 0 <= number <= 1:
        raise ValueError(f"{name} must lie between 0 and 1, got {shown(number)}")
    return number


def repeated(order: ArrayLike) -> float:
    """Return the probability that a job is like the one before it.

    >>> repeated(1)
    Traceback (most recent call last):
    ValueError: order must be below 1, got 1: all jobs would be of one class
    """
    number = float(numbers("order", order, ndim=0))
    if number < 0:
        raise ValueError(f"order must not be negative, got {shown(number)}")
    if not number < 1:
        raise ValueError(f"order must be below 1, got {shown(number)}: all jobs would be of one class")
    return number


def inside(name: str, value: float, low: float, high: float = np.inf) -> float:
    """Return a number strictly between two others.

    >>> inside("load", 1, 0, 1)
    Traceback (most recent call last):
    ValueError: load must be above 0 and below 1, got 1
    """
    number = float(numbers(name, value, ndim=0))
    if not low < number < high:
        below = f" and below {shown(high)}" if high < np.inf else ""
        raise ValueError(f"{name} must be above {shown(low)}{below}, got {shown(number)}")
    return number


def count(name: str, value: float, least: int = 1, most: int = LARGEST_COUNT) -> int:
    """Return a whole number from `least` to `most`, as Python's own kind of integer.

    >>> count("jobs", 2.5)
    Traceback (most recent call last):
    ValueError: jobs must be a whole number of at least 1, got 2.5
    """
    number = float(numbers(name, value, ndim=0))
    if not number.is_integer() or number < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {shown(number)}")
    if number > most:
        raise ValueError(f"{name} must be at most {most}, got {shown(number)}")
    return int(number)


def counts(name: str, values: ArrayLike, least: int = 1) -> np.ndarray:
    """Return whole numbers that are at least `least`, as an array of integers.

    >>> counts("sizes", (1, 2.5))
    Traceback (most recent call last):
    ValueError: each of sizes must be a whole number of at least 1, got 2.5
    """
    array = numbers(name, values)
    for wrong in array[(array % 1 != 0) | (array < least) | (array > LARGEST_COUNT)]:
        count(f"each of {name}", wrong, least)  # says what
    return array.astype(np.int64)


def affordable(name: str, size: float, most: float, unit: str) -> None:
    """Raise :class:`TooLarge` before work begins that would take hours.

    >>> affordable("N_A = 1000000000", 5e14, 1e12, "states")
    Traceback (most recent call last):
    mjq._util.checks.TooLarge: N_A = 1000000000 would take 5e+14 states, more than 1e+12
    """
    if size > most:
        raise TooLarge(f"{name} would take {float(size):.3g} {unit}, more than {most:.3g}")


def fits(need: Any, free: Any, resource: Any) -> Any:
    """Return whether a need is at most what is free of each resource; without them, it may exceed that by 1e-9 of them.

    This is what *fits* means in the whole library. The last axis of an array is that of the resources.

    >>> fits(0.1, 0.3 - 0.2, 1.0), bool(fits(np.array([1, 4]), np.array([2, 3]), np.array([2, 4])))
    (True, False)
    """
    enough = need <= free + FIT_TOLERANCE * resource
    return enough.all(axis=-1) if isinstance(resource, np.ndarray) and resource.ndim else enough


def resources(names: Sequence[str], B: Any, b: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the sizes of several resources, shape (d,), and what a job of each class holds of them, shape (L, d)."""
    B = positive(names[0], B)
    rows: Any
    if isinstance(b, np.ndarray) and b.ndim == 2:  # at once, as there may be many jobs
        rows = not_negative(f"each of {names[1]}", b, ndim=2)
    else:
        try:
            rows = [not_negative(f"each of {names[1]}", need) for need in b]
        except TypeError:
            raise ValueError(f"{names[1]} must be a sequence of needs, got {brief(b)}") from None
    if not len(B):
        raise ValueError(f"{names[0]} must be at least one resource, got none")
    for need in rows[:1] if isinstance(rows, np.ndarray) else rows:
        if len(need) != len(B):
            raise ValueError(f"each need must have an entry for each of {len(B)} resources, got {shown(need)}")
    held = np.array(rows).reshape(len(rows), len(B))
    if (nothing := ~held.any(axis=1)).any():
        raise ValueError(f"each job must need something, but {names[1]} has the need {shown(held[nothing][0])}")
    return B, held


def multiserver(
    B: Any,
    b: ArrayLike,
    mu: ArrayLike,
    p: ArrayLike,
    names: Sequence[str] = ("B", "b", "mu", "p"),
    several: bool = False,
    whole: str = "resource",
) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray]:
    """Return the resource, needs, rates and mix of a multiserver job system, as floats and arrays.

    Where `several` resources are known, the resource may be a sequence of them, shape (d,), and is then an array; needs
    have the shape (L, d). The resource is called `whole`, or servers where its name is that.

    >>> multiserver((6, 4), [(2, 1), (1, 7)], (1, 1), (.5, .5), several=True)
    Traceback (most recent call last):
    ValueError: need (1, 7) exceeds resource (6, 4)
    """
    if several and not isinstance(B, (int, float)) and np.ndim(B):
        B, b = resources(names, B, b)
    else:
        B, b = float(positive(names[0], B, ndim=0)), positive(names[1], b)
    mu = positive(names[2], mu)
    p = probabilities(names[3], p, within=MIX_ROUNDED)
    if not len(b) == len(mu) == len(p):
        which = "{1}, {2} and {3}".format(*names)
        raise ValueError(f"{which} must have one entry for each class, got {len(b)}, {len(mu)} and {len(p)}")
    if not fits(b.max(axis=0), B, B) and len(too_large := b[(p > 0) & ~fits(b, B, B)]):
        there = f"the {shown(B)} servers" if names[0] == "servers" else f"{whole} {shown(B)}"
        raise ValueError(f"need {shown(too_large[0] if b.ndim > 1 else too_large.max())} exceeds {there}")
    if max(rates := mu.tolist()) > LARGEST_RATE_RATIO * min(rates):
        raise ValueError(f"{names[2]} must lie within a factor {LARGEST_RATE_RATIO:g} of each other, got {shown(mu)}")
    return B, b, mu, p


def effort(seed: int, **counts: tuple[int, int]) -> None:
    """Check the parameters that say how much a chapter computes: a seed, and whole numbers with their minima.

    >>> effort(1, jobs=(500, 1000))
    Traceback (most recent call last):
    ValueError: jobs must be a whole number of at least 1000, got 500
    """
    count("seed", seed, least=0)
    for name, (value, least) in counts.items():
        count(name, value, least)


def parameter_names() -> None:
    """Refuse what papermill has put into a notebook under a name that is no parameter; papermill itself only warns.

    A chapter calls this in its cell of checks. Its parameters are the names that its cells annotate with a type before
    that. Outside of a kernel, and where nothing was put in, nothing is refused.

    Raises
    ------
    ValueError
        With the name, and the nearest parameters.
    """
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    cells = getattr(shell, "user_ns", {}).get("In", [])
    put_in = [cell for cell in cells if cell.startswith("# Parameters\n")]
    known: list[str] = []  # read from the cells, as Python 3.14 keeps no annotations of a kernel's names
    for cell in cells if put_in else ():
        with contextlib.suppress(SyntaxError):  # of a cell that somebody tried
            known += [ast.unparse(x.target) for x in ast.parse(cell).body if isinstance(x, ast.AnnAssign)]
    for node in ast.walk(ast.parse(put_in[-1] if put_in else "")):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id not in known:
            raise ValueError(f"there is no parameter {node.id!r}; {nearest(node.id, known)}")
