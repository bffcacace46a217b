"""A plan where waits grow with a server that is added, and sentences that must not be said."""

import numpy as np
import pytest

from mjq.simulation import replay
from mjq_logs import Log, planned
from tests.logs.test_plan import hourly
from tests.reference_schedules import schedule

# Under EASY the last of these jobs starts beside the second on six servers. On seven the third starts at once instead,
# and the last one waits until the second has ended. (Found among random logs; times are hours, estimates are exact.)
SUBMIT, NEED, RUN = [0.0, 1, 1, 1], [1.0, 2, 4, 2], [3.0, 3, 3, 2]
LONGEST = {4: 6.0, 5: 3.0, 6: 2.0, 7: 3.0, 8: 2.0, 9: 0.0}  # wait, by the servers [h]


def misses_again(sizes, target=2.0):
    """The plan for that log: no job is to wait longer than the target."""
    hours = 3600 * np.array([SUBMIT, RUN])
    log = Log(need=np.array(NEED), run=hours[1], submit=hours[0], estimate=hours[1], servers=6.0)
    (result,) = planned(log, target, ["easy"], sizes, percentile=100).policies
    return result


@pytest.mark.parametrize(("servers", "longest"), LONGEST.items())
def test_a_further_server_can_lengthen_the_longest_wait(servers, longest):
    start, _ = schedule(SUBMIT, NEED, RUN, RUN, servers, "easy")
    assert max(np.array(start) - SUBMIT) == longest == replay(SUBMIT, NEED, RUN, RUN, servers, "easy").wait.max()


def test_sizes_from_which_on_all_meet_the_target_are_told_from_the_smallest_that_does():
    result = misses_again(list(LONGEST))
    assert [row.waits.percentile.value for row in result.sizes] == pytest.approx(list(LONGEST.values()))
    assert [row.meets for row in result.sizes] == [False, False, True, False, True, True]
    assert (result.smallest, result.from_on) == (6, 8)
    assert "larger ones miss it again (7); from 8 on" in " ".join(result.verdict)


def test_where_the_largest_size_misses_the_target_nothing_is_said_to_meet_it_from_some_size_on():
    result = misses_again([4, 5, 6, 7])
    assert (result.smallest, result.from_on) == (6, None)
    assert "the largest size that was tried misses the target" in " ".join(result.verdict)


def test_where_all_sizes_from_the_smallest_on_meet_the_target_no_other_is_named():
    result = misses_again([4, 5, 8, 9], target=3.0)
    assert (result.smallest, result.from_on) == (5, 5)
    assert "miss" not in " ".join(result.verdict)


def test_a_larger_machine_that_misses_the_target_is_found_between_two_that_meet_it():
    result = misses_again([4, 6, 8, 9])
    assert (result.smallest, result.from_on) == (6, 8)
    assert [row.servers for row in result.sizes] == [4, 5, 6, 7, 8, 9]


def test_the_size_that_surely_meets_the_target_is_named_once():
    plan = planned(hourly(2, 1.5, jobs=4000), 1.0, ["fcfs"], [1, 2, 3, 4]).policies[0]
    assert plan.surely == plan.smallest == 3  # nobody waits, so that the interval is a point
    assert "cannot tell how many" not in " ".join(plan.verdict)
