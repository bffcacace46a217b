"""Replays in which some jobs go before others: what must hold of them; `test_schedule.py` has the words."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mjq.simulation import replay
from mjq.simulation.engine import arrivals
from mjq.simulation.engine.queue import by_resource, units
from mjq.simulation.loop import ENDLESS, START, Plan, events
from mjq.simulation.schedule import TIES
from tests.simulation.comparing import as_defined, random_log
from tests.simulation.test_schedule import TAKE_PRIORITIES, logs


@st.composite
def logs_with_priorities(draw):
    log = draw(logs())
    jobs = len(log[0])
    return log, np.array(draw(st.lists(st.integers(-2, 3), min_size=jobs, max_size=jobs)))


@pytest.mark.parametrize("policy", TAKE_PRIORITIES)
def test_a_long_queue_is_the_definition(policy):
    """Many classes, with and without priorities, and a queue that is longer than the first table of jobs."""
    rng = np.random.default_rng(3)
    log = rng.integers(0, 300, 1800), rng.integers(1, 11, 1800) / 10, rng.integers(0, 5, 1800), None, 1.0
    for priority in (None, rng.integers(0, 6, 1800)):
        found = as_defined(log, policy, priority=priority)
        assert max(((found.submit <= t) & (found.start > t)).sum() for t in range(300)) > 1024


@pytest.mark.parametrize("policy", TAKE_PRIORITIES)
@settings(max_examples=30)
@given(case=logs_with_priorities())
def test_only_the_order_of_priorities_matters(policy, case):
    """Not their size; and where all have the same, there are none. Numbers and order of the jobs are as they come."""
    log, priority = case
    *columns, servers = log
    start = replay(*log, policy, priority=priority).start
    assert np.array_equal(replay(*log, policy, priority=7.5 * priority**3 - 1e6).start, start)
    plain = replay(*log, policy).start
    assert np.array_equal(replay(*log, policy, priority=np.full(len(start), 3)).start, plain)
    by_arrival = np.argsort(columns[0], kind="stable")
    assert np.array_equal(replay(*log, policy, priority=-np.argsort(by_arrival)).start, plain)
    ordered = [column[by_arrival] for column in columns]
    assert np.array_equal(replay(*ordered, servers, policy, priority=priority[by_arrival]).start, start[by_arrival])


def under_the_policy_of_the_simulator(log, kinds, needs, first, ties):
    """When jobs of these classes start under the policy that goes by classes, on a log that replays do not take."""
    submit, _, run, _, servers = log
    order, record = np.argsort(submit, kind="stable"), np.full((2, len(submit)), np.nan)
    source = arrivals.logged(submit.astype(float), kinds, run.astype(float), run.astype(float), order)
    plan = Plan(len(submit), 0, len(submit), 1, np.empty(0), ENDLESS, ties == TIES[1], False, False, first)
    in_units = by_resource(units(needs, servers))
    events(np.random.default_rng(0), f"strict-priority-{first}", source, in_units, plan, record)
    start = np.empty(len(submit))
    start[order] = record[START]
    return start


@pytest.mark.parametrize("ties", TIES)
def test_the_policy_of_the_simulator_is_that_of_replays_with_two_priorities(ties):
    """Whichever classes go first. No job runs for no time: replays would expect it to take some."""
    rng, changed = np.random.default_rng(5), 0
    for case in range(200):
        submit, _, run, _, sizes = random_log(rng, resources=1, most=60)
        classes, servers = int(rng.integers(1, 5)), float(sizes[0])
        needs, kinds = servers * rng.integers(1, 11, classes) / 10, rng.integers(0, classes, len(submit))
        first, run = int(rng.integers(0, classes + 2)), np.maximum(run, 0.137)
        submit, run = np.rint(1000 * submit), np.rint(1000 * run)  # replays count decimals as whole numbers
        log = submit, needs[kinds], run, None, servers
        start = replay(*log, ties=ties, priority=1 * (kinds < first)).start
        assert np.array_equal(under_the_policy_of_the_simulator(log, kinds, needs, first, ties), start), case
        changed += not np.array_equal(start, replay(*log, ties=ties).start)
    assert changed > 40
