"""Whatever is handed to a public function, it answers, or names the argument and what is wrong with it."""

import math
import re
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from mjq import (
    cluster,
    fluid,
    many_hosts,
    near_saturation,
    pool_depletion,
    processing_capacity,
    scheduling,
    several_resources,
    stability,
)
from mjq.models.pool_depletion import mean_value
from mjq.simulation import (
    replay_on_hosts,
    simulate_cluster,
    simulate_depletion,
    simulate_hosts,
    simulate_multiserver,
    simulate_saturated_hosts,
)

DEMANDS = [[0.75, 0.64], [0.48, 1.25]]
CLASSES = dict(B=6, b=(2, 3), mu=(1, 1), p=(0.5, 0.5))
TWO = dict(n=30, n1=3, n2=10, mu1=1, mu2=0.5, p1=0.7)
SMALL = dict(N=4, sizes=(1, 2), p=(0.5, 0.5), lam=1, mu1=10, mu2=1, C=3)
ONE_QUEUE = {("q", 1): fluid.exponential(1.0)}
GOOD = {
    processing_capacity.processing_capacity: CLASSES,
    processing_capacity.limiting_completion_rate: CLASSES | dict(lam=1),
    processing_capacity.sojourn: CLASSES | dict(lam=1),
    processing_capacity.fixed_point_iteration: CLASSES | dict(lam=1),
    processing_capacity.saturated_states: dict(B=6, b=(2, 3)),
    stability.throughput: TWO,
    stability.limiting_waste: dict(n=30, n1=3, n2=10, p1=0.7),
    stability.throughput_equal_rates: dict(n=30, p={3: 0.6, 10: 0.4}, mu=1),
    stability.throughput_one_or_all: dict(n=30, mu1=1, mu2=1, p1=0.5),
    cluster.performance: SMALL,
    cluster.smallest_cluster: dict(most_time_in_queue=0.05, least_utilization=0.1, most_servers=20)
    | {key: value for key, value in SMALL.items() if key != "N"},
    cluster.uniform_sizes: dict(T=3),
    cluster.normal_sizes: dict(T=3, sigma=1.0),
    fluid.exponential: dict(mean=1.0),
    fluid.erlang: dict(k=2, mean=1.0),
    fluid.coxian: dict(mean=1.0, scv=2.0),
    fluid.mixed_erlang: dict(mean=1.0, scv=0.3),
    fluid.hyperexponential: dict(mean=1.0, scv=2.0),
    fluid.PhaseType: dict(alpha=[1.0], T=[[-1.0]]),
    fluid.Network: dict(servers={"q": 1}, service=ONE_QUEUE, routing={}, arrivals={("q", 1): 0.5}, population={}),
    fluid.smoothed_share: dict(x=1.0, k=1, p=1),
    pool_depletion.asymptotic_depletion_time: dict(alpha=0.5, beta=0.5, D=DEMANDS),
    pool_depletion.mva_throughputs: dict(D=DEMANDS, K_A=3, K_B=2),
    pool_depletion.optimal_mix_by_mva: dict(D=DEMANDS, N_A=70, N_B=30, K=10),
    pool_depletion.depletion: dict(D=DEMANDS, N_A=7, N_B=3, K_A=2, K_B=2),
    pool_depletion.best_mix: dict(D=DEMANDS, N_A=7, N_B=3, K=3),
    pool_depletion.best_policy: dict(D=DEMANDS, N_A=7, N_B=3, K=3),
    pool_depletion.energy: dict(D=DEMANDS, N_A=7, N_B=3, T=10.0, busy=(1, 1), idle=(0, 0)),
    near_saturation.relative_completions: CLASSES,
    near_saturation.sojourn_asymptote: CLASSES | dict(lam=1),
    near_saturation.decay_rate: CLASSES | dict(lam=1),
    near_saturation.endless_rows: CLASSES,
    near_saturation.one_or_all: dict(n=10, mu1=1, p1=0.9, mean=1, variance=1),
    near_saturation.split_hyperexponential: dict(b=(2, 3), mean=(1, 1), scv=(2, 5), p=(0.5, 0.5)),
    several_resources.staircase: dict(B=(12, 12), b=((4, 1), (1, 4))),
    several_resources.product_form: dict(J=(3, 2, 2, 0), mu1=1, mu2=1, p1=0.5),
    several_resources.throughput_equal_rates: dict(B=(4, 4), b=((1, 2), (2, 1)), mu=1, p=(0.5, 0.5)),
    several_resources.packing_bound: dict(B=(4, 4), b=((1, 2), (2, 1)), mu=(1, 1), p=(0.5, 0.5)),
    several_resources.dominant_needs: dict(B=(4, 4), b=((1, 2), (2, 1))),
    many_hosts.capacity: CLASSES | dict(m=2, B=3, placement="best fit"),  # a host holds one job: 255 have few states
    many_hosts.capacity_with_moving: CLASSES | dict(m=2, B=3),
    many_hosts.packings: dict(m=2, B=6, b=(2, 3)),
    many_hosts.share_that_must_end: dict(m=8, n=8),
    many_hosts.time_to_empty: dict(m=8, n=8, mu=1),
    many_hosts.lost_time: dict(m=8, n=8, mu=1),
    many_hosts.rare_whole_hosts: dict(m=8, n=8, mu1=1, mu2=1, p2=0.001),
    near_saturation.server_filling: dict(lam=1, k=4, b=(1, 2), mu=(1, 1), p=(0.5, 0.5)),
    scheduling.finite_queue: CLASSES | dict(lam=1, room=2, policy="first-fit"),
    mean_value.throughputs: dict(demands=DEMANDS, population=(3, 2)),
    simulate_multiserver: CLASSES | dict(lam=1, jobs=100, seed=1, warmup=0.1),
    simulate_saturated_hosts: CLASSES | dict(hosts=2, jobs=100, seed=1, placement="best fit", view=2, reserve=True),
    simulate_hosts: CLASSES | dict(lam=1, hosts=2, jobs=100, seed=1, warmup=0.1, view=2, reserve=False),
    replay_on_hosts: dict(submit=[0, 1], need=[1, 2], run=[1, 1], hosts=2, servers=4, seed=1),
    simulate_cluster: SMALL | dict(jobs=100, seed=1, warmup=0.1),
    simulate_depletion: dict(D=DEMANDS, N_A=7, N_B=3, K_A=2, K_B=2, seed=1, replications=3),
}
ODD = [
    None, "x", "1", b"1", True, [], {}, set(), {1, 2}, {"a": 1}, 1j, [1j], Decimal("NaN"), Decimal("1"), Fraction(1, 2),
    math.nan, math.inf, -1, 0, 1e-320, 1e-300, 1e300, 1e308, 2**63, 2**70, 10**400, -(10**400), 2.5, [1, [2]], [[1]],
    np.array([]), np.int8(3), np.uint8(255), np.float32(1), np.array(5), [None], ["a"], object(), range(3), iter([1]),
]  # fmt: skip


def refusal(function, arguments):
    """The error with which a function refuses its arguments, or None; any other error goes on."""
    try:
        with warnings.catch_warnings(action="ignore"):
            function(**arguments)
    except (ValueError, ArithmeticError) as error:
        return error


@pytest.mark.parametrize("function", GOOD, ids=lambda f: f.__name__)
def test_odd_arguments_are_answered_or_refused_in_words(function, monkeypatch):
    monkeypatch.setattr("mjq.models.scheduling.finite.MOST_STATES", 6200)  # with 255 servers there are 6147
    good = GOOD[function]
    assert refusal(function, good) is None
    for name in good:
        for odd in ODD:
            error = refusal(function, good | {name: odd})
            assert error is None or str(error), (name, odd)
            assert not isinstance(error, OverflowError), (name, odd, error)


# Arguments that errors call by another name.
CALLED = {"m": "hosts", "n": "places", "B": "servers|b", "b": "needs", "N_A": "N", "N_B": "N", "K_A": "K", "K_B": "K"}


@pytest.mark.parametrize("function", GOOD, ids=lambda f: f.__name__)
def test_what_is_no_number_or_below_zero_is_refused_by_its_name(function):
    good = GOOD[function]
    for name, value in good.items():
        bad = [math.nan, "x", -1]
        if isinstance(value, tuple):
            bad += [(math.nan, *value[1:]), (-1, *value[1:])]
        for one in bad:
            error = refusal(function, good | {name: one})
            assert re.search(rf"\b({name}|{CALLED.get(name, name)})\b", str(error)), (name, one, error)


@pytest.mark.parametrize(
    ("function", "change", "message"),
    [
        (pool_depletion.depletion, dict(N_A=10**9), r"N_A = 1000000000, .* would take 1e\+13 states, more than 3e\+11"),
        (pool_depletion.best_policy, dict(N_B=10**9), r"N_B = 1000000000, K = 3 would take .* more than 3e\+11"),
        (pool_depletion.depletion, dict(N_A=2**70), "N_A must be at most 9007199254740992"),
        (stability.throughput_equal_rates, dict(n=10**9), r"n = 1000000000 would take 6.67e\+17 steps"),
        (cluster.performance, dict(N=10**12), "1000000000000 servers, .* are more than 10000000"),
        (cluster.uniform_sizes, dict(T=10**9), "T must be at most 1000000"),
        (fluid.erlang, dict(k=10**6), "k must be at most 1000"),
        (simulate_multiserver, dict(jobs=10**12), r"jobs = 1000000000000, .* would take 1.1e\+12 events"),
        (simulate_multiserver, dict(lam=1e-320), "lam must lie between 1e-100 and 1e.100"),
        (simulate_cluster, dict(warmup=1e30), "warmup = 1e.30 would take"),
        (simulate_multiserver, dict(seed="x"), "seed must be whole numbers"),
        (simulate_multiserver, dict(seed=None), "seed must be whole numbers"),
    ],
)
def test_what_nobody_can_compute_is_refused_with_its_size(function, change, message):
    with pytest.raises(ValueError, match=message):
        function(**(GOOD[function] | change))
