"""Fewer job classes in place of many, as systems of the same servers, and how wrong they are on random systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mjq import System
from mjq._util import checks

NEEDS_OF_THE_REST = "mean", "work", "largest"
SPLITS = "nearest", "mixture"
FAMILIES = "five needs", "powers of two"


def rest_as_one(system: System, kept: ArrayLike, need: str = "work") -> System:
    r"""Keep some classes as they are and make one class, the last, of all others.

    The probability of that class is the sum of theirs, its time the mean of their times. Its need is

    =============  ====================================================================================
    ``"mean"``     the mean need of its jobs, :math:`\sum p b / \sum p`
    ``"work"``     the mean weighted by time, :math:`\sum p t b / \sum p t`, which preserves their work
    ``"largest"``  the largest need
    =============  ====================================================================================

    Parameters
    ----------
    system : mjq.System
    kept : sequence of int
        Positions of the classes that are kept, at least one class fewer than there are.
    need : str

    Examples
    --------
    >>> rest_as_one(System(8, needs=(1, 2, 8), rates=(1, 1, .5), mix=(.5, .25, .25)), kept=[2], need="largest")
    System(servers=8, needs=(8, 2), rates=(0.5, 1), mix=(0.25, 0.75))
    """
    needs, rates, mix = system.needs, system.rates, system.mix
    chosen = np.asarray(kept, dtype=int)
    rest = np.setdiff1d(np.arange(len(needs)), chosen)
    jobs = mix[rest].sum()
    if not jobs > 0:
        raise ValueError(f"no job is left for the class of the rest: kept {chosen.tolist()} of {len(needs)} classes")
    weights = mix[rest] / jobs
    time = weights @ (1 / rates[rest])
    if need == "mean":
        stand_in = weights @ needs[rest]
    elif need == "work":
        stand_in = weights @ (needs[rest] / rates[rest]) / time
    elif need == "largest":
        stand_in = needs[rest][weights > 0].max()
    else:
        raise ValueError(f"need must be one of {', '.join(NEEDS_OF_THE_REST)}; got {need!r}")
    return System(
        system.servers,
        np.append(needs[chosen], stand_in),
        np.append(rates[chosen], 1 / time),
        np.append(mix[chosen], jobs),
    )


def two_needs(system: System, low: float, high: float, split: str = "mixture") -> System:
    r"""Replace all classes by two with given needs; the mean work of a job, need times time, stays the same.

    A class that gets no jobs has probability 0 and rate 1.

    =============  ==============================================================================================
    ``"nearest"``  a job counts as one of the nearer of the two needs, on a logarithmic scale
    ``"mixture"``  a job of need m between them counts as a fraction (high - m) / (high - low) of a job of need
                   `low`, and the rest of one of need `high`
    =============  ==============================================================================================

    Where that changes a job's mean need, its time is changed so that its work stays. So the mixture keeps times as well
    between the two needs, `low` and `high`, and changes them outside.

    Examples
    --------
    A job of need 2 is one third of a job of need 4 and two thirds of one of need 1:

    >>> two = two_needs(System(4, needs=(1, 2, 4), rates=(1, 1, 1), mix=(.25, .5, .25)), low=1, high=4)
    >>> two.needs.tolist(), two.rates.round(4).tolist(), two.mix.round(4).tolist()
    ([1.0, 4.0], [1.0, 1.0], [0.5833, 0.4167])
    """
    needs, rates, mix = system.needs, system.rates, system.mix
    both = checks.positive("low and high", (low, high))
    if not low < high:
        raise ValueError(f"low must be below high, got {low} and {high}")
    if split == "nearest":
        as_low = (needs / low <= high / needs).astype(float)
    elif split == "mixture":
        as_low = np.clip((high - needs) / (high - low), 0, 1)
    else:
        raise ValueError(f"split must be one of {', '.join(SPLITS)}; got {split!r}")
    times = needs / rates / (as_low * low + (1 - as_low) * high)
    jobs = np.array([mix @ as_low, mix @ (1 - as_low)])
    work = np.array([(mix * as_low) @ times, (mix * (1 - as_low)) @ times])
    return System(system.servers, both, np.divide(jobs, work, out=np.ones(2), where=jobs > 0), jobs)


def stand_ins(system: System, kept: Sequence[int] = (1, 3)) -> list[dict[str, Any]]:
    """Return a few classes in place of many, by each of the rules of this module.

    A row for each rule has `kept` (0 where two needs stand for all), `by` (how classes or needs are chosen), `rest`
    (the need of the rest, or the split of jobs between the two needs), and the `system` of the classes that stand in.

    Parameters
    ----------
    system : mjq.System
    kept : sequence of int
        How many classes are kept where the others are made one.

    Examples
    --------
    >>> rules = stand_ins(System(8, needs=(1, 2, 8), rates=(1, 1, 1), mix=(.5, .3, .2)), kept=(1,))
    >>> len(rules), rules[1]["kept"], rules[1]["by"], rules[1]["rest"]
    (12, 1, 'largest need', 'work')
    >>> rules[1]["system"].needs.tolist()
    [8.0, 1.375]
    """
    work = system.mix * system.needs / system.rates
    by_need, by_work, by_share = (np.argsort(-x) for x in (system.needs, work, system.mix))
    rows = [
        dict(kept=count, by=by, rest=need, system=rest_as_one(system, order[:count], need))
        for count in kept
        for by, order in (("largest need", by_need), ("most work", by_work))
        for need in NEEDS_OF_THE_REST
    ]
    pairs = ("smallest and largest", by_need[[0, -1]]), ("most common", by_share[:2]), ("most work", by_work[:2])
    return rows + [
        dict(kept=0, by=by, rest=split, system=two_needs(system, low, high, split))
        for by, pair in pairs
        for low, high in [np.sort(system.needs[pair])]
        for split in SPLITS
    ]


def lumping_errors(system: System, kept: Sequence[int] = (1, 3)) -> list[dict[str, Any]]:
    """Return the error of the processing capacity by each rule of :func:`stand_ins`, in per cent of the exact one.

    Examples
    --------
    The work of the lumped classes is preserved, and still the capacity is almost a per cent too low:

    >>> errors = lumping_errors(System(8, needs=(1, 2, 8), rates=(1, 1, 1), mix=(.5, .3, .2)), kept=(1,))
    >>> print(errors[1]["rest"], f"{errors[1]['error']:.1f} %")
    work -0.9 %
    """
    rules = stand_ins(system, kept)
    for rule in rules:
        rule["error"] = 100 * (rule.pop("system").capacity / system.capacity - 1)
    return rules


def random_system(family: str, draw: np.random.Generator) -> System:
    """Draw a system of one of two families, with random mean times between 0.5 and 4 and a uniform mix.

    ===================  ===========================================================
    ``"five needs"``     24 units of the resource, five different needs from 1 to 24
    ``"powers of two"``  32 units, needs 1, 2, 4, 8, 16 and 32
    ===================  ===========================================================

    Parameters
    ----------
    family : str
        One of :data:`FAMILIES`.
    draw : numpy.random.Generator

    Examples
    --------
    >>> system = random_system("powers of two", np.random.default_rng(1))
    >>> system.servers, system.needs.tolist(), system.mix.shape
    (32.0, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0], (6,))
    """
    if family == "five needs":
        servers, needs = 24, np.sort(draw.choice(np.arange(1.0, 25.0), 5, replace=False))
    elif family == "powers of two":
        servers, needs = 32, 2.0 ** np.arange(6)
    else:
        raise ValueError(f"family must be one of {', '.join(FAMILIES)}; got {family!r}")
    return System(servers, needs, 1 / draw.uniform(0.5, 4, len(needs)), draw.dirichlet(np.ones(len(needs))))
