"""The command: words, exit statuses, and, in processes of its own, what is stopped and closed."""

import ctypes
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import psutil
import pytest

from mjq.__main__ import main as start
from mjq_book import runs
from mjq_book.runs import chapters
from mjq_logs.cli import command, common
from tests.cli.test_refusals import BAD_JSON, EXAMPLE
from tests.conftest import FULL, SMALL, Said, said, write_chapter

TOOLS = Path(sys.executable).parent
LOG = "submit,run,need\n0,1,1\n"
PATIENCE = 300  # seconds that anything may take before a test gives up


def process(*words, cwd, **options):
    """What the installed command says, in a process of its own."""
    words = [TOOLS / "mjq", *map(str, words)]
    run = subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=600, **options)
    return Said(run.returncode, run.stdout, run.stderr)


def until(condition):
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return found


# --- Words and statuses ---


def test_list_shows_the_parameters(tmp_path):
    run = said("list", "stability", cwd=tmp_path)
    assert run.status == 0 and run.out.startswith("stability: Stability of two-class multiserver jobs\n")
    assert re.search(r"p1 +float +0\.7 +probability of class 1", run.out)
    found = json.loads(said("list", "--json", cwd=tmp_path).out)
    *_, last = found["cluster"]["parameters"][3].pop("moves")
    assert last in {cell.metadata.get("name") for cell in runs.chapter("cluster").notebook.cells}
    assert found["cluster"]["parameters"][3] == {
        "name": "lam", "type": "float", "default": 30.0, "meaning": "arrival rate", "unit": "jobs / s",
        "place": "caption of Fig. 10",
    }  # fmt: skip


def test_without_the_repository_there_are_no_chapters(tmp_path, monkeypatch):
    monkeypatch.setattr(chapters, "NOTEBOOKS", tmp_path)
    words = f"{chapters.NONE_HERE}\n"
    assert said("list") == (1, "", f"mjq: {words}")
    failed = {"command": "list", "error": {"type": "failure", "message": chapters.NONE_HERE}}
    assert json.loads(said("list", "--json").err) == failed
    for asked in (["list", "stability"], ["run", "stability"], ["sweep", "stability", "-p", "n", "3"]):
        assert said(*asked, cwd=tmp_path) == (2, "", f"mjq: {words}")


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (0, ["list", "stability", "--json"]),
        (2, ["run", "stability", "-p", "nn1", "3"]),
        (2, ["list", "nonsense", "--json"]),
        (2, ["sweep", "stability", "-p", "p1", ".5", "--scheduler", "nowhere"]),
    ],
)
def test_a_process_says_what_is_said_here(tmp_path, status, words):
    """The installed command: without this, what other tests see in their own process would tell nothing of it."""
    (tmp_path / "log.csv").write_text(LOG)
    run = process(*words, cwd=tmp_path)
    assert run.status == status
    assert run == said(*words, cwd=tmp_path)


def test_a_reader_that_has_gone_is_no_error(tmp_path):
    """As in ``mjq list | head``, with a reader that takes nothing; click ends the command without a word."""
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as gone:
        run = subprocess.run([TOOLS / "mjq", "list"], cwd=tmp_path, stdout=gone, stderr=subprocess.PIPE, timeout=600)
    assert (run.returncode, run.stderr) == (1, b"")


def test_a_file_in_the_current_folder_does_not_replace_a_library(tmp_path, monkeypatch):
    """A chapter of the book, here a small one in its place, does not import from the current folder."""
    (tmp_path / "tabulate.py").write_text("raise RuntimeError('not this one')\n")
    chapter = write_chapter(tmp_path / "imports.ipynb", SMALL | {"work": "import tabulate"})
    # A notebook of one's own may import what is beside it.
    assert said("run", chapter, "-q", cwd=tmp_path).status == 1
    monkeypatch.setattr(chapters, "NOTEBOOKS", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert runs.run(chapter, label="a").results.values["square"] == 1.0


def test_help_and_completion(tmp_path):
    for words in ([], ["sweep"]):
        assert said(*words, "--help").out.startswith(f"Usage: {' '.join(['mjq', *words])} [OPTIONS]")
    assert "complete" in process(cwd=tmp_path, env=os.environ | {"_MJQ_COMPLETE": "bash_source"}).out
    asked = {"_MJQ_COMPLETE": "bash_complete", "COMP_WORDS": "mjq run stability -p n", "COMP_CWORD": "4"}
    assert process(cwd=tmp_path, env=os.environ | asked).out.split() == ["plain,n", "plain,n1", "plain,n2"]


def test_without_what_chapters_need_the_command_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "mjq_logs.cli", None)
    assert start() == 1
    assert capsys.readouterr().err == "mjq: mjq_logs.cli is not installed; pip install 'mjq[logs]' brings it\n"


def outputs():
    for name in command.list_commands(None):
        made = command.get_command(None, name)
        for option in made.params:
            if isinstance(option.type, common.NewFile):
                yield name, made, option


def test_no_command_replaces_a_file_unasked_nor_one_that_it_reads(tmp_path):
    tried = set()
    for name, made, option in outputs():
        new = tmp_path / ("new.html" if option.name == "page" else "new.svg")
        new.write_text("mine")
        arguments = [other for other in made.params if isinstance(other, click.Argument)]
        read = [new.with_name(f"{other.name}{new.suffix}") for other in arguments]
        others = [other for other in made.params if isinstance(other, click.Option) and other is not option]
        values = {"need": "4", "limit": "1h"}  # all other options that must be there name files
        needed = [x for other in others if other.required for x in (other.opts[0], values.get(other.name, "other"))]
        for path in read:
            path.write_text("read")
        there = said(name, *read, *needed, option.opts[0], new)
        assert there.status == 2 and f"{new} exists; --force replaces it" in there.err
        over = said(name, *read, *needed, option.opts[0], read[0], "--force")
        reads_files = isinstance(arguments[0].type, click.Path)  # the first argument of `run` is a name of a chapter
        assert over.status == 2 and (f"name the same file, {read[0]}" in over.err or not reads_files)
        device = said(name, *read, *needed, option.opts[0], os.devnull, "--force")
        assert device.status == 2 and "is no name of a file" in device.err
        assert new.read_text() == "mine" and {path.read_text() for path in read} == {"read"}
        tried.add((name, option.name))
    assert {("replay", "starts"), ("replay", "gantt"), ("wait", "page"), ("run", "page"), ("plan", "output")} < tried


def test_a_folder_that_cannot_be_written_to_is_told_before_anything_is_computed(tmp_path, monkeypatch):
    (tmp_path / "log.csv").write_text("no log")
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)  # who is root may write anywhere
    refused = said("replay", "log.csv", "--starts", "s.csv", cwd=tmp_path)
    assert refused.status == 2 and "'s.csv' is in a folder that cannot be written to" in refused.err


def test_two_outputs_are_two_files(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text(LOG)
    (tmp_path / "link").symlink_to(tmp_path)
    asked = "--starts", tmp_path / "a.csv", "--gantt", tmp_path / "link" / "a.csv"
    refused = said("replay", log, *asked)
    assert refused.status == 2 and "--gantt and --starts name the same file" in refused.err
    assert not (tmp_path / "a.csv").exists()


@pytest.mark.skipif(not FULL.exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("words", [["list"], ["list", "--json"], ["capacity", EXAMPLE, "--anonymous"]])
def test_a_full_output_is_named(words):
    with FULL.open("w") as full:
        run = subprocess.run([TOOLS / "mjq", *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    assert run.returncode == 1 and "standard output: No space left on device" in run.stderr


@pytest.mark.skipif(os.name == "nt", reason="there is no such shell")
@pytest.mark.parametrize(
    ("words", "status", "out"),
    [
        ("replay log.csv --servers 2 2>&-", 0, "log.csv · 1 job"),
        ("replay log.csv --servers 2 >&-", 0, ""),
        ("replay - --servers 2 <&-", 2, ""),
        ("replay missing.csv 2>&-", 2, ""),
    ],
)
def test_a_stream_that_is_closed_is_no_failure(tmp_path, words, status, out):
    (tmp_path / "log.csv").write_text(LOG)
    shell = ["sh", "-c", f"'{TOOLS / 'mjq'}' {words}"]
    run = subprocess.run(shell, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert run.returncode == status and run.stdout.startswith(out) and "Traceback" not in run.stderr


def test_a_run_as_a_page(tmp_path, small, monkeypatch):
    monkeypatch.setattr(runs.page, "write", lambda source, target: target.write_text(source.name))
    for words, page in (
        (["small.ipynb", "--html", "page.html"], "page.html"),
        (["small.ipynb", "--html"], "runs/small/a/small.html"),  # without a name, in the folder of the run
        (["--html", "--label", "a", "small.ipynb"], "runs/small/a/small.html"),
    ):
        run = said("run", *words, "--label", "a", "--force", "-q", cwd=tmp_path)
        assert (run.status, run.err, (tmp_path / page).read_text()) == (0, "", "small.ipynb")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(runs.page, "write", full)
    run = said("run", "small.ipynb", "--html", "b.html", "--label", "b", "-q", cwd=tmp_path)
    assert run.status == 1 and "No space left on device; all other results are in runs/small/b" in run.err
    assert (tmp_path / "runs/small/b/results.json").exists()


@pytest.fixture
def adopting():
    """Take in processes whose parents have ended, as a desktop does for those that are started in it."""
    PR_SET_CHILD_SUBREAPER = 36
    prctl = getattr(ctypes.CDLL(None), "prctl", lambda *_: None)
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    yield
    prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_stopped_leaves_nothing(tmp_path, small, sent, adopting):
    """Nor a kernel, which would hold the stream of errors open."""
    words = [TOOLS / "mjq", "run", "small.ipynb", "-p", "wait", "60", "--label", "a"]
    run = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    until(lambda: psutil.Process(run.pid).children())  # the kernel, which has not begun to look after who started it
    run.send_signal(sent)
    _, told = run.communicate(timeout=PATIENCE)
    assert (run.returncode, told.strip()) == (130, "mjq: stopped")
    assert not (tmp_path / "runs").exists()


def test_errors_of_all_commands_that_print_json_are_tried():
    has_json = {name for name in command.list_commands(None) if "--json" in said(name, "--help").out}
    assert has_json == {words[0] for words, _ in BAD_JSON}
