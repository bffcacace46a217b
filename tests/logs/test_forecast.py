"""Forecasts of starts: equal to their slow definition, blind to the future, and as good as they say."""

import json
from dataclasses import replace

import numpy as np
import pytest

from mjq.simulation import replay
from mjq_logs import Log, forecast_start, read_log, with_calendar
from mjq_logs.questions.wait import nearest
from mjq_logs.questions.wait.by_rule import BEFORE, Drawn, draw, waits_by_rule
from mjq_logs.questions.wait.record import ForecastRecord, features, numbers, past_of, record_of
from mjq_logs.questions.wait.starts import intervals_in_doubt
from mjq_logs.questions.wait.state import Alike, history
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


def with_half_down(log):
    """The log with a calendar: in the middle half of its time half of the servers are down."""
    first, last = log.submit[0], log.submit[-1]
    quarter = (last - first) / 4
    return with_calendar(log, [(first + quarter, log.servers / 2), (last - quarter, log.servers)])


def one_by_one(what, servers, policy):
    """The waits of the new job, with a replay for each draw."""
    draws = (Drawn(*(x[[k]] for x in what[:4]), what.new, what.up) for k in range(len(what.arrival)))
    return [waits_by_rule(draw, servers, policy)[0] for draw in draws]


@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative", "first-fit", "least-servers-first"])
def test_all_draws_in_one_replay_are_equal_to_a_replay_each(policy):
    log = made(400, policy=policy)
    for logged, number in ((log, 30), (log, 399), (with_half_down(log), 200)):
        jobs = history(logged, policy)
        for need, limit in ((1.0, 600.0), (8.0, 7200.0)):
            what = draw(jobs, jobs.at(jobs.arrival[number], number), need, limit, 8, np.random.default_rng(number))
            assert what.up == (16 if logged is log else 8)
            apart = waits_by_rule(what, 16, policy) - one_by_one(what, 16, policy)
            assert np.abs(apart).max() < 1e-6, number  # seconds: most draws begin late on the clock of all


@pytest.mark.parametrize("policy", ["fcfs", "easy", "first-fit"])
def test_with_what_came_the_replay_goes_on_as_the_log_did(policy):
    """The state, and true run times and arrivals in place of those drawn, give the start that the log has."""
    log = made(800, seed=3, policy=policy)
    jobs = history(log, policy)
    for number in range(100, 700, 23):
        state = jobs.at(jobs.arrival[number], number)
        what = draw(jobs, state, jobs.need[number], jobs.limit[number], 1, np.random.default_rng(0), later=0)
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
    places = [nearest.place(np.maximum(0, rng.normal(size=9)), max(0, rng.normal()), rng) for _ in range(4000)]
    assert np.abs(np.histogram(places, 10, (0, 1))[0] - 400).max() < 100
    sample = np.sort(rng.random((3, 7)), axis=1)
    slow = [np.abs(x - 0.4).mean() - np.abs(x[:, None] - x).mean() / 2 for x in sample]
    assert np.allclose(nearest.crps(sample, 0.4), slow)
    assert np.allclose(nearest.off_scale(nearest.on_scale(np.array([0, 60.0, 1e6]))), [0, 60, 1e6])


def test_the_nearest_are_those_of_a_slow_definition():
    past, rng = imagined(300), np.random.default_rng(8)
    seen, rule, last = past.at(280, past.time[280]), past.rule[280] + 0.1, float(rng.random())
    for row, weight in zip(past.waits(seen, rule, last), nearest.WEIGHTS, strict=True):
        far = [weight * np.mean(np.abs(past.rule[k] - rule)) + (1 - weight) * abs(past.last[k] - last) for k in seen]
        near = [seen[i] for i in np.argsort(far, kind="stable")[: nearest.NEAREST_FORECASTS]]
        slow = [max(0, past.wait[k] + weight * (np.median(rule) - np.median(past.rule[k]))) for k in near]
        assert np.allclose(row, np.sort(slow))


def imagined(jobs, gap=1e7, noise=0.5, seed=1):
    """Forecasts of the past without a log: a job comes after each gap [s], and waits about as long as the rule says.

    If the gap is long, all have started before the next one comes.
    """
    rng, number = np.random.default_rng(seed), np.arange(jobs)
    expected = rng.gamma(2.0, 1.0, jobs)
    rule = np.maximum(0, expected[:, None] + noise * np.linspace(-1.6, 1.6, len(nearest.LEVELS)))
    wait = np.maximum(0, expected + noise * rng.normal(size=jobs))
    time = gap * number
    return nearest.Past(number, time, time + nearest.off_scale(wait), rule, rng.gamma(2.0, 1.0, jobs), wait, jobs / 9)


def test_intervals_hold_what_they_say_where_nothing_changes():
    past, rng = imagined(1400), np.random.default_rng(2)
    forecasts = [past.forecast(k, past.time[k], past.rule[k], past.last[k]) for k in range(700, 1400)]
    off = np.array([abs(nearest.place(waits, past.wait[700 + k], rng) - 0.5) for k, (waits, _) in enumerate(forecasts)])
    assert [np.mean(off <= share / 200) for share in nearest.SHARES] == pytest.approx([0.5, 0.8, 0.95], abs=0.04)
    ends = np.array([nearest.interval(waits, 80) for waits, _ in forecasts])
    held = (ends[:, 0] <= past.wait[700:]) & (past.wait[700:] <= ends[:, 1])
    assert held.mean() == pytest.approx(0.8, abs=0.04)
    assert past.forecast(60, past.time[60], past.rule[60], 1.0) is None


def test_what_is_not_known_yet_tells_nothing():
    """Jobs that wait at the time start later, and just when the replays say, or just when they do not."""
    past, answers = imagined(1200, gap=10.0), []
    time = past.time[600]
    later = past.known >= time
    rule = np.median(past.rule, axis=1)
    assert 50 < later[400:600].sum() < 150
    for wait in (past.wait, np.where(later, rule + 3, past.wait), np.where(later, rule, past.wait)):
        known = np.where(later, np.maximum(time, past.time + nearest.off_scale(wait)), past.known)
        answers.append(replace(past, wait=wait, known=known).forecast(600, time, past.rule[600], 1.0))
    for waits, weight in answers[1:]:
        assert np.array_equal(waits, answers[0][0]) and weight == answers[0][1]


def test_forecasts_of_the_past_are_made_for_the_same_jobs_however_long_the_log_is():
    assert numbers(0, 1000) == list(range(1000))
    assert numbers(700, 5000) == [j for j in numbers(0, 9999) if 700 <= j < 5000]
    assert all(450 <= len(numbers(n, 2 * n)) <= 1000 for n in (500, 777, 5000, 123_456))


@pytest.mark.parametrize(
    ("share", "words"), [(0.8, ""), (0.66, "So they are not printed"), (0.9, "may be wider than need be")]
)
def test_intervals_that_do_not_hold_are_doubted(share, words):
    errors = dict.fromkeys(["error", "error_of_mean", "error_of_last", "error_of_rule"], 1)
    doubts = intervals_in_doubt(ForecastRecord(forecasts=300, within={"80": share}, **errors))
    assert len(doubts) == bool(words) and words in "".join(doubts)


@pytest.fixture(scope="module")
def log():
    return made(420)


COLUMNS = "need", "run", "submit", "start", "estimate"


def first(log, number):
    return replace(log, **{name: value[:number] for name in COLUMNS if (value := getattr(log, name)) is not None})


@pytest.mark.parametrize("policy", ["easy", "first-fit"])
def test_nothing_later_than_the_time_is_used(log, policy, few_draws):
    """The future is changed: later jobs are others, and those that run or wait end and start at other times.

    Without limits, jobs that end later run longer than all others.
    """
    time, at, limits = log.submit[336], 336, policy == "easy"
    rng = np.random.default_rng(9)
    need, run, start, limit = log.need.copy(), log.run.copy(), log.start.copy(), log.estimate.copy()
    need[at + 1 :], limit[at + 1 :] = need[at + 1 :][::-1], 2 * limit[at + 1 :]
    going = start + run > time
    run[going] = np.maximum(run[going], time - start[going]) + rng.exponential(5000, going.sum())
    run[-1] = 10 * run.max()
    start[start >= time] += rng.exponential(3000, (start >= time).sum())
    logs = log, replace(log, need=need, run=run, start=start, estimate=limit)
    case = dict(need=4, limit=1 if limits else None, at=time, policy=policy)
    one, other, longer = (
        forecast_start(each if limits else replace(each, estimate=None), **case) for each in (*logs, first(log, 380))
    )
    alike = ("median", "by_rule", "last_alike", "weight_of_rule", "running", "waiting", "busy")
    assert [getattr(one, name) for name in alike] == [getattr(other, name) for name in alike]
    assert [getattr(one, name) for name in alike] == [getattr(longer, name) for name in alike]
    assert one.record != other.record


@pytest.mark.parametrize("policy", ["easy", "first-fit"])
def test_the_record_uses_nothing_later_than_each_forecast(log, policy, few_draws):
    """The last job runs longer than all others, and later: no forecast of the past changes, with limits or without."""
    limits = {} if policy == "easy" else {"estimate": None}
    run = np.append(log.run[:-1], 10 * log.run.max())
    one, other = (
        past_of(history(replace(each, **limits), policy), policy, range(100, 419))
        for each in (log, replace(log, run=run))
    )
    assert np.array_equal(one.rule, other.rule) and np.array_equal(one.last, other.last)


def test_the_record_tells_how_good_forecasts_were(log, few_draws):
    jobs = history(log, "easy")
    record = record_of(jobs, past_of(jobs, "easy", range(32, 420), 2 / 9 * len(log)))
    assert record.forecasts == len(numbers(280, 420))
    held = record.within
    assert 0.65 < held["80"] < 0.95 and held["50"] < held["80"] < held["95"] and held["95"] > 0.88
    assert record.error < record.error_of_mean / 3 and record.error < record.error_of_last / 3
    one = forecast_start(log, 4, 1)
    (a, b), (c, d), (e, f) = (one.intervals[share] for share in ("95", "80", "50"))
    assert 0 <= a <= c <= e <= one.median <= f <= d <= b


def test_a_short_log_gets_no_interval(log):
    found = forecast_start(first(log, 200), 4, 1)
    assert found.record is None and found.weight_of_rule is None
    assert found.intervals == {} and found.median == found.by_rule
    assert "too short" in found.notes[-1]


def test_a_log_without_starts_is_replayed(log, few_draws):
    without = forecast_start(replace(log, start=None), 4, 1)
    assert without.starts == "a replay under easy"
    assert without.missing == ["start"]
    assert without.model_copy(update={"starts": "the log", "missing": []}) == forecast_start(log, 4, 1)


@pytest.mark.parametrize(
    ("changes", "words", "message"),
    [
        ({}, {"need": 17}, "need 17 exceeds the 16 servers"),
        ({}, {"limit": 0}, "limit must be positive"),
        ({}, {"limit": None}, "has a limit and the .* has none"),
        ({}, {"need": float("nan")}, "need must be a finite number"),
        ({}, {"at": 1e12}, "at must be a time of the log"),
        ({}, {"at": -5}, "at must be a time of the log"),
        ({}, {"policy": "server-filling"}, "does not interrupt"),
        ({}, {"policy": "lifo"}, "policy must be one of"),
        ({"submit": None}, {}, "does not say when jobs were submitted"),
        ({"estimate": None}, {}, "does not say the limits"),
        ({"estimate": None}, {"policy": "fcfs"}, "has a limit and the .* has none"),
        ({"servers": None}, {}, "how many servers"),
        ({"submits_are_starts": True}, {}, "submit times of this log are start times"),
        ({"start": np.full(420, np.nan)}, {}, "when any job started"),
        ({"calendar": True}, {"need": 16, "at": 60_000}, "need 16 exceeds the 8 servers that are up at this time"),
    ],
)
def test_bad_input_is_named(log, changes, words, message):
    log = with_half_down(log) if "calendar" in changes else replace(log, **changes)
    with pytest.raises(ValueError, match=message):
        forecast_start(log, **({"need": 4, "limit": 1} | words))


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
    found = forecast_start(log, 8, 1)
    assert (found.at, found.running, found.waiting, found.busy) == (2050, 1, 1, 4)
    assert "1 jobs that wait are left out" in found.notes[0] + found.notes[-2]
    # The job that waits needs all servers, and so does the new one.
    assert found.by_rule > 0
    assert forecast_start(log, 4, 1, at=1940).running == 1


def test_the_command_and_its_json(tmp_path, log, few_draws):
    words = ["wait", as_table(log, tmp_path / "jobs.csv"), "--servers", 16, "--workers", 1]
    answer = said(*words, "--need", 4, "--limit", "1h", "--full")
    assert answer.status == 0 and answer.err == "" and "(median)" in answer.out and "held [%]" in answer.out
    plain = json.loads(said(*words, "--need", 4, "--limit", "1h", "--json").out)
    assert plain["intervals"].keys() == plain["record"]["within"].keys() == {"50", "80", "95"}
    answer = said(*words, "--need", 4, "--limit", "1h", "--at", log.submit[30])
    assert answer.status == 0 and "Too little of the log is known" in answer.out
    for wrong, message in (
        (["--need", 4], "give --limit of the job"),
        (["--need", 4, "--limit", "1h", "--at", "yesterday"], "'yesterday' is neither a number of seconds nor a date"),
        (["--need", 4, "--limit", "1h", "--at", "2020-01-01"], "is a date, and the log has no clock"),
    ):
        answer = said(*words, *wrong)
        assert answer.status == 2 and message in answer.err


@pytest.mark.parametrize("policy", ["fcfs", "first-fit"])
def test_without_limits_all_jobs_count_as_alike(log, policy, few_draws):
    """Forecasts know of limits what had ended: they are those of a log in which each job says the longest of these."""
    bare = replace(log, estimate=None)
    jobs, time = history(bare, policy), float(log.submit[336])
    longest = log.run[log.start + log.run <= time].max()
    same = history(replace(log, estimate=np.full(len(log), longest)), policy)
    both = [
        draw(each, each.at(time, 336), 4.0, limit, 8, np.random.default_rng(1))
        for each, limit in ((jobs, 1.0), (same, longest))
    ]
    for name in ("arrival", "need", "run", "limit"):
        assert np.array_equal(*(getattr(what, name) for what in both)), name
    alone = forecast_start(bare, 4, policy=policy)
    assert alone.limit is None and alone.record is not None
