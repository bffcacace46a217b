"""The three sorts of question, the digits in which their numbers are written, and what several solutions show.

:class:`Question` asks for a number, :class:`Choice` for one of several statements, and :class:`Task` for words or a
derivation, which the teacher reads.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mjq.simulation.schedule import Schedule
from mjq.solvers import chain

DIGITS = 4  # significant ones of an answer in the key
ASKED = 3  # significant ones that a student gives
TOLERANCE = 0.005  # relative: as far as three significant digits can be from the number that they round
LETTERS = "abcdefgh"
Drawing = Callable[[np.random.Generator], dict[str, Any]]


class _Varied:
    """Describe what has a text and a way to the answer with each student's numbers in them."""

    text: str
    way: str
    steps: Callable[..., dict[str, Any]] | None

    def asked(self, values: Mapping[str, float]) -> str:
        """Return the text with the numbers in it."""
        return self.text.format(**{name: written(value) for name, value in values.items()})

    def explained(self, values: Mapping[str, float], answer: str) -> str:
        """Return the way to the answer, with all numbers in it."""
        steps = self.steps(**values) if self.steps else {}
        shown = {name: value if isinstance(value, str) else printed(value) for name, value in steps.items()}
        return self.way.format(**{name: written(value) for name, value in values.items()} | shown, answer=answer)


@dataclass(frozen=True)
class Question(_Varied):
    """Describe a question for a number; the given numbers differ between students."""

    title: str
    text: str
    """What is asked, with the name of each number in braces. An empty line begins a new paragraph, and lines that begin
    with ``|`` are a table in Markdown."""
    unit: str
    """Of the answer; empty for a pure number."""
    draw: Drawing
    """From a random generator to the numbers by name, as :func:`given` returns it: whole numbers, and floats of few
    decimals, which the text shows in full."""
    answer: Callable[..., float]
    """From these numbers, by name, to the right answer. Both may raise ``ValueError`` if the numbers violate a
    constraint of the model: then others are drawn."""
    mistakes: Mapping[str, Callable[..., float]] = field(default_factory=dict)
    """What somebody may have overlooked, in words, and the function that gives the answer that comes out then."""
    way: str = ""
    """How one gets to the answer, like `text`; it may also name what `steps` returns, and ``{answer}``."""
    steps: Callable[..., dict[str, Any]] | None = None
    """From the numbers, by name, to a dictionary of intermediate results: numbers, and text such as a table."""
    points: int = 2
    kind = "number"


@dataclass(frozen=True)
class Choice(_Varied):
    """Describe a question with several statements, of which one is right; the given numbers differ between students."""

    title: str
    text: str
    options: tuple[str, ...]
    """The statements, like `text`."""
    draw: Drawing
    answer: Callable[..., int]
    """From the numbers, by name, to the index of the right statement."""
    mistakes: Mapping[str, Callable[..., int]] = field(default_factory=dict)
    """What somebody may have overlooked, in words, and the function that gives the statement that seems right then."""
    way: str = ""
    steps: Callable[..., dict[str, Any]] | None = None
    points: int = 1
    """As for :class:`Question`, and so are `title`, `text`, `draw`, `way` and `steps`."""
    unit = ""
    kind = "choice"

    def offered(self, values: Mapping[str, float]) -> list[tuple[str, str]]:
        """Return the letter and the words of each statement."""
        given = {name: written(value) for name, value in values.items()}
        return [(letter, statement.format(**given)) for letter, statement in zip(LETTERS, self.options, strict=False)]


@dataclass(frozen=True)
class Task:
    """Describe a task that a teacher grades; it is the same for all students."""

    kind: str
    """``derive``, ``explain`` or ``find the mistake``."""
    title: str
    text: str
    """As of :class:`Question`, without braces."""
    model: str
    """An answer that earns all points."""
    worth: tuple[tuple[int, str], ...]
    """Pairs: points, and what they are given for."""
    unit = ""

    @property
    def points(self) -> int:
        """Return the sum of all points."""
        return sum(points for points, _ in self.worth)


def table(head: tuple[str, ...], rows: list[tuple]) -> str:
    """Return a table in Markdown, its numbers as in a solution.

    >>> print(table(("i", "share"), [(1, 0.25)]))
    | i | share |
    |--:|--:|
    | 1 | 0.2500 |
    """
    lines = [[printed(x) if isinstance(x, float) else str(x) for x in row] for row in (head, *rows)]
    first, *others = (f"| {' | '.join(cells)} |" for cells in lines)
    return "\n".join([first, "|" + "--:|" * len(head), *others])


def given(before: Drawing | None = None, /, **sorts: Any) -> Drawing:
    """Return what draws numbers by name, in this order, perhaps behind those that it draws `before`.

    A range or a list stands for one of its numbers, and a triple for the least number, the largest one and how many
    decimals it has. A function is given the random generator and what is drawn already.

    >>> given(n=range(2, 9), p=(0.1, 0.9, 2), busy=lambda rng, n, p: n * p)(np.random.default_rng(1))
    {'n': 5, 'p': 0.86, 'busy': 4.3}
    """

    def one_of(sort, rng):
        if isinstance(sort, tuple):
            return decimal(rng, *sort)
        return int(rng.integers(sort.start, sort.stop)) if isinstance(sort, range) else rng.choice(sort).item()

    def draw(rng):
        values = before(rng) if before else {}
        for name, sort in sorts.items():
            values[name] = sort(rng, **values) if callable(sort) else one_of(sort, rng)
        return values

    return draw


def decimal(rng: np.random.Generator, low: float, high: float, digits: int) -> float:
    """Draw a random number between two others with this many decimals.

    >>> decimal(np.random.default_rng(1), 0.1, 0.9, 2)
    0.51
    """
    return round(float(rng.uniform(low, high)), digits)


def always(answer: float) -> Callable[..., Any]:
    """Return a mistake that gives this answer, or this statement, whatever the numbers are."""
    return lambda **_: answer


def written(value: float) -> str:
    """Return a number of a question in full.

    >>> written(0.05), written(12)
    ('0.05', '12')
    """
    return str(value) if isinstance(value, int) else f"{value:.10g}"


def printed(value: float, digits: int = DIGITS) -> str:
    """Return an answer, rounded to significant digits, with zeros at the end where they are significant.

    >>> printed(2.0869565), printed(0.0500012), printed(79.9999), printed(1234.56)
    ('2.087', '0.05000', '80.00', '1235')
    """
    return f"{value:#.{digits}g}".removesuffix(".")


def tolerance(answer: float | str) -> str:
    """Return by how much a number of three significant digits may differ from an answer.

    >>> tolerance("2.087")
    '0.010'
    """
    return printed(TOLERANCE * abs(float(answer)), 2)


# --- Intermediate results that several solutions show ---


def shares(start: Hashable, rule: chain.Rule) -> list[tuple[Any, float]]:
    """Return the states of a chain and the share of time spent in each, in the order in which they are found."""
    states = chain.explore([start], rule)
    return list(zip(states, chain.stationary(chain.generator(states, rule), states).tolist(), strict=True))


def one_or_all_cycle(n: int, one_in: float, t1: float, t2: float) -> dict[str, float]:
    """Return the parts of a cycle if one job in `one_in` needs all n servers and the others one: all mean times."""
    p1, k = 1 - 1 / one_in, np.arange(1, n)
    small = t1 * (float(np.sum(p1**k / k)) + p1**n * one_in / n)
    return {"small_part": small, "cycle": small + t2, "per_cycle": one_in}


def schedule_table(schedule: Schedule) -> str:
    """Return a table of when each job of a log of whole numbers comes, starts and ends."""
    columns = schedule.submit, schedule.need, schedule.start, schedule.finish, schedule.wait
    rows = [(k, *map(int, row)) for k, row in enumerate(zip(*columns, strict=True), 1)]
    return table(("job", "arrives", "servers", "starts", "ends", "waits"), rows)
