"""Machines of more and more hosts, each of which is named by one number, and rules that hosts have.

All shapes of hosts become more in proportion, or some of them while the others stay as they are. The number of a
machine is how many hosts it has of the shape that gets most of the new ones; those of the other shapes are rounded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mjq._util import checks
from mjq_logs.answers import PolicyPlan
from mjq_logs.capacity.estimates import own_order_capacity, tightest
from mjq_logs.hosting import MOST_SIZES, VIEW, hosted, rules_on
from mjq_logs.on_hosts import Hosts, OnHosts
from mjq_logs.reading.log import HOUR, Log
from mjq_logs.replaying import replayed
from mjq_logs.words import NAMES, OTHER_HOSTS, amount_in_words, amount_of, percent, time_in_words

RULES = "best fit", "pool", "worst fit", "passing"  # in the order of a plan

SIZES = 10  # that are tried at first
SMALLEST, LARGEST = 0.75, 2.0  # of them, as multiples of the hosts that there are


@dataclass(frozen=True, eq=False)
class HostMachines:
    """Hold machines of more and more hosts of the same shapes.

    Attributes
    ----------
    resources : tuple of str
        None of them for one resource.
    sizes : tuple of tuple of float, length T
        Of the shapes of hosts.
    corners : int array, shape (n, T)
        How many hosts there are of each shape, from the smallest machine to the largest. Those between are rounded.
    numbers : list of float
        Of the machines that are tried at first.

    Examples
    --------
    >>> machines = HostMachines.of(Hosts((48, 20), ((12.0,), (80.0,))), sizes=5)
    >>> machines.numbers, machines.hosts(48).numbers, machines.hosts(60).numbers, machines(60)
    ([36.0, 48.0, 51.0, 66.0, 81.0, 96.0], (48, 20), (60, 25), 2720.0)
    >>> machines.amount(36), machines.varies
    ({'hosts of 12 servers': 36.0, 'hosts of 80 servers': 15.0}, ('hosts of 12 servers', 'hosts of 80 servers'))

    More of the large ones alone:

    >>> machines = HostMachines.of(Hosts((48, 20), ((12.0,), (80.0,))), Hosts((48, 40), ((12.0,), (80.0,))), sizes=3)
    >>> machines.numbers, machines.hosts(30).numbers, machines.varies
    ([20.0, 30.0, 40.0], (48, 30), ('hosts of 80 servers',))
    """

    resources: tuple[str, ...]
    sizes: tuple[tuple[float, ...], ...]
    corners: np.ndarray
    numbers: list[float]

    @classmethod
    def of(
        cls, hosts: Hosts, most: Hosts | None = None, resources: tuple[str, ...] = (), sizes: int | None = None
    ) -> Self:
        """Return machines from these hosts to the `most`, or around them with all shapes in proportion.

        Raises
        ------
        ValueError
            If the most are of other shapes, or are not more.
        """
        own = np.array(hosts.numbers)
        if most is None:
            corners = np.stack([np.ceil(SMALLEST * own), own, LARGEST * own]).astype(int)
        else:
            if most.sizes != hosts.sizes or not (own <= most.numbers).all() or most.numbers == hosts.numbers:
                raise ValueError(f"there must be more hosts of the same sizes, got {hosts.numbers} to {most.numbers}")
            corners = np.stack([own, most.numbers])
        lead = np.argmax(corners[-1] - corners[0])
        first, last = corners[0, lead], corners[-1, lead]
        count = checks.count("sizes", sizes or SIZES)
        numbers = {*np.round(np.linspace(first, last, count)).tolist(), *([] if most else [float(own[lead])])}
        return cls(resources, hosts.sizes, corners, sorted(numbers))

    @property
    def lead(self) -> int:
        """Return which shape has the number of a machine."""
        return int(np.argmax(self.corners[-1] - self.corners[0]))

    @property
    def varies(self) -> tuple[str, ...]:
        """Return the shapes of which larger machines have more, that with the number first."""
        grows = self.corners[-1] > self.corners[0]
        names = [self._name(shape) for shape in (self.lead, *np.flatnonzero(grows).tolist())]
        return tuple(dict.fromkeys(names))

    def hosts(self, number: float) -> Hosts:
        """Return the hosts of the machine of this number."""
        along = self.corners[:, self.lead]
        numbers = [int(np.floor(np.interp(number, along, column) + 0.5)) for column in self.corners.T]
        return Hosts(tuple(numbers), self.sizes)

    def __call__(self, number: float) -> Any:
        """Return what all hosts of the machine have together."""
        whole = self.hosts(number).whole
        return whole if self.resources else whole[0]

    def policy(self, name: str, number: float) -> OnHosts:
        """Return the rule of this name, of those that are compared, on the machine of this number."""
        return rules_on(self.hosts(number))[name]

    def amount(self, number: float) -> dict[str, float]:
        """Return how many hosts of each shape the machine has; of many shapes, of the first one and of all others."""
        shapes, numbers = list(range(len(self.sizes))), self.hosts(number).numbers
        if len(shapes) > MOST_SIZES:
            shapes.insert(0, shapes.pop(self.lead))
        amount: dict[str, float] = {}
        for shape in shapes:
            name = self._name(shape)
            amount[name] = amount.get(name, 0.0) + numbers[shape]
        return amount

    def _name(self, shape):
        """Return a shape in words: by its first resource, and by as many more as it takes to tell shapes apart."""
        if shape != self.lead and len(self.sizes) > MOST_SIZES:
            return OTHER_HOSTS
        firsts = ((k, {size[:k] for size in self.sizes}) for k in range(1, len(self.resources)))
        enough = (k for k, parts in firsts if len(parts) == len(self.sizes) and all(map(any, parts)))
        resources = self.resources[: next(enough, None)]
        size = self.sizes[shape][: len(resources)] if resources else self.sizes[shape][0]
        return f"hosts of {amount_in_words(amount_of(size, resources))}"


def rules_compared(plans: Mapping[str, PolicyPlan], machines: HostMachines) -> list[str]:
    """Say how many hosts it takes in one pool, if jobs are spread, and if some may pass a job that fits nowhere."""
    best, lead = plans["best fit"].smallest, machines.varies[0]

    def enough(name):
        plan = plans[name]
        if not isinstance(plan.smallest, dict):
            return "no size that was tried would be enough"
        few = " or fewer" if plan.smallest == plan.sizes[0].servers else ""
        return f"{amount_in_words(plan.smallest)}{few} would be enough"

    sentences = [f"If all hosts were one pool, {enough('pool')}."]
    pool = plans["pool"].smallest
    if isinstance(best, dict) and isinstance(pool, dict) and (cost := best[lead] - pool[lead]) > 0:
        least = "at least " if pool == plans["pool"].sizes[0].servers else ""
        more = ", with the others in step" if len(machines.varies) > 1 else ""
        sentences[0] = (
            f"{sentences[0][:-1]}: the boundaries of hosts cost {least}{amount_in_words({lead: cost})}{more}."
        )
    return [
        *sentences,
        f"If jobs are spread over the hosts, {enough('worst fit')}.",
        f"If the next {VIEW - 1} jobs may pass a job that fits nowhere, and one host is kept free for it, "
        f"{enough('passing')}.",
    ]


def lost_on_hosts(log: Log, hosts: Hosts) -> list[str]:
    """Say what order and boundaries take on these hosts while jobs wait, where the log tells it."""
    log, rules = hosted(log, hosts), rules_on(hosts)
    try:
        pool, best = (own_order_capacity(log, rules[name]) for name in ("pool", "best fit"))
    except checks.TooShort:
        return []
    what = "servers" if not log.resources else NAMES.get(name := log.resources[tightest(log)], name)
    busy, boundaries, order = (
        percent(max(share, 0.0), 0) for share in (best.share, pool.share - best.share, 1 - pool.share)
    )
    return [
        f"While jobs wait there, {busy} of the {what} are busy: {boundaries} are lost to the boundaries of hosts, and "
        f"{order} to the order of arrival."
    ]


def shapes_in_words(hosts: Hosts, resources: Sequence[str]) -> list[str]:
    """Say how much hosts have of each of several resources.

    >>> shapes_in_words(Hosts((48, 20), ((12.0, 90.0), (80.0, 512.0))), ("cpus", "mem"))
    ['There are hosts of 12 CPUs and 90 GB of memory; of 80 CPUs and 512 GB of memory.']
    """
    if not resources or len(hosts.sizes) > MOST_SIZES:
        return []
    return [f"There are hosts of {'; of '.join(amount_in_words(amount_of(size, resources)) for size in hosts.sizes)}."]


def as_it_is(log: Log, hosts: Hosts) -> list[str]:
    """Say how long the jobs waited by the log itself, and how long they wait on its hosts in a replay."""
    if log.wait is None or log.submits_are_starts or np.isnan(log.wait).all():
        return []
    real = float(np.nanmean(log.wait)) / HOUR
    wait = float(replayed(log, log.machine(), rules_on(hosts)["best fit"]).wait.mean()) / HOUR
    return [
        f"The jobs of the log waited {time_in_words(real)} on average. Replayed on its hosts, in order of arrival with "
        f"best fit, they wait {time_in_words(wait)}."
    ]
