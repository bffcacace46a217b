"""Arrays of Slurm: how many tasks the name of one stands for, such as ``3000_[1-9:2,20%4]``."""

from __future__ import annotations

import re
from typing import NamedTuple

ARRAY = re.compile(r"\d+_\[([^\]%]*)(?:%(\d+))?\]?")
MOST_TASKS = 4_000_001  # the largest array that Slurm can be told to take
RANGE = re.compile(r"(\d+)(?:-(\d+)(?::(\d+))?)?")


class Tasks(NamedTuple):
    """Hold how many tasks there are, how many may run at once (0: all), and whether the list of them was cut."""

    number: int
    at_once: int
    cut: bool


def tasks_of(name: str) -> Tasks | None:
    """Return what the name of a job says of the tasks of its array; None if it is no list of them that can be read.

    >>> tasks_of("3000_[1-400%400]"), tasks_of("7_[1,3,5-9,20-40:10]")
    (Tasks(number=400, at_once=400, cut=False), Tasks(number=10, at_once=0, cut=False))
    >>> tasks_of("7_[1-3,5,...]"), tasks_of("7_12"), tasks_of("7")
    (Tasks(number=4, at_once=0, cut=True), None, None)
    >>> tasks_of("7_[1-99999999999]") is None
    True
    """
    match = ARRAY.fullmatch(name)
    if match is None:
        return None
    parts, count, cut = match[1].split(","), 0, False
    for part in parts:
        span = RANGE.fullmatch(part.strip())
        if span is None:
            if not part.strip().startswith("..."):
                return None
            cut = True
            continue
        first, last, step = int(span[1]), int(span[2] or span[1]), int(span[3] or 1)
        if last < first or step < 1:
            return None
        count += (last - first) // step + 1
    return Tasks(count, int(match[2] or 0), cut) if 0 < count <= MOST_TASKS else None
