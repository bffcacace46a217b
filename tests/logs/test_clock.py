"""Times of a log on the clock of its place: as the standard library has them, and hours of the week by that clock."""

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, available_timezones

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq.simulation.engine.hours import HOURS
from mjq_logs import Log, OpenHours, Rules, learned_rules, load, summarize, with_rules, without_gaps
from mjq_logs.making.writing import as_swf
from mjq_logs.reading.clock import ahead, as_moment, dated, instants, local
from mjq_logs.replaying import replayed
from mjq_logs.rules.exposure import exposure
from mjq_logs.rules.hours import hours_of_week
from mjq_logs.rules.judging import waits_with
from tests.logs.test_rules import HOUR, NIGHT, asked

STOCKHOLM = "Europe/Stockholm"
SUMMER, AUTUMN = (datetime(2024, month, day, 1, tzinfo=UTC).timestamp() for month, day in ((3, 31), (10, 27)))
ZONES = STOCKHOLM, "US/Pacific", "Australia/Lord_Howe", "Asia/Kolkata", "America/Santiago"

pytestmark = pytest.mark.skipif(STOCKHOLM not in available_timezones(), reason="no time zones on this machine")


def placed(times, zone=STOCKHOLM, clock=0.0):
    """A log of jobs that come at these times."""
    times = np.asarray(times, dtype=float)
    return Log(np.ones(len(times)), np.full(len(times), 60.0), times, servers=1, clock=clock, zone=zone)


def planted(hours, **how):
    """Jobs that come on both sides of the end of summer time and start by these hours."""
    log = replace(asked(**how), clock=AUTUMN - 18 * 86_400, zone=STOCKHOLM)
    return replace(log, start=log.submit + np.round(waits_with(log, Rules(hours=hours))))


@given(zone=st.sampled_from(ZONES), second=st.integers(0, 4 * 10**9), clock=st.sampled_from([0, 843_480_031]))
def test_the_clock_of_a_place_is_that_of_the_standard_library(zone, second, clock):
    log = placed([0], zone, clock)
    there = datetime.fromtimestamp(second, ZoneInfo(zone))
    assert float(local(log, second - clock)) == there.replace(tzinfo=UTC).timestamp()
    without = (there.utcoffset() - there.dst()).total_seconds()
    assert float(ahead(log, second - clock, standard=True)) == clock + without


@given(zone=st.sampled_from(ZONES), second=st.integers(0, 4 * 10**9))
def test_the_date_of_a_time_is_that_time_but_in_the_hour_that_comes_twice(zone, second):
    log = placed([0], zone)
    date = datetime.fromtimestamp(second, ZoneInfo(zone))
    first = date.replace(fold=0).timestamp()
    assert as_moment(log, f"{date:%Y-%m-%dT%H:%M:%S}") == first
    assert as_moment(log, f"{date:%Y-%m-%dT%H:%M:%S%z}"[:-2] + ":" + f"{date:%z}"[-2:]) == second


def test_dates_that_no_clock_shows_are_refused_by_name():
    log = placed([0])
    with pytest.raises(ValueError, match=r"'2024-03-31 02:30' is left out by the clock of Europe/Stockholm"):
        as_moment(log, "2024-03-31 02:30")
    assert as_moment(log, "2024-03-31 03:00") - as_moment(log, "2024-03-31 01:59") == 60
    with pytest.raises(ValueError, match="'2024-03-31 02:30'"):
        instants(log, pl.Series(["5", None, "2024-03-31 02:30"]))


def test_dates_that_are_shown_can_be_given_again():
    log = placed([SUMMER - 60, SUMMER, AUTUMN + 7200])
    assert [dated(log, time) for time in log.submit] == ["2024-03-31 01:59", "2024-03-31 03:00", "2024-10-27 04:00"]
    assert instants(log, pl.Series([dated(log, time) for time in log.submit])).tolist() == log.submit.tolist()
    assert f"TimeZoneString: {STOCKHOLM}" in as_swf(log).decode()


@given(zone=st.sampled_from(ZONES), second=st.integers(0, 4 * 10**9))
def test_hours_of_the_week_are_those_of_the_place(zone, second):
    there = datetime.fromtimestamp(second, ZoneInfo(zone))
    assert int(hours_of_week(placed([0], zone), second)) % HOURS == 24 * there.weekday() + there.hour


def test_an_hour_that_comes_twice_counts_once_where_somebody_waited():
    """From Saturday 23:30, summer time, to Sunday 4:30, six hours later."""
    log = placed([AUTUMN - 3.5 * HOUR])
    log = replace(log, start=log.submit + 6 * HOUR, estimate=log.run, window=(log.begin, log.begin + 9 * HOUR))
    seen = exposure(log, np.array([np.inf]), np.empty(0))
    assert np.flatnonzero(seen.waited[0, 0]).tolist() == [143, 144, 145, 146, 147, 148]
    assert np.flatnonzero(seen.started[0, 0]).tolist() == [148]


@pytest.mark.parametrize("standard", [False, True])
def test_jobs_start_in_the_open_hours_of_their_clock(standard):
    """Those that do not wait while it is changed."""
    hours = replace(NIGHT, standard=standard)
    log = planted(hours)
    began = hours_of_week(log, log.start, standard) % HOURS
    long = log.estimate > 4 * HOUR
    change = AUTUMN - log.clock
    across = (log.submit < change) & (change < log.start)
    assert NIGHT.open[1][began[long & ~across]].all()
    other = hours_of_week(log, log.start[long & (log.submit < change)], not standard) % HOURS
    assert not NIGHT.open[1][other].all()


def test_a_log_without_a_change_is_that_with_a_constant_clock():
    log = asked(jobs=800)
    summer = replace(log, clock=SUMMER + 20 * 86_400, zone=STOCKHOLM)
    assert summer.end < AUTUMN - SUMMER - 30 * 86_400
    plain = replace(log, clock=summer.clock + 7200)
    rules = Rules(hours=NIGHT)
    assert np.array_equal(waits_with(summer, rules), waits_with(plain, rules))
    assert load(summer) == load(plain)
    standard = Rules(hours=replace(NIGHT, standard=True))
    assert np.array_equal(waits_with(summer, standard), waits_with(replace(plain, clock=summer.clock + 3600), rules))


def test_hours_that_are_always_open_change_nothing_over_a_change_of_the_clock():
    log = planted(None, jobs=1500)
    assert log.submit[0] < AUTUMN - log.clock < log.submit[-1]
    assert np.array_equal(waits_with(log, None), waits_with(log, Rules(hours=OpenHours.of({np.inf: ""}))))


def test_a_summary_has_the_clock_of_the_first_day():
    log = planted(None, jobs=1500)
    plain = replace(log, zone="", clock=log.clock + 7200)
    assert np.array_equal(summarize(log).profile, summarize(plain).profile)


@pytest.mark.parametrize("standard", [False, True])
def test_the_clock_that_was_planted_is_learned(standard):
    learned = learned_rules(planted(replace(NIGHT, standard=standard)))
    assert learned.rules.hours is not None and learned.rules.hours.standard == standard


def test_gaps_and_changes_of_the_clock_move_hours_together():
    """A gap that holds the end of summer time."""
    times = np.concatenate([np.arange(40) * 12 * HOUR, (40 * 12 + 400) * HOUR + np.arange(60) * 11 * HOUR])
    log = replace(placed(times), estimate=np.full(100, 5 * HOUR), clock=AUTUMN - 21 * 86_400)
    cut = without_gaps(log)
    assert cut.gaps
    made = replayed(with_rules(cut, Rules(hours=NIGHT)), 1).of_log()
    assert NIGHT.open[1][hours_of_week(cut, made.start + cut.begin) % HOURS].all()
    assert np.array_equal(local(cut, cut.submit), local(log, log.submit))
