"""Forecasts of starts: equal to their slow definition, blind to the future, and as good as they say."""

import json
from dataclasses import replace

import jsonschema
import numpy as np
import pytest

from mjq.simulation import replay
from mjq.workload import Log, forecast_starts, read_log, with_calendar
from mjq.workload.forecast.alike import Alike
from mjq.workload.forecast.by_rule import BEFORE, drawn, waits_by_rule, waits_one_by_one
from mjq.workload.forecast.nearest import crps, off_scale, on_scale, place
from mjq.workload.forecast.record import as_record, features, judged, numbers, past_of, record_of
from mjq.workload.forecast.state import history
from tests.conftest import TRACES, needs_traces, said


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
            come=np.append(what.come[0], jobs.arrival[later] - state.time)[None],
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


def test_a_job_that_needs_more_than_is_up_is_refused():
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


def test_forecasts_of_the_past_are_made_for_the_same_jobs_however_long_the_log_is():
    assert numbers(0, 1000) == list(range(1000))
    assert numbers(700, 5000) == [j for j in numbers(0, 9999) if 700 <= j < 5000]
    assert all(450 <= len(numbers(n, 2 * n)) <= 1000 for n in (500, 777, 5000, 123_456))


@pytest.fixture(scope="module")
def log():
    return made(700)


@pytest.fixture
def few_draws(monkeypatch):
    """What does not depend on the number of draws is seen with few of them."""
    monkeypatch.setattr("mjq.workload.forecast.record.DRAWS", 10)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return tmp_path_factory.mktemp("forecasts")


def test_nothing_later_than_the_time_is_used(log, few_draws):
    """The future is changed: later jobs are others, and those that run or wait end and start at other times."""
    time, at = log.submit[560], 560
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
    longer = replace(log, **{name: getattr(log, name)[:630] for name in ("need", "run", "submit", "start", "estimate")})
    assert forecast_starts(longer, [4, 16], [1, 8], at=time).forecasts == both[0].forecasts


def test_the_record_tells_how_good_forecasts_were(log, few_draws):
    jobs = history(log, "easy")
    past = past_of(jobs, "easy", 2 / 27 * len(log), len(log))
    record = record_of(jobs, past)
    assert record.forecasts == len(numbers(467, 700))
    assert 0.65 < record.within["80"] < 0.95 and record.within["50"] < record.within["80"] < record.within["95"]
    assert record.error < record.error_of_mean / 3 and record.error < record.error_of_last / 3


def test_forecasts_of_the_past_are_made_once(log, kept, few_draws, monkeypatch):
    first = forecast_starts(log, 4, 1, keep=kept)
    assert len(list(kept.glob("*.jsonl"))) == 1
    calls = []
    monkeypatch.setattr("mjq.workload.forecast.record.rows_of", lambda *what: calls.append(what))
    assert forecast_starts(log, 4, 1, keep=kept) == first and not calls
    with pytest.raises(TypeError):  # another log: they would be made, which they cannot be here
        forecast_starts(replace(log, servers=17.0), 4, 1, keep=kept)
    assert calls


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
        ({"start": np.full(700, np.nan)}, {}, "when any job started"),
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
    path = tmp_path / "jobs.csv"
    columns = {"submit": log.submit, "start": log.start, "run": log.run, "need": log.need, "estimate": log.estimate}
    np.savetxt(path, np.column_stack(list(columns.values())), "%d", ",", header=",".join(columns), comments="")
    words = ["wait", path, "--servers", 16, "--workers", 1]
    answer = said(*words, "--need", 4, "--limit", "1h", "--within", "2h")
    assert answer.status == 0 and answer.err == ""
    for text in ("(median)", "Record:", "The forecast rests on", "2 h"):
        assert text in answer.out
    plain = json.loads(said(*words, "--need", 4, "--limit", "1h", "--json").out)
    described = json.loads(said("wait", "--schema").out)
    jsonschema.Draft202012Validator.check_schema(described)
    jsonschema.validate(plain, described)
    assert plain["forecasts"][0]["intervals"].keys() == {"50", "80", "95"}
    assert said(*words, "--table", "--limit", "1h").out.count("\n16 ") == 1
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


def at_random(log, policy, times, seed):
    """How good forecasts are at times drawn from the last third of a log."""
    jobs = history(log, policy)
    past = past_of(jobs, policy, 2 / 27 * len(log), len(log), workers=1, progress=False)
    asked = np.sort(np.random.default_rng(seed).choice(np.arange(2 * len(log) // 3, len(log)), times, replace=False))
    known = [features(jobs, jobs.arrival[k], k, jobs.need[k], jobs.limit[k], policy) for k in asked]
    return as_record(
        judged(jobs, past, asked.tolist(), np.array([x for x, _ in known]), np.array([x for _, x in known]))
    )


@pytest.mark.slow
@needs_traces
@pytest.mark.parametrize("file", ["KTH-SP2-easy.swf.gz", "SDSC-SP2-easy.swf.gz"])
def test_replayed_starts_lie_in_their_intervals(file):
    record = at_random(read_log(TRACES / file), "easy", 500, 7)
    assert 0.74 <= record.within["80"] <= 0.86
    assert record.error <= min(record.error_of_mean, record.error_of_last) / 3


@pytest.mark.slow
@needs_traces
def test_real_starts_lie_in_their_intervals():
    record = at_random(read_log(TRACES / "KTH-SP2-1996-2.1.swf.gz"), "easy", 500, 7)
    assert 0.7 <= record.within["80"] <= 0.9
    assert record.error < min(record.error_of_mean, record.error_of_last, record.error_of_rule)
    assert record.weight_of_rule < 1
