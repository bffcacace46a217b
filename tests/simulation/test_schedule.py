"""Logs replayed: equal to the definition, job by job."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq.simulation import policies, replay
from tests.simulation.comparing import compare, in_many_logs, log_of_numbers, random_case

EPS = 1e-9  # of the servers, for sums of needs
WITHOUT_POWERS = (
    *(name for name in policies.POLICIES if name != "server-filling"),
    *("backfill-1", "backfill-2", "backfill-5", "msfq-1", "msfq-3"),
)
POLICIES = (*WITHOUT_POWERS, "server-filling")
OF_SEVERAL = [name for name in WITHOUT_POWERS if not policies.policy(name).one_resource]
TAKE_PRIORITIES = [name for name in WITHOUT_POWERS if policies.policy(name).takes_priorities]


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


@in_many_logs
@pytest.mark.parametrize(
    ("kinds", "rules", "changed"),
    [
        ({"kill"}, POLICIES, "kill"),
        ({"calendar"}, WITHOUT_POWERS, "calendar"),
        ({"several", "calendar", "kill"}, OF_SEVERAL, ""),
        ({"several", "priority", "calendar", "kill"}, TAKE_PRIORITIES, "priority"),
        ({"user_limit", "priority", "calendar"}, TAKE_PRIORITIES, "user_limit"),
    ],
)
def test_replay_is_the_definition(kinds, rules, changed, number, seed):
    """Of many logs, what is drawn changes more than one in six."""
    found = compare(partial(random_case, kinds=kinds), rules, 2 * number, seed, {changed})
    assert found > number / 3 or not changed


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


def too_large(found):
    """At each instant, of the jobs that wait, which do not fit into what is free."""
    for now in np.union1d(found.submit, found.finish):
        held = found.need[(found.start <= now) & (now < found.finish)].sum()
        waiting = found.need[(found.submit <= now) & (now < found.start)]
        yield waiting > found.servers - held + EPS * found.servers / 2


@given(logs())
def test_first_fit_leaves_nothing_idle_that_a_waiting_job_could_use(log):
    assert all(jobs.all() for jobs in too_large(replay(*log, "first-fit")))


@given(logs(), st.sampled_from(WITHOUT_POWERS))
def test_while_jobs_wait_one_of_them_does_not_fit(log, policy):
    """So a load is known that any policy carries."""
    assert all(jobs.any() for jobs in too_large(replay(*log, policy)) if len(jobs))


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


def test_a_start_is_the_first_one_though_the_time_served_is_lost_in_rounding():
    """The first job is interrupted after one unit of time, of a run time so long that the unit makes no difference."""
    found = replay([0, 1], [2, 4], [1e20, 1], None, 4, "server-filling")
    assert 1e20 - 1 == 1e20 and found.start.tolist() == [0, 1]


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
