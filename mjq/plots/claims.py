"""Claims of a chapter: each is written once, by its name, and shown as passed."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import numpy as np
from IPython.display import display


class _Passed:
    """The claims that held: how many, and behind a fold which; and how many, or if none held which, are not judged."""

    def __init__(self, names: list[str], not_judged: list[str]):
        self.claims = [name.replace("_", " ") for name in names or not_judged]
        self.total = f"{len(self.claims)} check{'' if len(self.claims) == 1 else 's'}"
        self.total += " passed" if names else " not judged with these parameters"
        if names and not_judged:
            self.total += f", {len(not_judged)} not judged with these parameters"

    def __repr__(self) -> str:
        return f"{self.total}: {'; '.join(self.claims)}"

    def _repr_html_(self) -> str:
        rows = "".join(f"<li>{escape(claim)}</li>" for claim in self.claims)
        return f'<details class="mjq-checks"><summary>{self.total}</summary><ul>{rows}</ul></details>'


def holds(**claims: bool | np.bool_ | None) -> None:
    """Assert each claim by its name, and show how many held.

    Parameters
    ----------
    **claims : bool or None
        A claim as a name, and whether it is true. None says that it is not judged: for a claim about the defaults, or
        where the parameters of a run are too coarse.

    Raises
    ------
    AssertionError
        If a claim is false; the message names all that are.
    TypeError
        If a value is neither true nor false nor None. A list would pass for true unless it is empty.

    Examples
    --------
    >>> holds(the_sum_is_one=sum([0.25, 0.75]) == 1, two_is_even=2 % 2 == 0)
    2 checks passed: the sum is one; two is even
    >>> holds(the_sum_is_one=sum([0.25, 0.75]) == 1, the_curve_has_a_peak=None)
    1 check passed, 1 not judged with these parameters: the sum is one
    >>> holds(the_curve_has_a_peak=None)
    1 check not judged with these parameters: the curve has a peak
    >>> holds(two_is_odd=2 % 2 == 1)
    Traceback (most recent call last):
    AssertionError: two is odd
    """
    if not claims:
        raise TypeError("holds needs a claim")
    for name, condition in claims.items():
        if condition is not None and not isinstance(condition, (bool, np.bool_)):
            raise TypeError(f"{name} must be true or false, got {condition!r}")
    judged = {name: condition for name, condition in claims.items() if condition is not None}
    false = [name.replace("_", " ") for name, condition in judged.items() if not condition]
    if false:
        raise AssertionError("; ".join(false))
    display(_Passed(list(judged), [name for name in claims if name not in judged]))


def counted(claims: Iterable[bool | np.bool_ | None], noun: str) -> str:
    """Return a verdict on a claim that was tried several times, as the beginning of a sentence.

    Parameters
    ----------
    claims : iterable of bool or None
        Whether the claim held each time; None is left out.
    noun : str
        What is counted, in the plural.

    Raises
    ------
    ValueError
        If there is nothing to count.

    Examples
    --------
    >>> counted([True, True], "rates"), counted([True, False], "rates"), counted([False, False], "rates")
    ('True at all 2 rates', 'True at 1 of 2 rates', 'False at all 2 rates')
    """
    tried = [held for held in claims if held is not None]
    if not tried:
        raise ValueError(f"a verdict compares nothing: there are no {noun}")
    if any(tried) and not all(tried):
        return f"True at {sum(map(bool, tried))} of {len(tried)} {noun}"
    return f"{bool(tried[0])} at all {len(tried)} {noun}" if len(tried) > 1 else f"{bool(tried[0])} where we tried it"
