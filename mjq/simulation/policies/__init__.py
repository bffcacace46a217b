"""Queueing policies: which waiting job starts next, and in which words, with one file for each rule.

Here is also how policies and placements are called, however they are written.

To add a policy, put a file here that holds `POLICIES`: names to :class:`~mjq.simulation.engine.policy.Policy`. Nothing
else has to name it. Names stand in this order: first the policies that look at needs and order alone, then those that
look at times, then those that interrupt jobs; families, whose names end in a number, come last. Policies that go by the
class of a job are families apart, `BY_CLASS`: a log has no classes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module
from pkgutil import iter_modules

from mjq.simulation.engine.policy import Policy

__all__ = ["BY_CLASS", "FAMILIES", "NAMES", "PLACEMENTS", "POLICIES", "name_of", "names_of", "placement_of", "policy"]

_RULES: dict[str, Policy] = {
    name: rule
    for file in iter_modules(__path__)
    for name, rule in import_module(f"{__name__}.{file.name}").POLICIES.items()
}
_ORDER = sorted(_RULES, key=lambda name: (_RULES[name].interrupts, _RULES[name].knows_times, name))
BY_CLASS = {name: _RULES.pop(name) for name in _ORDER if _RULES[name].by_class}
POLICIES = {name: rule for name in _ORDER if (rule := _RULES.get(name)) and not rule.letter}
FAMILIES = {name: rule for name in _ORDER if (rule := _RULES.get(name)) and rule.letter}
NAMES = (*POLICIES, *(f"{family}-<number>" for family in FAMILIES))
PLACEMENTS = "best fit", "worst fit", "first fit", "random"  # on which host a job starts
SHORT = {"lsf": "least-servers-first", "msf": "most-servers-first", "backfill": "easy", "easybackfill": "easy"}


def name_of(name: str) -> str:
    """Return how a policy is called here, whatever its case, dashes and short form; ``"backfill"`` alone is EASY.

    >>> [name_of(name) for name in ("FCFS", "first_fit", "msf", "backfill", "EASY backfilling", "Backfill 3", "lifo")]
    ['fcfs', 'first-fit', 'most-servers-first', 'easy', 'easy', 'backfill-3', 'lifo']
    """
    plain = _folded(name).replace("backfilling", "backfill")
    stem = plain.rstrip("0123456789")
    number = plain[len(stem) :]
    known = {rule.replace("-", ""): rule for rule in ((*FAMILIES, *BY_CLASS) if number else POLICIES)}
    found = known.get(stem) or (None if number else SHORT.get(stem))
    return name if found is None else f"{found}-{number}".rstrip("-")


def names_of(policies: str | Iterable[str]) -> list[str]:
    """Return how several policies are called here, each once, or one that is given as a plain word.

    >>> names_of("EASY"), names_of(["fcfs", "FCFS", "msf"])
    (['easy'], ['fcfs', 'most-servers-first'])
    """
    return list(dict.fromkeys(map(name_of, [policies] if isinstance(policies, str) else policies)))


def placement_of(name: str) -> str:
    """Return how a placement is called here, whatever its case and dashes.

    >>> placement_of("Best-Fit")
    'best fit'
    """
    if isinstance(name, str) and name in PLACEMENTS:  # at once: models ask at each transition
        return name
    known = {_folded(placement): placement for placement in PLACEMENTS}
    if _folded(name) not in known:
        raise ValueError(f"placement must be one of {', '.join(PLACEMENTS)}; got {name!r}")
    return known[_folded(name)]


def _folded(name):
    """Return a name in small letters, without what may stand between its words."""
    return re.sub("(?<=[a-z0-9])[ _-](?=[a-z0-9])", "", str(name).lower())


def policy(name: str, resources: int = 1) -> Policy:
    """Return the policy of this name, if jobs can need so many resources at once; some names include a number.

    >>> policy("backfill-3").number
    3
    """
    rule = _named(name)
    if resources > 1 and rule.one_resource:
        raise ValueError(f"{name} is a rule for one resource, got {resources}: {rule.one_resource}")
    return rule


def _named(name):
    if isinstance(name, str):
        known = name_of(name)
        if known in POLICIES:
            return POLICIES[known]
        family = re.fullmatch(r"([a-z-]+)-([0-9]{1,9})", known)
        if family and family[1] in FAMILIES | BY_CLASS:
            return replace((FAMILIES | BY_CLASS)[family[1]], number=int(family[2]))
    by_class = (f"{family}-<number>" for family in BY_CLASS)
    raise ValueError(f"policy must be one of {', '.join((*NAMES, *by_class))}; got {name!r}")
