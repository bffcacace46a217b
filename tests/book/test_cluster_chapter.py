"""What the chapter on the cluster uses for its pictures and sentences."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

from mjq import cluster
from mjq.plots.tables import rounded_down, rounded_up
from mjq_book.drawings.cluster import draw_timeline, timeline


@pytest.fixture
def jobs():
    rng = np.random.default_rng(5)
    n = 3000
    return dict(sizes=rng.integers(1, 7, n), mapping=rng.exponential(0.1, n), running=rng.exponential(1, n))


def test_no_server_is_held_twice_and_the_order_is_kept(jobs):
    found = timeline(6, **jobs)
    assert found["servers"].list.len().to_list() == jobs["sizes"].tolist()
    for server in range(6):
        held = found.filter(found["servers"].list.contains(server))
        assert (held["fits"][1:] >= held["completes"][:-1]).all()
    assert (found["comes"][1:] == found["starts"][:-1]).all()


def test_a_job_waits_no_longer_than_it_must(jobs):
    found = timeline(6, **jobs).head(300)
    for k, row in enumerate(found.iter_rows(named=True)):
        if row["fits"] > row["comes"]:  # just before, too few servers were idle
            before = found.head(k)
            held = before.filter(before["completes"] >= row["fits"])["size"].sum()
            assert 6 - held < row["size"]


def test_long_run_is_that_of_a_flooded_cluster(jobs):
    found = timeline(6, **jobs)
    end = found["starts"][-1]
    running = np.minimum(found["completes"].to_numpy(), end) - found["starts"].to_numpy()
    flooded = cluster.performance(6, *cluster.uniform_sizes(6), lam=1e6, mu1=10, mu2=1, C=1)
    assert running.sum() / end == pytest.approx(flooded.mean_jobs, rel=0.05)


def test_timeline_refuses_a_job_that_never_fits():
    with pytest.raises(ValueError, match="exceeds"):
        timeline(2, [3], [1.0], [1.0])


def test_drawing_shows_what_is_reserved_and_what_runs():
    found = timeline(3, [1, 2, 3], mapping=[1, 1, 1], running=[5, 2, 9])
    ax = draw_timeline(found, until=8)
    blocks = [(*patch.get_xy(), patch.get_width(), patch.get_height()) for patch in ax.patches]
    # Each job twice, mapped and running; the last one comes at 2, fits at 6 and starts at 7.
    assert blocks == [(0, 0, 1, 1), (1, 0, 5, 1), (1, 1, 1, 2), (2, 1, 2, 2), (6, 0, 1, 3), (7, 0, 9, 3)]
    assert [word.get_text() for word in ax.texts] == ["1", "2", "3", "next: 3"]
    assert ax.get_xlim() == (0, 8) and ax.get_ylim() == (0, 3)
    plt.close(ax.figure)


def test_drawing_keeps_servers_that_lie_apart_apart():
    found = timeline(3, [1, 1, 1, 2], mapping=[1] * 4, running=[2, 20, 2, 2])
    ax = draw_timeline(found)
    last = [patch for patch in ax.patches if patch.get_x() >= found["fits"][3]]
    assert found["servers"][3].to_list() == [0, 2]
    assert [(patch.get_y(), patch.get_height()) for patch in last] == [(0, 1), (0, 1), (2, 1), (2, 1)]
    plt.close(ax.figure)


@pytest.mark.parametrize(("value", "digits"), [(0.1234, 2), (7.0, 0), (1e-3, 1), (99.99, 1)])
def test_rounding_goes_one_way(value, digits):
    assert value <= rounded_up(value, digits) < value + 10.0**-digits
    assert value - 10.0**-digits < rounded_down(value, digits) <= value
