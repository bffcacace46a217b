"""Jobs in order of arrival: order, room, no start later than need be."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mjq.simulation import replay

JOB = st.tuples(st.integers(0, 3), st.integers(1, 4), st.integers(1, 5))  # gap before it, need, length
JOBS = st.lists(JOB, min_size=1, max_size=12)


def unpacked(jobs):
    gaps, needs, lengths = np.transpose(jobs)
    return np.cumsum(gaps), needs, lengths


@given(JOBS, st.integers(4, 9))
def test_jobs_start_in_order_and_fit_and_no_job_waits_for_nothing(jobs, B):
    arrivals, needs, lengths = unpacked(jobs)
    starts = replay(arrivals, needs, lengths, None, B).start
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
    given = *unpacked(jobs), None
    assert (replay(*given, B + 1).start <= replay(*given, B).start).all()


def test_decimals_fit_as_on_paper():
    assert replay(np.zeros(21), [0.1] * 21, [1.0] * 21, None, 1).start.tolist() == [0.0] * 10 + [1.0] * 10 + [2.0]
