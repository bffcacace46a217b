"""Near saturation: laws and special cases."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mjq import near_saturation as ns
from mjq import processing_capacity as pc
from mjq.models.near_saturation import constant, poisson_equation
from mjq.solvers import chain, drain
from tests import rational
from tests.conftest import systems

TABLE = 6, (2, 3), (2.5, 0.625), (0.5, 0.5)
FILLING = 4, (1, 2, 4), (1, 0.5, 1), (0.6, 0.25, 0.15)


def slope(system, capacity):
    """Of the limiting completion rate at the capacity: a central difference, improved once."""

    def rise(h):
        below, above = (pc.limiting_completion_rate(capacity * (1 + x), *system) for x in (-h, h))
        return (above - below) / (2 * h * capacity)

    wide, narrow = rise(2e-3), rise(1e-3)
    return (4 * narrow - wide) / 3


# --- Delta ---


@given(systems(most_jobs=5))
def test_delta_is_the_slope_of_the_limiting_rate(system):
    found = ns.relative_completions(*system)
    assert slope(system, found.capacity) == pytest.approx(found.delta / (1 + found.delta), abs=2e-5)


@given(systems(most_jobs=5))
def test_the_rule_gives_the_same_and_delta_is_a_mean_square(system):
    B, b, mu, p = system
    states = pc.saturated_states(B, b)
    found = ns.relative_completions(*system)
    by_rule = ns.relative_completions_of(states[-1], lambda s: pc.saturated_transitions(s, *system))
    assert by_rule == pytest.approx(found, rel=1e-9, abs=1e-12)
    ways = drain.configurations(B, b, 1e-9 * B)
    A = drain.departure_operator(ways, mu, p) @ np.eye(len(states))
    pi = drain.saturated(ways, mu, p).probabilities[ways.blocked]
    h = poisson_equation.eliminated(A, pi)
    assert pi @ h == pytest.approx(0, abs=1e-9)
    jumps = np.sum(pi[:, None] * A * (h[None, :] - h[:, None]) ** 2)
    assert found.delta == pytest.approx(jumps / (2 * found.capacity), rel=1e-8, abs=1e-12)


@given(systems(most_jobs=5))
def test_the_passes_solve_what_elimination_solves(system):
    B, b, mu, p = system
    ways = drain.configurations(B, b, 1e-9 * B)
    operator, state = drain.departure_operator(ways, mu, p), drain.saturated(ways, mu, p)
    pi = state.probabilities[ways.blocked]
    exact = poisson_equation.eliminated(operator @ np.eye(len(pi)), pi)
    by_passes = poisson_equation.drained(state, operator, np.asarray(mu), np.asarray(p))
    assert np.abs(by_passes - exact).max() <= 1e-7 * (1 + np.abs(exact).max())


@given(
    st.integers(2, 5),
    st.lists(st.tuples(st.integers(1, 5), st.floats(-9, 9), st.floats(-6, 0)), min_size=1, max_size=3),
)
def test_delta_is_exact_however_far_rates_lie_apart(B, classes):
    """Beside the rule in whole numbers: rates over eighteen orders of magnitude, classes that hardly ever come."""
    b, mu, p = (np.array(column) for column in zip(*classes, strict=True))
    b, mu, p = np.minimum(b, B).tolist(), 10.0**mu, 10.0**p / (10.0**p).sum()
    states = pc.saturated_states(B, b)
    place = {state: k for k, state in enumerate(states)}
    mix = [Fraction(x) / sum(map(Fraction, p)) for x in p.tolist()]
    A = [[Fraction(0)] * len(states) for _ in states]
    for state in states:
        for after, rate in pc.saturated_transitions(state, B, b, [Fraction(x) for x in mu.tolist()], mix):
            A[place[state]][place[after]] += rate
    completions = [sum(row) for row in A]
    inner = [row[1:] for row in A[1:]]  # from the first state back to it: time and completions, and h by both
    ends = [row[0] for row in A[1:]]
    time, count = ([0, *rational.until_absorption(inner, ends, gains)] for gains in ([1] * len(inner), completions[1:]))
    onwards = A[0][1:]
    jobs = completions[0] + sum(x * y for x, y in zip(onwards, count[1:], strict=True))
    capacity = jobs / (1 + sum(x * y for x, y in zip(onwards, time[1:], strict=True)))
    h = [done - capacity * passed for done, passed in zip(count, time, strict=True)]
    away = [[inner[t][s] - (completions[t + 1] if s == t else 0) for t in range(len(inner))] for s in range(len(inner))]
    pi = [Fraction(1), *rational.solved(away, [-x for x in onwards])]
    pi = [x / sum(pi) for x in pi]
    delta = sum(x * (c / capacity - 1) * y for x, c, y in zip(pi, completions, h, strict=True))
    found = ns.relative_completions(B, b, mu, p)
    assert found.capacity == pytest.approx(float(capacity), rel=1e-14)
    assert found.delta == pytest.approx(float(delta), rel=1e-12, abs=1e-15)


# --- The queue near saturation ---


@given(systems(most_jobs=4))
@settings(max_examples=20)
def test_the_difference_stays_bounded(system):
    capacity = ns.relative_completions(*system).capacity
    differences = [
        pc.sojourn(load * capacity, *system).mean_sojourn - ns.sojourn_asymptote(load * capacity, *system)
        for load in (0.9, 0.99, 0.999)
    ]
    # It converges, linearly in what is left of the capacity: the second change is a tenth of the first.
    first, second = np.diff(differences)
    times = 1 / min(system[2])
    assert abs(second) <= 0.3 * abs(first) + 1e-4 * (1 + ns.relative_completions(*system).delta) * times


@given(systems(most_jobs=4))
@settings(max_examples=20)
def test_queue_probabilities_decay_at_the_limiting_rate(system):
    lam = 0.8 * pc.processing_capacity(*system)
    queue = pc.sojourn(lam, *system)
    few, more = queue.number_probability(300), queue.number_probability(301)
    assume(few > 1e-250)
    assert lam * few / more - lam == pytest.approx(ns.decay_rate(lam, *system), rel=1e-3)


# --- One or all ---


@pytest.mark.parametrize("order", [0.0, 0.5, 0.999999])
@pytest.mark.parametrize("rare", [2.0**-4, 2.0**-28])
def test_one_or_all_where_large_jobs_are_rare(rare, order):
    found = ns.relative_completions(3, (1, 3), (1, 1), (1 - rare, rare), order)
    assert ns.one_or_all(3, 1, 1 - rare, 1, 1, order) == pytest.approx(found[:2], rel=1e-12)


def test_one_or_all_with_other_times_of_the_large_job():
    p = 0.8
    b, mu, mix = ns.split_hyperexponential((1, 5), (0.5, 2), (1, 7), (p, 1 - p))
    by_states = ns.relative_completions(5, b, mu, mix)
    assert ns.one_or_all(5, 2, p, 2, 7 * 4) == pytest.approx(by_states[:2], rel=1e-10)


def test_one_or_all_at_its_ends():
    assert ns.one_or_all(1, 1, 0, 2, 4) == pytest.approx((0.5, 0))
    assert ns.one_or_all(9, 3, 1, 2, 4) == (27, 0)
    assert ns.one_or_all(7, 1, 0, 2, 0) == pytest.approx((0.5, -0.5))


# --- Hyperexponential times ---


@given(st.lists(st.tuples(st.floats(0.1, 10), st.floats(1, 50), st.floats(0.1, 1)), min_size=1, max_size=4))
def test_a_split_class_keeps_its_moments(classes):
    mean, scv, weights = np.array(classes).T
    p = weights / weights.sum()
    need = np.arange(1.0, len(p) + 1)
    b, mu, mix = ns.split_hyperexponential(need, mean, scv, p)
    assert mix.sum() == pytest.approx(1)
    for k in range(len(p)):
        two = slice(2 * k, 2 * k + 2)
        assert b[two].tolist() == [need[k]] * 2
        assert mix[two].sum() == pytest.approx(p[k])
        share = mix[two] / p[k]
        assert share @ (1 / mu[two]) == pytest.approx(mean[k])
        assert 2 * share @ (1 / mu[two] ** 2) == pytest.approx((1 + scv[k]) * mean[k] ** 2)
        assert share[0] / mu[two][0] == pytest.approx(share[1] / mu[two][1])  # half of the work each


# --- ServerFilling ---


@st.composite
def fillings(draw):
    most = draw(st.integers(0, 3))
    needs = draw(st.sets(st.integers(0, most), min_size=1))
    rates = [draw(st.floats(0.2, 5)) for _ in needs]
    weights = np.array([draw(st.floats(0.05, 1)) for _ in needs])
    return 2**most, [2**k for k in sorted(needs)], rates, weights / weights.sum()


@given(fillings())
def test_the_limit_of_server_filling(system):
    """1 + Delta of its saturated chain is E[S^2] / (2 E[S]^2), S the need times the time by the servers."""
    k, b, mu, p = system
    b, mu = np.array(b), np.array(mu)
    work, second = p @ (b / mu) / k, 2 * p @ (b / mu) ** 2 / k**2
    start = tuple(k // need if need == b[0] else 0 for need in b)
    found = ns.relative_completions_of(start, lambda m: ns.filling_saturated_transitions(m, k, b, mu, p))
    assert found.capacity == pytest.approx(1 / work, rel=1e-12)
    assert 1 + found.delta == pytest.approx(second / (2 * work**2), rel=1e-12)
    exact = ns.server_filling(0.999 / work, *system).mean_sojourn
    assert exact * 0.001 * work / work**2 == pytest.approx(1 + found.delta, rel=0.02 + 0.01 * k)


def filled_in_order(line, lam, k, b, mu, p, most):
    """ServerFilling by its words: the state is the line itself, classes in order of arrival."""
    if len(line) < most:
        for j, chance in enumerate(p):
            yield (*line, j), lam * chance
    prefix = 0
    while prefix < len(line) and sum(b[j] for j in line[:prefix]) < k:
        prefix += 1
    free = k
    for place in sorted(range(prefix), key=lambda place: (-b[line[place]], place)):
        if b[line[place]] <= free:
            free -= b[line[place]]
            yield line[:place] + line[place + 1 :], mu[line[place]]


@pytest.mark.parametrize("lam", [0.5, 2.0])
def test_the_prefix_needs_no_order(lam):
    most = 6
    lines = chain.explore([()], lambda line: filled_in_order(line, lam, *FILLING, most))
    assert len(lines) == sum(3**n for n in range(most + 1))
    by_line = chain.stationary(chain.generator(lines, lambda line: filled_in_order(line, lam, *FILLING, most)))

    def rule(state):
        return (move for move in ns.filling_transitions(state, lam, *FILLING) if move[0][1] <= most)

    states = chain.explore([((0, 0, 0), 0)], rule)
    by_prefix = chain.stationary(chain.generator(states, rule))
    for n in range(most + 1):
        ordered = sum(x for line, x in zip(lines, by_line, strict=True) if len(line) == n)
        counted = sum(x for state, x in zip(states, by_prefix, strict=True) if state[1] == n)
        assert counted == pytest.approx(ordered, rel=1e-10)


def test_one_need_is_a_queue_with_many_servers():
    found, known = ns.server_filling(2.5, 4, [1], [1], [1]), pc.sojourn(2.5, 4, [1], [1], [1])
    assert (found.mean_sojourn, found.mean_jobs) == pytest.approx((known.mean_sojourn, known.mean_jobs), rel=1e-10)
    assert ns.server_filling(2.5, 8, [2], [1], [1]) == pytest.approx(found, rel=1e-12)


def test_what_does_not_solve_the_equation_is_told(monkeypatch):
    A = np.array([[0.0, 1.0], [3.0, 0.0]])
    with pytest.raises(ArithmeticError, match="not solved: its residual"):
        poisson_equation.eliminated(A, np.array([0.5, 0.5]))
    monkeypatch.setattr(poisson_equation, "BASIS", 2)
    monkeypatch.setattr(poisson_equation, "RESTARTS", 1)
    monkeypatch.setattr(constant, "ELIMINATION_LIMIT", 10)
    with pytest.raises(ArithmeticError, match="not solved in 2 passes"):
        ns.relative_completions(30, (3, 10), (1, 0.3), (0.6, 0.4))


@pytest.mark.parametrize("limit", [10_000, 10])
def test_rates_far_apart(limit, monkeypatch):
    """The slower the slow class, the nearer to its limit; up to where the passes no longer converge and say so."""
    monkeypatch.setattr(constant, "ELIMINATION_LIMIT", limit)
    found = [ns.relative_completions(9, (2, 3, 1), (1, 10.0**-k, 3), (0.3, 0.3, 0.4)).delta for k in (3, 4, 6, 8)]
    assert np.all(np.diff(found) * np.sign(found[1] - found[0]) >= 0)
    assert found[-1] == pytest.approx(found[-2], rel=1e-5)
