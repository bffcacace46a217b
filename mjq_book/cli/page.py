"""An executed chapter as one page that looks like the book and needs no network."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from mjq_book.runs.chapters import NOTEBOOKS

__all__ = ["require", "write"]

SCRIPT = NOTEBOOKS.parent / "book/page.py"
NEEDED = ("jupyter_book", "math_core", "bs4")


def require() -> None:
    """Raise ``RuntimeError`` if pages cannot be made here."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing or not SCRIPT.is_file():
        raise RuntimeError("pages cannot be made here: this takes a clone that is installed with its extra 'book'")


def write(notebook: NotebookNode, name: str, target: Path) -> None:
    """Write an executed notebook as a page, as if it were the chapter `name` of the book.

    Raises
    ------
    RuntimeError
        If the page could not be built.
    """
    with tempfile.TemporaryDirectory(prefix="mjq-page-") as folder:
        source = Path(folder) / "run.ipynb"
        nbformat.write(notebook, source)
        command: list[str | Path] = [sys.executable, SCRIPT, source, name, target]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(f"the page was not built: {run.stderr.strip()[-2000:]}")
