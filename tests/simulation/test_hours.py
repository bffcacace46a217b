"""Replays with hours at which jobs may run, and with passes of the scheduler: by the words of the rules."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mjq.simulation import Hours, replay
from mjq.simulation.policies import policy as policy_of
from mjq.simulation.schedule import TIES
from tests.simulation.comparing import compare, in_many_logs, log_of_numbers, random_calendar, random_log, same
from tests.simulation.test_schedule import WITHOUT_POWERS, logs

WITH_HOURS = [policy for policy in (*WITHOUT_POWERS, "backfill-3") if policy_of(policy).knows_hours]


def random_hours(rng, classes):
    """Some classes: always open, open in turns, at night, or in a few single hours."""
    rows = np.ones((classes, 168), dtype=bool)
    for row in rows:
        if rng.random() < 0.15:
            continue
        period, length = (int(x) for x in rng.integers(2, 25, 2))
        row[:] = (np.arange(168) + rng.integers(0, 24)) % period < length
        if rng.random() < 0.2:
            row &= rng.random(168) < 0.5
        row[rng.integers(0, 168)] = True
    grace = rng.choice([0.0, 0.5, 2.0, np.inf], classes)
    return Hours(rows, rng.choice([0.0, -3.0, 2.75, -500.3]), grace, rng.choice([1.0, 0.5, 0.7]))


def log_on_hours(rng):
    """A log of one resource, or sometimes of two."""
    return random_log(rng, 2) if rng.random() < 0.25 else log_of_numbers(rng)


def random_case(rng, policy):
    """A log, and how it is replayed: with hours, passes, a calendar that is known or not, or several of these."""
    log, classes = log_on_hours(rng), int(rng.integers(1, 4))
    how = {"hours": random_hours(rng, classes), "hours_class": rng.integers(0, classes, len(log[0]))}
    if rng.random() < 0.3:
        how["cycle"] = float(rng.choice([0.25, 0.5, 1 / 1024]))
        if rng.random() < 0.3:
            how = {"cycle": 4 * how["cycle"]}
    if rng.random() < 0.4:
        how |= {"calendar": random_calendar(rng, np.ravel(log[-1])[0]), "known": bool(rng.random() < 0.7)}
        if rng.random() < 0.5:
            how = {name: how[name] for name in ("calendar", "known")}
    if policy in ("fcfs", "first-fit", "easy") and not how.get("known") and rng.random() < 0.3:
        how["priority"] = rng.integers(0, 3, len(log[0]))
    return log, how


@in_many_logs
def test_replays_with_hours_and_passes_are_the_words_of_the_rules(number, seed):
    names = {"hours", "hours_class", "cycle", "calendar", "known", "priority"}
    assert compare(random_case, WITH_HOURS, number, seed, names) > number / 2


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("policy", WITH_HOURS)
@settings(max_examples=10)
@given(log=logs(), begins=st.integers(-500, 500), grace=st.sampled_from([0.0, 1.0]))
def test_hours_that_are_always_open_change_nothing(policy, ties, log, begins, grace):
    how = {"hours": Hours(np.ones((2, 168), dtype=bool), begins, grace, 0.5), "hours_class": np.arange(len(log[0])) % 2}
    assert same(replay(*log, policy, ties=ties, **how), replay(*log, policy, ties=ties))


@pytest.mark.parametrize("policy", WITH_HOURS)
@settings(max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_jobs_start_in_their_hours_and_are_expected_to_end_in_them(policy, seed):
    rng = np.random.default_rng(seed)
    log, hours = log_on_hours(rng), random_hours(rng, 2)
    kind = rng.integers(0, 2, len(log[0]))
    found = replay(*log, policy, hours=hours, hours_class=kind)
    assert hours.is_open(kind, found.start).all()
    estimate = found.run if log[3] is None else np.maximum(found.run, log[3])
    edges = hours.week_begins + hours.hour * np.arange(-2, 5000)
    ends = found.start + estimate - hours.grace[kind]
    for job in np.flatnonzero((estimate <= hours.longest[kind]) & ~hours.always[kind]):
        within = edges[(edges > found.start[job] + 1e-9) & (edges < ends[job] - 1e-9)]
        assert hours.is_open(np.full(len(within), kind[job]), within).all()


@pytest.mark.parametrize("policy", ["fcfs", "first-fit"])
def test_with_nobody_in_service_a_job_that_may_start_starts(policy):
    """Under the policies that promise nothing; the others may keep the machine free for a job whose hours open soon."""
    rng = np.random.default_rng(7)
    for _ in range(100):
        log, hours = log_on_hours(rng), random_hours(rng, 2)
        kind = rng.integers(0, 2, len(log[0]))
        found = replay(*log, policy, hours=Hours(hours.open, hours.week_begins, np.inf, hours.hour), hours_class=kind)
        edges = hours.week_begins + hours.hour * np.arange(-2, 2000)
        for now in np.unique([*found.submit, *found.finish, *edges[(edges > 0) & (edges < found.start.max())]]):
            waits = (found.submit <= now) & (now < found.start) & hours.is_open(kind, np.full(len(kind), now))
            assert not waits.any() or ((found.start <= now) & (now < found.finish)).any()


@pytest.mark.parametrize("policy", WITH_HOURS)
@settings(max_examples=10)
@given(log=logs(), times=st.lists(st.integers(-5, 60), max_size=4, unique=True))
def test_a_known_calendar_of_constant_servers_changes_nothing(policy, log, times):
    """Nor does one that changes after all is over: then all go by the profile."""
    without = replay(*log, policy)
    for steps in ([(time, log[-1]) for time in sorted(times)], [(1e6, 0)]):
        assert same(replay(*log, policy, calendar=steps, known=True), without)


@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), policy=st.sampled_from(WITH_HOURS))
def test_who_knows_the_calendar_never_holds_more_than_is_up(seed, policy):
    rng = np.random.default_rng(seed)
    log = log_on_hours(rng)
    size = np.ravel(log[-1])[0]
    steps = [(5.0, size / 2), (9.0, 0.0), (13.0, size), (20.0, size / 3), (31.0, size)]
    found = replay(*log, policy, calendar=steps, known=True)
    for now in [*found.start[found.run > 0], 5.0, 9.0, 20.0]:
        held = found.need[(found.start <= now) & (now < found.finish)].sum(axis=0)
        assert np.ravel(held)[0] <= found.calendar.at(now) * (1 + 1e-9) + 1e-9


def test_a_job_whose_hours_are_too_short_by_now_holds_nobody_up():
    """The second job does not fit; when the third comes, it could no longer end in time, and counts as absent."""
    hours = Hours([np.arange(168) % 24 < 5, np.ones(168)], hour=1.0)
    log = [0.0, 1.0, 4.0], [1, 2, 1], [10.0, 2.0, 1.0], None, 2
    assert replay(*log, hours=hours, hours_class=[1, 0, 1]).start.tolist() == [0, 24, 4]


def test_a_machine_drains_before_hours_close():
    """Two servers; the class of the first job is open from 5 to 10, that of the others always."""
    hours = Hours([(np.arange(168) >= 5) & (np.arange(168) < 10), np.ones(168)], hour=1.0)
    submit, need, run, kind = [0, 1, 2, 3], [2, 1, 1, 1], [4, 3, 5, 1], [0, 1, 1, 1]
    how = {"hours": hours, "hours_class": np.array(kind)}
    assert replay(submit, need, run, None, 2, "easy", **how).start.tolist() == [5, 1, 9, 3]
    assert replay(submit, need, run, None, 2, "first-fit", **how).start.tolist() == [173, 1, 2, 4]
    late = Hours(hours.open, hour=1.0, grace=3.0)
    assert replay(submit, need, run, None, 2, "fcfs", hours=late, hours_class=np.array(kind)).start.tolist() == [
        7,
        1,
        2,
        4,
    ]


@pytest.mark.parametrize("policy", WITH_HOURS)
@given(log=logs(), cycle=st.sampled_from([0.25, 1.0, 3.0]))
@settings(max_examples=10)
def test_with_passes_jobs_start_at_multiples(policy, log, cycle):
    found = replay(*log, policy, cycle=cycle)
    assert (found.start % cycle == 0).all() and (found.start >= found.submit).all()


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"hours": Hours(np.zeros((1, 168)))}, "3 of 3 jobs never start: .* always closed; the first is job 1"),
        ({"hours_class": np.array([0, 1, 1])}, "2 of 3 jobs never start: .* always closed; the first is job 2"),
        ({"hours_class": np.array([0, 2, 0])}, "hours_class must be from 0 to 1, got 2"),
        ({"hours_class": [0, 1]}, "hours_class must be a whole number for each of 3 jobs"),
        (
            {"calendar": [(1, 2), (3, 4)], "known": True, "priority": [1, 1, 1]},
            "is known is not combined with priorities",
        ),
        (
            {"calendar": [(1, 2)], "known": True, "hours": None, "policy": "least-servers-first"},
            "a calendar that is known is for fcfs, .* got least-servers-first",
        ),
        (
            {"calendar": [(1, 0)], "known": True, "hours": None},
            "3 of 3 jobs never start: the calendar ends with 0 of 4",
        ),
        ({"policy": "most-servers-first"}, "hours are for fcfs, .* and backfill-<number>; got most-servers-first"),
        ({"cycle": 0.1}, "cycle must be a multiple of 1/1024, got 0.1"),
        ({"cycle": 4000}, "cycle must be at most an hour of the hours, 3600, got 4000"),
        ({"cycle": 1, "ties": "one by one"}, "cycle, got 1, is for ties with completions first"),
    ],
)
def test_bad_hours_and_passes(how, message):
    half = Hours([np.arange(168) < 84, np.zeros(168)])
    with pytest.raises(ValueError, match=message):
        replay([0, 1, 2], [2, 4, 1], [3, 3, 3], None, 4, **{"policy": "easy", "hours": half} | how)


@pytest.mark.parametrize(
    ("given_hours", "message"),
    [
        ((np.ones(168),), "hours must have 168 entries for each class, got an array of shape"),
        ((np.full((1, 168), 2),), "hours must be open, True, or closed, False"),
        ((np.ones((1, 168)), 0.0, -1.0), "the grace of hours must be at least 0, got"),
        ((np.ones((1, 168)), np.nan), "week_begins must be a finite number, got nan"),
        ((np.ones((1, 168)), 0.0, 0.0, 0.0), "hour must be positive"),
    ],
)
def test_hours_check_themselves(given_hours, message):
    with pytest.raises(ValueError, match=message):
        Hours(*given_hours)
