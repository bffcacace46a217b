"""Tables of text: what is written is what Python's own module writes, and what is read is what was written."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq import text_tables
from tests.conftest import ROOT

# A carriage return alone is always between quotes, by Python from 3.13 on.
WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=5)
CELLS = WORDS | st.sampled_from([None, "", ",", '"', "\n", 1, True, 0.1, 1e-300, float("nan"), 10**20])


def rows_of(width):
    return st.tuples(*[WORDS] * width), st.lists(st.tuples(*[CELLS] * width), max_size=4)


@given(st.integers(1, 4).flatmap(lambda width: st.tuples(*rows_of(width))), st.sampled_from(["\n", "\r\n"]))
def test_the_text_is_that_of_pythons_own_module(table, line_end):
    columns, rows = table
    text = io.StringIO()
    writer = csv.writer(text, lineterminator=line_end)
    writer.writerow(columns)
    writer.writerows(rows)
    assert text_tables.written(columns, rows, line_end) == text.getvalue()


FILES = sorted([*ROOT.glob("mjq/**/*.csv"), *ROOT.glob("benchmarks/*.csv"), *ROOT.glob("book/**/*.csv")])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_tables_of_the_project_are_read_as_they_stand(path):
    with open(path, encoding="utf-8", newline="") as file:
        assert text_tables.read(path) == list(csv.DictReader(file))


def test_short_rows_are_filled_and_a_line_of_nothing_is_a_row(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(text_tables.written(["a", "b", "a"], [[1], [1, 2, 3]]))
    assert path.read_text() == "a,b,a\n1,,\n1,2,3\n"
    path.write_text(text_tables.written(["a"], [[None], ["x"]]))
    assert text_tables.read(path) == [{"a": ""}, {"a": "x"}]
    assert text_tables.written([], []) == '""\n'


@pytest.mark.parametrize("text", ["", "a,b\n1,2,3\n"])
def test_what_is_no_table_is_refused_by_its_name(tmp_path, text):
    (tmp_path / "table.csv").write_text(text)
    with pytest.raises(ValueError, match=r"table\.csv cannot be read as a table"):
        text_tables.read(tmp_path / "table.csv")
