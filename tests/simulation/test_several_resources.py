"""Jobs that need several resources at once: replays by the words of the rules, and laws of all simulations."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mjq.models import scheduling
from mjq.simulation import policies, replay, simulate_multiserver
from mjq.simulation.calendar import calendar_of
from mjq.simulation.loop import event_loop
from mjq.simulation.schedule import TIES
from tests.models.test_several_resources import plain_chain
from tests.simulation.comparing import compare, in_many_logs, random_calendar, random_log

EVERY_POLICY = [name.replace("<number>", "2") for name in policies.NAMES]
OF_SEVERAL = [name for name in EVERY_POLICY if not policies.policy(name).one_resource]
OF_ONE = [name for name in EVERY_POLICY if policies.policy(name).one_resource]
DEEPER = [*OF_SEVERAL, "backfill-1", "backfill-3", "backfill-5"]
HOST = (12, 8), [(4, 1), (1, 3), (0, 2)], (1.0, 2.0, 0.5), (0.4, 0.4, 0.2)
TWELVE = (12, 12), [(4, 1), (1, 4)], (1, 1), (0.5, 0.5)


# --- The words of the rules -------------------------------------------------------------------------------------------


def random_case(rng, policy):
    """A log of one to three resources, sometimes with a calendar or with jobs that are killed."""
    log = random_log(rng)
    calendar = random_calendar(rng, log[-1][0]) if rng.random() < 0.2 else []
    return log, {"calendar": calendar, "kill": bool(rng.random() < 0.2)}


@in_many_logs
def test_replays_are_the_words_of_the_rules(number, seed):
    compare(random_case, DEEPER, 2 * number, seed)


# --- What must not matter ---------------------------------------------------------------------------------------------


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
@pytest.mark.parametrize("policy", EVERY_POLICY)
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


@pytest.mark.parametrize("policy", EVERY_POLICY)
def test_one_resource_in_a_sequence_is_simulated_alike(policy):
    plan = dict(mu=(1.0, 0.5), p=(0.6, 0.4), jobs=2000, seed=5, policy=policy, room=20, tail_at=(1.0,))
    alone = simulate_multiserver(1.0, 4, (1, 2), **plan)
    assert simulate_multiserver(1.0, [4], [[1], [2]], **plan) == alone


def test_no_other_loop_is_compiled_for_several():
    replay([0, 0], [1, 2], [1, 1], None, 2)
    replay([0, 0], [(1, 0, 1), (2, 1, 0)], [1, 1], None, (2, 1, 1), "easy")
    simulate_multiserver(1.0, *HOST, 100, 1)
    assert len(event_loop.signatures) == 1


# --- Order of arrival -------------------------------------------------------------------------------------------------


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


def test_jobs_that_exclude_each_other_are_served_one_by_one():
    """All the memory, then all the processors and some memory, in turn."""
    need = [(0, 10), (10, 1)] * 5
    found = replay(np.zeros(10), need, np.ones(10), None, (10, 10))
    assert found.start.tolist() == list(range(10)) and found.utilization == pytest.approx([0.5, 0.55])


# --- Beside chains ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("system", [HOST, TWELVE, ((2, 1, 3), [(1, 0, 1), (0, 1, 2)], (1, 3), (0.3, 0.7))])
def test_saturated_simulations_complete_what_the_chain_says(system):
    *_, exact = plain_chain(*system)
    run = simulate_multiserver(2 * exact, *system, 10_000, 6, replications=20, warmup=0.5, workers=2)
    assert exact in run.throughput.widened(2)
    assert run.throughput.half_width < 0.02 * exact


@pytest.mark.parametrize("policy", [name for name in scheduling.POLICIES if name in OF_SEVERAL])
def test_small_queues_beside_the_exact_chain(policy):
    exact = scheduling.finite_queue(3.0, *HOST, room=4, policy=policy)
    run = simulate_multiserver(3.0, *HOST, 20_000, 7, policy=policy, room=4, replications=20, workers=2)
    assert exact.ENq in run.ENq.widened(2) and exact.accepted in run.accepted.widened(2)
    assert exact.EWq in run.EWq.widened(2) and exact.throughput in run.throughput.widened(2)
    assert exact.utilization.shape == (2,) and (exact.utilization < 1).all()


# --- What is refused, what is said ------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", OF_ONE)
def test_rules_of_one_resource_say_why(policy):
    message = f"{policy} is a rule for one resource, got 2: {policies.policy(policy).one_resource}"
    for call in (
        lambda: replay([0], [(1, 1)], [1], None, (2, 2), policy),
        lambda: simulate_multiserver(1.0, (2, 2), [(1, 1)], [1], [1], 100, 1, policy=policy),
        lambda: scheduling.finite_queue(1.0, (2, 2), [(1, 1)], [1], [1], 1, policy),
    ):
        with pytest.raises(ValueError, match=message):
            call()


@pytest.mark.parametrize(
    ("need", "servers", "message"),
    [
        ([(1, 0), (0, 0)], (4, 8), r"each job must need something, but need has the need \(0, 0\)"),
        ([(1, 0, 1), (1, 2, 1)], (4, 8), r"an entry for each of 2 resources, got \(1, 0, 1\)"),
        ([(1, 0), (1, 2, 3)], (4, 8), r"an entry for each of 2 resources, got \(1, 2, 3\)"),
        ([1, 2], (4, 8), "each of need must be a plain sequence of numbers, got 1"),
        ([(1, 9), (1, 2)], (4, 8), r"need \(1, 9\) exceeds resource \(4, 8\): there is too little of resource 2"),
        ([(1, 8), (5, 2)], (4, 8), r"need \(5, 2\) exceeds resource \(4, 8\): there is too little of resource 1"),
        ([(1, -1), (1, 2)], (4, 8), r"must not be negative, got \(1, -1\)"),
        ([(1, 1), (1, 2)], (4, 0), r"servers must be positive, got \(4, 0\)"),
        ([(), ()], (), "servers must be at least one resource, got none"),
        ([(1, 1), (1, 2)], 4, "need must be a plain sequence of numbers"),
        (np.ones((2, 5)), 5 * [1], "at most 4 resources, got 5"),
        (np.ones((2, 2)), ((1, 1), (1, 1)), "servers must be a plain sequence of numbers"),
        (np.ones((3, 2)), (1, 1), "one entry for each job, got 2, 3, 2 and 2"),
    ],
)
def test_bad_needs_are_refused(need, servers, message):
    with pytest.raises(ValueError, match=message):
        replay([0, 1], need, [1, 1], None, servers)


def test_bad_systems_are_refused():
    for b, message in (
        ([(1, 0), (0, 0)], "each job must need something"),
        ([(1, 0), (1, 2, 3)], "an entry for each of 2 resources"),
        ([(1, 9), (1, 1)], r"need \(1, 9\) exceeds resource \(4, 8\)"),
    ):
        with pytest.raises(ValueError, match=message):
            simulate_multiserver(1.0, (4, 8), b, (1, 1), (0.5, 0.5), 100, 1)
    with pytest.raises(ValueError, match="at most 4 resources, got 5"):
        simulate_multiserver(1.0, 5 * [1], np.ones((1, 5)), [1], [1], 100, 1)


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


@pytest.mark.parametrize("resource", range(4))
def test_each_of_four_resources_counts(resource):
    """Jobs that need only this one are served two at a time, whatever else there is."""
    need = np.zeros((6, 4))
    need[:, resource] = 3
    for policy in OF_SEVERAL:
        assert replay(np.zeros(6), need, np.ones(6), None, (6, 7, 8, 7), policy).start.tolist() == [0, 0, 1, 1, 2, 2]


def test_pairs_of_jobs_that_need_different_resources_never_wait_for_each_other():
    for one, other in itertools.combinations(range(4), 2):
        need = np.zeros((2, 4))
        need[0, one] = need[1, other] = 1
        assert not replay([0, 0], need, [1, 1], None, (1, 1, 1, 1)).wait.any()


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1))
def test_nobody_holds_more_than_there_is_of_any_resource(seed):
    log = random_log(np.random.default_rng(seed), most=40)
    for policy in DEEPER:
        found = replay(*log, policy)
        for now in found.start:
            held = found.need[(found.start <= now) & (now < found.finish)].sum(axis=0)
            assert (held <= found.servers * (1 + 1e-9)).all()
