"""[BB22]: printed values, verified facts, laws, special cases."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq import processing_capacity as pc
from mjq.models.processing_capacity import capacity
from mjq.solvers import chain
from tests.conftest import systems

EXAMPLE = 6, (2, 3), (1, 1), (0.5, 0.5)
TABLE = 6, (2, 3), (1 / 0.4, 1 / 1.6), (0.5, 0.5)


# --- Capacity ---


@pytest.mark.parametrize(("B", "need", "fit"), [(3, 1, 3), (10, 3, 3), (1, 0.1, 10), (0.3, 0.1, 3), (7, 7, 1)])
def test_one_class_is_simple(B, need, fit):
    assert pc.processing_capacity(B, [need], [2.0], [1.0]) == pytest.approx(2.0 * fit, rel=1e-14)


@given(systems(), st.data())
def test_larger_needs_never_raise_the_capacity(system, data):
    B, b, mu, p = system
    larger = [data.draw(st.floats(need, B)) for need in b]
    assert pc.processing_capacity(B, larger, mu, p) <= pc.processing_capacity(*system) * (1 + 1e-9)


@given(systems(), st.floats(-12, 9).map(lambda power: 10**power))
def test_units_do_not_matter(system, unit):
    B, b, mu, p = system
    capacity = pc.processing_capacity(*system)
    assert pc.processing_capacity(B, b, np.multiply(mu, unit), p) == pytest.approx(unit * capacity, rel=1e-11)
    assert pc.processing_capacity(unit * B, np.multiply(b, unit), mu, p) == pytest.approx(capacity, rel=1e-12)
    assert pc.saturated_states(unit * B, np.multiply(b, unit)) == pc.saturated_states(B, b)


@given(systems())
def test_classes_in_another_order_or_split_are_the_same_system(system):
    B, b, mu, p = system
    capacity = pc.processing_capacity(*system)
    assert pc.processing_capacity(B, b[::-1], mu[::-1], p[::-1]) == pytest.approx(capacity, rel=1e-11)
    split = pc.processing_capacity(B, [*b, b[0]], [*mu, mu[0]], [0.25 * p[0], *p[1:], 0.75 * p[0]])
    assert split == pytest.approx(capacity, rel=1e-11)


def test_a_class_that_never_comes_is_dropped():
    assert pc.processing_capacity(6, (2, 3, 99), (1, 1, 1), (0.5, 0.5, 0)) == pytest.approx(48 / 23)
    answer = pc.sojourn(1.0, 6, (99, 2, 3), (1, 2.5, 0.625), (0, 0.5, 0.5))
    assert answer.sojourn_moment2 == pytest.approx(pc.sojourn(1.0, *TABLE).sojourn_moment2, rel=1e-12)
    assert math.isnan(answer.mean_wait_by_class[0])
    assert len(answer.mean_wait_by_class) == 3


# --- Limiting completion rate ---


@given(systems(), st.floats(0.05, 3))
def test_limiting_rate_solves_the_limiting_equations(system, load):
    capacity = pc.processing_capacity(*system)
    lam = load * capacity
    u = pc.limiting_completion_rate(lam, *system)
    states = pc.saturated_states(*system[:2])
    C = np.diag([np.dot(s[:-1], system[2]) for s in states])
    A = chain.generator(states, lambda s: pc.saturated_transitions(s, *system)).toarray() + C
    assert np.linalg.eigvals(lam / u * A - C).real.max() == pytest.approx(lam - u, abs=1e-8 * (lam + u))
    assert (u - lam) * (1 - load) >= -1e-9  # above the arrival rate exactly where the system is stable


def test_limiting_rate_at_the_ends():
    assert pc.limiting_completion_rate(1e-9, *EXAMPLE) == pytest.approx(2, abs=1e-8)  # the smallest total rate
    assert pc.limiting_completion_rate(1e9, *EXAMPLE) <= 3
    assert pc.limiting_completion_rate(5, 3, [1], [2], [1]) == 6  # one saturated state: always the same rate


def test_limiting_rate_of_a_large_system(monkeypatch):
    system = 12, (1, 2, 5), (1.0, 0.5, 2.0), (0.5, 0.3, 0.2)
    small = pc.limiting_completion_rate(1.0, *system)
    monkeypatch.setattr(capacity, "DENSE_STATES", 10)
    assert pc.limiting_completion_rate(1.0, *system) == pytest.approx(small, rel=1e-9)


@pytest.mark.parametrize(
    "system",
    [(100, (1, 2), (1, 1), (0.9, 0.1)), (64, (1, 64), (1, 1), (0.99, 0.01)), (40, (1, 7), (5, 0.1), (0.7, 0.3))],
)
@pytest.mark.parametrize("load", [0.3, 0.5, 0.95, 1, 1.2])
def test_limiting_rate_where_the_probabilities_lie_far_apart(system, load):
    capacity = pc.processing_capacity(*system)
    rate = pc.limiting_completion_rate(load * capacity, *system)
    assert rate == pytest.approx(pc.fixed_point_iteration(load * capacity, *system)[-1], rel=1e-8)
    if load == 1:
        assert rate == pytest.approx(capacity, rel=1e-12)


@pytest.mark.parametrize("lam", [0.5, 1, 2, 2.4, 3])
def test_iteration_reaches_the_same_root(lam):
    steps = pc.fixed_point_iteration(lam, *EXAMPLE)
    assert steps[-1] == pytest.approx(pc.limiting_completion_rate(lam, *EXAMPLE), rel=1e-9)
    with pytest.raises(ArithmeticError, match="no convergence"):
        pc.fixed_point_iteration(lam, *EXAMPLE, most_steps=5)


# --- The queue ---


def test_product_form_of_the_number_in_system():
    lam, most = 1.0, 60

    def rule(s):
        return (x for x in pc.transitions(s, lam, *EXAMPLE) if x[0][-1] <= most)

    states = chain.explore([(0, 0, 0, 0)], rule)
    pi = chain.stationary(chain.generator(states, rule))
    answer = pc.sojourn(lam, *EXAMPLE)

    def level(n):
        return np.array([s[-1] == n for s in states])

    for n in range(20):
        assert answer.number_probability(n) == pytest.approx(pi[level(n)].sum(), rel=1e-9)
        u = pi[level(n + 1)] @ [s[0] + s[1] for s in states if s[-1] == n + 1] / pi[level(n + 1)].sum()  # Eq (2)
        assert pi[level(n + 1)].sum() == pytest.approx(pi[level(n)].sum() * lam / u, rel=1e-10)  # Eq (1)


@given(systems(most_jobs=3), st.floats(0.05, 0.98))
def test_moments_by_two_roads(system, load):
    """Numbers in the system with Little's laws, and the life of a tagged job, give the same moments."""
    answer = pc.sojourn(load * pc.processing_capacity(*system), *system)
    assert answer.tail(0.0) == pytest.approx(1, rel=1e-9)
    assert answer.moment(1) == pytest.approx(answer.mean_sojourn, rel=1e-8)
    assert answer.moment(2) == pytest.approx(answer.sojourn_moment2, rel=1e-7)
    assert answer.moment(3) * answer.moment(1) >= answer.moment(2) ** 2


@given(systems(most_jobs=3), st.floats(0.05, 0.95))
def test_third_moments_by_two_roads(system, load):
    """Where all classes are served equally long, the wait and the service of a job are independent."""
    B, b, mu, p = system
    alike, t = (B, b, [mu[0]] * len(b), p), 1 / mu[0]
    answer = pc.sojourn(load * pc.processing_capacity(*alike), *alike)
    by_numbers = answer.wait_moment3 + 3 * answer.wait_moment2 * t + 6 * answer.mean_wait * t**2 + 6 * t**3
    assert answer.moment(3) == pytest.approx(by_numbers, rel=1e-7)


@given(systems(most_jobs=3), st.floats(0.05, 0.95))
def test_the_laws_of_the_queue(system, load):
    B, b, mu, p = system
    lam = load * pc.processing_capacity(*system)
    answer = pc.sojourn(lam, *system)
    t = 1 / np.array(mu)
    for probability in (answer.number_probability, answer.queue_probability):
        *_, before, last = head = [probability(n) for n in range(400)]
        tail = last * last / (before - last) if last > 1e-12 else 0  # geometric from there on
        assert sum(head) + tail == pytest.approx(1, abs=1e-8)
    assert answer.mean_sojourn == pytest.approx(answer.mean_wait + np.dot(p, t), rel=1e-12)
    assert answer.mean_jobs == pytest.approx(lam * answer.mean_sojourn, rel=1e-10)  # Little
    assert np.dot(p, answer.mean_wait_by_class) == pytest.approx(answer.mean_wait, rel=1e-9, abs=1e-12)
    assert answer.wait_moment2 >= answer.mean_wait**2
    assert answer.wait_moment3 * answer.mean_wait >= answer.wait_moment2**2 * (1 - 1e-9)  # Cauchy and Schwarz


@given(systems(most_jobs=3), st.floats(0.05, 0.95))
def test_eq7_error_is_the_covariance(system, load):
    *_, mu, p = system
    answer = pc.sojourn(load * pc.processing_capacity(*system), *system)
    covariance = np.dot(p, (np.array(answer.mean_wait_by_class) - answer.mean_wait) / mu)
    exact, by_eq7 = answer.sojourn_moment2, answer.sojourn_moment2_eq7
    assert exact - by_eq7 == pytest.approx(2 * covariance, rel=1e-6, abs=1e-10 * exact)


@given(systems(most_jobs=3), st.floats(0.05, 0.95))
def test_tail_bound(system, load):
    answer = pc.sojourn(load * pc.processing_capacity(*system), *system)
    times = np.linspace(0, 10 * answer.mean_sojourn, 12)
    tail = answer.tail(times)
    assert tail[0] == pytest.approx(1)
    assert (np.diff(tail) < 0).all()
    assert (tail <= answer.tail_bound(times) + 1e-12).all()
    assert (answer.tail_bound(times[times <= answer.mean_sojourn]) == 1).all()
    assert answer.tail(times[3]) == pytest.approx(tail[3], rel=1e-9)  # a number as well as an array
    assert answer.tail(-1.0) == pytest.approx(1)


@given(systems(most_jobs=3), st.floats(0.05, 0.95), st.floats(0.001, 0.999))
def test_quantiles_are_the_inverse_of_the_tail(system, load, u):
    answer = pc.sojourn(load * pc.processing_capacity(*system), *system)
    assert answer.tail(answer.quantile(u)) == pytest.approx(1 - u, rel=1e-9)


@pytest.mark.parametrize("servers", [1, 2, 5, 10])
def test_many_servers(servers):
    """M/M/c: waits are exponential with probability C(c, a), Erlang's formula."""
    a = 0.7 * servers
    top = a**servers / math.factorial(servers) / (1 - 0.7)
    wait = top / (sum(a**n / math.factorial(n) for n in range(servers)) + top)
    answer = pc.sojourn(a, servers, [1], [1], [1])
    gap = servers - a
    assert answer.mean_wait == pytest.approx(wait / gap, rel=1e-9)
    assert answer.wait_moment2 == pytest.approx(2 * wait / gap**2, rel=1e-9)
    assert answer.wait_moment3 == pytest.approx(6 * wait / gap**3, rel=1e-9)
    t = 1.3
    both = (gap * math.exp(-t) - math.exp(-gap * t)) / (gap - 1)  # a wait of rate gap and a service of rate 1
    assert answer.tail(t) == pytest.approx((1 - wait) * math.exp(-t) + wait * both, rel=1e-9)


@pytest.mark.parametrize("gap", [1e-4, 1e-6, 1e-8])
def test_next_to_the_capacity_both_roads_still_agree(gap):
    answer = pc.sojourn(pc.processing_capacity(*TABLE) * (1 - gap), *TABLE)
    assert answer.moment(1) == pytest.approx(answer.mean_sojourn, rel=1e-13 / gap + 1e-10)
    assert gap * answer.mean_sojourn == pytest.approx(0.69116, abs=1e-4)


SLOWLY_MIXING = 6, (2, 2.15, 3.8), (0.01, 275.0, 0.08), (0.002, 0.992, 0.006)


@pytest.mark.parametrize("gap", [1e-3, 1e-5, 1e-7, 5e-9])
def test_rates_far_apart_next_to_the_capacity(gap):
    answer = pc.sojourn(pc.processing_capacity(*SLOWLY_MIXING) * (1 - gap), *SLOWLY_MIXING)
    near = pc.sojourn(pc.processing_capacity(*SLOWLY_MIXING) * (1 - 1e-4), *SLOWLY_MIXING)
    assert gap * answer.mean_sojourn == pytest.approx(1e-4 * near.mean_sojourn, rel=0.01)
    assert answer.number_probability(0) > 0


@pytest.mark.filterwarnings("ignore:An ill-conditioned matrix")  # scipy's own word, before ours
def test_a_tail_that_rounding_spoils_is_refused():
    answer = pc.sojourn(1.0, 6, (2, 3), (1e9, 1e-9), (0.999999999, 1e-9))
    with pytest.raises(ArithmeticError, match="double precision"):
        answer.tail(answer.mean_sojourn * np.array([1e-6, 0.1, 1, 3, 10]))
