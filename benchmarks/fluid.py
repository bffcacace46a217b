"""[RBAC21]: a large network's fluid model beside what a user would do with scipy alone."""

import numpy as np
from scipy import integrate, linalg

from benchmarks.timing import Row, median_time
from mjq import fluid
from mjq_book.experiments.large_network import large_network

P = 2.0  # exponent of all queues


def by_long_integration(network):
    """The state after a long time, with differences for derivatives."""
    return integrate.solve_ivp(
        lambda t, x: fluid.drift(x, network, P), (0, 5000), network.start, method="LSODA", rtol=1e-8, atol=1e-10
    ).y[:, -1]


def stationary():
    network = large_network()
    theirs, x = median_time(lambda: by_long_integration(network), repeats=1, warm=False, keep=True)
    ours, point = median_time(lambda: fluid.stationary_point(network, P), repeats=3, keep=True)
    assert np.abs(point.x - x).max() < 1e-4
    return Row("fluid model of 600 phases, stationary point", ours, "scipy LSODA to t = 5000, no Jacobian", theirs)


def trajectory():
    network, times = large_network(), np.linspace(0, 100, 201)

    def plain():
        return integrate.solve_ivp(
            lambda t, x: fluid.drift(x, network, P), (0, 100), network.start, "BDF", times, rtol=1e-9, atol=1e-10
        ).y.T

    theirs, states = median_time(plain, repeats=1, warm=False, keep=True)
    ours, found = median_time(lambda: fluid.trajectory(network, times, p=P), repeats=3, keep=True)
    assert np.abs(found - states).max() < 1e-4
    return Row("its trajectory to t = 100, relative tolerance 1e-9", ours, "scipy BDF, no Jacobian", theirs)


def response():
    network = large_network()
    law = fluid.response_time(network, [pair for pair in network.pairs if pair[1] == 0], p=P)
    times = np.linspace(0, 5 * law.mean, 200)

    def plain():
        return [1 - law.alpha @ linalg.expm(law.T * t) @ np.ones(law.phases) for t in times]

    theirs, values = median_time(plain, repeats=1, warm=False, keep=True)
    assert np.abs(law.cdf(times) - values).max() < 1e-10
    return Row("a distribution of 150 phases at 200 times", median_time(lambda: law.cdf(times)), "scipy expm", theirs)


BENCHMARKS = [stationary, trajectory, response]
