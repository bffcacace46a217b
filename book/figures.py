"""The figures of the chapters as these store them: for slides, the README and the first page."""

from itertools import pairwise

import nbformat

from mjq_book.runs.stored import CAPTION


def figures(folder, chapter):
    """The figures of a chapter by name: picture (SVG), caption, and what it shows in words."""
    by_name = {}
    for cell, below in pairwise(nbformat.read(folder / f"notebooks/{chapter}.ipynb", as_version=4).cells):
        caption = CAPTION.fullmatch(below.source)
        pictures = [output.get("data", {}).get("image/svg+xml") for output in cell.get("outputs", [])]
        if caption and any(pictures):
            picture = "".join(next(filter(None, pictures)))
            by_name[caption[1]] = picture, caption[3], cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
    return by_name
