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
    """Hold a question with one student's numbers.

    Attributes
    ----------
    question : Question, Choice or Task
    values : dict
        Number by name.
    answer : str
        As it stands in the key: a rounded number, the letter of a statement, or nothing for a task.
    mistaken : dict
        What somebody may have overlooked, in words, and the answer that comes out then.
    tolerance : str
        By how much a number may differ from the answer; empty if there is no number.
    """

    question: Question | Choice | Task
    values: dict
    answer: str
    mistaken: dict
    tolerance: str = ""


def draw(chapter: str, students: int, seed: int) -> list[list[Drawn]]:
    """Draw the questions of each student.

    More students with the same seed leave the questions of the first ones as they were.

    Parameters
    ----------
    chapter : str
        Name of a chapter with a model.
    students : int
    seed : int
        Not negative.

    Raises
    ------
    ValueError
        If there is no such chapter, or a question has not enough different answers for this many students.

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
        numbers: set[tuple] = set()
        answers: set[str] = set()
        for student, sheet in enumerate(sheets):
            if isinstance(question, Task):
                sheet.append(Drawn(question, {}, "", {}))
                continue
            rng = np.random.default_rng([seed, k, student])
            variant = _new(question, rng, numbers, answers)
            numbers.add(tuple(variant.values.items()))
            if isinstance(question, Question):
                answers.add(_as_asked(variant.answer))
            sheet.append(variant)
    return sheets


def _new(question, rng, numbers, answers):
    """Return the question with numbers and an answer that nobody has yet; a letter may be had by many."""
    solved = _solved if isinstance(question, Question) else _chosen
    for _ in range(TRIES):
        variant = solved(question, rng)
        if variant and _as_asked(variant.answer) not in answers and tuple(variant.values.items()) not in numbers:
            return variant
    raise ValueError(f"{question.title!r} has not enough different answers for more than {len(numbers)} students")


def _as_asked(answer):
    return answer if answer in LETTERS else printed(float(answer), ASKED)


def _solved(question, rng):
    """Return the question with random numbers, or None if no answer to them can be marked."""
    try:
        values = question.draw(rng)
        exact = question.answer(**values)
    except ValueError as error:
        return _refused(error)
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


def _refused(error):
    """Raise the error again, unless a constraint of the model is violated, such as that of a stable queue."""
    if type(error) is not ValueError:  # too large a system, or a matrix that cannot be inverted
        raise error


def _chosen(question, rng):
    """Return the question with random numbers, or None if they violate a constraint of the model."""
    try:
        values = question.draw(rng)
        right = question.answer(**values)
    except ValueError as error:
        return _refused(error)
    wrong = {words: mistake(**values) for words, mistake in question.mistakes.items()}
    mistaken = {words: LETTERS[other] for words, other in wrong.items() if other != right}
    return Drawn(question, values, LETTERS[right], mistaken)
