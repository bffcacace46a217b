"""A chapter with many sets of parameters, on this machine or on a cluster, to be gone on with at any time."""

import hashlib
import json
import queue
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

import filelock
import nbformat
from tqdm import tqdm

from mjq import checks, parallel
from mjq.runs import case, collected, folders, provenance, results
from mjq.runs.chapters import chapter

PATIENCE = 60.0  # seconds without a single worker after which a sweep gives up


class SweepStopped(RuntimeError):
    """A sweep did not come to its end; what was finished is kept, and the same call goes on."""


@dataclass(frozen=True)
class Sweep:
    """What a sweep left behind.

    Attributes
    ----------
    folder : pathlib.Path
    cases : list of dict
        For each case in order its `name`, `id` and `parameters`.
    records : list
        For each case its record (see :func:`mjq.runs.case.computed`), or None if it was not finished.
    repaired : list of str
        Damaged files that were found; result files were put aside and their cases computed again.
    """

    folder: Path
    cases: list
    records: list
    repaired: list

    @property
    def failed(self):
        """Names of the failed cases."""
        return [x["name"] for x, record in zip(self.cases, self.records) if record and record["status"] == "failed"]

    @property
    def missing(self):
        """Names of the cases without a result."""
        return [x["name"] for x, record in zip(self.cases, self.records) if not record]


def sweep(
    name, cases, *, names=None, label=None, into="runs", workers=2, notebooks=False, format="csv", force=False,
    progress=False, patience=PATIENCE,
):  # fmt: skip
    """Run a chapter once for each case, side by side.

    The folder ``runs/<chapter>/<label>`` keeps a file for each finished case, so that the same call after a crash goes
    on where it was; failed cases are tried again. At the end, and also if something stops the sweep, it gets
    ``results.csv`` (or ``.parquet``), a row for every named value and every entry of every table of every case, and
    ``cases.csv``, a row for every case with its parameters, its fate and its glued values. Notebooks of failed cases,
    up to the failing cell, are in ``failed/``.

    Parameters
    ----------
    name : str
        A chapter, or the path of a notebook.
    cases : sequence of dict
        Parameters of each; all are checked before anything runs. If the chapter has a parameter ``workers`` that no
        case names, it is 1: the cases share the cores already, and the numbers do not depend on it.
    names : sequence of str, optional
        A name for each case; by default 1, 2, ….
    label : str, optional
        Name of the folder; by default one that is the same for the same cases.
    into : path
    workers : int or distributed.Client
        Processes on this machine, or a client of a dask scheduler.
    notebooks : bool
        Keep all executed notebooks, in ``notebooks/``.
    format : {"csv", "parquet"}
    force : bool
        Begin anew, whatever the folder holds.
    progress : bool
    patience : float
        Seconds without any worker after which the sweep stops.

    Returns
    -------
    Sweep

    Raises
    ------
    ValueError
        If a case is not accepted by the chapter, or the folder holds another sweep.
    SweepStopped
        If no worker is left, the disk is full, or somebody stopped it. What was finished is kept.
    """
    plan = _plan(name, cases, names)
    workers = workers if parallel.is_client(workers) else checks.count("workers", workers)
    patience = float(checks.positive("patience", patience, ndim=0))
    folder = Path(into) / plan["chapter"] / folders.checked_label(label or "sweep-" + _digest(plan)[:8])
    folder.mkdir(parents=True, exist_ok=True)
    lock = filelock.FileLock(folder / folders.LOCK)
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        raise ValueError(f"another sweep is at work in {folder}") from None
    try:
        repaired = _begin(folder, plan, force)
        done, damaged = _finished(folder, plan)
        repaired += damaged
        todo = [x for x in plan["cases"] if x["id"] not in done]
        try:
            try:
                if todo:
                    _compute(folder, plan, todo, workers, notebooks, progress, patience)
            finally:
                records = [_record(folder, x) for x in plan["cases"]]
                collected.write(folder, plan, records, format)
        except KeyboardInterrupt:
            raise SweepStopped(_stopped("it was interrupted", folder, plan)) from None
        except OSError as error:  # of a case or, on a full disk, also of the tables
            raise SweepStopped(_stopped(str(error), folder, plan)) from error
        return Sweep(folder, plan["cases"], records, repaired)
    finally:
        lock.release()


def _plan(name, cases, names):
    """What shall be computed: everything that decides the results."""
    source = chapter(name)
    cases = [dict(given) for given in cases]
    if not cases:
        raise ValueError("there are no cases")
    names = [str(k) for k in range(1, len(cases) + 1)] if names is None else [str(x) for x in names]
    if len(names) != len(cases) or len(set(names)) < len(names):
        raise ValueError("each case must have a name of its own")
    for given in names:
        folders.checked_label(given)
    given = {key: None for values in cases for key in values}
    share = {"workers": 1} if "workers" in source.parameters and "workers" not in given else {}
    notebook = nbformat.from_dict(source.notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    text, code, checked = nbformat.writes(notebook), provenance.code(), []
    for label, values in zip(names, cases):
        try:
            checked.append({"name": label, "parameters": source.values(share | values)})
        except ValueError as error:
            raise ValueError(f"case {label}: {error}") from error
    for x in checked:
        x["id"] = case.identity(text, x["parameters"], code)
    collected.check_columns(list(given))
    changed = list(given | share)
    return {
        "chapter": source.name, "code": code, "given": list(given), "changed": changed, "notebook": text,
        "cases": checked,
    }  # fmt: skip


def _digest(plan):
    return hashlib.sha256(json.dumps([[x["name"], x["id"]] for x in plan["cases"]]).encode()).hexdigest()


def _begin(folder, plan, force):
    """Put the plan into the folder, or find it there; return the name of a damaged plan, which is written again."""
    path, damaged = folder / "sweep.json", []
    if force:
        for x in folder.iterdir():
            if x.is_dir() and not x.is_symlink():
                shutil.rmtree(x)
            elif x.name != folders.LOCK:
                x.unlink()
    elif path.exists():
        try:
            if json.loads(path.read_bytes())["digest"] == _digest(plan):
                return []
        except (ValueError, KeyError, TypeError):
            damaged = [str(path)]  # the cases' files know by themselves what they hold
        else:
            raise ValueError(
                f"{folder} holds another sweep, or one of another version of the chapter or of mjq; "
                "choose another label, or --force begins anew"
            )
    elif any(x.name != folders.LOCK for x in folder.iterdir()):
        raise ValueError(f"{folder} exists and is no sweep; choose another label")
    (folder / "cases").mkdir(exist_ok=True)
    about = {key: plan[key] for key in ("chapter", "given", "cases")}
    about |= {"digest": _digest(plan), "versions": provenance.versions()}
    folders.write(path, json.dumps(about, indent=1, ensure_ascii=False).encode())
    return damaged


def _file(folder, x):
    return folder / "cases" / f"{x['id']}.json"


def _record(folder, x):
    try:
        return case.read(_file(folder, x))
    except ValueError:
        return None


def _finished(folder, plan):
    """Identities of the cases that need not be computed again, and damaged files, which are put aside."""
    done, damaged = set(), []
    for x in plan["cases"]:
        path = _file(folder, x)
        try:
            record = case.read(path)
        except ValueError:
            aside = path.with_suffix(".damaged")
            path.replace(aside)
            damaged.append(str(aside))
            continue
        if record and record["status"] == "done":
            done.add(x["id"])
    return done, damaged


def _compute(folder, plan, todo, workers, notebooks, progress, patience):
    """Have the workers compute cases, and keep each result as soon as it is there."""
    # Cases that compute the same thing are computed once.
    todo = list({x["id"]: x for x in todo}.values())
    total = len({x["id"] for x in plan["cases"]})
    arrived = queue.SimpleQueue()
    bar = tqdm(total=total, initial=total - len(todo), desc=plan["chapter"], unit="case", disable=not progress)
    count = workers if parallel.is_client(workers) else min(workers, len(todo))
    with bar, parallel.client_of(count) as client:
        # The notebook is sent once, and again by the scheduler if the worker that holds it dies.
        source = client.submit(str, plan["notebook"], pure=False)
        futures = {}
        for x in todo:
            changed = {key: x["parameters"][key] for key in plan["changed"]}
            future = client.submit(case.computed, source, changed, plan["code"], notebooks, pure=False)
            futures[future] = x
            future.add_done_callback(arrived.put)
        try:
            while futures:
                future = _next(arrived, client, patience, folder, plan)
                record = _outcome(future, client, folder, plan)
                _keep(folder, futures.pop(future), record, notebooks)
                bar.update()
        finally:
            client.cancel(list(futures))


def _next(arrived, client, patience, folder, plan):
    """The next finished future; a scheduler or workers that are gone are noticed."""
    last = time.monotonic()
    while True:
        try:
            return arrived.get(timeout=1.0)
        except queue.Empty:
            connected = client.status == "running"
            if connected and client.scheduler_info()["workers"]:
                last = time.monotonic()
        if time.monotonic() - last > patience:
            reason = f"there has been no worker for {patience:g} s" if connected else "the scheduler cannot be reached"
            raise SweepStopped(_stopped(reason, folder, plan))


def _outcome(future, client, folder, plan):
    """The record of a finished future; a case that killed its workers, or could not run at all, has failed."""
    if future.status in ("cancelled", "lost"):
        raise SweepStopped(_stopped("the scheduler cannot be reached", folder, plan))
    error = future.exception()
    if error is None:
        return future.result()
    failure = {"where": "on its worker", "error": f"{type(error).__name__}: {error}", "code": [], "traceback": []}
    nothing = results.Results({}, {}, {}).named()
    return {"status": "failed", "failure": failure, "seconds": None, "results": nothing, "notebook": None}


def _keep(folder, x, record, notebooks):
    """Write a case's result; its notebook, if there is one, goes into a file of its own before."""
    notebook, failed = record.pop("notebook"), record["status"] == "failed"
    old = folder / "failed" / f"{x['name']}.ipynb"
    if notebook and (failed or notebooks):
        path = old if failed else folder / "notebooks" / old.name
        path.parent.mkdir(exist_ok=True)
        folders.write(path, notebook.encode())
    if not failed:
        old.unlink(missing_ok=True)
    case.write(_file(folder, x), record)


def _stopped(reason, folder, plan):
    there = sum(1 for x in plan["cases"] if (_record(folder, x) or {}).get("status") == "done")
    return f"{reason}; {there} of {len(plan['cases'])} cases are finished and kept in {folder}"
