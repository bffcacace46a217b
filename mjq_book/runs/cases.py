"""The cases of a sweep: what is planned, what a worker computes, and what it found."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import nbformat

from mjq_book.runs import execution
from mjq_book.runs.chapters import Chapter
from mjq_book.runs.kept import provenance, results
from mjq_logs._util import fingerprints, folders


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
        return fingerprints.of_plain([[case.name, case.id] for case in self.cases])

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
            cases.append(Case(name, parameters, fingerprints.of_plain([text, parameters, code])))
        return cls(chapter.name, code, columns, [*columns, *share], text, cases)


@dataclass(frozen=True)
class Record:
    """Hold the outcome of a case.

    Attributes
    ----------
    failure : mjq_book.runs.execution.Failure or None
        Where and why it stopped; None if it ran to its end.
    seconds : float or None
        None if no worker came to its end.
    values, tables : dict
        As in :class:`mjq_book.runs.kept.results.Results`; figures are not kept.
    """

    failure: execution.Failure | None
    seconds: float | None
    values: dict
    tables: dict

    @property
    def done(self) -> bool:
        """Return whether the case ran to its end."""
        return self.failure is None

    @classmethod
    def from_json(cls, row: dict) -> Record:
        """Return the record that :func:`dataclasses.asdict` made into plain data.

        >>> from dataclasses import asdict
        >>> Record.from_json(asdict(LOST)) == LOST
        True
        """
        failure = row["failure"] and execution.Failure(**row["failure"])
        return cls(**row | {"failure": failure})


DIED = "several processes died in this case, perhaps for lack of memory"
LOST = Record(execution.Failure("on its worker", DIED, [], []), None, {}, {})


def compute(notebook: str, code: str, parameters: dict) -> tuple[Record, str | None]:
    """Execute a chapter on a worker and return what it found.

    Parameters
    ----------
    notebook : str
        Its JSON.
    code : str
        Fingerprint of the library that the sweep was begun with; another one here is refused.
    parameters : dict

    Returns
    -------
    record : Record
    notebook : str or None
        JSON of the executed notebook, if it failed.

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
        executed = nbformat.read(target, as_version=4) if target.exists() else nbformat.v4.new_notebook()
    answers = results.taken_from(executed)
    record = Record(failure, round(time.perf_counter() - clock, 3), answers.values, answers.tables)
    return record, nbformat.writes(executed) if failure else None


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
