"""The servers that each user has at most in the replay of a log, in Python and from the command line."""

import json
from dataclasses import replace

import numpy as np
import pytest

import mjq_logs
from mjq.simulation import replay
from mjq_logs import Log, cut_window, with_user_limit
from mjq_logs.machine.replaying import replay_log
from tests.conftest import said
from tests.logs.writing import as_swf

HOUR = 3600.0


@pytest.fixture(scope="module")
def lived():
    """Jobs of twelve users, one of whom has half of them; each had at most 16 of 32 servers at once."""
    rng, jobs = np.random.default_rng(1), 800
    limit = rng.choice([0.25, 1, 4, 8, 15], jobs, p=[0.3, 0.25, 0.2, 0.15, 0.1]) * HOUR
    need, run = rng.choice([1.0, 2, 4, 8, 16], jobs), (limit * rng.uniform(0.2, 1, jobs)).round()
    come = np.cumsum(rng.exponential(need @ run / (jobs * 32 * 0.75), jobs)).round()
    user = rng.choice(12, jobs, p=np.append(0.45, np.full(11, 0.05)))
    log = Log(need=need, run=run, submit=come, estimate=limit, servers=32, user=user, clock=345_600.0)
    return replace(log, start=log.submit + kept(log).wait)


def kept(log, policy="easy", limit=16.0):
    return replay_log(with_user_limit(log, limit), 32, policy, estimate=log.estimate)


def peak_of(user, start, run, need):
    end = start + run
    alike = user[:, None] == user
    return max(need[alike[k] & (start <= start[k]) & (start[k] < end)].sum() for k in np.flatnonzero(run > 0))


@pytest.mark.parametrize("policy", ["fcfs", "first-fit", "easy"])
def test_a_replay_keeps_the_limit_of_each_user(lived, policy):
    made = kept(lived, policy).schedule
    assert peak_of(lived.user, made.start, made.run, made.need) <= 16
    free, never = replay_log(lived, 32, policy, estimate=lived.estimate), kept(lived, policy, lived.need.sum())
    assert np.array_equal(free.wait, never.wait) and not np.array_equal(free.wait, made.wait)
    columns = lived.submit - lived.begin, lived.need, lived.run, lived.estimate, 32
    assert np.array_equal(made.start, replay(*columns, policy, user=lived.user, user_limit=16).start)


def test_jobs_from_before_the_window_count_for_nobody(lived):
    log = cut_window(lived, float(lived.submit[400]))
    made, limited = kept(log), kept(log, limit=1e-9)
    assert made.before == limited.before > 0
    seen = made.of_log()
    assert peak_of(log.user, seen.start, seen.run, seen.need) <= 16
    free = replay_log(log, 32, "easy", estimate=log.estimate)
    assert np.array_equal(free.schedule.start[: free.before] == 0, limited.schedule.start[: free.before] == 0)


@pytest.mark.parametrize("user", [None, np.full(800, -1)])
def test_a_limit_of_users_needs_users(lived, user):
    with pytest.raises(ValueError, match="does not tell who submitted its jobs"):
        with_user_limit(replace(lived, user=user), 16)


def test_a_plan_keeps_the_limit_of_users(lived):
    """However large the machine, the waits are those of the limit."""
    log = with_user_limit(lived, 16)
    plan = mjq_logs.plan(log, 1.0, sizes=[32.0, 4096.0], workers=1)
    largest = plan.policies[0].sizes[-1].waits.mean.value
    made = replay_log(log, 4096, estimate=log.estimate).wait.mean() / HOUR
    assert largest == pytest.approx(made) and made > 0
    assert not any("limits for users" in words for words in plan.assumes)


def test_the_command_replays_with_a_limit_and_says_so(lived, tmp_path):
    command = "replay", as_swf(lived, tmp_path / "log.swf"), "--keep-gaps"
    free, limited = (json.loads(said(*command, *more, "--json").out) for more in ((), ("--user-limit", "16")))
    mean = kept(lived).wait.mean()
    assert free["policies"][0]["mean wait [s]"] < limited["policies"][0]["mean wait [s]"] == pytest.approx(mean)
    assert "each user has at most 16 servers at once in replays" in said(*command, "--user-limit", "16").out
