"""One job in a shared queue: the exact response time and one life of it."""

import numpy as np
import pytest

from mjq import fluid
from mjq.models.fluid import shared_queue
from mjq.simulation import simulate_ps_network
from mjq.solvers import product_form
from mjq.solvers.phase_type import PhaseType


def open_queue(load, k):
    return fluid.Network({"q": k}, {("q", 1): fluid.exponential(1.0)}, {}, {("q", 1): load * k})


@pytest.mark.parametrize(("load", "k"), [(0.3, 1), (0.8, 4), (0.95, 2), (0.95, 16), (0.99, 4)])
def test_the_mean_obeys_littles_law(load, k):
    jobs = product_form.means(open_queue(load, k)).mean_jobs["q", 1]
    assert shared_queue.response_time(load, k).mean == pytest.approx(jobs / (load * k), rel=1e-6)


def test_the_distribution_is_that_of_the_simulator():
    found = simulate_ps_network(open_queue(0.7, 3), 20_000, 1, subsets={"q": ("q", 1)}, percentiles=(0.5, 0.95))
    law = shared_queue.response_time(0.7, 3)
    for u, estimate in found.response["q"].percentile.items():
        assert law.quantile(u) in estimate.widened(3)


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


def test_the_mean_with_service_of_phase_type_does_not_depend_on_its_shape():
    times = np.linspace(0, 150, 3001)
    tail = shared_queue.still_there(times, 0.5, 2, fluid.coxian(1.0, 5.0))
    exact = shared_queue.response_time(0.5, 2).mean
    assert np.trapezoid(tail, times) == pytest.approx(exact, rel=1e-3)


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


@pytest.mark.parametrize(("load", "k"), [(0.9, 16), (0.95, 1), (0.95, 4), (0.99, 16)])
def test_exponential_service_is_followed_however_long_the_queue(load, k):
    times = [1.0, 10.0, 40.0, 200.0]
    exact = shared_queue.response_time(load, k).tail(times)
    assert shared_queue.still_there(times, load, k, fluid.exponential(1.0)) == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize(("load", "k"), [(0.5, 1), (0.9, 4)])
def test_two_phases_of_the_same_rate_are_exponential_service(load, k):
    times, same = [1.0, 10.0, 40.0], PhaseType([0.25, 0.75], [[-1.0, 0.0], [0.0, -1.0]])
    exact = shared_queue.response_time(load, k).tail(times)
    assert shared_queue.still_there(times, load, k, same) == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: shared_queue.response_time(0.9999, 4), r"load = 0.9999, k = 4 would take 2.07e\+05 phases, more than"),
        (
            lambda: shared_queue.still_there([1], 0.99, 4, fluid.coxian(1, 3)),
            r"2 phases would take .* states, more than",
        ),
        (lambda: shared_queue.still_there([1], 1 - 1e-12, 1, fluid.exponential(1)), "would take .* others, more than"),
        (lambda: shared_queue.life(1 - 1e-12, 1, 1.0, seed=1), "would take .* others, more than"),
    ],
)
def test_what_memory_does_not_hold_is_refused_before(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize(("load", "k"), [(1.0, 1), (0.5, 0)])
def test_impossible_queues_are_refused_with_service_of_phase_type(load, k):
    with pytest.raises(ValueError, match="must"):
        shared_queue.still_there([1.0], load, k, fluid.exponential(1.0))
