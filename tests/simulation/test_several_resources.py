"""Jobs that need several resources at once: laws of replays and of simulations; `test_schedule.py` has the words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq.models import scheduling
from mjq.simulation import policies, replay, simulate_multiserver
from mjq.simulation.calendar import calendar_of
from mjq.simulation.schedule import TIES
from tests.simulation.comparing import random_calendar, random_log
from tests.simulation.test_schedule import OF_SEVERAL, POLICIES

HOST = (12, 8), [(4, 1), (1, 3), (0, 2)], (1.0, 2.0, 0.5), (0.4, 0.4, 0.2)


# --- What must not matter ---


@pytest.mark.parametrize("policy", OF_SEVERAL)
def test_resources_may_be_permuted_scaled_and_added_without_need(policy):
    rng = np.random.default_rng(3)
    for case in range(60):
        submit, need, run, estimate, sizes = random_log(rng)
        start = replay(submit, need, run, estimate, sizes, policy).start
        order = rng.permutation(len(sizes))
        factors = rng.choice([0.1, 3.7, 1024, 1e-9], len(sizes))
        ample = rng.random((len(need), 1)) * 3  # which all jobs together may have
        for needs, there in (
            (need[:, order], sizes[order]),
            (need * factors, sizes * factors),
            (np.hstack([need, ample]), [*sizes, 3 * len(need)]),
            (np.hstack([ample, need]), [3 * len(need), *sizes]),
        ):
            assert np.array_equal(replay(submit, needs, run, estimate, there, policy).start, start), case


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("policy", POLICIES)
def test_one_resource_in_a_sequence_is_that_resource(policy, ties):
    rng = np.random.default_rng(4)
    for _ in range(40):
        submit, need, run, estimate, (servers,) = random_log(rng, resources=1)
        if policy == "server-filling":
            servers, need = 8.0, 2.0 ** rng.integers(-1, 4, need.shape)
        changes = None if policies.policy(policy).interrupts else random_calendar(rng, servers)
        alone = replay(submit, need[:, 0], run, estimate, servers, policy, ties=ties, calendar=changes)
        found = replay(submit, need, run, estimate, [servers], policy, ties=ties, calendar=changes)
        assert np.array_equal(found.start, alone.start) and np.array_equal(found.finish, alone.finish)
        assert np.array_equal(found.utilization, [alone.utilization], equal_nan=True)


@pytest.mark.parametrize("policy", POLICIES)
def test_one_resource_in_a_sequence_is_simulated_alike(policy):
    plan = dict(mu=(1.0, 0.5), p=(0.6, 0.4), jobs=2000, seed=5, policy=policy, room=20, tail_at=(1.0,))
    alone = simulate_multiserver(1.0, 4, (1, 2), **plan)
    assert simulate_multiserver(1.0, [4], [[1], [2]], **plan) == alone


# --- Order of arrival ---


@given(seed=st.integers(0, 2**32 - 1))
def test_in_order_of_arrival_more_of_anything_delays_nobody(seed):
    """More of a resource, less need, shorter times: each job starts no later."""
    rng = np.random.default_rng(seed)
    submit, need, run, _, sizes = random_log(rng, most=30)
    start = replay(submit, need, run, None, sizes).start
    larger = sizes + 0.1 * sizes * rng.integers(0, 5, len(sizes))
    shorter = np.floor(run * rng.random(len(run)))
    fewer = (need - sizes / 10 * (rng.random(need.shape) < 0.3)).clip(0)
    fewer = np.where(fewer.any(axis=1, keepdims=True), fewer, need)
    for changed in ((need, run, larger), (fewer, run, sizes), (need, shorter, sizes), (fewer, shorter, larger)):
        assert (replay(submit, *changed[:2], None, changed[2]).start <= start).all()


def start_with(k, submit, need, run, sizes):
    """Starts in order of arrival if only resource k counted; a second one, which never binds, is for who needs none."""
    beside = np.column_stack([need[:, k], np.ones(len(need))])
    return replay(submit, beside, run, None, (sizes[k], len(need))).start


@given(seed=st.integers(0, 2**32 - 1))
def test_each_start_lies_between_the_latest_by_one_resource_and_their_sum(seed):
    """Whole times, so that sums are exact."""
    rng = np.random.default_rng(seed)
    _, need, _, _, sizes = random_log(rng, most=60)
    submit, run = rng.integers(0, 30, len(need)), np.floor(rng.lognormal(1, 2, len(need)))
    start = replay(submit, need, run, None, sizes).start
    views = np.array([start_with(k, submit, need, run, sizes) for k in range(len(sizes))])
    assert (views.max(axis=0) <= start).all() and (start <= views.sum(axis=0)).all()


# --- Beside chains ---


@pytest.mark.parametrize("policy", [name for name in scheduling.POLICIES if name in OF_SEVERAL])
def test_small_queues_beside_the_exact_chain(policy):
    exact = scheduling.finite_queue(3.0, *HOST, room=4, policy=policy)
    run = simulate_multiserver(3.0, *HOST, 20_000, 7, policy=policy, room=4, replications=20)
    assert exact.mean_queue in run.mean_queue.widened(2) and exact.accepted in run.accepted.widened(2)
    assert exact.mean_wait in run.mean_wait.widened(2) and exact.throughput in run.throughput.widened(2)
    assert exact.utilization.shape == (2,) and (exact.utilization < 1).all()


# --- What is said ---


def test_what_a_schedule_of_several_resources_says():
    found = replay([1, 0], [(2, 0), (4, 5)], [3, 2], None, (4, 10))
    assert found.start.tolist() == [2, 0] and found.need.tolist() == [[2, 0], [4, 5]]
    assert found.utilization.tolist() == [(2 * 3 + 4 * 2) / (4 * 5), 5 * 2 / (10 * 5)]
    assert found.wait.tolist() == [1, 0] and found.bounded_slowdown(1) == (4 / 3 + 1) / 2
    assert np.isnan(replay([1], [(1, 1)], [0], None, (1, 1)).utilization).all()


def test_a_calendar_counts_the_first_resource_and_takes_the_same_share_of_the_others():
    """Of 4 servers and 10 GB half are down from 1 to 9: a job that needs 6 GB waits, and so does one of 3 servers."""
    log = [0, 2, 2, 2], [(4, 10), (1, 6), (3, 1), (1, 1)], [3, 2, 2, 2], None, (4, 10)
    for calendar in ([(1, 2), (9, 4)], calendar_of([(1, 50), (9, 100)], 100).on(4)):
        assert replay(*log, "easy", calendar=calendar).start.tolist() == [0, 9, 9, 3]
        found = replay(*log, calendar=calendar)
        assert found.start.tolist() == [0, 9, 9, 11]
    held = 4 * 3 + 2 * 6 + 4 * 4, 10 * 3 + 5 * 6 + 10 * 4  # up or held: until 3, until 9, until 13
    used = 4 * 3 + 1 * 2 + 3 * 2 + 1 * 2, 10 * 3 + 6 * 2 + 1 * 2 + 1 * 2
    assert found.utilization == pytest.approx([x / y for x, y in zip(used, held, strict=True)])
    with pytest.raises(ValueError, match=r"2 of 4 jobs never start: .* 2 of 4 servers up, and 2 of them need more"):
        replay(*log, "easy", calendar=[(1, 2)])
