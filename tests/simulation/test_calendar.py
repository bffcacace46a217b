"""Replays on a machine whose servers go down and come back: what must hold; `test_schedule.py` has the words."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mjq.simulation import replay
from mjq.simulation.calendar import Calendar, calendar_of
from mjq.simulation.policies import FAMILIES, POLICIES
from mjq.simulation.policies import policy as policy_of
from mjq.simulation.schedule import TIES
from tests.simulation.comparing import log_of_numbers, random_calendar
from tests.simulation.test_schedule import EPS, WITHOUT_POWERS, logs


@st.composite
def logs_with_calendars(draw):
    """A log, and some steps, by integers or by fractions; at the end all servers are up again."""
    *_, servers = log = draw(logs())
    times = sorted(draw(st.sets(st.integers(-3, 40) | st.floats(0, 40).map(lambda x: round(x, 3)), max_size=6)))
    up = draw(st.lists(st.integers(0, 10).map(lambda x: servers * x / 10), min_size=len(times), max_size=len(times)))
    return log, [*zip(times, up, strict=True), (41, servers)]


@given(case=logs_with_calendars(), data=st.data())
def test_in_order_of_arrival_no_job_starts_earlier_when_servers_go_away(case, data):
    log, more = case
    fewer = [(since, up * data.draw(st.integers(0, 10)) / 10) for since, up in more[:-1]] + more[-1:]
    full, some, few = (replay(*log, calendar=steps).start for steps in (None, more, fewer))
    assert (full <= some).all() and (some <= few).all()


@pytest.mark.parametrize("policy", WITHOUT_POWERS)
@settings(max_examples=10)
@given(case=logs_with_calendars())
def test_nobody_starts_on_servers_that_are_down(policy, case):
    log, steps = case
    found, up = replay(*log, policy, calendar=steps), calendar_of(steps, log[-1])
    for now in found.start[found.run > 0]:
        held = found.need[(found.start <= now) & (now < found.finish)].sum()
        assert held <= up.at(now) + EPS * found.servers
    assert found.finish == pytest.approx(found.start + found.run, rel=1e-13)  # decimals, and sums of them


EVERY_POLICY = [
    *(name for name, rule in POLICIES.items() if not rule.interrupts),
    *(f"{family}-{number}" for family in FAMILIES for number in (0, 1, 2, 5)),
]


def idle_while_somebody_fits(found, priority=None):
    """The instants at which nobody is in service though one waits that fits into what is up; whether the first fits.

    The first is the one of the highest priority that came first.
    """
    priority = np.zeros(len(found.submit)) if priority is None else priority
    times = np.unique([found.submit, found.start, found.finish])
    times = np.unique([*times, *found.calendar.since[1:].clip(0)])
    for now, up in zip(times, found.calendar.at(times), strict=True):
        waiting = np.flatnonzero((found.submit <= now) & (now < found.start))
        fits = found.need[waiting] <= up * (1 + EPS)
        if fits.any() and not ((found.start <= now) & (now < found.finish)).any():
            yield now, bool(fits[np.lexsort((found.submit[waiting], -priority[waiting]))[0]])


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("policy", EVERY_POLICY)
def test_with_nobody_in_service_a_job_that_fits_starts(policy, ties):
    """Under every policy, with priorities if it takes them, unless its sentence says otherwise.

    One that keeps the order waits while the first job does not fit. One that keeps promises waits for their time if
    nothing has changed: it moves them when a job ends early and when other servers are up, not at other instants.
    """
    rng, rule = np.random.default_rng(8), policy_of(policy)
    if rule.keeps_order:
        assert "the first one in the queue waits until it fits" in rule.sentence
    for _ in range(30):
        log, priority = log_of_numbers(rng, 25), None
        if rule.takes_priorities and rng.random() < 0.5:
            priority = rng.integers(0, 3, len(log[0]))
        found = replay(*log, policy, ties=ties, calendar=random_calendar(rng, log[-1]), priority=priority)
        idle = list(idle_while_somebody_fits(found, priority))
        if rule.keeps_order:
            assert not any(first_fits for _, first_fits in idle)
        elif "promises" in rule.sentence and rule.number > 1:
            assert "a hole that opens between promises stays" in rule.sentence
            estimate = found.run if log[3] is None else log[3]
            early = found.finish[(estimate > found.run) | (found.run == 0)]
            assert not {now for now, _ in idle} & {*early, *found.calendar.steps()["since"]}
        else:
            assert not idle


def test_jobs_run_on_when_servers_go_down_and_hold_them_until_they_end():
    """Two of four servers are down from second 1 on; the job on all four ends, then two run at a time."""
    found = replay([0, 2, 2, 2], [4, 2, 2, 2], [5, 3, 3, 3], None, 4, calendar=[(1, 2), (9, 4)])
    assert found.start.tolist() == [0, 5, 8, 9] and found.finish.tolist() == [5, 8, 11, 12]
    busy = (4 * 5 + 3 * 2 * 3) / (4 * 5 + 2 * 3 + 2 * 1 + 4 * 3)
    assert found.utilization == pytest.approx(busy)


def test_times_of_a_calendar_may_become_one():
    """Where all goes so fast that doubles cannot tell them apart, the last one counts."""
    moved = calendar_of([(1, 2), (2, 3)], 4).moved(-1e20)
    assert moved.since.tolist() == [-np.inf, 1e20] and moved.up.tolist() == [4, 3]


def test_a_calendar_counts_work_moves_and_grows_with_the_machine():
    calendar = calendar_of([(100, 5), (200, 0), (300, 10)], 10)
    assert calendar.work([0, 150, 300], [300, 250, 310]).tolist() == [1500, 250, 100]
    moved = calendar.moved(100, faster=2)
    assert isinstance(moved, Calendar) and moved.at([-1, 0, 50, 100]).tolist() == [10, 5, 0, 10]
    assert calendar.on(25).up.tolist() == [25, 12, 0, 25] and calendar.on(10) is calendar
    assert moved.steps()["since"].tolist() == [0, 50, 100]
