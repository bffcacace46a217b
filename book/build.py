"""Execute the chapters and build the book.

    python book/build.py             execute what has changed, then build
    python book/build.py --refresh   execute everything and write the outputs back into notebooks/
    python book/build.py --refresh stability    only these chapters
    python book/build.py --without-solutions    the book without solutions, in a folder of its own

Chapters run in parallel, the longest first. A chapter is executed again when its cells, the locked requirements, or a
module or table that it used the last time have changed (`depends.py`). Comments and docstrings do not count.

The book is built beside the last good one and replaces it only if every chapter ran and the build gave no warning. Its
pages are read and written by several processes, too. Those that did not change are kept, unless something changed that
all pages share. `make clean` begins from nothing.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import between_notebooks
import depends
import filelock
import lighter
import nbformat
import pdf
import run_here
import student
import yaml

from mjq_book.runs import execution
from mjq_book.runs.kept.provenance import OURS

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "book/_ext"))

import generated  # noqa: E402

BUILD = ROOT / "_build"
EXECUTED, FAILED, SITE, HTML = BUILD / "executed", BUILD / "failed", BUILD / "site", BUILD / "html"
WORK, MARK = BUILD / "work", BUILD / "html.digest"  # what Sphinx knows of the pages, and from which state they are
WORKERS = min(os.cpu_count() or 1, 4)  # processes for chapters, and then for pages
CELL_LIMIT = 600  # seconds after which a cell is given up: the slowest takes half a minute
THREADS = "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"  # of linear algebra: they would wait spinning
# Seconds. The first two compile what later ones load, and the short ones fill the end.
GUESSED = {
    "pool_depletion": 50, "stability": 50, "scheduling": 35, "fluid_claims": 27, "processing_capacity": 10,
    "near_saturation": 9, "five_models": 3,
}  # fmt: skip
PICTURES = {  # shown by the README and the first page
    "capacity.svg": ("processing_capacity", "fig-3"),
    "scene.svg": ("processing_capacity", "answer-picture"),
}


# --- Executing ------------------------------------------------------------------------------------------------------


def fresh(name):
    """Whether executing a chapter once more would print what is on disk already."""
    files = [EXECUTED / f"{name}{ending}" for ending in (".ipynb", ".digest", ".opened")]
    if not all(file.exists() for file in files):
        return False
    _, mark, record = files
    try:
        return mark.read_text() == depends.digest(source(name), depends.opened(record), ROOT)
    except SyntaxError:  # executing the chapter will say where
        return False


def execute(name, position):
    """Execute one chapter; return None or what went wrong."""
    scratch = BUILD / "running" / f"{name}.ipynb"
    record = scratch.with_suffix(".opened")
    scratch.parent.mkdir(parents=True, exist_ok=True)
    for old in (scratch, record):
        old.unlink(missing_ok=True)
    bar = {"desc": name, "position": position, "bar_format": "{desc} |{bar:30}| {n_fmt}/{total_fmt} cells, {elapsed}"}
    bar["disable"] = None  # where nobody watches: a log would get a line a cell
    chapter, began, started = source(name), time.time(), time.perf_counter()
    recording = depends.recording(record, ROOT)
    failure = execution.execute(
        chapter, scratch, progress=bar, cell_limit=CELL_LIMIT, modules_here=False, first=recording
    )
    if failure:
        if scratch.exists():
            FAILED.mkdir(parents=True, exist_ok=True)
            os.replace(scratch, FAILED / f"{name}.ipynb")
        return name, failure
    EXECUTED.mkdir(parents=True, exist_ok=True)
    nbformat.write(execution.cleaned(nbformat.read(scratch, as_version=4)), scratch)
    mark = EXECUTED / f"{name}.digest"
    mark.unlink(missing_ok=True)  # first: a build that is killed in the next lines is done again
    os.replace(scratch, EXECUTED / f"{name}.ipynb")
    os.replace(record, EXECUTED / f"{name}.opened")
    used = depends.opened(EXECUTED / f"{name}.opened")
    # A file that was edited meanwhile may have been read before or after: the next build executes the chapter again.
    if not any((ROOT / file).exists() and (ROOT / file).stat().st_mtime > began for file in used):
        mark.write_text(depends.digest(chapter, used, ROOT))
    (EXECUTED / f"{name}.stored").unlink(missing_ok=True)
    (EXECUTED / f"{name}.seconds").write_text(f"{time.perf_counter() - started:.0f}")
    return None


def longest_first(names):
    """Chapters by the seconds that they took when they were last executed here; before that by a rough guess."""

    def seconds(name):
        kept = EXECUTED / f"{name}.seconds"
        return float(kept.read_text()) if kept.exists() else GUESSED.get(name, 20)

    return sorted(names, key=seconds, reverse=True)


def source(name):
    return nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)


def with_words(name, executed):
    """The chapter as it stands, with the outputs of the executed one: words and comments may have changed since."""
    outputs, wanted = iter(cell for cell in executed.cells if cell.cell_type == "code"), source(name)
    for cell in wanted.cells:
        if cell.cell_type == "code":
            old = next(outputs)
            cell.outputs, cell.execution_count = old.outputs, old.execution_count
    wanted.metadata = executed.metadata
    return wanted


def renew_words(name):
    """Write the words and comments of a chapter, where they have changed, into the executed one."""
    path = EXECUTED / f"{name}.ipynb"
    executed = nbformat.read(path, as_version=4)
    wanted = with_words(name, executed)
    if wanted.cells != executed.cells:
        nbformat.write(wanted, path)


def execute_changed(names, everything, workers):
    """Bring the executed chapters up to date; return the failures."""
    stale = longest_first(n for n in names if everything or not fresh(n))
    for n in set(names) - set(stale):
        renew_words(n)
    if not stale:
        print(f"chapters: {len(names)} up to date, nothing to execute")
        return []
    print(f"chapters: executing {', '.join(stale)}", flush=True)
    started, failures = time.perf_counter(), []
    if min(workers, len(stale)) > 1:
        os.environ |= dict.fromkeys(("MJQ_WORKERS", *THREADS), "1")  # the cores are taken
    with ThreadPoolExecutor(workers) as pool:  # each chapter has a kernel, and so a process, of its own
        jobs = {pool.submit(execute, name, k): name for k, name in enumerate(stale)}
        for job in as_completed(jobs):
            if job.result():
                failures.append(job.result())
            elif not sys.stderr.isatty():
                print(f"chapters: {jobs[job]} executed", flush=True)
    print(f"\nchapters: {len(stale)} executed in {time.perf_counter() - started:.0f} s", flush=True)
    return failures


def show(failures):
    for name, failure in failures:
        print(f"\nFAILED: chapter {name} {failure.where}\n  {failure.error}\n")
        print("\n".join(f"    {line}" for line in failure.code))
        print("\n".join(f"  | {line}" for line in failure.traceback))
        print(f"\n  the notebook up to there: {(FAILED / name).relative_to(ROOT)}.ipynb")


# --- Building -------------------------------------------------------------------------------------------------------


def stage(site, chapters, solutions=True):
    """Lay out what Sphinx reads: configuration, prose, panels, and executed chapters by name.

    Files that are the same are left alone, so that Sphinx sees which pages changed.
    """
    files = {
        path: path.relative_to(ROOT)
        for path in (ROOT / "book").rglob("*")
        if path.is_file() and not {"__pycache__", run_here.SOURCES.name} & set(path.parts)
    }
    files |= {path: Path("notebooks") / f"{name}.ipynb" for name, path in chapters.items()}
    files |= {ROOT / name: Path(name) for name in ("_toc.yml", "CITATION.cff")}
    to_download = (ROOT / "notebooks/examples").glob("*.ipynb")
    files |= {path: path.relative_to(ROOT) for path in to_download}
    texts = {target: source.read_bytes() for source, target in files.items()}
    if not solutions:
        for name, path in chapters.items():
            chapter = student.without_solutions(nbformat.read(path, as_version=4))
            texts[Path("notebooks") / f"{name}.ipynb"] = nbformat.writes(chapter).encode()
        exam = Path("book/project.md")
        texts[exam] = student.without_answers(texts[exam].decode()).encode()
    texts[Path("_config.yml")] = configuration().encode()
    for old in site.rglob("*") if site.exists() else ():
        if (
            old.is_file()
            and old.relative_to(site) not in texts
            and old.relative_to(site).as_posix() not in generated.FILES
        ):
            old.unlink()
    for target, text in texts.items():
        generated.put(site / target, text)
    generated.write(site)


def state_of(site):
    """Fingerprints of everything that decides what the book looks like, and of what all of its pages share."""
    pages, frame = hashlib.sha256(), hashlib.sha256((ROOT / "requirements.lock").read_bytes())
    for path in sorted(path for path in site.rglob("*") if path.is_file()):
        state = pages if path.suffix in {".md", ".ipynb", ".bib", ".json", ".txt", ".csv"} else frame
        state.update(str(path.relative_to(site)).encode() + path.read_bytes())
    # The reference pages, the ledger, the reference values, the pages about data and other tools are made from these.
    tables = [*(ROOT / "tests/foreign").glob("*.csv"), *(ROOT / "benchmarks").rglob("*.csv")]
    for path in sorted([*(path for name in OURS for path in (ROOT / name).rglob("*")), *tables]):
        if path.suffix in {".py", ".csv", ".json"}:
            pages.update(path.read_bytes())
    return f"{pages.hexdigest()} {frame.hexdigest()}"


def settings():
    """What ``_config.yml`` says."""
    return yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))


def configuration():
    """The book's configuration, with the address of the repository it is built in, where that is known.

    Without an address that can be reached nothing leads to one.
    """
    config = settings()
    del config["run_here"]
    if os.environ.get("GITHUB_REPOSITORY"):
        config["repository"]["url"] = (
            f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{os.environ['GITHUB_REPOSITORY']}"
        )
        owner, _, name = os.environ["GITHUB_REPOSITORY"].partition("/")
        config["sphinx"]["config"]["ogp_site_url"] = f"https://{owner}.github.io/{name}/"
        config["sphinx"]["config"]["published"] = True
    if config["sphinx"]["config"]["published"]:
        config["launch_buttons"] = {"binderhub_url": "https://mybinder.org", "notebook_interface": "jupyterlab"}
        config["html"] |= dict.fromkeys(("use_repository_button", "use_edit_page_button", "use_issues_button"), True)
    return yaml.safe_dump(config, sort_keys=False)


def address_of(site):
    """The address of the repository by a staged configuration, if it can be reached."""
    return yaml.safe_load((site / "_config.yml").read_text(encoding="utf-8")).get("repository", {}).get("url")


def sphinx(site, output):
    """Run Sphinx on a staged site, in a process of its own and with several more for the pages."""
    # Pages are read by copies of that process, in which threads of linear algebra would be missing.
    variables = {"PYTHONPATH": str(ROOT)} | dict.fromkeys(THREADS, "1")
    command = [sys.executable, ROOT / "book/sphinx_build.py", site, output, str(WORKERS)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=os.environ | variables)


def build(solutions=True):
    """Build the book beside the last good one and put it in its place; return the folder, or None if it failed."""
    chapters = {path.stem: path for path in EXECUTED.glob("*.ipynb") if (ROOT / "notebooks" / path.name).exists()}
    other = "" if solutions else "-without-solutions"  # a folder of its own, so that each is built from its last state
    site, html, pages, mark = (folder.with_name(folder.name + other) for folder in (SITE, HTML, WORK, MARK))
    stage(site, chapters, solutions)
    browser = settings()["run_here"]
    state = f"{state_of(site)} {run_here.state(browser)}"
    last = mark.read_text() if html.exists() and mark.exists() else ""
    if last == state:
        print("book: up to date")
        return html
    started = time.perf_counter()
    print("book: building …", flush=True)
    # Sphinx keeps quiet about warnings on pages that it read before: keep its work only if that had none.
    if last.split()[1:2] != state.split()[1:2]:
        shutil.rmtree(pages, ignore_errors=True)
    mark.unlink(missing_ok=True)
    run = sphinx(site, pages / "html")
    log = run.stdout + run.stderr
    (BUILD / "book.log").write_text(log, encoding="utf-8")
    if run.returncode:
        lines = [line for line in execution.plain(log).splitlines() if re.search(r"WARNING|ERROR|Error", line)]
        print("\n".join(lines[:40] or log.splitlines()[-30:]))
        print(f"\nFAILED: the book has warnings or errors (all of it: {(BUILD / 'book.log').relative_to(ROOT)})")
        return None
    new, old = html.with_suffix(".new"), html.with_suffix(".old")
    for leftover in (new, old):
        shutil.rmtree(leftover, ignore_errors=True)
    shutil.copytree(pages / "html", new)
    lighter.lighten(new)
    student.write(site, new / "_sources/notebooks", address_of(site))  # what the button downloads
    run_here.put(new, chapters, browser)
    if solutions:
        pdf.put_beside(new, yaml.safe_load((site / "_toc.yml").read_text(encoding="utf-8"))["root"])
    if html.exists():
        html.rename(old)
    new.rename(html)
    shutil.rmtree(old, ignore_errors=True)
    mark.write_text(state)
    print(f"book: built in {time.perf_counter() - started:.0f} s")
    return html


def write_back(names):
    """Put the fresh outputs into the notebooks that are kept under version control."""
    for name in names:
        notebook = nbformat.read(EXECUTED / f"{name}.ipynb", as_version=4)
        nbformat.write(notebook, ROOT / "notebooks" / f"{name}.ipynb")
        (EXECUTED / f"{name}.stored").touch()  # from now on this execution tells nothing about what is stored
        print(f"notebooks/{name}.ipynb: outputs written back")
    between_notebooks.write()
    for picture, (name, cell) in PICTURES.items():
        if name in names:
            (ROOT / "book/_static" / picture).write_text(drawing(name, cell), encoding="utf-8")


def drawing(name, cell):
    """The figure that a named cell of an executed chapter drew, as SVG."""
    cells = nbformat.read(EXECUTED / f"{name}.ipynb", as_version=4).cells
    (figure_cell,) = [c for c in cells if c.metadata.get("name") == cell]
    (svg,) = [o.data["image/svg+xml"] for o in figure_cell.outputs if "image/svg+xml" in o.get("data", {})]
    return svg


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--refresh", action="store_true", help="execute every chapter and store its outputs")
    parser.add_argument("--without-solutions", action="store_true", help="leave the solutions of exercises out")
    parser.add_argument("--workers", type=int, default=WORKERS, help="chapters at a time")
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
    html = build(not options.without_solutions)
    if not html:
        return 1
    print(f"\nOpen {(html / 'index.html').as_uri()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
