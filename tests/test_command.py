"""The real commands in processes of their own: words, exit statuses, sweeps that are killed and gone on with."""

import csv
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import polars as pl
import psutil
import pytest

from mjq import pool_depletion, processing_capacity, stability
from mjq.headlines import MODELS, schema, solve
from tests.conftest import ROOT, SMALL, write_chapter

TOOLS = Path(sys.executable).parent
PATIENCE = 120  # seconds that anything may take before a test gives up


def mjq(*words, cwd, **options):
    return subprocess.run([TOOLS / "mjq", *words], cwd=cwd, capture_output=True, text=True, timeout=600, **options)


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def until(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def finished(folder):
    return len(list(folder.glob("cases/*.json")))


# --- Words and statuses ---------------------------------------------------------------------------------------------


def test_list_shows_the_parameters(tmp_path):
    run = mjq("list", "stability", cwd=tmp_path)
    assert run.returncode == 0
    assert re.search(r"p1 +float +0\.7 +probability of class 1", run.stdout)
    found = json.loads(mjq("list", "--json", cwd=tmp_path).stdout)
    assert found["cluster"]["parameters"][3] == {
        "name": "lam", "type": "float", "default": 30.0, "meaning": "arrival rate", "unit": "jobs / s",
        "place": "caption of Fig. 10",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["run", "stabilty"], 2, "there is no chapter 'stabilty'; nearest: stability"),
        (["run", "stability", "-p", "nn1", "3"], 2, "stability has no parameter 'nn1'; nearest: n1"),
        (["run", "stability", "-p", "p1", "1.5"], 2, "p1 must lie between 0 and 1, got 1.5"),
        (["run", "stability", "-p", "n", "30", "-p", "n", "40"], 2, "given twice"),
        (["run", "stability", "-f", "missing.yaml"], 2, "missing.yaml cannot be read"),
        (["sweep", "stability"], 2, "needs -p NAME VALUES or --cases FILE"),
        (["sweep", "stability", "-p", "p1", "0:2:3"], 2, "case 3: stability: p1 must lie between 0 and 1, got 2"),
        (["sweep", "stability", "-p", "p1", "0:1"], 2, "a range is start:stop:number"),
        (["compare", "a", "b"], 2, "a is not the folder of a finished run"),
        (["solve", "stability", "--n", "30"], 2, "stability needs n1, n2, mu1, mu2, p1"),
        (["nonsense"], 2, "No such command 'nonsense'"),
        (["run", "stability", "-p", "p1", "9" * 400], 2, "p1: a whole number of 1329 binary digits"),
        (["run", "stability", "-p", "p1", "!!bool foo"], 2, "p1: '!!bool foo' is not a value"),
        (["run", "cluster", "-p", "T", "30000000"], 2, "size 30000000 exceeds the 16 servers"),
        (["solve", "stability", "--n", "30", "--n", "31"], 2, "--n is given 2 times"),
        (["solve", "fluid", "--network", "missing.yaml"], 2, "missing.yaml cannot be read"),
        (["sweep", "stability", "--cases", "missing.csv"], 2, "missing.csv cannot be read as a table"),
        (["run", "stability", "-o", "missing/x.ipynb"], 2, "must be a file in a folder that exists"),
        (["run", "stability", "--label", "a.failed"], 2, "is for runs that failed"),
        (["run", "stability", "-o", "/dev/null", "--force"], 2, "/dev/null must be a file"),
        (["sweep", "stability", "-p", "p1", ".1,.2", "--workers", "0"], 2, "0 is not in the range"),
        (["sweep", "stability", "-p", "p1", "0:.inf:3"], 2, "a range is start:stop:number"),
    ],
)
def test_bad_input_ends_with_status_2_and_a_clear_word(tmp_path, words, status, said):
    run = mjq(*words, cwd=tmp_path)
    assert (run.returncode, run.stdout) == (status, "")
    assert said in run.stderr
    assert "Traceback" not in run.stderr
    assert not list(tmp_path.rglob("cases/*"))


def test_matrices_are_explained():
    run = mjq("solve", "pool_depletion", "--help", cwd=ROOT)
    assert "--D [[X, ...], ...]" in run.stdout


@pytest.mark.parametrize("stream", [0, 1, 2])
def test_a_closed_stream_does_not_stop_a_run(tmp_path, small, stream):
    close = {0: "<&-", 1: ">&-", 2: "2>&-"}[stream]
    run = subprocess.run(f"{TOOLS / 'mjq'} run {small} -q --label a {close}", shell=True, cwd=tmp_path, timeout=600)
    assert run.returncode == 0
    assert (tmp_path / "runs/small/a/results.json").exists()


def test_ctrl_c_while_libraries_are_imported_is_quiet(tmp_path):
    """The command is interrupted at the very import of its words."""
    code = (
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'mjq.cli':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "from mjq.__main__ import main\n"
        "sys.exit(main())\n"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert (run.returncode, run.stdout, run.stderr) == (1, "", "mjq: stopped\n")


def test_a_file_in_the_current_folder_does_not_replace_a_library(tmp_path, small):
    """A chapter of the book, here a small one in its place, does not import from the current folder."""
    (tmp_path / "tabulate.py").write_text("raise RuntimeError('not this one')\n")
    chapter = write_chapter(tmp_path / "imports.ipynb", SMALL | {"work": "import tabulate"})
    # A notebook of one's own may import what is beside it.
    assert mjq("run", chapter, "-q", cwd=tmp_path).returncode == 1
    code = (
        "from pathlib import Path\n"
        "from mjq.runs import chapters, run\n"
        f"chapters.NOTEBOOKS = Path({str(tmp_path)!r})\n"
        f"print(run({str(chapter)!r}, label='a').cells)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr


def test_help_and_completion(tmp_path):
    for words in ([], ["sweep"], ["solve", "cluster"]):
        assert "Usage: mjq" in mjq(*words, "--help", cwd=tmp_path).stdout
    assert "complete" in mjq(cwd=tmp_path, env=os.environ | {"_MJQ_COMPLETE": "bash_source"}).stdout
    asked = {"_MJQ_COMPLETE": "bash_complete", "COMP_WORDS": "mjq run stability -p n", "COMP_CWORD": "4"}
    assert mjq(cwd=tmp_path, env=os.environ | asked).stdout.split() == ["plain,n", "plain,n1", "plain,n2"]


def test_a_run_and_its_copy_elsewhere(tmp_path, small):
    (tmp_path / "p.yaml").write_text("x: 2\nk: 7\n")
    words = ["run", "small.ipynb", "-f", "p.yaml", "-p", "x", "5", "-o", "../copy.ipynb", "--label", "a"]
    (tmp_path / "here").mkdir()
    small.rename(tmp_path / "here/small.ipynb")
    (tmp_path / "p.yaml").rename(tmp_path / "here/p.yaml")
    run = mjq(*words, cwd=tmp_path / "here")
    assert run.returncode == 0, run.stderr
    assert "runs/small/a" in run.stdout
    found = json.loads((tmp_path / "here/runs/small/a/results.json").read_text())
    assert found["values"]["square"] == 25.0
    before = (tmp_path / "copy.ipynb").read_bytes()
    again = mjq(*words, "--label", "b", cwd=tmp_path / "here")
    assert again.returncode == 2
    assert "copy.ipynb exists; --force replaces it" in again.stderr
    assert (tmp_path / "copy.ipynb").read_bytes() == before
    assert mjq(*words, "--label", "b", "--force", cwd=tmp_path / "here").returncode == 0
    compared = mjq("compare", "runs/small/a", "runs/small/b", cwd=tmp_path / "here")
    assert "0 results differ, 9 are the same" in compared.stdout


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_stopped_leaves_nothing(tmp_path, small, sent):
    words = [TOOLS / "mjq", "run", "small.ipynb", "-p", "wait", "60", "--label", "a"]
    run = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    until(lambda: list(tmp_path.glob("runs/small/.*")))
    run.send_signal(sent)
    _, said = run.communicate(timeout=PATIENCE)
    assert run.returncode == 1
    assert said.strip() == "mjq: stopped"
    assert not list((tmp_path / "runs/small").iterdir())


def test_a_failed_run_ends_with_status_1_and_says_where(tmp_path, small):
    run = mjq("run", "small.ipynb", "-p", "x", "3", "--label", "a", cwd=tmp_path)
    assert run.returncode == 1
    assert "small failed in cell 5 (work): ZeroDivisionError" in run.stderr
    assert "inverse = 1 / (x - 3)" in run.stderr
    assert (tmp_path / "runs/small/a.failed/small.ipynb").exists()


# --- Solving --------------------------------------------------------------------------------------------------------

NETWORK = {
    "servers": {"think": "inf", "cpu": 2},
    "service": [{"queue": "think", "class": "c", "mean": 5}, {"queue": "cpu", "class": "c", "mean": 1, "scv": 0.5}],
    "routing": [{"from": ["think", "c"], "to": ["cpu", "c"]}, {"from": ["cpu", "c"], "to": ["think", "c"]}],
    "population": [{"queue": "think", "class": "c", "jobs": 6}],
}
DEMANDS = [[0.75, 0.64], [0.48, 1.25]]
SOLVED = {
    "processing_capacity": dict(B=6, b=[2, 3], mu=[1, 1], p=[0.5, 0.5], lam=1.0, t=10.0),
    "stability": dict(n=30, n1=3, n2=10, mu1=1, mu2=0.5, p1=0.7),
    "cluster": dict(N=3, sizes=[1, 2], p=[0.7, 0.3], lam=5, mu1=7, mu2=[11, 13], C=1),
    "fluid": dict(network=NETWORK, p=2.0),
    "pool_depletion": dict(D=DEMANDS, N_A=7, N_B=3, K=3),
    "near_saturation": dict(B=6, b=[2, 3], mu=[2.5, 0.625], p=[0.5, 0.5], lam=1.8),
    "scheduling": dict(lam=1, B=4, b=[1, 3], mu=[1, 0.5], p=[0.6, 0.4], room=3, policy="first-fit"),
}


@pytest.mark.parametrize("model", SOLVED)
def test_a_model_is_solved_as_its_schema_says(tmp_path, model):
    (tmp_path / "network.json").write_text(json.dumps(NETWORK))
    given = {key: "network.json" if key == "network" else json.dumps(x) for key, x in SOLVED[model].items()}
    run = mjq("solve", model, *[word for key, x in given.items() for word in (f"--{key}", x)], cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert found == solve(model, **SOLVED[model])
    described = json.loads(mjq("solve", model, "--schema", cwd=tmp_path).stdout)
    assert described == schema(model)
    jsonschema.Draft202012Validator.check_schema(described)
    jsonschema.validate(found, described)


def test_solved_numbers_are_those_of_the_models():
    assert set(SOLVED) == set(MODELS)
    assert solve("stability", **SOLVED["stability"])["result"]["throughput"] == stability.throughput(
        30, 3, 10, 1, 0.5, 0.7
    )
    queue = processing_capacity.sojourn(1.0, 6, (2, 3), (1, 1), (0.5, 0.5))
    assert solve("processing_capacity", **SOLVED["processing_capacity"])["result"]["EW"] == queue.EW
    best = solve("pool_depletion", **SOLVED["pool_depletion"])["result"]
    assert best["T"] == min(pool_depletion.depletion(DEMANDS, 7, 3, k, 3 - k).T for k in range(4))
    assert sum(
        solve("fluid", **SOLVED["fluid"])["result"]["mean_jobs"][q]["c"] for q in ("think", "cpu")
    ) == pytest.approx(6)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["stability", "--n", "30", "--n1", "3", "--n2", "40", "--mu1", "1", "--mu2", "1", "--p1", ".5"], "need n2 40"),
        (["stability", "--n", "thirty", "--n1", "3", "--n2", "4", "--mu1", "1", "--mu2", "1", "--p1", ".5"], "thirty"),
        (["stability", "--nonsense", "30"], "No such option"),
        (["fluid", "--network", "missing.json"], "missing.json cannot be read"),
        (["stability", "--n", "30", "--n1", "[3]", "--n2", "4", "--mu1", "1", "--mu2", "1", "--p1", ".5"], "got [3]"),
    ],
)
def test_errors_are_json_on_demand(tmp_path, words, said):
    run = mjq("solve", *words, "--json", cwd=tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    error = json.loads(run.stderr)["error"]
    assert error["type"] == "input"
    assert said in error["message"]


def test_a_model_is_solved_in_a_grid(tmp_path):
    fixed = ["--n1", "1", "--n2", "10", "--mu1", "1", "--mu2", ".5"]
    run = mjq(
        "solve", "stability", *fixed, "--sweep", "n", "5:100:4", "--sweep", "p1", ".1,.5", "-o", "x.csv", cwd=tmp_path
    )
    assert run.returncode == 1  # the first two cases have too few servers
    assert run.stdout == "8 cases, 2 failed\nx.csv\n"
    assert "n = 5, p1 = 0.1: need n2 10 exceeds the 5 servers" in run.stderr
    found = pl.read_csv(tmp_path / "x.csv")
    assert found["n"].unique(maintain_order=True).to_list() == [5, 37, 68, 100]
    last = solve("stability", n=100, n1=1, n2=10, mu1=1, mu2=0.5, p1=0.5)["result"]
    assert found.select(*last).row(-1, named=True) == last
    again = mjq("solve", "stability", *fixed, "--p1", ".5", "--sweep", "n", "5", "-o", "x.csv", cwd=tmp_path)
    assert (again.returncode, "x.csv exists; --force replaces it" in again.stderr) == (2, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["stability", "--sweep", "n", "5,6"], "a sweep needs -o FILE"),
        (["stability", "-o", "x.csv"], "-o is for the table of a sweep"),
        (["stability", "--sweep", "m", "5,6", "-o", "x.csv"], "stability has no input 'm'"),
        (["stability", "--sweep", "n", "5", "--sweep", "n", "6", "-o", "x.csv"], "--sweep n is given twice"),
        (["stability", "--sweep", "n", "5:6", "-o", "x.csv"], "n: a range is start:stop:number"),
        (["fluid", "--sweep", "network", "a,b", "-o", "x.csv"], "network is a file"),
    ],
)
def test_a_grid_that_cannot_be_ends_with_status_2(tmp_path, words, said):
    fixed = ["--n1", "1", "--n2", "10", "--mu1", "1", "--mu2", ".5", "--p1", ".5"] if words[0] == "stability" else []
    run = mjq("solve", *words, *fixed, cwd=tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    assert said in run.stderr
    assert not list(tmp_path.iterdir())


# --- Sweeps that are killed -----------------------------------------------------------------------------------------


def sweep_words(tmp_path, *more):
    grid = ["-p", "x", "4:15:12", "-p", "k", "1,2", "-p", "log", str(tmp_path / "log"), "-p", "wait", "0.2"]
    return ["sweep", "small.ipynb", *grid, "--label", "a", *more]


def every_case_once(tmp_path):
    """Whether all 24 cases have one result each."""
    expected = {(f"{x:.1f}", str(k)) for x in range(4, 16) for k in (1, 2)}
    results = [(r["x"], r["k"]) for r in rows(tmp_path / "runs/small/a/results.csv") if r["result"] == "square"]
    assert sorted(results) == sorted(expected)
    assert {r["status"] for r in rows(tmp_path / "runs/small/a/cases.csv")} == {"done"}
    return True


def block(name):
    """The command of a block of the page "On a cluster"."""
    text = (ROOT / "book/on-a-cluster.md").read_text(encoding="utf-8")
    return re.search(rf"^:name: {name}\n+(.+?)\n```$", text, flags=re.M | re.S)[1]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@pytest.fixture
def cluster(tmp_path):
    """A scheduler and two workers, started by the commands that the page "On a cluster" shows."""
    port = str(free_port())
    environment = os.environ | {"PATH": f"{TOOLS}{os.pathsep}{os.environ['PATH']}"}
    options = dict(shell=True, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    started = [
        subprocess.Popen("exec " + block(name).replace("head", "127.0.0.1").replace("8786", port), **options)
        for name in ("start-scheduler", "start-workers")
    ]
    yield f"tcp://127.0.0.1:{port}", started
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


def on_this_machine(text, address):
    return text.replace("tcp://head:8786", address)


def test_a_killed_worker_and_a_killed_sweep_lose_nothing(tmp_path, cluster):
    """The sweep of the page, of a light chapter with the same parameters."""
    address, (_, workers) = cluster
    write_chapter(tmp_path / "stability.ipynb", SMALL | LIGHT)
    command = on_this_machine(block("start-sweep"), address).replace("stability", "stability.ipynb") + " --label a"
    words = [TOOLS / "mjq", *command.split()[1:]]
    folder = tmp_path / "runs/stability/a"
    sweep = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    until(lambda: finished(folder) >= 4)
    children = psutil.Process(workers.pid).children(recursive=True)
    busy = [p.parent() for p in children if "ipykernel" in " ".join(p.cmdline())]
    busy[0].kill()
    until(lambda: finished(folder) >= 10)
    assert sweep.poll() is None
    sweep.send_signal(signal.SIGKILL)
    sweep.wait()
    kept = {path: path.read_bytes() for path in folder.glob("cases/*.json")}
    assert 10 <= len(kept) < 27
    run = mjq(*words[1:], cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert all(path.read_bytes() == content for path, content in kept.items())
    expected = [(f"0.{k}", n, str(k * int(n) / 10)) for k in range(1, 10) for n in ("30", "60", "120")]
    results = [(r["p1"], r["n"], r["number"]) for r in rows(folder / "results.csv")]
    assert sorted(results) == sorted(expected)
    assert {r["status"] for r in rows(folder / "cases.csv")} == {"done"}


def test_replications_on_the_cluster_of_the_page(cluster):
    address, _ = cluster
    code = on_this_machine(block("replications"), address)
    code = code.replace("5_000_000", "1_000").replace("replications=70", "replications=4")
    there, here = {}, {}
    exec(code, there)
    exec(code.replace("workers=client", "workers=1"), here)
    there["client"].close()
    here["client"].close()
    assert there["found"] == here["found"]


def test_the_slurm_script_asks_for_workers():
    pytest.importorskip("dask_jobqueue")
    space = {"__name__": "slurm"}
    exec(block("slurm"), space)
    script = space["cluster"].job_script()
    space["cluster"].close()
    for line in ("#SBATCH -p normal", "#SBATCH -A my-project", "#SBATCH -t 02:00:00", "#SBATCH --cpus-per-task=16"):
        assert line in script
    assert "--nworkers 16" in script


def test_a_sweep_that_is_killed_goes_on_where_it_was(tmp_path, small):
    folder = tmp_path / "runs/small/a"
    words = [TOOLS / "mjq", *sweep_words(tmp_path, "--workers", "2")]
    sweep = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    until(lambda: finished(folder) >= 6)
    family = psutil.Process(sweep.pid).children(recursive=True)
    sweep.send_signal(signal.SIGKILL)
    sweep.wait()
    until(lambda: not any(p.is_running() and p.status() != psutil.STATUS_ZOMBIE for p in family))
    before = len((tmp_path / "log").read_text().splitlines())
    kept = finished(folder)
    assert kept < 24
    run = mjq(*sweep_words(tmp_path, "--workers", "2"), cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert every_case_once(tmp_path)
    # What was finished was not computed again.
    assert len((tmp_path / "log").read_text().splitlines()) - before == 24 - kept
    again = mjq(*sweep_words(tmp_path, "--workers", "2"), cwd=tmp_path)
    assert "24 cases, 0 failed" in again.stdout
    assert len((tmp_path / "log").read_text().splitlines()) - before == 24 - kept


def test_ctrl_c_keeps_what_is_finished(tmp_path, small):
    words = [TOOLS / "mjq", *sweep_words(tmp_path, "--workers", "2")]
    pipes = dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    sweep = subprocess.Popen(words, cwd=tmp_path, start_new_session=True, **pipes)
    until(lambda: finished(tmp_path / "runs/small/a") >= 2)
    os.killpg(sweep.pid, signal.SIGINT)  # as a terminal does: to the workers too, which should leave the word to us
    _, said = sweep.communicate(timeout=PATIENCE)
    assert sweep.returncode == 1
    assert "KeyboardInterrupt" not in said
    assert re.search(r"it was interrupted; \d+ of 24 cases are finished and kept in runs/small/a", said)
    assert len(rows(tmp_path / "runs/small/a/cases.csv")) == 24


def test_a_failing_case_makes_the_sweep_end_with_status_1(tmp_path, small):
    run = mjq("sweep", "small.ipynb", "-p", "x", "2,3", "--label", "a", cwd=tmp_path)
    assert run.returncode == 1
    assert "2 cases, 1 failed" in run.stdout
    assert "case 2 failed in cell 5 (work): ZeroDivisionError" in run.stderr


def test_cases_from_a_table_and_a_grid(tmp_path, small):
    (tmp_path / "class.csv").write_text("case,x\nann,1\nbob,2\n")
    run = mjq("sweep", "small.ipynb", "--cases", "class.csv", "-p", "k", "4", "--label", "a", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert [(r["case"], r["k"], r["square"]) for r in rows(tmp_path / "runs/small/a/cases.csv")] == [
        ("ann", "4", "1.0"),
        ("bob", "4", "4.0"),
    ]


def test_a_scheduler_that_does_not_answer(tmp_path, small):
    run = mjq("sweep", "small.ipynb", "-p", "x", "1", "--scheduler", f"tcp://127.0.0.1:{free_port()}", cwd=tmp_path)
    assert run.returncode == 1
    assert "no scheduler answers at tcp://127.0.0.1" in run.stderr
