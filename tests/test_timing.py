"""When and where kept results were made."""

import csv

from benchmarks import timing


def test_each_file_has_one_row_of_provenance(tmp_path, monkeypatch):
    monkeypatch.setattr(timing, "PROVENANCE", tmp_path / "provenance.csv")
    for path, command in (("b.csv", "make b"), (tmp_path / "a.csv", "make a"), ("b.csv", "make b again")):
        timing.record_provenance(path, command)
    with (tmp_path / "provenance.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["file"], row["command"]) for row in rows] == [("a.csv", "make a"), ("b.csv", "make b again")]
    assert list(rows[0]) == ["file", "command", "date", "machine"]
    assert all(row["machine"] == timing.machine() for row in rows)
