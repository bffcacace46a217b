"""simpy: a general library of events. A job is a process that takes its servers from a container."""

import numpy as np
import simpy

from benchmarks.peers.comparison import compared, interval
from benchmarks.processing_capacity import TABLE, simulated_with_simpy
from benchmarks.scheduling import SERVERS, drawn
from mjq import processing_capacity as pc
from mjq.simulation import Estimate, replay, simulate_multiserver

LAM, JOBS, RUNS, REPLAYED = 1.4, 25_000, 40, 4000


def table():
    """Table I of BB22, simulated."""

    def ours():
        return simulate_multiserver(LAM, **TABLE, jobs=JOBS, seed=1, replications=RUNS).mean_sojourn

    def theirs():
        return Estimate.of([simulated_with_simpy(LAM, **TABLE, jobs=JOBS, seed=seed) for seed in range(RUNS)])

    return compared(
        f"Table I of BB22 at arrival rate {LAM}, simulated: {RUNS} runs of {JOBS:,} jobs",
        "mean time in the system",
        "simpy, a process for each job",
        "simpy",
        ours,
        theirs,
        interval(pc.sojourn(LAM, **TABLE).time.mean),
        repeats=3,
    )


class FirstFit(simpy.Container):
    """Servers that each waiting job may take which fits, in order of arrival."""

    def _do_get(self, event):
        super()._do_get(event)
        return True  # the next in the queue is asked as well


def waits(submit, need, run, servers):
    """The wait of each job of a log, under first-fit."""
    world, found = simpy.Environment(), np.empty(len(submit))
    free = FirstFit(world, servers, init=servers)

    def job(name):
        yield world.timeout(submit[name])
        yield free.get(int(need[name]))
        found[name] = world.now - submit[name]
        yield world.timeout(run[name])
        yield free.put(int(need[name]))

    for name in range(len(submit)):
        world.process(job(name))
    world.run()
    return found


def policy():
    """A log replayed under first-fit."""
    log = [column[:REPLAYED] for column in drawn("first-fit", 2 * REPLAYED)]

    def errors(mine, other):
        most = np.abs(mine - other).max()
        return "–", f"waits differ by at most {most:.0e} h" if most else "every wait is the same"

    return compared(
        f"{REPLAYED:,} jobs of NASA's classes on {SERVERS} servers, replayed under first-fit",
        "wait of each job",
        "simpy, a container that asks the whole queue",
        "simpy",
        lambda: replay(*log, None, SERVERS, policy="first-fit").wait,
        lambda: waits(*log, SERVERS),
        errors,
        repeats=3,
    )


COMPARISONS = [table, policy]
