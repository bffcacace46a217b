"""Infinitely many levels: known queues, balance, heavy load."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mjq.solvers import chain, qbd


def random_rates(size, seed):
    rng = np.random.default_rng(seed)
    up, local, down = rng.exponential(size=(3, size, size))
    np.fill_diagonal(local, 0)
    return up, local, down


def with_diagonal(up, local, down):
    return local - np.diag((up + local + down).sum(axis=1) + np.diag(local))


@given(st.integers(1, 6), st.integers(0, 2**32 - 1), st.floats(0.05, 0.999))
def test_rate_matrix_is_the_minimal_solution(size, seed, load):
    up, local, down = random_rates(size, seed)
    phases = chain.stationary(up + local + down) if size > 1 else np.ones(1)
    up *= load * (phases @ down).sum() / (phases @ up).sum()  # near, not exactly, this load: phases move with it
    middle = with_diagonal(up, local, down)
    stationary = chain.stationary(up + local + down) if size > 1 else np.ones(1)
    assume((stationary @ up).sum() < 0.9995 * (stationary @ down).sum())
    R, residual = qbd.rate_matrix(up, middle, down)
    assert residual < 1e-12
    assert (R >= -1e-14).all()
    assert np.abs(np.linalg.eigvals(R)).max() < 1  # minimal: the other solutions are not below 1


@pytest.mark.parametrize("load", [0.5, 0.9, 0.99, 0.999, 0.999999])
def test_heavy_load_terminates_and_is_exact(load):
    R, residual = qbd.rate_matrix([[load]], [[-1 - load]], [[1]])
    assert 1 - R[0, 0] == pytest.approx(1 - load, rel=1e-9)
    assert residual < 1e-14


@given(st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_levels_against_a_cut_off_chain(size, seed):
    up, local, down = random_rates(size, seed)
    up *= 0.3
    middle = with_diagonal(up, local, down)
    phases = chain.stationary(up + local + down) if size > 1 else np.ones(1)
    assume((phases @ up).sum() <= 0.6 * (phases @ down).sum())
    bottom = local - np.diag((up + local).sum(axis=1) + np.diag(local))
    answer = qbd.stationary([(up, bottom, None), (None, None, down)], up, middle, down)
    height = 80
    Q = np.kron(np.eye(height, k=1), up) + np.kron(np.eye(height), local) + np.kron(np.eye(height, k=-1), down)
    cut_off = chain.stationary(Q).reshape(height, size)
    for n in range(20):
        assert answer.level(n) == pytest.approx(cut_off[n], rel=1e-6, abs=1e-12)
    k = np.arange(height - 1)[:, None]
    sums = answer.tail_sums(2)
    assert sums[1] == pytest.approx((k * cut_off[1:]).sum(axis=0), rel=1e-5)
    assert sums[2] == pytest.approx((k * (k - 1) / 2 * cut_off[1:]).sum(axis=0), rel=1e-4)


def test_a_failed_reduction_raises(monkeypatch):
    monkeypatch.setattr(qbd, "MOST_DOUBLINGS", 2)
    with pytest.raises(ArithmeticError, match="did not converge in 2 steps"):
        qbd.rate_matrix([[0.99]], [[-1.99]], [[1]])


@pytest.mark.parametrize("load", [0.3, 0.9, 0.9999])
def test_many_phases_are_solved_otherwise_to_the_same(load, monkeypatch):
    """By LAPACK, and then polished; here of few phases, whose answer is known to the last digits."""
    up, local, down = random_rates(8, 3)
    for _ in range(100):  # phases move with the load
        phases = chain.stationary(up + local + down)
        up *= load * (phases @ down).sum() / (phases @ up).sum()
    middle = with_diagonal(up, local, down)
    R, _ = qbd.rate_matrix(up, middle, down)
    monkeypatch.setattr(qbd, "EXACT_PHASES", 0)
    other, residual = qbd.rate_matrix(up, middle, down)
    assert other == pytest.approx(R, rel=1e-12 / (1 - load))
    assert residual < 1e-14


def two_kinds(state):
    """Two servers, two phases of arrivals, of which one brings no jobs while the system is empty."""
    phase, n = state
    yield (1 - phase, n), 0.7
    if phase or n:
        yield (phase, n + 1), 0.4 + phase
    if n:
        yield (phase, n - 1), 1.5 * min(n, 2)


def test_levels_of_a_rule_are_those_of_the_cut_off_chain():
    levels = qbd.Levels.of((0, 0), two_kinds, 2)
    answer = levels.stationary()
    states = [(phase, n) for n in range(200) for phase in (0, 1)]
    exact = chain.stationary(
        chain.generator(states, lambda state: (move for move in two_kinds(state) if move[0][1] < 200))
    ).reshape(200, 2)
    assert levels.states == [[(0, n), (1, n)] for n in range(4)]
    for n in range(6):
        assert answer.level(n) == pytest.approx(exact[n], rel=1e-9)
    n = np.arange(200)
    counts = [np.full(2, level) for level in range(3)]
    for k, falling in enumerate((1, n, n * (n - 1), n * (n - 1) * (n - 2))):
        assert answer.factorial_moment(counts, k) == pytest.approx((falling * exact.sum(axis=1)).sum(), rel=1e-8)
