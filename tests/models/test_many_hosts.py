"""Many hosts: held to a chain on hosts in their order, written from the words, to one pool, to fractions and limits."""

import contextlib
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mjq import System
from mjq import many_hosts as mh
from mjq import processing_capacity as pc
from mjq.models.many_hosts import chain as exact
from mjq.solvers import chain
from tests.conftest import small_system
from tests.reference.saturated import saturated_chain


@st.composite
def clusters(draw, hosts=(2, 3), resources=(1, 2, 3), equal=False):
    """Draw m, B, b, mu and p of hosts with few packings."""
    return draw(st.sampled_from(hosts)), *small_system(draw, resources, (2, 3), 3, 3, equal)


@given(clusters(), st.sampled_from(mh.PLACEMENTS))
@settings(max_examples=25)
def test_sorted_contents_are_enough(cluster, placement):
    m, B, b, mu, p = cluster
    one = mh.host(B, np.array(b, dtype=float))
    if len(one.counts) ** m * len(b) > 1500:
        return  # the plain chain would take long
    states, time, throughput = saturated_chain(*cluster, placement)
    solved = mh.saturated_state(*cluster, placement)
    assert solved.throughput == pytest.approx(throughput, rel=1e-10)
    shares: dict = {}
    fits = 0.0
    for (hosts, head), share in zip(states, time, strict=True):
        key = (hosts if placement == "first fit" else tuple(sorted(hosts))), head
        shares[key] = shares.get(key, 0) + share
        held = [sum(jobs[i] * b[i][k] for jobs in hosts for i in range(len(b))) for k in range(len(B))]
        fits += share * all(held[k] + b[head][k] <= m * B[k] for k in range(len(B)))
    got = {}
    for contents, head, share in zip(solved.contents, solved.heads, solved.time, strict=True):
        hosts = [tuple(one.counts[packing].tolist()) for packing in contents]
        got[tuple(hosts if placement == "first fit" else sorted(hosts)), int(head)] = share
    assert got == pytest.approx({key: share for key, share in shares.items() if key in got}, rel=1e-9, abs=1e-14)
    assert sum(shares[key] for key in got) == pytest.approx(1)
    assert solved.fits_in_sum == pytest.approx(fits, abs=1e-12)


@given(clusters(), st.sampled_from(mh.PLACEMENTS))
def test_the_sweep_is_the_rule(cluster, placement):
    """The generator by the transition rule keeps the shares of time."""
    m, B, b, mu, p = mh.checked(*cluster)
    one = mh.host(B, b)
    solved = mh.saturated_state(*cluster, placement)
    if len(solved.time) > 300:
        return
    states = [
        (tuple(map(int, contents)), int(head)) for contents, head in zip(solved.contents, solved.heads, strict=True)
    ]
    Q = chain.generator(states, lambda state: mh.saturated_transitions(state, one, mu, p, placement))
    assert np.abs(solved.time @ Q).max() < 1e-12 * mu.max() * one.counts.max() * m


@given(clusters(hosts=(1,)), st.sampled_from(mh.PLACEMENTS))
def test_one_host_is_a_pool(cluster, placement):
    _, *letters = cluster
    pool = pc.processing_capacity(*letters)
    assert mh.capacity(*cluster, placement) == pytest.approx(pool, rel=1e-12)
    assert mh.saturated_state(*cluster, placement).fits_in_sum == 0
    assert mh.capacity_with_moving(*cluster) == pytest.approx(pool, rel=1e-12)
    single = System(None, *letters[1:], hosts=1, per_host=letters[0], placement=placement)
    assert single.capacity == pytest.approx(pool, rel=1e-12) and single.fits_in_sum_at_capacity == 0


def only_iterate(monkeypatch):
    for most in ("DENSE_STATES", "FEW_STATES"):
        monkeypatch.setattr(exact, most, 0)


@pytest.mark.parametrize("placement", mh.PLACEMENTS)
def test_iterations_are_the_elimination(placement, monkeypatch):
    cluster = 3, (4, 6), [(1, 3), (2, 1), (4, 2)], (1.0, 2.0, 0.1), (0.4, 0.4, 0.2)
    eliminated = mh.saturated_state(*cluster, placement)
    only_iterate(monkeypatch)
    iterated = mh.saturated_state(*cluster, placement)
    assert 0 < iterated.residual < 1e-11 and eliminated.residual == 0
    assert iterated.throughput == pytest.approx(eliminated.throughput, rel=1e-12)
    assert iterated.time == pytest.approx(eliminated.time, rel=1e-8, abs=1e-14)


@pytest.mark.parametrize(
    ("mu", "p"),
    [
        ((1e8, 1.0, 1e-8), (0.4, 0.4, 0.2)),
        ((1e-8, 1.0, 1e8), (0.4, 0.4, 0.2)),
        ((1.0, 1e-6, 1.0), (0.5, 1e-6, 0.5 - 1e-6)),
        ((1e4, 1.0, 1e-4), (0.5, 0.5 - 1e-7, 1e-7)),
    ],
)
def test_rates_far_apart_are_solved_or_refused(mu, p, monkeypatch):
    cluster = 2, 4, [1, 2, 4], mu, p
    eliminated = mh.capacity(*cluster)
    only_iterate(monkeypatch)
    with contextlib.suppress(ArithmeticError):
        assert mh.capacity(*cluster) == pytest.approx(eliminated, rel=3e-8)


def test_an_answer_that_cannot_be_trusted_is_refused(monkeypatch):
    cluster = 2, 4, [1, 2, 4], (1.0, 1.0, 1.0), (0.4, 0.4, 0.2)
    only_iterate(monkeypatch)
    monkeypatch.setattr(exact.arnoldi, "TRUSTED_ERROR", 0.0)
    with pytest.raises(ArithmeticError, match="rates 1 to 1 lie too far apart for 76 unknowns"):
        mh.capacity(*cluster)
    monkeypatch.setattr(exact, "RESIDUAL", -1.0)
    with pytest.raises(ArithmeticError, match="did not converge: residual"):
        mh.capacity(*cluster)


def test_what_does_not_matter_changes_nothing():
    cluster = 3, (4, 6), [(1, 3), (2, 1), (4, 2)], (1.0, 2.0, 0.1), (0.4, 0.4, 0.2)
    m, B, b, mu, p = cluster
    X = mh.capacity(*cluster)
    assert mh.capacity(m, B[::-1], [need[::-1] for need in b], mu, p) == pytest.approx(X, rel=1e-12)
    assert mh.capacity(m, (0.4, 6), [(0.1 * x, y) for x, y in b], mu, p) == pytest.approx(X, rel=1e-12)
    assert mh.capacity(m, B, [*b, (9, 9)], (*mu, 1), (*p, 0)) == pytest.approx(X, rel=1e-12)
    order = [2, 0, 1]
    turned = m, B, *([row[k] for k in order] for row in (b, mu, p))
    assert mh.capacity(*turned) == pytest.approx(X, rel=1e-12)


# --- Moving ---


def packable(m, B, b, jobs):
    """Whether these jobs, a list of classes, can be packed on hosts: tried one by one."""

    def pack(free, rest):
        if not rest:
            return True
        need = b[rest[0]]
        for h in range(m):
            left = tuple(f - n for f, n in zip(free[h], need, strict=True))
            if min(left) >= 0 and pack([*free[:h], left, *free[h + 1 :]], rest[1:]):
                return True
        return False

    return pack([tuple(B)] * m, jobs)


@given(clusters())
@settings(max_examples=15)
def test_packings_are_what_can_be_packed(cluster):
    m, B, b, *_ = cluster
    table = mh.packings(m, B, b)
    assert not table.all() or len(b) == 1
    picked = np.random.default_rng(1).permutation(table.size)[:40]
    for counts in (np.unravel_index(k, table.shape) for k in picked):
        jobs = [i for i, n in enumerate(counts) for _ in range(n)]
        if len(jobs) <= 9:
            assert table[counts] == packable(m, B, b, jobs)


@given(clusters(equal=True))
def test_the_formula_with_moving_is_the_chain(cluster):
    m, B, b, mu, p = cluster
    by_chain = mh.capacity_with_moving(m, B, b, [rate * (1 + 1e-14 * k) for k, rate in enumerate(mu)], p)
    assert mh.capacity_with_moving(*cluster) == pytest.approx(by_chain, rel=1e-11)


@given(clusters(), st.sampled_from(mh.PLACEMENTS))
def test_moving_lies_between_hosts_and_pool(cluster, placement):
    m, B, *letters = cluster
    system = System(m * np.asarray(B), *letters, hosts=m, per_host=B, placement=placement)
    slack = 1 + 1e-9
    assert system.capacity <= system.capacity_with_moving * slack
    assert system.capacity_with_moving <= system.pool.capacity * slack
    assert system.capacity <= system.packing_bound * slack <= system.naive_capacity * slack**2
    losses = system.shares_lost
    of_pool = system.pool.shares_lost
    assert of_pool == dict(order=pytest.approx(losses["order"], abs=1e-12), boundaries=0, placement=0)
    assert sum(losses.values()) == pytest.approx(1 - system.capacity / system.naive_capacity, abs=1e-12)
    assert losses["order"] >= -1e-12 and losses["boundaries"] >= -1e-12


# --- Whole hosts ---


def draining(m, n):
    """States of hosts that drain, as sorted numbers of jobs, and the generator; the last ones have an empty host."""

    def transitions(hosts):
        if min(hosts) > 0:
            for h, jobs in enumerate(hosts):
                yield tuple(sorted([*hosts[:h], jobs - 1, *hosts[h + 1 :]])), jobs

    states = chain.explore([(n,) * m], transitions)
    return states, chain.generator(states, transitions)


@pytest.mark.parametrize(("m", "n"), [(1, 1), (1, 4), (2, 1), (2, 3), (3, 4), (5, 2), (6, 3)])
def test_the_product_law_is_that_of_the_chain(m, n):
    states, Q = draining(m, n)
    empty = [k for k, hosts in enumerate(states) if min(hosts) == 0]
    time = chain.absorption_times(Q, empty)[0]
    jobs = chain.until_absorption(Q, empty, np.array([float(sum(hosts)) for hosts in states]))[0]
    assert mh.time_to_empty(m, n, mu=2.0) == pytest.approx(time / 2, rel=1e-12)
    assert mh.share_that_must_end(m, n) == pytest.approx(jobs / (m * n), rel=1e-12)
    assert mh.lost_time(m, n, mu=2.0) == pytest.approx((time - jobs / (m * n)) / 2, rel=1e-11, abs=1e-15)


@given(st.integers(1, 300), st.integers(1, 40))
def test_share_and_time_in_fractions(m, n):
    share = math.prod(Fraction(i * n, i * n + 1) for i in range(1, m))
    assert mh.share_that_must_end(m, n) == pytest.approx(float(share), rel=1e-13)
    # B(a, m) = (m - 1)! / (a (a + 1) ... (a + m - 1))
    time = sum(
        math.prod((i / (i + Fraction(k, n)) for i in range(1, m)), start=1 / Fraction(k, n)) for k in range(1, n + 1)
    )
    assert mh.time_to_empty(m, n) == pytest.approx(float(time) / n, rel=1e-13)


def test_very_many_hosts_follow_the_power_law():
    for m in (10**3, 10**6, 10**9):
        power = math.gamma(1 + 1 / 8) * m ** (-1 / 8)
        assert mh.share_that_must_end(m, 8) == pytest.approx(power, rel=1 / m)
    assert mh.share_that_must_end(10**12, 1) == pytest.approx(1e-12, rel=1e-12)
    assert mh.share_that_must_end(1, 8) == pytest.approx(1) and mh.time_to_empty(1, 1) == pytest.approx(1)


@pytest.mark.parametrize(("m", "n"), [(2, 2), (3, 2), (2, 4), (4, 3)])
def test_rare_whole_host_jobs_by_exact_chains(m, n):
    """The error of the first order is of the second: a tenth of the share has a hundredth of it."""
    errors = []
    for p2 in (1e-4, 1e-5):
        X = mh.capacity(m, n, (1, n), (2.0, 0.7), (1 - p2, p2))
        errors.append(1 / X - 1 / mh.rare_whole_hosts(m, n, 2.0, 0.7, p2))
    assert abs(errors[0]) < 1e-5 and errors[1] == pytest.approx(errors[0] / 100, rel=0.01)


# --- A cluster as a user types it ---

CLUSTER = dict(hosts=3, per_host=4, needs=(1, 2, 4), rates=(1, 1, 1), mix=(0.5, 0.3, 0.2))


def test_a_system_with_hosts():
    cluster = System(**CLUSTER)
    assert cluster.capacity == mh.capacity(3, 4, *(CLUSTER[name] for name in ("needs", "rates", "mix")))
    assert (
        cluster.naive_capacity == pytest.approx(12 / 1.9) and cluster.pool.servers == 12 and cluster.pool.hosts is None
    )
    assert cluster.utilization_at_capacity == pytest.approx(cluster.capacity / cluster.naive_capacity)
    assert cluster.wasted_servers == pytest.approx(12 * (1 - cluster.utilization_at_capacity))
    assert eval(repr(cluster)) == cluster and cluster != cluster.pool
    vector = System(**CLUSTER | dict(per_host=(4,), needs=[(1,), (2,), (4,)]))
    assert vector.capacity == pytest.approx(cluster.capacity, rel=1e-12)
    assert vector.wasted_servers == pytest.approx([cluster.wasted_servers])
    assert cluster.capacity in cluster.simulate_saturated(jobs=20_000, seed=1).capacity.widened(2)
    run = cluster.simulate(lam=0.5 * cluster.capacity, jobs=5_000, seed=1)
    assert run.stable and len(run.mean_wait_by_class) == 3 and 0 < run.mean_wait.mean < run.mean_sojourn.mean
    run = cluster.simulate(lam=1.1 * cluster.capacity, jobs=500, seed=1)
    assert run.stable is False and "growing" in f"{run.mean_wait}" and "±" in f"{run.throughput}"


def test_one_host_in_order_of_arrival_is_a_pool():
    host = System(hosts=1, per_host=6, needs=(2, 3), rates=(2.5, 0.625), mix=(0.5, 0.5))
    assert host.queue(1.0) == host.pool.queue(1.0) and host.near_saturation() == host.pool.near_saturation()
    assert host.short_of_at_capacity == host.pool.short_of_at_capacity
