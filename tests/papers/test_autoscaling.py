"""The service with replicas: its network, its decisions, and their judges."""

import math

import numpy as np
import pytest

from mjq import fluid
from mjq.solvers import product_form
from mjq_book.experiments import autoscaling

EXPONENTS = autoscaling.fitted()


def test_replicas_that_are_not_used_get_no_requests():
    few, standing = autoscaling.service(2, 30.0), autoscaling.service(2, 30.0, standing=5)
    assert few.arrivals.sum() == standing.arrivals.sum() == pytest.approx(30)
    assert np.count_nonzero(standing.arrivals) == 2
    exact = product_form.means(standing)
    assert exact.throughput["database", "request"] == pytest.approx(30)
    assert exact.mean_jobs["replica 5", "request"] == 0


def test_fitted_exponents_make_the_means_exact_where_they_were_fitted():
    network = autoscaling.service(autoscaling.FITTED_REPLICAS, autoscaling.FITTED_RATE)
    jobs = sum(product_form.means(network).mean_jobs.values())
    law = autoscaling.predicted(autoscaling.FITTED_REPLICAS, autoscaling.FITTED_RATE, EXPONENTS)
    assert law.mean == pytest.approx(jobs / autoscaling.FITTED_RATE, rel=1e-9)


def test_without_waiting_a_request_takes_its_two_services():
    law = autoscaling.predicted(1, 1.0)
    assert law.mean == pytest.approx(0.25)
    # The distribution of the sum, by integration over the time at the database.
    t, s = 0.9, np.linspace(0, 0.9, 20_001)
    density = 20 * np.exp(-20 * s)
    assert float(law.cdf(t)) == pytest.approx(np.trapezoid(density * autoscaling.AT_REPLICA.cdf(t - s), s), abs=1e-6)


@pytest.mark.parametrize("exponents", [None, EXPONENTS])
@pytest.mark.parametrize("rate", [10, 33, 90])
def test_the_fewest_replicas_meet_the_target_and_one_less_does_not(rate, exponents):
    n = autoscaling.fewest_replicas(rate, exponents)
    assert autoscaling.predicted(n, rate, exponents).quantile(0.95) <= autoscaling.TARGET
    needed = rate * autoscaling.AT_REPLICA.mean / autoscaling.REPLICA_CORES
    if n - 1 > needed:
        assert autoscaling.predicted(n - 1, rate, exponents).quantile(0.95) > autoscaling.TARGET


def test_plans_ahead_have_at_least_as_many_replicas():
    now, ahead = autoscaling.plan(EXPONENTS), autoscaling.plan(EXPONENTS, ahead=True)
    assert len(now) == len(ahead) == len(autoscaling.decision_hours()) == 12
    assert all(a >= b for a, b in zip(ahead, now, strict=True))
    # Ahead decides for the rate at the peak, 15 h, which lies between two decisions.
    assert ahead[7] == autoscaling.fewest_replicas(90, EXPONENTS)


def test_the_mean_rate_of_the_day():
    hours = np.linspace(0, 24, 1001)[:-1]
    assert autoscaling.rate_at(hours).mean() == pytest.approx(50)


def test_simulated_percentiles_of_a_replica_that_nobody_shares():
    found = autoscaling.simulated(40, 4.0, 20_000, seed=1)
    assert autoscaling.predicted(40, 4.0).quantile(0.95) in found.widened(2.5)


def test_a_day_with_too_few_replicas_is_late_and_slots_are_in_order():
    enough = autoscaling.simulated_day([9] * 12, seed=1, days=2, hours=(2, 8))
    few = autoscaling.simulated_day([1] * 12, seed=1, days=2, hours=(2, 8))
    assert len(enough) == len(few) == 3
    assert max(x.mean for x in enough) < autoscaling.TARGET
    # From 6 to 8 h the rate rises from 22 to 40 per second, beyond the 20 of one replica.
    assert few[0].mean < 1.2 < 60 < few[2].mean


def test_a_part_of_the_day_is_that_part_of_the_day():
    plan = [2] * 3 + [4] * 9
    (alone,) = autoscaling.simulated_day(plan, seed=3, days=3, hours=(4, 6))
    _, both = autoscaling.simulated_day(plan, seed=4, days=3, hours=(2, 6))
    assert abs(alone.mean - both.mean) < 2 * math.hypot(alone.half_width, both.half_width)


def test_verdicts():
    assert autoscaling.verdict(0.9, 0.05) == "met"
    assert autoscaling.verdict(1.1, 0.05) == "missed"
    assert autoscaling.verdict(0.97, 0.05) == autoscaling.verdict(1.03, 0.05) == "too close to tell"


def test_bad_input_raises():
    with pytest.raises(ValueError, match="replicas"):
        autoscaling.service(0, 10.0)
    with pytest.raises(ValueError, match="rate must be positive"):
        autoscaling.fewest_replicas(-1.0)


def test_the_network_is_what_the_fluid_model_and_the_simulator_speak():
    network = autoscaling.service(3, 36.0)
    assert isinstance(network, fluid.Network)
    assert network.servers == {"replica 1": 4, "replica 2": 4, "replica 3": 4, "database": 8}
