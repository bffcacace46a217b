"""The simulator: reproducible, honest about its precision, right about ties and edges."""

import numpy as np
import pytest

from mjq.simulation import Estimate, simulate_multiserver
from mjq.simulation.engine.arrivals import BoundedPareto, Lognormal
from mjq.simulation.replications import generators
from mjq.solvers.phase_type import erlang, exponential, hyperexponential

TABLE = 6, (2, 3), (1 / 0.4, 1 / 1.6), (0.5, 0.5)
LAWS = {  # of mean 1, with their second moments
    "erlang": (erlang(3, 1.0), 4 / 3),
    "hyperexponential": (hyperexponential(1.0, 4.0), 5.0),
    "lognormal": (Lognormal(1.0, 2.0), 3.0),
    "bounded Pareto": (BoundedPareto(0.9 / np.log(10), 9 / np.log(10), 1.0), 8.1 / np.log(10) ** 2),
    "always the same": (1.0, 1.0),
    "sample": ([0.5, 0.5, 2.0], 1.5),
}


def test_same_seed_same_numbers_whatever_the_workers():
    runs = [simulate_multiserver(1.5, *TABLE, 20_000, 7, replications=5, workers=w, tail_at=(3,)) for w in (1, 2, 5)]
    assert runs[0] == runs[1] == runs[2]
    assert runs[0] != simulate_multiserver(1.5, *TABLE, 20_000, 8, replications=5, tail_at=(3,))


def test_a_seed_sequence_can_be_used_twice():
    seed = np.random.SeedSequence(42)
    first, second = (simulate_multiserver(1.0, *TABLE, 1000, seed, replications=2) for _ in range(2))
    assert first == second
    assert first == simulate_multiserver(1.0, *TABLE, 1000, 42, replications=2)


def test_replications_are_independent():
    draws = np.array([rng.random(20_000) for rng in generators(3, 4)])
    assert np.abs(np.corrcoef(draws) - np.eye(4)).max() < 0.05


def test_batches_of_one_run_give_an_interval():
    run = simulate_multiserver(0.5, 1, [1], [1], [1], 300_000, 2)
    assert run.mean_sojourn.observations == 30
    assert 2 in run.mean_sojourn.widened(2)
    assert 0 < run.mean_sojourn.half_width < 0.1


def test_classes_that_never_come():
    run = simulate_multiserver(1.0, 6, (99, 2, 99), (1, 1, 1), (0, 1, 0), 5000, 4, replications=3)
    assert [estimate.observations for estimate in run.mean_wait_by_class] == [0, 3, 0]


@pytest.mark.parametrize("name", LAWS)
def test_one_server_waits_as_pollaczek_and_khinchine_say(name):
    law, second = LAWS[name]
    run = simulate_multiserver(0.7, 1, [1], None, [1], 60_000, 21, service=[law], replications=20)
    wait = 0.7 * second / (2 * (1 - 0.7))
    assert wait in run.mean_wait.widened(2)
    assert wait + 1 in run.mean_sojourn.widened(2)
    assert run.mean_wait.half_width < 0.1 * wait


def test_exponential_times_are_the_default():
    service = [exponential(0.5), exponential(4.0)]  # the inverse of the inverse is the rate itself
    run = simulate_multiserver(1.0, 6, (2, 3), None, (0.5, 0.5), 5000, 23, service=service)
    assert run == simulate_multiserver(1.0, 6, (2, 3), (2, 0.25), (0.5, 0.5), 5000, 23)


def test_each_class_has_its_own_law():
    """So much room that nobody waits: the sojourn times are the service times."""
    service = [2.0, erlang(4, 1.0), [1.0, 3.0], exponential(1.0)]
    p = (0.25, 0.25, 0.25, 0.25)
    times = dict(service=service, replications=10, tail_at=(1.9,))
    run = simulate_multiserver(1.0, 1000, (1, 1, 1, 1), None, p, 20_000, 24, **times)
    assert run.mean_wait.mean == 0
    assert np.mean([2, 1, 2, 1]) in run.mean_sojourn.widened(2)
    assert np.mean([4, 1.25, 5, 2]) in run.sojourn_moment2.widened(2)
    assert np.mean([1, erlang(4, 1.0).tail(1.9), 0.5, np.exp(-1.9)]) in run.tails[0].widened(2)


def test_estimates():
    x = np.random.default_rng(0).normal(5, 2, size=(2000, 8))
    covered = np.mean([5 in Estimate.of(row) for row in x])
    assert covered == pytest.approx(0.95, abs=0.015)
    assert Estimate.of([1.0]).half_width == np.inf


@pytest.mark.parametrize("cluster", [1, 5])
def test_estimates_of_a_rare_fraction(cluster):
    """Clusters of jobs, so rare that a third of the experiments see none: intervals hold the truth."""
    rng, truth = np.random.default_rng(1), 1.1 * cluster / 40_000
    seen = cluster * rng.poisson(1.1 / 20, size=(2000, 20))
    found = [Estimate.of_fraction(row, np.full(20, 2000), cluster) for row in seen]
    assert 0.91 <= np.mean([truth in estimate for estimate in found])
    never = Estimate.of_fraction([0, 0], [500, 500], cluster)
    assert (never.mean, never.low) == (0, 0) and 2 * cluster / 1000 < never.high < 3 * cluster / 1000
    assert f"{never:.4f}".startswith("0.0000 (0.0000 to 0.")


def test_estimates_of_a_frequent_fraction_are_means():
    seen, jobs = [400, 500, 450], [1000, 1000, 1000]
    assert Estimate.of_fraction(seen, jobs, 1) == Estimate.of([0.4, 0.5, 0.45])


def test_uneven_intervals_stay_uneven():
    rare = Estimate.of_fraction([1, 0, 0, 0], [1000] * 4, 1)
    wide = rare.widened(2)
    assert rare.high - rare.mean > rare.mean - rare.low > 0
    assert wide.high - wide.mean == pytest.approx(2 * (rare.high - rare.mean)) and rare.high in wide


@pytest.mark.parametrize(("observations", "longer"), [(2, 1), (7, 1), (7, 10)])
def test_the_half_width_that_is_to_be_expected_of_another_plan(observations, longer):
    rng = np.random.default_rng(1)
    plan = [Estimate.of(rng.normal(size=(observations, longer)).mean(axis=1)).half_width for _ in range(20_000)]
    ours = Estimate.of(rng.normal(size=20_000)).expected_half_width(observations, longer)
    assert ours == pytest.approx(np.mean(plan), rel=0.03)


def test_one_replication_tells_a_fraction_but_not_how_surely():
    found = Estimate.of_fraction([3], [1000], 1)
    assert (found.mean, found.half_width) == (0.003, np.inf)
