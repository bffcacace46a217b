"""What the sentences of several answers share: times, shares, sizes and names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from mjq_logs.answers import Amount

RULES = {"fcfs": "first come, first served", "easy": "EASY"}
ESTIMATES = {
    "naive": "naive",
    "exponential": "exponential classes",
    "independent": "independent jobs",
    "own_order": "own order",
}
NAMES = {"cpus": "CPUs", "gpus": "GPUs", "mem": "memory"}  # of resources, in sentences
MEASURED = NAMES | {"mem": "GB of memory"}
SINGLE = {"cpus": "CPU", "gpus": "GPU", "nodes": "node"}  # where there is one
UNITS = {"h": 1.0, "min": 60.0, "s": 3600.0}  # in an hour
LARGE = 1e6  # from which on a number is written with an exponent


def name_of(resource: str) -> str:
    """Return the name of a resource in a sentence."""
    return NAMES.get(resource, resource)


def time_in_words(hours: float) -> str:
    """Return a time in the largest unit of which it is one or more.

    >>> time_in_words(2), time_in_words(-0.5), time_in_words(0.0), time_in_words(1366.4)
    ('2 h', '-30 min', '0 s', '1366 h')
    """
    unit = next((unit for unit, number in UNITS.items() if abs(hours) * number >= 1), "s")
    number = hours * UNITS[unit]
    return f"{number:.0f} {unit}" if 1000 <= abs(number) < LARGE else f"{number:.3g} {unit}"


def amount_of(size: ArrayLike, resources: Sequence[str] = ()) -> Amount:
    """Return the size of a machine, or what a job needs, as an answer has it: a number, or one for each resource.

    >>> amount_of(8.0), amount_of([8.0]), amount_of([4, 16], ["cpus", "mem"])
    (8.0, 8.0, {'cpus': 4.0, 'mem': 16.0})
    """
    sizes = np.ravel(size).astype(float).tolist()
    return dict(zip(resources, sizes, strict=True)) if resources else sizes[0]


def amount_in_words(amount: Amount) -> str:
    """Return how large a machine is, or what a job needs; of what there is nothing of, nothing is said.

    >>> amount_in_words(1.0), amount_in_words({"cpus": 1.0, "mem": 12.5, "gpus": 0.0})
    ('1 server', '1 CPU and 12.5 GB of memory')
    """
    if not isinstance(amount, dict):
        return f"{amount:g} server{'s' * (amount != 1)}"
    parts = [f"{size:g} {_measured(name, size)}" for name, size in amount.items() if size]
    return listed(parts) if parts else "nothing"


def _measured(name, size):
    many = MEASURED.get(name, name)
    return SINGLE.get(name, many) if size == 1 else many


def listed(words: Iterable[str]) -> str:
    """Return words between commas, with an and before the last.

    >>> listed(["cpus"]), listed(["cpus", "gpus", "mem"])
    ('cpus', 'cpus, gpus and mem')
    """
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def percent(share: float, decimals: int = 1) -> str:
    """Return a share in percent.

    >>> percent(0.5881)
    '58.8 %'
    """
    return f"{100 * share:.{decimals}f} %"
