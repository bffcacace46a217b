"""[SW23]: the chain of the paper, the structured solver, limits, other models, simulation."""

import math
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mjq import cluster
from mjq import processing_capacity as pc
from mjq.models.cluster import steady, tandem
from mjq.simulation import simulate_cluster
from mjq.solvers import arnoldi, chain, drain

LARGE = dict(N=1500, sizes=(10, 100), p=(0.9, 0.1), mu1=100, mu2=(10, 1), C=50)


@st.composite
def clusters(draw, most=6):
    N = draw(st.integers(1, most))
    sizes = draw(st.lists(st.integers(1, N), min_size=1, max_size=3, unique=True))
    weights = [draw(st.floats(0.05, 1)) for _ in sizes]
    rates = [10 ** draw(st.floats(-2, 2)) for _ in range(2 + len(sizes))]
    return dict(
        N=N, sizes=sizes, p=[w / sum(weights) for w in weights], lam=rates[0], mu1=rates[1], mu2=rates[2:],
        C=draw(st.integers(0, 4)),
    )  # fmt: skip


def by_definition(system):
    """All states in the paper's order, their probabilities, and the measures."""
    states = cluster.states(system["N"], system["sizes"], system["C"])
    Q = chain.generator(states, lambda s: cluster.transitions(s, **system))
    pi = chain.stationary(Q)
    return states, pi, cluster.measures(states, pi, system["N"], system["lam"])


def assert_same(ours, other, **tolerance):
    assert astuple(ours)[:-1] == pytest.approx(astuple(other)[:-1], **tolerance)


@given(clusters())
def test_structured_solver_agrees_with_the_definition(system):
    _, _, other = by_definition(system)
    ours = cluster.performance(**system)
    assert_same(ours, other, rel=1e-10, abs=1e-13)
    assert ours.residual < 1e-10 * system["lam"]


@given(clusters())
def test_states_are_those_that_can_be_reached(system):
    states = cluster.states(system["N"], system["sizes"], system["C"])
    reached = chain.explore([(0, 0, ())], lambda s: cluster.transitions(s, **system))
    assert set(states) == set(reached)
    assert len(set(states)) == len(states)


@given(clusters())
def test_flows_balance(system):
    answer = cluster.performance(**system)
    accepted = system["lam"] * (1 - answer.blocking)
    p, sizes, rates = (np.array(system[k]) for k in ("p", "sizes", "mu2"))
    assert answer.mean_in_service == pytest.approx(accepted * (p / rates).sum(), rel=1e-9)  # Little's law there
    assert answer.mean_busy_servers == pytest.approx(accepted * (p * sizes / rates).sum(), rel=1e-9)
    assert answer.mean_queue == pytest.approx(accepted * answer.mean_time_in_queue, rel=1e-9)
    assert answer.utilization == pytest.approx(answer.mean_busy_servers / system["N"])


@pytest.mark.parametrize("lam", [5, 30, 60, 80, 90, 95])
def test_large_cluster(lam):
    answer = cluster.performance(lam=lam, **LARGE)
    assert answer.residual < 1e-10
    accepted = lam * (1 - answer.blocking)
    assert answer.mean_busy_servers == pytest.approx(accepted * (0.9 * 10 / 10 + 0.1 * 100 / 1), rel=1e-9)


@pytest.mark.parametrize("C", [0, 1, 15])
@pytest.mark.parametrize("lam", [2.0, 8.0, 10.0, 25.0])
def test_one_server_and_a_fast_tracker_is_mm1_with_two_more_places(lam, C):
    answer = cluster.performance(1, [1], [1], lam, 1e10, 10.0, C)
    chances = (lam / 10.0) ** np.arange(C + 3)
    chances /= chances.sum()
    assert answer.blocking == pytest.approx(chances[-1], rel=1e-6)
    assert answer.mean_queue == pytest.approx(chances[2:] @ np.arange(C + 1), rel=1e-6)


@given(clusters(most=8))
def test_saturated_cluster_with_a_fast_tracker_reaches_the_capacity(system):
    capacity = pc.processing_capacity(system["N"], system["sizes"], system["mu2"], system["p"])
    system |= dict(mu1=1e7 * capacity, lam=1e5 * capacity, C=1)
    accepted = system["lam"] * (1 - cluster.performance(**system).blocking)
    # The accepted rate is a small difference; Little's law in the cluster gives it without loss.
    answer = cluster.performance(**system)
    by_little = answer.mean_in_service / (np.array(system["p"]) / system["mu2"]).sum()
    assert by_little == pytest.approx(capacity, rel=1e-4)
    assert accepted == pytest.approx(by_little, rel=1e-6)


def test_order_of_the_paper():
    vectors = cluster.cluster_states(6, (3, 1, 2, 6, 5, 4))
    assert vectors == sorted(vectors, key=lambda V: (len(V), V))
    assert len(cluster.cluster_states(16, range(1, 17))) == 915
    states = cluster.states(4, (1, 2), 2)
    assert states == sorted(states, key=lambda s: (s[0], s[1], len(s[2]), s[2]))
    assert len(cluster.states(16, range(1, 17), 15)) == 235_155


def test_distributions_of_sizes():
    for n, p in (cluster.uniform_sizes(16), cluster.normal_sizes(16), cluster.harmonic_sizes(16)):
        assert n.tolist() == list(range(1, 17))
        assert p.sum() == pytest.approx(1)
    n, p = cluster.normal_sizes(15)
    assert p == pytest.approx(p[::-1])
    assert p[8] / p[7] == pytest.approx(math.exp(-1 / 8))  # eta = 8, sigma = 2
    assert cluster.normal_sizes(15, 1e6)[1] == pytest.approx(np.full(15, 1 / 15))
    assert cluster.normal_sizes(16, 1e-3)[1][7:9] == pytest.approx([0.5, 0.5])
    n, p = cluster.harmonic_sizes(9)
    assert p[3] / p[0] == pytest.approx(1 / 8)


@pytest.mark.parametrize(
    "system",
    [
        dict(N=16, sizes=range(1, 17), p=np.ones(16) / 16, lam=12, mu1=1000, mu2=10, C=15),
        dict(N=5, sizes=(1, 2, 5), p=(0.5, 0.3, 0.2), lam=3, mu1=4, mu2=(2, 1, 3), C=0),
        dict(LARGE, lam=92),
    ],
)
def test_simulation_agrees(system):
    run = simulate_cluster(**system, jobs=40_000, seed=1, replications=20)
    exact = cluster.performance(**system)
    for name in ("mean_queue", "mean_busy_servers", "mean_in_service", "blocking", "mean_time_in_queue"):
        assert getattr(exact, name) in getattr(run, name).widened(2.5), name
    assert system["lam"] * (1 - exact.blocking) in run.throughput.widened(2.5)


def test_smallest_cluster():
    jobs = dict(sizes=(1, 2, 4), p=(0.5, 0.3, 0.2), lam=20, mu1=1000, mu2=10, C=15)
    N, answer = cluster.smallest_cluster(0.02, 0.2, **jobs)
    assert answer == cluster.performance(N, **jobs)
    assert answer.mean_time_in_queue <= 0.02 < cluster.performance(N - 1, **jobs).mean_time_in_queue
    with pytest.raises(ValueError, match=r"within 0\.02 and a utilization of at least"):
        cluster.smallest_cluster(0.02, answer.utilization * 1.001, **jobs)
    with pytest.raises(ValueError, match="no cluster of up to 6 servers has a mean time in the queue within 1e-09"):
        cluster.smallest_cluster(1e-9, 0.1, **jobs, most_servers=6)
    with pytest.raises(ValueError, match="size 4 exceeds the 3 servers"):
        cluster.smallest_cluster(1, 0.1, **jobs, most_servers=3)


def test_smallest_cluster_where_utilization_rises_again():
    jobs = dict(sizes=(1, 8), p=(0.05, 0.95), lam=30, mu1=1000, mu2=10, C=5)
    used = {N: cluster.performance(N, **jobs).utilization for N in (9, 15, 16)}
    assert used[16] > used[9] > used[15]
    assert cluster.smallest_cluster(0.44, 0.9, **jobs)[0] == 16
    assert cluster.smallest_cluster(1, 0.001, (1, 100), (1, 0), 0.1, 10, 1, 5)[0] == 1


@pytest.mark.parametrize("lam", [1e13, 1e16, 1e18])
def test_delay_in_a_flood(lam):
    # The queue is always full, so a job waits for five mappings and what blocks them.
    limit = cluster.performance(2, (1, 2), (0.5, 0.5), 1e9, 10, 1, 5)
    flood = cluster.performance(2, (1, 2), (0.5, 0.5), lam, 10, 1, 5)
    assert flood.mean_time_in_queue == pytest.approx(limit.mean_time_in_queue, rel=1e-6)
    assert flood.mean_queue == pytest.approx(5)


def test_sizes_that_never_come_may_be_too_large():
    assert cluster.performance(2, (1, 5), (1, 0), 1, 2, 3, 1).mean_in_service > 0


@pytest.mark.parametrize(("N", "sizes"), [(16, range(1, 17)), (1500, (10, 100)), (7, (2, 3)), (3, (3,))])
def test_configurations_are_counted_before_they_are_listed(N, sizes):
    assert steady._count_configurations(N, sizes) == len(drain.configurations(N, sizes, most_free=N).counts)


STIFF = dict(N=6, sizes=(1, 2), p=(1e-8, 1 - 1e-8), lam=100, mu1=10, mu2=(1e-8, 1.0), C=3)


@pytest.mark.parametrize(("apart", "unknowns"), [(9, 300), (9, 1), (1, 1)])
def test_rare_losses_have_their_digits(apart, unknowns, monkeypatch):
    """Beside state elimination on the generator, also where the iterations know nothing of so small a number."""
    monkeypatch.setattr(tandem, "DENSE_UNKNOWNS", unknowns)
    rng, rare = np.random.default_rng(11), 0
    for _ in range(40):
        N, C = int(rng.integers(1, 5)), int(rng.integers(1, 30))
        sizes = np.sort(rng.choice(np.arange(1, N + 1), min(N, 2), replace=False))
        lam, mu1, *mu2 = 10 ** rng.uniform(-apart, apart, 2 + len(sizes))
        jobs = dict(N=N, sizes=sizes.tolist(), p=rng.dirichlet(np.ones(len(sizes))), lam=lam, mu1=mu1, mu2=mu2, C=C)
        _, _, exact = by_definition(jobs)
        found = cluster.performance(**jobs)
        for measure in ("mean_queue", "blocking", "mean_busy_servers", "mean_in_service"):
            assert getattr(found, measure) == pytest.approx(getattr(exact, measure), rel=1e-9, abs=1e-30)
        rare += 1e-30 < exact.blocking < 1e-8
    assert rare > 2


def test_an_answer_that_cannot_be_trusted_is_refused(monkeypatch):
    monkeypatch.setattr(tandem, "PATIENT_UNKNOWNS", 1)
    monkeypatch.setattr(tandem, "DENSE_UNKNOWNS", 1)
    with pytest.raises(ArithmeticError, match=r"rates down to 1e-08 lie too far apart for .* unknowns"):
        cluster.performance(**STIFF)


def test_iterations_that_fail_leave_small_clusters_to_elimination(monkeypatch):
    def fail(*_):
        raise ArithmeticError

    monkeypatch.setattr(tandem, "DENSE_UNKNOWNS", 1)
    usual = cluster.performance(6, (1, 2), (0.5, 0.5), 3, 10, 1, 3)
    monkeypatch.setattr(arnoldi, "dominant", fail)
    again = cluster.performance(6, (1, 2), (0.5, 0.5), 3, 10, 1, 3)
    assert again.mean_time_in_queue == pytest.approx(usual.mean_time_in_queue, rel=1e-10)
