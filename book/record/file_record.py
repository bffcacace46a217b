"""Record which files of the project a process opens: modules, tables, logs and notebooks.

The build of the book asks this of the kernels that execute chapters (``book/depends.py``). Processes that such a kernel
starts, as workers or by a command, find the environment variable `VARIABLE` and, through ``PYTHONPATH``, the
``sitecustomize.py`` beside this file, and record too.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

VARIABLE = "MJQ_OPENED"  # the file that holds the record and the folder of the project, on a line each


def record(target: str, root: str) -> None:
    """Append the name of each file in `root` that this process or one of its children opens to the file `target`.

    Names are relative to `root`, one in each line. A module counts when it is imported, even if Python takes it from
    its cache. Only what Python itself opens is seen: a library that reads a file in compiled code must be given the
    content.
    """
    os.environ[VARIABLE] = f"{target}\n{root}"
    path = [str(Path(__file__).parent), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(filter(None, path)))
    handle = os.open(target, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    asked: set[str] = set()
    seen: set[str] = set()

    def note(path):
        path = os.path.join(os.getcwd(), path)
        if path in asked:
            return
        asked.add(path)
        name = _name(path, os.path.realpath(root))
        if name and name not in seen:
            seen.add(name)
            os.write(handle, f"{name}\n".encode())  # at once, for processes may be killed

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], (str, bytes, os.PathLike)):
            note(os.fsdecode(arguments[0]))

    sys.addaudithook(hook)


@cache
def _real(folder: str) -> str:
    """Return the folder without links; most files lie in few folders."""
    return os.path.realpath(folder)


def _name(path, root):
    """Return the name of a file relative to the project, or None for other files; modules go by their sources."""
    folder, file = os.path.split(path)
    path = os.path.join(_real(folder), file)
    if not path.startswith(root + os.sep):
        return None
    parts = path[len(root) + 1 :].split(os.sep)
    if any(part.startswith(".") or part in {"_build", "site-packages"} for part in parts):
        return None
    if "__pycache__" in parts:
        if not path.endswith(".pyc"):
            return None
        path = importlib.util.source_from_cache(path)
    return Path(path).relative_to(root).as_posix()
