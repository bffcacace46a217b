"""Where a chain is after some time: the exponential of a matrix, closed forms, both ways, large chains."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg, sparse, stats

from mjq.solvers.transient import Transient

WAYS = [Transient._by_steps, Transient._by_squares]
each_way = pytest.mark.parametrize("way", WAYS, ids=["steps", "squares"])


def after(way, start, Q, times, values=None):
    chain = Transient(start, Q, values)
    return way(chain, chain.fastest * np.asarray(times))


@st.composite
def chains(draw):
    """Start and rates; some transitions are missing, some states are never left."""
    n = draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    Q = rng.exponential(size=(n, n)) * (rng.random((n, n)) < draw(st.sampled_from([0.3, 1.0])))
    return rng.dirichlet(np.ones(n)), Q * 10 ** rng.uniform(-3, 3), rng


def generator(Q):
    rates = Q - np.diag(np.diag(Q))
    return rates - np.diag(rates.sum(axis=1))


@each_way
@given(chains(), st.floats(0, 30))
def test_it_is_the_exponential_of_the_generator(way, drawn, moves):
    start, Q, rng = drawn
    Q = generator(Q)
    fastest = -Q.diagonal().min() or 1.0
    times = np.append(rng.uniform(0, moves, 3), 0.0) / fastest
    exact = [start @ linalg.expm(Q * t) for t in times]
    assert after(way, start, Q, times) == pytest.approx(np.array(exact), abs=1e-12)
    values = rng.normal(size=(len(start), 2))
    assert after(way, start, Q, times, values) == pytest.approx(exact @ values, abs=1e-11)
    assert Transient(start, Q).at(times) == pytest.approx(np.array(exact), abs=1e-12)
    assert Transient(start, sparse.csr_array(Q)).at(times) == pytest.approx(np.array(exact), abs=1e-12)


@each_way
@given(chains(), st.floats(0, 40), st.floats(0, 40))
def test_distributions_compose(way, drawn, moves, more):
    start, Q, _ = drawn
    s, t = np.array([moves, more]) / max(generator(Q).__abs__().max(), 1e-9)
    middle = after(way, start, Q, [s])[0]
    assert after(way, middle, Q, [t])[0] == pytest.approx(after(way, start, Q, [s + t])[0], rel=1e-11)
    assert middle.sum() == pytest.approx(1, rel=1e-13)


@each_way
@pytest.mark.parametrize(("lam", "mu"), [(1.0, 1.0), (0.01, 3.0), (50.0, 1e-6)])
def test_one_place_fills_and_empties(way, lam, mu):
    times = np.array([0, 1e-6, 0.1, 1, 7, 400]) / (lam + mu)
    exact = lam / (lam + mu) * -np.expm1(-(lam + mu) * times)
    found = after(way, [1.0, 0.0], [[0, lam], [mu, 0]], times)
    assert found[:, 1] == pytest.approx(exact, rel=1e-12)
    assert found[:, 0] == pytest.approx(1 - exact, rel=1e-12)


@each_way
@pytest.mark.parametrize("stages", [1, 2, 30])
def test_stages_one_after_the_other(way, stages):
    Q = np.eye(stages + 1, k=1) * 3.0
    times = np.array([0, 0.1, 1, 5, 30, 100])
    start, gone = np.eye(stages + 1)[0], np.eye(stages + 1)[:, -1:]
    exact = stats.gamma(stages, scale=1 / 3)
    assert after(way, start, Q, times, gone)[:, 0] == pytest.approx(exact.cdf(times), abs=1e-13)
    # What only falls is accurate relatively, down to 1e-100.
    assert after(way, start, Q, times, 1 - gone)[:, 0] == pytest.approx(exact.sf(times), rel=1e-11)


def test_times_in_any_order_one_after_the_other_or_at_once():
    Q = sparse.csr_array(np.diag(np.ones(400), 1) + np.diag(np.full(400, 2.0), -1))
    start, times = np.eye(401)[50], np.array([3.0, 200.0, 0.0, 3.0, 60.0])
    place = np.arange(401.0)[:, None]
    chain = Transient(start, Q, place)
    assert np.array([chain.at([t])[0] for t in times]) == pytest.approx(chain.at(times), rel=1e-13)
    assert Transient(start, Q.toarray(), place).at(times) == pytest.approx(chain.at(times), rel=1e-12)
    assert chain.at([]).shape == (0, 1)


def test_a_long_chain_that_ends_has_ended_long_after():
    stages = 5000
    places = np.arange(stages + 1)
    chain = Transient(places == 0, sparse.diags_array(np.full(stages, 3.0), offsets=1), (places == stages)[:, None])
    assert chain.at([1e9, 0.0])[:, 0] == pytest.approx([1, 0], abs=1e-12)
    times = np.array([1600, 5000 / 3, 1700, 2000])
    assert chain.at(times)[:, 0] == pytest.approx(stats.gamma(stages, scale=1 / 3).cdf(times), abs=1e-12)


def test_a_long_time_of_a_small_chain_is_not_stepped_through():
    """It has 1e17 steps."""
    chain = Transient([1.0, 0.0], [[0, 1e-9], [1e9, 0]])
    assert chain.at([1e8])[0] == pytest.approx([1, 1e-18], rel=1e-12)


@pytest.mark.parametrize("times", [[-1.0], [-1e-9], [1.0, -3.0], [np.nan], [np.inf]])
def test_a_time_that_is_none_is_refused(times):
    with pytest.raises(ValueError, match="times must"):
        Transient([1.0, 0.0], np.array([[-1.0, 1.0], [2.0, -2.0]])).at(times)
