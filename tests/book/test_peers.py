"""README, *Beside other tools*: each tool with what was measured, and no tool without."""

import importlib
import re

import pytest

from benchmarks.peers import comparison
from benchmarks.peers.__main__ import RESULTS, TOOLS, row
from tests.conftest import ROOT, csv_rows

ROWS = csv_rows(RESULTS)


def ratio(tool, problem=""):
    """The ratio of one kept comparison."""
    (found,) = [float(x["ratio"]) for x in ROWS if x["tool"] == tool and problem in x["problem"]]
    return found


def test_each_row_has_a_version_a_date_a_machine_and_both_sides():
    for x in ROWS:
        assert re.fullmatch(r"\S+ \d[\w.]*", x["package"])
        assert x["date"] and x["machine"] and x["their_error"]
        assert 0 < float(x["lowest"]) <= float(x["ratio"]) <= float(x["highest"])
        assert int(x["repeats"]) >= 3


def test_the_readme_has_a_row_for_each_tool():
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    for package in {x["package"] for x in ROWS}:
        ratios = sorted(float(x["ratio"]) for x in ROWS if x["package"] == package)
        span = " to ".join(dict.fromkeys(f"{float(f'{x:.2g}'):g}" for x in (ratios[0], ratios[-1])))
        assert f"| {package} | {len(ratios)} | {span} |" in page


def test_simulations_are_long_enough_to_compare():
    """A million jobs: each interval is a few per cent wide, and holds the exact value."""
    errors = [x[side] for x in ROWS if "simulated" in x["problem"] for side in ("our_error", "their_error")]
    for error in errors:
        half, off = map(float, re.fullmatch(r"± ([\d.]+) %, off by ([\d.]+) %", error).groups())
        assert off <= half < 5
    runs = [
        re.search(r"(\d+) runs of ([\d,]+) jobs", x["problem"]).groups() for x in ROWS if "simulated" in x["problem"]
    ]
    assert {int(many) * int(jobs.replace(",", "")) for many, jobs in runs} == {1_000_000}


def test_where_both_are_exact_six_digits_agree():
    approximate = ("cut off", "MVA (default)")
    exact = [x for x in ROWS if "simulated" not in x["problem"] and not any(y in x["tool"] for y in approximate)]
    errors = [re.search(r"[\d.]+e[+-]\d+", x["their_error"]) for x in exact]
    assert max(float(error[0]) for error in errors if error) < 5e-7


def test_a_ratio_says_which_side_is_faster():
    assert next(x for x in ROWS if "first-fit" in x["problem"])["their_error"] == "every wait is the same"
    assert next(x for x in ROWS if x["package"].startswith("scipy"))["tool"].startswith("sweeps of Gauss-Seidel")
    assert ratio("LINE, MVA (exact)") < 1
    assert ratio("Storm, long-run reward", "capacity") < 1
    assert all(float(x["their_error"].split()[0]) < 1e-12 for x in ROWS if "MsjSaturatedCalc" in x["tool"])
    light, heavy = sorted((x for x in ROWS if "MsjExactCalc" in x["tool"]), key=lambda x: x["problem"])
    assert float(light["their_error"].split()[0]) < float(heavy["their_error"].split()[0])


def test_two_ways_are_run_in_turn_after_one_call_of_each():
    said = []
    found = comparison.compared(
        "p", "q", "t", "numpy", lambda: said.append("a") or 2.0, lambda: said.append("b") or 3.0, comparison.off(2.0), 3
    )
    assert "".join(said) == "ab" * 4
    assert found.lowest <= found.ratio <= found.highest
    assert (found.our_error, found.their_error) == ("0.0e+00 of the value", "5.0e-01 of the value")
    assert row(found, {"date": "d"})["package"].startswith("numpy ")


@pytest.mark.parametrize("name", TOOLS.values())
def test_a_part_can_be_imported_without_its_tool(name):
    """So that what is not installed is skipped; simpy and scipy are installed with the project."""
    assert importlib.import_module(f"benchmarks.peers.with_{name.replace('-', '_')}").COMPARISONS


def test_what_is_not_installed_is_not_there():
    assert comparison.has("scipy")
    assert not comparison.has("no_such_tool")
