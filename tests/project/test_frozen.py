"""Objects that keep what they have computed: nobody changes what it was computed from, in any copy of them."""

import ast
import copy
import pickle

import numpy as np
import pytest

from mjq import Pool, System, TrackedCluster
from mjq.models.pool_depletion import depletion
from mjq.models.processing_capacity import sojourn
from mjq.solvers import qbd
from mjq.solvers.phase_type import PhaseType
from mjq.solvers.transient import Transient
from mjq_logs import Log
from tests.conftest import trees

D = np.array([[0.75, 0.64], [0.48, 1.25]])
NEEDS, RATES, MIX = np.array([2.0, 3.0]), np.array([2.5, 0.625]), np.array([0.5, 0.5])
CHAIN = np.array([[-1.0, 1.0], [0.0, 0.0]])
PHASES = np.array([[-2.0, 2.0], [0.0, -2.0]])
# How to make an object of arrays, the arrays, and what to ask it.
KEEP = {
    "System": (lambda *given: System(6, *given), (NEEDS, RATES, MIX), lambda x: (x.capacity, x.wasted_servers)),
    "TrackedCluster": (
        lambda *given: TrackedCluster(3, *given, tracker_rate=7, queue_places=1),
        (np.array([1, 2]), np.array([11.0, 13.0]), MIX),
        lambda x: [x.queue(5).blocking],
    ),
    "Pool": (lambda d: Pool(d, (7, 3), 3), (D,), lambda x: [x.depletion().mean_time]),
    "PhaseType": (PhaseType, (np.array([1.0, 0.0]), PHASES), lambda x: (x.mean, x.scv, x.cdf(0.7))),
    "Transient": (Transient, (np.array([1.0, 0.0]), CHAIN), lambda x: x.at([0.7, 1e9])),
    "Depletion": (lambda d: depletion(d, 4, 4, 2, 2), (D,), lambda x: [x.cdf(5.0)]),
    "Sojourn": (lambda *given: sojourn(1.8, 6, *given), (NEEDS, RATES, MIX), lambda x: (x.tail(1.0), x.mean_jobs)),
    "LevelDistribution": (
        lambda up, local, down: qbd.stationary([([[1]], [[-1]], None), (None, None, down)], up, local, down),
        tuple(np.array([[x]]) for x in (1.0, -3.0, 2.0)),
        lambda x: x.tail_sums(1),
    ),
    "Log": (
        lambda need, run: Log(need=need, run=run, servers=8),
        (np.array([1.0, 4.0]), np.array([60.0, 30.0])),
        lambda x: [x.system().capacity],
    ),
}
# They keep results, too, and are made by other objects only.
OF_OTHERS = {"Queue": "Sojourn", "History": "Log", "Past": "Log", "Plan": "text", "Host": "numbers"}


def test_every_class_that_keeps_results_is_tried():
    keeping = {
        node.name
        for tree in trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and "@cached_property" in ast.unparse(node)
    }
    assert keeping <= KEEP.keys() | OF_OTHERS.keys()


@pytest.mark.parametrize("name", KEEP)
def test_arrays_of_the_caller_may_change(name):
    make, arrays, ask = KEEP[name]
    expected = ask(make(*arrays))
    mine = [one.copy() for one in arrays]
    made = make(*mine)
    for one in mine:
        one[...] = one[::-1] + 1
    assert np.array_equal(np.hstack(ask(made)), np.hstack(expected))


@pytest.mark.parametrize("way", [lambda x: x, copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
@pytest.mark.parametrize("name", KEEP)
def test_nobody_writes_into_what_an_object_shows(name, way):
    make, arrays, ask = KEEP[name]
    made = make(*arrays)
    expected = ask(made)
    made = way(made)
    fields = {key: one for key, one in vars(made).items() if isinstance(one, np.ndarray) and not key.startswith("_")}
    if name == "LevelDistribution":
        fields = {"R": fields["R"]}  # the only one from which something is kept
    for one in fields.values():
        with pytest.raises(ValueError, match="read-only"):
            one[...] = 0
    assert np.array_equal(np.hstack(ask(made)), np.hstack(expected))
