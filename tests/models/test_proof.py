"""The equations of the proof hold for the product form, and for nothing else."""

from fractions import Fraction
from math import prod

from hypothesis import given
from hypothesis import strategies as st

from mjq import stability
from mjq.models.stability.proof import differences

EVERY = {"4.1", "4.2", "5", "6", "7", "8", "11", "a", "b", "c", "d"}


@st.composite
def systems(draw):
    n = draw(st.integers(1, 16))
    n2 = draw(st.integers(1, n))
    tenths = [Fraction(draw(st.integers(1, 9)), 10) for _ in range(3)]
    return n, draw(st.integers(1, n2)), n2, *tenths


def product_form(system):
    """Eq. (2) without its constant, as it stands there."""
    *size, mu1, mu2, p1 = system

    def share(c, state):
        return state[c] * (mu1, mu2)[c - 1] / (state[1] * mu1 + state[2] * mu2)

    def weight(blk, i, j):
        first = [p1 / share(1, stability.u(x, *size)) for x in range(1, i + 1)]
        second = [(1 - p1) / share(2, stability.v(y, *size)) for y in range(1, j + 1)]
        return prod(first + second) * (1 - p1) ** blk

    states = [tuple(map(int, state)) for state in stability.saturated_states(*size)]
    return {state: weight(*state) for state in states}


@given(systems())
def test_all_vanish_for_the_product_form(system):
    found = differences(system, product_form(system))
    assert set(found) == EVERY
    assert not any(x for gaps in found.values() for x in gaps)


@given(systems(), st.data())
def test_another_weight_in_one_state_is_seen_by_the_steps_and_by_the_balance(system, data):
    pi = product_form(system)
    state = data.draw(st.sampled_from(sorted(pi)))
    pi[state] *= 2
    found = differences(system, pi)
    for keys in ("abcd", ("4.1", "4.2")):
        assert any(x for key in keys for x in found[key]) == (len(pi) > 1)


def test_each_equation_occurs_in_some_system():
    size = 30, 3, 10
    of_example = differences((*size, 2, 3, Fraction(1, 4)), product_form((*size, 2, 3, Fraction(1, 4))))
    assert {key for key, gaps in of_example.items() if gaps} == EVERY - {"5", "d"}
    of_equal_needs = differences((3, 1, 1, 2, 3, Fraction(1, 4)), product_form((3, 1, 1, 2, 3, Fraction(1, 4))))
    assert {key for key, gaps in of_equal_needs.items() if gaps} == {"4.1", "4.2", "5", "d"}
