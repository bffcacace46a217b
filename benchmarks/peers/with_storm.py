"""Storm: a checker of Markov models, by its Python package. The chain is built by our rule and given to it."""

import numpy as np

from benchmarks import cluster
from benchmarks.peers.comparison import compared, off
from benchmarks.peers.with_most_queue import LARGE, by_the_rule
from benchmarks.peers.with_scipy import SERVERS, by_elimination
from mjq import processing_capacity as pc
from mjq.solvers import chain

CALLS = 20  # of either side in turn: each is done in less than a millisecond


def model(Q, reward):
    """The chain as Storm's, with a reward per unit of time in each state."""
    from stormpy import datastructures, models

    rates = Q.tocsr()
    rates.setdiag(0)
    rates.eliminate_zeros()
    builder = datastructures.SparseMatrixBuilder(rates.shape[0], rates.shape[0], rates.nnz, force_dimensions=True)
    for row in range(rates.shape[0]):
        of = slice(rates.indptr[row], rates.indptr[row + 1])
        for column, rate in sorted(zip(rates.indices[of], rates.data[of], strict=True)):
            builder.add_next_value(row, int(column), float(rate))
    labels = models.StateLabeling(rates.shape[0])
    labels.add_label("init")
    labels.add_label_to_state("init", 0)
    parts = models.SparseModelComponents(
        transition_matrix=builder.build(), state_labeling=labels, rate_transitions=True
    )
    parts.exit_rates = [float(x) for x in np.asarray(rates.sum(axis=1)).ravel()]
    parts.reward_models = {"counted": models.SparseRewardModel(optional_state_reward_vector=[float(x) for x in reward])}
    return models.SparseCtmc(parts)


def long_run(ctmc):
    """The mean reward in the long run."""
    import stormpy

    (question,) = stormpy.parse_properties('R{"counted"}=? [ LRA ]')
    found = stormpy.model_checking(ctmc, question, only_initial_states=True)
    return found.get_value(ctmc.initial_states[0])


def often(work, *given):
    """Do it so often that the clock can tell, and return what comes of it."""
    for _ in range(CALLS):
        found = work(*given)
    return found


SMALL = {  # servers and needs: systems of 50 to 1,000 states
    "1, 2, 4, 8 of 8": (8, (1, 2, 4, 8)),
    "1, 2, 4, 8 of 12": (12, (1, 2, 4, 8)),
    "1, 2, 4, 8 of 24": (24, (1, 2, 4, 8)),
    "1, 2, 3 of 10": (10, (1, 2, 3)),
    "1, 2, 3, 4, 5 of 10": (10, (1, 2, 3, 4, 5)),
    "1, 2, 3, 4, 5, 6 of 12": (12, (1, 2, 3, 4, 5, 6)),
    "2, 3, 5 of 30": (30, (2, 3, 5)),
    "1, 8, 16 of 64": (64, (1, 8, 16)),
    "1, 20 of 200": (200, (1, 20)),
}


def capacity(name, B, b, mu, p):
    def comparison():
        states = pc.saturated_states(B, b)
        Q = chain.generator(states, lambda state: pc.saturated_transitions(state, B, b, mu, p))
        ctmc = model(Q, [np.dot(state[:-1], mu) for state in states])

        return compared(
            f"capacity of needs {name}, {len(states)} states, the chain given to the tool",
            "jobs per unit of time",
            "Storm, long-run reward",
            "stormpy",
            lambda: often(pc.processing_capacity, B, b, mu, p),
            lambda: often(long_run, ctmc),
            off(by_the_rule(B, b, mu, p)),
        )

    return comparison


def large_cluster():
    states, Q = cluster.generator(SERVERS)
    sharp = cluster.measures_of(states, by_elimination(Q), SERVERS).mean_in_service
    jobs = [cluster.measures_of([state], np.ones(1), SERVERS).mean_in_service for state in states]
    ctmc = model(Q, jobs)
    return compared(
        f"cluster of {SERVERS} servers of SW23, {len(states):,} states, the chain given to the tool",
        "mean number of jobs",
        "Storm, long-run reward",
        "stormpy",
        lambda: cluster.ours(SERVERS).mean_in_service,
        lambda: long_run(ctmc),
        lambda mine, other: tuple(f"{abs(value / sharp - 1):.1e} from elimination" for value in (mine, other)),
        repeats=3,
    )


COMPARISONS = [
    capacity("1, 2, 4, 8 of 16", **LARGE),
    *(
        capacity(name, B, b, 1 + np.arange(len(b)) / len(b), np.full(len(b), 1 / len(b)))
        for name, (B, b) in SMALL.items()
    ),
    large_cluster,
]
