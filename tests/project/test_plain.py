"""Without a compiler, threads and processes: the same results, to the last bit."""

import json
import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT

# As in a browser: nothing is compiled, no thread can be started, and of multiprocessing only the name is there.
BROWSER = """
import sys, threading
import numpy as np

def start(thread):
    raise RuntimeError("can't start new thread")

threading.Thread.start = start
sys.modules["_multiprocessing"] = None
from mjq import stability
from mjq._util.parallel import map_cases
from mjq.simulation import replay, simulate_multiserver
assert map_cases(stability.throughput, [dict(n=2, n1=1, n2=1, mu1=1, mu2=1, p1=0.5)], workers=1) == [2.0]
for workers, replications in ((1, 3), (4, 1)):
    simulate_multiserver(0.5, 2, (1, 2), (1, 1), (0.5, 0.5), 100, 1, replications=replications, workers=workers)
print(replay([0, 1, 2], [3, 4, 1], [5, 2, 3], None, 4, "easy").start.tolist())
"""

# What a browser has not is not there at all.
ABSENT = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"numba", "llvmlite", "polars", "dask", "distributed"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
"""
# Closed forms, chains, solvers, simulators and replays, each in a small case.
CASES = """
import json
from mjq import Pool, System, TrackedCluster, fluid, near_saturation, scheduling, simulation, stability

system = System(servers=6, needs=(2, 3), rates=(2.5, .625), mix=(.5, .5))
log = [0, 1, 2, 2], [3, 4, 1, 2], [5, 2, 3, 1], None, 4
network = fluid.Network(
    {"Z": float("inf"), "Q": 2}, {("Z", "C"): fluid.exponential(2.0), ("Q", "C"): fluid.erlang(2, 0.8)},
    {("Z", "C"): {("Q", "C"): 1.0}, ("Q", "C"): {("Z", "C"): 1.0}}, {}, {("Z", "C"): 6},
)
found = {
    "capacity": system.capacity,
    "tail": float(system.queue(1.8).tail(10)),
    "near saturation": list(system.near_saturation()),
    "wasted servers": stability.wasted_servers(100, 1, 100, 1, 1, .965),
    "server filling": list(near_saturation.server_filling(1.0, 4, (1, 2, 4), (1, .5, 1), (.6, .25, .15))),
    "small queue": list(scheduling.finite_queue(1.0, 4, (1, 3), (1, .5), (.6, .4), 4, "first-fit")),
    "cluster": TrackedCluster(5, (1, 3), 10.0, (.7, .3), 1000.0, 6).queue(20.0).blocking,
    "pool": Pool([[.75, .64], [.48, 1.25]], (12, 8), 5).depletion().T,
    "fluid": list(fluid.stationary_point(network).mean_jobs.values()),
    "stream": system.simulate(1.5, 200, seed=1, policy="easy").EW.mean,
    "replays": [simulation.replay(*log, rule).start.tolist() for rule in ("fcfs", "easy", "conservative")],
}
print(json.dumps(found, default=float))
"""


def run(*arguments, plain):
    """Start Python, in which a warning of numbers is an error."""
    env = os.environ | {"NUMBA_DISABLE_JIT": str(int(plain)), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-W", "error::RuntimeWarning", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_nothing_is_compiled_and_no_thread_or_process_is_started_where_there_are_none():
    assert run("-c", BROWSER, plain=True) == "[0.0, 5.0, 2.0]\n"


@pytest.mark.slow
def test_small_cases_without_numba_agree_to_the_last_bit():
    assert json.loads(run("-c", ABSENT + CASES, plain=False)) == json.loads(run("-c", CASES, plain=False))


@pytest.mark.slow  # a minute, and another one where nothing has been compiled before
def test_compiled_and_plain_code_agree_to_the_last_bit(tmp_path):
    plain, compiled = (tmp_path / name for name in ("plain.json", "compiled.json"))
    for file in (plain, compiled):
        run("-m", "tests.plain_cases", file, plain=file == plain)
    plain, compiled = (json.loads(file.read_text(encoding="utf-8")) for file in (plain, compiled))
    assert plain["never"] == []  # each function that numba may compile was run
    assert len(plain["found"]) >= 300 and plain["found"].keys() == compiled["found"].keys()
    assert [name for name, value in plain["found"].items() if value != compiled["found"][name]] == []
    failed = [name for name, value in plain["found"].items() if str(value).startswith("['ArithmeticError'")]
    assert failed == ["rates far apart"] and "ValueError" not in str(plain["found"].values())
