"""Chapters run again: parameters, their checks, and what a run leaves behind."""

import json
import re
import shutil
from functools import partial

import nbformat
import papermill
import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from mjq_book import runs
from mjq_book.runs import chapters, execution, inputs, provenance, solutions
from tests.conftest import CHARACTERS, write_chapter

# --- Parameters and checks ---


@pytest.mark.parametrize("name", chapters.names())
def test_every_chapter_keeps_its_own_laws(name):
    chapter = chapters.chapter(name)
    assert all(type(p.default).__name__ == p.type and "[" not in p.meaning for p in chapter.parameters.values())
    assert chapter.values() == {p.name: p.default for p in chapter.parameters.values()}


NAMED = {
    "parameters": "loads: list = [0.5]  # loads\nn: int = 3  # servers",
    "checks": "from mjq._util import checks\n\nchecks.parameter_names()",
    "work": "total = n * sum(loads)",
}


def test_plain_papermill_is_refused_a_name_that_is_no_parameter(tmp_path):
    path = write_chapter(tmp_path / "named.ipynb", NAMED)
    execute = partial(papermill.execute_notebook, path, tmp_path / "out.ipynb", progress_bar=False)
    execute(dict(n=4, loads=[0.1]))
    with pytest.raises(papermill.PapermillExecutionError, match="there is no parameter 'load'; nearest: loads"):
        execute(dict(load=0.3))
    assert chapters.chapter(path).values() == dict(loads=[0.5], n=3)  # outside of a kernel the check does nothing


# --- Values as people write them ---

TEXT = st.one_of(st.text(CHARACTERS), st.text("\\\"' \n\r\t:#a\x85", min_size=100, max_size=300))
PLAIN = st.one_of(st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXT)
NESTED = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=4), max_leaves=8)


@given(st.dictionaries(st.text(CHARACTERS, min_size=1), NESTED, min_size=1))
def test_parameters_survive_a_yaml_file(tmp_path_factory, given):
    path = tmp_path_factory.mktemp("yaml") / "parameters.yaml"
    inputs.write_yaml(path, given)
    assert inputs.read_yaml(path) == given


@pytest.mark.parametrize(
    ("chapter", "name", "text", "values"),
    [
        ("stability", "p1", "0.2:0.4:3", [0.2, 0.3, 0.4]),
        ("stability", "n", "10,20, 30", [10, 20, 30]),
        ("stability", "n", "10:30:3", [10, 20, 30]),
        ("stability", "mu1", "0:0.1234567890123456:2", [0.0, 0.1234567890123456]),
        ("stability", "mu1", "1e-2:1e2:5:log", [0.01, 0.1, 1.0, 10.0, 100.0]),
        ("cluster", "sizes", "uniform, 1e3,true", ["uniform", "1e3", "true"]),
        ("fluid", "k2", "4", [4]),
        ("processing_capacity", "p", "[0.5, 0.5], [0.1, 0.9]", [[0.5, 0.5], [0.1, 0.9]]),
    ],
)
def test_values_of_a_sweep(chapter, name, text, values):
    assert inputs.several(chapters.chapter(chapter).parameters[name], text) == values


def test_cases_from_a_table(tmp_path):
    stability = chapters.chapter("stability_claims")
    path = tmp_path / "cases.csv"
    path.write_text('case,n,p1,log\nann,30,0.5,"a, b"\nbob,40,1e-1,\n')
    found = inputs.read_cases(path, stability)
    assert found == (["ann", "bob"], [dict(n=30, p1=0.5, log="a, b"), dict(n=40, p1=0.1, log="")])
    path.write_text("n\n30\n")
    assert inputs.read_cases(path, stability) == (None, [dict(n=30)])


# --- One run ---

NASTY = [
    '"; import os; os.system("touch pwned") #',
    "'''\nopen('pwned', 'w')\n'''",
    '\\"\\\nopen("pwned", "w")\n#',
    "{x} {{y}} $(touch pwned) `touch pwned` %s\r\n\t\x00\x1b[31m \u2028 \U0001f600",
]


def test_a_run_leaves_everything_in_one_folder(here, small):
    given = dict(x=2, words="".join(NASTY), flag=True, numbers=[3, 4.5])
    done = runs.run(small, given, label="a")
    assert done.folder.parts == ("runs", "small", "a")
    assert not (here / "pwned").exists()
    found = json.loads((done.folder / "results.json").read_text())
    assert found == {
        "values": {"square": 4.0, "words": "".join(NASTY), "pairs": [[1, 2.0], [2, 2.0]], "given": [True, [3.0, 4.5]]},
        "tables": {},
    }
    assert inputs.read_yaml(done.folder / "parameters.yaml") == done.parameters
    record = json.loads((done.folder / "run.json").read_text())
    assert record["failure"] is None and record["versions"] == provenance.versions()
    assert nbformat.read(done.folder / "small.ipynb", as_version=4).cells
    assert [path.name for path in (here / "runs/small").iterdir()] == ["a"]


def test_a_failed_run_keeps_the_notebook_up_to_the_failing_cell(here, small):
    with pytest.raises(runs.RunFailed, match=r"in cell 5 \(work\): ZeroDivisionError: division by zero") as error:
        runs.run(small, dict(x=3.0), label="a")
    assert error.value.failure.traceback[-1] == "ZeroDivisionError: division by zero"
    kept = here / "runs/small/a.failed"
    assert [path.name for path in (here / "runs/small").iterdir()] == ["a.failed"]
    assert json.loads((kept / "run.json").read_text())["failure"].startswith("in cell 5 (work): ZeroDivisionError")
    cells = nbformat.read(kept / "small.ipynb", as_version=4).cells
    assert [c.execution_count for c in cells if c.metadata.get("name") == "results"] == [None]
    with pytest.raises(runs.RunFailed, match=r"^small failed in cell 5 \(work\): DeadKernelError: Kernel died;"):
        runs.run(small, dict(die=1.0), label="a")


@pytest.mark.parametrize("tag", ["plain", "skip-execution"])
def test_a_notebook_of_which_a_cell_never_ran_is_not_complete(here, tag):
    cells = [nbformat.v4.new_code_cell(code) for code in ("import sys", "sys.exit(0)", "1", "")]
    cells[1].metadata.tags = [tag]
    failure = execution.execute(nbformat.v4.new_notebook(cells=cells), here / "kept.ipynb")
    ended, skipped = "SystemExit: it ended before its last cell", "it ended, and these cells never ran: sys.exit(0)"
    assert failure.error == (ended if tag == "plain" else skipped)


RAW = r"\{[a-z:]+\}`|:::|^```\{|^\([\w:-]+\)="  # what only the book understands


def test_the_notebook_of_a_run_is_one_to_read(here, quick):
    done = runs.run("near_saturation", dict(k=8, needs=[1, 8], rates=[1.0, 0.5], mix=[0.6, 0.4]), label="a")
    chapter = chapters.chapter("near_saturation").notebook
    written = nbformat.read(done.folder / "near_saturation.ipynb", as_version=4)
    outputs = [
        output.get("data", {}).get("text/markdown", "") for cell in written.cells for output in cell.get("outputs", [])
    ]
    texts = [cell.source for cell in written.cells if cell.cell_type == "markdown"]
    assert [text for text in texts + outputs if re.search(RAW, text, re.M)] == []
    assert "## What this run found\n\n> **A run of this chapter.** Parameters:" in "\n\n".join(texts[:2])
    answer = next(text for text in texts if "## The answer" in text)
    assert "## The answer\n\n*This section is about the book's own system." in answer
    computed = re.findall(r"^[*]Computed with (.+)[.][*]$", "\n".join(texts), re.M)
    assert len(computed) >= 5 and {*computed} == {"the parameters of this run"}
    as_run = solutions.unfold(written)
    names = [[cell.metadata.get("name") for cell in x.cells if cell.cell_type == "code"] for x in (chapter, as_run)]
    assert names[0] == names[1]
    runs.page.write(done.folder / "near_saturation.ipynb", here / "page.html")
    page = BeautifulSoup((here / "page.html").read_text(encoding="utf-8"), "html.parser")
    assert "A run of this chapter." in page.select_one("h1").find_next("blockquote").get_text()
    assert len(page.find_all("math")) > 100 and "NS.a" in page.get_text()
    assert not page.find_all(["script", "merror"])
    assert "prefers-color-scheme: dark" in str(page.head)
    assert not page.select(".celltag_sentence .jp-InputArea")  # of a sentence only the words
    assert len(page.select("details.code")) == len(page.select(".celltag_hide-input:not(.celltag_parameters)")) > 20
    named = [tag.get(name, "#") for tag in page.find_all(True) for name in ("src", "href")]
    assert all(address.startswith(("#", "data:", "http")) for address in named)
    assert not [tag for tag in page.find_all(src=True) if tag["src"].startswith("http")]


def test_the_fingerprint_of_the_code_is_that_of_a_copy_until_a_byte_changes(tmp_path):
    here, copy = provenance.HOME / "mjq_book", tmp_path / "mjq_book"
    shutil.copytree(here, copy, ignore=shutil.ignore_patterns("__pycache__"))
    assert provenance.fingerprint(copy) == provenance.fingerprint(here)
    with (copy / "runs/cases.py").open("ab") as file:
        file.write(b" ")
    assert provenance.fingerprint(copy) != provenance.fingerprint(here)


def test_versions_name_the_commit_where_there_is_one(root, tmp_path, monkeypatch):
    found = provenance.versions()
    assert found["code"] == provenance.code() and found["packages"]["numpy"]
    assert found["commit"] is None or re.fullmatch(r"[0-9a-f]{40}(-dirty)?", found["commit"])
    assert (root / ".git").exists() == (found["commit"] is not None)
    monkeypatch.setattr(provenance, "HOME", tmp_path)
    assert provenance.versions()["commit"] is None  # no repository
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert provenance.versions()["commit"] is None  # no git


# --- Figures and tables ---

DRAWING = {
    "imports": "from matplotlib import pyplot as plt\n\nfrom mjq import plots\n\nplots.style()",
    "parameters": "x: float = 1.0  # a number",
    "curve": (
        "fig, ax = plt.subplots()\n"
        "ax.plot([0, 1 / 3], [x, 2 * x], label='a $\\\\lambda$')\n"
        "ax.set(xlabel='time', ylabel='jobs');"
    ),
    "table": "plots.table(['name', 'value'], [['third', x / 3], ['none', None], ['all', float('inf')]])",
    "sentence": "plots.glue('third', x / 3)",
}


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    folder = tmp_path_factory.mktemp("drawing")
    return runs.run(write_chapter(folder / "drawing.ipynb", DRAWING), dict(x=5.0), label="a", into=folder)


def outputs(path):
    cells = nbformat.read(path, as_version=4).cells
    return {c.metadata.name: c.outputs for c in cells if c.cell_type == "code" and "name" in c.metadata}


def test_figures_are_kept_and_tables_leave_their_numbers(drawn):
    done, folder = drawn, drawn.folder / "figures"
    assert (folder / "curve.svg").read_text(encoding="utf-8").lstrip().startswith("<?xml")
    assert (folder / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert (done.folder / "tables/table.csv").read_text() == f"name,value\nthird,{5 / 3}\nnone,\nall,inf\n"
    rows = [["third", 5 / 3], ["none", None], ["all", "inf"]]
    assert done.results.tables["table"] == {"columns": ["name", "value"], "rows": rows}
    # The notebook looks as a chapter does: what was only recorded is gone.
    shown = outputs(done.folder / "drawing.ipynb")
    kinds = {kind for name in ("curve", "table") for output in shown[name] for kind in output.data}
    assert kinds == {"image/png", "image/svg+xml", "text/markdown", "text/plain"}


def test_recording_changes_no_other_output(drawn, tmp_path):
    chapter = chapters.chapter(drawn.folder.parent.parent / "drawing.ipynb")
    assert execution.execute(chapter.notebook, tmp_path / "out.ipynb", drawn.parameters, recorder=False) is None
    assert outputs(tmp_path / "out.ipynb") == outputs(drawn.folder / "drawing.ipynb")
