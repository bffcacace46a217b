"""What a real Slurm wrote, with what its controller saw and what its rows say, counted by nothing but their words."""

import csv
import gzip
import io
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from mjq_logs import (
    busy_share,
    cut_window,
    exponential_capacity,
    facts_of,
    forecast_start,
    read_calendar,
    read_hosts,
    read_log,
    window_of,
)
from mjq_logs.machine.replaying import replay_log
from mjq_logs.questions.capacity import estimates
from mjq_logs.questions.wait.by_rule import draw
from mjq_logs.questions.wait.state import history
from mjq_logs.reading.clock import as_moment, dated
from mjq_logs.reading.log import Log, Present
from mjq_logs.reading.rows import UNLIMITED
from mjq_logs.reading.window import window_in_words
from tests.conftest import said

FILES = Path(__file__).parent / "real_slurm"
CPUS, GPUS, MEMORY = 160, 8, 625  # GB
TAKEN = 1_795_932_747
LONG, SHORT = (1_795_931_297, 1_795_932_720), (1_795_931_700, 1_795_932_600)  # spans in which both count the same
SAME = "jobs.txt.gz", "sacct.json.gz", "rich.txt.gz", "all_cols.txt.gz", "with_steps.txt.gz"


def rows_of(name="jobs.txt.gz"):
    return list(csv.DictReader(io.StringIO(gzip.decompress((FILES / name).read_bytes()).decode()), delimiter=";"))


def ran():
    for row in rows_of():
        if row["Start"].isdigit():
            yield row, int(row["Start"]), int(row["End"]) if row["End"].isdigit() else TAKEN


def share(spans, begin, end):
    return sum(need * max(0, min(b, end) - max(a, begin)) for need, a, b in spans) / CPUS / (end - begin)


def seen_by_the_controller(what, begin, end):
    """The mean of what the controller had given to jobs, each sample until the next one."""
    total = defaultdict(int)
    for line in gzip.decompress((FILES / "truth_nodes.txt.gz").read_bytes()).decode().splitlines():
        time, *words = line.split()
        total[int(time)] += int(dict(word.split("=") for word in words)[what])
    times = np.clip([*total, end], begin, end)
    return np.diff(times) @ list(total.values()) / (end - begin)


# --- What its log tells ---


@pytest.mark.parametrize(
    ("span", "controller", "by_rows"), [(LONG, 0.5455, 0.5501), (SHORT, 0.5777, 0.5780)], ids=["24 min", "15 min"]
)
def test_how_busy_the_machine_was(span, controller, by_rows):
    """Rows as they stand count a resized job twice until it is resized, and a suspended one as if it ran."""
    as_they_stand = [(int(row["AllocCPUS"]), start, end) for row, start, end in ran()]
    assert share(as_they_stand, *span) == pytest.approx(by_rows, abs=5e-5)
    assert seen_by_the_controller("CPUAlloc", *span) / CPUS == pytest.approx(controller, abs=5e-5)
    right = []
    for row, start, _ in ran():
        begin = max(start, int(row["Submit"]))
        right.append((int(row["AllocCPUS"]), begin, start + int(row["ElapsedRaw"])))
    busy = busy_share(cut_window(read_log(FILES / "jobs.txt.gz", servers=CPUS), *span))
    assert busy == pytest.approx(share(right, *span), rel=1e-12)
    assert busy == pytest.approx(controller, abs=0.01) and busy == pytest.approx(by_rows, abs=0.0025)


@pytest.mark.parametrize(
    ("unit", "servers", "controller"), [("gpus", GPUS, 3.77), ("mem", MEMORY, 84)], ids=["GPUs", "memory"]
)
def test_how_much_of_other_resources_was_held(unit, servers, controller):
    log = cut_window(read_log(FILES / "jobs.txt.gz", servers=servers, unit=unit), *LONG)
    assert busy_share(log) == pytest.approx(controller / servers, abs=0.01)
    if unit == "mem":
        assert seen_by_the_controller("AllocMem", *LONG) / 1024 == pytest.approx(controller, abs=0.5)


def test_how_long_its_jobs_waited():
    rows = list(ran())
    minutes = sum(start - int(row["Eligible"]) for row, start, _ in rows) / 60 / len(rows)
    assert minutes == pytest.approx(1.057, abs=5e-4)
    wait = read_log(FILES / "jobs.txt.gz").wait / 60
    assert wait.mean() == pytest.approx(minutes, abs=0.01) and np.quantile(wait, 0.95) == pytest.approx(6.48, abs=0.005)


@pytest.mark.parametrize("name", SAME)
def test_every_form_of_a_log_is_the_same_log(name):
    """Also the JSON, in which arrays that wait are bit maps, and null is no limit; some were asked for a bit later."""
    first, log = (read_log(FILES / file, servers=CPUS) for file in (SAME[0], name))
    for column in ("submit", "eligible", "start", "estimate", "need", "number", "unfinished"):
        assert np.array_equal(getattr(first, column), getattr(log, column), equal_nan=True), column
    assert np.array_equal(first.run[~first.unfinished], log.run[~log.unfinished])
    assert len(log) == log.lines.used == 584 and (log.zone, log.user is None) == ("UTC", name in (SAME[0], SAME[4]))
    assert window_in_words(window_of(log)) == "4 jobs still ran and 300 waited when the window ended."
    assert any("5 jobs came without a limit" in note for note in log.notes)
    state = history(log, "easy")
    now = state.at(state.taken, len(state.arrival))
    assert (len(now.running), state.need[now.running].sum(), state.times[now.waiting].sum()) == (4, 26, 300)
    assert abs(log.end - TAKEN) < 30


def test_all_had_ended_and_the_hosts_were_these():
    lines, log = rows_of("ended.txt.gz"), read_log(FILES / "ended.txt.gz", servers=CPUS)
    assert abs(len(lines) - 840) < 10 and log.present is None and log.unfinished is None
    hosts = read_hosts(FILES / "nodes.txt", "cpus,mem,gpus")
    assert hosts.numbers == (6, 2) and hosts.sizes == ((16, 62.5, 0), (32, 125, 4))


# --- Who still waits ---


def test_who_still_waits_is_told_first():
    log = read_log(FILES / "jobs.txt.gz", servers=CPUS)
    words = "Warning: 300 of 884 jobs still waited when the log ended, and had asked for 2291 servers."
    (warning,) = [warning for warning in facts_of(log).warnings if warning.startswith(words)]
    assert "a machine that is planned for these is too small" in warning
    for command, *options in (["replay", "--servers", CPUS], ["plan", "--servers", "160:161", "--target-wait", "5min"]):
        out = said(command, FILES / "jobs.txt.gz", *options).out
        assert words in out[: out.index("jobs.txt.gz")]
    assert facts_of(read_log(FILES / "ended.txt.gz", servers=CPUS)).waiting is None


def test_a_forecast_uses_who_still_waits_and_does_not_warn_of_them(monkeypatch):
    monkeypatch.setattr("mjq_logs.questions.wait.record.DRAWS", 3)
    result = forecast_start(read_log(FILES / "small_to.txt", servers=4), 4, 1)
    assert result.waiting == 2 and not any("still waited" in words for words in result.warnings)


def test_a_job_without_a_limit_does_not_run_for_ten_years():
    """It goes on for a minute if it has outrun all others. Of those who come later no limit is above a year."""
    jobs = history(read_log(FILES / "jobs.txt.gz", servers=CPUS), "easy")
    assert jobs.limit.max() == UNLIMITED and jobs.runs_alike(jobs.taken, 1.0, UNLIMITED, 1e6).tolist() == [1e6 + 60]
    early = jobs.arrival[300]  # when many who came before had not ended
    what = draw(jobs, jobs.at(early, 300), 1.0, 60.0, 50, np.random.default_rng(1))
    assert what.run[:, what.new + 1 :].max() < 365 * 86_400


def test_much_work_that_waits_is_told_where_few_jobs_do():
    nothing = np.array([np.nan])
    columns = dict(need=np.ones(300), run=np.full(300, 60.0), submit=60.0 * np.arange(300), servers=64)
    for need, told in ((1.0, False), (64.0, True)):
        here = Present(np.array([need]), np.array([5.0]), nothing, nothing, 18_000.0, 0, np.array([1]), np.array([0]))
        assert ("1 of 301 jobs still waited" in (facts_of(Log(**columns, present=here)).waiting or "")) == told


def test_who_waits_when_a_window_ends_is_in_its_queue():
    cut = cut_window(read_log(FILES / "small_to.txt", servers=4), end=3000)
    assert window_in_words(window_of(cut)) == "1 job still ran and 3 waited when the window ended."
    log = read_log(FILES / "jobs.txt.gz", servers=CPUS)
    counts = window_of(cut_window(log, end=SHORT[1]))
    waits = {row["JobID"].partition("+")[0] for row in rows_of() if waits_at(row, SHORT[1])}
    assert counts.waiting_after == len(waits) == 159
    arrays = cut_window(log, end=TAKEN - 2).present
    assert arrays.tasks.max() == 100 and arrays.at_once.max() == 4


def waits_at(row, time):
    may, started = (int(row[name]) if row[name].isdigit() else np.inf for name in ("Eligible", "Start"))
    return may <= time < started and (row["State"] == "PENDING" or started < np.inf)


def test_a_job_that_waits_in_two_partitions_waits_in_each():
    for partition, waiting in (("batch", 2), (None, 2)):
        log = read_log(FILES / "parts.txt", servers=16, partition=partition)
        assert window_of(log).waiting_after == waiting
    assert read_log(FILES / "jobs.txt.gz", partition="long").present.need.size > 0


def test_what_a_limit_of_an_array_held_back_is_told():
    for name, tasks in (("throttle.txt", 18), ("jobs.txt.gz", 114)):
        (words,) = [note for note in read_log(FILES / name, servers=CPUS).notes if "limit of their own" in note]
        assert words.startswith(f"{tasks} tasks of arrays waited") and "left out" in words and "--growth" in words
    log = read_log(FILES / "throttle.txt", servers=16)
    assert (log.wait == 0).all() and log.arrival.max() > log.submit.max()


def test_needs_of_those_who_wait_are_what_they_ask_for():
    notes = {name: read_log(FILES / name, servers=CPUS).notes for name in ("jobs.txt.gz", "ended.txt.gz")}
    held = sum(int(row["AllocCPUS"]) for row, *_ in ran()) / sum(
        int(dict(part.split("=") for part in row["ReqTRES"].split(","))["cpu"]) for row, *_ in ran()
    )
    words = f"jobs that started held {held:.2g} times the servers that they had asked for"
    assert any(words in note for note in notes["jobs.txt.gz"])
    assert not any("held" in note for note in notes["ended.txt.gz"])


def test_a_resized_job_is_one_job_after_the_other():
    log = read_log(FILES / "resized.txt", servers=10)
    assert window_in_words(window_of(log)) == "1 job ran when the window began."
    assert replay_log(log, 10).schedule.utilization == pytest.approx(0.379, abs=5e-4)
    assert (log.start.tolist(), log.run.tolist()) == ([1600, 2000], [600, 1000])


# --- Its clock, and its calendars ---


def test_a_date_without_a_zone_is_refused_beside_seconds():
    log = read_log(FILES / "jobs.txt.gz", servers=CPUS)
    assert dated(log, SHORT[1]) == "2026-11-29 06:10 UTC"
    for words in ("2026-11-29T15:10+09:00", "2026-11-29T06:10Z", "2026-11-29 06:10 UTC", str(SHORT[1])):
        assert as_moment(log, words) == SHORT[1]
    for options in (("replay", "--from"), ("replay", "--to"), ("wait", "--need", 1, "--limit", "1h", "--at")):
        command, *more = options
        done = said(command, FILES / "jobs.txt.gz", "--servers", CPUS, *more, "2026-11-29T06:00")
        assert done.status == 2 and "has no zone, and the log counts seconds" in done.err
    for name, words in (("events.txt", "line 3: '2026-11-29T06:05:18'"), ("resv.txt", "line 1: '2026-11-29T07:04:07'")):
        with pytest.raises(ValueError, match=f"{words} has no zone"):
            read_calendar(FILES / name, log)


EVENTS = [[1795931664, 144], [1795931767, 160], [1795932318, 128], [1795932358, 160]]
RESERVED = [
    [1795932267, 144], [1795932277, 112], [1795932397, 144], [1795932627, 160], [1795935847, 0], [1795939447, 160],
]  # fmt: skip


@pytest.mark.parametrize(("name", "steps"), [("events_epoch.txt", EVENTS), ("resv_epoch.txt", RESERVED)])
def test_nodes_that_are_away_have_their_own_sizes(name, steps):
    log = read_log(FILES / "jobs.txt.gz", servers=CPUS)
    assert read_calendar(FILES / name, log).tolist() == steps


@pytest.mark.parametrize(
    ("name", "unit", "message"),
    [
        ("resv_epoch.txt", "gpus", "no number of gres/gpu in 'cpu=32'"),
        ("sacctmgr_resv.txt", "cpus", "add NodeName to the format of sacctmgr"),
    ],
)
def test_what_reservations_do_not_tell_is_refused(name, unit, message):
    with pytest.raises(ValueError, match=message):
        read_calendar(FILES / name, read_log(FILES / "jobs.txt.gz", servers=GPUS, unit="gpus"), unit=unit)


def test_a_calendar_that_begins_late_says_so():
    out = said(
        "replay", FILES / "jobs.txt.gz", "--servers", CPUS, "--calendar", FILES / "events_epoch.txt", "--json"
    ).out
    assert "Before its first time, 2026-11-29 05:54 UTC, all servers count as up." in out


def test_a_short_log_is_not_worth_an_exact_solution():
    """Of these 214 jobs it takes 45 seconds of the processor, and nothing can be said of their load and waits."""
    log = read_log(FILES / "mid1.txt.gz", servers=CPUS)
    assert "too many classes" in exponential_capacity(log).interval


def test_the_error_of_sacct_is_told():
    with pytest.raises(ValueError, match="says 'Unable to parse time format': run sacct --json without SLURM_TIME"):
        read_log(FILES / "sacct_with_time_format.json")


def test_a_log_on_which_nothing_can_be_said_costs_next_to_nothing(monkeypatch):
    """What is said of it, the capacity in its own order, is the same; few jobs are drawn for the rest."""
    drawn, log = [], read_log(FILES / "mid1.txt.gz", servers=CPUS)
    share = estimates._share
    monkeypatch.setattr(estimates, "_share", lambda log, jobs, *how: drawn.append(len(jobs)) or share(log, jobs, *how))
    result = estimates.capacities(log)
    assert 0 < sum(drawn) < 500_000
    assert (result["own_order"].share, result["naive"].share) == (pytest.approx(0.982, abs=5e-4), 1)
