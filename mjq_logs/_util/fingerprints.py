"""What tells one version of the code from another: results that are kept are those of the code that made them."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

HOME = Path(__file__).resolve().parents[2]  # where the packages lie


@cache
def code(*packages: str) -> str:
    """Return a fingerprint of these packages: two machines that compute the same thing with them have the same.

    >>> code("mjq") == code("mjq") != code("mjq", "mjq_logs")
    True
    """
    return hashlib.sha256("".join(fingerprint(HOME / name) for name in packages).encode()).hexdigest()[:16]


def fingerprint(folder: Path) -> str:
    """Return sixteen letters that depend only on the names and contents of all code and data in a folder."""
    state = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".py", ".csv", ".gz"}:
            state.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return state.hexdigest()[:16]


def of_arrays(*arrays: Any) -> str:
    """Return sixteen letters that depend only on these arrays and numbers; None counts, too.

    >>> of_arrays(8, [1.0, 2.0]) == of_arrays(8, np.array([1.0, 2.0])) != of_arrays(8, [1.0, 2.0], None)
    True
    """
    state = hashlib.sha256()
    for array in arrays:
        array = np.asarray(np.nan if array is None else array)
        state.update(f"{array.dtype}{array.shape}".encode() + array.tobytes())
    return state.hexdigest()[:16]
