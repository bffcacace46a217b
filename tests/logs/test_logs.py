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
from mjq_logs.reading.rows import UNLIMITED, WAITING
from mjq_logs.reading.sacct import COLUMNS, COMMAND

HEADER = ";".join(COLUMNS)


def job(**changes):
    """A line of what our command prints."""
    line = {
        "JobIDRaw": 605, "State": "COMPLETED", "Submit": 1700000000, "Eligible": 1700000000, "Start": 1700000060,
        "End": 1700000360, "ElapsedRaw": 300, "TimelimitRaw": 10, "NNodes": 2, "AllocCPUS": 64,
        "AllocTRES": "billing=64,cpu=64,gres/gpu=8,mem=1G,node=2", "Partition": "batch", "Flags": "",
        "ReqTRES": "billing=64,cpu=64,gres/gpu=8,mem=1G,node=2", "JobID": 605,
    }  # fmt: skip
    return ";".join(str(x) for x in (line | changes).values())


# The window of a file begins with the earliest end in it, here that of a job which never started.
LONG_AGO = job(
    JobIDRaw=1, JobID=1, State="CANCELLED by 0", Submit=1699000000, Eligible=1699000000, Start=1699000900,
    End=1699000900, ElapsedRaw=0, AllocCPUS=0, AllocTRES="",
)  # fmt: skip


def written(folder, *lines, name="jobs.txt"):
    path = folder / name
    path.write_text("\n".join(lines) + "\n", newline="")
    return path


def test_what_our_command_prints(tmp_path):
    log = read_log(written(tmp_path, HEADER, job(), job(JobIDRaw=606, Submit=1700000001, Eligible="1700000010")))
    assert (log.number.tolist(), log.need.tolist(), log.run.tolist()) == ([605, 606], [64, 64], [300, 300])
    assert (log.wait.tolist(), log.estimate.tolist()) == ([60, 50], [600, 600])
    assert (log.servers, log.clock, log.lines.read, log.lines.dropped) == (128, 0, 2, {})
    assert "at once" in log.servers_from
    assert COMMAND.count(",".join(COLUMNS)) == 1 and not {"JobName", "User", "SubmitLine"} & set(COLUMNS)


def test_without_a_header_it_is_known_too(tmp_path):
    assert len(read_log(written(tmp_path, job(), job(JobIDRaw=606)))) == 2


@pytest.mark.parametrize(("unit", "need"), [("cpus", 64), ("nodes", 2), ("gpus", 8)])
def test_servers_are_what_is_asked_for(tmp_path, unit, need):
    assert read_log(written(tmp_path, HEADER, job()), unit=unit).need.tolist() == [need]


@pytest.mark.parametrize(
    ("unit", "changes"),
    [
        ("cpus", {"AllocCPUS": "2K"}),
        ("cpus", {"AllocCPUS": "", "AllocTRES": "cpu=2K,mem=1G"}),
        ("nodes", {"NNodes": "2K", "AllocTRES": ""}),
        ("gpus", {"AllocTRES": "gres/gpu=2K"}),
        ("gpus", {"AllocTRES": "gres/gpu:a=1K,gres/gpu:b=1024"}),
        ("mem", {"AllocTRES": "cpu=1,mem=2T"}),
        ("mem", {"AllocTRES": "cpu=1,mem=2097152"}),
    ],
)
def test_2k_is_2048(tmp_path, unit, changes):
    assert read_log(written(tmp_path, HEADER, job(**changes)), unit=unit).need.tolist() == [2048]


def test_a_limit_that_no_job_of_the_partition_has_is_not_known(tmp_path):
    log = read_log(written(tmp_path, HEADER, job(TimelimitRaw="Partition_Limit")))
    assert log.estimate is None and "there is none for 1 of them" in log.notes[-1]


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


@pytest.mark.parametrize("row", ["0,10,1,2", '0,10,"1",2'])
def test_a_column_that_is_used_must_be_there_once(tmp_path, row):
    path = written(tmp_path, "submit,run,need,need", row, name="jobs.csv")
    with pytest.raises(ValueError, match="the column 'need' occurs 2 times"):
        read_log(path)
    assert read_log(written(tmp_path, "submit,run,need,x,x", row + ",3", name="jobs.csv")).need.tolist() == [1]


@pytest.mark.parametrize("delimiter", ["|", ";", "\t", "^", "||", ","])
@pytest.mark.parametrize("trailing", [True, False])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_any_delimiter_and_a_trailing_one(tmp_path, delimiter, trailing, ends):
    names = ["JobID", "State", "Submit", "Start", "Elapsed", "Timelimit", "NCPUS", "Partition"]
    rows = [
        [
            "605_7",
            "CANCELLED by 1977600432",
            "2024-03-01T12:00:00",
            "2024-03-01T12:05:00",
            "00:01:40",
            "7-06:48:38",
            "4",
            "a",
        ],
        ["605_8", "TIMEOUT", "2024-03-01T12:00:00", "2024-03-01T12:06:00", "1-00:00:01", "UNLIMITED", "4", ""],
        ["606", "OUT_OF_MEMORY", "2024-03-01T12:00:00", "2024-03-01T12:07:00", "00:59", "Partition_Limit", "4", "a"],
    ]
    lines = [delimiter.join(row) + delimiter * trailing for row in [names, *rows]]
    path = tmp_path / "jobs.txt"
    path.write_text(ends.join(lines) + ends, newline="")
    log = read_log(path)
    assert log.run.tolist() == [100, 86401, 59]
    assert log.wait.tolist() == [300, 360, 420]
    assert log.estimate.tolist() == [629318, UNLIMITED, 629318]
    assert any("no column Eligible" in note for note in log.notes)
    assert {
        "1 job came without a limit of the run time",
        "1 job came with the limit of a partition: the longest limit of its other jobs is taken",
    } < set(log.notes)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"JobIDRaw": "605.batch"}, "a step of a job"),
        ({"JobIDRaw": "605.0"}, "a step of a job"),
        ({"State": "PENDING", "Start": "Unknown", "End": "Unknown", "ElapsedRaw": 0}, WAITING),
        ({"State": "CANCELLED by 5", "Start": "None", "ElapsedRaw": 0}, "never started"),
        ({"State": "CANCELLED", "Start": "Unknown", "ElapsedRaw": ""}, "never started"),
        ({"State": "CANCELLED by 5", "ElapsedRaw": 0, "AllocCPUS": 0, "AllocTRES": ""}, "never started"),
        ({"State": "FAILED", "ElapsedRaw": 0, "AllocCPUS": 0, "AllocTRES": ""}, "never started"),
        ({"JobID": "605_[8-20]", "State": "PENDING"}, WAITING),
        ({"ElapsedRaw": -5}, "a negative time"),
        ({"ElapsedRaw": "", "End": "Unknown"}, "no run time"),
        ({"AllocCPUS": "", "AllocTRES": "", "NNodes": 0}, "no number of servers"),
        ({"Submit": "None assigned"}, "no submit time"),
        ({"Partition": "a;b"}, "another number of fields than in the header"),
        ({"Partition": "x" * 1_000_000 + ";"}, "another number of fields than in the header"),
        ({name: name for name in COLUMNS}, "a header again"),
        ({"JobIDRaw": "1"}, "the same job as on an earlier line"),
    ],
)
def test_lines_of_sacct_that_are_no_jobs(tmp_path, changes, reason):
    path = written(tmp_path, HEADER, job(JobIDRaw=1), job(**changes), job(JobIDRaw=2))
    log = read_log(path)
    assert (len(log), log.lines.read, log.lines.dropped, log.lines.first) == (2, 3, {reason: 1}, {reason: [3]})
    with pytest.raises(ValueError, match=f"jobs.txt: line 3: {reason}"):
        read_log(path, strict=True)


def test_a_job_that_was_requeued_held_servers_twice(tmp_path):
    first = job(State="PREEMPTED", ElapsedRaw=50, End=1700000110)
    again = job(Submit=1700000110, Eligible=1700000120, Start=1700000200)
    log = read_log(written(tmp_path, HEADER, LONG_AGO, first, again))
    assert log.run.tolist() == [50, 300] and log.wait.tolist() == [60, 80]
    # Where Slurm keeps the time of the first submission, the second attempt comes when the first has ended.
    log = read_log(written(tmp_path, HEADER, LONG_AGO, job(Start=1700000200), first))
    assert log.run.tolist() == [50, 300] and log.wait.tolist() == [60, 90]
    assert "1 job started again: each attempt comes when the one before it ends" in log.notes


def test_a_zero_run_with_servers_is_a_job(tmp_path):
    for state in ("FAILED", "CANCELLED by 3", "COMPLETED"):
        log = read_log(written(tmp_path, HEADER, job(JobIDRaw=1), job(State=state, ElapsedRaw=0), job(JobIDRaw=2)))
        assert log.run.tolist() == [300, 300, 0] or log.run.tolist() == [300, 0, 300]
        assert log.lines.dropped == {}


def test_a_name_with_delimiter_and_newline_is_counted(tmp_path):
    header = "JobIDRaw|JobName|State|Submit|Start|ElapsedRaw|AllocCPUS"
    good = "{}|name|COMPLETED|1700000000|1700000060|300|4"
    log = read_log(written(tmp_path, header, good.format(1), "2|a|b|COMPLETED|1700000000|1700000060|300|4",
                           "3|first", "second|COMPLETED|1700000000|1700000060|300|4", good.format(4)))  # fmt: skip
    assert log.number.tolist() == [1, 4]
    assert log.lines.dropped == {"another number of fields than in the header": 3}


def test_two_zones_are_brought_together_and_none_among_them_is_counted(tmp_path):
    header = "JobIDRaw|State|Submit|Start|ElapsedRaw|AllocCPUS"
    line = "{}|COMPLETED|2024-03-01T{}|2024-03-01T{}|300|4"
    times = ("12:00:00+0000", "12:01:00+0000"), ("13:00:00+0100", "13:02:00+0100"), ("12:00:00", "12:03:00")
    path = written(tmp_path, header, *(line.format(k, *pair) for k, pair in enumerate(times)))
    log = read_log(path)
    assert log.submit.tolist() == [datetime(2024, 3, 1, 12, tzinfo=UTC).timestamp()] * 2
    assert log.wait.tolist() == [60, 120]
    assert log.lines.dropped == {"a time without a zone among times with one": 1}


def test_columns_padded_with_blanks_are_refused(tmp_path):
    path = written(
        tmp_path, "       JobID      State    Elapsed  AllocCPUS", "------------ ---------- ---------- ---------"
    )
    with pytest.raises(ValueError, match="-P"):
        read_log(path)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("JobID|Start|AllocCPUS", "no column says how long"),
        ("JobID|Elapsed|State", "no column says how many servers"),
        ("JobID|Elapsed|Elapsed", "the column 'Elapsed' occurs 2 times"),
    ],
)
def test_columns_of_sacct_that_do_not_suffice(tmp_path, header, message):
    with pytest.raises(ValueError, match=message):
        read_log(written(tmp_path, header, "1|2|3"))


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


def test_quoted_fields_may_hold_delimiters_and_ends_of_lines(tmp_path):
    path = tmp_path / "jobs.csv"
    path.write_text('name,need,run\n"a,\nb",1,2\nc,3\nd,4,5\n')
    log = read_log(path)
    assert log.need.tolist() == [1, 4]
    assert log.lines.first == {"another number of fields than in the header": [4]}
    assert log.missing == ("submit", "start", "estimate") and log.arrival is None and log.wait is None


@pytest.mark.parametrize(
    ("content", "columns", "message"),
    [
        ("", None, "empty"),
        ("\n\n", None, "empty"),
        ("a,b\n1,2\n", None, "the columns must include need"),
        ("a,b\n1,2\n", {"need": "c"}, "no column 'c'; there are a, b"),
        ("a,b\n1,2\n", {"color": "a"}, "our name of a column must be one of need"),
        ("need,run\n-1,2\nx,2\n1,\n1,-2\n", None, "no line holds a job that can be used"),
        ('need,run\n"1,2\n' + "x" * 200_000, None, "field larger"),
        ("need,run\n1,\x002\n", None, "line 2 is not text"),
        ("; MaxProcs: 8\n", None, "no line holds a job that can be used"),
    ],
)
def test_files_that_are_no_logs(tmp_path, content, columns, message):
    path = tmp_path / "log"
    path.write_text(content)
    with pytest.raises(ValueError, match=message):
        read_log(path, columns)


SWF = "{} {} {} {} {} -1 -1 -1 {} -1 1 1 1 -1 -1 -1 {} -1".format
GOOD = SWF(1, 0, 5, 10, 4, 60, -1)

NASA_NOTE = (
    "; MaxProcs: 128",
    "; Note: There is no information on wait times - the given submit",
    ";       times are actually start times",
    "; Note: group 1 is normal users",
)
UNKNOWN, NONE, SOME = ([SWF(1, 0, wait, 10, 4, -1, -1), SWF(2, 5, wait, 10, 4, -1, -1)] for wait in (-1, 0, 7))


@pytest.mark.parametrize("jobs", [UNKNOWN, NONE])
def test_a_log_whose_header_says_that_submits_are_starts_has_no_waits(tmp_path, jobs):
    log = read_log(written(tmp_path, *NASA_NOTE, *jobs, name="log.swf"))
    assert log.submits_are_starts and log.start is None and log.wait is None and agreement(log) == []
    assert "the submit times of this log are start times: it has no waits" in log.notes
    assert load(log).dispersion_by_hour is load(log).dispersion_by_day is None
    assert replay(2 * log.submit, log.need, log.run, None, 4).wait.tolist() == [0, 0]  # other times can be replayed


def test_a_positive_wait_contradicts_such_a_header_and_is_used(tmp_path):
    log = read_log(written(tmp_path, *NASA_NOTE, *SOME, UNKNOWN[0].replace("1", "3", 1), name="log.swf"))
    assert not log.submits_are_starts and sorted(log.wait[~np.isnan(log.wait)]) == [7, 7]
    assert any("2 jobs waited" in note for note in log.notes)
    assert agreement(log)[0].log == 7


def test_a_log_without_such_a_note_has_simply_no_waits(tmp_path):
    log = read_log(written(tmp_path, "; MaxProcs: 128", *UNKNOWN, name="log.swf"))
    assert not log.submits_are_starts and log.wait is None and log.notes == () and agreement(log) == []


@pytest.mark.parametrize(
    ("note", "stated"),
    [
        ("submit times are start times", True),
        ("The Submit Time is really the start time", True),
        ("the log does not include arrival information, only start times", True),
        ("submit times are not start times", False),
        ("start times are actually submit times plus waits", False),
        ("there is no data about batch queues", False),
    ],
)
def test_which_notes_say_that_submits_are_starts(tmp_path, note, stated):
    log = read_log(written(tmp_path, f"; Note: {note}", *UNKNOWN, name="log.swf"))
    assert log.submits_are_starts is stated


@pytest.mark.parametrize("cut", [1, 8, 40])
def test_a_cut_gzip_is_an_error(tmp_path, cut):
    path = tmp_path / "log.swf.gz"
    path.write_bytes(gzip.compress("\n".join(SWF(k, k * k % 91, 0, 5, 1, 6, -1) for k in range(500)).encode())[:-cut])
    with pytest.raises(ValueError, match="cut or broken"):
        read_log(path)


def test_broken_parquet_is_an_error(tmp_path):
    path = tmp_path / "log.parquet"
    path.write_bytes(b"PAR1" + bytes(100))
    with pytest.raises(ValueError, match="not a Parquet file"):
        read_log(path)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (SWF(2, 5, -1, -7, 4, -1, -1), "a negative time"),
        (SWF(2, -5, -1, 7, 4, -1, -1), "a negative time"),
        (SWF(2, -1, -1, 7, 4, -1, -1), "no submit time"),
        (SWF(2, 5, -1, 7, 400, -1, -1), "needs more than the servers"),
        (GOOD, "the same job as on an earlier line"),
        ("9" * 1_000_000, "not 18 numbers"),
        ("1 " * 500_000, "not 18 numbers"),
    ],
)
def test_odd_lines_of_the_standard_format(tmp_path, line, reason):
    log = read_log(written(tmp_path, "; MaxProcs: 64", GOOD, line))
    assert (len(log), log.lines.first) == (1, {reason: [3]})


def test_order_is_that_of_arrival_then_number(tmp_path):
    lines = [SWF(3, 8, 1, 5, 1, 6, -1), SWF(2, 0, 1, 6, 1, 6, -1), SWF(1, 8, 1, 7, 1, 6, -1)]
    log = read_log(written(tmp_path, "; MaxProcs: 4", *lines))
    assert log.number.tolist() == [2, 1, 3] and log.run.tolist() == [6, 7, 5]


def test_a_start_before_the_submission_gives_no_wait(tmp_path):
    log = read_log(written(tmp_path, HEADER, job(), job(JobIDRaw=606, Start=1699999999)))
    assert np.array_equal(log.wait, [60, np.nan], equal_nan=True)
    assert any("1 job started before" in note for note in log.notes)


def test_many_partitions_are_said_to_be_taken_for_one_machine(tmp_path):
    log = read_log(written(tmp_path, HEADER, job(), job(JobIDRaw=2, Partition="gpu")))
    assert log.warnings == (
        "Warning: jobs of 2 partitions are taken for those of one machine; --partition takes one of them.",
    )


def test_broken_data_in_parquet_are_an_error(tmp_path):
    path = tmp_path / "log.parquet"
    pl.DataFrame({"need": np.arange(1.0, 9), "run": np.arange(1.0, 9)}).write_parquet(path)
    content = bytearray(path.read_bytes())
    content[4:40] = bytes(36)
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"log\.parquet"):
        read_log(path)


def test_without_submit_times_jobs_are_in_order_of_their_starts(tmp_path):
    path = tmp_path / "jobs.csv"
    path.write_text("need,start,end\n1,9,19\n2,5,10\n")
    log = read_log(path)
    assert log.need.tolist() == [2, 1] and log.run.tolist() == [5, 10] and log.servers == 3
    assert any("no submit times" in note for note in log.notes)


def test_one_partition(tmp_path):
    path = written(tmp_path, HEADER, job(), job(JobIDRaw=2, Partition="gpu"), job(JobIDRaw=3, Partition=""))
    log = read_log(path, partition="gpu")
    assert log.number.tolist() == [2] and log.lines.dropped == {"of another partition": 2}


def test_the_unit_is_one_that_the_format_has(tmp_path):
    with pytest.raises(ValueError, match=r"unit must be one of cpus, nodes, gpus, mem, or several .*; got 'cores'"):
        read_log(written(tmp_path, HEADER, job()), unit="cores")
    with pytest.raises(ValueError, match="the Standard Workload Format counts cpus and mem, and no nodes"):
        read_log(written(tmp_path, "; MaxProcs: 64", GOOD), unit="nodes")


WORDS = st.sampled_from(["-1", "0", "3", "7.5", "1e3", "nan", "x", "1_0", "٣", "99999999999999999999", ""])
LINES = st.lists(
    st.one_of(
        st.builds(lambda words: " ".join(words), st.lists(WORDS, min_size=16, max_size=20)),
        st.builds(SWF, *[st.integers(-2, 9)] * 4, st.integers(-1, 70), st.integers(-1, 9), st.just(-1)),
        st.text(max_size=30).map(lambda text: text.replace("\0", "").replace("\n", " ").replace("\r", " ")),
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


def test_a_line_without_an_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "BLOCK", 1_000_000)
    monkeypatch.setattr(text, "LONGEST", 2_000_000)
    with pytest.raises(ValueError, match="line 3 is longer than 2 MB"):
        read_log(written(tmp_path, "; MaxProcs: 64", GOOD, "1 " * 2_000_000))


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
    assert kept.taken().is_empty()


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


def test_a_log_whose_starts_are_all_too_early_does_not_say_how_many_servers_there_are(tmp_path):
    log = read_log(written(tmp_path, "submit,start,run,need", "10,1,5,2", "20,2,5,2"))
    assert log.servers is None and "2 jobs started before the log allows it" in log.notes[-1]


def test_users_are_read_from_all_formats(tmp_path):
    (tmp_path / "a.swf").write_text("; MaxProcs: 8\n" + "".join(
        f"{k} {k} 0 60 1 -1 -1 1 60 -1 1 {user} -1 -1 -1 -1 -1 -1\n" for k, user in enumerate((70, 5, 70, -1), 1)
    ))  # fmt: skip
    (tmp_path / "b.csv").write_text("submit,need,run,who\n1,1,60,ann\n2,1,60,bob\n3,1,60,ann\n4,1,60,\n")
    header = "JobIDRaw;State;Submit;Start;ElapsedRaw;AllocCPUS;UID"
    rows = [f"{k};COMPLETED;{k};{k};60;1;{user}" for k, user in enumerate((1001, 0, 1001, ""), 1)]
    (tmp_path / "c.txt").write_text("\n".join([header, *rows]))
    logs = [
        read_log(tmp_path / "a.swf"),
        read_log(tmp_path / "b.csv", {"user": "who"}, servers=8),
        read_log(tmp_path / "c.txt"),
    ]
    assert [log.user.tolist() for log in logs] == [[0, 1, 0, -1]] * 3
    assert read_log(tmp_path / "b.csv", servers=8).user is None
