"""Chapters as they are stored: plain Markdown with a little HTML, which every notebook program shows, and the book too.

What the book has a directive or a role for is stored in a form that needs neither, and `myst` gives the book its own:

======================================================================  ==============================================
stored                                                                  for the book
======================================================================  ==============================================
``<div id="x"></div>`` before a heading or a paragraph                  ``(x)=``
``<div id="bb22:4"></div>`` before ``$$… \\tag{BB22.4}$$``               ``$$…$$ (bb22:4)``
``[words](other.ipynb#x)``                                              ``[words](#x)``
``[words](#x "Panel stability: share=3, part=90")``, to its figure      ``[words](panel:stability?share:3,part:90)``
``[Grosof et al. 2020](../book/references.bib#GHS20)``, ``([…](…))``    ``{cite:t}`GHS20```, ``{cite:p}`GHS20```
``<details><summary>Hint</summary>`` … ``</details>``                   ``:::{dropdown} Hint``
a cell ``<div id="x"></div>``, ``**Fig. 2.1.** …`` behind a figure      the figure's caption
a cell ``<div id="x"></div>``, ``### Exercise 2.3: …``                  ``{exercise-start}`` … ``{exercise-end}``
a cell ``<details><summary>Solution</summary>`` … ``</details>``        ``{solution-start}`` … ``{solution-end}``
the same with comments before words and code (`solutions.py`)           the same, with cells
a cell ``**Check yourself.** …`` with ``selfcheck`` in its metadata     ``:::{selfcheck}``
the cell ``imports``, above the answer                                  above the cell ``parameters``
======================================================================  ==============================================
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from mjq.plots.tables import GLUED
from mjq_book.chapters import CHAPTERS
from mjq_book.runs import solutions
from mjq_book.runs.results import taken_from

# In the order of the book, which numbers the first ones.
NUMBERED = [chapter.name for chapter in CHAPTERS] + [chapter.companion for chapter in CHAPTERS if chapter.companion]
NOTEBOOKS = [*NUMBERED, "five_models"]

PLACE = r'<div id="([\w:-]+)"></div>'
TARGET = re.compile(rf"^([ \t]*){PLACE}\n*", re.M)
EQUATION = re.compile(rf"^([ \t]*){PLACE}\n\n[ \t]*\$\$((?:(?!\$\$).)+?)\s*\\tag\{{[^}}]*\}}\s*\$\$", re.M | re.S)
TAGGED = re.compile(rf"{PLACE}\n\n[ \t]*\$\$(?:(?!\$\$).)+?\\tag\{{([^}}]*)\}}", re.S)
COUNTED = re.compile(rf"{PLACE}\n\n(?:\*\*Fig\.|### Exercise) ([\d.]+)[.:]")
CAPTION = re.compile(rf"{PLACE}\n\n\*\*Fig\. ([\d.]+)\.\*\* (.+)", re.S)
EXERCISE = re.compile(rf"((?:{PLACE}\n)*){PLACE}\n\n### Exercise ([\d.]+): (.+?)\n\n(.+?)(?=\n\n<details>|\Z)", re.S)
FOLD = re.compile(r"<details><summary>(.+?)</summary>\n\n(.*?)\n\n</details>", re.S)
CHECK = re.compile(r"\*\*Check yourself\.\*\* (.+)\n\n<details><summary>Hint</summary>\n\n(.+)\n\n</details>", re.S)
CITATION = re.compile(r"\[[^\[\]]+\]\(\.\./book/references\.bib#(\w+)\)")
CITATIONS = re.compile(rf"\((?:{CITATION.pattern}(?:;\s)?)+\)")
PANEL = re.compile(r'\]\(#[\w:-]+\s+"Panel (\w+): ([^"]+)"\)')
LINK = re.compile(r"\]\([\w./-]*#([\w:.-]+)\)")
HYPHEN = re.compile(r"(?<![^\s(\[=±<>≤≥×·/])-(?=\.?\d)|(?<=\()-(?=\w)|(?<=\s)-(?=\s)")  # one that stands for a minus


# --- The book's form --------------------------------------------------------------------------------------------------


def myst(notebook: NotebookNode) -> NotebookNode:
    """Return a stored notebook as the book reads it."""
    cells: list[NotebookNode] = []
    exercise, figure, in_solution = "", None, False
    for cell in solutions.unfold(notebook).cells:
        if in_solution != solutions.is_solution(cell):
            start = f"````{{solution-start}} {exercise}\n:class: dropdown\n````"
            cells.append(new_markdown_cell("````{solution-end}\n````" if in_solution else start))
            in_solution = not in_solution
        caption = CAPTION.fullmatch(cell.source)
        if figure and caption:
            figure["caption"] = in_myst(caption[3])
            continue
        figure = cell.metadata.get("mystnb", {}).get("figure")
        for output in cell.get("outputs", []):
            if "text/markdown" in output.get("data", {}):
                output.data["text/markdown"] = in_myst(output.data["text/markdown"])
        if cell.cell_type == "markdown":
            asked = EXERCISE.match(cell.source)
            exercise = asked[3] if asked else exercise
            cell.source = _directives(cell)
        cells.append(cell)
    names = [cell.metadata.get("name") for cell in cells]
    if {"imports", "parameters"} <= {*names}:
        cells.insert(names.index("parameters") - 1, cells.pop(names.index("imports")))
    return nbformat.v4.new_notebook(cells=cells, metadata=notebook.metadata)


def in_myst(text: str) -> str:
    r"""Return Markdown with the book's labels, references and folds.

    >>> in_myst("[Here](other.ipynb#place) ([Grosof et al. 2020](../book/references.bib#GHS20)).")
    '[Here](#place) {cite:p}`GHS20`.'
    >>> in_myst('<div id="place"></div>\n\n## Here')
    '(place)=\n## Here'
    >>> in_myst('[So](#place "Panel stability: n=10, share=3.4")')
    '[So](panel:stability?n:10,share:3.4)'
    """
    text = EQUATION.sub(r"\1$$\3$$ (\2)", text)
    text = TARGET.sub(r"\1(\2)=\n", text)
    text = FOLD.sub(r":::{dropdown} \1\n\2\n:::", text)
    text = CITATIONS.sub(lambda match: f"{{cite:p}}`{','.join(CITATION.findall(match[0]))}`", text)
    text = CITATION.sub(r"{cite:t}`\1`", text)
    text = PANEL.sub(lambda match: f"](panel:{match[1]}?{match[2].replace('=', ':').replace(', ', ',')})", text)
    return LINK.sub(r"](#\1)", text)


def _directives(cell):
    """Return the text of a cell with directives for what the book shows in boxes."""
    if "selfcheck" in cell.metadata:
        return _self_check(cell)
    folded = FOLD.fullmatch(cell.source)
    if folded and folded[1] == "Solution":
        return in_myst(folded[2])
    asked = r"\1```{exercise-start} \5\n:label: \3\n```\n\n\6\n```{exercise-end}\n```"
    return in_myst(EXERCISE.sub(asked, cell.source))


def _self_check(cell):
    """Return a question as a directive: words and hint are the cell's, what is right and why are in its metadata."""
    about = dict(cell.metadata.selfcheck)
    ((question, about["hint"]),) = CHECK.findall(cell.source)
    for condition in about.pop("right", []):
        question = re.sub(r"^\* (?!`)", f"* `{condition}` ", question, count=1, flags=re.M)
    if "unit" in about:
        about["unit"] = f'"{about["unit"]}"'  # options are YAML, which takes no bare %
    opening = f":::{{selfcheck}} {about.pop('name')}\n"
    options = "".join(f":{key}: {in_myst(str(value))}\n" for key, value in about.items())
    return f"{opening}{options}\n{in_myst(question)}\n:::"


# --- Numbers ----------------------------------------------------------------------------------------------------------


def numbers(notebook: NotebookNode) -> dict[str, str]:
    """Return the numbers of equations, figures and exercises by their labels, as a stored notebook shows them."""
    text = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    return {label: number for form in (TAGGED, COUNTED) for label, number in form.findall(text)}


def equation_numbers(labels: Iterable[str], page: str) -> dict[str, str]:
    """Return the numbers of a page's labelled equations: those of the paper, and letters for ours.

    Letters on companions are capitals.

    >>> equation_numbers(["bb22:4", "bb22:delta"], "notebooks/processing_capacity")
    {'bb22:4': 'BB22.4', 'bb22:delta': 'BB22.a'}
    """
    letters = iter(string.ascii_uppercase if page.endswith("_claims") else string.ascii_lowercase)
    numbers = {}
    for label in labels:
        paper, _, name = label.partition(":")
        numbers[label] = f"{paper.upper()}.{name if name.isdigit() else next(letters)}"
    return numbers


def with_minus(text: str) -> str:
    """Return the text with minus signs.

    >>> with_minus("-3.9 % of the class-1 jobs, (-1), N - 1, 2-3, (-shape - 1), 1e-5")
    '−3.9 % of the class-1 jobs, (−1), N − 1, 2-3, (−shape − 1), 1e-5'
    """
    return HYPHEN.sub("−", text)


# --- Files ------------------------------------------------------------------------------------------------------------


def files(folder: Path, executed: Path | None = None) -> dict[str, Path]:
    """Return the files of the chapters in a folder by name: the notebook, or its executed copy where that is newer."""
    paths = {path.stem: path for path in sorted((folder / "notebooks").glob("*.ipynb"))}
    for name, path in paths.items():
        copy = executed / path.name if executed else path
        if copy.exists() and copy.stat().st_mtime_ns > path.stat().st_mtime_ns:
            paths[name] = copy
    return paths


def chapters(folder: Path, executed: Path | None = None) -> dict[str, NotebookNode]:
    """Return the notebooks in a folder by name, in the order of the book, with solutions as cells."""
    paths = files(folder, executed)
    return {name: solutions.read(paths[name]) for name in NOTEBOOKS if name in paths}


def glued(folder: Path, executed: Path | None = None) -> dict[str, Any]:
    """Return numbers and words that the chapters in a folder keep, by the key of the chapter and their name."""
    paths = files(folder, executed).values()
    return {name: x for path in paths for name, x in _kept(path, path.stat().st_mtime_ns).items()}


@cache
def _kept(file: Path, when: int) -> dict[str, Any]:
    """Return what a notebook keeps, with its chapter's key, or the first word of its name."""
    key = next((x.key.lower() for x in CHAPTERS if file.stem in x.notebooks), file.stem.partition("_")[0])
    values = taken_from(solutions.read(file)).values
    return {f"{key}-{name}": value for name, value in values.items()}


def is_glue(output: NotebookNode) -> bool:
    """Return whether an output is nothing but a number for a sentence."""
    kinds = output.get("data", {})
    return bool(kinds) and all(kind.startswith(GLUED) for kind in kinds)
