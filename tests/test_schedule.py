"""Logs replayed: equal to the definition, job by job."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq.simulation import replay
from mjq.simulation.policies import POLICIES
from tests import schedules

EPS = 1e-9  # of the resource, for sums of needs


def thousandths(x):
    """Not so small that it is no time at all."""
    return round(x, 3)


@st.composite
def logs(draw, most=40):
    """Arrival, need and service of jobs with many ties, in any order, and a resource; services of zero occur."""
    jobs = draw(st.integers(1, most))
    column = lambda values: np.array(draw(st.lists(values, min_size=jobs, max_size=jobs)), dtype=float)
    B = draw(st.sampled_from([1.0, 6.0, 16.0]))
    clock = draw(st.sampled_from([st.integers(0, 20), st.floats(0, 20).map(thousandths)]))
    lengths = draw(st.sampled_from([st.integers(0, 9), st.floats(0, 9).map(thousandths)]))
    return column(clock), B * column(st.integers(1, 10)) / 10, column(lengths), B


def overload(jobs, seed):
    """A log whose line becomes longer than the first table of jobs."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 500, jobs), rng.integers(1, 11, jobs) / 10, rng.integers(0, 5, jobs), 1.0


@pytest.mark.parametrize("policy", ["fcfs", "first-fit"])
@given(logs())
def test_replay_is_the_definition(policy, log):
    found = replay(*log, policy=policy)
    assert np.array_equal(found.start, schedules.starts(*log, policy))


@pytest.mark.parametrize("policy", ["fcfs", "first-fit"])
def test_a_long_line_is_the_definition(policy):
    log = overload(2500, 1)
    found = replay(*log, policy=policy)
    assert np.array_equal(found.start, schedules.starts(*log, policy))
    waiting = max(((found.arrival <= t) & (found.start > t)).sum() for t in range(500))
    assert waiting > 1024


@pytest.mark.parametrize("policy", POLICIES)
@given(logs())
def test_never_more_than_the_resource(policy, log):
    found = replay(*log, policy=policy)
    for now in found.start:
        held = found.need[(found.start <= now) & (now < found.finish)].sum()
        assert held <= found.B * (1 + EPS)
    assert (found.waits >= 0).all()


@given(logs())
def test_first_fit_leaves_nothing_idle_that_a_waiting_job_could_use(log):
    found = replay(*log, policy="first-fit")
    for now in np.union1d(found.arrival, found.finish):
        held = found.need[(found.start <= now) & (now < found.finish)].sum()
        waiting = found.need[(found.arrival <= now) & (now < found.start)]
        assert (waiting > found.B - held + EPS * found.B / 2).all()


@given(logs())
def test_fcfs_starts_in_order_of_arrival(log):
    found = replay(*log)
    assert (np.diff(found.start[np.argsort(found.arrival, kind="stable")]) >= 0).all()


@pytest.mark.parametrize("policy", POLICIES)
@given(log=logs(), seed=st.integers(0, 2**32 - 1))
def test_the_order_of_the_log_matters_at_ties_only(policy, log, seed):
    arrival, need, service, B = log
    arrival[np.argsort(arrival, kind="stable")] += np.arange(len(arrival))
    order = np.random.default_rng(seed).permutation(len(arrival))
    mixed = replay(arrival[order], need[order], service[order], B, policy=policy)
    assert np.array_equal(mixed.start, replay(arrival, need, service, B, policy=policy).start[order])


def test_at_one_instant_departures_then_arrivals_then_starts():
    found = replay([0, 0, 2, 2], [2, 2, 1, 2], [2, 3, 1, 1], 4)
    assert found.start.tolist() == [0, 0, 2, 3]  # the departure at 2 makes room for the third, not for the fourth
    narrow = replay([0, 1, 1], [2, 1, 2], [1, 0, 1], 2)
    assert narrow.start.tolist() == [0, 1, 1]  # served for no time, at the instant at which the third starts too


def test_equal_arrivals_queue_in_the_order_given():
    assert replay([1, 1, 1], [1, 1, 1], [3, 2, 1], 1).start.tolist() == [1, 4, 6]


def test_ten_tenths_fit_into_one():
    assert not replay(np.zeros(10), np.full(10, 0.1), np.ones(10), 1).waits.any()


@pytest.mark.parametrize("servers", [1, 3, 10])
@pytest.mark.parametrize("policy", POLICIES)
def test_jobs_of_one_server_wait_as_in_the_recursion_of_kiefer_and_wolfowitz(policy, servers):
    rng = np.random.default_rng(servers)
    arrival = rng.exponential(1 / (0.9 * servers), 2000).cumsum()
    service = rng.gamma(0.5, 2.0, 2000)
    found = replay(arrival, np.ones(2000), service, servers, policy=policy)
    assert found.waits == pytest.approx(schedules.waits_in_order(arrival, service, servers), abs=1e-9)
    assert found.waits.max() > 1


def test_what_a_schedule_says():
    found = replay([1, 0], [2, 4], [3, 2], 4)
    assert (found.start.tolist(), found.finish.tolist()) == ([2, 0], [5, 2])
    assert (found.waits.tolist(), found.sojourns.tolist()) == ([1, 0], [4, 2])
    assert found.utilization == (2 * 3 + 4 * 2) / (4 * 5)
    assert np.isnan(replay([1], [1], [0], 1).utilization)


def test_a_log_is_not_changed_and_may_be_of_any_kind():
    arrival = np.array([3, 1, 2])
    arrival.flags.writeable = False
    found = replay(arrival, (1, 2, 2), [1, 1, 1][::-1], 2)
    assert found.start.tolist() == [3, 1, 2] and arrival.tolist() == [3, 1, 2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"need": (1, 7)}, "need 7 exceeds resource 6"),
        ({"need": (0, 1)}, "need must be positive"),
        ({"arrival": (-1, 0)}, r"arrival must not be negative, got \(-1, 0\)"),
        ({"service": (1, -2)}, r"service must not be negative, got \(1, -2\)"),
        ({"service": (1, float("inf"))}, "service must be finite numbers"),
        ({"service": (1,)}, "one entry a job, got 2, 2 and 1"),
        ({"arrival": (), "need": (), "service": ()}, "at least one job"),
        ({"B": 0}, "B must be positive"),
        ({"policy": "lifo"}, "policy must be one of fcfs, first-fit; got 'lifo'"),
        ({"policy": ["fcfs"]}, r"policy must be one of fcfs, first-fit; got \['fcfs'\]"),
    ],
)
def test_bad_logs_are_refused(change, message):
    good = dict(arrival=(0, 1), need=(1, 2), service=(1, 1), B=6, policy="fcfs")
    log = good | change
    with pytest.raises(ValueError, match=message):
        replay(log["arrival"], log["need"], log["service"], log["B"], policy=log["policy"])
