"""Solutions are folded text where they are stored, and cells where they run."""

import subprocess
import sys
from itertools import pairwise

import nbformat
import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from mjq_book.runs import solutions, stored
from mjq_book.runs.statements import statements
from tests.conftest import ROOT

NOTEBOOKS = [ROOT / f"notebooks/{name}.ipynb" for name in stored.NOTEBOOKS]

ODD = st.lists(st.sampled_from(["", "a", "```", "````python", "</details>", "-->", "<!--", "$", " "])).map("\n".join)
HIDDEN = {"jupyter": {"source_hidden": True}, "mystnb": {"code_prompt_show": "x < 1"}}
WAYS = st.sampled_from([{}, HIDDEN, {"tags": ["remove-input"]}])


@given(st.lists(st.tuples(ODD, WAYS, ODD), min_size=1))
def test_what_is_folded_can_be_had_back(parts):
    cells = []
    for k, (source, way, text) in enumerate(parts):
        shown = [new_output("stream", text=text), new_output("execute_result", {"text/html": text})][: k + 1]
        cells += [new_code_cell(source, metadata={"name": f"x-{k}"} | way, outputs=shown), new_markdown_cell("So.")]
    for k, cell in enumerate(cells):
        cell.id, cell.metadata["solution"] = f"solved-{k}", "solved"
    folded = solutions.fold(new_notebook(cells=cells))
    assert [cell.cell_type for cell in folded.cells] == ["markdown"]
    assert solutions.unfold(folded).cells == cells


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_program_folds_the_solutions_of_a_chapter(path):
    """Below its exercise there is one closed fold with all of a solution, also as nbconvert shows it."""
    as_stored, as_run = nbformat.read(path, as_version=4), solutions.read(path)
    assert solutions.fold(as_run) == as_stored and solutions.unfold(as_stored) == as_run
    solved = [below for cell, below in pairwise(as_stored.cells) if stored.EXERCISE.match(cell.source)]
    assert solved == [cell for cell in as_stored.cells if solutions.is_solution(cell)]
    words = new_notebook(cells=[cell for cell in as_stored.cells if cell.cell_type == "markdown"])
    page = BeautifulSoup(HTMLExporter().from_notebook_node(words)[0], "html.parser")
    folds = [x for x in page.select("details:not([open], details *)") if x.summary.get_text() == "Solution"]
    for fold, cell in zip(folds, solved, strict=True):
        code = [x for x in solutions.unfold(new_notebook(cells=[cell])).cells if x.cell_type == "code"]
        seen = {x.source.strip() for x in code if "remove-input" not in x.metadata.get("tags", [])}
        assert seen <= {block.get_text().strip() for block in fold.select(".highlight pre")}
        assert ("Computed with the chapter's own parameters." in fold.get_text()) == bool(code)
        assert "image/" not in str(cell.metadata), "text has no place for a figure"
    names = set()  # of solutions: programs that run a chapter as it is stored do not know them
    for cell in as_run.cells:
        for line in statements(cell.source) if cell.cell_type == "code" else ():
            assert "solution" in cell.metadata or not names & line.uses, cell.metadata.name
            names = names | line.binds if "solution" in cell.metadata else names - line.binds


def test_their_code_has_the_style_of_all_code(tmp_path):
    """Ruff does not look into text."""
    for path in NOTEBOOKS:
        nbformat.write(solutions.read(path), tmp_path / path.name)
    ruff = [sys.executable, "-m", "ruff", "check", "--no-cache", "--config", ROOT / "pyproject.toml"]
    told = subprocess.run([*ruff, "--ignore=E402,B018,F811", tmp_path], capture_output=True, text=True)
    assert told.returncode == 0, told.stdout
