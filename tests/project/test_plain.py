"""Where numba is absent, compiled functions run as plain Python: the same results, to the last bit."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from mjq import Pool, System, TrackedCluster, fluid, near_saturation, pool_depletion, scheduling, simulation, stability
from mjq._util import compiling
from mjq.models import several_resources
from mjq.simulation.policies import POLICIES, policy
from mjq.solvers import chain, qbd
from mjq.solvers.transient import Transient
from tests.conftest import ROOT

ABSENT = """
import json, sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"numba", "llvmlite"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
from tests.project import test_plain

print(json.dumps(test_plain.found()))
"""
SYSTEM = System(servers=6, needs=(2, 3), rates=(2.5, 0.625), mix=(0.5, 0.5))
VECTORS = (6, 4), ((2, 1), (1, 2)), (1.0, 0.5), (0.5, 0.5)
HOSTS = dict(hosts=2, per_host=4, needs=(1, 2, 4), rates=(1.0, 0.5, 2.0), mix=(0.5, 0.3, 0.2))
DEMANDS = [[0.75, 0.64], [0.48, 1.25]]
NETWORK = fluid.Network(
    {"think": float("inf"), "queue": 2},
    {("think", 1): fluid.exponential(2.0), ("queue", 1): fluid.erlang(2, 0.8)},
    {("think", 1): {("queue", 1): 1.0}, ("queue", 1): {("think", 1): 1.0}}, {("queue", 1): 0.0}, {("think", 1): 70},
)  # fmt: skip


def replays():
    """Starts of a random log with many ties under each policy, and those of a queue that is searched by trees."""
    rng = np.random.default_rng(1)
    submit, need, run = rng.integers(0, 80, 40), 2 ** rng.integers(0, 4, 40), rng.integers(1, 20, 40)
    long = rng.uniform(0, 50, 300), rng.integers(1, 9, 300), rng.exponential(5, 300)
    yield "a table that grows", simulation.replay(np.arange(1200) // 100, np.ones(1200), np.ones(1200), None, 4).start
    for name in ("easy", "backfill-2"):
        yield f"{name}, long", simulation.replay(*long, 3 * long[2], 8, name).start
    for name in (*POLICIES, "backfill-2", "msfq-1"):
        yield name, simulation.replay(submit, need, run, 3 * run, 8, name).start
        if not policy(name).interrupts:
            calendar = [(0, 8), (12, 3), (30, 8)]
            yield f"{name}, calendar", simulation.replay(submit, need, run, 3 * run, 8, name, calendar=calendar).start


def simulations():
    for name in POLICIES:
        queue = 1.4, 4, (1, 2, 4), (1.0, 0.5, 1.0), (0.6, 0.25, 0.15), 60, 2
        found = simulation.simulate_multiserver(*queue, policy=name, tail_at=(1.0,), replications=2)
        yield f"simulated, {name}", [found.mean_sojourn.mean, found.mean_wait.mean]
    yield "never dry", simulation.simulate_saturated(*VECTORS, 800, 5, replications=2).capacity.mean
    yield "hosts, never dry", System(**HOSTS).simulate_saturated(800, 1).capacity.mean
    yield "hosts", System(**HOSTS).simulate(0.5, 200, 1).mean_sojourn.mean
    yield "hosts, a log", simulation.replay_on_hosts(np.arange(90) // 9, np.arange(90) % 5 + 1, np.ones(90), 3, 6).start
    yield "many hosts", simulation.replay_on_hosts(np.zeros(300), np.ones(300), np.ones(300), 100, 2).start
    yield "cluster", TrackedCluster(20, (1, 2, 3), 0.7, (0.5, 0.25, 0.25), 9.0, 5).simulate(4.0, 150, 1).blocking.mean
    yield "pool", Pool(DEMANDS, (8, 5), 5).simulate(1, replications=3).mean_time.mean
    yield "network", simulation.simulate_ps_network(NETWORK, 12.0, 1, at=(5.0,)).mean_jobs["queue", 1].mean


def solutions():
    rng = np.random.default_rng(2)
    up, local, down = rng.exponential(size=(3, 5, 5)) * np.array([0.3, 1, 1])[:, None, None]
    yield "system", [SYSTEM.capacity, SYSTEM.queue(1.8).mean_sojourn, *SYSTEM.near_saturation()]
    yield "vectors", [System(*VECTORS).capacity, several_resources.product_form([6, 4, 2, 0], 1.0, 0.3, 0.4).throughput]
    yield "two classes", stability.wasted_servers(100, 1, 100, 1, 1, 0.965)
    yield "hosts, exact", [System(**HOSTS).capacity, System(**HOSTS).capacity_with_moving]
    yield "filling", list(near_saturation.server_filling(1.0, 4, (1, 2, 4), (1, 0.5, 1), (0.6, 0.25, 0.15)))
    yield "small queue", list(scheduling.finite_queue(1.0, 4, (1, 3), (1, 0.5), (0.6, 0.4), 4, "first-fit"))
    yield "tracked", TrackedCluster(5, (1, 3), 10.0, (0.7, 0.3), 1000.0, 6).queue(20.0).blocking
    yield "depletion", pool_depletion.depletion(DEMANDS, 12, 9, 3, 2).mean_time
    yield "depletion, best mix", Pool(DEMANDS, (12, 8), 5).depletion().mean_time
    yield "fluid", list(fluid.stationary_point(NETWORK).mean_jobs.values())
    yield "levels", qbd.rate_matrix(up, local - np.diag((up + local + down).sum(axis=1)), down)[0]
    yield "chain", chain.stationary(local)
    yield "some time later", Transient(np.eye(5)[0], local).at([0.01, 3.0])
    yield "a long way", Transient(np.eye(100)[0], np.diag(np.full(99, 0.5), 1)).at([40.0])


def found():
    """All results by name, as JSON has them; numbers keep all their bits."""
    return {name: np.asarray(x).tolist() for part in (replays, simulations, solutions) for name, x in part()}


# What is compiled where nothing was: each of our functions, by its signatures.
EXAMPLE = """
import gc
from mjq._util.compiling import Dual
from mjq_logs import cli

assert cli.main(["capacity", "mjq_logs/making/example.swf.gz"]) == 0
for function in gc.get_objects():
    if isinstance(function, Dual) and function._compiled:
        for signature in function.dispatcher.signatures:
            print("compiled:", function.__module__, function.__name__, signature, sep="|")
"""
ALIKE = {"readonly ": "", "int32": "int64", "Literal[int]": "int64"}  # by what signatures would differ by accident


@pytest.mark.slow
def test_the_example_compiles_few_functions_and_none_twice_by_accident(tmp_path):
    env = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", EXAMPLE]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    found = [line for line in done.stdout.splitlines() if line.startswith("compiled:")]
    assert 20 < len(found) <= 36  # 80 when all that the example does not print was computed and compiled, too
    for different, same in ALIKE.items():
        found = [line.replace(different, same) for line in found]
    assert len(set(found)) == len(found)


@pytest.mark.slow
def test_without_numba_results_agree_to_the_last_bit(monkeypatch):
    monkeypatch.setattr(compiling.Dual, "form", lambda function, steps: function.dispatcher)
    env = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-W", "error::RuntimeWarning", "-c", ABSENT]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == found()
