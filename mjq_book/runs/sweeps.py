"""A chapter with many sets of parameters, on this machine or on a cluster; the same call resumes.

The folder of a sweep says what is computed, and holds the result of each finished case, and tables of all of them.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import nbformat

from mjq._util import parallel
from mjq_book import folders
from mjq_book.runs import execution, provenance, results
from mjq_book.runs.chapters import chapter
from mjq_logs._util import atomic

ENTRY = ["result", "row", "column", "number", "text"]
FATE = ["status", "seconds", "error"]
DIED = "on its worker: several processes died in this case, perhaps for lack of memory"


class SweepStopped(RuntimeError):
    """Say that a sweep stopped before its end; finished cases are kept, and the same call resumes."""


@dataclass
class Case:
    """Hold one set of parameters, and what became of it."""

    name: str
    parameters: dict  # all of them, defaults included
    error: str | None = None  # where and why it stopped
    seconds: float | None = None  # None if the case was not computed, or its worker died
    values: dict | None = None  # as in Results, and so are tables; None unless the case is done
    tables: dict | None = None

    @property
    def status(self) -> str:
        """Return whether it is done, failed or missing."""
        return "failed" if self.error else "missing" if self.seconds is None else "done"


@dataclass(frozen=True)
class Sweep:
    """Describe a sweep that has ended: its folder, and its cases in the order in which they were given."""

    folder: Path
    cases: list[Case]

    @property
    def failed(self) -> list[Case]:
        """Return the cases that failed."""
        return [case for case in self.cases if case.status == "failed"]


def sweep(
    name: str | Path,
    cases: Iterable[Mapping[str, Any]],
    *,
    names: Iterable[str] | None = None,
    label: str | None = None,
    into: str | Path = "runs",
    workers: parallel.Workers = 2,
    force: bool = False,
    progress: bool = False,
) -> Sweep:
    """Run a chapter once for each case, in parallel.

    The folder ``runs/<chapter>/<label>`` keeps the result of each finished case in ``cases/``, so that the same call
    after a crash computes only what is missing. Failed cases are tried again. At the end, and also if something stops
    the sweep, it gets ``results.csv`` with a row for every named value and every entry of every table
    of every case, and ``cases.csv`` with a row for every case: its parameters, its fate and its single values.

    Parameters
    ----------
    name : str
        A chapter, or the path of a notebook.
    cases : sequence of dict
        Parameters of each; all are checked before anything runs. If the chapter has a parameter ``workers`` that no
        case names, it is 1: the cases share the cores already, and the numbers do not depend on it.
    names : sequence of str, optional
        A name for each case; by default 1, 2, ….
    label : str, optional
        Name of the folder; by default one that is the same for the same cases.
    into : path
    workers : int or distributed.Client
        Processes on this machine, or a client of a dask scheduler.
    force : bool
        Begin anew, whichever run or sweep the folder holds. A link, or a folder of something else, is never emptied.
    progress : bool

    Returns
    -------
    Sweep

    Raises
    ------
    ValueError
        If a case is not accepted by the chapter, or the folder holds another sweep.
    SweepStopped
        If the scheduler is gone, the disk is full, or somebody stopped it. What was finished is kept.
    """
    source, wanted = chapter(name), [dict(values) for values in cases]
    given = list(dict.fromkeys(name for values in wanted for name in values))
    for key in {"case", *ENTRY, *FATE} & set(given):
        raise ValueError(f"the parameter {key!r} has the name of a column of the results")
    share = {"workers": 1} if "workers" in source.parameters and "workers" not in given else {}
    planned = _checked(source, [share | values for values in wanted], names)
    notebook, code = _without_outputs(source.notebook), provenance.code()
    plan = [notebook, code, [[case.name, case.parameters] for case in planned]]
    digest = hashlib.sha256(json.dumps(plan).encode()).hexdigest()
    folder = Path(into) / source.name / folders.checked_label(label or f"sweep-{digest[:8]}")
    _begin(folder, source.name, digest, force)
    done = Sweep(folder, planned)
    try:
        try:
            _compute(done, partial(compute, notebook, code), [*given, *share], workers, progress)
        finally:
            _write_tables(folder, given, planned)
    except (KeyboardInterrupt, OSError, RuntimeError, CancelledError) as error:
        gone = "the scheduler is gone" if isinstance(error, CancelledError) else error
        reason = "it was interrupted" if isinstance(error, KeyboardInterrupt) else gone
        finished = [case.status for case in planned].count("done")
        raise SweepStopped(f"{reason}; {finished} of {len(planned)} cases are finished and kept in {folder}") from error
    return done


def compute(notebook: str, code: str, parameters: dict) -> dict[str, Any]:
    """Execute a notebook, given as JSON, on a worker that has this version of our code; return what a case holds."""
    if provenance.code() != code:
        raise RuntimeError(f"this worker has another version of mjq: {provenance.code()}, the sweep has {code}")
    clock = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="mjq-") as folder:
        target = Path(folder) / "case.ipynb"
        failure = execution.execute(nbformat.reads(notebook, as_version=4), target, parameters, recorder=True)
        found = {} if failure else results.taken_from(nbformat.read(target, as_version=4)).named()
    return {"error": failure and str(failure), "seconds": round(time.perf_counter() - clock, 3), **found}


def _checked(source, wanted, names):
    """Return the cases with all their parameters, if the chapter takes each of them."""
    if not wanted:
        raise ValueError("there are no cases")
    names = [str(k) for k in range(1, len(wanted) + 1)] if names is None else [str(name) for name in names]
    if len(names) != len(wanted) or len({name.lower() for name in names}) < len(wanted):
        raise ValueError("each case must have a name of its own")
    cases = []
    for name, values in zip(names, wanted, strict=True):
        try:
            cases.append(Case(folders.checked_label(name), source.values(values)))
        except ValueError as error:
            raise ValueError(f"case {name}: {error}") from error
    return cases


def _begin(folder, name, digest, force):
    """Make the folder of a sweep, which says what is computed, unless it is there already."""
    folders.refuse_others(folder)
    if folder.exists() and not force:
        path = folder / folders.PLAN
        if not path.exists() or json.loads(path.read_bytes())["digest"] != digest:
            raise ValueError(
                f"{folder} holds a run, another sweep, or one of another version of the chapter or of mjq; "
                "choose another label, or --force begins anew"
            )
        return
    with folders.unfinished(folder) as new:
        plan = {"chapter": name, "digest": digest, "versions": provenance.versions()}
        results.write_json(new / folders.PLAN, plan)
        (new / "cases").mkdir()
        folders.settle(new, folder, force)


def _compute(sweep, work, changed, workers, progress):
    """Read what is finished, have the workers compute the rest, and keep each result as soon as it is there."""
    files = {case.name: sweep.folder / f"cases/{case.name}.json" for case in sweep.cases}
    todo = {case.name: case for case in sweep.cases if not files[case.name].exists()}
    for case in sweep.cases:
        if case.name not in todo:
            vars(case).update(json.loads(files[case.name].read_bytes()))
    asked = [(name, {key: case.parameters[key] for key in changed}) for name, case in todo.items()]
    total = len(sweep.cases)
    with parallel.Bar(sweep.folder.parent.name, total, progress, initial=total - len(todo), unit="case") as bar:
        # One at a time, so that a sweep that is killed loses no more than what is just computed.
        for outcomes in parallel.map_as_completed(work, asked, workers, died={"error": DIED}, at_a_time=1):
            for name, found in outcomes:
                if not found["error"]:
                    atomic.write(files[name], json.dumps(found).encode())
                vars(todo[name]).update(found)
                bar.update()


def _without_outputs(notebook):
    notebook = nbformat.from_dict(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return nbformat.writes(notebook)


def _write_tables(folder, given, cases):
    """Write a row for every entry of every result, and one for every case, with the values that are single."""
    entries, fates = [], []
    for case in cases:
        row = {"case": case.name} | {name: _cell(case.parameters[name]) for name in given}
        entries += [[*row.values(), *entry] for entry in _entries(case)]
        row |= {name: getattr(case, name) for name in FATE}
        single = {name: x for name, x in (case.values or {}).items() if not isinstance(x, list)}
        fates.append(row | {f"{name} (result)" if name in row else name: _cell(x) for name, x in single.items()})
    columns = list(dict.fromkeys(name for row in fates for name in row))
    results.write_table(folder / "results.csv", ["case", *given, *ENTRY], entries)
    results.write_table(folder / "cases.csv", columns, [[row.get(name) for name in columns] for row in fates])


def _entries(case):
    """Yield what the columns of `ENTRY` say of every entry of every result."""
    for name, value in (case.values or {}).items():
        if not isinstance(value, list):
            yield [name, None, None, *_split(value)]
            continue
        for k, row in enumerate(value, 1):
            for j, entry in enumerate(row if isinstance(row, list) else [row], 1):
                yield [name, k, j, *_split(entry)]
    for name, table in (case.tables or {}).items():
        for k, row in enumerate(table["rows"], 1):
            for column, entry in zip(table["columns"], row, strict=False):
                yield [name, k, column, *_split(entry)]


def _split(value):
    return (value, None) if isinstance(value, (int, float)) else (None, _cell(value))


def _cell(value):
    """Return a value as an entry of a table: lists are text."""
    return json.dumps(value) if isinstance(value, (list, dict)) else value
