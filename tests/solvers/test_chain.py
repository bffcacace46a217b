"""Markov chains from a rule: laws of balance, known answers, stiffness, bad chains."""

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg

from mjq._util.budget import NotInTime, within
from mjq.solvers import chain, symbolic
from tests import rational


def birth_and_death(up, down, top):
    def transitions(n):
        if n < top:
            yield n + 1, up
        if n > 0:
            yield n - 1, down

    return transitions


@given(st.integers(2, 12), st.integers(0, 2**32 - 1))
def test_stationary_solves_the_balance_equations(size, seed):
    rng = np.random.default_rng(seed)
    Q = rng.exponential(size=(size, size)) * (rng.random((size, size)) < 0.5)
    Q[np.arange(size), np.arange(size) - 1] += 1  # a cycle, so that the chain is irreducible
    np.fill_diagonal(Q, 0)
    pi = chain.stationary(Q)
    assert (pi > 0).all()
    assert pi.sum() == pytest.approx(1, abs=1e-14)
    assert pi @ (Q - np.diag(Q.sum(axis=1))) == pytest.approx(0, abs=1e-13)
    kernel = linalg.null_space((Q - np.diag(Q.sum(axis=1))).T)[:, 0]
    assert pi == pytest.approx(kernel / kernel.sum(), rel=1e-9)


@pytest.mark.parametrize("ratio", [1e-12, 1e-3, 1, 1e9, 1e15])
def test_each_probability_is_accurate_for_stiff_rates(ratio):
    rule = birth_and_death(ratio, 1.0, 20)
    states = chain.explore([0], rule)
    pi = dict(zip(states, chain.stationary(chain.generator(states, rule)), strict=True))
    weights = [sp.Rational(ratio) ** n for n in range(21)]
    for n in range(21):  # relative accuracy, down to probabilities of 1e-300
        assert pi[n] == pytest.approx(float(weights[n] / sum(weights)), rel=1e-13)


def test_an_elimination_in_slices_is_the_same_and_ends_where_its_budget_does(monkeypatch):
    rates = np.random.default_rng(3).random((150, 150)) ** 4
    at_once = chain.stationary(rates)
    monkeypatch.setattr(chain, "SLICE", 1)
    assert (chain.stationary(rates) == at_once).all()
    with pytest.raises(NotInTime), within(0):
        chain.stationary(rates)


def test_long_chains_are_banded():
    rule = birth_and_death(1.0, 2.0, 20_000)
    states = chain.explore([0], rule)
    pi = chain.stationary(chain.generator(states, rule))
    assert pi[0] == pytest.approx(0.5, rel=1e-12)
    assert pi[states.index(30)] == pytest.approx(0.5**31, rel=1e-12)


@given(st.fractions(1 / 10, 10), st.fractions(1 / 10, 10), st.integers(1, 4))
def test_symbols_and_numbers_agree(up, down, top):
    a, d = sp.symbols("a d", positive=True)
    rule = birth_and_death(a, d, top)
    letters = symbolic.stationary(symbolic.generator(range(top + 1), rule))
    values = {a: sp.Rational(up.numerator, up.denominator), d: sp.Rational(down.numerator, down.denominator)}
    numbers = chain.stationary(chain.generator(range(top + 1), birth_and_death(float(up), float(down), top)))
    assert numbers == pytest.approx([float(x.subs(values)) for x in letters], rel=1e-12)


@given(st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_each_absorption_time_is_accurate_for_stiff_rates(size, seed):
    """Rates over forty orders of magnitude."""
    rng = np.random.default_rng(seed)
    Q = 10 ** rng.uniform(-20, 20, (size + 1, size + 1)) * (rng.random((size + 1, size + 1)) < 0.6)
    Q[np.arange(size), np.arange(1, size + 1)] += 10 ** rng.uniform(-20, 20, size)  # to the last state, in the end
    np.fill_diagonal(Q, 0)
    exact = [float(x) for x in rational.until_absorption(Q[:size, :size].tolist(), Q[:size, size].tolist(), [1] * size)]
    assert chain.absorption_times(Q, [size])[:size] == pytest.approx(exact, rel=1e-13)
