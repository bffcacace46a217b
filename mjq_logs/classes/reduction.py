"""How wrong a few classes in place of many are: rules to choose them, and random systems to try them on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mjq import System
from mjq_logs.classes.lumping import NEEDS_OF_THE_REST, SPLITS, rest_as_one, two_needs

FAMILIES = "five needs", "powers of two"


def stand_ins(system: System, kept: Sequence[int] = (1, 3)) -> list[dict[str, Any]]:
    """Return a few classes in place of many, by each of the rules of :mod:`mjq_logs.classes.lumping`.

    Parameters
    ----------
    system : mjq.System
    kept : sequence of int
        How many classes are kept where the others are made one.

    Returns
    -------
    list of dict
        One a rule: `kept` (0 where two needs stand for all), `by` (how classes or needs are chosen), `rest` (the need
        of the rest, or the split of jobs between the two needs), and the `system` of the classes that stand in.

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
    """Return the error of the processing capacity by each rule of :func:`stand_ins`.

    Returns
    -------
    list of dict
        `kept`, `by`, `rest` as there, and `error`, of the capacity, in per cent of the exact one.

    Examples
    --------
    The work of the lumped classes is preserved, and still the capacity is almost a per cent too low:

    >>> errors = lumping_errors(System(8, needs=(1, 2, 8), rates=(1, 1, 1), mix=(.5, .3, .2)), kept=(1,))
    >>> print(errors[1]["rest"], f"{errors[1]['error']:.1f} %")
    work -0.9 %
    """
    return [
        {
            "kept": rule["kept"],
            "by": rule["by"],
            "rest": rule["rest"],
            "error": 100 * (rule["system"].capacity / system.capacity - 1),
        }
        for rule in stand_ins(system, kept)
    ]


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

    Returns
    -------
    mjq.System

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
