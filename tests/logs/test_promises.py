"""A judge of promised starts: laws of its scores, whose start a promise is of, and what files of them may hold."""

import gzip
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mjq_logs import (
    Log,
    OpenHours,
    Promises,
    Rules,
    example_log,
    example_path,
    judge_promises,
    own_promises,
    read_log,
    read_promises,
    with_rules,
)  # fmt: skip
from mjq_logs.answers import Interval
from mjq_logs.cli import judging
from mjq_logs.forecast import waiting
from mjq_logs.forecast.by_rule import LATER, waits_by_rule, waits_one_by_one
from mjq_logs.forecast.judging import LEADS, interval_of_mean
from mjq_logs.forecast.state import history
from mjq_logs.forecast.waiting import drawn_in_place, past_of_waiting, wait_beyond
from mjq_logs.making import planned
from mjq_logs.reading.names import hashed
from mjq_logs.scale import on_scale
from tests.conftest import TRACES, needs_traces, said
from tests.logs.test_forecast import made
from tests.logs.writing import as_table

OWN, FILE = "mjq", "promises"


@pytest.fixture(autouse=True)
def few_draws(request, monkeypatch):
    """Laws hold with five draws as with a hundred; what the slow tests count does not."""
    if not request.node.get_closest_marker("slow"):
        monkeypatch.setattr(waiting, "DRAWS", 5)


def numbered(jobs=400, seed=1, **words):
    log = made(jobs, seed, load=0.95, **words)
    return replace(log, number=np.arange(1, len(log) + 1))


def asked_in(log, times, seed=2):
    """Times and jobs that wait then: those whom a look at the queue shows."""
    rng = np.random.default_rng(seed)
    arrival, start = log.arrival, log.start
    pairs = []
    while len(pairs) < times:
        time = float(rng.uniform(arrival[len(log) // 2], arrival[-1]))
        there = np.flatnonzero((arrival <= time) & (start > time))
        pairs += [(time, int(job)) for job in there[:3]]
    time, job = map(np.array, zip(*pairs[:times], strict=True))
    return time, job


def promised(log, times=60, late=0.0, seed=2, **ends):
    time, job = asked_in(log, times, seed)
    start = log.start[job] + late
    return Promises(time, log.number[job].astype(str), start, **{name: start + by for name, by in ends.items()})


def of(judged, name=FILE):
    return next(score for score in judged.scores if score.forecast == name)


# --- Laws of the scores ---------------------------------------------------------------------------------------------


def test_a_perfect_promise_has_no_error_no_bias_and_full_coverage():
    log = numbered(250)
    score = of(judge_promises(log, promised(log, low=0.0, high=0.0)))
    assert (score.error.value, score.minutes, score.bias, score.inside) == (0, 0, 0, 1)


@settings(max_examples=20, deadline=None)
@given(st.floats(-100, 1000))
def test_a_promise_that_is_late_by_some_minutes_has_this_bias(minutes):
    log = replace(numbered(), estimate=None)
    late = promised(log, late=60 * minutes)
    score = of(judge_promises(log, late))
    assert score.bias == pytest.approx(minutes, abs=1e-6) and score.minutes == pytest.approx(abs(minutes), abs=1e-6)
    _, job = asked_in(log, 60)
    there, then = log.start[job] - late.time, late.start - late.time
    assert score.error.value == pytest.approx(float(np.abs(on_scale(there) - on_scale(then)).mean()), abs=1e-12)


def test_scores_are_those_of_their_words_by_a_plain_loop():
    log, rng = numbered(), np.random.default_rng(5)
    given = promised(log, 80)
    start = given.time + (given.start - given.time) * rng.lognormal(0, 1, 80)
    low, high = start - rng.exponential(2000, 80), start + rng.exponential(2000, 80)
    low[::7] = high[::7] = np.nan
    judged = judge_promises(replace(log, estimate=None), Promises(given.time, given.job, start, low, high))
    off, inside = [], []
    for k in range(80):
        real = log.start[int(given.job[k]) - 1]
        off.append((start[k] - real) / 60)
        if k % 7:
            inside.append(low[k] <= real <= high[k])
    score = of(judged)
    assert score.bias == pytest.approx(sum(off) / 80) and score.minutes == pytest.approx(sum(map(abs, off)) / 80)
    assert score.intervals == len(inside) and score.inside == pytest.approx(sum(inside) / len(inside))
    leads = [(start[k] - given.time[k]) / 3600 for k in range(80)]
    counts = [sum(a <= lead < b for lead in leads) for a, b in zip(LEADS, LEADS[1:], strict=False)]
    assert [of(row).promises for row in judged.by_lead] == [count for count in counts if count]
    weighed = sum(of(row).error.value * of(row).promises for row in judged.by_lead) / 80
    assert weighed == pytest.approx(score.error.value)


def test_permuting_the_rows_changes_nothing(tmp_path):
    log = numbered(250)
    given = promised(log, 80, late=300.0)
    order = np.random.default_rng(3).permutation(80)
    for most in (1000, 20):
        words = dict(most=most, keep=tmp_path)
        assert judge_promises(log, given, **words) == judge_promises(log, given.of(order), **words)


def test_an_unknown_job_changes_only_its_count(tmp_path):
    log = numbered(250)
    given = promised(log, 40)
    more = Promises([*given.time, given.time[0]], [*given.job, "99999"], [*given.start, given.start[0]])
    first, second = (judge_promises(log, each, keep=tmp_path) for each in (given, more))
    (new,) = second.left_out
    assert (new.why, new.promises, new.number, new.jobs) == ("the job is not in the log", 1, 1, ["99999"])
    assert first == second.model_copy(update={"promises": 40, "left_out": []})


def test_our_own_promises_written_to_a_file_and_read_back_score_as_we_do(tmp_path):
    log = replace(numbered(500), clock=1.7e9)
    given = promised(log, 60, late=900.0)
    ours = own_promises(log, given, keep=tmp_path)
    rows = zip(ours.time.tolist(), ours.job, ours.start.tolist(), ours.low.tolist(), ours.high.tolist(), strict=True)
    path = tmp_path / "ours.csv"
    path.write_text("\n".join(["time,job,start,low,high", *(",".join(map(str, row)) for row in rows)]))
    judged = judge_promises(log, read_promises(path, log), keep=tmp_path)
    same = {"forecast": FILE}
    assert of(judged) == of(judged, OWN).model_copy(update=same)
    assert of(judged, OWN) == of(judge_promises(log, given, keep=tmp_path), OWN)
    assert of(judged).intervals == 60 and judged.gain.value == 0


def test_of_many_promises_some_are_drawn_that_are_spread_evenly():
    log = replace(numbered(1000), estimate=None)
    time, job = asked_in(log, 2000)
    given = Promises(time, log.number[job].astype(str), log.start[job])
    judged = judge_promises(log, given, most=100)
    assert (judged.promises, judged.usable, judged.judged) == (2000, 2000, 100)
    whole, part = of(judge_promises(log, given, most=2000), "at once"), of(judged, "at once")
    assert part.error.value == pytest.approx(whole.error.value, rel=0.25) and part.error.value != whole.error.value


# --- Our own forecasts of jobs that wait -----------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative"])
def test_draws_for_a_job_in_its_place_are_equal_to_a_replay_each(policy):
    log = numbered(600, policy=policy)
    jobs = history(log, policy)
    for time, job in zip(*asked_in(log, 6), strict=True):
        state = jobs.at(time, int(np.searchsorted(jobs.arrival, time, side="right")))
        what = drawn_in_place(jobs, state, int(job), 6, np.random.default_rng(1))
        there = np.concatenate([state.running, state.waiting])
        assert there[what.new] == job and what.need[0, what.new] == jobs.need[job]
        assert what.need[0, : len(there)].tolist() == jobs.need[there].tolist()
        assert what.arrival.shape[1] == len(there) + LATER
        assert np.abs(waits_by_rule(what, 16, policy) - waits_one_by_one(what, 16, policy)).max() < 1e-6


def test_draws_for_a_job_in_its_place_keep_the_hours_of_each_job():
    log = replace(numbered(400), clock=0.0)
    hours = OpenHours.of({1200.0: "", 4800.0: "Mon-Fri 0-12", np.inf: "Mon-Sun 18-8"})
    jobs = history(with_rules(log, Rules(hours=hours)), "easy")
    for time, job in zip(*asked_in(log, 4), strict=True):
        state = jobs.at(time, int(np.searchsorted(jobs.arrival, time, side="right")))
        what = drawn_in_place(jobs, state, int(job), 4, np.random.default_rng(1))
        kinds = what.kept.kinds[0, len(state.running) : len(state.running) + len(state.waiting)]
        assert kinds.tolist() == (hours.classes(jobs.limit[state.waiting], jobs.need[state.waiting]) + 1).tolist()
        assert np.abs(waits_by_rule(what, 16, "easy") - waits_one_by_one(what, 16, "easy")).max() < 1e-6


def test_with_true_run_times_a_job_starts_from_its_place_as_it_did():
    log = numbered(600, policy="fcfs")
    jobs = history(log, "fcfs")
    for time, job in zip(*asked_in(log, 20), strict=True):
        state = jobs.at(time, int(np.searchsorted(jobs.arrival, time, side="right")))
        what = drawn_in_place(jobs, state, int(job), 1, np.random.default_rng(1))
        there, run = np.concatenate([state.running, state.waiting]), what.run.copy()
        run[0, : len(there)] = jobs.run[there] - np.where(jobs.start[there] < time, time - jobs.start[there] - 1, 0)
        wait = waits_one_by_one(what._replace(run=run), 16, "fcfs")
        assert wait[0] == pytest.approx(jobs.start[job] - time, abs=1e-6)


def test_what_jobs_alike_waited_beyond_is_a_plain_median():
    log = numbered(800)
    jobs = history(log, "easy")
    for time, job in zip(*asked_in(log, 30), strict=True):
        age, expected = time - jobs.arrival[job], None
        wide, long = np.floor(np.log2(jobs.need)), np.floor(np.log2(jobs.limit))
        kinds = [
            (wide == wide[job]) & (jobs.limit == jobs.limit[job]), (wide == wide[job]) & (long == long[job]),
            long == long[job], np.ones(len(log), dtype=bool),
        ]  # fmt: skip
        for kind in kinds:
            started = [k for k in np.flatnonzero(kind) if jobs.start[k] < time]
            started.sort(key=lambda k: jobs.start[k])
            waits = [jobs.start[k] - jobs.arrival[k] for k in started[-200:]]
            beyond = [wait - age for wait in waits if wait >= age]
            expected = float(np.median(beyond)) if beyond else 0.0
            if len(beyond) >= 5:
                break
        assert wait_beyond(jobs, time, int(job)) == pytest.approx(expected)


def test_nothing_of_the_future_is_in_our_promises():
    log = numbered(500)
    given = promised(log, 25)
    last = float(given.time.max())
    short = log.of(log.arrival <= last)
    other = replace(
        short,
        run=np.where(short.start + short.run > last, short.run * 3 + 5, short.run),
        start=np.where(short.start >= last, short.start + 1e5, short.start),
    )
    ours, again = own_promises(log, given), own_promises(other, given)
    assert ours.job == again.job and ours.start == pytest.approx(again.start)
    assert np.isfinite(ours.low).all()


@pytest.mark.slow
@needs_traces
def test_our_promises_to_those_who_wait_are_better_than_simple_ones_and_hold():
    """On public logs with real starts, whom a look at the queue shows."""
    for file in ("KTH-SP2-1996-2.1.swf.gz", "SDSC-SP2-5K.swf.gz"):
        log = read_log(f"{TRACES}/{file}")
        rng, pairs = np.random.default_rng(4), []
        arrival, start = log.arrival, log.start
        while len(pairs) < 400:
            time = float(rng.uniform(arrival[2 * len(log) // 3], arrival[-1]))
            there = np.flatnonzero((arrival <= time) & (start > time))
            pairs += [(time, int(rng.choice(there)))] if len(there) else []
        time, job = map(np.array, zip(*pairs, strict=True))
        judged = judge_promises(log, Promises(time, log.number[job].astype(str), start[job]))
        error = {score.forecast: score.error.value for score in judged.scores}
        assert error[OWN] < min(error["jobs alike"], error["replays alone"], error["at once"]), error
        assert 0.72 < of(judged, OWN).inside < 0.88


# --- Intervals of the scores -----------------------------------------------------------------------------------------


def looked_at(rng, days, alike, busy):
    """Errors of promises on successive days that resemble each other, on some of which there are many more of them."""
    level = np.zeros(days)
    for k in range(1, days):
        level[k] = alike * level[k - 1] + np.sqrt(1 - alike**2) * rng.standard_normal()
    count = rng.poisson(20 * np.exp(busy * (0.7 * level + 0.7 * rng.standard_normal(days))))
    day = np.repeat(np.arange(days), count)
    return np.abs(rng.standard_normal(len(day)) + 0.8 * level[day]), day


@pytest.mark.slow
def test_intervals_of_errors_hold_what_they_say():
    """Only where successive days resemble each other much, it is nine times in ten."""
    rng = np.random.default_rng(7)
    for alike, least in ((0.0, 0.94), (0.5, 0.93), (0.8, 0.86)):
        held = []
        for busy in (0.0, 0.3, 0.6):
            truth = float(np.concatenate([looked_at(rng, 5000, alike, busy)[0] for _ in range(3)]).mean())
            for days in (30, 60, 150, 300):
                ends = [interval_of_mean(*looked_at(rng, days, alike, busy)) for _ in range(100)]
                held += [end.low <= truth <= end.high for end in ends if end.low is not None]
        assert len(held) > 900 and np.mean(held) > least, alike


def test_where_days_tell_little_there_is_no_interval():
    rng = np.random.default_rng(1)
    one_day = interval_of_mean(rng.random(1000), np.zeros(1000))
    few = interval_of_mean(rng.random(1000), np.repeat(np.arange(10), 100))
    most_on_one = interval_of_mean(rng.random(1000), np.minimum(np.arange(1000), 100))
    assert one_day.low is few.low is most_on_one.low is None
    same = interval_of_mean(np.ones(300), np.repeat(np.arange(100), 3))
    assert (same.low, same.high) == (1, 1)


# --- Whose start it is -----------------------------------------------------------------------------------------------


SACCT = "JobIDRaw|JobID|State|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|AllocCPUS|AllocTRES|ReqTRES"


def sacct(tmp_path, *rows):
    """A log of sacct of rows (raw number, name, state, submit, start, run)."""
    lines = [SACCT]
    for raw, name, state, submit, start, run in rows:
        begun = start is not None
        held = "cpu=1" * begun
        lines.append(
            f"{raw}|{name}|{state}|{submit}|{submit}|{start if begun else 'Unknown'}|"
            f"{start + run if begun else submit}|{run}|60|{int(begun)}|{held}|cpu=1"
        )
    path = tmp_path / "jobs.txt"
    path.write_text("\n".join(lines) + "\n")
    return read_log(path, servers=4)


ROWS = (
    (1, "1", "COMPLETED", 1000, 1100, 50),
    (2, "2", "COMPLETED", 1000, 2000, 50),
    (12, "10_1", "COMPLETED", 1000, 3000, 50),
    (13, "10_2", "COMPLETED", 1000, 4000, 50),
    (20, "20+0", "COMPLETED", 1000, 5000, 50),
    (21, "20+1", "COMPLETED", 1000, 5000, 50),
    (30, "30", "CANCELLED by 7", 1000, None, 0),
    (40, "40", "PENDING", 1000, None, 0),
    (50, "10_[5-9%2]", "PENDING", 1000, None, 0),
    (60, "60", "REQUEUED", 1000, 1500, 10),
    (60, "60", "COMPLETED", 1000, 6000, 10),
    (70, "70", "COMPLETED", 1000, 7000, 50),
)


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("2", 2000), ("10_1", 3000), ("10_2", 4000), ("12", 3000), ("10_[2-9%4]", 4000), ("10_[1,3-5]", 3000),
        ("20+0", 5000), ("20+1", 5000), ("20", 5000), ("2.batch", 2000), ("60", 1500), (" 70 ", 7000),
    ],
)  # fmt: skip
def test_a_job_is_known_by_each_of_its_names(tmp_path, name, start):
    log = sacct(tmp_path, *ROWS)
    judged = judge_promises(replace(log, estimate=None), Promises([1200], [name], [float(start)]))
    assert of(judged).minutes == 0 and not judged.left_out


def test_a_promise_to_a_job_that_was_requeued_is_of_its_next_start(tmp_path):
    log = replace(sacct(tmp_path, *ROWS), estimate=None)
    judged = judge_promises(log, Promises([1200, 2000], ["60", "60"], [1500, 6000]))
    assert of(judged).minutes == 0 and judged.jobs == 2


def test_who_cannot_be_judged_is_counted_and_named(tmp_path):
    log = replace(sacct(tmp_path, *ROWS), estimate=None)
    cases = [
        (1200, "2", 2000.0, None),
        (1200, "2", np.nan, "no start was promised"),
        (1200, "1", 2000.0, "the job had started before"),
        (1200, "99", 2000.0, "the job is not in the log"),
        (1200, "99_4", 2000.0, "the job is not in the log"),
        (1200, "30", 2000.0, "the job never started"),
        (1200, "40", 2000.0, "the job still waited when the log was taken"),
        (1200, "10_[5-9%2]", 2000.0, "the job still waited when the log was taken"),
        (100, "2", 2000.0, "the job was submitted later"),
    ]
    time, job, start, _ = zip(*cases, strict=True)
    judged = judge_promises(log, Promises(time, job, start))
    expected = {why: sum(row[3] == why for row in cases) for _, _, _, why in cases if why}
    assert {row.why: row.promises for row in judged.left_out} == expected
    assert sum(expected.values()) + judged.usable == judged.promises == len(cases)
    assert next(row for row in judged.left_out if "not in" in row.why).jobs == ["99", "99_4"]
    assert "the same zone" in judged.warnings[0]


def test_a_promise_dated_just_before_the_submission_is_judged(tmp_path):
    log = replace(sacct(tmp_path, *ROWS), estimate=None)
    assert judge_promises(log, Promises([970], ["2"], [2000])).judged == 1


def test_names_of_a_table_are_known_as_they_stand(tmp_path):
    path = tmp_path / "jobs.csv"
    path.write_text("job,submit,start,run,need\nwl-a,0,100,5,1\nwl-b,0,200,5,1\n7,0,300,5,1\n")
    log = read_log(path, servers=4)
    judged = judge_promises(log, Promises([50, 50, 50], ["wl-a", "wl-b", "7"], [100, 200, 300]))
    assert of(judged).minutes == 0 and judged.jobs == 3


def test_tasks_of_an_array_are_known_without_raw_numbers(tmp_path):
    path = tmp_path / "jobs.txt"
    path.write_text("JobID|State|Submit|Start|ElapsedRaw|AllocCPUS\n8_1|COMPLETED|0|100|5|1\n8_2|COMPLETED|0|200|5|1\n")
    log = read_log(path, servers=4)
    judged = judge_promises(log, Promises([50, 50, 150], ["8_1", "8_[2-5]", "8"], [100, 200, 200]))
    assert of(judged).minutes == 0 and judged.jobs == 2


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(0, 500), st.integers(0, 500)), min_size=1, max_size=60))
@settings(max_examples=40, deadline=None)
def test_the_next_start_of_a_name_is_taken_as_by_a_plain_loop(rows):
    """Jobs with few numbers, so that most have several starts; promises to numbers that may not be there."""
    submit = np.sort(np.zeros(len(rows)))
    log = Log(
        need=np.ones(len(rows)), run=np.ones(len(rows)), submit=submit, start=[float(row[1]) for row in rows],
        number=np.array([row[0] for row in rows]), servers=1,
    )  # fmt: skip
    given = Promises(
        [float(row[2]) for row in rows], [str(41 - row[0]) for row in rows], [float(row[2]) for row in rows]
    )
    reals = []
    for time, name in zip(given.time, given.job, strict=True):
        later = [row[1] for row in rows if row[0] == int(name) and row[1] >= time]
        reals += [min(later) - time] if later else []
    if not reals:
        with pytest.raises(ValueError, match="none of"):
            judge_promises(log, given)
        return
    judged = judge_promises(log, given)
    assert judged.usable == len(reals) and of(judged, "at once").minutes == pytest.approx(np.mean(reals) / 60)


def test_names_keep_nothing_but_what_tells_them_apart(tmp_path):
    log = sacct(tmp_path, *ROWS)
    assert log.name.dtype == np.uint64 and set(log.name[log.name > 0].tolist()) == set(hashed(["10_1", "10_2", "20+0"]))
    assert read_log_of_numbers(tmp_path).name is None


def read_log_of_numbers(tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text("job,submit,start,run,need\n1,0,100,5,1\n2,0,200,5,1\n")
    return read_log(path)


# --- Files -----------------------------------------------------------------------------------------------------------


def at_noon(clock=0.0):
    return Log(need=[1], run=[60], submit=[0], start=[30], number=[7], servers=1, clock=clock)


@pytest.mark.parametrize(
    "text",
    [
        "time,job,start\n10,7,50\n20,7_1,N/A\n",
        "Asked;JobID;START_TIME\n10;7;50\n20;7_1;Unknown\n",
        '"job","date","start"\r\n"7","1970-01-01T00:00:10","1970-01-01 00:00:50"\r\n"7_1","20",""\r\n',
        "10|7|50\n20|7_1|N/A",
        "1970-01-01T00:00:10|7|1970-01-01T00:00:50\n\n20|7_1|N/A\n",
        "time\tuser\tjob\tstart\n10\tx\t7\t50\n20\ty\t7_1\t-\n",
    ],
)
def test_each_form_of_a_file_is_read(tmp_path, text):
    path = tmp_path / "starts.csv"
    path.write_bytes(text.encode())
    found = read_promises(path, at_noon())
    assert found.time.tolist() == [10, 20] and found.job == ("7", "7_1")
    assert found.start[0] == 50 and np.isnan(found.start[1]) and np.isnan(found.low).all()


def test_dates_are_on_the_clock_of_the_log(tmp_path):
    path = tmp_path / "starts.csv"
    path.write_text("time,job,start,low,high\n1970-01-02,7,1970-01-02T01:00,1970-01-02,\n")
    found = read_promises(path, at_noon(clock=3600.0))
    assert found.time.tolist() == [82_800] and found.start.tolist() == [86_400] and found.low.tolist() == [82_800]
    assert np.isnan(found.high[0])


HEAD = "time,job,start,low,high\n"


@pytest.mark.parametrize(
    ("text", "clock", "words"),
    [
        ("", 0.0, "the file is empty"),
        ("time,job,start\n", 0.0, "there is no promise below the header"),
        ("time,job\n1,2\n", 0.0, "no column start (start or start_time or starttime or promised)"),
        ("hello\nworld\n", 0.0, "no column time"),
        ("1|2\n", 0.0, "no column time"),
        ("time,job,start\n1,7,5\n2,7,soon\n", 0.0, "line 3: the start 'soon' is neither a number of seconds nor"),
        ("time,job,start\n\nN/A,7,5\n", 0.0, "line 3: the time 'N/A' is neither"),
        ("1|7|5\nx|7|9\n", 0.0, "line 2: the time 'x' is neither"),
        ("time,job,start\n1,,5\n", 0.0, "line 2 does not name a job"),
        ("time,job,start\n1,7,5,9\n", 0.0, "line 2 has another number of fields than the first line"),
        ("time,job,start,low\n1,7,5,4\n", 0.0, "there must be both columns, low and high"),
        ("time,job,start,low,high\n1,7,5,4,3\n", 0.0, "line 2: an interval must not end before it begins: '4' to '3'"),
        (f"{HEAD}2,7,9,,\n5,8,9,1970-01-02,1970-01-01T23:00\n", 0.0, "line 3: an interval must not end"),
        (f"{HEAD}5,8,9,1970-01-02,1970-01-01T23:00\n", 0.0, "'1970-01-02' to '1970-01-01T23:00'"),
        ("time,job,start\n1,7,2020-01-01\n", None, "line 2: the start '2020-01-01' is a date, and the log has no"),
        ("time,job,start\n1,7,2020-01-01T00:00Z\n", 3600.0, "line 2: the start '2020-01-01T00:00Z' has a zone"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(tmp_path, text, clock, words):
    path = tmp_path / "starts.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=re.escape(words)) as error:
        read_promises(path, at_noon(clock))
    assert str(error.value).startswith(f"{path}: ")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (dict(time=[], job=[], start=[]), "at least one promise"),
        (dict(time=[1, 2], job=["7"], start=[5]), "time must have one value for each of the 1 promises"),
        (dict(time=[np.inf], job=["7"], start=[5]), "time must be finite"),
        (dict(time=[1], job=["7"], start=[np.inf]), "start must be finite"),
    ],
)
def test_promises_are_checked(words, expected):
    with pytest.raises(ValueError, match=expected):
        Promises(**words)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (dict(start=None), "when its jobs started"),
        (dict(submits_are_starts=True), "submit times of this log are start times"),
    ],
)
def test_a_log_that_cannot_judge_says_why(changes, words):
    log = numbered(50)
    with pytest.raises(ValueError, match=words):
        judge_promises(replace(log, **changes), promised(log, 5))
    with pytest.raises(ValueError, match="most"):
        judge_promises(log, promised(log, 5), most=0)
    with pytest.raises(ValueError, match="does not interrupt"):
        judge_promises(log, promised(log, 5), "server-filling")


def test_a_log_of_several_resources_judges_too():
    from mjq_logs import Vectors

    log = numbered(250)
    several = replace(log, need=Vectors(np.column_stack([log.need, 2 * log.need]), ("cpus", "mem")), servers=(16, 32))
    given = promised(log, 20, late=600.0)
    one, two = judge_promises(log, given), judge_promises(several, given)
    assert [score.error.value for score in two.scores] == pytest.approx([score.error.value for score in one.scores])


def test_a_log_without_limits_is_judged_and_forecast_only_by_rules_that_look_at_none():
    log = replace(numbered(300, policy="fcfs"), estimate=None)
    easy, fcfs = (judge_promises(log, promised(log, 10), policy) for policy in ("easy", "fcfs"))
    assert [score.forecast for score in easy.scores] == [FILE, "at once"] and easy.gain is None
    assert "fcfs and first-fit look at no limits" in easy.notes[-1]
    assert len(fcfs.scores) == 5 and fcfs.gain is not None


def test_past_of_those_who_wait_is_of_jobs_that_waited():
    log = numbered(600)
    jobs = history(log, "easy")
    past = past_of_waiting(jobs, "easy", 50, 500)
    assert 50 < len(past.number) <= 450 and (np.diff(past.number) > 0).all()
    arrived = np.searchsorted(jobs.arrival, past.time, side="left")
    assert (past.known >= past.time).all() and (arrived <= past.number).all()
    assert past.wait == pytest.approx(on_scale(past.known - past.time))


# --- The command ------------------------------------------------------------------------------------------------------


def squeue(promises, path):
    """Write promises as the recipe of the page for operators does."""
    rows = zip(promises.time, promises.job, promises.start, strict=True)
    path.write_text("".join(f"{t:.0f}|{job}|{'N/A' if np.isnan(s) else f'{s:.0f}'}\n" for t, job, s in rows))
    return path


def test_the_command_judges_a_file_of_squeue(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    log = numbered(250)
    time, job = (column[:30] for column in asked_in(log, 60))
    start = np.append(log.start[job] + 1800, [np.nan, 0])
    given = Promises([*np.ceil(time), 0, 0], [*log.number[job].astype(str), "1", "7000"], start)
    table, starts = as_table(log, tmp_path / "jobs.csv"), squeue(given, tmp_path / "starts.csv")
    words = "wait", table, "--servers", 16, "--against", starts, "--workers", 1, "-q"
    short, full = said(*words, "--html", tmp_path / "page.html"), said(*words, "--full")
    assert short.status == full.status == 0 and short.err == ""
    assert "starts.csv has 32 rows, of which 30 can be judged." in short.out
    assert "1 because no start was promised and 1 because the job is not in the log" in short.out
    assert "off by 30 min, and jobs started 30 min sooner than promised." in short.out
    (row,) = re.findall(r"^starts.csv  .*$", short.out, re.M)
    assert row.split()[-3:] == ["30.0", "+30.0", "-"]
    for text in ("By how far ahead", "7000", "All are judged by one rule"):
        assert text in full.out and text not in short.out
    page = (tmp_path / "page.html").read_text()
    assert page.count("<svg") == 2 and "how good promised starts were" in page
    plain = json.loads(said(*words, "--json").out)
    assert plain["scores"][0]["bias"] == pytest.approx(30, abs=0.02) and plain["left_out"][0]["number"] == 1
    for wrong, message in (
        (["--need", 4], "--against judges promises that were made, and takes no --need"),
        (["--policy", "server-filling"], "does not interrupt"),
    ):
        answer = said(*words, *wrong)
        assert answer.status == 2 and message in answer.err
    starts.write_text("")
    answer = said(*words)
    assert answer.status == 2 and answer.err == f"mjq: {starts}: the file is empty\n"


@pytest.mark.parametrize(
    ("theirs", "ends", "words"),
    [
        (2.0, (0.5, 1.5), "mjq is better: the difference is 1.00"),
        (0.5, (-0.9, -0.1), "The promises are better: the difference is -0.50"),
        (1.5, (-0.2, 1.2), "That may be chance: the difference is 0.50"),
        (1.5, (None, None), "There are too few days to tell whether that is chance."),
    ],
)
def test_who_is_better_is_said_only_where_it_is_known(theirs, ends, words):
    log = numbered(100)
    judged = judge_promises(log, promised(log, 20))
    error = Interval(value=theirs, low=None, high=None)
    scores = [judged.scores[0].model_copy(update={"error": error}), judged.scores[1].model_copy(
        update={"error": Interval(value=1.0, low=None, high=None)}), *judged.scores[2:]]  # fmt: skip
    gain = Interval(value=theirs - 1, low=ends[0], high=ends[1])
    answer = judging.answer("jobs.csv", log, "starts.csv", judged.model_copy(update={"scores": scores, "gain": gain}))
    assert words in " ".join(answer.sentences)
    simple = min(score.error.value for score in scores if score.forecast in ("jobs alike", "at once"))
    assert ("simple guess" in " ".join(answer.sentences)) == (simple < theirs)


def test_the_shipped_promises_are_those_that_are_made():
    with example_path() as path:
        kept = path.parent / planned.FILE
        assert gzip.decompress(kept.read_bytes()).decode() == planned.promised(example_log())
        assert kept.stat().st_size < 10_000
