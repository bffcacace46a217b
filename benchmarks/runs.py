"""What a run adds to papermill: a chapter that does nothing, and a sweep of it."""

import subprocess
import sys
import tempfile
from itertools import count
from pathlib import Path

from nbformat.v4 import new_code_cell, new_notebook, writes

from benchmarks.timing import Row, median_time

BIN = Path(sys.executable).parent
KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
CELLS = [new_code_cell("x: float = 1.0  # a number", metadata={"tags": ["parameters"]}), new_code_cell("x")]
CASES = 24


def call(folder, *words):
    subprocess.run(words, cwd=folder, check=True, capture_output=True)


def in_a_folder(benchmark):
    """The benchmark as a function without arguments, for which a folder with the notebook is made."""

    def measured():
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "idle.ipynb").write_text(writes(new_notebook(cells=CELLS, metadata=KERNEL)), encoding="utf-8")
            return benchmark(folder)

    return measured


@in_a_folder
def run_beside_papermill(folder):
    label = (str(k) for k in count())
    ours = median_time(
        lambda: call(folder, BIN / "mjq", "run", "idle.ipynb", "-p", "x", "2", "-q", "--label", next(label))
    )
    theirs = median_time(lambda: call(folder, BIN / "papermill", "idle.ipynb", "out.ipynb", "-p", "x", "2"))
    return Row("mjq run, a chapter that does nothing", ours, "papermill", theirs)


@in_a_folder
def sweep_beside_papermill(folder):
    words = [BIN / "mjq", "sweep", "idle.ipynb", "-p", "x", f"1:{CASES}:{CASES}", "--workers", "2", "--label", "a"]
    ours = median_time(lambda: call(folder, *words, "--force"), repeats=1, warm=False)

    def one_after_the_other():
        for k in range(CASES):
            call(folder, BIN / "papermill", "idle.ipynb", "out.ipynb", "-p", "x", str(k + 1))

    theirs = median_time(one_after_the_other, repeats=1, warm=False)
    return Row(f"mjq sweep, {CASES} such chapters, two workers", ours, "papermill, one after the other", theirs)


BENCHMARKS = [run_beside_papermill, sweep_beside_papermill]
