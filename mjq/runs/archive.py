"""The folder of a sweep: its plan, and a file for each finished case, all there whole or not at all."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import filelock

from mjq._util import folders
from mjq.runs import provenance
from mjq.runs.cases import Case, Plan, Record, checksum

__all__ = ["Archive", "read", "write"]


@dataclass(frozen=True)
class Archive:
    """Where a sweep keeps what is finished.

    Attributes
    ----------
    folder : pathlib.Path
    plan : mjq.runs.cases.Plan
    """

    folder: Path
    plan: Plan

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the folder, which is made if need be, against other sweeps.

        Raises
        ------
        ValueError
            If a sweep is at work there, or it is a link or a folder of somebody else's.
        """
        folders.refuse_others(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = filelock.FileLock(self.folder / folders.LOCK)
        try:
            lock.acquire(timeout=0)
        except filelock.Timeout:
            raise ValueError(f"another sweep is at work in {self.folder}") from None
        try:
            yield
        finally:
            lock.release()

    def begin(self, force: bool = False) -> list[str]:
        """Put the plan into the folder, or find it there.

        Parameters
        ----------
        force : bool
            Empty the folder before, whichever run or sweep it holds.

        Returns
        -------
        list of str
            The name of a damaged plan, which is written again, or nothing.

        Raises
        ------
        ValueError
            If the folder holds another sweep, or something else.
        """
        path, damaged = self.folder / "sweep.json", []
        if force:
            self._empty()
        if path.exists():
            digest = _digest(path)
            if digest == self.plan.digest:
                return []
            if digest is not None:
                raise ValueError(
                    f"{self.folder} holds another sweep, or one of another version of the chapter or of mjq; "
                    "choose another label, or --force begins anew"
                )
            damaged = [str(path)]  # the cases' files know by themselves what they hold
        elif any(entry.name != folders.LOCK for entry in self.folder.iterdir()):
            raise ValueError(f"{self.folder} exists and is not a sweep; choose another label")
        (self.folder / folders.CASES).mkdir(exist_ok=True)
        folders.write(path, json.dumps(self._about(), indent=1, ensure_ascii=False).encode())
        return damaged

    def unfinished(self) -> tuple[list[Case], list[str]]:
        """The cases that must be computed, and the damaged files, which are put aside."""
        missing, damaged = [], []
        for case in self.plan.cases:
            path = self._file(case)
            try:
                record = read(path)
            except ValueError:
                aside = path.with_suffix(".damaged")
                path.replace(aside)
                damaged.append(str(aside))
                record = None
            if not (record and record.done):
                missing.append(case)
        return missing, damaged

    def record(self, case: Case) -> Record | None:
        """What is kept of a case, or None if there is nothing or it is damaged."""
        try:
            return read(self._file(case))
        except ValueError:
            return None

    def keep(self, case: Case, record: Record) -> None:
        """Write a case's record; its notebook, if there is one, goes into a file of its own before."""
        old = self.folder / "failed" / f"{case.name}.ipynb"
        if record.notebook:
            path = self.folder / "notebooks" / old.name if record.done else old
            path.parent.mkdir(exist_ok=True)
            folders.write(path, record.notebook.encode())
        if record.done:
            old.unlink(missing_ok=True)
        write(self._file(case), record)

    def stopped(self, reason: str) -> str:
        """Words for a sweep that stops: the reason, and what is finished."""
        records = [self.record(case) for case in self.plan.cases]
        done = sum(1 for record in records if record and record.done)
        return f"{reason}; {done} of {len(records)} cases are finished and kept in {self.folder}"

    def _file(self, case):
        return self.folder / folders.CASES / f"{case.id}.json"

    def _empty(self):
        for entry in self.folder.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            elif entry.name != folders.LOCK:
                entry.unlink()

    def _about(self):
        return {
            "chapter": self.plan.chapter,
            "given": self.plan.given,
            "cases": [asdict(case) for case in self.plan.cases],
            "digest": self.plan.digest,
            "versions": provenance.versions(),
        }


def _digest(path):
    """The digest of the plan in a file, or None if the file is damaged."""
    try:
        return json.loads(path.read_bytes())["digest"]
    except (ValueError, KeyError, TypeError):
        return None


def write(path: Path, record: Record) -> None:
    """Keep a record, with a checksum, so that it is there whole or not at all."""
    content = record.as_json()
    whole = {"sha256": checksum(content), "record": content}
    folders.write(path, json.dumps(whole, indent=1, allow_nan=False).encode())


def read(path: Path) -> Record | None:
    """The record in a file, or None if there is no file.

    Raises
    ------
    ValueError
        If the file is not what was written.
    """
    try:
        content = json.loads(path.read_bytes())
        whole = content["sha256"] == checksum(content["record"])
        record = Record.from_json(content["record"]) if whole else None
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, IsADirectoryError) as error:
        raise ValueError(f"{path} is damaged") from error
    if not whole:
        raise ValueError(f"{path} is damaged: its checksum is another")
    return record
