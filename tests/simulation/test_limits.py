"""Replays in which users have a limit: what must hold of them; `test_schedule.py` has the words."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mjq._util.compiling import Dual
from mjq.simulation import replay
from mjq.simulation.schedule import TIES
from tests.simulation.comparing import as_defined, random_case, same
from tests.simulation.test_schedule import TAKE_PRIORITIES, logs


def most_held(schedule, which):
    which = which & (schedule.run > 0)
    start, finish, need = schedule.start[which], schedule.finish[which], schedule.need[which]
    return max((need[(start <= now) & (now < finish)].sum() for now in start), default=0.0)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("policy", TAKE_PRIORITIES)
def test_a_long_queue_with_limits_is_the_definition(policy, ties):
    """Mostly one class of needs, so that its queue is long enough for a tree, among whose jobs others enter again."""
    rng = np.random.default_rng(3)
    jobs = 260
    run = rng.integers(1, 9, jobs)
    log = rng.integers(0, 40, jobs), np.ones(jobs), run, run + rng.integers(0, 50, jobs), 3.0
    log[1][::40] = 3.0
    how = {"user": np.where(log[1] > 1, -1, rng.integers(-1, 3, jobs)), "user_limit": 1.0}
    assert not same(as_defined(log, policy, ties=ties, **how), replay(*log, policy, ties=ties))


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("policy", TAKE_PRIORITIES)
@settings(max_examples=20)
@given(log=logs(), users=st.integers(1, 4))
def test_limits_that_never_bind_change_nothing(policy, ties, log, users):
    user = np.arange(len(log[0])) % users
    without = replay(*log, policy, ties=ties)
    for whose, limit in ((user, np.sum(log[1])), (np.full(len(user), -1), 1.0)):
        assert same(replay(*log, policy, ties=ties, user=whose, user_limit=limit), without)


@pytest.mark.parametrize("policy", TAKE_PRIORITIES)
@settings(max_examples=50)
@given(seed=st.integers(0, 10**6))
def test_a_user_never_holds_more_than_the_limit_or_the_largest_job(policy, seed):
    log, how = random_case(np.random.default_rng(seed), policy, {"user_limit", "priority"})
    found = replay(*log, policy, **how)
    for user in set(how["user"].tolist()) - {-1}:
        mine = how["user"] == user
        assert most_held(found, mine) <= max(how["user_limit"], found.need[mine].max()) * (1 + 1e-9)


def test_many_gates_that_open_at_once_take_work_in_proportion(monkeypatch):
    """Where each looks at all open gates, four times as many jobs take sixteen times as much.

    Lines are counted that Python executes where half of the jobs wait, each before its own gate.
    """
    monkeypatch.setattr(Dual, "form", lambda function, steps: function.plain)

    def lines(jobs):
        counted, user, tracing = [0], np.tile(np.arange(jobs // 2), 2), sys.gettrace()

        def count(frame, event, _):
            counted[0] += event == "line"
            return count

        sys.settrace(count)
        found = replay(np.zeros(jobs), np.ones(jobs), np.ones(jobs), None, jobs, "fcfs", user=user, user_limit=1)
        sys.settrace(tracing)
        assert found.start.tolist() == [0.0] * (jobs // 2) + [1.0] * (jobs // 2)
        return counted[0]

    lines(10)
    few, many = lines(200), lines(800)
    assert 10_000 < many < 5 * few
