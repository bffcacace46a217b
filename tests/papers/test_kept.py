"""Tables that chapters read are kept whole, with their origin."""

import pytest

from mjq_book.experiments.tables import keeping as kept
from tests.conftest import csv_rows


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "FOLDER", tmp_path)
    return tmp_path


def test_each_file_has_one_row_of_provenance(folder):
    for table in ("ladder", "autoscaling_day", "ladder"):
        kept.keep(table, [{"case": 1}])
    rows = csv_rows(folder / "provenance.csv")
    assert [(row["file"], row["command"]) for row in rows] == [
        ("autoscaling_day.csv", "make experiment NAME=decisions"),
        ("ladder.csv", "make experiment NAME=ladder"),
    ]
    assert list(rows[0]) == ["file", "command", "date", "machine"]
    assert all(row["date"] and row["machine"] == kept.machine() for row in rows)


def test_results_are_kept_with_their_digits(folder):
    kept.keep("ladder", [{"case": 1, "T": 2 / 3}, {"case": 2}], ["T", "case", "note"], digits=3)
    assert csv_rows(folder / "ladder.csv") == [
        {"T": "0.667", "case": "1", "note": ""},
        {"T": "", "case": "2", "note": ""},
    ]


def test_a_row_that_does_not_fit_leaves_the_kept_ones_as_they_are(folder):
    kept.keep("ladder", [{"case": 1}])
    with pytest.raises(ValueError, match="fields not in fieldnames: 'other'"):
        kept.keep("ladder", [{"case": 2}, {"other": 3}])
    assert csv_rows(folder / "ladder.csv") == [{"case": "1"}]
