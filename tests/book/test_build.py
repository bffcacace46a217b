"""The build: what depends on what, and what happens when a chapter fails."""

import os
import shutil

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from nbval.plugin import IPyNbFile, NbCellError

from mjq_book.runs import execution, solutions, stored
from tests.conftest import PACKAGES, ROOT
from tests.nbval_plugin import Played, build_script, recording


def project(folder, patch):
    """The build script, at work in a project without chapters; kernels that it starts import the copies there."""
    module = build_script()
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.nb[ci]"))
    (folder / "requirements.lock").write_text("numpy==1\n")
    (folder / "notebooks").mkdir()
    for name in ("BUILD", "EXECUTED", "FAILED"):
        patch.setattr(module, name, folder / getattr(module, name).relative_to(module.ROOT))
    patch.setattr(module, "ROOT", folder)
    patch.setenv("PYTHONPATH", str(folder))
    patch.delenv("MJQ_WORKERS", raising=False)
    return module


@pytest.fixture
def build(tmp_path, monkeypatch):
    return project(tmp_path, monkeypatch)


def notebook(*sources, **metadata):
    cells = [new_code_cell(source, metadata={"name": f"cell-{k}"}) for k, source in enumerate(sources)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel, **metadata})


def digest(build, chapter, *opened):
    return build.depends.digest(chapter, opened, build.ROOT)


# --- What a chapter depends on ---

WORKERS = """from mjq._util.parallel import map_cases

def states(n):
    from mjq.models.cluster import rule
    return n

map_cases(states, [dict(n=1), dict(n=2)], workers=2)"""
CHAPTERS = {
    "lazy": notebook("from mjq import stability\nstability.throughput(30, 3, 10, 1, .5, .7)"),
    "tables": notebook(
        "from mjq_book import published\npublished.printed('bb22');",
        "from mjq_book.experiments import kept\nkept('evaluation');",
        "from mjq_book.workloads import shipped_classes\nfrom mjq_logs import example_log\n"
        "shipped_classes(), example_log();",
    ),
    "workers": notebook(WORKERS),
    "commands": notebook(
        "import os, sys\nos.environ['PATH'] = f'{os.path.dirname(sys.executable)}:{os.environ[\"PATH\"]}'",
        "%%bash\nmjq list stability",
    ),
    "stability": notebook("n: int = 1  # servers; our choice"),
}
CHAPTERS["stability"].cells[0].metadata.tags = ["parameters"]


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        build = project(tmp_path_factory.mktemp("project"), patch)
        for name, chapter in CHAPTERS.items():
            nbformat.write(chapter, build.ROOT / f"notebooks/{name}.ipynb")
        assert not any(build.fresh(name) for name in CHAPTERS)
        assert build.execute_changed(list(CHAPTERS), workers=1) == 0
        yield build


CLOSED_FORMS = "mjq/models/stability/closed_forms.py"
CODE, WORDS = ("", "\nmore = 1\n"), ('"""', '"""In other words. ')  # what is replaced, once, and by what


@pytest.mark.parametrize(
    ("name", "file", "change", "matters"),
    [
        ("lazy", CLOSED_FORMS, CODE, True),
        ("lazy", CLOSED_FORMS, WORDS, False),
        ("lazy", "mjq/solvers/qbd.py", CODE, False),
        ("lazy", "requirements.lock", CODE, True),
        ("tables", "mjq_book/published/bb22.csv", CODE, True),
        ("tables", "mjq_book/published/ghs20.csv", CODE, False),
        ("tables", "mjq_logs/making/example.swf.gz", CODE, True),
        ("tables", "mjq_logs/cli/__init__.py", CODE, False),
        ("workers", "mjq/models/cluster/rule.py", CODE, True),
        ("workers", "mjq/models/fluid/share.py", CODE, False),
        ("commands", "mjq_logs/cli/__init__.py", CODE, True),
        ("commands", "mjq/simulation/loop.py", CODE, False),
        ("commands", "notebooks/stability.ipynb", ("servers; our", "machines; our"), True),
        ("commands", "notebooks/lazy.ipynb", ("throughput", "product_form"), False),
    ],
)
def test_a_change_executes_the_chapters_that_used_what_changed(executed, name, file, change, matters):
    assert executed.fresh(name)
    path, (old, new) = executed.ROOT / file, change
    before = path.read_bytes()
    after = before.replace(old.encode(), new.encode(), 1) if old else before + new.encode()
    assert after != before
    try:
        path.write_bytes(after)
        assert executed.fresh(name) is not matters
    finally:
        path.write_bytes(before)
    assert executed.fresh(name)


def test_words_are_renewed_and_nothing_executed(build, monkeypatch, capsys):
    path = build.ROOT / "notebooks/good.ipynb"
    chapter = notebook("print(6 * 7)  # one")
    chapter.cells.insert(0, nbformat.v4.new_markdown_cell("One."))
    nbformat.write(chapter, path)
    assert build.execute_changed(["good"]) == 0
    chapter.cells[0].source, chapter.cells[1].source = "Two.", "print(6 * 7)  # two"
    chapter.cells[1].metadata["mystnb"] = {"figure": {"name": "three"}}
    nbformat.write(chapter, path)
    assert build.execute_changed(["good"]) == 0
    assert "to execute: none" in capsys.readouterr().out
    words, code = nbformat.read(build.EXECUTED / "good.ipynb", as_version=4).cells
    assert (words.source, code.source) == ("Two.", "print(6 * 7)  # two")
    assert code.outputs[0].text == "42\n"
    assert code.metadata.mystnb.figure.name == "three"


def test_a_failing_cell_is_shown_and_the_rest_finished(build, monkeypatch, capfd):
    nbformat.write(notebook("x = 20", "y = 22", "print(x + y)"), build.ROOT / "notebooks/good.ipynb")
    nbformat.write(notebook("a = 0", "b = 1 / a", "c = 2"), build.ROOT / "notebooks/bad.ipynb")
    monkeypatch.setattr(build, "build", lambda: pytest.fail("the last book is not as it was"))
    monkeypatch.setattr("sys.argv", ["build.py"])
    assert build.main() == 1
    said = capfd.readouterr().out
    assert "FAILED: chapter bad in cell 2 (cell-1)" in said
    assert "ZeroDivisionError: division by zero" in said
    assert "b = 1 / a" in said
    assert "1 of 2 chapters failed" in said
    assert len(said.splitlines()) < 40
    assert (build.FAILED / "bad.ipynb").exists()
    assert not (build.EXECUTED / "bad.ipynb").exists()
    executed = nbformat.read(build.EXECUTED / "good.ipynb", as_version=4)
    assert executed.cells[-1].outputs[0].text == "42\n"
    assert set(executed.metadata) == {"kernelspec", "language_info"}
    # The second time only the failed chapter runs.
    assert build.main() == 1
    assert "1 up to date, to execute: bad\n" in capfd.readouterr().out


def test_what_the_book_executed_is_not_executed_again(build):
    path = build.ROOT / "notebooks/good.ipynb"
    nbformat.write(notebook("x = 6 * 7", "print(x)"), path)
    assert recording(path, build) is None
    assert build.execute_changed(["good"]) == 0
    assert recording(path, build).cells[1].outputs[0].text == "42\n"
    assert recording(build.ROOT / "good.ipynb", build) is None
    nbformat.write(notebook("x = 6 * 7  # a comment", "print(x)"), path)
    played = Played(recording(path, build))
    for cell in nbformat.read(path, as_version=4).cells:
        played.execute_cell_input(cell.source)
    assert played.get_message("iopub")["content"].text == "42\n"
    for changed in ("x = 6 * 8", "x = = 1"):
        nbformat.write(notebook(changed, "print(x)"), path)
        assert recording(path, build) is None


def test_of_a_notebook_and_its_executed_copy_the_newer_one_is_shown(tmp_path):
    notebook, copy = tmp_path / "notebooks/one.ipynb", tmp_path / "executed/one.ipynb"
    for path, when in ((notebook, 2), (copy, 1)):
        path.parent.mkdir()
        path.touch()
        os.utime(path, (when, when))
    assert stored.files(tmp_path, copy.parent) == stored.files(tmp_path) == {"one": notebook}
    os.utime(copy, (3, 3))
    assert stored.files(tmp_path, copy.parent) == {"one": copy}
    copy.unlink()
    assert stored.files(tmp_path, copy.parent) == {"one": notebook}


def test_refresh_stores_outputs_without_timings_and_they_are_not_compared_with_themselves(build, monkeypatch):
    path = build.ROOT / "notebooks/good.ipynb"
    nbformat.write(notebook("print(6 * 7)"), path)
    monkeypatch.setattr("sys.argv", ["build.py", "--refresh"])
    assert build.main() == 0
    (cell,) = nbformat.read(path, as_version=4).cells
    assert (cell.outputs[0].text, dict(cell.metadata)) == ("42\n", {"name": "cell-0"})
    assert recording(path, build) is None
    assert build.execute_changed(["good"], everything=True) == 0
    assert recording(path, build)


def test_what_the_book_printed_is_compared(request, tmp_path):
    cells = notebook("print(1.5)", "display(6 * 7)", "6 * 7", "print(1.5)")
    for cell in cells.cells:
        cell.metadata |= {"tags": ["nbval-check-output"], "solution": "solved"}
    stored, executed = tmp_path / "stored.ipynb", tmp_path / "executed.ipynb"
    assert execution.execute(cells, executed) is None
    printed = nbformat.read(executed, as_version=4)
    other = nbformat.read(executed, as_version=4)
    other.cells[3].outputs[0].text = "1.7\n"
    nbformat.write(solutions.fold(other), stored)
    file = IPyNbFile.from_parent(request.session, path=stored)
    file.kernel = Played(printed)
    *same, differs = file.collect()
    for cell in same:
        cell.runtest()
    with pytest.raises(NbCellError, match="Cell outputs differ"):
        differs.runtest()


def test_a_cell_that_takes_too_long_is_stopped_and_named(build, monkeypatch):
    monkeypatch.setattr(build, "CELL_LIMIT", 2)
    # It begins with the cell that takes too long: any other could, too, where others are at work.
    nbformat.write(notebook("import time\ntime.sleep(600)"), build.ROOT / "notebooks/slow.ipynb")
    build.FAILED.mkdir(parents=True)
    failure = build.execute("slow")
    assert failure.where == "in cell 1 (cell-0)"
    assert "the cell took longer than 2 seconds" in failure.error
