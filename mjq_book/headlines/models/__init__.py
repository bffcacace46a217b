"""The headlines, each in a module with the name of its model: inputs, outputs and a function, as ``HEADLINE``."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from mjq_book.chapters import CHAPTERS, Chapter
from mjq_book.headlines.model import Model

__all__ = ["MODELS"]


def _of(chapter: Chapter) -> Model:
    """Return the headline of a chapter, with its key in the title."""
    found = import_module(f"{__name__}.{chapter.name}").HEADLINE
    return replace(found, title=f"{found.title} [{chapter.key}]")


MODELS = {chapter.name: _of(chapter) for chapter in CHAPTERS if chapter.has_model}
