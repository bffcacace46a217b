"""The page about data: each log and each kept table is on it, with its size and the command that makes it."""

import gzip
import hashlib
import importlib
import re
import subprocess
from fnmatch import fnmatch

import pytest

import mjq_logs
from mjq_book.experiments import forecasts, logs_on_hosts, public_logs, real_waits, summaries
from mjq_book.experiments.tables.reading import KEPT
from tests.conftest import ROOT, TRACES, needs_traces

PAGE = (ROOT / "book/data.md").read_text(encoding="utf-8")
TABLES = PAGE.split("## Tables that are kept")[1]
# Name of the file, jobs, servers and kB, in the first table.
LOGS = {
    file: tuple(int(number.replace(",", "")) for number in numbers)
    for file, *numbers in re.findall(r"^\| [^|]*`([\w.-]+\.gz)` \| ([\d,]+) \| ([\d,]+) \| (\d+) kB \|", PAGE, re.M)
}


def test_each_log_of_an_experiment_is_listed():
    used = summaries.LOGS, public_logs.LOGS, real_waits.LOGS, logs_on_hosts.LOGS
    used += forecasts.REPLAYED, forecasts.REAL, forecasts.MADE_UP
    assert {"example.swf.gz", *(file for logs in used for file in logs.values())} <= set(LOGS)


def test_each_kept_table_is_listed_with_its_command():
    rows = {name: row for row in TABLES.splitlines() for name in re.findall(r"`(\w+)\.csv`", row) if row[:1] == "|"}
    assert set(rows) == {*KEPT, "nasa_ipsc"}
    assert all(f"`make experiment NAME={module}`" in rows[name] for name, module in KEPT.items())
    files = {path.stem for path in (ROOT / "mjq_book/experiments/tables").glob("*.csv")}
    assert files == {*KEPT, "provenance"}


def test_the_example_log_has_the_size_that_is_said():
    log = mjq_logs.example_log()
    with mjq_logs.example_path() as path:
        assert LOGS["example.swf.gz"] == (len(log), log.servers, round(path.stat().st_size / 1000))


@needs_traces
@pytest.mark.parametrize("file", sorted(set(LOGS) - {"example.swf.gz"}))
def test_public_logs_have_the_sizes_that_are_said(file):
    jobs, servers, size = LOGS[file]
    with gzip.open(TRACES / file, "rt") as lines:
        head, rows = [], 0
        for line in lines:
            head += [line] if line.startswith(";") else []
            rows += not line.startswith(";")
    assert rows - file.endswith(".csv.gz") == jobs
    assert round((TRACES / file).stat().st_size / 1000) == size
    if head:
        assert f"; MaxProcs: {servers}\n" in head
        stated = re.search("licen[cs]e|copyright|permission|terms of", "".join(head), re.I)
        (row,) = [row for row in PAGE.splitlines() if f"`{file}` |" in row]
        assert ("not stated in the file" in row) == (stated is None)


# --- The table of all data files ------------------------------------------------------------------------------------


@pytest.fixture
def csv_tables(monkeypatch):
    """The module that writes the table."""
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
    assert set(LOGS) - {"example.swf.gz"} == {row["file"] for row in csv_tables.read(csv_tables.DATA) if row["sha256"]}


@needs_traces
def test_logs_that_are_not_shipped_have_their_checksums(csv_tables):
    for row in csv_tables.read(csv_tables.DATA):
        if row["sha256"] and (TRACES / row["file"]).exists():
            assert hashlib.sha256((TRACES / row["file"]).read_bytes()).hexdigest() == row["sha256"], row["file"]
