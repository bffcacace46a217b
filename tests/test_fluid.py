"""[RBAC21]: drift, shares, stationary points, fits, response times, against exact values and laws."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq import fluid
from mjq.simulation import simulate_ps_network

ONE = fluid.exponential(1.0)


def open_queue(lam, law=None, k=1):
    law = fluid.exponential(1.0) if law is None else law
    return fluid.Network({"q": k}, {("q", 1): law}, {}, arrivals={("q", 1): lam})


def example_2(mu1, start="delay", q2=None, q3=None):
    """Closed: a delay station, four servers, eight servers."""
    pairs = {"delay": ("delay", 1), "Q2": ("Q2", 1), "Q3": ("Q3", 1)}
    service = {
        pairs["delay"]: fluid.exponential(1 / mu1),
        pairs["Q2"]: q2 or fluid.coxian(0.5, 0.5),
        pairs["Q3"]: q3 or fluid.coxian(1.0, 10.0),
    }
    ring = [pairs["delay"], pairs["Q2"], pairs["Q3"]]
    routing = {a: {b: 1.0} for a, b in zip(ring, ring[1:] + ring[:1])}
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
FOUR = [("Q1", "O"), ("Q1", "C"), ("Q2", "O"), ("Q2", "C")]


@given(st.floats(0.01, 0.99), st.floats(0.5, 20))
def test_open_queue_of_one_server_is_exact_with_p_1(load, scv):
    point = fluid.stationary_point(open_queue(load, fluid.coxian(1.0, scv)), p=1)
    assert point.mean_jobs["q", 1] == pytest.approx(load / (1 - load), rel=1e-7)
    assert point.throughput["q", 1] == pytest.approx(load, rel=1e-9)
    assert point.unique


def test_example_2_with_the_hard_minimum():
    point = fluid.stationary_point(example_2(0.2))
    assert point.throughput["Q2", 1] == pytest.approx(7.6923, abs=5e-5)
    assert jobs(point, *QUEUES) == pytest.approx([38.462, 3.846, 7.692], abs=5e-4)
    assert point.unique


def test_example_2_fitted_to_the_exact_means():
    means = dict(zip(QUEUES, (34.639307, 6.290481, 9.070213)))
    network = example_2(0.2)
    p = fluid.fit_smoothing(network, means, dict.fromkeys(QUEUES, 6.927861))
    assert list(p) == ["Q2", "Q3"]
    assert p["Q2"] == pytest.approx(2.19162, abs=2e-5)
    assert p["Q3"] == pytest.approx(3.46768, abs=2e-5)
    point = fluid.stationary_point(network, p)
    assert jobs(point, *QUEUES) == pytest.approx(list(means.values()), rel=1e-6)


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


def test_mixed_network():
    hard = jobs(fluid.stationary_point(mixed()), *FOUR)
    assert hard == pytest.approx([0.6, 1.05882, 1.2, 1.41176], abs=5e-6)
    smooth = jobs(fluid.stationary_point(mixed(), p=2), *FOUR)
    assert smooth == pytest.approx([0.92067, 1.40702, 1.50805, 1.53646], abs=5e-6)


@pytest.mark.parametrize("p", [None, 0.5, 2.0, {"Q1": 1.0, "Q2": 4.0}])
def test_closed_populations_are_kept(p):
    network = mixed()
    states = fluid.trajectory(network, np.linspace(0, 50, 200), p=p)
    (part,) = network.closed
    assert states @ part == pytest.approx(6, abs=1e-10)
    assert fluid.stationary_point(network, p).x @ part == pytest.approx(6, abs=1e-10)


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
    exponents = fluid._exponents(network, p)
    direction, h = rng.normal(size=len(x)), 1e-6
    difference = (fluid.drift(x + h * direction, network, p) - fluid.drift(x - h * direction, network, p)) / (2 * h)
    totals = network.member @ x
    if p is None and (abs(totals - network.capacity) < 1e-3).any():
        return  # the hard minimum has a kink there
    assert fluid._jacobian(x, network, exponents) @ direction == pytest.approx(difference, rel=1e-5, abs=1e-6)


@given(st.floats(0.01, 100), st.integers(1, 9))
def test_smoothed_share(x, k):
    hard = float(fluid.smoothed_share(x, k, math.inf))
    assert hard == pytest.approx(min(1, k / x))
    shares = [float(fluid.smoothed_share(x, k, p)) for p in (0.3, 1, 3, 30, 3000)]
    assert all(a <= b + 1e-15 for a, b in zip(shares, shares[1:]))  # monotone in p
    assert shares[-1] == pytest.approx(hard, rel=1e-3)
    assert all(s <= hard + 1e-15 for s in shares)
    assert fluid.smoothed_share(0.0, k, 2.0) == 1
    assert fluid.smoothed_share(x, math.inf, 2.0) == 1


def test_small_population_needs_its_own_exponent():
    # Five jobs, think time 1, one server of rate 1: machine repair, exact in a few lines.
    weights = [math.factorial(5) / math.factorial(5 - n) for n in range(6)]
    chances = np.array(weights) / sum(weights)
    mean, busy = chances @ np.arange(6), 1 - chances[0]
    service = {("z", 1): fluid.exponential(1.0), ("q", 1): fluid.exponential(1.0)}
    routing = {("z", 1): {("q", 1): 1.0}, ("q", 1): {("z", 1): 1.0}}
    network = fluid.Network({"z": math.inf, "q": 1}, service, routing, population={("z", 1): 5})
    p = fluid.fit_smoothing(network, {("q", 1): mean}, {("q", 1): busy})
    assert p["q"] == pytest.approx(3.305, abs=5e-4)


def test_response_times_of_one_queue_are_exponential_with_the_right_mean():
    t = np.linspace(0, 10, 30)
    found = fluid.response_time_cdf(t, open_queue(0.6), ("q", 1), p=1)
    assert found == pytest.approx(1 - np.exp(-0.4 * t), abs=1e-8)


def test_response_time_without_contention_is_the_service_time():
    network = open_queue(0.5, fluid.erlang(2, 1.0), math.inf)
    assert fluid.response_time_cdf(1.0, network, ("q", 1)) == pytest.approx(1 - 3 * math.exp(-2), rel=1e-10)


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


def test_exponents_may_change_with_time():
    network = mixed()
    t = np.linspace(0, 20, 50)
    assert fluid.trajectory(network, t, p=lambda s: 2.0) == pytest.approx(fluid.trajectory(network, t, p=2.0), abs=1e-6)


@pytest.mark.parametrize("scv", [0.5, 1.0, 10.0])
def test_simulated_queue_is_insensitive(scv):
    run = simulate_ps_network(open_queue(0.6, fluid.coxian(1.0, scv)), 20_000, seed=1, replications=20, workers=2)
    assert 1.5 in run.mean_jobs["q", 1].widened(2.5)
    assert 0.6 in run.throughput["q", 1].widened(2.5)
    assert 2.5 in run.mean_time["q", 1].widened(2.5)


def test_simulation_agrees_with_exact_closed_network():
    run = simulate_ps_network(example_2(0.2), 4_000, seed=2, replications=20, workers=2)
    for pair, mean in zip(QUEUES, (34.639307, 6.290481, 9.070213)):
        assert mean in run.mean_jobs[pair].widened(2.5)
        assert 6.927861 in run.throughput[pair].widened(2.5)
    assert sum(run.mean_jobs[pair].mean for pair in QUEUES) == pytest.approx(50)


def test_simulation_agrees_with_exact_mixed_network():
    run = simulate_ps_network(mixed(), 20_000, seed=3, replications=20, workers=2)
    for pair, mean in zip(FOUR, (1.14996959, 1.55848584, 1.37758308, 1.36650486)):
        assert mean in run.mean_jobs[pair].widened(2.5)


def test_simulation_repeats_itself():
    few = dict(time=200, seed=4, replications=4)
    assert simulate_ps_network(mixed(), **few) == simulate_ps_network(mixed(), **few, workers=2)


def test_simulation_wants_whole_jobs():
    network = fluid.Network({"q": 1}, {("q", 1): ONE}, {}, population={("q", 1): 1.5})
    with pytest.raises(ValueError, match=r"population of .* must be a whole number"):
        simulate_ps_network(network, 10, seed=1)


def test_an_overloaded_queue_does_not_settle():
    with pytest.raises(ArithmeticError, match="did not settle"):
        fluid.stationary_point(open_queue(1.5))


def test_a_subset_that_is_never_left_is_refused():
    network = example_2(0.2)
    with pytest.raises(ValueError, match="give entry"):
        fluid.response_time_cdf(1.0, network, QUEUES)
    with pytest.raises(ValueError, match="a job never leaves"):
        fluid.response_time_cdf(1.0, network, QUEUES, entry={("Q2", 1): 1.0})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fluid.Network({"q": 1}, {}, {}), "at least one pair"),
        (lambda: fluid.Network({"q": 1}, {"q": ONE}, {}), "keyed by pairs"),
        (lambda: fluid.Network({"q": 1}, {("r", 1): ONE}, {}), "queue 'r' of .* has no servers"),
        (lambda: fluid.Network({"q": 1}, {("q", 1): 2.0}, {}), "must be a PhaseType"),
        (lambda: fluid.Network({"q": 0}, {("q", 1): ONE}, {}), "servers of 'q' must be positive"),
        (lambda: fluid.Network({"q": 1}, {("q", 1): ONE}, {("q", 1): {("r", 1): 1}}), "routing names"),
        (lambda: fluid.Network({"q": 1}, {("q", 1): ONE}, {("q", 1): {("q", 1): 1.5}}), "must sum to at most 1"),
        (
            lambda: fluid.Network({"q": 1}, {("q", 1): ONE}, {}, arrivals={("q", 1): -1}),
            "arrivals must not be negative",
        ),
        (lambda: fluid.Network({"q": 1}, {("q", 1): ONE}, {}, population={("q", 2): 1}), "population names"),
        (lambda: fluid.drift([1.0, 2.0], open_queue(0.5)), "one entry a phase"),
        (lambda: fluid.drift([1.0], open_queue(0.5), p=0), "p must be positive"),
        (lambda: fluid.drift([1.0], open_queue(0.5), p={"r": 1}), "p must name the queues"),
        (lambda: fluid.trajectory(open_queue(0.5), [1, 0]), "increasing times"),
        (lambda: fluid.trajectory(open_queue(0.5), [1], x0=[-1.0]), "none of them negative"),
        (lambda: fluid.fit_smoothing(open_queue(0.5), {}, {}), "missing"),
        (lambda: fluid.fit_smoothing(open_queue(0.5), {("q", 1): 0.1}, {("q", 1): 0.5}), ": impossible"),
        (lambda: fluid.response_time_cdf(1.0, open_queue(0.5), ("r", 1)), "pairs names"),
        (lambda: fluid.response_time_cdf(1.0, open_queue(0.5), ("q", 1), {("q", 1): 0.5}), "entry must sum to 1"),
    ],
)
def test_bad_input_raises(make, message):
    with pytest.raises(ValueError, match=message):
        make()
