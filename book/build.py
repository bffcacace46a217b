"""Execute the chapters and build the book.

    python book/build.py             execute what has changed, then build
    python book/build.py --refresh   execute everything and write the outputs back into notebooks/
    python book/build.py --refresh stability    only these chapters

Chapters run in parallel; a chapter is executed again when its cells, a module of mjq that it imports, printed numbers
that it reads, or the locked requirements have changed. The book is built beside the last good one and replaces it only
if every chapter ran and the build gave no warning.
"""

import argparse
import hashlib
import json
import modulefinder
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import filelock
import mathjax
import nbformat
import yaml

from mjq.runs import execution

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "_build"
EXECUTED, FAILED, SITE, HTML = BUILD / "executed", BUILD / "failed", BUILD / "site", BUILD / "html"
CELL_LIMIT = 600  # seconds after which a cell is given up: the slowest takes half a minute
PICTURES = {"capacity.svg": ("processing_capacity", "fig-3")}  # shown by the README


# --- What a chapter depends on --------------------------------------------------------------------------------------


def code_of(notebook):
    """The code of a notebook, cell after cell."""
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")


def modules_used(code):
    """Files of our package that a piece of code imports, directly or not."""
    finder = modulefinder.ModuleFinder(path=[str(ROOT)])
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "chapter.py"
        script.write_text(code, encoding="utf-8")
        finder.run_script(str(script))
    for name in list(finder.any_missing()):
        # Models are re-exported by the package, lazily, so that a chapter depends on its own models only.
        if name.startswith("mjq.") and (ROOT / "mjq/models" / f"{name[4:]}.py").exists():
            finder.import_hook(f"mjq.models.{name[4:]}")
    return sorted(Path(m.__file__) for m in finder.modules.values() if m.__file__ and m.__name__.startswith("mjq"))


def uses(code, modules, data):
    """Whether a chapter reads a data file: printed numbers by their paper's key, others through the module beside."""
    if data.stem.endswith("_ledger"):
        return False
    if data.parent.name in {"published", "benchmarks"}:
        return data.stem.partition("_")[0] in code
    return data.parent in {module.parent for module in modules}


def digest(notebook):
    """A fingerprint of everything that decides what a chapter's cells print."""
    code = code_of(notebook)
    modules = modules_used(code)
    files = [*sorted((ROOT / "mjq").rglob("*.csv")), *sorted((ROOT / "benchmarks").glob("*.csv"))]
    data = [file for file in files if uses(code, modules, file)]
    cells = [[cell.cell_type, cell.source, cell.metadata] for cell in notebook.cells]
    state = hashlib.sha256(json.dumps([sys.version, cells], sort_keys=True).encode())
    for file in [ROOT / "requirements.lock", *modules, *data]:
        state.update(f"{file.relative_to(ROOT)} ".encode() + file.read_bytes())
    return state.hexdigest()


def fresh(name, wanted):
    """Whether the executed chapter on disk is the one that `wanted` describes."""
    mark = EXECUTED / f"{name}.digest"
    done = wanted != "unreadable" and (EXECUTED / f"{name}.ipynb").exists() and mark.exists()
    return done and mark.read_text() == wanted


# --- Executing ------------------------------------------------------------------------------------------------------


def execute(name, wanted, position):
    """Execute one chapter; return None or what went wrong."""
    scratch = BUILD / "running" / f"{name}.ipynb"
    scratch.parent.mkdir(parents=True, exist_ok=True)
    scratch.unlink(missing_ok=True)
    bar = {"desc": name, "position": position, "bar_format": "{desc} |{bar:30}| {n_fmt}/{total_fmt} cells, {elapsed}"}
    failure = execution.execute(source(name), scratch, progress=bar, cell_limit=CELL_LIMIT, modules_here=False)
    if failure:
        if scratch.exists():
            FAILED.mkdir(parents=True, exist_ok=True)
            os.replace(scratch, FAILED / f"{name}.ipynb")
        return name, failure
    EXECUTED.mkdir(parents=True, exist_ok=True)
    nbformat.write(execution.cleaned(nbformat.read(scratch, as_version=4)), scratch)
    os.replace(scratch, EXECUTED / f"{name}.ipynb")
    (EXECUTED / f"{name}.digest").write_text(wanted)
    return None


def source(name):
    return nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)


def execute_changed(names, everything, workers):
    """Bring the executed chapters up to date; return how long it took and the failures."""
    wanted = {}
    for n in names:
        try:
            wanted[n] = digest(source(n))
        except SyntaxError:  # executing the chapter will say where
            wanted[n] = "unreadable"
    stale = [n for n in names if everything or not fresh(n, wanted[n])]
    if not stale:
        print(f"chapters: {len(names)} up to date, nothing to execute")
        return []
    print(f"chapters: executing {', '.join(stale)}", flush=True)
    started, failures = time.perf_counter(), []
    with ThreadPoolExecutor(workers) as pool:  # each chapter has a kernel, and so a process, of its own
        jobs = {pool.submit(execute, name, wanted[name], k): name for k, name in enumerate(stale)}
        for job in as_completed(jobs):
            if job.result():
                failures.append(job.result())
    print(f"\nchapters: {len(stale)} executed in {time.perf_counter() - started:.0f} s", flush=True)
    return failures


def show(failures):
    for name, failure in failures:
        print(f"\nFAILED: chapter {name}, {failure.where}\n  {failure.error}\n")
        print("\n".join(f"    {line}" for line in failure.code))
        print("\n".join(f"  | {line}" for line in failure.traceback))
        print(f"\n  the notebook up to there: {(FAILED / name).relative_to(ROOT)}.ipynb")


# --- Building -------------------------------------------------------------------------------------------------------


def stage(site, chapters):
    """Lay out what Sphinx reads: configuration, prose, executed chapters by name, and MathJax for reading offline."""
    files = {
        path: path.relative_to(ROOT)
        for path in (ROOT / "book").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    files |= {path: Path("notebooks") / f"{name}.ipynb" for name, path in chapters.items()}
    files[ROOT / "_toc.yml"] = Path("_toc.yml")
    js = Path(mathjax.__file__).parent / "static/mathjax/es5"
    files |= {path: Path("book/_static/mathjax") / path.relative_to(js) for path in js.rglob("*") if path.is_file()}
    shutil.rmtree(site, ignore_errors=True)
    for source, target in files.items():
        (site / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, site / target)
    (site / "_config.yml").write_text(configuration(), encoding="utf-8")


def state_of(site):
    """A fingerprint of everything that decides what the built book looks like."""
    state = hashlib.sha256((ROOT / "requirements.lock").read_bytes())
    for path in sorted(path for path in site.rglob("*") if path.is_file()):
        state.update(str(path.relative_to(site)).encode() + path.read_bytes())
    for path in sorted((ROOT / "mjq").rglob("*")):  # the reference pages and the ledger are made from these
        if path.suffix in {".py", ".csv"}:
            state.update(path.read_bytes())
    return state.hexdigest()


def configuration():
    """The book's configuration, with the address of the repository it is built in, where that is known."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    if os.environ.get("GITHUB_REPOSITORY"):
        config["repository"]["url"] = (
            f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{os.environ['GITHUB_REPOSITORY']}"
        )
    return yaml.safe_dump(config, sort_keys=False)


def sphinx(site, output, *options, **variables):
    """Run jupyter-book on a staged site, with more variables of the environment."""
    tools = Path(sys.executable).parent
    variables |= {"PYTHONPATH": str(ROOT), "PATH": f"{tools}{os.pathsep}{os.environ.get('PATH', '')}"}
    return subprocess.run(
        [tools / "jupyter-book", "build", *options, "--path-output", output, site],
        capture_output=True, text=True, cwd=ROOT, env=os.environ | variables,
    )  # fmt: skip


def build():
    """Build the book beside the last good one and put it in its place; return whether all went well."""
    chapters = {path.stem: path for path in EXECUTED.glob("*.ipynb") if (ROOT / "notebooks" / path.name).exists()}
    stage(SITE, chapters)
    state, mark = state_of(SITE), BUILD / "html.digest"
    if HTML.exists() and mark.exists() and mark.read_text() == state:
        print("book: up to date")
        return True
    started = time.perf_counter()
    print("book: building …", flush=True)
    # From nothing: Sphinx would keep quiet about warnings on pages that it read before, and about changed style sheets.
    shutil.rmtree(BUILD / "work", ignore_errors=True)
    run = sphinx(SITE, BUILD / "work", "-W", "-n", "--keep-going", MJQ_COMMANDS=str(BUILD / "commands"))
    log = run.stdout + run.stderr
    (BUILD / "book.log").write_text(log, encoding="utf-8")
    if run.returncode:
        lines = [line for line in execution.plain(log).splitlines() if re.search(r"WARNING|ERROR|Error", line)]
        print("\n".join(lines[:40] or log.splitlines()[-30:]))
        print(f"\nFAILED: the book has warnings or errors (all of it: {(BUILD / 'book.log').relative_to(ROOT)})")
        return False
    new, old = BUILD / "html.new", BUILD / "html.old"
    for leftover in (new, old):
        shutil.rmtree(leftover, ignore_errors=True)
    shutil.copytree(BUILD / "work/_build/html", new)
    mark.unlink(missing_ok=True)
    if HTML.exists():
        HTML.rename(old)
    new.rename(HTML)
    shutil.rmtree(old, ignore_errors=True)
    mark.write_text(state)
    print(f"book: built in {time.perf_counter() - started:.0f} s")
    return True


def write_back(names):
    """Put the fresh outputs into the notebooks that are kept under version control."""
    for name in names:
        notebook = nbformat.read(EXECUTED / f"{name}.ipynb", as_version=4)
        nbformat.write(notebook, ROOT / "notebooks" / f"{name}.ipynb")
        (EXECUTED / f"{name}.digest").write_text(digest(notebook))
        print(f"notebooks/{name}.ipynb: outputs written back")
    for picture, (name, cell) in PICTURES.items():
        if name in names:
            (ROOT / "book/_static" / picture).write_text(drawing(name, cell), encoding="utf-8")


def drawing(name, cell):
    """The figure that a named cell of an executed chapter drew, as SVG."""
    cells = nbformat.read(EXECUTED / f"{name}.ipynb", as_version=4).cells
    (found,) = [c for c in cells if c.metadata.get("name") == cell]
    (svg,) = [o.data["image/svg+xml"] for o in found.outputs if "image/svg+xml" in o.get("data", {})]
    return svg


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--refresh", action="store_true", help="execute every chapter and store its outputs")
    parser.add_argument("--workers", type=int, default=min(os.cpu_count() or 1, 4), help="chapters at a time")
    every = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
    parser.add_argument("chapters", nargs="*", metavar="CHAPTER", help="with --refresh: these chapters instead of all")
    options = parser.parse_args()
    unknown = set(options.chapters) - set(every)
    if unknown or (options.chapters and not options.refresh):
        parser.error(f"chapters to refresh are {', '.join(every)}")
    names = options.chapters or every
    BUILD.mkdir(exist_ok=True)
    lock = filelock.FileLock(BUILD / ".lock")
    try:
        with lock.acquire(timeout=0):
            return work(names, options)
    except filelock.Timeout:
        print(f"Another build is at work in {BUILD.relative_to(ROOT)}: wait for it, or stop it.")
        return 1


def work(names, options):
    """Execute what has changed and build; return the exit status."""
    failures = execute_changed(names, options.refresh, options.workers)
    if failures:
        show(failures)
        print(f"\n{len(failures)} of {len(names)} chapters failed; the last good book is untouched.")
        return 1
    if options.refresh:
        write_back(names)
        return 0
    if not build():
        return 1
    print(f"\nOpen {(HTML / 'index.html').as_uri()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
