"""Execute the chapters that have changed, and hand them to `jupyter-book build`.

    python book/build.py                        the book, in _build/html
    SOLUTIONS=off python book/build.py          without solutions, in _build/without-solutions/_build/html
    python book/build.py --refresh [CHAPTER …]  execute all chapters, or these, and store their outputs in notebooks/

Chapters are executed in parallel. One is executed again when its cells, the locked requirements, or a module or table
that it used the last time have changed (`depends.py`). Comments and docstrings do not count. If one fails, the last
book stays as it is. `_ext/building.py` lets the pages show what was executed.
"""

import argparse
import fcntl
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import between_notebooks
import depends
import figures
import nbformat

from mjq_book.runs import execution, solutions
from mjq_logs._util import atomic

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "_build"
EXECUTED, FAILED = BUILD / "executed", BUILD / "failed"
WORKERS = min(os.cpu_count() or 1, 4)  # chapters at a time: one more than there are cores takes longer
CELL_LIMIT = 600  # seconds after which a cell is given up: the slowest takes half a minute
THREADS = "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"  # of linear algebra: they would wait spinning
# The first two compile what later ones load, and the short ones fill the end.
LONGEST = ["your_cluster", "fluid_claims", "scheduling", "stability", "pool_depletion"]
PICTURES = {"capacity.svg": "bb22-fig-3", "scene.svg": "bb22-answer-picture"}  # of the README and the first page


def source(name):
    return solutions.read(ROOT / f"notebooks/{name}.ipynb")


def fresh(name):
    """Whether executing a chapter once more would print what is on disk already."""
    kept = EXECUTED / f"{name}.ipynb"
    try:
        now = depends.digest(source(name), depends.opened(kept.with_suffix(".opened")), ROOT)
        return kept.exists() and kept.with_suffix(".digest").read_text() == now
    except (FileNotFoundError, SyntaxError):  # executing the chapter will say where it is no Python
        return False


def with_words(name):
    """The chapter as it stands, with the outputs of the executed one: words and comments may have changed since."""
    executed, chapter = nbformat.read(EXECUTED / f"{name}.ipynb", as_version=4), source(name)
    code = ([cell for cell in notebook.cells if cell.cell_type == "code"] for notebook in (executed, chapter))
    for old, cell in zip(*code, strict=True):
        cell.outputs, cell.execution_count = old.outputs, old.execution_count
    chapter.metadata = executed.metadata
    return chapter


def execute(name):
    """Execute a chapter; return what went wrong, if anything did."""
    kept, scratch = EXECUTED / f"{name}.ipynb", FAILED / f"{name}.ipynb"
    record, mark = scratch.with_suffix(".opened"), kept.with_suffix(".digest")
    for old in (scratch, record, mark, kept.with_suffix(".stored")):
        old.unlink(missing_ok=True)
    chapter, began = source(name), time.time()
    first = depends.recording(record, ROOT)
    failure = execution.execute(chapter, scratch, cell_limit=CELL_LIMIT, modules_here=False, first=first)
    if failure:
        return failure
    nbformat.write(execution.cleaned(nbformat.read(scratch, as_version=4)), kept)
    scratch.unlink()
    record = record.rename(kept.with_suffix(".opened"))
    used = depends.opened(record)
    # A file that was edited meanwhile may have been read before or after: the next build executes the chapter again.
    if not any((ROOT / file).exists() and (ROOT / file).stat().st_mtime > began for file in used):
        mark.write_text(depends.digest(chapter, used, ROOT))
    return None


def execute_changed(names, everything=False, workers=WORKERS):
    """Bring the executed chapters up to date; return how many failed."""
    stale = [name for name in names if everything or not fresh(name)]
    stale.sort(key=lambda name: LONGEST.index(name) if name in LONGEST else -1, reverse=True)
    for name in set(names) - set(stale):
        kept = EXECUTED / f"{name}.ipynb"
        if kept.stat().st_mtime_ns <= (ROOT / "notebooks" / kept.name).stat().st_mtime_ns:
            nbformat.write(with_words(name), kept)
    print(f"chapters: {len(names) - len(stale)} up to date, to execute: {', '.join(stale) or 'none'}", flush=True)
    for folder in (EXECUTED, FAILED):
        folder.mkdir(parents=True, exist_ok=True)
    os.environ |= dict.fromkeys(THREADS, "1")
    if min(workers, len(stale)) > 1:
        os.environ["MJQ_WORKERS"] = "1"  # the cores are taken
    failed = 0
    with ThreadPoolExecutor(workers) as pool:  # each chapter has a kernel, and so a process, of its own
        jobs = {pool.submit(execute, name): name for name in stale}
        for job in as_completed(jobs):
            name, failure = jobs[job], job.result()
            if failure:
                failed += 1
                print(f"FAILED: chapter {name} {failure}", *failure.code, *failure.traceback, sep="\n    ", flush=True)
            else:
                print(f"chapters: {name} executed", flush=True)
    return failed


def write_back(names):
    for name in names:
        stored = nbformat.writes(solutions.fold(solutions.read(EXECUTED / f"{name}.ipynb")))
        atomic.write(ROOT / f"notebooks/{name}.ipynb", f"{stored}\n".encode())
        (EXECUTED / f"{name}.stored").touch()  # from now on this execution tells nothing about what is stored
        print(f"notebooks/{name}.ipynb: outputs written back")
    between_notebooks.write()
    if "processing_capacity" in names:
        drawn = figures.figures(ROOT, "processing_capacity")
        for picture, figure in PICTURES.items():
            (ROOT / "book/_static" / picture).write_text(drawn[figure][0], encoding="utf-8")


def build():
    # Without solutions in a folder of its own, so that each book is built from its last state.
    output = BUILD / "without-solutions" if os.environ.get("SOLUTIONS") == "off" else ROOT
    command = [Path(sys.executable).with_name("jupyter-book"), "build", ROOT, "--path-output", output]
    status = 1
    try:
        status = subprocess.run([*command, "-q", "-W", "--keep-going"]).returncode
    finally:
        if status:  # Sphinx is silent about warnings on pages that it has read before
            shutil.rmtree(output / "_build/.doctrees", ignore_errors=True)
    return status


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--refresh", action="store_true", help="execute every chapter and store its outputs")
    every = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
    parser.add_argument("chapters", nargs="*", metavar="CHAPTER", help="with --refresh: these chapters instead of all")
    options = parser.parse_args()
    if set(options.chapters) - set(every) or (options.chapters and not options.refresh):
        parser.error(f"chapters to refresh are {', '.join(every)}")
    names = options.chapters or every
    BUILD.mkdir(exist_ok=True)
    with (BUILD / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another build comes to its end first
        failed = execute_changed(names, options.refresh)
        if failed:
            print(f"{failed} of {len(names)} chapters failed: see _build/failed. The last book is as it was.")
            return 1
        if options.refresh:
            write_back(names)
        return 0 if options.refresh else build()


if __name__ == "__main__":
    sys.exit(main())
