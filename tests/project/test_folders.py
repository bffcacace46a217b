"""What is replaced, emptied and removed under the folder of runs, and what never is."""

import contextlib
from pathlib import Path

import pytest

from mjq_book import folders, runs
from mjq_book.runs import inputs, results
from mjq_book.runs.execution import Failure
from mjq_logs._util import atomic


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def run(notebook, label, force):
    return runs.run(notebook, label=label, force=force)


def sweep(notebook, label, force):
    return runs.sweep(notebook, [dict(x=1.0)], label=label, force=force, workers=1)


@pytest.mark.parametrize("command", [run, sweep])
@pytest.mark.parametrize("force", [True, False])
def test_a_link_is_neither_followed_nor_replaced(here, small, quick, command, force):
    sweep(small, "v1", False)
    (here / "runs/small/v2").symlink_to(here / "runs/small/v1")
    before = contents(here / "runs/small/v1")
    with pytest.raises(ValueError, match="runs/small/v2 exists and is not a run or sweep"):
        command(small, "v2", force)
    assert contents(here / "runs/small/v1") == before
    assert (here / "runs/small/v2").is_symlink()


@pytest.mark.parametrize("command", [run, sweep])
@pytest.mark.parametrize("mine", ["mine.txt", "cases/mine.csv"])
def test_a_folder_of_somebody_else_is_not_emptied(here, small, quick, command, mine):
    folder = here / "runs/small/a"
    (folder / mine).parent.mkdir(parents=True)
    (folder / mine).write_text("mine")
    with pytest.raises(ValueError, match="is not a run or sweep of mjq"):
        command(small, "a", True)
    folder.rename(f"{folder}.failed")
    with pytest.raises(ValueError, match=r"a\.failed exists and is not a run or sweep"):
        runs.run(small, label="a")
    assert contents(here / "runs/small") == {f"a.failed/{mine}": "mine"}


def test_a_run_is_replaced_if_asked_and_a_failed_one_by_the_next(here, small, quick):
    def kept():
        return {path.parent.name: inputs.read_yaml(path)["x"] for path in here.glob("runs/small/*/parameters.yaml")}

    runs.run(small, label="a")
    with pytest.raises(ValueError, match="runs/small/a exists; --force replaces it"):
        runs.run(small, dict(x=4.0), label="a")
    runs.run(small, dict(x=5.0), label="a", force=True)
    quick.append(Failure("in cell 5 (work)", "ZeroDivisionError", [], []))
    for x in (1.0, 2.0):
        with pytest.raises(runs.RunFailed):
            runs.run(small, dict(x=x), label="b")
        assert kept() == {"a": 5.0, "b.failed": x}


# --- Whole or not at all ---


def test_a_full_disk_leaves_nothing_of_a_run(here, small, quick, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(results, "write_json", full)
    with pytest.raises(OSError, match="No space"):
        runs.run(small, label="a")
    assert not (here / "runs/small").exists()


def test_a_folder_appears_when_it_is_settled(tmp_path):
    with pytest.raises(KeyError), folders.unfinished(tmp_path / "a") as new:
        (new / "file").write_text("half")
        raise KeyError
    assert not list(tmp_path.iterdir())
    with folders.unfinished(tmp_path / "a") as new:
        (new / "run.json").write_text("1")
        assert folders.settle(new, tmp_path / "a", False) == tmp_path / "a"
    assert contents(tmp_path) == {"a/run.json": "1"}


@pytest.mark.parametrize(("force", "kept"), [(False, "first"), (True, "second")])
def test_a_run_that_appeared_meanwhile_is_replaced_only_by_force(tmp_path, force, kept):
    with contextlib.suppress(OSError), folders.unfinished(tmp_path / "a") as new:
        (new / "run.json").write_text("second")
        (tmp_path / "a").mkdir()
        (tmp_path / "a/run.json").write_text("first")
        folders.settle(new, tmp_path / "a", force)
    assert contents(tmp_path) == {"a/run.json": kept}


@pytest.mark.parametrize("mine", [True, False])
def test_a_file_is_replaced_whole_or_not_at_all(tmp_path, monkeypatch, mine):
    if mine:
        atomic.write(tmp_path / "a", b"old")

    def full(path, content):
        with path.open("wb") as file:
            file.write(content[:1])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match=r"No space left on device: '.+/a'"):
        atomic.write(tmp_path / "a", b"new")
    monkeypatch.undo()
    assert contents(tmp_path) == ({"a": "old"} if mine else {})
