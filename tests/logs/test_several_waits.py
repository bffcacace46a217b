"""Waits of logs of several resources: replays, reports and forecasts, by their laws and by plain programs."""

import json

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mjq_logs
from mjq.simulation import replay
from mjq_logs import Log, Vectors, forecast_start
from mjq_logs.machine.lacking import in_log, lacking
from mjq_logs.questions.wait.by_rule import draw, waits_by_rule
from mjq_logs.questions.wait.state import Alike, history
from mjq_logs.reading.log import Before
from tests.conftest import said
from tests.logs.test_forecast import one_by_one
from tests.logs.test_several import log_of, swapped
from tests.logs.writing import as_table

HUGE = 2.0**20
WORDS = "verdict", "assumes"


def of_one(count=1500, seed=2):
    """The same log by one resource, and with another one of which there is always enough."""
    rng = np.random.default_rng(seed)
    need, run = rng.choice([1.0, 2, 3, 8], count), rng.exponential(3000, count)
    submit, estimate = np.cumsum(rng.exponential(900, count)), run * rng.uniform(1, 5, count)
    start = replay(submit, need, run, estimate, 12, "easy").start
    columns = dict(run=run, submit=submit, start=start, estimate=estimate)
    one = Log(need=need, servers=12, **columns)
    more = Vectors(np.column_stack([need, 4 * need]), ("cpus", "mem"))
    return one, Log(need=more, servers=(12, HUGE), **columns)


def as_one(answer):
    """An answer about several resources as if it were about CPUs alone."""
    if isinstance(answer, dict):
        if set(answer) == {"cpus", "mem"}:
            return answer["cpus"]
        return {key: as_one(x) for key, x in answer.items() if key not in WORDS}
    return [as_one(x) for x in answer] if isinstance(answer, list) else answer


# --- Agreement with the log ---


@given(st.integers(0, 99))
@settings(max_examples=30)
def test_the_time_in_which_somebody_would_fit_second_by_second(seed):
    rng = np.random.default_rng(seed)
    need, (arrival, wait, run) = rng.integers(0, 4, (12, 2)), rng.integers(0, 15, (3, 12))
    need[~need.any(axis=1)] = 1
    start, seconds, of_first = arrival + wait, 0, 0
    first, last = min(arrival.min(), start.min()), max((start + run).max(), start.max())
    for second in range(first, last):
        free = np.array([6, 5]) - need[(start <= second) & (second < start + run)].sum(axis=0)
        fits = need[(arrival <= second) & (second < start)] <= free
        seconds, of_first = seconds + fits.all(axis=1).any(), of_first + fits[:, 0].any()
    start, arrival, need, run = (x.astype(float) for x in (start, arrival, need, run))
    for needs, sizes, expected in ((need, np.array([6.0, 5.0]), seconds), (need[:, 0], 6.0, of_first)):
        share = mjq_logs.time_with_a_job_that_fits(start, arrival, needs, run, sizes)
        assert share == pytest.approx(expected / (last - first) if last > first else 0)


# --- The report ---


def test_a_resource_that_never_binds_changes_no_part_of_a_report():
    one, several = of_one(700)
    reports, report = mjq_logs.reports_on(one), mjq_logs.report_on_several(several)
    for policy, single in reports.policies.items():
        of, alone = (as_one(answer.model_dump()) for answer in (report.policies[policy], single))
        alone["memory"] = alone["memory"][policy]
        for name in ("capacities", "memory", "used", "waits", "classes", "other_needs", "work_of_others"):
            assert of[name] == alone[name], name
        assert of["classes"] and of["waits"]["log"] and [row["lacks"] for row in of["blocked"]] == [["cpus"]]
    assert report.agreement == single.agreement and report.load == single.load
    assert report.near_saturation.capacity == pytest.approx(reports.policies["fcfs"].near_saturation.capacity)


def test_a_need_that_takes_all_of_a_resource_costs_the_others_most():
    """Jobs of all memory and one CPU, among jobs of one CPU: while one runs, 15 CPUs are idle."""
    needs = np.tile([(1, 1)] * 31 + [(1, 64)], (40, 1))
    log = log_of(needs, np.full(len(needs), 3600.0), (16, 64))
    rows = {row.need["mem"]: row for row in mjq_logs.costs_of_classes(log)}
    assert (rows[64].jobs, rows[1].jobs) == (40, 1240)
    without = mjq_logs.own_order_capacity(log.of(needs[:, 1] == 1)).value
    assert rows[64].without == pytest.approx(without) == pytest.approx(16, rel=0.01)
    assert rows[64].beside == pytest.approx(mjq_logs.own_order_capacity(log).value * 31 / 32)


# --- When one more job would start ---


def scheduled(count=500, seed=3, policy="easy"):
    """A log of jobs of up to 8 of 16 CPUs and 16 of 32 GB, which wait for hours; they start as a policy says."""
    rng = np.random.default_rng(seed)
    needs = rng.integers([0, 1], [9, 17], (count, 2)).astype(float)
    submit = np.cumsum(rng.exponential(700, count)).round()
    run = rng.integers(60, 3600, count).astype(float)
    estimate = run * rng.uniform(1, 4, count)
    start = replay(submit, needs, run, estimate, (16, 32), policy).start
    limit = 600.0 * 2 ** np.ceil(np.log2(estimate / 600))
    return log_of(needs, run, (16, 32), submit=submit, start=start, estimate=limit, clock=0.0)


@pytest.mark.parametrize("policy", ["fcfs", "easy", "first-fit"])
def test_all_draws_in_one_replay_are_equal_to_a_replay_each(policy):
    jobs = history(scheduled(300, policy=policy), policy)
    for number in (30, 200, 299):
        for need, limit in (((1, 0), 600.0), ((8, 16), 7200.0)):
            state, rng = jobs.at(jobs.arrival[number], number), np.random.default_rng(number)
            what = draw(jobs, state, np.array(need, dtype=float), limit, 6, rng)
            apart = waits_by_rule(what, (16, 32), policy) - one_by_one(what, (16, 32), policy)
            assert what.need.shape == (*what.run.shape, 2) and np.abs(apart).max() < 1e-6


def test_a_resource_that_never_binds_changes_no_forecast(few_draws):
    one, several = of_one(400)
    asked = forecast_start(one, 8, 4), forecast_start(several, (8, 32), 4)
    first, second = (as_one(answer.model_dump(exclude={"warnings"})) for answer in asked)
    assert asked[0].record and asked[0].running and first == second
    assert asked[1].need == {"cpus": 8, "mem": 32}


def test_no_forecast_depends_on_which_resource_comes_first(few_draws):
    log, need = scheduled(320), (4, 9)
    first, second = forecast_start(log, need, 1.0), forecast_start(swapped(log), need[::-1], 1.0)
    assert first.record and first.waiting and first == second
    assert first.busy["cpus"] <= 16 and first.busy["mem"] <= 32 and first.servers == {"cpus": 16, "mem": 32}


def test_jobs_alike_are_of_one_range_by_each_resource():
    need = np.array([(4, 0), (5, 0), (4, 9), (7, 8), (4, 9.0)])
    alike = Alike(need, np.full(5, 60.0), np.arange(5.0))
    assert [next(iter(alike.by(9.0, row, 60.0))).tolist() for row in need] == 2 * [[0, 1]] + 3 * [[2, 3, 4]]


def test_the_command_forecasts_a_start(tmp_path, few_draws):
    log = scheduled(300)
    words = ["wait", as_table(log, tmp_path / "jobs.csv"), "--unit", "cpus,mem", "--servers", "16,32", "--workers", "1"]
    content = json.loads(said(*words, "--need", "4,0.0078125TB", "--limit", "1h", "--json").out)
    jsonschema.validate(content, json.loads(said("wait", "--schema").out))
    assert content["need"] == {"cpus": 4, "mem": 8} and content["servers"] == {"cpus": 16, "mem": 32}
    text = said(*words, "--need", "4,8", "--limit", "1h").out
    assert "A job of 4 CPUs and 8 GB of memory with a limit of 1 h" in text and "jobs on 16 CPUs and 32 GB" in text
    assert said(*words, "--need", "4", "--limit", "1h").status == 2


# --- Who blocks ---


@given(st.integers(0, 99), st.sampled_from(["fcfs", "easy", "first-fit", "conservative"]))
@settings(max_examples=40)
def test_who_blocks_in_a_replay_second_by_second(seed, policy):
    rng = np.random.default_rng(seed)
    need, arrival, run = rng.integers(0, 4, (15, 2)), np.sort(rng.integers(0, 30, 15)), rng.integers(0, 9, 15)
    need[~need.any(axis=1)] = 1
    made = replay(arrival, need, run, None, (5, 4), policy)
    seconds, busy, first, last = {}, np.zeros(2), arrival[0], int(made.finish.max())
    for second in range(first, last):
        held = need[(made.start <= second) & (second < made.finish)].sum(axis=0)
        busy += held
        for job in np.flatnonzero((arrival <= second) & (second < made.start))[:1]:
            lacks = tuple(name for name, x, free in zip("cm", need[job], (5, 4) - held, strict=True) if x > free)
            assert lacks, "who is first in the queue and fits starts"
            seconds[lacks] = seconds.get(lacks, 0) + 1
    what = lacking(made.submit, made.start, made.need, made.run, made.servers, "cm")
    waits = sum(seconds.values())
    assert what.waits * (last - first) == pytest.approx(waits)
    assert {tuple(row.lacks): row.share * waits for row in what.blocked} == pytest.approx(seconds)
    assert what.busy == pytest.approx(busy / ((5, 4) * np.array(max(last - first, 1))))


def test_what_the_first_lacked_by_the_log_itself_may_be_nothing():
    """The second job fits from 3 on, and starts at 7; who came before the window counts."""
    columns = dict(submit=[2.0, 2.0], start=[2.0, 7.0], servers=(4, 4), window=(2.0, 9.0))
    before = Before(Vectors([(2, 1)], ("cpus", "mem")), [0.0], [0.0], None, [3.0], [False])
    log = log_of([(1, 1), (2, 1)], [9.0, 2.0], **columns, before=before)
    what = in_log(log)
    assert {tuple(row.lacks): row.share for row in what.blocked} == pytest.approx({("cpus",): 0.2, (): 0.8})
    assert in_log(log.of(slice(None), start=None)) is None
