"""Sentences that page one and chapters say beside one system or a few logs, on more of them."""

import numpy as np
import pytest

from mjq import fluid
from mjq import near_saturation as ns
from mjq import processing_capacity as pc
from mjq.simulation import replay
from mjq.solvers import product_form
from mjq_book.workloads import synthetic_log


def one_or_all(servers):
    """A cluster in which one job in as many as it has servers needs all of them."""
    return servers, [1, servers], [1, 1], [1 - 1 / servers, 1 / servers]


SIX = 6, [2, 3], [1, 1], [0.5, 0.5]
FITTING = SIX, (12, [1, 3], [1, 1], [0.9, 0.1]), (4, [1, 2], [1, 0.5], [0.6, 0.4])
AS_LARGE = one_or_all(6), one_or_all(100), (12, [1, 12], [1, 1], [0.9, 0.1])


@pytest.mark.parametrize("system", [*FITTING, *AS_LARGE])
def test_variable_run_times_make_clusters_slow_and_those_of_large_jobs_small(system):
    servers, needs, rates, mix = system
    classes = ns.split_hyperexponential(needs, 1 / np.array(rates), [30.0] * len(needs), mix)
    even, varied = ns.relative_completions(*system), ns.relative_completions(servers, *classes)
    assert (1 + varied.delta) / varied.capacity > 3 * (1 + even.delta) / even.capacity
    if max(needs) == servers:
        assert varied.capacity < 0.75 * even.capacity
    else:
        assert 0.9 * even.capacity < varied.capacity < even.capacity


@pytest.mark.parametrize("servers", [2, 4, 8])
def test_a_fitted_exponent_mends_the_mean_near_its_load(servers):
    """Relative errors of the mean number of requests: the plain fluid model, and fitted at a load of 0.8."""

    def queue(load):
        service = {("q", 1): fluid.exponential(1.0)}
        return fluid.Network({"q": servers}, service, {}, {("q", 1): servers * load})

    at_fit = product_form.means(queue(0.8))
    exponent = fluid.fit_smoothing(queue(0.8), at_fit.mean_jobs, at_fit.throughput)
    loads = np.array([0.7, 0.75, 0.8, 0.85])
    exact = np.array([product_form.means(queue(load)).mean_jobs["q", 1] for load in loads])
    fitted = np.array([fluid.stationary_point(queue(load), exponent).mean_jobs["q", 1] for load in loads])
    plain_error, fitted_error = servers * loads / exact - 1, fitted / exact - 1
    assert abs(fitted_error[2]) < 1e-6 and plain_error[2] < -0.1
    assert (np.abs(fitted_error) < np.abs(plain_error) / 2).all() and np.abs(fitted_error).max() < 0.1


def test_the_gain_of_backfilling_differs_from_log_to_log():
    logs = [synthetic_log(5000, 128, 0.6, [777, n]) for n in range(30)]
    fcfs, easy = (
        [replay(log.submit, log.need, log.run, log.estimate, 128, policy).wait.mean() for log in logs]
        for policy in ("fcfs", "easy")
    )
    factors = np.divide(fcfs, easy)
    assert max(factors) > 3 * min(factors)


@pytest.mark.parametrize("system", [one_or_all(2), one_or_all(4), SIX])
def test_servers_that_are_held_do_less_than_shared_ones(system):
    servers, needs, rates, mix = system
    held, work = pc.processing_capacity(*system), np.divide(needs, rates)
    assert held < servers / (mix @ work)
    lam = 0.85 * held
    service = {("q", k): fluid.exponential(mean) for k, mean in enumerate(work)}
    arrivals = {("q", k): lam * share for k, share in enumerate(mix)}
    shared = product_form.means(fluid.Network({"q": servers}, service, {}, arrivals))
    assert pc.sojourn(lam, *system).mean_jobs > sum(shared.mean_jobs.values())
