"""Reference values: computed again in both ways, kept with their history, and described by their schema."""

import csv
import io
import json
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq.simulation.policies import FAMILIES
from mjq_book import reference
from mjq_book.chapters import NAMES
from mjq_book.published import schedules
from mjq_book.reference import checking, making, table
from mjq_book.reference.problems import PROBLEMS, QUANTITIES
from mjq_book.reference.ways import WAYS
from tests.conftest import ROOT, said

ROWS = reference.values()


def of_origin(origin):
    return [row for row in ROWS if row["origin"] == origin]


@pytest.mark.parametrize(
    "key", [pytest.param(key, marks=[pytest.mark.slow] * problem.slow) for key, problem in PROBLEMS.items()]
)
def test_each_value_is_computed_again_in_both_ways(key):
    rows = [row for row in ROWS if row["id"].startswith(f"{key}/")]
    assert [row["symbol"] for row in rows] == list(PROBLEMS[key].wanted)
    for row in rows:
        assert reference.check(row).agrees, (row["id"], reference.check(row))
    first, second = checking.computed(key)
    for row in rows:
        values = [checking.to_decimal(way[row["symbol"]]) for way in (first, second)]
        allowed = Decimal(row["apart"]) + checking.elsewhere(row, values[1])
        assert abs(values[0] - values[1]) <= allowed, row["id"]
        if row["exact"]:
            assert second[row["symbol"]] == Fraction(row["exact"])


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


def test_some_schedules_are_computed_again():
    for row in of_origin("schedule")[::40]:
        assert reference.check(row).agrees


def test_the_values_of_other_programs_are_those_of_the_tests():
    assert of_origin("foreign") == list(making.foreign_rows())
    with pytest.raises(ValueError, match="is a value of another program, and is checked by: pytest tests/foreign -k"):
        reference.check(of_origin("foreign")[0])


# --- The table --------------------------------------------------------------------------------------------------------


def test_a_value_that_has_changed_has_a_line_in_the_history_that_says_why():
    *_, last = past = reference.history()
    assert (last.version, last.rows, last.digest) == (reference.version(), len(ROWS), reference.digest(ROWS)), (
        "values have changed: python -m mjq_book.reference.making 'why'"
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
    assert text == making.as_json(ROWS, reference.version())
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
    assert checking.supported(Decimal("1.00000000000001"), Decimal("1.00000000000001"))[0] == "1.00000000000"
    assert checking.supported(*[Decimal("0.1234567890125")] * 2) == ("0.12345678901", "3e-15")  # which ends near a half
    with pytest.raises(ArithmeticError, match="no digit in common"):
        checking.supported(Decimal("0.2"), Decimal("0.3"))


@given(st.integers(10**5, 10**9), st.integers(1, 999))
def test_digits_stay_where_the_second_way_is_four_times_as_far_off_as_the_first_one_says(value, difference):
    second = Decimal(value)
    text, apart = checking.supported(second + difference, second)
    assert Decimal(apart) >= 4 * difference
    places = len(text.replace(".", "").lstrip("0").partition("e")[0])
    for times in (-4, -2, 2, 4):
        assert checking.rounded(second + times * difference, places) == text


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
    found = json.loads(said("reference", "--model", "stability", "--json")[1])
    jsonschema.validate(found, reference.schema())
    assert said("reference", "mmc-2-0.7", "--csv")[1].count("\n") == 6


def test_the_command_computes_again(monkeypatch):
    status, out, _ = said("reference", "capacity-bb22-example", "--check")
    assert status == 0 and "1 of 1 values computed again" in out
    (row,) = table.find("capacity-bb22-example/capacity")
    monkeypatch.setitem(row, "value", "2.08695652175")
    status, out, err = said("reference", "capacity-bb22-example/capacity", "--check")
    assert status == 1 and "NOT computed again" in out and "other than in the table" in err


def test_the_command_refuses_what_is_not_there():
    status, _, err = said("reference", "no-such-row")
    assert status == 2 and "no reference value is named 'no-such-row'" in err
    assert said("reference", "--model", "nothing")[0] == 2
    assert "pytest tests/foreign" in said("reference", "--model", "foreign", "--check")[2]


def test_the_changelog_counts_them():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    counts = Counter(row["origin"] for row in ROWS)
    assert f"{counts['computed']} results of all models" in text
    assert f"{counts['schedule']} small schedules" in text and f"{counts['foreign']} values of other programs" in text


def test_the_files_are_downloads_of_the_page():
    page = (ROOT / "book/reference-values.md").read_text(encoding="utf-8")
    assert "reference-values.json" in page and "reference-values.csv" in page
