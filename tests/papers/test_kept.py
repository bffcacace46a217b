"""Tables that chapters read are kept whole, with their origin."""

import pytest

from mjq_book.experiments.tables import keeping as kept
from tests.conftest import csv_rows


@pytest.fixture
def provenance(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "PROVENANCE", tmp_path / "provenance.csv")
    return tmp_path / "provenance.csv"


def test_each_file_has_one_row_of_provenance(provenance):
    for path, command in (("b.csv", "make b"), (provenance.parent / "a.csv", "make a"), ("b.csv", "make b again")):
        kept.record(path, command)
    rows = csv_rows(provenance)
    assert [(row["file"], row["command"]) for row in rows] == [("a.csv", "make a"), ("b.csv", "make b again")]
    assert list(rows[0]) == ["file", "command", "date", "machine"]
    assert all(row["date"] and row["machine"] == kept.machine() for row in rows)


def test_results_are_kept_with_their_digits_and_their_origin(provenance):
    path = provenance.parent / "results.csv"
    kept.keep(path, [{"case": 1, "T": 2 / 3}, {"case": 2}], "make results", ["T", "case", "note"], digits=3)
    assert csv_rows(path) == [{"T": "0.667", "case": "1", "note": ""}, {"T": "", "case": "2", "note": ""}]
    assert csv_rows(provenance)[0]["command"] == "make results"


def test_a_row_that_does_not_fit_leaves_the_kept_ones_as_they_are(provenance):
    path = provenance.parent / "results.csv"
    kept.keep(path, [{"case": 1}], "make results")
    with pytest.raises(ValueError, match="fields not in fieldnames: 'other'"):
        kept.keep(path, [{"case": 2}, {"other": 3}], "make results")
    assert csv_rows(path) == [{"case": "1"}]
