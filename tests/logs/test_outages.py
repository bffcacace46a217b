"""Outages: inferred from gaps, given by calendars, and what loads and waits are without them."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mjq_logs
from mjq.simulation import replay
from mjq_logs import (
    Gap,
    Log,
    agreement,
    example_log,
    find_gaps,
    load,
    longest_pause,
    outages_in_words,
    read_log,
    time_with_a_job_that_fits,
    with_calendar,
    without_gaps,
)
from mjq_logs.reading.clock import original
from tests.conftest import said
from tests.logs.writing import RAW

pytestmark = pytest.mark.usefixtures("few_jobs")

HOUR, DAY, WEEK = 3600.0, 86_400.0, 604_800.0


def log_of(arrival, **columns):
    arrival = np.asarray(arrival, dtype=float)
    jobs = len(arrival)
    return Log(**{"need": np.ones(jobs), "run": np.full(jobs, 600.0), "submit": arrival, "servers": 2.0} | columns)


def small_cluster(weeks, rate, seed, days=5):
    """Jobs from 8 to 18 on working days, so many a day on average; none at night and at weekends."""
    rng = np.random.default_rng(seed)
    opened = [WEEK * week + DAY * day + 8 * HOUR for week in range(weeks) for day in range(days)]
    return np.sort(np.concatenate([begin + 10 * HOUR * rng.random(rng.poisson(rate)) for begin in opened]))


@pytest.mark.parametrize("days", [1, 5, 7])
@pytest.mark.parametrize("rate", [3, 20, 200])
def test_nights_weekends_and_long_weekends_are_no_outages(rate, days):
    for seed in range(5):
        arrival = small_cluster(52, rate, seed, days)
        bridge = (arrival // WEEK == 20) & (arrival % WEEK > 3 * DAY) & (days < 7)  # Thursday and Friday off
        assert find_gaps(log_of(arrival[~bridge])) == ()


@pytest.mark.parametrize("rate", [3, 20, 200])
def test_two_weeks_without_a_job_are_an_outage(rate):
    arrival = small_cluster(52, rate, 1)
    gone = (arrival > 20 * WEEK) & (arrival < 22 * WEEK)
    [gap] = find_gaps(log_of(arrival[~gone]))
    assert gap.begin <= 20 * WEEK + DAY and gap.end >= 22 * WEEK
    assert gap.end - gap.begin - gap.taken == longest_pause(log_of(arrival[~gone])) >= 3 * 62 * HOUR


def test_a_busy_machine_is_out_after_a_day():
    arrival = 60.0 * np.arange(50_000)
    assert longest_pause(log_of(arrival)) == DAY
    down = (arrival > 10 * DAY) & (arrival < 11 * DAY + 3600)
    [gap] = find_gaps(log_of(arrival[~down]))
    assert gap == Gap(10 * DAY, 11 * DAY + 3600, 3600.0)
    less = (arrival > 10 * DAY) & (arrival < 11 * DAY - 60)
    assert find_gaps(log_of(arrival[~less])) == ()


def test_a_log_of_less_than_four_weeks_does_not_tell():
    arrival = np.append(60.0 * np.arange(1000), 60.0 * np.arange(1000) + 26 * DAY)
    assert longest_pause(log_of(arrival)) is None and find_gaps(log_of(arrival)) == ()
    assert find_gaps(Log(need=np.ones(2), run=np.ones(2))) == ()


def test_a_machine_that_runs_is_not_down():
    """The same pause of four days: a job runs for all of it, for half of it, or nobody knows."""
    arrival = np.delete(HOUR * np.arange(1000), slice(401, 497))
    for days, taken in ((4.5, None), (2, 1 * DAY + HOUR)):
        run = np.full(len(arrival), 600.0)
        run[400] = days * DAY
        result = find_gaps(log_of(arrival, run=run, start=arrival))
        assert [gap.taken for gap in result] == ([] if taken is None else [taken])
    [unknown] = find_gaps(log_of(arrival, run=run))
    assert unknown.taken == 3 * DAY + HOUR
    [starts] = find_gaps(log_of(arrival, run=run, submits_are_starts=True))
    assert starts.taken == 1 * DAY + HOUR


def test_who_waits_through_an_outage_waits_less_without_it():
    arrival = np.delete(HOUR * np.arange(1000), slice(401, 497))
    start = arrival.copy()
    start[399] = arrival[401]
    cut = without_gaps(log_of(arrival, start=start))
    [gap] = cut.gaps
    assert gap.taken == 3 * DAY + HOUR - 600
    assert cut.wait[399] == start[399] - arrival[399] - gap.taken and cut.wait.sum() == cut.wait[399]


@st.composite
def logs_with_gaps(draw):
    """A job every half an hour or so for some weeks, and times in which nothing comes."""
    weeks, seed = draw(st.integers(5, 8)), draw(st.integers(0, 1000))
    rng = np.random.default_rng(seed)
    arrival = np.sort(rng.integers(0, weeks * 604_800, weeks * 336)).astype(float)
    for begin in draw(st.lists(st.integers(0, weeks * 7), max_size=3)):
        arrival = arrival[(arrival < begin * DAY) | (arrival > (begin + draw(st.integers(1, 5))) * DAY)]
    run = rng.integers(60, 20_000, len(arrival)).astype(float)
    return Log(need=rng.integers(1, 5, len(arrival)).astype(float), run=run, submit=arrival, servers=8.0, clock=1e9)


@settings(max_examples=10)
@given(logs_with_gaps())
def test_taking_gaps_out_moves_jobs_and_nothing_else(log):
    result, cut = find_gaps(log), without_gaps(log)
    assert np.array_equal(original(cut, cut.submit), log.submit)
    assert (np.diff(cut.submit) >= 0).all() and np.diff(cut.submit).max() <= max(DAY, longest_pause(log))
    span = np.ptp(cut.submit)
    assert span + sum(gap.taken for gap in result) == np.ptp(log.submit)
    whole = load(log)
    without = load(cut)
    assert without.load == pytest.approx(whole.load * np.ptp(log.submit) / span)
    assert without.load >= whole.load and set(without.by_month) <= set(whole.by_month)
    assert (cut is log) == (not result)
    assert np.array_equal(mjq_logs.plan(cut, 1e9, sizes=[8], workers=1).policies[0].sizes[0].load, without.load)
    assert find_gaps(cut) == ()


def test_loads_by_month_and_hour_leave_the_outage_out():
    """One server of two is busy whenever the machine is up, and it is down from 1 to 11 March."""
    arrival = HOUR * np.arange(90 * 24)
    begin = 59 * DAY
    there = (arrival <= begin) | (arrival >= begin + 10 * DAY)
    cut = without_gaps(log_of(arrival[there], run=np.full(there.sum(), HOUR), clock=0.0))
    [gap] = cut.gaps
    assert gap.taken == 9 * DAY
    result = load(cut)
    assert list(result.by_month) == ["1970-01", "1970-02", "1970-03"]
    assert result.by_month["1970-03"] == pytest.approx(0.5 * 21 / 22, rel=0.01)  # the day to which it is cut is idle
    assert all(0.45 < x <= 0.5 for x in result.by_hour.values())
    assert "1970-03-01 00:00 to 1970-03-11 00:00" in outages_in_words(cut)[0]


def test_the_load_by_a_calendar():
    """Two servers, of which one is up in the second half: a job of one server is there all the time."""
    log = with_calendar(log_of(HOUR * np.arange(101), run=np.full(101, HOUR)), [(50 * HOUR, 1)])
    assert load(log).load == pytest.approx(101 / 150)
    assert load(log).by_month == {"day 0": pytest.approx(101 / 150)}
    full = with_calendar(log, [(0, 2), (70, 2)])
    assert load(full).load == pytest.approx(101 / 200)
    clock = log_of(HOUR * np.arange(101), run=np.full(101, HOUR), clock=-50 * HOUR)
    by_month = load(with_calendar(clock, [(50 * HOUR, 1)])).by_month
    assert by_month == {"1969-12": pytest.approx(0.5), "1970-01": pytest.approx(51 / 50)}


def test_a_constant_calendar_changes_no_plan():
    log = example_log()
    same = with_calendar(log, [(0, log.servers), (1e6, log.servers)])
    plan, other = (mjq_logs.plan(machine, 1.0, ["easy"], [log.servers], workers=1) for machine in (log, same))
    assert plan.policies[0].sizes[0].waits == other.policies[0].sizes[0].waits and agreement(same) == agreement(log)
    assert load(same) == load(log).model_copy(update={name: pytest.approx(value) for name, value in load(log)})


def test_a_plan_by_a_calendar_is_a_replay_with_it():
    """On a machine of another size the same share is up; where jobs come faster, so does the calendar."""
    rng = np.random.default_rng(1)
    arrival = np.sort(rng.integers(0, 400, 200)) * 60.0 + 1000
    log = log_of(arrival, need=rng.integers(1, 5, 200).astype(float), run=rng.integers(60, 900, 200) * 1.0, servers=8.0)
    down = with_calendar(log, [(5000, 3), (9000, 8)])
    result = mjq_logs.plan(down, 1.0, ["easy"], [16], growth=2, workers=1).policies[0].sizes[0]
    steps = [((5000 - arrival[0]) / 2, 6), ((9000 - arrival[0]) / 2, 16)]
    own = replay((arrival - arrival[0]) / 2, log.need, log.run, None, 16, "easy", calendar=steps)
    assert result.waits.mean.value == pytest.approx(own.wait.mean() / HOUR) and own.wait.mean() > 0
    span = np.ptp(arrival)
    assert result.load == pytest.approx(2 * (log.need @ log.run) / (16 * span - 10 * 4000))
    less = mjq_logs.plan(with_calendar(log, [(5000, 3)]), 1.0, ["easy"], [8], workers=1).policies[0].sizes[0]
    assert less.too_large == (log.need > 3).sum() and less.waits is None


def test_servers_that_are_down_are_not_idle():
    columns = np.array([0, 3.0]), np.array([0, 1.0]), np.ones(2), np.array([4, 2.0]), 2.0
    down = with_calendar(log_of([0, 1], servers=2.0), [(2, 1), (3, 2)]).calendar
    assert time_with_a_job_that_fits(*columns) == pytest.approx(2 / 5)
    assert time_with_a_job_that_fits(*columns, down) == pytest.approx(1 / 5)


def test_a_calendar_is_of_the_times_of_the_file():
    arrival = np.delete(HOUR * np.arange(1000), slice(401, 497))
    with pytest.raises(ValueError, match="gaps have been taken out"):
        with_calendar(without_gaps(log_of(arrival)), [(0, 2)])


@pytest.mark.parametrize("command", ["capacity", "replay"])
def test_commands_leave_outages_out_or_keep_them_or_follow_a_calendar(command):
    log, result = read_log(RAW / "gap.csv", servers=4), {}
    up = "--calendar", "calendars/three-of-four.txt"
    for name, more in (("cut", ()), ("kept", ("--keep-gaps",)), ("calendar", up)):
        result[name] = json.loads(said(command, "gap.csv", "--servers", "4", *more, "--json", cwd=RAW).out)["policies"]
    if command == "replay":
        own = replay(log.submit, log.need, log.run, None, 4, "easy", calendar=[(1_000_000, 3), (2_000_000, 4)])
        assert result["calendar"][0]["mean wait [s]"] == pytest.approx(own.wait.mean())
        return
    for policy in ("fcfs", "easy"):
        of = {name: report[policy] for name, report in result.items()}
        loads = {name: report["load"]["load"] for name, report in of.items()}
        assert loads["cut"] == pytest.approx(load(without_gaps(log)).load)
        assert loads["kept"] == pytest.approx(load(log).load)
        assert loads["cut"] > loads["kept"] < loads["calendar"]
        assert of["cut"]["capacities"] == of["kept"]["capacities"]
