"""[RBAC21]: drift, shares, stationary points, fits, response times, against exact values and laws."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq import fluid
from mjq.models.fluid import share
from mjq.simulation import simulate_ps_network
from mjq.solvers import chain
from mjq.solvers.product_form import means
from mjq_book.experiments.large_network import large_network

ONE = fluid.exponential(1.0)


def open_queue(lam, law=None, k=1):
    law = fluid.exponential(1.0) if law is None else law
    return fluid.Network({"q": k}, {("q", 1): law}, {}, arrivals={("q", 1): lam})


def example_2(mu1, start="delay", q2=None, q3=None):
    pairs = {"delay": ("delay", 1), "Q2": ("Q2", 1), "Q3": ("Q3", 1)}
    service = {
        pairs["delay"]: fluid.exponential(1 / mu1),
        pairs["Q2"]: q2 or fluid.coxian(0.5, 0.5),
        pairs["Q3"]: q3 or fluid.coxian(1.0, 10.0),
    }
    ring = [pairs["delay"], pairs["Q2"], pairs["Q3"]]
    routing = {a: {b: 1.0} for a, b in zip(ring, ring[1:] + ring[:1], strict=True)}
    return fluid.Network({"delay": math.inf, "Q2": 4, "Q3": 8}, service, routing, population={pairs[start]: 50})


def mixed():
    """An open class through two queues, and six closed jobs that think."""
    service = {
        ("Q1", "O"): fluid.exponential(0.5),
        ("Q2", "O"): fluid.erlang(2, 1.0),
        ("Z", "C"): fluid.exponential(2.0),
        ("Q1", "C"): fluid.exponential(0.6),
        ("Q2", "C"): fluid.exponential(0.8),
    }
    routing = {
        ("Q1", "O"): {("Q2", "O"): 1.0},
        ("Z", "C"): {("Q1", "C"): 1.0},
        ("Q1", "C"): {("Q2", "C"): 1.0},
        ("Q2", "C"): {("Z", "C"): 1.0},
    }
    return fluid.Network(
        {"Q1": 2, "Q2": 4, "Z": math.inf}, service, routing, arrivals={("Q1", "O"): 1.2}, population={("Z", "C"): 6}
    )


def jobs(point, *pairs):
    return [point.mean_jobs[pair] for pair in pairs]


QUEUES = [("delay", 1), ("Q2", 1), ("Q3", 1)]


@given(st.floats(0.01, 0.99), st.floats(0.5, 20))
def test_open_queue_of_one_server_is_exact_with_p_1(load, scv):
    point = fluid.stationary_point(open_queue(load, fluid.coxian(1.0, scv)), p=1)
    assert point.mean_jobs["q", 1] == pytest.approx(load / (1 - load), rel=1e-7)
    assert point.throughput["q", 1] == pytest.approx(load, rel=1e-9)
    assert point.unique


def test_hard_minimum_has_a_line_of_stationary_points():
    service = fluid.exponential(0.5), fluid.exponential(1.0)
    from_delay, from_q3 = (fluid.stationary_point(example_2(0.5, start, *service)) for start in ("delay", "Q3"))
    assert jobs(from_delay, *QUEUES) == pytest.approx([16, 26, 8], abs=1e-4)
    assert jobs(from_q3, *QUEUES) == pytest.approx([16, 4, 30], abs=1e-4)
    assert not from_delay.unique
    assert not from_q3.unique
    assert fluid.stationary_point(example_2(0.5), p=3.0).unique


def test_where_on_the_line_depends_on_the_phases_at_the_start():
    # All jobs begin in a first, short phase: they leave Q3 faster than the eight servers do in the long run.
    point = fluid.stationary_point(example_2(0.5, "Q3"))
    assert jobs(point, *QUEUES) == pytest.approx([16, 26, 8], abs=1e-4)


@pytest.mark.parametrize("p", [None, 2.0])
def test_the_stationary_point_is_still_and_reached(p):
    network = mixed()
    point = fluid.stationary_point(network, p)
    assert fluid.drift(point.x, network, p) == pytest.approx(0, abs=1e-10)
    assert fluid.trajectory(network, [200.0], p=p)[0] == pytest.approx(point.x, abs=1e-6)


@given(st.integers(0, 10**6), st.sampled_from([None, 0.7, 1.0, 3.0]))
def test_jacobian_is_the_derivative_of_the_drift(seed, p):
    network = mixed()
    rng = np.random.default_rng(seed)
    x = rng.uniform(0.1, 5, len(network.start))
    exponents = share.exponents_by_queue(network, p)
    direction, h = rng.normal(size=len(x)), 1e-6
    difference = (fluid.drift(x + h * direction, network, p) - fluid.drift(x - h * direction, network, p)) / (2 * h)
    totals = network.member @ x
    if p is None and (abs(totals - network.capacity) < 1e-3).any():
        return  # the hard minimum has a kink there
    assert share.jacobian(x, network, exponents) @ direction == pytest.approx(difference, rel=1e-5, abs=1e-6)


@given(st.floats(0.01, 100), st.integers(1, 9))
def test_smoothed_share(x, k):
    hard = float(fluid.smoothed_share(x, k, math.inf))
    assert hard == pytest.approx(min(1, k / x))
    shares = [float(fluid.smoothed_share(x, k, p)) for p in (0.3, 1, 3, 30, 3000)]
    assert all(a <= b + 1e-15 for a, b in pairwise(shares))  # monotone in p
    assert shares[-1] == pytest.approx(hard, rel=1e-3)
    assert all(s <= hard + 1e-15 for s in shares)
    assert fluid.smoothed_share(0.0, k, 2.0) == 1
    assert fluid.smoothed_share(x, math.inf, 2.0) == 1


@pytest.mark.parametrize("p", [0.005, 0.3, 20.0])
def test_the_fitted_exponent_is_the_one_that_gave_the_share(p):
    busy = 3.0 * fluid.smoothed_share(3.0, 2, p)
    found = fluid.fit_smoothing(fluid.Network({"q": 2}, {("q", 1): ONE}, {}), {("q", 1): 3.0}, {("q", 1): busy})
    assert found["q"] == pytest.approx(p)


def test_response_times_of_one_queue_are_exponential_with_the_right_mean():
    t = np.linspace(0, 10, 30)
    found = fluid.response_time_cdf(t, open_queue(0.6), ("q", 1), p=1)
    assert found == pytest.approx(1 - np.exp(-0.4 * t), abs=1e-8)


def test_response_time_without_contention_is_the_service_time():
    network = open_queue(0.5, fluid.erlang(2, 1.0), math.inf)
    assert fluid.response_time_cdf(1.0, network, ("q", 1)) == pytest.approx(1 - 3 * math.exp(-2), rel=1e-10)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("p", [None, 0.5, 3.0])
def test_the_drift_of_random_networks_is_the_mean_change_of_the_chain(seed, p):
    """Of the chain with the hard minimum, and of that with a smoothed share."""
    network = random_network(seed)
    share = {} if p is None else {"share": lambda x, k: float(fluid.smoothed_share(x, k, p))}
    state = tuple(np.random.default_rng(seed).integers(0, 4, len(network.start)).tolist())
    change = sum(rate * (np.array(to) - state) for to, rate in fluid.transitions(state, network, **share))
    assert change == pytest.approx(fluid.drift([float(n) for n in state], network, p), abs=1e-11)


def test_the_chain_of_a_full_network_refuses():
    queue = open_queue(0.5)
    assert chain.explore([(0,)], lambda s: fluid.transitions(s, queue, room=3)) == [(0,), (1,), (2,), (3,)]


@pytest.mark.parametrize("p", [None, 2.0])
def test_response_times_obey_littles_law(p):
    network = mixed()
    point = fluid.stationary_point(network, p)
    closed = [("Q1", "C"), ("Q2", "C")]
    t = np.linspace(0, 60, 4001)
    cdf = fluid.response_time_cdf(t, network, closed, p=p)
    assert cdf[0] == 0
    assert (np.diff(cdf) >= -1e-12).all()
    mean = np.trapezoid(1 - cdf, t)
    assert mean == pytest.approx(sum(jobs(point, *closed)) / point.throughput["Z", "C"], rel=1e-4)
    assert cdf == pytest.approx(fluid.response_time_cdf(t, network, closed, {("Q1", "C"): 1.0}, p))


def test_a_trajectory_may_end_where_it_begins():
    queue = fluid.Network({"q": 1}, {("q", 1): fluid.exponential(1.0)}, {}, {("q", 1): 0.6})
    assert fluid.trajectory(queue, [0.0], x0=[2.0], p=2.0).tolist() == [[2.0]]
    assert fluid.trajectory(queue, [0.0, 0.0], x0=[2.0]).tolist() == [[2.0], [2.0]]


def test_exponents_may_change_with_time():
    network = mixed()
    t = np.linspace(0, 5, 26)
    before = fluid.trajectory(network, t, p=1.0)
    after = fluid.trajectory(network, t, before[-1], p=4.0)
    stepped = fluid.trajectory(network, np.append(t, 5 + t[1:]), p=lambda s: 1.0 if s < 5 else 4.0)
    assert stepped == pytest.approx(np.vstack([before, after[1:]]), abs=1e-5)
    assert np.abs(after - fluid.trajectory(network, t, before[-1], p=1.0)).max() > 0.01  # the step matters


@pytest.mark.parametrize(
    ("network", "time", "seed"),
    [
        *((open_queue(0.6, fluid.coxian(1.0, scv)), 20_000, 1) for scv in (0.5, 1.0, 10.0)),
        (example_2(0.2), 4_000, 2),
        (mixed(), 20_000, 3),
    ],
)
def test_simulation_agrees_with_the_product_form(network, time, seed):
    run, exact = simulate_ps_network(network, time, seed, replications=20), means(network)
    for pair in network.pairs:
        assert exact.mean_jobs[pair] in run.mean_jobs[pair].widened(2.5)
        assert exact.throughput[pair] in run.throughput[pair].widened(2.5)


def test_an_overloaded_queue_may_be_followed_in_time():
    assert fluid.trajectory(open_queue(1.5), [40.0])[0, 0] == pytest.approx(20, abs=1)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("p", [None, 1.0, 4.0])
def test_response_times_of_random_networks_are_distributions(seed, p):
    network = random_network(seed)
    rng = np.random.default_rng(seed)
    pairs = [network.pairs[k] for k in rng.choice(len(network.pairs), 3, replace=False)]
    law = fluid.response_time(network, pairs, {pairs[0]: 1.0}, p)
    t = np.linspace(0, 20 * law.mean, 50)
    values = law.cdf(t)
    assert values[0] == 0
    assert (np.diff(values) >= 0).all()
    assert law.tail(200 * law.mean) < 1e-3
    # Theorem 3: the phases' rates are those of a chain that is left for good.
    assert (law.T - np.diag(np.diag(law.T)) >= 0).all()
    assert (law.exit >= 0).all()


def random_network(seed, stations=4):
    """An open and a closed class, random routes, one station in four a delay station."""
    rng = np.random.default_rng(seed)
    servers = {q: math.inf if q % 4 == 3 else int(rng.integers(1, 5)) for q in range(stations)}
    times = [fluid.two_moments(rng.uniform(0.1, 1), rng.uniform(0.2, 8)) for _ in range(2 * stations)]
    service = {(q, r): times[2 * q + k] for q in range(stations) for k, r in enumerate("OC")}
    routes = {r: rng.dirichlet(np.ones(stations), stations) * {"O": 0.8, "C": 1}[r] for r in "OC"}
    routing = {(q, r): {(to, r): routes[r][q, to] for to in range(stations)} for q in range(stations) for r in "OC"}
    return fluid.Network(servers, service, routing, {(0, "O"): 0.1}, {(3, "C"): 6})


@pytest.mark.parametrize("seed", range(5))
def test_fluid_mean_flows_satisfy_the_traffic_equations(seed):
    network = random_network(seed)
    point = fluid.stationary_point(network, 2.0)
    flow = np.array(list(point.throughput.values()))
    assert flow == pytest.approx(network.arrivals + flow @ network.P, abs=1e-9)
    is_open = [pair[1] == "O" for pair in network.pairs]
    assert flow[is_open] == pytest.approx(network.open_flow[is_open], abs=1e-9)


def test_a_large_network():
    network = large_network()
    assert len(network.start) == 600
    point = fluid.stationary_point(network, 2.0)
    assert point.unique
    assert fluid.drift(point.x, network, 2.0) == pytest.approx(0, abs=1e-9)
    (states,) = fluid.trajectory(network, [100.0], p=2.0)
    for part in network.closed:
        assert states @ part == pytest.approx(60, abs=1e-10)
        assert point.x @ part == pytest.approx(60, abs=1e-10)


def test_simulated_response_times_obey_littles_law():
    subsets = {"closed": [("Q1", "C"), ("Q2", "C")], "open": [("Q1", "O"), ("Q2", "O")], "Q2": ("Q2", "O")}
    run = simulate_ps_network(mixed(), 20_000, seed=5, subsets=subsets, replications=10)
    for name, pairs in subsets.items():
        pairs = pairs if isinstance(pairs, list) else [pairs]
        mean = sum(run.mean_jobs[pair].mean for pair in pairs) / run.throughput[pairs[0]].mean
        assert run.response[name].mean.mean == pytest.approx(mean, rel=2e-3)
        assert run.response[name].sample.mean() == pytest.approx(mean, rel=2e-3)
    assert run.response["Q2"].mean.mean == pytest.approx(run.mean_time["Q2", "O"].mean, rel=1e-12)


def test_simulated_stays_know_when_they_ended():
    # Nobody waits: stays are service times, and those that ended in an interval are Poisson in number.
    network = open_queue(2.0, fluid.erlang(2, 1.0), math.inf)
    run = simulate_ps_network(network, 1000, seed=10, subsets={"q": ("q", 1)}, replications=3, warmup=0.5)
    stays = run.response["q"]
    assert len(stays.left) == len(stays.sample)
    assert 500 < stays.left.min() < stays.left.max() < 1500
    starts = np.flatnonzero(np.diff(stays.left) < 0)
    assert len(starts) == 2  # replication after replication, each in the order of leaving
    late = stays.left > 1000
    assert abs(late.sum() - 3000) < 5 * math.sqrt(3000)
    assert stays.sample[late].mean() == pytest.approx(1.0, abs=0.1)


def test_simulated_paths_keep_the_closed_population():
    run = simulate_ps_network(mixed(), 50, seed=7, at=np.linspace(0, 50, 20), warmup=0, replications=6)
    assert run.paths.shape == (6, 20, 5)
    assert (run.paths[:, :, 2:].sum(axis=2) == 6).all()
    assert (run.paths[:, 0] == [0, 0, 6, 0, 0]).all()


def test_simulated_mean_of_a_delay_station_that_fills():
    # Poisson arrivals to infinitely many servers: the mean is lam m (1 - exp(-t / m)) at any time.
    at = np.array([0.5, 1.0, 2.0, 4.0])
    network = open_queue(30.0, fluid.exponential(2.0), math.inf)
    run = simulate_ps_network(network, 4, seed=8, at=at, warmup=0, replications=2000)
    seen = run.paths[:, :, 0]
    error = seen.std(axis=0) / math.sqrt(2000)
    assert (abs(seen.mean(axis=0) - 60 * (1 - np.exp(-at / 2))) < 5 * error).all()


def test_schedules_change_rates_and_servers():
    slow, fast = open_queue(0.5), open_queue(1.5, k=3)
    still = open_queue(0.0, k=3)
    run = simulate_ps_network(
        slow, 300, seed=9, at=[100, 200, 300], schedule=[(100, fast), (200, still)], warmup=0, replications=200
    )
    assert (run.paths[:, 2] == 0).all()  # a hundred units of time without arrivals empty the queue
    counted = run.throughput["q", 1]
    assert (0.5 * 100 + 1.5 * 100) / 300 in counted.widened(2.5)


def test_very_stiff_networks_are_solved_or_refused():
    ring = {("z", 1): {("q", 1): 1.0}, ("q", 1): {("z", 1): 1.0}}
    service = {("z", 1): fluid.exponential(1e-4), ("q", 1): fluid.coxian(1.0, 1e5)}
    network = fluid.Network({"z": math.inf, "q": 1}, service, ring, population={("z", 1): 20})
    assert fluid.stationary_point(network).throughput["q", 1] == pytest.approx(1, rel=1e-6)


def test_a_queue_where_nobody_comes_needs_no_smoothing():
    idle = fluid.Network({"q": 1, "r": 1}, {("q", 1): ONE, ("r", 1): ONE}, {}, {("q", 1): 0.5})
    p = fluid.fit_smoothing(idle, {("q", 1): 1.0, ("r", 1): 0.0}, {("q", 1): 0.5, ("r", 1): 0.0})
    assert p["q"] == pytest.approx(1)
    assert p["r"] == math.inf
    run = simulate_ps_network(idle, 100, seed=1)
    assert math.isnan(run.mean_time["r", 1].mean)
