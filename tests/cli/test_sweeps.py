"""Sweeps from Python: every case once, whatever happens."""

import json
import time
from concurrent.futures import CancelledError
from contextlib import nullcontext
from pathlib import Path

import polars as pl
import pytest

from mjq._util import parallel
from mjq.simulation import simulate_depletion, simulate_multiserver
from mjq_book import runs
from mjq_book.runs import cases, sweeps, tables
from mjq_book.runs.cases import Case, Plan, Record
from mjq_book.runs.chapters import chapter
from mjq_book.runs.execution import Failure
from mjq_logs._util.journal import Journal
from tests.conftest import SMALL, csv_rows, write_chapter

WORKERS = 2


@pytest.fixture(scope="module")
def client():
    with parallel.client_of(WORKERS) as found:
        yield found


def squared(notebook, code, parameters):
    """What the small chapter finds, without a kernel."""
    given = dict(x=1.0, k=1, log="") | parameters
    if given["log"]:
        with open(given["log"], "a") as file:
            file.write(f"{given['x']:g} {given['k']}\n")
    return finished({"square": given["x"] ** 2}), None


@pytest.fixture
def light(monkeypatch):
    """Sweeps of the small chapter start no kernels, with one worker: files are kept alike, whoever computes."""
    monkeypatch.setattr("mjq_book.runs.sweeps.compute", squared)
    return 1


def computed(log):
    """Which cases were computed, in any order."""
    return sorted(log.read_text().splitlines()) if log.exists() else []


def test_a_sweep_collects_every_named_value(here, small, client):
    done = runs.sweep(small, [dict(x=x, words="a,\nb") for x in (1.0, 2.0)], workers=client)
    assert (done.failed, done.missing) == ([], [])
    assert done.folder.parent == done.folder.__class__("runs/small")
    found = csv_rows(done.folder / "results.csv")
    assert list(found[0]) == ["case", "x", "words", "result", "row", "column", "number", "text"]
    of = {(r["case"], r["result"], r["row"], r["column"]): r["number"] or r["text"] for r in found}
    assert of["1", "square", "", ""] == "1.0"
    assert of["2", "square", "", ""] == "4.0"
    assert of["2", "words", "", ""] == "a,\nb"
    assert of["2", "pairs", "2", "2"] == "2.0"
    assert of["2", "given", "2", "1"] == "1.0"
    fates = csv_rows(done.folder / "cases.csv")
    assert [(r["case"], r["x"], r["status"], r["square"]) for r in fates] == [
        ("1", "1.0", "done", "1.0"),
        ("2", "2.0", "done", "4.0"),
    ]
    plan = json.loads((done.folder / "sweep.json").read_text())
    assert plan["cases"][0]["parameters"]["k"] == 1
    assert "numpy" in plan["versions"]["packages"]


def test_parquet_holds_the_same_table(here, small, light):
    cases = [dict(x=1.0, numbers=[1.0, 2.5], flag=True)]
    done = runs.sweep(small, cases, workers=light, format="parquet")
    table = pl.read_parquet(done.folder / "results.parquet")
    runs.sweep(small, cases, workers=light)  # nothing is left to compute
    assert not (done.folder / "results.parquet").exists()
    types = {name: table.schema[name] for name in ("x", "numbers", "flag", "row", "number")}
    assert types == dict(x=pl.Float64, numbers=pl.String, flag=pl.Boolean, row=pl.Int64, number=pl.Float64)
    assert table.write_csv() == (done.folder / "results.csv").read_text()


def test_failures_are_recorded_case_by_case_and_tried_again(here, small, client):
    cases = [dict(x=float(x), log=str(here / "log")) for x in (2, 3, 4)]
    for again in (False, True):
        done = runs.sweep(small, cases, workers=client, label="a")
        assert done.failed == ["2"]
        assert computed(here / "log") == ["2 1", "4 1"], again
    fates = csv_rows(done.folder / "cases.csv")
    assert [r["status"] for r in fates] == ["done", "failed", "done"]
    assert fates[1]["error"] == "in cell 5 (work): ZeroDivisionError: float division by zero"
    assert [path.name for path in (done.folder / "failed").iterdir()] == ["2.ipynb"]
    assert "2" not in {r["case"] for r in csv_rows(done.folder / "results.csv")}


def test_a_case_that_is_named_twice_is_computed_once(here, small, light):
    cases = [dict(x=1.0, log=str(here / "log"))] * 3
    done = runs.sweep(small, cases, names=["ann", "bob", "eve"], workers=light)
    assert computed(here / "log") == ["1 1"]
    assert [r["square"] for r in csv_rows(done.folder / "cases.csv")] == ["1.0"] * 3


def plan_of(**parameters):
    """The plan of a sweep whose cases have these values of their parameters."""
    cases = [
        Case(str(k), dict(zip(parameters, values, strict=True)), f"id-{k}")
        for k, values in enumerate(zip(*parameters.values(), strict=True), 1)
    ]
    return Plan("small", "code", list(parameters), list(parameters), "{}", cases)


def finished(values, tables=None):
    return Record(None, 0.1, values, tables or {})


def test_a_sweep_of_which_lines_are_missing_computes_these_alone(here, small, light):
    cases = [dict(x=float(x), log=str(here / "log")) for x in (1, 2)]
    folder = runs.sweep(small, cases, workers=light, label="a").folder
    whole, results = (folder / "cases.jsonl").read_bytes(), (folder / "results.csv").read_bytes()
    for number in range(3):
        (folder / "cases.jsonl").write_bytes(b"\n".join(whole.split(b"\n")[: number + 1]))
        (here / "log").unlink(missing_ok=True)
        runs.sweep(small, cases, workers=light, label="a")
        assert len(computed(here / "log")) == 2 - number
        assert (folder / "results.csv").read_bytes() == results


def test_a_full_disk_stops_the_sweep_and_keeps_what_is_finished(here, small, light, monkeypatch):
    cases = [dict(x=float(x), log=str(here / "log")) for x in (0, 1, 2, 4)]
    room, note = [2], Journal.note

    def noting(journal, rows):
        room[0] -= 1
        note(journal, rows) if room[0] >= 0 else full(journal.path)

    def full(path, *_):
        raise OSError(28, "No space left on device", str(path))

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "note", noting)
        patch.setattr(Path, "write_bytes", full)  # of tables
        stopped = r"No space left on device: '.+/a/.+'; 2 of 4 cases are finished and kept in"
        with pytest.raises(runs.SweepStopped, match=stopped):
            runs.sweep(small, cases, workers=light, label="a")
    folder = here / "runs/small/a"
    assert not list(folder.glob("*.csv"))
    done = runs.sweep(small, cases, workers=light, label="a")
    assert not done.missing
    assert len(computed(here / "log")) == 5  # the case whose result found no room, again


def test_whole_numbers_of_any_size_come_through(here, small, client):
    done = runs.sweep(small, [dict(k=10**20), dict(k=1)], workers=client, label="a")
    assert [r["k"] for r in csv_rows(done.folder / "cases.csv")] == [str(10**20), "1"]
    pairs = [
        r for r in csv_rows(done.folder / "results.csv") if (r["case"], r["result"], r["column"]) == ("1", "pairs", "1")
    ]
    assert [r["text"] for r in pairs] == [str(10**20), str(10**20 + 1)]


def test_force_leaves_nothing_of_what_was_there(here, small, light):
    (here / "runs/small/a").mkdir(parents=True)
    (here / "runs/small/a/run.json").write_text("{}")
    with pytest.raises(ValueError, match="holds a run, another sweep"):
        runs.sweep(small, [dict(x=1.0)], workers=light, label="a")
    done = runs.sweep(small, [dict(x=1.0)], workers=light, label="a", force=True)
    names = sorted(path.name for path in done.folder.iterdir())
    assert names == ["cases.csv", "cases.jsonl", "results.csv", "sweep.json"]


def test_a_folder_holds_one_sweep(here, small, light):
    runs.sweep(small, [dict(x=1.0)], workers=light, label="a")
    with pytest.raises(ValueError, match="holds a run, another sweep"):
        runs.sweep(small, [dict(x=2.0)], workers=light, label="a")
    done = runs.sweep(small, [dict(x=2.0)], workers=light, label="a", force=True)
    assert [r["x"] for r in csv_rows(done.folder / "cases.csv")] == ["2.0"]


def test_a_changed_chapter_is_another_sweep(here, small, light):
    runs.sweep(small, [dict(x=1.0)], workers=light, label="a")
    write_chapter(small, SMALL | {"results": SMALL["results"].replace("x * x", "x + x")})
    with pytest.raises(ValueError, match="another version of the chapter"):
        runs.sweep(small, [dict(x=1.0)], workers=light, label="a")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (dict(cases=[]), "there are no cases"),
        (dict(cases=[dict(x=1.0), dict(x=-1.0)]), "case 2: small: x must not be negative, got -1"),
        (dict(cases=[dict(y=1.0)]), "case 1: small has no parameter 'y'"),
        (dict(cases=[dict(x=1.0)] * 2, names=["ann", "ann"]), "a name of its own"),
        (dict(cases=[dict(x=1.0)], names=["../ann"]), "a label has letters"),
        (dict(cases=[dict(x=1.0)], label="../a"), "a label has letters"),
    ],
)
def test_all_cases_are_checked_before_any_runs(here, small, options, words):
    with pytest.raises(ValueError, match=words):
        runs.sweep(small, **options)
    assert not (here / "runs").exists() or not list((here / "runs").rglob("cases.jsonl"))


def test_a_parameter_called_like_a_column_is_refused(here):
    odd = write_chapter(here / "odd.ipynb", {"parameters": "row: int = 1  # a row"})
    with pytest.raises(ValueError, match="'row' has the name of a column"):
        runs.sweep(odd, [dict(row=2)])


def test_results_called_like_a_parameter_or_a_column_have_columns_of_their_own():
    found = finished({"x": 2.0, "status": 3.0, "y": 4.0})
    (row,) = tables.wide(plan_of(x=[1.0]), [found]).to_dicts()
    given = {"case": "1", "x": 1.0, "status": "done", "seconds": 0.1, "error": None}
    assert row == given | {"x (result)": 2.0, "status (result)": 3.0, "y": 4.0}


def test_a_row_for_every_case_whatever_became_of_it():
    failed = Record(Failure("in cell 3 (work)", "ValueError: no", [], []), 0.2, {"y": 7}, {})
    found = [finished({"y": 1, "word": "a"}), None, failed, finished({"y": True, "late": None, "word": 2})]
    rows = tables.wide(plan_of(k=[1, 2, 3, 10**20], flag=[True, False, True, True]), found).rows()
    assert rows == [
        ("1", "1", True, "done", 0.1, None, 1.0, "a", None),
        ("2", "2", False, "missing", None, None, None, None, None),
        ("3", "3", True, "failed", 0.2, "in cell 3 (work): ValueError: no", None, None, None),
        ("4", str(10**20), True, "done", 0.1, None, 1.0, "2", None),
    ]


def test_cases_of_a_sweep_leave_the_cores_to_each_other():
    stability = chapter("stability")
    (alone,) = Plan.of(stability, [dict(n=40)]).cases
    (asked,) = Plan.of(stability, [dict(workers=3)]).cases
    assert (alone.parameters["workers"], asked.parameters["workers"]) == (1, 3)


def test_a_worker_with_another_version_is_refused(monkeypatch):
    monkeypatch.setattr("mjq_logs._util.fingerprints.code", lambda *packages: "another")
    with pytest.raises(RuntimeError, match="this worker has another version of mjq: another, the sweep has this"):
        cases.compute("{}", "this", {})


def test_a_kernel_that_dies_is_a_failed_case(here, small, client):
    done = runs.sweep(small, [dict(x=1.0, die=1.0), dict(x=2.0, die=1.0)], workers=client, label="a")
    assert done.failed == ["1"]
    assert csv_rows(done.folder / "cases.csv")[0]["error"] == "in cell 5 (work): DeadKernelError: Kernel died"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (KeyboardInterrupt(), "it was interrupted"),
        (CancelledError("f-1"), "the scheduler is gone"),
        (RuntimeError("this worker has another version of mjq"), "this worker has another version of mjq"),
    ],
)
def test_a_sweep_that_is_stopped_says_how_far_it_came(here, small, light, monkeypatch, error, reason):
    def stopping(notebook, code, parameters):
        if parameters["x"] == 2.0:
            raise error
        return squared(notebook, code, parameters)

    monkeypatch.setattr(sweeps, "compute", stopping)
    with pytest.raises(runs.SweepStopped, match=f"^{reason}; 1 of 3 cases are finished and kept in runs/small/a$"):
        runs.sweep(small, [dict(x=x) for x in (1.0, 2.0, 4.0)], workers=light, label="a")
    fates = [r["status"] for r in csv_rows(here / "runs/small/a/cases.csv")]
    assert fates == ["done", "missing", "missing"]


def waiting(notebook, code, parameters):
    """What the small chapter finds, once all cases but those that are just computed have been kept."""
    folder = Path(parameters["log"]).parent
    with (folder / "begun").open("a") as file:
        file.write("x")
    others, kept = (folder / "begun").stat().st_size - WORKERS, folder / "runs/small/a/cases.jsonl"
    end = time.monotonic() + 60
    while others > 0 and (not kept.exists() or kept.read_text().count("\n") < others):
        assert time.monotonic() < end
        time.sleep(0.01)
    return squared(notebook, code, parameters)


def test_a_sweep_that_is_killed_would_lose_no_more_than_what_is_just_computed(here, small, client, monkeypatch):
    monkeypatch.setattr(sweeps, "compute", waiting)
    monkeypatch.setattr(parallel, "client_of", lambda _: nullcontext(client))  # in place of as many processes anew
    done = runs.sweep(small, [dict(x=float(x), log=str(here / "log")) for x in range(48)], workers=WORKERS, label="a")
    assert (done.failed, done.missing, len(computed(here / "log"))) == ([], [], 48)


def test_a_case_in_which_processes_die_has_failed(here, small, monkeypatch):
    def died(function, cases, workers, died, at_a_time):
        yield [(key, died) for key, _ in cases]

    monkeypatch.setattr("mjq._util.parallel.map_as_completed", died)
    done = runs.sweep(small, [dict(x=1.0)], workers=1, label="a")
    assert done.failed == ["1"]
    assert csv_rows(done.folder / "cases.csv")[0]["error"] == f"on its worker: {cases.DIED}"


def test_tables_become_rows():
    found = finished({}, {"t": {"columns": ["of", "value"], "rows": [["x", 1.5], ["y", None]]}})
    assert tables.long(plan_of(p=[[1, 2]]), [found]).rows() == [
        ("1", "[1, 2]", "t", 1, "of", None, "x"),
        ("1", "[1, 2]", "t", 1, "value", 1.5, None),
        ("1", "[1, 2]", "t", 2, "of", None, "y"),
        ("1", "[1, 2]", "t", 2, "value", None, None),
    ]


# --- The same executor for simulators -------------------------------------------------------------------------------


def test_replications_are_the_same_wherever_they_run(client):
    queue = dict(lam=1.0, B=6, b=(2, 3), mu=(1, 1), p=(0.5, 0.5), jobs=2_000, seed=1, replications=3)
    assert simulate_multiserver(**queue, workers=client) == simulate_multiserver(**queue, workers=1)
    pool = dict(D=[[0.75, 0.64], [0.48, 1.25]], N_A=7, N_B=3, K_A=1, K_B=1, seed=1, replications=10)
    assert simulate_depletion(**pool, workers=client) == simulate_depletion(**pool, workers=1)
