"""Jobs whose class depends on that of the job before them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq import System
from mjq import near_saturation as ns
from mjq import processing_capacity as pc
from mjq.models.near_saturation import constant
from mjq.solvers import chain, drain, qbd
from tests.conftest import systems

TABLE = 6, (2, 3), (2.5, 0.625), (0.5, 0.5)
repeats = st.floats(0, 0.95)


def by_the_generic_chain(B, b, mu, p, order):
    states, mix = pc.saturated_states(B, b), pc.heads(p, order)
    pi = chain.stationary(chain.generator(states, lambda s: pc.saturated_transitions(s, B, b, mu, mix)))
    return sum(x * np.dot(s[:-1], mu) for s, x in zip(states, pi, strict=True))


@given(systems(most_jobs=5), repeats)
def test_draining_equals_the_generic_chain(system, order):
    assert pc.processing_capacity(*system, order) == pytest.approx(by_the_generic_chain(*system, order), rel=1e-10)


@given(systems(most_jobs=5), st.data())
def test_any_chain_of_classes(system, data):
    *rest, p = system
    weights = st.lists(st.floats(0.01, 1), min_size=len(p), max_size=len(p))
    order = np.array([data.draw(weights) for _ in p])
    order /= order.sum(axis=1, keepdims=True)
    mix = chain.stationary(order)
    fast = pc.processing_capacity(*rest, mix, order)
    assert fast == pytest.approx(by_the_generic_chain(*rest, mix, order), rel=1e-10)


@given(systems(most_jobs=5))
def test_without_memory_nothing_changes(system):
    *_, p = system
    independent = pc.processing_capacity(*system)
    assert pc.processing_capacity(*system, 0) == pytest.approx(independent, rel=1e-12)
    assert pc.processing_capacity(*system, [p] * len(p)) == pytest.approx(independent, rel=1e-12)
    assert ns.relative_completions(*system, 0) == pytest.approx(ns.relative_completions(*system), rel=1e-9, abs=1e-12)


@given(systems(most_jobs=5), st.floats(0, 0.9))
def test_delta_by_the_rule(system, order):
    B, b, mu, p = system
    mix = pc.heads(p, order)
    by_rule = ns.relative_completions_of(
        pc.saturated_states(B, b)[-1], lambda s: pc.saturated_transitions(s, B, b, mu, mix)
    )
    assert ns.relative_completions(*system, order) == pytest.approx(by_rule, rel=1e-8, abs=1e-11)


def test_many_states_are_solved_by_passes(monkeypatch):
    system = 40, (1, 3, 5, 8), (1, 0.5, 2, 0.2), (0.4, 0.3, 0.2, 0.1)
    exact = ns.relative_completions(*system, 0.6)
    for most in ("DENSE_UNKNOWNS", "FEW_UNKNOWNS"):
        monkeypatch.setattr(drain, most, 0)
    assert ns.relative_completions(*system, 0.6) == pytest.approx(exact, rel=1e-9)
    monkeypatch.setattr(constant, "ELIMINATION_LIMIT", 10_000)
    assert ns.relative_completions(*system, 0.6) == pytest.approx(exact, rel=1e-8)


def test_a_class_that_never_comes_has_no_place_in_the_order():
    order = [[0.5, 0.5, 0], [0.5, 0.5, 0], [1, 0, 0]]
    found = pc.processing_capacity(6, (2, 3, 5), (2.5, 0.625, 1), (0.5, 0.5, 0), order)
    assert found == pytest.approx(pc.processing_capacity(*TABLE), rel=1e-12)


def test_a_system_with_an_order():
    system = System(*TABLE, order=0.5)
    assert system.capacity == pc.processing_capacity(*TABLE, 0.5)
    assert system.wasted_servers == pytest.approx(6 * (1 - system.capacity / system.naive_capacity), rel=1e-12)
    assert system != System(*TABLE) and eval(repr(system)) == system and "order" not in repr(System(*TABLE))


@given(st.integers(1, 30), st.floats(0.05, 20), st.floats(0.01, 0.99), st.floats(0.05, 20), st.floats(0, 0.98))
def test_one_or_all_in_closed_form(n, mu1, p1, mean, r):
    capacity, delta = ns.one_or_all(n, mu1, p1, mean, mean**2, order=r)
    found = ns.relative_completions(n, (1, n), (mu1, 1 / mean), (p1, 1 - p1), r)
    assert capacity == pytest.approx(found.capacity, rel=1e-10)
    assert delta == pytest.approx(found.delta, rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("r", [0.3, 0.9])
def test_the_limiting_rate_is_the_decay_of_the_open_queue(r):
    lam, mix = 0.9 * pc.processing_capacity(*TABLE, r), pc.heads(TABLE[3], r)
    queue = qbd.Levels.of((0, 0, 1, 0), lambda s: pc.transitions(s, lam, *TABLE[:3], mix), 4).stationary()
    decay = max(abs(np.linalg.eigvals(queue.R)))
    assert lam / pc.limiting_completion_rate(lam, *TABLE, r) == pytest.approx(decay, rel=1e-10)
    assert ns.decay_rate(lam, *TABLE, r) == pytest.approx(lam / decay - lam, rel=1e-9)
    found = ns.relative_completions(*TABLE, r)
    assert ns.sojourn_asymptote(lam, *TABLE, r) == pytest.approx((1 + found.delta) / (found.capacity - lam), rel=1e-12)


@pytest.mark.parametrize("B", [20, 60])
def test_jobs_of_one_need_keep_all_servers_busy_whatever_their_order(B):
    """Also where the solution is found by iterations, whose vectors have negative entries."""
    order = np.array([[0.1, 0.2, 0.7], [0.6, 0.1, 0.3], [0.2, 0.5, 0.3]])
    p, mu = chain.stationary(order), np.array([1, 2, 0.7])
    assert pc.processing_capacity(B, (1, 1, 1), mu, p, order) == pytest.approx(B / (p @ (1 / mu)), rel=1e-10)
