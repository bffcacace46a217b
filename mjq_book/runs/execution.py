"""Execute a notebook with parameters, keep what it did, and say where it failed."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
import papermill
from nbclient.exceptions import CellTimeoutError
from papermill.engines import NBClientEngine, papermill_engines

from mjq_logs._util import folders

KEPT_CELL_METADATA = {"name", "tags", "mystnb", "jupyter"}
STARTS = 3  # of a kernel that dies before its first cell


@dataclass(frozen=True)
class Failure:
    """Say where and why a notebook stopped.

    Attributes
    ----------
    where : str
        ``in`` with number and name of the cell, or ``before its first cell``.
    error : str
    code, traceback : list of str
        Lines, short enough for a screen.
    """

    where: str
    error: str
    code: list
    traceback: list

    def __str__(self):
        return f"{self.where}: {self.error}"


def execute(
    notebook: nbformat.NotebookNode,
    target: Path,
    parameters: dict[str, Any] | None = None,
    *,
    recorder: bool = False,
    progress: bool | dict = False,
    cell_limit: float | None = None,
    modules_here: bool = True,
    first: str = "",
) -> Failure | None:
    """Execute a notebook in a kernel of its own, in the current folder.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
    target : pathlib.Path
        Where the notebook is kept while it runs, with all outputs up to the cell that failed.
    parameters : dict, optional
        Put into a cell after the one tagged ``parameters``, as data.
    recorder : bool
        Also keep every figure as PNG, and the numbers behind sentences and tables, in the cells' outputs
        (``mjq_book.runs.kept.recorder``).
    progress : bool or dict
        A progress bar with a step a cell, or what tqdm shall make of it.
    cell_limit : float, optional
        Seconds after which a cell is stopped, and the notebook with it.
    modules_here : bool
        Whether modules in the current folder can be imported. A chapter of the book does not look there: a file
        ``numpy.py`` that happens to be there must not take the place of the library.
    first : str
        An expression that the kernel evaluates before the first cell.

    Returns
    -------
    Failure or None

    Raises
    ------
    OSError
        If the notebook could not be written.
    """
    arguments = ["--log-level=CRITICAL"]
    arguments += ["--InteractiveShellApp.extra_extensions=mjq_book.runs.kept.recorder"] * recorder
    arguments += ["--InteractiveShellApp.ignore_cwd=True"] * (not modules_here)
    arguments += [f"--InteractiveShellApp.exec_lines={first}"] * bool(first)
    notebook = nbformat.from_dict(notebook)
    try:
        papermill.execute_notebook(
            notebook, _as_it_stands(target), parameters, engine_name="mjq", kernel_name="python3",
            progress_bar=progress, request_save_on_cell_execute=False, extra_arguments=arguments, kept=target,
            execution_timeout=cell_limit, coalesce_streams=True,
            shutdown_kernel="immediate",  # all is written by then, and to take an interpreter down costs half a second
        )  # fmt: skip
    except CellTimeoutError:
        return _failure(target, f"the cell took longer than {cell_limit:g} seconds", [])
    except papermill.PapermillExecutionError as error:
        return _failure(target, f"{error.ename}: {error.evalue}", error.traceback)
    except OSError:  # a disk that is full
        raise
    except Exception as error:  # a kernel that died
        return _failure(target, f"{type(error).__name__}: {error}", [])
    return None


def _as_it_stands(path):
    """Return text with its braces doubled, for papermill puts parameters between single ones."""
    return str(path).replace("{", "{{").replace("}", "}}")


def started_again(start: Callable[[], None], began: Callable[[], bool] = lambda: False) -> None:
    """Call what starts a kernel, and call it again if the kernel dies before its first cell.

    That is no fault of the notebook: a port that was free when the kernel was asked to take it may be taken when it
    does. After three starts it is an error.

    Parameters
    ----------
    start : callable
    began : callable
        Whether a cell was reached, so that a kernel that dies is the notebook's own affair.

    Raises
    ------
    RuntimeError
        If the kernel died each time.

    Examples
    --------
    >>> deaths = ["it died", "it died"]
    >>> def start():
    ...     if deaths:
    ...         raise RuntimeError(deaths.pop())
    ...     print("it lives")
    >>> started_again(start)
    it lives
    """
    for number in range(1, STARTS + 1):
        try:
            return start()
        except RuntimeError as error:  # neither jupyter_client nor nbclient has a narrower one
            if began():
                raise
            if number == STARTS:
                raise RuntimeError(f"{error} (its kernel was started {STARTS} times)") from error


class _Engine(NBClientEngine):
    """Run papermill's own engine, but write the notebook once, however it ends, not around each cell."""

    @classmethod
    def execute_managed_notebook(cls, nb_man: Any, *arguments: Any, kept: Any, **options: Any) -> None:
        def began():
            return any(cell.metadata.papermill.start_time for cell in nb_man.nb.cells)

        try:
            started_again(partial(super().execute_managed_notebook, nb_man, *arguments, **options), began)
        finally:
            with folders.named(kept):
                nbformat.write(nb_man.nb, kept)


papermill_engines.register("mjq", _Engine)
logging.getLogger("papermill").addHandler(logging.NullHandler())  # what went wrong is said by a Failure


def _failure(target, error, traceback):
    where, code = "before its first cell", ""
    if target.exists():
        cells = nbformat.read(target, as_version=4).cells
        # Papermill puts a banner above the failing cell; count as the author does.
        added = {"papermill-error-cell-tag", "injected-parameters"}
        own = [cell for cell in cells if not added & set(cell.metadata.get("tags", []))]
        failing = [c for c in cells if c.cell_type == "code" and _stopped(c, c.metadata.get("papermill", {}))]
        if failing:
            number = f"cell {own.index(failing[0]) + 1} " if failing[0] in own else ""
            where, code = f"in {number}({failing[0].metadata.get('name', 'without a name')})", failing[0].source
    last = plain("\n".join(traceback)).splitlines()[-14:]
    return Failure(where, plain(error), code.splitlines()[:12], last)


def _stopped(cell, notes):
    """Return whether a cell raised an error, or began and never ended because its kernel died."""
    answered = "shell.execute_reply" in cell.metadata.get("execution", {})
    return notes.get("exception") or (notes.get("start_time") and cell.source.strip() and not answered)


def plain(text: str) -> str:
    """Return text without the codes that colour it on a terminal.

    >>> plain("\\x1b[31mred\\x1b[0m")
    'red'
    """
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def cleaned(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Return the notebook without timings, versions and other things that change from run to run."""
    notebook.metadata = {"kernelspec": notebook.metadata.get("kernelspec", {}), "language_info": {"name": "python"}}
    for cell in notebook.cells:
        kept = {key: value for key, value in cell.metadata.items() if key in KEPT_CELL_METADATA}
        if not kept.get("tags", True):
            del kept["tags"]
        cell.metadata = nbformat.from_dict(kept)
    return notebook
