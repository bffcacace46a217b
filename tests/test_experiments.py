"""Long computations, tried with tiny sizes, and the tables they have kept."""

import platform

import numpy as np
import polars as pl
import pytest

from mjq import experiments
from mjq.experiments import (
    decisions,
    depletion,
    evaluation,
    fluid_times,
    keeping,
    machine,
    near_saturation,
    public_logs,
    two_tier,
)
from mjq.workload import capacities, capacity, example_path, read_log


def test_times_and_machines(monkeypatch):
    calls = []
    assert machine.median_time(lambda: calls.append(1), 3) >= 0
    assert len(calls) == 4  # the first compiles
    ticks = iter([0.0, 1.0, 0.0, 5.0, 0.0, 2.0])
    assert machine.median_time(lambda: 7, 3, warm=False, keep=True, clock=lambda: next(ticks)) == (2.0, 7)
    assert machine.processor() in machine.machine()

    def hidden(*_, **__):
        raise OSError

    monkeypatch.setattr(machine.Path, "read_text", hidden)
    assert machine.processor() == (platform.processor() or platform.machine())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of its own for the provenance of what is kept."""
    monkeypatch.setattr(keeping, "PROVENANCE", tmp_path / "provenance.csv")
    return tmp_path


@pytest.mark.parametrize("name", experiments.KEPT)
def test_tables_are_typed_and_their_origin_is_known(name):
    table = experiments.kept(name)
    assert table.height
    assert table.select(pl.col(pl.Float64)).width
    if "machine" in table.columns:
        with pytest.raises(ValueError, match="of their own"):
            experiments.origin(name)
    else:
        origin = experiments.origin(name)
        assert origin["command"].startswith("make ")
        assert origin["date"] > "2026"
    assert hasattr(getattr(experiments, experiments.KEPT[name]), "main")


def test_an_unknown_table_is_named():
    with pytest.raises(ValueError, match=r"evaluation, .*got 'evaluations'"):
        experiments.kept("evaluations")


def columns(name):
    return experiments.kept(name).columns


def test_the_evaluation(folder, monkeypatch):
    monkeypatch.setattr(evaluation, "RESULTS", folder / "evaluation.csv")
    monkeypatch.setattr(evaluation, "BASES", 1)
    monkeypatch.setattr(evaluation, "CASES", 1)

    def quick(**case):
        return two_tier.evaluate(**case, time=1000.0)

    monkeypatch.setattr(evaluation, "solve_all", lambda _, cases, **__: [quick(**case) for case in cases])
    evaluation.main()
    made = pl.read_csv(folder / "evaluation.csv")
    assert made.columns == columns("evaluation")
    assert made["change"].to_list() == list(two_tier.CHANGES)
    assert pl.read_csv(folder / "provenance.csv").row(0)[:2] == ("evaluation.csv", "make evaluation")


def test_the_decisions(folder, monkeypatch):
    monkeypatch.setattr(decisions, "STEADY", folder / "autoscaling.csv")
    monkeypatch.setattr(decisions, "DAYS", folder / "autoscaling_day.csv")
    monkeypatch.setattr(decisions, "REQUESTS", 2000)
    asked = list(decisions.decisions())[:2]
    monkeypatch.setattr(decisions, "decisions", lambda: asked)
    monkeypatch.setattr(decisions, "solve_all", lambda work, cases, **_: [work(**case) for case in cases[:2]])
    simulate = decisions.autoscaling.simulated_day

    def short(plan, seed):
        return simulate(plan, seed, days=2, hours=(2, 6))

    monkeypatch.setattr(decisions.autoscaling, "simulated_day", short)
    monkeypatch.setattr(decisions.autoscaling, "decision_hours", lambda: np.array([2.0, 4.0]))
    monkeypatch.setattr(decisions.autoscaling, "plan", lambda *_: [4] * 12)
    decisions.main()
    assert pl.read_csv(folder / "autoscaling.csv").columns == columns("autoscaling")
    days = pl.read_csv(folder / "autoscaling_day.csv")
    assert days.columns == columns("autoscaling_day")
    assert days["hour"].to_list() == [2, 4] * 2


def test_the_depletion(folder, monkeypatch):
    monkeypatch.setattr(depletion, "RESULTS", folder / "depletion.csv")
    monkeypatch.setattr(depletion, "COST", folder / "depletion_cost.csv")
    monkeypatch.setattr(depletion, "PLACES", (4,))
    monkeypatch.setattr(depletion, "LARGEST", (30, 5))
    monkeypatch.setattr(depletion, "FIGURE", [(20, 4, 2), (30, 5, 3)])
    monkeypatch.setattr(depletion, "AT", 3)
    monkeypatch.setattr(depletion, "AROUND", (0.5, 0.5))
    monkeypatch.setattr(depletion, "PRECISION", 0.2)
    depletion.main()
    made = pl.read_csv(folder / "depletion.csv")
    assert made.columns == columns("depletion")
    both = made.drop_nulls("simulated")
    assert set(both.select("N", "K", "K_A").rows()) == {(20, 4, 2), (30, 5, 3)}
    assert ((both["T"] - both["simulated"]).abs() < 2 * both["half_width"]).all()
    assert pl.read_csv(folder / "depletion_cost.csv").columns == columns("depletion_cost")


def test_the_times_of_the_fluid_model(folder, monkeypatch):
    monkeypatch.setattr(fluid_times, "RESULTS", folder / "fluid_times.csv")
    monkeypatch.setattr(fluid_times, "STATIONS", (3,))
    monkeypatch.setattr(fluid_times, "FACTORS", (1,))
    monkeypatch.setattr(fluid_times, "RUNS", 3)
    asked = []
    monkeypatch.setattr(fluid_times, "median_time", lambda work, *repeats, **_: asked.append(work()) or 1.0)
    fluid_times.main()
    assert asked
    made = pl.read_csv(folder / "fluid_times.csv")
    assert made.columns == columns("fluid_times")
    assert made["grows"].to_list() == ["phases", "jobs"]


def test_the_system_of_the_log():
    servers, needs, rates, mix = near_saturation.system()
    assert servers == near_saturation.PROCESSORS >= max(needs)
    assert len(needs) == len(rates) == len(mix) == 8
    assert sum(mix) == pytest.approx(1)
    assert min(rates) > 0


def test_near_saturation(folder, monkeypatch):
    monkeypatch.setattr(near_saturation, "CONSTANT", folder / "near_saturation.csv")
    monkeypatch.setattr(near_saturation, "WAITS", folder / "near_saturation_waits.csv")
    monkeypatch.setattr(near_saturation, "system", lambda: (6, (2, 3), (2.5, 0.625), (0.5, 0.5)))
    monkeypatch.setattr(near_saturation, "LOADS", (0.5,))
    monkeypatch.setattr(near_saturation, "JOBS", 20_000)
    near_saturation.main()
    made = pl.read_csv(folder / "near_saturation.csv")
    assert made.columns == columns("near_saturation")
    assert made.select("configurations", "states", "delta").row(0) == (7, 7, pytest.approx(0.391603982, abs=1e-8))
    waits = pl.read_csv(folder / "near_saturation_waits.csv")
    assert waits.columns == columns("near_saturation_waits")
    assert waits["asymptote"][0] == pytest.approx(1.3823266, abs=1e-5)
    assert waits["simulated"][0] == pytest.approx(1.4457543, abs=3 * waits["half_width"][0])


def test_capacities_of_public_logs(folder, monkeypatch):
    monkeypatch.setattr(public_logs, "TABLE", folder / "public_logs.csv")
    monkeypatch.setattr(capacity, "JOBS", {"fcfs": 500, "easy": 500})
    with example_path() as path:
        monkeypatch.setattr(public_logs, "LOGS", {"ours": path.name})
        monkeypatch.setenv("MJQ_TRACES", str(path.parent))
        public_logs.main()
        own = capacities(read_log(path), "easy", exact=False)["own_order"]
    made = pl.read_csv(folder / "public_logs.csv")
    assert made.columns == columns("public_logs")
    row = made.row(by_predicate=(pl.col("policy") == "easy") & (pl.col("capacity") == "own_order"), named=True)
    assert row["share"] == pytest.approx(own.share, rel=1e-5)
    monkeypatch.delenv("MJQ_TRACES")
    with pytest.raises(SystemExit, match="MJQ_TRACES"):
        public_logs.main()


def test_the_kept_capacities_say_what_the_order_of_jobs_is_worth():
    """In each of the logs real times cost more than exponential ones, and the order gives back a part of that."""
    of_fcfs = experiments.kept("public_logs").filter(pl.col("policy") == "fcfs", pl.col("needs") == "as they are")
    for log in public_logs.LOGS:
        rows = of_fcfs.filter(pl.col("log") == log)
        share = dict(rows.filter(pl.col("capacity") != "drawn").select("capacity", "share").iter_rows())
        assert share["independent"] < share["own_order"] < 1 == share["naive"]
        assert share["independent"] < share["exponential"]
        drawn = rows.filter(pl.col("capacity") == "drawn").sort("block")["share"].to_list()
        assert drawn == sorted(drawn)
