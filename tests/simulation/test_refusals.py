"""What cannot be simulated or replayed is refused, and the error names the constraint.

That each argument is checked by its own name is a law of `tests/cli/test_odd_input.py`.
"""

import numpy as np
import pytest

from mjq.simulation import (
    replay,
    replay_on_hosts,
    simulate_hosts,
    simulate_multiserver,
    simulate_saturated,
    simulate_saturated_hosts,
)
from mjq.simulation.calendar import Calendar
from mjq.solvers.phase_type import exponential

LOG = dict(submit=(0, 1), need=(1, 2), run=(1, 1), estimate=None, servers=6)
QUEUE = dict(lam=1.0, B=6, b=(2, 3), mu=(1, 1), p=(0.5, 0.5), jobs=10, seed=1)
HOSTS = dict(hosts=2, B=4, b=(1, 2, 4), mu=(1.0, 1.0, 0.5), p=(0.5, 0.3, 0.2), jobs=100, seed=1)
ON_HOSTS = dict(submit=[0, 0], need=[1, 2], run=[1, 1], hosts=2, servers=4)
SATURATED = dict(B=6, b=(2, 3), mu=(1, 1), p=(0.5, 0.5), jobs=800, seed=1)
ONE_OVER = r"one over the mean of each service distribution, \(1, 0.5\), or None; got \(1, 1\)"
NO_LAW = "service of class 1 must be a PhaseType, a positive time or several times: "
NEVER = "1 of 2 jobs never start: the calendar ends with 1 of 6 servers up, and 1 of them needs more"


def with_calendar(*steps, **others):
    return LOG | dict(calendar=steps) | others


def calendar(since, up, servers):
    return Calendar(np.array(since), np.array(up), servers)


REFUSALS = [
    (replay, LOG | dict(need=(1, 7)), "need 7 exceeds the 6 servers"),
    (replay, LOG | dict(run=(1,)), "one entry for each job, got 2, 2, 1 and 1"),
    (replay, LOG | dict(estimate=(1, 2, 3)), "one entry for each job, got 2, 2, 2 and 3"),
    (replay, LOG | dict(estimate=(1, -2)), "estimate must not be negative"),
    (replay, LOG | dict(submit=(), need=(), run=()), "need must have at least one number"),
    (replay, LOG | dict(policy="lifo"), "policy must be one of fcfs, .*; got 'lifo'"),
    (replay, LOG | dict(policy="easy-2"), "got 'easy-2'"),
    (replay, LOG | dict(policy="backfill--1"), "got 'backfill--1'"),
    (replay, LOG | dict(policy=["fcfs"]), r"policy must be one of fcfs, .*; got \['fcfs'\]"),
    (replay, LOG | dict(policy="server-filling"), "powers of two for needs and servers: need 1, servers 6"),
    (replay, LOG | dict(ties="first"), "ties must be one of completions first, one by one; got 'first'"),
    (
        replay,
        LOG | dict(need=[(1, 9), (1, 2)], servers=(4, 8)),
        r"\(1, 9\) exceeds .*: there is too little of resource 2",
    ),
    (replay, LOG | dict(need=np.ones((2, 5)), servers=5 * [1]), "at most 4 resources, got 5"),
    (replay, LOG | dict(need=np.ones((3, 2)), servers=(1, 1)), "one entry for each job, got 2, 3, 2 and 2"),
    (
        replay,
        LOG | dict(need=[(1, 1)] * 2, servers=(2, 2), policy="server-filling"),
        "server-filling is a rule for one resource, got 2: ",
    ),
    (replay, LOG | dict(priority=[1, 2, 3]), "priority must have one entry for each job, got 3 for 2 jobs"),
    (replay, LOG | dict(priority=["high", "low"]), "priority must"),
    (replay, LOG | dict(priority=[0, 1], policy="conservative"), "conservative is not replayed with priorities: fcfs,"),
    (replay, LOG | dict(user=[0, 0], user_limit=0), "user_limit must be positive"),
    (replay, LOG | dict(user=[0], user_limit=4), "user must be a whole number of at least -1 for each of 2 jobs"),
    (replay, LOG | dict(user=[0, -2], user_limit=4), "user must be a whole number of at least -1"),
    (replay, LOG | dict(user=None, user_limit=4), "user must be a whole number of at least -1"),
    (replay, LOG | dict(need=[(1, 1)] * 2, servers=(4, 4), user=[0, 0], user_limit=4), "of users are of one resource"),
    (
        replay,
        LOG | dict(user=[0, 0], user_limit=4, policy="conservative"),
        "conservative is not replayed with limits: fc",
    ),
    (replay, with_calendar((5, 2), (5, 4)), "times of a calendar must rise: 5 comes after 5"),
    (replay, with_calendar((5, -1)), "servers of a calendar must be at least 0, got -1 from time 5 on"),
    (replay, with_calendar((5, 9)), "the calendar has 9 servers up from time 5 on, and the machine has 6"),
    (replay, with_calendar((5, 2, 1)), "calendar must hold pairs of a time and servers, got 3 in each row"),
    (replay, with_calendar((0, 1)), NEVER),
    (replay, with_calendar((0, 1), policy="easy"), NEVER),
    (replay, with_calendar((0, 1), policy="server-filling", servers=4), "interrupts jobs, and is not replayed with a"),
    (calendar, dict(since=[-np.inf, 5, 3], up=[4, 2, 4], servers=4), "times of a calendar must rise: 3 comes after 5"),
    (calendar, dict(since=[-np.inf, 5], up=[4], servers=4), "a calendar needs a time for each number of servers"),
    (calendar, dict(since=[0, 5], up=[4, 2], servers=4), "the first of them minus infinity"),
    (calendar, dict(since=[-np.inf], up=[np.nan], servers=4), "servers of a calendar must be finite"),
    (simulate_multiserver, QUEUE | dict(B=5 * [1], b=np.ones((2, 5))), "at most 4 resources, got 5"),
    (simulate_multiserver, QUEUE | dict(policy="lifo"), "policy must be one of fcfs, first-fit, .*; got 'lifo'"),
    (
        simulate_multiserver,
        QUEUE | dict(policy="server-filling"),
        "powers of two for needs and servers: need 2, servers",
    ),
    (simulate_multiserver, QUEUE | dict(estimates=0.5), "estimates must be at least 1 service time, got 0.5"),
    (simulate_multiserver, QUEUE | dict(room=-1), "room must be a whole number of at least 0"),
    (simulate_multiserver, QUEUE | dict(workers=0), "workers must be a whole number"),
    (simulate_multiserver, QUEUE | dict(replications=1.5), "replications must be a whole number"),
    (simulate_multiserver, QUEUE | dict(service=[1.0]), "mu must be one over the mean"),
    (simulate_multiserver, QUEUE | dict(service=[1.0], mu=None), "one entry for each class, got 2, 1 and 2"),
    (simulate_multiserver, QUEUE | dict(service=[1.0, 2.0]), ONE_OVER),
    (simulate_multiserver, QUEUE | dict(service=[1.0, 0.0]), NO_LAW + "mean 0"),
    (simulate_multiserver, QUEUE | dict(service=[1.0, []]), NO_LAW + "no time"),
    (simulate_multiserver, QUEUE | dict(service=[1.0, "exponential"]), "service of class 1 must be numbers"),
    (simulate_multiserver, QUEUE | dict(service=exponential(1.0)), "service must be a sequence with one distribution"),
    (simulate_saturated, SATURATED | dict(jobs=799), "jobs must be a whole number of at least 800"),
    (simulate_saturated, SATURATED | dict(rows=[[1.0]]), "rows must have a row and a column for each of 2 classes"),
    (simulate_saturated, SATURATED | dict(rows=np.full((2, 2), 0.3)), "each of rows must sum to 1"),
    (simulate_saturated_hosts, HOSTS | dict(placement="next fit"), "placement must be one of best fit, .*'next fit'"),
    (simulate_saturated_hosts, HOSTS | dict(reserve=True), "reserve needs a view of at least 2 jobs, got 1"),
    (simulate_saturated_hosts, HOSTS | dict(reserve=1, view=2), "reserve must be True or False, got 1"),
    (simulate_saturated_hosts, HOSTS | dict(b=(1, 2, 5)), "need 5 exceeds a host of 4"),
    (simulate_saturated_hosts, HOSTS | dict(mu=None), "mu must be numbers if there is no service, got None"),
    (simulate_hosts, HOSTS | dict(lam=1.0, B=(1,) * 5, b=[(1,) * 5] * 3), "at most 4 resources, got 5"),
    (simulate_hosts, HOSTS | dict(lam=1.0, jobs=10**12), "would take"),
    (
        replay_on_hosts,
        ON_HOSTS | dict(need=[1, 9], hosts=(1, 2), servers=(4, 8)),
        "no host holds need 9: hosts have 4, 8",
    ),
    (
        replay_on_hosts,
        ON_HOSTS | dict(hosts=(1, 2), servers=(4, (8, 2))),
        "all hosts must have the same resources, got",
    ),
    (replay_on_hosts, ON_HOSTS | dict(hosts=(1, 2), servers=4), "a size for each of 2 shapes of hosts, got 4"),
    (replay_on_hosts, ON_HOSTS | dict(servers=(4, 8)), "need"),
    (replay_on_hosts, ON_HOSTS | dict(submit=[1]), "one entry for each job, and at least one, got 1, 2 and 2"),
]


@pytest.mark.parametrize(("function", "arguments", "words"), REFUSALS)
def test_the_constraint_is_named(function, arguments, words):
    with pytest.raises(ValueError, match=words):
        function(**arguments)
