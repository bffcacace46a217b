"""Limits of arrays of jobs: read from a log, kept by its replays in Python and from the command line."""

import json
from dataclasses import replace

import numpy as np
import pytest

from mjq.simulation import Limits
from mjq_logs import Log, Rules, array_limits, array_peaks, read_log, read_rules, with_rules, within, write_rules
from mjq_logs.replaying import replayed
from tests import reference_schedules as reference
from tests.conftest import said

HEAD = "JobIDRaw|JobID|State|Submit|Start|End|ElapsedRaw|TimelimitRaw|AllocCPUS|ReqTRES"
T = 1_750_000_000


def row(raw, name, state="COMPLETED", submit=0, start=None, run=600):
    """A line of sacct; without a start nothing was allocated."""
    times = f"{T + submit}|Unknown|Unknown|0" if start is None else f"{T + submit}|{T + start}|{T + start + run}|{run}"
    return f"{raw}|{name}|{state}|{times}|20|{0 if start is None else 1}|cpu=1"


# Array 10 waits with a limit, array 20 was cancelled with one, that of array 30 is not known, and 40 is no array.
LINES = [
    HEAD,
    *(row(10 + k, f"10_{k}", submit=0, start=600 * (k // 2)) for k in range(6)),
    *(row(20 + k, f"20_{k}", submit=60, start=60 + 600 * k) for k in range(3)),
    row(29, "20_[3-9%1]", "CANCELLED by 7", submit=60),
    *(row(30 + k, f"30_{k}", submit=120, start=120) for k in range(3)),
    row(40, "40", submit=180, start=180),
    row(19, "10_[6-9%2]", "PENDING", submit=0),
]


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "jobs.txt"
    file.write_text("\n".join([*LINES, ""]))
    return file


def test_names_of_jobs_tell_arrays_and_those_that_never_started_their_limits(path):
    log = read_log(path, servers=8)
    assert log.array.tolist() == [0] * 6 + [1] * 3 + [2] * 3 + [-1]
    assert log.array_limits.tolist() == pytest.approx([2, 1, np.nan], nan_ok=True)
    assert array_peaks(log).tolist() == [2, 1, 3]
    (limits,) = array_limits(log, before=2)
    assert limits.group.tolist() == [-1] * 2 + [0] * 6 + [1] * 3 + [-1] * 4 and limits.jobs.tolist() == [2, 1]


def test_limits_are_those_of_the_partition_that_is_read(path):
    """The limit of an array of another partition is that of no array here."""
    text = [f"{line}|{'Partition' if k == 0 else 'a' if line[:1] == '1' else 'b'}" for k, line in enumerate(LINES)]
    path.write_text("\n".join([*text, ""]))
    for name, expected in (("a", [2.0]), ("b", [1.0, np.nan])):
        assert read_log(path, servers=8, partition=name).array_limits.tolist() == pytest.approx(expected, nan_ok=True)


def test_the_json_of_sacct_may_tell_the_limit_of_any_task(tmp_path):
    jobs = [
        {
            "job_id": 100 + k,
            "array": {"job_id": 90, "task_id": k, "limits": {"max": {"running": {"tasks": 3}}}},
            "state": {"current": ["COMPLETED"]},
            "time": {"submission": T, "eligible": T, "start": T + 60 * k, "end": T + 60 * k + 600, "elapsed": 600},
            "tres": {"allocated": [{"type": "cpu", "name": "", "count": 1}]},
        }
        for k in range(4)
    ]  # fmt: skip
    (tmp_path / "jobs.json").write_text(json.dumps({"jobs": jobs}))
    log = read_log(tmp_path / "jobs.json", servers=8)
    assert log.array.tolist() == [0] * len(log) and log.array_limits.tolist() == [3]


def test_a_log_without_arrays_has_none_and_says_so(path):
    path.write_text("\n".join([LINES[0], row(40, "40", submit=180, start=180), ""]))
    log = read_log(path, servers=8)
    assert log.array is None and not len(log.array_limits)
    for wrong in (array_peaks, array_limits, lambda log: with_rules(log, Rules(arrays=True))):
        with pytest.raises(ValueError, match=r"the log does not tell arrays of jobs, .* in its column JobID"):
            wrong(log)
    path.write_text("\n".join([line for line in LINES if "%" not in line]))
    with pytest.raises(ValueError, match="the log has 3 arrays of jobs and tells the limit of none"):
        with_rules(read_log(path, servers=8), Rules(arrays=True))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (dict(array=[0, 1], array_limits=[2.0]), "a limit for each of 2 arrays, got 1"),
        (dict(array=[0, 0], array_limits=[0.5]), "at least 1 task of an array must be allowed to run at once, got 0.5"),
        (dict(array=[0.5, 0], array_limits=[2.0]), "array must be whole numbers"),
        (dict(array=[0], array_limits=[2.0]), "array has 1 values for 2 jobs"),
    ],
)
def test_a_log_refuses_arrays_that_cannot_be(columns, message):
    with pytest.raises(ValueError, match=message):
        Log(need=[1, 1], run=[60, 60], submit=[0, 9], **columns)


def random_log(rng):
    """A log of arrays that come at once, and of jobs that are none."""
    array = np.sort(rng.integers(-1, 4, 24))[rng.permutation(24)]
    come = np.sort(60.0 * rng.integers(0, 30, 24))
    run = 60.0 * rng.integers(0, 9, 24)
    limits = rng.choice([1.0, 2.0, 3.0, np.nan], 4)
    limits[rng.integers(4)] = 2.0
    return Log(
        need=rng.integers(1, 5, 24), run=run, submit=come, estimate=run + 60.0 * rng.integers(0, 5, 24), servers=8,
        array=array, array_limits=limits, user=rng.integers(0, 3, 24),
    )  # fmt: skip


@pytest.mark.parametrize("policy", ["fcfs", "first-fit", "easy"])
def test_replays_with_limits_of_arrays_are_the_words_of_the_rule(policy):
    """By the plain program, to which each kind of limits is given by hand; arrays come before users."""
    changed = 0
    for seed in range(60):
        log = random_log(np.random.default_rng(seed))
        made = replayed(with_rules(log, Rules(arrays=True, user_jobs=2)), 8, policy, estimate=log.estimate)
        known = [k for k in range(4) if np.isfinite(log.array_limits[k])]
        by_array = by_hand([known.index(k) if k in known else -1 for k in log.array], log.array_limits[known])
        by_user = by_hand(np.unique(log.user, return_inverse=True)[1], np.full(3, 2.0))
        columns = log.submit - log.begin, log.need, log.run, log.estimate, 8
        start, _ = reference.schedule(*columns, policy, limits=[by_array, by_user])
        assert np.array_equal(made.schedule.start, start), seed
        held = array_peaks(replace(log, start=log.begin + start)) if (log.run[log.array >= 0] > 0).any() else [0]
        assert not (np.array(held)[: len(log.array_limits)] > log.array_limits[: len(held)]).any()
        free = replayed(with_rules(log, Rules(user_jobs=2)), 8, policy, estimate=log.estimate)
        changed += not np.array_equal(free.wait, made.wait)
        wide = replace(log, array_limits=np.where(np.isnan(log.array_limits), np.nan, 24.0))
        wide = replayed(with_rules(wide, Rules(arrays=True, user_jobs=2)), 8, policy, estimate=log.estimate)
        assert np.array_equal(free.wait, wide.wait)
    assert changed > 20


def by_hand(group, jobs):
    """Limits of jobs, from what each group has."""
    return Limits(np.asarray(group), jobs=np.asarray(jobs))


def test_a_window_keeps_the_limits_of_its_arrays(path):
    log = within(read_log(path, servers=8), T + 50.0)
    ruled = with_rules(log, Rules(arrays=True))
    assert len(log) < 13 and log.array_limits[1] == 1
    made = replayed(ruled, 8).of_log()
    tasks = np.flatnonzero(log.array == 1)
    assert (np.diff(made.start[tasks]) >= log.run[tasks][:-1]).all()


def test_rules_are_written_and_read_back_with_arrays(tmp_path):
    write_rules(tmp_path / "rules.toml", Rules(arrays=True, user_jobs=3))
    assert read_rules(tmp_path / "rules.toml") == Rules(arrays=True, user_jobs=3)
    assert Rules(arrays=True).fingerprint() != Rules().fingerprint() and bool(Rules(arrays=True))
    (tmp_path / "wrong.toml").write_text("arrays = 3")
    with pytest.raises(ValueError, match="arrays must be true or false, got 3"):
        read_rules(tmp_path / "wrong.toml")


def test_the_command_keeps_the_limits_that_the_log_tells_and_others_that_are_given(path, tmp_path):
    command = "replay", path, "--servers", "8", "--json"
    free, told, peak, one, fair, saved, again = (
        json.loads(said(*command, *more).out)
        for more in (
            ("--hours", "none"),
            (),
            ("--array-limit", "peak"),
            ("--array-limit", "1"),
            ("--policy", "conservative"),
            ("--save-hours", tmp_path / "rules.toml"),
            ("--hours", tmp_path / "rules.toml"),
        )
    )
    assert free["rules"] == fair["rules"] == []
    assert (
        told["rules"] == saved["rules"] == again["rules"] == ["2 arrays of jobs may run at most 1 to 2 tasks at once."]
    )
    assert peak["rules"] == ["3 arrays of jobs may run at most 1 to 3 tasks at once."]
    mean = [answer["policies"][0]["mean wait [s]"] for answer in (free, told, one)]
    assert mean == sorted(mean) and mean[1] == pytest.approx(
        np.mean([*[0] * 2, *[600] * 2, *[1200] * 2, 0, 600, 1200, *[0] * 4])
    )
    assert told["policies"] == peak["policies"] == saved["policies"] == again["policies"]
    out = said(*command[:-1], "--array-limit", "peak").out
    assert "the most tasks that each ran at once: the real ones are at least so much" in " ".join(out.split())
    parts = said("plan", path, "--servers", "8:9", "--target-wait", "1h", "-q").out
    assert "2 arrays of jobs may run at most 1 to 2 tasks at once." in parts
    assert "arrays of jobs" not in said("wait", path, "--servers", "8", "--need", "1", "--limit", "1h", "-q").out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--array-limit", "many"), "'many' is not a positive number such as 64, or peak"),
        (("--array-limit", "0.5"), "at least 1 task of an array must be allowed to run at once, got 0.5"),
        (("--array-limit", "2", "--servers", "a=8,b=8"), "--array-limit is for one machine"),
        (("--array-limit", "2", "--hosts", "2x8"), "--hosts and --array-limit exclude each other"),
        (("--array-limit", "2", "--policy", "conservative"), "conservative is not replayed with limits: fcfs"),
    ],
)
def test_the_command_refuses_limits_of_arrays_that_cannot_be_kept(path, words, message):
    status, _, error = said("replay", path, *words)
    assert status != 0 and message in " ".join(error.split())
