"""Answers of students, compared with the key of their sheets."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path

from mjq_book.exercises.question import tolerance
from mjq_book.exercises.sheets import ANSWER_COLUMNS, KEY_COLUMNS, as_csv

OVERLOOKED = "perhaps overlooked "
MARGIN = 1e-9  # relative, of a tolerance: decimals are not exact
MOST_SHOWN = 10  # bad rows in a message
FORMULA = "=+-@\t\r"  # with which a spreadsheet begins a formula
MINUS = "\N{MINUS SIGN}"  # as typeset; a keyboard has a hyphen
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?")
UNREADABLE = {"number": "not a number: yours to grade", "choice": "not a letter: yours to grade"}
TWICE = "answered more than once: yours to grade"


@dataclass(frozen=True)
class Mark:
    """Hold what an answer is worth."""

    student: str
    question: int
    title: str
    kind: str
    """Of the question."""
    answer: str
    key: str
    """The student's and the right one."""
    points: int | None
    """None: the teacher decides."""
    of: int
    """The most points."""
    remark: str


def grade(answers: str | Path, key: str | Path) -> list[Mark]:
    """Grade the answers of students by the key of their sheets, in its order.

    A number is right if it differs from that of the key by no more than the tolerance stated there, which leaves room
    for three significant digits. The unit of the sheet may stand behind it. A comma counts as a point; before each
    three digits it may also set off thousands, and the number is right if either reading is. A choice is right if it
    is the same letter. All other answers are left to the teacher, also one that cannot be read as a number or as a
    letter where the question asks for one, and two answers to one question. A question that a student has not answered
    earns no points. An answer of a student, or to a question, that is not in the key earns none, and comes last.

    Parameters
    ----------
    answers : path
        A CSV file with the columns ``student``, ``question`` and ``answer``, separated by commas or semicolons.
    key : path
        The file ``key.csv`` of the sheets.

    Raises
    ------
    ValueError
        If a row of the key is bad or there twice, which the message names; or no answer is to a question of the key.
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
    given: dict[tuple[str, str], list[str]] = {}
    strange: list[Mark] = []
    for place, row in _rows(answers, ANSWER_COLUMNS):
        where = row["student"], _plain(row["question"])
        if where not in asked:
            known = where[0] in students
            problem = (
                f"{where[0]} has no question {where[1]!r}" if known else f"there is no student {where[0]!r} in the key"
            )
            number = int(where[1]) if where[1].isdecimal() else 0
            strange.append(Mark(where[0], number, "", "", row["answer"], "", None, 0, f"{place}: {problem}"))
        else:
            given.setdefault(where, []).append(row["answer"])
    if strange and not given:
        raise ValueError(f"no answer is to a question of the key; {strange[0].remark}")
    marks = [_mark(row, mistaken, given.get(where, [])) for where, (row, mistaken) in asked.items()]
    return marks + strange


def _rows(path: str | Path, columns: list[str]) -> Iterator[tuple[str, dict[str, str]]]:
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
    if not row["question"].isdecimal() or not row["points"].isdecimal():
        return "needs whole numbers as question and points"
    if row["kind"] == "number" and not (_numbers(row["answer"]) and min(_numbers(row["tolerance"]), default=-1) >= 0):
        return "needs a number as answer, and one not below zero as tolerance"
    if row["kind"] == "choice" and len(row["answer"]) != 1:
        return "needs a letter as answer"
    return ""


def _mistaken(row):
    """Return the answers that mistakes lead to, each with what was overlooked."""
    parts = (part.split(" ", 1) for part in row["if somebody overlooked"].split("; ") if " " in part)
    return {answer: words for answer, words in parts}


def _plain(text):
    """Return the number of a question without zeros in front or behind the point, which spreadsheets add."""
    value = next(iter(_numbers(text)), math.nan)
    return str(int(value)) if value == value // 1 else text


def _numbers(text, unit=""):
    """Return the finite numbers that a text may stand for, with or without its unit: none, one, or two.

    >>> _numbers("3,407"), _numbers("\N{MINUS SIGN}1.5 jobs per hour", "jobs per hour"), _numbers("3 min", "h")
    ([3.407, 3407.0], [-1.5], [])
    """
    text = " ".join(text.replace(MINUS, "-").split())
    if unit and text.lower().endswith(unit.lower()):
        text = text[: -len(unit)].rstrip()
    readings = [text.replace(",", ".")] if text.count(",") < 2 and "." not in text else [text]
    readings += [text.replace(",", "")] if THOUSANDS.fullmatch(text) else []
    return [value for reading in readings if (value := _finite(reading)) is not None]


def _finite(text):
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in text else None


def _letter(text):
    letter = text.strip("() ").lower()
    return letter if len(letter) == 1 and "a" <= letter <= "z" else None


def _mark(row, mistaken, answers):
    kind, unit, answer = row["kind"], row["unit"], " | ".join(answers)
    if len(answers) > 1:
        return _marked(row, answer, None, TWICE)
    if kind not in UNREADABLE:
        return _marked(row, answer, None, "the teacher grades this")
    if not answer:
        return _marked(row, answer, 0, "no answer")
    values = [x for x in [_letter(answer)] if x] if kind == "choice" else _numbers(answer, unit)
    if not values:
        return _marked(row, answer, None, UNREADABLE[kind])
    if _is(values, row["answer"], kind, row["tolerance"]):
        return _marked(row, answer, int(row["points"]), "right")
    words = [words for wrong, words in mistaken.items() if _is(values, wrong, kind)]
    return _marked(row, answer, 0, f"{OVERLOOKED}{words[0]}" if words else "wrong")


def _marked(row, answer, points, remark):
    question, of = int(row["question"]), int(row["points"])
    return Mark(row["student"], question, row["title"], row["kind"], answer, row["answer"], points, of, remark)


def _is(values, right, kind, allowed=None):
    """Return whether one of the readings of an answer counts as this one."""
    if kind == "choice":
        return right in values
    exact = _numbers(right)[0]
    room = _numbers(tolerance(exact) if allowed is None else allowed)[0] * (1 + MARGIN)
    return any(abs(value - exact) <= room for value in values)


def marks_file(marks: list[Mark]) -> bytes:
    """Return all marks as CSV; points that the teacher gives are left empty."""
    rows = []
    for mark in marks:
        # An answer in words is no formula of a spreadsheet.
        words = not _numbers(mark.answer) and mark.answer[:1] in tuple(FORMULA)
        rows.append(list((vars(mark) | {"answer": f"'{mark.answer}" if words else mark.answer}).values()))
    return as_csv([field.name for field in fields(Mark)], rows).encode()


def summary(marks: list[Mark]) -> list[tuple[str, int, int, int, str]]:
    """Return a row for each student: points, of how many, what the teacher gives, and likely mistakes.

    A likely mistake is told in words, behind the numbers of the questions in which it was made.
    """
    by_student: dict[str, list[Mark]] = {}
    for mark in marks:
        by_student.setdefault(mark.student, []).append(mark)
    rows = []
    for student, own in by_student.items():
        graded = [mark for mark in own if mark.points is not None]
        likely: dict[str, list[str]] = {}
        for mark in graded:
            if mark.remark.startswith(OVERLOOKED):
                likely.setdefault(mark.remark.removeprefix(OVERLOOKED), []).append(str(mark.question))
        ungraded = sum(mark.of for mark in own if mark.points is None)
        mistakes = "; ".join(f"{', '.join(where)}: {words}" for words, where in likely.items())
        rows.append(
            (student, sum(mark.points or 0 for mark in graded), sum(mark.of for mark in graded), ungraded, mistakes)
        )
    return rows
