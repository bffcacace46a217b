"""A chapter as JupyterLab, an editor or a preview can show it: with words for what only the book understands.

JupyterLab knows neither the book's references nor its directives. Here a reference has its number, a paper its authors,
a figure its caption; what the book folds or asks is plain Markdown.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from mjq.plots.tables import GLUED, significant
from mjq_book.chapters import CHAPTERS
from mjq_book.runs import changes
from mjq_book.runs.results import taken_from

# In the order of the book, which numbers the first ones.
NUMBERED = [chapter.name for chapter in CHAPTERS] + [chapter.companion for chapter in CHAPTERS if chapter.companion]
NOTEBOOKS = [*NUMBERED, "five_models"]

ROLE = re.compile(r"\{([\w:]+)\}`([^`]+)`", re.S)
WITH_TARGET = re.compile(r"(.*?)\s*<([^<>]+)>", re.S)
FENCE = re.compile(r"^(`{3,}|:{3,})\{([\w-]+)\}[ \t]*(.*?)[ \t]*$")
OPTION = re.compile(r"^:([\w-]+):[ \t]*(.*)$")
EQUATION = re.compile(r"\$\$(.+?)\$\$[ \t]*\(([\w:-]+)\)", re.S)
TO_A_PANEL = re.compile(r"\[([^\[\]]+)\]\(panel:[^)]*\)")
LINK = re.compile(r"\[([^\[\]]+)\]\(#([\w:.-]+)\)")
LABEL = re.compile(r"^\([\w:-]+\)=[ \t]*\n?", re.M)
SOLUTION = re.compile(r"^(`{3,}|:{3,})\{solution-(start|end)\}.*?^\1[ \t]*$", re.M | re.S)
HYPHEN = re.compile(r"(?<![^\s(\[=±<>≤≥×·/])-(?=\.?\d)|(?<=\()-(?=\w)|(?<=\s)-(?=\s)")  # one that stands for a minus
YOURS = "# Your work:"


class Words:
    """What the words of the chapters in a folder refer to.

    Parameters
    ----------
    folder : pathlib.Path
        With the folders ``notebooks`` and ``book``.
    executed : pathlib.Path, optional
        With copies of chapters, which are read in their place where they are newer.

    Attributes
    ----------
    chapters : dict
        Name to notebook.
    numbers : dict
        What the chapters keep, by the key of a chapter and a name.
    papers, figures, equations, exercises, homes : dict
        Of each key or label what the book shows: authors and year, a number; and the notebook in which it stands.
    """

    def __init__(self, folder: Path, executed: Path | None = None):
        self.folder = folder
        self.numbers = glued(folder, executed)
        papers = bibliography(folder / "book/references.bib").entries
        self.papers = {key: names_and_year(entry) for key, entry in papers.items()}
        self.figures: dict[str, str] = {}
        self.equations: dict[str, str] = {}
        self.exercises: dict[str, str] = {}
        self.homes: dict[str, str] = {}
        paths = files(folder, executed)
        self.chapters = {name: nbformat.read(paths[name], as_version=4) for name in NOTEBOOKS if name in paths}
        for k, name in enumerate(NOTEBOOKS, 1):
            if name in self.chapters:
                self._note(f"{k}." if name in NUMBERED else "", name, self.chapters[name])

    def _note(self, before, name, notebook):
        """Remember the labels of a chapter, and the numbers of its figures, exercises and equations."""
        text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
        exercises = re.findall(r"\{exercise-start\}.*\n:label: (\S+)", text)
        named = [cell.metadata.get("mystnb", {}).get("figure", {}).get("name") for cell in notebook.cells]
        equations = [label for _, label in EQUATION.findall(text)]
        figures = {figure: f"{before}{k}" for k, figure in enumerate(filter(None, named), 1)}
        self.exercises |= {label: f"{before}{k}" for k, label in enumerate(exercises, 1)}
        self.equations |= equation_numbers(equations, f"notebooks/{name}")
        self.figures |= figures
        labels = re.findall(r"^\(([\w:-]+)\)=", text, re.M)
        self.homes |= dict.fromkeys([*labels, *equations, *figures, *exercises], name)

    def plain(self, text: str) -> str:
        """Return Markdown without what only the book understands, inside of a paragraph."""
        text = LABEL.sub("", text)
        text = EQUATION.sub(lambda match: f"$${match[1].rstrip()} \\tag{{{self.equations[match[2]]}}}$$", text)
        text = TO_A_PANEL.sub(r"\1", text)
        text = LINK.sub(lambda match: self._link(match[1], match[2]), text)
        return ROLE.sub(lambda match: self._role(match[1], match[2]), text)

    def _role(self, name, text):
        """Return what a role shows."""
        text = " ".join(text.split())
        match = WITH_TARGET.fullmatch(text)
        shown, target = (match[1], match[2]) if match else (None, text)
        match name:
            case "computed":
                key, _, form = text.partition(":")
                value = self.numbers[key]
                return with_minus(format(value, form) if form else str(significant(value)))
            case "eq":
                return f"({self.equations[target]})"
            case "cite" | "cite:t" | "cite:p":
                papers = "; ".join(self.papers[key.strip()] for key in target.split(","))
                return papers if name == "cite:t" else f"({papers})"
            case "download":
                return shown or target
            case "math":
                return f"${text}$"
        raise ValueError(f"no notebook can show the role {name!r}")

    def _link(self, words, target):
        """Return words, linked to the notebook in which a label stands; equations and figures have their numbers."""
        return f"[{words}]({self.homes[target]}.ipynb)" if target in self.homes else words


def files(folder: Path, executed: Path | None = None) -> dict[str, Path]:
    """Return the files of the chapters in a folder by name: the notebook, or its executed copy where that is newer."""
    paths = {path.stem: path for path in sorted((folder / "notebooks").glob("*.ipynb"))}
    for name, path in paths.items():
        copy = executed / path.name if executed else path
        if copy.exists() and copy.stat().st_mtime_ns > path.stat().st_mtime_ns:
            paths[name] = copy
    return paths


def glued(folder: Path, executed: Path | None = None) -> dict[str, Any]:
    """Return numbers and words that the chapters in a folder keep, by the key of the chapter and their name."""
    paths = files(folder, executed).values()
    return {name: x for path in paths for name, x in _kept(path, path.stat().st_mtime_ns).items()}


@cache
def _kept(file: Path, when: int) -> dict[str, Any]:
    """Return what a notebook keeps, with its chapter's key, or the first word of its name."""
    key = next((x.key.lower() for x in CHAPTERS if file.stem in x.notebooks), file.stem.partition("_")[0])
    values = taken_from(nbformat.read(file, as_version=4)).values
    return {f"{key}-{name}": value for name, value in values.items()}


@cache
def bibliography(path: Path) -> Any:
    """Return the book's references, as pybtex reads them."""
    from pybtex.database import parse_file  # when it is needed

    return parse_file(path)


def names_and_year(entry: Any) -> str:
    """Return an entry of the bibliography as texts name it."""
    last = [" ".join(author.last_names) for author in entry.persons["author"]]
    names = f"{last[0]} et al." if len(last) > 2 else " and ".join(last)
    return f"{names} {entry.fields.get('year', 'n.d.')}"


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


@cache
def title(path: Path) -> str:
    """Return the first heading of a page or of a chapter."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        text = nbformat.reads(text, as_version=4).cells[0].source
    return re.findall(r"^# (.+)$", text, re.M)[0]


def blocks(text: str) -> Iterator[str | tuple[str, str, dict, str]]:
    """Yield text and directives in turns: a text, or (name, argument, options, content)."""
    plain: list[str] = []
    lines = iter(text.splitlines())
    for line in lines:
        opening = FENCE.match(line)
        if not opening:
            plain.append(line)
            continue
        if plain:
            yield "\n".join(plain)
            plain = []
        fence, name, argument = opening.groups()
        inside = []
        for inner in lines:
            if inner.rstrip() == fence:
                break
            inside.append(inner)
        options = {}
        while inside and (option := OPTION.match(inside[0])):
            options[option[1]] = option[2]
            del inside[0]
        yield name, argument, options, "\n".join(inside).strip("\n")
    if plain:
        yield "\n".join(plain)


def with_solutions_marked(notebook: NotebookNode) -> Iterator[tuple[NotebookNode, bool]]:
    """Yield the cells, each with whether it belongs to a solution; texts are cut where solutions begin and end."""
    solution = False
    for cell in notebook.cells:
        if cell.cell_type == "code":
            yield cell, solution
            continue
        done = 0
        for mark in SOLUTION.finditer(cell.source):
            yield new_markdown_cell(cell.source[done : mark.start()].strip("\n")), solution
            solution, done = mark[2] == "start", mark.end()
        yield new_markdown_cell(cell.source[done:].strip("\n")), solution


def said(block: str | tuple, words: Words) -> Iterator[NotebookNode]:
    """Yield the cells that a text or a directive becomes."""
    if isinstance(block, str):
        text = words.plain(block).strip("\n")
        if text:
            yield new_markdown_cell(text)
        return
    name, argument, options, content = block
    inner = "\n\n".join(cell.source for part in blocks(content) for cell in said(part, words))
    match name:
        case "exercise-start":
            yield new_markdown_cell(f"### Exercise {words.exercises[options['label']]}: {words.plain(argument)}")
        case "exercise-end":
            yield new_code_cell(YOURS)
        case "selfcheck":
            question = re.sub(r"^\* `[^`]+` ?", "* ", inner, flags=re.M)
            hint = words.plain(options["hint"])
            yield new_markdown_cell(f"**Check yourself.** {question}\n\n{_folded('Hint', hint)}")
            yield new_code_cell(YOURS)
        case "dropdown":
            yield new_markdown_cell(_folded(words.plain(argument), inner))
        case _:
            raise ValueError(f"no notebook can show the directive {name!r}")


def _folded(title, content):
    return f"<details><summary>{title}</summary>\n\n{content}\n\n</details>"


def is_glue(output: NotebookNode) -> bool:
    """Return whether an output is nothing but a number for a sentence."""
    kinds = output.get("data", {})
    return bool(kinds) and all(kind.startswith(GLUED) for kind in kinds)


def joined(cells: Iterable[NotebookNode]) -> list[NotebookNode]:
    """Return the cells with texts that follow each other as one."""
    result: list[NotebookNode] = []
    for cell in cells:
        if result and cell.cell_type == result[-1].cell_type == "markdown":
            result[-1].source += f"\n\n{cell.source}"
        else:
            result.append(cell)
    return result


def captioned(cell: NotebookNode, words: Words) -> Iterator[NotebookNode]:
    """Yield a code cell with its sentences in words, and the caption of its figure."""
    if "sentence" in cell.metadata.get("tags", []):
        cell.source = words.plain(cell.source)
        for output in cell.outputs:
            output.data = {kind: words.plain(text) for kind, text in output.get("data", {}).items()}
    yield cell
    figure = cell.metadata.get("mystnb", {}).get("figure", {})
    if figure:
        yield new_markdown_cell(f"*Fig. {words.figures[figure['name']]}. {words.plain(figure['caption'])}*")


def readable(chapter: NotebookNode, words: Words) -> NotebookNode:
    """Return a chapter that can be read wherever notebooks are, with its solutions and all outputs."""
    cells, before = [], False
    for cell, solution in with_solutions_marked(nbformat.from_dict(chapter)):
        if solution and not before:
            cells.append(new_markdown_cell("**Solution.**"))
        before = solution
        if cell.cell_type == "code":
            cells += captioned(cell, words)
            if "checks" in cell.metadata.get("tags", []):
                cells.append(new_markdown_cell(changes.explained(chapter)))
        else:
            cells += [x for block in blocks(cell.source) for x in said(block, words) if x.cell_type == "markdown"]
    return nbformat.v4.new_notebook(cells=joined(cells), metadata=chapter.metadata)
