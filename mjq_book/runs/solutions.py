"""Solutions of exercises with code: cells while a notebook runs, and one folded text cell where it is stored.

A forge folds no code cell. Comments in the text, which no program shows, say what its parts become: ``words``, or
``cell`` with a name. Tags and outputs of these cells are in the metadata of the text. Code that the book does not show,
as that of sentences, is in the comment::

    <details><summary>Solution</summary>

    *Computed with the chapter's own parameters.*

    <!-- words -->

    We ask the solver.

    <!-- cell solution-4 -->

    ```python
    6 * 7
    ```

    ```text
    42
    ```

    </details>
"""

from __future__ import annotations

import html
import re
from itertools import groupby
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

OPENING, CLOSING = "<details><summary>Solution</summary>\n\n", "\n\n</details>"
OF_THE_CHAPTER, OF_A_RUN = "the chapter's own parameters", "the parameters of this run"
MARK = re.compile(r"\n+<!-- (?:words|cell (\S+))(?: |\n(.*?)\n)-->(?:\n+|\Z)", re.S)
CODE = re.compile(r"(?:<details><summary>.*?</summary>\n\n)?(`{3,})python\n(.*?)\n\1$", re.M | re.S)
KINDS = "text/html", "text/markdown", "text/latex", "text/plain"  # the first that an output has is shown


def read(path: str | Path) -> NotebookNode:
    """Return the notebook in a file as it runs, with solutions as cells."""
    return unfold(nbformat.read(path, as_version=4))


def is_solution(cell: NotebookNode) -> bool:
    """Return whether a cell is a solution or a part of one."""
    return "solution" in cell.metadata or cell.source.startswith(OPENING)


def unfold(notebook: NotebookNode) -> NotebookNode:
    """Return a notebook with solutions as cells, whose metadata has the `id` of their text as ``solution``."""
    unfolded = nbformat.from_dict(notebook)
    unfolded.cells = []
    for cell in nbformat.from_dict(notebook.cells):
        _, *parts = MARK.split(cell.source.removesuffix(CLOSING)) if cell.source.startswith(OPENING) else [cell]
        for k, (name, hidden, below) in enumerate(zip(parts[::3], parts[1::3], parts[2::3], strict=True)):
            if name:
                block = CODE.match(below)
                code = block[2] if block and hidden is None else hidden
                if code is None:
                    raise ValueError(f"a solution has no code of the cell {name!r} below its comment")
                about = cell.metadata.get("cells", {}).get(name, {"metadata": {"name": name}})
                part = new_code_cell(code, **about)
            else:
                part = new_markdown_cell(below)
            part.id, part.metadata["solution"] = f"{cell.id}-{k}", cell.id
            unfolded.cells.append(part)
        unfolded.cells += [] if parts else [cell]
    return unfolded


def fold(notebook: NotebookNode, parameters: str = OF_THE_CHAPTER) -> NotebookNode:
    """Return a notebook with solutions as text, which says with which parameters they were computed."""
    folded = nbformat.from_dict(notebook)
    cells, folded.cells = folded.cells, []
    for solution, group in groupby(cells, lambda cell: cell.metadata.pop("solution", None)):
        parts = list(group)
        if solution:
            blocks = [f"*Computed with {parameters}.*", *(block for part in parts for block in _blocks(part))]
            code = [part for part in parts if part.cell_type == "code"]
            about = {x.metadata.name: {key: x[key] for key in ("metadata", "outputs", "execution_count")} for x in code}
            parts = [new_markdown_cell(OPENING + "\n\n".join(blocks) + CLOSING, id=solution, metadata={"cells": about})]
        folded.cells += parts
    return folded


def _blocks(cell):
    """Yield the blocks of text by which a cell of a solution is stored."""
    if cell.cell_type == "markdown":
        yield from ("<!-- words -->", cell.source)
    elif "remove-input" in cell.metadata.get("tags", []) and "-->" not in cell.source:
        yield f"<!-- cell {cell.metadata.name}\n{cell.source}\n-->"
    else:
        words = html.escape(cell.metadata.get("mystnb", {}).get("code_prompt_show", "Code"), quote=False)
        code, is_hidden = _fenced("python", cell.source), cell.metadata.get("jupyter", {}).get("source_hidden")
        yield f"<!-- cell {cell.metadata.name} -->"
        yield f"<details><summary>{words}</summary>\n\n{code}\n\n</details>" if is_hidden else code
    for output in cell.get("outputs", []):
        shown = output.get("data", {"text/plain": output.get("text", "")})
        kind = next((kind for kind in KINDS if kind in shown), "")
        yield _fenced("text", shown[kind].rstrip("\n")) if kind == "text/plain" else shown.get(kind, "").strip("\n")


def _fenced(language, text):
    """Return text as a block of code, between fences that are longer than those in it."""
    fence = max(["``", *re.findall("`+", text)], key=len) + "`"
    return f"{fence}{language}\n{text}\n{fence}"
