"""Logs replayed: equal to the definition, job by job."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq.simulation import policies, replay
from mjq.simulation.schedule import TIES
from tests import reference_schedules as reference
from tests.simulation.comparing import compare, in_many_logs, log_of_numbers

EPS = 1e-9  # of the servers, for sums of needs
WITHOUT_POWERS = (
    *(name for name in policies.POLICIES if name != "server-filling"),
    *("backfill-1", "backfill-2", "backfill-5", "msfq-1", "msfq-3"),
)
POLICIES = (*WITHOUT_POWERS, "server-filling")
IN_ORDER_OF_ONE_CLASS = [name for name in WITHOUT_POWERS if policies.policy(name).ordered_within_class]


def thousandths(x):
    """Not so small that it is no time at all."""
    return round(x, 3)


@st.composite
def logs(draw, most=25, powers=False):
    """Submit times, needs, run times and estimates with many ties, in any order, and servers; some run for no time."""
    jobs = draw(st.integers(1, most))

    def column(values):
        return np.array(draw(st.lists(values, min_size=jobs, max_size=jobs)), dtype=float)

    servers = draw(st.sampled_from([1.0, 8.0, 16.0] if powers else [1.0, 6.0, 16.0]))
    clock = draw(st.sampled_from([st.integers(0, 20), st.floats(0, 20).map(thousandths)]))
    lengths = draw(st.sampled_from([st.integers(0, 9), st.floats(0, 9).map(thousandths)]))
    need = servers / 2 ** column(st.integers(0, 4)) if powers else servers * column(st.integers(1, 10)) / 10
    run = column(lengths)
    estimate = draw(st.sampled_from([run, 2 * run, run + column(st.integers(-3, 9))]))
    return column(clock), need, run, np.maximum(estimate, 0), servers


def random_case(rng, policy):
    """A log, sometimes with jobs that are killed at their estimates."""
    return log_of_numbers(rng, 25, powers=policy == "server-filling"), {"kill": bool(rng.random() < 0.5)}


@in_many_logs
def test_replay_is_the_definition(number, seed):
    assert compare(random_case, POLICIES, 3 * number, seed, {"kill"}) > number / 2


@pytest.mark.parametrize("policy", ["easy", "conservative", "server-filling"])
def test_a_table_that_grows_keeps_what_is_promised(policy):
    """The same jobs, but nobody else in the system that makes the table of jobs grow."""
    rng = np.random.default_rng(2)
    submit, need, run = rng.integers(0, 50, 1500), 2.0 ** rng.integers(0, 3, 1500), rng.integers(1, 5, 1500)
    found = replay(submit, need, run, 2 * run, 4, policy)

    def held(now):
        return found.need[(found.start <= now) & (now < found.finish)].sum()

    assert found.wait.max() > 1000
    if policy != "server-filling":
        assert max(held(now) for now in found.start) <= 4
        assert found.finish.tolist() == (found.start + run).tolist()


@given(logs(powers=True))
def test_server_filling_serves_every_job_in_full_and_leaves_no_server_idle_that_could_be_used(log):
    found = replay(*log, "server-filling")
    assert (found.wait >= 0).all() and (found.sojourn >= found.run - EPS).all()

    def present(now):
        return found.need[(found.submit <= now) & (now < found.finish)].sum()

    instants = np.unique([found.submit, found.finish])
    used = [min(present(now), found.servers) for now in instants[:-1]]
    busy = used @ np.diff(instants)
    assert busy == pytest.approx(found.need @ found.run)


@given(logs())
def test_first_fit_leaves_nothing_idle_that_a_waiting_job_could_use(log):
    found = replay(*log, "first-fit")
    for now in np.union1d(found.submit, found.finish):
        held = found.need[(found.start <= now) & (now < found.finish)].sum()
        waiting = found.need[(found.submit <= now) & (now < found.start)]
        assert (waiting > found.servers - held + EPS * found.servers / 2).all()


@given(logs())
def test_fcfs_starts_in_order_of_arrival(log):
    found = replay(*log)
    assert (np.diff(found.start[np.argsort(found.submit, kind="stable")]) >= 0).all()


@given(logs())
def test_the_depth_of_backfilling_from_none_to_all(log):
    """None is first-fit, one is EASY by a profile, as many as there are jobs is conservative."""
    for depth, policy in ((0, "first-fit"), (1, "easy"), (len(log[0]), "conservative")):
        with_depth = replay(*log, f"backfill-{depth}").start
        assert np.array_equal(with_depth, replay(*log, policy).start)


@given(logs())
def test_msfq_with_threshold_0_is_most_servers_first(log):
    assert np.array_equal(replay(*log, "msfq-0").start, replay(*log, "most-servers-first").start)


@given(logs())
def test_the_first_job_never_starts_after_its_shadow_time_under_easy(log):
    """When a job becomes the first in the line, all that run end by their estimates; from then on nobody delays it."""
    found, estimate = replay(*log, "easy"), np.maximum(log[2], log[3])
    order = np.argsort(found.submit, kind="stable")
    for place, job in enumerate(order):
        ahead = order[:place]
        first = max([found.submit[job], *found.start[ahead]])
        if not found.submit[job] <= first < found.start[job]:
            continue
        runs = (found.start <= first) & (first < found.finish)
        ends = np.unique([first, *(found.start + estimate)[runs]])
        held = np.array([found.need[runs & (found.start + estimate > end)].sum() for end in ends])
        shadow = ends[np.argmax(held + found.need[job] <= found.servers * (1 + EPS))]
        assert found.start[job] <= max(shadow, first) + EPS


@given(logs())
def test_conservative_backfilling_breaks_no_promise(log):
    """When a job comes, it is promised a start; whoever comes later, it starts by then.

    The promise is what it would get if nobody came later and all ended by their estimates.
    """
    submit, need, run, estimate, servers = log
    estimate = np.maximum(run, estimate)
    order = np.argsort(submit, kind="stable")
    found = replay(*log, "conservative")
    for place, job in enumerate(order):
        known = order[: place + 1]
        # Who has ended by then has ended; all others take as long as they are expected to.
        ended = found.finish[known] <= submit[job]
        lengths = np.where(ended, run[known], estimate[known])
        promised = replay(submit[known], need[known], lengths, estimate[known], servers, "conservative")
        assert found.start[job] <= promised.start[-1] + EPS


@pytest.mark.parametrize("policy", POLICIES)
def test_the_order_of_the_log_matters_at_ties_only(policy):
    rng = np.random.default_rng(6)
    for _ in range(40):
        submit, need, run, _, servers = log_of_numbers(rng, 25, powers=policy == "server-filling")
        submit[np.argsort(submit, kind="stable")] += np.arange(len(submit))
        order = rng.permutation(len(submit))
        mixed = replay(submit[order], need[order], run[order], 2 * run[order], servers, policy)
        assert np.array_equal(mixed.start, replay(submit, need, run, 2 * run, servers, policy).start[order])


def test_at_one_instant_departures_then_arrivals_then_starts():
    found = replay([0, 0, 2, 2], [2, 2, 1, 2], [2, 3, 1, 1], None, 4)
    assert found.start.tolist() == [0, 0, 2, 3]  # the departure at 2 makes room for the third, not for the fourth
    narrow = replay([0, 1, 1], [2, 1, 2], [1, 0, 1], None, 2)
    assert narrow.start.tolist() == [0, 1, 1]  # served for no time, at the instant at which the third starts too


def test_one_by_one_the_first_to_come_does_not_see_the_next():
    """At 4 the first job ends, and two come: the smaller one first, which starts before the larger one is there."""
    log = [0, 4, 4], [4, 1, 4], [4, 3, 3], None, 4
    assert replay(*log, "most-servers-first").start.tolist() == [0, 7, 4]
    assert replay(*log, "most-servers-first", ties="one by one").start.tolist() == [0, 4, 7]
    early = replay([0, 4, 4], [4, 1, 4], [4, 3, 3], [9, 3, 3], 4, "most-servers-first", ties="one by one")
    assert early.start.tolist() == [0, 7, 4]  # nobody knew that the first job would end


def test_one_by_one_completions_come_in_the_order_of_starts():
    """At 6 two jobs end that leave room for the fifth or the third. The fourth had started before the second."""
    log = [0, 0, 1, 2, 2], [2, 2, 3, 1, 1], [3, 3, 1, 4, 4], [3, 9, 2, 4, 5], 3
    assert replay(*log, "easy", ties="one by one").start.tolist() == [0, 3, 10, 2, 6]
    assert replay(*log, "easy").start.tolist() == [0, 3, 6, 2, 7]


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("unit", [1, 0.1])  # in tenths, a time added to 0.3 and taken off again is not what it was
def test_a_start_is_the_first_one_though_it_was_interrupted_at_once(ties, unit):
    """At the start of the first job the second one runs for no time; then the fourth needs all servers."""
    log = unit * np.array([3, 3, 3, 3]), [2, 2, 1, 4], unit * np.array([1, 0, 1, 5]), None, 4
    found = replay(*log, "server-filling", ties=ties)
    first = found.submit[0]
    assert found.start[[0, 1, 3]].tolist() == [first] * 3
    assert found.start[2] == found.finish[3] < found.finish[0]


def test_a_start_is_the_first_one_though_the_time_served_is_lost_in_rounding():
    """The first job is interrupted after one unit of time, of a run time so long that the unit makes no difference."""
    found = replay([0, 1], [2, 4], [1e20, 1], None, 4, "server-filling")
    assert 1e20 - 1 == 1e20 and found.start.tolist() == [0, 1]


def test_limits():
    log = [0, 1], [1, 1], [9, 2], [5, 2], 1
    run_past, killed = replay(*log), replay(*log, kill=True)
    assert (run_past.start.tolist(), run_past.finish.tolist()) == ([0, 9], [9, 11])
    assert (killed.start.tolist(), killed.finish.tolist(), killed.run.tolist()) == ([0, 5], [5, 7], [5, 2])


def test_equal_arrivals_queue_in_the_order_given():
    assert replay([1, 1, 1], [1, 1, 1], [3, 2, 1], None, 1).start.tolist() == [1, 4, 6]


def test_ten_tenths_fit_into_one():
    assert not replay(np.zeros(10), np.full(10, 0.1), np.ones(10), None, 1).wait.any()


@pytest.mark.parametrize("servers", [1, 3, 10])
@pytest.mark.parametrize("policy", [x for x in IN_ORDER_OF_ONE_CLASS if x not in ("backfill-5", "msfq-3")])
def test_jobs_of_one_server_wait_as_in_the_recursion_of_kiefer_and_wolfowitz(policy, servers):
    rng = np.random.default_rng(servers)
    arrival = rng.exponential(1 / (0.9 * servers), 2000).cumsum()
    service = rng.gamma(0.5, 2.0, 2000)
    found = replay(arrival, np.ones(2000), service, None, servers, policy)
    assert found.wait == pytest.approx(reference.waits_in_order(arrival, service, servers), abs=1e-9)
    assert found.wait.max() > 1


def test_what_a_schedule_says():
    found = replay([1, 0], [2, 4], [3, 2], None, 4)
    assert (found.start.tolist(), found.finish.tolist()) == ([2, 0], [5, 2])
    assert (found.wait.tolist(), found.sojourn.tolist()) == ([1, 0], [4, 2])
    assert found.utilization == (2 * 3 + 4 * 2) / (4 * 5)
    assert np.isnan(replay([1], [1], [0], None, 1).utilization)


def test_a_log_is_not_changed_and_may_be_of_any_kind():
    arrival = np.array([3, 1, 2])
    arrival.flags.writeable = False
    found = replay(arrival, (1, 2, 2), [1, 1, 1][::-1], None, 2)
    assert found.start.tolist() == [3, 1, 2] and arrival.tolist() == [3, 1, 2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"need": (1, 7)}, "need 7 exceeds resource 6"),
        ({"need": (0, 1)}, "need must be positive"),
        ({"submit": (-1, 0)}, r"submit must not be negative, got \(-1, 0\)"),
        ({"run": (1, -2)}, r"run must not be negative, got \(1, -2\)"),
        ({"run": (1, float("inf"))}, "run must be finite numbers"),
        ({"run": (1,)}, "one entry for each job, got 2, 2, 1 and 1"),
        ({"estimate": (1, 2, 3)}, "one entry for each job, got 2, 2, 2 and 3"),
        ({"estimate": (1, -2)}, "estimate must not be negative"),
        ({"submit": (), "need": (), "run": ()}, "at least one job"),
        ({"servers": 0}, "servers must be positive"),
        ({"policy": "lifo"}, "policy must be one of fcfs, .*; got 'lifo'"),
        ({"policy": "easy-2"}, "got 'easy-2'"),
        ({"policy": "backfill"}, "got 'backfill'"),
        ({"policy": "backfill--1"}, "got 'backfill--1'"),
        ({"policy": ["fcfs"]}, r"policy must be one of fcfs, .*; got \['fcfs'\]"),
        ({"policy": "server-filling"}, "powers of two for needs and servers: need 1, servers 6"),
        ({"policy": "server-filling", "servers": 4, "need": (1, 3)}, "for needs and servers: need 3, servers 4"),
        ({"ties": "arrivals first"}, "ties must be one of completions first, one by one; got 'arrivals first'"),
    ],
)
def test_bad_logs_are_refused(change, message):
    good = dict(submit=(0, 1), need=(1, 2), run=(1, 1), estimate=None, servers=6, policy="fcfs")
    with pytest.raises(ValueError, match=message):
        replay(**(good | change))
