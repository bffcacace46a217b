"""Reading logs and making job classes of them."""

import gzip

import numpy as np
import pytest

import mjq_logs
from mjq_book.experiments import public_logs

JOB = "1 {submit} -1 {time} {got} -1 -1 {asked} -1 -1 {status} 1 1 -1 -1 -1 -1 -1\n"


def line(submit=0, time=10, got=4, asked=-1, status=1):
    return JOB.format(submit=submit, time=time, got=got, asked=asked, status=status)


def test_reads_header_and_jobs(tmp_path):
    path = tmp_path / "log.swf"
    path.write_text("; MaxProcs: 64\n; Note: first\n;   more of it\n\n" + line(3, 7, 2) + line(5, 8.5, -1, 16))
    log = mjq_logs.read_log(path)
    assert log.header == {"MaxProcs": "64", "Note": "first more of it"}
    assert log.submit.tolist() == [3, 5]
    assert log.run.tolist() == [7, 8.5]
    assert log.need.tolist() == [2, 16]
    assert (log.servers, log.lines) == (64, mjq_logs.Lines(read=2, used=2, dropped={}, first={}))


def test_estimates_are_those_of_the_users(tmp_path):
    path = tmp_path / "log.swf"
    path.write_text("1 0 -1 10 4 -1 -1 -1 60 -1 1 1 1 -1 -1 -1 -1 -1\n" + line())
    log = mjq_logs.read_log(path)
    assert np.array_equal(log.estimate, [60, np.nan], equal_nan=True) and log.number.tolist() == [1, 1]


def test_leaves_out_what_is_not_known(tmp_path):
    path = tmp_path / "log.swf.gz"
    path.write_bytes(gzip.compress((line() + line(time=-1) + line(got=-1) + line(time=0)).encode()))
    log = mjq_logs.read_log(path)
    assert (len(log), log.lines.read) == (2, 4)
    assert log.lines.dropped == {"no run time": 1, "no number of processors": 1}


def test_parts_of_interrupted_jobs_are_not_counted_twice(tmp_path):
    path = tmp_path / "log.swf"
    path.write_text(line(time=30) + line(time=10, status=2) + line(time=20, status=3) + line(time=5, status=0))
    log = mjq_logs.read_log(path)
    assert log.run.tolist() == [30, 5]
    assert log.lines.first == {"a part of a job that is listed as a whole": [2, 3]}


def test_cancelled_jobs_count_if_they_ran(tmp_path):
    path = tmp_path / "log.swf"
    path.write_text(line(time=7, status=5) + line(time=-1, status=5))
    log = mjq_logs.read_log(path)
    assert log.run.tolist() == [7] and log.lines.dropped == {"never started": 1}


@pytest.mark.parametrize(
    "bad", ["1 2 3\n", "a job\n", line().replace("10", "nan"), line()[:-4] + "x\n", line()[:-1] + " 1\n"]
)
def test_a_bad_line_is_counted_or_by_wish_an_error(tmp_path, bad):
    path = tmp_path / "log.swf"
    path.write_text("; MaxProcs: 64\n" + line() + bad)
    log = mjq_logs.read_log(path)
    assert len(log) == 1 and log.lines.first == {"not 18 numbers": [3]}
    with pytest.raises(ValueError, match=r"log.swf: line 3: not 18 numbers"):
        mjq_logs.read_log(path, strict=True)


def test_classes_keep_jobs_work_and_moments():
    rng = np.random.default_rng(1)
    log = mjq_logs.Log(need=2.0 ** rng.integers(0, 5, 500), run=rng.exponential(100, 500))
    classes = mjq_logs.job_classes(log)
    assert [c.need for c in classes] == [1, 2, 4, 8, 16]
    assert sum(c.jobs for c in classes) == 500
    assert sum(c.work for c in classes) == pytest.approx(log.run @ log.need)
    for c in classes:
        times = log.run[log.need == c.need]
        assert c.mean_time**2 * (1 + c.scv) == pytest.approx((times**2).mean())
        assert c.low <= c.median <= c.high


def test_classes_survive_a_file(tmp_path):
    classes = mjq_logs.shipped_classes()
    mjq_logs.write_classes(tmp_path / "classes.csv", classes)
    assert mjq_logs.read_classes(tmp_path / "classes.csv") == classes


def test_the_shipped_classes_are_those_of_the_log():
    if public_logs.traces() is None:
        pytest.skip("the log itself is not part of the project; see mjq_logs.shipped_classes")
    log = mjq_logs.read_log(public_logs.traces() / public_logs.LOGS["NASA 1993"])
    assert (len(log), log.lines.dropped, log.servers) == (18239, {}, 128)
    assert mjq_logs.job_classes(log) == mjq_logs.shipped_classes()
