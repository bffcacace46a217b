"""The ordinary commands of Jupyter work in a clone, as it is, without ours."""

import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from mjq_book.runs import solutions
from tests.conftest import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """All that git knows, and what is new and not ignored."""
    folder = tmp_path_factory.mktemp("clone")
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((ROOT / name).read_bytes())
    return folder


def run(clone, program, *arguments, **variables):
    command = [Path(sys.executable).with_name(program), *arguments]
    finished = subprocess.run(command, cwd=clone, capture_output=True, text=True, env=os.environ | variables)
    assert finished.returncode == 0, finished.stdout[-3000:] + finished.stderr[-3000:]
    return finished.stdout + finished.stderr


def test_jupyter_book_builds_it_without_solutions_if_it_is_told_to(clone):
    said = run(clone, "jupyter-book", "build", ".", SOLUTIONS="off", GITHUB_REPOSITORY="somebody/mjq")
    assert "WARNING" not in said
    pages = clone / "_build/html"
    page = (pages / "notebooks/stability.html").read_text(encoding="utf-8")
    assert "Stability of two-class" in page and "mybinder.org/v2/gh/somebody/mjq" in page
    cells = [cell for path in (clone / "notebooks").glob("*.ipynb") for cell in solutions.read(path).cells]
    texts = [cell.source for cell in cells if solutions.is_solution(cell) and cell.cell_type == "markdown"]
    solved = {words for text in texts for words in re.findall(r"^[A-Za-z ,]{30,}", text, re.M)[:1]}
    assert len(solved) > 20
    for path in pages.rglob("*"):
        if path.suffix in {".html", ".ipynb", ".md"} and "_static" not in path.parts:
            text = " ".join(path.read_text(encoding="utf-8").split())
            assert not [words for words in solved if words in text] and "Answer to question" not in text, path


def test_papermill_runs_a_chapter(clone):
    run(clone, "papermill", "--cwd", "notebooks", "notebooks/five_models.ipynb", "out.ipynb", "-p", "jobs", "2000")
    executed = nbformat.read(clone / "out.ipynb", as_version=4)
    assert any("jobs = 2000" in cell.source for cell in executed.cells)


def test_nbval_runs_a_chapter(clone):
    assert " passed" in run(clone, "pytest", "-q", "--nbval-lax", "notebooks/five_models.ipynb")
