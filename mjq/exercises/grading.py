"""Answers of students, compared with the key of their sheets."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mjq.exercises.question import tolerance
from mjq.exercises.sheets import ANSWER_COLUMNS, KEY_COLUMNS, as_csv

__all__ = ["ANSWER_COLUMNS", "MARK_COLUMNS", "Mark", "grade", "marks_file", "summary"]

MARK_COLUMNS = ["student", "question", "title", "kind", "answer", "key", "points", "of", "remark"]
OVERLOOKED = "perhaps overlooked "
MARGIN = 1e-9  # relative, of a tolerance: decimals are not exact
MOST_SHOWN = 10  # bad rows in a message
FORMULA = "=+-@\t\r"  # with which a spreadsheet begins a formula


@dataclass(frozen=True)
class Mark:
    """Hold what an answer is worth.

    Attributes
    ----------
    student : str
    question : int
    title, kind : str
        Of the question.
    answer, key : str
        The student's and the right one.
    points : int or None
        None: the teacher decides.
    of : int
        The most points.
    remark : str
    """

    student: str
    question: int
    title: str
    kind: str
    answer: str
    key: str
    points: int | None
    of: int
    remark: str


def grade(answers: str | Path, key: str | Path) -> list[Mark]:
    """Grade the answers of students by the key of their sheets.

    A number is right if it differs from that of the key by no more than the tolerance stated there, which leaves room
    for three significant digits. A decimal comma counts as a point. A choice is right if it is the same letter. All
    other answers are left to the teacher. A question that a student has not answered earns no points.

    Parameters
    ----------
    answers : path
        A CSV file with the columns ``student``, ``question`` and ``answer``, separated by commas or semicolons.
    key : path
        The file ``key.csv`` of the sheets.

    Returns
    -------
    list of Mark
        In the order of the key.

    Raises
    ------
    ValueError
        If a row of a file is bad: its student or question is not in the key, it is there twice, or its answer is not a
        number or a letter where the question asks for one. The message names the rows.
    """
    asked: dict[tuple[str, str], tuple[dict, dict]] = {}
    bad = []
    for place, row in _rows(key, KEY_COLUMNS):
        where = row["student"], row["question"]
        problem = "is in the key twice" if where in asked else _bad_key(row)
        if problem:
            bad.append(f"{place}: question {where[1]} of {where[0]} {problem}")
        else:
            asked[where] = row, _mistaken(row)
    _refuse(bad)
    if not asked:
        raise ValueError(f"{key} has no questions")
    students = {student for student, _ in asked}
    given: dict[tuple[str, str], str] = {}
    for place, row in _rows(answers, ANSWER_COLUMNS):
        where = row["student"], _plain(row["question"])
        if where[0] not in students:
            bad.append(f"{place}: there is no student {where[0]!r} in the key")
        elif where not in asked:
            bad.append(f"{place}: {where[0]} has no question {where[1]!r}")
        elif where in given:
            bad.append(f"{place}: {where[0]} answers question {where[1]} a second time")
        else:
            given[where] = row["answer"]
            problem = _bad_answer(row["answer"], asked[where][0]["kind"])
            bad += [f"{place}: {where[0]}, question {where[1]}: {problem}"] if problem else []
    _refuse(bad)
    return [_mark(row, mistaken, given.get(where, "")) for where, (row, mistaken) in asked.items()]


def _rows(path: str | Path, columns: list[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the rows of a table, each with its place, without blanks around its cells."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not text in UTF-8; save it as CSV UTF-8") from None
    first = text.split("\n", 1)[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=";" if ";" in first else ",", strict=True)
    try:
        head = [cell.strip() for cell in next(reader, [])]
        missing = [name for name in columns if head.count(name) != 1]
        if missing:
            raise ValueError(f"{path} needs one column each named {', '.join(columns)}; see {', '.join(missing)}")
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            place = f"{path}, line {reader.line_num}"
            if len(cells) != len(head):
                raise ValueError(f"{place}: {len(cells)} cells, but {len(head)} columns; quote an answer with commas")
            row = dict(zip(head, (cell.strip() for cell in cells), strict=True))
            yield place, {name: row[name] for name in columns}
    except csv.Error as error:
        raise ValueError(f"{path}, line {reader.line_num}: {error}") from None


def _refuse(bad):
    if bad:
        more = [f"and {len(bad) - MOST_SHOWN} more"] if len(bad) > MOST_SHOWN else []
        raise ValueError("\n".join([*bad[:MOST_SHOWN], *more]))


def _bad_key(row):
    """Return what is wrong with a row of the key, or nothing."""
    if not row["question"].isdecimal() or not row["points"].isdecimal():
        return "needs whole numbers as question and points"
    if row["kind"] == "number" and (_number(row["answer"]) is None or not (_number(row["tolerance"]) or -1) >= 0):
        return "needs a number as answer, and one not below zero as tolerance"
    if row["kind"] == "choice" and len(row["answer"]) != 1:
        return "needs a letter as answer"
    return ""


def _bad_answer(answer, kind):
    if kind == "number" and answer and _number(answer) is None:
        return f"{answer!r} is not a number"
    if kind == "choice" and answer and not _letter(answer):
        return f"{answer!r} is not a letter"
    return ""


def _mistaken(row):
    """Return the answers that mistakes lead to, each with what was overlooked."""
    parts = (part.split(" ", 1) for part in row["if somebody overlooked"].split("; ") if " " in part)
    return {answer: words for answer, words in parts}


def _plain(text):
    """Return the number of a question without zeros in front or behind the point, which spreadsheets add."""
    value = _number(text)
    return str(int(value)) if value is not None and value == int(value) else text


def _number(text):
    """Return a finite number, or None; a comma stands for a point if there is no point."""
    try:
        value = float(text.replace(",", ".") if text.count(",") == 1 and "." not in text else text)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in text else None


def _letter(text):
    found = text.strip("() ").lower()
    return found if len(found) == 1 and "a" <= found <= "z" else None


def _mark(row, mistaken, answer):
    points, remark = 0, "wrong"
    if row["kind"] not in ("number", "choice"):
        return _marked(row, answer, None, "the teacher grades this")
    if not answer:
        remark = "no answer"
    elif _is(answer, row["answer"], row["kind"], row["tolerance"]):
        points, remark = int(row["points"]), "right"
    else:
        words = [words for wrong, words in mistaken.items() if _is(answer, wrong, row["kind"])]
        remark = f"{OVERLOOKED}{words[0]}" if words else remark
    return _marked(row, answer, points, remark)


def _marked(row, answer, points, remark):
    question, of = int(row["question"]), int(row["points"])
    return Mark(row["student"], question, row["title"], row["kind"], answer, row["answer"], points, of, remark)


def _is(answer, right, kind, allowed=None):
    """Return whether an answer counts as this one."""
    if kind == "choice":
        return _letter(answer) == right
    value, exact = _number(answer), float(right)
    return abs(value - exact) <= float(allowed if allowed is not None else tolerance(right)) * (1 + MARGIN)


def marks_file(marks: list[Mark]) -> bytes:
    """Return all marks as CSV; points that the teacher gives are left empty."""
    rows = []
    for one in marks:
        # An answer in words is no formula of a spreadsheet.
        words = _number(one.answer) is None and one.answer[:1] in tuple(FORMULA)
        answer = f"'{one.answer}" if words else one.answer
        points = "" if one.points is None else one.points
        rows.append([one.student, one.question, one.title, one.kind, answer, one.key, points, one.of, one.remark])
    return as_csv(MARK_COLUMNS, rows).encode()


def summary(marks: list[Mark]) -> list[tuple[str, int, int, int, str]]:
    """Return a row for each student: points, of how many, what the teacher gives, and likely mistakes.

    A likely mistake is told in words, behind the numbers of the questions in which it was made.
    """
    by_student: dict[str, list[Mark]] = {}
    for one in marks:
        by_student.setdefault(one.student, []).append(one)
    rows = []
    for student, own in by_student.items():
        graded = [one for one in own if one.points is not None]
        likely: dict[str, list[str]] = {}
        for one in graded:
            if one.remark.startswith(OVERLOOKED):
                likely.setdefault(one.remark.removeprefix(OVERLOOKED), []).append(str(one.question))
        left = sum(one.of for one in own if one.points is None)
        told = "; ".join(f"{', '.join(where)}: {words}" for words, where in likely.items())
        rows.append((student, sum(one.points or 0 for one in graded), sum(one.of for one in graded), left, told))
    return rows
