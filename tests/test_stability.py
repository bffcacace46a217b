"""[GHS20]: the product form against the generic saturated chain, other formulas, limits, bad input."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq import processing_capacity as pc
from mjq import stability
from mjq.simulation import simulate_multiserver
from mjq.solvers import chain


@st.composite
def two_classes(draw, most=40):
    n = draw(st.integers(1, most))
    n2 = draw(st.integers(1, n))
    n1 = draw(st.integers(1, n2))
    rates = [10 ** draw(st.floats(-3, 3)) for _ in range(2)]
    return n, n1, n2, *rates, draw(st.floats(0.01, 0.99))


EXAMPLE = 30, 3, 10, 1.0, 0.5, 0.7


def test_states_of_the_example():
    assert stability.saturated_states(30, 3, 10).tolist() == [
        [1, 7, 0], [1, 8, 0], [1, 9, 0], [0, 10, 0], [1, 4, 1], [1, 5, 1], [0, 6, 1], [1, 1, 2], [1, 2, 2], [0, 3, 2],
        [0, 0, 3],
    ]  # fmt: skip


def test_verified_values():
    assert stability.throughput(*EXAMPLE) == pytest.approx(3.3313106090, abs=5e-11)
    assert stability.wasted_servers(*EXAMPLE) == pytest.approx(3.0163840671, abs=5e-11)
    assert stability.throughput_equal_rates(30, {3: 0.6, 10: 0.4}, 1) == pytest.approx(4.571526062925, abs=5e-13)


@given(two_classes())
def test_product_form_solves_the_embedded_chain(system):
    n, n1, n2, mu1, mu2, p1 = system
    states = stability.saturated_states(n, n1, n2)
    # Our states know whether the head is blocked; the generic chain's know the class of the head. In the product
    # form's chain a completion is followed by arrivals until the next job's class is undecided or it is a blocked 2.
    index = {tuple(s[1:]): k for k, s in enumerate(states)}
    P = np.zeros((2, len(states), len(states)))  # by the class that completes
    for k, (blk, i, j) in enumerate(states):
        for c, (left, rate) in enumerate((((i - 1, j), i * mu1), ((i, j - 1), j * mu2))):
            if rate:
                for target, chance in filled(left, blk, n, n1, n2, p1):
                    P[c, k, index[target]] += rate / (i * mu1 + j * mu2) * chance
    assert P.sum(axis=(0, 2)) == pytest.approx(1)
    pi = stability.embedded_distribution(*system)
    assert pi.sum() == pytest.approx(1)
    for c, share in enumerate((p1, 1 - p1)):  # Eq (4): the balance holds class by class
        assert pi @ P[c] == pytest.approx(share * pi, rel=1e-10, abs=1e-300)


def filled(jobs, blocked, n, n1, n2, p1):
    """Where arrivals lead from `jobs` in service, with a class-2 job at the head if `blocked`."""
    i, j = jobs
    free = n - i * n1 - j * n2
    if free < n1:
        yield (i, j), 1.0
    elif blocked:
        yield from [((i, j), 1.0)] if free < n2 else filled((i, j + 1), False, n, n1, n2, p1)
    elif free < n2:
        yield (i, j), 1 - p1  # a class-2 job comes and is blocked
        for target, chance in filled((i + 1, j), False, n, n1, n2, p1):
            yield target, p1 * chance
    else:
        for step, p in (((i + 1, j), p1), ((i, j + 1), 1 - p1)):
            for target, chance in filled(step, False, n, n1, n2, p1):
                yield target, p * chance


@given(two_classes(most=25))
def test_throughput_equals_the_generic_capacity(system):
    n, n1, n2, mu1, mu2, p1 = system
    ours = stability.throughput(*system)
    assert ours == pytest.approx(pc.processing_capacity(n, (n1, n2), (mu1, mu2), (p1, 1 - p1)), rel=1e-12)
    states = pc.saturated_states(n, (n1, n2))
    rule = lambda s: pc.saturated_transitions(s, n, (n1, n2), (mu1, mu2), (p1, 1 - p1))
    pi = chain.stationary(chain.generator(states, rule))
    assert ours == pytest.approx(sum(x * (s[0] * mu1 + s[1] * mu2) for s, x in zip(states, pi)), rel=1e-11)


@given(two_classes(most=1000))
def test_waste_is_the_gap_to_the_naive_limit(system):
    n = system[0]
    share = 1 - stability.wasted_servers(*system) / n
    assert stability.throughput(*system) == pytest.approx(stability.naive_throughput(*system) * share, rel=1e-9)


@given(two_classes(most=200))
def test_equal_rates_by_their_own_theorem(system):
    n, n1, n2, mu, _, p1 = system
    p = {n1: p1, n2: 1 - p1} if n1 < n2 else {n1: 1.0}
    ours = stability.throughput(n, n1, n2, mu, mu, p1)
    assert ours == pytest.approx(stability.throughput_equal_rates(n, p, mu), rel=1e-10)


def test_equal_rates_for_many_classes():
    p = {1: 0.4, 2: 0.3, 3: 0.2, 5: 0.1}
    generic = pc.processing_capacity(12, list(p), [2.0] * 4, list(p.values()))
    assert stability.throughput_equal_rates(12, p, 2.0) == pytest.approx(generic, rel=1e-12)


@pytest.mark.parametrize("n", [1, 2, 10, 1000, 1_000_000])
@pytest.mark.parametrize("ratio", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("p1", [1e-6, 0.5, 1 - 1e-7])
def test_one_or_all(n, ratio, p1):
    ours = stability.throughput(n, 1, n, 1.0, ratio, p1)
    assert ours == pytest.approx(stability.throughput_one_or_all(n, 1.0, ratio, p1), rel=1e-9)


@pytest.mark.parametrize(("n", "n1", "n2"), [(30, 3, 10), (7, 2, 7), (8, 3, 3), (5, 1, 2)])
def test_one_class_only(n, n1, n2):
    for p1, need, rate in ((1, n1, 2.0), (0, n2, 0.5)):
        system = n, n1, n2, 2.0, 0.5, p1
        assert stability.throughput(*system) == pytest.approx(n // need * rate)
        assert stability.wasted_servers(*system) == n % need
        pi = stability.embedded_distribution(*system)
        assert pi.max() == 1
        assert stability.saturated_states(n, n1, n2)[pi.argmax(), 1 + (need != n1 or p1 == 0)] == n // need


def test_equal_needs_are_one_class_in_size():
    assert stability.wasted_servers(8, 3, 3, 2.0, 0.5, 0.4) == pytest.approx(2)


def test_rates_far_apart():
    n, n1, n2, p1 = 30, 3, 10, 0.4
    assert stability.wasted_servers(n, n1, n2, 1.0, 1e-12, p1) == pytest.approx(n % n2, abs=1e-9)
    i = np.arange(math.ceil((n - n2 + 1) / n1), n // n1 + 1)
    weights = p1**i * np.where(i < i[-1], 1 - p1, 1) / i
    assert stability.wasted_servers(n, n1, n2, 1.0, 1e12, p1) == pytest.approx(weights @ (n - i * n1) / weights.sum())


@pytest.mark.parametrize("system", [EXAMPLE, (10, 1, 10, 2.0, 0.5, 0.9)])
def test_stability_ends_where_the_formula_says(system):
    n, n1, n2, mu1, mu2, p1 = system
    limit = stability.throughput(*system)
    words = n, (n1, n2), (mu1, mu2), (p1, 1 - p1)
    above = simulate_multiserver(2 * limit, *words, 100_000, 3, replications=20, workers=2)
    assert limit in above.throughput.widened(2.5)


@pytest.mark.parametrize(
    ("system", "message"),
    [
        ((30, 11, 10, 1, 1, 0.5), "n1 11 exceeds n2 10"),
        ((30, 3, 31, 1, 1, 0.5), "need n2 31 exceeds the 30 servers"),
        ((30, 2.5, 10, 1, 1, 0.5), "n1 must be a whole number"),
        ((30, 0, 10, 1, 1, 0.5), "n1 must be a whole number of at least 1"),
        ((30, 3, 10, 0, 1, 0.5), "mu1 must be positive"),
        ((30, 3, 10, 1, math.inf, 0.5), "mu2 must be finite"),
        ((30, 3, 10, 1, 1, 1.5), "p1 must lie between 0 and 1"),
        ((30, 3, 10, 1, 1, math.nan), "p1 must be finite"),
    ],
)
def test_bad_input_raises(system, message):
    for function in (
        stability.throughput,
        stability.naive_throughput,
        stability.wasted_servers,
        stability.embedded_distribution,
    ):
        with pytest.raises(ValueError, match=message):
            function(*system)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((30, {31: 1.0}, 1), "need 31 exceeds the 30 servers"),
        ((30, {3: 0.5}, 1), "p must sum to 1"),
        ((30, {}, 1), "p must map needs to probabilities"),
        ((30, {0: 1.0}, 1), "need must be a whole number"),
        ((30, {3: 1.0}, 0), "mu must be positive"),
    ],
)
def test_bad_equal_rate_input_raises(arguments, message):
    with pytest.raises(ValueError, match=message):
        stability.throughput_equal_rates(*arguments)
