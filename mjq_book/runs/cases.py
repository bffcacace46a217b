"""The cases of a sweep: what is planned, what a worker computes, and what it found."""

from __future__ import annotations

import hashlib
import json
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import nbformat

from mjq._util import folders
from mjq_book.runs import execution
from mjq_book.runs.chapters import Chapter
from mjq_book.runs.kept import provenance, results

__all__ = ["Case", "Plan", "Record", "checksum", "compute"]


@dataclass(frozen=True)
class Case:
    """Hold one set of parameters.

    Attributes
    ----------
    name : str
    parameters : dict
        All of them, defaults included.
    id : str
        A name for what the case computes: same cells, same parameters, same library, same name.
    """

    name: str
    parameters: dict
    id: str


@dataclass(frozen=True)
class Plan:
    """Describe what a sweep computes, by everything that decides its results.

    Attributes
    ----------
    chapter : str
    code : str
        Fingerprint of the library.
    given : list of str
        Parameters that a case names: columns of the tables.
    changed : list of str
        Parameters that are put into the notebook: those given, and perhaps ``workers``.
    notebook : str
        Its JSON, without outputs.
    cases : list of Case
    """

    chapter: str
    code: str
    given: list
    changed: list
    notebook: str
    cases: list

    @cached_property
    def digest(self) -> str:
        """Return a fingerprint of the cases, in their order."""
        return checksum([[case.name, case.id] for case in self.cases])

    @classmethod
    def of(cls, chapter: Chapter, given: Iterable[Mapping[str, Any]], names: Iterable[str] | None = None) -> Plan:
        """Return the plan of a sweep, with all its cases checked.

        Parameters
        ----------
        chapter : mjq_book.runs.chapters.Chapter
        given : iterable of dict
            Parameters of each case. If the chapter has a parameter ``workers`` that no case names, it is 1: the cases
            share the cores already.
        names : iterable of str, optional
            By default 1, 2, ….

        Raises
        ------
        ValueError
            If there are no cases, names do not fit, or the chapter refuses a case.

        Examples
        --------
        >>> from mjq_book.runs.chapters import chapter
        >>> plan = Plan.of(chapter("stability"), [{"n": 40}, {"n": 60}])
        >>> [(case.name, case.parameters["n"]) for case in plan.cases]
        [('1', 40), ('2', 60)]
        """
        wanted = [dict(values) for values in given]
        names = _names(names, len(wanted))
        columns = list(dict.fromkeys(name for values in wanted for name in values))
        share = {"workers": 1} if "workers" in chapter.parameters and "workers" not in columns else {}
        text, code, cases = _without_outputs(chapter.notebook), provenance.code(), []
        for name, values in zip(names, wanted, strict=True):
            try:
                parameters = chapter.values(share | values)
            except ValueError as error:
                raise ValueError(f"case {name}: {error}") from error
            cases.append(Case(name, parameters, checksum([text, parameters, code])[:16]))
        return cls(chapter.name, code, columns, [*columns, *share], text, cases)


@dataclass(frozen=True)
class Record:
    """Hold the outcome of a case.

    Attributes
    ----------
    status : {"done", "failed"}
    failure : mjq_book.runs.execution.Failure or None
    seconds : float or None
        None if no worker came to its end.
    results : mjq_book.runs.kept.results.Results
        Values and tables; figures are not kept.
    notebook : str or None
        JSON of the executed notebook, until it has a file of its own.
    """

    status: str
    failure: execution.Failure | None
    seconds: float | None
    results: results.Results
    notebook: str | None = None

    @property
    def done(self) -> bool:
        """Return whether the case ran to its end."""
        return self.status == "done"

    @classmethod
    def lost(cls, error: BaseException) -> Record:
        """Return the record of a case that killed its workers, or could not run at all.

        >>> Record.lost(MemoryError("too large")).failure.error
        'MemoryError: too large'
        """
        failure = execution.Failure("on its worker", f"{type(error).__name__}: {error}", [], [])
        return cls("failed", failure, None, results.Results({}, {}, {}))

    @classmethod
    def from_json(cls, content: dict) -> Record:
        """Return the record that :meth:`as_json` made into plain data."""
        failure = content["failure"] and execution.Failure(**content["failure"])
        answers = results.Results(content["results"]["values"], content["results"]["tables"], {})
        return cls(content["status"], failure, content["seconds"], answers)

    def as_json(self) -> dict:
        """Return the record as plain data, without the notebook.

        >>> record = Record.lost(MemoryError("too large"))
        >>> Record.from_json(record.as_json()) == record
        True
        """
        return {
            "status": self.status,
            "failure": self.failure and asdict(self.failure),
            "seconds": self.seconds,
            "results": self.results.named(),
        }


def compute(notebook: str, parameters: dict, code: str, keep: bool) -> Record:
    """Execute a chapter on a worker and return what it found.

    Parameters
    ----------
    notebook : str
        Its JSON.
    parameters : dict
    code : str
        Fingerprint of the library that the sweep was begun with; another one here is refused.
    keep : bool
        Also return the executed notebook; that of a failed case always is.

    Raises
    ------
    RuntimeError
        If this worker has another version of the library.
    """
    if provenance.code() != code:
        raise RuntimeError(f"this worker has another version of mjq: {provenance.code()}, the sweep has {code}")
    clock = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="mjq-") as folder:
        target = Path(folder) / "case.ipynb"
        failure = execution.execute(nbformat.reads(notebook, as_version=4), target, parameters, recorder=True)
        executed = nbformat.read(target, as_version=4) if target.exists() else None
        answers = results.taken_from(executed) if executed else results.Results({}, {}, {})
    return Record(
        status="failed" if failure else "done",
        failure=failure,
        seconds=round(time.perf_counter() - clock, 3),
        results=replace(answers, figures={}),
        notebook=nbformat.writes(executed) if executed and (keep or failure) else None,
    )


def checksum(content: Any) -> str:
    """Return a fingerprint of plain data; the order of names does not matter.

    >>> checksum({"a": 1, "b": 2}) == checksum({"b": 2, "a": 1})
    True
    """
    return hashlib.sha256(json.dumps(content, sort_keys=True, allow_nan=False).encode()).hexdigest()


def _names(names, number):
    """Return a name for each of this many cases, each fit for a file."""
    if not number:
        raise ValueError("there are no cases")
    names = [str(k) for k in range(1, number + 1)] if names is None else [str(name) for name in names]
    if len(names) != number or len(set(names)) < number:
        raise ValueError("each case must have a name of its own")
    for name in names:
        folders.checked_label(name)
    return names


def _without_outputs(notebook):
    """Return a notebook as JSON of its cells alone."""
    notebook = nbformat.from_dict(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return nbformat.writes(notebook)
