"""One case of a sweep: what a worker computes, and the file in which its result is kept."""

import hashlib
import json
import tempfile
import time
from pathlib import Path

import nbformat

from mjq.runs import execution, folders, provenance, results


def identity(notebook, parameters, code):
    """A name for what a case computes: same cells, same parameters, same library, same name."""
    return hashlib.sha256(_canonical([notebook, parameters, code])).hexdigest()[:16]


def computed(notebook, parameters, code, keep):
    """Execute a chapter on a worker and return what it found.

    Parameters
    ----------
    notebook : str
        Its JSON.
    parameters : dict
    code : str
        Fingerprint of the library that the sweep was begun with; another one here is refused.
    keep : bool
        Also return the executed notebook; that of a failed case always is.

    Returns
    -------
    dict
        `status` (done or failed), `failure`, `seconds`, `results`, and `notebook`, which is None unless kept.
    """
    if provenance.code() != code:
        raise RuntimeError(f"this worker has another version of mjq: {provenance.code()}, the sweep has {code}")
    clock = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="mjq-") as folder:
        target = Path(folder) / "case.ipynb"
        failure = execution.execute(nbformat.reads(notebook, as_version=4), target, parameters, recorder=True)
        executed = nbformat.read(target, as_version=4) if target.exists() else None
        found = results.taken_from(executed) if executed else results.Results({}, {}, {})
    return {
        "status": "failed" if failure else "done",
        "failure": failure and vars(failure),
        "seconds": round(time.perf_counter() - clock, 3),
        "results": found.named(),
        "notebook": nbformat.writes(executed) if executed and (keep or failure) else None,
    }


def write(path, record):
    """Keep a record, with a checksum, so that it is there whole or not at all."""
    content = {"sha256": hashlib.sha256(_canonical(record)).hexdigest(), "record": record}
    folders.write(path, json.dumps(content, indent=1, allow_nan=False).encode())


def read(path):
    """The record in a file, or None if there is no file.

    Raises
    ------
    ValueError
        If the file is not what was written.
    """
    try:
        content = json.loads(path.read_bytes())
        record = content["record"]
        whole = "status" in record and content["sha256"] == hashlib.sha256(_canonical(record)).hexdigest()
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, IsADirectoryError) as error:
        raise ValueError(f"{path} is damaged") from error
    if not whole:
        raise ValueError(f"{path} is damaged: its checksum is another")
    return record


def _canonical(content):
    return json.dumps(content, sort_keys=True, allow_nan=False).encode()
