"""What a run was made with: code, commit, versions, machine."""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["code", "fingerprint", "versions"]

PACKAGES = ("numpy", "scipy", "sympy", "numba", "matplotlib", "papermill", "ipykernel", "distributed")
HOME = Path(__file__).resolve().parents[2]


@cache
def code() -> str:
    """Return a fingerprint of the library: two machines that compute the same thing have the same.

    >>> code() == fingerprint(HOME)
    True
    """
    return fingerprint(HOME)


def fingerprint(folder: Path) -> str:
    """Return sixteen letters that depend only on the names and contents of all code and data in a folder."""
    state = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".py", ".csv", ".gz"}:
            state.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return state.hexdigest()[:16]


def versions() -> dict[str, Any]:
    """Return versions, machine and commit for JSON; no `commit` outside a repository, `changed` if it was edited."""
    return {
        "mjq": importlib.metadata.version("mjq"),
        "code": code(),
        "commit": _git("rev-parse", "HEAD"),
        "changed": bool(_git("status", "--porcelain", "--untracked-files=no")),
        "python": platform.python_version(),
        "system": platform.platform(),
        "packages": {name: importlib.metadata.version(name) for name in PACKAGES},
    }


def _git(*words):
    # Only if the library itself lies in a repository, not if it is installed somewhere inside another one.
    if not (HOME.parent / ".git").exists():
        return None
    try:
        run = subprocess.run(["git", "-C", HOME.parent, *words], capture_output=True, text=True, check=False)
    except OSError:  # no git
        return None
    return run.stdout.strip() if run.returncode == 0 else None
