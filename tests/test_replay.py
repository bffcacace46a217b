"""A list of jobs replayed: order, room, no start later than need be, and bad input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq.workload.replay import start_times

JOB = st.tuples(st.integers(0, 3), st.integers(1, 4), st.integers(1, 5))  # gap before it, need, length
JOBS = st.lists(JOB, min_size=1, max_size=12)


def unpacked(jobs):
    gaps, needs, lengths = np.transpose(jobs)
    return np.cumsum(gaps), needs, lengths


@given(JOBS, st.integers(4, 9))
def test_jobs_start_in_order_and_fit_and_no_job_waits_for_nothing(jobs, B):
    arrivals, needs, lengths = unpacked(jobs)
    starts = start_times(arrivals, needs, lengths, B)
    ends = starts + lengths
    assert (np.diff(starts) >= 0).all()
    assert (starts >= arrivals).all()
    for k, start in enumerate(starts):
        running = (starts[: k + 1] <= start) & (ends[: k + 1] > start)
        assert needs[: k + 1] @ running <= B
        if start > max(arrivals[k], starts[k - 1] if k else 0):  # it was held up: just before, it did not fit
            before = (starts[:k] < start) & (ends[:k] >= start)
            assert needs[:k] @ before + needs[k] > B


@given(JOBS, st.integers(4, 9))
def test_more_resource_delays_nobody(jobs, B):
    given = unpacked(jobs)
    assert (start_times(*given, B + 1) <= start_times(*given, B)).all()


def test_decimals_fit_as_on_paper():
    assert start_times(np.zeros(21), [0.1] * 21, [1.0] * 21, 1).tolist() == [0.0] * 10 + [1.0] * 10 + [2.0]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (([0, 0], [1, 7], [1, 1]), "need 7 exceeds resource 6"),
        (([1, 0], [1, 1], [1, 1]), "in order"),
        (([0], [1, 1], [1, 1]), "one entry a job"),
        (([0, 0], [1, 1], [1, 0]), "lengths"),
    ],
)
def test_bad_input(bad, message):
    with pytest.raises(ValueError, match=message):
        start_times(*bad, 6)
