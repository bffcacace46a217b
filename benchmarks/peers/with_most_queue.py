"""most-queue, the release: multiserver jobs in order of arrival, saturated, exact for small queues, and simulated."""

import numpy as np

from benchmarks.peers.comparison import compared, interval, off
from benchmarks.processing_capacity import TABLE
from mjq import processing_capacity as pc
from mjq.simulation import Estimate, simulate_multiserver
from mjq.solvers import chain

LAM, LIGHT, LONGEST, JOBS, RUNS = 1.4, 0.5, 12, 25_000, 40
LARGE = dict(B=16, b=(1, 2, 4, 8), mu=(1.0, 1.2, 1.5, 2.0), p=(0.4, 0.3, 0.2, 0.1))


def classes(lam, b, mu, p, **_):
    from most_queue.theory.msj import MsjClass

    return [MsjClass(lam * share, int(need), rate) for need, rate, share in zip(b, mu, p, strict=True)]


def by_the_rule(B, b, mu, p):
    """The capacity by the generic chain that both ways are held against."""
    states = pc.saturated_states(B, b)
    Q = chain.generator(states, lambda state: pc.saturated_transitions(state, B, b, mu, p))
    pi = chain.stationary(Q.toarray())
    return pi @ [np.dot(state[:-1], mu) for state in states]


def capacity(system, name):
    def comparison():
        from most_queue.theory.msj import MsjSaturatedCalc

        def theirs():
            found = MsjSaturatedCalc(system["B"], classes(1.0, **system))
            found.run()
            return found.throughput

        return compared(
            f"capacity of {name}",
            "jobs per unit of time",
            "most-queue, MsjSaturatedCalc",
            "most-queue",
            lambda: pc.processing_capacity(**system),
            theirs,
            off(by_the_rule(**system)),
        )

    return comparison


def exact_times(lam):
    def comparison():
        from most_queue.theory.msj import MsjExactCalc

        return compared(
            f"Table I of BB22 at arrival rate {lam}",
            "mean time in the system",
            f"most-queue, MsjExactCalc cut off at {LONGEST} jobs",
            "most-queue",
            lambda: pc.sojourn(lam, **TABLE).mean_jobs / lam,
            lambda: MsjExactCalc(TABLE["B"], classes(lam, **TABLE), truncation=LONGEST).run().v[0],
            off(cut_off(lam)),
            repeats=3,
        )

    return comparison


def cut_off(lam, most=400):
    """The same by a chain that is cut off far out, solved by scipy."""
    from scipy.sparse import linalg

    def rule(state):
        return (step for step in pc.transitions(state, lam, **TABLE) if step[0][-1] <= most)

    states = chain.explore([(0, 0, 0, 0)], rule)
    Q = chain.generator(states, rule).tolil()
    Q[:, 0] = 1
    pi = linalg.spsolve(Q.T.tocsc(), np.eye(len(states))[0])
    return pi @ [state[-1] for state in states] / lam


def simulated():
    from most_queue.sim.msj import MsjSim

    def theirs():
        runs = [MsjSim(TABLE["B"], classes(LAM, **TABLE), seed=seed).run(JOBS, 0.1).v[0] for seed in range(RUNS)]
        return Estimate.of(runs)

    return compared(
        f"Table I of BB22 at arrival rate {LAM}, simulated: {RUNS} runs of {JOBS:,} jobs",
        "mean time in the system",
        "most-queue, MsjSim",
        "most-queue",
        lambda: simulate_multiserver(LAM, **TABLE, jobs=JOBS, seed=1, replications=RUNS).mean_sojourn,
        theirs,
        interval(pc.sojourn(LAM, **TABLE).time.mean),
        repeats=3,
    )


COMPARISONS = [
    capacity(TABLE, "Table I of BB22 (needs 2 and 3 of 6)"),
    capacity(LARGE, "needs 1, 2, 4, 8 of 16"),
    exact_times(LIGHT),
    exact_times(1.0),
    simulated,
]
