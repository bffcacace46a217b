"""The command: words, exit statuses, and, in processes of its own, what is killed, interrupted and gone on with."""

import json
import os
import platform
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlparse

import click
import distributed
import psutil
import pytest
from click.shell_completion import ShellComplete

import mjq
from mjq.__main__ import main as start
from mjq_book import runs
from mjq_book.cli import chapters as chapter_commands
from mjq_book.runs import chapters
from mjq_logs.cli import command, common
from tests.conftest import FULL, ROOT, SMALL, Said, csv_rows, said, write_chapter

TOOLS = Path(sys.executable).parent
EXAMPLE = ROOT / "mjq_logs/making/example.swf.gz"
LOG = "submit,run,need\n0,1,1\n"
NOBODY_ANSWERS = ["plan", "log.csv", "--target-wait", "1h", "--servers", "2", "--scheduler", "nowhere"]
FOLDER = """\
mjq: Invalid value for '--html': 'none/page.html' is no name of a file in a folder that exists
See mjq run --help.
"""
PATIENCE = 300  # seconds that anything may take before a test gives up
FEW = 4  # cases of a sweep that are finished before a test stops it, and one more for each of two workers


def process(*words, cwd, **options):
    """What the installed command says, in a process of its own."""
    words = [TOOLS / "mjq", *map(str, words)]
    run = subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=600, **options)
    return Said(run.returncode, run.stdout, run.stderr)


def until(condition):
    """Wait until the condition holds, and return what it gave."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return found


def finished(folder):
    journal = folder / "cases.jsonl"
    return journal.read_bytes().count(b"\n") if journal.exists() else 0  # each line begins with its break


# --- Words and statuses ---------------------------------------------------------------------------------------------


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


def test_list_without_a_name_shows_a_line_for_each_chapter(tmp_path):
    lines = said("list", cwd=tmp_path).out.splitlines()
    assert [line.split(maxsplit=1) for line in lines] == [[name, runs.chapter(name).title] for name in chapters.names()]


def test_the_version_names_python():
    assert said("--version").out.split() == ["mjq", f"{mjq.__version__},", "Python", platform.python_version()]


def test_without_the_repository_there_are_no_chapters(tmp_path, monkeypatch):
    monkeypatch.setattr(chapters, "NOTEBOOKS", tmp_path)
    words = f"{chapters.NONE_HERE}\n"
    assert said("list") == (1, "", f"mjq: {words}")
    for asked in (["list", "stability"], ["run", "stability"], ["sweep", "stability", "-p", "n", "3"]):
        assert said(*asked, cwd=tmp_path) == (2, "", f"mjq: {words}")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["run", "stabilty"], "there is no chapter 'stabilty'; nearest: stability"),
        (["run", "stability", "-p", "nn1", "3"], "stability has no parameter 'nn1'; nearest: n1"),
        (["run", "stability", "-p", "p1", "1.5"], "p1 must lie between 0 and 1, got 1.5"),
        (["run", "stability", "-p", "n", "30", "-p", "n", "40"], "given twice"),
        (["run", "stability", "-f", "missing.yaml"], "missing.yaml cannot be read"),
        (["sweep", "stability"], "needs -p NAME VALUES or --cases FILE"),
        (["sweep", "stability", "-p", "p1", "0:2:3"], "case 3: stability: p1 must lie between 0 and 1, got 2"),
        (["sweep", "stability", "-p", "p1", "0:1"], "a range is start:stop:number"),
        (["nonsense"], "mjq: No such command 'nonsense'.\nSee mjq --help.\n"),
        (["sweep", "stability", "--xyz", "x"], "mjq: No such option '--xyz'.\nSee mjq sweep --help.\n"),
        (["run", "stability", "--html", "page.html", "--label"], "requires an argument.\nSee mjq run --help.\n"),
        (["plan", EXAMPLE], "mjq: give --target-wait, or a what-if: --cap, --estimates or --without"),
        (["run", "stability", "-p", "p1", "!!bool foo"], "p1: '!!bool foo' is not a value"),
        (["run", "cluster", "-p", "T", "30000000"], "size 30000000 exceeds the 16 servers"),
        (["sweep", "stability", "--cases", "missing.csv"], "missing.csv cannot be read as a table of cases: No such"),
        (["sweep", "stability", "--cases", os.devnull], f"{os.devnull} has no cases"),
        (["sweep", "stability", "-p", "p1", ".1,.2", "--workers", "0"], "0 is not in the range"),
        (["sweep", "stability", "-p", "p1", "0:.inf:3"], "a range is start:stop:number"),
    ],
)
def test_bad_input_ends_with_status_2_and_a_clear_word(tmp_path, words, complaint):
    run = said(*words, cwd=tmp_path)
    assert (run.status, run.out) == (2, "")
    assert complaint in run.err
    assert "Traceback" not in run.err
    assert not list(tmp_path.rglob("cases.jsonl"))


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (0, ["list", "stability", "--json"]),
        (2, ["run", "stability", "-p", "nn1", "3"]),
        (2, ["list", "nonsense", "--json"]),
        (1, NOBODY_ANSWERS),
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


def test_ctrl_c_while_libraries_are_imported_is_quiet(tmp_path):
    """The command is interrupted at the very import of its words."""
    code = (
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'mjq_logs.cli':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "from mjq.__main__ import main\n"
        "sys.exit(main())\n"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert (run.returncode, run.stdout, run.stderr) == (1, "", "mjq: stopped\n")


def test_ctrl_c_in_the_middle_is_quiet(tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(runs, "names", interrupted)
    assert said("list", cwd=tmp_path) == (1, "", "\nmjq: stopped\n")


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


def test_all_commands_are_listed_by_subject_in_the_order_of_the_examples():
    text = said("--help").out
    examples = re.findall(r"^ +mjq ([a-z]+) ", text, flags=re.M)
    listed = re.findall(r"^  ([a-z]+)  +[A-Z].*", text[text.index("\nChapters:") :], flags=re.M)
    assert listed == list(dict.fromkeys(examples)) == command.list_commands(None)
    assert re.findall(r"^([A-Z]\w+):$", text, flags=re.M) == ["Options", "Chapters", "Logs", "Teaching"]


def test_without_arguments_the_command_shows_its_help():
    assert said().err == said("--help").out


def test_a_whole_number_beyond_floats_is_refused_by_name():
    """Python reads it, and no float holds it."""
    huge = "1" + 400 * "0"
    for words in (
        ["run", "stability", "-p", "p1", huge],
        ["sweep", "stability", "-p", "p1", f".5,{huge}"],
        ["sweep", "stability", "-p", "p1", f".5:{huge}:3"],
    ):
        run = said(*words)
        assert (run.status, run.out) == (2, "")
        assert "p1" in run.err.split(",")[0]
        assert len(run.err) < 300


def test_chapters_are_completed():
    asked = ShellComplete(command, {}, "mjq", "_MJQ_COMPLETE")
    assert [item.value for item in asked.get_completions(["run"], "st")] == ["stability", "stability_claims"]
    assert {item.value for item in asked.get_completions(["sweep"], "")} == set(chapters.names())


def test_without_what_chapters_need_the_command_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "mjq_logs.cli", None)
    assert start() == 1
    assert capsys.readouterr().err == "mjq: mjq_logs.cli is not installed; pip install 'mjq[logs]' brings it\n"


def outputs():
    """Each command with each of its options that name a file to be written."""
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
        needed = [word for other in others if other.required for word in (other.opts[0], tmp_path / "other")]
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
    asked = "--starts", tmp_path / "a.csv", "--save-hours", tmp_path / "link" / "a.csv"
    refused = said("replay", log, *asked)
    assert refused.status == 2 and "--save-hours and --starts name the same file" in refused.err
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
    cells = len(runs.chapter(small).notebook.cells)

    def written(notebook, name, target):
        target.write_text(f"{name} {len(notebook.cells)}")

    monkeypatch.setattr(chapter_commands, "write_page", written)
    run = said("run", "small.ipynb", "--html", "page.html", "--label", "a", "-q", cwd=tmp_path)
    assert (run.status, run.err) == (0, "")
    assert (tmp_path / "page.html").read_text() == f"small {cells}"
    run = said("run", "small.ipynb", "--html", "page.html", "-q", cwd=tmp_path)
    assert (run.status, run.err) == (2, "mjq: page.html exists; --force replaces it\n")
    run = said("run", "small.ipynb", "--html", "none/page.html", "-q", cwd=tmp_path)
    assert (run.status, run.err) == (2, FOLDER)

    # Without a name the page goes to the folder of the run.
    for words in (["small.ipynb", "--html"], ["--html", "--label", "c", "small.ipynb"]):
        run = said("run", *words, "--label", "c", "--force", "-q", cwd=tmp_path)
        assert (run.status, run.err) == (0, "")
        page_of_run = tmp_path / "runs/small/c/small.html"
        assert page_of_run.read_text() == f"small {cells}"
        page_of_run.unlink()
    run = said("run", "--html", "small.ipynb", "-q", cwd=tmp_path)
    assert run.status == 2 and "the name of a page must end in .html, got small.ipynb" in run.err

    def refused(*_):
        raise RuntimeError("the page was not built: no room")

    monkeypatch.setattr(chapter_commands, "write_page", refused)
    run = said("run", "small.ipynb", "--html", "b.html", "--label", "b", "-q", cwd=tmp_path)
    assert run.status == 1
    assert "the page was not built: no room; all other results are in runs/small/b" in run.err
    assert (tmp_path / "runs/small/b/results.json").exists()


def test_a_run_with_parameters_from_a_file(tmp_path, small):
    (tmp_path / "p.yaml").write_text("x: 2\nk: 7\n")
    run = said("run", "small.ipynb", "-f", "p.yaml", "-p", "x", "5", "--label", "a", cwd=tmp_path)
    assert run.status == 0, run.err
    assert "runs/small/a" in run.out
    found = json.loads((tmp_path / "runs/small/a/results.json").read_text())
    assert found["values"]["square"] == 25.0


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_stopped_leaves_nothing(tmp_path, small, sent):
    words = [TOOLS / "mjq", "run", "small.ipynb", "-p", "wait", "60", "--label", "a"]
    run = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    until(lambda: list(tmp_path.glob("runs/small/.*")))
    run.send_signal(sent)
    _, told = run.communicate(timeout=PATIENCE)
    assert run.returncode == 1
    assert told.strip() == "mjq: stopped"
    assert not list((tmp_path / "runs/small").iterdir())


def test_a_failed_run_ends_with_status_1_and_says_where(tmp_path, small):
    run = said("run", "small.ipynb", "-p", "x", "3", "--label", "a", cwd=tmp_path)
    assert run.status == 1
    assert "small failed in cell 5 (work): ZeroDivisionError" in run.err
    assert "inverse = 1 / (x - 3)" in run.err
    assert (tmp_path / "runs/small/a.failed/small.ipynb").exists()


@pytest.mark.parametrize(
    ("status", "words", "kind", "complaint"),
    [
        (2, ["list", "--nonsense"], "input", "No such option"),
        (2, ["list", "stabilty"], "input", "there is no chapter 'stabilty'; nearest: stability"),
        (2, ["replay", "missing.swf", "--servers", "-1"], "input", "Invalid value for '--servers'"),
        (2, ["replay", "missing.swf"], "input", "File 'missing.swf' does not exist"),
        (2, ["capacity", "."], "input", "File '.' is a directory"),
        (2, ["capacity", "log.csv", "--hours", "no.toml"], "input", "'no.toml' is neither learned, none nor a file"),
        (2, ["replay", "log.csv", "--starts", "-"], "input", "'-' is no name of a file"),
        (2, ["plan", "log.csv"], "input", "give --target-wait, or a what-if"),
        (1, NOBODY_ANSWERS, "failure", "no scheduler answers at nowhere"),
        (2, ["summary", ""], "input", "File '' does not exist"),
        (2, ["wait", "missing.swf", "--limit", "soon"], "input", "'soon' is not a duration such as 2h"),
    ],
)
def test_every_command_that_prints_json_has_errors_as_json(tmp_path, status, words, kind, complaint):
    (tmp_path / "log.csv").write_text(LOG)
    run = said(*words, "--json", cwd=tmp_path)
    told = json.loads(run.err)
    assert (run.status, run.out, told["command"], told["error"]["type"]) == (status, "", words[0], kind)
    assert complaint in told["error"]["message"]


def test_commands_that_print_json_are_those_tried_above():
    has_json = [name for name in command.list_commands(None) if "--json" in said(name, "--help").out]
    assert has_json == ["list", "replay", "capacity", "plan", "wait", "summary"]


# --- Sweeps that are killed -----------------------------------------------------------------------------------------


def write_gated(path, **cells):
    """A small chapter whose cases wait, once a few are finished, for a file: it is returned, and opens the gate.

    So a sweep with the label "a" is at work, however fast it is, until a test has stopped it.
    """
    gate, journal = path.with_name("gate"), path.parent / f"runs/{path.stem}/a/cases.jsonl"
    waits = (
        f"while not os.path.exists({str(gate)!r}) and os.path.exists({str(journal)!r}) and "
        f"open({str(journal)!r}).read().count('\\n') >= {FEW}:\n    time.sleep(0.05)\n"
    )
    cells = SMALL | cells
    write_chapter(path, cells | {"work": waits + cells["work"]})
    return gate


def at_work(**where):
    """Processes with these attributes, such as a folder or a parent: those that end meanwhile are left out."""
    processes = psutil.process_iter(["ppid", "cmdline", "cwd"])
    return [p for p in processes if all(p.info[name] == value for name, value in where.items())]


def sweep_words(tmp_path, *more):
    grid = ["-p", "x", "4:7:4", "-p", "k", "1,2", "-p", "log", str(tmp_path / "log"), "-p", "wait", "0.2"]
    return ["sweep", "small.ipynb", *grid, "--label", "a", *more]


def every_case_once(tmp_path):
    """Whether all 8 cases have one result each."""
    expected = {(f"{x:.1f}", str(k)) for x in range(4, 8) for k in (1, 2)}
    results = [(r["x"], r["k"]) for r in csv_rows(tmp_path / "runs/small/a/results.csv") if r["result"] == "square"]
    assert sorted(results) == sorted(expected)
    assert {r["status"] for r in csv_rows(tmp_path / "runs/small/a/cases.csv")} == {"done"}
    return True


def block(name):
    """The command of a block of the section "On many machines"."""
    text = (ROOT / "book/how-to.md").read_text(encoding="utf-8")
    return re.search(rf"^:name: {name}\n+(.+?)\n```$", text, flags=re.M | re.S)[1]


def test_the_slurm_script_asks_for_workers():
    pytest.importorskip("dask_jobqueue")
    space = {"__name__": "slurm"}
    exec(block("slurm"), space)
    script = space["cluster"].job_script()
    space["cluster"].close()
    for line in ("#SBATCH -p normal", "#SBATCH -A my-project", "#SBATCH -t 02:00:00", "#SBATCH --cpus-per-task=16"):
        assert line in script
    assert "--nworkers 16" in script


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A scheduler and two workers, started by the commands of "On many machines", at a port that is free."""
    folder = tmp_path_factory.mktemp("cluster")
    environment = os.environ | {"PATH": f"{TOOLS}{os.pathsep}{os.environ['PATH']}"}
    silent = dict(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    options = dict(shell=True, cwd=folder, env=environment, **silent)
    command = block("start-scheduler").replace("8786", "0 --scheduler-file scheduler.json")
    started = [subprocess.Popen(f"exec {command}", **options)]
    until(lambda: (folder / "scheduler.json").exists() and (folder / "scheduler.json").read_text().endswith("}"))
    port = urlparse(json.loads((folder / "scheduler.json").read_text())["address"]).port
    command = block("start-workers").replace("head:8786", f"127.0.0.1:{port}")
    started.append(subprocess.Popen(f"exec {command}", **options))
    address = f"tcp://127.0.0.1:{port}"
    with distributed.Client(address, timeout=PATIENCE) as client:
        client.wait_for_workers(2, timeout=PATIENCE)
    yield address, started
    for process in started:
        for child in [*psutil.Process(process.pid).children(recursive=True), process]:
            child.kill()
        process.wait()


LIGHT = {
    "parameters": "p1: float = 0.5  # a number\nn: int = 30  # a count",
    "checks": "",
    "work": "time.sleep(0.2)",
    "results": "glue('product', round(p1 * n, 6))",
}


def busy(workers):
    """The workers that execute a notebook just now: who has a kernel.

    A kernel that starts has, for a moment, a child with its own command. It is no worker.
    """
    of_workers = {p.pid for p in at_work(ppid=workers.pid)}
    kernels = [p.info for p in at_work() if "ipykernel" in " ".join(p.info["cmdline"] or [])]
    return [kernel["ppid"] for kernel in kernels if kernel["ppid"] in of_workers]


def on_this_machine(text, address):
    return text.replace("tcp://head:8786", address)


@pytest.mark.slow
def test_a_killed_worker_and_a_killed_sweep_lose_nothing(tmp_path, cluster):
    """The sweep of the page with a third of its values, of a light chapter with the same parameters."""
    address, (_, workers) = cluster
    gate = write_gated(tmp_path / "stability.ipynb", **LIGHT)
    command = on_this_machine(block("start-sweep"), address).replace("stability", "stability.ipynb")
    words = [TOOLS / "mjq", *command.replace("0.1:0.9:9", "0.1:0.3:3").split()[1:], "--label", "a"]
    folder = tmp_path / "runs/stability/a"
    sweep = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    os.kill(until(lambda: finished(folder) >= 2 and busy(workers))[0], signal.SIGKILL)
    until(lambda: finished(folder) >= FEW)
    assert sweep.poll() is None
    sweep.send_signal(signal.SIGKILL)
    sweep.wait()
    gate.touch()
    kept = (folder / "cases.jsonl").read_bytes()
    assert FEW <= finished(folder) < 9
    run = said(*words[1:], cwd=tmp_path)
    assert run.status == 0, run.err
    assert (folder / "cases.jsonl").read_bytes().startswith(kept)
    assert finished(folder) == 9
    expected = [(f"0.{k}", n, str(k * int(n) / 10)) for k in range(1, 4) for n in ("30", "60", "120")]
    results = [(r["p1"], r["n"], r["number"]) for r in csv_rows(folder / "results.csv")]
    assert sorted(results) == sorted(expected)
    assert {r["status"] for r in csv_rows(folder / "cases.csv")} == {"done"}


@pytest.mark.slow
def test_replications_on_the_cluster_of_the_page(cluster):
    address, _ = cluster
    code = on_this_machine(block("replications"), address)
    code = code.replace("5_000_000", "1_000").replace("replications=70", "replications=4")
    there, here = {}, {}
    exec(code, there)
    exec(code.replace("workers=client", "workers=1"), here)
    there["client"].close()
    here["client"].close()
    assert there["result"] == here["result"]


@pytest.mark.slow
def test_a_sweep_that_is_killed_goes_on_where_it_was(tmp_path):
    folder, gate = tmp_path / "runs/small/a", write_gated(tmp_path / "small.ipynb")
    words = [TOOLS / "mjq", *sweep_words(tmp_path, "--workers", "2")]
    sweep = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    until(lambda: finished(folder) >= 2)
    sweep.send_signal(signal.SIGKILL)
    sweep.wait()
    until(lambda: not at_work(cwd=str(tmp_path.resolve())))  # its workers, and their kernels
    gate.touch()
    before = len((tmp_path / "log").read_text().splitlines())
    kept = finished(folder)
    assert kept < 8
    run = said(*sweep_words(tmp_path, "--workers", "2"), cwd=tmp_path)
    assert run.status == 0, run.err
    assert every_case_once(tmp_path)
    # What was finished was not computed again.
    assert len((tmp_path / "log").read_text().splitlines()) - before == 8 - kept
    again = said(*sweep_words(tmp_path, "--workers", "2"), cwd=tmp_path)
    assert "8 cases, 0 failed" in again.out
    assert len((tmp_path / "log").read_text().splitlines()) - before == 8 - kept


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_finished(tmp_path):
    gate = write_gated(tmp_path / "small.ipynb")
    words = [TOOLS / "mjq", *sweep_words(tmp_path, "--workers", "2")]
    pipes = dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    sweep = subprocess.Popen(words, cwd=tmp_path, start_new_session=True, **pipes)
    until(lambda: finished(tmp_path / "runs/small/a") >= 2)
    os.killpg(sweep.pid, signal.SIGINT)  # as a terminal does: to the workers too, which should leave the word to us
    gate.touch()
    _, told = sweep.communicate(timeout=PATIENCE)
    assert sweep.returncode == 1
    assert "KeyboardInterrupt" not in told
    assert re.search(r"it was interrupted; \d of 8 cases are finished and kept in runs/small/a", told)
    assert len(csv_rows(tmp_path / "runs/small/a/cases.csv")) == 8


def test_a_failing_case_makes_the_sweep_end_with_status_1(tmp_path, small, cluster):
    run = said("sweep", "small.ipynb", "-p", "x", "2,3", "--label", "a", "--scheduler", cluster[0], cwd=tmp_path)
    assert run.status == 1
    assert "2 cases, 1 failed" in run.out
    assert "case 2 failed in cell 5 (work): ZeroDivisionError" in run.err


def test_cases_from_a_table_and_a_grid(tmp_path, small, cluster):
    (tmp_path / "class.csv").write_text("case,x\nann,1\nbob,2\n")
    words = ["--cases", "class.csv", "-p", "k", "4", "--label", "a", "--scheduler", cluster[0]]
    run = said("sweep", "small.ipynb", *words, cwd=tmp_path)
    assert run.status == 0, run.err
    expected = [("ann", "4", "1.0"), ("bob", "4", "4.0")]
    assert [(r["case"], r["k"], r["square"]) for r in csv_rows(tmp_path / "runs/small/a/cases.csv")] == expected
    again = said("sweep", "small.ipynb", *words, cwd=tmp_path)
    assert (again.status, again.err) == (0, "")
    assert [(r["case"], r["k"], r["square"]) for r in csv_rows(tmp_path / "runs/small/a/cases.csv")] == expected
    twice = said("sweep", "small.ipynb", *words, "-p", "x", "1", cwd=tmp_path)
    assert (twice.status, twice.err) == (2, "mjq: x: given both by -p and in class.csv\n")


def test_a_scheduler_that_does_not_answer(tmp_path, small, monkeypatch):
    monkeypatch.setattr(common, "ANSWER", 0.5)
    with socket.socket() as silent:  # which takes a port, and does not listen
        silent.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        run = said("sweep", "small.ipynb", "-p", "x", "1", "--scheduler", address, cwd=tmp_path)
    assert run.status == 1
    assert "no scheduler answers at tcp://127.0.0.1" in run.err
