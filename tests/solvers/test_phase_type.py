"""Phase-type distributions: moments, distribution, samples, fits, bad input."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special, stats

from mjq.solvers.phase_type import (
    PhaseType,
    coxian,
    erlang,
    exponential,
    hyperexponential,
    mixed_erlang,
    two_moments,
)


@st.composite
def phase_types(draw):
    n = draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    rates = rng.exponential(size=(n, n)) * 10 ** draw(st.floats(-2, 2))
    out = rng.exponential(size=n) * 10 ** draw(st.floats(-1, 1))
    T = rates - np.diag(np.diag(rates))
    return PhaseType(rng.dirichlet(np.ones(n)), T - np.diag(T.sum(axis=1) + out))


@given(phase_types())
def test_mean_is_the_area_above_the_distribution(law):
    scale = law.mean

    # The integral of the tail over [0, oo), with t = scale x / (1 - x).
    def tail(x):
        return (1 - law.cdf(scale * x / (1 - x))) * scale / (1 - x) ** 2 if x < 1 else 0.0

    area, _ = integrate.quad(tail, 0, 1, limit=200, epsrel=1e-8)
    assert area == pytest.approx(law.mean, rel=1e-5)


FITS = [(coxian, 0.5, 1e4), (hyperexponential, 1, 1e4), (mixed_erlang, 0.02, 1), (two_moments, 0.02, 1e4)]


@pytest.mark.parametrize(("fit", "least", "most"), FITS)
@given(st.floats(1e-3, 1e3), st.data())
def test_fits_keep_two_moments(fit, least, most, mean, data):
    scv = data.draw(st.floats(least, most))
    law = fit(mean, scv)
    assert (law.mean, law.scv) == pytest.approx((mean, scv), rel=1e-7)
    if fit is hyperexponential:
        assert law.alpha / -np.diag(law.T) == pytest.approx(mean / 2, rel=1e-9)  # balanced means


@pytest.mark.parametrize("decades", [0, 4, 9])
def test_times_of_stiff_chains_are_as_accurate_as_those_of_others(decades):
    rng = np.random.default_rng(decades)
    for _ in range(3):
        rates = 10 ** rng.uniform(-decades / 2, decades / 2 + 1e-9, (4, 5))
        np.fill_diagonal(rates, 0)
        law = PhaseType(np.eye(4)[0], rates[:, :4] - np.diag(rates.sum(axis=1)))
        times = law.mean * np.array([1e-6, 1e-3, 0.3, 1, 20])
        with mpmath.workdps(50):
            exact = mpmath.matrix(law.T.tolist())
            for k in range(4):  # rows of floating-point numbers do not sum to what they should
                exact[k, k] = -mpmath.mpf(law.exit[k]) - mpmath.fsum(law.T[k, j] for j in range(4) if j != k)
            tails = [mpmath.fsum(mpmath.expm(exact * mpmath.mpf(float(t)))[0, :]) for t in times]
            heads = [float(1 - x) for x in tails]
        assert law.tail(times) == pytest.approx([float(x) for x in tails], rel=1e-12)
        assert law.cdf(times) == pytest.approx(heads, rel=1e-12)


@given(phase_types(), st.floats(0, 0.9999))
def test_quantile_is_the_inverse(law, u):
    assert law.cdf(law.quantile(u)) == pytest.approx(u, rel=1e-10)


@given(phase_types(), st.floats(1e-3, 20))
def test_quantile_of_the_distribution_function_is_the_time(law, scaled):
    t = scaled * law.mean
    if law.cdf(t) < 0.999:  # beyond, a rounded probability stands for many times
        assert law.quantile(law.cdf(t)) == pytest.approx(t, rel=1e-10)


@pytest.mark.parametrize(("k", "mean"), [(1, 2.0), (3, 1.0), (200, 5.0)])
def test_far_tails_of_an_erlang_distribution_are_accurate(k, mean):
    times = mean * np.array([0.5, 1, 2, 3])
    exact = [float(mpmath.gammainc(k, k * t / mean, mpmath.inf, regularized=True)) for t in times]
    assert erlang(k, mean).tail(times) == pytest.approx(exact, rel=1e-11)
    assert erlang(k, mean).moment(3) == pytest.approx(stats.gamma(k, scale=mean / k).moment(3))
    assert erlang(k, mean).quantile(0.95) == pytest.approx(stats.gamma(k, scale=mean / k).ppf(0.95), rel=1e-10)


@pytest.mark.parametrize("law", [exponential(2.0), erlang(3, 1.0), coxian(1.0, 8.0), hyperexponential(2.0, 5.0)])
def test_samples_follow_the_distribution(law):
    times = law.sample(np.random.default_rng(1), 200_000)
    assert times.mean() == pytest.approx(law.mean, abs=5 * law.mean * math.sqrt(law.scv / 200_000))
    for t in np.array([0.1, 0.5, 1, 3]) * law.mean:
        assert (times <= t).mean() == pytest.approx(float(law.cdf(t)), abs=5e-3)


@pytest.mark.parametrize("n", [2, 20, 60])
def test_the_left_tail_of_an_erlang_is_right_to_twelve_digits(n):
    law = erlang(n, 1.0)
    for u in (1e-40, 1e-20, 1e-12, 1e-6, 1e-3, 0.01):
        t = special.gammaincinv(n, u) / n
        assert law.cdf(t) == pytest.approx(special.gammainc(n, n * t), rel=1e-11)
        assert law.quantile(u) == pytest.approx(t, rel=1e-11)
