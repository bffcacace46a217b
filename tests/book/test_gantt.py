"""Schedules drawn: no server holds two jobs, the drawing shows what was run."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt

from mjq import plots
from mjq.plots.schedules import rows_of
from mjq.simulation import replay

SERVERS = 7
lines = st.lists(st.tuples(st.integers(1, SERVERS), st.floats(0.01, 10)), min_size=1, max_size=30)


def in_line(jobs, servers=SERVERS):
    """Jobs that are all there at time 0, served in order."""
    needs, runs = np.transpose(jobs)
    return replay(np.zeros(len(jobs)), needs, runs, None, servers)


@given(lines)
def test_no_server_holds_two_jobs_at_a_time(jobs):
    found = in_line(jobs)
    rows = rows_of(found.start, found.finish, found.need, SERVERS)
    assert [len(held) for held in rows] == [need for need, _ in jobs]
    for server in range(SERVERS):
        mine = [job for job in range(len(jobs)) if server in rows[job]]
        assert all(found.finish[a] <= found.start[b] for a, b in zip(mine, mine[1:], strict=False))


def blocks(ax):
    return [(x.get_xy(), x.get_width(), x.get_height()) for x in ax.patches]


def test_the_blocks_cover_what_is_held_until_the_end_of_the_drawing():
    ax = plots.gantt(in_line([(1, 4.0), (3, 2.0), (2, 1.0)], 3), colours=(0, 1, 0), until=5.0)
    assert blocks(ax) == [((0.0, 0), 4.0, 1), ((4.0, 0), 1.0, 3)]  # the last job starts after the end
    first, second = (x.get_facecolor() for x in ax.patches)
    assert first != second
    assert ax.get_xlim() == (0.0, 5.0)
    plt.close(ax.figure)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="interrupted"):
        plots.gantt(replay([0, 1], [1, 2], [5, 2], None, 2, "server-filling"))
    with pytest.raises(ValueError, match="at most 2000 jobs, got 2001"):
        plots.gantt(in_line([(1, 1)] * 2001))
    with pytest.raises(ValueError, match="shows one resource, and this schedule has 2"):
        plots.gantt(replay([0], [(1, 2)], [5], None, (2, 2)))
    with pytest.raises(ValueError, match="one colour a job is needed, got 1 for 2"):
        plots.gantt(in_line([(1, 1)] * 2), colours=[0])
