"""A chapter with many sets of parameters, on this machine or on a cluster; the same call resumes.

An :class:`Archive` keeps what is finished: the plan, a journal of the cases, and notebooks of cases that failed.
"""

from __future__ import annotations

import json
import queue
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import filelock

from mjq._util import checks, folders, parallel
from mjq._util.journal import Journal, OtherWork
from mjq_book.runs import tables
from mjq_book.runs.cases import Case, Plan, Record, compute
from mjq_book.runs.chapters import chapter
from mjq_book.runs.kept import provenance

if TYPE_CHECKING:  # it takes a second, and its logs must be quieted before its first import
    from distributed import Client

__all__ = ["Archive", "Sweep", "SweepStopped", "sweep"]

PATIENCE = 60.0  # seconds without a single worker after which a sweep gives up


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
    notebooks: bool = False,
    format: str = "csv",
    force: bool = False,
    progress: bool = False,
    patience: float = PATIENCE,
) -> Sweep:
    """Run a chapter once for each case, in parallel.

    The folder ``runs/<chapter>/<label>`` keeps each finished case as a line of ``cases.jsonl``, so that the same call
    after a crash goes on where it was. Failed cases are tried again. At the end, and also if something stops the sweep,
    it gets ``results.csv`` (or ``.parquet``) with a row for every named value and every entry of every table of every
    case, and ``cases.csv`` with a row for every case: its parameters, its fate and its glued values. Notebooks of
    failed cases, up to the failing cell, are in ``failed/``.

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
    notebooks : bool
        Keep all executed notebooks, in ``notebooks/``.
    format : {"csv", "parquet"}
    force : bool
        Begin anew, whichever run or sweep the folder holds. A link, or a folder of something else, is never emptied.
    progress : bool
    patience : float
        Seconds without any worker after which the sweep stops.

    Returns
    -------
    Sweep

    Raises
    ------
    ValueError
        If a case is not accepted by the chapter, or the folder holds another sweep or a damaged one.
    SweepStopped
        If no worker is left, the disk is full, or somebody stopped it. What was finished is kept.
    """
    plan = Plan.of(chapter(name), cases, names)
    tables.check_columns(plan.given)
    workers = workers if parallel.is_client(workers) else checks.count("workers", workers)
    patience = float(checks.positive("patience", patience, ndim=0))
    label = folders.checked_label(label or "sweep-" + plan.digest[:8])
    archive = Archive(Path(into) / plan.chapter / label, plan)
    with archive.open(force):
        todo = archive.unfinished()
        try:
            try:
                if todo:
                    _compute(archive, todo, workers, notebooks, progress, patience)
            finally:
                records = [archive.record(case) for case in plan.cases]
                tables.write(archive.folder, plan, records, format)
        except KeyboardInterrupt:
            raise SweepStopped(archive.stopped("it was interrupted")) from None
        except OSError as error:  # of a case or, on a full disk, also of the tables
            raise SweepStopped(archive.stopped(str(error))) from error
        return Sweep(archive.folder, plan.cases, records)


def _compute(archive, todo, workers, notebooks, progress, patience):
    """Have the workers compute cases, and keep each result as soon as it is there."""
    plan = archive.plan
    todo = list({case.id: case for case in todo}.values())  # what computes the same thing is computed once
    total = len({case.id for case in plan.cases})
    bar = parallel.Bar(plan.chapter, total, progress, initial=total - len(todo), unit="case")
    count = workers if parallel.is_client(workers) else min(workers, len(todo))
    with bar, parallel.client_of(count) as client:
        _Crew(client, archive, patience).work(todo, notebooks, bar)


@dataclass
class Archive:
    """Keep what a sweep has finished in a folder.

    Attributes
    ----------
    folder : pathlib.Path
    plan : mjq_book.runs.cases.Plan
    records : dict
        The identity of a case to its :class:`mjq_book.runs.cases.Record`, once the archive is open.
    """

    folder: Path
    plan: Plan
    records: dict = field(default_factory=dict)

    @contextmanager
    def open(self, force: bool = False) -> Iterator[Archive]:
        """Hold the folder, which is made if need be, against other sweeps, and read what it holds of this one.

        Parameters
        ----------
        force : bool
            Empty the folder before, whichever run or sweep it holds.

        Raises
        ------
        ValueError
            If a sweep is at work there, if the folder holds another sweep, a damaged one or something else, or if it is
            a link.
        """
        folders.refuse_others(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = filelock.FileLock(self.folder / folders.LOCK)
        try:
            lock.acquire(timeout=0)
        except filelock.Timeout:
            raise ValueError(f"another sweep is at work in {self.folder}") from None
        try:
            if force:
                self._empty()
            with self._journal() as self._notes:
                self.records = self._notes.rows
                self._describe()
                yield self
        finally:
            lock.release()

    def unfinished(self) -> list[Case]:
        """Return the cases that must be computed: those that are missing, and those that failed."""
        return [case for case in self.plan.cases if not ((record := self.record(case)) and record.done)]

    def record(self, case: Case) -> Record | None:
        """Return what is kept of a case, or None."""
        return self.records.get(case.id)

    def keep(self, case: Case, record: Record) -> None:
        """Note a case's record; its notebook, if there is one, goes into a file of its own before."""
        old = self.folder / "failed" / f"{case.name}.ipynb"
        if record.notebook:
            path = self.folder / "notebooks" / old.name if record.done else old
            path.parent.mkdir(exist_ok=True)
            folders.write(path, record.notebook.encode())
        if record.done:
            old.unlink(missing_ok=True)
        self._notes.note([(case.id, record.as_json())], sync=True)

    def stopped(self, reason: str) -> str:
        """Return the error of a sweep that stops, with the reason and with what is finished."""
        total = len(self.plan.cases)
        return f"{reason}; {total - len(self.unfinished())} of {total} cases are finished and kept in {self.folder}"

    def _journal(self):
        """Return the journal of this sweep; raise ``ValueError`` that says what else the folder holds."""
        path = self.folder / folders.JOURNAL
        if not path.exists():
            if any(entry.name != folders.LOCK for entry in self.folder.iterdir()):
                raise ValueError(f"{self.folder} exists and is not a sweep; choose another label")
        try:
            return Journal(path, {"sweep": self.plan.digest}, parse=Record.from_json)
        except OtherWork:
            raise ValueError(
                f"{self.folder} holds another sweep, or one of another version of the chapter or of mjq; "
                "choose another label, or --force begins anew"
            ) from None

    def _describe(self):
        """Say in ``sweep.json`` what is computed, and with which versions."""
        path = self.folder / folders.PLAN
        if not path.exists():
            about = {
                "chapter": self.plan.chapter,
                "given": self.plan.given,
                "cases": [asdict(case) for case in self.plan.cases],
                "digest": self.plan.digest,
                "versions": provenance.versions(),
            }
            folders.write(path, json.dumps(about, indent=1, ensure_ascii=False).encode())

    def _empty(self):
        for entry in self.folder.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            elif entry.name != folders.LOCK:
                entry.unlink()


@dataclass(frozen=True)
class _Crew:
    """Direct the workers of a dask client to the cases of an archive; its patience ends without any worker."""

    client: Client
    archive: Archive
    patience: float
    arrived: queue.SimpleQueue = field(default_factory=queue.SimpleQueue)

    def work(self, cases, notebooks, bar):
        """Compute cases and keep each record; if something stops us, cases that have not begun are taken back."""
        futures = self._submit(cases, notebooks)
        try:
            while futures:
                future = self._next()
                record = self._record(future)
                self.archive.keep(futures.pop(future), record)
                bar.update()
        finally:
            self.client.cancel(list(futures))

    def _submit(self, cases, notebooks):
        """Hand out cases: a dict from futures to cases."""
        plan, futures = self.archive.plan, {}
        # The notebook is sent once, and again by the scheduler if the worker that holds it dies.
        source = self.client.submit(str, plan.notebook, pure=False)
        for case in cases:
            changed = {name: case.parameters[name] for name in plan.changed}
            future = self.client.submit(compute, source, changed, plan.code, notebooks, pure=False)
            futures[future] = case
            future.add_done_callback(self.arrived.put)
        return futures

    def _next(self):
        """Return the next finished future; raise an error when the scheduler or all workers are gone."""
        last = time.monotonic()
        while True:
            try:
                return self.arrived.get(timeout=1.0)
            except queue.Empty:
                connected = self.client.status == "running"
                if connected and self.client.scheduler_info()["workers"]:
                    last = time.monotonic()
            if time.monotonic() - last > self.patience:
                gone = f"there has been no worker for {self.patience:g} s"
                raise self._stopped(gone if connected else "the scheduler cannot be reached")

    def _record(self, future):
        """Return the record of a finished future; a case that killed its workers, or could not run, has failed."""
        if future.status in ("cancelled", "lost"):
            raise self._stopped("the scheduler cannot be reached")
        error = future.exception()
        return future.result() if error is None else Record.lost(error)

    def _stopped(self, reason):
        return SweepStopped(self.archive.stopped(reason))
