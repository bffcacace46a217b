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


@given(st.lists(st.integers(1, 12), min_size=1, max_size=3), st.data(), st.none() | st.integers(12, 40))
def test_configurations_are_counted_before_they_are_listed(resources, data, most_free):
    """Of one to three resources, of which a class may need nothing."""
    need = st.tuples(*(st.integers(0, size) for size in resources)).filter(any)
    needs = np.array(data.draw(st.lists(need, min_size=1, max_size=3)), dtype=float)
    number = len(drain.configurations(resources, needs, most_free=most_free).counts)
    free = 2 * needs.max(axis=0) if most_free is None else np.full(len(resources), most_free)
    assert drain._number(np.array(resources), needs, free) == number
    assert drain._number(np.array(resources), needs + 0.5, free) == 0


@given(st.lists(st.integers(1, 6), min_size=1, max_size=3), st.data())
def test_ways_to_use_each_resource_are_counted(resources, data):
    need = st.tuples(*(st.integers(0, size) for size in resources)).filter(any)
    needs = np.array(data.draw(st.lists(need, min_size=1, max_size=3)))
    most = [min(size // held for size, held in zip(resources, need, strict=True) if held) for need in needs]
    ways = np.zeros(np.array(resources) + 1)
    for counts in itertools.product(*(range(n + 1) for n in most)):
        held = np.array(counts) @ needs
        if (held <= resources).all():
            ways[tuple(held)] += 1
    assert (drain.ways_to_use(resources, needs) == ways).all()


def test_too_many_configurations_are_refused_before_any_table_is_made(monkeypatch):
    monkeypatch.setattr(np, "repeat", None)  # with which tables are made
    with pytest.raises(checks.TooLarge, match="more than 20000000 configurations fit into 256"):
        drain.configurations(256, [1, 2, 4, 8, 16, 32, 64])


@pytest.mark.parametrize("p1", [0.01, 0.05, 0.5, 0.99])
@pytest.mark.parametrize("n", [2, 40, 200, 290])
def test_one_or_all_even_where_most_states_are_never_seen(n, p1):
    system = n, [1.0, float(n)], [1.0, 1.0], [p1, 1 - p1]
    small = sum(p1**i / i for i in range(1, n)) * (1 - p1) + p1**n / n
    assert by_draining(*system)[1].throughput == pytest.approx(1 / (1 - p1 + small), rel=1e-12)


def test_large_solver_on_a_larger_system(monkeypatch):
    system = 20.0, [1.0, 3.0, 7.0], [1.0, 0.3, 2.0], [0.6, 0.3, 0.1]
    ways, small = by_draining(*system)
    monkeypatch.setattr(drain, "DENSE_UNKNOWNS", 0)
    large = drain.saturated(ways, system[2], system[3])
    assert large.throughput == pytest.approx(small.throughput, rel=1e-13)
    assert large.probabilities == pytest.approx(small.probabilities, rel=1e-9, abs=1e-16)


@pytest.mark.parametrize("ratio", [1e-9, 1e9])
def test_stiff_rates(ratio):
    system = 6.0, [2.0, 3.0], [1.0, ratio], [0.5, 0.5]
    _, slow = by_the_generic_chain(*system)
    ways, fast = by_draining(*system)
    assert fast.probabilities[ways.blocked] == pytest.approx(slow, rel=1e-12)


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


def test_what_does_not_converge_raises(monkeypatch):
    monkeypatch.setattr(drain, "DENSE_UNKNOWNS", 0)
    monkeypatch.setattr(drain, "MOST_SWEEPS", 40)
    ways = drain.configurations(300, [1, 10])
    with pytest.raises(ArithmeticError, match="did not converge"):
        drain.saturated(ways, [1, 0.5], [0.7, 0.3])


def test_too_many_configurations_are_refused():
    with pytest.raises(ValueError, match="more than 1000 configurations"):
        drain.configurations(1000, [1, 2], limit=1000)
    with pytest.raises(ValueError, match="jobs of one class fit"):
        drain.configurations(5e9, [1])
    with pytest.raises(ValueError, match="aggregate classes"):
        drain.configurations(1.0, [1e-300, 1e-300])
    assert len(drain.configurations(1.0, [1.0] * 39).counts) == 40
    with pytest.raises(ValueError, match="40 classes with up to 1 jobs each are too many to number"):
        drain.configurations(1.0, [1.0] * 40)  # 3 ** 40 is no whole number of 64 bits


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
