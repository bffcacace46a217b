"""What is no chain, no distribution or too large is refused, and the error names it."""

import math

import numpy as np
import pytest
from scipy import sparse

from mjq import fluid
from mjq.solvers import chain, drain, product_form, qbd
from mjq.solvers.phase_type import PhaseType, coxian, exponential, hyperexponential, mixed_erlang
from mjq.solvers.transient import Transient
from tests.models.test_fluid import ONE, open_queue
from tests.solvers.test_chain import birth_and_death
from tests.solvers.test_product_form import two_chains

TWO_STATES = [[0, 1], [0, 0]]


def hub():
    """One state next to all others: no order makes the band narrow."""
    rates = sparse.lil_array((20_000, 20_000))
    rates[0, 1:] = rates[1:, 0] = 1.0
    return rates


def two_classes():
    rates = np.zeros((4, 4))
    rates[0, 1] = rates[1, 0] = rates[2, 3] = rates[3, 2] = 1
    return rates


def three_letters():
    return chain.generator("abc", lambda s: {"a": [("b", 1)], "b": [("a", 1)], "c": [("a", 1)]}[s])


def stiff():
    rule = birth_and_death(1e-150, 1e150, 3)
    return chain.generator(range(4), lambda n: rule(n) if n < 3 else [])


def loops(classes, jobs):
    pairs = [("q", c) for c in range(classes)]
    routing = {pair: {pair: 1} for pair in pairs}
    return fluid.Network({"q": 1}, dict.fromkeys(pairs, ONE), routing, population=dict.fromkeys(pairs, jobs))


def in_parts():
    pairs = ("q", 1), ("r", 1), ("q", 2)
    routing = {pairs[0]: {pairs[0]: 1}, pairs[1]: {pairs[1]: 1}, pairs[2]: {pairs[0]: 0.5, pairs[1]: 0.5}}
    return fluid.Network({"q": 1, "r": 1}, dict.fromkeys(pairs, ONE), routing, population={pairs[2]: 1})


REFUSALS = [
    # Chains
    (lambda: chain.stationary(two_classes(), "abcd"), "2 closed classes of states, such as a, b; c, d"),
    (lambda: chain.stationary(np.eye(3)[[1, 2, 1]], ["start", "x", "y"]), "leaves these states for ever: start"),
    (lambda: chain.stationary(np.zeros((0, 0))), "no states"),
    (lambda: chain.stationary(np.array([[0, -1.0], [1, 0]])), "negative"),
    (lambda: chain.stationary(hub()), "too many to eliminate"),
    (lambda: chain.generator([0, 1], lambda n: [(1 - n, 1 if n else -1.0)]), r"got -1\.0 out of state 0"),
    (lambda: chain.generator([0, 1], lambda n: [(1 - n, 1 if n else math.nan)]), "got nan out of state 0"),
    (lambda: chain.generator([0], lambda n: [(n + 1, 1)]), "not among the states"),
    (lambda: chain.explore([0], lambda n: [(n + 1, 1)], limit=100), "more than 100 states"),
    (lambda: chain.absorption_times(three_letters(), [2], states="abc"), "reached from a, b"),
    (lambda: chain.absorption_times(three_letters(), []), "no absorbing state"),
    (lambda: chain.absorption_times(stiff(), [3]), "lie so far apart"),
    (lambda: qbd.rate_matrix([[1.2]], [[-2.2]], [[1]]), "levels rise at rate"),
    (lambda: qbd.rate_matrix([[1.0]], [[-2.0]], [[1]]), "levels rise at rate"),
    (lambda: Transient([1, 0], np.eye(3)), "Q must have a row and a column for each of 2 states"),
    (lambda: Transient([1, 0], np.array([[0, -1], [0, 0]])), "rates of Q off its diagonal must be finite and not neg"),
    (lambda: Transient([1, 0], sparse.csr_array([[0, np.nan], [0, 0]])), "rates of Q off its diagonal must be finite"),
    (lambda: Transient([1, -1], TWO_STATES), "start must not be negative"),
    (lambda: Transient([1, 0], TWO_STATES, [1, 2]), "values must have a row for each of 2 states"),
    (lambda: Transient([1, 0], [[0, 1], [2, 0]]).at([1.0, 1e20]), r"times up to 1e\+20 are too long for rates up to 2"),
    # Configurations
    (lambda: drain.configurations(1000, [1, 2], limit=1000), "more than 1000 configurations"),
    (lambda: drain.configurations(256, [1, 2, 4, 8, 16, 32, 64]), "more than 20000000 configurations fit into 256"),
    (lambda: drain.configurations(5e9, [1]), "jobs of one class fit"),
    (lambda: drain.configurations(1.0, [1e-300, 1e-300]), "aggregate classes"),
    (lambda: drain.configurations(1.0, [1.0] * 40), "40 classes with up to 1 jobs each are too many to number"),
    (lambda: drain.configurations(64, range(1, 21)), "to number: aggregate classes, simulate, or, where all rates are"),
    # Phase-type distributions
    (lambda: PhaseType([0.5], [[-1.0]]), "alpha must sum to 1"),
    (lambda: PhaseType([1.0], [[1.0]]), "the diagonal of T must be negative"),
    (lambda: PhaseType([1.0, 0.0], [[-1.0]]), "a row and a column for each phase"),
    (lambda: PhaseType([1, 0], [[-1, -1], [0, -1]]), "must not be negative"),
    (lambda: PhaseType([1, 0], [[-1, 2], [0, -1]]), "must not sum to more than 0"),
    (lambda: PhaseType([1, 0], [[-1, 1], [1, -1]]), "no way out of phase 0"),
    (lambda: coxian(1, 0.4), "at least 0.5, got 0.4"),
    (lambda: hyperexponential(1, 0.9), "at least 1, got 0.9"),
    (lambda: mixed_erlang(1, 1.1), "at most 1 and, here, at least 0.001; got 1.1"),
    (lambda: exponential(1).quantile(1.0), "u must be at least 0 and below 1, got 1"),
    (lambda: exponential(1).cdf([1, math.nan]), "times must be finite"),
    (lambda: exponential(1e-20).cdf([0.0, 1.0]), "too long for rates"),
    # Networks
    (lambda: product_form.means(open_queue(1.0)), "'q' is unstable: the open classes need 1 of its 1 servers"),
    (lambda: product_form.means(loops(1, 0.5)), "whole numbers"),
    (lambda: product_form.means(in_parts()), "falls into parts between which jobs cannot move"),
    (lambda: product_form.means(loops(3, 46)), "103823 population vectors are more than"),
    (lambda: product_form.means(two_chains(queues=28, jobs=28, first=2)), "56 closed jobs are too many for the range"),
]


@pytest.mark.parametrize(("call", "words"), REFUSALS)
def test_the_reason_is_named(call, words):
    with pytest.raises((ValueError, ArithmeticError), match=words):
        call()
