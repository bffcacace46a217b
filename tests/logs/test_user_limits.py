"""Limits of users in the replay of a log, in Python and from the command line."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mjq.simulation import Limits, replay
from mjq_logs import Log, within
from mjq_logs.limits import user_limits, user_peak
from mjq_logs.replaying import replayed
from tests.conftest import said
from tests.logs.test_rules import asked, written


@pytest.fixture(scope="module")
def lived():
    """A log whose users had at most 16 servers at once."""
    log = asked(jobs=800)
    return replace(log, start=log.submit + replayed(log, 32, estimate=log.estimate, user_limit=16).wait)


def peak_of(user, start, run, need):
    """The most servers of one user at once, by looking at each start."""
    end = start + run
    alike = user[:, None] == user
    return max(need[alike[k] & (start <= start[k]) & (start[k] < end)].sum() for k in np.flatnonzero(run > 0))


@settings(max_examples=50)
@given(seed=st.integers(0, 10**6), users=st.integers(1, 4))
def test_the_peak_is_its_definition(seed, users):
    rng = np.random.default_rng(seed)
    submit = np.sort(rng.integers(0, 20, 15))
    start, run, need = submit + rng.integers(0, 5, 15), np.append(rng.integers(0, 9, 14), 1), rng.integers(1, 5, 15)
    user = rng.integers(0, users, 15)
    log = Log(need=need, run=run, submit=submit, start=start, user=user)
    assert user_peak(log) == peak_of(user, start, run, need)
    nobody = np.where(user == 0, -1, user)
    if (run > 0)[user > 0].any():
        some = user > 0
        expected = peak_of(user[some], start[some], run[some], need[some])
        assert user_peak(replace(log, user=nobody)) == expected


def test_a_limit_that_was_kept_is_seen_in_the_log(lived):
    assert user_peak(lived) == 16


@pytest.mark.parametrize("policy", ["fcfs", "first-fit", "easy"])
def test_a_replay_keeps_the_limit_of_each_user(lived, policy):
    made = replayed(lived, 32, policy, estimate=lived.estimate, user_limit=16).schedule
    assert peak_of(lived.user, made.start, made.run, made.need) <= 16
    free = replayed(lived, 32, policy, estimate=lived.estimate)
    never = replayed(lived, 32, policy, estimate=lived.estimate, user_limit=lived.need.sum())
    assert np.array_equal(free.wait, never.wait) and not np.array_equal(free.wait, made.wait)
    columns = lived.submit - lived.begin, lived.need, lived.run, lived.estimate, 32
    assert np.array_equal(made.start, replay(*columns, policy, limits=Limits(lived.user, 16)).start)


def test_those_from_before_the_window_have_no_limit(lived):
    log = within(lived, float(lived.submit[400]))
    assert log.before is not None and len(log.before.need)
    group = user_limits(log, 16, len(log.before.need)).group
    assert (group[: -len(log)] == -1).all() and (group[-len(log) :] >= 0).all()
    made = replayed(log, 32, estimate=log.estimate, user_limit=16)
    seen = made.of_log()
    assert peak_of(log.user, seen.start, seen.run, seen.need) <= 16


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"user": None}, "does not tell who submitted its jobs"),
        ({"user": np.full(800, -1)}, "does not tell who submitted its jobs"),
        ({"start": None}, "nobody knows what one of them held at most"),
    ],
)
def test_logs_that_do_not_tell_the_peak(lived, change, message):
    with pytest.raises(ValueError, match=message):
        user_peak(replace(lived, **change))


def test_a_job_above_the_limit_is_named(lived):
    first = int(np.flatnonzero(lived.need > 8)[0])
    with pytest.raises(ValueError, match=f"job {first + 1} of the log needs 16 servers, more than .* each user, 8"):
        replayed(lived, 32, user_limit=8)


def test_the_command_replays_with_limits_and_says_so(lived, tmp_path):
    path = written(replace(lived, start=np.round(lived.start)), tmp_path / "log.swf")
    command = "replay", path, "--hours", "none", "--keep-gaps", "--json"
    free, kept, most = (
        json.loads(said(*command, *more).out) for more in ((), ("--user-limit", "16"), ("--user-limit", "peak"))
    )
    mean = replayed(lived, 32, estimate=lived.estimate, user_limit=16).wait.mean()
    assert free["policies"][0]["mean wait [s]"] < kept["policies"][0]["mean wait [s]"] == pytest.approx(mean)
    assert most["policies"] == kept["policies"]
    words = "Each user has at most 16 servers at once in the replay"
    assert f"{words}." in kept["notes"] and f"{words}: the log shows at least so many." in most["notes"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--user-limit", "many"), "'many' is not a positive number such as 64, or peak"),
        (("--user-limit", "-3"), "is not a positive number such as 64, or peak"),
        (("--user-limit", "16", "--servers", "1=16,2=16"), "--user-limit is for one machine"),
        (("--user-limit", "16", "--hosts", "2x16"), "--hosts and --user-limit exclude each other"),
        (("--user-limit", "16", "--policy", "conservative"), "conservative is not replayed with limits: fcfs"),
        (("--user-limit", "8"), "more than the limit of each user, 8"),
    ],
)
def test_the_command_refuses_limits_that_cannot_be_kept(lived, tmp_path, words, message):
    path = written(replace(lived, start=np.round(lived.start)), tmp_path / "log.swf")
    status, _, error = said("replay", path, *words)
    assert status != 0 and message in " ".join(error.split())
