"""What the chapter on SW23 says and would take too long to verify there: the rule, its blocks, the order, the sweep."""

from itertools import product

import numpy as np
import pytest
import sympy as sp

from mjq import cluster
from mjq.models.cluster import tandem
from mjq.solvers import chain, drain, symbolic

# --- Table 2 ----------------------------------------------------------------------------------------------------------

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


# --- The order of states and the blocks -------------------------------------------------------------------------------


@pytest.mark.parametrize(("N", "T"), product(range(2, 9), range(1, 9)))
def test_last_entries_run_to_the_bound(N, T):
    """Eq. (3): after the first entries the last one runs from the largest of them up to r."""
    T, last_after = min(T, N), {}
    for *first, last in cluster.cluster_states(N, range(1, T + 1))[1:]:
        last_after.setdefault(tuple(first), []).append(last)
    for first, last in last_after.items():
        r = min(N - sum(first), T)
        assert last == list(range(max(first, default=1), r + 1)), first


@pytest.fixture(scope="module")
def levels():
    """The states of two servers with three places, their levels, and the blocks of the generator with letters."""
    letters = sp.symbols("lambda mu_1 mu_21 mu_22 p_1 p_2", positive=True)
    lam, mu1, *mu2, p_1, p_2 = letters
    states = cluster.states(2, (1, 2), 3)
    Q = symbolic.generator(states, lambda x: cluster.transitions(x, 2, (1, 2), (p_1, p_2), lam, mu1, mu2, 3))
    places = [[k for k, x in enumerate(states) if x[0] == level] for level in range(4)]
    return states, lam, {(i, j): Q.extract(places[i], places[j]) for i, j in product(range(4), range(4))}


def test_blocks_beside_the_diagonals_are_zero(levels):
    _, _, block = levels
    assert all(block[i, j].is_zero_matrix for i, j in block if abs(i - j) > 1)


def test_blocks_between_repeat(levels):
    _, _, block = levels
    assert (block[1, 1], block[1, 2], block[2, 1]) == (block[2, 2], block[2, 3], block[3, 2])


def test_first_block_is_larger(levels):
    _, _, block = levels
    assert block[0, 0].rows > block[1, 1].rows == block[2, 2].rows


def test_last_block_lacks_the_arrivals(levels):
    _, lam, block = levels
    assert (block[3, 3] - block[2, 2]).expand() == lam * sp.eye(8)


def test_tracker_is_busy_if_a_job_waits(levels):
    states, _, _ = levels
    assert all(x2 > 0 for x1, x2, _ in states if x1 > 0)


# --- Saturation, losses and the sweep ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("mu", "p"), product((0.5, 3.0, 10.0), (0.2, 0.5, 0.9)))
def test_two_saturated_servers_are_the_flooded_model(mu, p):
    """The formula of the case by hand, against the model's solver in a flood of arrivals."""
    flooded = cluster.performance(2, (1, 2), (p, 1 - p), 1e9, mu, 1, 1)
    assert flooded.mean_jobs == pytest.approx(2 * mu * (mu + 1) / ((2 - p**2) * mu * (mu + 2) + 2), rel=1e-6)


@pytest.mark.parametrize("n", [2, 5, 9])
def test_losses_determine_jobs_and_servers(n):
    answer = cluster.performance(n, *cluster.uniform_sizes(n), lam=12, mu1=50, mu2=10, C=4)
    accepted = 12 * (1 - answer.blocking)
    assert answer.mean_jobs == pytest.approx(accepted / 10, rel=1e-10)
    assert answer.mean_busy_servers == pytest.approx(accepted * (n + 1) / 20, rel=1e-10)


@pytest.fixture(scope="module")
def H_transposed():
    """The map of the entrances of two servers with two places, as a matrix of 12 unknowns."""
    ways = drain.configurations(2, (1, 2), most_free=2)
    sweep = tandem.Tandem(ways, 3.0, 7.0, (1.0, 2.0), (0.4, 0.6), 2)
    return np.array([sweep(unit) for unit in np.eye(12)])


def test_no_entrance_leaves_a_full_queue(H_transposed):
    assert H_transposed.any() and not H_transposed.reshape(12, 4, 3)[:, :, 2].any()


def test_sweep_moves_a_distribution(H_transposed):
    assert np.abs(H_transposed.sum(axis=1) - 1).max() < 1e-12
    assert H_transposed.min() >= 0


def test_sweep_finds_the_steady_state():
    small = dict(N=2, sizes=(1, 2), p=(0.4, 0.6), lam=3.0, mu1=7.0, mu2=(1.0, 2.0), C=2)
    states = cluster.states(2, (1, 2), 2)
    Q = chain.generator(states, lambda x: cluster.transitions(x, **small))
    defined, swept = cluster.measures(states, chain.stationary(Q), 2, 3.0), cluster.performance(**small)
    for measure in ("mean_delay", "blocking"):
        assert getattr(swept, measure) == pytest.approx(getattr(defined, measure), rel=1e-12)
