"""Chapters as programs: which there are, what can be changed, and whether given values pass its checks.

Everything is read from the notebooks themselves. The cell tagged ``parameters`` has a line for each parameter,

    p1: float = 0.7  # probability of class 1 [unit]; place in the paper

and the cell tagged ``checks``, which needs nothing but the parameters, raises a ``ValueError`` if one fails.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mjq._util import checks
from mjq._util.plain import brief, nearest
from mjq_book.chapters import CHAPTERS

IN_A_WHEEL, IN_A_CLONE = (Path(__file__).resolve().parents[up] / "notebooks" for up in (1, 2))
NOTEBOOKS = IN_A_WHEEL if IN_A_WHEEL.is_dir() else IN_A_CLONE
NONE_HERE = f"no chapters here: there is no folder {NOTEBOOKS}"
TYPES = {"int": "a whole number", "float": "a number", "str": "text", "bool": "true or false", "list": "a list"}


@dataclass(frozen=True)
class Parameter:
    """Describe one parameter: one line of a chapter's `parameters` cell."""

    name: str
    type: str
    """The type is int, float, str, bool or list."""
    default: object
    meaning: str
    unit: str
    place: str
    """The place is where the default comes from; unit and place may be empty."""


@dataclass(frozen=True)
class Chapter:
    """Describe a notebook that can be run with other parameters."""

    name: str
    title: str
    path: Path
    notebook: Any
    """An ``nbformat.NotebookNode``, with solutions as cells."""
    parameters: dict
    """Name to :class:`Parameter`, in the notebook's order."""

    @property
    def of_the_book(self) -> bool:
        """Return whether the chapter is one of the book's own."""
        return self.path.parent == NOTEBOOKS

    def values(self, given: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return all parameters, those given and the defaults of the others, checked.

        Parameters
        ----------
        given : dict, optional
            Name to value.

        Raises
        ------
        ValueError
            If a name is unknown (with the nearest known ones), a value has another type, or a constraint of the chapter
            is violated.

        Examples
        --------
        >>> chapter("stability").values({"n": 60})["n"]
        60
        """
        typed_ones = {name: typed(self.parameter(name), value) for name, value in (given or {}).items()}
        values = {name: parameter.default for name, parameter in self.parameters.items()} | typed_ones
        self.check(values)
        return values

    def parameter(self, name: str) -> Parameter:
        """Return a parameter by its name; raise ``ValueError`` with the nearest names if there is none."""
        if name not in self.parameters:
            raise ValueError(f"{self.name} has no parameter {name!r}; {nearest(name, list(self.parameters))}")
        return self.parameters[name]

    def check(self, values: Mapping[str, Any]) -> None:
        """Run the chapter's cell of checks on `values`; raise ``ValueError`` with the constraint that they violate."""
        for cell in _tagged(self.notebook, "checks"):
            try:
                exec(compile(cell.source, f"<checks of {self.name}>", "exec"), dict(values))
            except Exception as error:  # the cell is the chapter's author's
                kind = "" if isinstance(error, (ValueError, ArithmeticError)) else f"{type(error).__name__}: "
                raise ValueError(f"{self.name}: {kind}{error}") from error


def names() -> list[str]:
    """Return the names of the chapters in the order of the book; none where the library was installed without them.

    A chapter's companion, which examines its paper claim by claim, follows it.

    >>> names()[0], "cluster" in names()
    ('processing_capacity', True)
    """
    return [name for entry in CHAPTERS for name in entry.notebooks if (NOTEBOOKS / f"{name}.ipynb").is_file()]


def chapter(name: str | Path) -> Chapter:
    """Return a chapter by its name, or any notebook with a `parameters` cell by its path.

    Raises
    ------
    ValueError
        If there is none, or its parameters cannot be read.

    Examples
    --------
    >>> chapter("stability").parameters["p1"]
    Parameter(name='p1', type='float', default=0.7, meaning='probability of class 1', unit='', place='our choice')
    """
    known, is_file = names(), str(name).endswith(".ipynb")
    path = Path(name) if is_file else NOTEBOOKS / f"{name}.ipynb"
    if is_file and not path.is_file():
        raise ValueError(f"there is no notebook {str(name)!r}")
    if not is_file and name not in known and path.is_file():
        raise ValueError(f"{name} is no chapter; give its path: {path}")
    if not is_file and name not in known:
        raise ValueError(f"there is no chapter {name!r}; {nearest(str(name), known)}" if known else NONE_HERE)
    from mjq_book.runs import solutions  # nbformat takes a second, which help and errors need not wait for

    try:
        notebook = solutions.read(path)
        text = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
        title, marked = re.search(r"^# (.+)$", text, re.M), _tagged(notebook, "parameters")[:1]
        parameters = {p.name: p for cell in marked for p in _parameters(cell)}
    except Exception as error:  # whatever else the file may be
        raise ValueError(f"{name} is not a notebook that can be read: {error}") from error
    return Chapter(path.stem, title[1].strip() if title else path.stem, path, notebook, parameters)


def typed(parameter: Parameter, value: Any) -> Any:
    """Return the value as the parameter's type, or raise ``ValueError``.

    A whole number may be written as 30.0, a number as 30, and the entries of a list are numbers, words, true or false,
    or such lists; nothing is infinite.

    >>> typed(Parameter("n", "int", 30, "servers", "", ""), 40.0)
    40
    """
    kind = type(value)
    if parameter.type == "list" and kind in (list, tuple):
        floats = all(isinstance(leaf, float) for leaf in _leaves(parameter.default))
        return _entries(parameter.name, value, floats)
    if parameter.type == "float" and kind is int:
        value = float(checks.numbers(parameter.name, value, ndim=0))
    elif parameter.type == "int" and kind is float and value.is_integer():
        value = int(value)
    if type(value).__name__ != parameter.type:
        raise ValueError(f"{parameter.name} must be {TYPES[parameter.type]}, got {brief(value)}")
    if isinstance(value, float):
        checks.numbers(parameter.name, value, ndim=0)
    return value


def _entries(name, value, floats):
    """Return a list with its entries checked, whole numbers as floats if asked."""
    if isinstance(value, (list, tuple)):
        return [_entries(name, entry, floats) for entry in value]
    if not isinstance(value, (int, float, str, bool)) or (isinstance(value, float) and not math.isfinite(value)):
        raise ValueError(f"{name} must hold finite numbers or text, got {brief(value)}")
    return float(checks.numbers(name, value, ndim=0)) if floats and type(value) is int else value


def _leaves(value):
    return [leaf for entry in value for leaf in _leaves(entry)] if isinstance(value, list) else [value]


def _tagged(notebook, tag):
    return [c for c in notebook.cells if c.cell_type == "code" and tag in c.metadata.get("tags", [])]


def _parameters(cell):
    """Yield parameters from the assignments of a cell and the comments behind them."""
    lines = cell.source.splitlines()
    for node in ast.parse(cell.source).body:
        if not isinstance(node, (ast.Assign, ast.AnnAssign)) or node.value is None:
            continue
        target = ast.unparse(node.target if isinstance(node, ast.AnnAssign) else node.targets[0])
        try:
            default = ast.literal_eval(node.value)
            kind = ast.unparse(node.annotation) if isinstance(node, ast.AnnAssign) else type(default).__name__
        except (ValueError, TypeError):
            kind = ""
        if kind not in TYPES or not target.isidentifier():
            what = f"a name and a plain value that is {', '.join(TYPES.values())}"
            raise ValueError(f"each line of parameters has {what}, got {ast.unparse(node)}")
        assert node.end_lineno is not None  # as the parser says it of all nodes
        comment = lines[node.end_lineno - 1][node.end_col_offset :].lstrip().lstrip("#").strip()
        yield Parameter(target, kind, default, *_explained(comment))


def _explained(comment):
    """Return meaning, unit and place from ``meaning [unit]; place``."""
    text, _, place = comment.partition(";")
    unit = re.search(r"\s*\[([^]]+)\]", text)
    return text.replace(unit[0], "").strip() if unit else text.strip(), unit[1] if unit else "", place.strip()
