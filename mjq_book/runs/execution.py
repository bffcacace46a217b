"""Execute a notebook with parameters, keep what it did, and say where it failed."""

from __future__ import annotations

import logging
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import papermill
from nbclient.exceptions import CellTimeoutError
from papermill.engines import NBClientEngine, papermill_engines

from mjq_logs._util import atomic

KEPT_CELL_METADATA = {"name", "tags", "mystnb", "jupyter", "selfcheck", "solution"}
NOT_BEGUN = "before its first cell"
# A kernel looks now and then whether who started it has ended, but not for an end before its first look.
NOT_ALONE = "__import__('os').getppid() == int(__import__('os').environ['JPY_PARENT_PID']) or __import__('os')._exit(1)"
# Most of what a chapter makes lives to its end: to look for garbage as often as usual takes a twelfth of its time.
LITTLE_GARBAGE = "__import__('gc').set_threshold(100_000)"
STARTS = 3  # of a kernel that dies before its first cell, as one does whose port was taken before it could take it


@dataclass(frozen=True)
class Failure:
    """Say where and why a notebook stopped."""

    where: str
    """``in`` with number and name of the cell, or `NOT_BEGUN`."""
    error: str
    code: list
    traceback: list
    """Lines, short enough for a screen."""

    def __str__(self):
        return f"{self.where}: {self.error}"


def execute(
    notebook: nbformat.NotebookNode,
    target: Path,
    parameters: dict[str, Any] | None = None,
    *,
    recorder: bool = False,
    progress: bool = False,
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
        Also keep the numbers behind sentences and tables in the cells' outputs (``mjq_book.runs.recorder``).
    progress : bool
        Show papermill's progress bar.
    cell_limit : float, optional
        Seconds after which a cell is stopped, and the notebook with it.
    modules_here : bool
        Whether modules in the current folder can be imported. A chapter of the book does not look there: a file
        ``numpy.py`` that happens to be there must not take the place of the library.
    first : str
        An expression that the kernel evaluates before the first cell.

    Raises
    ------
    OSError
        If the notebook could not be written.
    """
    arguments = ["--log-level=CRITICAL", f"--InteractiveShellApp.exec_lines={LITTLE_GARBAGE}"]
    arguments += [f"--InteractiveShellApp.exec_lines={NOT_ALONE}"] * (os.name == "posix")
    arguments += ["--InteractiveShellApp.extra_extensions=mjq_book.runs.recorder"] * recorder
    arguments += ["--InteractiveShellApp.ignore_cwd=True"] * (not modules_here)
    arguments += [f"--InteractiveShellApp.exec_lines={first}"] * bool(first)
    for _ in range(STARTS):
        failure = _started(
            nbformat.from_dict(notebook), target, parameters, progress_bar=progress, extra_arguments=arguments,
            execution_timeout=cell_limit,
        )  # fmt: skip
        if failure is None or failure.where != NOT_BEGUN:
            break
    return failure


def _started(notebook, target, parameters, **options):
    """Execute a notebook as papermill does; return what went wrong, if anything did."""
    try:
        papermill.execute_notebook(
            notebook, None, parameters, engine_name="mjq", kernel_name="python3", kept=target, coalesce_streams=True,
            shutdown_kernel="immediate",  # all is written by then, and to take an interpreter down costs half a second
            **options,
        )  # fmt: skip
    except CellTimeoutError:
        return _failure(target, f"the cell took longer than {options['execution_timeout']:g} seconds")
    except papermill.PapermillExecutionError as error:
        return _failure(target, f"{error.ename}: {error.evalue}", error.traceback)
    except OSError:  # a disk that is full
        raise
    except Exception as error:  # a kernel that died
        return _failure(target, f"{type(error).__name__}: {error}")
    cells = nbformat.read(target, as_version=4).cells
    outputs = (output for cell in cells for output in cell.get("outputs", []))
    if any(output.get("ename") == "SystemExit" for output in outputs):  # which papermill takes for an end like others
        return _failure(target, "SystemExit: it ended before its last cell")
    left = [cell for cell in cells if cell.cell_type == "code" and cell.source.strip() and not cell.execution_count]
    if left:  # as a tag can ask for, which papermill does not say either
        names = [cell.metadata.get("name") or cell.source.splitlines()[0] for cell in left]
        return _failure(target, f"it ended, and these cells never ran: {', '.join(names)}")
    return None


class _Engine(NBClientEngine):
    """Run papermill's own engine, but write the notebook once, however it ends, not around each cell."""

    @classmethod
    def execute_managed_notebook(cls, nb_man: Any, *arguments: Any, kept: Any, **options: Any) -> None:
        try:
            super().execute_managed_notebook(nb_man, *arguments, **options)
        finally:
            with atomic.named(kept):
                nbformat.write(nb_man.nb, kept)


papermill_engines.register("mjq", _Engine)
logging.getLogger("papermill").addHandler(logging.NullHandler())  # what went wrong is said by a Failure


def _failure(target, error, traceback=()):
    """Say which cell of the notebook was the last to begin, and why it was the last."""
    where, code = NOT_BEGUN, ""
    cells = nbformat.read(target, as_version=4).cells if target.exists() else []
    begun = [cell for cell in cells if cell.metadata.papermill.start_time]
    if begun:
        own = [cell for cell in cells if "injected-parameters" not in cell.metadata.get("tags", [])]
        number = f"cell {own.index(begun[-1]) + 1} " if begun[-1] in own else ""  # count as the author does
        where, code = f"in {number}({begun[-1].metadata.get('name', 'without a name')})", begun[-1].source
    last = plain("\n".join(traceback)).splitlines()[-14:]
    return Failure(where, plain(error), code.splitlines()[:12], last)


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
