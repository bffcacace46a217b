"""The numbers that the papers print, and the ledger of what was reproduced.

* ``<paper>.csv``: one printed number in each row: item, quantity, the parameters it belongs to, the digits, the place,
  and what kind of number it is (`KINDS`).
* ``<paper>_declared.csv``: our parameters for figures whose own are not given.
* ``<key>_ledger.csv``: every figure, table and numbered equation, and the claims that we found: what it says, how
  well it agrees, where it is in the book, what checks it. For the five papers it has `derived`: how what is numbered
  is derived (`WAYS_OF_DERIVING`); the last way is followed by its reason.
* ``between_notebooks.json``: numbers of one notebook that sentences of another show. `make refresh` writes it.
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from decimal import Decimal
from importlib import resources
from typing import Any

import numpy as np

from mjq_book import chapters

__all__ = [  # noqa: RUF022, in the order of reading
    "PAPERS", "LEDGERS", "KINDS", "CAN_FAIL", "read", "of_notebook", "ledger", "derived", "checks", "Printed",
    "printed", "declared", "Comparisons",
]  # fmt: skip

PAPERS = tuple(paper.key for paper in chapters.PAPERS)
LEDGERS = tuple(chapter.key for chapter in chapters.CHAPTERS)  # also of chapters that go beyond the papers
NOT_PARAMETERS = {"item", "quantity", "printed", "place", "kind"}
# What a printed number is, and how a comparison with it is summed up.
KINDS = {
    "result": "results, which agree",
    "simulated": "simulated values, which agree with our exact ones within their error",
    "misprint": "misprints, which come out if their slip is made on purpose",
    "given": "restated parameters",
}
KINDS_TO_DERIVE = {"equation", "theorem", "lemma", "algorithm"}  # of rows of the ledger
WAYS_OF_DERIVING = "with letters", "on a case", "by numbers"
CAN_FAIL = "result", "simulated", "misprint"
UNIT_ROUNDING, PARAMETER_ROUNDING = 1e-9, 1e-12  # of the last printed digit; relative


def read(name: str) -> list[dict[str, str]]:
    """Return the rows of one of the CSV files beside this module, as dictionaries of text.

    >>> read("bb22")[0]["place"]
    'Table I, row 1.0'
    """
    with resources.as_file(resources.files(__name__) / f"{name}.csv") as path:
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))


def of_notebook(name: str) -> dict[str, Any]:
    """Return numbers that a notebook computed with its default parameters, for sentences of another one.

    They are about systems that the sentence names, such as a family of random ones, and do not follow the parameters of
    the notebook that shows them.

    >>> of_notebook("pool_depletion")["family-N"]
    100
    """
    with resources.as_file(resources.files(__name__) / "between_notebooks.json") as path:
        return json.loads(path.read_text(encoding="utf-8"))[name]


def ledger(paper: str) -> list[dict[str, str]]:
    """Return what became of every published item of a paper, in the paper's order; a policy says itself what it does.

    A row has item, kind, statement; result, note; where (in the book), checks (what holds it).

    Examples
    --------
    >>> row = ledger("BB22")[1]
    >>> row["statement"], row["result"]
    ('Limiting completion rate against arrival rate', 'reproduced')
    """
    from mjq.simulation import policies  # which loads a compiler

    rows = read(f"{paper.lower()}_ledger")
    for row in rows:
        if row["kind"] == "rule":
            row["statement"] = (policies.POLICIES | policies.FAMILIES)[row["item"]].words
    return rows


def derived(paper: str) -> list[dict[str, str]]:
    """Return the numbered equations, theorems, lemmas and algorithms of a paper, and how each is derived.

    A row is that of :func:`ledger`, with `derived`: one of `WAYS_OF_DERIVING`, the last one with its reason.

    Examples
    --------
    >>> {row["kind"] for row in derived("CGPS16")} == {"equation", "algorithm"}
    True
    """
    return [row for row in ledger(paper) if row["kind"] in KINDS_TO_DERIVE]


def checks(row: dict[str, str]) -> list[tuple[str, ...]]:
    """Return what checks a row of the ledger: pairs of a file and the name of a claim, test, printed item or figure.

    >>> checks(ledger("BB22")[0])
    [('notebooks/processing_capacity.ipynb', 'fig-1')]
    """
    return [tuple(check.strip().split("::")) for check in row["checks"].split(";")]


@dataclass(frozen=True)
class Printed:
    """Hold a number as a paper prints it."""

    item: str
    """Figure, table or claim."""
    quantity: str
    """What is printed."""
    parameters: dict[str, Any]
    """The parameters it belongs to, numbers or tuples of numbers."""
    text: str
    """The digits as printed."""
    place: str
    """Where it is printed."""
    kind: str
    """One of :data:`KINDS`."""

    @property
    def value(self) -> float:
        """Return the printed number."""
        return float(self.text)

    @property
    def unit(self) -> float:
        """Return one unit of the last printed digit."""
        exponent = Decimal(self.text).as_tuple().exponent
        assert isinstance(exponent, int)  # nothing infinite is printed
        return float(Decimal(1).scaleb(exponent))


def _numbers(text):
    values = tuple(int(word) if word.isdigit() else float(word) for word in text.split())
    return values[0] if len(values) == 1 else values


def printed(paper: str) -> list[Printed]:
    """Return all printed numbers of a paper, by its key in lower case.

    >>> first = printed("bb22")[0]
    >>> first.quantity, first.value, first.unit, first.parameters["lam"]
    ('EW', 1.438, 0.001, 1.0)
    """
    return [
        Printed(
            row["item"],
            row["quantity"],
            {key: _numbers(text) for key, text in row.items() if key not in NOT_PARAMETERS and text},
            row["printed"],
            row["place"],
            row["kind"],
        )
        for row in read(paper)
    ]


def declared(paper: str) -> dict[str, dict[str, Any]]:
    """Return by item parameters of figures that the print, or our copy of it, does not give: ours, chosen and declared.

    Examples
    --------
    >>> declared("ghs20")["Fig 8(a)"]
    {'n': 400, 'n1': 1, 'n2': 100, 'p1': 0.9}
    """
    given = read(f"{paper}_declared")
    return {row["item"]: {k: _numbers(v) for k, v in row.items() if k != "item" and v} for row in given}


class Comparisons:
    """Compare our numbers with printed ones, only where the printed ones apply.

    A printed number belongs to its parameters. When a chapter runs with others, nothing is compared and :meth:`check`
    returns None; where the parameters are the paper's, a disagreement raises ``AssertionError``.

    >>> comparisons = Comparisons("bb22")
    >>> table = dict(B=6, b=(2, 3), mu=(2.5, .625), p=(.5, .5))
    >>> comparisons.check("Table I", "EW", 1.4377, **table, lam=1.0).text
    '1.438'
    >>> comparisons.check("Table I", "EW", 1.4377, **table, lam=0.9)
    >>> comparisons.made
    [('Table I', 'EW', 'Table I, row 1.0')]
    """

    def __init__(self, paper: str):
        self.paper = paper
        self.made: list[tuple[str, str, str]] = []
        self._printed = printed(paper)

    def find(self, item: str, quantity: str, **parameters: Any) -> Printed | None:
        """Return the printed number for these parameters, or None."""
        for row in self._printed:
            if (row.item, row.quantity) == (item, quantity) and _same(row.parameters, parameters):
                return row
        return None

    def check(
        self,
        item: str,
        quantity: str,
        ours: float,
        within: float | None = None,
        rounding: str = "nearest",
        **parameters: Any,
    ) -> Printed | None:
        """Compare `ours` with print; None if nothing is printed for these parameters.

        Parameters
        ----------
        item, quantity : str
        ours : float
        within : float, optional
            Largest difference; by default what `rounding` to the printed digits leaves.
        rounding : {"nearest", "up", "down"}
            How the paper rounded: half a unit of the last printed digit either way, or one unit in one direction.
        **parameters
            Those that `ours` belongs to.
        """
        row = self.find(item, quantity, **parameters)
        if row is None:
            return None
        least, most = {"nearest": (-row.unit / 2, row.unit / 2), "up": (0, row.unit), "down": (-row.unit, 0)}[rounding]
        least, most = (least, most) if within is None else (-within, within)
        rounded = row.value - float(ours)
        slack = UNIT_ROUNDING * row.unit  # of decimals that no binary fraction is
        if not least - slack <= rounded <= most + slack:
            raise AssertionError(
                f"{row.place}: {quantity} is printed {row.text}, ours {ours:.10g}, which is {rounded:+.3g} away; "
                f"allowed are {least:.3g} to {most:.3g}"
            )
        self.made.append((row.item, row.quantity, row.place))
        return row

    def summary(self) -> str:
        """Show what was compared with print, by kind of number, for the end of a chapter."""
        made, kinds = set(self.made), dict.fromkeys(KINDS, 0)
        for row in self._printed:
            kinds[row.kind] += (row.item, row.quantity, row.place) in made
        if not self._printed:
            return "The paper prints no numbers to compare with: no comparison was made."
        if not made:
            return "With these parameters nothing is printed to compare with: no comparison was made."
        parts = [f"{words}: {kinds[kind]}" for kind, words in KINDS.items() if kinds[kind]]
        missing = len(self._printed) - len(made)
        if missing:
            parts.append(f"of other parameters, not compared: {missing}")
        return "\n* ".join([f"Numbers that {self.paper.upper()} prints, compared with ours:", *parts])


def _same(printed, ours):
    """Return whether a printed number has these parameters; those that the print does not depend on are ignored."""
    return all(
        key in ours
        and np.shape(value) == np.shape(ours[key])
        and np.allclose(value, ours[key], rtol=PARAMETER_ROUNDING, atol=0)
        for key, value in printed.items()
    )
