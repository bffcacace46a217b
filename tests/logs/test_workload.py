"""Job classes that are made of logs."""

import numpy as np
import pytest

import mjq_logs
from mjq_book import workloads
from mjq_book.experiments import public_logs


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
    classes = workloads.shipped_classes()
    mjq_logs.write_classes(tmp_path / "classes.csv", classes)
    assert workloads.read_classes(tmp_path / "classes.csv") == classes


def test_the_shipped_classes_are_those_of_the_log():
    if public_logs.traces() is None:
        pytest.skip("the log itself is not part of the project; see mjq_book.workloads")
    log = mjq_logs.read_log(public_logs.traces() / public_logs.LOGS["NASA 1993"])
    assert (len(log), log.lines.dropped, log.servers) == (18239, {}, 128)
    assert mjq_logs.job_classes(log) == workloads.shipped_classes()
