"""Intervals from one log: by their laws, where waits are near zero, and when there must be none."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from mjq_logs import Log, intervals, what_if, with_exact_estimates
from mjq_logs.questions.waits import interval, measured, surely_below, wait_statistics
from tests.conftest import said
from tests.logs.writing import as_swf

DAY = 86_400.0
SHOWN = re.compile(r"\(([-+.e\d]+) to ([-+.e\d]+)\)")


def daily(days, seed=1, drift=0.0, memory=14.0, jobs=30, hours=0.5, servers=6.0):
    """A log of so many jobs a day, half of them of one server and half of three; its load may drift."""
    rng = np.random.default_rng(seed)
    stays, level = np.exp(-1 / memory), [0.0]
    for noise in rng.standard_normal(days - 1):
        level.append(stays * level[-1] + np.sqrt(1 - stays**2) * noise)
    counts = rng.poisson(jobs * np.exp(drift * np.array(level)))
    arrival = np.sort(np.repeat(np.arange(days), counts) + rng.random(counts.sum()))
    run = 3600 * hours * rng.exponential(size=len(arrival))
    estimate = run * rng.uniform(1, 5, len(arrival))
    need, submit = rng.choice([1.0, 3.0], len(arrival)), DAY * arrival
    return Log(need=need, run=run, submit=submit, estimate=estimate, servers=servers, clock=0.0)


# --- The interval of a percentile ---


@pytest.mark.parametrize(("hits", "jobs"), [(0, 40), (1, 40), (20, 40), (40, 40), (100, 1000)])
def test_the_interval_of_a_share_is_that_of_wilson(hits, jobs):
    known = binomtest(hits, jobs).proportion_ci(method="wilson")
    assert np.allclose(intervals._wilson(hits / jobs, jobs), (known.low, known.high), rtol=1e-9, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([10.0, 50.0, 75.0, 90.0, 95.0]), st.floats(0.0, 0.99))
def test_the_ends_of_a_percentile_are_values_of_the_log_around_it(seed, percentile, idle):
    rng = np.random.default_rng(seed)
    series = rng.exponential(size=2000) * (rng.random(2000) >= idle)
    ends = intervals.of_percentile(series, percentile, 1000.0)
    assert ends is not None and set(ends) <= set(series)
    assert ends[0] <= intervals.quantile(series, percentile) <= ends[1]
    # They say less where the jobs are worth less, and are in the unit of the values.
    fewer = intervals.of_percentile(series, percentile, 100.0)
    assert fewer[0] <= ends[0] and ends[1] <= fewer[1]
    assert np.allclose(intervals.of_percentile(60 * series, percentile, 1000.0), 60 * np.array(ends))


def test_shorter_waits_do_not_make_a_percentile_less_sure():
    """As fewer and fewer of the same jobs wait, the upper end falls to nothing."""
    rng = np.random.default_rng(2)
    wait, place = rng.exponential(size=4000), rng.random(4000)
    highs = [intervals.of_percentile(wait * (place < share), 90, 400.0)[1] for share in np.linspace(0.5, 0, 60)]
    assert max(np.diff(highs)) < 0.05 * highs[0] and highs[-1] == 0


def test_where_some_parts_of_a_log_have_no_waits_the_interval_is_as_long_as_its_waits():
    """A logarithmic scale would reach from 1e-16 to 1e+11 hours here."""
    rng = np.random.default_rng(3)
    wait = np.where(rng.random(4000) < np.repeat([0.04, 0.1, 0.12, 0.04], 1000), rng.exponential(size=4000), 0.0)
    result = measured(wait, 1000.0)
    low, high = result.ends
    assert low == 0 and 0.1 < high < wait.max()
    assert interval(result, "percentile") is None  # it begins at nothing
    assert surely_below(result, wait.max()) and surely_below(result, 0.1) is None


# --- When there is none ---


@given(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3), st.floats(0, 10))
def test_an_interval_says_nothing_if_it_is_a_hundred_times_as_wide_or_too_small(first, second, least):
    low, high = sorted((first, second))
    tells = intervals.tells(low, high, least)
    assert tells == intervals.tells(-high, -low, least)
    if low > 0:
        assert tells == (low >= least and high <= 100 * low)
    elif high >= 0:
        assert tells == (max(-low, high) >= least)


def test_an_interval_of_a_mean_is_at_most_a_hundredfold():
    for half, known in ((0.5, True), (1.8, True), (1.9, False), (300.0, False)):
        ends = intervals.Blocks(2.0, [2.0] * 4, half).interval(intervals.UPWARD)
        assert (ends is not None) == known
        if ends is not None:
            assert ends[1] / ends[0] <= intervals.WIDEST_RATIO and np.allclose(
                np.log(ends) - np.log(2), [-half, 1.5 * half]
            )


def test_a_log_is_worth_the_days_on_which_its_work_is_independent():
    for seed in range(4):
        even, drifts = (intervals.worth(x.need, x.run, x.submit) for x in (daily(300, seed), daily(300, seed, 0.6)))
        assert 200 < even.number <= 300 and not even.why
        assert drifts.number < 75 and "independent days" in drifts.why
    short = daily(60)
    assert "independent days" in intervals.worth(short.need, short.run, short.submit).why


def test_weekends_are_no_drift():
    log = daily(400)
    weekday = log.submit // DAY % 7 < 5
    fewer = [column[weekday | (np.arange(len(log)) % 10 == 0)] for column in (log.need, log.run, log.submit)]
    assert intervals.worth(*fewer).number > 200


def test_what_a_log_is_worth_does_not_depend_on_units():
    log = daily(200)
    known = intervals.worth(log.need, log.run, log.submit)
    for result in (
        intervals.worth(8 * log.need, log.run, log.submit), intervals.worth(log.need, log.run / 60, log.submit),
        intervals.worth(log.need, log.run, log.submit + 1e9),
    ):  # fmt: skip
        assert result.number == pytest.approx(known.number)


def test_where_five_jobs_decide_there_is_no_interval():
    log = daily(300)
    share = np.sort(log.need * log.run**2)[::-1]
    assert share[:5].sum() / share.sum() < intervals.MOST_OF_FIVE
    for factor, known in ((1.0, True), (60.0, False)):
        run = log.run.copy()
        run[1000:1005] = factor * run.mean()
        result = intervals.worth(log.need, run, log.submit)
        assert (result.number > 0) == known == (not result.why)
    (five,) = re.findall(r"five jobs bring (\d+) %", result.why)
    parts = np.sort(log.need * run**2)[::-1]
    assert abs(int(five) - 100 * parts[:5].sum() / parts.sum()) <= 0.5


@pytest.mark.parametrize(("jobs", "sure"), [(20, None), (75, None), (77, True), (400, True)])
def test_nobody_waits_only_if_the_log_is_long_enough_to_say_so(jobs, sure):
    """One server, a job of a minute each day: with how many days is it sure that 90 % do not wait?"""
    log = Log(need=np.ones(jobs), run=np.full(jobs, 60.0), submit=DAY * np.arange(jobs), servers=1)
    result = wait_statistics(log, 1)
    assert result.percentile.value == 0 and surely_below(result, 0.0) is sure
    assert interval(result, "percentile") is None and interval(result, "mean") is None


# --- In plans ---


def hollow(text):
    """The printed intervals that say nothing: a hundredfold or more, or below a minute."""
    ends = [(float(low), float(high)) for low, high in SHOWN.findall(text)]
    assert ends
    return [
        (low, high)
        for low, high in ends
        if (low >= 0 and (low < 0.995 / 60 or high > 101 * low)) or (low < 0 <= high < 1 / 60 and low > -1 / 60)
    ]


def test_no_printed_interval_is_hollow_and_met_is_not_lost_when_a_server_is_added(tmp_path):
    path = as_swf(daily(500, jobs=60, hours=1.0), tmp_path / "log.swf")
    asked = "--target-wait", "20min", "--servers", "5:14:10", "--estimates", "exact", "--workers", 1
    status, out, _ = said("plan", path, *asked, "--full")
    assert status == 0 and not hollow(out)
    verdicts = re.findall(r"^(\d+) +\d+\.\d+ .*?(met|missed)(, not surely)?", out, re.M)
    assert len(verdicts) == 10
    sure = [word == "met" and not doubt for _, word, doubt in verdicts]
    assert sure == sorted(sure) and sure[-1] and not sure[0]


def test_what_changes_save_is_not_told_within_a_minute_or_over_a_hundredfold():
    for servers in (4.0, 6.0, 10.0, 14.0):
        log = replace(daily(300, jobs=60, hours=1.0), servers=servers)
        (row,) = what_if(log, [with_exact_estimates(log)])
        for saved in (row.saves.mean, row.saves.percentile, row.response):
            if saved.low is not None:
                assert max(abs(saved.low), abs(saved.high)) >= 1 / 60
                least, most = sorted((abs(saved.low), abs(saved.high)))
                assert saved.holds_zero or most <= 100 * least
