"""What is replaced, emptied and removed under the folder of runs, and what never is."""

import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import nbformat
import pytest

from mjq._util import folders
from mjq_book import runs
from mjq_book.runs import execution, sweeps


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def quick(monkeypatch):
    """Runs that keep the notebook as it is, at once, and sweeps that compute nothing."""

    def execute(notebook, target, *_, **__):
        nbformat.write(notebook, target)

    monkeypatch.setattr(execution, "execute", execute)
    monkeypatch.setattr("mjq_book.runs.sweeps._compute", lambda *_: None)


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def run(notebook, label, force):
    return runs.run(notebook, label=label, force=force)


def sweep(notebook, label, force):
    return runs.sweep(notebook, [dict(x=1.0)], label=label, force=force, workers=1)


@pytest.fixture
def victim(here):
    (here / "victim").mkdir()
    (here / "victim/mine.txt").write_text("mine")
    (here / "runs/small").mkdir(parents=True)
    return here / "victim"


@pytest.mark.parametrize("force", [True, False])
@pytest.mark.parametrize("command", [run, sweep])
def test_a_link_is_neither_followed_nor_replaced(here, small, quick, victim, command, force):
    (here / "runs/small/v2").symlink_to(victim)
    with pytest.raises(ValueError, match="runs/small/v2 is a link"):
        command(small, "v2", force)
    assert contents(victim) == {"mine.txt": "mine"}
    assert (here / "runs/small/v2").is_symlink()


@pytest.mark.parametrize("command", [run, sweep])
def test_a_link_to_another_sweep_is_a_link(here, small, quick, command):
    sweep(small, "v1", False)
    (here / "runs/small/v2").symlink_to(here / "runs/small/v1")
    before = contents(here / "runs/small/v1")
    with pytest.raises(ValueError, match="runs/small/v2 is a link"):
        command(small, "v2", True)
    assert contents(here / "runs/small/v1") == before


@pytest.mark.parametrize("command", [run, sweep])
@pytest.mark.parametrize("mine", ["mine.txt", "cases/mine.csv", "failed/1.ipynb"])
def test_a_folder_of_somebody_else_is_not_emptied(here, small, quick, command, mine):
    folder = here / "runs/small/a"
    (folder / mine).parent.mkdir(parents=True)
    (folder / mine).write_text("mine")
    with pytest.raises(ValueError, match="is not a run or sweep of mjq"):
        command(small, "a", True)
    assert contents(folder) == {mine: "mine"}


@pytest.mark.parametrize("command", [run, sweep])
def test_a_file_is_not_replaced_by_a_folder(here, small, quick, command):
    (here / "runs/small").mkdir(parents=True)
    (here / "runs/small/a").write_text("mine")
    with pytest.raises(ValueError, match="is not a run or sweep of mjq"):
        command(small, "a", True)
    assert (here / "runs/small/a").read_text() == "mine"


@pytest.mark.parametrize("first", [run, sweep])
@pytest.mark.parametrize("second", [run, sweep])
def test_runs_and_sweeps_replace_each_other_if_they_are_told_to(here, small, quick, first, second):
    mark = {run: "run.json", sweep: "sweep.json"}
    first(small, "a", False)
    second(small, "a", True)
    assert (here / "runs/small/a" / mark[second]).is_file()
    assert first is second or not (here / "runs/small/a" / mark[first]).exists()


def test_a_sweep_that_was_stopped_before_it_had_begun_can_be_begun_anew(here, small, quick, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    for place in ("Journal", "provenance"):  # before there is a journal, and before there is a plan beside it
        with monkeypatch.context() as patch:
            patch.setattr(sweeps, place, stop if place == "Journal" else SimpleNamespace(versions=stop))
            with pytest.raises(KeyboardInterrupt):
                sweep(small, place, False)
        assert sweep(small, place, True).missing == ["1"]


# --- What killed processes leave ------------------------------------------------------------------------------------

FILLING = """
import sys, time
from pathlib import Path
from mjq._util import folders
with folders.unfinished(Path(sys.argv[1])) as new:
    (new / "half").write_text("half")
    print(new.name, flush=True)
    time.sleep(600)
"""


@pytest.fixture
def filling(tmp_path):
    """A process that fills a folder, and the name of that."""
    process = subprocess.Popen([sys.executable, "-c", FILLING, tmp_path / "runs/a"], stdout=subprocess.PIPE, text=True)
    yield process, tmp_path / "runs" / process.stdout.readline().strip()
    process.kill()
    process.wait()
    process.stdout.close()


@pytest.mark.parametrize("label", ["a", "b"])
def test_what_a_killed_process_left_is_removed_by_the_next_and_what_is_at_work_is_not(tmp_path, filling, label):
    process, left = filling
    with folders.unfinished(tmp_path / "runs" / label):
        assert (left / "half").exists()
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert (left / "half").exists()
    with folders.unfinished(tmp_path / "runs" / label) as new:
        assert not left.exists()
        assert folders.settle(new, tmp_path / "runs" / label, False).is_dir()
    assert [path.name for path in (tmp_path / "runs").iterdir()] == [label]


def test_folders_that_only_look_abandoned_stay(tmp_path):
    (tmp_path / ".a-01234567").mkdir()
    (tmp_path / ".a-01234567/mine.txt").write_text("mine")
    (tmp_path / "mine").mkdir()
    (tmp_path / ".b-01234567").symlink_to(tmp_path / "mine")
    (tmp_path / "mine/mine.txt").write_text("mine")
    (tmp_path / f".b-01234567{folders.AT_WORK}").touch()
    (tmp_path / "a").mkdir()
    for name in (".", "..", ".mine", ".mine-0123456x"):
        (tmp_path / f"a/{name}{folders.AT_WORK}").touch()
    (tmp_path / "a/.mine").mkdir()
    for label in ("a", "a/a"):
        with folders.unfinished(tmp_path / label):
            pass
    assert (tmp_path / "a/.mine").exists()
    assert (tmp_path / ".a-01234567/mine.txt").exists()
    assert (tmp_path / "mine/mine.txt").exists()
