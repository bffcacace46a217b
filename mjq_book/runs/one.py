"""One chapter, run with other parameters, with all its results in a folder."""

from __future__ import annotations

import re
import time
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_markdown_cell

from mjq_book import folders
from mjq_book.runs import changes, execution, inputs, provenance, results, solutions
from mjq_book.runs.chapters import chapter
from mjq_logs._util import atomic

ANSWER = "The answer"  # the heading of a chapter's first section
OF_THE_BOOK = "*This section is about the book's own system. The parameters of this run change nothing in it.*"


class RunFailed(RuntimeError):
    """Say that a chapter stopped before its end.

    Attributes
    ----------
    failure : mjq_book.runs.execution.Failure
    folder : pathlib.Path
        Where the notebook up to the failing cell is.
    """

    def __init__(self, name: str, failure: execution.Failure, folder: Path):
        super().__init__(f"{name} failed {failure}; the notebook up to there is in {folder}")
        self.failure, self.folder = failure, folder


@dataclass(frozen=True)
class Run:
    """Describe a finished run.

    Attributes
    ----------
    folder : pathlib.Path
    parameters : dict
        All of them, defaults included.
    results : mjq_book.runs.results.Results
    changes : Changes or None
        How the results differ from those that the notebook stores; None if it stores none.
    seconds : float
    cells : int
    """

    folder: Path
    parameters: dict
    results: results.Results
    changes: changes.Changes | None
    seconds: float
    cells: int


def run(
    name: str | Path,
    parameters: Mapping[str, Any] | None = None,
    *,
    label: str | None = None,
    into: str | Path = "runs",
    force: bool = False,
    progress: bool = False,
) -> Run:
    """Run a chapter with other parameters.

    The folder ``runs/<chapter>/<label>`` gets the executed notebook, ``parameters.yaml``, ``run.json`` (versions,
    commit, machine, time), ``results.json`` (values and tables by name), ``tables/*.csv``, and for every figure
    ``figures/<name>.svg`` and ``.png``. The folder appears when all is done. A run that fails leaves
    ``<label>.failed`` instead, with the notebook up to the failing cell.

    Parameters
    ----------
    name : str
        A chapter, or the path of a notebook with a cell tagged ``parameters``.
    parameters : dict, optional
        Checked before anything runs.
    label : str, optional
        Name of the folder; by default the time.
    into : path
        Where the folders are.
    force : bool
        Replace the run or sweep that is there already. A link, or what is neither, is never replaced.
    progress : bool

    Returns
    -------
    Run

    Raises
    ------
    ValueError
        For an unknown name, a value that violates a constraint, or a folder that exists.
    RunFailed
        With the cell and the error.
    """
    source, changed = chapter(name), parameters or {}
    given = source.values(changed)
    clock, now = time.perf_counter(), datetime.now().astimezone()
    label = f"{now:%Y-%m-%dT%H-%M-%S.%f}" if label is None else folders.checked_label(label)
    folder = Path(into) / source.name / label
    failed = folder.with_name(label + folders.FAILED)
    for path in (folder, failed):
        folders.refuse_others(path)
    atomic.refuse_existing(folder, force)
    with folders.unfinished(folder) as new:
        target = new / f"{source.name}.ipynb"
        failure = execution.execute(
            source.notebook, target, {key: given[key] for key in changed},
            recorder=True, progress=progress, modules_here=not source.of_the_book,
        )  # fmt: skip
        seconds = round(time.perf_counter() - clock, 3)
        inputs.write_yaml(new / "parameters.yaml", given)
        made = {"failure": failure and str(failure), "seconds": seconds, "versions": provenance.versions()}
        results.write_json(new / "run.json", {"chapter": source.name, **made})
        answers, differences = results.Results({}, {}, {}), None
        if target.exists():
            executed = nbformat.read(target, as_version=4)
            answers = _filed(new, executed)
            if changes.shown(source.notebook):
                pairs = {key: (given[key], source.parameters[key].default) for key in changed}
                other = {key: (now, before) for key, (now, before) in pairs.items() if now != before}
                differences = changes.between(source.notebook, executed, other)
            told = _explained(executed, differences) if source.of_the_book else executed
            # In a run that failed the cells are counted up to the one that did.
            nbformat.write(told if failure else solutions.fold(told, solutions.OF_A_RUN), target)
        if failure:
            raise RunFailed(source.name, failure, folders.settle(new, failed, force=True))
        folders.settle(new, folder, force)
    return Run(folder, given, answers, differences, seconds, len(source.notebook.cells))


def _explained(executed, differences):
    """Return an executed chapter with what is not as in the book on top, and with what each parameter moves."""
    (checked,) = [k for k, cell in enumerate(executed.cells) if "checks" in cell.metadata.get("tags", [])]
    executed.cells.insert(checked + 1, new_markdown_cell(changes.explained(executed)))
    if differences:
        executed.cells.insert(1, new_markdown_cell(f"## What this run found\n\n{changes.told(differences)}"))
        if differences.given and not any(x.section == ANSWER for x in differences.moved):
            for cell in executed.cells:
                if cell.cell_type == "markdown":
                    cell.source = re.sub(rf"^## {ANSWER}$", rf"\g<0>\n\n{OF_THE_BOOK}", cell.source, flags=re.M)
    return executed


def _filed(folder, notebook):
    """Write what an executed notebook found into files beside it."""
    answers = results.taken_from(notebook)
    results.write_json(folder / "results.json", answers.named())
    for part in ("tables", "figures"):
        (folder / part).mkdir()
    for name, table in answers.tables.items():
        results.write_table(folder / "tables" / f"{_file_name(name)}.csv", table["columns"], table["rows"])
    for name, kinds in answers.figures.items():
        path = folder / "figures" / _file_name(name)
        if "image/svg+xml" in kinds:
            path.with_suffix(".svg").write_text(kinds["image/svg+xml"], encoding="utf-8")
        if "image/png" in kinds:
            path.with_suffix(".png").write_bytes(b64decode(kinds["image/png"]))
    return answers


def _file_name(name):
    return "".join(c if c.isalnum() or c in "-_" else "-" for c in name)[:100]
