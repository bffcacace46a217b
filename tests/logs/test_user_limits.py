"""Limits of users in the replay of a log, in Python and from the command line."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mjq.simulation import Limits, replay
from mjq_logs import Log, Rules, learned_rules, planned, read_log, with_rules, within
from mjq_logs.limits import queue_limits, queue_peaks, user_limits, user_peak
from mjq_logs.replaying import replayed
from mjq_logs.rules.judging import waits_with
from tests.conftest import said
from tests.logs.test_rules import asked, written


@pytest.fixture(scope="module")
def lived():
    """A log whose users had at most 16 servers at once."""
    log = asked(jobs=800)
    return replace(log, start=log.submit + waits_with(log, Rules(user_servers=16)))


def kept(log, policy="easy", **limits):
    """A replay with limits of users."""
    return replayed(with_rules(log, Rules(**limits)), 32, policy, estimate=log.estimate)


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
    ones = np.ones(15)
    assert user_peak(log, jobs=True) == peak_of(user, start, run, ones)


def test_a_limit_that_was_kept_is_seen_in_the_log(lived):
    assert user_peak(lived) == 16


@pytest.mark.parametrize("policy", ["fcfs", "first-fit", "easy"])
def test_a_replay_keeps_the_limits_of_each_user(lived, policy):
    made, few = (
        kept(lived, policy, **{name: most}).schedule for name, most in dict(user_servers=16, user_jobs=3).items()
    )
    assert peak_of(lived.user, made.start, made.run, made.need) <= 16
    assert peak_of(lived.user, few.start, few.run, np.ones(len(lived))) <= 3
    free = replayed(lived, 32, policy, estimate=lived.estimate)
    never = kept(lived, policy, user_servers=lived.need.sum(), user_jobs=len(lived))
    assert np.array_equal(free.wait, never.wait) and not np.array_equal(free.wait, made.wait)
    columns = lived.submit - lived.begin, lived.need, lived.run, lived.estimate, 32
    assert np.array_equal(made.start, replay(*columns, policy, limits=Limits(lived.user, 16)).start)


def test_who_has_a_job_above_the_limit_has_the_servers_of_his_largest_one(lived):
    (limits,) = user_limits(lived, servers=5)
    for user in range(lived.user.max() + 1):
        assert limits.servers[user] == max(5, lived.need[lived.user == user].max())


def test_those_from_before_the_window_have_no_limit(lived):
    log = within(lived, float(lived.submit[400]))
    assert log.before is not None and len(log.before.need)
    group = user_limits(log, 16, before=len(log.before.need))[0].group
    assert (group[: -len(log)] == -1).all() and (group[-len(log) :] >= 0).all()
    seen = kept(log, user_servers=16).of_log()
    assert peak_of(log.user, seen.start, seen.run, seen.need) <= 16


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"user": None}, "does not tell who submitted its jobs"),
        ({"user": np.full(800, -1)}, "does not tell who submitted its jobs"),
        ({"start": None}, "nobody knows what one of them had at most"),
    ],
)
def test_logs_that_do_not_tell_the_peak(lived, change, message):
    with pytest.raises(ValueError, match=message):
        user_peak(replace(lived, **change))


def test_rules_with_limits_of_users_need_users(lived):
    with pytest.raises(ValueError, match="does not tell who submitted its jobs"):
        with_rules(replace(lived, user=None), Rules(user_jobs=3))


def with_limits(**limits):
    """A long log of few users, who wait although servers are free."""
    log = asked(jobs=2200, load=0.5)
    return replace(log, start=log.submit + waits_with(log, Rules(**limits)).round())


@pytest.mark.parametrize("limits", [dict(user_servers=16), dict(user_jobs=2)])
def test_limits_that_were_planted_are_learned(limits):
    log = with_limits(**limits)
    rules, learning = learned_rules(log)
    (kind,) = limits
    assert getattr(rules, kind) == limits[kind]
    first, last = learning.explained[0].near, learning.explained[-1].near
    assert last.error < 0.5 * first.error
    assert learned_rules(log, without=["servers of a user", "jobs of a user"]).rules.limits_users is False
    given = learned_rules(log, given=rules, without=["servers of a user", "jobs of a user"])
    assert given.rules == rules and given.learning.explained[0].near.error == pytest.approx(last.error)


def test_a_plan_keeps_limits_of_users():
    """However large the machine, the waits are those of the limits."""
    log = with_limits(user_jobs=2)
    plan = planned(with_rules(log, Rules(user_jobs=2)), 1.0, sizes=[32.0, 4096.0], workers=1)
    largest = plan.policies[0].sizes[-1].waits.mean.value
    made = replayed(with_rules(log, Rules(user_jobs=2)), 4096, estimate=log.estimate).wait.mean() / 3600
    assert largest == pytest.approx(made) and made > 0
    assert any("at most 2 jobs at once" in words for words in plan.rules)


def test_the_command_replays_with_limits_and_says_so(lived, tmp_path):
    path = written(replace(lived, start=np.round(lived.start)), tmp_path / "log.swf")
    command = "replay", path, "--hours", "none", "--keep-gaps", "--json"
    free, kept_json, most = (
        json.loads(said(*command, *more).out) for more in ((), ("--user-limit", "16"), ("--user-limit", "peak"))
    )
    mean = kept(lived, user_servers=16).wait.mean()
    assert free["policies"][0]["mean wait [s]"] < kept_json["policies"][0]["mean wait [s]"] == pytest.approx(mean)
    assert most["policies"] == kept_json["policies"]
    words = "Each user has at most 16 servers at once, or those of their largest job."
    assert kept_json["rules"] == most["rules"] == [words]
    status, out, _ = said(*command[:-1], "--user-limit", "peak")
    assert status == 0 and "one user had at most 16 servers at once: a limit of users is at least so much" in out
    twice = json.loads(said(*command, "--user-limit", "16", "--user-limit", "3jobs").out)
    assert twice["rules"] == [words, "Each user runs at most 3 jobs at once."]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--user-limit", "many"), "'many' is not a positive number such as 64 or 20jobs, or peak"),
        (("--user-limit", "-3"), "is not a positive number such as 64 or 20jobs, or peak"),
        (("--user-limit", "16", "--servers", "1=16,2=16"), "--user-limit is for one machine"),
        (("--user-limit", "16", "--hosts", "2x16"), "--hosts and --user-limit exclude each other"),
        (("--user-limit", "16", "--policy", "conservative"), "conservative is not replayed with limits: fcfs"),
        (("--user-limit", "8", "--user-limit", "9"), "'9' is a second limit of servers of a user"),
        (("--user-limit", "0.5jobs"), "user_jobs must be at least 1, got 0.5"),
        (("--queue-limit", "many"), "'many' is not a positive number such as 64, or peak"),
        (("--queue-limit", "16", "--servers", "1=16,2=16"), "--queue-limit is for one machine"),
        (("--queue-limit", "16", "--hosts", "2x16"), "--hosts and --queue-limit exclude each other"),
        (("--queue-limit", "16"), "the log does not tell the queues of its jobs"),
        (("--queue-limit", "peak"), "the log does not tell the queues of its jobs"),
    ],
)
def test_the_command_refuses_limits_that_cannot_be_kept(lived, tmp_path, words, message):
    path = written(replace(lived, start=np.round(lived.start)), tmp_path / "log.swf")
    status, _, error = said("replay", path, *words)
    assert status != 0 and message in " ".join(error.split())


def test_who_waits_while_a_log_is_written_is_of_a_known_user(tmp_path):
    head = "JobIDRaw|State|Submit|Start|End|ElapsedRaw|TimelimitRaw|AllocCPUS|ReqTRES|User"
    rows = [f"{k}|COMPLETED|{100 * k}|{100 * k}|{100 * k + 60}|60|10|1|cpu=1|{'ab'[k % 2]}" for k in range(1, 40)]
    rows += ["50|RUNNING|3990|3990|Unknown|10|10|1|cpu=1|b", "51|PENDING|3995|Unknown|Unknown|0|10|0|cpu=1|a"]
    rows += ["52|PENDING|3996|Unknown|Unknown|0|10|0|cpu=1|c", "53|PENDING|3997|Unknown|Unknown|0|10|0|cpu=1|"]
    path = tmp_path / "jobs.txt"
    path.write_text("\n".join([head, *rows, ""]))
    log = read_log(path, servers=8)
    b, a = (log.user[log.number == number].item() for number in (3, 4))
    assert log.present.user.tolist() == [b, a, max(a, b) + 1, -1]


QUEUES = "day", "night"


def with_queues(log, seed=1):
    """The same jobs in two queues."""
    return replace(log, queue=np.random.default_rng(seed).integers(-1, 2, len(log)), queue_names=QUEUES)


def test_a_replay_keeps_limits_of_queues_beside_those_of_users(lived):
    log = with_queues(lived)
    rules = Rules(queues={"night": 16.0}, user_jobs=4)
    made = replayed(with_rules(log, rules), 32, estimate=log.estimate).of_log()
    night = log.queue == 1
    assert peak_of(log.queue[night], made.start[night], made.run[night], made.need[night]) <= 16
    assert peak_of(log.user, made.start, made.run, np.ones(len(log))) <= 4
    free = replayed(log, 32, estimate=log.estimate).wait
    wide = with_rules(log, Rules(queues=dict.fromkeys(QUEUES, log.need.sum())))
    assert np.array_equal(free, replayed(wide, 32, estimate=log.estimate).wait)
    assert not np.array_equal(free, made.wait)


def test_peaks_of_queues_are_their_definition_and_bound_their_limits(lived):
    log = with_queues(lived)
    for place, name in enumerate(QUEUES):
        mine = log.queue == place
        assert queue_peaks(log)[name] == peak_of(log.queue[mine], log.start[mine], log.run[mine], log.need[mine])
    limits = queue_limits(log, {"night": 1.0}, before=2)
    assert limits.group.tolist() == [-1, -1, *np.where(log.queue == 1, 0, -1)]
    assert limits.servers.tolist() == [log.need[log.queue == 1].max()]


def test_queues_are_those_of_the_file_and_limits_of_them_are_read_back(tmp_path):
    path, rules = tmp_path / "jobs.csv", tmp_path / "rules.toml"
    rows = [f"{60 * k},{60 * k},3600,{1 + k % 3},{'a b' if k % 2 else 'c'}" for k in range(300)]
    path.write_text("\n".join(["submit,start,run,need,queue", *rows, ""]))
    log = read_log(path, servers=400)
    assert log.queue_names == ("c", "a b") and log.queue[:3].tolist() == [0, 1, 0]
    path.write_text(path.read_text().replace("queue", "partition", 1))
    assert read_log(path, servers=400).queue_names == ("c", "a b")
    command = "replay", path, "--servers", "400", "--json"
    first, again, few = (
        json.loads(said(*command, *more).out)
        for more in (
            ("--queue-limit", "peak", "--save-hours", rules),
            ("--hours", rules),
            ("--queue-limit", "16"),
        )
    )
    assert first["rules"] == again["rules"] and first["policies"] == again["policies"]
    assert "c " in first["rules"][0] and "a b " in first["rules"][0]
    assert first["policies"][0]["mean wait [s]"] == 0 < few["policies"][0]["mean wait [s]"]


@pytest.mark.parametrize("more", [("--policy", "conservative"), ("--known", "--calendar")])
def test_limits_are_not_learned_where_replays_cannot_keep_them(tmp_path, more):
    """But are otherwise: the first lines say so."""
    path, calendar = written(with_limits(user_jobs=2), tmp_path / "log.swf"), tmp_path / "up.txt"
    calendar.write_text("0 32\n100000 16\n200000 32\n")
    command = "replay", path, "--servers", "32"
    assert "at most 2 jobs at once" in said(*command).out
    status, out, error = said(*command, *more, *([calendar] if "--calendar" in more else []))
    assert status == 0, error
    assert "jobs at once" not in out


def test_what_has_no_queues_and_what_knows_no_limits_of_them_says_so(lived):
    log = with_queues(lived)
    with pytest.raises(ValueError, match="the log has no queue 'noon'; its queues are 'day' and 'night'"):
        with_rules(log, Rules(queues={"noon": 4.0}))
    with pytest.raises(ValueError, match="does not tell the queues of its jobs"):
        with_rules(lived, Rules(queues={"noon": 4.0}))
    with pytest.raises(ValueError, match="the limit of the queue 'day' must be positive"):
        Rules(queues={"day": 0.0})


def test_queues_of_which_no_job_has_started_have_no_peak(lived):
    log = with_queues(lived)
    waits = replace(log, queue_names=(*QUEUES, "new"))
    assert queue_peaks(waits) == queue_peaks(log)
    assert queue_limits(waits, {"new": 4.0}).group.max() == -1
