"""The ``variants`` command: exercise sheets with other numbers for each student."""

from __future__ import annotations

import click

from mjq.cli.chapters import chapter_argument
from mjq.cli.common import Command

__all__ = ["variants"]


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
    "-o", "folder", required=True, type=click.Path(), metavar="FOLDER",
    help="Write student01.md, student02.md, … and key.csv into this new folder.",
)  # fmt: skip
def variants(name, students, seed, folder):
    """Write a different exercise sheet for each student, and a key.

    All sheets have the questions of the chapter, each with its own numbers. Every question has a solution, and no two
    sheets share their numbers or an answer. The key also lists the answers that common mistakes lead to.
    """
    from mjq.exercises import write  # the models take a second

    click.echo(f"{students} sheets and key.csv\n{write(name, students, seed, folder)}")
