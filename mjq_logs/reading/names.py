"""Names of jobs: which of them name the same job, and which jobs of a file a log does not hold.

A scheduler has several names for a job. ``3000_[8-400%4]`` is an array of which task 8 is the next to start, ``123+1``
is a component of the job ``123+0``, and ``123.batch`` a step of ``123``. A log keeps of a name only what tells it from
others.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import polars as pl

FORMS = (
    (r"^(\d+(?:_\d+)?)\.(?:\d+|batch|extern|interactive)$", "${1}"),
    (r"^(\d+)_\[(\d+).*$", "${1}_${2}"),
    (r"^(\d+)\+\d+$", "${1}+0"),
)


class Unused(NamedTuple):
    """Hold which jobs of a file a log does not have, and why.

    Attributes
    ----------
    name : uint64 array, shape (n,)
        As :func:`hashed` returns it.
    reason : int array, shape (n,)
        Place among the reasons.
    reasons : tuple of str
    """

    name: np.ndarray
    reason: np.ndarray
    reasons: tuple[str, ...]


def of_one_job(name: pl.Expr) -> pl.Expr:
    """Return names, the same for each name of one job: of an array that waits, that of the next task.

    >>> names = pl.DataFrame({"x": ["3000_[8-400%4]", "3000_7", "123+1", "123.batch", " 7 ", "wl-1.2", "1.2.3"]})
    >>> names.select(of_one_job(pl.col("x"))).to_series().to_list()
    ['3000_8', '3000_7', '123+0', '123', '7', 'wl-1.2', '1.2.3']
    """
    name = name.str.strip_chars()
    for form, plain in FORMS:
        name = name.str.replace(form, plain)
    return name


def hashed(names: pl.Series | Iterable[str]) -> pl.Series:
    """Return what tells the jobs of these names apart, in this process.

    >>> same = hashed(["3000_8", "3000_[8-400%4]", "3000_9"])
    >>> bool(same[0] == same[1]), bool(same[0] == same[2])
    (True, False)
    """
    table = pl.DataFrame({"name": names}, schema={"name": pl.String})
    return table.select(of_one_job(pl.col("name")).hash()).to_series()
