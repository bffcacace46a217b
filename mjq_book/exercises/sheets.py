"""A folder with a sheet and a solution for each student, and one key."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mjq_book import browser, folders
from mjq_book.exercises.drawn import Drawn, draw
from mjq_book.exercises.pages import Block, as_gift, as_html, as_markdown
from mjq_book.exercises.question import Choice, Task, written

FORMATS, EXPORTS = ("md", "html", "pdf"), ("gift",)
KEY_COLUMNS = [
    "student", "question", "title", "kind", "given", "answer", "tolerance", "unit", "points", "if somebody overlooked",
]  # fmt: skip
ANSWER_COLUMNS = ["student", "question", "answer"]
FOOTER = (
    '<div style="width: 100%; font: 8px sans-serif; text-align: center">'
    '<span class="title"></span> · <span class="pageNumber"></span> of <span class="totalPages"></span></div>'
)
ROOM = {"derive": 16, "explain": 16, "find the mistake": 10}  # lines to write on; 16 are half a page


def write(
    chapter: str, students: int, seed: int, folder: str | Path, form: str = "md", export: str | None = None
) -> Path:
    """Write sheets, solutions and a key into a new folder, and return it; it appears whole or not at all.

    The files are ``student01.md`` and ``student01-solution.md`` for each student, ``key.csv``, and ``answers.csv``
    with a row for each answer to be filled in. A PDF file is printed by Chromium or Chrome through playwright.

    Parameters
    ----------
    chapter : str
        Name of a chapter with a model.
    students : int
    seed : int
        The same seed gives the same sheets.
    folder : path
        Must not exist.
    form : str
        ``md`` for Markdown, ``html`` for pages that can be printed, ``pdf`` for such pages printed.
    export : str, optional
        ``gift``: also write ``questions.gift``, which Moodle imports.

    Raises
    ------
    ValueError
        If the folder exists, there is no such chapter, form or export, or there are too many students for it.
    RuntimeError
        If there is nothing to print PDF files with. The message says what to install.
    """
    folder = Path(folder)
    if os.path.lexists(folder):
        raise ValueError(f"{folder} exists: sheets go into a new folder")
    if form not in FORMATS or export not in (None, *EXPORTS):
        raise ValueError(f"sheets are in {', '.join(FORMATS[:-1])} or {FORMATS[-1]}, exports in {' or '.join(EXPORTS)}")
    drawn = draw(chapter, students, seed)
    digits = max(2, len(str(students)))
    names = [f"student{k:0{digits}}" for k in range(1, students + 1)]
    with _writer(form) as put, folders.unfinished(folder) as new:
        for name, questions in zip(names, drawn, strict=True):
            for file, blocks in (name, sheet), (f"{name}-solution", solution):
                put(new / f"{file}.{form}", blocks(chapter, name, questions))
        (new / "key.csv").write_text(key(names, drawn), encoding="utf-8", newline="")
        empty = [(name, k, "") for name in names for k, _ in enumerate(drawn[0], 1)]
        (new / "answers.csv").write_text(as_csv(ANSWER_COLUMNS, empty), encoding="utf-8", newline="")
        if export:
            (new / "questions.gift").write_text(as_gift(chapter, names, drawn), encoding="utf-8")
        return folders.settle(new, folder, force=False)


@contextmanager
def _writer(form: str) -> Iterator[Callable[[Path, list[Block]], object]]:
    """Yield what writes the blocks of a sheet to a file of this form."""
    if form == "pdf":
        with browser.launched() as chromium:
            page = chromium.new_page(java_script_enabled=False, offline=True)
            yield lambda path, blocks: _print(page, path, blocks)
    else:
        as_text = as_markdown if form == "md" else as_html
        yield lambda path, blocks: path.write_text(as_text(blocks), encoding="utf-8")


def _print(page, path, blocks):
    """Print blocks to a PDF file, with their heading and the number of the page below each page."""
    page.set_content(as_html(blocks))
    page.pdf(
        path=path, prefer_css_page_size=True, tagged=True, display_header_footer=True,
        header_template="<span></span>", footer_template=FOOTER,
    )  # fmt: skip


def sheet(chapter: str, name: str, questions: list[Drawn]) -> list[Block]:
    """Return the blocks of one student's sheet."""
    blocks: list[Block] = [
        ("h1", f"{_title(chapter)}: {name}"),
        ("text", "Name: ______________________________"),
        ("text", "Give each number to three significant digits, and say how you found it. "
         "Nobody else has these numbers."),
    ]  # fmt: skip
    for k, variant in enumerate(questions, 1):
        blocks += _asked(k, variant)
        if isinstance(variant.question, Task):
            blocks.append(("room", ROOM[variant.question.kind]))
        else:
            unit = f" ({variant.question.unit})" if variant.question.unit else ""
            blocks.append(("answer", f"Answer{unit}"))
    return blocks


def solution(chapter: str, name: str, questions: list[Drawn]) -> list[Block]:
    """Return the blocks of one student's sheet with the way to each answer."""
    blocks: list[Block] = [("h1", f"{_title(chapter)}: solution for {name}")]
    for k, variant in enumerate(questions, 1):
        blocks += _asked(k, variant)
        question = variant.question
        if isinstance(question, Task):
            blocks += [("text", "A model answer:"), ("text", question.model), ("worth", question.worth)]
        else:
            answer = f"{variant.answer} {question.unit}".rstrip()
            way = question.explained(variant.values, variant.answer)
            blocks += [("text", way), ("text", f"The answer is {answer}.")]
    return blocks


def _title(chapter):
    return chapter.replace("_", " ").capitalize()


def _asked(k, variant):
    """Yield the heading and the text of a question, as on the sheet and in its solution."""
    question = variant.question
    unit = "point" if question.points == 1 else "points"
    yield "h2", f"{k}. {question.title} ({question.points} {unit})"
    yield "text", question.text if isinstance(question, Task) else question.asked(variant.values)
    if isinstance(question, Choice):
        yield "options", question.offered(variant.values)


def key(names: list[str], drawn: list[list[Drawn]]) -> str:
    """Return all answers as CSV, a row for each student and question, with the answers that mistakes lead to."""
    rows = []
    for name, questions in zip(names, drawn, strict=True):
        for k, variant in enumerate(questions, 1):
            asked = variant.question
            given = "; ".join(f"{key} = {written(value)}" for key, value in variant.values.items())
            mistaken = "; ".join(f"{answer} {words}" for words, answer in variant.mistaken.items())
            row = [name, k, asked.title, asked.kind, given, variant.answer, variant.tolerance, asked.unit, asked.points]
            rows.append([*row, mistaken])
    return as_csv(KEY_COLUMNS, rows)


def as_csv(head: list[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table as CSV, with a line feed behind each row."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([head, *rows])
    return text.getvalue()
