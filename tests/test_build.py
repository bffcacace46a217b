"""The build: what depends on what, and what happens when a chapter fails."""

import importlib.util
import shutil

import filelock
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tests.conftest import ROOT


@pytest.fixture
def build(tmp_path, monkeypatch):
    """The build script, at work in an empty project."""
    spec = importlib.util.spec_from_file_location("build", ROOT / "book/build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    shutil.copytree(ROOT / "mjq", tmp_path / "mjq", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "requirements.lock").write_text("numpy==1\n")
    (tmp_path / "notebooks").mkdir()
    for name in ("BUILD", "EXECUTED", "FAILED", "SITE", "HTML"):
        old = getattr(module, name)
        monkeypatch.setattr(module, name, tmp_path / old.relative_to(ROOT))
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return module


def notebook(*sources, **metadata):
    cells = [new_code_cell(source, metadata={"name": f"cell-{k}"}) for k, source in enumerate(sources)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel, **metadata})


def test_a_chapter_depends_on_the_modules_it_uses_and_on_no_others(build):
    names = {path.name for path in build.modules_used("from mjq import processing_capacity")}
    assert {"processing_capacity.py", "chain.py", "drain.py", "qbd.py", "checks.py"} <= names
    assert "plots.py" not in names
    assert "multiserver.py" not in names
    assert "multiserver.py" in {p.name for p in build.modules_used("from mjq.simulation import simulate_multiserver")}


@pytest.mark.parametrize(
    ("file", "matters"),
    [
        ("mjq/solvers/chain.py", True),
        ("mjq/models/processing_capacity.py", True),
        ("mjq/published/bb22.csv", True),
        ("requirements.lock", True),
        ("mjq/plots.py", False),
        ("mjq/published/bb22_ledger.csv", False),
    ],
)
def test_a_change_executes_what_depends_on_it(build, file, matters):
    chapter = notebook("from mjq import processing_capacity", 'from mjq import published\npublished.printed("bb22")')
    before = build.digest(chapter)
    assert build.digest(chapter) == before
    with (build.ROOT / file).open("a") as target:
        target.write("\n")
    assert (build.digest(chapter) != before) is matters


def test_a_changed_cell_matters_and_a_stored_output_does_not(build):
    chapter = notebook("1 + 1")
    before = build.digest(chapter)
    chapter.cells[0].outputs = [nbformat.v4.new_output("stream", text="2")]
    assert build.digest(chapter) == before
    chapter.cells[0].source = "1 + 2"
    assert build.digest(chapter) != before


def test_a_failing_cell_is_shown_and_the_rest_finished(build, monkeypatch, capfd):
    nbformat.write(notebook("x = 20", "y = 22", "print(x + y)"), build.ROOT / "notebooks/good.ipynb")
    nbformat.write(notebook("a = 0", "b = 1 / a", "c = 2"), build.ROOT / "notebooks/bad.ipynb")
    build.HTML.mkdir(parents=True)
    (build.HTML / "index.html").write_text("the last good book")
    monkeypatch.setattr("sys.argv", ["build.py"])
    assert build.main() == 1
    said = capfd.readouterr().out
    assert "FAILED: chapter bad, cell 2 (cell-1)" in said
    assert "ZeroDivisionError: division by zero" in said
    assert "b = 1 / a" in said
    assert "1 of 2 chapters failed" in said
    assert len(said.splitlines()) < 40
    assert (build.HTML / "index.html").read_text() == "the last good book"
    assert (build.FAILED / "bad.ipynb").exists()
    assert not (build.EXECUTED / "bad.ipynb").exists()
    executed = nbformat.read(build.EXECUTED / "good.ipynb", as_version=4)
    assert executed.cells[-1].outputs[0].text == "42\n"
    assert set(executed.metadata) == {"kernelspec", "language_info"}
    # The second time only the failed chapter runs.
    assert build.main() == 1
    assert "executing bad\n" in capfd.readouterr().out


def test_a_chapter_that_is_not_python_is_named(build, monkeypatch, capfd):
    nbformat.write(notebook("x = = 1"), build.ROOT / "notebooks/broken.ipynb")
    monkeypatch.setattr("sys.argv", ["build.py"])
    assert build.main() == 1
    said = capfd.readouterr().out
    assert "FAILED: chapter broken, cell 1 (cell-0)" in said
    assert "SyntaxError" in said


def test_refresh_stores_outputs_without_timings(build, monkeypatch):
    path = build.ROOT / "notebooks/good.ipynb"
    nbformat.write(notebook("print(6 * 7)"), path)
    monkeypatch.setattr("sys.argv", ["build.py", "--refresh"])
    assert build.main() == 0
    stored = nbformat.read(path, as_version=4)
    assert stored.cells[0].outputs[0].text == "42\n"
    assert dict(stored.cells[0].metadata) == {"name": "cell-0"}


def test_two_builds_at_once_do_not_meet(build, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["build.py"])
    monkeypatch.setattr(build, "work", lambda names, options: 0)
    assert build.main() == 0
    with filelock.FileLock(build.BUILD / ".lock"):
        assert build.main() == 1
    assert "Another build is at work in _build" in capsys.readouterr().out
    assert build.main() == 0


def test_a_cell_that_takes_too_long_is_stopped_and_named(build, monkeypatch):
    monkeypatch.setattr(build, "CELL_LIMIT", 2)
    nbformat.write(notebook("x = 1", "import time\ntime.sleep(600)"), build.ROOT / "notebooks/slow.ipynb")
    (name, failure), *_ = build.execute_changed(["slow"], True, 1)
    assert name == "slow"
    assert "cell-1" in failure.where
    assert "the cell took longer than 2 seconds" in failure.error


@pytest.mark.parametrize("words", [["stability"], ["--refresh", "stabilty"]])
def test_chapters_are_named_to_refresh_them(build, monkeypatch, capsys, words):
    monkeypatch.setattr("sys.argv", ["build.py", *words])
    with pytest.raises(SystemExit):
        build.main()
    assert "chapters to refresh are" in capsys.readouterr().err
