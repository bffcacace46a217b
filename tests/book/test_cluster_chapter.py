"""What the chapter on the cluster uses for its pictures and sentences."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

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


def test_drawing_shows_what_is_reserved_and_what_runs():
    found = timeline(3, [1, 2, 3], mapping=[1, 1, 1], running=[5, 2, 9])
    ax = draw_timeline(found, plt.figure().gca(), until=8)
    blocks = [(*patch.get_xy(), patch.get_width(), patch.get_height()) for patch in ax.patches]
    # Each job twice, mapped and running; the last one comes at 2, fits at 6 and starts at 7.
    assert blocks == [(0, 0, 1, 1), (1, 0, 5, 1), (1, 1, 1, 2), (2, 1, 2, 2), (6, 0, 1, 3), (7, 0, 9, 3)]
    assert [word.get_text() for word in ax.texts] == ["1", "2", "3", "next: 3"]
    assert ax.get_xlim() == (0, 8) and ax.get_ylim() == (0, 3)
    plt.close(ax.figure)


@pytest.mark.parametrize(("value", "digits"), [(0.1234, 2), (7.0, 0), (1e-3, 1), (99.99, 1)])
def test_rounding_goes_one_way(value, digits):
    assert value <= rounded_up(value, digits) < value + 10.0**-digits
    assert value - 10.0**-digits < rounded_down(value, digits) <= value
