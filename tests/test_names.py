"""However a policy or a placement is written, every function that takes its name finds it."""

import inspect

import numpy as np
import pytest

import mjq_logs
from mjq import System, many_hosts, scheduling, simulation
from mjq_logs import Log
from mjq_logs.reading.vectors import Vectors

SYSTEM = 4, (1, 2), (1.0, 0.5), (0.5, 0.5)
JOBS = [0, 1, 2], [1, 2, 1], [1.0, 2.0, 1.0]
rng = np.random.default_rng(1)
need, run = rng.choice([1.0, 2.0, 4.0], 300), rng.exponential(3600, 300)
submit = np.sort(rng.uniform(0, 8e5, 300))
LOG = Log(need=need, run=run, submit=submit, start=submit + 60, servers=8)
OF_SEVERAL = Log(need=Vectors(np.column_stack([need, need]), ("cpus", "mem")), run=run, submit=submit, servers=(8, 9))
ONE = many_hosts.host(4, np.array([1.0, 2.0]))
ARGUMENTS = {  # what stands before the name
    "System": dict(hosts=2, per_host=4, needs=(1, 2), rates=(1, 1), mix=(0.5, 0.5)),
    "System.simulate": (System(*SYSTEM), 1.0, 60, 1),
    "simulate_multiserver": (1.0, *SYSTEM, 60, 1),
    "simulate_hosts": (1.0, 2, *SYSTEM, 60, 1),
    "simulate_saturated_hosts": (2, *SYSTEM, 60, 1),
    "replay": (*JOBS, None, 2),
    "replay_on_hosts": (*JOBS, 2, 4),
    "finite_queue": (1.0, *SYSTEM, 2),
    "empty": (2,),
    "transitions": (((0, 0), ()), 1.0, *SYSTEM, 2),
    "served_and_waiting": (((1, 0), (1,)), *SYSTEM[:2]),
    "saturated_starts": (*JOBS[1:], 4),
    "report_on_several": (OF_SEVERAL,),
    "plan": (LOG, 1.0),
    "what_if": (LOG, [mjq_logs.cap(LOG, 2)]),
    "forecast_start": (LOG, 1),
    **dict.fromkeys(["capacity", "saturated_state", "checked"], (2, *SYSTEM)),
    "placed": ((0, 1), 0, ONE),
    "saturated_transitions": (((0, 1), 1), ONE, *SYSTEM[2:]),
}
OF_LOGS = "agreement", "capacities", "capacity_by_block_length", "costs_of_classes", "exponential_capacity"
OF_LOGS += "independent_capacity", "own_order_capacity", "reports_on", "waits_at_load"
NAMES = {"policy": ("fcfs", "FCFS"), "policies": (["fcfs"], "FCFS"), "placement": ("worst fit", "Worst-Fit")}


def public():
    """Functions that take such a name, and the word for it."""
    for module in (mjq_logs, simulation, scheduling, many_hosts):
        for name in module.__all__ if hasattr(module, "__all__") else dir(module):
            function = getattr(module, name)
            if inspect.isfunction(function):
                yield from ((name, function, word) for word in NAMES if word in inspect.signature(function).parameters)
    yield "System", System, "placement"
    yield "System.simulate", System.simulate, "policy"


@pytest.mark.parametrize(("name", "function", "word"), list(public()))
def test_a_name_is_found_however_it_is_written(name, function, word):
    given = (LOG,) if name in OF_LOGS else ARGUMENTS[name]
    one, other = (
        function(**given, placement=value) if name == "System" else function(*given, **{word: value})
        for value in NAMES[word]
    )
    if inspect.isgenerator(one):
        one, other = list(one), list(other)
    assert repr(one) == repr(other)
