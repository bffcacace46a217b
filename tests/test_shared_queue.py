"""One job in a shared queue: the exact response time and one life of it."""

import numpy as np
import pytest

from mjq import fluid
from mjq.simulation import simulate_ps_network
from mjq.solvers import product_form, shared_queue


def open_queue(load, k):
    return fluid.Network({"q": k}, {("q", 1): fluid.exponential(1.0)}, {}, {("q", 1): load * k})


@pytest.mark.parametrize(("load", "k"), [(0.3, 1), (0.8, 4), (0.95, 2)])
def test_the_mean_obeys_littles_law(load, k):
    jobs = product_form.means(open_queue(load, k)).mean_jobs["q", 1]
    assert shared_queue.response_time(load, k).mean == pytest.approx(jobs / (load * k), rel=1e-6)


def test_the_distribution_is_that_of_the_simulator():
    found = simulate_ps_network(open_queue(0.7, 3), 20_000, 1, subsets={"q": ("q", 1)}, percentiles=(0.5, 0.95))
    law = shared_queue.response_time(0.7, 3)
    for u, estimate in found.response["q"].percentile.items():
        assert law.quantile(u) in estimate.widened(3)


def test_lives_have_the_mean_response_time():
    """Work drawn from the service time: the lives last as long as the exact response time says."""
    rng = np.random.default_rng(7)
    lives = [shared_queue.life(0.7, 2, rng.exponential(), [7, k])[0][-1] for k in range(4000)]
    error = np.std(lives) / np.sqrt(len(lives))
    assert abs(np.mean(lives) - shared_queue.response_time(0.7, 2).mean) < 4 * error


def test_a_life_is_the_same_for_the_same_seed_and_gets_its_work():
    times, shares = shared_queue.life(0.9, 4, 3.0, seed=[1, 2])
    again, _ = shared_queue.life(0.9, 4, 3.0, seed=[1, 2])
    assert np.array_equal(times, again)
    assert shares @ np.diff(times) == pytest.approx(3.0)
    assert 0 < shares.min() <= shares.max() <= 1


@pytest.mark.parametrize(("load", "k", "work"), [(1.0, 1, 1.0), (0.5, 0, 1.0), (0.5, 1, 0.0)])
def test_impossible_queues_are_refused(load, k, work):
    with pytest.raises(ValueError, match="must"):
        shared_queue.life(load, k, work, seed=1)
