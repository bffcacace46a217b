"""Several resources at once: held to a chain that is written from the words, to limits and to each other."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq import System, stability
from mjq import near_saturation as ns
from mjq import processing_capacity as pc
from mjq import several_resources as sr
from mjq.solvers import chain
from tests.conftest import RATES, small_system
from tests.reference.saturated import saturated_chain


@st.composite
def vectors(draw, classes=(2, 3), resources=(1, 2, 3), equal=False, order=False):
    """Draw B, b, mu and p of a system with few packings, and the probability that a job is like the one before."""
    return *small_system(draw, resources, classes, 4, 6, equal), draw(st.floats(0, 0.9)) if order else None


@given(vectors(classes=(2, 3, 4), order=True))
def test_the_drain_equals_the_plain_chain(system):
    *letters, r = system
    states, time, throughput = saturated_chain(1, *letters, order=r)
    B, b, *_ = letters
    cluster = System(*letters, order=r)
    assert cluster.capacity == pytest.approx(throughput, rel=1e-10)
    used = [[sum(n * need[k] for n, need in zip(m, b, strict=True)) for k in range(len(B))] for (m,), _ in states]
    assert cluster.utilization_at_capacity == pytest.approx(time @ used / np.array(B), rel=1e-10)
    lacking: dict = {}
    for (_, head), held, share in zip(states, used, time, strict=True):
        names = tuple(f"resource {k + 1}" for k in range(len(B)) if held[k] + b[head][k] > B[k])
        lacking[names] = lacking.get(names, 0) + share
    short = cluster.short_of_at_capacity
    assert sum(short.values()) == pytest.approx(1)
    assert {names: short.get(names, 0) for names in lacking} == pytest.approx(lacking, rel=1e-9, abs=1e-12)


@given(vectors())
def test_product_form_formula_and_chain_agree(system):
    *letters, _ = system
    cluster, drained = System(*letters), pc.processing_capacity(*letters)
    assert cluster.capacity == pytest.approx(drained, rel=1e-10)
    short = cluster.short_of_at_capacity
    assert System(*letters, order=0).short_of_at_capacity == pytest.approx(short, rel=1e-9, abs=1e-12)


@given(vectors(classes=(2, 3, 4), equal=True))
def test_equal_rates_by_filling_the_machine(system):
    B, b, mu, p, _ = system
    assert sr.throughput_equal_rates(B, b, mu[0], p) == pytest.approx(pc.processing_capacity(B, b, mu, p), rel=1e-12)


def test_a_common_unit_and_what_is_beyond_it_change_nothing():
    small = sr.throughput_equal_rates((5, 3), [(1, 1), (2, 1), (1, 0)], 1, (0.2, 0.3, 0.5))
    large = sr.throughput_equal_rates((5007, 39, 100), [(1000, 10, 0), (2000, 10, 0), (1000, 0, 0)], 1, (0.2, 0.3, 0.5))
    assert small == large
    assert sr.steps_needed((5007, 39), np.array([(1000, 10), (1000, 0)])) == sr.steps_needed(
        (5, 3), np.array([(1, 1), (1, 0)])
    )


# --- The staircase ---


@st.composite
def staircases(draw):
    steps = sorted(draw(st.lists(st.integers(0, 7), min_size=2, max_size=7)), reverse=True)
    return [max(steps[0], 1), *steps[1:]]


@given(staircases(), RATES, RATES, st.floats(0.02, 0.98))
def test_any_staircase_has_the_product_form(J, mu1, mu2, p1):
    """The decomposed balance: completions of each class reach a state in proportion to its share of the mix."""
    edge = sr.product_form(J, mu1, mu2, p1)
    place = {tuple(state): k for k, state in enumerate(edge.states.tolist())}
    assert len(place) == len(edge.states)
    mix, rates = {1: p1, 2: 1 - p1}, {1: mu1, 2: mu2}

    def fits(i, j):
        return i < len(J) and j <= J[i]

    def enter(i, j, head, chance, found):
        if not fits(i + (head == 1), j + (head == 2)):
            found[place[i, j, head]] += chance
            return
        for following in (1, 2):
            enter(i + (head == 1), j + (head == 2), following, chance * mix[following], found)

    total = edge.states[:, 0] * mu1 + edge.states[:, 1] * mu2
    for leaving in (1, 2):
        reached = np.zeros(len(place))
        for (i, j, head), k in place.items():
            n = i if leaving == 1 else j
            if n:
                chance = edge.embedded[k] * n * rates[leaving] / total[k]
                enter(i - (leaving == 1), j - (leaving == 2), head, chance, reached)
        assert reached == pytest.approx(mix[leaving] * edge.embedded, rel=1e-11, abs=1e-15)
    assert edge.throughput == pytest.approx(1 / (edge.embedded @ (1 / total)), rel=1e-12)
    assert edge.time == pytest.approx(edge.throughput * edge.embedded / total, rel=1e-12)


def test_three_classes_have_none():
    """Three named machines, rates 1, 2 and 4: the class that leaves tells something about what it leaves behind."""
    states, time, throughput = saturated_chain(1, (1, 1, 1), np.eye(3, dtype=int).tolist(), (1, 2, 4), (1 / 3,) * 3)
    rates = np.array([1, 2, 4])
    embedded = time * [np.dot(m, rates) for (m,), _ in states] / throughput
    weights = np.array([np.prod(np.array(1 / 3) ** sum(m)) for (m,), _ in states])
    assert len(states) == 12 and (abs(embedded - weights / weights.sum()) > 0.001).any()


@given(st.integers(2, 40), st.data())
def test_one_resource_is_the_theorem_of_the_paper(n, data):
    n2 = data.draw(st.integers(1, n))
    n1, p1 = data.draw(st.integers(1, n2)), data.draw(st.floats(0.01, 0.99))
    edge = sr.product_form(sr.staircase(n, (n1, n2)), 1.0, 0.3, p1)
    assert edge.throughput == pytest.approx(stability.throughput(n, n1, n2, 1.0, 0.3, p1), rel=1e-12)


def test_a_million_units_need_no_states():
    host = System((10**6, 10**6), [(1, 1.5), (1000, 3)], rates=(1, 0.1), mix=(0.999, 0.001))
    small = System((200, 200), [(1, 1.5), (10, 3)], rates=(1, 0.1), mix=(0.9, 0.1))
    assert host.capacity == pytest.approx(90894.593, abs=1e-3)  # as with one resource: memory never binds
    assert small.capacity == pytest.approx(pc.processing_capacity(*small._letters), rel=1e-10)


# --- Laws ---


@given(vectors(classes=(2, 3), order=True), st.randoms(use_true_random=False))
def test_what_does_not_matter_changes_no_digit(system, random):
    B, b, mu, p, r = system
    cluster = System(B, b, mu, p, order=r)
    turned = random.sample(range(len(B)), len(B))
    permuted = System([B[k] for k in turned], [[need[k] for k in turned] for need in b], mu, p, order=r)
    scaled = System([8 * B[0], *B[1:]], [(8 * need[0], *need[1:]) for need in b], mu, p, order=r)
    plenty = sum(B) * 4
    further = System([*B, plenty], [(*need, 1) for need in b], mu, p, order=r)
    for other in (permuted, scaled, further):
        assert other.capacity == cluster.capacity
    assert permuted.capacity_by_resource.tolist() == cluster.capacity_by_resource[turned].tolist()


@given(vectors(classes=(2, 3)), st.data())
def test_more_of_a_resource_never_lowers_the_capacity(system, data):
    *letters, r = system
    B = list(letters[0])
    capacity = System(*letters, order=r).capacity
    B[data.draw(st.integers(0, len(B) - 1))] += data.draw(st.integers(1, 3))
    assert System(B, *letters[1:], order=r).capacity >= capacity * (1 - 1e-12)


@given(vectors(classes=(2, 3), order=True))
def test_sandwich_and_bounds(system):
    *letters, r = system
    cluster = System(*letters, order=r)
    X = cluster.capacity
    slack = 1 + 1e-9
    views = cluster.capacity_by_resource
    assert 1 / views.min() <= slack / X and 1 / X <= slack * (1 / views).sum()
    assert cluster.capacity_by_dominant_share <= X * slack
    for k, view in enumerate(views):
        lacking = sum(share for names, share in cluster.short_of_at_capacity.items() if f"resource {k + 1}" in names)
        assert lacking == 0 if view == np.inf else lacking * view <= X * slack
    assert X <= cluster.packing_bound * slack and cluster.packing_bound <= cluster.naive_capacity * slack
    assert (cluster.utilization_at_capacity <= slack).all()


@given(vectors(resources=(1,), order=True))
def test_one_resource_in_a_vector_is_one_resource(system):
    (B,), b, mu, p, r = system
    plain, vector = System(B, [need for (need,) in b], mu, p, order=r), System((B,), b, mu, p, order=r)
    assert vector.capacity == pytest.approx(plain.capacity, rel=1e-12)
    assert vector.near_saturation() == pytest.approx(plain.near_saturation(), rel=1e-9, abs=1e-12)
    assert vector.packing_bound == pytest.approx(plain.packing_bound, rel=1e-9)
    assert [*vector.capacity_by_resource, *plain.capacity_by_resource] == pytest.approx([plain.capacity] * 2, rel=1e-10)
    assert plain.capacity_by_dominant_share == pytest.approx(plain.capacity, rel=1e-10)
    assert plain.utilization_at_capacity == pytest.approx(vector.utilization_at_capacity[0], rel=1e-12)
    assert list(plain.short_of_at_capacity.values()) == pytest.approx([1.0])


def test_the_view_of_a_chain_of_classes_is_that_chain_when_it_is_watched():
    """With rows cut and made to sum to 1 again, the view would be another one."""
    P = np.array([[0.1, 0.2, 0.7], [0.6, 0.1, 0.3], [0.2, 0.5, 0.3]])
    p = chain.stationary(P)
    needs = [(2, 1), (1, 1), (0, 1)]
    view = System((4, 10), needs, (1, 2, 0.7), p, order=P).capacity_by_resource[0]
    watched = P[:2, :2] + P[:2, 2:] @ P[2:, :2] / (1 - P[2, 2])
    mix = chain.stationary(watched)
    assert view == pytest.approx(pc.processing_capacity(4, (2, 1), (1, 2), mix, watched) / p[:2].sum(), rel=1e-12)
    cut = P[:2, :2] / P[:2, :2].sum(axis=1, keepdims=True)
    assert abs(pc.processing_capacity(4, (2, 1), (1, 2), chain.stationary(cut), cut) / p[:2].sum() / view - 1) > 0.05


def test_the_packing_bound_is_exact():
    """Five jobs per unit of time: three packings, with weights 1, 1 and 5, serve them, and no prices allow more."""
    needs, mix, prices = np.array([9, 4, 3, 11]), np.array([1, 2, 1, 3]), np.array([7, 3, 2, 9])
    packings = [m for m in product(range(5), range(10), range(13), range(4)) if m @ needs <= 38]
    assert [1, 1, 5] @ np.array([(0, 1, 0, 3), (0, 4, 0, 2), (1, 1, 1, 2)]) == pytest.approx(5 * mix, abs=0)
    assert 7 * max(packings @ prices) == 5 * mix @ prices
    assert sr.packing_bound(38, needs, np.ones(4), mix / 7) == pytest.approx(5, rel=1e-11)


def test_near_saturation_and_the_queue_take_vectors():
    host = System((12, 12), [(4, 1), (1, 4)], rates=(1, 1), mix=(0.5, 0.5))
    X, delta = host.capacity, host.near_saturation().delta
    by_rule = ns.relative_completions_of((0, 3, 1), lambda s: pc.saturated_transitions(s, *_arrays(host)))
    assert delta == pytest.approx(by_rule.delta, rel=1e-10)
    apart = [host.queue(load * X).mean_sojourn - (1 + delta) / (X * (1 - load)) for load in (0.9, 0.99, 0.999)]
    assert abs(apart[2] - apart[1]) < 0.01 and max(map(abs, apart)) < 1


def _arrays(system):
    B, b, mu, p = system._letters
    return np.array(B), np.array(b), mu, p


def test_a_class_that_never_comes_may_need_anything():
    host = System((4, 4), [(1, 3), (3, 1), (9, 9)], (1, 1, 1), (0.5, 0.5, 0), resources=("a", "b"))
    assert host.capacity == System((4, 4), [(1, 3), (3, 1)], (1, 1), (0.5, 0.5)).capacity
    assert sum(host.short_of_at_capacity.values()) == pytest.approx(1) and np.isfinite(host.capacity_by_resource).all()


def test_what_nobody_needs_is_no_limit():
    host = System((4, 7), [(1, 0), (3, 0)], (1, 1), (0.5, 0.5))
    assert host.capacity_by_resource[1] == np.inf and host.utilization_at_capacity[1] == 0
    assert host.capacity == host.capacity_by_resource[0] == System(4, (1, 3), (1, 1), (0.5, 0.5)).capacity
