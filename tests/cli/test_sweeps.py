"""Sweeps: every case once, whatever happens, and the same call resumes."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import CancelledError
from pathlib import Path

import pytest

from mjq._util import parallel
from mjq_book import runs
from mjq_book.runs import sweeps
from mjq_book.runs.sweeps import Case
from tests.conftest import SMALL, csv_rows, said, write_chapter


@pytest.fixture(scope="module")
def client():
    with parallel.client_of(2) as found:
        yield found


def squared(notebook, code, parameters):
    given = dict(x=1.0, k=1, log="") | parameters
    if given["log"]:
        with open(given["log"], "a") as file:
            file.write(f"{given['x']:g} {given['k']}\n")
    return {"error": None, "seconds": 0.1, "values": {"square": given["x"] ** 2}, "tables": {}}


@pytest.fixture
def light(monkeypatch):
    """Sweeps of the small chapter start no kernels, with one worker: files are kept alike, whoever computes."""
    monkeypatch.setattr(sweeps, "compute", squared)
    return dict(workers=1, label="a")


def computed(log):
    return sorted(log.read_text().splitlines()) if log.exists() else []


def test_a_sweep_collects_every_named_value_and_tries_failed_cases_again(here, small, client):
    cases = [dict(x=float(x), words="a,\nb", log=str(here / "log"), k=k) for x, k in ((2, 1), (3, 1), (4, 10**20))]
    for again in (False, True):
        done = runs.sweep(small, cases, workers=client)
        assert [case.name for case in done.failed] == ["2"]
        assert computed(here / "log") == ["2 1", f"4 {10**20}"], again
    assert done.folder.parent == Path("runs/small")
    found = csv_rows(done.folder / "results.csv")
    assert list(found[0]) == ["case", "x", "words", "log", "k", "result", "row", "column", "number", "text"]
    of = {(r["case"], r["result"], r["row"], r["column"]): r["number"] or r["text"] for r in found}
    assert (of["1", "square", "", ""], of["3", "square", "", ""], of["1", "words", "", ""]) == ("4.0", "16.0", "a,\nb")
    assert (of["1", "pairs", "2", "2"], of["1", "given", "2", "1"]) == ("2.0", "1.0")
    assert of["3", "pairs", "2", "1"] == str(10**20 + 1)
    assert not [key for key in of if key[0] == "2"]
    fates = csv_rows(done.folder / "cases.csv")
    assert [(r["x"], r["status"], r["square"]) for r in fates] == [
        ("2.0", "done", "4.0"), ("3.0", "failed", ""), ("4.0", "done", "16.0"),
    ]  # fmt: skip
    assert fates[1]["error"] == "in cell 5 (work): ZeroDivisionError: division by zero"
    assert "numpy" in json.loads((done.folder / "sweep.json").read_text())["versions"]["packages"]


def test_a_sweep_of_which_results_are_missing_computes_these_alone(here, small, light):
    cases = [dict(x=float(x), log=str(here / "log")) for x in (1, 2)]
    folder = runs.sweep(small, cases, **light).folder
    whole = (folder / "results.csv").read_bytes()
    (folder / "cases/2.json").unlink()
    (here / "log").unlink()
    runs.sweep(small, cases, **light)
    assert computed(here / "log") == ["2 1"]
    assert (folder / "results.csv").read_bytes() == whole


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (KeyboardInterrupt(), "it was interrupted"),
        (CancelledError("f-1"), "the scheduler is gone"),
        (RuntimeError("this worker has another version of mjq"), "this worker has another version of mjq"),
        (OSError(28, "No space left on device"), r"\[Errno 28\] No space left on device"),
    ],
)
def test_a_sweep_that_is_stopped_says_how_far_it_came(here, small, light, monkeypatch, error, reason):
    def stopping(notebook, code, parameters):
        if parameters["x"] == 2.0:
            raise error
        return squared(notebook, code, parameters)

    monkeypatch.setattr(sweeps, "compute", stopping)
    with pytest.raises(runs.SweepStopped, match=f"^{reason}; 1 of 3 cases are finished and kept in runs/small/a$"):
        runs.sweep(small, [dict(x=x) for x in (1.0, 2.0, 4.0)], **light)
    fates = [r["status"] for r in csv_rows(here / "runs/small/a/cases.csv")]
    assert fates == ["done", "missing", "missing"]


def test_a_folder_holds_one_sweep_of_one_version_of_the_chapter(here, small, light):
    (here / "runs/small/a").mkdir(parents=True)
    (here / "runs/small/a/run.json").write_text("{}")
    refused = pytest.raises(ValueError, match="holds a run, another sweep, or one of another version of the chapter")
    with refused:
        runs.sweep(small, [dict(x=1.0)], **light)
    folder = runs.sweep(small, [dict(x=1.0)], force=True, **light).folder
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["cases", "cases.csv", "results.csv", "sweep.json"]
    with refused:
        runs.sweep(small, [dict(x=2.0)], **light)
    write_chapter(small, SMALL | {"results": SMALL["results"].replace("x * x", "x + x")})
    with refused:
        runs.sweep(small, [dict(x=1.0)], **light)
    runs.sweep(small, [dict(x=2.0)], force=True, **light)
    assert [r["x"] for r in csv_rows(folder / "cases.csv")] == ["2.0"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (dict(cases=[]), "there are no cases"),
        (dict(cases=[dict(x=1.0), dict(x=-1.0)]), "case 2: small: x must not be negative, got -1"),
        (dict(cases=[dict(y=1.0)]), "case 1: small has no parameter 'y'"),
        (dict(cases=[dict(x=1.0)] * 2, names=["ann", "Ann"]), "a name of its own"),
        (dict(cases=[dict(x=1.0)], names=["../ann"]), "a label has letters"),
        (dict(cases=[dict(x=1.0)], label="../a"), "a label has letters"),
        (dict(cases=[dict(row=1)]), "'row' has the name of a column"),
    ],
)
def test_all_cases_are_checked_before_any_runs(here, small, options, words):
    with pytest.raises(ValueError, match=words):
        runs.sweep(small, **options)
    assert not (here / "runs").exists()


def test_a_row_for_every_case_and_every_entry(tmp_path):
    """Results that are called like a parameter or another column have columns of their own."""
    table = {"columns": ["of", "value"], "rows": [["x", 1.5], ["y", None]]}
    cases = [
        Case("a", dict(x=[1, 2]), None, 0.1, {"x": 2.0, "status": 3.0, "y": 4, "late": None}, {"t": table}),
        Case("b", dict(x=10**20)),
        Case("c", dict(x=1), "in cell 3 (work): ValueError: no", 0.2),
    ]
    sweeps._write_tables(tmp_path, ["x"], cases)
    assert (tmp_path / "cases.csv").read_text().splitlines() == [
        "case,x,status,seconds,error,x (result),status (result),y,late",
        'a,"[1, 2]",done,0.1,,2.0,3.0,4,',
        f"b,{10**20},missing,,,,,,",
        "c,1,failed,0.2,in cell 3 (work): ValueError: no,,,,",
    ]
    assert (tmp_path / "results.csv").read_text().splitlines()[4:] == [
        'a,"[1, 2]",late,,,,',
        'a,"[1, 2]",t,1,of,,x',
        'a,"[1, 2]",t,1,value,1.5,',
        'a,"[1, 2]",t,2,of,,y',
        'a,"[1, 2]",t,2,value,,',
    ]


def test_a_case_in_which_processes_die_has_failed(here, small, monkeypatch):
    def died(function, cases, workers, died, at_a_time):
        yield [(key, died) for key, _ in cases]

    monkeypatch.setattr("mjq._util.parallel.map_as_completed", died)
    (case,) = runs.sweep(small, [dict(x=1.0)], workers=1).failed
    assert case.error == sweeps.DIED


def test_a_sweep_by_a_scheduler_of_cases_from_a_table(tmp_path, small, client):
    (tmp_path / "class.csv").write_text("case,x,k\nann,3,4\nbob,2,4\n")
    words = ["--cases", "class.csv", "--label", "a", "--scheduler", client.scheduler.address]
    run = said("sweep", "small.ipynb", *words, cwd=tmp_path)
    assert (run.status, run.out) == (1, "2 cases, 1 failed\nruns/small/a\n")
    assert run.err == "mjq: case ann failed in cell 5 (work): ZeroDivisionError: division by zero\n"
    found = [(r["case"], r["k"], r["square"]) for r in csv_rows(tmp_path / "runs/small/a/cases.csv")]
    assert found == [("ann", "4", ""), ("bob", "4", "4.0")]


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_finished(tmp_path, small):
    (tmp_path / "cases.csv").write_text("wait\n0\n600\n")
    words = [Path(sys.executable).parent / "mjq", "sweep", "small.ipynb", "--cases", "cases.csv", "--label", "a"]
    pipes = dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    sweep = subprocess.Popen([*words, "--workers", "2"], cwd=tmp_path, start_new_session=True, **pipes)
    while not (tmp_path / "runs/small/a/cases/1.json").exists():
        time.sleep(0.1)
    os.killpg(sweep.pid, signal.SIGINT)  # as a terminal does: to the workers too, which should leave the word to us
    _, told = sweep.communicate(timeout=300)
    assert sweep.returncode == 130
    assert "KeyboardInterrupt" not in told
    assert re.search("it was interrupted; 1 of 2 cases are finished and kept in runs/small/a", told)
    assert [r["status"] for r in csv_rows(tmp_path / "runs/small/a/cases.csv")] == ["done", "missing"]
