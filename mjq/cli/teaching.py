"""The word for teachers: exercise sheets with other numbers for each student."""

from __future__ import annotations

import click

from mjq.cli.chapters import chapter_argument

__all__ = ["variants"]


@click.command()
@chapter_argument
@click.option("--students", type=click.IntRange(1, 1000), default=30, show_default=True, help="How many sheets.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="The same seed, the same sheets.")
@click.option(
    "-o", "folder", required=True, type=click.Path(), help="A new folder for student01.md, student02.md, … and key.csv."
)
def variants(name, students, seed, folder):
    """Write exercise sheets, a different one for each student, and the key.

    The questions are those of the chapter, every sheet with numbers of its own; each has a solution, and no two sheets
    have the same numbers or the same answer. The key says also which answer comes out when something is overlooked.
    """
    from mjq.exercises import write  # the models take a second

    click.echo(f"{students} sheets and key.csv\n{write(name, students, seed, folder)}")
