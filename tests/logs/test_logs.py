"""Logs in every format: what is read, and that nothing is lost without being counted."""

import gzip
from datetime import UTC, datetime

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mjq.simulation import replay
from mjq_logs import agreement, load, read_log
from mjq_logs.reading import text
from mjq_logs.reading.kept import Kept
from tests.conftest import CHARACTERS
from tests.logs.writing import HEADER, RAW, job, swf, written

GOOD = swf(1, 0, 5, 10, 4, 60)


@given(st.lists(st.integers(0, 1_700_000_059), min_size=1, max_size=4))
def test_an_end_before_the_start_changes_nothing(tmp_path_factory, ends):
    """The time that the job took is known, so its end is, too."""
    folder = tmp_path_factory.mktemp("ends")
    one, other = (
        read_log(written(folder, HEADER, job(), *(job(JobIDRaw=k, End=end) for k, end in enumerate(column))))
        for column in (ends, [1_700_000_360] * len(ends))
    )
    assert (one.begin, one.end, one.run.tolist()) == (other.begin, other.end, other.run.tolist())
    assert one.servers == other.servers == 64 * (len(ends) + 1)


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=6))
def test_no_job_needs_more_than_the_servers_that_a_log_shows(tmp_path_factory, jobs):
    """They are the most that jobs held at once, second by second, but at least the largest need."""
    rows = [f"{at},{at},{run},{need}" for need, run, at in jobs]
    log = read_log(written(tmp_path_factory.mktemp("jobs"), "submit,start,run,need", *rows, name="jobs.csv"))
    held = [sum(need for need, run, at in jobs if at <= second < at + run) for second in range(6)]
    assert log.servers == max(*held, *(need for need, _, _ in jobs))


@pytest.mark.parametrize("delimiter", ["|", ";", "\t", "^", "||", ","])
@pytest.mark.parametrize("trailing", [True, False])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_any_delimiter_and_a_trailing_one(tmp_path, delimiter, trailing, ends):
    lines = [
        line.replace("|", delimiter) + delimiter * trailing for line in (RAW / "bars.txt").read_text().splitlines()
    ]
    path = tmp_path / "jobs.txt"
    path.write_text(ends.join(lines) + ends, newline="")
    log, same = read_log(path), read_log(RAW / "bars.txt")
    assert log.notes == same.notes
    for name in ("need", "run", "wait", "estimate"):
        assert np.array_equal(getattr(log, name), getattr(same, name))


TABLE = {"job": ["a", "b", "c"], "from": [0.0, 9.0, 5.0], "length": [60.0, 30.0, 10.0], "gpus": [1.0, 0.5, 4.0]}
MAP = {"submit": "from", "run": "length", "need": "gpus"}


@pytest.mark.parametrize("name", ["jobs.csv", "jobs.parquet", "jobs.csv.gz"])
def test_tables(tmp_path, name):
    frame, path = pl.DataFrame(TABLE), tmp_path / name
    if name.endswith("parquet"):
        frame.write_parquet(path)
    else:
        content = frame.write_csv().encode()
        path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    log = read_log(path, MAP, servers=4)
    assert (log.submit.tolist(), log.run.tolist(), log.need.tolist()) == ([0, 5, 9], [60, 10, 30], [1, 4, 0.5])
    assert (log.missing, log.servers, log.servers_from) == (("start", "estimate"), 4, "given")
    assert any("1 line came earlier" in note for note in log.notes)


def test_a_table_with_types_of_its_own(tmp_path):
    when = [datetime(2024, 3, 1, 12), datetime(2024, 3, 1, 13)]
    frame = pl.DataFrame({"submit": when, "start": when, "need": [1, 2]}).with_columns(
        end=pl.col("start") + pl.duration(minutes=pl.col("need")), estimate=pl.duration(hours=pl.col("need"))
    )
    frame.write_parquet(tmp_path / "jobs.parquet")
    log = read_log(tmp_path / "jobs.parquet")
    assert log.run.tolist() == [60, 120] and log.estimate.tolist() == [3600, 7200] and log.wait.tolist() == [0, 0]
    assert log.submit[0] == when[0].replace(tzinfo=UTC).timestamp()


def test_a_log_whose_submits_are_starts_has_no_waits_to_compare():
    log = read_log(RAW / "starts-as-submits.swf")
    assert agreement(log) == [] and load(log).dispersion_by_hour is load(log).dispersion_by_day is None
    assert replay(2 * log.submit, log.need, log.run, None, 4).wait.tolist() == [0, 0]  # other times can be replayed
    assert agreement(read_log(RAW / "starts-as-submits-but-waits.swf"))[0].log == 7


@pytest.mark.parametrize("cut", [1, 8, 40])
def test_a_cut_gzip_is_an_error(tmp_path, cut):
    path = tmp_path / "log.swf.gz"
    path.write_bytes(gzip.compress("\n".join(swf(k, k * k % 91, 0, 5, 1, 6) for k in range(500)).encode())[:-cut])
    with pytest.raises(ValueError, match="cut or broken"):
        read_log(path)


def test_broken_data_in_parquet_are_an_error(tmp_path):
    path = tmp_path / "log.parquet"
    pl.DataFrame({"need": np.arange(1.0, 9), "run": np.arange(1.0, 9)}).write_parquet(path)
    content = bytearray(path.read_bytes())
    content[4:40] = bytes(36)
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"log\.parquet"):
        read_log(path)


WORDS = st.sampled_from(["-1", "0", "3", "7.5", "1e3", "nan", "x", "1_0", "٣", "99999999999999999999", ""])
LINES = st.lists(
    st.one_of(
        st.builds(lambda words: " ".join(words), st.lists(WORDS, min_size=17, max_size=20)),
        st.builds(swf, *[st.integers(-2, 9)] * 4, st.integers(-1, 70), st.integers(-1, 9)),
        st.text(CHARACTERS, max_size=30).map(lambda text: text.replace("\0", "").replace("\n", " ").replace("\r", " ")),
    ),
    max_size=30,
)  # fmt: skip


@settings(max_examples=25)
@given(LINES)
def test_no_line_is_lost(tmp_path_factory, lines):
    """Lines read = used + dropped, in the standard format, from sacct and in a table."""
    folder = tmp_path_factory.mktemp("log")
    content = "\n".join(["; MaxProcs: 64", GOOD, *lines])
    (folder / "log.swf").write_text(content, newline="", encoding="utf-8")
    answer = read_log(folder / "log.swf").lines
    jobs = sum(bool(line.strip()) and not line.lstrip().startswith(";") for line in [GOOD, *lines])
    assert answer.read == jobs == answer.used + sum(answer.dropped.values())
    for reason, count in answer.dropped.items():
        assert len(answer.first[reason]) == min(count, 5)
    as_sacct = [HEADER, job(JobIDRaw=0), *(line.replace(" ", ";") for line in lines)]
    answer = read_log(written(folder, *as_sacct)).lines
    assert answer.read == sum(bool(line.strip()) for line in as_sacct) - 1 == answer.used + sum(answer.dropped.values())
    as_table = ["need,run", "1,1", *(line.replace(" ", ",").replace('"', "") for line in lines)]
    answer = read_log(written(folder, *as_table), {"need": "need"}).lines
    assert answer.read == sum(bool(line.strip()) for line in as_table) - 1 == answer.used + sum(answer.dropped.values())


def test_a_negative_limit_is_none(tmp_path):
    log = read_log(written(tmp_path, HEADER, job(TimelimitRaw=-1), job(JobIDRaw=606, TimelimitRaw=5)))
    assert np.isnan(log.estimate[0]) and log.estimate[1] == 300


def test_a_line_without_an_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "BLOCK", 1_000_000)
    monkeypatch.setattr(text, "LONGEST_LINE", 2_000_000)
    with pytest.raises(ValueError, match="line 3 is longer than 2 MB"):
        read_log(written(tmp_path, "; MaxProcs: 64", GOOD, "1 " * 2_000_000))


def test_long_lines_are_counted(tmp_path):
    log = read_log(written(tmp_path, "; MaxProcs: 64", GOOD, "9" * 1_000_000, "1 " * 500_000))
    assert log.lines.first == {"not 18 numbers": [3, 4]}
    log = read_log(written(tmp_path, HEADER, job(), job(Partition="x" * 1_000_000 + ";")))
    assert log.lines.first == {"another number of fields than in the header": [3]}


def test_rows_are_kept_in_few_bytes_whatever_they_hold():
    jobs = 10_000
    line = np.arange(1, jobs + 1)
    times = {"submit": 1.7e9 + 60.0 * line, "start": 1.7e9 + 61.0 * line, "run": 7.0 * line, "estimate": 9.0 * line}
    table = {"line": line, "job": line.astype(str), "partition": "batch", "user": "7", "need": 4.0}
    table = pl.DataFrame(table | times)
    nothing = dict.fromkeys(("whole", "queue"), pl.String) | {"zoned": pl.Boolean, "unfinished": pl.Boolean}
    nothing |= {"eligible": pl.Float64, "priority": pl.Int64}
    table = table.with_columns(pl.lit(None, kind).alias(name) for name, kind in nothing.items())
    kept = Kept()
    kept.add(table)
    kept.add(table.with_columns(line=pl.col("line") + jobs, need=pl.col("need") + 0.5))
    result = kept.taken()
    assert result.estimated_size() < 45 * len(result)
    for name in (*times, "need"):
        both = table[name].append(table[name] + 0.5 * (name == "need"))
        assert result[name].cast(pl.Float64).to_list() == both.to_list()
    assert kept.tables == []


@pytest.mark.parametrize("names", [["7", "07", "007", "7_1", "7.x"], ["a", "b", "1e3", "-7", str(10**19)]])
def test_a_repeated_row_is_one_whose_columns_are_all_the_same(tmp_path, names):
    rng = np.random.default_rng(3)
    rows = [(names[rng.integers(len(names))], *rng.integers(1, 3, 3).tolist()) for _ in range(400)]
    path = written(tmp_path, "job,submit,run,need", *(",".join(map(str, row)) for row in rows))
    answer = read_log(path, servers=4).lines
    assert answer.used == len(set(rows))
    assert answer.dropped == {"the same job as on an earlier line": len(rows) - answer.used}
    seen, again = set(), []
    for number, row in enumerate(rows, 2):
        again += [number] * (row in seen)
        seen.add(row)
    assert list(answer.first.values()) == [again[:5]]
