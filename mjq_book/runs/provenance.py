"""What a run was made with: code, commit, versions, machine."""

from __future__ import annotations

import importlib.metadata
import platform
import subprocess
from typing import Any

from mjq_logs._util import fingerprints
from mjq_logs._util.fingerprints import HOME

OURS = "mjq", "mjq_logs", "mjq_book"
PACKAGES = ("numpy", "scipy", "sympy", "numba", "matplotlib", "papermill", "ipykernel", "distributed")


def code() -> str:
    """Return a fingerprint of all our code: two machines that compute the same thing have the same."""
    return fingerprints.code(*OURS)


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
