"""What each parameter of a chapter moves, and what came out otherwise in a run than in the book.

The code of a chapter says what can depend on a parameter: the cells that use it, or a name that was computed from it.
All else is the same in every run. What did change is seen beside the outputs that the chapter stores.
"""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell
from tabulate import tabulate

from mjq_book.runs.statements import statements

NUMBER = re.compile(r"(?<![\w.])[-−]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?(?![\d])")
SENTENCE_END = re.compile(r"(?<=[.!?])(?<!\bEq\.)(?<!\bEqs\.)(?<!\bFig\.)(?<!\bFigs\.)\s+(?=[^a-z])")
PADDING = re.compile(r"([ -])\1+")  # of tables, which their widest entry decides
MANY_TIMES = 4  # a relative difference beyond which no per cent is told
LINES, HEAD = 5, 2  # of what a run found, before all else; of a table above its rows
EFFORT = {"jobs", "replications", "workers", "points", "systems", "cases", "seed"}  # parameters of no system
SAME = 1e-9  # relative difference of numbers that count as equal
CHECKS = "mjq-checks"  # marks the line that says how many checks passed
ANOTHER_REASON = "Other for another reason, such as other versions or another processor"
KINDS = "sentence", "table", "figure", "result"


@dataclass(frozen=True)
class Shown:
    """Hold what a cell shows: the cell's name, one of `KINDS`, the section in which it stands, its text and figure."""

    cell: str
    kind: str
    section: str
    text: str
    picture: str = ""  # Markdown with the figure and its caption


@dataclass(frozen=True)
class Change:
    """Hold what differs from the book: as it is here, and the text in the book, which is empty if there is none."""

    shown: Shown
    before: str

    @property
    def numbers(self) -> list[tuple[str, str]]:
        """Return all numbers, as the book shows them and as they are here; none where words differ, and of figures."""
        if self.shown.kind == "figure" or NUMBER.sub("#", self.before) != NUMBER.sub("#", self.shown.text):
            return []
        return list(zip(NUMBER.findall(self.before), NUMBER.findall(self.shown.text), strict=True))

    @property
    def relative(self) -> float:
        """Return the largest relative difference of a number from the book's."""
        return max((_apart(a, b) for a, b in self.numbers), default=0.0)

    @property
    def counts(self) -> bool:
        """Return whether there is a difference that is more than one of rounding."""
        return self.before != self.shown.text and not (self.numbers and self.relative <= SAME)

    @property
    def sentences(self) -> list[str]:
        """Return the sentences that differ, with the book's numbers in brackets behind those that do.

        >>> item = Shown("answer", "sentence", "", "The limit is 7.0. It is 10 % too high: 2 are lost.")
        >>> Change(item, "The limit is 3.5. It is 10 % too high: 2 are lost.").sentences
        ['The limit is 7.0 [3.5].']
        """
        if self.shown.kind != "sentence":
            return []
        before = SENTENCE_END.split(self.before)
        of_words = {NUMBER.sub("#", sentence): NUMBER.findall(sentence) for sentence in before}
        found = []
        for sentence in SENTENCE_END.split(self.shown.text):
            old = iter(of_words.get(NUMBER.sub("#", sentence), ()))
            if sentence not in before:
                found.append(NUMBER.sub(lambda match, old=old: _beside(next(old, match[0]), match[0]), sentence))
        return found

    @property
    def words(self) -> str:
        """Return what differs, and by how much, on one line."""
        by = ""
        if self.relative:
            old, new = max(self.numbers, key=lambda pair: _apart(*pair))
            by = f" whose numbers are up to {100 * self.relative:.3g} % away"
            if self.relative > MANY_TIMES:
                by = f" with a number that goes from {old} to {new}"
        return " ".join(" ".join(self.sentences).split()) or f"a {self.shown.kind}{by}"


@dataclass(frozen=True)
class Changes:
    """Hold how a run differs from the book."""

    given: dict[str, tuple[Any, Any]]
    """Parameters that are not those of the book: name to the value in the run and the value in the book."""
    differ: list[Change]
    """First what depends on parameters of a system; then what depends on the effort alone, such as seed and jobs."""
    strange: list[Change]
    """What differs although it cannot depend on them: other versions of software, or another processor."""
    moved: list[Shown]
    """What may depend on them."""


def shown(notebook: NotebookNode) -> list[Shown]:
    """Return what the named cells of an executed notebook show, but for checks."""
    section, outputs = "", []
    for cell, below in zip(notebook.cells, [*notebook.cells[1:], new_markdown_cell()], strict=True):
        if cell.cell_type == "markdown":
            section = (re.findall(r"^## (.+)$", cell.source, re.M) or [section])[-1]
        elif cell.cell_type == "code" and "name" in cell.metadata:
            data = [output.get("data", {"text/plain": output.get("text", "")}) for output in cell.outputs]
            data = [part for part in data if CHECKS not in part.get("text/html", "")]
            text = PADDING.sub(r"\1", "\n".join(_text(part) for part in data)).strip()
            kind = _kind(data, text)
            if text:
                text = " ".join(text.split()) if kind == "sentence" else text  # where its lines end does not matter
                outputs.append(Shown(cell.metadata.name, kind, section, text, _picture(cell, data, below)))
    return outputs


def moved(notebook: NotebookNode) -> dict[str, set[str]]:
    """Return the names of the cells whose outputs may depend on each parameter.

    >>> from nbformat.v4 import new_code_cell, new_notebook
    >>> sources = {"parameters": "x = 1\\ny = 2", "double": "twice = 2 * x", "table": "print(twice, y)"}
    >>> cells = [new_code_cell(text, metadata={"name": key, "tags": [key]}) for key, text in sources.items()]
    >>> {name: sorted(cells) for name, cells in moved(new_notebook(cells=cells)).items()}
    {'x': ['double', 'table'], 'y': ['table']}
    """
    given = "injected-parameters"  # of a run: they only set the parameters again
    cells = [x for x in notebook.cells if x.cell_type == "code" and given not in x.metadata.get("tags", [])]
    lines = [statements(cell.source) for cell in cells]
    modules = {name for cell in lines for line in cell if line.is_import for name in line.binds}
    tagged = [k for k, cell in enumerate(cells) if "parameters" in cell.metadata.get("tags", [])][:1]
    late = _when_called(line for cell in lines for line in cell)
    nothing: tuple[set[str], set[str]] = set(), set()
    dependents = {}
    for parameter in [name for k in tagged for line in lines[k] for name in sorted(line.binds)]:
        depend, touched = {parameter}, set()
        for cell, code in zip(cells[tagged[0] + 1 :], lines[tagged[0] + 1 :], strict=True):
            for line in code:
                within = [late.get(name, nothing) for name in line.uses]
                if not line.is_import and depend & line.uses.union(*(uses for uses, _ in within)):
                    changed = line.changes.union(*(changes for _, changes in within))
                    depend |= line.binds | changed - modules
                    touched.add(cell.metadata.get("name"))
                elif line.is_certain:
                    depend -= line.binds
        dependents[parameter] = touched
    return dependents


def _when_called(lines):
    kinds = ast.FunctionDef | ast.ClassDef | ast.Lambda
    late: dict[str, tuple[set[str], set[str]]] = {}
    for line in lines:
        for name in line.binds if any(isinstance(x, kinds) for x in ast.walk(line.node)) else ():
            uses, changes = late.setdefault(name, (set(), set()))
            uses |= line.uses
            changes |= line.changes
    for _ in late:  # functions call functions
        for uses, changes in late.values():
            inner = [late[name] for name in uses & set(late)]
            uses.update(*(more for more, _ in inner))
            changes.update(*(more for _, more in inner))
    return late


def between(stored: NotebookNode, executed: NotebookNode, given: dict[str, tuple[Any, Any]]) -> Changes:
    """Return how a chapter that was executed with other parameters differs from the outputs that the chapter stores."""
    cells_of = {name: cells for name, cells in moved(stored).items() if name in given}
    depend = {cell for cells in cells_of.values() for cell in cells}
    of_a_system = {cell for name, cells in cells_of.items() if name not in EFFORT for cell in cells}
    before = {item.cell: item.text for item in shown(stored)}
    items = shown(executed)
    result = Changes(given, [], [], [item for item in items if item.cell in depend])
    for item in items:
        change = Change(item, before.get(item.cell, ""))
        if change.counts and item.cell in depend:
            result.differ.append(change)
        elif change.counts and item.kind != "figure":  # which may be drawn otherwise in a last digit
            result.strange.append(change)
    result.differ.sort(key=lambda change: change.shown.cell not in of_a_system)
    return result


def moves(notebook: NotebookNode) -> dict[str, list[Shown]]:
    """Return for each parameter what of an executed notebook may depend on it."""
    items = shown(notebook)
    return {name: [item for item in items if item.cell in cells] for name, cells in moved(notebook).items()}


def explained(notebook: NotebookNode) -> str:
    """Return HTML that says what the parameters of an executed notebook move, behind a fold.

    Parameters that move as much in the same sections share a line.
    """
    alike: dict[str, list[str]] = {}
    for name, items in moves(notebook).items():
        alike.setdefault(named(items, sections=True), []).append(name)
    rows = [[", ".join(names), words] for words, names in alike.items()]
    table = tabulate(rows, ["Parameters", "What may depend on them"], tablefmt="html")
    return f'<details class="what-moves"><summary>What each parameter moves</summary>{table}</details>'


def named(items: Iterable[Shown], sections: bool = False) -> str:
    """Return how many sentences, tables and figures there are, in words, and perhaps in which sections.

    >>> items = [Shown("a", "table", "The answer", ""), Shown("b", "table", "", ""), Shown("c", "figure", "", "")]
    >>> named(items), named(items[:1], sections=True), named([])
    ('2 tables and 1 figure', '1 table in The answer', 'nothing')
    """
    items = list(items)
    counts = Counter(item.kind for item in items)
    words = _joined(f"{counts[kind]} {kind}{'s' * (counts[kind] > 1)}" for kind in KINDS if counts[kind])
    places = list(dict.fromkeys(item.section for item in items if item.section)) if sections else []
    return f"{words or 'nothing'}{' in ' * bool(places)}{_joined(places)}"


def _joined(words):
    *most, last = [*words] or [""]
    return f"{', '.join(most)} and {last}" if most else last


def told(changes: Changes) -> str:
    """Return what a run has other than the book, as Markdown: its parameters, the first answers, and a fold with all.

    The first answers are a short table or what a cell prints, some sentences, and a figure.
    """
    values = [f"`{name} = {now!r}` (in the book {before!r})" for name, (now, before) in changes.given.items()]
    given = f"Parameters: {', '.join(values) or 'those of the book'}; all others are the book's."
    lines = [f"> **A run of this chapter.** {given} Numbers in brackets are the book's."]
    results = [x.shown for kind in ("table", "result") for x in changes.differ if x.shown.kind == kind]
    short = next((x for x in results if len(x.text.splitlines()) <= LINES + HEAD), None)
    if short:
        text = short.text if short.kind == "table" else f"```text\n{short.text}\n```"
        lines.append(f"From *{short.section}*:\n\n{text}")
    first = [sentence for x in changes.differ for sentence in x.sentences][:LINES]
    lines.append("\n".join(f"* {' '.join(sentence.split())}" for sentence in first))
    lines.append(next((x.shown.picture for x in changes.differ if x.shown.picture), ""))
    lines.append(f"Other than in the book: {named(x.shown for x in changes.differ)}.")
    if changes.differ:
        rows = [f"| {x.shown.section} | {x.words.replace('|', ' ')} |" for x in changes.differ]
        rows = ["| Where | What differs, with the book's numbers in brackets |", "|:--|:--|", *rows]
        lines.append("<details><summary>All that differs</summary>\n\n" + "\n".join(rows) + "\n\n</details>")
    if changes.strange:
        lines.append(f"{ANOTHER_REASON}: {named(x.shown for x in changes.strange)}.")
    return "\n\n".join(filter(None, lines))


def _text(data):
    kinds = "image/svg+xml", "image/png", "text/markdown", "text/latex", "text/plain"
    return next((str(data[kind]) for kind in kinds if kind in data), "")


def _picture(cell, data, below):
    """Return the figure of a cell as Markdown that needs no other file, with its caption in the cell below."""
    png = next((part["image/png"] for part in data if "image/png" in part), None)
    words = escape(cell.metadata.get("mystnb", {}).get("image", {}).get("alt", ""))
    caption = below.source.partition("</div>")[2].strip()
    return png and f'<img alt="{words}" src="data:image/png;base64,{"".join(png.split())}">\n\n{caption}'


def _kind(data, text):
    if any(kind.startswith("image/") for part in data for kind in part):
        return "figure"
    if re.search(r"^\|[-:|]+\|$", text, re.M):
        return "table"
    return "sentence" if any("text/markdown" in part for part in data) else "result"


def _beside(old, new):
    """Return a number with the book's in brackets if it is another one."""
    return f"{new} [{old}]" if _apart(old, new) else new


def _apart(a, b):
    """Return the relative difference of two numbers as they are shown; infinity if only the first is zero."""
    a, b = (float(number.replace(",", "").replace("−", "-")) for number in (a, b))
    return abs(b / a - 1) if a else math.inf * abs(b) if b else 0.0
