"""Numbers, sentences and tables as chapters show them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from IPython.core.formatters import format_display_data
from IPython.display import Markdown, display
from tabulate import tabulate

from mjq._util.plain import plain

SIGNIFICANT = 10  # digits that are shown at most: the last ones of sixteen differ from processor to processor
GLUED = "application/papermill.record/"  # in front of the types of what no cell shows
POWER = re.compile(r"(\d[\d.]*)e([+-]\d+)")  # a number with a power of ten, as Python writes it
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
# What comes out where a set is empty.
NOTHING = re.compile(r"\b(?:\d[\d,]* of|all|each of)(?: (?:the|our|these|its))? 0\b(?!\.\d| ?%)|\b(?:nan|inf)\b")
FIELD = re.compile(r"\{([A-Za-z_][\w-]*)(?::([^{}`\n]*))?\}(?!`)")  # a name in braces, and how to show it; not a role


def significant(value: Any, digits: int = SIGNIFICANT) -> Any:
    """Round the numbers in a value to significant digits, and turn numpy's types into Python's.

    >>> significant(2 / 3), significant([np.float64(1e-20) / 3, "word", 12])
    (0.6666666667, [3.333333333e-21, 'word', 12])
    """
    if isinstance(value, (list, tuple)):
        return type(value)(significant(x, digits) for x in value)
    if isinstance(value, np.generic):
        value = value.item()
    return float(f"{value:.{digits}g}") if isinstance(value, float) else value


class Glued:
    """A value that a run keeps: rounded where it is shown, whole where it is kept."""

    def __init__(self, value: Any):
        self.value = significant(value, 17)  # all digits, but Python's own types

    def __repr__(self):
        return repr(significant(self.value))

    def _repr_mjq_data_(self):
        return {"value": self.value}


def glue(name: str, value: float | np.number | str | list | tuple) -> None:
    """Keep a value under a name, for other pages of the book and for the results of a run, without showing it.

    What a sentence of the notebook shows is kept by :func:`say`.
    """
    shown, _ = format_display_data(Glued(value))
    metadata = {"scrapbook": {"name": name, "mime_prefix": GLUED}}
    display({GLUED + kind: content for kind, content in shown.items()}, metadata=metadata, raw=True)


class Sentence(Markdown):
    """Markdown in which numbers stand, and these numbers by their names, as :class:`Glued` values."""

    def __init__(self, text: str, values: Mapping[str, Any]):
        super().__init__(text)
        self.values = {name.replace("_", "-"): Glued(value) for name, value in values.items()}

    def __repr__(self):
        return self.data

    def _repr_markdown_(self):
        return self.data, {"values": {name: plain(significant(glued.value)) for name, glued in self.values.items()}}

    def _repr_mjq_data_(self):
        return {"values": {name: glued.value for name, glued in self.values.items()}}


def say(text: str, numbers: Mapping[str, Any] | None = None, /, **values: Any) -> None:
    """Show Markdown in which names in braces, such as ``{waste:.1f}``, are replaced by values.

    The sentences of a notebook that depend on its parameters are put out by cells, so that they follow the parameters
    wherever the notebook is run and read. The values are also kept by their names, with hyphens for underscores, for
    other pages of the book and for the results of a run. Other braces stay as they are, so that formulas need no care.

    Parameters
    ----------
    text : str
        Markdown. Behind a colon stands how a value is shown, as in Python's format strings. Without it, a number is
        shown with at most ten significant digits.
    numbers : dict, optional
        Further values by name, not all of which the text must use.
    **values : number, str, list or tuple
        Each must be used.

    Raises
    ------
    ValueError
        If the text does not use a value, asks for a format of a name that has none, has a line that begins with
        ``%``, which the book takes for a comment, a row of a table that is broken, or tells of an empty set: "0 of 0",
        the mean of nothing.

    Examples
    --------
    >>> say("Of $n_{max}$ servers {waste:.1f} are idle.", waste=2 / 3)
    Of $n_{max}$ servers 0.7 are idle.
    >>> say("The change is {change:+.1f} %.", change=-2.04)
    The change is −2.0 %.
    >>> say("The change is {change:+.1f} %.", change=-0.04)
    The change is 0.0 %.
    >>> say("It is below {bound:.0e}.", bound=1e-9)
    It is below 10⁻⁹.
    """
    known, used = {**(numbers or {}), **values}, set()

    def shown(match):
        name, form = match.groups()
        if name not in known:
            if form is not None:
                raise ValueError(f"the sentence shows {match[0]}, but there is no value {name!r}")
            return match[0]
        used.add(name)
        if known[name] is None:
            raise ValueError(f"a sentence compares nothing: there is no {name}")
        value = significant(known[name])
        words = format(value, form) if form else str(value)
        if isinstance(value, str):
            return words
        return POWER.sub(_power_of_ten, _minus(words) if words.startswith("-") else words)

    sentence = FIELD.sub(shown, text)
    unused = sorted(set(values) - used)
    if unused:
        raise ValueError(f"the sentence does not show {', '.join(unused)}")
    comment = next((line for line in sentence.splitlines() if line.lstrip().startswith("%")), None)
    if comment:
        raise ValueError(f"the book takes a line that begins with % for a comment: {comment!r}")
    row = next((line for line in sentence.splitlines() if line.startswith("|") != line.endswith("|")), None)
    if row:
        raise ValueError(f"a row of a table begins and ends with | on one line: {row!r}")
    display(Sentence(_of_something(sentence), known))


class Table(Markdown):
    """A table as it is shown, with its `headers` and unrounded `rows`."""

    def __init__(self, text: str, headers: Sequence[str], rows: Sequence[Sequence]):
        super().__init__(text)
        self.headers, self.rows = list(headers), [list(row) for row in rows]

    def _repr_mjq_data_(self):
        known = [[str(x) if x in (np.inf, -np.inf) else x for x in row] for row in self.rows]  # JSON has no infinity
        return {"columns": self.headers, "rows": known}


def table(headers: Sequence[str], rows: Sequence[Sequence], digits: int = 4) -> Table:
    """Make a table for a notebook and for the book.

    Floats get `digits` decimals, but as few as needed in the first column, which names the row, and never more than ten
    significant digits; a minus is a minus sign, and None or a NaN, where there is no value, is a dash.
    Infinity is shown as ∞.

    >>> print(table(["lam", "E[W]"], [[1000.0, 1.43776], [1.2, np.nan], [1.3, np.inf]]).data)
    |   lam |   E[W] |
    |------:|-------:|
    |  1000 | 1.4378 |
    |   1.2 |      – |
    |   1.3 |      ∞ |
    """
    rows = [[None if isinstance(x, float) and np.isnan(x) else x for x in row] for row in rows]
    text = [[_cell(x, None if k == 0 else digits) for k, x in enumerate(row)] for row in rows]
    align = ["left" if any(isinstance(x, str) for x in column) else "right" for column in zip(*rows, strict=True)]
    return Table(tabulate(text, headers, tablefmt="pipe", colalign=align, disable_numparse=True), headers, rows)


def verdicts(rows: Sequence[Sequence[str]]) -> Table:
    """Show what became of a paper's sentences, one row each.

    Parameters
    ----------
    rows : list of pairs of str
        What the paper says, in our words; and what we found, a sentence that begins with *True*, *True if* or *False*.

    Raises
    ------
    ValueError
        If what we found begins in another way, or tells of an empty set.

    Examples
    --------
    >>> print(verdicts([("the waste has one peak", "True if at most 60 servers are there.")]).data)
    | The paper says         | We found                              |
    |:-----------------------|:--------------------------------------|
    | the waste has one peak | True if at most 60 servers are there. |
    """
    for claim, sentence in rows:
        if not sentence.startswith(("True", "False")):
            raise ValueError(f"{claim!r}: a verdict begins with True, True if or False, got {sentence!r}")
    return table(["The paper says", "We found"], [[claim, _of_something(sentence)] for claim, sentence in rows])


def _of_something(sentence):
    """Return the sentence unless it tells of an empty set."""
    nothing = NOTHING.search(sentence)
    if nothing:
        raise ValueError(f"a sentence compares nothing: {nothing[0]!r} in {sentence!r}")
    return sentence


def _positional(x):
    """Return a float in as few digits as it takes, without an exponent unless it is very large or small."""
    if x and not 1e-5 <= abs(x) < 1e9:
        return f"{x:g}"
    return np.format_float_positional(significant(x), trim="-")


def _cell(x, decimals):
    if x is None:
        return "–"
    if not isinstance(x, (float, np.floating)):
        return str(x).replace("-", "−", 1) if isinstance(x, (int, np.integer)) else str(x)
    if np.isinf(x):
        return "∞" if x > 0 else "−∞"
    if decimals is None:
        return _positional(x).replace("-", "−")
    x = significant(x)  # first, so that a tie such as 0.0375 is rounded alike whatever the digits behind it
    before = math.floor(math.log10(abs(x))) + 1 if x and math.isfinite(x) else 1
    return _minus(f"{x:.{max(0, min(decimals, SIGNIFICANT - before))}f}")


def _minus(words):
    return words.replace("-", "−" if words.strip("-0.") else "", 1)


def _power_of_ten(number):
    """Return a number with a power of ten as it is written: 3.2·10⁻⁵."""
    power = "10" + str(int(number[2])).translate(RAISED)
    return power if number[1] == "1" else f"{number[1]}·{power}"


def rounded_up(value: float, digits: int) -> float:
    """Return the least number with this many decimals that is not below the value.

    >>> rounded_up(0.121, 2), rounded_up(12.0, 0)
    (0.13, 12.0)
    """
    return float(math.ceil(value * 10**digits) / 10**digits)


def rounded_down(value: float, digits: int) -> float:
    """Return the greatest number with this many decimals that is not above the value.

    >>> rounded_down(0.129, 2)
    0.12
    """
    return float(math.floor(value * 10**digits) / 10**digits)
