"""Several partitions at once: each answers as if it were asked for alone, and overlapping ones are refused."""

import json
from pathlib import Path

import numpy as np
import pytest

from mjq_logs import Plans, Reports, doubts, planned, read_log, read_partitions
from mjq_logs.reading.rows import BEFORE, WAITING
from tests.conftest import said

pytestmark = pytest.mark.usefixtures("few_jobs")

NAMES = "batch", "gpu", "debug"


def rows(seed=1, jobs=250):
    """Lines of a table of jobs of three partitions, without header."""
    rng = np.random.default_rng(seed)
    arrival = 1_700_000_000 + np.cumsum(rng.integers(1, 900, jobs))
    run, need, of = (
        rng.integers(1, 3000, jobs),
        rng.choice([1, 2, 4, 8], jobs),
        rng.choice(NAMES, jobs, p=[0.6, 0.3, 0.1]),
    )
    return [f"{k},{arrival[k]},{run[k]},{need[k]},{2 * run[k]},{of[k]}" for k in range(jobs)]


def written(folder, lines):
    path = folder / "jobs.csv"
    path.write_text("\n".join(["job,submit,run,need,estimate,partition", *lines]) + "\n")
    return path


@pytest.fixture
def path(tmp_path):
    return written(tmp_path, rows())


def test_each_partition_is_read_as_if_it_were_asked_for_alone(tmp_path):
    lines = rows()
    path = written(
        tmp_path, [*lines, next(line for line in lines if line.endswith("batch")), "x,1,2", "9,5,-1,1,1,batch"]
    )
    servers = {"batch": 8.0, "gpu": 6.0}
    logs, whole = read_partitions(path, servers)
    for name, log in logs.items():
        alone = read_log(path, partition=name, servers=servers[name])
        assert log.lines == alone.lines and log.servers == alone.servers
        for column in ("need", "run", "submit", "estimate", "number"):
            assert (getattr(log, column) == getattr(alone, column)).all()
    assert whole.used == sum(map(len, logs.values())) and whole.read == whole.used + sum(whole.dropped.values())
    assert whole.dropped["of a partition that is not named"] == sum(line.endswith("debug") for line in lines)
    assert whole.dropped["needs more than the servers"] > 0 and whole.dropped["a negative time"] == 1


@pytest.mark.parametrize(
    "words",
    [
        ["plan", "--target-wait", "1h", "9:24:3"],
        pytest.param(["capacity", "--policy", "easy", "12"], marks=pytest.mark.slow),
    ],
)
def test_a_single_partition_answers_as_before(path, words):
    command, *more, size = words
    alone = json.loads(said(command, path, "--partition", "gpu", *more, "--servers", size, "--json").out)
    answer = json.loads(said(command, path, *more, "--servers", f"gpu={size}", "--json").out)["partitions"]
    assert list(answer) == ["gpu"]
    assert alone == (answer["gpu"] if command == "plan" else answer["gpu"]["policies"]["easy"])


@pytest.mark.slow
def test_the_sum_of_capacities(tmp_path):
    path = written(tmp_path, rows(jobs=900))  # fewer than 200 in a partition tell nothing of its load
    status, out, _ = said("capacity", path, "--servers", "batch=24,gpu=12", "--json")
    answer = Reports.model_validate(json.loads(out))
    assert status == 0 and [row.policy for row in answer.sum] == ["fcfs", "easy"]
    for total in answer.sum:
        parts = [row.policies[total.policy] for row in answer.partitions.values()]
        own = [row.capacities.own_order for row in parts]
        assert total.jobs == sum(row.jobs for row in parts) == answer.lines.used and total.servers == 36
        assert np.isclose(total.capacity, sum(row.value for row in own))
        assert np.isclose(total.wasted_servers, (1 - total.share) * 36)
        assert np.isclose(total.load * 36, sum(row.load.load * row.servers for row in parts))
    words = "capacity", path, "--servers", "batch=24,gpu=12", "--policy", "easy"
    text, whole = (said(*words, *full).out for full in ([], ["--full"]))
    assert "What partitions can carry" in text and text.endswith("partition batch and partition gpu.\n")
    assert "PARTITION batch" not in text and "PARTITION batch" in whole and "PARTITION gpu" in whole


def test_the_sum_of_plans(path, tmp_path):
    words = "plan", path, "--target-wait", "1h", "--servers", "batch=20,gpu=8:24:3", "--policy", "fcfs"
    status, out, _ = said(*words, "--json", "--workers", 1)
    plans = Plans.model_validate(json.loads(out))
    logs, _ = read_partitions(path, {"batch": 20, "gpu": None})
    assert status == 0
    assert plans.partitions["batch"] == planned(logs["batch"], 1.0, ["fcfs"])
    assert plans.partitions["gpu"] == planned(logs["gpu"], 1.0, ["fcfs"], [8, 16, 24])
    (total,) = plans.sum
    assert total.smallest == sum(plan.policies[0].smallest for plan in plans.partitions.values())
    assert total.servers is None and not total.missed
    status, out, _ = said(*words, "--html", tmp_path / "a.html")
    assert f"{total.smallest:g}" in out and "PARTITION gpu" in said(*words, "--full").out
    assert (tmp_path / "a.html").read_text().count("<svg") == 2


def test_where_one_partition_misses_the_target_there_is_no_sum(path, tmp_path):
    words = "plan", path, "--target-wait", "1s", "--percentile", 100, "--servers", "batch=8:9:2,gpu=400:401:2"
    status, out, _ = said(*words, "--html", tmp_path / "a.html", "--json")
    plans = Plans.model_validate(json.loads(out))
    assert status == 3 and plans.sum[0].missed == ["batch"] and plans.sum[0].smallest is None and not plans.met
    assert "have no sum" in (tmp_path / "a.html").read_text()


def test_plans_of_partitions_resume(path, tmp_path, monkeypatch):
    import mjq_logs.waits.replays as module
    from mjq_logs import planned_by_partition

    logs, lines = read_partitions(path, {"batch": 20, "gpu": 12})
    sizes, made, true = {"batch": [16, 20], "gpu": [8, 12]}, [], module.wait_statistics
    whole = planned_by_partition(logs, 0.5, sizes=sizes, lines=lines)

    def stopping(*words, **more):
        if len(made) == 14:
            raise KeyboardInterrupt
        made.append(1)
        return true(*words, **more)

    output = tmp_path / "plan.json"
    monkeypatch.setattr(module, "wait_statistics", stopping)
    with pytest.raises(KeyboardInterrupt):
        planned_by_partition(logs, 0.5, sizes=sizes, lines=lines, output=output)
    monkeypatch.setattr(module, "wait_statistics", lambda *words, **more: made.append(1) or true(*words, **more))
    assert planned_by_partition(logs, 0.5, sizes=sizes, lines=lines, output=output) == whole
    assert [file.name for file in tmp_path.iterdir() if "plan" in file.name] == ["plan.json"]
    assert Plans.model_validate_json(output.read_text()) == whole
    total = len(made)
    made.clear()
    planned_by_partition(logs, 0.5, sizes=sizes)
    assert len(made) == total  # no replay was made twice


def test_replays_of_partitions_and_all_of_their_jobs(path, tmp_path):
    words = "--policy", "fcfs", "--policy", "easy"
    starts, chart = tmp_path / "s.csv", tmp_path / "a.svg"
    asked = "replay", path, "--servers", "batch=24,gpu=12", *words
    answer = json.loads(said(*asked, "--json", "--starts", starts, "--gantt", chart).out)
    rows = {(row["partition"], row["policy"]): row for row in answer["partitions"]}
    for name, size in (("batch", 24), ("gpu", 12)):
        alone = json.loads(said("replay", path, "--partition", name, "--servers", size, *words, "--json").out)
        for row in alone["policies"]:
            assert row["mean wait [s]"] == pytest.approx(rows[name, row["policy"]]["mean wait [s]"], abs=1e-6)
    for policy in ("fcfs", "easy"):
        parts, total = [rows[name, policy] for name in ("batch", "gpu")], rows["sum", policy]
        jobs = [row["jobs"] for row in parts]
        assert total["jobs"] == sum(jobs) == answer["jobs"] and total["servers"] == 36
        for name in ("mean wait [s]", "bounded slowdown"):
            assert np.isclose(total[name], np.average([row[name] for row in parts], weights=jobs))
        assert (
            min(row["utilization"] for row in parts) <= total["utilization"] <= max(row["utilization"] for row in parts)
        )
    assert starts.read_text().splitlines()[0] == "partition,job,fcfs,easy" and "<svg" in chart.read_text()
    assert "mean wait [h]" in said(*asked).out


def test_the_sum_counts_the_servers_that_jobs_from_before_the_window_keep_busy(tmp_path):
    path = tmp_path / "jobs.txt"
    head, *lines = (Path(__file__).parent / "raw" / "window.txt").read_text().splitlines()
    path.write_text("\n".join([head, *(x.replace(";batch;", f";{'ab'[k % 2]};") for k, x in enumerate(lines))]) + "\n")
    answer = json.loads(said("replay", path, "--servers", "a=256,b=256", "--hours", "none", "--json").out)
    *parts, total = answer["partitions"]
    assert total["jobs"] == answer["jobs"] == sum(row["jobs"] for row in parts) < answer["lines"]["used"]
    shares = sorted(row["utilization"] for row in parts)
    assert shares[0] <= total["utilization"] <= shares[1]


@pytest.mark.parametrize("command", [["capacity"], ["replay"], ["plan", "--target-wait", "1h"]])
@pytest.mark.parametrize(
    ("servers", "words"),
    [
        ("batch=24,batch=12", "the partition batch is named twice"),
        ("batch=24,none=12", "of the partition none; those with jobs are batch, debug, gpu"),
        ("batch=24,12", "for each partition such as batch=512"),
        ("batch=0", "is not"),
        ("=4", "is not"),
    ],
)
def test_bad_partitions_are_refused(path, command, servers, words):
    name, *more = command
    status, out, err = said(name, path, *more, "--servers", servers)
    assert (status, out) == (2, "") and words in err


def test_one_partition_and_several_exclude_each_other(path):
    status, _, err = said("replay", path, "--partition", "gpu", "--servers", "gpu=12")
    assert status == 2 and "exclude each other" in err


def test_jobs_of_several_partitions_are_refused(tmp_path):
    lines = rows(jobs=50)
    listed = '77,1700000001,60,1,60,"batch,gpu"'
    status, _, err = said("capacity", written(tmp_path, [*lines, listed]), "--servers", "batch=24,gpu=12")
    assert status == 2 and "line 52: a job is listed in the partitions batch,gpu, so that batch shares its jobs" in err
    same = next(line for line in lines if line.endswith("batch"))
    status, _, err = said(
        "capacity", written(tmp_path, [*lines, same.replace("batch", "gpu")]), "--servers", "batch=24,gpu=12"
    )
    assert status == 2 and "hold the same job, once in the partition batch and once in gpu" in err
    elsewhere = '77,1700000001,60,1,60,"debug,test"'  # neither is named
    assert read_partitions(written(tmp_path, [*lines, elsewhere]), {"batch": 24, "gpu": 12})[1].read == 51


def test_jobs_of_sacct_that_never_started_may_be_listed_in_several_partitions(tmp_path):
    path = tmp_path / "jobs.txt"
    head = "JobIDRaw|State|Submit|Start|ElapsedRaw|AllocCPUS|Partition"
    jobs = [f"{k}|COMPLETED|{1_700_000_000 + 60 * k}|{1_700_000_000 + 60 * k}|600|2|{NAMES[k % 2]}" for k in range(30)]
    path.write_text("\n".join([head, *jobs, "99|PENDING|1700000000|Unknown|0|2|batch,gpu"]) + "\n")
    logs, lines = read_partitions(path, {"batch": 64, "gpu": 4})
    assert lines.used == 29 and lines.dropped == {WAITING: 1, BEFORE: 1}
    assert any(
        "held more than the 4 servers that there are (given), up to 10" in words for words in doubts(logs["gpu"])
    )
