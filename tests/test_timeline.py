"""Servers over time: the order of the line is kept, no server holds two jobs, the drawing shows what was run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt

from mjq.plots.timeline import in_order, timeline

SERVERS = 7
lines = st.lists(st.tuples(st.integers(1, SERVERS), st.floats(0.01, 10)), max_size=30)


@given(lines)
def test_each_job_starts_as_soon_as_those_before_it_have_and_it_fits(jobs):
    runs = in_order(SERVERS, jobs)
    assert [(len(held), round(finish - start, 9)) for start, finish, held in runs] == [
        (need, round(time, 9)) for need, time in jobs
    ]
    before = 0.0
    for k, (start, _, held) in enumerate(runs):
        # What the jobs in front leave free, at each time at which something may change from the last start on.
        times = sorted({before, *(finish for _, finish, _ in runs[:k] if finish > before)})
        free = {t: SERVERS - sum(len(h) for s, f, h in runs[:k] if s <= t < f) for t in times}
        assert start == next(t for t in times if free[t] >= len(held))
        before = start


@given(lines)
def test_no_server_holds_two_jobs_at_a_time(jobs):
    runs = in_order(SERVERS, jobs)
    for server in range(SERVERS):
        spans = sorted((start, finish) for start, finish, held in runs if server in held)
        assert all(first[1] <= second[0] for first, second in zip(spans, spans[1:], strict=False))


@pytest.mark.parametrize("need", [0, 8])
def test_a_job_must_fit(need):
    with pytest.raises(ValueError, match=f"need {need} "):
        in_order(SERVERS, [(1, 1.0), (need, 1.0)])


def test_the_blocks_cover_what_is_held_until_the_end_of_the_drawing():
    runs = in_order(3, [(1, 4.0), (3, 2.0), (2, 1.0)])
    _, ax = plt.subplots()
    timeline(ax, 3, runs, (0, 1, 0), 5.0)
    blocks = [(x.get_xy(), x.get_width(), x.get_height()) for x in ax.patches]
    assert blocks == [((0.0, 0), 4.0, 1), ((4.0, 0), 1.0, 3)]  # the last job starts after the end
    plt.close()


def test_servers_that_lie_apart_are_drawn_apart():
    runs = in_order(3, [(1, 1.0), (1, 3.0), (2, 1.0)])
    _, ax = plt.subplots()
    timeline(ax, 3, runs, (0, 0, 1), 5.0)
    assert [x.get_xy()[1] for x in ax.patches] == [0, 1, 0, 2]
    plt.close()
