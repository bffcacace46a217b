"""A folder with a sheet for each student and one key."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path

from mjq._util import folders
from mjq.exercises.drawn import Drawn, draw
from mjq.exercises.question import DIGITS, written

__all__ = ["key", "sheet", "write"]

NUMBERS = {3: "three", 4: "four", 5: "five"}
COLUMNS = ["student", "question", "title", "given", "answer", "unit", "if somebody overlooked"]


def write(chapter: str, students: int, seed: int, folder: str | Path) -> Path:
    """Write ``student01.md``, ``student02.md``, … and ``key.csv`` into a new folder; it appears whole or not at all.

    Parameters
    ----------
    chapter : str
        Name of a chapter with a model.
    students : int
    seed : int
        The same seed gives the same sheets.
    folder : path
        Must not exist.

    Returns
    -------
    pathlib.Path
        The folder.

    Raises
    ------
    ValueError
        If the folder exists, there is no such chapter, or there are too many students for it.
    """
    folder = Path(folder)
    if os.path.lexists(folder):
        raise ValueError(f"{folder} exists: sheets go into a new folder")
    drawn = draw(chapter, students, seed)
    digits = max(2, len(str(students)))
    names = [f"student{k:0{digits}}" for k in range(1, students + 1)]
    with folders.unfinished(folder) as new:
        for name, questions in zip(names, drawn, strict=True):
            (new / f"{name}.md").write_text(sheet(chapter, name, questions), encoding="utf-8")
        (new / "key.csv").write_text(key(names, drawn), encoding="utf-8", newline="")
        return folders.settle(new, folder, force=False)


def sheet(chapter: str, name: str, questions: list[Drawn]) -> str:
    """Return one student's sheet as Markdown."""
    title = chapter.replace("_", " ").capitalize()
    parts = [
        f"# {title}: {name}",
        f"Give each answer to {NUMBERS[DIGITS]} significant digits, and say how you found it. "
        "Nobody else has these numbers.",
    ]
    for k, one in enumerate(questions, 1):
        unit = f" ({one.question.unit})" if one.question.unit else ""
        parts += [f"## {k}. {one.question.title}", one.question.asked(one.values), f"Answer{unit}: ____________"]
    return "\n\n".join(parts) + "\n"


def key(names: list[str], drawn: list[list[Drawn]]) -> str:
    """Return all answers as CSV, a row for each student and question, with the answers that mistakes lead to."""
    rows = []
    for name, questions in zip(names, drawn, strict=True):
        for k, one in enumerate(questions, 1):
            given = "; ".join(f"{key} = {written(value)}" for key, value in one.values.items())
            mistaken = "; ".join(f"{answer} {words}" for words, answer in one.mistaken.items())
            rows.append([name, k, one.question.title, given, one.answer, one.question.unit, mistaken])
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([COLUMNS, *rows])
    return text.getvalue()
