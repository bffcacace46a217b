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
from mjq_logs.machine.saturated import saturated_starts
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


@pytest.mark.parametrize("r", [0, 0.25, 0.5, 0.9, 0.99])
def test_the_example_is_a_rational_function(r):
    expected = 60 * (25 - 17 * r) / (745 - 518 * r - 3 * r**2)
    assert pc.processing_capacity(*TABLE, r) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("part", "expected"), [(0.8, 4.1610858874), (0.9, 8.6829472202)])
def test_time_in_the_system_of_the_open_queue(part, expected):
    lam, mix = part * pc.processing_capacity(*TABLE, 0.5), pc.heads(TABLE[3], 0.5)
    levels = qbd.Levels.of((0, 0, 1, 0), lambda s: pc.transitions(s, lam, *TABLE[:3], mix), 4)
    jobs = [[n] * len(states) for n, states in enumerate(levels.states[:-1])]
    assert levels.stationary().factorial_moment(jobs, 1) / lam == pytest.approx(expected, rel=1e-9)


@given(systems(most_jobs=5))
def test_endless_rows(system):
    """Each class for itself: as many as fit, and the time that its share of the jobs takes."""
    B, b, mu, p = system
    fit = np.floor(B / np.asarray(b) * (1 + 1e-9))
    apart = 1 / sum(np.asarray(p) / (fit * np.asarray(mu)))
    slow = min(p) * min(mu) / max(mu)  # a row must last long against the jobs that it meets
    if slow > 1e-4:
        assert pc.processing_capacity(*system, 1 - 1e-7) == pytest.approx(apart, rel=1e-3)


@pytest.mark.parametrize("r", [0, 0.5, 0.8])
@pytest.mark.parametrize(("n", "p1", "m"), [(10, 0.9, 1.0), (50, 0.99, 3.0), (2, 0.3, 0.2)])
def test_one_or_all(n, p1, m, r):
    a, i = p1 + r * (1 - p1), np.arange(1, n)
    expected = 1 / ((1 - p1) * m + p1 * (1 - np.sum(a**i / (i * (i + 1)))))
    assert pc.processing_capacity(n, (1, n), (1, 1 / m), (p1, 1 - p1), r) == pytest.approx(expected, rel=1e-12)


def test_many_states_are_solved_by_passes(monkeypatch):
    system = 40, (1, 3, 5, 8), (1, 0.5, 2, 0.2), (0.4, 0.3, 0.2, 0.1)
    exact = ns.relative_completions(*system, 0.6)
    for most in ("DENSE_UNKNOWNS", "FEW_UNKNOWNS"):
        monkeypatch.setattr(drain, most, 0)
    assert ns.relative_completions(*system, 0.6) == pytest.approx(exact, rel=1e-9)
    monkeypatch.setattr(constant, "ELIMINATION_LIMIT", 10_000)
    assert ns.relative_completions(*system, 0.6) == pytest.approx(exact, rel=1e-8)


def test_a_list_of_jobs_is_worked_off_as_fast():
    (B, b, mu, p), r, blocks, rng = TABLE, 0.7, 20, np.random.default_rng(34)
    done = []
    for _ in range(blocks):
        fresh, again = rng.choice(2, 20_000, p=p), rng.random(20_000) < r
        kind = fresh[np.maximum.accumulate(np.where(again, 0, np.arange(20_000)))]
        starts = saturated_starts(np.array(b)[kind], rng.exponential(1 / np.array(mu)[kind]), B)
        done.append(10_000 / (starts[-1] - starts[9_999]))
    error = np.std(done, ddof=1) / np.sqrt(blocks)
    assert abs(np.mean(done) - pc.processing_capacity(*TABLE, r)) < 5 * error < 0.03


def test_a_class_that_never_comes_has_no_place_in_the_order():
    order = [[0.5, 0.5, 0], [0.5, 0.5, 0], [1, 0, 0]]
    found = pc.processing_capacity(6, (2, 3, 5), (2.5, 0.625, 1), (0.5, 0.5, 0), order)
    assert found == pytest.approx(pc.processing_capacity(*TABLE), rel=1e-12)


def test_a_system_with_an_order():
    system = System(*TABLE, order=0.5)
    assert system.capacity == pytest.approx(2.040185471406, rel=1e-12)
    assert system.near_saturation().delta == pytest.approx(0.8620976818, abs=1e-9)
    assert system.wasted_servers == pytest.approx(6 * (1 - system.capacity / system.naive_capacity), rel=1e-12)
    assert system != System(*TABLE) and eval(repr(system)) == system and "order" not in repr(System(*TABLE))
    for asked in (lambda: system.queue(1.0), lambda: system.simulate(1.0, 100, 1)):
        with pytest.raises(ValueError, match="knows independent classes only"):
            asked()


@given(st.integers(1, 30), st.floats(0.05, 20), st.floats(0.01, 0.99), st.floats(0.05, 20), st.floats(0, 0.98))
def test_one_or_all_in_closed_form(n, mu1, p1, mean, r):
    if n == 1:
        system = 1, (1, 1), (mu1, 1 / mean), (p1, 1 - p1)
    else:
        system = n, (1, n), (mu1, 1 / mean), (p1, 1 - p1)
    capacity, delta = ns.one_or_all(n, mu1, p1, mean, mean**2, order=r)
    found = ns.relative_completions(*system, r)
    assert capacity == pytest.approx(found.capacity, rel=1e-10)
    assert delta == pytest.approx(found.delta, rel=1e-7, abs=1e-9)


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
