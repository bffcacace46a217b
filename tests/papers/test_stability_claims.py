"""[GHS20] Claims that take long to set up: the proof, equation by equation, and identities in letters."""

from fractions import Fraction
from functools import cache
from itertools import product
from math import prod

import numpy as np
import pytest
import sympy as sp

from mjq import stability
from mjq.models.stability.proof import differences
from mjq.solvers import symbolic

M1, M2, P = sp.symbols("mu_1 mu_2 p_1", positive=True)
SIZE = 30, 3, 10
LETTERS = *SIZE, M1, M2, P
CLASSES = ("4.1", "4.2")  # Eq. (4) for completions of either class


def states_of(n, n1, n2):
    return [tuple(state) for state in stability.saturated_states(n, n1, n2).tolist()]


def weight(state, system):
    """The product of Eq. (2), without its constant, as the chapter writes it."""
    blk, i, j = state
    n, n1, n2, mu1, mu2, p1 = system

    def rho(c, s):
        return (s[1] * mu1, s[2] * mu2)[c - 1] / (s[1] * mu1 + s[2] * mu2)

    small = [p1 / rho(1, stability.u(x, n, n1, n2)) for x in range(1, i + 1)]
    large = [(1 - p1) / rho(2, stability.v(y, n, n1, n2)) for y in range(1, j + 1)]
    return prod(small) * prod(large) * (1 - p1) ** blk


@cache
def lettered():
    return differences(LETTERS, {state: weight(state, LETTERS) for state in states_of(*SIZE)})


@cache
def fractions():
    """What the equations leave in sixty random systems, all together."""
    dice, gaps = np.random.default_rng(2020), {}
    for _ in range(60):
        small, large, servers = sorted(map(int, dice.integers(1, 25, 3)))
        tenths = [Fraction(int(k), 10) for k in dice.integers(1, 10, 3)]
        system = servers, small, large, *tenths
        found = differences(system, {state: weight(state, system) for state in states_of(servers, small, large)})
        for key, left in found.items():
            gaps.setdefault(key, []).extend(left)
    return gaps


def vanish(gaps, *equations):
    left = [gap and sp.cancel(gap) for key in equations for gap in gaps[key]]
    return bool(left) and not any(left)


@pytest.mark.parametrize("equation", [*CLASSES, "6", "7", "8", "11"])
def test_equations_hold_with_letters(equation):
    """Eq. (4) for each class, and with it their sum, Eq. (3); Eqs. (6) to (8), and Eq. (11), which is Lemma 5.2."""
    assert vanish(lettered(), equation)


@pytest.mark.parametrize("equation", [*CLASSES, "5", "6", "7", "8", "11", *"abcd"])
def test_equations_hold_in_random_systems(equation):
    """Those with letters, Eq. (5), and each kind of step in the table of neighbours, which all occur."""
    assert vanish(fractions(), equation)


def test_another_weight_in_one_state_is_seen_by_the_steps_and_by_the_balance():
    """The equations hold for the product form, and for nothing else: in random systems with one weight doubled."""
    dice = np.random.default_rng(7)
    for _ in range(40):
        small, large, servers = sorted(map(int, dice.integers(1, 17, 3)))
        system = servers, small, large, *(Fraction(int(k), 10) for k in dice.integers(1, 10, 3))
        weights = {state: weight(state, system) for state in states_of(servers, small, large)}
        weights[sorted(weights)[dice.integers(len(weights))]] *= 2
        found = differences(system, weights)
        for equations in ("abcd", CLASSES):
            assert any(x for key in equations for x in found[key]) == (len(weights) > 1)


K = sp.Symbol("k", positive=True)
FASTER = {M1: K * M1, M2: K * M2}


def test_time_shares_do_not_change():
    """Claim 1, first proof: without its constant, the time in each state changes by one factor, the weight not."""
    for state in states_of(*SIZE):
        time = weight(state, LETTERS) / (state[1] * M1 + state[2] * M2)
        assert sp.cancel(K * time.subs(FASTER) / time - 1) == 0


def test_clock_runs_k_times_as_fast():
    """Claim 1, second proof."""
    generator = symbolic.generator(states_of(*SIZE), lambda s: stability.saturated_transitions(s, *LETTERS))
    assert (generator.subs(FASTER) - K * generator).expand().is_zero_matrix


def test_product_of_chances_is_stationary():
    """Theorem 8.2 for three servers and three needs, with letters."""
    p = {1: sp.Symbol("p_1"), 2: sp.Symbol("p_2")}
    p[3] = 1 - p[1] - p[2]
    vectors = list(product(p, repeat=3))
    guess = {s: prod(p[need] for need in s) for s in vectors}
    comes_to = dict.fromkeys(vectors, 0)
    for s in vectors:
        in_service = int((np.cumsum(s) <= 3).sum())
        for place in range(in_service):
            for need, chance in p.items():
                comes_to[*s[:place], *s[place + 1 :], need] += guess[s] * chance / in_service
    assert all(sp.expand(comes_to[s] - guess[s]) == 0 for s in vectors)
