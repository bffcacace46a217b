"""Strict priorities: closed forms, the chain, a plain chain and a plain simulation, limits and laws."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mjq import System, scheduling
from mjq._util import checks
from mjq.models.scheduling import priorities
from mjq.simulation import simulate_multiserver
from mjq.simulation.engine.policy import Policy
from mjq.simulation.engine.queue import NOBODY, fits
from mjq.simulation.policies import POLICIES
from mjq.solvers import chain

ROOM = 60  # of high jobs in the plain chain: at the loads that are tried, longer queues weigh nothing

places, loads, rates = st.integers(1, 12), st.floats(0.05, 0.95), st.floats(0.2, 5)
small = settings(max_examples=20, deadline=None)


def first_class_first(jobs, line, serving, memory, profile, running, free, now):
    """The first job of class 0, if it fits; of the others, the one that came first, if no job of class 0 waits."""
    job = line[0].first
    if job == NOBODY:
        job = line[len(line) - 1].first
    return job if fits(line[jobs[job].kind].need, free) else NOBODY


def alone(B, need, rate):
    """The capacity of one class without others."""
    return rate * min(size // part for size, part in zip(np.ravel(B), np.ravel(need), strict=True) if part)


def plainly(lam, B, needs, mu, low):
    """Low jobs per unit of time, if class 0 goes first, whose queue is cut off; `low` are shares of the others."""
    needs = np.array(needs, dtype=float).reshape(len(mu), -1)

    def fits(m, kind):
        return bool((np.array(m) @ needs + needs[kind] <= np.ravel(B) + 1e-9).all())

    def plus(m, kind, by=1):
        return tuple(number + by * (k == kind) for k, number in enumerate(m))

    def start(m, waiting, head, chance=1.0):
        """Whoever may start does, one after the other."""
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
    """A machine of one resource or two, a high class with its rate below half of what it can do alone, and low ones."""
    d, classes = draw(st.integers(1, 2)), draw(st.integers(2, 3))
    B = tuple(draw(st.lists(st.integers(1, 6), min_size=d, max_size=d)))
    need = st.tuples(*(st.integers(0, size) for size in B)).filter(any)
    needs = draw(st.lists(need, min_size=classes, max_size=classes))
    mu = draw(st.lists(rates, min_size=classes, max_size=classes))
    share = draw(st.floats(0.1, 0.9))
    low = (1.0,) if classes == 2 else (share, 1 - share)
    return draw(st.floats(0.05, 0.5)) * alone(B, needs[0], mu[0]), B, needs, mu, low


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


def test_a_low_class_that_needs_nothing_of_the_high_one_still_loses():
    """One place each: the low one stands idle while a high job waits, from its own end on."""
    left = [scheduling.capacity_left(load, (1, 1), [(1, 0), (0, 1)], (1, 1), (0.5, 0.5), 0) for load in (0.3, 0.6, 0.9)]
    assert all(0 < later < sooner < 1 for sooner, later in pairwise(left))
    assert all(x > 1 - load for x, load in zip(left, (0.3, 0.6, 0.9), strict=True))  # it serves beside high jobs, too


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


@pytest.mark.parametrize(
    ("load", "B", "needs", "mu", "low"),
    [
        (0.5, 10, (10, 1), (1.0, 1.0), (1.0,)),
        (0.3, 4, (1, 4), (1.5, 0.8), (1.0,)),
        (0.5, 8, (4, 1), (1.0, 1.0), (1.0,)),
        (0.6, 6, (2, 3, 1), (2.5, 0.625, 1.0), (0.4, 0.6)),
        (0.7, (6, 4), [(2, 1), (1, 2), (3, 0)], (1.0, 2.0, 0.5), (0.5, 0.5)),
        (0.8, (3, 3), [(1, 0), (0, 1)], (1.0, 1.0), (1.0,)),
    ],
)
def test_beside_the_simulator(monkeypatch, load, B, needs, mu, low):
    """Twice as many low jobs come as are done, so their queue does not run dry; high ones complete as they come."""
    monkeypatch.setitem(POLICIES, "first-class-first", Policy(first_class_first, ""))
    lam = load * alone(B, needs[0], mu[0])
    mix = np.array([0.5, *(share / 2 for share in low)])
    left = scheduling.capacity_left(lam, B, needs, mu, mix, 0)
    rates_of_arrival = np.array([lam, *(2 * left * share for share in low)])
    total = rates_of_arrival.sum()
    run = simulate_multiserver(
        total, B, needs, mu, rates_of_arrival / total, 20_000, 3, policy="first-class-first", replications=20
    )
    assert lam + left in run.throughput.widened(2)
    assert run.throughput.half_width < 0.02 * total


def test_rates_out_of_a_state_are_those_of_arrivals_and_completions():
    """Out of every state, the rates of arrivals and completions are those of the jobs there."""
    system = dict(lam=3, B=4, b=(1, 2, 3), mu=(1, 2, 5), high=(0.5, 0.5, 0), low=(0, 0, 1))
    state = (2, 0, 0), 2, 1, 1
    total = sum(rate for _, rate in scheduling.priority_transitions(state, **system))
    assert total == pytest.approx(3 + 2 * 1)


def test_what_cannot_be_solved_is_refused():
    system = System(64, (1, 2, 4, 8), (1, 1, 1, 1), (0.25, 0.25, 0.25, 0.25))
    with pytest.raises(checks.TooLarge, match="more than 2000 phases"):
        system.capacity_left(high=(2, 3), lam=1)
    with pytest.raises(ValueError, match="an order of the classes"):
        System(4, (1, 2), (1, 1), (0.5, 0.5), order=0.5).capacity_left(high=0, lam=1)
    with pytest.raises(ValueError, match="ask its pool"):
        System(4, (1, 2), (1, 1), (0.5, 0.5), hosts=2).capacity_left(high=0, lam=1)


@pytest.mark.parametrize(
    ("high", "lam", "words"),
    [
        (2, 1, "high must be places of classes, from 0 to 1, got"),
        (-1, 1, "each of high must be a whole number of at least 0"),
        ((0, 1), 1, "another one low"),
        ((), 1, "must be high"),
        (0, 0, "lam must be positive"),
        (0, -1, "lam must be positive"),
        (0, 4, "lam 4 is not below the capacity 4 of the high classes alone"),
        (1, 2, "lam 2 is not below the capacity 2 of the high classes alone"),
    ],
)
def test_bad_input(high, lam, words):
    with pytest.raises(ValueError, match=words):
        System(4, (1, 2), (1, 1), (0.5, 0.5)).capacity_left(high, lam)


def test_bad_input_of_the_closed_forms():
    with pytest.raises(ValueError, match=r"lam m must be below 1, got 1 \* 1"):
        scheduling.left_beside_whole_jobs(1, 4, 1, 1)
    with pytest.raises(ValueError, match=r"lam must be below n mu, got 4 and 4 \* 1"):
        scheduling.left_for_whole_jobs(4, 4, 1, 1)
    for formula in (scheduling.left_beside_whole_jobs, scheduling.left_for_whole_jobs):
        with pytest.raises(ValueError, match="lam must be positive"):
            formula(0, 4, 1, 1)
        with pytest.raises(ValueError, match="n must be a whole number"):
            formula(0.5, 2.5, 1, 1)
    with pytest.raises(ValueError, match="need 7 exceeds resource 6"):
        scheduling.capacity_left(0.1, 6, (7, 1), (1, 1), (0.5, 0.5), 0)


def test_a_solution_that_did_not_converge_is_refused(monkeypatch):
    monkeypatch.setattr(priorities, "FLOW_ERROR", -1.0)
    with pytest.raises(ArithmeticError, match="high jobs come at rate 1 and complete at 1"):
        scheduling.left_by_chain(1, 4, (1, 2), (1, 1), (0.5, 0.5), 0)
