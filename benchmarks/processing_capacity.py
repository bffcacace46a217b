"""[BB22]: simulator, infinite queue, capacity of many classes."""

import numpy as np
import simpy
from scipy.sparse import linalg

from benchmarks.timing import Row, median_time, peak_memory
from mjq import processing_capacity as pc
from mjq.simulation import simulate_multiserver
from mjq.solvers import chain, drain
from mjq_book.experiments import near_saturation

TABLE = dict(B=6, b=(2, 3), mu=(1 / 0.4, 1 / 1.6), p=(0.5, 0.5))
POWERS = dict(mu=np.linspace(1, 2, 7), p=np.ones(7) / 7)


def simulated_with_simpy(lam, B, b, mu, p, jobs, seed):
    """Mean sojourn time of the same system with a general event library: one process a job."""
    rng = np.random.default_rng(seed)
    env = simpy.Environment()
    resource = simpy.Container(env, B, init=B)  # requests are served in order of arrival
    times = []

    def job(kind):
        start = env.now
        yield resource.get(b[kind])
        yield env.timeout(rng.exponential(1 / mu[kind]))
        yield resource.put(b[kind])
        times.append(env.now - start)

    def arrivals():
        for _ in range(jobs):
            yield env.timeout(rng.exponential(1 / lam))
            env.process(job(rng.choice(len(p), p=p)))

    env.process(arrivals())
    env.run()
    return np.mean(times[jobs // 10 :])


def simulator():
    few, many = 20_000, 5_000_000
    ours = median_time(lambda: simulate_multiserver(1.0, **TABLE, jobs=many, seed=1, warmup=0))
    theirs = median_time(lambda: simulated_with_simpy(1.0, **TABLE, jobs=few, seed=1), repeats=3)
    run = simulate_multiserver(1.0, **TABLE, jobs=many, seed=1)
    assert abs(run.mean_sojourn.mean / simulated_with_simpy(1.0, **TABLE, jobs=few, seed=2) - 1) < 0.1
    return Row("simulate 5,000,000 jobs of Table I", ours, "simpy, scaled from 20,000 jobs", theirs * many / few)


def queue():
    """The infinite queue, against a cut-off chain that scipy solves."""

    def cut_off():
        def rule(s):
            return (x for x in pc.transitions(s, 1.8, **TABLE) if x[0][-1] <= 250)

        states = chain.explore([(0, 0, 0, 0)], rule)
        Q = chain.generator(states, rule).tolil()
        Q[:, 0] = 1  # one balance equation gives way to the normalization
        pi = linalg.spsolve(Q.T.tocsc(), np.eye(len(states))[0])
        return pi @ [s[-1] for s in states]

    assert abs(cut_off() / pc.sojourn(1.8, **TABLE).mean_jobs - 1) < 1e-4
    return Row(
        "sojourn at arrival rate 1.8",
        median_time(lambda: pc.sojourn(1.8, **TABLE)),
        "chain cut off at 250 jobs, scipy's spsolve",
        median_time(cut_off, repeats=3),
    )


def memory():
    """The classes of a real log with the order of the jobs, beside the same classes drawn independently."""
    classes = near_saturation.system()
    system = classes.servers, classes.needs, classes.rates, classes.mix
    with_order = median_time(lambda: pc.processing_capacity(*system, order=0.5), repeats=3)
    return Row(
        "capacity of NASA's classes, memory 0.5",
        with_order,
        "the same classes without memory",
        median_time(lambda: pc.processing_capacity(*system), repeats=3),
    )


def six_classes():
    """The same system by both solvers: needs 1, 2, …, 32 of 32."""
    system = dict(B=32, b=2.0 ** np.arange(6), mu=POWERS["mu"][:6], p=np.ones(6) / 6)

    def generic():
        states = pc.saturated_states(system["B"], system["b"])
        Q = chain.generator(states, lambda s: pc.saturated_transitions(s, **system)).tolil()
        busy = np.array([np.dot(s[:-1], system["mu"]) for s in states])
        Q[:, 0] = 1
        return linalg.spsolve(Q.T.tocsc(), np.eye(len(states))[0]) @ busy

    theirs, answers = median_time(generic, repeats=1, warm=False, keep=True)
    assert abs(answers / pc.processing_capacity(**system) - 1) < 1e-9
    return Row(
        "capacity, needs 1, 2, …, 32 of 32",
        median_time(lambda: pc.processing_capacity(**system)),
        "generic chain, scipy's spsolve",
        theirs,
    )


def seven_classes():
    system = dict(B=64, b=2.0 ** np.arange(7), **POWERS)
    states = drain.configurations(64, system["b"]).blocked.sum()
    ours = median_time(lambda: pc.processing_capacity(**system))
    memory = peak_memory(
        "import numpy as np; from mjq import processing_capacity as pc; "
        "pc.processing_capacity(64, 2.0 ** np.arange(7), np.linspace(1, 2, 7), np.ones(7) / 7)"
    )
    return Row(f"capacity, needs 1, 2, …, 64 of 64: {states} states, {memory:.0f} MB in all", ours, "", None)


BENCHMARKS = [simulator, queue, memory, six_classes, seven_classes]
