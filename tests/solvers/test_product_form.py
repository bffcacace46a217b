"""Exact means against formulas, against the chain built from the rule, and as laws."""

import math

import numpy as np
import pytest
from scipy import special

from mjq import fluid
from mjq.solvers import chain, product_form
from mjq.solvers.product_form import means
from tests.models.test_fluid import open_queue, random_network


@pytest.mark.parametrize("load", [0.01, 0.6, 0.999])
@pytest.mark.parametrize("k", [1, 2, 7])
def test_open_queue_is_erlangs(load, k):
    rho = load * k
    waiting = 1 / (1 + (1 - load) * math.factorial(k) / rho**k * sum(rho**j / math.factorial(j) for j in range(k)))
    expected = rho + waiting * load / (1 - load)
    assert means(open_queue(rho, k=k)).mean_jobs["q", 1] == pytest.approx(expected, rel=1e-9)


def exact_by_chain(network, room=math.inf):
    """The slow definition: explore the chain from the rule and solve it."""

    def rule(state):
        return fluid.transitions(state, network, room=room)

    start = [0] * len(network.start)
    for pair, jobs in network.population.items():
        start[network.index[pair].start] += int(jobs)
    states = chain.explore([tuple(start)], rule)
    pi = chain.stationary(chain.generator(states, rule))
    x = pi @ np.array(states)
    return {pair: x[network.index[pair]].sum() for pair in network.pairs}


@pytest.mark.parametrize("seed", range(6))
def test_closed_chains_agree_with_the_rule(seed):
    rng = np.random.default_rng(seed)
    servers = {"a": int(rng.integers(1, 4)), "b": int(rng.integers(1, 3)), "z": math.inf}
    service = {(q, c): fluid.two_moments(rng.uniform(0.2, 2), rng.uniform(0.5, 5)) for q in servers for c in (1, 2)}
    routing = {}
    for c in (1, 2):
        rows = rng.dirichlet(np.ones(3), 3)
        routing |= {
            (q, c): {(to, c): x for to, x in zip(servers, row, strict=True)}
            for q, row in zip(servers, rows, strict=False)
        }
    population = {("z", 1): int(rng.integers(1, 3)), ("a", 2): int(rng.integers(0, 3))}
    network = fluid.Network(servers, service, routing, population=population)
    exact, slow = means(network), exact_by_chain(network)
    assert exact.mean_jobs == pytest.approx(slow, rel=1e-9, abs=1e-12)
    assert sum(exact.mean_jobs.values()) == pytest.approx(sum(population.values()), rel=1e-12)


def test_mixed_network_agrees_with_the_rule():
    service = {
        ("q", "O"): fluid.coxian(0.5, 3.0),
        ("q", "C"): fluid.exponential(0.7),
        ("z", "C"): fluid.exponential(2.0),
    }
    routing = {("q", "C"): {("z", "C"): 1.0}, ("z", "C"): {("q", "C"): 1.0}}
    network = fluid.Network({"q": 2, "z": math.inf}, service, routing, {("q", "O"): 0.8}, {("z", "C"): 3})
    assert means(network).mean_jobs == pytest.approx(exact_by_chain(network, room=45), rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_flows_and_populations_of_random_networks(seed):
    network = random_network(seed)
    exact = means(network)
    flow, jobs = (np.array(list(x.values())) for x in (exact.throughput, exact.mean_jobs))
    assert flow == pytest.approx(network.arrivals + flow @ network.P, abs=1e-12)
    assert jobs[1::2].sum() == pytest.approx(6, rel=1e-12)
    # At a delay station Little's law is all there is.
    for k, (pair, law) in enumerate(network.service.items()):
        assert pair[0] != 3 or jobs[k] == pytest.approx(flow[k] * law.mean)


def test_thousands_of_servers_and_hundreds_of_jobs_are_within_range():
    ring = {("z", 1): {("q", 1): 1.0}, ("q", 1): {("z", 1): 1.0}}
    service = {("z", 1): fluid.exponential(1.0), ("q", 1): fluid.exponential(1.0)}
    network = fluid.Network({"z": math.inf, "q": 300}, service, ring, population={("z", 1): 600})
    n = np.arange(601)
    logs = -special.gammaln(601 - n) - np.append(0, np.cumsum(np.log(np.minimum(n[1:], 300))))
    chances = np.exp(logs - logs.max()) / np.exp(logs - logs.max()).sum()
    assert means(network).mean_jobs["q", 1] == pytest.approx(chances @ n, rel=1e-10)
    assert means(network).throughput["q", 1] == pytest.approx(chances @ np.minimum(n, 300), rel=1e-10)


@pytest.mark.parametrize("seed", range(6))
def test_beyond_its_servers_the_recursion_of_a_queue_is_the_convolution(seed, monkeypatch):
    rng = np.random.default_rng([seed, 61])
    servers = {"a": int(rng.integers(2, 9)), "b": 1, "c": int(rng.integers(1, 5)), "z": math.inf}
    names = list(servers)
    rows = rng.dirichlet(np.ones(4), 4)
    routing = {
        (q, 1): {(to, 1): x for to, x in zip(names, row, strict=True)} for q, row in zip(names, rows, strict=True)
    }
    service = {pair: fluid.exponential(rng.uniform(0.2, 3)) for pair in [*routing, ("a", 2)]}
    arrivals = {("a", 2): seed % 2 * rng.uniform(0, 0.9) * servers["a"] / service["a", 2].mean}
    network = fluid.Network(servers, service, routing, arrivals, {("z", 1): int(rng.integers(10, 300))})
    fast = means(network)
    monkeypatch.setattr(product_form._Station, "is_geometric", lambda _: False)
    slow = means(network)
    assert fast.mean_jobs == pytest.approx(slow.mean_jobs, rel=1e-9, abs=1e-12)
    assert fast.throughput == pytest.approx(slow.throughput, rel=1e-9)


def test_twenty_thousand_jobs_keep_all_digits():
    """All servers are busy, so that Little's law tells the jobs that think."""
    ring = {("z", 1): {("q", 1): 1.0}, ("q", 1): {("z", 1): 1.0}}
    service = {("z", 1): fluid.exponential(0.05), ("q", 1): fluid.exponential(1.0)}
    found = means(fluid.Network({"z": math.inf, "q": 20}, service, ring, population={("z", 1): 20_000}))
    assert list(found.throughput.values()) == pytest.approx([20.0, 20.0], rel=1e-12)
    assert list(found.mean_jobs.values()) == pytest.approx([1.0, 19_999.0], rel=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_mean_values_and_convolution_agree(seed, monkeypatch):
    """Queues of one server: one, two or three closed chains, with and without open jobs."""
    rng = np.random.default_rng([seed, 50])
    servers, classes = {"a": 1, "b": 1, "c": 1, "z": math.inf}, "OKLM"[: 2 + seed % 3]
    service = {(q, r): fluid.two_moments(rng.uniform(0.1, 2), rng.uniform(0.5, 4)) for q in servers for r in classes}
    routing = {
        (q, r): dict(
            zip([(to, r) for to in servers], rng.dirichlet(np.ones(4)) * (0.7 if r == "O" else 1), strict=True)
        )
        for q in servers
        for r in classes
    }
    arrivals = {("a", "O"): 0.15 * (seed % 2)}
    network = fluid.Network(
        servers, service, routing, arrivals, {("z", r): int(rng.integers(1, 6)) for r in classes[1:]}
    )
    assert product_form._by_mean_values is not product_form._by_convolution
    recursion = means(network)
    monkeypatch.setattr(product_form, "_by_mean_values", product_form._by_convolution)
    convolved = means(network)
    assert recursion.mean_jobs == pytest.approx(convolved.mean_jobs, rel=1e-10, abs=1e-13)
    assert recursion.throughput == pytest.approx(convolved.throughput, rel=1e-10, abs=1e-13)


def test_single_servers_take_jobs_by_the_hundred_of_several_chains():
    """By convolution this network would take minutes; where both chains are alike, one chain knows the answer."""
    found = means(two_chains(queues=4, jobs=150))  # each queue is busy with probability 300 / (300 + 3)
    assert list(found.mean_jobs.values()) == pytest.approx([150 / 4] * 8)
    assert list(found.throughput.values()) == pytest.approx([300 / 303 / 2] * 8)


def two_chains(queues, jobs, first=1):
    """Jobs of two classes that go round the same queues, the first of which may have more servers."""
    pairs = [(k, c) for c in "ab" for k in range(queues)]
    routing = {(k, c): {((k + 1) % queues, c): 1.0} for k, c in pairs}
    there = {(0, "a"): jobs, (0, "b"): jobs}
    return fluid.Network(
        dict.fromkeys(range(queues), 1) | {0: first},
        dict.fromkeys(pairs, fluid.exponential(1)),
        routing,
        population=there,
    )
