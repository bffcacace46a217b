"""The four capacities of a log: by law, against models, and on public logs."""

import contextlib
import gzip
import json
import re
from dataclasses import replace as altered
from typing import Annotated

import jsonschema
import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mjq_logs
from mjq import System, plots
from mjq.models.processing_capacity import processing_capacity
from mjq.simulation import replay
from mjq.solvers import drain
from mjq_book import example_log as making
from mjq_book import experiments
from mjq_book.experiments import public_logs
from mjq_book.workloads import rounded_up, shipped_classes
from mjq_logs import (
    Capacity,
    CapacityReport,
    Load,
    Log,
    ReportByPolicy,
    agreement,
    capacities,
    capacity_by_block_length,
    costs_of_classes,
    example_log,
    exponential_capacity,
    independent_capacity,
    job_classes,
    load,
    mean_work,
    naive_capacity,
    own_order_capacity,
    read_log,
    shortness_in_words,
    tables,
    waits_at_load,
)
from mjq_logs.answers import Column
from mjq_logs.cli import sheet
from mjq_logs.machine.agreement import disagreement_in_words
from mjq_logs.making.example import example_path
from mjq_logs.questions.capacity import estimates
from mjq_logs.questions.capacity.estimates import Capacities
from mjq_logs.questions.capacity.needs import MOST_NEEDS
from mjq_logs.questions.capacity.present import NEAR_ERROR, present
from mjq_logs.questions.capacity.report import headline, reports_on
from mjq_logs.reading.facts import facts_of
from tests.conftest import TRACES, needs_traces, said
from tests.logs.writing import as_table

NEEDS, MEANS, SHARES, SERVERS = np.array([1.0, 2, 4]), np.array([1800.0, 3600, 3600]), np.array([0.5, 0.3, 0.2]), 8.0


light = pytest.mark.usefixtures("few_jobs")


def drawn(jobs, seed, alike=1):
    """A log of exponential classes, `alike` jobs of a class in a row."""
    rng = np.random.default_rng(seed)
    kind = np.repeat(rng.choice(3, jobs // alike, p=SHARES), alike)
    run = MEANS[kind] * rng.standard_exponential(len(kind))
    arrival = np.cumsum(rng.exponential(600, len(kind)))
    return Log(need=NEEDS[kind], run=run, submit=arrival, servers=SERVERS)


@light
def test_for_exponential_classes_all_but_the_naive_one_are_that_of_the_model():
    exact = 3600 * processing_capacity(SERVERS, NEEDS, 1 / MEANS, SHARES)
    result = capacities(drawn(100_000, 1))
    assert result["naive"].value == pytest.approx(3600 * SERVERS / (SHARES @ (NEEDS * MEANS)), rel=0.02)
    for name in ("exponential", "independent", "own_order"):
        assert result[name].value == pytest.approx(exact, rel=0.02)
        assert result[name].low <= result[name].value <= result[name].high
        assert result[name].share == pytest.approx(result[name].value / result["naive"].value)
        assert result[name].wasted_servers == pytest.approx(SERVERS * (1 - result[name].share))


def test_intervals_of_a_log_hold_what_they_should():
    """Of the share, of the jobs per hour and of the mean work of independent jobs, in 200 logs."""
    work = SHARES @ (NEEDS * MEANS)
    rate = processing_capacity(SERVERS, NEEDS, 1 / MEANS, SHARES)
    held = np.zeros(3)
    for seed in range(200):
        log = drawn(3000, seed)
        own, mean = own_order_capacity(log), mean_work(log)
        held += [
            own.share_low <= rate * work / SERVERS <= own.share_high,
            own.low <= 3600 * rate <= own.high,
            mean.low <= work / 3600 <= mean.high,
        ]
    assert (held >= 180).all() and (held < 200).all()  # of 200; 190 are expected


def test_rows_of_alike_jobs_make_a_log_short():
    """Twenty rows of fifty jobs are no thousand jobs."""
    own, mean = own_order_capacity(drawn(1000, 1, alike=50)), mean_work(drawn(1000, 1, alike=50))
    assert own.low is own.high is own.share_low is own.share_high is None and np.isnan([mean.low, mean.high]).all()
    assert 0 < own.share < 1 and "its order repeats too seldom" in own.interval


@pytest.mark.parametrize("policy", ["fcfs", "easy"])
def test_work_that_has_only_begun_is_not_done(policy):
    """Four jobs of a year on four of eight servers, then hours: a log of some days knows nothing of the year."""
    run = np.append(np.full(4, 365 * 86_400.0), np.full(200, 3600.0))
    result = own_order_capacity(Log(need=np.ones(204), run=run, servers=8.0), policy)
    assert 0 < result.share <= 1 and result.value <= naive_capacity(Log(need=np.ones(204), run=run, servers=8.0)).value
    assert result.low is None and re.search(r"too short to tell: 9\d % of its work is unfinished", result.interval)


@st.composite
def any_log(draw):
    """A log of 1 to 2000 jobs of any needs, times, order and waits; some columns are missing."""
    jobs, rng = draw(st.integers(1, 2000)), np.random.default_rng(draw(st.integers(0, 2**32)))
    servers = draw(st.sampled_from([1.0, 2.0, 7.0, 64.0, 2490.0]))
    need = rng.choice(rng.uniform(0, servers, draw(st.integers(1, 9))).clip(1e-3), jobs)
    need = np.ceil(need) if draw(st.booleans()) else need
    run = rng.lognormal(draw(st.sampled_from([-5, 0, 8])), draw(st.sampled_from([0, 1, 4])), jobs)
    run = np.where(rng.random(jobs) < draw(st.sampled_from([0, 0.5, 0.9])), 0.0, run)
    if draw(st.booleans()):  # long jobs first, or the same jobs in a row
        order = np.argsort(-run) if draw(st.booleans()) else np.argsort(need)
        need, run = need[order], run[order]
    arrival = np.cumsum(rng.exponential(draw(st.sampled_from([0.0, 1.0, 1e5])), jobs))
    wait = np.where(rng.random(jobs) < 0.1, np.nan, rng.exponential(draw(st.sampled_from([0.0, 100.0])), jobs))
    estimate = np.where(rng.random(jobs) < 0.1, np.nan, run * rng.uniform(0.5, 10, jobs))
    return Log(
        need=need, run=run, servers=servers,
        submit=arrival if draw(st.booleans()) else None,
        start=arrival + wait if draw(st.booleans()) else None,
        estimate=estimate if draw(st.booleans()) else None,
    )  # fmt: skip


def holds_its_value(value, low, high):
    """Whether an interval, if there is one, holds the value that it belongs to, but for rounding."""
    return low is None or high is None or low * (1 - 1e-9) <= value <= high * (1 + 1e-9)


def unless_refused(compute):
    """What is computed, or None where it is refused as bad input."""
    try:
        return compute()
    except ValueError:
        return None


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(log=any_log(), policy=st.sampled_from(["fcfs", "easy"]))
def test_no_log_yields_a_share_beyond_1_or_an_interval_beside_its_value(monkeypatch, log, policy):
    for name in estimates.JOBS:
        monkeypatch.setitem(estimates.JOBS, name, 2000)
    monkeypatch.setattr(estimates, "MOST_CONFIGURATIONS", 1000)
    result = unless_refused(lambda: reports_on(log, [policy]))
    if result:
        report, facts = result.policies[policy], facts_of(log)
        short = present("log", facts, reports_on(facts, [policy], full=False), full=False)
        assert short.parts(full=False) == present("log", facts, result).parts(full=False)
        naive = report.capacities.naive.value
        curves = [capacity for curve in report.memory.values() for capacity in curve]
        for capacity in [*(capacity for _, capacity in report.capacities), *curves]:
            assert 0 <= capacity.share <= 1 and capacity.value <= naive * (1 + 1e-12)
            assert holds_its_value(capacity.value, capacity.low, capacity.high)
            assert holds_its_value(capacity.share, capacity.share_low, capacity.share_high)
            assert capacity.share_high is None or 0 <= capacity.share_low <= capacity.share_high <= 1
        assert holds_its_value(report.mean_work.value, report.mean_work.low, report.mean_work.high)
        assert all(0 <= x <= 1 for row in report.agreement for x in (row.same, row.fits_log, row.fits_replay))
    plan = unless_refused(lambda: mjq_logs.plan(log, 1.0, [policy], [log.servers, 2 * log.servers], workers=1))
    if plan:
        for size in plan.policies[0].sizes:
            for waits in filter(None, (size.waits, size.each_node_more, size.exact_estimates)):
                assert all(holds_its_value(*x) for x in ((y.value, y.low, y.high) for _, y in waits) if x[0] >= 0)


@light
@pytest.mark.parametrize("policy", ["fcfs", "easy"])
def test_drawing_all_jobs_in_a_row_is_the_own_order_and_one_by_one_is_independent(policy):
    log = drawn(20_000, 3, alike=20)
    curve = capacity_by_block_length(log, policy)
    assert list(curve) == [1, 10, 100, 1000, 20_000]
    assert curve[1] == independent_capacity(log, policy)
    assert curve[20_000] == own_order_capacity(log, policy)
    assert curve[1000].value == pytest.approx(curve[20_000].value, rel=0.02)
    if policy == "fcfs":  # jobs of one class in a row waste less
        assert curve[1].high < curve[10].low < curve[100].value


def test_what_a_class_costs_is_seen_without_it():
    log = drawn(20_000, 5)
    rows = costs_of_classes(log)
    for row in rows:
        others = log.need != row.need
        assert row.without == own_order_capacity(log.of(others)).value
        assert row.jobs == (~others).sum()
    assert rows == sorted(rows, key=lambda row: -row.wastes) and rows[0].need == 4


def test_of_many_needs_those_with_most_work_are_tried_and_the_others_counted(monkeypatch):
    monkeypatch.setitem(estimates.JOBS, "fcfs", 10_000)
    rng = np.random.default_rng(8)
    log = Log(need=rng.integers(1, 41, 3000).astype(float), run=rng.exponential(60, 3000), servers=64.0)
    work = {need: (log.need * log.run)[log.need == need].sum() for need in np.unique(log.need)}
    most = sorted(work, key=work.get)[-MOST_NEEDS:]
    tried = costs_of_classes(log)
    assert sorted(row.need for row in tried) == sorted(most)
    every = {row.need: row for row in costs_of_classes(log, most=len(work))}
    assert every.keys() == work.keys() and all(every[row.need] == row for row in tried)
    report = reports_on(log, ["fcfs"]).policies["fcfs"]
    assert report.other_needs == len(work) - MOST_NEEDS
    assert report.work_of_others == pytest.approx(
        sum(work[need] for need in work if need not in most) / sum(work.values())
    )


def test_arrivals():
    log = Log(
        need=np.ones(48), run=np.full(48, 3600.0), submit=3600.0 * np.arange(48), servers=2.0, clock=1_706_745_600.0
    )
    result = load(log)  # from 1 February 2024, 0:00
    assert result.rate == pytest.approx(48 / 47) and result.load == pytest.approx(24 / 47)
    assert list(result.by_month) == ["2024-02"] and list(result.by_hour) == [f"{k:02d}" for k in range(24)]
    assert result.by_hour["05"] == 0.5 and result.dispersion_by_hour == 0
    rng = np.random.default_rng(6)
    poisson = Log(need=np.ones(50_000), run=np.ones(50_000), submit=np.cumsum(rng.exponential(60, 50_000)), servers=1.0)
    assert load(poisson).dispersion_by_hour == pytest.approx(1, abs=0.15)
    assert load(Log(need=np.ones(3), run=np.ones(3), servers=1.0)) is None
    months = load(example_log()).by_month
    assert list(months) == ["2026-01", "2026-02", "2026-03"]
    assert min(months.values()) < load(example_log()).load < max(months.values())


def test_our_log_is_the_schedule_of_easy():
    fcfs, easy = agreement(example_log())
    assert (easy.same, easy.log) == (1, easy.replay) and fcfs.same < 0.5 and fcfs.replay > fcfs.log


def test_the_shipped_log_is_the_one_that_is_made(monkeypatch, tmp_path):
    """And it is made anew with the same bytes on every day."""
    with example_path() as path:
        assert gzip.decompress(path.read_bytes()).decode() == making.make() and path.stat().st_size < 60_000
    monkeypatch.setattr(making, "example_path", lambda: contextlib.nullcontext(tmp_path / "example.swf.gz"))
    written = [making.main() or (tmp_path / "example.swf.gz").read_bytes() for _ in range(2)]
    assert written[0] == written[1] and gzip.decompress(written[0]).decode() == making.make()


EMPTY = Log(need=np.ones(3), run=np.zeros(3), servers=1.0)
TOGETHER = Log(need=np.array([8.0] + 8 * [1.0]), run=np.ones(9), servers=8.0)
REFUSED = [
    (lambda: capacities(Log(need=np.ones(3), run=np.ones(3))), "give --servers"),
    (lambda: capacities(Log(need=np.ones(3), run=np.ones(3), servers=8.0)), "all jobs fit"),
    (lambda: own_order_capacity(Log(need=np.ones(1), run=np.ones(1), servers=1.0)), "single job"),
    (
        lambda: estimates._share(TOGETHER, np.arange(9), TOGETHER.run, None, "fcfs"),
        "after the first tenth all jobs fit",
    ),
    *[
        (lambda compute=compute: compute(EMPTY), "no job of the log ran")
        for compute in (capacities, naive_capacity, exponential_capacity, own_order_capacity, mean_work)
    ],
    *[
        (lambda compute=compute: compute(example_log(), "lifo"), "policy must be one of fcfs, easy; got 'lifo'")
        for compute in (capacities, independent_capacity, own_order_capacity, capacity_by_block_length)
    ],
]


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_what_has_no_capacity_is_refused(few_jobs, call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_exponential_classes_that_cannot_be_solved_are_simulated(monkeypatch):
    """Where a class takes no time, or more than a million configurations fit."""
    monkeypatch.setitem(estimates.JOBS, "fcfs", 10_000)
    rng = np.random.default_rng(1)
    instant = Log(need=np.tile([1.0, 2.0], 500), run=np.tile([0.0, 60.0], 500), servers=2.0)
    many = Log(need=rng.integers(1, 60, 3000).astype(float), run=rng.exponential(60, 3000), servers=1000.0)
    assert all(estimates.solve(log, "fcfs")[1] for log in (instant, many))
    assert reports_on(instant, ["fcfs"]).policies["fcfs"].near_saturation is None
    result = exponential_capacity(instant)
    assert result.interval.startswith("of the simulation") and result.low <= result.value <= result.high
    assert result.value == pytest.approx(120)  # jobs of 2 of 2 servers, a minute each, and as many that take no time


@light
def test_what_is_not_solved_in_time_is_simulated(monkeypatch):
    """The capacity of exponential classes, and what holds near it."""
    log = drawn(2_000, 5)
    exact = reports_on(log, ["fcfs"]).policies["fcfs"]
    assert exact.capacities.exponential.interval == exact.near_saturation.interval == estimates.EXACT
    assert exact.near_saturation.constant_low is None
    monkeypatch.setattr(estimates, "MOST_SECONDS", 0.0)
    simulated = reports_on(log, ["fcfs"]).policies["fcfs"]
    capacity, near = simulated.capacities.exponential, simulated.near_saturation
    assert near.interval == f"{estimates.SIMULATED}, as its exact solution takes more than 0 s"
    assert "its exact solution takes more than 0 s" in capacity.interval and capacity.low < capacity.high
    assert capacity.value == pytest.approx(exact.capacities.exponential.value, rel=0.02)
    assert 0 < near.constant_high - near.constant_low < 0.2 * exact.near_saturation.constant
    assert abs(near.constant - exact.near_saturation.constant) < near.constant_high - near.constant_low


def random_system(rng):
    """Two or three needs of 8 to 64 servers, run times far apart."""
    servers, classes = int(rng.choice([8, 16, 32, 64])), int(rng.integers(2, 4))
    needs = np.sort(rng.choice(np.arange(1, servers + 1), classes, replace=False))
    return System(servers, needs, np.exp(rng.uniform(-2, 2, classes)), rng.dirichlet(np.ones(classes)))


def test_times_near_saturation_err_by_what_the_table_says():
    rng, errors = np.random.default_rng(7), []
    while len(errors) < 25:
        system = random_system(rng)
        if drain.configurations(system.servers, system.needs).blocked.sum() > 60:  # whose queue takes long
            continue
        near, run = system.near_saturation(), float(system.mix @ (1 / system.rates))
        exact = [system.queue(part * near.capacity).mean_sojourn for part in estimates.AHEAD]
        found = [estimates.time_in_system(part, near.capacity, 1 + near.delta, run) for part in estimates.AHEAD]
        errors.append(np.divide(found, exact) - 1)
    worst = np.abs(errors).max(axis=0)
    assert (worst <= list(NEAR_ERROR.values())).all() and worst[0] > 0.05
    (kept,) = experiments.kept("near_saturation").select("capacity", "delta").iter_rows()
    jobs, times = np.array([(one.jobs, one.mean_time / 3600) for one in shipped_classes()]).T
    for part, _, simulated, half_width in experiments.kept("near_saturation_waits").iter_rows():
        found = estimates.time_in_system(part, kept[0], 1 + kept[1], jobs @ times / jobs.sum())
        assert part < 0.8 or abs(found - simulated) < NEAR_ERROR[f"{part:g}"] * simulated + half_width


def test_a_class_without_which_nothing_is_left_has_no_cost():
    """Where all jobs are of one need, or the others take no time."""
    alike = Log(need=np.ones(100), run=np.full(100, 60.0), servers=2.0)
    instant = Log(need=np.tile([1.0, 2.0], 50), run=np.tile([0.0, 60.0], 50), servers=2.0)
    assert costs_of_classes(alike) == []
    assert [row.need for row in costs_of_classes(instant)] == [1.0]


def test_the_verdict_goes_by_where_the_load_lies_beside_the_interval():
    # The interval of the capacity in jobs per hour is another one: the work of a job is not known exactly either.
    own = Capacity(
        value=8, share=0.8, low=6, high=10, share_low=0.75, share_high=0.85, wasted_servers=2, interval="", assumes=""
    )
    waits = waits_at_load(example_log(), "easy", [1.0])

    def told(part, own=own, waits=waits):
        came = Load(rate=1, load=part, by_month={}, by_hour={}, dispersion_by_hour=1, dispersion_by_day=1)
        four = Capacities.model_construct(own_order=own)
        report = CapacityReport.model_construct(
            load=came, capacities=four, used=part / own.share, waits=waits, agreement=[], window=None
        )
        return headline({"easy": report})[-1]

    assert told(0.7).startswith("At 87.5 % of what EASY can carry, the jobs would wait 5.")
    assert all(told(part).startswith("With about as much work as EASY can carry (") for part in (0.75, 0.8, 0.84))
    for part in (0.85, 0.9):
        assert told(part).startswith("With more work than EASY can carry (")
        assert told(part).endswith("waits would grow as long as the log lasts.")
    none = dict.fromkeys(("low", "high", "share_low", "share_high"))
    short = own.model_copy(update={**none, "interval": "none, this log is too short to tell"})
    assert told(0.81, short).startswith("With more work") and told(0.79, short).startswith("At 98.8 % of what")
    assert told(0.7, waits=None).endswith("how long the jobs waited cannot be said.")


@light
@pytest.mark.parametrize("jobs", [60, 3000])
def test_a_table_without_intervals_says_why(tmp_path, jobs):
    dice = np.random.default_rng(3)
    rows = zip(dice.integers(1, 9, jobs), dice.exponential(3600, jobs), strict=True)
    (tmp_path / "jobs.csv").write_text("\n".join(["need,run", *(f"{need},{run:.0f}" for need, run in rows)]))
    own = json.loads(said("capacity", tmp_path / "jobs.csv", "--servers", 16, "--json")[1])["policies"]["fcfs"]
    _, out, _ = said("capacity", tmp_path / "jobs.csv", "--servers", 16)
    assert (own["capacities"]["own_order"]["low"] is None) == (jobs == 60)
    assert ("without intervals: this log is too short" if jobs == 60 else "with 95 % intervals") in out


@light
def test_both_policies_stand_under_their_names_and_each_says_what_it_says_alone(tmp_path):
    small, rng, rows = tmp_path / "jobs.csv", np.random.default_rng(2), ["submit,start,need,run"]
    for arrival in np.cumsum(rng.exponential(60, 300)).round().tolist():
        rows.append(f"{arrival},{arrival + rng.integers(90)},{rng.integers(1, 3)},{rng.integers(1, 120)}")
    small.write_text("\n".join(rows))
    status, out, _ = said("capacity", small, "--servers", 2, "--json")
    answer = json.loads(out)
    reports = ReportByPolicy.model_validate(answer)
    assert status == 0 and list(reports.policies) == ["fcfs", "easy"]
    log = read_log(small, servers=2)
    assert reports.policies["easy"] == reports_on(log, ["easy"]).policies["easy"] and reports == reports_on(log)
    text, whole = (said("capacity", small, "--servers", 2, *full)[1] for full in ([], ["--full"]))
    assert all(sentence in text for sentence in reports.verdict)
    answer, _, added = text.rpartition("\n--full adds ")
    assert whole.startswith(answer) and "servers wasted" not in added and len(answer.splitlines()) < 20


@light
def test_a_field_with_a_column_is_a_column_of_the_table_and_one_that_nobody_knows_is_none():
    class Wider(CapacityReport):
        mean_need: Annotated[float, Column("mean need", "", ".2f")]

    report = reports_on(altered(drawn(100, 1), submit=None), ["fcfs"]).policies["fcfs"]
    made = tables.table("", [Wider(**report.model_dump(), mean_need=1.234)])
    assert made.head[-1] == "mean need" and made.rows[0][-1] == "1.23"
    assert made.head[:-1] == tables.table("", [report]).head and not [head for head in made.head if "wait" in head]


@given(st.lists(st.text("ab -·%", max_size=40), max_size=4), st.integers(4, 30))
def test_lines_are_broken_at_the_width_of_a_terminal_and_lose_no_word(lines, width):
    whole, broken = (sheet.as_text(["\n".join(lines)], columns) for columns in (None, width))
    assert whole == "\n".join(lines) and broken.split() == whole.split()
    assert all(len(line) <= width or len(line.removeprefix("- ").split()) == 1 for line in broken.split("\n"))


def test_waits_at_the_load_are_those_of_the_log_and_of_replays():
    log = example_log()
    arrival, result = log.arrival - log.arrival.min(), waits_at_load(log, "fcfs", [0.5, 1.0])
    for row in result.curve:
        wait = replay(arrival / row.growth, log.need, log.run, log.estimates_used, log.servers, "fcfs").wait / 3600
        assert row.waits.mean.value == pytest.approx(wait.mean())
        assert (wait <= row.waits.percentile.value).mean() == pytest.approx(0.9, abs=1e-3)
        assert row.load == row.growth * load(log).load
    assert result.replay == result.curve[1].waits
    assert result.log.mean.value == pytest.approx(log.wait.mean() / 3600)
    assert waits_at_load(altered(log, start=None)).log is None
    assert waits_at_load(altered(log, submit=None)) is None
    assert waits_at_load(altered(log, submits_are_starts=True)) is None


def test_a_replay_that_does_not_know_the_machine_is_said_first(tmp_path):
    log = example_log()
    late = altered(log, start=log.start + 8 * 3600.0 * (np.arange(len(log)) % 2))
    assert disagreement_in_words(agreement(log)) is None
    warning = disagreement_in_words(agreement(late))
    assert warning.startswith("Warning: the replay does not know this machine. Its mean wait is 1.8 times too short")
    plan = mjq_logs.plan(late, 2.0, sizes=[64], workers=1)
    assert plan.warnings[-1] == warning and mjq_logs.plan(log, 2.0, sizes=[64], workers=1).warnings == []
    asked = "--target-wait", "2h", "--servers", "64:64", "--workers", 1
    assert said("plan", as_table(late, tmp_path / "late.csv"), *asked).out.startswith("Warning: the replay")


@light
def test_a_log_of_start_times_says_so_first():
    report = reports_on(altered(drawn(500, 1), submits_are_starts=True), ["fcfs"]).policies["fcfs"]
    assert "submit times of this log are start times" in report.verdict[-1] and report.agreement == []
    assert report.load.dispersion_by_hour is None


@light
def test_a_log_of_little_removes_questions_not_the_run(tmp_path):
    path = tmp_path / "jobs.csv"
    path.write_text("need,run\n" + "1,60\n2,90\n" * 40)
    status, out, _ = said("capacity", path, "--servers", 2, "--json", "--policy", "easy")
    result = json.loads(out)
    jsonschema.validate(result, json.loads(said("capacity", "--schema")[1]))
    assert status == 0 and result["missing"] == ["submit", "start", "estimate"]
    assert result["load"] is None and result["agreement"] == []
    assert result["verdict"][0].startswith("Nothing can be said")
    assert [said("capacity", path, *words)[0] for words in ([], ["--servers", 2])] == [2, 0]


@light
def test_a_page_to_be_read_offline(tmp_path):
    path, page = tmp_path / "jobs.csv", tmp_path / "page.html"
    path.write_text("submit,need,run\n" + "".join(f"{60 * k},{1 + k % 2},{60 + k % 7}\n" for k in range(200)))
    status, out, _ = said("capacity", path, "--servers", 2, "--html", page)
    text = page.read_text()
    assert status == 0 and text.count("<svg") == 4 and not re.search(r'(src|href)="(?!#)', text)
    assert "200 lines read, 200 used" in text and "200 lines read" not in out
    names = re.findall(r' id="([^"]*)"', text)
    assert len(set(names)) == len(names) and set(re.findall(r'(?:href="#|url\(#)([^")]*)', text)) <= set(names)
    assert said("capacity", path, "--servers", 2, "--html", page)[0] == 2  # it is there


def test_strict_and_anonymous(tmp_path):
    path = tmp_path / "small.swf"
    path.write_text("\n".join([*making.make().splitlines()[:1500], "half a line"]))
    status, _, err = said("capacity", path, "--strict")
    assert status == 2 and "line 1501: not 18 numbers" in err
    status, out, _ = said("capacity", path, "--anonymous")
    assert status == 0 and out.splitlines()[0] == "need,jobs,mean_time,scv,low,median,high"
    assert len(out.splitlines()) == 1 + len(job_classes(read_log(path)))


@pytest.mark.slow
@needs_traces
@pytest.mark.parametrize("name", public_logs.LOGS)
def test_public_logs(name):
    log = read_log(TRACES / public_logs.LOGS[name])
    kept = experiments.kept("public_logs").filter(log=name, policy="fcfs").filter(pl.col("capacity") != "drawn")
    for needs, jobs, exact in (("as they are", log, True), ("powers of two", rounded_up(log), False)):
        for capacity, result in capacities(jobs, exact=exact).items():
            (row,) = kept.filter(needs=needs, capacity=capacity).rows(named=True)
            assert result.value == pytest.approx(row["jobs_per_hour"], rel=1e-5), (needs, capacity)
    assert load(log).load == pytest.approx(row["load"], rel=1e-5)


OWN_ORDER = {
    "NASA-iPSC-1993-3.1-cln.swf.gz": (0.803, None, {}),
    "SDSC_95.csv.gz": (0.8764, 400, {"need": "Number_of_Allocated_Processors", "run": "Run_Time"}),
    "theta_data_training.csv.gz": (0.8160, 4392, {"need": "node_num", "run": "run_time"}),
}


@needs_traces
@pytest.mark.parametrize("file", OWN_ORDER)
def test_shares_of_logs_in_their_own_order(file):
    """As a program that nobody here wrote computes them; no capacity exceeds the naive one, under any rule."""
    share, servers, columns = OWN_ORDER[file]
    log = read_log(TRACES / file, columns or None, servers=servers)
    assert own_order_capacity(log).share == pytest.approx(share, abs=0.002)
    for policy in ("fcfs", "easy"):
        assert own_order_capacity(log, policy).value <= naive_capacity(log).value


def test_of_a_log_that_is_too_short_enough_jobs_are_drawn(monkeypatch):
    """With as few as would do for its words, jobs that have not ended would count for less, beyond the interval."""
    rng = np.random.default_rng(3)
    long = rng.random(3000) < 0.01
    need = np.where(long, 8.0, rng.choice([1.0, 2.0, 8.0], 3000))
    run = np.where(long, 3e5, rng.exponential(600, 3000))
    log = Log(need=need, run=run, submit=np.sort(rng.uniform(0, 6e5, 3000)), servers=64.0)
    assert shortness_in_words(log)
    means, errors = [], []
    for times in (estimates.TIMES_THE_LOG, 1000, 0):
        monkeypatch.setattr(estimates, "TIMES_THE_LOG", times)
        shares = estimates.independent_shares(log, "fcfs", 1)
        means.append(np.mean(shares))
        errors.append(np.std(shares, ddof=1) / len(shares) ** 0.5)
    few, many, too_few = means
    assert abs(few - many) < 3 * np.hypot(*errors[:2]) < too_few - many


def test_tables_of_others_are_as_wide_as_before():
    others = plots.table(["need"], [["2"]])._repr_markdown_()
    with example_path() as path:
        status, out, _ = said("capacity", path)
    assert status == 0 and "---" in out
    assert plots.table(["need"], [["2"]])._repr_markdown_() == others
