"""Policies: the classes of a log near their limits, a log replayed, a long line."""

import numpy as np
import simpy

from benchmarks.timing import Row
from mjq.experiments.machine import median_time
from mjq.simulation import replay, simulate_multiserver
from mjq.workload import shipped_classes

SERVERS, JOBS, FEW = 128, 1_000_000, 4000
SHARES = {"fcfs": 0.9 * 0.8006, "first-fit": 0.9, "easy": 0.9}  # of the naive limit; FCFS reaches .8006 of it


def classes():
    """Needs, rates [1/h] and mix of the jobs of the NASA log, and the naive limit [jobs/h]."""
    found = shipped_classes()
    need, mu = np.array([c.need for c in found]), np.array([3600 / c.mean_time for c in found])
    p = np.array([c.jobs for c in found]) / sum(c.jobs for c in found)
    return need, mu, p, SERVERS / (p @ (need / mu))


def plain(submit, need, run, servers, policy):
    """Mean wait, by a plain Python program: a list of those who wait, a list of those in service."""
    line, running, free, waits, coming, now = [], [], servers, [], 0, 0.0
    while coming < len(submit) or line:
        arrives = submit[coming] if coming < len(submit) else np.inf
        now = min([arrives, *(end for end, _ in running)])
        free += sum(held for end, held in running if end <= now)
        running = [(end, held) for end, held in running if end > now]
        if arrives == now:
            line.append(coming)
            coming += 1
        shadow, extra, waiting = np.inf, free, []
        for place, job in enumerate(line):
            long = now + run[job] > shadow
            if need[job] <= free and (not long or need[job] <= extra):
                free -= need[job]
                extra -= need[job] if long else 0
                running.append((now + run[job], need[job]))
                waits.append(now - submit[job])
                continue
            waiting.append(job)
            if policy == "fcfs":
                waiting += line[place + 1 :]
                break
            if policy == "easy" and shadow == np.inf:
                for shadow, _ in sorted(running):
                    extra = free + sum(held for end, held in running if end <= shadow) - need[job]
                    if extra >= 0:
                        break
        line = waiting
    return np.mean(waits)


def simpy_wait(submit, need, run, servers):
    """Mean wait in order of arrival, by simpy: a job is a process that takes its servers from a container."""
    world, waits = simpy.Environment(), []
    free = simpy.Container(world, servers, init=servers)

    def job(came, wanted, length):
        yield world.timeout(came)
        yield free.get(wanted)
        waits.append(world.now - came)
        yield world.timeout(length)
        yield free.put(wanted)

    for one in zip(submit, need, run, strict=True):
        world.process(job(*one))
    world.run()
    return np.mean(waits)


def drawn(policy, jobs):
    """A log of so many jobs of the NASA classes, at nine tenths of the limit."""
    need, mu, p, naive = classes()
    rng = np.random.default_rng(1)
    kind = rng.choice(len(p), jobs, p=p)
    return rng.exponential(1 / (SHARES[policy] * naive), jobs).cumsum(), need[kind], rng.exponential(1 / mu[kind])


def beside_simpy():
    """A log replayed in order of arrival, beside a simulation library that is often used."""
    log = drawn("fcfs", JOBS)
    ours = median_time(lambda: replay(*log, None, SERVERS), repeats=3)
    few = [column[:FEW] for column in log]
    theirs, wait = median_time(lambda: simpy_wait(*few, SERVERS), repeats=1, warm=False, keep=True)
    assert abs(replay(*few, None, SERVERS).wait.mean() - wait) < 1e-9
    what = f"replay 1,000,000 jobs of NASA's classes, fcfs, at {SHARES['fcfs']:.2f} of the naive limit"
    return Row(what, ours, "simpy, scaled from 4000 jobs", theirs * JOBS / FEW)


def near_the_limit(policy):
    """A million jobs at nine tenths of the limit."""

    def benchmark():
        need, mu, p, naive = classes()
        lam = SHARES[policy] * naive
        ours = median_time(
            lambda: simulate_multiserver(lam, SERVERS, need, mu, p, JOBS, 1, policy=policy, warmup=0), repeats=3
        )
        log = drawn(policy, FEW)
        theirs, waits = median_time(lambda: plain(*log, SERVERS, policy), repeats=1, warm=False, keep=True)
        assert abs(replay(*log, None, SERVERS, policy).wait.mean() - waits) < 1e-9
        what = f"simulate 1,000,000 jobs of NASA's classes, {policy}, at {SHARES[policy]:.2f} of the naive limit"
        return Row(what, ours, "plain Python, scaled from 4000 jobs", theirs * JOBS / FEW)

    return benchmark


def long_line(policy):
    """A hundred thousand jobs that are all there at once."""

    def benchmark():
        rng, jobs = np.random.default_rng(2), 100_000
        log = np.zeros(jobs), rng.integers(1, 65, jobs), rng.exponential(100, jobs)
        ours = median_time(lambda: replay(*log, None, 64, policy), repeats=1)
        return Row(f"replay 100,000 jobs that come at once, {policy}", ours, "", None)

    return benchmark


BENCHMARKS = [*(near_the_limit(policy) for policy in SHARES), beside_simpy, *(long_line(policy) for policy in SHARES)]
