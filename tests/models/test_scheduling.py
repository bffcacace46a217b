"""Policies exact: small queues as finite chains, by limits and by laws; the shadow time."""

from math import factorial

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from mjq.models import scheduling
from mjq.models.processing_capacity import sojourn
from mjq.solvers import chain, symbolic

POLICIES = [name.replace("<number>", "1") for name in scheduling.POLICIES]
TWO = 2, (1, 2), (3.0, 5.0), (0.5, 0.5)


@pytest.mark.parametrize("policy", POLICIES)
def test_without_room_it_is_a_loss_system(policy):
    """Erlang's formula: four servers at load 3."""
    lost = 3**4 / factorial(4) / sum(3**n / factorial(n) for n in range(5))
    queue = scheduling.finite_queue(3, 4, [1], [1], [1], room=0, policy=policy)
    assert queue.accepted == pytest.approx(1 - lost, rel=1e-12) and queue.mean_queue == 0
    assert queue.utilization == pytest.approx(3 * (1 - lost) / 4, rel=1e-12)


def test_much_room_is_the_infinite_queue():
    lam = 0.9
    queue, infinite = scheduling.finite_queue(lam, *TWO, room=9), sojourn(lam, *TWO)
    assert queue.mean_queue == pytest.approx(infinite.mean_queue, rel=1e-3)
    assert queue.utilization == pytest.approx(
        lam * sum(p * b / mu / 2 for b, mu, p in zip(*TWO[1:], strict=True)), rel=1e-3
    )


def test_classes_that_never_come_do_not_matter():
    plain = scheduling.finite_queue(1, 4, [1, 3], [1, 0.5], [0.6, 0.4], 3, "first-fit")
    assert scheduling.finite_queue(1, 4, [1, 9, 3], [1, 1, 0.5], [0.6, 0, 0.4], 3, "first-fit") == plain


@pytest.mark.parametrize("policy", POLICIES)
def test_letters_and_numbers_agree(policy):
    lam, mu = sp.symbols("lambda mu", positive=True)
    half = sp.Rational(1, 2)

    def rule(state, x=lam, y=mu):
        return scheduling.transitions(state, x, 2, (1, 2), (y, y), (half, half), 1, policy)

    states = chain.explore([scheduling.empty(2, policy)], rule)
    pi = symbolic.stationary(symbolic.generator(states, rule)).subs({lam: sp.Rational(3, 2), mu: 2})
    waiting = [len(scheduling.served_and_waiting(state, 2, (1, 2), policy)[1]) for state in states]
    queue = scheduling.finite_queue(1.5, 2, (1, 2), (2, 2), (0.5, 0.5), 1, policy)
    assert float(sum(x * n for x, n in zip(pi, waiting, strict=True))) == pytest.approx(queue.mean_queue, rel=1e-12)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4)), max_size=6), st.integers(0, 5), st.data())
def test_the_shadow_time_is_the_first_instant_that_has_room(running, free, data):
    need = data.draw(st.integers(1, max(1, free + sum(held for _, held in running))))

    def left(instant):
        return free + sum(held for end, held in running if end <= instant) - need

    if left(9) < 0:
        with pytest.raises(ValueError, match="exceeds resource"):
            scheduling.shadow_time(3, free, need, running)
        return
    shadow, extra = scheduling.shadow_time(3, free, need, running)
    assert shadow >= 3 and extra == left(shadow) >= 0
    assert all(left(instant) < 0 for instant in range(3, shadow))
