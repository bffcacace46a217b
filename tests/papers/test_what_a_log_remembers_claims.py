"""Claims of the chapter *What a log remembers* that take more than a few lines to check."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq import near_saturation as ns
from mjq import processing_capacity as pc
from mjq.solvers import qbd
from mjq.workload.capacity.saturated import saturated_starts
from tests.conftest import systems


def alone(B, b, mu):
    return np.floor(B / np.asarray(b) * (1 + 1e-9)) * np.asarray(mu)


def mean_time(lam, B, b, mu, p, r):
    rows = pc.heads(p, r)
    levels = qbd.Levels.of((*[0] * len(b), 1, 0), lambda s: pc.transitions(s, lam, B, b, mu, rows), B // min(b) + 1)
    jobs = [[n] * len(states) for n, states in enumerate(levels.states[:-1])]
    return levels.stationary().factorial_moment(jobs, 1) / lam


@pytest.mark.parametrize("lengths", [(9,), (6, 12), (0, 18), (0, 0, 27)])
def test_any_rows_by_a_list_of_jobs(lengths):
    """Rounds of small jobs and a large one, in an order that is no Markov chain; large jobs of fixed length."""
    n, mean, dice = 10, 2.0, np.random.default_rng(len(lengths))
    phi = np.cumsum([0, *(1 / np.minimum(np.arange(1, 100), n))])
    row = dice.permutation(np.repeat(lengths, 60_000 // len(lengths)))
    ends = np.cumsum(row + 1) - 1
    large = np.zeros(ends[-1] + 1, dtype=bool)
    large[ends] = True
    run = np.where(large, mean, dice.exponential(size=len(large)))
    starts = saturated_starts(np.where(large, n, 1), run, n)
    expected = (np.mean(row) + 1) / (phi[row].mean() + mean)
    assert len(run) / (starts[-1] + run[-1]) == pytest.approx(expected, rel=0.01)


@given(systems(most_jobs=5))
def test_the_dispersion_grows_as_said(system):
    B, b, mu, p = system
    rates = alone(B, b, mu)
    X = 1 / np.sum(p / rates)
    limit = 2 * np.sum(p * (1 - X / rates) ** 2)
    slow = min(p) * min(mu) / max(mu)  # a row must last long against the jobs that it meets
    if limit > 1e-2 and slow > 1e-3:
        r = 1 - 1e-6
        assert (1 - r) * ns.relative_completions(*system, r).dispersion == pytest.approx(limit, rel=5e-3)


@pytest.mark.parametrize("share", [0.55, 0.7, 0.95])
@pytest.mark.parametrize(
    "system",
    [(6, (2, 3), (2.5, 0.625), (0.5, 0.5)), (4, (1, 4), (1, 1), (0.8, 0.2)), (5, (2, 3), (1, 0.5), (0.3, 0.7))],
)
def test_times_with_long_rows(system, share):
    """Exact times approach the formula; below the rate of slow rows they do not grow."""
    fast, slow = sorted(alone(*system[:3]), reverse=True)
    assert (fast, slow) == tuple(alone(*system[:3]))  # class 2 is the slow one
    p2 = system[3][1]
    X = 1 / ((1 - p2) / fast + p2 / slow)
    lam = share * X
    c2 = p2 * (1 - X / slow) ** 2 + (1 - p2) * (1 - X / fast) ** 2
    limit = c2 / (X - lam) * max(0, lam - slow) / (X - slow)
    errors = [abs((1 - r) * mean_time(lam, *system, r) - limit) for r in (0.99, 0.999, 0.9999)]
    assert errors[2] < errors[1] / 5 < errors[0] / 10
    assert errors[2] < 0.01 * max(limit, 1)


def shape(system, tried):
    B, b, mu, p = system
    X = [pc.processing_capacity(*system, r) for r in tried] + [1 / np.sum(p / alone(B, b, mu))]
    steps = np.diff(X) / X[0]
    return "rises" if min(steps) > -1e-11 else "falls" if max(steps) < 1e-11 else "does both"


@pytest.mark.slow
def test_counts_with_forty_values():
    family = [
        (B, b, (1, ratio), (p, 1 - p))
        for B in range(2, 7)
        for b in itertools.combinations(range(1, B + 1), 2)
        for ratio in (0.25, 0.5, 1, 2, 4)
        for p in (0.25, 0.5, 0.75)
        if 2 * b[0] <= B
    ]
    found = [shape(system, np.linspace(0, 0.995, 40)) for system in family]
    assert {kind: found.count(kind) for kind in set(found)} == {"rises": 286, "falls": 91, "does both": 28}


@given(st.floats(0, 0.95), st.floats(0.05, 0.95), st.integers(3, 9))
def test_where_one_job_is_in_service_at_a_time_memory_changes_nothing(r, p, B):
    b = B // 2 + 1, B
    rates = 1, 0.3
    assert pc.processing_capacity(B, b, rates, (p, 1 - p), r) == pytest.approx(
        1 / (p / rates[0] + (1 - p) / rates[1]), rel=1e-10
    )
