"""Times of a log on the clock of its place, which one offset tells."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mjq_logs import Log, without_gaps
from mjq_logs.reading.clock import as_moment, dated, local

HOUR = 3600.0


@given(minutes=st.lists(st.integers(0, 10**7), min_size=1, max_size=5), clock=st.integers(0, 10**7))
def test_dates_that_are_shown_can_be_given_again(minutes, clock):
    log = Log([1], [60], [0], clock=60.0 * clock)
    times = 60.0 * np.array(minutes)
    assert [as_moment(log, dated(log, time)) for time in times] == times.tolist()


def test_gaps_that_were_cut_move_no_dates():
    times = np.concatenate([np.arange(40) * 12 * HOUR, (40 * 12 + 400) * HOUR + np.arange(60) * 11 * HOUR])
    log = Log(np.ones(100), np.full(100, 60.0), times, servers=1, clock=1e9)
    cut = without_gaps(log)
    assert cut.gaps and np.array_equal(local(cut, cut.submit), local(log, log.submit))
