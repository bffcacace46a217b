"""A table is a log too: what schedulers write in place of times, clocks and units that do not agree, and open ends.

`jobs.csv.gz` was made by a machine of 16 servers in order of arrival: 800 jobs of 1, 2, 4 and 8 servers. Each case
changes some of its lines as a scheduler, a clock or a spreadsheet would.
"""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from mjq.simulation import replay, replay_on_hosts
from mjq_logs import busy_share, cut_window, facts_of, read_log, window_of
from mjq_logs.machine.replaying import replay_log
from tests.conftest import said

FILES = Path(__file__).parent / "cases"
SERVERS, BUSY, WAIT = 16, 0.596, 33.1  # minutes
JOBS = pl.read_csv(FILES / "jobs.csv.gz")
SUBMIT, START, END = (pl.col(name) for name in ("submit", "start", "end"))
SOME = pl.int_range(pl.len()) % 8 == 7  # of the lines
ORIGIN = JOBS["submit"][0]
AS_DATE = "%Y-%m-%dT%H:%M:%S"


def log_of(folder, jobs, servers=SERVERS, name="jobs.csv"):
    if name.endswith("parquet"):
        jobs.write_parquet(folder / name)
    else:
        jobs.write_csv(folder / name)
    return read_log(folder / name, servers=servers)


def some(**values):
    return [pl.when(SOME).then(value).otherwise(name).alias(name) for name, value in values.items()]


def without_some():
    return JOBS.filter(~SOME)


def busy_of(jobs):
    """The share of the servers that is busy from the first submission to the last one, row by row."""
    begin, end = jobs["submit"].min(), jobs["submit"].max()
    held = sum(need * max(0, min(b, end) - max(a, begin)) for a, b, need in jobs.select("start", "end", "need").rows())
    return held / SERVERS / (end - begin)


def test_the_jobs_as_they_are(tmp_path):
    log = log_of(tmp_path, JOBS)
    assert busy_share(log) == pytest.approx(BUSY, abs=5e-4) == busy_of(JOBS)
    assert log.wait.mean() / 60 == pytest.approx(WAIT, abs=0.05) and not log.notes and log.present is None
    out = said("capacity", tmp_path / "jobs.csv", "--servers", SERVERS, "--policy", "fcfs").out
    assert f"{100 * BUSY:.1f} % of the servers were busy" in out and "  84.24 (" in out


# --- Never started ---


def as_dates(*columns):
    return [pl.from_epoch(pl.col(name)).dt.strftime(AS_DATE).alias(name) for name in columns]


RELATIVE = [(pl.col(name) - ORIGIN).alias(name) for name in ("submit", "start", "end")]
NEVER = {
    "0": JOBS.with_columns(some(start=0)),
    "-1": JOBS.with_columns(some(start=-1)),
    "0, and ends 0": JOBS.with_columns(some(start=0)).with_columns(run=END - START),
    "0, and runs 0": JOBS.with_columns(some(start=0)).select(
        "job", "submit", "start", "need", run=pl.when(SOME).then(0).otherwise(END - START)
    ),
    "nothing": JOBS.with_columns(some(start=None)),
    "1970": JOBS.with_columns(some(start=0)).with_columns(as_dates("submit", "start", "end")),
    "1970 in Tokyo": JOBS.with_columns(some(start=32_400)).with_columns(as_dates("submit", "start", "end")),
    "0 on a clock of its own": JOBS.with_columns(RELATIVE).with_columns(some(start=0)),
    "-1 on a clock of its own": JOBS.with_columns(RELATIVE).with_columns(some(start=-1)),
    "the last second of 32 bits": JOBS.with_columns(some(start=2**31 - 1)),
}


@pytest.mark.parametrize("name", ["jobs.csv", "jobs.parquet"])
@pytest.mark.parametrize("jobs", NEVER.values(), ids=NEVER)
def test_a_job_that_never_started_is_counted_as_such(tmp_path, jobs, name):
    log = log_of(tmp_path, jobs, name=name)
    assert log.lines.dropped == {"never started": 100} and len(log) == 700 and not log.notes
    assert log.wait.mean() / 60 == pytest.approx(without_some().select((START - SUBMIT).mean()).item() / 60)
    assert busy_share(log) == pytest.approx(busy_of(without_some()), abs=1e-9) and log.run.max() < 2e5
    assert replay_log(log, SERVERS, "easy").wait.mean() / 3600 == pytest.approx(0.195, abs=5e-4)


# --- Clocks, units and columns that do not agree ---


@pytest.mark.parametrize("late", ["submit", "eligible"])
def test_a_submission_that_is_stamped_late_takes_no_start_away(tmp_path, late):
    log = log_of(tmp_path, JOBS.with_columns((SUBMIT + 30).alias(late)))
    assert busy_share(log) == pytest.approx(BUSY, abs=5e-4) and len(log) == 800 and np.isfinite(log.start).all()
    assert log.wait.mean() / 60 == pytest.approx(32.9, abs=0.05) and log.wait.min() == 0
    assert log.notes == (
        "431 jobs started before the log allows it, by up to 30 s: they count as jobs that did not wait",
    )
    assert not any("two clocks" in words for words in facts_of(log).warnings)


def test_two_clocks_are_told_above(tmp_path):
    log = log_of(tmp_path, JOBS.with_columns(submit=SUBMIT + 9 * 3600))
    assert any("are starts and submissions times of two clocks?" in words for words in facts_of(log).warnings)
    assert busy_share(log) == pytest.approx(BUSY, abs=0.02)


@pytest.mark.parametrize("lost", [None, 0, -1])
def test_a_lost_submission_takes_no_job_away(tmp_path, lost):
    log = log_of(tmp_path, JOBS.with_columns(some(submit=lost)))
    assert busy_share(log) == pytest.approx(BUSY, abs=5e-4) and len(log) == 800
    assert log.notes[0] == "100 jobs came without a submit time: they count as jobs that did not wait"


def test_a_run_that_is_longer_than_its_start_and_end_allow(tmp_path):
    jobs = JOBS.with_columns(
        run=pl.when(pl.int_range(pl.len()) % 5 == 4).then(END - START + 7200).otherwise(END - START)
    )
    log = log_of(tmp_path, jobs, servers=None)
    assert (log.servers, busy_share(log)) == (SERVERS, pytest.approx(BUSY, abs=5e-4))
    words = "contradict each other in 160 lines, the first of which is line 6: the shorter ones are taken."
    assert any(words in warning for warning in facts_of(log).warnings)


def test_a_run_that_stood_still_for_a_while_is_shorter_and_one_that_is_rounded_is_not_told(tmp_path):
    log = log_of(tmp_path, JOBS.with_columns(run=END - START + 1))
    assert not log.notes and busy_share(log) == pytest.approx(BUSY, abs=5e-4)
    log = log_of(tmp_path, JOBS.with_columns(run=pl.when(SUBMIT == ORIGIN).then(60).otherwise(END - START)))
    assert log.run[0] == 60 and "contradict each other in 1 line, the first of which is line 2" in log.notes[0]


DAYS = [(pl.col(name) / 86_400 + 25_569).round(6).alias(name) for name in ("submit", "start", "end")]
UNITS = {
    "days of a spreadsheet": (JOBS.with_columns(DAYS), "'submit' holds 45658.502338: are these days of a spreadsheet"),
    "starts in such days": (JOBS.with_columns(DAYS[1:]), "'start' holds 45658.502338: are these days of a spreadsheet"),
    "milliseconds": (JOBS.with_columns(SUBMIT * 1000, START * 1000, END * 1000), "are these milliseconds?"),
    "milliseconds since the first": (
        JOBS.with_columns(RELATIVE).with_columns(SUBMIT * 1000, START * 1000, END * 1000), "are these milliseconds?"
    ),
    "ends in milliseconds": (JOBS.with_columns(END * 1000), "are these milliseconds?"),
    "minutes": (JOBS.with_columns(run=(END - START) / 60), "are they minutes?"),
    "hours": (JOBS.with_columns(run=(END - START) / 3600), "are they hours?"),
    "runs in milliseconds": (JOBS.with_columns(run=(END - START) * 1000), "are they milliseconds?"),
}  # fmt: skip


@pytest.mark.parametrize(("jobs", "question"), UNITS.values(), ids=UNITS)
def test_a_unit_that_makes_no_sense_is_refused_with_a_question(tmp_path, jobs, question):
    with pytest.raises(ValueError, match=r"jobs\.csv: ") as refused:
        log_of(tmp_path, jobs)
    assert question in str(refused.value)


def test_simulated_times_are_no_days(tmp_path):
    log = log_of(tmp_path, JOBS.with_columns([pl.col(name) / 7 for name in ("submit", "start", "end")]))
    assert len(log) == 800 and busy_share(log) == pytest.approx(BUSY, abs=5e-4)


# --- Open ends ---

RUNNING = FILES / "running.csv"


def as_sacct(path):
    lines = ["JobIDRaw;State;Submit;Eligible;Start;End;AllocCPUS;ReqCPUS"]
    for job, submit, start, end, need in pl.read_csv(RUNNING).rows():
        state = "COMPLETED" if end else "RUNNING" if start else "PENDING"
        lines.append(f"{job};{state};{submit};{submit};{start or 'Unknown'};{end or 'Unknown'};{need};{need}")
    path.write_text("\n".join(lines))
    return read_log(path, servers=64)


def open_table(folder, way):
    jobs = pl.read_csv(RUNNING)
    if way == "0":
        jobs = jobs.with_columns(START.fill_null(0), END.fill_null(0))
    elif way == "run":
        jobs = jobs.select("job", "submit", "start", "need", run=END - START)
    elif way == "the last second":
        jobs = jobs.with_columns(END.fill_null(2**31 - 1))
    elif way == "the year 9999":
        jobs = jobs.with_columns(as_dates("submit", "start", "end"))
        jobs = jobs.with_columns(END.fill_null("9999-12-31T00:00:00"))
    return log_of(folder, jobs, 64, "jobs.parquet" if way == "Parquet" else "jobs.csv")


@pytest.mark.parametrize("way", ["nothing", "Parquet", "0", "run", "the last second", "the year 9999"])
def test_a_table_with_open_ends_is_the_log_that_sacct_tells(tmp_path, way):
    """Ten jobs had not ended: seven ran, and three waited.

    Until the last submission of a job that has started, the machine was 63.4 % busy. The file tells of some hours more,
    up to the last submission of one that waits, in which those that run held on: 64.0 % with them.
    """
    log, other = open_table(tmp_path, way), as_sacct(tmp_path / "jobs.txt")
    assert busy_share(cut_window(log, end=log.submit.max())) == pytest.approx(0.634, abs=5e-4)
    assert busy_share(log) == pytest.approx(0.640, abs=5e-4) and log.window == other.window
    for name in ("need", "run", "submit", "start", "unfinished"):
        assert np.array_equal(getattr(log, name), getattr(other, name), equal_nan=True), name
    for name in ("need", "arrival", "start", "tasks"):
        assert np.array_equal(getattr(log.present, name), getattr(other.present, name), equal_nan=True), name
    seen = window_of(log)
    assert (seen.running_after, seen.waiting_after, seen.running_before) == (7, 3, 5)
    assert log.lines.dropped == other.lines.dropped and busy_share(log) == busy_share(other)


def test_an_end_that_is_lost_is_no_job_that_runs_for_ever(tmp_path):
    log = log_of(
        tmp_path, JOBS.with_columns(pl.when(pl.int_range(pl.len()) == 9).then(None).otherwise(END).alias("end"))
    )
    assert log.lines.dropped == {"no run time": 1, "ended before the window": 1} and log.unfinished is None


# --- Ties of decimal times ---


@pytest.mark.parametrize("policy", ["easy", "conservative", "backfill-2", "first-fit"])
@pytest.mark.parametrize("begin", [0.0, 1_735_733_002.1])
def test_an_end_and_a_start_that_are_equal_as_decimals_are_equal(tmp_path, policy, begin):
    """The third job ends at 0.1 + 0.2, when the second one starts."""
    jobs = pl.read_csv(FILES / "tie_in_tenths.csv").with_columns((SUBMIT + begin).round(2))
    log = log_of(tmp_path, jobs, 10)
    made = replay_log(log, 10, policy, estimate=log.estimates_used).schedule
    assert made.start.tolist() == [0, 0.3, 0.1] and made.finish.tolist() == [0.3, 1.3, 0.3]
    late = replay([0.05, 0.1, 0.05], [6, 4, 10], [0.3, 0.25, 1], None, 10, policy).start
    assert late.tolist() == [0.05, 0.1, 0.35]


def test_decimals_are_equal_on_hosts():
    start = replay_on_hosts([0.1, 0.3], [4, 4], [0.2, 1], 1, 4).start
    assert start.tolist() == [0.1, 0.3]
