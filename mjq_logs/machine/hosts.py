"""The hosts of a machine, on one of which each job must fit, and how fast they work off a list of jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from mjq._util import checks
from mjq.simulation import Schedule
from mjq.simulation.hosts import replay_on_hosts

Size = tuple[float, ...]


@dataclass(frozen=True)
class Hosts:
    """Describe the hosts of a machine: how many there are of each shape.

    Raises
    ------
    ValueError
        If a number is not positive, a host has nothing, or hosts have different resources.

    Examples
    --------
    >>> hosts = Hosts((48, 20), ((12.0,), (80.0,)))
    >>> len(hosts), hosts.whole, hosts.most_on_one([80, 13, 12, 81]).tolist(), hosts.as_pool().sizes
    (68, (2176.0,), [1, 6, 6, 0], ((2176.0,),))
    """

    numbers: tuple[int, ...]
    sizes: tuple[Size, ...]
    """Of one host: its servers, or how much it has of each of several resources, which may be nothing of some."""
    notes: tuple[str, ...] = field(default=(), compare=False)
    """What is odd about the file that they were read from."""

    def __post_init__(self) -> None:
        checks.counts("hosts", self.numbers)
        if not len(self.numbers) == len(self.sizes) > 0 or len({len(size) for size in self.sizes}) > 1:
            raise ValueError(
                f"hosts must be of one shape or several, each with a number and a size by the same resources, got "
                f"{len(self.numbers)} numbers and the sizes {', '.join(map(checks.shown, self.sizes))}"
            )
        for size in self.sizes:
            checks.not_negative("the size of a host", size)
            checks.positive("the size of a host", [max(size)])

    @classmethod
    def of(cls, sizes: ArrayLike, numbers: ArrayLike | None = None, notes: Sequence[str] = ()) -> Self:
        """Return hosts in the order of their sizes, those of one size together, in whatever order they are given.

        Parameters
        ----------
        sizes : sequence of float, shape (n,) or (n, d)
        numbers : sequence of int, shape (n,), optional
            How many there are of each; by default one.
        notes : sequence of str

        Examples
        --------
        >>> Hosts.of([80, 12, 80], [1, 48, 19])
        Hosts(numbers=(48, 20), sizes=((12.0,), (80.0,)), notes=())
        """
        sizes = np.asarray(sizes, dtype=float)
        numbers = np.ones(len(sizes), int) if numbers is None else checks.counts("hosts", numbers)
        shapes, shape = np.unique(sizes.reshape(len(sizes), -1), axis=0, return_inverse=True)
        counts = np.zeros(len(shapes), int)
        np.add.at(counts, shape.ravel(), numbers)
        return cls(tuple(counts.tolist()), tuple(map(tuple, shapes.tolist())), tuple(notes))

    def __len__(self) -> int:
        return sum(self.numbers)

    @property
    def whole(self) -> Size:
        """Return what all hosts have together."""
        return tuple((np.asarray(self.numbers) @ np.asarray(self.sizes)).tolist())

    def as_pool(self) -> Self:
        """Return one host that has what all have together."""
        return type(self)((1,), (self.whole,))

    def most_on_one(self, needs: np.ndarray) -> np.ndarray:
        """Return how many jobs of each need, shape (J,) or (J, d), fit together on one empty host, at most."""
        needs = np.asarray(needs, dtype=float).reshape(len(needs), -1)
        most = np.zeros(len(needs))
        for size in self.sizes:
            with np.errstate(divide="ignore", invalid="ignore"):
                copies = np.where(needs > 0, np.asarray(size) * (1 + checks.FIT_TOLERANCE) / needs, np.inf)
            most = np.maximum(most, np.floor(copies.min(axis=1)))
        return most.astype(int)


class OnHosts(NamedTuple):
    """Describe first come, first served on hosts."""

    hosts: Hosts
    placement: str = "best fit"
    """On which host a job starts: best fit, worst fit, first fit or random."""
    view: int = 1
    """Waiting jobs that are looked at: those behind the first one may pass it."""
    reserve: bool = False
    """Whether the first one keeps a host free if it does not fit."""
    seed: int = 0
    """For the choice among hosts that are alike."""

    def starts(self, need: np.ndarray, run: np.ndarray, view: int) -> np.ndarray:
        """Return when each job of a list starts if all of them wait from the beginning, in this order.

        The third job needs a whole host, and the fourth one may pass it if two jobs are looked at.

        >>> rule = OnHosts(Hosts((2,), ((4.0,),)), "worst fit")
        >>> need, run = np.array([2.0, 2.0, 4.0, 2.0]), np.array([9.0, 5.0, 1.0, 20.0])
        >>> rule.starts(need, run, 1).tolist(), rule.starts(need, run, 2)[3].tolist()
        ([0.0, 0.0, 5.0, 5.0], 0.0)
        """
        return self._replace(view=view).replay(np.zeros(len(run)), need, run).start

    def replay(self, submit: np.ndarray, need: np.ndarray, run: np.ndarray) -> Schedule:
        """Return the schedule of jobs that come at these times, by the rule of :mod:`mjq.simulation.hosts`.

        >>> rule = OnHosts(Hosts((2,), ((4.0,),)), "worst fit")
        >>> columns = [0.0, 0.0, 1.0], [2.0, 2.0, 4.0], [9.0, 5.0, 1.0]
        >>> rule.replay(*map(np.array, columns)).wait.tolist()
        [0.0, 0.0, 4.0]
        """
        sizes = [size[0] if need.ndim == 1 else size for size in self.hosts.sizes]
        whole = np.array(self.hosts.whole) if need.ndim > 1 else self.hosts.whole[0]
        start = replay_on_hosts(
            submit, need, run, self.hosts.numbers, sizes, self.seed,
            placement=self.placement, view=self.view, reserve=self.reserve and self.view > 1,
        ).start  # fmt: skip
        return Schedule(submit, need, run, whole, start, start + run)
