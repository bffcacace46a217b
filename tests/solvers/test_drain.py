"""The fast steady state of saturated systems, held to the generic chain."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq import processing_capacity as pc
from mjq import stability
from mjq._util import checks
from mjq.solvers import arnoldi, chain, drain
from tests.conftest import systems


def by_the_generic_chain(B, b, mu, p):
    states = pc.saturated_states(B, b)
    return states, chain.stationary(chain.generator(states, lambda s: pc.saturated_transitions(s, B, b, mu, p)))


def by_draining(B, b, mu, p):
    ways = drain.configurations(B, b, checks.FIT_TOLERANCE * B)
    return ways, drain.saturated(ways, mu, p)


@given(systems(most_jobs=6))
def test_draining_equals_the_generic_chain(system):
    states, slow = by_the_generic_chain(*system)
    ways, fast = by_draining(*system)
    assert fast.probabilities[ways.blocked] == pytest.approx(slow, rel=1e-11)
    assert fast.throughput == pytest.approx(
        sum(x * np.dot(s[:-1], system[2]) for s, x in zip(states, slow, strict=True)), rel=1e-12
    )


def test_where_iterations_may_err_by_more_than_rounding_a_system_of_some_hundred_unknowns_is_eliminated(monkeypatch):
    ways, calls = drain.configurations(24, [1, 2, 4, 8]), []
    eliminated = drain._eliminated
    monkeypatch.setattr(drain, "_eliminated", lambda *given: calls.append(1) or eliminated(*given))
    even, uneven = ([1.0, 2.0, 0.5, 1.0], [0.4, 0.3, 0.2, 0.1]), ([1.0, 1e3, 1e-3, 1.0], [0.97, 0.01, 0.01, 0.01])
    for system, fall_back in ((even, 0), (uneven, 1)):
        found = drain.saturated(ways, *system)
        assert len(calls) == fall_back
        with monkeypatch.context() as patch:
            patch.setattr(drain, "DENSE_UNKNOWNS", 1000)
            exact = drain.saturated(ways, *system)
        assert found.throughput == pytest.approx(exact.throughput, rel=1e-13, abs=0)
        calls.clear()


@given(systems(most_jobs=6), st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([1, 50, 10**6]))
def test_the_matrix_of_the_passes_is_what_they_make_of_each_unit_of_flow(system, share, at_once):
    B, b, mu, p = system
    memory = np.roll(np.eye(len(p)), 1, axis=1)  # in turn
    mix = p if share == 0 else share / 2 * memory + (1 - share / 2) * np.asarray(p)
    passes = drain._Passes(drain.configurations(B, b, checks.FIT_TOLERANCE * B), np.asarray(mu), np.asarray(mix))
    expected = np.array([passes(unit) for unit in np.eye(passes.size)]) * passes.conserved / passes.conserved[:, None]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drain, "NUMBERS_AT_ONCE", at_once)
        assert passes.matrix() == pytest.approx(expected, rel=1e-13, abs=0)


def test_configurations_are_those_that_fit_and_are_reached():
    ways = drain.configurations(10, [2, 3])
    everything = itertools.product(range(6), range(4))
    assert ways.counts.tolist() == [[i, j] for i, j in everything if 4 <= 2 * i + 3 * j <= 10]
    for k, i in zip(*np.nonzero(ways.after_admission >= 0), strict=True):
        step = ways.counts[ways.after_admission[k, i]] - ways.counts[k]
        assert step.tolist() == np.eye(2, dtype=int)[i].tolist()
        assert ways.after_departure[ways.after_admission[k, i], i] == k


@given(systems(most_jobs=5))
def test_departure_operator_is_the_rule(system):
    B, b, mu, p = system
    states = pc.saturated_states(B, b)
    Q = chain.generator(states, lambda s: pc.saturated_transitions(s, *system)).toarray()
    C = np.diag([np.dot(s[:-1], mu) for s in states])
    A = drain.departure_operator(drain.configurations(B, b, checks.FIT_TOLERANCE * B), mu, p) @ np.eye(len(states))
    assert pytest.approx(Q + C, abs=1e-12) == A


def test_a_million_states():
    # Five classes; the largest system here has more states than the generic solver could list in a minute.
    ways = drain.configurations(100, [1, 2, 5, 10, 25])
    answer = drain.saturated(ways, [1.0, 2.0, 0.5, 1.5, 0.8], [0.3, 0.25, 0.2, 0.15, 0.1])
    assert ways.blocked.sum() > 100_000
    assert answer.residual < 1e-12
    # Work in equals work out: mean held resource = throughput * mean need * time.
    held = (answer.probabilities.sum(axis=1) * (ways.counts @ [1, 2, 5, 10, 25])).sum()
    needed = np.dot([0.3, 0.25, 0.2, 0.15, 0.1], np.array([1, 2, 5, 10, 25]) / [1.0, 2.0, 0.5, 1.5, 0.8])
    assert held == pytest.approx(answer.throughput * needed, rel=1e-10)


SLOW = 2.0**-30  # a rate and a probability that binary fractions hold exactly


def test_a_small_residual_does_not_hide_a_large_error():
    """A rare, slow class beside a fast one: jobs of both come and go a billion times before a start is forgotten."""
    ways = drain.configurations(1500, [1, 92])
    found = drain.saturated(ways, [1, SLOW], [1 - SLOW, SLOW])
    assert len(ways.counts) > drain.DENSE_UNKNOWNS
    assert found.throughput == pytest.approx(stability.throughput(1500, 1, 92, 1, SLOW, 1 - SLOW), rel=1e-12)


def test_where_the_error_cannot_be_repaired_the_answer_is_refused(monkeypatch):
    monkeypatch.setattr(drain, "PATIENT_UNKNOWNS", drain.DENSE_UNKNOWNS)
    with pytest.raises(ArithmeticError, match=r"rates .* to 1 lie too far apart for .* unknowns: with a residual of"):
        drain.saturated(drain.configurations(1500, [1, 92]), [1, SLOW], [1 - SLOW, SLOW])


def test_a_residual_of_zero_is_no_proof_and_a_fast_system_gains_nothing():
    slow = np.eye(3) + 1e-12 * np.array([[-1, 1, 0], [1, -2, 1], [0, 1, -1]])
    assert arnoldi.estimated_error(lambda flow: flow @ slow, 3, 0.0, 1e-12, 3) > 1e-6
    assert arnoldi.estimated_error(None, 3, 1e-10, 5.0, 3) == 1e-10  # the gap is 1 at most, whatever the rates


def test_the_estimate_of_the_error_is_near_the_error(monkeypatch):
    """Without a refusal the answer is wrong by about as much as the estimate says."""
    monkeypatch.setattr(drain, "PATIENT_UNKNOWNS", drain.DENSE_UNKNOWNS)
    monkeypatch.setattr(arnoldi, "TRUSTED_ERROR", np.inf)
    ways = drain.configurations(1500, [1, 92])
    found = drain.saturated(ways, [1, SLOW], [1 - SLOW, SLOW])
    passes = drain._Passes(ways, np.array([1, SLOW]), np.array([1 - SLOW, SLOW]))
    estimate = found.residual / arnoldi.gap(passes, passes.size, drain.BASIS_VECTORS)
    error = abs(found.throughput / stability.throughput(1500, 1, 92, 1, SLOW, 1 - SLOW) - 1)
    assert found.residual < 1e-12 < 1e-9 < error < 30 * estimate
