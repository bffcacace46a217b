"""Keep a sweep in a folder: its plan, a journal of its cases, and notebooks of cases that failed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import filelock

from mjq._util import folders
from mjq._util.journal import Journal, OtherWork
from mjq_book.runs.cases import Case, Plan, Record
from mjq_book.runs.kept import provenance

__all__ = ["Archive"]


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
