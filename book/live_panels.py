"""Live panels: sliders on a page, in front of formulas that the browser evaluates.

A panel is a file in ``book/panels`` with a ``PANEL``, and beside it a script of the same name. The script has two
functions: ``values(at)``, the numbers at these values of the sliders, and ``draw(at, found)``, the summary in words and
the charts. It may have ``acts``, what further buttons do with the values, and ``follow(name, at)``, the values that all
sliders take when this one is moved by hand. Before it stand the functions that were generated from formulas, and the
panel's data.
`book/_static/panels.js` shows it; where scripts are off the static figure stays. `book/_ext/generated.py` makes
all panels before Sphinx reads a page, and `book/_ext/panels.py` puts them into their pages.
"""

import csv
import hashlib
import importlib.util
import itertools
import json
import re
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from tqdm import tqdm

from mjq_book.runs import provenance
from mjq_logs._util import atomic

HERE = Path(__file__).resolve().parent / "panels"


@dataclass(frozen=True)
class Slider:
    name: str
    """By which scripts and Python know its value."""
    label: str
    min: float
    max: float
    step: float
    start: float
    """The four are positions. With `log` the value is ten to the position, with `whole` it is rounded."""
    log: bool = False
    whole: bool = False
    unit: str = ""
    names: tuple = ()
    """What is shown in place of the values 0, 1, 2, …"""

    def value(self, position):
        value = 10**position if self.log else position
        return round(value) if self.whole or self.names else value


@dataclass(frozen=True)
class Guess:
    """What a panel asks before it shows: one number, which the reader guesses, and the panel's own answers it."""

    question: str
    """About a case that the page has not told. Names in braces are numbers of the panel as it begins, and those after
    ``there`` are of the case that is asked for."""
    at: dict
    """Values of sliders, by name, as a preset has them: the case that is shown with the answer."""
    value: str
    """Name of the number that is asked for."""
    high: float
    why: str
    """A sentence that gives the reason."""
    low: float = 1
    step: float = 1
    """Between `low` and `high`, a guess."""
    unit: str = "%"
    """Of the number."""
    much: str = "much"
    """How the number is compared, as in *half as much*."""


@dataclass(frozen=True)
class Panel:
    """What a page's panel shows, and the same numbers from Python."""

    title: str
    note: str
    """The note says what the reader sees, and what is not exact about it."""
    page: str
    """Where it stands, as in the table of contents; a page that is not there is no error."""
    cell: str
    """Name of the cell whose figure it stands for, or after whose figure it stands."""
    sliders: tuple
    values: Callable
    """Takes the values of the sliders by name, gives the numbers that the script's ``values`` gives, by name."""
    tolerance: float = 1e-6
    """How far the two may be apart, relative."""
    interpolated: dict = field(default_factory=dict)
    """How far numbers may be apart that the script interpolates in a table of exact ones, relative, by name. The note
    says it."""
    generated: str = ""
    """Functions generated from formulas."""
    data: dict = field(default_factory=dict)
    """What the script finds in ``data``."""
    replaces: bool = True
    """Whether the figure is folded while the panel is there."""
    presets: dict = field(default_factory=dict)
    """Words of a button to the values of sliders, by name; the others go back to where they were. The panel begins with
    the first one, which is the case that the text tells."""
    plays: str = ""
    """Name of a slider that a button moves from its beginning to its end."""
    opens: float | None = None
    """Value of that slider with which it begins to play by itself, as soon as it is seen, unless the reader asks for
    less motion. The charts, which move, then stand above the sliders and the question."""
    guess: Guess | None = None
    """What it asks first."""

    @property
    def first(self):
        """The values with which the panel begins: those of the first preset, which may lie between two steps."""
        return next(iter(self.presets.values()), {})

    def at(self, case):
        """Return the values of all sliders in a case; those that it does not name are as at the beginning."""
        return {slider.name: slider.value(slider.start) for slider in self.sliders} | self.first | case


def generated(name, letters, **formulas):
    """A script function ``name(letters…)`` that returns an object with these formulas, common parts computed once.

    Examples
    --------
    >>> import sympy
    >>> x = sympy.Symbol("x")
    >>> print(generated("powers", [x], square=(x + 1) ** 2, cube=(x + 1) ** 3))
    function powers(x) {
      const c0 = x + 1;
      return { square: Math.pow(c0, 2), cube: Math.pow(c0, 3) };
    }
    """
    import sympy as sp  # only where panels are made anew

    common, reduced = sp.cse(list(formulas.values()), sp.numbered_symbols("c"))
    lines = [f"  const {letter} = {sp.jscode(part)};" for letter, part in common]
    parts = ", ".join(f"{key}: {sp.jscode(part)}" for key, part in zip(formulas, reduced, strict=True))
    head = f"function {name}({', '.join(map(str, letters))}) {{"
    return "\n".join([head, *lines, f"  return {{ {parts} }};", "}"])


# --- Tables that are kept beside the panels ---


def points(low, high, count):
    """Chebyshev points of the second kind, at which the runtime interpolates."""
    return low + (high - low) * (1 - np.cos(np.pi * np.arange(count) / (count - 1))) / 2


def keep(name, axes, solve):
    """Write a table: a row for each point of the axes, by name, and there what `solve` finds, by name."""
    from mjq_book.experiments.tables import keeping

    rows = []
    for place in tqdm(list(itertools.product(*axes.values())), desc=name):
        rows.append({key: f"{x:.10g}" for key, x in (dict(zip(axes, place, strict=True)) | solve(*place)).items()})
    keeping.replace(HERE / f"{name}.csv", list(rows[0]), rows)


def kept(name, axes, columns):
    """Columns of a kept table as nested lists, a level an axis."""
    with open(HERE / f"{name}.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    shape = [len(axis) for axis in axes.values()]
    return {column: np.reshape([float(row[column]) for row in rows], shape).tolist() for column in columns}


# --- Files and pages ---


def module(path):
    spec = importlib.util.spec_from_file_location(f"panel_{path.stem}", path)
    sys.modules[spec.name] = panel_module = importlib.util.module_from_spec(spec)  # where numba looks for what it kept
    spec.loader.exec_module(panel_module)
    return panel_module


def panels(folder=HERE):
    """All panels, by the names of their files."""
    return {path.stem: module(path).PANEL for path in sorted(folder.glob("*.py"))}


def html(name, panel, folder=HERE):
    settings = {"name": name, "sliders": [asdict(x) for x in panel.sliders]}
    settings |= {key: getattr(panel, key) for key in ("title", "note", "presets", "first", "plays", "opens")}
    if panel.guess:
        began, there = (panel.values(**panel.at(case)) for case in ({}, panel.guess.at))
        question = re.sub(r"-(?=\d)", "−", panel.guess.question.format(**began, there=there))
        settings["guess"] = asdict(panel.guess) | {"question": question}
    body = "\n".join(
        [
            '"use strict";',
            f"const data = {compact(panel.data)};",
            panel.generated,
            (folder / f"{name}.js").read_text(encoding="utf-8"),
            "return { values, draw, acts: typeof acts === 'undefined' ? {} : acts,",
            "  follow: typeof follow === 'undefined' ? () => null : follow };",
        ]
    )
    figure = f' data-figure="cell-{panel.cell}"' if panel.replaces else ""
    script = f"Object.assign({compact(settings)}, {{ code(tools) {{\n{body}\n}} }})".replace("</", "<\\/")
    return (
        f'<section class="panel" id="panel-{name}"{figure} hidden></section>\n'
        f"<script>(window.mjqPanels = window.mjqPanels || []).push({script});</script>"
    )


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def state(folder=HERE):
    """Return a fingerprint of everything that panels are made from."""
    made_of = [Path(__file__), *folder.rglob("*")]
    files = sorted(path for path in made_of if path.is_file() and "__pycache__" not in path.parts)
    content = [provenance.code().encode(), *(str(file).encode() + file.read_bytes() for file in files)]
    return hashlib.sha256(b"".join(content)).hexdigest()


def write(target, folder=HERE):
    """Write all panels to one file, unless it holds those that the same sources made.

    The file says what they were made from, and for each panel its page, the cell where it stands, whether it replaces
    that cell's figure, and the text that is put there.
    """
    sources = state(folder)
    if target.exists() and json.loads(target.read_text(encoding="utf-8"))["made_from"] == sources:
        return
    made = {
        name: {"page": panel.page, "cell": panel.cell, "replaces": panel.replaces, "html": html(name, panel, folder)}
        for name, panel in panels(folder).items()
    }
    atomic.write(target, json.dumps({"made_from": sources, "panels": made}, ensure_ascii=False, indent=1).encode())
