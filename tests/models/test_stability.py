"""[GHS20]: the product form against the generic saturated chain, other formulas, limits."""

import math
from itertools import pairwise

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


def rows_of(n, n1, n2):
    return [tuple(map(int, s)) for s in stability.saturated_states(n, n1, n2)]


def rates_by_class(system):
    """Rates between saturated states by the class that completes, and the total rate out of each."""
    n, n1, n2, mu1, mu2, _ = system
    states = rows_of(n, n1, n2)
    index = {s: k for k, s in enumerate(states)}
    flows = np.zeros((2, len(states), len(states)))
    for s in states:
        for c in (1, 2):
            for successor, rate in stability.saturated_transitions(s, *system, completing=(c,)):
                flows[c - 1, index[s], index[successor]] += rate
    return flows, np.array([i * mu1 + j * mu2 for _, i, j in states])


@given(two_classes())
def test_product_form_solves_the_embedded_chain(system):
    flows, total = rates_by_class(system)
    assert flows.sum(axis=(0, 2)) == pytest.approx(total)
    pi, p1 = stability.embedded_distribution(*system), system[-1]
    assert pi.sum() == pytest.approx(1)
    for c, share in enumerate((p1, 1 - p1)):  # Eq (4): the balance holds class by class
        assert (pi / total) @ flows[c] == pytest.approx(share * pi, rel=1e-10, abs=1e-300)


@given(two_classes())
def test_time_shares_solve_the_chain_in_time(system):
    flows, total = rates_by_class(system)
    shares = stability.stationary_distribution(*system)
    assert shares.sum() == pytest.approx(1)
    assert shares @ flows.sum(axis=0) == pytest.approx(shares * total, rel=1e-10, abs=1e-300)
    assert shares @ total == pytest.approx(stability.throughput(*system), rel=1e-10)
    assert shares == pytest.approx(chain.stationary(flows.sum(axis=0)), rel=1e-9, abs=1e-300)


@given(two_classes())
def test_listed_transitions_are_those_of_the_rule(system):
    for s in rows_of(*system[:3]):
        ours, listed = ({}, {})
        for successor, rate in stability.saturated_transitions(s, *system):
            ours[successor] = ours.get(successor, 0) + rate
        for _, successor, rate in stability.listed_transitions(s, *system):
            listed[successor] = listed.get(successor, 0) + rate
        assert ours.keys() == listed.keys()
        assert all(listed[t] == pytest.approx(ours[t], rel=1e-12) for t in ours)


@given(two_classes(most=200))
def test_each_number_of_jobs_has_one_state(system):
    n, n1, n2, *_ = system
    states = rows_of(n, n1, n2)
    assert sorted(i for _, i, _ in states) == list(range(n // n1 + 1))
    assert sorted(j for blk, _, j in states if not blk) == list(range(n // n2 + 1))
    for s in states:
        assert stability.u(s[1], n, n1, n2) == s
        assert s[0] or stability.v(s[2], n, n1, n2) == s
    even = (*system[:5], 0.5)  # whatever the mix: a chance of 0.01 to the power of 200 is no number
    reached = chain.explore([stability.u(0, n, n1, n2)], lambda s: stability.saturated_transitions(s, *even))
    assert set(reached) == set(states)


@given(two_classes(most=1000), st.floats(1e-3, 1e3))
def test_only_the_ratio_of_the_rates_matters(system, k):
    n, n1, n2, mu1, mu2, p1 = system
    faster = n, n1, n2, k * mu1, k * mu2, p1
    assert stability.wasted_servers(*faster) == pytest.approx(stability.wasted_servers(*system), rel=1e-9, abs=1e-9)
    assert stability.throughput(*faster) == pytest.approx(k * stability.throughput(*system), rel=1e-9)


@given(two_classes(most=1000))
def test_waste_stays_below_the_larger_need(system):
    assert -1e-9 <= stability.wasted_servers(*system) <= system[2] - 1 + 1e-9


@given(two_classes(most=25))
def test_throughput_equals_the_generic_capacity(system):
    n, n1, n2, mu1, mu2, p1 = system
    ours = stability.throughput(*system)
    assert ours == pytest.approx(pc.processing_capacity(n, (n1, n2), (mu1, mu2), (p1, 1 - p1)), rel=1e-12)


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


@pytest.mark.parametrize("n", [1, 2, 10, 1000, 1_000_000])
@pytest.mark.parametrize("ratio", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("p1", [1e-6, 0.5, 1 - 1e-7])
def test_one_or_all(n, ratio, p1):
    ours = stability.throughput(n, 1, n, 1.0, ratio, p1)
    assert ours == pytest.approx(stability.throughput_one_or_all(n, 1.0, ratio, p1), rel=1e-9)


@pytest.mark.parametrize("rates", [(1e-100, 1e-50), (1e100, 1e50), (1e-90, 1e-70)])
def test_units_of_time_do_not_matter(rates):
    unit = max(rates)
    scaled = stability.throughput(30, 3, 10, *(r / unit for r in rates), 0.5)
    assert stability.throughput(30, 3, 10, *rates, 0.5) == pytest.approx(scaled * unit, rel=1e-12)


@pytest.mark.parametrize(("n", "n1", "n2"), [(30, 3, 10), (7, 2, 7), (8, 3, 3), (5, 1, 2)])
def test_one_class_only(n, n1, n2):
    for p1, need, rate in ((1, n1, 2.0), (0, n2, 0.5)):
        system = n, n1, n2, 2.0, 0.5, p1
        assert stability.throughput(*system) == pytest.approx(n // need * rate)
        assert stability.wasted_servers(*system) == n % need
        pi = stability.embedded_distribution(*system)
        assert pi.max() == 1
        assert stability.saturated_states(n, n1, n2)[pi.argmax(), 1 if p1 else 2] == n // need


@given(two_classes(most=300))
def test_rates_far_apart(system):
    n, n1, n2, _, _, p1 = system
    slow, fast = stability.limiting_waste(n, n1, n2, p1)
    assert slow == n % n2
    assert stability.wasted_servers(n, n1, n2, 1.0, 1e-14, p1) == pytest.approx(slow, abs=1e-6)
    assert stability.wasted_servers(n, n1, n2, 1.0, 1e14, p1) == pytest.approx(fast, abs=1e-6)


@pytest.mark.parametrize("system", [EXAMPLE, (10, 1, 10, 2.0, 0.5, 0.9)])
def test_stability_ends_where_the_formula_says(system):
    n, n1, n2, mu1, mu2, p1 = system
    limit = stability.throughput(*system)
    words = n, (n1, n2), (mu1, mu2), (p1, 1 - p1)
    above = simulate_multiserver(2 * limit, *words, 100_000, 3, replications=20)
    assert limit in above.throughput.widened(2.5)
    below = simulate_multiserver(0.9 * limit, *words, 100_000, 3, replications=20)
    assert pc.sojourn(0.9 * limit, *words).mean_jobs in below.mean_jobs.widened(2.5)


@pytest.mark.parametrize(
    ("curve", "peaks", "dips", "depth"),
    [
        ([1, 2, 3], [], [], 0),
        ([1, 3, 2], [1], [], 0),  # rises and falls: not monotone, and no dip
        ([3, 1, 2], [], [1], 1),
        ([1, 4, 2, 3, 0, 5], [1, 3], [2, 4], 4),
        ([1, 3, 3, 3, 2], [1], [], 0),
        ([2, 2 + 1e-12, 2, 2 - 1e-12, 2], [], [], 1e-12),  # rounding is neither
        ([5], [], [], 0),
    ],
)
def test_peaks_and_dips(curve, peaks, dips, depth):
    found = stability.peaks_and_dips(curve)
    assert [x.tolist() for x in found] == [peaks, dips]
    assert stability.deepest_dip(curve) == pytest.approx(depth, rel=1e-3)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30))
def test_peaks_and_dips_take_turns_and_a_dip_is_deep_where_there_is_one(curve):
    peaks, dips = stability.peaks_and_dips(curve)
    turns = sorted([*peaks.tolist(), *dips.tolist()])
    assert turns == sorted(set(turns))
    assert abs(len(peaks) - len(dips)) <= 1
    assert all((a in peaks) != (b in peaks) for a, b in pairwise(turns))
    assert (stability.deepest_dip(curve) > 0) == (len(dips) > 0)
    mirrored = stability.peaks_and_dips([-x for x in curve])
    assert (mirrored[0].tolist(), mirrored[1].tolist()) == (dips.tolist(), peaks.tolist())


@pytest.mark.parametrize("rates", [(1, 2, 4), (0.01, 1, 30)])
@pytest.mark.parametrize(("servers", "need"), [(10, 3), (2, 1), (700, 70)])
def test_three_classes_of_equal_needs_have_a_product_form_at_any_rates(servers, need, rates):
    """*What is known* names them beside the classes that have none."""
    needs, mix, served = (need,) * 3, (0.2, 0.3, 0.5), servers // need
    states = pc.saturated_states(servers, needs)
    pi = chain.stationary(
        chain.generator(states, lambda s: pc.saturated_transitions(s, servers, needs, rates, mix)),
    )
    assert all(sum(jobs) == served for *jobs, _ in states)
    jobs, heads = np.array(states)[:, :-1], np.array(states)[:, -1]
    ways = np.prod([[math.factorial(m) for m in row] for row in jobs], axis=1)
    product = np.take(mix, heads - 1) * np.prod(np.divide(mix, rates) ** jobs, axis=1) / ways
    assert pi == pytest.approx(product / product.sum(), rel=1e-9)
