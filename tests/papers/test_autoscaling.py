"""The service with replicas: its network, its decisions, and their judges."""

import math

import pytest

from mjq.solvers import product_form
from mjq_book.experiments import autoscaling

EXPONENTS = autoscaling.fitted()


def test_fitted_exponents_make_the_means_exact_where_they_were_fitted():
    network = autoscaling.service(autoscaling.FITTED_REPLICAS, autoscaling.FITTED_RATE)
    jobs = sum(product_form.means(network).mean_jobs.values())
    law = autoscaling.predicted(autoscaling.FITTED_REPLICAS, autoscaling.FITTED_RATE, EXPONENTS)
    assert law.mean == pytest.approx(jobs / autoscaling.FITTED_RATE, rel=1e-9)


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


def test_simulated_percentiles_of_a_replica_that_nobody_shares():
    found = autoscaling.simulated(40, 4.0, 20_000, seed=1)
    assert autoscaling.predicted(40, 4.0).quantile(0.95) in found.widened(2.5)


def test_a_part_of_the_day_is_that_part_of_the_day():
    plan = [2] * 3 + [4] * 9
    (alone,) = autoscaling.simulated_day(plan, seed=3, days=3, hours=(4, 6))
    _, both = autoscaling.simulated_day(plan, seed=4, days=3, hours=(2, 6))
    assert abs(alone.mean - both.mean) < 2 * math.hypot(alone.half_width, both.half_width)
