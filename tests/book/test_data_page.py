"""The page about data: each log and each kept table is on it, with the command that makes it."""

import hashlib
import importlib
import re
import subprocess
from fnmatch import fnmatch

import pytest

from mjq_book.experiments import forecasts, logs_on_hosts, public_logs, real_waits, summaries
from mjq_book.experiments.tables.reading import KEPT
from tests.conftest import ROOT, TRACES, needs_traces

PAGE = (ROOT / "book/data.md").read_text(encoding="utf-8")
TABLES = PAGE.split("## Tables that are kept")[1]
LOGS = set(re.findall(r"^\| [^|]*`([\w.-]+\.gz)` \| [\d,]+ \|", PAGE, re.M))


def test_each_log_of_an_experiment_is_listed():
    used = summaries.LOGS, public_logs.LOGS, real_waits.LOGS, logs_on_hosts.LOGS
    used += forecasts.REPLAYED, forecasts.REAL, forecasts.MADE_UP
    assert {"example.swf.gz", *(file for logs in used for file in logs.values())} <= LOGS


def test_each_kept_table_is_listed_with_its_command():
    rows = {name: row for row in TABLES.splitlines() for name in re.findall(r"`(\w+)\.csv`", row) if row[:1] == "|"}
    assert set(rows) == {*KEPT, "nasa_ipsc"}
    assert all(f"`make experiment NAME={module}`" in rows[name] for name, module in KEPT.items())
    files = {path.stem for path in (ROOT / "mjq_book/experiments/tables").glob("*.csv")}
    assert files == {*KEPT, "provenance"}


# --- The table of all data files ---


@pytest.fixture
def csv_tables(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "book/_ext")
    return importlib.import_module("csv_tables")


def test_each_data_file_of_the_project_has_a_row_and_each_row_a_file(csv_tables):
    try:
        tracked = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True
        )
    except OSError:
        pytest.skip("no git here")
    if tracked.returncode:
        pytest.skip("no repository here")
    data = {
        name
        for name in tracked.stdout.splitlines()
        if (name.endswith((".csv", ".gz")) or (name.startswith("mjq") and name.endswith(".json")))
        and (ROOT / name).exists()
    }
    listed = {path.relative_to(ROOT).as_posix() for path in csv_tables.files()}
    assert data - listed == set(), "book/data.csv"
    for row in csv_tables.read(csv_tables.DATA):
        assert all(row[name] for name in ("file", "holds", "from", "made by", "terms"))
        assert row["sha256"] or any(fnmatch(name, row["file"]) for name in data), row["file"]


def test_checksums_are_those_of_the_files(csv_tables):
    lines = {name: checksum for checksum, name in csv_tables.checksums()}
    name = "mjq_book/published/bb22.csv"
    assert lines[name] == hashlib.sha256((ROOT / name).read_bytes()).hexdigest()
    assert LOGS - {"example.swf.gz"} == {row["file"] for row in csv_tables.read(csv_tables.DATA) if row["sha256"]}


@needs_traces
def test_logs_that_are_not_shipped_have_their_checksums(csv_tables):
    for row in csv_tables.read(csv_tables.DATA):
        if row["sha256"] and (TRACES / row["file"]).exists():
            assert hashlib.sha256((TRACES / row["file"]).read_bytes()).hexdigest() == row["sha256"], row["file"]
