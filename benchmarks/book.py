"""How long ``make book`` takes: from nothing, unchanged, after a word of prose, after a docstring.

    python -m benchmarks.book    in a copy of its own, with the environment of this one; minutes

The table is kept in ``book.csv``. Compiled code of numba is made first, as by a first build.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tabulate import tabulate

from mjq.experiments import keeping

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).parent / "book.csv"
# What is done to the copy before each build: a file, words in it, and what stands there then.
CHANGES = {
    "from nothing": None,
    "unchanged": None,
    "a word of a chapter's prose": ("notebooks/stability.ipynb", "servers", "machines"),
    "a word of another page": ("book/how-to.md", "the", "The"),
    "a docstring of mjq/_util/checks.py": ("mjq/_util/checks.py", '"""', '"""Changed. '),
}


def copied(folder):
    """A copy of everything but what is made, with the compiled code of numba."""
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(".venv", ".git", "_build", ".hypothesis"))


def built(folder):
    """Seconds of a build, and how many chapters it executed."""
    start = time.perf_counter()
    words = [sys.executable, "book/build.py"]
    here = os.environ | {"PYTHONPATH": str(folder)}  # the copy's modules, not those of the environment
    run = subprocess.run(words, cwd=folder, env=here, capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(run.stdout[-3000:] + run.stderr[-3000:])
    line = next((line for line in run.stdout.splitlines() if "executing" in line), "")
    return time.perf_counter() - start, len([x for x in line.partition("executing")[2].split(",") if x])


def main():
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "copy"
        copied(folder)
        for what, change in CHANGES.items():
            if change:
                file, old, new = change
                text = (folder / file).read_text(encoding="utf-8")
                (folder / file).write_text(text.replace(old, new, 1), encoding="utf-8")
            seconds, executed = built(folder)
            rows.append({"build": what, "seconds": f"{seconds:.3g}", "chapters executed": executed} | keeping.stamp())
            print(f"{what}: {seconds:.1f} s, {executed} chapters executed", flush=True)
    keeping.replace(RESULTS, list(rows[0]), rows)
    print(tabulate([list(row.values())[:3] for row in rows], list(rows[0])[:3]))


if __name__ == "__main__":
    main()
