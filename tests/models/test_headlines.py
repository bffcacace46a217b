"""Headlines of the models: plain values in and out, one at a time and in grids."""

import os

import numpy as np
import polars as pl
import pytest

from mjq import processing_capacity, stability
from mjq._util import parallel
from mjq._util.journal import Journal
from mjq_book import headlines
from mjq_book.headlines import Grid, grids, solve, solve_grid

FIXED = dict(n1=1, mu1=1.0, mu2=0.5, p1=0.7)
SMALL = Grid("stability", FIXED, {"n": [5, 6], "n2": [2, 3, 6]})  # the fifth of six cases is refused: a need of 6 of 5


@pytest.mark.parametrize(
    ("model", "given", "said"),
    [
        ("stability", dict(n=30.5), r"^stability.n must be a whole number, got 30.5$"),
        ("stability", dict(n=True), r"^stability.n must be a whole number, got True$"),
        ("stability", dict(mu1="fast"), r"^stability.mu1 must be a number, got 'fast'$"),
        ("stability", dict(mu1=float("nan")), r"^stability.mu1 must be a number, got None$"),
        ("processing_capacity", dict(b=2), r"^processing_capacity.b must be a list, got 2$"),
        ("processing_capacity", dict(b=[2, "3"]), r"^processing_capacity.b.1 must be a number, got '3'$"),
        ("cluster", dict(mu2="slow"), r"^cluster.mu2 must be a number, got 'slow'$"),
        ("pool_depletion", dict(D=[[1, 2], 3]), r"^pool_depletion.D.1 must be a list, got 3$"),
        (
            "fluid",
            dict(network={"servers": {"q": "many"}, "service": [], "routing": []}),
            r"^fluid.network.servers.q must be a number, got 'many'$",
        ),
        ("fluid", dict(network=[]), r"^fluid.network must be a table of names and values, got \[\]$"),
        ("processing_capacity", dict(t=1.0), "t needs lam"),
        ("queue", {}, "there is no model 'queue'"),
        ("stability", dict(m=3), "stability has no input 'm'"),
    ],
)
def test_what_does_not_fit_is_named(model, given, said):
    usual = {
        "stability": FIXED | dict(n=5, n2=2),
        "processing_capacity": dict(B=6, b=[2, 3], mu=[1, 1], p=[0.5, 0.5]),
        "cluster": dict(N=3, sizes=[1, 2], p=[0.7, 0.3], lam=5, mu1=7, mu2=1, C=1),
        "pool_depletion": dict(D=[[1, 2], [2, 1]], N_A=3, N_B=3, K=2),
    }.get(model, {})
    with pytest.raises(ValueError, match=said):
        solve(model, **usual | given)


def test_a_network_that_names_a_thing_twice_or_not_is_refused():
    service = {"queue": "q", "class": "c", "mean": 1}
    plain = {"servers": {"q": 1}, "service": [service], "routing": [], "arrivals": []}
    for more, said in (
        ({"service": [service, service]}, "given twice"),
        ({"routing": [{"from": ["q", "c"], "to": ["q", "c"], "probability": 0.1}] * 2}, "given twice"),
        ({"service": [{"queue": "q", "mean": 1}]}, "network.service.0.class is missing"),
        ({"jobs": 3}, "network.jobs is not known"),
        ({"routing": [{"from": ["q"], "to": ["q", "c"]}]}, "network.routing.0.from"),
    ):
        with pytest.raises(ValueError, match=said):
            headlines.network_of(plain | more)


def test_numbers_of_numpy_and_whole_floats_are_taken():
    given = FIXED | dict(n=np.int64(5), n2=2.0, mu1=np.float64(1))
    assert solve("stability", **given)["result"]["throughput"] == stability.throughput(5, 1, 2, 1.0, 0.5, 0.7)


def test_without_an_arrival_rate_only_the_limit_is_told():
    system = dict(B=6, b=[2, 3], mu=[1, 0.25], p=[0.5, 0.5])
    capacity = processing_capacity.processing_capacity(**system)
    assert solve("processing_capacity", **system)["result"]["capacity"] == pytest.approx(capacity, rel=1e-12)
    near = solve("near_saturation", **system)["result"]
    assert near["capacity"] == pytest.approx(capacity)
    assert {name for name, x in solve("near_saturation", **system, lam=0.5 * capacity)["result"].items() if x} > {
        name for name, x in near.items() if x
    }


def test_a_list_of_one_rate_is_the_rate_of_all_sizes():
    given = dict(N=3, sizes=[1, 2], p=[0.7, 0.3], lam=5, mu1=7, C=1)
    assert solve("cluster", **given, mu2=[2.0])["result"] == solve("cluster", **given, mu2=2.0)["result"]


# --- Grids ----------------------------------------------------------------------------------------------------------


def test_a_grid_is_all_cases_in_order(tmp_path):
    found = solve_grid(SMALL, tmp_path / "waste.csv", progress=False)
    assert found.select("n", "n2").rows() == [(n, n2) for n in (5, 6) for n2 in (2, 3, 6)]
    assert found["error"].is_null().to_list() == [True, True, False, True, True, True]
    assert "need n2 6 exceeds the 5 servers" in found["error"][2]
    for row in found.filter(pl.col("error").is_null()).iter_rows(named=True):
        assert row["throughput"] == stability.throughput(row["n"], 1, row["n2"], 1.0, 0.5, 0.7)
    assert pl.read_csv(tmp_path / "waste.csv").equals(found)
    assert [x.name for x in tmp_path.iterdir()] == ["waste.csv"]


def test_processes_and_parquet_give_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    here = solve_grid(SMALL, tmp_path / "here.parquet", workers=1, progress=False)
    monkeypatch.setattr(parallel, "SOON", 0.0)  # what takes longer is given to processes
    there = solve_grid(SMALL, tmp_path / "there.parquet", progress=False)
    assert here.equals(there)
    assert pl.read_parquet(tmp_path / "there.parquet").equals(here)


def test_an_interrupted_grid_goes_on_where_it_was(tmp_path, monkeypatch):
    seen = []

    def attempt(grid, case, true=grids.attempt):
        if len(seen) == 3:
            raise KeyboardInterrupt
        seen.append(case)
        return true(grid, case)

    monkeypatch.setattr(grids, "attempt", attempt)
    output, part = tmp_path / "waste.csv", tmp_path / "waste.csv.part"
    with pytest.raises(KeyboardInterrupt):
        solve_grid(SMALL, output, progress=False)
    assert not output.exists()
    assert part.exists()
    seen.clear()
    monkeypatch.setattr(grids, "attempt", lambda grid, case: seen.append(case) or {"throughput": 1.0})
    found = solve_grid(SMALL, output, progress=False)
    assert seen == list(SMALL.cases())[3:]
    assert found["throughput"].to_list()[3:] == [1.0] * 3
    assert found["throughput"][0] == stability.throughput(5, 1, 2, 1.0, 0.5, 0.7)
    assert not part.exists()


def test_what_is_there_is_not_lost(tmp_path):
    output, part = tmp_path / "waste.csv", tmp_path / "waste.csv.part"
    output.write_text("mine")
    with pytest.raises(ValueError, match="exists; --force replaces it"):
        solve_grid(SMALL, output)
    assert output.read_text() == "mine"
    output.unlink()
    Journal(part, Grid("stability", FIXED | dict(n2=2), {"n": [3]}).described()).note([(0, {})])
    before = part.read_text()
    with pytest.raises(ValueError, match="begun by another command"):
        solve_grid(SMALL, output)
    assert part.read_text() == before
    assert solve_grid(SMALL, output, force=True, progress=False).height == 6


def test_lists_and_tables_become_columns(tmp_path):
    fixed = dict(B=6, b=[2, 3], mu=[1, 1], lam=1.0)
    found = solve_grid(Grid("processing_capacity", fixed, {"p": [[0.5, 0.5], [1, 0]]}), tmp_path / "x.csv")
    assert found["p"].to_list() == ["[0.5, 0.5]", "[1, 0]"]
    assert {"EWq_by_class.1", "EWq_by_class.2"} <= set(found.columns)
    assert found["EWq_by_class.2"][1] is None
    best = Grid("pool_depletion", dict(D=[[0.75, 0.64], [0.48, 1.25]], N_A=7, N_B=3, K=3), {"K_A": [0, 1]})
    again = solve_grid(best, tmp_path / "y.csv")
    assert again["K_A"].to_list() == again["K_A (result)"].to_list() == [0, 1]


@pytest.mark.parametrize(
    ("fixed", "swept", "said"),
    [
        (FIXED, {"n": [5]}, "stability needs n2"),
        (FIXED | dict(n2=2, n=3), {"n": [5]}, "n: give a single value or many, not both"),
        (FIXED | dict(n2=2), {"n": []}, "has no values"),
        (FIXED | dict(n2=2), {"m": [3]}, "has no input 'm'"),
        (FIXED | dict(n2=2), {"n": [5, 10**400]}, r"n must be at most 1.8e\+308 in size"),
        (FIXED, {"n": range(10_000), "n2": range(1000)}, "10000000 cases are more than"),
    ],
)
def test_a_grid_that_cannot_be_is_refused(fixed, swept, said):
    with pytest.raises(ValueError, match=said):
        Grid("stability", fixed, swept)


def test_the_ending_names_the_format(tmp_path):
    with pytest.raises(ValueError, match=r"must end in .csv or .parquet, got waste.xls"):
        solve_grid(SMALL, tmp_path / "waste.xls")


def test_a_case_that_kills_its_process_is_found(tmp_path, monkeypatch):
    """Each of the others has its result, as ``test_parallel.py`` shows."""
    monkeypatch.setattr(
        parallel, "map_as_completed", lambda function, cases, workers, died: [[(k, died) for k, _ in cases]]
    )
    found = solve_grid(SMALL, tmp_path / "x.csv", progress=False)
    assert found["error"].to_list() == ["the process died, perhaps for lack of memory"] * 6
