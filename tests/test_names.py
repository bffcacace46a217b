"""However a policy or a placement is written, every function that takes its name finds it."""

import inspect

import numpy as np
import pytest

import mjq_logs
from mjq import System, simulation
from mjq_logs import Log
from mjq_logs.reading.vectors import Vectors

SYSTEM = 4, (1, 2), (1.0, 0.5), (0.5, 0.5)
rng = np.random.default_rng(1)
need, run, submit = rng.choice([1.0, 2, 4], 300), rng.exponential(3600, 300), np.sort(rng.uniform(0, 8e5, 300))
LOG = Log(need=need, run=run, submit=submit, start=submit + 60, servers=8)
OF_SEVERAL = Log(need=Vectors(np.column_stack([need, need]), ("cpus", "mem")), run=run, submit=submit, servers=(8, 9))
ARGUMENTS = {  # what stands before the name; by default a log
    "simulate": (System(*SYSTEM), 1.0, 60, 1),
    "simulate_multiserver": (1.0, *SYSTEM, 60, 1),
    "simulate_hosts": (1.0, 2, *SYSTEM, 60, 1),
    "simulate_saturated_hosts": (2, *SYSTEM, 60, 1),
    "replay": (submit, need, run, None, 8),
    "replay_on_hosts": (submit, need, run, 2, 4),
    "saturated_starts": (need, run, 8),
    "report_on_several": (OF_SEVERAL,),
    "plan": (LOG, 1.0),
    "what_if": (LOG, [mjq_logs.cap(LOG, 2)]),
    "forecast_start": (LOG, 1),
}
NAMES = {"policy": ("fcfs", "FCFS"), "policies": (["fcfs"], "FCFS"), "placement": ("worst fit", "Worst-Fit")}
PUBLIC = [getattr(module, name) for module in (mjq_logs, simulation) for name in dir(module)]
FUNCTIONS = [function for function in [*PUBLIC, System.simulate] if inspect.isfunction(function)]


@pytest.mark.usefixtures("few_jobs", "few_draws")
@pytest.mark.parametrize("word", NAMES)
def test_a_name_is_found_however_it_is_written(word):
    for function in FUNCTIONS:
        if word in inspect.signature(function).parameters:
            given = ARGUMENTS.get(function.__name__, (LOG,))
            one, other = (function(*given, **{word: name}) for name in NAMES[word])
            assert repr(getattr(one, "start", one)) == repr(getattr(other, "start", other))
