"""Questions in Moodle's GIFT format."""

from __future__ import annotations

import re

from mjq_book.exercises.drawn import Drawn
from mjq_book.exercises.pages import text_as_html
from mjq_book.exercises.question import Choice, Task, tolerance

__all__ = ["as_gift"]


def as_gift(chapter: str, names: list[str], drawn: list[list[Drawn]]) -> str:
    """Return all questions of all students, in a category for each question of the chapter.

    A quiz that takes one random question from each category gives each student other numbers. A task is there once.
    """
    parts = []
    for k, variants in enumerate(zip(*drawn, strict=True), 1):
        parts.append(f"$CATEGORY: $course$/mjq/{chapter}/{k:02} {variants[0].question.title}")
        for name, one in zip(names, variants, strict=True):
            if name == names[0] or not isinstance(one.question, Task):
                parts.append(_question(f"{k:02} {one.question.title}, {name}", one))
    return "\n\n".join(parts) + "\n"


def _question(title, one):
    question = one.question
    if isinstance(question, Task):
        worth = "; ".join(f"{points} for: {words}" for points, words in question.worth)
        told = _feedback(f"{question.model}\n\nPoints: {worth}.")
        return f"::{_escaped(title)}::{_text(question.text)} {{{told}}}"
    wrong = {answer: f"Perhaps you overlooked {words}." for words, answer in one.mistaken.items()}
    lines, asked, sort = [], question.asked(one.values), ""
    if isinstance(question, Choice):
        for letter, words in question.offered(one.values):
            told = f" #{_escaped(wrong[letter])}" if letter in wrong else ""
            lines.append(f"{'=' if letter == one.answer else '~'}{_escaped(words)}{told}")
    else:
        sort = "#"
        asked += f"\n\nAnswer{f' in {question.unit}' if question.unit else ''}, three significant digits."
        lines.append(f"={one.answer}:{one.tolerance}")
        lines += [f"=%0%{answer}:{tolerance(answer)} #{_escaped(told)}" for answer, told in wrong.items()]
    lines.append(_feedback(question.explained(one.values, one.answer)))
    body = "\n  ".join(["", *lines])
    return f"::{_escaped(title)}::{_text(asked)} {{{sort}{body}\n}}"


def _text(text):
    return f"[html]{_escaped(text_as_html(text))}"


def _feedback(text):
    return f"####{_escaped(text_as_html(text))}"


def _escaped(text):
    r"""Return text with what GIFT takes for its own escaped, on one line.

    >>> _escaped("1:2 = {x}")
    '1\\:2 \\= \\{x\\}'
    """
    return re.sub(r"([~=#{}:\\])", r"\\\1", text).replace("\n", "")
