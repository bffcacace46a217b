"""A chapter with many sets of parameters, on this machine or on a cluster; the same call resumes.

The folder of a sweep holds its plan, a line for each case that was computed, and notebooks of cases that failed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from concurrent.futures import CancelledError
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from mjq._util import parallel
from mjq_book.runs import tables
from mjq_book.runs.cases import LOST, Plan, Record, compute
from mjq_book.runs.chapters import chapter
from mjq_book.runs.kept import provenance, results
from mjq_logs._util import folders
from mjq_logs._util.journal import Journal


class SweepStopped(RuntimeError):
    """Say that a sweep stopped before its end; finished cases are kept, and the same call resumes."""


@dataclass(frozen=True)
class Sweep:
    """Describe a sweep that has ended, and its files.

    Attributes
    ----------
    folder : pathlib.Path
    cases : list of mjq_book.runs.cases.Case
        In the order in which they were given.
    records : list of mjq_book.runs.cases.Record
        For each case its record, or None if it was not finished.
    """

    folder: Path
    cases: list
    records: list

    @property
    def failed(self) -> list[str]:
        """Return the names of the failed cases."""
        return [case.name for case, record in self._pairs() if record and not record.done]

    @property
    def missing(self) -> list[str]:
        """Return the names of the cases without a result."""
        return [case.name for case, record in self._pairs() if not record]

    def _pairs(self):
        return zip(self.cases, self.records, strict=True)


def sweep(
    name: str | Path,
    cases: Iterable[Mapping[str, Any]],
    *,
    names: Iterable[str] | None = None,
    label: str | None = None,
    into: str | Path = "runs",
    workers: parallel.Workers = 2,
    format: str = "csv",
    force: bool = False,
    progress: bool = False,
) -> Sweep:
    """Run a chapter once for each case, in parallel.

    The folder ``runs/<chapter>/<label>`` keeps each finished case as a line of ``cases.jsonl``, so that the same call
    after a crash computes only what is missing. Failed cases are tried again. At the end, and also if something stops
    the sweep, it gets ``results.csv`` (or ``.parquet``) with a row for every named value and every entry of every table
    of every case, and ``cases.csv`` with a row for every case: its parameters, its fate and its glued values. Notebooks
    of failed cases, up to the failing cell, are in ``failed/``.

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
    format : {"csv", "parquet"}
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
    plan = Plan.of(chapter(name), cases, names)
    tables.check_columns(plan.given)
    folder = Path(into) / plan.chapter / folders.checked_label(label or f"sweep-{plan.digest[:8]}")
    _begin(folder, plan, force)
    journal = Journal(folder / "cases.jsonl", {"sweep": plan.digest})
    try:
        try:
            _compute(plan, folder, journal, workers, progress)
        finally:
            rows = [journal.rows.get(case.id) for case in plan.cases]
            done = Sweep(folder, plan.cases, [row and Record.from_json(row) for row in rows])
            tables.write(folder, plan, done.records, format)
    except (KeyboardInterrupt, OSError, RuntimeError, CancelledError) as error:
        total, finished = len(rows), len(rows) - len(done.failed) - len(done.missing)
        gone = "the scheduler is gone" if isinstance(error, CancelledError) else error
        reason = "it was interrupted" if isinstance(error, KeyboardInterrupt) else gone
        raise SweepStopped(f"{reason}; {finished} of {total} cases are finished and kept in {folder}") from error
    return done


def _begin(folder, plan, force):
    """Make the folder of a sweep, which says what is computed, unless it is there already."""
    path = folder / folders.PLAN
    folders.refuse_others(folder)
    if folder.exists() and not force:
        if not path.exists() or json.loads(path.read_bytes())["digest"] != plan.digest:
            raise ValueError(
                f"{folder} holds a run, another sweep, or one of another version of the chapter or of mjq; "
                "choose another label, or --force begins anew"
            )
        return
    about = {
        "chapter": plan.chapter,
        "given": plan.given,
        "cases": [asdict(case) for case in plan.cases],
        "digest": plan.digest,
        "versions": provenance.versions(),
    }
    with folders.unfinished(folder) as new:
        results.write_json(new / path.name, about)
        folders.settle(new, folder, force)


def _compute(plan, folder, journal, workers, progress):
    """Have the workers compute what is missing or failed, and keep each result as soon as it is there."""
    cases = {case.id: case for case in plan.cases}  # what computes the same thing is computed once
    todo = {key: case for key, case in cases.items() if key not in journal.rows or journal.rows[key]["failure"]}
    asked = [(key, {name: case.parameters[name] for name in plan.changed}) for key, case in todo.items()]
    work = partial(compute, plan.notebook, plan.code)
    bar = parallel.Bar(plan.chapter, len(cases), progress, initial=len(cases) - len(todo), unit="case")
    with bar:
        # One at a time, so that a sweep that is killed loses no more than what is just computed.
        for outcomes in parallel.map_as_completed(work, asked, workers, died=(LOST, None), at_a_time=1):
            for key, (record, notebook) in outcomes:
                _keep_notebook(folder / f"failed/{todo[key].name}.ipynb", notebook)
                journal.note([(key, asdict(record))])
                bar.update()


def _keep_notebook(path, notebook):
    """Write the executed notebook of a failed case; that of an earlier failure goes."""
    path.unlink(missing_ok=True)
    if notebook:
        path.parent.mkdir(exist_ok=True)
        folders.write(path, notebook.encode())
