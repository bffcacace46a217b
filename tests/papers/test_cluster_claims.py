"""What the chapter on SW23 says and would take too long to verify there: the rule, its blocks, the order, the sweep."""

import math
from itertools import product

import numpy as np
import pytest
import sympy as sp

from mjq import TrackedCluster, cluster, stability
from mjq.models.cluster import tandem
from mjq.solvers import drain, symbolic

# --- Table 2 ---

THREE_SERVERS = dict(N=3, sizes=(1, 2), p=(0.75, 0.25), lam=4, mu1=8, mu2=(11, 13), C=1)
BY_HAND = {
    (0, 0, ()): {(0, 1, ()): 3, (0, 2, ()): 1},
    (0, 2, (2,)): {(1, 2, (2,)): 4, (0, 2, ()): 13},  # size 2 does not fit: it stays
    (0, 1, (1, 1)): {(1, 1, (1, 1)): 4, (0, 1, (1,)): 2 * 11, (0, 0, (1, 1, 1)): 8},
    (1, 2, (1, 1)): {(1, 2, (1,)): 2 * 11},  # nor here, and the queue is full
    (1, 1, (2,)): {(1, 1, ()): 13, (0, 1, (1, 2)): 6, (0, 2, (1, 2)): 2},
    (0, 1, (2,)): {(1, 1, (2,)): 4, (0, 1, ()): 13, (0, 0, (1, 2)): 8},
}


@pytest.mark.parametrize("state", BY_HAND)
def test_rule_has_the_five_cases(state):
    assert dict(cluster.transitions(state, **THREE_SERVERS)) == BY_HAND[state]


@pytest.mark.parametrize("state", cluster.states(4, (1, 2, 3, 4), 2))
def test_transitions_are_as_many_as_said(state):
    x1, x2, V = state
    fits = x2 > 0 and x2 + sum(V) <= 4
    arrivals = 4 if x2 == 0 else int(x1 < 2)
    mappings = (4 if x1 > 0 else 1) if fits else 0
    out = list(cluster.transitions(state, 4, (1, 2, 3, 4), (0.25,) * 4, 1, 1, (1,) * 4, 2))
    assert len(out) == arrivals + len(set(V)) + mappings


# --- The order of states and the blocks ---


@pytest.mark.parametrize(("N", "T"), list(product(range(2, 9), range(1, 9))))
def test_last_entries_run_to_the_bound(N, T):
    """Eq. (3): after the first entries the last one runs from the largest of them up to r."""
    T, last_after = min(T, N), {}
    for *first, last in cluster.cluster_states(N, range(1, T + 1))[1:]:
        last_after.setdefault(tuple(first), []).append(last)
    for first, last in last_after.items():
        r = min(N - sum(first), T)
        assert last == list(range(max(first, default=1), r + 1)), first


def test_blocks_of_the_generator_with_letters():
    """Of two servers with three places: between neighbours only, alike but for the first and the last."""
    letters = sp.symbols("lambda mu_1 mu_21 mu_22 p_1 p_2", positive=True)
    lam, mu1, *mu2, p_1, p_2 = letters
    states = cluster.states(2, (1, 2), 3)
    assert all(x2 > 0 for x1, x2, _ in states if x1 > 0)  # the tracker is busy if a job waits
    Q = symbolic.generator(states, lambda x: cluster.transitions(x, 2, (1, 2), (p_1, p_2), lam, mu1, mu2, 3))
    places = [[k for k, x in enumerate(states) if x[0] == level] for level in range(4)]
    block = {(i, j): Q.extract(places[i], places[j]) for i, j in product(range(4), range(4))}
    assert all(block[i, j].is_zero_matrix for i, j in block if abs(i - j) > 1)
    assert (block[1, 1], block[1, 2], block[2, 1]) == (block[2, 2], block[2, 3], block[3, 2])
    assert block[0, 0].rows > block[1, 1].rows == block[2, 2].rows
    assert (block[3, 3] - block[2, 2]).expand() == lam * sp.eye(8)


# --- Saturation, losses and the sweep ---


@pytest.mark.parametrize(("mu", "p"), list(product((0.5, 3.0, 10.0), (0.2, 0.5, 0.9))))
def test_two_saturated_servers_are_the_flooded_model(mu, p):
    """The formula of the case by hand, against the model's solver in a flood of arrivals."""
    flooded = cluster.performance(2, (1, 2), (p, 1 - p), 1e9, mu, 1, 1)
    assert flooded.mean_in_service == pytest.approx(2 * mu * (mu + 1) / ((2 - p**2) * mu * (mu + 2) + 2), rel=1e-6)


def test_sweep_moves_a_distribution_and_leaves_no_full_queue():
    """The map of the entrances of two servers with two places, as a matrix of 12 unknowns."""
    ways = drain.configurations(2, (1, 2), most_free=2)
    sweep = tandem.Tandem(ways, 3.0, 7.0, (1.0, 2.0), (0.4, 0.6), 2)
    H_transposed = np.array([sweep(unit) for unit in np.eye(12)])
    assert H_transposed.any() and not H_transposed.reshape(12, 4, 3)[:, :, 2].any()
    assert np.abs(H_transposed.sum(axis=1) - 1).max() < 1e-12
    assert H_transposed.min() >= 0


# --- The number 1.34 ---

LIMIT = 1 / (math.e - 2)
CLUSTERS = [*range(1, 19), 32, 64, 256]


def at_best(n):
    """Mean number of running jobs by the count of the chapter: n servers, sizes 1 to n, a flood, an instant tracker."""
    return 1 / (1 - sum(math.comb(n, k) / n**k / (k * (k - 1)) for k in range(2, n + 1)))


def test_fewer_jobs_than_the_limit_run_at_best_and_it_is_near():
    running = [at_best(n) for n in CLUSTERS]
    assert np.diff(running).min() > 0
    assert LIMIT - 0.003 < running[-1] == max(running) < LIMIT


def test_behind_the_trackers_of_the_paper_fewer_jobs_run_and_the_bound_ends_with_17_servers():
    """In a flood of jobs."""
    sizes = {n: cluster.uniform_sizes(n) for n in range(1, 19)}
    flooded = [cluster.performance(n, *sizes[n], 1e6, 1000, 10, 15).mean_in_service for n in sizes]
    assert all(running < at_best(n) for n, running in enumerate(flooded, 1))
    assert [running < 1.34 for running in flooded] == [True] * 17 + [False]


def test_terms_add_up_to_e_less_two():
    k = sp.Symbol("k", integer=True, positive=True)
    term = (1 / sp.factorial(k) - 1 / sp.factorial(k + 1)) / k
    assert sp.simplify(sp.combsimp(term) - 1 / sp.factorial(k + 1)) == 0
    assert sp.summation(1 / sp.factorial(k + 1), (k, 1, sp.oo)) == sp.E - 2


@pytest.mark.parametrize("n", CLUSTERS)
def test_counting_gives_theorem_81(n):
    equal = dict.fromkeys(range(1, n + 1), 1 / n)
    assert at_best(n) == pytest.approx(stability.throughput_equal_rates(n, equal, 1), rel=1e-10)


# --- What to do with it ---

NOW = dict(N=16, sizes=range(1, 17), p=[1 / 16] * 16, lam=30, mu1=1000, mu2=10, C=15)


def changed(**change):
    return cluster.performance(**NOW | change)


def test_places_save_few_losses():
    before, roomy = changed(), changed(C=60)
    assert 0 < before.blocking - roomy.blocking < 0.01
    assert roomy.mean_time_in_queue > 3 * before.mean_time_in_queue


def test_instant_tracker_saves_little():
    before, instant, slow = changed(), changed(mu1=1e7), changed(mu1=20)
    assert 0 < before.blocking - instant.blocking < 0.01 < slow.blocking - before.blocking


def test_cutting_large_jobs_fills_servers():
    whole, cut = np.arange(1, 9), np.arange(9, 17)
    pieces, counts = np.unique([*whole, *(cut // 2), *(cut - cut // 2)], return_counts=True)
    before, halved = changed(), changed(sizes=pieces, p=counts / 24, lam=30 * 24 / 16)
    assert halved.utilization > before.utilization + 0.05
    assert halved.blocking < before.blocking


def test_to_cut_large_jobs_can_hurt_elsewhere():
    """One job in ten needs 9 servers, the others 7, and both fill the 16; the halves of 9 leave more of them idle."""
    cluster_of = dict(servers=16, rates=10, tracker_rate=1000, queue_places=15)
    whole = TrackedCluster(needs=(7, 9), mix=(0.9, 0.1), **cluster_of)
    cut = TrackedCluster(needs=(4, 5, 7), mix=(1 / 11, 1 / 11, 9 / 11), **cluster_of)
    assert cut.queue(lam=33).utilization < 0.97 * whole.queue(lam=30).utilization
