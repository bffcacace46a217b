"""Logs as nobody should write them, and ways to hand one over: an answer, or one plain line that says what is wrong."""

import bz2
import copy
import gzip
import io
import json
import lzma
import os
import re
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mjq._util.plain import printable
from mjq_logs import read_log
from tests.conftest import said
from tests.logs.writing import RAW, written

pytestmark = pytest.mark.usefixtures("few_jobs")


def standard(folder, jobs):
    rows = (f"{k + 1} {60 * k} 0 50 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1" for k in range(jobs))
    return written(folder, "; MaxProcs: 4", *rows, name="log.swf")


def test_a_message_shows_a_few_of_many_values(tmp_path):
    rows = (f"{time},1,1e-300" for time in range(2000))
    status, _, err = said("replay", written(tmp_path, "submit,need,run", *rows, name="log.csv"), "--servers", 4)
    assert status == 2 and "run must lie between" in err and "…; 2000 in all)" in err and len(err) < 300


HOSTILE = "x\x1b]0;owned\x07\x1b[2J\x9bm\u202ey"


def hostile_files(folder):
    """Commands for files that say what would write to a terminal, wherever a file may say anything."""
    header = f"; Computer: {HOSTILE}\n; Note: {HOSTILE}\n; Partitions: {HOSTILE}\n; MaxProcs: {HOSTILE}\n"
    swf = standard(folder, jobs=300)
    (folder / "header.swf").write_text(header + swf.read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "words.swf").write_text(swf.read_text(encoding="utf-8") + HOSTILE + "\n", encoding="utf-8")
    jobs = "".join(f"{HOSTILE},{HOSTILE}{k % 2},1,60,{60 * k}\n" for k in range(300))
    (folder / "jobs.csv").write_text(f"user,partition,need,run,submit\n{jobs}", encoding="utf-8")
    written(folder, f"{HOSTILE},red", "1,2", name="names.csv")
    (folder / "calendar").write_text(f"0 {HOSTILE}\n", encoding="utf-8")
    account = "JobID|State|Partition|AllocCPUS|ElapsedRaw|Submit|Start|End\n"
    row = "{0}|{1}|{1}|1|60|2025-01-01T00:{0:02}:00|2025-01-01T00:{0:02}:00|2025-01-01T01:00:00\n"
    (folder / "sacct").write_text(account + "".join(row.format(k, HOSTILE) for k in range(60)), encoding="utf-8")
    yield from ((command, folder / name) for command in ("replay", "capacity") for name in ("header.swf", "words.swf"))
    for command in ("replay", "capacity"):
        yield command, folder / "jobs.csv", "--servers", 4
        yield command, folder / "jobs.csv", "--servers", f"{HOSTILE}0=4,{HOSTILE}1=4"
        yield command, folder / "jobs.csv", "--servers", 4, "--partition", HOSTILE
        yield command, folder / "sacct", "--servers", 4
        yield command, swf, "--calendar", folder / "calendar"
        yield command, folder / HOSTILE
        yield command, folder / "names.csv"
        yield command, folder / "names.csv", "--column", "need", HOSTILE * 2


def test_whatever_a_file_says_no_terminal_obeys_it(tmp_path):
    for words in hostile_files(tmp_path):
        for more in ([], ["--json"]) if words[0] == "capacity" else ([],):
            _, out, err = said(*words, *more)
            for line in (out + err).split("\n"):
                assert printable(line) == line, words
            if more and out:
                json.loads(out)


@pytest.mark.parametrize(
    ("values", "kind"), [([[1], [2, 3]], "list"), ([b"1", b"2"], "binary"), ([{"a": 1}, {"a": 2}], "struct")]
)
def test_columns_of_parquet_that_hold_no_numbers_are_named_in_one_line(tmp_path, values, kind):
    path = tmp_path / "log.parquet"
    pl.DataFrame({"need": [1, 2], "run": values, "other": values}).write_parquet(path)
    status, out, err = said("capacity", path, "--servers", 4)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert f"column 'run' holds values of the type {kind}, which are not numbers, times or text" in err


def piped(folder, content):
    path = folder / "pipe"
    os.mkfifo(path)
    threading.Thread(target=path.write_bytes, args=[content], daemon=True).start()
    return path


@pytest.fixture
def content(tmp_path):
    return standard(tmp_path, jobs=50).read_bytes()


@pytest.mark.parametrize(
    "packed", [bytes, gzip.compress, bz2.compress, lzma.compress], ids=["plain", "gzip", "bzip2", "xz"]
)
@pytest.mark.parametrize("way", ["pipe", "-"])
def test_a_log_from_a_stream_is_that_from_a_file(tmp_path, monkeypatch, content, packed, way):
    (tmp_path / "file").write_bytes(packed(content))
    expected = said("replay", tmp_path / "file").out
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(packed(content))))
    path = "-" if way == "-" else piped(tmp_path, packed(content))
    status, out, err = said("replay", path)
    name = "standard input" if way == "-" else "pipe"  # which is all that differs
    assert (status, out, err) == (0, expected.replace("file", name, 1), "") and expected.startswith("file ")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"PK\x03\x04\x14", "unzip -p FILE"),
        (b"\x28\xb5\x2f\xfd\x04", "zstd -dc FILE"),
        (b'{"need": 1}\n{"need": 2}\n', "polars.read_ndjson"),
        (bz2.compress(b"need,run\n1,2\n" * 999)[:60], "cut or broken"),
        (lzma.compress(b"need,run\n1,2\n" * 999)[:60], "cut or broken"),
    ],
    ids=["zip", "zstd", "lines of JSON", "cut bzip2", "cut xz"],
)
def test_what_is_packed_or_written_in_another_way_is_told_with_what_helps(tmp_path, content, words):
    (tmp_path / "log").write_bytes(content)
    with pytest.raises(ValueError, match=re.escape(words)):
        read_log(tmp_path / "log")


@pytest.mark.parametrize("content", [b"", b"\x1f", b"\x1f\x8b", b"a", b"\n", b"need,run\n1,", b"PAR1"], ids=repr)
@pytest.mark.parametrize("way", ["file", "pipe", "-"])
def test_streams_that_hold_next_to_nothing_are_refused_in_one_line(tmp_path, monkeypatch, content, way):
    (tmp_path / "file").write_bytes(content)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    path = {"file": lambda: tmp_path / "file", "pipe": lambda: piped(tmp_path, content), "-": lambda: "-"}[way]()
    status, out, err = said("replay", path)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "cannot be read from a pipe" in err or way == "file" or content != b"PAR1"


# --- Damaged files ---

ODD_VALUES = [
    10**400, -1, 1e308, float("nan"), float("inf"), HOSTILE, None, True, [], {}, [[1]], {"a": 1}, "9" * 400, 1.5,
    {"set": True, "infinite": False, "number": 10**400}, {"set": True, "number": -5}, {"set": "x", "number": "y"},
]  # fmt: skip
ODD_CELLS = [
    "", "-1", "-0", "nan", "inf", "1e400", "1" + "0" * 400, "0x10", "1_0", "UNLIMITED", "99999-00:00:00", HOSTILE,
    "2025-13-45T99:99:99", "3000_[1-999999999]", "7_[1-2000000000%3]", "cpu=1e400", "gres/gpu=x", '"', "[", "|" * 50,
    "\0", "\n",
]  # fmt: skip


def places(content, before=()):
    if before:
        yield before
    items = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for key, value in items:
        yield from places(value, (*before, key))


def read_or_refused(path):
    """Read a log; what refuses it must name the file, in a message that is not long."""
    message = str(path)
    try:
        read_log(path, servers=64)
    except ValueError as error:
        message = str(error)
    assert str(path) in message and len(message) < 900


@given(st.lists(st.tuples(st.integers(0, 10**6), st.sampled_from(ODD_VALUES)), min_size=1, max_size=4))
@settings(max_examples=80)
def test_json_in_which_something_is_odd_is_read_or_refused_in_words(odd):
    content = json.loads((RAW / "sacct.json").read_text(encoding="utf-8"))
    content["jobs"] = content["jobs"][:4]
    for number, value in odd:
        ways = list(places(content))
        *way, last = ways[number % len(ways)]
        at = content
        for key in way:
            at = at[key]
        at[last] = copy.deepcopy(value)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "jobs.json"
        path.write_text(json.dumps(content), encoding="utf-8")
        read_or_refused(path)


@given(
    st.sampled_from(sorted(path.name for path in RAW.iterdir() if path.suffix in (".txt", ".csv", ".swf", ".acct"))),
    st.lists(
        st.tuples(st.integers(0, 10**6), st.integers(0, 10**6), st.sampled_from(ODD_CELLS)), min_size=1, max_size=4
    ),
)
@settings(max_examples=80)
def test_text_in_which_something_is_odd_is_read_or_refused_in_words(name, odd):
    lines = (RAW / name).read_text(encoding="utf-8").split("\n")[:30]
    for line, cell, value in odd:
        parts = re.split(r"([|;, \t:=])", lines[line % len(lines)])
        parts[cell % len(parts)] = value
        lines[line % len(lines)] = "".join(parts)
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text("\n".join(lines), encoding="utf-8")
        read_or_refused(path)
