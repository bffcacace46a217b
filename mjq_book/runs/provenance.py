"""What a run was made with: code, commit, versions, machine."""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

HOME = Path(__file__).resolve().parents[2]  # where the packages lie
OURS = "mjq", "mjq_logs", "mjq_book"
PACKAGES = ("numpy", "scipy", "sympy", "numba", "matplotlib", "papermill", "ipykernel", "distributed")


@cache
def code() -> str:
    """Return a fingerprint of all our code: two machines that compute the same thing have the same."""
    return hashlib.sha256("".join(fingerprint(HOME / name) for name in OURS).encode()).hexdigest()[:16]


def fingerprint(folder: Path) -> str:
    """Return sixteen letters that depend only on the names and contents of all code and data in a folder."""
    state = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".py", ".csv", ".gz"}:
            state.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return state.hexdigest()[:16]


def versions() -> dict[str, Any]:
    """Return versions, machine and commit for JSON; no commit outside a repository, and ``-dirty`` if it was edited."""
    return {
        "mjq": importlib.metadata.version("mjq"),
        "code": code(),
        "commit": _commit(),
        "python": platform.python_version(),
        "system": platform.platform(),
        "packages": {name: importlib.metadata.version(name) for name in PACKAGES},
    }


def _commit():
    # Only if the library itself lies in a repository, not if it is installed somewhere inside another one.
    if not (HOME / ".git").exists():
        return None
    words = ["git", "-C", str(HOME), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):  # no git, or none that may read it
        return None
