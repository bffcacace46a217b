"""One job in a shared queue: the exact response time and one life of it."""

import numpy as np
import pytest

from mjq import fluid
from mjq.models.fluid import shared_queue
from mjq.simulation import simulate_ps_network
from mjq.solvers import product_form


def open_queue(load, k):
    return fluid.Network({"q": k}, {("q", 1): fluid.exponential(1.0)}, {}, {("q", 1): load * k})


@pytest.mark.parametrize(("load", "k"), [(0.3, 1), (0.8, 4), (0.95, 2), (0.95, 16), (0.99, 4)])
def test_the_mean_obeys_littles_law(load, k):
    jobs = product_form.means(open_queue(load, k)).mean_jobs["q", 1]
    assert shared_queue.response_time(load, k).mean == pytest.approx(jobs / (load * k), rel=1e-6)


@pytest.mark.parametrize("service", [fluid.coxian(2.0, 4.0), fluid.hyperexponential(0.5, 3.0), fluid.erlang(3, 1.0)])
def test_service_of_phase_type_is_that_of_the_simulator(service):
    """Where the rest of a job's time is long, too: the part that is still there at the simulated percentiles."""
    network = fluid.Network({"q": 2}, {("q", 1): service}, {}, {("q", 1): 2 * 0.6 / service.mean})
    found = (
        simulate_ps_network(
            network, 20_000 * service.mean, 5, subsets={"q": ("q", 1)}, percentiles=(0.5, 0.95), progress=False
        )
        .response["q"]
        .percentile
    )
    for u, estimate in found.items():
        ends = [estimate.mean - 2 * estimate.half_width, estimate.mean + 2 * estimate.half_width]
        late, early = shared_queue.still_there(ends[::-1], 0.6, 2, service)
        assert late < 1 - u < early


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


@pytest.mark.parametrize(("load", "k"), [(0.9, 16), (0.95, 1), (0.95, 4), (0.99, 16)])
def test_exponential_service_is_followed_however_long_the_queue(load, k):
    times = [1.0, 10.0, 40.0, 200.0]
    exact = shared_queue.response_time(load, k).tail(times)
    assert shared_queue.still_there(times, load, k, fluid.exponential(1.0)) == pytest.approx(exact, abs=1e-9)
