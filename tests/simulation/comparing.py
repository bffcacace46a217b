"""Random logs, and their replays beside the plain definition: what the tests of all rules share."""

import numpy as np
import pytest

from mjq.simulation import replay
from mjq.simulation.schedule import TIES
from tests import reference_schedules as reference

ROUNDING = 1e-13  # of times below 100 that are no sums of powers of two: one log in 20,000 differs in the last bits
in_many_logs = pytest.mark.parametrize(("number", "seed"), [(300, 1), pytest.param(3000, 2, marks=pytest.mark.slow)])


def random_log(rng, resources=None, most=14):
    """A small log with many ties; some run for no time, and estimates are exact, too short or too long."""
    jobs, resources = int(rng.integers(1, most)), resources or int(rng.integers(1, 4))
    sizes, clock = rng.choice([1.0, 6.0, 10.0, 250.0], resources), float(rng.choice([1, 0.5, 0.137]))
    submit, run = clock * rng.integers(0, 15, jobs), clock * rng.integers(0, 9, jobs)
    estimate = None if rng.random() < 0.3 else np.maximum(run + clock * rng.integers(-3, 7, jobs), 0)
    return submit, random_needs(rng, jobs, sizes), run, estimate, sizes


def random_needs(rng, jobs, sizes):
    """Whole tenths of each resource; some are 0, and of each job at least one is not."""
    tenths = rng.integers(0, 11, (jobs, len(sizes))) * (rng.random((jobs, len(sizes))) < 0.75)
    tenths[np.arange(jobs), rng.integers(0, len(sizes), jobs)] += tenths.sum(axis=1) == 0
    return tenths * (np.array(sizes) / 10)


def log_of_numbers(rng, most=14, powers=False):
    """Such a log of one resource, whose needs and size are numbers; the needs are powers of two if they must be."""
    submit, need, run, estimate, (servers,) = random_log(rng, 1, most)
    if powers:
        return submit, 2.0 ** rng.integers(-1, 4, len(submit)), run, estimate, 8.0
    return submit, need[:, 0], run, estimate, float(servers)


def random_calendar(rng, servers, back=True):
    """Some servers go down and come back; at the end all are up again if jobs are to start for sure."""
    times = np.sort(rng.choice(40, rng.integers(1, 5), replace=False))
    up = servers * rng.integers(0, 11, len(times)) / 10
    return [*zip(times.tolist(), up.tolist(), strict=True), *([(41, servers)] if back else [])]


def random_case(rng, policy, kinds):
    """A log and how it is replayed: with kinds out of several resources, a calendar, priorities, users and kills.

    A calendar that comes alone is always there, and sometimes leaves jobs that never start.
    """
    several, how = "several" in kinds, {}
    log = random_log(rng, most=18) if several else log_of_numbers(rng, 25, powers=policy == "server-filling")
    if "priority" in kinds:
        how["priority"] = rng.integers(0, rng.integers(1, 5), len(log[0]))
    if "user_limit" in kinds:  # some jobs are of no user
        how["user"] = rng.integers(-1, rng.integers(1, 5), len(log[0]))
        how["user_limit"] = log[-1] * rng.integers(1, 9) / 6
    if "calendar" in kinds:
        there = len(kinds) == 1 or rng.random() < 0.3
        back = len(kinds) > 1 or rng.random() < 0.8
        how["calendar"] = random_calendar(rng, np.ravel(log[-1])[0], back) if there else []
    if "kill" in kinds:
        how["kill"] = bool(rng.random() < (0.2 if several else 0.5))
    return log, how


def same(schedule, other):
    return np.array_equal(schedule.start, other.start) and np.array_equal(schedule.finish, other.finish)


def as_defined(log, policy, **how):
    """The replay, if the plain definition gives the same; nothing where some jobs never start, which both must say."""
    start, finish = reference.schedule(*log, policy, **how)
    if never := int(np.isnan(start).sum()):
        with pytest.raises(ValueError, match=f"{never} of {len(start)} jobs never start"):
            replay(*log, policy, **how)
        return None
    schedule = replay(*log, policy, **how)
    apart = max(np.abs(schedule.start - start).max(), np.abs(schedule.finish - finish).max())
    assert apart <= ROUNDING, (policy, log, how)
    return schedule


def compare(draw, policies, number, seed, without=()):
    """Replay random logs under all policies in turn, and return how many of them change without some of what is drawn.

    `draw` makes a log, and how it is replayed, from a generator and a policy.
    """
    rng, changed = np.random.default_rng(seed), 0
    for case in range(number):
        policy = policies[case % len(policies)]
        log, how = draw(rng, policy)
        how["ties"] = TIES[case // len(policies) % 2]
        schedule = as_defined(log, policy, **how)
        plain = {name: value for name, value in how.items() if name not in without}
        changed += schedule is not None and not same(schedule, replay(*log, policy, **plain))
    return changed
