"""Replays in which groups of jobs have limits: by the words of the rule, and what must hold of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mjq.simulation import Limits, replay
from mjq.simulation.schedule import TIES
from tests.simulation.comparing import as_defined, compare, in_many_logs, log_of_numbers, random_calendar, same
from tests.simulation.test_hours import random_hours
from tests.simulation.test_priorities import OTHERS, TAKE_PRIORITIES
from tests.simulation.test_schedule import logs


def random_limits(rng, need, servers):
    """Groups of jobs, of which some are in none, and what each has at most at once: servers or jobs."""
    group = rng.integers(-1, rng.integers(1, 5), len(need))
    if rng.random() < 0.4:
        return Limits(group, jobs=rng.integers(1, 5, group.max() + 1) + rng.choice([0, 0.5]))
    most = np.full(group.max() + 1, 0.0)
    np.maximum.at(most, group[group >= 0], need[group >= 0])
    return Limits(group, np.maximum(most, servers * rng.integers(1, 9, len(most)) / 6))


def random_case(rng, policy):
    """A log with one to three kinds of limits, sometimes with priorities, hours, passes or a calendar."""
    log = log_of_numbers(rng, most=18)
    how, jobs = {"limits": [random_limits(rng, log[1], log[-1]) for _ in range(rng.integers(1, 4))]}, len(log[0])
    if rng.random() < 0.3:
        how["priority"] = rng.integers(0, 3, jobs)
    if rng.random() < 0.3:
        how |= {"hours": random_hours(rng, 2), "hours_class": rng.integers(0, 2, jobs)}
    if rng.random() < 0.2:
        how["calendar"] = random_calendar(rng, log[-1])
    if rng.random() < 0.2:
        how["cycle"] = 0.25
    return log, how


@in_many_logs
def test_replays_with_limits_are_the_words_of_the_rule(number, seed):
    assert compare(random_case, TAKE_PRIORITIES, number, seed, {"limits"}) > number / 4


def most_held(schedule, group, need):
    """The most that the jobs of a group hold at once."""
    mine = schedule.run > 0
    mine &= group
    start, finish, need = schedule.start[mine], schedule.finish[mine], need[mine]
    return max((need[(start <= now) & (now < finish)].sum() for now in start), default=0.0)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("policy", TAKE_PRIORITIES)
def test_a_long_queue_with_limits_is_the_definition(policy, ties):
    """One class of needs, so that its queue is long enough for a tree, among whose jobs others enter again."""
    rng = np.random.default_rng(3)
    jobs = 260
    run = rng.integers(1, 9, jobs)
    log = rng.integers(0, 40, jobs), np.ones(jobs), run, run + rng.integers(0, 50, jobs), 3.0
    log[1][::40] = 3.0
    of_users = Limits(np.where(log[1] > 1, -1, rng.integers(-1, 3, jobs)), [2, 1, 1])
    how = {"limits": [of_users, Limits(rng.integers(-1, 2, jobs), jobs=[20, 3])]}
    assert not same(as_defined(log, policy, ties=ties, **how), replay(*log, policy, ties=ties))


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("policy", TAKE_PRIORITIES)
@settings(max_examples=20)
@given(log=logs(), groups=st.integers(1, 4))
def test_limits_that_never_bind_change_nothing(policy, ties, log, groups):
    group = np.arange(len(log[0])) % groups
    without = replay(*log, policy, ties=ties)
    all_servers, all_jobs = Limits(group, np.sum(log[1])), Limits(group, jobs=len(group))
    for limits in (all_servers, Limits(np.full(len(group), -1), 1.0), [all_jobs, all_servers]):
        assert same(replay(*log, policy, ties=ties, limits=limits), without)


@pytest.mark.parametrize("policy", TAKE_PRIORITIES)
@settings(max_examples=50)
@given(seed=st.integers(0, 10**6))
def test_a_group_never_holds_more_than_its_limit(policy, seed):
    log, how = random_case(np.random.default_rng(seed), policy)
    found = replay(*log, policy, **how)
    for one in how["limits"]:
        need, limits = (found.need, one.servers) if one.jobs is None else (np.ones(len(found.need)), one.jobs)
        for group, most in enumerate(limits):
            assert most_held(found, one.group == group, need) <= most * (1 + 1e-9)


@pytest.mark.parametrize("policy", [*OTHERS, "backfill-3"])
def test_policies_that_do_not_go_down_the_queue_refuse_limits_by_name(policy):
    with pytest.raises(ValueError, match=f"{policy} is not replayed with limits: fcfs, .*easy"):
        replay([0, 1], [1, 2], [3, 3], None, 4, policy, limits=Limits([0, 0], 2))


@pytest.mark.parametrize(
    ("limits", "how", "message"),
    [
        (Limits([0, 0, 1], [4, 1]), {}, "need 2 of job 3 exceeds the limit of its group 1, 1"),
        (Limits([0, 0], 4), {}, "limits must have a group for each job, got 2 for 3 jobs"),
        (Limits([0, 0, 0], 4), {"calendar": [(1, 2), (3, 4)], "known": True}, "not combined with a calendar"),
        (Limits([0, 0, 0], 4), {"need": [(1, 1)] * 3, "servers": (4, 4)}, "limits are of one resource"),
    ],
)
def test_limits_that_cannot_be_kept_are_refused(limits, how, message):
    log = {"submit": [0, 1, 2], "need": [1, 1, 2], "run": [3, 3, 3], "estimate": None, "servers": 4}
    with pytest.raises(ValueError, match=message):
        replay(**log | how, policy="easy", limits=limits)


@pytest.mark.parametrize(
    ("given_limits", "message"),
    [
        (([0.5], 1), "must be whole numbers, one for each job"),
        (([-2], 1), "must be at least -1, got -2"),
        (([0], 0), "the servers of limits must be positive"),
        (([0, 3], [1, 2]), "must have servers for each of 4 groups, got 2"),
        (([0, 3], None, [1, 2]), "must have jobs for each of 4 groups, got 2"),
        (([0], None, 0.5), "the jobs of limits must be at least 1, got 0.5"),
        (([0],), "of servers or of jobs"),
        (([0], 3, 3), "of servers or of jobs"),
    ],
)
def test_limits_check_themselves(given_limits, message):
    with pytest.raises(ValueError, match=message):
        Limits(*given_limits)
