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


@pytest.mark.parametrize(("servers", "longest"), LONGEST.items())
def test_a_further_server_can_lengthen_the_longest_wait(servers, longest):
    start, _ = schedule(SUBMIT, NEED, RUN, RUN, servers, "easy")
    assert max(np.array(start) - SUBMIT) == longest == replay(SUBMIT, NEED, RUN, RUN, servers, "easy").wait.max()


@pytest.mark.parametrize(
    ("sizes", "target", "smallest", "from_on", "words"),
    [
        ([*LONGEST], 2.0, 6, 8, "larger ones miss it again (7); from 8 on"),
        ([4, 6, 8, 9], 2.0, 6, 8, "larger ones miss it again (7); from 8 on"),  # the one between them is found
        ([4, 5, 6, 7], 2.0, 6, None, "the largest size that was tried misses the target"),
        ([4, 5, 8, 9], 3.0, 5, 5, None),
    ],
)
def test_sizes_that_miss_the_target_above_the_smallest_that_meets_it_are_told(sizes, target, smallest, from_on, words):
    """The plan for that log: no job is to wait longer than the target."""
    hours = 3600 * np.array([SUBMIT, RUN])
    log = Log(need=np.array(NEED), run=hours[1], submit=hours[0], estimate=hours[1], servers=6.0)
    (result,) = planned(log, target, ["easy"], sizes, percentile=100).policies
    for row in result.sizes:
        assert row.waits.percentile.value == pytest.approx(LONGEST[row.servers])
        assert row.meets == (LONGEST[row.servers] <= target)
    assert (result.smallest, result.from_on) == (smallest, from_on)
    text = " ".join(result.verdict)
    assert (words in text) if words else ("miss" not in text)


def test_the_size_that_surely_meets_the_target_is_named_once():
    plan = planned(hourly(2, 1.5, jobs=4000), 1.0, ["fcfs"], [1, 2, 3, 4]).policies[0]
    assert plan.surely == plan.smallest == 3  # nobody waits, so that the interval is a point
    assert "cannot tell how many" not in " ".join(plan.verdict)
