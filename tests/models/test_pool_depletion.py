"""[CGPS16]: asymptotics as laws, exact passes against the chain's definition, simulation, mean values."""

import itertools
import math
import sys

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mjq import pool_depletion as pd
from mjq.models.pool_depletion import mean_value, passes
from mjq.simulation import depletion_path, simulate_depletion, simulate_pool
from mjq.solvers import chain

SYSTEM_1 = [[0.75, 0.64], [0.48, 1.25]]
SYSTEM_2 = [[0.8, 0.496], [0.2, 1.25]]
demands = st.floats(0.05, 5)


@st.composite
def switching(draw):
    """Demands with a bottleneck switch, of either orientation."""
    a, b = (sorted([draw(demands), draw(demands)]) for _ in range(2))
    if a[0] > 0.99 * a[1] or b[0] > 0.99 * b[1]:
        a, b = [a[0], 2 * a[0]], [b[0], 2 * b[0]]
    D = np.array([[a[1], b[0]], [a[0], b[1]]])
    return D[::-1].copy() if draw(st.booleans()) else D


@given(switching(), st.floats(0, 1))
def test_throughputs_saturate_stations(D, beta):
    X = np.array(pd.asymptotic_throughputs(beta, D))
    utilization = D @ X
    low, high = pd.saturation_sector(D)
    assert utilization.max() == pytest.approx(1)
    assert (utilization <= 1 + 1e-9).all()
    if low < beta < high:
        assert utilization == pytest.approx([1, 1])
    assert low < pd.equi_utilization_point(D) < high


@given(switching(), st.floats(0.001, 0.999))
def test_best_mixes_are_no_worse_than_any(D, alpha):
    best = pd.optimal_admitted_mix(alpha, D)
    least = pd.asymptotic_depletion_time(alpha, best.beta_plus, D)
    for beta in np.linspace(0, 1, 41):
        assert pd.asymptotic_depletion_time(alpha, beta, D) >= least * (1 - 1e-9)
    for beta in np.linspace(best.low, best.high, 5).clip(0, 1):
        assert pd.asymptotic_depletion_time(alpha, beta, D) == pytest.approx(least, rel=1e-9)


def one_class_is_sooner(D):
    x_A, x_B = pd.asymptotic_throughputs(pd.equi_utilization_point(D), D)
    return D.max(axis=0).min() < 1 / (x_A + x_B)


@given(switching())
def test_a_mix_that_one_class_alone_beats_is_refused(D):
    assume(one_class_is_sooner(D))
    with pytest.raises(ValueError, match="is not an absolute minimum"):
        pd.optimal_pool_mix(D)


@given(switching())
def test_the_best_pool_is_best_or_refused(D):
    assume(not one_class_is_sooner(D))
    star = pd.optimal_pool_mix(D)
    best = pd.optimal_admitted_mix(star, D)
    assert (best.low, best.high) == pytest.approx(pd.saturation_sector(D))
    least = pd.asymptotic_depletion_time(star, best.beta_plus, D)
    for alpha in np.linspace(0, 1, 21):
        mix = pd.optimal_admitted_mix(alpha, D)
        assert pd.asymptotic_depletion_time(alpha, mix.beta_plus, D) >= least * (1 - 1e-9)


@given(switching(), st.floats(0.01, 0.99))
def test_all_asymptotic_rules_are_optimal(D, alpha):
    work = D @ (alpha, 1 - alpha)
    rules = pd.asymptotic_rules(alpha, D)
    assert set(rules) == {"corner", "equi", "halfway", "middle"}
    for beta in rules.values():
        assert pd.asymptotic_depletion_time(alpha, beta, D) == pytest.approx(work.max(), rel=1e-9)


@given(switching())
def test_equal_work(D):
    alpha = pd.equal_work_pool_mix(D)
    work = D @ (alpha, 1 - alpha)
    assert work[0] == pytest.approx(work[1])


def test_whole_mixes_are_near_and_possible():
    for beta, (N_A, N_B), K in itertools.product(np.linspace(0, 1, 21), ((70, 30), (3, 9), (10, 2), (6, 6)), (10, 12)):
        below, near, above = (pd.whole_mix(beta, N_A, N_B, K, r) for r in ("down", "nearest", "up"))
        assert max(K - N_B, 0) <= below <= near <= above <= min(K, N_A)
        if N_A >= K <= N_B:
            assert abs(near - beta * K) <= 0.5
            assert above - below <= 1
            assert below <= beta * K + 1e-9
            assert above >= beta * K - 1e-9
    assert pd.whole_mix(0.1 + 0.2 + 0.3, 70, 30, 10, "up") == 6  # 6.000000000000001 places are six


@given(switching(), st.integers(4, 36), st.integers(1, 3))
def test_large_pools_tend_to_their_limit(D, N_A, K):
    limit = pd.large_pool_times(N_A / 40, D, K)
    assert (limit >= (D @ (N_A / 40, 1 - N_A / 40)).max() * (1 - 1e-12)).all()
    for k in range(K + 1):
        small, large = (pd.depletion(D, n * N_A, n * (40 - N_A), k, K - k).mean_time / (40 * n) for n in (1, 10))
        assert abs(large - limit[k]) <= abs(small - limit[k]) / 2 + 1e-3 * limit[k]


def test_large_pools_of_many_tasks_tend_to_the_asymptotic_time():
    times = pd.large_pool_times(0.4, SYSTEM_1, 1000)
    expected = [pd.asymptotic_depletion_time(0.4, k / 1000, SYSTEM_1) for k in range(1001)]
    assert times == pytest.approx(expected, rel=0.01)


def test_a_station_without_work_changes_no_limit():
    three = np.vstack([SYSTEM_1, [1e-12, 1e-12]])
    assert pd.large_pool_times(0.7, three, 6) == pytest.approx(pd.large_pool_times(0.7, SYSTEM_1, 6))


@given(switching(), st.integers(1, 6))
def test_equally_busy_whatever_the_size(D, scale):
    # Choose demands so that the point is a fraction: equal busy servers need (D1A/D2A)^KA = (D2B/D1B)^KB.
    D = D.copy()
    D[0, 1] = D[1, 1] * (D[1, 0] / D[0, 0]) ** (2 / 3)  # K_A : K_B = 2 : 3
    assert pd.equi_utilization_point(D) == pytest.approx(0.4)
    busy = D @ pd.mva_throughputs(D, 2 * scale, 3 * scale)
    assert busy[0] == pytest.approx(busy[1])


def small_pools():
    for N_A, N_B, K_A, K_B in itertools.product((0, 1, 3), (1, 4), (0, 1, 2), (0, 1, 3)):
        if N_A >= K_A and N_B >= K_B and K_A + K_B:
            yield N_A, N_B, K_A, K_B


def by_definition(D, N_A, N_B, K_A, K_B):
    """States, mean and second moment from the rule and linear systems; instants from the states in which they lie."""

    def rule(state):
        return pd.transitions(state, D)

    states = chain.explore([(N_A - K_A, N_B - K_B, K_A, 0, K_B, 0)], rule)
    Q = chain.generator(states, rule).tocsc()
    inner = [k for k, s in enumerate(states) if any(s)]
    A = -Q[inner][:, inner].toarray()
    visits = np.linalg.solve(A.T, np.eye(len(inner))[0])
    mean = visits.sum()
    second = 2 * visits @ np.linalg.solve(A, np.ones(len(inner)))
    return [states[k] for k in inner], visits, mean, second - mean**2


@pytest.mark.parametrize("pool", list(small_pools()))
@pytest.mark.parametrize("D", [SYSTEM_1, [[0.2, 3.0], [1.5, 0.1]]])
def test_passes_agree_with_the_definition(D, pool):
    states, visits, T, variance = by_definition(D, *pool)
    found = pd.depletion(D, *pool)
    K_A, K_B = pool[2:]
    assert found.mean_time == pytest.approx(T, rel=1e-11)
    assert found.variance == pytest.approx(variance, rel=1e-9)
    assert pd.count_states(*pool) == len(states)
    first = sum(v for s, v in zip(states, visits, strict=True) if (s[2] + s[3], s[4] + s[5]) == (K_A, K_B))
    full = sum(v for s, v in zip(states, visits, strict=True) if sum(s[2:]) == K_A + K_B)
    assert found.T_phi1 == pytest.approx(first, rel=1e-11)
    assert found.T_phi2 == pytest.approx(full, rel=1e-11)
    assert 0 < found.T_tau0 <= found.T_phi1 <= found.T_tau12 * (1 + 1e-12) <= found.T_phi2 * (1 + 1e-12)
    assert sum(found.lengths.values()) == pytest.approx(found.mean_time)


def test_to_the_letter_no_place_is_filled_before_a_class_is_completed():
    states = chain.explore([(3, 4, 2, 0, 1, 0)], lambda s: pd.transitions_when_completed(s, SYSTEM_1, 3))
    for pool_A, pool_B, a1, a2, b1, b2 in states:
        a, b = a1 + a2, b1 + b2
        if pool_A and pool_B:
            assert (a, b) == (2, 1)
        elif a and b:
            assert a <= 2
            assert b <= 1  # nobody takes the places of the other class as long as it has a task
        elif pool_A or pool_B:
            assert a + b == 3  # all of the places, at once


def test_threads_do_not_change_the_numbers():
    D = np.array(SYSTEM_1)
    assert passes.means(D, (300, 200), (30, 30), 1) == passes.means(D, (300, 200), (30, 30), 3)


@pytest.mark.parametrize("pool", [(70, 30, 6, 4), (12, 12, 0, 5), (1, 1, 1, 0)])
def test_the_distribution_has_the_exact_moments(pool):
    found = pd.depletion(SYSTEM_1, *pool)
    t = np.linspace(0, found.mean_time + 15 * math.sqrt(found.variance), 20_001)
    tail = 1 - found.cdf(t)
    assert (np.diff(tail) <= 1e-12).all()
    assert np.trapezoid(tail, t) == pytest.approx(found.mean_time, rel=1e-5)
    assert 2 * np.trapezoid(t * tail, t) - found.mean_time**2 == pytest.approx(found.variance, rel=1e-3)
    assert found.gamma_cdf(found.mean_time * 100) == pytest.approx(1)


@pytest.mark.parametrize("pool", [(70, 30, 5, 5), (70, 30, 0, 10), (20, 60, 7, 2)])
def test_simulation_agrees(pool):
    exact = pd.depletion(SYSTEM_1, *pool)
    run = simulate_depletion(SYSTEM_1, *pool, seed=1, replications=4000)
    for mark in ("mean_time", "T_tau0", "T_phi1", "T_tau12", "T_phi2"):
        assert getattr(exact, mark) in getattr(run, mark).widened(2), mark
    work = np.array(SYSTEM_1) @ pool[:2]  # for which the stations are busy
    assert work[0] in run.busy[0].widened(2) and work[1] in run.busy[1].widened(2)
    assert work.sum() - exact.mean_time in run.all_busy.widened(2)
    assert run.mean_time.mean == pytest.approx(sum(x.mean for x in run.busy) - run.all_busy.mean)


def test_the_stopping_rule():
    run = simulate_depletion(SYSTEM_1, 20, 10, 3, 3, seed=2)
    for mark in ("mean_time", "T_tau0", "T_phi1", "T_tau12", "T_phi2"):
        estimate = getattr(run, mark)
        assert estimate.half_width <= 0.03 * estimate.mean
        assert estimate.confidence == 0.99
    assert run == simulate_depletion(SYSTEM_1, 20, 10, 3, 3, seed=2, workers=2)


def test_a_precision_that_is_not_reached_is_refused(monkeypatch):
    monkeypatch.setattr(sys.modules[simulate_depletion.__module__], "MOST_REPLICATIONS", 40)
    with pytest.raises(ArithmeticError, match=r"^40 replications do not reach a relative half-width"):
        simulate_depletion(SYSTEM_1, 7, 3, 2, 2, seed=2, precision=1e-6)


def test_a_path_is_one_depletion():
    marks, times, inside = depletion_path(SYSTEM_1, (70, 30), (5, 5), seed=3)
    assert len(times) == 101
    assert (np.diff(times) > 0).all()
    assert times[-1] == marks["T"]
    assert inside[0].tolist() == [5, 5]
    assert inside[-1].tolist() == [0, 0]
    assert (inside.sum(axis=1)[times < marks["T_phi2"]] == 10).all()
    assert (inside[times < marks["T_phi1"]] == 5).all()


def test_one_station_of_any_number_works_without_a_break():
    run = simulate_pool([[0.5, 1.0, 2.0]], (10, 20, 5), (2, 1, 1), seed=4, replications=4000)
    assert 10 * 0.5 + 20 * 1.0 + 5 * 2.0 in run.mean_time.widened(2)


@given(st.integers(0, 5), st.integers(0, 5), switching())
def test_mean_values_obey_the_laws(K_A, K_B, D):
    X = np.array(pd.mva_throughputs(D, K_A, K_B))
    assert (D @ X <= 1 + 1e-12).all()
    K = K_A + K_B
    if K:
        along = mean_value.along_mixes(D, K)
        assert [along[0][K_A], along[1][K_A]] == pytest.approx(X.tolist())


def test_mean_values_of_one_class_at_equal_stations():
    for M, K in itertools.product((1, 2, 5), (1, 3, 10)):
        assert mean_value.throughputs(np.full((M, 1), 2.0), [K])[0] == pytest.approx(K / (K + M - 1) / 2)


@pytest.mark.parametrize("pool", [(5, 5, 10), (7, 3, 10), (70, 30, 90), (50, 0, 5), (0, 50, 5)])
def test_algorithm_1_admits_only_what_is_there(pool):
    N_A, N_B, K = pool
    found = pd.optimal_mix_by_mva(SYSTEM_1, *pool)
    assert found <= N_A
    assert K - found <= N_B


def test_a_pool_of_one_class_does_not_care():
    for alpha, beta in itertools.product((0.0, 1.0), (0.0, 0.3, 1.0)):
        best = pd.optimal_admitted_mix(alpha, SYSTEM_1)
        assert (best.low, best.high) == (0, 1)
        alone = np.max(SYSTEM_1, axis=0)[0 if alpha else 1]
        assert pd.asymptotic_depletion_time(alpha, beta, SYSTEM_1) == pytest.approx(alone)


def test_times_far_away():
    found = pd.depletion(SYSTEM_1, 5, 5, 2, 2)
    assert found.cdf([-1.0, 0.0, math.inf]).tolist() == pytest.approx([0, 0, 1], abs=1e-12)


def by_enumeration(D, N_A, N_B, K):
    """Best policy by plain recursion over the states, from the words."""
    D, known = np.array(D), {}

    def value(pool_A, pool_B, a1, a2, b1, b2):
        state = pool_A, pool_B, a1, a2, b1, b2
        if not any(state):
            return 0.0
        if state not in known:
            rates, ahead = [], []
            for count, share, r, c in (
                (a1, a1 + b1, 0, 0),
                (b1, a1 + b1, 0, 1),
                (a2, a2 + b2, 1, 0),
                (b2, a2 + b2, 1, 1),
            ):
                if count:
                    rates.append(count / share / D[r, c])
                    ahead.append(following(state, r, c))
            known[state] = (1 + np.dot(rates, ahead)) / sum(rates)
        return known[state]

    def following(state, r, c):
        pool_A, pool_B, a1, a2, b1, b2 = state
        if r == 0:
            return value(pool_A, pool_B, a1 - (c == 0), a2 + (c == 0), b1 - (c == 1), b2 + (c == 1))
        a2, b2 = a2 - (c == 0), b2 - (c == 1)
        options = []
        if pool_A:
            options.append(value(pool_A - 1, pool_B, a1 + 1, a2, b1, b2))
        if pool_B:
            options.append(value(pool_A, pool_B - 1, a1, a2, b1 + 1, b2))
        return min(options) if options else value(0, 0, a1, a2, b1, b2)

    starts = [(N_A - a, N_B - K + a, a, 0, K - a, 0) for a in range(K + 1)]
    return [value(*s) if min(s) >= 0 else math.inf for s in starts]


@pytest.mark.parametrize(("N_A", "N_B", "K"), [(3, 2, 2), (2, 5, 3), (1, 3, 3), (4, 0, 2), (2, 2, 4)])
def test_the_best_policy(N_A, N_B, K):
    found = pd.best_policy(SYSTEM_1, N_A, N_B, K)
    assert found.tolist() == pytest.approx(by_enumeration(SYSTEM_1, N_A, N_B, K), rel=1e-12)
    for a in range(K + 1):
        if a <= N_A and K - a <= N_B:
            assert found[a] <= pd.depletion(SYSTEM_1, N_A, N_B, a, K - a).mean_time * (1 + 1e-12)


def test_the_best_mix_of_500_random_pools_is_that_of_all_mixes():
    random = np.random.default_rng(1)
    inside = 0
    for _ in range(500):
        D, K = 10 ** random.uniform(-1, 1, (2, 2)), int(random.integers(1, 19))
        N_A = int(random.integers(0, 40))
        N_B = int(random.integers(max(0, K - N_A), 40))
        times = {k: pd.depletion(D, N_A, N_B, k, K - k).mean_time for k in pd.whole_mixes(N_A, N_B, K)}
        found = pd.best_mix(D, N_A, N_B, K)
        assert times[found] == min(times.values())
        inside += min(times) < found < max(times)
    assert inside > 50


def test_energy_is_that_of_the_work_and_of_waiting():
    T = pd.depletion(SYSTEM_1, 70, 30, 5, 5).mean_time
    work = np.array(SYSTEM_1) @ (70, 30)
    assert pd.energy(SYSTEM_1, 70, 30, T, (1, 1), (1, 1)) == pytest.approx(2 * T)
    assert pd.energy(SYSTEM_1, 70, 30, T, (1, 0), (0, 0)) == pytest.approx(work[0])
