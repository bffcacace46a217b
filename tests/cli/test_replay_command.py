"""A log replayed from the command line, and its charts."""

import json

import numpy as np
import pytest

from mjq.simulation import replay
from mjq_book.published.schedules import workloads
from tests.conftest import said

JOB = "{number} {submit} -1 {run} {need} -1 -1 {need} {estimate} -1 1 1 1 -1 -1 -1 -1 -1\n"


def write_log(folder, work):
    path = folder / "log.swf"
    columns = zip(work.submit, work.need, work.run, work.estimate, strict=True)
    jobs = [JOB.format(number=k, submit=s, need=n, run=r, estimate=e) for k, (s, n, r, e) in enumerate(columns, 1)]
    path.write_text(f"; MaxProcs: {work.servers}\n" + "".join(jobs))
    return path


@pytest.fixture
def work():
    return workloads()["loose estimates 1"]


def test_numbers_are_those_of_the_library(tmp_path, work):
    path = write_log(tmp_path, work)
    policies = "fcfs", "easy", "backfill-3"
    choices = [word for policy in policies for word in ("--policy", policy)]
    status, out, _ = said("replay", path, *choices, "--json", "--starts", tmp_path / "starts.csv")
    found = json.loads(out)
    assert (status, found["jobs"], found["servers"]) == (0, len(work.submit), work.servers)
    assert (tmp_path / "starts.csv").read_text().splitlines()[0] == "job,fcfs,easy,backfill-3"
    starts = np.genfromtxt(tmp_path / "starts.csv", delimiter=",", names=True, deletechars="")
    for policy, row in zip(policies, found["policies"], strict=True):
        submit = work.submit - work.submit.min()
        ours = replay(submit, work.need, work.run, work.estimate, work.servers, policy)
        assert row["policy"] == policy and row["mean wait [s]"] == ours.wait.mean()
        assert row["bounded slowdown"] == ours.bounded_slowdown() and row["utilization"] == ours.utilization
        assert starts[policy].tolist() == ours.start.tolist()


def test_what_is_written_goes_to_a_folder_that_is_there_and_never_over_the_log(tmp_path, work):
    path = write_log(tmp_path, work)
    before = path.read_bytes()
    status, _, error = said("replay", path, "--gantt", tmp_path / "none/s.svg")
    assert status == 2 and "in a folder that exists" in error
    status, _, error = said("replay", path, "--starts", path)
    assert status == 2 and "--starts and LOG name the same file" in error and path.read_bytes() == before
    for option, name in (("--starts", "s.csv"), ("--gantt", "s.png")):
        asked = "replay", path, option, tmp_path / name
        assert not said(*asked).status
        written = (tmp_path / name).read_bytes()
        (tmp_path / name).write_text("mine")
        assert said(*asked).status == 2 and (tmp_path / name).read_text() == "mine"
        assert not said(*asked, "--force").status and (tmp_path / name).read_bytes() == written


def test_where_no_time_passes_there_is_no_utilization(tmp_path):
    path = tmp_path / "jobs.csv"
    path.write_text("submit,run,need,mem\n5,0,2,1\n5,0,1,1\n")
    for words in ((), ("--unit", "cpus,mem", "--column", "cpus", "need")):
        size = ("--servers", "4,4" if words else "4")
        status, out, _ = said("replay", path, *words, *size, "--json")
        assert status == 0 and json.loads(out)["policies"][0]["utilization"] is None


@pytest.mark.parametrize(
    ("words", "change"),
    [
        (["--estimates", "1"], {"estimate": None}),
        (["--estimates", "2"], {"double": True}),
        (["--growth", "2"], {"growth": 2}),
        (["--servers", "16"], {"servers": 16}),
    ],
)
def test_options(tmp_path, words, change):
    work = workloads()["limits that are too low 1"]
    log = dict(submit=(work.submit - work.submit.min()) / change.pop("growth", 1), need=work.need, run=work.run)
    log |= dict(estimate=2 * work.run if change.pop("double", False) else work.estimate, servers=work.servers)
    ours = replay(**(log | change), policy="easy")
    _, out, _ = said("replay", write_log(tmp_path, work), *words, "--json")
    assert json.loads(out)["policies"][0]["mean wait [s]"] == ours.wait.mean()


def test_run_times_that_stand_in_for_estimates_are_noted(tmp_path, work):
    path = tmp_path / "jobs.csv"
    path.write_text("submit,need,run\n0,1,60\n1,2,90\n")
    words = ["replay", path, "--servers", 2, "--policy", "fcfs"]
    note = "The log has no estimates, so run times are taken for estimates (easy, conservative)."
    several = [*words, "--policy", "easy", "--policy", "conservative"]
    assert json.loads(said(*several, "--json").out)["notes"] == [note]
    for silent in (words, [*several, "--estimates", "2"], ["replay", write_log(tmp_path, work)]):
        assert json.loads(said(*silent, "--json").out)["notes"] == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--policy", "lifo"], "policy must be one of fcfs"),
        (["--estimates", "users"], "--estimates must be log or a number"),
        (["--estimates", "0.5"], "--estimates must be a finite number of at least 1"),
        (["--gantt", "chart.txt"], "--gantt must end in"),
        (["--servers", "2"], "exceeds the 2 servers"),
    ],
)
def test_bad_words(tmp_path, work, words, message):
    status, _, err = said("replay", write_log(tmp_path, work), *words)
    assert status == 2 and message in err


def test_the_waits_that_the_log_has_itself_are_told(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("submit,start,need,run\n0,3600,1,60\n10,7210,1,60\n20,,1,60\n")
    told = "By the log itself the jobs waited 1.5 h on average, and 95 % of them at most 1.95 h."
    assert told in said("replay", path, "--servers", 1).out
    path.write_text("submit,need,run\n0,1,60\n10,1,60\n")
    assert "By the log itself" not in said("replay", path, "--servers", 1).out


def test_jobs_of_one_instant_queue_by_their_numbers(tmp_path):
    path = tmp_path / "log.swf"
    rows = [dict(number=2, submit=0, run=9, need=1, estimate=9), dict(number=1, submit=0, run=2, need=1, estimate=2)]
    path.write_text("; MaxProcs: 1\n" + "".join(JOB.format(**row) for row in rows))
    said("replay", path, "--starts", tmp_path / "starts.csv")
    assert (tmp_path / "starts.csv").read_text().split() == ["job,easy", "1,0.0", "2,2.0"]
