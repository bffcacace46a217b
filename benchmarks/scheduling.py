"""Policies: classes of a log near their limits, powers of two, a log replayed, a long line; beside what others run."""

import importlib.util

import numpy as np
import simpy

from benchmarks.timing import Row, median_time
from mjq.simulation import Estimate, replay, simulate_multiserver
from mjq_book.workloads import shipped_classes

SERVERS, JOBS, FEW = 128, 1_000_000, 4000
POWERS = 64, [1, 2, 4, 8, 16, 32, 64]  # servers, needs
CIW = 8, 6.0, 20_000, 20  # servers, load times servers, jobs, runs
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


def ciw_waits(servers, lam, jobs, runs):
    """Mean wait of M/M/c in each of several runs, by ciw; the first tenth of the jobs does not count."""
    import ciw

    network = ciw.create_network(
        arrival_distributions=[ciw.dists.Exponential(lam)],
        service_distributions=[ciw.dists.Exponential(1.0)],
        number_of_servers=[servers],
    )
    waits = []
    for run in range(runs):
        ciw.seed(run)
        world = ciw.Simulation(network)
        world.simulate_until_max_customers(jobs + jobs // 10)
        records = sorted(world.get_all_records(), key=lambda record: record.arrival_date)
        waits.append(np.mean([record.waiting_time for record in records[jobs // 10 :]]))
    return waits


def beside_ciw():
    """One server a job, as ciw has no jobs that hold several at once; both agree within their intervals."""
    servers, lam, jobs, runs = CIW

    def mine():
        return simulate_multiserver(lam, servers, [1], [1], [1], jobs, 1, replications=runs).mean_wait

    ours, wait = median_time(mine, repeats=3, keep=True)
    theirs, waits = median_time(lambda: ciw_waits(*CIW), repeats=1, warm=False, keep=True)
    found = Estimate.of(waits)
    assert abs(found.mean - wait.mean) < found.half_width + wait.half_width
    what = f"simulate {runs} runs of {jobs:,} jobs, one server each of {servers}, at {lam / servers:.2f} of the limit"
    return Row(what, ours, "ciw", theirs)


def filling_plain(submit, need, run, servers):
    """Mean sojourn under ServerFilling, by a plain Python program: all is decided anew at each event."""
    here, coming, now, left, ends = [], 0, 0.0, list(run), []
    served = []
    while coming < len(submit) or here:
        arrives = submit[coming] if coming < len(submit) else np.inf
        first = min(served, key=left.__getitem__, default=None)
        then = min(arrives, np.inf if first is None else now + left[first])
        for job in served:
            left[job] -= then - now
        if then == arrives:
            here.append(coming)
            coming += 1
        else:
            here.remove(first)
            ends.append(then - submit[first])
        now, together, served, free = then, 0, [], servers
        prefix = []
        for job in here:
            if together >= servers:
                break
            prefix.append(job)
            together += need[job]
        for job in sorted(prefix, key=lambda job: (-need[job], job)):
            if need[job] <= free:
                served.append(job)
                free -= need[job]
    return np.mean(ends)


def powers(policy, share, alternative=False):
    """A million jobs of seven needs that are powers of two, each class with the same share of the load."""

    def benchmark():
        servers, need = POWERS[0], np.array(POWERS[1])
        p = 1 / need / (1 / need).sum()
        lam = share * servers / (p @ need)
        ours = median_time(
            lambda: simulate_multiserver(lam, servers, need, np.ones(len(need)), p, JOBS, 1, policy=policy, warmup=0),
            repeats=1,
        )
        what = f"simulate 1,000,000 jobs that need 1, 2, …, 64 of 64, {policy}, at {share:.2f} of the naive limit"
        if not alternative:
            return Row(what, ours, "", None)
        rng = np.random.default_rng(3)
        log = rng.exponential(1 / lam, FEW).cumsum(), rng.choice(need, FEW, p=p), rng.exponential(1, FEW)
        theirs, sojourn = median_time(lambda: filling_plain(*log, servers), repeats=1, warm=False, keep=True)
        assert abs(replay(*log, None, servers, policy).sojourn.mean() - sojourn) < 1e-6
        return Row(what, ours, "plain Python, scaled from 4000 jobs", theirs * JOBS / FEW)

    return benchmark


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


BENCHMARKS = [
    *(near_the_limit(policy) for policy in SHARES),
    powers("server-filling", 0.9, alternative=True),
    *(powers(policy, 0.7) for policy in ("least-servers-first", "most-servers-first", "msfq-8")),
    beside_simpy,
    *([beside_ciw] if importlib.util.find_spec("ciw") else []),
    *(long_line(policy) for policy in SHARES),
]
