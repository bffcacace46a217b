"""Numbers for all students: every question solvable, no two students with the same numbers or the same answer."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mjq._util import checks
from mjq_book.exercises import questions
from mjq_book.exercises.question import ASKED, LETTERS, TOLERANCE, Choice, Question, Task, printed, tolerance

TRIES = 200  # for one question of one student
MACHINES_APART = 1e-9  # relative difference of an answer that must not change its printed digits
LEAST_ANSWER = 1e-3  # of an answer: a smaller one would not have so many digits in common on all machines


@dataclass(frozen=True)
class Drawn:
    """Hold a question with one student's numbers."""

    question: Question | Choice | Task
    values: dict
    """Number by name."""
    answer: str
    """As it stands in the key: a rounded number, the letter of a statement, or nothing for a task."""
    mistaken: dict
    """What somebody may have overlooked, in words, and the answer that comes out then."""
    tolerance: str = ""
    """By how much a number may differ from the answer; empty if there is no number."""


def draw(chapter: str, students: int, seed: int) -> list[list[Drawn]]:
    """Draw the questions of each student.

    More students with the same seed leave the questions of the first ones as they were. Arguments are those of
    :func:`mjq_book.exercises.sheets.write`; ``ValueError`` says that a question has not enough different answers.

    Examples
    --------
    >>> first, second = draw("stability", 2, seed=1)
    >>> first[0].answer != second[0].answer
    True
    """
    asked = questions.of(chapter)
    students, seed = checks.count("students", students), checks.count("seed", seed, least=0)
    sheets: list[list[Drawn]] = [[] for _ in range(students)]
    for k, question in enumerate(asked):
        taken: set[tuple] = set()
        for student, sheet in enumerate(sheets):
            sheet.append(_new(question, np.random.default_rng([seed, k, student]), taken, student))
    return sheets


def _new(question, rng, taken, others):
    """Return the question with numbers and an answer that are not taken, and take them; many may have a letter."""
    if isinstance(question, Task):
        return Drawn(question, {}, "", {})
    solved = _solved if isinstance(question, Question) else _chosen
    for _ in range(TRIES):
        try:
            values = question.draw(rng)
            right = question.answer(**values)
        except ValueError as error:
            if type(error) is not ValueError:  # too large a system, or a matrix that cannot be inverted
                raise
            continue  # a constraint of the model is violated, such as that of a stable queue
        variant = solved(question, values, right)
        own = {tuple(values.items())}
        if variant and variant.tolerance:
            own.add(("answer", printed(float(variant.answer), ASKED)))
        if variant and not own & taken:
            taken |= own
            return variant
    raise ValueError(f"{question.title!r} has not enough different answers for more than {others} students")


def _solved(question, values, exact):
    """Return the question with these numbers, or None if the answer to them cannot be marked."""
    if not LEAST_ANSWER < exact < math.inf:
        return None
    answer, *near = (printed(exact * (1 + shift)) for shift in (0, -MACHINES_APART, MACHINES_APART))
    wrong = {words: mistake(**values) for words, mistake in question.mistakes.items()}
    # A number that is taken for the right answer is not also taken for a mistake.
    apart = all(abs(other - exact) > TOLERANCE * (abs(other) + 1.1 * exact) for other in wrong.values())
    if set(near) != {answer} or not apart:
        return None
    mistaken = {words: printed(other) for words, other in wrong.items()}
    return Drawn(question, values, answer, mistaken, tolerance(answer))


def _chosen(question, values, right):
    wrong = {words: mistake(**values) for words, mistake in question.mistakes.items()}
    mistaken = {words: LETTERS[other] for words, other in wrong.items() if other != right}
    return Drawn(question, values, LETTERS[right], mistaken)
