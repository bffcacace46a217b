"""Strict priorities: closed forms, the chain, a plain chain and a plain simulation, limits and laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mjq import System, scheduling
from mjq.models.scheduling import priorities
from mjq.simulation import simulate_multiserver
from mjq.solvers import chain

ROOM = 60  # of high jobs in the plain chain: at the loads that are tried, longer queues weigh nothing

places, loads, rates = st.integers(1, 12), st.floats(0.05, 0.95), st.floats(0.2, 5)
small = settings(max_examples=20, deadline=None)


def alone(B, need, rate):
    return rate * min(size // part for size, part in zip(np.ravel(B), np.ravel(need), strict=True) if part)


def plainly(lam, B, needs, mu, low):
    """Low jobs per unit of time, if class 0 goes first, whose queue is cut off; `low` are shares of the others."""
    needs = np.array(needs, dtype=float).reshape(len(mu), -1)

    def fits(m, kind):
        return bool((np.array(m) @ needs + needs[kind] <= np.ravel(B) + 1e-9).all())

    def plus(m, kind, by=1):
        return tuple(number + by * (k == kind) for k, number in enumerate(m))

    def start(m, waiting, head, chance=1.0):
        if waiting and fits(m, 0):
            yield from start(plus(m, 0), waiting - 1, head, chance)
        elif not waiting and fits(m, head):
            for k, share in enumerate(low):
                yield from start(plus(m, head), 0, k + 1, chance * share)
        else:
            yield (m, waiting, head), chance

    def rule(state):
        m, waiting, head = state
        if waiting < ROOM:
            yield from ((after, lam * chance) for after, chance in start(m, waiting + 1, head))
        for kind, number in enumerate(m):
            if number:
                yield from ((to, number * mu[kind] * chance) for to, chance in start(plus(m, kind, -1), waiting, head))

    states = chain.explore([next(iter(start((0,) * len(mu), 0, 1)))[0]], rule)
    pi = chain.stationary(chain.generator(states, rule), states)
    return float(pi @ np.array([state[0] for state in states])[:, 1:] @ np.array(mu)[1:])


@small
@given(places, loads, rates, rates)
def test_the_closed_forms_are_the_chain(n, load, mu, m):
    system = n, (n, 1), (1 / m, mu), (0.5, 0.5)
    beside = scheduling.left_beside_whole_jobs(load / m, n, mu, m)
    assert scheduling.left_by_chain(load / m, *system, 0) == pytest.approx(beside, rel=1e-9)
    of_whole = scheduling.left_for_whole_jobs(load * n * mu, n, mu, m)
    assert scheduling.left_by_chain(load * n * mu, *system, 1) == pytest.approx(of_whole, rel=1e-9)


@st.composite
def machines(draw):
    """A machine of one resource or two, a high class with few that wait, and low classes."""
    d, classes = draw(st.integers(1, 2)), draw(st.integers(2, 3))
    B = tuple(draw(st.lists(st.integers(1, 6), min_size=d, max_size=d)))
    need = st.tuples(*(st.integers(0, size) for size in B)).filter(any)
    needs = draw(st.lists(need, min_size=classes, max_size=classes))
    mu = draw(st.lists(rates, min_size=classes, max_size=classes))
    share = draw(st.floats(0.1, 0.9))
    low = (1.0,) if classes == 2 else (share, 1 - share)
    most = min(alone(B, needs[0], mu[0]), 2 * min(mu))  # few come while a slow low job is in service
    return draw(st.floats(0.05, 0.5)) * most, B, needs, mu, low


@small
@given(machines())
def test_the_chain_is_the_plain_one(machine):
    lam, B, needs, mu, low = machine
    mix = (0.5, *(share / 2 for share in low))
    expected = plainly(lam, B, needs, mu, low)
    assert scheduling.left_by_chain(lam, B, needs, mu, mix, 0) == pytest.approx(expected, rel=1e-8)
    assert System(B, needs, mu, mix).capacity_left(high=0, lam=lam) == pytest.approx(expected, rel=1e-8)


@small
@given(machines(), st.floats(0.1, 0.9))
def test_a_class_may_be_split_and_named_in_any_order(machine, share):
    """Half of the high jobs, or of the low ones, get another name; the last class comes first."""
    lam, B, needs, mu, low = machine
    mix = (0.5, *(x / 2 for x in low))
    whole = scheduling.left_by_chain(lam, B, needs, mu, mix, 0)
    split = (mix[0] * share, mix[0] * (1 - share), *mix[1:])
    twice = scheduling.left_by_chain(lam, B, [needs[0], *needs], [mu[0], *mu], split, (0, 1))
    assert twice == pytest.approx(whole, rel=1e-8)
    backwards = scheduling.left_by_chain(lam, B, needs[::-1], mu[::-1], mix[::-1], len(mu) - 1)
    assert backwards == pytest.approx(whole, rel=1e-8)


@small
@given(machines())
def test_limits(machine):
    """Hardly any high jobs leave the low ones their capacity; more of them leave no more work than the machine has."""
    lam, B, needs, mu, low = machine
    mix = (0.5, *(share / 2 for share in low))
    system = System(B, needs, mu, mix)
    without = System(B, needs[1:], mu[1:], low).capacity
    assert system.capacity_left(high=0, lam=1e-9) == pytest.approx(without, rel=1e-6)
    b = np.array(needs)
    work = lam / mu[0] * b[0] + system.capacity_left(high=0, lam=lam) * (np.array(low) / mu[1:]) @ b[1:]
    assert (work <= np.array(B) * (1 + 1e-9)).all()


@small
@given(machines())
def test_where_high_jobs_never_wait_nobody_notices_them(machine):
    """They have a resource of their own, with thirty places for one job at a time."""
    _, B, needs, mu, low = machine
    both = [(0, *need) for need in needs]
    both[0] = (1, *(0 for _ in B))
    left = scheduling.left_by_chain(mu[0], (30, *B), both, mu, (0.5, *(share / 2 for share in low)), 0)
    assert left == pytest.approx(System(B, needs[1:], mu[1:], low).capacity, rel=1e-9)


@pytest.mark.parametrize(
    ("high", "law"), [("whole", "always the same"), ("whole", "two values"), ("small", "exponential")]
)
def test_beside_a_plain_simulation(high, law):
    """The closed forms, for whole-machine jobs of other laws than the exponential one, too."""
    rng, n, mu, m = np.random.default_rng([7, len(law)]), 5, 1.5, 0.8
    lam = 0.5 / m if high == "whole" else 0.5 * n * mu
    draw = {
        "always the same": lambda: m,
        "two values": lambda: m * rng.choice([0.25, 4.0], p=[0.8, 0.2]),
        "exponential": lambda: m * rng.exponential(),
    }[law]
    spans = [
        cycle_of_whole(rng, lam, n, mu, draw) if high == "whole" else cycle_of_small(rng, lam, n, mu, draw)
        for _ in range(4000)
    ]
    done, time = np.array(spans).T
    formula = scheduling.left_beside_whole_jobs if high == "whole" else scheduling.left_for_whole_jobs
    ratio = done.mean() / time.mean()
    error = (done - ratio * time).std() / np.sqrt(len(time)) / time.mean()
    assert abs(ratio - formula(lam, n, mu, m)) < 4 * error


def cycle_of_whole(rng, lam, n, mu, draw):
    """Low jobs and time, from a full machine without high jobs to the next one."""
    clock = next_high = rng.exponential(1 / lam)
    done = rng.poisson(n * mu * clock)
    clock += rng.exponential(1 / mu, n).max()
    while next_high <= clock:  # high jobs one after the other, until none is left
        clock += draw()
        next_high += rng.exponential(1 / lam)
    return done + n, clock


def cycle_of_small(rng, lam, n, mu, draw):
    """One low job, and the time until the next one may start."""
    clock = draw()
    there = rng.poisson(lam * clock)
    while there:
        rate = lam + min(there, n) * mu
        clock += rng.exponential(1 / rate)
        there += 1 if rng.random() < lam / rate else -1
    return 1, clock


def test_priority_of_no_class_or_of_all_is_order_of_arrival():
    system = dict(lam=1.0, B=4, b=(1, 3), mu=(1.0, 0.5), p=(0.6, 0.4))
    in_order = simulate_multiserver(**system, jobs=5000, seed=3)
    for name in ("strict-priority-0", "strict-priority-2", "strict-priority-7"):
        assert simulate_multiserver(**system, jobs=5000, seed=3, policy=name).mean_wait == in_order.mean_wait
        assert scheduling.finite_queue(**system, room=5, policy=name) == scheduling.finite_queue(**system, room=5)
    assert simulate_multiserver(**system, jobs=5000, seed=3, policy="strict-priority-1").mean_wait != in_order.mean_wait


def test_a_solution_that_did_not_converge_is_refused(monkeypatch):
    monkeypatch.setattr(priorities, "FLOW_ERROR", -1.0)
    with pytest.raises(ArithmeticError, match="high jobs come at rate 1 and complete at 1"):
        scheduling.left_by_chain(1, 4, (1, 2), (1, 1), (0.5, 0.5), 0)
