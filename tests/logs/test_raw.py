"""Raw logs as sacct and others write them: what is a job, what the file sees, and the right first answer.

The files of ``raw`` are ours; nobody's jobs are in them. What is right is computed here once more, row by row and
second by second, by nothing but the words of each row.
"""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq.simulation import replay
from mjq_logs import (
    agreement,
    busy_share,
    cut_window,
    facts_of,
    forecast_start,
    held_most,
    longest_pause,
    read_log,
    shortness_in_words,
    window_of,
)
from mjq_logs.cli.options import Duration
from mjq_logs.machine.replaying import replay_log
from mjq_logs.questions.wait.state import history
from mjq_logs.reading.sacct import COMMAND, tasks_of
from mjq_logs.reading.text import as_duration
from tests.conftest import said
from tests.logs.writing import HEADER, RAW, fields, written

pytestmark = pytest.mark.usefixtures("few_jobs")

T = 1_750_000_000  # that the times of the files count from
SERVERS = 16


def rows_of(path):
    head, *lines = path.read_text().splitlines()
    return [dict(zip(head.split(";"), line.split(";"), strict=True)) for line in lines]


def slowly_held(rows, begin, end):
    held = np.zeros(end - begin)
    for row in rows:
        if row["Start"].isdigit() and int(row["AllocCPUS"]) and row["State"] != "PENDING":
            first = int(row["Start"])
            last = first + int(row["ElapsedRaw"])
            held[max(first - begin, 0) : max(last - begin, 0)] += int(row["AllocCPUS"])
    return held


# --- A file is a window ---


def test_who_was_there_is_the_state_in_which_a_replay_begins():
    log = read_log(RAW / "window.txt", servers=SERVERS)
    rows = rows_of(RAW / "window.txt")
    begin = min(int(row["End"]) for row in rows if row["End"].isdigit())
    early = [row for row in rows if int(row["Submit"]) < begin and row["End"] != str(begin)]
    seen = window_of(log)
    assert seen.running_before == sum(int(row["Start"]) <= begin for row in early)
    assert seen.waiting_before == sum(int(row["Start"]) > begin for row in early)
    assert seen.running_after == sum(row["State"] == "RUNNING" for row in rows)
    assert seen.waiting_after == sum(row["State"] == "PENDING" for row in rows)
    assert log.lines.used == len(log) + seen.running_before + seen.waiting_before
    assert log.submit.min() >= begin and log.unfinished.sum() <= seen.running_after
    # The machine was under first come, first served: replayed so, each job starts when it did.
    (result,) = agreement(log, ["fcfs"])
    assert result.same == 1 and result.fits_log == result.fits_replay
    made = replay_log(log, SERVERS, "fcfs", estimate=log.estimates_used)
    assert np.abs(made.wait - log.wait).max() < 1
    assert np.abs(made.schedule.start[: made.before] - made.started).max() < 1
    without = agreement(log.of(np.arange(len(log)), before=None), ["fcfs"])[0]
    assert without.same < 0.9


def test_a_forecast_begins_with_who_runs_and_waits_at_the_end():
    log, rows = read_log(RAW / "window.txt", servers=SERVERS), rows_of(RAW / "window.txt")
    state = history(log, "fcfs")
    known = state.at(state.taken, len(state.arrival))
    assert len(known.running) == sum(row["State"] == "RUNNING" for row in rows)
    assert len(known.waiting) == sum(row["State"] == "PENDING" for row in rows)
    assert state.need[known.running].sum() == sum(int(row["AllocCPUS"]) for row in rows if row["State"] == "RUNNING")
    assert len(state.arrival) == len(rows) - 1  # who ended as the window began has no part in it
    first = state.at(log.begin + 0.5, int(np.searchsorted(state.arrival, log.begin)))
    seen = window_of(log)
    assert (len(first.running), len(first.waiting)) == (seen.running_before, seen.waiting_before)


def test_a_job_that_was_held_for_ten_months_changes_next_to_nothing():
    """300 days before the window a job was submitted that ran for ten minutes on one server within it."""
    log, held = (read_log(RAW / f"{name}.txt", servers=SERVERS) for name in ("window", "held"))
    seconds = log.end - log.begin
    assert held.window == log.window and len(held) == len(log)
    assert busy_share(held) - busy_share(log) == pytest.approx(600 / (SERVERS * seconds), rel=1e-9)
    assert longest_pause(held) == longest_pause(log)


def test_an_array_that_waits_is_all_its_tasks(tmp_path, monkeypatch):
    monkeypatch.setattr("mjq_logs.questions.wait.record.DRAWS", 5)
    lines = (RAW / "array.txt").read_text().splitlines()
    pending = lines.pop()
    each = (pending.replace("3000_[1-100%100]", f"3000_{k}").replace("3000;", f"{3000 + k};", 1) for k in range(1, 101))
    paths = RAW / "array.txt", written(tmp_path, *lines, *each, name="each.txt")
    result, slow = (forecast_start(read_log(path, servers=8), 4, 2) for path in paths)
    assert result.waiting == slow.waiting == 100
    assert result.by_rule == slow.by_rule > 6 * 1.4
    # If nothing but the array's line were a job, one job would wait for an hour or so.
    one = written(tmp_path, *lines, pending.replace("3000_[1-100%100]", "3000"), name="one.txt")
    alone = forecast_start(read_log(one, servers=8), 4, 2)
    assert alone.waiting == 1 and alone.by_rule < 2


def test_tasks_of_which_few_may_run_at_once_come_one_after_the_other():
    result = forecast_start(read_log(RAW / "array-few-at-once.txt", servers=8), 4, 2)
    assert result.waiting == 12 and result.by_rule == 0  # two tasks leave room beside them


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 40), st.integers(1, 7)), min_size=1, max_size=5))
def test_brackets_name_as_many_tasks_as_a_loop_counts(parts):
    text = ",".join(
        str(a) if not length else f"{a}-{a + length}" + f":{step}" * (step > 1) for a, length, step in parts
    )
    slow = sum(len(range(a, a + length + 1, step)) for a, length, step in parts)
    assert tasks_of(f"7_[{text}]").number == tasks_of(f"7_[{text}%3]").number == slow


def test_the_command_asks_for_what_tells_arrays_and_components():
    out = "".join(said("capacity", "--help").out.replace("\\\n", "").split())
    assert "".join(COMMAND.split()) in out
    assert all(words in out for words in ("JobIDRaw", "ReqTRES,JobID", "SLURM_BITSTR_LEN=0"))


def test_who_has_no_limit_is_not_backfilled():
    log = read_log(RAW / "unlimited.txt", servers=10)
    result = replay(log.submit - T, log.need, log.run, log.estimates_used, 10, "easy")
    assert result.start.tolist() == [0, 100, 200]
    assert replay(log.submit - T, log.need, log.run, None, 10, "easy").start.tolist() == [0, 100, 2]


def test_options_read_durations_as_tables_do():
    path = RAW / "all-durations.csv"
    texts = [line.split(";")[-1] for line in path.read_text().splitlines()[1:]]
    hours = [Duration().convert(text, None, None) for text in texts]
    assert hours == pytest.approx((read_log(path).run / 3600).tolist())


@given(st.integers(0, 400), st.integers(0, 23), st.integers(0, 59), st.integers(0, 59))
def test_all_forms_of_a_duration_are_the_same_time(days, hours, minutes, seconds):
    time = ((24 * days + hours) * 60 + minutes) * 60 + seconds
    for text in (
        f"{days}-{hours:02d}:{minutes:02d}:{seconds:02d}", f"{24 * days + hours}:{minutes:02d}:{seconds:02d}",
        f"{days}d{hours}h{minutes}m{seconds}s", f"P{days}DT{hours}H{minutes}M{seconds}S", f"{time}s", f"{time} seconds",
        f"{days} days {hours:02d}:{minutes:02d}:{seconds:02d}",
    ):  # fmt: skip
        assert as_duration(text) == time
    assert as_duration(f"{days}-{hours}:{minutes}") == time - seconds
    assert as_duration(f"{days}-{hours}") == time - seconds - 60 * minutes


def test_a_size_that_one_wrong_row_makes_is_doubted(tmp_path):
    def log_with(row, unit=None):
        rows = [f"{k},{k},10,{1 + k % 3},{1 + k % 2}" for k in range(0, 3000, 5)]
        path = written(tmp_path, "submit,start,run,need,mem", *rows, *row, name="log.csv")
        return read_log(path, unit=unit, columns={"cpus": "need"} if unit else None)

    def sizes(log):
        return [words for words in facts_of(log).warnings if "--servers sets the size" in words]

    assert sizes(log_with([])) == []
    wrong = log_with(["1000,1000,5,100000,1"])
    assert wrong.servers > 100_000 and held_most(wrong).most_of_the_time < 10
    [words] = sizes(wrong)
    usual = held_most(wrong).most_of_the_time
    assert f"is taken, {wrong.servers:g} servers. For 99 % of the time they held at most {usual:g}." in words
    assert sizes(log_with(["1000,1000,1500,100000,1"])) == []  # the job is no error: for half of the time it runs
    assert sizes(replace(wrong, servers_from="given")) == []
    [of_memory] = sizes(log_with(["1000,1000,5,1,5000"], "cpus,mem"))
    assert "GB of memory. For 99 %" in of_memory and sizes(log_with([], "cpus,mem")) == []
    assert shortness_in_words(short := wrong.of(np.arange(100, 250), window=None)) and sizes(short) == []


# --- Too short ---


def test_warnings_stand_in_pages_and_records(tmp_path):
    page, three = tmp_path / "page.html", RAW / "three-jobs.csv"
    for words in (["capacity", "--servers", 4], ["plan", "--target-wait", "2h", "--servers", "4:8:2"]):
        said(words[0], RAW / "lost.csv", *words[1:], "--html", page)
        assert page.read_text().count("Warning: 56 of 60 lines") == 1
    record = json.loads(said("capacity", three, "--servers", 20, "--json").out)
    assert record["verdict"][0].startswith("Nothing can be said of load and waits")
    assert record["policies"]["fcfs"]["load"] is None and record["policies"]["fcfs"]["waits"] is None


def test_five_of_the_longest_runs_must_fit_into_what_the_log_sees():
    log = read_log(RAW / "window.txt", servers=SERVERS)
    assert shortness_in_words(log) is None
    cut = cut_window(log, end=log.begin + 20 * 86_400)
    long = cut.of(np.arange(len(cut)).repeat(2))
    assert len(long) >= 200 and "less than 5 times its longest runs" in shortness_in_words(long)
    # A single long run that brings next to no work does not count.
    run = np.append(log.run, 300 * 86_400)
    lonely = log.of(np.append(np.arange(len(log)), len(log) - 1), run=run, unfinished=None)
    lonely = lonely.of(np.arange(len(lonely)), need=np.append(log.need, 1e-4))
    assert shortness_in_words(lonely) is None


# --- Each kind, by chance ---

NOW = 5000
KINDS = "plain", "held", "cancelled", "array", "component", "requeued", "runs", "zero", "waits"


@st.composite
def machines(draw):
    """Rows of sacct of a small machine, and the number of its servers."""
    rows, number = [], 100

    def one(**changes):
        idle = {"AllocCPUS": 0, "AllocTRES": "", "ReqTRES": "", "NNodes": 1, "TimelimitRaw": 60}
        rows.append(fields(**idle | {"JobIDRaw": number, "JobID": number} | changes))

    def ran(start, run, need, submit, name=None, raw=None, state="COMPLETED"):
        times = {"Submit": T + submit, "Eligible": T + submit, "Start": T + start, "ElapsedRaw": run}
        ends = "Unknown" if state == "RUNNING" else T + start + run
        one(
            **times, End=ends, State=state, AllocCPUS=need, AllocTRES=f"cpu={need},node=1" if need else "",
            JobID=name or raw or number, JobIDRaw=raw or number,
        )  # fmt: skip

    for _ in range(draw(st.integers(3, 14))):
        kind = draw(st.sampled_from(KINDS))
        number += 10
        submit = draw(st.integers(0, NOW - 1))
        start = draw(st.integers(submit, NOW - 1))
        run, need = draw(st.integers(1, NOW - start)), draw(st.integers(1, 8))
        if kind == "held":
            ran(start, run, need, submit - draw(st.integers(0, 10**8)))
        elif kind == "cancelled":
            ran(start, 0, 0, submit, state=draw(st.sampled_from(["CANCELLED by 7", "FAILED"])))
        elif kind == "array":
            for task in range(draw(st.integers(1, 4))):
                ran(start, run, need, submit, f"{number}_{task}", number + task)
        elif kind == "component":
            for part in range(draw(st.integers(1, 3))):
                ran(start, run, need, submit, f"{number}+{part}", number + part)
        elif kind == "requeued":
            ran(start, run, need, submit, state="PREEMPTED")
            again = start + run
            if again < NOW - 1:
                ran(again, draw(st.integers(1, NOW - again)), need, draw(st.sampled_from([submit, again])))
        elif kind == "runs":
            ran(start, NOW - start, need, submit, state="RUNNING")
        elif kind == "zero":
            ran(start, 0, need, submit)
        elif kind == "waits":
            one(State="PENDING", Submit=T + submit, Eligible=T + submit, Start="Unknown", End="Unknown")
        else:
            ran(start, run, need, submit)
    return rows, 64


def as_sacct(folder, rows):
    return written(folder, HEADER, *(";".join(each.values()) for each in rows))


def read_or_none(path, servers):
    try:
        return read_log(path, servers=servers)
    except ValueError as error:
        if "holds a job that can be used" not in str(error):
            raise
        return None


@given(machines(), st.randoms(use_true_random=False))
def test_busy_share_and_most_held_are_those_of_a_count_second_by_second(tmp_path_factory, machine, dice):
    """However the rows lie in the file, and whatever they are: fragments, no jobs, or jobs from before and beyond."""
    rows, servers = machine
    folder = tmp_path_factory.mktemp("log")
    shuffled = [*rows, *dice.sample(rows, k=min(3, len(rows)))]  # some rows are there twice
    dice.shuffle(shuffled)
    log = read_or_none(as_sacct(folder, shuffled), servers)
    if log is None or log.arrival is None or not log.end > log.begin:
        return
    assert log.lines.read == len(shuffled) == log.lines.used + sum(log.lines.dropped.values())
    held, result = slowly_held(rows, int(log.begin), int(log.end)), held_most(log)
    assert busy_share(log) == pytest.approx(held.mean() / servers, abs=1e-12)
    assert result.ever == held.max()
    assert (held < result.most_of_the_time).mean() < 0.99 <= (held <= result.most_of_the_time).mean() + 1e-9
    ended = [int(row["End"]) for row in rows if row["End"].isdigit()]
    if log.window is not None:
        assert log.begin == min(ended)
        if any(row["State"] in ("RUNNING", "PENDING") for row in rows):
            assert log.end == T + NOW or all(row["State"] != "RUNNING" for row in rows)


def test_a_window_of_jobs_that_have_all_ended_ends_with_the_last_submission(tmp_path):
    """As sacct prints a past month: jobs that were there then, with their true ends, and nobody who came later."""
    rng, jobs, servers = np.random.default_rng(1), 3000, 64
    need, run = rng.integers(1, 17, jobs), np.rint(rng.exponential(7200, jobs)) + 1
    submit = np.rint(np.cumsum(rng.exponential((need * run).mean() / servers / 0.8, jobs)))
    start = replay(submit, need, run, None, servers, "easy").start
    end, (begin, until) = start + run, np.quantile(submit, [0.3, 0.4])
    there = (submit <= until) & (end >= begin)
    rows = zip(*(column[there].astype(int).tolist() for column in (submit, start, end, need)), strict=True)
    lines = [f"{k};COMPLETED;{';'.join(map(str, row))}" for k, row in enumerate(rows, 1)]
    log = read_log(written(tmp_path, "JobIDRaw;State;Submit;Start;End;AllocCPUS", *lines), servers=servers)

    def busy(last):
        return need @ np.clip(np.minimum(end, last) - np.maximum(start, begin), 0, None) / (last - begin) / servers

    assert log.end == submit[there].max() and busy_share(log) == pytest.approx(busy(until), abs=0.01)
    to_the_last_end = replace(log, window=(log.begin, end[there].max()))
    assert busy_share(to_the_last_end) < busy(end[there].max()) - 0.05  # later jobs are not in the file


@given(machines(), st.tuples(st.integers(-NOW, 2 * NOW), st.integers(-NOW, 2 * NOW)).map(sorted))
def test_the_busy_share_of_a_window_that_is_cut_anywhere(tmp_path_factory, machine, ends):
    rows, servers = machine
    folder = tmp_path_factory.mktemp("log")
    log = read_or_none(as_sacct(folder, rows), servers)
    begin, end = (T + time for time in ends)
    if log is None or log.arrival is None:
        return
    try:
        cut = cut_window(log, begin, end)
    except ValueError as error:
        if "no job came and started" not in str(error) and "must end after" not in str(error):
            raise
        return
    # Nothing is seen before the log, or after its last end.
    assert cut.begin == max(begin, log.begin) and cut.end <= end
    begin, end = int(cut.begin), int(cut.end)
    assert busy_share(cut) == pytest.approx(slowly_held(rows, begin, end).mean() / servers, abs=1e-12)
    assert (cut.submit <= end).all() and (cut.arrival >= begin).all()
