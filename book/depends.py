"""What a chapter depends on: its cells, the locked requirements, and the project's files that its execution opened.

The kernel that executes a chapter records the modules that it imports and the tables, logs and notebooks that it reads,
and so do the processes that it starts (`record/file_record.py`). Words do not count: those between cells and in
captions, and docstrings and comments of modules and cells. Comments of parameters do, for commands show them.
"""

import ast
import hashlib
import io
import json
import os
import sys
import tokenize
from functools import cache
from pathlib import Path

from mjq_book.runs import solutions

# Variables by which an environment names another processor than there is: last digits may follow.
PROCESSOR = "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES"
NO_MATTER = "hide-", "remove-", "fold-", "nbval-"  # beginnings of tags that speak to pages and tests


def digest(notebook, opened, root):
    """A fingerprint of everything that decides what a chapter's cells print, given the names of the files it opens."""
    machine = [sys.version, *map(os.environ.get, PROCESSOR)]
    state = hashlib.sha256(f"{machine} {meaning_of_cells(notebook)}".encode())
    for name in ["requirements.lock", *opened]:
        state.update(f"\n{name} ".encode() + meaning_of_file(root / name))
    return state.hexdigest()


def recording(record, root):
    """What a kernel must evaluate before the first cell, to record the files of `root` that it opens."""
    here = str(Path(__file__).parent / "record")
    known = f"__import__('sys').path.append({here!r})"
    return f"({known}, __import__('file_record').record({str(record)!r}, {str(root)!r}))"


def opened(record):
    """The names in the record of an execution, sorted."""
    return sorted(set(record.read_text(encoding="utf-8").splitlines()))


def meaning_of_file(path):
    """All that matters of a file: modules and notebooks without their words; nothing if the file is gone."""
    if not path.is_file():
        return b""
    if path.suffix in {".py", ".pyi"}:
        return meaning(path.read_text(encoding="utf-8")).encode()
    if path.suffix == ".ipynb":
        return meaning_of_cells(solutions.read(path)).encode()
    return path.read_bytes()


def is_shell(cell):
    """Whether a cell holds commands for the shell."""
    return cell.cell_type == "code" and cell.source.startswith("%%bash")


def meaning_of_cells(notebook):
    """All that decides what a notebook's cells print when they are executed, but for what they import and read."""
    return json.dumps(
        [
            [
                meaning_of_cell(cell),
                cell.metadata.get("name"),
                [tag for tag in cell.metadata.get("tags", []) if not tag.startswith(NO_MATTER)],
            ]
            for cell in notebook.cells
            if cell.cell_type == "code"
        ]
    )


def meaning_of_cell(cell):
    """The code of a cell without comments, docstrings and layout; as it stands if commands or parameters are in it."""
    if is_shell(cell) or "parameters" in cell.metadata.get("tags", []):
        return cell.source
    # A text that stands first in a cell is no docstring: where nothing follows it is printed.
    tree = without_docstrings(ast.parse(cell.source), (ast.ClassDef, ast.FunctionDef))
    return f"{ast.dump(tree)}{';' * ends_quietly(cell.source)}"


def ends_quietly(code):
    """Whether a semicolon comes last, after which a cell does not print its last value."""
    if ";" not in code:
        return False
    trivial = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER}
    tokens = [x for x in tokenize.generate_tokens(io.StringIO(code).readline) if x.type not in trivial]
    return bool(tokens) and tokens[-1].string == ";"


@cache
def meaning(source):
    """The code of a module without comments, docstrings and layout."""
    return ast.dump(without_docstrings(ast.parse(source), (ast.Module, ast.ClassDef, ast.FunctionDef)))


def without_docstrings(tree, kinds):
    for node in ast.walk(tree):
        if isinstance(node, kinds) and ast.get_docstring(node) is not None:
            del node.body[0]
    return tree
