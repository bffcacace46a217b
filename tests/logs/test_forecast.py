"""Forecasts of starts: equal to their slow definition, blind to the future, and as good as they say."""

import json
import re
from dataclasses import replace

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq.simulation import replay
from mjq_logs import Log, forecast_starts, read_log, with_calendar
from mjq_logs.answers import ForecastRecord, HeldLately, StartForecast, Within
from mjq_logs.forecast.by_rule import BEFORE, drawn, waits_by_rule, waits_one_by_one
from mjq_logs.forecast.correction import HALF_LIFE, Correction, farther, independent, quantiles
from mjq_logs.forecast.growth import queue_at, waiting_work
from mjq_logs.forecast.nearest import (
    ALONE,
    LEVELS,
    NEAREST,
    PLACES,
    SHARES,
    WEIGHTS,
    Past,
    crps,
    interval,
    place,
)
from mjq_logs.forecast.record import features, lately, numbers, past_of, record_of
from mjq_logs.forecast.starts import intervals_in_doubt
from mjq_logs.forecast.state import Alike, history
from mjq_logs.forecast.table import pooled, usual
from mjq_logs.intervals import effective_number
from mjq_logs.scale import off_scale, on_scale
from tests.conftest import said
from tests.logs.writing import as_table


def made(jobs, seed=1, servers=16.0, policy="easy", load=0.8):
    """A log that was replayed: half of its jobs repeat the one before."""
    rng = np.random.default_rng(seed)
    need, run = rng.choice([1.0, 2, 4, 8, 16], jobs, p=[0.4, 0.2, 0.2, 0.15, 0.05]), rng.lognormal(6, 1.5, jobs).round()
    for k in np.flatnonzero(rng.random(jobs) < 0.5)[1:]:
        need[k], run[k] = need[k - 1], run[k - 1]
    limit = 600.0 * 2 ** np.ceil(np.maximum(0, np.log2(run * rng.uniform(1, 4, jobs) / 600)))
    run = np.minimum(run, limit)
    gaps = rng.exponential(need @ run / (jobs * servers * load), jobs)
    come = np.cumsum(gaps).round()
    start = replay(come, need, run, limit, servers, policy).start
    return Log(need=need, run=run, submit=come, start=start, estimate=limit, servers=servers)


@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative", "first-fit", "least-servers-first"])
def test_all_draws_in_one_replay_are_equal_to_a_replay_each(policy):
    jobs = history(made(400, policy=policy), policy)
    for number in (30, 200, 399):
        for need, limit in ((1.0, 600.0), (16.0, 7200.0)):
            what = drawn(jobs, jobs.at(jobs.arrival[number], number), need, limit, 8, np.random.default_rng(number))
            apart = waits_by_rule(what, 16, policy) - waits_one_by_one(what, 16, policy)
            assert np.abs(apart).max() < 1e-6, number  # seconds: most draws begin late on the clock of all


@pytest.mark.parametrize("policy", ["fcfs", "easy", "first-fit"])
def test_with_what_came_the_replay_goes_on_as_the_log_did(policy):
    """The state, and true run times and arrivals in place of those drawn, give the start that the log has."""
    log = made(800, seed=3, policy=policy)
    jobs = history(log, policy)
    for number in range(100, 700, 23):
        state = jobs.at(jobs.arrival[number], number)
        what = drawn(jobs, state, jobs.need[number], jobs.limit[number], 1, np.random.default_rng(0), later=0)
        there, later = np.concatenate([state.running, state.waiting, [number]]), np.arange(number + 1, len(log))
        age = np.where(np.arange(len(there)) < len(state.running), state.time - jobs.start[there] - BEFORE, 0.0)
        every = np.concatenate([there, later])
        left = np.concatenate([age, np.zeros(len(later))])
        what = what._replace(
            arrival=np.append(what.arrival[0], jobs.arrival[later] - state.time)[None],
            need=jobs.need[every][None],
            run=(jobs.run[every] - left)[None],
            limit=(jobs.limit[every] - left)[None],
        )
        assert waits_by_rule(what, 16, policy) == jobs.start[number] - jobs.arrival[number]


def with_half_down(log):
    """The log with a calendar: in the middle half of its time half of the servers are down."""
    first, last = log.submit[0], log.submit[-1]
    quarter = (last - first) / 4
    return with_calendar(log, [(first + quarter, log.servers / 2), (last - quarter, log.servers)])


@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative"])
def test_draws_on_the_servers_that_are_up(policy):
    jobs = history(with_half_down(made(400, policy=policy)), policy)
    for number in range(110, 290, 30):
        what = drawn(jobs, jobs.at(jobs.arrival[number], number), 4.0, 3600.0, 8, np.random.default_rng(number))
        assert what.up == 8
        apart = waits_by_rule(what, 16, policy) - waits_one_by_one(what, 16, policy)
        assert np.abs(apart).max() < 1e-6, number


def test_a_calendar_of_all_servers_changes_no_forecast_and_fewer_servers_make_jobs_wait_longer():
    """Under first come, first served, where nobody overtakes, and with needs that always fit."""
    log = made(600, seed=5, policy="fcfs")
    log = replace(log, need=np.minimum(log.need, 8), start=None)
    histories = [history(one, "fcfs") for one in (log, with_calendar(log, [(0.0, 16.0)]), with_half_down(log))]
    one, same, less = (
        [features(jobs, jobs.arrival[k], k, 4.0, 3600.0, "fcfs")[0] for k in range(170, 430, 20)] for jobs in histories
    )
    assert np.array_equal(one, same)
    assert (np.array(less) >= one).mean() > 0.9 and np.mean(less) > np.mean(one) + 1


def test_a_job_that_needs_more_than_is_up_is_refused(few_draws):
    log = with_half_down(made(400))
    with pytest.raises(ValueError, match="need 16 exceeds the 8 servers that are up at this time by the calendar"):
        forecast_starts(log, 16, 1.0, at=float(log.submit[200]))
    assert forecast_starts(log, 16, 1.0, at=float(log.submit[-1])).forecasts[0].by_rule >= 0


def test_the_state_is_who_runs_and_who_waits():
    log = Log(np.ones(4), np.full(4, 10.0), np.array([0.0, 1, 2, 3]), start=np.array([0.0, 5, 12, 15]),
              estimate=np.full(4, 20.0), servers=2)  # fmt: skip
    state = history(log, "easy").at(12.0, 4)
    assert (state.running.tolist(), state.waiting.tolist()) == ([1], [2, 3])


def test_jobs_alike_are_the_latest_that_had_passed_the_point():
    rng = np.random.default_rng(2)
    need, limit, passed = rng.choice([1, 2, 3, 8], 300), rng.choice([60.0, 100, 120, 4000], 300), rng.random(300)
    passed[::7] = np.inf
    jobs = Alike(need, limit, passed)
    wide, long = np.floor(np.log2(need)), np.floor(np.log2(limit))
    for time, one, most in ((0.5, 3.0, 100.0), (0.9, 8.0, 4000.0), (2.0, 1.0, 61.0)):
        near, like = wide == np.floor(np.log2(one)), long == np.floor(np.log2(most))
        for found, kind in zip(jobs.by(time, one, most, 20), (near & (limit == most), near & like, like, near | True),
                               strict=True):  # fmt: skip
            expected = np.flatnonzero(kind & (passed <= time))
            assert found.tolist() == expected[np.argsort(passed[expected])][-20:].tolist()


def test_remaining_times_are_drawn_from_jobs_that_ran_longer():
    log = made(500)
    jobs = history(log, "easy")
    assert (jobs.runs_alike(jobs.arrival[-1], 2.0, 1200.0, 400.0) > 400).all()
    assert jobs.runs_alike(jobs.arrival[-1], 2.0, 1200.0, 1e9).tolist() == [1e9 + 60]
    assert jobs.runs_alike(0.0, 2.0, 1200.0).tolist() == [1200.0]


def test_places_are_uniform_and_scores_are_those_of_the_definition():
    rng = np.random.default_rng(5)
    places = [place(np.maximum(0, rng.normal(size=9)), max(0, rng.normal()), rng) for _ in range(4000)]
    assert np.abs(np.histogram(places, 10, (0, 1))[0] - 400).max() < 100
    sample = np.sort(rng.random((3, 7)), axis=1)
    slow = [np.abs(x - 0.4).mean() - np.abs(x[:, None] - x).mean() / 2 for x in sample]
    assert np.allclose(crps(sample, 0.4), slow)
    assert np.allclose(off_scale(on_scale(np.array([0, 60.0, 1e6]))), [0, 60, 1e6])


def test_the_nearest_are_those_of_a_slow_definition():
    past, rng = drifting(300), np.random.default_rng(8)
    seen, rule, last = past.at(280, past.time[280]), past.rule[280] + 0.1, float(rng.random())
    for row, weight in zip(past.waits(seen, rule, last)[:ALONE], WEIGHTS, strict=True):
        far = [weight * np.mean(np.abs(past.rule[k] - rule)) + (1 - weight) * abs(past.last[k] - last) for k in seen]
        near = [seen[i] for i in np.argsort(far, kind="stable")[:NEAREST]]
        slow = [max(0, past.wait[k] + weight * (np.median(rule) - np.median(past.rule[k]))) for k in near]
        assert np.allclose(row, np.sort(slow))
    alone = past.waits(seen, rule, last)[ALONE]
    assert (alone >= rule[0]).all() and (alone <= rule[-1]).all() and (np.diff(alone) >= 0).all()
    assert np.median(alone) == pytest.approx(np.median(rule))


def test_the_nearest_are_enough_for_each_interval():
    """An interval has ends between the shortest and the longest wait: else it would hold less than it says."""
    assert all(PLACES[0] < 0.5 - share / 200 and 0.5 + share / 200 < PLACES[-1] for share in SHARES)


# --- Corrected by earlier misses --------------------------------------------------------------------------------------


def drifting(jobs, growth=1.0, gap=1e7, bias=0.0, noise=0.5, seed=1, batch=1, wave=None):
    """Forecasts of the past without a log: the rule is off by a bias, and the waits grow on the scale by so much.

    A job comes after each gap [s]; if that is long, all have started before the next one comes. The jobs of a batch
    come at once, and miss alike. A wave is one more miss, of the part of the jobs that have come.
    """
    rng, number = np.random.default_rng(seed), np.arange(jobs)
    expected = rng.gamma(2.0, 1.0, jobs)
    rule = np.maximum(0, expected[:, None] + noise * np.linspace(-1.6, 1.6, len(LEVELS)))
    miss = bias + growth * number / jobs + noise * rng.normal(size=jobs)[number // batch * batch]
    if wave is not None:
        miss = miss + wave(number / jobs)
    wait = np.maximum(0, expected + miss)
    time = gap * (number // batch * batch)
    return Past(number, time, time + off_scale(wait), rule, rng.gamma(2.0, 1.0, jobs), wait, jobs / 9)


def kaplan_meier(misses, known, weights, place):
    """The definition: the chance to be beyond each known miss, given that one is not below it; one after the other."""
    beyond = 1.0
    for k in sorted(range(len(misses)), key=lambda k: (misses[k], not known[k])):
        at_risk = sum(
            weights[i] for i in range(len(misses)) if (misses[i], not known[i], i) >= (misses[k], not known[k], k)
        )
        beyond *= 1 - known[k] * weights[k] / at_risk
        if 1 - beyond >= place - 1e-9:
            return misses[k]
    return max(misses)


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.booleans(), st.sampled_from([0.25, 0.5, 1.0])), min_size=1, max_size=12)
)
def test_quantiles_of_misses_are_those_of_the_definition(rows):
    misses, known, weights = (list(column) for column in zip(*rows, strict=True))
    places = np.array([0.1, 0.5, 0.83])
    fast = quantiles(np.tile(np.array(misses, dtype=float), (3, 1)), np.array(known), np.array(weights), places)
    assert fast.tolist() == [kaplan_meier(misses, known, weights, place) for place in places]


def test_quantiles_of_known_misses_are_the_usual_ones():
    misses, places = np.random.default_rng(3).normal(size=(4, 99)), np.array([0.05, 0.3, 0.5, 0.95])
    fast = quantiles(misses, np.ones(99, dtype=bool), np.ones(99), places)
    usually = [np.quantile(row, place, method="inverted_cdf") for row, place in zip(misses, places, strict=True)]
    assert fast.tolist() == usually


@pytest.mark.parametrize("gap", [1e7, 10.0])
def test_a_corrected_forecast_is_that_of_the_slow_definition(gap):
    """It looks at the whole past, job by job and place by place."""
    past = drifting(420, gap=gap)
    number, time, way = 400, past.time[400], 1
    made = np.isfinite(past.forecasts[:, way, 0])
    jobs = [k for k in range(len(past.number)) if number / 2 <= past.number[k] < number and made[k]]
    known = [bool(past.known[k] < time) for k in jobs]
    weights = [0.5 ** (sum(known[i + 1 :]) / HALF_LIFE) for i in range(len(jobs))]
    waits, slow, above = past.forecasts[400, way], [], [(past.forecasts[k, way] < past.wait[k]).mean() for k in jobs]
    kish = sum(w for w, yes in zip(weights, known, strict=True) if yes) ** 2
    kish /= sum(w * w for w, yes in zip(weights, known, strict=True) if yes)
    worth = kish * effective_number([x for x, yes in zip(above, known, strict=True) if yes]) / sum(known)
    assert 10 < worth < kish + 1e-9
    for i, share in enumerate(0.5 + (PLACES - 0.5) * (1 + 1 / worth)):
        so_far = [past.wait[k] if yes else on_scale(time - past.time[k]) for k, yes in zip(jobs, known, strict=True)]
        misses = [float(y - past.forecasts[k, way, i]) for y, k in zip(so_far, jobs, strict=True)]
        slow.append(max(0, waits[i] + kaplan_meier(misses, known, weights, share)))
    assert all(known) == (gap > 10)
    assert np.allclose(Correction(past).moved(waits, way, number, time), sorted(slow))


def test_one_more_number_is_below_a_quantile_as_often_as_it_says():
    """However few the numbers are, as long as they have a k-th of n for the place."""
    rng = np.random.default_rng(4)
    for number in (9, 19, 49):
        rows = rng.random((20_000, number))
        fast = quantiles(rows, np.ones(number, dtype=bool), np.ones(number), farther(np.full(20_000, 0.9), number))
        assert (rng.random(20_000) < fast).mean() == pytest.approx(0.9, abs=0.01)


@pytest.mark.parametrize("times", [1, 4, 16])
def test_misses_that_are_repeated_count_once(times):
    misses = np.random.default_rng(6).random((40, 512)) - 0.5
    misses = np.repeat(misses[:, ::times], times, axis=1)
    number = independent(misses, np.ones(512))
    assert 0.6 * 512 / times < number <= min(512, 1.4 * 512 / times)
    weights = np.r_[np.zeros(256), np.ones(256)]
    assert independent(misses, weights) == pytest.approx(number / 2)
    assert independent(np.zeros((40, 512)), np.ones(512)) == 512  # all are right, and nothing depends on anything


def held(waits, past, jobs, share):
    """How often the wait lay in an interval of a share."""
    rng = np.random.default_rng(2)
    places = np.array([place(each, past.wait[k], rng) for each, k in zip(waits, jobs, strict=True)])
    return (np.abs(places - 0.5) <= share / 200).mean()


@pytest.mark.parametrize(("way", "bias"), [(0, 0.0), (1, 1.0), (ALONE, 1.0)])
def test_corrected_intervals_hold_what_they_say_while_waits_grow(way, bias):
    """The waits grow a hundredfold, and the rule knows nothing of it."""
    past = drifting(1400, growth=4.6, bias=bias)
    jobs = range(700, 1400, 3)
    correction = Correction(past)
    after = [correction.moved(past.forecasts[k, way], way, k, past.time[k]) for k in jobs]
    assert held(past.forecasts[jobs, way], past, jobs, 80) < 0.72
    assert 0.74 < held(after, past, jobs, 80) < 0.86
    assert held(after, past, jobs, 95) > 0.9


KINDS = {
    "stationary": lambda part: 0 * part,
    "growing": lambda part: 3 * part,
    "shrinking": lambda part: -3 * part,
    "shifting": lambda part: 1.5 * ((4 * part).astype(int) % 2),
}


@pytest.mark.parametrize("batch", [1, pytest.param(25, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
def test_corrected_intervals_hold_what_they_say_whatever_comes(kind, batch, monkeypatch):
    """The waits grow, shrink or shift on the scale, and the rule knows nothing of it; jobs of a batch miss alike.

    With batches one miss counts 25 times. If each job counted by itself, the intervals would hold less.
    """
    shares = {True: [], False: []}
    for seed in range(2 if batch == 1 else 6):
        past = drifting(1000, growth=0.0, gap=1e5, seed=seed, batch=batch, wave=KINDS[kind])
        jobs = range(500, 1000, 4 if batch == 1 else 2)
        for each in (True, False) if batch > 1 else (False,):
            with monkeypatch.context() as patch:
                if each:
                    patch.setattr("mjq_logs.forecast.correction.independent", lambda misses, weights: np.inf)
                correction = Correction(past)
                waits = [correction.moved(past.forecasts[k, 0], 0, k, past.time[k]) for k in jobs]
            shares[each].append(held(waits, past, jobs, 80))
    assert 0.74 < np.mean(shares[False]) < 0.86
    assert batch == 1 or np.mean(shares[True]) < np.mean(shares[False]) - 0.02


def test_forecasts_that_are_right_stay_right():
    past, jobs = drifting(1400, growth=0.0), range(700, 1400, 3)
    correction = Correction(past)
    after = np.array([correction.moved(past.forecasts[k, 0], 0, k, past.time[k]) for k in jobs])
    assert 0.76 < held(past.forecasts[jobs, 0], past, jobs, 80) < 0.84 and 0.76 < held(after, past, jobs, 80) < 0.84
    assert np.abs(after - past.forecasts[jobs, 0]).mean() < 0.15  # of waits whose deviation is 0.5


def test_jobs_that_still_wait_lend_their_errors():
    """All that came lately wait, longer than the others did; the forecast is longer than without them."""
    past = drifting(420, growth=0.0)
    known, time = past.known.copy(), past.time[400]
    known[340:] = np.inf
    waiting = replace(past, known=known, wait=np.where(np.isfinite(known), past.wait, np.inf))
    gone = replace(waiting, time=np.where(np.isfinite(known), past.time, time))  # they have waited for no time
    waits = past.forecasts[400, 0]
    longer, shorter = (Correction(each).moved(waits, 0, 400, time) for each in (waiting, gone))
    assert np.median(longer) > np.median(shorter) + 0.1 and longer[-4] > shorter[-4] + 0.5


def test_what_is_not_known_yet_corrects_nothing():
    """Jobs that wait at the time start later, and just when the replays say, or just when they do not."""
    past, answers = drifting(1200, gap=20.0, bias=1.0), []
    time = past.time[600]
    later = past.known >= time
    rule = np.median(past.rule, axis=1)
    assert 50 < later[400:600].sum() < 150
    for wait in (past.wait, np.where(later, rule + 3, past.wait), np.where(later, rule, past.wait)):
        known = np.where(later, np.maximum(time, past.time + off_scale(wait)), past.known)
        correction = Correction(replace(past, wait=wait, known=known))
        answers.append((correction.forecast(600, time, past.rule[600], 1.0), correction.way(2, 600, time)))
    for (before, after, weight, alone), way in answers[1:]:
        assert np.array_equal(before, answers[0][0].before) and np.array_equal(after, answers[0][0].after)
        assert (weight, alone, way) == (*answers[0][0][2:], answers[0][1])


def test_replays_alone_are_used_where_they_have_been_clearly_better():
    """A rule that knows each wait but for a little is; one that has said something else lately is not."""
    rng = np.random.default_rng(5)
    past, jobs = drifting(600), range(560, 600, 3)
    wait = 4 + 2 * rng.random(600)
    spread = np.linspace(-0.01, 0.01, len(LEVELS))
    exact = replace(past, wait=wait, rule=wait[:, None] + spread + 0.3 * rng.random((600, 1)))
    lately_wrong = replace(
        exact, rule=np.where(np.arange(600)[:, None] < 400, exact.rule, 1 + rng.random((600, 1)) + spread)
    )
    for each, expected in ((lately_wrong, 4), (exact, ALONE)):
        correction = Correction(each)
        ways = {correction.way(4, k, each.time[k]) for k in jobs}
        assert ways == {expected}


def test_forecasts_of_the_past_are_made_for_the_same_jobs_however_long_the_log_is():
    assert numbers(0, 1000) == list(range(1000))
    assert numbers(700, 5000) == [j for j in numbers(0, 9999) if 700 <= j < 5000]
    assert all(450 <= len(numbers(n, 2 * n)) <= 1000 for n in (500, 777, 5000, 123_456))


@pytest.mark.parametrize("gap", [1e7, 300.0])
def test_the_intervals_that_held_lately_are_those_of_the_definition(gap):
    """Each upper end is compared with the time, and each wait with its interval, one after the other."""
    past = drifting(700, growth=0.0, gap=gap)
    correction, number, time = Correction(past), 600, past.time[600]
    recent = lately(correction, number, time)
    held = []
    for k in range(400, 600):
        waits = correction.forecast(k, past.time[k], past.rule[k], past.last[k]).after
        low, high = interval(waits, 80)
        if past.time[k] + off_scale(high) < time:
            held.append(low <= past.wait[k] <= high)
    assert (recent.made, recent.ended, recent.forecasts) == (200, len(held), 100)
    assert (len(held) == 200) == (gap > 300) and recent.hours < (time - past.time[400]) / 3600
    assert abs(recent.held - sum(held[-100:])) <= 5  # ends that are equal to waits are counted by chance


def test_jobs_that_still_wait_beyond_their_interval_count_as_misses_and_the_future_does_not():
    past = drifting(700, growth=0.0, gap=300.0)
    time, late = past.time[600], past.time > past.time[450]
    recent = lately(Correction(past), 600, time)
    never = replace(past, known=np.where(late, np.inf, past.known), wait=np.where(late, np.inf, past.wait))
    assert lately(Correction(never), 600, time).held < recent.held - 30
    unknown = past.known >= time
    other = replace(
        past,
        known=np.where(unknown, past.known + 1e6, past.known),
        wait=np.where(unknown, on_scale(past.known + 1e6 - past.time), past.wait),
    )
    assert unknown[:600].sum() >= 5 and lately(Correction(other), 600, time) == recent
    assert lately(Correction(past), 60, past.time[60]) is None


def recent_of(made=200, ended=200, forecasts=100, held=80):
    return HeldLately(made=made, ended=ended, forecasts=forecasts, held=held, hours=48.0)


def record_with(share):
    rest = dict.fromkeys(
        (*(f"error{x}" for x in ("", "_before", "_of_mean", "_of_last", "_of_rule")), "weight_of_rule"), 1
    )
    within = {"50": 0.5, "80": share, "95": 0.95}
    return ForecastRecord(forecasts=300, within=within, within_before=within, rule_alone=0, **rest)


@pytest.mark.parametrize(
    ("share", "recent", "words"),
    [
        (0.8, recent_of(), None),
        (0.8, None, None),
        (0.8, recent_of(held=61), "held 61 of the latest 100 starts, those of the last 48 h. .* too narrow, and none"),
        (0.8, recent_of(held=95), "held 95 of the latest 100 starts.* wider than need be"),
        (0.8, recent_of(ended=0, forecasts=0, held=0), "0 of 200 have ended so far.* no interval below is promised"),
        (0.8, recent_of(ended=99, forecasts=99), "99 of 200 have ended so far"),
        (0.66, recent_of(), "held 66 % of the 300 starts that were forecast in the last third of the log.* too narrow"),
        (0.9, None, "held 90 % of the 300 starts.* wider than need be"),
    ],
)
def test_intervals_that_do_not_hold_are_doubted(share, recent, words):
    doubts = intervals_in_doubt(record_with(share), recent)
    assert len(doubts) == (words is not None) and (words is None or re.search(words, doubts[0]))
    assert intervals_in_doubt(None, None) == []


@pytest.fixture(scope="module")
def log():
    return made(420)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return tmp_path_factory.mktemp("forecasts")


def test_nothing_later_than_the_time_is_used(log, few_draws):
    """The future is changed: later jobs are others, and those that run or wait end and start at other times."""
    time, at = log.submit[336], 336
    rng = np.random.default_rng(9)
    need, run, start, limit = log.need.copy(), log.run.copy(), log.start.copy(), log.estimate.copy()
    need[at + 1 :], limit[at + 1 :] = need[at + 1 :][::-1], 2 * limit[at + 1 :]
    going = start + run > time
    run[going] = np.maximum(run[going], time - start[going]) + rng.exponential(5000, going.sum())
    start[start >= time] += rng.exponential(3000, (start >= time).sum())
    other = replace(log, need=need, run=run, start=start, estimate=limit)
    both = [forecast_starts(one, [4, 16], [1, 8], at=time) for one in (log, other)]
    assert both[0].forecasts == both[1].forecasts and both[0].weight_of_rule == both[1].weight_of_rule
    assert both[0].record != both[1].record
    longer = replace(log, **{name: getattr(log, name)[:380] for name in ("need", "run", "submit", "start", "estimate")})
    assert forecast_starts(longer, [4, 16], [1, 8], at=time).forecasts == both[0].forecasts


def test_the_record_tells_how_good_forecasts_were(log, few_draws):
    jobs = history(log, "easy")
    past = past_of(jobs, "easy", 2 / 27 * len(log), len(log))
    record = record_of(jobs, Correction(past))
    assert record.forecasts == len(numbers(280, 420))
    for held in (record.within, record.within_before):
        assert 0.65 < held["80"] < 0.95 and held["50"] < held["80"] < held["95"] and held["95"] > 0.88
    assert record.within != record.within_before and 0 <= record.rule_alone <= 1
    assert record.error < record.error_of_mean / 3 and record.error < record.error_of_last / 3


def test_forecasts_of_the_past_are_made_once(log, kept, few_draws, monkeypatch):
    first = forecast_starts(log, 4, 1, keep=kept)
    assert len(list(kept.glob("*.jsonl"))) == 1
    calls = []
    monkeypatch.setattr("mjq_logs.forecast.record.rows_of", lambda *what: calls.append(what))
    assert forecast_starts(log, 4, 1, keep=kept) == first and not calls
    with pytest.raises(TypeError):  # another log: they would be made, which they cannot be here
        forecast_starts(replace(log, servers=17.0), 4, 1, keep=kept)
    assert calls
    monkeypatch.setattr("mjq_logs._util.fingerprints.code", lambda *packages: "of another version")
    with pytest.raises(TypeError):
        forecast_starts(log, 4, 1, keep=kept)


def test_many_jobs_at_once_are_what_each_is_alone(log, kept, few_draws):
    many = forecast_starts(log, [1, 16, 4], [1, 2, 3], keep=kept)
    assert many.forecasts == [
        forecast_starts(log, need, limit, keep=kept).forecasts[0] for need, limit in ((1, 1), (16, 2), (4, 3))
    ]
    for one in many.forecasts:
        (a, b), (c, d), (e, f) = (one.intervals[share] for share in ("95", "80", "50"))
        assert 0 <= a <= c <= e <= one.median <= f <= d <= b
        assert all(0 < row.probability < 1 for row in one.within)


def test_a_short_log_gets_no_interval(log):
    short = replace(log, **{name: getattr(log, name)[:200] for name in ("need", "run", "submit", "start", "estimate")})
    found = forecast_starts(short, 4, 1)
    assert found.record is None and found.weight_of_rule is None
    assert found.forecasts[0].intervals == {} and found.forecasts[0].within == []
    assert "too short" in found.notes[-1]


def test_a_log_without_starts_is_replayed(log, kept, few_draws):
    without = forecast_starts(replace(log, start=None), 4, 1, keep=kept)
    assert without.starts == "a replay under easy"
    assert without.forecasts == forecast_starts(log, 4, 1, keep=kept).forecasts


@pytest.mark.parametrize(
    ("changes", "words", "message"),
    [
        ({}, {"need": 17}, "need 17 exceeds the 16 servers"),
        ({}, {"limit": 0}, "limit must be positive"),
        ({}, {"limit": -1}, "limit must be positive"),
        ({}, {"need": float("nan")}, "need must be finite"),
        ({}, {"at": 1e12}, "at must be a time of the log"),
        ({}, {"at": -5}, "at must be a time of the log"),
        ({}, {"policy": "server-filling"}, "does not interrupt"),
        ({}, {"policy": "lifo"}, "policy must be one of"),
        ({"submit": None}, {}, "does not say when jobs were submitted"),
        ({"estimate": None}, {}, "does not say the limits"),
        ({"servers": None}, {}, "how many servers"),
        ({"submits_are_starts": True}, {}, "submit times of this log are start times"),
        ({"start": np.full(420, np.nan)}, {}, "when any job started"),
    ],
)
def test_bad_input_is_named(log, changes, words, message):
    with pytest.raises(ValueError, match=message):
        forecast_starts(replace(log, **changes), **({"need": 4, "limit": 1} | words))


SACCT = "JobIDRaw;State;Submit;Eligible;Start;End;ElapsedRaw;TimelimitRaw;AllocCPUS;ReqTRES"


def test_jobs_that_run_or_wait_when_sacct_writes_the_log_are_there(tmp_path):
    rows = [f"{k};COMPLETED;{100 * k};{100 * k};{100 * k + 5};{100 * k + 65};60;10;2;cpu=2" for k in range(1, 20)]
    rows += [
        "30;RUNNING;1900;1900;1950;Unknown;100;60;4;cpu=4",
        "31;PENDING;1960;1960;Unknown;Unknown;0;60;0;cpu=8,node=1",
        "32;PENDING;1970;Unknown;Unknown;Unknown;0;60;0;cpu=8",
        "33;CANCELLED;1970;1970;None;1980;0;60;0;cpu=8",
    ]
    path = tmp_path / "jobs.txt"
    path.write_text("\n".join([SACCT, *rows]))
    log = read_log(path, servers=8)
    assert log.lines.dropped == {
        "ended before the window": 1, "never started": 1, "still waited when the log was taken": 2,
    }  # fmt: skip
    assert log.unfinished.sum() == 1
    assert (log.present.need.tolist(), log.present.taken, log.present.left_out) == ([4, 8], 2050, 1)
    found = forecast_starts(log, 8, 1)
    assert (found.at, found.running, found.waiting, found.busy) == (2050, 1, 1, 4)
    assert "1 jobs that wait are left out" in found.notes[0] + found.notes[-2]
    # The job that waits needs all servers, and so does the new one.
    assert found.forecasts[0].by_rule > 0
    assert forecast_starts(log, 4, 1, at=1940).running == 1


def test_the_command_and_its_json(tmp_path, log, few_draws, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    words = ["wait", as_table(log, tmp_path / "jobs.csv"), "--servers", 16, "--workers", 1]
    answer = said(*words, "--need", 4, "--limit", "1h", "--within", "2h", "--full")
    assert answer.status == 0 and answer.err == ""
    for text in ("(median)", "Record:", "The forecast rests on", "2 h", "corrected", "before the correction"):
        assert text in answer.out
    plain = json.loads(said(*words, "--need", 4, "--limit", "1h", "--json").out)
    described = json.loads(said("wait", "--schema").out)
    jsonschema.Draft202012Validator.check_schema(described)
    jsonschema.validate(plain, described)
    assert plain["forecasts"][0]["intervals"].keys() == {"50", "80", "95"}
    table = said(*words, "--table", "--limit", "1h").out
    assert table.count("\n16 ") == 1 and "\n32 " not in table
    asked = said(*words, "--need", 1, "--need", 2, "--limit", "1h", "--limit", "2h").out
    assert asked.count("\n1 ") == asked.count("\n2 ") == 2 and "share a row" not in asked
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    answer = said(*words, "--need", 4, "--limit", "1h", "--at", log.submit[30])
    assert answer.status == 0 and "are not kept" in answer.err and "Too little of the log is known" in answer.out
    for wrong, message in (
        (["--need", 4], "give --need and --limit"),
        (
            ["--need", 4, "--limit", "1h", "--at", "yesterday"],
            "--at: 'yesterday' is neither a number of seconds nor a date",
        ),
        (["--need", 4, "--limit", "1h", "--at", "2020-01-01"], "is a date, and the log has no clock"),
        (["--need", 40, "--limit", "1h"], "exceeds the 16 servers"),
    ):
        answer = said(*words, *wrong)
        assert answer.status == 2 and message in answer.err


# --- A queue that grows -----------------------------------------------------------------------------------------------


def test_the_work_that_waits_is_that_of_who_waits(log):
    jobs = history(log, "easy")
    times = np.linspace(log.submit[0] - 1, log.submit[-1], 60)
    slow = [
        sum(log.need[k] * log.estimate[k] / 16 for k in range(len(log)) if log.submit[k] <= time < log.start[k])
        for time in times
    ]
    assert np.allclose(waiting_work(jobs, times), slow)


def with_waits(waits):
    """A log of one server; a job comes each hour, and asks for an hour."""
    come = 3600.0 * np.arange(len(waits))
    return Log(np.ones(len(waits)), np.full(len(waits), 60.0), come, start=come + 3600.0 * waits,
               estimate=np.full(len(waits), 3600.0), servers=1)  # fmt: skip


def test_a_queue_grows_where_it_is_longer_than_before_and_becomes_longer():
    steady = np.random.default_rng(1).integers(1, 9, 600).astype(float)
    grows = np.maximum(steady, np.arange(600) - 500.0)
    shrinks = grows.copy()
    shrinks[575:] = 0
    for waits, expected in ((steady, False), (grows, True), (shrinks, False), (np.arange(600.0), True)):
        jobs = history(with_waits(waits), "fcfs")
        assert queue_at(jobs, 600, jobs.arrival[-1]).grows == expected
    jobs = history(with_waits(grows), "fcfs")
    queue = queue_at(jobs, 600, jobs.arrival[-1])
    assert queue.before < queue.lately <= queue.work == waiting_work(jobs, jobs.arrival[-1:])[0] / 3600
    assert queue_at(jobs, 50, jobs.arrival[50]) is None


def test_nothing_of_the_future_makes_a_queue_grow(log):
    jobs, time = history(log, "easy"), log.submit[300]
    later = np.where(log.start > time, log.start + 1e6, log.start)
    other = history(replace(log, start=later), "easy")
    assert queue_at(jobs, 301, time) == queue_at(other, 301, time)


def test_the_first_sentence_says_that_the_queue_grows(tmp_path, few_draws, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    steady = np.random.default_rng(1).integers(1, 9, 300).astype(float)
    for waits, expected in ((np.maximum(steady, np.arange(300) - 240.0), True), (steady, False)):
        path = as_table(with_waits(waits), tmp_path / "jobs.csv")
        words = ["wait", path, "--servers", 1, "--workers", 1, "--need", 1, "--limit", "1h"]
        answer = said(*words)
        assert answer.out.startswith("The queue grows, so jobs may wait longer") == expected, answer.err
        assert json.loads(said(*words, "--json").out)["queue"]["grows"] == expected


# --- The table --------------------------------------------------------------------------------------------------------


def test_usual_jobs_are_jobs_of_the_log(log):
    needs, limits = usual(log)
    assert 1 < len(needs) <= 6 and 1 < len(limits) <= 5
    assert needs == sorted(needs) and limits == sorted(limits)
    for need in needs:
        alike = log.need[np.floor(np.log2(log.need)) == np.floor(np.log2(need))]
        assert (alike == need).sum() == max(np.unique(alike, return_counts=True)[1])
    assert set(np.array(limits) * 3600) <= set(log.estimate)
    assert usual(replace(log, estimate=None)) == (needs, [])


@pytest.mark.parametrize("policy", ["fcfs", pytest.param("first-fit", marks=pytest.mark.slow)])
def test_without_limits_all_jobs_have_the_same_under_rules_that_look_at_none(log, policy, few_draws):
    """Forecasts are those of a log in which each job has the longest run as its limit; EASY needs to know more."""
    longest = log.run.max()
    bare, same = replace(log, estimate=None), replace(log, estimate=np.full(len(log), longest))
    alone = forecast_starts(bare, [1, 4], policy=policy)
    with_limit = forecast_starts(same, [1, 4], longest / 3600, policy=policy)
    assert [row.limit for row in alone.forecasts] == [None, None]
    assert [row.model_copy(update={"limit": None}) for row in with_limit.forecasts] == alone.forecasts
    assert alone.record == with_limit.record
    for asked, case in ((bare, {"limit": 1}), (same, {})):
        with pytest.raises(ValueError, match=r"has a limit and the .* has none"):
            forecast_starts(asked, 1, policy="fcfs", **case)


def forecast_of(need, limit, median, probability=0.5):
    ends = {"50": (median / 2, 2 * median), "80": (median / 3, 3 * median), "95": (0.0, 9 * median)}
    within = [Within(wait=1.0, probability=probability)]
    return StartForecast(need=need, limit=limit, median=median, intervals=ends, within=within, by_rule=1, last_alike=1)


@pytest.mark.parametrize(
    ("medians", "ranges"),
    [
        ([[1, 4, 16], [1, 4, 16]], [((1, 2), (1, 1)), ((1, 2), (2, 2)), ((1, 2), (3, 3))]),  # no need differs
        ([[5, 5, 5], [9, 9, 9]], [((1, 1), (1, 3)), ((2, 2), (1, 3))]),  # no limit differs
        ([[5, 1, 9], [5, 5, 9]], [((1, 1), (1, 2)), ((1, 1), (3, 3)), ((2, 2), (1, 2)), ((2, 2), (3, 3))]),
        ([[9, 4, 1], [1, 4, 16]], [((1, 1), (1, 3)), ((2, 2), (1, 1)), ((2, 2), (2, 2)), ((2, 2), (3, 3))]),
    ],
)
def test_forecasts_that_do_not_differ_share_a_row(medians, ranges):
    forecasts = [
        forecast_of(need, limit, median) for need, row in enumerate(medians, 1) for limit, median in enumerate(row, 1)
    ]
    rows = pooled(forecasts)
    assert [(row.needs, row.limits) for row in rows] == ranges
    for need in {row.needs for row in rows}:
        ordered = [row.forecast.median for row in rows if row.needs == need]
        assert ordered == sorted(ordered)


def test_a_shared_row_is_the_mean_and_a_probability_tells_rows_apart():
    (row,) = pooled([forecast_of(1, 1, 8.0, 0.2), forecast_of(1, 2, 8.5, 0.3)])
    assert row.forecast.median == pytest.approx(off_scale(np.mean(on_scale(np.array([8.0, 8.5]) * 3600))) / 3600)
    assert row.forecast.within[0].probability == 0.25 and 16 < row.forecast.intervals["50"][1] < 17
    assert len(pooled([forecast_of(1, 1, 8.0, 0.2), forecast_of(1, 2, 8.5, 0.35)])) == 2


LOADS = {  # by the part of the jobs that have come
    "stationary": lambda part: 0.8 + 0 * part,
    "growing": lambda part: 1.08 + 0 * part,
    "shrinking": lambda part: np.where(part < 0.5, 1.15, 0.7),
    "shifting": lambda part: np.where((10 * part).astype(int) % 2 == 0, 0.6, 1.15),
}


def of_load(kind, seed, jobs=6000):
    """A log that is replayed with loads that change."""
    log = made(jobs, seed=seed, load=1.0)
    gaps = np.diff(log.submit, prepend=0.0) / LOADS[kind](np.arange(jobs) / jobs)
    come = np.cumsum(gaps).round()
    return replace(log, submit=come, start=replay(come, log.need, log.run, log.estimate, 16.0, "easy").start)


@pytest.mark.slow
@pytest.mark.parametrize("kind", LOADS)
def test_intervals_hold_whatever_the_load_does(kind, few_draws):
    log = of_load(kind, seed=2 if kind == "growing" else 1)  # where they grow from three hours to a day and a half
    jobs = history(log, "easy")
    record = record_of(jobs, Correction(past_of(jobs, "easy", 2 / 27 * len(log), len(log))))
    assert 0.74 <= record.within["80"] <= 0.86 and record.within["95"] >= 0.9
    if kind == "growing":
        assert record.within_before["80"] < 0.6 and record.within_before["95"] < 0.8
        assert record.error < record.error_before


@pytest.mark.slow
def test_no_interval_is_promised_where_the_queue_grows_without_end(few_draws):
    """With a third more work than the machine can do, waits are as long as the log, and the errors of most unknown."""
    log = made(3000, seed=1, load=1.3)
    asked = forecast_starts(log, 4, 4, at=float(log.submit[-1]))
    assert "no interval below is promised" in asked.warnings[0] and asked.lately.ended < asked.lately.made / 2
