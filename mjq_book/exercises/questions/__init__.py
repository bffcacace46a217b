"""The questions of each chapter, in a module of the same name with a tuple ``QUESTIONS``."""

from __future__ import annotations

from importlib import import_module

from mjq_book.chapters import CHAPTERS
from mjq_book.exercises.question import Choice, Question, Task

__all__ = ["of"]


def of(chapter: str) -> tuple[Question | Choice | Task, ...]:
    """Return the questions of a chapter, in the order of its sections.

    Raises
    ------
    ValueError
        If there is no chapter of this name.

    Examples
    --------
    >>> of("stability")[0].title
    'The limit'
    """
    known = [entry.name for entry in CHAPTERS]
    if chapter not in known:
        raise ValueError(f"there is no chapter {chapter!r} with questions; there are: {', '.join(known)}")
    return import_module(f"{__name__}.{chapter}").QUESTIONS
