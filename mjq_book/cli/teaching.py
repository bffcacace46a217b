"""The commands for teachers: exercise sheets with other numbers for each student, and their grading."""

from __future__ import annotations

from pathlib import Path

import click

from mjq._util.plain import brief, counted
from mjq_book.cli.chapters import chapter_argument
from mjq_logs._util import atomic
from mjq_logs.cli.common import Command, NewFile, note, replace_option, show


@click.command(cls=Command)
@chapter_argument
@click.option(
    "--students", metavar="N", type=click.IntRange(1, 1000), default=30, show_default=True,
    help="Write this many sheets.",
)  # fmt: skip
@click.option(
    "--seed", metavar="N", type=click.IntRange(0), default=1, show_default=True,
    help="Draw the numbers from this seed. The same seed gives the same sheets.",
)  # fmt: skip
@click.option(
    "--format", "form", type=click.Choice(["md", "html", "pdf"]), default="md", show_default=True,
    help="Write Markdown, pages that a browser shows and prints without a network, or PDF files. For PDF files, "
    "playwright and Chromium or Chrome are needed.",
)  # fmt: skip
@click.option(
    "--export", type=click.Choice(["gift"]),
    help="Also write questions.gift, which Moodle imports into its question bank.",
)  # fmt: skip
@click.option(
    "-o", "folder", required=True, type=click.Path(), metavar="FOLDER",
    help="Write sheets, solutions, key.csv and answers.csv into this new folder.",
)  # fmt: skip
def sheets(name, students, seed, form, export, folder):
    """Write a different exercise sheet for each student, with solutions and a key.

    All sheets have the questions of the chapter. Questions for a number have other numbers on each sheet, and no two
    sheets share an answer. Tasks to derive, to explain and to find a mistake are the same for all; their solutions
    have a model answer with points. The key also lists the answers that common mistakes lead to. Fill the answers of
    your students into answers.csv for mjq grade.
    """
    from mjq_book.exercises import write  # the models take a second

    where = write(name, students, seed, folder, form, export)
    more = ", questions.gift" if export else ""
    show(f"{counted(students, 'sheet')}, a solution for each, key.csv, answers.csv{more}\n{where}")


@click.command(cls=Command)
@click.argument("answers", type=click.Path(exists=True, dir_okay=False))
@click.argument("key", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "-o", "marks", type=NewFile(), metavar="FILE",
    help="Write a mark for each answer into this CSV file. Points that you give are left empty.",
)  # fmt: skip
@replace_option
def grade(answers, key, marks):
    """Grade the answers to exercise sheets.

    ANSWERS is a CSV file with the columns student, question and answer. KEY is the file key.csv of the sheets. Numbers
    are right within the tolerance of the key, which leaves room for three significant digits. A wrong answer that a
    common mistake leads to gets a remark that names it. You mark tasks to derive, to
    explain and to find a mistake. You also mark an answer that cannot be read, such as a number with another unit than
    that of the sheet.
    """
    from tabulate import tabulate

    from mjq_book.exercises import grading

    grades = grading.grade(answers, key)
    if marks:
        atomic.write(Path(marks), grading.marks_file(grades))
    head = ["student", "points", "of", "left to you", "perhaps overlooked"]
    for mark in grades:
        if not mark.kind:
            note(f"{mark.remark}: this answer is not graded")
        elif mark.remark in (grading.TWICE, *grading.UNREADABLE.values()):
            note(f"{mark.student}, question {mark.question}: {brief(mark.answer)} is {mark.remark}")
    show(tabulate(grading.summary(grades), head, disable_numparse=[0]))
    if marks:
        show(f"\n{marks}")
