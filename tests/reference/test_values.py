"""Reference values: computed again in both ways, kept with their history, and described by their schema."""

import csv
import io
import json
import shlex
import subprocess
import sys
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import groupby

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq.simulation import replay
from mjq.simulation.policies import FAMILIES
from mjq_book import reference
from mjq_book.chapters import NAMES
from mjq_book.published import schedules
from tests.conftest import ROOT, said
from tests.reference import digits, making
from tests.reference.problems import PROBLEMS, QUANTITIES
from tests.reference.ways import WAYS

ROWS = reference.values()


def of_origin(origin):
    return [row for row in ROWS if row["origin"] == origin]


def problem_of(row):
    return row["id"].rpartition("/")[0]


@pytest.mark.parametrize(
    "key", [pytest.param(key, marks=[pytest.mark.slow] * problem.slow) for key, problem in PROBLEMS.items()]
)
def test_each_value_is_computed_again_in_both_ways(key):
    rows = reference.find(key)
    assert [row["symbol"] for row in rows] == list(PROBLEMS[key].wanted)
    first, second = digits.computed(key)
    for row in rows:
        assert holds(row, *(way[row["symbol"]] for way in (first, second)))


def holds(row, first, second):
    """Whether both ways round to the value, differ by no more than the row says, and the fraction is exact."""
    printed, values = Decimal(row["value"]), [digits.to_decimal(value) for value in (first, second)]
    half = Decimal(1).scaleb(int(printed.as_tuple().exponent)) / 2  # of a unit of the last digit
    allowed = digits.processor_tolerance(row, printed)
    return (
        all(abs(value - printed) <= half + allowed for value in values)
        and abs(values[0] - values[1]) <= Decimal(row["apart"]) + allowed
        and (not row["exact"] or second == Fraction(row["exact"]))
    )


def test_another_value_is_noticed():
    (row,), (first, second) = reference.find("capacity-bb22-example"), digits.computed("capacity-bb22-example")
    assert holds(row, first["X"], second["X"])
    assert not holds(row | {"value": "2.08695652175"}, first["X"], second["X"])
    assert not holds(row | {"exact": "48/25"}, first["X"], second["X"])
    assert not holds(row, first["X"] + 1e-11, second["X"]) and not holds(row, first["X"] + 2e-12, second["X"])


def test_the_rows_are_what_the_problems_say():
    """Names, units, parameters and ways, without computing anything."""
    for row in of_origin("computed"):
        key, name = row["id"].split("/")
        problem = PROBLEMS[key]
        assert QUANTITIES[problem.model][row["symbol"]] == (name, row["quantity"], row["unit"])
        assert (problem.title, problem.parameters, problem.slow) == (row["problem"], row["parameters"], row["slow"])
        assert (WAYS[problem.first].words, WAYS[problem.second].words) == (row["first"], row["second"])
    assert {row["id"].split("/")[0] for row in of_origin("computed")} == PROBLEMS.keys()


def test_the_two_ways_share_no_function():
    for problem in PROBLEMS.values():
        assert WAYS[problem.first].function is not WAYS[problem.second].function
    assert {problem.first for problem in PROBLEMS.values()} | {p.second for p in PROBLEMS.values()} == WAYS.keys()


def test_the_schedules_are_those_that_are_published():
    """And each policy is there; the starts themselves are computed again by other tests, in two ways."""
    works, starts = list(schedules.workloads().values()), schedules.schedules()
    for row in of_origin("schedule"):
        number, policy = row["id"].removeprefix("schedule-").split("/")
        work, given = works[int(number) - 1], row["parameters"]
        assert row["value"] == " ".join(map(str, starts[work.name, given["ties"], given["limit"]][policy].tolist()))
        assert [given[key] for key in ("servers", "submit", "need", "run", "estimate")] == [
            work.servers, *(getattr(work, key).tolist() for key in ("submit", "need", "run", "estimate")),
        ]  # fmt: skip
    assert {row["parameters"]["policy"] for row in of_origin("schedule")} == set(schedules.POLICIES)


@pytest.mark.parametrize(
    "rows", [pytest.param(list(g), id=key) for key, g in groupby(of_origin("schedule"), problem_of)]
)
def test_each_schedule_is_computed_again(rows):
    for row in rows:
        asked = row["parameters"]
        log = (np.array(asked[key]) for key in ("submit", "need", "run", "estimate"))
        kill = asked["limit"] == "killed"
        start = replay(*log, asked["servers"], asked["policy"], ties=asked["ties"], kill=kill).start
        assert " ".join(f"{time:g}" for time in start) == row["value"], row["id"]


def test_the_values_of_other_programs_are_those_of_the_tests():
    assert of_origin("foreign") == list(making.foreign_rows())


@pytest.mark.slow
def test_the_command_of_each_value_runs_a_test():
    """Of a problem its own test, and no other."""
    collect = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-m", "slow or not slow"]
    folders = ["tests/reference", "tests/foreign"]
    out = subprocess.run([*collect, *folders], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    tests = [line for line in out.splitlines() if "::" in line]
    for command, rows in groupby(ROWS, lambda row: row["command"]):
        program, folder, k, words, *slow = shlex.split(command)
        chosen = [test for test in tests if test.startswith(folder) and words.lower() in test.lower()]
        assert (program, k) == ("pytest", "-k") and chosen, command
        row = next(rows)
        assert slow == ["-m", "slow"] * row["slow"]
        if row["origin"] != "foreign":
            assert len(chosen) == 1 and chosen[0].endswith(f"_again_in_both_ways[{problem_of(row)}]") != (
                row["origin"] == "schedule"
            )


# --- The table --------------------------------------------------------------------------------------------------------


def test_a_value_that_has_changed_has_a_line_in_the_history_that_says_why():
    *_, last = past = reference.history()
    assert (last.version, last.rows, last.digest) == (reference.version(), len(ROWS), reference.digest(ROWS)), (
        "values have changed: python -m tests.reference.making 'why'"
    )
    assert [line.version for line in past] == list(range(1, len(past) + 1))
    assert len({line.digest for line in past}) == len(past) and all(line.why for line in past)


def test_the_digest_is_of_the_values(tmp_path):
    changed = [dict(row) for row in ROWS]
    changed[7]["apart"] = "1e-3"
    assert reference.digest(changed) == reference.digest(ROWS)
    changed[7]["value"] = "1.5"
    assert reference.digest(changed) != reference.digest(ROWS)
    (tmp_path / "history.csv").write_bytes((making.FOLDER / "history.csv").read_bytes())
    with pytest.raises(ValueError, match="say why"):
        making.write(changed, "", tmp_path)
    assert "changed" in making.write(changed, "a misprint in row 7", tmp_path)
    lines = (tmp_path / "history.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(reference.history()) + 2 and lines[-1].endswith("a misprint in row 7")
    assert "as before" in making.write(changed, "", tmp_path)
    assert json.loads((tmp_path / "values.json").read_text(encoding="utf-8"))["version"] == reference.version() + 1


def test_the_table_fits_its_schema():
    text = (making.FOLDER / "values.json").read_text(encoding="utf-8")
    jsonschema.validate(json.loads(text), reference.schema())
    assert text == reference.as_json(ROWS, reference.version())
    assert tuple(reference.schema()["$defs"]["value"]["required"]) == reference.FIELDS
    assert [key for key, n in Counter(row["id"] for row in ROWS).items() if n > 1] == []


def test_there_are_values_of_all_models_and_policies():
    computed = of_origin("computed")
    assert len(computed) >= 200
    assert set(NAMES) <= {row["model"] for row in computed}
    chains = {row["parameters"]["policy"] for row in computed if row["model"] == "scheduling"}
    assert chains >= {"fcfs", "first-fit", "least-servers-first", "most-servers-first", "server-filling"}
    assert any(name.startswith("msfq-") for name in chains) and any("msfq" in name for name in FAMILIES)


def test_no_more_digits_than_both_ways_have():
    assert digits.supported(Decimal("1.00000000000001"), Decimal("1.00000000000001"))[0] == "1.00000000000"
    assert digits.supported(*[Decimal("0.1234567890125")] * 2) == ("0.12345678901", "3e-15")  # which ends near a half
    with pytest.raises(ArithmeticError, match="no digit in common"):
        digits.supported(Decimal("0.2"), Decimal("0.3"))


@given(st.integers(10**5, 10**9), st.integers(1, 999))
def test_digits_stay_where_the_second_way_is_four_times_as_far_off_as_the_first_one_says(value, difference):
    second = Decimal(value)
    text, apart = digits.supported(second + difference, second)
    assert Decimal(apart) >= 4 * difference
    places = len(text.replace(".", "").lstrip("0").partition("e")[0])
    for times in (-4, -2, 2, 4):
        assert digits.rounded(second + times * difference, places) == text


def test_csv_has_the_same_rows():
    rows = list(csv.DictReader(io.StringIO(reference.as_csv(ROWS))))
    assert [row["value"] for row in rows] == [row["value"] for row in ROWS]
    assert json.loads(rows[0]["parameters"]) == ROWS[0]["parameters"]


# --- The command ------------------------------------------------------------------------------------------------------


def test_the_command_shows_values():
    status, out, _ = said("reference", "capacity-bb22-example/capacity")
    assert status == 0 and "2.08695652174" in out and "48/23" in out and '"B": 6' in out
    assert f"{len(ROWS)} reference values" in said("reference")[1]
    assert "first-fit-two/wait" in said("reference", "first-fit", "wait")[1]
    found = json.loads(said("reference", "stability", "--json")[1])
    jsonschema.validate(found, reference.schema())


def test_the_command_refuses_what_is_not_there():
    status, _, err = said("reference", "no-such-row")
    assert status == 2 and "no reference value is named 'no-such-row'" in err


def test_the_files_are_downloads_of_the_page():
    page = (ROOT / "book/reference-values.md").read_text(encoding="utf-8")
    assert "reference-values.json" in page and "reference-values.csv" in page
