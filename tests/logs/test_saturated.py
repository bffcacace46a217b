"""A list of jobs worked off as fast as a policy can: against the event loop, and by law."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq.simulation import replay
from mjq_logs.capacity.saturated import saturated_starts

JOB = st.tuples(st.integers(1, 6), st.integers(0, 9), st.integers(0, 12))
JOBS = st.lists(JOB, min_size=1, max_size=40)


@given(JOBS, st.integers(6, 9), st.sampled_from(["fcfs", "easy"]))
def test_with_everybody_in_line_it_is_the_replay(jobs, servers, policy):
    need, run, estimate = np.array(jobs, dtype=float).T
    ours = saturated_starts(need, run, servers, policy, estimate, line=len(jobs))
    assert ours.tolist() == replay(np.zeros(len(jobs)), need, run, estimate, servers, policy).start.tolist()


@given(JOBS, st.integers(6, 9), st.integers(1, 5))
def test_in_a_short_line_nobody_overtakes_from_outside(jobs, servers, line):
    need, run, estimate = np.array(jobs, dtype=float).T
    starts = saturated_starts(need, run, servers, "easy", estimate, line)
    for job, start in enumerate(starts):
        assert (starts[:job] > start).sum() < line  # who waits before it when it starts
    if line == 1:
        assert starts.tolist() == saturated_starts(need, run, servers).tolist()
    for start in starts:
        running = (starts <= start) & (starts + run > start)
        assert need @ running <= servers


def test_many_in_service():
    count = 5000
    for policy in ("fcfs", "easy"):
        starts = saturated_starts(np.ones(count), np.arange(count, 0.0, -1), 2500, policy, line=7)
        assert starts[:2500].tolist() == [0] * 2500 and starts[2500] == 2501


def test_what_is_not_said_is_exact():
    need, run = [2, 4, 2], [5, 2, 4]
    known = saturated_starts(need, run, 4, "easy", [9, 9, np.nan]).tolist()
    assert known == saturated_starts(need, run, 4, "easy", [9, 9, 4]).tolist() == [0, 5, 0]
    assert saturated_starts(need, run, 4, "easy", [5, 2, 6]).tolist() == [0, 5, 7]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (([1, 7], [1, 1], 6), "need 7 exceeds resource 6"),
        (([1], [1, 1], 6), "one entry for each job"),
        (([], [], 6), "at least one"),
        (([1], [-1], 6), "run must not be negative"),
        (([1], [1], 6, "lifo"), "policy must be one of fcfs, easy"),
        (([1], [1], 6, "easy", None, 0), "line"),
    ],
)
def test_bad_input(bad, message):
    with pytest.raises(ValueError, match=message):
        saturated_starts(*bad)
