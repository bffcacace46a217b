"""Machines of many sizes, smaller and larger, each of which is named by one number.

With one resource the number is that of the servers. With several, a machine is made larger along a line: by one
resource while the others stay as they are, or by several in step. The number is then how much there is of the first
resource that becomes more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq_logs.answers import Amount
from mjq_logs.reading.log import Log
from mjq_logs.words import amount_of

SIZES = 10  # that are tried at first
SMALLEST, LARGEST = 0.75, 2.0  # of them, as multiples of the machine of the log
NODE_ROUNDING = 1e-9  # of a number of nodes


@dataclass(frozen=True, eq=False)
class Machines:
    """Hold machines of several sizes, and those between them on straight lines.

    Attributes
    ----------
    resources : tuple of str
        None of them for one resource.
    corners : float array, shape (n,) or (n, d)
        The sizes, from the smallest to the largest.
    lead : int
        Which of the resources has the number that names a machine.

    Examples
    --------
    From 8 CPUs and 16 GB, to 16 CPUs and 32 GB: in step.

    >>> machines = Machines(("cpus", "mem"), np.array([(8.0, 16.0), (16.0, 32.0)]), 0)
    >>> machines.numbers, machines(10), machines.amount(10), machines.varies
    ([8.0, 16.0], (10.0, 20.0), {'cpus': 10.0, 'mem': 20.0}, ('cpus', 'mem'))
    """

    resources: tuple[str, ...]
    corners: np.ndarray
    lead: int = 0

    @classmethod
    def of(cls, log: Log, sizes: ArrayLike) -> Self:
        """Return the machines of these sizes, on which a log is to be replayed.

        Raises
        ------
        ValueError
            If a size is not positive, has another length than there are resources, or one has more of some resource
            and less of another one than the next.
        """
        if not log.resources:
            return cls((), np.unique(checks.positive("sizes", sizes)))
        corners = np.unique(checks.positive("sizes", sizes, ndim=2), axis=0)
        if corners.shape[1] != len(log.resources):
            raise ValueError(
                f"each size must have a number for each of {', '.join(log.resources)}, got {checks.shown(corners[0])}"
            )
        more = np.diff(corners, axis=0)
        leads = np.flatnonzero((more > 0).all(axis=0))
        if (more < 0).any() or not len(leads):
            raise ValueError(
                f"sizes must become larger one after the other, by one resource or by several in step, got "
                f"{' and '.join(checks.shown(size) for size in corners[:3])}"
            )
        return cls(log.resources, corners, int(leads[0]))

    @property
    def numbers(self) -> list[float]:
        """Return the numbers of these sizes."""
        return (self.corners[:, self.lead] if self.resources else self.corners).tolist()

    @property
    def varies(self) -> tuple[str, ...]:
        """Return the resources of which larger machines have more, that with the number first."""
        if not self.resources:
            return ()
        more = self.corners[-1] > self.corners[0]
        lead = self.resources[self.lead]
        return (lead, *(name for name, x in zip(self.resources, more, strict=True) if x and name != lead))

    def __call__(self, number: float) -> Any:
        """Return the machine of this number, as replays take it: the number itself, or how much of each resource."""
        if not self.resources:
            return number
        numbers = self.corners[:, self.lead]
        return tuple(float(np.interp(number, numbers, column)) for column in self.corners.T)

    def policy(self, name: str, number: float) -> str:
        """Return the policy of this name, which is the same on a machine of any number."""
        return name

    def amount(self, number: float) -> Amount:
        """Return the machine of this number, as an answer has it."""
        return amount_of(self(number), self.resources)


def sizes_between(
    log: Log, low: ArrayLike | None = None, high: ArrayLike | None = None, count: int = SIZES, node: float = 1.0
) -> list[Any]:
    """Return sizes from `low` to `high`, whole nodes apart, with that of the log if it lies between.

    By default from three quarters of the machine of the log, or from what its largest need takes, to twice this
    machine.

    Parameters
    ----------
    log : Log
    low, high : float, or sequence of float, shape (d,), optional
        Of several resources, how much of each: those that differ become more in step.
    count : int
    node : float
        Of several resources, of the first one that differs; by default, of the first.

    Returns
    -------
    list of float, or of tuples of float

    Examples
    --------
    >>> from mjq_logs import Log
    >>> log = Log(need=np.array([1., 5.]), run=np.ones(2), servers=6)
    >>> sizes_between(log), sizes_between(log, 8, 20, count=3, node=4)
    ([5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0], [8.0, 16.0, 20.0])

    More memory for the same CPUs, and all in proportion:

    >>> from mjq_logs import Vectors
    >>> log = Log(need=Vectors([(1, 2), (2, 8)], ("cpus", "mem")), run=np.ones(2), servers=(4, 16))
    >>> sizes_between(log, (4, 16), (4, 32), count=3), sizes_between(log, count=3)
    ([(4.0, 16.0), (4.0, 24.0), (4.0, 32.0)], [(3.0, 12.0), (4.0, 16.0), (5.0, 20.0), (8.0, 32.0)])
    """
    if low is None or high is None:
        least, most = _around(log)
        low, high = (least if low is None else low), (most if high is None else high)
    first, last = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    if not ((first > 0).all() and (first <= last).all()):
        raise ValueError(f"sizes must be positive and must rise, got {checks.shown(low)} to {checks.shown(high)}")
    line = Machines.of(log, np.stack([first, last]))
    begin, end = line.numbers[0], line.numbers[-1]
    steps = np.unique(np.round(np.linspace(0, np.floor((end - begin) / node + NODE_ROUNDING), count)))
    numbers = {float(begin + node * k) for k in steps}
    if log.servers is not None:
        own = float(np.atleast_1d(log.machine())[line.lead])
        if begin <= own <= end and np.allclose(line(own), log.machine(), rtol=checks.FIT_TOLERANCE, atol=0):
            numbers.add(own)
    return [line(number) for number in sorted(numbers)]


def _around(log):
    """Return the smallest and the largest machine that are tried if nobody says more."""
    machine = log.machine()
    if not log.resources:
        low = np.ceil(max(SMALLEST * machine, log.need.max()))
        return low, max(LARGEST * machine, low)
    least = max(SMALLEST, *(log.needs.max(axis=0) / machine)) * machine[0]
    low = np.ceil(least * (1 - NODE_ROUNDING)) * (machine / machine[0])
    return low, np.maximum(LARGEST * machine, low)
